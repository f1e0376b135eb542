/*
 * Interfaces for introspection; see daemon/dbus/vtables.h. The properties are the facts of
 * daemon/dbus/properties.c.
 */
#include "daemon/dbus/vtables.h"

#include <errno.h>
#include <string.h>

#include "daemon/dbus/tree.h"

/* Requests are answered before sd-bus consults its tables, so this is never called. */
static int method_elsewhere(sd_bus_message *m, void *user, sd_bus_error *error)
{
	(void)m;
	(void)user;
	(void)error;
	return -ENOSYS;
}

static int property_elsewhere(sd_bus *connection, const char *path, const char *interface,
			      const char *property, sd_bus_message *reply, void *user,
			      sd_bus_error *error)
{
	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)reply;
	(void)user;
	(void)error;
	return -ENOSYS;
}

#define FACT(name, type) SD_BUS_PROPERTY(name, type, property_elsewhere, 0, 0)
#define FIXED(name, type) \
	SD_BUS_PROPERTY(name, type, property_elsewhere, 0, SD_BUS_VTABLE_PROPERTY_CONST)
#define ACTION(name) SD_BUS_METHOD(name, "", "", method_elsewhere, SD_BUS_VTABLE_UNPRIVILEGED)
#define LIST(name)                                                                           \
	SD_BUS_METHOD_WITH_NAMES(name, "a{sv}tt",                                            \
				 SD_BUS_PARAM(filter) SD_BUS_PARAM(after) SD_BUS_PARAM(max), \
				 "aa{sv}t", SD_BUS_PARAM(records) SD_BUS_PARAM(next),        \
				 method_elsewhere, SD_BUS_VTABLE_UNPRIVILEGED)
#define GET(name)                                                                            \
	SD_BUS_METHOD_WITH_NAMES(name, "t", SD_BUS_PARAM(id), "a{sv}", SD_BUS_PARAM(record), \
				 method_elsewhere, SD_BUS_VTABLE_UNPRIVILEGED)

