/*
 * Graphs, internal part. Four files share this header: graph.c (objects and the operations allowed
 * in each state), graph_compile.c (turns nodes and dependencies into a program at start),
 * graph_instance.c (instances and their data), graph_run.c (execution).
 *
 * A started graph has a program: its nodes as flat arrays, in an order in which each node comes
 * after its predecessors, and memory for all instances. Nothing is allocated later.
 *
 * Execution of nodes: the task of a context node is submitted like any other. While the library
 * owns it, its pool is replaced by a copy with graph callbacks. Ordinary tasks thus have no
 * overhead for graphs, and the pool leads to the slot that the task runs for. Engines may use the
 * functions in task->pool, but not its address. A user node, or a node that failed before it could
 * start, is an internal entry in the progress engine's queue, as if it were a task of the graph's
 * context. That context is internal: it prevents the destruction of the engine, and is polled while
 * nodes wait for room in a full queue.
 *
 * Graphs of the generations of work queues have no engine: client/compat/graph/graph.c uses the
 * same nodes, dependencies and programs, and has instances of its own.
 *
 * Threads: those of the progress engine.
 */
#ifndef CLIENT_GRAPH_GRAPH_H
#define CLIENT_GRAPH_GRAPH_H

#include <doca_graph.h>

#include "client/progress/task.h"

/* The number of instances if the program sets none. Unused memory costs nothing. */
#define GRAPH_INSTANCES_DEFAULT 1024u

enum graph_kind { GRAPH_CTX, GRAPH_USER, GRAPH_SUB };

struct doca_event;
typedef doca_error_t (*graph_job_cb_t)(void *cookie, struct doca_event *event);

/* The work of a node. */
union graph_work {
	const struct doca_ctx *ctx;
	doca_graph_user_node_cb_t cb;
	graph_job_cb_t job_cb; /* for a user node in a graph of jobs */
	struct doca_graph *sub;
};

struct doca_graph_node {
	struct doca_graph *graph;
	struct doca_graph_node *next; /* in the graph's list, in order of creation */
	enum graph_kind kind;
	union graph_work work;
	struct doca_graph_node **successors;
	uint32_t n_successors, successors_max;
	uint32_t n_predecessors;
	uint32_t index;                   /* its index in the program */
	int job_type;                     /* for a context node in a graph of jobs */
	uint64_t visit;                   /* the number of the last search that visited it */
	struct doca_graph_node *to_visit; /* the stack of that search */
};

struct doca_graph {
	struct doca_pe *pe;            /* NULL for a graph of jobs */
	uint16_t api;                  /* the generation, see client/base/generation.h */
	struct doca_ctx ctx;           /* internal, always RUNNING; unused in a graph of jobs */
	struct graph_program *program; /* NULL while the graph is not started */
	struct doca_graph_node *nodes, **nodes_tail;
	uint32_t n_nodes;
	uint32_t n_instances;
	uint32_t refs;     /* the creator's, and one per node that runs this graph */
	bool is_destroyed; /* only nodes refer to it any more */
	uint64_t visit;    /* like a node's, for searches over graphs */
	struct doca_graph *to_visit;
	doca_graph_completion_cb_t ok_cb, err_cb;
	union doca_data user_data;
};

/* --- a started graph --- */

/* A node of the program; its index is its position in `ops`. */
struct graph_op {
	enum graph_kind kind;
	uint32_t n_successors;
	const uint32_t *successors; /* nodes of one context are adjacent */
	union graph_work work;
};

struct graph_program {
	struct doca_graph *graph;
	doca_graph_completion_cb_t ok_cb, err_cb;
	union doca_data user_data;
	uint32_t n_nodes;
	uint32_t n_roots;      /* nodes without predecessors, first in `ops` */
	uint32_t n_data_nodes; /* context and sub-graph nodes, for which instances need data */
	struct graph_op *ops;
	uint32_t *successors;
	uint32_t *n_predecessors;
	/* Memory of instances. */
	uint8_t *memory;
	size_t stride;
	uint32_t n_max, n_created, n_live;
	struct doca_graph_instance *free;
	/* Context nodes that wait for room in their queue. */
	struct doca_task *blocked, **blocked_tail;
	uint32_t n_blocked;
	int timer_fd; /* wakes a sleeping user to try them again; created when needed */
};

/* One node of one instance. */
struct graph_slot {
	struct doca_graph_instance *instance;
	const struct task_pool *pool; /* the task's own pool */
	union {
		struct task_pool hook; /* the task's pool while the library owns the task */
		struct {
			/* An internal entry in the engine's queue, or blocked. */
			struct doca_task entry;
			uint64_t room[2]; /* engines prefetch the two words after any task */
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
	uint32_t *n_waits_for;     /* per node: predecessors that are not complete */
	struct graph_slot *parent; /* the sub-graph node that runs this instance */
	/* In the free list, or in the list of instances to launch. */
	struct doca_graph_instance *next;
	union doca_data user_data;
	uint32_t n_inflight; /* the number of nodes in flight */
	uint32_t n_unset;    /* nodes that need data and have none yet */
	doca_error_t status; /* the first failure */
	uint8_t state;
} __attribute__((aligned(64)));

/* --- for graphs of tasks and of jobs --- */

/* Initialises a zeroed graph; pe may be NULL. */
void graph_init(struct doca_graph *graph, struct doca_pe *pe, uint16_t api);
/* Frees the nodes of a stopped graph. Frees the graph, allocated by calloc(), once no other graph
 * contains it. */
void graph_deinit(struct doca_graph *graph);
/* Returns BAD_STATE unless a program of version `api` created the graph. */
doca_error_t graph_check_api(const struct doca_graph *graph, uint16_t api, const char *what);
/* Returns `code` unless the graph is stopped. */
doca_error_t graph_check_stopped(const struct doca_graph *graph, doca_error_t code,
				 const char *what);
doca_error_t graph_node_new(struct doca_graph *graph, enum graph_kind kind, union graph_work work,
			    struct doca_graph_node **node_out);
/* Adds a sub-graph node. Both graphs must be of one generation and engine, and the outer one
 * stopped. */
doca_error_t graph_node_new_sub(struct doca_graph *graph, struct doca_graph *sub_graph,
				struct doca_graph_node **node_out);
doca_error_t graph_check_sub(const struct doca_graph *sub_graph);
doca_error_t graph_has_no_work(void);
/* Returns a number that no graph or node has as its `visit`. */
uint64_t graph_search_next(void);

/* Returns NULL if there is no memory; *len_out is the size requested. */
struct graph_program *graph_compile(struct doca_graph *graph, uint32_t n_instances,
				    size_t *len_out);
struct graph_program *graph_program_free(struct graph_program *program);

/* Launches an instance that is idle and has all its data. Calls no callback. */
void graph_launch(struct doca_graph_instance *instance);
/* The callbacks that replace those of a node's task. */
void graph_task_ok(struct doca_task *task, union doca_data task_data, union doca_data ctx_data);
void graph_task_failed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data);

/* Installs the copied pool: after the slot got its task, and again after its entry was used,
 * because both share memory. */
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
