/* Bounce memory; see util/bounce.h. */
#include "util/bounce.h"

#include <sys/mman.h>

#include "util/util.h"

/* A multiple of every page size of Linux that is common. */
#define BOUNCE_UNIT ((size_t)64 << 10)

bool bounce_grow(struct bounce *bounce, size_t n)
{
	/* Doubling keeps the number of system calls small. */
	size_t len = MAX(ALIGN_UP(n, BOUNCE_UNIT), 2 * bounce->len);
	/* With MAP_NORESERVE the kernel does not account for memory that is never used. */
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (map == MAP_FAILED)
		return false;
	bounce_free(bounce);
	if (bounce->is_secret)
		(void)madvise(map, len, MADV_DONTDUMP);
	bounce->bytes = map;
	bounce->len = len;
	return true;
}

void bounce_give_back(const struct bounce *bounce, size_t n)
{
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
