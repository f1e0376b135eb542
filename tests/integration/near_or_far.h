/*
 * A lab on one machine. In a program that is compiled with OVER_TLS, the daemons are linked like
 * those of two machines, and relay messages, copies and operations on sync events. One per program.
 * Creates no threads.
 */
#ifndef TESTS_INTEGRATION_NEAR_OR_FAR_H
#define TESTS_INTEGRATION_NEAR_OR_FAR_H

#include "tests/lib/lab.h"

#ifdef OVER_TLS
#include "tests/integration/tls_lab.h"

#define IS_FAR            true
#define NEAR_OR_FAR(name) name "-far"

static struct tls_lab near_or_far_tls;

static inline void near_or_far_start(struct lab *lab)
{
	/* The timeout is long enough for a busy machine. */
	tls_lab_make(&near_or_far_tls, "timeout_ms = 60000\n");
	tls_lab_start(&near_or_far_tls, lab, true, true);
}

static inline void near_or_far_stop(struct lab *lab)
{
	lab_stop(lab);
	tls_lab_remove(&near_or_far_tls);
}
#else
#define IS_FAR            false
#define NEAR_OR_FAR(name) name

static inline void near_or_far_start(struct lab *lab)
{
	lab_start(lab, NULL);
}

static inline void near_or_far_stop(struct lab *lab)
{
	lab_stop(lab);
}
#endif

#endif
