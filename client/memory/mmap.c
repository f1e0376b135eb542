/*
 * Memory map: configuration, life cycle and getters. Exports are in client/memory/mmap_export.c,
 * imports in client/memory/mmap_import.c. Threads: one at a time for configuration, start and stop.
 */
#include "client/memory/mmap.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dococ.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/str.h"

#define PERMISSIONS_ALL                                                     \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |   \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC |       \
	 DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE | \
	 DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING)
/* A remote right to write implies the local right, as in an RDMA device's memory key. */
#define PERMISSIONS_WRITE                                                  \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE | \
	 DOCA_ACCESS_FLAG_RDMA_ATOMIC | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

static const _Atomic uint32_t always_alive = 1;

static doca_error_t mmap_check(const struct doca_mmap *mmap, const char *what)
{
	if (likely(mmap != NULL))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "mmap %s: mmap is NULL", what);
}

doca_error_t mmap_check_api(const struct doca_mmap *mmap, unsigned generations, const char *what)
{
	unsigned own = mmap->api == API_TASK  ? MMAP_TASK
		       : mmap->api >= API_2_0 ? MMAP_WORKQ
					      : MMAP_CHUNKED;
	char call[64];

	if (own & generations)
		return DOCA_SUCCESS;
	snprintf(call, sizeof(call), "mmap %s", what);
	return api_refuse(call, "mmap", mmap->api);
}

doca_error_t mmap_check_idle(const struct doca_mmap *mmap, unsigned generations, doca_error_t code,
			     const char *what)
{
	doca_error_t result = mmap_check(mmap, what);

	if (result != DOCA_SUCCESS)
		return result;
	if (mmap->from_export)
		return error_set(
			code, "mmap %s: the mmap was created from an export and cannot be changed",
			what);
	result = mmap_check_api(mmap, generations, what);
	if (result != DOCA_SUCCESS)
		return result;
	if (mmap->started)
		return error_set(code, "mmap %s: the mmap is started; stop it first", what);
	return DOCA_SUCCESS;
}

/* --- keys of RDMA devices --- */

const struct mem_key *mem_key_find(const struct doca_mmap *mmap, const void *device,
				   bool must_be_remote)
{
	const struct mem_key *key = atomic_load_explicit(&mmap->keys, memory_order_acquire);

	while (key != NULL && (key->device != device || atomic_load(&key->is_dead) ||
			       (must_be_remote && !atomic_load(&key->is_remote))))
		key = key->next;
	return key;
}

void mem_key_add(struct doca_mmap *mmap, struct mem_key *key)
{
	key->next = atomic_load_explicit(&mmap->keys, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(&mmap->keys, &key->next, key))
		continue;
}

static void mem_keys_end(struct doca_mmap *mmap)
{
	struct mem_key *key = atomic_exchange(&mmap->keys, NULL);

	while (key != NULL) {
		struct mem_key *next = key->next;

		key->free(key);
		key = next;
	}
}

void mmap_set_stopped(struct doca_mmap *mmap)
{
	mem_keys_end(mmap);
	mmap->base = UINTPTR_MAX;
	mmap->span = 0;
	mmap->limit = 0;
	mmap->readable = mmap->writable = false;
	mmap->started = false;
	mmap_set_fast(mmap);
	buf_freelists_set_available(mmap, false);
}

/* --- users --- */

/* Protects the user lists of all memory maps. */
static pthread_mutex_t users_lock = PTHREAD_MUTEX_INITIALIZER;

void mmap_user_add(struct mmap_user *user, struct doca_mmap *mmap)
{
	pthread_mutex_lock(&users_lock);
	user->mmap = mmap;
	user->is_active = false;
	list_append(&mmap->users, &user->node);
	pthread_mutex_unlock(&users_lock);
}

void mmap_user_remove(struct mmap_user *user)
{
	pthread_mutex_lock(&users_lock);
	list_remove(&user->node);
	user->mmap = NULL;
	user->is_active = false;
	pthread_mutex_unlock(&users_lock);
}

