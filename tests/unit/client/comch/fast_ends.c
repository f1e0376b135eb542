/* See fast_ends.h. */
#include <sys/mman.h>

#include "tests/unit/client/comch/fast_ends.h"

void memory_make_len(struct memory *memory, struct doca_dev *dev, bool shared, size_t len,
		     uint32_t permissions)
{
	memory->dev = dev;
	memory->shared = shared;
	memory->len = len;
	if (shared) {
		void *bytes;

		ck_assert_int_eq(dococ_mem_alloc(len, &bytes, NULL), DOCA_SUCCESS);
		memory->bytes = bytes;
	} else {
		memory->bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				     -1, 0);
		ck_assert_ptr_ne(memory->bytes, MAP_FAILED);
	}
	ck_assert_int_eq(doca_mmap_create(&memory->mmap), DOCA_SUCCESS);
	ck_assert_int_eq(doca_mmap_set_memrange(memory->mmap, memory->bytes, len), DOCA_SUCCESS);
	ck_assert_int_eq(doca_mmap_set_permissions(memory->mmap, permissions), DOCA_SUCCESS);
	ck_assert_int_eq(doca_mmap_add_dev(memory->mmap, dev), DOCA_SUCCESS);
	ck_assert_int_eq(doca_mmap_start(memory->mmap), DOCA_SUCCESS);
	ck_assert_int_eq(doca_buf_inventory_create(64, &memory->inventory), DOCA_SUCCESS);
	ck_assert_int_eq(doca_buf_inventory_start(memory->inventory), DOCA_SUCCESS);
}

void memory_make(struct memory *memory, struct doca_dev *dev, bool shared)
{
	memory_make_len(memory, dev, shared, FAST_MEM, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
}

void memory_free(struct memory *memory)
{
	ck_assert_int_eq(doca_buf_inventory_destroy(memory->inventory), DOCA_SUCCESS);
	ck_assert_int_eq(doca_mmap_destroy(memory->mmap), DOCA_SUCCESS);
	if (memory->shared)
		ck_assert_int_eq(dococ_mem_free(memory->bytes), DOCA_SUCCESS);
	else
		munmap(memory->bytes, memory->len);
}

struct doca_buf *memory_buf(struct memory *memory, size_t at, size_t len, size_t data_len)
{
	struct doca_buf *buf;

	ck_assert_int_eq(doca_buf_inventory_buf_get_by_args(memory->inventory, memory->mmap,
							    memory->bytes + at, len,
							    memory->bytes + at, data_len, &buf),
			 DOCA_SUCCESS);
	return buf;
}

static void sink_done(struct sink *sink, struct doca_comch_consumer_task_post_recv *task)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	void *data;

	if (sink->keeps_task) {
		sink->stored_task = task;
		return;
	}
	if (buf != NULL) {
		ck_assert_int_eq(doca_buf_get_data(buf, &data), DOCA_SUCCESS);
		sink->data = data;
		ck_assert_int_eq(doca_buf_get_data_len(buf, &sink->data_len), DOCA_SUCCESS);
		ck_assert_int_eq(doca_buf_dec_refcount(buf, NULL), DOCA_SUCCESS);
	}
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void sink_on_recv(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			 union doca_data ctx_data)
{
	struct sink *sink = ctx_data.ptr;
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);

	(void)task_data;
	sink->n_recv++;
	sink->producer_id = doca_comch_consumer_task_post_recv_get_producer_id(task);
	sink->imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
	ck_assert((imm == NULL) == (sink->imm_len == 0));
	if (imm != NULL)
		memcpy(sink->imm, imm, sink->imm_len);
	if (sink->repost) {
		struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
		doca_error_t result;
		void *data;

		ck_assert_int_eq(doca_buf_get_data(buf, &data), DOCA_SUCCESS);
		sink->data = data;
		ck_assert_int_eq(doca_buf_get_data_len(buf, &sink->data_len), DOCA_SUCCESS);
		if (sink->on_recv != NULL)
			sink->on_recv(sink);
		ck_assert_int_eq(doca_buf_reset_data_len(buf), DOCA_SUCCESS);
		result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
		/* A message that was claimed before the stop still arrives. */
		if (result == DOCA_ERROR_BAD_STATE) {
			sink_done(sink, task);
			return;
		}
		ck_assert_int_eq(result, DOCA_SUCCESS);
		return;
	}
	sink_done(sink, task);
	if (sink->stop_on_recv)
		ck_assert_int_eq(doca_ctx_stop(sink->ctx), DOCA_ERROR_IN_PROGRESS);
}

