/* Remote rings, the connection's part: their memory, the messages between both ends' libraries, and
 * the batches that have arrived; see client/comch/remote/ring.h. Threads: the owner's. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dococ.h>

#include "client/base/error.h"
#include "client/comch/remote/ring_path.h"
#include "util/export_descriptor.h"
#include "util/fd.h"
#include "util/memfd.h"

/* --- memory --- */

uint32_t remote_ring_n_commits(uint32_t queue, uint32_t ring_len)
{
	uint32_t most = MIN(queue, ring_len / CHANNEL_MSG_HEADER), n = 1;

	while (n < most)
		n *= 2;
	return n;
}

uint64_t remote_ring_plan(uint32_t ring_len, uint32_t n_commits, size_t commit_len,
			  size_t *data_at_out)
{
	uint64_t part = MAX((uint64_t)REMOTE_RING_ALIGN, memfd_page_size());
	uint64_t data_at = part + ALIGN_UP((uint64_t)n_commits * commit_len, part);

	*data_at_out = data_at;
	return data_at + ring_len;
}

bool remote_ring_memory_open(struct remote_ring_memory *memory, uint32_t ring_len,
			     uint32_t n_commits, size_t commit_len)
{
	CLEANUP_FD int memfd = -1;

	memory->ring_len = ring_len;
	memory->len = remote_ring_plan(ring_len, n_commits, commit_len, &memory->data_at);
	memfd = memfd_create_sealed("doca-remote-ring", memory->len);
	if (memfd < 0)
		return false;
	memory->bytes = memfd_map(memfd, 0, memory->len, true);
	if (memory->bytes != NULL)
		memory->area = memfd_map_twice(memfd, memory->data_at, ring_len);
	return memory->area != NULL;
}

void remote_ring_memory_close(struct remote_ring_memory *memory)
{
	if (memory->area != NULL)
		memfd_unmap_twice(memory->area, memory->ring_len);
	if (memory->bytes != NULL)
		memfd_unmap(memory->bytes, memory->len);
	*memory = (struct remote_ring_memory){.bytes = NULL};
}

static struct channel_ring_ctl *ctl_of(const struct remote_ring_memory *memory)
{
	return &((struct remote_ring_header *)(void *)memory->bytes)->ring;
}

/* --- messages between the libraries --- */

/* Sends a message to the other end's library. Returns false if there is no room yet; a sleeping
 * user is woken when there is. */
static bool remote_ring_send_control(struct comch_remote_ring *remote_ring, const void *msg,
				     uint32_t len)
{
	struct doca_comch_connection *conn = remote_ring->conn;

	remote_ring->wants_room = ring_producer_room(&conn->tx, len) != 1;
	if (remote_ring->wants_room) {
		conn->space_len = MAX(conn->space_len, MAX(len, 1u));
		if (conn->comch->activate != NULL)
			conn->comch->activate(conn);
		return false;
	}
	if (len > 0)
		memcpy(ring_producer_payload(&conn->tx), msg, len);
	if (ring_producer_publish(&conn->tx, len, RING_MSG_REMOTE_RING))
		doorbell_ring(conn->doorbell_fd);
	return true;
}

static void remote_ring_withdraw(struct comch_remote_ring *remote_ring, const char *reason)
{
	sdk_info("comch \"%s\": the other machine's messages are relayed: %s",
		 remote_ring->rings->comch->name, reason);
	remote_ring->rings->n_exports--;
	remote_ring->export = remote_ring_export_end(remote_ring->export);
	remote_ring_enter_rx(remote_ring, REMOTE_RING_RX_RELAYED);
}

