/* Codec of connection details, see util/conn_params.h. No state; any thread. */
#include <string.h>
#include <zlib.h>

#include "util/conn_params.h"

#define DETAILS_VERSION 1
#define DETAILS_QP_LEN  32

static const uint8_t details_magic[4] = {'D', 'O', 'C', 'R'};

static void details_put_crc(uint8_t *p, uint32_t crc)
{
	for (size_t i = 0; i < 4; i++)
		p[i] = (uint8_t)(crc >> (8 * i));
}

static uint32_t details_get_crc(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

size_t details_encode(const struct details *details, uint8_t out[DETAILS_MAX])
{
	size_t len = DETAILS_HEAD_LEN + details->len;

	memset(out, 0, DETAILS_HEAD_LEN);
	memcpy(out, details_magic, sizeof(details_magic));
	out[4] = DETAILS_VERSION;
	out[5] = details->kind;
	out[6] = details->len;
	memcpy(out + 8, details->provider, strnlen(details->provider, DETAILS_NAME_LEN));
	memcpy(out + DETAILS_HEAD_LEN, details->body, details->len);
	details_put_crc(out + len, (uint32_t)crc32(0, out, (uInt)len));
	return len + 4;
}

/*
 * True if the name is NUL-terminated within its field, is followed by zeros only, and is printable.
 */
static int details_name_is_sound(const uint8_t *name)
{
	size_t len = strnlen((const char *)name, DETAILS_NAME_LEN);

	if (len == 0 || len == DETAILS_NAME_LEN)
		return 0;
	for (size_t i = 0; i < DETAILS_NAME_LEN; i++) {
		if (i < len ? name[i] < 'a' || name[i] > 'z' : name[i] != 0)
			return 0;
	}
	return 1;
}

enum details_error details_decode(const void *data, size_t len, struct details *details_out)
{
	uint8_t in[DETAILS_MAX];
	size_t body_end;

	if (len < DETAILS_HEAD_LEN + 4)
		return DETAILS_ERROR_SHORT;
	len = len < sizeof(in) ? len : sizeof(in);
	/*
	 * The caller's buffer may be shared memory. Copying it first makes sure that the bytes
	 * checked are the bytes used.
	 */
	memcpy(in, data, len);
	if (memcmp(in, details_magic, sizeof(details_magic)) != 0)
		return DETAILS_ERROR_MAGIC;
	if (in[4] != DETAILS_VERSION)
		return DETAILS_ERROR_VERSION;
	if (in[6] > DETAILS_BODY_MAX)
		return DETAILS_ERROR_FIELD;
	body_end = DETAILS_HEAD_LEN + in[6];
	if (len < body_end + 4)
		return DETAILS_ERROR_SHORT;
	if (details_get_crc(in + body_end) != (uint32_t)crc32(0, in, (uInt)body_end))
		return DETAILS_ERROR_CRC;
	if (in[5] != DETAILS_RC || in[7] != 0 || !details_name_is_sound(in + 8))
		return DETAILS_ERROR_FIELD;
	memset(details_out, 0, sizeof(*details_out));
	memcpy(details_out->provider, in + 8, DETAILS_NAME_LEN);
	details_out->kind = in[5];
	details_out->len = in[6];
	memcpy(details_out->body, in + DETAILS_HEAD_LEN, in[6]);
	return DETAILS_OK;
}

bool details_has_magic(const void *data, size_t len)
{
	return len >= sizeof(details_magic) &&
	       memcmp(data, details_magic, sizeof(details_magic)) == 0;
}

static uint32_t details_get_big(const uint8_t *p, size_t len)
{
	uint32_t value = 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | p[i];
	return value;
}

/*
 * The layout is that of client/rma/verbs/qp.c: 'V' 'Q', version, MTU code, queue pair number, first
 * packet sequence number, LID, two limits, GID.
 */
bool details_read_qp(const struct details *details, struct details_qp *qp_out)
{
	const uint8_t *body = details->body;

	if (strcmp(details->provider, "verbs") != 0 || details->len != DETAILS_QP_LEN ||
	    body[0] != 'V' || body[1] != 'Q' || body[2] != 1 || body[3] < 1 || body[3] > 5 ||
	    details_get_big(body + 4, 4) >> 24 || details_get_big(body + 8, 4) >> 24)
		return false;
	qp_out->number = details_get_big(body + 4, 4);
	qp_out->mtu = 128u << body[3];
	qp_out->lid = (uint16_t)details_get_big(body + 12, 2);
	memcpy(qp_out->gid, body + 16, sizeof(qp_out->gid));
	return true;
}

const char *details_error_text(enum details_error error)
{
	switch (error) {
	case DETAILS_OK:
		return "they are intact";
	case DETAILS_ERROR_SHORT:
		return "they are cut short";
	case DETAILS_ERROR_MAGIC:
		return "they were not made by this runtime";
	case DETAILS_ERROR_VERSION:
		return "they are of another format version";
	case DETAILS_ERROR_CRC:
		return "their checksum is wrong, they were damaged on their way";
	case DETAILS_ERROR_FIELD:
		return "one of their fields is out of range";
	}
	return "they are broken in an unknown way";
}
