/* Remote rings, the connection's part: their memory, the messages between both ends' libraries, and
 * the batches that have arrived; see client/comch/remote/ring.h. Threads: the owner's. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dococ.h>

#include "client/base/error.h"
#include "client/comch/remote/ring_path.h"
#include "util/blob.h"
#include "util/fd.h"
#include "util/memfd.h"

/* --- memory --- */

uint32_t mirror_n_stamps(uint32_t queue, uint32_t ring_len)
{
	uint32_t most = MIN(queue, ring_len / CHANNEL_MSG_HEADER), n = 1;

	while (n < most)
		n *= 2;
	return n;
}

uint64_t mirror_plan(uint32_t ring_len, uint32_t n_stamps, size_t stamp_len, size_t *data_at_out)
{
	uint64_t part = MAX((uint64_t)MIRROR_PART, memfd_page_size());
	uint64_t data_at = part + ALIGN_UP((uint64_t)n_stamps * stamp_len, part);

	*data_at_out = data_at;
	return data_at + ring_len;
}

bool mirror_memory_open(struct mirror_memory *memory, uint32_t ring_len, uint32_t n_stamps,
			size_t stamp_len)
{
	CLEANUP_FD int memfd = -1;

	memory->ring_len = ring_len;
	memory->len = mirror_plan(ring_len, n_stamps, stamp_len, &memory->data_at);
	memfd = memfd_create_sealed("doca-mirror", memory->len);
	if (memfd < 0)
		return false;
	memory->bytes = memfd_map(memfd, 0, memory->len, true);
	if (memory->bytes != NULL)
		memory->area = memfd_map_twice(memfd, memory->data_at, ring_len);
	return memory->area != NULL;
}

void mirror_memory_close(struct mirror_memory *memory)
{
	if (memory->area != NULL)
		memfd_unmap_twice(memory->area, memory->ring_len);
	if (memory->bytes != NULL)
		memfd_unmap(memory->bytes, memory->len);
	*memory = (struct mirror_memory){.bytes = NULL};
}

static struct channel_ring_ctl *ctl_of(const struct mirror_memory *memory)
{
	return &((struct mirror_header *)(void *)memory->bytes)->ring;
}

/* --- messages between the libraries --- */

/* Sends a message to the other end's library. Returns false if there is no room yet; a sleeping
 * user is woken when there is. */
static bool mirror_say(struct comch_mirror *mirror, const void *msg, uint32_t len)
{
	struct doca_comch_connection *conn = mirror->conn;

	mirror->wants_room = ring_producer_room(&conn->tx, len) != 1;
	if (mirror->wants_room) {
		conn->space_len = MAX(conn->space_len, MAX(len, 1u));
		if (conn->comch->notice != NULL)
			conn->comch->notice(conn);
		return false;
	}
	if (len > 0)
		memcpy(ring_producer_payload(&conn->tx), msg, len);
	if (ring_producer_publish(&conn->tx, len, RING_MSG_MIRROR))
		doorbell_ring(conn->bell_fd);
	return true;
}

static void mirror_withdraw(struct comch_mirror *mirror, const char *why)
{
	sdk_info("comch \"%s\": the other machine's messages are relayed: %s",
		 mirror->of->comch->name, why);
	mirror->of->n_exposed--;
	mirror->exposure = mirror_unexpose(mirror->exposure);
}

static void mirror_offer(struct comch_mirror *mirror)
{
	const struct comch_exposed *exposed = &mirror->exposure->exposed;
	_Alignas(8) uint8_t bytes[sizeof(struct mirror_offer) + BLOB_LEN];
	struct mirror_offer *offer = (void *)bytes;

	offer->version = htole32(MIRROR_VERSION);
	offer->n_stamps = htole32(mirror->n_stamps);
	memcpy(offer->export_desc, exposed->desc, BLOB_LEN);
	mirror->is_offered = mirror_say(mirror, bytes, sizeof(bytes));
	explicit_bzero(bytes, sizeof(bytes));
}

void mirror_offer_deferred(struct comch_mirror *mirror)
{
	const struct mirror_exposure *exposure = mirror->exposure;

	if (exposure == NULL || mirror->is_offered || mirror->conn->state != COMCH_UP ||
	    !mirror_async_is_over(&exposure->async))
		return;
	if (exposure->async.result != DOCA_SUCCESS)
		mirror_withdraw(mirror, exposure->async.why);
	else if (exposure->exposed.desc_len != BLOB_LEN)
		mirror_withdraw(mirror, "its descriptor has another length");
	else
		mirror_offer(mirror);
}

