/*
 * Graphs, inside. Four files share this header: graph.c (objects and what may be done to them
 * when), graph_compile.c (what start makes of nodes and dependencies), graph_instance.c (instances
 * and their data), graph_run.c (execution).
 *
 * A started graph has a program: its nodes in an order in which each comes after its predecessors,
 * as flat arrays, and memory for all instances. Nothing is allocated later.
 *
 * How a node gets a turn. The task of a context node is submitted like any other, but for as long
 * as it is ours it has a pool that is a copy of its own with our callbacks; so ordinary tasks pay
 * nothing for graphs, and from the task's pool we find the slot it runs for. Engines thus may look
 * at the hooks in task->pool, but not at its address. A user node, or a node that failed before it
 * could start, is an entry of our own in the progress engine's queue, as if it were a task of the
 * graph's context. That context is never seen outside: it keeps the engine from being destroyed,
 * and gets polled while nodes wait for room in a full queue.
 *
 * Graphs of the work-queue generations have no engine: client/compat/graph/graph.c makes them of
 * the same nodes, dependencies and programs, and runs instances of its own.
 *
 * Threads: those of the progress engine.
 */
#ifndef CLIENT_GRAPH_GRAPH_H
#define CLIENT_GRAPH_GRAPH_H

#include <doca_graph.h>

#include "client/progress/ctx.h"

/* Instances of a graph whose number was not set. Memory that is not used costs nothing. */
#define GRAPH_INSTANCES_DEFAULT 1024u

enum graph_kind { GRAPH_CTX, GRAPH_USER, GRAPH_SUB };

struct doca_event;
typedef doca_error_t (*graph_job_cb_t)(void *cookie, struct doca_event *event);

/* What a node does. */
union graph_work {
	const struct doca_ctx *ctx;
	doca_graph_user_node_cb_t cb;
	graph_job_cb_t job_cb; /* of a user node in a graph of jobs */
	struct doca_graph *sub;
};

struct doca_graph_node {
	struct doca_graph *graph;
	struct doca_graph_node *next; /* in the graph, in order of creation */
	enum graph_kind kind;
	union graph_work work;
	struct doca_graph_node **successors;
	uint32_t n_successors, successors_max;
	uint32_t n_predecessors;
	uint32_t index;                   /* in the program */
	int job_type;                     /* of a context node in a graph of jobs */
	uint64_t visit;                   /* of the last search that came here */
	struct doca_graph_node *to_visit; /* stack of that search */
};

struct doca_graph {
	struct doca_pe *pe;            /* NULL: a graph of jobs */
	uint16_t api;                  /* see client/base/generation.h */
	struct doca_ctx ctx;           /* ours; always RUNNING; not of a graph of jobs */
	struct graph_program *program; /* NULL: not started */
	struct doca_graph_node *nodes, **nodes_tail;
	uint32_t n_nodes;
	uint32_t n_instances;
	uint32_t refs;     /* its creator, and each node that runs it */
	bool is_destroyed; /* only nodes refer to it any more */
	uint64_t visit;    /* as in a node; the graph that is changed counts */
	struct doca_graph *to_visit;
	doca_graph_completion_cb_t ok_cb, err_cb;
	union doca_data user_data;
};

/* --- a started graph --- */

/* A node. Its index is the place in ops. */
struct graph_op {
	enum graph_kind kind;
	uint32_t n_successors;
	const uint32_t *successors; /* those of one context lie together */
	union graph_work work;
};

struct graph_program {
	struct doca_graph *graph;
	doca_graph_completion_cb_t ok_cb, err_cb;
	union doca_data user_data;
	uint32_t n_nodes;
	uint32_t n_roots; /* the first in ops */
	uint32_t n_given; /* context and sub-graph nodes: instances need data for them */
	struct graph_op *ops;
	uint32_t *successors;
	uint32_t *n_predecessors;
	/* Instances. */
	uint8_t *memory;
	size_t stride;
	uint32_t n_max, n_made, n_live;
	struct doca_graph_instance *free;
	/* Context nodes that wait for room in their queue. */
	struct doca_task *blocked, **blocked_tail;
	uint32_t n_blocked;
	int timer_fd; /* wakes a sleeper to try them again; made when first needed */
};

