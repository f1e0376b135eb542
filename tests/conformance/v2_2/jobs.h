/*
 * What the tests of the libraries of 2.2 share: a device of the host side of a lab, a map over
 * `memory` with an inventory, and a work queue. Include it in one file of a program.
 */
#ifndef TESTS_CONFORMANCE_V2_2_JOBS_H
#define TESTS_CONFORMANCE_V2_2_JOBS_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

_Static_assert(DOCA_USE_VERSION == 202, "compiled for 2.2");

#define DEPTH 4u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_devinfo *info;
static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;
static struct doca_workq *workq;
static uint8_t memory[8192];

/* A topology is that of a host side without a DPU. NULL: the default topology of both sides. */
static inline void setup_with(const char *topology)
{
	struct lab_options options = {.only = {topology != NULL, false}, .topology = topology};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	info = doca_dev_as_devinfo(dev);
	OK(doca_mmap_create(NULL, &map));
	OK(doca_mmap_set_memrange(map, memory, sizeof(memory)));
	OK(doca_mmap_set_permissions(map, DOCA_ACCESS_LOCAL_READ_WRITE));
	OK(doca_mmap_dev_add(map, dev));
	OK(doca_mmap_start(map));
	OK(doca_buf_inventory_create(NULL, 64, DOCA_BUF_EXTENSION_NONE, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_workq_create(DEPTH, &workq));
}

static inline void setup(void)
{
	setup_with(NULL);
}

static inline void teardown(void)
{
	OK(doca_workq_destroy(workq));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(map));
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static inline struct doca_buf *source(size_t at, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_by_data(inventory, map, memory + at, len, &buf));
	return buf;
}

static inline struct doca_buf *destination(size_t at, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_by_addr(inventory, map, memory + at, len, &buf));
	return buf;
}

static inline void buf_release(struct doca_buf *buf)
{
	OK(doca_buf_refcount_rm(buf, NULL));
}

static inline size_t buf_data_len(struct doca_buf *buf)
{
	size_t len;

	OK(doca_buf_get_data_len(buf, &len));
	return len;
}

/* Waits for the next event of any kind. */
static inline doca_error_t await(struct doca_event *event)
{
	doca_error_t result;

	do
		result = doca_workq_progress_retrieve(workq, event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
	while (result == DOCA_ERROR_AGAIN);
	return result;
}

/* Submits a job and checks its event, whose result must be the status. */
static inline void run_job(const struct doca_job *job, doca_error_t status)
{
	struct doca_event event;

	OK(doca_workq_submit(workq, job));
	EXPECT(status == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED, await(&event));
	ck_assert_int_eq(event.type, job->type);
	ck_assert_ptr_eq(event.user_data.ptr, job->user_data.ptr);
	ck_assert_uint_eq(event.result.u64, status);
}

static inline void ctx_open(struct doca_ctx *ctx)
{
	OK(doca_ctx_dev_add(ctx, dev));
	OK(doca_ctx_start(ctx));
	OK(doca_ctx_workq_add(ctx, workq));
}

static inline void ctx_close(struct doca_ctx *ctx)
{
	OK(doca_ctx_workq_rm(ctx, workq));
	OK(doca_ctx_stop(ctx));
}

#endif
