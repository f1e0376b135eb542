/* Adoption of private memory; see client/memory/adopt.h. */
#include "client/memory/adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "client/memory/adopt_check.h"
#include "client/memory/page_move.h"
#include "client/memory/vma.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/util.h"

/* The memfd has room for this much growth of a block by realloc(). Holes take no memory. */
#define ADOPT_GROWTH_MAX ((size_t)1 << 42)

static pthread_mutex_t adopt_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list adoptions = LIST_INIT(adoptions);
static bool watches_forks;
/* The signals that the holder of adopt_lock had blocked before. */
static sigset_t signals_before;

/*
 * Takes adopt_lock and blocks signals. A signal handler that runs on the thread that moves pages
 * must not touch these pages: it would wait for its own thread. Nor may it fork, which takes
 * adopt_lock. SIGSYS stays, because the handler of a sandbox carries out system calls.
 */
static void adoptions_lock(void)
{
	sigset_t all, before;

	sigfillset(&all);
	sigdelset(&all, SIGSYS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&adopt_lock);
	signals_before = before;
}

static void adoptions_unlock(void)
{
	sigset_t before = signals_before;

	pthread_mutex_unlock(&adopt_lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- where adopted pages are --- */

static bool vma_is_of(const struct vma *vma, const struct adoption *adoption)
{
	return vma->is_shared && vma->ino == adoption->ino &&
	       makedev(vma->major, vma->minor) == adoption->dev;
}

static struct adoption *adoption_of_locked(const struct vma *vma)
{
	struct adoption *adoption;

	list_for_each(adoption, &adoptions, node)
	{
		if (vma_is_of(vma, adoption))
			return adoption;
	}
	return NULL;
}

/* Returns whether all of [start, end) is mapped from the memfd as it was adopted. The program may
 * have unmapped pages, and others may be there now. */
static bool adoption_covers(const struct adoption *adoption, uint64_t start, uint64_t end)
{
	uint64_t base = (uintptr_t)adoption->addr, at = start;
	struct vma_reader maps;
	struct vma vma;

	if (start < base || end > base + adoption->len || vma_reader_open(&maps) < 0)
		return false;
	while (at < end && vma_find(&maps, at, &vma) && vma.start <= at &&
	       vma_is_of(&vma, adoption) && vma.offset + (at - vma.start) == at - base)
		at = vma.end;
	vma_reader_close(&maps);
	return at >= end;
}

static struct adoption *adoption_find_locked(const void *addr, size_t len)
{
	struct adoption *adoption;

	list_for_each(adoption, &adoptions, node)
	{
		if (adoption_covers(adoption, (uintptr_t)addr, (uintptr_t)addr + len))
			return adoption;
	}
	return NULL;
}

/* --- release --- */

static int vma_release(int uffd, const struct adoption *adoption, const struct vma *vma)
{
	int r = 0;

	for (uint64_t at = vma->start; at < vma->end && r == 0; at += ADOPT_STEP_LEN)
		r = page_move_release(uffd, adoption->fd, vma, (uint8_t *)at,
				      MIN(vma->end - at, ADOPT_STEP_LEN),
				      vma->offset + (at - vma->start));
	return r;
}

static int adoption_release_by(int uffd, const struct adoption *adoption)
{
	struct vma_reader maps;
	struct vma vma = {.end = 0};
	int r = vma_reader_open(&maps);

	if (r < 0)
		return r;
	while (r == 0 && vma_find(&maps, vma.end, &vma)) {
		if (vma_is_of(&vma, adoption))
			r = vma_release(uffd, adoption, &vma);
	}
	if (r == 0)
		r = maps.error;
	vma_reader_close(&maps);
	return r;
}

static bool adoption_is_mapped(const struct adoption *adoption)
{
	struct vma_reader maps;
	struct vma vma = {.end = 0};
	bool found = false;

	if (vma_reader_open(&maps) < 0)
		return true;
	while (!found && vma_find(&maps, vma.end, &vma))
		found = vma_is_of(&vma, adoption);
	/* A mapping that cannot be read may be one of the adoption's. */
	found |= maps.error != 0;
	vma_reader_close(&maps);
	return found;
}

static int adoption_release_pages(const struct adoption *adoption)
{
	CLEANUP_FD int uffd = page_move_open_release();

	return uffd < 0 ? uffd : adoption_release_by(uffd, adoption);
}

static int adoption_release_locked(const struct adoption *adoption)
{
	/* The program may have unmapped all, and a forked child has copies. */
	if (!adoption_is_mapped(adoption))
		return 0;
	/* A device that has pinned the pages would go on using those of the memfd. */
	return adopt_has_pins() ? -EBUSY : adoption_release_pages(adoption);
}

static void adoption_free(struct adoption *adoption)
{
	fd_close(&adoption->fd);
	free(adoption);
}

/* Tries to give back the pages of adoptions without users. Returns the last error or 0. */
static int adoptions_release_unused_locked(void)
{
	struct adoption *adoption, *tmp;
	int r = 0;

	list_for_each_safe(adoption, tmp, &adoptions, node)
	{
		int failed = adoption->n_users > 0 ? 1 : adoption_release_locked(adoption);

		if (failed == 0) {
			list_remove(&adoption->node);
			adoption_free(adoption);
		} else if (failed < 0) {
			r = failed;
		}
	}
	return r;
}

/*
 * Releases the pages that an adoption moved before it failed. Pinned memory of the process is no
 * reason to refuse: pinned pages are not moved, so only what another thread pins in between is
 * overlooked.
 */
static void adoption_undo_locked(struct adoption *adoption)
{
	/* Otherwise a later release tries again. */
	if (adoption_release_pages(adoption) < 0)
		return;
	list_remove(&adoption->node);
	adoption_free(adoption);
}

/* --- fork --- */

/* A copy of adopted pages for the child. */
struct fork_copy {
	uint8_t *at, *copy; /* copy is NULL if memory was short */
	size_t len;
};

/* The copies to make for a child. They are in a mapping of their own, because the heap may be
 * damaged when a program forks. */
static struct {
	struct fork_copy *copies;
	size_t n, max;
} fork_copies;

static size_t fork_copies_size(size_t n)
{
	return ALIGN_UP(n * sizeof(struct fork_copy), memfd_page_size());
}

static void *fork_copies_grow(size_t max)
{
	if (fork_copies.copies == NULL)
		return mmap(NULL, fork_copies_size(max), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mremap(fork_copies.copies, fork_copies_size(fork_copies.max), fork_copies_size(max),
		      MREMAP_MAYMOVE);
}

static void fork_copy_add(const struct adoption *adoption, const struct vma *vma)
{
	size_t len = vma->end - vma->start, max = fork_copies.max == 0 ? 128 : 2 * fork_copies.max;

	if (fork_copies.n == fork_copies.max) {
		void *copies = fork_copies_grow(max);

		/* Without a copy the child has nothing there, and faults. */
		if (copies == MAP_FAILED)
			return;
		fork_copies.copies = copies;
		fork_copies.max = max;
	}
	fork_copies.copies[fork_copies.n++] =
		(struct fork_copy){.at = (uint8_t *)vma->start,
				   .copy = page_copy(adoption->fd, vma, len, vma->offset),
				   .len = len};
}

static void fork_copies_make(void)
{
	struct vma_reader maps;
	struct vma vma = {.end = 0};

	if (list_is_empty(&adoptions) || vma_reader_open(&maps) < 0)
		return;
	while (vma_find(&maps, vma.end, &vma)) {
		const struct adoption *adoption = adoption_of_locked(&vma);

		if (adoption != NULL)
			fork_copy_add(adoption, &vma);
	}
	vma_reader_close(&maps);
}

static void fork_copies_free(void)
{
	if (fork_copies.copies != NULL)
		munmap(fork_copies.copies, fork_copies_size(fork_copies.max));
	fork_copies.copies = NULL;
	fork_copies.n = fork_copies.max = 0;
}

static void fork_prepare(void)
{
	int saved = errno;

	adoptions_lock();
	fork_copies_make();
	errno = saved;
}

/* Also called when the fork has failed. */
static void fork_parent(void)
{
	int saved = errno;

	for (size_t i = 0; i < fork_copies.n; i++) {
		if (fork_copies.copies[i].copy != NULL)
			munmap(fork_copies.copies[i].copy, fork_copies.copies[i].len);
	}
	fork_copies_free();
	adoptions_unlock();
	errno = saved;
}

/* Puts the parts of the copy in place where the child has no mapping, and frees the others. */
static void fork_copy_put_parts(const struct fork_copy *copy)
{
	uint8_t *at = copy->at, *end = copy->at + copy->len;
	struct vma_reader maps;
	struct vma vma;

	if (vma_reader_open(&maps) < 0)
		return;
	while (at < end) {
		bool found = vma_find(&maps, (uintptr_t)at, &vma);
		uint8_t *taken = found ? MIN((uint8_t *)vma.start, end) : end;
		uint8_t *next = found ? MIN((uint8_t *)vma.end, end) : end;

		if (at < taken)
			(void)page_replace(at, copy->copy + (at - copy->at), (size_t)(taken - at));
		taken = MAX(taken, at);
		if (taken < next)
			munmap(copy->copy + (taken - copy->at), (size_t)(next - taken));
		at = next;
	}
	vma_reader_close(&maps);
}

/*
 * The child has no adopted pages (MADV_DONTFORK). If it has a mapping there, another thread of the
 * parent has unmapped the pages since they were copied, and the addresses have a new owner.
 */
static void fork_copy_put(const struct fork_copy *copy)
{
	void *claim = mmap(copy->at, copy->len, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1,
			   0);

	if (claim == copy->at)
		(void)page_replace(copy->at, copy->copy, copy->len);
	else
		fork_copy_put_parts(copy);
}

/* The adoptions stay, because memory maps refer to them, but no page of them is mapped here. */
static void fork_child(void)
{
	int saved = errno;

	for (size_t i = 0; i < fork_copies.n; i++) {
		if (fork_copies.copies[i].copy != NULL)
			fork_copy_put(&fork_copies.copies[i]);
	}
	fork_copies_free();
	adoptions_unlock();
	errno = saved;
}

/*
 * Installs the handlers when the library is loaded. They then run after most other handlers before
 * a fork, so that the copies contain what those changed, and before most others in the child.
 */
__attribute__((constructor)) static void fork_watch(void)
{
	watches_forks = pthread_atfork(fork_prepare, fork_parent, fork_child) == 0;
}

/* --- adoptions --- */

static int adoption_refuse(int error, const char *why, char reason[ADOPT_REASON_MAX])
{
	snprintf(reason, ADOPT_REASON_MAX, "%s", why);
	return error;
}

/* Moves one step, which may lie in several mappings. */
static int adoption_move_step(int uffd, struct vma_reader *maps, const struct adoption *adoption,
			      uint8_t *at, uint8_t *end)
{
	struct vma vma;
	int r = 0;

	while (at < end && r == 0) {
		size_t len;

		if (!vma_find(maps, (uintptr_t)at, &vma) || vma.start > (uintptr_t)at)
			return -ENOMEM;
		len = (size_t)(MIN(vma.end, (uintptr_t)end) - (uintptr_t)at);
		r = page_move_adopt(uffd, adoption->fd, at, len, (uint64_t)(at - adoption->addr));
		at += len;
	}
	return r;
}

static int adoption_move_locked(int uffd, const struct adoption *adoption)
{
	uint8_t *end = adoption->addr + adoption->len;
	struct vma_reader maps;
	int r = vma_reader_open(&maps);

	if (r < 0)
		return r;
	for (uint8_t *at = adoption->addr; at < end && r == 0; at += ADOPT_STEP_LEN)
		r = adoption_move_step(uffd, &maps, adoption, at,
				       at + MIN((size_t)(end - at), ADOPT_STEP_LEN));
	vma_reader_close(&maps);
	return r;
}

static int adoption_explain(int error, char reason[ADOPT_REASON_MAX])
{
	switch (error) {
	case -EPERM:
		return adoption_refuse(
			-ENOTSUP,
			"with several threads a userfaultfd that stops system calls is "
			"needed: set vm.unprivileged_userfaultfd to 1, or export "
			"before threads start",
			reason);
	case -ENOSYS:
		return adoption_refuse(
			-ENOTSUP, "the kernel does not move pages: Linux 6.8 is needed", reason);
	case -EBUSY:
		return adoption_refuse(
			error, "a device uses pages of the range: RDMA, io_uring or O_DIRECT",
			reason);
	case -ENOSPC:
	case -ENOMEM:
		return adoption_refuse(error, "no room for a memfd of the range's length", reason);
	default:
		snprintf(reason, ADOPT_REASON_MAX, "the kernel does not move the pages: %s",
			 strerror(-error));
		return error;
	}
}

/* Moves the pages into the memfd, step by step. The pages of a step that fails stay private; those
 * of earlier steps stay moved. */
static int adoption_fill_locked(struct adoption *adoption, char reason[ADOPT_REASON_MAX])
{
	CLEANUP_FD int uffd = page_move_open();
	int r = uffd < 0 ? uffd : adoption_move_locked(uffd, adoption);

	return r < 0 ? adoption_explain(r, reason) : 0;
}

static int adoption_open_file(struct adoption *adoption)
{
	struct rlimit limit;
	size_t size = adoption->len + ADOPT_GROWTH_MAX;
	struct stat st;

	/* The kernel would send SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0)
		size = MIN(size, limit.rlim_cur);
	if (size < adoption->len)
		return -EFBIG;
	adoption->fd = memfd_create_sealable("dococ-adopted", size);
	if (adoption->fd < 0)
		return adoption->fd;
	if (fstat(adoption->fd, &st) < 0)
		return -errno;
	adoption->dev = st.st_dev;
	adoption->ino = st.st_ino;
	return 0;
}

static int adoption_make_locked(uint8_t *start, size_t len, struct adoption **adoption_out,
				char reason[ADOPT_REASON_MAX])
{
	struct adoption *adoption = calloc(1, sizeof(*adoption));
	int r;

	if (adoption == NULL)
		return adoption_refuse(-ENOMEM, "out of memory", reason);
	*adoption = (struct adoption){.addr = start, .len = len, .fd = -1};
	r = adoption_open_file(adoption);
	if (r < 0) {
		adoption_free(adoption);
		return adoption_explain(r, reason);
	}
	/* It is in the list first: if a step fails and the moved pages cannot be released at once,
	 * a later release finds them there, without a user. */
	list_append(&adoptions, &adoption->node);
	r = adoption_fill_locked(adoption, reason);
	if (r < 0) {
		adoption_undo_locked(adoption);
		return r;
	}
	*adoption_out = adoption;
	return 0;
}

static int adoption_get_locked(uintptr_t addr, size_t len, struct adoption **adoption_out,
			       char reason[ADOPT_REASON_MAX])
{
	uintptr_t page = memfd_page_size(), start = addr & ~(page - 1);
	uintptr_t end = ALIGN_UP(addr + len, page);
	const char *wrong;

	*adoption_out = adoption_find_locked((void *)start, end - start);
	if (*adoption_out != NULL)
		return 0;
	(void)adoptions_release_unused_locked();
	wrong = adopt_check(addr, len);
	if (wrong != NULL)
		return adoption_refuse(-ENOTSUP, wrong, reason);
	return adoption_make_locked((uint8_t *)start, end - start, adoption_out, reason);
}

int adoption_new(void *addr, size_t len, struct adoption **adoption_out,
		 char reason[ADOPT_REASON_MAX])
{
	int r;

	if (len < ADOPT_MIN_LEN)
		return adoption_refuse(-ENOTSUP, "the range is shorter than 64 KiB", reason);
	if (!watches_forks)
		return adoption_refuse(-ENOMEM, "forks cannot be watched: out of memory", reason);
	adoptions_lock();
	r = adoption_get_locked((uintptr_t)addr, len, adoption_out, reason);
	if (r == 0)
		(*adoption_out)->n_users++;
	adoptions_unlock();
	return r;
}

struct adoption *adoption_find(const void *addr, size_t len)
{
	struct adoption *found;

	adoptions_lock();
	found = adoption_find_locked(addr, len);
	if (found != NULL)
		found->n_users++;
	adoptions_unlock();
	return found;
}

bool adoption_has_file(int fd)
{
	struct adoption *adoption;
	bool found = false;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	adoptions_lock();
	list_for_each(adoption, &adoptions, node)
	{
		found = found || (adoption->dev == st.st_dev && adoption->ino == st.st_ino);
	}
	adoptions_unlock();
	return found;
}

int adoption_end(struct adoption *adoption)
{
	int r;

	if (adoption == NULL)
		return 0;
	adoptions_lock();
	adoption->n_users--;
	r = adoptions_release_unused_locked();
	adoptions_unlock();
	return r;
}
