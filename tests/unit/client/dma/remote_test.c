/*
 * DMA with memory of another process through a toy transport instead of the kernel: it faults in
 * chosen ranges, cuts calls short at chosen bytes, refuses, and counts.
 */
#include <errno.h>

#include "tests/unit/client/dma/fixture.h"

#define LEN       (1u << 20)
#define LISTS_LEN (64u << 10) /* for random lists: twenty buffers of 300 bytes on each side */
#define N_TASKS   200u
#define PEER_BASE UINT64_C(0x700000000000)

static uint8_t ours[LEN], theirs[LEN], shadow[LEN], shadow_ours[LEN];
static struct {
	uint64_t base;
	bool copies; /* false: only counts */
	size_t cut;  /* maximum bytes of a call, while n_cuts is not 0 */
	unsigned n_cuts;
	size_t bad_from, bad_to; /* offsets that are not mapped */
	int error;
	unsigned n_calls;
	size_t n_bytes, largest;
	size_t n_segments; /* of the last call, on the peer's side */
} toy_peer;

static struct doca_pe *pe;
static struct copier copier;
static struct doca_mmap *mmap, *peer;
static struct doca_buf_inventory *inventory;

static size_t sum(const struct iovec *iov, size_t n)
{
	size_t total = 0;

	ck_assert_uint_le(n, 1024);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_gt(iov[i].iov_len, 0);
		total += iov[i].iov_len;
	}
	return total;
}

static ssize_t peer_move(struct transport_region *region, const struct iovec *local, size_t n_local,
			 const struct iovec *remote, size_t n_remote, bool is_write)
{
	size_t n = sum(remote, n_remote), done = 0, local_at = 0, max = n;

	(void)region;
	toy_peer.n_calls++;
	toy_peer.n_segments = n_remote;
	ck_assert_uint_eq(sum(local, n_local), n);
	toy_peer.largest = MAX(toy_peer.largest, n);
	if (toy_peer.error != 0)
		return -toy_peer.error;
	if (toy_peer.n_cuts > 0) {
		toy_peer.n_cuts--;
		max = MIN(n, toy_peer.cut);
	}
	/* Same limit as the kernel's. */
	max = MIN(max, (size_t)0x7ffff000);
	if (!toy_peer.copies) {
		toy_peer.n_bytes += max;
		return (ssize_t)max;
	}
	for (size_t i = 0; i < n_remote; i++) {
		for (size_t k = 0; k < remote[i].iov_len && done < max; k++) {
			size_t at = (uintptr_t)remote[i].iov_base + k - toy_peer.base;
			uint8_t *mine;

			if (at >= LEN || (at >= toy_peer.bad_from && at < toy_peer.bad_to))
				return done > 0 ? (ssize_t)done : -EFAULT;
			while (local_at == local->iov_len) {
				local++;
				local_at = 0;
			}
			mine = (uint8_t *)local->iov_base + local_at++;
			if (is_write)
				theirs[at] = *mine;
			else
				*mine = theirs[at];
			done++;
		}
	}
	toy_peer.n_bytes += done;
	return (ssize_t)done;
}

static ssize_t peer_readv(struct transport_region *region, const struct iovec *local,
			  size_t n_local, const struct iovec *remote, size_t n_remote)
{
	return peer_move(region, local, n_local, remote, n_remote, false);
}

static ssize_t peer_writev(struct transport_region *region, const struct iovec *local,
			   size_t n_local, const struct iovec *remote, size_t n_remote)
{
	return peer_move(region, local, n_local, remote, n_remote, true);
}

static const struct transport_ops peer_ops = {
	.name = "toy",
	.open = transport_open_unsupported,
	.close = transport_close_nothing,
	.readv = peer_readv,
	.writev = peer_writev,
};
static const struct transport_region peer_region = {.ops = &peer_ops, .pid = 4711, .pidfd = -1};

