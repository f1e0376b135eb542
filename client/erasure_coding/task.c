/* The public functions of erasure coding tasks; see client/erasure_coding/ec.h. Threads: those of
 * the progress engine. */
#include "client/base/error.h"
#include "client/erasure_coding/ec.h"

static __attribute__((noinline)) doca_error_t null_argument(enum ec_kind kind, const char *name)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "ec %s allocate: %s is NULL",
			 ec_kind_names[kind], name);
}

static __attribute__((noinline)) doca_error_t no_task(const struct doca_ec *ec, enum ec_kind kind)
{
	if (ec->ctx.legacy != NULL)
		return api_refuse("ec task allocate", "ec object", ec->ctx.legacy->api);
	if (ec->ctx.state != DOCA_CTX_STATE_RUNNING)
		return ctx_not_running(&ec->ctx, "ec task allocate");
	if (ec->pools[kind].ok_cb == NULL)
		return error_set(
			DOCA_ERROR_NO_MEMORY,
			"ec %s allocate: tasks of this kind were not configured before the "
			"start",
			ec_kind_names[kind]);
	return error_hint(DOCA_ERROR_NO_MEMORY,
			  "ec allocate: all tasks are in use; free some or configure more");
}

/* Checks the matrix of a new task. Public programs allocate recover tasks with the coding matrix of
 * a code with one redundancy block, and may never submit them. These matrices are accepted here;
 * the execution refuses those that do not recover. */
static doca_error_t matrix_check(const struct doca_ec *ec, enum ec_kind kind,
				 const struct doca_ec_matrix *matrix)
{
	if (kind == EC_RECOVER && matrix->ec == ec && matrix->kind == EC_MATRIX_CODING &&
	    matrix->n_out == 1)
		return DOCA_SUCCESS;
	return ec_matrix_check(ec, matrix, kind, "allocate");
}

/* Buffers are checked when the task is submitted or executed: until then the program may change
 * them. */
static doca_error_t task_alloc(struct doca_ec *ec, enum ec_kind kind,
			       const struct doca_ec_matrix *matrix, const struct doca_buf *src,
			       struct doca_buf *dst, union doca_data user_data,
			       struct ec_task **task_out)
{
	doca_error_t result;
	struct ec_task *t;

	if (unlikely(ec == NULL || matrix == NULL || task_out == NULL))
		return null_argument(kind, ec == NULL       ? "ec"
					   : matrix == NULL ? "the matrix"
							    : "the result");
	if (unlikely(src == NULL || dst == NULL))
		return null_argument(kind, src == NULL ? "the source" : "the destination");
	result = matrix_check(ec, kind, matrix);
	if (unlikely(result != DOCA_SUCCESS))
		return result;
	t = (struct ec_task *)(void *)task_pool_get(&ec->pools[kind], user_data);
	if (unlikely(t == NULL))
		return no_task(ec, kind);
	t->src = src;
	t->dst = dst;
	t->matrix = matrix;
	t->kind = (uint8_t)kind;
	*task_out = t;
	return DOCA_SUCCESS;
}

/* The setters return no code, so a program that wants to know about a wrong value reads
 * dococ_last_error(). A wrong matrix or buffer also fails the task. */
static void no_setter(const struct ec_task *t, const char *what)
{
	error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
		  t == NULL ? "task" : "the value");
}

/* The destruction of a matrix looks for tasks in its own object only. The task must not keep the
 * matrix of another object, which may be destroyed before the task is executed. */
static void set_matrix(struct ec_task *t, const struct doca_ec_matrix *matrix, const char *what)
{
	if (t == NULL || matrix == NULL) {
		no_setter(t, what);
	} else if (t->task.state == TASK_SUBMITTED) {
		/* Otherwise the old matrix could be destroyed while the task is executed. */
		error_set(DOCA_ERROR_BAD_STATE,
			  "%s: the task is submitted and keeps its matrix; progress until it has "
			  "completed",
			  what);
	} else if (matrix->ec != ec_of(t->task.ctx)) {
		t->matrix = NULL;
		error_set(DOCA_ERROR_INVALID_VALUE,
			  "%s: the matrix belongs to another object; create one with the task's "
			  "object",
			  what);
	} else {
		t->matrix = matrix;
	}
}

