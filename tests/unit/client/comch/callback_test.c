/*
 * Actions that programs take in their callbacks: stop, destroy, start again, free, send,
 * disconnect, in each callback of servers, clients, consumers, producers and their tasks. One
 * scenario passes through all of these callbacks. In each run, one callback takes one action when
 * it is called for the first time. Results of calls are ignored, as such programs do. At the end
 * all contexts must become idle and be destroyed with all their resources, and no run may hang.
 *
 * Both ends are in this process, with simulated daemons between them, on one progress engine or on
 * two.
 */
#include "client/comch/comch.h"
#include "tests/unit/client/comch/fast_ends.h"

#define N_RECEIVES 4u
#define BUF_LEN    256u

enum where {
	ON_CONNECT,
	ON_DISCONNECT,
	ON_MESSAGE,
	ON_NEW,
	ON_EXPIRED,
	ON_SENT,
	ON_NOT_SENT,
	ON_RECEIVED,
	ON_FLUSHED,
	ON_DELIVERED,
	/* State callbacks of the end, the consumer and the producer, with four states each. */
	ON_END_STATE,
	ON_SINK_STATE = ON_END_STATE + 4,
	ON_SOURCE_STATE = ON_SINK_STATE + 4,
	N_WHERE = ON_SOURCE_STATE + 4,
};

enum what {
	DO_NOTHING,
	STOP_OWN,
	STOP_ALL,
	STOP_ALL_END_FIRST,
	DESTROY_OWN,
	STOP_AND_DESTROY_ALL,
	START_OWN,
	DISCONNECT,
	DISCONNECT_AND_STOP,
	FREE_TASK,
	FREE_TASK_TWICE,
	SUBMIT_TASK,
	SEND,
	MAKE_ANOTHER,
	PROGRESS,
	DESTROY_PE,
	N_WHAT,
};

enum object { END, SINK, SOURCE, N_OBJECTS };

struct side {
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *conn; /* NULL: none, or its end was reported */
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_comch_producer *another;
	struct doca_ctx *ctxs[N_OBJECTS]; /* NULL: destroyed, or not created yet */
	struct memory memory;
	uint32_t peer_consumer;
	bool has_connected, is_received;
};

static struct side sides[2]; /* the server's and the client's */
static struct {
	enum where where;
	enum what what;
	unsigned side;
	bool is_done;
	unsigned n_called[2][N_WHERE];
} plan;

/* --- actions --- */

static doca_error_t side_destroy(struct side *side, enum object object)
{
	doca_error_t result;

	if (side->ctxs[object] == NULL)
		return DOCA_SUCCESS;
	if (object == SINK)
		result = doca_comch_consumer_destroy(side->consumer);
	else if (object == SOURCE)
		result = doca_comch_producer_destroy(side->producer);
	else
		result = side->server != NULL ? doca_comch_server_destroy(side->server)
					      : doca_comch_client_destroy(side->client);
	if (result == DOCA_SUCCESS)
		side->ctxs[object] = NULL;
	return result;
}

static void side_stop(struct side *side, enum object object)
{
	if (side->ctxs[object] != NULL)
		(void)doca_ctx_stop(side->ctxs[object]);
}

