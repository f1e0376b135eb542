/*
 * Connections by address, with rdma_cm. The queue pairs are created in the library's own context
 * and protection domain. The communication manager only exchanges parameters and determines the
 * attributes of each state. See client/rma/verbs/domain.h.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/device/dev.h"
#include "client/rma/verbs/domain.h"
#include "util/clock.h"

#define BACKLOG            64
#define DEFAULT_TIMEOUT_MS 2000
/* After a peer's disconnect, the time to wait for acknowledgements that the disconnect overtook. It
 * equals the time that this end drains. */
#define DISCONNECT_NS VERBS_DRAIN_NS

struct verbs_listener {
	struct list node;
	struct rdma_cm_id *id;
	uint16_t port_number;
};

static doca_error_t cm_failed(const struct verbs_domain *domain, const char *what, int error)
{
	doca_error_t code = DOCA_ERROR_OPERATING_SYSTEM;

	if (error == EADDRINUSE)
		code = DOCA_ERROR_IN_USE;
	else if (error == EACCES || error == EPERM)
		code = DOCA_ERROR_NOT_PERMITTED;
	else if (error == ENOMEM)
		code = DOCA_ERROR_NO_MEMORY;
	return error_set(code, "rdma: %s on %s: %s", what, domain->device->name, strerror(error));
}

/* Creates the event channel when it is first needed. */
static doca_error_t cm_ensure(struct verbs_domain *domain)
{
	const char *why = "";
	int flags, r;

	if (domain->is_removed)
		return error_set(DOCA_ERROR_OPERATING_SYSTEM,
				 "rdma: %s was removed; open the device again",
				 domain->device->name);
	if (domain->cm_channel != NULL)
		return DOCA_SUCCESS;
	domain->cm = cm_api(&why);
	if (domain->cm == NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED, "rdma: no connections by address: %s",
				 why);
	domain->cm_channel = domain->cm->create_event_channel();
	if (domain->cm_channel == NULL)
		return cm_failed(domain, "connections by address need /dev/infiniband/rdma_cm",
				 errno);
	flags = fcntl(domain->cm_channel->fd, F_GETFL);
	r = flags < 0 || fcntl(domain->cm_channel->fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno
											: 0;
	if (r == 0)
		r = verbs_device_watch(domain->device, domain->cm_channel->fd);
	if (r == 0)
		return DOCA_SUCCESS;
	domain->cm->destroy_event_channel(domain->cm_channel);
	domain->cm_channel = NULL;
	return cm_failed(domain, "waiting for connections", -r);
}

/* Returns whether the identifier is of this domain's device. */
bool verbs_cm_is_own_device(const struct verbs_domain *domain, const struct rdma_cm_id *id)
{
	return id->verbs != NULL &&
	       strcmp(domain->device->api->get_device_name(id->verbs->device),
		      domain->device->name) == 0 &&
	       id->port_num == VERBS_PORT_NUM;
}

/* --- listening --- */

static struct verbs_listener *listener_find(struct verbs_domain *domain, uint16_t port_number)
{
	struct verbs_listener *listener;

	list_for_each(listener, &domain->listeners, node)
	{
		if (listener->port_number == port_number)
			return listener;
	}
	return NULL;
}

static void listener_free(struct verbs_domain *domain, struct verbs_listener *listener)
{
	if (listener->id != NULL)
		domain->cm->destroy_id(listener->id);
	list_remove(&listener->node);
	free(listener);
}

doca_error_t verbs_listen(struct rdma_domain *base, uint16_t port_number)
{
	struct verbs_domain *domain = verbs_domain_of(base);
	/* The wildcard IPv6 address accepts IPv4 connections too. */
	struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(port_number)};
	struct verbs_listener *listener;
	doca_error_t result = cm_ensure(domain);

	if (result != DOCA_SUCCESS)
		return result;
	if (listener_find(domain, port_number) != NULL)
		return error_set(DOCA_ERROR_IN_USE, "rdma: port %u is listened to already",
				 port_number);
	listener = calloc(1, sizeof(*listener));
	if (listener == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma: out of memory");
	listener->port_number = port_number;
	list_init(&listener->node);
	if (domain->cm->create_id(domain->cm_channel, &listener->id, NULL, RDMA_PS_TCP) != 0 ||
	    domain->cm->bind_addr(listener->id, (struct sockaddr *)&any) != 0 ||
	    domain->cm->listen(listener->id, BACKLOG) != 0) {
		result = cm_failed(domain, "listening", errno);
		listener_free(domain, listener);
		return result;
	}
	list_append(&domain->listeners, &listener->node);
	return DOCA_SUCCESS;
}

doca_error_t verbs_unlisten(struct rdma_domain *base, uint16_t port_number)
{
	struct verbs_domain *domain = verbs_domain_of(base);
	struct verbs_listener *listener = listener_find(domain, port_number);

	if (listener == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND, "rdma: port %u is not listened to",
				 port_number);
	/* Requests that have arrived refer to the listener until they are acknowledged. */
	verbs_cm_progress(domain);
	listener_free(domain, listener);
	return DOCA_SUCCESS;
}

/* --- states --- */

int verbs_cm_modify(struct verbs_qp *qp, enum ibv_qp_state state)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	struct ibv_qp_attr attr = {.qp_state = state};
	int mask;

	if (domain->cm->init_qp_attr(qp->id, &attr, &mask) != 0)
		return errno;
	if (state == IBV_QPS_INIT)
		attr.qp_access_flags = verbs_qp_access(domain);
	/* The number of parallel reads is the smaller of what the other end offers and what this
	 * device supports. The answer to a request contains the same numbers. */
	if (state == IBV_QPS_RTR) {
		qp->first_psn = attr.rq_psn;
		attr.max_dest_rd_atomic = MIN(attr.max_dest_rd_atomic, verbs_max_resources(domain));
		qp->n_answered = attr.max_dest_rd_atomic;
	}
	/* The path MTU remains what the communication manager negotiated: the other end has the
	 * same, and a device rejects packets that were cut differently. */
	if (state == IBV_QPS_RTS) {
		attr.timeout = VERBS_ACK_TIMEOUT;
		attr.retry_cnt = VERBS_ACK_RETRIES;
		/* The manager has the value that the other end wants for itself. */
		attr.rnr_retry = domain->conf.rnr_retry;
		attr.max_rd_atomic = MIN(attr.max_rd_atomic, verbs_max_depth(domain));
		qp->n_started = attr.max_rd_atomic;
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY;
	}
	return domain->device->api->modify_qp(qp->qp, &attr, mask);
}

