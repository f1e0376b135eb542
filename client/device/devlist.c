/*
 * Lists of devices and representors, fetched page by page from the daemon. A list holds a reference
 * to each record. An open device holds its own, so that its record outlives the list. Threads: any.
 */
#include "client/device/devlist.h"

#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "util/str.h"

/* A daemon that announces more entries is not trusted. */
#define LIST_MAX 65536u

/* Reports a list that could not be created; `what` is "devices" or the like. */
static doca_error_t list_failed(uint32_t total, const char *what)
{
	if (total > LIST_MAX)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "device list: the daemon has %u %s, a list has at most %u; "
				 "shorten its topology",
				 total, what, LIST_MAX);
	return error_set(DOCA_ERROR_NO_MEMORY, "device list: out of memory for %u %s", total, what);
}

struct doca_devinfo *devinfo_ref(struct doca_devinfo *info)
{
	atomic_fetch_add(&info->refs, 1);
	return info;
}

void devinfo_unref(struct doca_devinfo *info)
{
	if (atomic_fetch_sub(&info->refs, 1) == 1)
		free(info);
}

struct doca_devinfo_rep *devinfo_rep_ref(struct doca_devinfo_rep *info)
{
	atomic_fetch_add(&info->refs, 1);
	return info;
}

void devinfo_rep_unref(struct doca_devinfo_rep *info)
{
	if (atomic_fetch_sub(&info->refs, 1) == 1)
		free(info);
}

static bool bytes_copy(uint8_t *dst, size_t len, const ProtobufCBinaryData *src)
{
	if (src->len != len)
		return false;
	memcpy(dst, src->data, len);
	return true;
}

/* Truncates strings that do not fit: they are names for people, not keys. */
static void name_copy(char *dst, size_t len, const char *src)
{
	size_t n = strnlen(src, len - 1);

	memcpy(dst, src, n);
	dst[n] = '\0';
}

static void caps_copy(struct dev_caps *caps, const Dococore__Caps *from)
{
	if (from == NULL)
		return;
	*caps = (struct dev_caps){
		.dma = from->dma,
		.export_pci = from->export_pci,
		.import_pci = from->import_pci,
		.export_rdma = from->export_rdma,
		.comch_server = from->comch_server,
		.comch_client = from->comch_client,
		.rep_filter_all = from->rep_filter_all,
		.rep_filter_net = from->rep_filter_net,
		.rep_filter_emulated = from->rep_filter_emulated,
		.hotplug_manager = from->hotplug_manager,
		.notification_moderation = from->notification_moderation,
		.dma_max_buf_size = from->dma_max_buf_size,
		.dma_max_list_len = from->dma_max_list_len,
		.dma_max_tasks = from->dma_max_tasks,
		.comch_max_name_len = from->comch_max_name_len,
		.comch_max_msg_size = from->comch_max_msg_size,
		.comch_max_recv_queue = from->comch_max_recv_queue,
		.comch_max_clients = from->comch_max_clients,
		.comch_max_send_tasks = from->comch_max_send_tasks,
		.max_devices_per_mmap = from->max_devices_per_mmap,
		.sync_event = from->sync_event,
		.sync_export_pci = from->sync_export_pci,
		.sync_import_pci = from->sync_import_pci,
		.sync_export_net = from->sync_export_net,
		.sync_import_net = from->sync_import_net,
		.sync_max_tasks = from->sync_max_tasks,
		.comch_producer = from->comch_producer,
		.comch_consumer = from->comch_consumer,
		.comch_max_producers = from->comch_max_producers,
		.comch_max_consumers = from->comch_max_consumers,
		.comch_fast_max_tasks = from->comch_fast_max_tasks,
		.comch_fast_max_buf_size = from->comch_fast_max_buf_size,
		.comch_fast_max_list_len = from->comch_fast_max_list_len,
		.comch_max_imm_len = from->comch_max_imm_len,
		.sha_algorithms = from->sha_algorithms,
		.sha_partial_algorithms = from->sha_partial_algorithms,
		.sha_max_src_size = from->sha_max_src_size,
		.sha_max_list_len = from->sha_max_list_len,
		.sha_max_tasks = from->sha_max_tasks,
		.compress_tasks = from->compress_tasks,
		.compress_max_buf_size = from->compress_max_buf_size,
		.compress_max_list_len = from->compress_max_list_len,
		.compress_max_tasks = from->compress_max_tasks,
		.aes_gcm_keys = from->aes_gcm_keys,
		.aes_gcm_tags = from->aes_gcm_tags,
		.aes_gcm_max_iv_len = from->aes_gcm_max_iv_len,
		.aes_gcm_max_buf_size = from->aes_gcm_max_buf_size,
		.aes_gcm_max_list_len = from->aes_gcm_max_list_len,
		.aes_gcm_max_tasks = from->aes_gcm_max_tasks,
		.mmap_advise = from->mmap_advise,
		.mmap_advise_max_buf_size = from->mmap_advise_max_buf_size,
		.rdma = from->rdma,
		.rdma_max_send_queue = from->rdma_max_send_queue,
		.rdma_max_recv_queue = from->rdma_max_recv_queue,
		.rdma_max_sges = from->rdma_max_sges,
		.rdma_max_message = from->rdma_max_message,
		.rdma_max_qps = from->rdma_max_qps,
		.rdma_max_mtu = from->rdma_max_mtu,
		.ec = from->ec,
		.ec_max_block_size = from->ec_max_block_size,
		.ec_max_list_len = from->ec_max_list_len,
		.ec_max_tasks = from->ec_max_tasks,
		.ec_max_data_blocks = from->ec_max_data_blocks,
		.ec_max_rdnc_blocks = from->ec_max_rdnc_blocks,
	};
}

