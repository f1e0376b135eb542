/*
 * proto/ring: contents through every wrap, hostile words and counters, and the sleep protocol with
 * and without membarrier. Two threads represent the two processes; denying membarrier to one of
 * them by seccomp simulates an old kernel or a sandbox on that side.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/ring.h"
#include "tests/unit/unit.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define RING_LEN 65536u

static struct channel_ring_ctl ctl;
static uint8_t *data;
static struct ring_producer producer;
static struct ring_consumer consumer;

static void map_data(void)
{
	CLEANUP_FD int fd = memfd_create_sealed("ring", RING_LEN);

	ck_assert_int_ge(fd, 0);
	data = memfd_map_twice(fd, 0, RING_LEN);
	ck_assert_ptr_nonnull(data);
	memset(&ctl, 0, sizeof(ctl));
}

static void unmap_data(void)
{
	memfd_unmap_twice(data, RING_LEN);
}

static void open_ends(uint32_t max_msg, uint32_t queue_size)
{
	ring_producer_init(&producer, &ctl, data, RING_LEN, max_msg, queue_size);
	ring_consumer_init(&consumer, &ctl, data, RING_LEN, max_msg);
}

/* Contents that depend on position and number, so that a shifted or stale message is detected. */
static void fill(uint8_t *to, uint32_t len, uint64_t n)
{
	for (uint32_t i = 0; i < len; i++)
		to[i] = (uint8_t)(n * 131 + i * 7 + 1);
}

static bool is_filled(const uint8_t *from, uint32_t len, uint64_t n)
{
	for (uint32_t i = 0; i < len; i++) {
		if (from[i] != (uint8_t)(n * 131 + i * 7 + 1))
			return false;
	}
	return true;
}

static int put(uint32_t len, uint64_t n)
{
	int r = ring_producer_room(&producer, len);

	if (r == 1) {
		fill(ring_producer_payload(&producer), len, n);
		ck_assert(!ring_producer_publish(&producer, len, (uint32_t)n));
		ring_producer_acquire_ahead(&producer, len);
	}
	return r;
}

static void get(uint32_t len, uint64_t n)
{
	const void *payload;
	uint32_t got_len, kind;

	ck_assert_int_eq(ring_consumer_peek(&consumer, &payload, &got_len, &kind), 1);
	ck_assert_uint_eq(got_len, len);
	ck_assert_uint_eq(kind, (uint32_t)n);
	ck_assert_msg(is_filled(payload, len, n), "message %lu is damaged", (unsigned long)n);
	ck_assert(!ring_consumer_release(&consumer, len));
}

static void expect_empty(void)
{
	const void *payload;
	uint32_t len, kind;

	ck_assert_int_eq(ring_consumer_peek(&consumer, &payload, &len, &kind), 0);
}

START_TEST(lengths)
{
	static const struct {
		uint32_t max_msg, queue_size;
		uint64_t ring_len;
	} cases[] = {
		{1, 1, 65536},
		{4080, 10, 65536},
		{16368, 1, 65536},             /* 4 * 16376 + 8 = 65512 */
		{16376, 1, 131072},            /* 4 * 16384 + 8 */
		{64, 1000, 131072},            /* for the queue: 72008 */
		{4080, 1000000, 4u << 20},     /* for the queue, capped */
		{1u << 20, 1, 8u << 20},       /* four messages */
		{(1u << 20) + 1, 1, 4u << 20}, /* two messages */
		{(1u << 20) + 1, 4096, 4u << 20},
		{64u << 20, 16, 256u << 20},
		{UINT32_MAX, UINT32_MAX, 1ull << 34},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t len = ring_len_for(cases[i].max_msg, cases[i].queue_size);

		ck_assert_msg(len == cases[i].ring_len, "case %zu: %lu", i, (unsigned long)len);
		ck_assert(ring_geometry_valid(len, cases[i].max_msg));
	}
	ck_assert(!ring_geometry_valid(0, 1));
	ck_assert(!ring_geometry_valid(8, 1));
	ck_assert(!ring_geometry_valid(65536 + 4096, 1));
	ck_assert(!ring_geometry_valid(65536, 65536));
	ck_assert(!ring_geometry_valid(65536, 65521));
	ck_assert(ring_geometry_valid(65536, 65520));
	ck_assert(!ring_geometry_valid(1ull << 63, 1));
	ck_assert(!ring_geometry_valid(65536, UINT32_MAX));
}
END_TEST