int verbs_cm_make_ready(struct verbs_qp *qp)
{
	int r = verbs_cm_modify(qp, IBV_QPS_INIT);

	if (r == 0)
		r = verbs_cm_modify(qp, IBV_QPS_RTR);
	return r == 0 ? verbs_cm_modify(qp, IBV_QPS_RTS) : r;
}

void verbs_cm_set_deadline(struct verbs_qp *qp, uint64_t in_ns)
{
	qp->has_deadline = true;
	qp->deadline_ns = clock_now_ns() + in_ns;
	verbs_domain_of(qp->base.domain)->n_connecting++;
}

static void deadline_connect(struct verbs_qp *qp)
{
	uint32_t ms = verbs_domain_of(qp->base.domain)->conf.connect_timeout_ms;

	verbs_cm_set_deadline(qp, (uint64_t)(ms != 0 ? ms : DEFAULT_TIMEOUT_MS) * NS_PER_MS);
}

void verbs_cm_clear_deadline(struct verbs_qp *qp)
{
	if (qp->has_deadline)
		verbs_domain_of(qp->base.domain)->n_connecting--;
	qp->has_deadline = false;
}

struct rdma_conn_param verbs_cm_param(const struct verbs_qp *qp)
{
	const struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	return (struct rdma_conn_param){
		.responder_resources = verbs_max_resources(domain),
		.initiator_depth = verbs_max_depth(domain),
		.retry_count = VERBS_ACK_RETRIES,
		.rnr_retry_count = domain->conf.rnr_retry,
		.srq = 1,
		.qp_num = qp->number,
	};
}

static void qp_fail(struct verbs_qp *qp, doca_error_t reason, const char *why)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	if (qp->state != VERBS_QP_CONNECTING && qp->state != VERBS_QP_REQUESTED)
		return;
	verbs_cm_clear_deadline(qp);
	sdk_warning("rdma: a connection by address on %s failed: %s", domain->device->name, why);
	verbs_qp_break(qp, reason);
}

static void qp_establish(struct verbs_qp *qp)
{
	verbs_cm_clear_deadline(qp);
	qp->state = VERBS_QP_READY;
	verbs_qp_report(qp, VERBS_EVENT_ESTABLISHED, DOCA_SUCCESS);
}

/* Completes a disconnect by the peer, once its acknowledgements are known. */
static void qp_peer_left(struct verbs_qp *qp)
{
	verbs_cm_disconnect(qp);
	verbs_qp_to_error(qp);
	verbs_qp_report(qp, VERBS_EVENT_DISCONNECTED, DOCA_ERROR_CONNECTION_RESET);
}

