/* A producer: sends to the consumers of the peer. See client/comch/fast_path/producer.c for how it
 * works. */
#ifndef CLIENT_COMCH_FAST_PATH_PRODUCER_H
#define CLIENT_COMCH_FAST_PATH_PRODUCER_H

#include <doca_comch_producer.h>

#include "client/comch/fast_path/link.h"
#include "client/memory/buf.h"
#include "client/progress/ctx.h"

/* After so many messages a producer looks whether consumers that it knows are gone. */
#define PRODUCER_LOOK_EVERY 256u

struct doca_comch_producer_task_send {
	struct doca_task base;
	const struct doca_buf *buf;
	uint32_t consumer_id;
	uint32_t imm_len;
	uint8_t imm[]; /* of the device's maximum */
};

/* A message on its way. */
struct comch_message {
	const uint8_t *from;
	uint64_t len;
	const uint8_t *imm;
	uint32_t imm_len, imm_span;
	uint64_t to;   /* where the receive's buffer is, in the consumer's addresses */
	uint64_t slot; /* number of the receive that is claimed */
};

struct comch_fars;

struct doca_comch_producer {
	struct doca_ctx ctx;
	struct task_pool pool;
	/* Consumers that were sent to, by the low bits of their ids; a reference each. */
	struct comch_remote **known;
	uint32_t known_mask;
	uint32_t n_dropped; /* of the link, when those that are gone were let go last */
	uint64_t n_looked;  /* messages, when it was looked whether there are such */
	uint32_t id;
	uint32_t max_imm_len;
	uint32_t max_buf_size;
	bool counted;
	struct comch_member member;
	struct comch_fars *fars; /* NULL: it has sent to no other machine */
};

extern const struct ctx_ops comch_producer_ops;
/* Of the task pool. */
doca_error_t comch_producer_submit(struct doca_task *base, uint32_t flags);
doca_error_t comch_producer_validate(const struct doca_task *base);

/* What a claim may be refused for; the code with its sentence. */
doca_error_t comch_send_too_long(uint32_t id, size_t len, uint64_t room);
doca_error_t comch_send_no_receive(void);
/*
 * Room in the bounce area for a message whose slot is about to be claimed; the caller has the turn.
 * The area is used in order of slots, so that one number tells what is free. The position, which
 * grows for ever.
 */
bool comch_bounce_reserve(struct comch_remote *to, uint64_t len, uint64_t *at_out);
/* That slot was claimed for it. */
void comch_bounce_use(struct comch_bounce *bounce, uint64_t slot, uint64_t end);

#endif
