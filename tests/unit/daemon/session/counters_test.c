/*
 * Counters shared by a hostile client: invalid pages are ignored, values in valid pages are shown
 * unchanged, and the daemon continues.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "proto/counters.h"
#include "tests/unit/daemon/dbus/bus_dump.h"
#include "tests/unit/daemon/pair.h"
#include "util/fd.h"
#include "util/memfd.h"

static struct daemon_pair pair;
static struct client client;

static void set_up(void)
{
	pair_set_up(&pair);
	pair_start(&pair, SIDE_HOST);
	client_open(&client, &pair, SIDE_HOST);
}

static void tear_down(void)
{
	client_close(&client);
	pair_tear_down(&pair);
}

/* --- reading --- */

static uint64_t number_of(const char *text, const char *key, unsigned n)
{
	const char *at = bus_dump_value(text, key, n);
	uint64_t value;

	ck_assert_msg(at != NULL, "no %s", key);
	ck_assert_int_eq(sscanf(at, " UINT64 %" SCNu64, &value), 1);
	return value;
}

static bool is_counted(void)
{
	char *text = bus_dump(&pair, SIDE_HOST, "ListClients"), word[16];

	ck_assert_int_eq(sscanf(bus_dump_value(text, "counted", 0), " BOOLEAN %15[a-z]", word), 1);
	free(text);
	return strcmp(word, "true") == 0;
}

/* --- pages --- */

static struct counters_slot *pages_map(int fd, size_t len)
{
	struct counters_slot *places = memfd_map(fd, 0, len, true);
	struct counters_header *header = (struct counters_header *)(void *)places;

	ck_assert_ptr_nonnull(places);
	header->magic = COUNTERS_MAGIC;
	header->layout = COUNTERS_LAYOUT;
	atomic_store(&header->n_slots, 1);
	return places;
}

static void share(int fd, uint32_t layout)
{
	Dococore__CountersShare body = DOCOCORE__COUNTERS_SHARE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	body.layout = layout;
	packet.body_case = DOCOCORE__PACKET__BODY_COUNTERS_SHARE;
	packet.counters_share = &body;
	client_send(&client, &packet, &fd, 1);
	/* A notice has no answer, but the following request has one. */
	client_open_device(&client, "pf0");
}

/* Creates valid pages of this length. */
static struct counters_slot *pages_make(size_t len, int *fd_out)
{
	int fd = memfd_create_growable("counters", len);
	struct counters_slot *places;

	ck_assert_int_ge(fd, 0);
	places = pages_map(fd, COUNTERS_MAX_LEN);
	ck_assert_int_eq(memfd_seal_writers(fd), 0);
	*fd_out = fd;
	return places;
}

static void pages_end(struct counters_slot *places, int fd)
{
	memfd_unmap(places, COUNTERS_MAX_LEN);
	close(fd);
}

static void place_set(struct counters_slot *places, uint32_t i, uint32_t kind, uint64_t n)
{
	struct counters_header *header = (struct counters_header *)(void *)places;

	counters_set(&places[i].line.submitted, n);
	counters_set(&places[i].line.completed, n);
	atomic_store(&places[i].kind, kind);
	if (atomic_load(&header->n_slots) <= i)
		atomic_store(&header->n_slots, i + 1);
}

START_TEST(wrong_pages_are_left_out)
{
	size_t n_fds = pair_settled_fds(&pair, SIDE_HOST);
	struct counters_slot *places;
	int fd;

	/* A memfd that can shrink. */
	fd = memfd_create("counters", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(fd, COUNTERS_MIN_LEN), 0);
	memfd_unmap(pages_map(fd, COUNTERS_MIN_LEN), COUNTERS_MIN_LEN);
	share(fd, COUNTERS_LAYOUT);
	close(fd);
	ck_assert(!is_counted());
	/* A memfd that the daemon could write. */
	fd = memfd_create_growable("counters", COUNTERS_MIN_LEN);
	memfd_unmap(pages_map(fd, COUNTERS_MIN_LEN), COUNTERS_MIN_LEN);
	share(fd, COUNTERS_LAYOUT);
	close(fd);
	ck_assert(!is_counted());
	/* These pages are too short. */
	places = pages_make(4096, &fd);
	share(fd, COUNTERS_LAYOUT);
	pages_end(places, fd);
	ck_assert(!is_counted());
	/* These pages contain no counters. */
	places = pages_make(COUNTERS_MIN_LEN, &fd);
	((struct counters_header *)(void *)places)->magic++;
	share(fd, COUNTERS_LAYOUT);
	pages_end(places, fd);
	ck_assert(!is_counted());
	places = pages_make(COUNTERS_MIN_LEN, &fd);
	share(fd, COUNTERS_LAYOUT + 1);
	pages_end(places, fd);
	ck_assert(!is_counted());
	/* This descriptor is no memfd. */
	fd = fd_eventfd();
	share(fd, COUNTERS_LAYOUT);
	close(fd);
	ck_assert(!is_counted());
	ck_assert_uint_eq(pair_settled_fds(&pair, SIDE_HOST), n_fds);
	places = pages_make(COUNTERS_MIN_LEN, &fd);
	share(fd, COUNTERS_LAYOUT);
	ck_assert(is_counted());
	ck_assert_uint_eq(pair_settled_fds(&pair, SIDE_HOST), n_fds + 1);
	pages_end(places, fd);
}
END_TEST

