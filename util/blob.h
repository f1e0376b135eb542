/*
 * Export descriptor ("blob"): what doca_mmap_export_* and doca_sync_event_export_* return and an
 * application carries to the other side by any means. Fixed little-endian layout, BLOB_LEN bytes,
 * ends in a CRC-32 that tells damage from forgery; the secret is what protects the memory. Whoever
 * holds it can import.
 *
 *   0  magic "DOCX"            4  format version (1)       5  kind (ExportKind)
 *   6  side (0 host, 1 dpu)    7  1: has a key, else 0     8  permissions (u32)
 *  12  reserved 0 (u32)       16  export id (u64)         24  address (u64)   32  length (u64)
 *  40  daemon id (16 bytes)   56  secret (16 bytes)       72  key (u32), 0 without
 *  76  crc32 of bytes 0..75
 *
 * All but queue pairs may have a key. It is what the exporter's RDMA device knows the memory by,
 * for importers that reach it over an RDMA network. That device enforces range and rights, so it is
 * no harm if somebody changes it.
 */
#ifndef UTIL_BLOB_H
#define UTIL_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOB_LEN 80u
/* Of ExportKind: sync events are from the first on, the second is what RDMA connections have. */
#define BLOB_KIND_SYNC_PCI 2u
#define BLOB_KIND_RDMA_QP  4u

struct blob {
	uint8_t kind;
	uint8_t side;
	uint32_t permissions;
	uint64_t export_id;
	uint64_t addr;
	uint64_t len;
	uint32_t key;
	bool has_key;
	uint8_t daemon_id[16];
	uint8_t secret[16];
};

/* Returned by blob_decode, from what is wrong first. */
enum blob_error {
	BLOB_OK = 0,
	BLOB_ERROR_SHORT, /* fewer than BLOB_LEN bytes; longer input is fine, the rest is ignored */
	BLOB_ERROR_MAGIC, /* not one of ours */
	BLOB_ERROR_VERSION, /* of another format version */
	BLOB_ERROR_CRC,     /* damaged on its way */
	BLOB_ERROR_FIELD,   /* out of range: unknown kind or side, length 0, address wraps */
};

void blob_encode(const struct blob *blob, uint8_t out[BLOB_LEN]);
enum blob_error blob_decode(const void *data, size_t len, struct blob *blob_out);
/* One clause for a message: "it is shorter than 80 bytes". */
const char *blob_error_text(enum blob_error error);

#endif
