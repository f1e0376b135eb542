/* See tests/unit/daemon/dbus/bus_dump.h. */
#include "tests/unit/daemon/dbus/bus_dump.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define BUS_US (20u * 1000 * 1000)

char *bus_dump_call(const struct daemon_pair *pair, enum side side, const char *interface,
		    const char *method, const char *types, ...)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	sd_bus *bus = NULL;
	char address[128], *text = NULL;
	size_t len = 0;
	va_list args;
	FILE *file;
	int r;

	snprintf(address, sizeof(address), "unix:path=%.64s/%s.bus", pair->dir, side_name(side));
	ck_assert_int_ge(sd_bus_new(&bus), 0);
	ck_assert_int_ge(sd_bus_set_address(bus, address), 0);
	ck_assert_int_ge(sd_bus_start(bus), 0);
	va_start(args, types);
	r = sd_bus_call_methodv(bus, "org.dococore", "/org/dococore", interface, method, &error,
				&reply, types, args);
	va_end(args);
	ck_assert_msg(r >= 0, "%s", error.message);
	file = open_memstream(&text, &len);
	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(sd_bus_message_dump(reply, file, 0), 0);
	fclose(file);
	sd_bus_message_unref(reply);
	sd_bus_error_free(&error);
	sd_bus_flush_close_unref(bus);
	return text;
}

char *bus_dump(const struct daemon_pair *pair, enum side side, const char *method)
{
	return bus_dump_call(pair, side, BUS_MANAGER, method, "a{sv}tt", 0, (uint64_t)0,
			     (uint64_t)0);
}

int bus_operate(const struct daemon_pair *pair, enum side side, const char *path,
		const char *interface, const char *method)
{
	sd_bus_message *call = NULL, *reply = NULL;
	sd_bus *bus = NULL;
	char address[128];
	int r;

	snprintf(address, sizeof(address), "unix:path=%.64s/%s.bus", pair->dir, side_name(side));
	ck_assert_int_ge(sd_bus_new(&bus), 0);
	ck_assert_int_ge(sd_bus_set_address(bus, address), 0);
	r = sd_bus_start(bus);
	if (r >= 0)
		r = sd_bus_message_new_method_call(bus, &call, "org.dococore", path, interface,
						   method);
	if (r >= 0)
		r = sd_bus_call(bus, call, BUS_US, NULL, &reply);
	sd_bus_message_unref(reply);
	sd_bus_message_unref(call);
	sd_bus_close_unref(bus);
	return r < 0 ? r : 0;
}

int bus_revoke(const struct daemon_pair *pair, enum side side, uint64_t export_id)
{
	char path[64];

	snprintf(path, sizeof(path), "/org/dococore/exports/%llu", (unsigned long long)export_id);
	return bus_operate(pair, side, path, "org.dococore.Export", "Revoke");
}

const char *bus_dump_value(const char *text, const char *key, unsigned n)
{
	char quoted[64];

	snprintf(quoted, sizeof(quoted), "STRING \"%s\"", key);
	do {
		text = strstr(text, quoted);
		if (text == NULL)
			return NULL;
		text += strlen(quoted);
	} while (n-- > 0);
	return strchr(strstr(text, "VARIANT"), '\n');
}
