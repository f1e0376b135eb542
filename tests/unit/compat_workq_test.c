/* Work queues: contexts as fronts, jobs, events, waiting, and what each call refuses. */
#include <pthread.h>

#include "client/core/error.h"
#include "tests/unit/compat_fixture.h"

#define LEN 4096u

static uint8_t from[LEN], to[LEN];
static struct doca_mmap *map_from, *map_to;
static struct doca_buf_inventory *inventory;
static struct doca_dma *dma;
static struct doca_ctx *ctx;
static struct doca_workq *workq;
static size_t n_fds;

static void setup(void)
{
	uint64_t seed = 7;

	n_fds = unit_n_fds();
	for (size_t i = 0; i < LEN; i++)
		from[i] = (uint8_t)unit_random(&seed);
	map_from = unit_mmap(from, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	map_to = unit_mmap(to, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	inventory = unit_inventory(256);
	ctx = front_new(&dma);
	workq = queue_new(4, API_2_2);
	ck_ok(doca_ctx_workq_add(ctx, workq));
}

static void teardown(void)
{
	ck_ok(doca_ctx_workq_rm(ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	front_delete(dma);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(map_from));
	ck_ok(doca_mmap_destroy(map_to));
	ck_assert_uint_eq(unit_dev.n_users, 0);
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}

static struct doca_buf *source(size_t at, size_t len)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_data(inventory, map_from, from + at, len, &buf));
	return buf;
}

static struct doca_buf *destination(size_t at, size_t len, size_t used)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_args(inventory, map_to, to + at, len, to + at, used,
						 &buf));
	return buf;
}

static void put(struct doca_buf *buf)
{
	ck_ok(doca_buf_dec_refcount(buf, NULL));
}

START_TEST(a_job_copies_and_its_event_tells)
{
	struct doca_buf *src = source(0, 100), *dst = destination(0, LEN, 10);
	struct doca_dma_job_memcpy job = copy_job(ctx, src, dst, 77);
	struct doca_event event;

	ck_ok(doca_workq_submit(workq, &job.base));
	retrieve(workq, DOCA_SUCCESS, &event);
	ck_assert_uint_eq(event.user_data.u64, 77);
	ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
	ck_assert_mem_eq(to + 10, from, 100);
	ck_assert_uint_eq(dst->data_len, 110);
	put(src);
	put(dst);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compat/workq");
	TCase *tcase = unit_case(suite, "dma", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_job_copies_and_its_event_tells);
	return unit_run(suite);
}
