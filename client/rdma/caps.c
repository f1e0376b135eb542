/* RDMA: the capabilities of a device according to its provider, and the choice of the provider.
 * Threads: any. */
#include <stdio.h>
#include <string.h>

#include "client/rdma/rdma.h"
#include "util/str.h"

const struct rdma_provider *rdma_provider_of(const struct doca_devinfo *info,
					     struct rdma_limits *limits_out, char *why,
					     size_t why_len)
{
	size_t at = 0;

	snprintf(why, why_len, "this build has no provider of RDMA");
	for (const struct rdma_provider *const *ops = rdma_providers; *ops != NULL; ops++) {
		char reason[RDMA_REASON_MAX] = "";

		limits_out->is_denied = false;
		if ((*ops)->query(info, limits_out, reason))
			return *ops;
		if (at < why_len)
			at += (size_t)snprintf(why + at, why_len - at, "%s%s: %s",
					       at == 0 ? "" : "; ", (*ops)->name, reason);
		if (limits_out->is_denied)
			break;
	}
	return NULL;
}

doca_error_t rdma_limits_of(const struct doca_devinfo *info, const void *out, const char *what,
			    struct rdma_limits *limits_out)
{
	char why[512];

	if (!devinfo_ok(info, out, what))
		return DOCA_ERROR_INVALID_VALUE;
	if (rdma_provider_of(info, limits_out, why, sizeof(why)) == NULL)
		return error_set(DOCA_ERROR_DRIVER, "%s: %s has no RDMA: %s", what, info->name,
				 why);
	return DOCA_SUCCESS;
}

/* --- limits --- */

doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_recv_queue_size)
{
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(devinfo, max_recv_queue_size,
					     "rdma capability max recv queue size", &limits);

	if (result == DOCA_SUCCESS)
		*max_recv_queue_size = limits.max_recv_queue;
	return result;
}

doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_send_queue_size)
{
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(devinfo, max_send_queue_size,
					     "rdma capability max send queue size", &limits);

	if (result == DOCA_SUCCESS)
		*max_send_queue_size = limits.max_send_queue;
	return result;
}

doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
						     uint32_t *max_send_buf_list_len)
{
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(devinfo, max_send_buf_list_len,
					     "rdma capability max send buf list len", &limits);

	if (result == DOCA_SUCCESS)
		*max_send_buf_list_len = limits.max_send_sges;
	return result;
}

doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
						uint32_t *max_message_size)
{
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(devinfo, max_message_size,
					     "rdma capability max message size", &limits);

	if (result == DOCA_SUCCESS)
		*max_message_size = limits.max_message;
	return result;
}

doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
					      uint32_t *gid_table_size)
{
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(devinfo, gid_table_size, "rdma capability GID table",
					     &limits);

	if (result == DOCA_SUCCESS)
		*gid_table_size = limits.n_gids;
	return result;
}

doca_error_t rdma_cap_gids(const struct doca_devinfo *info, uint32_t start, uint32_t n,
			   struct doca_rdma_gid *gids_out)
{
	const struct rdma_provider *ops;
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(info, gids_out, "rdma capability GID", &limits);
	char why[512];

	if (result != DOCA_SUCCESS)
		return result;
	if (n == 0 || start >= limits.n_gids || n > limits.n_gids - start)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma capability GID: %u %s from %u on, %s has %u", n,
				 plural(n, "entry", "entries"), start, info->name, limits.n_gids);
	ops = rdma_provider_of(info, &limits, why, sizeof(why));
	for (uint32_t i = 0; i < n && ops != NULL; i++) {
		uint8_t gid[RDMA_GID_LEN];
		int r = ops->get_gid(info, start + i, gid);

		if (r < 0)
			return error_set(DOCA_ERROR_DRIVER,
					 "rdma capability GID: entry %u of %s cannot be read "
					 "(error %d)",
					 start + i, info->name, -r);
		memcpy(gids_out[i].raw, gid, sizeof(gid));
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
				   uint32_t num_entries, struct doca_rdma_gid *gid_array)
{
	return rdma_cap_gids(devinfo, start_index, num_entries, gid_array);
}

/* --- transports and tasks --- */

static bool rdma_transport_is_known(enum doca_rdma_transport_type type)
{
	return type == DOCA_RDMA_TRANSPORT_TYPE_RC || type == DOCA_RDMA_TRANSPORT_TYPE_DC;
}

static bool rdma_has_transport(const struct rdma_limits *limits, enum doca_rdma_transport_type type)
{
	return type == DOCA_RDMA_TRANSPORT_TYPE_RC ? limits->has_rc : limits->has_dc;
}

doca_error_t rdma_cap_transport(const struct doca_devinfo *info, int type)
{
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(info, info, "rdma capability transport", &limits);

	if (result != DOCA_SUCCESS)
		return result;
	if (!rdma_transport_is_known((enum doca_rdma_transport_type)type))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma capability transport: %d is no transport", type);
	if (!rdma_has_transport(&limits, (enum doca_rdma_transport_type)type))
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "rdma capability transport: %s does not have it; use RC",
				  info->name);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
						       enum doca_rdma_transport_type transport_type)
{
	return rdma_cap_transport(devinfo, (int)transport_type);
}

doca_error_t doca_rdma_cap_task_receive_get_max_dst_buf_list_len(
	const struct doca_devinfo *devinfo, enum doca_rdma_transport_type transport_type,
	uint32_t *max_buf_list_len)
{
	struct rdma_limits limits;
	doca_error_t result = rdma_limits_of(devinfo, max_buf_list_len,
					     "rdma capability receive list", &limits);

	if (result != DOCA_SUCCESS)
		return result;
	if (!rdma_transport_is_known(transport_type))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma capability receive list: %d is no transport",
				 (int)transport_type);
	if (!rdma_has_transport(&limits, transport_type))
		return error_set(DOCA_ERROR_DRIVER,
				 "rdma capability receive list: %s does not have the transport; "
				 "use RC",
				 devinfo->name);
	*max_buf_list_len = limits.max_recv_sges;
	return DOCA_SUCCESS;
}

doca_error_t rdma_cap_kind(const struct doca_devinfo *info, enum rdma_kind kind)
{
	bool is_atomic = kind == RDMA_TASK_CMP_SWP || kind == RDMA_TASK_FETCH_ADD ||
			 kind == RDMA_TASK_EVENT_ADD;
	struct rdma_limits limits;
	char why[512];

	if (info == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma capability %s: devinfo is NULL",
				 rdma_kind_names[kind]);
	if (rdma_provider_of(info, &limits, why, sizeof(why)) == NULL)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "rdma capability %s: %s has no RDMA: %s", rdma_kind_names[kind],
				  info->name, why);
	if (is_atomic && !limits.has_atomics)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "rdma capability %s: %s has no atomic operations",
				  rdma_kind_names[kind], info->name);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_RECEIVE);
}

doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_SEND);
}

doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_SEND_IMM);
}

doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_READ);
}

doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_WRITE);
}

doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_WRITE_IMM);
}

doca_error_t doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_CMP_SWP);
}

doca_error_t doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_FETCH_ADD);
}

doca_error_t doca_rdma_cap_task_remote_net_sync_event_get_is_supported(
	const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_EVENT_GET);
}

doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(
	const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_EVENT_SET);
}

doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(
	const struct doca_devinfo *devinfo)
{
	return rdma_cap_kind(devinfo, RDMA_TASK_EVENT_ADD);
}
