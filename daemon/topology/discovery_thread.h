/*
 * Scans the machine (discover.h) without blocking the event loop: sysfs and netlink wait for
 * drivers and for kernel locks. Each scan runs in a thread of its own; one scan runs at a time. Its
 * result is delivered in the event loop. Owner: hotplug.c.
 */
#ifndef DAEMON_TOPOLOGY_DISCOVERY_THREAD_H
#define DAEMON_TOPOLOGY_DISCOVERY_THREAD_H

#include "daemon/base/loop.h"
#include "daemon/topology/discover.h"

struct discovery_thread;

/*
 * Creates the object. The loop calls fn after each scan: error is 0 and the callee owns the
 * discovery; or error is -errno and changes are still to be seen. machine must live as long as the
 * process. Returns NULL and sets errno on failure.
 */
struct discovery_thread *discovery_thread_new(
	struct loop *loop, const struct sysfs *sysfs, const struct machine *machine,
	void (*fn)(void *user, int error, struct discovery *discovery), void *user);
/* Starts a scan. While a scan is running, another one follows it. Returns 0 or -errno. */
int discovery_thread_scan(struct discovery_thread *thread);
/*
 * Does not wait for the thread: if it is stuck in the kernel, it ends with the process. Accepts
 * NULL. Returns NULL.
 */
struct discovery_thread *discovery_thread_free(struct discovery_thread *thread);

#endif
