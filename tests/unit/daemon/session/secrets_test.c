/*
 * A core dump must not contain secrets that are not in use any more. The test searches its own
 * memory, as far as a core dump contains it, for a secret after packets, send queues, descriptors
 * and records of the ledger have contained it.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/store/ledger.h"
#include "proto/conn.h"
#include "proto/packet.h"
#include "tests/lib/secret_scan.h"
#include "tests/unit/unit.h"
#include "util/export_descriptor.h"

/*
 * Returns how often the secret is in this process's memory: in the part that a core dump contains,
 * or in all of it.
 */
static unsigned count(bool as_dumped)
{
	return secret_scan_count(getpid(), as_dumped);
}

static void secret_make(void)
{
	uint64_t state = (uint64_t)getpid() * 0x9e3779b97f4a7c15u + 1;
	uint8_t secret[SECRET_SCAN_LEN];

	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = (uint8_t)(unit_random(&state) >> 40);
	secret_scan_set(secret);
	explicit_bzero(secret, sizeof(secret));
}

static struct conn *ends[2];

static void open_ends(void)
{
	int sv[2];

	secret_make();
	ck_assert_uint_eq(count(true), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		ends[i] = conn_new(sv[i], 1 << 20);
		ck_assert_ptr_nonnull(ends[i]);
	}
}

static void close_ends(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		ends[i] = conn_free(ends[i]);
}

/* Like the daemon's answer to an export. */
static void send_secret(void)
{
	Dococore__ExportReply reply = DOCOCORE__EXPORT_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t secret[SECRET_SCAN_LEN];

	secret_scan_get(secret);
	reply.secret = (ProtobufCBinaryData){sizeof(secret), secret};
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_REPLY;
	packet.export_reply = &reply;
	ck_assert_int_eq(conn_send(ends[0], &packet, NULL, 0), 0);
	explicit_bzero(secret, sizeof(secret));
}

START_TEST(test_packet_is_wiped)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet;

	send_secret();
	ck_assert_uint_eq(count(true), 0);
	ck_assert_int_eq(conn_recv(ends[1], &packet, &fds), 1);
	ck_assert_uint_eq(count(true), 1);
	packet_free(packet);
	ck_assert_uint_eq(count(true), 0);
}
END_TEST

START_TEST(packet_in_an_arena_is_wiped)
{
	static struct packet_arena arena;
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet;

	send_secret();
	ck_assert_int_eq(conn_recv_in(ends[1], true, &arena, &packet, &fds), 1);
	ck_assert_uint_eq(count(true), 1);
	packet_free_in(&arena, packet);
	ck_assert(conn_consume(ends[1]));
	ck_assert_uint_eq(count(true), 0);
}
END_TEST

START_TEST(test_send_queue_is_wiped)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet;

	while (!conn_wants_write(ends[0]))
		send_secret();
	ck_assert_uint_eq(count(true), 1);
	while (conn_recv(ends[1], &packet, &fds) == 1)
		packet_free(packet);
	ck_assert_int_eq(conn_flush(ends[0]), 0);
	ck_assert_uint_eq(count(true), 0);
}
END_TEST

START_TEST(test_descriptor_is_wiped)
{
	struct export_descriptor descriptor = {.len = 1};
	uint8_t bytes[EXPORT_DESCRIPTOR_LEN];

	/* The first call binds symbols of zlib, which leaves registers on the stack. */
	export_descriptor_encode(&descriptor, bytes);
	ck_assert_int_eq(export_descriptor_decode(bytes, sizeof(bytes), &descriptor),
			 EXPORT_DESCRIPTOR_OK);
	secret_scan_get(descriptor.secret);
	export_descriptor_encode(&descriptor, bytes);
	ck_assert_int_eq(export_descriptor_decode(bytes, sizeof(bytes), &descriptor),
			 EXPORT_DESCRIPTOR_OK);
	ck_assert_uint_eq(count(true), 2);
	explicit_bzero(bytes, sizeof(bytes));
	explicit_bzero(&descriptor, sizeof(descriptor));
	ck_assert_uint_eq(count(true), 0);
}
END_TEST

START_TEST(test_ledger_is_not_dumped)
{
	uint8_t secret[SECRET_SCAN_LEN];
	struct ledger *ledger;
	uint32_t cell = 0;

	ck_assert_int_eq(ledger_new(64, &ledger), 0);
	secret_scan_get(secret);
	ck_assert_int_eq(ledger_put(ledger, &cell, 1, 1, secret, sizeof(secret)), 0);
	explicit_bzero(secret, sizeof(secret));
	ck_assert_uint_eq(count(false), 1);
	ck_assert_uint_eq(count(true), 0);
	ledger_free(ledger);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("secrets");
	TCase *tcase = unit_case(suite, "core dump", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, open_ends, close_ends);
	tcase_add_test(tcase, test_packet_is_wiped);
	tcase_add_test(tcase, packet_in_an_arena_is_wiped);
	tcase_add_test(tcase, test_send_queue_is_wiped);
	tcase_add_test(tcase, test_descriptor_is_wiped);
	tcase_add_test(tcase, test_ledger_is_not_dumped);
	return unit_run(suite);
}
