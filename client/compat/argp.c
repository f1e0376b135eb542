/* The argument parser of earlier generations. Threads: one, as in client/argp/argp.h. */
#include "client/compat/argp.h"

#include <doca_argp.h>

#include "client/argp/argp.h"
#include "client/base/error.h"

void compat_argp_param_set_type(const char *what, struct doca_argp_param *param, int type)
{
	/* -1 is no type that registration accepts. */
	if (type == 4)
		type = ARGP_TYPE_JSON_OBJ;
	else if (type > 4)
		type = -1;
	argp_param_set_type(what, param, type);
}

doca_error_t compat_argp_start(const char *what, int argc, char **argv)
{
	return argp_start(what, argc, argv, false);
}

void doca_argp_set_grpc_program(void)
{
	sdk_warning("%s: there is no gRPC server here, the program runs without", __func__);
}

doca_error_t doca_argp_get_grpc_addr(const char **address)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s", __func__,
			 address == NULL ? "no place given"
					 : "there is no gRPC server here, go on without");
}
