/*
 * comch channels across restarts of this daemon and losses of the link. Restores the channels of an
 * earlier daemon instance, and compares the ends of both daemons whenever they are linked. See
 * channel.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/channel_internal.h"
#include "daemon/comch/consumer.h"
#include "daemon/comch/service.h"
#include "daemon/base/daemon.h"
#include "daemon/comch/comch.h"
#include "daemon/base/loop.h"
#include "daemon/peer/peer.h"
#include "daemon/store/persist.h"
#include "daemon/session/grace_period.h"
#include "daemon/session/session.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/memfd.h"
#include "util/str.h"

/* How long a server's end waits for its client's daemon before the server has fetched it. */
#define CHANNEL_ORPHAN_NS (3 * NS_PER_SEC)
/* Limit of ends in one packet. */
#define CHANNEL_ENDS_MAX 1024u

/* --- unresolved ends: only their existence is known --- */

static void unresolved_end_free(struct daemon *daemon, struct unresolved_end *end)
{
	persist_drop(daemon, &end->persisted);
	list_remove(&end->link);
	free(end);
}

int unresolved_end_new(struct daemon *daemon, uint64_t id, const uint8_t *peer_daemon_id,
		       uint64_t peer_channel_id, const struct persisted *persisted)
{
	struct unresolved_end *end = calloc(1, sizeof(*end));

	if (!end)
		return -ENOMEM;
	end->id = id;
	memcpy(end->peer_daemon_id, peer_daemon_id, PEER_DAEMON_ID_LEN);
	end->peer_channel_id = peer_channel_id;
	end->persisted = *persisted;
	list_append(&daemon->comch->unresolved_ends, &end->link);
	return 0;
}

void channel_become_unresolved(struct channel *channel)
{
	struct unresolved_end end = {.id = channel->node.id,
				     .peer_channel_id = channel->peer_channel_id};

	if (channel->state != CHANNEL_ESTABLISHED)
		return;
	memcpy(end.peer_daemon_id, channel->peer_daemon_id, PEER_DAEMON_ID_LEN);
	/*
	 * The channel's record becomes the record of the unresolved end. Its descriptors end with
	 * the channel.
	 */
	end.persisted.cell = channel->persisted.cell;
	channel->persisted.cell = 0;
	persist_unresolved_end(channel->daemon, &end);
	(void)unresolved_end_new(channel->daemon, end.id, end.peer_daemon_id, end.peer_channel_id,
				 &end.persisted);
}

void unresolved_ends_free(struct daemon *daemon)
{
	while (!list_is_empty(&daemon->comch->unresolved_ends))
		unresolved_end_free(daemon, list_entry(daemon->comch->unresolved_ends.next,
						       struct unresolved_end, link));
}

static bool unresolved_end_is_of(const struct unresolved_end *end, const struct peer *peer)
{
	return memcmp(end->peer_daemon_id, peer->daemon_id, PEER_DAEMON_ID_LEN) == 0;
}

void unresolved_end_forget(struct peer *peer, uint64_t id)
{
	struct unresolved_end *end, *tmp;

	list_for_each_safe(end, tmp, &peer->daemon->comch->unresolved_ends, link)
	{
		if (end->id == id && unresolved_end_is_of(end, peer))
			unresolved_end_free(peer->daemon, end);
	}
}

/* --- ends of an earlier daemon instance --- */

static void channel_saved_close(const struct channel_saved *saved)
{
	for (size_t i = 0; i < ARRAY_LEN(saved->fds); i++)
		fd_close(&(int){saved->fds[i]});
	fd_close(&(int){saved->peer_pidfd});
}

/* Only an earlier instance wrote these numbers; they are validated all the same. */
static bool channel_saved_is_valid(const struct channel_saved *saved)
{
	if (saved->state > CHANNEL_RECORD_ESTABLISHED ||
	    saved->is_server != (saved->service != 0) || saved->is_server == (saved->handle != 0))
		return false;
	if (saved->is_server != (saved->state == CHANNEL_RECORD_ARRIVED) &&
	    saved->state != CHANNEL_RECORD_ESTABLISHED)
		return false;
	if (!saved->is_server && (saved->ring_fds[0] < 0 || saved->ring_fds[1] < 0))
		return false;
	return saved->state != CHANNEL_RECORD_READY || saved->has_ended || saved->fds[0] >= 0;
}

