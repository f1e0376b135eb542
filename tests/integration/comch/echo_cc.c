/*
 * The conversation of echo.h by programs of DOCA 2.5 and 2.6: doca_cc, a progress engine and
 * callbacks. The versions differ in names of tasks, in types, and in how tasks are counted.
 */
#include <string.h>

#include <doca_cc.h>
#include <doca_ctx.h>
#include <doca_pe.h>

#include "tests/integration/comch/echo.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"

#define N_TASKS_LOG 6

#if DOCA_USE_VERSION == 205
#define doca_cc_task_send                   doca_cc_send_task
#define doca_cc_task_send_as_task           doca_cc_send_task_as_task
#define doca_cc_server_task_send_alloc_init doca_cc_server_send_task_alloc_init
#define doca_cc_client_task_send_alloc_init doca_cc_client_send_task_alloc_init
#define doca_cc_server_task_send_set_conf   doca_cc_server_send_task_set_conf
#define doca_cc_client_task_send_set_conf   doca_cc_client_send_task_set_conf
#define N_TASKS_CONF                        N_TASKS_LOG
typedef size_t size_type;
typedef bool truth_type;
#else
#define N_TASKS_CONF (1 << N_TASKS_LOG)
typedef uint32_t size_type;
typedef uint8_t truth_type;
#endif

struct speaker {
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_cc_server *server;
	struct doca_cc_client *client;
	unsigned n_answered, n_asked, n_sent, n_left;
	bool is_over;
	uint8_t slots[1 << N_TASKS_LOG][ECHO_MAX];
	/* Replies for which there was no room yet. */
	struct doca_cc_connection *connection;
	unsigned n_due, n_delivered;
	struct {
		uint8_t bytes[ECHO_MAX];
		size_t len;
	} due[ECHO_WINDOW];
};

static struct speaker *speaker_of(struct doca_cc_connection *connection)
{
	return doca_cc_connection_get_user_data(connection).ptr;
}

static void done(struct doca_cc_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct speaker *speaker = ctx_data.ptr;

	(void)task_data;
	speaker->n_sent++;
	doca_task_free(doca_cc_task_send_as_task(task));
}

static void failed(struct doca_cc_task_send *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
	ck_abort_msg("a message was not sent: %s", dococ_last_error());
}

static bool send_msg(struct speaker *speaker, struct doca_cc_connection *connection,
		     const uint8_t *bytes, size_t len)
{
	uint8_t *slot = speaker->slots[speaker->n_asked % ARRAY_LEN(speaker->slots)];
	struct doca_cc_task_send *task;
	doca_error_t result;

	if (speaker->n_asked - speaker->n_sent == ARRAY_LEN(speaker->slots))
		return false;
	memcpy(slot, bytes, len);
	OK(speaker->server != NULL
		   ? doca_cc_server_task_send_alloc_init(speaker->server, connection, slot,
							 (size_type)len, &task)
		   : doca_cc_client_task_send_alloc_init(speaker->client, connection, slot,
							 (size_type)len, &task));
	result = doca_task_submit(doca_cc_task_send_as_task(task));
	if (result == DOCA_ERROR_AGAIN) {
		doca_task_free(doca_cc_task_send_as_task(task));
		return false;
	}
	OK(result);
	speaker->n_asked++;
	return true;
}

static void answer(struct speaker *speaker)
{
	while (speaker->n_delivered != speaker->n_due) {
		unsigned i = speaker->n_delivered % ARRAY_LEN(speaker->due);

		if (!send_msg(speaker, speaker->connection, speaker->due[i].bytes,
			      speaker->due[i].len))
			return;
		speaker->n_delivered++;
	}
}

static void server_received(struct doca_cc_event_msg_recv *event, uint8_t *bytes, size_type len,
			    struct doca_cc_connection *connection)
{
	struct speaker *speaker = speaker_of(connection);
	unsigned i = speaker->n_due % ARRAY_LEN(speaker->due);

	(void)event;
	ck_assert_uint_le(len, ECHO_MAX);
	ck_assert_uint_lt(speaker->n_due - speaker->n_delivered, ARRAY_LEN(speaker->due));
	memcpy(speaker->due[i].bytes, bytes, len);
	speaker->due[i].len = len;
	speaker->n_due++;
	speaker->connection = connection;
	answer(speaker);
	speaker->is_over |= echo_is(bytes, len, ECHO_N);
}

static void client_received(struct doca_cc_event_msg_recv *event, uint8_t *bytes, size_type len,
			    struct doca_cc_connection *connection)
{
	struct speaker *speaker = speaker_of(connection);

	(void)event;
	ck_assert(echo_is(bytes, len, speaker->n_answered));
	speaker->n_answered++;
}

