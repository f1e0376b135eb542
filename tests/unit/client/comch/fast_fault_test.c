/*
 * Producers and consumers of the comch engine with peers that die, stop in the middle of a message
 * or write garbage into the slots, and with daemons that send invalid replies or restart: posted
 * tasks end with an error, nothing hangs, nothing is written outside the posted memory.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include "tests/unit/client/comch/fast_ends.h"
#include "util/clock.h"

/* --- the producer's side is hostile --- */

enum slot_attack {
	SLOT_KIND,
	SLOT_LEN,
	SLOT_INLINE_LEN,
	SLOT_IMM_LEN,
	SLOT_SHORT_LEN,
	SLOT_SHORT_IMM,
	SLOT_BOUNCE_AT,
	SLOT_BOUNCE_OUTSIDE,
	N_SLOT_ATTACKS
};

static void attack_slot(struct doca_comch_consumer *consumer, enum slot_attack how)
{
	struct slots_slot *slot = consumer->slots;
	uint64_t kind = SLOTS_INLINE, len = 10, imm_len = 0, at = 0;

	if (how == SLOT_KIND)
		kind = 77;
	if (how == SLOT_LEN)
		kind = SLOTS_PLACED, len = 5001;
	if (how == SLOT_INLINE_LEN)
		len = 4000;
	if (how == SLOT_IMM_LEN)
		imm_len = 33;
	if (how == SLOT_SHORT_LEN)
		kind = SLOTS_SHORT, len = SLOTS_SHORT_LEN + 1;
	if (how == SLOT_SHORT_IMM)
		kind = SLOTS_SHORT, len = SLOTS_SHORT_LEN - 31, imm_len = 32;
	if (how == SLOT_BOUNCE_AT)
		kind = SLOTS_BOUNCE, at = consumer->bounce_len - 9;
	if (how == SLOT_BOUNCE_OUTSIDE)
		kind = SLOTS_BOUNCE, at = UINT64_MAX - 4;
	memcpy(consumer->bodies, &at, sizeof(at));
	atomic_store(&consumer->header->claim, 1);
	atomic_store(&slot->info, 5ull << 32 | len);
	atomic_store(&slot->word, imm_len << 40 | kind << 32 | 1);
}

START_TEST(test_hostile_slot)
{
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 5000, 0);
	sink_post(&pair.sink, 0, 5000, 0);
	attack_slot(pair.sink.consumer, (enum slot_attack)_i);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_idle, 1);
	ck_assert_uint_eq(pair.sink.n_recv, 0);
	ck_assert_uint_eq(pair.sink.n_flushed, 2);
	ck_assert_int_eq(pair.sink.flush_code, DOCA_ERROR_CONNECTION_RESET);
	/* The connection continues, and the consumer can start again. */
	sink_start(&pair.sink);
	progress(&pair.client);
	sink_post(&pair.sink, 0, 5000, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	pair_free(&pair);
}
END_TEST

START_TEST(test_hostile_claim)
{
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 5000, 0);
	atomic_store(&pair.sink.consumer->header->claim, _i == 0 ? 2 : (1ull << 40) + 5);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100), DOCA_ERROR_AGAIN);
	sink_stop(&pair.sink);
	ck_assert_uint_eq(pair.sink.n_flushed, 1);
	pair_free(&pair);
}
END_TEST

/* A consumer that offers more than one lap, or less than was claimed, offers nothing. */
START_TEST(test_hostile_offer)
{
	static const uint64_t offers[] = {FAST_TASKS + 2, 1ull << 40, UINT64_MAX, 0};
	struct slots_header *header;
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 5000, 0);
	sink_post(&pair.sink, 0, 5000, 0);
	header = pair.sink.consumer->header;
	/* Receives that were seen before are used first. */
	atomic_store(&header->posted, 1);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100), DOCA_SUCCESS);
	atomic_store(&header->posted, offers[_i]);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100), DOCA_ERROR_AGAIN);
	atomic_store(&header->posted, 2);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 2);
	pair_free(&pair);
}
END_TEST

/*
 * Stops while a producer has claimed the first slot. The wait is bounded, but the test must not
 * depend on how long this machine suspends it.
 */
