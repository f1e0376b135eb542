#ifndef CLIENT_TRANSPORT_FILE_H
#define CLIENT_TRANSPORT_FILE_H

#include "client/memory/transport.h"

extern const struct transport_ops transport_file;

#endif
