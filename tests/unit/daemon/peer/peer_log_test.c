/*
 * daemon/peer/peer_log, daemon/peer/pending_peers: which log lines unauthenticated hosts can cause
 * over TLS, and how many connections of one network may be pending. This program replaces the
 * clock, the carriers and the breaking of links.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/dbus/bus.h"
#include "daemon/peer/carrier_tls.h"
#include "daemon/peer/peer.h"
#include "tests/unit/unit.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/str.h"

#define AGAIN_NS (600 * NS_PER_SEC)

static struct daemon the_daemon;
static struct peers the_peers;
static uint64_t now_ns;
static unsigned n_lines, n_broken;
static char last_line[512], broken_why[128];
static const struct peer *broken;
/* The carrier of each peer. */
static struct fake {
	struct carrier carrier;
	char host[64];
	const char *rule;
} fakes[40];

uint64_t clock_now_ns(void)
{
	return now_ns;
}

const char *carrier_tls_host(const struct carrier *carrier)
{
	return container_of(carrier, const struct fake, carrier)->host;
}

const char *carrier_tls_rule(const struct carrier *carrier)
{
	return container_of(carrier, const struct fake, carrier)->rule;
}

void events_emit(const struct events *events, enum object_kind kind, enum object_change change,
		 const void *object)
{
	(void)events, (void)kind, (void)change, (void)object;
}

void peer_break(struct peer *peer, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(broken_why, sizeof(broken_why), fmt, ap);
	va_end(ap);
	broken = peer;
	n_broken++;
}

static bool on_log_line(int priority, const char *text)
{
	(void)priority;
	snprintf(last_line, sizeof(last_line), "%s", text);
	n_lines++;
	return true;
}

static void set_up(void)
{
	memset(&the_daemon, 0, sizeof(the_daemon));
	memset(&the_peers, 0, sizeof(the_peers));
	the_daemon.peers = &the_peers;
	list_init(&the_peers.list);
	now_ns = 5 * NS_PER_SEC;
	n_lines = n_broken = 0;
	broken = NULL;
	log_set_level(LOG_LEVEL_DEBUG);
	log_set_sink(on_log_line);
}

static struct peer unauthorised_peer(size_t i, const char *host)
{
	struct peer peer = {.daemon = &the_daemon, .is_tls = true, .state = PEER_CONNECTING};

	ck_assert_uint_lt(i, ARRAY_LEN(fakes));
	str_copy(fakes[i].host, sizeof(fakes[i].host), host);
	fakes[i].rule = "";
	str_copy(peer.name, sizeof(peer.name), "a daemon");
	snprintf(peer.address, sizeof(peer.address), "tls:%s", host);
	peer.carrier = &fakes[i].carrier;
	peer_find_network(&peer);
	return peer;
}

static void refuse_by(const char *host, const char *rule, const char *reason)
{
	struct peer peer = unauthorised_peer(0, host);

	fakes[0].rule = rule;
	str_copy(peer.reason, sizeof(peer.reason), reason);
	peer_log_refused(&peer);
}

static void refuse(const char *host, const char *reason)
{
	refuse_by(host, "", reason);
}

