/*
 * Erasure coding: no device here has an engine for it, which the capability queries and the
 * creation report. So no object and no task exists, and every other function refuses what it is
 * given. Threads: any.
 */
#include <stdbool.h>

#include <doca_erasure_coding.h>

#include "client/base/error.h"
#include "client/device/dev.h"

static doca_error_t cap_refuse(const struct doca_devinfo *devinfo, const void *result,
			       const char *what)
{
	if (devinfo == NULL || result == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "erasure coding capability %s: %s is NULL", what,
				 devinfo == NULL ? "devinfo" : "the result");
	return error_note(DOCA_ERROR_NOT_SUPPORTED,
			  "erasure coding capability %s: %s has no erasure coding engine", what,
			  devinfo->name);
}

static doca_error_t object_refuse(bool is_complete, const char *what)
{
	if (!is_complete)
		return error_set(DOCA_ERROR_INVALID_VALUE, "erasure coding %s: an argument is NULL",
				 what);
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "erasure coding %s: no device has the engine, so there is no object; "
			 "check the result of the create call",
			 what);
}

/* Records the sentence of a setter or getter of a task, which returns no code. */
static void task_refuse(const void *task, const char *what)
{
	if (task == NULL)
		error_set(DOCA_ERROR_INVALID_VALUE, "erasure coding %s: the task is NULL", what);
	else
		error_set(DOCA_ERROR_NOT_SUPPORTED,
			  "erasure coding %s: no device has the engine, so there is no task; check "
			  "the result of the create call",
			  what);
}

doca_error_t doca_ec_cap_task_galois_mul_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, devinfo, "galois mul");
}

doca_error_t doca_ec_task_galois_mul_set_conf(
	struct doca_ec *ec, doca_ec_task_galois_mul_completion_cb_t successful_task_completion_cb,
	doca_ec_task_galois_mul_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	(void)num_tasks;
	return object_refuse(ec != NULL && successful_task_completion_cb != NULL &&
				     error_task_completion_cb != NULL,
			     "galois mul set conf");
}

doca_error_t doca_ec_task_galois_mul_allocate_init(struct doca_ec *ec,
						   const struct doca_ec_matrix *coding_matrix,
						   const struct doca_buf *src_buf,
						   struct doca_buf *dst_buf,
						   union doca_data user_data,
						   struct doca_ec_task_galois_mul **task)
{
	(void)user_data;
	return object_refuse(ec != NULL && coding_matrix != NULL && src_buf != NULL &&
				     dst_buf != NULL && task != NULL,
			     "galois mul allocate");
}

struct doca_task *doca_ec_task_galois_mul_as_task(struct doca_ec_task_galois_mul *task)
{
	(void)task;
	return NULL;
}

void doca_ec_task_galois_mul_set_coding_matrix(struct doca_ec_task_galois_mul *task,
					       const struct doca_ec_matrix *coding_matrix)
{
	(void)coding_matrix;
	task_refuse(task, "galois mul set coding matrix");
}

const struct doca_ec_matrix *doca_ec_task_galois_mul_get_coding_matrix(
	const struct doca_ec_task_galois_mul *task)
{
	task_refuse(task, "galois mul get coding matrix");
	return NULL;
}

void doca_ec_task_galois_mul_set_src_buf(struct doca_ec_task_galois_mul *task,
					 const struct doca_buf *src_buf)
{
	(void)src_buf;
	task_refuse(task, "galois mul set src buf");
}

const struct doca_buf *doca_ec_task_galois_mul_get_src_buf(
	const struct doca_ec_task_galois_mul *task)
{
	task_refuse(task, "galois mul get src buf");
	return NULL;
}

void doca_ec_task_galois_mul_set_dst_buf(struct doca_ec_task_galois_mul *task,
					 struct doca_buf *dst_buf)
{
	(void)dst_buf;
	task_refuse(task, "galois mul set dst buf");
}

struct doca_buf *doca_ec_task_galois_mul_get_dst_buf(const struct doca_ec_task_galois_mul *task)
{
	task_refuse(task, "galois mul get dst buf");
	return NULL;
}

doca_error_t doca_ec_cap_task_create_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, devinfo, "create");
}

doca_error_t doca_ec_task_create_set_conf(
	struct doca_ec *ec, doca_ec_task_create_completion_cb_t successful_task_completion_cb,
	doca_ec_task_create_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	(void)num_tasks;
	return object_refuse(ec != NULL && successful_task_completion_cb != NULL &&
				     error_task_completion_cb != NULL,
			     "create set conf");
}

