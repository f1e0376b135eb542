/* Buffer arrays, as called by programs of 2.5 and 2.6. */
#include <doca_buf_array.h>

#include "client/compat/buf.h"

doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
					 struct doca_dpa_dev_buf_arr **dpa_buf_arr)
{
	return compat_buf_array_dpa_handle(buf_arr, dpa_buf_arr);
}
