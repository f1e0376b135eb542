/* See tests/lib/talk.h. */
#include "tests/lib/talk.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/lab.h"
#include "tests/lib/use.h"

#define QUEUE 256u

static struct talk *talk_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct doca_ctx *ctx =
		server != NULL
			? doca_comch_server_as_ctx(server)
			: doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection));
	union doca_data data;

	OK(doca_ctx_get_user_data(ctx, &data));
	return data.ptr;
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct talk *talk = ctx_data.ptr;

	(void)task_data;
	talk->n_sent++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_not_sent(struct doca_comch_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct talk *talk = ctx_data.ptr;

	(void)task_data;
	talk->n_failed++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	struct talk *talk = talk_of(connection);

	(void)event;
	talk->n_received++;
	if (talk->on_message != NULL)
		talk->on_message(talk, connection, bytes, len);
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t is_success)
{
	struct talk *talk = talk_of(connection);

	(void)event;
	/* A connection is given up if a daemon was away for too long. */
	if (!is_success && (talk->ignores_failures || lab_was_late()))
		return;
	ck_assert_msg(is_success, "a client could not connect: %s", dococ_last_error());
	talk->connection = connection;
	talk->n_connected++;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t is_success)
{
	(void)event;
	(void)is_success;
	talk_of(connection)->n_left++;
}

static void on_new_consumer(struct doca_comch_event_consumer *event,
			    struct doca_comch_connection *connection, uint32_t id)
{
	struct talk *talk = talk_of(connection);

	(void)event;
	talk->n_new++;
	if (talk->on_consumer != NULL)
		talk->on_consumer(talk, connection, id);
}

static void on_expired_consumer(struct doca_comch_event_consumer *event,
				struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)id;
	talk_of(connection)->n_expired++;
}

static void talk_init(struct talk *talk, struct doca_pe *pe, uint32_t n_tasks)
{
	talk->pe = pe;
	talk->n_tasks = n_tasks;
	if (talk->msg_max == 0)
		talk->msg_max = TALK_MSG_MAX;
	talk->slots = calloc(n_tasks, talk->msg_max);
	ck_assert_ptr_nonnull(talk->slots);
	OK(doca_pe_connect_ctx(pe, talk->ctx));
	OK(doca_ctx_set_user_data(talk->ctx, (union doca_data){.ptr = talk}));
}

void talk_serve(struct talk *talk, struct doca_pe *pe, struct doca_dev *dev, const char *name,
		uint32_t n_tasks)
{
	struct doca_devinfo_rep **reps;
	uint32_t n_reps;

	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n_reps));
	ck_assert_uint_gt(n_reps, 0);
	OK(doca_dev_rep_open(reps[0], &talk->rep));
	OK(doca_devinfo_rep_destroy_list(reps));
	OK(doca_comch_server_create(dev, talk->rep, name, &talk->server));
	talk->ctx = doca_comch_server_as_ctx(talk->server);
	talk_init(talk, pe, n_tasks);
	OK(doca_comch_server_set_max_msg_size(talk->server, talk->msg_max));
	OK(doca_comch_server_set_recv_queue_size(talk->server, QUEUE));
	OK(doca_comch_server_task_send_set_conf(talk->server, on_sent, on_not_sent, n_tasks));
	OK(doca_comch_server_event_msg_recv_register(talk->server, on_message));
	OK(doca_comch_server_event_consumer_register(talk->server, on_new_consumer,
						     on_expired_consumer));
	OK(doca_comch_server_event_connection_status_changed_register(talk->server, on_connect,
								      on_disconnect));
	OK(doca_ctx_start(talk->ctx));
}

void talk_connect(struct talk *talk, struct doca_pe *pe, struct doca_dev *dev, const char *name,
		  uint32_t n_tasks)
{
	OK(doca_comch_client_create(dev, name, &talk->client));
	talk->ctx = doca_comch_client_as_ctx(talk->client);
	talk_init(talk, pe, n_tasks);
	OK(doca_comch_client_set_max_msg_size(talk->client, talk->msg_max));
	OK(doca_comch_client_set_recv_queue_size(talk->client, QUEUE));
	OK(doca_comch_client_task_send_set_conf(talk->client, on_sent, on_not_sent, n_tasks));
	OK(doca_comch_client_event_msg_recv_register(talk->client, on_message));
	OK(doca_comch_client_event_consumer_register(talk->client, on_new_consumer,
						     on_expired_consumer));
	use_ctx_begin(talk->ctx);
}

void talk_connected(struct talk *talk)
{
	OK(doca_comch_client_get_connection(talk->client, &talk->connection));
}

doca_error_t talk_try_send(struct talk *talk, struct doca_comch_connection *connection,
			   const void *bytes, uint32_t len)
{
	uint8_t *slot = talk->slots + talk->n_submitted % talk->n_tasks * talk->msg_max;
	struct doca_comch_task_send *task;
	doca_error_t result;

	EXPECT_TRUE(len <= talk->msg_max, "%u bytes", len);
	/* Tasks complete in order, so a slot is free if fewer than n_tasks are in flight. */
	if (talk->n_submitted - talk->n_sent - talk->n_failed == talk->n_tasks)
		return DOCA_ERROR_AGAIN;
	memcpy(slot, bytes, len);
	result = talk->server != NULL
			 ? doca_comch_server_task_send_alloc_init(talk->server, connection, slot,
								  len, &task)
			 : doca_comch_client_task_send_alloc_init(talk->client, connection, slot,
								  len, &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result == DOCA_SUCCESS)
		talk->n_submitted++;
	else
		doca_task_free(doca_comch_task_send_as_task(task));
	return result;
}

bool talk_send(struct talk *talk, struct doca_comch_connection *connection, const void *bytes,
	       uint32_t len)
{
	doca_error_t result = talk_try_send(talk, connection, bytes, len);

	if (result != DOCA_ERROR_AGAIN)
		OK(result);
	return result == DOCA_SUCCESS;
}

void talk_end(struct talk *talk)
{
	doca_error_t result = doca_ctx_stop(talk->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	use_ctx_await(talk->pe, talk->ctx, DOCA_CTX_STATE_IDLE);
	if (talk->server != NULL)
		OK(doca_comch_server_destroy(talk->server));
	else
		OK(doca_comch_client_destroy(talk->client));
	if (talk->rep != NULL)
		OK(doca_dev_rep_close(talk->rep));
	free(talk->slots);
}