static struct doca_devinfo *devinfo_new(const Dococore__Device *from)
{
	struct doca_devinfo *info = calloc(1, sizeof(*info));

	if (info == NULL)
		return NULL;
	atomic_init(&info->refs, 1);
	info->id = from->id;
	name_copy(info->name, sizeof(info->name), from->name);
	name_copy(info->pci_addr, sizeof(info->pci_addr), from->pci_addr);
	name_copy(info->vuid, sizeof(info->vuid), from->vuid);
	name_copy(info->iface, sizeof(info->iface), from->iface);
	name_copy(info->ibdev, sizeof(info->ibdev), from->ibdev);
	info->has_ipv4 = bytes_copy(info->ipv4, sizeof(info->ipv4), &from->ipv4);
	info->has_ipv6 = bytes_copy(info->ipv6, sizeof(info->ipv6), &from->ipv6);
	info->has_mac = bytes_copy(info->mac, sizeof(info->mac), &from->mac);
	info->func_type = from->func_type;
	info->sf_index = from->sf_index;
	info->vhca_id = (uint16_t)from->vhca_id;
	info->has_lid = from->has_lid;
	info->lid = (uint16_t)from->lid;
	info->active_rate = from->active_rate;
	caps_copy(&info->caps, from->caps);
	info->is_bound = from->is_bound;
	info->port_state = from->port_state;
	info->mtu = from->mtu;
	info->n_gids = MIN((uint32_t)from->n_gids, DEV_MAX_GIDS);
	for (uint32_t i = 0; i < info->n_gids; i++)
		(void)bytes_copy(info->gids[i], sizeof(info->gids[i]), &from->gids[i]);
	return info;
}

doca_error_t devlist_destroy(struct doca_devinfo **dev_list)
{
	if (dev_list == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "device list destroy: the list is NULL");
	for (size_t i = 0; dev_list[i] != NULL; i++)
		devinfo_unref(dev_list[i]);
	free(dev_list);
	return DOCA_SUCCESS;
}

/* Translates to the documented code for a machine where no device can be found. */
static doca_error_t list_code(doca_error_t result)
{
	return result == DOCA_ERROR_NOT_CONNECTED ? DOCA_ERROR_NOT_FOUND : result;
}

doca_error_t devlist_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	struct doca_devinfo **list = NULL;
	uint32_t n = 0, total = 0;
	doca_error_t result;

	if (dev_list == NULL || nb_devs == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "device list: %s is NULL",
				 dev_list == NULL ? "dev_list" : "nb_devs");
	do {
		Dococore__DeviceList body = DOCOCORE__DEVICE_LIST__INIT;
		struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
		CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
		const Dococore__DeviceListReply *reply;

		body.offset = n;
		request.packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
		request.packet.device_list = &body;
		error_show_as(list_code);
		result = rpc_call(&request, DOCOCORE__PACKET__BODY_DEVICE_LIST_REPLY, &answer);
		error_show_as(NULL);
		if (result != DOCA_SUCCESS) {
			result = list_code(result);
			goto fail;
		}
		reply = answer.packet->device_list_reply;
		if (list == NULL) {
			total = reply->total;
			if (total <= LIST_MAX)
				list = calloc((size_t)total + 1, sizeof(*list));
			if (list == NULL) {
				result = list_failed(total, "devices");
				goto fail;
			}
		}
		if (reply->n_devices == 0)
			break; /* the topology shrank between two pages */
		for (size_t i = 0; i < reply->n_devices && n < total; i++) {
			list[n] = devinfo_new(reply->devices[i]);
			if (list[n] == NULL) {
				result = error_set(DOCA_ERROR_NO_MEMORY,
						   "device list: out of memory");
				goto fail;
			}
			n++;
		}
	} while (n < total);
	*dev_list = list;
	*nb_devs = n;
	return DOCA_SUCCESS;
fail:
	if (list != NULL)
		devlist_destroy(list);
	return result;
}

