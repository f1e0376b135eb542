/*
 * See fake_daemons.h. One lock protects all state, like the session's lock. The ids of a channel
 * are even for the client and odd for the server.
 */
#include "tests/unit/client/comch/fake_daemons.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/base/error.h"
#include "client/control/rpc_internal.h"
#include "client/control/session.h"
#include "client/memory/export.h"
#include "client/memory/mem_key.h"
#include "client/memory/transport.h"
#include "client/transport/local.h"
#include "client/transport/pvm.h"
#include "client/transport/shm.h"
#include "proto/event_ring.h"
#include "proto/ring.h"
#include "tests/lib/assert.h"
#include "util/export_descriptor.h"
#include "util/fd.h"
#include "util/memfd.h"

/* There is no RDMA device. */
const struct mem_key_ops *const mem_key_table[] = {NULL};

/* There are no daemons that relay. */
const struct transport_ops *const transport_table[] = {
	&transport_local, &transport_shm, &transport_pvm, &transport_verbs, NULL,
};

doca_error_t dev_get_handle_locked(struct doca_dev *dev, uint64_t *handle_out)
{
	if (dev->handle == 0)
		dev->item.on_reconnect(&dev->item);
	*handle_out = dev->handle;
	return DOCA_SUCCESS;
}

bool dev_check_removed(const struct doca_dev *dev)
{
	return dev_is_removed(dev);
}

static doca_error_t serve_no_export(struct export *export)
{
	(void)export;
	return DOCA_ERROR_NOT_SUPPORTED;
}

/* Never called: serve_no_export() refuses every export. */
static const struct export_server_ops no_export_server = {.add = serve_no_export};
const struct export_server_ops *const export_server = &no_export_server;

#define MAX_SERVICES  8
#define MAX_CHANNELS  128
#define MAX_CONSUMERS 256

struct fake_service {
	uint64_t id;
	char name[64];
	uint32_t max_msg, queue;
	bool remote_rings;
	struct event_writer writer;
};

struct fake_channel {
	uint64_t id; /* the client's; + 1 is the server's */
	struct fake_service *service;
	uint32_t max_msg, queue, ring_len;
	bool remote_rings;
	bool client_open, server_open;
	int memfd, server_doorbell, client_doorbell;
	struct event_writer writer;
};

struct fake_consumer {
	struct fake_channel *channel;
	bool of_server;
	bool fetched;
	Dococore__Consumer body;
	int fds[3];
	size_t n_fds;
};

/* Capabilities of both devices. */
#define COMCH_CAPS                                                                              \
	.comch_max_name_len = 32, .comch_max_msg_size = 1u << 20, .comch_max_recv_queue = 1024, \
	.comch_max_clients = 512, .comch_max_send_tasks = 4096, .comch_producer = true,         \
	.comch_consumer = true, .comch_max_producers = 8, .comch_max_consumers = 8,             \
	.comch_fast_max_tasks = 1024, .comch_fast_max_buf_size = 64u << 20,                     \
	.comch_fast_max_list_len = 1, .comch_max_imm_len = 64, .max_devices_per_mmap = 4

static struct doca_devinfo dpu_info = {
	.name = "p0",
	.caps = {.comch_server = true, COMCH_CAPS},
};
static struct doca_devinfo host_info = {
	.name = "pf0",
	.caps = {.comch_client = true, COMCH_CAPS},
};
static void fake_restore_handle(struct session_item *item);

struct doca_dev fake_dpu = {
	.info = &dpu_info, .handle = 1, .item.on_reconnect = fake_restore_handle};
struct doca_dev fake_host = {
	.info = &host_info, .handle = 2, .item.on_reconnect = fake_restore_handle};
static struct doca_devinfo_rep rep_info = {.name = "hpf0"};
struct doca_dev_rep fake_rep = {
	.info = &rep_info, .handle = 3, .item.on_reconnect = fake_restore_handle};
