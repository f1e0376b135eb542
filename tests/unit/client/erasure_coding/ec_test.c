/*
 * Erasure coding: matrices against those of ISA-L, and random tasks over random lists of mapped
 * memory and of a toy peer's memory against a product that is computed byte by byte; updates and
 * recoveries; faults, limits and the life of matrices.
 */
#include <isa-l/erasure_code.h>

#include <doca_erasure_coding.h>

#include "client/erasure_coding/ec.h"
#include "tests/unit/client/toy_peer.h"

#define HALF    (LEN / 2)
#define N_TASKS 8

/* The blocks of the current task, and its expected result. */
static uint8_t source[HALF], expected[HALF];
static struct doca_pe *pe;
static struct doca_ec *ec;
static struct doca_ctx *ctx;
static unsigned n_ok, n_failed;
static doca_error_t status;

static void completed(struct doca_task *task, bool ok)
{
	status = doca_task_get_status(task);
	n_ok += ok;
	n_failed += !ok;
	doca_task_free(task);
}

#define CALLBACKS(kind)                                                                        \
	static void kind##_ok(struct doca_ec_task_##kind *task, union doca_data user_data,     \
			      union doca_data ctx_user_data)                                   \
	{                                                                                      \
		(void)user_data;                                                               \
		(void)ctx_user_data;                                                           \
		completed(doca_ec_task_##kind##_as_task(task), true);                          \
	}                                                                                      \
	static void kind##_failed(struct doca_ec_task_##kind *task, union doca_data user_data, \
				  union doca_data ctx_user_data)                               \
	{                                                                                      \
		(void)user_data;                                                               \
		(void)ctx_user_data;                                                           \
		completed(doca_ec_task_##kind##_as_task(task), false);                         \
	}

CALLBACKS(galois_mul)
CALLBACKS(create)
CALLBACKS(update)
CALLBACKS(recover)

static void ec_open(void)
{
	ck_ok(doca_ec_create(&unit_dev, &ec));
	ctx = doca_ec_as_ctx(ec);
	ck_ok(doca_ec_task_galois_mul_set_conf(ec, galois_mul_ok, galois_mul_failed, N_TASKS));
	ck_ok(doca_ec_task_create_set_conf(ec, create_ok, create_failed, N_TASKS));
	ck_ok(doca_ec_task_update_set_conf(ec, update_ok, update_failed, N_TASKS));
	ck_ok(doca_ec_task_recover_set_conf(ec, recover_ok, recover_failed, N_TASKS));
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	ck_ok(doca_ctx_start(ctx));
}

static void ec_close(void)
{
	doca_error_t result = doca_ctx_stop(ctx);

	if (result != DOCA_ERROR_IN_PROGRESS)
		ck_ok(result);
	unit_progress(pe);
	ck_ok(doca_ec_destroy(ec));
}

static void setup(void)
{
	unit_info.caps.ec = true;
	unit_info.caps.ec_max_block_size = UINT64_MAX;
	unit_info.caps.ec_max_list_len = UINT32_MAX;
	unit_info.caps.ec_max_tasks = 4096;
	unit_info.caps.ec_max_data_blocks = unit_info.caps.ec_max_rdnc_blocks = 255;
	ck_ok(doca_pe_create(&pe));
	ec_open();
	memories_open();
	unit_fill(source, HALF, 44);
}

static void teardown(void)
{
	ec_close();
	memories_close();
	ck_ok(doca_pe_destroy(pe));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

static struct doca_ec_matrix *matrix_of(enum doca_ec_matrix_type type, size_t n_data, size_t n_rdnc)
{
	struct doca_ec_matrix *matrix;

	ck_ok(doca_ec_matrix_create(ec, type, n_data, n_rdnc, &matrix));
	return matrix;
}

static struct doca_ec_matrix *cauchy(size_t n_data, size_t n_rdnc)
{
	return matrix_of(DOCA_EC_MATRIX_TYPE_CAUCHY, n_data, n_rdnc);
}

static struct doca_ec_matrix *recovery(const struct doca_ec_matrix *coding, uint32_t *lost,
				       size_t n)
{
	struct doca_ec_matrix *matrix;

	ck_ok(doca_ec_matrix_create_recover(ec, coding, lost, n, &matrix));
	return matrix;
}

static const union doca_data none;

static struct doca_task *task_of(enum ec_kind kind, const struct doca_ec_matrix *m,
				 const struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_ec_task_galois_mul *galois_mul;
	struct doca_ec_task_create *create;
	struct doca_ec_task_update *update;
	struct doca_ec_task_recover *recover;

	switch (kind) {
	case EC_CREATE:
		ck_ok(doca_ec_task_create_allocate_init(ec, m, src, dst, none, &create));
		ck_assert_ptr_eq(doca_ec_task_create_get_coding_matrix(create), m);
		ck_assert_ptr_eq(doca_ec_task_create_get_original_data_blocks(create), src);
		ck_assert_ptr_eq(doca_ec_task_create_get_rdnc_blocks(create), dst);
		return doca_ec_task_create_as_task(create);
	case EC_UPDATE:
		ck_ok(doca_ec_task_update_allocate_init(ec, m, src, dst, none, &update));
		ck_assert_ptr_eq(doca_ec_task_update_get_update_matrix(update), m);
		ck_assert_ptr_eq(doca_ec_task_update_get_original_updated_and_rdnc_blocks(update),
				 src);
		ck_assert_ptr_eq(doca_ec_task_update_get_updated_rdnc_blocks(update), dst);
		return doca_ec_task_update_as_task(update);
	case EC_RECOVER:
		ck_ok(doca_ec_task_recover_allocate_init(ec, m, src, dst, none, &recover));
		ck_assert_ptr_eq(doca_ec_task_recover_get_recover_matrix(recover), m);
		ck_assert_ptr_eq(doca_ec_task_recover_get_available_blocks(recover), src);
		ck_assert_ptr_eq(doca_ec_task_recover_get_recovered_data(recover), dst);
		return doca_ec_task_recover_as_task(recover);
	default:
		ck_ok(doca_ec_task_galois_mul_allocate_init(ec, m, src, dst, none, &galois_mul));
		ck_assert_ptr_eq(doca_ec_task_galois_mul_get_coding_matrix(galois_mul), m);
		ck_assert_ptr_eq(doca_ec_task_galois_mul_get_src_buf(galois_mul), src);
		ck_assert_ptr_eq(doca_ec_task_galois_mul_get_dst_buf(galois_mul), dst);
		return doca_ec_task_galois_mul_as_task(galois_mul);
	}
}

/* Completes the task. Restarts the context if the task stopped it. */
static doca_error_t run(struct doca_task *task)
{
	ck_ok(doca_task_submit(task));
	unit_progress(pe);
	if (unit_state(ctx) == IDLE)
		ck_ok(doca_ctx_start(ctx));
	return status;
}

static doca_error_t run_of(enum ec_kind kind, const struct doca_ec_matrix *m,
			   const struct doca_buf *src, struct doca_buf *dst)
{
	return run(task_of(kind, m, src, dst));
}

/* The product of a matrix, row by row, with the blocks in `source`, byte by byte. */
static void product(const uint8_t *rows, size_t n_in, size_t n_out, size_t len)
{
	memset(expected, 0, n_out * len);
	for (size_t r = 0; r < n_out; r++)
		for (size_t c = 0; c < n_in; c++)
			for (size_t i = 0; i < len; i++)
				expected[r * len + i] ^= gf_mul(rows[r * n_in + c],
								source[c * len + i]);
}

static const struct {
	size_t n_data, n_rdnc;
} codes[] = {{1, 1}, {2, 1}, {1, 255}, {255, 1}, {12, 4}, {128, 32}, {128, 128}};

/* The rows below the identity in ISA-L's own matrices. */
START_TEST(cauchy_matrices_are_those_of_isal)
{
	static uint8_t all[256 * 256];

	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		size_t k = codes[i].n_data, m = codes[i].n_rdnc;
		struct doca_ec_matrix *matrix = cauchy(k, m);

		gf_gen_cauchy1_matrix(all, (int)(k + m), (int)k);
		ck_assert_mem_eq(matrix->rows, all + k * k, k * m);
		ck_ok(doca_ec_matrix_destroy(matrix));
	}
}
END_TEST

/* Returns base to the power of n in GF(2^8). */
static uint8_t power(uint8_t base, size_t n)
{
	uint8_t result = 1;

	while (n-- > 0)
		result = gf_mul(result, base);
	return result;
}

/* The coefficient of data block i in redundancy block j is (i + 1)^j. */
START_TEST(vandermonde_matrices_are_powers)
{
	static const uint8_t small[] = {1, 1, 1, 1, 1, 2, 3, 4, 1, 4, 5, 16, 1, 8, 15, 64};
	struct doca_ec_matrix *matrix = matrix_of(DOCA_EC_MATRIX_TYPE_VANDERMONDE, 4, 4);

	ck_assert_mem_eq(matrix->rows, small, sizeof(small));
	ck_ok(doca_ec_matrix_destroy(matrix));
	/* 16^2 is reduced by the polynomial 0x11d. */
	matrix = matrix_of(DOCA_EC_MATRIX_TYPE_VANDERMONDE, 16, 3);
	ck_assert_uint_eq(matrix->rows[2 * 16 + 15], 0x1d);
	ck_ok(doca_ec_matrix_destroy(matrix));
	for (size_t n = 0; n < ARRAY_LEN(codes); n++) {
		size_t k = codes[n].n_data, m = codes[n].n_rdnc;

		matrix = matrix_of(DOCA_EC_MATRIX_TYPE_VANDERMONDE, k, m);
		for (size_t i = 0; i < k; i++)
			for (size_t j = 0; j < m; j++)
				ck_assert_uint_eq(matrix->rows[j * k + i],
						  power((uint8_t)(i + 1), j));
		ck_ok(doca_ec_matrix_destroy(matrix));
	}
}
END_TEST

/* A loss of data blocks alone is always recovered. With 4 redundancy blocks, losing one of them
 * leaves the powers 0, 1 and 3 of 1, 2 and 3, which are dependent because 1 + 2 + 3 is 0. */
START_TEST(vandermonde_matrices_may_not_recover)
{
	struct doca_ec_matrix *coding = matrix_of(DOCA_EC_MATRIX_TYPE_VANDERMONDE, 4, 4), *matrix;
	uint32_t data[] = {0, 1, 2, 3}, mixed[] = {0, 1, 2, 4 + 2}, last[] = {0, 1, 2, 4 + 3};

	ck_ok(doca_ec_matrix_destroy(recovery(coding, data, 4)));
	ck_ok(doca_ec_matrix_destroy(recovery(coding, last, 4)));
	ck_fails(doca_ec_matrix_create_recover(ec, coding, mixed, 4, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("dependent");
	ck_ok(doca_ec_matrix_destroy(coding));
}
END_TEST

/* Returns a list whose data, or whose room if `is_dst`, has n bytes. The data of a source is that
 * of `source`. */
static struct doca_buf *random_list(uint64_t *seed, size_t n, bool is_dst)
{
	size_t base = is_dst ? HALF : 0, at = 0, from = 0;
	unsigned kind = (unsigned)(unit_random(seed) % 3);
	struct doca_buf *list = NULL;

	do {
		bool is_last = unit_random(seed) % 4 == 0 || n - at < 32;
		size_t part = is_last ? n - at : unit_random(seed) % (n - at + 1);
		size_t lead = unit_random(seed) % 30, had = is_dst ? unit_random(seed) % 30 : 0;
		bool is_peer = kind == 2 ? unit_random(seed) % 2 : kind;
		struct doca_mmap *map = !is_peer ? mmap : unit_random(seed) % 4 ? peer : peer2;
		uint8_t *memory = (is_peer ? theirs : ours) + base + from;
		uint8_t *addr = (is_peer ? (uint8_t *)PEER_BASE : ours) + base + from;

		if (!is_dst)
			memcpy(memory + lead, source + at, part);
		list = unit_chain(list, unit_buf(inventory, map, addr, lead + had + part, lead,
						 is_dst ? had : part));
		from += lead + had + part;
		at += part;
	} while (at < n);
	return list;
}

/* Compares the data that a list got behind `had` bytes per buffer with `expected`. */
static void ck_list(const struct doca_buf *list, const size_t *had, size_t n)
{
	size_t at = 0, i = 0;

	for (; list != NULL; list = list->next, i++) {
		size_t part = list->data_len - had[i];
		const uint8_t *from = list->data + had[i];

		if (list->mmap != mmap)
			from = theirs + (from - (uint8_t *)PEER_BASE);
		ck_assert_mem_eq(from, expected + at, part);
		at += part;
	}
	ck_assert_uint_eq(at, n);
}

static void random_task(uint64_t *seed)
{
	size_t n_in = 1 + unit_random(seed) % 12, n_out = 1 + unit_random(seed) % 9;
	size_t len = 64 * (1 + unit_random(seed) % 40), had[1024], n = 0;
	struct doca_buf *src, *dst, *pos;
	struct doca_ec_matrix *matrix;
	uint8_t rows[12 * 9];

	unit_fill(rows, sizeof(rows), unit_random(seed));
	ck_ok(doca_ec_matrix_create_from_raw(ec, rows, n_in, n_out, &matrix));
	src = random_list(seed, n_in * len, false);
	dst = random_list(seed, n_out * len, true);
	for (pos = dst; pos != NULL; pos = pos->next)
		had[n++] = pos->data_len;
	product(rows, n_in, n_out, len);
	toy.n_cuts = (unsigned)(unit_random(seed) % 4);
	toy.cut = 1 + unit_random(seed) % 500;
	/* A task of any kind takes a matrix from coefficients. */
	ck_ok(run_of(unit_random(seed) % EC_N_KINDS, matrix, src, dst));
	ck_list(dst, had, n_out * len);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_ec_matrix_destroy(matrix));
}

START_TEST(random_tasks)
{
	uint64_t seed = 7;

	for (unsigned i = 0; i < 400; i++) {
		seed = seed * 31 + i;
		random_task(&seed);
	}
	toy.n_cuts = 0;
}
END_TEST

/* Every size of code up to 4 + 4 with every set of lost blocks that it can recover. */
static void recover_all(enum doca_ec_matrix_type type, size_t k, size_t m, size_t len)
{
	struct doca_ec_matrix *coding = matrix_of(type, k, m);
	struct doca_buf *src = src_of(source, k * len), *dst = dst_of(m * len);
	uint8_t blocks[8 * 64];

	ck_ok(run_of(EC_CREATE, coding, src, dst));
	unit_put(src);
	unit_put(dst);
	memcpy(blocks, source, k * len);
	memcpy(blocks + k * len, ours + HALF, m * len);
	for (unsigned set = 1; set < 1u << (k + m); set++) {
		uint32_t lost[8];
		size_t n = 0, left = 0;
		struct doca_ec_matrix *matrix;

		for (uint32_t b = 0; b < k + m; b++) {
			if (set >> b & 1)
				lost[n++] = b;
			else if (left < k)
				memcpy(ours + left++ * len, blocks + b * len, len);
		}
		if (n > m)
			continue;
		matrix = recovery(coding, lost, n);
		src = unit_buf(inventory, mmap, ours, k * len, 0, k * len);
		dst = dst_of(n * len);
		ck_ok(run_of(EC_RECOVER, matrix, src, dst));
		for (size_t i = 0; i < n; i++)
			ck_assert_mem_eq(ours + HALF + i * len, blocks + lost[i] * len, len);
		unit_put(src);
		unit_put(dst);
		ck_ok(doca_ec_matrix_destroy(matrix));
	}
	ck_ok(doca_ec_matrix_destroy(coding));
}

START_TEST(whatever_is_lost_is_recovered)
{
	for (size_t k = 1; k <= 4; k++) {
		for (size_t m = 1; m <= 4; m++) {
			recover_all(DOCA_EC_MATRIX_TYPE_CAUCHY, k, m, 64);
			/* Larger Vandermonde matrices do not recover every loss. */
			if (m <= 3)
				recover_all(DOCA_EC_MATRIX_TYPE_VANDERMONDE, k, m, 64);
		}
	}
}
END_TEST

/* A wide code: 128 data and 32 redundancy blocks, 32 of them lost, in any order of numbers. */
START_TEST(a_wide_code)
{
	struct doca_ec_matrix *coding = cauchy(128, 32), *matrix;
	struct doca_buf *src = src_of(source, 128 * 64), *dst = dst_of(32 * 64);
	uint32_t lost[32];
	size_t left = 0;

	ck_ok(run_of(EC_CREATE, coding, src, dst));
	product(coding->rows, 128, 32, 64);
	ck_assert_mem_eq(ours + HALF, expected, 32 * 64);
	for (uint32_t i = 0; i < 32; i++)
		lost[i] = 124 - 4 * i;
	for (uint32_t b = 0; b < 128; b++)
		if (b % 4 != 0)
			memcpy(ours + 64 * left++, source + b * 64, 64);
	memcpy(ours + 64 * left, expected, 32 * 64);
	matrix = recovery(coding, lost, 32);
	ck_ok(doca_buf_reset_data_len(dst));
	ck_ok(run_of(EC_RECOVER, matrix, src, dst));
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_mem_eq(ours + HALF + i * 64, source + lost[i] * 64, 64);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_ec_matrix_destroy(matrix));
	ck_ok(doca_ec_matrix_destroy(coding));
}
END_TEST

/* With one parity block, the coding matrix itself recovers any block: the sum of all others. */
/* The storage application of the SDK allocates its recover tasks with the coding matrix of either
 * type, also if it does not recover anything. */
START_TEST(a_coding_matrix_is_refused_when_it_runs)
{
	struct doca_ec_matrix *matrix = cauchy(2, 1), *derived;
	struct doca_buf *src = src_of(source, 128), *dst = dst_of(64);
	struct doca_ec_task_recover *recover;
	uint32_t lost = 0;

	ck_ok(doca_ec_task_recover_allocate_init(ec, matrix, src, dst, none, &recover));
	ck_fails(doca_task_try_submit(doca_ec_task_recover_as_task(recover)),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("doca_ec_matrix_create_recover");
	derived = recovery(matrix, &lost, 1);
	doca_ec_task_recover_set_recover_matrix(recover, derived);
	ck_ok(run(doca_ec_task_recover_as_task(recover)));
	ck_ok(doca_ec_task_recover_allocate_init(ec, matrix, src, dst, none, &recover));
	ck_fails(run(doca_ec_task_recover_as_task(recover)), DOCA_ERROR_IO_FAILED);
	ck_says("not for this kind of task");
	ck_assert_uint_eq(dst->data_len, 64);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_ec_matrix_destroy(derived));
	ck_ok(doca_ec_matrix_destroy(matrix));
}
END_TEST

START_TEST(a_coding_matrix_of_parity_recovers)
{
	struct doca_ec_matrix *matrix = matrix_of(DOCA_EC_MATRIX_TYPE_VANDERMONDE, 2, 1);
	struct doca_buf *src = src_of(source, 128), *dst = dst_of(64);

	ck_ok(run_of(EC_CREATE, matrix, src, dst));
	memcpy(ours, ours + HALF, 64);
	ck_ok(doca_buf_reset_data_len(dst));
	ck_ok(run_of(EC_RECOVER, matrix, src, dst));
	ck_assert_mem_eq(ours + HALF, source, 64);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_ec_matrix_destroy(matrix));
}
END_TEST

