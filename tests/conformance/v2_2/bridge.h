/*
 * The bridge to rdma-core under its names up to 2.2, as a program of 2.2 calls them. Threads: none.
 */
#ifndef TESTS_CONFORMANCE_V2_2_BRIDGE_H
#define TESTS_CONFORMANCE_V2_2_BRIDGE_H

#include <stdint.h>

#include <doca_error.h>

struct doca_buf;
struct doca_dev;
struct ibv_pd;

/* `bare`: a device without a protection domain while `make_keys` was called with an error last. */
void bridge_2_2_names(struct doca_dev *bare, struct ibv_pd *pd, void (*make_keys)(doca_error_t));
/* `use` gets a buffer of a map whose permissions are this number, and the number. */
void bridge_2_2_permit(struct doca_dev *dev, uint32_t number,
		       void (*use)(struct doca_buf *buf, struct doca_dev *dev, uint32_t number));

#endif