/*
 * The ring is always as full as possible: if clearing the next header, or a line acquired ahead,
 * hits unread data, a message is damaged.
 */
START_TEST(full_through_many_wraps)
{
	uint32_t lens[8192];
	uint64_t seed = 7, n_put = 0, n_got = 0;

	open_ends(RING_LEN / 4, UINT32_MAX);
	while (n_got < 100000) {
		uint32_t len = (uint32_t)(unit_random(&seed) % (n_put % 7 ? 40 : 3000));

		while (put(len, n_put) == 1) {
			lens[n_put++ % ARRAY_LEN(lens)] = len;
			ck_assert_uint_le(producer.pos + 8 - consumer.pos, RING_LEN);
		}
		ck_assert_uint_gt(producer.pos + ring_span(len) + 8 - consumer.pos, RING_LEN);
		for (uint64_t n = unit_random(&seed) % 20 + 1; n && n_got < n_put; n--, n_got++)
			get(lens[n_got % ARRAY_LEN(lens)], n_got);
	}
	for (; n_got < n_put; n_got++)
		get(lens[n_got % ARRAY_LEN(lens)], n_got);
	expect_empty();
	ck_assert_uint_gt(producer.pos, 10ull * RING_LEN);
}
END_TEST

START_TEST(largest_message_at_each_offset)
{
	uint32_t max = RING_LEN - 16;

	open_ends(max, 100);
	ck_assert_int_eq(ring_producer_room(&producer, max + 1), 0);
	for (uint64_t n = 0; n < 200; n += 2) {
		ck_assert_int_eq(put(max, n), 1);
		ck_assert_int_eq(ring_producer_room(&producer, 0), 0);
		get(max, n);
		/* Shifts the next message by 8 bytes and more. */
		ck_assert_int_eq(put((uint32_t)n, n + 1), 1);
		get((uint32_t)n, n + 1);
	}
	ck_assert_int_eq(put(max, 1), 1);
	get(max, 1);
	expect_empty();
}
END_TEST

START_TEST(queue_size_limits)
{
	open_ends(100, 3);
	for (uint64_t n = 0; n < 3; n++)
		ck_assert_int_eq(put(0, n), 1);
	ck_assert_int_eq(put(0, 3), 0);
	get(0, 0);
	ck_assert_int_eq(put(5, 3), 1);
	ck_assert_int_eq(put(5, 4), 0);
	get(0, 1);
	get(0, 2);
	get(5, 3);
	expect_empty();
}
END_TEST

START_TEST(impossible_headers)
{
	static const uint64_t bad[] = {
		0x100000000, 102, 0xffffffff, 0xffffffffffffffff, 0xabcd00000000, 0x80000001,
	};
	const void *payload = NULL;
	uint32_t len = 77, kind = 77;

	open_ends(100, 3);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		atomic_store((_Atomic uint64_t *)(void *)data, bad[i]);
		ck_assert_int_eq(ring_consumer_peek(&consumer, &payload, &len, &kind), -EPROTO);
		ck_assert(ring_consumer_arm(&consumer)); /* something to check, no sleep */
	}
	ck_assert_ptr_null(payload);
	ck_assert_uint_eq(len, 77);
	ck_assert_uint_eq(kind, 77);
	atomic_store((_Atomic uint64_t *)(void *)data, 101);
	ck_assert_int_eq(ring_consumer_peek(&consumer, &payload, &len, &kind), 1);
	ck_assert_uint_eq(len, 100);
}
END_TEST

START_TEST(impossible_counters)
{
	uint64_t seen_pos, seen_msgs, limit;

	open_ends(1000, 10);
	for (uint64_t n = 0; n < 20; n++) {
		ck_assert_int_eq(put(1000, n), 1);
		if (n < 15)
			get(1000, n);
		ck_assert_int_eq(ring_producer_refresh(&producer), 0);
	}
	seen_pos = 15 * 1008;
	seen_msgs = 15;
	limit = producer.limit;
	const uint64_t bad_pos[] = {
		producer.pos + 8, seen_pos - 8,   seen_pos + 4, 0,
		UINT64_MAX,       UINT64_MAX - 7, 1ull << 63,   producer.pos - RING_LEN - 8,
	};
	const uint64_t bad_msgs[] = {producer.n_msgs + 1, seen_msgs - 1, 0, UINT64_MAX, 1ull << 63};

	for (size_t i = 0; i < ARRAY_LEN(bad_pos); i++) {
		atomic_store(&ctl.consumed_pos, bad_pos[i]);
		ck_assert_msg(ring_producer_refresh(&producer) == -EPROTO, "position %zu", i);
		ck_assert_int_eq(ring_producer_room(&producer, 65000), -EPROTO);
		/* No sleep on an invalid ring. */
		ck_assert(ring_producer_arm(&producer, 65000));
		ck_assert_uint_eq(atomic_load(&ctl.space_armed) & CHANNEL_SLEEPING, 0);
	}
	atomic_store(&ctl.consumed_pos, seen_pos);
	for (size_t i = 0; i < ARRAY_LEN(bad_msgs); i++) {
		atomic_store(&ctl.consumed_msgs, bad_msgs[i]);
		ck_assert_msg(ring_producer_refresh(&producer) == -EPROTO, "messages %zu", i);
	}
	ck_assert_uint_eq(producer.limit, limit);
	atomic_store(&ctl.consumed_msgs, seen_msgs);
	ck_assert_int_eq(ring_producer_refresh(&producer), 0);
}
END_TEST