doca_error_t mmap_user_activate(struct mmap_user *user)
{
	pthread_mutex_lock(&users_lock);
	user->is_active = user->mmap != NULL && user->mmap->started;
	pthread_mutex_unlock(&users_lock);
	return user->is_active ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

void mmap_user_deactivate(struct mmap_user *user)
{
	pthread_mutex_lock(&users_lock);
	user->is_active = false;
	pthread_mutex_unlock(&users_lock);
}

static uint32_t mmap_n_active(const struct doca_mmap *mmap)
{
	const struct mmap_user *user;
	uint32_t n = 0;

	pthread_mutex_lock(&users_lock);
	list_for_each(user, &mmap->users, node) n += user->is_active;
	pthread_mutex_unlock(&users_lock);
	return n;
}

static void mmap_detach_users(struct doca_mmap *mmap)
{
	pthread_mutex_lock(&users_lock);
	while (!list_is_empty(&mmap->users)) {
		struct mmap_user *user = list_entry(mmap->users.next, struct mmap_user, node);

		list_remove(&user->node);
		user->mmap = NULL;
	}
	pthread_mutex_unlock(&users_lock);
}

static uint32_t mmap_n_bufs(const struct doca_mmap *mmap)
{
	return mmap->counts_bufs ? buf_freelists_count(mmap) : 0;
}

void mmap_set_fast(struct doca_mmap *mmap)
{
	mmap->fast = (mmap->direct && mmap->readable ? MMAP_FAST_SRC : 0) |
		     (mmap->direct && mmap->writable ? MMAP_FAST_DST : 0) |
		     (mmap->from_export ? MMAP_FAST_IMPORT : 0);
}

doca_error_t mmap_new(uint16_t api, struct doca_mmap **mmap_out)
{
	struct doca_mmap *mmap;

	if (mmap_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap create: the result is NULL");
	if (posix_memalign((void **)&mmap, 64, sizeof(*mmap)) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap create: out of memory");
	*mmap = (struct doca_mmap){
		.api = api,
		.alive = &always_alive,
		.generation = 1,
		.direct = true,
		.counts_bufs = true,
		.root = mmap,
		.max_devs = 1,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE,
		.memfd = -1,
		.region = {.pidfd = -1},
	};
	list_init(&mmap->exports);
	list_init(&mmap->users);
	mmap_set_stopped(mmap);
	*mmap_out = mmap;
	return DOCA_SUCCESS;
}

doca_error_t mmap_new_started(struct doca_dev *dev, void *memory, size_t len,
			      struct doca_mmap **mmap_out)
{
	struct doca_mmap *mmap;
	doca_error_t result = mmap_new(API_TASK, &mmap);

	if (result != DOCA_SUCCESS)
		return result;
	result = doca_mmap_set_memrange(mmap, memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(mmap, dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(mmap);
	if (result == DOCA_SUCCESS)
		*mmap_out = mmap;
	else
		(void)doca_mmap_destroy(mmap);
	return result;
}

doca_error_t doca_mmap_create(struct doca_mmap **mmap_out)
{
	program_api_note(DOCA_MAKE_VERSION(2, 5), PROGRAM_API_NEWEST);
	return mmap_new(API_TASK, mmap_out);
}
API_PLAIN(doca_mmap_create, 2_5);

bool mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	if (mmap->dev == dev)
		return true;
	for (uint32_t i = 0; i < mmap->n_devs; i++) {
		if (mmap->devs[i] == dev)
			return true;
	}
	return false;
}

doca_error_t mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
{
	struct doca_dev **devs;
	uint32_t limit;

	if (dev == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap add device: dev is NULL");
	if (mmap_has_dev(mmap, dev))
		return error_set(mmap->api == API_TASK ? DOCA_ERROR_ALREADY_EXIST
						       : DOCA_ERROR_IN_USE,
				 "mmap add device: %s was added before", dev->info->name);
	if (mmap->n_devs == mmap->max_devs)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "mmap add device: the mmap already has %u device(s), its limit; "
				 "raise the limit with doca_mmap_set_max_num_devices before",
				 mmap->max_devs);
	limit = dev->info->caps.max_devices_per_mmap;
	if (limit != 0 && mmap->n_devs >= limit)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "mmap add device: %s shares a mmap with at most %u others",
				 dev->info->name, limit - 1);
	devs = realloc(mmap->devs, (mmap->n_devs + 1) * sizeof(*devs));
	if (devs == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap add device: out of memory");
	mmap->devs = devs;
	mmap->devs[mmap->n_devs++] = dev;
	mmap->dev = mmap->devs[0];
	dev_hold(dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result = mmap_check_idle(mmap, MMAP_TASK, DOCA_ERROR_NOT_PERMITTED,
					      "add device");

	return result == DOCA_SUCCESS ? mmap_dev_add(mmap, dev) : result;
}

doca_error_t mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
{
	uint32_t i;

	if (dev == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap remove device: dev is NULL");
	for (i = 0; i < mmap->n_devs && mmap->devs[i] != dev; i++)
		continue;
	if (i == mmap->n_devs)
		return error_set(mmap->api == API_TASK ? DOCA_ERROR_NOT_FOUND
						       : DOCA_ERROR_INVALID_VALUE,
				 "mmap remove device: %s was not added", dev->info->name);
	memmove(&mmap->devs[i], &mmap->devs[i + 1], (mmap->n_devs - i - 1) * sizeof(mmap->devs[0]));
	mmap->n_devs--;
	mmap->dev = mmap->n_devs > 0 ? mmap->devs[0] : NULL;
	dev_release(dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result = mmap_check_idle(mmap, MMAP_TASK, DOCA_ERROR_NOT_PERMITTED,
					      "remove device");

	return result == DOCA_SUCCESS ? mmap_dev_rm(mmap, dev) : result;
}

static doca_error_t memrange_check(struct doca_mmap *mmap, unsigned generations, const void *addr,
				   size_t len)
{
	doca_error_t result = mmap_check_idle(mmap, generations, DOCA_ERROR_BAD_STATE, "set range");

	if (result != DOCA_SUCCESS)
		return result;
	if (addr == NULL || len == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap set range: %s",
				 addr == NULL ? "the address is NULL" : "the length is 0");
	if ((uintptr_t)addr + len < (uintptr_t)addr)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"mmap set range: %p of %zu bytes passes the end of the address space", addr,
			len);
	if (mmap->range_set)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap set range: the range is set already; a range is set once");
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len)
{
	doca_error_t result = memrange_check(mmap, MMAP_RANGED, addr, len);

	if (result != DOCA_SUCCESS)
		return result;
	mmap->addr = addr;
	mmap->len = len;
	mmap->range_set = true;
	return DOCA_SUCCESS;
}

/* A result of huge_check(): the descriptor is valid and needs no further check. */
#define HUGE_VALID 1

static int huge_check(int fd, size_t end)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	return (uint64_t)st.st_size < end ? -ERANGE : HUGE_VALID;
}

/* Maps the range. `offset` need not be page aligned. */
static void *dmabuf_map(int fd, size_t offset, size_t len)
{
	size_t lead = offset % memfd_page_size();
	uint8_t *addr = memfd_map(fd, offset - lead, len + lead, true);

	return addr == NULL ? NULL : addr + lead;
}

static void dmabuf_unmap(uint8_t *addr, size_t len)
{
	size_t lead = (uintptr_t)addr % memfd_page_size();

	memfd_unmap(addr - lead, len + lead);
}

doca_error_t mmap_set_dmabuf(struct doca_mmap *mmap, unsigned generations, int dmabuf_fd,
			     void *addr, size_t dmabuf_offset, size_t len)
{
	/* If the address is not known yet, any address serves for the check of the length. */
	doca_error_t result = memrange_check(mmap, generations, addr == NULL ? mmap : addr, len);
	CLEANUP_FD int fd = -1;
	int r;

	if (result != DOCA_SUCCESS)
		return result;
	if (dmabuf_fd < 0 || dmabuf_offset + len < dmabuf_offset)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap set dmabuf range: %s",
				 dmabuf_fd < 0 ? "the descriptor is negative"
					       : "offset and length overflow");
	if (!memfd_is_huge(dmabuf_fd))
		r = memfd_seal_shrink(dmabuf_fd);
	else
		r = addr == NULL ? -ENOTSUP : huge_check(dmabuf_fd, dmabuf_offset + len);
	if (r == 0)
		r = memfd_verify(dmabuf_fd, dmabuf_offset + len);
	if (r == -ERANGE)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap set dmabuf range: offset %zu and length %zu pass the end of "
				 "the memory "
				 "behind the descriptor",
				 dmabuf_offset, len);
	if (r < 0)
		return error_set(
			DOCA_ERROR_NOT_SUPPORTED,
			"mmap set dmabuf range: the descriptor is no memfd that can be sealed "
			"against shrinking; create it with MFD_ALLOW_SEALING, or use "
			"dococ_mem_alloc");
	/* Importers do not map huge pages. They copy through the kernel, as with private memory, so
	 * no descriptor is kept. */
	fd = r == HUGE_VALID ? -1 : fd_dup(dmabuf_fd);
	if (fd < 0 && r != HUGE_VALID)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"mmap set dmabuf range: the descriptor cannot be duplicated (error %d)",
			-fd);
	if (addr == NULL) {
		addr = dmabuf_map(fd, dmabuf_offset, len);
		if (addr == NULL)
			return error_set(DOCA_ERROR_NOT_SUPPORTED,
					 "mmap set dmabuf range: the descriptor cannot be mapped "
					 "to be read and written: %m");
		mmap->mapped = true;
	}
	mmap->memfd = fd_steal(&fd);
	mmap->memfd_offset = dmabuf_offset;
	mmap->addr = addr;
	mmap->len = len;
	mmap->range_set = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
					   size_t dmabuf_offset, size_t len)
{
	if (addr == NULL)
		return memrange_check(mmap, MMAP_TASK, addr, len);
	return mmap_set_dmabuf(mmap, MMAP_TASK, dmabuf_fd, addr, dmabuf_offset, len);
}
API_PLAIN(doca_mmap_set_dmabuf_memrange, 2_5);

doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
					uint64_t dpa_addr, size_t len)
{
	doca_error_t result = mmap_check_idle(mmap, MMAP_TASK, DOCA_ERROR_BAD_STATE,
					      "set DPA range");

	if (result != DOCA_SUCCESS)
		return result;
	if (dpa == NULL || dpa_addr == 0 || len == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap set DPA range: an argument is zero");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "mmap set DPA range: this runtime has no DPA; use memory of the CPU");
}

doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask)
{
	doca_error_t result = mmap_check_idle(mmap, MMAP_RANGED, DOCA_ERROR_BAD_STATE,
					      "set permissions");

	if (result != DOCA_SUCCESS)
		return result;
	if (access_mask & ~(uint32_t)PERMISSIONS_ALL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap set permissions: %#x has bits that are no access flag",
				 access_mask);
	if ((access_mask & DOCA_ACCESS_FLAG_PCI_READ_ONLY) &&
	    (access_mask & DOCA_ACCESS_FLAG_PCI_READ_WRITE))
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap set permissions: PCI_READ_ONLY "
							   "and PCI_READ_WRITE exclude each other");
	mmap->permissions = access_mask;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
				   void *opaque)
{
	doca_error_t result = mmap_check_idle(mmap, MMAP_RANGED, DOCA_ERROR_BAD_STATE,
					      "set free callback");

	if (result != DOCA_SUCCESS)
		return result;
	mmap->free_cb = free_cb;
	mmap->free_cookie = opaque;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices)
{
	doca_error_t result = mmap_check_idle(mmap, MMAP_ANY, DOCA_ERROR_NOT_PERMITTED,
					      "set maximum of devices");

	if (result != DOCA_SUCCESS)
		return result;
	if (mmap->was_started)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap set maximum of devices: not allowed after the first start");
	if (max_num_devices == 0 || max_num_devices < mmap->n_devs || max_num_devices > 1024)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap set maximum of devices: %u is not in %u..1024",
				 max_num_devices, MAX(1u, mmap->n_devs));
	mmap->max_devs = max_num_devices;
	return DOCA_SUCCESS;
}
API_INTERNAL(mmap_set_max_devs, doca_mmap_set_max_num_devices);

doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data)
{
	doca_error_t result = mmap_check_idle(mmap, MMAP_TASK, DOCA_ERROR_BAD_STATE,
					      "set user data");

	if (result != DOCA_SUCCESS)
		return result;
	mmap->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
	doca_error_t result;

	if (mmap != NULL && mmap->from_export)
		result = lenient_accept(
			&mmap->rules, MMAP_RULE_THREADS_OF_IMPORT, DOCA_ERROR_NOT_PERMITTED,
			"mmap enable thread safety: the mmap was created from an export and cannot "
			"be changed; omit the call, threads may share the mmap as it is");
	else
		result = mmap_check_idle(mmap, MMAP_TASK, DOCA_ERROR_NOT_PERMITTED,
					 "enable thread safety");
	if (result != DOCA_SUCCESS)
		return result;
	mmap->counts_bufs = false;
	return DOCA_SUCCESS;
}

void mmap_set_started(struct doca_mmap *mmap)
{
	mmap->base = (uintptr_t)mmap->addr;
	mmap->span = mmap->len;
	mmap->limit = mmap->api == API_TASK ? mmap->base + mmap->span : 0;
	mmap->delta = 0;
	mmap->readable = true;
	mmap->writable = (mmap->permissions & PERMISSIONS_WRITE) != 0;
	mmap_set_fast(mmap);
	mmap->started = true;
	mmap->was_started = true;
	buf_freelists_set_available(mmap, true);
}

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
	doca_error_t result = mmap_check(mmap, "start");

	if (result == DOCA_SUCCESS)
		result = mmap_check_api(mmap, MMAP_RANGED, "start");
	if (result != DOCA_SUCCESS)
		return result;
	if (mmap->from_export || mmap->exported)
		return error_set(DOCA_ERROR_NOT_PERMITTED, "mmap start: the mmap %s",
				 mmap->from_export
					 ? "was created from an export: it is usable without a "
					   "start, and cannot be started again once stopped"
					 : "is exported; stop it first");
	if (mmap->started)
		return DOCA_SUCCESS;
	if (!mmap->range_set || mmap->n_devs == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap start: %s",
				 !mmap->range_set
					 ? "no memory range; call doca_mmap_set_memrange first"
					 : "no device; add one first");
	mmap_set_started(mmap);
	return DOCA_SUCCESS;
}
API_PLAIN(doca_mmap_start, 2_0);

