/*
 * Shared memory with a hostile peer. The input is a list of steps: the peer writes any word of the
 * control structures or of the data, and our ends work normally. No step may lead outside of the
 * mapping or accept an impossible counter.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "proto/event_ring.h"
#include "proto/ring.h"
#include "tests/fuzz/fuzz.h"
#include "util/fd.h"
#include "util/memfd.h"

#define RING_LEN  65536u
#define MAX_MSG   16000u
#define STEP_LEN  10 /* what, where (u16 little endian, the low byte also an argument), value */
#define QUEUE_LEN 16

static uint8_t *ring_data;
static struct channel_ring_ctl ctl;
static struct event_writer writer = EVENT_WRITER_INIT;
static struct event_reader reader = EVENT_READER_INIT;
static volatile uint8_t sink;

struct fuzz_ends {
	struct ring_producer producer;
	struct ring_consumer consumer;
};

static void open_shared(void)
{
	CLEANUP_FD int fd = memfd_create_sealed("ring", RING_LEN);

	ring_data = memfd_map_twice(fd, 0, RING_LEN);
	FUZZ_CHECK(ring_data != NULL);
	FUZZ_CHECK(event_writer_init(&writer) == 0);
	FUZZ_CHECK(event_reader_init(&reader, fd_dup(writer.memfd), fd_dup(writer.eventfd),
				     sizeof(struct event_ring)) == 0);
}

static void check_place(const uint8_t *at, size_t len)
{
	FUZZ_CHECK(at >= ring_data && at < ring_data + RING_LEN + CHANNEL_MSG_HEADER);
	FUZZ_CHECK(len <= (size_t)(ring_data + 2 * RING_LEN - at));
}

static void produce(struct ring_producer *p, uint32_t len)
{
	int r;

	len %= MAX_MSG + 1;
	r = ring_producer_room(p, len);
	FUZZ_CHECK(r == 0 || r == 1 || r == -EPROTO);
	/* There is never more room than the ring has. */
	FUZZ_CHECK(p->limit - p->pos <= RING_LEN && p->pos <= p->limit);
	FUZZ_CHECK(p->msg_limit - p->n_msgs <= QUEUE_LEN && p->n_msgs <= p->msg_limit);
	FUZZ_CHECK(p->pos % CHANNEL_MSG_HEADER == 0);
	if (r != 1)
		return;
	check_place(ring_producer_payload(p), len);
	ring_producer_acquire_ahead(p, len);
	memset(ring_producer_payload(p), (int)len, len);
	ring_producer_publish(p, len, len);
}

static void consume(struct ring_consumer *c)
{
	const void *payload = NULL;
	uint32_t len = 0, kind = 0;
	int r = ring_consumer_peek(c, &payload, &len, &kind);

	FUZZ_CHECK(r == 0 || r == 1 || r == -EPROTO);
	if (r != 1)
		return;
	FUZZ_CHECK(len <= MAX_MSG);
	check_place(payload, len);
	for (uint32_t i = 0; i < len; i++)
		sink ^= ((const uint8_t *)payload)[i];
	ring_consumer_release(c, len);
	FUZZ_CHECK(c->pos % CHANNEL_MSG_HEADER == 0);
}

static void use_events(bool push, uint64_t value)
{
	struct event event = {.type = (uint32_t)value, .id = value};
	int r;

	r = push ? event_writer_push(&writer, &event) : event_reader_pop(&reader, &event);
	FUZZ_CHECK(r == 0 || r == -EPROTO || (push ? r == -ENOSPC : r == 1));
}

/*
 * The daemon restarts and resumes a ring whose contents the client may have changed. The input
 * selects a wrong header, or none. A memfd of another size and a descriptor that is no eventfd are
 * refused.
 */
static void resume_events(uint16_t where, uint32_t value)
{
	struct event_writer next = EVENT_WRITER_INIT;
	struct event event = {.type = value, .id = where};
	struct event_ring *ring = reader.ring;
	uint32_t *const words[] = {&ring->magic, &ring->version, &ring->n_slots};
	uint32_t *word = words[where % 3], right = *word;
	int r;

	FUZZ_CHECK(event_writer_resume(&next, reader.eventfd, reader.memfd) == -EPROTO);
	*word = where & 8 ? value : right;
	r = event_writer_resume(&next, reader.memfd, reader.eventfd);
	FUZZ_CHECK(r == (*word == right ? 0 : -EPROTO));
	*word = right;
	if (r < 0)
		return;
	(void)event_writer_has(&next, &event);
	r = event_writer_push(&next, &event);
	FUZZ_CHECK(r == 0 || r == -EPROTO || r == -ENOSPC);
	FUZZ_CHECK(r != 0 || event_writer_has(&next, &event));
	next.memfd = next.eventfd = -1;
	event_writer_deinit(&next);
	/* The reader's ring continues where the previous daemon ended. */
	atomic_store(&ring->head, writer.head);
}

