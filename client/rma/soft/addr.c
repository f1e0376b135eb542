/*
 * Soft queue pairs that are connected by address. The domain has a rendezvous endpoint at the
 * daemon: an event ring, the port numbers that it listens on, and its calls. The daemons find the
 * listener and carry the parameters of one end to the other. Each end then imports the other's
 * queue pair, as it does with parameters that the user exchanges.
 *
 * After a daemon was lost, the domain opens a new endpoint and listens again; pending calls have
 * failed. It detects the loss itself, because the program may never call the library again: a
 * sleeping user is woken by the end of the session's connection, a polling user checks at
 * intervals. Threads: those of the domain. A session that ends or reconnects sets a flag on another
 * thread.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "client/base/error.h"
#include "client/device/dev.h"
#include "client/rma/soft/domain.h"
#include "proto/gid.h"
#include "util/clock.h"
#include "util/fd.h"

/* The pause between two attempts to listen again. */
#define PAUSE_MIN_NS (50 * NS_PER_MS)
#define PAUSE_MAX_NS (5 * NS_PER_SEC)
/* A polling user checks at this interval whether the daemon is gone, and reads the clock after this
 * many polls. */
#define CHECK_EVERY_NS  NS_PER_SEC
#define CHECK_POLLS_MAX 256u

/* --- requests to the daemon --- */

static doca_error_t rendezvous_notify_listen(const struct soft_rendezvous *rendezvous,
					     uint16_t port_number)
{
	Dococore__RdmaListen body = DOCOCORE__RDMA_LISTEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;

	body.endpoint_id = rendezvous->base.id;
	body.port_number = port_number;
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_LISTEN;
	request.packet.rdma_listen = &body;
	return rendezvous_request(&rendezvous->base, &request, DOCOCORE__PACKET__BODY_OK, &answer);
}

/* Like rendezvous_notify_listen(), but does not wait. A port number that is in use is not logged.
 */
static doca_error_t rendezvous_listen_begin(const struct rendezvous *rendezvous,
					    uint16_t port_number, const struct rdma_waiter *waiter,
					    struct rpc_pending **pending_out)
{
	const struct rpc_options options = {.on_done = waiter->on_done,
					    .user = waiter->user,
					    .expected_refusal = DOCA_ERROR_ALREADY_EXIST};
	Dococore__RdmaListen body = DOCOCORE__RDMA_LISTEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.endpoint_id = rendezvous->id;
	body.port_number = port_number;
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_LISTEN;
	request.packet.rdma_listen = &body;
	return rendezvous_begin(rendezvous, &request, &options, pending_out);
}

/* Sent without waiting: a context that stops does not wait for the daemon, and the daemon handles
 * this request before later ones of this process. */
static void rendezvous_notify_unlisten(const struct soft_rendezvous *rendezvous,
				       uint16_t port_number)
{
	Dococore__RdmaListen body = DOCOCORE__RDMA_LISTEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.endpoint_id = rendezvous->base.id;
	body.port_number = port_number;
	body.stop = true;
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_LISTEN;
	request.packet.rdma_listen = &body;
	rendezvous_notify(&rendezvous->base, &request);
}

/* --- opening and closing the endpoint --- */

static void soft_rendezvous_close_lost(struct soft_domain *domain);

/* Called on any thread with the session's lock held. */
static void on_disconnect(struct session_item *item)
{
	struct soft_rendezvous *rendezvous = container_of(item, struct soft_rendezvous, base.item);

	atomic_store(&rendezvous->is_disconnected, true);
	fd_eventfd_ring(rendezvous->base.events.eventfd);
}

static int session_watch(struct soft_domain *domain)
{
	struct soft_rendezvous *rendezvous = &domain->rendezvous;
	int r;

	rpc_lock();
	rendezvous->base.item.on_disconnect = on_disconnect;
	r = rpc_watch_locked(&domain->session, RPC_WATCH_HANGUP, &domain->watches_hangup);
	/* Without a connection, no end of it would be reported: treat it as ended. */
	if (r == -ENOTCONN)
		atomic_store(&rendezvous->is_disconnected, true);
	rpc_unlock();
	return r == -ENOTCONN ? 0 : r;
}

