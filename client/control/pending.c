/* Implements pending calls; see client/control/pending.h. */
#include "client/control/pending.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/control/deferred.h"
#include "proto/frame.h"
#include "util/str.h"

struct session_later {
	struct list node;
	struct session_deferred end; /* cancels the call once the session's lock is available */
	uint64_t id;
	unsigned n_connection;
	const char *name; /* the request's name, for error sentences */
	struct session_later_options options;
	bool is_unwanted;
	_Atomic bool has_come;
	struct session_answer answer; /* without a packet if the connection ended first */
	/* The error to report if the connection ended. Without a sentence, the call reports that
	 * the connection was lost before the daemon replied. */
	doca_error_t end_code;
	char end_sentence[256];
};

static struct list laters = LIST_INIT(laters);

doca_error_t session_later_ask_locked(struct session_request *request,
				      const struct session_later_options *options,
				      struct session_later **later_out)
{
	struct session_later *later = calloc(1, sizeof(*later));
	doca_error_t result;

	if (later == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "asking the daemon: out of memory");
	result = session_send_locked(request);
	if (result != DOCA_SUCCESS) {
		free(later);
		return result;
	}
	later->id = request->packet.id;
	later->n_connection = session_n_connections_locked();
	later->name = frame_name(&request->packet);
	later->options = *options;
	later->answer = (struct session_answer)SESSION_ANSWER_INIT;
	list_append(&laters, &later->node);
	*later_out = later;
	return DOCA_SUCCESS;
}

bool session_later_has_come(const struct session_later *later)
{
	return atomic_load_explicit(&later->has_come, memory_order_acquire);
}

bool session_later_is_current_locked(const struct session_later *later)
{
	return later->n_connection == session_n_connections_locked();
}

static void later_free(struct session_later *later)
{
	session_answer_deinit(&later->answer);
	free(later);
}

doca_error_t session_later_take(struct session_later **later, Dococore__Packet__BodyCase expected,
				struct session_answer *answer_out)
{
	struct session_later *taken = *later;
	doca_error_t result;

	*later = NULL;
	if (taken->answer.packet == NULL && taken->end_sentence[0] != '\0')
		result = error_note(taken->end_code, "%s", taken->end_sentence);
	else if (taken->answer.packet == NULL)
		result = error_set(DOCA_ERROR_NOT_CONNECTED,
				   "the daemon's connection was lost before it answered %s",
				   taken->name);
	else
		result = session_answer_check(&taken->answer, taken->name, expected,
					      taken->options.quiet_refusal);
	if (result == DOCA_SUCCESS) {
		*answer_out = taken->answer;
		taken->answer = (struct session_answer)SESSION_ANSWER_INIT;
	}
	later_free(taken);
	return result;
}

/*
 * Frees a cancelled call and reverses the effect of its reply. Nothing is reversed after a
 * reconnect: the former daemon released everything with its connection, and its ids now belong to
 * other objects.
 */
static void later_undo(struct session_later *later)
{
	if (later->answer.packet != NULL && later->options.unwanted != NULL &&
	    session_later_is_current_locked(later))
		later->options.unwanted(&later->answer);
	later_free(later);
}

struct session_later *session_later_give_up_locked(struct session_later *later)
{
	if (later == NULL)
		return NULL;
	if (session_later_has_come(later))
		later_undo(later);
	else
		later->is_unwanted = true;
	return NULL;
}

static void give_up_run(struct session_deferred *deferred)
{
	(void)session_later_give_up_locked(container_of(deferred, struct session_later, end));
}

struct session_later *session_later_give_up(struct session_later *later)
{
	if (later == NULL)
		return NULL;
	later->end.run_locked = give_up_run;
	session_defer(&later->end);
	return NULL;
}

static void later_come(struct session_later *later)
{
	const struct session_later_options options = later->options;

	list_remove(&later->node);
	if (later->is_unwanted) {
		later_undo(later);
		return;
	}
	atomic_store_explicit(&later->has_come, true, memory_order_release);
	/*
	 * The owner may already have collected and freed the call at this point, hence the copy of
	 * the options. `options.user` stays valid, because its owner frees it only under the
	 * session's lock.
	 */
	options.came(options.user);
}

bool session_later_hand_over_locked(struct session_answer *answer)
{
	struct session_later *later;

	list_for_each(later, &laters, node)
	{
		if (later->id != answer->packet->id)
			continue;
		later->answer = *answer;
		memcpy(later->answer.daemon_id, session_daemon_id_locked(),
		       sizeof(later->answer.daemon_id));
		later->answer.connection = later->n_connection;
		*answer = (struct session_answer)SESSION_ANSWER_INIT;
		later_come(later);
		return true;
	}
	return false;
}

void session_laters_end_locked(doca_error_t code, const char *sentence)
{
	while (!list_is_empty(&laters)) {
		struct session_later *later = list_entry(laters.next, struct session_later, node);

		later->end_code = code;
		if (sentence != NULL)
			str_copy(later->end_sentence, sizeof(later->end_sentence), sentence);
		later_come(later);
	}
}

void session_laters_forget_locked(void)
{
	list_init(&laters);
}
