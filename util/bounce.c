/* Bounce memory; see util/bounce.h. */
#include "util/bounce.h"

#include <sys/mman.h>

#include "util/util.h"

/* A multiple of every page size of Linux that is common. */
#define BOUNCE_UNIT ((size_t)64 << 10)

/* With MAP_NORESERVE the kernel does not account for memory that is never used. */
static void *reserve(size_t len)
{
	return mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		    -1, 0);
}

bool bounce_grow(struct bounce *bounce, size_t n)
{
	size_t min_len = ALIGN_UP(n, BOUNCE_UNIT);
	/* Doubling keeps the number of system calls small. */
	size_t len = MAX(min_len, 2 * bounce->len);
	void *map = reserve(len);

	if (map == MAP_FAILED) {
		len = min_len;
		map = reserve(len);
	}
	bounce_free(bounce);
	/* The present memory may have taken the address space. */
	if (map == MAP_FAILED)
		map = reserve(len);
	if (map == MAP_FAILED)
		return false;
	if (bounce->is_secret) {
		(void)madvise(map, len, MADV_DONTDUMP);
		(void)madvise(map, len, MADV_WIPEONFORK);
	}
	bounce->bytes = map;
	bounce->len = len;
	return true;
}

void bounce_give_back(const struct bounce *bounce, size_t n)
{
	/* There is less than n if bounce_grow() has failed meanwhile. */
	n = MIN(n, bounce->len);
	if (n > BOUNCE_KEEP)
		(void)madvise(bounce->bytes + BOUNCE_KEEP, ALIGN_UP(n - BOUNCE_KEEP, BOUNCE_UNIT),
			      MADV_DONTNEED);
}

void bounce_free(struct bounce *bounce)
{
	if (bounce->len != 0)
		munmap(bounce->bytes, bounce->len);
	bounce->bytes = NULL;
	bounce->len = 0;
}
