/* The life cycles of remote rings and of remote paths: which state may follow which. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "client/comch/remote/states.h"
#include "tests/unit/lifecycle.h"
#include "tests/unit/unit.h"

#define MAX_STATES 7

static const struct cycle {
	const struct lifecycle *cycle;
	unsigned n;
	const char *permitted[MAX_STATES];
} cycles[] = {
	/* relayed importing connecting probing ready up broken */
	{&remote_ring_tx_lifecycle,
	 REMOTE_RING_TX_N_STATES,
	 {"11....1", "111...1", "1.11..1", "1..11.1", "1...111", ".....11", "......1"}},
	/* relayed exporting offered up revoked */
	{&remote_ring_rx_lifecycle,
	 REMOTE_RING_RX_N_STATES,
	 {"11...", "111..", "1.11.", "1..11", "1...1"}},
	/* connecting up disconnected refused broken */
	{&remote_path_lifecycle,
	 REMOTE_PATH_N_STATES,
	 {"1111.", ".11.1", "..1.1", "...1.", "....1"}},
};

START_TEST(transitions)
{
	const struct cycle *c = &cycles[_i];

	ck_lifecycle(c->cycle, c->permitted, c->n);
}
END_TEST

/* A state that was left for good is not entered again. */
static const struct {
	const struct lifecycle *cycle;
	unsigned from, to;
} impossible[] = {
	{&remote_ring_tx_lifecycle, REMOTE_RING_TX_UP, REMOTE_RING_TX_RELAYED},
	{&remote_ring_rx_lifecycle, REMOTE_RING_RX_REVOKED, REMOTE_RING_RX_UP},
	{&remote_path_lifecycle, REMOTE_PATH_DISCONNECTED, REMOTE_PATH_UP},
};

START_TEST(impossible_aborts)
{
	setenv("DOCOCORED_CHECK_STATES", "1", 1);
	lifecycle_enter(impossible[_i].cycle, NULL, impossible[_i].from, impossible[_i].to);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch remote states");
	TCase *tcase = unit_case(suite, "comch remote states", UNIT_TIMEOUT);

	tcase_add_loop_test(tcase, transitions, 0, 3);
	tcase_add_loop_test_raise_signal(tcase, impossible_aborts, SIGABRT, 0, 3);
	return unit_run(suite);
}
