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
	FUZZ_CHECK(descriptor.has_export != descriptor.has_qp);
	FUZZ_CHECK(strnlen(descriptor.provider, CONN_PARAMS_NAME_LEN) < CONN_PARAMS_NAME_LEN);
	FUZZ_CHECK(*descriptor_type_name(&descriptor));
	if (descriptor.has_qp) {
		FUZZ_CHECK(descriptor.qp.mtu >= 256 && descriptor.qp.mtu <= 4096);
		FUZZ_CHECK(descriptor.qp.number <= 0xffffff);
		return;
	}
	FUZZ_CHECK(strcmp(descriptor_kind_name(descriptor.export_descriptor.kind), "unknown") != 0);
	FUZZ_CHECK(strcmp(descriptor_side_name(descriptor.export_descriptor.side), "unknown") != 0);
	while ((name = descriptor_permission_next(descriptor.export_descriptor.permissions, &at)) !=
	       NULL)
		FUZZ_CHECK(*name && ++n <= 7);
	FUZZ_CHECK(n >= 1);
}

static void check_inside(const char *provider, const uint8_t *data, size_t len)
{
	struct conn_params details = {.kind = CONN_PARAMS_RC};
	uint8_t bytes[CONN_PARAMS_MAX];

	memcpy(details.provider, provider, strlen(provider));
	details.len = (uint8_t)MIN(len, (size_t)CONN_PARAMS_BODY_MAX);
	memcpy(details.body, data, details.len);
	check(bytes, conn_params_encode(&details, bytes));
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
	struct export_descriptor export_descriptor = {
		.kind = (uint8_t)(i % 5), .addr = 0x7f0000001000, .len = 1};
	struct conn_params details = {
		.provider = "soft", .kind = CONN_PARAMS_RC, .len = EXPORT_DESCRIPTOR_LEN};

	if (i >= 8 || out_len < CONN_PARAMS_MAX)
		return 0;
	export_descriptor_encode(&export_descriptor, out);
	if (i < 5)
		return EXPORT_DESCRIPTOR_LEN;
	if (i == 5) {
		memcpy(out, qp, sizeof(qp));
		return sizeof(qp);
	}
	export_descriptor.kind = EXPORT_KIND_RDMA_QP;
	export_descriptor_encode(&export_descriptor, details.body);
	if (i == 6)
		return conn_params_encode(&details, out);
	details = (struct conn_params){
		.provider = "verbs", .kind = CONN_PARAMS_RC, .len = sizeof(qp)};
	memcpy(details.body, qp, sizeof(qp));
	return conn_params_encode(&details, out);
}
