/*
 * Requests a reload and waits for its result, for the service manager: SIGHUP returns no result.
 * Uses the daemon's private D-Bus socket, see bus.h. Called by main().
 */
#include "daemon/dbus/reload.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

#include "daemon/config/config.h"
#include "daemon/config/runtime_dir.h"
#include "daemon/dbus/tree.h"

#define RELOAD_LIMIT_US 20000000u

static int reload_fail(const char *path, int r)
{
	fprintf(stderr, "dococored: no daemon answers at %s: %s\n", path, strerror(-r));
	return 1;
}

static int reload_connect(const char *path, sd_bus **bus_out)
{
	char address[CONFIG_PATH_LEN + 32];
	sd_bus *bus = NULL;
	int r = sd_bus_new(&bus);

	snprintf(address, sizeof(address), "unix:path=%s", path);
	if (r >= 0)
		r = sd_bus_set_address(bus, address);
	if (r >= 0)
		r = sd_bus_set_method_call_timeout(bus, RELOAD_LIMIT_US);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0)
		sd_bus_unref(bus);
	else
		*bus_out = bus;
	return r;
}

int reload_ask(const struct daemon_options *options)
{
	char dir[CONFIG_PATH_LEN], path[CONFIG_PATH_LEN + 16];
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus *bus;
	int r;

	if (runtime_dir_find(options, dir, sizeof(dir)) < 0)
		return 1;
	snprintf(path, sizeof(path), "%s/%s.bus", dir, side_name(options->side));
	r = reload_connect(path, &bus);
	if (r < 0)
		return reload_fail(path, r);
	r = sd_bus_call_method(bus, NULL, BUS_PATH, BUS_INTERFACE, "Reload", &error, NULL, "");
	if (r < 0 && sd_bus_error_is_set(&error))
		fprintf(stderr, "dococored: %s\n", error.message);
	else if (r < 0)
		reload_fail(path, r);
	sd_bus_error_free(&error);
	sd_bus_flush_close_unref(bus);
	return r < 0;
}
