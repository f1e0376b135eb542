/* Descriptors from the service manager; see inherit.h. */
#include "daemon/base/inherit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "util/fd.h"
#include "util/log.h"

static struct {
	int first, n;
	char **names;
	bool *taken;
	uint32_t *table; /* index + 1 by hash of the name, 0: empty */
	size_t table_len;
} inherit;

static size_t inherit_hash(const char *name)
{
	uint32_t sum = 2166136261u;

	for (; *name; name++)
		sum = (sum ^ (uint8_t)*name) * 16777619u;
	return sum & (inherit.table_len - 1);
}

/*
 * Builds a hash table, because there may be thousands of descriptors, and each is looked up by
 * name.
 */
static int inherit_index(int n)
{
	inherit.table_len = 64;
	while (inherit.table_len < 2 * (size_t)n)
		inherit.table_len *= 2;
	inherit.table = calloc(inherit.table_len, sizeof(*inherit.table));
	if (!inherit.table)
		return -ENOMEM;
	for (int i = 0; i < n && inherit.names; i++) {
		size_t at = inherit_hash(inherit.names[i]);

		while (inherit.table[at])
			at = (at + 1) & (inherit.table_len - 1);
		inherit.table[at] = (uint32_t)i + 1;
	}
	return 0;
}

void inherit_init(void)
{
	int n = sd_listen_fds_with_names(1, &inherit.names);

	if (n < 0)
		log_warning("descriptors of the service manager are not usable: %s", strerror(-n));
	if (n <= 0)
		return;
	inherit.taken = calloc((size_t)n, sizeof(*inherit.taken));
	if (!inherit.taken || inherit_index(n) < 0) {
		log_error("no memory for %d descriptors of the service manager", n);
		return;
	}
	inherit.first = SD_LISTEN_FDS_START;
	inherit.n = n;
}

static bool inherit_is_named(int i, const char *name)
{
	return inherit.names && inherit.names[i] && strcmp(inherit.names[i], name) == 0;
}

static int inherit_hand_over(int i)
{
	inherit.taken[i] = true;
	return inherit.first + i;
}

int inherit_adopt_listener(const char *name, int type)
{
	int found = -1;

	for (int i = 0; i < inherit.n; i++) {
		if (inherit.taken[i] || sd_is_socket_unix(inherit.first + i, type, 1, NULL, 0) <= 0)
			continue;
		if (inherit_is_named(i, name))
			return inherit_hand_over(i);
		/* systemd names a socket after its unit, unless the unit sets another name. */
		if (found < 0 && inherit.names && inherit.names[i] &&
		    strstr(inherit.names[i], ".socket"))
			found = i;
	}
	return found < 0 ? -1 : inherit_hand_over(found);
}

int inherit_adopt(const char *name)
{
	if (inherit.n == 0)
		return -1;
	for (size_t at = inherit_hash(name); inherit.table[at];
	     at = (at + 1) & (inherit.table_len - 1)) {
		int i = (int)inherit.table[at] - 1;

		if (!inherit.taken[i] && inherit_is_named(i, name))
			return inherit_hand_over(i);
	}
	return -1;
}

const char *inherit_next(char first, int *fd_out)
{
	for (int i = 0; i < inherit.n; i++) {
		if (inherit.taken[i] || !inherit.names || inherit.names[i][0] != first)
			continue;
		*fd_out = inherit_hand_over(i);
		return inherit.names[i];
	}
	return NULL;
}

size_t inherit_close(void)
{
	size_t n = 0;

	for (int i = 0; i < inherit.n; i++) {
		int fd = inherit.first + i;

		if (!inherit.taken[i]) {
			fd_close(&fd);
			n++;
		}
		free(inherit.names ? inherit.names[i] : NULL);
	}
	free(inherit.names);
	free(inherit.taken);
	free(inherit.table);
	memset(&inherit, 0, sizeof(inherit));
	return n;
}
