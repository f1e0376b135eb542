/* Which private memory may be adopted; see client/memory/adopt_check.h. */
#include "client/memory/adopt_check.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client/memory/vma.h"
#include "util/memfd.h"
#include "util/util.h"

/* --- flags of mappings --- */

/* One mapping of /proc/self/smaps. */
struct mapping {
	unsigned long long start, end, offset, ino;
	unsigned major, minor;
	char rights[5];
	char name[64];
};

static bool mapping_parse(const char *line, struct mapping *mapping_out)
{
	mapping_out->name[0] = '\0';
	return sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %63s", &mapping_out->start,
		      &mapping_out->end, mapping_out->rights, &mapping_out->offset,
		      &mapping_out->major, &mapping_out->minor, &mapping_out->ino,
		      mapping_out->name) >= 7;
}

static const char *mapping_wrong(const struct mapping *mapping)
{
	if (mapping->ino != 0)
		return "part of the range lies in the mapping of a file";
	if (strncmp(mapping->rights, "rw-p", 4) != 0)
		return "the range is not private memory that can be read and written only";
	if (strcmp(mapping->name, "[stack]") == 0)
		return "the range lies on the stack";
	return NULL;
}

/* Flags of a mapping that forbid its adoption, as in VmFlags of /proc/self/smaps. */
static const char *flags_wrong(const char *flags)
{
	static const struct {
		const char *flag, *why;
	} all[] = {
		{" ht", "the range is of huge pages"},
		{" lo", "the range is locked (mlock)"},
		{" gd", "the range lies on a stack"},
		{" io", "the range is memory of a device"},
		{" pf", "the range is memory of a device"},
		{" um", "another userfaultfd watches the range"},
		{" uw", "another userfaultfd watches the range"},
		{" ui", "another userfaultfd watches the range"},
		{" dc", "the range is not copied by fork (MADV_DONTFORK), as RDMA libraries ask"},
		{" wf", "the range is emptied by fork (MADV_WIPEONFORK)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (strstr(flags, all[i].flag) != NULL)
			return all[i].why;
	}
	return NULL;
}

static const char *pages_wrong(uint64_t start, uint64_t end)
{
	const char *wrong = "part of the range is not mapped";
	FILE *file = fopen("/proc/thread-self/smaps", "re");
	struct mapping mapping, current = {.end = 0};
	uint64_t at = start;
	char *line = NULL;
	size_t size = 0;

	if (file == NULL)
		return "/proc is not mounted";
	while (at < end && getline(&line, &size, file) > 0) {
		if (mapping_parse(line, &mapping)) {
			current = mapping;
			continue;
		}
		if (strncmp(line, "VmFlags:", 8) != 0 || current.end <= at)
			continue;
		if (current.start > at)
			break;
		wrong = mapping_wrong(&current);
		if (wrong == NULL)
			wrong = flags_wrong(line);
		if (wrong != NULL)
			break;
		at = current.end;
		wrong = at < end ? "part of the range is not mapped" : NULL;
	}
	free(line);
	fclose(file);
	return wrong;
}

/* --- stacks --- */

static bool vma_of(uint64_t addr, struct vma *vma_out)
{
	struct vma_reader maps;
	bool found;

	if (vma_reader_open(&maps) < 0)
		return false;
	found = vma_find(&maps, addr, vma_out) && vma_out->start <= addr;
	vma_reader_close(&maps);
	return found;
}

/* Space for thread-local variables above a thread's descriptor. */
#define DESCRIPTOR_MAX 65536u

/*
 * Returns whether the pages overlap the stack or the thread-local variables of the thread. Thread
 * stacks have no name. The list of robust mutexes, whose address the kernel knows, is part of the
 * thread's descriptor, which lies at the upper end of the stack. That of the process's first thread
 * does not lie on its stack.
 */
static bool is_memory_of(pid_t thread, uint64_t start, uint64_t end)
{
	uint64_t head = 0, low;
	size_t len;
	struct vma vma;

	if (syscall(SYS_get_robust_list, thread, &head, &len) < 0 || head == 0 ||
	    !vma_of(head, &vma))
		return false;
	low = thread == getpid() ? head - DESCRIPTOR_MAX : vma.start;
	return start < MIN(head + DESCRIPTOR_MAX, vma.end) && end > MAX(low, vma.start);
}

static bool is_of_a_thread(uint64_t start, uint64_t end)
{
	/* /proc/self would fail once the process's first thread has exited. */
	DIR *dir = opendir("/proc/thread-self/..");
	bool found = (uintptr_t)&errno >= start && (uintptr_t)&errno < end;
	struct dirent *entry;

	if (dir == NULL)
		return true;
	while (!found && (entry = readdir(dir)) != NULL)
		found = entry->d_name[0] != '.' && is_memory_of(atoi(entry->d_name), start, end);
	closedir(dir);
	return found;
}

/* --- pages that the range shares with other memory --- */

/* glibc's heaps of threads begin at multiples of this. */
#define ARENA_LEN ((uint64_t)64 << 20)

/* The beginning of such a heap. */
struct arena_head {
	uintptr_t arena, previous;
	size_t len, accessible_len;
};

/* Returns whether the page lies in a heap of glibc's malloc(), where other blocks may share it. */
static bool is_in_heap(uint64_t page)
{
	uint64_t base = page & ~(ARENA_LEN - 1);
	struct arena_head head;
	struct iovec local = {&head, sizeof(head)}, remote = {(void *)base, sizeof(head)};
	struct vma vma;

	if (!vma_of(page, &vma) || vma.is_heap)
		return true;
	/* An earlier adoption may have split the heap into several mappings. If there is nothing to
	 * read in another mapping, this one is a larger block's own. In the same mapping, a
	 * sanitizer may have marked the memory as unreadable. */
	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != sizeof(head))
		return base >= vma.start;
	return head.len >= page - base && head.len <= head.accessible_len &&
	       head.accessible_len <= ARENA_LEN && head.len % memfd_page_size() == 0 &&
	       head.arena != 0 && head.arena % sizeof(void *) == 0;
}