static void sink_on_error(struct doca_comch_consumer_task_post_recv *task,
			  union doca_data task_data, union doca_data ctx_data)
{
	struct sink *sink = ctx_data.ptr;

	(void)task_data;
	sink->n_flushed++;
	sink->flush_code = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
	ck_assert_int_ne(sink->flush_code, DOCA_SUCCESS);
	sink_done(sink, task);
}

void sink_on_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		   enum doca_ctx_states next)
{
	struct sink *sink = user_data.ptr;

	(void)ctx;
	(void)prev;
	sink->n_running += next == DOCA_CTX_STATE_RUNNING;
	sink->n_idle += next == DOCA_CTX_STATE_IDLE;
	if (next == DOCA_CTX_STATE_IDLE && sink->destroy_on_idle) {
		ck_assert_int_eq(doca_comch_consumer_destroy(sink->consumer), DOCA_SUCCESS);
		sink->destroyed = true;
	}
}

void sink_make(struct sink *sink, struct end *end, bool shared, uint32_t n_tasks)
{
	union doca_data data = {.ptr = sink};

	*sink = (struct sink){0};
	memory_make(&sink->memory, end->server != NULL ? &fake_dpu : &fake_host, shared);
	ck_assert_int_eq(doca_comch_consumer_create(end->conn, sink->memory.mmap, &sink->consumer),
			 DOCA_SUCCESS);
	sink->ctx = doca_comch_consumer_as_ctx(sink->consumer);
	ck_assert_int_eq(doca_pe_create(&sink->pe), DOCA_SUCCESS);
	ck_assert_int_eq(doca_pe_connect_ctx(sink->pe, sink->ctx), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_set_user_data(sink->ctx, data), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_set_state_changed_cb(sink->ctx, sink_on_state), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_consumer_task_post_recv_set_conf(sink->consumer, sink_on_recv,
								     sink_on_error, n_tasks),
			 DOCA_SUCCESS);
}

unsigned pe_run(struct doca_pe *pe)
{
	unsigned n = 0;

	while (doca_pe_progress(pe))
		n++;
	return n;
}

void sink_start(struct sink *sink)
{
	unsigned n_running = sink->n_running;

	ck_assert_int_eq(doca_ctx_start(sink->ctx), DOCA_ERROR_IN_PROGRESS);
	pe_run(sink->pe);
	ck_assert_uint_eq(sink->n_running, n_running + 1);
	ck_assert_int_eq(doca_comch_consumer_get_id(sink->consumer, &sink->id), DOCA_SUCCESS);
	ck_assert_uint_ne(sink->id, 0);
}

