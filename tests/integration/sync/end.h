/*
 * One end of a sync event for tests between two processes: the exporter's or an importer's, for
 * synchronous calls, or with a progress engine whose user polls or sleeps in its own epoll set.
 * Every function fails the running test if a step fails. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_SYNC_END_H
#define TESTS_INTEGRATION_SYNC_END_H

#include <doca_sync_event.h>

#include "tests/lib/lab.h"
#include "tests/lib/use.h"

#define SYNC_ALL UINT64_MAX

struct sync_desc {
	size_t len;
	uint8_t bytes[256];
};

struct sync_end {
	struct doca_dev *dev;
	struct doca_sync_event *event;
	/* Used with tasks only. */
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	int epoll_fd;
	unsigned n_ok, n_failed;
	doca_error_t status; /* of the last task */
	uint64_t fetched;    /* by the last addition */
};

/* Parameters of an event. */
struct sync_spec {
	enum lab_side side;
	bool with_tasks;
	bool to_subscriber;       /* the remote side is the subscriber instead of the publisher */
	uint64_t *addr;           /* the counter, or NULL */
	bool is_in_buf;           /* passed as a buffer instead of an address, */
	uint32_t buf_permissions; /* PCI permissions of the buffer's map; 0: all */
	/*
	 * Called once an importer's context, with tasks, is connected to its engine; may be NULL.
	 */
	void (*before_start)(struct sync_end *end);
};

/* Creates an event, starts it and exports it to the other side. */
void sync_end_export(struct sync_end *end, const struct sync_spec *spec,
		     struct sync_desc *desc_out);
/* Imports an event and starts it. */
void sync_end_import(struct sync_end *end, const struct sync_spec *spec,
		     const struct sync_desc *desc);
void sync_end_close(struct sync_end *end);

/* Submits a task that waits until the counter equals the value, or differs from it. */
void sync_end_submit(struct sync_end *end, bool is_eq, uint64_t value, uint64_t mask);
/* Submits a task that adds to the counter. */
void sync_end_add(struct sync_end *end, uint64_t value);
/*
 * Progresses until this many tasks have completed since the end was created; sleeps in epoll
 * without work, or polls.
 */
void sync_end_await(struct sync_end *end, unsigned n_completed, bool is_asleep);

#endif
