/* See bench/base/peer.h. */
#include "bench/base/peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_dma.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/raw_verbs.h"
#include "bench/base/ring_loop.h"
#include "bench/comch/clients.h"
#include "bench/comch/end.h"
#include "bench/comch/fast_end.h"
#include "bench/sync/end.h"
#include "util/clock.h"
#include "util/memfd.h"

#define BALL_STOP              UINT64_MAX
#define BOUNCES_PER_CLOCK_READ 256u /* round trips between two reads of the clock */
#define CONNECT_LIMIT_NS       (10 * NS_PER_SEC)
#define CLIENTS_LIMIT_NS       (60 * NS_PER_SEC)
#define PEER_CORE              1u

/* State of the other process. */
struct peer_state {
	struct peer_shared *shared;
	enum bench_side side;
	enum bench_transport memory_kind;
	struct doca_dev *dev; /* device of the exported map */
	struct doca_mmap *map;
	void *memory;
	size_t memory_len;
	struct comch_end *end;
	struct sync_end *sync;
	int bells[2]; /* this process's eventfd, the other's */
	struct clients *groups[2];
	struct fast_end *fast;
	struct rdma_endpoint *rdma;
	struct raw_verbs *raw;
};

/* --- the other process --- */

static void stand_ready(struct peer_state *s)
{
	atomic_fetch_add_explicit(&s->shared->n_ready, 1, memory_order_release);
}

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

static void serve_export(struct peer_state *s, struct peer_msg *msg)
{
	const void *payload;
	size_t len;

	s->memory_kind = (enum bench_transport)msg->kind;
	s->memory_len = msg->size;
	s->memory = device_memory_new(s->memory_kind, s->memory_len);
	s->dev = device_open(doca_dma_cap_task_memcpy_is_supported, "open a device to export");
	s->map = device_map_new(s->dev, s->memory, s->memory_len);
	bench_check(doca_mmap_export_pci(s->map, s->dev, &payload, &len), "export memory");
	if (len > sizeof(msg->payload))
		bench_die("the export descriptor has %zu bytes", len);
	memcpy(msg->payload, payload, len);
	msg->payload_len = (uint32_t)len;
	msg->addr = (uint64_t)(uintptr_t)s->memory;
	msg->pid = getpid();
}

static void serve_unexport(struct peer_state *s)
{
	bench_check(doca_mmap_destroy(s->map), "destroy the exported map");
	device_memory_free(s->memory_kind, s->memory, s->memory_len);
	doca_dev_close(s->dev);
}

static void serve_ring(struct peer_state *s, const struct peer_msg *msg)
{
	uint8_t *buf = bench_alloc(1, msg->size);
	enum raw_ring_use use = msg->op == PEER_RING_SINK ? RAW_RING_STREAM : RAW_RING_ONE_BY_ONE;
	struct raw_ring there, back;

	raw_ring_init(&there, &s->shared->there, msg->size, use);
	raw_ring_init(&back, &s->shared->back, msg->size, use);
	stand_ready(s);
	if (msg->op == PEER_RING_SINK)
		ring_sink(&there, buf, msg->n);
	else if (msg->kind)
		ring_echo_in_place(&there, &back, buf, msg->size, msg->n);
	else
		ring_echo(&there, &back, buf, msg->size, msg->n);
	free(buf);
}

static void serve_comch_open(struct peer_state *s, const struct peer_msg *msg)
{
	struct comch_end_spec spec = {.side = s->side,
				      .id = msg->pid,
				      .n_links = msg->n,
				      .max_msg = (uint32_t)msg->size,
				      .queue = (uint32_t)msg->queue,
				      .n_tasks = (uint32_t)msg->depth};

	s->end = comch_end_new(&spec, NULL);
}

static void serve_comch_connect(const struct peer_state *s)
{
	uint64_t deadline_ns = clock_now_ns() + CONNECT_LIMIT_NS;

	while (!comch_end_connect(s->end)) {
		if (clock_now_ns() > deadline_ns)
			bench_die("comch: no connection after 10 seconds, seen from the other "
				  "side");
	}
}

static void serve_comch(struct peer_state *s, const struct peer_msg *msg)
{
	comch_end_set_message(s->end, (uint32_t)msg->size, (uint32_t)msg->depth);
	stand_ready(s);
	if (msg->op == PEER_COMCH_ECHO)
		comch_end_echo(s->end, msg->n);
	else
		comch_end_sink(s->end, msg->n);
}

