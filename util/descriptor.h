/*
 * What programs carry from one side to the other and operators ask about: an export descriptor
 * (blob.h) or the details of an RDMA connection (details.h), told apart by their first bytes, and
 * the names of what is in them. Anything may be passed in. No state; any thread.
 */
#ifndef UTIL_DESCRIPTOR_H
#define UTIL_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/blob.h"
#include "util/details.h"

struct descriptor {
	/* Of connection details; "" for an export. */
	char provider[DETAILS_NAME_LEN];
	/* An export, or the queue pair of provider "soft". Its secret is for whoever proves it:
	 * descriptor_wipe() afterwards. */
	bool has_blob;
	struct blob blob;
	/* The queue pair of provider "verbs". */
	bool has_qp;
	struct details_qp qp;
};

/* NULL, or one clause: what is wrong with it. The descriptor is written on success only. */
const char *descriptor_parse(const void *data, size_t len, struct descriptor *descriptor_out);
void descriptor_wipe(struct descriptor *descriptor);

/* "mmap-export", "sync-event-export", "rdma-connection". */
const char *descriptor_type_name(const struct descriptor *descriptor);
/* Of a blob's fields; "unknown" for what is none. */
const char *descriptor_kind_name(uint8_t kind);
const char *descriptor_side_name(uint8_t side);
/*
 * The names of permissions, one by one: *at is 0 at first. NULL when there is no more. What has no
 * name is left out.
 */
const char *descriptor_permission_next(uint32_t permissions, unsigned *at);

#endif