/* For stop and destroy: checks that no buffer points into the memory map and no user is active. */
static doca_error_t mmap_check_unused(const struct doca_mmap *mmap, const char *what)
{
	uint32_t n = mmap_n_bufs(mmap);

	if (n != 0)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap %s: %u %s into it; release them first", what, n,
				 plural(n, "buffer still points", "buffers still point"));
	n = mmap_n_active(mmap);
	if (n != 0)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap %s: %u comch consumers receive into it; stop them first and "
				 "progress until they are idle",
				 what, n);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_stop(struct doca_mmap *mmap)
{
	doca_error_t result = mmap_check(mmap, "stop");

	if (result != DOCA_SUCCESS)
		return result;
	if (!mmap_is_usable(mmap))
		return DOCA_SUCCESS;
	result = mmap_check_unused(mmap, "stop");
	if (result != DOCA_SUCCESS)
		return result;
	/* The import itself ends when the object is destroyed. */
	if (mmap->from_export) {
		mmap_revoke_exports(mmap);
		mmap_set_stopped(mmap);
		return DOCA_SUCCESS;
	}
	if (mmap->legacy != NULL)
		mmap->legacy->stop(mmap);
	mmap_revoke_exports(mmap);
	mmap_set_stopped(mmap);
	return DOCA_SUCCESS;
}

