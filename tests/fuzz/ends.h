/*
 * Objects that the targets of comch's data path share: a device and a progress engine without a
 * daemon, a clock that the target moves, and inputs that are lists of steps. Include it in one file
 * of a target, which is linked with -Wl,--wrap=clock_now_ns.
 */
#ifndef TESTS_FUZZ_ENDS_H
#define TESTS_FUZZ_ENDS_H

#include <string.h>

#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "client/device/dev.h"
#include "tests/fuzz/fuzz.h"
#include "util/clock.h"

#define ENDS_SEND_MAX 9000u /* the longest message of a producer */
#define ENDS_IMM_MAX  96u
#define ENDS_N_TASKS  40u

static struct doca_devinfo ends_info = {
	.refs = 1,
	.name = "p0",
	.caps = {.comch_producer = true,
		 .comch_consumer = true,
		 .comch_max_producers = 4,
		 .comch_max_consumers = 2,
		 .comch_fast_max_tasks = ENDS_N_TASKS,
		 .comch_fast_max_buf_size = ENDS_SEND_MAX - 200,
		 .comch_max_imm_len = ENDS_IMM_MAX},
};
static struct doca_dev ends_dev = {.info = &ends_info, .n_opens = 1};
static struct doca_pe *ends_pe;
static uint64_t ends_now_ns;

uint64_t __wrap_clock_now_ns(void);

/* Moves with each call, so that a wait for a time ends. */
uint64_t __wrap_clock_now_ns(void)
{
	return ends_now_ns += 20 * NS_PER_MS;
}

/* Called once. No daemon is reached. */
static inline void ends_open(void)
{
	setenv("DOCOCORED_SOCKET", "/nonexistent/socket", 1);
	FUZZ_CHECK(doca_pe_create(&ends_pe) == DOCA_SUCCESS);
}

static inline struct doca_mmap *ends_map(void *bytes, size_t len, uint32_t permissions)
{
	struct doca_mmap *map;

	FUZZ_CHECK(doca_mmap_create(&map) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_mmap_set_memrange(map, bytes, len) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_mmap_set_permissions(map, permissions) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_mmap_add_dev(map, &ends_dev) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_mmap_start(map) == DOCA_SUCCESS);
	return map;
}

static inline struct doca_buf *ends_buf(struct doca_mmap *map, void *bytes, size_t len)
{
	static struct doca_buf_inventory *inventory;
	struct doca_buf *buf;

	if (inventory == NULL) {
		FUZZ_CHECK(doca_buf_inventory_create(32, &inventory) == DOCA_SUCCESS);
		FUZZ_CHECK(doca_buf_inventory_start(inventory) == DOCA_SUCCESS);
	}
	FUZZ_CHECK(doca_buf_inventory_buf_get_by_addr(inventory, map, bytes, len, &buf) ==
		   DOCA_SUCCESS);
	return buf;
}

static inline void ends_progress(unsigned n)
{
	while (n-- > 0 && doca_pe_progress(ends_pe))
		continue;
}

/* Stops a context, which must become idle. */
static inline void ends_stop(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	(void)doca_ctx_stop(ctx);
	for (unsigned i = 0; i < 10000; i++) {
		FUZZ_CHECK(doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS);
		if (state == DOCA_CTX_STATE_IDLE)
			return;
		(void)doca_pe_progress(ends_pe);
	}
	FUZZ_CHECK(!"a context that stops");
}

/* --- inputs: one byte, then steps --- */

#define ENDS_STEP_LEN 12u

struct ends_step {
	uint8_t what, how;
	uint16_t where;
	uint64_t value;
};

static inline struct ends_step ends_step_read(const uint8_t *data)
{
	struct ends_step step = {.what = data[0], .how = data[1]};

	memcpy(&step.where, data + 2, sizeof(step.where));
	memcpy(&step.value, data + 4, sizeof(step.value));
	return step;
}

static inline void ends_step_write(uint8_t **at, struct ends_step step)
{
	(*at)[0] = step.what;
	(*at)[1] = step.how;
	memcpy(*at + 2, &step.where, sizeof(step.where));
	memcpy(*at + 4, &step.value, sizeof(step.value));
	*at += ENDS_STEP_LEN;
}

/* A seed that has each kind of step, n times. */
static inline size_t ends_seed_any(unsigned i, unsigned n, uint8_t *out)
{
	uint8_t *at = out;

	*at++ = (uint8_t)i;
	for (unsigned k = 0; k < n; k++)
		ends_step_write(&at,
				(struct ends_step){(uint8_t)(k * (i + 1)), (uint8_t)(k * 7 + i),
						   (uint16_t)(k * 13), k * 2654435761u});
	return (size_t)(at - out);
}

#endif
