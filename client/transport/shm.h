#ifndef CLIENT_TRANSPORT_SHM_H
#define CLIENT_TRANSPORT_SHM_H

#include "client/memory/transport.h"

extern const struct transport_ops transport_shm;

#endif
