/*
 * Graphs of jobs. Nodes, dependencies and programs are those of client/graph/graph.h; instances are
 * of a kind of their own, because they are bound to a work queue only while they are in flight.
 *
 * A work queue that is added to a graph has a *home* there: lanes of its own for all contexts of
 * the graph and its sub-graphs, with as many tasks each as the queue is deep, and a context of ours
 * that is never seen outside. A context node prepares a task of its lane from the job, which gets
 * callbacks of ours as in graphs of tasks; a user node, and a node that could not start, is an
 * entry of our own in the queue's progress engine. Nodes that find all tasks of their lane in use
 * wait in the home, which is polled while there are some.
 *
 * To start a node calls nobody back, so nothing is entered twice. Threads: that of the work queue.
 */
#ifndef CLIENT_COMPAT_GRAPH_GRAPH_H
#define CLIENT_COMPAT_GRAPH_GRAPH_H

#include <doca_graph.h>
#include <doca_graph_workq.h>

#include "client/compat/workq/workq.h"
#include "client/graph/graph.h"

struct job_graph {
	struct doca_graph base; /* made by calloc, for graph_deinit */
	struct list homes;
};

struct graph_home {
	struct doca_ctx ctx; /* ours; always RUNNING, on the queue's engine */
	struct list node;    /* job_graph->homes */
	struct doca_workq *workq;
	struct workq_lane **lanes;
	uint32_t n_lanes;
	uint32_t n_inflight; /* instances of the graph itself */
	struct doca_task *blocked, **blocked_tail;
};

/* One node of one instance. */
struct job_slot {
	union {
		struct task_pool hook; /* the task's while the node runs */
		struct {
			struct doca_task entry; /* our own in the engine's queue, or blocked */
			uint64_t room[2];       /* engines fetch two words behind any task */
		};
	};
	struct job_instance *instance;
	const struct graph_op *op;
	const struct task_pool *pool; /* the task's own */
	union {
		struct doca_job *job;
		void *cookie;
		struct job_instance *sub;
	};
	struct doca_event *event; /* the program's, or NULL */
	union doca_data result;
	uint32_t n_waits_for; /* predecessors that are not complete */
	uint8_t state;        /* enum doca_graph_instance_node_state */
};

struct job_instance {
	struct doca_graph_instance base; /* INSTANCE_OF_JOBS; its slots are not used */
	struct graph_home *home;         /* NULL: not in flight */
	struct job_slot *parent;         /* the sub-graph node that runs it */
	union doca_data user_data;       /* of the submission */
	uint32_t n_parents;              /* nodes of other instances that have it as their data */
	struct job_slot slots[];         /* in the order of the program */
};

extern const struct ctx_ops graph_home_ops;

/* The instance is complete and not in flight. */
void job_instance_launch(struct job_instance *instance, struct graph_home *home,
			 union doca_data user_data);
/* NULL: the home has none, which the graph's changes since may have brought about. */
struct workq_lane *graph_home_lane(const struct graph_home *home, const struct doca_ctx *ctx);

#endif
