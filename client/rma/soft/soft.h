/*
 * RDMA provider soft: queue pairs between processes of one machine, or within one, without a card.
 * See port.h for how it works.
 */
#ifndef CLIENT_RMA_SOFT_SOFT_H
#define CLIENT_RMA_SOFT_SOFT_H

#include "client/rma/provider.h"

extern const struct rdma_port_ops rdma_soft;

#endif
