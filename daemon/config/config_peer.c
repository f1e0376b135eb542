/* Peers and TLS in the configuration; see config_peer.h. */
#include "daemon/config/config_peer.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/schema.h"
#include "util/clock.h"
#include "util/str.h"
#include "util/util.h"

#define ADDRESS_LEN (CONFIG_HOST_LEN + 16)

enum { SEEN_ADDRESS, SEEN_SUBJECT, SEEN_FINGERPRINT, SEEN_LISTEN = 32 };

int config_parse_unix(const char *text, char path[CONFIG_PATH_LEN])
{
	if (strncmp(text, "unix:/", 6) != 0)
		return -EINVAL;
	return str_copy(path, CONFIG_PATH_LEN, text + 5) < 0 ? -EINVAL : 0;
}

static bool config_is_name(const char *text)
{
	if (!isalnum((unsigned char)*text))
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("-._", *text))
			return false;
	return true;
}

static int config_parse_port(const char *text, uint16_t *port_out)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '1' || *text > '9' || *end || n > 65535)
		return -EINVAL;
	*port_out = (uint16_t)n;
	return 0;
}

/* Parses "HOST:PORT" or "[IPV6]:PORT". */
static int config_parse_host(const char *text, char *host, size_t host_len, uint16_t *port_out)
{
	char copy[ADDRESS_LEN];
	struct in6_addr ipv6;
	char *colon;

	if (str_copy(copy, sizeof(copy), text) < 0)
		return -EINVAL;
	colon = strrchr(copy, ':');
	if (!colon || config_parse_port(colon + 1, port_out) < 0)
		return -EINVAL;
	*colon = '\0';
	if (*copy == '[') {
		if (colon[-1] != ']')
			return -EINVAL;
		colon[-1] = '\0';
		if (inet_pton(AF_INET6, copy + 1, &ipv6) != 1)
			return -EINVAL;
		return str_copy(host, host_len, copy + 1) < 0 ? -EINVAL : 0;
	}
	return !config_is_name(copy) || str_copy(host, host_len, copy) < 0 ? -EINVAL : 0;
}

/* --- [peer NAME] --- */

static int config_set_address(struct config_peer *peer, const struct ini_position *at,
			      const char *value)
{
	if (config_parse_unix(value, peer->path) == 0)
		return 0;
	if (strncmp(value, "tls:", 4) == 0 &&
	    config_parse_host(value + 4, peer->host, sizeof(peer->host), &peer->port) == 0)
		return 0;
	return ini_refuse_key(at, "address",
			      "'%.120s' is not allowed; allowed: 'unix:/path' with at most %d "
			      "bytes of path, or 'tls:HOST:PORT', an IPv6 address in brackets",
			      value, CONFIG_PATH_LEN - 1);
}

static int config_set_subject(struct config_peer *peer, const struct ini_position *at,
			      const char *value)
{
	struct in6_addr ipv6;

	if ((!config_is_name(value) && inet_pton(AF_INET6, value, &ipv6) != 1) ||
	    str_copy(peer->subject, sizeof(peer->subject), value) < 0)
		return ini_refuse_key(at, "subject",
				      "'%.60s' is not allowed; allowed: a name or address that the "
				      "peer's certificate has, as common name or alternative name",
				      value);
	return 0;
}

/* Parses 64 hexadecimal digits; ignores colons between them, as openssl prints them. */
static int config_set_fingerprint(struct config_peer *peer, const struct ini_position *at,
				  const char *value)
{
	const char *digit = strncmp(value, "sha256:", 7) == 0 ? value + 7 : "";
	size_t n = 0;

	for (; isxdigit((unsigned char)digit[0]) && isxdigit((unsigned char)digit[1]); n++) {
		char byte[3] = {digit[0], digit[1], '\0'};

		if (n == CONFIG_FINGERPRINT_LEN)
			break;
		peer->fingerprint[n] = (uint8_t)strtoul(byte, NULL, 16);
		digit += 2;
		digit += *digit == ':' && digit[1];
	}
	if (n != CONFIG_FINGERPRINT_LEN || *digit)
		return ini_refuse_key(at, "fingerprint",
				      "'%.120s' is not allowed; allowed: 'sha256:' and 64 "
				      "hexadecimal digits, as 'openssl x509 -noout -fingerprint "
				      "-sha256' prints them",
				      value);
	peer->has_fingerprint = true;
	return 0;
}

