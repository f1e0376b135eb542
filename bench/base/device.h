/* Finding devices and making memory maps: what every test does before it measures. Ends the
 * process when it cannot. Main thread. */
#ifndef BENCH_BASE_DEVICE_H
#define BENCH_BASE_DEVICE_H

#include <stddef.h>

#include <doca_dev.h>
#include <doca_mmap.h>

#include "bench/bench.h"

typedef doca_error_t (*device_cap_t)(const struct doca_devinfo *info);

/* The first device with this capability; doca_dev_close it. */
struct doca_dev *device_open(device_cap_t cap, const char *what);
/* The first representor of the device; doca_dev_rep_close it. */
struct doca_dev_rep *device_rep_open(struct doca_dev *dev);

/* Memory of a transport: mappable by others for shm, private else. Filled with the pattern. */
void *device_memory_new(enum bench_transport transport, size_t len);
void device_memory_free(enum bench_transport transport, void *addr, size_t len);
/* A started map, exportable. */
struct doca_mmap *device_map_new(struct doca_dev *dev, void *addr, size_t len);

/* The byte that the pattern has at this offset. */
static inline uint8_t device_pattern(size_t offset)
{
	return (uint8_t)(offset * 31 + offset / 251 + 7);
}

#endif
