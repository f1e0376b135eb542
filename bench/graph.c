/*
 * graph: copies as nodes of a graph, compared with the same tasks submitted one by one; figures are
 * per copy. depth is the number of nodes in an instance. fan: no node depends on another. chain:
 * each node depends on the previous one. pairs: repeated groups of two copies and a user node after
 * both, of which the copies are counted.
 */
#include <stdlib.h>

#include <doca_graph.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/report.h"
#include "bench/dma/set.h"

enum shape { SHAPE_FAN, SHAPE_CHAIN, SHAPE_PAIRS, N_SHAPES };

static const char *const shape_names[] = {"fan", "chain", "pairs"};

struct graph_set {
	struct dma_set *dma;
	struct doca_graph *graph;
	struct doca_graph_instance *instance;
	uint64_t n_completed, n_failed;
};

static void on_completed(struct doca_graph_instance *instance, union doca_data instance_data,
			 union doca_data graph_data)
{
	struct graph_set *s = graph_data.ptr;

	(void)instance;
	(void)instance_data;
	s->n_completed++;
}

static void on_error(struct doca_graph_instance *instance, union doca_data instance_data,
		     union doca_data graph_data)
{
	struct graph_set *s = graph_data.ptr;

	(void)instance;
	(void)instance_data;
	s->n_completed++;
	s->n_failed++;
}

static doca_error_t on_user_node(void *cookie)
{
	(void)cookie;
	return DOCA_SUCCESS;
}

static void graph_run(void *arg, uint64_t n)
{
	struct graph_set *s = arg;
	struct dma_set *dma = s->dma;
	size_t depth = dma->layout->depth, i;
	uint64_t target = s->n_completed;

	for (; n > 0; n -= depth) {
		target++;
		for (i = 0; i < depth; i++)
			doca_buf_reset_data_len(dma->dst_bufs[i]);
		s->n_failed += doca_graph_instance_submit(s->instance) != DOCA_SUCCESS;
		while (s->n_completed < target)
			doca_pe_progress(dma->pe);
	}
	if (s->n_failed > 0)
		bench_die("graph: %llu instances failed", (unsigned long long)s->n_failed);
}

static void tasks_run(void *arg, uint64_t n)
{
	struct graph_set *s = arg;

	dma_run(s->dma, n);
}

static void depend(struct graph_set *s, struct doca_graph_node *from, struct doca_graph_node *to)
{
	if (from != NULL)
		bench_check(doca_graph_add_dependency(s->graph, from, to), "add a dependency");
}

static void nodes_make(struct graph_set *s, enum shape shape, struct doca_graph_node **nodes)
{
	const struct doca_ctx *ctx = doca_dma_as_ctx(s->dma->dma);
	struct doca_graph_node *user = NULL;
	size_t i;

	for (i = 0; i < s->dma->layout->depth; i++) {
		bench_check(doca_graph_node_create_from_ctx(s->graph, ctx, &nodes[i]),
			    "create a node");
		if (shape == SHAPE_CHAIN && i > 0)
			depend(s, nodes[i - 1], nodes[i]);
		if (shape != SHAPE_PAIRS)
			continue;
		depend(s, user, nodes[i]);
		if (i % 2 == 0)
			continue;
		bench_check(doca_graph_node_create_from_user(s->graph, on_user_node, &user),
			    "create a user node");
		depend(s, nodes[i - 1], user);
		depend(s, nodes[i], user);
	}
}

static struct graph_set *graph_set_new(struct dma_set *dma, enum shape shape)
{
	struct graph_set *s = bench_alloc(1, sizeof(*s));
	size_t depth = dma->layout->depth, i;
	struct doca_graph_node **nodes = bench_alloc(depth, sizeof(struct doca_graph_node *));

	s->dma = dma;
	bench_check(doca_graph_create(dma->pe, &s->graph), "create a graph");
	nodes_make(s, shape, nodes);
	bench_check(doca_graph_set_conf(s->graph, on_completed, on_error, 1),
		    "configure the graph");
	bench_check(doca_graph_set_user_data(s->graph, (union doca_data){.ptr = s}),
		    "set the graph's data");
	bench_check(doca_graph_start(s->graph), "start the graph");
	bench_check(doca_graph_instance_create(s->graph, &s->instance), "create an instance");
	for (i = 0; i < depth; i++)
		bench_check(
			doca_graph_instance_set_ctx_node_data(
				s->instance, nodes[i], doca_dma_task_memcpy_as_task(dma->tasks[i])),
			"give a node its task");
	free(nodes);
	return s;
}

static void graph_set_delete(struct graph_set *s)
{
	bench_check(doca_graph_instance_destroy(s->instance), "destroy the instance");
	bench_check(doca_graph_stop(s->graph), "stop the graph");
	bench_check(doca_graph_destroy(s->graph), "destroy the graph");
	free(s);
}

static void shape_measure(struct bench *bench, struct doca_dev *dev,
			  const struct dma_layout *layout, enum shape shape, unsigned n_threads)
{
	struct measure_plan plan = report_plan(bench, layout->depth, n_threads);
	struct work ours = {.run = graph_run}, reference = {.run = tasks_run};
	struct report_row row = {.test = "graph",
				 .variant = shape_names[shape],
				 .transport = "local",
				 .size = layout->size,
				 .depth = layout->depth,
				 .n_threads = n_threads,
				 .moves_bytes = true,
				 .reference = "tasks"};
	unsigned i;

	for (i = 0; i < n_threads; i++) {
		void *src = device_memory_new(TRANSPORT_LOCAL, layout->len);
		void *dst = device_memory_new(TRANSPORT_LOCAL, layout->len);
		struct dma_set *dma = dma_set_new(dev, layout, src, NULL, (uint64_t)(uintptr_t)src,
						  dst);

		dma_set_verify(dma, 0);
		ours.args[i] = reference.args[i] = graph_set_new(dma, shape);
	}
	report_measure(bench->report, &row, &plan, &ours, &reference);
	for (i = 0; i < n_threads; i++) {
		struct graph_set *s = ours.args[i];
		struct dma_set *dma = s->dma;
		void *src = dma->src, *dst = dma->dst;

		graph_set_delete(s);
		dma_set_delete(dma);
		device_memory_free(TRANSPORT_LOCAL, src, layout->len);
		device_memory_free(TRANSPORT_LOCAL, dst, layout->len);
	}
}

void bench_graph(struct bench *bench)
{
	static const struct bench_list default_sizes = {{64}, 1}, default_depths = {{32}, 1};
	static const struct bench_list ones = {{1}, 1};
	const struct bench_options *o = bench->options;
	const struct bench_list *sizes = o->sizes.n ? &o->sizes : &default_sizes;
	const struct bench_list *depths = o->depths.n ? &o->depths : &default_depths;
	const struct bench_list *threads = o->threads.n ? &o->threads : &ones;
	struct doca_dev *dev = device_open(doca_dma_cap_task_memcpy_is_supported,
					   "open a device with DMA");
	size_t s, d, t, shape;

	for (s = 0; s < sizes->n; s++)
		for (d = 0; d < depths->n; d++)
			for (t = 0; t < threads->n; t++)
				for (shape = 0; shape < N_SHAPES; shape++) {
					struct dma_layout layout = dma_layout_of(
						sizes->values[s], depths->values[d], false);

					shape_measure(bench, dev, &layout, (enum shape)shape,
						      (unsigned)threads->values[t]);
				}
	doca_dev_close(dev);
}
