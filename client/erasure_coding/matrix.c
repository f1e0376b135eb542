/*
 * Matrices: coding matrices, and those for updates and recoveries that are derived from them; see
 * client/erasure_coding/ec.h. A matrix belongs to the object that it was made with and to its
 * thread. It is not destroyed while a task that uses it is in flight. Threads: those of the
 * progress engine.
 */
#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/erasure_coding/ec.h"
#include "util/str.h"

static doca_error_t null_argument(const char *what, const char *name)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what, name);
}

static doca_error_t no_memory(const char *what)
{
	return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory", what);
}

/* --- the object --- */

/* The kinds of tasks that may use a matrix. With a matrix that was made for another kind, a task
 * would write wrong blocks. The exceptions are set where a matrix is made. */
static const uint8_t uses_of_kinds[] = {
	[EC_MATRIX_CODING] = EC_USE(EC_GALOIS_MUL) | EC_USE(EC_CREATE),
	[EC_MATRIX_UPDATE] = EC_USE(EC_GALOIS_MUL) | EC_USE(EC_UPDATE),
	[EC_MATRIX_RECOVER] = EC_USE(EC_GALOIS_MUL) | EC_USE(EC_RECOVER),
	[EC_MATRIX_WIDE] = EC_USE(EC_GALOIS_MUL) | EC_USE(EC_UPDATE),
};
static const char *const kind_names[] = {
	[EC_MATRIX_CODING] = "coding",
	[EC_MATRIX_UPDATE] = "update",
	[EC_MATRIX_RECOVER] = "recover",
	[EC_MATRIX_WIDE] = "wide raw",
};

/* Allocates a matrix, its rows and its tables as one block. Returns NULL if memory is short. */
static struct doca_ec_matrix *matrix_new(enum ec_matrix_kind kind, size_t n_in, size_t n_out,
					 uint8_t **rows_out)
{
	size_t n = n_in * n_out;
	size_t tables_at = ALIGN_UP(sizeof(struct doca_ec_matrix), 64);
	struct doca_ec_matrix *matrix;
	uint8_t *bytes;

	if (posix_memalign((void **)&bytes, 64, tables_at + n * (CODE_TABLE_LEN + 1)) != 0)
		return NULL;
	matrix = (struct doca_ec_matrix *)(void *)bytes;
	*rows_out = bytes + tables_at + n * CODE_TABLE_LEN;
	*matrix = (struct doca_ec_matrix){
		.tables = bytes + tables_at,
		.n_in = (uint16_t)n_in,
		.n_out = (uint16_t)n_out,
		.kind = (uint8_t)kind,
		.uses = uses_of_kinds[kind],
		.rows = *rows_out,
	};
	return matrix;
}

/* Completes a matrix whose rows are set. */
static void matrix_add(struct doca_ec *ec, struct doca_ec_matrix *matrix)
{
	/* The tables are constant for all others. */
	code_expand(matrix->n_in, matrix->n_out, matrix->rows, (uint8_t *)matrix->tables);
	matrix->ec = ec;
	list_append(&ec->matrices, &matrix->node);
}

/* --- coding matrices --- */

static doca_error_t counts_check(const struct doca_ec *ec, size_t n_data, size_t n_rdnc,
				 const char *what)
{
	if (n_data == 0 || n_rdnc == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: no %s blocks; a code has at least one", what,
				 n_data == 0 ? "data" : "redundancy");
	if (n_data > ec->max_data_blocks || n_rdnc > ec->max_rdnc_blocks)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %zu data and %zu redundancy blocks; the device allows %u and "
				 "%u",
				 what, n_data, n_rdnc, ec->max_data_blocks, ec->max_rdnc_blocks);
	if (n_data + n_rdnc > CODE_MAX_BLOCKS)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %zu data and %zu redundancy blocks; a code over bytes has at "
				 "most %u in all",
				 what, n_data, n_rdnc, CODE_MAX_BLOCKS);
	return DOCA_SUCCESS;
}

