/*
 * Lists of objects, page by page, for operators: methods of the manager. There may be 100,000
 * exports, so the work for one reply is bounded.
 */
#ifndef DAEMON_DBUS_LIST_H
#define DAEMON_DBUS_LIST_H

#include "daemon/dbus/noun.h"

/* Objects that are examined for one reply. */
#define BUS_SCAN_MAX 2048u

/* ListExports and its like: a page of records. */
int bus_list_records(sd_bus_message *m, void *user, sd_bus_error *error);
/* List: a page of a table, with the chosen fields only. */
int bus_list_rows(sd_bus_message *m, void *user, sd_bus_error *error);
/* GetExport and its like. */
int bus_list_get(sd_bus_message *m, void *user, sd_bus_error *error);

#endif
