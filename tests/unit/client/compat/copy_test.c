/*
 * Copies as jobs: compared with a model in random order on several contexts and queues, on queues
 * in several threads, and under the rule for destinations before 2.2; also with memory of another
 * process, for which a toy transport stands in.
 */
#define DOCA_API_LIBRARY

#include <pthread.h>

#include "tests/unit/client/compat/fixture.h"

#define LEN       8192u
#define PEER_BASE UINT64_C(0x700000000000)

static uint8_t from[LEN], to[LEN], theirs[LEN];
static struct doca_mmap *map_from, *map_to;
static struct doca_buf_inventory *inventory;

static void setup(void)
{
	uint64_t seed = 11;

	for (size_t i = 0; i < LEN; i++)
		from[i] = (uint8_t)unit_random(&seed);
	map_from = unit_mmap(from, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	map_to = unit_mmap(to, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	inventory = unit_inventory(1024);
}

static void teardown(void)
{
	ck_assert_uint_eq(unit_n_free(inventory), 1024);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(map_from));
	ck_ok(doca_mmap_destroy(map_to));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

static struct doca_buf *buf_window(struct doca_mmap *mmap, uint8_t *at, size_t len, size_t used)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_args(inventory, mmap, at, len, at, used, &buf));
	return buf;
}

static void put(struct doca_buf *buf)
{
	ck_ok(doca_buf_dec_refcount(buf, NULL));
}

/* --- random use, compared with a model --- */

#define N_CTXS   3u
#define N_QUEUES 3u
#define DEPTH    5u
#define CHUNK    64u

struct expected {
	uint64_t user_data;
	doca_error_t result;
	unsigned ctx;
	struct doca_buf *src, *dst;
};

struct model_queue {
	struct doca_workq *workq;
	bool is_added[N_CTXS];
	unsigned n_of[N_CTXS];
	struct expected jobs[DEPTH];
	unsigned n_jobs;
};

struct model {
	uint64_t seed;
	struct doca_dma *dma[N_CTXS];
	bool is_started[N_CTXS];
	struct model_queue queues[N_QUEUES];
	uint64_t n_submitted, n_failed;
};

static unsigned random_below(struct model *m, unsigned n)
{
	return (unsigned)(unit_random(&m->seed) >> 33) % n;
}

static void model_submit(struct model *m, struct model_queue *q)
{
	unsigned c = random_below(m, N_CTXS);
	bool is_bad = random_below(m, 8) == 0;
	size_t n = 1 + random_below(m, CHUNK), at = random_below(m, LEN - CHUNK),
	       used = random_below(m, 16);
	size_t index = (size_t)(q - m->queues) * DEPTH + q->n_jobs;
	struct doca_buf *src = buf_window(map_from, from + at, n, n);
	/* Jobs in flight write to separate places. */
	struct doca_buf *dst = buf_window(map_to, to + random_below(m, 4) * 2048 + index * 128,
					  is_bad ? used + n - 1 : used + n, used);
	struct doca_dma_job_memcpy job = copy_job(doca_dma_as_ctx(m->dma[c]), src, dst,
						  ++m->n_submitted);
	doca_error_t wanted = !q->is_added[c] && !m->is_started[c] ? DOCA_ERROR_BAD_STATE
			      : !q->is_added[c]                    ? DOCA_ERROR_NOT_FOUND
			      : q->n_jobs == DEPTH                 ? DOCA_ERROR_NO_MEMORY
								   : DOCA_SUCCESS;

	ck_assert_int_eq(doca_workq_submit(q->workq, &job.base), wanted);
	if (wanted != DOCA_SUCCESS) {
		put(src);
		put(dst);
		return;
	}
	q->n_of[c]++;
	q->jobs[q->n_jobs++] = (struct expected){.user_data = m->n_submitted,
						 .result = is_bad ? DOCA_ERROR_IO_FAILED
								  : DOCA_SUCCESS,
						 .ctx = c,
						 .src = src,
						 .dst = dst};
}