enum fake_lie fake_lie;
uint32_t fake_refuse;
uint32_t fake_refuse_fetch;
uint32_t fake_refuse_import;
unsigned fake_n_imports;
unsigned fake_n_closes;
unsigned fake_n_waits;
bool fake_is_unresponsive, fake_is_remote;
static int session_fd = -1;
int fake_peer_pidfd = -1;
enum fake_reach fake_reach;

static struct fake_service services[MAX_SERVICES];
static struct fake_channel channels[MAX_CHANNELS];
static struct fake_consumer consumers[MAX_CONSUMERS];
static size_t n_services, n_channels, n_consumers;
static uint8_t daemon_id[16] = "fake daemon 0";
static uint64_t next_id = 100;
static struct list items = LIST_INIT(items);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fake_restore_handle(struct session_item *item)
{
	(void)item;
}

static void push_arg(struct event_writer *writer, uint32_t type, uint64_t id, uint32_t code,
		     uint64_t arg)
{
	struct event event = {.type = type, .code = code, .id = id, .arg = arg};

	if (writer->ring != NULL)
		ck_assert_int_eq(event_writer_push(writer, &event), 0);
}

static void push(struct event_writer *writer, uint32_t type, uint64_t id, uint32_t code)
{
	push_arg(writer, type, id, code, 0);
}

static doca_error_t answer_with(Dococore__Packet *packet, struct rpc_reply *answer_out,
				const int *fds, size_t n_fds)
{
	uint8_t buf[512];
	size_t len = dococore__packet__pack(packet, buf);
	size_t i;

	ck_assert_uint_le(len, sizeof(buf));
	answer_out->packet = dococore__packet__unpack(NULL, len, buf);
	for (i = 0; i < n_fds; i++)
		ck_assert_int_eq(fdset_add(&answer_out->fds, fd_dup(fds[i])), 0);
	return DOCA_SUCCESS;
}

static doca_error_t answer_with_ring(Dococore__Packet *packet, const struct event_writer *writer,
				     struct rpc_reply *answer)
{
	bool lies = fake_lie == FAKE_LIE_EVENTS;

	if (lies)
		fake_lie = FAKE_HONEST;
	return answer_with(packet, answer,
			   (int[]){lies ? writer->eventfd : writer->memfd, writer->eventfd}, 2);
}

static doca_error_t on_server_create(const Dococore__ServerCreate *body, struct rpc_reply *answer)
{
	struct fake_service *service = &services[n_services];
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__ServerReply reply = DOCOCORE__SERVER_REPLY__INIT;

	if (fake_refuse != 0)
		return error_set((doca_error_t)fake_refuse, "fake: refused");
	ck_assert_uint_lt(n_services++, MAX_SERVICES);
	*service = (struct fake_service){.id = next_id,
					 .max_msg = body->max_msg_size,
					 .queue = body->recv_queue_size,
					 .remote_rings = body->remote_rings,
					 .writer = EVENT_WRITER_INIT};
	next_id += 2;
	strncpy(service->name, body->name, sizeof(service->name) - 1);
	ck_assert_int_eq(event_writer_init(&service->writer), 0);
	reply.server_id = service->id;
	reply.event_ring_len = sizeof(struct event_ring);
	packet.body_case = DOCOCORE__PACKET__BODY_SERVER_REPLY;
	packet.server_reply = &reply;
	return answer_with_ring(&packet, &service->writer, answer);
}

