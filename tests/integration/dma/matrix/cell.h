/*
 * One half of a cell of the interoperation matrix: a program of one version on one side that works
 * with a program of any version on the other. Compiled once for each version. The halves exchange
 * data over a packet socket from the driver, as users' programs use any means of their own.
 */
#ifndef TESTS_INTEGRATION_MATRIX_CELL_H
#define TESTS_INTEGRATION_MATRIX_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_dev.h>
#include <doca_error.h>

/* Ends the program with status 1 and a line with the position, unless the condition holds. */
#define CELL_EXPECT(condition) cell_expect((condition), #condition, __FILE__, __LINE__)
#define CELL_OK(call)          cell_ok((call), #call, __FILE__, __LINE__)
void cell_expect(bool holds, const char *what, const char *file, int line);
void cell_ok(doca_error_t result, const char *what, const char *file, int line);

/* Sends one packet. */
void cell_send(int sock, const void *data, size_t len);
/* Returns its length, at most size. */
size_t cell_recv(int sock, void *data, size_t size);

/* Opens the first device of the serving side: pf0 on the host, p0 on the DPU. */
struct doca_dev *cell_dev_open(bool is_dpu);

#if DOCA_USE_VERSION >= 105
struct doca_dev_rep *cell_rep_open(struct doca_dev *dev);
#else
struct doca_dev_remote *cell_rep_open(struct doca_dev *dev);
#endif

void cell_dma_host(int sock);
void cell_dma_dpu(int sock);

#endif
