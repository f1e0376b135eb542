/* Chained hash table with a power-of-two number of buckets; see idmap.h. */
#include "daemon/base/idmap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

static size_t idmap_bucket(const struct idmap *map, uint64_t id)
{
	return (size_t)((id * map->factor) >> 32) & (map->n_buckets - 1);
}

void idmap_deinit(struct idmap *map)
{
	free(map->buckets);
	*map = (struct idmap)IDMAP_INIT;
}

static int idmap_grow(struct idmap *map)
{
	struct idmap old = *map;
	size_t n = old.n_buckets ? old.n_buckets * 2 : 64;
	struct idmap_node **buckets = calloc(n, sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	/* Without random numbers, a fixed factor still distributes consecutive ids. */
	if (!map->factor && getrandom(&map->factor, sizeof(map->factor), GRND_NONBLOCK) < 0)
		map->factor = 0x9e3779b97f4a7c15ull;
	map->factor |= 1;
	map->buckets = buckets;
	map->n_buckets = n;
	for (size_t i = 0; i < old.n_buckets; i++) {
		while (old.buckets[i]) {
			struct idmap_node *node = old.buckets[i];
			size_t b = idmap_bucket(map, node->id);

			old.buckets[i] = node->next;
			node->next = buckets[b];
			buckets[b] = node;
		}
	}
	free(old.buckets);
	return 0;
}

int idmap_add(struct idmap *map, struct idmap_node *node, uint64_t id)
{
	size_t b;

	if (idmap_find(map, id))
		return -EEXIST;
	if (map->n_nodes >= map->n_buckets) {
		int r = idmap_grow(map);

		if (r < 0)
			return r;
	}
	b = idmap_bucket(map, id);
	node->id = id;
	node->next = map->buckets[b];
	map->buckets[b] = node;
	map->n_nodes++;
	return 0;
}

void idmap_remove(struct idmap *map, struct idmap_node *node)
{
	struct idmap_node **at;

	if (node->id == 0 || map->n_buckets == 0)
		return;
	for (at = &map->buckets[idmap_bucket(map, node->id)]; *at; at = &(*at)->next) {
		if (*at == node) {
			*at = node->next;
			node->next = NULL;
			node->id = 0;
			map->n_nodes--;
			return;
		}
	}
}

struct idmap_node *idmap_find(const struct idmap *map, uint64_t id)
{
	if (map->n_buckets == 0 || id == 0)
		return NULL;
	for (struct idmap_node *node = map->buckets[idmap_bucket(map, id)]; node; node = node->next)
		if (node->id == id)
			return node;
	return NULL;
}
