/*
 * The parts of the control test, which measures the daemon: two daemons of its own in a directory
 * of its own, started and looked at from outside; and children, processes that are clients of one
 * of them, or the raw thing that the daemon is measured against. The program itself never connects.
 */
#ifndef BENCH_CONTROL_CONTROL_H
#define BENCH_CONTROL_CONTROL_H

#include <stdatomic.h>
#include <sys/types.h>

#include "bench/bench.h"

#define CONTROL_MAX_CHILDREN 1100u
#define CONTROL_BLOB_MAX     512u
#define CONTROL_ECHO_LEN     40u /* bytes of a request of the daemon, and of its answer, or so */

/* --- control_daemon.c --- */

struct control_daemons {
	char dir[64];
	pid_t pids[2]; /* by enum bench_side */
	int notify_fd;
	pid_t reader;
};

/* Makes the directory and its configuration; starts nothing. */
void control_daemons_init(struct control_daemons *d);
/* Nanoseconds from before fork and exec until it says READY=1. */
uint64_t control_daemon_start(struct control_daemons *d, enum bench_side side);
void control_daemon_stop(struct control_daemons *d, enum bench_side side);
/* Until both know of each other. */
void control_daemons_await_link(const struct control_daemons *d);
/* Both daemons to a core. */
void control_daemons_move(const struct control_daemons *d, unsigned cpu);
/* Has all further notices read, so that no daemon waits for that. */
void control_daemons_ignore(struct control_daemons *d);
void control_daemons_deinit(struct control_daemons *d);
/* Of a daemon: resident bytes, open descriptors, how often it went to sleep. */
uint64_t control_daemon_resident(const struct control_daemons *d, enum bench_side side);
uint64_t control_daemon_n_fds(const struct control_daemons *d, enum bench_side side);
uint64_t control_daemon_n_sleeps(const struct control_daemons *d, enum bench_side side);

/* --- control_child.c --- */

enum control_op {
	CONTROL_CONNECT, /* a client of the daemon; also opens a device */
	CONTROL_EXPORT,  /* n maps, which stay */
	CONTROL_OFFER,   /* one map, for import; ns in the answer, descriptor in blob */
	CONTROL_TAKE,    /* imports blob; ns in the answer */
	CONTROL_DROP,    /* what OFFER or TAKE made */
	CONTROL_ASK,     /* requests to the daemon until told to stop; n in the answer */
	CONTROL_ECHO,    /* the same to the raw server */
	CONTROL_TRIP,    /* one round trip to the raw partner; ns in the answer */
	CONTROL_N_OPS,
};

struct control_msg {
	uint32_t op, blob_len;
	uint64_t n, ns, worst_ns;
	uint8_t blob[CONTROL_BLOB_MAX];
};

/* In memory that all children map. */
struct control_shared {
	_Atomic uint32_t is_over; /* ASK and ECHO end */
};

struct control_child {
	pid_t pid;
	int sock;
};

/* A process with a socket to this one, which in the child is sock_out; there sock is -1. */
struct control_child control_child_fork(int *sock_out);
/* A process that does what it is asked for; `dir` has the sockets. */
struct control_child control_child_start(const char *dir, enum bench_side side,
					 struct control_shared *shared);
void control_child_send(const struct control_child *child, const struct control_msg *msg);
/* Waits for the answer; the child's end ends the program. */
void control_child_await(const struct control_child *child, struct control_msg *msg_out);
void control_child_call(const struct control_child *child, struct control_msg *msg);
/* Ends it and waits for its end. */
void control_child_end(struct control_child *child);

/* --- control_echo.c --- */

/* Who the children of ECHO and TRIP talk to: a libevent server of the same form as the daemon. */
struct control_child control_echo_start(const char *dir);

#endif
