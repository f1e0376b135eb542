/*
 * Producers and consumers for the tests of the comch engine's data path, on the connections of
 * ends.h. A sink is a consumer with memory to receive into, a source a producer with memory
 * to send from; each has its own progress engine.
 */
#ifndef TESTS_UNIT_CLIENT_COMCH_FAST_ENDS_H
#define TESTS_UNIT_CLIENT_COMCH_FAST_ENDS_H

#include <doca_buf_inventory.h>
#include <dococ.h>

#include "client/comch/fast_path/consumer.h"
#include "client/comch/fast_path/producer.h"
#include "tests/unit/client/comch/ends.h"

#define FAST_TASKS 16u
#define FAST_MEM   (6u << 20)

/* Path of a message that does not fit its slot. */
enum path { PATH_LOCAL, PATH_PVM, PATH_SHM, PATH_BOUNCE, N_PATHS };

struct memory {
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *bytes;
	size_t len;
	bool shared;
};

struct sink {
	struct doca_pe *pe;
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;
	struct memory memory;
	unsigned n_recv, n_flushed, n_idle, n_running;
	doca_error_t flush_code;
	uint32_t id, producer_id, imm_len;
	uint8_t imm[64];
	size_t data_len; /* of the last buffer */
	uint8_t *data;
	bool repost, stop_on_recv, destroy_on_idle, destroyed;
	bool keeps_task; /* the task is stored in `stored_task` instead of being freed */
	struct doca_comch_consumer_task_post_recv *stored_task;
	void (*on_recv)(struct sink *sink);
	void *arg;
};

struct source {
	struct doca_pe *pe;
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx;
	struct memory memory;
	unsigned n_sent, n_failed;
	uint32_t id;
	bool stop_on_sent;
};

void memory_make_len(struct memory *memory, struct doca_dev *dev, bool shared, size_t len,
		     uint32_t permissions);
void memory_make(struct memory *memory, struct doca_dev *dev, bool shared);
void memory_free(struct memory *memory);
struct doca_buf *memory_buf(struct memory *memory, size_t at, size_t len, size_t data_len);

/* --- consumers --- */

/* The callback that sink_make() registers for state changes. */
void sink_on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		   enum doca_ctx_states next);

/* Configures a sink without starting it, on the end's device. */
void sink_make(struct sink *sink, struct end *end, bool shared, uint32_t n_tasks);
unsigned pe_run(struct doca_pe *pe);
void sink_start(struct sink *sink);
doca_error_t sink_post_buf(struct sink *sink, struct doca_buf *buf);

/*
 * Posts a receive with room for len bytes at an offset of the sink's memory, after data_len bytes
 * of existing data.
 */
void sink_post(struct sink *sink, size_t at, size_t len, size_t data_len);
void sink_stop(struct sink *sink);
void sink_free(struct sink *sink);

/* --- producers --- */

/* Releases a completed task and its buffer. */
void source_done(struct doca_comch_producer_task_send *task);
void source_create(struct source *source, struct end *end);
void source_connect(struct source *source);
void source_make(struct source *source, struct end *end);

/* Sends len bytes from an offset of the source's memory; SIZE_MAX: without a buffer. */
doca_error_t source_send_imm(struct source *source, uint32_t to, size_t at, size_t len,
			     uint8_t *imm, uint32_t imm_len);
doca_error_t source_send(struct source *source, uint32_t to, size_t at, size_t len);
void source_free(struct source *source);

/* --- a pair of ends, a sink on the server's and a source on the client's --- */

struct pair {
	struct end server, client;
	struct sink sink;
	struct source source;
};

void ends_make(struct pair *pair, const char *name);
void pair_make(struct pair *pair, enum path path);
void ends_free(struct pair *pair);
void pair_free(struct pair *pair);

#endif
