/*
 * Connection details. Accepted ones must encode to the same bytes. Details made of fields in range
 * must be accepted, and refused after any byte was changed, except for the length.
 */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "util/conn_params.h"
#include "util/util.h"

#define LEN_OFFSET 6

static void check_bytes(const uint8_t *data, size_t len)
{
	uint8_t again[CONN_PARAMS_MAX];
	struct conn_params details;
	enum conn_params_error error = conn_params_decode(data, len, &details);
	size_t again_len;

	FUZZ_CHECK(conn_params_error_text(error) != NULL);
	if (error != CONN_PARAMS_OK)
		return;
	FUZZ_CHECK(strnlen(details.provider, sizeof(details.provider)) < sizeof(details.provider));
	again_len = conn_params_encode(&details, again);
	FUZZ_CHECK(again_len <= len && memcmp(again, data, again_len) == 0);
}

static void check_fields(const uint8_t *data, size_t len)
{
	struct conn_params in = {.provider = "soft", .kind = CONN_PARAMS_RC}, out;
	uint8_t encoded[CONN_PARAMS_MAX];
	size_t n;

	in.len = (uint8_t)MIN(len, (size_t)CONN_PARAMS_BODY_MAX);
	memcpy(in.body, data, in.len);
	n = conn_params_encode(&in, encoded);
	FUZZ_CHECK(n == CONN_PARAMS_HEAD_LEN + in.len + 4 && n <= CONN_PARAMS_MAX);
	FUZZ_CHECK(conn_params_decode(encoded, n, &out) == CONN_PARAMS_OK);
	FUZZ_CHECK(memcmp(&in, &out, sizeof(in)) == 0);
	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(conn_params_decode(encoded, i, &out) != CONN_PARAMS_OK);
		/* A shorter body may be followed by its own checksum. */
		if (i == LEN_OFFSET)
			continue;
		encoded[i] ^= data[0] | 1;
		FUZZ_CHECK(conn_params_decode(encoded, n, &out) != CONN_PARAMS_OK);
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
	struct conn_params details = {.provider = "verbs", .kind = CONN_PARAMS_RC};

	if (i >= 4 || out_len < CONN_PARAMS_MAX)
		return 0;
	details.len = (uint8_t)(i * 70);
	memset(details.body, (int)i, details.len);
	return conn_params_encode(&details, out);
}
