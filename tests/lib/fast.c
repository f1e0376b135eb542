/* See tests/lib/fast.h. */
#include "tests/lib/fast.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

static struct fast_end *end_of(const struct doca_comch_connection *conn)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(conn);
	union doca_data data;

	OK(doca_ctx_get_user_data(
		server != NULL ? doca_comch_server_as_ctx(server)
			       : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(conn)),
		&data));
	return data.ptr;
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *conn, uint8_t ok)
{
	struct fast_end *end = end_of(conn);

	(void)event;
	ck_assert_uint_eq(ok, 1);
	end->n_connects++;
	end->conn = conn;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *conn, uint8_t ok)
{
	(void)event;
	(void)ok;
	end_of(conn)->n_disconnects++;
}

static void record_event(struct fast_end *end, uint32_t what)
{
	if (end->n_history < FAST_MAX_HISTORY)
		end->history[end->n_history++] = what;
}

static void on_new(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		   uint32_t id)
{
	struct fast_end *end = end_of(conn);

	(void)event;
	ck_assert_uint_ne(id, 0);
	end->peers[end->n_new++ % FAST_MAX_PEERS] = id;
	record_event(end, id);
}

static void on_expired(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		       uint32_t id)
{
	struct fast_end *end = end_of(conn);

	(void)event;
	end->last_expired = id;
	record_event(end, id | FAST_EXPIRED);
	end->n_expired++;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *conn)
{
	(void)event;
	(void)bytes;
	(void)len;
	end_of(conn)->n_messages++;
}

static void on_message_sent(struct doca_comch_task_send *task, union doca_data task_data,
			    union doca_data ctx_data)
{
	struct fast_end *end = ctx_data.ptr;

	(void)task_data;
	end->n_sent++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message_not_sent(struct doca_comch_task_send *task, union doca_data task_data,
				union doca_data ctx_data)
{
	struct fast_end *end = ctx_data.ptr;

	(void)task_data;
	end->n_not_sent++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void end_attach(struct fast_end *end)
{
	union doca_data data = {.ptr = end};

	OK(doca_pe_create(&end->pe));
	OK(doca_pe_connect_ctx(end->pe, end->ctx));
	OK(doca_ctx_set_user_data(end->ctx, data));
}

void fast_server_make(struct fast_end *end, const char *name)
{
	struct doca_devinfo_rep **reps;
	uint32_t n, i;

	*end = (struct fast_end){.dev = use_dev(USE_DPU_P0)};
	OK(doca_devinfo_rep_create_list(end->dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n));
	for (i = 0; i < n && end->rep == NULL; i++) {
		uint8_t equal = 0;

		OK(doca_devinfo_rep_is_equal_pci_addr(reps[i], USE_HOST_PF0, &equal));
		if (equal)
			OK(doca_dev_rep_open(reps[i], &end->rep));
	}
	OK(doca_devinfo_rep_destroy_list(reps));
	ck_assert_ptr_nonnull(end->rep);
	OK(doca_comch_server_create(end->dev, end->rep, name, &end->server));
	end->ctx = doca_comch_server_as_ctx(end->server);
	end_attach(end);
	OK(doca_comch_server_task_send_set_conf(end->server, on_message_sent, on_message_not_sent,
						16));
	OK(doca_comch_server_event_msg_recv_register(end->server, on_message));
	OK(doca_comch_server_event_consumer_register(end->server, on_new, on_expired));
	OK(doca_comch_server_event_connection_status_changed_register(end->server, on_connect,
								      on_disconnect));
}

void fast_server_open(struct fast_end *end, const char *name)
{
	fast_server_make(end, name);
	OK(doca_ctx_start(end->ctx));
}

void fast_client_make(struct fast_end *end, const char *name)
{
	*end = (struct fast_end){.dev = use_dev(USE_HOST_PF0)};
	OK(doca_comch_client_create(end->dev, name, &end->client));
	end->ctx = doca_comch_client_as_ctx(end->client);
	end_attach(end);
	OK(doca_comch_client_task_send_set_conf(end->client, on_message_sent, on_message_not_sent,
						16));
	OK(doca_comch_client_event_msg_recv_register(end->client, on_message));
	OK(doca_comch_client_event_consumer_register(end->client, on_new, on_expired));
}

void fast_client_open(struct fast_end *end, const char *name)
{
	fast_client_make(end, name);
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end->ctx));
	use_ctx_await(end->pe, end->ctx, DOCA_CTX_STATE_RUNNING);
	OK(doca_comch_client_get_connection(end->client, &end->conn));
}

void fast_await(struct fast_end *end, const unsigned *counter, unsigned n)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;

	while (*counter < n) {
		EXPECT_TRUE(clock_now_ns() < deadline, "%u of %u (%s)", *counter, n,
			    dococ_last_error());
		use_progress(end->pe);
	}
}

