/* See ends.h. */
#include <poll.h>

#include "tests/unit/client/comch/ends.h"

struct end *end_of(const struct doca_comch_connection *conn)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(conn);
	struct doca_ctx *ctx =
		server != NULL ? doca_comch_server_as_ctx(server)
			       : doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(conn));
	union doca_data data;

	ck_assert_int_eq(doca_ctx_get_user_data(ctx, &data), DOCA_SUCCESS);
	return data.ptr;
}

doca_error_t send_msg(struct end *end, struct doca_comch_connection *conn, const void *msg,
		      uint32_t len)
{
	struct doca_comch_task_send *task;
	doca_error_t result;

	result = end->server != NULL ? doca_comch_server_task_send_alloc_init(end->server, conn,
									      msg, len, &task)
				     : doca_comch_client_task_send_alloc_init(end->client, conn,
									      msg, len, &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
	return result;
}

void on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)task_data;
	end->n_sent++;
	doca_task_free(doca_comch_task_send_as_task(task));
	if (end->stop_on_sent)
		doca_ctx_stop(end->ctx);
}

void on_send_error(struct doca_comch_task_send *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)task_data;
	end->n_send_errors++;
	end->send_error = doca_task_get_status(doca_comch_task_send_as_task(task));
	ck_assert_int_ne(end->send_error, DOCA_SUCCESS);
	doca_task_free(doca_comch_task_send_as_task(task));
}

void on_recv(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
	     struct doca_comch_connection *conn)
{
	struct end *end = end_of(conn);

	ck_assert_ptr_nonnull(event);
	end->n_recv++;
	end->last_len = len;
	memcpy(end->last, buf, MIN(len, (uint32_t)sizeof(end->last)));
	if (end->echo)
		ck_assert_int_eq(send_msg(end, conn, buf, len), DOCA_SUCCESS);
	if (end->disconnect_on_recv)
		ck_assert_int_eq(doca_comch_server_disconnect(end->server, conn), DOCA_SUCCESS);
	if (end->stop_on_recv)
		ck_assert_int_eq(doca_ctx_stop(end->ctx), DOCA_ERROR_IN_PROGRESS);
}

void on_connect(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *conn, uint8_t ok)
{
	struct end *end = end_of(conn);

	ck_assert_ptr_nonnull(event);
	if (!ok) {
		end->n_failed_connects++;
		ck_assert_int_eq(send_msg(end, conn, "x", 1), DOCA_ERROR_INVALID_VALUE);
		return;
	}
	end->n_connects++;
	end->conn = conn;
	if (end->reject) {
		ck_assert_int_eq(doca_comch_server_disconnect(end->server, conn), DOCA_SUCCESS);
		ck_assert_int_eq(doca_comch_server_disconnect(end->server, conn), DOCA_SUCCESS);
	}
}

void on_disconnect(struct doca_comch_event_connection_status_changed *event,
		   struct doca_comch_connection *conn, uint8_t ok)
{
	struct end *end = end_of(conn);

	ck_assert_ptr_nonnull(event);
	ck_assert_uint_eq(ok, 1);
	end->n_disconnects++;
	end->n_expired_at_end = end->n_expired;
	end->info_at_disconnect = doca_comch_connection_update_info(conn);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
		     enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct end *end = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING)
		end->n_running++;
	if (next != DOCA_CTX_STATE_IDLE)
		return;
	end->n_idle++;
	if (end->client != NULL)
		end->n_expired_at_end = end->n_expired;
	if (end->destroy_on_idle) {
		ck_assert_int_eq(end->server != NULL ? doca_comch_server_destroy(end->server)
						     : doca_comch_client_destroy(end->client),
				 DOCA_SUCCESS);
		end->destroyed = true;
	}
}

void on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		 uint32_t id)
{
	(void)event;
	(void)conn;
	(void)id;
}

static void on_new_consumer(struct doca_comch_event_consumer *event,
			    struct doca_comch_connection *conn, uint32_t id)
{
	struct end *end = end_of(conn);

	ck_assert_ptr_nonnull(event);
	end->n_new++;
	end->last_new = id;
	ck_assert_uint_lt(end->n_history, ARRAY_LEN(end->history));
	end->history[end->n_history++] = id;
}

static void on_expired_consumer(struct doca_comch_event_consumer *event,
				struct doca_comch_connection *conn, uint32_t id)
{
	struct end *end = end_of(conn);

	ck_assert_ptr_nonnull(event);
	end->n_expired++;
	end->last_expired = id;
	ck_assert_uint_lt(end->n_history, ARRAY_LEN(end->history));
	end->history[end->n_history++] = id | EXPIRED;
	ck_assert_uint_lt(id, 32);
	ck_assert_uint_eq(end->expired_ids & 1u << id, 0);
	end->expired_ids |= 1u << id;
	if (end->disconnect_on_expired)
		ck_assert_int_eq(doca_comch_server_disconnect(end->server, conn), DOCA_SUCCESS);
	if (end->stop_on_expired)
		ck_assert_int_eq(doca_ctx_stop(end->ctx), DOCA_ERROR_IN_PROGRESS);
}

