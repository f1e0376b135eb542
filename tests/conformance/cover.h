/*
 * Records which functions a conformance program called and which documented codes it provoked.
 * RETURNS and PASSES record in memory that the forked tests share; at the end the record is
 * compared with the table of documented codes. The program fails if a documented code was neither
 * provoked nor listed as unreachable with a reason, or if a code listed as unreachable was
 * provoked. Creates no threads.
 */
#ifndef TESTS_CONFORMANCE_COVER_H
#define TESTS_CONFORMANCE_COVER_H

#include <stdbool.h>
#include <stddef.h>

#include <doca_error.h>

#include "tests/lib/allocount.h"
#include "tests/lib/expect.h"
/* Earlier generations define short forms of their own. */
#if !DOCA_API_WORKQ
#include "tests/lib/use.h"
#endif

struct documented {
	const char *function;
	const char *codes; /* without DOCA_ERROR_ */
};

/*
 * A code that cannot be provoked here. Function "*" stands for every function of the header that
 * did not return it.
 */
struct unreachable {
	const char *function;
	const char *code;
	const char *reason;
};

extern const struct documented documented_doca_dev[], documented_doca_mmap[], documented_doca_buf[],
	documented_doca_buf_inventory[], documented_doca_buf_pool[], documented_doca_buf_array[],
	documented_doca_ctx[], documented_doca_pe[], documented_doca_dma[],
	documented_doca_version[], documented_doca_error[], documented_doca_log[],
	documented_doca_argp[];
extern const struct documented documented_1_3_dev[], documented_1_5_dev[], documented_2_2_dev[];
extern const struct documented documented_doca_graph[];
extern const struct documented documented_doca_sync_event[];
extern const struct documented documented_doca_rdma[], documented_doca_rdma_bridge[];

/* The call must return the code. */
#define RETURNS(code, call) cover_expect(code, call, #call, __FILE__, __LINE__)
#define PASSES(call)        RETURNS(DOCA_SUCCESS, call)
/* The call must return NO_MEMORY when its allocations fail from the (n+1)th on. */
#define RUNS_OUT(n, call) \
	(allocount_fail_after(n), cover_no_memory(call, #call, __FILE__, __LINE__))
/* For functions that return no result code: records the call and returns its value. */
#define CALLED(call) (cover_call(#call), (call))

/* Creates the shared record. Must be called before any test. */
void cover_init(void);
void cover_call(const char *call);
void cover_expect(doca_error_t code, doca_error_t got, const char *call, const char *file,
		  int line);
void cover_no_memory(doca_error_t got, const char *call, const char *file, int line);
/* Names a function that cannot be called here; it is printed with the other uncalled ones. */
void cover_excuse(const char *function);
/* Prints the summary line of the header. Returns false if something is missing. */
bool cover_report(const char *header, const struct documented *documented,
		  const struct unreachable *unreachable);

#endif
