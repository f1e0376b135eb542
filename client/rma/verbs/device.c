/* RDMA devices of this process; see client/rma/verbs/device.h. */
#include "client/rma/verbs/device.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "client/device/dev.h"
#include "client/rma/verbs/mem.h"
#include "util/fd.h"

/* The most requests of one queue that are offered even if a device supports more, because memory is
 * allocated for all of them. */
#define QUEUE_MAX   16384u
#define SGES_MAX    30u
#define QPS_MAX     1024u
#define MESSAGE_MAX (1u << 30)

/* Protects the list of devices and the results of queries. */
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list devices = LIST_INIT(devices);

/* Resets the state in a forked child. The threads are the parent's, and one of them may have held a
 * lock or been changing the list. The devices in it are the parent's too. */
static void devices_in_child(void)
{
	pthread_mutex_init(&devices_lock, NULL);
	list_init(&devices);
	verbs_mem_in_child();
}

static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, devices_in_child);
}

void verbs_watch_forks(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
}

/* --- asynchronous events --- */

/* Returns the alarm of a queue pair of the library, or NULL. The queue pair is not destroyed before
 * the event is acknowledged. */
static struct verbs_alarm *alarm_find_locked(struct verbs_device *device, const struct ibv_qp *qp)
{
	struct verbs_alarm *alarm;

	list_for_each(alarm, &device->alarms, node)
	{
		if (alarm == qp->qp_context)
			return alarm;
	}
	return NULL;
}

static void alarm_raise(struct verbs_device *device, const struct ibv_qp *qp, bool is_fatal)
{
	struct verbs_alarm *alarm;

	pthread_mutex_lock(&device->lock);
	alarm = alarm_find_locked(device, qp);
	if (alarm != NULL)
		atomic_store(is_fatal ? &alarm->is_fatal : &alarm->is_drained, true);
	pthread_mutex_unlock(&device->lock);
}

/* Returns false if there will never be anything more to read. */
static bool async_events_read(struct verbs_device *device)
{
	const struct verbs_api *api = device->api;
	struct ibv_async_event event;

	while (api->get_async_event(device->context, &event) == 0) {
		switch (event.event_type) {
		case IBV_EVENT_QP_FATAL:
		case IBV_EVENT_QP_REQ_ERR:
		case IBV_EVENT_QP_ACCESS_ERR:
			alarm_raise(device, event.element.qp, true);
			break;
		case IBV_EVENT_QP_LAST_WQE_REACHED:
			alarm_raise(device, event.element.qp, false);
			break;
		case IBV_EVENT_DEVICE_FATAL:
			atomic_store(&device->is_removed, true);
			break;
		default:
			break;
		}
		api->ack_async_event(&event);
	}
	if (errno == EAGAIN || errno == EINTR)
		return true;
	atomic_store(&device->is_removed, true);
	return false;
}

/* --- opening --- */

static void device_free(struct verbs_device *device)
{
	if (device->pd != NULL && !device->is_users)
		device->api->dealloc_pd(device->pd);
	if (device->context != NULL && !device->is_users)
		device->api->close_device(device->context);
	pthread_mutex_destroy(&device->lock);
	free(device);
}

static bool node_is_denied(const struct ibv_device *device)
{
	char path[128];
	int error = errno;
	bool is_denied;

	snprintf(path, sizeof(path), "/dev/infiniband/%.64s", device->dev_name);
	is_denied = access(path, R_OK | W_OK) < 0 && (errno == EACCES || errno == EPERM);
	errno = error;
	return is_denied;
}

static struct ibv_context *context_open(const struct verbs_api *api, const char *name,
					char reason[RDMA_REASON_MAX])
{
	struct ibv_context *context = NULL;
	struct ibv_device **list;
	int n = 0, i, error;

	list = api->get_device_list(&n);
	if (list == NULL) {
		snprintf(reason, RDMA_REASON_MAX, "RDMA devices cannot be listed (%s)",
			 strerror(errno));
		return NULL;
	}
	for (i = 0; i < n && strcmp(api->get_device_name(list[i]), name) != 0; i++)
		continue;
	if (i == n) {
		snprintf(reason, RDMA_REASON_MAX, "this machine has no RDMA device %s", name);
	} else {
		context = api->open_device(list[i]);
		if (context == NULL) {
			/* The library tries other providers in this case, and reports why they
			 * failed. */
			if (node_is_denied(list[i]))
				errno = EACCES;
			snprintf(reason, RDMA_REASON_MAX,
				 "RDMA device %s cannot be opened (%s); its node under "
				 "/dev/infiniband must be readable and writable",
				 name, strerror(errno));
		}
	}
	error = context == NULL && i < n ? errno : 0;
	api->free_device_list(list);
	errno = error;
	return context;
}

