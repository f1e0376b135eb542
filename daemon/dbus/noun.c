/* The part that all nouns of the operators' interface share; see daemon/dbus/noun.h. */
#include "daemon/dbus/noun.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "daemon/session/session.h"

void bus_noun_facts(const struct bus_noun *noun, const void *object, const char *wanted,
		    struct bus_facts *facts_out)
{
	struct record rec = {.form = RECORD_FACTS, .facts = facts_out};

	*facts_out = (struct bus_facts){.name = "", .device = "", .wanted = wanted};
	noun->fill(&rec, object);
	if (noun->is_device)
		facts_out->device = facts_out->name;
	if (noun->is_user) {
		facts_out->id = facts_out->uid;
		facts_out->has_owner = true;
	}
}

int bus_noun_check_caller(const struct bus_target *target, sd_bus_error *error)
{
	if (target->tree->caller)
		return 0;
	return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED,
				"the daemon has not checked who sends this request: send it again");
}

int bus_noun_done(sd_bus_message *m)
{
	int r = sd_bus_reply_method_return(m, NULL);

	return r < 0 ? r : 1;
}

int bus_noun_missing(const struct bus_noun *noun, uint64_t id, sd_bus_error *error)
{
	return sd_bus_error_setf(error, "org.dococore.Error.NotFound",
				 "there is no %s %" PRIu64 ": it has ended, or never was",
				 noun->name, id);
}

const void *bus_noun_next(const struct bus_noun *noun, const struct daemon *daemon, const void *at)
{
	const struct list *head, *node;
	const void *object;

	if (!noun->list_of)
		return noun->next(daemon, at);
	head = noun->list_of(daemon);
	node = at ? (const struct list *)((const char *)at + noun->link) : head;
	while ((node = node->next) != head) {
		object = (const char *)node - noun->link;
		if (!noun->hides || !noun->hides(object))
			return object;
	}
	return NULL;
}

uint64_t bus_noun_order(const struct bus_noun *noun, const void *object)
{
	struct bus_facts facts;

	if (noun->order)
		return *(const uint64_t *)((const char *)object + noun->order);
	bus_noun_facts(noun, object, NULL, &facts);
	return facts.id;
}

const void *bus_noun_find(const struct bus_noun *noun, const struct daemon *daemon, uint64_t id)
{
	struct bus_facts facts;

	if (noun->find)
		return noun->find(daemon, id);
	if (noun->map_of) {
		const struct idmap_node *node = idmap_find(noun->map_of(daemon), id);
		const void *object = node ? (const char *)node - noun->node : NULL;

		return object && noun->hides && noun->hides(object) ? NULL : object;
	}
	for (const void *at = bus_noun_next(noun, daemon, NULL); at;
	     at = bus_noun_next(noun, daemon, at)) {
		bus_noun_facts(noun, at, NULL, &facts);
		if (facts.id == id)
			return at;
	}
	return NULL;
}

void bus_noun_key(const char *property, char *out, size_t out_len)
{
	size_t n = 0;

	for (const char *at = property; *at && n + 2 < out_len; at++) {
		if (n && isupper((unsigned char)*at))
			out[n++] = '_';
		out[n++] = (char)tolower((unsigned char)*at);
	}
	out[n] = '\0';
}

bool bus_noun_describe(const struct bus_noun *noun, unsigned n, const char **property_out,
		       const char **type_out)
{
	for (const sd_bus_vtable *at = noun->vtable; at->type != _SD_BUS_VTABLE_END; at++) {
		if (at->type != _SD_BUS_VTABLE_PROPERTY || n-- > 0)
			continue;
		*property_out = at->x.property.member;
		*type_out = at->x.property.signature;
		return true;
	}
	return false;
}

int bus_noun_field(const struct bus_noun *noun, const char *name, const char **type_out)
{
	const char *property;
	char key[64];

	for (unsigned n = 0; bus_noun_describe(noun, n, &property, type_out); n++) {
		bus_noun_key(property, key, sizeof(key));
		if (strcmp(property, name) == 0 || strcmp(key, name) == 0)
			return (int)n;
	}
	return -1;
}

int bus_noun_property(sd_bus *connection, const char *path, const char *interface,
		      const char *property, sd_bus_message *reply, void *user, sd_bus_error *error)
{
	const struct bus_target *target = user;
	struct record rec = {.form = RECORD_VALUES, .m = reply};
	const char *type;

	(void)connection;
	(void)path;
	(void)interface;
	(void)error;
	rec.wanted = UINT64_C(1) << bus_noun_field(target->noun, property, &type);
	target->noun->fill(&rec, target->object);
	return rec.r;
}

void bus_fill_owner(struct record *rec, const struct session *session)
{
	record_number(rec, "client", session->id);
	record_number(rec, "pid", (uint64_t)session->pid);
	record_number(rec, "uid", session->uid);
	record_text(rec, "program", session->program);
}
