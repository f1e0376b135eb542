/*
 * Producers and consumers of the comch engine: every path of a payload, ids and immediate data,
 * refusals, starting and stopping, sleeping. Both ends are in this process, with simulated daemons
 * between them.
 */
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_log.h>

#include "tests/unit/client/comch/fast_ends.h"

static const size_t sizes[] = {
	0,       1,   8,   15,  16,  17,  47,   48,    64,    128,      191,
	192,     193, 200, 224, 240, 241, 4096, 65536, 65537, 1u << 20, (1u << 20) + 1,
	4u << 20};

START_TEST(test_paths)
{
	struct pair pair;
	uint8_t imm[32];
	size_t i;

	pair_make(&pair, (enum path)_i);
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		uint32_t imm_len = (uint32_t)(i * 5 % 33);
		size_t lead = i % 3 * 10;

		memset(pair.sink.memory.bytes, 0xee, sizes[i] + 100);
		memset(imm, (int)i, sizeof(imm));
		sink_post(&pair.sink, i, sizes[i], lead);
		ck_assert_int_eq(
			source_send_imm(&pair.source, pair.sink.id, 3 * i, sizes[i], imm, imm_len),
			DOCA_SUCCESS);
		pe_run(pair.sink.pe);
		ck_assert_uint_eq(pair.sink.n_recv, i + 1);
		ck_assert_uint_eq(pair.sink.data_len, lead + sizes[i]);
		ck_assert_mem_eq(pair.sink.memory.bytes + i + lead,
				 pair.source.memory.bytes + 3 * i, sizes[i]);
		/* Bytes before and after the message are unchanged. */
		ck_assert(lead == 0 || pair.sink.memory.bytes[i] == 0xee);
		ck_assert_uint_eq(pair.sink.memory.bytes[i + lead + sizes[i]], 0xee);
		ck_assert_uint_eq(pair.sink.producer_id, pair.source.id);
		ck_assert_uint_eq(pair.sink.imm_len, imm_len);
		ck_assert_mem_eq(pair.sink.imm, imm, imm_len);
		ck_assert_uint_eq(pair.source.n_sent, i);
		pe_run(pair.source.pe);
		ck_assert_uint_eq(pair.source.n_sent, i + 1);
	}
	ck_assert_uint_eq(pair.source.n_failed, 0);
	ck_assert_uint_eq(pair.sink.n_flushed, 0);
	pair_free(&pair);
}
END_TEST

/* More than one lap of the slots, with several messages in flight. */
START_TEST(test_laps)
{
	struct pair pair;
	unsigned i, j;

	pair_make(&pair, (enum path)_i);
	for (i = 0; i < 100; i++) {
		unsigned n = 1 + i % FAST_TASKS;

		for (j = 0; j < n; j++)
			sink_post(&pair.sink, j * 4096, 1000, 0);
		for (j = 0; j < n; j++)
			ck_assert_int_eq(source_send(&pair.source, pair.sink.id, i + j,
						     j % 2 == 0 ? 60 : 999),
					 DOCA_SUCCESS);
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 1),
				 n == FAST_TASKS ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_AGAIN);
		pe_run(pair.sink.pe);
		pe_run(pair.source.pe);
		for (j = 0; j < n; j++)
			ck_assert_mem_eq(pair.sink.memory.bytes + j * 4096,
					 pair.source.memory.bytes + i + j, j % 2 == 0 ? 60 : 999);
	}
	ck_assert_uint_eq(pair.sink.n_recv, pair.source.n_sent);
	pair_free(&pair);
}
END_TEST

START_TEST(test_again)
{
	struct pair pair;

	pair_make(&pair, (enum path)_i);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_ERROR_AGAIN);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 50), DOCA_ERROR_AGAIN);
	sink_post(&pair.sink, 0, 8192, 0);
	/* The sender makes no progress in between. */
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 50), DOCA_ERROR_AGAIN);
	pair.sink.repost = true;
	pe_run(pair.sink.pe);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 50), DOCA_SUCCESS);
	pair.sink.repost = false;
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 2);
	pair_free(&pair);
}
END_TEST

/*
 * A callback that posts while many receives are free need not publish them at once. They are
 * published when progress finds no work, and before the consumer sleeps. Tests lengths below and
 * above a slot's capacity.
 */
START_TEST(test_offers)
{
	const uint32_t n = 63; /* no multiple of the number that is published at once */
	struct pair pair;
	uint32_t i, n_turns;

	ends_make(&pair, "offers");
	sink_make(&pair.sink, &pair.server, true, n);
	pair.sink.repost = true;
	sink_start(&pair.sink);
	progress(&pair.client);
	source_make(&pair.source, &pair.client);
	for (i = 0; i < n; i++)
		sink_post(&pair.sink, (size_t)i * 100, 100, 0);
	for (n_turns = 0; n_turns < 3; n_turns++) {
		for (i = 0; i < n; i++) {
			ck_assert_int_eq(source_send(&pair.source, pair.sink.id, i, 1 + i % 100),
					 DOCA_SUCCESS);
			pe_run(pair.source.pe);
		}
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 1), DOCA_ERROR_AGAIN);
		if (_i == 0) {
			pe_run(pair.sink.pe);
		} else {
			for (i = 0; i < n; i++)
				ck_assert_uint_eq(doca_pe_progress(pair.sink.pe), 1);
			ck_assert_int_eq(doca_pe_request_notification(pair.sink.pe), DOCA_SUCCESS);
			ck_assert_int_eq(doca_pe_clear_notification(pair.sink.pe, 0), DOCA_SUCCESS);
		}
		ck_assert_uint_eq(pair.sink.n_recv, n * (n_turns + 1));
		ck_assert_uint_eq(pair.sink.data_len, 1 + (n - 1) % 100);
		ck_assert_int_eq(memcmp(pair.sink.data, pair.source.memory.bytes + n - 1,
					pair.sink.data_len),
				 0);
	}
	pair_free(&pair);
}
END_TEST

