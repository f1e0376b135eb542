/*
 * daemon/memory/import: imports that are renewed over a new link, if they exceed what a link
 * accepts at once; and the choice of the peer for an import. A link that only counts replaces the
 * peer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/device/device.h"
#include "daemon/memory/import.h"
#include "daemon/memory/import_internal.h"
#include "daemon/memory/memory.h"
#include "daemon/session/session.h"
#include "tests/unit/unit.h"
#include "util/clock.h"

#define N_IMPORTS 131072u     /* the maximum for one user */
#define N_REPS    8u          /* each is named in each request */
#define QUEUE_LEN (16u << 20) /* capacity of a link */

static struct daemon the_daemon;
static struct registry the_registry;
static struct sessions the_sessions;
static struct peers the_peers;
static struct memory the_memory;
static struct session session;
static struct device device;
static struct device_spec spec;
static struct rep_spec rep_specs[N_REPS];
static struct representor reps[N_REPS];
static struct peer peer;
static struct peer_function function;
static struct import *imports;
static struct {
	struct carrier base;
	size_t queue_len, most;
	unsigned n_asked, n_notified, n_stopped;
	char reported[32]; /* the last reported choice */
} network;

static int network_send(struct carrier *carrier, const Dococore__Packet *packet, const int *fds,
			size_t n_fds)
{
	size_t len = dococore__packet__get_packed_size(packet);

	(void)carrier, (void)fds, (void)n_fds;
	if (network.queue_len + len > QUEUE_LEN)
		return -ENOBUFS;
	network.queue_len += len;
	network.most = MAX(network.most, network.queue_len);
	if (packet->body_case == DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT) {
		network.n_notified++;
		ck_assert_uint_eq(packet->import_transport->n_rejected, 1);
		ck_assert_str_eq(packet->import_transport->rejected[0], "shm: other machine");
		snprintf(network.reported, sizeof(network.reported), "%s",
			 packet->import_transport->transport);
		return 0;
	}
	ck_assert_int_eq(packet->body_case, DOCOCORE__PACKET__BODY_PEER_IMPORT);
	network.n_asked++;
	return 0;
}

static size_t network_queue_len(const struct carrier *carrier)
{
	(void)carrier;
	return network.queue_len;
}

static void network_stop(struct carrier *carrier)
{
	(void)carrier;
	network.n_stopped++;
}

static const struct carrier_ops network_ops = {
	.name = "network",
	.send = network_send,
	.queue_len = network_queue_len,
	.stop = network_stop,
};

static void setup(void)
{
	memset(&the_daemon, 0, sizeof(the_daemon));
	memset(&network, 0, sizeof(network));
	memset(&peer, 0, sizeof(peer));
	memset(&the_memory, 0, sizeof(the_memory));
	the_daemon.memory = &the_memory;
	list_init(&the_memory.imports);
	strcpy(spec.pci_addr, "0000:0b:00.0");
	device.spec = &spec;
	session.pid = 1 << 21;
	session.uid = 1000;
	for (unsigned i = 0; i < N_REPS; i++) {
		snprintf(rep_specs[i].pci_addr, sizeof(rep_specs[i].pci_addr), "0000:0c:00.%u", i);
		reps[i] = (struct representor){
			.spec = &rep_specs[i], .parent = &device, .present = true};
	}
	the_daemon.registry = &the_registry;
	the_daemon.sessions = &the_sessions;
	the_daemon.peers = &the_peers;
	the_registry.reps = reps;
	the_registry.n_reps = N_REPS;
	network.base.ops = &network_ops;
	peer.daemon = &the_daemon;
	peer.is_tls = true;
	peer.state = PEER_LINKED;
	peer.functions = &function;
	peer.carrier = &network.base;
	list_init(&peer.requests);
	imports = calloc(N_IMPORTS, sizeof(*imports));
	ck_assert_ptr_nonnull(imports);
	for (unsigned i = 0; i < N_IMPORTS; i++) {
		struct import *import = &imports[i];

		import->daemon = &the_daemon;
		import->session = &session;
		import->device = &device;
		import->node.id = i + 1;
		import->export_id = ~0ull - i;
		import->state = IMPORT_ALIVE;
		import->is_remote = true;
		import->grant = GRANT_LOST;
		import->peer = &peer;
		peer_request_init(&import->renewal, NULL);
		list_append(&the_memory.imports, &import->link);
	}
}

static void teardown(void)
{
	free(imports);
}

