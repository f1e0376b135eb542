/* Requesters; see client/rma/requester.h. */
#include "client/rma/requester.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>

#include <dococ.h>

#include "client/base/error.h"
#include "client/device/dev.h"
#include "client/memory/mmap.h"
#include "client/rma/relay/provider.h"
#include "client/rma/requester_call.h"
#include "client/rma/requester_state.h"
#include "util/clock.h"
#include "util/fd.h"

#define REQUESTER_MAX_QPS 64u
#define REQUESTER_MTU     4096u

#define CHECK_NS          (100 * NS_PER_MS)
#define CALL_PAUSE_MAX_NS (100 * NS_PER_MS)

static const char no_answer[] = "its process did not answer in time";
static const char not_back[] = "a daemon, or the link between them, is gone or congested, and was "
			       "not back in time";
static const char no_daemon[] = "the daemon of this side did not answer in time";
static const char refused[] = "its process has ended, stopped what it exported, or takes no more "
			      "connections";
static const char no_stream[] =
	"its process serves 64 contexts and producers of other machines by relay, 32 of one "
	"process, and has no room for one more, or too many call at a time; destroy one that "
	"reaches it, or try again";
static const char no_qp[] = "its process serves as many contexts and producers of other machines "
			    "as it can, or too many call at a time; destroy one that reaches it, "
			    "or try again";
static const char forgotten[] = "a daemon was started again meanwhile, and its process does not "
				"know any more what of this it has done";
static const char no_device[] = "the RDMA device of this process is gone";
static const char broken[] = "the connection to its process broke: a request was refused, the "
			     "process has ended, or the network to it is cut";

/* --- opening and closing --- */

static doca_error_t domain_open(struct requester *requester, uint32_t send_queue, uint32_t max_sges)
{
	const struct doca_devinfo *info = requester->dev->info;
	const struct rdma_limits *limits = &requester->limits;

	requester->ops = requester->relays ? &rdma_relay
					   : rdma_provider_find(info, &requester->limits);
	if (requester->relays)
		(void)rdma_relay.query(info, &requester->limits, NULL);
	if (requester->ops == NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED, "%s has no RDMA", info->name);
	requester->conf = (struct rdma_conf){
		.send_queue = MIN(send_queue, limits->max_send_queue),
		.recv_queue = 1,
		.max_send_sges = MIN(max_sges, limits->max_send_sges),
		.max_recv_sges = 1,
		.max_qps = MIN(limits->max_qps, REQUESTER_MAX_QPS),
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_ONLY,
		.mtu = REQUESTER_MTU,
		.grh = true,
		/* A message to an export waits until the exporter's process posts a receive. */
		.rnr_retry = 7,
		.gid_index = requester->relays
				     ? 0
				     : rdma_provider_choose_gid(requester->ops, info, limits),
	};
	return requester->ops->open(requester->dev, &requester->conf, &requester->domain);
}

doca_error_t requester_open(struct doca_dev *dev, struct doca_pe *pe, bool relays,
			    uint32_t send_queue, uint32_t max_sges,
			    struct requester **requester_out)
{
	struct requester *requester = calloc(1, sizeof(*requester));
	doca_error_t result;

