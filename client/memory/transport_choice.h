/*
 * Which transport an import of a memory map takes: the first one of transport_table that opens. If
 * DOCOCORED_TRANSPORT is set, only the transport that it names may be used. client/providers.c has
 * the order of the table. Threads: those of the memory map.
 */
#ifndef CLIENT_MEMORY_TRANSPORT_CHOICE_H
#define CLIENT_MEMORY_TRANSPORT_CHOICE_H

#include <doca_error.h>

struct doca_mmap;
struct transport_target;

/*
 * Opens mmap->region, and sets mmap->rejections to the transports that were tried in vain. Reports
 * the result to the daemon unless the daemon expects it. If no transport opens, returns
 * NOT_SUPPORTED, or INVALID_VALUE if DOCOCORED_TRANSPORT names none, with an error sentence.
 */
doca_error_t transport_choose(struct doca_mmap *mmap, const struct transport_target *target);

#endif
