/*
 * Memory of this process, and of a toy peer that exported it: the latter is reached by calls, which
 * may move a part only, find a range that is not mapped, or fail. Buffers and random lists in both.
 * Sources are in the first half of each, destinations in the second. Include it in one file of a
 * program.
 */
#ifndef TESTS_UNIT_CLIENT_TOY_PEER_H
#define TESTS_UNIT_CLIENT_TOY_PEER_H

#include <errno.h>

#include "tests/unit/client/dma/fixture.h"

#define LEN       (1u << 20)
#define PEER_BASE UINT64_C(0x700000000000) /* the exporter's address */

static uint8_t ours[LEN], theirs[LEN];
static struct doca_mmap *mmap, *peer, *peer2; /* two imports of the peer's memory */
static struct doca_buf_inventory *inventory;

static struct {
	size_t cut; /* maximum bytes of a call, while n_cuts is not 0 */
	unsigned n_cuts, n_calls;
	size_t bad_from, bad_to; /* offsets that are not mapped */
	int error;
	unsigned n_good; /* calls before the error */
} toy;

static inline size_t toy_len(const struct iovec *list, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_gt(list[i].iov_len, 0);
		len += list[i].iov_len;
	}
	return len;
}

static inline ssize_t toy_move(const struct iovec *local, size_t n_local,
			       const struct iovec *remote, size_t n_remote, bool is_write)
{
	size_t done = 0, local_at = 0, max = SIZE_MAX;

	ck_assert_uint_le(n_remote, 1024);
	ck_assert_uint_eq(toy_len(local, n_local), toy_len(remote, n_remote));
	toy.n_calls++;
	if (toy.error != 0 && toy.n_calls > toy.n_good)
		return -toy.error;
	if (toy.n_cuts > 0) {
		toy.n_cuts--;
		max = toy.cut;
	}
	for (size_t i = 0; i < n_remote; i++) {
		for (size_t k = 0; k < remote[i].iov_len && done < max; k++, done++, local_at++) {
			size_t at = (uintptr_t)remote[i].iov_base + k - PEER_BASE;
			uint8_t *mine;

			if (at >= LEN || (at >= toy.bad_from && at < toy.bad_to))
				return done > 0 ? (ssize_t)done : -EFAULT;
			if (local_at == local->iov_len) {
				local++;
				local_at = 0;
			}
			mine = (uint8_t *)local->iov_base + local_at;
			if (is_write)
				theirs[at] = *mine;
			else
				*mine = theirs[at];
		}
	}
	return (ssize_t)done;
}

static inline ssize_t toy_readv(struct transport_region *region, const struct iovec *local,
				size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)region;
	return toy_move(local, n_local, remote, n_remote, false);
}

static inline ssize_t toy_writev(struct transport_region *region, const struct iovec *local,
				 size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)region;
	return toy_move(local, n_local, remote, n_remote, true);
}

/* Creates an import of all of the peer's memory. */
static inline struct doca_mmap *toy_import(void)
{
	static const struct transport_ops ops = {
		.name = "toy",
		.open = transport_open_unsupported,
		.close = transport_close_nothing,
		.readv = toy_readv,
		.writev = toy_writev,
	};
	const struct transport_region region = {.ops = &ops, .pid = 4711, .pidfd = -1};

	return unit_import(PEER_BASE, LEN, true, true, &region);
}

static inline void memories_open(void)
{
	mmap = unit_mmap(ours, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	peer = toy_import();
	peer2 = toy_import();
	inventory = unit_inventory(1024);
	unit_fill(ours, LEN, 42);
	unit_fill(theirs, LEN, 43);
}

static inline void memories_close(void)
{
	ck_assert_uint_eq(unit_n_free(inventory), 1024);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(mmap));
	ck_ok(doca_mmap_destroy(peer));
	ck_ok(doca_mmap_destroy(peer2));
}

/* A buffer with these bytes, and one with room, in this process. */
static inline struct doca_buf *src_of(const void *bytes, size_t n)
{
	memcpy(ours, bytes, n);
	return unit_buf(inventory, mmap, ours, n, 0, n);
}

static inline struct doca_buf *dst_of(size_t n)
{
	return unit_buf(inventory, mmap, ours + LEN / 2, n, 0, 0);
}

/* --- random lists --- */

/* Returns a list with n bytes of data, which it also stores in `message`. */
static inline struct doca_buf *random_src(uint64_t *seed, size_t n, uint8_t *message)
{
	struct doca_buf *list = NULL;
	unsigned kind = (unsigned)(unit_random(seed) % 3);

	do {
		bool is_last = list != NULL && unit_random(seed) % 8 == 0;
		size_t part = is_last ? n : unit_random(seed) % (n + 1);
		size_t lead = unit_random(seed) % 50, tail = unit_random(seed) % 50;
		size_t from = unit_random(seed) % (LEN / 2 - 100 - n);
		bool is_peer = kind == 2 ? unit_random(seed) % 2 : kind;
		struct doca_mmap *map = !is_peer ? mmap : unit_random(seed) % 4 ? peer : peer2;

		list = unit_chain(list,
				  unit_buf(inventory, map,
					   is_peer ? (uint8_t *)PEER_BASE + from : ours + from,
					   lead + part + tail, lead, part));
		memcpy(message, (is_peer ? theirs : ours) + from + lead, part);
		message += part;
		n -= part;
		if (is_last)
			break;
	} while (n > 0 || unit_random(seed) % 4 == 0);
	return list;
}

/* A destination in pieces, with the address of each byte of its room. */
struct room {
	struct doca_buf *list;
	size_t before;
	uint8_t *bytes[LEN / 2];
};
static struct room room;

static inline void random_dst(uint64_t *seed, size_t len)
{
	size_t at = LEN / 2, have = 0;

	room.list = NULL;
	do {
		size_t n = unit_random(seed) % 3 ? len : unit_random(seed) % (len + 1);
		size_t lead = unit_random(seed) % 20, data = unit_random(seed) % 20;
		bool is_peer = unit_random(seed) % 3 == 0;

		n = MIN(n, LEN - at - 64);
		room.list = unit_chain(room.list,
				       unit_buf(inventory, is_peer ? peer : mmap,
						is_peer ? (uint8_t *)PEER_BASE + at : ours + at,
						lead + data + n, lead, data));
		for (size_t i = 0; i < n && have < len; i++)
			room.bytes[have++] = (is_peer ? theirs : ours) + at + lead + data + i;
		at += lead + data + n;
	} while (have < len);
	room.before = unit_data_len(room.list);
}

/* Checks that n bytes were appended. */
static inline void ck_room(const uint8_t *expected, size_t n)
{
	ck_assert_uint_eq(unit_data_len(room.list), room.before + n);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(*room.bytes[i] == expected[i], "byte %zu of %zu", i, n);
}

#endif