static void model_retrieve(struct model *m, struct model_queue *q)
{
	struct expected *e = &q->jobs[0];
	struct doca_event event;
	size_t used, n;

	if (q->n_jobs == 0) {
		ck_assert_int_eq(doca_workq_progress_retrieve(q->workq, &event, 0),
				 DOCA_ERROR_AGAIN);
		return;
	}
	n = e->src->data_len;
	used = e->dst->data_len;
	retrieve(q->workq, e->result, &event);
	ck_assert_uint_eq(event.user_data.u64, e->user_data);
	ck_assert_uint_eq(event.result.u64, e->result);
	ck_assert_uint_eq(e->dst->data_len, e->result == DOCA_SUCCESS ? used + n : used);
	if (e->result == DOCA_SUCCESS)
		ck_assert_mem_eq(e->dst->data + used, e->src->data, n);
	else
		m->n_failed++;
	put(e->src);
	put(e->dst);
	q->n_of[e->ctx]--;
	q->n_jobs--;
	memmove(&q->jobs[0], &q->jobs[1], q->n_jobs * sizeof(q->jobs[0]));
}

static void model_connect(struct model *m, struct model_queue *q)
{
	unsigned c = random_below(m, N_CTXS);
	struct doca_ctx *ctx = doca_dma_as_ctx(m->dma[c]);

	if (!m->is_started[c]) {
		ck_fails(doca_ctx_workq_add(ctx, q->workq), DOCA_ERROR_BAD_STATE);
	} else if (!q->is_added[c]) {
		ck_ok(doca_ctx_workq_add(ctx, q->workq));
		q->is_added[c] = true;
	} else if (q->n_of[c] > 0) {
		ck_fails(doca_ctx_workq_rm(ctx, q->workq), DOCA_ERROR_IN_USE);
	} else {
		ck_ok(doca_ctx_workq_rm(ctx, q->workq));
		q->is_added[c] = false;
	}
}

static void model_start_stop(struct model *m)
{
	unsigned c = random_below(m, N_CTXS), n_added = 0;
	struct doca_ctx *ctx = doca_dma_as_ctx(m->dma[c]);

	for (unsigned i = 0; i < N_QUEUES; i++)
		n_added += m->queues[i].is_added[c];
	if (!m->is_started[c]) {
		ck_ok(compat_ctx_start(ctx));
		m->is_started[c] = true;
	} else if (n_added > 0) {
		ck_fails(compat_ctx_stop(ctx), DOCA_ERROR_NOT_PERMITTED);
	} else {
		ck_ok(compat_ctx_stop(ctx));
		m->is_started[c] = false;
	}
}

static void model_end(struct model *m)
{
	for (unsigned i = 0; i < N_QUEUES; i++) {
		struct model_queue *q = &m->queues[i];

		while (q->n_jobs > 0)
			model_retrieve(m, q);
		for (unsigned c = 0; c < N_CTXS; c++) {
			if (q->is_added[c])
				ck_ok(doca_ctx_workq_rm(doca_dma_as_ctx(m->dma[c]), q->workq));
		}
		ck_ok(doca_workq_destroy(q->workq));
	}
	for (unsigned c = 0; c < N_CTXS; c++) {
		ck_ok(compat_ctx_stop(doca_dma_as_ctx(m->dma[c])));
		ck_ok(doca_dma_destroy(m->dma[c]));
	}
}

START_TEST(random_use_follows_the_model)
{
	struct model m = {.seed = 0x9e3779b9 + (uint64_t)_i};

	for (unsigned c = 0; c < N_CTXS; c++) {
		legacy_new(&m.dma[c]);
		m.is_started[c] = true;
	}
	for (unsigned i = 0; i < N_QUEUES; i++)
		m.queues[i].workq = queue_new(DEPTH, API_2_2);
	for (unsigned i = 0; i < UNIT_N(20000); i++) {
		struct model_queue *q = &m.queues[random_below(&m, N_QUEUES)];
		unsigned what = random_below(&m, 64);

		if (what < 30)
			model_submit(&m, q);
		else if (what < 60)
			model_retrieve(&m, q);
		else if (what < 63)
			model_connect(&m, q);
		else
			model_start_stop(&m);
	}
	ck_assert_uint_gt(m.n_submitted, 500);
	ck_assert_uint_gt(m.n_failed, 20);
	model_end(&m);
}
END_TEST