static struct doca_devinfo_rep *devinfo_rep_new(const Dococore__Representor *from,
						struct doca_dev *dev)
{
	struct doca_devinfo_rep *info = calloc(1, sizeof(*info));

	if (info == NULL)
		return NULL;
	atomic_init(&info->refs, 1);
	info->id = from->id;
	info->dev = dev;
	name_copy(info->name, sizeof(info->name), from->name);
	name_copy(info->pci_addr, sizeof(info->pci_addr), from->pci_addr);
	name_copy(info->vuid, sizeof(info->vuid), from->vuid);
	name_copy(info->iface, sizeof(info->iface), from->iface);
	info->func_type = from->func_type;
	info->vhca_id = (uint16_t)from->vhca_id;
	info->is_hotplug = from->is_hotplug;
	return info;
}

doca_error_t devlist_rep_destroy(struct doca_devinfo_rep **dev_list_rep)
{
	if (dev_list_rep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "representor list destroy: the list is NULL");
	for (size_t i = 0; dev_list_rep[i] != NULL; i++)
		devinfo_rep_unref(dev_list_rep[i]);
	free(dev_list_rep);
	return DOCA_SUCCESS;
}

static doca_error_t rep_filter_check(const struct doca_dev *dev, int filter)
{
	const struct dev_caps *caps = &dev->info->caps;

	if ((filter & ~(DOCA_DEVINFO_REP_FILTER_NET | DOCA_DEVINFO_REP_FILTER_EMULATED)) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "representor list: filter %#x has unknown bits", (unsigned)filter);
	if (!caps->rep_filter_all && !caps->rep_filter_net && !caps->rep_filter_emulated)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "representor list: %s has no representors; they exist on the DPU "
				 "side, see [representor] in dococored.topology(5)",
				 dev->info->name);
	if ((filter == DOCA_DEVINFO_REP_FILTER_ALL && !caps->rep_filter_all) ||
	    ((filter & DOCA_DEVINFO_REP_FILTER_NET) && !caps->rep_filter_net) ||
	    ((filter & DOCA_DEVINFO_REP_FILTER_EMULATED) && !caps->rep_filter_emulated))
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "representor list: %s does not support filter %#x; ask for the "
				 "device's capabilities first",
				 dev->info->name, (unsigned)filter);
	return DOCA_SUCCESS;
}

doca_error_t devlist_rep_create(struct doca_dev *dev, int filter,
				struct doca_devinfo_rep ***dev_list_rep, uint32_t *nb_devs_rep)
{
	struct doca_devinfo_rep **list = NULL;
	uint32_t n = 0, total = 0;
	doca_error_t result;

	if (dev == NULL || dev_list_rep == NULL || nb_devs_rep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "representor list: %s is NULL",
				 dev == NULL            ? "dev"
				 : dev_list_rep == NULL ? "dev_list_rep"
							: "nb_devs_rep");
	result = rep_filter_check(dev, filter);
	if (result != DOCA_SUCCESS)
		return result;
	do {
		Dococore__RepList body = DOCOCORE__REP_LIST__INIT;
		struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
		CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
		const Dococore__RepListReply *reply;

		body.device_id = dev->info->id;
		body.filter = (uint32_t)filter;
		body.offset = n;
		request.packet.body_case = DOCOCORE__PACKET__BODY_REP_LIST;
		request.packet.rep_list = &body;
		result = rpc_call(&request, DOCOCORE__PACKET__BODY_REP_LIST_REPLY, &answer);
		if (result != DOCA_SUCCESS)
			goto fail;
		reply = answer.packet->rep_list_reply;
		if (list == NULL) {
			total = reply->total;
			if (total <= LIST_MAX)
				list = calloc((size_t)total + 1, sizeof(*list));
			if (list == NULL) {
				result = list_failed(total, "representors");
				goto fail;
			}
		}
		if (reply->n_reps == 0)
			break; /* a host was unlinked between two pages */
		for (size_t i = 0; i < reply->n_reps && n < total; i++) {
			list[n] = devinfo_rep_new(reply->reps[i], dev);
			if (list[n] == NULL) {
				result = error_set(DOCA_ERROR_NO_MEMORY,
						   "representor list: out of memory");
				goto fail;
			}
			n++;
		}
	} while (n < total);
	*dev_list_rep = list;
	*nb_devs_rep = n;
	return DOCA_SUCCESS;
fail:
	if (list != NULL)
		devlist_rep_destroy(list);
	return result;
}

/* --- the current names --- */

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	program_api_note(DOCA_MAKE_VERSION(2, 5), PROGRAM_API_NEWEST);
	return devlist_create(dev_list, nb_devs);
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
	return devlist_destroy(dev_list);
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	return devlist_rep_create(dev, filter, dev_list_rep, nb_devs_rep);
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
	return devlist_rep_destroy(dev_list_rep);
}
