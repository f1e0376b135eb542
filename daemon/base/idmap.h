/*
 * Id -> object, intrusive: the object embeds a node, the map owns only its buckets. Ids are
 * unique within a map and never 0. Single-threaded.
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
	uint64_t factor; /* random and odd: clients choose some ids, and must not choose buckets */
};

#define IDMAP_INIT              \
	{                       \
		.buckets = NULL \
	}

/* Frees the buckets; the map must be empty. */
void idmap_deinit(struct idmap *map);
/* 0, -EEXIST, -ENOMEM. */
int idmap_add(struct idmap *map, struct idmap_node *node, uint64_t id);
/* A node that is in no map (id 0) is left alone. */
void idmap_remove(struct idmap *map, struct idmap_node *node);
struct idmap_node *idmap_find(const struct idmap *map, uint64_t id);

#endif
