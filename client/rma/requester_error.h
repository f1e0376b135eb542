/* The error sentences of requests, for memory of another process that cannot be
 * reached. `what` names the operation: "dma memcpy". Threads: those of the requester. */
#ifndef CLIENT_RMA_REQUESTER_ERROR_H
#define CLIENT_RMA_REQUESTER_ERROR_H

#include "client/rma/requester.h"

/* Translates the result of requester_find(), or a peer's refusal, to the code that the contract of
 * a task has. */
doca_error_t requester_explain_refusal(const char *what, doca_error_t result);
/* Returns the code for a peer that is neither ready nor being connected. */
doca_error_t requester_explain_peer(const char *what, const struct requester_peer *peer);
/* Returns the code for a request that was returned with an error. */
doca_error_t requester_explain_request(const char *what, const struct rdma_wr *wr);

#endif