	if (requester == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	requester->dev = dev;
	requester->relays = relays;
	requester->epoll_fd = -1;
	requester->wait_ns = relays ? requester_wait_ns() : 0;
	list_init(&requester->peers);
	requester->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (requester->timerfd < 0)
		result = error_set(error_from_errno(-errno), "rdma: no timer: %m");
	else
		result = domain_open(requester, send_queue, max_sges);
	if (result == DOCA_SUCCESS)
		result = requester_watch(requester, pe);
	if (result != DOCA_SUCCESS) {
		requester_close(requester);
		return result;
	}
	*requester_out = requester;
	return DOCA_SUCCESS;
}

static void peer_free_qp(const struct requester *requester, struct requester_peer *peer)
{
	if (peer->qp != NULL)
		requester->ops->qp_free(peer->qp);
	peer->qp = NULL;
}

void requester_close(struct requester *requester)
{
	struct requester_peer *peer, *tmp;

	if (requester == NULL)
		return;
	requester_unwatch(requester);
	list_for_each(peer, &requester->peers, node) peer_free_qp(requester, peer);
	if (requester->domain != NULL)
		requester->ops->close(requester->domain);
	requester_cancel_all(requester);
	/* Calls end with the endpoint; the called processes are notified. */
	rendezvous_close(&requester->rendezvous);
	list_for_each_safe(peer, tmp, &requester->peers, node)
	{
		list_remove(&peer->node);
		free(peer);
	}
	fd_close(&requester->timerfd);
	free(requester);
}

/* --- peers --- */

static bool requests_poll(struct requester *requester);

/* Begins a call in the given state. */
static void peer_start_call(struct requester *requester, struct requester_peer *peer,
			    enum requester_state state)
{
	requester_peer_enter(requester, peer, state);
	peer->reason = NULL;
	peer->failure = REQUESTER_REFUSED;
	peer->refusal = DOCA_SUCCESS;
	if (++peer->n_calls == 0)
		peer->n_calls = 1;
	peer->pause_ns = 0;
	peer->call_ns = clock_now_ns();
	peer->deadline_ns = clock_now_ns() + REQUESTER_TIMEOUT_NS;
	requester->check_ns = clock_now_ns() + CHECK_NS;
}

static void peer_set_import(struct requester_peer *peer, const struct peer_address *address)
{
	peer->import_id = address->import_id;
	memcpy(peer->import_daemon, address->import_daemon, sizeof(peer->import_daemon));
}

static void peer_call(struct requester *requester, struct requester_peer *peer,
		      const struct peer_address *address)
{
	peer_set_import(peer, address);
	peer_start_call(requester, peer, REQUESTER_CALL_DUE);
}

/* Frees the place of a failed peer. Returns false if there is none. */
static bool peer_free_one(struct requester *requester, const struct requester_peer *excluded)
{
	struct requester_peer *peer, *tmp;

	list_for_each_safe(peer, tmp, &requester->peers, node)
	{
		if (peer == excluded || peer->state != REQUESTER_FAILED || peer->n_posted > 0)
			continue;
		/* The call is ended too, because the daemons count it as a connection of this
		 * process. */
		if (peer->call_id != 0)
			rendezvous_hang_up(&requester->rendezvous, peer->call_id);
		peer_free_qp(requester, peer);
		list_remove(&peer->node);
		free(peer);
		return true;
	}
	return false;
}

static doca_error_t peer_new(struct requester *requester, const struct peer_address *address,
			     struct requester_peer **peer_out)
{
	struct requester_peer *peer = calloc(1, sizeof(*peer));
	doca_error_t result;

	if (peer == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	memcpy(peer->daemon_id, address->daemon_id, sizeof(peer->daemon_id));
	peer->endpoint_id = address->endpoint_id;
	peer->is_pci = address->is_pci;
	peer->state = REQUESTER_NEW;
	result = requester->ops->qp_new(requester->domain, peer, &peer->qp);
	if (result == DOCA_ERROR_FULL && peer_free_one(requester, NULL))
		result = requester->ops->qp_new(requester->domain, peer, &peer->qp);
	if (result != DOCA_SUCCESS) {
		free(peer);
		return result;
	}
	peer_call(requester, peer, address);
	list_append(&requester->peers, &peer->node);
	*peer_out = peer;
	return DOCA_SUCCESS;
}

/* Calls the peer again with a new queue pair. Requests posted to the old one have been returned. */
static doca_error_t peer_call_again(struct requester *requester, struct requester_peer *peer,
				    const struct peer_address *address)
{
	struct rdma_qp *qp;
	doca_error_t result;

	result = requester->ops->qp_new(requester->domain, peer, &qp);
	if (result == DOCA_ERROR_FULL && peer_free_one(requester, peer))
		result = requester->ops->qp_new(requester->domain, peer, &qp);
	if (result == DOCA_ERROR_FULL && peer->n_posted == 0 && peer->qp != NULL) {
		peer_free_qp(requester, peer);
		result = requester->ops->qp_new(requester->domain, peer, &qp);
	}
	/* There may be a queue pair next time. */
	if (result != DOCA_SUCCESS)
		return result;
	peer_free_qp(requester, peer);
	peer->qp = qp;
	peer_call(requester, peer, address);
	return DOCA_SUCCESS;
}

static bool must_call_again(const struct requester_peer *peer, const struct peer_address *address)
{
	switch (peer->state == REQUESTER_FAILED ? peer->failure : REQUESTER_REFUSED) {
	case REQUESTER_STALE:
		return true;
	case REQUESTER_UNTRIED:
	case REQUESTER_FULL:
		return peer->n_posted == 0 && peer->n_calls != address->n_calls;
	default:
		return false;
	}
}

doca_error_t requester_find(struct requester *requester, const struct peer_address *address,
			    struct requester_peer **peer_out)
{
	struct requester_peer *peer;
	doca_error_t result;

