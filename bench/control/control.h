/*
 * Parts of the control test, which measures the daemon: two daemons in a directory of their own,
 * started and observed from outside; and child processes, which are clients of one daemon, or act
 * as the raw reference. The program itself never connects.
 */
#ifndef BENCH_CONTROL_CONTROL_H
#define BENCH_CONTROL_CONTROL_H

#include <stdatomic.h>
#include <sys/types.h>

#include "bench/bench.h"

#define CONTROL_MAX_CHILDREN 1100u
#define CONTROL_PAYLOAD_MAX  512u
#define CONTROL_ECHO_LEN     40u /* approximate size of a daemon's request and of its answer */

/* --- control_daemon.c --- */

struct control_daemons {
	char dir[64];
	pid_t pids[2]; /* indexed by enum bench_side */
	int notify_fd;
	pid_t reader;
};

/* Creates the directory and the configuration; starts nothing. */
void control_daemons_init(struct control_daemons *d);
/* Returns the nanoseconds from before fork and exec until READY=1. */
uint64_t control_daemon_start(struct control_daemons *d, enum bench_side side);
void control_daemon_stop(struct control_daemons *d, enum bench_side side);
/* Waits until the daemons are linked. */
void control_daemons_await_link(const struct control_daemons *d);
/* Moves both daemons to a core. */
void control_daemons_move(const struct control_daemons *d, unsigned cpu);
/* Has all later notifications read, so that no daemon waits for that. */
void control_daemons_ignore(struct control_daemons *d);
void control_daemons_deinit(struct control_daemons *d);
/*
 * Measurements of a daemon: resident bytes, open descriptors, number of voluntary context switches.
 */
uint64_t control_daemon_resident(const struct control_daemons *d, enum bench_side side);
uint64_t control_daemon_n_fds(const struct control_daemons *d, enum bench_side side);
uint64_t control_daemon_n_sleeps(const struct control_daemons *d, enum bench_side side);

/* --- control_child.c --- */

enum control_op {
	CONTROL_CONNECT, /* connects as a client of the daemon; also opens a device */
	CONTROL_EXPORT,  /* creates n exported maps, which stay */
	CONTROL_OFFER,   /* exports one map; ns in the answer, payload: the descriptor */
	CONTROL_IMPORT,  /* imports the descriptor of the payload; ns in the answer */
	CONTROL_DROP,    /* destroys what OFFER or TAKE created */
	CONTROL_ASK,     /* sends requests to the daemon until is_over; n in the answer */
	CONTROL_ECHO,    /* like ASK, to the raw server */
	CONTROL_TRIP,    /* one round trip to the raw server; ns in the answer */
	CONTROL_N_OPS,
};

struct control_msg {
	uint32_t op, payload_len;
	uint64_t n, ns, worst_ns;
	uint8_t payload[CONTROL_PAYLOAD_MAX];
};

/* Memory that all children share. */
struct control_shared {
	_Atomic uint32_t is_over; /* ends ASK and ECHO */
};

struct control_child {
	pid_t pid;
	int sock;
};

/*
 * Forks a process with a socket to this one; in the child it is *sock_out, and the result's sock is
 * -1.
 */
struct control_child control_child_fork(int *sock_out);
/* Starts a child that executes requests; `dir` has the sockets. */
struct control_child control_child_start(const char *dir, enum bench_side side,
					 struct control_shared *shared);
void control_child_send(const struct control_child *child, const struct control_msg *msg);
/* Waits for the answer. If the child has ended, ends the program. */
void control_child_await(const struct control_child *child, struct control_msg *msg_out);
void control_child_call(const struct control_child *child, struct control_msg *msg);
/* Ends the child and waits for its end. */
void control_child_end(struct control_child *child);

/* --- control_echo.c --- */

/* Starts the server for ECHO and TRIP: a libevent server with the same structure as the daemon. */
struct control_child control_echo_start(const char *dir);

#endif
