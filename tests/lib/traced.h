/*
 * Programs that run themselves under strace, to show that a section of their work makes no system
 * call. `PROGRAM --traced NAME HOW DIR` runs one side of the test, which puts marks around that
 * section. NAME selects the side, the test defines HOW, DIR is the lab's directory.
 */
#ifndef TESTS_LIB_TRACED_H
#define TESTS_LIB_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/lib/lab.h"

struct traced {
	const char *name, *how, *dir;
};

/* Returns false, after printing a message, if strace is missing or forbidden. */
bool traced_is_possible(void);
/* True if this process is a traced one. */
bool traced_parse(int argc, char **argv, struct traced *traced_out);
/* Runs a traced side as a test case in this process. Returns the program's exit status. */
int traced_main(void (*side)(void));
/* Writes a mark, a write to descriptor -1. "run" begins the counted section, "end" ends it. */
void traced_mark(const char *name);

/* Data from one side to the other through a file in the lab's directory. get waits for it. */
void traced_put(const char *dir, const void *data, size_t len);
void traced_get(const char *dir, void *data_out, size_t len);
/* The same with a name, if both sides have data for each other. */
void traced_put_as(const char *dir, const char *what, const void *data, size_t len);
void traced_get_as(const char *dir, const char *what, void *data_out, size_t len);

/*
 * For two sides of which one exits when it has finished. Its exit must not happen in the counted
 * section of the other. The side that exits last writes the message, the side that exits first
 * waits for it.
 */
void traced_report_calls(const char *dir);
void traced_await_over(const char *dir);

/*
 * Returns how often two polling processes should do something in turns: less often on a busy
 * machine, and equally often in both processes of a test.
 */
uint32_t traced_n(uint32_t usual);

/* Starts this program under strace; its trace is NAME in the lab's directory. */
pid_t traced_start(struct lab *lab, enum lab_side of, const char *name, const char *how);
/* The process must exit with status 0. */
void traced_reap(pid_t pid, const char *name);
/*
 * Counts system calls between the marks and prints the first few. Calls that contain `ignored` do
 * not count; NULL: all count.
 */
unsigned traced_count(const struct lab *lab, const char *name, const char *ignored);
/*
 * Pattern to ignore if two processes poll: the check of the other process or of the daemon, and the
 * getpid() with it. Both happen after a considerable part of a second without progress, and on a
 * busy machine the other process may be off its core for that long.
 */
#define TRACED_POLL "poll([{fd="

/*
 * Runs the DPU's side "server" and the host's side "client" under strace; neither may make a system
 * call between its marks, apart from TRACED_POLL. listens: starts the client when the DPU's daemon
 * has a comch server.
 */
void traced_run_both(struct lab *lab, const char *how, bool listens);

#endif
