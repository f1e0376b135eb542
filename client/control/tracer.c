/* Permission to copy private memory under Yama; see client/control/tracer.h. */
#include "client/control/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/control/rpc.h"
#include "client/control/session.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/str.h"

/* Connections that may be open at a time. The oldest that has proved nothing makes room. */
#define LEASES_MAX     64u
#define ASK_TIMEOUT_MS 2000
/* How long the thread accepts no importer after it could not, for lack of descriptors or memory. */
#define ACCEPT_PAUSE_MS 100
/* Importers that wait to be accepted. */
#define BACKLOG 64

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* The only message that an importer sends. */
struct tracer_request {
	char magic[8];
	uint8_t secret[TRACER_SECRET_LEN];
};

/* The answer. */
struct tracer_reply {
	int32_t error;  /* 0 or -errno; -EBUSY: another process is named */
	int32_t tracer; /* that process, as the exporter sees it */
};

static const char magic[8] = "dococ-t1";

/* A connection of an importer. */
struct lease {
	struct list node;
	const struct tracer_export *export;
	int fd;
	int pidfd; /* of the importer; -1 before Linux 6.5 */
	pid_t pid;
	bool is_proved;
};

/* Lock order: `life`, `lock`. */
static struct {
	pthread_mutex_t life; /* serialises starting and ending the thread */
	pthread_mutex_t lock; /* protects the members below */
	struct list exports, leases;
	unsigned n_listening, n_any, n_leases;
	pid_t tracer; /* the process that is named; 0: none */
	int epoll_fd, wake_fd;
	bool is_ending;
	pthread_t thread;
} permits = {
	.life = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.exports = LIST_INIT(permits.exports),
	.leases = LIST_INIT(permits.leases),
	.epoll_fd = -1,
	.wake_fd = -1,
};

__attribute__((weak)) enum yama_scope yama_scope(void)
{
	/* A kernel that was started without Yama stays so. */
	static _Atomic bool is_absent;
	CLEANUP_FD int fd = -1;
	char digit;

	if (atomic_load_explicit(&is_absent, memory_order_relaxed))
		return YAMA_NONE;
	fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		atomic_store_explicit(&is_absent, true, memory_order_relaxed);
	if (fd < 0 || read(fd, &digit, 1) != 1 || digit < '0' || digit > '3')
		return YAMA_NONE;
	return (enum yama_scope)(digit - '0');
}

/* --- policy --- */

static enum tracer_policy policy_of_daemon(void)
{
	unsigned policy;

	rpc_lock();
	policy = session_ptracer_locked();
	rpc_unlock();
	/* A value of a later version is not known to permit anything. */
	if (policy > TRACER_ANY)
		return TRACER_OFF;
	return policy == TRACER_UNSET ? TRACER_IMPORTER : (enum tracer_policy)policy;
}

enum tracer_policy tracer_policy_get(void)
{
	static const char *const names[] = {
		[TRACER_OFF] = "off", [TRACER_IMPORTER] = "importer", [TRACER_ANY] = "any"};
	const char *text = env_get(ENV_PTRACER);

	if (text == NULL || text[0] == '\0')
		return policy_of_daemon();
	for (unsigned i = TRACER_OFF; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i], text) == 0)
			return (enum tracer_policy)i;
	}
	sdk_warning("DOCOCORED_PTRACER=%.32s is none of off, importer and any; it counts as off",
		    text);
	return TRACER_OFF;
}

/* --- sockets --- */

/* The name lies in the abstract namespace, so nothing is left behind when the process ends. */
static socklen_t export_addr(uint64_t export_id, struct sockaddr_un *addr_out)
{
	*addr_out = (struct sockaddr_un){.sun_family = AF_UNIX};
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1u +
			   (unsigned)snprintf(
				   addr_out->sun_path + 1, sizeof(addr_out->sun_path) - 1,
				   "dococored/ptracer/%016llx", (unsigned long long)export_id));
}