static void channel_apply_saved(struct channel *channel, const struct channel_saved *saved)
{
	channel->state = channel_restored_state((enum channel_record_state)saved->state,
						saved->has_ended);
	channel->wants_arrived = saved->wants_arrived;
	str_copy(channel->name, sizeof(channel->name), saved->name);
	channel->max_msg_size = saved->max_msg_size;
	channel->has_remote_rings = saved->has_remote_rings;
	channel->recv_queue_size = saved->recv_queue_size;
	channel->peer_recv_queue_size = saved->peer_recv_queue_size;
	channel->ring_len = saved->ring_len;
	channel->peer_pid = saved->peer_pid;
	channel->peer_uid = saved->peer_uid;
	memcpy(channel->peer_daemon_id, saved->peer_daemon_id, PEER_DAEMON_ID_LEN);
	channel->peer_channel_id = saved->peer_channel_id;
	channel->created_at_ns = saved->created_at_ns;
	channel->request_id = saved->request_id;
	channel->fetch_id = saved->fetch_id;
	channel->pushed_events = saved->pushed_events;
	channel->end_code = saved->end_code;
	for (size_t i = 0; i < ARRAY_LEN(channel->fds); i++)
		channel->fds[i] = saved->fds[i];
	channel->peer_pidfd = saved->peer_pidfd;
}

/* Charges what a new channel in this state would have been charged in addition. */
static void channel_charge_restored(struct channel *channel)
{
	struct account *account = channel->session->account;

	if (channel->state == CHANNEL_ESTABLISHED)
		charge_drop(&channel->charge, CHARGE_FDS, 1);
	if (!channel->is_server && channel->state == CHANNEL_ESTABLISHED)
		charge_drop(&channel->charge, CHARGE_FDS, ARRAY_LEN(channel->fds));
	if (channel->is_server && channel->fds[0] >= 0)
		(void)charge_add(&channel->charge, account, CHARGE_FDS, ARRAY_LEN(channel->fds));
	if (channel->is_server && channel->ring_len)
		(void)charge_add(&channel->charge, account, CHARGE_BYTES,
				 CHANNEL_HEADER_LEN + 2ull * channel->ring_len);
}

int channel_resume(struct session *session, const struct channel_saved *saved,
		   struct channel **channel_out)
{
	struct service *service = NULL;
	struct handle *handle = NULL;
	struct channel *channel;
	struct idmap_node *node;
	int r = 0;

	if (!channel_saved_is_valid(saved))
		r = -EPROTO;
	if (r == 0 && saved->is_server) {
		node = idmap_find(&session->daemon->comch->service_map, saved->service);
		service = node ? container_of(node, struct service, node) : NULL;
		r = service && service->session == session ? 0 : -ENOENT;
	} else if (r == 0) {
		r = handle_find_device(session, saved->handle, &handle) ? 0 : -ENOENT;
	}
	if (r < 0) {
		fd_close(&(int){saved->ring_fds[0]});
		fd_close(&(int){saved->ring_fds[1]});
	} else {
		r = channel_new_restored(session, service, saved->id, saved->ring_fds, &channel);
	}
	if (r < 0) {
		channel_saved_close(saved);
		return r;
	}
	channel->device = service ? service->device : handle->device;
	channel->handle = handle;
	if (handle)
		handle->n_users++;
	channel_apply_saved(channel, saved);
	channel_charge_restored(channel);
	*channel_out = channel;
	return 0;
}

/* Pushes the events that the channel's state implies and that were not pushed. */
static void channel_push_missing(struct channel *channel)
{
	static const struct {
		enum channel_state state;
		bool is_server;
		enum event_type event;
	} due[] = {{CHANNEL_ARRIVED, true, EVENT_CHANNEL_NEW},
		   {CHANNEL_READY, false, EVENT_CHANNEL_READY}};

	for (size_t i = 0; i < ARRAY_LEN(due); i++) {
		struct event event = {.type = (uint32_t)due[i].event, .id = channel->node.id};

		if (channel->state != due[i].state || channel->is_server != due[i].is_server ||
		    channel->pushed_events & 1u << due[i].event)
			continue;
		if (!event_out_has(channel_events(channel), &event)) {
			channel_notify(channel, due[i].event);
			continue;
		}
		channel->pushed_events |= 1u << due[i].event;
		persist_channel(channel);
	}
}