static void setup(void)
{
	memset(&toy_peer, 0, sizeof(toy_peer));
	toy_peer.base = PEER_BASE;
	toy_peer.copies = true;
	ck_ok(doca_pe_create(&pe));
	copier_init(&copier, pe, N_TASKS);
	mmap = unit_mmap(ours, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	peer = unit_import(PEER_BASE, LEN, true, true, &peer_region);
	inventory = unit_inventory(8192);
	unit_fill(ours, LEN, 1);
	unit_fill(theirs, LEN, 2);
}

static void teardown(void)
{
	copier_deinit(&copier);
	ck_assert_uint_eq(unit_n_free(inventory), 8192);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(mmap));
	ck_ok(doca_mmap_destroy(peer));
	ck_ok(doca_pe_destroy(pe));
}

static struct doca_buf *our_buf(size_t at, size_t len, size_t data_len)
{
	return unit_buf(inventory, mmap, ours + at, len, 0, data_len);
}

static struct doca_buf *peer_buf(size_t at, size_t len, size_t data_len)
{
	return unit_buf(inventory, peer, (uint8_t *)PEER_BASE + at, len, 0, data_len);
}

/* n tasks of 64 bytes each; reads copy from the peer. */
static struct doca_buf *srcs[N_TASKS], *dsts[N_TASKS];

static void submit_apart(size_t n, size_t stride, bool is_read)
{
	for (size_t i = 0; i < n; i++) {
		srcs[i] = (is_read ? peer_buf : our_buf)(i * stride, 64, 64);
		dsts[i] = (is_read ? our_buf : peer_buf)(i * stride, 64, 0);
		copier_submit(&copier, srcs[i], dsts[i]);
	}
}

static void submit_many(size_t n, bool is_read)
{
	submit_apart(n, 64, is_read);
}

static void put_many(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unit_put(srcs[i]);
		unit_put(dsts[i]);
	}
}

/*
 * Adjacent ranges become one segment. A read also bridges small gaps, which a write must not touch.
 */
static const struct {
	bool is_read;
	size_t stride, n_segments;
} in_one_call[] = {
	{true, 64, 1},       {false, 64, 1},        {true, 64 + 8, 1},      {false, 64 + 8, 100},
	{true, 64 + 256, 1}, {true, 64 + 257, 100}, {false, 64 + 257, 100},
};

START_TEST(queued_tasks_share_one_call)
{
	size_t stride = in_one_call[_i].stride;

	memcpy(shadow, theirs, LEN);
	memcpy(shadow_ours, ours, LEN);
	submit_apart(100, stride, in_one_call[_i].is_read);
	ck_assert_uint_eq(unit_progress(pe), 100);
	ck_assert_uint_eq(copier.n_ok, 100);
	ck_assert_uint_eq(toy_peer.n_calls, 1);
	ck_assert_uint_eq(toy_peer.n_segments, in_one_call[_i].n_segments);
	for (size_t i = 0; i < 100; i++) {
		ck_assert_uint_eq(dsts[i]->data_len, 64);
		if (in_one_call[_i].is_read)
			memcpy(shadow_ours + i * stride, shadow + i * stride, 64);
		else
			memcpy(shadow + i * stride, shadow_ours + i * stride, 64);
	}
	ck_assert_mem_eq(ours, shadow_ours, LEN);
	ck_assert_mem_eq(theirs, shadow, LEN);
	put_many(100);
}
END_TEST

START_TEST(directions_are_not_mixed)
{
	for (size_t i = 0; i < 6; i++) {
		bool is_read = i % 3 == 0;

		srcs[i] = (is_read ? peer_buf : our_buf)(i * 64, 64, 64);
		dsts[i] = (is_read ? our_buf : peer_buf)(i * 64, 64, 0);
		copier_submit(&copier, srcs[i], dsts[i]);
	}
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_ok, 6);
	ck_assert_uint_eq(toy_peer.n_calls, 4);
	ck_assert_mem_eq(ours, theirs, 6 * 64);
	put_many(6);
}
END_TEST

