/* Bounded string functions and conversions that several modules share. */
#ifndef UTIL_STR_H
#define UTIL_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copies including the NUL. Returns 0, or -ENAMETOOLONG and an empty destination if src does not
 * fit.
 */
int str_copy(char *dst, size_t dst_len, const char *src);
/*
 * Converts "bb:dd.f" or "dddd:bb:dd.f" (hex, either case) to the 12-character lower-case form.
 * Returns 0 or -EINVAL.
 */
int str_pci_normalize(const char *text, char out[13]);
/*
 * Replaces every byte that is not printable ASCII with '?'. For untrusted names in logs and
 * terminals.
 */
void str_make_printable(char *text);
/* Compares secrets in constant time. */
bool str_equal_secret(const void *a, const void *b, size_t len);
/* Converts bytes to lower-case hex with a NUL; out has 2 * len + 1 bytes. */
void str_hex(const void *data, size_t len, char *out);
/* The word for n things in a sentence: "%u %s", n, plural(n, "buffer is", "buffers are"). */
static inline const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

#endif
