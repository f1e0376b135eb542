/*
 * Keys of a configuration section as a table: name, type, range and the member that each sets.
 * Unknown keys, duplicate keys and values out of range are refused with a sentence that names the
 * allowed values.
 */
#ifndef DAEMON_BASE_SCHEMA_H
#define DAEMON_BASE_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/ini_file.h"

enum value_type {
	VALUE_STRING,   /* char[max], not empty */
	VALUE_BOOL,     /* bool: yes, no */
	VALUE_U32,      /* uint32_t, min..max */
	VALUE_U64,      /* uint64_t, min..max, suffixes K M G T: powers of 1024 */
	VALUE_RATE,     /* uint64_t, bits per second, suffixes K M G: powers of 1000 */
	VALUE_MS,       /* uint64_t, nanoseconds; the text is milliseconds, min..max */
	VALUE_MODE,     /* mode_t, octal */
	VALUE_PCI,      /* char[13] */
	VALUE_CHOICE,   /* an enum: the index in `words` */
	VALUE_MAC,      /* uint8_t[6] */
	VALUE_IPV4,     /* uint8_t[4] */
	VALUE_IPV6,     /* uint8_t[16] */
	VALUE_PRESENCE, /* bool: linked, always */
};

struct value_key {
	const char *name;
	enum value_type type;
	size_t offset;     /* of the member in the object */
	size_t has_offset; /* offset of a bool that is set as well, or 0 */
	uint64_t min, max;
	const char *const *words; /* of a choice; ends with NULL */
};

#define SCHEMA_NAMES_LEN 400

/* Appends a name to a list that is separated by commas. A list that is too long is truncated. */
void schema_add_name(char names[SCHEMA_NAMES_LEN], const char *name);

/*
 * Sets one key. seen: one bit per key of the table, which the caller keeps for each object; the bit
 * is set even if the value is refused. Returns 0 or -EINVAL.
 */
int value_set(const struct ini_position *at, const struct value_key *keys, size_t n_keys,
	      void *object, uint64_t *seen, const char *key, const char *text);

#endif
