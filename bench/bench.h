/*
 * What the parts of doca-bench share: the options of a run, the shape of a test, and how a test
 * gives up. The program measures; it is no daemon: whatever it cannot set up ends it with a
 * sentence, and the kernel frees what it held.
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
	/* Empty: the test's own. */
	struct bench_list sizes, depths, threads, transports;
	uint64_t iterations; /* 0: by time */
	unsigned n_rounds;
	bool is_json, is_lab, is_control;
	bool is_workq; /* dma: jobs of a work queue, against tasks */
};

struct peer;
struct report;

/* What a test is given. */
struct bench {
	const struct bench_options *options;
	struct report *report;
	struct peer *peer; /* NULL: there is none */
	enum bench_side side;
};

void bench_dma(struct bench *bench);
void bench_buf(struct bench *bench);
void bench_pe(struct bench *bench);
void bench_comch(struct bench *bench);
void bench_sync(struct bench *bench);
/* Without a daemon: it starts its own. */
void bench_control(struct bench *bench);
/* The data path of comch; part of its test. */
void bench_fast(struct bench *bench);
void bench_graph(struct bench *bench);
void bench_sha(struct bench *bench);
void bench_rdma(struct bench *bench);

const char *bench_side_name(enum bench_side side);
const char *bench_transport_name(enum bench_transport transport);

/* Writes a line to stderr and ends the process. */
void bench_die(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));
/* Zeroed, in lines of its own, so that threads do not meet in one; ends the process without
 * memory. Give it back with free. */
void *bench_alloc(size_t n, size_t size);
/* Of this process, for its last words. */
const char *bench_our_side(void);
/* As bench_die; adds what the library has to say. */
void bench_fail(doca_error_t result, const char *what) __attribute__((noreturn, cold));
/* Unless result is success. Callbacks are measured with what is in them: no call there. */
static inline void bench_check(doca_error_t result, const char *what)
{
	if (unlikely(result != DOCA_SUCCESS))
		bench_fail(result, what);
}

#endif