	list_for_each(peer, &requester->peers, node)
	{
		if (peer->endpoint_id == address->endpoint_id && peer->is_pci == address->is_pci &&
		    memcmp(peer->daemon_id, address->daemon_id, sizeof(peer->daemon_id)) == 0) {
			result = unlikely(must_call_again(peer, address))
					 ? peer_call_again(requester, peer, address)
					 : DOCA_SUCCESS;
			peer_set_import(peer, address);
			if (result == DOCA_SUCCESS)
				*peer_out = peer;
			return result;
		}
	}
	if (address->endpoint_id == 0)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "the exporter's process serves requests of the RDMA library "
				 "only: its daemon was not to be linked over tls: when it exported "
				 "the memory");
	result = peer_new(requester, address, peer_out);
	if (result == DOCA_SUCCESS)
		requester->has_changed |= requests_poll(requester);
	return result;
}

void requester_disconnect(struct requester *requester)
{
	struct requester_peer *peer;

	list_for_each(peer, &requester->peers, node)
	{
		if (peer->state != REQUESTER_FAILED)
			requester_peer_fail(requester, peer, REQUESTER_REFUSED,
					    "the context stops");
	}
}

/* --- events --- */

static struct requester_peer *find_by_call(struct requester *requester, uint64_t call_id)
{
	struct requester_peer *peer;

	list_for_each(peer, &requester->peers, node)
	{
		if (peer->call_id == call_id)
			return peer;
	}
	return NULL;
}

/* Fails the peer. The other end of a queue pair is notified by its device; that of a stream must be
 * notified by the daemons. */
static void peer_break(struct requester *requester, struct requester_peer *peer, const char *reason)
{
	if (requester->relays && peer->call_id != 0)
		rendezvous_hang_up(&requester->rendezvous, peer->call_id);
	requester_peer_fail(requester, peer, REQUESTER_REFUSED, reason);
}

static doca_error_t peer_adopt_stream(struct requester_peer *peer, struct rpc_reply *answer)
{
	struct relay_stream stream;
	struct copy_details other;
	doca_error_t result = relay_stream_from_answer(answer, true, &other, &stream);
	int r;

	if (result != DOCA_SUCCESS)
		return result;
	r = relay_qp_attach(peer->qp, &stream, &other);
	relay_stream_deinit(&stream);
	if (r == 0)
		return DOCA_SUCCESS;
	return r == -ESTALE ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_UNEXPECTED;
}

/* Connects the queue pair. The peer is ready when the domain reports it. */
static doca_error_t peer_connect_qp(const struct requester *requester, struct requester_peer *peer,
				    struct rpc_reply *answer)
{
	struct rdma_params details;
	doca_error_t result = rdma_params_parse(answer, &details);

