/*
 * Lists of buffers, for the targets of codecs: cut as an input says, from memory of this process or
 * from that of a peer, which is reached by calls that may move a part only or fail. A copy of both
 * memories records what a task may change. Include it in one file of a target.
 */
#ifndef TESTS_FUZZ_LISTS_H
#define TESTS_FUZZ_LISTS_H

#include <errno.h>

#include "client/memory/buf.h"
#include "tests/fuzz/ends.h"
#include "util/util.h"

/* The length of each memory, whose second half is for destinations. A target may define more. */
#ifndef LISTS_LEN
#define LISTS_LEN (64u << 10)
#endif
#define LISTS_HALF (LISTS_LEN / 2)
#define LISTS_GAP  5u /* bytes between two buffers */
#define LISTS_MAX  6u /* buffers of a list that the device takes */
#define LISTS_CUTS 8u
#define LISTS_PEER ((uint8_t *)(uintptr_t)0x700000000000)

struct lists_memory {
	struct doca_mmap *map;
	uint8_t *address; /* of the buffers */
	uint8_t bytes[LISTS_LEN], expected[LISTS_LEN];
};

static struct lists_memory lists_ours, lists_theirs;
static struct doca_buf_inventory *lists_inventory;

/* How the peer's memory answers. */
static struct {
	size_t piece; /* the most bytes of a call; 0: all */
	unsigned n_left;
	bool fails;    /* when n_left calls have succeeded */
	bool is_blind; /* it must not get any byte but zeros */
} lists_peer;

static void lists_write(uint8_t *to, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n && lists_peer.is_blind; i++)
		FUZZ_CHECK(bytes[i] == 0);
	memcpy(to, bytes, n);
}

static ssize_t lists_move(const struct iovec *local, const struct iovec *remote, size_t n,
			  bool is_write)
{
	size_t done = 0, max = lists_peer.piece == 0 ? SIZE_MAX : lists_peer.piece;

	if (lists_peer.fails && lists_peer.n_left-- == 0) {
		lists_peer.n_left = 0;
		return -ESRCH;
	}
	for (size_t i = 0; i < n && done < max; i++) {
		size_t at = (size_t)((uint8_t *)remote[i].iov_base - LISTS_PEER);
		size_t now = MIN(remote[i].iov_len, max - done);

		FUZZ_CHECK(local[i].iov_len == remote[i].iov_len);
		FUZZ_CHECK(at <= LISTS_LEN && now <= LISTS_LEN - at);
		if (is_write)
			lists_write(lists_theirs.bytes + at, local[i].iov_base, now);
		else
			memcpy(local[i].iov_base, lists_theirs.bytes + at, now);
		done += now;
	}
	return (ssize_t)done;
}

static ssize_t lists_readv(struct transport_region *region, const struct iovec *local,
			   size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)region;
	FUZZ_CHECK(n_local == n_remote);
	return lists_move(local, remote, n_remote, false);
}

static ssize_t lists_writev(struct transport_region *region, const struct iovec *local,
			    size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)region;
	FUZZ_CHECK(n_local == n_remote);
	return lists_move(local, remote, n_remote, true);
}

