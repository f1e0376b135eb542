/*
 * client/rma/relay (serve.c, provider.c): both ends of relayed copies over one channel, without
 * daemons. Each end is tested with a simulated other end that makes errors: malformed requests;
 * exports, ranges and rights that it does not have; unrequested replies. Then both together, in
 * random order, compared with a shadow copy. The same for counters of sync events.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_types.h>

#include "client/device/dev.h"
#include "client/memory/mmap.h"
#include "client/rma/relay/provider.h"
#include "client/rma/relay/serve.h"
#include "client/sync_event/sync_event.h"
#include "tests/unit/unit.h"
#include "util/fd.h"
#include "util/memfd.h"

#define LEN       (256u << 10)
#define EXPORT_ID UINT64_C(0x1122334455667788)

static int memfd;
static int doorbells[2]; /* the importer's, the exporter's */
static uint8_t memory[LEN] __attribute__((aligned(4096)));
static uint8_t mine[LEN], shadow[LEN];
static const uint8_t secret[COPY_SECRET_LEN] = {1, 2,  3,  4,  5,  6,  7,  8,
						9, 10, 11, 12, 13, 14, 15, 16};

/* --- the channel --- */

static void channel_make(void)
{
	const uint32_t head[3] = {CHANNEL_MAGIC, CHANNEL_LAYOUT, COPY_RING_LEN};

	memfd = memfd_create_sealed("relay-copy-test", CHANNEL_HEADER_LEN + 2 * COPY_RING_LEN);
	ck_assert_int_ge(memfd, 0);
	ck_assert_int_eq(pwrite(memfd, head, sizeof(head), 0), sizeof(head));
	doorbells[0] = fd_eventfd();
	doorbells[1] = fd_eventfd();
	ck_assert(doorbells[0] >= 0 && doorbells[1] >= 0);
}

static void channel_close(void)
{
	fd_close(&memfd);
	fd_close(&doorbells[0]);
	fd_close(&doorbells[1]);
}

static void stream_open(struct relay_stream *stream, bool is_caller, int pidfd)
{
	struct relay_stream_fds fds = {
		.memfd = memfd,
		.wait_fd = fd_dup(doorbells[is_caller ? 0 : 1]),
		.doorbell_fd = fd_dup(doorbells[is_caller ? 1 : 0]),
		.pidfd = pidfd,
	};

	ck_assert_int_eq(relay_stream_init(stream, &fds, is_caller), DOCA_SUCCESS);
}

/* --- the exporter --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct relay_exports exports;
static struct relay_export export;
static struct relay_link served;
static bool has_news;

static bool has_event_fn(void *user)
{
	(void)user;
	return has_news;
}

static enum relay_result serve(void)
{
	return relay_link_serve(&served, &exports, has_event_fn, NULL);
}

static void exporter_open(bool may_read, bool may_write)
{
	exports.lock = &lock;
	list_init(&exports.all);
	export = (struct relay_export){
		.export_id = EXPORT_ID,
		.secret = secret,
		.addr = (uintptr_t)memory,
		.len = LEN,
		.may_read = may_read,
		.may_write = may_write,
	};
	relay_export_add(&exports, &export);
	served = (struct relay_link){.stream = RELAY_STREAM_INIT};
	stream_open(&served.stream, false, -1);
	has_news = false;
	for (size_t i = 0; i < LEN; i++)
		memory[i] = shadow[i] = (uint8_t)(i * 7 + i / 256);
}

/* --- a simulated importer --- */

static struct relay_stream peer_stream;
static uint64_t n_asked, n_answered;

static void both_open(bool may_read, bool may_write)
{
	channel_make();
	exporter_open(may_read, may_write);
	stream_open(&peer_stream, true, -1);
	n_asked = n_answered = 0;
}

static void both_close(void)
{
	relay_stream_deinit(&peer_stream);
	relay_stream_deinit(&served.stream);
	channel_close();
}

