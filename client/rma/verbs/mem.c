/* Memory regions; see client/rma/verbs/mem.h. */
#include "client/rma/verbs/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "client/base/error.h"

#define ACCESS_REMOTE_WRITE (DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

struct verbs_mem {
	struct mem_key base;
	struct verbs_device *device;
	struct ibv_mr *mr; /* NULL: deregistered early, after a revocation */
};

/* Protects the regions of all memory maps. Without it, two threads could both register one. */
static pthread_mutex_t regions_lock = PTHREAD_MUTEX_INITIALIZER;
/* Protects the holders of devices. */
static pthread_mutex_t holders_lock = PTHREAD_MUTEX_INITIALIZER;

void verbs_mem_in_child(void)
{
	pthread_mutex_init(&regions_lock, NULL);
	pthread_mutex_init(&holders_lock, NULL);
}

static void mem_free(struct mem_key *key)
{
	struct verbs_mem *mem = container_of(key, struct verbs_mem, base);

	/* In a forked child the region belongs to the parent. */
	if (mem->mr != NULL && mem->device->pid == getpid())
		mem->device->api->dereg_mr(mem->mr);
	verbs_device_unref(mem->device);
	free(mem);
}

/* Translates the rights of peers, DOCA_ACCESS_FLAG_RDMA_*. */
static int remote_access(uint32_t rights)
{
	int access = 0;

	if (rights & DOCA_ACCESS_FLAG_RDMA_READ)
		access |= IBV_ACCESS_REMOTE_READ;
	if (rights & DOCA_ACCESS_FLAG_RDMA_WRITE)
		access |= IBV_ACCESS_REMOTE_WRITE;
	if (rights & DOCA_ACCESS_FLAG_RDMA_ATOMIC)
		access |= IBV_ACCESS_REMOTE_ATOMIC;
	return access;
}

static int mem_access(const struct doca_mmap *mmap, bool is_remote)
{
	int access = mmap->writable ? IBV_ACCESS_LOCAL_WRITE : 0;

	return is_remote ? access | remote_access(mmap->permissions) : access;
}

/* Returns why the kernel cannot provide the range to the device, and the remedy. */
static const char *unlockable_why(uintptr_t base, size_t len, bool writable)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = base & ~(page - 1);
	int advice = writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ, r = 0;

	/* Linux before 5.14 does not support the advice. */
	if (madvise((void *)start, 0, advice) == 0 &&
	    madvise((void *)start, base + len - start, advice) < 0)
		r = errno;
	switch (r) {
	case ENOMEM:
		return "some of them are not mapped; map all of the range before the mmap is "
		       "started and keep it until it is stopped";
	case EINVAL:
		return writable ? "some of them are not mapped to be written, or are a device's; "
				  "map them with PROT_WRITE, or let the mmap only be read"
				: "some of them are not mapped to be read, or are a device's; map "
				  "them with PROT_READ";
	case EFAULT:
		return "there is no page for some of them; let their file be as long as the "
		       "mapping and its file system not be full, or for huge pages reserve more "
		       "(/proc/sys/vm/nr_hugepages)";
	default:
		return "the kernel locks no memory of this kind for a device; use that of malloc, "
		       "of a memfd or of MAP_HUGETLB";
	}
}

const char *verbs_memlock_hint(int error, char hint[VERBS_HINT_MAX])
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};

	hint[0] = '\0';
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (error == ENOMEM && limit.rlim_cur != RLIM_INFINITY)
		snprintf(hint, VERBS_HINT_MAX,
			 "; an RDMA device locks that in memory, and the limit for that is %llu "
			 "bytes; raise it (ulimit -l, LimitMEMLOCK=, limits.conf)",
			 (unsigned long long)limit.rlim_cur);
	return hint;
}

static doca_error_t mem_failed(const void *addr, size_t len, bool writable,
			       const struct verbs_device *device, int error)
{
	char hint[VERBS_HINT_MAX];

	if (*verbs_memlock_hint(error, hint))
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "mmap: %zu bytes cannot be registered with %s%s", len,
				 device->name, hint);
	return error_set(error_from_errno(-error),
			 "mmap: %zu bytes cannot be registered with %s: %s", len, device->name,
			 error == EFAULT || error == EINVAL || error == EOPNOTSUPP
				 ? unlockable_why((uintptr_t)addr, len, writable)
				 : strerror(error));
}

