#ifndef CLIENT_TRANSPORT_LOCAL_H
#define CLIENT_TRANSPORT_LOCAL_H

#include "client/memory/transport.h"

extern const struct xport_ops xport_local;

#endif