doca_error_t doca_ec_matrix_create(struct doca_ec *ec, enum doca_ec_matrix_type type,
				   size_t data_block_count, size_t rdnc_block_count,
				   struct doca_ec_matrix **matrix_out)
{
	const char *what = "ec matrix create";
	struct doca_ec_matrix *matrix;
	doca_error_t result;
	uint8_t *rows;

	if (ec == NULL || matrix_out == NULL)
		return null_argument(what, ec == NULL ? "ec" : "the result");
	if (type != DOCA_EC_MATRIX_TYPE_CAUCHY && type != DOCA_EC_MATRIX_TYPE_VANDERMONDE)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"%s: %u is no type of matrix; they are CAUCHY (1), VANDERMONDE (2)", what,
			(unsigned)type);
	result = counts_check(ec, data_block_count, rdnc_block_count, what);
	if (result != DOCA_SUCCESS)
		return result;
	matrix = matrix_new(EC_MATRIX_CODING, data_block_count, rdnc_block_count, &rows);
	if (matrix == NULL)
		return no_memory(what);
	/* The only row consists of ones, so the redundancy block is the sum of the data blocks, and
	 * each block is the sum of all others: the matrix recovers any one block from the remaining
	 * ones. */
	if (type == DOCA_EC_MATRIX_TYPE_VANDERMONDE && rdnc_block_count == 1)
		matrix->uses |= EC_USE(EC_RECOVER);
	if (type == DOCA_EC_MATRIX_TYPE_VANDERMONDE) {
		code_vandermonde(data_block_count, rdnc_block_count, rows);
	} else if (code_cauchy(data_block_count, rdnc_block_count, rows) != CODE_DONE) {
		free(matrix);
		return no_memory(what);
	}
	matrix_add(ec, matrix);
	*matrix_out = matrix;
	return DOCA_SUCCESS;
}

/* Sets *kind_out to CODING if a code has that many blocks. Sets it to WIDE if only an update of a
 * code reads that many: old and new content of each data block, and the redundancy. */
static doca_error_t raw_counts_check(const struct doca_ec *ec, size_t n_in, size_t n_out,
				     enum ec_matrix_kind *kind_out, const char *what)
{
	size_t max_data, max_in;

	*kind_out = EC_MATRIX_CODING;
	if (n_out == 0 || n_out > MIN(ec->max_rdnc_blocks, CODE_MAX_BLOCKS - 1))
		return counts_check(ec, n_in, n_out, what);
	max_data = MIN(ec->max_data_blocks, CODE_MAX_BLOCKS - n_out);
	if (n_in <= max_data)
		return counts_check(ec, n_in, n_out, what);
	max_in = 2 * max_data + n_out;
	if (n_in > max_in)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %zu columns; the device allows %zu data blocks here, and an "
				 "update of all of them has %zu columns",
				 what, n_in, max_data, max_in);
	*kind_out = EC_MATRIX_WIDE;
	return DOCA_SUCCESS;
}

doca_error_t ec_matrix_from_raw(struct doca_ec *ec, const uint8_t *data, size_t n_data,
				size_t n_rdnc, struct doca_ec_matrix **matrix_out)
{
	const char *what = "ec matrix from raw";
	struct doca_ec_matrix *matrix;
	enum ec_matrix_kind kind;
	doca_error_t result;
	uint8_t *rows;

	if (ec == NULL || data == NULL || matrix_out == NULL)
		return null_argument(what, ec == NULL     ? "ec"
					   : data == NULL ? "data"
							  : "the result");
	result = raw_counts_check(ec, n_data, n_rdnc, &kind, what);
	if (result != DOCA_SUCCESS)
		return result;
	matrix = matrix_new(kind, n_data, n_rdnc, &rows);
	if (matrix == NULL)
		return no_memory(what);
	/* The program may have computed the rows for any kind of task. */
	if (kind == EC_MATRIX_CODING)
		matrix->uses = EC_USE_ALL;
	memcpy(rows, data, n_data * n_rdnc);
	matrix_add(ec, matrix);
	*matrix_out = matrix;
	return DOCA_SUCCESS;
}

doca_error_t doca_ec_matrix_create_from_raw(struct doca_ec *ec, uint8_t *data,
					    size_t data_block_count, size_t rdnc_block_count,
					    struct doca_ec_matrix **matrix)
{
	return ec_matrix_from_raw(ec, data, data_block_count, rdnc_block_count, matrix);
}