START_TEST(sleep_words_in_one_thread)
{
	open_ends(100, 2);
	ck_assert(!ring_consumer_arm(&consumer));
	ck_assert_int_eq(ring_producer_room(&producer, 1), 1);
	ck_assert(ring_producer_publish(&producer, 1, 0));
	/* Once per sleep. */
	ck_assert_int_eq(ring_producer_room(&producer, 1), 1);
	ck_assert(!ring_producer_publish(&producer, 1, 0));
	ck_assert(ring_consumer_arm(&consumer));
	ring_consumer_disarm(&consumer);
	ck_assert_uint_eq(atomic_load(&ctl.armed) & CHANNEL_SLEEPING, 0);

	ck_assert_int_eq(ring_producer_room(&producer, 1), 0);
	ck_assert(!ring_producer_arm(&producer, 1));
	ck_assert(ring_consumer_release(&consumer, 1));
	ck_assert(!ring_consumer_release(&consumer, 1));
	ck_assert(ring_producer_arm(&producer, 1));
	ck_assert_uint_eq(atomic_load(&ctl.space_armed) & CHANNEL_SLEEPING, 0);
}
END_TEST

START_TEST(close_wakes_and_stays)
{
	open_ends(100, 2);
	ck_assert(!ring_consumer_peer_closed(&consumer));
	ck_assert(!ring_consumer_arm(&consumer));
	ck_assert(ring_producer_close(&producer));
	ck_assert(ring_consumer_peer_closed(&consumer));
	/* A consumer that goes to sleep after the end must not sleep. */
	ck_assert(ring_consumer_arm(&consumer));
	ring_consumer_disarm(&consumer);
	ck_assert(!ring_producer_close(&producer));
}
END_TEST

/* Denies the call to the calling thread only. */
static int deny_membarrier(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = ARRAY_LEN(filter), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0 ? -errno : 0;
}

START_TEST(sleep_words_without_membarrier)
{
	if (deny_membarrier() < 0)
		ck_abort_msg("this kernel has no seccomp filters");
	open_ends(100, 1);
	ck_assert_uint_eq(atomic_load(&ctl.armed), CHANNEL_FENCE);
	ck_assert_uint_eq(atomic_load(&ctl.space_armed), CHANNEL_FENCE);
	ck_assert_uint_eq(producer.fence, CHANNEL_FENCE);
	ck_assert_uint_eq(consumer.fence, CHANNEL_FENCE);
	ck_assert(!ring_consumer_arm(&consumer));
	ck_assert_int_eq(ring_producer_room(&producer, 1), 1);
	ck_assert(ring_producer_publish(&producer, 1, 0));
	ck_assert_uint_eq(atomic_load(&ctl.armed), CHANNEL_FENCE);
	ck_assert(!ring_producer_arm(&producer, 1));
	ck_assert(ring_consumer_release(&consumer, 1));
	ck_assert_uint_eq(atomic_load(&ctl.space_armed), CHANNEL_FENCE);
	ring_consumer_disarm(&consumer);
	ring_producer_disarm(&producer);
	ck_assert_uint_eq(atomic_load(&ctl.armed), CHANNEL_FENCE);
	ck_assert_uint_eq(atomic_load(&ctl.space_armed), CHANNEL_FENCE);
}
END_TEST

#define LOST_AFTER_MS 60000
/*
 * If two threads share a processor with others, the full count may take minutes; then less is done.
 */
#define STRESS_NS (4 * NS_PER_SEC)
/* But enough that both ends sleep: on one processor seconds may pass in between. */
#define ENOUGH_SLEEPS 100

