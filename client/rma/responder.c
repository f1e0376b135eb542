/* Responders; see client/rma/responder.h. */
#include "client/rma/responder_internal.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <doca_types.h>
#include <dococ.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/control/session.h"
#include "client/memory/mem_key.h"
#include "client/rma/rendezvous.h"
#include "util/clock.h"
#include "util/fd.h"

/* The most importers' contexts that are connected at a time, over all processes. */
#define RESPONDER_MAX_QPS 256u
#define RESPONDER_MTU     4096u
/* The pause between two searches for a daemon that has the endpoint; it doubles up to 5 s. */
#define SEARCH_PAUSE_NS     (200ull * 1000 * 1000)
#define SEARCH_PAUSE_MAX_NS (5 * NS_PER_SEC)
/* The interval of checks for hang-ups, while acknowledgements to importers are still being sent. */
#define DRAIN_CHECK_MS 5
/* Stands for the session's connection in epoll data, because its descriptor number may be
 * reused. */
#define SESSION_FD (-1)

/* A queue pair of an importer. */
struct link {
	struct list node;
	struct rdma_qp *qp;
	uint64_t call_id; /* 0: unknown to the daemons; freed when room is needed */
};

static pthread_mutex_t responders_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list responders = LIST_INIT(responders);
/* Signalled when a responder has been opened or closed. */
static pthread_cond_t responders_changed;

static void changed_init(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&responders_changed, &attr);
	pthread_condattr_destroy(&attr);
}

/* Resets the state in a forked child. The threads are the parent's, and one of them may have held
 * the lock. */
static void responders_in_child(void)
{
	pthread_mutex_init(&responders_lock, NULL);
	changed_init();
	list_init(&responders);
}

static void responders_init(void)
{
	changed_init();
	(void)pthread_atfork(NULL, NULL, responders_in_child);
}

/* --- links --- */

static void link_free(struct responder *responder, struct link *link)
{
	responder->ops->qp_free(link->qp);
	list_remove(&link->node);
	free(link);
}

static struct link *link_find(struct responder *responder, uint64_t call_id)
{
	struct link *link;

	list_for_each(link, &responder->links, node)
	{
		if (link->call_id == call_id)
			return link;
	}
	return NULL;
}

static struct link *link_find_qp(struct responder *responder, const struct rdma_qp *qp)
{
	struct link *link;

	list_for_each(link, &responder->links, node)
	{
		if (link->qp == qp)
			return link;
	}
	return NULL;
}

static doca_error_t qp_make(struct responder *responder, struct rdma_qp **qp_out)
{
	doca_error_t result = responder->ops->qp_new(responder->domain, NULL, qp_out);
	struct link *link;

	if (result != DOCA_ERROR_FULL)
		return result;
	link = link_find(responder, 0);
	if (link == NULL)
		return result;
	link_free(responder, link);
	return responder->ops->qp_new(responder->domain, NULL, qp_out);
}

/* Connects before it answers, so that this end is ready when the other end posts. */
static doca_error_t link_make(struct responder *responder, uint64_t call_id,
			      const struct rdma_params *other)
{
	struct rdma_params own;
	struct link *link;
	doca_error_t result;

	if (responder->domain == NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "export: an importer wants a queue pair, and here is no RDMA "
				 "device");
	link = calloc(1, sizeof(*link));
	if (link == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "export: out of memory for a queue pair");
	result = qp_make(responder, &link->qp);
	if (result != DOCA_SUCCESS) {
		free(link);
		return result;
	}
	link->call_id = call_id;
	list_append(&responder->links, &link->node);
	result = rdma_qp_get_params(link->qp, &own);
	if (result == DOCA_SUCCESS)
		result = responder->ops->qp_connect(link->qp, other->bytes, other->len);
	if (result == DOCA_SUCCESS)
		result = rendezvous_accept(&responder->rendezvous, call_id, own.bytes, own.len);
	if (result != DOCA_SUCCESS)
		link_free(responder, link);
	return result;
}

