/*
 * The table of the nouns; see daemon/dbus/noun.h. Each noun, with its properties, is in the file
 * that is named after its objects: devices.c, clients.c, exports.c, imports.c, channels.c, peers.c;
 * accounts of users are in manager.c.
 */
#include "daemon/dbus/noun.h"

const struct bus_noun *const bus_nouns[OBJECT_N_KINDS] = {
	[OBJECT_DEVICE] = &bus_device,     [OBJECT_REPRESENTOR] = &bus_representor,
	[OBJECT_CLIENT] = &bus_client,     [OBJECT_EXPORT] = &bus_export,
	[OBJECT_EVENT] = &bus_event,       [OBJECT_IMPORT] = &bus_import,
	[OBJECT_SERVICE] = &bus_service,   [OBJECT_CHANNEL] = &bus_channel,
	[OBJECT_PEER] = &bus_peer,         [OBJECT_ACCOUNT] = &bus_account,
	[OBJECT_COUNTERS] = &bus_counters,
};
