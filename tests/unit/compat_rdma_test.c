/* RDMA of 2.0 to 2.2: every question is answered with "unsupported", and nothing can be made. */
#include <string.h>

#include <doca_rdma.h>
#include <dococ.h>

#include "tests/unit/unit.h"

START_TEST(test_nothing_can_be_made)
{
	struct doca_rdma *rdma = NULL;

	ck_assert_int_eq(doca_rdma_create(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_rdma_create(&rdma), DOCA_ERROR_INITIALIZATION);
	ck_assert_ptr_null(rdma);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "no engine for RDMA jobs"));
	ck_assert_int_eq(doca_rdma_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_assert_ptr_null(doca_rdma_as_ctx(NULL));
}
END_TEST

START_TEST(test_nothing_is_supported)
{
	/* The answer is the same for every device; none is looked at. */
	const struct doca_devinfo *devinfo = (const struct doca_devinfo *)&devinfo;
	uint32_t n = 7;

	for (int type = DOCA_RDMA_JOB_RECV; type <= DOCA_RDMA_JOB_ATOMIC_FETCH_ADD; type++)
		ck_assert_int_eq(
			doca_rdma_job_get_supported(devinfo, (enum doca_rdma_job_types)type),
			DOCA_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(doca_rdma_job_get_supported(NULL, DOCA_RDMA_JOB_SEND),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_rdma_get_transport_type_supported(devinfo, DOCA_RDMA_TRANSPORT_RC),
			 DOCA_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(doca_rdma_get_max_message_size(devinfo, &n), DOCA_ERROR_DRIVER);
	ck_assert_int_eq(doca_rdma_get_max_message_size(devinfo, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(n, 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rdma of 2.2");
	TCase *tcase = unit_case(suite, "unsupported", UNIT_TIMEOUT);

	tcase_add_test(tcase, test_nothing_can_be_made);
	tcase_add_test(tcase, test_nothing_is_supported);
	return unit_run(suite);
}
