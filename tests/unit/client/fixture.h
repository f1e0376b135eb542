/*
 * Fixture of the unit tests of client/: a simulated device, so that no daemon
 * is needed, and a toy engine whose hooks can all be controlled and are counted.
 */
#ifndef TESTS_UNIT_CLIENT_FIXTURE_H
#define TESTS_UNIT_CLIENT_FIXTURE_H

#include <doca_buf_inventory.h>
#include <dococ.h>
#include <string.h>

#include "client/base/error.h"
#include "client/memory/buf.h"
#include "client/progress/task.h"
#include "tests/unit/unit.h"

extern struct doca_devinfo unit_info;
extern struct doca_dev unit_dev, unit_dev_other;

#define ck_ok(call)         ck_assert_int_eq(call, DOCA_SUCCESS)
#define ck_fails(call, how) ck_assert_int_eq(call, how)
/* The error sentence of the last failure contains this text. */
#define ck_says(part)                                                                         \
	ck_assert_msg(strstr(dococ_last_error(), part) != NULL, "\"%s\" does not say \"%s\"", \
		      dococ_last_error(), part)

struct doca_mmap *unit_mmap(void *addr, size_t len, uint32_t permissions);

/* Creates a map as if by an import of an export, reached through region. */
struct doca_mmap *unit_import(uint64_t base, size_t len, bool readable, bool writable,
			      const struct transport_region *region);
struct doca_buf_inventory *unit_inventory(size_t n);
uint32_t unit_n_free(const struct doca_buf_inventory *inventory);
enum doca_ctx_states unit_state(const struct doca_ctx *ctx);
bool unit_is_readable(struct doca_pe *pe);

/* --- toy engine --- */

#define TOY_LOG_MAX 64

struct toy {
	struct doca_ctx ctx; /* first, as ctx_ops' hooks rely on */
	struct task_pool pool;
	/* Results of the hooks. */
	doca_error_t start_result;
	doca_error_t execute_result; /* of the task that fail_at names */
	uint64_t fail_at;            /* user data of a task, or 0 for all tasks */
	bool is_slow;                /* stops only when is_stopped is set */
	bool is_stopped;
	bool is_pending;   /* arm finds an event */
	uint32_t n_events; /* returned by poll */
	void (*on_event)(struct toy *toy);
	void (*on_task)(struct toy *toy, struct doca_task *task);
	void (*on_state)(struct toy *toy, enum doca_ctx_states next);
	/* Numbers of calls. */
	uint32_t n_stops, n_releases, n_polls, n_arms, n_disarms;
	uint32_t n_ok, n_failed;
	uint64_t order[TOY_LOG_MAX]; /* user data of completed tasks */
	uint32_t n_order;
	doca_error_t last_status;
	uint8_t states[TOY_LOG_MAX]; /* prev << 4 | next */
	uint32_t n_states;
};

extern const struct ctx_ops toy_ops;
/* The toy's own functions, for tests that put theirs in front of them. */
doca_error_t toy_execute(struct doca_task *task);
void toy_ok(struct doca_task *task, union doca_data user_data, union doca_data ctx_user_data);
void toy_failed(struct doca_task *task, union doca_data user_data, union doca_data ctx_user_data);
void toy_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
	       enum doca_ctx_states next);

#define IDLE     DOCA_CTX_STATE_IDLE
#define STARTING DOCA_CTX_STATE_STARTING
#define RUNNING  DOCA_CTX_STATE_RUNNING
#define STOPPING DOCA_CTX_STATE_STOPPING

/* The n-th state change that the application saw. */
#define ck_change(toy, n, prev, next)                          \
	do {                                                   \
		ck_assert_uint_gt((toy)->n_states, n);         \
		ck_assert_int_eq((toy)->states[n] >> 4, prev); \
		ck_assert_int_eq((toy)->states[n] & 15, next); \
	} while (0)

struct toy *toy_new(struct doca_pe *pe, uint32_t n_tasks);
struct toy *toy_delete(struct toy *toy);
struct doca_task *toy_task(struct toy *toy, uint64_t user_data);

/* Progresses until there is no more work. Returns the number of calls that did something. */
uint32_t unit_progress(struct doca_pe *pe);

#endif