static doca_error_t call_accept(struct responder *responder, uint64_t call_id)
{
	struct rdma_params other;
	doca_error_t result = rendezvous_fetch_params(&responder->rendezvous, call_id, &other);

	if (result != DOCA_SUCCESS)
		return result;
	return other.is_relay ? responder_stream_make(responder, call_id, &other)
			      : link_make(responder, call_id, &other);
}

static void call_ended(struct responder *responder, uint64_t call_id, uint32_t code)
{
	struct relay_link *stream = responder_stream_find(responder, call_id);
	struct link *link = link_find(responder, call_id);

	if (stream != NULL)
		responder_stream_end(responder, stream);
	if (link == NULL)
		return;
	if (code == DOCA_ERROR_NOT_CONNECTED)
		link->call_id = 0;
	else
		link_free(responder, link);
}

/* --- events, on the thread --- */

/* Makes the export inaccessible to relayed copies and RDMA devices. The lock is held. */
static void served_end(struct served_export *served)
{
	struct export *export = served->export;

	if (served->relayed.export_id != 0)
		relay_export_end(&served->relayed);
	if (export->mem_key != NULL)
		export->mem_key->free(export->mem_key);
	export->mem_key = NULL;
}

/* Like export_end(), when somebody other than the owner ends the export. */
static void served_lose(struct served_export *served)
{
	struct export *export = served->export;

	served_end(served);
	if (export->revoked != NULL)
		export->revoked(export->rung_arg);
}

static void on_revoked(struct responder *responder, uint64_t export_id)
{
	struct served_export *served;

	pthread_mutex_lock(&responder->lock);
	list_for_each(served, &responder->exports, node)
	{
		if (served->export->export_id == export_id)
			served_lose(served);
	}
	pthread_mutex_unlock(&responder->lock);
}

static void on_event(struct responder *responder, const struct event *event)
{
	doca_error_t result;

	if (event->type == EVENT_EXPORT_REVOKED) {
		on_revoked(responder, event->id);
	} else if (event->type == EVENT_RDMA_REQUESTED && event->id != 0) {
		result = call_accept(responder, event->id);
		if (result != DOCA_SUCCESS)
			rendezvous_refuse(&responder->rendezvous, event->id,
					  result == DOCA_ERROR_FULL
						  ? DOCA_ERROR_FULL
						  : DOCA_ERROR_CONNECTION_ABORTED);
	} else if (event->type == EVENT_RDMA_GONE && event->id != 0) {
		call_ended(responder, event->id, event->code);
	}
}

/* Called on any thread with the session's lock held. */
static void on_disconnect(struct session_item *item)
{
	struct responder *responder = container_of(item, struct responder, rendezvous.item);

	atomic_store(&responder->is_disconnected, true);
	fd_eventfd_ring(responder->rendezvous.events.eventfd);
}

/*
 * Watches the session's connection. The program may never call the library again, so this thread
 * must notice the end of a daemon. A daemon that resumes the session keeps the connection and the
 * endpoint.
 */
