/* Inventory: the struct, and functions that the calls of several generations share. The data path
 * is in client/memory/buf_inventory.c. */
#ifndef CLIENT_MEMORY_BUF_INVENTORY_H
#define CLIENT_MEMORY_BUF_INVENTORY_H

#include <doca_buf_inventory.h>

#include "client/base/generation.h"
#include "client/base/lenient.h"
#include "client/memory/buf_freelist.h"

/* Rules of the guides that are not enforced; see client/base/lenient.h. */
enum inventory_rule {
	INVENTORY_RULE_BUF_BEFORE_START,
};

struct doca_buf_inventory {
	struct buf_freelist freelist; /* must be first: buffers point to it */
	union doca_data user_data;
	struct lenient rules; /* bits of enum inventory_rule that the program has broken */
	bool was_started;
	uint16_t api;        /* the generation that created it */
	uint32_t extensions; /* requested by the program, up to 2.2 */
	char *name;          /* 1.3 only; otherwise NULL */
};

/* Creates a stopped inventory of the given generation. */
doca_error_t inventory_new(uint16_t api, size_t n_elements, struct doca_buf_inventory **out);
/* Implements doca_buf_inventory_destroy(). */
doca_error_t inventory_delete(struct doca_buf_inventory *inventory);
/* Like doca_buf_inventory_buf_get_by_args(), without a check of the objects' generations. */
doca_error_t inventory_get(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
			   size_t len, void *data, size_t data_len, struct doca_buf **buf_out);

#endif