START_TEST(networks)
{
	static const struct {
		const char *host, *network;
	} all[] = {
		{"192.0.2.1", "192.0.2.1"},
		{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"2001:db8:1:2::", "2001:db8:1:2::/64"},
		{"fe80::1%eth0", "fe80::/64%eth0"},
		{"::ffff:192.0.2.1", "::ffff:192.0.2.1"},
		{"?", "?"},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		ck_assert_str_eq(unauthorised_peer(0, all[i].host).network, all[i].network);
}
END_TEST

/* The owner of a network gets no more places than the owner of an address. */
START_TEST(places)
{
	struct peer peers[9];
	char host[64];

	for (size_t i = 0; i < ARRAY_LEN(peers); i++) {
		ck_assert_uint_eq(n_broken, 0);
		snprintf(host, sizeof(host), _i == 0 ? "2001:db8::1:%zu" : "2001:db8:0:%zu::1", i);
		peers[i] = unauthorised_peer(i, host);
		list_append(&the_peers.list, &peers[i].link);
		peer_limit_half_open(&peers[i]);
	}
	ck_assert_uint_eq(n_broken, _i == 0);
	if (_i != 0)
		return;
	ck_assert_ptr_eq(broken, &peers[0]);
	ck_assert_str_eq(broken_why,
			 "more than 8 connections of this network have not identified themselves");
}
END_TEST

/*
 * One line for an address and a reason, whatever names it contains; later the number of
 * repetitions.
 */
START_TEST(logged_once)
{
	char reason[128];

	for (int i = 0; i < 40; i++) {
		snprintf(reason, sizeof(reason),
			 "its certificate 'CN=x%d' is refused: self-signed certificate", i);
		refuse_by("192.0.2.1", "self-signed certificate", reason);
	}
	ck_assert_uint_eq(n_lines, 1);
	ck_assert_ptr_nonnull(strstr(last_line, "'CN=x0' is refused: self-signed certificate"));
	ck_assert_ptr_null(strstr(last_line, "more"));
	now_ns += AGAIN_NS - 1;
	refuse_by("192.0.2.1", "self-signed certificate", reason);
	ck_assert_uint_eq(n_lines, 1);
	now_ns += 1;
	refuse_by("192.0.2.1", "self-signed certificate", reason);
	ck_assert_uint_eq(n_lines, 2);
	ck_assert_ptr_nonnull(strstr(last_line, "'CN=x39' is refused: self-signed certificate; "
						"40 more since"));
	/* Another reason, and another address. */
	refuse("192.0.2.1", "the TLS handshake was not done in time");
	ck_assert_uint_eq(n_lines, 3);
	refuse("192.0.2.2", "the TLS handshake was not done in time");
	ck_assert_uint_eq(n_lines, 4);
}
END_TEST

/* Bounded for any number of reasons or addresses. */
START_TEST(bounded)
{
	enum { ROUNDS = 3, N_REASONS = 30, N_HOSTS = 50, MOST = 129 };
	char reason[64], host[64];
	unsigned n = 0;

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < N_REASONS; i++) {
			snprintf(reason, sizeof(reason), "reason %d", i);
			snprintf(host, sizeof(host), "2001:db8::%d", i);
			refuse(host, reason);
		}
	ck_assert_uint_eq(n_lines, 16);
	ck_assert_ptr_nonnull(strstr(last_line, "connections of 2001:db8::/64 end for 15 reasons"));
	now_ns += AGAIN_NS;
	for (int round = 0; round < ROUNDS; round++) {
		n = n_lines;
		for (int i = 0; i < N_HOSTS * N_REASONS; i++) {
			snprintf(reason, sizeof(reason), "reason %d", i % N_REASONS);
			snprintf(host, sizeof(host), "2001:db8:0:%d::1", 1 + i / N_REASONS);
			refuse(host, reason);
		}
		if (round == 0)
			ck_assert_uint_eq(n_lines - n, MOST);
		else
			ck_assert_uint_eq(n_lines - n, 0);
	}
	ck_assert_ptr_nonnull(strstr(last_line, "connections of many addresses"));
	/* The next period begins. */
	now_ns += AGAIN_NS;
	refuse("192.0.2.1", "reason 1");
	ck_assert_uint_eq(n_lines, n + 1);
	ck_assert_ptr_nonnull(strstr(last_line, "reason 1"));
}
END_TEST

/* Once a peer from there was linked, failures are logged again. */
START_TEST(failures_after_a_link_are_logged_again)
{
	struct peer peer = unauthorised_peer(1, "192.0.2.1");

	refuse("192.0.2.1", "it closed the connection");
	refuse("192.0.2.2", "it closed the connection");
	peer_log_forget(&peer);
	refuse("192.0.2.1", "it closed the connection");
	refuse("192.0.2.2", "it closed the connection");
	ck_assert_uint_eq(n_lines, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("peers that are no peers");
	TCase *tcase = unit_case(suite, "unauthorised peers", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_add_test(tcase, networks);
	tcase_add_loop_test(tcase, places, 0, 2);
	tcase_add_test(tcase, logged_once);
	tcase_add_test(tcase, bounded);
	tcase_add_test(tcase, failures_after_a_link_are_logged_again);
	return unit_run(suite);
}
