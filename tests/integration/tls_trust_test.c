/*
 * Peers over TLS that are who they say, and try to be more: they get no secret of another's export,
 * act for no function of another's, pass as no other daemon, keep no places from newcomers, and are
 * judged again when the rules change.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/blob.h"
#include "tests/integration/stranger.h"
#include "tests/lib/pki.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"
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
	const struct blob *blob = arg;
	uint8_t desc[BLOB_LEN];
	struct doca_mmap *remote;
	doca_error_t result;

	(void)sock;
	blob_encode(blob, desc);
	result = doca_mmap_create_from_export(NULL, desc, sizeof(desc), dev, &remote);
	lab_send(sock, &result, sizeof(result));
	OK(doca_dev_close(dev));
}

static struct blob make_blob(uint8_t daemon_id)
{
	struct blob blob = {.kind = 0,
			    .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE,
			    .export_id = 4711,
			    .addr = 0x10000,
			    .len = 4096};

	memset(blob.daemon_id, daemon_id, sizeof(blob.daemon_id));
	memset(blob.secret, 0x5e, sizeof(blob.secret));
	return blob;
}

/* A descriptor of another daemon is offered to nobody over TLS. */
START_TEST(secret_is_for_its_daemon)
{
	struct blob blob = make_blob(7);
	struct stranger host;
	struct lab_child child;
	doca_error_t result;

	stranger_connect(&host, &tls, "host");
	stranger_hello(&host, 42);
	stranger_has_function(&host, "0000:0b:00.0");
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 1, 10000);
	ck_assert(!stranger_was_told(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT));
	child = lab_fork(&dpu, LAB_DPU, import_main, &blob);
	lab_recv(child.sock, &result, sizeof(result));
	lab_join(&child);
	ck_assert_int_eq(result, DOCA_ERROR_NOT_PERMITTED);
	ck_assert(!stranger_was_told(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT));
	stranger_close(&host);
}
END_TEST

/* Its own is offered to it; and one that does not answer makes nobody wait for ever. */
START_TEST(no_answer_in_time)
{
	struct blob blob = make_blob(42);
	struct stranger host;
	struct lab_child child;
	Dococore__Packet *ask;
	doca_error_t result;

	stranger_connect(&host, &tls, "host");
	stranger_hello(&host, 42);
	stranger_has_function(&host, "0000:0b:00.0");
	ck_assert(!stranger_was_told(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT));
	child = lab_fork(&dpu, LAB_DPU, import_main, &blob);
	ask = stranger_await(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT);
	ck_assert_mem_eq(ask->peer_import->secret.data, blob.secret, sizeof(blob.secret));
	dococore__packet__free_unpacked(ask, NULL);
	lab_recv(child.sock, &result, sizeof(result));
	lab_join(&child);
	ck_assert_int_eq(result, DOCA_ERROR_TIME_OUT);
	/* What it might still grant is given up. */
	ask = stranger_await(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT_GONE);
	ck_assert(!ask->peer_import_gone->by_exporter);
	dococore__packet__free_unpacked(ask, NULL);
	ck_assert(lab_log_has(&dpu, LAB_DPU, "peer host does not answer about an import"));
	stranger_close(&host);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "trust");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, secret_is_for_its_daemon);
	tcase_add_test(tcase, no_answer_in_time);
}

int main(void)
{
	lab_require();
	return runner_main("tls-trust", add_cases, NULL);
}
