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
#include "util/clock.h"
#include "util/fd.h"

#define REQUESTER_MAX_QPS 64u
#define REQUESTER_MTU     4096u

#define LOOK_NS           (100 * NS_PER_MS)
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

doca_error_t requester_open_async(struct doca_dev *dev, bool relays, uint32_t send_queue,
				  uint32_t max_sges, struct requester **requester_out)
{
	struct requester *requester = calloc(1, sizeof(*requester));
	doca_error_t result;

	if (requester == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	requester->dev = dev;
	requester->relays = relays;
	requester->session_fd = -1;
	requester->wait_ns = relays ? requester_ask_wait_ns() : 0;
	list_init(&requester->peers);
	requester->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (requester->timerfd < 0)
		result = error_set(error_from_errno(-errno), "rdma: no timer: %m");
	else
		result = domain_open(requester, send_queue, max_sges);
	if (result != DOCA_SUCCESS) {
		requester_close(requester);
		return result;
	}
	*requester_out = requester;
	return DOCA_SUCCESS;
}

doca_error_t requester_open(struct doca_dev *dev, bool relays, uint32_t send_queue,
			    uint32_t max_sges, struct requester **requester_out)
{
	struct requester *requester;
	doca_error_t result = requester_open_async(dev, relays, send_queue, max_sges, &requester);

	if (result != DOCA_SUCCESS)
		return result;
	requester->waits = true;
	result = rendezvous_open(&requester->rendezvous, dev, false, relays, relays);
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

/* The deferred part of closing: frees what the daemon and other threads use. */
static void close_run(struct session_deferred *deferred)
{
	struct requester *requester = container_of(deferred, struct requester, end);
	struct requester_peer *peer, *tmp;

	requester_ask_close_locked(requester);
	/* Calls end with the endpoint; the called processes are notified. */
	rendezvous_close_locked(&requester->rendezvous);
	list_for_each_safe(peer, tmp, &requester->peers, node)
	{
		list_remove(&peer->node);
		free(peer);
	}
	fd_close(&requester->timerfd);
	free(requester);
}

void requester_close(struct requester *requester)
{
	struct requester_peer *peer;

	if (requester == NULL)
		return;
	list_for_each(peer, &requester->peers, node) peer_free_qp(requester, peer);
	if (requester->domain != NULL)
		requester->ops->close(requester->domain);
	requester->end.run_locked = close_run;
	session_defer(&requester->end);
}

/* --- peers --- */

static void peer_set(struct requester *requester, struct requester_peer *peer,
		     enum requester_state state, const char *reason)
{
	requester_ask_drop(requester, peer);
	if (peer->state == REQUESTER_CALLING)
		requester->n_calling--;
	peer->is_disconnected = false;
	peer->state = state;
	peer->reason = reason;
	if (state == REQUESTER_FAILED)
		(void)requester->ops->qp_disconnect(peer->qp);
}

static bool requester_renew_rendezvous(struct requester *requester);
static bool asks_attend(struct requester *requester);

/* Before a call: opens an endpoint at the current daemon if needed. */
static doca_error_t requester_reopen_rendezvous(struct requester *requester)
{
	struct rendezvous *rendezvous = &requester->rendezvous;
	doca_error_t result;
	int r;

	if (rendezvous->is_open && atomic_load(&rendezvous->is_lost))
		(void)requester_renew_rendezvous(requester);
	if (rendezvous->is_open || requester->watch == NULL)
		return DOCA_SUCCESS;
	result = rendezvous_open(rendezvous, requester->dev, false, requester->relays,
				 requester->relays);
	if (result != DOCA_SUCCESS)
		return result;
	r = requester->watch(requester->user, rendezvous->events.eventfd, true);
	if (r == 0)
		return DOCA_SUCCESS;
	rendezvous_close(rendezvous);
	return error_set(error_from_errno(r),
			 "rdma: the events of the daemon that was started anew cannot be watched "
			 "(error %d)",
			 -r);
}

/* Calls the peer by its import. */
static doca_error_t peer_ask(struct requester *requester, struct requester_peer *peer)
{
	struct rdma_details details;
	doca_error_t result = rdma_qp_get_details(peer->qp, &details);

	details.is_relay = requester->relays;
	if (result == DOCA_SUCCESS)
		result = rendezvous_call(&requester->rendezvous, peer->import_id,
					 peer->import_daemon, &details, &peer->call_id);
	return result;
}

static void peer_begin(struct requester *requester, struct requester_peer *peer)
{
	requester_ask_drop(requester, peer);
	if (peer->state != REQUESTER_CALLING)
		requester->n_calling++;
	peer->state = REQUESTER_CALLING;
	peer->reason = NULL;
	peer->is_stale = peer->is_full = peer->is_untried = false;
	peer->refusal = DOCA_SUCCESS;
	if (++peer->n_calls == 0)
		peer->n_calls = 1;
	peer->call_ns = peer->pause_ns = 0;
	peer->give_up_ns = clock_now_ns() + REQUESTER_TIMEOUT_NS;
	requester->look_ns = clock_now_ns() + LOOK_NS;
}

static void peer_set_import(struct requester_peer *peer, const struct requester_goal *goal)
{
	peer->import_id = goal->import_id;
	memcpy(peer->import_daemon, goal->import_daemon, sizeof(peer->import_daemon));
}

static doca_error_t peer_call(struct requester *requester, struct requester_peer *peer,
			      const struct requester_goal *goal)
{
	doca_error_t result;

	peer_set_import(peer, goal);
	if (!requester->waits) {
		peer_begin(requester, peer);
		peer->call_ns = clock_now_ns();
		return DOCA_SUCCESS;
	}
	result = requester_reopen_rendezvous(requester);
	if (result == DOCA_SUCCESS)
		result = peer_ask(requester, peer);
	if (result == DOCA_SUCCESS)
		peer_begin(requester, peer);
	return result;
}

/* Frees the place of a failed peer. Returns false if there is none. */
static bool peer_make_room(struct requester *requester, const struct requester_peer *spared)
{
	struct requester_peer *peer, *tmp;

	list_for_each_safe(peer, tmp, &requester->peers, node)
	{
		if (peer == spared || peer->state != REQUESTER_FAILED || peer->n_posted > 0)
			continue;
		/* The call is ended too, because the daemons count it as a connection of this
		 * process. */
		if (peer->call_id != 0)
			rendezvous_hang_up(&requester->rendezvous, peer->call_id);
		requester_ask_drop(requester, peer);
		peer_free_qp(requester, peer);
		list_remove(&peer->node);
		free(peer);
		return true;
	}
	return false;
}

static doca_error_t peer_new(struct requester *requester, const struct requester_goal *goal,
			     struct requester_peer **peer_out)
{
	struct requester_peer *peer = calloc(1, sizeof(*peer));
	doca_error_t result;

	if (peer == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	memcpy(peer->daemon_id, goal->daemon_id, sizeof(peer->daemon_id));
	peer->agent_id = goal->agent_id;
	peer->is_pci = goal->is_pci;
	peer->state = REQUESTER_FAILED; /* until it is called */
	result = requester->ops->qp_new(requester->domain, peer, &peer->qp);
	if (result == DOCA_ERROR_FULL && peer_make_room(requester, NULL))
		result = requester->ops->qp_new(requester->domain, peer, &peer->qp);
	if (result == DOCA_SUCCESS) {
		result = peer_call(requester, peer, goal);
		if (result != DOCA_SUCCESS)
			requester->ops->qp_free(peer->qp);
	}
	if (result != DOCA_SUCCESS) {
		free(peer);
		return result;
	}
	list_append(&requester->peers, &peer->node);
	*peer_out = peer;
	return DOCA_SUCCESS;
}

/* Calls the peer again with a new queue pair. Requests posted to the old one have been returned. */
static doca_error_t peer_call_anew(struct requester *requester, struct requester_peer *peer,
				   const struct requester_goal *goal)
{
	struct rdma_qp *qp;
	doca_error_t result;

	result = requester->ops->qp_new(requester->domain, peer, &qp);
	if (result == DOCA_ERROR_FULL && peer_make_room(requester, peer))
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
	/* Tried once only, because each try may wait for a daemon that does not answer. */
	peer->is_stale = peer->is_untried = false;
	return peer_call(requester, peer, goal);
}

static bool is_to_be_called_anew(const struct requester_peer *peer,
				 const struct requester_goal *goal)
{
	return peer->is_stale ||
	       (peer->is_untried && peer->n_posted == 0 && peer->n_calls != goal->n_calls);
}

doca_error_t requester_find(struct requester *requester, const struct requester_goal *goal,
			    struct requester_peer **peer_out)
{
	struct requester_peer *peer;
	doca_error_t result;

	list_for_each(peer, &requester->peers, node)
	{
		if (peer->agent_id == goal->agent_id && peer->is_pci == goal->is_pci &&
		    memcmp(peer->daemon_id, goal->daemon_id, sizeof(peer->daemon_id)) == 0) {
			result = unlikely(is_to_be_called_anew(peer, goal))
					 ? peer_call_anew(requester, peer, goal)
					 : DOCA_SUCCESS;
			peer_set_import(peer, goal);
			if (result == DOCA_SUCCESS)
				*peer_out = peer;
			return result;
		}
	}
	if (goal->agent_id == 0)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "the exporter's process serves requests of the RDMA library "
				 "only: its daemon was not to be linked over tls: when it exported "
				 "the memory");
	result = peer_new(requester, goal, peer_out);
	if (result == DOCA_SUCCESS && !requester->waits)
		requester->has_moved |= asks_attend(requester);
	return result;
}

void requester_disconnect(struct requester *requester)
{
	struct requester_peer *peer;

	list_for_each(peer, &requester->peers, node)
	{
		if (peer->state != REQUESTER_FAILED)
			peer_set(requester, peer, REQUESTER_FAILED, "the context stops");
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
	peer_set(requester, peer, REQUESTER_FAILED, reason);
}

static doca_error_t peer_take_stream(struct requester_peer *peer, struct session_answer *answer)
{
	struct relay_stream stream;
	struct copy_details other;
	doca_error_t result = relay_stream_take(answer, true, &other, &stream);
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
static doca_error_t peer_take_details(const struct requester *requester,
				      struct requester_peer *peer, struct session_answer *answer)
{
	struct rdma_details details;
	doca_error_t result = rdma_details_take(answer, &details);

	if (result == DOCA_SUCCESS)
		result = requester->ops->qp_connect(peer->qp, details.bytes, details.len);
	return result;
}

/* Uses the result of the call: a stream, or a queue pair's connection parameters. Returns true if
 * the peer's state has changed. */
static bool peer_attach(struct requester *requester, struct requester_peer *peer,
			doca_error_t result, struct session_answer *answer)
{
	/* The call has ended since. An event with the reason follows. */
	if (requester->relays && result == DOCA_ERROR_NOT_FOUND)
		return false;
	if (result == DOCA_SUCCESS)
		result = requester->relays ? peer_take_stream(peer, answer)
					   : peer_take_details(requester, peer, answer);
	if (result == DOCA_SUCCESS && !requester->relays)
		return false;
	if (result == DOCA_SUCCESS)
		peer_set(requester, peer, REQUESTER_READY, NULL);
	else if (requester->relays)
		peer_break(requester, peer,
			   result == DOCA_ERROR_CONNECTION_RESET ? forgotten : refused);
	else
		peer_set(requester, peer, REQUESTER_FAILED, refused);
	return true;
}

static bool peer_fetch(struct requester *requester, struct requester_peer *peer)
{
	CLEANUP_ANSWER struct session_answer answer = SESSION_ANSWER_INIT;
	doca_error_t result;

	if (!requester->waits) {
		peer->is_fetched = true;
		peer->call_ns = clock_now_ns();
		return false;
	}
	result = rendezvous_fetch(&requester->rendezvous, peer->call_id, &answer);
	return peer_attach(requester, peer, result, &answer);
}

/* --- calling again --- */

/* The stream was lost with a daemon: posted requests wait until the process is called again. */
static void peer_cut(struct requester *requester, struct requester_peer *peer)
{
	relay_qp_detach(peer->qp);
	if (peer->is_disconnected)
		return;
	peer_begin(requester, peer);
	peer->is_disconnected = true;
	peer->give_up_ns = clock_now_ns() + requester->wait_ns;
}

static void peer_retry_after_pause(struct requester *requester, struct requester_peer *peer)
{
	requester_ask_drop(requester, peer);
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
static void peer_refuse(struct requester *requester, struct requester_peer *peer, doca_error_t code)
{
	bool is_disconnected = peer->is_disconnected;

	snprintf(peer->refusal_text, sizeof(peer->refusal_text), "%s", dococ_last_error());
	peer_set(requester, peer, REQUESTER_FAILED, is_disconnected ? refused : peer->refusal_text);
	peer->refusal = is_disconnected ? DOCA_SUCCESS : code;
	peer->is_untried = true;
}

/* Sends the calls that are due. Returns true if one has failed. */
static bool calls_repeat(struct requester *requester, uint64_t now_ns)
{
	struct requester_peer *peer;
	bool moved = false;

	list_for_each(peer, &requester->peers, node)
	{
		if (peer->state != REQUESTER_CALLING || peer->call_ns == 0 ||
		    peer->call_ns > now_ns)
			continue;
		peer->call_ns = 0;
		peer_choose_import(requester, peer);
		if (peer_ask(requester, peer) == DOCA_SUCCESS)
			continue;
		peer_set(requester, peer, REQUESTER_FAILED, refused);
		moved = true;
	}
	return moved;
}

/* Advances a call by one step if it is time. Returns true if the peer's state has changed. */
static bool peer_go_on(struct requester *requester, struct requester_peer *peer, uint64_t now_ns)
{
	CLEANUP_ANSWER struct session_answer answer = SESSION_ANSWER_INIT;
	doca_error_t result;

	if (peer->asked != NULL && peer->is_fetched) {
		result = rendezvous_fetch_end(&peer->asked, &answer);
		if (result == DOCA_ERROR_IN_PROGRESS)
			return false;
		peer->is_fetched = false;
		return peer_attach(requester, peer, result, &answer);
	}
	if (peer->asked != NULL) {
		result = requester_ask_called(requester, peer);
	} else if (peer->call_ns == 0 || peer->call_ns > now_ns) {
		return false;
	} else if (peer->is_fetched) {
		result = requester_ask_fetch(requester, peer);
	} else {
		peer_choose_import(requester, peer);
		result = requester_ask_call(requester, peer);
	}
	if (result == DOCA_ERROR_IN_PROGRESS)
		return false;
	peer->call_ns = 0;
	if (result != DOCA_SUCCESS)
		peer_refuse(requester, peer, result);
	return result != DOCA_SUCCESS;
}

/* Advances the endpoint and all calls. Returns true if the state of a peer has changed. */
static bool asks_go_on(struct requester *requester)
{
	uint64_t now_ns = clock_now_ns();
	struct requester_peer *peer;
	doca_error_t result;
	bool moved = false;

	requester_ask_drain(requester);
	result = requester_ask_rendezvous(requester);
	if (result == DOCA_ERROR_IN_PROGRESS)
		return false;
	list_for_each(peer, &requester->peers, node)
	{
		if (peer->state != REQUESTER_CALLING)
			continue;
		if (result == DOCA_SUCCESS) {
			moved |= peer_go_on(requester, peer, now_ns);
		} else {
			peer_refuse(requester, peer, result);
			moved = true;
		}
	}
	return moved;
}

/* Like asks_go_on(), but restores the thread's last error: the refusal is reported to the caller
 * that it concerns. */
static bool asks_attend(struct requester *requester)
{
	struct saved_error saved;
	bool moved;

	error_save(&saved);
	moved = asks_go_on(requester);
	error_restore(&saved);
	return moved;
}

/* Returns whether a call that the daemons refused is to be made again. */
static bool is_passing(const struct requester_peer *peer, uint32_t code)
{
	/* The remote daemon was restarted: it has no link yet, or has not yet released earlier
	 * connections. */
	return code == DOCA_ERROR_AGAIN ||
	       (peer->is_disconnected &&
		(code == DOCA_ERROR_NOT_CONNECTED || code == DOCA_ERROR_FULL));
}

/* --- events of the daemon and the domain --- */

static bool on_answered(struct requester *requester, struct requester_peer *peer, uint32_t code)
{
	if (is_passing(peer, code)) {
		/* The remote daemon was restarted and needs some time until it is linked. */
		if (requester->renews && !peer->is_disconnected) {
			peer->is_disconnected = true;
			peer->give_up_ns = clock_now_ns() + requester->wait_ns;
		}
		peer_retry_after_pause(requester, peer);
		return false;
	}
	if (code == DOCA_ERROR_FULL) {
		peer->is_full = true;
		peer_set(requester, peer, REQUESTER_FAILED, requester->relays ? no_stream : no_qp);
		peer->is_untried = true;
		return true;
	}
	if (code == DOCA_SUCCESS)
		return peer_fetch(requester, peer);
	peer_set(requester, peer, REQUESTER_FAILED, refused);
	return true;
}

static bool on_gone(struct requester *requester, struct requester_peer *peer, uint32_t code)
{
	if (requester->renews && code == DOCA_ERROR_AGAIN) {
		peer_cut(requester, peer);
		peer_retry_after_pause(requester, peer);
		return false;
	}
	peer_set(requester, peer, REQUESTER_FAILED, refused);
	return true;
}

static bool on_event(struct requester *requester, const struct event *event)
{
	struct requester_peer *peer = find_by_call(requester, event->id);

	if (peer == NULL || peer->state == REQUESTER_FAILED)
		return false;
	if (event->type == EVENT_RDMA_ANSWERED && peer->state == REQUESTER_CALLING)
		return on_answered(requester, peer, event->code);
	return event->type == EVENT_RDMA_GONE && on_gone(requester, peer, event->code);
}

static bool on_told(struct requester *requester, const struct rdma_event *told)
{
	struct requester_peer *peer;

	if (told->type == RDMA_DEVICE_REMOVED) {
		list_for_each(peer, &requester->peers, node)
		{
			if (peer->state != REQUESTER_FAILED)
				peer_set(requester, peer, REQUESTER_FAILED, no_device);
		}
		return true;
	}
	peer = told->qp->owner;
	if (peer->state == REQUESTER_FAILED)
		return false;
	if (told->type == RDMA_QP_WRITABLE)
		return true;
	if (told->type == RDMA_QP_ESTABLISHED)
		peer_set(requester, peer, REQUESTER_READY, NULL);
	else if (requester->renews && told->reason == DOCA_ERROR_CONNECTION_RESET)
		/* The daemons report the reason as soon as they can. */
		peer_cut(requester, peer);
	else
		peer_break(requester, peer, dev_is_removed(requester->dev) ? no_device : broken);
	return true;
}

static const char *why_no_answer(const struct requester *requester,
				 const struct requester_peer *peer)
{
	if (peer->is_disconnected)
		return not_back;
	return requester->opening != NULL || peer->asked != NULL ? no_daemon : no_answer;
}

/* Fails the calls whose time limit has passed. */
static bool calls_end(struct requester *requester, uint64_t now_ns)
{
	struct requester_peer *peer;
	bool moved = false, is_untried;

	list_for_each(peer, &requester->peers, node)
	{
		if (peer->state != REQUESTER_CALLING || peer->give_up_ns > now_ns)
			continue;
		is_untried = requester->opening != NULL || peer->asked != NULL;
		if (peer->call_id != 0)
			rendezvous_hang_up(&requester->rendezvous, peer->call_id);
		peer_set(requester, peer, REQUESTER_FAILED, why_no_answer(requester, peer));
		peer->is_untried = is_untried;
		moved = true;
	}
	return moved;
}

static bool peers_renew(struct requester *requester)
{
	struct requester_peer *peer;
	bool moved = false;

	list_for_each(peer, &requester->peers, node)
	{
		peer->call_id = 0;
		if (peer->state != REQUESTER_CALLING &&
		    (!requester->relays || peer->state == REQUESTER_FAILED))
			continue;
		peer_set(requester, peer, REQUESTER_FAILED,
			 "the daemon was started anew meanwhile");
		peer->is_stale = true;
		moved = true;
	}
	return moved;
}

/* Replaces an endpoint that was lost with its daemon. Connected queue pairs remain; streams
 * do not. */
static bool requester_renew_rendezvous(struct requester *requester)
{
	struct rendezvous *rendezvous = &requester->rendezvous;

	if (requester->waits) {
		session_lock();
	} else if (!session_try_lock()) {
		requester_ask_notify(requester);
		return false;
	}
	if (requester->watch != NULL)
		(void)requester->watch(requester->user, rendezvous->events.eventfd, false);
	requester_ask_unwatch(requester);
	rendezvous_close_locked(rendezvous);
	session_unlock();
	return peers_renew(requester);
}

/* Checks at intervals whether the daemon is gone: while calls wait for an answer, nothing else
 * would notice that none will come. */
static bool look_at_daemon(struct requester *requester, uint64_t now_ns)
{
	if (now_ns < requester->look_ns)
		return false;
	requester->look_ns = now_ns + LOOK_NS;
	return requester->rendezvous.is_open && rendezvous_is_orphan(&requester->rendezvous) &&
	       requester_renew_rendezvous(requester);
}

static bool calls_attend(struct requester *requester)
{
	uint64_t now_ns = clock_now_ns();
	bool moved = calls_end(requester, now_ns);

	moved |= requester->waits ? calls_repeat(requester, now_ns) : asks_attend(requester);
	return look_at_daemon(requester, now_ns) || moved;
}

bool requester_attend(struct requester *requester)
{
	struct rendezvous *rendezvous = &requester->rendezvous;
	struct rdma_event told;
	struct event event;
	bool moved = requester->has_moved;

	requester->has_moved = false;
	if (unlikely(rendezvous->is_open && atomic_load(&rendezvous->is_lost)))
		moved |= requester_renew_rendezvous(requester);
	/* The reply may identify the call that an event refers to, so replies are handled first. */
	if (unlikely(requester->n_asked > 0))
		moved |= asks_attend(requester);
	while (requester->n_asked == 0 && rendezvous->is_open &&
	       event_reader_pending(&rendezvous->events) &&
	       event_reader_pop(&rendezvous->events, &event) == 1)
		moved |= on_event(requester, &event);
	while (requester->ops->next_event(requester->domain, &told))
		moved |= on_told(requester, &told);
	if (unlikely(requester->n_calling > 0))
		moved |= calls_attend(requester);
	if (unlikely(requester->is_asking) && requester->n_calling == 0)
		requester_ask_rest(requester);
	return moved;
}
