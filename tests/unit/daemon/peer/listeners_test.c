/*
 * daemon/peer/listeners: listeners are called in order when a link is up, and in reverse order when
 * it is lost.
 */
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/peer/peer.h"
#include "tests/unit/unit.h"

static char seen[64];

static void note(const struct peer *peer, const char *what)
{
	ck_assert_str_eq(peer->name, "p");
	strncat(seen, what, sizeof(seen) - strlen(seen) - 1);
	strncat(seen, " ", sizeof(seen) - strlen(seen) - 1);
}

static void low_any(struct peer *peer)
{
	note(peer, "low");
}

static void middle_any(struct peer *peer)
{
	note(peer, "middle");
}

static void high_any(struct peer *peer)
{
	note(peer, "high");
}

static const struct peer_listener listeners[] = {
	{.linked = low_any, .writable = low_any, .lost = low_any},
	{.greeted = middle_any, .ready = middle_any, .lost = middle_any},
	{.linked = high_any, .greeted = high_any, .lost = high_any},
};
static const struct peer_hooks hooks = {.listeners = listeners,
					.n_listeners = ARRAY_LEN(listeners)};
static struct daemon the_daemon = {.peer_hooks = &hooks};
static struct peer peer = {.daemon = &the_daemon, .name = "p"};

START_TEST(in_order)
{
	peer_call_linked(&peer);
	ck_assert_str_eq(seen, "low high ");
	seen[0] = '\0';
	peer_call_greeted(&peer);
	ck_assert_str_eq(seen, "middle high ");
	seen[0] = '\0';
	peer_call_ready(&peer);
	ck_assert_str_eq(seen, "middle ");
	seen[0] = '\0';
	peer_call_writable(&peer);
	ck_assert_str_eq(seen, "low ");
}
END_TEST

START_TEST(loss_is_reported_in_reverse)
{
	peer_call_lost(&peer);
	ck_assert_str_eq(seen, "high middle low ");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("listeners of peer links");
	TCase *tcase = unit_case(suite, "listeners", UNIT_TIMEOUT);

	tcase_add_test(tcase, in_order);
	tcase_add_test(tcase, loss_is_reported_in_reverse);
	return unit_run(suite);
}