	if (result == DOCA_SUCCESS)
		result = requester->ops->qp_connect(peer->qp, details.bytes, details.len);
	return result;
}

/* Uses the result of the call: a stream, or a queue pair's connection parameters. Returns true if
 * the peer's state has changed. */
static bool peer_attach(struct requester *requester, struct requester_peer *peer,
			doca_error_t result, struct rpc_reply *answer)
{
	/* The call has ended since. An event with the reason follows. */
	if (requester->relays && result == DOCA_ERROR_NOT_FOUND) {
		requester_peer_enter(requester, peer, REQUESTER_LOST);
		return false;
	}
	if (result == DOCA_SUCCESS)
		result = requester->relays ? peer_adopt_stream(peer, answer)
					   : peer_connect_qp(requester, peer, answer);
	if (result == DOCA_SUCCESS && !requester->relays) {
		requester_peer_enter(requester, peer, REQUESTER_CONNECTING);
		return false;
	}
	if (result == DOCA_SUCCESS)
		requester_peer_ready(requester, peer);
	else if (requester->relays)
		peer_break(requester, peer,
			   result == DOCA_ERROR_CONNECTION_RESET ? forgotten : refused);
	else
		requester_peer_fail(requester, peer, REQUESTER_REFUSED, refused);
	return true;
}

/* --- calling again --- */

/* The stream was lost with a daemon: posted requests wait until the process is called again. */
static void peer_disconnect(struct requester *requester, struct requester_peer *peer)
{
	relay_qp_detach(peer->qp);
	if (peer->is_reconnecting)
		return;
	peer_start_call(requester, peer, REQUESTER_LOST);
	peer->is_reconnecting = true;
	peer->deadline_ns = clock_now_ns() + requester->wait_ns;
}

static void peer_retry_after_pause(struct requester *requester, struct requester_peer *peer)
{
	requester_peer_enter(requester, peer, REQUESTER_CALL_DUE);
	peer->call_id = 0;
	peer->call_ns = clock_now_ns() + peer->pause_ns;
	peer->pause_ns = MIN(MAX(2 * peer->pause_ns, REQUESTER_PAUSE_NS), CALL_PAUSE_MAX_NS);
}

/* Chooses the import to call by. The import that was used last may have ended; imports that
 * requests are posted to have not. */
static void peer_choose_import(const struct requester *requester, struct requester_peer *peer)
{
	const struct rdma_wr *wr = requester->relays ? relay_qp_oldest(peer->qp) : NULL;
	const struct doca_mmap *mmap = wr != NULL ? wr->remote_mmap : NULL;

	if (mmap == NULL)
		return;
	peer->import_id = mmap->import_id;
	memcpy(peer->import_daemon, mmap->import_daemon, sizeof(peer->import_daemon));
}

/* Fails the peer because this side's daemon refused to make the call. */
static void peer_fail_refused(struct requester *requester, struct requester_peer *peer,
			      doca_error_t code)
{
	bool is_reconnecting = peer->is_reconnecting;

	snprintf(peer->refusal_text, sizeof(peer->refusal_text), "%s", dococ_last_error());
	requester_peer_fail(requester, peer, REQUESTER_UNTRIED,
			    is_reconnecting ? refused : peer->refusal_text);
	peer->refusal = is_reconnecting ? DOCA_SUCCESS : code;
}

/* Advances a call by one step if it is time. Returns true if the peer's state has changed. */
static bool peer_advance(struct requester *requester, struct requester_peer *peer, uint64_t now_ns)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	enum requester_state next;
	doca_error_t result;

	switch (peer->state) {
	case REQUESTER_CALL_DUE:
		if (peer->call_ns > now_ns)
			return false;
		peer_choose_import(requester, peer);
		result = requester_call_begin(requester, peer);
		next = REQUESTER_CALL_SENT;
		break;
	case REQUESTER_CALL_SENT:
		result = requester_call_end(peer);
		next = REQUESTER_CALLED;
		break;
	case REQUESTER_FETCH_DUE:
		result = requester_fetch_begin(requester, peer);
		next = REQUESTER_FETCH_SENT;
		break;
	case REQUESTER_FETCH_SENT:
		result = rendezvous_fetch_end(&peer->pending, &answer);
		return result != DOCA_ERROR_IN_PROGRESS &&
		       peer_attach(requester, peer, result, &answer);
	default:
		return false;
	}
	if (result == DOCA_SUCCESS)
		requester_peer_enter(requester, peer, next);
	else if (result != DOCA_ERROR_IN_PROGRESS)
		peer_fail_refused(requester, peer, result);
	return result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS;
}