/* Opens the ring that a hostile daemon sends: any length, any descriptors. */
static void open_reader(uint16_t where, uint64_t value)
{
	struct event_reader other = EVENT_READER_INIT;
	size_t len = where % 3 ? sizeof(struct event_ring) : (size_t)value;
	int memfd = fd_dup(where & 8 ? reader.eventfd : reader.memfd);
	int eventfd = fd_dup(where & 16 ? reader.memfd : reader.eventfd);
	int r = event_reader_init(&other, memfd, eventfd, len);

	if (r == 0) {
		FUZZ_CHECK(!(where & (8 | 16)) && len >= sizeof(struct event_ring));
		event_reader_deinit(&other);
		return;
	}
	FUZZ_CHECK(other.ring == NULL);
	close(memfd);
	close(eventfd);
}

/* Opens two more ends with any length that the peer may report. */
static void check_geometry(uint16_t where, uint64_t value)
{
	struct event_writer other = EVENT_WRITER_INIT;
	uint32_t max_msg = (uint32_t)value % (1u << 20);
	uint64_t len = ring_len_for(max_msg, 1 + where % 1024);
	_Atomic uint32_t word = (uint32_t)(value >> 32);

	FUZZ_CHECK(ring_geometry_valid(len, max_msg));
	FUZZ_CHECK(!ring_geometry_valid(len + 1, max_msg) && !ring_geometry_valid(0, max_msg));
	if (ring_geometry_valid(value, max_msg))
		FUZZ_CHECK(value > max_msg && value % 4096 == 0);
	/* System calls are slow, so only some inputs make them. */
	if (where % 32 != 0)
		return;
	ring_sleeper_init(&word);
	ring_sleeper_arm(&word);
	FUZZ_CHECK(ring_clear_sleeper(&word));
	ring_sleeper_disarm(&word);
	FUZZ_CHECK(!ring_clear_sleeper(&word));
	FUZZ_CHECK(event_writer_init(&other) == 0);
	event_writer_deinit(&other);
}

static void poke(void *base, size_t len, size_t at, uint64_t value)
{
	at = at % (len / sizeof(value)) * sizeof(value);
	memcpy((uint8_t *)base + at, &value, sizeof(value));
}

static void step(struct fuzz_ends *ends, uint8_t what, uint16_t where, uint64_t value)
{
	switch (what % 18) {
	case 0:
	case 1:
		produce(&ends->producer, where);
		break;
	case 2:
	case 3:
		consume(&ends->consumer);
		break;
	case 4:
		ring_consumer_arm(&ends->consumer);
		break;
	case 5:
		ring_consumer_disarm(&ends->consumer);
		break;
	case 6:
		/*
		 * The producer cannot be woken: then there is no room for the message, or the ring
		 * is broken.
		 */
		if (!ring_producer_arm(&ends->producer, where % (MAX_MSG + 1)))
			FUZZ_CHECK(!ring_producer_fits(&ends->producer, where % (MAX_MSG + 1)));
		break;
	case 7:
		ring_producer_close(&ends->producer);
		FUZZ_CHECK(ring_consumer_peer_closed(&ends->consumer));
		break;
	case 8:
		poke(&ctl, sizeof(ctl), where, value);
		break;
	case 9:
		poke(ring_data, RING_LEN, where, value);
		break;
	case 10: /* a damaging value in the next header */
		poke(ring_data, RING_LEN, (ends->consumer.pos & (RING_LEN - 1)) / 8, value);
		break;
	case 11:
		atomic_store(where & 1 ? &reader.ring->head : &reader.ring->tail, (uint32_t)value);
		break;
	case 12:
		use_events(where & 1, value);
		break;
	case 13:
		event_reader_arm(&reader);
		break;
	case 14:
		event_reader_disarm(&reader);
		break;
	case 15:
		resume_events(where, (uint32_t)value);
		break;
	case 16:
		open_reader(where, value);
		break;
	case 17:
		check_geometry(where, value);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_ends ends;
	uint64_t value;

	if (!ring_data)
		open_shared();
	/* Each input starts from the same state. */
	memset(&ctl, 0, sizeof(ctl));
	memset(ring_data, 0, RING_LEN);
	atomic_store(&reader.ring->head, 0);
	atomic_store(&reader.ring->tail, 0);
	atomic_store(&reader.ring->armed, 0);
	writer.head = reader.tail = 0;
	fd_eventfd_clear(reader.eventfd);
	ring_producer_init(&ends.producer, &ctl, ring_data, RING_LEN, MAX_MSG, QUEUE_LEN);
	ring_consumer_init(&ends.consumer, &ctl, ring_data, RING_LEN, MAX_MSG);
	for (; len >= STEP_LEN; data += STEP_LEN, len -= STEP_LEN) {
		memcpy(&value, data + 2, sizeof(value));
		step(&ends, data[0], (uint16_t)(data[1] << 8 | data[2]), value);
	}
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	size_t n_steps = 40 + 10 * (size_t)i, len = n_steps * STEP_LEN;

	if (i >= 16 || len > out_len)
		return 0;
	memset(out, 0, len);
	for (size_t k = 0; k < n_steps; k++) {
		uint8_t *at = out + k * STEP_LEN;

		/* Half of the seeds are normal traffic, the others have each kind of step. */
		at[0] = (uint8_t)(i < 8 ? (k % 3 ? 0 : 2) : k * (i - 7));
		at[1] = (uint8_t)(i * k * 5);
		at[2] = (uint8_t)(k * 17);
	}
	return len;
}
