/* Codes over GF(2^8); see client/erasure_coding/code.h. */
#include "client/erasure_coding/code.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"

#ifdef HAVE_ISAL

#include <isa-l/erasure_code.h>

bool code_is_built(void)
{
	return true;
}

/* ISA-L writes the identity of the data blocks before the rows of the redundancy blocks. */
enum code_result code_cauchy(size_t n_data, size_t n_rdnc, uint8_t *rows_out)
{
	uint8_t *matrix = malloc((n_data + n_rdnc) * n_data);

	if (matrix == NULL)
		return CODE_NO_MEMORY;
	gf_gen_cauchy1_matrix(matrix, (int)(n_data + n_rdnc), (int)n_data);
	memcpy(rows_out, matrix + n_data * n_data, n_rdnc * n_data);
	free(matrix);
	return CODE_DONE;
}

/* gf_gen_rs_matrix() makes another matrix: its coefficients are powers of 2. */
void code_vandermonde(size_t n_data, size_t n_rdnc, uint8_t *rows_out)
{
	memset(rows_out, 1, n_data);
	for (size_t r = 1; r < n_rdnc; r++)
		for (size_t c = 0; c < n_data; c++)
			rows_out[r * n_data + c] = gf_mul(rows_out[(r - 1) * n_data + c],
							  (uint8_t)(c + 1));
}

/* Writes the rows from which the first n_data remaining blocks were computed. */
static void rows_of_left(const struct code_loss *loss, uint8_t *rows)
{
	bool is_lost[CODE_MAX_BLOCKS] = {false};
	size_t k = loss->n_data, n = 0;

	for (size_t i = 0; i < loss->n_lost; i++)
		is_lost[loss->lost[i]] = true;
	for (size_t i = 0; n < k; i++) {
		if (is_lost[i])
			continue;
		if (i < k) {
			memset(rows + n * k, 0, k);
			rows[n * k + i] = 1;
		} else {
			memcpy(rows + n * k, loss->coding + (i - k) * k, k);
		}
		n++;
	}
}

/* A lost redundancy block is its coding row applied to the data, thus its row times the inverse. */
static void row_times_inverse(const uint8_t *row, const uint8_t *inverse, size_t k, uint8_t *out)
{
	memset(out, 0, k);
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			out[j] ^= gf_mul(row[i], inverse[i * k + j]);
}

enum code_result code_recover(const struct code_loss *loss, uint8_t *rows_out)
{
	size_t k = loss->n_data;
	uint8_t *rows = malloc(2 * k * k), *inverse = rows + k * k;
	enum code_result result = CODE_SINGULAR;

	if (rows == NULL)
		return CODE_NO_MEMORY;
	rows_of_left(loss, rows);
	if (gf_invert_matrix(rows, inverse, (int)k) == 0) {
		result = CODE_DONE;
		for (size_t i = 0; i < loss->n_lost; i++) {
			size_t lost = loss->lost[i];

			if (lost < k)
				memcpy(rows_out + i * k, inverse + lost * k, k);
			else
				row_times_inverse(loss->coding + (lost - k) * k, inverse, k,
						  rows_out + i * k);
		}
	}
	free(rows);
	return result;
}

void code_expand(size_t n_in, size_t n_out, const uint8_t *rows, uint8_t *tables_out)
{
	/* The cast is safe: ISA-L only reads the matrix. */
	ec_init_tables((int)n_in, (int)n_out, (uint8_t *)rows, tables_out);
}

void code_apply(size_t len, size_t n_in, size_t n_out, const uint8_t *tables, uint8_t **in,
		uint8_t **out)
{
	/* The cast is safe: ISA-L only reads the tables. */
	ec_encode_data((int)len, (int)n_in, (int)n_out, (uint8_t *)tables, in, out);
}

#else /* HAVE_ISAL */

bool code_is_built(void)
{
	return false;
}

/* No object can be created, so nothing calls the functions below. */

enum code_result code_cauchy(size_t n_data, size_t n_rdnc, uint8_t *rows_out)
{
	(void)n_data, (void)n_rdnc, (void)rows_out;
	return CODE_NO_MEMORY;
}

void code_vandermonde(size_t n_data, size_t n_rdnc, uint8_t *rows_out)
{
	(void)n_data, (void)n_rdnc, (void)rows_out;
}

enum code_result code_recover(const struct code_loss *loss, uint8_t *rows_out)
{
	(void)loss, (void)rows_out;
	return CODE_NO_MEMORY;
}

void code_expand(size_t n_in, size_t n_out, const uint8_t *rows, uint8_t *tables_out)
{
	(void)n_in, (void)n_out, (void)rows, (void)tables_out;
}

void code_apply(size_t len, size_t n_in, size_t n_out, const uint8_t *tables, uint8_t **in,
		uint8_t **out)
{
	(void)len, (void)n_in, (void)n_out, (void)tables, (void)in, (void)out;
}

#endif /* HAVE_ISAL */