START_TEST(a_queue_finds_all_its_contexts)
{
	struct doca_dma **dma = calloc(WORKQ_MAX_CTXS + 1, sizeof(struct doca_dma *));
	struct doca_workq *workq = queue_new(1, API_2_2);
	struct doca_buf *src = buf_window(map_from, from, 8, 8),
			*dst = buf_window(map_to, to, LEN, 0);
	uint64_t seed = 3;
	struct doca_event event;
	unsigned n;

	ck_assert_ptr_nonnull(dma);
	for (n = 0; n <= WORKQ_MAX_CTXS; n++) {
		legacy_new(&dma[n]);
		if (n < WORKQ_MAX_CTXS)
			ck_ok(doca_ctx_workq_add(doca_dma_as_ctx(dma[n]), workq));
	}
	ck_fails(doca_ctx_workq_add(doca_dma_as_ctx(dma[n - 1]), workq), DOCA_ERROR_NO_MEMORY);
	legacy_delete(dma[--n]);
	/* Removes them one by one in any order; the others can still be found. */
	while (n > 0) {
		unsigned i = (unsigned)(unit_random(&seed) >> 33) % n;
		unsigned k = (unsigned)(unit_random(&seed) >> 33) % n;
		struct doca_dma_job_memcpy job = copy_job(doca_dma_as_ctx(dma[k]), src, dst, k);

		ck_ok(doca_buf_reset_data_len(dst));
		ck_ok(doca_workq_submit(workq, &job.base));
		retrieve(workq, DOCA_SUCCESS, &event);
		ck_assert_uint_eq(event.user_data.u64, k);
		job = copy_job(doca_dma_as_ctx(dma[i]), src, dst, i);
		ck_ok(doca_ctx_workq_rm(job.base.ctx, workq));
		ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_NOT_FOUND);
		legacy_delete(dma[i]);
		dma[i] = dma[--n];
	}
	ck_ok(doca_workq_destroy(workq));
	put(src);
	put(dst);
	free(dma);
}
END_TEST

/* The sentences use the terms of 2.2, and mention copies that did not append up to 2.1. */
START_TEST(sentences_of_2_2)
{
	struct doca_buf *src = buf_window(map_from, from, LEN, LEN),
			*dst = buf_window(map_to, to, 100, 60);
	struct doca_workq *workq = queue_new(1, API_2_2);
	uint64_t max_buf_size = unit_info.caps.dma_max_buf_size;
	struct doca_dma_job_memcpy job;
	struct doca_event event;
	struct doca_dma *dma;

	legacy_new(&dma);
	ck_ok(doca_ctx_workq_add(doca_dma_as_ctx(dma), workq));
	job = copy_job(doca_dma_as_ctx(dma), src, dst, 1);
	ck_ok(doca_workq_submit(workq, &job.base));
	retrieve(workq, DOCA_ERROR_IO_FAILED, &event);
	ck_says("does not fit behind the destination's data; doca_buf_reset_data_len makes room");
	ck_says("up to 2.1 copies overwrote that data");
	ck_says("doca-admin env --api 2.0");
	ck_says("(8192 bytes, room for 40)");
	ck_ok(doca_ctx_workq_rm(doca_dma_as_ctx(dma), workq));
	put(dst);

	unit_info.caps.dma_max_buf_size = LEN - 1;
	ck_ok(doca_ctx_workq_add(doca_dma_as_ctx(dma), workq));
	dst = buf_window(map_to, to, LEN, 0);
	job = copy_job(doca_dma_as_ctx(dma), src, dst, 2);
	ck_ok(doca_workq_submit(workq, &job.base));
	retrieve(workq, DOCA_ERROR_IO_FAILED, &event);
	ck_says("more bytes than the device copies in a job; see doca_dma_get_max_buf_size");
	ck_ok(doca_ctx_workq_rm(doca_dma_as_ctx(dma), workq));
	unit_info.caps.dma_max_buf_size = max_buf_size;
	legacy_delete(dma);
	ck_ok(doca_workq_destroy(workq));
	put(src);
	put(dst);
}
END_TEST

/* --- several threads --- */

#define N_THREADS 4u
#define N_ROUNDS  UNIT_N(4000)

struct worker {
	pthread_t thread;
	struct doca_ctx *ctx;
	struct doca_buf *src[DEPTH], *dst[DEPTH];
};

