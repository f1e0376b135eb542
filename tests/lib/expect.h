/*
 * Functions that tests of all interface generations share: checks of result codes, devices,
 * contents. Nothing here depends on the version for which a test is compiled. Every function fails
 * the running test if a step fails. Creates no threads.
 */
#ifndef TESTS_LIB_EXPECT_H
#define TESTS_LIB_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <dococ.h>

#include "tests/lib/assert.h"
#include "util/util.h"

struct doca_dev;
struct doca_dev_rep;
struct doca_pe;

#define USE_HOST_PF0 "0b:00.0"
#define USE_HOST_PF1 "0b:00.1"
#define USE_DPU_P0   "03:00.0"
#define USE_DPU_P1   "03:00.1"

/*
 * For files that are compiled for several versions: VERSIONED(echo_cc_) is for example echo_cc_205.
 */
#define VERSIONED(prefix)                VERSIONED_OF(prefix, DOCA_USE_VERSION)
#define VERSIONED_OF(prefix, version)    VERSIONED_PASTE(prefix, version)
#define VERSIONED_PASTE(prefix, version) prefix##version

/* Fails unless the call returns the code; prints the actual code and its reason. */
#define EXPECT(code, call) use_expect(code, call, #call, __FILE__, __LINE__)
#define OK(call)           EXPECT(DOCA_SUCCESS, call)
void use_expect(doca_error_t expected, doca_error_t got, const char *call, const char *file,
		int line);

/* Like ck_assert_msg(), but reports to Check only on failure. */
#define EXPECT_TRUE(what, ...)                     \
	do {                                       \
		if (!(what))                       \
			ck_abort_msg(__VA_ARGS__); \
	} while (0)

/*
 * One iteration of a polling program that waits for a condition. If there was no work, yields the
 * processor to the processes that produce it.
 */
void use_progress(struct doca_pe *pe);

/* Opens the first function with the address. Release it with doca_dev_close(). */
struct doca_dev *use_dev(const char *pci_addr);
/*
 * Creates an object that uses the device or the representor, with functions of the newest version,
 * and releases it.
 */
void *use_dev_hold(struct doca_dev *dev);
void use_dev_release(void *hold);
void *use_rep_hold(struct doca_dev *dev, struct doca_dev_rep *rep);
void use_rep_release(void *hold);
void use_dev_end(struct doca_dev *dev);
/* Opens the first network representor of a device. */
struct doca_dev_rep *use_rep(struct doca_dev *dev);
void use_rep_end(struct doca_dev_rep *rep);
/* Fills memory with reproducible bytes that differ between offsets and between seeds. */
void use_fill(void *addr, size_t len, uint32_t seed);
bool use_is_filled(const void *addr, size_t len, uint32_t seed);

#endif
