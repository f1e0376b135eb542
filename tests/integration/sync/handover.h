/*
 * A baton that two programs hand to each other by a sync event, each written for its own
 * generation: what a generation is asked to do, in no types of its own. Every function fails the
 * running test when a step does not succeed that is not the caller's to judge. Threads: none.
 */
#ifndef TESTS_INTEGRATION_SYNC_HANDOVER_H
#define TESTS_INTEGRATION_SYNC_HANDOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

enum baton_mode {
	BATON_CALLS,  /* synchronous, waits poll */
	BATON_YIELDS, /* synchronous, waits sleep */
	BATON_POLLS,  /* jobs or tasks, polled */
	BATON_SLEEPS, /* jobs or tasks, the program sleeps until the handle is readable */
	BATON_N_MODES
};

struct baton_desc {
	size_t len;
	uint8_t bytes[256];
};

struct baton_role {
	int version; /* 202 */
	/* An event of the device, started and exported to the other side, which is its publisher
	 * and may read it as well, or its subscriber, which may change it as well. */
	void *(*export)(const char *pci_addr, enum baton_mode mode, bool to_subscriber,
			struct baton_desc *desc_out);
	/* The same event on the other side. */
	void *(*import)(const char *pci_addr, enum baton_mode mode, const struct baton_desc *desc);
	void (*set)(void *end, uint64_t value);
	uint64_t (*get)(void *end);
	/* Returns the value before. */
	uint64_t (*add)(void *end, uint64_t value);
	/* Until the counter, which does not go down and is not below it, is greater. SUCCESS, or
	 * why it never will be. */
	doca_error_t (*await)(void *end, uint64_t value);
	void (*close)(void *end);
};

extern const struct baton_role baton_200, baton_202, baton_205, baton_206, baton_303;

#endif