static int session_watch(struct responder *responder)
{
	struct epoll_event event = {.events = EPOLLET, .data.fd = SESSION_FD};
	int fd, r = 0;

	rpc_lock();
	responder->rendezvous.item.on_disconnect = on_disconnect;
	fd = rpc_fd_locked();
	if (fd < 0)
		atomic_store(&responder->is_disconnected, true);
	else if (epoll_ctl(responder->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 && errno != EEXIST)
		r = -errno;
	rpc_unlock();
	return r;
}

static doca_error_t responder_open_rendezvous(struct responder *responder)
{
	doca_error_t result = rendezvous_open(&responder->rendezvous, responder->dev, true, true,
					      responder->domain == NULL);
	int r;

	if (result != DOCA_SUCCESS)
		return result;
	/* Never read, because the daemon shares the eventfd. */
	r = responder_watch(responder, responder->rendezvous.events.eventfd, EPOLLIN | EPOLLET);
	if (r == 0)
		r = session_watch(responder);
	if (r == 0)
		return DOCA_SUCCESS;
	rendezvous_close(&responder->rendezvous);
	return error_set(error_from_errno(r),
			 "export: the rendezvous endpoint cannot be watched (error %d)", -r);
}

/* Ends the exports that the current daemon refused to register again. */
static void exports_check(struct responder *responder)
{
	struct served_export *served;

	pthread_mutex_lock(&responder->lock);
	list_for_each(served, &responder->exports, node)
	{
		enum export_state state = export_get_state(served->export, false);

		if (state == EXPORT_UNKNOWN)
			break;
		if (state == EXPORT_DEAD)
			served_lose(served);
	}
	pthread_mutex_unlock(&responder->lock);
}

/* Registers with a daemon that does not know this process. Returns false if it has no
 * endpoint yet. */
static bool responder_reopen_rendezvous(struct responder *responder)
{
	doca_error_t result;
	struct link *link;

	list_for_each(link, &responder->links, node) link->call_id = 0;
	responder_streams_end(responder);
	rendezvous_close(&responder->rendezvous);
	result = responder_open_rendezvous(responder);
	/* Revocations from here on are reported by events. */
	exports_check(responder);
	return result == DOCA_SUCCESS;
}

/* Returns true if the current daemon has the endpoint. */
static bool responder_find_daemon(struct responder *responder)
{
	struct rendezvous *rendezvous = &responder->rendezvous;
	doca_error_t result;

	if (rendezvous->is_open && !atomic_load(&rendezvous->is_lost)) {
		rpc_lock();
		result = session_ensure_locked();
		rpc_unlock();
		if (result != DOCA_SUCCESS)
			return false;
	}
	if (rendezvous->is_open && !atomic_load(&rendezvous->is_lost))
		return session_watch(responder) == 0;
	return responder_reopen_rendezvous(responder);
}

static void responder_search_daemon(struct responder *responder)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns < responder->search_ns)
		return;
	/* Only the first failure is logged; later attempts are silent. */
	error_mute(responder->pause_ns != 0);
	responder->is_orphaned = !responder_find_daemon(responder);
	error_mute(false);
	responder->pause_ns = responder->is_orphaned
				      ? MIN(MAX(2 * responder->pause_ns, SEARCH_PAUSE_NS),
					    SEARCH_PAUSE_MAX_NS)
				      : 0;
	responder->search_ns = clock_now_ns() + responder->pause_ns;
}

/* Returns the time that the thread may sleep, in ms. */
static int responder_sleep_timeout(const struct responder *responder)
{
	return responder->is_orphaned ? clock_poll_timeout(responder->search_ns) : -1;
}

/* Handles a ring by an importer, which names an export by the low half of its id. A wrong id is
 * ignored. */
static void on_rung(struct responder *responder, uint32_t ring)
{
	struct served_export *served;

	pthread_mutex_lock(&responder->lock);
	list_for_each(served, &responder->exports, node)
	{
		const struct export *export = served->export;

		if ((uint32_t) export->export_id == ring && export->rung != NULL)
			export->rung(export->rung_arg);
	}
	pthread_mutex_unlock(&responder->lock);
}

static void recv_post(const struct responder *responder, struct rdma_wr *wr)
{
	*wr = (struct rdma_wr){.op = RDMA_RECV};
	/* Posting fails only if the device was removed. */
	(void)responder->ops->post_recv(responder->domain, wr);
}

/* Returns true if there may be more to do. Limits the work per call, so that an importer that rings
 * without end cannot block the others. */
static bool domain_work(struct responder *responder)
{
	struct rdma_event domain_event;
	struct rdma_wr *wr;
	struct link *link;
	unsigned n;

	while (responder->ops->next_event(responder->domain, &domain_event)) {
		if (domain_event.type != RDMA_QP_BROKEN && domain_event.type != RDMA_QP_FAILED &&
		    domain_event.type != RDMA_QP_DISCONNECTED)
			continue;
		link = link_find_qp(responder, domain_event.qp);
		if (link == NULL)
			continue;
		if (link->call_id != 0)
			rendezvous_hang_up(&responder->rendezvous, link->call_id);
		link_free(responder, link);
	}
	for (n = 0; n < RESPONDER_RECVS; n++) {
		wr = responder->ops->poll(responder->domain);
		if (wr == NULL)
			return false;
		if (wr->status == DOCA_SUCCESS && wr->received_as == RDMA_WRITE_IMM)
			on_rung(responder, be32toh(wr->imm));
		recv_post(responder, wr);
	}
	return true;
}

