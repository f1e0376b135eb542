/*
 * Lists of devices and representors for clients: conversion of specifications to messages, in
 * pages.
 */
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/device/device.h"
#include "daemon/session/session.h"
#include "util/util.h"

#define DEVICE_PAGE 16u
#define REP_PAGE    32u

enum rep_filter { REP_FILTER_ALL = 0, REP_FILTER_NET = 2, REP_FILTER_EMULATED = 4 };

void caps_to_message(const struct caps *caps, Dococore__Caps *m)
{
	dococore__caps__init(m);
	m->dma = caps->dma;
	m->dma_max_buf_size = caps->dma_max_buf_size;
	m->dma_max_list_len = caps->dma_max_list_len;
	m->dma_max_tasks = caps->dma_max_tasks;
	m->export_pci = caps->export_pci;
	m->import_pci = caps->import_pci;
	m->export_rdma = caps->export_rdma;
	m->comch_server = caps->comch_server;
	m->comch_client = caps->comch_client;
	m->comch_max_name_len = caps->comch_max_name_len;
	m->comch_max_msg_size = caps->comch_max_msg_size;
	m->comch_max_recv_queue = caps->comch_max_recv_queue;
	m->comch_max_clients = caps->comch_max_clients;
	m->comch_max_send_tasks = caps->comch_max_send_tasks;
	m->rep_filter_all = caps->rep_filter_all;
	m->rep_filter_net = caps->rep_filter_net;
	m->rep_filter_emulated = caps->rep_filter_emulated;
	m->hotplug_manager = caps->hotplug_manager;
	m->notification_moderation = caps->notification_moderation;
	m->max_devices_per_mmap = caps->max_devices_per_mmap;
	m->sync_event = caps->sync_event;
	m->sync_export_pci = caps->sync_export_pci;
	m->sync_import_pci = caps->sync_import_pci;
	m->sync_export_net = caps->sync_export_net;
	m->sync_import_net = caps->sync_import_net;
	m->sync_max_tasks = caps->sync_max_tasks;
	m->comch_producer = caps->comch_producer;
	m->comch_consumer = caps->comch_consumer;
	m->comch_max_producers = caps->comch_max_producers;
	m->comch_max_consumers = caps->comch_max_consumers;
	m->comch_fast_max_tasks = caps->comch_fast_max_tasks;
	m->comch_fast_max_buf_size = caps->comch_fast_max_buf_size;
	m->comch_fast_max_list_len = caps->comch_fast_max_list_len;
	m->comch_max_imm_len = caps->comch_max_imm_len;
	m->sha_algorithms = caps->sha_algorithms;
	m->sha_partial_algorithms = caps->sha_partial_algorithms;
	m->sha_max_src_size = caps->sha_max_src_size;
	m->sha_max_list_len = caps->sha_max_list_len;
	m->sha_max_tasks = caps->sha_max_tasks;
	m->compress_tasks = caps->compress_tasks;
	m->compress_max_buf_size = caps->compress_max_buf_size;
	m->compress_max_list_len = caps->compress_max_list_len;
	m->compress_max_tasks = caps->compress_max_tasks;
	m->aes_gcm_keys = caps->aes_gcm_keys;
	m->aes_gcm_tags = caps->aes_gcm_tags;
	m->aes_gcm_max_iv_len = caps->aes_gcm_max_iv_len;
	m->aes_gcm_max_buf_size = caps->aes_gcm_max_buf_size;
	m->aes_gcm_max_list_len = caps->aes_gcm_max_list_len;
	m->aes_gcm_max_tasks = caps->aes_gcm_max_tasks;
	m->mmap_advise = caps->mmap_advise;
	m->mmap_advise_max_buf_size = caps->mmap_advise_max_buf_size;
	m->rdma = caps->rdma;
	m->rdma_max_send_queue = caps->rdma_max_send_queue;
	m->rdma_max_recv_queue = caps->rdma_max_recv_queue;
	m->rdma_max_sges = caps->rdma_max_sges;
	m->rdma_max_message = caps->rdma_max_message;
	m->rdma_max_qps = caps->rdma_max_qps;
	m->rdma_max_mtu = caps->rdma_max_mtu;
	m->ec = caps->ec;
	m->ec_max_block_size = caps->ec_max_block_size;
	m->ec_max_list_len = caps->ec_max_list_len;
	m->ec_max_tasks = caps->ec_max_tasks;
	m->ec_max_data_blocks = caps->ec_max_data_blocks;
	m->ec_max_rdnc_blocks = caps->ec_max_rdnc_blocks;
}

/* GIDs by index; an unused index is empty. */
static void gids_to_message(const struct device_spec *spec, Dococore__Device *m,
			    ProtobufCBinaryData gids[TOPOLOGY_MAX_GIDS])
{
	static const uint8_t unused[16];

	for (uint32_t i = 0; i < spec->n_gids; i++) {
		bool used = memcmp(spec->gids[i], unused, sizeof(unused)) != 0;

		gids[i] = (ProtobufCBinaryData){used ? sizeof(spec->gids[i]) : 0,
						(uint8_t *)spec->gids[i]};
	}
	m->n_gids = spec->n_gids;
	m->gids = gids;
}

