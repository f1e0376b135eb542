/* The table of the nouns; see daemon/dbus/noun.h. */
#include "daemon/dbus/noun.h"

const struct bus_noun *const bus_nouns[OBJECT_N_KINDS] = {
	[OBJECT_DEVICE] = &bus_device,     [OBJECT_REPRESENTOR] = &bus_representor,
	[OBJECT_CLIENT] = &bus_client,     [OBJECT_EXPORT] = &bus_export,
	[OBJECT_EVENT] = &bus_event,       [OBJECT_IMPORT] = &bus_import,
	[OBJECT_SERVICE] = &bus_service,   [OBJECT_CHANNEL] = &bus_channel,
	[OBJECT_PEER] = &bus_peer,         [OBJECT_ACCOUNT] = &bus_account,
	[OBJECT_COUNTERS] = &bus_counters,
};
