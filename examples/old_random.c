/*
 * DOCA 1.3, random access with a single map. The program's memory consists of many separate places,
 * and one map has a chunk for each. A buffer lies in any one of them; the library finds the chunk.
 * One process, on either side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "old_copier.h"

#define N_PLACES   128
#define PLACE_SIZE 3000

static bool run(struct copier *copier, char *places[])
{
	struct doca_mmap *mmap = map_open(copier, "places", N_PLACES);
	bool ok = mmap != NULL;

	for (int i = 0; ok && i < N_PLACES; i++)
		ok = map_add(mmap, places[i], PLACE_SIZE);
	/* Copies each place of the lower half to a place of the upper half. */
	for (int i = 0; ok && i < N_PLACES / 2; i++) {
		char *from = places[i * 37 % (N_PLACES / 2)], *to = places[N_PLACES / 2 + i];

		ok = copier_copy(copier, mmap, to, mmap, from, PLACE_SIZE) &&
		     memcmp(to, from, PLACE_SIZE) == 0;
	}
	return mmap != NULL && succeeded(doca_mmap_destroy(mmap), "end of the map") && ok;
}

int main(void)
{
	char *places[N_PLACES];
	struct copier copier;
	bool ok = true;

	for (int i = 0; i < N_PLACES; i++) {
		places[i] = malloc(PLACE_SIZE);
		if (places[i] == NULL)
			return EXIT_FAILURE;
		memset(places[i], i + 1, PLACE_SIZE);
	}
	ok = copier_open(&copier);
	if (ok) {
		ok = run(&copier, places);
		copier_close(&copier);
	}
	for (int i = 0; i < N_PLACES; i++)
		free(places[i]);
	puts(ok ? "OK 128 places in one map" : "failed");
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