static const struct copy_request usual = {
	.op = COPY_READ,
	.len = 100,
	.export_id = EXPORT_ID,
	.secret = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

static void send_request(struct copy_request request, uint64_t at, uint32_t payload)
{
	uint8_t *out;

	request.addr = (uintptr_t)memory + at;
	request.tag = n_asked++;
	ck_assert_int_eq(ring_producer_room(&peer_stream.tx, COPY_REQUEST_LEN + payload), 1);
	out = ring_producer_payload(&peer_stream.tx);
	copy_request_encode(&request, out);
	memset(out + COPY_REQUEST_LEN, 0xee, payload);
	relay_stream_send(&peer_stream, COPY_REQUEST_LEN + payload);
}

/* Returns the reply's status; the data are in `mine`. */
static uint32_t receive_reply(uint32_t len)
{
	struct copy_answer answer;
	const void *msg;
	uint32_t msg_len, kind;

	ck_assert_int_eq(ring_consumer_peek(&peer_stream.rx, &msg, &msg_len, &kind), 1);
	ck_assert(copy_answer_decode(msg, msg_len, &answer));
	ck_assert_uint_eq(answer.tag, n_answered++);
	ck_assert_uint_eq(answer.len, answer.status == 0 ? len : 0);
	memcpy(mine, (const uint8_t *)msg + COPY_ANSWER_LEN, answer.len);
	relay_stream_release(&peer_stream, msg_len);
	return answer.status;
}

START_TEST(checked_against_the_export)
{
	static const struct {
		uint64_t at;
		uint32_t len;
		uint32_t status;
	} ranges[] = {
		{0, 1, DOCA_SUCCESS},
		{0, COPY_DATA_MAX, DOCA_SUCCESS},
		{LEN - 1, 1, DOCA_SUCCESS},
		{LEN - COPY_DATA_MAX, COPY_DATA_MAX, DOCA_SUCCESS},
		{LEN, 1, DOCA_ERROR_INVALID_VALUE},
		{LEN - 1, 2, DOCA_ERROR_INVALID_VALUE},
		{LEN - COPY_DATA_MAX + 1, COPY_DATA_MAX, DOCA_ERROR_INVALID_VALUE},
		{(uint64_t)-1, 2, DOCA_ERROR_INVALID_VALUE},
		{UINT64_MAX / 2, COPY_DATA_MAX, DOCA_ERROR_INVALID_VALUE},
	};
	struct copy_request request = usual;

	both_open(true, true);
	for (size_t i = 0; i < ARRAY_LEN(ranges); i++) {
		request.len = ranges[i].len;
		for (request.op = COPY_READ; request.op <= COPY_WRITE; request.op++) {
			uint32_t is_write = request.op == COPY_WRITE;

			send_request(request, ranges[i].at, is_write ? request.len : 0);
			ck_assert_int_eq(serve(), RELAY_IDLE);
			ck_assert_uint_eq(receive_reply(is_write ? 0 : request.len),
					  ranges[i].status);
			if (ranges[i].status != DOCA_SUCCESS)
				continue;
			if (is_write)
				memset(shadow + ranges[i].at, 0xee, request.len);
			else
				ck_assert_mem_eq(mine, shadow + ranges[i].at, request.len);
		}
	}
	ck_assert_mem_eq(memory, shadow, LEN);
	both_close();
}
END_TEST

START_TEST(only_with_the_secret)
{
	uint8_t pass_on[COPY_SECRET_LEN] = {0};
	struct copy_request request;

	both_open(true, true);
	for (size_t i = 0; i < COPY_SECRET_LEN; i++) {
		request = usual;
		request.secret[i] ^= 1;
		send_request(request, 0, 0);
		ck_assert_int_eq(serve(), RELAY_IDLE);
		ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_NOT_FOUND);
	}
	request = usual;
	request.export_id++;
	send_request(request, 0, 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_NOT_FOUND);
	/* A PCI export through a call of another kind: the device was not checked. */
	export.is_pci = true;
	send_request(usual, 0, 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_NOT_FOUND);
	/* Unless its importer passed it on with another secret. */
	request = usual;
	memset(request.secret, 0, sizeof(request.secret));
	send_request(request, 0, 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_NOT_FOUND);
	request.secret[3] = pass_on[3] = 7;
	export.pass_on = pass_on;
	send_request(request, 0, 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(100), DOCA_SUCCESS);
	send_request(usual, 0, 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_NOT_FOUND);
	served.is_pci = true;
	send_request(usual, 0, 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(100), DOCA_SUCCESS);
	/* The end of the export came before the request, which is visible already. */
	send_request(usual, 0, 0);
	has_news = true;
	ck_assert_int_eq(serve(), RELAY_MORE);
	relay_export_end(&export);
	has_news = false;
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_NOT_FOUND);
	relay_export_end(&export);
	both_close();
}
END_TEST

START_TEST(rights)
{
	struct copy_request request = usual;

	both_open(_i & 1, _i & 2);
	send_request(request, 10, 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(100), _i & 1 ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
	request.op = COPY_WRITE;
	send_request(request, 10, 100);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(0), _i & 2 ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
	if (_i & 2)
		memset(shadow + 10, 0xee, 100);
	ck_assert_mem_eq(memory, shadow, LEN);
	both_close();
}
END_TEST

/* Returns the state of the process's first thread, from /proc. */
static char state_of(pid_t pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f != NULL && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f != NULL)
		fclose(f);
	return state;
}

static void *serve_after_main_exit(void *arg)
{
	struct copy_answer answer = {.status = DOCA_ERROR_UNKNOWN};
	const void *msg;
	uint32_t len, kind;

	while (state_of(getpid()) != 'Z')
		sched_yield();
	if (serve() == RELAY_IDLE && ring_consumer_peek(&peer_stream.rx, &msg, &len, &kind) == 1)
		copy_answer_decode(msg, len, &answer);
	_exit((int)answer.status);
	return arg;
}

/* A program may end its first thread and continue in others. */
START_TEST(the_first_thread_has_ended)
{
	pthread_t thread;
	pid_t pid;
	int status;

	both_open(true, true);
	send_request(usual, 0, 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (pthread_create(&thread, NULL, serve_after_main_exit, NULL) != 0)
			_exit(DOCA_ERROR_NO_MEMORY);
		pthread_exit(NULL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), DOCA_SUCCESS);
	both_close();
}
END_TEST

