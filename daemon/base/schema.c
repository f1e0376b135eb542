/* Typed values of configuration keys; see schema.h. */
#include "daemon/base/schema.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "util/clock.h"
#include "util/str.h"
#include "util/util.h"

/* Parses digits with at most one suffix letter. Returns 0, -EINVAL (not a number) or -ERANGE. */
static int value_number(const char *text, uint64_t unit, uint64_t *out)
{
	static const char suffixes[] = "KMGT";
	unsigned long long n;
	uint64_t factor = 1;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	if (*end && unit) {
		const char *suffix = strchr(suffixes, *end);

		if (!suffix)
			return -EINVAL;
		for (long i = suffix - suffixes; i >= 0; i--)
			factor *= unit;
		end++;
	}
	if (*end)
		return -EINVAL;
	if (__builtin_mul_overflow((uint64_t)n, factor, out))
		return -ERANGE;
	return 0;
}

static int value_refuse_range(const struct ini_position *at, const struct value_key *key,
			      const char *text, const char *unit)
{
	return ini_refuse_key(at, key->name, "'%.60s' is not allowed; allowed: %llu to %llu%s",
			      text, (unsigned long long)key->min, (unsigned long long)key->max,
			      unit);
}

static int value_set_number(const struct ini_position *at, const struct value_key *key,
			    void *member, const char *text)
{
	uint64_t n;
	uint64_t unit = key->type == VALUE_U64 ? 1024 : key->type == VALUE_RATE ? 1000 : 0;
	const char *unit_text = key->type == VALUE_U64    ? ", with K, M, G or T for powers of 1024"
				: key->type == VALUE_RATE ? " bits per second, with K, M, G or T"
				: key->type == VALUE_MS   ? " milliseconds"
							  : "";

	if (value_number(text, unit, &n) < 0 || n < key->min || n > key->max)
		return value_refuse_range(at, key, text, unit_text);
	if (key->type == VALUE_U32)
		*(uint32_t *)member = (uint32_t)n;
	else
		*(uint64_t *)member = key->type == VALUE_MS ? n * NS_PER_MS : n;
	return 0;
}

static int value_set_word(const struct ini_position *at, const struct value_key *key, bool *member,
			  const char *text, const char *yes, const char *no)
{
	if (strcmp(text, yes) != 0 && strcmp(text, no) != 0)
		return ini_refuse_key(at, key->name, "'%.60s' is not allowed; allowed: %s, %s",
				      text, yes, no);
	*member = strcmp(text, yes) == 0;
	return 0;
}

static int value_set_mac(const struct ini_position *at, const struct value_key *key,
			 uint8_t member[6], const char *text)
{
	unsigned b[6];
	char rest;

	if (strlen(text) != 17 || sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%c", &b[0], &b[1], &b[2],
					 &b[3], &b[4], &b[5], &rest) != 6)
		return ini_refuse_key(
			at, key->name,
			"'%.60s' is not allowed; allowed: six hexadecimal bytes such as "
			"02:00:00:00:00:01",
			text);
	for (int i = 0; i < 6; i++)
		member[i] = (uint8_t)b[i];
	return 0;
}

static int value_set_mode(const struct ini_position *at, const struct value_key *key,
			  mode_t *member, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 8);

	if (*text < '0' || *text > '7' || *end || n > 0777)
		return ini_refuse_key(at, key->name,
				      "'%.60s' is not allowed; allowed: octal 0000 to 0777", text);
	*member = (mode_t)n;
	return 0;
}

/* "one, two, three", as many as fit. */
static void value_list_words(const char *const *words, char *text, size_t text_len)
{
	size_t len = 0;

	*text = '\0';
	for (size_t i = 0; words[i]; i++) {
		int n = snprintf(text + len, text_len - len, "%s%s", i ? ", " : "", words[i]);

		if (n < 0 || (size_t)n >= text_len - len)
			return;
		len += (size_t)n;
	}
}