static void side_send(struct side *side)
{
	struct doca_comch_task_send *task;
	doca_error_t result;

	if (side->conn == NULL || side->ctxs[END] == NULL)
		return;
	result = side->server != NULL
			 ? doca_comch_server_task_send_alloc_init(side->server, side->conn, "hello",
								  5, &task)
			 : doca_comch_client_task_send_alloc_init(side->client, side->conn, "hello",
								  5, &task);
	if (result == DOCA_SUCCESS &&
	    doca_task_submit(doca_comch_task_send_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
}

/* Creates and starts a producer, and ignores it until the end. */
static void side_make_another(struct side *side)
{
	if (side->conn == NULL || side->another != NULL)
		return;
	if (doca_comch_producer_create(side->conn, &side->another) != DOCA_SUCCESS) {
		side->another = NULL;
		return;
	}
	(void)doca_pe_connect_ctx(side->pe, doca_comch_producer_as_ctx(side->another));
	(void)doca_ctx_start(doca_comch_producer_as_ctx(side->another));
}

static void stop_all(struct side *side, bool end_first)
{
	static const enum object orders[2][N_OBJECTS] = {{SINK, SOURCE, END}, {END, SOURCE, SINK}};

	for (size_t i = 0; i < N_OBJECTS; i++)
		side_stop(side, orders[end_first][i]);
}

static void side_disconnect(struct side *side)
{
	if (side->server != NULL && side->conn != NULL &&
	    doca_comch_server_disconnect(side->server, side->conn) == DOCA_SUCCESS)
		side->conn = NULL;
}

static void perform(struct side *side, enum object object, struct doca_task *task)
{
	switch (plan.what) {
	case STOP_OWN:
		side_stop(side, object);
		break;
	case STOP_ALL:
	case STOP_ALL_END_FIRST:
		stop_all(side, plan.what == STOP_ALL_END_FIRST);
		break;
	case DESTROY_OWN:
		(void)side_destroy(side, object);
		break;
	case STOP_AND_DESTROY_ALL:
		stop_all(side, false);
		for (size_t i = 0; i < N_OBJECTS; i++)
			(void)side_destroy(side, (enum object)i);
		break;
	case START_OWN:
		(void)doca_ctx_start(side->ctxs[object]);
		break;
	case DISCONNECT:
	case DISCONNECT_AND_STOP:
		side_disconnect(side);
		if (plan.what == DISCONNECT_AND_STOP)
			side_stop(side, END);
		break;
	case FREE_TASK_TWICE:
		if (task != NULL)
			doca_task_free(task);
		break;
	case SEND:
		side_send(side);
		break;
	case MAKE_ANOTHER:
		side_make_another(side);
		break;
	case PROGRESS:
		/* start and stop also call the state callback. */
		if (side->pe->flags & PE_IN_PROGRESS)
			ck_assert_uint_eq(doca_pe_progress(side->pe), 0);
		else
			(void)doca_pe_progress(side->pe);
		break;
	case DESTROY_PE:
		ck_assert_int_eq(doca_pe_destroy(side->pe), DOCA_ERROR_IN_USE);
		break;
	default:
		break;
	}
}

/* Called in a callback. Returns false if the callback no longer owns its task. */
static bool called(enum where where, struct side *side, enum object object, struct doca_task *task)
{
	unsigned index = (unsigned)(side - sides);

	plan.n_called[index][where]++;
	if (plan.is_done || plan.where != where || plan.side != index)
		return true;
	plan.is_done = true;
	if (task != NULL && (plan.what == FREE_TASK || plan.what == FREE_TASK_TWICE)) {
		doca_task_free(task);
		perform(side, object, task);
		return false;
	}
	if (task != NULL && plan.what == SUBMIT_TASK)
		return doca_task_submit(task) != DOCA_SUCCESS;
	perform(side, object, task);
	return true;
}

/* --- callbacks --- */

static struct side *side_of(const struct doca_comch_connection *conn)
{
	return &sides[doca_comch_server_get_server_ctx(conn) == NULL];
}

static void on_connected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *conn, uint8_t ok)
{
	struct side *side = side_of(conn);

	(void)event;
	ck_assert_uint_eq(ok, 1);
	side->conn = conn;
	side->has_connected = true;
	(void)called(ON_CONNECT, side, END, NULL);
}

static void on_disconnected(struct doca_comch_event_connection_status_changed *event,
			    struct doca_comch_connection *conn, uint8_t ok)
{
	struct side *side = side_of(conn);

	(void)event;
	(void)ok;
	side_send(side);
	(void)called(ON_DISCONNECT, side, END, NULL);
	side->conn = NULL;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *conn)
{
	(void)event;
	ck_assert_uint_eq(len, 5);
	ck_assert_mem_eq(bytes, "hello", 5);
	(void)called(ON_MESSAGE, side_of(conn), END, NULL);
}

static void on_consumer_new(struct doca_comch_event_consumer *event,
			    struct doca_comch_connection *conn, uint32_t id)
{
	struct side *side = side_of(conn);

	(void)event;
	side->peer_consumer = id;
	(void)called(ON_NEW, side, END, NULL);
}

static void on_consumer_expired(struct doca_comch_event_consumer *event,
				struct doca_comch_connection *conn, uint32_t id)
{
	(void)event;
	(void)id;
	/*
	 * If the consumer ended with the connection, this message goes to a peer that has
	 * disconnected.
	 */
	side_send(side_of(conn));
	(void)called(ON_EXPIRED, side_of(conn), END, NULL);
}

static void on_send_ok(struct doca_comch_task_send *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task_data;
	if (called(ON_SENT, ctx_data.ptr, END, doca_comch_task_send_as_task(task)))
		doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_send_failed(struct doca_comch_task_send *task, union doca_data task_data,
			   union doca_data ctx_data)
{
	(void)task_data;
	if (called(ON_NOT_SENT, ctx_data.ptr, END, doca_comch_task_send_as_task(task)))
		doca_task_free(doca_comch_task_send_as_task(task));
}

static void receive_end(struct doca_comch_consumer_task_post_recv *task, union doca_data ctx_data,
			enum where where)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);

	if (!called(where, ctx_data.ptr, SINK, doca_comch_consumer_task_post_recv_as_task(task))) {
		/* A task that was submitted again needs the buffer, and releases it here. */
		if (plan.what == FREE_TASK || plan.what == FREE_TASK_TWICE)
			ck_assert_int_eq(doca_buf_dec_refcount(buf, NULL), DOCA_SUCCESS);
		return;
	}
	ck_assert_int_eq(doca_buf_dec_refcount(buf, NULL), DOCA_SUCCESS);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data;
	receive_end(task, ctx_data, ON_RECEIVED);
}

