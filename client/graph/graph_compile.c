/*
 * Compiles nodes and dependencies into a program: an order in which every node comes after its
 * predecessors, and lists of successors in which nodes of one context are adjacent, so that nodes
 * that become ready together are flushed once. See client/graph/graph.h.
 */
#include <stdlib.h>
#include <string.h>

#include "client/graph/graph.h"
#include "util/fd.h"

/* Compares by kind and context; otherwise keeps the order. */
static int node_compare(const void *left, const void *right)
{
	const struct doca_graph_node *a = *(struct doca_graph_node *const *)left;
	const struct doca_graph_node *b = *(struct doca_graph_node *const *)right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == GRAPH_CTX && a->work.ctx != b->work.ctx)
		return (uintptr_t)a->work.ctx < (uintptr_t)b->work.ctx ? -1 : 1;
	/* Until the order is computed, the index is the order of creation. */
	return a->index < b->index ? -1 : a->index > b->index;
}

static void sort(struct doca_graph_node **nodes, uint32_t n)
{
	if (n > 1)
		qsort(nodes, n, sizeof(struct doca_graph_node *), node_compare);
}

/* Computes the order and each node's index in it. There is no cycle. */
static void nodes_order(const struct doca_graph *graph, struct graph_program *program,
			struct doca_graph_node **order)
{
	struct doca_graph_node *node;
	uint32_t n = 0, i, k, *left = program->n_predecessors;

	for (node = graph->nodes, i = 0; node != NULL; node = node->next, i++) {
		node->index = i;
		left[i] = node->n_predecessors;
		if (node->n_predecessors == 0)
			order[n++] = node;
		program->n_data_nodes += node->kind != GRAPH_USER;
	}
	program->n_roots = n;
	sort(order, n);
	for (i = 0; i < n; i++) {
		node = order[i];
		sort(node->successors, node->n_successors);
		for (k = 0; k < node->n_successors; k++) {
			if (--left[node->successors[k]->index] == 0)
				order[n++] = node->successors[k];
		}
	}
	for (i = 0; i < n; i++)
		order[i]->index = i;
}

static void ops_fill(struct graph_program *program, struct doca_graph_node **order)
{
	uint32_t *successors = program->successors, i, k;

	for (i = 0; i < program->n_nodes; i++) {
		const struct doca_graph_node *node = order[i];

		program->ops[i] = (struct graph_op){.kind = node->kind,
						    .n_successors = node->n_successors,
						    .successors = successors,
						    .work = node->work};
		program->n_predecessors[i] = node->n_predecessors;
		for (k = 0; k < node->n_successors; k++)
			*successors++ = node->successors[k]->index;
	}
}

static size_t instance_size(uint32_t n_nodes)
{
	return sizeof(struct doca_graph_instance) + n_nodes * sizeof(struct graph_slot) +
	       ALIGN_UP(n_nodes * sizeof(uint32_t), (size_t)64);
}

struct graph_program *graph_compile(struct doca_graph *graph, uint32_t n_instances, size_t *len_out)
{
	struct graph_program *program = calloc(1, sizeof(*program));
	const struct doca_graph_node *node;
	struct doca_graph_node **order;
	size_t n_edges = 0;

	for (node = graph->nodes; node != NULL; node = node->next)
		n_edges += node->n_successors;
	*len_out = SIZE_MAX;
	if (__builtin_mul_overflow(instance_size(graph->n_nodes), n_instances, len_out) ||
	    program == NULL) {
		free(program);
		return NULL;
	}
	program->graph = graph;
	program->ok_cb = graph->ok_cb;
	program->err_cb = graph->err_cb;
	program->user_data = graph->user_data;
	program->n_nodes = graph->n_nodes;
	program->n_max = n_instances;
	program->stride = instance_size(graph->n_nodes);
	program->blocked_tail = &program->blocked;
	program->timer_fd = -1;
	program->ops = calloc(graph->n_nodes, sizeof(*program->ops));
	program->n_predecessors = calloc(graph->n_nodes, sizeof(*program->n_predecessors));
	program->successors = calloc(n_edges + 1, sizeof(*program->successors));
	order = calloc(graph->n_nodes, sizeof(struct doca_graph_node *));
	if (program->ops == NULL || program->n_predecessors == NULL ||
	    program->successors == NULL || order == NULL ||
	    posix_memalign((void **)&program->memory, 64, *len_out) != 0) {
		free(order);
		program->memory = NULL;
		return graph_program_free(program);
	}
	nodes_order(graph, program, order);
	ops_fill(program, order);
	free(order);
	return program;
}

struct graph_program *graph_program_free(struct graph_program *program)
{
	if (program->timer_fd >= 0)
		pe_remove_eventfd(program->graph->pe, program->timer_fd);
	fd_close(&program->timer_fd);
	free(program->memory);
	free(program->ops);
	free(program->n_predecessors);
	free(program->successors);
	free(program);
	return NULL;
}
