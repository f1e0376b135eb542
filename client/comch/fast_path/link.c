/*
 * The part of a connection that its producers and consumers share; see
 * client/comch/fast_path/link.h. The lock is held briefly; calls to the daemon are made without it.
 */
#include "client/comch/fast_path/link.h"

#include <stdlib.h>
#include <string.h>

#include "client/comch/fast_path/consumer_lookup.h"
#include "client/device/dev.h"
#include "util/doorbell.h"

/* A consumer that could not be opened when it was announced. */
struct comch_unopened {
	struct list node;
	uint32_t id;
	doca_error_t code; /* the reason */
	bool is_retrying;  /* a producer is making an attempt now */
	/* The daemon's answer for a consumer on another machine, from which the next attempt
	 * starts. */
	struct rpc_reply known;
	/* The attempt in progress, for which a place is reserved; NULL: none. */
	struct comch_retry *retry;
};

/* Removes an unopened consumer from its list. The caller frees it after unlocking. */
static void link_remove_unopened(struct comch_link *link, struct comch_unopened *unopened)
{
	link->n_peer_consumers -= unopened->retry != NULL;
	list_remove(&unopened->node);
}

static void unopened_free(struct comch_unopened *unopened)
{
	if (unopened == NULL)
		return;
	comch_retry_free(unopened->retry);
	rpc_reply_deinit(&unopened->known);
	free(unopened);
}

struct comch_link *comch_link_new(struct doca_dev *dev, const char *name, uint64_t channel_id,
				  const uint8_t daemon_id[16])
{
	struct comch_link *link = calloc(1, sizeof(*link));

	if (link == NULL)
		return NULL;
	if (pthread_mutex_init(&link->lock, NULL) != 0) {
		free(link);
		return NULL;
	}
	atomic_init(&link->refs, 1);
	link->dev = dev;
	dev_hold(dev);
	link->channel_id = channel_id;
	memcpy(link->daemon_id, daemon_id, sizeof(link->daemon_id));
	strncpy(link->name, name, sizeof(link->name) - 1);
	list_init(&link->peer_consumers);
	list_init(&link->unopened);
	list_init(&link->consumers);
	list_init(&link->producers);
	return link;
}

struct comch_link *comch_link_ref(struct comch_link *link)
{
	atomic_fetch_add_explicit(&link->refs, 1, memory_order_relaxed);
	return link;
}

void comch_link_unref(struct comch_link *link)
{
	if (link == NULL || atomic_fetch_sub(&link->refs, 1) != 1)
		return;
	while (!list_is_empty(&link->unopened)) {
		struct comch_unopened *unopened = list_entry(link->unopened.next,
							     struct comch_unopened, node);

		link_remove_unopened(link, unopened);
		unopened_free(unopened);
	}
	pthread_mutex_destroy(&link->lock);
	dev_release(link->dev);
	free(link);
}

/* Removes a consumer from the list. The list's reference becomes the caller's, to be released after
 * unlocking. */
static void link_drop_peer_consumer(struct comch_link *link, struct comch_peer_consumer *peer)
{
	atomic_store(&peer->ended, 1);
	atomic_fetch_add(&link->n_dropped, 1);
	list_remove(&peer->node);
	link->n_peer_consumers--;
}

void comch_link_end(struct comch_link *link, doca_error_t code)
{
	struct comch_peer_consumer *peer;
	struct comch_member *member;
	uint32_t up = 0;

	if (!atomic_compare_exchange_strong(&link->ended, &up, 1 + (uint32_t)code))
		return;
	pthread_mutex_lock(&link->lock);
	/* The peer's consumers stay in the list, because the program has not been notified of their
	 * end yet. */
	list_for_each(peer, &link->peer_consumers, node) atomic_store(&peer->ended, 1);
	atomic_fetch_add(&link->n_dropped, 1);
	list_for_each(member, &link->consumers, node)
	{
		if (member->doorbell_fd >= 0)
			doorbell_ring(member->doorbell_fd);
	}
	list_for_each(member, &link->producers, node)
	{
		if (member->doorbell_fd >= 0)
			doorbell_ring(member->doorbell_fd);
	}
	pthread_mutex_unlock(&link->lock);
}

static struct comch_peer_consumer *link_lookup(struct comch_link *link, uint32_t consumer_id)
{
	struct comch_peer_consumer *peer;

