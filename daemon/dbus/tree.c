/* The tree of D-Bus objects; see daemon/dbus/tree.h. */
#include "daemon/dbus/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/dbus/list.h"
#include "util/log.h"

#define PATH_LEN 64

static void folder_path(const struct bus_noun *noun, char out[PATH_LEN])
{
	snprintf(out, PATH_LEN, BUS_PATH "/%s", noun->folder);
}

/* Accepts digits only: no sign, no leading zero. Returns 0 or -EINVAL. */
static int id_parse(const char *text, uint64_t *id_out)
{
	char *end;
	uint64_t id;

	if (*text < '0' || *text > '9' || (*text == '0' && text[1]))
		return -EINVAL;
	errno = 0;
	id = strtoull(text, &end, 10);
	if (errno || *end)
		return -EINVAL;
	*id_out = id;
	return 0;
}

/* Finds the object of a path for sd-bus. The folder itself is a path without an object. */
static int on_find(sd_bus *connection, const char *path, const char *interface, void *user,
		   void **found_out, sd_bus_error *error)
{
	struct bus_target *target = user;
	const char *name = path + strlen(BUS_PATH "/") + strlen(target->noun->folder);
	uint64_t id;
	int r;

	(void)connection;
	(void)interface;
	if (!*name)
		return 0;
	r = bus_noun_check_caller(target, error);
	if (r < 0)
		return r;
	if (id_parse(name + 1, &id) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_UNKNOWN_OBJECT,
					 "there is nothing at %s", path);
	target->object = bus_noun_find(target->noun, target->tree->daemon, id);
	if (!target->object)
		return bus_noun_missing(target->noun, id, error);
	*found_out = target;
	return 1;
}

static char **strings_free(char **strings, size_t n)
{
	while (n > 0)
		free(strings[--n]);
	free(strings);
	return NULL;
}

/*
 * Names the first objects of a folder for introspection. sd-bus also asks for the objects below a
 * parent of the folder; there only the folder is shown.
 */
static int on_enumerate(sd_bus *connection, const char *prefix, void *user, char ***nodes_out,
			sd_bus_error *error)
{
	const struct bus_target *target = user;
	const struct bus_noun *noun = target->noun;
	const struct daemon *daemon = target->tree->daemon;
	char folder[PATH_LEN], **nodes;
	struct bus_facts facts;
	size_t n = 0;

	(void)connection;
	(void)error;
	folder_path(noun, folder);
	if (strcmp(prefix, folder) != 0)
		return 0;
	nodes = calloc(BUS_SCAN_MAX + 1, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	for (const void *at = bus_noun_next(noun, daemon, NULL); at && n < BUS_SCAN_MAX;
	     at = bus_noun_next(noun, daemon, at)) {
		bus_noun_facts(noun, at, NULL, &facts);
		if (asprintf(&nodes[n], "%s/%" PRIu64, folder, facts.id) < 0) {
			strings_free(nodes, n);
			return -ENOMEM;
		}
		n++;
	}
	*nodes_out = nodes;
	return 0;
}

static int tree_add_noun(struct bus_target *target, sd_bus *connection)
{
	char folder[PATH_LEN];
	int r;

	folder_path(target->noun, folder);
	r = sd_bus_add_fallback_vtable(connection, NULL, folder, target->noun->interface,
				       target->noun->vtable, on_find, target);
	return r < 0 ? r
		     : sd_bus_add_node_enumerator(connection, NULL, folder, on_enumerate, target);
}

int bus_tree_add(struct bus_tree *tree, sd_bus *connection)
{
	int r;

	tree->manager = (struct bus_target){tree, &bus_manager, tree->daemon};
	r = sd_bus_add_object_vtable(connection, NULL, BUS_PATH, BUS_INTERFACE, bus_manager.vtable,
				     &tree->manager);
	for (int kind = 0; kind < OBJECT_N_KINDS && r >= 0; kind++) {
		tree->targets[kind] = (struct bus_target){tree, bus_nouns[kind], NULL};
		r = tree_add_noun(&tree->targets[kind], connection);
	}
	return r;
}

/* --- rights --- */

bool bus_tree_is_for(sd_bus_message *m)
{
	const char *path = sd_bus_message_get_path(m);
	const char *interface = sd_bus_message_get_interface(m);
	size_t len = strlen(BUS_PATH);

	if (!sd_bus_message_is_method_call(m, NULL, NULL) || !path ||
	    strncmp(path, BUS_PATH, len) != 0 || (path[len] && path[len] != '/'))
		return false;
	/* sd-bus itself answers the calls of this interface, for the whole process. */
	return !interface || strcmp(interface, "org.freedesktop.DBus.Peer") != 0;
}

/* True for the methods that change something, whatever the object. */
static bool is_change(const char *member)
{
	static const char *const names[] = {"Reload", "SetLogLevel", "Revoke", "Disconnect",
					    "Drop"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], member) == 0)
			return true;
	return false;
}

int bus_tree_check(struct bus_tree *tree, sd_bus_message *m, const struct bus_caller *caller,
		   sd_bus_error *error)
{
	const char *member = sd_bus_message_get_member(m);
	bool change = is_change(member) && bus_may_read(tree->daemon, caller);
	char text[400];

	tree->caller = caller;
	if (change ? bus_may_change(tree->daemon, caller) : bus_may_read(tree->daemon, caller))
		return 0;
	bus_auth_refusal(tree->daemon, caller, change, text, sizeof(text));
	log_warning("pid %d, %s.%s on %s: %s", (int)caller->pid,
		    sd_bus_message_get_interface(m) ?: "?", member, sd_bus_message_get_path(m),
		    text);
	return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, text);
}

void bus_tree_leave(struct bus_tree *tree)
{
	tree->caller = NULL;
}
