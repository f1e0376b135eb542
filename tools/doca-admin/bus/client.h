/*
 * Connection to the private D-Bus socket of a daemon, peer to peer without a bus daemon. Calls
 * block, with a deadline; replies are json-c values. Owned by one command, single-threaded.
 */
#ifndef TOOLS_DOCA_ADMIN_BUS_CLIENT_H
#define TOOLS_DOCA_ADMIN_BUS_CLIENT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#include "util/util.h"

struct bus_client;

/* The daemon to connect to. Every member may be NULL. */
struct bus_target {
	const char *socket; /* an exact path */
	const char *side;   /* "host" or "dpu" */
	const char *dir;    /* runtime directory of the daemon */
};

/* Selects the objects of a list. */
struct bus_filter {
	bool has_pid, has_uid;
	uint64_t pid, uid;
	const char *name;   /* NULL: any; '*' and '?' are wildcards */
	const char *device; /* NULL: any */
};

/* A list of objects. */
struct bus_query {
	const char *kind;                /* for example "export" */
	const struct bus_filter *filter; /* NULL: all objects */
	const char *const *fields;
	size_t n_fields;  /* 0: all fields */
	const char *sort; /* a field, after '-' for descending order; NULL: as listed */
	uint64_t limit;   /* of unsorted rows; sorted rows: see bus_client_list(); 0: none */
};

/*
 * Connects to a daemon. Tries target->socket, else target->dir, else DOCOCORED_BUS, else the
 * runtime directories. In directories it looks for target->side, else DOCA_SIDE, else the only
 * daemon that answers. Returns 0 or -errno: -EACCES if the sockets deny access, -ECONNRESET without
 * a daemon, -ENOTUNIQ if there are several. On failure *error_out is a text of several lines that
 * names what was tried and what to do; the caller frees it.
 */
int bus_client_open(const struct bus_target *target, struct bus_client **client_out,
		    char **error_out);
/* Accepts NULL. Returns NULL. */
struct bus_client *bus_client_close(struct bus_client *client);
#define CLEANUP_BUS_CLIENT CLEANUP(bus_client_closep)
static inline void bus_client_closep(struct bus_client **client)
{
	*client = bus_client_close(*client);
}

const char *bus_client_path(const struct bus_client *client);
/* Returns the reason why the last call failed, for people. */
const char *bus_client_error(const struct bus_client *client);
/*
 * Reads the values of a row, which have these names, from the message; the row was entered and will
 * be left by the caller. Returns 0 or -errno.
 */
typedef int (*bus_row_fn)(void *user, const char *const *names, size_t n_names, sd_bus_message *m);
/*
 * Lists objects page by page, and calls fn for each row. The pages may show the daemon's state at
 * different moments. If the rows are sorted, the daemon sorts each page separately and the limit
 * applies to each page, so the caller merges the pages. Calls return 0 or -errno: -ENOENT if no
 * object has that id, -EACCES if the daemon denies access, -ECONNRESET if the daemon is gone.
 */
int bus_client_list(struct bus_client *client, const struct bus_query *query, bus_row_fn fn,
		    void *user);
/* Returns an array of records with all fields. filter may be NULL. */
int bus_client_records(struct bus_client *client, const char *kind, const struct bus_filter *filter,
		       json_object **rows_out);
int bus_client_count(struct bus_client *client, const char *kind, const struct bus_filter *filter,
		     uint64_t *n_out);
int bus_client_get(struct bus_client *client, const char *kind, uint64_t id,
		   json_object **record_out);
/* Calls a method without arguments of the object /org/dococore/FOLDER/ID. */
int bus_client_act(struct bus_client *client, const char *folder, uint64_t id,
		   const char *interface, const char *method);
/* Calls a method of the manager that returns nothing. argument may be NULL. */
int bus_client_manage(struct bus_client *client, const char *method, const char *argument);
int bus_client_decode(struct bus_client *client, const void *data, size_t len,
		      json_object **record_out);
/* Reads all properties of the manager object, with the keys that records have. */
int bus_client_properties(struct bus_client *client, json_object **record_out);
/*
 * what: "added", "changed", "removed" or "lost"; for "lost", id is the number of lost events. facts
 * stays the caller's.
 */
typedef void (*bus_signal_fn)(void *user, const char *what, const char *kind, uint64_t id,
			      json_object *facts);
/* Subscribes to the daemon's events: bus_client_step() calls fn for each. */
int bus_client_subscribe(struct bus_client *client, bus_signal_fn fn, void *user);
/* Handles received messages, or waits for one. Returns 0 or -ECONNRESET. */
int bus_client_step(struct bus_client *client);
/* True if the name matches the pattern of a filter. */
bool bus_name_matches(const char *pattern, const char *text);
/* Waits until the daemon has a connected peer. Returns 0, -ETIMEDOUT or another -errno. */
int bus_client_wait_peer(struct bus_client *client, uint64_t deadline_ns);

#endif
