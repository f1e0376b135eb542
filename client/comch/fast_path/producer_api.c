/* Public calls of producers: capabilities, create, configure, tasks. The implementation is in
 * client/comch/fast_path/producer.c. Calls for a DPA or GPU data path are not supported. */
#include <stdlib.h>
#include <string.h>

#include "client/comch/comch.h"
#include "client/comch/fast_path/producer.h"
#include "util/str.h"

/* --- capabilities --- */

static doca_error_t caps_check(const struct doca_devinfo *devinfo, const void *out,
			       const char *what)
{
	if (devinfo == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch producer %s: %s is NULL", what,
				 devinfo == NULL ? "devinfo" : "the result");
	return DOCA_SUCCESS;
}

static doca_error_t caps_unsupported(const struct doca_devinfo *devinfo, const char *what)
{
	return error_note(DOCA_ERROR_NOT_SUPPORTED,
			  "comch producer %s: device %s does not support it; key comch_producer of "
			  "the device in the topology allows it",
			  what, devinfo->name);
}

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	if (caps_check(devinfo, devinfo, "support") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	return devinfo->caps.comch_producer ? DOCA_SUCCESS : caps_unsupported(devinfo, "support");
}

doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						       uint32_t *max_num_tasks)
{
	if (caps_check(devinfo, max_num_tasks, "max tasks") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_tasks = devinfo->caps.comch_fast_max_tasks;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						      uint32_t *max_buf_size)
{
	if (caps_check(devinfo, max_buf_size, "max buffer size") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	if (!devinfo->caps.comch_producer)
		return caps_unsupported(devinfo, "max buffer size");
	*max_buf_size = (uint32_t)dev_report_size(devinfo->caps.comch_fast_max_buf_size);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	if (caps_check(devinfo, max_buf_list_len, "max list length") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	if (!devinfo->caps.comch_producer)
		return caps_unsupported(devinfo, "max list length");
	*max_buf_list_len = devinfo->caps.comch_fast_max_list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
						       uint32_t *max_producers)
{
	if (caps_check(devinfo, max_producers, "max producers") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*max_producers = devinfo->caps.comch_max_producers;
	return DOCA_SUCCESS;
}

/* --- creation and configuration --- */

static doca_error_t producer_init(struct doca_comch_producer *producer, struct comch_link *link)
{
	const struct dev_caps *caps;

	/* The connection's thread may end it at any time; a producer that is created for one that
	 * ends then fails at start. */
	if (link == NULL || comch_link_ended(link) != 0)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "comch producer create: the connection is not established; create "
				 "the producer between connect and disconnect");
	caps = &link->dev->info->caps;
	if (!caps->comch_producer)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "comch producer create: device %s does not support it; key "
				 "comch_producer of the device in the topology allows it",
				 link->dev->info->name);
	ctx_init(&producer->ctx, &comch_producer_ops, link->dev);
	ctx_open_counters(&producer->ctx);
	if (!comch_link_join(link, &producer->member, &producer->ctx, false,
			     caps->comch_max_producers, &producer->id)) {
		ctx_deinit(&producer->ctx);
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "comch producer create: the connection of \"%s\" already has the "
				 "%u %s that the device allows; destroy one first",
				 link->name, caps->comch_max_producers,
				 plural(caps->comch_max_producers, "producer", "producers"));
	}
	producer->max_imm_len = caps->comch_max_imm_len;
	producer->max_buf_size = caps->comch_fast_max_buf_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
					struct doca_comch_producer **producer)
{
	struct doca_comch_producer *made;
	struct comch_link *link;
	doca_error_t result;

	if (comch_connection == NULL || producer == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch producer create: %s is NULL",
				 comch_connection == NULL ? "the connection"
							  : "the place for the producer");
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch producer create: out of memory");
	link = comch_connection_ref_link(comch_connection);
	result = producer_init(made, link);
	comch_link_unref(link);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	*producer = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer)
{
	if (producer == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comch producer destroy: producer is NULL");
	if (ctx_check_idle(&producer->ctx, DOCA_ERROR_INITIALIZATION, "comch producer destroy") !=
	    DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	/* This succeeds because the context is idle. The connection reads the counters until the
	 * producer has left. */
	comch_link_leave(&producer->member, false);
	ctx_deinit(&producer->ctx);
	task_pool_deinit(&producer->pool);
	free(producer);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id)
{
	if (producer == NULL || id == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch producer id: %s is NULL",
				 producer == NULL ? "producer" : "the result");
	*id = producer->id;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer)
{
	return producer == NULL ? NULL : &producer->ctx;
}

/* --- tasks --- */

doca_error_t doca_comch_producer_task_send_set_conf(
	struct doca_comch_producer *producer,
	doca_comch_producer_task_send_completion_cb_t task_completion_cb,
	doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
	static const char what[] = "comch producer send conf";
	const struct dev_caps *caps;

	if (producer == NULL || task_completion_cb == NULL || task_error_cb == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 producer == NULL ? "producer" : "a callback");
	if (ctx_check_idle(&producer->ctx, DOCA_ERROR_BAD_STATE, what) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	caps = &producer->ctx.dev->info->caps;
	if (num_send_tasks == 0 || num_send_tasks > caps->comch_fast_max_tasks)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %u %s; the device allows 1 to %u",
				 what, num_send_tasks, plural(num_send_tasks, "task", "tasks"),
				 caps->comch_fast_max_tasks);
	if (task_pool_init(&producer->pool, &producer->ctx, num_send_tasks,
			   sizeof(struct doca_comch_producer_task_send) + caps->comch_max_imm_len) <
	    0)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: no memory for %u %s", what,
				 num_send_tasks, plural(num_send_tasks, "task", "tasks"));
	/* The cast is safe: the send task begins with the task that the engine passes. */
	producer->pool.ok_cb = (doca_task_completion_cb_t)(void (*)(void))task_completion_cb;
	producer->pool.err_cb = (doca_task_completion_cb_t)(void (*)(void))task_error_cb;
	producer->pool.submit = comch_producer_submit;
	producer->pool.validate = comch_producer_validate;
	return DOCA_SUCCESS;
}

static doca_error_t send_alloc_refuse(const struct doca_comch_producer *producer)
{
	if (producer->ctx.state != DOCA_CTX_STATE_RUNNING)
		return ctx_not_running(&producer->ctx, "comch producer send");
	if (producer->pool.n_tasks == 0)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "comch producer send: no tasks are configured; set their number "
				 "before start");
	return error_hint(DOCA_ERROR_NO_MEMORY,
			  "comch producer send: all tasks are in use; progress, "
			  "free some or configure more");
}

/* Immediate data that is too long is not copied; submission refuses its length. */
static inline void send_set_imm(struct doca_comch_producer_task_send *task, const uint8_t *imm_data,
				uint32_t imm_data_len)
{
	const struct doca_comch_producer *producer = container_of(task->base.ctx,
								  struct doca_comch_producer, ctx);

	task->imm_len = imm_data == NULL ? 0 : imm_data_len;
	if (task->imm_len != 0 && task->imm_len <= producer->max_imm_len)
		memcpy(task->imm, imm_data, task->imm_len);
}

doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
						      const struct doca_buf *buf, uint8_t *imm_data,
						      uint32_t imm_data_len, uint32_t consumer_id,
						      struct doca_comch_producer_task_send **task)
{
	struct doca_comch_producer_task_send *send;
	union doca_data no_data = {0};
	struct doca_task *base;