void verbs_cm_check_deadlines(struct verbs_domain *domain)
{
	uint64_t now = clock_now_ns();
	struct verbs_qp *qp;

	list_for_each(qp, &domain->qps, node)
	{
		if (!qp->has_deadline || qp->state == VERBS_QP_DRAINING)
			continue;
		if (qp->state == VERBS_QP_READY) {
			if (qp->posted.head != NULL && now < qp->deadline_ns)
				continue;
			/* A completion that has arrived may have ended the queue pair for another
			 * reason. */
			verbs_reap(domain);
			if (qp->state == VERBS_QP_READY)
				qp_peer_left(qp);
		} else if (now >= qp->deadline_ns) {
			qp_fail(qp, DOCA_ERROR_TIME_OUT, "it timed out");
		}
	}
	if (domain->n_draining > 0)
		verbs_drain_check(domain, now);
}

uint64_t verbs_cm_next_deadline(const struct verbs_domain *domain)
{
	uint64_t at_ns = UINT64_MAX;
	const struct verbs_qp *qp;

	list_for_each(qp, &domain->qps, node)
	{
		if (qp->has_deadline)
			at_ns = MIN(at_ns, qp->deadline_ns);
	}
	return at_ns;
}

/* --- active side --- */

static bool end_to_sockaddr(const struct verbs_domain *domain, const struct rdma_endpoint *end,
			    struct sockaddr_storage *to)
{
	static const uint8_t v4_mapped[12] = {[10] = 0xff, [11] = 0xff};
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	/* On Ethernet, GIDs are IP addresses of its interfaces. */
	if (end->type == RDMA_ADDR_GID &&
	    domain->device->port.link_layer != IBV_LINK_LAYER_ETHERNET)
		return false;
	if (end->type == RDMA_ADDR_IPV4 || memcmp(end->bytes, v4_mapped, sizeof(v4_mapped)) == 0) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(end->port);
		memcpy(&v4->sin_addr, end->bytes + (end->type == RDMA_ADDR_IPV4 ? 0 : 12), 4);
		return true;
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(end->port);
	memcpy(&v6->sin6_addr, end->bytes, 16);
	if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr))
		v6->sin6_scope_id = if_nametoindex(domain->base.dev->info->iface);
	return true;
}

/* Sets *from_out to the address of the GID that the program chose, if a route to the destination
 * can start there. Otherwise sets it to NULL, and the system chooses. */
static doca_error_t source_choose(const struct verbs_domain *domain,
				  const struct sockaddr_storage *to, struct sockaddr_storage *from,
				  struct sockaddr **from_out)
{
	struct rdma_endpoint end = {.type = RDMA_ADDR_GID};
	union ibv_gid gid;
	doca_error_t result;

	*from_out = NULL;
	if (!domain->conf.has_gid_index)
		return DOCA_SUCCESS;
	result = verbs_domain_gid(domain, &gid);
	if (result != DOCA_SUCCESS)
		return result;
	memcpy(end.bytes, gid.raw, sizeof(gid.raw));
	if (end_to_sockaddr(domain, &end, from) && from->ss_family == to->ss_family)
		*from_out = (struct sockaddr *)from;
	return DOCA_SUCCESS;
}

doca_error_t verbs_qp_connect_addr(struct rdma_qp *base, const struct rdma_endpoint *end)
{
	struct verbs_qp *qp = verbs_qp_of(base);
	struct verbs_domain *domain = verbs_domain_of(base->domain);
	uint32_t ms = domain->conf.connect_timeout_ms;
	struct sockaddr_storage to, from;
	struct sockaddr *source;
	doca_error_t result;

	if (qp->state != VERBS_QP_NEW)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma: the connection was connected before; make a new one");
	result = cm_ensure(domain);
	if (result != DOCA_SUCCESS)
		return result;
	if (!end_to_sockaddr(domain, end, &to))
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "rdma: a GID is no address that %s can connect to; use its IP "
				 "address",
				 domain->device->name);
	result = source_choose(domain, &to, &from, &source);
	if (result != DOCA_SUCCESS)
		return result;
	if (domain->cm->create_id(domain->cm_channel, &qp->id, qp, RDMA_PS_TCP) != 0) {
		qp->id = NULL;
		return cm_failed(domain, "connecting", errno);
	}
	if (domain->cm->resolve_addr(qp->id, source, (struct sockaddr *)&to,
				     (int)(ms != 0 ? ms : DEFAULT_TIMEOUT_MS)) != 0) {
		result = cm_failed(domain, "resolving the route to the address", errno);
		verbs_cm_qp_deinit(qp);
		return result;
	}
	qp->state = VERBS_QP_CONNECTING;
	deadline_connect(qp);
	return DOCA_SUCCESS;
}

