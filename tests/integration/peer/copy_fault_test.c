/*
 * An authenticated machine that breaks the rules of relayed copies, with a real daemon and a real
 * exporter. The exporter's process refuses accesses beyond the grant; a message that no library
 * sends ends the stream; a packet that no daemon sends ends the link. The exporter's memory changes
 * only where permitted, and the next importer is served.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <doca_sync_event.h>

#include "proto/copy_stream.h"
#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/unauthorised_peer.h"
#include "tests/lib/use.h"
#include "util/export_descriptor.h"

#define LEN       100000u
#define IMPORT_ID 5u
#define OUR_CALL  17u

static struct tls_lab tls;
static struct lab dpu;
static struct doca_dev *dev;
static struct doca_mmap *mmap;
static uint8_t memory[LEN], shadow[LEN];
static struct export_descriptor descriptor; /* of the requested export */

static struct unauthorised_peer host;
static uint64_t our_call = OUR_CALL, their_call, n_answers;

/* --- the exporter is this process --- */

static void setup(void)
{
	const void *desc;
	size_t desc_len;

	signal(SIGPIPE, SIG_IGN);
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_start(&tls, &dpu, false, true);
	lab_use(&dpu, LAB_DPU);
	leaks_allow_fds(1);
	use_fill(memory, LEN, 1);
	memcpy(shadow, memory, LEN);
	dev = use_dev(USE_DPU_P0);
	mmap = use_mmap(dev, memory, LEN, DOCA_ACCESS_FLAG_RDMA_READ);
	OK(doca_mmap_export_rdma(mmap, dev, &desc, &desc_len));
	ck_assert_int_eq(export_descriptor_decode(desc, desc_len, &descriptor),
			 EXPORT_DESCRIPTOR_OK);
}

static void teardown(void)
{
	/* The peer has only read. */
	ck_assert_mem_eq(memory, shadow, LEN);
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
	lab_stop(&dpu);
	tls_lab_remove(&tls);
	leaks_teardown();
}

/* --- the other machine --- */

static void peer_open(bool relays)
{
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t daemon_id[16];

	memset(daemon_id, 42, sizeof(daemon_id));
	unauthorised_peer_connect(&host, &tls, "host");
	hello.protocol = hello.protocol_min = FRAME_PROTOCOL;
	hello.side = (char *)"host";
	hello.daemon_id = (ProtobufCBinaryData){sizeof(daemon_id), daemon_id};
	hello.relays_copies = relays;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	unauthorised_peer_send(&host, &packet);
	unauthorised_peer_has_function(&host, "0000:0b:00.0");
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 1, 10000);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
}

static void peer_imports_as(uint64_t import_id, uint32_t pid, bool relays)
{
	Dococore__PeerImport ask = DOCOCORE__PEER_IMPORT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT, *answer;

	ask.kind = (Dococore__ExportKind)descriptor.kind;
	ask.export_id = descriptor.export_id;
	ask.secret = (ProtobufCBinaryData){sizeof(descriptor.secret), descriptor.secret};
	ask.import_id = import_id;
	ask.importer_pid = pid;
	ask.importer_pci_addr = (char *)"0000:0b:00.0";
	packet.id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT;
	packet.peer_import = &ask;
	unauthorised_peer_send(&host, &packet);
	answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY);
	ck_assert(answer->peer_import_reply->is_remote);
	ck_assert_int_eq(answer->peer_import_reply->relays, relays);
	dococore__packet__free_unpacked(answer, NULL);
}

static void peer_imports(bool relays)
{
	peer_imports_as(IMPORT_ID, 1, relays);
}

static void peer_calls(uint64_t import_id, bool sound)
{
	static uint8_t nowhere[16], details[COPY_DETAILS_LEN];
	const struct copy_details own = {.key = {(uint8_t)our_call}};
	Dococore__PeerRdmaConnect ask = DOCOCORE__PEER_RDMA_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.call_id = our_call;
	ask.address = ask.source = (ProtobufCBinaryData){sizeof(nowhere), nowhere};
	copy_details_encode(&own, details);
	/* The version byte. */
	details[7] += !sound;
	ask.details = (ProtobufCBinaryData){sizeof(details), details};
	ask.import_id = import_id;
	ask.port_number = 7;
	ask.relay = true;
	packet.id = 2;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT;
	packet.peer_rdma_connect = &ask;
	unauthorised_peer_send(&host, &packet);
}

