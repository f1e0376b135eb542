/* The configuration that comch servers and clients share: name, limits, callbacks. It can be set
 * only while the context is idle. */
#include <stdlib.h>
#include <string.h>

#include "client/comch/comch.h"

/* The default receive callback: messages are counted and dropped. */
static void comch_recv_ignored(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
			       uint32_t msg_len, struct doca_comch_connection *comch_connection)
{
	(void)event;
	(void)recv_buffer;
	(void)msg_len;
	(void)comch_connection;
}

doca_error_t comch_init(struct comch *comch, const struct ctx_ops *ops, struct doca_dev *dev,
			const char *name, bool is_server)
{
	const struct dev_caps *caps = &dev->info->caps;
	size_t len = strlen(name);

	if (!(is_server ? caps->comch_server : caps->comch_client))
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "%s create: device %s does not support it, %s; key %s of the "
				 "device in the topology allows it",
				 ops->name, dev->info->name,
				 is_server ? "servers run on the DPU side"
					   : "clients run on the host side",
				 is_server ? "comch_server" : "comch_client");
	if (len == 0 || len >= caps->comch_max_name_len)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s create: a name of %zu characters; the device allows 1 to %u",
				 ops->name, len,
				 caps->comch_max_name_len == 0 ? 0 : caps->comch_max_name_len - 1);
	comch->name = strdup(name);
	if (comch->name == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s create: out of memory", ops->name);
	comch->is_server = is_server;
	comch->max_msg_size = MIN(COMCH_DEFAULT_MSG_SIZE, caps->comch_max_msg_size);
	comch->recv_queue_size = MIN(COMCH_DEFAULT_RECV_QUEUE, caps->comch_max_recv_queue);
	comch->recv_cb = comch_recv_ignored;
	comch->recv_event.comch = comch;
	comch->consumer_event.comch = comch;
	comch->events.reader = comch->events.next = (struct event_reader)EVENT_READER_INIT;
	comch->events.timer_fd = -1;
	comch_fetch_init(&comch->fetch);
	list_init(&comch->item.node);
	ctx_init(&comch->ctx, ops, dev);
	return DOCA_SUCCESS;
}

doca_error_t comch_deinit(struct comch *comch)
{
	doca_error_t result = ctx_deinit(&comch->ctx);

	if (result != DOCA_SUCCESS)
		return result;
	task_pool_deinit(&comch->send_pool);
	free(comch->copy);
	free(comch->name);
	return DOCA_SUCCESS;
}

doca_error_t comch_make_copy(struct comch *comch)
{
	uint32_t max = comch->has_own_copy ? 0 : MIN(comch->max_msg_size, COMCH_COPY_MAX);

	if (max == comch->copy_max)
		return DOCA_SUCCESS;
	free(comch->copy);
	comch->copy_max = 0;
	comch->copy = aligned_alloc(SHM_CACHE_LINE, ALIGN_UP((size_t)max, SHM_CACHE_LINE));
	if (comch->copy == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "%s start: no memory for a received message of %u bytes",
				 comch->ctx.ops->name, max);
	comch->copy_max = max;
	return DOCA_SUCCESS;
}

static doca_error_t comch_set_u32(struct comch *comch, uint32_t *field, uint32_t value,
				  uint32_t max, const char *what)
{
	doca_error_t result = ctx_check_idle(&comch->ctx, DOCA_ERROR_BAD_STATE, what);

	if (result != DOCA_SUCCESS)
		return result;
	if (value == 0 || value > max)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %u; the device allows 1 to %u",
				 what, value, max);
	*field = value;
	return DOCA_SUCCESS;
}

doca_error_t comch_set_msg_size(struct comch *comch, uint32_t size, const char *what)
{
	if (comch == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the object is NULL", what);
	return comch_set_u32(comch, &comch->max_msg_size, size,
			     comch->ctx.dev->info->caps.comch_max_msg_size, what);
}

doca_error_t comch_set_recv_queue(struct comch *comch, uint32_t size, const char *what)
{
	if (comch == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the object is NULL", what);
	return comch_set_u32(comch, &comch->recv_queue_size, size,
			     comch->ctx.dev->info->caps.comch_max_recv_queue, what);
}

doca_error_t comch_set_consumer_cbs(struct comch *comch, doca_comch_event_consumer_cb_t new_cb,
				    doca_comch_event_consumer_cb_t expired_cb, const char *what)
{
	doca_error_t result;

	if (comch == NULL || new_cb == NULL || expired_cb == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %s is NULL; both callbacks are needed", what,
				 comch == NULL ? "the object" : "a callback");
	result = ctx_check_idle(&comch->ctx, DOCA_ERROR_BAD_STATE, what);
	if (result != DOCA_SUCCESS)
		return result;
	comch->consumer_event.new_cb = new_cb;
	comch->consumer_event.expired_cb = expired_cb;
	return DOCA_SUCCESS;
}

doca_error_t comch_set_recv_cb(struct comch *comch, doca_comch_event_msg_recv_cb_t cb,
			       const char *what)
{
	doca_error_t result;

	if (comch == NULL || cb == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 comch == NULL ? "the object" : "the callback");
	result = ctx_check_idle(&comch->ctx, DOCA_ERROR_BAD_STATE, what);
	if (result != DOCA_SUCCESS)
		return result;
	comch->recv_cb = cb;
	return DOCA_SUCCESS;
}

doca_error_t comch_get_msg_size(const struct comch *comch, uint32_t *size_out, const char *what)
{
	if (comch == NULL || size_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 comch == NULL ? "the object" : "the result");
	*size_out = comch->max_msg_size;
	return DOCA_SUCCESS;
}

doca_error_t comch_get_recv_queue(const struct comch *comch, uint32_t *size_out, const char *what)
{
	if (comch == NULL || size_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 comch == NULL ? "the object" : "the result");
	*size_out = comch->recv_queue_size;
	return DOCA_SUCCESS;
}

doca_error_t comch_get_dev(const struct comch *comch, struct doca_dev **dev_out, const char *what)
{
	if (comch == NULL || dev_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 comch == NULL ? "the object" : "the result");
	*dev_out = comch->ctx.dev;
	return DOCA_SUCCESS;
}