static void set_src(struct ec_task *t, const struct doca_buf *src, const char *what)
{
	if (t == NULL || src == NULL)
		no_setter(t, what);
	else
		t->src = src;
}

static void set_dst(struct ec_task *t, struct doca_buf *dst, const char *what)
{
	if (t == NULL || dst == NULL)
		no_setter(t, what);
	else
		t->dst = dst;
}

/* --- galois mul --- */

doca_error_t doca_ec_task_galois_mul_allocate_init(struct doca_ec *ec,
						   const struct doca_ec_matrix *coding_matrix,
						   const struct doca_buf *src_buf,
						   struct doca_buf *dst_buf,
						   union doca_data user_data,
						   struct doca_ec_task_galois_mul **task_out)
{
	return task_alloc(ec, EC_GALOIS_MUL, coding_matrix, src_buf, dst_buf, user_data,
			  (struct ec_task **)task_out);
}

struct doca_task *doca_ec_task_galois_mul_as_task(struct doca_ec_task_galois_mul *task)
{
	return task == NULL ? NULL : &((struct ec_task *)task)->task;
}

void doca_ec_task_galois_mul_set_coding_matrix(struct doca_ec_task_galois_mul *task,
					       const struct doca_ec_matrix *coding_matrix)
{
	set_matrix((struct ec_task *)task, coding_matrix, "ec galois mul set matrix");
}

const struct doca_ec_matrix *doca_ec_task_galois_mul_get_coding_matrix(
	const struct doca_ec_task_galois_mul *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->matrix;
}

void doca_ec_task_galois_mul_set_src_buf(struct doca_ec_task_galois_mul *task,
					 const struct doca_buf *src_buf)
{
	set_src((struct ec_task *)task, src_buf, "ec galois mul set source");
}

const struct doca_buf *doca_ec_task_galois_mul_get_src_buf(
	const struct doca_ec_task_galois_mul *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->src;
}

void doca_ec_task_galois_mul_set_dst_buf(struct doca_ec_task_galois_mul *task,
					 struct doca_buf *dst_buf)
{
	set_dst((struct ec_task *)task, dst_buf, "ec galois mul set destination");
}

struct doca_buf *doca_ec_task_galois_mul_get_dst_buf(const struct doca_ec_task_galois_mul *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->dst;
}

/* --- create --- */

doca_error_t doca_ec_task_create_allocate_init(struct doca_ec *ec,
					       const struct doca_ec_matrix *coding_matrix,
					       const struct doca_buf *original_data_blocks,
					       struct doca_buf *rdnc_blocks,
					       union doca_data user_data,
					       struct doca_ec_task_create **task_out)
{
	return task_alloc(ec, EC_CREATE, coding_matrix, original_data_blocks, rdnc_blocks,
			  user_data, (struct ec_task **)task_out);
}

struct doca_task *doca_ec_task_create_as_task(struct doca_ec_task_create *task)
{
	return task == NULL ? NULL : &((struct ec_task *)task)->task;
}

void doca_ec_task_create_set_coding_matrix(struct doca_ec_task_create *task,
					   const struct doca_ec_matrix *coding_matrix)
{
	set_matrix((struct ec_task *)task, coding_matrix, "ec create set matrix");
}

const struct doca_ec_matrix *doca_ec_task_create_get_coding_matrix(
	const struct doca_ec_task_create *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->matrix;
}

void doca_ec_task_create_set_original_data_blocks(struct doca_ec_task_create *task,
						  const struct doca_buf *original_data_blocks)
{
	set_src((struct ec_task *)task, original_data_blocks, "ec create set source");
}

const struct doca_buf *doca_ec_task_create_get_original_data_blocks(
	const struct doca_ec_task_create *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->src;
}

void doca_ec_task_create_set_rdnc_blocks(struct doca_ec_task_create *task,
					 struct doca_buf *rdnc_blocks)
{
	set_dst((struct ec_task *)task, rdnc_blocks, "ec create set destination");
}

