/*
 * Authenticated peers over TLS that try to get more rights: they get no secret of another daemon's
 * export, act for no function of another peer, cannot pretend to be another daemon, cannot keep
 * newcomers out, and are verified again when the rules change.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/pki.h"
#include "tests/lib/runner.h"
#include "tests/lib/talk.h"
#include "tests/lib/unauthorised_peer.h"
#include "tests/lib/use.h"
#include "util/export_descriptor.h"
#include "util/fd.h"

static struct tls_lab tls;
static struct lab dpu;

static void configure_dpu(const char *keys, const char *peers)
{
	snprintf(tls.config[LAB_DPU], sizeof(tls.config[LAB_DPU]),
		 "[daemon]\npeer_listen = none\n"
		 "[tls]\nlisten = %s:%d\ncertificate = %s/dpu.pem\nkey = %s/dpu.key\n"
		 "ca = %s/ca.pem\ntimeout_ms = 60000\nhandshake_ms = 30000\n%s%s",
		 tls.address, TLS_LAB_PORT, tls.dir, tls.dir, tls.dir, keys, peers);
}

#define BOTH_PEERS "[peer host]\nsubject = host\n[peer other]\nsubject = other\n"

static void setup(void)
{
	signal(SIGPIPE, SIG_IGN);
	leaks_setup();
	tls_lab_make(&tls, "");
	pki_make(tls.dir, "other", &(struct pki_options){.ca = "ca", .subject = "other"});
	configure_dpu("", BOTH_PEERS);
	tls_lab_start(&tls, &dpu, false, true);
}

static void teardown(void)
{
	lab_stop(&dpu);
	tls_lab_remove(&tls);
	leaks_teardown();
}

/* --- secrets --- */

static void import_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	const struct export_descriptor *descriptor = arg;
	uint8_t desc[EXPORT_DESCRIPTOR_LEN];
	struct doca_mmap *remote;
	doca_error_t result;

	(void)sock;
	export_descriptor_encode(descriptor, desc);
	result = doca_mmap_create_from_export(NULL, desc, sizeof(desc), dev, &remote);
	lab_send(sock, &result, sizeof(result));
	OK(doca_dev_close(dev));
}

static struct export_descriptor make_descriptor(uint8_t daemon_id)
{
	struct export_descriptor descriptor = {.kind = 0,
					       .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE,
					       .export_id = 4711,
					       .addr = 0x10000,
					       .len = 4096};

	memset(descriptor.daemon_id, daemon_id, sizeof(descriptor.daemon_id));
	memset(descriptor.secret, 0x5e, sizeof(descriptor.secret));
	return descriptor;
}

/* A descriptor of another daemon is sent to no peer over TLS. */
START_TEST(secret_is_for_its_daemon)
{
	struct export_descriptor descriptor = make_descriptor(7);
	struct unauthorised_peer host;
	struct lab_child child;
	doca_error_t result;

	unauthorised_peer_connect(&host, &tls, "host");
	unauthorised_peer_hello(&host, 42);
	unauthorised_peer_has_function(&host, "0000:0b:00.0");
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 1, 10000);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT));
	child = lab_fork(&dpu, LAB_DPU, import_main, &descriptor);
	lab_recv(child.sock, &result, sizeof(result));
	lab_join(&child);
	ck_assert_int_eq(result, DOCA_ERROR_NOT_PERMITTED);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT));
	unauthorised_peer_close(&host);
}
END_TEST

/*
 * A descriptor of the peer is sent to it; and a peer that does not answer delays no client for
 * ever.
 */
START_TEST(no_answer_in_time)
{
	struct export_descriptor descriptor = make_descriptor(42);
	struct unauthorised_peer host;
	struct lab_child child;
	Dococore__Packet *ask;
	doca_error_t result;

	unauthorised_peer_connect(&host, &tls, "host");
	unauthorised_peer_hello(&host, 42);
	unauthorised_peer_has_function(&host, "0000:0b:00.0");
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT));
	child = lab_fork(&dpu, LAB_DPU, import_main, &descriptor);
	ask = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT);
	ck_assert_mem_eq(ask->peer_import->secret.data, descriptor.secret,
			 sizeof(descriptor.secret));
	dococore__packet__free_unpacked(ask, NULL);
	lab_recv(child.sock, &result, sizeof(result));
	lab_join(&child);
	ck_assert_int_eq(result, DOCA_ERROR_TIME_OUT);
	/* A grant that it may still give is dropped. */
	ask = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT_GONE);
	ck_assert(!ask->peer_import_gone->by_exporter);
	dococore__packet__free_unpacked(ask, NULL);
	ck_assert(lab_log_has(&dpu, LAB_DPU, "peer host does not answer about an import"));
	unauthorised_peer_close(&host);
}
END_TEST

