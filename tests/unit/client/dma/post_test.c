/*
 * DMA by posted requests (client/dma/post.h), with a simulated requester: a request moves its bytes
 * when the test completes it. Real requesters are tested in tests/integration (peer/copy_test) and
 * tests/vm.
 */
#include <stdio.h>

#include <doca_rdma.h>

#include "client/dma/dma.h"
#include "tests/unit/client/dma/fixture.h"

#define LEN     4096u
#define N_BUFS  64u
#define MESSAGE 64u /* bytes per request */
#include "tests/unit/client/dma/toy_requester.h"

/* --- memory --- */

/* Each part: this process's memory; memory that requests reach; memory that system calls reach. */
static uint8_t ours[LEN], remote_memory[LEN], peers[LEN];
static struct doca_pe *pe;
static struct copier copier, other;
static struct doca_mmap *mmap, *posted, *peer;
static struct doca_buf_inventory *inventory;

static ssize_t peer_readv(struct transport_region *region, const struct iovec *local,
			  size_t n_local, const struct iovec *remote, size_t n_remote)
{
	size_t done = 0, at = 0;

	(void)region;
	(void)n_local;
	for (size_t i = 0; i < n_remote; i++) {
		for (size_t k = 0; k < remote[i].iov_len; k++, done++, at++) {
			if (at == local->iov_len) {
				local++;
				at = 0;
			}
			((uint8_t *)local->iov_base)[at] = ((uint8_t *)remote[i].iov_base)[k];
		}
	}
	return (ssize_t)done;
}

static const struct transport_ops peer_ops = {
	.name = "toy",
	.open = transport_open_unsupported,
	.close = transport_close_nothing,
	.readv = peer_readv,
	.writev = transport_iov_unsupported,
};

static void setup(void)
{
	const struct transport_region posted_region = {.ops = &posted_ops, .pidfd = -1};
	const struct transport_region peer_region = {.ops = &peer_ops, .pid = 4711, .pidfd = -1};

	n_callers = 0;
	max_posted = N_POSTED;
	ck_ok(doca_pe_create(&pe));
	copier_init(&copier, pe, 16);
	copier_init(&other, pe, 16);
	mmap = unit_mmap(ours, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	posted = unit_import((uintptr_t)remote_memory, LEN, true, true, &posted_region);
	posted->is_posted = true;
	peer = unit_import((uintptr_t)peers, LEN, true, true, &peer_region);
	inventory = unit_inventory(N_BUFS);
	unit_fill(remote_memory, LEN, 1);
	unit_fill(peers, LEN, 2);
	memset(ours, 0, LEN);
	unit_fill(ours + LEN / 2, LEN / 2, 3);
}

static void teardown(void)
{
	copier_deinit(&copier);
	copier_deinit(&other);
	ck_assert_uint_eq(unit_n_free(inventory), N_BUFS);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(mmap));
	ck_ok(doca_mmap_destroy(posted));
	ck_ok(doca_mmap_destroy(peer));
	ck_ok(doca_pe_destroy(pe));
}

static struct doca_buf *remote_src(size_t n)
{
	return unit_buf(inventory, posted, remote_memory, n, 0, n);
}

static struct doca_buf *peer_src(size_t n)
{
	return unit_buf(inventory, peer, peers, n, 0, n);
}

/* Source in the second half of this process's memory, destination in the first. */
static struct doca_buf *our_src(size_t n)
{
	return unit_buf(inventory, mmap, ours + LEN / 2, n, 0, n);
}

static struct doca_buf *our_dst(size_t at, size_t room)
{
	return unit_buf(inventory, mmap, ours + at, room, 0, 0);
}

/* Completes all posted requests, and those that follow from them. */
static void finish_all(void)
{
	bool is_more;

	do {
		unit_progress(pe);
		is_more = false;
		for (unsigned i = 0; i < n_callers; i++) {
			if (callers[i] != NULL && callers[i]->n_posted > 0) {
				finish_one(callers[i]);
				is_more = true;
			}
		}
	} while (is_more);
}

/* Posts a copy of a context that has had none, and leaves it posted. */
static void post(struct copier *by, const struct doca_buf *src, struct doca_buf *dst)
{
	unsigned n = n_callers, n_ended = by->n_ok + by->n_failed;

	copier_submit(by, src, dst);
	unit_progress(pe);
	ck_assert_uint_eq(n_callers, n + 1);
	ck_assert_uint_gt(callers[n]->n_posted, 0);
	ck_assert_uint_eq(by->n_ok + by->n_failed, n_ended);
}