static doca_error_t on_connect(const Dococore__ChannelConnect *body, struct rpc_reply *answer)
{
	struct fake_channel *channel = &channels[n_channels];
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__ChannelConnectReply reply = DOCOCORE__CHANNEL_CONNECT_REPLY__INIT;
	size_t i;

	if (fake_refuse != 0)
		return error_set((doca_error_t)fake_refuse, "fake: refused");
	ck_assert_uint_lt(n_channels++, MAX_CHANNELS);
	*channel = (struct fake_channel){.id = next_id,
					 .max_msg = body->max_msg_size,
					 .queue = body->recv_queue_size,
					 .remote_rings = body->remote_rings,
					 .memfd = -1,
					 .server_doorbell = -1,
					 .client_doorbell = -1,
					 .client_open = true,
					 .writer = EVENT_WRITER_INIT};
	next_id += 2;
	ck_assert_int_eq(event_writer_init(&channel->writer), 0);
	for (i = 0; i < n_services; i++) {
		if (services[i].id != 0 && strcmp(services[i].name, body->name) == 0)
			channel->service = &services[i];
	}
	if (channel->service == NULL) {
		push(&channel->writer, EVENT_CHANNEL_FAILED, channel->id, DOCA_ERROR_NOT_FOUND);
	} else {
		channel->server_open = true;
		channel->max_msg = MIN(channel->max_msg, channel->service->max_msg);
		push(&channel->service->writer, EVENT_CHANNEL_NEW, channel->id + 1, 0);
	}
	reply.channel_id = channel->id;
	reply.event_ring_len = sizeof(struct event_ring);
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY;
	packet.channel_connect_reply = &reply;
	return answer_with_ring(&packet, &channel->writer, answer);
}

static struct fake_channel *find(uint64_t id, bool *is_server_out)
{
	size_t i;

	for (i = 0; i < n_channels; i++) {
		if (channels[i].id == (id & ~1ull) && id != 0) {
			*is_server_out = id & 1;
			return &channels[i];
		}
	}
	return NULL;
}

static void make_memory(struct fake_channel *channel)
{
	struct channel_header *header;

	channel->ring_len = ring_len_for(channel->max_msg,
					 MAX(channel->queue, channel->service->queue));
	channel->memfd = memfd_create_sealed("fake-channel",
					     CHANNEL_HEADER_LEN + 2 * (size_t)channel->ring_len);
	ck_assert_int_ge(channel->memfd, 0);
	header = memfd_map(channel->memfd, 0, CHANNEL_HEADER_LEN, true);
	ck_assert_ptr_nonnull(header);
	header->magic = CHANNEL_MAGIC;
	header->version = 1;
	header->ring_len = channel->ring_len;
	memfd_unmap(header, CHANNEL_HEADER_LEN);
	channel->server_doorbell = fd_eventfd();
	channel->client_doorbell = fd_eventfd();
}

static doca_error_t on_fetch(uint64_t id, struct rpc_reply *answer)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__ChannelReply reply = DOCOCORE__CHANNEL_REPLY__INIT;
	enum fake_lie lie = fake_lie;
	struct fake_channel *channel;
	bool is_server;
	doca_error_t result;
	int memfd;

	fake_lie = FAKE_HONEST;
	channel = find(id, &is_server);
	if (channel == NULL || channel->service == NULL || lie == FAKE_LIE_REFUSE_FETCH)
		return error_set(DOCA_ERROR_NOT_FOUND, "fake: no channel %llu",
				 (unsigned long long)id);
	if (channel->memfd < 0)
		make_memory(channel);
	reply.channel_id = id;
	reply.ring_len = channel->ring_len;
	reply.max_msg_size = channel->max_msg;
	reply.recv_queue_size = is_server ? channel->service->queue : channel->queue;
	reply.peer_recv_queue_size = is_server ? channel->queue : channel->service->queue;
	reply.is_server = is_server;
	reply.has_peer_pidfd = fake_peer_pidfd >= 0;
	reply.remote_rings = channel->remote_rings && channel->service->remote_rings;
	/* Both ends have the same daemon here. */
	reply.peer_daemon_id = (ProtobufCBinaryData){sizeof(daemon_id), daemon_id};
	memfd = channel->memfd;
	if (lie == FAKE_LIE_RING_LEN)
		reply.ring_len = channel->ring_len - 4096;
	if (lie == FAKE_LIE_SIDE)
		reply.is_server = !is_server;
	if (lie == FAKE_LIE_MSG_SIZE)
		reply.max_msg_size = (1u << 20) + 1;
	if (lie == FAKE_LIE_SHORT_MEMFD)
		memfd = memfd_create_sealed("fake-short", CHANNEL_HEADER_LEN);
	if (lie == FAKE_LIE_MAGIC)
		memfd = memfd_create_sealed("fake-zero",
					    CHANNEL_HEADER_LEN + 2 * (size_t)channel->ring_len);
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_REPLY;
	packet.channel_reply = &reply;
	result = answer_with(
		&packet, answer,
		(int[]){memfd, is_server ? channel->server_doorbell : channel->client_doorbell,
			lie == FAKE_LIE_DOORBELL ? channel->memfd
			: is_server              ? channel->client_doorbell
						 : channel->server_doorbell,
			fake_peer_pidfd},
		reply.has_peer_pidfd ? 4 : 3);
	if (memfd != channel->memfd)
		close(memfd);
	if (is_server && lie == FAKE_HONEST)
		push(&channel->writer, EVENT_CHANNEL_READY, channel->id, 0);
	return result;
}