/* The stream ends, and no memory is changed. */
START_TEST(malformed_requests)
{
	static const struct {
		uint32_t op, len, payload;
	} cases[] = {
		{0, 100, 0},
		{6, 100, 0},
		{6, 8, 0},
		{COPY_GET, 7, 0},
		{COPY_GET, 9, 0},
		{COPY_GET, 0, 0},
		{COPY_GET, 8, 8},
		{COPY_SET, 8, 0},
		{COPY_SET, 8, 7},
		{COPY_SET, 8, 9},
		{COPY_SET, 9, 9},
		{COPY_ADD, 8, 0},
		{COPY_ADD, 16, 16},
		{COPY_ADD, 100, 100},
		{UINT32_MAX, 100, 100},
		{COPY_READ, 0, 0},
		{COPY_READ, COPY_DATA_MAX + 1, 0},
		{COPY_READ, UINT32_MAX, 0},
		{COPY_READ, 100, 1},
		{COPY_READ, 100, 100},
		{COPY_WRITE, 0, 0},
		{COPY_WRITE, 100, 0},
		{COPY_WRITE, 100, 99},
		{COPY_WRITE, 100, 101},
		{COPY_WRITE, UINT32_MAX, COPY_DATA_MAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct copy_request request = usual;

		both_open(true, true);
		request.op = cases[i].op;
		request.len = cases[i].len;
		send_request(request, 0, cases[i].payload);
		ck_assert_int_eq(serve(), RELAY_BROKEN);
		ck_assert_mem_eq(memory, shadow, LEN);
		both_close();
	}
	for (uint32_t len = 0; len < COPY_REQUEST_LEN; len++) {
		both_open(true, true);
		ck_assert_int_eq(ring_producer_room(&peer_stream.tx, len), 1);
		memset(ring_producer_payload(&peer_stream.tx), 1, len);
		relay_stream_send(&peer_stream, len);
		ck_assert_int_eq(serve(), RELAY_BROKEN);
		both_close();
	}
}
END_TEST

/*
 * An importer that receives no replies is not served and causes no work; later the exporter
 * continues where it stopped.
 */
START_TEST(answers_wait_for_room)
{
	struct copy_request request = usual;
	unsigned n_announced = 0, n_replies = 0;
	enum relay_result turn;

	both_open(true, true);
	request.len = COPY_DATA_MAX;
	for (; n_announced < 20; n_announced++) {
		send_request(request, n_announced, 0);
	}
	do
		turn = serve();
	while (turn == RELAY_MORE);
	ck_assert_int_eq(turn, RELAY_IDLE);
	ck_assert_uint_gt(served.wanted, 0);
	ck_assert(!relay_link_arm(&served));
	while (n_replies < n_announced) {
		ck_assert_uint_eq(receive_reply(COPY_DATA_MAX), DOCA_SUCCESS);
		ck_assert_mem_eq(mine, shadow + n_replies, COPY_DATA_MAX);
		n_replies++;
		serve();
	}
	relay_link_disarm(&served);
	ck_assert_uint_eq(served.wanted, 0);
	both_close();
}
END_TEST

/* The application has unmapped the exported memory. */
START_TEST(memory_that_is_gone)
{
	struct copy_request request = usual;
	uint8_t *hole;

	both_open(true, true);
	hole = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(hole, MAP_FAILED);
	export.addr = (uintptr_t)hole;
	export.len = 8192;
	munmap(hole + 4096, 4096);
	for (request.op = COPY_READ; request.op <= COPY_WRITE; request.op++) {
		send_request(request, (uint64_t)((uintptr_t)hole + 4096 - (uintptr_t)memory),
			     request.op == COPY_WRITE ? request.len : 0);
		ck_assert_int_eq(serve(), RELAY_IDLE);
		ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_IO_FAILED);
	}
	send_request(usual, (uint64_t)((uintptr_t)hole - (uintptr_t)memory), 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(100), DOCA_SUCCESS);
	munmap(hole, 4096);
	both_close();
}
END_TEST

/* --- counters --- */

#define BEFORE UINT64_C(0xf1e2d3c4b5a69788)

static _Atomic uint64_t counter;
static struct sync_words words;
static _Atomic int no_eventfd = -1;
static struct sync_cell cell = {.value = &counter, .words = &words, .eventfd = &no_eventfd};

static void export_counter(uint64_t value)
{
	export.cell = &cell;
	export.addr = (uintptr_t)&counter;
	export.len = sizeof(counter);
	atomic_store(&counter, value);
}

static void counter_open(bool may_read, bool may_write)
{
	both_open(may_read, may_write);
	export_counter(BEFORE);
}

/* Returns the status. The operand is 0xee in each byte. */
static uint32_t ask_counter(uint32_t op, uint64_t addr, uint32_t len)
{
	struct copy_request request = usual;
	uint32_t payload = copy_bytes_asked(op, len);

	request.op = op;
	request.len = len;
	send_request(request, addr - (uintptr_t)memory, payload);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	return receive_reply(copy_bytes_answered(op, len));
}

static uint64_t received_value(void)
{
	return copy_value_decode(mine);
}

/* _i: rights of the export, read and write. */
START_TEST(counters_by_right)
{
	const uint64_t given = UINT64_C(0xeeeeeeeeeeeeeeee), at = (uintptr_t)&counter;
	uint32_t may_not = DOCA_ERROR_NOT_PERMITTED;
	bool reads = _i & 1, writes = _i & 2;

	counter_open(reads, writes);
	ck_assert_uint_eq(ask_counter(COPY_GET, at, 8), reads ? DOCA_SUCCESS : may_not);
	if (reads)
		ck_assert_uint_eq(received_value(), BEFORE);
	ck_assert_uint_eq(ask_counter(COPY_ADD, at, 8), reads && writes ? DOCA_SUCCESS : may_not);
	if (reads && writes)
		ck_assert_uint_eq(received_value(), BEFORE);
	ck_assert_uint_eq(atomic_load(&counter), reads && writes ? BEFORE + given : BEFORE);
	ck_assert_uint_eq(ask_counter(COPY_SET, at, 8), writes ? DOCA_SUCCESS : may_not);
	ck_assert_uint_eq(atomic_load(&counter), writes ? given : BEFORE);
	both_close();
}
END_TEST