static unsigned count(enum import_grant grant)
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_IMPORTS; i++)
		n += imports[i].grant == grant;
	return n;
}

START_TEST(a_link_has_bounded_requests)
{
	unsigned n_portions = 1;

	imports_renew(&peer);
	while (count(GRANT_LOST) > 0) {
		unsigned n_before = network.n_asked;

		ck_assert_int_eq(peer.state, PEER_LINKED);
		/* No further one until there is room. */
		ck_assert_uint_le(network.most, QUEUE_LEN / 2);
		network.queue_len = 0;
		imports_renew_rest(&peer);
		ck_assert_uint_gt(network.n_asked, n_before);
		n_portions++;
	}
	ck_assert_int_eq(peer.state, PEER_LINKED);
	ck_assert_uint_eq(network.n_stopped, 0);
	ck_assert_uint_gt(n_portions, 1);
	/* Each exactly once. */
	ck_assert_uint_eq(network.n_asked, N_IMPORTS);
	ck_assert_uint_eq(count(GRANT_ASKED), N_IMPORTS);
	/* Room alone causes no renewal. */
	imports_renew_rest(&peer);
	ck_assert_uint_eq(network.n_asked, N_IMPORTS);
}
END_TEST

/* Each portion is refused before there is room for the next. */
START_TEST(refused_requests_block_no_others)
{
	imports_renew(&peer);
	while (peer.has_renewals) {
		for (unsigned i = 0; i < N_IMPORTS; i++) {
			if (imports[i].grant != GRANT_ASKED)
				continue;
			peer_request_cancel(&imports[i].renewal);
			imports[i].grant = GRANT_LOST;
		}
		network.queue_len = 0;
		imports_renew_rest(&peer);
		ck_assert_uint_le(network.n_asked, N_IMPORTS);
	}
	ck_assert_uint_eq(network.n_asked, N_IMPORTS);
}
END_TEST

/* Imports of other peers, and granted ones, are unchanged. */
START_TEST(only_what_was_lost)
{
	struct peer other = peer;

	list_init(&other.requests);
	for (unsigned i = 3; i < N_IMPORTS; i++)
		imports[i].grant = GRANT_HELD;
	imports[1].peer = &other;
	imports_renew(&peer);
	ck_assert_uint_eq(network.n_asked, 2);
	ck_assert_int_eq(imports[0].grant, GRANT_ASKED);
	ck_assert_int_eq(imports[1].grant, GRANT_LOST);
	ck_assert_int_eq(imports[2].grant, GRANT_ASKED);
	ck_assert(!peer.has_renewals);
}
END_TEST

static void report_transport(struct import *import, const char *transport)
{
	Dococore__ImportTransport say = DOCOCORE__IMPORT_TRANSPORT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char *rejected = (char[]){"shm: other machine"};

	say.import_id = import->node.id;
	say.transport = (char *)transport;
	say.n_rejected = 1;
	say.rejected = &rejected;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT;
	packet.import_transport = &say;
	ck_assert_int_eq(import_on_transport(&session, &packet, NULL), 0);
}

/*
 * A client that changes the transport of an import at any rate fills no link, and the exporter's
 * daemon gets the last choice.
 */
START_TEST(choices_fill_no_link)
{
	enum { SOME = 100, MANY = 400000 };
	unsigned n_notified;

	session.daemon = &the_daemon;
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(
			idmap_add(&the_memory.import_map, &imports[i].node, imports[i].node.id), 0);
	report_transport(&imports[0], "verbs");
	for (unsigned i = 0; i < SOME; i++)
		report_transport(&imports[0], "verbs");
	ck_assert_uint_eq(network.n_notified, 1);
	for (unsigned i = 0; i < MANY && !peer.has_choices; i++)
		report_transport(&imports[0], i % 2 ? "relay" : "verbs");
	ck_assert(peer.has_choices);
	report_transport(&imports[1], "soft");
	ck_assert_uint_eq(network.n_stopped, 0);
	ck_assert_uint_le(network.most, QUEUE_LEN / 2);
	report_transport(&imports[0], "last");
	ck_assert_str_ne(network.reported, "last");
	n_notified = network.n_notified;
	imports_report_choices(&peer);
	ck_assert_uint_eq(network.n_notified, n_notified);
	network.queue_len = 0;
	imports_report_choices(&peer);
	ck_assert_uint_eq(network.n_notified, n_notified + 2);
	imports_report_choices(&peer);
	ck_assert_uint_eq(network.n_notified, n_notified + 2);
	ck_assert_str_eq(imports[0].choice.transport, "last");
	ck_assert(imports[0].is_choice_reported && imports[1].is_choice_reported);
	/* Over another link it is reported again when the client reports it. */
	import_peer_lost(&peer);
	imports[0].peer = &peer;
	report_transport(&imports[0], "last");
	ck_assert_uint_eq(network.n_notified, n_notified + 3);
	ck_assert_str_eq(network.reported, "last");
	idmap_deinit(&the_memory.import_map);
}
END_TEST

