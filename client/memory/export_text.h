/*
 * Export descriptors as text. Programs up to 1.4 treat a descriptor as a JSON object that ends in a
 * zero byte, and read its members "addr" and "len". This runtime's text has a third member that
 * contains the binary descriptor. Every generation imports both forms. Threads: any; there is no
 * state.
 */
#ifndef CLIENT_MEMORY_EXPORT_TEXT_H
#define CLIENT_MEMORY_EXPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/export_descriptor.h"

/* The length of the longest text, including its zero byte. */
#define EXPORT_TEXT_SIZE 320u

/* Returns the text for the descriptor of `len` bytes at `addr`; *len_out includes the zero byte.
 * The caller frees it. Returns NULL if memory is short. */
char *export_text_from(const uint8_t descriptor[EXPORT_DESCRIPTOR_LEN], uint64_t addr, uint64_t len,
		       size_t *len_out);
/* Returns whether the data can be such a text. If so, it is no binary descriptor. */
bool export_text_is(const void *data, size_t len);
/* Returns false if the data is no text with a descriptor. Does not validate the descriptor. */
bool export_text_to(const void *data, size_t len, uint8_t descriptor_out[EXPORT_DESCRIPTOR_LEN]);

#endif