doca_error_t doca_ec_task_create_allocate_init(struct doca_ec *ec,
					       const struct doca_ec_matrix *coding_matrix,
					       const struct doca_buf *original_data_blocks,
					       struct doca_buf *rdnc_blocks,
					       union doca_data user_data,
					       struct doca_ec_task_create **task)
{
	(void)user_data;
	return object_refuse(ec != NULL && coding_matrix != NULL && original_data_blocks != NULL &&
				     rdnc_blocks != NULL && task != NULL,
			     "create allocate");
}

struct doca_task *doca_ec_task_create_as_task(struct doca_ec_task_create *task)
{
	(void)task;
	return NULL;
}

void doca_ec_task_create_set_coding_matrix(struct doca_ec_task_create *task,
					   const struct doca_ec_matrix *coding_matrix)
{
	(void)coding_matrix;
	task_refuse(task, "create set coding matrix");
}

const struct doca_ec_matrix *doca_ec_task_create_get_coding_matrix(
	const struct doca_ec_task_create *task)
{
	task_refuse(task, "create get coding matrix");
	return NULL;
}

void doca_ec_task_create_set_original_data_blocks(struct doca_ec_task_create *task,
						  const struct doca_buf *original_data_blocks)
{
	(void)original_data_blocks;
	task_refuse(task, "create set original data blocks");
}

const struct doca_buf *doca_ec_task_create_get_original_data_blocks(
	const struct doca_ec_task_create *task)
{
	task_refuse(task, "create get original data blocks");
	return NULL;
}

void doca_ec_task_create_set_rdnc_blocks(struct doca_ec_task_create *task,
					 struct doca_buf *rdnc_blocks)
{
	(void)rdnc_blocks;
	task_refuse(task, "create set rdnc blocks");
}

struct doca_buf *doca_ec_task_create_get_rdnc_blocks(const struct doca_ec_task_create *task)
{
	task_refuse(task, "create get rdnc blocks");
	return NULL;
}

doca_error_t doca_ec_cap_task_update_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, devinfo, "update");
}

doca_error_t doca_ec_task_update_set_conf(
	struct doca_ec *ec, doca_ec_task_update_completion_cb_t successful_task_completion_cb,
	doca_ec_task_update_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	(void)num_tasks;
	return object_refuse(ec != NULL && successful_task_completion_cb != NULL &&
				     error_task_completion_cb != NULL,
			     "update set conf");
}

doca_error_t doca_ec_task_update_allocate_init(
	struct doca_ec *ec, const struct doca_ec_matrix *update_matrix,
	const struct doca_buf *original_updated_and_rdnc_blocks,
	struct doca_buf *updated_rdnc_blocks, union doca_data user_data,
	struct doca_ec_task_update **task)
{
	(void)user_data;
	return object_refuse(ec != NULL && update_matrix != NULL &&
				     original_updated_and_rdnc_blocks != NULL &&
				     updated_rdnc_blocks != NULL && task != NULL,
			     "update allocate");
}

struct doca_task *doca_ec_task_update_as_task(struct doca_ec_task_update *task)
{
	(void)task;
	return NULL;
}

void doca_ec_task_update_set_update_matrix(struct doca_ec_task_update *task,
					   const struct doca_ec_matrix *update_matrix)
{
	(void)update_matrix;
	task_refuse(task, "update set update matrix");
}

const struct doca_ec_matrix *doca_ec_task_update_get_update_matrix(
	const struct doca_ec_task_update *task)
{
	task_refuse(task, "update get update matrix");
	return NULL;
}

void doca_ec_task_update_set_original_updated_and_rdnc_blocks(
	struct doca_ec_task_update *task, const struct doca_buf *original_updated_and_rdnc_blocks)
{
	(void)original_updated_and_rdnc_blocks;
	task_refuse(task, "update set original updated and rdnc blocks");
}

const struct doca_buf *doca_ec_task_update_get_original_updated_and_rdnc_blocks(
	const struct doca_ec_task_update *task)
{
	task_refuse(task, "update get original updated and rdnc blocks");
	return NULL;
}

void doca_ec_task_update_set_updated_rdnc_blocks(struct doca_ec_task_update *task,
						 struct doca_buf *updated_rdnc_blocks)
{
	(void)updated_rdnc_blocks;
	task_refuse(task, "update set updated rdnc blocks");
}

struct doca_buf *doca_ec_task_update_get_updated_rdnc_blocks(const struct doca_ec_task_update *task)
{
	task_refuse(task, "update get updated rdnc blocks");
	return NULL;
}

doca_error_t doca_ec_cap_task_recover_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_refuse(devinfo, devinfo, "recover");
}

doca_error_t doca_ec_task_recover_set_conf(
	struct doca_ec *ec, doca_ec_task_recover_completion_cb_t successful_task_completion_cb,
	doca_ec_task_recover_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	(void)num_tasks;
	return object_refuse(ec != NULL && successful_task_completion_cb != NULL &&
				     error_task_completion_cb != NULL,
			     "recover set conf");
}

