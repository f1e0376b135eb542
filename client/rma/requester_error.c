/* Error sentences of requests; see client/rma/requester_error.h. */
#include "client/rma/requester_error.h"

#include "client/base/error.h"

/* The exporter died between the check and the post: report the same error as for a peer that was
 * connected. */
doca_error_t requester_explain_refusal(const char *what, doca_error_t result)
{
	if (result == DOCA_ERROR_CONNECTION_RESET)
		return error_set(
			DOCA_ERROR_IO_FAILED,
			"%s: the daemon that imported the memory has ended, and its successor does "
			"not know the import; import the memory again",
			what);
	if (result != DOCA_ERROR_NOT_FOUND && result != DOCA_ERROR_CONNECTION_ABORTED &&
	    result != DOCA_ERROR_NOT_CONNECTED && result != DOCA_ERROR_TIME_OUT)
		return result;
	return error_set(DOCA_ERROR_IO_FAILED,
			 "%s: the exporter of the memory cannot be reached: its process or one of "
			 "the daemons has ended",
			 what);
}

doca_error_t requester_explain_peer(const char *what, const struct requester_peer *peer)
{
	if (peer->refusal != DOCA_SUCCESS)
		return requester_explain_refusal(what,
						 error_note(peer->refusal, "%s", peer->reason));
	return error_set(DOCA_ERROR_IO_FAILED,
			 "%s: the exporter of the memory cannot be reached: %s", what,
			 peer->reason);
}

doca_error_t requester_explain_request(const char *what, const struct rdma_wr *wr)
{
	const char *actor = wr->remote_mmap->region.ops->is_relayed ? "process" : "RDMA device";

	if (wr->status == DOCA_ERROR_CONNECTION_RESET)
		return error_set(
			DOCA_ERROR_IO_FAILED,
			"%s: the exporter of the memory can no longer be reached: its process has "
			"ended, or the network to it is interrupted",
			what);
	if (wr->status == DOCA_ERROR_CONNECTION_ABORTED)
		return error_set(
			DOCA_ERROR_IO_FAILED,
			"%s: a daemon was restarted before the bytes that were read had arrived, "
			"and a later copy has written there since; copy again",
			what);
	return error_set(DOCA_ERROR_IO_FAILED,
			 "%s: the exporter's %s refused the request: the export has ended, was "
			 "revoked, or does not permit the access",
			 what, actor);
}