/* The bounce area is reused, never exceeded, and returns AGAIN when full. */
START_TEST(test_bounce_full)
{
	struct pair pair;
	unsigned i, n;

	pair_make(&pair, PATH_BOUNCE);
	for (i = 0; i < FAST_TASKS; i++)
		sink_post(&pair.sink, 0, 3u << 20, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 3u << 20), DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 2u << 20), DOCA_ERROR_AGAIN);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 9, 1u << 20), DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 4096), DOCA_ERROR_AGAIN);
	/* Small messages do not use it. */
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 64), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 3);
	for (i = 3, n = 0; i < FAST_TASKS; i++) {
		size_t len = 700000 + 123 * (size_t)i;
		doca_error_t result = source_send(&pair.source, pair.sink.id, i, len);

		if (result == DOCA_ERROR_AGAIN) {
			n++;
			pe_run(pair.sink.pe);
			result = source_send(&pair.source, pair.sink.id, i, len);
		}
		ck_assert_int_eq(result, DOCA_SUCCESS);
	}
	pe_run(pair.sink.pe);
	ck_assert_mem_eq(pair.sink.memory.bytes, pair.source.memory.bytes + FAST_TASKS - 1, 700000);
	ck_assert_uint_ge(n, 1);
	ck_assert_uint_eq(pair.sink.n_recv, FAST_TASKS);
	pe_run(pair.source.pe);
	sink_post(&pair.sink, 0, 5u << 20, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5u << 20),
			 DOCA_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 4u << 20), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	pair_free(&pair);
}
END_TEST

/* Another producer uses the bounce area for an unlimited time; no end waits for it. */
START_TEST(test_bounce_in_use)
{
	const struct doca_comch_producer *producer;
	struct comch_bounce *bounce;
	struct pair pair;

	pair_make(&pair, PATH_BOUNCE);
	for (unsigned i = 0; i < 4; i++)
		sink_post(&pair.sink, 0, 100000, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100000), DOCA_SUCCESS);
	producer = pair.source.producer;
	bounce = &producer->known[pair.sink.id & producer->known_mask]->bounce;
	ck_assert(comch_try_lock_acquire(&bounce->lock));
	ck_assert(!comch_try_lock_acquire(&bounce->lock));
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 1, 100000), DOCA_ERROR_AGAIN);
	ck_assert_uint_eq(bounce->n, 1);
	/* Small messages do not use it. */
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 2, 64), DOCA_SUCCESS);
	comch_try_lock_release(&bounce->lock);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 3, 100000), DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 4, 100000), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 4);
	ck_assert_mem_eq(pair.sink.memory.bytes, pair.source.memory.bytes + 4, 100000);
	pe_run(pair.source.pe);
	pair_free(&pair);
}
END_TEST

START_TEST(test_refused)
{
	struct doca_comch_producer_task_send *send;
	struct doca_comch_consumer_task_post_recv *recv;
	struct doca_buf *one, *two, *outside;
	uint8_t imm[65] = {0};
	struct pair pair;

	pair_make(&pair, PATH_LOCAL);
	sink_post(&pair.sink, 0, 100, 0);
	/* The receive that was too small stays posted. */
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 101), DOCA_ERROR_TOO_BIG);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_ERROR_TOO_BIG);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id + 1, 0, 10), DOCA_ERROR_NOT_FOUND);
	ck_assert_int_eq(source_send(&pair.source, 0, 0, 10), DOCA_ERROR_NOT_FOUND);
	ck_assert_int_eq(source_send_imm(&pair.source, pair.sink.id, 0, 10, imm, 33),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(source_send_imm(&pair.source, pair.sink.id, 0, 10, imm, 65),
			 DOCA_ERROR_INVALID_VALUE);
	/* Too much immediate data that is set later is detected at submission. */
	ck_assert_int_eq(doca_comch_producer_task_send_alloc_init(pair.source.producer, NULL, imm,
								  1, pair.sink.id, &send),
			 DOCA_SUCCESS);
	doca_comch_producer_task_send_set_imm_data(send, imm, 65);
	ck_assert_int_eq(doca_task_try_submit(doca_comch_producer_task_send_as_task(send)),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_task_submit(doca_comch_producer_task_send_as_task(send)),
			 DOCA_ERROR_INVALID_VALUE);
	doca_comch_producer_task_send_set_imm_data(send, NULL, 0);
	/* Lists of buffers. */
	one = memory_buf(&pair.source.memory, 0, 10, 10);
	two = memory_buf(&pair.source.memory, 10, 10, 10);
	ck_assert_int_eq(doca_buf_chain_list(one, two), DOCA_SUCCESS);
	doca_comch_producer_task_send_set_buf(send, one);
	ck_assert_int_eq(doca_task_submit(doca_comch_producer_task_send_as_task(send)),
			 DOCA_ERROR_INVALID_VALUE);
	doca_task_free(doca_comch_producer_task_send_as_task(send));
	ck_assert_int_eq(doca_buf_dec_refcount(one, NULL), DOCA_SUCCESS);
	/* Invalid receives: memory of another map, a list, a window outside its buffer. */
	outside = memory_buf(&pair.source.memory, 0, 100, 0);
	ck_assert_int_eq(sink_post_buf(&pair.sink, outside), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_buf_dec_refcount(outside, NULL), DOCA_SUCCESS);
	one = memory_buf(&pair.sink.memory, 0, 10, 10);
	ck_assert_int_eq(doca_buf_set_data(one, pair.sink.memory.bytes + 11, 5), DOCA_SUCCESS);
	ck_assert_int_eq(sink_post_buf(&pair.sink, one), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(doca_buf_set_data(one, pair.sink.memory.bytes, 5), DOCA_SUCCESS);
	two = memory_buf(&pair.sink.memory, 10, 10, 10);
	ck_assert_int_eq(doca_buf_chain_list(one, two), DOCA_SUCCESS);
	ck_assert_int_eq(sink_post_buf(&pair.sink, one), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(
		doca_comch_consumer_task_post_recv_alloc_init(pair.sink.consumer, one, &recv),
		DOCA_SUCCESS);
	ck_assert_int_eq(doca_task_try_submit(doca_comch_consumer_task_post_recv_as_task(recv)),
			 DOCA_ERROR_INVALID_VALUE);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(recv));
	ck_assert_int_eq(doca_buf_dec_refcount(one, NULL), DOCA_SUCCESS);
	/* The first receive still gets its message. */
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	pair_free(&pair);
}
END_TEST

/* Each end has the limits of its own device. */
START_TEST(test_longest)
{
	struct doca_comch_producer_task_send *send;
	struct pair pair;
	uint32_t reported;

	fake_host.info->caps.comch_fast_max_buf_size = 1u << 30;
	ck_assert_int_eq(doca_comch_producer_cap_get_max_buf_size(fake_host.info, &reported),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(reported, 2u << 20);
	ck_assert_int_eq(doca_comch_consumer_cap_get_max_buf_size(fake_host.info, &reported),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(reported, 2u << 20);
	fake_host.info->caps.comch_fast_max_buf_size = 6000;
	ck_assert_int_eq(doca_comch_producer_cap_get_max_buf_size(fake_host.info, &reported),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(reported, 6000);
	fake_dpu.info->caps.comch_fast_max_buf_size = 5000;
	pair_make(&pair, (enum path)_i);
	sink_post(&pair.sink, 0, 8000, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 6001),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "max_buf_size"));
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5001), DOCA_ERROR_TOO_BIG);
	ck_assert_int_eq(doca_comch_producer_task_send_alloc_init(
				 pair.source.producer,
				 memory_buf(&pair.source.memory, 0, 6001, 6001), NULL, 0,
				 pair.sink.id, &send),
			 DOCA_SUCCESS);
	ck_assert_int_eq(doca_task_try_submit(doca_comch_producer_task_send_as_task(send)),
			 DOCA_ERROR_INVALID_VALUE);
	source_done(send);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.data_len, 5000);
	pair_free(&pair);
}
END_TEST

