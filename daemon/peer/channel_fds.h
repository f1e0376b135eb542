/*
 * The descriptors of a channel: the sealed memory of its two rings, and an eventfd for each end.
 * The server's daemon creates them, or each daemon for its own client if the daemons relay
 * (relay.h).
 */
#ifndef DAEMON_PEER_CHANNEL_PARTS_H
#define DAEMON_PEER_CHANNEL_PARTS_H

#include <stdint.h>

struct channel_fds {
	int memfd;
	int server_eventfd, client_eventfd; /* each is watched by the end that it is named after */
};

#define CHANNEL_FDS_INIT                                                 \
	{                                                                \
		.memfd = -1, .server_eventfd = -1, .client_eventfd = -1, \
	}

/* Returns 0 or -errno. After a failure the caller still calls channel_fds_deinit(). */
int channel_fds_init(struct channel_fds *parts, uint32_t ring_len);
/* Idempotent. */
void channel_fds_deinit(struct channel_fds *parts);

#endif
