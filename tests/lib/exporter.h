/*
 * A client process of the host that exports memory of a chosen kind and executes the test's
 * commands: check or change its bytes, stop and export again, unmap the range. The test is the
 * other side. Creates no threads; owner: the test that started it.
 */
#ifndef TESTS_LIB_EXPORTER_H
#define TESTS_LIB_EXPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/lib/lab.h"

enum exporter_memory {
	MEMORY_MALLOC,
	MEMORY_STACK,
	MEMORY_STATIC,
	MEMORY_FILE,   /* a shared mapping of a file */
	MEMORY_MEMFD,  /* with doca_mmap_set_dmabuf_memrange() */
	MEMORY_MAPPED, /* a mapped memfd, named by its address only */
	MEMORY_DOCOC,  /* from dococ_mem_alloc() */
	MEMORY_MMAP,   /* anonymous, can be unmapped */
	MEMORY_TMPFS,  /* a shared mapping of a file of /dev/shm */
	MEMORY_HUGE,   /* huge pages of the pool, or transparent ones if the pool is empty */
};

#define EXPORTER_STACK_LEN (256u << 10)

struct exporter_options {
	enum exporter_memory memory;
	size_t len;
	size_t skew; /* number of bytes before the range */
	uint32_t permissions;
	bool rdma; /* export for RDMA instead of PCI */
	enum lab_side side;
};

struct exported {
	uint8_t desc[256];
	size_t desc_len;
	uint8_t *addr; /* in the exporter */
	size_t len;
};

struct exporter {
	struct lab_child child;
	struct exported exported;
};

/* The memory is filled with seed 1. */
void exporter_start(struct exporter *exporter, struct lab *lab,
		    const struct exporter_options *options);
void exporter_end(struct exporter *exporter);
void exporter_fill(struct exporter *exporter, size_t at, size_t len, uint32_t seed);
bool exporter_is_filled(struct exporter *exporter, size_t at, size_t len, uint32_t seed);
/* Calls doca_mmap_stop(). */
void exporter_stop_map(struct exporter *exporter);
/* Calls doca_mmap_start() and exports again. */
void exporter_export_again(struct exporter *exporter);
/* Removes [at, at + len) from the exporter's address space. */
void exporter_unmap(struct exporter *exporter, size_t at, size_t len);
/* Truncates the file or memfd of the memory. Returns whether the kernel permits it. */
bool exporter_truncate(struct exporter *exporter, size_t len);
/* Makes any call to its daemon, as programs do occasionally. */
void exporter_call_daemon(struct exporter *exporter);

#endif