START_TEST(any_counter_value_is_accepted)
{
	struct counters_slot *places;
	char *text;
	int fd;

	places = pages_make(COUNTERS_MIN_LEN, &fd);
	share(fd, COUNTERS_LAYOUT);
	place_set(places, 1, COUNTERS_DMA, 7);
	place_set(places, 3, 0xffffffff, UINT64_MAX);
	/* More completed than submitted, a name without a NUL, times that overflow. */
	counters_set(&places[3].line.submitted, 5);
	atomic_store(&places[3].state, 77);
	atomic_store(&places[3].pe, 0xffffffff);
	for (size_t i = 0; i < 3; i++)
		counters_set(&places[3].device[i], 0xff0a1b4141414141ull);
	for (size_t i = 0; i < COUNTERS_N_BUCKETS; i++)
		counters_set(&places[3].latency[i], UINT64_MAX);
	text = bus_dump(&pair, SIDE_HOST, "ListCounters");
	ck_assert_ptr_nonnull(strstr(text, "\"dma\""));
	ck_assert_ptr_nonnull(strstr(text, "\"other\""));
	ck_assert_uint_eq(number_of(text, "n_completed", 0), 7);
	ck_assert_uint_eq(number_of(text, "n_completed", 1), UINT64_MAX);
	ck_assert_uint_eq(number_of(text, "depth", 1), 0);
	ck_assert_ptr_null(bus_dump_value(text, "n_completed", 2));
	free(text);
	/* There are no more places than the file has. */
	atomic_store(&((struct counters_header *)(void *)places)->n_slots, UINT32_MAX);
	text = bus_dump(&pair, SIDE_HOST, "ListCounters");
	ck_assert_uint_eq(number_of(text, "n_completed", 0), 7);
	ck_assert_ptr_null(bus_dump_value(text, "n_completed", 2));
	free(text);
	pages_end(places, fd);
}
END_TEST

START_TEST(pages_grow_and_are_replaced)
{
	struct counters_slot *places, *others;
	int fd, other_fd;
	char *text;

	places = pages_make(COUNTERS_MIN_LEN, &fd);
	share(fd, COUNTERS_LAYOUT);
	place_set(places, 1, COUNTERS_DMA, 7);
	ck_assert(is_counted());
	ck_assert_int_eq(ftruncate(fd, 4 * COUNTERS_MIN_LEN), 0);
	place_set(places, 100, COUNTERS_SHA, 9);
	text = bus_dump(&pair, SIDE_HOST, "ListCounters");
	ck_assert_uint_eq(number_of(text, "n_completed", 1), 9);
	free(text);
	/* Longer than what the daemon reads. */
	ck_assert_int_eq(ftruncate(fd, 16 * (off_t)COUNTERS_MAX_LEN), 0);
	atomic_store(&((struct counters_header *)(void *)places)->n_slots, UINT32_MAX);
	text = bus_dump(&pair, SIDE_HOST, "ListClients");
	ck_assert_uint_eq(number_of(text, "n_completed", 0), 16);
	free(text);
	others = pages_make(COUNTERS_MIN_LEN, &other_fd);
	place_set(others, 1, COUNTERS_RDMA, 4);
	share(other_fd, COUNTERS_LAYOUT);
	text = bus_dump(&pair, SIDE_HOST, "ListClients");
	ck_assert_uint_eq(number_of(text, "n_completed", 0), 20);
	free(text);
	pages_end(places, fd);
	pages_end(others, other_fd);
}
END_TEST

/* Random writes while an operator reads. */
START_TEST(scribbles_change_no_other_counter)
{
	struct counters_slot *places;
	uint64_t state = 0x9e3779b97f4a7c15ull;
	int fd;

	places = pages_make(4 * COUNTERS_MIN_LEN, &fd);
	share(fd, COUNTERS_LAYOUT);
	for (int turn = 0; turn < 30; turn++) {
		uint64_t *words = (uint64_t *)(void *)places;

		for (size_t i = 0; i < 4 * COUNTERS_MIN_LEN / 8; i++) {
			state ^= state >> 12;
			state ^= state << 25;
			state ^= state >> 27;
			words[i] = state;
		}
		free(bus_dump(&pair, SIDE_HOST, "ListCounters"));
		free(bus_dump(&pair, SIDE_HOST, "ListClients"));
	}
	client_open_device(&client, "pf0");
	pages_end(places, fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon counters");
	TCase *tcase = unit_case(suite, "a client", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, wrong_pages_are_left_out);
	tcase_add_test(tcase, any_counter_value_is_accepted);
	tcase_add_test(tcase, pages_grow_and_are_replaced);
	tcase_add_test(tcase, scribbles_change_no_other_counter);
	return unit_run(suite);
}
