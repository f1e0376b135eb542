/* Public calls of consumers: capabilities, create, configure, tasks. The implementation is in
 * client/comch/fast_path/consumer.c. Calls for a DPA or GPU data path are not supported. */
#include <stdlib.h>

#include "client/comch/comch.h"
#include "client/comch/fast_path/consumer.h"
#include "util/str.h"

/* --- capabilities --- */

static doca_error_t caps_check(const struct doca_devinfo *devinfo, const void *out,
			       const char *what)
{
	if (devinfo == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch consumer %s: %s is NULL", what,
				 devinfo == NULL ? "devinfo" : "the result");
	return DOCA_SUCCESS;
}

static doca_error_t caps_unsupported(const struct doca_devinfo *devinfo, const char *what)
{
	return error_note(DOCA_ERROR_NOT_SUPPORTED,
			  "comch consumer %s: device %s does not support it; key comch_consumer of "
			  "the device in the topology allows it",
			  what, devinfo->name);
}

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	if (caps_check(devinfo, devinfo, "support") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	return devinfo->caps.comch_consumer ? DOCA_SUCCESS : caps_unsupported(devinfo, "support");
}

doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						       uint32_t *max_num_tasks)
{
	if (caps_check(devinfo, max_num_tasks, "max tasks") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_tasks = devinfo->caps.comch_fast_max_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						      uint32_t *max_buf_size)
{
	if (caps_check(devinfo, max_buf_size, "max buffer size") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	if (!devinfo->caps.comch_consumer)
		return caps_unsupported(devinfo, "max buffer size");
	*max_buf_size = (uint32_t)dev_report_size(devinfo->caps.comch_fast_max_buf_size);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	if (caps_check(devinfo, max_buf_list_len, "max list length") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	if (!devinfo->caps.comch_consumer)
		return caps_unsupported(devinfo, "max list length");
	*max_buf_list_len = devinfo->caps.comch_fast_max_list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
						       uint32_t *max_consumers)
{
	if (caps_check(devinfo, max_consumers, "max consumers") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*max_consumers = devinfo->caps.comch_max_consumers;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_imm_data_len)
{
	if (caps_check(devinfo, max_imm_data_len, "max immediate data") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*max_imm_data_len = devinfo->caps.comch_max_imm_len;
	return DOCA_SUCCESS;
}

/* --- creation and configuration --- */

static doca_error_t consumer_init(struct doca_comch_consumer *consumer, struct comch_link *link,
				  struct doca_mmap *buf_mmap)
{
	const struct dev_caps *caps;

	/* The connection's thread may end it at any time; a consumer that is created for one that
	 * ends then fails at start. */
	if (link == NULL || comch_link_ended(link) != 0)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "comch consumer create: the connection is not established; create "
				 "the consumer between connect and disconnect");
	caps = &link->dev->info->caps;
	if (!caps->comch_consumer)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "comch consumer create: device %s does not support it; key "
				 "comch_consumer of the device in the topology allows it",
				 link->dev->info->name);
	ctx_init(&consumer->ctx, &comch_consumer_ops, link->dev);
	ctx_open_counters(&consumer->ctx);
	if (!comch_link_join(link, &consumer->member, &consumer->ctx, true,
			     caps->comch_max_consumers, &consumer->id)) {
		ctx_deinit(&consumer->ctx);
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "comch consumer create: the connection of \"%s\" already has the "
				 "%u %s that the device allows; destroy one first",
				 link->name, caps->comch_max_consumers,
				 plural(caps->comch_max_consumers, "consumer", "consumers"));
	}
	mmap_user_add(&consumer->memory, buf_mmap);
	consumer->memfd = consumer->doorbell_fd = consumer->timer_fd = -1;
	consumer->imm_len = MIN(COMCH_DEFAULT_IMM_LEN, caps->comch_max_imm_len);
	consumer->max_buf_size = caps->comch_fast_max_buf_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
					struct doca_mmap *buf_mmap,
					struct doca_comch_consumer **consumer)
{
	struct doca_comch_consumer *made;
	struct comch_link *link;
	doca_error_t result;

	if (comch_connection == NULL || buf_mmap == NULL || consumer == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch consumer create: %s is NULL",
				 comch_connection == NULL ? "the connection"
				 : buf_mmap == NULL       ? "the mmap"
							  : "the place for the consumer");
	if (buf_mmap->api != API_TASK)
		return api_refuse("comch consumer create", "mmap", buf_mmap->api);
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch consumer create: out of memory");
	link = comch_connection_ref_link(comch_connection);
	result = consumer_init(made, link, buf_mmap);
	comch_link_unref(link);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	*consumer = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer)
{
	if (consumer == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comch consumer destroy: consumer is NULL");
	if (ctx_check_idle(&consumer->ctx, DOCA_ERROR_INITIALIZATION, "comch consumer destroy") !=
	    DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	/* This succeeds because the context is idle. The connection reads the counters until the
	 * consumer has left. */
	comch_link_leave(&consumer->member, true);
	ctx_deinit(&consumer->ctx);
	mmap_user_remove(&consumer->memory);
	task_pool_deinit(&consumer->pool);
	free(consumer);
	return DOCA_SUCCESS;
}

static doca_error_t consumer_check(const struct doca_comch_consumer *consumer, const void *out,
				   const char *what)
{
	if (consumer == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch consumer %s: %s is NULL", what,
				 consumer == NULL ? "consumer" : "an argument");
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id)
{
	if (consumer_check(consumer, id, "id") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*id = consumer->id;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
						  uint32_t *imm_data_len)
{
	if (consumer_check(consumer, imm_data_len, "immediate data length") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*imm_data_len = consumer->imm_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
						  uint32_t imm_data_len)
{
	static const char what[] = "comch consumer immediate data length";
	uint32_t max;

	if (consumer == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: consumer is NULL", what);
	if (ctx_check_idle(&consumer->ctx, DOCA_ERROR_BAD_STATE, what) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	max = consumer->ctx.dev->info->caps.comch_max_imm_len;
	if (imm_data_len > max)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %u bytes; the device allows up to %u", what, imm_data_len,
				 max);
	consumer->imm_len = imm_data_len;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer)
{
	return consumer == NULL ? NULL : &consumer->ctx;
}

/* --- tasks --- */

doca_error_t doca_comch_consumer_task_post_recv_set_conf(
	struct doca_comch_consumer *consumer,
	doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
	uint32_t num_post_recv_tasks)
{
	static const char what[] = "comch consumer post receive conf";
	const struct dev_caps *caps;

	if (consumer == NULL || task_completion_cb == NULL || task_error_cb == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 consumer == NULL ? "consumer" : "a callback");
	if (ctx_check_idle(&consumer->ctx, DOCA_ERROR_BAD_STATE, what) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	caps = &consumer->ctx.dev->info->caps;
	if (num_post_recv_tasks == 0 || num_post_recv_tasks > caps->comch_fast_max_tasks)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %u %s; the device allows 1 to %u",
				 what, num_post_recv_tasks,
				 plural(num_post_recv_tasks, "task", "tasks"),
				 caps->comch_fast_max_tasks);
	if (task_pool_init(&consumer->pool, &consumer->ctx, num_post_recv_tasks,
			   sizeof(struct doca_comch_consumer_task_post_recv) +
				   caps->comch_max_imm_len) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: no memory for %u %s", what,
				 num_post_recv_tasks, plural(num_post_recv_tasks, "task", "tasks"));
	/* The cast is safe: the receive task begins with the task that the engine passes. */
	consumer->pool.ok_cb = (doca_task_completion_cb_t)(void (*)(void))task_completion_cb;
	consumer->pool.err_cb = (doca_task_completion_cb_t)(void (*)(void))task_error_cb;
	consumer->pool.submit = comch_consumer_submit;
	consumer->pool.validate = comch_consumer_validate;
	consumer->n_tasks = num_post_recv_tasks;
	return DOCA_SUCCESS;
}

static doca_error_t recv_alloc_refuse(const struct doca_comch_consumer *consumer)
{
	if (consumer->ctx.state != DOCA_CTX_STATE_RUNNING)
		return ctx_not_running(&consumer->ctx, "comch consumer post receive");
	if (consumer->pool.n_tasks == 0)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "comch consumer post receive: no tasks are configured; set their "
				 "number before start");
	return error_hint(DOCA_ERROR_NO_MEMORY,
			  "comch consumer post receive: all tasks are in use; "
			  "free some or configure more");
}

doca_error_t doca_comch_consumer_task_post_recv_alloc_init(
	struct doca_comch_consumer *consumer, struct doca_buf *buf,
	struct doca_comch_consumer_task_post_recv **task)
{
	struct doca_comch_consumer_task_post_recv *recv;
	union doca_data no_data = {0};
	struct doca_task *base;

	if (unlikely(consumer == NULL || task == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comch consumer post receive: %s is NULL",
				 consumer == NULL ? "consumer" : "the place for the task");
	base = task_pool_get(&consumer->pool, no_data);
	if (unlikely(base == NULL))
		return recv_alloc_refuse(consumer);
	recv = container_of(base, struct doca_comch_consumer_task_post_recv, base);
	recv->buf = buf;
	recv->producer_id = 0;
	recv->imm_len = 0;
	*task = recv;
	return DOCA_SUCCESS;
}

struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task->buf;
}

void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
						struct doca_buf *buf)
{
	task->buf = buf;
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task->producer_id;
}

const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task->imm_len == 0 ? NULL : task->imm;
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task->imm_len;
}

struct doca_task *doca_comch_consumer_task_post_recv_as_task(
	struct doca_comch_consumer_task_post_recv *task)
{
	return &task->base;
}

/* --- data paths that this runtime lacks --- */

static doca_error_t consumer_no_dpa(const void *object, const void *argument, const char *what)
{
	if (object == NULL || argument == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch consumer %s: %s is NULL", what,
				 object == NULL ? "the object" : "an argument");
	return error_set(
		DOCA_ERROR_NOT_SUPPORTED,
		"comch consumer %s: this runtime has no DPA and no GPU data path; use tasks "
		"and a progress engine on the CPU",
		what);
}

doca_error_t doca_comch_consumer_completion_create(
	struct doca_comch_consumer_completion **consumer_comp)
{
	return consumer_no_dpa(consumer_comp, consumer_comp, "completion create");
}

doca_error_t doca_comch_consumer_completion_destroy(
	struct doca_comch_consumer_completion *consumer_comp)
{
	return consumer_no_dpa(consumer_comp, consumer_comp, "completion destroy");
}

doca_error_t doca_comch_consumer_completion_set_dpa_thread(
	struct doca_comch_consumer_completion *consumer_comp, struct doca_dpa_thread *dpa_thread)
{
	return consumer_no_dpa(consumer_comp, dpa_thread, "completion DPA thread");
}

doca_error_t doca_comch_consumer_completion_start(
	struct doca_comch_consumer_completion *consumer_comp)
{
	return consumer_no_dpa(consumer_comp, consumer_comp, "completion start");
}

doca_error_t doca_comch_consumer_completion_stop(
	struct doca_comch_consumer_completion *consumer_comp)
{
	return consumer_no_dpa(consumer_comp, consumer_comp, "completion stop");
}

doca_error_t doca_comch_consumer_completion_get_dpa_handle(
	struct doca_comch_consumer_completion *consumer_comp,
	doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
{
	return consumer_no_dpa(consumer_comp, consumer_comp_handle, "completion DPA handle");
}

doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers)
{
	(void)max_num_consumers;
	return consumer_no_dpa(consumer_comp, consumer_comp, "completion max consumers");
}

doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers)
{
	return consumer_no_dpa(consumer_comp, max_num_consumers, "completion max consumers");
}

doca_error_t doca_comch_consumer_completion_set_max_num_recv(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv)
{
	(void)max_num_recv;
	return consumer_no_dpa(consumer_comp, consumer_comp, "completion max receives");
}

doca_error_t doca_comch_consumer_completion_get_max_num_recv(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv)
{
	return consumer_no_dpa(consumer_comp, max_num_recv, "completion max receives");
}

doca_error_t doca_comch_consumer_completion_set_imm_data_len(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len)
{
	(void)imm_data_len;
	return consumer_no_dpa(consumer_comp, consumer_comp, "completion immediate data length");
}

doca_error_t doca_comch_consumer_completion_get_imm_data_len(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len)
{
	return consumer_no_dpa(consumer_comp, imm_data_len, "completion immediate data length");
}

doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
						      uint32_t dev_num_recv)
{
	(void)dev_num_recv;
	return consumer_no_dpa(consumer, consumer, "DPA receives");
}

doca_error_t doca_comch_consumer_set_completion(
	struct doca_comch_consumer *consumer, struct doca_comch_consumer_completion *consumer_comp,
	uint32_t user_data)
{
	(void)user_data;
	return consumer_no_dpa(consumer, consumer_comp, "set completion");
}

doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
						doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
	return consumer_no_dpa(consumer, dpa_consumer, "DPA handle");
}

doca_error_t doca_comch_consumer_get_gpu_handle(struct doca_comch_consumer *consumer,
						struct doca_comch_gpu_consumer **gpu_consumer)
{
	return consumer_no_dpa(consumer, gpu_consumer, "GPU handle");
}
