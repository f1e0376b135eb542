/*
 * A graph with two copy nodes and a user node. Each instance copies its source twice, in parallel,
 * and then calls a function that compares the copies with the source. Several instances run at
 * once, and each is submitted again when it completes. The program sleeps in epoll while there is
 * nothing to do. One thread.
 *
 *      copy    copy
 *         \    /
 *         check
 *
 *   graph [--runs COUNT] [--size BYTES] [--pci-addr ADDRESS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_graph.h>
#include <doca_mmap.h>

#include "common.h"

enum { N_COPIES = 2, N_INSTANCES = 8, TIMEOUT_S = 60 };

struct options {
	char pci[EXAMPLE_TEXT_LEN];
	int n_runs, size;
};

/* One graph instance with its buffers. */
struct work {
	struct program *program;
	struct doca_graph_instance *instance;
	struct doca_buf *src, *dst[N_COPIES];
	struct doca_dma_task_memcpy *tasks[N_COPIES];
	char *src_addr, *dst_addr[N_COPIES];
};

struct program {
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_graph *graph;
	struct doca_graph_node *copies[N_COPIES], *check;
	struct work works[N_INSTANCES];
	char *memory;
	size_t size;
	int n_to_submit, n_inflight, n_done, n_checked;
	doca_error_t result;
};

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_runs(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->n_runs, value, 1, 1000000000);
}

static doca_error_t set_size(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->size, value, 1, 1 << 24);
}

static const struct example_param params[] = {
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"n", "runs", "<count>", "times to run the graph", DOCA_ARGP_TYPE_INT, set_runs, false},
	{"s", "size", "<bytes>", "bytes of one copy", DOCA_ARGP_TYPE_INT, set_size, false},
};

/* The DMA context requires callbacks, but does not call them for tasks that a graph submits. */
static void on_task(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	(void)task;
	(void)task_user_data;
	(void)ctx_user_data;
}

/* The user node: compares both copies with the source. */
static doca_error_t check_copies(void *cookie)
{
	struct work *w = cookie;
	int i;

	w->program->n_checked++;
	for (i = 0; i < N_COPIES; i++) {
		if (memcmp(w->src_addr, w->dst_addr[i], w->program->size) != 0)
			return DOCA_ERROR_UNEXPECTED;
	}
	return DOCA_SUCCESS;
}

static doca_error_t work_submit(struct work *w)
{
	struct program *p = w->program;
	doca_error_t result = DOCA_SUCCESS;
	int i;

	/*
	 * Each run copies new contents. A copy appends to the destination's data, so the data
	 * length is reset.
	 */
	memset(w->src_addr, p->n_to_submit, p->size);
	for (i = 0; i < N_COPIES && result == DOCA_SUCCESS; i++)
		result = doca_buf_reset_data_len(w->dst[i]);
	if (result == DOCA_SUCCESS)
		result = doca_graph_instance_submit(w->instance);
	if (result == DOCA_SUCCESS) {
		p->n_to_submit--;
		p->n_inflight++;
	}
	return result;
}

static void on_complete(struct doca_graph_instance *instance, union doca_data instance_user_data,
			union doca_data graph_user_data)
{
	struct program *p = graph_user_data.ptr;

	(void)instance;
	p->n_inflight--;
	p->n_done++;
	if (p->n_to_submit > 0 && p->result == DOCA_SUCCESS)
		p->result = work_submit(instance_user_data.ptr);
}

static void on_error(struct doca_graph_instance *instance, union doca_data instance_user_data,
		     union doca_data graph_user_data)
{
	const struct work *w = instance_user_data.ptr;
	struct program *p = graph_user_data.ptr;
	int i;

	(void)instance;
	p->n_inflight--;
	/* If no task failed, the check failed. */
	p->result = DOCA_ERROR_UNEXPECTED;
	for (i = 0; i < N_COPIES; i++) {
		doca_error_t status =
			doca_task_get_status(doca_dma_task_memcpy_as_task(w->tasks[i]));

		if (status != DOCA_SUCCESS)
			p->result = status;
	}
}

static bool is_finished(void *arg)
{
	const struct program *p = arg;

	return p->n_inflight == 0;
}

