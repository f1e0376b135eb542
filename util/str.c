/*
 * Strings. A copy is complete or fails: a truncated name would name something else. Keeps no state;
 * any thread may call it.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/str.h"

int str_copy(char *dst, size_t dst_len, const char *src)
{
	size_t len = strnlen(src, dst_len);

	if (len >= dst_len) {
		if (dst_len)
			dst[0] = '\0';
		return -ENAMETOOLONG;
	}
	memcpy(dst, src, len + 1);
	return 0;
}

static bool str_matches_pci(const char *text, const char *pattern)
{
	for (; *pattern; text++, pattern++) {
		if (*pattern == 'x' ? !isxdigit((unsigned char)*text) : *text != *pattern)
			return false;
	}
	return *text == '\0';
}

int str_pci_normalize(const char *text, char out[13])
{
	char full[13] = "0000:";

	if (str_matches_pci(text, "xxxx:xx:xx.x"))
		memcpy(full, text, sizeof(full));
	else if (str_matches_pci(text, "xx:xx.x"))
		memcpy(full + 5, text, 8);
	else
		return -EINVAL;
	/* A bus has 32 devices with 8 functions each. */
	if (full[8] > '1' || full[11] > '7')
		return -EINVAL;
	for (size_t i = 0; i < sizeof(full); i++)
		out[i] = (char)tolower((unsigned char)full[i]);
	return 0;
}

void str_make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
			*text = '?';
}

bool str_equal_secret(const void *a, const void *b, size_t len)
{
	const volatile uint8_t *x = a, *y = b;
	uint8_t diff = 0;

	for (size_t i = 0; i < len; i++)
		diff |= x[i] ^ y[i];
	return diff == 0;
}

void str_hex(const void *data, size_t len, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
	out[2 * len] = '\0';
}