doca_error_t sink_post_buf(struct sink *sink, struct doca_buf *buf)
{
	struct doca_comch_consumer_task_post_recv *task;
	doca_error_t result;

	result = doca_comch_consumer_task_post_recv_alloc_init(sink->consumer, buf, &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	return result;
}

void sink_post(struct sink *sink, size_t at, size_t len, size_t data_len)
{
	ck_assert_int_eq(
		sink_post_buf(sink, memory_buf(&sink->memory, at, data_len + len, data_len)),
		DOCA_SUCCESS);
}

void sink_stop(struct sink *sink)
{
	unsigned n_idle = sink->n_idle;
	doca_error_t result = doca_ctx_stop(sink->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	pe_run(sink->pe);
	ck_assert_uint_eq(sink->n_idle, n_idle + 1);
}

void sink_free(struct sink *sink)
{
	if (!sink->destroyed)
		ck_assert_int_eq(doca_comch_consumer_destroy(sink->consumer), DOCA_SUCCESS);
	ck_assert_int_eq(doca_pe_destroy(sink->pe), DOCA_SUCCESS);
	memory_free(&sink->memory);
}

void source_done(struct doca_comch_producer_task_send *task)
{
	const struct doca_buf *buf = doca_comch_producer_task_send_get_buf(task);

	if (buf != NULL)
		ck_assert_int_eq(doca_buf_dec_refcount((struct doca_buf *)(uintptr_t)buf, NULL),
				 DOCA_SUCCESS);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void source_on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			   union doca_data ctx_data)
{
	struct source *source = ctx_data.ptr;

	(void)task_data;
	source->n_sent++;
	source_done(task);
	if (source->stop_on_sent)
		ck_assert_int_eq(doca_ctx_stop(source->ctx), DOCA_ERROR_IN_PROGRESS);
}

static void source_on_error(struct doca_comch_producer_task_send *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	struct source *source = ctx_data.ptr;

	(void)task_data;
	source->n_failed++;
	source_done(task);
}

void source_create(struct source *source, struct end *end)
{
	size_t i;

	*source = (struct source){0};
	memory_make(&source->memory, end->server != NULL ? &fake_dpu : &fake_host, false);
	/*
	 * Fills by repeating the pattern: byte by byte, six megabytes take long with a sanitizer.
	 */
	for (i = 0; i < 251 * 256; i++)
		source->memory.bytes[i] = (uint8_t)(i * 7 + i / 251);
	for (; i < source->memory.len; i += MIN(i, source->memory.len - i))
		memcpy(source->memory.bytes + i, source->memory.bytes,
		       MIN(i, source->memory.len - i));
	ck_assert_int_eq(doca_comch_producer_create(end->conn, &source->producer), DOCA_SUCCESS);
	source->ctx = doca_comch_producer_as_ctx(source->producer);
}

void source_connect(struct source *source)
{
	union doca_data data = {.ptr = source};

	ck_assert_int_eq(doca_pe_create(&source->pe), DOCA_SUCCESS);
	ck_assert_int_eq(doca_pe_connect_ctx(source->pe, source->ctx), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_set_user_data(source->ctx, data), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_producer_task_send_set_conf(source->producer, source_on_sent,
								source_on_error, FAST_TASKS),
			 DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_start(source->ctx), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_producer_get_id(source->producer, &source->id), DOCA_SUCCESS);
	ck_assert_uint_ne(source->id, 0);
}

void source_make(struct source *source, struct end *end)
{
	source_create(source, end);
	source_connect(source);
}

doca_error_t source_send_imm(struct source *source, uint32_t to, size_t at, size_t len,
			     uint8_t *imm, uint32_t imm_len)
{
	struct doca_buf *buf = at == SIZE_MAX ? NULL : memory_buf(&source->memory, at, len, len);
	struct doca_comch_producer_task_send *task;
	doca_error_t result;

	result = doca_comch_producer_task_send_alloc_init(source->producer, buf, imm, imm_len, to,
							  &task);
	if (result == DOCA_SUCCESS) {
		result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
		if (result != DOCA_SUCCESS)
			doca_task_free(doca_comch_producer_task_send_as_task(task));
	}
	if (result != DOCA_SUCCESS && buf != NULL)
		ck_assert_int_eq(doca_buf_dec_refcount(buf, NULL), DOCA_SUCCESS);
	return result;
}

doca_error_t source_send(struct source *source, uint32_t to, size_t at, size_t len)
{
	return source_send_imm(source, to, at, len, NULL, 0);
}

void source_free(struct source *source)
{
	doca_error_t result = doca_ctx_stop(source->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	pe_run(source->pe);
	ck_assert_int_eq(doca_comch_producer_destroy(source->producer), DOCA_SUCCESS);
	ck_assert_int_eq(doca_pe_destroy(source->pe), DOCA_SUCCESS);
	memory_free(&source->memory);
}

void ends_make(struct pair *pair, const char *name)
{
	server_make(&pair->server, name);
	server_start(&pair->server);
	client_make(&pair->client, name);
	client_connect(&pair->client, &pair->server);
}

void pair_make(struct pair *pair, enum path path)
{
	ends_make(pair, "fast");
	fake_reach = path == PATH_LOCAL    ? FAKE_REACH_LOCAL
		     : path == PATH_BOUNCE ? FAKE_REACH_NOT
					   : FAKE_REACH_OTHER;
	sink_make(&pair->sink, &pair->server, path == PATH_SHM, FAST_TASKS);
	sink_start(&pair->sink);
	progress(&pair->client);
	ck_assert_uint_eq(pair->client.n_new, 1);
	ck_assert_uint_eq(pair->client.last_new, pair->sink.id);
	source_make(&pair->source, &pair->client);
}

void ends_free(struct pair *pair)
{
	if (pair->client.n_idle == 0)
		end_stop(&pair->client);
	progress(&pair->server);
	if (pair->server.n_idle == 0)
		end_stop(&pair->server);
	end_free(&pair->client);
	end_free(&pair->server);
}

void pair_free(struct pair *pair)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	if (!pair->sink.destroyed)
		ck_assert_int_eq(doca_ctx_get_state(pair->sink.ctx, &state), DOCA_SUCCESS);
	if (state != DOCA_CTX_STATE_IDLE)
		sink_stop(&pair->sink);
	sink_free(&pair->sink);
	source_free(&pair->source);
	ends_free(pair);
}