static void stop_claimed(struct pair *pair)
{
	struct doca_comch_consumer *consumer = pair->sink.consumer;

	atomic_store(&consumer->header->claim, 1);
	ck_assert_int_eq(doca_ctx_stop(pair->sink.ctx), DOCA_ERROR_IN_PROGRESS);
	ck_assert_uint_le(consumer->give_up_ns, clock_now_ns() + 20 * NS_PER_SEC);
	consumer->give_up_ns = UINT64_MAX;
	pe_run(pair->sink.pe);
}

/* Returns whether an event woke it. */
static int sleep_more(struct doca_pe *pe, int timeout_ms)
{
	struct pollfd pfd = {.events = POLLIN};
	int n;

	ck_assert_int_eq(doca_pe_get_notification_handle(pe, &pfd.fd), DOCA_SUCCESS);
	n = poll(&pfd, 1, timeout_ms);
	ck_assert_int_eq(doca_pe_clear_notification(pe, pfd.fd), DOCA_SUCCESS);
	return n;
}

static int sleep_on(struct doca_pe *pe, int timeout_ms)
{
	ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
	return sleep_more(pe, timeout_ms);
}

/* A producer that claimed and never completes: stopping waits, but not for ever. */
START_TEST(test_claimed_for_ever)
{
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 5000, 0);
	sink_post(&pair.sink, 0, 5000, 0);
	stop_claimed(&pair);
	/* No producer can have begun to write to the second. */
	ck_assert_uint_eq(pair.sink.n_flushed, 1);
	ck_assert_int_eq(pair.sink.flush_code, DOCA_ERROR_SHUTDOWN);
	ck_assert_uint_eq(pair.sink.n_idle, 0);
	/* A program that sleeps meanwhile really sleeps, and is woken. */
	ck_assert_int_eq(sleep_on(pair.sink.pe, 0), 0);
	pair.sink.consumer->give_up_ns = clock_now_ns() + 50 * NS_PER_MS;
	ck_assert_int_eq(sleep_on(pair.sink.pe, -1), 1);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_idle, 1);
	ck_assert_uint_eq(pair.sink.n_flushed, 2);
	/* A producer may have written: the program must know which receive. */
	ck_assert_int_eq(pair.sink.flush_code, DOCA_ERROR_TIME_OUT);
	pair_free(&pair);
}
END_TEST

/* The message that was in transit when the consumer stopped. */
START_TEST(test_claimed_completes)
{
	struct slots_slot *slot;
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 5000, 0);
	stop_claimed(&pair);
	ck_assert_uint_eq(pair.sink.n_idle, 0);
	ck_assert_int_eq(sleep_on(pair.sink.pe, 0), 0);
	ck_assert_int_eq(doca_pe_request_notification(pair.sink.pe), DOCA_SUCCESS);
	/* The consumer asked the producer to notify it. */
	ck_assert(atomic_load(&pair.sink.consumer->header->armed) & CHANNEL_SLEEPING);
	ck_assert_int_eq(doca_pe_clear_notification(pair.sink.pe, 0), DOCA_SUCCESS);
	slot = pair.sink.consumer->slots;
	atomic_store(&slot->info, 1ull << 32 | 4000);
	atomic_store(&slot->word, (uint64_t)(_i == 0 ? SLOTS_PLACED : SLOTS_SKIP) << 32 | 1);
	ck_assert_int_eq(sleep_on(pair.sink.pe, 0), 1);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_idle, 1);
	ck_assert_uint_eq(pair.sink.n_recv, _i == 0);
	ck_assert_uint_eq(pair.sink.n_flushed, _i == 1);
	pair_free(&pair);
}
END_TEST

/* Killed in the middle of a write: the end of the connection shows it, and then no end waits. */
START_TEST(test_producer_dies)
{
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 5000, 0);
	sink_post(&pair.sink, 0, 5000, 0);
	sink_post(&pair.sink, 0, 5000, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_SUCCESS);
	atomic_fetch_add(&pair.sink.consumer->header->claim, 1);
	ck_assert_int_eq(doca_pe_request_notification(pair.sink.pe), DOCA_SUCCESS);
	ck_assert_int_eq(doca_pe_clear_notification(pair.sink.pe, 0), DOCA_SUCCESS);
	fake_kill_client(0);
	progress(&pair.server);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	ck_assert_uint_eq(pair.sink.n_flushed, 2);
	ck_assert_int_eq(pair.sink.flush_code, DOCA_ERROR_CONNECTION_RESET);
	ck_assert_uint_eq(pair.sink.n_idle, 1);
	ck_assert_int_eq(doca_ctx_start(pair.sink.ctx), DOCA_ERROR_CONNECTION_RESET);
	pair_free(&pair);
}
END_TEST

