/* Messages of relayed copies; see proto/copy_stream.h. */
#include "proto/copy_stream.h"

#include <endian.h>
#include <string.h>

#define COPY_MAGIC    "copies"
#define COPY_VERSION  3u
#define COPY_NAME_LEN 8u /* the magic and the version */

static void put32(uint8_t *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
}

static void put64(uint8_t *at, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, sizeof(value));
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

void copy_value_encode(uint64_t value, uint8_t out[COPY_VALUE_LEN])
{
	put64(out, value);
}

uint64_t copy_value_decode(const uint8_t bytes[COPY_VALUE_LEN])
{
	return get64(bytes);
}

static bool request_is_valid(const struct copy_request *request, size_t n_bytes)
{
	if (copy_op_is_of_counter(request->op)
		    ? request->len != COPY_VALUE_LEN
		    : request->op != COPY_READ && request->op != COPY_WRITE)
		return false;
	return request->len > 0 && request->len <= COPY_DATA_MAX &&
	       n_bytes == copy_bytes_asked(request->op, request->len);
}

void copy_request_encode(const struct copy_request *request, uint8_t out[COPY_REQUEST_LEN])
{
	put32(out, request->op);
	put32(out + 4, request->len);
	put64(out + 8, request->tag);
	put64(out + 16, request->addr);
	put64(out + 24, request->export_id);
	memcpy(out + 32, request->secret, COPY_SECRET_LEN);
}

bool copy_request_decode(const uint8_t *msg, size_t msg_len, struct copy_request *request_out)
{
	struct copy_request request;

	if (msg_len < COPY_REQUEST_LEN)
		return false;
	request.op = get32(msg);
	request.len = get32(msg + 4);
	request.tag = get64(msg + 8);
	request.addr = get64(msg + 16);
	request.export_id = get64(msg + 24);
	memcpy(request.secret, msg + 32, COPY_SECRET_LEN);
	if (!request_is_valid(&request, msg_len - COPY_REQUEST_LEN))
		return false;
	*request_out = request;
	return true;
}

void copy_answer_encode(const struct copy_answer *answer, uint8_t out[COPY_ANSWER_LEN])
{
	put32(out, answer->status);
	put32(out + 4, answer->len);
	put64(out + 8, answer->tag);
}

bool copy_answer_decode(const uint8_t *msg, size_t msg_len, struct copy_answer *answer_out)
{
	struct copy_answer answer;

	if (msg_len < COPY_ANSWER_LEN)
		return false;
	answer.status = get32(msg);
	answer.len = get32(msg + 4);
	answer.tag = get64(msg + 8);
	if (answer.len > COPY_DATA_MAX || msg_len - COPY_ANSWER_LEN != answer.len ||
	    (answer.status != 0 && answer.len != 0))
		return false;
	*answer_out = answer;
	return true;
}

void copy_details_encode(const struct copy_details *details, uint8_t out[COPY_DETAILS_LEN])
{
	memcpy(out, COPY_MAGIC, COPY_NAME_LEN - 1);
	out[COPY_NAME_LEN - 1] = COPY_VERSION;
	memcpy(out + COPY_NAME_LEN, details->key, COPY_KEY_LEN);
	put64(out + 24, details->tag);
	put64(out + 32, details->is_continued);
}

bool copy_details_decode(const uint8_t *bytes, size_t len, struct copy_details *details_out)
{
	struct copy_details details;
	uint8_t own[COPY_DETAILS_LEN];

	if (len != COPY_DETAILS_LEN)
		return false;
	memcpy(details.key, bytes + COPY_NAME_LEN, COPY_KEY_LEN);
	details.tag = get64(bytes + 24);
	details.is_continued = get64(bytes + 32) == 1;
	copy_details_encode(&details, own);
	if (memcmp(own, bytes, sizeof(own)) != 0)
		return false;
	*details_out = details;
	return true;
}
