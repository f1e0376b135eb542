/* Checks the daemon's replies; see client/control/reply.h. */
#include "client/control/reply.h"

#include <string.h>

#include "client/base/error.h"
#include "proto/frame.h"
#include "proto/packet.h"

void rpc_reply_deinit(struct rpc_reply *answer)
{
	if (answer->packet != NULL)
		packet_free(answer->packet);
	answer->packet = NULL;
	fdset_deinit(&answer->fds);
}

doca_error_t rpc_reply_check(const struct rpc_reply *answer, const char *name,
			     Dococore__Packet__BodyCase expected, doca_error_t expected_refusal)
{
	const Dococore__Error *error = answer->packet->error;
	uint32_t code;

	if (answer->packet->body_case == expected)
		return DOCA_SUCCESS;
	if (answer->packet->body_case != DOCOCORE__PACKET__BODY_ERROR)
		return error_set(DOCA_ERROR_UNEXPECTED, "the daemon answered %s with %s", name,
				 frame_name(answer->packet));
	/* The daemon's error code is validated like input from any other process. */
	code = error->code;
	if (code == DOCA_SUCCESS || code > DOCA_ERROR_DEVICE_FATAL_ERROR)
		code = DOCA_ERROR_UNEXPECTED;
	return code == expected_refusal ? error_note(code, "%.400s", error->text)
					: error_set(code, "%.400s", error->text);
}

doca_error_t session_check_hello_reply(const Dococore__HelloReply *reply)
{
	if (reply->protocol != FRAME_PROTOCOL)
		return error_set(
			DOCA_ERROR_UNSUPPORTED_VERSION,
			"the daemon speaks protocol %u, this library %u; upgrade the older one",
			reply->protocol, FRAME_PROTOCOL);
	if ((strcmp(reply->side, "host") != 0 && strcmp(reply->side, "dpu") != 0) ||
	    reply->daemon_id.len != 16 || reply->liveness_len < sizeof(uint32_t) ||
	    reply->liveness_len > (16u << 20))
		return error_set(DOCA_ERROR_UNEXPECTED, "the daemon's greeting is malformed");
	return DOCA_SUCCESS;
}

doca_error_t rpc_call(struct rpc_request *request, Dococore__Packet__BodyCase expected,
		      struct rpc_reply *answer_out)
{
	doca_error_t result;

	session_lock();
	result = rpc_call_locked(request, expected, answer_out);
	session_unlock();
	return result;
}