/* The same while the consumer stops and its program sleeps. */
START_TEST(test_producer_dies_meanwhile)
{
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 5000, 0);
	stop_claimed(&pair);
	ck_assert_int_eq(sleep_on(pair.sink.pe, 0), 0);
	ck_assert_int_eq(doca_pe_request_notification(pair.sink.pe), DOCA_SUCCESS);
	fake_kill_client(0);
	progress(&pair.server);
	ck_assert_int_eq(sleep_more(pair.sink.pe, -1), 1);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_flushed, 1);
	ck_assert_uint_eq(pair.sink.n_idle, 1);
	pair_free(&pair);
}
END_TEST

/* --- the consumer's side is hostile or gone --- */

START_TEST(test_hostile_desc)
{
	struct slots_desc *desc;
	struct pair pair;

	pair_make(&pair, _i == 0 ? PATH_SHM : PATH_PVM);
	sink_post(&pair.sink, 0, 5000, 0);
	desc = pair.sink.consumer->descs;
	atomic_store(&desc->addr, (uintptr_t)pair.sink.memory.bytes + pair.sink.memory.len - 4999);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_ERROR_IO_FAILED);
	pe_run(pair.sink.pe);
	/* The receive was returned and posted again unchanged. */
	ck_assert_uint_eq(pair.sink.n_recv, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	sink_post(&pair.sink, 0, 5000, 0);
	desc = &pair.sink.consumer->descs[2];
	atomic_store(&desc->addr, (uintptr_t)pair.sink.memory.bytes - 1);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_ERROR_IO_FAILED);
	pe_run(pair.sink.pe);
	pair_free(&pair);
}
END_TEST

/* The memory of a receive was unmapped. */
START_TEST(test_unmapped)
{
	struct pair pair;

	pair_make(&pair, PATH_PVM);
	sink_post(&pair.sink, 1u << 20, 50000, 0);
	ck_assert_int_eq(mprotect(pair.sink.memory.bytes + (1u << 20), 1u << 20, PROT_NONE), 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 50000), DOCA_ERROR_IO_FAILED);
	ck_assert_int_eq(
		mprotect(pair.sink.memory.bytes + (1u << 20), 1u << 20, PROT_READ | PROT_WRITE), 0);
	pe_run(pair.sink.pe);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 50000), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	pair_free(&pair);
}
END_TEST

START_TEST(test_bad_reply)
{
	struct pair pair;

	ends_make(&pair, "liar");
	fake_reach = FAKE_REACH_OTHER;
	sink_make(&pair.sink, &pair.server, true, FAST_TASKS);
	sink_start(&pair.sink);
	fake_lie = (enum fake_lie)_i;
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_new, 0);
	source_make(&pair.source, &pair.client);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_ERROR_NOT_FOUND);
	sink_stop(&pair.sink);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_expired, 0);
	sink_start(&pair.sink);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_new, 1);
	pair_free(&pair);
}
END_TEST

/* The program is notified of a consumer that could not be adopted; sending to it tries again. */
START_TEST(test_fetch_fails)
{
	struct pair pair;

	ends_make(&pair, "late");
	fake_reach = FAKE_REACH_OTHER;
	sink_make(&pair.sink, &pair.server, true, FAST_TASKS);
	sink_start(&pair.sink);
	fake_refuse_fetch = DOCA_ERROR_NO_MEMORY;
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_new, 1);
	source_make(&pair.source, &pair.client);
	sink_post(&pair.sink, 0, 100, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_ERROR_NO_MEMORY);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id + 1, 0, 10), DOCA_ERROR_NOT_FOUND);
	if (_i == 0) {
		fake_refuse_fetch = 0;
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_SUCCESS);
		pe_run(pair.sink.pe);
		ck_assert_uint_eq(pair.sink.n_recv, 1);
	} else {
		/* If it cannot be fetched any more, the first reason is reported. */
		fake_refuse_fetch = DOCA_ERROR_NOT_FOUND;
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10),
				 DOCA_ERROR_NO_MEMORY);
		ck_assert_ptr_nonnull(strstr(dococ_last_error(), "stop and start it"));
	}
	sink_stop(&pair.sink);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_expired, 1);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_ERROR_NOT_FOUND);
	pair_free(&pair);
}
END_TEST

