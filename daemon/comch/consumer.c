/* Consumers of comch channels; see consumer.h. */
#include "daemon/comch/consumer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/channel_internal.h"
#include "daemon/base/daemon.h"
#include "daemon/device/device.h"
#include "daemon/peer/peer.h"
#include "daemon/memory/export.h"
#include "daemon/session/grace_period.h"
#include "daemon/session/session.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/memfd.h"
#include "util/str.h"

#define CONSUMER_MAX_SLOTS     65536u
#define CONSUMER_MAX_SLOTS_LEN (256u << 20)
/* Limit per end, independent of the other side's capability profile. */
#define CONSUMER_MAX_PER_END 4096u

/* Order of the descriptors of ConsumerCreate. */
enum { FD_SLOTS, FD_DOORBELL, FD_MEMORY };

static const char *const consumer_states[] = {
	[CONSUMER_REPORTED] = "told",   [CONSUMER_ENDED] = "ended",
	[CONSUMER_ARRIVED] = "arrived", [CONSUMER_ANNOUNCED] = "announced",
	[CONSUMER_FETCHED] = "fetched", [CONSUMER_EXPIRED] = "expired",
};

const char *consumer_state_name(enum consumer_state state)
{
	return consumer_states[state];
}

bool consumers_are_remote(const struct channel *channel)
{
	return channel->peer && !peer_passes_fds(channel->peer) && channel->peer->remote_consumers;
}

static struct consumer *consumer_find(const struct list *list, uint32_t id)
{
	struct consumer *consumer;

	list_for_each(consumer, list, link)
	{
		if (consumer->spec.id == id)
			return consumer;
	}
	return NULL;
}

static struct consumer *consumer_new(struct channel *channel, const Dococore__Consumer *spec,
				     bool is_own)
{
	struct consumer *consumer = calloc(1, sizeof(*consumer));

	if (!consumer)
		return NULL;
	consumer->channel = channel;
	consumer->is_own = is_own;
	consumer->state = is_own ? CONSUMER_REPORTED : CONSUMER_ARRIVED;
	consumer->is_listed = true;
	consumer->spec = *spec;
	/* Unknown fields, which a later version may add, belong to the packet. */
	consumer->spec.base.n_unknown_fields = 0;
	consumer->spec.base.unknown_fields = NULL;
	consumer->spec.slots_export.data = NULL;
	if (spec->slots_export.len == sizeof(consumer->slots_export)) {
		memcpy(consumer->slots_export, spec->slots_export.data, spec->slots_export.len);
		consumer->spec.slots_export.data = consumer->slots_export;
	}
	list_append(is_own ? &channel->consumers : &channel->peer_consumers, &consumer->link);
	*(is_own ? &channel->n_consumers : &channel->n_peer_consumers) += 1;
	events_emit_totals(&channel->daemon->events);
	return consumer;
}

static bool consumer_is_remote(const struct consumer *consumer)
{
	return consumer->spec.slots_export.len != 0;
}

static void consumer_close_fds(struct consumer *consumer)
{
	for (size_t i = 0; i < consumer->n_fds; i++)
		fd_close(&consumer->fds[i]);
	consumer->n_fds = 0;
}

static void consumer_free(struct consumer *consumer)
{
	struct channel *channel = consumer->channel;

	persist_drop(channel->daemon, &consumer->persisted);
	list_remove(&consumer->link);
	*(consumer->is_own ? &channel->n_consumers : &channel->n_peer_consumers) -= 1;
	consumer_close_fds(consumer);
	charge_release(&consumer->charge);
	events_emit_totals(&channel->daemon->events);
	explicit_bzero(consumer->slots_export, sizeof(consumer->slots_export));
	free(consumer);
}

/* --- consumers of this end --- */

