/*
 * dma: copies of one size with depth tasks in flight. local is compared with the minimum that any
 * queue of copies needs (submit call, memcpy, callback) and, from 64 KiB on, with memcpy alone, hot
 * and cold. shm (source mapped from the other process) is compared with local. pvm (source in
 * another process's private memory) is compared with one process_vm_readv per copy. With --api
 * workq, jobs of a work queue are compared with tasks.
 *
 * The other process owns the exported memory and sleeps meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include <dococ.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/report.h"
#include "bench/dma/jobs.h"
#include "bench/dma/set.h"

/* From this size on, memcpy alone is a reference, too, and cold memory is measured. */
#define LARGE_SIZE (64u << 10)

/* One combination of parameters. */
struct dma_case {
	struct bench *bench;
	struct doca_dev *dev;
	struct dma_layout layout;
	enum bench_transport transport;
	unsigned n_threads;
	struct peer_msg export; /* export of the source, unless local */
};

static struct dma_set *set_local_new(const struct dma_case *c, enum bench_transport memory,
				     void *dst)
{
	void *src = device_memory_new(memory, c->layout.len);

	return dma_set_new(c->dev, &c->layout, src, NULL, (uint64_t)(uintptr_t)src, dst);
}

static struct dma_set *set_remote_new(const struct dma_case *c, unsigned thread, void *dst)
{
	const char *wanted = bench_transport_name(c->transport), *got;
	struct doca_mmap *map;
	struct dma_set *set;

	bench_check(doca_mmap_create_from_export(NULL, c->export.payload, c->export.payload_len,
						 c->dev, &map),
		    "import the other side's memory");
	got = dococ_mmap_get_transport(map);
	if (strcmp(got, wanted) != 0)
		bench_die("the import goes by %s, not by %s: %s", got, wanted,
			  dococ_mmap_get_transport_rejections(map));
	set = dma_set_new(c->dev, &c->layout, NULL, map,
			  c->export.addr + (uint64_t)thread * c->layout.len, dst);
	set->owns_src_map = true;
	set->pid = c->export.pid;
	return set;
}

/* Compares jobs with tasks on the same buffers. */
static void case_jobs(const struct dma_case *c, const struct work *tasks)
{
	struct measure_plan plan = report_plan(c->bench, c->layout.depth, c->n_threads);
	struct report_row row = {.test = "dma",
				 .variant = c->layout.is_cold ? "workq cold" : "workq",
				 .transport = bench_transport_name(c->transport),
				 .size = c->layout.size,
				 .depth = c->layout.depth,
				 .n_threads = c->n_threads,
				 .moves_bytes = true,
				 .reference = "task"};
	struct work jobs = {.run = dma_jobs_run};
	unsigned i;

	for (i = 0; i < c->n_threads; i++) {
		const struct dma_set *set = tasks->args[i];

		jobs.args[i] = dma_jobs_new(c->dev, c->layout.depth, set->src_bufs, set->dst_bufs,
					    set->n_bufs);
	}
	report_measure(c->bench->report, &row, &plan, &jobs, tasks);
	for (i = 0; i < c->n_threads; i++)
		dma_jobs_delete(jobs.args[i]);
}

static void case_measure(const struct dma_case *c, const char *reference_name,
			 const struct work *ours, const struct work *reference)
{
	struct measure_plan plan = report_plan(c->bench, c->layout.depth, c->n_threads);
	struct report_row row = {.test = "dma",
				 .variant = c->layout.is_cold ? "cold" : "hot",
				 .transport = bench_transport_name(c->transport),
				 .size = c->layout.size,
				 .depth = c->layout.depth,
				 .n_threads = c->n_threads,
				 .moves_bytes = true,
				 .reference = reference_name};

	report_measure(c->bench->report, &row, &plan, ours, reference);
}

