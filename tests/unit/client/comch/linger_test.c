/*
 * Consumers on another machine that stop: a producer whose last acknowledgement was lost may still
 * get it, unless a thread waits for progress meanwhile.
 */
#include "tests/unit/client/comch/fast_ends.h"
#include "tests/unit/client/comch/network.h"

/* Creates a sink whose peer is on another machine. */
static void remote_sink_make(struct pair *pair)
{
	ends_make(pair, "unregister");
	network_reset();
	network.exists = true;
	pair->server.conn->link->is_remote = true;
	sink_make(&pair->sink, &pair->server, false, 4);
}

static void remote_sink_free(struct pair *pair)
{
	sink_free(&pair->sink);
	ck_assert_uint_eq(network.n_exports, 0);
	network.exists = false;
	ends_free(pair);
}

START_TEST(test_a_stop_awaits_producers)
{
	struct pair pair;

	remote_sink_make(&pair);
	sink_start(&pair.sink);
	ck_assert_uint_eq(network.n_exports, 1);
	sink_post(&pair.sink, 0, 100, 0);
	sink_stop(&pair.sink);
	ck_assert_uint_eq(pair.sink.n_flushed, 1);
	ck_assert_uint_eq(network.n_drained, 1);
	remote_sink_free(&pair);
}
END_TEST

static void stop_at_once(const union doca_data user_data, struct doca_ctx *ctx,
			 enum doca_ctx_states prev, enum doca_ctx_states next)
{
	sink_on_state(user_data, ctx, prev, next);
	if (next == DOCA_CTX_STATE_RUNNING)
		ck_assert_int_eq(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
}

START_TEST(test_progress_does_not_wait_for_producers)
{
	struct pair pair;

	remote_sink_make(&pair);
	ck_assert_int_eq(doca_ctx_set_state_changed_cb(pair.sink.ctx, stop_at_once), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_start(pair.sink.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_uint_eq(network.n_exports, 1);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_idle, 1);
	ck_assert_uint_eq(network.n_exports, 0);
	ck_assert_uint_eq(network.n_drained, 0);
	remote_sink_free(&pair);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch consumer unregister");
	TCase *tcase = unit_case(suite, "comch consumer unregister", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, test_a_stop_awaits_producers);
	tcase_add_test(tcase, test_progress_does_not_wait_for_producers);
	return unit_run(suite);
}
