/* Event ring: the daemon's writing end and the client's reading end. Layout in proto/shm_layout.h.
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

/* Daemon end: makes memfd, eventfd and mapping. */
struct event_writer {
	struct event_ring *ring;
	uint32_t head; /* private: the shared copy is written, never read */
	int memfd;
	int eventfd;
	void (*ring_bell)(int eventfd); /* how the client is woken; must not block */
};

#define EVENT_WRITER_INIT                                                            \
	{                                                                            \
		.ring = NULL, .memfd = -1, .eventfd = -1, .ring_bell = doorbell_ring \
	}

/* 0 or -errno. */
int event_writer_init(struct event_writer *writer);
/*
 * The end of a writer that is no more: takes both descriptors on success, and rings if something
 * may have been pushed without. The ring's contents are the client's word. 0, -EPROTO, -errno.
 */
int event_writer_resume(struct event_writer *writer, int memfd, int eventfd);
void event_writer_deinit(struct event_writer *writer);
/* One of the last 255 that were pushed has this type, id and arg. */
bool event_writer_has(const struct event_writer *writer, const struct event *event);
/*
 * 0 and a ring of the bell if the client sleeps; -ENOSPC: full, try again later; -EPROTO: the
 * client's index is impossible, its session should end. Never blocks.
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

/* Verifies seals and size, maps, takes both descriptors on success. 0, -EPROTO, -errno. */
int event_reader_init(struct event_reader *reader, int memfd, int eventfd, size_t len);
void event_reader_deinit(struct event_reader *reader);
/* One load when there is nothing. */
static inline bool event_reader_pending(const struct event_reader *reader)
{
	return atomic_load_explicit(&reader->ring->head, memory_order_acquire) != reader->tail;
}
/* 1 and the event, 0 nothing, -EPROTO: the ring's indices are impossible. */
int event_reader_pop(struct event_reader *reader, struct event *event_out);
/* Arms; returns true if an event is there already (then the eventfd may never ring). */
bool event_reader_arm(struct event_reader *reader);
void event_reader_disarm(struct event_reader *reader);

#endif
