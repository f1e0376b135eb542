/*
 * The two programs of tests/integration/restart/kill_test.c. The host's program exports memory and
 * connects to the DPU's program, which imports and copies the memory and serves the connection.
 * After each loss, a program creates its objects again. The programs run until they are killed.
 * They fail only on results that the documentation excludes. Create no threads.
 */
#ifndef TESTS_INTEGRATION_KILL_ENDS_H
#define TESTS_INTEGRATION_KILL_ENDS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define KILL_LEN 8192u

/* Shared by the test and both ends. */
struct kill_board {
	_Atomic uint32_t n; /* odd while the export is being written */
	size_t desc_len;
	void *addr;
	uint8_t desc[512];
	/* Counts of what the ends did in all rounds. */
	_Atomic uint64_t n_exports, n_copies, n_connections, n_messages;
};

void kill_exporter(int sock, void *board);
void kill_importer(int sock, void *board);

#endif
