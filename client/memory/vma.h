/*
 * Reads the mappings of this process in the order of their addresses. Uses the ioctl PROCMAP_QUERY
 * (Linux 6.11), which looks one mapping up, and otherwise the text of /proc/self/maps. Allocates
 * nothing, so that fork handlers can use it. Threads: one per reader; other threads may change
 * mappings meanwhile.
 */
#ifndef CLIENT_MEMORY_VMA_H
#define CLIENT_MEMORY_VMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One mapping. */
struct vma {
	uint64_t start, end, offset;
	uint64_t ino; /* 0: no file */
	unsigned major, minor;
	bool is_readable, is_writable, is_executable, is_shared;
	bool is_memfd;
	bool is_heap;  /* the brk heap */
	bool is_stack; /* the stack of the process's first thread */
};

struct vma_reader {
	int fd;
	bool has_query; /* false: the kernel has only the text */
	int error;      /* 0, or the -errno that ended the search before the last mapping */
	struct vma last;
	size_t at, n; /* the unread part of `text` */
	char text[1024];
};

/* Returns 0, or -errno; -ENOENT if /proc is not mounted. */
int vma_reader_open(struct vma_reader *reader);
void vma_reader_close(struct vma_reader *reader);
/*
 * Finds the mapping that contains addr or, if there is none, the next one above. `addr` must not
 * decrease from call to call. Returns false after the last mapping, and on an error: see `error`.
 */
bool vma_find(struct vma_reader *reader, uint64_t addr, struct vma *vma_out);
/* Returns the protection as PROT_* bits. */
int vma_prot(const struct vma *vma);

#endif