/*
 * All peers that do not answer together take no longer than a client waits, however many they are.
 */
START_TEST(silent_peers)
{
	enum { N_PEERS = 6 };
	const uint64_t most_ns = 4 * NS_PER_SEC;
	struct import *import = &imports[0];
	struct peer peers[N_PEERS];
	uint64_t all_ns = 0;

	the_daemon.loop = loop_new();
	ck_assert_ptr_nonnull(the_daemon.loop);
	list_init(&the_peers.list);
	for (unsigned i = 0; i < N_PEERS; i++) {
		peers[i] = peer;
		peers[i].is_tls = false;
		list_init(&peers[i].requests);
		list_append(&the_peers.list, &peers[i].link);
	}
	import->peer = NULL;
	import->is_remote = false;
	import->state = IMPORT_PENDING;
	peer_request_init(&import->request, NULL);
	for (unsigned i = 0; i < N_PEERS; i++) {
		ck_assert(import_ask_next(import));
		ck_assert_ptr_eq(import->peer, &peers[i]);
		all_ns += import->limit_ns;
		/* The time limit passes without an answer. */
		import->until_ns -= import->limit_ns;
		peer_request_cancel(&import->request);
	}
	ck_assert_uint_eq(network.n_asked, N_PEERS);
	ck_assert_uint_le(all_ns, most_ns);
	ck_assert(!import_ask_next(import));
	loop_source_free(import->limit);
	loop_free(the_daemon.loop);
}
END_TEST

static size_t full_queue_len(const struct carrier *carrier)
{
	(void)carrier;
	return SIZE_MAX;
}

/* A congested peer delays no other; it may have the export if no other peer has it. */
START_TEST(congested_peers)
{
	const struct carrier_ops full_ops = {.name = "full",
					     .send = network_send,
					     .queue_len = full_queue_len,
					     .stop = network_stop};
	struct carrier full = {.ops = &full_ops};
	struct import *import = calloc(1, sizeof(*import));
	struct handle handle = {.n_users = 1};
	struct peer peers[3];

	ck_assert_ptr_nonnull(import);
	the_daemon.loop = loop_new();
	ck_assert_ptr_nonnull(the_daemon.loop);
	list_init(&the_peers.list);
	for (size_t i = 0; i < ARRAY_LEN(peers); i++) {
		peers[i] = peer;
		peers[i].is_tls = false;
		peers[i].carrier = i == 1 ? &network.base : &full;
		list_init(&peers[i].requests);
		list_append(&the_peers.list, &peers[i].link);
	}
	list_append(&the_memory.imports, &import->link);
	list_init(&import->in_session.link);
	list_init(&import->export_link);
	import->daemon = &the_daemon;
	import->session = &session;
	import->device = &device;
	import->handle = &handle;
	peer_request_init(&import->request, NULL);
	peer_request_init(&import->renewal, NULL);
	the_memory.n_imports = session.n_imports = 1;
	session.daemon = &the_daemon;
	/* The daemon sends nothing to an ending session. */
	session.state = SESSION_ENDING;
	ck_assert(import_ask_next(import));
	ck_assert_ptr_eq(import->peer, &peers[1]);
	ck_assert_uint_eq(network.n_asked, 1);
	ck_assert_uint_eq(the_memory.n_imports, 1);
	/* That peer does not have it. */
	peer_request_cancel(&import->request);
	ck_assert(import_ask_next(import));
	ck_assert_uint_eq(network.n_asked, 1);
	ck_assert_uint_eq(the_memory.n_imports, 0);
	loop_free(the_daemon.loop);
	session.state = SESSION_CONNECTED;
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("import");
	TCase *tcase = unit_case(suite, "renewals", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_link_has_bounded_requests);
	tcase_add_test(tcase, refused_requests_block_no_others);
	tcase_add_test(tcase, only_what_was_lost);
	tcase_add_test(tcase, choices_fill_no_link);
	tcase_add_test(tcase, silent_peers);
	tcase_add_test(tcase, congested_peers);
	return unit_run(suite);
}
