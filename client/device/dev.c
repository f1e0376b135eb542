/*
 * Open devices and representors, and queries of a single one. The daemon checks the policy and
 * counts open devices. The library has one doca_dev per device and counts how often it was opened.
 * Threads: any; the session's lock protects the table of open devices.
 */
#include "client/base/generation.h"
#include "client/device/dev.h"

#include <stdlib.h>
#include <string.h>

#include <doca_dev.h>

#include "client/base/error.h"
#include "client/control/rpc.h"
#include "client/control/revocation_watch.h"
#include "client/control/worker.h"
#include "client/device/devlist.h"
#include "util/str.h"

static struct list open_devs = LIST_INIT(open_devs);
/* A forked child opens devices itself; those of its parent are unknown to its session. */
static unsigned open_devs_n_forks;

static void dev_free_liveness_locked(struct doca_dev *dev)
{
	struct dev_liveness *liveness = atomic_exchange(&dev->liveness, NULL);

	while (liveness != NULL) {
		struct dev_liveness *older = liveness->older;

		session_page_unref_locked(liveness->page);
		free(liveness);
		liveness = older;
	}
}

/* Replaces the word of an earlier daemon if the present daemon gave none. The word never changes,
 * so the device counts as present. If it is not, requests that name it fail. A device that never
 * had a word has no liveness at all. */
static _Atomic uint32_t no_words[1];
static struct session_page no_page = {.words = no_words, .n_words = 1, .refs = 1};

/* Replaces the liveness word that an earlier daemon gave. */
static void dev_add_liveness_locked(struct doca_dev *dev, const Dococore__HandleReply *reply)
{
	struct session_page *page = reply->has_slot ? session_page_ref_locked() : NULL;
	struct dev_liveness *older = atomic_load(&dev->liveness), *liveness;
	bool has_word = page != NULL && reply->slot < page->n_words;

	if (page != NULL && !has_word)
		session_page_unref_locked(page);
	liveness = has_word || older != NULL ? malloc(sizeof(*liveness)) : NULL;
	if (liveness == NULL) {
		if (has_word)
			session_page_unref_locked(page);
		return;
	}
	if (!has_word)
		no_page.refs++;
	*liveness = (struct dev_liveness){.older = older,
					  .page = has_word ? page : &no_page,
					  .slot = has_word ? reply->slot : 0,
					  .generation = has_word ? reply->generation : 0};
	atomic_store_explicit(&dev->liveness, liveness, memory_order_release);
}

static void dev_send_open_locked(const struct doca_dev *dev, Dococore__DeviceOpen *open,
				 struct rpc_request *request)
{
	/* Opens the device by name, because a restarted daemon may assign other numbers to its
	 * devices. */
	open->name = dev->info->name;
	request->packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	request->packet.device_open = open;
}

static void dev_set_handle_locked(struct doca_dev *dev, const struct rpc_reply *answer)
{
	dev->handle = answer->packet->handle_reply->handle;
	dev_add_liveness_locked(dev, answer->packet->handle_reply);
}

static void handle_close_locked(uint64_t handle, void (*notify_locked)(struct rpc_request *request))
{
	Dococore__HandleClose close = DOCOCORE__HANDLE_CLOSE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	if (handle == 0)
		return;
	close.handle = handle;
	request.packet.body_case = DOCOCORE__PACKET__BODY_HANDLE_CLOSE;
	request.packet.handle_close = &close;
	notify_locked(&request);
}

static doca_error_t dev_call_open(struct doca_dev *dev)
{
	Dococore__DeviceOpen open = DOCOCORE__DEVICE_OPEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result;

	dev_send_open_locked(dev, &open, &request);
	result = rpc_call_locked(&request, DOCOCORE__PACKET__BODY_HANDLE_REPLY, &answer);
	/* While this call waited for the reply, another thread may have opened the device. */
	if (result == DOCA_SUCCESS && dev->handle != 0)
		handle_close_locked(answer.packet->handle_reply->handle, rpc_post_locked);
	else if (result == DOCA_SUCCESS)
		dev_set_handle_locked(dev, &answer);
	return result;
}

/* A handle is valid for one connection. */
static void dev_on_disconnect(struct session_item *item)
{
	container_of(item, struct doca_dev, item)->handle = 0;
}

static void dev_restore(struct session_item *item)
{
	struct doca_dev *dev = container_of(item, struct doca_dev, item);

	dev->handle = 0;
	(void)dev_call_open(dev);
	revocation_watch_renew_locked();
}

doca_error_t dev_get_handle_locked(struct doca_dev *dev, uint64_t *handle_out)
{
	doca_error_t result = session_ensure_locked();

	if (result == DOCA_SUCCESS && dev->handle == 0)
		result = dev_call_open(dev);
	if (result == DOCA_SUCCESS)
		*handle_out = dev->handle;
	return result;
}