struct doca_buf *doca_ec_task_create_get_rdnc_blocks(const struct doca_ec_task_create *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->dst;
}

/* --- update --- */

doca_error_t doca_ec_task_update_allocate_init(
	struct doca_ec *ec, const struct doca_ec_matrix *update_matrix,
	const struct doca_buf *original_updated_and_rdnc_blocks,
	struct doca_buf *updated_rdnc_blocks, union doca_data user_data,
	struct doca_ec_task_update **task_out)
{
	return task_alloc(ec, EC_UPDATE, update_matrix, original_updated_and_rdnc_blocks,
			  updated_rdnc_blocks, user_data, (struct ec_task **)task_out);
}

struct doca_task *doca_ec_task_update_as_task(struct doca_ec_task_update *task)
{
	return task == NULL ? NULL : &((struct ec_task *)task)->task;
}

void doca_ec_task_update_set_update_matrix(struct doca_ec_task_update *task,
					   const struct doca_ec_matrix *update_matrix)
{
	set_matrix((struct ec_task *)task, update_matrix, "ec update set matrix");
}

const struct doca_ec_matrix *doca_ec_task_update_get_update_matrix(
	const struct doca_ec_task_update *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->matrix;
}

void doca_ec_task_update_set_original_updated_and_rdnc_blocks(
	struct doca_ec_task_update *task, const struct doca_buf *original_updated_and_rdnc_blocks)
{
	set_src((struct ec_task *)task, original_updated_and_rdnc_blocks, "ec update set source");
}

const struct doca_buf *doca_ec_task_update_get_original_updated_and_rdnc_blocks(
	const struct doca_ec_task_update *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->src;
}

void doca_ec_task_update_set_updated_rdnc_blocks(struct doca_ec_task_update *task,
						 struct doca_buf *updated_rdnc_blocks)
{
	set_dst((struct ec_task *)task, updated_rdnc_blocks, "ec update set destination");
}

struct doca_buf *doca_ec_task_update_get_updated_rdnc_blocks(const struct doca_ec_task_update *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->dst;
}

/* --- recover --- */

doca_error_t doca_ec_task_recover_allocate_init(struct doca_ec *ec,
						const struct doca_ec_matrix *recover_matrix,
						const struct doca_buf *available_blocks,
						struct doca_buf *recovered_data_blocks,
						union doca_data user_data,
						struct doca_ec_task_recover **task_out)
{
	return task_alloc(ec, EC_RECOVER, recover_matrix, available_blocks, recovered_data_blocks,
			  user_data, (struct ec_task **)task_out);
}

struct doca_task *doca_ec_task_recover_as_task(struct doca_ec_task_recover *task)
{
	return task == NULL ? NULL : &((struct ec_task *)task)->task;
}

void doca_ec_task_recover_set_recover_matrix(struct doca_ec_task_recover *task,
					     const struct doca_ec_matrix *recover_matrix)
{
	set_matrix((struct ec_task *)task, recover_matrix, "ec recover set matrix");
}

const struct doca_ec_matrix *doca_ec_task_recover_get_recover_matrix(
	const struct doca_ec_task_recover *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->matrix;
}

void doca_ec_task_recover_set_available_blocks(struct doca_ec_task_recover *task,
					       const struct doca_buf *available_blocks)
{
	set_src((struct ec_task *)task, available_blocks, "ec recover set source");
}

const struct doca_buf *doca_ec_task_recover_get_available_blocks(
	const struct doca_ec_task_recover *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->src;
}

void doca_ec_task_recover_set_recovered_data_blocks(struct doca_ec_task_recover *task,
						    struct doca_buf *recovered_data_blocks)
{
	set_dst((struct ec_task *)task, recovered_data_blocks, "ec recover set destination");
}

struct doca_buf *doca_ec_task_recover_get_recovered_data(const struct doca_ec_task_recover *task)
{
	return task == NULL ? NULL : ((const struct ec_task *)task)->dst;
}
