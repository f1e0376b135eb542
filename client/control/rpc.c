/* Implements pending calls; see client/control/rpc.h. */
#include "client/control/rpc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/control/deferred.h"
#include "proto/frame.h"
#include "util/str.h"

struct rpc_pending {
	struct list node;
	struct session_deferred end; /* cancels the call once the session's lock is available */
	uint64_t id;
	unsigned n_connection;
	const char *name; /* the request's name, for error sentences */
	struct rpc_options options;
	bool is_unwanted;
	_Atomic bool has_arrived;
	struct rpc_reply answer; /* without a packet if the connection ended first */
	/* The error to report if the connection ended. Without a sentence, the call reports that
	 * the connection was lost before the daemon replied. */
	doca_error_t end_code;
	char end_sentence[256];
};

static struct list pending_calls = LIST_INIT(pending_calls);

doca_error_t rpc_begin_locked(struct rpc_request *request, const struct rpc_options *options,
			      struct rpc_pending **pending_out)
{
	struct rpc_pending *pending = calloc(1, sizeof(*pending));
	doca_error_t result;

	if (pending == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "asking the daemon: out of memory");
	result = session_send_locked(request);
	if (result != DOCA_SUCCESS) {
		free(pending);
		return result;
	}
	pending->id = request->packet.id;
	pending->n_connection = session_n_connections_locked();
	pending->name = frame_name(&request->packet);
	pending->options = *options;
	pending->answer = (struct rpc_reply)RPC_REPLY_INIT;
	list_append(&pending_calls, &pending->node);
	*pending_out = pending;
	return DOCA_SUCCESS;
}

bool rpc_is_done(const struct rpc_pending *pending)
{
	return atomic_load_explicit(&pending->has_arrived, memory_order_acquire);
}

bool rpc_is_current_locked(const struct rpc_pending *pending)
{
	return pending->n_connection == session_n_connections_locked();
}

static void pending_free(struct rpc_pending *pending)
{
	rpc_reply_deinit(&pending->answer);
	free(pending);
}

doca_error_t rpc_collect(struct rpc_pending **pending, Dococore__Packet__BodyCase expected,
			 struct rpc_reply *answer_out)
{
	struct rpc_pending *taken = *pending;
	doca_error_t result;

	*pending = NULL;
	if (taken->answer.packet == NULL && taken->end_sentence[0] != '\0')
		result = error_note(taken->end_code, "%s", taken->end_sentence);
	else if (taken->answer.packet == NULL)
		result = error_set(DOCA_ERROR_NOT_CONNECTED,
				   "the daemon's connection was lost before it answered %s",
				   taken->name);
	else
		result = rpc_reply_check(&taken->answer, taken->name, expected,
					 taken->options.expected_refusal);
	if (result == DOCA_SUCCESS) {
		*answer_out = taken->answer;
		taken->answer = (struct rpc_reply)RPC_REPLY_INIT;
	}
	pending_free(taken);
	return result;
}

/*
 * Frees a cancelled call and reverses the effect of its reply. Nothing is reversed after a
 * reconnect: the former daemon released everything with its connection, and its ids now belong to
 * other objects.
 */
static void pending_undo(struct rpc_pending *pending)
{
	if (pending->answer.packet != NULL && pending->options.unwanted != NULL &&
	    rpc_is_current_locked(pending))
		pending->options.unwanted(&pending->answer);
	pending_free(pending);
}

struct rpc_pending *rpc_cancel_locked(struct rpc_pending *pending)
{
	if (pending == NULL)
		return NULL;
	if (rpc_is_done(pending))
		pending_undo(pending);
	else
		pending->is_unwanted = true;
	return NULL;
}

static void cancel_run(struct session_deferred *deferred)
{
	(void)rpc_cancel_locked(container_of(deferred, struct rpc_pending, end));
}

struct rpc_pending *rpc_cancel(struct rpc_pending *pending)
{
	if (pending == NULL)
		return NULL;
	pending->end.run_locked = cancel_run;
	session_defer(&pending->end);
	return NULL;
}

static void pending_complete(struct rpc_pending *pending)
{
	const struct rpc_options options = pending->options;

	list_remove(&pending->node);
	if (pending->is_unwanted) {
		pending_undo(pending);
		return;
	}
	atomic_store_explicit(&pending->has_arrived, true, memory_order_release);
	/*
	 * The owner may already have collected and freed the call at this point, hence the copy of
	 * the options. `options.user` stays valid, because its owner frees it only under the
	 * session's lock.
	 */
	options.on_done(options.user);
}

bool rpc_deliver_locked(struct rpc_reply *answer)
{
	struct rpc_pending *pending;

	list_for_each(pending, &pending_calls, node)
	{
		if (pending->id != answer->packet->id)
			continue;
		pending->answer = *answer;
		memcpy(pending->answer.daemon_id, session_daemon_id_locked(),
		       sizeof(pending->answer.daemon_id));
		pending->answer.connection = pending->n_connection;
		*answer = (struct rpc_reply)RPC_REPLY_INIT;
		pending_complete(pending);
		return true;
	}
	return false;
}

void rpc_end_all_locked(doca_error_t code, const char *sentence)
{
	while (!list_is_empty(&pending_calls)) {
		struct rpc_pending *pending = list_entry(pending_calls.next, struct rpc_pending,
							 node);

		pending->end_code = code;
		if (sentence != NULL)
			str_copy(pending->end_sentence, sizeof(pending->end_sentence), sentence);
		pending_complete(pending);
	}
}

void rpc_forget_locked(void)
{
	list_init(&pending_calls);
}
