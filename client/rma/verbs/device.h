/*
 * An RDMA device of the machine that this process has open: one context and one protection domain.
 * All its domains and memory keys share them, because a key is valid in its protection domain only.
 * The object is reference-counted; the last user closes it. A device that was adopted with a
 * protection domain of the application remains the application's, and so do its context and that
 * context's events.
 *
 * While the device has domains, a thread of the library waits for its asynchronous events, so that
 * domains can read them from memory. The thread accesses the flag and the descriptor of a domain's
 * wakeup, and the alarms of its queue pairs, under the device's lock.
 *
 * The kernel does not announce the removal of a device whose driver cannot revoke it from its
 * users, such as soft-RoCE, and events of an application's context do not reach the library. The
 * daemon knows of both: its revocation events wake a domain as well. Threads: any.
 */
#ifndef CLIENT_RMA_VERBS_DEVICE_H
#define CLIENT_RMA_VERBS_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "client/control/revocation_watch.h"
#include "client/rma/provider.h"
#include "client/rma/verbs/api.h"
#include "util/list.h"

#define VERBS_PORT_NUM 1   /* the port of the device: a topology names devices, not their ports */
#define VERBS_GIDS_MAX 256 /* the GIDs that an address vector can name */

struct verbs_device {
	struct list node; /* in the process's list of devices */
	char name[64];
	uint32_t refs;
	pid_t pid; /* the process that opened it; a forked child has a copy that it must not use */
	const struct verbs_api *api;
	struct ibv_context *context;
	struct ibv_pd *pd;
	bool is_users; /* context and pd belong to the application */
	struct ibv_device_attr attr;
	struct ibv_port_attr port;

	pthread_mutex_t lock; /* protects the members below */
	struct list wakeups;  /* list of struct verbs_wakeup */
	struct list alarms;   /* list of struct verbs_alarm */
	pthread_t thread;
	int epoll_fd, stop_fd; /* -1: there is no thread */
	_Atomic bool is_removed;
};

/* Wakes a domain, from the device's thread or after a revocation event of the daemon. */
struct verbs_wakeup {
	struct list node;
	struct revocation_watch watch;
	const struct doca_dev *dev;
	_Atomic bool has_events; /* an event has occurred */
	int fd;                  /* an eventfd that is readable while the flag is set */
};

/*
 * The part of a queue pair that the thread accesses, through qp_context. Programs also make queue
 * pairs in the library's protection domain (doca_rdma_bridge_get_dev_pd), and their qp_context is
 * their own. A pointer is therefore used only if it is in the device's list.
 */
struct verbs_alarm {
	struct list node;
	_Atomic bool is_fatal;
	_Atomic bool
		/* The queue pair takes nothing more from its receive queue and writes nothing. */
		is_drained;
};

/* Installs the fork handler that resets the locks in a child. Called before a lock is first
 * used. */
void verbs_watch_forks(void);

/* Opens a device. On failure returns NULL and one clause with the cause and the remedy. */
struct verbs_device *verbs_device_open(const char *name, char reason[RDMA_REASON_MAX]);
/* Returns the RDMA device behind an open device: by name, or the one of the protection domain that
 * it was opened from. */
struct verbs_device *verbs_device_of(const struct doca_dev *dev, char reason[RDMA_REASON_MAX]);
struct verbs_device *verbs_device_ref(struct verbs_device *device);
void verbs_device_unref(struct verbs_device *device);

/* Returns the device's capabilities, which are kept from its first answer on. */
bool verbs_query(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		 char reason[RDMA_REASON_MAX]);
int verbs_get_gid(const struct doca_devinfo *info, uint32_t index, uint8_t gid_out[RDMA_GID_LEN]);

/* Adds a wake-up. Returns 0 or -errno. The first wake-up starts the thread; removing the last one
 * ends it. */
int verbs_wakeup_add(struct verbs_device *device, struct verbs_wakeup *wakeup);
void verbs_wakeup_remove(struct verbs_device *device, struct verbs_wakeup *wakeup);
/* Adds the wake-up to the revocation watch of wakeup->dev. Returns 0 or -errno. */
int verbs_wakeup_watch(struct verbs_wakeup *wakeup);
void verbs_wakeup_unwatch(struct verbs_wakeup *wakeup);
/* Adds the alarm before its queue pair is created. It is removed when the queue pair is
 * destroyed. */
void verbs_alarm_add(struct verbs_device *device, struct verbs_alarm *alarm);
void verbs_alarm_remove(struct verbs_device *device, struct verbs_alarm *alarm);
/* Signals all wake-ups when the descriptor becomes readable. */
int verbs_device_watch(struct verbs_device *device, int fd);
void verbs_device_unwatch(struct verbs_device *device, int fd);

static inline uint32_t verbs_n_gids(const struct verbs_device *device)
{
	return (uint32_t)MIN(MAX(device->port.gid_tbl_len, 0), VERBS_GIDS_MAX);
}

static inline uint32_t verbs_mtu_bytes(enum ibv_mtu mtu)
{
	return 128u << mtu;
}

#endif
