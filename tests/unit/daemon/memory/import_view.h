/* A raw client's data of an import, for tests of the daemons. */
#ifndef TESTS_UNIT_DAEMON_MEMORY_IMPORT_VIEW_H
#define TESTS_UNIT_DAEMON_MEMORY_IMPORT_VIEW_H

#include <stdint.h>

#include "proto/shm_layout.h"
#include "tests/unit/daemon/pair.h"

struct view {
	uint64_t id;
	const struct liveness_page *page;
	uint32_t slot, generation;
	int pidfd, memfd;
};

/* Reads the data from the last answer, which must be that of an import whose export is alive. */
void view_receive(struct client *client, struct view *view);
/* Waits until the export has ended. */
void view_await_dead(const struct view *view);

#endif