void mmap_free(struct doca_mmap *mmap)
{
	mmap_detach_users(mmap);
	if (mmap->from_export) {
		mmap_import_close(mmap);
	} else {
		mmap_revoke_exports(mmap);
		mmap_set_stopped(mmap);
		if (mmap->was_started && mmap->free_cb != NULL)
			mmap->free_cb(mmap->addr, mmap->len, mmap->free_cookie);
	}
	if (mmap->legacy != NULL)
		mmap->legacy->destroy(mmap);
	buf_freelists_forget(mmap);
	for (uint32_t i = 0; i < mmap->n_devs; i++)
		dev_release(mmap->devs[i]);
	if (mmap->mapped)
		dmabuf_unmap(mmap->addr, mmap->len);
	fd_close(&mmap->memfd);
	free(mmap->devs);
	free(mmap->rejections);
	buf_freelists_free_mmap(mmap);
}

doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
	doca_error_t result = mmap_check(mmap, "destroy");

	if (result != DOCA_SUCCESS)
		return result;
	result = mmap_check_unused(mmap, "destroy");
	if (result != DOCA_SUCCESS)
		return result;
	mmap_free(mmap);
	return DOCA_SUCCESS;
}

static doca_error_t mmap_check_out(const struct doca_mmap *mmap, const void *out, const char *what)
{
	if (mmap != NULL && out != NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "mmap %s: %s is NULL", what,
			 mmap == NULL ? "mmap" : "the result");
}

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
	if (mmap_check_out(mmap, addr, "get range") != DOCA_SUCCESS ||
	    mmap_check_out(mmap, len, "get range") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	if (mmap_check_api(mmap, MMAP_RANGED, "get range") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (!mmap->range_set)
		return error_set(DOCA_ERROR_BAD_STATE, "mmap get range: no range is set");
	*addr = mmap->addr;
	*len = mmap->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data)
{
	if (mmap_check_out(mmap, user_data, "get user data") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = mmap->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices)
{
	if (mmap_check_out(mmap, max_num_devices, "get maximum of devices") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_devices = mmap->max_devs;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs)
{
	if (mmap_check_out(mmap, num_bufs, "get number of buffers") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*num_bufs = mmap_n_bufs(mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported)
{
	if (mmap_check_out(mmap, exported, "is exported") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*exported = mmap->exported;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export)
{
	if (mmap_check_out(mmap, from_export, "is from export") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = mmap->from_export;
	return DOCA_SUCCESS;
}

static doca_error_t mmap_cap(const struct doca_devinfo *devinfo, uint8_t *out, const char *what)
{
	if (devinfo != NULL && out != NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "mmap capability %s: %s is NULL", what,
			 devinfo == NULL ? "devinfo" : "the result");
}

doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
						   uint8_t *mmap_export)
{
	if (mmap_cap(devinfo, mmap_export, "export pci") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*mmap_export = devinfo->caps.export_pci;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
							       uint8_t *from_export)
{
	if (mmap_cap(devinfo, from_export, "create from export pci") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*from_export = devinfo->caps.import_pci;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
					  doca_dpa_dev_mmap_t *handle)
{
	if (mmap_check_out(mmap, handle, "DPA handle") != DOCA_SUCCESS || dev == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap DPA handle: an argument is NULL");
	if (mmap_check_api(mmap, MMAP_TASK, "DPA handle") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (!mmap_has_dev(mmap, dev))
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "mmap DPA handle: %s was not added to the mmap", dev->info->name);
	return error_set(DOCA_ERROR_NOT_SUPPORTED, "mmap DPA handle: this runtime has no DPA");
}

const char *dococ_mmap_get_transport(const struct doca_mmap *mmap)
{
	if (mmap == NULL || (!mmap->from_export && !mmap->started))
		return "none";
	return mmap->from_export ? mmap->region.ops->name : "local";
}

const char *dococ_mmap_get_transport_rejections(const struct doca_mmap *mmap)
{
	return mmap == NULL || mmap->rejections == NULL ? "" : mmap->rejections;
}
