/*
 * The key of a buffer as programs of 1.5 ask for it. The device's keys are the caller's, make_keys
 * says what comes of asking for one.
 */
#ifndef TESTS_CONFORMANCE_V1_5_BRIDGE_H
#define TESTS_CONFORMANCE_V1_5_BRIDGE_H

#include <stdint.h>

#include <doca_error.h>

struct doca_buf;
struct doca_dev;

void bridge_1_5_buf_key(struct doca_dev *dev, uint32_t wanted, void (*make_keys)(doca_error_t));
/* The buffer's map is of 2.2, and permits peers just what this number says there: to read, or to
 * write. In 1.5 each of the two is the other's number. */
void bridge_1_5_bits(struct doca_buf *buf, struct doca_dev *dev, uint32_t number);

#endif
