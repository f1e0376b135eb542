/*
 * Short forms for tests with comch: a server of the DPU side behind its first representor, or a
 * client of the host side, on a progress engine of the caller's. Every function fails the running
 * test when a step does not succeed. Threads: none.
 */
#ifndef TESTS_LIB_TALK_H
#define TESTS_LIB_TALK_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#define TALK_MSG_MAX 64u /* unless the caller sets another */

struct talk {
	struct doca_pe *pe;
	struct doca_dev_rep *rep;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection; /* the client's, or the last that came */
	unsigned n_connected, n_left;
	unsigned n_new, n_expired; /* consumers of the peer */
	uint64_t n_submitted, n_sent, n_failed, n_received;
	/* Runs in progress; may be NULL. */
	void (*on_message)(struct talk *talk, struct doca_comch_connection *connection,
			   const uint8_t *bytes, uint32_t len);
	/* A consumer of the peer came. Runs in progress; may be NULL. */
	void (*on_consumer)(struct talk *talk, struct doca_comch_connection *connection,
			    uint32_t id);
	void *owner;
	uint32_t n_tasks, msg_max;
	uint8_t *slots; /* what is being sent, n_tasks times msg_max bytes */
};

/* Running. dev stays the caller's. */
void talk_serve(struct talk *talk, struct doca_pe *pe, struct doca_dev *dev, const char *name,
		uint32_t n_tasks);
/* Starting. */
void talk_connect(struct talk *talk, struct doca_pe *pe, struct doca_dev *dev, const char *name,
		  uint32_t n_tasks);
/* A client that runs now: fills in its connection. */
void talk_connected(struct talk *talk);
/* False: no task, or no room at the peer's. */
bool talk_send(struct talk *talk, struct doca_comch_connection *connection, const void *bytes,
	       uint32_t len);
/* The same where the connection may just have ended: what submitting said. */
doca_error_t talk_try_send(struct talk *talk, struct doca_comch_connection *connection,
			   const void *bytes, uint32_t len);
/* Stops, progresses until idle, destroys. */
void talk_end(struct talk *talk);

#endif