/* Returns the exporter's answer to the call. */
static uint32_t peer_receive_answer(void)
{
	Dococore__Packet *answer =
		unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT_REPLY);
	uint32_t code;

	their_call = answer->peer_rdma_connect_reply->peer_call_id;
	dococore__packet__free_unpacked(answer, NULL);
	answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER);
	ck_assert_uint_eq(answer->peer_rdma_answer->call_id, our_call);
	code = answer->peer_rdma_answer->code;
	dococore__packet__free_unpacked(answer, NULL);
	return code;
}

static void peer_connects(void)
{
	peer_calls(IMPORT_ID, true);
	ck_assert_uint_eq(peer_receive_answer(), DOCA_SUCCESS);
	n_answers = 0;
}

static struct copy_request request_at(uint32_t op, uint64_t at, uint32_t len)
{
	struct copy_request request = {.op = op,
				       .len = len,
				       .tag = n_answers,
				       .addr = (uintptr_t)memory + at,
				       .export_id = descriptor.export_id};

	memcpy(request.secret, descriptor.secret, sizeof(request.secret));
	return request;
}

/* Sends a message of the stream: a request with `payload` bytes behind it. */
static void peer_asks(const struct copy_request *request, uint32_t payload)
{
	uint8_t data[4 + COPY_REQUEST_LEN + 1000] = {0};
	uint32_t len = COPY_REQUEST_LEN + payload;

	ck_assert_uint_le(payload, 1000);
	data[2] = (uint8_t)(len >> 8);
	data[3] = (uint8_t)len;
	copy_request_encode(request, data + 4);
	unauthorised_peer_sends(&host, true, their_call, data, 4 + len);
}

/* Returns the status; with SUCCESS `len` bytes follow. Returns the credit. */
static uint32_t peer_receive_reply(uint32_t len, uint8_t *bytes_out)
{
	Dococore__Packet *packet =
		unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_CHANNEL_DATA);
	const Dococore__PeerChannelData *notice = packet->peer_channel_data;
	struct copy_answer answer;

	ck_assert(notice->is_call);
	ck_assert_uint_eq(notice->channel_id, OUR_CALL);
	ck_assert_uint_gt(notice->data.len, 4);
	ck_assert(copy_answer_decode(notice->data.data + 4, notice->data.len - 4, &answer));
	ck_assert_uint_eq(answer.tag, n_answers);
	ck_assert_uint_eq(answer.len, answer.status == DOCA_SUCCESS ? len : 0);
	memcpy(bytes_out, notice->data.data + 4 + COPY_ANSWER_LEN, answer.len);
	dococore__packet__free_unpacked(packet, NULL);
	unauthorised_peer_credits(&host, true, their_call, ++n_answers);
	return answer.status;
}

static uint32_t peer_check_reply(uint32_t len, uint64_t at)
{
	uint8_t bytes[1000];
	uint32_t status;

	ck_assert_uint_le(len, sizeof(bytes));
	status = peer_receive_reply(len, bytes);
	ck_assert(status != DOCA_SUCCESS || memcmp(bytes, shadow + at, len) == 0);
	return status;
}

static void check_served(void)
{
	struct copy_request request = request_at(COPY_READ, 10, 500);

	peer_asks(&request, 0);
	ck_assert_uint_eq(peer_check_reply(500, 10), DOCA_SUCCESS);
}

/* --- tests --- */

