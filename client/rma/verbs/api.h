/*
 * rdma-core, loaded when it is first needed. Most machines have no RDMA device and need neither
 * libibverbs nor librdmacm. The client library is therefore not linked with them, runs where they
 * are not installed, and never loads them for a device that is bound to no RDMA device. Inline
 * functions of verbs.h (post, poll, arm) call through the objects and are used as usual. Threads:
 * any.
 */
#ifndef CLIENT_RMA_VERBS_API_H
#define CLIENT_RMA_VERBS_API_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

/* The names lack their prefix, because some of the functions are macros too. */
struct verbs_api {
	__typeof__(ibv_get_device_list) *get_device_list;
	__typeof__(ibv_free_device_list) *free_device_list;
	__typeof__(ibv_get_device_name) *get_device_name;
	__typeof__(ibv_open_device) *open_device;
	__typeof__(ibv_close_device) *close_device;
	__typeof__(ibv_query_device) *query_device;
	/* Fills only the first part of a struct ibv_port_attr; clear the struct before. */
	__typeof__(ibv_query_port) *query_port;
	__typeof__(ibv_query_gid) *query_gid;
	__typeof__(ibv_alloc_pd) *alloc_pd;
	__typeof__(ibv_dealloc_pd) *dealloc_pd;
	__typeof__(ibv_reg_mr) *reg_mr;
	__typeof__(ibv_rereg_mr) *rereg_mr;
	__typeof__(ibv_dereg_mr) *dereg_mr;
	__typeof__(ibv_create_comp_channel) *create_comp_channel;
	__typeof__(ibv_destroy_comp_channel) *destroy_comp_channel;
	__typeof__(ibv_create_cq) *create_cq;
	__typeof__(ibv_destroy_cq) *destroy_cq;
	__typeof__(ibv_get_cq_event) *get_cq_event;
	__typeof__(ibv_ack_cq_events) *ack_cq_events;
	__typeof__(ibv_create_srq) *create_srq;
	__typeof__(ibv_destroy_srq) *destroy_srq;
	__typeof__(ibv_create_qp) *create_qp;
	__typeof__(ibv_modify_qp) *modify_qp;
	__typeof__(ibv_query_qp) *query_qp;
	__typeof__(ibv_destroy_qp) *destroy_qp;
	__typeof__(ibv_get_async_event) *get_async_event;
	__typeof__(ibv_ack_async_event) *ack_async_event;
	__typeof__(ibv_wc_status_str) *wc_status_str;
	/* NULL if rdma-core is older than 25. */
	__typeof__(ibv_reg_mr_iova) *reg_mr_iova;
};

struct cm_api {
	__typeof__(rdma_create_event_channel) *create_event_channel;
	__typeof__(rdma_destroy_event_channel) *destroy_event_channel;
	__typeof__(rdma_create_id) *create_id;
	__typeof__(rdma_destroy_id) *destroy_id;
	__typeof__(rdma_bind_addr) *bind_addr;
	__typeof__(rdma_resolve_addr) *resolve_addr;
	__typeof__(rdma_resolve_route) *resolve_route;
	__typeof__(rdma_listen) *listen;
	__typeof__(rdma_connect) *connect;
	__typeof__(rdma_establish) *establish;
	__typeof__(rdma_accept) *accept;
	__typeof__(rdma_reject) *reject;
	__typeof__(rdma_disconnect) *disconnect;
	__typeof__(rdma_get_cm_event) *get_cm_event;
	__typeof__(rdma_ack_cm_event) *ack_cm_event;
	__typeof__(rdma_init_qp_attr) *init_qp_attr;
};

/* Returns the table, or NULL and a clause that says what is missing. The first result is kept. */
const struct verbs_api *verbs_api(const char **why_out);
const struct cm_api *cm_api(const char **why_out);

#endif