/* --- derived matrices --- */

/* The checks that both kinds of derived matrices share. */
static doca_error_t derived_check(const struct doca_ec *ec, const struct doca_ec_matrix *coding,
				  const uint32_t *indices, const void *out, const char *what)
{
	if (ec == NULL || coding == NULL || indices == NULL || out == NULL)
		return null_argument(what, ec == NULL        ? "ec"
					   : coding == NULL  ? "coding_matrix"
					   : indices == NULL ? "the array of indices"
							     : "the result");
	if (coding->ec != ec)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the coding matrix belongs to another object", what);
	if (!ec_matrix_suits(coding, EC_CREATE))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the matrix is of the kind %s; pass the coding matrix that "
				 "the redundancy blocks were created with",
				 what, kind_names[coding->kind]);
	return DOCA_SUCCESS;
}

/* Checks that indices are distinct and below n_blocks. */
static doca_error_t indices_check(const uint32_t *indices, size_t n, size_t n_blocks,
				  const char *what)
{
	bool is_listed[CODE_MAX_BLOCKS] = {false};

	for (size_t i = 0; i < n; i++) {
		if (indices[i] >= n_blocks)
			return error_set(DOCA_ERROR_INVALID_VALUE,
					 "%s: index %u is too large; there are %zu blocks", what,
					 indices[i], n_blocks);
		if (is_listed[indices[i]])
			return error_set(DOCA_ERROR_INVALID_VALUE, "%s: index %u is listed twice",
					 what, indices[i]);
		is_listed[indices[i]] = true;
	}
	return DOCA_SUCCESS;
}

/* A redundancy block changes by its coefficient times the difference of old and new data. The
 * source of an update has the old and the new content of each changed block next to each other. */
static void update_rows(const struct doca_ec_matrix *coding, const uint32_t *indices, size_t n,
			uint8_t *rows)
{
	size_t n_in = 2 * n + coding->n_out;

	memset(rows, 0, n_in * coding->n_out);
	for (size_t r = 0; r < coding->n_out; r++) {
		uint8_t *row = rows + r * n_in;

		for (size_t i = 0; i < n; i++)
			row[2 * i] = row[2 * i + 1] = coding->rows[r * coding->n_in + indices[i]];
		row[2 * n + r] = 1;
	}
}

doca_error_t ec_matrix_update(struct doca_ec *ec, const struct doca_ec_matrix *coding,
			      const uint32_t *indices, size_t n, struct doca_ec_matrix **matrix_out)
{
	const char *what = "ec update matrix create";
	doca_error_t result = derived_check(ec, coding, indices, matrix_out, what);
	struct doca_ec_matrix *matrix;
	uint8_t *rows;

	if (result != DOCA_SUCCESS)
		return result;
	if (n == 0 || n > coding->n_in)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %zu data blocks change; of %u blocks, 1 to all can", what, n,
				 coding->n_in);
	result = indices_check(indices, n, coding->n_in, what);
	if (result != DOCA_SUCCESS)
		return result;
	matrix = matrix_new(EC_MATRIX_UPDATE, 2 * n + coding->n_out, coding->n_out, &rows);
	if (matrix == NULL)
		return no_memory(what);
	update_rows(coding, indices, n, rows);
	matrix_add(ec, matrix);
	*matrix_out = matrix;
	return DOCA_SUCCESS;
}

doca_error_t doca_ec_matrix_create_update(struct doca_ec *ec,
					  const struct doca_ec_matrix *coding_matrix,
					  uint32_t update_indices[], size_t n_updates,
					  struct doca_ec_matrix **matrix)
{
	return ec_matrix_update(ec, coding_matrix, update_indices, n_updates, matrix);
}

doca_error_t ec_matrix_recover(struct doca_ec *ec, const struct doca_ec_matrix *coding,
			       const uint32_t *indices, size_t n,
			       struct doca_ec_matrix **matrix_out)
{
	const char *what = "ec recover matrix create";
	doca_error_t result = derived_check(ec, coding, indices, matrix_out, what);
	struct doca_ec_matrix *matrix;
	struct code_loss loss;
	enum code_result made;
	uint8_t *rows;