START_TEST(counters_and_nothing_else)
{
	const uint64_t at = (uintptr_t)&counter;

	counter_open(true, true);
	for (uint32_t op = COPY_GET; op <= COPY_ADD; op++) {
		ck_assert_uint_eq(ask_counter(op, at + 8, 8), DOCA_ERROR_INVALID_VALUE);
		ck_assert_uint_eq(ask_counter(op, at - 8, 8), DOCA_ERROR_INVALID_VALUE);
		ck_assert_uint_eq(ask_counter(op, at + 1, 8), DOCA_ERROR_INVALID_VALUE);
		ck_assert_uint_eq(ask_counter(op, (uintptr_t)memory, 8), DOCA_ERROR_INVALID_VALUE);
	}
	/* Partial accesses are refused. */
	for (uint32_t op = COPY_READ; op <= COPY_WRITE; op++) {
		ck_assert_uint_eq(ask_counter(op, at, 8), DOCA_ERROR_INVALID_VALUE);
		ck_assert_uint_eq(ask_counter(op, at, 1), DOCA_ERROR_INVALID_VALUE);
	}
	ck_assert_uint_eq(atomic_load(&counter), BEFORE);
	/* Memory is not a counter. */
	export.cell = NULL;
	export.addr = (uintptr_t)memory;
	export.len = LEN;
	for (uint32_t op = COPY_GET; op <= COPY_ADD; op++)
		ck_assert_uint_eq(ask_counter(op, (uintptr_t)memory, 8), DOCA_ERROR_INVALID_VALUE);
	ck_assert_mem_eq(memory, shadow, LEN);
	/* An export that has ended. */
	export.cell = &cell;
	export.addr = at;
	export.len = 8;
	relay_export_end(&export);
	ck_assert_uint_eq(ask_counter(COPY_ADD, at, 8), DOCA_ERROR_NOT_FOUND);
	ck_assert_uint_eq(atomic_load(&counter), BEFORE);
	both_close();
}
END_TEST

/* --- repeated in another stream --- */

static void stream_lost(void)
{
	relay_stream_deinit(&peer_stream);
	relay_stream_deinit(&served.stream);
	channel_close();
	channel_make();
	stream_open(&served.stream, false, -1);
	stream_open(&peer_stream, true, -1);
}

static void send_request_again(uint64_t tag, struct copy_request request, uint64_t at)
{
	n_asked = n_answered = tag;
	send_request(request, at, copy_bytes_asked(request.op, request.len));
}

/* A repeated request gets its first reply and has no effect. */
START_TEST(repeated_counters)
{
	const uint64_t at = (uintptr_t)&counter - (uintptr_t)memory;
	struct copy_request request = usual;

	counter_open(true, true);
	ck_assert_uint_eq(ask_counter(COPY_ADD, (uintptr_t)&counter, 8), DOCA_SUCCESS);
	ck_assert_uint_eq(ask_counter(COPY_GET, (uintptr_t)&counter, 8), DOCA_SUCCESS);
	ck_assert_uint_eq(ask_counter(COPY_SET, (uintptr_t)&counter, 8), DOCA_SUCCESS);
	ck_assert_uint_eq(ask_counter(COPY_SET, (uintptr_t)&counter + 8, 8),
			  DOCA_ERROR_INVALID_VALUE);
	atomic_store(&counter, 5);
	for (int round = 0; round < 2; round++) {
		stream_lost();
		request.len = 8;
		request.op = COPY_ADD;
		send_request_again(0, request, at);
		ck_assert_int_eq(serve(), RELAY_IDLE);
		ck_assert_uint_eq(receive_reply(8), DOCA_SUCCESS);
		ck_assert_uint_eq(received_value(), BEFORE);
		request.op = COPY_GET;
		send_request_again(1, request, at);
		ck_assert_int_eq(serve(), RELAY_IDLE);
		ck_assert_uint_eq(receive_reply(8), DOCA_SUCCESS);
		ck_assert_uint_eq(received_value(), BEFORE + UINT64_C(0xeeeeeeeeeeeeeeee));
		request.op = COPY_SET;
		send_request_again(2, request, at);
		ck_assert_int_eq(serve(), RELAY_IDLE);
		ck_assert_uint_eq(receive_reply(0), DOCA_SUCCESS);
		send_request_again(3, request, at + 8);
		ck_assert_int_eq(serve(), RELAY_IDLE);
		ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_INVALID_VALUE);
		ck_assert_uint_eq(atomic_load(&counter), 5);
	}
	/* New requests follow. */
	request.op = COPY_ADD;
	send_request_again(4, request, at);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(8), DOCA_SUCCESS);
	ck_assert_uint_eq(received_value(), 5);
	both_close();
}
END_TEST

START_TEST(repeated_copies)
{
	struct copy_request request = usual;

	both_open(true, true);
	send_request(request, 0, 0);
	send_request(request, 500, 0);
	request.op = COPY_WRITE;
	send_request(request, 599, 100);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	memset(memory + 599, 0x11, 100);
	stream_lost();
	/*
	 * A write is not executed again. A read is executed again, unless a later request has
	 * overwritten the data.
	 */
	send_request_again(2, request, 599);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(0), DOCA_SUCCESS);
	ck_assert_uint_eq(memory[599], 0x11);
	request.op = COPY_READ;
	send_request_again(0, request, 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(100), DOCA_SUCCESS);
	ck_assert_mem_eq(mine, shadow, 100);
	send_request_again(1, request, 500);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_CONNECTION_ABORTED);
	/* An importer that has lost its right does not get that either. */
	relay_export_end(&export);
	send_request_again(0, request, 0);
	ck_assert_int_eq(serve(), RELAY_IDLE);
	ck_assert_uint_eq(receive_reply(0), DOCA_ERROR_NOT_FOUND);
	both_close();
}
END_TEST

