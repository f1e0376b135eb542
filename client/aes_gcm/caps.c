/* AES-GCM capabilities of a device; see client/aes_gcm/aes_gcm.h. Threads: any. */
#include "client/aes_gcm/aes_gcm.h"
#include "client/base/error.h"

static doca_error_t cap_null(const char *what, const char *name)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "aes_gcm capability %s: %s is NULL", what, name);
}

/* Checks that devinfo is not NULL and that the device supports AES-GCM. */
static doca_error_t cap_check(const struct doca_devinfo *devinfo, const char *what)
{
	if (devinfo == NULL)
		return cap_null(what, "devinfo");
	if (devinfo->caps.aes_gcm_keys == 0)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "aes_gcm capability %s: %s does not support it; key aes_gcm of "
				  "the device in the topology allows it",
				  what, devinfo->name);
	return DOCA_SUCCESS;
}

static doca_error_t cap_tag(const struct doca_devinfo *devinfo, uint32_t size, const char *what)
{
	doca_error_t result = cap_check(devinfo, what);

	if (result == DOCA_SUCCESS && !gcm_has_tag_size(devinfo->caps.aes_gcm_tags, size))
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "aes_gcm capability %s: %s has no tags of %u bytes", what,
				  devinfo->name, size);
	return result;
}

static doca_error_t cap_key_type(const struct doca_devinfo *devinfo,
				 enum doca_aes_gcm_key_type type, const char *what)
{
	doca_error_t result;

	if (type != DOCA_AES_GCM_KEY_128 && type != DOCA_AES_GCM_KEY_256)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"aes_gcm capability %s: %u is no type of key; they are of 128 bits "
			"(1) and of 256 bits (2)",
			what, (unsigned)type);
	result = cap_check(devinfo, what);
	if (result == DOCA_SUCCESS && !gcm_has_key_type(devinfo, type))
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "aes_gcm capability %s: %s has no keys of %d bits", what,
				  devinfo->name, type == DOCA_AES_GCM_KEY_128 ? 128 : 256);
	return result;
}

static doca_error_t cap_u32(const struct doca_devinfo *devinfo, size_t offset, uint32_t *out,
			    const char *what)
{
	doca_error_t result;

	if (out == NULL)
		return cap_null(what, "the result");
	result = cap_check(devinfo, what);
	if (result == DOCA_SUCCESS)
		*out = *(const uint32_t *)(const void *)((const uint8_t *)&devinfo->caps + offset);
	return result;
}

static doca_error_t cap_buf_size(const struct doca_devinfo *devinfo, uint64_t *out,
				 const char *what)
{
	doca_error_t result;

	if (out == NULL)
		return cap_null(what, "the result");
	result = cap_check(devinfo, what);
	if (result == DOCA_SUCCESS)
		*out = dev_report_size(devinfo->caps.aes_gcm_max_buf_size);
	return result;
}

doca_error_t gcm_cap_max_iv_len(const struct doca_devinfo *devinfo, enum gcm_direction direction,
				uint32_t *len_out)
{
	return cap_u32(devinfo, offsetof(struct dev_caps, aes_gcm_max_iv_len), len_out,
		       direction == GCM_ENCRYPT ? "encrypt IV length" : "decrypt IV length");
}

doca_error_t doca_aes_gcm_cap_get_max_num_tasks(struct doca_aes_gcm *aes_gcm,
						uint32_t *max_num_tasks)
{
	if (aes_gcm == NULL || max_num_tasks == NULL)
		return cap_null("tasks", aes_gcm == NULL ? "aes_gcm" : "the result");
	*max_num_tasks = aes_gcm->ctx.dev->info->caps.aes_gcm_max_tasks;
	return DOCA_SUCCESS;
}

/* --- encrypt tasks --- */

doca_error_t doca_aes_gcm_cap_task_encrypt_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_check(devinfo, "encrypt");
}

doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_iv_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_iv_len)
{
	return gcm_cap_max_iv_len(devinfo, GCM_ENCRYPT, max_iv_len);
}

doca_error_t doca_aes_gcm_cap_task_encrypt_is_tag_96_supported(const struct doca_devinfo *devinfo)
{
	return cap_tag(devinfo, AES_GCM_TAG_96, "encrypt tag of 96 bits");
}

doca_error_t doca_aes_gcm_cap_task_encrypt_is_tag_128_supported(const struct doca_devinfo *devinfo)
{
	return cap_tag(devinfo, AES_GCM_TAG_128, "encrypt tag of 128 bits");
}

doca_error_t doca_aes_gcm_cap_task_encrypt_is_key_type_supported(
	const struct doca_devinfo *devinfo, enum doca_aes_gcm_key_type key_type)
{
	return cap_key_type(devinfo, key_type, "encrypt key type");
}

doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_buf_size(const struct doca_devinfo *devinfo,
							    uint64_t *max_buffer_size)
{
	return cap_buf_size(devinfo, max_buffer_size, "encrypt buffer size");
}

doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem(
	const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem)
{
	return cap_u32(devinfo, offsetof(struct dev_caps, aes_gcm_max_list_len), max_list_num_elem,
		       "encrypt list length");
}

/* --- decrypt tasks --- */

doca_error_t doca_aes_gcm_cap_task_decrypt_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_check(devinfo, "decrypt");
}

doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_iv_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_iv_len)
{
	return gcm_cap_max_iv_len(devinfo, GCM_DECRYPT, max_iv_len);
}

doca_error_t doca_aes_gcm_cap_task_decrypt_is_tag_96_supported(const struct doca_devinfo *devinfo)
{
	return cap_tag(devinfo, AES_GCM_TAG_96, "decrypt tag of 96 bits");
}

doca_error_t doca_aes_gcm_cap_task_decrypt_is_tag_128_supported(const struct doca_devinfo *devinfo)
{
	return cap_tag(devinfo, AES_GCM_TAG_128, "decrypt tag of 128 bits");
}

doca_error_t doca_aes_gcm_cap_task_decrypt_is_key_type_supported(
	const struct doca_devinfo *devinfo, enum doca_aes_gcm_key_type key_type)
{
	return cap_key_type(devinfo, key_type, "decrypt key type");
}

doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_buf_size(const struct doca_devinfo *devinfo,
							    uint64_t *max_buffer_size)
{
	return cap_buf_size(devinfo, max_buffer_size, "decrypt buffer size");
}

doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem(
	const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem)
{
	return cap_u32(devinfo, offsetof(struct dev_caps, aes_gcm_max_list_len), max_list_num_elem,
		       "decrypt list length");
}
