/* A producer: sends to the consumers of the peer. client/comch/fast_path/producer.c describes its
 * design. */
#ifndef CLIENT_COMCH_FAST_PATH_PRODUCER_H
#define CLIENT_COMCH_FAST_PATH_PRODUCER_H

#include <doca_comch_producer.h>

#include "client/comch/fast_path/link.h"
#include "client/memory/buf.h"
#include "client/progress/task.h"

/* The number of messages after which a producer checks whether consumers that it knows have
 * ended. */
#define PRODUCER_CHECK_EVERY 256u

struct doca_comch_producer_task_send {
	struct doca_task base;
	const struct doca_buf *buf;
	uint32_t consumer_id;
	uint32_t imm_len;
	uint8_t imm[]; /* has the device's maximum length */
};

/* A message that is being sent. */
struct comch_message {
	const uint8_t *from;
	uint64_t len;
	const uint8_t *imm;
	uint32_t imm_len, imm_span;
	uint64_t to;   /* the receive's buffer, in the consumer's address space */
	uint64_t slot; /* the number of the claimed receive */
};

struct comch_remote_paths;

struct doca_comch_producer {
	struct doca_ctx ctx;
	struct task_pool pool;
	/* Consumers that were sent to, with a reference each, indexed by the low bits of
	 * their ids. */
	struct comch_peer_consumer **known;
	uint32_t known_mask;
	uint32_t n_dropped; /* the link's value when ended consumers were last released */
	uint64_t n_checked; /* the number of messages at the last check for ended consumers */
	uint32_t id;
	uint32_t max_imm_len;
	uint32_t max_buf_size;
	bool counted;
	struct comch_member member;
	struct comch_remote_paths *paths; /* NULL: it has sent to no other machine */
};

extern const struct ctx_ops comch_producer_ops;
/* The operations of the task pool. */
doca_error_t comch_producer_submit(struct doca_task *base, uint32_t flags);
doca_error_t comch_producer_validate(const struct doca_task *base);

/* Errors of a claim; each function records an error sentence and returns its code. */
doca_error_t comch_send_too_long(uint32_t id, size_t len, uint64_t room);
doca_error_t comch_send_no_receive(void);
/*
 * Reserves room in the bounce area for a message whose slot is claimed next; the caller holds
 * bounce.lock. The area is used in the order of the slots, so that one number shows what is free.
 * Returns the position, which never wraps.
 */
bool comch_bounce_reserve(struct comch_peer_consumer *to, uint64_t len, uint64_t *at_out);
/* Assigns the reserved room to the slot that was claimed. */
void comch_bounce_use(struct comch_bounce *bounce, uint64_t slot, uint64_t end);

#endif
