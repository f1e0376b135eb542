#ifndef CLIENT_TRANSPORT_PVM_H
#define CLIENT_TRANSPORT_PVM_H

#include "client/core/transport.h"

extern const struct xport_ops xport_pvm;

#endif