/* The same for one consumer more than the device allows, until another one stops. */
START_TEST(test_over_limit)
{
	uint32_t *max = &fake_host.info->caps.comch_max_consumers;
	struct sink other;
	struct pair pair;

	*max = 1;
	ends_make(&pair, "two");
	fake_reach = FAKE_REACH_OTHER;
	sink_make(&other, &pair.server, true, FAST_TASKS);
	sink_start(&other);
	sink_make(&pair.sink, &pair.server, true, FAST_TASKS);
	sink_start(&pair.sink);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_new, 2);
	source_make(&pair.source, &pair.client);
	sink_post(&pair.sink, 0, 100, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_ERROR_TOO_BIG);
	sink_stop(&other);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_expired, 1);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	sink_free(&other);
	pair_free(&pair);
}
END_TEST

/* The header of the slots is invalid. */
START_TEST(test_bad_header)
{
	struct slots_header *header;
	struct pair pair;

	ends_make(&pair, "header");
	fake_reach = FAKE_REACH_OTHER;
	sink_make(&pair.sink, &pair.server, true, FAST_TASKS);
	sink_start(&pair.sink);
	header = pair.sink.consumer->header;
	if (_i == 0)
		header->body_stride = 1u << 16;
	if (_i == 1)
		header->body_stride = 100;
	if (_i == 2)
		header->bounce_len = 1ull << 40;
	if (_i == 3)
		header->bounce_len += SLOTS_ALIGN;
	if (_i == 4)
		header->version++;
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_new, 0);
	source_make(&pair.source, &pair.client);
	pair_free(&pair);
}
END_TEST

START_TEST(test_connection_ends)
{
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 5000, 0);
	sink_post(&pair.sink, 0, 5000, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_SUCCESS);
	/* Each end in turn stops with running producers and consumers. */
	if (_i == 0) {
		end_stop(&pair.client);
		progress(&pair.server);
	} else {
		end_stop(&pair.server);
		progress(&pair.client);
	}
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000),
			 DOCA_ERROR_NOT_CONNECTED);
	pe_run(pair.source.pe);
	ck_assert_uint_eq(pair.source.n_sent, 1);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	ck_assert_uint_eq(pair.sink.n_flushed, 1);
	ck_assert_int_eq(pair.sink.flush_code, DOCA_ERROR_NOT_CONNECTED);
	ck_assert_uint_eq(pair.sink.n_idle, 1);
	pair_free(&pair);
}
END_TEST

/*
 * A consumer that is stopped while idle, starting, running or stopping. Its peer gets an event for
 * each that was not idle, and for its end.
 */
START_TEST(test_stop_in_every_state)
{
	struct doca_comch_consumer_task_post_recv *held;
	struct pair pair;
	struct sink other;
	unsigned i;

	pair_make(&pair, PATH_SHM);
	sink_make(&other, &pair.server, false, 4);
	ck_assert_int_eq(doca_ctx_stop(other.ctx), DOCA_SUCCESS);
	for (i = 1; i <= 3; i++) {
		ck_assert_int_eq(doca_ctx_start(other.ctx), DOCA_ERROR_IN_PROGRESS);
		sink_stop(&other);
		ck_assert_uint_eq(other.n_running, 0);
		ck_assert_uint_eq(other.n_idle, i);
		progress(&pair.client);
		ck_assert_uint_eq(pair.client.n_new, 1 + i);
		ck_assert_uint_eq(pair.client.n_expired, i);
	}
	sink_start(&other);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.last_new, other.id);
	ck_assert_int_eq(doca_comch_consumer_task_post_recv_alloc_init(other.consumer, NULL, &held),
			 DOCA_SUCCESS);
	sink_post(&other, 0, 100, 0);
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(doca_ctx_stop(other.ctx), DOCA_ERROR_IN_PROGRESS);
		ck_assert_int_eq(doca_ctx_start(other.ctx), DOCA_ERROR_BAD_STATE);
		pe_run(other.pe);
	}
	ck_assert_uint_eq(other.n_flushed, 1);
	ck_assert_uint_eq(other.n_idle, 3);
	/* No producer sends to a consumer whose program has not started it. */
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_expired, 4);
	ck_assert_int_eq(source_send(&pair.source, other.id, 0, 10), DOCA_ERROR_NOT_FOUND);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(held));
	pe_run(other.pe);
	ck_assert_uint_eq(other.n_idle, 4);
	ck_assert_int_eq(doca_ctx_stop(other.ctx), DOCA_SUCCESS);
	sink_free(&other);
	pair_free(&pair);
}
END_TEST

