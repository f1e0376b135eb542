/*
 * Programs that run themselves under strace, to show that a stretch of their work makes no system
 * call: `PROGRAM --traced NAME HOW DIR` runs one side of the test, which puts marks around that
 * stretch. NAME says which side, HOW is the test's own, DIR is the lab's directory.
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

/* False: strace is missing or forbidden; says so. */
bool traced_is_possible(void);
/* True if this process is a traced one. */
bool traced_parse(int argc, char **argv, struct traced *traced_out);
/* Runs a traced side as a test case in this process. The program's exit status. */
int traced_main(void (*side)(void));
/* "run" begins what is counted, "end" ends it: a write to descriptor -1. */
void traced_mark(const char *name);

/* What one side tells the other, in the lab's directory: put at once, and waited for. */
void traced_put(const char *dir, const void *data, size_t len);
void traced_get(const char *dir, void *data_out, size_t len);
/* The same, when both sides have something to tell: each thing has a name. */
void traced_put_as(const char *dir, const char *what, const void *data, size_t len);
void traced_get_as(const char *dir, const char *what, void *data_out, size_t len);

/*
 * Two sides of which one leaves when it is through: its end is not what the other one's stretch is
 * to show. Told by who leaves last, and waited for by who leaves first.
 */
void traced_tell_over(const char *dir);
void traced_await_over(const char *dir);

/* How often to do what two processes do in turns while both poll: less often on a busy machine, and
 * as often in both of a test. */
uint32_t traced_n(uint32_t usual);

/* Starts this program under strace; its trace is NAME in the lab's directory. */
pid_t traced_start(struct lab *lab, enum lab_side of, const char *name, const char *how);
/* It must end well. */
void traced_reap(pid_t pid, const char *name);
/*
 * System calls between the marks; the first few are printed. Those that contain `ignored` do not
 * count; NULL: all do.
 */
unsigned traced_count(const struct lab *lab, const char *name, const char *ignored);
/*
 * To be ignored where two processes poll: the look at the other one's process, or at the daemon,
 * and the getpid() that goes with it, which some take after a good part of a second without news.
 * On a busy machine the other process may be off its core for that long.
 */
#define TRACED_LOOK "poll([{fd="

#endif
