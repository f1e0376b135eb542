/*
 * A daemon pair inside the test's process: answers what the comch engine asks of its session, so
 * that servers, clients and their rings can be tested, and abused, without any other process.
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
	FAKE_LIE_BELL,
	FAKE_LIE_MSG_SIZE,
	FAKE_LIE_REFUSE_FETCH,
	FAKE_LIE_EVENTS,   /* of the next ServerCreate or ChannelConnect */
	FAKE_LIE_CONSUMER, /* of the next ConsumerFetch: nothing is said of it */
};

/* How producers reach the memory of consumers, all of which lie in this process. */
enum fake_reach {
	FAKE_REACH_LOCAL = 0,
	FAKE_REACH_OTHER, /* as if it were another process: a mapping, or the kernel */
	FAKE_REACH_NOT,   /* not at all */
};

extern struct doca_dev fake_dpu, fake_host;
extern struct doca_dev_rep fake_rep;
extern enum fake_reach fake_reach;
/* What the next ChannelFetch or ConsumerFetch, or the request that it names, answers. */
extern enum fake_lie fake_lie;
/* ServerCreate and ChannelConnect are refused with this code while it is not 0. */
extern uint32_t fake_refuse;
/* The same for ConsumerFetch. */
extern uint32_t fake_refuse_fetch;
/* Consumers are told as those of another machine are; an import of one is refused with this, or
 * gives memory of this process. */
extern bool fake_is_far;
extern uint32_t fake_refuse_import;
extern unsigned fake_n_imports; /* that were asked for */
extern unsigned fake_n_closes;  /* ChannelClose and ServerDestroy received */
extern unsigned fake_n_waits;   /* requests whose answer was waited for */

/* What is asked without waiting is answered when this is false, and not before. */
extern bool fake_is_deaf;
/* It is false, and who watches the session's connection is told. */
void fake_hear(void);

/* Given to either end of a channel as its peer's process; -1: none is. */
extern int fake_peer_pidfd;

/* The client's process of the n-th channel (from 0) died, as the server's daemon tells it. */
void fake_kill_client(size_t n);
/* What all servers serve is taken away, as their daemon tells it. */
void fake_take_away(void);
/* Forgets everything and asks all registered objects to introduce themselves again. */
void fake_restart(void);
/* It goes, and who looks for the next one finds that one at the n-th look. */
void fake_leave(unsigned n_looks);
/* Gives everything back. */
void fake_deinit(void);

#endif
