#ifndef CLIENT_TRANSPORT_LOCAL_H
#define CLIENT_TRANSPORT_LOCAL_H

#include "client/memory/transport.h"

extern const struct transport_ops transport_local;

#endif