/*
 * Whether message n is the last one: the producer decides before sending it. The last message comes
 * after n_enough messages or enough time, but never before the ends have slept often enough.
 */
static bool is_last(uint64_t n, uint64_t n_enough, uint64_t deadline_ns, uint64_t n_slept)
{
	return n % 64 == 63 && n_slept > ENOUGH_SLEEPS &&
	       (n >= n_enough || clock_now_ns() > deadline_ns);
}

struct stress {
	_Atomic uint64_t n_msgs; /* set once the last is sent */
	uint64_t n_enough;
	uint32_t max_msg, queue_size;
	bool sleeps;
	bool deny_producer, deny_consumer;
	int data_doorbell, space_doorbell;
	_Atomic uint64_t n_producer_slept, n_consumer_slept;
	pthread_barrier_t ready;
};

static bool stress_wait(int doorbell)
{
	struct pollfd pfd = {.fd = doorbell, .events = POLLIN};

	if (poll(&pfd, 1, LOST_AFTER_MS) != 1)
		return false;
	fd_eventfd_clear(doorbell);
	return true;
}

static uint32_t stress_len(uint64_t *seed, uint32_t max_msg)
{
	uint64_t r = unit_random(seed);

	return (uint32_t)((r >> 8) % (r % 64 ? 48 : max_msg + 1));
}

static const char *stress_room(struct stress *s, uint32_t len)
{
	int r;

	while ((r = ring_producer_room(&producer, len)) == 0) {
		if (!s->sleeps) {
			sched_yield();
		} else if (!ring_producer_arm(&producer, len)) {
			s->n_producer_slept++;
			if (!stress_wait(s->space_doorbell))
				return "the producer's wake was lost";
		}
	}
	return r < 0 ? "the producer found impossible counters" : NULL;
}

static void *stress_produce(void *arg)
{
	struct stress *s = arg;
	uint64_t seed = 12345, pause_seed = 777, deadline_ns = clock_now_ns() + STRESS_NS;
	const char *error = NULL;

	if (s->deny_producer && deny_membarrier() < 0)
		error = "this kernel has no seccomp filters";
	ring_producer_init(&producer, &ctl, data, RING_LEN, s->max_msg, s->queue_size);
	pthread_barrier_wait(&s->ready);
	for (uint64_t n = 0; n < s->n_msgs && !error; n++) {
		uint32_t len = stress_len(&seed, s->max_msg);

		error = stress_room(s, len);
		if (error)
			break;
		if (is_last(n, s->n_enough, deadline_ns,
			    s->sleeps ? s->n_producer_slept + s->n_consumer_slept : UINT64_MAX))
			atomic_store(&s->n_msgs, n + 1);
		fill(ring_producer_payload(&producer), len, n);
		if (ring_producer_publish(&producer, len, (uint32_t)n))
			fd_eventfd_ring(s->data_doorbell);
		/* Drifts across the moment at which the consumer falls asleep. */
		if (s->sleeps)
			for (uint64_t i = unit_random(&pause_seed) % 256; i; i--)
				__asm__ volatile("" ::: "memory");
	}
	if (ring_producer_close(&producer))
		fd_eventfd_ring(s->data_doorbell);
	return (void *)error;
}

static const char *stress_receive(struct stress *s, uint64_t *n, uint64_t *seed)
{
	const void *payload;
	uint32_t len, kind;
	int r = ring_consumer_peek(&consumer, &payload, &len, &kind);

	if (r < 0)
		return "the consumer found an impossible header";
	if (r == 1) {
		if (len != stress_len(seed, s->max_msg) || kind != (uint32_t)*n ||
		    !is_filled(payload, len, *n))
			return "a message is damaged";
		if (ring_consumer_release(&consumer, len))
			fd_eventfd_ring(s->space_doorbell);
		++*n;
	} else if (!s->sleeps) {
		sched_yield();
	} else if (!ring_consumer_arm(&consumer)) {
		s->n_consumer_slept++;
		if (!stress_wait(s->data_doorbell))
			return "the consumer's wake was lost";
	} else {
		ring_consumer_disarm(&consumer);
	}
	return NULL;
}

static void *stress_consume(void *arg)
{
	struct stress *s = arg;
	uint64_t n = 0, seed = 12345;
	const char *error = NULL;

	if (s->deny_consumer && deny_membarrier() < 0)
		error = "this kernel has no seccomp filters";
	ring_consumer_init(&consumer, &ctl, data, RING_LEN, s->max_msg);
	pthread_barrier_wait(&s->ready);
	while (!error && n < s->n_msgs)
		error = stress_receive(s, &n, &seed);
	return (void *)error;
}

