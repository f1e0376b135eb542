/*
 * client/comch/remote/ring: requests of remote rings to the daemons, which never block; the limits
 * of their resources; revocation by an operator; and credit that a device reads in pieces. One
 * thread. The test holds the session's lock at times, so a thread that waited for it would hang.
 */
#include <sys/timerfd.h>

#include "client/comch/connection/client.h"
#include "client/comch/remote/paths.h"
#include "client/control/session.h"
#include "tests/unit/client/comch/remote_ring_ends.h"
#include "util/export_descriptor.h"

static void end_all(void)
{
	network.is_slow = false;
	network_run_work();
	stop();
}

static struct comch_exported *exported_of(const struct end *end)
{
	return &end->conn->remote_ring->export->exported;
}

/* Runs while no request to a daemon is answered. */
static void exchange_locked(unsigned n)
{
	rpc_lock();
	send_and_check(&client, &server, 100, n);
	send_and_check(&server, &client, 100, n);
	rpc_unlock();
}

/* --- slow daemons --- */

START_TEST(no_call_waits_for_a_daemon)
{
	network.is_slow = true;
	start();
	exchange_locked(1);
	ck_assert_uint_eq(network.n_exports, 0);
	network_run_work();
	ck_assert_uint_eq(network.n_exports, 2);
	/* Each end handles the other's request. */
	exchange_locked(2);
	ck_assert_int_eq(state_of(&server), REMOTE_RING_TX_IMPORTING);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_IMPORTING);
	exchange_locked(3);
	network_run_work();
	progress_both(&client, &server);
	ck_assert_int_eq(state_of(&server), REMOTE_RING_TX_UP);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_UP);
	exchange_locked(4);
	fake_kill_client(0);
	rpc_lock();
	progress(&server);
	ck_assert_uint_eq(server.n_disconnects, 1);
	rpc_unlock();
	end_all();
}
END_TEST

static void wake_of(struct end *end)
{
	ck_assert(wakes(end, 5000));
	wake_up(end);
}

START_TEST(a_sleeper_hears_that_it_is_there)
{
	network.is_slow = true;
	start();
	go_to_sleep(&client);
	go_to_sleep(&server);
	network_run_work();
	wake_of(&client);
	wake_of(&server);
	progress_both(&client, &server);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_IMPORTING);
	go_to_sleep(&client);
	go_to_sleep(&server);
	network_run_work();
	wake_of(&client);
	wake_of(&server);
	progress_both(&client, &server);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_UP);
	ck_assert_int_eq(state_of(&server), REMOTE_RING_TX_UP);
	end_all();
}
END_TEST

/* The client stops before the remote ring was created; _i work items run before that. */
START_TEST(not_wanted_any_more)
{
	network.is_slow = true;
	start();
	if (_i == 1) {
		network_run_work();
		progress_both(&client, &server);
		ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_IMPORTING);
	}
	end_stop(&client);
	progress(&server);
	ck_assert_uint_eq(server.n_disconnects, 1);
	end_all();
}
END_TEST

/* The daemon refuses; or no thread can be started to ask it. */
START_TEST(what_cannot_be_had_is_relayed)
{
	network.is_slow = _i == 0;
	network.has_no_thread = _i == 1;
	start();
	network.exists = false;
	network_run_work();
	expect_relayed();
	ck_assert_ptr_null(client.conn->remote_ring->export);
	network.has_no_thread = false;
	end_all();
}
END_TEST

/* --- what is offered --- */

static void of_another_daemon(struct export_descriptor *descriptor)
{
	descriptor->daemon_id[3] ^= 1;
}

static void too_short(struct export_descriptor *descriptor)
{
	descriptor->len -= 4096;
}

static void too_long(struct export_descriptor *descriptor)
{
	descriptor->len *= 2;
}

static void read_only(struct export_descriptor *descriptor)
{
	descriptor->permissions = DOCA_ACCESS_FLAG_RDMA_READ;
}