/* Returns 0 or -ENOTCONN. */
static int consumer_notify_new(const struct consumer *consumer)
{
	const struct channel *channel = consumer->channel;
	int fds[ARRAY_LEN(consumer->fds) + 1] = {channel->session->pidfd};
	Dococore__PeerConsumerNew notice = DOCOCORE__PEER_CONSUMER_NEW__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__Consumer spec = consumer->spec;

	notice.channel_id = channel->peer_channel_id;
	notice.sender_channel_id = channel->node.id;
	notice.consumer = &spec;
	notice.pid = (uint32_t)channel->session->pid;
	notice.uid = channel->session->uid;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONSUMER_NEW;
	packet.peer_consumer_new = &notice;
	for (size_t i = 0; i < consumer->n_fds; i++)
		fds[i + 1] = consumer->fds[i];
	return peer_send(channel->peer, &packet, fds,
			 consumer_is_remote(consumer) ? 0 : consumer->n_fds + 1);
}

/* Returns 0 or -ENOTCONN. */
static int consumer_notify_gone(const struct consumer *consumer)
{
	const struct channel *channel = consumer->channel;
	Dococore__PeerConsumerGone notice = DOCOCORE__PEER_CONSUMER_GONE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	notice.channel_id = channel->peer_channel_id;
	notice.sender_channel_id = channel->node.id;
	notice.consumer_id = consumer->spec.id;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONSUMER_GONE;
	packet.peer_consumer_gone = &notice;
	return peer_send(channel->peer, &packet, NULL, 0);
}

static void consumers_notify_ended(struct channel *channel)
{
	struct consumer *consumer, *tmp;

	list_for_each_safe(consumer, tmp, &channel->consumers, link)
	{
		if (consumer->state == CONSUMER_ENDED && consumer_notify_gone(consumer) == 0)
			consumer_free(consumer);
	}
}

void consumers_notify_again(struct channel *channel)
{
	struct consumer *consumer;

	consumers_notify_ended(channel);
	list_for_each(consumer, &channel->consumers, link)
	{
		if (consumer->state == CONSUMER_REPORTED && consumer->n_fds)
			(void)consumer_notify_new(consumer);
	}
}

void consumers_end(struct channel *channel)
{
	struct consumer *consumer, *tmp;

	list_for_each_safe(consumer, tmp, &channel->consumers, link)
	{
		(void)consumer_notify_gone(consumer);
		consumer_free(consumer);
	}
	list_for_each_safe(consumer, tmp, &channel->peer_consumers, link) consumer_free(consumer);
}

/* Returns the reason why the numbers of a consumer are invalid, or NULL. */
static const char *consumer_spec_error(const Dococore__Consumer *spec, const struct caps *caps)
{
	if (spec->id == 0)
		return "its id is 0; ids begin at 1";
	if (!IS_POW2(spec->n_slots) || spec->n_slots > CONSUMER_MAX_SLOTS)
		return "the number of its slots must be a power of two of at most 65536";
	if (spec->slots_len == 0 || spec->slots_len % memfd_page_size() ||
	    spec->slots_len > CONSUMER_MAX_SLOTS_LEN)
		return "its slots must fill whole pages, at most 256 MiB";
	if (spec->max_imm_len > caps->comch_max_imm_len)
		return "it takes more immediate data than its device allows";
	if (spec->max_buf_size > caps->comch_fast_max_buf_size)
		return "it takes longer messages than its device allows";
	if (spec->len == 0 || spec->addr + spec->len < spec->addr)
		return "its memory is empty or passes the end of the address space";
	/* A daemon of an earlier version would end the link over it. */
	if (spec->memory == DOCOCORE__MEMORY_KIND__FILE)
		return "its memory must be private or lie in a sealed memfd";
	if (spec->slots_export.len == 0)
		return NULL;
	if (spec->memory != DOCOCORE__MEMORY_KIND__PRIVATE || spec->peer_writes)
		return "it is a remote consumer, and brings more than its slots";
	return NULL;
}

