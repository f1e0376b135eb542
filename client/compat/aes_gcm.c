/* AES-GCM under the names of 2.5. */
#include <doca_aes_gcm.h>

#include "client/aes_gcm/aes_gcm.h"

doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_iv_length(const struct doca_devinfo *devinfo,
							     uint32_t *max_iv_length)
{
	return gcm_cap_max_iv_len(devinfo, GCM_ENCRYPT, max_iv_length);
}

doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_iv_length(const struct doca_devinfo *devinfo,
							     uint32_t *max_iv_length)
{
	return gcm_cap_max_iv_len(devinfo, GCM_DECRYPT, max_iv_length);
}