START_TEST(more_than_was_credited)
{
	struct copy_request request;

	peer_open(true);
	peer_imports(true);
	peer_connects();
	check_served();
	request = request_at(COPY_READ, LEN - 10, 11);
	peer_asks(&request, 0);
	ck_assert_uint_eq(peer_check_reply(0, 0), DOCA_ERROR_INVALID_VALUE);
	request = request_at(COPY_READ, (uint64_t)-1, 2);
	peer_asks(&request, 0);
	ck_assert_uint_eq(peer_check_reply(0, 0), DOCA_ERROR_INVALID_VALUE);
	request = request_at(COPY_WRITE, 0, 100);
	peer_asks(&request, 100);
	ck_assert_uint_eq(peer_check_reply(0, 0), DOCA_ERROR_NOT_PERMITTED);
	request = request_at(COPY_READ, 0, 100);
	request.secret[7] ^= 1;
	peer_asks(&request, 0);
	ck_assert_uint_eq(peer_check_reply(0, 0), DOCA_ERROR_NOT_FOUND);
	request = request_at(COPY_READ, 0, 100);
	request.export_id ^= 1;
	peer_asks(&request, 0);
	ck_assert_uint_eq(peer_check_reply(0, 0), DOCA_ERROR_NOT_FOUND);
	check_served();
	unauthorised_peer_close(&host);
}
END_TEST

/* --- a counter --- */

/* Returns the status of a request to the counter; an addition and a set carry 0. */
static uint32_t peer_counter_request(uint32_t op, int64_t away, uint64_t *value_out)
{
	struct copy_request request = request_at(op, 0, COPY_VALUE_LEN);
	uint8_t bytes[COPY_VALUE_LEN] = {0};
	uint32_t n = copy_bytes_answered(op, COPY_VALUE_LEN), status;

	request.addr = descriptor.addr + (uint64_t)away;
	peer_asks(&request, copy_bytes_asked(op, COPY_VALUE_LEN));
	status = peer_receive_reply(n, bytes);
	if (status == DOCA_SUCCESS && n > 0)
		*value_out = copy_value_decode(bytes);
	return status;
}

/* Exports this process's event, which the importer may change or only read. */
static struct doca_sync_event *event_export(bool they_change)
{
	struct doca_sync_event *event;
	const uint8_t *desc;
	size_t len;

	OK(doca_sync_event_create(&event));
	if (they_change) {
		OK(doca_sync_event_add_publisher_location_remote_pci(event));
		OK(doca_sync_event_add_subscriber_location_cpu(event, dev));
	} else {
		OK(doca_sync_event_add_publisher_location_cpu(event, dev));
		OK(doca_sync_event_add_subscriber_location_remote_pci(event));
	}
	OK(doca_sync_event_start(event));
	OK(doca_sync_event_export_to_remote_pci(event, dev, &desc, &len));
	ck_assert_int_eq(export_descriptor_decode(desc, len, &descriptor), EXPORT_DESCRIPTOR_OK);
	return event;
}

static void expect_counter(struct doca_sync_event *event, uint64_t expected)
{
	uint64_t value;

	OK(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, expected);
}

/*
 * _i: the other machine is the event's publisher, and not only its subscriber; a subscriber may not
 * change it if this process is strict.
 */
START_TEST(a_counter)
{
	bool is_strict = !_i && setenv("DOCOCORED_STRICT", "1", 1) == 0;
	uint32_t changes = is_strict ? DOCA_ERROR_NOT_PERMITTED : DOCA_SUCCESS;
	struct doca_sync_event *event = event_export(_i);
	struct export_descriptor real = descriptor;
	uint64_t value = 0;

	peer_open(true);
	peer_imports(true);
	peer_connects();
	OK(doca_sync_event_update_set(event, UINT64_MAX - 1));
	ck_assert_uint_eq(peer_counter_request(COPY_GET, 0, &value), DOCA_SUCCESS);
	ck_assert_uint_eq(value, UINT64_MAX - 1);
	ck_assert_uint_eq(peer_counter_request(COPY_ADD, 0, &value), changes);
	ck_assert_uint_eq(value, UINT64_MAX - 1);
	expect_counter(event, UINT64_MAX - 1);
	ck_assert_uint_eq(peer_counter_request(COPY_SET, 0, &value), changes);
	expect_counter(event, _i ? 0 : UINT64_MAX - 1);
	OK(doca_sync_event_update_set(event, 7));
	/* Beside the counter, bytewise, and by another name. */
	for (uint32_t op = COPY_GET; op <= (_i ? COPY_ADD : COPY_GET); op++) {
		ck_assert_uint_eq(peer_counter_request(op, 8, &value), DOCA_ERROR_INVALID_VALUE);
		ck_assert_uint_eq(peer_counter_request(op, -1, &value), DOCA_ERROR_INVALID_VALUE);
	}
	ck_assert_uint_eq(peer_counter_request(COPY_READ, 0, &value), DOCA_ERROR_INVALID_VALUE);
	descriptor.secret[3] ^= 1;
	ck_assert_uint_eq(peer_counter_request(COPY_ADD, 0, &value), DOCA_ERROR_NOT_FOUND);
	descriptor = real;
	descriptor.export_id += 1000;
	ck_assert_uint_eq(peer_counter_request(COPY_ADD, 0, &value), DOCA_ERROR_NOT_FOUND);
	descriptor = real;
	expect_counter(event, 7);
	/* An event that was stopped. */
	OK(doca_sync_event_stop(event));
	ck_assert_uint_eq(peer_counter_request(COPY_GET, 0, &value), DOCA_ERROR_NOT_FOUND);
	ck_assert_uint_eq(peer_counter_request(COPY_SET, 0, &value), DOCA_ERROR_NOT_FOUND);
	OK(doca_sync_event_destroy(event));
	unauthorised_peer_close(&host);
}
END_TEST

