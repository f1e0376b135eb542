/* Repeated error sentences; see client/base/repeats.h. */
#include "client/base/repeats.h"

#include <stdbool.h>

#include "util/clock.h"
#include "util/util.h"

#define N_SERIES      8u
#define N_ALL_LOGGED  4u /* a series up to this length is logged completely */
#define SERIES_END_NS NS_PER_SEC

struct series {
	uint64_t hash; /* hash of the sentence */
	uint64_t n;    /* 0: the entry is unused */
	uint64_t last_ns;
};

static _Thread_local struct series all[N_SERIES];

/* Computes the FNV-1a hash. */
static uint64_t sentence_hash(const char *sentence)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *sentence != '\0'; sentence++)
		hash = (hash ^ (uint8_t)*sentence) * 0x100000001b3u;
	return hash;
}

/* Returns the series of this sentence, or resets the one that was not used for the longest time. */
static struct series *series_find(uint64_t hash)
{
	struct series *oldest = &all[0];
	size_t i;

	for (i = 0; i < N_SERIES; i++) {
		if (all[i].n != 0 && all[i].hash == hash)
			return &all[i];
		if (all[i].last_ns < oldest->last_ns)
			oldest = &all[i];
	}
	*oldest = (struct series){.hash = hash};
	return oldest;
}

static bool is_power_of_ten(uint64_t n)
{
	while (n % 10 == 0)
		n /= 10;
	return n == 1;
}

uint64_t repeats_count(const char *sentence)
{
	struct series *series = series_find(sentence_hash(sentence));
	uint64_t now = clock_now_ns();

	if (now - series->last_ns > SERIES_END_NS)
		series->n = 0;
	series->last_ns = now;
	series->n++;
	return series->n <= N_ALL_LOGGED || is_power_of_ten(series->n) ? series->n : 0;
}