	if (unlikely(producer == NULL || task == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch producer send: %s is NULL",
				 producer == NULL ? "producer" : "the place for the task");
	if (unlikely(imm_data_len > producer->max_imm_len ||
		     (imm_data == NULL && imm_data_len != 0)))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comch producer send: %u bytes of immediate data%s; the device "
				 "allows up to %u",
				 imm_data_len, imm_data == NULL ? " at NULL" : "",
				 producer->max_imm_len);
	base = task_pool_get(&producer->pool, no_data);
	if (unlikely(base == NULL))
		return send_alloc_refuse(producer);
	send = container_of(base, struct doca_comch_producer_task_send, base);
	send->buf = buf;
	send->consumer_id = consumer_id;
	send_set_imm(send, imm_data, imm_data_len);
	*task = send;
	return DOCA_SUCCESS;
}

const struct doca_buf *doca_comch_producer_task_send_get_buf(
	const struct doca_comch_producer_task_send *task)
{
	return task->buf;
}

void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
					   const struct doca_buf *buf)
{
	task->buf = buf;
}

uint32_t doca_comch_producer_task_send_get_consumer_id(
	const struct doca_comch_producer_task_send *task)
{
	return task->consumer_id;
}

void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
						   const uint32_t consumer_id)
{
	task->consumer_id = consumer_id;
}

uint8_t *doca_comch_producer_task_send_get_imm_data(
	const struct doca_comch_producer_task_send *task)
{
	return task->imm_len == 0 ? NULL : (uint8_t *)(uintptr_t)task->imm;
}

uint32_t doca_comch_producer_task_send_get_imm_data_len(
	const struct doca_comch_producer_task_send *task)
{
	return task->imm_len;
}

void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
						uint8_t *imm_data, uint32_t imm_data_len)
{
	send_set_imm(task, imm_data, imm_data_len);
}

struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task)
{
	return &task->base;
}

/* --- data paths that this runtime lacks --- */

static doca_error_t producer_no_dpa(const void *object, const void *argument, const char *what)
{
	if (object == NULL || argument == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch producer %s: %s is NULL", what,
				 object == NULL ? "producer" : "an argument");
	return error_set(
		DOCA_ERROR_NOT_SUPPORTED,
		"comch producer %s: this runtime has no DPA and no GPU data path; use tasks "
		"and a progress engine on the CPU",
		what);
}

doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
						      uint32_t dev_num_send)
{
	(void)dev_num_send;
	return producer_no_dpa(producer, producer, "DPA sends");
}

doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
						       struct doca_dpa_completion *dpa_comp)
{
	return producer_no_dpa(producer, dpa_comp, "DPA completion");
}

doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
						doca_dpa_dev_comch_producer_t *dpa_producer)
{
	return producer_no_dpa(producer, dpa_producer, "DPA handle");
}

doca_error_t doca_comch_producer_get_gpu_handle(struct doca_comch_producer *producer,
						struct doca_comch_gpu_producer **gpu_producer)
{
	return producer_no_dpa(producer, gpu_producer, "GPU handle");
}
