/*
 * SHA objects, sync events and graphs of the current generation, for tests of earlier ones: objects
 * that the earlier calls must refuse, and calls that must refuse the earlier objects. No type here
 * depends on the version for which a test is compiled. Every function fails the running test when a
 * step does not succeed. Creates no threads.
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

/*
 * One object of each kind on the device: among them a started graph with one node and an instance.
 */
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
/*
 * Calls of the current generation refuse an object of another one, with a sentence that names 2.0.
 */
void other_refuses_sha(struct doca_sha *sha);
void other_refuses_event(struct doca_sync_event *event, struct doca_dev *dev);
void other_refuses_graph(struct doca_graph *graph, struct doca_graph_node *node,
			 struct doca_graph_instance *instance, const struct doca_ctx *ctx);

#endif