static void stress_run(struct stress *s)
{
	pthread_t threads[2];
	void *errors[2];

	s->data_doorbell = fd_eventfd();
	s->space_doorbell = fd_eventfd();
	ck_assert_int_eq(pthread_barrier_init(&s->ready, NULL, 2), 0);
	ck_assert_int_eq(pthread_create(&threads[0], NULL, stress_produce, s), 0);
	ck_assert_int_eq(pthread_create(&threads[1], NULL, stress_consume, s), 0);
	/* Joins the consumer first: a lost wake-up must be reported instead of waited for. */
	ck_assert_int_eq(pthread_join(threads[1], &errors[1]), 0);
	ck_assert_msg(!errors[1], "%s", (const char *)errors[1]);
	ck_assert_int_eq(pthread_join(threads[0], &errors[0]), 0);
	ck_assert_msg(!errors[0], "%s", (const char *)errors[0]);
	pthread_barrier_destroy(&s->ready);
	fd_close(&s->data_doorbell);
	fd_close(&s->space_doorbell);
	expect_empty();
	ck_assert(ring_consumer_peer_closed(&consumer));
}

START_TEST(stress_polling)
{
	struct stress s = {.n_msgs = UINT64_MAX,
			   .n_enough = UNIT_N(1500000),
			   .max_msg = 4000,
			   .queue_size = 100000};

	stress_run(&s);
}
END_TEST

/* _i: bit 0 denies membarrier to the producer, bit 1 to the consumer. */
START_TEST(stress_sleeping)
{
	struct stress s = {.n_msgs = UINT64_MAX,
			   .n_enough = UNIT_N(150000),
			   .max_msg = 20000,
			   .queue_size = _i & 1 ? 3 : 64,
			   .sleeps = true,
			   .deny_producer = _i & 1,
			   .deny_consumer = _i & 2};

	stress_run(&s);
	ck_assert_uint_gt(s.n_consumer_slept + s.n_producer_slept, ENOUGH_SLEEPS);
	ck_assert_uint_eq(atomic_load(&ctl.armed) & CHANNEL_FENCE, _i & 2 ? CHANNEL_FENCE : 0);
	ck_assert_uint_eq(atomic_load(&ctl.space_armed) & CHANNEL_FENCE,
			  _i & 1 ? CHANNEL_FENCE : 0);
}
END_TEST

/*
 * One message in flight, so that no later message can hide a lost wake-up, and a notification in
 * memory instead of the kernel, so that falling asleep and publishing coincide hundreds of
 * thousands of times.
 */
#define LOCKSTEP_MSGS UNIT_N(300000u)

struct lockstep {
	_Atomic uint32_t n_msgs;
	bool deny_producer, deny_consumer;
	_Atomic uint32_t data_doorbell, space_doorbell;
	_Atomic uint64_t n_producer_slept, n_consumer_slept;
	pthread_barrier_t ready;
};

static bool lockstep_sleep(_Atomic uint32_t *doorbell)
{
	uint64_t deadline = clock_now_ns() + LOST_AFTER_MS * NS_PER_MS;

	for (uint32_t i = 1; !atomic_exchange(doorbell, 0); i++) {
		if (i % 1024 == 0)
			sched_yield();
		if (i % 1024 == 0 && clock_now_ns() > deadline)
			return false;
	}
	return true;
}

/* Number of checks before an end sleeps; the two drift past each other. */
static uint32_t lockstep_timeout(uint64_t *seed)
{
	return (uint32_t)(unit_random(seed) % 64);
}

static const char *lockstep_room(struct lockstep *s, uint64_t *seed)
{
	int r;

	for (uint32_t n = lockstep_timeout(seed); (r = ring_producer_room(&producer, 8)) == 0;) {
		if (n-- > 0)
			continue;
		n = lockstep_timeout(seed);
		if (ring_producer_arm(&producer, 8))
			continue;
		s->n_producer_slept++;
		if (!lockstep_sleep(&s->space_doorbell))
			return "the producer's wake was lost";
	}
	return r < 0 ? "the producer found impossible counters" : NULL;
}

/* Number of times that both slept. */
static uint64_t lockstep_slept(struct lockstep *s)
{
	uint64_t by_producer = s->n_producer_slept, by_consumer = s->n_consumer_slept;

	return by_producer < by_consumer ? by_producer : by_consumer;
}

