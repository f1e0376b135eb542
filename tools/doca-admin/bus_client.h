/*
 * Connection to the private D-Bus socket of a daemon, peer to peer, no bus daemon in between. Calls
 * block with a deadline; answers arrive as json-c values. Owned by one command, single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_BUS_CLIENT_H
#define TOOLS_DOCA_ADMIN_BUS_CLIENT_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

struct bus_client;

/* Where to connect; every part may be NULL. */
struct bus_target {
	const char *socket; /* an exact path */
	const char *side;   /* "host" or "dpu" */
	const char *dir;    /* runtime directory of the daemon */
};

/*
 * Looks at target->socket, else target->dir, else DOCOCORED_BUS, else the runtime directories,
 * there for target->side, else DOCA_SIDE, else the one daemon that answers. 0 or -errno; then
 * *error_out is a text of several lines that names what was tried and what to do, which the caller
 * frees.
 */
int bus_client_open(const struct bus_target *target, struct bus_client **client_out,
		    char **error_out);
/* NULL is fine. Returns NULL. */
struct bus_client *bus_client_close(struct bus_client *client);
#define CLEANUP_BUS_CLIENT CLEANUP(bus_client_closep)
static inline void bus_client_closep(struct bus_client **client)
{
	*client = bus_client_close(*client);
}

const char *bus_client_path(const struct bus_client *client);
/* Why the last call failed, for people. */
const char *bus_client_error(const struct bus_client *client);
/* Method without arguments that answers aa{sv}: an array of objects. 0 or -errno. */
int bus_client_list(struct bus_client *client, const char *method, json_object **rows_out);
/* Method (t) -> a{sv}. 0 or -errno; -ENOENT: there is none of that id. */
int bus_client_get(struct bus_client *client, const char *method, uint64_t id,
		   json_object **record_out);
/* All properties of the manager object. 0 or -errno. */
int bus_client_properties(struct bus_client *client, json_object **record_out);
/* Waits until the daemon has a peer that is connected. 0, -ETIMEDOUT or -errno. */
int bus_client_wait_peer(struct bus_client *client, uint64_t deadline_ns);

#endif
