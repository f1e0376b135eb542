/*
 * A requester (client/rma/requester.h) without a device, for targets whose peer is on another
 * machine. The target decides when posted requests complete, and with what. A request accesses the
 * memory at its remote address in this process. So a sanitizer sees an access outside of the peer's
 * memory, which the target also names. Link with FUZZ_WRAP_REQUESTER. Threads: one.
 */
#ifndef TESTS_FUZZ_FAKE_REQUESTER_H
#define TESTS_FUZZ_FAKE_REQUESTER_H

#include "client/rma/provider.h"
#include "client/rma/requester.h"

#define FAKE_REQUESTS 24u /* the most that one requester has posted */

/* Values that the target sets, for all requesters. */
struct fake_device {
	/* The peer's memory, and the part of it that requests may write. */
	const uint8_t *bytes;
	size_t len, write_at;
	enum requester_state state; /* of peers; also of those that were found before */
	doca_error_t refusal;       /* of peers that failed */
	bool cannot_open;
	bool is_slow;             /* returns one request at a time after a disconnect */
	doca_error_t post_result; /* not SUCCESS: of the next post */
	uint32_t max_message;
	uint64_t tear; /* xored into one word of what is read next, as by a torn read */
	unsigned n_open;
};

extern struct fake_device fake_device;

/* Completes up to n requests of each requester in order of posting; with `failure` they fail. */
void fake_device_complete(unsigned n, doca_error_t failure);

#endif
