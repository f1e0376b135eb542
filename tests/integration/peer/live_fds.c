/* Descriptors of packets, by the rules of the protocol and against them; see live_speaker.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_types.h>

#include "proto/qp_layout.h"
#include "proto/shm_layout.h"
#include "tests/integration/peer/live_speaker.h"
#include "tests/lib/assert.h"
#include "util/fd.h"
#include "util/memfd.h"

#define MEMORY_LEN 65536u

static int own_pidfd(void)
{
	return fd_pidfd_open((int)getpid());
}

void live_fds_add(struct live_packet *packet, int fd)
{
	ck_assert_msg(fd >= 0, "a descriptor for a packet: %s", strerror(-fd));
	ck_assert_uint_lt(packet->n_fds, LIVE_FDS_MAX);
	packet->fds[packet->n_fds++] = fd;
}

void live_packet_clear(struct live_packet *packet)
{
	for (size_t i = 0; i < packet->n_fds; i++)
		fd_close(&packet->fds[i]);
	packet->n_fds = packet->len = 0;
}

/* The page of a sync event's sleep words. */
static int sync_words(void)
{
	const struct sync_words words = {.magic = SYNC_WORDS_MAGIC, .version = SYNC_WORDS_LAYOUT};
	int fd = memfd_create_sealed("live-words", SYNC_WORDS_LEN);

	ck_assert(fd >= 0 && pwrite(fd, &words, sizeof(words), 0) == (ssize_t)sizeof(words));
	return fd;
}

/* Adds the descriptors of an export of this kind. */
static void add_memory(struct live_packet *packet, Dococore__ExportKind kind,
		       Dococore__MemoryKind memory)
{
	if (kind == DOCOCORE__EXPORT_KIND__SYNC_PCI || kind == DOCOCORE__EXPORT_KIND__SYNC_NET) {
		live_fds_add(packet, memfd_create_sealable("live-counter", memfd_page_size()));
		live_fds_add(packet, sync_words());
		live_fds_add(packet, fd_eventfd());
	} else if (kind == DOCOCORE__EXPORT_KIND__RDMA_QP) {
		live_fds_add(packet, memfd_create_sealed("live-inbox", QP_INBOX_LEN));
		live_fds_add(packet, fd_eventfd());
	} else if (memory == DOCOCORE__MEMORY_KIND__MEMFD ||
		   memory == DOCOCORE__MEMORY_KIND__FILE) {
		live_fds_add(packet, memfd_create_sealable("live-memory", MEMORY_LEN));
	}
}

static void add_consumer(struct live_packet *packet, const Dococore__Consumer *consumer)
{
	if (consumer == NULL || consumer->slots_export.len != 0)
		return;
	live_fds_add(packet,
		     memfd_create_sealed("live-slots", consumer->slots_len != 0
							       ? consumer->slots_len % 131072
							       : memfd_page_size()));
	live_fds_add(packet, fd_eventfd());
	if (consumer->memory == DOCOCORE__MEMORY_KIND__MEMFD)
		live_fds_add(packet, memfd_create_sealable("live-memory", MEMORY_LEN));
}

static void add_channel(struct live_packet *packet, uint32_t ring_len, bool has_pidfd)
{
	live_fds_add(packet, memfd_create_sealed("live-rings",
						 CHANNEL_HEADER_LEN + 2ull * (ring_len % 131072)));
	live_fds_add(packet, fd_eventfd());
	live_fds_add(packet, fd_eventfd());
	if (has_pidfd)
		live_fds_add(packet, own_pidfd());
}

static void add_import(struct live_packet *packet, const Dococore__PeerImportReply *reply)
{
	if (reply->is_remote)
		return;
	live_fds_add(packet, memfd_create_sealed("live-liveness", 65536));
	live_fds_add(packet, own_pidfd());
	add_memory(packet, reply->kind, reply->memory);
}

void live_fds_make(struct live_packet *packet)
{
	Dococore__Packet *m = dococore__packet__unpack(NULL, packet->len, packet->data);

	ck_assert_ptr_nonnull(m);
	switch (m->body_case) {
	case DOCOCORE__PACKET__BODY_EXPORT_CREATE:
		add_memory(packet, m->export_create->kind, m->export_create->memory);
		break;
	case DOCOCORE__PACKET__BODY_CONSUMER_CREATE:
		add_consumer(packet, m->consumer_create->consumer);
		if (m->consumer_create->consumer == NULL) {
			live_fds_add(packet, memfd_create_sealed("live-slots", 4096));
			live_fds_add(packet, fd_eventfd());
		}
		break;
	case DOCOCORE__PACKET__BODY_PEER_CONSUMER_NEW:
		if (m->peer_consumer_new->consumer == NULL ||
		    m->peer_consumer_new->consumer->slots_export.len == 0)
			live_fds_add(packet, own_pidfd());
		add_consumer(packet, m->peer_consumer_new->consumer);
		if (m->peer_consumer_new->consumer == NULL) {
			live_fds_add(packet, memfd_create_sealed("live-slots", 4096));
			live_fds_add(packet, fd_eventfd());
		}
		break;
	case DOCOCORE__PACKET__BODY_COUNTERS_SHARE:
		live_fds_add(packet, memfd_create_growable("live-counters", 4096));
		break;
	case DOCOCORE__PACKET__BODY_PEER_CONNECT:
		if (m->peer_connect->has_pidfd)
			live_fds_add(packet, own_pidfd());
		break;
	case DOCOCORE__PACKET__BODY_PEER_CHANNEL_READY:
		if (!m->peer_channel_ready->relay)
			add_channel(packet, m->peer_channel_ready->ring_len,
				    m->peer_channel_ready->has_pidfd);
		break;
	case DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY:
		add_import(packet, m->peer_import_reply);
		break;
	default:
		/* Messages for clients: a daemon refuses them, with or without descriptors. */
		for (size_t n = 0; !frame_fds_allowed(m, n); n++)
			live_fds_add(packet, fd_eventfd());
	}
	ck_assert_msg(frame_fds_allowed(m, packet->n_fds), "%s with %zu descriptors", frame_name(m),
		      packet->n_fds);
	dococore__packet__free_unpacked(m, NULL);
}