/* The same for a producer; its submitted messages have been sent. */
START_TEST(test_producer_stops_in_every_state)
{
	struct doca_comch_producer_task_send *held;
	struct pair pair;
	unsigned i;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 100, 0);
	sink_post(&pair.sink, 100, 100, 0);
	ck_assert_int_eq(doca_comch_producer_task_send_alloc_init(pair.source.producer, NULL, NULL,
								  0, pair.sink.id, &held),
			 DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100), DOCA_SUCCESS);
	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(doca_ctx_stop(pair.source.ctx), DOCA_ERROR_IN_PROGRESS);
		ck_assert_int_eq(doca_task_submit(doca_comch_producer_task_send_as_task(held)),
				 DOCA_ERROR_BAD_STATE);
		pe_run(pair.source.pe);
	}
	ck_assert_uint_eq(pair.source.n_sent + pair.source.n_failed, 1);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	doca_task_free(doca_comch_producer_task_send_as_task(held));
	pe_run(pair.source.pe);
	ck_assert_int_eq(doca_ctx_stop(pair.source.ctx), DOCA_SUCCESS);
	ck_assert_int_eq(doca_ctx_start(pair.source.ctx), DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 100), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 2);
	pair_free(&pair);
}
END_TEST

/* Server and client are destroyed before the contexts of their connection. */
START_TEST(test_orphans)
{
	struct pair pair;

	pair_make(&pair, PATH_SHM);
	sink_post(&pair.sink, 0, 5000, 0);
	ends_free(&pair);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_ERROR_NOT_CONNECTED);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_flushed, 1);
	ck_assert_uint_eq(pair.sink.n_idle, 1);
	sink_free(&pair.sink);
	source_free(&pair.source);
}
END_TEST

START_TEST(test_daemon_restart)
{
	doca_error_t code;
	struct pair pair;
	struct sink late;

	pair_make(&pair, PATH_SHM);
	fake_restart();
	progress(&pair.server);
	progress(&pair.client);
	/* Existing contexts need no daemon. */
	sink_post(&pair.sink, 0, 5000, 0);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_SUCCESS);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	/* A new consumer cannot be announced. */
	sink_make(&late, &pair.server, false, 4);
	ck_assert_int_eq(doca_ctx_start(late.ctx), DOCA_ERROR_NOT_CONNECTED);
	sink_free(&late);
	/* A consumer that an event of the old daemon named is not requested from the new one. */
	ck_assert_int_eq(comch_link_reserve(pair.client.conn->link, 7), DOCA_SUCCESS);
	comch_fetch_consumer(pair.client.conn, 7);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.last_new, 7);
	ck_assert_ptr_null(comch_link_find_again(pair.client.conn->link, 7, &code));
	ck_assert_int_eq(code, DOCA_ERROR_NOT_CONNECTED);
	sink_stop(&pair.sink);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 5000), DOCA_ERROR_NOT_FOUND);
	pair_free(&pair);
}
END_TEST