/* Watches an endpoint that was opened. Closes it on failure. */
static doca_error_t soft_rendezvous_opened(struct soft_domain *domain)
{
	struct rendezvous *rendezvous = &domain->rendezvous.base;
	int r = soft_watch(domain, rendezvous->events.eventfd, EPOLLIN | EPOLLET, NULL);

	if (r == 0) {
		r = session_watch(domain);
		if (r == 0)
			return DOCA_SUCCESS;
		/* Removed explicitly, because other processes may have a duplicate: closing the
		 * descriptor would leave it in the set. */
		soft_unwatch(domain, rendezvous->events.eventfd);
	}
	rendezvous_close(rendezvous);
	return error_set(error_from_errno(r),
			 "rdma: the daemon's event ring cannot be watched (error %d)", -r);
}

static doca_error_t soft_rendezvous_open(struct soft_domain *domain)
{
	struct rendezvous *rendezvous = &domain->rendezvous.base;
	doca_error_t result;

	if (rendezvous_is_replaced(rendezvous))
		soft_rendezvous_close_lost(domain);
	if (rendezvous->is_open)
		return DOCA_SUCCESS;
	result = rendezvous_open(rendezvous, domain->base.dev, false, false, false);
	return result == DOCA_SUCCESS ? soft_rendezvous_opened(domain) : result;
}

/* Gives up the attempt to listen again. */
static void soft_rendezvous_cancel(struct soft_domain *domain)
{
	struct soft_rendezvous *rendezvous = &domain->rendezvous;

	rendezvous->opening = rpc_cancel(rendezvous->opening);
	for (uint32_t i = 0; i < rendezvous->n_listeners; i++) {
		rendezvous->listeners[i].pending = rpc_cancel(rendezvous->listeners[i].pending);
		rendezvous->listeners[i].was_refused = false;
	}
	if (rendezvous->is_requesting)
		soft_requests_end(domain);
	rendezvous->is_requesting = false;
}

void soft_rendezvous_close(struct soft_domain *domain)
{
	struct rendezvous *rendezvous = &domain->rendezvous.base;

	soft_rendezvous_cancel(domain);
	if (!rendezvous->is_open)
		return;
	soft_unwatch(domain, rendezvous->events.eventfd);
	rendezvous_close(rendezvous);
}

/* --- events of the daemon --- */

static void qp_call_over(struct soft_qp *qp)
{
	soft_qp_cancel_request(qp);
	if (qp->state == SOFT_CALLING)
		soft_qp_domain(qp)->rendezvous.n_calling--;
	qp->call_id = 0;
	qp->state = SOFT_NEW;
}

static void qp_call_failed(struct soft_qp *qp, doca_error_t reason)
{
	/* The user has not been notified of this queue pair yet. */
	if (qp->state == SOFT_CALLED && qp->request != SOFT_REQUEST_NONE) {
		soft_qp_free(&qp->base);
		return;
	}
	qp_call_over(qp);
	qp->state = SOFT_ENDED;
	soft_report(qp, RDMA_QP_FAILED, reason);
}

void soft_qp_hang_up(struct soft_qp *qp)
{
	uint64_t call_id = qp->call_id;

	if (call_id == 0)
		return;
	qp_call_over(qp);
	rendezvous_hang_up(&soft_qp_domain(qp)->rendezvous.base, call_id);
}

static struct soft_qp *find_by_call(struct soft_domain *domain, uint64_t call_id)
{
	struct soft_qp *qp;

	list_for_each(qp, &domain->qps, node)
	{
		if (call_id != 0 && qp->call_id == call_id)
			return qp;
	}
	return NULL;
}

static void end_of_gid(struct rdma_endpoint *end, const uint8_t gid[GID_LEN], uint16_t port_number)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	*end = (struct rdma_endpoint){.type = RDMA_ADDR_GID, .port = port_number};
	memcpy(end->bytes, gid, GID_LEN);
	if (memcmp(gid, mapped, sizeof(mapped)) != 0)
		return;
	end->type = RDMA_ADDR_IPV4;
	memset(end->bytes, 0, sizeof(end->bytes));
	memcpy(end->bytes, gid + 12, 4);
}

