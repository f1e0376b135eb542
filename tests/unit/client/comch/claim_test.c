/*
 * Claims of receives: the producer that owns them, others that come and go, and a consumer that
 * stops in the middle of a stream. Uses short messages, which are claimed without a locked
 * instruction.
 */
#include <pthread.h>
#include <sched.h>

#include "client/comch/fast_path/claim.h"
#include "client/comch/fast_path/producer.h"
#include "tests/unit/client/comch/fast_ends.h"

#define N_MESSAGES UNIT_N(16000u)
#define N_STOPS    UNIT_N(24u)
#define PLACES     32u
#define PLACE_LEN  64u

struct word {
	uint32_t sender, number;
};

struct stream {
	struct source source;
	uint32_t index, to;
	uint32_t n_limit;
	_Atomic uint32_t n_sent;
	doca_error_t last;
};

static uint32_t next_of[2]; /* next number expected by the receiver, per sender */
static unsigned n_wrong;

static void check_word(struct sink *sink)
{
	struct word word;

	memcpy(&word, sink->data, sizeof(word));
	if (sink->data_len != sizeof(word) || word.sender >= ARRAY_LEN(next_of) ||
	    word.number != next_of[word.sender])
		n_wrong++;
	else
		next_of[word.sender]++;
}

static doca_error_t stream_send(struct stream *stream)
{
	uint32_t n = atomic_load(&stream->n_sent);
	size_t at = n % PLACES * PLACE_LEN;
	struct word word = {stream->index, n};
	doca_error_t result;

	memcpy(stream->source.memory.bytes + at, &word, sizeof(word));
	result = source_send(&stream->source, stream->to, at, sizeof(word));
	pe_run(stream->source.pe);
	if (result == DOCA_SUCCESS)
		atomic_fetch_add(&stream->n_sent, 1);
	return result;
}

static void *run_stream(void *arg)
{
	struct stream *stream = arg;

	do {
		stream->last = stream_send(stream);
		if (stream->last == DOCA_ERROR_AGAIN)
			sched_yield();
	} while ((stream->last == DOCA_SUCCESS || stream->last == DOCA_ERROR_AGAIN) &&
		 atomic_load(&stream->n_sent) < stream->n_limit);
	return NULL;
}

static void streams_make(struct pair *pair, struct stream *streams, unsigned n, uint32_t n_limit)
{
	unsigned i;

	memset(next_of, 0, sizeof(next_of));
	n_wrong = 0;
	fake_reach = FAKE_REACH_OTHER;
	sink_make(&pair->sink, &pair->server, true, FAST_TASKS);
	sink_start(&pair->sink);
	pair->sink.repost = true;
	pair->sink.on_recv = check_word;
	for (i = 0; i < FAST_TASKS; i++)
		sink_post(&pair->sink, i * PLACE_LEN, PLACE_LEN, 0);
	for (i = 0; i < n; i++) {
		source_make(&streams[i].source, &pair->client);
		streams[i].index = i;
		streams[i].to = pair->sink.id;
		streams[i].n_limit = n_limit;
		streams[i].n_sent = 0;
	}
	progress(&pair->client);
}

static enum comch_claim_mode mode_of(const struct stream *stream)
{
	const struct doca_comch_producer *producer = stream->source.producer;

	return atomic_load(&producer->known[stream->to & producer->known_mask]->claims.mode);
}

static const void *owner_of(const struct stream *stream)
{
	const struct doca_comch_producer *producer = stream->source.producer;

	return atomic_load(&producer->known[stream->to & producer->known_mask]->claims.owner);
}

static void receive_until(struct pair *pair, unsigned n)
{
	while (pair->sink.n_recv < n) {
		if (pe_run(pair->sink.pe) == 0)
			sched_yield();
	}
}

/* A second producer starts while the first sends at full rate. */
START_TEST(test_second)
{
	static struct stream streams[2];
	pthread_t threads[2];
	struct pair pair;
	bool owned;

	ends_make(&pair, "claims");
	streams_make(&pair, streams, 2, N_MESSAGES);
	ck_assert_int_eq(stream_send(&streams[0]), DOCA_SUCCESS);
	owned = mode_of(&streams[0]) == COMCH_CLAIM_OWNED;
	ck_assert_ptr_eq(owner_of(&streams[0]), owned ? streams[0].source.producer : NULL);
	ck_assert_int_eq(pthread_create(&threads[0], NULL, run_stream, &streams[0]), 0);
	receive_until(&pair, N_MESSAGES / 3);
	ck_assert_int_eq(pthread_create(&threads[1], NULL, run_stream, &streams[1]), 0);
	receive_until(&pair, 2 * N_MESSAGES);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	ck_assert_uint_eq(n_wrong, 0);
	ck_assert_int_eq(mode_of(&streams[0]), COMCH_CLAIM_SHARED);
	sink_stop(&pair.sink);
	ck_assert_uint_eq(pair.sink.n_recv, 2 * N_MESSAGES);
	sink_free(&pair.sink);
	source_free(&streams[0].source);
	source_free(&streams[1].source);
	ends_free(&pair);
}
END_TEST

