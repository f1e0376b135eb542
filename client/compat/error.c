/* Texts of result codes under their names up to 2.2. Threads: any. */
#include <doca_error.h>

#include "client/base/error.h"

const char *doca_get_error_name(doca_error_t error)
{
	return error_name(error);
}

const char *doca_get_error_string(doca_error_t error)
{
	return error_descr(error);
}