static void on_flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task_data;
	receive_end(task, ctx_data, ON_FLUSHED);
}

static void on_delivered(struct doca_comch_producer_task_send *task, union doca_data task_data,
			 union doca_data ctx_data)
{
	(void)task_data;
	if (called(ON_DELIVERED, ctx_data.ptr, SOURCE, doca_comch_producer_task_send_as_task(task)))
		doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void on_state_of(const union doca_data user_data, struct doca_ctx *ctx,
			enum doca_ctx_states prev, enum doca_ctx_states next)
{
	static const enum where first[] = {ON_END_STATE, ON_SINK_STATE, ON_SOURCE_STATE};
	struct side *side = user_data.ptr;

	(void)prev;
	for (size_t i = 0; i < N_OBJECTS; i++) {
		if (side->ctxs[i] != ctx)
			continue;
		if (i == END && side->client != NULL && next == DOCA_CTX_STATE_RUNNING) {
			(void)doca_comch_client_get_connection(side->client, &side->conn);
			side->has_connected = true;
		}
		if (i == END && next == DOCA_CTX_STATE_IDLE)
			side->conn = NULL;
		(void)called((enum where)(first[i] + next), side, (enum object)i, NULL);
		return;
	}
}

/* --- the scenario --- */

static void side_attach(struct side *side, enum object object, struct doca_ctx *ctx)
{
	union doca_data data = {.ptr = side};

	side->ctxs[object] = ctx;
	ck_assert_int_eq(doca_pe_connect_ctx(side->pe, ctx), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_set_user_data(ctx, data), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_set_state_changed_cb(ctx, on_state_of), DOCA_SUCCESS);
}

static void make_server(struct side *side)
{
	ck_assert_int_eq(doca_comch_server_create(&fake_dpu, &fake_rep, "callbacks", &side->server),
			 DOCA_SUCCESS);
	side_attach(side, END, doca_comch_server_as_ctx(side->server));
	ck_assert_int_eq(
		doca_comch_server_task_send_set_conf(side->server, on_send_ok, on_send_failed, 4),
		DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_server_event_msg_recv_register(side->server, on_message),
			 DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_server_event_consumer_register(side->server, on_consumer_new,
								   on_consumer_expired),
			 DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_server_event_connection_status_changed_register(
				 side->server, on_connected, on_disconnected),
			 DOCA_SUCCESS);
}

static void make_client(struct side *side)
{
	ck_assert_int_eq(doca_comch_client_create(&fake_host, "callbacks", &side->client),
			 DOCA_SUCCESS);
	side_attach(side, END, doca_comch_client_as_ctx(side->client));
	ck_assert_int_eq(
		doca_comch_client_task_send_set_conf(side->client, on_send_ok, on_send_failed, 4),
		DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_client_event_msg_recv_register(side->client, on_message),
			 DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_client_event_consumer_register(side->client, on_consumer_new,
								   on_consumer_expired),
			 DOCA_SUCCESS);
}

/* Progresses until nothing happens on either engine. */
static void run(void)
{
	unsigned quiet = 0;

	while (quiet < 4 * COMCH_CLOSE_CHECK)
		quiet = doca_pe_progress(sides[0].pe) + doca_pe_progress(sides[1].pe) == 0
				? quiet + 1
				: 0;
}

static void make_members(struct side *side)
{
	if (side->conn == NULL)
		return;
	if (doca_comch_consumer_create(side->conn, side->memory.mmap, &side->consumer) ==
	    DOCA_SUCCESS) {
		side_attach(side, SINK, doca_comch_consumer_as_ctx(side->consumer));
		ck_assert_int_eq(doca_comch_consumer_task_post_recv_set_conf(
					 side->consumer, on_received, on_flushed, N_RECEIVES),
				 DOCA_SUCCESS);
		(void)doca_ctx_start(side->ctxs[SINK]);
	}
	if (side->conn != NULL &&
	    doca_comch_producer_create(side->conn, &side->producer) == DOCA_SUCCESS) {
		side_attach(side, SOURCE, doca_comch_producer_as_ctx(side->producer));
		ck_assert_int_eq(doca_comch_producer_task_send_set_conf(
					 side->producer, on_delivered, on_delivered, 4),
				 DOCA_SUCCESS);
		(void)doca_ctx_start(side->ctxs[SOURCE]);
	}
}

static void post_receives(struct side *side)
{
	for (unsigned i = 0; i < N_RECEIVES && side->ctxs[SINK] != NULL; i++) {
		struct doca_buf *buf = memory_buf(&side->memory, i * BUF_LEN, BUF_LEN, 0);
		struct doca_comch_consumer_task_post_recv *task;
		doca_error_t result;

		result = doca_comch_consumer_task_post_recv_alloc_init(side->consumer, buf, &task);
		if (result == DOCA_SUCCESS) {
			result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
			if (result != DOCA_SUCCESS)
				doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
		}
		if (result != DOCA_SUCCESS)
			ck_assert_int_eq(doca_buf_dec_refcount(buf, NULL), DOCA_SUCCESS);
	}
}

static void produce(struct side *side)
{
	struct doca_comch_producer_task_send *task;

	if (side->ctxs[SOURCE] == NULL || side->peer_consumer == 0)
		return;
	if (doca_comch_producer_task_send_alloc_init(side->producer, NULL, (uint8_t *)"now", 3,
						     side->peer_consumer, &task) != DOCA_SUCCESS)
		return;
	if (doca_task_submit(doca_comch_producer_task_send_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static bool is_idle(const struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	if (ctx != NULL)
		ck_assert_int_eq(doca_ctx_get_state(ctx, &state), DOCA_SUCCESS);
	return state == DOCA_CTX_STATE_IDLE;
}

static bool side_is_idle(struct side *side)
{
	bool idle = side->another == NULL || is_idle(doca_comch_producer_as_ctx(side->another));

	for (size_t i = 0; i < N_OBJECTS; i++)
		idle = idle && is_idle(side->ctxs[i]);
	return idle;
}

/*
 * Stops the side with messages in flight; the test's limit is the time limit. A context that a
 * callback restarted is stopped again.
 */
static void side_end(struct side *side)
{
	produce(side);
	while (!side_is_idle(side)) {
		stop_all(side, true);
		if (side->another != NULL)
			(void)doca_ctx_stop(doca_comch_producer_as_ctx(side->another));
		run();
	}
}

static void side_free(struct side *side)
{
	for (size_t i = N_OBJECTS; i-- > 0;)
		ck_assert_int_eq(side_destroy(side, (enum object)i), DOCA_SUCCESS);
	if (side->another != NULL)
		ck_assert_int_eq(doca_comch_producer_destroy(side->another), DOCA_SUCCESS);
	memory_free(&side->memory);
}

/* Bit mask. */
enum how { ONE_ENGINE = 1, OTHER_LEAVES_FIRST = 2, N_HOW = 4 };

static void run_plan(unsigned how)
{
	bool is_shared = how & ONE_ENGINE;
	unsigned first = how & OTHER_LEAVES_FIRST ? 1 - plan.side : plan.side;
	struct side *server = &sides[0], *client = &sides[1];

	memset(sides, 0, sizeof(sides));
	ck_assert_int_eq(doca_pe_create(&server->pe), DOCA_SUCCESS);
	client->pe = server->pe;
	if (!is_shared)
		ck_assert_int_eq(doca_pe_create(&client->pe), DOCA_SUCCESS);
	memory_make_len(&server->memory, &fake_dpu, false, 8192, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	memory_make_len(&client->memory, &fake_host, false, 8192, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	make_server(server);
	(void)doca_ctx_start(server->ctxs[END]);
	make_client(client);
	(void)doca_ctx_start(client->ctxs[END]);
	run();
	for (unsigned i = 0; i < 2; i++)
		side_send(&sides[i]);
	run();
	for (unsigned i = 0; i < 2; i++)
		make_members(&sides[i]);
	run();
	for (unsigned i = 0; i < 2; i++)
		post_receives(&sides[i]);
	for (unsigned i = 0; i < 2; i++)
		produce(&sides[i]);
	run();
	side_end(&sides[first]);
	run();
	side_end(&sides[1 - first]);
	side_end(&sides[first]);
	side_free(server);
	side_free(client);
	if (!is_shared)
		ck_assert_int_eq(doca_pe_destroy(client->pe), DOCA_SUCCESS);
	ck_assert_int_eq(doca_pe_destroy(server->pe), DOCA_SUCCESS);
	fake_deinit();
}

/* Callbacks that a side never gets. */
static bool is_never_called(unsigned side, enum where where)
{
	if (where == ON_CONNECT || where == ON_DISCONNECT)
		return side != 0;
	return (side == 0 && where == ON_END_STATE + DOCA_CTX_STATE_STARTING) ||
	       where == ON_SOURCE_STATE + DOCA_CTX_STATE_STARTING;
}

/* The scenario must pass through all callbacks, otherwise the other tests show nothing. */
START_TEST(every_callback_is_called)
{
	for (unsigned side = 0; side < 2; side++) {
		memset(&plan, 0, sizeof(plan));
		plan.side = side;
		for (unsigned how = 0; how < N_HOW; how++)
			run_plan(how);
		for (unsigned where = 0; where < N_WHERE; where++)
			ck_assert_msg((plan.n_called[side][where] == 0) ==
					      is_never_called(side, (enum where)where),
				      "callback %u of side %u: %u times", where, side,
				      plan.n_called[side][where]);
	}
}
END_TEST

/* One callback of one side takes each action in turn. */
START_TEST(callbacks_do_what_they_like)
{
	unsigned side = (unsigned)_i / N_WHERE;
	enum where where = (enum where)((unsigned)_i % N_WHERE);

	if (is_never_called(side, where))
		return;
	for (unsigned what = 1; what < N_WHAT; what++) {
		unsigned n_done = 0;

		for (unsigned how = 0; how < N_HOW; how++) {
			memset(&plan, 0, sizeof(plan));
			plan.side = side;
			plan.where = where;
			plan.what = (enum what)what;
			run_plan(how);
			n_done += plan.is_done;
		}
		/* On one engine, and on two. */
		ck_assert_uint_ge(n_done, 2);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch callbacks");
	TCase *tcase = unit_case(suite, "comch callbacks", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, every_callback_is_called);
	tcase_add_loop_test(tcase, callbacks_do_what_they_like, 0, 2 * N_WHERE);
	return unit_run(suite);
}
