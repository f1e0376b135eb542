/*
 * A connection with remote rings (client/comch/remote/ring.h), whose other end and daemon are
 * hostile. The input lets the connection send, receive and sleep, lets requests to the RDMA device
 * complete or fail, and writes any word of the channel, of the ring that the other end writes its
 * messages to, and of the memory that this end's messages go to.
 *
 * Requests write the other end's ring only, and of its header only the word that closes it. A
 * message that is delivered is not longer than agreed. Each task is returned once, and nothing is
 * left when the connection is closed.
 */
#include <endian.h>
#include <unistd.h>

#include "tests/fuzz/ends.h"
#include "tests/fuzz/fake_requester.h"
#include "tests/fuzz/ring_memory.h"
#include "tests/fuzz/scribble.h"
#include "util/export_descriptor.h"
#include "util/fd.h"
#include "util/memfd.h"

#define RING_LEN   4096u
#define MAX_MSG    1000u
#define QUEUE      8u
#define N_SENDS    16u
#define SHORT_LEN  512u /* the shortest requests that a device may allow */
#define CHANNEL_ID 5u

/* Variants that the first byte of an input selects. */
#define IS_SCRIBBLED 1u  /* a second thread writes too */
#define IS_RELAYED   2u  /* the daemon knows of no remote rings */
#define IS_SMALL     4u  /* the device takes short requests */
#define IS_LATE      8u  /* the daemons answer when a step of the input makes them */
#define IS_REFUSED   16u /* they refuse the exports and imports */
#define IS_SLOW      32u /* the device returns requests one at a time */

static struct comch owner;
static struct doca_comch_connection conn;
static struct event_writer events = EVENT_WRITER_INIT;
static unsigned n_sends; /* tasks that are not freed */
static uint8_t sent[MAX_MSG];
static volatile uint8_t sink;
static const uint8_t peer_daemon[16] = {7};

/* The daemon's end of the channel. */
static struct channel_header *channel;
static uint8_t *areas[2];
static struct ring_producer daemon_tx;
static struct ring_consumer daemon_rx;

/* The other end, as the writer of our ring. */
static struct ring_producer peer_tx;
static uint64_t n_batches;

/* --- the connection --- */

static doca_error_t owner_start(struct doca_ctx *ctx)
{
	(void)ctx;
	return DOCA_SUCCESS;
}

static void owner_stop(struct doca_ctx *ctx)
{
	(void)ctx;
	comch_connection_hang_up(&conn);
}

static bool owner_stopped(const struct doca_ctx *ctx)
{
	(void)ctx;
	return true;
}

static void owner_release(struct doca_ctx *ctx)
{
	ctx_set_polled(ctx, false);
	comch_connection_close(&conn);
	comch_remote_rings_close(&owner);
}

static uint8_t owner_poll(struct doca_ctx *ctx)
{
	int r;

	if (ctx->state != DOCA_CTX_STATE_RUNNING)
		return 0;
	if (owner.remote_rings != NULL)
		comch_remote_rings_poll(&owner);
	r = comch_connection_poll(&conn);
	if (r == COMCH_POLL_END)
		ctx_fail(ctx);
	return r != COMCH_POLL_NOTHING;
}

static bool owner_arm(struct doca_ctx *ctx)
{
	return ctx->state == DOCA_CTX_STATE_RUNNING &&
	       (comch_remote_rings_arm(&owner) | comch_connection_arm(&conn));
}

static void owner_disarm(struct doca_ctx *ctx)
{
	(void)ctx;
	comch_remote_rings_disarm(&owner);
	comch_connection_disarm(&conn);
}

static const struct ctx_ops owner_ops = {
	.name = "fuzz",
	.counted_as = COUNTERS_COMCH_CLIENT,
	.start = owner_start,
	.stop = owner_stop,
	.stopped = owner_stopped,
	.release = owner_release,
	.poll = owner_poll,
	.arm = owner_arm,
	.disarm = owner_disarm,
};

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *of)
{
	FUZZ_CHECK(event == &owner.recv_event && of == &conn && len <= MAX_MSG);
	for (uint32_t i = 0; i < len; i++)
		sink ^= bytes[i];
}

