/*
 * Copies that the daemons relay if there is no RDMA device: the messages between the importer's
 * process and the exporter's process in the rings of a call (PeerRdmaConnect.relay). A request
 * names one piece of one export. The exporter's process moves the bytes and replies in the order of
 * the requests. It reads and changes the counters of sync events atomically, by request types of
 * their own.
 *
 * A stream ends with the daemons that carry it. The importer then continues in another stream: it
 * identifies itself by the same random key and repeats every request that has no reply yet. Tags
 * number the requests from 0 on without gaps. The exporter's process remembers the results of the
 * last COPY_REMEMBERED requests and executes none twice.
 *
 * All numbers are little endian. This is version 3, which the call's details name on both sides.
 * Keeps no state; any thread may use it.
 */
#ifndef PROTO_COPY_STREAM_H
#define PROTO_COPY_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ring dimensions. Both daemons use these constants; they are not negotiated. */
#define COPY_RING_LEN (256u << 10)
#define COPY_QUEUE    128u /* messages */

#define COPY_DATA_MAX    (32u << 10) /* bytes of one request */
#define COPY_SECRET_LEN  16u
#define COPY_REQUEST_LEN 48u
#define COPY_ANSWER_LEN  16u
#define COPY_MSG_MAX     (COPY_REQUEST_LEN + COPY_DATA_MAX)

/*
 * COPY_GET, COPY_SET and COPY_ADD act on the counter of a sync event, a number of COPY_VALUE_LEN
 * bytes.
 */
enum copy_op { COPY_READ = 1, COPY_WRITE = 2, COPY_GET = 3, COPY_SET = 4, COPY_ADD = 5 };
#define COPY_VALUE_LEN 8u

struct copy_request {
	uint32_t op;
	/*
	 * 1 to COPY_DATA_MAX, or COPY_VALUE_LEN for a counter; see copy_bytes_asked() and
	 * copy_bytes_answered().
	 */
	uint32_t len;
	uint64_t tag; /* repeated in the reply */
	uint64_t addr;
	uint64_t export_id;
	uint8_t secret[COPY_SECRET_LEN]; /* of the export's descriptor */
};

struct copy_answer {
	uint32_t status; /* doca_error_t */
	uint32_t len;    /* length of the bytes that follow; 0 on failure */
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

/*
 * Number of bytes that follow a request, and of bytes that follow a successful reply. COPY_ADD
 * carries the addend; its reply carries the previous value.
 */
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
/* Returns false if this is no such message or its length is wrong. */
bool copy_request_decode(const uint8_t *msg, size_t msg_len, struct copy_request *request_out);
void copy_answer_encode(const struct copy_answer *answer, uint8_t out[COPY_ANSWER_LEN]);
bool copy_answer_decode(const uint8_t *msg, size_t msg_len, struct copy_answer *answer_out);

/* Limit of requests without a reply. The exporter's process remembers the results of this many. */
#define COPY_REMEMBERED 64u
#define COPY_KEY_LEN    16u

/* Contents of a call's details, besides the magic and the version of this protocol. */
struct copy_details {
	uint8_t key[COPY_KEY_LEN];
	/*
	 * In the importer's details: the oldest request without a reply. In the exporter's: the
	 * first request that it has not executed yet.
	 */
	uint64_t tag;
	/*
	 * In the importer's details: it has sent requests in an earlier stream. In the exporter's:
	 * it remembers that stream.
	 */
	bool is_continued;
};

#define COPY_DETAILS_LEN 40u
void copy_details_encode(const struct copy_details *details, uint8_t out[COPY_DETAILS_LEN]);
/* Returns false if these are no such details or of another version. */
bool copy_details_decode(const uint8_t *bytes, size_t len, struct copy_details *details_out);

#endif