static void serve_clients_connect(struct peer_state *s, uint32_t which)
{
	uint64_t deadline_ns = clock_now_ns() + CLIENTS_LIMIT_NS;

	while (!clients_connect(s->groups[which])) {
		if (clock_now_ns() > deadline_ns)
			bench_die("comch: not all of many clients are connected, seen from the "
				  "other side");
	}
	clients_await_idle(s->groups[which]);
}

static void serve_clients(struct peer_state *s, const struct peer_msg *msg)
{
	stand_ready(s);
	if (msg->op == PEER_CLIENTS_RUN)
		clients_run(s->groups[msg->kind], msg->n);
	else
		clients_idle(s->groups[msg->kind], msg->n);
}

static void serve_sync_open(struct peer_state *s, const struct peer_msg *msg)
{
	if (s->sync == NULL)
		s->sync = sync_end_new(s->side, s->shared, s->bells);
	sync_end_import(s->sync, msg->kind, msg->payload, msg->payload_len);
}

static void serve_sync_run(struct peer_state *s, const struct peer_msg *msg)
{
	stand_ready(s);
	if (msg->depth)
		sync_end_run_raw(s->sync, (enum sync_wait_mode)msg->kind, false, msg->n);
	else
		sync_end_run(s->sync, (enum sync_wait_mode)msg->kind, false, msg->addr, msg->n);
}

static void serve_sync_close(struct peer_state *s)
{
	sync_end_delete(s->sync);
	s->sync = NULL;
}

static void serve_fast_open(struct peer_state *s, const struct peer_msg *msg)
{
	struct fast_end_spec spec = {.kind = (enum bench_transport)msg->kind,
				     .size = (uint32_t)msg->size,
				     .n_receives = (uint32_t)msg->n,
				     .n_tasks = (uint32_t)msg->depth};

	s->fast = fast_end_new(s->end, &spec);
}

static void serve_fast_ready(const struct peer_state *s, struct peer_msg *msg)
{
	uint64_t deadline_ns = clock_now_ns() + CONNECT_LIMIT_NS;

	while (!fast_end_ready(s->fast)) {
		if (clock_now_ns() > deadline_ns)
			bench_die("comch: no consumer after 10 seconds, seen from the other side");
	}
	msg->addr = (uint64_t)(uintptr_t)fast_end_memory(s->fast);
	msg->pid = getpid();
}

static void serve_fast(struct peer_state *s, const struct peer_msg *msg)
{
	stand_ready(s);
	if (msg->op == PEER_FAST_ECHO)
		fast_end_echo(s->fast, msg->n);
	else
		fast_end_sink(s->fast, msg->n);
}

static void serve_rdma_check(struct peer_msg *msg)
{
	char text[PEER_PAYLOAD_MAX] = "";

	rdma_end_why_not(text, sizeof(text));
	msg->payload_len = (uint32_t)strlen(text) + 1;
	memcpy(msg->payload, text, msg->payload_len);
}

static void serve_rdma_open(struct peer_state *s, struct peer_msg *msg)
{
	struct rdma_end_spec spec = {.is_verbs = msg->kind & 1,
				     .is_shared = msg->kind >> 1,
				     .size = (uint32_t)msg->size,
				     .depth = (uint32_t)msg->depth};
	uint8_t payload[RDMA_PAYLOAD_MAX];
	uint32_t len;

	s->rdma = rdma_end_new(&spec);
	if (s->rdma == NULL)
		bench_die("rdma: no device of side %s can do RDMA between processes",
			  bench_our_side());
	len = rdma_end_export(s->rdma, payload);
	rdma_end_connect(s->rdma, msg->payload, msg->payload_len);
	memcpy(msg->payload, payload, len);
	msg->payload_len = len;
	msg->addr = (uint64_t)(uintptr_t)rdma_end_inbox(s->rdma);
	msg->pid = getpid();
}

static void serve_rdma_open_raw(struct peer_state *s, struct peer_msg *msg)
{
	uint8_t payload[RDMA_PAYLOAD_MAX];
	char ibdev[64];
	uint32_t len;

	if (!rdma_end_find_ibdev(ibdev))
		bench_die("rdma: side %s has no RDMA device any more", bench_our_side());
	s->raw = raw_verbs_new(ibdev, (uint32_t)msg->size, (uint32_t)msg->depth);
	len = raw_verbs_export(s->raw, payload);
	raw_verbs_connect(s->raw, msg->payload, msg->payload_len);
	memcpy(msg->payload, payload, len);
	msg->payload_len = len;
}