static void *lockstep_produce(void *arg)
{
	struct lockstep *s = arg;
	uint64_t seed = 31, deadline_ns = clock_now_ns() + STRESS_NS;
	const char *error = NULL;

	if (s->deny_producer && deny_membarrier() < 0)
		error = "this kernel has no seccomp filters";
	ring_producer_init(&producer, &ctl, data, RING_LEN, 8, 1);
	pthread_barrier_wait(&s->ready);
	for (uint32_t n = 0; n < s->n_msgs && !error; n++) {
		error = lockstep_room(s, &seed);
		if (is_last(n, LOCKSTEP_MSGS, deadline_ns, lockstep_slept(s)))
			atomic_store(&s->n_msgs, n + 1);
		if (!error && ring_producer_publish(&producer, 8, n))
			atomic_store(&s->data_doorbell, 1);
	}
	return (void *)error;
}

static const char *lockstep_receive(struct lockstep *s, uint32_t n, uint64_t *seed)
{
	uint32_t left = lockstep_timeout(seed), len, kind;
	const void *payload;
	int r;

	while ((r = ring_consumer_peek(&consumer, &payload, &len, &kind)) == 0) {
		if (left-- > 0)
			continue;
		left = lockstep_timeout(seed);
		if (ring_consumer_arm(&consumer)) {
			ring_consumer_disarm(&consumer);
			atomic_store(&s->data_doorbell, 0);
			continue;
		}
		s->n_consumer_slept++;
		if (!lockstep_sleep(&s->data_doorbell))
			return "the consumer's wake was lost";
	}
	if (r < 0 || len != 8 || kind != n)
		return "a message is damaged";
	if (ring_consumer_release(&consumer, len))
		atomic_store(&s->space_doorbell, 1);
	return NULL;
}

static void *lockstep_consume(void *arg)
{
	struct lockstep *s = arg;
	uint64_t seed = 77;
	const char *error = NULL;

	if (s->deny_consumer && deny_membarrier() < 0)
		error = "this kernel has no seccomp filters";
	ring_consumer_init(&consumer, &ctl, data, RING_LEN, 8);
	pthread_barrier_wait(&s->ready);
	for (uint32_t n = 0; n < s->n_msgs && !error; n++)
		error = lockstep_receive(s, n, &seed);
	return (void *)error;
}

/* _i as above. */
START_TEST(stress_lockstep)
{
	struct lockstep s = {
		.n_msgs = UINT32_MAX, .deny_producer = _i & 1, .deny_consumer = _i & 2};
	pthread_t threads[2];
	void *errors[2];

	ck_assert_int_eq(pthread_barrier_init(&s.ready, NULL, 2), 0);
	ck_assert_int_eq(pthread_create(&threads[0], NULL, lockstep_produce, &s), 0);
	ck_assert_int_eq(pthread_create(&threads[1], NULL, lockstep_consume, &s), 0);
	for (int i = 1; i >= 0; i--) {
		ck_assert_int_eq(pthread_join(threads[i], &errors[i]), 0);
		ck_assert_msg(!errors[i], "%s", (const char *)errors[i]);
	}
	pthread_barrier_destroy(&s.ready);
	ck_assert_uint_gt(s.n_consumer_slept, ENOUGH_SLEEPS);
	ck_assert_uint_gt(s.n_producer_slept, ENOUGH_SLEEPS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ring");
	TCase *tcase = unit_case(suite, "one thread", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, map_data, unmap_data);
	tcase_add_test(tcase, lengths);
	tcase_add_test(tcase, full_through_many_wraps);
	tcase_add_test(tcase, largest_message_at_each_offset);
	tcase_add_test(tcase, queue_size_limits);
	tcase_add_test(tcase, impossible_headers);
	tcase_add_test(tcase, impossible_counters);
	tcase_add_test(tcase, sleep_words_in_one_thread);
	tcase_add_test(tcase, close_wakes_and_stays);
	tcase_add_test(tcase, sleep_words_without_membarrier);
	tcase = unit_case(suite, "two threads", UNIT_TIMEOUT_LONG);
	tcase_add_checked_fixture(tcase, map_data, unmap_data);
	tcase_add_test(tcase, stress_polling);
	tcase_add_loop_test(tcase, stress_sleeping, 0, 4);
	tcase_add_loop_test(tcase, stress_lockstep, 0, 4);
	return unit_run(suite);
}