/* A call to RDMA memory reaches no event, because its device was not checked. */
START_TEST(a_counter_by_another_call)
{
	struct export_descriptor memory_descriptor = descriptor;
	struct doca_sync_event *event = event_export(true);
	struct export_descriptor event_descriptor = descriptor;
	uint64_t value;

	descriptor = memory_descriptor;
	peer_open(true);
	peer_imports(true);
	peer_connects();
	check_served();
	descriptor = event_descriptor;
	ck_assert_uint_eq(peer_counter_request(COPY_SET, 0, &value), DOCA_ERROR_NOT_FOUND);
	expect_counter(event, 0);
	OK(doca_sync_event_stop(event));
	OK(doca_sync_event_destroy(event));
	unauthorised_peer_close(&host);
}
END_TEST

/* Messages that no library sends: the stream ends, and the link stays. */
START_TEST(the_stream_ends)
{
	static const struct {
		uint32_t op, len, payload;
	} cases[] = {{COPY_READ, 100, 1},
		     {COPY_WRITE, 100, 99},
		     {COPY_WRITE, UINT32_MAX, 100},
		     {COPY_READ, COPY_DATA_MAX + 1, 0},
		     {77, 100, 0},
		     {COPY_GET, COPY_VALUE_LEN, COPY_VALUE_LEN},
		     {COPY_SET, COPY_VALUE_LEN, COPY_VALUE_LEN - 1},
		     {COPY_ADD, 2 * COPY_VALUE_LEN, 2 * COPY_VALUE_LEN}};
	struct copy_request request = request_at(cases[_i].op, 0, cases[_i].len);
	Dococore__Packet *answer;

	peer_open(true);
	peer_imports(true);
	peer_connects();
	peer_asks(&request, cases[_i].payload);
	answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER);
	ck_assert_uint_eq(answer->peer_rdma_answer->call_id, OUR_CALL);
	ck_assert_uint_ne(answer->peer_rdma_answer->code, DOCA_SUCCESS);
	dococore__packet__free_unpacked(answer, NULL);
	/* Messages in transit to it are dropped. */
	peer_asks(&request, cases[_i].payload);
	unauthorised_peer_credits(&host, true, their_call, 1000);
	ck_assert(!unauthorised_peer_was_notified(&host, DOCOCORE__PACKET__BODY_ERROR));
	peer_connects();
	check_served();
	unauthorised_peer_close(&host);
}
END_TEST

enum violation {
	TOO_LONG,
	TRUNCATED_LENGTH,
	NO_CREDIT,
	FALSE_CREDIT,
	ANSWERS_ITSELF,
	NO_IMPORT,
	N_MISDEEDS,
};

