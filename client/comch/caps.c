/* Comch capabilities of a device, from its capability profile. Threads: any. */
#include "client/comch/comch.h"

static doca_error_t caps_get(const struct doca_devinfo *devinfo, size_t offset, uint32_t *value_out,
			     const char *what)
{
	if (devinfo == NULL || value_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch %s: %s is NULL", what,
				 devinfo == NULL ? "devinfo" : "the result");
	*value_out = *(const uint32_t *)(const void *)((const char *)&devinfo->caps + offset);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
					     uint32_t *max_name_len)
{
	return caps_get(devinfo, offsetof(struct dev_caps, comch_max_name_len), max_name_len,
			"max name length");
}

doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	return caps_get(devinfo, offsetof(struct dev_caps, comch_max_msg_size), size,
			"max message size");
}

doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
						    uint32_t *size)
{
	return caps_get(devinfo, offsetof(struct dev_caps, comch_max_recv_queue), size,
			"max receive queue size");
}

doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
					    uint32_t *num_clients)
{
	return caps_get(devinfo, offsetof(struct dev_caps, comch_max_clients), num_clients,
			"max clients");
}

doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
					       uint32_t *max_send_tasks)
{
	return caps_get(devinfo, offsetof(struct dev_caps, comch_max_send_tasks), max_send_tasks,
			"max send tasks");
}

doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
	if (devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch server support: devinfo is NULL");
	if (!devinfo->caps.comch_server)
		return error_note(
			DOCA_ERROR_NOT_SUPPORTED,
			"comch server support: device %s does not support it, servers run on the "
			"DPU side; key comch_server of the device in the topology allows it",
			devinfo->name);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
	if (devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch client support: devinfo is NULL");
	if (!devinfo->caps.comch_client)
		return error_note(
			DOCA_ERROR_NOT_SUPPORTED,
			"comch client support: device %s does not support it, clients run on the "
			"host side; key comch_client of the device in the topology allows it",
			devinfo->name);
	return DOCA_SUCCESS;
}
