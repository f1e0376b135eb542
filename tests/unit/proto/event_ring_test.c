/*
 * proto/event_ring: order, a full ring, hostile indices, hostile descriptors, and no lost wake-up.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/event_ring.h"
#include "tests/unit/unit.h"
#include "util/fd.h"
#include "util/memfd.h"

static struct event_writer writer;
static struct event_reader reader;
static size_t n_fds_before;

static void open_ring(void)
{
	writer = (struct event_writer)EVENT_WRITER_INIT;
	reader = (struct event_reader)EVENT_READER_INIT;
	n_fds_before = unit_n_fds();
	ck_assert_int_eq(event_writer_init(&writer), 0);
	ck_assert_int_eq(event_reader_init(&reader, fd_dup(writer.memfd), fd_dup(writer.eventfd),
					   sizeof(struct event_ring)),
			 0);
}

static void close_ring(void)
{
	event_reader_deinit(&reader);
	event_reader_deinit(&reader);
	event_writer_deinit(&writer);
	event_writer_deinit(&writer);
	ck_assert_uint_eq(unit_n_fds(), n_fds_before);
}

static struct event event_no(uint32_t i)
{
	return (struct event){.type = i, .code = ~i, .id = (uint64_t)i << 32, .arg = i * 3ull};
}

static int push(uint32_t i)
{
	struct event event = event_no(i);

	return event_writer_push(&writer, &event);
}

static void expect(uint32_t i)
{
	struct event event, wanted = event_no(i);

	ck_assert(event_reader_pending(&reader));
	ck_assert_int_eq(event_reader_pop(&reader, &event), 1);
	ck_assert_uint_eq(event.type, wanted.type);
	ck_assert_uint_eq(event.code, wanted.code);
	ck_assert_uint_eq(event.id, wanted.id);
	ck_assert_uint_eq(event.arg, wanted.arg);
}

static void expect_empty(void)
{
	struct event event = {.type = 77};

	ck_assert(!event_reader_pending(&reader));
	ck_assert_int_eq(event_reader_pop(&reader, &event), 0);
	ck_assert_uint_eq(event.type, 77);
}

START_TEST(fills_and_empties)
{
	expect_empty();
	for (uint32_t i = 0; i < EVENT_RING_SLOTS; i++)
		ck_assert_int_eq(push(i), 0);
	ck_assert_int_eq(push(999), -ENOSPC);
	expect(0);
	ck_assert_int_eq(push(EVENT_RING_SLOTS), 0);
	ck_assert_int_eq(push(999), -ENOSPC);
	for (uint32_t i = 1; i <= EVENT_RING_SLOTS; i++)
		expect(i);
	expect_empty();
}
END_TEST

START_TEST(indices_wrap)
{
	uint32_t start = UINT32_MAX - 300;

	writer.head = reader.tail = start;
	atomic_store(&writer.ring->head, start);
	atomic_store(&writer.ring->tail, start);
	for (uint32_t i = 0; i < 700; i++) {
		ck_assert_int_eq(push(i), 0);
		ck_assert_int_eq(push(i + 10000), 0);
		expect(i);
		expect(i + 10000);
	}
	for (uint32_t i = 0; i < EVENT_RING_SLOTS; i++)
		ck_assert_int_eq(push(i), 0);
	ck_assert_int_eq(push(0), -ENOSPC);
	expect(0);
}
END_TEST

START_TEST(impossible_indices)
{
	static const uint32_t heads[] = {EVENT_RING_SLOTS + 1, 1000, 0x80000000, UINT32_MAX};
	static const uint32_t tails[] = {1, 2, 0x80000000, UINT32_MAX - EVENT_RING_SLOTS};
	struct event event = {.type = 77};

	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		atomic_store(&writer.ring->head, heads[i]);
		ck_assert_int_eq(event_reader_pop(&reader, &event), -EPROTO);
		ck_assert_uint_eq(event.type, 77);
	}
	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		atomic_store(&reader.ring->tail, tails[i]);
		ck_assert_int_eq(push(1), -EPROTO);
	}
	/* Each end trusts its own index only: the shared copies may contain anything. */
	atomic_store(&reader.ring->tail, 0);
	atomic_store(&writer.ring->head, 12345);
	ck_assert_int_eq(push(1), 0);
	expect(1);
}
END_TEST

START_TEST(doorbell_only_when_armed)
{
	ck_assert_int_eq(push(1), 0);
	ck_assert(!fd_eventfd_clear(reader.eventfd));
	ck_assert(event_reader_arm(&reader));
	event_reader_disarm(&reader);
	expect(1);
	ck_assert(!event_reader_arm(&reader));
	ck_assert_int_eq(push(2), 0);
	ck_assert_int_eq(push(3), 0);
	ck_assert(fd_eventfd_clear(reader.eventfd));
	ck_assert_int_eq(push(4), 0);
	ck_assert(!fd_eventfd_clear(reader.eventfd));
	for (uint32_t i = 2; i <= 4; i++)
		expect(i);
	ck_assert(!event_reader_arm(&reader));
	event_reader_disarm(&reader);
	ck_assert_int_eq(push(5), 0);
	ck_assert(!fd_eventfd_clear(reader.eventfd));
}
END_TEST

