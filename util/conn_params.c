/* Codec of connection parameters, see util/conn_params.h. No state; any thread. */
#include <string.h>
#include <zlib.h>

#include "util/conn_params.h"

#define CONN_PARAMS_VERSION 1
#define CONN_PARAMS_QP_LEN  32

static const uint8_t conn_params_magic[4] = {'D', 'O', 'C', 'R'};

static void put_crc(uint8_t *p, uint32_t crc)
{
	for (size_t i = 0; i < 4; i++)
		p[i] = (uint8_t)(crc >> (8 * i));
}

static uint32_t get_crc(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

size_t conn_params_encode(const struct conn_params *details, uint8_t out[CONN_PARAMS_MAX])
{
	size_t len = CONN_PARAMS_HEAD_LEN + details->len;

	memset(out, 0, CONN_PARAMS_HEAD_LEN);
	memcpy(out, conn_params_magic, sizeof(conn_params_magic));
	out[4] = CONN_PARAMS_VERSION;
	out[5] = details->kind;
	out[6] = details->len;
	memcpy(out + 8, details->provider, strnlen(details->provider, CONN_PARAMS_NAME_LEN));
	memcpy(out + CONN_PARAMS_HEAD_LEN, details->body, details->len);
	put_crc(out + len, (uint32_t)crc32(0, out, (uInt)len));
	return len + 4;
}

/*
 * True if the name is NUL-terminated within its field, is followed by zeros only, and is printable.
 */
static int name_is_valid(const uint8_t *name)
{
	size_t len = strnlen((const char *)name, CONN_PARAMS_NAME_LEN);

	if (len == 0 || len == CONN_PARAMS_NAME_LEN)
		return 0;
	for (size_t i = 0; i < CONN_PARAMS_NAME_LEN; i++) {
		if (i < len ? name[i] < 'a' || name[i] > 'z' : name[i] != 0)
			return 0;
	}
	return 1;
}

enum conn_params_error conn_params_decode(const void *data, size_t len,
					  struct conn_params *params_out)
{
	uint8_t in[CONN_PARAMS_MAX];
	size_t body_end;

	if (len < CONN_PARAMS_HEAD_LEN + 4)
		return CONN_PARAMS_ERROR_SHORT;
	len = len < sizeof(in) ? len : sizeof(in);
	/*
	 * The caller's buffer may be shared memory. Copying it first makes sure that the bytes
	 * checked are the bytes used.
	 */
	memcpy(in, data, len);
	if (memcmp(in, conn_params_magic, sizeof(conn_params_magic)) != 0)
		return CONN_PARAMS_ERROR_MAGIC;
	if (in[4] != CONN_PARAMS_VERSION)
		return CONN_PARAMS_ERROR_VERSION;
	if (in[6] > CONN_PARAMS_BODY_MAX)
		return CONN_PARAMS_ERROR_FIELD;
	body_end = CONN_PARAMS_HEAD_LEN + in[6];
	if (len < body_end + 4)
		return CONN_PARAMS_ERROR_SHORT;
	if (get_crc(in + body_end) != (uint32_t)crc32(0, in, (uInt)body_end))
		return CONN_PARAMS_ERROR_CRC;
	if (in[5] != CONN_PARAMS_RC || in[7] != 0 || !name_is_valid(in + 8))
		return CONN_PARAMS_ERROR_FIELD;
	memset(params_out, 0, sizeof(*params_out));
	memcpy(params_out->provider, in + 8, CONN_PARAMS_NAME_LEN);
	params_out->kind = in[5];
	params_out->len = in[6];
	memcpy(params_out->body, in + CONN_PARAMS_HEAD_LEN, in[6]);
	return CONN_PARAMS_OK;
}

bool conn_params_has_magic(const void *data, size_t len)
{
	return len >= sizeof(conn_params_magic) &&
	       memcmp(data, conn_params_magic, sizeof(conn_params_magic)) == 0;
}

static uint32_t get_big(const uint8_t *p, size_t len)
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
bool conn_params_read_qp(const struct conn_params *details, struct conn_params_qp *qp_out)
{
	const uint8_t *body = details->body;

	if (strcmp(details->provider, "verbs") != 0 || details->len != CONN_PARAMS_QP_LEN ||
	    body[0] != 'V' || body[1] != 'Q' || body[2] != 1 || body[3] < 1 || body[3] > 5 ||
	    get_big(body + 4, 4) >> 24 || get_big(body + 8, 4) >> 24)
		return false;
	qp_out->number = get_big(body + 4, 4);
	qp_out->mtu = 128u << body[3];
	qp_out->lid = (uint16_t)get_big(body + 12, 2);
	memcpy(qp_out->gid, body + 16, sizeof(qp_out->gid));
	return true;
}

const char *conn_params_error_text(enum conn_params_error error)
{
	switch (error) {
	case CONN_PARAMS_OK:
		return "they are intact";
	case CONN_PARAMS_ERROR_SHORT:
		return "they are cut short";
	case CONN_PARAMS_ERROR_MAGIC:
		return "they were not made by this runtime";
	case CONN_PARAMS_ERROR_VERSION:
		return "they are of another format version";
	case CONN_PARAMS_ERROR_CRC:
		return "their checksum is wrong, they were damaged in transit";
	case CONN_PARAMS_ERROR_FIELD:
		return "one of their fields is out of range";
	}
	return "they are broken in an unknown way";
}
