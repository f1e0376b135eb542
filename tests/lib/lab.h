/*
 * Two sides on one machine for a test: real daemons in a private directory, and children of the
 * test that act as client processes of a side.
 *
 * The daemons are children of the test process and in its process group. They report through
 * NOTIFY_SOCKET: readiness, and a status line with counts, for which tests wait instead of
 * sleeping. lab_stop() asks both to end, fails the test if one does not end cleanly, and removes
 * the directory. A failed test leaves the directory, and the guard of tests/lib/runner.h prints the
 * logs.
 *
 * A client child is forked before the parent makes any doca call, or at least never uses objects of
 * the parent. It communicates with its parent over a packet socket with a deadline for every read.
 * All functions fail the running test (ck_assert) if a step fails. Creates no threads.
 */
#ifndef TESTS_LIB_LAB_H
#define TESTS_LIB_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/util.h"

enum lab_side { LAB_HOST, LAB_DPU, LAB_N_SIDES };

/* Counts in a daemon's status line. */
enum lab_count { LAB_CLIENTS, LAB_EXPORTS, LAB_IMPORTS, LAB_SERVERS, LAB_CHANNELS, LAB_PEERS };

struct lab_options {
	bool only[LAB_N_SIDES]; /* none set: both sides */
	const char *config;     /* text of the configuration file of every daemon, or NULL */
	const char *config_of[LAB_N_SIDES]; /* configuration for one side, overrides config */
	const char *topology;               /* text of the topology file of every daemon, or NULL */
	const char *log_level;              /* NULL: info */
	const char *sysfs_of[LAB_N_SIDES];  /* directory that replaces /sys, or NULL */
	/*
	 * Makes the lab the daemons' service manager: it holds their listening sockets, and this
	 * many descriptors of each, across restarts. 0: no service manager. As a manager it reads
	 * messages whenever this process waits for another one; daemons wait for it at most one
	 * second.
	 */
	size_t fd_store;
	/*
	 * Number of descriptors that the store accepts, including the ledger, and reports as
	 * systemd does; 0: fd_store plus one.
	 */
	size_t store_max;
};

struct lab_store;

struct lab_daemon {
	pid_t pid; /* 0: not running */
	int pidfd;
	bool ready;
	/* Time of a reload request whose start the daemon has not reported; 0: none. */
	uint64_t asked_us;
	char status[256]; /* "" until it has reported one */
};

struct lab {
	char dir[128]; /* runtime directory of both daemons */
	int notify_fd;
	struct lab_options options;
	struct lab_daemon daemons[LAB_N_SIDES];
	struct lab_store *stores[LAB_N_SIDES];
	bool is_unresponsive; /* set by lab_fill_manager() until the lab reads again */
	/* When the lab read last, and the longest time that it did not read. */
	uint64_t received_ns, silence_ns;
};

struct lab_child {
	pid_t pid;
	int pidfd;
	int sock; /* the parent's end */
};

/* Skips the program (exit 77) if the daemon was not built. Call it from main(). */
void lab_require(void);

/* options may be NULL. Returns when the daemons are ready and, if both run, linked. */
void lab_start(struct lab *lab, const struct lab_options *options);
/* Ends both daemons. Each must exit with status 0 within the deadline and remove its sockets. */
void lab_stop(struct lab *lab);
/* Makes this process's library use the daemon of a side; call it before the first doca call. */
void lab_use(const struct lab *lab, enum lab_side side);
/* Setup and teardown of a test: lab_start() and lab_stop(), and a check for leaks (runner.h). */
void lab_setup(struct lab *lab, const struct lab_options *options);
void lab_teardown(struct lab *lab);
/* Like lab_setup(), for a test whose own process is a client of the side. */
void lab_setup_client(struct lab *lab, const struct lab_options *options, enum lab_side side);
/* Returns the path of the side's client socket. */
const char *lab_socket(const struct lab *lab, enum lab_side side);

/* Sends SIGTERM; the daemon must exit with status 0. Reaps it. */
void lab_stop_daemon(struct lab *lab, enum lab_side side);
/* Sends SIGKILL and reaps the daemon. */
void lab_kill_daemon(struct lab *lab, enum lab_side side);
/* Starts a side that is not running. Returns when the daemons are linked again. */
void lab_start_daemon(struct lab *lab, enum lab_side side);
/*
 * True if a daemon, or the link to it, was away so long that its clients are refused instead of
 * being kept waiting. Applies to the last lab of this process, or of the process that forked it.
 */
bool lab_was_late(void);
/*
 * Makes the side's daemon reload its configuration with this text; the lab must have been started
 * with a configuration. Returns when the daemon has accepted or refused it.
 */
void lab_reload(struct lab *lab, enum lab_side side, const char *config);
/*
 * The two halves of lab_reload(). The daemon reports the start of the reload with a time that is
 * not before the request, and then readiness.
 */
void lab_ask_reload(struct lab *lab, enum lab_side side, const char *config);
void lab_await_reloaded(struct lab *lab, enum lab_side side);
/* Starts a second daemon of the side with the same directory. Returns its exit code. */
int lab_run_second_daemon(struct lab *lab, enum lab_side side);
/* Waits until the side's daemon reports n of something. Fails after the deadline. */
void lab_await(struct lab *lab, enum lab_side side, enum lab_count what, unsigned n,
	       unsigned deadline_ms);
/*
 * Reads the daemons' messages. Daemons wait for that, so a test that makes them send many messages
 * while it waits for them needs a thread that calls this when notify_fd is readable, and calls
 * nothing else of the lab.
 */
void lab_listen(struct lab *lab);
/* Simulates a manager that does not read, until the lab reads again. */
void lab_fill_manager(struct lab *lab);
/*
 * Waits until the text is in the side's log, and reads messages meanwhile. Fails after the
 * deadline.
 */
void lab_await_log(struct lab *lab, enum lab_side side, const char *text, unsigned deadline_ms);
/* True if the text is in the side's log. */
bool lab_log_has(const struct lab *lab, enum lab_side side, const char *text);
/*
 * True if the side's daemon reported that a client would not be resumed although its manager read
 * all the time. On a busy machine, the test that acts as the manager may not be scheduled for as
 * long as a daemon waits for it.
 */
bool lab_timed_out(const struct lab *lab, enum lab_side side);
/* Number of descriptors that the daemon has open. */
size_t lab_daemon_n_fds(const struct lab *lab, enum lab_side side);

/*
 * Runs fn in a new process of the side; `sock` is its end of the conversation. The process exits
 * with status 0 when fn returns, unless it leaked descriptors or children.
 */
struct lab_child lab_fork(struct lab *lab, enum lab_side side, void (*fn)(int sock, void *arg),
			  void *arg);
/* The child must exit with status 0 within the deadline. */
void lab_join(struct lab_child *child);
/* Sends SIGKILL and reaps the child. */
void lab_kill(struct lab_child *child);
/*
 * Stops a child or a daemon until lab_thaw(). Returns when the process is really stopped, which
 * takes longer than the signal.
 */
void lab_freeze(pid_t pid);
void lab_thaw(pid_t pid);
/* One packet. Exactly len bytes are expected. */
void lab_send(int sock, const void *data, size_t len);
void lab_recv(int sock, void *data, size_t len);
/* Data whose length the other process does not know: a packet with the length, then the bytes. */
void lab_send_sized(int sock, const void *data, size_t len);
size_t lab_recv_sized(int sock, void *data, size_t room);
/* One byte, which means "continue". */
void lab_signal(int sock);
void lab_wait(int sock);

#endif