static void on_sent_checked(struct doca_comch_task_send *task, union doca_data user,
			    union doca_data ctx_user)
{
	(void)user;
	(void)ctx_user;
	FUZZ_CHECK(n_sends > 0);
	n_sends--;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void open_all(void)
{
	size_t data_at;

	ends_open();
	ends_info.caps.comch_client = true;
	ends_info.caps.comch_max_name_len = 32;
	ends_info.caps.comch_max_msg_size = MAX_MSG;
	ends_info.caps.comch_max_recv_queue = QUEUE;
	ends_info.caps.comch_max_send_tasks = N_SENDS;
	remote_len = remote_ring_plan(RING_LEN, remote_ring_n_commits(QUEUE, RING_LEN),
				      sizeof(struct remote_ring_commit), &data_at);
	remote = aligned_alloc(REMOTE_RING_ALIGN, remote_len);
	FUZZ_CHECK(remote != NULL);
	FUZZ_CHECK(comch_init(&owner, &owner_ops, &ends_dev, "fuzz", false) == DOCA_SUCCESS);
	owner.recv_cb = on_message;
	exposure_ends = scribble_end;
	FUZZ_CHECK(comch_make_copy(&owner) == DOCA_SUCCESS);
	FUZZ_CHECK(comch_send_set_conf(&owner, on_sent_checked, on_sent_checked, N_SENDS, "fuzz") ==
		   DOCA_SUCCESS);
	FUZZ_CHECK(event_writer_init(&events) == 0);
	FUZZ_CHECK(event_reader_init(&owner.events.reader, fd_dup(events.memfd),
				     fd_dup(events.eventfd), sizeof(struct event_ring)) == 0);
	FUZZ_CHECK(doca_pe_connect_ctx(ends_pe, &owner.ctx) == DOCA_SUCCESS);
}

/* The channel that the daemon made; `how` chooses a fault, `value` what it is. */
static int make_channel(Dococore__ChannelReply *reply, uint8_t how, uint64_t value)
{
	struct channel_header header = {
		.magic = CHANNEL_MAGIC, .version = CHANNEL_LAYOUT, .ring_len = RING_LEN};
	uint32_t *const words[] = {&header.magic,
				   &header.version,
				   &header.ring_len,
				   &reply->ring_len,
				   &reply->max_msg_size,
				   &reply->recv_queue_size,
				   &reply->peer_recv_queue_size};
	int memfd = memfd_create_sealed("channel", CHANNEL_HEADER_LEN + 2 * RING_LEN);

	reply->channel_id = CHANNEL_ID;
	reply->ring_len = RING_LEN;
	reply->max_msg_size = MAX_MSG;
	reply->recv_queue_size = reply->peer_recv_queue_size = QUEUE;
	reply->peer_daemon_id.data = (uint8_t *)(uintptr_t)peer_daemon;
	reply->peer_daemon_id.len = sizeof(peer_daemon);
	reply->remote_consumers = true;
	if (how > 0 && how <= ARRAY_LEN(words))
		*words[how - 1] = (uint32_t)value;
	FUZZ_CHECK(memfd >= 0 && pwrite(memfd, &header, sizeof(header), 0) > 0);
	return memfd;
}

static doca_error_t open_channel(struct doca_comch_connection *of, bool remote_rings, uint8_t how,
				 uint64_t value)
{
	Dococore__ChannelReply reply = DOCOCORE__CHANNEL_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct rpc_reply answer = {.packet = &packet, .fds = FDSET_INIT};
	struct comch_fetch fetch = {.channel_id = CHANNEL_ID};
	int memfd = make_channel(&reply, how, value);
	doca_error_t result;

	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_REPLY;
	packet.channel_reply = &reply;
	reply.remote_rings = remote_rings;
	comch_connection_init(of, &owner);
	fdset_add(&answer.fds, memfd);
	fdset_add(&answer.fds, fd_eventfd());
	fdset_add(&answer.fds, how == 8 ? fd_dup(memfd) : fd_eventfd());
	if (of == &conn) {
		channel = memfd_map(memfd, 0, CHANNEL_HEADER_LEN, true);
		for (size_t i = 0; i < 2; i++)
			areas[i] = memfd_map_twice(memfd, CHANNEL_HEADER_LEN + i * RING_LEN,
						   RING_LEN);
		FUZZ_CHECK(channel != NULL && areas[0] != NULL && areas[1] != NULL);
		ring_producer_init(&daemon_tx, &channel->ring[0], areas[0], RING_LEN, MAX_MSG,
				   QUEUE);
		ring_consumer_init(&daemon_rx, &channel->ring[1], areas[1], RING_LEN, MAX_MSG);
	}
	result = comch_connection_open(of, &fetch, DOCA_SUCCESS, &answer);
	fdset_deinit(&answer.fds);
	return result;
}

/* A channel that is described wrongly. */
static void open_invalid(uint8_t how, uint64_t value)
{
	static struct doca_comch_connection other;

	memset(&other, 0, sizeof(other));
	if (open_channel(&other, false, how % 9, value) == DOCA_SUCCESS)
		FUZZ_CHECK(how % 9 != 8);
	comch_connection_close(&other);
}

/* --- steps --- */

static void send_message(struct ends_step step)
{
	struct doca_comch_task_send *task;
	struct doca_task *base;

	if (comch_send_alloc(&owner, &conn, sent, step.where % (MAX_MSG + 1), &task, "fuzz") !=
	    DOCA_SUCCESS)
		return;
	base = doca_comch_task_send_as_task(task);
	n_sends++;
	if (doca_task_submit_ex(base, step.how & 1 ? DOCA_TASK_SUBMIT_FLAG_NONE
						   : DOCA_TASK_SUBMIT_FLAG_FLUSH) == DOCA_SUCCESS)
		return;
	n_sends--;
	doca_task_free(base);
}

/* A message through the daemons. */
static void relay_message(const void *bytes, uint32_t len, uint32_t kind)
{
	if (ring_producer_room(&daemon_tx, len) != 1)
		return;
	memcpy(ring_producer_payload(&daemon_tx), bytes, len);
	(void)ring_producer_publish(&daemon_tx, len, kind);
}

/* The other end offers its ring; `how` chooses a fault, `value` what it is. */
static void relay_offer(struct ends_step step)
{
	_Alignas(8) uint8_t bytes[sizeof(struct remote_ring_offer) + EXPORT_DESCRIPTOR_LEN];
	struct remote_ring_offer *offer = (void *)bytes;
	struct export_descriptor descriptor = {.kind = DOCOCORE__EXPORT_KIND__RDMA,
					       .permissions = DOCA_ACCESS_FLAG_RDMA_READ |
							      DOCA_ACCESS_FLAG_RDMA_WRITE,
					       .export_id = 1,
					       .addr = (uintptr_t)remote,
					       .len = remote_len,
					       .has_key = true};

	memcpy(descriptor.daemon_id, peer_daemon, sizeof(peer_daemon));
	offer->version = htole32(REMOTE_RING_VERSION);
	offer->n_commits = htole32(remote_ring_n_commits(QUEUE, RING_LEN));
	switch (step.how % 16) {
	case 1:
		descriptor.kind = (uint8_t)step.value;
		break;
	case 2:
		descriptor.permissions = (uint32_t)step.value;
		break;
	case 3:
		descriptor.len = step.value;
		break;
	case 4:
		descriptor.has_key = false;
		break;
	case 5:
		descriptor.daemon_id[step.where % 16] ^= (uint8_t)step.value;
		break;
	case 6:
		offer->version = (uint32_t)step.value;
		break;
	case 7:
		offer->n_commits = (uint32_t)step.value;
		break;
	default:
		break;
	}
	export_descriptor_encode(&descriptor, offer->export_desc);
	if (step.how % 16 == 8)
		offer->export_desc[step.where % EXPORT_DESCRIPTOR_LEN] ^= (uint8_t)step.value;
	relay_message(bytes, step.how % 16 == 9 ? step.where % sizeof(bytes) : sizeof(bytes),
		      RING_MSG_REMOTE_RING);
}

/* The other end writes a batch of one message to its ring; the step chooses what is wrong. */
static void write_batch(struct ends_step step)
{
	struct remote_ring_commit *commit;
	_Atomic uint64_t *header;
	uint32_t len = step.where % (MAX_MSG + 1);
	uint64_t at = peer_tx.pos, span, word;

	if (export == NULL || ring_producer_room(&peer_tx, len) != 1)
		return;
	commit = (struct remote_ring_commit *)(void *)(export->memory.bytes + REMOTE_RING_ALIGN) +
		 (n_batches & (remote_ring_n_commits(QUEUE, RING_LEN) - 1));
	memset(ring_producer_payload(&peer_tx), step.how, len);
	(void)ring_producer_publish(&peer_tx, len, step.how % 8 == 7 ? RING_MSG_REMOTE_RING : 0);
	span = step.how % 8 == 6 ? step.value >> 32 : peer_tx.pos - at;
	header = (void *)(export->memory.area + (at & (RING_LEN - 1)));
	/* The owner stores the header of the batch's first message itself. */
	word = step.how % 8 == 5 ? step.value : atomic_load(header);
	atomic_store(header, step.how % 8 == 4 ? step.value : 0);
	atomic_store(&commit->header, word);
	atomic_store(&commit->word, span << 32 | (uint32_t)(++n_batches));
}

static void poke(void *base, size_t len, size_t word, uint64_t value)
{
	uint64_t *words = base;

	__atomic_store_n(&words[word % (len / sizeof(value))], value, __ATOMIC_RELAXED);
}

static void write_shared(struct ends_step step)
{
	struct remote_ring_header *header = (void *)remote;

	switch (step.how % 8) {
	case 0:
		poke(channel->ring, sizeof(channel->ring), step.where, step.value);
		break;
	case 1:
		poke(areas[0], RING_LEN, step.where, step.value);
		break;
	case 2:
		poke(remote, sizeof(*header), step.where, step.value);
		break;
	case 3: /* an honest reader of the other machine has received everything */
		atomic_store(&header->ring.consumed_msgs, conn.tx.n_msgs);
		atomic_store(&header->ring.consumed_pos, conn.tx.pos);
		break;
	case 4:
		atomic_store(&header->ring.armed, (uint32_t)step.value & 3);
		break;
	default:
		if (export != NULL)
			poke(export->memory.bytes, export->memory.len, step.where, step.value);
	}
}

static void daemon_receives(void)
{
	const void *payload;
	uint32_t len, kind;

	while (ring_consumer_peek(&daemon_rx, &payload, &len, &kind) == 1)
		(void)ring_consumer_release(&daemon_rx, len);
}

static void change_device(struct ends_step step)
{
	static const doca_error_t results[] = {DOCA_ERROR_AGAIN, DOCA_ERROR_CONNECTION_RESET};
	static const enum requester_state states[] = {REQUESTER_CALLED, REQUESTER_READY,
						      REQUESTER_FAILED};

	switch (step.how % 8) {
	case 0:
		fake_device.state = states[step.value % 3];
		break;
	case 1:
		fake_device.post_result = results[step.value % 2];
		break;
	case 2:
		fake_device.tear = step.value;
		break;
	case 3:
		fake_device.cannot_open = step.value & 1;
		break;
	case 4:
		fake_device_complete(1, DOCA_ERROR_CONNECTION_RESET);
		break;
	case 5:
		work_result = step.value & 1 ? DOCA_ERROR_NOT_FOUND : DOCA_SUCCESS;
		break;
	default: /* the daemons answer */
		is_done = step.value & 1;
		if (export != NULL)
			atomic_store(&export->async.is_done, true);
		if (import != NULL)
			atomic_store(&import->async.is_done, true);
	}
}

static void end_one(struct ends_step step)
{
	switch (step.how % 4) {
	case 0: /* as a server, which waits for all connections together */
		if (step.value & 1)
			comch_remote_rings_drain(&owner);
		(void)doca_ctx_stop(&owner.ctx);
		break;
	case 1:
		comch_connection_peer_left(&conn, step.value & 1 ? DOCA_ERROR_CONNECTION_RESET
								 : DOCA_SUCCESS);
		break;
	case 2:
		if (export != NULL)
			atomic_store(&export->exported.is_revoked, true);
		break;
	default:
		(void)ring_producer_close(export != NULL && step.value & 1 ? &peer_tx : &daemon_tx);
	}
}

static void run_step(struct ends_step step, bool is_scribbled)
{
	switch (step.what % 16) {
	case 0:
	case 1:
	case 2:
		send_message(step);
		break;
	case 3:
	case 4:
		ends_progress(step.how % 16 + 1);
		break;
	case 5:
		fake_device_complete(step.how % 8 + 1, DOCA_SUCCESS);
		ends_progress(step.where % 4);
		break;
	case 6:
		relay_message(sent, step.where % (MAX_MSG + 1),
			      step.how % 4 ? RING_MSG_DATA : (uint32_t)step.value);
		break;
	case 7:
		relay_offer(step);
		break;
	case 8:
		relay_message(sent, 0, RING_MSG_REMOTE_RING);
		break;
	case 9:
		write_batch(step);
		break;
	case 10:
		write_shared(step);
		break;
	case 11:
		daemon_receives();
		break;
	case 12:
		change_device(step);
		break;
	case 13:
		if (step.where % 8 == 0)
			end_one(step);
		else if (step.where % 8 == 1)
			open_invalid(step.how, step.value);
		break;
	case 14:
		(void)doca_pe_request_notification(ends_pe);
		if (step.how & 1)
			(void)doca_pe_clear_notification(ends_pe, 0);
		ends_now_ns += step.value % NS_PER_SEC;
		break;
	default:
		if (is_scribbled && export != NULL)
			scribble_begin((uint64_t *)(void *)export->memory.bytes +
					       step.where % (export->memory.len / 8),
				       step.value, 1ull << step.how % 64);
	}
}

static void begin(uint8_t how)
{
	memset(remote, 0, remote_len);
	fake_device = (struct fake_device){
		.bytes = remote,
		.len = remote_len,
		.write_at = offsetof(struct remote_ring_header, ring.closed),
		.state = REQUESTER_READY,
		.is_slow = how & IS_SLOW,
		.max_message = how & IS_SMALL ? SHORT_LEN : 1u << 20,
	};
	is_done = !(how & IS_LATE);
	work_result = how & IS_REFUSED ? DOCA_ERROR_NOT_FOUND : DOCA_SUCCESS;
	ends_now_ns = NS_PER_SEC;
	memset(&conn, 0, sizeof(conn));
	FUZZ_CHECK(doca_ctx_start(&owner.ctx) == DOCA_SUCCESS);
	FUZZ_CHECK(open_channel(&conn, !(how & IS_RELAYED), 0, 0) == DOCA_SUCCESS);
	ctx_set_polled(&owner.ctx, true);
	n_batches = 0;
	if (export != NULL)
		ring_producer_init(&peer_tx, (void *)export->memory.bytes, export->memory.area,
				   RING_LEN, MAX_MSG, QUEUE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t how;

	if (len == 0)
		return 0;
	if (ends_pe == NULL)
		open_all();
	how = data[0];
	begin(how);
	for (data++, len--; len >= ENDS_STEP_LEN; data += ENDS_STEP_LEN, len -= ENDS_STEP_LEN)
		run_step(ends_step_read(data), how & IS_SCRIBBLED);
	scribble_end();
	ends_stop(&owner.ctx);
	ends_progress(2 * N_SENDS);
	FUZZ_CHECK(n_sends == 0 && fake_device.n_open == 0);
	FUZZ_CHECK(export == NULL && import == NULL && owner.remote_rings == NULL);
	for (size_t i = 0; i < 2; i++)
		memfd_unmap_twice(areas[i], RING_LEN);
	memfd_unmap(channel, CHANNEL_HEADER_LEN);
	return 0;
}

/* Both directions switch to remote rings, and messages follow. */
static size_t seed_honest(unsigned i, uint8_t *source)
{
	static const struct ends_step begins[] = {
		{.what = 3, .how = 4},
		{.what = 11},
		{.what = 7},
		{.what = 3, .how = 4},
		{.what = 5, .how = 7, .where = 3},
		{.what = 3, .how = 4},
		{.what = 8},
		{.what = 3, .how = 4},
		{.what = 11},
	};
	static const uint8_t follows[] = {0, 1, 5, 9, 3, 2, 10, 5, 14, 4};
	static const uint16_t lens[] = {1, 8, 33, 64, 65, 200, 700, 1000};
	uint8_t *at = source;

	*at++ = (uint8_t)(i * 2);
	for (size_t k = 0; k < ARRAY_LEN(begins); k++)
		ends_step_write(&at, begins[k]);
	if (i * 2 & IS_LATE)
		ends_step_write(&at, (struct ends_step){.what = 12, .how = 7, .value = 1});
	for (unsigned k = 0; k < 60; k++) {
		struct ends_step step = {follows[k % 10], 0, lens[(k / 10 + i) % 8], 1};

		if (step.what == 10) /* the reader has received everything, or sleeps */
			step.how = 3 + (k / 10 & 1);
		if (step.what == 5)
			step.how = 7;
		ends_step_write(&at, step);
	}
	/* It stops with requests in flight. */
	ends_step_write(&at, (struct ends_step){.what = 0, .where = 900});
	ends_step_write(&at, (struct ends_step){.what = 13, .value = i & 1});
	return (size_t)(at - source);
}

size_t fuzz_seed(unsigned i, uint8_t *source, size_t out_len)
{
	if (i >= 64 || out_len < 1 + 80 * ENDS_STEP_LEN)
		return 0;
	return i < 32 ? seed_honest(i, source) : ends_seed_any(i, 80, source);
}
