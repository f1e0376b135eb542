/*
 * Erasure coding: matrices and tasks. An input says the kind and size of a matrix, which blocks are
 * lost or change, the size of blocks, and the lists of both sides; its rest is coefficients and
 * data. A matrix must be made exactly if its numbers follow the header. A task must give the
 * product that is computed here byte by byte, and write nothing else. What is lost must come back,
 * and an update must equal the redundancy of the new data.
 */
#include <doca_erasure_coding.h>

#include "client/erasure_coding/ec.h"
#include "tests/fuzz/lists.h"

#define UNIT       64u
#define MAX_UNITS  4u
#define N_DATA_MAX 12u
#define N_RDNC_MAX 8u
#define N_INDICES  10u
#define BLOCKS_LEN ((size_t)(2 * N_DATA_MAX + N_RDNC_MAX) * UNIT * MAX_UNITS)

enum {
	HOW_TYPE = 3, /* 0 Cauchy, 1 Vandermonde, 2 raw, 3 no type */
	HOW_SRC_PEER = 4,
	HOW_DST_PEER = 8,
	HOW_TRY = 16,
	HOW_LARGE = 32, /* large numbers of blocks: only the matrix is made */
	HOW_UPDATE = 64,
	HOW_ODD = 128, /* the source has a byte less */
};

struct head {
	uint8_t how;
	uint8_t n_data, n_rdnc;
	uint8_t units;  /* of a block */
	uint8_t shapes; /* buffers of the source, and of the destination in the upper half */
	int8_t slack;   /* room of the destination beyond the result */
	uint8_t peer;   /* as in aes_gcm_fuzz.c, in units of 16 bytes */
	uint8_t n_indices;
	uint8_t indices[N_INDICES];
	uint8_t cuts[2][LISTS_CUTS];
};

/* The numbers of a matrix and of its tasks. */
struct code {
	const struct head *head;
	size_t n_data, n_rdnc, block_len;
	const uint8_t *body;
	size_t body_len;
};

static uint8_t products[256][256];
static struct doca_ec *ec;
static struct doca_ctx *ctx;
static bool is_done;
static doca_error_t status;

static void completed(struct doca_task *task)
{
	is_done = true;
	status = doca_task_get_status(task);
	doca_task_free(task);
}

