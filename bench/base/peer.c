/* See bench/base/peer.h. */
#include "bench/base/peer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/measure.h"
#include "util/clock.h"

#define BALL_STOP              UINT64_MAX
#define BOUNCES_PER_CLOCK_READ 256u /* round trips between two reads of the clock */

struct request {
	uint32_t loop;
	uint64_t n;
};

void *peer_memory_new(size_t len)
{
	void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		bench_die("cannot make shared memory: %m");
	return memory;
}

/* --- the other process --- */

static void bounce(struct peer_shared *shared)
{
	uint64_t wanted = 1, ball;

	for (;;) {
		while ((ball = atomic_load_explicit(&shared->ball, memory_order_acquire)) !=
		       wanted) {
			if (ball == BALL_STOP)
				return;
		}
		atomic_store_explicit(&shared->ball, wanted + 1, memory_order_release);
		wanted += 2;
	}
}

void peer_serve(struct bench *b)
{
	struct peer_shared *shared = b->peer->shared;
	struct request request;

	while (recv(b->peer->sock, &request, sizeof(request), 0) == (ssize_t)sizeof(request)) {
		atomic_fetch_add_explicit(&shared->n_ready, 1, memory_order_release);
		if (request.loop == PEER_CANARY)
			bounce(shared);
		else if (request.loop == PEER_OURS)
			b->row->serve(b, request.n);
		else
			b->row->reference_serve(b, request.n);
		atomic_fetch_add_explicit(&shared->n_done, 1, memory_order_release);
	}
}

/* --- this process --- */

