/*
 * Connection details: what doca_rdma_export returns and an application carries to the other end of
 * an RDMA connection by any means. Little-endian, at most DETAILS_MAX bytes. In it lie the details
 * of a provider, which the other end's provider of the same name understands and checks further.
 *
 *   0  magic "DOCR"            4  format version (1)       5  kind (1: reliable connection)
 *   6  bytes of the details    7  reserved 0               8  provider's name (16 bytes, 0-padded)
 *  24  details                 then the crc32 of all before
 */
#ifndef UTIL_DETAILS_H
#define UTIL_DETAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DETAILS_NAME_LEN 16u
#define DETAILS_HEAD_LEN 24u
#define DETAILS_BODY_MAX 224u
#define DETAILS_MAX      (DETAILS_HEAD_LEN + DETAILS_BODY_MAX + 4u)

enum details_kind { DETAILS_RC = 1 };

struct details {
	char provider[DETAILS_NAME_LEN]; /* ends in a 0 */
	uint8_t kind;
	uint8_t len;
	uint8_t body[DETAILS_BODY_MAX];
};

/* What the details of provider "verbs" say, for people. Provider "soft" has an export descriptor.
 */
struct details_qp {
	uint32_t number;
	uint32_t mtu; /* bytes */
	uint16_t lid;
	uint8_t gid[16];
};

/* Returned by details_decode, from what is wrong first. */
enum details_error {
	DETAILS_OK = 0,
	DETAILS_ERROR_SHORT, /* longer input is fine, the rest is ignored */
	DETAILS_ERROR_MAGIC,
	DETAILS_ERROR_VERSION,
	DETAILS_ERROR_CRC,
	DETAILS_ERROR_FIELD,
};

/* Returns the bytes written. provider and len are in range. */
size_t details_encode(const struct details *details, uint8_t out[DETAILS_MAX]);
enum details_error details_decode(const void *data, size_t len, struct details *details_out);
/* They begin like details do. */
bool details_has_magic(const void *data, size_t len);
/* False: they are not of provider "verbs", or it would not take them. */
bool details_read_qp(const struct details *details, struct details_qp *qp_out);
/* One clause for a message: "its checksum is wrong". */
const char *details_error_text(enum details_error error);

#endif
