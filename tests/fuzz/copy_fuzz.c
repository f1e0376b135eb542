/*
 * Relayed copies with a peer or a daemon that violates the rules: messages and details of a stream,
 * and its shared memory. The first byte of an input selects which. What is accepted encodes to the
 * same bytes. Memory with wrong seals, lengths or words is refused, and whatever is written to
 * accepted memory later, both ends stay inside it.
 */
#include <string.h>
#include <unistd.h>

#include "client/rma/relay/stream.h"
#include "tests/fuzz/fuzz.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/util.h"

#define STREAM_LEN (CHANNEL_HEADER_LEN + 2u * COPY_RING_LEN)
#define STEP_LEN   10u /* what, where (2 bytes), value (7 bytes) */

static void check_request(const uint8_t *data, size_t len)
{
	uint8_t again[COPY_REQUEST_LEN];
	struct copy_request request;

	if (!copy_request_decode(data, len, &request))
		return;
	FUZZ_CHECK(request.len > 0 && request.len <= COPY_DATA_MAX);
	FUZZ_CHECK(!copy_op_is_of_counter(request.op) || request.len == COPY_VALUE_LEN);
	FUZZ_CHECK(len == COPY_REQUEST_LEN + copy_bytes_asked(request.op, request.len));
	FUZZ_CHECK(copy_bytes_answered(request.op, request.len) <= COPY_DATA_MAX);
	copy_request_encode(&request, again);
	FUZZ_CHECK(memcmp(again, data, sizeof(again)) == 0);
}

static void check_answer(const uint8_t *data, size_t len)
{
	uint8_t again[COPY_ANSWER_LEN];
	struct copy_answer answer;

	if (!copy_answer_decode(data, len, &answer))
		return;
	FUZZ_CHECK(len == COPY_ANSWER_LEN + answer.len);
	FUZZ_CHECK(answer.status == 0 || answer.len == 0);
	copy_answer_encode(&answer, again);
	FUZZ_CHECK(memcmp(again, data, sizeof(again)) == 0);
}

static void check_details(const uint8_t *data, size_t len)
{
	uint8_t again[COPY_DETAILS_LEN], value[COPY_VALUE_LEN];
	struct copy_details details;

	if (!copy_details_decode(data, len, &details))
		return;
	FUZZ_CHECK(len == sizeof(again));
	copy_details_encode(&details, again);
	FUZZ_CHECK(memcmp(again, data, sizeof(again)) == 0);
	copy_value_encode(details.tag, value);
	FUZZ_CHECK(copy_value_decode(value) == details.tag);
}

/* --- the shared memory of a stream --- */

/*
 * Makes a memfd as the first byte says: correct, longer, without the seal against growth, or with
 * another word in its header.
 */
static int stream_memory(uint8_t how, uint32_t word)
{
	struct channel_header header = {
		.magic = CHANNEL_MAGIC, .version = CHANNEL_LAYOUT, .ring_len = COPY_RING_LEN};
	uint32_t *const words[] = {&header.magic, &header.version, &header.ring_len};
	size_t len = how & 1 ? STREAM_LEN + memfd_page_size() : STREAM_LEN;
	int fd = how & 2 ? memfd_create_growable("copy-fuzz", len)
			 : memfd_create_sealed("copy-fuzz", len);

	if (how & 4)
		*words[how / 8 % 3] = word;
	FUZZ_CHECK(fd >= 0 && pwrite(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header));
	return fd;
}

static void check_inside(const struct relay_stream *stream, const void *at, size_t len)
{
	size_t i = (const uint8_t *)at >= stream->areas[1] &&
		   (const uint8_t *)at < stream->areas[1] + 2 * COPY_RING_LEN;

	/* Each area is mapped twice in a row, at any address. */
	FUZZ_CHECK((const uint8_t *)at >= stream->areas[i]);
	FUZZ_CHECK(len <= (size_t)(stream->areas[i] + 2 * COPY_RING_LEN - (const uint8_t *)at));
}

