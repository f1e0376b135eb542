/* The version that a program was written for; see client/base/program_api.h. */
#include "client/base/program_api.h"

#include <stdatomic.h>
#include <stdint.h>

#include "util/util.h"

/* The first versions with progress engines, and with comch. */
#define VERSION_TASKS 205
#define VERSION_COMCH 207

/* The versions that all calls so far have in common; `last` is 0 before the first call. */
struct span {
	uint16_t first, last;
	uint16_t channel; /* enum wording_channel; WORDING_COMCH if no channel was created */
	uint16_t unused;  /* pads to 8 bytes, which every machine reads and writes at once */
};

static _Thread_local struct span own;
/* For threads that have made no such call: the value of the thread that noted something last. */
static _Atomic(struct span) shared;

static void share_own(void)
{
	atomic_store_explicit(&shared, own, memory_order_relaxed);
}

static void inherit_shared(void)
{
	if (own.last == 0)
		own = atomic_load_explicit(&shared, memory_order_relaxed);
	if (own.last == 0)
		own.last = PROGRAM_API_NEWEST;
}

void program_api_note(unsigned first, unsigned last)
{
	inherit_shared();
	/* A call that does not fit the earlier ones belongs to another part of the program. */
	if (first > own.last || last < own.first)
		own = (struct span){.last = PROGRAM_API_NEWEST};
	own.first = (uint16_t)MAX(first, own.first);
	own.last = (uint16_t)MIN(last, own.last);
	share_own();
}

void program_api_note_channel(enum wording_channel channel)
{
	inherit_shared();
	own.channel = (uint16_t)channel;
	share_own();
}

struct wording program_api_wording(void)
{
	struct span span = own.last ? own : atomic_load_explicit(&shared, memory_order_relaxed);
	struct wording wording = {.version = span.last ? span.last : PROGRAM_API_NEWEST};

	if (wording.version < VERSION_TASKS)
		wording.channel = WORDING_COMM_CHANNEL;
	else if (wording.version < VERSION_COMCH)
		wording.channel = span.channel == WORDING_COMM_CHANNEL ? WORDING_COMM_CHANNEL
								       : WORDING_CC;
	return wording;
}