static void serve_rdma_run(struct peer_state *s, const struct peer_msg *msg)
{
	stand_ready(s);
	if (msg->depth)
		raw_verbs_run(s->raw, (enum rdma_pattern)msg->kind, false, msg->n, NULL);
	else
		rdma_end_run(s->rdma, (enum rdma_pattern)msg->kind, false, msg->n, NULL);
}

static void serve_rdma_acknowledge(struct peer_state *s, const struct peer_msg *msg)
{
	struct peer_shared *shared = s->shared;

	stand_ready(s);
	for (uint64_t i = 1; i <= msg->n; i++) {
		while (atomic_load_explicit(&shared->ball, memory_order_acquire) != i)
			;
		atomic_store_explicit(&shared->word, (uint32_t)i, memory_order_release);
	}
}

static void serve_rdma_close(struct peer_state *s)
{
	rdma_end_delete(s->rdma);
	if (s->raw != NULL)
		raw_verbs_delete(s->raw);
	s->raw = NULL;
}

/* Returns true if the request was answered over the socket, and not by n_done. */
static bool serve(struct peer_state *s, struct peer_msg *msg)
{
	switch ((enum peer_op)msg->op) {
	case PEER_CANARY:
		stand_ready(s);
		bounce(s->shared);
		return false;
	case PEER_RING_ECHO:
	case PEER_RING_SINK:
		serve_ring(s, msg);
		return false;
	case PEER_COMCH_ECHO:
	case PEER_COMCH_SINK:
		serve_comch(s, msg);
		return false;
	case PEER_FAST_ECHO:
	case PEER_FAST_SINK:
		serve_fast(s, msg);
		return false;
	case PEER_EXPORT:
		serve_export(s, msg);
		return true;
	case PEER_UNEXPORT:
		serve_unexport(s);
		return true;
	case PEER_COMCH_OPEN:
		serve_comch_open(s, msg);
		return true;
	case PEER_COMCH_CONNECT:
		serve_comch_connect(s);
		return true;
	case PEER_COMCH_CLOSE:
		comch_end_delete(s->end);
		return true;
	case PEER_CLIENTS_OPEN:
		s->groups[msg->kind] = clients_new(s->side, msg->pid, msg->n);
		return true;
	case PEER_CLIENTS_CONNECT:
		serve_clients_connect(s, msg->kind);
		return true;
	case PEER_CLIENTS_RUN:
	case PEER_CLIENTS_IDLE:
		serve_clients(s, msg);
		return false;
	case PEER_CLIENTS_CLOSE:
		clients_delete(s->groups[msg->kind]);
		return true;
	case PEER_SYNC_OPEN:
		serve_sync_open(s, msg);
		return true;
	case PEER_SYNC_RUN:
		serve_sync_run(s, msg);
		return false;
	case PEER_SYNC_CLOSE:
		serve_sync_close(s);
		return true;
	case PEER_FAST_OPEN:
		serve_fast_open(s, msg);
		return true;
	case PEER_FAST_READY:
		serve_fast_ready(s, msg);
		return true;
	case PEER_FAST_CLOSE:
		fast_end_delete(s->fast);
		return true;
	case PEER_RDMA_CHECK:
		serve_rdma_check(msg);
		return true;
	case PEER_RDMA_OPEN:
		serve_rdma_open(s, msg);
		return true;
	case PEER_RDMA_OPEN_RAW:
		serve_rdma_open_raw(s, msg);
		return true;
	case PEER_RDMA_RUN:
		serve_rdma_run(s, msg);
		return false;
	case PEER_RDMA_ACKNOWLEDGE:
		serve_rdma_acknowledge(s, msg);
		return false;
	case PEER_RDMA_CLOSE:
		serve_rdma_close(s);
		return true;
	case PEER_OK:
		break;
	}
	bench_die("an unknown request");
}