static void on_addr(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	uint32_t ms = domain->conf.connect_timeout_ms;

	if (!verbs_cm_is_own_device(domain, qp->id))
		qp_fail(qp, DOCA_ERROR_CONNECTION_ABORTED,
			"the route to that address leads through another device");
	else if (domain->cm->resolve_route(qp->id, (int)(ms != 0 ? ms : DEFAULT_TIMEOUT_MS)) != 0)
		qp_fail(qp, DOCA_ERROR_CONNECTION_ABORTED, strerror(errno));
}

static void on_route(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	struct rdma_conn_param param = verbs_cm_param(qp);

	if (domain->cm->connect(qp->id, &param) != 0)
		qp_fail(qp, DOCA_ERROR_CONNECTION_ABORTED, strerror(errno));
}

static void on_response(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);
	int r = verbs_cm_make_ready(qp);

	if (r == 0 && domain->cm->establish(qp->id) != 0)
		r = errno;
	if (r != 0)
		qp_fail(qp, DOCA_ERROR_CONNECTION_ABORTED, strerror(r));
	else
		qp_establish(qp);
}

/* --- passive side --- */

static void on_request(struct verbs_domain *domain, const struct rdma_cm_event *event)
{
	struct rdma_cm_id *id = event->id;
	struct rdma_qp *base;
	struct verbs_qp *qp;

	if (!verbs_cm_is_own_device(domain, id) ||
	    verbs_qp_new(&domain->base, NULL, &base) != DOCA_SUCCESS) {
		sdk_warning("rdma: a connection that a peer asked for on %s is refused: it came "
			    "by another device, or there is no room for it",
			    domain->device->name);
		(void)domain->cm->reject(id, NULL, 0);
		/* The caller destroys the identifier after acknowledging its event. */
		return;
	}
	qp = verbs_qp_of(base);
	qp->id = id;
	qp->is_asked = true;
	id->context = qp;
	qp->state = VERBS_QP_REQUESTED;
	verbs_qp_report(qp, VERBS_EVENT_REQUESTED, DOCA_SUCCESS);
}

doca_error_t verbs_qp_accept(struct rdma_qp *base, const void *private_data, uint8_t private_len)
{
	struct verbs_qp *qp = verbs_qp_of(base);
	struct verbs_domain *domain = verbs_domain_of(base->domain);
	struct rdma_conn_param param = verbs_cm_param(qp);
	int r;

	if (qp->state != VERBS_QP_REQUESTED || qp->has_deadline)
		return error_set(DOCA_ERROR_BAD_STATE, "rdma: the connection is none that a peer "
						       "asked for and that waits for an answer");
	if (private_len > RDMA_PRIVATE_MAX)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma: private data have at most %u bytes", RDMA_PRIVATE_MAX);
	param.private_data = private_data;
	param.private_data_len = private_len;
	r = verbs_cm_make_ready(qp);
	param.responder_resources = qp->n_answered;
	param.initiator_depth = qp->n_started;
	if (r == 0 && domain->cm->accept(qp->id, &param) != 0)
		r = errno;
	if (r != 0) {
		qp_fail(qp, DOCA_ERROR_CONNECTION_ABORTED, strerror(r));
		return DOCA_SUCCESS;
	}
	deadline_connect(qp);
	return DOCA_SUCCESS;
}

doca_error_t verbs_qp_reject(struct rdma_qp *base)
{
	struct verbs_qp *qp = verbs_qp_of(base);
	struct verbs_domain *domain = verbs_domain_of(base->domain);

	if (qp->state != VERBS_QP_REQUESTED || qp->has_deadline)
		return error_set(DOCA_ERROR_BAD_STATE, "rdma: the connection is none that a peer "
						       "asked for and that waits for an answer");
	(void)domain->cm->reject(qp->id, NULL, 0);
	qp->state = VERBS_QP_ENDED;
	return DOCA_SUCCESS;
}

/* --- events --- */

static void on_disconnected(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	if (qp->state == VERBS_QP_DRAINING) {
		verbs_drain_expire(qp);
		return;
	}
	if (qp->state != VERBS_QP_READY) {
		qp_fail(qp, DOCA_ERROR_CONNECTION_RESET, "the peer left");
		return;
	}
	/* Messages that the peer sent before its disconnect are received first. */
	verbs_reap(domain);
	if (qp->state != VERBS_QP_READY || qp->has_deadline)
		return;
	/* A peer may disconnect as soon as it has received everything. Requests that it
	 * acknowledged have not failed, so wait for the acknowledgements. */
	if (qp->posted.head != NULL)
		verbs_cm_set_deadline(qp, DISCONNECT_NS);
	else
		qp_peer_left(qp);
}

