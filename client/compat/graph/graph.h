/*
 * Graphs of jobs. Nodes, dependencies and programs are those of client/graph/graph.h. Instances are
 * of another kind, because they are bound to a work queue only while they are in flight.
 *
 * A work queue that is added to a graph has a *home* there. The home has work-queue contexts of its
 * own for all contexts of the graph and its sub-graphs, each with as many tasks as the queue is
 * deep, and an internal context. A context node prepares a task of its work-queue context from the
 * job and replaces the task's callbacks, as graphs of tasks do. A user node, and a node that could
 * not start, is an internal entry in the progress engine's queue. Nodes that find all tasks in use
 * wait in the home, which is polled while there are some.
 *
 * Starting a node calls no callback, so no function is re-entered. Threads: that of the work queue.
 */
#ifndef CLIENT_COMPAT_GRAPH_GRAPH_H
#define CLIENT_COMPAT_GRAPH_GRAPH_H

#include <doca_graph.h>
#include <dococ/graph_workq.h>

#include "client/compat/workq/workq.h"
#include "client/graph/graph.h"

struct job_graph {
	struct doca_graph base; /* allocated by calloc(), for graph_deinit() */
	struct list graph_workqs;
};

struct graph_workq {
	struct doca_ctx ctx; /* internal; always RUNNING, on the queue's engine */
	struct list node;    /* in job_graph->homes */
	struct doca_workq *workq;
	struct workq_ctx **workq_ctxs;
	uint32_t n_workq_ctxs;
	uint32_t n_inflight; /* instances of the graph itself, not of its sub-graphs */
	struct doca_task *blocked, **blocked_tail;
};

/* One node of one instance. */
struct job_slot {
	union {
		struct task_pool hook; /* the pool of the node's task, while the node runs */
		struct {
			/* An internal entry in the engine's queue, or blocked. */
			struct doca_task entry;
			uint64_t room[2]; /* engines prefetch the two words after any task */
		};
	};
	struct job_instance *instance;
	const struct graph_op *op;
	const struct task_pool *pool; /* the task's former pool */
	union {
		struct doca_job *job;
		void *cookie;
		struct job_instance *sub;
	};
	struct doca_event *event; /* the program's; may be NULL */
	union doca_data result;
	uint32_t n_waits_for; /* predecessors that are not complete yet */
	uint8_t state;        /* enum doca_graph_instance_node_state */
};

struct job_instance {
	struct doca_graph_instance base; /* INSTANCE_OF_JOBS; its slots are not used */
	struct graph_workq *graph_workq; /* NULL: not in flight */
	struct job_slot *parent;         /* the sub-graph node that runs this instance */
	union doca_data user_data;       /* passed with the submission */
	uint32_t n_parents;              /* nodes of other instances whose data it is */
	struct job_slot slots[];         /* in the program's order */
};

extern const struct ctx_ops graph_home_ops;

/* Launches an instance that has all its data and is not in flight. */
void job_instance_launch(struct job_instance *instance, struct graph_workq *graph_workq,
			 union doca_data user_data);
/* Returns the home's work-queue context for a context, or NULL if there is none because the graph
 * has changed since. */
struct workq_ctx *graph_workq_find_ctx(const struct graph_workq *graph_workq,
				       const struct doca_ctx *ctx);

#endif
