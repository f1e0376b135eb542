/* See tests/conformance/other_jobs.h. */
#include "tests/conformance/other_jobs.h"

#include <string.h>

#include <doca_graph.h>
#include <doca_sha.h>
#include <doca_sync_event.h>

#include "tests/lib/use.h"

static struct use_dma dma;

static void no_hash(struct doca_sha_task_hash *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static void no_get(struct doca_sync_event_task_get *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static void no_instance(struct doca_graph_instance *instance, union doca_data instance_data,
			union doca_data graph_data)
{
	(void)instance;
	(void)instance_data;
	(void)graph_data;
}

static doca_error_t no_work(void *cookie)
{
	(void)cookie;
	return DOCA_SUCCESS;
}

struct other_jobs other_jobs_open(struct doca_dev *dev)
{
	struct other_jobs jobs = {.more = &dma};

	use_dma_open(&dma, dev, 1);
	OK(doca_sha_create(dev, &jobs.sha));
	OK(doca_sync_event_create(&jobs.event));
	OK(doca_graph_create(dma.pe, &jobs.graph));
	OK(doca_graph_node_create_from_ctx(jobs.graph, dma.ctx, &jobs.node));
	OK(doca_graph_start(jobs.graph));
	OK(doca_graph_instance_create(jobs.graph, &jobs.instance));
	return jobs;
}

void other_jobs_close(struct other_jobs *jobs)
{
	OK(doca_graph_instance_destroy(jobs->instance));
	OK(doca_graph_stop(jobs->graph));
	OK(doca_graph_destroy(jobs->graph));
	OK(doca_sync_event_destroy(jobs->event));
	OK(doca_sha_destroy(jobs->sha));
	use_dma_close(jobs->more);
}

static void refused(doca_error_t got, const char *call, int line)
{
	use_expect(DOCA_ERROR_BAD_STATE, got, call, __FILE__, line);
	ck_assert_msg(strstr(dococ_last_error(), "2.0") != NULL, "%s: %s", call,
		      dococ_last_error());
}

#define REFUSED(call) refused(call, #call, __LINE__)

void other_refuses_sha(struct doca_sha *sha)
{
	uint32_t n;

	REFUSED(doca_sha_task_hash_set_conf(sha, no_hash, no_hash, 0));
	REFUSED(doca_sha_cap_get_max_num_tasks(sha, &n));
	REFUSED(doca_ctx_start(doca_sha_as_ctx(sha)));
	REFUSED(doca_ctx_stop(doca_sha_as_ctx(sha)));
}

void other_refuses_event(struct doca_sync_event *event, struct doca_dev *dev)
{
	struct doca_sync_event_task_get *task;
	static char nothing;
	const uint8_t *data;
	uint64_t value;
	size_t len;

	REFUSED(doca_sync_event_add_publisher_location_cpu(event, dev));
	REFUSED(doca_sync_event_add_publisher_location_remote_pci(event));
	REFUSED(doca_sync_event_add_subscriber_location_cpu(event, dev));
	REFUSED(doca_sync_event_set_doca_buf(event, (struct doca_buf *)&nothing));
	REFUSED(doca_sync_event_task_get_set_conf(event, no_get, no_get, 1));
	REFUSED(doca_sync_event_task_get_alloc_init(event, &value, (union doca_data){.u64 = 0},
						    &task));
	REFUSED(doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
	REFUSED(doca_sync_event_export_to_remote_net(event, &data, &len));
	REFUSED(doca_ctx_start(doca_sync_event_as_ctx(event)));
}

void other_refuses_graph(struct doca_graph *graph, struct doca_graph_node *node,
			 struct doca_graph_instance *instance, const struct doca_ctx *ctx)
{
	union doca_data data = {.u64 = 0};
	struct doca_graph_node *another;
	struct doca_graph_instance *made;
	struct doca_graph *graph_of_tasks;
	struct doca_pe *pe;

	REFUSED(doca_graph_destroy(graph));
	REFUSED(doca_graph_set_conf(graph, no_instance, no_instance, 1));
	REFUSED(doca_graph_set_user_data(graph, data));
	REFUSED(doca_graph_get_user_data(graph, &data));
	REFUSED(doca_graph_node_create_from_user(graph, no_work, &another));
	REFUSED(doca_graph_start(graph));
	REFUSED(doca_graph_stop(graph));
	REFUSED(doca_graph_instance_create(graph, &made));
	REFUSED(doca_graph_instance_destroy(instance));
	REFUSED(doca_graph_instance_set_user_data(instance, data));
	REFUSED(doca_graph_instance_get_user_data(instance, &data));
	REFUSED(doca_graph_instance_set_user_node_data(instance, node, NULL));
	REFUSED(doca_graph_instance_submit(instance));
	OK(doca_pe_create(&pe));
	OK(doca_graph_create(pe, &graph_of_tasks));
	REFUSED(doca_graph_node_create_from_ctx(graph_of_tasks, ctx, &another));
	REFUSED(doca_graph_node_create_from_graph(graph_of_tasks, graph, &another));
	OK(doca_graph_destroy(graph_of_tasks));
	OK(doca_pe_destroy(pe));
}