static void case_local(struct dma_case *c)
{
	struct work ours = {.run = dma_run}, floor = {.run = dma_run_floor};
	struct work memcpy_work = {.run = dma_run_memcpy};
	unsigned i;

	for (i = 0; i < c->n_threads; i++) {
		struct dma_set *set = set_local_new(
			c, TRANSPORT_LOCAL, device_memory_new(TRANSPORT_LOCAL, c->layout.len));

		dma_set_verify(set, 0);
		ours.args[i] = floor.args[i] = memcpy_work.args[i] = set;
	}
	if (c->bench->options->is_workq) {
		case_jobs(c, &ours);
	} else {
		case_measure(c, "floor", &ours, &floor);
		if (c->layout.size >= LARGE_SIZE)
			case_measure(c, "memcpy", &ours, &memcpy_work);
	}
	for (i = 0; i < c->n_threads; i++) {
		struct dma_set *set = ours.args[i];
		void *src = set->src, *dst = set->dst;

		dma_set_delete(set);
		device_memory_free(TRANSPORT_LOCAL, src, c->layout.len);
		device_memory_free(TRANSPORT_LOCAL, dst, c->layout.len);
	}
}

static void case_remote(struct dma_case *c)
{
	struct work ours = {.run = dma_run}, local = {.run = dma_run};
	struct work memcpy_work = {.run = dma_run_memcpy}, readv = {.run = dma_run_readv};
	bool is_shm = c->transport == TRANSPORT_SHM;
	unsigned i;

	c->export = (struct peer_msg){
		.op = PEER_EXPORT, .kind = c->transport, .size = c->layout.len * c->n_threads};
	peer_call(c->bench->peer, &c->export);
	for (i = 0; i < c->n_threads; i++) {
		void *dst = device_memory_new(TRANSPORT_LOCAL, c->layout.len);

		ours.args[i] = readv.args[i] = set_remote_new(c, i, dst);
		dma_set_verify(ours.args[i], i * c->layout.len);
		/*
		 * The reference uses the same kind of memory and the same destination as the
		 * import.
		 */
		if (is_shm)
			local.args[i] = memcpy_work.args[i] = set_local_new(c, TRANSPORT_SHM, dst);
	}
	if (c->bench->options->is_workq)
		case_jobs(c, &ours);
	else if (is_shm)
		case_measure(c, "local", &ours, &local);
	else
		case_measure(c, "process_vm_readv", &ours, &readv);
	if (is_shm && c->layout.size >= LARGE_SIZE && !c->bench->options->is_workq)
		case_measure(c, "memcpy", &ours, &memcpy_work);
	for (i = 0; i < c->n_threads; i++) {
		struct dma_set *set = ours.args[i], *other = local.args[i];
		void *dst = set->dst;

		dma_set_delete(set);
		if (other != NULL) {
			void *src = other->src;

			dma_set_delete(other);
			device_memory_free(TRANSPORT_SHM, src, c->layout.len);
		}
		device_memory_free(TRANSPORT_LOCAL, dst, c->layout.len);
	}
	c->export.op = PEER_UNEXPORT;
	peer_call(c->bench->peer, &c->export);
}

static void case_run(struct dma_case *c, size_t size, size_t depth)
{
	unsigned is_cold;

	for (is_cold = 0; is_cold <= (size >= LARGE_SIZE); is_cold++) {
		c->layout = dma_layout_of(size, depth, is_cold);
		if (c->transport == TRANSPORT_LOCAL)
			case_local(c);
		else
			case_remote(c);
	}
}

void bench_dma(struct bench *bench)
{
	static const struct bench_list default_sizes = {{64, 4096, 64u << 10, 1u << 20}, 4};
	static const struct bench_list default_depths = {{32}, 1}, ones = {{1}, 1};
	static const struct bench_list default_transports = {{TRANSPORT_LOCAL}, 1};
	const struct bench_options *o = bench->options;
	const struct bench_list *sizes = o->sizes.n ? &o->sizes : &default_sizes;
	const struct bench_list *depths = o->depths.n ? &o->depths : &default_depths;
	const struct bench_list *threads = o->threads.n ? &o->threads : &ones;
	const struct bench_list *transports = o->transports.n ? &o->transports
							      : &default_transports;
	struct dma_case c = {.bench = bench};
	size_t i, s, d, t;

	c.dev = device_open(doca_dma_cap_task_memcpy_is_supported, "open a device with DMA");
	for (i = 0; i < transports->n; i++) {
		c.transport = (enum bench_transport)transports->values[i];
		for (s = 0; s < sizes->n; s++)
			for (d = 0; d < depths->n; d++)
				for (t = 0; t < threads->n; t++) {
					c.n_threads = (unsigned)threads->values[t];
					case_run(&c, sizes->values[s], depths->values[d]);
				}
	}
	doca_dev_close(c.dev);
}