static void on_event(struct verbs_domain *domain, const struct rdma_cm_event *event)
{
	struct verbs_qp *qp = event->id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		on_request(domain, event);
		return;
	}
	/* Events of a listener have no queue pair. */
	if (qp == NULL)
		return;
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (qp->state == VERBS_QP_CONNECTING)
			on_addr(qp);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		if (qp->state == VERBS_QP_CONNECTING)
			on_route(qp);
		break;
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		if (qp->state == VERBS_QP_CONNECTING)
			on_response(qp);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (qp->state == VERBS_QP_REQUESTED)
			qp_establish(qp);
		break;
	case RDMA_CM_EVENT_REJECTED:
		qp_fail(qp, DOCA_ERROR_CONNECTION_ABORTED,
			"the peer rejects it, or no program listens there");
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
		qp_fail(qp, DOCA_ERROR_CONNECTION_ABORTED, "the peer cannot be reached");
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		on_disconnected(qp);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		atomic_store(&domain->device->is_removed, true);
		atomic_store(&domain->wakeup.has_events, true);
		break;
	default:
		break;
	}
}

void verbs_cm_progress(struct verbs_domain *domain)
{
	struct rdma_cm_event *event;

	while (domain->cm->get_cm_event(domain->cm_channel, &event) == 0) {
		struct rdma_cm_id *id = event->id;
		bool is_new = event->event == RDMA_CM_EVENT_CONNECT_REQUEST;

		on_event(domain, event);
		domain->cm->ack_cm_event(event);
		/* A request that was rejected at once has no owner. */
		if (is_new && id->context == NULL)
			domain->cm->destroy_id(id);
	}
}

void verbs_cm_release_id(struct verbs_qp *qp)
{
	if (!qp->is_users_id)
		return;
	if (qp->id->qp == qp->qp)
		qp->id->qp = NULL;
	qp->id = NULL;
	qp->is_users_id = false;
}

/* --- disconnecting --- */

void verbs_cm_disconnect(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	verbs_cm_clear_deadline(qp);
	if (qp->id != NULL)
		(void)domain->cm->disconnect(qp->id);
	verbs_cm_release_id(qp);
}

void verbs_cm_qp_deinit(struct verbs_qp *qp)
{
	struct verbs_domain *domain = verbs_domain_of(qp->base.domain);

	verbs_cm_clear_deadline(qp);
	verbs_cm_release_id(qp);
	if (qp->id == NULL)
		return;
	domain->cm->destroy_id(qp->id);
	qp->id = NULL;
}

void verbs_cm_deinit(struct verbs_domain *domain)
{
	struct verbs_listener *listener, *tmp;

	list_for_each_safe(listener, tmp, &domain->listeners, node) listener_free(domain, listener);
	if (domain->cm_channel == NULL)
		return;
	verbs_device_unwatch(domain->device, domain->cm_channel->fd);
	domain->cm->destroy_event_channel(domain->cm_channel);
	domain->cm_channel = NULL;
}

static uint16_t port_number_of(const struct sockaddr *addr)
{
	return ntohs(addr->sa_family == AF_INET
			     ? ((const struct sockaddr_in *)(const void *)addr)->sin_port
			     : ((const struct sockaddr_in6 *)(const void *)addr)->sin6_port);
}

int verbs_qp_get_addr(const struct rdma_qp *base, struct rdma_endpoint *end_out)
{
	const struct verbs_qp *qp = verbs_qp_of(base);
	const struct sockaddr *addr;
	struct rdma_endpoint end = {.port = 0};

	if (qp->id == NULL || qp->state == VERBS_QP_CONNECTING)
		return -ENOTCONN;
	addr = &qp->id->route.addr.dst_addr;
	if (addr->sa_family == AF_INET) {
		const struct sockaddr_in *v4 = (const struct sockaddr_in *)addr;

		end.type = RDMA_ADDR_IPV4;
		memcpy(end.bytes, &v4->sin_addr, 4);
	} else if (addr->sa_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)addr;

		end.type = RDMA_ADDR_IPV6;
		memcpy(end.bytes, &v6->sin6_addr, 16);
	} else {
		return -ENOTCONN;
	}
	/* At both ends, the port number of the listening end. */
	end.port = port_number_of(qp->is_asked ? &qp->id->route.addr.src_addr : addr);
	*end_out = end;
	return 0;
}
