/*
 * Calls to the daemon: the test is the daemon, and decides when and in which order it answers. What
 * blocks runs in a thread of its own.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/control/rpc.h"
#include "client/control/rpc_watch.h"
#include "client/control/session.h"
#include "proto/conn.h"
#include "proto/frame.h"
#include "proto/packet.h"
#include "tests/unit/client/fixture.h"
#include "util/fd.h"
#include "util/memfd.h"

static struct {
	char dir[64], path[96];
	int listen_fd, page;
	struct conn *conn; /* to the library */
} served = {.listen_fd = -1, .page = -1};

/* --- the daemon --- */

static void await_readable(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	ck_assert_int_eq(poll(&poll_fd, 1, 20000), 1);
}

/* Returns the library's next request; the caller frees it. */
static Dococore__Packet *next_request(void)
{
	struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet = NULL;

	while (conn_recv(served.conn, &packet, &fds) == 0)
		await_readable(conn_fd(served.conn));
	ck_assert_ptr_nonnull(packet);
	fdset_deinit(&fds);
	return packet;
}

static uint64_t expect(Dococore__Packet__BodyCase body)
{
	Dococore__Packet *packet = next_request();
	uint64_t id = packet->id;

	ck_assert_msg(packet->body_case == body, "got %s", frame_name(packet));
	packet_free(packet);
	return id;
}

/* Each descriptor that a packet must have is one of the page. */
#define MAX_FDS 4

static size_t fds_of(const Dococore__Packet *packet, int fds[MAX_FDS])
{
	size_t n_fds = 0;

	while (n_fds < MAX_FDS && !frame_fds_allowed(packet, n_fds))
		fds[n_fds++] = served.page;
	return n_fds;
}

static void answer(uint64_t id, Dococore__Packet *packet)
{
	int fds[MAX_FDS];

	packet->id = id;
	ck_assert_int_eq(conn_send(served.conn, packet, fds, fds_of(packet, fds)), 0);
}

static void answer_ok(uint64_t id)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__Ok ok = DOCOCORE__OK__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_OK;
	packet.ok = &ok;
	answer(id, &packet);
}

static void answer_hello(uint64_t id)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__HelloReply reply = DOCOCORE__HELLO_REPLY__INIT;
	uint8_t daemon_id[16] = {1};

	reply.protocol = FRAME_PROTOCOL;
	reply.side = (char *)"dpu";
	reply.daemon_id = (ProtobufCBinaryData){.data = daemon_id, .len = 16};
	reply.session_id = 1;
	reply.liveness_len = 4096;
	reply.version = (char *)"0";
	packet.body_case = DOCOCORE__PACKET__BODY_HELLO_REPLY;
	packet.hello_reply = &reply;
	answer(id, &packet);
}

static void *connect_main(void *arg)
{
	doca_error_t *result = arg;

	rpc_lock();
	*result = session_ensure_locked();
	rpc_unlock();
	return NULL;
}

static void accept_library(void)
{
	int fd;

	await_readable(served.listen_fd);
	fd = accept4(served.listen_fd, NULL, NULL, SOCK_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	served.conn = conn_new(fd, 1u << 20);
	ck_assert_ptr_nonnull(served.conn);
	answer_hello(expect(DOCOCORE__PACKET__BODY_HELLO));
}

static void connect_library(void)
{
	doca_error_t result = DOCA_ERROR_UNKNOWN;
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, connect_main, &result), 0);
	accept_library();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_ok(result);
}

static void hang_up(void)
{
	conn_free(served.conn);
	served.conn = NULL;
	session_check_hangup();
}

static void setup(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	unit_mkdtemp(served.dir, sizeof(served.dir), "rpc");
	snprintf(served.path, sizeof(served.path), "%s/s", served.dir);
	memcpy(addr.sun_path, served.path, sizeof(served.path));
	served.listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(served.listen_fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(served.listen_fd, 4), 0);
	served.page = memfd_create_sealed("liveness", 4096);
	setenv("DOCOCORED_SOCKET", served.path, 1);
	connect_library();
}

static void teardown(void)
{
	hang_up();
	fd_close(&served.page);
	fd_close(&served.listen_fd);
	unlink(served.path);
	rmdir(served.dir);
}

/* --- the library --- */

struct call {
	struct rpc_pending *pending;
	unsigned n_done;
};

static void call_done(void *user)
{
	struct call *call = user;

	call->n_done++;
}

