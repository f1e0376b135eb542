/*
 * RDMA of 2.5 and 2.6: an object has one connection, which no call names. It is made while the
 * context is STARTING. Everything else is as later, and of the engine.
 *
 * These take public types of no version in particular, so that files that see the headers of one
 * can use them. Threads: those of the progress engine.
 */
#ifndef CLIENT_COMPAT_RDMA_H
#define CLIENT_COMPAT_RDMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#include "client/engine/rdma_kind.h"

struct doca_buf;
struct doca_dev;
struct doca_rdma;
struct doca_sync_event_remote_net;

doca_error_t rdma_former_create(struct doca_dev *dev, struct doca_rdma **rdma_out);
doca_error_t rdma_former_export(struct doca_rdma *rdma, const void **details_out, size_t *len_out);
doca_error_t rdma_former_connect(struct doca_rdma *rdma, const void *details, size_t len);
doca_error_t rdma_former_set_grh(struct doca_rdma *rdma, bool enabled);
doca_error_t rdma_former_get_grh(const struct doca_rdma *rdma, bool *enabled_out);

/* What a task is about; what its kind does not have is 0. */
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

#endif
