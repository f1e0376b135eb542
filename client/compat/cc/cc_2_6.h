/* The functions of 2.6 that those of 2.5 call, under the symbols that they are bound to. No type
 * here depends on the version that a file is compiled for. */
#ifndef CLIENT_COMPAT_CC_CC_2_6_H
#define CLIENT_COMPAT_CC_CC_2_6_H

#include <stdint.h>

#include <doca_api.h>
#include <doca_error.h>

struct doca_cc_client;
struct doca_cc_server;
struct doca_devinfo;

doca_error_t cc_cap_get_max_msg_size_2_6(const struct doca_devinfo *devinfo, uint32_t *size)
	DOCA_BIND(doca_cc_cap_get_max_msg_size, 2_6);
doca_error_t cc_cap_get_max_recv_queue_size_2_6(const struct doca_devinfo *devinfo, uint32_t *size)
	DOCA_BIND(doca_cc_cap_get_max_recv_queue_size, 2_6);
doca_error_t cc_cap_get_max_clients_2_6(const struct doca_devinfo *devinfo, uint32_t *num_clients)
	DOCA_BIND(doca_cc_cap_get_max_clients, 2_6);
doca_error_t cc_server_set_max_msg_size_2_6(struct doca_cc_server *cc_server, uint32_t size)
	DOCA_BIND(doca_cc_server_set_max_msg_size, 2_6);
doca_error_t cc_server_get_max_msg_size_2_6(const struct doca_cc_server *cc_server, uint32_t *size)
	DOCA_BIND(doca_cc_server_get_max_msg_size, 2_6);
doca_error_t cc_server_set_recv_queue_size_2_6(struct doca_cc_server *cc_server, uint32_t size)
	DOCA_BIND(doca_cc_server_set_recv_queue_size, 2_6);
doca_error_t cc_server_get_recv_queue_size_2_6(const struct doca_cc_server *cc_server,
					       uint32_t *size)
	DOCA_BIND(doca_cc_server_get_recv_queue_size, 2_6);
doca_error_t cc_client_set_max_msg_size_2_6(struct doca_cc_client *cc_client, uint32_t size)
	DOCA_BIND(doca_cc_client_set_max_msg_size, 2_6);
doca_error_t cc_client_get_max_msg_size_2_6(const struct doca_cc_client *cc_client, uint32_t *size)
	DOCA_BIND(doca_cc_client_get_max_msg_size, 2_6);
doca_error_t cc_client_set_recv_queue_size_2_6(struct doca_cc_client *cc_client, uint32_t size)
	DOCA_BIND(doca_cc_client_set_recv_queue_size, 2_6);
doca_error_t cc_client_get_recv_queue_size_2_6(const struct doca_cc_client *cc_client,
					       uint32_t *size)
	DOCA_BIND(doca_cc_client_get_recv_queue_size, 2_6);
doca_error_t cc_cap_get_max_send_tasks_2_6(const struct doca_devinfo *devinfo,
					   uint32_t *max_send_tasks)
	DOCA_BIND(doca_cc_cap_get_max_send_tasks, 2_6);
doca_error_t cc_consumer_cap_get_max_buf_size_2_6(const struct doca_devinfo *devinfo,
						  uint32_t *max_buf_size)
	DOCA_BIND(doca_cc_consumer_cap_get_max_buf_size, 2_6);
doca_error_t cc_producer_cap_get_max_buf_size_2_6(const struct doca_devinfo *devinfo,
						  uint32_t *max_buf_size)
	DOCA_BIND(doca_cc_producer_cap_get_max_buf_size, 2_6);

#endif
