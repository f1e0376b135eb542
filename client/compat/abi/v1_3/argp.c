/* The argument parser's functions as called by programs up to 3.0 or, for some, up to 3.2. */
#include <doca_argp.h>

#include "client/compat/argp.h"

void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
{
	compat_argp_param_set_type(__func__, param, (int)type);
}

doca_error_t doca_argp_start(int argc, char **argv)
{
	return compat_argp_start(__func__, argc, argv);
}
