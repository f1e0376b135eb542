/* The counting heap, see tests/lib/allocount.h. */
#include "tests/lib/allocount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

void allocount_fail_one(unsigned n)
{
	(void)n;
}

bool allocount_has_failed_one(void)
{
	return false;
}

void allocount_share(void)
{
}

void allocount_fail_one_of(pid_t pid, unsigned n)
{
	(void)pid;
	(void)n;
}

int64_t allocount_n_live(void)
{
	return 0;
}
#else
const bool allocount_works = true;

void *__libc_malloc(size_t len);
void *__libc_calloc(size_t n, size_t len);
void *__libc_realloc(void *ptr, size_t len);
void *__libc_memalign(size_t alignment, size_t len);
void __libc_free(void *ptr);

static atomic_int_fast64_t n_live;
/* Values of `until` besides the number of allocations before the one that fails. */
enum { NEVER = -1, HAS_FAILED = -2 };
struct one {
	atomic_int_fast64_t until;
	_Atomic pid_t pid; /* 0: any process that shares this state */
};

static struct one own = {.until = NEVER};
static struct one *one = &own;
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

void allocount_fail_one(unsigned n)
{
	atomic_store(&one->until, n);
}

void allocount_share(void)
{
	void *page = mmap(NULL, sizeof(*one), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED)
		abort();
	one = page;
	atomic_store(&one->until, NEVER);
}

void allocount_fail_one_of(pid_t pid, unsigned n)
{
	atomic_store(&one->pid, pid);
	atomic_store(&one->until, n);
}

bool allocount_has_failed_one(void)
{
	return atomic_exchange(&one->until, NEVER) == HAS_FAILED;
}

int64_t allocount_n_live(void)
{
	return atomic_load(&n_live);
}

static bool is_chosen(void)
{
	int_fast64_t n_outstanding_now = atomic_load_explicit(&one->until, memory_order_relaxed);

	if (n_outstanding_now >= 0 && one->pid != 0 && one->pid != getpid())
		return false;
	while (n_outstanding_now >= 0)
		if (atomic_compare_exchange_weak(&one->until, &n_outstanding_now,
						 n_outstanding_now > 0 ? n_outstanding_now - 1
								       : HAS_FAILED))
			return n_outstanding_now == 0;
	return false;
}

static bool allowed(void)
{
	atomic_fetch_add_explicit(&n_allocations, 1, memory_order_relaxed);
	if (is_chosen()) {
		errno = ENOMEM;
		return false;
	}
	if (!failing || left > 0) {
		left -= failing;
		return true;
	}
	errno = ENOMEM;
	return false;
}

static void *counted(void *ptr)
{
	if (ptr != NULL)
		atomic_fetch_add_explicit(&n_live, 1, memory_order_relaxed);
	return ptr;
}

/*
 * The functions must be visible to the shared libraries, even if the build hides symbols by
 * default.
 */
#pragma GCC visibility push(default)
void *malloc(size_t len)
{
	return allowed() ? counted(__libc_malloc(len)) : NULL;
}

void *calloc(size_t n, size_t len)
{
	return allowed() ? counted(__libc_calloc(n, len)) : NULL;
}

void *realloc(void *ptr, size_t len)
{
	if (ptr != NULL && len == 0) {
		free(ptr);
		return NULL;
	}
	if (!allowed())
		return NULL;
	return ptr == NULL ? counted(__libc_malloc(len)) : __libc_realloc(ptr, len);
}

void free(void *ptr)
{
	if (ptr != NULL)
		atomic_fetch_sub_explicit(&n_live, 1, memory_order_relaxed);
	__libc_free(ptr);
}

void *memalign(size_t alignment, size_t len);
void *memalign(size_t alignment, size_t len)
{
	return allowed() ? counted(__libc_memalign(alignment, len)) : NULL;
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

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (is_chosen()) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

int memfd_create(const char *name, unsigned flags)
{
	if (is_chosen()) {
		errno = ENOMEM;
		return -1;
	}
	return (int)syscall(SYS_memfd_create, name, flags);
}
#pragma GCC visibility pop
#endif