START_TEST(test_imm_only)
{
	uint8_t imm[32] = "immediate";
	struct pair pair;

	pair_make(&pair, (enum path)_i);
	ck_assert_int_eq(sink_post_buf(&pair.sink, NULL), DOCA_SUCCESS);
	sink_post(&pair.sink, 0, 100, 0);
	sink_post(&pair.sink, 0, 100, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 1), DOCA_ERROR_TOO_BIG);
	ck_assert_int_eq(source_send_imm(&pair.source, pair.sink.id, SIZE_MAX, 0, imm, 9),
			 DOCA_SUCCESS);
	ck_assert_int_eq(source_send_imm(&pair.source, pair.sink.id, SIZE_MAX, 0, imm, 32),
			 DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, SIZE_MAX, 0), DOCA_SUCCESS);
	ck_assert_uint_eq(doca_pe_progress(pair.sink.pe), 1);
	ck_assert_uint_eq(pair.sink.imm_len, 9);
	ck_assert_mem_eq(pair.sink.imm, imm, 9);
	ck_assert_uint_eq(doca_pe_progress(pair.sink.pe), 1);
	ck_assert_uint_eq(pair.sink.imm_len, 32);
	ck_assert_uint_eq(doca_pe_progress(pair.sink.pe), 1);
	ck_assert_uint_eq(pair.sink.imm_len, 0);
	ck_assert_uint_eq(pair.sink.data_len, 0);
	pair_free(&pair);
}
END_TEST

/*
 * Payloads of every length around the capacity of a slot, and nothing else. Receives alternate
 * between the consumer's map and another map of the same memory.
 */
START_TEST(test_lengths)
{
	const uint8_t guard = 0xa5;
	struct memory *memory;
	struct doca_mmap *other;
	struct doca_buf *buf;
	struct pair pair;
	size_t len, i;

	pair_make(&pair, PATH_LOCAL);
	memory = &pair.sink.memory;
	ck_assert_int_eq(doca_mmap_create(&other), DOCA_SUCCESS);
	ck_assert_int_eq(doca_mmap_set_memrange(other, memory->bytes, memory->len), DOCA_SUCCESS);
	ck_assert_int_eq(doca_mmap_add_dev(other, memory->dev), DOCA_SUCCESS);
	ck_assert_int_eq(doca_mmap_start(other), DOCA_SUCCESS);
	for (i = 0; i < 200; i++)
		pair.source.memory.bytes[i] = (uint8_t)(i * 7 + 1);
	for (len = 0; len <= 80; len++) {
		memset(memory->bytes, guard, 200);
		ck_assert_int_eq(doca_buf_inventory_buf_get_by_args(
					 memory->inventory, len % 2 ? other : memory->mmap,
					 memory->bytes, 200, memory->bytes + 3, 4, &buf),
				 DOCA_SUCCESS);
		ck_assert_int_eq(sink_post_buf(&pair.sink, buf), DOCA_SUCCESS);
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, len, len), DOCA_SUCCESS);
		pe_run(pair.sink.pe);
		pe_run(pair.source.pe);
		ck_assert_uint_eq(pair.sink.n_recv, len + 1);
		ck_assert_uint_eq(pair.sink.data_len, 4 + len);
		ck_assert_mem_eq(memory->bytes + 7, pair.source.memory.bytes + len, len);
		for (i = 0; i < 200; i++) {
			if (i < 7 || i >= 7 + len)
				ck_assert_uint_eq(memory->bytes[i], guard);
		}
	}
	ck_assert_int_eq(doca_mmap_destroy(other), DOCA_SUCCESS);
	pair_free(&pair);
}
END_TEST

/* Immediate data of every length, with payloads around the capacity of the slot. */
START_TEST(test_imm_lengths)
{
	struct pair pair;
	uint8_t imm[64];
	uint32_t len, i;

	ends_make(&pair, "imm");
	fake_reach = FAKE_REACH_NOT;
	sink_make(&pair.sink, &pair.server, false, FAST_TASKS);
	ck_assert_int_eq(doca_comch_consumer_set_imm_data_len(pair.sink.consumer, 64),
			 DOCA_SUCCESS);
	sink_start(&pair.sink);
	progress(&pair.client);
	source_make(&pair.source, &pair.client);
	for (i = 0; i < sizeof(imm); i++)
		imm[i] = (uint8_t)(200 - i);
	for (len = 0; len <= 64; len++) {
		for (i = 160; i < 330; i += 7) {
			memset(pair.sink.memory.bytes, 0, 400);
			sink_post(&pair.sink, 0, 400, 0);
			ck_assert_int_eq(
				source_send_imm(&pair.source, pair.sink.id, 1, i, imm, len),
				DOCA_SUCCESS);
			pe_run(pair.sink.pe);
			pe_run(pair.source.pe);
			ck_assert_uint_eq(pair.sink.imm_len, len);
			ck_assert_mem_eq(pair.sink.imm, imm, len);
			ck_assert_uint_eq(pair.sink.data_len, i);
			ck_assert_mem_eq(pair.sink.memory.bytes, pair.source.memory.bytes + 1, i);
		}
	}
	pair_free(&pair);
}
END_TEST

