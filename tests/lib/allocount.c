/* The counting heap, see tests/lib/allocount.h. */
#include "tests/lib/allocount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef DOCO_SANITIZED
const bool allocount_works = false;

uint64_t allocount_n(void)
{
	return 0;
}

void allocount_fail_after(unsigned n)
{
	(void)n;
}

void allocount_fail_never(void)
{
}
#else
const bool allocount_works = true;

void *__libc_malloc(size_t len);
void *__libc_calloc(size_t n, size_t len);
void *__libc_realloc(void *ptr, size_t len);
void *__libc_memalign(size_t alignment, size_t len);

static atomic_uint_fast64_t n_allocations;
static _Thread_local bool failing;
static _Thread_local unsigned left;

uint64_t allocount_n(void)
{
	return atomic_load(&n_allocations);
}

void allocount_fail_after(unsigned n)
{
	left = n;
	failing = true;
}

void allocount_fail_never(void)
{
	failing = false;
}

static bool allowed(void)
{
	atomic_fetch_add_explicit(&n_allocations, 1, memory_order_relaxed);
	if (!failing || left > 0) {
		left -= failing;
		return true;
	}
	errno = ENOMEM;
	return false;
}

/* Seen by the shared libraries, whatever the build hides by default. */
#pragma GCC visibility push(default)
void *malloc(size_t len)
{
	return allowed() ? __libc_malloc(len) : NULL;
}

void *calloc(size_t n, size_t len)
{
	return allowed() ? __libc_calloc(n, len) : NULL;
}

void *realloc(void *ptr, size_t len)
{
	return allowed() ? __libc_realloc(ptr, len) : NULL;
}

void *memalign(size_t alignment, size_t len);
void *memalign(size_t alignment, size_t len)
{
	return allowed() ? __libc_memalign(alignment, len) : NULL;
}

void *aligned_alloc(size_t alignment, size_t len)
{
	return memalign(alignment, len);
}

int posix_memalign(void **ptr_out, size_t alignment, size_t len)
{
	void *ptr = memalign(alignment, len);

	if (ptr == NULL)
		return ENOMEM;
	*ptr_out = ptr;
	return 0;
}
#pragma GCC visibility pop
#endif