/* The requests that leave something behind at the daemon, and what the test answers and expects. */
enum kind {
	OPEN_DEVICE,
	OPEN_REP,
	EXPORT,
	IMPORT,
	SERVER,
	CHANNEL,
	CONSUMER,
	ENDPOINT,
	LISTENER,
	CONNECT,
	N_KINDS,
};

union body {
	Dococore__DeviceOpen device;
	Dococore__RepOpen rep;
	Dococore__ExportCreate export;
	Dococore__ImportCreate import;
	Dococore__ServerCreate server;
	Dococore__ChannelConnect channel;
	Dococore__ConsumerCreate consumer;
	Dococore__RdmaOpen endpoint;
	Dococore__RdmaListen listener;
	Dococore__RdmaConnect connect;
	Dococore__HandleReply handle_reply;
	Dococore__ExportReply export_reply;
	Dococore__ImportReply import_reply;
	Dococore__ServerReply server_reply;
	Dococore__ChannelConnectReply channel_reply;
	Dococore__RdmaOpenReply open_reply;
	Dococore__RdmaConnectReply connect_reply;
};

#define ID 77u

static uint8_t bytes[16];
#define BYTES ((ProtobufCBinaryData){.data = bytes, .len = sizeof(bytes)})

static Dococore__Consumer the_consumer = DOCOCORE__CONSUMER__INIT;

#define SET(packet, BODY, field, body_ptr)                           \
	do {                                                         \
		(packet)->body_case = DOCOCORE__PACKET__BODY_##BODY; \
		(packet)->field = (body_ptr);                        \
	} while (0)

static void make_request(enum kind kind, struct rpc_request *request, union body *body)
{
	static int fds[MAX_FDS];
	Dococore__Packet *packet = &request->packet;

	*request = (struct rpc_request){.fds = fds};
	*packet = (Dococore__Packet)DOCOCORE__PACKET__INIT;
	switch (kind) {
	case OPEN_DEVICE:
		dococore__device_open__init(&body->device);
		SET(packet, DEVICE_OPEN, device_open, &body->device);
		break;
	case OPEN_REP:
		dococore__rep_open__init(&body->rep);
		SET(packet, REP_OPEN, rep_open, &body->rep);
		break;
	case EXPORT:
		dococore__export_create__init(&body->export);
		SET(packet, EXPORT_CREATE, export_create, &body->export);
		break;
	case IMPORT:
		dococore__import_create__init(&body->import);
		body->import.secret = BYTES;
		SET(packet, IMPORT_CREATE, import_create, &body->import);
		break;
	case SERVER:
		dococore__server_create__init(&body->server);
		SET(packet, SERVER_CREATE, server_create, &body->server);
		break;
	case CHANNEL:
		dococore__channel_connect__init(&body->channel);
		SET(packet, CHANNEL_CONNECT, channel_connect, &body->channel);
		break;
	case CONSUMER:
		dococore__consumer_create__init(&body->consumer);
		body->consumer.channel_id = ID;
		the_consumer.id = ID;
		body->consumer.consumer = &the_consumer;
		SET(packet, CONSUMER_CREATE, consumer_create, &body->consumer);
		break;
	case ENDPOINT:
		dococore__rdma_open__init(&body->endpoint);
		SET(packet, RDMA_OPEN, rdma_open, &body->endpoint);
		break;
	case LISTENER:
		dococore__rdma_listen__init(&body->listener);
		body->listener.endpoint_id = ID;
		body->listener.port_number = ID;
		SET(packet, RDMA_LISTEN, rdma_listen, &body->listener);
		break;
	default:
		dococore__rdma_connect__init(&body->connect);
		body->connect.address = body->connect.source = body->connect.details = BYTES;
		SET(packet, RDMA_CONNECT, rdma_connect, &body->connect);
	}
	request->n_fds = fds_of(packet, fds);
}

