/*
 * DPU side of a signal between two sides. Imports the sync event that the host program (sync_host)
 * exported, and answers each of its rounds. Uses tasks on a progress engine and sleeps in epoll
 * while there is nothing to do; the host's change wakes it. One thread.
 *
 *   sync_dpu --dir DIR [--rounds N] [--timeout SECONDS] [--pci-addr A]
 */
#include <stdio.h>
#include <stdlib.h>

#include <doca_ctx.h>
#include <doca_sync_event.h>

#include "common.h"
#include "dma_channel.h"
#include "sync_names.h"

struct options {
	char dir[EXAMPLE_TEXT_LEN];
	char pci[EXAMPLE_TEXT_LEN];
	int n_rounds;
	int timeout_s;
};

struct dpu {
	struct doca_dev *dev;
	struct doca_sync_event *event;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_sync_event_task_wait_eq *wait; /* submitted again for each round */
	struct doca_sync_event_task_notify_add *add;
	uint64_t fetched;
	int n_left;
	doca_error_t result;
};

static doca_error_t set_dir(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->dir, value);
}

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_rounds(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->n_rounds, value, 1, 100000000);
}

static doca_error_t set_timeout(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->timeout_s, value, 1, 3600);
}

static const struct example_param params[] = {
	{"d", "dir", "<path>", "directory shared with sync_host", DOCA_ARGP_TYPE_STRING, set_dir,
	 true},
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"n", "rounds", "<number>", "rounds to answer", DOCA_ARGP_TYPE_INT, set_rounds, false},
	{"t", "timeout", "<seconds>", "how long to wait for sync_host", DOCA_ARGP_TYPE_INT,
	 set_timeout, false},
};

static bool dev_can_import(const struct doca_devinfo *info)
{
	return doca_sync_event_cap_is_create_from_export_supported(info) == DOCA_SUCCESS;
}

static void fail(struct dpu *d, struct doca_task *task)
{
	d->result = example_failed("a task of the sync event", doca_task_get_status(task));
}

/* The host has added 1: answer. */
static void on_wait(struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	struct dpu *d = ctx_user_data.ptr;

	(void)task;
	(void)task_user_data;
	d->result = doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(d->add));
}

/* The answer was added: wait for the next round. */
static void on_add(struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
		   union doca_data ctx_user_data)
{
	struct dpu *d = ctx_user_data.ptr;

	(void)task;
	(void)task_user_data;
	if (--d->n_left == 0)
		return;
	doca_sync_event_task_wait_eq_set_wait_val(d->wait, d->fetched + 2);
	d->result = doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(d->wait));
}

static void on_wait_failed(struct doca_sync_event_task_wait_eq *task,
			   union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	fail(ctx_user_data.ptr, doca_sync_event_task_wait_eq_as_doca_task(task));
}

static void on_add_failed(struct doca_sync_event_task_notify_add *task,
			  union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	fail(ctx_user_data.ptr, doca_sync_event_task_notify_add_as_doca_task(task));
}

static bool is_done(void *arg)
{
	const struct dpu *d = arg;

	return d->n_left == 0 || d->result != DOCA_SUCCESS;
}

static doca_error_t event_import(struct dpu *d, const struct options *o)
{
	uint8_t desc[CHANNEL_DESC_LEN];
	doca_error_t result;
	size_t len;

	if (channel_wait(o->dir, SYNC_DESC, o->timeout_s) != 0 ||
	    channel_get(o->dir, SYNC_DESC, desc, sizeof(desc), &len) != 0)
		return DOCA_ERROR_TIME_OUT;
	result = doca_sync_event_create_from_export(d->dev, desc, len, &d->event);
	return result == DOCA_SUCCESS ? result : example_failed("import the sync event", result);
}

/* Starts the event as a context on an engine, with one task of each kind. */
static doca_error_t event_start(struct dpu *d)
{
	doca_error_t result = doca_pe_create(&d->pe);

	if (result != DOCA_SUCCESS)
		return example_failed("create a progress engine", result);
	d->ctx = doca_sync_event_as_ctx(d->event);
	result = doca_sync_event_task_wait_eq_set_conf(d->event, on_wait, on_wait_failed, 1);
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_task_notify_add_set_conf(d->event, on_add, on_add_failed,
								  1);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(d->pe, d->ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(d->ctx, (union doca_data){.ptr = d});
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(d->ctx);
	return result == DOCA_SUCCESS ? result : example_failed("start the sync event", result);
}

static doca_error_t rounds_answer(struct dpu *d, const struct options *o)
{
	union doca_data nothing = {.u64 = 0};
	doca_error_t result;

	d->n_left = o->n_rounds;
	result = doca_sync_event_task_notify_add_alloc_init(d->event, 1, &d->fetched, nothing,
							    &d->add);
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_task_wait_eq_alloc_init(d->event, 1, UINT64_MAX, nothing,
								 &d->wait);
	if (result == DOCA_SUCCESS)
		result = doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(d->wait));
	if (result != DOCA_SUCCESS)
		return example_failed("submit a wait", result);
	if (channel_put(o->dir, SYNC_READY, "", 1) != 0)
		return DOCA_ERROR_IO_FAILED;
	result = example_pe_run(d->pe, is_done, d, o->timeout_s);
	return result == DOCA_SUCCESS ? d->result : result;
}

static void event_end(struct dpu *d)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	if (d->ctx != NULL)
		doca_ctx_get_state(d->ctx, &state);
	if (state != DOCA_CTX_STATE_IDLE) {
		/* Tasks in flight complete with an error during progress. */
		doca_ctx_stop(d->ctx);
		while (doca_pe_progress(d->pe))
			continue;
		if (d->wait != NULL)
			doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(d->wait));
		if (d->add != NULL)
			doca_task_free(doca_sync_event_task_notify_add_as_doca_task(d->add));
		while (doca_pe_progress(d->pe))
			continue;
	}
	if (d->event != NULL)
		doca_sync_event_destroy(d->event);
	if (d->pe != NULL)
		doca_pe_destroy(d->pe);
	doca_dev_close(d->dev);
}

int main(int argc, char **argv)
{
	struct options o = {.n_rounds = 1000, .timeout_s = 30};
	struct dpu d = {.result = DOCA_SUCCESS};
	doca_error_t result;

	result = example_params_read("sync_dpu", &o, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS ||
	    example_dev_open(o.pci, dev_can_import, &d.dev) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	result = event_import(&d, &o);
	if (result == DOCA_SUCCESS)
		result = event_start(&d);
	if (result == DOCA_SUCCESS)
		result = rounds_answer(&d, &o);
	if (result == DOCA_SUCCESS)
		printf("OK %d rounds\n", o.n_rounds);
	event_end(&d);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