static bool consumer_fd_is_writable(int fd)
{
	return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

/* Returns the reason why the descriptors of a consumer are invalid, or NULL. */
static const char *consumer_fds_error(const Dococore__Consumer *spec, const struct fdset *fds)
{
	int slots = fds->fds[FD_SLOTS], memory = fds->fds[FD_MEMORY];

	if (spec->slots_export.len != 0)
		return NULL;
	if (memfd_verify_exact(slots, spec->slots_len) < 0)
		return "its slots are in no memfd of that length that is sealed against shrinking "
		       "and growing";
	if (!consumer_fd_is_writable(slots))
		return "the memfd of its slots is not open for reading and writing";
	if (!fd_is_eventfd(fds->fds[FD_DOORBELL]))
		return "its doorbell is no eventfd";
	if (spec->memory != DOCOCORE__MEMORY_KIND__MEMFD)
		return NULL;
	/* A side that may not write into the memory gets no descriptor of it. */
	if (!spec->peer_writes)
		return "it brings the memfd of memory that the other side may not write; say that "
		       "the memory is private";
	if ((spec->memfd_offset - spec->addr) % memfd_page_size())
		return "the offset in its memory's memfd is not page aligned with the address";
	if (!consumer_fd_is_writable(memory))
		return "its memory's memfd is not open for writing, but the other side may write";
	return export_memfd_error(memory, spec->memfd_offset, spec->len)
		       ? "its memory's memfd is not sealed against shrinking, or shorter than the "
			 "range"
		       : NULL;
}

/* Checks the rules about the channel. Returns 0, or 1 after sending a refusal. */
static int consumer_check(struct session *session, const Dococore__Packet *packet,
			  const struct channel *channel)
{
	const Dococore__Consumer *spec = packet->consumer_create->consumer;
	const struct device_spec *device = channel->device->spec;
	unsigned long long id = (unsigned long long)channel->node.id;

	if (channel->state != CHANNEL_ESTABLISHED)
		session_refuse(session, packet->id, CODE_BAD_STATE,
			       "channel %llu is %s: fetch it before a consumer is started on it",
			       id, channel_state_name(channel->state));
	else if (!device->caps.comch_consumer)
		session_refuse(
			session, packet->id, CODE_NOT_SUPPORTED,
			"device '%s' has no comch consumers: ask its capabilities, and use a "
			"device that does",
			device->name);
	else if (spec && consumer_find(&channel->consumers, spec->id))
		session_refuse(session, packet->id, CODE_ALREADY_EXIST,
			       "consumer %u of channel %llu exists: use another id, each once",
			       spec->id, id);
	else if (channel->n_consumers >=
		 MIN(device->caps.comch_max_consumers, CONSUMER_MAX_PER_END))
		session_refuse(session, packet->id, CODE_FULL,
			       "channel %llu has %u %s at this end, which is all that "
			       "device '%s' allows: stop one first",
			       id, channel->n_consumers,
			       plural(channel->n_consumers, "consumer", "consumers"), device->name);
	else if (session->pidfd < 0 && !consumers_are_remote(channel))
		session_refuse(session, packet->id, CODE_OPERATING_SYSTEM,
			       "the daemon has no pidfd of this process, which producers need: is "
			       "it in a pid namespace that the daemon does not see?");
	else if (!channel->peer)
		session_refuse(session, packet->id, CODE_NOT_CONNECTED,
			       "channel %llu: the daemon of the other side is not linked, so that "
			       "it cannot be notified of a consumer: try again when it is",
			       id);
	else if (!peer_passes_fds(channel->peer) && !channel->peer->remote_consumers)
		session_refuse(session, packet->id, CODE_NOT_SUPPORTED,
			       "channel %llu: its other end is on another machine, whose daemon, "
			       "version %.31s, has no way for producers to reach a consumer: "
			       "install one version on both machines, or send messages over the "
			       "connection",
			       id, channel->peer->version);
	else if (spec && consumers_are_remote(channel) != (spec->slots_export.len != 0))
		session_refuse(session, packet->id, CODE_NOT_SUPPORTED,
			       "channel %llu: its other end is on %s machine, and the library of "
			       "this process, an older one than the daemon, has no way for "
			       "producers to reach a consumer there: restart the process",
			       id, consumers_are_remote(channel) ? "another" : "the same");
	else if (peer_is_congested(channel->peer))
		session_refuse(
			session, packet->id, CODE_AGAIN,
			"channel %llu: the daemon of the other side is too busy to be notified "
			"of another consumer: try again",
			id);
	else
		return 0;
	return 1;
}

/*
 * Charges the descriptors for the consumer's lifetime, because the other side's daemon may hold
 * them arbitrarily long and does not report it. Returns 0 or -EDQUOT.
 */
static int consumer_charge(struct consumer *consumer)
{
	struct session *session = consumer->channel->session;
	bool has_memory = consumer->spec.memory == DOCOCORE__MEMORY_KIND__MEMFD;
	int r = session_charge(session, &consumer->charge, CHARGE_CONSUMERS, 1);

	if (consumer_is_remote(consumer))
		return r;
	return r < 0 ? r
		     : session_charge(session, &consumer->charge, CHARGE_FDS, has_memory ? 4 : 3);
}

/* The other daemon has the consumer's descriptors. */
static void consumer_received(struct consumer *consumer)
{
	if (consumer->n_fds == 0)
		return;
	consumer_close_fds(consumer);
	persist_consumer(consumer);
}

/* Returns 0, -EDQUOT, -ENOMEM or -ENOTCONN. */
static int consumer_register(struct channel *channel, uint64_t request_id,
			     const Dococore__Consumer *spec, struct fdset *fds)
{
	struct consumer *consumer = consumer_new(channel, spec, true);
	int r;

	if (!consumer)
		return -ENOMEM;
	consumer->request_id = request_id;
	for (size_t i = 0; i < fds->n_fds && i < ARRAY_LEN(consumer->fds); i++)
		consumer->fds[consumer->n_fds++] = fdset_steal(fds, i);
	r = consumer_charge(consumer);
	if (r == 0) {
		persist_consumer(consumer);
		r = consumer_notify_new(consumer);
	}
	/* The consumer is announced when the daemons are linked again. */
	if (r == -ENOTCONN && grace_period_is_active(channel->daemon))
		return 0;
	if (r < 0)
		consumer_free(consumer);
	else if (!channel_peer_knows_ends(channel->peer))
		consumer_received(consumer);
	return r;
}

/* Returns the session's own end, or NULL after sending a refusal. */
static struct channel *consumer_find_channel(struct session *session, uint64_t request_id,
					     uint64_t channel_id)
{
	struct channel *channel = channel_find(session->daemon, channel_id);

	if (channel && channel->session == session)
		return channel;
	session_refuse(session, request_id, CODE_NOT_FOUND,
		       "channel %llu is gone: the other end closed it or ended",
		       (unsigned long long)channel_id);
	return NULL;
}

int consumer_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ConsumerCreate *ask = packet->consumer_create;
	const Dococore__Consumer *spec = ask->consumer;
	struct channel *channel = consumer_find_channel(session, packet->id, ask->channel_id);
	const char *wrong = "it is not described";
	int r;

	if (!channel || consumer_check(session, packet, channel) > 0)
		return 0;
	if (spec)
		wrong = consumer_spec_error(spec, &channel->device->spec->caps);
	if (spec && !wrong)
		wrong = consumer_fds_error(spec, fds);
	if (wrong)
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "a consumer of channel %llu is refused: %s",
				      (unsigned long long)ask->channel_id, wrong);
	r = consumer_register(channel, packet->id, spec, fds);
	if (r == -ENOTCONN)
		return session_refuse(
			session, packet->id, CODE_NOT_CONNECTED,
			"channel %llu: the link to the other side's daemon broke "
			"before it was notified of the consumer: try again when it is back",
			(unsigned long long)ask->channel_id);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "a comch consumer");
	log_debug("client %llu (%s) consumes on channel %llu as %u",
		  (unsigned long long)session->id, session->program,
		  (unsigned long long)ask->channel_id, spec->id);
	session_reply_ok(session, packet->id);
	return 0;
}

