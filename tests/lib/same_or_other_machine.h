/*
 * A lab of one machine. In a program that is compiled with OVER_TLS, the daemons are linked as
 * those of two machines, and relay messages, copies and operations on sync events. Include it in
 * one file of a program. Creates no threads.
 */
#ifndef TESTS_LIB_SAME_OR_OTHER_MACHINE_H
#define TESTS_LIB_SAME_OR_OTHER_MACHINE_H

#include "tests/lib/lab.h"

#ifdef OVER_TLS
#include "tests/lib/tls_lab.h"

#define IS_REMOTE           true
#define MACHINES_NAME(name) name "-remote"

static struct tls_lab machines_tls;

static inline void machines_start(struct lab *lab)
{
	/* Long enough for a busy machine. */
	tls_lab_make(&machines_tls, "timeout_ms = 60000\n");
	tls_lab_start(&machines_tls, lab, true, true);
}

static inline void machines_stop(struct lab *lab)
{
	lab_stop(lab);
	tls_lab_remove(&machines_tls);
}
#else
#define IS_REMOTE           false
#define MACHINES_NAME(name) name

static inline void machines_start(struct lab *lab)
{
	lab_start(lab, NULL);
}

static inline void machines_stop(struct lab *lab)
{
	lab_stop(lab);
}
#endif

#endif
