#ifndef CLIENT_TRANSPORT_PVM_H
#define CLIENT_TRANSPORT_PVM_H

#include "client/memory/transport.h"

extern const struct xport_ops xport_pvm;

#endif