static int export_listen(struct tracer_export *export)
{
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct epoll_event event = {.events = EPOLLIN};
	struct sockaddr_un addr;
	socklen_t len = export_addr(export->export_id, &addr);
	const int on = 1;

	event.data.fd = fd;
	/* Connections inherit the option: their packets name the process that sent them. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0 ||
	    bind(fd, (struct sockaddr *)&addr, len) < 0 || listen(fd, BACKLOG) < 0 ||
	    epoll_ctl(permits.epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return -errno;
	export->listen_fd = fd_steal(&fd);
	return 0;
}

/* --- the process that is named --- */

/* Names a process to the kernel. 0: none. Returns 0 or -errno. */
static int tracer_name_locked(pid_t pid)
{
	unsigned long tracer = permits.n_any > 0 ? PR_SET_PTRACER_ANY : (unsigned long)pid;

	if (prctl(PR_SET_PTRACER, tracer, 0, 0, 0) < 0)
		return -errno;
	permits.tracer = pid;
	return 0;
}

/* Returns whether the process that is named still imports. A child of it may keep its connection
 * open. */
static bool tracer_is_needed_locked(void)
{
	struct lease *lease;

	list_for_each(lease, &permits.leases, node)
	{
		if (lease->is_proved && lease->pid == permits.tracer &&
		    (lease->pidfd < 0 || !fd_pidfd_exited(lease->pidfd)))
			return true;
	}
	return false;
}

/* --- leases --- */

static void lease_free_locked(struct lease *lease)
{
	/* A close alone does not remove it from the set while a child has a copy. */
	(void)epoll_ctl(permits.epoll_fd, EPOLL_CTL_DEL, lease->fd, NULL);
	fd_close(&lease->fd);
	fd_close(&lease->pidfd);
	list_remove(&lease->node);
	permits.n_leases--;
	free(lease);
}

static void lease_end_locked(struct lease *lease)
{
	bool was_proved = lease->is_proved;

	lease_free_locked(lease);
	if (was_proved && permits.tracer != 0 && !tracer_is_needed_locked())
		(void)tracer_name_locked(0);
}

static struct lease *lease_oldest_unproved_locked(void)
{
	struct lease *lease;

	list_for_each(lease, &permits.leases, node)
	{
		if (!lease->is_proved)
			return lease;
	}
	return NULL;
}

/* Returns whether there is room for one more lease. */
static bool lease_make_room_locked(void)
{
	struct lease *lease;

	if (permits.n_leases < LEASES_MAX)
		return true;
	lease = lease_oldest_unproved_locked();
	if (lease != NULL)
		lease_free_locked(lease);
	return lease != NULL;
}

/* Returns the process that connected if the kernel could name it, or -errno. */
static pid_t lease_peer(int fd)
{
	struct ucred peer = {.pid = 0};
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return -errno;
	if (peer.uid != geteuid())
		return -EACCES;
	return peer.pid > 0 ? peer.pid : -EXDEV;
}

/* Opens a pidfd of the process that connected; -1 before Linux 6.5. Returns 0 or -errno: any other
 * error may mean that the process has ended. */
static int lease_peer_pidfd(int fd, int *pidfd_out)
{
	socklen_t len = sizeof(*pidfd_out);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, pidfd_out, &len) == 0)
		return 0;
	*pidfd_out = -1;
	return errno == ENOPROTOOPT ? 0 : -errno;
}

/* Takes the descriptor. Returns 0 or -errno. */
static int lease_new_locked(const struct tracer_export *export, int *fd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = *fd};
	pid_t pid = lease_peer(*fd);
	CLEANUP_FD int pidfd = -1;
	struct lease *lease;
	int r;

	if (pid < 0)
		return pid;
	r = lease_peer_pidfd(*fd, &pidfd);
	if (r < 0)
		return r;
	if (!lease_make_room_locked())
		return -EBUSY;
	lease = calloc(1, sizeof(*lease));
	if (lease == NULL)
		return -ENOMEM;
	if (epoll_ctl(permits.epoll_fd, EPOLL_CTL_ADD, *fd, &event) < 0) {
		free(lease);
		return -errno;
	}
	*lease = (struct lease){.export = export, .pid = pid, .pidfd = fd_steal(&pidfd)};
	lease->fd = fd_steal(fd);
	list_append(&permits.leases, &lease->node);
	permits.n_leases++;
	return 0;
}

static bool lease_proves(const struct lease *lease, const uint8_t *secret)
{
	bool proves = false;

	for (unsigned i = 0; i < lease->export->n_secrets; i++)
		proves |= str_equal_secret(lease->export->secrets[i], secret, TRACER_SECRET_LEN);
	return proves;
}

/* Names the importer, unless another one is named. Returns 0 or -errno. */
static int lease_grant_locked(struct lease *lease)
{
	int r;

	if (permits.tracer != 0 && permits.tracer != lease->pid && tracer_is_needed_locked())
		return -EBUSY;
	r = tracer_name_locked(lease->pid);
	if (r < 0)
		return r;
	lease->is_proved = true;
	/* If the importer has ended, its pid may be that of another process now. */
	if (lease->pidfd >= 0 && fd_pidfd_exited(lease->pidfd))
		return -ESRCH;
	sdk_info("process %d may trace this process while it imports private memory of it "
		 "(kernel.yama.ptrace_scope is 1); DOCOCORED_PTRACER=off forbids that",
		 (int)lease->pid);
	return 0;
}

