/*
 * The key of a buffer as programs of 1.5 ask for it. The device's keys are the caller's, make_keys
 * says what comes of asking for one.
 */
#ifndef TESTS_CONFORMANCE_BRIDGE_1_5_H
#define TESTS_CONFORMANCE_BRIDGE_1_5_H

#include <stdint.h>

#include <doca_error.h>

struct doca_dev;

void bridge_1_5_buf_key(struct doca_dev *dev, uint32_t wanted, void (*make_keys)(doca_error_t));

#endif
