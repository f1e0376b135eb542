/* The D-Bus view of sync events and of a channel's consumers. */
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "tests/unit/daemon/comch/consumer_ends.h"
#include "tests/unit/daemon/dbus/bus_dump.h"
#include "util/fd.h"
#include "util/memfd.h"

static const char *value_at(const char *text, const char *key, unsigned n)
{
	const char *at = bus_dump_value(text, key, n);

	ck_assert_msg(at != NULL, "no %s", key);
	return at;
}

static void check_text(const char *text, const char *key, unsigned n, const char *value)
{
	char expect[80], got[80] = "";

	snprintf(expect, sizeof(expect), "\"%s\";", value);
	ck_assert_int_eq(sscanf(value_at(text, key, n), " STRING %79s", got), 1);
	ck_assert_str_eq(got, expect);
}

static void check_number(const char *text, const char *key, unsigned n, unsigned long value)
{
	unsigned long got;

	ck_assert_int_eq(sscanf(value_at(text, key, n), " UINT64 %lu", &got), 1);
	ck_assert_uint_eq(got, value);
}

static void export_event(Dococore__ExportKind kind, uint32_t permissions)
{
	struct sync_words words = {.magic = SYNC_WORDS_MAGIC, .version = SYNC_WORDS_LAYOUT};
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int fds[3] = {memory, memfd_create_sealable("words", SYNC_WORDS_LEN), doorbell};

	ck_assert_int_eq(pwrite(fds[1], &words, sizeof(words), 0), sizeof(words));
	ask.device = pf0;
	ask.kind = kind;
	ask.addr = 64;
	ask.len = 8;
	ask.permissions = permissions;
	ask.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	client_ask(&client, &packet, fds, 3);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	fd_close(&fds[1]);
}

START_TEST(kinds_of_exports)
{
	Dococore__ExportReply proof;
	uint8_t secret[16];
	char *text;

	export_event(DOCOCORE__EXPORT_KIND__SYNC_PCI, 32);
	export_event(DOCOCORE__EXPORT_KIND__SYNC_NET, 8);
	proof = *client.reply->export_reply;
	memcpy(secret, proof.secret.data, sizeof(secret));
	proof.secret.data = secret;
	client_ask_import(&server, p0, &proof, DOCOCORE__EXPORT_KIND__SYNC_NET, "host");
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	client_ask_export(&client, pf0, DOCOCORE__EXPORT_KIND__PCI, 16, -1, 100);
	text = bus_dump(&pair, SIDE_HOST, "ListExports");
	check_text(text, "kind", 0, "sync-pci");
	check_text(text, "kind", 1, "sync-net");
	check_text(text, "kind", 2, "pci");
	check_text(text, "memory", 0, "memfd");
	free(text);
	text = bus_dump(&pair, SIDE_DPU, "ListImports");
	check_text(text, "kind", 0, "sync-net");
	check_number(text, "len", 0, 8);
	free(text);
}
END_TEST

START_TEST(consumers_of_a_channel)
{
	char *text;

	connect_ends();
	create(&server, server_end, 3);
	barrier(&server);
	text = bus_dump(&pair, SIDE_HOST, "ListChannels");
	check_number(text, "n_consumers", 0, 0);
	check_number(text, "n_peer_consumers", 0, 1);
	check_text(text, "end", 0, "peer");
	check_text(text, "state", 1, "announced");
	free(text);
	fetch_channel(&client, client_end);
	create(&client, client_end, 8);
	text = bus_dump(&pair, SIDE_HOST, "ListChannels");
	check_number(text, "n_consumers", 0, 1);
	check_number(text, "n_peer_consumers", 0, 1);
	check_text(text, "end", 0, "own");
	check_text(text, "state", 1, "told");
	check_number(text, "n_slots", 0, 64);
	check_number(text, "max_buf_size", 0, 4096);
	check_number(text, "max_imm_len", 0, 16);
	check_text(text, "memory", 0, "private");
	check_text(text, "end", 1, "peer");
	check_text(text, "state", 2, "announced");
	free(text);
	fetch(&client, client_end, 3);
	text = bus_dump(&pair, SIDE_HOST, "ListChannels");
	check_text(text, "state", 2, "fetched");
	free(text);
	destroy(&client, client_end, 8);
	destroy(&server, server_end, 3);
	text = bus_dump(&pair, SIDE_DPU, "ListChannels");
	check_number(text, "n_consumers", 0, 0);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon views");
	TCase *tcase = unit_case(suite, "two daemons", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, ends_set_up, ends_tear_down);
	tcase_add_test(tcase, kinds_of_exports);
	tcase_add_test(tcase, consumers_of_a_channel);
	return unit_run(suite);
}
