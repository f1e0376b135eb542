/*
 * Event hand-over: two programs take turns by a sync event, each written for its own generation of
 * the interface. This header defines the actions of a generation without types of that generation.
 * Every function fails the running test if a step fails, unless the caller must evaluate the
 * result. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_SYNC_HANDOVER_H
#define TESTS_INTEGRATION_SYNC_HANDOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

enum handover_mode {
	HANDOVER_CALLS,  /* synchronous, waits poll */
	HANDOVER_YIELDS, /* synchronous, waits sleep */
	HANDOVER_POLLS,  /* jobs or tasks, polled */
	HANDOVER_SLEEPS, /* jobs or tasks, the program sleeps until the handle is readable */
	HANDOVER_N_MODES
};

struct handover_desc {
	size_t len;
	uint8_t bytes[256];
};

struct handover_role {
	int version; /* for example 202 */
	/*
	 * Starts an event of the device and exports it to the other side. The other side is its
	 * publisher, which may also read it, or its subscriber, which may also change it.
	 */
	void *(*export)(const char *pci_addr, enum handover_mode mode, bool to_subscriber,
			struct handover_desc *desc_out);
	/* Imports the same event on the other side. */
	void *(*import)(const char *pci_addr, enum handover_mode mode,
			const struct handover_desc *desc);
	void (*set)(void *end, uint64_t value);
	uint64_t (*get)(void *end);
	/* Returns the previous value. */
	uint64_t (*add)(void *end, uint64_t value);
	/*
	 * Waits until the counter, which never decreases and is not below value, is greater.
	 * Returns SUCCESS, or the reason why it never will be.
	 */
	doca_error_t (*await)(void *end, uint64_t value);
	void (*close)(void *end);
};

extern const struct handover_role handover_200, handover_202, handover_205, handover_206,
	handover_303;

#endif
