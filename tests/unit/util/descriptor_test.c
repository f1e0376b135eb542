/* util/descriptor: detection by the first bytes, the names, and what is refused. */
#include "util/descriptor.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct export_descriptor sample(uint8_t kind)
{
	struct export_descriptor export_descriptor = {
		.kind = kind, .side = 1, .export_id = 7, .addr = 4096, .len = 9};

	memset(export_descriptor.secret, 0x5e, sizeof(export_descriptor.secret));
	return export_descriptor;
}

static size_t soft_encode(const struct export_descriptor *export_descriptor, size_t len,
			  uint8_t out[CONN_PARAMS_MAX])
{
	struct conn_params details = {
		.provider = "soft", .kind = CONN_PARAMS_RC, .len = (uint8_t)len};

	export_descriptor_encode(export_descriptor, details.body);
	return conn_params_encode(&details, out);
}

/* In the format of client/rma/verbs/qp.c. */
static const uint8_t qp_body[32] = {
	'V',  'Q',  1, 4, 0x00, 0x01, 0x02, 0x03, 0x00, 0xab, 0xcd, 0xef, 0x12, 0x34, 16,   16,
	0xfe, 0x80, 0, 0, 0,    0,    0,    0,    0x02, 0x02, 0xc9, 0xff, 0xfe, 0x01, 0x02, 0x03};

static size_t verbs_encode(const uint8_t *body, size_t len, uint8_t out[CONN_PARAMS_MAX])
{
	struct conn_params details = {
		.provider = "verbs", .kind = CONN_PARAMS_RC, .len = (uint8_t)len};

	memcpy(details.body, body, len);
	return conn_params_encode(&details, out);
}

START_TEST(exports)
{
	static const char *const types[] = {"mmap-export", "mmap-export", "sync-event-export",
					    "sync-event-export", "rdma-connection"};
	static const char *const kinds[] = {"pci", "rdma", "sync-pci", "sync-net", "rdma-qp"};
	struct descriptor descriptor;
	uint8_t bytes[EXPORT_DESCRIPTOR_LEN];

	for (uint8_t kind = 0; kind < ARRAY_LEN(kinds); kind++) {
		struct export_descriptor export_descriptor = sample(kind);

		export_descriptor_encode(&export_descriptor, bytes);
		ck_assert_ptr_null(descriptor_parse(bytes, sizeof(bytes), &descriptor));
		ck_assert(descriptor.has_export && !descriptor.has_qp && !*descriptor.provider);
		ck_assert_str_eq(descriptor_type_name(&descriptor), types[kind]);
		ck_assert_str_eq(descriptor_kind_name(kind), kinds[kind]);
		ck_assert_uint_eq(descriptor.export_descriptor.export_id, 7);
		ck_assert_str_eq(descriptor_side_name(descriptor.export_descriptor.side), "dpu");
	}
	ck_assert_str_eq(descriptor_kind_name(5), "unknown");
	ck_assert_str_eq(descriptor_side_name(0), "host");
	ck_assert_str_eq(descriptor_side_name(2), "unknown");
	descriptor_wipe(&descriptor);
	ck_assert_uint_eq(descriptor.export_descriptor.secret[0], 0);
}
END_TEST

START_TEST(connections)
{
	struct export_descriptor export_descriptor = sample(EXPORT_KIND_RDMA_QP);
	struct descriptor descriptor;
	uint8_t bytes[CONN_PARAMS_MAX];
	size_t len = soft_encode(&export_descriptor, EXPORT_DESCRIPTOR_LEN, bytes);

	ck_assert_ptr_null(descriptor_parse(bytes, len, &descriptor));
	ck_assert_str_eq(descriptor.provider, "soft");
	ck_assert(descriptor.has_export && !descriptor.has_qp);
	ck_assert_uint_eq(descriptor.export_descriptor.export_id, 7);
	ck_assert_str_eq(descriptor_type_name(&descriptor), "rdma-connection");
	len = verbs_encode(qp_body, sizeof(qp_body), bytes);
	ck_assert_ptr_null(descriptor_parse(bytes, len, &descriptor));
	ck_assert_str_eq(descriptor.provider, "verbs");
	ck_assert(!descriptor.has_export && descriptor.has_qp);
	ck_assert_uint_eq(descriptor.qp.number, 0x010203);
	ck_assert_uint_eq(descriptor.qp.mtu, 2048);
	ck_assert_uint_eq(descriptor.qp.lid, 0x1234);
	ck_assert_mem_eq(descriptor.qp.gid, qp_body + 16, 16);
	ck_assert_str_eq(descriptor_type_name(&descriptor), "rdma-connection");
}
END_TEST

