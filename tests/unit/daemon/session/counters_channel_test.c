/*
 * daemon/session/counters: finding the place of a channel's counters among the places that a client
 * shares. Found places are cached, and the cache may be outdated when it is used.
 */
#include <string.h>
#include <unistd.h>

#include "daemon/base/account.h"
#include "daemon/comch/channel.h"
#include "daemon/comch/comch.h"
#include "daemon/daemon.h"
#include "daemon/session/session.h"
#include "tests/unit/unit.h"
#include "util/memfd.h"

#define N_PLACES   (COUNTERS_MAX_LEN / COUNTERS_SLOT_LEN)
#define N_CHANNELS 4000u /* more than there are places */

static struct daemon the_daemon;
static struct comch the_comch;
static struct session session, other_session;
static struct channel channels[N_CHANNELS];
static struct counters_slot *places;

static void setup(void)
{
	struct limits limits = {.n_users = 0};
	int fd = memfd_create_growable("counters", COUNTERS_MAX_LEN);

	for (int kind = 0; kind < CHARGE_N; kind++)
		limits.user.limit[kind] = limits.total.limit[kind] = UINT64_MAX / 2;
	accounts_init(&the_daemon.accounts, &limits);
	session.daemon = other_session.daemon = &the_daemon;
	the_daemon.comch = &the_comch;
	session.account = account_ref(&the_daemon.accounts, 1);
	ck_assert_ptr_nonnull(session.account);
	counters_init(&session.counters);
	counters_init(&other_session.counters);
	places = memfd_map(fd, 0, COUNTERS_MAX_LEN, true);
	ck_assert_ptr_nonnull(places);
	atomic_store(&((struct counters_header *)(void *)places)->n_slots, N_PLACES);
	session.counters.fd = fd;
	for (unsigned i = 0; i < N_CHANNELS; i++) {
		channels[i].session = &session;
		ck_assert_int_eq(idmap_add(&the_comch.channel_map, &channels[i].node, i + 1), 0);
	}
}

static void teardown(void)
{
	counters_deinit(&session.counters);
	account_unref(session.account);
	for (unsigned i = 0; i < N_CHANNELS; i++)
		idmap_remove(&the_comch.channel_map, &channels[i].node);
	idmap_deinit(&the_comch.channel_map);
	memfd_unmap(places, COUNTERS_MAX_LEN);
}

static void place_set(uint32_t i, uint32_t kind, uint64_t object)
{
	counters_set(&places[i].object, object);
	atomic_store(&places[i].kind, kind);
}

static uint32_t place_of(const struct channel *channel)
{
	const struct counters_object *object = counters_find_channel(channel);

	return object ? object->slot : 0;
}

START_TEST(counters_of_each_channel_are_found)
{
	for (uint32_t i = 1; i < N_PLACES; i++)
		place_set(i, COUNTERS_CHANNEL, N_PLACES - i);
	for (uint32_t i = 1; i < N_PLACES; i++)
		ck_assert_uint_eq(place_of(&channels[N_PLACES - i - 1]), i);
	/* Channels without a place. */
	for (uint32_t i = N_PLACES; i < N_CHANNELS; i++)
		ck_assert_uint_eq(place_of(&channels[i]), 0);
	ck_assert_uint_eq(place_of(&channels[0]), N_PLACES - 1);
}
END_TEST

START_TEST(moved_counters_are_found)
{
	place_set(3, COUNTERS_CHANNEL, 1);
	ck_assert_uint_eq(place_of(&channels[0]), 3);
	place_set(3, COUNTERS_CHANNEL, 2);
	place_set(2, COUNTERS_CHANNEL, 1);
	ck_assert_uint_eq(place_of(&channels[0]), 2);
	ck_assert_uint_eq(place_of(&channels[1]), 3);
	/* Another object has the place. */
	place_set(2, COUNTERS_DMA, 1);
	ck_assert_uint_eq(place_of(&channels[0]), 0);
	/* A place beyond those in use is not read. */
	place_set(N_PLACES - 1, COUNTERS_CHANNEL, 1);
	ck_assert_uint_eq(place_of(&channels[0]), N_PLACES - 1);
	atomic_store(&((struct counters_header *)(void *)places)->n_slots, 3);
	ck_assert_uint_eq(place_of(&channels[0]), 0);
	atomic_store(&((struct counters_header *)(void *)places)->n_slots, 0);
	ck_assert_uint_eq(place_of(&channels[1]), 0);
}
END_TEST

/* A client may write any channel number, but provides counters of its own channels only. */
START_TEST(counters_of_other_sessions_are_ignored)
{
	channels[0].session = &other_session;
	place_set(3, COUNTERS_CHANNEL, 1);
	place_set(4, COUNTERS_CHANNEL, 2);
	place_set(5, COUNTERS_CHANNEL, UINT64_MAX);
	place_set(6, COUNTERS_CHANNEL, 0);
	ck_assert_uint_eq(place_of(&channels[1]), 4);
	ck_assert_uint_eq(channels[0].counters_slot, 0);
	ck_assert_uint_eq(place_of(&channels[0]), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("counters of channels");
	TCase *tcase = unit_case(suite, "channels", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, counters_of_each_channel_are_found);
	tcase_add_test(tcase, moved_counters_are_found);
	tcase_add_test(tcase, counters_of_other_sessions_are_ignored);
	return unit_run(suite);
}
