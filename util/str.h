/* Bounded strings and the few conversions that several modules need. */
#ifndef UTIL_STR_H
#define UTIL_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies with NUL; returns 0, or -ENAMETOOLONG and an empty destination when it does not fit. */
int str_copy(char *dst, size_t dst_len, const char *src);
/* "bb:dd.f" or "dddd:bb:dd.f" (hex, either case) to the 12-character lower-case form. 0 or -EINVAL.
 */
int str_pci_normalize(const char *text, char out[13]);
/* A name of somebody else's, for logs and terminals: what is not printable ASCII becomes '?'. */
void str_make_printable(char *text);
/* Secrets: constant time. */
bool str_equal_secret(const void *a, const void *b, size_t len);
/* Bytes to lower-case hex with NUL; out has 2 * len + 1 bytes. */
void str_hex(const void *data, size_t len, char *out);

#endif
