/* Records of events that wait for room in their rings; see persist.h. */
#include "daemon/base/daemon.h"
#include "daemon/store/persist.h"
#include "daemon/session/event_out.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "daemon/store/ledger.h"
#include "daemon/store/record.h"

/* Limit of persisted events of a client that does not read them; others may leave less room. */
#define KEEP_MAX_EVENTS 1024u

void keep_event(struct event_out *out, struct event_queued *queued)
{
	Registry__Event record = REGISTRY__EVENT__INIT;
	struct kept kept = {.cell = 0};
	int r;

	if (!out->session || !keep_wants(out->session))
		return;
	/* The record was written before persisting failed, and is still valid. */
	if (queued->cell != 0)
		return;
	if (out->session->n_kept_events >= KEEP_MAX_EVENTS) {
		keep_give_up(out->session, "it does not read its events");
		return;
	}
	record.session = out->session->id;
	record.owner = out->owner;
	record.owner_id = out->owner_id;
	record.type = queued->event.type;
	record.code = queued->event.code;
	record.id = queued->event.id;
	record.arg = queued->event.arg;
	keep_ids(out->session->daemon);
	r = keep_put(out->session->daemon, &kept, REGISTRY__RECORD_TYPE__EVENT,
		     ++out->session->daemon->next_record_id, &record.base);
	queued->cell = kept.cell;
	out->session->n_kept_events += kept.cell != 0;
	keep_check(out->session, r);
}

void keep_event_done(struct event_out *out, struct event_queued *queued)
{
	if (queued->cell == 0)
		return;
	out->session->n_kept_events -= out->session->n_kept_events > 0;
	if (out->session->daemon->ledger)
		ledger_remove(out->session->daemon->ledger, &queued->cell);
	queued->cell = 0;
}

void keep_events(struct event_out *out)
{
	for (size_t i = 0; i < out->n_queued; i++)
		keep_event(out, &out->queue[out->first + i]);
}

void keep_drop_events(struct event_out *out)
{
	for (size_t i = 0; i < out->n_queued; i++)
		keep_event_done(out, &out->queue[out->first + i]);
}
