/*
 * Sync events: objects, configuration and life cycle; see client/sync_event/sync_event.h. An event
 * is configured; started once, either for synchronous calls or as a context; stopped; and
 * destroyed. Threads: one at a time per event.
 */
#include <stdlib.h>

#include "client/base/error.h"
#include "client/memory/buf.h"
#include "client/sync_event/sync_event.h"
#include "client/sync_event/sync_remote.h"
#include "util/fd.h"

/* --- create and destroy --- */

static struct doca_sync_event *event_new(void)
{
	struct doca_sync_event *event;

	if (posix_memalign((void **)&event, SHM_CACHE_LINE, sizeof(*event)) != 0)
		return NULL;
	__builtin_memset(event, 0, sizeof(*event));
	event->memory = (struct sync_memory)SYNC_MEMORY_INIT;
	event->user_fd = -1;
	list_init(&event->exports);
	sync_ctx_init(event);
	return event;
}

doca_error_t sync_event_alloc(struct doca_sync_event **event_out)
{
	struct doca_sync_event *event;

	if (event_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event create: event is NULL; pass a place for it");
	event = event_new();
	if (event == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "sync event create: out of memory");
	*event_out = event;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_create(struct doca_sync_event **event_out)
{
	return sync_event_alloc(event_out);
}
API_PLAIN(doca_sync_event_create, 2_5);

doca_error_t sync_event_import(struct doca_dev *dev, const uint8_t *data, size_t sz,
			       struct doca_sync_event **event_out)
{
	struct doca_sync_event *event;
	doca_error_t result;

	if (dev == NULL || data == NULL || event_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event create from export: %s is NULL",
				 dev == NULL    ? "dev"
				 : data == NULL ? "the descriptor"
						: "the result");
	event = event_new();
	if (event == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "sync event create from export: out of memory");
	result = sync_import_open("sync event create from export", dev, data, sz,
				  DOCOCORE__EXPORT_KIND__SYNC_PCI, &event->import);
	if (result != DOCA_SUCCESS) {
		sync_ctx_deinit(event);
		free(event);
		return result;
	}
	event->is_imported = true;
	if (event->import.is_posted)
		sync_remote_ctx_init(event);
	*event_out = event;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
						size_t sz, struct doca_sync_event **event_out)
{
	return sync_event_import(dev, data, sz, event_out);
}
API_PLAIN(doca_sync_event_create_from_export, 2_5);

struct doca_sync_event *sync_event_share_counter(const struct doca_sync_event *counter_owner)
{
	struct doca_sync_event *event = event_new();

	if (event == NULL)
		return NULL;
	event->counter_owner = counter_owner;
	if (counter_owner->import.is_posted)
		sync_remote_ctx_init(event);
	return event;
}

doca_error_t sync_event_check_api(const struct doca_sync_event *event, uint16_t api,
				  const char *call)
{
	uint16_t made_for = event->ctx.legacy == NULL ? API_TASK : event->ctx.legacy->api;

	return likely(made_for == api) ? DOCA_SUCCESS : api_refuse(call, "sync event", made_for);
}

static void location_clear(struct sync_location *location)
{
	if (location->dev != NULL)
		dev_release(location->dev);
	location->dev = NULL;
}

doca_error_t sync_event_delete(struct doca_sync_event *event)
{
	doca_error_t result = sync_ctx_deinit(event);

	if (result != DOCA_SUCCESS)
		return result;
	if (event->state == SYNC_STARTED)
		sync_event_close(event);
	if (event->is_imported)
		sync_import_close(&event->import);
	fd_close(&event->user_fd);
	location_clear(&event->publisher);
	location_clear(&event->subscriber);
	free(event);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
	if (event == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event destroy: event is NULL");
	return sync_event_delete(event);
}

doca_error_t doca_sync_event_remote_net_create_from_export(
	struct doca_dev *dev, const uint8_t *data, size_t sz,
	struct doca_sync_event_remote_net **event_out)
{
	struct doca_sync_event_remote_net *event;
	doca_error_t result;

	if (dev == NULL || data == NULL || event_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event remote net create from export: %s is NULL",
				 dev == NULL    ? "dev"
				 : data == NULL ? "the descriptor"
						: "the result");
	event = calloc(1, sizeof(*event));
	if (event == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "sync event remote net create from export: out of memory");
	result = sync_import_open("sync event remote net create from export", dev, data, sz,
				  DOCOCORE__EXPORT_KIND__SYNC_NET, &event->import);
	if (result != DOCA_SUCCESS) {
		free(event);
		return result;
	}
	*event_out = event;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event)
{
	if (event == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event remote net destroy: event is NULL");
	sync_import_close(&event->import);
	free(event);
	return DOCA_SUCCESS;
}

/* --- locations --- */

doca_error_t sync_event_locate(struct doca_sync_event *event, bool is_publisher,
			       enum sync_place place, struct doca_dev *dev, uint16_t api)
{
	const char *what = is_publisher ? "publisher" : "subscriber";
	struct sync_location *location;
	doca_error_t result;

	if (event == NULL || (place == SYNC_CPU && dev == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event add %s: %s is NULL", what,
				 event == NULL ? "event" : "dev");
	result = sync_event_check_api(event, api, "sync event add location");
	if (result != DOCA_SUCCESS)
		return result;
	if (event->is_imported)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "sync event add %s: the event was created from an export, which "
				 "has its locations",
				 what);
	if (event->state != SYNC_IDLE)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "sync event add %s: the event was started; add locations earlier",
				 what);
	location = is_publisher ? &event->publisher : &event->subscriber;
	if (location->place != SYNC_PLACE_UNSET)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event add %s: it has one already; an event has exactly one",
				 what);
	if (dev != NULL && !dev->info->caps.sync_event)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "sync event add %s: %s has no sync events", what, dev->info->name);
	location->place = place;
	location->dev = dev;
	if (dev != NULL)
		dev_hold(dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
							struct doca_dev *dev)
{
	return sync_event_locate(event, true, SYNC_CPU, dev, API_TASK);
}

doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event)
{
	return sync_event_locate(event, true, SYNC_REMOTE_PCI, NULL, API_TASK);
}

doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event)
{
	return sync_event_locate(event, true, SYNC_REMOTE_NET, NULL, API_TASK);
}

doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
							 struct doca_dev *dev)
{
	return sync_event_locate(event, false, SYNC_CPU, dev, API_TASK);
}

doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event)
{
	return sync_event_locate(event, false, SYNC_REMOTE_PCI, NULL, API_TASK);
}

/* --- location of the counter --- */

doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
{
	if (event == NULL || addr == NULL || (uintptr_t)addr % sizeof(*addr) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event set addr: %s",
				 event == NULL  ? "event is NULL"
				 : addr == NULL ? "addr is NULL"
						: "addr is not a multiple of 8");
	if (event->is_imported)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "sync event set addr: the event was created from an export, whose "
				 "counter it has");
	if (event->state != SYNC_IDLE)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "sync event set addr: the event was started; set it before");
	fd_close(&event->user_fd);
	event->user = addr;
	event->has_buf = false;
	return DOCA_SUCCESS;
}

#define BUF_RIGHTS (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static doca_error_t buf_check(const struct doca_buf *buf)
{
	const struct doca_mmap *mmap = buf->mmap;

	if (!mmap->from_export && mmap->api != API_TASK)
		return api_refuse("sync event set buf", "buffer's mmap", mmap->api);
	if (buf->data_len != sizeof(uint64_t) || buf->state & (BUF_CHAINED | BUF_NOT_HEAD))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event set buf: the counter is one buffer with a data "
				 "section of 8 bytes; this one %s",
				 buf->data_len != sizeof(uint64_t) ? "has another length"
								   : "is part of a list");
	if ((uintptr_t)buf->data % sizeof(uint64_t) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event set buf: the data section's address is not a multiple "
				 "of 8");
	if (mmap->from_export)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"sync event set buf: the buffer's mmap was created from an export; "
			"the counter must be memory of this process");
	if ((mmap->permissions & BUF_RIGHTS) != BUF_RIGHTS)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "sync event set buf: the mmap's permissions %#x lack "
				 "LOCAL_READ_WRITE or RDMA_ATOMIC; see doca_mmap_set_permissions",
				 mmap->permissions);
	if (!mmap->started)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event set buf: the buffer's mmap is not started");
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf)
{
	doca_error_t result;
	int fd = -1;

	if (event == NULL || buf == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event set buf: %s is NULL",
				 event == NULL ? "event" : "buf");
	result = sync_event_check_api(event, API_TASK, "sync event set buf");
	if (result != DOCA_SUCCESS)
		return result;
	if (event->is_imported)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "sync event set buf: the event was created from an export, whose "
				 "counter it has");
	if (event->state != SYNC_IDLE)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "sync event set buf: the event was started; set it before");
	result = buf_check(buf);
	if (result != DOCA_SUCCESS)
		return result;
	/* The descriptor is duplicated now, because the buffer and the memory map need not exist as
	 * long as the memory. */
	if (buf->mmap->memfd >= 0 && !buf->mmap->memfd_same_user) {
		fd = fd_dup(buf->mmap->memfd);
		if (fd < 0)
			return error_set(error_from_errno(fd),
					 "sync event set buf: the memory's descriptor cannot be "
					 "duplicated (error %d); raise RLIMIT_NOFILE",
					 -fd);
	}
	fd_close(&event->user_fd);
	event->user_fd = fd;
	event->user = (uint64_t *)(void *)buf->data;
	event->user_offset = buf->mmap->memfd_offset +
			     (uint64_t)(buf->data - (uint8_t *)buf->mmap->addr);
	event->user_permissions = buf->mmap->permissions;
	event->has_buf = true;
	return DOCA_SUCCESS;
}

