/* The providers of RDMA ports of this build, best first. The one file that knows all of them. */
#include <stddef.h>

#include "client/rma/provider.h"
#include "client/rma/soft/soft.h"
#ifdef HAVE_VERBS
#include "client/rma/verbs/verbs.h"
#endif

const struct rdma_port_ops *const rdma_port_table[] = {
#ifdef HAVE_VERBS
	&rdma_verbs,
#endif
	&rdma_soft,
	NULL,
};
