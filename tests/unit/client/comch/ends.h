/*
 * Servers and clients for the tests of the comch engine: both in this process, each with its own
 * progress engine, with the simulated daemons of fake_daemons.h between them. Callbacks count their
 * events and take the actions that the test requested.
 */
#ifndef TESTS_UNIT_CLIENT_COMCH_ENDS_H
#define TESTS_UNIT_CLIENT_COMCH_ENDS_H

#include <string.h>

#include "client/comch/comch.h"
#include "client/progress/task.h"
#include "tests/unit/client/comch/fake_daemons.h"
#include "tests/unit/unit.h"

#define N_TASKS 64
#define EXPIRED (1u << 31) /* in the history of struct end */

struct end {
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *conn; /* the latest connection */
	unsigned n_connects, n_failed_connects, n_disconnects, n_sent, n_send_errors, n_recv;
	unsigned n_idle, n_running;
	unsigned n_new, n_expired; /* numbers of consumers of the peer */
	unsigned n_expired_at_end; /* value when the end of the connection was reported */
	uint32_t expired_ids;      /* a bit for each */
	uint32_t last_new, last_expired;
	uint32_t history[64]; /* ids of consumers that arrived, and with EXPIRED those that ended */
	unsigned n_history;
	uint8_t last[4096];
	uint32_t last_len;
	bool echo, stop_on_sent, stop_on_recv, stop_on_expired, reject, destroy_on_idle, destroyed;
	bool disconnect_on_recv, disconnect_on_expired;
	doca_error_t info_at_disconnect, send_error;
};

/* Returns the end that the test made for this connection. */
struct end *end_of(const struct doca_comch_connection *conn);
doca_error_t send_msg(struct end *end, struct doca_comch_connection *conn, const void *msg,
		      uint32_t len);

/* Callbacks. server_make() and client_make() register all of them but on_consumer(). */
void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
	     union doca_data ctx_data);
void on_send_error(struct doca_comch_task_send *task, union doca_data task_data,
		   union doca_data ctx_data);
void on_recv(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
	     struct doca_comch_connection *conn);
void on_connect(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *conn, uint8_t ok);
void on_disconnect(struct doca_comch_event_connection_status_changed *event,
		   struct doca_comch_connection *conn, uint8_t ok);
void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		 uint32_t id);

void server_make(struct end *end, const char *name);
void client_make(struct end *end, const char *name);
void server_start(struct end *end);
unsigned progress(struct end *end);

/* For actions that time out. The test's limit bounds the wait. */
void progress_until(struct end *end, const unsigned *counter, unsigned n);
void progress_both(struct end *a, struct end *b);
void client_connect(struct end *client, struct end *server);
void end_stop(struct end *end);
void end_free(struct end *end);

/* Fixtures of Check: descriptors and users of devices must be as many as before the test. */
void set_up(void);
void tear_down(void);

/* Waits until the engine's notification handle is readable. Returns whether it is. */
bool wakes(struct end *end, int timeout_ms);
void go_to_sleep(struct end *end);
void wake_up(struct end *end);

#endif
