/*
 * A simulated RDMA device between two ends of comch connections in the test's process: what one end
 * exports, the other accesses by requests that complete when they are polled. It replaces requester
 * and responder. Nothing is exported unless the test enables it. One thread.
 */
#ifndef TESTS_UNIT_CLIENT_COMCH_NETWORK_H
#define TESTS_UNIT_CLIENT_COMCH_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

struct export_descriptor;

struct network {
	bool exists;                /* a device exists */
	bool is_calling;            /* calls are not answered */
	bool refuses;               /* calls are refused */
	bool is_blocked;            /* no request completes */
	uint32_t room;              /* limit of requests of one queue pair */
	doca_error_t next;          /* status of the next request; breaks its queue pair */
	void (*on_byte)(void *arg); /* called after each byte of a written word */
	void (*on_read)(void *arg); /* called in the middle of each read, after a number of bytes */
	uint32_t read_at;
	void *arg;
	bool is_slow;       /* work items are run by network_run_work() */
	bool has_no_thread; /* work_submit() fails */
	void (*change_export)(
		struct export_descriptor *descriptor); /* changes the descriptor of an export */
	uint64_t pinned_max;
	/* Results. */
	unsigned n_requesters, n_exports, n_writes, n_reads, n_rings;
	unsigned n_drained; /* exports that drained before they ended */
};
extern struct network network;

/* Resets to the initial state. */
void network_reset(void);
struct requester;

/* Blocks a requester: none of its requests completes any more. */
void network_block(struct requester *requester);
/* Completes all posted requests, while the program does nothing. */
void network_complete_all(void);
/* Runs the work items that were submitted for a thread of the library. */
void network_run_work(void);
/* Revokes an export, as an operator does. */
struct comch_exported;
void network_revoke(struct comch_exported *exported);
/* Wakes the program that sleeps for an event of the device. */
void network_wake(void);

#endif