/* Called once, after ends_open(). */
static inline void lists_open(void)
{
	static const struct transport_ops ops = {
		.name = "toy",
		.open = transport_open_unsupported,
		.close = transport_close_nothing,
		.readv = lists_readv,
		.writev = lists_writev,
	};

	lists_ours.address = lists_ours.bytes;
	lists_ours.map = ends_map(lists_ours.bytes, LISTS_LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	lists_theirs.address = LISTS_PEER;
	lists_theirs.map = ends_map(LISTS_PEER, LISTS_LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	lists_theirs.map->from_export = true;
	lists_theirs.map->readable = lists_theirs.map->writable = true;
	lists_theirs.map->region = (struct transport_region){.ops = &ops, .pidfd = -1};
	lists_theirs.map->direct = false;
	mmap_set_fast(lists_theirs.map);
	FUZZ_CHECK(doca_buf_inventory_create(64, &lists_inventory) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_buf_inventory_start(lists_inventory) == DOCA_SUCCESS);
}

static inline struct lists_memory *lists_of(const struct doca_buf *buf)
{
	return buf->mmap == lists_ours.map ? &lists_ours : &lists_theirs;
}

/* Returns where a byte of a buffer is in the bytes of its memory. */
static inline size_t lists_at(const struct doca_buf *buf, const uint8_t *address)
{
	return (size_t)(address - lists_of(buf)->address);
}

/* Fills both memories with bytes that no result is likely to have. */
static inline void lists_reset(void)
{
	memset(lists_ours.bytes, 0xa5, LISTS_LEN);
	memset(lists_theirs.bytes, 0x5a, LISTS_LEN);
}

/* Records the contents, before a task runs. */
static inline void lists_record(void)
{
	memcpy(lists_ours.expected, lists_ours.bytes, LISTS_LEN);
	memcpy(lists_theirs.expected, lists_theirs.bytes, LISTS_LEN);
}

/* Checks that nothing has changed but what was set in the records. */
static inline void lists_compare(void)
{
	FUZZ_CHECK(memcmp(lists_ours.expected, lists_ours.bytes, LISTS_LEN) == 0);
	FUZZ_CHECK(memcmp(lists_theirs.expected, lists_theirs.bytes, LISTS_LEN) == 0);
}

static inline struct doca_buf *lists_buf(struct lists_memory *memory, size_t at, size_t len,
					 size_t data_len)
{
	struct doca_buf *buf;

	FUZZ_CHECK(at + len <= LISTS_LEN);
	FUZZ_CHECK(doca_buf_inventory_buf_get_by_args(
			   lists_inventory, memory->map, memory->address + at, len,
			   memory->address + at, data_len, &buf) == DOCA_SUCCESS);
	return buf;
}

/* The lengths of the buffers of a list: those of `cuts` while there are bytes, then the rest. */
struct lists_shape {
	const uint8_t *cuts; /* LISTS_CUTS bytes */
	size_t unit;         /* the length that 1 stands for */
	unsigned n;          /* buffers, at most LISTS_CUTS */
};

static inline struct doca_buf *lists_chain(struct doca_buf *head, struct doca_buf *buf)
{
	if (head == NULL)
		return buf;
	FUZZ_CHECK(doca_buf_chain_list(head, buf) == DOCA_SUCCESS);
	return head;
}

static inline size_t lists_next_len(const struct lists_shape *shape, unsigned i, size_t left)
{
	return i + 1 == shape->n ? left : MIN(left, shape->cuts[i] * shape->unit);
}

/* Makes a source with these bytes in the first half. */
static inline struct doca_buf *lists_src(struct lists_memory *memory, struct lists_shape shape,
					 const uint8_t *bytes, size_t n)
{
	struct doca_buf *head = NULL;
	size_t at = LISTS_GAP;

	for (unsigned i = 0; i < shape.n; i++) {
		size_t len = lists_next_len(&shape, i, n);

		memcpy(memory->bytes + at, bytes, len);
		head = lists_chain(head, lists_buf(memory, at, len + 1, len));
		at += len + LISTS_GAP;
		bytes += len;
		n -= len;
	}
	return head;
}

/* Makes a destination with `room` bytes in the second half; each buffer has 3 bytes of data. */
#define LISTS_USED 3u
static inline struct doca_buf *lists_dst(struct lists_memory *memory, struct lists_shape shape,
					 size_t room)
{
	struct doca_buf *head = NULL;
	size_t at = LISTS_HALF + LISTS_GAP;

	for (unsigned i = 0; i < shape.n; i++) {
		size_t len = lists_next_len(&shape, i, room);

		head = lists_chain(head, lists_buf(memory, at, LISTS_USED + len, LISTS_USED));
		at += LISTS_USED + len + LISTS_GAP;
		room -= len;
	}
	return head;
}

static inline void lists_release(struct doca_buf *head)
{
	FUZZ_CHECK(doca_buf_dec_refcount(head, NULL) == DOCA_SUCCESS);
}

/* Sets in the records what a task appends to an empty destination, before it runs. */
static inline void lists_expect(const struct doca_buf *dst, const uint8_t *bytes, size_t n)
{
	for (; n > 0; dst = dst->next) {
		size_t now = MIN(n, buf_tail_room(dst));

		memcpy(lists_of(dst)->expected + lists_at(dst, dst->data + dst->data_len), bytes,
		       now);
		bytes += now;
		n -= now;
	}
}

/* Checks that the data of a destination has grown by n bytes, in order. */
static inline void lists_check_len(const struct doca_buf *dst, size_t used, size_t n)
{
	for (; dst != NULL; dst = dst->next) {
		size_t now = MIN(n, dst->len - used);

		FUZZ_CHECK(dst->data == dst->head && dst->data_len == used + now);
		n -= now;
	}
	FUZZ_CHECK(n == 0);
}

#endif