static int value_set_choice(const struct ini_position *at, const struct value_key *key,
			    unsigned *member, const char *text)
{
	char words[200];

	for (unsigned i = 0; key->words[i]; i++) {
		if (strcmp(text, key->words[i]) == 0) {
			*member = i;
			return 0;
		}
	}
	value_list_words(key->words, words, sizeof(words));
	return ini_refuse_key(at, key->name, "'%.60s' is not allowed; allowed: %s", text, words);
}

static int value_set_string(const struct ini_position *at, const struct value_key *key,
			    char *member, const char *text)
{
	if (*text == '\0' || str_copy(member, key->max, text) < 0)
		return ini_refuse_key(at, key->name, "allowed: 1 to %llu bytes",
				      (unsigned long long)key->max - 1);
	return 0;
}

static int value_set_address(const struct ini_position *at, const struct value_key *key,
			     void *member, const char *text)
{
	int family = key->type == VALUE_IPV4 ? AF_INET : AF_INET6;
	uint8_t address[16];

	if (inet_pton(family, text, address) != 1)
		return ini_refuse_key(at, key->name, "'%.60s' is no IPv%d address", text,
				      family == AF_INET ? 4 : 6);
	memcpy(member, address, family == AF_INET ? 4 : 16);
	return 0;
}

static int value_set_pci(const struct ini_position *at, const struct value_key *key, char *member,
			 const char *text)
{
	if (str_pci_normalize(text, member) < 0)
		return ini_refuse_key(
			at, key->name,
			"'%.60s' is no PCI address; allowed: 'bb:dd.f' or 'dddd:bb:dd.f', "
			"hexadecimal",
			text);
	return 0;
}

static int value_set_member(const struct ini_position *at, const struct value_key *key,
			    void *member, const char *text)
{
	switch (key->type) {
	case VALUE_STRING:
		return value_set_string(at, key, member, text);
	case VALUE_BOOL:
		return value_set_word(at, key, member, text, "yes", "no");
	case VALUE_PRESENCE:
		return value_set_word(at, key, member, text, "always", "linked");
	case VALUE_U32:
	case VALUE_U64:
	case VALUE_RATE:
	case VALUE_MS:
		return value_set_number(at, key, member, text);
	case VALUE_MODE:
		return value_set_mode(at, key, member, text);
	case VALUE_PCI:
		return value_set_pci(at, key, member, text);
	case VALUE_CHOICE:
		return value_set_choice(at, key, member, text);
	case VALUE_MAC:
		return value_set_mac(at, key, member, text);
	case VALUE_IPV4:
	case VALUE_IPV6:
		return value_set_address(at, key, member, text);
	}
	return -EINVAL;
}

void schema_add_name(char names[SCHEMA_NAMES_LEN], const char *name)
{
	size_t len = strlen(names);

	snprintf(names + len, SCHEMA_NAMES_LEN - len, "%s%s", len > 0 ? ", " : "", name);
}

static int value_refuse_unknown(const struct ini_position *at, const struct value_key *keys,
				size_t n_keys, const char *key)
{
	char names[SCHEMA_NAMES_LEN] = "";

	for (size_t i = 0; i < n_keys; i++)
		schema_add_name(names, keys[i].name);
	return ini_refuse_key(at, key, "unknown here; allowed: %s", names);
}

int value_set(const struct ini_position *at, const struct value_key *keys, size_t n_keys,
	      void *object, uint64_t *seen, const char *key, const char *text)
{
	for (size_t i = 0; i < n_keys; i++) {
		if (strcmp(keys[i].name, key) != 0)
			continue;
		if (*seen & (1ull << i))
			return ini_refuse_key(at, key, "given twice; allowed once");
		*seen |= 1ull << i;
		if (value_set_member(at, &keys[i], (char *)object + keys[i].offset, text) < 0)
			return -EINVAL;
		if (keys[i].has_offset)
			*(bool *)((char *)object + keys[i].has_offset) = true;
		return 0;
	}
	return value_refuse_unknown(at, keys, n_keys, key);
}