/* First fetches the address of the caller: the listening program's callback runs once it is known.
 */
static void on_requested(struct soft_domain *domain, uint64_t call_id, uint16_t port_number)
{
	struct rdma_qp *base;
	struct soft_qp *qp;

	if (soft_qp_new(&domain->base, NULL, &base) != DOCA_SUCCESS) {
		rendezvous_hang_up(&domain->rendezvous.base, call_id);
		return;
	}
	qp = soft_qp_of(base);
	qp->call_id = call_id;
	qp->end.port = port_number;
	qp->state = SOFT_CALLED;
	if (soft_qp_request(qp, SOFT_REQUEST_CALL) != DOCA_SUCCESS)
		soft_qp_free(base);
}

static void on_caller(struct soft_qp *qp, doca_error_t result, const struct rpc_reply *answer)
{
	const Dococore__RdmaCall *call;

	if (result != DOCA_SUCCESS) {
		soft_qp_free(&qp->base);
		return;
	}
	call = answer->packet->rdma_call;
	if (call->details.len != EXPORT_DESCRIPTOR_LEN || call->source.len != GID_LEN) {
		soft_qp_free(&qp->base);
		return;
	}
	soft_qp_cancel_request(qp);
	memcpy(qp->caller, call->details.data, EXPORT_DESCRIPTOR_LEN);
	end_of_gid(&qp->end, call->source.data, qp->end.port);
	qp->has_end = true;
	soft_report(qp, RDMA_QP_REQUESTED, DOCA_SUCCESS);
}

static doca_error_t request_memory(struct soft_qp *qp, const struct rpc_reply *answer)
{
	const Dococore__RdmaCall *call = answer->packet->rdma_call;
	doca_error_t result = soft_params_decode(call->details.data, call->details.len, &qp->other);

	if (result != DOCA_SUCCESS)
		return result;
	qp->peer_id = qp->other.export_id;
	return soft_qp_request(qp, SOFT_REQUEST_MEMORY);
}

static doca_error_t adopt_memory(struct soft_qp *qp, struct rpc_reply *answer)
{
	qp_call_over(qp);
	return soft_qp_join(qp, answer);
}

static void qp_answered(struct soft_qp *qp, doca_error_t result, struct rpc_reply *answer)
{
	if (qp->state == SOFT_CALLED) {
		on_caller(qp, result, answer);
		return;
	}
	if (result == DOCA_SUCCESS)
		result = qp->request == SOFT_REQUEST_CALL ? request_memory(qp, answer)
							  : adopt_memory(qp, answer);
	if (result != DOCA_SUCCESS)
		qp_call_failed(qp, DOCA_ERROR_CONNECTION_ABORTED);
}

static void on_answered(struct soft_qp *qp, uint32_t code)
{
	if (code != DOCA_SUCCESS || soft_qp_request(qp, SOFT_REQUEST_CALL) != DOCA_SUCCESS)
		qp_call_failed(qp, DOCA_ERROR_CONNECTION_ABORTED);
}

static void on_event(struct soft_domain *domain, const struct event *event)
{
	struct soft_qp *qp = find_by_call(domain, event->id);

	if (event->type == EVENT_RDMA_REQUESTED && qp == NULL)
		on_requested(domain, event->id, (uint16_t)event->arg);
	else if (event->type == EVENT_RDMA_ANSWERED && qp != NULL && qp->state == SOFT_CALLING &&
		 qp->request == SOFT_REQUEST_NONE)
		on_answered(qp, event->code);
	else if (event->type == EVENT_RDMA_GONE && qp != NULL && qp->state == SOFT_CALLED)
		qp_call_failed(qp, DOCA_ERROR_CONNECTION_ABORTED);
}