	list_for_each(peer, &link->peer_consumers, node)
	{
		if (peer->id == consumer_id)
			return peer;
	}
	return NULL;
}

bool comch_link_is_known(const struct comch_link *link)
{
	bool is_known;

	rpc_lock();
	is_known = comch_link_is_known_locked(link);
	rpc_unlock();
	return is_known;
}

bool comch_link_is_known_locked(const struct comch_link *link)
{
	return memcmp(session_daemon_id_locked(), link->daemon_id, sizeof(link->daemon_id)) == 0;
}

doca_error_t comch_link_unknown(const struct comch_link *link, const char *what)
{
	return error_set(DOCA_ERROR_NOT_CONNECTED,
			 "%s: the daemon was restarted since \"%s\" was connected and does not "
			 "know the connection; connect again",
			 what, link->name);
}

static doca_error_t link_call_locked(const struct comch_link *link, const char *what,
				     struct rpc_request *request,
				     Dococore__Packet__BodyCase expected,
				     struct rpc_reply *answer_out)
{
	doca_error_t result = session_ensure_locked();

	if (result != DOCA_SUCCESS)
		return result;
	if (!comch_link_is_known_locked(link))
		return comch_link_unknown(link, what);
	return rpc_call_locked(request, expected, answer_out);
}

doca_error_t comch_link_call(const struct comch_link *link, const char *what,
			     struct rpc_request *request, Dococore__Packet__BodyCase expected,
			     struct rpc_reply *answer_out)
{
	doca_error_t result;

	rpc_lock();
	result = link_call_locked(link, what, request, expected, answer_out);
	rpc_unlock();
	return result;
}

static struct comch_unopened *link_lookup_unopened(struct comch_link *link, uint32_t consumer_id)
{
	struct comch_unopened *unopened;

	list_for_each(unopened, &link->unopened, node)
	{
		if (unopened->id == consumer_id)
			return unopened;
	}
	return NULL;
}

doca_error_t comch_link_reserve(struct comch_link *link, uint32_t consumer_id)
{
	uint32_t max = link->dev->info->caps.comch_max_consumers;
	bool exists, is_full;

	pthread_mutex_lock(&link->lock);
	exists = link_lookup(link, consumer_id) != NULL;
	is_full = link->n_peer_consumers >= max;
	if (!exists && !is_full)
		link->n_peer_consumers++;
	pthread_mutex_unlock(&link->lock);
	if (exists)
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "comch \"%s\": the peer announced consumer %u twice; the second "
				 "announcement is ignored",
				 link->name, consumer_id);
	if (is_full)
		return error_set(
			DOCA_ERROR_TOO_BIG,
			"comch \"%s\": consumer %u of the peer is one more than the %u that the "
			"device allows; it can be sent to when another has stopped",
			link->name, consumer_id, max);
	return DOCA_SUCCESS;
}

void comch_link_release(struct comch_link *link)
{
	pthread_mutex_lock(&link->lock);
	link->n_peer_consumers--;
	pthread_mutex_unlock(&link->lock);
}

void comch_link_request(const struct comch_link *link, uint32_t consumer_id,
			Dococore__ConsumerFetch *body, struct rpc_request *request)
{
	body->channel_id = link->channel_id;
	body->consumer_id = consumer_id;
	request->packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_FETCH;
	request->packet.consumer_fetch = body;
}

/* Opens a consumer for which a place is reserved. `again`: it is in `unopened`, unless its end was
 * announced meanwhile. */
static doca_error_t link_open_consumer(struct comch_link *link, uint32_t consumer_id, bool again,
				       doca_error_t result, struct rpc_reply *answer,
				       struct doca_mmap *import)
{
	struct comch_peer_consumer *peer = NULL;

	if (result == DOCA_SUCCESS)
		result = comch_peer_consumer_open(link, answer, import, consumer_id, &peer);
	pthread_mutex_lock(&link->lock);
	if (result == DOCA_SUCCESS && comch_link_ended(link) == 0 &&
	    (!again || link_lookup_unopened(link, consumer_id) != NULL)) {
		list_append(&link->peer_consumers, &peer->node);
		peer = NULL;
	} else {
		link->n_peer_consumers--;
	}
	pthread_mutex_unlock(&link->lock);
	comch_peer_consumer_unref(peer);
	return result;
}

