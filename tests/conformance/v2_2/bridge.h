/*
 * The bridge to rdma-core under its names up to 2.2, as a program of 2.2 calls them. Creates no
 * threads.
 */
#ifndef TESTS_CONFORMANCE_V2_2_BRIDGE_H
#define TESTS_CONFORMANCE_V2_2_BRIDGE_H

#include <stdint.h>

#include <doca_error.h>

struct doca_buf;
struct doca_dev;
struct ibv_pd;

/*
 * `bare`: a device that has no protection domain while the last call of `make_keys` passed an
 * error.
 */
void bridge_2_2_names(struct doca_dev *bare, struct ibv_pd *pd, void (*make_keys)(doca_error_t));
/*
 * `use` is called with a buffer of a map that has this number as permissions, and with the number.
 */
void bridge_2_2_permit(struct doca_dev *dev, uint32_t number,
		       void (*use)(struct doca_buf *buf, struct doca_dev *dev, uint32_t number));

#endif
