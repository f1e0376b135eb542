/*
 * Connection to the private D-Bus socket of a daemon, peer to peer, no bus daemon in between. Calls
 * block with a deadline; answers arrive as json-c values. Owned by one command, single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_BUS_CLIENT_H
#define TOOLS_DOCA_ADMIN_BUS_CLIENT_H

#include <json-c/json.h>
#include <stdbool.h>
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

/* Objects that a list shows. */
struct bus_filter {
	bool has_pid, has_uid;
	uint64_t pid, uid;
	const char *name;   /* NULL: any; may have '*' and '?' */
	const char *device; /* NULL: any */
};

/*
 * Looks at target->socket, else target->dir, else DOCOCORED_BUS, else the runtime directories,
 * there for target->side, else DOCA_SIDE, else the one daemon that answers. 0 or -errno (-EACCES:
 * the sockets are closed to us, -ECONNRESET: no daemon, -ENOTUNIQ: several); then *error_out is a
 * text of several lines that names what was tried and what to do, which the caller frees.
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
/*
 * All objects of a sort that the filter lets through, page by page: the state of several moments.
 * filter may be NULL. Calls return 0 or -errno; -ENOENT: there is none of that id, -EACCES: the
 * daemon does not allow it, -ECONNRESET: it is away.
 */
int bus_client_list(struct bus_client *client, const char *method, const struct bus_filter *filter,
		    json_object **rows_out);
int bus_client_get(struct bus_client *client, const char *method, uint64_t id,
		   json_object **record_out);
/* Method without arguments of the object /org/dococore/FOLDER/ID. */
int bus_client_act(struct bus_client *client, const char *folder, uint64_t id,
		   const char *interface, const char *method);
/* Method of the manager that answers nothing; argument may be NULL. */
int bus_client_manage(struct bus_client *client, const char *method, const char *argument);
int bus_client_decode(struct bus_client *client, const void *data, size_t len,
		      json_object **record_out);
/* All properties of the manager object, under keys like those of records. */
int bus_client_properties(struct bus_client *client, json_object **record_out);
/* what: "added", "changed", "removed", or "lost", whose id is how many. facts is the caller's. */
typedef void (*bus_signal_fn)(void *user, const char *what, const char *kind, uint64_t id,
			      json_object *facts);
/* From here on fn is called for what happens at the daemon, out of bus_client_step(). */
int bus_client_subscribe(struct bus_client *client, bus_signal_fn fn, void *user);
/* Handles what has come, or waits until something does. 0 or -ECONNRESET. */
int bus_client_step(struct bus_client *client);
/* A name against the pattern of a filter. */
bool bus_name_matches(const char *pattern, const char *text);
/* Waits until the daemon has a peer that is connected. 0, -ETIMEDOUT or -errno. */
int bus_client_wait_peer(struct bus_client *client, uint64_t deadline_ns);

#endif
