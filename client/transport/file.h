#ifndef CLIENT_TRANSPORT_FILE_H
#define CLIENT_TRANSPORT_FILE_H

#include "client/memory/transport.h"

extern const struct xport_ops xport_file;

#endif