/* --- consumers --- */

static void consumer_announce(const struct fake_consumer *consumer, uint32_t type)
{
	struct fake_channel *channel = consumer->channel;

	if (consumer->of_server && channel->client_open)
		push_arg(&channel->writer, type, channel->id, 0, consumer->body.id);
	else if (!consumer->of_server && channel->server_open)
		push_arg(&channel->service->writer, type, channel->id + 1, 0, consumer->body.id);
}

static doca_error_t on_consumer_create(const struct rpc_request *request, struct rpc_reply *answer)
{
	const Dococore__ConsumerCreate *body = request->packet.consumer_create;
	struct fake_consumer *consumer = &consumers[n_consumers];
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__Ok ok = DOCOCORE__OK__INIT;
	size_t i;

	ck_assert_uint_lt(n_consumers++, MAX_CONSUMERS);
	*consumer = (struct fake_consumer){.body = *body->consumer, .n_fds = request->n_fds};
	consumer->channel = find(body->channel_id, &consumer->of_server);
	if (consumer->channel == NULL) {
		n_consumers--;
		return error_set(DOCA_ERROR_NOT_FOUND, "fake: no such channel");
	}
	ck_assert_uint_eq(request->n_fds, body->consumer->slots_export.len > 0 ? 0
					  : body->consumer->memory == DOCOCORE__MEMORY_KIND__MEMFD
						  ? 3
						  : 2);
	for (i = 0; i < request->n_fds; i++)
		consumer->fds[i] = fd_dup(request->fds[i]);
	consumer_announce(consumer, EVENT_CONSUMER_NEW);
	packet.body_case = DOCOCORE__PACKET__BODY_OK;
	packet.ok = &ok;
	return answer_with(&packet, answer, NULL, 0);
}

static struct fake_consumer *find_consumer(const struct fake_channel *channel, bool of_server,
					   uint32_t id)
{
	size_t i;

	for (i = 0; i < n_consumers; i++) {
		if (consumers[i].channel == channel && consumers[i].of_server == of_server &&
		    consumers[i].body.id == id)
			return &consumers[i];
	}
	return NULL;
}

static void consumer_forget(struct fake_consumer *consumer)
{
	size_t i;

	for (i = 0; i < consumer->n_fds; i++)
		fd_close(&consumer->fds[i]);
	consumer->n_fds = 0;
	consumer->channel = NULL;
}

static void on_consumer_destroy(const Dococore__ConsumerDestroy *body)
{
	struct fake_channel *channel;
	struct fake_consumer *consumer;
	bool is_server;

	channel = find(body->channel_id, &is_server);
	consumer = channel == NULL ? NULL : find_consumer(channel, is_server, body->consumer_id);
	if (consumer != NULL) {
		consumer_announce(consumer, EVENT_CONSUMER_GONE);
		consumer_forget(consumer);
	}
}