static void use_stream(struct relay_stream *stream, const uint8_t *step)
{
	size_t where = (size_t)step[1] | (size_t)step[2] << 8;
	uint64_t value = 0;
	const void *payload;
	uint32_t len, kind;

	memcpy(&value, step + 3, STEP_LEN - 3);
	switch (step[0] % 5) {
	case 0:
		len = (uint32_t)(value % (COPY_MSG_MAX + 1));
		if (ring_producer_room(&stream->tx, len) != 1)
			break;
		check_inside(stream, ring_producer_payload(&stream->tx), len);
		memset(ring_producer_payload(&stream->tx), step[3], len);
		relay_stream_send(stream, len);
		break;
	case 1:
		if (ring_consumer_peek(&stream->rx, &payload, &len, &kind) != 1)
			break;
		FUZZ_CHECK(len <= COPY_MSG_MAX);
		check_inside(stream, payload, len);
		check_request(payload, len);
		check_answer(payload, len);
		relay_stream_release(stream, len);
		break;
	case 2: /* any word of the header's rings */
		memcpy((uint8_t *)stream->header->ring + where % (sizeof(stream->header->ring) - 8),
		       &value, sizeof(value));
		break;
	case 3: /* the next message's header */
		memcpy(stream->rx.data + (stream->rx.pos & stream->rx.mask), &value, sizeof(value));
		break;
	default:
		memcpy(stream->areas[where & 1] + value % COPY_RING_LEN, &value, sizeof(value));
	}
}

static void check_stream(const uint8_t *data, size_t len)
{
	struct relay_stream stream = RELAY_STREAM_INIT;
	struct relay_stream_fds fds;
	uint32_t word = 0;
	doca_error_t result;
	uint8_t how;

	if (len < 6)
		return;
	how = data[0];
	memcpy(&word, data + 1, sizeof(word));
	fds = (struct relay_stream_fds){.memfd = stream_memory(how, word),
					.wait_fd = fd_eventfd(),
					.doorbell_fd = how & 64 ? -1 : fd_eventfd(),
					.pidfd = -1};
	if (how & 128) { /* no eventfd */
		fd_close(&fds.wait_fd);
		fds.wait_fd = fd_dup(fds.memfd);
	}
	result = relay_stream_init(&stream, &fds, data[5] & 1);
	FUZZ_CHECK(result != DOCA_SUCCESS || !(how & (64 | 128)));
	for (data += 6, len -= 6; result == DOCA_SUCCESS && len >= STEP_LEN;
	     data += STEP_LEN, len -= STEP_LEN)
		use_stream(&stream, data);
	relay_stream_deinit(&stream);
	relay_stream_deinit(&stream);
	fd_close(&fds.memfd);
	fd_close(&fds.wait_fd);
	fd_close(&fds.doorbell_fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static void (*const checks[])(const uint8_t *data, size_t len) = {
		check_request, check_answer, check_details, check_stream};

	if (len > 0)
		checks[data[0] % ARRAY_LEN(checks)](data + 1, len - 1);
	return 0;
}

static size_t seed_stream(unsigned i, uint8_t *out)
{
	/* Correct memory, and every kind of wrong memory. */
	static const uint8_t hows[] = {0, 0, 1, 2, 4, 12, 20, 64, 128};
	size_t len = 7 + 60 * STEP_LEN;

	memset(out, 0, len);
	out[0] = 3;
	out[1] = hows[i];
	out[6] = (uint8_t)i;
	for (size_t k = 7; k + STEP_LEN <= len; k += STEP_LEN) {
		out[k] = (uint8_t)(i == 0 ? k / STEP_LEN % 2 : k * 7);
		memset(out + k + 1, (int)k, 4);
	}
	return len;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	struct copy_request request = {.op = COPY_READ + i % 5, .len = COPY_VALUE_LEN, .tag = i};
	struct copy_answer answer = {.len = 16, .tag = 5};
	struct copy_details details = {.tag = 7, .is_continued = i & 1};

	if (out_len < 4096)
		return 0;
	memset(out, 0, 200);
	if (i < 5) {
		copy_request_encode(&request, out + 1);
		return 1 + COPY_REQUEST_LEN + copy_bytes_asked(request.op, request.len);
	}
	out[0] = i < 7 ? 1 : 2;
	if (i < 7) {
		answer.status = i == 6;
		answer.len = i == 6 ? 0 : 16;
		copy_answer_encode(&answer, out + 1);
		return 1 + COPY_ANSWER_LEN + answer.len;
	}
	if (i < 9) {
		copy_details_encode(&details, out + 1);
		return 1 + COPY_DETAILS_LEN;
	}
	return i < 18 ? seed_stream(i - 9, out) : 0;
}
