#ifndef CLIENT_TRANSPORT_SHM_H
#define CLIENT_TRANSPORT_SHM_H

#include "client/memory/transport.h"

extern const struct xport_ops xport_shm;

#endif
