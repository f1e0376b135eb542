/*
 * Fixture of the graph tests: two toy contexts on one engine, a log of executed tasks, and
 * callbacks that count completed instances.
 */
#ifndef TESTS_UNIT_CLIENT_GRAPH_FIXTURE_H
#define TESTS_UNIT_CLIENT_GRAPH_FIXTURE_H

#include <doca_graph.h>

#include "client/graph/graph.h"
#include "tests/unit/client/fixture.h"

static struct doca_pe *pe;
static struct toy *a, *b;
static uint32_t n_completed, n_errors;
static struct doca_graph_instance *last_instance;
static void (*on_completed)(struct doca_graph_instance *instance);

static inline void open_engine(uint32_t n_tasks)
{
	n_completed = n_errors = 0;
	ck_ok(doca_pe_create(&pe));
	a = toy_new(pe, n_tasks);
	b = toy_new(pe, n_tasks);
	ck_ok(doca_ctx_start(&a->ctx));
	ck_ok(doca_ctx_start(&b->ctx));
}

static inline void close_engine(void)
{
	ck_ok(doca_ctx_stop(&a->ctx));
	ck_ok(doca_ctx_stop(&b->ctx));
	/* The callbacks of a task type are not called for tasks of a graph. */
	ck_assert_uint_eq(a->n_order + b->n_order, 0);
	toy_delete(a);
	toy_delete(b);
	ck_ok(doca_pe_destroy(pe));
}

static void count_instance(struct doca_graph_instance *instance, union doca_data instance_data,
			   union doca_data graph_data)
{
	union doca_data data;

	ck_assert_uint_eq(graph_data.u64, 77);
	ck_ok(doca_graph_instance_get_user_data(instance, &data));
	ck_assert_uint_eq(instance_data.u64, data.u64);
	last_instance = instance;
	if (on_completed != NULL)
		on_completed(instance);
}

static inline void completed_cb(struct doca_graph_instance *instance, union doca_data instance_data,
				union doca_data graph_data)
{
	n_completed++;
	count_instance(instance, instance_data, graph_data);
}

static inline void error_cb(struct doca_graph_instance *instance, union doca_data instance_data,
			    union doca_data graph_data)
{
	n_errors++;
	count_instance(instance, instance_data, graph_data);
}

static inline struct doca_graph *graph_new(uint32_t n_instances)
{
	struct doca_graph *graph;

	ck_ok(doca_graph_create(pe, &graph));
	ck_ok(doca_graph_set_conf(graph, completed_cb, error_cb, n_instances));
	ck_ok(doca_graph_set_user_data(graph, (union doca_data){.u64 = 77}));
	return graph;
}

static inline void graph_end(struct doca_graph *graph)
{
	ck_ok(doca_graph_stop(graph));
	ck_ok(doca_graph_destroy(graph));
}

static inline struct doca_graph_node *ctx_node(struct doca_graph *graph, struct toy *toy)
{
	struct doca_graph_node *node;

	ck_ok(doca_graph_node_create_from_ctx(graph, &toy->ctx, &node));
	return node;
}

static inline struct doca_graph_node *user_node(struct doca_graph *graph,
						doca_graph_user_node_cb_t cb)
{
	struct doca_graph_node *node;

	ck_ok(doca_graph_node_create_from_user(graph, cb, &node));
	return node;
}

static inline struct doca_graph_node *sub_node(struct doca_graph *graph, struct doca_graph *sub)
{
	struct doca_graph_node *node;

	ck_ok(doca_graph_node_create_from_graph(graph, sub, &node));
	return node;
}

static inline struct doca_graph_instance *instance_new(struct doca_graph *graph)
{
	struct doca_graph_instance *instance;

	ck_ok(doca_graph_instance_create(graph, &instance));
	return instance;
}

/* Creates a task for the node; the test owns it. */
static inline struct doca_task *set_task(struct doca_graph_instance *instance,
					 struct doca_graph_node *node, struct toy *toy,
					 uint64_t data)
{
	struct doca_task *task = toy_task(toy, data);

	ck_ok(doca_graph_instance_set_ctx_node_data(instance, node, task));
	return task;
}

#endif