static void connected(struct doca_cc_event_connection_status_changed *event,
		      struct doca_cc_connection *connection, truth_type is_success)
{
	union doca_data data;

	(void)event;
	ck_assert(is_success);
	OK(doca_ctx_get_user_data(doca_cc_server_as_ctx(doca_cc_server_get_server_ctx(connection)),
				  &data));
	OK(doca_cc_connection_set_user_data(connection, data));
}

static void on_connection_ended(struct doca_cc_event_connection_status_changed *event,
				struct doca_cc_connection *connection, truth_type is_success)
{
	(void)event;
	(void)is_success;
	speaker_of(connection)->n_left++;
}

static void await_state(struct speaker *speaker, enum doca_ctx_states state)
{
	enum doca_ctx_states now;

	do {
		use_progress(speaker->pe);
		OK(doca_ctx_get_state(speaker->ctx, &now));
	} while (now != state);
}

static void start_ctx(struct speaker *speaker, struct doca_ctx *ctx)
{
	speaker->ctx = ctx;
	OK(doca_pe_create(&speaker->pe));
	OK(doca_pe_connect_ctx(speaker->pe, ctx));
	OK(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = speaker}));
}

static void end(struct speaker *speaker)
{
	doca_error_t result = doca_ctx_stop(speaker->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	await_state(speaker, DOCA_CTX_STATE_IDLE);
	if (speaker->server != NULL)
		OK(doca_cc_server_destroy(speaker->server));
	else
		OK(doca_cc_client_destroy(speaker->client));
	OK(doca_pe_destroy(speaker->pe));
}

static void serve(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0), *same;
	struct doca_dev_rep *rep = use_rep(dev), *same_rep;
	struct speaker speaker = {0};
	size_type size;

	(void)arg;
	OK(doca_cc_server_create(dev, rep, ECHO_SERVICE, &speaker.server));
	start_ctx(&speaker, doca_cc_server_as_ctx(speaker.server));
	OK(doca_cc_server_set_max_msg_size(speaker.server, ECHO_MAX));
	OK(doca_cc_server_get_max_msg_size(speaker.server, &size));
	ck_assert_uint_eq(size, ECHO_MAX);
	OK(doca_cc_server_get_device(speaker.server, &same));
	ck_assert_ptr_eq(same, dev);
	OK(doca_cc_server_get_device_repr(speaker.server, &same_rep));
	ck_assert_ptr_eq(same_rep, rep);
	OK(doca_cc_server_task_send_set_conf(speaker.server, done, failed, N_TASKS_CONF));
	OK(doca_cc_server_event_msg_recv_register(speaker.server, server_received));
	OK(doca_cc_server_event_connection_register(speaker.server, connected,
						    on_connection_ended));
	OK(doca_ctx_start(speaker.ctx));
	lab_signal(sock);
	while (!speaker.is_over || speaker.n_left == 0) {
		use_progress(speaker.pe);
		answer(&speaker);
	}
	end(&speaker);
	use_rep_end(rep);
	use_dev_end(dev);
}

static void ask(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_cc_connection *connection;
	struct speaker speaker = {0};
	uint64_t n;

	(void)sock;
	(void)arg;
	OK(doca_cc_client_create(dev, ECHO_SERVICE, &speaker.client));
	start_ctx(&speaker, doca_cc_client_as_ctx(speaker.client));
	OK(doca_cc_client_set_max_msg_size(speaker.client, ECHO_MAX));
	OK(doca_cc_client_task_send_set_conf(speaker.client, done, failed, N_TASKS_CONF));
	OK(doca_cc_client_event_msg_recv_register(speaker.client, client_received));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(speaker.ctx));
	await_state(&speaker, DOCA_CTX_STATE_RUNNING);
	OK(doca_cc_client_get_connection(speaker.client, &connection));
	OK(doca_cc_connection_set_user_data(connection, (union doca_data){.ptr = &speaker}));
	while (speaker.n_answered <= ECHO_N) {
		uint8_t msg[ECHO_MAX];

		if (speaker.n_asked <= ECHO_N && speaker.n_asked - speaker.n_answered < ECHO_WINDOW)
			(void)send_msg(&speaker, connection, msg, echo_make(msg, speaker.n_asked));
		use_progress(speaker.pe);
	}
	(void)doca_cc_connection_update_info(connection);
	OK(doca_cc_connection_get_counter(connection, DOCA_CC_COUNTER_RECV_MESSAGES, &n));
	ck_assert_uint_eq(n, ECHO_N + 1);
	end(&speaker);
	use_dev_end(dev);
}

const struct echo_role VERSIONED(echo_cc_) = {"doca_cc", DOCA_USE_VERSION, serve, ask};
