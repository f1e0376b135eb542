/* Descriptors from the service manager; see inherit.h. */
#include "daemon/inherit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "util/fd.h"
#include "util/log.h"

static struct {
	int first, n;
	char **names;
	bool *taken;
} inherit;

void inherit_init(void)
{
	int n = sd_listen_fds_with_names(1, &inherit.names);

	if (n < 0)
		log_warning("descriptors of the service manager are not usable: %s", strerror(-n));
	if (n <= 0)
		return;
	inherit.taken = calloc((size_t)n, sizeof(*inherit.taken));
	if (!inherit.taken) {
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

static int inherit_give(int i)
{
	inherit.taken[i] = true;
	return inherit.first + i;
}

int inherit_take_listener(const char *name, int type)
{
	int found = -1;

	for (int i = 0; i < inherit.n; i++) {
		if (inherit.taken[i] || sd_is_socket_unix(inherit.first + i, type, 1, NULL, 0) <= 0)
			continue;
		if (inherit_is_named(i, name))
			return inherit_give(i);
		/* systemd names it after its unit unless the unit says otherwise. */
		if (found < 0 && inherit.names && inherit.names[i] &&
		    strstr(inherit.names[i], ".socket"))
			found = i;
	}
	return found < 0 ? -1 : inherit_give(found);
}

int inherit_take(const char *name)
{
	for (int i = 0; i < inherit.n; i++)
		if (!inherit.taken[i] && inherit_is_named(i, name))
			return inherit_give(i);
	return -1;
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
	memset(&inherit, 0, sizeof(inherit));
	return n;
}
