/* The object of erasure coding: creation and configuration; see client/erasure_coding/ec.h. A
 * failed task stops the context, as an error of a hardware queue does. Threads: those of the
 * progress engine. */
#include "client/erasure_coding/ec.h"

#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "util/str.h"

const char *const ec_kind_names[EC_N_KINDS] = {
	[EC_GALOIS_MUL] = "galois mul",
	[EC_CREATE] = "create",
	[EC_UPDATE] = "update",
	[EC_RECOVER] = "recover",
};

static doca_error_t ec_start(struct doca_ctx *ctx)
{
	struct doca_ec *ec = ec_of(ctx);
	bool has_tasks = false;

	for (size_t i = 0; i < EC_N_KINDS; i++)
		has_tasks |= ec->pools[i].ok_cb != NULL;
	if (!has_tasks)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "ec start: no tasks; call doca_ec_task_create_set_conf or "
				 "doca_ec_task_recover_set_conf first");
	if (ec->scratch == NULL)
		ec->scratch = ec_scratch_new();
	if (ec->scratch == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION, "ec start: out of memory");
	return staging_open(ctx, &ec_staging_ops);
}

static const struct ctx_ops ec_ops = {
	.name = "ec",
	.counted_as = COUNTERS_EC,
	.start = ec_start,
	.stop = staging_stop,
	.stopped = staging_stopped,
	.release = staging_release,
	.poll = staging_poll,
	.arm = staging_arm,
	.disarm = staging_disarm,
};

void ec_set_limits(struct doca_ec *ec, const struct doca_devinfo *devinfo)
{
	ec->max_block_size = devinfo == NULL
				     ? 0
				     : MIN(devinfo->caps.ec_max_block_size, EC_MAX_BLOCK_LEN);
	ec->max_list_len = devinfo == NULL ? 0 : devinfo->caps.ec_max_list_len;
	ec->max_data_blocks = devinfo == NULL ? CODE_MAX_BLOCKS : devinfo->caps.ec_max_data_blocks;
	ec->max_rdnc_blocks = devinfo == NULL ? CODE_MAX_BLOCKS : devinfo->caps.ec_max_rdnc_blocks;
}

struct doca_ec *ec_new(struct doca_dev *dev)
{
	struct doca_ec *ec;

	if (posix_memalign((void **)&ec, 64, sizeof(*ec)) != 0)
		return NULL;
	memset(ec, 0, sizeof(*ec));
	ctx_init(&ec->ctx, &ec_ops, dev);
	ec->staged.hold_len = SIZE_MAX;
	list_init(&ec->matrices);
	for (size_t i = 0; i < EC_N_KINDS; i++) {
		ec->pools[i].execute = ec_execute;
		ec->pools[i].validate = ec_validate;
		ec->pools[i].fails_ctx = true;
	}
	ec_set_limits(ec, dev == NULL ? NULL : dev->info);
	return ec;
}

