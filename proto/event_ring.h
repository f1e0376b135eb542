/*
 * The event ring's two ends: the daemon writes, the client reads. proto/shm_layout.h has the
 * layout.
 */
#ifndef PROTO_EVENT_RING_H
#define PROTO_EVENT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/shm_layout.h"
#include "util/doorbell.h"

struct event {
	uint32_t type;
	uint32_t code;
	uint64_t id;
	uint64_t arg;
};

/* Daemon end. Owns memfd, eventfd and mapping. */
struct event_writer {
	struct event_ring *ring;
	uint32_t head; /* private: the shared copy is written, never read */
	int memfd;
	int eventfd;
	void (*ring_doorbell)(int eventfd); /* wakes the client; must not block */
};

#define EVENT_WRITER_INIT                                                                \
	{                                                                                \
		.ring = NULL, .memfd = -1, .eventfd = -1, .ring_doorbell = doorbell_ring \
	}

/* Returns 0 or -errno. */
int event_writer_init(struct event_writer *writer);
/*
 * Takes over the ring of a writer that has ended. Owns both descriptors on success, and notifies
 * the client if an event may have been pushed without a notification. The client can write the
 * ring, so its contents are not trusted. Returns 0, -EPROTO or another -errno.
 */
int event_writer_resume(struct event_writer *writer, int memfd, int eventfd);
void event_writer_deinit(struct event_writer *writer);
/* True if one of the last 255 events has this type, id and arg. */
bool event_writer_has(const struct event_writer *writer, const struct event *event);
/*
 * Pushes an event, and notifies the client if it sleeps. Returns 0; -ENOSPC if the ring is full,
 * try again later; -EPROTO if the client's index is impossible, in which case its session should
 * end. Never blocks.
 */
int event_writer_push(struct event_writer *writer, const struct event *event);

/* Client end. */
struct event_reader {
	struct event_ring *ring;
	uint32_t tail;
	int memfd;
	int eventfd;
};

#define EVENT_READER_INIT                                \
	{                                                \
		.ring = NULL, .memfd = -1, .eventfd = -1 \
	}

/*
 * Verifies seals and size and maps the ring. Owns both descriptors on success. Returns 0, -EPROTO
 * or another -errno.
 */
int event_reader_init(struct event_reader *reader, int memfd, int eventfd, size_t len);
void event_reader_deinit(struct event_reader *reader);
/* Costs one load if there is no event. */
static inline bool event_reader_pending(const struct event_reader *reader)
{
	return atomic_load_explicit(&reader->ring->head, memory_order_acquire) != reader->tail;
}
/* Returns 1 and the event, 0 if there is none, or -EPROTO if the ring's indices are impossible. */
int event_reader_pop(struct event_reader *reader, struct event *event_out);
/* Arms. Returns true if an event is there already; the eventfd may then never be signalled. */
bool event_reader_arm(struct event_reader *reader);
void event_reader_disarm(struct event_reader *reader);

#endif