int consumer_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ConsumerDestroy *ask = packet->consumer_destroy;
	struct channel *channel = channel_find(session->daemon, ask->channel_id);
	struct consumer *consumer = NULL;

	(void)fds;
	if (channel && channel->session == session)
		consumer = consumer_find(&channel->consumers, ask->consumer_id);
	if (consumer) {
		consumer->state = CONSUMER_ENDED;
		/*
		 * The next daemon instance needs no record of it: the other daemon will not find it
		 * listed.
		 */
		persist_drop(session->daemon, &consumer->persisted);
		consumer_close_fds(consumer);
		consumers_notify_ended(channel);
	}
	session_reply_ok(session, packet->id);
	return 0;
}

/* --- consumers of the other end --- */

static void consumer_announce(struct consumer *consumer)
{
	channel_push_consumer(consumer->channel, EVENT_CONSUMER_NEW, consumer->spec.id);
	consumer->state = CONSUMER_ANNOUNCED;
	persist_consumer(consumer);
}

void consumers_announce(struct channel *channel)
{
	struct consumer *consumer;

	list_for_each(consumer, &channel->peer_consumers, link)
	{
		if (consumer->state == CONSUMER_ARRIVED)
			consumer_announce(consumer);
	}
}

/*
 * True if the client's end accepts events of consumers. It does once it has the event of its
 * channel, because it fetches the channel before it reads the next event.
 */
