/*
 * Connection details. Accepted ones must encode to the same bytes. Details made of fields in range
 * must be accepted, and refused after any byte was changed.
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "util/conn_params.h"
#include "util/util.h"

static void check_bytes(const uint8_t *data, size_t len)
{
	uint8_t again[DETAILS_MAX];
	struct details details;
	enum details_error error = details_decode(data, len, &details);
	size_t again_len;

	FUZZ_CHECK(details_error_text(error) != NULL);
	if (error != DETAILS_OK)
		return;
	FUZZ_CHECK(strnlen(details.provider, sizeof(details.provider)) < sizeof(details.provider));
	again_len = details_encode(&details, again);
	FUZZ_CHECK(again_len <= len && memcmp(again, data, again_len) == 0);
}

static void check_fields(const uint8_t *data, size_t len)
{
	struct details in = {.provider = "soft", .kind = DETAILS_RC}, out;
	uint8_t encoded[DETAILS_MAX];
	size_t n;

	in.len = (uint8_t)MIN(len, (size_t)DETAILS_BODY_MAX);
	memcpy(in.body, data, in.len);
	n = details_encode(&in, encoded);
	FUZZ_CHECK(n == DETAILS_HEAD_LEN + in.len + 4 && n <= DETAILS_MAX);
	FUZZ_CHECK(details_decode(encoded, n, &out) == DETAILS_OK);
	FUZZ_CHECK(memcmp(&in, &out, sizeof(in)) == 0);
	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(details_decode(encoded, i, &out) != DETAILS_OK);
		encoded[i] ^= data[0] | 1;
		FUZZ_CHECK(details_decode(encoded, n, &out) != DETAILS_OK);
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
	struct details details = {.provider = "verbs", .kind = DETAILS_RC};

	if (i >= 4 || out_len < DETAILS_MAX)
		return 0;
	details.len = (uint8_t)(i * 70);
	memset(details.body, (int)i, details.len);
	return details_encode(&details, out);
}
