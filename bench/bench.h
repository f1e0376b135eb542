/*
 * Declarations that the parts of doca-bench share: the options of a run, the form of a test, and
 * how a test ends the program. doca-bench is a measuring program, not a daemon: if a set-up step
 * fails, it ends with a sentence, and the kernel frees its resources.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "util/util.h"

#define BENCH_MAX_LIST 32u

enum bench_side { SIDE_HOST, SIDE_DPU };
enum bench_transport { TRANSPORT_LOCAL, TRANSPORT_SHM, TRANSPORT_PVM };

struct bench_list {
	uint64_t values[BENCH_MAX_LIST];
	size_t n;
};

struct bench_options {
	/* Empty: the test's defaults. */
	struct bench_list sizes, depths, threads, transports;
	uint64_t iterations; /* 0: measure for a fixed time */
	unsigned n_rounds;
	bool is_json, is_lab, is_control;
	bool is_workq; /* dma: compares jobs of a work queue with tasks */
};

struct peer;
struct report;

/* Arguments of a test. */
struct bench {
	const struct bench_options *options;
	struct report *report;
	struct peer *peer; /* NULL: no other process */
	enum bench_side side;
};

void bench_dma(struct bench *bench);
void bench_buf(struct bench *bench);
void bench_pe(struct bench *bench);
void bench_comch(struct bench *bench);
void bench_sync(struct bench *bench);
/* Needs no running daemon: it starts its own. */
void bench_control(struct bench *bench);
/* The data path of comch; part of the comch test. */
void bench_fast(struct bench *bench);
void bench_graph(struct bench *bench);
void bench_sha(struct bench *bench);
void bench_rdma(struct bench *bench);

const char *bench_side_name(enum bench_side side);
const char *bench_transport_name(enum bench_transport transport);

/* Writes a line to stderr and ends the process. */
void bench_die(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));
/*
 * Returns zeroed memory in cache lines of its own, so that threads share no line. If memory is
 * short, ends the process. Release it with free().
 */
void *bench_alloc(size_t n, size_t size);
/* Name of this process's side, for error messages. */
const char *bench_our_side(void);
/* Like bench_die(), with the library's error sentence. */
void bench_fail(doca_error_t result, const char *what) __attribute__((noreturn, cold));
/* Fails unless result is success. Inline, because callbacks are part of the measured time. */
static inline void bench_check(doca_error_t result, const char *what)
{
	if (unlikely(result != DOCA_SUCCESS))
		bench_fail(result, what);
}

#endif