/* Check's macros are for the main thread, so a failing worker ends the program. */
#define must(condition)           \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static void worker_round(struct worker *w, struct doca_workq *workq)
{
	struct doca_event event;

	for (unsigned i = 0; i < DEPTH; i++) {
		struct doca_dma_job_memcpy job = copy_job(w->ctx, w->src[i], w->dst[i], i);

		w->dst[i]->data_len = 0;
		must(doca_workq_submit(workq, &job.base) == DOCA_SUCCESS);
	}
	for (unsigned i = 0; i < DEPTH; i++) {
		must(doca_workq_progress_retrieve(workq, &event, 0) == DOCA_SUCCESS);
		must(event.user_data.u64 == i);
		must(memcmp(w->dst[i]->data, w->src[i]->data, CHUNK) == 0);
	}
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct doca_workq *workq;
	uint8_t is_on;

	for (unsigned i = 0; i < N_ROUNDS / 64 + 1; i++) {
		must(compat_workq_create(DEPTH, API_2_2, &workq) == DOCA_SUCCESS);
		must(doca_ctx_workq_add(w->ctx, workq) == DOCA_SUCCESS);
		for (unsigned k = 0; k < 64; k++)
			worker_round(w, workq);
		must(doca_ctx_get_event_driven_supported(w->ctx, &is_on) == DOCA_SUCCESS);
		must(doca_ctx_workq_rm(w->ctx, workq) == DOCA_SUCCESS);
		must(doca_workq_destroy(workq) == DOCA_SUCCESS);
	}
	return NULL;
}

struct starter {
	pthread_t thread;
	struct doca_ctx *ctx;
	_Atomic bool is_over;
};

static void *restart_loop(void *arg)
{
	struct starter *s = arg;

	while (!atomic_load(&s->is_over)) {
		must(compat_ctx_stop(s->ctx) == DOCA_SUCCESS);
		must(compat_ctx_start(s->ctx) == DOCA_SUCCESS);
	}
	return NULL;
}

/*
 * Functions of contexts may be called on any thread, so a job may name a context that another
 * thread starts.
 */
