/*
 * What the machine has, in the registry: functions of the topology file that name an IB device of
 * the machine are bound to it, and with `discover = yes` all others it has come on top, and the
 * representors that devlink knows. Looks once at the start, again when the kernel says that
 * something changed, or every now and then while it does not say so, and at each reload. What is
 * gone keeps its id and its record, is not listed, and is not opened; whoever has it open is told
 * by a word of the liveness page. When it is back it can be opened anew.
 */
#ifndef DAEMON_DEVICE_HOTPLUG_H
#define DAEMON_DEVICE_HOTPLUG_H

struct daemon;
struct hotplug;

/* Looks for the first time; the registry is there, the loop is not. NULL: no memory, logged. */
struct hotplug *hotplug_new(struct daemon *daemon);
/* Watches from here on, if there is anything to watch. */
void hotplug_start(struct hotplug *hotplug);
/* Looks now. */
void hotplug_look(struct hotplug *hotplug);
/* NULL is fine. Returns NULL. */
struct hotplug *hotplug_free(struct hotplug *hotplug);

#endif