/* A gap, a forgotten tag, and another request with the same number. */
START_TEST(wrong_tags)
{
	static const struct {
		uint64_t tag;
		uint32_t op, len;
		uint64_t at;
	} cases[] = {
		{101, COPY_READ, 100, 0},      {UINT64_MAX, COPY_READ, 100, 0},
		{100 - 65, COPY_READ, 100, 0}, {0, COPY_READ, 100, 0},
		{99, COPY_WRITE, 100, 0},      {99, COPY_READ, 99, 0},
		{99, COPY_READ, 100, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct copy_request request = usual;

		both_open(true, true);
		for (unsigned n = 0; n < 100; n++) {
			send_request(request, 0, 0);
			ck_assert_int_eq(serve(), RELAY_IDLE);
			ck_assert_uint_eq(receive_reply(100), DOCA_SUCCESS);
		}
		send_request_again(99, request, 0);
		send_request_again(100 - 64, request, 0);
		ck_assert_int_eq(serve(), RELAY_IDLE);
		request.op = cases[i].op;
		request.len = cases[i].len;
		send_request_again(cases[i].tag, request, cases[i].at);
		ck_assert_int_eq(serve(), RELAY_BROKEN);
		ck_assert_mem_eq(memory, shadow, LEN);
		both_close();
	}
}
END_TEST

START_TEST(pasts_that_fit)
{
	struct relay_window window = {.key = {1, 2}, .next = 100};
	struct copy_details from = {.key = {1, 2}, .tag = 100, .is_continued = true};

	ck_assert(relay_window_fits(&window, &from));
	from.tag = 36;
	ck_assert(relay_window_fits(&window, &from));
	from.tag = 35;
	ck_assert(!relay_window_fits(&window, &from));
	from.tag = 101;
	ck_assert(!relay_window_fits(&window, &from));
	from.tag = 100;
	from.key[15] = 1;
	ck_assert(!relay_window_fits(&window, &from));
}
END_TEST

/* --- the port --- */

static struct doca_dev dev;
static struct doca_mmap import;
static struct mmap_secrets import_secrets;
static struct sync_import event;
static struct rdma_domain *domain;
static struct rdma_qp *qp;
static struct relay_stream near; /* the exporter's end, if the test simulates it */

static struct copy_details details_of(const struct rdma_qp *of)
{
	uint8_t bytes[RDMA_PARAMS_MAX];
	struct copy_details details;
	size_t len;

	ck_assert_int_eq(rdma_relay.qp_params((struct rdma_qp *)of, bytes, &len), DOCA_SUCCESS);
	ck_assert(copy_details_decode(bytes, len, &details));
	return details;
}

/* The other end reports the request that it will execute next. */
static int qp_try_attach(struct relay_stream *stream, uint64_t next, bool remembers)
{
	struct copy_details details = details_of(qp);

	details.tag = next;
	details.is_continued = remembers;
	return relay_qp_attach(qp, stream, &details);
}

static void qp_attach(struct relay_stream *stream, uint64_t next, bool remembers)
{
	ck_assert_int_eq(qp_try_attach(stream, next, remembers), 0);
}

static void domain_open(int pidfd)
{
	const struct rdma_conf conf = {.send_queue = 64, .max_qps = 2, .max_send_sges = 16};
	struct relay_stream stream;

	import.export_id = EXPORT_ID;
	memcpy(import_secrets.relay, secret, sizeof(secret));
	import.secrets = &import_secrets;
	event.export_id = EXPORT_ID;
	event.addr = (uintptr_t)&counter;
	event.relay_secret = import_secrets.relay;
	ck_assert_int_eq(rdma_relay.open(&dev, &conf, &domain), DOCA_SUCCESS);
	ck_assert_int_eq(rdma_relay.qp_new(domain, NULL, &qp), DOCA_SUCCESS);
	stream_open(&stream, true, pidfd);
	qp_attach(&stream, 0, false);
}

static void port_close(void)
{
	rdma_relay.close(domain);
	ck_assert_uint_eq(dev.n_users, 0);
}

static void stream_pair_open(int pidfd)
{
	channel_make();
	stream_open(&near, false, -1);
	domain_open(pidfd);
}

static void stream_pair_close(void)
{
	port_close();
	relay_stream_deinit(&near);
	channel_close();
}

static struct rdma_sge sges[64];
static struct rdma_wr wrs[64];

static doca_error_t post(unsigned i, enum rdma_op op, size_t local_at, size_t remote_at, size_t len)
{
	sges[i] = (struct rdma_sge){.addr = mine + local_at, .len = len};
	wrs[i] = (struct rdma_wr){.op = op,
				  .n_sges = 1,
				  .sges = &sges[i],
				  .remote_addr = (uintptr_t)memory + remote_at,
				  .remote_mmap = &import,
				  .is_copy = true};
	return rdma_relay.post(qp, &wrs[i]);
}

static doca_error_t post_event(unsigned i, enum rdma_op op, uint64_t value, size_t len)
{
	sges[i] = (struct rdma_sge){.addr = mine + 64 * i, .len = len};
	memcpy(mine + 64 * i, &value, sizeof(value));
	wrs[i] = (struct rdma_wr){
		.op = op, .n_sges = 1, .sges = &sges[i], .remote_event = &event, .value = value};
	return rdma_relay.post(qp, &wrs[i]);
}

static void answer_with(struct copy_answer answer, uint32_t payload)
{
	uint8_t *out;

	ck_assert_int_eq(ring_producer_room(&near.tx, COPY_ANSWER_LEN + payload), 1);
	out = ring_producer_payload(&near.tx);
	copy_answer_encode(&answer, out);
	memset(out + COPY_ANSWER_LEN, 0xdd, payload);
	relay_stream_send(&near, COPY_ANSWER_LEN + payload);
}

static bool next_event_is(enum rdma_event_type type)
{
	struct rdma_event told;

	return rdma_relay.next_event(domain, &told) && told.type == type && told.qp == qp;
}

START_TEST(unsolicited_answers)
{
	static const struct {
		struct copy_answer answer;
		uint32_t payload;
	} cases[] = {
		{{.tag = 1, .len = 100}, 100},              /* of the second request */
		{{.tag = 0, .len = 99}, 99},                /* too few bytes */
		{{.tag = 0, .len = 101}, 101},              /* more bytes than requested */
		{{.tag = 0, .len = 0}, 0},                  /* no bytes, and no failure */
		{{.tag = 0, .len = 100}, 99},               /* wrong length */
		{{.tag = 0, .len = 100, .status = 1}, 100}, /* failed, with data */
		{{.tag = UINT64_MAX, .len = 100}, 100},
		{{.tag = 0, .len = UINT32_MAX}, 100},
	};
	struct rdma_event told;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		stream_pair_open(-1);
		memset(mine, 0, LEN);
		ck_assert_int_eq(post(0, RDMA_READ, 1000, 0, 100), DOCA_SUCCESS);
		ck_assert_int_eq(post(1, RDMA_WRITE, 0, 0, 100), DOCA_SUCCESS);
		answer_with(cases[i].answer, cases[i].payload);
		for (int k = 0; k < 2; k++) {
			ck_assert_ptr_eq(rdma_relay.poll(domain), &wrs[k]);
			ck_assert_int_eq(wrs[k].status, DOCA_ERROR_CONNECTION_RESET);
		}
		ck_assert_ptr_null(rdma_relay.poll(domain));
		ck_assert(next_event_is(RDMA_QP_BROKEN));
		ck_assert(!rdma_relay.next_event(domain, &told));
		for (size_t at = 0; at < 2000; at++)
			ck_assert_uint_eq(mine[at], 0);
		/* Later requests complete with an error. */
		ck_assert_int_eq(post(2, RDMA_READ, 0, 0, 1), DOCA_SUCCESS);
		ck_assert_ptr_eq(rdma_relay.poll(domain), &wrs[2]);
		ck_assert_int_eq(wrs[2].status, DOCA_ERROR_CONNECTION_RESET);
		stream_pair_close();
	}
	/* A reply without a request. */
	stream_pair_open(-1);
	answer_with((struct copy_answer){.tag = 0}, 0);
	ck_assert_ptr_null(rdma_relay.poll(domain));
	ck_assert(next_event_is(RDMA_QP_BROKEN));
	stream_pair_close();
}
END_TEST

