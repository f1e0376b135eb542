/*
 * Declarations that the parts of doca-bench share: the options of a run, a row of the table, and
 * the state of one process that measures a row.
 *
 * A row is measured by processes of its own, which end with it: nothing that setup() created is
 * ever released by hand, and no row sees what another one left. doca-bench is a measuring program,
 * not a daemon: if a step fails, the process ends with a sentence.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "bench/base/raw_ring.h"
#include "util/util.h"

#define BENCH_MAX_LIST    32u
#define BENCH_MAX_POINTS  6u
#define BENCH_MAX_THREADS 64u

enum bench_side { SIDE_HOST, SIDE_DPU };
enum bench_transport { TRANSPORT_LOCAL, TRANSPORT_SHM, TRANSPORT_PVM, N_TRANSPORTS };

struct bench_list {
	uint64_t values[BENCH_MAX_LIST];
	size_t n;
};

struct bench_options {
	/* Empty: the rows' defaults. */
	struct bench_list sizes, depths, threads, transports;
	uint64_t iterations;  /* 0: measure for a fixed time */
	uint64_t duration_ns; /* 0: n_rounds pairs */
	unsigned n_rounds;
	bool is_json, is_lab;
	bool is_workq; /* dma: compares jobs of a work queue with tasks */
	const char *files[2];
	unsigned n_files; /* JSON results to compare with, or to compare */
};

struct bench;
struct laps;

/*
 * Executes n operations and reads no clock, unless it marks laps (bench/base/measure.h). Runs on
 * the thread of b.
 */
typedef void bench_loop(struct bench *b, uint64_t n);

enum bench_flags {
	ROW_PEER = 1 << 0,      /* another process of the other side takes part */
	ROW_OPTIONAL = 1 << 1,  /* without the other side, the row is omitted */
	ROW_NEAR = 1 << 2,      /* samples count only while the cores are near each other */
	ROW_BYTES = 1 << 3,     /* an operation moves size bytes */
	ROW_SIZES = 1 << 4,     /* --size applies */
	ROW_DEPTHS = 1 << 5,    /* --depth applies */
	ROW_THREADS = 1 << 6,   /* --threads applies; each thread has objects of its own */
	ROW_LAPS = 1 << 7,      /* run() marks each operation: the row has percentiles */
	ROW_DEPTH_ONE = 1 << 8, /* ROW_LAPS only if depth is 1 */
	ROW_MEDIAN = 1 << 9,    /* both loops mark laps, and the figure is their median */
	ROW_ON_DPU = 1 << 10,   /* measured on the DPU's side */
	ROW_ON_HOST = 1 << 11,  /* and on the host's; without either, on the side of the socket */
	ROW_WORKQ = 1 << 12,    /* for --api workq */
	ROW_COLD = 1 << 13,     /* memory that no cache holds */
	ROW_LONG = 1 << 14,     /* samples take 200 ms instead of 20 */
};

/* A default of a row, and the limit of its ratio; 0: none. */
struct bench_point {
	uint64_t size, depth;
	double limit;
};

/* One operation, and what it is compared with. */
struct bench_row {
	const char *test, *variant, *transport, *reference;
	unsigned flags;
	enum bench_transport memory;
	unsigned kind;               /* the test's own: which variant this is */
	uint64_t min_size, max_size; /* sizes that --size may choose; max_size 0: any */
	uint64_t multiple;           /* n is a multiple of this; 0: of depth */
	uint64_t ops_of_lap;         /* 0: 1 */
	struct bench_point points[BENCH_MAX_POINTS];
	/*
	 * Runs once for each thread, in both processes at once if the row has ROW_PEER. Returns
	 * NULL, or a static sentence that says why the row cannot be measured here.
	 */
	const char *(*setup)(struct bench *b);
	/* The serve loops run in the other process meanwhile; NULL: it sleeps. */
	bench_loop *run, *serve, *reference_run, *reference_serve;
};

/* One thread of one process that measures a row. */
struct bench {
	const struct bench_row *row;
	const struct bench_options *options;
	struct peer *peer; /* NULL: no other process */
	enum bench_side side;
	bool is_peer; /* this is the other process */
	unsigned n_threads;
	uint64_t size, depth;
	void *state;          /* what setup() created */
	struct laps *laps;    /* where loops mark operations; NULL: they are not recorded */
	uint64_t aside_ticks; /* loops add time that does not count */
	/* The input of reference measurements; see bench/base/reference.h. */
	struct raw_ring tx, rx;
	uint8_t *message;
	uint64_t peer_memory;
	uint64_t n_places; /* number of messages that fit there */
	int peer_pid;
};

struct bench_table {
	const struct bench_row *rows;
	size_t n;
};

extern const struct bench_table bench_dma, bench_pe, bench_buf, bench_comch, bench_fast, bench_sha,
	bench_aes_gcm, bench_compress, bench_ec, bench_graph, bench_sync, bench_rdma, bench_control;

#define BENCH_TABLE(name, rows) const struct bench_table name = {rows, ARRAY_LEN(rows)}

const char *bench_side_name(enum bench_side side);
const char *bench_transport_name(enum bench_transport transport);

/* Writes a line to stderr and ends the process. */
void bench_die(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));
/*
 * Returns zeroed memory in cache lines of its own, so that threads share no line. If memory is
 * short, ends the process.
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
/* Fails with the text of the call unless it succeeds. */
#define MUST(call) bench_check((call), #call)

#endif