/* Returns whether the key was revoked before. Such a key must not become valid for peers again,
 * even if the device assigns the same number anew. */
static bool key_is_spent(const struct doca_mmap *mmap, uint32_t remote)
{
	const struct mem_key *key = atomic_load_explicit(&mmap->keys, memory_order_acquire);

	for (; key != NULL; key = key->next) {
		if (key->remote == remote)
			return true;
	}
	return false;
}

static struct ibv_mr *region_make(const struct doca_mmap *mmap, const struct verbs_device *device,
				  bool is_remote)
{
	void *addr = (void *)(mmap->base + (size_t)mmap->delta);
	int access = mem_access(mmap, is_remote);
	struct ibv_mr *mr = device->api->reg_mr(device->pd, addr, mmap->len, access), *next;

	if (mr == NULL || !is_remote || !key_is_spent(mmap, mr->rkey))
		return mr;
	/* While the device uses this key, it assigns another. */
	next = device->api->reg_mr(device->pd, addr, mmap->len, access);
	device->api->dereg_mr(mr);
	return next;
}

doca_error_t verbs_mem_register(struct doca_mmap *mmap, struct verbs_device *device, bool is_remote,
				const struct mem_key **key_out)
{
	struct verbs_mem *mem = NULL;
	const struct mem_key *key;
	doca_error_t result = DOCA_SUCCESS;

	if (mmap->from_export && !mmap->direct)
		return error_set(
			DOCA_ERROR_NOT_SUPPORTED,
			"mmap: memory of another process that is not mapped here cannot be "
			"registered with %s",
			device->name);
	verbs_watch_forks();
	pthread_mutex_lock(&regions_lock);
	key = mem_key_find(mmap, device, is_remote);
	if (key == NULL) {
		mem = calloc(1, sizeof(*mem));
		if (mem == NULL)
			result = error_set(DOCA_ERROR_NO_MEMORY, "mmap: out of memory");
	}
	if (mem != NULL) {
		mem->mr = region_make(mmap, device, is_remote);
		if (mem->mr == NULL) {
			result = mem_failed((void *)(mmap->base + (size_t)mmap->delta), mmap->len,
					    mmap->writable, device, errno);
			free(mem);
		} else {
			mem->device = verbs_device_ref(device);
			mem->base = (struct mem_key){
				.device = device,
				.local = mem->mr->lkey,
				.remote = mem->mr->rkey,
				.is_remote = is_remote,
				.free = mem_free,
			};
			mem_key_add(mmap, &mem->base);
			key = &mem->base;
		}
	}
	pthread_mutex_unlock(&regions_lock);
	if (result == DOCA_SUCCESS)
		*key_out = key;
	return result;
}

void verbs_mem_revoke(struct doca_mmap *mmap, uint32_t remote)
{
	struct mem_key *key;
	int r;

	pthread_mutex_lock(&regions_lock);
	for (key = atomic_load(&mmap->keys); key != NULL; key = key->next) {
		struct verbs_mem *mem = container_of(key, struct verbs_mem, base);

		if (key->free != mem_free || key->remote != remote ||
		    !atomic_exchange(&key->is_remote, false) || mem->device->pid != getpid())
			continue;
		/* Requests of this process that are in progress continue, if the device supports
		 * changing the access. */
		r = mem->device->api->rereg_mr(mem->mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
					       mem_access(mmap, false));
		if (r == 0 && mem->mr->lkey == key->local)
			continue;
		atomic_store(&key->is_dead, true);
		if (r == 0)
			continue;
		mem->device->api->dereg_mr(mem->mr);
		mem->mr = NULL;
	}
	pthread_mutex_unlock(&regions_lock);
}

bool verbs_mem_serves(const struct doca_devinfo *info)
{
	char reason[RDMA_REASON_MAX];
	struct rdma_limits limits;

	return verbs_query(info, &limits, reason);
}

/* Returns the device that a domain or a key is requested for. Returns NULL without an error
 * sentence if it is not of this provider. */
static struct verbs_device *device_of(const struct doca_dev *dev)
{
	char reason[RDMA_REASON_MAX];
	struct rdma_limits limits;

	return verbs_query(dev->info, &limits, reason) ? verbs_device_of(dev, reason) : NULL;
}

