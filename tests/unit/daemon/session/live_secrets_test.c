/*
 * Core dumps of daemons must not show the secrets of exports and imports that exist, whose copies
 * are secrets_test's. The test searches two daemons while they have an export, and an import whose
 * exporter's daemon does not answer.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/daemon/pair.h"
#include "tests/lib/secret_scan.h"

#define PCI      DOCOCORE__EXPORT_KIND__PCI
#define PCI_READ 16u

static struct daemon_pair pair;

static void set_up(void)
{
	pair_set_up(&pair);
	pair_start_linked(&pair);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
}

static void check_secret(enum side side, const uint8_t *secret)
{
	secret_scan_set(secret);
	ck_assert_uint_eq(secret_scan_count(pair.pids[side], true), 0);
	ck_assert_uint_gt(secret_scan_count(pair.pids[side], false), 0);
}

START_TEST(test_export)
{
	struct client client;
	struct proof proof;
	uint8_t pass_on[SECRET_SCAN_LEN];

	client_open(&client, &pair, SIDE_HOST);
	client_ask_export(&client, client_open_device(&client, "pf0"), PCI, PCI_READ, -1, 100);
	client_receive_proof(&client, &proof);
	ck_assert_uint_eq(client.reply->export_reply->pass_on.len, sizeof(pass_on));
	memcpy(pass_on, client.reply->export_reply->pass_on.data, sizeof(pass_on));
	/* The daemon wipes its answer after it has sent it: before it handles another request. */
	client_open_device(&client, "pf1");
	check_secret(SIDE_HOST, proof.secret);
	check_secret(SIDE_HOST, pass_on);
	client_close(&client);
}
END_TEST

START_TEST(test_import_that_waits)
{
	Dococore__ImportCreate ask = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t secret[SECRET_SCAN_LEN];
	struct client client, bystander;
	uint64_t state = (uint64_t)getpid() + 1;

	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = (uint8_t)(unit_random(&state) >> 40);
	client_open(&client, &pair, SIDE_DPU);
	client_open(&bystander, &pair, SIDE_DPU);
	ask.device = client_open_device(&client, "p0");
	ask.kind = PCI;
	ask.export_id = 1;
	ask.secret = (ProtobufCBinaryData){sizeof(secret), secret};
	ask.exporter_side = (char *)"host";
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &ask;
	pair_freeze(&pair, SIDE_HOST);
	client_send(&client, &packet, NULL, 0);
	/* The daemon has handled the request before. */
	client_open_device(&bystander, "p0");
	client_open_device(&bystander, "p1");
	check_secret(SIDE_DPU, secret);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	ck_assert_ptr_nonnull(client_await(&client));
	client_close(&client);
	client_close(&bystander);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon secrets");
	TCase *tcase = unit_case(suite, "core dump", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, test_export);
	tcase_add_test(tcase, test_import_that_waits);
	return unit_run(suite);
}