/*
 * A forked child gets the pages as they were shortly before the fork. That is right for data of the
 * program, but another thread may change the allocator's data in between, and the child's heap
 * would be damaged.
 */
static bool shares_heap_page(uintptr_t addr, size_t len)
{
	uintptr_t page = memfd_page_size(), end = addr + len;

	return (addr % page != 0 && is_in_heap(addr & ~(page - 1))) ||
	       (end % page != 0 && is_in_heap(end & ~(page - 1)));
}

const char *adopt_check(uintptr_t addr, size_t len)
{
	uintptr_t page = memfd_page_size(), start = addr & ~(page - 1);
	uintptr_t end = ALIGN_UP(addr + len, page);
	const char *wrong;

	/* A thread cannot move the stack that it runs on. */
	if ((uintptr_t)__builtin_frame_address(0) >= start &&
	    (uintptr_t)__builtin_frame_address(0) < end)
		return "the range lies on the stack";
	wrong = pages_wrong(start, end);
	if (wrong != NULL)
		return wrong;
	if (is_of_a_thread(start, end))
		return "the range lies on the stack of a thread, or among its variables";
	if (shares_heap_page(addr, len))
		return "the range shares a page with other blocks of the heap; allocate it "
		       "page-aligned";
	return NULL;
}

bool adopt_has_pins(void)
{
	FILE *file = fopen("/proc/thread-self/status", "re");
	unsigned long n_kib = 1;
	char *line = NULL;
	size_t size = 0;

	if (file == NULL)
		return true;
	while (getline(&line, &size, file) > 0 && sscanf(line, "VmPin: %lu", &n_kib) != 1)
		n_kib = 1;
	free(line);
	fclose(file);
	return n_kib != 0;
}
