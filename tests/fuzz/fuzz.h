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
/* Writes well-formed input i; returns its length, or 0 when there is no such input. */
size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len);
/*
 * A target whose inputs have a structure may define this: it changes the input in place and returns
 * its new length, at most max. libFuzzer and standalone_main.c call it if it is there.
 */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max,
						     unsigned seed);
/* For custom mutators: a mutation of bytes that have no structure. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max);

static inline void fuzz_fail(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

/* Holds in every build: an assert would vanish with NDEBUG. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))

#endif
