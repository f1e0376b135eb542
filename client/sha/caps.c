/* SHA capabilities of a device; see client/sha/sha.h. Threads: any. */
#include "client/base/error.h"
#include "client/sha/sha.h"

/* Checks that devinfo and the result are not NULL and that the device supports SHA. */
static doca_error_t caps_check(const struct doca_devinfo *devinfo, const void *out,
			       const char *what)
{
	if (devinfo == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sha capability %s: %s is NULL", what,
				 devinfo == NULL ? "devinfo" : "the result");
	if ((devinfo->caps.sha_algorithms | devinfo->caps.sha_partial_algorithms) == 0)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "sha capability %s: %s does not support it; key sha of the "
				  "device in the topology allows it",
				  what, devinfo->name);
	return DOCA_SUCCESS;
}

static doca_error_t algorithm_check(const struct doca_devinfo *devinfo, uint32_t bitmap,
				    enum doca_sha_algorithm algorithm, const char *what)
{
	if ((unsigned)algorithm >= SHA_N_ALGORITHMS)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sha capability %s: %u is no algorithm; they are SHA1 (0), "
				 "SHA256 (1), SHA512 (2)",
				 what, (unsigned)algorithm);
	if (!sha_has(bitmap, algorithm))
		return error_note(DOCA_ERROR_NOT_SUPPORTED, "sha capability %s: %s has no %s", what,
				  devinfo->name, sha_algorithms[algorithm].name);
	return DOCA_SUCCESS;
}

doca_error_t sha_cap_has(const struct doca_devinfo *devinfo, bool is_partial,
			 enum doca_sha_algorithm algorithm)
{
	const char *what = is_partial ? "partial hash" : "hash";

	if (devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sha capability %s: devinfo is NULL",
				 what);
	return algorithm_check(devinfo,
			       is_partial ? devinfo->caps.sha_partial_algorithms
					  : devinfo->caps.sha_algorithms,
			       algorithm, what);
}

doca_error_t doca_sha_cap_task_hash_get_supported(struct doca_devinfo const *devinfo,
						  enum doca_sha_algorithm algorithm)
{
	return sha_cap_has(devinfo, false, algorithm);
}

doca_error_t doca_sha_cap_task_partial_hash_get_supported(struct doca_devinfo const *devinfo,
							  enum doca_sha_algorithm algorithm)
{
	return sha_cap_has(devinfo, true, algorithm);
}

doca_error_t sha_cap_max_list_len(const struct doca_devinfo *devinfo, uint32_t *len_out)
{
	doca_error_t result = caps_check(devinfo, len_out, "list length");

	if (result == DOCA_SUCCESS)
		*len_out = devinfo->caps.sha_max_list_len;
	return result;
}

doca_error_t doca_sha_cap_get_max_list_buf_num_elem(struct doca_devinfo const *devinfo,
						    uint32_t *max_list_buf_num_elem)
{
	return sha_cap_max_list_len(devinfo, max_list_buf_num_elem);
}

doca_error_t sha_cap_max_src_len(const struct doca_devinfo *devinfo, uint64_t *len_out)
{
	doca_error_t result = caps_check(devinfo, len_out, "source size");

	if (result == DOCA_SUCCESS)
		*len_out = devinfo->caps.sha_max_src_size;
	return result;
}

doca_error_t doca_sha_cap_get_max_src_buf_size(struct doca_devinfo const *devinfo,
					       uint64_t *max_src_buf_size)
{
	return sha_cap_max_src_len(devinfo, max_src_buf_size);
}

doca_error_t sha_cap_min_dst_len(const struct doca_devinfo *devinfo,
				 enum doca_sha_algorithm algorithm, uint32_t *len_out)
{
	doca_error_t result = caps_check(devinfo, len_out, "destination size");

	if (result != DOCA_SUCCESS)
		return result;
	result = algorithm_check(
		devinfo, devinfo->caps.sha_algorithms | devinfo->caps.sha_partial_algorithms,
		algorithm, "destination size");
	if (result == DOCA_SUCCESS)
		*len_out = sha_algorithms[algorithm].digest_len;
	return result;
}

doca_error_t doca_sha_cap_get_min_dst_buf_size(struct doca_devinfo const *devinfo,
					       enum doca_sha_algorithm algorithm,
					       uint32_t *min_dst_buf_size)
{
	return sha_cap_min_dst_len(devinfo, algorithm, min_dst_buf_size);
}

doca_error_t doca_sha_cap_get_partial_hash_block_size(struct doca_devinfo const *devinfo,
						      enum doca_sha_algorithm algorithm,
						      uint32_t *partial_block_size)
{
	doca_error_t result = caps_check(devinfo, partial_block_size, "block size");

	if (result != DOCA_SUCCESS)
		return result;
	result = algorithm_check(devinfo, devinfo->caps.sha_partial_algorithms, algorithm,
				 "block size");
	if (result == DOCA_SUCCESS)
		*partial_block_size = sha_algorithms[algorithm].block_len;
	return result;
}

doca_error_t doca_sha_cap_get_max_num_tasks(struct doca_sha *sha, uint32_t *max_num_tasks)
{
	if (sha == NULL || max_num_tasks == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sha capability tasks: %s is NULL",
				 sha == NULL ? "sha" : "the result");
	if (sha->ctx.legacy != NULL)
		return api_refuse("sha capability tasks", "sha object", sha->ctx.legacy->api);
	*max_num_tasks = sha->ctx.dev->info->caps.sha_max_tasks;
	return DOCA_SUCCESS;
}
