/*
 * What a channel is made of: the memory of its two rings, sealed, and a bell for each end. Made by
 * the server's daemon, or by each for its own client where the daemons relay (relay.h).
 */
#ifndef DAEMON_COMCH_CHANNEL_PARTS_H
#define DAEMON_COMCH_CHANNEL_PARTS_H

#include <stdint.h>

struct channel_parts {
	int memfd;
	int server_eventfd, client_eventfd; /* that this end waits on */
};

#define CHANNEL_PARTS_INIT                                               \
	{                                                                \
		.memfd = -1, .server_eventfd = -1, .client_eventfd = -1, \
	}

/* 0 or -errno; what was made before a failure is to be given back. */
int channel_parts_init(struct channel_parts *parts, uint32_t ring_len);
/* May be called twice. */
void channel_parts_deinit(struct channel_parts *parts);

#endif
