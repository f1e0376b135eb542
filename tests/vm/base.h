/*
 * What the tests of two processes have in common that use the library: a device, memory, contexts,
 * descriptors that go from one process to the other, and bytes that tell where they are. Whatever
 * is not as it has to be ends the process. Threads: none.
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
/* With its sentence printed. */
void base_fails(doca_error_t code, doca_error_t result, const char *file, int line);

/* The device of the topology that is bound to that RDMA device; NULL: to VERBS_TEST_DEVICE. */
struct doca_dev *base_dev_open(const char *ibdev);
/* The representor of the host's first function, on the DPU's side. */
struct doca_dev_rep *base_rep_open(struct doca_dev *dev);
/* Zeroed memory in a map that is started; the caller frees both. */
uint8_t *base_memory_new(struct doca_dev *dev, size_t len, uint32_t rights,
			 struct doca_mmap **mmap_out);
/* Until it is idle. */
void base_ctx_stop(struct doca_pe *pe, struct doca_ctx *ctx);
/* Progresses until *counter has reached the value; asleep while there is nothing to do if asked. */
void base_await(struct doca_pe *pe, const unsigned *counter, unsigned value, bool is_asleep);

/* Milliseconds of a clock that only goes on. */
uint64_t base_now_ms(void);
/*
 * What began then and has failed now: a device tries for about half a second seven times before the
 * other end counts as gone (doc/two-machines.md). Not much earlier, for who is away for less is to
 * be waited for, and not late, on an emulated processor beside others.
 */
void base_check_retries(uint64_t since_ms);
/* The same of what ends a limit after a sign of life that came no later than then. */
void base_check_limit(uint64_t since_ms, uint64_t limit_ms);

/* A descriptor; get returns its bytes. */
void base_put_desc(int sock, const void *desc, size_t len);
size_t base_get_desc(int sock, uint8_t desc_out[DESC_MAX]);

/* Bytes that differ by place and by seed. */
void base_fill(uint8_t *memory, size_t at, size_t len, unsigned seed);
void base_verify(const uint8_t *memory, size_t at, size_t len, unsigned seed);

#endif
