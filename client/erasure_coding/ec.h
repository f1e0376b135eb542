/*
 * Erasure coding: declarations that its files share. ec.c has the object and its start,
 * client/erasure_coding/matrix.c the matrices, client/erasure_coding/task.c the public functions of
 * tasks, client/erasure_coding/run.c their execution, client/erasure_coding/caps.c the
 * capabilities, and client/erasure_coding/code.h the arithmetic.
 *
 * A task of any kind multiplies a matrix with the blocks of its source, completely while it is
 * executed, unless it is held (client/staging/staging.h). Nothing is allocated per task. Threads:
 * those of the progress engine; a long task may run on the thread of its context.
 */
#ifndef CLIENT_ERASURE_CODING_EC_H
#define CLIENT_ERASURE_CODING_EC_H

#include <stdatomic.h>

#include <doca_erasure_coding.h>

#include "client/erasure_coding/code.h"
#include "client/memory/buf.h"
#include "client/staging/staging.h"

/* The size of a block is a multiple of this many bytes. */
#define EC_BLOCK_UNIT 64u
/* The largest block that any device allows; ISA-L counts bytes in an int. */
#define EC_MAX_BLOCK_LEN (1u << 30)

enum ec_kind { EC_GALOIS_MUL, EC_CREATE, EC_UPDATE, EC_RECOVER, EC_N_KINDS };
/* "create", "update", ... */
extern const char *const ec_kind_names[EC_N_KINDS];

/* A WIDE matrix was made of coefficients and has more columns than a code has data blocks. */
enum ec_matrix_kind { EC_MATRIX_CODING, EC_MATRIX_UPDATE, EC_MATRIX_RECOVER, EC_MATRIX_WIDE };

/* Sets of kinds of tasks. */
#define EC_USE(kind) (1u << (kind))
#define EC_USE_ALL   ((1u << EC_N_KINDS) - 1)

struct doca_ec_matrix {
	const uint8_t *tables; /* in the same allocation, as are rows */
	uint16_t n_in, n_out;  /* blocks that a task reads and writes */
	uint8_t kind;          /* enum ec_matrix_kind */
	uint8_t uses;          /* the kinds of tasks that may use it, as a set */
	/* Jobs of the generation up to 2.2 in flight, on any thread. */
	_Atomic uint32_t n_jobs;
	const uint8_t *rows;
	struct doca_ec *ec; /* NULL once the object is destroyed */
	struct list node;   /* in the object's list */
};

struct ec_task {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
	/* NULL: the matrix was destroyed after the task was allocated, or the program set the
	 * matrix of another object. */
	const struct doca_ec_matrix *matrix;
	uint8_t kind; /* enum ec_kind */
};
STAGED_TASK_ASSERT(ec_task);

struct ec_scratch;

struct doca_ec {
	union {
		struct doca_ctx ctx;
		struct staged_ctx staged;
	};
	struct task_pool pools[EC_N_KINDS];
	struct list matrices;
	uint64_t max_block_size;
	uint32_t max_list_len;
	/* The limits of one matrix. Without a device, only the code itself limits them. */
	uint32_t max_data_blocks, max_rdnc_blocks;
	/* Scratch memory of tasks that do not use single mapped buffers; allocated at the start. */
	struct ec_scratch *scratch;
};

static inline struct doca_ec *ec_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_ec, ctx);
}

/* Creates an object without tasks. Returns NULL if memory is short. dev is NULL for a legacy
 * context, whose work-queue contexts have objects of their own. */
struct doca_ec *ec_new(struct doca_dev *dev);
/* Sets the limits of an object to those of a device, or to those of the code if it is NULL. */
void ec_set_limits(struct doca_ec *ec, const struct doca_devinfo *devinfo);
/* Returns IN_USE with an error sentence unless the context is idle. Matrices stay until each is
 * destroyed, but no task can use them any more. */
doca_error_t ec_delete(struct doca_ec *ec);

/* Capability queries; for the first, the result code is the answer. */
doca_error_t ec_cap_has(const struct doca_devinfo *devinfo, const char *what);
doca_error_t ec_cap_max_block_size(const struct doca_devinfo *devinfo, uint64_t *size_out);
doca_error_t ec_cap_max_list_len(const struct doca_devinfo *devinfo, uint32_t *len_out);

/* The public calls on matrices, which earlier generations share. */
doca_error_t ec_matrix_from_raw(struct doca_ec *ec, const uint8_t *data, size_t n_data,
				size_t n_rdnc, struct doca_ec_matrix **matrix_out);
doca_error_t ec_matrix_update(struct doca_ec *ec, const struct doca_ec_matrix *coding,
			      const uint32_t *indices, size_t n,
			      struct doca_ec_matrix **matrix_out);
doca_error_t ec_matrix_recover(struct doca_ec *ec, const struct doca_ec_matrix *coding,
			       const uint32_t *indices, size_t n,
			       struct doca_ec_matrix **matrix_out);

/* Returns whether a task of the kind may use the matrix. Only a matrix that suits EC_CREATE creates
 * redundancy, and only from such a matrix are others derived. */
static inline bool ec_matrix_suits(const struct doca_ec_matrix *matrix, enum ec_kind kind)
{
	return (matrix->uses & EC_USE(kind)) != 0;
}

/* Checks the matrix of a new task or job. Returns INVALID_VALUE with an error sentence. */
doca_error_t ec_matrix_check(const struct doca_ec *ec, const struct doca_ec_matrix *matrix,
			     enum ec_kind kind, const char *what);

/* The operations of held tasks and of all pools, in client/erasure_coding/run.c. */
extern const struct staging_ops ec_staging_ops;
doca_error_t ec_execute(struct doca_task *task);
doca_error_t ec_validate(const struct doca_task *task);

/* Returns NULL if memory is short. */
struct ec_scratch *ec_scratch_new(void);
void ec_scratch_delete(struct ec_scratch *scratch);

#endif
