/*
 * The use of a daemon's devices and representors, computed from its lists, as a tree of JSON
 * objects. Single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_BUS_TOPOLOGY_H
#define TOOLS_DOCA_ADMIN_BUS_TOPOLOGY_H

#include "tools/doca-admin/bus/client.h"

/*
 * Returns 0, or -errno of a failed call. The caller releases the object. doca-admin(1), topology,
 * describes its form.
 */
int topology_collect(struct bus_client *client, json_object **topology_out);

#endif
