/*
 * Map from id to object, intrusive: the object embeds a node, and the map owns only its buckets.
 * Ids are unique within a map and never 0. Single-threaded.
 */
#ifndef DAEMON_BASE_IDMAP_H
#define DAEMON_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

struct idmap_node {
	uint64_t id;
	struct idmap_node *next;
};

struct idmap {
	struct idmap_node **buckets;
	size_t n_buckets;
	size_t n_nodes;
	/* Random and odd: clients choose some ids, and must not be able to choose buckets. */
	uint64_t factor;
};

#define IDMAP_INIT              \
	{                       \
		.buckets = NULL \
	}

/* Frees the buckets. The map must be empty. */
void idmap_deinit(struct idmap *map);
/* Returns 0, -EEXIST or -ENOMEM. */
int idmap_add(struct idmap *map, struct idmap_node *node, uint64_t id);
/* Ignores a node that is in no map (id 0). */
void idmap_remove(struct idmap *map, struct idmap_node *node);
struct idmap_node *idmap_find(const struct idmap *map, uint64_t id);

#endif
