/*
 * The ways in which the libraries access memory that another process exported, for tests that
 * repeat their cases for each of them: mapped, by system calls, and with OVER_TLS by the daemons'
 * relay, as between two machines. Some of them execute every task on a thread. The test defines
 * `lab`. Include it in one file of a program. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_DMA_IMPORT_KINDS_H
#define TESTS_INTEGRATION_DMA_IMPORT_KINDS_H

#include <stdlib.h>

#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/same_or_other_machine.h"
#include "util/util.h"

struct import_kind {
	enum exporter_memory memory;
	const char *transport;
	bool has_thread;
};

#ifdef OVER_TLS
static const struct import_kind kinds[] = {{MEMORY_MALLOC, "relay", false},
					   {MEMORY_DOCOC, "relay", true}};
#else
static const struct import_kind kinds[] = {{MEMORY_MALLOC, "pvm", false},
					   {MEMORY_DOCOC, "shm", false},
					   {MEMORY_MALLOC, "pvm", true},
					   {MEMORY_DOCOC, "shm", true}};
#endif
#define N_KINDS ((int)ARRAY_LEN(kinds))

/* Makes this process a client of the DPU. */
static inline void kinds_setup(struct lab *lab)
{
	leaks_setup();
	machines_start(lab);
	lab_use(lab, LAB_DPU);
	/* The library's connection to its daemon stays open. */
	leaks_allow_fds(1);
}

static inline void kinds_teardown(struct lab *lab)
{
	machines_stop(lab);
	leaks_teardown();
}

/* Called before contexts are started. */
static inline void kind_choose(unsigned kind)
{
	if (kinds[kind].has_thread)
		setenv("DOCOCORED_THREAD_BYTES", "1", 1);
	else
		unsetenv("DOCOCORED_THREAD_BYTES");
}

/* Ends the exporter's process, and waits until the daemons have ended its export. */
static inline void kinds_kill(struct lab *lab, struct exporter *exporter)
{
	lab_await(lab, LAB_HOST, LAB_EXPORTS, 1, runner_timeout_ms(5000));
	lab_kill(&exporter->child);
	lab_await(lab, LAB_HOST, LAB_EXPORTS, 0, runner_timeout_ms(5000));
}

#endif
