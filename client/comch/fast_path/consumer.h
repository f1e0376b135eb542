/*
 * A consumer: receives that are posted for the peer's producers. client/comch/fast_path/consumer.c
 * has its life and data path and describes its design. client/comch/fast_path/consumer_list.c has
 * its registration with the daemon, client/comch/fast_path/consumer_api.c its configuration.
 */
#ifndef CLIENT_COMCH_FAST_PATH_CONSUMER_H
#define CLIENT_COMCH_FAST_PATH_CONSUMER_H

#include <doca_comch_consumer.h>

#include "client/comch/remote/paths.h"
#include "client/memory/buf.h"
#include "client/progress/task.h"

/* The default for programs that set no length; the device may allow less. */
#define COMCH_DEFAULT_IMM_LEN 32u

struct doca_comch_consumer_task_post_recv {
	struct doca_task base;
	struct doca_buf *buf;
	uint8_t *at;   /* where the payload is written; constant while posted */
	uint32_t room; /* the bytes available there */
	uint32_t producer_id;
	uint32_t imm_len;
	uint32_t reserved;
	uint8_t imm[]; /* has the consumer's immediate length */
};

struct doca_comch_consumer {
	struct doca_ctx ctx;
	struct task_pool pool;
	/* Members that each message uses. */
	struct slots_header *header;
	struct slots_desc *descs;
	struct slots_slot *slots;
	uint8_t *bodies;
	struct doca_comch_consumer_task_post_recv **posted_tasks; /* has n_slots entries */
	uint32_t mask, stride;
	uint64_t posted, received; /* receives posted, messages received */
	uint64_t offered;          /* the value of `posted` that producers know */
	uint64_t offer_at;         /* producers are notified at this value of `posted`, */
	uint64_t offer_received; /* or at this value of `received`: half of what was offered is used
				  */
	uint32_t offer_step;
	uint32_t imm_len; /* the length in the running consumer */
	uint32_t max_buf_size;
	bool broken; /* the peer has broken the rules */
	struct comch_member member;
	/* Members off the data path. */
	uint8_t *bounce;
	uint64_t bounce_len;
	struct doca_mmap *mmap; /* valid while `memory` is active */
	struct mmap_user memory;
	uint32_t id;
	bool id_was_announced; /* the peer has seen the id */
	bool registered, counted;
	uint64_t give_up_ns; /* stopping: how long to wait for claimed receives */
	doca_error_t flush_code;
	doca_comch_consumer_task_post_recv_completion_cb_t ok_cb, err_cb;
	uint32_t n_tasks;
	int memfd, doorbell_fd;
	int timer_fd; /* wakes a sleeping user while the consumer stops; -1: none */
	size_t map_len;
	struct comch_exported exported; /* used if the peer is on another machine */
};

extern const struct ctx_ops comch_consumer_ops;
/* The operations of the task pool. */
doca_error_t comch_consumer_submit(struct doca_task *base, uint32_t flags);
doca_error_t comch_consumer_validate(const struct doca_task *base);

/* Registers a consumer whose slots are laid out with the daemon, and unregisters it. Unregistering
 * does not wait within progress and is idempotent. */
doca_error_t comch_consumer_register(struct doca_comch_consumer *consumer);
void comch_consumer_unregister(struct doca_comch_consumer *consumer);

static inline bool comch_consumer_is_remote(const struct doca_comch_consumer *consumer)
{
	return consumer->member.link->is_remote;
}

#endif
