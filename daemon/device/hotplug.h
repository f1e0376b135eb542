/*
 * Adds the machine's devices to the registry. Functions of the topology file that name an IB device
 * of the machine are bound to it. With `discover = yes`, all other IB devices, and the representors
 * that devlink knows, are added. Scans once at the start, at each reload, and when the kernel
 * notifies of a change, or periodically while it cannot. A removed device keeps its id and record,
 * but is not listed and cannot be opened. Its open handles are marked dead by a word of the
 * liveness page. When it returns it can be opened again.
 */
#ifndef DAEMON_DEVICE_HOTPLUG_H
#define DAEMON_DEVICE_HOTPLUG_H

struct daemon;
struct hotplug;

/*
 * Scans for the first time, before the event loop exists. The registry must exist. Returns NULL if
 * memory is short, logged.
 */
struct hotplug *hotplug_new(struct daemon *daemon);
/* Starts watching, if there is anything to watch. */
void hotplug_start(struct hotplug *hotplug);
/* Scans now. */
void hotplug_scan(struct hotplug *hotplug);
/* Accepts NULL. Returns NULL. */
struct hotplug *hotplug_free(struct hotplug *hotplug);

#endif
