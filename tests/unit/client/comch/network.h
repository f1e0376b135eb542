/*
 * An RDMA device between the two ends of comch connections that live in the test's process: what
 * one exposes the other reaches, by requests that are done when they are polled for. It takes the
 * place of requester and responder. Nothing is exposed unless the test says so. Threads: one.
 */
#ifndef TESTS_UNIT_CLIENT_COMCH_NETWORK_H
#define TESTS_UNIT_CLIENT_COMCH_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

struct blob;

struct wire {
	bool is_there;              /* there is a device */
	bool is_calling;            /* calls are not answered */
	bool refuses;               /* they are, with a refusal */
	bool is_stuck;              /* no request is done */
	uint32_t room;              /* requests of one queue pair, at most */
	doca_error_t next;          /* status of the next request; breaks its queue pair */
	void (*on_byte)(void *arg); /* after each byte of a word that is written */
	void (*on_read)(void *arg); /* in the middle of each read, after so many bytes */
	uint32_t read_at;
	void *arg;
	bool is_slow;                     /* chores are done by wire_do_chores() */
	bool has_no_thread;               /* none is taken */
	void (*spoil)(struct blob *blob); /* what is exposed */
	uint64_t pinned_max;
	/* What happened. */
	unsigned n_requesters, n_exposed, n_writes, n_reads, n_rings;
	unsigned n_patient; /* that were exposed, and whose end was not a hasty one */
};
extern struct wire wire;

/* As at the start. */
void wire_reset(void);
struct requester;

/* No request of this one is done any more. */
void wire_stick(struct requester *requester);
/* The device does all that is posted, while the program does nothing. */
void wire_go_on(void);
/* What was left for a thread of the library's own. */
void wire_do_chores(void);
/* An operator takes back what this one exposes. */
struct comch_exposed;
void wire_revoke(struct comch_exposed *exposed);
/* Who sleeps for what the device tells is woken. */
void wire_tell(void);

#endif
