/*
 * graph: copies as nodes of a graph, compared with the same tasks submitted one by one; figures are
 * per copy. depth is the number of nodes in an instance. fan: no node depends on another. chain:
 * each node depends on the previous one. pairs: repeated groups of two copies and a user node after
 * both, of which the copies are counted.
 */
#include <doca_graph.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/dma/set.h"

enum shape { SHAPE_FAN, SHAPE_CHAIN, SHAPE_PAIRS };

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

	(void)instance, (void)instance_data;
	s->n_completed++;
}

static void on_error(struct doca_graph_instance *instance, union doca_data instance_data,
		     union doca_data graph_data)
{
	struct graph_set *s = graph_data.ptr;

	(void)instance, (void)instance_data;
	s->n_completed++;
	s->n_failed++;
}

static doca_error_t on_user_node(void *cookie)
{
	(void)cookie;
	return DOCA_SUCCESS;
}

static void graph_run(struct bench *b, uint64_t n)
{
	struct graph_set *s = b->state;
	struct dma_set *dma = s->dma;
	size_t depth = b->depth, i;
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

static void tasks_run(struct bench *b, uint64_t n)
{
	const struct graph_set *s = b->state;

	dma_set_run(s->dma, n, b->laps);
}

static void depend(struct graph_set *s, struct doca_graph_node *from, struct doca_graph_node *to)
{
	if (from != NULL)
		MUST(doca_graph_add_dependency(s->graph, from, to));
}

static void nodes_make(struct graph_set *s, enum shape shape, size_t depth,
		       struct doca_graph_node **nodes)
{
	const struct doca_ctx *ctx = doca_dma_as_ctx(s->dma->dma);
	struct doca_graph_node *user = NULL;
	size_t i;

	for (i = 0; i < depth; i++) {
		MUST(doca_graph_node_create_from_ctx(s->graph, ctx, &nodes[i]));
		if (shape == SHAPE_CHAIN && i > 0)
			depend(s, nodes[i - 1], nodes[i]);
		if (shape != SHAPE_PAIRS)
			continue;
		depend(s, user, nodes[i]);
		if (i % 2 == 0)
			continue;
		MUST(doca_graph_node_create_from_user(s->graph, on_user_node, &user));
		depend(s, nodes[i - 1], user);
		depend(s, nodes[i], user);
	}
}

static const char *graph_setup(struct bench *b)
{
	struct graph_set *s = b->state = bench_alloc(1, sizeof(*s));
	struct doca_graph_node **nodes = bench_alloc(b->depth, sizeof(struct doca_graph_node *));
	size_t i;

	s->dma = dma_set_local_new(b, dma_dev_open(), TRANSPORT_LOCAL, NULL);
	dma_set_verify(s->dma);
	MUST(doca_graph_create(s->dma->pe, &s->graph));
	nodes_make(s, (enum shape)b->row->kind, b->depth, nodes);
	MUST(doca_graph_set_conf(s->graph, on_completed, on_error, 1));
	MUST(doca_graph_set_user_data(s->graph, (union doca_data){.ptr = s}));
	MUST(doca_graph_start(s->graph));
	MUST(doca_graph_instance_create(s->graph, &s->instance));
	for (i = 0; i < b->depth; i++)
		MUST(doca_graph_instance_set_ctx_node_data(
			s->instance, nodes[i], doca_dma_task_memcpy_as_task(s->dma->tasks[i])));
	return NULL;
}

#define GRAPH(name, shape)                                                                       \
	{                                                                                        \
		.test = "graph", .variant = name, .kind = shape, .transport = "local",           \
		.reference = "tasks", .flags = ROW_BYTES | ROW_SIZES | ROW_DEPTHS | ROW_THREADS, \
		.points = {{64, 32, 2}}, .setup = graph_setup, .run = graph_run,                 \
		.reference_run = tasks_run                                                       \
	}

static const struct bench_row rows[] = {GRAPH("fan", SHAPE_FAN), GRAPH("chain", SHAPE_CHAIN),
					GRAPH("pairs", SHAPE_PAIRS)};

BENCH_TABLE(bench_graph, rows);
