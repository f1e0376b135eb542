/*
 * A progress engine inside a program's own event loop. One epoll set contains the engine's
 * notification handle and a timer of the program, which sleeps until either is ready. DMA tasks
 * copy block after block, several at a time. One thread.
 *
 *   pe_event [--tasks N] [--size BYTES] [--pci-addr ADDRESS]
 *
 * This order loses no event: request the notification, wait, clear it, progress until there is
 * nothing left to do, and repeat. A task that completed before the request wakes the program at
 * once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include "common.h"

enum { N_INFLIGHT = 4, TIMEOUT_S = 30 };

struct options {
	char pci[EXAMPLE_TEXT_LEN];
	int n_tasks;
	int size;
};

struct loop {
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_buf *src[N_INFLIGHT], *dst[N_INFLIGHT];
	char *memory; /* N_INFLIGHT source blocks, followed by as many destination blocks */
	size_t size;
	int n_to_submit, n_inflight, n_done, n_wakeups;
	int epoll_fd, timer_fd;
	doca_error_t result;
};

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_tasks(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->n_tasks, value, N_INFLIGHT,
				   1000000000);
}

static doca_error_t set_size(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->size, value, 1, 1 << 26);
}

static const struct example_param params[] = {
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"n", "tasks", "<count>", "copies to make", DOCA_ARGP_TYPE_INT, set_tasks, false},
	{"s", "size", "<bytes>", "bytes of one copy", DOCA_ARGP_TYPE_INT, set_size, false},
};