START_TEST(refused_requests)
{
	stream_pair_open(-1);
	ck_assert_int_eq(post(0, RDMA_READ, 0, 0, 100), DOCA_SUCCESS);
	ck_assert_int_eq(post(1, RDMA_READ, 0, 0, 100), DOCA_SUCCESS);
	answer_with((struct copy_answer){.tag = 0, .status = DOCA_ERROR_NOT_FOUND}, 0);
	answer_with((struct copy_answer){.tag = 1, .status = DOCA_ERROR_CONNECTION_RESET}, 0);
	ck_assert_ptr_eq(rdma_relay.poll(domain), &wrs[0]);
	ck_assert_int_eq(wrs[0].status, DOCA_ERROR_NOT_FOUND);
	ck_assert_ptr_eq(rdma_relay.poll(domain), &wrs[1]);
	ck_assert_int_eq(wrs[1].status, DOCA_ERROR_IO_FAILED);
	/* Operations that it does not support. */
	ck_assert_int_eq(post(0, RDMA_SEND, 0, 0, 100), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(post(0, RDMA_FETCH_ADD, 0, 0, 8), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(post_event(0, RDMA_READ, 0, 7), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(post_event(0, RDMA_WRITE, 0, 16), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(post_event(0, RDMA_CMP_SWP, 0, 8), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(post(0, RDMA_READ, 0, 0, 0), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(post(0, RDMA_READ, 0, 0, COPY_DATA_MAX + 1), DOCA_ERROR_INVALID_VALUE);
	stream_pair_close();
}
END_TEST

/* Full rings and full queues return AGAIN, and the port reports when to try again. */
START_TEST(credit_is_announced)
{
	struct rdma_event told;
	struct copy_request request;
	const void *msg;
	uint32_t len, kind;
	unsigned n = 0;

	stream_pair_open(-1);
	while (post(n, RDMA_WRITE, 0, 0, COPY_DATA_MAX) == DOCA_SUCCESS)
		n++;
	ck_assert_uint_gt(n, 3);
	ck_assert_uint_lt(n, 63);
	ck_assert(!rdma_relay.next_event(domain, &told));
	ck_assert(!rdma_relay.arm(domain));
	/* The message is received; its reply does not exist yet. */
	ck_assert_int_eq(ring_consumer_peek(&near.rx, &msg, &len, &kind), 1);
	ck_assert(copy_request_decode(msg, len, &request));
	relay_stream_release(&near, len);
	{
		struct pollfd p = {.fd = rdma_relay.get_fd(domain), .events = POLLIN};

		ck_assert_int_eq(poll(&p, 1, 10000), 1);
	}
	rdma_relay.disarm(domain);
	ck_assert(next_event_is(RDMA_QP_WRITABLE));
	ck_assert(!rdma_relay.next_event(domain, &told));
	ck_assert_int_eq(post(n, RDMA_WRITE, 0, 0, COPY_DATA_MAX), DOCA_SUCCESS);
	/* All posted requests complete. */
	ck_assert_int_eq(rdma_relay.qp_disconnect(qp), DOCA_SUCCESS);
	for (unsigned i = 0; i <= n; i++)
		ck_assert_ptr_eq(rdma_relay.poll(domain), &wrs[i]);
	ck_assert_ptr_null(rdma_relay.poll(domain));
	ck_assert(!rdma_relay.next_event(domain, &told));
	stream_pair_close();
}
END_TEST

/*
 * The daemon that has the other end of the rings dies, while the program sleeps and while it polls.
 */
START_TEST(the_daemon_dies)
{
	pid_t child = fork();
	struct rdma_event told;
	int pidfd;

	if (child == 0) {
		pause();
		_exit(0);
	}
	pidfd = fd_pidfd_open(child);
	ck_assert_int_ge(pidfd, 0);
	stream_pair_open(pidfd);
	ck_assert_int_eq(post(0, RDMA_READ, 0, 0, 100), DOCA_SUCCESS);
	if (_i == 0)
		ck_assert(!rdma_relay.arm(domain));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (_i == 0) {
		struct pollfd p = {.fd = rdma_relay.get_fd(domain), .events = POLLIN};

		ck_assert_int_eq(poll(&p, 1, 10000), 1);
		rdma_relay.disarm(domain);
	}
	while (!rdma_relay.next_event(domain, &told))
		continue;
	ck_assert_int_eq(told.type, RDMA_QP_BROKEN);
	ck_assert_int_eq(told.reason, DOCA_ERROR_CONNECTION_RESET);
	/* Posted requests wait until their fate is known. */
	ck_assert_ptr_null(rdma_relay.poll(domain));
	ck_assert(!rdma_relay.next_event(domain, &told));
	ck_assert_int_eq(rdma_relay.qp_disconnect(qp), DOCA_SUCCESS);
	ck_assert_ptr_eq(rdma_relay.poll(domain), &wrs[0]);
	ck_assert_int_eq(wrs[0].status, DOCA_ERROR_CONNECTION_RESET);
	stream_pair_close();
}
END_TEST

/* --- both --- */

static void pair_open(void)
{
	channel_make();
	exporter_open(true, true);
	domain_open(-1);
	memcpy(served.window.key, details_of(qp).key, COPY_KEY_LEN);
}

static void pair_close(void)
{
	port_close();
	relay_stream_deinit(&served.stream);
	channel_close();
}

static void check_done(struct rdma_wr *wr)
{
	const struct rdma_sge *sge = wr->sges;
	size_t at = wr->remote_addr - (uintptr_t)memory;

	ck_assert_int_eq(wr->status, DOCA_SUCCESS);
	if (wr->op == RDMA_READ)
		ck_assert_mem_eq(sge->addr, shadow + at, sge->len);
}

/* Simulates a sandbox that forbids copies by the kernel. */
static void refuse_copies(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = ARRAY_LEN(program), .filter = program};

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0), 0);
}

/*
 * Each request has its own place on both sides, so that the order does not matter. _i: without the
 * kernel's help.
 */
START_TEST(in_random_order)
{
	enum { N = 64, PLACE = LEN / N };
	uint64_t seed = 42;
	bool is_out[N] = {false};
	unsigned n_done = 0;

	if (_i)
		refuse_copies();
	pair_open();
	while (n_done < UNIT_N(40000)) {
		uint64_t random = unit_random(&seed);
		unsigned i = random % N;
		size_t len = random >> 20 & 1 ? 8 : 1 + (random >> 8) % (PLACE - 1);
		size_t at = (random >> 32) % (PLACE - len);
		bool is_write = random >> 63;
		struct rdma_wr *wr;

		if (!is_out[i]) {
			at += i * PLACE;
			for (size_t k = 0; is_write && k < len; k++)
				mine[at + k] = (uint8_t)unit_random(&seed);
			is_out[i] = post(i, is_write ? RDMA_WRITE : RDMA_READ, at, at, len) ==
				    DOCA_SUCCESS;
			if (is_out[i] && is_write)
				memcpy(shadow + at, mine + at, len);
		}
		if (random >> 16 & 1)
			ck_assert_int_ne(serve(), RELAY_BROKEN);
		while (random >> 17 & 1 && (wr = rdma_relay.poll(domain)) != NULL) {
			check_done(wr);
			is_out[wr - wrs] = false;
			n_done++;
		}
	}
	while (serve() == RELAY_MORE || !list_is_empty(&exports.all)) {
		struct rdma_wr *wr = rdma_relay.poll(domain);

		if (wr == NULL)
			break;
		check_done(wr);
	}
	ck_assert_mem_eq(memory, shadow, LEN);
	pair_close();
}
END_TEST

/* Both ends get another channel; the exporter's end remembers its results. */
static void both_disconnected(void)
{
	struct relay_stream stream;
	struct copy_details other;

	relay_stream_deinit(&served.stream);
	relay_qp_detach(qp);
	channel_close();
	channel_make();
	other = details_of(qp);
	ck_assert(relay_window_fits(&served.window, &other));
	stream_open(&served.stream, false, -1);
	stream_open(&stream, true, -1);
	qp_attach(&stream, served.window.next, true);
}

/* Streams end at any time. Additions to the counter are executed once each, in order. */
START_TEST(over_many_streams)
{
	enum { N = 64 };
	uint64_t seed = 4711, n_posted = 0, n_done = 0;

	pair_open();
	export_counter(0);
	while (n_done < UNIT_N(20000)) {
		uint64_t random = unit_random(&seed);
		struct rdma_wr *wr;

		while (n_posted - n_done < random % N)
			if (post_event((unsigned)(n_posted++ % N), RDMA_FETCH_ADD, 1, 8) !=
			    DOCA_SUCCESS)
				ck_abort_msg("not posted");
		if (random >> 16 & 1)
			ck_assert_int_ne(serve(), RELAY_BROKEN);
		while (random >> 17 & 1 && (wr = rdma_relay.poll(domain)) != NULL) {
			uint64_t before;

			ck_assert_ptr_eq(wr, &wrs[n_done % N]);
			ck_assert_int_eq(wr->status, DOCA_SUCCESS);
			memcpy(&before, wr->sges[0].addr, sizeof(before));
			ck_assert_uint_eq(before, n_done++);
		}
		if (random >> 32 & 1)
			both_disconnected();
		if (random >> 33 & 1)
			relay_qp_detach(qp), both_disconnected();
	}
	while (serve() == RELAY_MORE)
		continue;
	ck_assert_uint_eq(atomic_load(&counter), n_posted);
	pair_close();
}
END_TEST

/* More than a ring holds, posted while there is no stream. */
START_TEST(posted_without_a_stream)
{
	unsigned n_done = 0;
	struct rdma_wr *wr;

	pair_open();
	relay_qp_detach(qp);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_int_eq(
			post(i, RDMA_WRITE, i * COPY_DATA_MAX, i * COPY_DATA_MAX, COPY_DATA_MAX),
			DOCA_SUCCESS);
	ck_assert_ptr_eq(relay_qp_oldest(qp), &wrs[0]);
	both_disconnected();
	while (n_done < 8) {
		struct rdma_event told;

		ck_assert_int_ne(serve(), RELAY_BROKEN);
		while ((wr = rdma_relay.poll(domain)) != NULL) {
			ck_assert_int_eq(wr->status, DOCA_SUCCESS);
			n_done++;
		}
		while (rdma_relay.next_event(domain, &told))
			ck_assert_int_eq(told.type, RDMA_QP_WRITABLE);
	}
	ck_assert_mem_eq(memory, mine, LEN);
	ck_assert_ptr_null(relay_qp_oldest(qp));
	pair_close();
}
END_TEST

/* _i: the request is a change. It is unknown whether a change was executed; a read is repeated. */
START_TEST(the_other_end_has_forgotten)
{
	struct relay_stream stream;

	stream_pair_open(-1);
	ck_assert_int_eq(post(0, _i ? RDMA_WRITE : RDMA_READ, 0, 0, 100), DOCA_SUCCESS);
	relay_qp_detach(qp);
	stream_open(&stream, true, -1);
	ck_assert_int_eq(qp_try_attach(&stream, 2, true), -EPROTO);
	ck_assert_int_eq(qp_try_attach(&stream, 0, false), _i ? -ESTALE : 0);
	relay_stream_deinit(&stream);
	ck_assert_int_eq(rdma_relay.qp_disconnect(qp), DOCA_SUCCESS);
	ck_assert_ptr_eq(rdma_relay.poll(domain), &wrs[0]);
	ck_assert_int_eq(wrs[0].status, DOCA_ERROR_CONNECTION_RESET);
	stream_pair_close();
}
END_TEST

static uint64_t run_event(enum rdma_op op, uint64_t value)
{
	uint64_t word;

	ck_assert_int_eq(post_event(0, op, value, 8), DOCA_SUCCESS);
	ck_assert_int_ne(serve(), RELAY_BROKEN);
	ck_assert_ptr_eq(rdma_relay.poll(domain), &wrs[0]);
	ck_assert_int_eq(wrs[0].status, DOCA_SUCCESS);
	memcpy(&word, mine, sizeof(word));
	return word;
}

START_TEST(an_event)
{
	pair_open();
	export_counter(1);
	ck_assert_uint_eq(run_event(RDMA_READ, 99), 1);
	ck_assert_uint_eq(run_event(RDMA_FETCH_ADD, BEFORE), 1);
	ck_assert_uint_eq(run_event(RDMA_FETCH_ADD, 1), BEFORE + 1);
	ck_assert_uint_eq(atomic_load(&counter), BEFORE + 2);
	ck_assert_uint_eq(run_event(RDMA_WRITE, BEFORE), BEFORE);
	ck_assert_uint_eq(atomic_load(&counter), BEFORE);
	pair_close();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("relayed copies");
	TCase *tcase = unit_case(suite, "serve", UNIT_TIMEOUT);

	tcase_add_test(tcase, checked_against_the_export);
	tcase_add_test(tcase, only_with_the_secret);
	tcase_add_loop_test(tcase, rights, 0, 4);
	tcase_add_test(tcase, the_first_thread_has_ended);
	tcase_add_test(tcase, malformed_requests);
	tcase_add_test(tcase, answers_wait_for_room);
	tcase_add_test(tcase, memory_that_is_gone);
	tcase_add_loop_test(tcase, counters_by_right, 0, 4);
	tcase_add_test(tcase, counters_and_nothing_else);
	tcase_add_test(tcase, repeated_counters);
	tcase_add_test(tcase, repeated_copies);
	tcase_add_test(tcase, wrong_tags);
	tcase_add_test(tcase, pasts_that_fit);
	tcase = unit_case(suite, "port", UNIT_TIMEOUT);
	tcase_add_test(tcase, unsolicited_answers);
	tcase_add_test(tcase, refused_requests);
	tcase_add_test(tcase, credit_is_announced);
	tcase_add_loop_test(tcase, the_daemon_dies, 0, 2);
	tcase_add_loop_test(tcase, the_other_end_has_forgotten, 0, 2);
	tcase = unit_case(suite, "both", UNIT_TIMEOUT);
	tcase_add_loop_test(tcase, in_random_order, 0, 2);
	tcase_add_test(tcase, an_event);
	tcase_add_test(tcase, over_many_streams);
	tcase_add_test(tcase, posted_without_a_stream);
	return unit_run(suite);
}