/* The first call ends after any number of bytes; everything is copied all the same. */
START_TEST(a_partial_batch_is_finished)
{
	bool is_read = _i != 0;
	size_t stride = is_read ? 80 : 64, n = 10 * stride;
	uint8_t *from = is_read ? theirs : ours, *to = is_read ? ours : theirs;

	for (size_t cut = 0; cut <= n; cut++) {
		unit_fill(from, n, cut + 1);
		memset(to, 0, n);
		toy_peer.n_cuts = 1;
		toy_peer.cut = cut;
		copier.n_ok = 0;
		submit_apart(10, stride, is_read);
		unit_progress(pe);
		ck_assert_uint_eq(copier.n_ok, 10);
		for (size_t i = 0; i < 10; i++) {
			ck_assert_mem_eq(to + i * stride, from + i * stride, 64);
			ck_assert_uint_eq(dsts[i]->data_len, 64);
		}
		put_many(10);
	}
}
END_TEST

/* The same for a single copy, however often it is cut. A call without progress is an error. */
START_TEST(a_partial_copy_is_finished)
{
	struct doca_buf *src = our_buf(0, 1000, 1000), *dst = peer_buf(0, 1000, 0);

	for (size_t cut = 1; cut < 1000; cut += 37) {
		unit_fill(ours, 1000, cut);
		toy_peer.n_cuts = 1000;
		toy_peer.cut = cut;
		ck_ok(doca_buf_reset_data_len(dst));
		ck_ok(copier_copy(&copier, src, dst));
		ck_assert_uint_eq(dst->data_len, 1000);
		ck_assert_mem_eq(theirs, ours, 1000);
	}
	toy_peer.cut = 0;
	ck_ok(doca_buf_reset_data_len(dst));
	ck_fails(copier_copy(&copier, src, dst), DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(dst->data_len, 0);
	toy_peer.n_cuts = 0;
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* A bad range fails only its own task, with that task's code; the tasks before it succeed. */
START_TEST(a_fault_fails_its_own_task)
{
	for (size_t bad = 0; bad < 10; bad++) {
		toy_peer.bad_from = bad * 64 + 5;
		toy_peer.bad_to = toy_peer.bad_from + 1;
		copier.n_ok = copier.n_failed = 0;
		memset(ours, 0, 640);
		submit_many(10, true);
		while (copier.n_failed == 0)
			ck_assert_uint_eq(doca_pe_progress(pe), 1);
		ck_assert_uint_eq(copier.n_ok, bad);
		ck_assert_int_eq(copier.status, DOCA_ERROR_IO_FAILED);
		ck_says("not mapped");
		ck_assert_mem_eq(ours, theirs, bad * 64);
		unit_progress(pe);
		ck_assert_uint_eq(copier.n_ok + copier.n_failed, 10);
		ck_assert_uint_eq(dsts[bad]->data_len, 0);
		ck_assert_int_eq(unit_state(copier.ctx), IDLE);
		ck_ok(doca_ctx_start(copier.ctx));
		put_many(10);
	}
}
END_TEST

START_TEST(a_fault_inside_a_copy_says_why)
{
	struct doca_buf *src = peer_buf(0, 8192, 8192), *dst = our_buf(0, 8192, 0);

	toy_peer.bad_from = 4096;
	toy_peer.bad_to = LEN;
	ck_fails(copier_copy(&copier, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("not mapped");
	ck_assert_uint_eq(dst->data_len, 0);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(refusals_are_named)
{
	const struct {
		int error;
		doca_error_t code;
		const char *says;
	} cases[] = {
		{ESRCH, DOCA_ERROR_IO_FAILED, "has ended"},
		{EFAULT, DOCA_ERROR_IO_FAILED, "not mapped"},
		{EPERM, DOCA_ERROR_NOT_PERMITTED, "refuses"},
		{ENOMEM, DOCA_ERROR_IO_FAILED, "emory"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		toy_peer.error = cases[i].error;
		submit_many(3, true);
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
		ck_assert_int_eq(copier.status, cases[i].code);
		ck_says(cases[i].says);
		unit_progress(pe);
		ck_assert_int_eq(unit_state(copier.ctx), IDLE);
		ck_ok(doca_ctx_start(copier.ctx));
		put_many(3);
	}
	ck_assert_uint_eq(copier.n_ok, 0);
}
END_TEST

/* The same destination twice: the second copy appends, as with mapped memory. */
START_TEST(a_destination_may_come_twice)
{
	bool is_read = _i == 0, fits;
	struct doca_buf *dst;

	for (size_t room = 120; room <= 256; room += 68) {
		fits = room >= 3 * 64;
		dst = (is_read ? our_buf : peer_buf)(4096, room, 0);
		for (size_t i = 0; i < 3; i++) {
			srcs[i] = (is_read ? peer_buf : our_buf)(i * 64, 64, 64);
			copier_submit(&copier, srcs[i], dst);
		}
		unit_progress(pe);
		if (unit_state(copier.ctx) == IDLE)
			ck_ok(doca_ctx_start(copier.ctx));
		ck_assert_uint_eq(dst->data_len, fits ? 192 : room < 128 ? 64 : 128);
		ck_assert_mem_eq((is_read ? ours : theirs) + 4096, is_read ? theirs : ours,
				 dst->data_len);
		for (size_t i = 0; i < 3; i++)
			unit_put(srcs[i]);
		unit_put(dst);
	}
}
END_TEST

static uint8_t *where(const struct doca_buf *buf, uint8_t *addr)
{
	return buf->mmap == peer ? addr - PEER_BASE + (uintptr_t)theirs : addr;
}

/* Random list of segments; a list may contain memory of this process and of the peer. */
static struct doca_buf *random_list(uint64_t *seed, size_t base, unsigned kind, bool is_dst)
{
	size_t n = 1 + unit_random(seed) % 20, at = base;
	struct doca_buf *list = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t len = unit_random(seed) % 300, lead = unit_random(seed) % (len + 1);
		size_t data_len = unit_random(seed) % (len - lead + 1);
		bool is_peer = kind == 2 ? unit_random(seed) % 2 : kind;

		if (is_dst && unit_random(seed) % 3 != 0)
			lead = data_len = 0;
		list = unit_chain(list, unit_buf(inventory, is_peer ? peer : mmap,
						 is_peer ? (uint8_t *)PEER_BASE + at : ours + at,
						 len, lead, data_len));
		at += len;
	}
	return list;
}

START_TEST(random_lists_match_the_model)
{
	uint64_t seed = 77 + (uint64_t)_i;

	memcpy(shadow, theirs, LEN);
	memcpy(shadow_ours, ours, LEN);
	for (int round = 0; round < 60; round++) {
		struct doca_buf *src = random_list(&seed, 0, (unsigned)round % 3, false);
		struct doca_buf *dst = random_list(&seed, 32768, (unsigned)round / 3 % 3, true);
		size_t n = unit_data_len(src), room = 0;
		const struct doca_buf *pos;

		BUF_FOR_EACH(pos, dst) room += buf_tail_room(pos);
		if (n != 0 && n <= room) {
			struct doca_buf *d = dst;
			size_t at = 0;

			for (pos = src; pos != NULL; pos = pos->next) {
				for (size_t i = 0; i < pos->data_len; i++, at++) {
					uint8_t *to;

					while (at == buf_tail_room(d)) {
						d = d->next;
						at = 0;
					}
					to = where(d, d->data + d->data_len + at);
					if (d->mmap == peer)
						shadow[to - theirs] = *where(pos, pos->data + i);
					else
						shadow_ours[to - ours] = *where(pos, pos->data + i);
				}
			}
			n += unit_data_len(dst);
			toy_peer.n_cuts = unit_random(&seed) % 4;
			toy_peer.cut = 1 + unit_random(&seed) % 500;
			ck_ok(copier_copy(&copier, src, dst));
			ck_assert_uint_eq(unit_data_len(dst), n);
		}
		/* Compares the range that lists use. */
		ck_assert_mem_eq(theirs, shadow, LISTS_LEN);
		ck_assert_mem_eq(ours, shadow_ours, LISTS_LEN);
		unit_put(src);
		unit_put(dst);
	}
	ck_assert_mem_eq(theirs, shadow, LEN);
	ck_assert_mem_eq(ours, shadow_ours, LEN);
}
END_TEST

/* More segments than a call accepts, on either side, and a batch around such a task. */
START_TEST(long_lists_are_copied)
{
	for (unsigned side = 0; side < 2; side++) {
		struct doca_buf *src = NULL, *dst = NULL;
		struct doca_buf *small_src = peer_buf(8000, 8, 8), *small_dst = our_buf(8000, 8, 0);
		unsigned n_calls = toy_peer.n_calls;

		for (size_t i = 0; i < 1500; i++) {
			if (side == 0 || i == 0)
				src = unit_chain(src,
						 peer_buf(2 * i, side ? 1500 : 1, side ? 1500 : 1));
			if (side == 1 || i == 0)
				dst = unit_chain(dst, our_buf(i, side ? 1 : 1500, 0));
		}
		memset(ours, 0, 9000);
		copier.n_ok = 0;
		copier_submit(&copier, small_src, small_dst);
		copier_submit(&copier, src, dst);
		unit_progress(pe);
		ck_assert_uint_eq(copier.n_ok, 2);
		for (size_t i = 0; i < 1500; i++)
			ck_assert_uint_eq(ours[i], theirs[side ? i : 2 * i]);
		ck_assert_mem_eq(ours + 8000, theirs + 8000, 8);
		ck_assert_uint_gt(toy_peer.n_calls, n_calls + 1);
		unit_put(src);
		unit_put(dst);
		unit_put(small_src);
		unit_put(small_dst);
	}
}
END_TEST

START_TEST(overlap_at_the_peer_is_like_memmove)
{
	const size_t len = 700000;
	const size_t shifts[] = {0, 1, 4096, 100000, 262144, 300000};

	for (size_t i = 0; i < 2 * ARRAY_LEN(shifts); i++) {
		size_t shift = shifts[i / 2], from = i % 2 ? shift : 0, to = i % 2 ? 0 : shift;
		struct doca_buf *src = peer_buf(from, len, len), *dst = peer_buf(to, len, 0);

		unit_fill(theirs, LEN, i + 1);
		memcpy(shadow, theirs, LEN);
		memmove(shadow + to, shadow + from, len);
		ck_ok(copier_copy(&copier, src, dst));
		ck_assert_mem_eq(theirs, shadow, LEN);
		ck_assert_uint_eq(dst->data_len, len);
		unit_put(src);
		unit_put(dst);
	}
}
END_TEST

/* Lengths around the kernel's limits of a call. The toy only counts, so no memory is touched. */
START_TEST(copies_beyond_a_call_are_finished)
{
	const size_t sizes[] = {0x40000000, 0x40000001, 0x7fffefff, 0x7ffff000,
				0x7ffff001, 0x7fffffff, 0x80000000, 0x120000001};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		size_t len = sizes[i];
		struct doca_mmap *remote = unit_import(PEER_BASE, len, true, true, &peer_region);
		struct doca_mmap *near = unit_mmap((void *)0x100000000, len,
						   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
		struct doca_buf *src = unit_buf(inventory, remote, (uint8_t *)PEER_BASE, len, 0,
						len);
		struct doca_buf *dst = unit_buf(inventory, near, (uint8_t *)0x100000000, len, 0, 0);

		toy_peer.copies = false;
		toy_peer.n_bytes = 0;
		ck_ok(copier_copy(&copier, src, dst));
		ck_assert_uint_eq(dst->data_len, len);
		ck_assert_uint_eq(toy_peer.n_bytes, len);
		unit_put(src);
		unit_put(dst);
		ck_ok(doca_mmap_destroy(remote));
		ck_ok(doca_mmap_destroy(near));
	}
}
END_TEST

static void stop_at_first(struct copier *c, struct doca_task *task)
{
	(void)task;
	if (c->n_ok + c->n_failed == 1)
		ck_fails(doca_ctx_stop(c->ctx), DOCA_ERROR_IN_PROGRESS);
}

/*
 * A completed copy stays successful even if the context stops before the callback; the others fail.
 */
START_TEST(a_stop_between_copy_and_callback)
{
	toy_peer.n_cuts = 1;
	toy_peer.cut = 5 * 64;
	copier.on_done = stop_at_first;
	submit_many(8, false);
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_ok, 5);
	ck_assert_uint_eq(copier.n_failed, 3);
	ck_assert_int_eq(copier.status, DOCA_ERROR_SHUTDOWN);
	for (size_t i = 0; i < 8; i++)
		ck_assert_uint_eq(dsts[i]->data_len, i < 5 ? 64 : 0);
	ck_assert_int_eq(unit_state(copier.ctx), IDLE);
	put_many(8);
}
END_TEST

/* Two contexts share a call; a stopped one is left out. */
START_TEST(contexts_share_a_call)
{
	struct copier second;

	for (int stops = 0; stops < 2; stops++) {
		copier_init(&second, pe, 4);
		copier.n_ok = 0;
		toy_peer.n_calls = 0;
		for (size_t i = 0; i < 8; i++) {
			srcs[i] = peer_buf(i * 64, 64, 64);
			dsts[i] = our_buf(i * 64, 64, 0);
			copier_submit(i % 2 ? &second : &copier, srcs[i], dsts[i]);
		}
		if (stops)
			ck_fails(doca_ctx_stop(second.ctx), DOCA_ERROR_IN_PROGRESS);
		unit_progress(pe);
		ck_assert_uint_eq(copier.n_ok, 4);
		ck_assert_uint_eq(second.n_ok, stops ? 0 : 4);
		ck_assert_uint_eq(second.n_failed, stops ? 4 : 0);
		ck_assert_uint_eq(toy_peer.n_calls, stops ? 4 : 1);
		copier_deinit(&second);
		put_many(8);
	}
}
END_TEST

START_TEST(peers_do_not_share_a_call)
{
	struct transport_region other_region = peer_region;
	struct doca_mmap *other;

	other_region.pid++;
	other = unit_import(PEER_BASE, LEN, true, true, &other_region);
	for (size_t i = 0; i < 4; i++) {
		srcs[i] = unit_buf(inventory, i < 2 ? peer : other, (uint8_t *)PEER_BASE + i * 64,
				   64, 0, 64);
		dsts[i] = our_buf(i * 64, 64, 0);
		copier_submit(&copier, srcs[i], dsts[i]);
	}
	unit_progress(pe);
	ck_assert_uint_eq(toy_peer.n_calls, 2);
	ck_assert_uint_eq(copier.n_ok, 4);
	put_many(4);
	ck_ok(doca_mmap_destroy(other));
}
END_TEST

START_TEST(large_tasks_go_alone)
{
	struct doca_buf *src = peer_buf(0, 400000, 400000), *dst = our_buf(0, 400000, 0);

	copier_submit(&copier, src, dst);
	submit_many(2, true);
	unit_progress(pe);
	ck_assert_uint_eq(toy_peer.n_calls, 2);
	ck_assert_uint_eq(toy_peer.largest, 400000);
	ck_assert_uint_eq(copier.n_ok, 3);
	put_many(2);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(the_dead_are_not_called)
{
	_Atomic uint32_t alive = 3;

	peer->alive = &alive;
	peer->generation = 3;
	submit_many(2, true);
	alive = 0;
	unit_progress(pe);
	ck_assert_uint_eq(toy_peer.n_calls, 0);
	ck_assert_uint_eq(copier.n_failed, 2);
	put_many(2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/dma_remote");
	TCase *tcase = unit_case(suite, "remote", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, queued_tasks_share_one_call, 0, (int)ARRAY_LEN(in_one_call));
	tcase_add_test(tcase, directions_are_not_mixed);
	tcase_add_loop_test(tcase, a_partial_batch_is_finished, 0, 2);
	tcase_add_test(tcase, a_partial_copy_is_finished);
	tcase_add_test(tcase, a_fault_fails_its_own_task);
	tcase_add_test(tcase, a_fault_inside_a_copy_says_why);
	tcase_add_test(tcase, refusals_are_named);
	tcase_add_loop_test(tcase, a_destination_may_come_twice, 0, 2);
	tcase_add_loop_test(tcase, random_lists_match_the_model, 0, 6);
	tcase_add_test(tcase, long_lists_are_copied);
	tcase_add_test(tcase, overlap_at_the_peer_is_like_memmove);
	tcase_add_test(tcase, copies_beyond_a_call_are_finished);
	tcase_add_test(tcase, a_stop_between_copy_and_callback);
	tcase_add_test(tcase, contexts_share_a_call);
	tcase_add_test(tcase, peers_do_not_share_a_call);
	tcase_add_test(tcase, large_tasks_go_alone);
	tcase_add_test(tcase, the_dead_are_not_called);
	return unit_run(suite);
}
