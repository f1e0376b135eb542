/*
 * Consumers and producers of 2.5 and 2.6: comch objects under their earlier names.
 * client/compat/abi/v2_5/cc.c has the calls whose types differ in 2.5. Threads: as in
 * doca_comch_consumer.h.
 */
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>

#include "client/compat/cc/cc.h"

#include "client/base/generation.h"

doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection,
				     struct doca_mmap *buf_mmap, struct doca_cc_consumer **consumer)
{
	return doca_comch_consumer_create((struct doca_comch_connection *)cc_connection, buf_mmap,
					  (struct doca_comch_consumer **)consumer);
}

doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer)
{
	return doca_comch_consumer_destroy((struct doca_comch_consumer *)consumer);
}

doca_error_t doca_cc_cap_is_consumer_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_consumer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer, uint32_t *id)
{
	return doca_comch_consumer_get_id((const struct doca_comch_consumer *)consumer, id);
}

doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
							size_t *max_log_num_tasks)
{
	return cc_get_log(devinfo, max_log_num_tasks, doca_comch_consumer_cap_get_max_num_tasks);
}

struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer)
{
	return doca_comch_consumer_as_ctx((struct doca_comch_consumer *)consumer);
}

doca_error_t doca_cc_consumer_post_recv_task_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_post_recv_task_comp_handler task_completion_cb,
	doca_cc_consumer_post_recv_task_comp_handler task_error_cb, size_t log_num_tasks)
{
	return doca_comch_consumer_task_post_recv_set_conf(
		(struct doca_comch_consumer *)consumer,
		(doca_comch_consumer_task_post_recv_completion_cb_t)(void (*)(
			void))task_completion_cb,
		(doca_comch_consumer_task_post_recv_completion_cb_t)(void (*)(void))task_error_cb,
		cc_n_tasks(log_num_tasks));
}

doca_error_t doca_cc_consumer_post_recv_task_alloc_init(
	struct doca_cc_consumer *consumer, struct doca_buf *buf,
	struct doca_cc_consumer_post_recv_task **task)
{
	return doca_comch_consumer_task_post_recv_alloc_init(
		(struct doca_comch_consumer *)consumer, buf,
		(struct doca_comch_consumer_task_post_recv **)task);
}

struct doca_buf *doca_cc_consumer_post_recv_task_get_buf(
	struct doca_cc_consumer_post_recv_task *task)
{
	return doca_comch_consumer_task_post_recv_get_buf(
		(struct doca_comch_consumer_task_post_recv *)task);
}

void doca_cc_consumer_post_recv_task_set_buf(struct doca_cc_consumer_post_recv_task *task,
					     struct doca_buf *buf)
{
	doca_comch_consumer_task_post_recv_set_buf(
		(struct doca_comch_consumer_task_post_recv *)task, buf);
}

struct doca_task *doca_cc_consumer_post_recv_task_as_task(
	struct doca_cc_consumer_post_recv_task *task)
{
	return doca_comch_consumer_task_post_recv_as_task(
		(struct doca_comch_consumer_task_post_recv *)task);
}

doca_error_t doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_consumer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						    uint32_t *max_num_tasks)
{
	return doca_comch_consumer_cap_get_max_num_tasks(devinfo, max_num_tasks);
}

doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_buf_size)
{
	return doca_comch_consumer_cap_get_max_buf_size(devinfo, max_buf_size);
}
API_PLAIN(doca_cc_consumer_cap_get_max_buf_size, 2_6);

doca_error_t doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
						    uint32_t *max_consumers)
{
	return doca_comch_consumer_cap_get_max_consumers(devinfo, max_consumers);
}

doca_error_t doca_cc_consumer_task_post_recv_set_conf(
	struct doca_cc_consumer *consumer,
	doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks)
{
	return doca_comch_consumer_task_post_recv_set_conf(
		(struct doca_comch_consumer *)consumer,
		(doca_comch_consumer_task_post_recv_completion_cb_t)(void (*)(
			void))task_completion_cb,
		(doca_comch_consumer_task_post_recv_completion_cb_t)(void (*)(void))task_error_cb,
		num_post_recv_tasks);
}

doca_error_t doca_cc_consumer_task_post_recv_alloc_init(
	struct doca_cc_consumer *consumer, struct doca_buf *buf,
	struct doca_cc_consumer_task_post_recv **task)
{
	return doca_comch_consumer_task_post_recv_alloc_init(
		(struct doca_comch_consumer *)consumer, buf,
		(struct doca_comch_consumer_task_post_recv **)task);
}

struct doca_buf *doca_cc_consumer_task_post_recv_get_buf(
	struct doca_cc_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_get_buf(
		(struct doca_comch_consumer_task_post_recv *)task);
}

void doca_cc_consumer_task_post_recv_set_buf(struct doca_cc_consumer_task_post_recv *task,
					     struct doca_buf *buf)
{
	doca_comch_consumer_task_post_recv_set_buf(
		(struct doca_comch_consumer_task_post_recv *)task, buf);
}

uint32_t doca_cc_consumer_task_post_recv_get_producer_id(
	struct doca_cc_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_get_producer_id(
		(struct doca_comch_consumer_task_post_recv *)task);
}

struct doca_task *doca_cc_consumer_task_post_recv_as_task(
	struct doca_cc_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_as_task(
		(struct doca_comch_consumer_task_post_recv *)task);
}

doca_error_t doca_cc_producer_create(struct doca_cc_connection *cc_connection,
				     struct doca_cc_producer **producer)
{
	return doca_comch_producer_create((struct doca_comch_connection *)cc_connection,
					  (struct doca_comch_producer **)producer);
}

doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer)
{
	return doca_comch_producer_destroy((struct doca_comch_producer *)producer);
}

doca_error_t doca_cc_cap_is_producer_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_producer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
							size_t *max_log_num_tasks)
{
	return cc_get_log(devinfo, max_log_num_tasks, doca_comch_producer_cap_get_max_num_tasks);
}

struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer)
{
	return doca_comch_producer_as_ctx((struct doca_comch_producer *)producer);
}

doca_error_t doca_cc_producer_send_task_set_conf(
	struct doca_cc_producer *producer,
	doca_cc_producer_send_task_comp_handler task_completion_cb,
	doca_cc_producer_send_task_comp_handler task_error_cb, size_t log_num_tasks)
{
	return doca_comch_producer_task_send_set_conf(
		(struct doca_comch_producer *)producer,
		(doca_comch_producer_task_send_completion_cb_t)(void (*)(void))task_completion_cb,
		(doca_comch_producer_task_send_completion_cb_t)(void (*)(void))task_error_cb,
		cc_n_tasks(log_num_tasks));
}

doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer,
						   struct doca_buf *buf, int consumer_id,
						   struct doca_cc_producer_send_task **task)
{
	return doca_comch_producer_task_send_alloc_init(
		(struct doca_comch_producer *)producer, buf, NULL, 0, (uint32_t)consumer_id,
		(struct doca_comch_producer_task_send **)task);
}

struct doca_buf *doca_cc_producer_send_task_get_buf(struct doca_cc_producer_send_task *task)
{
	/* The cast is safe: the program owns the buffer and may write to it. */
	return (struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(
		(struct doca_comch_producer_task_send *)task);
}

void doca_cc_producer_send_task_set_buf(struct doca_cc_producer_send_task *task,
					struct doca_buf *buf)
{
	doca_comch_producer_task_send_set_buf((struct doca_comch_producer_task_send *)task, buf);
}

int doca_cc_producer_send_task_get_consumer_id(struct doca_cc_producer_send_task *task)
{
	return (int)doca_comch_producer_task_send_get_consumer_id(
		(struct doca_comch_producer_task_send *)task);
}

void doca_cc_producer_send_task_set_consumer_id(struct doca_cc_producer_send_task *task,
						const int consumer_id)
{
	doca_comch_producer_task_send_set_consumer_id((struct doca_comch_producer_task_send *)task,
						      (uint32_t)consumer_id);
}

struct doca_task *doca_cc_producer_send_task_as_task(struct doca_cc_producer_send_task *task)
{
	return doca_comch_producer_task_send_as_task((struct doca_comch_producer_task_send *)task);
}

doca_error_t doca_cc_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_producer_cap_is_supported(devinfo);
}

doca_error_t doca_cc_producer_get_id(const struct doca_cc_producer *producer, uint32_t *id)
{
	return doca_comch_producer_get_id((const struct doca_comch_producer *)producer, id);
}

doca_error_t doca_cc_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
						    uint32_t *max_num_tasks)
{
	return doca_comch_producer_cap_get_max_num_tasks(devinfo, max_num_tasks);
}

doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_buf_size)
{
	return doca_comch_producer_cap_get_max_buf_size(devinfo, max_buf_size);
}
API_PLAIN(doca_cc_producer_cap_get_max_buf_size, 2_6);

doca_error_t doca_cc_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
						    uint32_t *max_producers)
{
	return doca_comch_producer_cap_get_max_producers(devinfo, max_producers);
}

doca_error_t doca_cc_producer_task_send_set_conf(
	struct doca_cc_producer *producer,
	doca_cc_producer_task_send_completion_cb_t task_completion_cb,
	doca_cc_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
	return doca_comch_producer_task_send_set_conf(
		(struct doca_comch_producer *)producer,
		(doca_comch_producer_task_send_completion_cb_t)(void (*)(void))task_completion_cb,
		(doca_comch_producer_task_send_completion_cb_t)(void (*)(void))task_error_cb,
		num_send_tasks);
}

doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer,
						   struct doca_buf *buf, uint32_t consumer_id,
						   struct doca_cc_producer_task_send **task)
{
	return doca_comch_producer_task_send_alloc_init(
		(struct doca_comch_producer *)producer, buf, NULL, 0, consumer_id,
		(struct doca_comch_producer_task_send **)task);
}

struct doca_buf *doca_cc_producer_task_send_get_buf(struct doca_cc_producer_task_send *task)
{
	/* The cast is safe: the program owns the buffer and may write to it. */
	return (struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(
		(struct doca_comch_producer_task_send *)task);
}

void doca_cc_producer_task_send_set_buf(struct doca_cc_producer_task_send *task,
					struct doca_buf *buf)
{
	doca_comch_producer_task_send_set_buf((struct doca_comch_producer_task_send *)task, buf);
}

uint32_t doca_cc_producer_task_send_get_consumer_id(struct doca_cc_producer_task_send *task)
{
	return doca_comch_producer_task_send_get_consumer_id(
		(struct doca_comch_producer_task_send *)task);
}

void doca_cc_producer_task_send_set_consumer_id(struct doca_cc_producer_task_send *task,
						const uint32_t consumer_id)
{
	doca_comch_producer_task_send_set_consumer_id((struct doca_comch_producer_task_send *)task,
						      consumer_id);
}

struct doca_task *doca_cc_producer_task_send_as_task(struct doca_cc_producer_task_send *task)
{
	return doca_comch_producer_task_send_as_task((struct doca_comch_producer_task_send *)task);
}