static void ctx_stop(struct doca_pe *pe, struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	use_ctx_await(pe, ctx, DOCA_CTX_STATE_IDLE);
}

void fast_end_stop(struct fast_end *end)
{
	ctx_stop(end->pe, end->ctx);
}

void fast_end_close(struct fast_end *end)
{
	fast_end_stop(end);
	if (end->server != NULL)
		OK(doca_comch_server_destroy(end->server));
	else
		OK(doca_comch_client_destroy(end->client));
	OK(doca_pe_destroy(end->pe));
	if (end->rep != NULL)
		OK(doca_dev_rep_close(end->rep));
	OK(doca_dev_close(end->dev));
}

/* --- consumers --- */

static void on_recv(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct fast_sink *sink = ctx_data.ptr;
	void *data = NULL;
	size_t len = 0;

	(void)task_data;
	doca_buf_get_data(buf, &data);
	doca_buf_get_data_len(buf, &len);
	sink->n_recv++;
	sink->n_bytes += len;
	if (sink->look != NULL)
		sink->look(sink, data, len, task);
	if (sink->once) {
		OK(doca_buf_dec_refcount(buf, NULL));
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
		return;
	}
	doca_buf_reset_data_len(buf);
	/* A stopping context refuses the task. */
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) != DOCA_SUCCESS) {
		sink->n_refused++;
		OK(doca_buf_dec_refcount(buf, NULL));
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	}
}

static void on_flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	struct fast_sink *sink = ctx_data.ptr;

	(void)task_data;
	sink->n_flushed++;
	sink->flush_code = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
	OK(doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

void fast_sink_open(struct fast_sink *sink, const struct fast_end *end, struct doca_pe *pe,
		    enum fast_memory memory, uint32_t n_bufs, size_t buf_len)
{
	struct doca_comch_consumer_task_post_recv *task;
	union doca_data data = {.ptr = sink};
	struct doca_buf *buf;
	uint32_t i;
	void *bytes;

	*sink = (struct fast_sink){.memory = memory, .n_bufs = n_bufs, .buf_len = buf_len};
	if (memory == FAST_SHARED)
		OK(dococ_mem_alloc(n_bufs * buf_len, &bytes, NULL));
	else
		bytes = malloc(n_bufs * buf_len);
	ck_assert_ptr_nonnull(bytes);
	sink->bytes = bytes;
	sink->mmap = use_mmap(end->dev, bytes, n_bufs * buf_len, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_buf_inventory_create(n_bufs, &sink->inventory));
	OK(doca_buf_inventory_start(sink->inventory));
	sink->owns_pe = pe == NULL;
	if (pe == NULL)
		OK(doca_pe_create(&pe));
	sink->pe = pe;
	OK(doca_comch_consumer_create(end->conn, sink->mmap, &sink->consumer));
	sink->ctx = doca_comch_consumer_as_ctx(sink->consumer);
	OK(doca_pe_connect_ctx(pe, sink->ctx));
	OK(doca_ctx_set_user_data(sink->ctx, data));
	OK(doca_comch_consumer_task_post_recv_set_conf(sink->consumer, on_recv, on_flushed,
						       n_bufs));
	use_ctx_begin(sink->ctx);
	use_ctx_await(pe, sink->ctx, DOCA_CTX_STATE_RUNNING);
	OK(doca_comch_consumer_get_id(sink->consumer, &sink->id));
	for (i = 0; i < n_bufs; i++) {
		OK(doca_buf_inventory_buf_get_by_addr(sink->inventory, sink->mmap,
						      sink->bytes + i * buf_len, buf_len, &buf));
		OK(doca_comch_consumer_task_post_recv_alloc_init(sink->consumer, buf, &task));
		OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	}
}

void fast_sink_await(struct fast_sink *sink, uint64_t n_recv)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;

	while (sink->n_recv < n_recv) {
		EXPECT_TRUE(clock_now_ns() < deadline, "%llu of %llu messages (%s)",
			    (unsigned long long)sink->n_recv, (unsigned long long)n_recv,
			    dococ_last_error());
		use_progress(sink->pe);
	}
}

void fast_sink_stop(struct fast_sink *sink)
{
	ctx_stop(sink->pe, sink->ctx);
}

void fast_sink_close(struct fast_sink *sink)
{
	OK(doca_comch_consumer_destroy(sink->consumer));
	if (sink->owns_pe)
		OK(doca_pe_destroy(sink->pe));
	OK(doca_buf_inventory_destroy(sink->inventory));
	use_mmap_end(sink->mmap);
	if (sink->memory == FAST_SHARED)
		OK(dococ_mem_free(sink->bytes));
	else
		free(sink->bytes);
}

/* --- producers --- */

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct fast_source *source = ctx_data.ptr;

	(void)task_data;
	source->n_sent++;
	source->idle[source->n_idle++] = task;
}

static void on_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct fast_source *source = ctx_data.ptr;

	(void)task_data;
	source->n_failed++;
	source->idle[source->n_idle++] = task;
}