/* Fails the pending calls, or with a time only those whose limit has passed. */
static void calls_expire(struct soft_domain *domain, uint64_t now_ns, doca_error_t reason)
{
	struct soft_qp *qp, *tmp;

	list_for_each_safe(qp, tmp, &domain->qps, node)
	{
		if (qp->call_id == 0 || (qp->state == SOFT_CALLED && now_ns != UINT64_MAX) ||
		    now_ns < qp->deadline_ns)
			continue;
		if (now_ns != UINT64_MAX)
			rendezvous_hang_up(&domain->rendezvous.base, qp->call_id);
		qp_call_failed(qp, reason);
	}
}

/* Drops the endpoint because the new daemon does not know this domain. */
static void soft_rendezvous_close_lost(struct soft_domain *domain)
{
	struct soft_rendezvous *rendezvous = &domain->rendezvous;

	calls_expire(domain, UINT64_MAX, DOCA_ERROR_CONNECTION_ABORTED);
	soft_rendezvous_close(domain);
	for (uint32_t i = 0; i < rendezvous->n_listeners; i++)
		rendezvous->listeners[i].is_registered = false;
	atomic_store(&rendezvous->base.is_lost, false);
	atomic_store(&rendezvous->is_disconnected, false);
	rendezvous->has_unregistered = true;
	rendezvous->pause_ns = 0;
	rendezvous->retry_at_ns = 0;
}

/* Notes that the endpoint's daemon is gone. Whether there is a new one is not known yet. */
static void soft_rendezvous_disconnect(struct soft_domain *domain)
{
	struct soft_rendezvous *rendezvous = &domain->rendezvous;

	calls_expire(domain, UINT64_MAX, DOCA_ERROR_CONNECTION_ABORTED);
	if (rendezvous->n_listeners == 0 || rendezvous->has_unregistered)
		return;
	rendezvous->has_unregistered = true;
	rendezvous->pause_ns = 0;
	rendezvous->retry_at_ns = 0;
}

/* Returns whether the endpoint, if there is one, belongs to the present connection. Without a
 * connection, has the library's thread open one. */
static bool soft_rendezvous_is_current(const struct soft_domain *domain)
{
	const struct soft_rendezvous *rendezvous = &domain->rendezvous;
	bool is_current;

	rpc_lock();
	is_current = !session_is_over_locked() &&
		     (!rendezvous->base.is_open ||
		      rendezvous->base.connection == rpc_connection_locked());
	if (!is_current)
		session_reconnect_locked(rendezvous->pause_ns != 0);
	rpc_unlock();
	return is_current;
}

/* Advances the opening of the endpoint. The device may have to be opened first. */
static doca_error_t reopen_advance(struct soft_domain *domain)
{
	struct soft_rendezvous *rendezvous = &domain->rendezvous;
	const struct rdma_waiter waiter = soft_request_waiter(domain);
	doca_error_t result = DOCA_SUCCESS;

	while (result == DOCA_SUCCESS && !rendezvous->base.is_open) {
		if (rendezvous->opening == NULL)
			result = rendezvous_open_begin(&rendezvous->base, domain->base.dev, false,
						       &waiter, &rendezvous->opening);
		if (result == DOCA_SUCCESS)
			result = rendezvous_open_end(&rendezvous->base, domain->base.dev,
						     &rendezvous->opening);
		if (result == DOCA_SUCCESS && rendezvous->base.is_open)
			result = soft_rendezvous_opened(domain);
	}
	return result;
}

/* A port number that is in use is not logged: the former session may not have ended yet. */
static doca_error_t listener_advance(struct soft_domain *domain, struct soft_listener *listener)
{
	const struct rdma_waiter waiter = soft_request_waiter(domain);
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result;

	if (listener->is_registered)
		return DOCA_SUCCESS;
	if (listener->was_refused)
		return DOCA_ERROR_ALREADY_EXIST;
	if (listener->pending == NULL) {
		result = rendezvous_listen_begin(&domain->rendezvous.base, listener->port_number,
						 &waiter, &listener->pending);
		if (result != DOCA_SUCCESS)
			return result;
	}
	if (!rpc_is_done(listener->pending))
		return DOCA_ERROR_IN_PROGRESS;
	result = rpc_collect(&listener->pending, DOCOCORE__PACKET__BODY_OK, &answer);
	listener->is_registered = result == DOCA_SUCCESS;
	listener->was_refused = result != DOCA_SUCCESS;
	return result;
}

