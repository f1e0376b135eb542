/*
 * Short functions for tests with comch: a server of the DPU side behind its first representor, or a
 * client of the host side, on a progress engine of the caller. Every function fails the running
 * test if a step fails. Creates no threads.
 */
#ifndef TESTS_LIB_TALK_H
#define TESTS_LIB_TALK_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#define TALK_MSG_MAX 64u /* unless the caller sets another limit */

struct talk {
	struct doca_pe *pe;
	struct doca_dev_rep *rep;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	/* The client's connection, or the server's latest. */
	struct doca_comch_connection *connection;
	unsigned n_connected, n_left;
	unsigned n_new, n_expired; /* numbers of consumers of the peer */
	uint64_t n_submitted, n_sent, n_failed, n_received;
	/* Called during progress; may be NULL. */
	void (*on_message)(struct talk *talk, struct doca_comch_connection *connection,
			   const uint8_t *bytes, uint32_t len);
	/* Called during progress when a consumer of the peer arrives; may be NULL. */
	void (*on_consumer)(struct talk *talk, struct doca_comch_connection *connection,
			    uint32_t id);
	void *owner;
	bool ignores_failures; /* clients may fail to connect */
	uint32_t n_tasks, msg_max;
	uint8_t *slots; /* messages that are being sent, n_tasks times msg_max bytes */
};

/* Starts a server, which is running on return. dev stays the caller's. */
void talk_serve(struct talk *talk, struct doca_pe *pe, struct doca_dev *dev, const char *name,
		uint32_t n_tasks);
/* Starts a client, which is starting on return. */
void talk_connect(struct talk *talk, struct doca_pe *pe, struct doca_dev *dev, const char *name,
		  uint32_t n_tasks);
/* Call when the client is running: stores its connection. */
void talk_connected(struct talk *talk);
/* Returns false if there is no free task, or no room at the peer. */
bool talk_send(struct talk *talk, struct doca_comch_connection *connection, const void *bytes,
	       uint32_t len);
/* Like talk_send(), if the connection may have ended: returns the result of the submission. */
doca_error_t talk_try_send(struct talk *talk, struct doca_comch_connection *connection,
			   const void *bytes, uint32_t len);
/* Stops the context, progresses until it is idle, and destroys it. */
void talk_end(struct talk *talk);

#endif