void fast_source_open(struct fast_source *source, const struct fast_end *end, struct doca_pe *pe,
		      uint32_t n_tasks, size_t len)
{
	union doca_data data = {.ptr = source};
	struct doca_buf *buf;

	*source = (struct fast_source){.len = len, .n_tasks = n_tasks};
	source->bytes = malloc(len);
	source->idle = calloc(n_tasks, sizeof(source->idle[0]));
	ck_assert(source->bytes != NULL && source->idle != NULL);
	use_fill(source->bytes, len, 1);
	source->mmap = use_mmap(end->dev, source->bytes, len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_buf_inventory_create(n_tasks, &source->inventory));
	OK(doca_buf_inventory_start(source->inventory));
	source->owns_pe = pe == NULL;
	if (pe == NULL)
		OK(doca_pe_create(&pe));
	source->pe = pe;
	OK(doca_comch_producer_create(end->conn, &source->producer));
	source->ctx = doca_comch_producer_as_ctx(source->producer);
	OK(doca_pe_connect_ctx(pe, source->ctx));
	OK(doca_ctx_set_user_data(source->ctx, data));
	OK(doca_comch_producer_task_send_set_conf(source->producer, on_sent, on_not_sent, n_tasks));
	OK(doca_ctx_start(source->ctx));
	OK(doca_comch_producer_get_id(source->producer, &source->id));
	for (; source->n_idle < n_tasks; source->n_idle++) {
		OK(doca_buf_inventory_buf_get_by_data(source->inventory, source->mmap,
						      source->bytes, len, &buf));
		OK(doca_comch_producer_task_send_alloc_init(source->producer, buf, NULL, 0, 0,
							    &source->idle[source->n_idle]));
	}
}

doca_error_t fast_send(struct fast_source *source, uint32_t to, size_t at, size_t len,
		       const void *imm, uint32_t imm_len)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;
	doca_error_t result;

	if (source->n_idle == 0)
		return DOCA_ERROR_NO_MEMORY;
	task = source->idle[source->n_idle - 1];
	buf = (struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(task);
	doca_buf_set_data(buf, source->bytes + at, len);
	doca_comch_producer_task_send_set_consumer_id(task, to);
	doca_comch_producer_task_send_set_imm_data(task, (uint8_t *)(uintptr_t)imm, imm_len);
	result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
	if (result == DOCA_SUCCESS)
		source->n_idle--;
	return result;
}

doca_error_t fast_send_retry(struct fast_source *source, uint32_t to, size_t at, size_t len,
			     const void *imm, uint32_t imm_len)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;
	doca_error_t result;

	while ((result = fast_send(source, to, at, len, imm, imm_len)) == DOCA_ERROR_AGAIN ||
	       result == DOCA_ERROR_NO_MEMORY) {
		/*
		 * Tests the condition before asserting: Check writes on every assertion, and traced
		 * programs must make no system call here.
		 */
		if (clock_now_ns() >= deadline)
			ck_abort_msg("%zu bytes are not sent (%s)", len, dococ_last_error());
		doca_pe_progress(source->pe);
	}
	return result;
}

void fast_source_close(struct fast_source *source)
{
	while (source->n_idle < source->n_tasks)
		use_progress(source->pe);
	while (source->n_idle > 0) {
		struct doca_comch_producer_task_send *task = source->idle[--source->n_idle];

		OK(doca_buf_dec_refcount(
			(struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(task),
			NULL));
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	}
	ctx_stop(source->pe, source->ctx);
	OK(doca_comch_producer_destroy(source->producer));
	if (source->owns_pe)
		OK(doca_pe_destroy(source->pe));
	OK(doca_buf_inventory_destroy(source->inventory));
	use_mmap_end(source->mmap);
	free(source->bytes);
	free(source->idle);
}

void fast_sleep(struct doca_pe *pe, int timeout_ms)
{
	doca_notification_handle_t handle;
	struct pollfd pfd;

	OK(doca_pe_get_notification_handle(pe, &handle));
	OK(doca_pe_request_notification(pe));
	pfd = (struct pollfd){.fd = handle, .events = POLLIN};
	EXPECT_TRUE(poll(&pfd, 1, timeout_ms) == 1, "asleep for too long: a wake-up was lost");
	OK(doca_pe_clear_notification(pe, handle));
}

void fast_refuse_writes(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_writev, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = ARRAY_LEN(program), .filter = program};
	char byte = 0, copy;
	struct iovec from = {&byte, 1}, to = {&copy, 1};

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0), 0);
	ck_assert_int_eq(process_vm_readv(getpid(), &to, 1, &from, 1, 0), -1);
	ck_assert_int_eq(errno, EPERM);
	ck_assert_int_eq(process_vm_writev(getpid(), &from, 1, &to, 1, 0), -1);
	ck_assert_int_eq(errno, EPERM);
}
