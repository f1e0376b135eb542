/*
 * Helpers for the tests of two processes that use the library: a device, memory, contexts,
 * descriptors that one process sends to the other, and byte patterns that depend on the position.
 * Any unexpected result ends the process. Creates no threads.
 */
#ifndef TESTS_VM_BASE_H
#define TESTS_VM_BASE_H

#include <stdint.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "tests/vm/meet.h"

#define OK(call)          base_ok(call, __FILE__, __LINE__)
#define FAILS(code, call) base_fails(code, call, __FILE__, __LINE__)

#define DESC_MAX 512u

void base_ok(doca_error_t result, const char *file, int line);
/* Prints the library's error sentence. */
void base_fails(doca_error_t code, doca_error_t result, const char *file, int line);

/*
 * Opens the device of the topology that is bound to that RDMA device; NULL: to VERBS_TEST_DEVICE.
 */
struct doca_dev *base_dev_open(const char *ibdev);
/* Opens the representor of the host's first function. Works on the DPU's side. */
struct doca_dev_rep *base_rep_open(struct doca_dev *dev);
/* Returns zeroed memory in a started map; the caller frees both. */
uint8_t *base_memory_new(struct doca_dev *dev, size_t len, uint32_t rights,
			 struct doca_mmap **mmap_out);
/* Stops the context and progresses until it is idle. */
void base_ctx_stop(struct doca_pe *pe, struct doca_ctx *ctx);
/*
 * Progresses until *counter has reached the value. If `is_asleep`, sleeps while there is no work.
 */
void base_await(struct doca_pe *pe, const unsigned *counter, unsigned value, bool is_asleep);

/* Milliseconds of a monotonic clock. */
uint64_t base_now_ms(void);
/*
 * Checks the duration of a request that started at since_ms and has failed now: a device retries
 * seven times, about half a second each, before it reports that the other end is unreachable
 * (doc/two-machines.md). It must not fail much earlier, because shorter interruptions are
 * tolerated, and not late, even on an emulated processor with other tests running.
 */
void base_check_retries(uint64_t since_ms);
/*
 * The same for a connection that ends after the limit, counted from the last sign of life, which
 * came at since_ms or earlier.
 */
void base_check_limit(uint64_t since_ms, uint64_t limit_ms);

/* Send and receive a descriptor; get returns its length. */
void base_put_desc(int sock, const void *desc, size_t len);
size_t base_get_desc(int sock, uint8_t desc_out[DESC_MAX]);

/* A byte pattern that depends on position and seed. */
void base_fill(uint8_t *memory, size_t at, size_t len, unsigned seed);
void base_verify(const uint8_t *memory, size_t at, size_t len, unsigned seed);

#endif