/* An update has the result of a new creation. */
START_TEST(updates_equal_creations)
{
	struct doca_ec_matrix *coding = cauchy(5, 3), *matrix;
	uint32_t changed[] = {3, 0};
	struct doca_buf *src = src_of(source, 5 * 64), *dst = dst_of(3 * 64);
	uint8_t old[5 * 64];

	memcpy(old, source, sizeof(old));
	ck_ok(run_of(EC_CREATE, coding, src, dst));
	/* Each changed block, old then new; then the old redundancy. */
	memcpy(ours, source + 3 * 64, 64);
	memcpy(ours + 2 * 64, source, 64);
	unit_fill(source + 3 * 64, 64, 1);
	unit_fill(source, 64, 2);
	memcpy(ours + 64, source + 3 * 64, 64);
	memcpy(ours + 3 * 64, source, 64);
	memcpy(ours + 4 * 64, ours + HALF, 3 * 64);
	unit_put(src);
	src = unit_buf(inventory, mmap, ours, 7 * 64, 0, 7 * 64);
	ck_ok(doca_ec_matrix_create_update(ec, coding, changed, 2, &matrix));
	ck_ok(doca_buf_reset_data_len(dst));
	ck_ok(run_of(EC_UPDATE, matrix, src, dst));
	product(coding->rows, 5, 3, 64);
	ck_assert_mem_eq(ours + HALF, expected, 3 * 64);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_ec_matrix_destroy(matrix));
	ck_ok(doca_ec_matrix_destroy(coding));
}
END_TEST

