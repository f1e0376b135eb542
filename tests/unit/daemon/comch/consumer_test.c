/* Two daemons and raw clients: how consumers of comch channels are announced to the other end. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "tests/unit/daemon/comch/consumer_ends.h"
#include "util/export_descriptor.h"
#include "util/fd.h"
#include "util/memfd.h"

static void check_reply(struct client *at, size_t n_fds)
{
	const Dococore__ConsumerReply *reply = at->reply->consumer_reply;
	const Dococore__Consumer *spec = reply->consumer;
	int fd;

	ck_assert_uint_eq(spec->slots_len, SLOTS_LEN);
	ck_assert_uint_eq(spec->n_slots, 64);
	ck_assert_uint_eq(spec->max_imm_len, 16);
	ck_assert_uint_eq(spec->max_buf_size, 4096);
	ck_assert_uint_eq(spec->addr, MEMORY);
	ck_assert_uint_eq(spec->len, MEMORY_LEN);
	ck_assert_uint_eq(reply->pid, (uint32_t)getpid());
	ck_assert_uint_eq(reply->uid, getuid());
	ck_assert(!reply->same_process);
	ck_assert_uint_eq(at->fds.n_fds, n_fds);
	ck_assert(!fd_pidfd_exited(at->fds.fds[0]));
	ck_assert_int_eq(memfd_verify_exact(at->fds.fds[1], SLOTS_LEN), 0);
	ck_assert_int_eq(fcntl(at->fds.fds[1], F_GETFL) & O_ACCMODE, O_RDWR);
	fd = at->fds.fds[2];
	ck_assert(fd_is_eventfd(fd));
	fd_eventfd_ring(fd);
	ck_assert(fd_eventfd_clear(doorbell));
}

START_TEST(both_ends_consume)
{
	size_t n_host, n_dpu;
	Dococore__Consumer spec;
	int fds[3] = {slots, doorbell, memory};
	char c = 'x';

	establish();
	n_host = pair_settled_fds(&pair, SIDE_HOST);
	n_dpu = pair_settled_fds(&pair, SIDE_DPU);
	create(&client, client_end, 7);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 7);
	await_fds(SIDE_DPU, n_dpu + 3);
	await_fds(SIDE_HOST, n_host);
	fetch(&server, server_end, 7);
	check_reply(&server, 3);
	ck_assert_int_eq(pwrite(server.fds.fds[1], &c, 1, 100), 1);
	c = 0;
	ck_assert_int_eq(pread(slots, &c, 1, 100), 1);
	ck_assert_int_eq(c, 'x');
	await_fds(SIDE_DPU, n_dpu);
	ask_fetch(&server, server_end, 7);
	client_check_error(&server, CODE_NOT_FOUND);
	/* The other direction, with memory that the client may write. */
	describe(&spec, 7);
	spec.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	spec.peer_writes = true;
	ask_create(&server, server_end, &spec, fds, 3);
	ck_assert_int_eq(server.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 7);
	await_fds(SIDE_HOST, n_host + 4);
	fetch(&client, client_end, 7);
	check_reply(&client, 4);
	ck_assert(client.reply->consumer_reply->consumer->peer_writes);
	ck_assert_int_eq(fcntl(client.fds.fds[3], F_GETFL) & O_ACCMODE, O_RDWR);
	await_fds(SIDE_HOST, n_host);
	destroy(&client, client_end, 7);
	check_consumer_event(&server_events, EVENT_CONSUMER_GONE, server_end, 7);
	destroy(&client, client_end, 7);
	destroy(&client, 12345, 7);
	destroy(&server, server_end, 7);
	check_consumer_event(&client_events, EVENT_CONSUMER_GONE, client_end, 7);
	/* A consumer that was not fetched. */
	create(&client, client_end, 8);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 8);
	destroy(&client, client_end, 8);
	check_consumer_event(&server_events, EVENT_CONSUMER_GONE, server_end, 8);
	ask_fetch(&server, server_end, 8);
	client_check_error(&server, CODE_NOT_FOUND);
	await_fds(SIDE_DPU, n_dpu);
}
END_TEST

/*
 * If a consumer starts and stops before the other end has fetched its channel, its events come
 * after the channel's event, and it can be fetched after the channel.
 */
START_TEST(announced_before_the_fetch)
{
	connect_ends();
	create(&server, server_end, 1);
	create(&server, server_end, 2);
	create(&server, server_end, 3);
	destroy(&server, server_end, 2);
	barrier(&server);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 1);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 2);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 3);
	check_consumer_event(&client_events, EVENT_CONSUMER_GONE, client_end, 2);
	ask_fetch(&client, client_end, 1);
	client_check_error(&client, CODE_NOT_FOUND);
	try_create(&client, client_end, 1);
	client_check_error(&client, CODE_BAD_STATE);
	fetch_channel(&client, client_end);
	fetch(&client, client_end, 3);
	fetch(&client, client_end, 1);
	ask_fetch(&client, client_end, 2);
	client_check_error(&client, CODE_NOT_FOUND);
	ck_assert(!event_reader_pending(&client_events));
}
END_TEST

