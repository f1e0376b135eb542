/*
 * ec: redundancy of one size of data by create tasks with depth tasks in flight, compared with
 * ISA-L on the same memory and with the same tables. A code has 8 data blocks and 4 redundancy
 * blocks; a size is that of all data blocks. Memory is hot while it fits the caches.
 */
#include <string.h>

#include <isa-l/erasure_code.h>

#include <doca_erasure_coding.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"

#define N_DATA 8u
#define N_RDNC 4u
/* Total of all sources, which stay in the second-level cache unless one source is larger. */
#define HOT_BYTES (256u << 10)

struct ec_set {
	size_t size, depth, n_sources, rdnc_len;
	uint8_t *memory, *redundancy;
	struct doca_buf **srcs, **dsts; /* depth of each */
	struct doca_pe *pe;
	struct doca_ec_matrix *matrix;
	struct doca_ec_task_create **tasks;
	uint64_t n_done, n_failed;
	uint8_t tables[32 * N_DATA * N_RDNC];
};

static void on_done(struct doca_ec_task_create *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct ec_set *s = ctx_data.ptr;

	(void)task, (void)task_data;
	s->n_done++;
}

static void on_failed(struct doca_ec_task_create *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	bench_check(doca_task_get_status(doca_ec_task_create_as_task(task)), "redundancy");
}

static void ec_run(struct bench *b, uint64_t n)
{
	struct ec_set *s = b->state;
	size_t depth = s->depth, i;
	uint64_t target = s->n_done;

	for (; n > 0; n -= depth) {
		target += depth;
		laps_mark(b->laps);
		for (i = 0; i < depth; i++) {
			doca_buf_reset_data_len(s->dsts[i]);
			s->n_failed += doca_task_submit(doca_ec_task_create_as_task(s->tasks[i])) !=
				       DOCA_SUCCESS;
		}
		while (s->n_done < target)
			doca_pe_progress(s->pe);
	}
	laps_mark(b->laps);
	if (s->n_failed > 0)
		bench_die("ec: %llu tasks failed", (unsigned long long)s->n_failed);
}

static void raw_run(struct bench *b, uint64_t n)
{
	struct ec_set *s = b->state;
	size_t depth = s->depth, len = s->size / N_DATA, i, k;
	uint8_t *in[N_DATA], *out[N_RDNC];

	for (; n > 0; n -= depth) {
		for (i = 0; i < depth; i++) {
			for (k = 0; k < N_DATA; k++)
				in[k] = s->memory + i % s->n_sources * s->size + k * len;
			for (k = 0; k < N_RDNC; k++)
				out[k] = s->redundancy + i * s->rdnc_len + k * len;
			ec_encode_data((int)len, N_DATA, N_RDNC, s->tables, in, out);
		}
	}
}

static void bufs_make(struct ec_set *s, struct doca_dev *dev)
{
	size_t rdnc_all = ALIGN_UP(s->depth * s->rdnc_len, 4096), len, i;
	struct doca_buf_inventory *inventory = device_inventory_new(2 * s->depth);
	struct doca_mmap *map, *rdnc_map;

	s->n_sources = MAX(MIN(s->depth, HOT_BYTES / s->size), 1);
	len = ALIGN_UP(s->n_sources * s->size, 4096);
	s->memory = device_memory_new(TRANSPORT_LOCAL, len);
	s->redundancy = device_memory_new(TRANSPORT_LOCAL, rdnc_all);
	for (i = 0; i < len; i++)
		s->memory[i] = (uint8_t)(i * 7 + i / 251);
	map = device_map_new(dev, s->memory, len, DEVICE_RIGHTS);
	rdnc_map = device_map_new(dev, s->redundancy, rdnc_all, DEVICE_RIGHTS);
	s->srcs = bench_alloc(s->depth, sizeof(struct doca_buf *));
	s->dsts = bench_alloc(s->depth, sizeof(struct doca_buf *));
	for (i = 0; i < s->depth; i++) {
		const uint8_t *src = s->memory + i % s->n_sources * s->size;

		s->srcs[i] = device_buf_new(inventory, map, (uintptr_t)src, s->size, true);
		s->dsts[i] = device_buf_new(inventory, rdnc_map,
					    (uintptr_t)s->redundancy + i * s->rdnc_len, s->rdnc_len,
					    false);
	}
}

static void tasks_make(struct ec_set *s, struct doca_dev *dev)
{
	union doca_data none = {.u64 = 0};
	struct doca_ec *ec;
	size_t i;

	MUST(doca_pe_create(&s->pe));
	MUST(doca_ec_create(dev, &ec));
	MUST(doca_ec_task_create_set_conf(ec, on_done, on_failed, (uint32_t)s->depth));
	device_ctx_start(doca_ec_as_ctx(ec), s->pe, s);
	MUST(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &s->matrix));
	s->tasks = bench_alloc(s->depth, sizeof(struct doca_ec_task_create *));
	for (i = 0; i < s->depth; i++)
		MUST(doca_ec_task_create_allocate_init(ec, s->matrix, s->srcs[i], s->dsts[i], none,
						       &s->tasks[i]));
}

static void tables_make(struct ec_set *s)
{
	uint8_t rows[(N_DATA + N_RDNC) * N_DATA];

	gf_gen_cauchy1_matrix(rows, N_DATA + N_RDNC, N_DATA);
	ec_init_tables(N_DATA, N_RDNC, rows + N_DATA * N_DATA, s->tables);
}

/* Checks that both methods compute the same redundancy. */
static void redundancy_verify(struct bench *b)
{
	const struct ec_set *s = b->state;
	size_t len = s->depth * s->rdnc_len;
	uint8_t *ours = bench_alloc(len, 1);

	ec_run(b, s->depth);
	memcpy(ours, s->redundancy, len);
	memset(s->redundancy, 0, len);
	raw_run(b, s->depth);
	if (memcmp(ours, s->redundancy, len) != 0)
		bench_die("ec: the redundancy differs from ISA-L's");
}

static const char *ec_setup(struct bench *b)
{
	struct doca_dev *dev = device_open(doca_ec_cap_task_create_is_supported,
					   "open a device with erasure coding");
	struct ec_set *s = b->state = bench_alloc(1, sizeof(*s));

	if (b->size % (64 * N_DATA) != 0)
		bench_die("ec: a size is a multiple of %u bytes", 64 * N_DATA);
	s->size = b->size;
	s->depth = b->depth;
	s->rdnc_len = s->size / N_DATA * N_RDNC;
	bufs_make(s, dev);
	tasks_make(s, dev);
	tables_make(s);
	redundancy_verify(b);
	return NULL;
}

static const struct bench_row rows[] = {
	{.test = "ec",
	 .variant = "8+4",
	 .transport = "local",
	 .setup = ec_setup,
	 .flags = ROW_BYTES | ROW_SIZES | ROW_DEPTHS | ROW_THREADS | ROW_LAPS | ROW_DEPTH_ONE,
	 .run = ec_run,
	 .points = {{4096, 32, 1.08}, {65536, 32, 1.03}, {1u << 20, 32, 1.03}},
	 .reference = "ISA-L",
	 .reference_run = raw_run},
};

BENCH_TABLE(bench_ec, rows);