static _Noreturn void child_has_ended(const siginfo_t *info)
{
	static const char exited[] =
		"doca-bench: the other side's process could not go on: it says "
		"above why\n";
	static const char killed[] = "doca-bench: the other side's process was ended by a signal\n";
	bool has_exited = info->si_code == CLD_EXITED;

	if (write(STDERR_FILENO, has_exited ? exited : killed,
		  has_exited ? sizeof(exited) - 1 : sizeof(killed) - 1) > 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

static void on_child(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)context;
	child_has_ended(info);
}

/* Needed because a loop that spins on a child's word never checks the socket. */
void peer_watch_children(void)
{
	struct sigaction action = {.sa_sigaction = on_child, .sa_flags = SA_NOCLDSTOP | SA_SIGINFO};

	sigaction(SIGCHLD, &action, NULL);
}

/*
 * The socket closes before the child's exit status is available, and only the status shows whether
 * the child has printed a reason.
 */
static _Noreturn void other_is_gone(const struct bench *b)
{
	siginfo_t info;

	if (b->is_peer)
		_exit(EXIT_FAILURE);
	while (waitid(P_PID, (id_t)b->peer->pid, &info, WEXITED | WNOWAIT) != 0) {
		if (errno != EINTR)
			bench_die("the other process is gone: %m");
	}
	child_has_ended(&info);
}

static _Noreturn void peer_become(struct bench *b, const char *socket_path, pid_t parent,
				  void (*serve)(struct bench *b))
{
	struct peer *peer = b->peer;
	int doorbell = peer->eventfds[0];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	b->is_peer = true;
	b->side = b->side == SIDE_DPU ? SIDE_HOST : SIDE_DPU;
	peer->eventfds[0] = peer->eventfds[1];
	peer->eventfds[1] = doorbell;
	if (setenv("DOCOCORED_SOCKET", socket_path, 1) != 0 ||
	    setenv("DOCA_SIDE", bench_side_name(b->side), 1) != 0)
		bench_die("no memory");
	measure_pin(PEER_CORE);
	serve(b);
	_exit(EXIT_SUCCESS);
}

void peer_start(struct bench *b, const char *socket_path, void (*serve)(struct bench *b))
{
	struct peer *peer = b->peer;
	pid_t parent = getpid();
	int socks[2];

	*peer = (struct peer){.shared = peer_memory_new(sizeof(*peer->shared))};
	peer->eventfds[0] = eventfd(0, EFD_CLOEXEC);
	peer->eventfds[1] = eventfd(0, EFD_CLOEXEC);
	if (peer->eventfds[0] < 0 || peer->eventfds[1] < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
		bench_die("cannot prepare the other process: %m");
	peer_watch_children();
	peer->pid = fork();
	if (peer->pid < 0)
		bench_die("cannot start the other process: %m");
	peer->sock = socks[peer->pid == 0];
	close(socks[peer->pid != 0]);
	if (peer->pid == 0)
		peer_become(b, socket_path, parent, serve);
}

void peer_end(struct peer *peer)
{
	size_t i;

	signal(SIGCHLD, SIG_DFL);
	close(peer->sock);
	for (i = 0; i < peer->n_others; i++)
		kill(peer->others[i], SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

void peer_put(struct bench *b, const void *data, size_t len)
{
	if (send(b->peer->sock, data, len, MSG_NOSIGNAL) != (ssize_t)len)
		other_is_gone(b);
}

size_t peer_get(struct bench *b, void *data, size_t size)
{
	ssize_t n = recv(b->peer->sock, data, size, MSG_TRUNC);

	if (n <= 0)
		other_is_gone(b);
	if (n > (ssize_t)size)
		bench_die("the other process sent %zd bytes, more than %zu", n, size);
	return (size_t)n;
}

size_t peer_swap(struct bench *b, const void *mine, size_t len, void *other, size_t size)
{
	peer_put(b, mine, len);
	return peer_get(b, other, size);
}

void peer_meet(struct bench *b, bool (*poll)(struct bench *b), unsigned limit_s, const char *what)
{
	_Atomic uint64_t *n_meets = b->peer->shared->n_meets;
	uint64_t deadline_ns = clock_now_ns() + limit_s * NS_PER_SEC, n = ++b->peer->n_meets;
	bool mine = false;

	while (!mine || atomic_load(&n_meets[!b->is_peer]) < n) {
		if (poll(b) && !mine) {
			mine = true;
			atomic_store(&n_meets[b->is_peer], n);
		}
		if (clock_now_ns() > deadline_ns)
			bench_die("%s: %s after %u seconds, seen from side %s", b->row->test, what,
				  limit_s, bench_our_side());
	}
}

void peer_engage(struct peer *peer, enum peer_loop loop, uint64_t n)
{
	struct bench b = {.peer = peer};
	struct request request = {.loop = loop, .n = n};

	atomic_store_explicit(&peer->shared->ball, 0, memory_order_relaxed);
	atomic_store_explicit(&peer->shared->word, 0, memory_order_relaxed);
	peer_put(&b, &request, sizeof(request));
	peer->n_asked++;
	while (atomic_load_explicit(&peer->shared->n_ready, memory_order_acquire) < peer->n_asked)
		;
}

void peer_wait_done(const struct peer *peer)
{
	while (atomic_load_explicit(&peer->shared->n_done, memory_order_acquire) < peer->n_asked)
		;
}

double peer_canary(struct peer *peer, uint64_t duration_ns)
{
	struct peer_shared *shared = peer->shared;
	uint64_t start_ns, now_ns, ball = 0;
	unsigned i;

	peer_engage(peer, PEER_CANARY, 0);
	start_ns = clock_now_ns();
	do {
		for (i = 0; i < BOUNCES_PER_CLOCK_READ; i++) {
			atomic_store_explicit(&shared->ball, ball + 1, memory_order_release);
			ball += 2;
			while (atomic_load_explicit(&shared->ball, memory_order_acquire) != ball)
				;
		}
		now_ns = clock_now_ns();
	} while (now_ns - start_ns < duration_ns);
	atomic_store_explicit(&shared->ball, BALL_STOP, memory_order_release);
	peer_wait_done(peer);
	return (double)(now_ns - start_ns) / (double)ball;
}
