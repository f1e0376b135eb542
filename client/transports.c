/* The transports of this build, best first. The one file that knows all of them. */
#include <stddef.h>

#include "client/memory/transport.h"
#include "client/rma/relay/provider.h"
#include "client/transport/local.h"
#include "client/transport/pvm.h"
#include "client/transport/shm.h"

const struct xport_ops *const xport_table[] = {
	&xport_local, &xport_shm, &xport_pvm, &xport_verbs, &xport_relay, NULL,
};