doca_error_t doca_ec_create(struct doca_dev *dev, struct doca_ec **ec_out)
{
	doca_error_t result;
	struct doca_ec *ec;

	if (dev == NULL || ec_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ec create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	result = ec_cap_has(dev->info, "create");
	if (result != DOCA_SUCCESS)
		return result;
	ec = ec_new(dev);
	if (ec == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "ec create: out of memory");
	*ec_out = ec;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_ec_create, 2_5);

doca_error_t ec_delete(struct doca_ec *ec)
{
	doca_error_t result = ctx_deinit(&ec->ctx);
	struct list *node, *next;

	if (result != DOCA_SUCCESS)
		return result;
	for (node = ec->matrices.next; node != &ec->matrices; node = next) {
		next = node->next;
		list_remove(node);
		list_entry(node, struct doca_ec_matrix, node)->ec = NULL;
	}
	for (size_t i = 0; i < EC_N_KINDS; i++)
		task_pool_deinit(&ec->pools[i]);
	ec_scratch_delete(ec->scratch);
	free(ec);
	return DOCA_SUCCESS;
}

doca_error_t doca_ec_destroy(struct doca_ec *ec)
{
	doca_error_t result;

	if (ec == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ec destroy: ec is NULL");
	result = ec->ctx.legacy != NULL
			 ? DOCA_SUCCESS
			 : ctx_check_idle(&ec->ctx, DOCA_ERROR_BAD_STATE, "ec destroy");
	return result == DOCA_SUCCESS ? ec_delete(ec) : result;
}

struct doca_ctx *doca_ec_as_ctx(struct doca_ec *ec)
{
	return ec == NULL ? NULL : &ec->ctx;
}

static doca_error_t conf_check(const struct doca_ec *ec, bool has_ok_cb, bool has_err_cb,
			       uint32_t num_tasks, const char *kind)
{
	uint32_t max;
	doca_error_t result;

	if (ec == NULL || !has_ok_cb || !has_err_cb)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ec %s set conf: %s is NULL", kind,
				 ec == NULL   ? "ec"
				 : !has_ok_cb ? "the completion callback"
					      : "the error callback");
	if (ec->ctx.legacy != NULL)
		return api_refuse("ec set conf", "ec object", ec->ctx.legacy->api);
	result = ctx_check_idle(&ec->ctx, DOCA_ERROR_BAD_STATE, "ec set conf");
	if (result != DOCA_SUCCESS)
		return result;
	max = ec->ctx.dev->info->caps.ec_max_tasks;
	if (num_tasks == 0 || num_tasks > max)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "ec %s set conf: %u tasks, %s allows 1 to %u", kind, num_tasks,
				 ec->ctx.dev->info->name, max);
	return DOCA_SUCCESS;
}

/* The callbacks take a task of the kind, which begins with its doca_task. */
static doca_error_t conf_set(struct doca_ec *ec, enum ec_kind kind, doca_task_completion_cb_t ok_cb,
			     doca_task_completion_cb_t err_cb, uint32_t num_tasks)
{
	doca_error_t result = conf_check(ec, ok_cb != NULL, err_cb != NULL, num_tasks,
					 ec_kind_names[kind]);
	struct task_pool *pool;

	if (result != DOCA_SUCCESS)
		return result;
	pool = &ec->pools[kind];
	if (task_pool_init(pool, &ec->ctx, num_tasks, sizeof(struct ec_task)) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "ec %s set conf: out of memory for %u %s",
				 ec_kind_names[kind], num_tasks,
				 plural(num_tasks, "task", "tasks"));
	pool->ok_cb = ok_cb;
	pool->err_cb = err_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_ec_task_galois_mul_set_conf(
	struct doca_ec *ec, doca_ec_task_galois_mul_completion_cb_t successful_task_completion_cb,
	doca_ec_task_galois_mul_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return conf_set(ec, EC_GALOIS_MUL, (doca_task_completion_cb_t)successful_task_completion_cb,
			(doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_ec_task_create_set_conf(
	struct doca_ec *ec, doca_ec_task_create_completion_cb_t successful_task_completion_cb,
	doca_ec_task_create_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return conf_set(ec, EC_CREATE, (doca_task_completion_cb_t)successful_task_completion_cb,
			(doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_ec_task_update_set_conf(
	struct doca_ec *ec, doca_ec_task_update_completion_cb_t successful_task_completion_cb,
	doca_ec_task_update_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return conf_set(ec, EC_UPDATE, (doca_task_completion_cb_t)successful_task_completion_cb,
			(doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_ec_task_recover_set_conf(
	struct doca_ec *ec, doca_ec_task_recover_completion_cb_t successful_task_completion_cb,
	doca_ec_task_recover_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return conf_set(ec, EC_RECOVER, (doca_task_completion_cb_t)successful_task_completion_cb,
			(doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}