START_TEST(wrong_numbers)
{
	int fds[3] = {slots, doorbell, memory};
	Dococore__Consumer spec;

	establish();
	for (int i = 0; i < 19; i++) {
		size_t n_fds = 2;

		describe(&spec, 1);
		if (i >= 12) {
			n_fds = 3;
			spec.memory = DOCOCORE__MEMORY_KIND__MEMFD;
			spec.peer_writes = true;
		}
		switch (i) {
		case 0:
			spec.id = 0;
			break;
		case 1:
			spec.n_slots = 0;
			break;
		case 2:
			spec.n_slots = 63;
			break;
		case 3:
			spec.n_slots = 131072;
			break;
		case 4:
			spec.slots_len = 0;
			break;
		case 5:
			spec.slots_len = SLOTS_LEN - 1;
			break;
		case 6:
			spec.slots_len = (256u << 20) + SLOTS_LEN;
			break;
		case 7:
			spec.slots_len = 2 * SLOTS_LEN;
			break;
		case 8:
			spec.max_imm_len = 1 << 20;
			break;
		case 9:
			spec.max_buf_size = UINT32_MAX;
			break;
		case 10:
			spec.len = 0;
			break;
		case 11:
			spec.addr = UINT64_MAX - 10;
			break;
		case 12:
			spec.peer_writes = false;
			break;
		case 13:
			spec.memfd_offset = 8;
			break;
		case 14:
			spec.addr += 8;
			break;
		case 15:
			spec.len += 1;
			break;
		case 16:
			spec.memfd_offset = 65536;
			break;
		case 17:
			spec.memfd_offset = UINT64_MAX - 65535;
			break;
		default:
			spec.memfd_offset = INT64_MAX - 65535;
		}
		ask_create(&client, client_end, &spec, fds, n_fds);
		client_check_error(&client, CODE_INVALID_VALUE);
	}
	describe(&spec, 1);
	spec.memory = DOCOCORE__MEMORY_KIND__FILE;
	ask_create(&client, client_end, &spec, fds, 2);
	client_check_error(&client, CODE_INVALID_VALUE);
	ask_create(&client, client_end, NULL, fds, 2);
	client_check_error(&client, CODE_INVALID_VALUE);
}
END_TEST

/* Creates the i-th wrong descriptor and stores its place. Returns -1 after the last. */
static int wrong_fd(int i, size_t *place_out)
{
	int fd;

	*place_out = i < 5 ? 0 : i < 7 ? 1 : 2;
	switch (i) {
	case 0:
	case 5:
	case 7:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	case 1: /* not sealed */
		fd = memfd_create("raw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ck_assert_int_eq(ftruncate(fd, SLOTS_LEN), 0);
		return fd;
	case 2:
		return memfd_create_sealed("short", SLOTS_LEN - 1);
	case 3:
		return memfd_create_sealed("long", SLOTS_LEN + 1);
	case 4:
		return fd_reopen(slots, O_RDONLY);
	case 6:
		return fd_dup(slots);
	case 8: /* not sealed */
		fd = memfd_create("raw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ck_assert_int_eq(ftruncate(fd, MEMORY_LEN), 0);
		return fd;
	case 9:
		return fd_reopen(memory, O_RDONLY);
	default:
		return -1;
	}
}

START_TEST(wrong_descriptors)
{
	Dococore__Consumer spec;
	size_t place, n_fds;
	int fd;

	establish();
	n_fds = pair_settled_fds(&pair, SIDE_HOST);
	for (int i = 0; (fd = wrong_fd(i, &place)) >= 0; i++) {
		int fds[3] = {slots, doorbell, memory};

		fds[place] = fd;
		describe(&spec, 1);
		spec.memory = DOCOCORE__MEMORY_KIND__MEMFD;
		spec.peer_writes = true;
		ask_create(&client, client_end, &spec, fds, 3);
		client_check_error(&client, CODE_INVALID_VALUE);
		close(fd);
	}
	await_fds(SIDE_HOST, n_fds);
}
END_TEST

/* On one machine, where descriptors are passed. */
START_TEST(a_remote_consumer_is_refused)
{
	uint8_t export[EXPORT_DESCRIPTOR_LEN] = {1};
	Dococore__Consumer spec;

	establish();
	describe(&spec, 1);
	spec.slots_export = (ProtobufCBinaryData){sizeof(export), export};
	ask_create(&client, client_end, &spec, NULL, 0);
	client_check_error(&client, CODE_NOT_SUPPORTED);
	create(&client, client_end, 1);
	check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, 1);
}
END_TEST

START_TEST(foreign_channels)
{
	struct client other;

	connect_ends();
	client_open(&other, &pair, SIDE_HOST);
	try_create(&other, client_end, 1);
	client_check_error(&other, CODE_NOT_FOUND);
	try_create(&client, 4711, 1);
	client_check_error(&client, CODE_NOT_FOUND);
	fetch_channel(&client, client_end);
	create(&server, server_end, 1);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 1);
	ask_fetch(&other, client_end, 1);
	client_check_error(&other, CODE_NOT_FOUND);
	ask_fetch(&client, client_end, 2);
	client_check_error(&client, CODE_NOT_FOUND);
	/* An end cannot fetch its own consumer or destroy the other's. */
	ask_fetch(&server, server_end, 1);
	client_check_error(&server, CODE_NOT_FOUND);
	destroy(&other, client_end, 1);
	destroy(&client, client_end, 1);
	fetch(&client, client_end, 1);
	try_create(&server, server_end, 1);
	client_check_error(&server, CODE_ALREADY_EXIST);
	client_close(&other);
}
END_TEST

