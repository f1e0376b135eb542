/*
 * The ways in which the libraries access memory that another process exported, for tests that
 * repeat their cases for each of them: mapped, by system calls, by requests to an RDMA device (this
 * machine provides its own if there is no other), and with OVER_TLS by the daemons' relay, as
 * between two machines. With some of them the library executes every task on a thread, and the
 * program sleeps while it waits. Include it in one file of a program. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_DMA_IMPORT_KINDS_H
#define TESTS_INTEGRATION_DMA_IMPORT_KINDS_H

#include <stdlib.h>
#include <sys/epoll.h>

#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/same_or_other_machine.h"
#include "tests/lib/use.h"
#include "util/util.h"

struct import_kind {
	enum exporter_memory memory;
	const char *transport;
	bool has_thread, sleeps;
};

#ifdef OVER_TLS
static const struct import_kind kinds[] = {{MEMORY_MALLOC, "relay", false, false},
					   {MEMORY_MALLOC, "relay", false, true},
					   {MEMORY_DOCOC, "relay", true, true}};
#else
static const struct import_kind kinds[] = {
	{MEMORY_MALLOC, "pvm", false, false},  {MEMORY_DOCOC, "shm", false, false},
	{MEMORY_MALLOC, "pvm", true, false},   {MEMORY_DOCOC, "shm", true, true},
	{MEMORY_MALLOC, "verbs", false, true}, {MEMORY_MALLOC, "verbs", true, false}};
#endif
static const struct import_kind *kind;
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

/* Called before the exporter is started. */
static inline void kind_choose(unsigned number)
{
	kind = &kinds[number];
	if (kind->has_thread)
		setenv("DOCOCORED_THREAD_BYTES", "1", 1);
	if (strcmp(kind->transport, "verbs") == 0)
		setenv("DOCOCORED_TRANSPORT", "verbs", 1);
}

/* Progresses once, or sleeps until there is something to do. */
static inline void kind_progress(struct doca_pe *pe)
{
	doca_notification_handle_t handle;
	struct epoll_event event;

	if (!kind->sleeps) {
		use_progress(pe);
		return;
	}
	OK(doca_pe_get_notification_handle(pe, &handle));
	OK(doca_pe_request_notification(pe));
	/* A wake-up that is lost ends the test. */
	ck_assert_int_eq(epoll_wait(handle, &event, 1, (int)runner_timeout_ms(20000)), 1);
	OK(doca_pe_clear_notification(pe, handle));
	while (doca_pe_progress(pe) > 0)
		continue;
}

/* Ends the exporter's process, and waits until the daemons have ended its export. */
static inline void kinds_kill(struct lab *lab, struct exporter *exporter)
{
	/* The device of this machine exports the memory a second time. */
	unsigned n = strcmp(kind->transport, "verbs") == 0 ? 2 : 1;

	lab_await(lab, LAB_HOST, LAB_EXPORTS, n, runner_timeout_ms(5000));
	lab_kill(&exporter->child);
	lab_await(lab, LAB_HOST, LAB_EXPORTS, 0, runner_timeout_ms(5000));
}

#endif
