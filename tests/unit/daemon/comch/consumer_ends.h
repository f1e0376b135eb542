/*
 * A server "echo" on the DPU and a client of pf0 on the host, with one channel between them and the
 * parts of a consumer; requests about consumers, and functions that wait for their effects. For the
 * tests of the daemon's consumers; all of it belongs to one test at a time.
 */
#ifndef TESTS_UNIT_DAEMON_COMCH_CONSUMER_ENDS_H
#define TESTS_UNIT_DAEMON_COMCH_CONSUMER_ENDS_H

#include <stddef.h>
#include <stdint.h>

#include "tests/unit/daemon/pair.h"

#define SLOTS_LEN  65536u
#define MEMORY     0x40000000u
#define MEMORY_LEN (1u << 20)

extern struct daemon_pair pair;
extern struct client server, client;
extern struct event_reader server_events, client_events;
extern uint64_t p0, pf0;                /* handles */
extern uint64_t server_end, client_end; /* ids of the channel */
extern int slots, doorbell, memory;     /* parts of a consumer; memory is a memfd of MEMORY_LEN */

/* Starts the daemons and opens the common objects. */
void ends_begin(void);
/* Like ends_begin(), with a new directory: the fixture. */
void ends_set_up(void);
/* Closes the test's objects; the daemons continue. */
void ends_end(void);
void ends_tear_down(void);
struct event await_event(struct event_reader *events, uint32_t type);
void check_consumer_event(struct event_reader *events, uint32_t type, uint64_t channel,
			  uint64_t consumer);
void fetch_channel(struct client *from, uint64_t id);
/* Connects; the server's end is established, the client's is ready. */
void connect_ends(void);
/* Connects and establishes both ends. */
void establish(void);
/* Describes a valid consumer with private memory. */
void describe(Dococore__Consumer *spec, uint32_t id);
/* n_fds: number of descriptors, of slots, doorbell, memory. */
const Dococore__Packet *ask_create(struct client *from, uint64_t channel, Dococore__Consumer *spec,
				   const int *fds, size_t n_fds);
const Dococore__Packet *try_create(struct client *from, uint64_t channel, uint32_t id);
/* Requests that must succeed. */
void create(struct client *from, uint64_t channel, uint32_t id);
void destroy(struct client *from, uint64_t channel, uint32_t id);
const Dococore__Packet *ask_fetch(struct client *from, uint64_t channel, uint32_t id);
void fetch(struct client *from, uint64_t channel, uint32_t id);
/*
 * Returns when the other daemon has handled everything that the daemon of `from` has sent so far.
 */
void barrier(struct client *from);
/*
 * Waits for the number of descriptors, because those of a request are closed after its answer was
 * sent.
 */
void await_fds(enum side side, size_t n);

#endif
