/*
 * For tests of comch with a simulated daemon: all peers are on this machine
 * (client/comch/remote/paths.h).
 */
#include <doca_mmap.h>

#include "client/comch/remote/paths.h"

doca_error_t comch_remote_slots_open(struct comch_peer_consumer *peer,
				     const struct comch_link *link,
				     const Dococore__Consumer *consumer, struct doca_mmap *import)
{
	(void)consumer;
	(void)doca_mmap_destroy(import);
	return comch_peer_consumer_refuse(link, peer->id, "it is on another machine");
}

void comch_remote_slots_close(struct comch_remote_slots *slots)
{
	(void)slots;
}

doca_error_t comch_remote_path_send(struct doca_comch_producer *producer,
				    struct comch_peer_consumer *to,
				    struct doca_comch_producer_task_send *task,
				    struct comch_message *message)
{
	(void)producer;
	(void)to;
	(void)task;
	(void)message;
	return DOCA_ERROR_NOT_SUPPORTED;
}

void comch_remote_path_close_when_idle(struct doca_comch_producer *producer,
				       const struct comch_peer_consumer *to)
{
	(void)producer;
	(void)to;
}

void comch_remote_paths_close(struct doca_comch_producer *producer)
{
	(void)producer;
}

void comch_remote_paths_stop(struct doca_ctx *ctx)
{
	(void)ctx;
}

bool comch_remote_paths_are_idle(const struct doca_ctx *ctx)
{
	(void)ctx;
	return true;
}

uint8_t comch_remote_paths_poll(struct doca_ctx *ctx)
{
	(void)ctx;
	return 0;
}

bool comch_remote_paths_arm(struct doca_ctx *ctx)
{
	(void)ctx;
	return false;
}

void comch_remote_paths_disarm(struct doca_ctx *ctx)
{
	(void)ctx;
}
