/* The counted section, see tests/lib/hot.h. */
#include "tests/lib/hot.h"

#include <stdint.h>

#include "tests/lib/allocount.h"
#include "tests/lib/lockcount.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"

static uint64_t n_allocations, n_locks, n_polls;

void hot_begin(void)
{
	n_allocations = allocount_n();
	n_locks = lockcount_n();
	n_polls = lockcount_n_polls();
	traced_mark("run");
}

void hot_end(void)
{
	traced_mark("end");
	n_allocations = allocount_n() - n_allocations;
	n_locks = lockcount_n() - n_locks;
	n_polls = lockcount_n_polls() - n_polls;
	/* An assertion allocates memory itself, so the numbers are read before. */
	ck_assert_uint_eq(n_allocations, 0);
	ck_assert_uint_le(n_locks, n_polls);
}
