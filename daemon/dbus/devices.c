/* Devices and representors, for operators. */
#include "daemon/dbus/noun.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "daemon/base/daemon.h"
#include "daemon/device/device.h"
#include "daemon/topology/topology.h"

static const void *device_next(const struct daemon *daemon, const void *at)
{
	const struct device *device = at;
	size_t i = device ? device->id : 0;

	return i < daemon->registry->n_devices ? &daemon->registry->devices[i] : NULL;
}

/* Adds the capabilities, under the names that the protocol gives them. */
static void caps_fill(struct record *rec, const struct caps *caps)
{
	const ProtobufCMessageDescriptor *descriptor = &dococore__caps__descriptor;
	Dococore__Caps m;

	if (!record_open_value(rec, "caps", "a{sv}"))
		return;
	caps_to_message(caps, &m);
	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
		const void *value = (const char *)&m + field->offset;

		if (field->type == PROTOBUF_C_TYPE_BOOL)
			record_bool(rec, field->name, *(const protobuf_c_boolean *)value);
		else
			record_number(rec, field->name,
				      field->type == PROTOBUF_C_TYPE_UINT64
					      ? *(const uint64_t *)value
					      : *(const uint32_t *)value);
	}
	record_close_value(rec);
}

static void device_fill(struct record *rec, const void *object)
{
	const struct device *device = object;
	const struct device_spec *spec = device->spec;
	char text[INET6_ADDRSTRLEN];

	record_begin(rec);
	record_number(rec, "id", device->id);
	record_text(rec, "name", spec->name);
	record_text(rec, "pci_addr", spec->pci_addr);
	record_text(rec, "vuid", spec->vuid);
	record_text(rec, "func_type", func_type_name(spec->func_type));
	record_text(rec, "iface", spec->iface);
	record_text(rec, "ibdev", spec->ibdev);
	record_text(rec, "ipv4",
		    spec->has_ipv4 ? inet_ntop(AF_INET, spec->ipv4, text, sizeof(text)) : "");
	record_text(rec, "ipv6",
		    spec->has_ipv6 ? inet_ntop(AF_INET6, spec->ipv6, text, sizeof(text)) : "");
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", spec->mac[0], spec->mac[1],
		 spec->mac[2], spec->mac[3], spec->mac[4], spec->mac[5]);
	record_text(rec, "mac", spec->has_mac ? text : "");
	record_number(rec, "sf_index", spec->sf_index);
	record_number(rec, "vhca_id", spec->vhca_id);
	record_number(rec, "active_rate", spec->active_rate);
	record_bool(rec, "present", !device->is_gone);
	record_bool(rec, "bound", spec->is_bound);
	record_bool(rec, "found", spec->is_found);
	record_number(rec, "port_state", spec->port_state);
	record_number(rec, "mtu", spec->mtu);
	if (record_open_value(rec, "gids", "as")) {
		for (uint32_t i = 0; i < spec->n_gids; i++)
			record_item(rec, inet_ntop(AF_INET6, spec->gids[i], text, sizeof(text)));
		record_close_value(rec);
	}
	record_number(rec, "n_open", device->n_handles);
	caps_fill(rec, &spec->caps);
	record_end(rec);
}

static const sd_bus_vtable device_vtable[] = {
	SD_BUS_VTABLE_START(0), FIXED("Id", "t"),        FIXED("Name", "s"),
	FIXED("PciAddr", "s"),  FIXED("Vuid", "s"),      FIXED("FuncType", "s"),
	FIXED("Iface", "s"),    FIXED("Ibdev", "s"),     FIXED("Ipv4", "s"),
	FIXED("Ipv6", "s"),     FIXED("Mac", "s"),       FIXED("SfIndex", "t"),
	FIXED("VhcaId", "t"),   FACT("ActiveRate", "t"), FACT("Present", "b"),
	FIXED("Bound", "b"),    FIXED("Found", "b"),     FACT("PortState", "t"),
	FACT("Mtu", "t"),       FACT("Gids", "as"),      FACT("NOpen", "t"),
	FIXED("Caps", "a{sv}"), SD_BUS_VTABLE_END,
};

const struct bus_noun bus_device = {
	.name = "device",
	.folder = "devices",
	.is_device = true,
	.interface = "org.dococore.Device",
	.vtable = device_vtable,
	.next = device_next,
	.fill = device_fill,
};

static const void *representor_next(const struct daemon *daemon, const void *at)
{
	const struct representor *representor = at;
	size_t i = representor ? representor->id : 0;

	return i < daemon->registry->n_reps ? &daemon->registry->reps[i] : NULL;
}

static void representor_fill(struct record *rec, const void *object)
{
	const struct representor *rep = object;
	const struct rep_spec *spec = rep->spec;

	record_begin(rec);
	record_number(rec, "id", rep->id);
	record_text(rec, "name", spec->name);
	record_text(rec, "parent", rep->parent->spec->name);
	record_text(rec, "pci_addr", spec->pci_addr);
	record_text(rec, "vuid", spec->vuid);
	record_text(rec, "func_type", func_type_name(spec->func_type));
	record_text(rec, "iface", spec->iface);
	record_number(rec, "vhca_id", spec->vhca_id);
	record_bool(rec, "present", rep->present);
	record_bool(rec, "hotplug", spec->is_hotplug);
	record_bool(rec, "emulated", spec->is_emulated);
	record_number(rec, "n_open", rep->n_handles);
	record_end(rec);
}

static const sd_bus_vtable representor_vtable[] = {
	SD_BUS_VTABLE_START(0), FIXED("Id", "t"),      FIXED("Name", "s"),
	FIXED("Parent", "s"),   FIXED("PciAddr", "s"), FIXED("Vuid", "s"),
	FIXED("FuncType", "s"), FIXED("Iface", "s"),   FIXED("VhcaId", "t"),
	FACT("Present", "b"),   FIXED("Hotplug", "b"), FIXED("Emulated", "b"),
	FACT("NOpen", "t"),     SD_BUS_VTABLE_END,
};

const struct bus_noun bus_representor = {
	.name = "representor",
	.folder = "representors",
	.interface = "org.dococore.Representor",
	.vtable = representor_vtable,
	.next = representor_next,
	.fill = representor_fill,
};