/* A producer that is busy with one consumer releases the memory of others that have ended. */
START_TEST(test_forgotten)
{
	const struct doca_comch_producer *producer;
	struct sink brief;
	struct pair pair;
	unsigned i, n;

	pair_make(&pair, PATH_SHM);
	producer = pair.source.producer;
	sink_make(&brief, &pair.server, false, 4);
	sink_start(&brief);
	progress(&pair.client);
	sink_post(&brief, 0, 100, 0);
	sink_post(&pair.sink, 0, 100, 0);
	ck_assert_int_eq(source_send(&pair.source, brief.id, 0, 10), DOCA_SUCCESS);
	ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_SUCCESS);
	pe_run(brief.pe);
	sink_stop(&brief);
	progress(&pair.client);
	ck_assert_uint_eq(pair.client.n_expired, 1);
	for (i = 0; i < PRODUCER_CHECK_EVERY; i++) {
		pe_run(pair.source.pe);
		pe_run(pair.sink.pe);
		sink_post(&pair.sink, 0, 100, 0);
		ck_assert_int_eq(source_send(&pair.source, pair.sink.id, 0, 10), DOCA_SUCCESS);
	}
	pe_run(pair.sink.pe);
	for (i = n = 0; i <= producer->known_mask; i++)
		n += producer->known[i] != NULL;
	ck_assert_uint_eq(n, 1);
	sink_free(&brief);
	pair_free(&pair);
}
END_TEST

/* --- threads --- */

#define N_SENDERS   3
#define N_MESSAGES  3000u
#define N_RECEIVERS 2

struct sender {
	struct source source;
	uint32_t to[N_RECEIVERS];
	unsigned n_again;
};

static void *run_sender(void *arg)
{
	struct sender *sender = arg;
	uint32_t i;

	for (i = 0; i < N_MESSAGES; i++) {
		size_t len = i % 50 == 0 ? 3000 : 8 + i % 100;
		uint8_t imm[4];
		doca_error_t result;

		memcpy(imm, &i, sizeof(i));
		do {
			result = source_send_imm(&sender->source, sender->to[i % N_RECEIVERS],
						 i % 1000, len, imm, 4);
			pe_run(sender->source.pe);
			sender->n_again += result == DOCA_ERROR_AGAIN;
		} while (result == DOCA_ERROR_AGAIN);
		ck_assert_int_eq(result, DOCA_SUCCESS);
	}
	return NULL;
}

struct receiver {
	struct sink sink;
	uint32_t next[N_SENDERS + 1];
	unsigned n_wrong;
	const uint8_t *pattern;
};

/* Checks the order per sender and the contents. */
static void check_message(struct sink *sink)
{
	struct receiver *receiver = sink->arg;
	uint32_t i;

	memcpy(&i, sink->imm, sizeof(i));
	if (sink->producer_id == 0 || sink->producer_id > N_SENDERS ||
	    i != receiver->next[sink->producer_id] ||
	    sink->data_len != (i % 50 == 0 ? 3000 : 8 + i % 100) ||
	    memcmp(sink->data, receiver->pattern + i % 1000, sink->data_len) != 0)
		receiver->n_wrong++;
	else
		receiver->next[sink->producer_id] += N_RECEIVERS;
}

static void *run_receiver(void *arg)
{
	struct receiver *receiver = arg;
	struct sink *sink = &receiver->sink;

	/* Sleeps whenever there is no message, so a lost wake-up hangs here. */
	while (sink->n_recv < N_SENDERS * N_MESSAGES / N_RECEIVERS) {
		doca_notification_handle_t handle;
		struct pollfd pfd;

		pe_run(sink->pe);
		doca_pe_get_notification_handle(sink->pe, &handle);
		doca_pe_request_notification(sink->pe);
		if (sink->n_recv >= N_SENDERS * N_MESSAGES / N_RECEIVERS)
			break;
		pfd = (struct pollfd){.fd = handle, .events = POLLIN};
		poll(&pfd, 1, -1);
		doca_pe_clear_notification(sink->pe, 0);
	}
	return NULL;
}