doca_error_t dev_open_begin_locked(const struct doca_dev *dev, void (*on_done)(void *user),
				   void *user, struct rpc_pending **pending_out)
{
	const struct rpc_options options = {.on_done = on_done, .user = user};
	Dococore__DeviceOpen open = DOCOCORE__DEVICE_OPEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	dev_send_open_locked(dev, &open, &request);
	return rpc_begin_locked(&request, &options, pending_out);
}

doca_error_t dev_open_end_locked(struct doca_dev *dev, struct rpc_pending **pending)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	bool is_current = rpc_is_current_locked(*pending);
	doca_error_t result = rpc_collect(pending, DOCOCORE__PACKET__BODY_HANDLE_REPLY, &answer);

	if (result != DOCA_SUCCESS)
		return result;
	/* Another thread's call may have opened the device meanwhile. */
	if (is_current && dev->handle == 0)
		dev_set_handle_locked(dev, &answer);
	else if (is_current)
		handle_close_locked(answer.packet->handle_reply->handle, rpc_post_locked);
	if (dev->handle == 0)
		return error_set(DOCA_ERROR_CONNECTION_ABORTED,
				 "%s: the daemon was restarted; try again", dev->info->name);
	return DOCA_SUCCESS;
}

bool dev_check_removed_locked(const struct doca_dev *dev)
{
	return dev_is_removed(dev) && session_ensure_locked() == DOCA_SUCCESS &&
	       dev_is_removed(dev);
}

bool dev_check_removed_async(const struct doca_dev *dev)
{
	bool is_removed;

	if (!dev_is_removed(dev))
		return false;
	rpc_lock();
	/* A daemon that has ended leaves its words as if everything were removed. */
	is_removed = !session_is_over_locked() && dev_is_removed(dev);
	if (!is_removed)
		session_reconnect_locked(true);
	rpc_unlock();
	return is_removed;
}

bool dev_check_removed(const struct doca_dev *dev)
{
	bool is_removed;

	if (!dev_is_removed(dev))
		return false;
	rpc_lock();
	is_removed = dev_check_removed_locked(dev);
	rpc_unlock();
	return is_removed;
}

/* Returns the open device of this record, or NULL. A device that was removed and has returned is a
 * different device. Whether it was removed is known once there is a connection. */
static struct doca_dev *dev_find_open_locked(const struct doca_devinfo *info,
					     const struct ibv_pd *users_pd, bool is_connected)
{
	struct doca_dev *dev;

	list_for_each(dev, &open_devs, node)
	{
		dev->was_removed |= is_connected && dev_is_removed(dev);
		if (strcmp(dev->info->name, info->name) == 0 && dev->users_pd == users_pd &&
		    !dev->was_removed)
			return dev;
	}
	return NULL;
}

/* Opens the device at the daemon. Frees it if that fails, or if another thread has opened it
 * meanwhile. */
static doca_error_t dev_open_new_locked(struct doca_dev **dev)
{
	struct doca_dev *new = *dev, *other = NULL;
	doca_error_t result = dev_call_open(new);

	if (result == DOCA_SUCCESS)
		other = dev_find_open_locked(new->info, new->users_pd, true);
	if (result == DOCA_SUCCESS && other == NULL) {
		list_append(&open_devs, &new->node);
		session_item_add_locked(&new->item);
		return DOCA_SUCCESS;
	}
	if (other != NULL) {
		handle_close_locked(new->handle, rpc_post_locked);
		dev_free_liveness_locked(new);
		other->n_opens++;
	}
	devinfo_unref(new->info);
	free(new);
	*dev = other;
	return result;
}

static doca_error_t dev_open_locked(struct doca_devinfo *info, struct ibv_pd *users_pd,
				    struct doca_dev **dev_out)
{
	struct doca_dev *dev;

	if (open_devs_n_forks != session_n_forks_locked()) {
		list_init(&open_devs);
		open_devs_n_forks = session_n_forks_locked();
	}
	dev = dev_find_open_locked(info, users_pd, false);
	if (dev != NULL && dev_is_removed(dev))
		dev = dev_find_open_locked(info, users_pd, session_ensure_locked() == DOCA_SUCCESS);
	if (dev != NULL) {
		dev->n_opens++;
		*dev_out = dev;
		return DOCA_SUCCESS;
	}
	dev = calloc(1, sizeof(*dev));
	if (dev == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "dev open: out of memory");
	dev->info = devinfo_ref(info);
	dev->users_pd = users_pd;
	dev->n_opens = 1;
	dev->item.on_reconnect = dev_restore;
	dev->item.on_disconnect = dev_on_disconnect;
	*dev_out = dev;
	return dev_open_new_locked(dev_out);
}

