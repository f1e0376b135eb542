/* Erasure coding capabilities of a device; see client/erasure_coding/ec.h. Threads: any. */
#include "client/base/error.h"
#include "client/erasure_coding/ec.h"

doca_error_t ec_cap_has(const struct doca_devinfo *devinfo, const char *what)
{
	if (devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ec capability %s: devinfo is NULL",
				 what);
	if (!code_is_built())
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "ec capability %s: this library was built without ISA-L; install "
				  "libisal-dev and build it again",
				  what);
	if (!devinfo->caps.ec)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "ec capability %s: %s does not support it; key erasure_coding of "
				  "the device in the topology allows it",
				  what, devinfo->name);
	return DOCA_SUCCESS;
}

/* Like ec_cap_has(), for queries with a result. */
static doca_error_t caps_check(const struct doca_devinfo *devinfo, const void *out,
			       const char *what)
{
	if (devinfo != NULL && out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ec capability %s: the result is NULL",
				 what);
	return ec_cap_has(devinfo, what);
}

doca_error_t doca_ec_cap_task_galois_mul_is_supported(const struct doca_devinfo *devinfo)
{
	return ec_cap_has(devinfo, ec_kind_names[EC_GALOIS_MUL]);
}

doca_error_t doca_ec_cap_task_create_is_supported(const struct doca_devinfo *devinfo)
{
	return ec_cap_has(devinfo, ec_kind_names[EC_CREATE]);
}

doca_error_t doca_ec_cap_task_update_is_supported(const struct doca_devinfo *devinfo)
{
	return ec_cap_has(devinfo, ec_kind_names[EC_UPDATE]);
}

doca_error_t doca_ec_cap_task_recover_is_supported(const struct doca_devinfo *devinfo)
{
	return ec_cap_has(devinfo, ec_kind_names[EC_RECOVER]);
}

doca_error_t ec_cap_max_block_size(const struct doca_devinfo *devinfo, uint64_t *size_out)
{
	doca_error_t result = caps_check(devinfo, size_out, "block size");

	if (result == DOCA_SUCCESS)
		*size_out = devinfo->caps.ec_max_block_size;
	return result;
}

doca_error_t doca_ec_cap_get_max_block_size(const struct doca_devinfo *devinfo,
					    uint64_t *max_block_size)
{
	return ec_cap_max_block_size(devinfo, max_block_size);
}

doca_error_t ec_cap_max_list_len(const struct doca_devinfo *devinfo, uint32_t *len_out)
{
	doca_error_t result = caps_check(devinfo, len_out, "list length");

	if (result == DOCA_SUCCESS)
		*len_out = devinfo->caps.ec_max_list_len;
	return result;
}

doca_error_t doca_ec_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
					      uint32_t *max_buf_list_len)
{
	return ec_cap_max_list_len(devinfo, max_buf_list_len);
}