static void unopened_store_answer(struct comch_unopened *unopened, const struct comch_link *link,
				  struct rpc_reply *answer)
{
	/* The descriptors of a consumer on this machine are used up, so its answer is not kept. */
	if (answer == NULL || answer->packet == NULL || !comch_lookup_needs_import(link, answer))
		return;
	unopened->known = *answer;
	*answer = (struct rpc_reply)RPC_REPLY_INIT;
}

bool comch_link_add_unopened(struct comch_link *link, uint32_t consumer_id, doca_error_t code,
			     struct rpc_reply *answer)
{
	struct comch_unopened *unopened;

	if (code == DOCA_ERROR_UNEXPECTED)
		return false;
	unopened = calloc(1, sizeof(*unopened));
	if (unopened == NULL)
		return false;
	unopened->id = consumer_id;
	unopened->code = code;
	unopened->known = (struct rpc_reply)RPC_REPLY_INIT;
	unopened_store_answer(unopened, link, answer);
	pthread_mutex_lock(&link->lock);
	list_append(&link->unopened, &unopened->node);
	pthread_mutex_unlock(&link->lock);
	return true;
}

bool comch_link_attach(struct comch_link *link, uint32_t consumer_id, doca_error_t result,
		       struct rpc_reply *answer, struct doca_mmap *import)
{
	result = link_open_consumer(link, consumer_id, false, result, answer, import);
	/* If the link has ended, the callbacks for the consumer's beginning and for its end must
	 * run all the same. */
	if (comch_link_ended(link) != 0 && result != DOCA_ERROR_UNEXPECTED)
		result = DOCA_ERROR_NOT_FOUND;
	return result == DOCA_SUCCESS || comch_link_add_unopened(link, consumer_id, result, answer);
}

bool comch_link_detach(struct comch_link *link, uint32_t consumer_id)
{
	struct comch_peer_consumer *peer;
	struct comch_unopened *unopened;
	bool was_known;

	pthread_mutex_lock(&link->lock);
	peer = link_lookup(link, consumer_id);
	unopened = link_lookup_unopened(link, consumer_id);
	if (peer != NULL)
		link_drop_peer_consumer(link, peer);
	if (unopened != NULL)
		link_remove_unopened(link, unopened);
	pthread_mutex_unlock(&link->lock);
	comch_peer_consumer_unref(peer);
	was_known = peer != NULL || unopened != NULL;
	unopened_free(unopened);
	return was_known;
}

/* Returns the id of any consumer that the program knows, or 0. */
static uint32_t link_any_announced(struct comch_link *link)
{
	uint32_t id = 0;

	pthread_mutex_lock(&link->lock);
	if (!list_is_empty(&link->peer_consumers))
		id = list_entry(link->peer_consumers.next, struct comch_peer_consumer, node)->id;
	else if (!list_is_empty(&link->unopened))
		id = list_entry(link->unopened.next, struct comch_unopened, node)->id;
	pthread_mutex_unlock(&link->lock);
	return id;
}

bool comch_link_has_announced(struct comch_link *link)
{
	return link_any_announced(link) != 0;
}

bool comch_link_detach_any(struct comch_link *link, uint32_t *consumer_id_out)
{
	*consumer_id_out = link_any_announced(link);
	return *consumer_id_out != 0 && comch_link_detach(link, *consumer_id_out);
}

/* Reserves the attempt for the caller, until it is returned or ended. Returns NOT_FOUND if there is
 * no such consumer, or AGAIN if another thread has the attempt. */
static doca_error_t link_enter_retry(struct comch_link *link, uint32_t consumer_id,
				     struct comch_retry **retry_out, doca_error_t *first_out,
				     struct rpc_reply *known_out)
{
	struct comch_unopened *unopened;
	doca_error_t result = DOCA_ERROR_NOT_FOUND;

	pthread_mutex_lock(&link->lock);
	unopened = link_lookup_unopened(link, consumer_id);
	/* A consumer that had ended before it was fetched is not available any more. */
	if (unopened != NULL && unopened->code != DOCA_ERROR_NOT_FOUND)
		result = unopened->is_retrying ? DOCA_ERROR_AGAIN : DOCA_SUCCESS;
	if (result == DOCA_SUCCESS) {
		*first_out = unopened->code;
		*retry_out = unopened->retry;
		*known_out = unopened->known;
		unopened->known = (struct rpc_reply)RPC_REPLY_INIT;
		unopened->retry = NULL;
		unopened->is_retrying = true;
	}
	pthread_mutex_unlock(&link->lock);
	return result;
}

