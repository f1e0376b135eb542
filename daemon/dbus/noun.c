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

int bus_noun_missing(const struct bus_noun *noun, uint64_t id, sd_bus_error *error)
{
	return sd_bus_error_setf(error, "org.dococore.Error.NotFound",
				 "there is no %s %" PRIu64 ": it has ended, or never was",
				 noun->name, id);
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
	for (const void *at = noun->next(daemon, NULL); at; at = noun->next(daemon, at)) {
		bus_noun_facts(noun, at, NULL, &facts);
		if (facts.id == id)
			return at;
	}
	return NULL;
}

/* Compares "CreatedAtNs" with "CreatedAtNs" or "created_at_ns". */
static bool is_called(const char *property, const char *name)
{
	const char *start = property;

	for (; *property; property++, name++) {
		if (*property == *name)
			continue;
		if (property > start && isupper((unsigned char)*property) && *name == '_')
			name++;
		if (tolower((unsigned char)*property) != *name)
			return false;
	}
	return !*name;
}

int bus_noun_field(const struct bus_noun *noun, const char *name, const char **type_out)
{
	int n = 0;

	for (const sd_bus_vtable *at = noun->vtable; at->type != _SD_BUS_VTABLE_END; at++) {
		if (at->type != _SD_BUS_VTABLE_PROPERTY)
			continue;
		if (is_called(at->x.property.member, name)) {
			*type_out = at->x.property.signature;
			return n;
		}
		n++;
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

const void *bus_next_in(const struct list *head, const void *at, size_t link)
{
	const struct list *node = at ? (const struct list *)((const char *)at + link) : head;

	return node->next == head ? NULL : (const char *)node->next - link;
}

const void *bus_find_in(const struct idmap *map, uint64_t id, size_t node)
{
	const struct idmap_node *found = idmap_find(map, id);

	return found ? (const char *)found - node : NULL;
}

void bus_fill_owner(struct record *rec, const struct session *session)
{
	record_number(rec, "client", session->id);
	record_number(rec, "pid", (uint64_t)session->pid);
	record_number(rec, "uid", session->uid);
	record_text(rec, "program", session->program);
}