/* Switches the receiving direction: the other end writes to the remote ring from now on. */
static bool mirror_turn_to(struct comch_mirror *mirror)
{
	struct doca_comch_connection *conn = mirror->conn;

	if (!mirror->is_offered || mirror->is_read)
		return false;
	mirror->is_read = true;
	mirror->of->is_unsettled = true;
	conn->rx = mirror->rx;
	conn->n_kept = conn->n_empty = 0;
	conn->publish_at = conn->ring_len / COMCH_PUBLISH_PART;
	conn->drain_left = mirror->queue;
	/* Arms the new ring if the former one was armed. */
	if (conn->armed)
		ring_consumer_arm_begin(&conn->rx);
	sdk_debug("comch \"%s\": messages of the other machine come by its RDMA device",
		  conn->comch->name);
	return true;
}

bool comch_mirror_heard(struct doca_comch_connection *conn, const uint8_t *payload, uint32_t len)
{
	struct comch_mirror *mirror = conn->mirror;
	uint8_t bytes[sizeof(struct mirror_offer) + BLOB_LEN];
	struct mirror_offer offer;
	bool fits = len == sizeof(bytes);

	/* This end had no memory for a remote ring. The other end has broken no rule. */
	if (mirror == NULL && conn->may_be_offered && len != 0) {
		conn->may_be_offered = false;
		ring_consumer_advance(&conn->rx, len);
		comch_connection_publish(conn);
		return true;
	}
	if (mirror == NULL || mirror->is_read || (len != 0 && mirror->was_offered))
		return false;
	if (fits)
		memcpy(bytes, payload, len);
	ring_consumer_advance(&conn->rx, len);
	comch_connection_publish(conn);
	if (len == 0)
		return mirror_turn_to(mirror);
	mirror->was_offered = true;
	if (!fits)
		return false;
	memcpy(&offer, bytes, sizeof(offer));
	/* With another version, messages continue to be relayed. */
	if (le32toh(offer.version) == MIRROR_VERSION && le32toh(offer.n_stamps) == mirror->n_stages)
		mirror_reach(mirror, bytes + sizeof(offer));
	explicit_bzero(bytes, sizeof(bytes));
	return true;
}

void mirror_switch(struct comch_mirror *mirror)
{
	struct doca_comch_connection *conn = mirror->conn;
	struct channel_ring_ctl *ctl = ctl_of(&mirror->out);

	/* An offer goes through the daemons, so it must be sent before the switch. */
	if ((mirror->exposure != NULL && !mirror->is_offered) || !mirror_say(mirror, NULL, 0))
		return;
	if (conn->armed && conn->space_len != 0)
		ring_producer_disarm(&conn->tx);
	mirror->relayed_tx = conn->tx;
	ring_producer_init(&conn->tx, ctl, mirror->out.area, conn->ring_len, conn->max_msg,
			   mirror->peer_queue);
	/* Armed permanently, because the ring of the doorbell posts the message. */
	atomic_store(&ctl->armed, CHANNEL_SLEEPING);
	mirror->state = MIRROR_UP;
	sdk_debug("comch \"%s\": messages to the other machine go by an RDMA device",
		  conn->comch->name);
}

/* --- batches that have arrived --- */

/* Requests a credit read: the other end has sent messages, so it may also have received some. */
static void mirror_doubt_credit(struct comch_mirror *mirror)
{
	const struct ring_producer *tx = &mirror->conn->tx;

	if (mirror->state != MIRROR_UP ||
	    atomic_load_explicit(&tx->ctl->consumed_msgs, memory_order_relaxed) == tx->n_msgs)
		return;
	mirror->must_look = true;
	mirror->of->is_unsettled = true;
}

/* Makes the next batch available in the ring. Returns 1, 0 if it has not arrived, or -EPROTO. */
static int mirror_admit(struct comch_mirror *mirror)
{
	const struct ring_consumer *rx = &mirror->conn->rx;
	struct mirror_stamp *stamp = &mirror->stamps[mirror->n_admitted & (mirror->n_stamps - 1)];
	uint64_t word = atomic_load_explicit(&stamp->word, memory_order_acquire);
	uint64_t header, len = word >> 32;
	_Atomic uint64_t *first, *after;

	if ((uint32_t)word != (uint32_t)(mirror->n_admitted + 1))
		return 0;
	header = atomic_load_explicit(&stamp->header, memory_order_relaxed);
	if (header == 0 || len < CHANNEL_MSG_HEADER || len % CHANNEL_MSG_HEADER != 0 ||
	    len > rx->mask + 1 - CHANNEL_MSG_HEADER)
		return -EPROTO;
	first = (void *)(rx->data + (rx->pos & rx->mask));
	after = (void *)(rx->data + ((rx->pos + len) & rx->mask));
	atomic_store_explicit(after, 0, memory_order_relaxed);
	atomic_store_explicit(first, header, memory_order_release);
	mirror->n_admitted++;
	mirror_doubt_credit(mirror);
	return 1;
}