static void without_key(struct export_descriptor *descriptor)
{
	descriptor->has_key = false;
	descriptor->key = 0;
}

static void of_pci(struct export_descriptor *descriptor)
{
	descriptor->kind = DOCOCORE__EXPORT_KIND__PCI;
}

static void (*const spoils[])(struct export_descriptor *) = {
	of_another_daemon, too_short, too_long, read_only, without_key, of_pci,
};

/* The descriptor of anything but the other end's ring is refused. */
START_TEST(forged_offers)
{
	network.change_export = spoils[_i];
	start();
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_RELAYED);
	ck_assert_int_eq(state_of(&server), REMOTE_RING_TX_RELAYED);
	ck_assert_ptr_null(client.conn->remote_ring->import);
	expect_relayed();
	end_all();
}
END_TEST

/* --- limits --- */

/* There is enough memory for one connection: the next is relayed until the first has ended. */
START_TEST(no_more_than_its_share)
{
	struct end second;
	uint64_t len;

	start();
	len = server.conn->remote_ring->export->memory.len;
	network.pinned_max = 5 * len;
	client_make(&second, "remote ring");
	ck_assert_int_eq(doca_comch_client_set_recv_queue_size(second.client, QUEUE), DOCA_SUCCESS);
	client_connect(&second, &server);
	ck_assert_int_eq(state_of(&second), REMOTE_RING_TX_RELAYED);
	ck_assert_uint_le(network.n_exports + network.n_requesters, 5);
	send_and_check(&second, &server, 100, 1);
	end_stop(&second);
	progress(&server);
	ck_assert_int_eq(doca_ctx_start(second.ctx), DOCA_ERROR_IN_PROGRESS);
	end_stop(&client);
	progress_both(&server, &second);
	ck_assert_int_eq(doca_comch_client_get_connection(second.client, &second.conn),
			 DOCA_SUCCESS);
	ck_assert_int_eq(state_of(&second), REMOTE_RING_TX_UP);
	send_and_check(&second, &server, 100, 2);
	end_stop(&second);
	progress(&server);
	end_free(&second);
	end_all();
}
END_TEST

/* --- a full relayed ring --- */

static bool has_timer(const struct end *end)
{
	int fd = end->client->base.events.timer_fd;
	struct itimerspec left = {.it_value = {0}};

	if (fd >= 0)
		ck_assert_int_eq(timerfd_gettime(fd, &left), 0);
	return left.it_value.tv_sec != 0 || left.it_value.tv_nsec != 0;
}

/* An end that has no room to announce its change to the remote ring sleeps until there is room. */
START_TEST(a_full_ring_rings_no_doorbell)
{
	network.is_calling = true;
	start();
	(void)send_all();
	network.is_calling = false;
	progress(&client);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_READY);
	go_to_sleep(&client);
	ck_assert(!has_timer(&client));
	progress(&server);
	ck_assert_uint_eq(server.n_recv, QUEUE);
	wake_of(&client);
	progress_both(&client, &server);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_UP);
	send_and_check(&client, &server, 50, 1);
	end_all();
}
END_TEST

/* --- an operator --- */

static void expect_reset(unsigned n_received)
{
	ck_assert_uint_eq(server.n_recv, n_received);
	ck_assert_uint_eq(server.n_disconnects, 1);
	ck_assert_int_eq(server.conn->end_code, DOCA_ERROR_CONNECTION_RESET);
	progress(&client);
	ck_assert_uint_eq(client.n_idle, 1);
	ck_assert_int_eq(client.conn->end_code, DOCA_ERROR_CONNECTION_RESET);
}

/*
 * Messages that have arrived are delivered, and then the connection ends at both ends; further
 * messages are refused.
 */