/* --- tests --- */

/*
 * The position at which a copy appends depends on the copy before it. So it waits, in whatever way
 * it is executed, and however many requests the earlier copy still needs.
 */
START_TEST(a_claimed_destination_is_waited_for)
{
	struct doca_buf *a = remote_src(100), *x = our_dst(0, 250), *y = our_dst(1000, 250), *b;
	const uint8_t *from = ours + LEN / 2;

	max_posted = _i & 1 ? 1 : N_POSTED;
	switch (_i / 2) {
	case 0:
		b = our_src(100);
		break;
	case 1:
		b = unit_chain(our_src(60),
			       unit_buf(inventory, mmap, ours + LEN / 2 + 60, 40, 0, 40));
		break;
	default:
		b = peer_src(100);
		from = peers;
		break;
	}
	post(&copier, a, x);
	copier_submit(&copier, b, x);
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_ok + copier.n_failed, 0);
	ck_assert_uint_eq(x->data_len, 0);
	/* Copies to other destinations are not delayed. */
	copier_submit(&other, b, y);
	unit_progress(pe);
	ck_assert_uint_eq(other.n_ok, 1);
	finish_all();
	ck_assert_uint_eq(copier.n_ok, 2);
	ck_assert_uint_eq(x->data_len, 200);
	ck_assert_mem_eq(ours, remote_memory, 100);
	ck_assert_mem_eq(ours + 100, from, 100);
	ck_assert_uint_eq(ours[200], 0);
	/* There is room for half of it. */
	ck_fails(copier_copy(&copier, b, x), DOCA_ERROR_IO_FAILED);
	ck_says("(100 bytes, room for 50)");
	unit_put(a);
	unit_put(b);
	unit_put(x);
	unit_put(y);
}
END_TEST

/* While one copy is posted, copies to other destinations are executed at once. */
START_TEST(another_destination_is_not)
{
	struct doca_buf *a = remote_src(100), *b = our_src(100), *x = our_dst(0, 100);
	struct doca_buf *y = our_dst(200, 200);

	post(&copier, a, x);
	ck_ok(copier_copy(&copier, b, y));
	ck_assert_uint_eq(copier.n_ok, 1);
	ck_assert_uint_eq(copier.dma->fast_max, 0);
	finish_all();
	ck_assert_uint_eq(copier.n_ok, 2);
	ck_assert_uint_eq(copier.dma->fast_max, copier.dma->max_buf_size);
	ck_ok(copier_copy(&copier, b, y));
	ck_assert_mem_eq(ours, remote_memory, 100);
	ck_assert_mem_eq(ours + 200, b->data, 100);
	ck_assert_mem_eq(ours + 300, b->data, 100);
	unit_put(a);
	unit_put(b);
	unit_put(x);
	unit_put(y);
}
END_TEST

/*
 * A delayed copy overwrites as it would have at once. A copy onto itself finds what the first copy
 * wrote.
 */
START_TEST(what_overwrites_waits_as_well)
{
	struct doca_buf *a = remote_src(100), *x = our_dst(0, 100), *b = our_src(50);
	bool is_onto_itself = _i != 0;

	dma_set_overwriting(copier.dma);
	post(&copier, a, x);
	copier_submit(&copier, is_onto_itself ? x : b, x);
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_ok + copier.n_failed, 0);
	finish_all();
	ck_assert_uint_eq(copier.n_ok, 2);
	ck_assert_uint_eq(x->data_len, is_onto_itself ? 100 : 50);
	ck_assert_mem_eq(ours, is_onto_itself ? remote_memory : b->data, 50);
	ck_assert_mem_eq(ours + 50, remote_memory + 50, 50);
	unit_put(a);
	unit_put(b);
	unit_put(x);
}
END_TEST

