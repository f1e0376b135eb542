/*
 * The key of a buffer, requested as in programs of 1.5. The caller provides the device's keys;
 * make_keys sets the result of requesting one.
 */
#ifndef TESTS_CONFORMANCE_V1_5_BRIDGE_H
#define TESTS_CONFORMANCE_V1_5_BRIDGE_H

#include <stdint.h>

#include <doca_error.h>

struct doca_buf;
struct doca_dev;

void bridge_1_5_buf_key(struct doca_dev *dev, uint32_t wanted, void (*make_keys)(doca_error_t));
/*
 * The buffer's map was made by 2.2, where this number is its only permission for peers: to read or
 * to write. In 1.5, each of the two numbers means the other permission.
 */
void bridge_1_5_bits(struct doca_buf *buf, struct doca_dev *dev, uint32_t number);

#endif