static void answer_kind(enum kind kind, uint64_t id)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	union body body;

	switch (kind) {
	case OPEN_DEVICE:
	case OPEN_REP:
		dococore__handle_reply__init(&body.handle_reply);
		body.handle_reply.handle = ID;
		SET(&packet, HANDLE_REPLY, handle_reply, &body.handle_reply);
		break;
	case EXPORT:
		dococore__export_reply__init(&body.export_reply);
		body.export_reply.export_id = ID;
		body.export_reply.secret = BYTES;
		SET(&packet, EXPORT_REPLY, export_reply, &body.export_reply);
		break;
	case IMPORT:
		dococore__import_reply__init(&body.import_reply);
		body.import_reply.import_id = ID;
		SET(&packet, IMPORT_REPLY, import_reply, &body.import_reply);
		break;
	case SERVER:
		dococore__server_reply__init(&body.server_reply);
		body.server_reply.server_id = ID;
		SET(&packet, SERVER_REPLY, server_reply, &body.server_reply);
		break;
	case CHANNEL:
		dococore__channel_connect_reply__init(&body.channel_reply);
		body.channel_reply.channel_id = ID;
		SET(&packet, CHANNEL_CONNECT_REPLY, channel_connect_reply, &body.channel_reply);
		break;
	case ENDPOINT:
		dococore__rdma_open_reply__init(&body.open_reply);
		body.open_reply.endpoint_id = ID;
		SET(&packet, RDMA_OPEN_REPLY, rdma_open_reply, &body.open_reply);
		break;
	case CONNECT:
		dococore__rdma_connect_reply__init(&body.connect_reply);
		body.connect_reply.call_id = ID;
		SET(&packet, RDMA_CONNECT_REPLY, rdma_connect_reply, &body.connect_reply);
		break;
	default:
		answer_ok(id);
		return;
	}
	answer(id, &packet);
}

/* Returns the id of what the request removes, or 0 if it removes nothing. */
static uint64_t removed_id(enum kind kind, const Dococore__Packet *packet)
{
	switch (packet->body_case) {
	case DOCOCORE__PACKET__BODY_HANDLE_CLOSE:
		return kind <= OPEN_REP ? packet->handle_close->handle : 0;
	case DOCOCORE__PACKET__BODY_EXPORT_DESTROY:
		return kind == EXPORT ? packet->export_destroy->export_id : 0;
	case DOCOCORE__PACKET__BODY_IMPORT_DESTROY:
		return kind == IMPORT ? packet->import_destroy->import_id : 0;
	case DOCOCORE__PACKET__BODY_SERVER_DESTROY:
		return kind == SERVER ? packet->server_destroy->server_id : 0;
	case DOCOCORE__PACKET__BODY_CHANNEL_CLOSE:
		return kind == CHANNEL ? packet->channel_close->channel_id : 0;
	case DOCOCORE__PACKET__BODY_CONSUMER_DESTROY:
		return kind == CONSUMER && packet->consumer_destroy->channel_id == ID
			       ? packet->consumer_destroy->consumer_id
			       : 0;
	case DOCOCORE__PACKET__BODY_RDMA_CLOSE:
		return kind == ENDPOINT ? packet->rdma_close->endpoint_id : 0;
	case DOCOCORE__PACKET__BODY_RDMA_LISTEN:
		return kind == LISTENER && packet->rdma_listen->stop &&
				       packet->rdma_listen->endpoint_id == ID
			       ? packet->rdma_listen->port_number
			       : 0;
	case DOCOCORE__PACKET__BODY_RDMA_ANSWER:
		return kind == CONNECT && packet->rdma_answer->code != DOCA_SUCCESS
			       ? packet->rdma_answer->call_id
			       : 0;
	default:
		return 0;
	}
}

static void receive_reply(void)
{
	rpc_lock();
	await_readable(rpc_fd_locked());
	rpc_receive_locked();
	rpc_unlock();
}

static void begin(struct call *call, enum kind kind)
{
	const struct rpc_options options = {.on_done = call_done, .user = call};
	struct rpc_request request;
	union body body;

	make_request(kind, &request, &body);
	rpc_lock();
	ck_ok(rpc_begin_locked(&request, &options, &call->pending));
	rpc_unlock();
}

/* The library has sent nothing more: requests arrive in order, so the next one is that of this
 * function. */
static void expect_nothing(void)
{
	struct call call = {0};

	begin(&call, IMPORT);
	(void)expect(DOCOCORE__PACKET__BODY_IMPORT_CREATE);
	call.pending = rpc_cancel(call.pending);
}