/* One node of one instance. */
struct graph_slot {
	struct doca_graph_instance *instance;
	const struct task_pool *pool; /* the task's own */
	union {
		struct task_pool hook; /* the task's while it is ours */
		struct {
			struct doca_task entry; /* our own in the engine's queue, or blocked */
			uint64_t room[2];       /* engines fetch two words behind any task */
		};
	};
	const struct graph_op *op;
	union {
		struct doca_task *task;
		void *cookie;
		struct doca_graph_instance *sub;
	};
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct graph_slot) == 128, "a slot is two cache lines");
_Static_assert(offsetof(struct graph_slot, hook) + offsetof(struct task_pool, fails_ctx) < 64,
	       "what the completion of a task needs is in the first");

enum instance_state { INSTANCE_FREE = 0, INSTANCE_IDLE, INSTANCE_IN_FLIGHT, INSTANCE_OF_JOBS };

struct doca_graph_instance {
	struct graph_program *program;
	struct graph_slot *slots;
	uint32_t *n_waits_for;            /* of each node, predecessors that are not complete */
	struct graph_slot *parent;        /* sub-graph node that runs it */
	struct doca_graph_instance *next; /* free list, or about to be launched */
	union doca_data user_data;
	uint32_t n_inflight; /* nodes */
	uint32_t n_unset;    /* nodes without data that need some */
	doca_error_t status; /* the first failure */
	uint8_t state;
} __attribute__((aligned(64)));

/* --- for graphs of tasks and of jobs --- */

/* A zeroed graph; pe may be NULL. */
void graph_init(struct doca_graph *graph, struct doca_pe *pe, uint16_t api);
/* Of a stopped graph: frees the nodes; and the graph, made by calloc, once no other contains it. */
void graph_deinit(struct doca_graph *graph);
/* BAD_STATE unless a program of version api made the graph. */
doca_error_t graph_check_api(const struct doca_graph *graph, uint16_t api, const char *what);
/* code unless the graph is stopped. */
doca_error_t graph_check_stopped(const struct doca_graph *graph, doca_error_t code,
				 const char *what);
doca_error_t graph_node_new(struct doca_graph *graph, enum graph_kind kind, union graph_work work,
			    struct doca_graph_node **node_out);
/* Both graphs are of one generation and engine, and the outer one is stopped. */
doca_error_t graph_node_new_sub(struct doca_graph *graph, struct doca_graph *sub_graph,
				struct doca_graph_node **node_out);
doca_error_t graph_check_sub(const struct doca_graph *sub_graph);
doca_error_t graph_has_no_work(void);
/* A number that no graph or node has as its visit yet. */
uint64_t graph_search_next(void);

/* NULL without memory; *len_out has how much was asked for. */
struct graph_program *graph_compile(struct doca_graph *graph, uint32_t n_instances,
				    size_t *len_out);
struct graph_program *graph_program_free(struct graph_program *program);

/* The instance is idle and complete. Calls nobody back. */
void graph_launch(struct doca_graph_instance *instance);
/* Callbacks of hooks. */
void graph_task_ok(struct doca_task *task, union doca_data task_data, union doca_data ctx_data);
void graph_task_failed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data);

/* After the slot got its task, and after its entry was used, which lies in the same place. */
static inline void graph_hook_set(struct graph_slot *slot)
{
	slot->hook = *slot->pool;
	slot->hook.ok_cb = graph_task_ok;
	slot->hook.err_cb = graph_task_failed;
}

extern const struct task_pool graph_entry_pool;
extern const struct ctx_ops graph_ctx_ops;

static inline void graph_entry_init(struct graph_slot *slot)
{
	slot->entry = (struct doca_task){.ctx = &slot->instance->program->graph->ctx,
					 .pool = &graph_entry_pool};
}

#endif
