/*
 * Limits of the system: the error sentence names the limit and how to change it.
 *
 *   limits_test memlock       under a small limit of locked memory
 *   limits_test permission    without permission to open the device
 *   limits_test gid           with an index that has no GID
 *   limits_test memory        of kinds that the device can or cannot lock; as root
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <doca_rdma.h>
#include <dococ.h>

#include "tests/vm/base.h"

#define SMALL  (16u << 10)
#define LARGE  (1u << 20)
#define RIGHTS (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ)

static void check_error_text(const char *word)
{
	check(strstr(dococ_last_error(), word) != NULL, "'%s' does not say '%s'",
	      dococ_last_error(), word);
}

static doca_error_t export_of(struct doca_dev *dev, size_t len)
{
	struct doca_mmap *mmap;
	uint8_t *memory = base_memory_new(dev, len, RIGHTS, &mmap);
	const void *desc;
	size_t desc_len;
	doca_error_t result = doca_mmap_export_rdma(mmap, dev, &desc, &desc_len);

	if (result != DOCA_SUCCESS)
		printf("as it should be: %s\n", dococ_last_error());
	/* The sentence must still be there after the calls that follow. */
	if (result != DOCA_SUCCESS && len == LARGE) {
		check_error_text("1048576 bytes cannot be registered");
		check_error_text("limit for that is 65536 bytes");
		check_error_text("ulimit -l");
	}
	OK(doca_mmap_destroy(mmap));
	free(memory);
	return result;
}

static void memlock(void)
{
	struct doca_dev *dev = base_dev_open(NULL);
	struct rlimit limit;

	check(getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == 65536, "%llu",
	      (unsigned long long)limit.rlim_cur);
	OK(export_of(dev, SMALL));
	check(export_of(dev, LARGE) == DOCA_ERROR_NO_MEMORY, "another code");
	OK(export_of(dev, SMALL));
	OK(doca_dev_close(dev));
}

/* Starts a context with that GID index and exports its connection details. */
static doca_error_t export_with(struct doca_dev *dev, uint32_t gid_index)
{
	struct doca_rdma_connection *conn;
	struct doca_rdma *rdma;
	struct doca_pe *pe;
	const void *details;
	doca_error_t result;
	size_t len;

	OK(doca_pe_create(&pe));
	OK(doca_rdma_create(dev, &rdma));
	result = doca_rdma_set_gid_index(rdma, gid_index);
	if (result == DOCA_SUCCESS) {
		OK(doca_pe_connect_ctx(pe, doca_rdma_as_ctx(rdma)));
		OK(doca_ctx_start(doca_rdma_as_ctx(rdma)));
		result = doca_rdma_export(rdma, &details, &len, &conn);
		if (result != DOCA_SUCCESS)
			check_error_text("not in use");
		base_ctx_stop(pe, doca_rdma_as_ctx(rdma));
	}
	OK(doca_rdma_destroy(rdma));
	OK(doca_pe_destroy(pe));
	return result;
}

static void gid(void)
{
	struct doca_dev *dev = base_dev_open(NULL);
	uint32_t n;

	OK(doca_rdma_cap_get_gid_table_size(doca_dev_as_devinfo(dev), &n));
	OK(export_with(dev, 1));
	FAILS(DOCA_ERROR_INVALID_VALUE, export_with(dev, n));
	FAILS(DOCA_ERROR_CONNECTION_ABORTED, export_with(dev, n - 1));
	OK(doca_dev_close(dev));
}

/* No other transport replaces the device, because it would reach different peers. */
static void permission(void)
{
	struct doca_dev *dev = base_dev_open(NULL);
	struct doca_rdma *rdma;

	FAILS(DOCA_ERROR_NOT_SUPPORTED,
	      doca_rdma_cap_task_write_is_supported(doca_dev_as_devinfo(dev)));
	check_error_text("cannot be opened (Permission denied)");
	check_error_text("/dev/infiniband");
	check(doca_rdma_create(dev, &rdma) != DOCA_SUCCESS, "it was created");
	check_error_text("Permission denied");
	OK(doca_dev_close(dev));
}

/* Exports a mapping. `cure` is "" if that must succeed, else a part of the error sentence. */
static void memory_of(struct doca_dev *dev, int prot, int flags, int fd, size_t hole_len,
		      const char *cure)
{
	const size_t len = 2u << 20;
	uint8_t *bytes = mmap(NULL, len, prot, flags | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
	struct doca_mmap *mmap;
	doca_error_t result;
	const void *desc;
	size_t desc_len;

	check(bytes != MAP_FAILED, "mmap: %m");
	check(hole_len == 0 || munmap(bytes + 8192, hole_len) == 0, "munmap: %m");
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, bytes, len));
	OK(doca_mmap_set_permissions(mmap, RIGHTS | DOCA_ACCESS_FLAG_RDMA_WRITE));
	OK(doca_mmap_add_dev(mmap, dev));
	OK(doca_mmap_start(mmap));
	result = doca_mmap_export_rdma(mmap, dev, &desc, &desc_len);
	if (*cure) {
		FAILS(DOCA_ERROR_INVALID_VALUE, result);
		check_error_text(cure);
	} else {
		OK(result);
	}
	OK(doca_mmap_destroy(mmap));
	munmap(bytes, len);
}

static void reserve_huge_pages(const char *n)
{
	int fd = open("/proc/sys/vm/nr_hugepages", O_WRONLY | O_CLOEXEC);

	check(fd >= 0 && write(fd, n, 1) == 1, "huge pages: %m");
	close(fd);
}

static void memory(void)
{
	const int both = PROT_READ | PROT_WRITE, huge = MAP_PRIVATE | MAP_HUGETLB | MAP_NORESERVE;
	int fd = memfd_create("memory", MFD_CLOEXEC);
	struct doca_dev *dev = base_dev_open(NULL);

	check(fd >= 0 && ftruncate(fd, 4096) == 0, "memfd: %m");
	memory_of(dev, both, MAP_SHARED, fd, 0, "let their file be as long as the mapping");
	check(ftruncate(fd, 2 << 20) == 0, "ftruncate: %m");
	memory_of(dev, both, MAP_SHARED, fd, 0, "");
	memory_of(dev, PROT_READ, MAP_PRIVATE, -1, 0, "map them with PROT_WRITE");
	memory_of(dev, both, MAP_PRIVATE, -1, 4096, "map all of the range");
	memory_of(dev, both, huge, -1, 0, "reserve more (/proc/sys/vm/nr_hugepages)");
	reserve_huge_pages("1");
	memory_of(dev, both, huge, -1, 0, "");
	reserve_huge_pages("0");
	close(fd);
	OK(doca_dev_close(dev));
}

int main(int argc, char **argv)
{
	const char *name = argc == 2 ? argv[1] : "";

	if (strcmp(name, "memlock") == 0)
		memlock();
	else if (strcmp(name, "permission") == 0)
		permission();
	else if (strcmp(name, "gid") == 0)
		gid();
	else if (strcmp(name, "memory") == 0)
		memory();
	else
		check(false, "usage: limits_test memlock|permission|gid|memory");
	printf("ok: %s\n", name);
	return 0;
}
