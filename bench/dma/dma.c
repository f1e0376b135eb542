/*
 * dma: copies of one size with depth tasks in flight. local is compared with the minimum that any
 * queue of copies needs (submit call, memcpy, callback) and, from 64 KiB on, with memcpy alone, hot
 * and cold. shm (source mapped from the other process) is compared with local. pvm (source in
 * another process's private memory) is compared with one process_vm_readv per copy. With --api
 * workq, jobs of a work queue are compared with tasks.
 *
 * The other process owns the exported memory and sleeps meanwhile.
 */
#include <string.h>
#include <unistd.h>

#include <dococ.h>

#include "bench/base/device.h"
#include "bench/base/peer.h"
#include "bench/dma/jobs.h"
#include "bench/dma/set.h"

/* From this size on, memcpy alone is a reference, too, and cold memory is measured. */
#define LARGE (64u << 10)

struct dma_state {
	struct dma_set *ours, *local; /* local: from own memory of the same kind */
	struct dma_jobs *jobs;
};

struct export
{
	uint64_t addr;
	int pid;
	uint32_t len;
	uint8_t bytes[PEER_PAYLOAD_MAX - 16];
};

/* The other process's part: exports memory, which stays. */
static void memory_export(struct bench *b)
{
	struct export export = {.pid = getpid()};
	size_t memory_len = dma_set_len(b), len;
	struct doca_dev *dev = device_open(doca_dma_cap_task_memcpy_is_supported,
					   "open a device to export");
	void *memory = device_memory_new(b->row->memory, memory_len);
	struct doca_mmap *map = device_map_new(dev, memory, memory_len, DEVICE_RIGHTS);
	const void *bytes;

	MUST(doca_mmap_export_pci(map, dev, &bytes, &len));
	if (len > sizeof(export.bytes))
		bench_die("the export descriptor has %zu bytes", len);
	memcpy(export.bytes, bytes, len);
	export.len = (uint32_t)len;
	export.addr = (uintptr_t)memory;
	peer_put(b, &export, sizeof(export));
}

static struct dma_set *set_import(struct bench *b, struct doca_dev *dev)
{
	const char *wanted = bench_transport_name(b->row->memory), *got;
	struct export export;
	struct doca_mmap *map;
	struct dma_set *set;

	peer_get(b, &export, sizeof(export));
	MUST(doca_mmap_create_from_export(NULL, export.bytes, export.len, dev, &map));
	got = dococ_mmap_get_transport(map);
	if (strcmp(got, wanted) != 0)
		bench_die("the import goes by %s, not by %s: %s", got, wanted,
			  dococ_mmap_get_transport_rejections(map));
	set = dma_set_remote_new(b, dev, map, export.addr);
	set->pid = export.pid;
	return set;
}

static const char *dma_setup(struct bench *b)
{
	struct dma_state *s = b->state = bench_alloc(1, sizeof(*s));
	struct doca_dev *dev;

	if (b->is_peer) {
		memory_export(b);
		return NULL;
	}
	dev = dma_dev_open();
	if (b->row->memory == TRANSPORT_LOCAL)
		s->ours = dma_set_local_new(b, dev, TRANSPORT_LOCAL, NULL);
	else
		s->ours = set_import(b, dev);
	dma_set_verify(s->ours);
	/* The reference uses the same kind of memory and the same destination as the import. */
	if (b->row->memory == TRANSPORT_SHM)
		s->local = dma_set_local_new(b, dev, TRANSPORT_SHM, s->ours->dst);
	else
		s->local = s->ours;
	if (b->row->flags & ROW_WORKQ)
		s->jobs = dma_jobs_new(dev, b->depth, s->ours->src_bufs, s->ours->dst_bufs,
				       s->ours->n_bufs);
	return NULL;
}

static void dma_run(struct bench *b, uint64_t n)
{
	dma_set_run(((struct dma_state *)b->state)->ours, n, b->laps);
}

static void jobs_run(struct bench *b, uint64_t n)
{
	dma_jobs_run(((struct dma_state *)b->state)->jobs, n);
}

static void local_run(struct bench *b, uint64_t n)
{
	dma_set_run(((struct dma_state *)b->state)->local, n, b->laps);
}