#define CALLBACK(kind)                                                                  \
	static void kind##_done(struct doca_ec_task_##kind *task, union doca_data data, \
				union doca_data ctx_data)                               \
	{                                                                               \
		(void)data;                                                             \
		(void)ctx_data;                                                         \
		completed(doca_ec_task_##kind##_as_task(task));                         \
	}

CALLBACK(galois_mul)
CALLBACK(create)
CALLBACK(update)
CALLBACK(recover)

/* Multiplies in GF(2^8) with the polynomial 0x11d. */
static uint8_t multiply(unsigned a, unsigned b)
{
	unsigned result = 0;

	for (; b != 0; b >>= 1) {
		if ((b & 1) != 0)
			result ^= a;
		a <<= 1;
		if ((a & 0x100) != 0)
			a ^= 0x11d;
	}
	return (uint8_t)result;
}

static void target_open(void)
{
	ends_info.caps.ec = true;
	ends_info.caps.ec_max_block_size = (uint64_t)UNIT * (MAX_UNITS - 1);
	ends_info.caps.ec_max_list_len = LISTS_MAX;
	ends_info.caps.ec_max_tasks = 2;
	ends_info.caps.ec_max_data_blocks = ends_info.caps.ec_max_rdnc_blocks = 255;
	ends_open();
	lists_open();
	FUZZ_CHECK(doca_ec_create(&ends_dev, &ec) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_ec_task_galois_mul_set_conf(ec, galois_mul_done, galois_mul_done, 2) ==
		   DOCA_SUCCESS);
	FUZZ_CHECK(doca_ec_task_create_set_conf(ec, create_done, create_done, 2) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_ec_task_update_set_conf(ec, update_done, update_done, 2) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_ec_task_recover_set_conf(ec, recover_done, recover_done, 2) ==
		   DOCA_SUCCESS);
	ctx = doca_ec_as_ctx(ec);
	FUZZ_CHECK(doca_pe_connect_ctx(ends_pe, ctx) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_ctx_start(ctx) == DOCA_SUCCESS);
	for (unsigned a = 0; a < 256; a++)
		for (unsigned b = 0; b < 256; b++)
			products[a][b] = multiply(a, b);
}

/* --- matrices --- */

static bool counts_are_valid(const struct code *c)
{
	size_t max_data;

	if (c->n_data == 0 || c->n_rdnc == 0 || c->n_rdnc > 255)
		return false;
	max_data = 256 - c->n_rdnc;
	if ((c->head->how & HOW_TYPE) == 2) /* an update matrix may have more columns */
		max_data = 2 * max_data + c->n_rdnc;
	return c->n_data <= max_data;
}

static void fill(const struct code *c, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = c->body_len == 0 ? (uint8_t)(i * 7 + 1)
					  : (uint8_t)(c->body[i % c->body_len] + i / c->body_len);
}

/* Returns NULL if the matrix must not exist. */
static struct doca_ec_matrix *matrix_new(const struct code *c)
{
	static uint8_t raw[512 * 512];
	struct doca_ec_matrix *matrix = NULL;
	uint8_t type = c->head->how & HOW_TYPE;
	doca_error_t result;
	bool is_valid = type != 3 && counts_are_valid(c);

	if (type == 2) {
		fill(c, raw, c->n_data * c->n_rdnc);
		result = doca_ec_matrix_create_from_raw(ec, raw, c->n_data, c->n_rdnc, &matrix);
	} else {
		result = doca_ec_matrix_create(ec,
					       type == 0   ? DOCA_EC_MATRIX_TYPE_CAUCHY
					       : type == 1 ? DOCA_EC_MATRIX_TYPE_VANDERMONDE
							   : (enum doca_ec_matrix_type)77,
					       c->n_data, c->n_rdnc, &matrix);
	}
	FUZZ_CHECK(result == (is_valid ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE));
	FUZZ_CHECK((matrix != NULL) == is_valid);
	if (type == 2 && is_valid)
		FUZZ_CHECK(memcmp(matrix->rows, raw, c->n_data * c->n_rdnc) == 0);
	return matrix;
}

static bool indices_are_valid(const uint32_t *indices, size_t n, size_t max_n, size_t n_blocks)
{
	if (n == 0 || n > max_n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (indices[i] >= n_blocks)
			return false;
		for (size_t k = 0; k < i; k++)
			if (indices[k] == indices[i])
				return false;
	}
	return true;
}

/* --- tasks --- */

static struct doca_task *task_new(enum ec_kind kind, const struct doca_ec_matrix *m,
				  const struct doca_buf *src, struct doca_buf *dst)
{
	const union doca_data none = {.u64 = 0};
	struct doca_ec_task_galois_mul *galois_mul;
	struct doca_ec_task_create *create;
	struct doca_ec_task_update *update;
	struct doca_ec_task_recover *recover;

	switch (kind) {
	case EC_CREATE:
		FUZZ_CHECK(doca_ec_task_create_allocate_init(ec, m, src, dst, none, &create) ==
			   DOCA_SUCCESS);
		return doca_ec_task_create_as_task(create);
	case EC_UPDATE:
		FUZZ_CHECK(doca_ec_task_update_allocate_init(ec, m, src, dst, none, &update) ==
			   DOCA_SUCCESS);
		return doca_ec_task_update_as_task(update);
	case EC_RECOVER:
		FUZZ_CHECK(doca_ec_task_recover_allocate_init(ec, m, src, dst, none, &recover) ==
			   DOCA_SUCCESS);
		return doca_ec_task_recover_as_task(recover);
	default:
		FUZZ_CHECK(doca_ec_task_galois_mul_allocate_init(ec, m, src, dst, none,
								 &galois_mul) == DOCA_SUCCESS);
		return doca_ec_task_galois_mul_as_task(galois_mul);
	}
}

/* Runs a task. Returns its status, or why it was refused. A failed task stops the context. */
static doca_error_t run(struct doca_task *task, bool tries)
{
	doca_error_t result = tries ? doca_task_try_submit(task) : doca_task_submit(task);
	enum doca_ctx_states state;

	if (result != DOCA_SUCCESS) {
		FUZZ_CHECK(tries);
		doca_task_free(task);
		return result;
	}
	is_done = false;
	ends_progress(1000);
	FUZZ_CHECK(is_done);
	result = status;
	FUZZ_CHECK(doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS);
	FUZZ_CHECK(state ==
		   (result == DOCA_SUCCESS ? DOCA_CTX_STATE_RUNNING : DOCA_CTX_STATE_IDLE));
	if (state == DOCA_CTX_STATE_IDLE)
		FUZZ_CHECK(doca_ctx_start(ctx) == DOCA_SUCCESS);
	return result;
}

/* Computes the product of a matrix with blocks. */
static void product(const struct doca_ec_matrix *m, const uint8_t *in, size_t len, uint8_t *out)
{
	memset(out, 0, m->n_out * len);
	for (size_t r = 0; r < m->n_out; r++)
		for (size_t c = 0; c < m->n_in; c++)
			for (size_t i = 0; i < len; i++)
				out[r * len + i] ^=
					products[m->rows[r * m->n_in + c]][in[c * len + i]];
}

/* Runs a task with these blocks. Returns whether it succeeded; then `out` has the result. */
static bool run_case(const struct code *c, enum ec_kind kind, const struct doca_ec_matrix *m,
		     const uint8_t *in, uint8_t *out)
{
	const struct head *h = c->head;
	struct lists_shape src_shape = {h->cuts[0], 16, 1 + (h->shapes & 7)};
	struct lists_shape dst_shape = {h->cuts[1], 16, 1 + (h->shapes >> 4 & 7)};
	size_t n = m->n_in * c->block_len, out_len = m->n_out * c->block_len;
	size_t room = h->slack < 0 && (size_t)-h->slack > out_len
			      ? 0
			      : out_len + (size_t)(ssize_t)h->slack;
	bool is_valid = room >= out_len && src_shape.n <= LISTS_MAX && dst_shape.n <= LISTS_MAX;
	bool may_fail = (h->peer >> 4) != 0;
	struct doca_buf *src, *dst;
	doca_error_t result;

	if ((h->how & HOW_ODD) != 0 && n > 0)
		n--;
	is_valid = is_valid && (h->how & HOW_ODD) == 0 && c->block_len != 0 &&
		   c->block_len <= ends_info.caps.ec_max_block_size;
	lists_reset();
	src = lists_src((h->how & HOW_SRC_PEER) != 0 ? &lists_theirs : &lists_ours, src_shape, in,
			n);
	dst = lists_dst((h->how & HOW_DST_PEER) != 0 ? &lists_theirs : &lists_ours, dst_shape,
			room);
	lists_record();
	lists_peer.piece = (size_t)(h->peer & 15) * 16;
	lists_peer.n_left = h->peer >> 4;
	lists_peer.fails = may_fail;
	if (is_valid) {
		product(m, in, c->block_len, out);
		lists_expect(dst, out, out_len);
	}
	result = run(task_new(kind, m, src, dst), (h->how & HOW_TRY) != 0);
	FUZZ_CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IO_FAILED ||
		   result == DOCA_ERROR_INVALID_VALUE);
	FUZZ_CHECK(is_valid ? result == DOCA_SUCCESS || may_fail : result != DOCA_SUCCESS);
	lists_check_len(dst, LISTS_USED, result == DOCA_SUCCESS ? out_len : 0);
	if (result == DOCA_SUCCESS || !is_valid)
		lists_compare();
	lists_release(src);
	lists_release(dst);
	return result == DOCA_SUCCESS;
}