START_TEST(test_threads)
{
	static struct sender senders[N_SENDERS];
	static struct receiver receivers[N_RECEIVERS];
	pthread_t threads[N_SENDERS + N_RECEIVERS];
	struct pair pair;
	uint32_t i, j;

	ends_make(&pair, "threads");
	/*
	 * Through memory that the two ends map separately, through the kernel, or through the
	 * bounce area.
	 */
	fake_reach = _i == PATH_BOUNCE ? FAKE_REACH_NOT : FAKE_REACH_OTHER;
	for (i = 0; i < N_SENDERS; i++)
		source_make(&senders[i].source, &pair.client);
	for (i = 0; i < N_RECEIVERS; i++) {
		struct receiver *receiver = &receivers[i];

		sink_make(&receiver->sink, &pair.server, _i == PATH_SHM, FAST_TASKS);
		sink_start(&receiver->sink);
		receiver->sink.repost = true;
		receiver->sink.on_recv = check_message;
		receiver->sink.arg = receiver;
		receiver->pattern = senders[0].source.memory.bytes;
		for (j = 0; j < N_SENDERS; j++)
			senders[j].to[i] = receiver->sink.id;
		for (j = 0; j < FAST_TASKS; j++)
			sink_post(&receiver->sink, j * 4096, 4096, 0);
		for (j = 1; j <= N_SENDERS; j++)
			receiver->next[j] = i;
	}
	progress(&pair.client);
	for (i = 0; i < N_RECEIVERS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, run_receiver, &receivers[i]), 0);
	for (i = 0; i < N_SENDERS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[N_RECEIVERS + i], NULL, run_sender, &senders[i]),
			0);
	for (i = 0; i < ARRAY_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < N_RECEIVERS; i++) {
		ck_assert_uint_eq(receivers[i].n_wrong, 0);
		sink_stop(&receivers[i].sink);
		ck_assert_uint_eq(receivers[i].sink.n_recv, N_SENDERS * N_MESSAGES / N_RECEIVERS);
		sink_free(&receivers[i].sink);
	}
	for (i = 0; i < N_SENDERS; i++) {
		ck_assert_uint_eq(senders[i].source.n_sent, N_MESSAGES);
		source_free(&senders[i].source);
	}
	ends_free(&pair);
}
END_TEST

/* --- created by another thread than the connection's, which ends meanwhile --- */

struct creator {
	struct end *end;
	_Atomic unsigned n_made, n_refused;
	_Atomic bool stops;
};

static void creator_count(struct creator *creator, doca_error_t result)
{
	if (result == DOCA_SUCCESS)
		atomic_fetch_add(&creator->n_made, 1);
	else
		atomic_fetch_add(&creator->n_refused, 1);
	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_BAD_STATE);
}

