/*
 * Two sides on one machine for a test: real daemons in a directory of their own, and children of
 * the test that are client processes of a side.
 *
 * The daemons are children of the test process and in its process group. They report through
 * NOTIFY_SOCKET: readiness, and a status line with counts, which is what tests wait for instead of
 * sleeping. lab_stop asks both to end and fails the test if one does not end cleanly; then the
 * directory is removed. A failed test leaves it, and the guard of tests/lib/runner.h prints the
 * logs.
 *
 * A client child is forked before the parent made any doca call, or at least never uses objects of
 * the parent. It talks with its parent over a packet socket, every read has a deadline. All
 * functions fail the running test (ck_assert) when something is not as they promise. Threads: none.
 */
#ifndef TESTS_LIB_LAB_H
#define TESTS_LIB_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/util.h"

enum lab_side { LAB_HOST, LAB_DPU, LAB_N_SIDES };

/* What a daemon's status line counts. */
enum lab_count { LAB_CLIENTS, LAB_EXPORTS, LAB_IMPORTS, LAB_SERVERS, LAB_CHANNELS, LAB_PEERS };

struct lab_options {
	bool only[LAB_N_SIDES]; /* none set: both sides */
	const char *config;     /* text of a configuration file for every daemon, or NULL */
	const char *config_of[LAB_N_SIDES]; /* the same for one side, instead of that */
	const char *topology;               /* text of a topology file for every daemon, or NULL */
	const char *log_level;              /* NULL: info */
	const char
		*sysfs_of[LAB_N_SIDES]; /* where devices are described, instead of /sys; or NULL */
	/* The lab is their service manager: it holds their listening sockets and this many
	 * descriptors of each over a restart. 0: no. As a manager it reads whenever this process
	 * waits for another one: daemons wait for it no longer than a second. */
	size_t fd_store;
	/* So many it takes, with the ledger, and says so as systemd does; 0: one more than that. */
	size_t store_max;
};

struct lab_store;

struct lab_daemon {
	pid_t pid; /* 0: does not run */
	int pidfd;
	bool ready;
	uint64_t asked_us; /* to load its configuration again, and has not said that it begins; or 0
			    */
	char status[256];  /* "" until it told one */
};

struct lab {
	char dir[128]; /* runtime directory of both daemons */
	int notify_fd;
	struct lab_options options;
	struct lab_daemon daemons[LAB_N_SIDES];
	struct lab_store *stores[LAB_N_SIDES];
	bool is_deaf;                  /* since lab_fill_manager, until it listens */
	uint64_t heard_ns, silence_ns; /* when it listened, and the longest time that it did not */
};

struct lab_child {
	pid_t pid;
	int pidfd;
	int sock; /* the parent's end */
};

/* Skips the program (exit 77) when the daemon was not built. Call it from main. */
void lab_require(void);

/* options may be NULL. Returns when the daemons are ready and, if both run, linked. */
void lab_start(struct lab *lab, const struct lab_options *options);
/* Both end within the deadline with status 0 and remove their sockets. */
void lab_stop(struct lab *lab);
/* Points this process's library at the daemon of a side; call before the first doca call. */
void lab_use(const struct lab *lab, enum lab_side side);
/* Path of the side's client socket. */
const char *lab_socket(const struct lab *lab, enum lab_side side);

/* SIGTERM, ended with status 0, reaped. */
void lab_stop_daemon(struct lab *lab, enum lab_side side);
/* SIGKILL, reaped. */
void lab_kill_daemon(struct lab *lab, enum lab_side side);
/* Starts a side that does not run; linked again when it returns. */
void lab_start_daemon(struct lab *lab, enum lab_side side);
/* A daemon, or the link to it, is or was away for so long that its clients are refused instead of
 * being kept waiting. Of the last lab of this process, or of the one that forked it. */
bool lab_was_late(void);
/* Lets the side's daemon load its configuration again, with this text; the lab was started with
 * one. Returns when it has, whether it took the new one or not. */
void lab_reload(struct lab *lab, enum lab_side side, const char *config);
/* Both halves of it. It says that it begins, with a time that is not before it was asked, and then
 * that it is ready. */
void lab_ask_reload(struct lab *lab, enum lab_side side, const char *config);
void lab_await_reloaded(struct lab *lab, enum lab_side side);
/* Starts one more daemon of the side, with the same directory; returns its exit code. */
int lab_run_second_daemon(struct lab *lab, enum lab_side side);
/* Waits until the side's daemon counts n of something. Fails after the deadline. */
void lab_await(struct lab *lab, enum lab_side side, enum lab_count what, unsigned n,
	       unsigned deadline_ms);
/* Takes what daemons have said. They wait for it, so a test that makes them say much while it waits
 * for them has a thread that does this when notify_fd is readable, and nothing else of the lab. */
void lab_listen(struct lab *lab);
/* As if the manager did not read, until the lab listens again. */
void lab_fill_manager(struct lab *lab);
/* Waits until the text is in the side's log, and listens meanwhile. Fails after the deadline. */
void lab_await_log(struct lab *lab, enum lab_side side, const char *text, unsigned deadline_ms);
/* True if the text is in the side's log. */
bool lab_log_has(const struct lab *lab, enum lab_side side, const char *text);
/* The side's daemon said that a client would not be resumed, though its manager read all the time:
 * on a busy machine the test that plays the manager may get no turn for as long as a daemon waits
 * for it. */
bool lab_gave_up(const struct lab *lab, enum lab_side side);
/* Descriptors that the daemon has open. */
size_t lab_daemon_n_fds(const struct lab *lab, enum lab_side side);

/*
 * fn runs in a new process of the side: `sock` is its end of the conversation. It ends with status
 * 0 when fn returns, unless it leaked descriptors or children.
 */
struct lab_child lab_fork(struct lab *lab, enum lab_side side, void (*fn)(int sock, void *arg),
			  void *arg);
/* Ends with status 0 within the deadline. */
void lab_join(struct lab_child *child);
/* SIGKILL and reaped. */
void lab_kill(struct lab_child *child);
/* A child or a daemon does nothing more when it returns, which the signal alone may take a while to
 * bring about; until it is let go on. */
void lab_freeze(pid_t pid);
void lab_thaw(pid_t pid);
/* One packet; exactly len bytes are expected. */
void lab_send(int sock, const void *data, size_t len);
void lab_recv(int sock, void *data, size_t len);
/* Of a length that the other process is told: the length, then as many bytes. */
void lab_send_sized(int sock, const void *data, size_t len);
size_t lab_recv_sized(int sock, void *data, size_t room);
/* One byte, to say "go on". */
void lab_signal(int sock);
void lab_wait(int sock);

#endif