/* A copy that waits for a claimed destination ends with its context. */
START_TEST(what_waits_ends_with_the_context)
{
	struct doca_buf *a = remote_src(100), *b = our_src(100), *x = our_dst(0, 250);

	post(&copier, a, x);
	copier_submit(&copier, b, x);
	unit_progress(pe);
	ck_fails(doca_ctx_stop(copier.ctx), DOCA_ERROR_IN_PROGRESS);
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_failed, 2);
	ck_assert_int_eq(copier.status, DOCA_ERROR_SHUTDOWN);
	ck_assert_int_eq(unit_state(copier.ctx), IDLE);
	ck_assert_uint_eq(x->data_len, 0);
	ck_assert_uint_eq(copier.dma->fast_max, copier.dma->max_buf_size);
	unit_put(a);
	unit_put(b);
	unit_put(x);
}
END_TEST

static char first_why[256], last_why[256];

static void store_sentence(struct copier *by, struct doca_task *task)
{
	(void)task;
	if (by->n_failed == 1)
		snprintf(first_why, sizeof(first_why), "%s", dococ_last_error());
	snprintf(last_why, sizeof(last_why), "%s", dococ_last_error());
}

/* The requests of two copies complete alternately: each copy ends with its own error sentence. */
START_TEST(each_says_why_it_failed)
{
	struct doca_buf *a = remote_src(2 * MESSAGE), *x = our_dst(0, 200), *y = our_dst(500, 200);

	copier.on_done = store_sentence;
	post(&copier, a, x);
	copier_submit(&copier, a, y);
	unit_progress(pe);
	ck_assert_uint_eq(callers[0]->n_posted, 4);
	/* First one request of each copy, then the second. */
	fail_one(callers[0], DOCA_ERROR_CONNECTION_RESET);
	callers[0]->posted[3] = callers[0]->posted[0];
	memmove(callers[0]->posted, callers[0]->posted + 1, 3 * sizeof(callers[0]->posted[0]));
	fail_one(callers[0], DOCA_ERROR_CONNECTION_ABORTED);
	fail_one(callers[0], DOCA_ERROR_CONNECTION_ABORTED);
	fail_one(callers[0], DOCA_ERROR_CONNECTION_RESET);
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_failed, 2);
	ck_assert_ptr_nonnull(strstr(first_why, "copy again"));
	ck_assert_ptr_nonnull(strstr(last_why, "can no longer be reached"));
	unit_put(a);
	unit_put(x);
	unit_put(y);
}
END_TEST

/* An error that is found while another copy is started is reported when the failed copy ends. */
START_TEST(no_error_before)
{
	struct doca_buf *a = remote_src(MESSAGE), *x = our_dst(0, 200), *y = our_dst(500, 200);
	unsigned n_turns = 0;

	copier.on_done = store_sentence;
	post(&copier, a, x);
	fail_one(callers[0], DOCA_ERROR_CONNECTION_RESET);
	error_note(DOCA_ERROR_AGAIN, "before");
	copier_submit(&copier, a, y);
	while (callers[0]->n_posted == 0) {
		ck_assert_uint_lt(n_turns++, 3);
		doca_pe_progress(pe);
	}
	ck_assert_uint_eq(copier.n_failed, 0);
	ck_assert_str_eq(dococ_last_error(), "before");
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_failed, 2);
	ck_assert_ptr_nonnull(strstr(first_why, "can no longer be reached"));
	unit_put(a);
	unit_put(x);
	unit_put(y);
}
END_TEST

/* A copy that cannot be posted ends at once, and its destination is free. */
START_TEST(what_is_not_posted_ends)
{
	struct doca_buf *a = remote_src(MESSAGE), *x = our_dst(0, 200);

	post(&copier, a, x);
	finish_all();
	ck_assert_uint_eq(copier.n_ok, 1);
	post_refusal = DOCA_ERROR_DRIVER;
	ck_fails(copier_copy(&copier, a, x), DOCA_ERROR_DRIVER);
	ck_says("toy: refused");
	post_refusal = DOCA_SUCCESS;
	copier_submit(&copier, a, x);
	finish_all();
	ck_assert_uint_eq(copier.n_ok, 2);
	ck_assert_uint_eq(x->data_len, 2 * MESSAGE);
	unit_put(a);
	unit_put(x);
}
END_TEST

