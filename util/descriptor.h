/*
 * Parser of everything that programs carry from one side to the other and that operators may ask
 * about: an export descriptor (export_descriptor.h) or the parameters of an RDMA connection
 * (conn_params.h). The first bytes tell the two apart. Also returns the names of field values. The
 * input may be arbitrary bytes. Keeps no state; any thread may call it.
 */
#ifndef UTIL_DESCRIPTOR_H
#define UTIL_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/export_descriptor.h"
#include "util/conn_params.h"

struct descriptor {
	/* Provider of the connection parameters; "" for an export. */
	char provider[CONN_PARAMS_NAME_LEN];
	/*
	 * Valid for an export, and for connection parameters of provider "soft". The descriptor
	 * contains a secret that grants access: call descriptor_wipe() after use.
	 */
	bool has_export;
	struct export_descriptor export_descriptor;
	/* Valid for connection parameters of provider "verbs". */
	bool has_qp;
	struct conn_params_qp qp;
};

/*
 * Returns NULL, or one clause that says what is wrong with the data. *descriptor_out is written on
 * success only.
 */
const char *descriptor_parse(const void *data, size_t len, struct descriptor *descriptor_out);
void descriptor_wipe(struct descriptor *descriptor);

/* Returns "mmap-export", "sync-event-export" or "rdma-connection". */
const char *descriptor_type_name(const struct descriptor *descriptor);
/* Names of an export descriptor's field values; "unknown" for an undefined value. */
const char *descriptor_kind_name(uint8_t kind);
const char *descriptor_side_name(uint8_t side);
/*
 * Iterates over the names of the permission bits. Start with *at = 0; returns NULL after the last
 * name. Bits without a name are skipped.
 */
const char *descriptor_permission_next(uint32_t permissions, unsigned *at);

#endif
