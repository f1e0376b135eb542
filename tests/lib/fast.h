/*
 * The data path of comch as programs use it: a server or client, and on its connection consumers
 * and producers, each with its own memory. Every function fails the running test if a step fails.
 * Creates no threads. A sink or source may be used on another thread if it has its own progress
 * engine.
 */
#ifndef TESTS_LIB_FAST_H
#define TESTS_LIB_FAST_H

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "tests/lib/use.h"

#define FAST_MAX_PEERS   64u
#define FAST_MAX_HISTORY 256u
#define FAST_EXPIRED     (1u << 31)

struct fast_end {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *conn; /* the latest connection */
	unsigned n_connects, n_disconnects, n_new, n_expired, n_messages;
	unsigned n_sent, n_not_sent;    /* this end's messages whose tasks have completed */
	uint32_t peers[FAST_MAX_PEERS]; /* the peer's consumers, in the order of their arrival */
	uint32_t last_expired;
	/* The first arrivals of the peer's consumers and, with FAST_EXPIRED, their ends. */
	uint32_t history[FAST_MAX_HISTORY];
	unsigned n_history;
};

/* Kind of memory of a sink's buffers. */
enum fast_memory {
	FAST_SHARED,  /* dococ_mem_alloc(): mapped by the peer */
	FAST_PRIVATE, /* malloc(): written by the kernel */
};

struct fast_sink {
	struct doca_pe *pe;
	bool owns_pe;
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	enum fast_memory memory;
	uint8_t *bytes;
	size_t buf_len;
	uint32_t n_bufs, id;
	/* Written by the callbacks. */
	uint64_t n_recv, n_bytes;
	unsigned n_flushed, n_refused; /* n_refused: tasks that a stopping context refused */
	doca_error_t flush_code;
	bool once; /* a receive that got a message is not posted again */
	/* Called for each message before its buffer is posted again; may be NULL. */
	void (*look)(struct fast_sink *sink, const uint8_t *data, size_t len,
		     const struct doca_comch_consumer_task_post_recv *task);
	void *arg;
};

struct fast_source {
	struct doca_pe *pe;
	bool owns_pe;
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *bytes;
	size_t len;
	uint32_t id;
	/* Tasks that are not submitted, each with a buffer. */
	struct doca_comch_producer_task_send **idle;
	uint32_t n_tasks, n_idle;
	uint64_t n_sent;
	unsigned n_failed;
};

/* Create an idle end, which the following functions would start. */
void fast_server_make(struct fast_end *end, const char *name);
void fast_client_make(struct fast_end *end, const char *name);
/* Return when the server is running, or the client is connected. */
void fast_server_open(struct fast_end *end, const char *name);
void fast_client_open(struct fast_end *end, const char *name);
/* Progresses until *counter >= n. */
void fast_await(struct fast_end *end, const unsigned *counter, unsigned n);
void fast_end_stop(struct fast_end *end);
void fast_end_close(struct fast_end *end);

/* pe NULL: uses its own engine. Returns a running sink with all buffers posted. */
void fast_sink_open(struct fast_sink *sink, const struct fast_end *end, struct doca_pe *pe,
		    enum fast_memory memory, uint32_t n_bufs, size_t buf_len);
void fast_sink_await(struct fast_sink *sink, uint64_t n_recv);
void fast_sink_stop(struct fast_sink *sink);
/* Call with an idle sink. */
void fast_sink_close(struct fast_sink *sink);

/* Allocates len bytes to send from, filled with use_fill(seed 1). */
void fast_source_open(struct fast_source *source, const struct fast_end *end, struct doca_pe *pe,
		      uint32_t n_tasks, size_t len);
/* Submits len bytes at an offset, with an idle task. Returns the result of the submission. */
doca_error_t fast_send(struct fast_source *source, uint32_t to, size_t at, size_t len,
		       const void *imm, uint32_t imm_len);
/*
 * Like fast_send(), but repeats while the receiver has no posted receive or all tasks are in
 * flight.
 */
doca_error_t fast_send_retry(struct fast_source *source, uint32_t to, size_t at, size_t len,
			     const void *imm, uint32_t imm_len);
void fast_source_close(struct fast_source *source);

/*
 * Sleeps in poll(2) on the engine's handle until it is readable; -1: no limit. Fails at the time
 * limit.
 */
void fast_sleep(struct doca_pe *pe, int timeout_ms);

/*
 * Simulates a system that forbids ptrace: this process, and processes that it starts later, cannot
 * access memory of other processes. Therefore payloads that do not fit a slot pass through the
 * bounce area.
 */
void fast_refuse_writes(void);

#endif
