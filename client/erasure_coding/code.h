/*
 * Codes over GF(2^8), computed by ISA-L: coding matrices, their inverses, and the product of a
 * matrix with blocks. A matrix is an array of bytes, row by row: one row per block that it
 * computes, one column per block that it reads.
 *
 * Without ISA-L (code_is_built() returns false) devices report no erasure coding and no object can
 * be created, so nothing calls the other functions. Threads: any.
 */
#ifndef CLIENT_ERASURE_CODING_CODE_H
#define CLIENT_ERASURE_CODING_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most blocks of a code, data and redundancy: the number of elements of the field. */
#define CODE_MAX_BLOCKS 256u
/* ISA-L's table of one coefficient, in bytes. */
#define CODE_TABLE_LEN 32u

/* Returns whether the library was built with ISA-L. */
bool code_is_built(void);

enum code_result { CODE_DONE, CODE_SINGULAR, CODE_NO_MEMORY };

/* Make coding matrices with n_rdnc rows and n_data columns. The sum of both is at most
 * CODE_MAX_BLOCKS, and neither is 0. A Cauchy matrix is that of ISA-L; code_cauchy() returns DONE
 * or NO_MEMORY. In a Vandermonde matrix, the coefficient of data block c in redundancy block r is
 * c + 1 to the power of r. */
enum code_result code_cauchy(size_t n_data, size_t n_rdnc, uint8_t *rows_out);
void code_vandermonde(size_t n_data, size_t n_rdnc, uint8_t *rows_out);

/* A loss of blocks: blocks are numbered from 0, data blocks first. */
struct code_loss {
	const uint8_t *coding; /* rows of the coding matrix */
	size_t n_data, n_rdnc;
	const uint32_t *lost; /* distinct numbers */
	size_t n_lost;        /* at most n_rdnc */
};

/* Computes the n_lost rows by which the lost blocks are computed from the first n_data remaining
 * blocks, in order of their numbers. SINGULAR: these blocks do not determine the data. */
enum code_result code_recover(const struct code_loss *loss, uint8_t *rows_out);

/* Expands a matrix of n_out rows and n_in columns to n_out * n_in tables. */
void code_expand(size_t n_in, size_t n_out, const uint8_t *rows, uint8_t *tables_out);

/* Computes n_out blocks from n_in blocks of len bytes each, at most INT_MAX. */
void code_apply(size_t len, size_t n_in, size_t n_out, const uint8_t *tables, uint8_t **in,
		uint8_t **out);

#endif