void channels_resume_done(struct daemon *daemon)
{
	struct channel *channel, *tmp;

	list_for_each_safe(channel, tmp, &daemon->comch->channels, link)
	{
		if (channel_has_ended(channel)) {
			channel_notify_end(channel, channel->end_code);
			channel_free(channel, channel->end_code);
			continue;
		}
		channel_push_missing(channel);
		consumers_resume_done(channel);
	}
	channels_watch_orphans(daemon);
}

/* --- the link --- */

static void channels_on_orphan_timer(void *user)
{
	struct daemon *daemon = user;
	struct channel *channel, *tmp;

	list_for_each_safe(channel, tmp, &daemon->comch->channels, link)
	{
		if (channel->state == CHANNEL_ARRIVED && !channel->peer)
			channel_end_by_peer(channel, CODE_NOT_CONNECTED);
	}
}

void channels_watch_orphans(struct daemon *daemon)
{
	if (daemon->stopping)
		return;
	if (!daemon->comch->orphan_timer)
		daemon->comch->orphan_timer = loop_timer_new(daemon->loop, channels_on_orphan_timer,
							     daemon);
	if (!daemon->comch->orphan_timer ||
	    loop_timer_set(daemon->comch->orphan_timer, CHANNEL_ORPHAN_NS) < 0)
		channels_on_orphan_timer(daemon);
}

void channel_peer_lost(struct peer *peer)
{
	struct daemon *daemon = peer->daemon;
	struct channel *channel, *tmp;
	bool has_orphans = false;

	list_for_each_safe(channel, tmp, &daemon->comch->channels, link)
	{
		if (channel->peer != peer)
			continue;
		/* A relayed channel ends with the link. */
		if (channel->relay) {
			channel_end_by_peer(channel, CODE_NOT_CONNECTED);
			continue;
		}
		channel->peer = NULL;
		has_orphans |= channel->state == CHANNEL_ARRIVED;
		if (channel_is_connecting(channel))
			channel_await_link(channel);
	}
	if (has_orphans)
		channels_watch_orphans(daemon);
}

void channel_peer_linked(struct peer *peer)
{
	struct daemon *daemon = peer->daemon;
	struct consumer *consumer;
	struct channel *channel;
	struct unresolved_end *end;

	list_for_each(end, &daemon->comch->unresolved_ends, link)
	{
		if (unresolved_end_is_of(end, peer))
			end->is_listed = false;
	}
	list_for_each(channel, &daemon->comch->channels, link)
	{
		/* A relayed channel ends with its link, which may be closing. */
		if (channel->relay)
			continue;
		if ((channel->peer && channel->peer->state == PEER_LINKED) ||
		    channel_is_connecting(channel) ||
		    memcmp(channel->peer_daemon_id, peer->daemon_id, PEER_DAEMON_ID_LEN) != 0)
			continue;
		channel->peer = peer;
		channel->is_listed = false;
		list_for_each(consumer, &channel->peer_consumers, link) consumer->is_listed = false;
		consumers_notify_again(channel);
	}
}

/* --- comparing --- */

struct ends_page {
	struct peer *peer;
	Dococore__PeerEnd ends[CHANNEL_ENDS_MAX];
	Dococore__PeerEnd *list[CHANNEL_ENDS_MAX];
	size_t n;
};

static void ends_page_send(struct ends_page *page, bool last)
{
	Dococore__PeerEnds notice = DOCOCORE__PEER_ENDS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	notice.n_ends = page->n;
	notice.ends = page->list;
	notice.last = last;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_ENDS;
	packet.peer_ends = &notice;
	(void)peer_send(page->peer, &packet, NULL, 0);
	page->n = 0;
}

