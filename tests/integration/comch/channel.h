/*
 * Programs of the comm channel for tests/integration/comch/channel_test.c, each compiled for the
 * version that it was written for: functions for lab_fork. Threads: none.
 */
#ifndef TESTS_INTEGRATION_COMCH_CHANNEL_H
#define TESTS_INTEGRATION_COMCH_CHANNEL_H

#include <stdint.h>

#define CHANNEL_NAME    "hammer"
#define CHANNEL_N_EPS   20u  /* clients of the crowd */
#define CHANNEL_N_FLOOD 200u /* messages that do not fit any queue of theirs */
/* Who sleeps as long was not woken. */
#define LOST_MS 60000

/* What a program does; `arg` of those that take one. */
struct channel_load {
	uint64_t n;     /* messages */
	uint16_t queue; /* asked for */
	uint32_t seed;
};

/* 2.2: sleeps on event channels only. Arg: struct channel_load. */
void channel_hammer_serve(int sock, void *arg);
void channel_hammer_ask(int sock, void *arg);
/* 2.2: serves until a client broke off, then one more; killed while it is connected. */
void channel_survivor(int sock, void *arg);
void channel_victim(int sock, void *arg);
void channel_visitor(int sock, void *arg);
/* 2.2: a client that sees its service die. */
void channel_orphan(int sock, void *arg);
/*
 * 2.2: a service whose client B has left, in good order or not, with its queue full, while the next
 * message is one of client A's. Clients say when they are connected. A then sends once more, at a
 * signal, and B leaves in good order at one.
 */
void channel_left_serve(int sock, void *arg);
void channel_left_a(int sock, void *arg);
void channel_left_b(int sock, void *arg);
/* 2.2: the state of a service with many clients, by its event channel. */
void channel_crowd_serve(int sock, void *arg);
void channel_crowd_ask(int sock, void *arg);
/* 2.2: a client leaves between a look that told nothing and the update that arms. */
void channel_leaver_serve(int sock, void *arg);
void channel_leaver(int sock, void *arg);
/* 2.2: a service whose device is taken away once it signals. Arg: int, 1 if it waits for news of
 * its state, 0 for messages. */
void channel_taken_serve(int sock, void *arg);
/* 2.2: a send that found the queue full, and one that did not. */
void channel_full_serve(int sock, void *arg);
void channel_full_ask(int sock, void *arg);
/* 2.2: forks, and the child wants to end what is its parent's. */
void channel_forker(int sock, void *arg);
/* 2.2, over a restart of daemons: polls, and answers each number with its complement until
 * CHANNEL_STOP comes; it waits for a signal before it looks at anything. The client connects again
 * and again until it stands, asks, waits for a signal, asks, leaves, and does that once more. Arg:
 * the name of the service. */
#define CHANNEL_STOP 1000u
void channel_patient_serve(int sock, void *arg);
void channel_patient_ask(int sock, void *arg);
/* 2.2: codes; `sock` is not used. */
void channel_codes_host(int sock, void *arg);
void channel_codes_dpu(int sock, void *arg);

/* 1.3: waits in recvfrom, and in sendto. */
void channel_waiter_serve(int sock, void *arg);
void channel_waiter_ask(int sock, void *arg);
/* 1.3: waits, to receive, to send, to be accepted, until a signal comes. */
void channel_interrupted_serve(int sock, void *arg);
void channel_interrupted_ask(int sock, void *arg);
/* 1.3: as channel_patient_serve, with calls that wait. Arg: the same. */
void channel_waiting_serve(int sock, void *arg);
/* 1.3: what endpoints are made with, and what they tell of a peer. The service accepts nobody
 * before it is signalled. Arg: gives the number of the host function, a uint16_t (*)(void) of the
 * side. */
struct channel_figures {
	uint64_t n_msgs, n_bytes;
};
void channel_attr_serve(int sock, void *arg);
void channel_attr_ask(int sock, void *arg);
/* 1.3: does not wait; sleeps on its event channel. */
void channel_poller_serve(int sock, void *arg);
/* 1.3: an endpoint, for calls of another version; and such a call on one of 2.2. */
void *channel_make_1_3(void);
void channel_refused_1_3(void *ep_of_2_2);

#endif