START_TEST(a_revoked_ring_ends_the_connection)
{
	start();
	if (_i == 1)
		go_to_sleep(&server);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(send_number(&client, 100, i), DOCA_SUCCESS);
	progress(&client);
	network_revoke(exported_of(&server));
	if (_i == 2)
		ck_assert_int_eq(send_number(&client, 100, 3), DOCA_SUCCESS);
	if (_i == 1)
		wake_of(&server);
	progress(&server);
	expect_reset(3);
	end_all();
}
END_TEST

/* The other end does not write there yet: the daemons continue to relay. */
START_TEST(a_ring_revoked_before_its_use_is_relayed)
{
	network.is_calling = true;
	start();
	network_revoke(exported_of(&server));
	network.is_calling = false;
	progress_both(&client, &server);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_RELAYED);
	for (unsigned i = 0; i < 3 * QUEUE; i++)
		send_and_check(&client, &server, 10 + i, i);
	ck_assert_uint_eq(server.n_disconnects, 0);
	end_all();
}
END_TEST

/* The other end has changed over, and this end does not know that yet. */
START_TEST(a_ring_revoked_in_use_ends_the_connection)
{
	network.is_calling = true;
	start();
	ck_assert_int_eq(send_number(&client, 100, 0), DOCA_SUCCESS);
	network.is_calling = false;
	progress(&client);
	ck_assert_int_eq(state_of(&client), REMOTE_RING_TX_UP);
	if (_i == 1)
		go_to_sleep(&server);
	network_revoke(exported_of(&server));
	if (_i == 1)
		wake_of(&server);
	progress(&server);
	expect_reset(1);
	end_all();
}
END_TEST

/* --- credit --- */

static void receive_first(void *arg)
{
	(void)arg;
	network.on_read = NULL;
	progress(&server);
}

/* A word is read while it changes from 255 to 256, low byte first: the read value is 511. */
START_TEST(credit_in_pieces)
{
	unsigned n = 0;

	start();
	while (server.n_recv < 255)
		send_and_check(&client, &server, 8, n++);
	network.read_at = offsetof(struct channel_ring_ctl, consumed_msgs) + 1;
	network.on_read = receive_first;
	ck_assert_int_eq(send_number(&client, 8, n), DOCA_SUCCESS);
	progress(&client);
	ck_assert_uint_eq(server.n_recv, 256);
	network.is_blocked = true;
	for (n = 0; n < 2 * QUEUE && send_number(&client, 8, n) == DOCA_SUCCESS; n++)
		continue;
	ck_assert_uint_le(n, QUEUE);
	network.is_blocked = false;
	progress_both(&client, &server);
	ck_assert_uint_eq(server.n_recv, 256 + n);
	ck_assert_uint_eq(server.n_disconnects, 0);
	end_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch remote ring async");
	TCase *tcase = unit_case(suite, "daemons", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, network_up, tear_down);
	tcase_add_test(tcase, no_call_waits_for_a_daemon);
	tcase_add_test(tcase, a_sleeper_hears_that_it_is_there);
	tcase_add_loop_test(tcase, not_wanted_any_more, 0, 2);
	tcase_add_loop_test(tcase, what_cannot_be_had_is_relayed, 0, 2);
	tcase_add_loop_test(tcase, forged_offers, 0, (int)ARRAY_LEN(spoils));
	tcase_add_test(tcase, no_more_than_its_share);
	tcase_add_test(tcase, a_full_ring_rings_no_doorbell);
	tcase = unit_case(suite, "revoked", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, network_up, tear_down);
	tcase_add_loop_test(tcase, a_revoked_ring_ends_the_connection, 0, 3);
	tcase_add_test(tcase, a_ring_revoked_before_its_use_is_relayed);
	tcase_add_loop_test(tcase, a_ring_revoked_in_use_ends_the_connection, 0, 2);
	tcase = unit_case(suite, "credit", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, network_up, tear_down);
	tcase_add_test(tcase, credit_in_pieces);
	return unit_run(suite);
}
