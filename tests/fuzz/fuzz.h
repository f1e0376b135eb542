/*
 * A fuzz target is LLVMFuzzerTestOneInput() in a file of its own, so that libFuzzer can drive it,
 * and fuzz_seed(), from which standalone_main.c makes its deterministic inputs for `make check`.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
/* Writes well-formed input i. Returns its length, or 0 if there is no such input. */
size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len);
/*
 * A target with structured inputs may define this function: it changes the input in place and
 * returns its new length, at most max. libFuzzer and standalone_main.c call it if it exists.
 */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max,
						     unsigned seed);
/* For custom mutators: mutates bytes without structure. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max);

static inline void fuzz_fail(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

/* Works in every build; NDEBUG would remove an assert. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))

#endif