static int try_init(int memfd, int eventfd, size_t len)
{
	struct event_reader other = EVENT_READER_INIT;
	size_t before = unit_n_fds();
	int r = event_reader_init(&other, memfd, eventfd, len);

	/* On failure the descriptors stay the caller's. */
	ck_assert_int_lt(r, 0);
	ck_assert_uint_eq(unit_n_fds(), before);
	ck_assert_ptr_null(other.ring);
	ck_assert_int_eq(other.memfd, -1);
	return r;
}

START_TEST(hostile_descriptors)
{
	size_t len = sizeof(struct event_ring);
	CLEANUP_FD int unsealed = memfd_create("t", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CLEANUP_FD int shorter = memfd_create_sealed("t", len - 1);
	CLEANUP_FD int empty = memfd_create_sealed("t", len);
	CLEANUP_FD int ro = fd_reopen(writer.memfd, O_RDONLY);

	ck_assert_int_eq(ftruncate(unsealed, (off_t)len), 0);
	ck_assert_int_eq(try_init(unsealed, writer.eventfd, len), -EPROTO);
	ck_assert_int_eq(try_init(shorter, writer.eventfd, len), -EPROTO);
	ck_assert_int_eq(try_init(shorter, writer.eventfd, len - 1), -EPROTO);
	ck_assert_int_eq(try_init(writer.memfd, writer.eventfd, 1 << 20), -EPROTO);
	ck_assert_int_eq(try_init(writer.memfd, writer.eventfd, 0), -EPROTO);
	ck_assert_int_eq(try_init(empty, writer.eventfd, len), -EPROTO);
	ck_assert_int_eq(try_init(writer.memfd, writer.memfd, len), -EPROTO);
	ck_assert_int_eq(try_init(writer.eventfd, writer.eventfd, len), -EPROTO);
	ck_assert_int_eq(try_init(-1, writer.eventfd, len), -EPROTO);
	ck_assert_int_eq(try_init(writer.memfd, -1, len), -EPROTO);
	ck_assert_int_eq(try_init(ro, writer.eventfd, len), -EACCES);
	writer.ring->version++;
	ck_assert_int_eq(try_init(writer.memfd, writer.eventfd, len), -EPROTO);
	writer.ring->version--;
	writer.ring->n_slots *= 2;
	ck_assert_int_eq(try_init(writer.memfd, writer.eventfd, len), -EPROTO);
}
END_TEST

#define STRESS_EVENTS 200000u

static _Atomic uint32_t n_slept;

static void *stress_writer(void *arg)
{
	uint64_t seed = 99;

	(void)arg;
	/* At least once, whichever thread is faster. */
	while (atomic_load(&n_slept) == 0)
		sched_yield();
	for (uint32_t i = 0; i < STRESS_EVENTS;) {
		int r = push(i);

		if (r == 0)
			i++;
		else if (r == -ENOSPC)
			sched_yield();
		else
			return (void *)1;
		for (uint64_t n = unit_random(&seed) % 64; n; n--)
			__asm__ volatile("" ::: "memory");
	}
	return NULL;
}

START_TEST(no_wake_is_lost)
{
	struct pollfd pfd = {.fd = reader.eventfd, .events = POLLIN};
	struct event event;
	pthread_t thread;
	void *failed;

	ck_assert_int_eq(pthread_create(&thread, NULL, stress_writer, NULL), 0);
	for (uint32_t i = 0; i < STRESS_EVENTS;) {
		int r = event_reader_pop(&reader, &event);

		ck_assert_int_ge(r, 0);
		if (r == 1) {
			ck_assert_uint_eq(event.type, i);
			ck_assert_uint_eq(event.arg, i * 3ull);
			i++;
			continue;
		}
		if (!event_reader_arm(&reader)) {
			atomic_fetch_add(&n_slept, 1);
			ck_assert_msg(poll(&pfd, 1, 60000) == 1, "a wake was lost at event %u", i);
		}
		event_reader_disarm(&reader);
		fd_eventfd_clear(reader.eventfd);
	}
	ck_assert_int_eq(pthread_join(thread, &failed), 0);
	ck_assert_ptr_null(failed);
	ck_assert_uint_gt(atomic_load(&n_slept), 0);
	expect_empty();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("event_ring");
	TCase *tcase = unit_case(suite, "event_ring", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, open_ring, close_ring);
	tcase_add_test(tcase, fills_and_empties);
	tcase_add_test(tcase, indices_wrap);
	tcase_add_test(tcase, impossible_indices);
	tcase_add_test(tcase, doorbell_only_when_armed);
	tcase_add_test(tcase, hostile_descriptors);
	tcase = unit_case(suite, "two threads", UNIT_TIMEOUT_LONG);
	tcase_add_checked_fixture(tcase, open_ring, close_ring);
	tcase_add_test(tcase, no_wake_is_lost);
	return unit_run(suite);
}
