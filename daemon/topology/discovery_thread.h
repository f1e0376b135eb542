/*
 * Looks at the machine (discover.h) without holding up the loop: sysfs and netlink wait for drivers
 * and for locks of the kernel. A thread does it, which lives as long as one look takes; one look at
 * a time. What it has found is handed over in the loop. Owner: hotplug.c.
 */
#ifndef DAEMON_TOPOLOGY_DISCOVERY_THREAD_H
#define DAEMON_TOPOLOGY_DISCOVERY_THREAD_H

#include "daemon/base/loop.h"
#include "daemon/topology/discover.h"

struct looker;

/* fn is called in the loop after each look: error is 0, and the discovery the callee's; or -errno,
 * and what has changed is still to be seen. machine must live as long as the process. NULL and
 * errno on failure. */
struct looker *looker_new(struct loop *loop, const struct sysfs *sysfs,
			  const struct machine *machine,
			  void (*fn)(void *user, int error, struct discovery *discovery),
			  void *user);
/* Begins a look; while one goes on, another one follows it. 0 or -errno. */
int looker_look(struct looker *looker);
/* Waits for nobody: a thread that is stuck in the kernel ends with the process. NULL is fine.
 * Returns NULL. */
struct looker *looker_free(struct looker *looker);

#endif