static doca_error_t on_consumer_fetch(const Dococore__ConsumerFetch *body, struct rpc_reply *answer)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__ConsumerReply reply = DOCOCORE__CONSUMER_REPLY__INIT;
	enum fake_lie lie = fake_lie;
	struct fake_channel *channel;
	struct fake_consumer *consumer;
	Dococore__Consumer said;
	struct export_descriptor slots = {
		.kind = DOCOCORE__EXPORT_KIND__RDMA, .len = 4096, .export_id = 1};
	uint8_t slots_export[EXPORT_DESCRIPTOR_LEN];
	int fds[4], made[2] = {-1, -1};
	doca_error_t result;
	bool is_server;

	fake_lie = FAKE_HONEST;
	channel = find(body->channel_id, &is_server);
	consumer = channel == NULL ? NULL : find_consumer(channel, !is_server, body->consumer_id);
	if (fake_refuse_fetch != 0)
		return error_set((doca_error_t)fake_refuse_fetch, "fake: no consumer today");
	if (consumer == NULL || consumer->fetched)
		return error_set(DOCA_ERROR_NOT_FOUND, "fake: no such consumer");
	consumer->fetched = true;
	said = consumer->body;
	reply.consumer = &said;
	reply.pid = (uint32_t)getpid();
	reply.uid = getuid();
	reply.same_process = fake_reach == FAKE_REACH_LOCAL;
	fds[0] = made[0] = fd_pidfd_open(getpid());
	fds[1] = consumer->fds[0];
	fds[2] = consumer->fds[1];
	fds[3] = consumer->fds[2];
	/* Makes the transport fail to find a process behind the pidfd. */
	if (fake_reach == FAKE_REACH_NOT)
		fds[0] = consumer->fds[1];
	if (fake_is_remote) {
		export_descriptor_encode(&slots, slots_export);
		said.slots_export = (ProtobufCBinaryData){sizeof(slots_export), slots_export};
	}
	if (lie == FAKE_LIE_CONSUMER)
		reply.consumer = NULL;
	if (lie == FAKE_LIE_SIDE)
		said.id++;
	if (lie == FAKE_LIE_DOORBELL)
		fds[2] = consumer->fds[0];
	if (lie == FAKE_LIE_RING_LEN)
		said.n_slots = consumer->body.n_slots * 2 - 1;
	if (lie == FAKE_LIE_MSG_SIZE)
		said.len = UINT64_MAX - said.addr + 1;
	if (lie == FAKE_LIE_SHORT_MEMFD)
		fds[1] = made[1] = memfd_create_sealed("fake-short", 4096);
	if (lie == FAKE_LIE_MAGIC)
		fds[1] = made[1] = memfd_create_sealed("fake-zero", said.slots_len);
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_REPLY;
	packet.consumer_reply = &reply;
	result = answer_with(&packet, answer, fds, 1 + consumer->n_fds);
	fd_close(&made[0]);
	fd_close(&made[1]);
	return result;
}

static void close_end(struct fake_channel *channel, bool is_server, uint32_t code)
{
	bool *mine = is_server ? &channel->server_open : &channel->client_open;
	bool *other = is_server ? &channel->client_open : &channel->server_open;

	if (*mine && *other && channel->service != NULL)
		push(is_server ? &channel->writer : &channel->service->writer, EVENT_CHANNEL_CLOSED,
		     is_server ? channel->id : channel->id + 1, code);
	*mine = false;
}

static void on_close(const Dococore__ChannelClose *body)
{
	struct fake_channel *channel;
	bool is_server;

	fake_n_closes++;
	channel = find(body->channel_id, &is_server);
	if (channel != NULL)
		close_end(channel, is_server,
			  body->is_lost ? DOCA_ERROR_CONNECTION_RESET : DOCA_SUCCESS);
}

static void on_server_destroy(uint64_t id)
{
	size_t i;

	fake_n_closes++;
	for (i = 0; i < n_channels; i++) {
		if (channels[i].service != NULL && channels[i].service->id == id)
			close_end(&channels[i], true, 0);
	}
	for (i = 0; i < n_services; i++) {
		if (services[i].id == id)
			services[i].id = 0;
	}
}

void fake_kill_client(size_t n)
{
	close_end(&channels[n], false, DOCA_ERROR_CONNECTION_RESET);
}

void fake_remove_device(void)
{
	for (size_t i = 0; i < n_services; i++)
		ck_assert_int_eq(event_writer_push(&services[i].writer,
						   &(struct event){.type = EVENT_SERVER_GONE,
								   .id = services[i].id}),
				 0);
}