doca_error_t verbs_mem_get_remote(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out)
{
	struct verbs_device *device = device_of(dev);
	const struct mem_key *key;
	doca_error_t result;

	if (device == NULL)
		return DOCA_ERROR_NOT_SUPPORTED;
	result = verbs_mem_register(mmap, device, true, &key);
	if (result == DOCA_SUCCESS)
		*key_out = key->remote;
	verbs_device_unref(device);
	return result;
}

static struct ibv_mr *region_make_known(const struct verbs_device *device, void *addr,
					uint64_t known_as, size_t len, int access)
{
	if (known_as == (uintptr_t)addr)
		return device->api->reg_mr(device->pd, addr, len, access);
	if (device->api->reg_mr_iova != NULL)
		return device->api->reg_mr_iova(device->pd, addr, len, known_as, access);
	errno = ENOSYS;
	return NULL;
}

doca_error_t verbs_mem_make_on(struct verbs_device *device, void *addr, uint64_t known_as,
			       size_t len, uint32_t rights, struct mem_key **key_out)
{
	int access = remote_access(rights);
	struct verbs_mem *mem = calloc(1, sizeof(*mem));
	doca_error_t result;

	/* A region that peers may write needs the local right to write. */
	if (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC))
		access |= IBV_ACCESS_LOCAL_WRITE;
	if (mem != NULL)
		mem->mr = region_make_known(device, addr, known_as, len, access);
	if (mem == NULL || mem->mr == NULL) {
		result = mem == NULL ? error_set(DOCA_ERROR_NO_MEMORY, "mmap: out of memory")
				     : mem_failed(addr, len, access & IBV_ACCESS_LOCAL_WRITE,
						  device, errno);
		free(mem);
		return result;
	}
	mem->device = verbs_device_ref(device);
	mem->base = (struct mem_key){
		.device = device,
		.local = mem->mr->lkey,
		.remote = mem->mr->rkey,
		.is_remote = true,
		.free = mem_free,
	};
	*key_out = &mem->base;
	return DOCA_SUCCESS;
}

doca_error_t verbs_mem_make(struct doca_dev *dev, void *addr, uint64_t known_as, size_t len,
			    uint32_t rights, struct mem_key **key_out)
{
	struct verbs_device *device = device_of(dev);
	doca_error_t result;

	if (device == NULL)
		return DOCA_ERROR_NOT_SUPPORTED;
	result = verbs_mem_make_on(device, addr, known_as, len, rights, key_out);
	verbs_device_unref(device);
	return result;
}

/* --- for programs that use the device themselves --- */

doca_error_t verbs_mem_get_local(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out)
{
	const uint32_t rights = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |
				DOCA_ACCESS_FLAG_RDMA_ATOMIC;
	struct verbs_device *device = device_of(dev);
	const struct mem_key *key;
	doca_error_t result;

	if (device == NULL)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (mmap->from_export && mmap->has_remote_key) {
		/* The import's addresses are the exporter's, so its key is too. */
		*key_out = mmap->remote_key;
		result = DOCA_SUCCESS;
	} else {
		result = verbs_mem_register(mmap, device, (mmap->permissions & rights) != 0, &key);
		if (result == DOCA_SUCCESS)
			*key_out = key->local;
	}
	verbs_device_unref(device);
	return result;
}

const char *verbs_pd_device(const struct ibv_pd *pd)
{
	const char *why;
	const struct verbs_api *api = verbs_api(&why);

	return api == NULL || pd->context == NULL ? NULL
						  : api->get_device_name(pd->context->device);
}

static void pd_release(void *pd_holder)
{
	verbs_device_unref(pd_holder);
}

doca_error_t verbs_get_pd(struct doca_dev *dev, struct ibv_pd **pd_out)
{
	struct verbs_device *device;

	verbs_watch_forks();
	pthread_mutex_lock(&holders_lock);
	if (atomic_load(&dev->pd_holder) == NULL) {
		device = device_of(dev);
		if (device != NULL) {
			dev->returned_pd = device->pd;
			dev->pd_holder_free = pd_release;
			atomic_store(&dev->pd_holder, device);
		}
	}
	pthread_mutex_unlock(&holders_lock);
	if (atomic_load(&dev->pd_holder) == NULL)
		return DOCA_ERROR_NOT_SUPPORTED;
	*pd_out = dev->returned_pd;
	return DOCA_SUCCESS;
}
