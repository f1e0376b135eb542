/*
 * Two programs under load, one on each side, for tests with stopped daemons. Each program
 * copies from and to two memories of the other one, exchanges messages with it, sends to its
 * consumer, and adds to its sync event. These are operations on established paths. A second thread
 * of each program opens a device, exports and imports memory in a loop: these are control calls.
 * The content, the order and the number of everything that arrives is checked.
 *
 * The programs have no deadlines of their own. The test awaits what they do, and fails with a table
 * of both programs' counts. A control call may return TIME_OUT if a daemon was stopped while the
 * call was pending, and nothing else may fail. Threads: the functions are called by one thread, the
 * test's.
 */
#ifndef TESTS_INTEGRATION_CONTROL_LOAD_H
#define TESTS_INTEGRATION_CONTROL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/lib/lab.h"

/* Bits of a mask of operations. */
enum load_op {
	LOAD_SHARED,  /* copies of memory that the copying program maps */
	LOAD_PRIVATE, /* copies of memory that the kernel reads and writes */
	LOAD_MESSAGE, /* messages of comch */
	LOAD_FAST,    /* messages of a producer */
	LOAD_EVENT,   /* additions to a sync event */
	LOAD_OPEN,    /* opening a device */
	LOAD_EXPORT,
	LOAD_IMPORT,
	LOAD_N_OPS,
};
#define LOAD_BIT(op)    (1u << (op))
#define LOAD_PATHS      (LOAD_BIT(LOAD_OPEN) - 1)
#define LOAD_CALLS      (LOAD_BIT(LOAD_N_OPS) - LOAD_BIT(LOAD_OPEN))
#define LOAD_EVERYTHING (LOAD_PATHS | LOAD_CALLS)

struct load_board;

struct load {
	struct lab *lab;
	struct load_board *board; /* shared with both programs */
	struct lab_child programs[LAB_N_SIDES];
};

/* Returns when both programs have everything that they need from their daemons. */
void load_start(struct load *load, struct lab *lab);
/* Both programs end, and have lost nothing. */
void load_stop(struct load *load);

/* Call before a daemon is stopped or killed, and after it continues or is replaced. */
void load_stop_begins(struct load *load);
void load_stop_ends(struct load *load);

/* Waits until each operation of the mask has succeeded n more times in both programs. */
void load_await(struct load *load, unsigned ops, uint64_t n);
/* Waits until n more control calls of a program have returned TIME_OUT. */
void load_await_timed_out(struct load *load, enum lab_side side, uint64_t n);
/* Lets the programs work until this time. */
void load_work_until(struct load *load, uint64_t until_ns);
/* Waits until no control call is pending in the programs. They make no more until load_resume(). */
void load_rest(struct load *load);
void load_resume(struct load *load);

/* Prints counts, and the longest times of control calls. */
void load_print(const struct load *load, const char *title);

#define LOAD_N_USED 10

/* The objects of each daemon that clients use, as doca-admin reports them. */
struct load_usage {
	uint64_t n[LAB_N_SIDES][LOAD_N_USED];
};

void load_usage_read(const struct lab *lab, struct load_usage *usage_out);
/* Waits until both daemons report the same usage as before, or fewer descriptors. */
void load_usage_await(struct lab *lab, const struct load_usage *before);

#endif