	if (result != DOCA_SUCCESS)
		return result;
	if (n == 0 || n > coding->n_out)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %zu %s missing; with %u redundancy blocks, 1 to %u can be "
				 "recovered",
				 what, n, plural((uint32_t)n, "block is", "blocks are"),
				 coding->n_out, coding->n_out);
	result = indices_check(indices, n, (size_t)coding->n_in + coding->n_out, what);
	if (result != DOCA_SUCCESS)
		return result;
	matrix = matrix_new(EC_MATRIX_RECOVER, coding->n_in, n, &rows);
	if (matrix == NULL)
		return no_memory(what);
	loss = (struct code_loss){coding->rows, coding->n_in, coding->n_out, indices, n};
	made = code_recover(&loss, rows);
	if (made != CODE_DONE) {
		free(matrix);
		if (made == CODE_NO_MEMORY)
			return no_memory(what);
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the blocks that are left do not determine the missing ones, "
				 "because their rows of the coding matrix are dependent; a CAUCHY "
				 "matrix has no such rows",
				 what);
	}
	matrix_add(ec, matrix);
	*matrix_out = matrix;
	return DOCA_SUCCESS;
}

doca_error_t doca_ec_matrix_create_recover(struct doca_ec *ec,
					   const struct doca_ec_matrix *coding_matrix,
					   uint32_t missing_indices[], size_t n_missing,
					   struct doca_ec_matrix **matrix)
{
	return ec_matrix_recover(ec, coding_matrix, missing_indices, n_missing, matrix);
}

/* --- use and end --- */

doca_error_t ec_matrix_check(const struct doca_ec *ec, const struct doca_ec_matrix *matrix,
			     enum ec_kind kind, const char *what)
{
	if (matrix->ec != ec)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "ec %s %s: the matrix belongs to another object",
				 ec_kind_names[kind], what);
	if (!ec_matrix_suits(matrix, kind))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "ec %s %s: %s matrices are not for this kind of task",
				 ec_kind_names[kind], what, kind_names[matrix->kind]);
	return DOCA_SUCCESS;
}

static struct ec_task *task_at(const struct task_pool *pool, uint32_t i)
{
	return (struct ec_task *)(void *)((uint8_t *)pool->memory + pool->stride * i);
}

/* Returns the number of submitted tasks that use the matrix. */
static uint32_t tasks_in_flight(const struct doca_ec_matrix *matrix)
{
	uint32_t n = 0;

	for (size_t k = 0; k < EC_N_KINDS; k++) {
		const struct task_pool *pool = &matrix->ec->pools[k];

		for (uint32_t i = 0; i < pool->n_tasks; i++) {
			const struct ec_task *t = task_at(pool, i);

			n += t->task.state == TASK_SUBMITTED && t->matrix == matrix;
		}
	}
	return n;
}

/* Makes tasks that are not in flight forget the matrix, so that submitting them is an error. */
static void tasks_forget(const struct doca_ec_matrix *matrix)
{
	for (size_t k = 0; k < EC_N_KINDS; k++) {
		const struct task_pool *pool = &matrix->ec->pools[k];

		for (uint32_t i = 0; i < pool->n_tasks; i++)
			if (task_at(pool, i)->matrix == matrix)
				task_at(pool, i)->matrix = NULL;
	}
}

doca_error_t doca_ec_matrix_destroy(struct doca_ec_matrix *matrix)
{
	uint32_t n;

	if (matrix == NULL)
		return null_argument("ec matrix destroy", "matrix");
	n = atomic_load_explicit(&matrix->n_jobs, memory_order_acquire);
	if (matrix->ec != NULL)
		n += tasks_in_flight(matrix);
	if (n != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "ec matrix destroy: %u %s the matrix; wait for the completion", n,
				 plural(n, "task in flight uses", "tasks in flight use"));
	if (matrix->ec != NULL) {
		tasks_forget(matrix);
		list_remove(&matrix->node);
	}
	free(matrix);
	return DOCA_SUCCESS;
}