static const struct {
	const char *name;
	int seen;
	int (*set)(struct config_peer *, const struct ini_position *, const char *);
} peer_keys[] = {
	{"address", SEEN_ADDRESS, config_set_address},
	{"subject", SEEN_SUBJECT, config_set_subject},
	{"fingerprint", SEEN_FINGERPRINT, config_set_fingerprint},
};

int config_peer_entry(struct config_peer *peer, uint64_t *seen, const struct ini_position *at,
		      const char *key, const char *value)
{
	char names[SCHEMA_NAMES_LEN] = "";

	for (size_t i = 0; i < ARRAY_LEN(peer_keys); i++) {
		if (strcmp(peer_keys[i].name, key) != 0)
			continue;
		if (*seen & (1ull << peer_keys[i].seen))
			return ini_refuse_key(at, key, "given twice; allowed once");
		*seen |= 1ull << peer_keys[i].seen;
		return peer_keys[i].set(peer, at, value);
	}
	for (size_t i = 0; i < ARRAY_LEN(peer_keys); i++)
		schema_add_name(names, peer_keys[i].name);
	return ini_refuse_key(at, key, "unknown here; allowed: %s", names);
}

int config_peer_check(const struct config_peer *peer, uint64_t seen, const struct ini_position *at)
{
	/* An invalid value has been reported already. */
	if (seen & (1ull << SEEN_ADDRESS) && !*peer->path && !*peer->host)
		return -EINVAL;
	if (seen & (1ull << SEEN_SUBJECT) && !*peer->subject)
		return -EINVAL;
	if (!*peer->path && !*peer->host && !*peer->subject)
		return ini_refuse(at,
				  "peer '%s': key 'address' is missing; one that connects to this "
				  "daemon over TLS needs 'subject' instead",
				  peer->name);
	if (*peer->host && !*peer->subject)
		return ini_refuse(at,
				  "peer '%s': key 'subject' is missing: the name in its "
				  "certificate, without which anybody of the same CA could be it",
				  peer->name);
	if (*peer->path && (*peer->subject || peer->has_fingerprint))
		return ini_refuse(at,
				  "peer '%s': keys 'subject' and 'fingerprint' are for peers over "
				  "TLS; one at a unix: address shows no certificate",
				  peer->name);
	if (peer->has_fingerprint && !*peer->subject)
		return ini_refuse(at, "peer '%s': key 'fingerprint' needs key 'subject'",
				  peer->name);
	return 0;
}

bool config_peer_is_ours(const struct config_peer *peer)
{
	return *peer->path || *peer->host;
}

bool config_peer_equal(const struct config_peer *a, const struct config_peer *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->path, b->path) == 0 &&
	       strcmp(a->host, b->host) == 0 && a->port == b->port &&
	       strcmp(a->subject, b->subject) == 0 && a->has_fingerprint == b->has_fingerprint &&
	       memcmp(a->fingerprint, b->fingerprint, sizeof(a->fingerprint)) == 0;
}

/* --- [tls] --- */

