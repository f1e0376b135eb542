/*
 * The values of properties: one function per noun adds all facts about an object to a record. They
 * only read. Secrets are never among the facts. vtables.c declares the properties; see doc/dbus.md.
 */
#ifndef DAEMON_DBUS_PROPERTIES_H
#define DAEMON_DBUS_PROPERTIES_H

#include <stdint.h>

#include "daemon/dbus/record.h"

struct daemon;

void bus_fill_device(struct record *rec, const void *object);
void bus_fill_rep(struct record *rec, const void *object);
void bus_fill_client(struct record *rec, const void *object);
void bus_fill_export(struct record *rec, const void *object);
void bus_fill_import(struct record *rec, const void *object);
void bus_fill_service(struct record *rec, const void *object);
void bus_fill_channel(struct record *rec, const void *object);
void bus_fill_peer(struct record *rec, const void *object);
void bus_fill_counters(struct record *rec, const void *object);
void bus_fill_account(struct record *rec, const void *object);
void bus_fill_event(struct record *rec, const void *object);
/* Adds the bits of doca_access_flag as words, under the key "permissions". */
void bus_fill_permissions(struct record *rec, uint32_t permissions);
/* Add the keys "total" and "policy". */
void bus_fill_total(struct record *rec, const struct daemon *daemon);
void bus_fill_policy(struct record *rec, const struct daemon *daemon);

#endif
