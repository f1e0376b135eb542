/*
 * Copies that the daemons relay: what an importer's process and an exporter's say to each other in
 * the rings of a call (PeerRdmaConnect.relay), where no RDMA device is. The importer asks, one
 * piece of one export at a time; the exporter's process moves the bytes and answers in the order
 * of the requests. Counters of sync events are read and changed by requests of their own, which the
 * exporter's process carries out atomically.
 *
 * A stream ends with the daemons that carry it, and the importer goes on in another one: it names
 * what it was by the same random key, and asks all over again what has no answer yet. Tags count
 * its requests from 0 on, without a gap. The exporter's process remembers what it did for the last
 * COPY_REMEMBERED of them, and does nothing twice.
 * Every number is little endian. Version 3 of it, which the details of the call name, on both
 * sides.
 * Threads: any; there is no state.
 */
#ifndef PROTO_COPY_STREAM_H
#define PROTO_COPY_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the rings, for both daemons: they are not negotiated. */
#define COPY_RING_LEN (256u << 10)
#define COPY_QUEUE    128u /* messages */

#define COPY_DATA_MAX    (32u << 10) /* bytes of one request */
#define COPY_SECRET_LEN  16u
#define COPY_REQUEST_LEN 48u
#define COPY_ANSWER_LEN  16u
#define COPY_MSG_MAX     (COPY_REQUEST_LEN + COPY_DATA_MAX)

/* The last three: of a sync event's counter, a number of COPY_VALUE_LEN bytes. */
enum copy_op { COPY_READ = 1, COPY_WRITE = 2, COPY_GET = 3, COPY_SET = 4, COPY_ADD = 5 };
#define COPY_VALUE_LEN 8u

struct copy_request {
	uint32_t op;
	/* 1 to COPY_DATA_MAX, of a counter COPY_VALUE_LEN; see copy_bytes_asked, _answered. */
	uint32_t len;
	uint64_t tag; /* the answer has it, too */
	uint64_t addr;
	uint64_t export_id;
	uint8_t secret[COPY_SECRET_LEN]; /* of the export's descriptor */
};

struct copy_answer {
	uint32_t status; /* doca_error_t */
	uint32_t len;    /* of the bytes that follow; 0 where it failed */
	uint64_t tag;
};

static inline bool copy_op_is_of_counter(uint32_t op)
{
	return op >= COPY_GET && op <= COPY_ADD;
}

static inline bool copy_op_changes(uint32_t op)
{
	return op == COPY_WRITE || op == COPY_SET || op == COPY_ADD;
}

/* Bytes that follow such a request, and an answer to it that says SUCCESS. COPY_ADD brings what
 * to add, and is answered with the value before. */
static inline uint32_t copy_bytes_asked(uint32_t op, uint32_t len)
{
	return copy_op_changes(op) ? len : 0;
}

static inline uint32_t copy_bytes_answered(uint32_t op, uint32_t len)
{
	return op == COPY_READ || op == COPY_GET || op == COPY_ADD ? len : 0;
}

void copy_value_encode(uint64_t value, uint8_t out[COPY_VALUE_LEN]);
uint64_t copy_value_decode(const uint8_t bytes[COPY_VALUE_LEN]);

void copy_request_encode(const struct copy_request *request, uint8_t out[COPY_REQUEST_LEN]);
/* False: no such message, or not of that length. */
bool copy_request_decode(const uint8_t *msg, size_t msg_len, struct copy_request *request_out);
void copy_answer_encode(const struct copy_answer *answer, uint8_t out[COPY_ANSWER_LEN]);
bool copy_answer_decode(const uint8_t *msg, size_t msg_len, struct copy_answer *answer_out);

/* Requests without an answer, at most: of those the exporter's process knows what it did. */
#define COPY_REMEMBERED 64u
#define COPY_KEY_LEN    16u

/* What a call's details say, besides that this is spoken. */
struct copy_details {
	uint8_t key[COPY_KEY_LEN];
	/* The importer's: the oldest request without an answer. The exporter's: that which it has
	 * not carried out yet. */
	uint64_t tag;
	/* The importer's: it has asked in an earlier stream. The exporter's: it remembers that. */
	bool goes_on;
};

#define COPY_DETAILS_LEN 40u
void copy_details_encode(const struct copy_details *details, uint8_t out[COPY_DETAILS_LEN]);
/* False: another version, or no such details. */
bool copy_details_decode(const uint8_t *bytes, size_t len, struct copy_details *details_out);

#endif
