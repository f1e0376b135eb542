/*
 * DOCA 1.3, region-based access. The program has one large region, which is one chunk of a map, and
 * cuts buffers out of it anywhere. This program copies pieces of the region's first half, in
 * reverse order, into the second half. One process, on either side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "old_copier.h"

#define N_PIECES   64
#define PIECE_SIZE 1000

static bool run(struct copier *copier, char *region)
{
	const size_t half = (size_t)N_PIECES * PIECE_SIZE;
	struct doca_mmap *mmap = map_open(copier, "region", 1);
	bool ok = mmap != NULL && map_add(mmap, region, 2 * half);

	for (size_t i = 0; ok && i < N_PIECES; i++)
		ok = copier_copy(copier, mmap, region + half + (N_PIECES - 1 - i) * PIECE_SIZE,
				 mmap, region + i * PIECE_SIZE, PIECE_SIZE);
	for (size_t i = 0; ok && i < N_PIECES; i++)
		ok = memcmp(region + i * PIECE_SIZE,
			    region + half + (N_PIECES - 1 - i) * PIECE_SIZE, PIECE_SIZE) == 0;
	return mmap != NULL && succeeded(doca_mmap_destroy(mmap), "end of the map") && ok;
}

int main(void)
{
	char *region = malloc(2 * (size_t)N_PIECES * PIECE_SIZE);
	struct copier copier;
	bool ok = false;

	if (region == NULL)
		return EXIT_FAILURE;
	for (size_t i = 0; i < 2 * (size_t)N_PIECES * PIECE_SIZE; i++)
		region[i] = (char)(i * 31 + i / PIECE_SIZE);
	if (copier_open(&copier)) {
		ok = run(&copier, region);
		copier_close(&copier);
	}
	free(region);
	puts(ok ? "OK 64 pieces of one region" : "failed");
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
