/*
 * Event ring, both ends. The writer belongs to the daemon's loop thread, the reader to the thread
 * that progresses the context. Each end keeps its own index privately and only publishes it; it
 * validates the other's index on each load. Events are rare, so the sleep protocol uses
 * sequentially consistent accesses throughout: the writer stores head and then loads armed, the
 * reader stores armed and then loads head. Therefore at least one of them sees the other's store.
 */
#include <errno.h>

#include "proto/event_ring.h"
#include "util/fd.h"
#include "util/memfd.h"

#define EVENT_RING_VERSION 1

int event_writer_init(struct event_writer *writer)
{
	/* Uses whole pages, so that the length that the client receives may be rounded or not. */
	size_t len = ALIGN_UP(sizeof(struct event_ring), memfd_page_size());
	CLEANUP_FD int memfd = -1;
	CLEANUP_FD int eventfd = -1;
	struct event_ring *ring;

	memfd = memfd_create_sealed("dococored-events", len);
	if (memfd < 0)
		return memfd;
	eventfd = fd_eventfd();
	if (eventfd < 0)
		return eventfd;
	ring = memfd_map(memfd, 0, sizeof(*ring), true);
	if (!ring)
		return -errno;
	ring->magic = EVENT_RING_MAGIC;
	ring->version = EVENT_RING_VERSION;
	ring->n_slots = EVENT_RING_SLOTS;
	writer->ring = ring;
	writer->head = 0;
	writer->memfd = fd_steal(&memfd);
	writer->eventfd = fd_steal(&eventfd);
	return 0;
}

int event_writer_resume(struct event_writer *writer, int memfd, int eventfd)
{
	size_t len = ALIGN_UP(sizeof(struct event_ring), memfd_page_size());
	struct event_ring *ring;

	if (memfd_verify_exact(memfd, len) < 0 || !fd_is_eventfd(eventfd))
		return -EPROTO;
	ring = memfd_map(memfd, 0, sizeof(*ring), true);
	if (!ring)
		return -errno;
	if (ring->magic != EVENT_RING_MAGIC || ring->version != EVENT_RING_VERSION ||
	    ring->n_slots != EVENT_RING_SLOTS) {
		memfd_unmap(ring, sizeof(*ring));
		return -EPROTO;
	}
	writer->ring = ring;
	writer->head = atomic_load(&ring->head);
	writer->memfd = memfd;
	writer->eventfd = eventfd;
	/* The previous writer may have ended between the event and the notification. */
	if (writer->head != atomic_load(&ring->tail))
		writer->ring_doorbell(eventfd);
	return 0;
}

bool event_writer_has(const struct event_writer *writer, const struct event *event)
{
	/* The slot of the next event may hold one that was never published. */
	for (uint32_t i = 1; i < EVENT_RING_SLOTS; i++) {
		const struct event_slot *slot =
			&writer->ring->slots[(writer->head - i) % EVENT_RING_SLOTS];

		if (slot->type == event->type && slot->id == event->id && slot->arg == event->arg)
			return true;
	}
	return false;
}

void event_writer_deinit(struct event_writer *writer)
{
	memfd_unmap(writer->ring, sizeof(*writer->ring));
	writer->ring = NULL;
	fd_close(&writer->memfd);
	fd_close(&writer->eventfd);
}

int event_writer_push(struct event_writer *writer, const struct event *event)
{
	struct event_ring *ring = writer->ring;
	uint32_t used = writer->head - atomic_load_explicit(&ring->tail, memory_order_acquire);
	struct event_slot *slot = &ring->slots[writer->head % EVENT_RING_SLOTS];

	if (used > EVENT_RING_SLOTS)
		return -EPROTO;
	if (used == EVENT_RING_SLOTS)
		return -ENOSPC;
	*slot = (struct event_slot){
		.type = event->type, .code = event->code, .id = event->id, .arg = event->arg};
	atomic_store(&ring->head, ++writer->head);
	if (atomic_load(&ring->armed) && atomic_exchange(&ring->armed, 0))
		writer->ring_doorbell(writer->eventfd);
	return 0;
}

int event_reader_init(struct event_reader *reader, int memfd, int eventfd, size_t len)
{
	struct event_ring *ring;
	int r;

	if (len < sizeof(*ring) || memfd_verify(memfd, len) < 0 || !fd_is_eventfd(eventfd))
		return -EPROTO;
	r = fd_set_nonblocking(eventfd);
	if (r < 0)
		return r;
	ring = memfd_map(memfd, 0, sizeof(*ring), true);
	if (!ring)
		return -errno;
	if (ring->magic != EVENT_RING_MAGIC || ring->version != EVENT_RING_VERSION ||
	    ring->n_slots != EVENT_RING_SLOTS) {
		memfd_unmap(ring, sizeof(*ring));
		return -EPROTO;
	}
	reader->ring = ring;
	reader->tail = 0;
	reader->memfd = memfd;
	reader->eventfd = eventfd;
	return 0;
}

void event_reader_deinit(struct event_reader *reader)
{
	memfd_unmap(reader->ring, sizeof(*reader->ring));
	reader->ring = NULL;
	fd_close(&reader->memfd);
	fd_close(&reader->eventfd);
}

int event_reader_pop(struct event_reader *reader, struct event *event_out)
{
	struct event_ring *ring = reader->ring;
	uint32_t n = atomic_load_explicit(&ring->head, memory_order_acquire) - reader->tail;
	const struct event_slot *slot = &ring->slots[reader->tail % EVENT_RING_SLOTS];

	if (n == 0)
		return 0;
	if (n > EVENT_RING_SLOTS)
		return -EPROTO;
	event_out->type = slot->type;
	event_out->code = slot->code;
	event_out->id = slot->id;
	event_out->arg = slot->arg;
	atomic_store_explicit(&ring->tail, ++reader->tail, memory_order_release);
	return 1;
}

bool event_reader_arm(struct event_reader *reader)
{
	atomic_store(&reader->ring->armed, 1);
	return atomic_load(&reader->ring->head) != reader->tail;
}

void event_reader_disarm(struct event_reader *reader)
{
	atomic_store_explicit(&reader->ring->armed, 0, memory_order_relaxed);
}
