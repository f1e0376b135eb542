/* The daemon's comch servers and channels. */
#ifndef DAEMON_COMCH_COMCH_H
#define DAEMON_COMCH_COMCH_H

#include <stdint.h>

#include "daemon/base/idmap.h"
#include "util/list.h"

struct comch {
	struct list services;        /* struct service, link */
	struct list channels;        /* struct channel, link */
	struct list unresolved_ends; /* struct unresolved_end, link */
	struct idmap service_map, channel_map;
	unsigned n_services, n_channels;
	uint64_t n_clients_ended;         /* channels of which the client was here */
	struct loop_source *orphan_timer; /* see channels_watch_orphans() */
};

#endif