static void end_attach(struct end *end)
{
	union doca_data data = {.ptr = end};

	ck_assert_int_eq(doca_pe_create(&end->pe), DOCA_SUCCESS);
	ck_assert_int_eq(doca_pe_connect_ctx(end->pe, end->ctx), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_set_user_data(end->ctx, data), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_set_state_changed_cb(end->ctx, on_state), DOCA_SUCCESS);
}

void server_make(struct end *end, const char *name)
{
	*end = (struct end){0};
	ck_assert_int_eq(doca_comch_server_create(&fake_dpu, &fake_rep, name, &end->server),
			 DOCA_SUCCESS);
	end->ctx = doca_comch_server_as_ctx(end->server);
	end_attach(end);
	ck_assert_int_eq(
		doca_comch_server_task_send_set_conf(end->server, on_sent, on_send_error, N_TASKS),
		DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_server_event_msg_recv_register(end->server, on_recv),
			 DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_server_event_consumer_register(end->server, on_new_consumer,
								   on_expired_consumer),
			 DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_server_event_connection_status_changed_register(
				 end->server, on_connect, on_disconnect),
			 DOCA_SUCCESS);
}

void client_make(struct end *end, const char *name)
{
	*end = (struct end){0};
	ck_assert_int_eq(doca_comch_client_create(&fake_host, name, &end->client), DOCA_SUCCESS);
	end->ctx = doca_comch_client_as_ctx(end->client);
	end_attach(end);
	ck_assert_int_eq(
		doca_comch_client_task_send_set_conf(end->client, on_sent, on_send_error, N_TASKS),
		DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_client_event_msg_recv_register(end->client, on_recv),
			 DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_client_event_consumer_register(end->client, on_new_consumer,
								   on_expired_consumer),
			 DOCA_SUCCESS);
}

void server_start(struct end *end)
{
	ck_assert_int_eq(doca_ctx_start(end->ctx), DOCA_SUCCESS);
}

unsigned progress(struct end *end)
{
	unsigned n = 0, quiet = 0;

	/*
	 * Closing is checked at intervals, so a few empty polls are needed before the work is done.
	 */
	while (quiet < 3 * COMCH_CLOSE_CHECK) {
		if (doca_pe_progress(end->pe)) {
			quiet = 0;
			n++;
		} else {
			quiet++;
		}
	}
	return n;
}

void progress_until(struct end *end, const unsigned *counter, unsigned n)
{
	while (*counter < n)
		doca_pe_progress(end->pe);
	progress(end);
	ck_assert_uint_eq(*counter, n);
}

void progress_both(struct end *a, struct end *b)
{
	while (progress(a) + progress(b) > 0)
		;
}

void client_connect(struct end *client, struct end *server)
{
	ck_assert_int_eq(doca_ctx_start(client->ctx), DOCA_ERROR_IN_PROGRESS);
	progress_both(server, client);
	ck_assert_uint_eq(client->n_running, 1);
	ck_assert_int_eq(doca_comch_client_get_connection(client->client, &client->conn),
			 DOCA_SUCCESS);
}

void end_stop(struct end *end)
{
	doca_error_t result = doca_ctx_stop(end->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	progress(end);
	ck_assert_uint_ge(end->n_idle, 1);
}

void end_free(struct end *end)
{
	if (!end->destroyed)
		ck_assert_int_eq(end->server != NULL ? doca_comch_server_destroy(end->server)
						     : doca_comch_client_destroy(end->client),
				 DOCA_SUCCESS);
	ck_assert_int_eq(doca_pe_destroy(end->pe), DOCA_SUCCESS);
}

static size_t n_fds_before;

void set_up(void)
{
	n_fds_before = unit_n_fds();
}

void tear_down(void)
{
	fake_deinit();
	ck_assert_uint_eq(unit_n_fds(), n_fds_before);
	ck_assert_uint_eq(fake_dpu.n_users, 0);
	ck_assert_uint_eq(fake_host.n_users, 0);
	ck_assert_uint_eq(fake_rep.n_users, 0);
}

bool wakes(struct end *end, int timeout_ms)
{
	doca_notification_handle_t handle;
	struct pollfd pfd;

	ck_assert_int_eq(doca_pe_get_notification_handle(end->pe, &handle), DOCA_SUCCESS);
	pfd = (struct pollfd){.fd = handle, .events = POLLIN};
	return poll(&pfd, 1, timeout_ms) > 0;
}

void go_to_sleep(struct end *end)
{
	unsigned n = 0;

	/* Arming may find an event that progress has to handle first. */
	do {
		ck_assert_uint_lt(n++, 10);
		progress(end);
		ck_assert_int_eq(doca_pe_request_notification(end->pe), DOCA_SUCCESS);
	} while (wakes(end, 0));
}

void wake_up(struct end *end)
{
	ck_assert(wakes(end, 5000));
	ck_assert_int_eq(doca_pe_clear_notification(end->pe, 0), DOCA_SUCCESS);
	progress(end);
}
