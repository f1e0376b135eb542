/* The life cycle of a channel's end; see channel.h. */
#include "daemon/comch/channel.h"
#include "daemon/comch/channel_internal.h"
#include "util/util.h"

static const char *const channel_states[] = {
	[CHANNEL_ASKING] = "asking",
	[CHANNEL_WAITING] = "waiting for a link",
	[CHANNEL_ASKING_AGAIN] = "asking again",
	[CHANNEL_READY] = "ready",
	[CHANNEL_ARRIVED] = "arrived",
	[CHANNEL_ESTABLISHED] = "established",
	[CHANNEL_FAILED] = "failed",
	[CHANNEL_CLOSED] = "closed",
};

static const uint32_t channel_next[] = {
	[CHANNEL_ASKING] = LIFECYCLE_TO(CHANNEL_WAITING) | LIFECYCLE_TO(CHANNEL_READY) |
			   LIFECYCLE_TO(CHANNEL_FAILED),
	[CHANNEL_WAITING] = LIFECYCLE_TO(CHANNEL_ASKING_AGAIN) | LIFECYCLE_TO(CHANNEL_FAILED),
	[CHANNEL_ASKING_AGAIN] = LIFECYCLE_TO(CHANNEL_WAITING) | LIFECYCLE_TO(CHANNEL_READY) |
				 LIFECYCLE_TO(CHANNEL_FAILED),
	[CHANNEL_READY] = LIFECYCLE_TO(CHANNEL_ESTABLISHED) | LIFECYCLE_TO(CHANNEL_CLOSED),
	[CHANNEL_ARRIVED] = LIFECYCLE_TO(CHANNEL_ESTABLISHED) | LIFECYCLE_TO(CHANNEL_CLOSED),
	[CHANNEL_ESTABLISHED] = LIFECYCLE_TO(CHANNEL_CLOSED),
	[CHANNEL_FAILED] = 0,
	[CHANNEL_CLOSED] = 0,
};

_Static_assert(ARRAY_LEN(channel_states) == CHANNEL_N_STATES, "each state has a name");
_Static_assert(ARRAY_LEN(channel_next) == CHANNEL_N_STATES, "each state has a row");

const struct lifecycle channel_lifecycle = {"channel", CHANNEL_N_STATES, channel_states,
					    channel_next};

void channel_enter(struct channel *channel, enum channel_state state)
{
	channel->state = (enum channel_state)lifecycle_enter(&channel_lifecycle, channel,
							     channel->state, state);
}

const char *channel_state_name(enum channel_state state)
{
	return state <= CHANNEL_ASKING_AGAIN ? "connecting" : channel_states[state];
}

bool channel_is_connecting(const struct channel *channel)
{
	return channel->state <= CHANNEL_ASKING_AGAIN;
}

bool channel_has_ended(const struct channel *channel)
{
	return channel->state >= CHANNEL_FAILED;
}

enum channel_record_state channel_record_state(enum channel_state state)
{
	switch (state) {
	case CHANNEL_READY:
		return CHANNEL_RECORD_READY;
	case CHANNEL_ARRIVED:
		return CHANNEL_RECORD_ARRIVED;
	case CHANNEL_ESTABLISHED:
	case CHANNEL_CLOSED:
		return CHANNEL_RECORD_ESTABLISHED;
	default:
		return CHANNEL_RECORD_CONNECTING;
	}
}

enum channel_state channel_restored_state(enum channel_record_state state, bool has_ended)
{
	static const enum channel_state states[] = {
		[CHANNEL_RECORD_CONNECTING] = CHANNEL_WAITING,
		[CHANNEL_RECORD_READY] = CHANNEL_READY,
		[CHANNEL_RECORD_ARRIVED] = CHANNEL_ARRIVED,
		[CHANNEL_RECORD_ESTABLISHED] = CHANNEL_ESTABLISHED,
	};

	if (has_ended)
		return state == CHANNEL_RECORD_CONNECTING ? CHANNEL_FAILED : CHANNEL_CLOSED;
	return states[state];
}
