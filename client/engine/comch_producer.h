/* A producer: sends to the consumers of the peer. See comch_producer.c for how it works. */
#ifndef CLIENT_ENGINE_COMCH_PRODUCER_H
#define CLIENT_ENGINE_COMCH_PRODUCER_H

#include <doca_comch_producer.h>

#include "client/core/buf.h"
#include "client/core/ctx.h"
#include "client/engine/comch_link.h"

/* After so many messages a producer looks whether consumers that it knows are gone. */
#define PRODUCER_LOOK_EVERY 256u

struct doca_comch_producer_task_send {
	struct doca_task base;
	const struct doca_buf *buf;
	uint32_t consumer_id;
	uint32_t imm_len;
	uint8_t imm[]; /* of the device's maximum */
};

struct doca_comch_producer {
	struct doca_ctx ctx;
	struct task_pool pool;
	/* Consumers that were sent to, by the low bits of their ids; a reference each. */
	struct comch_remote **known;
	uint32_t known_mask;
	uint32_t n_dropped; /* of the link, when those that are gone were let go last */
	uint32_t id;
	uint32_t max_imm_len;
	uint32_t max_buf_size;
	bool counted;
	struct comch_member member;
};

extern const struct ctx_ops comch_producer_ops;
/* Of the task pool. */
doca_error_t comch_producer_submit(struct doca_task *base, uint32_t flags);
doca_error_t comch_producer_validate(const struct doca_task *base);

#endif
