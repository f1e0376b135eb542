#ifndef CLIENT_TRANSPORT_PVM_H
#define CLIENT_TRANSPORT_PVM_H

#include "client/memory/transport.h"

extern const struct transport_ops transport_pvm;

#endif