START_TEST(test_stop_and_start)
{
	struct pair pair;
	uint32_t first;
	int round;

	pair_make(&pair, PATH_SHM);
	first = pair.sink.id;
	for (round = 0; round < 3; round++) {
		sink_post(&pair.sink, 0, 100, 0);
		sink_post(&pair.sink, 200, 100, 0);
		sink_post(&pair.sink, 400, 100, 0);
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100), DOCA_SUCCESS);
		pair.sink.n_flushed = pair.sink.n_recv = 0;
		/* The message that has arrived is delivered, the other receives are flushed. */
		sink_stop(&pair.sink);
		ck_assert_uint_eq(pair.sink.n_recv, 1);
		ck_assert_uint_eq(pair.sink.n_flushed, 2);
		ck_assert_int_eq(pair.sink.flush_code, DOCA_ERROR_SHUTDOWN);
		/* Both before and after the event is handled. */
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100),
				 DOCA_ERROR_NOT_FOUND);
		progress(&pair.client);
		ck_assert_uint_eq(pair.client.n_expired, (unsigned)round + 1);
		ck_assert_uint_eq(pair.client.last_expired, pair.sink.id);
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100),
				 DOCA_ERROR_NOT_FOUND);
		pe_run(pair.source.pe);
		sink_start(&pair.sink);
		ck_assert_uint_ne(pair.sink.id, first);
		progress(&pair.client);
		ck_assert_uint_eq(pair.client.last_new, pair.sink.id);
	}
	pair_free(&pair);
}
END_TEST

/*
 * Consumers that stop right after their start, while the other end's program makes no progress: it
 * gets an event for each, and for its end, in order. The last one stays.
 */
START_TEST(test_ended_at_once)
{
	struct source source;
	struct pair pair;
	unsigned i;

	ends_make(&pair, "brief");
	fake_is_remote = pair.client.conn->link->is_remote = _i == 1;
	/*
	 * The last one is announced and cannot be adopted, because no slots of another machine
	 * exist here.
	 */
	fake_refuse_import = _i == 1 ? DOCA_ERROR_NO_MEMORY : 0;
	sink_make(&pair.sink, &pair.server, false, 4);
	source_make(&source, &pair.client);
	for (i = 0; i < 10; i++) {
		sink_start(&pair.sink);
		sink_stop(&pair.sink);
	}
	sink_start(&pair.sink);
	/*
	 * The program gets the event of one consumer, to which it cannot send, and then of its end.
	 */
	while (pair.client.n_new == 0)
		doca_pe_progress(pair.client.pe);
	ck_assert_int_eq(source_send(&source, pair.client.last_new, 0, 10), DOCA_ERROR_NOT_FOUND);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_history, 21);
	for (i = 0; i < 21; i++)
		ck_assert_uint_eq(pair.client.history[i], (1 + i / 2) | (i % 2 != 0 ? EXPIRED : 0));
	ck_assert_uint_eq(pair.sink.id, 11);
	sink_stop(&pair.sink);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_expired, 11);
	source_free(&source);
	sink_free(&pair.sink);
	ends_free(&pair);
	fake_is_remote = false;
	fake_refuse_import = 0;
}
END_TEST

/* The same if their program ends at once, too: all events come before the connection's end. */
START_TEST(test_ended_with_connection)
{
	bool is_asleep = _i >= 2;
	struct end *notified, *peer;
	struct pair pair;
	unsigned i;

	ends_make(&pair, "briefer");
	notified = _i & 1 ? &pair.server : &pair.client;
	peer = _i & 1 ? &pair.client : &pair.server;
	sink_make(&pair.sink, peer, false, 4);
	if (is_asleep)
		go_to_sleep(notified);
	ck_assert_int_eq(send_msg(peer, peer->conn, "bye", 3), DOCA_SUCCESS);
	for (i = 0; i < 5; i++) {
		sink_start(&pair.sink);
		if (i < 4)
			sink_stop(&pair.sink);
	}
	end_stop(peer);
	if (is_asleep)
		wake_up(notified);
	progress_until(notified,
		       notified->server != NULL ? &notified->n_disconnects : &notified->n_idle, 1);
	ck_assert_uint_eq(notified->n_recv, 1);
	ck_assert_uint_eq(notified->n_expired_at_end, 5);
	ck_assert_uint_eq(notified->n_history, 10);
	for (i = 0; i < 10; i++)
		ck_assert_uint_eq(notified->history[i], (1 + i / 2) | (i % 2 != 0 ? EXPIRED : 0));
	pe_run(pair.sink.pe);
	sink_free(&pair.sink);
	ends_free(&pair);
}
END_TEST

/* Started at once when its peer connects, in the connection callback. */
static struct sink early;

static void on_connect_consume(struct doca_comch_event_connection_status_changed *event,
			       struct doca_comch_connection *conn, uint8_t ok)
{
	struct end *end = end_of(conn);

	on_connect(event, conn, ok);
	sink_make(&early, end, false, 4);
	ck_assert_int_eq(doca_ctx_start(early.ctx), DOCA_ERROR_IN_PROGRESS);
}

START_TEST(test_early)
{
	struct pair pair;

	server_make(&pair.server, "early");
	ck_assert_int_eq(doca_comch_server_event_connection_status_changed_register(
				 pair.server.server, on_connect_consume, on_disconnect),
			 DOCA_SUCCESS);
	server_start(&pair.server);
	client_make(&pair.client, "early");
	client_connect(&pair.client, &pair.server);
	ck_assert_uint_eq(pair.client.n_new, 1);
	pe_run(early.pe);
	ck_assert_uint_eq(early.n_running, 1);
	sink_stop(&early);
	sink_free(&early);
	ends_free(&pair);
}
END_TEST