void fake_deinit(void)
{
	size_t i;

	for (i = 0; i < n_services; i++)
		event_writer_deinit(&services[i].writer);
	for (i = 0; i < n_channels; i++) {
		event_writer_deinit(&channels[i].writer);
		fd_close(&channels[i].memfd);
		fd_close(&channels[i].server_doorbell);
		fd_close(&channels[i].client_doorbell);
	}
	for (i = 0; i < n_consumers; i++)
		consumer_forget(&consumers[i]);
	n_services = n_channels = n_consumers = 0;
	fake_is_unresponsive = fake_is_remote = false;
	fd_close(&session_fd);
	fake_reach = FAKE_REACH_LOCAL;
}

/* Asynchronous requests, in order. */
#define MAX_ASKED 16

static struct {
	struct rpc_pending *pending;
	uint64_t channel_id;  /* 0: an import */
	uint32_t consumer_id; /* 0: the channel */
} asked[MAX_ASKED];
static size_t n_asked;
static unsigned n_connections = 1;

static unsigned n_away; /* 0: the daemon is present */

/* Completes a request; frees it if it was given up. */
static void complete_locked(struct rpc_pending *pending)
{
	if (pending->is_unwanted) {
		rpc_reply_deinit(&pending->reply);
		free(pending);
		return;
	}
	atomic_store(&pending->is_done, true);
	if (pending->options.on_done != NULL)
		pending->options.on_done(pending->options.user);
}

static void end_all_locked(void)
{
	size_t n = n_asked;

	n_asked = 0;
	for (size_t i = 0; i < n; i++)
		complete_locked(asked[i].pending);
}

static void restart_locked(void)
{
	struct session_item *item, *tmp;

	fake_deinit();
	daemon_id[12]++;
	n_connections++;
	n_away = 0;
	end_all_locked();
	list_for_each_safe(item, tmp, &items, node) item->on_reconnect(item);
}

void fake_restart(void)
{
	rpc_lock();
	restart_locked();
	rpc_unlock();
}

void fake_end_daemon(unsigned n_attempts)
{
	rpc_lock();
	n_away = n_attempts;
	end_all_locked();
	rpc_unlock();
}

/* --- functions that replace the session --- */

void rpc_reply_deinit(struct rpc_reply *answer)
{
	if (answer->packet != NULL)
		dococore__packet__free_unpacked(answer->packet, NULL);
	answer->packet = NULL;
	fdset_deinit(&answer->fds);
}

doca_error_t rpc_call_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
			     struct rpc_reply *answer_out)
{
	(void)expected;
	fake_n_waits++;
	switch (request->packet.body_case) {
	case DOCOCORE__PACKET__BODY_SERVER_CREATE:
		return on_server_create(request->packet.server_create, answer_out);
	case DOCOCORE__PACKET__BODY_CHANNEL_CONNECT:
		return on_connect(request->packet.channel_connect, answer_out);
	case DOCOCORE__PACKET__BODY_CONSUMER_CREATE:
		return on_consumer_create(request, answer_out);
	case DOCOCORE__PACKET__BODY_CONSUMER_FETCH:
		return on_consumer_fetch(request->packet.consumer_fetch, answer_out);
	default:
		ck_abort_msg("unexpected request %d", (int)request->packet.body_case);
	}
}

doca_error_t rpc_call(struct rpc_request *request, Dococore__Packet__BodyCase expected,
		      struct rpc_reply *answer_out)
{
	doca_error_t result;

	rpc_lock();
	result = rpc_call_locked(request, expected, answer_out);
	rpc_unlock();
	return result;
}

void rpc_post_locked(struct rpc_request *request)
{
	if (request->packet.body_case == DOCOCORE__PACKET__BODY_CHANNEL_CLOSE)
		on_close(request->packet.channel_close);
	else if (request->packet.body_case == DOCOCORE__PACKET__BODY_SERVER_DESTROY)
		on_server_destroy(request->packet.server_destroy->server_id);
	else if (request->packet.body_case == DOCOCORE__PACKET__BODY_CONSUMER_DESTROY)
		on_consumer_destroy(request->packet.consumer_destroy);
	else if (request->packet.body_case != DOCOCORE__PACKET__BODY_IMPORT_DESTROY)
		ck_abort_msg("unexpected tell %d", (int)request->packet.body_case);
}

