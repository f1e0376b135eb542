/* Graphs, as called by programs of 2.0 to 2.2. */
#include <doca_graph.h>

#include "client/compat/workq/jobs.h"

doca_error_t doca_graph_create(struct doca_graph **graph)
{
	return compat_graph_create(graph);
}

doca_error_t doca_graph_destroy(struct doca_graph *graph)
{
	return compat_graph_destroy(graph);
}

doca_error_t doca_graph_user_node_create(struct doca_graph *graph, doca_graph_user_node_cb_t cb,
					 struct doca_graph_node **node)
{
	return compat_graph_user_node(graph, cb, node);
}

doca_error_t doca_graph_start(struct doca_graph *graph)
{
	return compat_graph_start(graph);
}

doca_error_t doca_graph_stop(struct doca_graph *graph)
{
	return compat_graph_stop(graph);
}

doca_error_t doca_graph_instance_create(const struct doca_graph *graph,
					struct doca_graph_instance **graph_instance)
{
	return compat_graph_instance_create(graph, graph_instance);
}

doca_error_t doca_graph_instance_destroy(struct doca_graph_instance *graph_instance)
{
	return compat_graph_instance_destroy(graph_instance);
}

doca_error_t doca_graph_instance_set_ctx_node_data(struct doca_graph_instance *graph_instance,
						   struct doca_graph_node *node,
						   struct doca_job *job, struct doca_event *ev)
{
	return compat_graph_set_job(graph_instance, node, job, ev);
}

doca_error_t doca_graph_instance_set_user_node_data(struct doca_graph_instance *graph_instance,
						    struct doca_graph_node *node, void *cookie,
						    struct doca_event *ev)
{
	return compat_graph_set_cookie(graph_instance, node, cookie, ev);
}

doca_error_t doca_graph_instance_set_sub_graph_node_data(
	struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
	struct doca_graph_instance *sub_graph_instance, struct doca_event *ev)
{
	return compat_graph_set_sub(graph_instance, node, sub_graph_instance, ev);
}