/* Advances the endpoint and all calls. Returns true if the state of a peer has changed. */
static bool requests_advance(struct requester *requester)
{
	uint64_t now_ns = clock_now_ns();
	struct requester_peer *peer;
	doca_error_t result;
	bool changed = false;

	requester_receive_replies(requester);
	result = requester_open_rendezvous(requester);
	if (result == DOCA_ERROR_IN_PROGRESS)
		return false;
	list_for_each(peer, &requester->peers, node)
	{
		if (!requester_is_calling(peer))
			continue;
		if (result == DOCA_SUCCESS) {
			changed |= peer_advance(requester, peer, now_ns);
		} else {
			peer_fail_refused(requester, peer, result);
			changed = true;
		}
	}
	return changed;
}

/* Like requests_advance(), but restores the thread's last error: the refusal is reported to the
 * caller that it concerns. */
static bool requests_poll(struct requester *requester)
{
	struct saved_error saved;
	bool changed;

	error_save(&saved);
	changed = requests_advance(requester);
	error_restore(&saved);
	return changed;
}

/* Returns whether a call that the daemons refused is to be made again. */
static bool is_transient(const struct requester_peer *peer, uint32_t code)
{
	/* The remote daemon was restarted: it has no link yet, or has not yet released earlier
	 * connections. */
	return code == DOCA_ERROR_AGAIN ||
	       (peer->is_reconnecting &&
		(code == DOCA_ERROR_NOT_CONNECTED || code == DOCA_ERROR_FULL));
}

/* --- events of the daemon and the domain --- */

static bool on_answered(struct requester *requester, struct requester_peer *peer, uint32_t code)
{
	if (is_transient(peer, code)) {
		/* The remote daemon was restarted and needs some time until it is linked. */
		if (requester->renews && !peer->is_reconnecting) {
			peer->is_reconnecting = true;
			peer->deadline_ns = clock_now_ns() + requester->wait_ns;
		}
		peer_retry_after_pause(requester, peer);
		return false;
	}
	if (code == DOCA_ERROR_FULL) {
		requester_peer_fail(requester, peer, REQUESTER_FULL,
				    requester->relays ? no_stream : no_qp);
		return true;
	}
	if (code == DOCA_SUCCESS) {
		requester_peer_enter(requester, peer, REQUESTER_FETCH_DUE);
		peer->call_ns = clock_now_ns();
		return false;
	}
	requester_peer_fail(requester, peer, REQUESTER_REFUSED, refused);
	return true;
}

static bool on_call_ended(struct requester *requester, struct requester_peer *peer, uint32_t code)
{
	if (requester->renews && code == DOCA_ERROR_AGAIN) {
		peer_disconnect(requester, peer);
		peer_retry_after_pause(requester, peer);
		return false;
	}
	requester_peer_fail(requester, peer, REQUESTER_REFUSED, refused);
	return true;
}

static bool on_event(struct requester *requester, const struct event *event)
{
	struct requester_peer *peer = find_by_call(requester, event->id);

	if (peer == NULL || peer->state == REQUESTER_FAILED)
		return false;
	if (event->type == EVENT_RDMA_ANSWERED && peer->state == REQUESTER_CALLED)
		return on_answered(requester, peer, event->code);
	return event->type == EVENT_RDMA_GONE && on_call_ended(requester, peer, event->code);
}

static bool on_domain_event(struct requester *requester, const struct rdma_event *domain_event)
{
	struct requester_peer *peer;

	if (domain_event->type == RDMA_DEVICE_REMOVED) {
		list_for_each(peer, &requester->peers, node)
		{
			if (peer->state != REQUESTER_FAILED)
				requester_peer_fail(requester, peer, REQUESTER_REFUSED, no_device);
		}
		return true;
	}
	peer = domain_event->qp->owner;
	if (peer->state == REQUESTER_FAILED)
		return false;
	if (domain_event->type == RDMA_QP_WRITABLE)
		return true;
	if (domain_event->type == RDMA_QP_ESTABLISHED)
		requester_peer_ready(requester, peer);
	else if (requester->renews && domain_event->reason == DOCA_ERROR_CONNECTION_RESET)
		/* The daemons report the reason as soon as they can. */
		peer_disconnect(requester, peer);
	else
		peer_break(requester, peer, dev_is_removed(requester->dev) ? no_device : broken);
	return true;
}