/* A producer that ends passes the ownership to the next. */
START_TEST(test_successor)
{
	static struct stream streams[2];
	struct pair pair;
	unsigned i;

	ends_make(&pair, "claims");
	streams_make(&pair, streams, 2, 0);
	ck_assert_int_eq(stream_send(&streams[0]), DOCA_SUCCESS);
	if (mode_of(&streams[0]) == COMCH_CLAIM_OWNED) {
		source_free(&streams[0].source);
		for (i = 0; i < 3; i++)
			ck_assert_int_eq(stream_send(&streams[1]), DOCA_SUCCESS);
		ck_assert_int_eq(mode_of(&streams[1]), COMCH_CLAIM_OWNED);
		ck_assert_ptr_eq(owner_of(&streams[1]), streams[1].source.producer);
		receive_until(&pair, 4);
		ck_assert_uint_eq(n_wrong, 0);
	} else {
		source_free(&streams[0].source);
	}
	sink_stop(&pair.sink);
	sink_free(&pair.sink);
	source_free(&streams[1].source);
	ends_free(&pair);
}
END_TEST

/*
 * The consumer stops at some point of the stream: messages sent with success are received, others
 * are not, and no end waits for a claim that is never completed.
 */
START_TEST(test_stop)
{
	static struct stream stream;
	struct pair pair;
	unsigned round;

	ends_make(&pair, "claims");
	for (round = 0; round < N_STOPS; round++) {
		pthread_t thread;

		streams_make(&pair, &stream, 1, UINT32_MAX);
		ck_assert_int_eq(pthread_create(&thread, NULL, run_stream, &stream), 0);
		receive_until(&pair, 50 + 37 * round);
		ck_assert_int_eq(doca_ctx_stop(pair.sink.ctx), DOCA_ERROR_IN_PROGRESS);
		while (pair.sink.n_idle == 0) {
			if (pe_run(pair.sink.pe) == 0)
				sched_yield();
		}
		pthread_join(thread, NULL);
		ck_assert_int_eq(stream.last, DOCA_ERROR_NOT_FOUND);
		ck_assert_uint_eq(n_wrong, 0);
		ck_assert_uint_eq(pair.sink.n_recv, atomic_load(&stream.n_sent));
		/* No receive is flushed if the stream has used all of them by then. */
		if (pair.sink.n_flushed > 0)
			ck_assert_int_eq(pair.sink.flush_code, DOCA_ERROR_SHUTDOWN);
		sink_free(&pair.sink);
		source_free(&stream.source);
	}
	ends_free(&pair);
}
END_TEST

/*
 * A claim races with the consumer's stop: `closed` is set, but SLOTS_CLOSED was overwritten. The
 * receive does not belong to the producer, so it may only complete the slot as SLOTS_SKIP.
 */
START_TEST(test_overtaken)
{
	static struct stream stream;
	struct slots_header *header;
	struct pair pair;
	uint64_t word;

	ends_make(&pair, "claims");
	streams_make(&pair, &stream, 1, 0);
	ck_assert_int_eq(stream_send(&stream), DOCA_SUCCESS);
	receive_until(&pair, 1);
	header = pair.sink.consumer->header;
	atomic_store(&header->closed, 1);
	ck_assert_int_eq(stream_send(&stream), DOCA_ERROR_NOT_FOUND);
	word = atomic_load(&pair.sink.consumer->slots[1].word);
	ck_assert(word == 0 || (word >> 32 & 0xff) == SLOTS_SKIP);
	pe_run(pair.sink.pe);
	ck_assert_uint_eq(pair.sink.n_recv, 1);
	ck_assert_uint_eq(atomic_load(&stream.n_sent), 1);
	sink_stop(&pair.sink);
	ck_assert_int_eq(pair.sink.flush_code, DOCA_ERROR_SHUTDOWN);
	sink_free(&pair.sink);
	source_free(&stream.source);
	ends_free(&pair);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch claims");
	TCase *tcase = unit_case(suite, "comch claims", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, test_second);
	tcase_add_test(tcase, test_successor);
	tcase_add_test(tcase, test_stop);
	tcase_add_test(tcase, test_overtaken);
	return unit_run(suite);
}
