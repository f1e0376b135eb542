/* Fetches a peer's consumer; see client/comch/fast_path/consumer_lookup.h. */
#include "client/comch/fast_path/consumer_lookup.h"

#include <stdlib.h>

#include <doca_mmap.h>

#include "client/comch/fast_path/link.h"
#include "client/control/deferred.h"
#include "client/control/pending.h"
#include "client/memory/mmap.h"
#include "util/clock.h"

/* The answer's contents are validated when the consumer is opened. */
bool comch_ask_is_far(const struct comch_link *link, const struct session_answer *answer)
{
	const Dococore__ConsumerReply *reply = answer->packet->consumer_reply;

	return link->far_consumers && reply->consumer != NULL &&
	       reply->consumer->slots_export.len != 0;
}

/* Begins the import of the slots that `answer` describes. */
static doca_error_t ask_import_locked(struct comch_ask *ask, const struct comch_link *link,
				      const struct comch_ask_waiter *waiter)
{
	const Dococore__Consumer *consumer = ask->answer.packet->consumer_reply->consumer;

	return mmap_import_begin_locked(consumer->slots_export.data, consumer->slots_export.len,
					link->dev, waiter->came, waiter->user, &ask->pending,
					&ask->importing);
}

doca_error_t comch_ask_begin_locked(struct comch_ask *ask, const struct comch_link *link,
				    uint32_t consumer_id, const struct comch_ask_waiter *waiter)
{
	const struct session_pending_options options = {
		.came = waiter->came,
		.user = waiter->user,
		/* It is no error if the consumer left before it was fetched. */
		.quiet_refusal = DOCA_ERROR_NOT_FOUND,
	};
	Dococore__ConsumerFetch body = DOCOCORE__CONSUMER_FETCH__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};

	if (!comch_link_is_known_locked(link))
		return comch_link_unknown(link, "comch consumer event");
	if (ask->answer.packet != NULL)
		return ask_import_locked(ask, link, waiter);
	comch_link_request(link, consumer_id, &body, &request);
	return session_pending_send_locked(&request, &options, &ask->pending);
}

doca_error_t comch_ask_take_locked(struct comch_ask *ask, const struct comch_link *link,
				   const struct comch_ask_waiter *waiter,
				   struct session_answer *answer_out)
{
	doca_error_t result;

	if (ask->importing != NULL) {
		result = mmap_import_end_locked(&ask->importing, &ask->pending, &ask->import);
	} else {
		result = session_pending_collect(
			&ask->pending, DOCOCORE__PACKET__BODY_CONSUMER_REPLY, &ask->answer);
		if (result == DOCA_SUCCESS && comch_ask_is_far(link, &ask->answer))
			result = ask_import_locked(ask, link, waiter);
		if (result == DOCA_SUCCESS && ask->importing != NULL)
			return DOCA_ERROR_IN_PROGRESS;
	}
	*answer_out = ask->answer;
	ask->answer = (struct session_answer)SESSION_ANSWER_INIT;
	return result;
}

void comch_ask_give_up_locked(struct comch_ask *ask)
{
	ask->pending = session_pending_cancel_locked(ask->pending);
	ask->importing = mmap_import_drop(ask->importing);
	session_answer_deinit(&ask->answer);
	if (ask->import != NULL)
		(void)doca_mmap_destroy(ask->import);
	ask->import = NULL;
}

/* --- repeated attempts --- */

/* The time that a producer waits for a consumer of another machine that is called. */
#define RETRY_TIMEOUT_NS (10 * NS_PER_SEC)
/* The interval at which it searches for a daemon that is away. */
#define RETRY_EVERY_NS NS_PER_SEC

struct comch_retry {
	struct session_deferred end;
	struct comch_ask ask;
	uint32_t consumer_id;
	uint64_t since_ns, look_ns;
};

struct comch_retry *comch_retry_new(uint32_t consumer_id, struct session_answer *known)
{
	struct comch_retry *retry = calloc(1, sizeof(*retry));

	if (retry == NULL)
		return NULL;
	retry->ask = (struct comch_ask){.answer = *known};
	*known = (struct session_answer)SESSION_ANSWER_INIT;
	retry->consumer_id = consumer_id;
	retry->since_ns = clock_now_ns();
	return retry;
}

static void nobody_is_told(void *user)
{
	(void)user;
}

static const struct comch_ask_waiter nobody = {.came = nobody_is_told};

/* Nothing is requested without a connection. */
static doca_error_t retry_begin_locked(struct comch_retry *retry, const struct comch_link *link)
{
	if (session_fd_locked() < 0 && clock_now_ns() >= retry->look_ns) {
		(void)session_ensure_timeout_locked(true);
		retry->look_ns = clock_now_ns() + RETRY_EVERY_NS;
	}
	return comch_ask_begin_locked(&retry->ask, link, retry->consumer_id, &nobody);
}

static doca_error_t retry_go_on_locked(struct comch_retry *retry, const struct comch_link *link,
				       struct session_answer *answer_out)
{
	doca_error_t result = DOCA_SUCCESS;

	if (retry->ask.pending == NULL)
		result = retry_begin_locked(retry, link);
	if (result != DOCA_SUCCESS) {
		*answer_out = retry->ask.answer;
		retry->ask.answer = (struct session_answer)SESSION_ANSWER_INIT;
		return result;
	}
	do {
		session_drain_locked();
		if (!session_pending_is_done(retry->ask.pending))
			return DOCA_ERROR_IN_PROGRESS;
		result = comch_ask_take_locked(&retry->ask, link, &nobody, answer_out);
	} while (result == DOCA_ERROR_IN_PROGRESS);
	return result;
}

doca_error_t comch_retry_go_on(struct comch_retry *retry, const struct comch_link *link,
			       struct session_answer *answer_out, struct doca_mmap **import_out)
{
	doca_error_t result;

	if (!session_try_lock())
		return DOCA_ERROR_IN_PROGRESS;
	result = retry_go_on_locked(retry, link, answer_out);
	session_unlock();
	*import_out = retry->ask.import;
	retry->ask.import = NULL;
	return result;
}

bool comch_retry_is_late(const struct comch_retry *retry)
{
	return clock_now_ns() - retry->since_ns >= RETRY_TIMEOUT_NS;
}

static void retry_end(struct session_deferred *deferred)
{
	struct comch_retry *retry = container_of(deferred, struct comch_retry, end);

	comch_ask_give_up_locked(&retry->ask);
	free(retry);
}

void comch_retry_free_deferred(struct comch_retry *retry)
{
	if (retry == NULL)
		return;
	retry->end.run_locked = retry_end;
	session_defer(&retry->end);
}
