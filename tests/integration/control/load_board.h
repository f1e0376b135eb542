/*
 * The memory that a test shares with its two programs under load, and the entry point of these
 * programs. See tests/integration/control/load.h.
 */
#ifndef TESTS_INTEGRATION_CONTROL_LOAD_BOARD_H
#define TESTS_INTEGRATION_CONTROL_LOAD_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/integration/control/load.h"
#include "tests/integration/sync/end.h"

#define LOAD_N_MEMORIES 2u
#define LOAD_LEN        16384u

struct load_count {
	_Atomic uint64_t n_ok, n_failed, n_timed_out;
	char failure[160]; /* the first failure */
};

/* How far a program is. Each waits for the other one where it depends on it. */
enum load_stage {
	LOAD_STARTS,
	LOAD_HAS_EXPORTED,
	LOAD_WORKS,
	LOAD_HAS_DRAINED, /* has nothing in flight, and sends nothing any more */
	LOAD_HAS_ALL,     /* has received all that the other one sent */
};

struct load_desc {
	size_t len;
	void *addr;
	uint8_t bytes[512];
};

struct load_side {
	_Atomic unsigned stage; /* an enum load_stage */
	_Atomic bool rests;
	struct load_count counts[LOAD_N_OPS];
	_Atomic uint64_t longest_call_ns, longest_progress_ns;
	struct load_desc memories[LOAD_N_MEMORIES];
	struct sync_desc event;
	/* Valid once the program has drained. */
	_Atomic uint64_t n_messages, n_fast, n_added;
};

struct load_board {
	_Atomic bool must_rest, must_end;
	/* The number of daemons that are stopped, and how often one was. */
	_Atomic unsigned n_stopped, n_stops;
	struct load_side sides[LAB_N_SIDES];
};

struct load_role {
	struct load_board *board;
	enum lab_side side;
};

/* Runs in a process of its own; arg is a struct load_role. */
void load_program(int sock, void *role);

#endif