static doca_error_t memory_prepare(struct program *p)
{
	size_t len = N_INSTANCES * (1 + N_COPIES) * p->size;
	doca_error_t result;

	p->memory = calloc(1, len);
	if (p->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = doca_mmap_create(&p->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(p->mmap, p->memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(p->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(p->mmap, p->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(p->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(N_INSTANCES * (1 + N_COPIES), &p->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(p->inventory);
	return result;
}

static doca_error_t dma_prepare(struct program *p)
{
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_pe_create(&p->pe);
	if (result == DOCA_SUCCESS)
		result = doca_dma_create(p->dev, &p->dma);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_dma_as_ctx(p->dma);
	result = doca_pe_connect_ctx(p->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_dma_task_memcpy_set_conf(p->dma, on_task, on_task,
						       N_INSTANCES * N_COPIES);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result;
}

/* Adds the nodes and dependencies, then starts the graph. The contexts must be running already. */
static doca_error_t graph_prepare(struct program *p)
{
	union doca_data user_data = {.ptr = p};
	doca_error_t result;
	int i;

	result = doca_graph_create(p->pe, &p->graph);
	if (result == DOCA_SUCCESS)
		result = doca_graph_node_create_from_user(p->graph, check_copies, &p->check);
	for (i = 0; i < N_COPIES && result == DOCA_SUCCESS; i++) {
		result = doca_graph_node_create_from_ctx(p->graph, doca_dma_as_ctx(p->dma),
							 &p->copies[i]);
		if (result == DOCA_SUCCESS)
			result = doca_graph_add_dependency(p->graph, p->copies[i], p->check);
	}
	if (result == DOCA_SUCCESS)
		result = doca_graph_set_conf(p->graph, on_complete, on_error, N_INSTANCES);
	if (result == DOCA_SUCCESS)
		result = doca_graph_set_user_data(p->graph, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_graph_start(p->graph);
	return result;
}

static doca_error_t copy_prepare(struct work *w, int i)
{
	struct program *p = w->program;
	union doca_data none = {.u64 = 0};
	doca_error_t result;

	w->dst_addr[i] = w->src_addr + (size_t)(i + 1) * p->size;
	result = doca_buf_inventory_buf_get_by_addr(p->inventory, p->mmap, w->dst_addr[i], p->size,
						    &w->dst[i]);
	if (result == DOCA_SUCCESS)
		result = doca_dma_task_memcpy_alloc_init(p->dma, w->src, w->dst[i], none,
							 &w->tasks[i]);
	if (result == DOCA_SUCCESS)
		result = doca_graph_instance_set_ctx_node_data(
			w->instance, p->copies[i], doca_dma_task_memcpy_as_task(w->tasks[i]));
	return result;
}

/* Creates an instance and sets the data of its nodes. */
static doca_error_t work_prepare(struct program *p, int n)
{
	struct work *w = &p->works[n];
	union doca_data user_data = {.ptr = w};
	doca_error_t result;
	int i;

	w->program = p;
	w->src_addr = p->memory + (size_t)n * (1 + N_COPIES) * p->size;
	result = doca_graph_instance_create(p->graph, &w->instance);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_data(p->inventory, p->mmap, w->src_addr,
							    p->size, &w->src);
	for (i = 0; i < N_COPIES && result == DOCA_SUCCESS; i++)
		result = copy_prepare(w, i);
	if (result == DOCA_SUCCESS)
		result = doca_graph_instance_set_user_node_data(w->instance, p->check, w);
	if (result == DOCA_SUCCESS)
		result = doca_graph_instance_set_user_data(w->instance, user_data);
	return result;
}

static doca_error_t program_run(struct program *p)
{
	doca_error_t result = DOCA_SUCCESS;
	int i;

	for (i = 0; i < N_INSTANCES && p->n_to_submit > 0 && result == DOCA_SUCCESS; i++)
		result = work_submit(&p->works[i]);
	if (p->n_inflight > 0) {
		doca_error_t waited = example_pe_run(p->pe, is_finished, p, TIMEOUT_S);

		if (result == DOCA_SUCCESS)
			result = waited;
	}
	return result == DOCA_SUCCESS ? p->result : result;
}

/* Destroys instances before their tasks, and the graph before its contexts. */
static void program_close(struct program *p)
{
	int n, i;

	for (n = 0; n < N_INSTANCES; n++) {
		struct work *w = &p->works[n];

		if (w->instance != NULL)
			doca_graph_instance_destroy(w->instance);
		for (i = 0; i < N_COPIES; i++) {
			if (w->tasks[i] != NULL)
				doca_task_free(doca_dma_task_memcpy_as_task(w->tasks[i]));
			if (w->dst[i] != NULL)
				doca_buf_dec_refcount(w->dst[i], NULL);
		}
		if (w->src != NULL)
			doca_buf_dec_refcount(w->src, NULL);
	}
	if (p->graph != NULL) {
		doca_graph_stop(p->graph);
		doca_graph_destroy(p->graph);
	}
	if (p->dma != NULL) {
		doca_ctx_stop(doca_dma_as_ctx(p->dma));
		doca_dma_destroy(p->dma);
	}
	if (p->pe != NULL)
		doca_pe_destroy(p->pe);
	if (p->inventory != NULL)
		doca_buf_inventory_destroy(p->inventory);
	if (p->mmap != NULL)
		doca_mmap_destroy(p->mmap);
	doca_dev_close(p->dev);
	free(p->memory);
}

int main(int argc, char **argv)
{
	struct options o = {.n_runs = 1000, .size = 4096};
	struct program p = {.dev = NULL};
	doca_error_t result;
	int n;

	result = example_params_read("graph", &o, params, sizeof(params) / sizeof(params[0]), argc,
				     argv);
	if (result != DOCA_SUCCESS ||
	    example_dev_open(o.pci, example_dev_can_copy, &p.dev) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	p.size = (size_t)o.size;
	p.n_to_submit = o.n_runs;
	result = memory_prepare(&p);
	if (result == DOCA_SUCCESS)
		result = dma_prepare(&p);
	if (result == DOCA_SUCCESS)
		result = graph_prepare(&p);
	for (n = 0; n < N_INSTANCES && result == DOCA_SUCCESS; n++)
		result = work_prepare(&p, n);
	if (result == DOCA_SUCCESS)
		result = program_run(&p);
	if (result == DOCA_SUCCESS && (p.n_done != o.n_runs || p.n_checked != o.n_runs))
		result = DOCA_ERROR_UNEXPECTED;
	if (result == DOCA_SUCCESS)
		printf("OK %d runs of the graph, %d copies\n", p.n_done, p.n_done * N_COPIES);
	else
		example_failed("run the graph", result);
	program_close(&p);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