/* Requests are sent without waiting for answers. */
START_TEST(many_at_once)
{
	enum { N = 256 };
	int fds[2] = {slots, doorbell};

	establish();
	for (uint32_t id = 1; id <= N; id++) {
		Dococore__ConsumerCreate ask = DOCOCORE__CONSUMER_CREATE__INIT;
		Dococore__Packet packet = DOCOCORE__PACKET__INIT;
		Dococore__Consumer spec;

		describe(&spec, id);
		ask.channel_id = client_end;
		ask.consumer = &spec;
		packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_CREATE;
		packet.consumer_create = &ask;
		client_send(&client, &packet, fds, 2);
	}
	for (uint32_t id = 1; id <= N; id++) {
		ck_assert_ptr_nonnull(client_await(&client));
		ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_OK);
		ck_assert_int_ge(conn_flush(client.conn), 0);
	}
	for (uint32_t id = 1; id <= N; id++) {
		check_consumer_event(&server_events, EVENT_CONSUMER_NEW, server_end, id);
		fetch(&server, server_end, id);
	}
	try_create(&client, client_end, N + 1);
	client_check_error(&client, CODE_FULL);
	destroy(&client, client_end, N);
	create(&client, client_end, N + 1);
}
END_TEST

static void bf2_set_up(void)
{
	pair_set_up(&pair);
	pair_write_config(&pair, SIDE_HOST, "[daemon]\nprofile = bf2\n");
	ends_begin();
}

/* The limits are those of each end's device: the host's is limited, the DPU's is not. */
START_TEST(limited_by_the_profile)
{
	int fds[2] = {slots, doorbell};
	Dococore__Consumer spec;

	establish();
	describe(&spec, 1);
	spec.max_imm_len = 33;
	ask_create(&client, client_end, &spec, fds, 2);
	client_check_error(&client, CODE_INVALID_VALUE);
	describe(&spec, 1);
	spec.max_buf_size = (2u << 20) + 1;
	ask_create(&client, client_end, &spec, fds, 2);
	client_check_error(&client, CODE_INVALID_VALUE);
	for (uint32_t id = 1; id <= 64; id++)
		create(&client, client_end, id);
	try_create(&client, client_end, 65);
	client_check_error(&client, CODE_FULL);
	for (uint32_t id = 1; id <= 100; id++)
		create(&server, server_end, id);
	for (uint32_t id = 1; id <= 100; id++) {
		check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, id);
		fetch(&client, client_end, id);
	}
}
END_TEST

static void unsupported_set_up(void)
{
	pair_set_up(&pair);
	pair_write_topology(&pair, SIDE_HOST,
			    "[topology]\nside = host\n"
			    "[device pf0]\npci = 0b:00.0\ncomch_consumer = no\n"
			    "[device pf0vf0]\npci = 0b:00.2\n[device pf0vf1]\npci = 0b:00.3\n");
	ends_begin();
}

/* The other end may have consumers all the same. */
START_TEST(end_without_consumers)
{
	establish();
	try_create(&client, client_end, 1);
	client_check_error(&client, CODE_NOT_SUPPORTED);
	create(&server, server_end, 1);
	check_consumer_event(&client_events, EVENT_CONSUMER_NEW, client_end, 1);
	fetch(&client, client_end, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon consumers");
	TCase *tcase = unit_case(suite, "two daemons", UNIT_TIMEOUT);
	TCase *fewer = unit_case(suite, "fewer capabilities", UNIT_TIMEOUT);
	TCase *limited = unit_case(suite, "profile bf2", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, ends_set_up, ends_tear_down);
	tcase_add_test(tcase, both_ends_consume);
	tcase_add_test(tcase, announced_before_the_fetch);
	tcase_add_test(tcase, wrong_numbers);
	tcase_add_test(tcase, wrong_descriptors);
	tcase_add_test(tcase, a_remote_consumer_is_refused);
	tcase_add_test(tcase, foreign_channels);
	tcase_add_test(tcase, many_at_once);
	tcase_add_checked_fixture(limited, bf2_set_up, ends_tear_down);
	tcase_add_test(limited, limited_by_the_profile);
	tcase_add_checked_fixture(fewer, unsupported_set_up, ends_tear_down);
	tcase_add_test(fewer, end_without_consumers);
	return unit_run(suite);
}