static bool lease_reply(int fd, int error)
{
	const struct tracer_reply reply = {.error = error, .tracer = permits.tracer};

	return send(fd, &reply, sizeof(reply), MSG_DONTWAIT | MSG_NOSIGNAL) ==
	       (ssize_t)sizeof(reply);
}

/* Receives a packet, and the process that sent it; 0: unknown. Returns like recv(). */
static ssize_t lease_receive(int fd, struct tracer_request *request_out, pid_t *sender_out)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec packet = {request_out, sizeof(*request_out)};
	struct msghdr msg = {.msg_iov = &packet,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *cmsg = n < 0 ? NULL : CMSG_FIRSTHDR(&msg);
	struct ucred sender;

	*sender_out = 0;
	if (cmsg == NULL || cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_CREDENTIALS ||
	    cmsg->cmsg_len != CMSG_LEN(sizeof(sender)))
		return n;
	memcpy(&sender, CMSG_DATA(cmsg), sizeof(sender));
	*sender_out = sender.pid;
	return n;
}

/* Reads a packet of the importer. Returns false if the lease has ended. */
static bool lease_serve_locked(struct lease *lease)
{
	struct tracer_request request;
	int r = -EACCES;
	pid_t sender;
	ssize_t n = lease_receive(lease->fd, &request, &sender);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n != (ssize_t)sizeof(request) || lease->is_proved ||
	    memcmp(request.magic, magic, sizeof(magic)) != 0)
		return false;
	/* The process that connected may have passed the connection on. If it has ended, its pid
	 * may be that of a process that never asked. */
	if (sender == lease->pid && lease_proves(lease, request.secret))
		r = lease_grant_locked(lease);
	explicit_bzero(&request, sizeof(request));
	return lease_reply(lease->fd, r) && r == 0;
}

/* --- the thread --- */

/* Returns false if the importer still waits, because descriptors or memory are exhausted. */
static bool accept_locked(const struct tracer_export *export)
{
	CLEANUP_FD int fd = accept4(export->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	int r;

	if (fd < 0)
		return errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS;
	r = lease_new_locked(export, &fd);
	if (r < 0)
		(void)lease_reply(fd, r);
	return true;
}

/* Events name descriptors, which the owner of an export may have closed in between. Returns false
 * if the same event comes again at once. */
static bool event_handle_locked(int fd)
{
	struct tracer_export *export;
	struct lease *lease;

	list_for_each(export, &permits.exports, node)
	{
		if (export->listen_fd == fd)
			return accept_locked(export);
	}
	list_for_each(lease, &permits.leases, node)
	{
		if (lease->fd != fd)
			continue;
		if (!lease_serve_locked(lease))
			lease_end_locked(lease);
		break;
	}
	return true;
}

static void *permits_main(void *arg)
{
	struct pollfd wake = {.fd = permits.wake_fd, .events = POLLIN};
	bool is_ending = false;

	while (!is_ending) {
		bool is_exhausted = false;
		struct epoll_event events[16];
		int n = epoll_wait(permits.epoll_fd, events, ARRAY_LEN(events), -1);

		/* The program may have closed descriptors that are not its own. */
		if (n < 0 && errno != EINTR)
			break;
		pthread_mutex_lock(&permits.lock);
		for (int i = 0; i < n; i++)
			is_exhausted |= !event_handle_locked(events[i].data.fd);
		is_ending = permits.is_ending;
		pthread_mutex_unlock(&permits.lock);
		/* The listener stays readable, so the next wait would end at once. */
		if (is_exhausted && !is_ending)
			(void)poll(&wake, 1, ACCEPT_PAUSE_MS);
	}
	return arg;
}

/* --- forks --- */

static void fork_prepare(void)
{
	pthread_mutex_lock(&permits.lock);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&permits.lock);
}

/* The parent's sockets, and the importers that it named, are its own. */
static void fork_child(void)
{
	struct tracer_export *export, *next;
	struct lease *lease, *tmp;

	list_for_each_safe(lease, tmp, &permits.leases, node)
	{
		fd_close(&lease->fd);
		fd_close(&lease->pidfd);
		list_remove(&lease->node);
		free(lease);
	}
	list_for_each_safe(export, next, &permits.exports, node)
	{
		fd_close(&export->listen_fd);
		list_remove(&export->node);
	}
	fd_close(&permits.epoll_fd);
	fd_close(&permits.wake_fd);
	permits.n_listening = permits.n_any = permits.n_leases = 0;
	permits.tracer = 0;
	pthread_mutex_init(&permits.life, NULL);
	pthread_mutex_init(&permits.lock, NULL);
}