/* --- recoveries and updates --- */

static uint8_t blocks[BLOCKS_LEN], changed[BLOCKS_LEN], rdnc[BLOCKS_LEN], again[BLOCKS_LEN],
	in_blocks[BLOCKS_LEN];

static uint8_t *block_of(const struct code *c, uint8_t *data, size_t i)
{
	return data + i * c->block_len;
}

/* A loss is recovered if its matrix exists, which it must for a Cauchy matrix, and also for a
 * Vandermonde matrix if only data is lost. */
static void recover(const struct code *c, struct doca_ec_matrix *coding, uint32_t *lost, size_t n)
{
	bool is_valid = indices_are_valid(lost, n, c->n_rdnc, c->n_data + c->n_rdnc);
	bool must_exist = (c->head->how & HOW_TYPE) < 2, is_lost[256] = {false};
	struct doca_ec_matrix *matrix = NULL;
	doca_error_t result = doca_ec_matrix_create_recover(ec, coding, lost, n, &matrix);
	bool has_rdnc = run_case(c, EC_CREATE, coding, blocks, rdnc);

	FUZZ_CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_INVALID_VALUE);
	FUZZ_CHECK(is_valid || result != DOCA_SUCCESS);
	FUZZ_CHECK(doca_ec_matrix_destroy(coding) == DOCA_SUCCESS);
	for (size_t i = 0; is_valid && i < n; i++) {
		is_lost[lost[i]] = true;
		must_exist &= (c->head->how & HOW_TYPE) == 0 || lost[i] < c->n_data;
	}
	FUZZ_CHECK(!is_valid || !must_exist || result == DOCA_SUCCESS);
	if (result != DOCA_SUCCESS)
		return;
	for (size_t i = 0, k = 0; k < c->n_data; i++) {
		if (is_lost[i])
			continue;
		memcpy(block_of(c, in_blocks, k++),
		       i < c->n_data ? block_of(c, blocks, i) : block_of(c, rdnc, i - c->n_data),
		       c->block_len);
	}
	if (has_rdnc && run_case(c, EC_RECOVER, matrix, in_blocks, again))
		for (size_t i = 0; i < n; i++)
			FUZZ_CHECK(memcmp(block_of(c, again, i),
					  lost[i] < c->n_data
						  ? block_of(c, blocks, lost[i])
						  : block_of(c, rdnc, lost[i] - c->n_data),
					  c->block_len) == 0);
	FUZZ_CHECK(doca_ec_matrix_destroy(matrix) == DOCA_SUCCESS);
}