static void peer_main(const struct peer *peer, int sock, enum bench_side side)
{
	struct peer_shared *shared = peer->shared;
	struct peer_state state = {
		.shared = shared, .side = side, .bells = {peer->bells[1], peer->bells[0]}};
	struct peer_msg msg;

	measure_pin(PEER_CORE);
	while (recv(sock, &msg, sizeof(msg), 0) == (ssize_t)sizeof(msg)) {
		if (!serve(&state, &msg)) {
			atomic_fetch_add_explicit(&shared->n_done, 1, memory_order_release);
			continue;
		}
		msg.op = PEER_OK;
		if (send(sock, &msg, sizeof(msg), MSG_NOSIGNAL) != (ssize_t)sizeof(msg))
			break;
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

/* Needed because a loop that spins on the child's word never checks the socket. */
static void on_child(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)context;
	child_has_ended(info);
}

/*
 * The socket closes before the child's exit status is available, and only the status shows whether
 * the child has printed a reason.
 */
static _Noreturn void child_is_gone(const struct peer *peer)
{
	siginfo_t info;

	while (waitid(P_PID, (id_t)peer->pid, &info, WEXITED | WNOWAIT) != 0) {
		if (errno != EINTR)
			bench_die("the other process is gone: %m");
	}
	child_has_ended(&info);
}

static void peer_become(const struct peer *peer, int sock, enum bench_side side,
			const char *socket_path, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	if (setenv("DOCOCORED_SOCKET", socket_path, 1) != 0 ||
	    setenv("DOCA_SIDE", bench_side_name(side), 1) != 0)
		bench_die("no memory");
	peer_main(peer, sock, side);
	exit(EXIT_SUCCESS);
}

void peer_start(struct peer *peer, enum bench_side side, const char *socket_path)
{
	struct sigaction action = {.sa_sigaction = on_child, .sa_flags = SA_NOCLDSTOP | SA_SIGINFO};
	pid_t parent = getpid();
	int socks[2], fd;

	fd = memfd_create_sealed("doca-bench", ALIGN_UP(sizeof(*peer->shared), memfd_page_size()));
	if (fd < 0)
		bench_die("cannot make shared memory: %s", strerror(-fd));
	*peer = (struct peer){.shared = memfd_map(fd, 0, sizeof(*peer->shared), true)};
	peer->bells[0] = eventfd(0, EFD_CLOEXEC);
	peer->bells[1] = eventfd(0, EFD_CLOEXEC);
	if (peer->shared == NULL || peer->bells[0] < 0 || peer->bells[1] < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
		bench_die("cannot prepare the other process: %m");
	close(fd);
	sigaction(SIGCHLD, &action, NULL);
	peer->pid = fork();
	if (peer->pid < 0)
		bench_die("cannot start the other process: %m");
	if (peer->pid == 0) {
		close(socks[0]);
		peer_become(peer, socks[1], side, socket_path, parent);
	}
	close(socks[1]);
	peer->sock = socks[0];
}

void peer_end(struct peer *peer)
{
	signal(SIGCHLD, SIG_DFL);
	close(peer->sock);
	close(peer->bells[0]);
	close(peer->bells[1]);
	while (waitpid(peer->pid, NULL, 0) < 0 && errno == EINTR)
		;
	memfd_unmap(peer->shared, sizeof(*peer->shared));
}

void peer_send(struct peer *peer, const struct peer_msg *msg)
{
	if (send(peer->sock, msg, sizeof(*msg), MSG_NOSIGNAL) != (ssize_t)sizeof(*msg))
		child_is_gone(peer);
}

static void receive(struct peer *peer, struct peer_msg *msg_out)
{
	ssize_t n = recv(peer->sock, msg_out, sizeof(*msg_out), 0);

	if (n <= 0)
		child_is_gone(peer);
	if (n != (ssize_t)sizeof(*msg_out))
		bench_die("the other process answers with %zd bytes instead of %zu", n,
			  sizeof(*msg_out));
}

void peer_call(struct peer *peer, struct peer_msg *msg)
{
	peer_send(peer, msg);
	receive(peer, msg);
}

bool peer_poll_answer(struct peer *peer, struct peer_msg *msg_out)
{
	struct pollfd pfd = {.fd = peer->sock, .events = POLLIN};

	if (poll(&pfd, 1, 0) <= 0)
		return false;
	receive(peer, msg_out);
	return true;
}

void peer_engage(struct peer *peer, const struct peer_msg *msg)
{
	peer_send(peer, msg);
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
	struct peer_msg msg = {.op = PEER_CANARY};
	uint64_t start_ns, now_ns, ball = 0;
	unsigned i;

	atomic_store_explicit(&shared->ball, 0, memory_order_relaxed);
	peer_engage(peer, &msg);
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