static void break_rule(enum violation violation)
{
	static uint8_t details[8];
	Dococore__PeerRdmaAnswer answer = DOCOCORE__PEER_RDMA_ANSWER__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct copy_request request = request_at(COPY_READ, 0, 1);
	const uint32_t too_long = COPY_MSG_MAX + 1;
	uint8_t data[100] = {0, 0, (uint8_t)(too_long >> 8), (uint8_t)too_long};

	switch (violation) {
	case TOO_LONG:
		unauthorised_peer_sends(&host, true, their_call, data, sizeof(data));
		break;
	case TRUNCATED_LENGTH:
		unauthorised_peer_sends(&host, true, their_call, data, 3);
		break;
	case NO_CREDIT:
		/* Requests whose answers are never received: as many as fit, and one more. */
		for (uint32_t n = 0; n < 2 * COPY_QUEUE + 1; n++)
			peer_asks(&request, 0);
		break;
	case FALSE_CREDIT:
		unauthorised_peer_credits(&host, true, their_call, 1);
		break;
	case ANSWERS_ITSELF:
		answer.call_id = their_call;
		answer.sender_call_id = OUR_CALL;
		answer.details = (ProtobufCBinaryData){sizeof(details), details};
		packet.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER;
		packet.peer_rdma_answer = &answer;
		unauthorised_peer_send(&host, &packet);
		break;
	default:
		peer_calls(0, true);
	}
}

START_TEST(the_link_ends)
{
	static const char *const names[N_MISDEEDS] = {"PeerChannelData", "PeerChannelData",
						      "PeerChannelData", "PeerChannelCredit",
						      "PeerRdmaAnswer",  "PeerRdmaConnect"};
	char line[80];

	peer_open(true);
	peer_imports(true);
	peer_connects();
	break_rule((enum violation)_i);
	unauthorised_peer_await_end(&host);
	unauthorised_peer_close(&host);
	snprintf(line, sizeof(line), "%s broke the protocol", names[_i]);
	tls_lab_await_log(&dpu, LAB_DPU, line);
	/* The next one is served. */
	peer_open(true);
	peer_imports(true);
	peer_connects();
	check_served();
	unauthorised_peer_close(&host);
}
END_TEST

/* A daemon of an earlier version does not get it, and may not request it either. */
START_TEST(an_earlier_version)
{
	peer_open(false);
	peer_imports(false);
	peer_calls(IMPORT_ID, true);
	unauthorised_peer_await_end(&host);
	unauthorised_peer_close(&host);
	tls_lab_await_log(&dpu, LAB_DPU, "PeerRdmaConnect broke the protocol");
}
END_TEST

/* A library of another version is refused, and so is an import that does not exist. */
START_TEST(invalid_calls_are_refused)
{
	Dococore__Packet *answer;

	peer_open(true);
	peer_imports(true);
	peer_calls(IMPORT_ID, false);
	ck_assert_uint_ne(peer_receive_answer(), DOCA_SUCCESS);
	peer_calls(IMPORT_ID + 1, true);
	answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_ERROR);
	ck_assert_uint_eq(answer->error->code, DOCA_ERROR_NOT_FOUND);
	dococore__packet__free_unpacked(answer, NULL);
	peer_connects();
	check_served();
	unauthorised_peer_close(&host);
}
END_TEST

/* One process does not get all streams that an exporter serves; another one is served then. */
START_TEST(streams_of_one_importer)
{
	enum { MOST = 32 };
	Dococore__Packet *answer;

	peer_open(true);
	peer_imports(true);
	peer_imports_as(IMPORT_ID + 1, 2, true);
	for (our_call = 100; our_call < 100 + MOST; our_call++) {
		peer_calls(IMPORT_ID, true);
		ck_assert_uint_eq(peer_receive_answer(), DOCA_SUCCESS);
	}
	peer_calls(IMPORT_ID, true);
	answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_ERROR);
	ck_assert_uint_eq(answer->error->code, DOCA_ERROR_FULL);
	dococore__packet__free_unpacked(answer, NULL);
	peer_calls(IMPORT_ID + 1, true);
	ck_assert_uint_eq(peer_receive_answer(), DOCA_SUCCESS);
	unauthorised_peer_close(&host);
}
END_TEST

/* --- a stopped exporter --- */

