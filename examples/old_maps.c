/*
 * DOCA 1.3, random access with one map for each buffer. If buffers come and go individually, each
 * has its own map, which is destroyed with it. One process, on either side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "old_copier.h"

#define N_ROUNDS   32
#define PLACE_SIZE 5000

/* Creates two buffers with their maps, copies once, and destroys them. */
static bool round_run(struct copier *copier, int round)
{
	char *from = malloc(PLACE_SIZE), *to = calloc(1, PLACE_SIZE);
	struct doca_mmap *from_map = map_open(copier, "from", 1);
	struct doca_mmap *to_map = map_open(copier, "to", 1);
	bool ok = from != NULL && to != NULL && from_map != NULL && to_map != NULL;

	if (ok) {
		memset(from, round + 1, PLACE_SIZE);
		ok = map_add(from_map, from, PLACE_SIZE) && map_add(to_map, to, PLACE_SIZE) &&
		     copier_copy(copier, to_map, to, from_map, from, PLACE_SIZE) &&
		     memcmp(to, from, PLACE_SIZE) == 0;
	}
	if (from_map != NULL)
		ok &= succeeded(doca_mmap_destroy(from_map), "end of a map");
	if (to_map != NULL)
		ok &= succeeded(doca_mmap_destroy(to_map), "end of a map");
	free(from);
	free(to);
	return ok;
}

int main(void)
{
	struct copier copier;
	bool ok = copier_open(&copier);

	if (ok) {
		for (int i = 0; ok && i < N_ROUNDS; i++)
			ok = round_run(&copier, i);
		copier_close(&copier);
	}
	puts(ok ? "OK 32 rounds with two maps each" : "failed");
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