static const sd_bus_vtable manager[] = {
	SD_BUS_VTABLE_START(0),
	FIXED("Side", "s"),
	FIXED("Version", "s"),
	FIXED("DaemonId", "s"),
	FIXED("Pid", "t"),
	FIXED("Uid", "t"),
	FIXED("StartedAtNs", "t"),
	FIXED("Socket", "s"),
	FIXED("ConfigFile", "s"),
	FIXED("Profile", "s"),
	FACT("LogLevel", "s"),
	SD_BUS_PROPERTY("Status", "s", bus_tree_manager_property, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	FACT("Counts", "a{sv}"),
	FACT("Total", "a{sv}"),
	FACT("Policy", "aa{sv}"),
	SD_BUS_PROPERTY("Peers", "aa{sv}", bus_tree_manager_property, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	LIST("ListDevices"),
	GET("GetDevice"),
	LIST("ListRepresentors"),
	GET("GetRepresentor"),
	LIST("ListClients"),
	GET("GetClient"),
	LIST("ListExports"),
	GET("GetExport"),
	LIST("ListEvents"),
	GET("GetEvent"),
	LIST("ListImports"),
	GET("GetImport"),
	LIST("ListServices"),
	GET("GetService"),
	LIST("ListChannels"),
	GET("GetChannel"),
	LIST("ListPeers"),
	GET("GetPeer"),
	LIST("ListAccounts"),
	GET("GetAccount"),
	LIST("ListCounters"),
	GET("GetCounters"),
	SD_BUS_METHOD_WITH_NAMES("Decode", "ay", SD_BUS_PARAM(descriptor), "a{sv}",
				 SD_BUS_PARAM(record), method_elsewhere,
				 SD_BUS_VTABLE_UNPRIVILEGED),
	ACTION("Subscribe"),
	ACTION("Unsubscribe"),
	ACTION("Reload"),
	SD_BUS_METHOD_WITH_NAMES("SetLogLevel", "s", SD_BUS_PARAM(level), "", , method_elsewhere,
				 SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL_WITH_NAMES("Added", "sta{sv}",
				 SD_BUS_PARAM(kind) SD_BUS_PARAM(id) SD_BUS_PARAM(record), 0),
	SD_BUS_SIGNAL_WITH_NAMES("Changed", "sta{sv}",
				 SD_BUS_PARAM(kind) SD_BUS_PARAM(id) SD_BUS_PARAM(record), 0),
	SD_BUS_SIGNAL_WITH_NAMES("Removed", "sta{sv}",
				 SD_BUS_PARAM(kind) SD_BUS_PARAM(id) SD_BUS_PARAM(facts), 0),
	SD_BUS_SIGNAL_WITH_NAMES("Lost", "t", SD_BUS_PARAM(n), 0),
	SD_BUS_VTABLE_END,
};

static const sd_bus_vtable device[] = {
	SD_BUS_VTABLE_START(0), FIXED("Id", "t"),        FIXED("Name", "s"),
	FIXED("PciAddr", "s"),  FIXED("Vuid", "s"),      FIXED("FuncType", "s"),
	FIXED("Iface", "s"),    FIXED("Ibdev", "s"),     FIXED("Ipv4", "s"),
	FIXED("Ipv6", "s"),     FIXED("Mac", "s"),       FIXED("SfIndex", "t"),
	FIXED("VhcaId", "t"),   FACT("ActiveRate", "t"), FACT("Present", "b"),
	FIXED("Bound", "b"),    FIXED("Found", "b"),     FACT("PortState", "t"),
	FACT("Mtu", "t"),       FACT("Gids", "as"),      FACT("NOpen", "t"),
	FIXED("Caps", "a{sv}"), SD_BUS_VTABLE_END,
};

static const sd_bus_vtable representor[] = {
	SD_BUS_VTABLE_START(0), FIXED("Id", "t"),      FIXED("Name", "s"),
	FIXED("Parent", "s"),   FIXED("PciAddr", "s"), FIXED("Vuid", "s"),
	FIXED("FuncType", "s"), FIXED("Iface", "s"),   FIXED("VhcaId", "t"),
	FACT("Present", "b"),   FIXED("Hotplug", "b"), FIXED("Emulated", "b"),
	FACT("NOpen", "t"),     SD_BUS_VTABLE_END,
};

static const sd_bus_vtable client[] = {
	SD_BUS_VTABLE_START(0),     FIXED("Id", "t"),          FIXED("Pid", "t"),
	FIXED("Uid", "t"),          FIXED("Gid", "t"),         FIXED("Program", "s"),
	FIXED("Library", "s"),      FIXED("CreatedAtNs", "t"), FACT("NRequests", "t"),
	FACT("Blocked", "b"),       FACT("NHandles", "t"),     FACT("NExports", "t"),
	FACT("NImports", "t"),      FACT("NServices", "t"),    FACT("NChannels", "t"),
	FACT("Open", "as"),         FACT("Counted", "b"),      FACT("NSubmitted", "t"),
	FACT("NCompleted", "t"),    FACT("NErrors", "t"),      FACT("NWaits", "t"),
	FACT("Depth", "t"),         FACT("MovedBytes", "t"),   FACT("NReceived", "t"),
	FACT("ReceivedBytes", "t"), FACT("NBusy", "t"),        FACT("NEmpty", "t"),
	FACT("NSleeps", "t"),       FACT("NWakes", "t"),       ACTION("Drop"),
	SD_BUS_VTABLE_END,
};

/* A macro, because a sync event is an export with more facts. */
#define EXPORT_FACTS                                                                         \
	FIXED("Id", "t"), FIXED("Client", "t"), FIXED("Pid", "t"), FIXED("Uid", "t"),        \
		FIXED("Program", "s"), FIXED("Device", "s"), FIXED("Addr", "t"),             \
		FIXED("Len", "t"), FIXED("Permissions", "as"), FIXED("Kind", "s"),           \
		FIXED("Memory", "s"), FIXED("MemoryReason", "s"), FIXED("CreatedAtNs", "t"), \
		FACT("Importers", "aa{sv}")

static const sd_bus_vtable export[] = {
	SD_BUS_VTABLE_START(0),
	EXPORT_FACTS,
	ACTION("Revoke"),
	SD_BUS_VTABLE_END,
};

static const sd_bus_vtable event[] = {
	SD_BUS_VTABLE_START(0), EXPORT_FACTS,     FACT("Value", "t"),
	FACT("Awaited", "b"),   ACTION("Revoke"), SD_BUS_VTABLE_END,
};

static const sd_bus_vtable import[] = {
	SD_BUS_VTABLE_START(0),      FIXED("Id", "t"),          FIXED("Client", "t"),
	FIXED("Pid", "t"),           FIXED("Uid", "t"),         FIXED("Program", "s"),
	FIXED("Device", "s"),        FACT("State", "s"),        FIXED("ExporterSide", "s"),
	FIXED("ExportId", "t"),      FACT("ExporterPid", "t"),  FACT("ExporterUid", "t"),
	FACT("ExporterDevice", "s"), FACT("Addr", "t"),         FACT("Len", "t"),
	FACT("Permissions", "as"),   FIXED("Kind", "s"),        FACT("Memory", "s"),
	FACT("SameProcess", "b"),    FIXED("CreatedAtNs", "t"), FACT("Transport", "s"),
	FACT("Rejected", "as"),      SD_BUS_VTABLE_END,
};

static const sd_bus_vtable service[] = {
	SD_BUS_VTABLE_START(0),    FIXED("Id", "t"),         FIXED("Name", "s"),
	FIXED("Client", "t"),      FIXED("Pid", "t"),        FIXED("Uid", "t"),
	FIXED("Program", "s"),     FIXED("Device", "s"),     FIXED("Representor", "s"),
	FACT("NChannels", "t"),    FIXED("MaxMsgSize", "t"), FIXED("RecvQueueSize", "t"),
	FIXED("CreatedAtNs", "t"), SD_BUS_VTABLE_END,
};

static const sd_bus_vtable channel[] = {
	SD_BUS_VTABLE_START(0),      FIXED("Id", "t"),
	FIXED("Role", "s"),          FIXED("Service", "s"),
	FACT("State", "s"),          FIXED("Client", "t"),
	FIXED("Pid", "t"),           FIXED("Uid", "t"),
	FIXED("Program", "s"),       FIXED("Device", "s"),
	FIXED("Representor", "s"),   FACT("PeerPid", "t"),
	FACT("PeerUid", "t"),        FACT("PeerLinked", "b"),
	FACT("PeerChannelId", "t"),  FACT("MaxMsgSize", "t"),
	FIXED("RecvQueueSize", "t"), FACT("PeerRecvQueueSize", "t"),
	FACT("RingLen", "t"),        FACT("NConsumers", "t"),
	FACT("NPeerConsumers", "t"), FACT("Consumers", "aa{sv}"),
	FIXED("CreatedAtNs", "t"),   FACT("Counted", "b"),
	FACT("NSent", "t"),          FACT("SentBytes", "t"),
	FACT("NReceived", "t"),      FACT("ReceivedBytes", "t"),
	FACT("NWaits", "t"),         FACT("Transport", "s"),
	ACTION("Disconnect"),        SD_BUS_VTABLE_END,
};

static const sd_bus_vtable peer[] = {
	SD_BUS_VTABLE_START(0), FIXED("Id", "t"),        FACT("Name", "s"),
	FIXED("Path", "s"),     FIXED("Kind", "s"),      FIXED("Address", "s"),
	FACT("Subject", "s"),   FACT("State", "s"),      FACT("Reason", "s"),
	FACT("Connected", "b"), FACT("SameKernel", "b"), FACT("RttNs", "t"),
	FACT("Side", "s"),      FACT("Pid", "t"),        FACT("Uid", "t"),
	FACT("DaemonId", "s"),  FACT("Version", "s"),    FACT("LinkedAtNs", "t"),
	FACT("NLinks", "t"),    FACT("NFunctions", "t"), SD_BUS_VTABLE_END,
};

static const sd_bus_vtable account[] = {
	SD_BUS_VTABLE_START(0), FIXED("Uid", "t"),       FACT("Section", "s"),
	FACT("Used", "a{sv}"),  FACT("Limits", "a{sv}"), SD_BUS_VTABLE_END,
};

/* A place can be reused, so none of its properties is constant. */
static const sd_bus_vtable counters[] = {
	SD_BUS_VTABLE_START(0),     FIXED("Id", "t"),          FIXED("Client", "t"),
	FIXED("Pid", "t"),          FIXED("Uid", "t"),         FIXED("Program", "s"),
	FACT("Kind", "s"),          FACT("Serial", "t"),       FACT("Device", "s"),
	FACT("State", "s"),         FACT("Pe", "t"),           FACT("Object", "t"),
	FACT("Number", "t"),        FACT("NSubmitted", "t"),   FACT("NCompleted", "t"),
	FACT("NErrors", "t"),       FACT("NWaits", "t"),       FACT("Depth", "t"),
	FACT("MaxDepth", "t"),      FACT("MovedBytes", "t"),   FACT("NReceived", "t"),
	FACT("ReceivedBytes", "t"), FACT("NBusy", "t"),        FACT("NEmpty", "t"),
	FACT("NSleeps", "t"),       FACT("NWakes", "t"),       FACT("Latency", "aa{sv}"),
	FACT("NTimed", "t"),        FACT("LatencyP50Ns", "t"), FACT("LatencyP99Ns", "t"),
	SD_BUS_VTABLE_END,
};

static const sd_bus_vtable *const vtables[OBJECT_N_KINDS] = {
	[OBJECT_DEVICE] = device,     [OBJECT_REPRESENTOR] = representor,
	[OBJECT_CLIENT] = client,     [OBJECT_EXPORT] = export,
	[OBJECT_EVENT] = event,       [OBJECT_IMPORT] = import,
	[OBJECT_SERVICE] = service,   [OBJECT_CHANNEL] = channel,
	[OBJECT_PEER] = peer,         [OBJECT_ACCOUNT] = account,
	[OBJECT_COUNTERS] = counters,
};

const sd_bus_vtable *bus_vtable_of(bool is_manager, enum object_kind kind)
{
	return is_manager ? manager : vtables[kind];
}

const char *bus_vtable_signature(const sd_bus_vtable *vtable, const char *property)
{
	for (; vtable->type != _SD_BUS_VTABLE_END; vtable++)
		if ((vtable->type == _SD_BUS_VTABLE_PROPERTY ||
		     vtable->type == _SD_BUS_VTABLE_WRITABLE_PROPERTY) &&
		    strcmp(vtable->x.property.member, property) == 0)
			return vtable->x.property.signature;
	return NULL;
}