/* Returns the attempt. If `retry` is not NULL, the next call continues it. Otherwise it has ended,
 * and another one begins with `known`. */
static void link_leave_retry(struct comch_link *link, uint32_t consumer_id,
			     struct comch_retry *retry, struct rpc_reply *known)
{
	struct comch_unopened *unopened;

	pthread_mutex_lock(&link->lock);
	unopened = link_lookup_unopened(link, consumer_id);
	if (unopened != NULL) {
		unopened->is_retrying = false;
		unopened->retry = retry;
		unopened_store_answer(unopened, link, known);
		retry = NULL;
	} else if (retry != NULL) {
		/* The end of the consumer was announced meanwhile. */
		link->n_peer_consumers--;
	}
	pthread_mutex_unlock(&link->lock);
	comch_retry_free(retry);
}

static doca_error_t link_retry_begin(struct comch_link *link, uint32_t consumer_id,
				     struct rpc_reply *known, struct comch_retry **retry_out)
{
	doca_error_t result = comch_link_reserve(link, consumer_id);

	if (result != DOCA_SUCCESS)
		return result;
	*retry_out = comch_retry_new(consumer_id, known);
	if (*retry_out != NULL)
		return DOCA_SUCCESS;
	comch_link_release(link);
	return error_set(DOCA_ERROR_NO_MEMORY, "comch \"%s\": no memory for a consumer",
			 link->name);
}

static doca_error_t link_report_retry(const struct comch_link *link, uint32_t consumer_id,
				      bool is_late)
{
	if (is_late)
		return error_set(
			DOCA_ERROR_CONNECTION_RESET,
			"comch \"%s\": consumer %u of the peer cannot be reached: the daemon "
			"of this side did not answer in time; is it stopped or overloaded?",
			link->name, consumer_id);
	return error_hint(DOCA_ERROR_AGAIN, "comch producer send: the daemon has not described the "
					    "consumer yet; submit again later");
}

/* Advances the attempt. SUCCESS does not mean that the consumer exists: it may have ended
 * meanwhile. */
static doca_error_t link_retry(struct comch_link *link, uint32_t consumer_id,
			       doca_error_t *first_out)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	struct comch_retry *retry = NULL;
	struct doca_mmap *import = NULL;
	bool is_late = false;
	doca_error_t result = link_enter_retry(link, consumer_id, &retry, first_out, &answer);

	if (result == DOCA_ERROR_AGAIN)
		return link_report_retry(link, consumer_id, false);
	if (result != DOCA_SUCCESS)
		return result;
	if (retry == NULL)
		result = link_retry_begin(link, consumer_id, &answer, &retry);
	if (result == DOCA_SUCCESS) {
		result = comch_retry_advance(retry, link, &answer, &import);
		is_late = comch_retry_is_late(retry);
		if (result != DOCA_ERROR_IN_PROGRESS) {
			comch_retry_free(retry);
			retry = NULL;
			result = link_open_consumer(link, consumer_id, true, result, &answer,
						    import);
		}
	}
	link_leave_retry(link, consumer_id, retry, &answer);
	return result == DOCA_ERROR_IN_PROGRESS ? link_report_retry(link, consumer_id, is_late)
						: result;
}

struct comch_peer_consumer *comch_link_find_again(struct comch_link *link, uint32_t consumer_id,
						  doca_error_t *code_out)
{
	doca_error_t first = DOCA_ERROR_NOT_FOUND;
	doca_error_t result = link_retry(link, consumer_id, &first);
	struct comch_peer_consumer *peer;
	struct comch_unopened *unopened;

	*code_out = result;
	if (first == DOCA_ERROR_NOT_FOUND || result == DOCA_ERROR_AGAIN)
		return NULL;
	/* Another thread's attempt may have succeeded. */
	peer = comch_link_find(link, consumer_id);
	pthread_mutex_lock(&link->lock);
	unopened = link_lookup_unopened(link, consumer_id);
	if (peer != NULL && unopened != NULL)
		link_remove_unopened(link, unopened);
	pthread_mutex_unlock(&link->lock);
	if (peer != NULL) {
		unopened_free(unopened);
		return peer;
	}
	/* The daemon returns a consumer only once, so a failure after that is permanent. */
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_NOT_FOUND)
		result = error_set(first,
				   "comch \"%s\": consumer %u of the peer could not be opened when "
				   "it was announced (%s), and the daemon describes it only once; "
				   "stop and start it",
				   link->name, consumer_id, doca_error_get_descr(first));
	*code_out = result;
	return NULL;
}

