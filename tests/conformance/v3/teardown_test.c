/*
 * Programs end their objects in any order and ignore the results. Tries every order of ending a
 * copying program: a call either ends its object or refuses with a code and a sentence, never
 * leaves another object with freed memory, and refused calls succeed later.
 * A buffer that a submitted task has may be released, and its inventory and its map ended, before
 * the task completes.
 */
#include <malloc.h>
#include <string.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"

#define LEN 64u
/* Calls to doca_pe_progress within which a local copy and a stop complete. */
#define TURNS 16

enum step { END_DMA, END_PE, END_BUFS, END_INVENTORY, END_MMAP, END_DEV, END_TASK, N_STEPS };

static struct lab lab;
static uint8_t memory[2 * LEN];

/* One copying program; ended objects are NULL. */
struct program {
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct use_dma use;
	struct doca_buf *src, *dst;
	struct doca_task *task;
	bool is_submitted;
};

static void setup(void)
{
	struct lab_options options = {.only = {true, false}};

	leaks_setup();
	/* Freed memory is overwritten, so that its use is detected. */
#ifdef M_PERTURB
	mallopt(M_PERTURB, 0xa5);
#endif
	lab_start(&lab, &options);
	lab_use(&lab, LAB_HOST);
	leaks_allow_fds(1);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static void begin(struct program *p, bool is_submitted)
{
	*p = (struct program){.is_submitted = is_submitted};
	p->dev = use_dev(USE_HOST_PF0);
	p->mmap = use_mmap(p->dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	use_dma_open(&p->use, p->dev, 1);
	p->use.keep_tasks = true;
	p->src = use_src(&p->use, p->mmap, memory, LEN);
	p->dst = use_dst(&p->use, p->mmap, memory + LEN, LEN);
	p->task = use_task(&p->use, p->src, p->dst);
	if (is_submitted)
		OK(doca_task_submit(p->task));
}

static void progress(const struct program *p)
{
	for (int i = 0; p->use.pe != NULL && i < TURNS; i++)
		doca_pe_progress(p->use.pe);
}

/* A refusal must set a sentence. */
static bool has_ended(doca_error_t result)
{
	EXPECT_TRUE(result == DOCA_SUCCESS || *dococ_last_error() != '\0', "%s without a sentence",
		    doca_error_get_name(result));
	return result == DOCA_SUCCESS;
}

#define END(object, call)                                \
	do {                                             \
		if ((object) != NULL && has_ended(call)) \
			(object) = NULL;                 \
	} while (0)

static void end(struct program *p, enum step step)
{
	switch (step) {
	case END_TASK:
		if (p->task == NULL)
			return;
		if (p->is_submitted)
			progress(p);
		doca_task_free(p->task);
		p->task = NULL;
		return;
	case END_DMA:
		if (p->use.dma == NULL)
			return;
		doca_ctx_stop(p->use.ctx);
		progress(p);
		END(p->use.dma, doca_dma_destroy(p->use.dma));
		return;
	case END_PE:
		END(p->use.pe, doca_pe_destroy(p->use.pe));
		return;
	case END_BUFS:
		/* The library owns the task until it completes. */
		END(p->src, doca_buf_dec_refcount(p->src, NULL));
		END(p->dst, doca_buf_dec_refcount(p->dst, NULL));
		return;
	case END_INVENTORY:
		END(p->use.inventory, doca_buf_inventory_destroy(p->use.inventory));
		return;
	case END_MMAP:
		END(p->mmap, doca_mmap_destroy(p->mmap));
		return;
	case END_DEV:
		END(p->dev, doca_dev_close(p->dev));
		return;
	case N_STEPS:
		return;
	}
}

/* Steps to the next permutation. Returns false after the last one. */
static bool next_order(enum step order[N_STEPS])
{
	int at = N_STEPS - 2, with = N_STEPS - 1;
	enum step step;

	while (at >= 0 && order[at] > order[at + 1])
		at--;
	if (at < 0)
		return false;
	while (order[with] < order[at])
		with--;
	step = order[at], order[at] = order[with], order[with] = step;
	for (int i = at + 1, j = N_STEPS - 1; i < j; i++, j--)
		step = order[i], order[i] = order[j], order[j] = step;
	return true;
}

static void try_all(bool is_submitted)
{
	static const enum step right[] = {END_TASK,      END_DMA,  END_PE, END_BUFS,
					  END_INVENTORY, END_MMAP, END_DEV};
	enum step order[N_STEPS];
	struct program p;
	int i;

	for (i = 0; i < N_STEPS; i++)
		order[i] = (enum step)i;
	do {
		begin(&p, is_submitted);
		for (i = 0; i < N_STEPS; i++)
			end(&p, order[i]);
		for (i = 0; i < N_STEPS; i++)
			end(&p, right[i]);
		EXPECT_TRUE(p.task == NULL && p.use.dma == NULL && p.use.pe == NULL &&
				    p.src == NULL && p.dst == NULL && p.use.inventory == NULL &&
				    p.mmap == NULL && p.dev == NULL,
			    "an object cannot be ended any more after the order %d%d%d%d%d%d%d: %s",
			    order[0], order[1], order[2], order[3], order[4], order[5], order[6],
			    dococ_last_error());
	} while (next_order(order));
}

START_TEST(test_allocated)
{
	try_all(false);
}
END_TEST

START_TEST(test_submitted)
{
	try_all(true);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("teardown");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, 2 * RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_allocated);
	tcase_add_test(cases, test_submitted);
}

int main(void)
{
	lab_require();
	return runner_main("teardown", add_cases, NULL);
}