/* --- functions --- */

/* A representor belongs to one peer, and only that peer acts for its function. */
START_TEST(function_has_one_owner)
{
	struct unauthorised_peer host, other;

	unauthorised_peer_connect(&host, &tls, "host");
	unauthorised_peer_hello(&host, 42);
	unauthorised_peer_has_function(&host, "0000:0b:00.0");
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_connect(&other, &tls, "other");
	unauthorised_peer_hello(&other, 43);
	unauthorised_peer_has_function(&other, "0000:0b:00.0");
	ck_assert(!unauthorised_peer_was_notified(&other, DOCOCORE__PACKET__BODY_ERROR));
	ck_assert_uint_eq(tls_lab_count_log(&dpu, LAB_DPU,
					    "peer other says that it has the function of "
					    "representor hpf0, which peer host announced before"),
			  1);
	/* When the first one has ended, it belongs to the other. */
	unauthorised_peer_close(&host);
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 1, 10000);
	unauthorised_peer_close(&other);
}
END_TEST

static void serve_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_pe *pe;
	struct talk talk = {0};

	(void)arg;
	OK(doca_pe_create(&pe));
	talk_serve(&talk, pe, dev, "service", 8);
	lab_signal(sock);
	lab_wait(sock);
	talk_end(&talk);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

static uint32_t ask_connect(struct unauthorised_peer *s)
{
	Dococore__PeerConnect ask = DOCOCORE__PEER_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT, *answer;
	uint32_t code = 0;

	ask.channel_id = 1;
	ask.client_pci_addr = (char *)"0000:0b:00.0";
	ask.name = (char *)"service";
	ask.max_msg_size = ask.recv_queue_size = 8;
	packet.id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONNECT;
	packet.peer_connect = &ask;
	unauthorised_peer_send(s, &packet);
	do {
		answer = unauthorised_peer_read(s);
		ck_assert_ptr_nonnull(answer);
		if (answer->id == 1 && answer->body_case == DOCOCORE__PACKET__BODY_ERROR)
			code = answer->error->code;
		else if (answer->id == 1)
			code = UINT32_MAX;
		dococore__packet__free_unpacked(answer, NULL);
	} while (code == 0);
	return code;
}

/*
 * A server of the first peer's representor does not exist for a peer that claims the same function,
 * nor for one that has announced no function.
 */
START_TEST(server_is_for_its_function)
{
	struct unauthorised_peer host, other;
	struct lab_child server;

	unauthorised_peer_connect(&host, &tls, "host");
	unauthorised_peer_hello(&host, 42);
	unauthorised_peer_has_function(&host, "0000:0b:00.0");
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	server = lab_fork(&dpu, LAB_DPU, serve_main, NULL);
	lab_wait(server.sock);
	unauthorised_peer_connect(&other, &tls, "other");
	unauthorised_peer_hello(&other, 43);
	ck_assert_uint_eq(ask_connect(&other), DOCA_ERROR_NOT_FOUND);
	unauthorised_peer_has_function(&other, "0000:0b:00.0");
	ck_assert_uint_eq(ask_connect(&other), DOCA_ERROR_NOT_FOUND);
	ck_assert_uint_ne(ask_connect(&host), DOCA_ERROR_NOT_FOUND);
	lab_signal(server.sock);
	lab_join(&server);
	unauthorised_peer_close(&host);
	unauthorised_peer_close(&other);
}
END_TEST

/* --- ids of daemons --- */