static void ends_add(struct ends_page *page, uint64_t id, uint64_t peer_id, uint32_t consumer,
		     bool is_unresolved)
{
	Dococore__PeerEnd *end;

	if (page->n == CHANNEL_ENDS_MAX)
		ends_page_send(page, false);
	end = &page->ends[page->n];
	dococore__peer_end__init(end);
	end->channel_id = peer_id;
	end->sender_channel_id = id;
	end->consumer_id = consumer;
	end->is_unresolved = is_unresolved;
	page->list[page->n++] = end;
}

/* True if the channel belongs to this link, or may belong to it because the peer is being asked. */
static bool channel_is_with(const struct channel *channel, const struct peer *peer)
{
	if (channel_is_connecting(channel) && !channel->peer_channel_id)
		return true;
	if (channel->relay && channel->peer != peer)
		return false;
	return memcmp(channel->peer_daemon_id, peer->daemon_id, PEER_DAEMON_ID_LEN) == 0;
}

void channel_send_ends(struct peer *peer)
{
	struct ends_page *page = calloc(1, sizeof(*page));
	const struct consumer *consumer;
	const struct channel *channel;
	const struct unresolved_end *end;

	if (!peer->knows_ends || !page) {
		free(page);
		return;
	}
	page->peer = peer;
	list_for_each(channel, &peer->daemon->comch->channels, link)
	{
		if (!channel_is_with(channel, peer))
			continue;
		ends_add(page, channel->node.id, channel->peer_channel_id, 0, false);
		list_for_each(consumer, &channel->consumers, link)
		{
			if (consumer->state == CONSUMER_REPORTED)
				ends_add(page, channel->node.id, channel->peer_channel_id,
					 consumer->spec.id, false);
		}
	}
	list_for_each(end, &peer->daemon->comch->unresolved_ends, link)
	{
		if (unresolved_end_is_of(end, peer))
			ends_add(page, end->id, end->peer_channel_id, 0, true);
	}
	ends_page_send(page, true);
	free(page);
}

/* Ends the channels that the peer did not list: their end was not reported to this daemon. */
static void ends_compare(struct peer *peer)
{
	struct channel *channel, *next;
	struct unresolved_end *end, *tmp;

	list_for_each_safe(channel, next, &peer->daemon->comch->channels, link)
	{
		if (channel->peer != peer || channel_is_connecting(channel))
			continue;
		if (channel->is_listed)
			consumers_end_unlisted(channel);
		else
			channel_end_by_peer(channel, CODE_CONNECTION_RESET);
	}
	list_for_each_safe(end, tmp, &peer->daemon->comch->unresolved_ends, link)
	{
		if (unresolved_end_is_of(end, peer) && !end->is_listed)
			unresolved_end_free(peer->daemon, end);
	}
}

static void ends_mark_listed(struct peer *peer, const Dococore__PeerEnd *end)
{
	struct channel *channel = channel_find_for_peer(peer, end->channel_id,
							end->sender_channel_id);
	struct unresolved_end *unresolved;

	if (channel)
		channel->is_listed = true;
	/*
	 * The confirmation that the peer's daemon has the descriptors was lost with the link or
	 * never sent. Sending them again causes a new one.
	 */
	if (channel && !end->consumer_id && channel->is_server && !channel->relay &&
	    channel->state == CHANNEL_ESTABLISHED && channel->fds[0] >= 0)
		(void)channel_send_ready(channel);
	if (channel && (end->is_unresolved || end->consumer_id))
		consumers_mark_listed(channel, end->consumer_id);
	if (channel)
		return;
	list_for_each(unresolved, &peer->daemon->comch->unresolved_ends, link)
	{
		if (unresolved->id == end->channel_id && unresolved_end_is_of(unresolved, peer))
			unresolved->is_listed = true;
	}
}

int channel_on_peer_ends(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerEnds *notice = packet->peer_ends;

	(void)fds;
	/* Each list costs a comparison of all ends, so it is accepted once per link. */
	if (peer->has_listed_ends || notice->n_ends > CHANNEL_ENDS_MAX)
		return -EPROTO;
	for (size_t i = 0; i < notice->n_ends; i++)
		ends_mark_listed(peer, notice->ends[i]);
	peer->has_listed_ends = notice->last;
	if (notice->last)
		ends_compare(peer);
	return 0;
}