doca_error_t doca_ec_task_recover_allocate_init(struct doca_ec *ec,
						const struct doca_ec_matrix *recover_matrix,
						const struct doca_buf *available_blocks,
						struct doca_buf *recovered_data_blocks,
						union doca_data user_data,
						struct doca_ec_task_recover **task)
{
	(void)user_data;
	return object_refuse(ec != NULL && recover_matrix != NULL && available_blocks != NULL &&
				     recovered_data_blocks != NULL && task != NULL,
			     "recover allocate");
}

struct doca_task *doca_ec_task_recover_as_task(struct doca_ec_task_recover *task)
{
	(void)task;
	return NULL;
}

void doca_ec_task_recover_set_recover_matrix(struct doca_ec_task_recover *task,
					     const struct doca_ec_matrix *recover_matrix)
{
	(void)recover_matrix;
	task_refuse(task, "recover set recover matrix");
}

const struct doca_ec_matrix *doca_ec_task_recover_get_recover_matrix(
	const struct doca_ec_task_recover *task)
{
	task_refuse(task, "recover get recover matrix");
	return NULL;
}

void doca_ec_task_recover_set_available_blocks(struct doca_ec_task_recover *task,
					       const struct doca_buf *available_blocks)
{
	(void)available_blocks;
	task_refuse(task, "recover set available blocks");
}

const struct doca_buf *doca_ec_task_recover_get_available_blocks(
	const struct doca_ec_task_recover *task)
{
	task_refuse(task, "recover get available blocks");
	return NULL;
}

void doca_ec_task_recover_set_recovered_data_blocks(struct doca_ec_task_recover *task,
						    struct doca_buf *recovered_data_blocks)
{
	(void)recovered_data_blocks;
	task_refuse(task, "recover set recovered data blocks");
}

struct doca_buf *doca_ec_task_recover_get_recovered_data(const struct doca_ec_task_recover *task)
{
	task_refuse(task, "recover get recovered data");
	return NULL;
}

doca_error_t doca_ec_create(struct doca_dev *dev, struct doca_ec **ec)
{
	if (dev == NULL || ec == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "erasure coding create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "erasure coding create: %s has no erasure coding engine; ask "
			 "doca_ec_cap_task_*_is_supported first, and let the processor do the work "
			 "if no device has one",
			 dev->info->name);
}

doca_error_t doca_ec_destroy(struct doca_ec *ec)
{
	return object_refuse(ec != NULL, "destroy");
}

struct doca_ctx *doca_ec_as_ctx(struct doca_ec *ec)
{
	(void)ec;
	return NULL;
}

doca_error_t doca_ec_cap_get_max_block_size(const struct doca_devinfo *devinfo,
					    uint64_t *max_block_size)
{
	return cap_refuse(devinfo, max_block_size, "get max block size");
}

doca_error_t doca_ec_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
					      uint32_t *max_buf_list_len)
{
	return cap_refuse(devinfo, max_buf_list_len, "get max buf list len");
}

doca_error_t doca_ec_matrix_create(struct doca_ec *ec, enum doca_ec_matrix_type type,
				   size_t data_block_count, size_t rdnc_block_count,
				   struct doca_ec_matrix **matrix)
{
	(void)rdnc_block_count;
	(void)data_block_count;
	(void)type;
	return object_refuse(ec != NULL && matrix != NULL, "matrix create");
}

doca_error_t doca_ec_matrix_create_from_raw(struct doca_ec *ec, uint8_t *data,
					    size_t data_block_count, size_t rdnc_block_count,
					    struct doca_ec_matrix **matrix)
{
	(void)rdnc_block_count;
	(void)data_block_count;
	return object_refuse(ec != NULL && data != NULL && matrix != NULL,
			     "matrix create from raw");
}

doca_error_t doca_ec_matrix_create_update(struct doca_ec *ec,
					  const struct doca_ec_matrix *coding_matrix,
					  uint32_t update_indices[], size_t n_updates,
					  struct doca_ec_matrix **matrix)
{
	(void)n_updates;
	return object_refuse(ec != NULL && coding_matrix != NULL && update_indices != NULL &&
				     matrix != NULL,
			     "matrix create update");
}

doca_error_t doca_ec_matrix_create_recover(struct doca_ec *ec,
					   const struct doca_ec_matrix *coding_matrix,
					   uint32_t missing_indices[], size_t n_missing,
					   struct doca_ec_matrix **matrix)
{
	(void)n_missing;
	return object_refuse(ec != NULL && coding_matrix != NULL && missing_indices != NULL &&
				     matrix != NULL,
			     "matrix create recover");
}

doca_error_t doca_ec_matrix_destroy(struct doca_ec_matrix *matrix)
{
	return object_refuse(matrix != NULL, "matrix destroy");
}
