/* Rendezvous endpoints; see client/rma/rendezvous.h. */
#include "client/rma/rendezvous.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/device/dev.h"
#include "proto/gid.h"
#include "util/fd.h"

/* --- life --- */

/* Called on any thread with the session's lock held. */
static void rendezvous_restore(struct session_item *item)
{
	struct rendezvous *rendezvous = container_of(item, struct rendezvous, item);

	atomic_store(&rendezvous->is_lost, true);
	fd_eventfd_ring(rendezvous->events.eventfd);
}

static void endpoint_post_close_locked(uint64_t endpoint_id)
{
	Dococore__RdmaClose body = DOCOCORE__RDMA_CLOSE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.endpoint_id = endpoint_id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_CLOSE;
	request.packet.rdma_close = &body;
	rpc_post_locked(&request);
}

/* Uses the endpoint that the daemon has made, or has the daemon remove it. */
static doca_error_t rendezvous_adopt(struct rendezvous *rendezvous, struct rpc_reply *answer)
{
	const Dococore__RdmaOpenReply *reply = answer->packet->rdma_open_reply;
	CLEANUP_FD int memfd = fdset_steal(&answer->fds, 0);
	CLEANUP_FD int eventfd = fdset_steal(&answer->fds, 1);
	int r = event_reader_init(&rendezvous->events, memfd, eventfd, reply->event_ring_len);

	if (r < 0)
		endpoint_post_close_locked(reply->endpoint_id);
	if (r == -ENOMEM)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "rdma: out of memory for the daemon's event ring");
	if (r < 0)
		return error_set(error_from_errno(r),
				 "rdma: the daemon's event ring is not usable (error %d)", -r);
	memfd = eventfd = -1;
	rendezvous->id = reply->endpoint_id;
	memcpy(rendezvous->daemon_id, answer->daemon_id, sizeof(rendezvous->daemon_id));
	rendezvous->connection = answer->connection;
	rendezvous->is_open = true;
	return DOCA_SUCCESS;
}

static void rendezvous_init(struct rendezvous *rendezvous)
{
	*rendezvous = (struct rendezvous){.item.on_reconnect = rendezvous_restore,
					  .events = EVENT_READER_INIT};
	list_init(&rendezvous->item.node);
}

doca_error_t rendezvous_open(struct rendezvous *rendezvous, struct doca_dev *dev,
			     bool serves_exports, bool relays, bool streams_only)
{
	Dococore__RdmaOpen body = DOCOCORE__RDMA_OPEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result;

	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN;
	request.packet.rdma_open = &body;
	body.serves_exports = serves_exports;
	body.relays = relays;
	body.streams_only = streams_only;
	rendezvous_init(rendezvous);
	rpc_lock();
	result = dev_get_handle_locked(dev, &body.device);
	if (result == DOCA_SUCCESS)
		result = rpc_call_locked(&request, DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY, &answer);
	if (result == DOCA_SUCCESS)
		result = rendezvous_adopt(rendezvous, &answer);
	if (result == DOCA_SUCCESS)
		session_item_add_locked(&rendezvous->item);
	rpc_unlock();
	return result;
}

static doca_error_t rendezvous_send_open_locked(struct rendezvous *rendezvous,
						const struct doca_dev *dev, bool relays,
						const struct rdma_waiter *waiter,
						struct rpc_pending **pending_out)
{
	const struct rpc_options options = {.on_done = waiter->on_done, .user = waiter->user};
	Dococore__RdmaOpen body = DOCOCORE__RDMA_OPEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	if (session_is_over_locked())
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "rdma: the daemon that imported the memory is gone");
	rendezvous->awaits_dev = dev->handle == 0;
	if (rendezvous->awaits_dev)
		return dev_open_begin_locked(dev, waiter->on_done, waiter->user, pending_out);
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN;
	request.packet.rdma_open = &body;
	body.device = dev->handle;
	body.relays = body.streams_only = relays;
	return rpc_begin_locked(&request, &options, pending_out);
}

doca_error_t rendezvous_open_begin(struct rendezvous *rendezvous, const struct doca_dev *dev,
				   bool relays, const struct rdma_waiter *waiter,
				   struct rpc_pending **pending_out)
{
	doca_error_t result;

	rpc_lock();
	result = rendezvous_send_open_locked(rendezvous, dev, relays, waiter, pending_out);
	rpc_unlock();
	return result;
}

