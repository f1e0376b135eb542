/*
 * The data path of comch as a program uses it: a server or client, and on its connection consumers
 * and producers, each with memory of its own. Every function fails the running test when a step
 * does not succeed. Threads: none; a sink or source may be used on a thread of its own if its
 * engine is not the end's.
 */
#ifndef TESTS_LIB_FAST_H
#define TESTS_LIB_FAST_H

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "tests/lib/use.h"

#define FAST_MAX_PEERS 64u
#define FAST_MAX_STORY 256u
#define FAST_EXPIRED   (1u << 31)

struct fast_end {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *conn; /* the last that connected */
	unsigned n_connects, n_disconnects, n_new, n_expired, n_messages;
	uint32_t peers[FAST_MAX_PEERS]; /* consumers of the peer, in the order of their coming */
	uint32_t last_expired;
	/* Consumers of the peer that came, and with FAST_EXPIRED those that went; the first ones.
	 */
	uint32_t story[FAST_MAX_STORY];
	unsigned n_story;
};

/* Where the buffers of a sink lie. */
enum fast_memory {
	FAST_SHARED,  /* dococ_mem_alloc: mapped by the peer */
	FAST_PRIVATE, /* malloc: written by the kernel */
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
	/* Filled by the callbacks. */
	uint64_t n_recv, n_bytes;
	unsigned n_flushed, n_refused; /* the latter: to be posted again, by a context that stops */
	doca_error_t flush_code;
	bool once; /* a receive that took a message is not posted again */
	/* Looks at a message before its buffer is posted again; NULL: nobody does. */
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

/* Idle, as what follows makes them. */
void fast_server_make(struct fast_end *end, const char *name);
void fast_client_make(struct fast_end *end, const char *name);
/* The server runs when it returns; the client is connected. */
void fast_server_open(struct fast_end *end, const char *name);
void fast_client_open(struct fast_end *end, const char *name);
/* Progresses until *counter >= n. */
void fast_await(struct fast_end *end, const unsigned *counter, unsigned n);
void fast_end_stop(struct fast_end *end);
void fast_end_close(struct fast_end *end);

/* pe NULL: one of its own. Running, with all buffers posted. */
void fast_sink_open(struct fast_sink *sink, const struct fast_end *end, struct doca_pe *pe,
		    enum fast_memory memory, uint32_t n_bufs, size_t buf_len);
void fast_sink_await(struct fast_sink *sink, uint64_t n_recv);
void fast_sink_stop(struct fast_sink *sink);
/* Idle. */
void fast_sink_close(struct fast_sink *sink);

/* len bytes to send from, filled with use_fill(seed 1). */
void fast_source_open(struct fast_source *source, const struct fast_end *end, struct doca_pe *pe,
		      uint32_t n_tasks, size_t len);
/* Submits len bytes at an offset; takes an idle task. What submission says. */
doca_error_t fast_send(struct fast_source *source, uint32_t to, size_t at, size_t len,
		       const void *imm, uint32_t imm_len);
/* Repeats while the receiver has nothing posted or all tasks are under way. */
doca_error_t fast_send_patiently(struct fast_source *source, uint32_t to, size_t at, size_t len,
				 const void *imm, uint32_t imm_len);
void fast_source_close(struct fast_source *source);

/* Sleeps in poll(2) on the engine's handle until something is there; -1: no limit. That nothing
 * comes until then fails. */
void fast_sleep(struct doca_pe *pe, int timeout_ms);

/* As where ptrace is forbidden: this process, and those that it starts from here on, can neither
 * read nor write memory of other processes, so what does not fit a slot passes through the bounce
 * area. */
void fast_refuse_writes(void);

#endif