/* A duplicate of a destination counts as another destination. */
START_TEST(a_duplicate_is_free)
{
	struct doca_buf *a = remote_src(100), *x = our_dst(0, 250), *copy;

	post(&copier, a, x);
	ck_ok(doca_buf_inventory_buf_dup(inventory, x, &copy));
	finish_all();
	ck_assert_uint_eq(copier.n_ok, 1);
	copier_submit(&copier, a, copy);
	finish_all();
	ck_assert_uint_eq(copier.n_ok, 2);
	ck_assert_uint_eq(copy->data_len, 100);
	unit_put(a);
	unit_put(x);
	unit_put(copy);
}
END_TEST

/* A context is not notified when a copy of another context ends. */
START_TEST(contexts_alternate_at_a_destination)
{
	struct doca_buf *a = remote_src(100), *x = our_dst(0, 250);

	post(&copier, a, x);
	copier_submit(&other, a, x);
	unit_progress(pe);
	ck_assert_uint_eq(n_callers, 1);
	/* The program does not sleep now, so that the other context starts its copy. */
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, 0));
	finish_all();
	ck_assert_uint_eq(copier.n_ok, 1);
	ck_assert_uint_eq(other.n_ok, 1);
	ck_assert_uint_eq(x->data_len, 200);
	ck_assert_mem_eq(ours, remote_memory, 100);
	ck_assert_mem_eq(ours + 100, remote_memory, 100);
	unit_put(a);
	unit_put(x);
}
END_TEST

/*
 * Another context fills the destination that a posted copy needs, without being notified: nothing
 * is written beyond the buffer.
 */
START_TEST(a_full_destination_is_served_again)
{
	struct doca_buf *a = remote_src(100), *b = our_src(100), *x = our_dst(0, 150);
	bool is_all_posted = _i != 0;

	max_posted = is_all_posted ? N_POSTED : 1;
	post(&copier, a, x);
	copier_submit(&other, b, x);
	unit_progress(pe);
	ck_assert_uint_eq(other.n_ok, 1);
	finish_all();
	ck_assert_uint_eq(copier.n_ok, is_all_posted);
	ck_assert_uint_eq(copier.n_failed, !is_all_posted);
	if (!is_all_posted) {
		ck_assert_int_eq(copier.status, DOCA_ERROR_IO_FAILED);
		ck_says("changed while");
	}
	ck_assert_uint_eq(x->data_len, is_all_posted ? 150 : 100);
	for (size_t i = 150; i < LEN / 2; i++)
		ck_assert_uint_eq(ours[i], 0);
	unit_put(a);
	unit_put(b);
	unit_put(x);
}
END_TEST

static void order(struct copier *by)
{
	ck_ok(doca_ctx_stop(by->ctx));
	ck_ok(doca_dma_set_ordered_completions(by->dma, 1));
	ck_ok(doca_ctx_start(by->ctx));
}

/*
 * A copy may not be batched with a copy of another context if that would reorder it with an earlier
 * copy of its own.
 */
START_TEST(order_holds_beside_another_context)
{
	struct doca_buf *a = remote_src(100), *x = our_dst(0, 100);
	struct doca_buf *p = peer_src(64), *y = our_dst(200, 64), *z = our_dst(300, 64);

	order(&copier);
	order(&other);
	post(&other, a, x);
	copier_submit(&copier, p, y);
	copier_submit(&other, p, z);
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_ok, 1);
	ck_assert_uint_eq(other.n_ok, 0);
	finish_all();
	ck_assert_uint_eq(other.n_ok, 2);
	ck_assert_mem_eq(z->data, peers, 64);
	unit_put(a);
	unit_put(x);
	unit_put(p);
	unit_put(y);
	unit_put(z);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/dma_post");
	TCase *tcase = unit_case(suite, "posted", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_claimed_destination_is_waited_for, 0, 6);
	tcase_add_test(tcase, another_destination_is_not);
	tcase_add_loop_test(tcase, what_overwrites_waits_as_well, 0, 2);
	tcase_add_test(tcase, what_waits_ends_with_the_context);
	tcase_add_test(tcase, each_says_why_it_failed);
	tcase_add_test(tcase, no_error_before);
	tcase_add_test(tcase, what_is_not_posted_ends);
	tcase_add_test(tcase, a_duplicate_is_free);
	tcase_add_test(tcase, contexts_alternate_at_a_destination);
	tcase_add_loop_test(tcase, a_full_destination_is_served_again, 0, 2);
	tcase_add_test(tcase, order_holds_beside_another_context);
	return unit_run(suite);
}