static void *run_creator(void *arg)
{
	struct creator *creator = arg;
	struct memory memory;

	memory_make_len(&memory, &fake_host, false, 65536, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	while (!atomic_load(&creator->stops)) {
		struct doca_comch_consumer *consumer;
		struct doca_comch_producer *producer;
		doca_error_t result;

		result = doca_comch_producer_create(creator->end->conn, &producer);
		creator_count(creator, result);
		if (result == DOCA_SUCCESS)
			ck_assert_int_eq(doca_comch_producer_destroy(producer), DOCA_SUCCESS);
		result = doca_comch_consumer_create(creator->end->conn, memory.mmap, &consumer);
		creator_count(creator, result);
		if (result == DOCA_SUCCESS)
			ck_assert_int_eq(doca_comch_consumer_destroy(consumer), DOCA_SUCCESS);
	}
	memory_free(&memory);
	return NULL;
}

static void await_more(const _Atomic unsigned *n)
{
	unsigned before = atomic_load(n);

	while (atomic_load(n) - before < 3)
		sched_yield();
}

#define N_ENDS 30

START_TEST(test_made_while_it_ends)
{
	struct creator creator = {0};
	pthread_t thread;
	struct pair pair;

	ends_make(&pair, "makers");
	creator.end = &pair.client;
	ck_assert_int_eq(pthread_create(&thread, NULL, run_creator, &creator), 0);
	for (int i = 0; i < N_ENDS; i++) {
		await_more(&creator.n_made);
		end_stop(&pair.client);
		progress(&pair.server);
		await_more(&creator.n_refused);
		if (i == N_ENDS - 1)
			break;
		pair.client.n_idle = pair.client.n_running = 0;
		ck_assert_int_eq(doca_ctx_start(pair.client.ctx), DOCA_ERROR_IN_PROGRESS);
		progress_both(&pair.server, &pair.client);
		ck_assert_uint_eq(pair.client.n_running, 1);
	}
	atomic_store(&creator.stops, true);
	pthread_join(thread, NULL);
	ends_free(&pair);
}
END_TEST

/* The owner's thread ends the connection while other threads send and receive. */
static void *run_until_error(void *arg)
{
	struct sender *sender = arg;
	doca_error_t result;

	do {
		result = source_send(&sender->source, sender->to[0], 0, 100);
		pe_run(sender->source.pe);
	} while (result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN ||
		 result == DOCA_ERROR_NO_MEMORY);
	ck_assert(result == DOCA_ERROR_NOT_CONNECTED || result == DOCA_ERROR_NOT_FOUND);
	return NULL;
}

static void *run_until_idle(void *arg)
{
	struct sink *sink = arg;

	while (sink->n_idle == 0) {
		doca_notification_handle_t handle;
		struct pollfd pfd;

		pe_run(sink->pe);
		if (sink->n_idle != 0)
			break;
		doca_pe_get_notification_handle(sink->pe, &handle);
		doca_pe_request_notification(sink->pe);
		pfd = (struct pollfd){.fd = handle, .events = POLLIN};
		poll(&pfd, 1, -1);
		doca_pe_clear_notification(sink->pe, 0);
	}
	return NULL;
}

START_TEST(test_end_under_threads)
{
	static struct sender sender;
	struct pair pair;
	pthread_t threads[2];
	unsigned i;

	ends_make(&pair, "cut");
	fake_reach = FAKE_REACH_OTHER;
	source_make(&sender.source, &pair.client);
	sink_make(&pair.sink, &pair.server, true, FAST_TASKS);
	sink_start(&pair.sink);
	pair.sink.repost = true;
	sender.to[0] = pair.sink.id;
	for (i = 0; i < FAST_TASKS; i++)
		sink_post(&pair.sink, i * 4096, 4096, 0);
	progress(&pair.client);
	ck_assert_int_eq(pthread_create(&threads[0], NULL, run_until_idle, &pair.sink), 0);
	ck_assert_int_eq(pthread_create(&threads[1], NULL, run_until_error, &sender), 0);
	/* Wait for some traffic. */
	while (counters_get(&pair.sink.consumer->member.line->received) < 1000)
		sched_yield();
	if (_i == 0) {
		end_stop(&pair.client);
		progress(&pair.server);
	} else {
		end_stop(&pair.server);
		progress(&pair.client);
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	sink_free(&pair.sink);
	source_free(&sender.source);
	ends_free(&pair);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch data path faults");
	TCase *tcase = unit_case(suite, "comch data path faults", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, test_hostile_slot, 0, N_SLOT_ATTACKS);
	tcase_add_loop_test(tcase, test_hostile_claim, 0, 2);
	tcase_add_loop_test(tcase, test_hostile_offer, 0, 4);
	tcase_add_test(tcase, test_claimed_for_ever);
	tcase_add_loop_test(tcase, test_claimed_completes, 0, 2);
	tcase_add_test(tcase, test_producer_dies);
	tcase_add_test(tcase, test_producer_dies_meanwhile);
	tcase_add_loop_test(tcase, test_hostile_desc, 0, 2);
	tcase_add_test(tcase, test_unmapped);
	tcase_add_loop_test(tcase, test_bad_reply, FAKE_LIE_RING_LEN, FAKE_LIE_MSG_SIZE + 1);
	tcase_add_loop_test(tcase, test_bad_header, 0, 5);
	tcase_add_loop_test(tcase, test_fetch_fails, 0, 2);
	tcase_add_test(tcase, test_over_limit);
	tcase_add_loop_test(tcase, test_connection_ends, 0, 2);
	tcase_add_test(tcase, test_stop_in_every_state);
	tcase_add_test(tcase, test_producer_stops_in_every_state);
	tcase_add_test(tcase, test_orphans);
	tcase_add_test(tcase, test_daemon_restart);
	tcase_add_test(tcase, test_forgotten);
	tcase_add_loop_test(tcase, test_threads, PATH_PVM, N_PATHS);
	tcase_add_test(tcase, test_made_while_it_ends);
	tcase_add_loop_test(tcase, test_end_under_threads, 0, 2);
	return unit_run(suite);
}