static void remote_ring_offer(struct comch_remote_ring *remote_ring)
{
	const struct comch_exported *exported = &remote_ring->export->exported;
	_Alignas(8) uint8_t bytes[sizeof(struct remote_ring_offer) + EXPORT_DESCRIPTOR_LEN];
	struct remote_ring_offer *offer = (void *)bytes;

	offer->version = htole32(REMOTE_RING_VERSION);
	offer->n_commits = htole32(remote_ring->n_commits);
	memcpy(offer->export_desc, exported->desc, EXPORT_DESCRIPTOR_LEN);
	if (remote_ring_send_control(remote_ring, bytes, sizeof(bytes)))
		remote_ring_enter_rx(remote_ring, REMOTE_RING_RX_OFFERED);
	explicit_bzero(bytes, sizeof(bytes));
}

void remote_ring_offer_deferred(struct comch_remote_ring *remote_ring)
{
	const struct remote_ring_export *export = remote_ring->export;

	if (remote_ring->rx_state != REMOTE_RING_RX_EXPORTING ||
	    remote_ring->conn->state != COMCH_UP || !remote_ring_async_is_done(&export->async))
		return;
	if (export->async.result != DOCA_SUCCESS)
		remote_ring_withdraw(remote_ring, export->async.reason);
	else if (export->exported.desc_len != EXPORT_DESCRIPTOR_LEN)
		remote_ring_withdraw(remote_ring, "its descriptor has another length");
	else
		remote_ring_offer(remote_ring);
}

/* Switches the receiving direction: the other end writes to the remote ring from now on. */
static bool remote_ring_switch_rx(struct comch_remote_ring *remote_ring)
{
	struct doca_comch_connection *conn = remote_ring->conn;

	if (remote_ring->rx_state != REMOTE_RING_RX_OFFERED)
		return false;
	remote_ring_enter_rx(remote_ring, REMOTE_RING_RX_UP);
	remote_ring->rings->needs_poll = true;
	conn->rx = remote_ring->rx;
	conn->n_unreleased = conn->n_empty = 0;
	conn->publish_at = conn->ring_len / COMCH_PUBLISH_PART;
	conn->n_unread_max = remote_ring->queue;
	/* Arms the new ring if the former one was armed. */
	if (conn->armed)
		ring_consumer_arm_begin(&conn->rx);
	sdk_debug("comch \"%s\": the other machine writes its messages with its RDMA device",
		  conn->comch->name);
	return true;
}

bool comch_remote_ring_receive_control(struct doca_comch_connection *conn, const uint8_t *payload,
				       uint32_t len)
{
	struct comch_remote_ring *remote_ring = conn->remote_ring;
	uint8_t bytes[sizeof(struct remote_ring_offer) + EXPORT_DESCRIPTOR_LEN];
	struct remote_ring_offer offer;
	bool fits = len == sizeof(bytes);

	/* This end had no memory for a remote ring. The other end has broken no rule. */
	if (remote_ring == NULL && conn->may_be_offered && len != 0) {
		conn->may_be_offered = false;
		ring_consumer_advance(&conn->rx, len);
		comch_connection_publish(conn);
		return true;
	}
	if (remote_ring == NULL || remote_ring_rx_is_switched(remote_ring) ||
	    (len != 0 && remote_ring->offer_received))
		return false;
	if (fits)
		memcpy(bytes, payload, len);
	ring_consumer_advance(&conn->rx, len);
	comch_connection_publish(conn);
	if (len == 0)
		return remote_ring_switch_rx(remote_ring);
	remote_ring->offer_received = true;
	if (!fits)
		return false;
	memcpy(&offer, bytes, sizeof(offer));
	/* With another version, messages continue to be relayed. */
	if (le32toh(offer.version) == REMOTE_RING_VERSION &&
	    le32toh(offer.n_commits) == remote_ring->n_staging)
		remote_ring_import_offer(remote_ring, bytes + sizeof(offer));
	explicit_bzero(bytes, sizeof(bytes));
	return true;
}