/* --- start and stop --- */

static bool is_remote(const struct sync_location *location)
{
	return location->place == SYNC_REMOTE_PCI || location->place == SYNC_REMOTE_NET;
}

doca_error_t sync_event_open(struct doca_sync_event *event, const char *what, bool is_watched)
{
	struct doca_pe *pe = is_watched ? event->ctx.pe : NULL;

	if (event->state != SYNC_IDLE)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "sync event %s: it was started before; an event is started once, "
				 "create a new one",
				 what);
	if (event->counter_owner != NULL) {
		event->cell = event->counter_owner->cell;
		if (event->counter_owner->import.is_posted)
			return sync_remote_open(&event->counter_owner->import, pe, &event->remote);
		/* Duplicated, because an engine's epoll set accepts a descriptor once. */
		if (event->cell.pidfd >= 0)
			event->cell.pidfd = fd_dup(event->cell.pidfd);
		if (event->counter_owner->cell.pidfd < 0 || event->cell.pidfd >= 0)
			return DOCA_SUCCESS;
		return error_set(error_from_errno(event->cell.pidfd),
				 "sync event %s: the descriptor of the exporter's process cannot "
				 "be duplicated (error %d); raise RLIMIT_NOFILE",
				 what, -event->cell.pidfd);
	}
	if (event->is_imported) {
		event->cell = event->import.cell;
		if (event->import.is_posted)
			return sync_remote_open(&event->import, pe, &event->remote);
		sync_cell_enter(&event->cell);
		return DOCA_SUCCESS;
	}
	if (event->publisher.place == SYNC_PLACE_UNSET ||
	    event->subscriber.place == SYNC_PLACE_UNSET)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"sync event %s: it has no %s location; add one with "
			"doca_sync_event_add_%s_location_*",
			what,
			event->publisher.place == SYNC_PLACE_UNSET ? "publisher" : "subscriber",
			event->publisher.place == SYNC_PLACE_UNSET ? "publisher" : "subscriber");
	return sync_memory_open(&event->memory, &event->cell, event->user,
				is_remote(&event->publisher) || is_remote(&event->subscriber),
				is_watched);
}

void sync_event_close(struct doca_sync_event *event)
{
	event->can = 0;
	sync_remote_close(event->remote);
	event->remote = NULL;
	if (event->counter_owner != NULL)
		fd_close(&event->cell.pidfd);
	sync_exports_close(event);
	sync_memory_close(&event->memory);
}

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
	doca_error_t result;

	if (event == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event start: event is NULL");
	result = sync_event_open(event, "start", false);
	if (result != DOCA_SUCCESS)
		return result;
	event->state = SYNC_STARTED;
	if (event->remote != NULL)
		return DOCA_SUCCESS;
	event->can = SYNC_CAN_READ | (event->cell.is_writable ? SYNC_CAN_WRITE : 0) |
		     (event->is_imported ? SYNC_CAN_END : 0);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
	if (event == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "sync event stop: event is NULL");
	if (event->state == SYNC_STOPPED)
		return DOCA_SUCCESS;
	if (event->state != SYNC_STARTED)
		return error_set(DOCA_ERROR_BAD_STATE, "sync event stop: it was %s",
				 event->state == SYNC_IDLE ? "not started"
							   : "started as a context; stop that, "
							     "with doca_ctx_stop");
	sync_event_close(event);
	event->state = SYNC_STOPPED;
	return DOCA_SUCCESS;
}