/* Advances the attempt to listen again. Returns SUCCESS if all port numbers are registered, and
 * IN_PROGRESS while replies are pending. */
static doca_error_t reconnect_advance(struct soft_domain *domain)
{
	struct soft_rendezvous *rendezvous = &domain->rendezvous;
	doca_error_t result, worst;

	if (!soft_rendezvous_is_current(domain))
		return DOCA_ERROR_NOT_CONNECTED;
	worst = reopen_advance(domain);
	for (uint32_t i = 0; i < rendezvous->n_listeners && rendezvous->base.is_open; i++) {
		result = listener_advance(domain, &rendezvous->listeners[i]);
		if (result == DOCA_ERROR_IN_PROGRESS || worst == DOCA_SUCCESS)
			worst = result;
	}
	return worst;
}

/* Tries to listen again, with growing pauses. An attempt fails if the daemon is gone again, or if
 * it has not yet released the port numbers of the earlier session. */
static void soft_rendezvous_reconnect(struct soft_domain *domain)
{
	struct soft_rendezvous *rendezvous = &domain->rendezvous;
	uint64_t now_ns = clock_now_ns();
	doca_error_t result = DOCA_SUCCESS;

	if (!rendezvous->is_requesting && now_ns < rendezvous->retry_at_ns)
		return;
	if (!rendezvous->is_requesting)
		result = soft_requests_begin(domain);
	rendezvous->is_requesting |= result == DOCA_SUCCESS;
	if (result == DOCA_SUCCESS)
		result = reconnect_advance(domain);
	if (result == DOCA_ERROR_IN_PROGRESS)
		return;
	soft_rendezvous_cancel(domain);
	rendezvous->has_unregistered = result != DOCA_SUCCESS;
	rendezvous->pause_ns = MIN(MAX(2 * rendezvous->pause_ns, PAUSE_MIN_NS), PAUSE_MAX_NS);
	rendezvous->retry_at_ns = now_ns + rendezvous->pause_ns;
}

/* Returns whether a reply to one of the requests above has arrived. */
static bool soft_rendezvous_has_reply(const struct soft_rendezvous *rendezvous)
{
	bool has_reply = rendezvous->opening != NULL && rpc_is_done(rendezvous->opening);

	for (uint32_t i = 0; i < rendezvous->n_listeners; i++)
		has_reply |= rendezvous->listeners[i].pending != NULL &&
			     rpc_is_done(rendezvous->listeners[i].pending);
	return has_reply;
}

/* Checks for the end of the session once per second, for a user that polls and reads no
 * descriptors. */
static void soft_rendezvous_watch(struct soft_rendezvous *rendezvous)
{
	uint64_t now_ns;

	if (likely(++rendezvous->n_polls < rendezvous->check_polls))
		return;
	rendezvous->n_polls = 0;
	now_ns = clock_now_ns();
	if (now_ns < rendezvous->check_ns) {
		rendezvous->check_polls = MIN(MAX(2 * rendezvous->check_polls, 1u),
					      CHECK_POLLS_MAX);
		return;
	}
	if (now_ns - rendezvous->check_ns > CHECK_EVERY_NS)
		rendezvous->check_polls /= 2;
	session_check_hangup();
	rendezvous->check_ns = now_ns + CHECK_EVERY_NS;
}

