/*
 * Export descriptors as text. Programs up to 1.4 take a descriptor for a JSON object that ends in a
 * zero byte, and read the members "addr" and "len" of it; ours carries the usual descriptor in a
 * third one. Every generation imports either. Threads: any; no state.
 */
#ifndef CLIENT_MEMORY_EXPORT_TEXT_H
#define CLIENT_MEMORY_EXPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/blob.h"

/* Longest text with its zero byte. */
#define EXPORT_TEXT_SIZE 320u

/* The descriptor of len bytes at addr; *len_out includes the zero byte. The caller frees it; NULL
 * without memory. */
char *export_text_from(const uint8_t blob[BLOB_LEN], uint64_t addr, uint64_t len, size_t *len_out);
/* Could it be such a text? Then it is no other descriptor. */
bool export_text_is(const void *data, size_t len);
/* False: not a text that carries a descriptor. What the descriptor says is not looked at. */
bool export_text_to(const void *data, size_t len, uint8_t blob_out[BLOB_LEN]);

#endif
