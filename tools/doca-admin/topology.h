/*
 * What a daemon's devices and representors are used for, put together from its lists: a tree of
 * JSON objects. Single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_TOPOLOGY_H
#define TOOLS_DOCA_ADMIN_TOPOLOGY_H

#include "tools/doca-admin/bus_client.h"

/* 0 or -errno of a call; the caller puts the object. Its form: doca-admin(1), topology. */
int topology_collect(struct bus_client *client, json_object **topology_out);

#endif