bool session_is_over_locked(void)
{
	return n_away > 0;
}

void rpc_call_void_locked(struct rpc_request *request)
{
	fake_n_waits++;
	rpc_post_locked(request);
}

void rpc_call_void(struct rpc_request *request)
{
	rpc_lock();
	rpc_call_void_locked(request);
	rpc_unlock();
}

/* --- asynchronous requests --- */

doca_error_t rpc_begin_locked(struct rpc_request *request, const struct rpc_options *options,
			      struct rpc_pending **pending_out)
{
	struct rpc_pending *pending;

	if (n_away > 0)
		return error_set(DOCA_ERROR_NOT_CONNECTED, "fake: gone");
	ck_assert_uint_lt(n_asked, MAX_ASKED);
	pending = calloc(1, sizeof(*pending));
	ck_assert_ptr_nonnull(pending);
	pending->connection = n_connections;
	pending->options = *options;
	pending->reply = (struct rpc_reply)RPC_REPLY_INIT;
	asked[n_asked].pending = pending;
	asked[n_asked].channel_id = asked[n_asked].consumer_id = 0;
	if (request->packet.body_case == DOCOCORE__PACKET__BODY_CONSUMER_FETCH) {
		asked[n_asked].channel_id = request->packet.consumer_fetch->channel_id;
		asked[n_asked].consumer_id = request->packet.consumer_fetch->consumer_id;
	} else if (request->packet.body_case != DOCOCORE__PACKET__BODY_IMPORT_CREATE) {
		ck_assert_int_eq(request->packet.body_case, DOCOCORE__PACKET__BODY_CHANNEL_FETCH);
		asked[n_asked].channel_id = request->packet.channel_fetch->channel_id;
	}
	n_asked++;
	*pending_out = pending;
	return DOCA_SUCCESS;
}

bool rpc_is_done(const struct rpc_pending *pending)
{
	return atomic_load(&pending->is_done);
}

bool rpc_is_current_locked(const struct rpc_pending *pending)
{
	return pending->connection == n_connections;
}

doca_error_t rpc_collect(struct rpc_pending **pending, Dococore__Packet__BodyCase expected,
			 struct rpc_reply *reply_out)
{
	struct rpc_pending *taken = *pending;
	const Dococore__Packet *packet = taken->reply.packet;
	doca_error_t result = DOCA_SUCCESS;

	*pending = NULL;
	if (packet == NULL) {
		result = error_set(DOCA_ERROR_NOT_CONNECTED, "fake: gone");
	} else if (packet->body_case == expected) {
		*reply_out = taken->reply;
		taken->reply = (struct rpc_reply)RPC_REPLY_INIT;
	} else {
		ck_assert_int_eq(packet->body_case, DOCOCORE__PACKET__BODY_ERROR);
		result = error_set((doca_error_t)packet->error->code, "%s", packet->error->text);
	}
	rpc_reply_deinit(&taken->reply);
	free(taken);
	return result;
}

struct rpc_pending *rpc_cancel(struct rpc_pending *pending)
{
	if (pending == NULL)
		return NULL;
	rpc_lock();
	pending->is_unwanted = true;
	if (atomic_load(&pending->is_done))
		complete_locked(pending);
	rpc_unlock();
	return NULL;
}

static void answer_error(doca_error_t code, struct rpc_reply *answer)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__Error error = DOCOCORE__ERROR__INIT;

	error.code = code;
	error.text = (char *)"fake: refused";
	packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
	packet.error = &error;
	answer_with(&packet, answer, NULL, 0);
}