/* Returns true if there is more to do. */
static bool responder_work(struct responder *responder)
{
	struct rendezvous *rendezvous = &responder->rendezvous;
	struct event event;
	bool is_disconnected = atomic_exchange(&responder->is_disconnected, false), has_more;

	/* A failed attempt of this thread sets is_disconnected too; it must not shorten the pause
	 * before the next one. */
	if (atomic_load(&rendezvous->is_lost) || (is_disconnected && !responder->is_orphaned)) {
		responder->is_orphaned = true;
		responder->search_ns = 0;
	}
	if (responder->is_orphaned)
		responder_search_daemon(responder);
	while (rendezvous->is_open && event_reader_pop(&rendezvous->events, &event) == 1)
		on_event(responder, &event);
	has_more = responder->domain != NULL && domain_work(responder);
	return responder_streams_serve(responder) || has_more;
}

/* --- closing --- */

static bool links_are_called(const struct responder *responder)
{
	const struct link *link;

	list_for_each(link, &responder->links, node)
	{
		if (link->call_id != 0)
			return true;
	}
	return false;
}

/*
 * Waits for importers to hang up before the queue pairs are closed. An importer may lack the
 * acknowledgement of its last request, because a program may stop as soon as it sees the data.
 * Importers that have hung up have it.
 */
static void links_await_drain(struct responder *responder)
{
	struct rendezvous *rendezvous = &responder->rendezvous;
	struct pollfd pause = {.fd = -1};
	struct rdma_event domain_event;
	struct event event;
	struct link *link;

	list_for_each(link, &responder->links, node)
	{
		if (link->call_id != 0)
			(void)responder->ops->qp_disconnect(link->qp);
	}
	while (links_are_called(responder) && rdma_domain_is_draining(responder->domain)) {
		while (rendezvous->is_open && event_reader_pop(&rendezvous->events, &event) == 1) {
			if (event.type == EVENT_RDMA_GONE && event.id != 0)
				call_ended(responder, event.id, event.code);
		}
		while (responder->ops->next_event(responder->domain, &domain_event))
			continue;
		(void)poll(&pause, 1, DRAIN_CHECK_MS);
	}
}

static void *responder_main(void *arg)
{
	struct responder *responder = arg;
	struct rendezvous *rendezvous = &responder->rendezvous;
	struct epoll_event event;
	bool has_work;
	int n;

	session_on_own_thread();
	for (;;) {
		has_work = responder_work(responder);
		has_work |= rendezvous->is_open && event_reader_arm(&rendezvous->events);
		has_work |= responder_streams_arm(responder);
		has_work |= atomic_load(&rendezvous->is_lost) ||
			    atomic_load(&responder->is_disconnected);
		if (responder->domain != NULL)
			has_work |= responder->ops->arm(responder->domain);
		n = epoll_wait(responder->epoll_fd, &event, 1,
			       has_work ? 0 : responder_sleep_timeout(responder));
		if (n < 0 && errno != EINTR)
			return NULL;
		if (n > 0 && event.data.fd == responder->stop_fd)
			break;
		if (n > 0 && event.data.fd == SESSION_FD)
			atomic_store(&responder->is_disconnected, true);
		else if (n > 0)
			responder_streams_lose(responder, event.data.fd);
		responder_streams_disarm(responder);
		if (responder->domain != NULL)
			responder->ops->disarm(responder->domain);
		if (rendezvous->is_open)
			event_reader_disarm(&rendezvous->events);
	}
	if (responder->domain != NULL && !atomic_load(&responder->ends_async))
		links_await_drain(responder);
	return NULL;
}

/* --- opening --- */