START_TEST(impossible_recoveries_are_refused)
{
	/* Two equal rows: losing two data blocks leaves dependent rows. */
	uint8_t rows[] = {1, 2, 3, 1, 2, 3};
	struct doca_ec_matrix *coding, *matrix = NULL;
	uint32_t lost[] = {0, 2}, three[] = {0, 1, 2}, twice[] = {1, 1}, beyond[] = {5};

	ck_ok(doca_ec_matrix_create_from_raw(ec, rows, 3, 2, &coding));
	ck_fails(doca_ec_matrix_create_recover(ec, coding, lost, 2, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("dependent");
	ck_fails(doca_ec_matrix_create_recover(ec, coding, three, 3, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("3 blocks are missing; with 2 redundancy blocks, 1 to 2 can be recovered");
	ck_fails(doca_ec_matrix_create_recover(ec, coding, lost, 0, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ec_matrix_create_recover(ec, coding, twice, 2, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("index 1 is listed twice");
	ck_fails(doca_ec_matrix_create_recover(ec, coding, beyond, 1, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("index 5 is too large; there are 5 blocks");
	ck_assert_ptr_null(matrix);
	/* One of them can be recovered. */
	matrix = recovery(coding, lost, 1);
	ck_ok(doca_ec_matrix_destroy(matrix));
	ck_ok(doca_ec_matrix_destroy(coding));
}
END_TEST

START_TEST(matrices_are_checked)
{
	struct doca_ec_matrix *coding = cauchy(3, 2), *derived, *matrix = NULL;
	uint32_t index[] = {0, 1, 2, 0}, beyond[] = {3};
	uint8_t raw[4] = {1, 1, 1, 1};
	struct doca_ec *other;

	ck_fails(doca_ec_matrix_create(ec, 3, 2, 2, &matrix), DOCA_ERROR_INVALID_VALUE);
	ck_says("CAUCHY (1), VANDERMONDE (2)");
	ck_fails(doca_ec_matrix_create(ec, 1, 0, 2, &matrix), DOCA_ERROR_INVALID_VALUE);
	ck_says("no data blocks");
	ck_fails(doca_ec_matrix_create(ec, 1, 2, 0, &matrix), DOCA_ERROR_INVALID_VALUE);
	ck_says("no redundancy blocks");
	ck_fails(doca_ec_matrix_create(ec, 1, 200, 57, &matrix), DOCA_ERROR_INVALID_VALUE);
	ck_says("at most 256 in all");
	ck_fails(doca_ec_matrix_create(ec, 1, SIZE_MAX, 2, &matrix), DOCA_ERROR_INVALID_VALUE);
	ck_says("the device allows 255 and 255");
	ck_fails(doca_ec_matrix_create_from_raw(ec, raw, 2, SIZE_MAX, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ec_matrix_create_from_raw(ec, NULL, 2, 2, &matrix), DOCA_ERROR_INVALID_VALUE);
	ck_says("data is NULL");
	ck_fails(doca_ec_matrix_create_update(ec, coding, beyond, 1, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("index 3 is too large; there are 3 blocks");
	ck_fails(doca_ec_matrix_create_update(ec, coding, index, 4, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("of 3 blocks, 1 to all");
	ck_ok(doca_ec_matrix_create_update(ec, coding, index, 3, &derived));
	ck_fails(doca_ec_matrix_create_recover(ec, derived, index, 1, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("is of the kind update");
	ck_ok(doca_ec_create(&unit_dev, &other));
	ck_fails(doca_ec_matrix_create_update(other, coding, index, 1, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("belongs to another object");
	ck_ok(doca_ec_destroy(other));
	ck_assert_ptr_null(matrix);
	ck_ok(doca_ec_matrix_destroy(derived));
	ck_ok(doca_ec_matrix_destroy(coding));
}
END_TEST

/* Which tasks take which matrices. */
START_TEST(tasks_check_their_matrices)
{
	enum { CODING, UPDATE, RECOVER, RAW, PARITY, WIDE, N };
	static const bool fits[EC_N_KINDS][N] = {
		[EC_GALOIS_MUL] = {true, true, true, true, true, true},
		[EC_CREATE] = {true, false, false, true, true, false},
		[EC_UPDATE] = {false, true, false, true, false, true},
		[EC_RECOVER] = {false, false, true, true, true, false},
	};
	static uint8_t ones[256] = {1, 1, 1};
	struct doca_buf *src = src_of(source, 4 * 64), *dst = dst_of(64);
	struct doca_ec_matrix *matrices[N];
	struct doca_ec_task_create *create;
	uint32_t index = 0;

	matrices[CODING] = cauchy(2, 1);
	ck_ok(doca_ec_matrix_create_update(ec, matrices[CODING], &index, 1, &matrices[UPDATE]));
	matrices[RECOVER] = recovery(matrices[CODING], &index, 1);
	ck_ok(doca_ec_matrix_create_from_raw(ec, ones, 3, 1, &matrices[RAW]));
	matrices[PARITY] = matrix_of(DOCA_EC_MATRIX_TYPE_VANDERMONDE, 2, 1);
	ck_ok(doca_ec_matrix_create_from_raw(ec, ones, 256, 1, &matrices[WIDE]));
	for (unsigned kind = 0; kind < EC_N_KINDS; kind++) {
		for (unsigned i = 0; i < N; i++) {
			doca_error_t result = ec_matrix_check(ec, matrices[i], kind, "allocate");

			ck_assert_int_eq(result,
					 fits[kind][i] ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
		}
	}
	ck_fails(doca_ec_task_create_allocate_init(ec, matrices[UPDATE], src, dst, none, &create),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("update matrices are not for this kind of task");
	/* A setter cannot refuse; the task does. */
	ck_ok(doca_ec_task_create_allocate_init(ec, matrices[CODING], src, dst, none, &create));
	doca_ec_task_create_set_coding_matrix(create, matrices[RECOVER]);
	ck_fails(doca_task_try_submit(doca_ec_task_create_as_task(create)),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("not for this kind of task");
	ck_fails(run(doca_ec_task_create_as_task(create)), DOCA_ERROR_IO_FAILED);
	for (unsigned i = 0; i < N; i++)
		ck_ok(doca_ec_matrix_destroy(matrices[i]));
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* A program may compute an update matrix itself. The widest one updates all data blocks. */
START_TEST(raw_update_matrices)
{
	static uint8_t rows[512];
	struct doca_ec_matrix *matrix, *derived = NULL;
	struct doca_buf *src = src_of(source, 511 * 64), *dst = dst_of(64);
	uint32_t index = 255;

	unit_fill(rows, sizeof(rows), 3);
	ck_ok(doca_ec_matrix_create_from_raw(ec, rows, 511, 1, &matrix));
	ck_ok(run_of(EC_UPDATE, matrix, src, dst));
	product(rows, 511, 1, 64);
	ck_assert_mem_eq(ours + HALF, expected, 64);
	/* It is no coding matrix, from which others could be derived. */
	ck_fails(doca_ec_matrix_create_update(ec, matrix, &index, 1, &derived),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("of the kind wide raw");
	ck_fails(doca_ec_matrix_create_recover(ec, matrix, &index, 1, &derived),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_ec_matrix_destroy(matrix));
	ck_fails(doca_ec_matrix_create_from_raw(ec, rows, 512, 1, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("an update of all of them has 511 columns");
	ck_assert_ptr_null(derived);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(a_matrix_in_use_stays)
{
	struct doca_ec_matrix *matrix = cauchy(2, 1), *other = cauchy(2, 1);
	struct doca_buf *src = src_of(source, 128), *dst = dst_of(64);
	struct doca_task *task = task_of(EC_CREATE, matrix, src, dst);
	struct doca_task *later = task_of(EC_CREATE, matrix, src, dst);

	ck_ok(doca_task_submit(task));
	ck_fails(doca_ec_matrix_destroy(matrix), DOCA_ERROR_INVALID_VALUE);
	ck_says("1 task in flight uses the matrix");
	/* The program cannot replace the matrix either. */
	doca_ec_task_create_set_coding_matrix((struct doca_ec_task_create *)task, other);
	ck_says("keeps its matrix");
	ck_fails(doca_ec_matrix_destroy(matrix), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_ec_matrix_destroy(other));
	unit_progress(pe);
	ck_ok(status);
	/* A task that is only allocated does not hold it, but cannot run any more. */
	ck_ok(doca_ec_matrix_destroy(matrix));
	ck_fails(doca_task_try_submit(later), DOCA_ERROR_INVALID_VALUE);
	ck_says("the matrix was destroyed");
	ck_fails(run(later), DOCA_ERROR_IO_FAILED);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* Sets the matrix of a task of any kind. */
static void set_matrix(enum ec_kind kind, struct doca_task *task, const struct doca_ec_matrix *m)
{
	switch (kind) {
	case EC_CREATE:
		doca_ec_task_create_set_coding_matrix((struct doca_ec_task_create *)task, m);
		break;
	case EC_UPDATE:
		doca_ec_task_update_set_update_matrix((struct doca_ec_task_update *)task, m);
		break;
	case EC_RECOVER:
		doca_ec_task_recover_set_recover_matrix((struct doca_ec_task_recover *)task, m);
		break;
	default:
		doca_ec_task_galois_mul_set_coding_matrix((struct doca_ec_task_galois_mul *)task,
							  m);
	}
}

/* A task does not keep the matrix of another object, which may be destroyed before it runs. */
START_TEST(a_foreign_matrix_is_not_kept)
{
	struct doca_buf *src = src_of(source, 4 * 64), *dst = dst_of(64);
	struct doca_ec_matrix *matrices[EC_N_KINDS], *foreign;
	uint32_t index = 0;
	struct doca_ec *other;

	matrices[EC_GALOIS_MUL] = cauchy(4, 1);
	matrices[EC_CREATE] = cauchy(4, 1);
	ck_ok(doca_ec_matrix_create_update(ec, matrices[EC_CREATE], &index, 1,
					   &matrices[EC_UPDATE]));
	matrices[EC_RECOVER] = recovery(matrices[EC_CREATE], &index, 1);
	ck_ok(doca_ec_create(&unit_dev, &other));
	for (unsigned kind = 0; kind < EC_N_KINDS; kind++) {
		struct doca_task *task = task_of(kind, matrices[kind], src, dst);

		ck_ok(doca_ec_matrix_create(other, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 1, &foreign));
		set_matrix(kind, task, foreign);
		ck_says("the matrix belongs to another object; create one with the task's object");
		ck_assert_ptr_null(((struct ec_task *)(void *)task)->matrix);
		ck_ok(doca_ec_matrix_destroy(foreign));
		ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
		ck_says("belongs to another object; set another one");
		ck_fails(run(task), DOCA_ERROR_IO_FAILED);
		ck_ok(doca_ec_matrix_destroy(matrices[kind]));
	}
	ck_ok(doca_ec_destroy(other));
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* A matrix that outlives its object can only be destroyed. */
START_TEST(an_object_may_end_before_its_matrices)
{
	struct doca_ec_matrix *first = cauchy(2, 1), *second = cauchy(3, 1), *none_made = NULL;
	uint32_t index = 0;

	ec_close();
	ec_open();
	ck_fails(doca_ec_matrix_create_recover(ec, first, &index, 1, &none_made),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("belongs to another object");
	ck_ok(doca_ec_matrix_destroy(second));
	ck_ok(doca_ec_matrix_destroy(first));
}
END_TEST

START_TEST(sizes_are_checked)
{
	static const size_t wrong[] = {0, 64, 127, 129, 192, 126};
	struct doca_ec_matrix *matrix = cauchy(2, 2);
	struct doca_buf *src = src_of(source, 1024), *dst = dst_of(200);
	struct doca_task *task = task_of(EC_CREATE, matrix, src, dst);

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		ck_ok(doca_buf_set_data(src, src->head, wrong[i]));
		ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
		ck_says("a multiple of 64 bytes");
	}
	ck_ok(doca_buf_set_data(src, src->head, 256));
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("does not fit behind the destination's data");
	ck_says("the source has 256 bytes, the destination room for 200; the matrix makes 2 blocks "
		"of 2");
	ck_fails(run(task), DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(dst->data_len, 0);
	/* The room behind existing data counts. */
	ck_ok(doca_buf_set_data(src, src->head, 128));
	ck_ok(doca_buf_set_data_len(dst, 73));
	ck_fails(run_of(EC_CREATE, matrix, src, dst), DOCA_ERROR_IO_FAILED);
	ck_ok(doca_buf_set_data_len(dst, 72));
	ck_ok(run_of(EC_CREATE, matrix, src, dst));
	ck_assert_uint_eq(dst->data_len, 200);
	product(matrix->rows, 2, 2, 64);
	ck_assert_mem_eq(ours + HALF + 72, expected, 128);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_ec_matrix_destroy(matrix));
}
END_TEST

START_TEST(buffers_are_checked)
{
	struct doca_mmap *read_only = unit_mmap(ours, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct doca_ec_matrix *matrix = cauchy(2, 1);
	struct doca_buf *src = src_of(source, 128), *dst, *remote_buf;
	_Atomic uint32_t alive = 7;

	dst = unit_buf(inventory, read_only, ours + HALF, 64, 0, 0);
	ck_fails(run_of(EC_CREATE, matrix, src, dst), DOCA_ERROR_NOT_PERMITTED);
	ck_says("doca_mmap_set_permissions");
	unit_put(dst);
	ck_ok(doca_mmap_destroy(read_only));
	dst = dst_of(64);
	ck_ok(doca_buf_set_data(dst, dst->head + 65, 0));
	ck_fails(run_of(EC_CREATE, matrix, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("destination's data section");
	ck_ok(doca_buf_set_data(src, src->head + 1, 128));
	ck_ok(doca_buf_set_data(dst, dst->head, 0));
	ck_fails(run_of(EC_CREATE, matrix, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("source's data section");
	ck_ok(doca_buf_set_data(src, src->head, 128));
	peer->alive = &alive;
	peer->generation = 7;
	remote_buf = unit_buf(inventory, peer, (uint8_t *)PEER_BASE, 128, 0, 128);
	ck_ok(run_of(EC_CREATE, matrix, remote_buf, dst));
	alive = 8;
	ck_fails(run_of(EC_CREATE, matrix, remote_buf, dst), DOCA_ERROR_IO_FAILED);
	ck_says("exporter of the source");
	ck_ok(doca_buf_reset_data_len(remote_buf));
	ck_fails(run_of(EC_CREATE, matrix, src, remote_buf), DOCA_ERROR_IO_FAILED);
	ck_says("exporter of the destination");
	alive = 7;
	unit_put(remote_buf);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_ec_matrix_destroy(matrix));
}
END_TEST

START_TEST(limits_of_the_device_hold)
{
	struct doca_buf *src, *dst = dst_of(512);
	struct doca_ec_matrix *matrix = NULL;

	ec_close();
	unit_info.caps.ec_max_block_size = 128;
	unit_info.caps.ec_max_list_len = 2;
	unit_info.caps.ec_max_data_blocks = 2;
	unit_info.caps.ec_max_rdnc_blocks = 1;
	ec_open();
	ck_fails(doca_ec_matrix_create(ec, 1, 3, 1, &matrix), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ec_matrix_create(ec, 1, 2, 2, &matrix), DOCA_ERROR_INVALID_VALUE);
	ck_says("2 data and 2 redundancy blocks; the device allows 2 and 1");
	ck_fails(doca_ec_matrix_create_from_raw(ec, source, 2, 2, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ec_matrix_create_from_raw(ec, source, 6, 1, &matrix),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_ec_matrix_create_from_raw(ec, source, 5, 1, &matrix));
	ck_ok(doca_ec_matrix_destroy(matrix));
	matrix = cauchy(2, 1);
	src = unit_chain(unit_buf(inventory, mmap, ours, 128, 0, 128),
			 unit_buf(inventory, mmap, ours + 128, 256, 0, 128));
	ck_ok(run_of(EC_CREATE, matrix, src, dst));
	ck_ok(doca_buf_set_data_len(src->next, 256));
	ck_fails(run_of(EC_CREATE, matrix, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("doca_ec_cap_get_max_block_size");
	ck_ok(doca_buf_set_data_len(src->next, 0));
	unit_chain(src, unit_buf(inventory, mmap, ours, 1, 0, 0));
	ck_fails(run_of(EC_CREATE, matrix, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("doca_ec_cap_get_max_buf_list_len");
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_ec_matrix_destroy(matrix));
}
END_TEST

/* Lists whose lengths add up to more than a size_t holds. */
START_TEST(sums_do_not_wrap)
{
	struct doca_mmap *all = unit_mmap((void *)4096, SIZE_MAX - 8192,
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_ec_matrix *matrix = cauchy(1, 1);
	struct doca_buf *src, *dst = dst_of(64);

	src = unit_buf(inventory, all, (void *)4096, SIZE_MAX - 8192, 0, SIZE_MAX - 8192);
	unit_chain(src, unit_buf(inventory, all, (void *)4096, 8192 + 65, 0, 8192 + 65));
	ck_fails(run_of(EC_CREATE, matrix, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("more data than can be counted");
	unit_put(src);
	/* A block that ISA-L cannot count. */
	src = unit_buf(inventory, all, (void *)4096, UINT64_C(1) << 32, 0, UINT64_C(1) << 32);
	ck_fails(run_of(EC_CREATE, matrix, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("larger than the device takes");
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_mmap_destroy(all));
	ck_ok(doca_ec_matrix_destroy(matrix));
}
END_TEST

/* Refusals of the transport while reading and while writing; no data length grows. */
START_TEST(refusals_of_a_peer_are_named)
{
	const struct {
		int error;
		doca_error_t code;
		const char *says;
	} cases[] = {
		{ESRCH, DOCA_ERROR_IO_FAILED, "has ended"},
		{EFAULT, DOCA_ERROR_IO_FAILED, "not mapped"},
		{EPERM, DOCA_ERROR_NOT_PERMITTED, "refuses"},
		{ENOMEM, DOCA_ERROR_IO_FAILED, "emory"},
	};
	struct doca_ec_matrix *matrix = cauchy(2, 1);
	struct doca_buf *remote_src = unit_buf(inventory, peer, (uint8_t *)PEER_BASE, 1280, 0,
					       1280);
	struct doca_buf *src = src_of(source, 1280), *dst = dst_of(640);
	struct doca_buf *remote_dst = unit_buf(inventory, peer2, (uint8_t *)PEER_BASE + HALF, 640,
					       0, 0);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		toy.error = cases[i].error;
		ck_fails(run_of(EC_CREATE, matrix, remote_src, dst), cases[i].code);
		ck_says(cases[i].says);
		ck_fails(run_of(EC_CREATE, matrix, src, remote_dst), cases[i].code);
		ck_says(cases[i].says);
	}
	toy.error = 0;
	toy.bad_from = 1279;
	toy.bad_to = HALF + 32;
	ck_fails(run_of(EC_CREATE, matrix, remote_src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("not mapped");
	ck_fails(run_of(EC_CREATE, matrix, src, remote_dst), DOCA_ERROR_IO_FAILED);
	toy.bad_from = toy.bad_to = 0;
	/* A call that moves no bytes is an error, too. */
	toy.n_cuts = 1;
	toy.cut = 0;
	ck_fails(run_of(EC_CREATE, matrix, remote_src, dst), DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(dst->data_len + remote_dst->data_len, 0);
	/* All blocks of a task need one call per direction. */
	toy.n_calls = 0;
	ck_ok(run_of(EC_CREATE, matrix, remote_src, remote_dst));
	ck_assert_uint_eq(toy.n_calls, 2);
	unit_put(remote_src);
	unit_put(src);
	unit_put(dst);
	unit_put(remote_dst);
	ck_ok(doca_ec_matrix_destroy(matrix));
}
END_TEST

/* Blocks that are larger than their share of the scratch memory. */
START_TEST(large_remote_blocks_go_in_parts)
{
	const size_t len = 100 * 1024;
	struct doca_ec_matrix *matrix = cauchy(4, 2);
	struct doca_buf *src = unit_buf(inventory, peer, (uint8_t *)PEER_BASE, 4 * len, 0, 4 * len);
	struct doca_buf *dst = unit_buf(inventory, peer2, (uint8_t *)PEER_BASE + HALF, 2 * len, 0,
					0);

	memcpy(theirs, source, 4 * len);
	ck_ok(run_of(EC_CREATE, matrix, src, dst));
	product(matrix->rows, 4, 2, len);
	ck_assert_mem_eq(theirs + HALF, expected, 2 * len);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_ec_matrix_destroy(matrix));
}
END_TEST

START_TEST(a_failed_task_stops_the_context)
{
	struct doca_ec_matrix *matrix = cauchy(2, 1);
	struct doca_buf *src = src_of(source, 128), *dst = dst_of(512), *full = dst_of(8);

	ck_ok(doca_task_submit(task_of(EC_CREATE, matrix, src, full)));
	ck_ok(doca_task_submit(task_of(EC_GALOIS_MUL, matrix, src, dst)));
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_int_eq(status, DOCA_ERROR_IO_FAILED);
	unit_progress(pe);
	ck_assert_uint_eq(n_failed, 2);
	ck_assert_int_eq(status, DOCA_ERROR_SHUTDOWN);
	ck_ok(doca_ctx_start(ctx));
	ck_ok(run_of(EC_CREATE, matrix, src, dst));
	unit_put(src);
	unit_put(dst);
	unit_put(full);
	ck_ok(doca_ec_matrix_destroy(matrix));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/erasure_coding");
	TCase *tcase = unit_case(suite, "ec", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, cauchy_matrices_are_those_of_isal);
	tcase_add_test(tcase, vandermonde_matrices_are_powers);
	tcase_add_test(tcase, vandermonde_matrices_may_not_recover);
	tcase_add_test(tcase, random_tasks);
	tcase_add_test(tcase, whatever_is_lost_is_recovered);
	tcase_add_test(tcase, a_wide_code);
	tcase_add_test(tcase, a_coding_matrix_is_refused_when_it_runs);
	tcase_add_test(tcase, a_coding_matrix_of_parity_recovers);
	tcase_add_test(tcase, updates_equal_creations);
	tcase_add_test(tcase, impossible_recoveries_are_refused);
	tcase_add_test(tcase, matrices_are_checked);
	tcase_add_test(tcase, tasks_check_their_matrices);
	tcase_add_test(tcase, raw_update_matrices);
	tcase_add_test(tcase, a_matrix_in_use_stays);
	tcase_add_test(tcase, a_foreign_matrix_is_not_kept);
	tcase_add_test(tcase, an_object_may_end_before_its_matrices);
	tcase_add_test(tcase, sizes_are_checked);
	tcase_add_test(tcase, buffers_are_checked);
	tcase_add_test(tcase, limits_of_the_device_hold);
	tcase_add_test(tcase, sums_do_not_wrap);
	tcase_add_test(tcase, refusals_of_a_peer_are_named);
	tcase_add_test(tcase, large_remote_blocks_go_in_parts);
	tcase_add_test(tcase, a_failed_task_stops_the_context);
	return unit_run(suite);
}