START_TEST(daemon_id_is_its_own)
{
	struct unauthorised_peer host, other;

	unauthorised_peer_connect(&host, &tls, "host");
	unauthorised_peer_hello(&host, 42);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_connect(&other, &tls, "other");
	unauthorised_peer_hello(&other, 42);
	unauthorised_peer_await_end(&other);
	unauthorised_peer_close(&other);
	tls_lab_await_log(&dpu, LAB_DPU, "the daemon id that it announces is that of tls host");
	/* The rightful daemon is not affected, and its id stays reserved after its end. */
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_close(&host);
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 0, 10000);
	unauthorised_peer_connect(&other, &tls, "other");
	unauthorised_peer_hello(&other, 42);
	unauthorised_peer_await_end(&other);
	unauthorised_peer_close(&other);
	unauthorised_peer_connect(&host, &tls, "host");
	unauthorised_peer_hello(&host, 42);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_close(&host);
}
END_TEST

/* --- places for connections --- */

/* Unauthenticated connections take all places: a newcomer is accepted all the same. */
START_TEST(newcomers_have_a_place)
{
	struct unauthorised_peer host;
	int fds[20];

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = unauthorised_peer_dial(&tls);
	unauthorised_peer_connect(&host, &tls, "host");
	unauthorised_peer_hello(&host, 42);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_close(&host);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(&fds[i]);
}
END_TEST

/* --- new rules --- */

/*
 * Another authority under the same name: a peer accepted because of the earlier one is
 * disconnected.
 */
START_TEST(peers_are_verified_again_after_reload)
{
	struct unauthorised_peer host, other;

	unauthorised_peer_connect(&host, &tls, "host");
	unauthorised_peer_hello(&host, 42);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_connect(&other, &tls, "other");
	unauthorised_peer_hello(&other, 43);
	ck_assert(!unauthorised_peer_was_notified(&other, DOCOCORE__PACKET__BODY_ERROR));
	/* Nothing has changed: no peer is disconnected. */
	lab_reload(&dpu, LAB_DPU, tls.config[LAB_DPU]);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	ck_assert(!unauthorised_peer_was_notified(&other, DOCOCORE__PACKET__BODY_ERROR));
	/* One peer is not allowed any more. */
	configure_dpu("", "[peer host]\nsubject = host\n");
	lab_reload(&dpu, LAB_DPU, tls.config[LAB_DPU]);
	unauthorised_peer_await_end(&other);
	unauthorised_peer_close(&other);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	pki_make(tls.dir, "ca", &(struct pki_options){.subject = "authority"});
	lab_reload(&dpu, LAB_DPU, tls.config[LAB_DPU]);
	unauthorised_peer_await_end(&host);
	unauthorised_peer_close(&host);
	tls_lab_await_log(&dpu, LAB_DPU, "its certificate 'CN=x' is refused: ");
}
END_TEST

/* One certificate is revoked: its link ends, it is not accepted again, and the others stay. */
START_TEST(revoked_certificate)
{
	struct unauthorised_peer host, other;

	unauthorised_peer_connect(&host, &tls, "host");
	unauthorised_peer_hello(&host, 42);
	unauthorised_peer_connect(&other, &tls, "other");
	unauthorised_peer_hello(&other, 43);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	ck_assert(!unauthorised_peer_was_notified(&other, DOCOCORE__PACKET__BODY_ERROR));
	pki_revoke(tls.dir, "ca", "other");
	lab_reload(&dpu, LAB_DPU, tls.config[LAB_DPU]);
	unauthorised_peer_await_end(&other);
	unauthorised_peer_close(&other);
	tls_lab_await_log(&dpu, LAB_DPU,
			  "lost the link to other: its certificate 'CN=other' is "
			  "refused: certificate revoked");
	unauthorised_peer_connect(&other, &tls, "other");
	unauthorised_peer_await_end(&other);
	unauthorised_peer_close(&other);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	unauthorised_peer_close(&host);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "trust");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, secret_is_for_its_daemon);
	tcase_add_test(tcase, no_answer_in_time);
	tcase_add_test(tcase, function_has_one_owner);
	tcase_add_test(tcase, server_is_for_its_function);
	tcase_add_test(tcase, daemon_id_is_its_own);
	tcase_add_test(tcase, newcomers_have_a_place);
	tcase_add_test(tcase, peers_are_verified_again_after_reload);
	tcase_add_test(tcase, revoked_certificate);
}

int main(void)
{
	lab_require();
	return runner_main("tls-trust", add_cases, NULL);
}