static bool channel_accepts_consumers(const struct channel *channel)
{
	return channel->state == CHANNEL_READY || channel->state == CHANNEL_ESTABLISHED;
}

/*
 * The consumer has ended. The client gets an event for the end if it got, or will get, one for the
 * beginning.
 */
static void consumer_expire(struct consumer *consumer)
{
	struct channel *channel = consumer->channel;
	enum consumer_state state = consumer->state;
	uint32_t id = consumer->spec.id;

	if (state == CONSUMER_FETCHED ||
	    (state == CONSUMER_ANNOUNCED &&
	     !channel_cancel_consumer(channel, EVENT_CONSUMER_NEW, id))) {
		consumer->state = CONSUMER_EXPIRED;
		consumer_close_fds(consumer);
		persist_consumer(consumer);
		channel_push_consumer(channel, EVENT_CONSUMER_GONE, id);
	}
	consumer_free(consumer);
}

static void consumer_confirm_received(const struct channel *channel, uint32_t id)
{
	Dococore__PeerConsumerReceived notice = DOCOCORE__PEER_CONSUMER_RECEIVED__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	if (!channel_peer_knows_ends(channel->peer))
		return;
	notice.channel_id = channel->peer_channel_id;
	notice.consumer_id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CONSUMER_RECEIVED;
	packet.peer_consumer_received = &notice;
	(void)peer_send(channel->peer, &packet, NULL, 0);
}

static bool consumer_is_same(const Dococore__Consumer *one, const Dococore__Consumer *other)
{
	return one->addr == other->addr && one->len == other->len &&
	       one->slots_len == other->slots_len && one->n_slots == other->n_slots &&
	       one->memory == other->memory && one->memfd_offset == other->memfd_offset;
}

int consumer_on_peer_new(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerConsumerNew *notice = packet->peer_consumer_new;
	struct channel *channel = channel_find_for_peer(peer, notice->channel_id,
							notice->sender_channel_id);
	struct consumer *consumer;

	if (!notice->consumer || notice->consumer->id == 0 ||
	    peer_passes_fds(peer) != (notice->consumer->slots_export.len == 0))
		return -EPROTO;
	/* The channel was closed in the meantime. The descriptors are closed with the packet. */
	if (!channel || channel_is_connecting(channel))
		return 0;
	consumer = consumer_find(&channel->peer_consumers, notice->consumer->id);
	if (consumer && channel_peer_knows_ends(peer) &&
	    consumer_is_same(&consumer->spec, notice->consumer)) {
		/* The consumer is announced again after a restart. */
		consumer->is_listed = true;
		consumer_confirm_received(channel, notice->consumer->id);
		return 0;
	}
	/* The notice about this consumer's end was lost with a link. */
	if (consumer)
		consumer_expire(consumer);
	if (channel->n_peer_consumers == CONSUMER_MAX_PER_END) {
		log_warning("peer %s announces more than %u consumers on channel %llu", peer->name,
			    CONSUMER_MAX_PER_END, (unsigned long long)channel->node.id);
		return -EPROTO;
	}
	consumer = consumer_new(channel, notice->consumer, false);
	if (!consumer)
		return -ENOMEM;
	consumer->pid = (pid_t)notice->pid;
	consumer->uid = notice->uid;
	for (size_t i = 0; i < fds->n_fds && i < ARRAY_LEN(consumer->fds); i++)
		consumer->fds[consumer->n_fds++] = fdset_steal(fds, i);
	persist_consumer(consumer);
	consumer_confirm_received(channel, consumer->spec.id);
	if (channel_accepts_consumers(channel))
		consumer_announce(consumer);
	return 0;
}