START_TEST(test_both_directions)
{
	struct pair pair;
	struct source back;
	struct sink there;

	pair_make(&pair, (enum path)_i);
	sink_make(&there, &pair.client, _i == PATH_SHM, 4);
	sink_start(&there);
	progress(&pair.server);
	ck_assert_uint_eq(pair.server.last_new, there.id);
	source_make(&back, &pair.server);
	sink_post(&there, 0, 5000, 0);
	sink_post(&pair.sink, 0, 5000, 0);
	ck_assert_int_eq(source_send(&back, there.id, 10, 5000), DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 20, 5000), DOCA_SUCCESS);
	pe_run(there.pe);
	pe_run(pair.sink.pe);
	ck_assert_mem_eq(there.memory.bytes, back.memory.bytes + 10, 5000);
	ck_assert_mem_eq(pair.sink.memory.bytes, pair.source.memory.bytes + 20, 5000);
	sink_stop(&there);
	sink_free(&there);
	source_free(&back);
	pair_free(&pair);
}
END_TEST

START_TEST(test_limits)
{
	struct doca_comch_consumer *consumers[9];
	struct doca_comch_producer *producers[9];
	uint32_t ids[9];
	struct memory memory;
	struct pair pair;
	unsigned i, j;

	ends_make(&pair, "many");
	memory_make(&memory, &fake_dpu, false);
	for (i = 0; i < 8; i++) {
		ck_assert_int_eq(
			doca_comch_consumer_create(pair.server.conn, memory.mmap, &consumers[i]),
			DOCA_SUCCESS);
		ck_assert_int_eq(doca_comch_producer_create(pair.server.conn, &producers[i]),
				 DOCA_SUCCESS);
		ck_assert_int_eq(doca_comch_consumer_get_id(consumers[i], &ids[i]), DOCA_SUCCESS);
		for (j = 0; j < i; j++)
			ck_assert_uint_ne(ids[i], ids[j]);
	}
	ck_assert_int_eq(doca_comch_consumer_create(pair.server.conn, memory.mmap, &consumers[8]),
			 DOCA_ERROR_NO_MEMORY);
	ck_assert_int_eq(doca_comch_producer_create(pair.server.conn, &producers[8]),
			 DOCA_ERROR_NO_MEMORY);
	for (i = 0; i < 8; i++) {
		ck_assert_int_eq(doca_comch_consumer_destroy(consumers[i]), DOCA_SUCCESS);
		ck_assert_int_eq(doca_comch_producer_destroy(producers[i]), DOCA_SUCCESS);
	}
	memory_free(&memory);
	ends_free(&pair);
}
END_TEST

