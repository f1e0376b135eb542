/*
 * A simulated RDMA device between two ends of comch connections in the test's process: what one end
 * exposes, the other accesses by requests that complete when they are polled. It replaces requester
 * and responder. Nothing is exposed unless the test enables it. One thread.
 */
#ifndef TESTS_UNIT_CLIENT_COMCH_NETWORK_H
#define TESTS_UNIT_CLIENT_COMCH_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

struct export_descriptor;

struct network {
	bool is_there;              /* a device exists */
	bool is_calling;            /* calls are not answered */
	bool refuses;               /* calls are refused */
	bool is_stuck;              /* no request completes */
	uint32_t room;              /* limit of requests of one queue pair */
	doca_error_t next;          /* status of the next request; breaks its queue pair */
	void (*on_byte)(void *arg); /* called after each byte of a written word */
	void (*on_read)(void *arg); /* called in the middle of each read, after a number of bytes */
	uint32_t read_at;
	void *arg;
	bool is_slow;       /* chores are done by network_do_chores() */
	bool has_no_thread; /* none is taken */
	void (*spoil)(struct export_descriptor *descriptor); /* what is exposed */
	uint64_t pinned_max;
	/* Results. */
	unsigned n_requesters, n_exports, n_writes, n_reads, n_rings;
	unsigned n_drained; /* that were exposed, and whose end was not a hasty one */
};
extern struct network network;

/* Resets to the initial state. */
void network_reset(void);
struct requester;

/* From now on no request of this requester completes. */
void network_stick(struct requester *requester);
/* Completes all posted requests, while the program does nothing. */
void network_go_on(void);
/* What was left for a thread of the library's own. */
void network_do_chores(void);
/* An operator takes back what this one exposes. */
struct comch_exported;
void network_revoke(struct comch_exported *exported);
/* Wakes the program that sleeps for an event of the device. */
void network_tell(void);

#endif
