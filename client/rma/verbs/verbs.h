/*
 * RMA provider "verbs": domains on an RDMA device of this machine through rdma-core; see
 * client/rma/provider.h. It is the first provider in the table, and serves devices that the
 * topology binds to an RDMA device which can be opened.
 */
#ifndef CLIENT_RMA_VERBS_VERBS_H
#define CLIENT_RMA_VERBS_VERBS_H

#include "client/memory/mem_key.h"
#include "client/rma/provider.h"

extern const struct rdma_provider rdma_verbs;
extern const struct mem_key_ops mem_key_verbs;

#endif