static bool device_init(struct verbs_device *device, char reason[RDMA_REASON_MAX])
{
	const struct verbs_api *api = device->api;
	int flags;

	if (!device->is_users) {
		device->context = context_open(api, device->name, reason);
		if (device->context == NULL)
			return false;
		device->pd = api->alloc_pd(device->context);
	}
	memset(&device->port, 0, sizeof(device->port));
	if (device->pd == NULL || api->query_device(device->context, &device->attr) != 0 ||
	    api->query_port(device->context, VERBS_PORT_NUM,
			    (struct _compat_ibv_port_attr *)&device->port) != 0) {
		snprintf(reason, RDMA_REASON_MAX, "RDMA device %s does not answer (%s)",
			 device->name, strerror(errno));
		return false;
	}
	if (device->is_users)
		return true;
	flags = fcntl(device->context->async_fd, F_GETFL);
	if (flags < 0 || fcntl(device->context->async_fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		snprintf(reason, RDMA_REASON_MAX, "RDMA device %s has no events (%s)", device->name,
			 strerror(errno));
		return false;
	}
	return true;
}

/* With a NULL users_pd, the device gets a protection domain of its own. */
static struct verbs_device *device_new(const char *name, struct ibv_pd *users_pd,
				       char reason[RDMA_REASON_MAX])
{
	struct verbs_device *device;
	const char *why = "";
	const struct verbs_api *api = verbs_api(&why);

	if (api == NULL) {
		snprintf(reason, RDMA_REASON_MAX, "%s", why);
		return NULL;
	}
	device = calloc(1, sizeof(*device));
	if (device == NULL) {
		snprintf(reason, RDMA_REASON_MAX, "out of memory");
		return NULL;
	}
	snprintf(device->name, sizeof(device->name), "%s", name);
	device->api = api;
	device->refs = 1;
	device->pid = getpid();
	if (users_pd != NULL) {
		device->is_users = true;
		device->pd = users_pd;
		device->context = users_pd->context;
	}
	device->epoll_fd = device->stop_fd = -1;
	pthread_mutex_init(&device->lock, NULL);
	list_init(&device->wakeups);
	list_init(&device->alarms);
	list_init(&device->node);
	if (!device_init(device, reason)) {
		int error = errno;

		device_free(device);
		errno = error;
		return NULL;
	}
	list_append(&devices, &device->node);
	return device;
}

static struct verbs_device *device_open_locked(const char *name, struct ibv_pd *users_pd,
					       char reason[RDMA_REASON_MAX])
{
	struct verbs_device *device;

	/* A removed device that has returned is a different device. So is one inherited from the
	 * parent process, which owns its thread, queues and events. */
	list_for_each(device, &devices, node)
	{
		bool is_it = users_pd != NULL
				     ? device->is_users && device->pd == users_pd
				     : !device->is_users && strcmp(device->name, name) == 0;

		if (!is_it || device->pid != getpid())
			continue;
		/* Nothing has read the events of a device that only memory keys use, so read them
		 * now. */
		if (device->epoll_fd < 0 && !device->is_users)
			(void)async_events_read(device);
		if (!atomic_load(&device->is_removed)) {
			device->refs++;
			return device;
		}
	}
	return device_new(name, users_pd, reason);
}

static void device_unref_locked(struct verbs_device *device)
{
	if (--device->refs > 0 || device->pid != getpid())
		return;
	list_remove(&device->node);
	device_free(device);
}

struct verbs_device *verbs_device_open(const char *name, char reason[RDMA_REASON_MAX])
{
	struct verbs_device *device;

	verbs_watch_forks();
	pthread_mutex_lock(&devices_lock);
	device = device_open_locked(name, NULL, reason);
	pthread_mutex_unlock(&devices_lock);
	return device;
}

struct verbs_device *verbs_device_of(const struct doca_dev *dev, char reason[RDMA_REASON_MAX])
{
	struct verbs_device *device;

	verbs_watch_forks();
	pthread_mutex_lock(&devices_lock);
	device = device_open_locked(dev->info->ibdev, dev->users_pd, reason);
	pthread_mutex_unlock(&devices_lock);
	return device;
}

struct verbs_device *verbs_device_ref(struct verbs_device *device)
{
	pthread_mutex_lock(&devices_lock);
	device->refs++;
	pthread_mutex_unlock(&devices_lock);
	return device;
}

void verbs_device_unref(struct verbs_device *device)
{
	pthread_mutex_lock(&devices_lock);
	device_unref_locked(device);
	pthread_mutex_unlock(&devices_lock);
}

/* --- capabilities --- */

/* The result of a query, kept until the process ends; there are few devices. */
struct query_result {
	struct query_result *next;
	char name[64];
	struct rdma_limits limits;
};

static struct query_result *query_results;

static bool device_limits(const struct verbs_device *device, struct rdma_limits *limits_out,
			  char reason[RDMA_REASON_MAX])
{
	const struct ibv_device_attr *attr = &device->attr;
	const char *why;
	uint32_t sges = MIN((uint32_t)attr->max_sge, SGES_MAX);

	if (attr->max_srq <= 0 || attr->max_srq_wr <= 0) {
		snprintf(reason, RDMA_REASON_MAX, "RDMA device %s has no shared receive queues",
			 device->name);
		return false;
	}
	*limits_out = (struct rdma_limits){
		.max_send_queue = MIN(MIN((uint32_t)attr->max_qp_wr, (uint32_t)attr->max_cqe),
				      QUEUE_MAX),
		.max_recv_queue = MIN(MIN((uint32_t)attr->max_srq_wr, (uint32_t)attr->max_cqe),
				      QUEUE_MAX),
		.max_send_sges = sges,
		.max_recv_sges = MIN(sges, (uint32_t)attr->max_srq_sge),
		.max_message = MIN(device->port.max_msg_sz, MESSAGE_MAX),
		.max_qps = MIN((uint32_t)attr->max_qp, QPS_MAX),
		.n_gids = verbs_n_gids(device),
		.max_mtu = verbs_mtu_bytes(device->port.max_mtu),
		.has_atomics = attr->atomic_cap != IBV_ATOMIC_NONE,
		.has_addresses = cm_api(&why) != NULL,
		.has_cm_ids = cm_api(&why) != NULL,
		.has_rc = true,
	};
	return true;
}

static void query_result_add(const char *name, const struct rdma_limits *limits)
{
	struct query_result *query_result = calloc(1, sizeof(*query_result));

	if (query_result == NULL)
		return;
	snprintf(query_result->name, sizeof(query_result->name), "%s", name);
	query_result->limits = *limits;
	query_result->next = query_results;
	query_results = query_result;
}

/* Queries the device. Failures are not kept: the device may appear later, or its node may become
 * accessible. */
static bool device_query_locked(const char *name, struct rdma_limits *limits_out,
				char reason[RDMA_REASON_MAX])
{
	struct verbs_device *device;
	bool serves;

	errno = 0;
	device = device_open_locked(name, NULL, reason);
	if (device == NULL) {
		limits_out->is_denied = errno == EACCES || errno == EPERM;
		return false;
	}
	serves = device_limits(device, limits_out, reason);
	device_unref_locked(device);
	if (serves)
		query_result_add(name, limits_out);
	return serves;
}

bool verbs_query(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		 char reason[RDMA_REASON_MAX])
{
	const struct query_result *query_result;
	bool serves = true;

	limits_out->is_denied = false;
	if (!info->caps.rdma) {
		snprintf(reason, RDMA_REASON_MAX,
			 "the topology denies it to the device, see its key rdma");
		return false;
	}
	if (info->ibdev[0] == '\0') {
		snprintf(reason, RDMA_REASON_MAX,
			 "%s is bound to no RDMA device (ibdev in the topology)", info->name);
		return false;
	}
	verbs_watch_forks();
	pthread_mutex_lock(&devices_lock);
	for (query_result = query_results; query_result != NULL;
	     query_result = query_result->next) {
		if (strcmp(query_result->name, info->ibdev) == 0)
			break;
	}
	if (query_result != NULL)
		*limits_out = query_result->limits;
	else
		serves = device_query_locked(info->ibdev, limits_out, reason);
	pthread_mutex_unlock(&devices_lock);
	return serves;
}

int verbs_get_gid(const struct doca_devinfo *info, uint32_t index, uint8_t gid_out[RDMA_GID_LEN])
{
	char reason[RDMA_REASON_MAX];
	struct verbs_device *device = verbs_device_open(info->ibdev, reason);
	union ibv_gid gid;
	int r;

	if (device == NULL)
		return -ENODEV;
	r = device->api->query_gid(device->context, VERBS_PORT_NUM, (int)index, &gid);
	verbs_device_unref(device);
	if (r != 0)
		return -EINVAL;
	memcpy(gid_out, gid.raw, RDMA_GID_LEN);
	return 0;
}

/* --- notification --- */

static void wakeup_signal(struct verbs_wakeup *wakeup)
{
	if (!atomic_exchange(&wakeup->has_events, true))
		(void)eventfd_write(wakeup->fd, 1);
}

static void wakeups_signal_locked(struct verbs_device *device)
{
	struct verbs_wakeup *wakeup;

	list_for_each(wakeup, &device->wakeups, node) wakeup_signal(wakeup);
}

static void *device_thread(void *arg)
{
	struct verbs_device *device = arg;
	struct epoll_event event;

	for (;;) {
		int n = epoll_wait(device->epoll_fd, &event, 1, -1);

		if (n < 0 && errno != EINTR)
			return NULL;
		if (n <= 0)
			continue;
		if (event.data.fd == device->stop_fd)
			return NULL;
		if (event.data.fd == device->context->async_fd && !async_events_read(device))
			epoll_ctl(device->epoll_fd, EPOLL_CTL_DEL, event.data.fd, NULL);
		pthread_mutex_lock(&device->lock);
		wakeups_signal_locked(device);
		pthread_mutex_unlock(&device->lock);
	}
}

static int epoll_add(int epoll_fd, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int thread_start(struct verbs_device *device)
{
	sigset_t all, before;
	int r;

	device->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	device->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (device->epoll_fd < 0 || device->stop_fd < 0)
		return -errno;
	r = epoll_add(device->epoll_fd, device->stop_fd, EPOLLIN);
	/* Events of the application's context are for the application. */
	if (r == 0 && !device->is_users)
		r = epoll_add(device->epoll_fd, device->context->async_fd, EPOLLIN);
	if (r < 0)
		return r;
	/* Blocks all signals on this thread: they are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&device->thread, NULL, device_thread, device);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

static int thread_ensure(struct verbs_device *device)
{
	int r;

	if (device->epoll_fd >= 0)
		return 0;
	r = thread_start(device);
	if (r < 0) {
		fd_close(&device->epoll_fd);
		fd_close(&device->stop_fd);
	}
	return r;
}

/* The thread takes only the lock of its device, so its end can be awaited with devices_lock
 * held. */
int verbs_wakeup_add(struct verbs_device *device, struct verbs_wakeup *wakeup)
{
	int r;

	pthread_mutex_lock(&devices_lock);
	r = thread_ensure(device);
	if (r == 0) {
		pthread_mutex_lock(&device->lock);
		list_append(&device->wakeups, &wakeup->node);
		pthread_mutex_unlock(&device->lock);
	}
	pthread_mutex_unlock(&devices_lock);
	return r;
}

void verbs_wakeup_remove(struct verbs_device *device, struct verbs_wakeup *wakeup)
{
	bool is_last;

	pthread_mutex_lock(&devices_lock);
	pthread_mutex_lock(&device->lock);
	list_remove(&wakeup->node);
	is_last = list_is_empty(&device->wakeups);
	pthread_mutex_unlock(&device->lock);
	if (is_last) {
		(void)eventfd_write(device->stop_fd, 1);
		pthread_join(device->thread, NULL);
		fd_close(&device->epoll_fd);
		fd_close(&device->stop_fd);
	}
	pthread_mutex_unlock(&devices_lock);
}

/* The liveness word may end with a session although the device remains in the next one, so the
 * woken user checks. */
static bool wakeup_on_revocation_locked(struct revocation_watch *watch)
{
	struct verbs_wakeup *wakeup = container_of(watch, struct verbs_wakeup, watch);

	if (dev_is_removed(wakeup->dev))
		wakeup_signal(wakeup);
	return false;
}

int verbs_wakeup_watch(struct verbs_wakeup *wakeup)
{
	wakeup->watch.check_locked = wakeup_on_revocation_locked;
	return revocation_watch_start(&wakeup->watch);
}

void verbs_wakeup_unwatch(struct verbs_wakeup *wakeup)
{
	revocation_watch_stop(&wakeup->watch);
}

void verbs_alarm_add(struct verbs_device *device, struct verbs_alarm *alarm)
{
	pthread_mutex_lock(&device->lock);
	list_append(&device->alarms, &alarm->node);
	pthread_mutex_unlock(&device->lock);
}

void verbs_alarm_remove(struct verbs_device *device, struct verbs_alarm *alarm)
{
	pthread_mutex_lock(&device->lock);
	list_remove(&alarm->node);
	pthread_mutex_unlock(&device->lock);
}

int verbs_device_watch(struct verbs_device *device, int fd)
{
	return epoll_add(device->epoll_fd, fd, EPOLLIN | EPOLLET);
}

void verbs_device_unwatch(struct verbs_device *device, int fd)
{
	epoll_ctl(device->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}
