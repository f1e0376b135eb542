/*
 * Codec of export descriptors. Fields are read and written one by one in little endian, because a
 * descriptor may travel to a machine of another byte order. Keeps no state; any thread may call it.
 */
#include <string.h>
#include <zlib.h>

#include "util/export_descriptor.h"

#define BLOB_VERSION 1
#define BLOB_CRC_AT  76u

static const uint8_t blob_magic[4] = {'D', 'O', 'C', 'X'};

static void blob_put(uint8_t *p, uint64_t value, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t blob_get(const uint8_t *p, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

void blob_encode(const struct blob *blob, uint8_t out[BLOB_LEN])
{
	memset(out, 0, BLOB_LEN);
	memcpy(out, blob_magic, sizeof(blob_magic));
	out[4] = BLOB_VERSION;
	out[5] = blob->kind;
	out[6] = blob->side;
	out[7] = blob->has_key;
	blob_put(out + 8, blob->permissions, 4);
	blob_put(out + 16, blob->export_id, 8);
	blob_put(out + 24, blob->addr, 8);
	blob_put(out + 32, blob->len, 8);
	blob_put(out + 72, blob->has_key ? blob->key : 0, 4);
	memcpy(out + 40, blob->daemon_id, 16);
	memcpy(out + 56, blob->secret, 16);
	blob_put(out + BLOB_CRC_AT, (uint32_t)crc32(0, out, BLOB_CRC_AT), 4);
}

/* Fills *blob even if the bytes are invalid. Returns the first error found. */
static enum blob_error blob_read(const uint8_t in[BLOB_LEN], struct blob *blob)
{
	if (memcmp(in, blob_magic, sizeof(blob_magic)) != 0)
		return BLOB_ERROR_MAGIC;
	if (in[4] != BLOB_VERSION)
		return BLOB_ERROR_VERSION;
	if (blob_get(in + BLOB_CRC_AT, 4) != (uint32_t)crc32(0, in, BLOB_CRC_AT))
		return BLOB_ERROR_CRC;
	blob->kind = in[5];
	blob->side = in[6];
	blob->permissions = (uint32_t)blob_get(in + 8, 4);
	blob->export_id = blob_get(in + 16, 8);
	blob->addr = blob_get(in + 24, 8);
	blob->len = blob_get(in + 32, 8);
	blob->has_key = in[7] == 1;
	blob->key = (uint32_t)blob_get(in + 72, 4);
	memcpy(blob->daemon_id, in + 40, 16);
	memcpy(blob->secret, in + 56, 16);
	if (blob->kind > 4 || blob->side > 1 || blob->len == 0 ||
	    blob->addr + blob->len < blob->addr || in[7] > (blob->kind != BLOB_KIND_RDMA_QP) ||
	    blob_get(in + 12, 4) || (!blob->has_key && blob->key != 0))
		return BLOB_ERROR_FIELD;
	return BLOB_OK;
}

enum blob_error blob_decode(const void *data, size_t len, struct blob *blob_out)
{
	uint8_t in[BLOB_LEN];
	enum blob_error error;
	struct blob blob;

	if (len < BLOB_LEN)
		return BLOB_ERROR_SHORT;
	/*
	 * The caller's buffer may be shared memory. Copying it first makes sure that the bytes
	 * checked are the bytes used.
	 */
	memcpy(in, data, sizeof(in));
	error = blob_read(in, &blob);
	if (error == BLOB_OK)
		*blob_out = blob;
	explicit_bzero(&blob, sizeof(blob));
	explicit_bzero(in, sizeof(in));
	return error;
}

const char *blob_error_text(enum blob_error error)
{
	switch (error) {
	case BLOB_OK:
		return "it is intact";
	case BLOB_ERROR_SHORT:
		return "it is shorter than 80 bytes";
	case BLOB_ERROR_MAGIC:
		return "it was not made by this runtime";
	case BLOB_ERROR_VERSION:
		return "it is of another format version";
	case BLOB_ERROR_CRC:
		return "its checksum is wrong, it was damaged on its way";
	case BLOB_ERROR_FIELD:
		return "one of its fields is out of range";
	}
	return "it is broken in an unknown way";
}