static void task_end(struct loop *l, struct doca_dma_task_memcpy *task)
{
	l->n_inflight--;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_success(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	struct loop *l = ctx_user_data.ptr;

	(void)task_user_data;
	l->n_done++;
	task_end(l, task);
}

static void on_error(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		     union doca_data ctx_user_data)
{
	struct loop *l = ctx_user_data.ptr;

	(void)task_user_data;
	l->result = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	task_end(l, task);
}

static doca_error_t memory_prepare(struct loop *l)
{
	size_t len = 2 * N_INFLIGHT * l->size, i;
	doca_error_t result;

	l->memory = calloc(1, len);
	if (l->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (i = 0; i < len / 2; i++)
		l->memory[i] = (char)(i * 13 + 5);
	result = doca_mmap_create(&l->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(l->mmap, l->memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(l->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(l->mmap, l->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(l->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(2 * N_INFLIGHT, &l->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(l->inventory);
	for (i = 0; i < N_INFLIGHT && result == DOCA_SUCCESS; i++) {
		char *src = l->memory + i * l->size;

		result = doca_buf_inventory_buf_get_by_data(l->inventory, l->mmap, src, l->size,
							    &l->src[i]);
		if (result == DOCA_SUCCESS)
			result = doca_buf_inventory_buf_get_by_addr(
				l->inventory, l->mmap, src + len / 2, l->size, &l->dst[i]);
	}
	return result;
}

static doca_error_t engine_prepare(struct loop *l)
{
	struct itimerspec deadline = {.it_value = {.tv_sec = TIMEOUT_S}};
	struct epoll_event event = {.events = EPOLLIN};
	union doca_data user_data = {.ptr = l};
	doca_notification_handle_t handle;
	doca_error_t result;

	result = doca_pe_create(&l->pe);
	if (result == DOCA_SUCCESS)
		result = doca_dma_create(l->dev, &l->dma);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(l->pe, doca_dma_as_ctx(l->dma));
	if (result == DOCA_SUCCESS)
		result = doca_dma_task_memcpy_set_conf(l->dma, on_success, on_error, N_INFLIGHT);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(doca_dma_as_ctx(l->dma), user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(doca_dma_as_ctx(l->dma));
	if (result == DOCA_SUCCESS)
		result = doca_pe_get_notification_handle(l->pe, &handle);
	if (result != DOCA_SUCCESS)
		return result;

	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->epoll_fd < 0 || l->timer_fd < 0 ||
	    timerfd_settime(l->timer_fd, 0, &deadline, NULL) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	event.data.fd = handle;
	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, handle, &event) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	event.data.fd = l->timer_fd;
	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->timer_fd, &event) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	return DOCA_SUCCESS;
}

/* Submits one copy for each free pair of buffers while there are copies left. */
static doca_error_t tasks_submit(struct loop *l)
{
	struct doca_dma_task_memcpy *task;
	union doca_data none = {.u64 = 0};
	doca_error_t result;
	int i;

	for (i = 0; i < N_INFLIGHT && l->n_to_submit > 0; i++) {
		/* A copy appends to the destination's data, so its data length is reset. */
		result = doca_buf_reset_data_len(l->dst[i]);
		if (result == DOCA_SUCCESS)
			result = doca_dma_task_memcpy_alloc_init(l->dma, l->src[i], l->dst[i], none,
								 &task);
		if (result != DOCA_SUCCESS)
			return result;
		result = doca_task_submit(doca_dma_task_memcpy_as_task(task));
		if (result != DOCA_SUCCESS) {
			doca_task_free(doca_dma_task_memcpy_as_task(task));
			return result;
		}
		l->n_inflight++;
		l->n_to_submit--;
	}
	return DOCA_SUCCESS;
}

/* Sleeps until the engine or the timer is ready, then makes progress. */
static doca_error_t events_handle(struct loop *l)
{
	struct epoll_event events[2];
	doca_error_t result;
	int n_events, i;

	result = doca_pe_request_notification(l->pe);
	if (result != DOCA_SUCCESS)
		return result;
	n_events = epoll_wait(l->epoll_fd, events, 2, -1);
	if (n_events < 0 && errno != EINTR)
		return DOCA_ERROR_OPERATING_SYSTEM;
	l->n_wakeups++;
	for (i = 0; i < n_events; i++) {
		if (events[i].data.fd == l->timer_fd)
			return DOCA_ERROR_TIME_OUT;
	}
	result = doca_pe_clear_notification(l->pe, 0);
	if (result != DOCA_SUCCESS)
		return result;
	while (doca_pe_progress(l->pe) != 0)
		;
	return l->result;
}

static doca_error_t loop_run(struct loop *l)
{
	doca_error_t result = DOCA_SUCCESS;

	while (result == DOCA_SUCCESS && (l->n_to_submit > 0 || l->n_inflight > 0)) {
		if (l->n_inflight == 0)
			result = tasks_submit(l);
		if (result == DOCA_SUCCESS)
			result = events_handle(l);
	}
	return result;
}

static void loop_close(struct loop *l)
{
	int i;

	if (l->dma != NULL) {
		/* Tasks in flight complete through their error callback. */
		if (doca_ctx_stop(doca_dma_as_ctx(l->dma)) == DOCA_ERROR_IN_PROGRESS) {
			while (l->n_inflight > 0)
				doca_pe_progress(l->pe);
		}
		doca_dma_destroy(l->dma);
	}
	if (l->pe != NULL)
		doca_pe_destroy(l->pe);
	for (i = 0; i < N_INFLIGHT; i++) {
		if (l->src[i] != NULL)
			doca_buf_dec_refcount(l->src[i], NULL);
		if (l->dst[i] != NULL)
			doca_buf_dec_refcount(l->dst[i], NULL);
	}
	if (l->inventory != NULL)
		doca_buf_inventory_destroy(l->inventory);
	if (l->mmap != NULL)
		doca_mmap_destroy(l->mmap);
	doca_dev_close(l->dev);
	if (l->timer_fd >= 0)
		close(l->timer_fd);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	free(l->memory);
}

int main(int argc, char **argv)
{
	struct options o = {.n_tasks = 1000, .size = 4096};
	struct loop l = {.epoll_fd = -1, .timer_fd = -1};
	doca_error_t result;
	size_t half;

	result = example_params_read("pe_event", &o, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS ||
	    example_dev_open(o.pci, example_dev_can_copy, &l.dev) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	l.size = (size_t)o.size;
	l.n_to_submit = o.n_tasks;
	half = N_INFLIGHT * l.size;
	result = memory_prepare(&l);
	if (result == DOCA_SUCCESS)
		result = engine_prepare(&l);
	if (result == DOCA_SUCCESS)
		result = loop_run(&l);
	if (result == DOCA_SUCCESS &&
	    (l.n_done != o.n_tasks || memcmp(l.memory, l.memory + half, half) != 0))
		result = DOCA_ERROR_UNEXPECTED;
	if (result == DOCA_SUCCESS)
		printf("OK %d copies, woken %d times\n", l.n_done, l.n_wakeups);
	else
		example_failed("copy in the event loop", result);
	loop_close(&l);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