START_TEST(test_counters)
{
	uint64_t value;
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 8000, 0);
	sink_post(&pair.sink, 0, 8000, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100), DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 8000), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_int_eq(doca_comch_connection_update_info(pair.client.conn), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_connection_get_counter(
				 pair.client.conn, DOCA_COMCH_COUNTER_SENT_MESSAGES, &value),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(value, 2);
	ck_assert_int_eq(doca_comch_connection_get_counter(pair.client.conn,
							   DOCA_COMCH_COUNTER_SENT_BYTES, &value),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(value, 8100);
	sink_stop(&pair.sink);
	ck_assert_int_eq(doca_comch_connection_update_info(pair.server.conn), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_connection_get_counter(
				 pair.server.conn, DOCA_COMCH_COUNTER_RECV_MESSAGES, &value),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(value, 2);
	ck_assert_int_eq(doca_comch_connection_get_counter(pair.server.conn,
							   DOCA_COMCH_COUNTER_RECV_BYTES, &value),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(value, 8100);
	/* The end of the connection does not change the counts. */
	end_stop(&pair.client);
	ck_assert_int_eq(doca_comch_connection_update_info(pair.client.conn),
			 DOCA_ERROR_CONNECTION_ABORTED);
	ck_assert_int_eq(doca_comch_connection_get_counter(pair.client.conn,
							   DOCA_COMCH_COUNTER_SENT_BYTES, &value),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(value, 8100);
	pair_free(&pair);
}
END_TEST

/* An object that got no place for its counters at creation counts all the same. */
START_TEST(test_counters_without_a_place)
{
	struct source late;
	struct pair pair;
	uint64_t value;

	setenv("DOCOCORED_COUNTERS", "off", 1);
	pair_make(&pair, PATH_SHM);
	source_create(&late, &pair.client);
	unsetenv("DOCOCORED_COUNTERS");
	source_connect(&late);
	sink_post(&pair.sink, 0, 1000, 0);
	ck_assert_int_eq(source_send(&late, pair.sink.id, 0, 100), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_int_eq(doca_comch_connection_update_info(pair.client.conn), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_connection_get_counter(
				 pair.client.conn, DOCA_COMCH_COUNTER_SENT_MESSAGES, &value),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(value, 1);
	source_free(&late);
	ck_assert_int_eq(doca_comch_connection_update_info(pair.client.conn), DOCA_SUCCESS);
	ck_assert_int_eq(doca_comch_connection_get_counter(pair.client.conn,
							   DOCA_COMCH_COUNTER_SENT_BYTES, &value),
			 DOCA_SUCCESS);
	ck_assert_uint_eq(value, 100);
	pair_free(&pair);
}
END_TEST

START_TEST(test_stop_in_callback)
{
	struct pair pair;

	pair_make(&pair, PATH_LOCAL);
	pair.sink.stop_on_recv = true;
	pair.sink.destroy_on_idle = true;
	pair.source.stop_on_sent = true;
	sink_post(&pair.sink, 0, 100, 0);
	sink_post(&pair.sink, 0, 100, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert(pair.sink.destroyed);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	ck_assert_uint_eq(pair.sink.n_flushed, 1);
	pe_run(pair.source.pe);
	ck_assert_uint_eq(pair.source.n_sent, 1);
	pair_free(&pair);
}
END_TEST

static bool pe_wakes(struct doca_pe *pe, int timeout_ms)
{
	doca_notification_handle_t handle;
	struct pollfd pfd;

	ck_assert_int_eq(doca_pe_get_notification_handle(pe, &handle), DOCA_SUCCESS);
	pfd = (struct pollfd){.fd = handle, .events = POLLIN};
	return poll(&pfd, 1, timeout_ms) > 0;
}

START_TEST(test_sleep)
{
	struct pair pair;
	int i;

	pair_make(&pair, (enum path)_i);
	sink_post(&pair.sink, 0, 5000, 0);
	pair.sink.repost = true;
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(doca_pe_request_notification(pair.sink.pe), DOCA_SUCCESS);
		ck_assert(!pe_wakes(pair.sink.pe, 0));
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, i % 2 ? 10 : 5000),
				 DOCA_SUCCESS);
		ck_assert(pe_wakes(pair.sink.pe, 5000));
		ck_assert_int_eq(doca_pe_clear_notification(pair.sink.pe, 0), DOCA_SUCCESS);
		ck_assert_uint_eq(pe_run(pair.sink.pe), 1);
		/* The message was there before the sleep. */
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_SUCCESS);
		ck_assert_int_eq(doca_pe_request_notification(pair.sink.pe), DOCA_SUCCESS);
		ck_assert(pe_wakes(pair.sink.pe, 0));
		ck_assert_int_eq(doca_pe_clear_notification(pair.sink.pe, 0), DOCA_SUCCESS);
		ck_assert_uint_eq(pe_run(pair.sink.pe), 1);
		/* Submitting wakes a sleeping sender. */
		pe_run(pair.source.pe);
		ck_assert_int_eq(doca_pe_request_notification(pair.source.pe), DOCA_SUCCESS);
		ck_assert(!pe_wakes(pair.source.pe, 0));
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_SUCCESS);
		ck_assert(pe_wakes(pair.source.pe, 0));
		ck_assert_int_eq(doca_pe_clear_notification(pair.source.pe, 0), DOCA_SUCCESS);
		pe_run(pair.source.pe);
		pe_run(pair.sink.pe);
	}
	/* The end of the connection wakes it, too. */
	pair.sink.repost = false;
	ck_assert_int_eq(doca_pe_request_notification(pair.sink.pe), DOCA_SUCCESS);
	ck_assert(!pe_wakes(pair.sink.pe, 0));
	end_stop(&pair.client);
	progress(&pair.server);
	ck_assert(pe_wakes(pair.sink.pe, 0));
	ck_assert_int_eq(doca_pe_clear_notification(pair.sink.pe, 0), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_idle, 1);
	ck_assert_int_eq(pair.sink.flush_code, DOCA_ERROR_NOT_CONNECTED);
	pair_free(&pair);
}
END_TEST

/* A child stops and destroys inherited contexts: the parent's continue, also while sleeping. */
START_TEST(test_forked_child)
{
	struct pair pair;
	int status;
	pid_t pid;

	pair_make(&pair, (enum path)_i);
	sink_post(&pair.sink, 0, 5000, 0);
	pair.sink.repost = true;
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct doca_ctx *sending = doca_comch_producer_as_ctx(pair.source.producer);
		bool stored_task = doca_ctx_stop(pair.sink.ctx) == DOCA_ERROR_NOT_CONNECTED &&
				   doca_comch_consumer_destroy(pair.sink.consumer) !=
					   DOCA_SUCCESS &&
				   doca_ctx_stop(sending) == DOCA_ERROR_NOT_CONNECTED &&
				   doca_ctx_stop(pair.server.ctx) == DOCA_ERROR_NOT_CONNECTED &&
				   doca_ctx_stop(pair.client.ctx) == DOCA_ERROR_NOT_CONNECTED &&
				   doca_pe_destroy(pair.sink.pe) != DOCA_SUCCESS;

		_exit(stored_task ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(doca_pe_request_notification(pair.sink.pe), DOCA_SUCCESS);
	ck_assert(!pe_wakes(pair.sink.pe, 0));
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_SUCCESS);
	ck_assert(pe_wakes(pair.sink.pe, 5000));
	ck_assert_int_eq(doca_pe_clear_notification(pair.sink.pe, 0), DOCA_SUCCESS);
	ck_assert_uint_eq(pe_run(pair.sink.pe), 1);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	pair_free(&pair);
}
END_TEST

static unsigned n_warnings;
static char warning[1024];

static void store_warning(char *text)
{
	n_warnings += strstr(text, "submitted") != NULL;
}

/*
 * The vendor's secure channel ends in this order: it frees the buffers, then submitted tasks, then
 * the context. Receives and messages; all calls return, and the log has two lines for each context.
 */
START_TEST(test_tasks_freed_while_submitted)
{
	struct doca_comch_consumer_task_post_recv *receives[FAST_TASKS];
	struct doca_comch_producer_task_send *messages[FAST_TASKS / 2];
	struct doca_log_backend *backend;
	struct pair pair;
	size_t i;

	ck_assert_int_eq(doca_log_backend_create_with_buf_sdk(warning, sizeof(warning),
							      store_warning, &backend),
			 DOCA_SUCCESS);
	n_warnings = 0;
	pair_make(&pair, PATH_SHM);
	pair.sink.keeps_task = true;
	for (i = 0; i < FAST_TASKS; i++) {
		ck_assert_int_eq(doca_comch_consumer_task_post_recv_alloc_init(
					 pair.sink.consumer,
					 memory_buf(&pair.sink.memory, i * 100, 100, 0),
					 &receives[i]),
				 DOCA_SUCCESS);
		ck_assert_int_eq(
			doca_task_submit(doca_comch_consumer_task_post_recv_as_task(receives[i])),
			DOCA_SUCCESS);
	}
	for (i = 0; i < ARRAY_LEN(messages); i++) {
		ck_assert_int_eq(doca_comch_producer_task_send_alloc_init(
					 pair.source.producer, NULL, (uint8_t *)"hi", 2,
					 pair.sink.id, &messages[i]),
				 DOCA_SUCCESS);
		ck_assert_int_eq(
			doca_task_submit(doca_comch_producer_task_send_as_task(messages[i])),
			DOCA_SUCCESS);
	}
	for (i = 0; i < FAST_TASKS; i++) {
		struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(receives[i]);

		ck_assert_int_eq(doca_buf_dec_refcount(buf, NULL), DOCA_SUCCESS);
	}
	for (i = 0; i < FAST_TASKS; i++)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(receives[i]));
	for (i = 0; i < ARRAY_LEN(messages); i++)
		doca_task_free(doca_comch_producer_task_send_as_task(messages[i]));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "submitted; it returns to its pool"));
	sink_stop(&pair.sink);
	ck_assert_int_eq(doca_ctx_stop(pair.source.ctx), DOCA_ERROR_IN_PROGRESS);
	pe_run(pair.source.pe);
	ck_assert_uint_eq(pair.sink.n_recv + pair.sink.n_flushed, FAST_TASKS);
	ck_assert_uint_eq(pair.source.n_sent, ARRAY_LEN(messages));
	ck_assert_uint_eq(n_warnings, 4);
	pair_free(&pair);
}
END_TEST

