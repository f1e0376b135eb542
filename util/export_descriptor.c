/*
 * Codec of export descriptors. Fields are read and written one by one in little endian, because a
 * descriptor may travel to a machine of another byte order. Keeps no state; any thread may call it.
 */
#include <string.h>
#include <zlib.h>

#include "util/export_descriptor.h"
#include "util/secret.h"

#define EXPORT_DESCRIPTOR_VERSION 1
#define EXPORT_DESCRIPTOR_CRC_AT  76u

static const uint8_t descriptor_magic[4] = {'D', 'O', 'C', 'X'};

static void put_field(uint8_t *p, uint64_t value, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get_field(const uint8_t *p, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

void export_descriptor_encode(const struct export_descriptor *descriptor,
			      uint8_t out[EXPORT_DESCRIPTOR_LEN])
{
	memset(out, 0, EXPORT_DESCRIPTOR_LEN);
	memcpy(out, descriptor_magic, sizeof(descriptor_magic));
	out[4] = EXPORT_DESCRIPTOR_VERSION;
	out[5] = descriptor->kind;
	out[6] = descriptor->side;
	out[7] = descriptor->has_key;
	put_field(out + 8, descriptor->permissions, 4);
	put_field(out + 16, descriptor->export_id, 8);
	put_field(out + 24, descriptor->addr, 8);
	put_field(out + 32, descriptor->len, 8);
	put_field(out + 72, descriptor->has_key ? descriptor->key : 0, 4);
	memcpy(out + 40, descriptor->daemon_id, 16);
	secret_copy(out + 56, descriptor->secret, 16);
	put_field(out + EXPORT_DESCRIPTOR_CRC_AT, (uint32_t)crc32(0, out, EXPORT_DESCRIPTOR_CRC_AT),
		  4);
}

/* Fills *blob even if the bytes are invalid. Returns the first error found. */
static enum export_descriptor_error blob_read(const uint8_t in[EXPORT_DESCRIPTOR_LEN],
					      struct export_descriptor *descriptor)
{
	if (memcmp(in, descriptor_magic, sizeof(descriptor_magic)) != 0)
		return EXPORT_DESCRIPTOR_ERROR_MAGIC;
	if (in[4] != EXPORT_DESCRIPTOR_VERSION)
		return EXPORT_DESCRIPTOR_ERROR_VERSION;
	if (get_field(in + EXPORT_DESCRIPTOR_CRC_AT, 4) !=
	    (uint32_t)crc32(0, in, EXPORT_DESCRIPTOR_CRC_AT))
		return EXPORT_DESCRIPTOR_ERROR_CRC;
	descriptor->kind = in[5];
	descriptor->side = in[6];
	descriptor->permissions = (uint32_t)get_field(in + 8, 4);
	descriptor->export_id = get_field(in + 16, 8);
	descriptor->addr = get_field(in + 24, 8);
	descriptor->len = get_field(in + 32, 8);
	descriptor->has_key = in[7] == 1;
	descriptor->key = (uint32_t)get_field(in + 72, 4);
	memcpy(descriptor->daemon_id, in + 40, 16);
	secret_copy(descriptor->secret, in + 56, 16);
	if (descriptor->kind > 4 || descriptor->side > 1 || descriptor->len == 0 ||
	    descriptor->addr + descriptor->len < descriptor->addr ||
	    in[7] > (descriptor->kind != EXPORT_KIND_RDMA_QP) || get_field(in + 12, 4) ||
	    (!descriptor->has_key && descriptor->key != 0))
		return EXPORT_DESCRIPTOR_ERROR_FIELD;
	return EXPORT_DESCRIPTOR_OK;
}

enum export_descriptor_error export_descriptor_decode(const void *data, size_t len,
						      struct export_descriptor *descriptor_out)
{
	uint8_t in[EXPORT_DESCRIPTOR_LEN];
	enum export_descriptor_error error;
	struct export_descriptor descriptor;

	if (len < EXPORT_DESCRIPTOR_LEN)
		return EXPORT_DESCRIPTOR_ERROR_SHORT;
	/*
	 * The caller's buffer may be shared memory. Copying it first makes sure that the bytes
	 * checked are the bytes used.
	 */
	secret_copy(in, data, sizeof(in));
	error = blob_read(in, &descriptor);
	if (error == EXPORT_DESCRIPTOR_OK)
		secret_copy(descriptor_out, &descriptor, sizeof(descriptor));
	explicit_bzero(&descriptor, sizeof(descriptor));
	explicit_bzero(in, sizeof(in));
	return error;
}

const char *export_descriptor_error_text(enum export_descriptor_error error)
{
	switch (error) {
	case EXPORT_DESCRIPTOR_OK:
		return "it is intact";
	case EXPORT_DESCRIPTOR_ERROR_SHORT:
		return "it is shorter than 80 bytes";
	case EXPORT_DESCRIPTOR_ERROR_MAGIC:
		return "it was not made by this runtime";
	case EXPORT_DESCRIPTOR_ERROR_VERSION:
		return "it is of another format version";
	case EXPORT_DESCRIPTOR_ERROR_CRC:
		return "its checksum is wrong, it was damaged in transit";
	case EXPORT_DESCRIPTOR_ERROR_FIELD:
		return "one of its fields is out of range";
	}
	return "it is broken in an unknown way";
}