int comch_mirror_peek(struct doca_comch_connection *conn, const void **payload_out,
		      uint32_t *len_out, uint32_t *kind_out)
{
	struct comch_mirror *mirror = conn->mirror;
	int r = mirror->is_read ? mirror_admit(mirror) : 0;

	return r <= 0 ? r : ring_consumer_peek(&conn->rx, payload_out, len_out, kind_out);
}

/* --- opening --- */

bool comch_mirror_is_known(const struct comch *comch)
{
	return !comch->has_no_mirrors && comch_exposes(comch->ctx.dev);
}

static struct comch_mirrors *mirrors_of(struct comch *comch)
{
	struct comch_mirrors *mirrors = comch->mirrors;

	if (mirrors != NULL)
		return mirrors;
	mirrors = calloc(1, sizeof(*mirrors));
	if (mirrors == NULL)
		return NULL;
	mirrors->comch = comch;
	list_init(&mirrors->all);
	comch->mirrors = mirrors;
	return mirrors;
}

/* Exports the memory of a remote ring. If that fails, the daemons relay the other end's
 * messages. */
static void mirror_begin(struct comch_mirror *mirror)
{
	struct doca_comch_connection *conn = mirror->conn;
	struct mirror_memory memory = {.bytes = NULL};

	/* Each remote ring uses a queue pair of the process, and copies need queue pairs too. */
	if (mirror->of->n_exposed >= MIRROR_MAX ||
	    sizeof(struct mirror_offer) + BLOB_LEN > conn->max_msg)
		return;
	if (!mirror_memory_open(&memory, conn->ring_len, mirror->n_stamps,
				sizeof(struct mirror_stamp))) {
		(void)error_note(DOCA_ERROR_NO_MEMORY, "no memory for a ring");
	} else {
		ring_consumer_init(&mirror->rx, ctl_of(&memory), memory.area, conn->ring_len,
				   conn->max_msg);
		mirror->stamps = (void *)(memory.bytes + MIRROR_PART);
		mirror->exposure = mirror_expose(conn, &memory);
	}
	mirror_memory_close(&memory);
	if (mirror->exposure == NULL) {
		sdk_info("comch \"%s\": the other machine's messages are relayed: %s",
			 conn->comch->name, dococ_last_error());
		return;
	}
	mirror->of->n_exposed++;
	mirror->of->is_unsettled = true;
}

void comch_mirror_open(struct doca_comch_connection *conn, const Dococore__ChannelReply *reply)
{
	struct comch_mirrors *mirrors = mirrors_of(conn->comch);
	struct comch_mirror *mirror = mirrors == NULL ? NULL : calloc(1, sizeof(*mirror));

	if (mirror == NULL)
		return;
	for (size_t i = 0; i < MIRROR_WRS; i++) {
		mirror->wrs[i].mirror = mirror;
		mirror->wrs[i].next = mirror->free;
		mirror->free = &mirror->wrs[i];
	}
	mirror->held_tail = &mirror->held;
	mirror->of = mirrors;
	mirror->conn = conn;
	mirror->channel_id = conn->channel_id;
	mirror->queue = reply->recv_queue_size;
	mirror->peer_queue = reply->peer_recv_queue_size;
	mirror->n_stamps = mirror_n_stamps(mirror->queue, conn->ring_len);
	mirror->n_stages = mirror_n_stamps(mirror->peer_queue, conn->ring_len);
	mirror->knows_peer_daemon = reply->peer_daemon_id.len == sizeof(mirror->peer_daemon_id);
	if (mirror->knows_peer_daemon)
		memcpy(mirror->peer_daemon_id, reply->peer_daemon_id.data,
		       sizeof(mirror->peer_daemon_id));
	list_append(&mirrors->all, &mirror->node);
	conn->mirror = mirror;
	mirror_begin(mirror);
}

void comch_mirror_close(struct doca_comch_connection *conn)
{
	struct comch_mirror *mirror = conn->mirror;

	if (mirror == NULL)
		return;
	conn->mirror = NULL;
	mirror_end_all_tasks(mirror, DOCA_ERROR_CONNECTION_RESET);
	mirror->of->n_exposed -= mirror->exposure != NULL;
	mirror->exposure = mirror_unexpose(mirror->exposure);
	mirror->conn = NULL;
	mirror->state = MIRROR_BROKEN;
	mirror_let_go(mirror);
}
