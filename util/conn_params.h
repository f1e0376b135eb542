/*
 * Connection parameters: the bytes that doca_rdma_export returns and that an application carries to
 * the other end of an RDMA connection by any means. Little endian, at most CONN_PARAMS_MAX bytes.
 * They wrap the body of a provider; the provider of the same name at the other end parses and
 * checks the body.
 *
 *   0  magic "DOCR"            4  format version (1)       5  kind (1: reliable connection)
 *   6  bytes of the body       7  reserved 0               8  provider's name (16 bytes, 0-padded)
 *  24  body                    then the crc32 of all before
 */
#ifndef UTIL_CONN_PARAMS_H
#define UTIL_CONN_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONN_PARAMS_NAME_LEN 16u
#define CONN_PARAMS_HEAD_LEN 24u
#define CONN_PARAMS_BODY_MAX 224u
#define CONN_PARAMS_MAX      (CONN_PARAMS_HEAD_LEN + CONN_PARAMS_BODY_MAX + 4u)

enum conn_params_kind { CONN_PARAMS_RC = 1 };

struct conn_params {
	char provider[CONN_PARAMS_NAME_LEN]; /* NUL-terminated */
	uint8_t kind;
	uint8_t len;
	uint8_t body[CONN_PARAMS_BODY_MAX];
};

/*
 * Printable fields of a body of provider "verbs". The body of provider "soft" is an export
 * descriptor instead.
 */
struct conn_params_qp {
	uint32_t number;
	uint32_t mtu; /* bytes */
	uint16_t lid;
	uint8_t gid[16];
};

/* Result of conn_params_decode(). The checks run in the order of the values. */
enum conn_params_error {
	CONN_PARAMS_OK = 0,
	CONN_PARAMS_ERROR_SHORT, /* too short; bytes beyond the end are ignored */
	CONN_PARAMS_ERROR_MAGIC,
	CONN_PARAMS_ERROR_VERSION,
	CONN_PARAMS_ERROR_CRC,
	CONN_PARAMS_ERROR_FIELD,
};

/* Returns the number of bytes written. The caller guarantees that provider and len are in range. */
size_t conn_params_encode(const struct conn_params *details, uint8_t out[CONN_PARAMS_MAX]);
enum conn_params_error conn_params_decode(const void *data, size_t len,
					  struct conn_params *params_out);
/* True if the data begins with the magic of connection parameters. */
bool conn_params_has_magic(const void *data, size_t len);
/*
 * Returns false if the body is not of provider "verbs", or is one that this provider would reject.
 */
bool conn_params_read_qp(const struct conn_params *details, struct conn_params_qp *qp_out);
/* Returns one clause for a message, for example "its checksum is wrong". */
const char *conn_params_error_text(enum conn_params_error error);

#endif