/* Each call gets its own reply, in whatever order they come. */
START_TEST(replies_find_their_calls)
{
	struct call first = {0}, second = {0};
	struct rpc_reply reply = RPC_REPLY_INIT;
	uint64_t id_first, id_second;

	begin(&first, IMPORT);
	begin(&second, EXPORT);
	id_first = expect(DOCOCORE__PACKET__BODY_IMPORT_CREATE);
	id_second = expect(DOCOCORE__PACKET__BODY_EXPORT_CREATE);
	answer_kind(EXPORT, id_second);
	receive_reply();
	ck_assert(rpc_is_done(second.pending) && !rpc_is_done(first.pending));
	answer_kind(IMPORT, id_first);
	receive_reply();
	ck_assert_uint_eq(first.n_done + second.n_done, 2);
	ck_ok(rpc_collect(&first.pending, DOCOCORE__PACKET__BODY_IMPORT_REPLY, &reply));
	rpc_reply_deinit(&reply);
	ck_ok(rpc_collect(&second.pending, DOCOCORE__PACKET__BODY_EXPORT_REPLY, &reply));
	rpc_reply_deinit(&reply);
}
END_TEST

/* A reply to a request that was never made is discarded; one of another kind fails its call. */
START_TEST(wrong_replies_are_refused)
{
	struct call call = {0};
	struct rpc_reply reply = RPC_REPLY_INIT;
	uint64_t id;

	begin(&call, EXPORT);
	id = expect(DOCOCORE__PACKET__BODY_EXPORT_CREATE);
	answer_ok(id + 1000);
	answer_ok(id);
	while (!rpc_is_done(call.pending))
		receive_reply();
	ck_fails(rpc_collect(&call.pending, DOCOCORE__PACKET__BODY_EXPORT_REPLY, &reply),
		 DOCA_ERROR_UNEXPECTED);
}
END_TEST

/* What a call that was given up brought is given back, whether the reply came before or after. */
START_TEST(a_cancelled_call_is_undone)
{
	enum kind kind = _i / 2;
	bool is_answered_first = _i % 2 != 0;
	struct call call = {0};
	Dococore__Packet *packet;
	uint64_t id;

	begin(&call, kind);
	packet = next_request();
	id = packet->id;
	packet_free(packet);
	if (!is_answered_first)
		call.pending = rpc_cancel(call.pending);
	answer_kind(kind, id);
	receive_reply();
	if (is_answered_first) {
		ck_assert_uint_eq(call.n_done, 1);
		call.pending = rpc_cancel(call.pending);
	} else {
		ck_assert_uint_eq(call.n_done, 0);
	}
	packet = next_request();
	ck_assert_msg(removed_id(kind, packet) == ID, "%s", frame_name(packet));
	packet_free(packet);
	/* Once. */
	expect_nothing();
}
END_TEST

/* Listening again at once is not ended by the earlier call that was given up. */
START_TEST(an_early_undo_precedes_the_next_request)
{
	struct call first = {0}, second = {0};
	struct rpc_reply reply = RPC_REPLY_INIT;
	Dococore__Packet *packet;
	uint64_t id_first, id_second;

	begin(&first, LISTENER);
	first.pending = rpc_cancel(first.pending);
	begin(&second, LISTENER);
	id_first = expect(DOCOCORE__PACKET__BODY_RDMA_LISTEN);
	packet = next_request();
	ck_assert_uint_eq(removed_id(LISTENER, packet), ID);
	packet_free(packet);
	packet = next_request();
	ck_assert(packet->body_case == DOCOCORE__PACKET__BODY_RDMA_LISTEN &&
		  !packet->rdma_listen->stop);
	id_second = packet->id;
	packet_free(packet);
	answer_ok(id_first);
	answer_ok(id_second);
	while (!rpc_is_done(second.pending))
		receive_reply();
	ck_ok(rpc_collect(&second.pending, DOCOCORE__PACKET__BODY_OK, &reply));
	rpc_reply_deinit(&reply);
	expect_nothing();
}
END_TEST

/* A refused call left nothing behind. */
START_TEST(a_refused_call_is_not_undone)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__Error error = DOCOCORE__ERROR__INIT;
	struct call call = {0};
	uint64_t id;

	begin(&call, EXPORT);
	id = expect(DOCOCORE__PACKET__BODY_EXPORT_CREATE);
	call.pending = rpc_cancel(call.pending);
	error.code = DOCA_ERROR_NOT_PERMITTED;
	error.text = (char *)"no";
	packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
	packet.error = &error;
	answer(id, &packet);
	receive_reply();
	expect_nothing();
}
END_TEST