static void watch_forks(void)
{
	(void)pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* --- starting and ending --- */

static void thread_fds_close(void)
{
	fd_close(&permits.epoll_fd);
	fd_close(&permits.wake_fd);
}

static int thread_start(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	sigset_t all, before;
	int r;

	permits.is_ending = false;
	permits.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	permits.wake_fd = fd_eventfd();
	event.data.fd = permits.wake_fd;
	if (permits.epoll_fd < 0 || permits.wake_fd < 0 ||
	    epoll_ctl(permits.epoll_fd, EPOLL_CTL_ADD, permits.wake_fd, &event) < 0) {
		thread_fds_close();
		return -EMFILE;
	}
	/* Blocks all signals on this thread: they are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&permits.thread, NULL, permits_main, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r < 0)
		thread_fds_close();
	return r;
}

static void thread_end(void)
{
	pthread_mutex_lock(&permits.lock);
	permits.is_ending = true;
	fd_eventfd_ring(permits.wake_fd);
	pthread_mutex_unlock(&permits.lock);
	pthread_join(permits.thread, NULL);
	thread_fds_close();
}

static int start_listening(struct tracer_export *export)
{
	int r = 0;

	pthread_mutex_lock(&permits.life);
	if (permits.n_listening == 0)
		r = thread_start();
	if (r == 0) {
		pthread_mutex_lock(&permits.lock);
		r = export_listen(export);
		if (r == 0) {
			list_append(&permits.exports, &export->node);
			permits.n_listening++;
		}
		pthread_mutex_unlock(&permits.lock);
		if (permits.n_listening == 0)
			thread_end();
	}
	pthread_mutex_unlock(&permits.life);
	return r;
}

static int start_any(struct tracer_export *export)
{
	int r;

	pthread_mutex_lock(&permits.lock);
	permits.n_any++;
	r = tracer_name_locked(permits.tracer);
	if (r < 0)
		permits.n_any--;
	pthread_mutex_unlock(&permits.lock);
	export->is_any = r == 0;
	return r;
}

int tracer_export_start(struct tracer_export *export, enum tracer_policy policy, uint64_t export_id,
			const uint8_t *secret, const uint8_t *pass_on)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int r;

	*export = (struct tracer_export){.listen_fd = -1, .export_id = export_id};
	list_init(&export->node);
	if (policy == TRACER_OFF || yama_scope() != YAMA_NAMED)
		return 0;
	pthread_once(&once, watch_forks);
	export->secrets[export->n_secrets++] = secret;
	if (pass_on != NULL)
		export->secrets[export->n_secrets++] = pass_on;
	r = policy == TRACER_ANY ? start_any(export) : start_listening(export);
	if (r == 0)
		export->pid = getpid();
	return r;
}

static void export_revoke_locked(struct tracer_export *export)
{
	struct lease *lease, *tmp;

	export->n_secrets = 0;
	list_for_each_safe(lease, tmp, &permits.leases, node)
	{
		if (lease->export == export)
			lease_end_locked(lease);
	}
	if (export->listen_fd >= 0)
		(void)epoll_ctl(permits.epoll_fd, EPOLL_CTL_DEL, export->listen_fd, NULL);
	fd_close(&export->listen_fd);
	if (export->is_any && --permits.n_any == 0)
		(void)tracer_name_locked(permits.tracer);
	export->is_any = false;
}

void tracer_export_revoke(struct tracer_export *export)
{
	if (export->pid != getpid())
		return;
	pthread_mutex_lock(&permits.lock);
	export_revoke_locked(export);
	pthread_mutex_unlock(&permits.lock);
}

void tracer_export_stop(struct tracer_export *export)
{
	bool was_listening;

	if (export->pid != getpid())
		return;
	export->pid = 0;
	pthread_mutex_lock(&permits.life);
	pthread_mutex_lock(&permits.lock);
	was_listening = !list_is_empty(&export->node);
	export_revoke_locked(export);
	list_remove(&export->node);
	pthread_mutex_unlock(&permits.lock);
	if (was_listening && --permits.n_listening == 0)
		thread_end();
	pthread_mutex_unlock(&permits.life);
}

/* --- the importer --- */

static int ask_refuse(int error, const char *why, char reason[TRACER_REASON_MAX])
{
	snprintf(reason, TRACER_REASON_MAX, "%s", why);
	return error;
}

/* Checks that the exporting process listens, not another one that took the name. */
static bool ask_is_exporter(int fd, pid_t pid)
{
	struct ucred peer = {.pid = 0};
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.pid == pid &&
	       peer.uid == geteuid();
}

/* Waits for the answer. Returns 0 or -errno. */
static int ask_receive(int fd, struct tracer_reply *reply_out)
{
	uint64_t until_ns = clock_now_ns() + ASK_TIMEOUT_MS * NS_PER_MS;
	struct pollfd answer = {.fd = fd, .events = POLLIN};
	bool was_reset = false;

	for (;;) {
		ssize_t n = recv(fd, reply_out, sizeof(*reply_out), MSG_DONTWAIT);
		uint64_t now_ns = clock_now_ns();

		if (n == (ssize_t)sizeof(*reply_out))
			return 0;
		/* An exporter that refuses hangs up without reading; its answer comes after that
		 * error. */
		if (n < 0 && errno == ECONNRESET && !was_reset) {
			was_reset = true;
			continue;
		}
		if (n >= 0 || (errno != EAGAIN && errno != EINTR))
			return n >= 0 ? -EPROTO : -errno;
		if (now_ns >= until_ns)
			return -ETIMEDOUT;
		(void)poll(&answer, 1, (int)((until_ns - now_ns) / NS_PER_MS) + 1);
	}
}

static int ask_explain(int error, const struct tracer_reply *reply, char reason[TRACER_REASON_MAX])
{
	if (error == -EBUSY) {
		snprintf(reason, TRACER_REASON_MAX,
			 "kernel.yama.ptrace_scope is 1, and the exporter permits process %d "
			 "already; set DOCOCORED_PTRACER=any there, or share the memory "
			 "(dococ_mem_alloc)",
			 (int)reply->tracer);
		return error;
	}
	if (error == -EXDEV)
		return ask_refuse(error,
				  "this process is in another container (pid namespace) than the "
				  "exporter; run both in one, or share the memory "
				  "(dococ_mem_alloc)",
				  reason);
	if (error == -ETIMEDOUT)
		return ask_refuse(error, "the exporter's process does not answer; is it stopped?",
				  reason);
	snprintf(reason, TRACER_REASON_MAX,
		 "kernel.yama.ptrace_scope is 1, and the exporter does not permit this process "
		 "(%s); import again",
		 strerror(-error));
	return error;
}

/* Connects to the exporter's socket. Waits at most 2 s for room in its queue. Returns a descriptor
 * or -errno. */
static int ask_connect(uint64_t export_id)
{
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	const struct timeval limit = {.tv_sec = ASK_TIMEOUT_MS / 1000};
	struct sockaddr_un addr;
	socklen_t len = export_addr(export_id, &addr);
	int r;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0)
		return -errno;
	do {
		r = connect(fd, (struct sockaddr *)&addr, len);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : fd_steal(&fd);
}

int tracer_ask(pid_t pid, uint64_t export_id, const uint8_t *secret, char reason[TRACER_REASON_MAX])
{
	CLEANUP_FD int fd = ask_connect(export_id);
	struct tracer_request request;
	struct tracer_reply reply = {.error = 0};
	ssize_t n;
	int r, error;

	if (fd == -EAGAIN)
		return ask_explain(-ETIMEDOUT, &reply, reason);
	if (fd < 0 || !ask_is_exporter(fd, pid))
		return ask_refuse(-EPERM,
				  "kernel.yama.ptrace_scope is 1, and the exporter permits no "
				  "copies; set DOCOCORED_PTRACER=importer there, or share the "
				  "memory (dococ_mem_alloc)",
				  reason);
	memcpy(request.magic, magic, sizeof(magic));
	memcpy(request.secret, secret, TRACER_SECRET_LEN);
	n = send(fd, &request, sizeof(request), MSG_DONTWAIT | MSG_NOSIGNAL);
	error = errno;
	explicit_bzero(&request, sizeof(request));
	/* If the exporter has hung up already, it has left an answer. */
	r = n == (ssize_t)sizeof(request) || error == EPIPE || error == ECONNRESET
		    ? ask_receive(fd, &reply)
		    : -error;
	if (r == 0)
		r = reply.error;
	if (r != 0)
		return ask_explain(r < 0 ? r : -EPROTO, &reply, reason);
	return fd_steal(&fd);
}
