/*
 * A consumer: receives that are posted to the peer's producers. client/comch/fast_path/consumer.c
 * has its life and data path, client/comch/fast_path/consumer_list.c what its daemon is told,
 * client/comch/fast_path/consumer_api.c its configuration. See client/comch/fast_path/consumer.c
 * for how it works.
 */
#ifndef CLIENT_COMCH_FAST_PATH_CONSUMER_H
#define CLIENT_COMCH_FAST_PATH_CONSUMER_H

#include <doca_comch_consumer.h>

#include "client/comch/remote/paths.h"
#include "client/memory/buf.h"
#include "client/progress/ctx.h"

/* What programs get that do not set it; the device may allow less. */
#define COMCH_DEFAULT_IMM_LEN 32u

struct doca_comch_consumer_task_post_recv {
	struct doca_task base;
	struct doca_buf *buf;
	uint8_t *at;   /* where the payload goes; fixed while posted */
	uint32_t room; /* bytes there are */
	uint32_t producer_id;
	uint32_t imm_len;
	uint32_t reserved;
	uint8_t imm[]; /* of the consumer's immediate length */
};

struct doca_comch_consumer {
	struct doca_ctx ctx;
	struct task_pool pool;
	/* Each message reads these. */
	struct slots_header *header;
	struct slots_desc *descs;
	struct slots_slot *slots;
	uint8_t *bodies;
	struct doca_comch_consumer_task_post_recv **posted_tasks; /* n_slots */
	uint32_t mask, stride;
	uint64_t posted, taken; /* receives posted, messages taken; posted - taken wait */
	uint64_t offered;       /* receives that producers were told of */
	uint64_t offer_at;      /* they are told when so many are posted, */
	uint64_t offer_taken;   /* or so many taken: half of what was offered is used up */
	uint32_t offer_step;
	uint32_t imm_len; /* of the running consumer */
	uint32_t max_buf_size;
	bool broken; /* the peer broke the rules */
	struct comch_member member;
	/* Cold. */
	uint8_t *bounce;
	uint64_t bounce_len;
	struct doca_mmap *mmap; /* valid while `memory` is active */
	struct mmap_user memory;
	uint32_t id;
	bool used_id; /* the peer has seen it */
	bool enlisted, counted;
	uint64_t give_up_ns; /* stopping: how long claimed receives are waited for */
	doca_error_t flush_code;
	doca_comch_consumer_task_post_recv_completion_cb_t ok_cb, err_cb;
	uint32_t n_tasks;
	int memfd, bell_fd;
	int timer_fd; /* of one that stops while somebody sleeps; -1: none */
	size_t map_len;
	struct comch_exposed exposed; /* its peer is on another machine */
};

extern const struct ctx_ops comch_consumer_ops;
/* Of the task pool. */
doca_error_t comch_consumer_submit(struct doca_task *base, uint32_t flags);
doca_error_t comch_consumer_validate(const struct doca_task *base);

/* Tells the daemon of one whose slots are laid out, and of its end; the second waits for nobody
 * within progress, and may be called twice. */
doca_error_t comch_consumer_enlist(struct doca_comch_consumer *consumer);
void comch_consumer_delist(struct doca_comch_consumer *consumer);

static inline bool comch_consumer_is_far(const struct doca_comch_consumer *consumer)
{
	return consumer->member.link->far_consumers;
}

#endif