static const struct value_key tls_keys[] = {
	{.name = "certificate",
	 .type = VALUE_STRING,
	 .offset = offsetof(struct config_tls, certificate),
	 .max = CONFIG_FILE_LEN},
	{.name = "key",
	 .type = VALUE_STRING,
	 .offset = offsetof(struct config_tls, key),
	 .max = CONFIG_FILE_LEN},
	{.name = "ca",
	 .type = VALUE_STRING,
	 .offset = offsetof(struct config_tls, ca),
	 .max = CONFIG_FILE_LEN},
	{.name = "timeout_ms",
	 .type = VALUE_MS,
	 .offset = offsetof(struct config_tls, timeout_ns),
	 .min = 200,
	 .max = 3600000},
	{.name = "handshake_ms",
	 .type = VALUE_MS,
	 .offset = offsetof(struct config_tls, handshake_ns),
	 .min = 100,
	 .max = 60000},
};

static int config_set_listen(struct config_tls *tls, const struct ini_position *at,
			     const char *value)
{
	struct in6_addr address;

	tls->listen_host[0] = '\0';
	if (strcmp(value, "none") == 0)
		return 0;
	if (config_parse_host(value, tls->listen_host, sizeof(tls->listen_host),
			      &tls->listen_port) == 0 &&
	    (inet_pton(AF_INET, tls->listen_host, &address) == 1 ||
	     inet_pton(AF_INET6, tls->listen_host, &address) == 1))
		return 0;
	return ini_refuse_key(at, "listen",
			      "'%.120s' is not allowed; allowed: none, or a numeric address and a "
			      "port such as 0.0.0.0:18515 or [::]:18515",
			      value);
}

int config_tls_entry(struct config_tls *tls, uint64_t *seen, const struct ini_position *at,
		     const char *key, const char *value)
{
	char names[SCHEMA_NAMES_LEN] = "";

	if (strcmp(key, "listen") == 0) {
		if (*seen & (1ull << SEEN_LISTEN))
			return ini_refuse_key(at, key, "given twice; allowed once");
		*seen |= 1ull << SEEN_LISTEN;
		return config_set_listen(tls, at, value);
	}
	for (size_t i = 0; i < ARRAY_LEN(tls_keys); i++)
		if (strcmp(tls_keys[i].name, key) == 0)
			return value_set(at, tls_keys, ARRAY_LEN(tls_keys), tls, seen, key, value);
	schema_add_name(names, "listen");
	for (size_t i = 0; i < ARRAY_LEN(tls_keys); i++)
		schema_add_name(names, tls_keys[i].name);
	return ini_refuse_key(at, key, "unknown here; allowed: %s", names);
}

void config_tls_set_defaults(struct config_tls *tls)
{
	tls->timeout_ns = 10 * NS_PER_SEC;
	tls->handshake_ns = 5 * NS_PER_SEC;
}

bool config_uses_tls(const struct config *config)
{
	bool uses = *config->tls.listen_host != '\0';

	for (size_t i = 0; i < config->n_peers; i++)
		uses |= *config->peers[i].subject != '\0';
	return uses;
}

int config_tls_check(const struct config *config, const struct ini_position *at)
{
	const struct config_tls *tls = &config->tls;
	const char *missing = !*tls->certificate ? "certificate"
			      : !*tls->key       ? "key"
			      : !*tls->ca        ? "ca"
						 : NULL;
	bool listens = *tls->listen_host, awaits = false;

	if (!config_uses_tls(config))
		return 0;
	if (missing)
		return ini_refuse(at,
				  "section [tls]: key '%s' is missing: peers over TLS show each "
				  "other certificates",
				  missing);
	for (size_t i = 0; i < config->n_peers; i++) {
		const struct config_peer *peer = &config->peers[i];

		awaits |= *peer->subject != '\0';
		if (*peer->subject && !*peer->host && !listens)
			return ini_refuse(at,
					  "peer '%s' has no address, and key 'listen' of section "
					  "[tls] is missing: one of the two daemons has to connect",
					  peer->name);
	}
	return listens && !awaits ? ini_refuse(at, "section [tls]: key 'listen' without any [peer] "
						   "that has key 'subject': nobody would be let in")
				  : 0;
}
