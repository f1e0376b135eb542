/*
 * Compression, erasure coding, SHA, sync events and graphs of earlier generations: implementations
 * of the functions that are bound to one version (client/compat/abi). No type here depends on the
 * version that a file is compiled for.
 */
#ifndef CLIENT_COMPAT_WORKQ_JOBS_H
#define CLIENT_COMPAT_WORKQ_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

struct doca_dev;
struct doca_ec;
struct doca_event;
struct doca_graph;
struct doca_graph_instance;
struct doca_graph_node;
struct doca_job;
struct doca_compress;
struct doca_sha;
struct doca_sync_event;

doca_error_t compat_compress_create(struct doca_compress **compress_out);
doca_error_t compat_ec_create(struct doca_ec **ec_out);
doca_error_t compat_sha_create(struct doca_sha **sha_out);

doca_error_t compat_sync_event_create(struct doca_sync_event **event_out);
doca_error_t compat_sync_event_import(struct doca_dev *dev, const uint8_t *data, size_t sz,
				      struct doca_sync_event **event_out);

doca_error_t compat_graph_create(struct doca_graph **graph_out);
doca_error_t compat_graph_destroy(struct doca_graph *graph);
doca_error_t compat_graph_start(struct doca_graph *graph);
doca_error_t compat_graph_stop(struct doca_graph *graph);
doca_error_t compat_graph_user_node(struct doca_graph *graph,
				    doca_error_t (*cb)(void *cookie, struct doca_event *ev),
				    struct doca_graph_node **node_out);
doca_error_t compat_graph_instance_create(const struct doca_graph *graph,
					  struct doca_graph_instance **instance_out);
doca_error_t compat_graph_instance_destroy(struct doca_graph_instance *instance);
doca_error_t compat_graph_set_job(struct doca_graph_instance *instance,
				  struct doca_graph_node *node, struct doca_job *job,
				  struct doca_event *ev);
doca_error_t compat_graph_set_cookie(struct doca_graph_instance *instance,
				     struct doca_graph_node *node, void *cookie,
				     struct doca_event *ev);
doca_error_t compat_graph_set_sub(struct doca_graph_instance *instance,
				  struct doca_graph_node *node,
				  struct doca_graph_instance *sub_instance, struct doca_event *ev);

#endif