void soft_rendezvous_poll(struct soft_domain *domain)
{
	struct soft_rendezvous *rendezvous = &domain->rendezvous;
	struct event event;

	if (rendezvous->n_listeners > 0 || rendezvous->n_calling > 0)
		soft_rendezvous_watch(rendezvous);
	if (unlikely(atomic_load_explicit(&rendezvous->is_disconnected, memory_order_relaxed))) {
		atomic_store(&rendezvous->is_disconnected, false);
		soft_rendezvous_disconnect(domain);
	}
	if (unlikely(atomic_load_explicit(&rendezvous->base.is_lost, memory_order_relaxed)))
		soft_rendezvous_close_lost(domain);
	if (unlikely(rendezvous->has_unregistered))
		soft_rendezvous_reconnect(domain);
	while (rendezvous->base.is_open && list_is_empty(&domain->events) &&
	       event_reader_pending(&rendezvous->base.events) &&
	       event_reader_pop(&rendezvous->base.events, &event) == 1)
		on_event(domain, &event);
	if (unlikely(domain->n_requesting > 0))
		soft_requests_poll(domain, qp_answered);
	if (unlikely(rendezvous->n_calling > 0))
		calls_expire(domain, clock_now_ns(), DOCA_ERROR_TIME_OUT);
}

bool soft_rendezvous_arm(struct soft_domain *domain, uint64_t *at_ns)
{
	struct soft_qp *qp;

	if (atomic_load(&domain->rendezvous.is_disconnected) || soft_requests_arm(domain) ||
	    soft_rendezvous_has_reply(&domain->rendezvous))
		return true;
	/* A time of 0 would disable the timer. */
	if (domain->rendezvous.has_unregistered && !domain->rendezvous.is_requesting)
		*at_ns = MIN(*at_ns, MAX(domain->rendezvous.retry_at_ns, 1u));
	if (!domain->rendezvous.base.is_open)
		return false;
	if (domain->rendezvous.n_calling > 0) {
		list_for_each(qp, &domain->qps, node)
		{
			if (qp->state == SOFT_CALLING)
				*at_ns = MIN(*at_ns, qp->deadline_ns);
		}
	}
	return event_reader_arm(&domain->rendezvous.base.events) ||
	       atomic_load(&domain->rendezvous.base.is_lost);
}

/* --- the user's calls --- */

doca_error_t soft_listen(struct rdma_domain *base, uint16_t port_number)
{
	struct soft_domain *domain = soft_domain_of(base);
	struct soft_rendezvous *rendezvous = &domain->rendezvous;
	doca_error_t result;

	if (rendezvous->n_listeners == SOFT_MAX_LISTENERS)
		return error_set(DOCA_ERROR_FULL,
				 "rdma listen: a context listens on %u port numbers at most",
				 SOFT_MAX_LISTENERS);
	result = soft_rendezvous_open(domain);
	if (result == DOCA_SUCCESS)
		result = rendezvous_notify_listen(rendezvous, port_number);
	if (result == DOCA_SUCCESS)
		rendezvous->listeners[rendezvous->n_listeners++] =
			(struct soft_listener){.port_number = port_number, .is_registered = true};
	return result;
}

doca_error_t soft_unlisten(struct rdma_domain *base, uint16_t port_number)
{
	struct soft_rendezvous *rendezvous = &soft_domain_of(base)->rendezvous;

	for (uint32_t i = 0; i < rendezvous->n_listeners; i++) {
		if (rendezvous->listeners[i].port_number != port_number)
			continue;
		/* If the daemon is gone or was not notified, it does not listen. */
		if (rendezvous->listeners[i].is_registered)
			rendezvous_notify_unlisten(rendezvous, port_number);
		rendezvous->listeners[i].pending = rpc_cancel(rendezvous->listeners[i].pending);
		rendezvous->listeners[i] = rendezvous->listeners[--rendezvous->n_listeners];
		return DOCA_SUCCESS;
	}
	return error_set(DOCA_ERROR_INVALID_VALUE,
			 "rdma stop listening: port %u was not listened on", port_number);
}

