/*
 * Shared memory for applications (dococ_mem_alloc): memfds that importers can map. The table of
 * allocations shows doca_mmap_start() which ranges are of this kind.
 *
 * A memfd serves either importers that may write or importers that may only read.
 * F_SEAL_FUTURE_WRITE is the only restriction that binds an importer of the same user, and it is a
 * property of the memory, not of a descriptor. The first use decides: see memfd_settle(). Threads:
 * any; one lock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <dococ.h>

#include "client/base/error.h"
#include "client/memory/mmap.h"
#include "util/fd.h"
#include "util/memfd.h"

struct mem {
	struct list node;
	void *addr;
	size_t len;
	int fd;
	dev_t dev; /* the device number of fd's file */
	ino_t ino;
};

static pthread_mutex_t mem_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list mems = LIST_INIT(mems);

static bool mem_identify(struct mem *mem)
{
	struct stat st;

	if (fstat(mem->fd, &st) < 0)
		return false;
	mem->dev = st.st_dev;
	mem->ino = st.st_ino;
	return true;
}

doca_error_t dococ_mem_alloc(size_t len, void **addr_out, int *memfd_out)
{
	struct mem *mem;

	if (len == 0 || addr_out == NULL || len > SIZE_MAX - memfd_page_size())
		return error_set(DOCA_ERROR_INVALID_VALUE, "mem alloc: %s",
				 addr_out == NULL ? "the result is NULL"
						  : "the length is 0 or too large");
	len = ALIGN_UP(len, memfd_page_size());
	mem = calloc(1, sizeof(*mem));
	if (mem == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "mem alloc: out of memory");
	mem->len = len;
	mem->fd = memfd_create_sealable("dococ-mem", len);
	if (mem->fd >= 0)
		mem->addr = memfd_map(mem->fd, 0, len, true);
	if (mem->addr == NULL || !mem_identify(mem)) {
		memfd_unmap(mem->addr, len);
		fd_close(&mem->fd);
		free(mem);
		return error_set(DOCA_ERROR_NO_MEMORY, "mem alloc: %zu bytes of shared memory: %m",
				 len);
	}
	pthread_mutex_lock(&mem_lock);
	list_append(&mems, &mem->node);
	pthread_mutex_unlock(&mem_lock);
	*addr_out = mem->addr;
	if (memfd_out != NULL)
		*memfd_out = mem->fd;
	return DOCA_SUCCESS;
}

doca_error_t dococ_mem_free(void *addr)
{
	struct mem *mem, *found = NULL;

	pthread_mutex_lock(&mem_lock);
	list_for_each(mem, &mems, node)
	{
		if (mem->addr == addr) {
			found = mem;
			list_remove(&mem->node);
			break;
		}
	}
	pthread_mutex_unlock(&mem_lock);
	if (found == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "mem free: %p is not the start of memory from dococ_mem_alloc",
				 addr);
	memfd_unmap(found->addr, found->len);
	fd_close(&found->fd);
	free(found);
	return DOCA_SUCCESS;
}

int mem_find_memfd(const void *addr, size_t len, int *fd_out, uint64_t *offset_out)
{
	struct mem *mem;
	int r = -ENOENT;

	pthread_mutex_lock(&mem_lock);
	list_for_each(mem, &mems, node)
	{
		size_t at = (size_t)((uintptr_t)addr - (uintptr_t)mem->addr);

		if (at < mem->len && len <= mem->len - at) {
			/* The descriptor is duplicated, because another thread may free the memory
			 * and close it. */
			r = fd_dup(mem->fd);
			if (r >= 0) {
				*fd_out = r;
				*offset_out = at;
				r = 0;
			}
			break;
		}
	}
	pthread_mutex_unlock(&mem_lock);
	return r;
}

/* Returns the allocation that the descriptor refers to, or NULL. */
static struct mem *mem_find_fd_locked(int fd)
{
	struct mem *mem;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return NULL;
	list_for_each(mem, &mems, node)
	{
		if (mem->dev == st.st_dev && mem->ino == st.st_ino)
			return mem;
	}
	return NULL;
}

bool mem_admit(int fd, bool writes)
{
	struct mem *mem;
	bool admitted;

	pthread_mutex_lock(&mem_lock);
	mem = mem_find_fd_locked(fd);
	if (mem != NULL)
		admitted = memfd_settle(mem->fd, writes);
	else
		admitted = writes ? memfd_is_writable(fd) : memfd_verify_unwritable(fd, 0) == 0;
	pthread_mutex_unlock(&mem_lock);
	return admitted;
}
