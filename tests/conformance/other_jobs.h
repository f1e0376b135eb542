/*
 * SHA objects, sync events and graphs of the current generation, for tests of earlier ones: what
 * their calls must refuse, and what refuses theirs. No type here depends on the version that a test
 * is compiled for. Every function fails the running test when a step does not succeed. Threads:
 * none.
 */
#ifndef TESTS_CONFORMANCE_OTHER_JOBS_H
#define TESTS_CONFORMANCE_OTHER_JOBS_H

struct doca_ctx;
struct doca_dev;
struct doca_graph;
struct doca_graph_instance;
struct doca_graph_node;
struct doca_sha;
struct doca_sync_event;

/* All of them, on the device: a started graph with one node and an instance. */
struct other_jobs {
	struct doca_sha *sha;
	struct doca_sync_event *event;
	struct doca_graph *graph;
	struct doca_graph_node *node;
	struct doca_graph_instance *instance;
	void *more;
};

struct other_jobs other_jobs_open(struct doca_dev *dev);
void other_jobs_close(struct other_jobs *jobs);
/* Calls of the current generation refuse what another made, with a sentence that names 2.0. */
void other_refuses_sha(struct doca_sha *sha);
void other_refuses_event(struct doca_sync_event *event, struct doca_dev *dev);
void other_refuses_graph(struct doca_graph *graph, struct doca_graph_node *node,
			 struct doca_graph_instance *instance, const struct doca_ctx *ctx);

#endif
