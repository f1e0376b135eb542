/*
 * Lets single system calls of another process fail. That process installs a seccomp filter that
 * reports each of its system calls, and those of its threads, to a thread of the test. The thread
 * lets them go on, except for the one that the test chose, which returns an error and does nothing.
 * A close() that fails still releases what the descriptor stood for, as the kernel does it: the
 * number then stands for /dev/null.
 *
 * Order of calls: sysfault_init() in the test; fork(); sysfault_trap() in the child, which blocks
 * it; sysfault_attach() in the test, which lets it go on; the child ends; sysfault_detach(). One
 * child at a time. Test programs only.
 */
#ifndef TESTS_LIB_SYSFAULT_H
#define TESTS_LIB_SYSFAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SYSFAULT_MAX_ERRORS 28
/* More than the largest number of a system call. */
#define SYSFAULT_MAX_NR 1024

/* One system call and the errors that its man page lists. */
struct sysfault_call {
	int nr;
	const char *name;
	int errors[SYSFAULT_MAX_ERRORS]; /* ends with 0 */
};

extern const struct sysfault_call sysfault_calls[];
extern const size_t sysfault_n_calls;
/* System calls that cannot fail in a correct program, or whose failure the C library handles. */
extern const int sysfault_exempt[];
extern const size_t sysfault_n_exempt;

/* Returns false, and prints the reason, if the kernel or the environment does not permit it. */
bool sysfault_is_possible(void);
void sysfault_init(void);
/* Ends the process if the filter is refused. */
void sysfault_trap(void);
/* Returns false if the process was refused its filter; it then ends. */
bool sysfault_attach(pid_t pid);
/* Call when the process has ended. */
void sysfault_detach(void);

/* Counts calls from 0 again, and lets the n-th further call of that number fail once. */
void sysfault_arm(int nr, unsigned n, int error);
/* Counts calls from 0 again; none fails. */
void sysfault_count(void);
/* Ends sysfault_arm() and sysfault_count(). Returns true if a call has failed. */
bool sysfault_disarm(void);
/* Returns the number of calls with this number, until sysfault_disarm(). */
unsigned sysfault_n_made(int nr);
/* Returns a counted system call that is in neither list, or -1. */
int sysfault_find_unknown(void);

#endif