static void repair_export(Dococore__ExportCreate *m, uint64_t random)
{
	bool is_pci = m->kind == DOCOCORE__EXPORT_KIND__PCI ||
		      m->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI;

	m->permissions = is_pci ? DOCA_ACCESS_FLAG_PCI_READ_WRITE
				: DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE;
	m->memfd_offset = 0;
	if (m->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI ||
	    m->kind == DOCOCORE__EXPORT_KIND__SYNC_NET) {
		m->memory = DOCOCORE__MEMORY_KIND__MEMFD;
		m->len = 8;
	} else if (m->kind == DOCOCORE__EXPORT_KIND__RDMA_QP) {
		m->memory = DOCOCORE__MEMORY_KIND__MEMFD;
		m->len = QP_INBOX_LEN;
	}
	if (random % 8 != 0) {
		m->restore_secret.len = 0;
		m->restore_export_id = 0;
	}
}

static void repair_consumer(Dococore__Consumer *m, uint64_t random)
{
	if (m == NULL)
		return;
	m->id = 1 + random % 4;
	m->slots_len = (uint32_t)memfd_page_size() << random % 3;
	m->n_slots = 1u << random % 6;
	m->max_imm_len = 0;
	m->len = 4096;
	m->memfd_offset = 0;
	m->memory = m->peer_writes ? m->memory : DOCOCORE__MEMORY_KIND__PRIVATE;
	if (m->slots_export.len != 0) {
		m->memory = DOCOCORE__MEMORY_KIND__PRIVATE;
		m->peer_writes = false;
	}
}

static void repair(Dococore__Packet *m, uint64_t random)
{
	if (m->body_case == DOCOCORE__PACKET__BODY_EXPORT_CREATE)
		repair_export(m->export_create, random);
	else if (m->body_case == DOCOCORE__PACKET__BODY_CONSUMER_CREATE)
		repair_consumer(m->consumer_create->consumer, random);
	else if (m->body_case == DOCOCORE__PACKET__BODY_PEER_CONSUMER_NEW)
		repair_consumer(m->peer_consumer_new->consumer, random);
	else if (m->body_case == DOCOCORE__PACKET__BODY_RDMA_LISTEN &&
		 m->rdma_listen->port_number == 0)
		m->rdma_listen->port_number = 1 + random % 8;
	else if (m->body_case == DOCOCORE__PACKET__BODY_RDMA_OPEN)
		m->rdma_open->streams_only = random % 2;
	else if (m->body_case == DOCOCORE__PACKET__BODY_RDMA_CONNECT)
		m->rdma_connect->port_number = 1 + random % 8;
}

void live_packet_repair(struct live_packet *packet, uint64_t random)
{
	Dococore__Packet *m = dococore__packet__unpack(NULL, packet->len, packet->data);

	ck_assert_ptr_nonnull(m);
	repair(m, random);
	packet->len = dococore__packet__pack(m, packet->data);
	dococore__packet__free_unpacked(m, NULL);
}

/* A memfd that its sender can still shrink, and possibly does once it has been received. */
static int unsealed(size_t len)
{
	int fd = memfd_create("live-unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 || ftruncate(fd, (off_t)len) < 0 ? -errno : fd;
}

static int pipe_write_end(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	close(ends[0]);
	return ends[1];
}

static int wrong_fd(struct packet_maker *maker)
{
	switch (maker_below(maker, 9)) {
	case 0:
		return unsealed(65536);
	case 1:
		return unsealed(0);
	case 2:
		return pipe_write_end();
	case 3:
		return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	case 4:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	case 5:
		return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	case 6:
		return own_pidfd();
	case 7:
		return fd_eventfd();
	default:
		return memfd_create_sealed("live-page", memfd_page_size());
	}
}

bool live_fds_break(struct live_packet *packet, struct packet_maker *maker)
{
	int fd = wrong_fd(maker);
	size_t at = maker_below(maker, packet->n_fds);

	if (packet->n_fds == 0 || fd < 0) {
		fd_close(&fd);
		return false;
	}
	fd_close(&packet->fds[at]);
	packet->fds[at] = fd;
	return true;
}