void remote_ring_switch_tx(struct comch_remote_ring *remote_ring)
{
	struct doca_comch_connection *conn = remote_ring->conn;
	struct channel_ring_ctl *ctl = ctl_of(&remote_ring->source);

	/* An offer goes through the daemons, so it must be sent before the switch. */
	if (remote_ring->rx_state == REMOTE_RING_RX_EXPORTING ||
	    !remote_ring_send_control(remote_ring, NULL, 0))
		return;
	if (conn->armed && conn->space_len != 0)
		ring_producer_disarm(&conn->tx);
	remote_ring->relayed_tx = conn->tx;
	ring_producer_init(&conn->tx, ctl, remote_ring->source.area, conn->ring_len, conn->max_msg,
			   remote_ring->peer_queue);
	/* Armed permanently, because the ring of the doorbell posts the message. */
	atomic_store(&ctl->armed, CHANNEL_SLEEPING);
	remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_UP);
	sdk_debug("comch \"%s\": an RDMA device writes messages to the other machine",
		  conn->comch->name);
}

/* --- batches that have arrived --- */

/* Requests a credit read: the other end has sent messages, so it may also have received some. */
static void remote_ring_request_credit(struct comch_remote_ring *remote_ring)
{
	const struct ring_producer *tx = &remote_ring->conn->tx;

	if (remote_ring->tx_state != REMOTE_RING_TX_UP ||
	    atomic_load_explicit(&tx->ctl->consumed_msgs, memory_order_relaxed) == tx->n_msgs)
		return;
	remote_ring->must_read_credit = true;
	remote_ring->rings->needs_poll = true;
}

/* Makes the next batch available in the ring. Returns 1, 0 if it has not arrived, or -EPROTO. */
static int remote_ring_admit(struct comch_remote_ring *remote_ring)
{
	const struct ring_consumer *rx = &remote_ring->conn->rx;
	struct remote_ring_commit *commit =
		&remote_ring->commits[remote_ring->n_admitted & (remote_ring->n_commits - 1)];
	uint64_t word = atomic_load_explicit(&commit->word, memory_order_acquire);
	uint64_t header, len = word >> 32;
	_Atomic uint64_t *first, *after;

	if ((uint32_t)word != (uint32_t)(remote_ring->n_admitted + 1))
		return 0;
	header = atomic_load_explicit(&commit->header, memory_order_relaxed);
	if (header == 0 || len < CHANNEL_MSG_HEADER || len % CHANNEL_MSG_HEADER != 0 ||
	    len > rx->mask + 1 - CHANNEL_MSG_HEADER)
		return -EPROTO;
	first = (void *)(rx->data + (rx->pos & rx->mask));
	after = (void *)(rx->data + ((rx->pos + len) & rx->mask));
	atomic_store_explicit(after, 0, memory_order_relaxed);
	atomic_store_explicit(first, header, memory_order_release);
	remote_ring->n_admitted++;
	remote_ring_request_credit(remote_ring);
	return 1;
}

int comch_remote_ring_peek(struct doca_comch_connection *conn, const void **payload_out,
			   uint32_t *len_out, uint32_t *kind_out)
{
	struct comch_remote_ring *remote_ring = conn->remote_ring;
	int r = remote_ring_rx_is_switched(remote_ring) ? remote_ring_admit(remote_ring) : 0;

	return r <= 0 ? r : ring_consumer_peek(&conn->rx, payload_out, len_out, kind_out);
}

/* --- opening --- */

bool comch_remote_ring_is_supported(const struct comch *comch)
{
	return !comch->disables_remote_rings && comch_can_export(comch->ctx.dev);
}

static struct comch_remote_rings *comch_get_remote_rings(struct comch *comch)
{
	struct comch_remote_rings *remote_rings = comch->remote_rings;

	if (remote_rings != NULL)
		return remote_rings;
	remote_rings = calloc(1, sizeof(*remote_rings));
	if (remote_rings == NULL)
		return NULL;
	remote_rings->comch = comch;
	list_init(&remote_rings->all);
	comch->remote_rings = remote_rings;
	return remote_rings;
}

/* Exports the memory of a remote ring. If that fails, the daemons relay the other end's
 * messages. */