static doca_error_t rendezvous_end_locked(struct rendezvous *rendezvous,
					  struct rpc_pending **pending)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	bool is_current = rpc_is_current_locked(*pending);
	doca_error_t result;

	result = rpc_collect(pending, DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY, &answer);
	rendezvous_init(rendezvous);
	if (result == DOCA_SUCCESS && !is_current)
		result = error_set(DOCA_ERROR_CONNECTION_ABORTED,
				   "rdma: the daemon was restarted; try again");
	if (result == DOCA_SUCCESS)
		result = rendezvous_adopt(rendezvous, &answer);
	if (result == DOCA_SUCCESS)
		session_item_add_locked(&rendezvous->item);
	return result;
}

doca_error_t rendezvous_open_end(struct rendezvous *rendezvous, struct doca_dev *dev,
				 struct rpc_pending **pending)
{
	doca_error_t result;

	if (!rpc_is_done(*pending))
		return DOCA_ERROR_IN_PROGRESS;
	rpc_lock();
	result = rendezvous->awaits_dev ? dev_open_end_locked(dev, pending)
					: rendezvous_end_locked(rendezvous, pending);
	rpc_unlock();
	return result;
}

/* For another connection, the numbers are those of other objects. */
static bool rendezvous_is_known_locked(const struct rendezvous *rendezvous)
{
	return !atomic_load(&rendezvous->is_lost) &&
	       rendezvous->connection == rpc_connection_locked();
}

/* Sends without waiting, because the daemon may be slow. */
void rendezvous_notify(const struct rendezvous *rendezvous, struct rpc_request *request)
{
	rpc_lock();
	if (rendezvous_is_known_locked(rendezvous))
		rpc_post_locked(request);
	rpc_unlock();
}

void rendezvous_close_locked(struct rendezvous *rendezvous)
{
	if (!rendezvous->is_open)
		return;
	if (rendezvous_is_known_locked(rendezvous))
		endpoint_post_close_locked(rendezvous->id);
	session_item_remove_locked(&rendezvous->item);
	rendezvous->is_open = false;
	event_reader_deinit(&rendezvous->events);
}

void rendezvous_close(struct rendezvous *rendezvous)
{
	if (!rendezvous->is_open)
		return;
	rpc_lock();
	rendezvous_close_locked(rendezvous);
	rpc_unlock();
}

bool rendezvous_is_replaced(const struct rendezvous *rendezvous)
{
	if (!rendezvous->is_open)
		return false;
	rpc_lock();
	/* The result is ignored: if this fails, the caller's next request fails too. */
	(void)session_ensure_locked();
	rpc_unlock();
	return atomic_load(&rendezvous->is_lost);
}

bool rendezvous_is_orphan(const struct rendezvous *rendezvous)
{
	bool is_disconnected;

	rpc_lock();
	is_disconnected = session_is_over_locked();
	rpc_unlock();
	return is_disconnected || atomic_load(&rendezvous->is_lost);
}

/* --- calls --- */

doca_error_t rendezvous_request(const struct rendezvous *rendezvous, struct rpc_request *request,
				Dococore__Packet__BodyCase expected, struct rpc_reply *answer_out)
{
	doca_error_t result;

	rpc_lock();
	result = session_ensure_locked();
	if (result == DOCA_SUCCESS && atomic_load(&rendezvous->is_lost))
		result = error_set(DOCA_ERROR_CONNECTION_ABORTED,
				   "rdma: the daemon was restarted; try again");
	if (result == DOCA_SUCCESS)
		result = rpc_call_locked(request, expected, answer_out);
	rpc_unlock();
	return result;
}

/* Checks that the import is of the endpoint's daemon. Otherwise the request must not be sent. */
static doca_error_t call_check(const struct rendezvous *rendezvous, const uint8_t import_daemon[16])
{
	if (memcmp(import_daemon, rendezvous->daemon_id, sizeof(rendezvous->daemon_id)) == 0)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_CONNECTION_RESET,
			 "rdma: the daemon that imported this was replaced since by one "
			 "that knows nothing of it; import it again");
}

static void call_fill(struct rpc_request *request, Dococore__RdmaConnect *body,
		      const struct rendezvous *rendezvous, uint64_t import_id,
		      const struct rdma_params *details)
{
	static const uint8_t nowhere[GID_LEN];

	body->endpoint_id = rendezvous->id;
	body->import_id = import_id;
	body->relay = details->is_relay;
	body->address = body->source = (ProtobufCBinaryData){GID_LEN, (uint8_t *)nowhere};
	body->details = (ProtobufCBinaryData){details->len, (uint8_t *)details->bytes};
	request->packet.body_case = DOCOCORE__PACKET__BODY_RDMA_CONNECT;
	request->packet.rdma_connect = body;
}