static doca_error_t call_begin(struct soft_domain *domain, struct soft_qp *qp,
			       const struct rdma_endpoint *end)
{
	Dococore__RdmaConnect body = DOCOCORE__RDMA_CONNECT__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	uint8_t address[GID_LEN], source[GID_LEN];
	doca_error_t result;

	memcpy(address, end->bytes, GID_LEN);
	if (end->type == RDMA_ADDR_IPV4)
		gid_of_ipv4(end->bytes, 0, address);
	soft_get_gid(domain->base.dev->info, domain->conf.gid_index, source);
	body.endpoint_id = domain->rendezvous.base.id;
	body.address = (ProtobufCBinaryData){GID_LEN, address};
	body.port_number = end->port;
	body.details = (ProtobufCBinaryData){EXPORT_DESCRIPTOR_LEN, qp->export.secrets->descriptor};
	body.source = (ProtobufCBinaryData){GID_LEN, source};
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_CONNECT;
	request.packet.rdma_connect = &body;
	result = rendezvous_request(&domain->rendezvous.base, &request,
				    DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY, &answer);
	if (result == DOCA_SUCCESS)
		qp->call_id = answer.packet->rdma_connect_reply->call_id;
	return result;
}

doca_error_t soft_qp_connect_addr(struct rdma_qp *base, const struct rdma_endpoint *end)
{
	struct soft_qp *qp = soft_qp_of(base);
	struct soft_domain *domain = soft_qp_domain(qp);
	uint8_t details[RDMA_PARAMS_MAX];
	doca_error_t result;
	size_t len;

	if (qp->state != SOFT_NEW)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma connect: the connection was connected before");
	result = soft_qp_params(base, details, &len);
	if (result == DOCA_SUCCESS)
		result = soft_rendezvous_open(domain);
	if (result == DOCA_SUCCESS)
		result = call_begin(domain, qp, end);
	if (result != DOCA_SUCCESS)
		return result;
	qp->state = SOFT_CALLING;
	qp->deadline_ns = clock_now_ns() + domain->conf.connect_timeout_ms * NS_PER_MS;
	domain->rendezvous.n_calling++;
	qp->end = *end;
	qp->has_end = true;
	return DOCA_SUCCESS;
}

/* private_data is ignored: the other end has no call to read it with. */
doca_error_t soft_qp_accept(struct rdma_qp *base, const void *private_data, uint8_t private_len)
{
	struct soft_qp *qp = soft_qp_of(base);
	uint64_t call_id = qp->call_id;
	doca_error_t result;

	(void)private_data;
	if (private_len > RDMA_PRIVATE_MAX)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma accept: %u bytes of private data; %u are allowed",
				 private_len, RDMA_PRIVATE_MAX);
	if (qp->state != SOFT_CALLED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma accept: the other end has cancelled its request");
	qp->state = SOFT_NEW;
	result = soft_qp_connect(base, qp->caller, EXPORT_DESCRIPTOR_LEN);
	if (result == DOCA_SUCCESS) {
		qp->call_id = 0;
		result = rendezvous_accept(&soft_qp_domain(qp)->rendezvous.base, call_id,
					   qp->export.secrets->descriptor, EXPORT_DESCRIPTOR_LEN);
		if (result == DOCA_SUCCESS)
			return DOCA_SUCCESS;
		soft_qp_end(qp, QP_END_BROKEN, RDMA_QP_ESTABLISHED, DOCA_SUCCESS);
		qp->events_due = 0;
		list_remove(&qp->event_node);
	}
	soft_qp_hang_up(qp);
	qp->state = SOFT_ENDED;
	/* No other event would report the end to the user. */
	soft_report(qp, RDMA_QP_FAILED, DOCA_ERROR_CONNECTION_ABORTED);
	if (result == DOCA_ERROR_NO_MEMORY)
		return result;
	return error_set(
		DOCA_ERROR_CONNECTION_ABORTED,
		"rdma accept: the end that requested the connection has cancelled it, or ended");
}

doca_error_t soft_qp_reject(struct rdma_qp *base)
{
	struct soft_qp *qp = soft_qp_of(base);

	if (qp->state != SOFT_CALLED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma reject: the other end has cancelled its request");
	soft_qp_hang_up(qp);
	qp->state = SOFT_ENDED;
	return DOCA_SUCCESS;
}

int soft_qp_get_addr(const struct rdma_qp *base, struct rdma_endpoint *end_out)
{
	const struct soft_qp *qp = container_of(base, const struct soft_qp, base);

	if (!qp->has_end)
		return -ENOTCONN;
	*end_out = qp->end;
	return 0;
}
