/* Records of events that wait for room in their rings; see persist.h. */
#include "daemon/base/daemon.h"
#include "daemon/store/persist.h"
#include "daemon/session/event_out.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "daemon/store/ledger.h"
#include "daemon/store/record.h"

/* Limit of persisted events of a client that does not read them; others may leave less room. */
#define PERSIST_MAX_EVENTS 1024u

void persist_event(struct event_out *out, struct event_queued *queued)
{
	Registry__Event record = REGISTRY__EVENT__INIT;
	struct persisted persisted = {.cell = 0};
	int r;

	if (!out->session || !persist_is_active(out->session))
		return;
	/* The record was written before persisting failed, and is still valid. */
	if (queued->cell != 0)
		return;
	if (out->session->n_persisted_events >= PERSIST_MAX_EVENTS) {
		persist_stop_session(out->session, "it does not read its events");
		return;
	}
	record.session = out->session->id;
	record.owner = out->owner;
	record.owner_id = out->owner_id;
	record.type = queued->event.type;
	record.code = queued->event.code;
	record.id = queued->event.id;
	record.arg = queued->event.arg;
	persist_ids(out->session->daemon);
	r = persist_put(out->session->daemon, &persisted, REGISTRY__RECORD_TYPE__EVENT,
			++out->session->daemon->next_record_id, &record.base);
	queued->cell = persisted.cell;
	out->session->n_persisted_events += persisted.cell != 0;
	persist_check(out->session, r);
}

void persist_event_done(struct event_out *out, struct event_queued *queued)
{
	if (queued->cell == 0)
		return;
	out->session->n_persisted_events -= out->session->n_persisted_events > 0;
	if (out->session->daemon->ledger)
		ledger_remove(out->session->daemon->ledger, &queued->cell);
	queued->cell = 0;
}

void persist_events(struct event_out *out)
{
	for (size_t i = 0; i < out->n_queued; i++)
		persist_event(out, &out->queue[out->first + i]);
}

void persist_drop_events(struct event_out *out)
{
	for (size_t i = 0; i < out->n_queued; i++)
		persist_event_done(out, &out->queue[out->first + i]);
}