static void update(const struct code *c, struct doca_ec_matrix *coding, uint32_t *indices, size_t n)
{
	bool is_valid = indices_are_valid(indices, n, c->n_data, c->n_data);
	struct doca_ec_matrix *matrix = NULL;
	doca_error_t result = doca_ec_matrix_create_update(ec, coding, indices, n, &matrix);
	bool has_rdnc = run_case(c, EC_CREATE, coding, blocks, rdnc), is_updated = false;

	FUZZ_CHECK(result == (is_valid ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE));
	memcpy(changed, blocks, c->n_data * c->block_len);
	for (size_t i = 0; is_valid && i < n; i++) {
		uint8_t *block = block_of(c, changed, indices[i]);

		for (size_t k = 0; k < c->block_len; k++)
			block[k] ^= (uint8_t)(k + i + 1);
		memcpy(block_of(c, in_blocks, 2 * i), block_of(c, blocks, indices[i]),
		       c->block_len);
		memcpy(block_of(c, in_blocks, 2 * i + 1), block, c->block_len);
	}
	if (is_valid && has_rdnc) {
		memcpy(block_of(c, in_blocks, 2 * n), rdnc, c->n_rdnc * c->block_len);
		is_updated = run_case(c, EC_UPDATE, matrix, in_blocks, again);
	}
	if (is_updated && run_case(c, EC_GALOIS_MUL, coding, changed, rdnc))
		FUZZ_CHECK(memcmp(rdnc, again, c->n_rdnc * c->block_len) == 0);
	if (matrix != NULL)
		FUZZ_CHECK(doca_ec_matrix_destroy(matrix) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_ec_matrix_destroy(coding) == DOCA_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct head head;
	struct code c = {.head = &head, .body = data + sizeof(head)};
	uint32_t indices[N_INDICES];
	struct doca_ec_matrix *coding;
	size_t n;

	if (len < sizeof(head))
		return 0;
	if (ec == NULL)
		target_open();
	memcpy(&head, data, sizeof(head));
	c.body_len = len - sizeof(head);
	c.n_data = (head.how & HOW_LARGE) != 0 ? head.n_data * 2u : head.n_data % (N_DATA_MAX + 1);
	c.n_rdnc = (head.how & HOW_LARGE) != 0 ? head.n_rdnc * 2u : head.n_rdnc % (N_RDNC_MAX + 1);
	c.block_len = (size_t)(head.units % (MAX_UNITS + 1)) * UNIT;
	coding = matrix_new(&c);
	if (coding == NULL)
		return 0;
	if ((head.how & HOW_LARGE) != 0) {
		FUZZ_CHECK(doca_ec_matrix_destroy(coding) == DOCA_SUCCESS);
		return 0;
	}
	n = head.n_indices % (N_INDICES + 1);
	for (size_t i = 0; i < n; i++)
		indices[i] = head.indices[i] % (uint32_t)(c.n_data + c.n_rdnc + 1);
	fill(&c, blocks, c.n_data * c.block_len);
	if ((head.how & HOW_UPDATE) != 0)
		update(&c, coding, indices, n);
	else
		recover(&c, coding, indices, n);
	return 0;
}

/* Seed i has the bits of i in `how`, so that the first ones have each bit. */
size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	struct head head = {
		.how = (uint8_t)(i < 8 ? 1u << i : i * 29),
		.n_data = (uint8_t)(1 + i % N_DATA_MAX),
		.n_rdnc = (uint8_t)(1 + i * 5 % N_RDNC_MAX),
		.units = (uint8_t)(1 + i % 3),
		.shapes = (uint8_t)(i * 0x13),
		.slack = (int8_t)(i % 4 == 3 ? -1 : (int)i),
		.peer = (uint8_t)(i % 16),
		.n_indices = (uint8_t)(1 + i % 4),
		.indices = {0, 3, 1, 5, 2, 7, 4, 9, 6, 8},
		.cuts = {{4, 1, 9, 0, 3, 16, 2, 5}, {2, 7, 1, 4, 0, 3, 6, 8}},
	};
	size_t n = i * 17 % 100;

	if (i >= 40 || out_len < sizeof(head) + n)
		return 0;
	memcpy(out, &head, sizeof(head));
	for (size_t k = 0; k < n; k++)
		out[sizeof(head) + k] = (uint8_t)(k * k + i);
	return sizeof(head) + n;
}
