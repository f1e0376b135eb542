/*
 * The transports and providers of this build: the one file that knows every transport, RMA provider
 * and key maker. Each table is weak, so that a test program can define one of its own and keep the
 * others.
 */
#include <stddef.h>

#include "client/memory/export.h"
#include "client/memory/mem_key.h"
#include "client/memory/transport.h"
#include "client/rma/provider.h"
#include "client/rma/relay/provider.h"
#include "client/rma/responder.h"
#include "client/rma/soft/soft.h"
#include "client/transport/file.h"
#include "client/transport/local.h"
#include "client/transport/pvm.h"
#include "client/transport/shm.h"
#ifdef HAVE_VERBS
#include "client/rma/verbs/verbs.h"
#endif

__attribute__((weak)) const struct transport_ops *const transport_table[] = {
	&transport_local, &transport_shm, &transport_file, &transport_pvm, &transport_verbs,
	&transport_relay, NULL,
};

__attribute__((weak)) const struct mem_key_ops *const mem_key_table[] = {
#ifdef HAVE_VERBS
	&mem_key_verbs,
#endif
	NULL,
};

__attribute__((weak)) const struct rdma_provider *const rdma_providers[] = {
#ifdef HAVE_VERBS
	&rdma_verbs,
#endif
	&rdma_soft,
	NULL,
};

__attribute__((weak)) const struct export_server_ops *const export_server = &responder_ops;