static void floor_run(struct bench *b, uint64_t n)
{
	dma_set_run_floor(((struct dma_state *)b->state)->ours, n);
}

static void memcpy_run(struct bench *b, uint64_t n)
{
	dma_set_run_memcpy(((struct dma_state *)b->state)->local, n);
}

static void readv_run(struct bench *b, uint64_t n)
{
	dma_set_run_readv(((struct dma_state *)b->state)->ours, n);
}

#define FLAGS (ROW_BYTES | ROW_SIZES | ROW_DEPTHS | ROW_THREADS | ROW_LAPS | ROW_DEPTH_ONE)
#define LOCAL .transport = "local", .memory = TRANSPORT_LOCAL, .flags = FLAGS
#define SHM   .transport = "shm", .memory = TRANSPORT_SHM, .flags = FLAGS | ROW_PEER | ROW_ON_DPU
#define PVM   .transport = "pvm", .memory = TRANSPORT_PVM, .flags = FLAGS | ROW_PEER | ROW_ON_DPU
#define DMA   .test = "dma", .setup = dma_setup, .run = dma_run
#define HOT   DMA, .variant = "hot"
#define COLD  DMA, .variant = "cold", .min_size = LARGE
/* Jobs of a work queue. */
#define WORKQ                                                                   \
	.test = "dma", .setup = dma_setup, .variant = "workq", .run = jobs_run, \
	.reference = "task", .reference_run = dma_run,                          \
	.points = {{64, 32, 1.25}, {4096, 32, 0}, {LARGE, 32, 0}, {1u << 20, 32, 0}}
#define WORKQ_COLD                                                                   \
	.test = "dma", .setup = dma_setup, .variant = "workq cold", .run = jobs_run, \
	.min_size = LARGE, .reference = "task", .reference_run = dma_run, LARGE_POINTS(0)
#define LARGE_POINTS(limit) .points = {{LARGE, 32, limit}, {1u << 20, 32, limit}}

static const struct bench_row rows[] = {
	{HOT, LOCAL, .reference = "floor", .reference_run = floor_run,
	 .points = {{64, 32, 4}, {4096, 32, 1.18}, {LARGE, 32, 0}, {1u << 20, 32, 0}}},
	{HOT, LOCAL, .min_size = LARGE, .reference = "memcpy", .reference_run = memcpy_run,
	 LARGE_POINTS(1.031)},
	{COLD, LOCAL | ROW_COLD, .reference = "floor", .reference_run = floor_run, LARGE_POINTS(0)},
	{COLD, LOCAL | ROW_COLD, .reference = "memcpy", .reference_run = memcpy_run,
	 LARGE_POINTS(1.031)},
	{HOT, SHM, .reference = "local", .reference_run = local_run,
	 .points = {{64, 32, 1.05}, {4096, 32, 1.05}, {LARGE, 32, 1.05}, {1u << 20, 32, 1.05}}},
	{HOT, SHM, .min_size = LARGE, .reference = "memcpy", .reference_run = memcpy_run,
	 LARGE_POINTS(0)},
	{COLD, SHM | ROW_COLD, .reference = "local", .reference_run = local_run,
	 LARGE_POINTS(1.05)},
	{COLD, SHM | ROW_COLD, .reference = "memcpy", .reference_run = memcpy_run, LARGE_POINTS(0)},
	{HOT, PVM, .reference = "process_vm_readv", .reference_run = readv_run,
	 .points = {{64, 32, 0.334}, {4096, 32, 0}, {LARGE, 32, 0}, {1u << 20, 32, 1.031}}},
	{COLD, PVM | ROW_COLD, .reference = "process_vm_readv", .reference_run = readv_run,
	 .points = {{LARGE, 32, 0}, {1u << 20, 32, 1.031}}},
	{WORKQ, LOCAL | ROW_WORKQ},
	{WORKQ_COLD, LOCAL | ROW_WORKQ | ROW_COLD},
	{WORKQ, SHM | ROW_WORKQ},
	{WORKQ_COLD, SHM | ROW_WORKQ | ROW_COLD},
	{WORKQ, PVM | ROW_WORKQ},
	{WORKQ_COLD, PVM | ROW_WORKQ | ROW_COLD},
};

BENCH_TABLE(bench_dma, rows);
