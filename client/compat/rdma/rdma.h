/*
 * RDMA of 2.5 and 2.6: an object has one connection, which no call names. It is made while the
 * context is STARTING. Everything else is as in later versions. RDMA of 2.0 to 2.2: one connection
 * too, and jobs (client/compat/workq/rdma_job.c).
 *
 * The types here are independent of the version, so that files compiled against the headers of one
 * version can use them. Threads: those of the progress engine.
 */
#ifndef CLIENT_COMPAT_RDMA_RDMA_H
#define CLIENT_COMPAT_RDMA_RDMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#include "client/rdma/kind.h"

struct doca_buf;
struct doca_dev;
struct doca_devinfo;
struct doca_job;
struct doca_rdma;
struct doca_rdma_connection;
struct doca_rdma_gid;
struct doca_sync_event_remote_net;
struct rdma_cm_id;

doca_error_t rdma_former_create(struct doca_dev *dev, struct doca_rdma **rdma_out);
doca_error_t rdma_former_export(struct doca_rdma *rdma, const void **params_out, size_t *len_out);
doca_error_t rdma_former_connect(struct doca_rdma *rdma, const void *details, size_t len);
doca_error_t rdma_former_set_grh(struct doca_rdma *rdma, bool enabled);
doca_error_t rdma_former_get_grh(const struct doca_rdma *rdma, bool *enabled_out);

/* A task's arguments; those that its kind does not have are 0. */
struct rdma_former_task {
	const struct doca_buf *src;
	struct doca_buf *dst, *result;
	struct doca_sync_event_remote_net *event;
	uint32_t imm;
	uint64_t compare, value;
};
doca_error_t rdma_former_alloc(struct doca_rdma *rdma, enum rdma_kind kind,
			       const struct rdma_former_task *about, union doca_data user_data,
			       void *task_out);
uint32_t rdma_former_result_len(const void *task);
doca_error_t rdma_former_dpa_handle(const struct doca_rdma *rdma, const void *out);

/* --- 2.0 to 2.2 --- */

doca_error_t rdma_workq_create(struct doca_rdma **rdma_out);
doca_error_t rdma_workq_set_recv_list(struct doca_rdma *rdma, uint32_t n_bufs);
doca_error_t rdma_workq_get_recv_list(const struct doca_rdma *rdma, uint32_t *n_bufs_out);
/* state_out receives a value of enum doca_rdma_state as of 2.0. */
doca_error_t rdma_workq_get_state(const struct doca_rdma *rdma, int *state_out);
/* Implement doca_rdma_export() and doca_rdma_connect() for an object of 2.0 to 2.2. */
doca_error_t rdma_workq_export(struct doca_rdma *rdma, const void **params_out, size_t *len_out);
doca_error_t rdma_workq_connect(struct doca_rdma *rdma, const void *details, size_t len);

enum rdma_workq_limit {
	RDMA_WORKQ_RECV_QUEUE,
	RDMA_WORKQ_SEND_QUEUE,
	RDMA_WORKQ_MESSAGE,
	RDMA_WORKQ_GIDS
};
doca_error_t rdma_workq_cap(const struct doca_devinfo *info, enum rdma_workq_limit which,
			    uint32_t *n_out);
doca_error_t rdma_workq_cap_gids(const struct doca_devinfo *info, uint32_t start, uint32_t n,
				 struct doca_rdma_gid *gids_out);
doca_error_t rdma_workq_cap_transport(const struct doca_devinfo *info, int transport);
/* type: a job type. */
doca_error_t rdma_workq_cap_job(const struct doca_devinfo *info, int type);
doca_error_t rdma_workq_cap_list(const struct doca_devinfo *info, int type, int transport,
				 uint32_t *n_out);

/* For the files that are compiled against the headers of 2.0: read a job in its layout there, and
 * write a result in the layout that programs read, which has WORKQ_RECORD_LEN bytes. */
struct rdma_job_result {
	doca_error_t status;
	int opcode; /* for receives: the kind of message received */
	uint32_t len;
	uint32_t imm;
};
void rdma_job_read(const struct doca_job *job, struct rdma_former_task *about_out);
void rdma_job_write_result(void *record_out, const struct rdma_job_result *result);

/* --- 2.7 to 2.10 --- */

/* The form of 2.7 and 2.8, without private data. */
doca_error_t compat_rdma_accept(struct doca_rdma_connection *conn);
/* Prepares and accepts a connection in one call. */
doca_error_t compat_rdma_bridge_accept(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
				       const void *private_data, uint8_t private_len,
				       struct doca_rdma_connection **conn_out);

#endif