static const char *why_no_answer(const struct requester *requester,
				 const struct requester_peer *peer)
{
	if (peer->is_reconnecting)
		return not_back;
	return requester->opening != NULL || peer->pending != NULL ? no_daemon : no_answer;
}

/* Fails the calls whose time limit has passed. */
static bool calls_expire(struct requester *requester, uint64_t now_ns)
{
	struct requester_peer *peer;
	enum requester_failure failure;
	bool changed = false;

	list_for_each(peer, &requester->peers, node)
	{
		if (!requester_is_calling(peer) || peer->deadline_ns > now_ns)
			continue;
		failure = requester->opening != NULL || peer->pending != NULL ? REQUESTER_UNTRIED
									      : REQUESTER_REFUSED;
		if (peer->call_id != 0)
			rendezvous_hang_up(&requester->rendezvous, peer->call_id);
		requester_peer_fail(requester, peer, failure, why_no_answer(requester, peer));
		changed = true;
	}
	return changed;
}

static bool peers_renew(struct requester *requester)
{
	struct requester_peer *peer;
	bool changed = false;

	list_for_each(peer, &requester->peers, node)
	{
		peer->call_id = 0;
		if (!requester_is_calling(peer) &&
		    (!requester->relays || peer->state == REQUESTER_FAILED))
			continue;
		requester_peer_fail(requester, peer, REQUESTER_STALE,
				    "the daemon was restarted meanwhile");
		changed = true;
	}
	return changed;
}

/* Replaces an endpoint that was lost with its daemon. Connected queue pairs remain; streams
 * do not. */
static bool requester_renew_rendezvous(struct requester *requester)
{
	struct rendezvous *rendezvous = &requester->rendezvous;

	requester_unwatch_fd(requester, rendezvous->events.eventfd);
	requester_unwatch_session(requester);
	rendezvous_close(rendezvous);
	return peers_renew(requester);
}

/* Checks at intervals whether the daemon is gone: while calls wait for an answer, nothing else
 * would notice that none will come. */
static bool check_daemon(struct requester *requester, uint64_t now_ns)
{
	if (now_ns < requester->check_ns)
		return false;
	requester->check_ns = now_ns + CHECK_NS;
	return requester->rendezvous.is_open && rendezvous_is_orphan(&requester->rendezvous) &&
	       requester_renew_rendezvous(requester);
}

static bool calls_poll(struct requester *requester)
{
	uint64_t now_ns = clock_now_ns();
	bool changed = calls_expire(requester, now_ns) | requests_poll(requester);

	return check_daemon(requester, now_ns) || changed;
}

bool requester_poll(struct requester *requester)
{
	struct rendezvous *rendezvous = &requester->rendezvous;
	struct rdma_event domain_event;
	struct event event;
	bool changed = requester->has_changed;

	requester->has_changed = false;
	if (unlikely(rendezvous->is_open && atomic_load(&rendezvous->is_lost)))
		changed |= requester_renew_rendezvous(requester);
	/* The reply may identify the call that an event refers to, so replies are handled first. */
	if (unlikely(requester->n_unanswered > 0))
		changed |= requests_poll(requester);
	while (requester->n_unanswered == 0 && rendezvous->is_open &&
	       event_reader_pending(&rendezvous->events) &&
	       event_reader_pop(&rendezvous->events, &event) == 1)
		changed |= on_event(requester, &event);
	while (requester->ops->next_event(requester->domain, &domain_event))
		changed |= on_domain_event(requester, &domain_event);
	if (unlikely(requester->n_calling > 0))
		changed |= calls_poll(requester);
	if (unlikely(requester->is_requesting) && requester->n_calling == 0)
		requester_cancel_idle(requester);
	return changed;
}