int consumer_on_peer_received(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerConsumerReceived *notice = packet->peer_consumer_received;
	struct channel *channel = channel_find_for_peer(peer, notice->channel_id, 0);
	struct consumer *consumer = NULL;

	(void)fds;
	if (channel)
		consumer = consumer_find(&channel->consumers, notice->consumer_id);
	if (consumer)
		consumer_received(consumer);
	return 0;
}

int consumer_on_peer_gone(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerConsumerGone *notice = packet->peer_consumer_gone;
	struct channel *channel = channel_find_for_peer(peer, notice->channel_id,
							notice->sender_channel_id);
	struct consumer *consumer = NULL;

	(void)fds;
	if (channel)
		consumer = consumer_find(&channel->peer_consumers, notice->consumer_id);
	if (consumer)
		consumer_expire(consumer);
	return 0;
}

static void consumer_reply_fetch(struct consumer *consumer, uint64_t request_id)
{
	Dococore__ConsumerReply reply = DOCOCORE__CONSUMER_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	reply.consumer = &consumer->spec;
	reply.pid = (uint32_t)consumer->pid;
	reply.uid = consumer->uid;
	packet.id = request_id;
	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_REPLY;
	packet.consumer_reply = &reply;
	session_reply(consumer->channel->session, &packet, consumer->fds, consumer->n_fds);
}

int consumer_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ConsumerFetch *ask = packet->consumer_fetch;
	struct channel *channel = consumer_find_channel(session, packet->id, ask->channel_id);
	struct consumer *consumer;

	(void)fds;
	if (!channel)
		return 0;
	consumer = consumer_find(&channel->peer_consumers, ask->consumer_id);
	if (!consumer || consumer->state != CONSUMER_ANNOUNCED ||
	    channel->state != CHANNEL_ESTABLISHED)
		return session_refuse(
			session, packet->id, CODE_NOT_FOUND,
			"consumer %u of channel %llu's other end is not to be had: it "
			"has ended, was not announced yet, or was fetched before",
			ask->consumer_id, (unsigned long long)ask->channel_id);
	consumer_reply_fetch(consumer, packet->id);
	consumer->state = CONSUMER_FETCHED;
	consumer->request_id = packet->id;
	consumer_close_fds(consumer);
	if (!session_defer_save(session))
		persist_consumer(consumer);
	return 0;
}

void consumers_persist_answered(struct channel *channel)
{
	struct consumer *consumer;

	list_for_each(consumer, &channel->peer_consumers, link)
	{
		/* The record still contains the descriptors. */
		if (consumer->state == CONSUMER_FETCHED && consumer->persisted.fds[0])
			persist_consumer(consumer);
	}
}

/* --- over restarts --- */

bool consumer_create_again(struct session *session, const Dococore__Packet *packet)
{
	const Dococore__ConsumerCreate *ask = packet->consumer_create;
	const struct channel *channel = channel_find(session->daemon, ask->channel_id);
	const struct consumer *consumer = NULL;

	if (channel && channel->session == session && ask->consumer)
		consumer = consumer_find(&channel->consumers, ask->consumer->id);
	if (!consumer || consumer->request_id != packet->id)
		return false;
	session_reply_ok(session, packet->id);
	return true;
}