/* Memory of this process, which a transport accepts. */
static doca_error_t on_import(struct rpc_reply *answer)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__ImportReply reply = DOCOCORE__IMPORT_REPLY__INIT;
	int page = memfd_create_sealed("fake-page", 4096);
	_Atomic uint32_t *word;
	doca_error_t result;

	fake_n_imports++;
	ck_assert_int_ge(page, 0);
	word = memfd_map(page, 0, 4096, true);
	ck_assert_ptr_nonnull(word);
	atomic_store(word, 1);
	memfd_unmap((void *)word, 4096);
	reply.import_id = next_id;
	next_id += 2;
	reply.addr = 4096;
	reply.len = 4096;
	reply.permissions = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE;
	reply.generation = 1;
	reply.liveness_len = 4096;
	reply.exporter_pid = (uint32_t)getpid();
	reply.same_process = reply.knows_transport = true;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_REPLY;
	packet.import_reply = &reply;
	result = fake_refuse_import != 0 ? (doca_error_t)fake_refuse_import
					 : answer_with(&packet, answer, &page, 1);
	close(page);
	return result;
}

static void answer_first(void)
{
	Dococore__ConsumerFetch fetch = DOCOCORE__CONSUMER_FETCH__INIT;
	struct rpc_reply answer = RPC_REPLY_INIT;
	struct rpc_pending *pending = asked[0].pending;
	doca_error_t result;

	fetch.channel_id = asked[0].channel_id;
	fetch.consumer_id = asked[0].consumer_id;
	memmove(&asked[0], &asked[1], --n_asked * sizeof(asked[0]));
	if (fetch.consumer_id != 0)
		result = on_consumer_fetch(&fetch, &answer);
	else if (fetch.channel_id != 0)
		result = on_fetch(fetch.channel_id, &answer);
	else
		result = on_import(&answer);
	if (result != DOCA_SUCCESS)
		answer_error(result, &answer);
	memcpy(answer.daemon_id, daemon_id, sizeof(answer.daemon_id));
	answer.connection = pending->connection;
	pending->reply = answer;
	complete_locked(pending);
}

void rpc_receive_locked(void)
{
	while (!fake_is_unresponsive && n_asked > 0)
		answer_first();
}

void rpc_receive(void)
{
	rpc_lock();
	rpc_receive_locked();
	rpc_unlock();
}

void rpc_notify_locked(struct rpc_request *request)
{
	(void)request;
}

const uint8_t *session_daemon_id_locked(void)
{
	return daemon_id;
}

void session_get_side_locked(char side_out[8], uint8_t daemon_id_out[16])
{
	strcpy(side_out, "dpu");
	memcpy(daemon_id_out, daemon_id, sizeof(daemon_id));
}

doca_error_t session_get_side(char side_out[8], uint8_t daemon_id_out[16])
{
	session_get_side_locked(side_out, daemon_id_out);
	return DOCA_SUCCESS;
}

struct session_page *session_page_ref_locked(void)
{
	return NULL;
}

void session_page_unref_locked(struct session_page *page)
{
	(void)page;
}

bool session_knows_files_locked(void)
{
	return true;
}

bool session_knows_same_user_locked(void)
{
	return true;
}

unsigned session_ptracer_locked(void)
{
	return 0;
}

doca_error_t session_ensure_locked(void)
{
	return DOCA_SUCCESS;
}

/* The library's thread connects at once. */
void session_reconnect_locked(bool is_quiet)
{
	struct session_item *item, *tmp;

	(void)is_quiet;
	if (n_away > 0 && --n_away == 0)
		restart_locked();
	list_for_each_safe(item, tmp, &items, node)
	{
		if (n_away == 0 && item->must_register)
			item->on_reconnect(item);
		item->must_register = false;
	}
}

unsigned rpc_connection_locked(void)
{
	return n_connections;
}

int rpc_fd_locked(void)
{
	if (n_away > 0)
		return -1;
	if (session_fd < 0)
		session_fd = fd_eventfd();
	return session_fd;
}

void fake_respond(void)
{
	fake_is_unresponsive = false;
	if (session_fd >= 0)
		fd_eventfd_ring(session_fd);
}

void session_check_hangup(void)
{
}

void rpc_lock(void)
{
	pthread_mutex_lock(&lock);
}

void rpc_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void session_item_add_locked(struct session_item *item)
{
	list_append(&items, &item->node);
}

void session_item_remove_locked(struct session_item *item)
{
	list_remove(&item->node);
}
