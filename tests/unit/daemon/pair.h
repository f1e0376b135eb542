/*
 * Two real daemons, host and DPU, in a private directory, each in its own process that runs the
 * daemon's library; and raw clients that speak the protocol, for messages that the library never
 * sends. Every wait has a deadline. Test programs only.
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
	pid_t pids[2];       /* by enum side; 0 if not running */
	char config[2][128]; /* "" or a file */
	/* The machine that a daemon sees; NULL: this one. */
	const char *sysfs[2];
	const struct machine *machine[2];
	/*
	 * A service manager that stores up to fd_store descriptors: pass() gives the daemon's
	 * process the stored descriptors, from 3 on, and its environment. NULL: no manager.
	 */
	void (*pass)(void);
	size_t fd_store;
	enum log_level log_level; /* errors, unless set */
	/* Called after a daemon was forked: the test may create threads only then. May be NULL. */
	void (*forked)(void);
};

/* Creates the directory; starts nothing. */
void pair_set_up(struct daemon_pair *pair);
/* Starts one side and waits until it accepts clients. */
void pair_start(struct daemon_pair *pair, enum side side);
/*
 * Like pair_start(), for a daemon that may end instead. Returns false and the wait status if it has
 * ended. A client may still be connecting to it.
 */
bool pair_start_or_end(struct daemon_pair *pair, enum side side, int *status_out);
/* Starts a daemon that must fail. Returns its exit code. */
int pair_try_start(struct daemon_pair *pair, enum side side);
/* Starts both, and waits until the DPU sees the host's functions. */
void pair_start_linked(struct daemon_pair *pair);
void pair_wait_linked(struct daemon_pair *pair);
/* Sends the signal and waits for the end. Returns the wait status. */
int pair_stop(struct daemon_pair *pair, enum side side, int signo);
/* Returns when the daemon is stopped; SIGCONT to its pid continues it. */
void pair_freeze(const struct daemon_pair *pair, enum side side);
/* Stops running daemons, fails if one does not exit with code 0, and removes the directory. */
void pair_tear_down(struct daemon_pair *pair);
void pair_write_config(struct daemon_pair *pair, enum side side, const char *text);
/* Like pair_write_config(), for the topology, which the configuration then names. */
void pair_write_topology(struct daemon_pair *pair, enum side side, const char *text);
/* Number of open descriptors of the daemon's process. */
size_t pair_count_fds(const struct daemon_pair *pair, enum side side);
/* Like pair_count_fds(), once the daemon has processed the end of every closed client. */
size_t pair_settled_fds(const struct daemon_pair *pair, enum side side);

/* A client that sends and receives packets itself, without the library. */
struct client {
	struct conn *conn;
	uint64_t next_id;
	Dococore__Packet *reply; /* the last answer, with its descriptors */
	struct fdset fds;
};

int client_dial(const struct daemon_pair *pair, enum side side); /* returns a connected socket */
/* Connects and sends Hello. */
void client_open(struct client *client, const struct daemon_pair *pair, enum side side);
/*
 * Returns false, with nothing to close, if the daemon answers with an error, ends the connection,
 * or does not listen.
 */
bool client_try_open(struct client *client, const struct daemon_pair *pair, enum side side);
void client_close(struct client *client);
/* Sends a request without waiting. */
void client_send(struct client *client, Dococore__Packet *packet, const int *fds, size_t n_fds);
/* Sends a request and waits for the answer, which stays in client->reply. */
const Dococore__Packet *client_ask(struct client *client, Dococore__Packet *packet, const int *fds,
				   size_t n_fds);
/* Waits for the next packet. Returns NULL if the connection has ended. */
const Dococore__Packet *client_await(struct client *client);
/* Fails unless the last answer is an Error with this code and a sentence. */
void client_check_error(const struct client *client, enum code code);

/* The answer to an export request, and the data needed to import it. */
struct proof {
	Dococore__ExportReply reply;
	uint8_t secret[16];
};

/* Reads it from the last answer, which must be an ExportReply. */
void client_receive_proof(const struct client *client, struct proof *proof);
/* Returns the number of a device's representors; the answer must list all. */
uint32_t client_count_reps(struct client *client, uint32_t device_id);

/* Requests that must succeed; the ask forms leave the answer to the caller. */
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
/* Like client_ask_connect(), and requests the event that a server has the request. */
const Dococore__Packet *client_ask_connect_arrived(struct client *client, uint64_t device,
						   const char *name, uint32_t max_msg_size);
const Dococore__Packet *client_ask_fetch(struct client *client, uint64_t channel);
void client_close_channel(struct client *client, uint64_t channel);
/* Closes the channel and reports that not everything sent has arrived. */
void client_lose_channel(struct client *client, uint64_t channel);
/* Adopts the event ring of the last answer. */
void client_receive_events(struct client *client, struct event_reader *reader, uint32_t len);
/* Waits for the next event. */
struct event events_await(struct event_reader *reader);

#endif