doca_error_t rendezvous_begin(const struct rendezvous *rendezvous, struct rpc_request *request,
			      const struct rpc_options *options, struct rpc_pending **pending_out)
{
	doca_error_t result;

	rpc_lock();
	if (atomic_load(&rendezvous->is_lost) || rendezvous->connection != rpc_connection_locked())
		result = error_set(DOCA_ERROR_CONNECTION_ABORTED,
				   "rdma: the daemon was restarted; try again");
	else
		result = rpc_begin_locked(request, options, pending_out);
	rpc_unlock();
	return result;
}

doca_error_t rendezvous_call_begin(const struct rendezvous *rendezvous, uint64_t import_id,
				   const uint8_t import_daemon[16],
				   const struct rdma_params *details,
				   const struct rdma_waiter *waiter,
				   struct rpc_pending **pending_out)
{
	const struct rpc_options options = {.on_done = waiter->on_done, .user = waiter->user};
	Dococore__RdmaConnect body = DOCOCORE__RDMA_CONNECT__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	doca_error_t result = call_check(rendezvous, import_daemon);

	if (result != DOCA_SUCCESS)
		return result;
	call_fill(&request, &body, rendezvous, import_id, details);
	return rendezvous_begin(rendezvous, &request, &options, pending_out);
}

doca_error_t rendezvous_call_end(struct rpc_pending **pending, uint64_t *call_id_out)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result;

	if (!rpc_is_done(*pending))
		return DOCA_ERROR_IN_PROGRESS;
	result = rpc_collect(pending, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY, &answer);
	if (result == DOCA_SUCCESS)
		*call_id_out = answer.packet->rdma_connect_reply->call_id;
	return result;
}

doca_error_t rendezvous_fetch_begin(const struct rendezvous *rendezvous, uint64_t call_id,
				    const struct rdma_waiter *waiter,
				    struct rpc_pending **pending_out)
{
	const struct rpc_options options = {.on_done = waiter->on_done,
					    .user = waiter->user,
					    .expected_refusal = DOCA_ERROR_NOT_FOUND};
	Dococore__RdmaFetch body = DOCOCORE__RDMA_FETCH__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.call_id = call_id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_FETCH;
	request.packet.rdma_fetch = &body;
	return rendezvous_begin(rendezvous, &request, &options, pending_out);
}

doca_error_t rendezvous_fetch_end(struct rpc_pending **pending, struct rpc_reply *answer_out)
{
	if (!rpc_is_done(*pending))
		return DOCA_ERROR_IN_PROGRESS;
	return rpc_collect(pending, DOCOCORE__PACKET__BODY_RDMA_CALL, answer_out);
}

doca_error_t rendezvous_fetch(const struct rendezvous *rendezvous, uint64_t call_id,
			      struct rpc_reply *answer_out)
{
	Dococore__RdmaFetch body = DOCOCORE__RDMA_FETCH__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.call_id = call_id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_FETCH;
	request.packet.rdma_fetch = &body;
	request.expected_refusal = DOCA_ERROR_NOT_FOUND;
	return rendezvous_request(rendezvous, &request, DOCOCORE__PACKET__BODY_RDMA_CALL,
				  answer_out);
}

doca_error_t rdma_params_parse(const struct rpc_reply *answer, struct rdma_params *params_out)
{
	const Dococore__RdmaCall *call = answer->packet->rdma_call;

	if (call->details.len == 0 || call->details.len > sizeof(params_out->bytes))
		return error_set(DOCA_ERROR_UNEXPECTED, "rdma: the daemon's answer is malformed");
	memcpy(params_out->bytes, call->details.data, call->details.len);
	params_out->len = call->details.len;
	params_out->is_relay = call->relay;
	params_out->is_pci = call->pci;
	return DOCA_SUCCESS;
}

doca_error_t rendezvous_fetch_params(const struct rendezvous *rendezvous, uint64_t call_id,
				     struct rdma_params *params_out)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result = rendezvous_fetch(rendezvous, call_id, &answer);

	return result == DOCA_SUCCESS ? rdma_params_parse(&answer, params_out) : result;
}

