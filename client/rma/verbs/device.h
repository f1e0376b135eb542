/*
 * An RDMA device of the machine that this process has open: one context and one protection domain,
 * which all its ports and memory keys share, for a key is good in its domain only. Counted by those
 * who have it; closed by the last. One that was adopted with a protection domain of the
 * application's stays the application's, and so do its context and what that tells.
 *
 * While it has ports a thread of ours waits for what the kernel tells of it, so that ports learn of
 * it from memory. Of a port the thread touches `news` and its descriptor, and the alarms of its
 * queue pairs, under the device's lock.
 *
 * The kernel does not tell that a device goes which its driver cannot take from who has it open, as
 * soft-RoCE, nor are we told what the context of an application hears. Of both the daemon knows: a
 * port is woken by its news as well.
 * Threads: any.
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

#define VERBS_PORT_NUM 1   /* of the device; a topology names devices, not their ports */
#define VERBS_GIDS_MAX 256 /* entries of its table that an address vector can name */

struct verbs_device {
	struct list node; /* all of the process */
	char name[64];
	uint32_t refs;
	pid_t pid; /* that opened it: a forked child has a copy, and leaves it alone */
	const struct verbs_api *api;
	struct ibv_context *context;
	struct ibv_pd *pd;
	bool is_users; /* context and pd are the application's */
	struct ibv_device_attr attr;
	struct ibv_port_attr port;

	pthread_mutex_t lock; /* of what follows */
	struct list bells;    /* struct verbs_bell */
	struct list alarms;   /* struct verbs_alarm */
	pthread_t thread;
	int epoll_fd, stop_fd; /* -1: no thread */
	_Atomic bool is_gone;
};

/* How the thread reaches a port, and news of the daemon do. */
struct verbs_bell {
	struct list node;
	struct news_watch watch;
	const struct doca_dev *dev;
	_Atomic bool news; /* something was told: look at it */
	int fd;            /* eventfd, readable from then on */
};

/*
 * What the thread knows of a queue pair: its qp_context. Programs make queue pairs in our
 * protection domain as well (doca_rdma_bridge_get_dev_pd), and what theirs points to is theirs, so
 * one is only touched when it is among the device's.
 */
struct verbs_alarm {
	struct list node;
	_Atomic bool is_fatal;
	_Atomic bool
		is_drained; /* it takes nothing more of its receive queue, and writes nothing */
};

/* A child gets locks that nobody holds; before the first use of one. */
void verbs_watch_forks(void);

/* NULL: it cannot be opened, and one clause says why and what would help. */
struct verbs_device *verbs_device_open(const char *name, char reason[RDMA_REASON_MAX]);
/* That of an open device: by name, or the one whose protection domain it was opened from. */
struct verbs_device *verbs_device_of(const struct doca_dev *dev, char reason[RDMA_REASON_MAX]);
struct verbs_device *verbs_device_ref(struct verbs_device *device);
void verbs_device_unref(struct verbs_device *device);

/* What a device can do, kept from the first time that it answers. */
bool verbs_query(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		 char reason[RDMA_REASON_MAX]);
int verbs_get_gid(const struct doca_devinfo *info, uint32_t index, uint8_t gid_out[RDMA_GID_LEN]);

/* 0 or -errno. The first starts the thread; the last one that leaves ends it. */
int verbs_bell_add(struct verbs_device *device, struct verbs_bell *bell);
void verbs_bell_remove(struct verbs_device *device, struct verbs_bell *bell);
/* The same for news of bell->dev. */
int verbs_bell_watch(struct verbs_bell *bell);
void verbs_bell_unwatch(struct verbs_bell *bell);
/* Before its queue pair is made, and when that is destroyed. */
void verbs_alarm_add(struct verbs_device *device, struct verbs_alarm *alarm);
void verbs_alarm_remove(struct verbs_device *device, struct verbs_alarm *alarm);
/* All bells ring when the descriptor gets something to read. */
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