bool consumer_fetch_again(struct session *session, const Dococore__Packet *packet)
{
	const Dococore__ConsumerFetch *ask = packet->consumer_fetch;
	const struct channel *channel = channel_find(session->daemon, ask->channel_id);
	const struct consumer *consumer = NULL;

	if (channel && channel->session == session)
		consumer = consumer_find(&channel->peer_consumers, ask->consumer_id);
	/* The record was written after the answer. */
	return consumer && consumer->state == CONSUMER_FETCHED &&
	       consumer->request_id == packet->id;
}

/* True if the number of saved descriptors fits the kind and state. */
static bool consumer_saved_is_valid(const struct consumer_saved *saved)
{
	size_t n = saved->spec.memory == DOCOCORE__MEMORY_KIND__MEMFD ? 3 : 2;

	if (saved->spec.id == 0)
		return false;
	if (saved->is_own)
		return saved->state == CONSUMER_REPORTED &&
		       (saved->n_fds == 0 || saved->n_fds == n);
	if (saved->state == CONSUMER_ARRIVED || saved->state == CONSUMER_ANNOUNCED)
		return saved->n_fds == n + 1;
	return (saved->state == CONSUMER_FETCHED || saved->state == CONSUMER_EXPIRED) &&
	       saved->n_fds == 0;
}

int consumer_resume(struct channel *channel, const struct consumer_saved *saved,
		    struct consumer **consumer_out)
{
	struct list *list = saved->is_own ? &channel->consumers : &channel->peer_consumers;
	struct consumer *consumer = NULL;

	if (consumer_saved_is_valid(saved) && !consumer_find(list, saved->spec.id))
		consumer = consumer_new(channel, &saved->spec, saved->is_own);
	if (!consumer) {
		for (size_t i = 0; i < saved->n_fds; i++)
			fd_close(&(int){saved->fds[i]});
		return -EPROTO;
	}
	consumer->state = (enum consumer_state)saved->state;
	consumer->pid = saved->pid;
	consumer->uid = saved->uid;
	consumer->request_id = saved->request_id;
	consumer->record_id = saved->record_id;
	for (size_t i = 0; i < saved->n_fds; i++)
		consumer->fds[consumer->n_fds++] = saved->fds[i];
	if (saved->is_own)
		(void)consumer_charge(consumer);
	*consumer_out = consumer;
	return 0;
}

void consumers_resume_done(struct channel *channel)
{
	struct consumer *consumer, *tmp;

	list_for_each_safe(consumer, tmp, &channel->peer_consumers, link)
	{
		struct event event = {.type = EVENT_CONSUMER_NEW,
				      .id = channel->node.id,
				      .arg = consumer->spec.id};

		if (consumer->state == CONSUMER_EXPIRED) {
			event.type = EVENT_CONSUMER_GONE;
			if (!event_out_has(channel_events(channel), &event))
				channel_push_consumer(channel, EVENT_CONSUMER_GONE,
						      consumer->spec.id);
			consumer_free(consumer);
		} else if (consumer->state == CONSUMER_ARRIVED &&
			   channel_accepts_consumers(channel)) {
			if (event_out_has(channel_events(channel), &event)) {
				consumer->state = CONSUMER_ANNOUNCED;
				persist_consumer(consumer);
			} else {
				consumer_announce(consumer);
			}
		}
	}
}

void consumers_mark_listed(struct channel *channel, uint32_t id)
{
	struct consumer *consumer;

	list_for_each(consumer, &channel->peer_consumers, link)
	{
		if (id == 0 || consumer->spec.id == id)
			consumer->is_listed = true;
	}
}

void consumers_end_unlisted(struct channel *channel)
{
	struct consumer *consumer, *tmp;

	list_for_each_safe(consumer, tmp, &channel->peer_consumers, link)
	{
		if (!consumer->is_listed)
			consumer_expire(consumer);
	}
}
