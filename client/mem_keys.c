/* Who makes keys of memory in this build. The one file that knows all of them. */
#include "client/memory/mem_key.h"

#include <stddef.h>

#ifdef HAVE_VERBS
#include "client/rma/verbs/verbs.h"
#endif

const struct mem_key_ops *const mem_key_table[] = {
#ifdef HAVE_VERBS
	&mem_key_verbs,
#endif
	NULL,
};
