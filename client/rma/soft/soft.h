/* RMA provider "soft": queue pairs between processes of one machine, or within one process, without
 * a card. See client/rma/soft/domain.h for its design. */
#ifndef CLIENT_RMA_SOFT_SOFT_H
#define CLIENT_RMA_SOFT_SOFT_H

#include "client/rma/provider.h"

extern const struct rdma_provider rdma_soft;

#endif
