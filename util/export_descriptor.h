/*
 * Export descriptor: the bytes that doca_mmap_export_* and doca_sync_event_export_* return
 * and that an application carries to the other side by any means. The layout is fixed, little
 * endian and EXPORT_DESCRIPTOR_LEN bytes long. The CRC-32 at the end detects damage, not forgery:
 * the secret protects the memory. Every holder of the secret can import.
 *
 *   0  magic "DOCX"            4  format version (1)       5  kind (ExportKind)
 *   6  side (0 host, 1 dpu)    7  1: has a key, else 0     8  permissions (u32)
 *  12  reserved 0 (u32)       16  export id (u64)         24  address (u64)   32  length (u64)
 *  40  daemon id (16 bytes)   56  secret (16 bytes)       72  key (u32), 0 without
 *  76  crc32 of bytes 0..75
 *
 * Descriptors of every kind but queue pairs may have a key. The key is the rkey of the memory at
 * the exporter's RDMA device, for importers that reach it over an RDMA network. The device enforces
 * range and rights, so a changed key cannot widen access.
 */
#ifndef UTIL_EXPORT_DESCRIPTOR_H
#define UTIL_EXPORT_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT_DESCRIPTOR_LEN 80u
/*
 * Values of ExportKind. EXPORT_KIND_SYNC_PCI is the first kind of a sync event; RDMA connections
 * use EXPORT_KIND_RDMA_QP.
 */
#define EXPORT_KIND_SYNC_PCI 2u
#define EXPORT_KIND_RDMA_QP  4u

struct export_descriptor {
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

/* Result of export_descriptor_decode(). The checks run in the order of the values. */
enum export_descriptor_error {
	EXPORT_DESCRIPTOR_OK = 0,
	/* shorter than EXPORT_DESCRIPTOR_LEN bytes; additional bytes are ignored */
	EXPORT_DESCRIPTOR_ERROR_SHORT,
	EXPORT_DESCRIPTOR_ERROR_MAGIC,   /* no magic: not an export descriptor */
	EXPORT_DESCRIPTOR_ERROR_VERSION, /* another format version */
	EXPORT_DESCRIPTOR_ERROR_CRC,     /* damaged in transit */
	/* a field is out of range: unknown kind or side, length 0, address wraps */
	EXPORT_DESCRIPTOR_ERROR_FIELD,
};

void export_descriptor_encode(const struct export_descriptor *descriptor,
			      uint8_t out[EXPORT_DESCRIPTOR_LEN]);
enum export_descriptor_error export_descriptor_decode(const void *data, size_t len,
						      struct export_descriptor *descriptor_out);
/* Returns one clause for a message, for example "it is shorter than 80 bytes". */
const char *export_descriptor_error_text(enum export_descriptor_error error);

#endif
