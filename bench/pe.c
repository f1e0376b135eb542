/*
 * pe: doca_pe_progress() without work and with depth connected contexts, compared with one empty
 * call through a pointer for each context. The contexts are DMA engines, and comch servers (on the
 * DPU side) or clients (on the host side) with one silent connection each.
 */
#include <doca_dma.h>

#include "bench/base/device.h"
#include "bench/comch/end.h"

#define MSG_LEN 64u
#define QUEUE   16u

struct pe_set {
	struct doca_pe *pe;
	void (**calls)(void *);
};

static void pe_run(struct bench *b, uint64_t n)
{
	const struct pe_set *s = b->state;
	uint64_t n_moved = 0;

	for (; n > 0; n--)
		n_moved += doca_pe_progress(s->pe);
	if (n_moved > 0)
		bench_die("pe: %llu calls found something to do, which none should",
			  (unsigned long long)n_moved);
}

static void nothing(void *arg)
{
	(void)arg;
}

static void calls_run(struct bench *b, uint64_t n)
{
	struct pe_set *s = b->state;
	size_t i;

	for (; n > 0; n--) {
		for (i = 0; i < b->depth; i++)
			s->calls[i](s);
	}
}

static void on_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task, (void)task_data, (void)ctx_data;
}

static struct pe_set *pe_set_new(struct bench *b)
{
	struct pe_set *s = b->state = bench_alloc(1, sizeof(*s));
	size_t i;

	s->calls = bench_alloc(b->depth, sizeof(*s->calls));
	for (i = 0; i < b->depth; i++)
		s->calls[i] = nothing;
	MUST(doca_pe_create(&s->pe));
	return s;
}

static const char *dmas_setup(struct bench *b)
{
	struct doca_dev *dev = device_open(doca_dma_cap_task_memcpy_is_supported, "open a device");
	struct pe_set *s = pe_set_new(b);
	struct doca_dma *dma;
	size_t i;

	for (i = 0; i < b->depth; i++) {
		MUST(doca_dma_create(dev, &dma));
		MUST(doca_dma_task_memcpy_set_conf(dma, on_copied, on_copied, 1));
		device_ctx_start(doca_dma_as_ctx(dma), s->pe, NULL);
	}
	return NULL;
}

static const char *comch_setup(struct bench *b)
{
	struct comch_spec spec = {.n_servers = b->depth,
				  .n_clients = b->depth,
				  .max_msg = MSG_LEN,
				  .queue = QUEUE,
				  .n_tasks = 1};
	struct pe_set *s = pe_set_new(b);
	int i;

	spec.pe = s->pe;
	comch_open(b, &spec);
	/* Completes work that the connection set-up left. */
	for (i = 0; i < 1000; i++)
		doca_pe_progress(s->pe);
	return NULL;
}

#define PE(name, more, ready)                                                                    \
	{                                                                                        \
		.test = "pe", .variant = name, .transport = "local", .reference = "empty calls", \
		.flags = ROW_DEPTHS | (more), .multiple = 1, .points = {{0, 1, 10}, {0, 8, 10}}, \
		.setup = ready, .run = pe_run, .reference_run = calls_run                        \
	}

static const struct bench_row rows[] = {
	PE("dma", ROW_THREADS, dmas_setup),
	PE("clients", ROW_PEER | ROW_OPTIONAL | ROW_ON_HOST, comch_setup),
	PE("servers", ROW_PEER | ROW_OPTIONAL | ROW_ON_DPU, comch_setup),
};

BENCH_TABLE(bench_pe, rows);