/* Valid on the outside, invalid inside. */
START_TEST(refused)
{
	static const struct {
		size_t at;
		uint8_t value;
	} bad[] = {{0, 'v'}, {1, 0}, {2, 2}, {3, 0}, {3, 6}, {4, 1}, {8, 1}};
	struct conn_params strange = {
		.provider = "other", .kind = CONN_PARAMS_RC, .len = EXPORT_DESCRIPTOR_LEN};
	struct export_descriptor export_descriptor = sample(EXPORT_KIND_RDMA_QP);
	struct descriptor descriptor;
	uint8_t bytes[CONN_PARAMS_MAX], body[sizeof(qp_body)];

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		memcpy(body, qp_body, sizeof(body));
		body[bad[i].at] = bad[i].value;
		ck_assert_msg(descriptor_parse(bytes, verbs_encode(body, sizeof(body), bytes),
					       &descriptor),
			      "case %zu", i);
	}
	ck_assert_ptr_nonnull(descriptor_parse(
		bytes, verbs_encode(qp_body, sizeof(qp_body) - 1, bytes), &descriptor));
	ck_assert_ptr_nonnull(descriptor_parse(
		bytes, soft_encode(&export_descriptor, EXPORT_DESCRIPTOR_LEN - 1, bytes),
		&descriptor));
	ck_assert_ptr_nonnull(descriptor_parse(
		bytes, soft_encode(&export_descriptor, EXPORT_DESCRIPTOR_LEN + 1, bytes),
		&descriptor));
	export_descriptor.kind = 0;
	ck_assert_ptr_nonnull(descriptor_parse(
		bytes, soft_encode(&export_descriptor, EXPORT_DESCRIPTOR_LEN, bytes), &descriptor));
	export_descriptor_encode(&export_descriptor, strange.body);
	ck_assert_ptr_nonnull(
		descriptor_parse(bytes, conn_params_encode(&strange, bytes), &descriptor));
	ck_assert_str_eq(descriptor_parse("DOCR", 4, &descriptor), "they are cut short");
	ck_assert_str_eq(descriptor_parse(NULL, 0, &descriptor), "it is shorter than 80 bytes");
}
END_TEST

static void permissions_are(uint32_t permissions, const char *expect)
{
	char text[256] = "";
	const char *name;
	unsigned at = 0;

	while ((name = descriptor_permission_next(permissions, &at)) != NULL) {
		strcat(text, name);
		strcat(text, " ");
	}
	ck_assert_str_eq(text, expect);
	ck_assert_ptr_null(descriptor_permission_next(permissions, &at));
}

START_TEST(permissions)
{
	permissions_are(0, "local-read-only ");
	permissions_are(1, "local-read-write ");
	permissions_are(0x80000010, "local-read-only pci-read-only ");
	permissions_are(127, "local-read-write rdma-read rdma-write rdma-atomic pci-read-only "
			     "pci-read-write pci-relaxed-ordering ");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("descriptor");
	TCase *tcase = unit_case(suite, "descriptor", UNIT_TIMEOUT);

	tcase_add_test(tcase, exports);
	tcase_add_test(tcase, connections);
	tcase_add_test(tcase, refused);
	tcase_add_test(tcase, permissions);
	return unit_run(suite);
}