START_TEST(test_disconnect_in_use)
{
	struct pair pair;

	pair_make(&pair, PATH_LOCAL);
	ck_assert_int_eq(doca_comch_server_disconnect(pair.server.server, pair.server.conn),
			 DOCA_ERROR_IN_USE);
	sink_stop(&pair.sink);
	ck_assert_int_eq(doca_comch_server_disconnect(pair.server.server, pair.server.conn),
			 DOCA_SUCCESS);
	progress(&pair.server);
	ck_assert_uint_eq(pair.server.n_disconnects, 0);
	/* The other end's producer is not the server's; it only gets the error. */
	progress(&pair.client);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_ERROR_NOT_CONNECTED);
	/* The idle consumer has no connection on which it could start. */
	ck_assert_int_eq(doca_ctx_start(pair.sink.ctx), DOCA_ERROR_NOT_CONNECTED);
	pair_free(&pair);
}
END_TEST

/*
 * Three consumers of one end, the last of which the other end could not adopt. `notified` is the
 * other end.
 */
struct three_sinks {
	struct pair pair;
	struct end *notified, *peer;
	struct sink sinks[3];
};

static void three_sinks_make(struct three_sinks *three_sinks, bool server_is_notified)
{
	unsigned i;

	ends_make(&three_sinks->pair, "crew");
	three_sinks->notified = server_is_notified ? &three_sinks->pair.server
						   : &three_sinks->pair.client;
	three_sinks->peer = server_is_notified ? &three_sinks->pair.client
					       : &three_sinks->pair.server;
	for (i = 0; i < ARRAY_LEN(three_sinks->sinks); i++) {
		sink_make(&three_sinks->sinks[i], three_sinks->peer, i == 1, 4);
		sink_start(&three_sinks->sinks[i]);
		fake_refuse_fetch = i == 2 ? DOCA_ERROR_NO_MEMORY : 0;
		progress(three_sinks->notified);
	}
	fake_refuse_fetch = 0;
	ck_assert_uint_eq(three_sinks->notified->n_new, 3);
}

static void three_sinks_free(struct three_sinks *three_sinks)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(three_sinks->sinks); i++) {
		pe_run(three_sinks->sinks[i].pe);
		if (three_sinks->sinks[i].n_idle == 0)
			sink_stop(&three_sinks->sinks[i]);
		sink_free(&three_sinks->sinks[i]);
	}
	ends_free(&three_sinks->pair);
}

static void three_sinks_check(const struct three_sinks *three_sinks)
{
	unsigned i;

	ck_assert_uint_eq(three_sinks->notified->n_expired, 3);
	ck_assert_uint_eq(three_sinks->notified->n_expired_at_end, 3);
	for (i = 0; i < ARRAY_LEN(three_sinks->sinks); i++)
		ck_assert_uint_ne(
			three_sinks->notified->expired_ids & 1u << three_sinks->sinks[i].id, 0);
	if (three_sinks->notified->server != NULL)
		ck_assert_uint_eq(three_sinks->notified->n_disconnects, 1);
}

/* A connection that ends with consumers: each is reported as gone once, before the end. */
START_TEST(test_expired_with_connection)
{
	bool stop_self = _i & 2, stop_in_callback = _i & 4;
	struct three_sinks three_sinks;

	three_sinks_make(&three_sinks, _i & 1);
	three_sinks.notified->stop_on_expired = stop_in_callback;
	end_stop(stop_self ? three_sinks.notified : three_sinks.peer);
	progress(three_sinks.notified);
	three_sinks_check(&three_sinks);
	if (stop_self || stop_in_callback || three_sinks.notified->client != NULL)
		ck_assert_uint_eq(three_sinks.notified->n_idle, 1);
	progress_both(three_sinks.notified, three_sinks.peer);
	ck_assert_uint_eq(three_sinks.notified->n_expired, 3);
	three_sinks_free(&three_sinks);
}
END_TEST

/*
 * A connection that the program itself ends takes along the consumers that the program knows. It
 * gets no more events of them, even if it ends the connection in the event of the first.
 */
START_TEST(test_dropped_with_consumers)
{
	struct three_sinks three_sinks;

	three_sinks_make(&three_sinks, true);
	if (_i == 0) {
		ck_assert_int_eq(doca_comch_server_disconnect(three_sinks.notified->server,
							      three_sinks.notified->conn),
				 DOCA_SUCCESS);
	} else {
		three_sinks.notified->disconnect_on_expired = true;
		end_stop(three_sinks.peer);
	}
	progress_both(three_sinks.notified, three_sinks.peer);
	ck_assert_uint_eq(three_sinks.notified->n_expired, _i == 0 ? 0 : 1);
	ck_assert_uint_eq(three_sinks.notified->n_disconnects, 0);
	ck_assert_uint_eq(three_sinks.peer->n_idle, 1);
	three_sinks_free(&three_sinks);
}
END_TEST

/*
 * The ring shows the peer's close before the daemon reports it and the end of the consumers. The
 * program gets the end when the daemon has reported everything, or was silent for long.
 */