/* A submitted task of a producer counts as a sent message. */
static void count_sent(const struct counters_line *line, struct comch_counters *counters)
{
	counters->sent_msgs += counters_get(&line->submitted);
	counters->sent_bytes += counters_get(&line->bytes);
}

static void count_received(const struct counters_line *line, struct comch_counters *counters)
{
	counters->recv_msgs += counters_get(&line->received);
	counters->recv_bytes += counters_get(&line->received_bytes);
}

void comch_link_count(struct comch_link *link, struct comch_counters *counters)
{
	struct comch_member *member;

	pthread_mutex_lock(&link->lock);
	counters->sent_msgs += link->retired.sent_msgs;
	counters->sent_bytes += link->retired.sent_bytes;
	counters->recv_msgs += link->retired.recv_msgs;
	counters->recv_bytes += link->retired.recv_bytes;
	list_for_each(member, &link->producers, node) count_sent(member->line, counters);
	list_for_each(member, &link->consumers, node) count_received(member->line, counters);
	pthread_mutex_unlock(&link->lock);
}

/* Returns an id that is not 0 and repeats only after 2^32 ids. */
static uint32_t next_id(uint32_t *last)
{
	if (++*last == 0)
		++*last;
	return *last;
}

bool comch_link_join(struct comch_link *link, struct comch_member *member, struct doca_ctx *ctx,
		     bool is_consumer, uint32_t max, uint32_t *id_out)
{
	uint32_t *n = is_consumer ? &link->n_consumers : &link->n_producers;
	bool may;

	list_init(&member->node);
	member->doorbell_fd = -1;
	member->line = ctx->line;
	pthread_mutex_lock(&link->lock);
	may = *n < max;
	if (may) {
		++*n;
		*id_out = next_id(is_consumer ? &link->last_consumer_id : &link->last_producer_id);
		list_append(is_consumer ? &link->consumers : &link->producers, &member->node);
		member->link = comch_link_ref(link);
	}
	pthread_mutex_unlock(&link->lock);
	if (may)
		counters_set_object(&ctx->counters, link->channel_id, *id_out);
	return may;
}

void comch_link_leave(struct comch_member *member, bool is_consumer)
{
	struct comch_link *link = member->link;
	struct comch_counters *retired = &link->retired;

	pthread_mutex_lock(&link->lock);
	list_remove(&member->node);
	if (is_consumer) {
		link->n_consumers--;
		count_received(member->line, retired);
	} else {
		link->n_producers--;
		count_sent(member->line, retired);
	}
	pthread_mutex_unlock(&link->lock);
	member->link = NULL;
	comch_link_unref(link);
}

uint32_t comch_link_consumer_id(struct comch_link *link)
{
	uint32_t id;

	pthread_mutex_lock(&link->lock);
	id = next_id(&link->last_consumer_id);
	pthread_mutex_unlock(&link->lock);
	return id;
}

bool comch_link_set_doorbell(struct comch_member *member, int doorbell_fd)
{
	struct comch_link *link = member->link;

	pthread_mutex_lock(&link->lock);
	member->doorbell_fd = doorbell_fd;
	pthread_mutex_unlock(&link->lock);
	return comch_link_ended(link) == 0;
}

struct comch_peer_consumer *comch_link_find(struct comch_link *link, uint32_t consumer_id)
{
	struct comch_peer_consumer *peer;

	pthread_mutex_lock(&link->lock);
	peer = link_lookup(link, consumer_id);
	if (peer != NULL && comch_peer_consumer_has_ended(peer))
		peer = NULL;
	if (peer != NULL)
		atomic_fetch_add_explicit(&peer->refs, 1, memory_order_relaxed);
	pthread_mutex_unlock(&link->lock);
	return peer;
}

void comch_peer_consumer_unref(struct comch_peer_consumer *peer)
{
	if (peer != NULL && atomic_fetch_sub(&peer->refs, 1) == 1)
		comch_peer_consumer_free(peer);
}