doca_error_t rendezvous_accept(const struct rendezvous *rendezvous, uint64_t call_id,
			       const uint8_t *details, size_t len)
{
	Dococore__RdmaAnswer body = DOCOCORE__RDMA_ANSWER__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;

	body.call_id = call_id;
	body.details = (ProtobufCBinaryData){len, (uint8_t *)details};
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_ANSWER;
	request.packet.rdma_answer = &body;
	request.expected_refusal = DOCA_ERROR_NOT_FOUND;
	return rendezvous_request(rendezvous, &request, DOCOCORE__PACKET__BODY_OK, &answer);
}

void rendezvous_hang_up(const struct rendezvous *rendezvous, uint64_t call_id)
{
	rendezvous_refuse(rendezvous, call_id, DOCA_ERROR_CONNECTION_ABORTED);
}

void rendezvous_refuse(const struct rendezvous *rendezvous, uint64_t call_id, doca_error_t code)
{
	Dococore__RdmaAnswer body = DOCOCORE__RDMA_ANSWER__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.call_id = call_id;
	body.code = code;
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_ANSWER;
	request.packet.rdma_answer = &body;
	rpc_lock();
	/* In another connection, this call id belongs to another call. */
	if (rpc_connection_locked() == rendezvous->connection)
		rpc_post_locked(&request);
	rpc_unlock();
}

/* --- choosing a provider --- */

const struct rdma_provider *rdma_provider_find(const struct doca_devinfo *info,
					       struct rdma_limits *limits_out)
{
	char reason[RDMA_REASON_MAX];

	for (size_t i = 0; rdma_providers[i] != NULL; i++) {
		limits_out->is_denied = false;
		if (rdma_providers[i]->query(info, limits_out, reason))
			return rdma_providers[i];
		if (limits_out->is_denied)
			break;
	}
	return NULL;
}

#define MAX_GIDS_CHECKED 16u

enum gid_rank { GID_UNUSED, GID_OF_LINK, GID_IPV6, GID_IPV4 };

static enum gid_rank gid_rank(const uint8_t gid[RDMA_GID_LEN])
{
	static const uint8_t zero[RDMA_GID_LEN], mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (memcmp(gid, zero, sizeof(zero)) == 0)
		return GID_UNUSED;
	if (memcmp(gid, mapped, sizeof(mapped)) == 0)
		return GID_IPV4;
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80 ? GID_OF_LINK : GID_IPV6;
}

uint32_t rdma_provider_choose_gid(const struct rdma_provider *ops, const struct doca_devinfo *info,
				  const struct rdma_limits *limits)
{
	const char *asked = env_get(ENV_GID_INDEX);
	uint32_t n = info->n_gids > 0 ? MIN(info->n_gids, DEV_MAX_GIDS)
				      : MIN(limits->n_gids, MAX_GIDS_CHECKED);
	uint8_t gid[RDMA_GID_LEN], best[RDMA_GID_LEN] = {0};
	enum gid_rank rank = GID_UNUSED;
	uint32_t chosen = 0;
	char *end;

	if (asked != NULL && asked[0] != '\0') {
		unsigned long index = strtoul(asked, &end, 10);

		if (*end == '\0' && index < limits->n_gids)
			return (uint32_t)index;
		sdk_warning("DOCOCORED_GID_INDEX=%.32s is no index of %s's GIDs", asked,
			    info->name);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (info->n_gids > 0)
			memcpy(gid, info->gids[i], sizeof(gid));
		else if (ops->get_gid(info, i, gid) < 0)
			continue;
		/* A repeated address is RoCE v2 after v1, which can be routed, so the later entry
		 * is preferred. */
		if (gid_rank(gid) > rank ||
		    (rank != GID_UNUSED && memcmp(gid, best, sizeof(gid)) == 0)) {
			rank = gid_rank(gid);
			memcpy(best, gid, sizeof(best));
			chosen = i;
		}
	}
	return chosen;
}

doca_error_t rdma_qp_get_params(struct rdma_qp *qp, struct rdma_params *params_out)
{
	uint8_t bytes[RDMA_PARAMS_MAX];
	size_t len;
	doca_error_t result = qp->domain->ops->qp_params(qp, bytes, &len);

	if (result != DOCA_SUCCESS)
		return result;
	if (len > sizeof(params_out->bytes))
		return error_set(DOCA_ERROR_UNEXPECTED, "rdma: details of %zu bytes", len);
	memcpy(params_out->bytes, bytes, len);
	params_out->len = len;
	params_out->is_relay = params_out->is_pci = false;
	return DOCA_SUCCESS;
}
