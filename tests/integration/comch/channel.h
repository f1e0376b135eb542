/*
 * Programs of the comm channel for tests/integration/comch/channel_test.c, each compiled for the
 * version that it was written for: functions for lab_fork. Threads: none.
 */
#ifndef TESTS_INTEGRATION_COMCH_CHANNEL_H
#define TESTS_INTEGRATION_COMCH_CHANNEL_H

#include <stdint.h>

#define CHANNEL_NAME    "hammer"
#define CHANNEL_N_EPS   20u  /* clients at once */
#define CHANNEL_N_FLOOD 200u /* messages that do not fit any queue of theirs */
/* A program that sleeps this long was not woken. */
#define LOST_MS 60000

/* Argument of some programs. */
struct channel_load {
	uint64_t n;     /* messages */
	uint16_t queue; /* requested length */
	uint32_t seed;
};

/* 2.2: sleeps on event channels only. Arg: struct channel_load. */
void channel_hammer_serve(int sock, void *arg);
void channel_hammer_ask(int sock, void *arg);
/*
 * 2.2: serves until a client has broken off, then one more client; the victim is killed while it is
 * connected.
 */
void channel_killed_serve(int sock, void *arg);
void channel_killed_ask(int sock, void *arg);
void channel_disconnect_ask(int sock, void *arg);
/* 2.2: a client whose service dies. */
void channel_orphan(int sock, void *arg);
/*
 * 2.2: a service whose client B has disconnected, in order or not, with its queue full, while the
 * next message is one of client A's. Clients signal when they are connected. A then sends once more
 * at a signal, and B disconnects in order at a signal.
 */
void channel_orphan_serve(int sock, void *arg);
void channel_orphan_a(int sock, void *arg);
void channel_orphan_b(int sock, void *arg);
/* 2.2: the state of a service with many clients, watched by its event channel. */
void channel_clients_serve(int sock, void *arg);
void channel_clients_ask(int sock, void *arg);
/* 2.2: a client disconnects between an update without news and the update that arms. */
void channel_close_serve(int sock, void *arg);
void channel_close_ask(int sock, void *arg);
/*
 * 2.2: a service whose device is removed once it signals. Arg: int, 1 if it waits for changes of
 * its state, 0 for messages.
 */
void channel_removed_serve(int sock, void *arg);
/* 2.2: a send that found the queue full, and one that did not. */
void channel_full_serve(int sock, void *arg);
void channel_full_ask(int sock, void *arg);
/* 2.2: forks, and the child tries to end objects of its parent. */
void channel_fork_serve(int sock, void *arg);
/*
 * 2.2, across a restart of daemons. The service polls and answers each number with its complement
 * until CHANNEL_STOP arrives; it waits for a signal before it receives anything. The client retries
 * until it is connected, asks, waits for a signal, asks, disconnects, and repeats all that once.
 * Arg: the name of the service.
 */
#define CHANNEL_STOP 1000u
void channel_sleeping_serve(int sock, void *arg);
void channel_sleeping_ask(int sock, void *arg);
/* 2.2: result codes; `sock` is not used. */
void channel_codes_host(int sock, void *arg);
void channel_codes_dpu(int sock, void *arg);

/* 1.3: blocks in recvfrom and in sendto. */
void channel_waiter_serve(int sock, void *arg);
void channel_waiter_ask(int sock, void *arg);
/* 1.3: blocks to receive, to send and to be accepted, until a signal comes. */
void channel_interrupted_serve(int sock, void *arg);
void channel_interrupted_ask(int sock, void *arg);
/* 1.3: like channel_sleeping_serve(), with blocking calls. Arg: the same. */
void channel_waiting_serve(int sock, void *arg);
/*
 * 1.3: attributes of endpoints, and what they report about a peer. The service accepts no client
 * before it is signalled. Arg: a uint16_t (*)(void) of the side, which returns the number of the
 * host function.
 */
struct channel_figures {
	uint64_t n_msgs, n_bytes;
};
void channel_attr_serve(int sock, void *arg);
void channel_attr_ask(int sock, void *arg);
/* 1.3: does not block; sleeps on its event channel. */
void channel_poller_serve(int sock, void *arg);
/*
 * 1.3: creates an endpoint, for calls of another version; and makes such a call on an endpoint of
 * 2.2.
 */
void *channel_make_1_3(void);
void channel_refused_1_3(void *ep_of_2_2);

#endif