/* The ids of one connection mean nothing to the next one. */
START_TEST(nothing_is_undone_after_a_reconnect)
{
	struct call call = {0};
	struct rpc_reply reply = RPC_REPLY_INIT;
	struct rpc_request request;
	union body body;
	uint64_t id;

	begin(&call, EXPORT);
	id = expect(DOCOCORE__PACKET__BODY_EXPORT_CREATE);
	answer_kind(EXPORT, id);
	receive_reply();
	ck_assert(rpc_is_done(call.pending));
	hang_up();
	connect_library();
	call.pending = rpc_cancel(call.pending);
	expect_nothing();
	/* A request with handles of the former connection is refused. */
	make_request(EXPORT, &request, &body);
	rpc_lock();
	request.connection = rpc_connection_locked() - 1;
	ck_fails(rpc_call_locked(&request, DOCOCORE__PACKET__BODY_EXPORT_REPLY, &reply),
		 DOCA_ERROR_NOT_CONNECTED);
	rpc_unlock();
	ck_says("restarted");
	expect_nothing();
}
END_TEST

START_TEST(a_lost_connection_ends_pending_calls)
{
	struct call call = {0};
	struct rpc_reply reply = RPC_REPLY_INIT;

	begin(&call, EXPORT);
	(void)expect(DOCOCORE__PACKET__BODY_EXPORT_CREATE);
	hang_up();
	ck_assert_uint_eq(call.n_done, 1);
	ck_fails(rpc_collect(&call.pending, DOCOCORE__PACKET__BODY_EXPORT_REPLY, &reply),
		 DOCA_ERROR_NOT_CONNECTED);
	connect_library();
}
END_TEST

/* --- several threads --- */

struct caller {
	pthread_t thread;
	enum kind kind;
	Dococore__Packet__BodyCase expected;
	doca_error_t result;
};

static void *caller_main(void *arg)
{
	struct caller *caller = arg;
	struct rpc_request request;
	struct rpc_reply reply = RPC_REPLY_INIT;
	union body body;

	make_request(caller->kind, &request, &body);
	caller->result = rpc_call(&request, caller->expected, &reply);
	rpc_reply_deinit(&reply);
	return NULL;
}

static uint64_t start_caller(struct caller *caller, enum kind kind,
			     Dococore__Packet__BodyCase expected)
{
	Dococore__Packet *packet;
	uint64_t id;

	caller->kind = kind;
	caller->expected = expected;
	ck_assert_int_eq(pthread_create(&caller->thread, NULL, caller_main, caller), 0);
	packet = next_request();
	id = packet->id;
	packet_free(packet);
	return id;
}

/* The first thread that waits reads for both. When its own reply has arrived, the other one must
 * read. */