/* The message borrows the specification's strings and bytes. */
static void device_to_message(const struct device *device, Dococore__Device *m,
			      Dococore__Caps *caps, ProtobufCBinaryData gids[TOPOLOGY_MAX_GIDS])
{
	const struct device_spec *spec = device->spec;

	dococore__device__init(m);
	caps_to_message(&spec->caps, caps);
	m->id = device->id;
	m->name = (char *)spec->name;
	m->pci_addr = (char *)spec->pci_addr;
	m->vuid = (char *)spec->vuid;
	m->iface = (char *)spec->iface;
	m->ibdev = (char *)spec->ibdev;
	if (spec->has_ipv4)
		m->ipv4 = (ProtobufCBinaryData){sizeof(spec->ipv4), (uint8_t *)spec->ipv4};
	if (spec->has_ipv6)
		m->ipv6 = (ProtobufCBinaryData){sizeof(spec->ipv6), (uint8_t *)spec->ipv6};
	if (spec->has_mac)
		m->mac = (ProtobufCBinaryData){sizeof(spec->mac), (uint8_t *)spec->mac};
	m->func_type = (uint32_t)spec->func_type;
	m->sf_index = spec->sf_index;
	m->vhca_id = spec->vhca_id;
	m->lid = spec->lid;
	m->has_lid = spec->has_lid;
	m->active_rate = spec->active_rate;
	m->caps = caps;
	m->mtu = spec->mtu;
	m->port_state = spec->port_state;
	m->is_bound = spec->is_bound;
	gids_to_message(spec, m, gids);
}

int device_on_list(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const struct registry *registry = session->daemon->registry;
	Dococore__DeviceListReply reply = DOCOCORE__DEVICE_LIST_REPLY__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;
	Dococore__Device messages[DEVICE_PAGE];
	Dococore__Caps caps[DEVICE_PAGE];
	Dococore__Device *pointers[DEVICE_PAGE];
	ProtobufCBinaryData gids[DEVICE_PAGE][TOPOLOGY_MAX_GIDS];

	(void)fds;
	for (size_t i = 0; i < registry->n_devices; i++) {
		size_t n = reply.n_devices;

		if (registry->devices[i].is_gone)
			continue;
		if (reply.total++ < packet->device_list->offset || n == DEVICE_PAGE)
			continue;
		device_to_message(&registry->devices[i], &messages[n], &caps[n], gids[n]);
		pointers[n] = &messages[n];
		reply.n_devices++;
	}
	reply.devices = pointers;
	answer.id = packet->id;
	answer.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST_REPLY;
	answer.device_list_reply = &reply;
	session_reply(session, &answer, NULL, 0);
	return 0;
}

static bool rep_matches(const struct representor *rep, const struct device *device, uint32_t filter)
{
	if (!rep->present || rep->parent != device)
		return false;
	return filter == REP_FILTER_ALL || (filter & REP_FILTER_NET && !rep->spec->is_emulated) ||
	       (filter & REP_FILTER_EMULATED && rep->spec->is_emulated);
}

static void rep_to_message(const struct representor *rep, Dococore__Representor *m)
{
	dococore__representor__init(m);
	m->id = rep->id;
	m->name = (char *)rep->spec->name;
	m->pci_addr = (char *)rep->spec->pci_addr;
	m->vuid = (char *)rep->spec->vuid;
	m->iface = (char *)rep->spec->iface;
	m->func_type = (uint32_t)rep->spec->func_type;
	m->vhca_id = rep->spec->vhca_id;
	m->is_hotplug = rep->spec->is_hotplug;
	m->is_emulated = rep->spec->is_emulated;
	m->parent = (char *)rep->parent->spec->name;
}

static bool rep_filter_supported(const struct caps *caps, uint32_t filter)
{
	if (filter == REP_FILTER_ALL)
		return caps->rep_filter_all;
	if (filter & ~(uint32_t)(REP_FILTER_NET | REP_FILTER_EMULATED))
		return false;
	return (!(filter & REP_FILTER_NET) || caps->rep_filter_net) &&
	       (!(filter & REP_FILTER_EMULATED) || caps->rep_filter_emulated);
}

int device_on_rep_list(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const struct registry *registry = session->daemon->registry;
	const Dococore__RepList *ask = packet->rep_list;
	Dococore__RepListReply reply = DOCOCORE__REP_LIST_REPLY__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;
	Dococore__Representor messages[REP_PAGE];
	Dococore__Representor *pointers[REP_PAGE];
	const struct device *device;

	(void)fds;
	if (ask->device_id == 0 || ask->device_id > registry->n_devices)
		return session_refuse(session, packet->id, CODE_NOT_FOUND,
				      "device id %u is not in the topology: list the devices again",
				      ask->device_id);
	device = &registry->devices[ask->device_id - 1];
	if (!rep_filter_supported(&device->spec->caps, ask->filter))
		return session_refuse(
			session, packet->id, CODE_NOT_SUPPORTED,
			"device '%s' has no representors of filter %u: only devices of the "
			"DPU side have, ask its capabilities first",
			device->spec->name, ask->filter);
	for (size_t i = 0; i < registry->n_reps; i++) {
		if (!rep_matches(&registry->reps[i], device, ask->filter))
			continue;
		if (reply.total++ < ask->offset || reply.n_reps == REP_PAGE)
			continue;
		rep_to_message(&registry->reps[i], &messages[reply.n_reps]);
		pointers[reply.n_reps] = &messages[reply.n_reps];
		reply.n_reps++;
	}
	reply.reps = pointers;
	answer.id = packet->id;
	answer.body_case = DOCOCORE__PACKET__BODY_REP_LIST_REPLY;
	answer.rep_list_reply = &reply;
	session_reply(session, &answer, NULL, 0);
	return 0;
}