START_TEST(a_job_may_name_a_context_that_another_thread_starts)
{
	struct starter starter = {.is_over = false};
	struct doca_dma *dma, *other;
	struct doca_ctx *ctx = legacy_new(&dma);
	struct doca_workq *workq = queue_new(DEPTH, API_2_2);
	struct doca_dma_job_memcpy job;
	doca_error_t result;

	ck_ok(doca_ctx_workq_add(ctx, workq));
	starter.ctx = legacy_new(&other);
	job = copy_job(starter.ctx, NULL, NULL, 0);
	ck_assert_int_eq(pthread_create(&starter.thread, NULL, restart_loop, &starter), 0);
	for (unsigned i = 0; i < N_ROUNDS; i++) {
		result = doca_workq_submit(workq, &job.base);
		ck_assert(result == DOCA_ERROR_NOT_FOUND || result == DOCA_ERROR_BAD_STATE);
	}
	atomic_store(&starter.is_over, true);
	ck_assert_int_eq(pthread_join(starter.thread, NULL), 0);
	legacy_delete(other);
	ck_ok(doca_ctx_workq_rm(ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	legacy_delete(dma);
}
END_TEST

START_TEST(queues_of_one_context_run_in_threads)
{
	struct worker workers[N_THREADS];
	struct doca_dma *dma;
	struct doca_ctx *ctx = legacy_new(&dma);

	for (unsigned t = 0; t < N_THREADS; t++) {
		workers[t].ctx = ctx;
		for (unsigned i = 0; i < DEPTH; i++) {
			size_t at = (size_t)(t * DEPTH + i) * CHUNK;

			workers[t].src[i] = buf_window(map_from, from + at, CHUNK, CHUNK);
			workers[t].dst[i] = buf_window(map_to, to + at, CHUNK, 0);
		}
	}
	for (unsigned t = 0; t < N_THREADS; t++)
		ck_assert_int_eq(pthread_create(&workers[t].thread, NULL, worker_run, &workers[t]),
				 0);
	for (unsigned t = 0; t < N_THREADS; t++) {
		ck_assert_int_eq(pthread_join(workers[t].thread, NULL), 0);
		for (unsigned i = 0; i < DEPTH; i++) {
			put(workers[t].src[i]);
			put(workers[t].dst[i]);
		}
	}
	legacy_delete(dma);
}
END_TEST

/* --- destinations before 2.2 --- */

static struct doca_dma *old_dma;
static struct doca_ctx *old_ctx;
static struct doca_workq *old_workq;

static void old_setup(void)
{
	setup();
	old_ctx = legacy_new(&old_dma);
	old_workq = queue_new(16, API_1_5);
	ck_ok(doca_ctx_workq_add(old_ctx, old_workq));
	memset(to, 0, LEN);
}

static void old_teardown(void)
{
	ck_ok(doca_ctx_workq_rm(old_ctx, old_workq));
	ck_ok(doca_workq_destroy(old_workq));
	legacy_delete(old_dma);
	teardown();
}

static void old_copy(const struct doca_buf *src, struct doca_buf *dst, doca_error_t wanted)
{
	struct doca_dma_job_memcpy job = copy_job(old_ctx, src, dst, 1);
	struct doca_event event;

	ck_ok(doca_workq_submit(old_workq, &job.base));
	retrieve(old_workq, wanted, &event);
}

START_TEST(old_copies_overwrite)
{
	struct doca_buf *src = buf_window(map_from, from, 100, 100);
	struct doca_buf *dst = buf_window(map_to, to, 100, 60);

	for (int i = 0; i < 3; i++) {
		from[0] = (uint8_t)i;
		old_copy(src, dst, DOCA_SUCCESS);
		ck_assert_mem_eq(to, from, 100);
		ck_assert_uint_eq(dst->data_len, 100);
	}
	put(src);
	put(dst);
}
END_TEST

START_TEST(old_copies_need_room_from_the_data_on)
{
	struct doca_buf *src = buf_window(map_from, from, 100, 100);
	struct doca_buf *dst = buf_window(map_to, to, 64, 10);

	old_copy(src, dst, DOCA_ERROR_IO_FAILED);
	ck_says("dma memcpy: the data does not fit into the destination from the start of its "
		"data section (100 bytes, room for 64)");
	put(src);
	put(dst);
}
END_TEST

START_TEST(old_lists_are_filled_from_their_beginning)
{
	struct doca_buf *src = buf_window(map_from, from, 100, 100);
	struct doca_buf *dst = buf_window(map_to, to, 64, 64),
			*rest = buf_window(map_to, to + 64, 64, 10);

	ck_ok(doca_buf_chain_list(dst, rest));
	for (int i = 0; i < 2; i++) {
		old_copy(src, dst, DOCA_SUCCESS);
		ck_assert_mem_eq(to, from, 100);
		ck_assert_uint_eq(dst->data_len, 64);
		ck_assert_uint_eq(rest->data_len, 36);
	}
	old_copy(dst, dst, DOCA_ERROR_IO_FAILED);
	ck_says("same list");
	/* A copy onto its own end is refused, too, with nothing lost. */
	old_copy(dst, rest, DOCA_ERROR_IO_FAILED);
	ck_says("in the source and in the destination");
	ck_assert_uint_eq(rest->data_len, 36);
	put(src);
	put(dst);
}
END_TEST

START_TEST(old_copies_onto_themselves_keep_the_data)
{
	struct doca_buf *buf = buf_window(map_from, from, 100, 100);
	uint8_t before[100];

	memcpy(before, from, 100);
	old_copy(buf, buf, DOCA_SUCCESS);
	ck_assert_mem_eq(from, before, 100);
	ck_assert_uint_eq(buf->data_len, 100);
	put(buf);
}
END_TEST

START_TEST(old_copies_that_do_not_fit_fail)
{
	struct doca_buf *src = buf_window(map_from, from, 101, 101);
	struct doca_buf *dst = buf_window(map_to, to, 100, 0);

	old_copy(src, dst, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(to[0], 0);
	put(src);
	put(dst);
}
END_TEST

/* --- lengths before 1.5 --- */

/* The job struct as a program of that version has it. */
struct job_1_3 {
	struct doca_dma_job_memcpy job;
	uint64_t num_bytes_to_copy;
};

START_TEST(the_first_jobs_have_a_length_of_their_own)
{
	static const uint64_t lens[] = {1, 100, 30, 64};
	struct doca_workq *workq = queue_new(4, API_1_3);
	struct doca_buf *src = buf_window(map_from, from, 100, 0), *dst[4];
	struct doca_event event;

	ck_ok(doca_ctx_workq_add(old_ctx, workq));
	for (unsigned i = 0; i < 4; i++)
		dst[i] = buf_window(map_to, to + i * 128, 128, 128);
	for (int round = 0; round < 2; round++) {
		memset(to, 0, LEN);
		/* Copies of one source, in flight at the same time. */
		for (unsigned i = 0; i < 4; i++) {
			struct job_1_3 job = {copy_job(old_ctx, src, dst[i], i), lens[i]};

			ck_ok(compat_workq_submit_1_3(workq, &job.job.base));
		}
		for (unsigned i = 0; i < 4; i++) {
			retrieve(workq, DOCA_SUCCESS, &event);
			ck_assert_uint_eq(event.user_data.u64, i);
			ck_assert_mem_eq(to + i * 128, from, lens[i]);
			ck_assert_uint_eq(to[i * 128 + lens[i]], 0);
		}
	}
	ck_ok(doca_ctx_workq_rm(old_ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	for (unsigned i = 0; i < 4; i++)
		put(dst[i]);
	put(src);
}
END_TEST

START_TEST(the_first_jobs_are_refused_beyond_their_buffers)
{
	static const uint64_t bad[] = {0, 101, 129, UINT64_MAX};
	struct doca_workq *workq = queue_new(4, API_1_3);
	struct doca_buf *small = buf_window(map_from, from, 100, 100), *src;
	struct doca_buf *dst = buf_window(map_to, to, 64, 0),
			*rest = buf_window(map_to, to + 64, 64, 3);
	struct job_1_3 job = {copy_job(old_ctx, small, dst, 0), 0};
	struct doca_event event;

	ck_ok(doca_ctx_workq_add(old_ctx, workq));
	ck_ok(doca_buf_chain_list(dst, rest));
	for (int i = 0; i < 4; i++) {
		job.num_bytes_to_copy = bad[i];
		ck_fails(compat_workq_submit_1_3(workq, &job.job.base), DOCA_ERROR_INVALID_VALUE);
		ck_says("num_bytes_to_copy");
	}
	ck_fails(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
	job.num_bytes_to_copy = 100;
	ck_ok(compat_workq_submit_1_3(workq, &job.job.base));
	retrieve(workq, DOCA_SUCCESS, &event);
	ck_assert_mem_eq(to, from, 100);
	ck_assert_uint_eq(to[100], 0);
	/* A list as the source. */
	src = dst;
	dst = buf_window(map_to, to + 1024, 128, 0);
	job.job.src_buff = src;
	job.job.dst_buff = dst;
	job.num_bytes_to_copy = 90;
	ck_ok(compat_workq_submit_1_3(workq, &job.job.base));
	retrieve(workq, DOCA_SUCCESS, &event);
	ck_assert_mem_eq(to + 1024, from, 90);
	ck_assert_uint_eq(to[1024 + 90], 0);
	ck_ok(doca_ctx_workq_rm(old_ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	put(src);
	put(dst);
	put(small);
}
END_TEST

/*
 * Programs of 1.3 and 1.5 may share a queue. The submitting program determines how a job is
 * interpreted, not the creator of the queue.
 */
START_TEST(first_and_later_jobs_share_a_queue)
{
	static const uint16_t versions[] = {API_1_3, API_1_5};
	struct doca_buf *src = buf_window(map_from, from, 100, 40),
			*dst = buf_window(map_to, to, 100, 0);
	struct job_1_3 first = {.job = copy_job(old_ctx, src, dst, 0), .num_bytes_to_copy = 90};
	/* Not one byte longer, so that a read beyond it is detected. */
	struct doca_dma_job_memcpy *later = malloc(sizeof(*later));
	struct doca_event event;

	ck_assert_ptr_nonnull(later);
	*later = first.job;
	for (int i = 0; i < 2; i++) {
		struct doca_workq *workq = queue_new(2, versions[i]);

		ck_ok(doca_ctx_workq_add(old_ctx, workq));
		memset(to, 0, 100);
		ck_ok(doca_workq_submit(workq, &later->base));
		retrieve(workq, DOCA_SUCCESS, &event);
		ck_assert_mem_eq(to, from, 40);
		ck_assert_uint_eq(to[40], 0);
		ck_assert_uint_eq(dst->data_len, 40);
		ck_ok(compat_workq_submit_1_3(workq, &first.job.base));
		retrieve(workq, DOCA_SUCCESS, &event);
		ck_assert_mem_eq(to, from, 90);
		ck_assert_uint_eq(to[90], 0);
		ck_ok(doca_ctx_workq_rm(old_ctx, workq));
		ck_ok(doca_workq_destroy(workq));
	}
	free(later);
	put(src);
	put(dst);
}
END_TEST

START_TEST(first_jobs_are_refused_by_queues_of_2_2)
{
	struct doca_workq *workq = queue_new(2, API_2_2);
	struct doca_buf *src = buf_window(map_from, from, 100, 0),
			*dst = buf_window(map_to, to, 100, 0);
	struct job_1_3 job = {.job = copy_job(old_ctx, src, dst, 0), .num_bytes_to_copy = 90};
	struct doca_event event;

	ck_ok(doca_ctx_workq_add(old_ctx, workq));
	ck_fails(compat_workq_submit_1_3(workq, &job.job.base), DOCA_ERROR_BAD_STATE);
	ck_says("2.2");
	ck_fails(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
	ck_ok(doca_ctx_workq_rm(old_ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	put(src);
	put(dst);
}
END_TEST

/* --- the same with another process --- */

static struct {
	unsigned n_calls;
	size_t cut; /* maximum bytes of the next call; 0: unlimited */
} toy_peer;

static ssize_t peer_readv(struct transport_region *region, const struct iovec *local,
			  size_t n_local, const struct iovec *remote, size_t n_remote)
{
	size_t done = 0, at = 0, max = toy_peer.cut > 0 ? toy_peer.cut : SIZE_MAX;

	(void)region;
	(void)n_local;
	toy_peer.n_calls++;
	toy_peer.cut = 0;
	for (size_t i = 0; i < n_remote; i++) {
		const uint8_t *base = theirs + ((uintptr_t)remote[i].iov_base - PEER_BASE);

		for (size_t k = 0; k < remote[i].iov_len && done < max; k++, done++) {
			while (at == local->iov_len) {
				local++;
				at = 0;
			}
			((uint8_t *)local->iov_base)[at++] = base[k];
		}
	}
	return (ssize_t)done;
}

static ssize_t peer_writev(struct transport_region *region, const struct iovec *local,
			   size_t n_local, const struct iovec *remote, size_t n_remote)
{
	uint8_t *to_peer;
	size_t done = 0;

	(void)region;
	toy_peer.n_calls++;
	/* One range of the peer; the jobs write adjacent memory. */
	must(n_remote == 1);
	to_peer = theirs + ((uintptr_t)remote->iov_base - PEER_BASE);
	for (size_t i = 0; i < n_local; i++) {
		memcpy(to_peer + done, local[i].iov_base, local[i].iov_len);
		done += local[i].iov_len;
	}
	return (ssize_t)done;
}

static const struct transport_ops peer_ops = {
	.name = "toy",
	.open = transport_open_unsupported,
	.close = transport_close_nothing,
	.readv = peer_readv,
	.writev = peer_writev,
};
static const struct transport_region peer_region = {.ops = &peer_ops, .pid = 4711, .pidfd = -1};

/* Each job reads CHUNK bytes of the peer from i * CHUNK to where[i] * CHUNK. */
static void old_batch(struct doca_mmap *peer, const unsigned *where, unsigned n, bool shares)
{
	struct doca_buf *src[16], *dst[16];
	struct doca_event event;
	uint8_t wanted[LEN];

	memcpy(wanted, to, LEN);
	for (unsigned i = 0; i < n; i++) {
		struct doca_dma_job_memcpy job;
		unsigned k = 0;

		src[i] = buf_window(peer, (uint8_t *)PEER_BASE + i * CHUNK, CHUNK, CHUNK);
		/* A shared place is one buffer. */
		while (shares && where[k] != where[i])
			k++;
		dst[i] = shares && k < i ? dst[k]
					 : buf_window(map_to, to + where[i] * CHUNK, CHUNK,
						      (size_t)where[i] * 7 % CHUNK);
		job = copy_job(old_ctx, src[i], dst[i], i);
		ck_ok(doca_workq_submit(old_workq, &job.base));
		memcpy(wanted + where[i] * CHUNK, theirs + i * CHUNK, CHUNK);
	}
	for (unsigned i = 0; i < n; i++) {
		retrieve(old_workq, DOCA_SUCCESS, &event);
		ck_assert_uint_eq(event.user_data.u64, i);
	}
	ck_assert_mem_eq(to, wanted, LEN);
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;

		put(src[i]);
		while (shares && where[k] != where[i])
			k++;
		if (!shares || k == i) {
			ck_assert_uint_eq(dst[i]->data_len, CHUNK);
			put(dst[i]);
		}
	}
}

START_TEST(old_copies_from_a_peer_overwrite_together)
{
	static const unsigned apart[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	static const unsigned mixed[16] = {0, 1, 0, 2, 2, 3, 1, 0, 4, 4, 4, 5, 0, 6, 6, 2};
	struct doca_mmap *peer = unit_import(PEER_BASE, LEN, true, true, &peer_region);

	for (unsigned round = 0; round < 8; round++) {
		for (size_t i = 0; i < LEN; i++)
			theirs[i] = (uint8_t)(i * 13 + round);
		toy_peer.n_calls = 0;
		old_batch(peer, apart, 16, false);
		ck_assert_uint_eq(toy_peer.n_calls, 1);
		for (size_t i = 0; i < LEN; i++)
			theirs[i] = (uint8_t)(i * 11 + round);
		/* If a call ends early, the rest runs in a later call. */
		toy_peer.cut = round * 100;
		old_batch(peer, mixed, 16, true);
	}
	ck_ok(doca_mmap_destroy(peer));
}
END_TEST

/* The next job in the queue is examined for the batch, and left unchanged if it does not fit. */
START_TEST(old_copies_in_and_out_share_a_buffer)
{
	struct doca_mmap *peer = unit_import(PEER_BASE, LEN, true, true, &peer_region);
	struct doca_buf *ours[2], *out[2], *in;
	struct doca_event event;

	memset(theirs, 0x77, LEN);
	in = buf_window(peer, (uint8_t *)PEER_BASE + 1024, CHUNK, CHUNK);
	for (unsigned i = 0; i < 2; i++) {
		struct doca_dma_job_memcpy job;

		ours[i] = buf_window(map_from, from + i * CHUNK, CHUNK, CHUNK);
		out[i] = buf_window(peer, (uint8_t *)PEER_BASE + i * CHUNK, CHUNK, 0);
		memset(from + i * CHUNK, (int)i + 1, CHUNK);
		job = copy_job(old_ctx, ours[i], out[i], i);
		ck_ok(doca_workq_submit(old_workq, &job.base));
	}
	{
		struct doca_dma_job_memcpy job = copy_job(old_ctx, in, ours[0], 2);

		ck_ok(doca_workq_submit(old_workq, &job.base));
	}
	toy_peer.n_calls = 0;
	for (unsigned i = 0; i < 3; i++)
		retrieve(old_workq, DOCA_SUCCESS, &event);
	ck_assert_uint_eq(toy_peer.n_calls, 2);
	for (unsigned i = 0; i < CHUNK; i++) {
		ck_assert_uint_eq(theirs[i], 1);
		ck_assert_uint_eq(theirs[CHUNK + i], 2);
		ck_assert_uint_eq(from[i], 0x77);
	}
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(out[i]->data_len, CHUNK);
		ck_assert_uint_eq(ours[i]->data_len, CHUNK);
		put(ours[i]);
		put(out[i]);
	}
	put(in);
	ck_ok(doca_mmap_destroy(peer));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compat/copy");
	TCase *tcase = unit_case(suite, "model", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, random_use_follows_the_model, 0, 6);
	tcase_add_test(tcase, a_queue_finds_all_its_contexts);
	tcase_add_test(tcase, sentences_of_2_2);
	tcase_add_test(tcase, queues_of_one_context_run_in_threads);
	tcase_add_test(tcase, a_job_may_name_a_context_that_another_thread_starts);
	tcase = unit_case(suite, "before 2.2", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, old_setup, old_teardown);
	tcase_add_test(tcase, old_copies_overwrite);
	tcase_add_test(tcase, old_copies_need_room_from_the_data_on);
	tcase_add_test(tcase, old_lists_are_filled_from_their_beginning);
	tcase_add_test(tcase, old_copies_onto_themselves_keep_the_data);
	tcase_add_test(tcase, old_copies_that_do_not_fit_fail);
	tcase_add_test(tcase, the_first_jobs_have_a_length_of_their_own);
	tcase_add_test(tcase, the_first_jobs_are_refused_beyond_their_buffers);
	tcase_add_test(tcase, first_and_later_jobs_share_a_queue);
	tcase_add_test(tcase, first_jobs_are_refused_by_queues_of_2_2);
	tcase_add_test(tcase, old_copies_from_a_peer_overwrite_together);
	tcase_add_test(tcase, old_copies_in_and_out_share_a_buffer);
	return unit_run(suite);
}
