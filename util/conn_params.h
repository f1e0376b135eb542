/*
 * Connection details: the bytes that doca_rdma_export returns and that an application carries to
 * the other end of an RDMA connection by any means. Little endian, at most DETAILS_MAX bytes. They
 * wrap the body of a provider; the provider of the same name at the other end parses and checks the
 * body.
 *
 *   0  magic "DOCR"            4  format version (1)       5  kind (1: reliable connection)
 *   6  bytes of the body       7  reserved 0               8  provider's name (16 bytes, 0-padded)
 *  24  body                    then the crc32 of all before
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
	char provider[DETAILS_NAME_LEN]; /* NUL-terminated */
	uint8_t kind;
	uint8_t len;
	uint8_t body[DETAILS_BODY_MAX];
};

/*
 * Printable fields of a body of provider "verbs". The body of provider "soft" is an export
 * descriptor instead.
 */
struct details_qp {
	uint32_t number;
	uint32_t mtu; /* bytes */
	uint16_t lid;
	uint8_t gid[16];
};

/* Result of details_decode(). The checks run in the order of the values. */
enum details_error {
	DETAILS_OK = 0,
	DETAILS_ERROR_SHORT, /* too short; bytes beyond the end are ignored */
	DETAILS_ERROR_MAGIC,
	DETAILS_ERROR_VERSION,
	DETAILS_ERROR_CRC,
	DETAILS_ERROR_FIELD,
};

/* Returns the number of bytes written. The caller guarantees that provider and len are in range. */
size_t details_encode(const struct details *details, uint8_t out[DETAILS_MAX]);
enum details_error details_decode(const void *data, size_t len, struct details *details_out);
/* True if the data begins with the magic of connection details. */
bool details_has_magic(const void *data, size_t len);
/*
 * Returns false if the body is not of provider "verbs", or is one that this provider would reject.
 */
bool details_read_qp(const struct details *details, struct details_qp *qp_out);
/* Returns one clause for a message, for example "its checksum is wrong". */
const char *details_error_text(enum details_error error);

#endif