static struct exporter still;

static void setup_idle_exporter(void)
{
	const struct exporter_options options = {.memory = MEMORY_MALLOC,
						 .len = LEN,
						 .rdma = true,
						 .side = LAB_DPU,
						 .permissions = DOCA_ACCESS_FLAG_RDMA_READ};

	signal(SIGPIPE, SIG_IGN);
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_start(&tls, &dpu, false, true);
	leaks_allow_fds(1);
	exporter_start(&still, &dpu, &options);
	ck_assert_int_eq(
		export_descriptor_decode(still.exported.desc, still.exported.desc_len, &descriptor),
		EXPORT_DESCRIPTOR_OK);
}

static void teardown_idle_exporter(void)
{
	exporter_end(&still);
	lab_stop(&dpu);
	tls_lab_remove(&tls);
	leaks_teardown();
}

static void peer_hangs_up(void)
{
	Dococore__PeerRdmaAnswer answer = DOCOCORE__PEER_RDMA_ANSWER__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	answer.sender_call_id = our_call;
	answer.code = DOCA_ERROR_CONNECTION_ABORTED;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER;
	packet.peer_rdma_answer = &answer;
	unauthorised_peer_send(&host, &packet);
}

/* Returns false if the maximum is waiting. Skips the exporter's answers to earlier calls. */
static bool peer_call_arrives(void)
{
	for (;;) {
		Dococore__Packet *answer = unauthorised_peer_read(&host);
		Dococore__Packet__BodyCase body;
		uint32_t code;

		ck_assert_ptr_nonnull(answer);
		body = answer->body_case;
		code = body == DOCOCORE__PACKET__BODY_ERROR ? answer->error->code : DOCA_SUCCESS;
		dococore__packet__free_unpacked(answer, NULL);
		if (body == DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT_REPLY)
			return true;
		if (body != DOCOCORE__PACKET__BODY_ERROR)
			continue;
		ck_assert_uint_eq(code, DOCA_ERROR_FULL);
		return false;
	}
}

/*
 * More events than the daemon queues for any client: an exporter that does not read them keeps its
 * session.
 */
START_TEST(callers_that_hang_up)
{
	Dococore__Packet *answer;

	peer_open(true);
	peer_imports(true);
	lab_freeze(still.child.pid);
	for (our_call = 100; our_call < 2700;) {
		for (int i = 0; i < 100; i++, our_call++) {
			peer_calls(IMPORT_ID, true);
			peer_hangs_up();
		}
		for (int i = 0; i < 100; i++)
			(void)peer_call_arrives();
	}
	ck_assert(!lab_log_has(&dpu, LAB_DPU, "reads no events"));
	lab_thaw(still.child.pid);
	/* The exporter reads the events, and serves the next call. */
	do {
		our_call++;
		peer_calls(IMPORT_ID, true);
	} while (!peer_call_arrives());
	answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER);
	while (answer->peer_rdma_answer->call_id != our_call) {
		dococore__packet__free_unpacked(answer, NULL);
		answer = unauthorised_peer_await(&host, DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER);
	}
	ck_assert_uint_eq(answer->peer_rdma_answer->code, DOCA_SUCCESS);
	dococore__packet__free_unpacked(answer, NULL);
	unauthorised_peer_close(&host);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "unauthorised peers");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, more_than_was_credited);
	tcase_add_loop_test(tcase, a_counter, 0, 2);
	tcase_add_test(tcase, a_counter_by_another_call);
	tcase_add_loop_test(tcase, the_stream_ends, 0, 8);
	tcase_add_loop_test(tcase, the_link_ends, 0, N_MISDEEDS);
	tcase_add_test(tcase, an_earlier_version);
	tcase_add_test(tcase, invalid_calls_are_refused);
	tcase_add_test(tcase, streams_of_one_importer);

	tcase = runner_case(suite, "standstill");
	tcase_add_checked_fixture(tcase, setup_idle_exporter, teardown_idle_exporter);
	tcase_add_test(tcase, callers_that_hang_up);
}

int main(void)
{
	lab_require();
	return runner_main("remote copy fault", add_cases, NULL);
}
