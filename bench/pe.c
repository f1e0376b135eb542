/*
 * pe: doca_pe_progress() without work and with depth connected contexts, compared with one empty
 * call through a pointer for each context. The contexts are DMA engines, and comch servers (on the
 * DPU side) or clients (on the host side) with one silent connection each.
 */
#include <stdlib.h>

#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/report.h"
#include "bench/comch/link.h"

#define MSG_LEN 64u
#define QUEUE   16u

struct pe_set {
	struct doca_pe *pe;
	struct doca_dma **dmas;
	size_t n;
	void (**calls)(void *);
	uint64_t n_moved;
};

static void pe_run(void *arg, uint64_t n)
{
	struct pe_set *s = arg;
	uint64_t n_moved = 0;

	for (; n > 0; n--)
		n_moved += doca_pe_progress(s->pe);
	s->n_moved += n_moved;
}

static void nothing(void *arg)
{
	(void)arg;
}

static void calls_run(void *arg, uint64_t n)
{
	struct pe_set *s = arg;
	size_t i;

	for (; n > 0; n--) {
		for (i = 0; i < s->n; i++)
			s->calls[i](s);
	}
}

static void on_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static struct pe_set *pe_set_new(size_t n)
{
	struct pe_set *s = bench_alloc(1, sizeof(*s));
	size_t i;

	s->n = n;
	s->calls = bench_alloc(n, sizeof(*s->calls));
	for (i = 0; i < n; i++)
		s->calls[i] = nothing;
	bench_check(doca_pe_create(&s->pe), "create a progress engine");
	return s;
}

static void pe_set_delete(struct pe_set *s)
{
	if (s->n_moved > 0)
		bench_die("pe: %llu calls found something to do, which none should",
			  (unsigned long long)s->n_moved);
	bench_check(doca_pe_destroy(s->pe), "destroy the progress engine");
	free(s->calls);
	free(s);
}

static void dmas_open(struct pe_set *s, struct doca_dev *dev)
{
	size_t i;

	s->dmas = bench_alloc(s->n, sizeof(struct doca_dma *));
	for (i = 0; i < s->n; i++) {
		struct doca_ctx *ctx;

		bench_check(doca_dma_create(dev, &s->dmas[i]), "create a DMA engine");
		ctx = doca_dma_as_ctx(s->dmas[i]);
		bench_check(doca_pe_connect_ctx(s->pe, ctx), "connect the DMA engine");
		bench_check(doca_dma_task_memcpy_set_conf(s->dmas[i], on_copied, on_copied, 1),
			    "configure the tasks");
		bench_check(doca_ctx_start(ctx), "start the DMA engine");
	}
}

static void dmas_close(struct pe_set *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		doca_ctx_stop(doca_dma_as_ctx(s->dmas[i]));
		bench_check(doca_dma_destroy(s->dmas[i]), "destroy a DMA engine");
	}
	free(s->dmas);
}

static void pe_measure(struct bench *bench, const char *variant, struct pe_set **sets,
		       unsigned n_threads)
{
	struct measure_plan plan = report_plan(bench, 1, n_threads);
	struct work ours = {.run = pe_run}, reference = {.run = calls_run};
	struct report_row row = {.test = "pe",
				 .variant = variant,
				 .transport = "local",
				 .depth = sets[0]->n,
				 .n_threads = n_threads,
				 .reference = "empty calls"};
	unsigned i;

	for (i = 0; i < n_threads; i++)
		ours.args[i] = reference.args[i] = sets[i];
	report_measure(bench->report, &row, &plan, &ours, &reference);
}

static void pe_dma(struct bench *bench, struct doca_dev *dev, size_t n, unsigned n_threads)
{
	struct pe_set *sets[MEASURE_MAX_THREADS];
	unsigned i;

	for (i = 0; i < n_threads; i++) {
		sets[i] = pe_set_new(n);
		dmas_open(sets[i], dev);
	}
	pe_measure(bench, "dma", sets, n_threads);
	for (i = 0; i < n_threads; i++) {
		dmas_close(sets[i]);
		pe_set_delete(sets[i]);
	}
}

static void pe_comch(struct bench *bench, size_t n)
{
	struct pe_set *set = pe_set_new(n);
	struct comch_end *end = comch_link_open(bench, n, MSG_LEN, QUEUE, 1, set->pe);
	const char *variant = bench->side == SIDE_DPU ? "servers" : "clients";
	int i;

	/* Completes work that the connection set-up left. */
	for (i = 0; i < 1000; i++)
		doca_pe_progress(set->pe);
	pe_measure(bench, variant, &set, 1);
	comch_link_close(bench, end);
	pe_set_delete(set);
}

void bench_pe(struct bench *bench)
{
	static const struct bench_list default_counts = {{1, 8}, 2}, ones = {{1}, 1};
	const struct bench_options *o = bench->options;
	const struct bench_list *counts = o->depths.n ? &o->depths : &default_counts;
	const struct bench_list *threads = o->threads.n ? &o->threads : &ones;
	struct doca_dev *dev = device_open(doca_dma_cap_task_memcpy_is_supported, "open a device");
	size_t i, t;

	for (i = 0; i < counts->n; i++) {
		for (t = 0; t < threads->n; t++)
			pe_dma(bench, dev, counts->values[i], (unsigned)threads->values[t]);
	}
	doca_dev_close(dev);
	if (bench->peer == NULL) {
		report_note(bench->report, "pe: comch contexts are left out, the other side's "
					   "daemon is not there");
		return;
	}
	for (i = 0; i < counts->n; i++)
		pe_comch(bench, counts->values[i]);
}