START_TEST(another_thread_goes_on_reading)
{
	struct caller first, second;
	uint64_t id_first, id_second;

	id_first = start_caller(&first, EXPORT, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	id_second = start_caller(&second, IMPORT, DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	if (_i == 0) {
		answer_kind(EXPORT, id_first);
		ck_assert_int_eq(pthread_join(first.thread, NULL), 0);
		answer_kind(IMPORT, id_second);
		ck_assert_int_eq(pthread_join(second.thread, NULL), 0);
	} else {
		answer_kind(IMPORT, id_second);
		ck_assert_int_eq(pthread_join(second.thread, NULL), 0);
		answer_kind(EXPORT, id_first);
		ck_assert_int_eq(pthread_join(first.thread, NULL), 0);
	}
	ck_ok(first.result);
	ck_ok(second.result);
}
END_TEST

/* An object of the library that takes part in a reconnect. */
struct object {
	struct session_item item;
	doca_error_t result;
	_Atomic bool is_removed;
};

static void object_restore(struct session_item *item)
{
	struct object *object = container_of(item, struct object, item);
	struct rpc_request request;
	struct rpc_reply reply = RPC_REPLY_INIT;
	union body body;

	make_request(EXPORT, &request, &body);
	object->result = rpc_call_locked(&request, DOCOCORE__PACKET__BODY_EXPORT_REPLY, &reply);
	rpc_reply_deinit(&reply);
}

static void *remove_main(void *arg)
{
	struct object *object = arg;

	rpc_lock();
	session_item_remove_locked(&object->item);
	rpc_unlock();
	object->is_removed = true;
	return NULL;
}

/* An object that is removed while it registers waits for no reply, and what the reply brings is
 * given back. */
START_TEST(an_object_can_be_removed_while_it_registers)
{
	struct object object = {.item.on_reconnect = object_restore};
	doca_error_t connected = DOCA_ERROR_UNKNOWN;
	pthread_t connector, remover;
	Dococore__Packet *packet;
	uint64_t id;

	rpc_lock();
	session_item_add_locked(&object.item);
	rpc_unlock();
	hang_up();
	ck_assert_int_eq(pthread_create(&connector, NULL, connect_main, &connected), 0);
	accept_library();
	id = expect(DOCOCORE__PACKET__BODY_EXPORT_CREATE);
	ck_assert_int_eq(pthread_create(&remover, NULL, remove_main, &object), 0);
	ck_assert_int_eq(pthread_join(remover, NULL), 0);
	ck_assert_int_eq(pthread_join(connector, NULL), 0);
	ck_ok(connected);
	ck_fails(object.result, DOCA_ERROR_CONNECTION_ABORTED);
	answer_kind(EXPORT, id);
	receive_reply();
	packet = next_request();
	ck_assert_uint_eq(removed_id(EXPORT, packet), ID);
	packet_free(packet);
}
END_TEST

/* While one thread restores the connection, another one that closes an object tells the daemon
 * without waiting. */
START_TEST(closing_does_not_wait_for_a_restoration)
{
	struct object object = {.item.on_reconnect = object_restore};
	Dococore__HandleClose close = DOCOCORE__HANDLE_CLOSE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	doca_error_t connected = DOCA_ERROR_UNKNOWN;
	pthread_t connector;
	uint64_t id;

	rpc_lock();
	session_item_add_locked(&object.item);
	rpc_unlock();
	hang_up();
	ck_assert_int_eq(pthread_create(&connector, NULL, connect_main, &connected), 0);
	accept_library();
	id = expect(DOCOCORE__PACKET__BODY_EXPORT_CREATE);
	request.packet.body_case = DOCOCORE__PACKET__BODY_HANDLE_CLOSE;
	request.packet.handle_close = &close;
	rpc_call_void(&request);
	(void)expect(DOCOCORE__PACKET__BODY_HANDLE_CLOSE);
	answer_kind(EXPORT, id);
	ck_assert_int_eq(pthread_join(connector, NULL), 0);
	ck_ok(connected);
	ck_ok(object.result);
	rpc_lock();
	session_item_remove_locked(&object.item);
	rpc_unlock();
}
END_TEST

/* --- watching the socket in an epoll set --- */

#define WATCH_DATA 2u

static struct rpc_watch watch;

static void watch_begin(void)
{
	rpc_watch_init(&watch, epoll_create1(EPOLL_CLOEXEC), WATCH_DATA);
	ck_assert_int_ge(watch.epoll_fd, 0);
}

static int watch_for(enum rpc_watch_for what, bool *is_user)
{
	int r;

	rpc_lock();
	r = rpc_watch_locked(&watch, what, is_user);
	rpc_unlock();
	return r;
}

/* Returns whether the set has an event, and handles it. */
static bool watch_wakes(int timeout_ms)
{
	struct epoll_event event;

	if (epoll_wait(watch.epoll_fd, &event, 1, timeout_ms) != 1)
		return false;
	ck_assert_uint_eq(event.data.u64, WATCH_DATA);
	rpc_watch_handle(event.events);
	return true;
}

/* Sends the reply to a call, which arrives before this returns. */
static void begin_and_answer(struct call *call)
{
	begin(call, IMPORT);
	answer_kind(IMPORT, expect(DOCOCORE__PACKET__BODY_IMPORT_CREATE));
}

static void cancel(struct call *call)
{
	call->pending = rpc_cancel(call->pending);
	(void)expect(DOCOCORE__PACKET__BODY_IMPORT_DESTROY);
}

static int next_fd(void)
{
	int fd = dup(served.page);

	close(fd);
	return fd;
}

/* A set contains the socket once for all its users, without a duplicate. Replies wake it as long as
 * a user waits for them, each once; a hang-up wakes it as long as it has a user. */
START_TEST(a_set_has_one_socket_for_all)
{
	bool hangup = false, first = false, second = false;
	struct call call = {0};
	int fd;

	watch_begin();
	fd = next_fd();
	ck_assert_int_eq(watch_for(RPC_WATCH_HANGUP, &hangup), 0);
	begin_and_answer(&call);
	ck_assert(!watch_wakes(0));
	/* A reply that has arrived already wakes the set, too. */
	ck_assert_int_eq(watch_for(RPC_WATCH_REPLIES, &first), 0);
	ck_assert(watch_wakes(20000));
	ck_assert(!watch_wakes(0));
	ck_assert_int_eq(watch_for(RPC_WATCH_REPLIES, &second), 0);
	ck_assert_int_eq(watch_for(RPC_WATCH_REPLIES, &second), 0);
	ck_assert_int_eq(next_fd(), fd);
	rpc_receive();
	ck_assert(rpc_is_done(call.pending));
	cancel(&call);
	rpc_unwatch(&watch, RPC_WATCH_REPLIES, &first);
	rpc_unwatch(&watch, RPC_WATCH_REPLIES, &first);
	begin_and_answer(&call);
	ck_assert(watch_wakes(20000));
	rpc_receive();
	cancel(&call);
	rpc_unwatch(&watch, RPC_WATCH_REPLIES, &second);
	begin_and_answer(&call);
	ck_assert(!watch_wakes(0));
	rpc_receive();
	cancel(&call);
	conn_free(served.conn);
	served.conn = NULL;
	ck_assert(watch_wakes(20000));
	rpc_lock();
	ck_assert_int_lt(rpc_fd_locked(), 0);
	rpc_unlock();
	close(watch.epoll_fd);
}
END_TEST

/* After a reconnect, a set has the new socket as soon as one of its users asks again, for all of
 * them. */
START_TEST(a_set_has_the_socket_of_the_next_connection)
{
	bool hangup = false, replies = false, late = false;
	struct call call = {0};

	watch_begin();
	ck_assert_int_eq(watch_for(RPC_WATCH_REPLIES, &replies), 0);
	ck_assert_int_eq(watch_for(RPC_WATCH_HANGUP, &hangup), 0);
	hang_up();
	ck_assert_int_eq(watch_for(RPC_WATCH_REPLIES, &late), -ENOTCONN);
	rpc_unwatch(&watch, RPC_WATCH_REPLIES, &late);
	connect_library();
	while (watch_wakes(0))
		continue;
	ck_assert_int_eq(watch_for(RPC_WATCH_HANGUP, &hangup), 0);
	begin_and_answer(&call);
	ck_assert(watch_wakes(20000));
	rpc_receive();
	cancel(&call);
	/* A set that is replaced has it, too. */
	close(watch.epoll_fd);
	rpc_lock();
	rpc_watch_open_locked(&watch, epoll_create1(EPOLL_CLOEXEC));
	rpc_unlock();
	begin_and_answer(&call);
	ck_assert(watch_wakes(20000));
	rpc_receive();
	cancel(&call);
	close(watch.epoll_fd);
}
END_TEST

/* What a forked child does with its copy does not change what wakes the parent. */
START_TEST(a_child_leaves_the_watch_of_its_parent)
{
	bool replies = false;
	struct call call = {0};
	int status;
	pid_t pid;

	watch_begin();
	ck_assert_int_eq(watch_for(RPC_WATCH_REPLIES, &replies), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		rpc_unwatch(&watch, RPC_WATCH_REPLIES, &replies);
		_exit(replies);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	begin_and_answer(&call);
	ck_assert(watch_wakes(20000));
	rpc_receive();
	cancel(&call);
	close(watch.epoll_fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rpc");
	TCase *tcase = unit_case(suite, "rpc", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, replies_find_their_calls);
	tcase_add_test(tcase, wrong_replies_are_refused);
	tcase_add_loop_test(tcase, a_cancelled_call_is_undone, 0, 2 * N_KINDS);
	tcase_add_test(tcase, an_early_undo_precedes_the_next_request);
	tcase_add_test(tcase, a_refused_call_is_not_undone);
	tcase_add_test(tcase, nothing_is_undone_after_a_reconnect);
	tcase_add_test(tcase, a_lost_connection_ends_pending_calls);
	tcase_add_loop_test(tcase, another_thread_goes_on_reading, 0, 2);
	tcase_add_test(tcase, an_object_can_be_removed_while_it_registers);
	tcase_add_test(tcase, closing_does_not_wait_for_a_restoration);
	tcase_add_test(tcase, a_set_has_one_socket_for_all);
	tcase_add_test(tcase, a_set_has_the_socket_of_the_next_connection);
	tcase_add_test(tcase, a_child_leaves_the_watch_of_its_parent);
	return unit_run(suite);
}
