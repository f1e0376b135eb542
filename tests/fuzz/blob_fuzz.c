/*
 * Export descriptors. An accepted one must encode to the same bytes; one made of arbitrary fields
 * must be accepted exactly if all are in range.
 */
#include <stdbool.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "util/export_descriptor.h"
#include "util/util.h"

static void check_bytes(const uint8_t *data, size_t len)
{
	uint8_t again[EXPORT_DESCRIPTOR_LEN];
	struct export_descriptor descriptor;
	enum export_descriptor_error error = export_descriptor_decode(data, len, &descriptor);

	FUZZ_CHECK(export_descriptor_error_text(error) != NULL);
	FUZZ_CHECK((error == EXPORT_DESCRIPTOR_ERROR_SHORT) == (len < EXPORT_DESCRIPTOR_LEN));
	if (error != EXPORT_DESCRIPTOR_OK)
		return;
	export_descriptor_encode(&descriptor, again);
	FUZZ_CHECK(memcmp(again, data, EXPORT_DESCRIPTOR_LEN) == 0);
}

static void check_fields(const uint8_t *data, size_t len)
{
	struct export_descriptor in, out;
	uint8_t encoded[EXPORT_DESCRIPTOR_LEN];
	enum export_descriptor_error error;
	bool good;

	memset(&in, 0, sizeof(in));
	memcpy(&in, data, MIN(len, sizeof(in)));
	/* Any other value is invalid for a bool. */
	in.has_key = data[0] & 1;
	good = in.kind <= 4 && in.side <= 1 && in.len && in.len <= UINT64_MAX - in.addr &&
	       (!in.has_key || in.kind != EXPORT_KIND_RDMA_QP);
	export_descriptor_encode(&in, encoded);
	error = export_descriptor_decode(encoded, sizeof(encoded), &out);
	FUZZ_CHECK(error == (good ? EXPORT_DESCRIPTOR_OK : EXPORT_DESCRIPTOR_ERROR_FIELD));
	if (!good)
		return;
	FUZZ_CHECK(out.kind == in.kind && out.side == in.side);
	FUZZ_CHECK(out.permissions == in.permissions && out.export_id == in.export_id);
	FUZZ_CHECK(out.addr == in.addr && out.len == in.len);
	FUZZ_CHECK(out.has_key == in.has_key && out.key == (in.has_key ? in.key : 0));
	FUZZ_CHECK(memcmp(out.daemon_id, in.daemon_id, 16) == 0);
	FUZZ_CHECK(memcmp(out.secret, in.secret, 16) == 0);
	for (size_t i = 0; i < EXPORT_DESCRIPTOR_LEN; i++) {
		encoded[i] ^= data[0] | 1;
		FUZZ_CHECK(export_descriptor_decode(encoded, sizeof(encoded), &out) !=
			   EXPORT_DESCRIPTOR_OK);
		encoded[i] ^= data[0] | 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	check_bytes(data, len);
	if (len > 0)
		check_fields(data, len);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	struct export_descriptor descriptor = {
		.kind = i & 3, .side = i >> 2 & 1, .addr = 0x7f0000001000, .len = 1};

	if (i >= 8 || out_len < sizeof(descriptor) + EXPORT_DESCRIPTOR_LEN)
		return 0;
	memset(descriptor.secret, (int)i, sizeof(descriptor.secret));
	/* Both uses of the input should start from an accepted one. */
	if (i < 4) {
		export_descriptor_encode(&descriptor, out);
		return EXPORT_DESCRIPTOR_LEN;
	}
	memcpy(out, &descriptor, sizeof(descriptor));
	return sizeof(descriptor);
}
