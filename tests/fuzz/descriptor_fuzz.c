/*
 * Descriptors that operators may pass to 'doca-admin decode'. An accepted one is printed with names
 * that exist; for a refused one, one clause is reported and nothing is printed. The input is also
 * decoded as the content of intact connection details, which mutated bytes never are.
 */
#include <stdbool.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "util/descriptor.h"
#include "util/util.h"

static void check(const uint8_t *data, size_t len)
{
	struct descriptor descriptor, before;
	const char *wrong, *name;
	unsigned at = 0, n = 0;

	memset(&before, 0x5a, sizeof(before));
	descriptor = before;
	wrong = descriptor_parse(data, len, &descriptor);
	if (wrong) {
		FUZZ_CHECK(*wrong && memcmp(&descriptor, &before, sizeof(before)) == 0);
		return;
	}
	FUZZ_CHECK(descriptor.has_blob != descriptor.has_qp);
	FUZZ_CHECK(strnlen(descriptor.provider, DETAILS_NAME_LEN) < DETAILS_NAME_LEN);
	FUZZ_CHECK(*descriptor_type_name(&descriptor));
	if (descriptor.has_qp) {
		FUZZ_CHECK(descriptor.qp.mtu >= 256 && descriptor.qp.mtu <= 4096);
		FUZZ_CHECK(descriptor.qp.number <= 0xffffff);
		return;
	}
	FUZZ_CHECK(strcmp(descriptor_kind_name(descriptor.blob.kind), "unknown") != 0);
	FUZZ_CHECK(strcmp(descriptor_side_name(descriptor.blob.side), "unknown") != 0);
	while ((name = descriptor_permission_next(descriptor.blob.permissions, &at)) != NULL)
		FUZZ_CHECK(*name && ++n <= 7);
	FUZZ_CHECK(n >= 1);
}

static void check_inside(const char *provider, const uint8_t *data, size_t len)
{
	struct details details = {.kind = DETAILS_RC};
	uint8_t bytes[DETAILS_MAX];

	memcpy(details.provider, provider, strlen(provider));
	details.len = (uint8_t)MIN(len, (size_t)DETAILS_BODY_MAX);
	memcpy(details.body, data, details.len);
	check(bytes, details_encode(&details, bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	check(data, len);
	if (len == 0)
		return 0;
	check_inside("soft", data, len);
	check_inside("verbs", data, len);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	static const uint8_t qp[32] = {'V', 'Q', 1, 3, 0, 0, 1, 2, 0, 3, 4, 5, 0, 0, 16, 16};
	struct blob blob = {.kind = (uint8_t)(i % 5), .addr = 0x7f0000001000, .len = 1};
	struct details details = {.provider = "soft", .kind = DETAILS_RC, .len = BLOB_LEN};

	if (i >= 8 || out_len < DETAILS_MAX)
		return 0;
	blob_encode(&blob, out);
	if (i < 5)
		return BLOB_LEN;
	if (i == 5) {
		memcpy(out, qp, sizeof(qp));
		return sizeof(qp);
	}
	blob.kind = BLOB_KIND_RDMA_QP;
	blob_encode(&blob, details.body);
	if (i == 6)
		return details_encode(&details, out);
	details = (struct details){.provider = "verbs", .kind = DETAILS_RC, .len = sizeof(qp)};
	memcpy(details.body, qp, sizeof(qp));
	return details_encode(&details, out);
}
