/*
 * Finds the place of a channel's counters in the pages that its client shares; see
 * daemon/session/counters.h.
 */
#include "daemon/comch/channel.h"
#include "daemon/base/daemon.h"
#include "daemon/comch/comch.h"
#include "daemon/session/counters.h"
#include "daemon/session/session.h"

static uint32_t *channel_place(struct session *session, uint64_t id)
{
	struct idmap_node *node = idmap_find(&session->daemon->comch->channel_map, id);
	struct channel *channel = node ? container_of(node, struct channel, node) : NULL;

	return channel && channel->session == session ? &channel->counters_slot : NULL;
}

struct counters_object *counters_find_channel(const struct channel *channel)
{
	return counters_find_object(channel->session, COUNTERS_CHANNEL, channel->node.id,
				    channel_place);
}