START_TEST(test_close_overtakes_events)
{
	bool is_silent = _i & 2;
	struct sink late;
	struct three_sinks three_sinks;
	unsigned i;

	three_sinks_make(&three_sinks, _i & 1);
	/*
	 * The first end is reported in time, the others while the close is being handled, or never.
	 */
	sink_stop(&three_sinks.sinks[0]);
	progress(three_sinks.notified);
	ck_assert_uint_eq(three_sinks.notified->n_expired, 1);
	sink_make(&late, three_sinks.peer, false, 4);
	ring_producer_close(&three_sinks.peer->conn->tx);
	progress(three_sinks.notified);
	ck_assert_uint_eq(three_sinks.notified->n_disconnects + three_sinks.notified->n_idle, 0);
	if (!is_silent) {
		sink_start(&late);
		sink_stop(&three_sinks.sinks[1]);
		sink_stop(&late);
		end_stop(three_sinks.peer);
	}
	progress_until(three_sinks.notified,
		       three_sinks.notified->server != NULL ? &three_sinks.notified->n_disconnects
							    : &three_sinks.notified->n_idle,
		       1);
	ck_assert_uint_eq(three_sinks.notified->n_new, is_silent ? 3 : 4);
	ck_assert_uint_eq(three_sinks.notified->n_expired, is_silent ? 3 : 4);
	ck_assert_uint_eq(three_sinks.notified->n_expired_at_end, is_silent ? 3 : 4);
	for (i = 1; i < ARRAY_LEN(three_sinks.sinks); i++) {
		pe_run(three_sinks.sinks[i].pe);
		if (three_sinks.sinks[i].n_idle == 0)
			sink_stop(&three_sinks.sinks[i]);
	}
	progress(three_sinks.notified);
	ck_assert_uint_eq(three_sinks.notified->n_expired, is_silent ? 3 : 4);
	sink_free(&late);
	three_sinks_free(&three_sinks);
}
END_TEST

/*
 * Events between the peer's close and its last message: the program gets all arrivals and ends, and
 * the message.
 */
START_TEST(test_events_while_draining)
{
	struct three_sinks three_sinks;
	struct sink late;

	three_sinks_make(&three_sinks, _i & 1);
	ck_assert_int_eq(send_msg(three_sinks.peer, three_sinks.peer->conn, "last", 4),
			 DOCA_SUCCESS);
	comch_connection_peer_left(three_sinks.notified->conn, DOCA_SUCCESS);
	sink_stop(&three_sinks.sinks[1]);
	sink_make(&late, three_sinks.peer, false, 4);
	sink_start(&late);
	while (three_sinks.notified->n_expired == 0) {
		ck_assert_uint_eq(three_sinks.notified->n_recv, 0);
		doca_pe_progress(three_sinks.notified->pe);
	}
	ck_assert_uint_eq(three_sinks.notified->last_expired, three_sinks.sinks[1].id);
	sink_stop(&late);
	end_stop(three_sinks.peer);
	progress(three_sinks.notified);
	ck_assert_uint_eq(three_sinks.notified->n_recv, 1);
	ck_assert_uint_eq(three_sinks.notified->n_new, 4);
	ck_assert_uint_eq(three_sinks.notified->n_expired, 4);
	ck_assert_uint_eq(three_sinks.notified->n_expired_at_end, 4);
	sink_free(&late);
	three_sinks_free(&three_sinks);
}
END_TEST

/* A sleeping program gets all of them, too. */
START_TEST(test_expired_asleep)
{
	struct three_sinks three_sinks;
	unsigned n = 0;

	three_sinks_make(&three_sinks, _i & 1);
	go_to_sleep(three_sinks.notified);
	end_stop(three_sinks.peer);
	while (three_sinks.notified->n_disconnects + three_sinks.notified->n_idle == 0) {
		ck_assert_uint_lt(n++, 20);
		ck_assert(wakes(three_sinks.notified, 5000));
		ck_assert_int_eq(doca_pe_clear_notification(three_sinks.notified->pe, 0),
				 DOCA_SUCCESS);
		while (doca_pe_progress(three_sinks.notified->pe))
			;
		ck_assert_int_eq(doca_pe_request_notification(three_sinks.notified->pe),
				 DOCA_SUCCESS);
	}
	three_sinks_check(&three_sinks);
	three_sinks_free(&three_sinks);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch data path");
	TCase *tcase = unit_case(suite, "comch data path", 4 * UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, test_paths, 0, N_PATHS);
	tcase_add_loop_test(tcase, test_laps, 0, N_PATHS);
	tcase_add_loop_test(tcase, test_again, 0, N_PATHS);
	tcase_add_loop_test(tcase, test_offers, 0, 2);
	tcase_add_test(tcase, test_bounce_full);
	tcase_add_test(tcase, test_bounce_in_use);
	tcase_add_test(tcase, test_refused);
	tcase_add_loop_test(tcase, test_longest, 0, N_PATHS);
	tcase_add_loop_test(tcase, test_imm_only, 0, N_PATHS);
	tcase_add_test(tcase, test_lengths);
	tcase_add_test(tcase, test_imm_lengths);
	tcase_add_test(tcase, test_stop_and_start);
	tcase_add_loop_test(tcase, test_ended_at_once, 0, 2);
	tcase_add_loop_test(tcase, test_ended_with_connection, 0, 4);
	tcase_add_test(tcase, test_early);
	tcase_add_loop_test(tcase, test_both_directions, 0, N_PATHS);
	tcase_add_test(tcase, test_limits);
	tcase_add_test(tcase, test_counters);
	tcase_add_test(tcase, test_counters_without_a_place);
	tcase_add_test(tcase, test_stop_in_callback);
	tcase_add_loop_test(tcase, test_sleep, 0, N_PATHS);
	tcase_add_loop_test(tcase, test_forked_child, 0, N_PATHS);
	tcase_add_test(tcase, test_tasks_freed_while_submitted);
	tcase_add_test(tcase, test_disconnect_in_use);
	tcase_add_loop_test(tcase, test_expired_with_connection, 0, 8);
	tcase_add_loop_test(tcase, test_dropped_with_consumers, 0, 2);
	tcase_add_loop_test(tcase, test_close_overtakes_events, 0, 4);
	tcase_add_loop_test(tcase, test_events_while_draining, 0, 2);
	tcase_add_loop_test(tcase, test_expired_asleep, 0, 2);
	return unit_run(suite);
}