static doca_error_t domain_open(struct responder *responder)
{
	struct rdma_conf conf = {
		.send_queue = 1,
		.max_send_sges = 1,
		.max_recv_sges = 1,
		/* The rights are those of each export's key. */
		.permissions = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |
			       DOCA_ACCESS_FLAG_RDMA_ATOMIC,
		.mtu = RESPONDER_MTU,
		.grh = true,
	};
	const struct doca_devinfo *info = responder->dev->info;
	struct rdma_limits limits;
	doca_error_t result;

	/* Queue pairs serve importers with an RDMA device. For others the daemons relay. */
	if (!mem_keys_serve(info) && !env_wants_verbs())
		return DOCA_SUCCESS;
	responder->ops = rdma_provider_find(info, &limits);
	if (responder->ops == NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED, "export: %s has no RDMA", info->name);
	conf.max_qps = MIN(limits.max_qps, RESPONDER_MAX_QPS);
	conf.gid_index = rdma_provider_choose_gid(responder->ops, info, &limits);
	conf.recv_queue = MIN(limits.max_recv_queue, RESPONDER_RECVS);
	result = responder->ops->open(responder->dev, &conf, &responder->domain);
	for (uint32_t i = 0; i < conf.recv_queue && result == DOCA_SUCCESS; i++)
		recv_post(responder, &responder->recvs[i]);
	if (result == DOCA_SUCCESS || env_wants_verbs())
		return result;
	sdk_warning("export: RDMA devices of other machines do not reach what is exported on %s: "
		    "%s",
		    info->name, dococ_last_error());
	responder->domain = NULL;
	return DOCA_SUCCESS;
}

static doca_error_t thread_start(struct responder *responder)
{
	sigset_t all, before;
	int r;

	r = responder_watch(responder, responder->stop_fd, EPOLLIN);
	if (r == 0 && responder->domain != NULL)
		r = responder_watch(responder, responder->ops->get_fd(responder->domain),
				    EPOLLIN | EPOLLET);
	if (r == 0) {
		/* Blocks all signals on this thread: they are for the application's threads. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		r = -pthread_create(&responder->thread, NULL, responder_main, responder);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	if (r < 0)
		return error_set(error_from_errno(r),
				 "export: the thread that serves other machines cannot be "
				 "started (error %d)",
				 -r);
	responder->has_thread = true;
	return DOCA_SUCCESS;
}

static void responder_close(struct responder *responder)
{
	if (responder->has_thread) {
		(void)eventfd_write(responder->stop_fd, 1);
		pthread_join(responder->thread, NULL);
	}
	rendezvous_close(&responder->rendezvous);
	while (!list_is_empty(&responder->links))
		link_free(responder, list_entry(responder->links.next, struct link, node));
	responder_streams_end(responder);
	responder_streams_free_ended(responder);
	if (responder->domain != NULL)
		responder->ops->close(responder->domain);
	fd_close(&responder->stop_fd);
	fd_close(&responder->epoll_fd);
	pthread_mutex_destroy(&responder->lock);
}

static struct responder *responder_new(struct doca_dev *dev)
{
	struct responder *responder = calloc(1, sizeof(*responder));

	if (responder == NULL)
		return NULL;
	responder->dev = dev;
	pthread_mutex_init(&responder->lock, NULL);
	list_init(&responder->exports);
	list_init(&responder->links);
	list_init(&responder->streams);
	list_init(&responder->ended);
	responder->relayed.lock = &responder->lock;
	list_init(&responder->relayed.all);
	list_init(&responder->rendezvous.item.node);
	responder->epoll_fd = responder->stop_fd = -1;
	return responder;
}

/* On failure the caller closes the responder. */
static doca_error_t responder_open(struct responder *responder)
{
	doca_error_t result;

	responder->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	responder->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (responder->epoll_fd < 0 || responder->stop_fd < 0)
		return error_set(error_from_errno(-errno),
				 "export: no descriptors to serve other machines: %m");
	result = domain_open(responder);
	if (result == DOCA_SUCCESS)
		result = responder_open_rendezvous(responder);
	return result == DOCA_SUCCESS ? thread_start(responder) : result;
}

static struct responder *responder_find(const struct doca_dev *dev)
{
	struct responder *responder;

	list_for_each(responder, &responders, node)
	{
		if (responder->dev == dev)
			return responder;
	}
	return NULL;
}

/* Closes the responder without the lock of the list, because that calls the daemon or waits for
 * importers. */
static void responder_end_locked(struct responder *responder)
{
	responder->is_changing = true;
	pthread_mutex_unlock(&responders_lock);
	responder_close(responder);
	pthread_mutex_lock(&responders_lock);
	list_remove(&responder->node);
	free(responder);
	pthread_cond_broadcast(&responders_changed);
}

static doca_error_t responder_make_locked(struct doca_dev *dev, struct responder **responder_out)
{
	struct responder *responder = responder_new(dev);
	doca_error_t result;

	if (responder == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "export: out of memory");
	responder->is_changing = true;
	list_append(&responders, &responder->node);
	pthread_mutex_unlock(&responders_lock);
	result = responder_open(responder);
	pthread_mutex_lock(&responders_lock);
	if (result != DOCA_SUCCESS) {
		responder_end_locked(responder);
		return result;
	}
	responder->is_changing = false;
	pthread_cond_broadcast(&responders_changed);
	*responder_out = responder;
	return DOCA_SUCCESS;
}

/* Returns the device's responder, opening one if needed: the daemon accepts one per device at a
 * time. If another thread is opening or closing it, waits at most RPC_TIMEOUT_NS. */
static doca_error_t responder_get_locked(struct doca_dev *dev, struct responder **responder_out)
{
	const uint64_t until_ns = clock_now_ns() + RPC_TIMEOUT_NS;
	const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_SEC),
				       .tv_nsec = (long)(until_ns % NS_PER_SEC)};
	struct responder *responder;
	int r = 0;

	while ((responder = responder_find(dev)) != NULL && responder->is_changing && r == 0)
		r = pthread_cond_timedwait(&responders_changed, &responders_lock, &until);
	if (responder == NULL)
		return responder_make_locked(dev, responder_out);
	if (responder->is_changing)
		return error_set(DOCA_ERROR_TIME_OUT,
				 "export: %s is being made reachable for other machines by another "
				 "thread, and the daemon did not answer it within %d s; is it "
				 "stopped or overloaded?",
				 dev->info->name, RPC_TIMEOUT_S);
	*responder_out = responder;
	return DOCA_SUCCESS;
}