static void remote_ring_begin(struct comch_remote_ring *remote_ring)
{
	struct doca_comch_connection *conn = remote_ring->conn;
	struct remote_ring_memory memory = {.bytes = NULL};

	/* Each remote ring uses a queue pair of the process, and copies need queue pairs too. */
	if (remote_ring->rings->n_exports >= REMOTE_RING_MAX ||
	    sizeof(struct remote_ring_offer) + EXPORT_DESCRIPTOR_LEN > conn->max_msg)
		return;
	if (!remote_ring_memory_open(&memory, conn->ring_len, remote_ring->n_commits,
				     sizeof(struct remote_ring_commit))) {
		(void)error_note(DOCA_ERROR_NO_MEMORY, "no memory for a ring");
	} else {
		ring_consumer_init(&remote_ring->rx, ctl_of(&memory), memory.area, conn->ring_len,
				   conn->max_msg);
		remote_ring->commits = (void *)(memory.bytes + REMOTE_RING_ALIGN);
		remote_ring->export = remote_ring_export_begin(conn, &memory);
	}
	remote_ring_memory_close(&memory);
	if (remote_ring->export == NULL) {
		sdk_info("comch \"%s\": the other machine's messages are relayed: %s",
			 conn->comch->name, dococ_last_error());
		return;
	}
	remote_ring_enter_rx(remote_ring, REMOTE_RING_RX_EXPORTING);
	remote_ring->rings->n_exports++;
	remote_ring->rings->needs_poll = true;
}

void comch_remote_ring_open(struct doca_comch_connection *conn, const Dococore__ChannelReply *reply)
{
	struct comch_remote_rings *remote_rings = comch_get_remote_rings(conn->comch);
	struct comch_remote_ring *remote_ring = remote_rings == NULL
							? NULL
							: calloc(1, sizeof(*remote_ring));

	if (remote_ring == NULL)
		return;
	for (size_t i = 0; i < REMOTE_RING_WRS; i++) {
		remote_ring->wrs[i].remote_ring = remote_ring;
		remote_ring->wrs[i].next = remote_ring->free;
		remote_ring->free = &remote_ring->wrs[i];
	}
	remote_ring->held_tail = &remote_ring->held;
	remote_ring->rings = remote_rings;
	remote_ring->conn = conn;
	remote_ring->channel_id = conn->channel_id;
	remote_ring->queue = reply->recv_queue_size;
	remote_ring->peer_queue = reply->peer_recv_queue_size;
	remote_ring->n_commits = remote_ring_n_commits(remote_ring->queue, conn->ring_len);
	remote_ring->n_staging = remote_ring_n_commits(remote_ring->peer_queue, conn->ring_len);
	remote_ring->has_peer_daemon_id = reply->peer_daemon_id.len ==
					  sizeof(remote_ring->peer_daemon_id);
	if (remote_ring->has_peer_daemon_id)
		memcpy(remote_ring->peer_daemon_id, reply->peer_daemon_id.data,
		       sizeof(remote_ring->peer_daemon_id));
	list_append(&remote_rings->all, &remote_ring->node);
	conn->remote_ring = remote_ring;
	remote_ring_begin(remote_ring);
}

void comch_remote_ring_close(struct doca_comch_connection *conn)
{
	struct comch_remote_ring *remote_ring = conn->remote_ring;

	if (remote_ring == NULL)
		return;
	conn->remote_ring = NULL;
	remote_ring_end_all_tasks(remote_ring, DOCA_ERROR_CONNECTION_RESET);
	remote_ring->rings->n_exports -= remote_ring->export != NULL;
	remote_ring->export = remote_ring_export_end(remote_ring->export);
	remote_ring_enter_rx(remote_ring, REMOTE_RING_RX_RELAYED);
	remote_ring->conn = NULL;
	remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_BROKEN);
	remote_ring_free_when_idle(remote_ring);
}