doca_error_t dev_open(struct doca_devinfo *info, struct ibv_pd *users_pd, struct doca_dev **dev_out)
{
	struct doca_dev *dev = NULL;
	doca_error_t result;

	rpc_lock();
	result = dev_open_locked(info, users_pd, &dev);
	rpc_unlock();
	if (result == DOCA_SUCCESS)
		*dev_out = dev;
	return result;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev_out)
{
	if (devinfo == NULL || dev_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dev open: %s is NULL",
				 devinfo == NULL ? "devinfo" : "the result");
	if (devinfo->is_of_pd)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "dev open: this is the record of a device that was opened from a "
				 "protection domain; take %s from a list of devices",
				 devinfo->name);
	return dev_open(devinfo, NULL, dev_out);
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
	uint32_t n_users;

	/* The contract has only the code IN_USE, and public programs close a device that they have
	 * closed before. */
	if (dev == NULL)
		return DOCA_SUCCESS;
	rpc_lock();
	if (dev->n_opens == 1 && atomic_load(&dev->n_users) != 0) {
		/* Work items that end objects may still use the device, so wait for them. */
		rpc_unlock();
		work_await_all();
		rpc_lock();
	}
	if (dev->n_opens > 1) {
		dev->n_opens--;
		rpc_unlock();
		return DOCA_SUCCESS;
	}
	n_users = atomic_load(&dev->n_users);
	if (n_users != 0) {
		rpc_unlock();
		return error_set(DOCA_ERROR_IN_USE,
				 "dev close: %s is used by %u %s (contexts, mmaps, representors); "
				 "destroy them first",
				 dev->info->name, n_users, plural(n_users, "object", "objects"));
	}
	list_remove(&dev->node);
	session_item_remove_locked(&dev->item);
	handle_close_locked(dev->handle, rpc_call_void_locked);
	dev_free_liveness_locked(dev);
	rpc_unlock();
	if (atomic_load(&dev->pd_holder) != NULL)
		dev->pd_holder_free(atomic_load(&dev->pd_holder));
	devinfo_unref(dev->info);
	free(dev);
	return DOCA_SUCCESS;
}
API_INTERNAL(dev_close, doca_dev_close);

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
	if (dev == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dev resource reclaim: dev is NULL");
	return error_set(
		DOCA_ERROR_NOT_SUPPORTED,
		"dev resource reclaim: %s reclaims at once, there is nothing to accelerate",
		dev->info->name);
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
	return dev == NULL ? NULL : dev->info;
}
API_PLAIN(doca_dev_as_devinfo, 1_5);

static doca_error_t rep_call_open(struct doca_dev_rep *rep)
{
	Dococore__RepOpen open = DOCOCORE__REP_OPEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result;

	open.name = rep->info->name;
	request.packet.body_case = DOCOCORE__PACKET__BODY_REP_OPEN;
	request.packet.rep_open = &open;
	result = rpc_call_locked(&request, DOCOCORE__PACKET__BODY_HANDLE_REPLY, &answer);
	if (result == DOCA_SUCCESS)
		rep->handle = answer.packet->handle_reply->handle;
	return result;
}

static void rep_on_disconnect(struct session_item *item)
{
	container_of(item, struct doca_dev_rep, item)->handle = 0;
}

static void rep_restore(struct session_item *item)
{
	struct doca_dev_rep *rep = container_of(item, struct doca_dev_rep, item);

	if (rep_call_open(rep) != DOCA_SUCCESS)
		rep->handle = 0;
}

doca_error_t dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **rep_out)
{
	struct doca_dev_rep *rep;
	doca_error_t result;

	if (devinfo == NULL || rep_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "representor open: %s is NULL",
				 devinfo == NULL ? "devinfo" : "the result");
	rep = calloc(1, sizeof(*rep));
	if (rep == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "representor open: out of memory");
	rep->info = devinfo_rep_ref(devinfo);
	rep->item.on_reconnect = rep_restore;
	rep->item.on_disconnect = rep_on_disconnect;
	rpc_lock();
	result = rep_call_open(rep);
	if (result == DOCA_SUCCESS)
		session_item_add_locked(&rep->item);
	rpc_unlock();
	if (result != DOCA_SUCCESS) {
		devinfo_rep_unref(rep->info);
		free(rep);
		return result;
	}
	*rep_out = rep;
	return DOCA_SUCCESS;
}

doca_error_t dev_rep_close(struct doca_dev_rep *rep)
{
	if (rep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "representor close: dev is NULL");
	if (atomic_load(&rep->n_users) != 0)
		return error_set(
			DOCA_ERROR_IN_USE,
			"representor close: %s is used by a comch server; destroy it first",
			rep->info->name);
	rpc_lock();
	session_item_remove_locked(&rep->item);
	handle_close_locked(rep->handle, rpc_call_void_locked);
	rpc_unlock();
	devinfo_rep_unref(rep->info);
	free(rep);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **rep_out)
{
	return dev_rep_open(devinfo, rep_out);
}

doca_error_t doca_dev_rep_close(struct doca_dev_rep *rep)
{
	return dev_rep_close(rep);
}

struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *rep)
{
	return rep == NULL ? NULL : rep->info;
}
