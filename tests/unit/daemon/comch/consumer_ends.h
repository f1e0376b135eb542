/*
 * A server "echo" on the DPU and a client of pf0 on the host, with one channel between them and
 * what a consumer is made of; requests about consumers, and how to await their effects. For the
 * tests of the daemon's consumers; all of it is of one test at a time.
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
extern int slots, bell, memory;         /* of a consumer; memory is a memfd of MEMORY_LEN */

/* Starts the daemons and opens what is open all the time. */
void ends_begin(void);
/* The same with a directory first: the fixture. */
void ends_set_up(void);
/* Closes what a test has, the daemons run on. */
void ends_end(void);
void ends_tear_down(void);
struct event await_event(struct event_reader *events, uint32_t type);
void check_consumer_event(struct event_reader *events, uint32_t type, uint64_t channel,
			  uint64_t consumer);
void fetch_channel(struct client *from, uint64_t id);
/* The server's end is established, the client's is ready. */
void connect_ends(void);
/* Both are. */
void establish(void);
/* A consumer that is right, with private memory. */
void describe(Dococore__Consumer *spec, uint32_t id);
/* n_fds: of slots, bell, memory. */
const Dococore__Packet *ask_create(struct client *from, uint64_t channel, Dococore__Consumer *spec,
				   const int *fds, size_t n_fds);
const Dococore__Packet *try_create(struct client *from, uint64_t channel, uint32_t id);
/* Those that must succeed. */
void create(struct client *from, uint64_t channel, uint32_t id);
void destroy(struct client *from, uint64_t channel, uint32_t id);
const Dococore__Packet *ask_fetch(struct client *from, uint64_t channel, uint32_t id);
void fetch(struct client *from, uint64_t channel, uint32_t id);
/* Whatever the daemon of `from` has told the other one so far has been heard there. */
void barrier(struct client *from);
/* Descriptors that came with a request are closed after its answer was sent. */
void await_fds(enum side side, size_t n);

#endif