/* Both locks are held. */
static void served_add(struct served_export *served)
{
	struct export *export = served->export;
	bool is_revoked;

	list_append(&served->responder->exports, &served->node);
	if (export_is_relayed(export))
		responder_relay_export(served);
	/* An operator may have revoked it before the thread could be notified. */
	rpc_lock();
	is_revoked = export_is_revoked_locked(export);
	rpc_unlock();
	if (is_revoked)
		served_lose(served);
}

static doca_error_t responder_add(struct export *export)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct served_export *served = calloc(1, sizeof(*served));
	doca_error_t result;

	if (served == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "export: out of memory");
	served->export = export;
	pthread_once(&once, responders_init);
	pthread_mutex_lock(&responders_lock);
	result = responder_get_locked(export->dev, &served->responder);
	if (result == DOCA_SUCCESS) {
		pthread_mutex_lock(&served->responder->lock);
		served_add(served);
		pthread_mutex_unlock(&served->responder->lock);
		export->served = served;
	}
	pthread_mutex_unlock(&responders_lock);
	if (result != DOCA_SUCCESS)
		free(served);
	return result;
}

static void responder_remove(struct export *export)
{
	struct served_export *served = export->served;
	struct responder *responder = served->responder;
	bool is_last;

	pthread_mutex_lock(&responders_lock);
	pthread_mutex_lock(&responder->lock);
	list_remove(&served->node);
	served_end(served);
	is_last = list_is_empty(&responder->exports);
	pthread_mutex_unlock(&responder->lock);
	export->served = NULL;
	explicit_bzero(served, sizeof(*served));
	free(served);
	if (is_last) {
		atomic_store(&responder->ends_async, export->ends_async);
		responder_end_locked(responder);
	}
	pthread_mutex_unlock(&responders_lock);
}

const struct export_server_ops responder_ops = {
	.add = responder_add,
	.remove = responder_remove,
};
