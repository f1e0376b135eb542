/* Fetches a peer's consumer; see client/comch/fast_path/consumer_lookup.h. */
#include "client/comch/fast_path/consumer_lookup.h"

#include <stdlib.h>

#include <doca_mmap.h>

#include "client/comch/fast_path/link.h"
#include "client/control/rpc.h"
#include "client/memory/mmap.h"
#include "util/clock.h"

/* The answer's contents are validated when the consumer is opened. */
bool comch_lookup_needs_import(const struct comch_link *link, const struct rpc_reply *answer)
{
	const Dococore__ConsumerReply *reply = answer->packet->consumer_reply;

	return link->is_remote && reply->consumer != NULL && reply->consumer->slots_export.len != 0;
}

/* Begins the import of the slots that `answer` describes. */
static doca_error_t lookup_import(struct comch_lookup *lookup, const struct comch_link *link,
				  const struct comch_lookup_waiter *waiter)
{
	const Dococore__Consumer *consumer = lookup->answer.packet->consumer_reply->consumer;

	return mmap_import_begin(consumer->slots_export.data, consumer->slots_export.len, link->dev,
				 waiter->on_done, waiter->user, &lookup->pending,
				 &lookup->importing);
}

doca_error_t comch_lookup_begin(struct comch_lookup *lookup, const struct comch_link *link,
				uint32_t consumer_id, const struct comch_lookup_waiter *waiter)
{
	const struct rpc_options options = {
		.on_done = waiter->on_done,
		.user = waiter->user,
		/* It is no error if the consumer left before it was fetched. */
		.expected_refusal = DOCA_ERROR_NOT_FOUND,
	};
	Dococore__ConsumerFetch body = DOCOCORE__CONSUMER_FETCH__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	doca_error_t result;

	if (!comch_link_is_known(link))
		return comch_link_unknown(link, "comch consumer event");
	if (lookup->answer.packet != NULL)
		return lookup_import(lookup, link, waiter);
	comch_link_request(link, consumer_id, &body, &request);
	rpc_lock();
	result = comch_link_is_known_locked(link)
			 ? rpc_begin_locked(&request, &options, &lookup->pending)
			 : comch_link_unknown(link, "comch consumer event");
	rpc_unlock();
	return result;
}

doca_error_t comch_lookup_collect(struct comch_lookup *lookup, const struct comch_link *link,
				  const struct comch_lookup_waiter *waiter,
				  struct rpc_reply *answer_out)
{
	doca_error_t result;

	if (lookup->importing != NULL) {
		result = mmap_import_end(&lookup->importing, &lookup->pending, &lookup->import);
	} else {
		result = rpc_collect(&lookup->pending, DOCOCORE__PACKET__BODY_CONSUMER_REPLY,
				     &lookup->answer);
		if (result == DOCA_SUCCESS && comch_lookup_needs_import(link, &lookup->answer))
			result = lookup_import(lookup, link, waiter);
		if (result == DOCA_SUCCESS && lookup->importing != NULL)
			return DOCA_ERROR_IN_PROGRESS;
	}
	*answer_out = lookup->answer;
	lookup->answer = (struct rpc_reply)RPC_REPLY_INIT;
	return result;
}

void comch_lookup_cancel(struct comch_lookup *lookup)
{
	lookup->pending = rpc_cancel(lookup->pending);
	lookup->importing = mmap_import_cancel(lookup->importing);
	rpc_reply_deinit(&lookup->answer);
	if (lookup->import != NULL)
		(void)doca_mmap_destroy(lookup->import);
	lookup->import = NULL;
}

/* --- repeated attempts --- */

/* The time that a producer waits for a consumer of another machine that is called. */
#define RETRY_TIMEOUT_NS (10 * NS_PER_SEC)
/* The interval at which it searches for a daemon that is away. */
#define RETRY_EVERY_NS NS_PER_SEC

struct comch_retry {
	struct comch_lookup lookup;
	uint32_t consumer_id;
	uint64_t since_ns, search_ns;
};

struct comch_retry *comch_retry_new(uint32_t consumer_id, struct rpc_reply *known)
{
	struct comch_retry *retry = calloc(1, sizeof(*retry));

	if (retry == NULL)
		return NULL;
	retry->lookup = (struct comch_lookup){.answer = *known};
	*known = (struct rpc_reply)RPC_REPLY_INIT;
	retry->consumer_id = consumer_id;
	retry->since_ns = clock_now_ns();
	return retry;
}

static void ignore_completion(void *user)
{
	(void)user;
}

static const struct comch_lookup_waiter no_waiter = {.on_done = ignore_completion};

/* Nothing is requested without a connection. */
static doca_error_t retry_begin(struct comch_retry *retry, const struct comch_link *link)
{
	rpc_lock();
	if (session_is_over_locked() && clock_now_ns() >= retry->search_ns) {
		session_reconnect_locked(true);
		retry->search_ns = clock_now_ns() + RETRY_EVERY_NS;
	}
	rpc_unlock();
	return comch_lookup_begin(&retry->lookup, link, retry->consumer_id, &no_waiter);
}

static doca_error_t retry_advance(struct comch_retry *retry, const struct comch_link *link,
				  struct rpc_reply *answer_out)
{
	doca_error_t result = DOCA_SUCCESS;

	if (retry->lookup.pending == NULL)
		result = retry_begin(retry, link);
	if (result != DOCA_SUCCESS) {
		*answer_out = retry->lookup.answer;
		retry->lookup.answer = (struct rpc_reply)RPC_REPLY_INIT;
		return result;
	}
	do {
		rpc_receive();
		if (!rpc_is_done(retry->lookup.pending))
			return DOCA_ERROR_IN_PROGRESS;
		result = comch_lookup_collect(&retry->lookup, link, &no_waiter, answer_out);
	} while (result == DOCA_ERROR_IN_PROGRESS);
	return result;
}

doca_error_t comch_retry_advance(struct comch_retry *retry, const struct comch_link *link,
				 struct rpc_reply *answer_out, struct doca_mmap **import_out)
{
	doca_error_t result = retry_advance(retry, link, answer_out);

	*import_out = retry->lookup.import;
	retry->lookup.import = NULL;
	return result;
}

bool comch_retry_is_late(const struct comch_retry *retry)
{
	return clock_now_ns() - retry->since_ns >= RETRY_TIMEOUT_NS;
}

void comch_retry_free(struct comch_retry *retry)
{
	if (retry == NULL)
		return;
	comch_lookup_cancel(&retry->lookup);
	free(retry);
}
