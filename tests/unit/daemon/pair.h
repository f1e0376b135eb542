/*
 * Two real daemons, host and DPU, in a private directory, each in its own process that runs the
 * daemon's library; and bare clients that speak the protocol, for what the library never does.
 * Every wait has a deadline. Test programs only.
 */
#ifndef TESTS_UNIT_DAEMON_PAIR_H
#define TESTS_UNIT_DAEMON_PAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/code.h"
#include "daemon/topology/topology.h"
#include "proto/conn.h"
#include "proto/event_ring.h"
#include "tests/unit/unit.h"
#include "util/log.h"

struct daemon_pair {
	char dir[64];
	pid_t pids[2];       /* by enum side; 0 when not running */
	char config[2][128]; /* "" or a file */
	/* The machine that a daemon sees; NULL: this one. */
	const char *sysfs[2];
	const struct machine *machine[2];
	/* A service manager that keeps so many descriptors: gives the daemon's process those that
	 * it has, from 3 on, and its environment. NULL: there is none. */
	void (*pass)(void);
	size_t fd_store;
	enum log_level log_level; /* errors unless set */
	/* Of the test, once a daemon is forked: threads are not to be there before. NULL: nothing.
	 */
	void (*forked)(void);
};

/* Makes the directory; nothing runs. */
void pair_set_up(struct daemon_pair *pair);
/* Starts one side and waits until it accepts clients. */
void pair_start(struct daemon_pair *pair, enum side side);
/* Like pair_start(), for a daemon that may end instead. Returns false, with the wait status, if it
 * has ended. Some client may still be connecting. */
bool pair_start_or_end(struct daemon_pair *pair, enum side side, int *status_out);
/* One that must not start. Returns its exit code. */
int pair_try_start(struct daemon_pair *pair, enum side side);
/* Both, and waits until the DPU sees the host's functions. */
void pair_start_linked(struct daemon_pair *pair);
void pair_wait_linked(struct daemon_pair *pair);
/* Sends the signal, awaits the end. Returns the wait status. */
int pair_stop(struct daemon_pair *pair, enum side side, int signo);
/* Returns when it stands still; SIGCONT to its pid lets it go on. */
void pair_freeze(const struct daemon_pair *pair, enum side side);
/* Stops what runs, fails if a daemon did not end with exit code 0, removes the directory. */
void pair_tear_down(struct daemon_pair *pair);
void pair_write_config(struct daemon_pair *pair, enum side side, const char *text);
/* The same for its topology, which the configuration then names. */
void pair_write_topology(struct daemon_pair *pair, enum side side, const char *text);
/* Open descriptors of the daemon's process. */
size_t pair_count_fds(const struct daemon_pair *pair, enum side side);
/* The same, once the daemon has forgotten every client that was closed. */
size_t pair_settled_fds(const struct daemon_pair *pair, enum side side);

/* A bare client. */
struct client {
	struct conn *conn;
	uint64_t next_id;
	Dococore__Packet *reply; /* the last one, with its descriptors */
	struct fdset fds;
};

int client_dial(const struct daemon_pair *pair, enum side side); /* a connected socket */
/* Connects and says Hello. */
void client_open(struct client *client, const struct daemon_pair *pair, enum side side);
/* False, with nothing to close, if the daemon answers with an error, ends the connection, or does
 * not listen. */
bool client_try_open(struct client *client, const struct daemon_pair *pair, enum side side);
void client_close(struct client *client);
/* Sends a request without waiting. */
void client_send(struct client *client, Dococore__Packet *packet, const int *fds, size_t n_fds);
/* Sends and awaits the answer, which stays in client->reply. */
const Dococore__Packet *client_ask(struct client *client, Dococore__Packet *packet, const int *fds,
				   size_t n_fds);
/* Awaits the next packet; NULL when the connection has ended instead. */
const Dococore__Packet *client_await(struct client *client);
/* Fails unless the last answer is an Error of this code with a sentence. */
void client_check_error(const struct client *client, enum code code);

/* What an export's answer was, and what it has to be imported. */
struct proof {
	Dococore__ExportReply reply;
	uint8_t secret[16];
};

/* Of the last answer, which must be one. */
void client_take_proof(const struct client *client, struct proof *proof);
/* Representors of a device, as many as the answer lists, which must be all. */
uint32_t client_count_reps(struct client *client, uint32_t device_id);

/* Requests that must succeed; the second form leaves the answer to the caller. */
uint64_t client_open_device(struct client *client, const char *name);
uint64_t client_open_rep(struct client *client, const char *name);
const Dococore__Packet *client_ask_export(struct client *client, uint64_t device,
					  Dococore__ExportKind kind, uint32_t permissions,
					  int memfd, uint64_t len);
const Dococore__Packet *client_ask_import(struct client *client, uint64_t device,
					  const Dococore__ExportReply *export,
					  Dococore__ExportKind kind, const char *side);
const Dococore__Packet *client_ask_server(struct client *client, uint64_t device, uint64_t rep,
					  const char *name, uint32_t max_msg_size);
const Dococore__Packet *client_ask_connect(struct client *client, uint64_t device, const char *name,
					   uint32_t max_msg_size);
/* The same, and asks to be told when a server has the request. */
const Dococore__Packet *client_ask_connect_arrived(struct client *client, uint64_t device,
						   const char *name, uint32_t max_msg_size);
const Dococore__Packet *client_ask_fetch(struct client *client, uint64_t channel);
void client_close_channel(struct client *client, uint64_t channel);
/* The same, and not all that was sent has arrived. */
void client_lose_channel(struct client *client, uint64_t channel);
/* Takes the event ring of the last answer. */
void client_take_events(struct client *client, struct event_reader *reader, uint32_t len);
/* Awaits the next event. */
struct event events_await(struct event_reader *reader);

#endif
