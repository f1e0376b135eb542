/*
 * A simulated pair of daemons inside the test's process: answers the comch engine's requests to its
 * session, so that servers, clients and their rings can be tested, and attacked, without another
 * process.
 */
#ifndef TESTS_UNIT_CLIENT_COMCH_FAKE_DAEMONS_H
#define TESTS_UNIT_CLIENT_COMCH_FAKE_DAEMONS_H

#include <doca_comch.h>

#include "client/device/dev.h"

enum fake_lie {
	FAKE_HONEST = 0,
	FAKE_LIE_RING_LEN,
	FAKE_LIE_SHORT_MEMFD,
	FAKE_LIE_MAGIC,
	FAKE_LIE_SIDE,
	FAKE_LIE_DOORBELL,
	FAKE_LIE_MSG_SIZE,
	FAKE_LIE_REFUSE_FETCH,
	FAKE_LIE_EVENTS,   /* in the event ring of the next ServerCreate or ChannelConnect */
	FAKE_LIE_CONSUMER, /* the next ConsumerFetch returns no description */
};

/* How producers reach the memory of consumers, all of which are in this process. */
enum fake_reach {
	FAKE_REACH_LOCAL = 0,
	FAKE_REACH_OTHER, /* as if it were another process: a mapping, or the kernel */
	FAKE_REACH_NOT,   /* not at all */
};

extern struct doca_dev fake_dpu, fake_host;
extern struct doca_dev_rep fake_rep;
extern enum fake_reach fake_reach;
/*
 * Wrong answer of the next ChannelFetch or ConsumerFetch, or of the request that the value names.
 */
extern enum fake_lie fake_lie;
/* ServerCreate and ChannelConnect are refused with this code unless it is 0. */
extern uint32_t fake_refuse;
/* Like fake_refuse, for ConsumerFetch. */
extern uint32_t fake_refuse_fetch;
/*
 * Reports consumers as being on another machine. An import of one is refused with
 * fake_refuse_import, or returns memory of this process.
 */
extern bool fake_is_remote;
extern uint32_t fake_refuse_import;
extern unsigned fake_n_imports; /* requested imports */
extern unsigned fake_n_closes;  /* ChannelClose and ServerDestroy received */
extern unsigned fake_n_waits;   /* requests that were waited for */

/* If true, asynchronous requests are not answered. */
extern bool fake_is_unresponsive;
/* Sets fake_is_unresponsive to false and reports readability of the session's connection. */
void fake_respond(void);

/* Returned to either end of a channel as its peer's process; -1: none. */
extern int fake_peer_pidfd;

/* The client's process of the n-th channel (from 0) died; the server's daemon reports it. */
void fake_kill_client(size_t n);
/* The device of all servers is removed; their daemon reports it. */
void fake_remove_device(void);
/* Forgets everything and makes all registered objects register again. */
void fake_restart(void);
/* The daemon ends; the n-th attempt to find the next one succeeds. */
void fake_end_daemon(unsigned n_attempts);
/* Releases everything. */
void fake_deinit(void);

#endif
