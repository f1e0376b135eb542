/* The mappings of this process; see client/memory/vma.h. */
#include "client/memory/vma.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/util.h"

/* The kernel's interface of PROCMAP_QUERY; <linux/fs.h> has it since Linux 6.11. */
struct vma_query {
	uint64_t size, flags, addr;
	uint64_t start, end, rights, page_size, offset, ino;
	uint32_t major, minor;
	uint32_t name_size, build_id_size;
	uint64_t name_addr, build_id_addr;
};
_Static_assert(sizeof(struct vma_query) == 104, "the kernel's layout");
#define VMA_QUERY            _IOWR('f', 17, struct vma_query)
#define VMA_QUERY_READABLE   1u
#define VMA_QUERY_WRITABLE   2u
#define VMA_QUERY_EXECUTABLE 4u
#define VMA_QUERY_SHARED     8u
#define VMA_QUERY_OR_NEXT    16u

/* Longer names are those of files on disk. */
#define VMA_NAME_MAX 300u

static void vma_set_name(struct vma *vma, const char *name)
{
	vma->is_memfd = strncmp(name, "/memfd:", 7) == 0;
	vma->is_heap = strcmp(name, "[heap]") == 0;
	vma->is_stack = strcmp(name, "[stack]") == 0;
}

int vma_prot(const struct vma *vma)
{
	return (vma->is_readable ? PROT_READ : 0) | (vma->is_writable ? PROT_WRITE : 0) |
	       (vma->is_executable ? PROT_EXEC : 0);
}

/* Returns 1, 0 after the last mapping, or -errno. */
static int vma_query(int fd, uint64_t addr, struct vma *vma_out)
{
	char name[VMA_NAME_MAX];
	struct vma_query query = {.size = sizeof(query),
				  .flags = VMA_QUERY_OR_NEXT,
				  .addr = addr,
				  .name_size = sizeof(name),
				  .name_addr = (uintptr_t)name};
	int r = ioctl(fd, VMA_QUERY, &query);

	if (r < 0 && errno == ENAMETOOLONG) {
		query.name_size = 0;
		query.name_addr = 0;
		r = ioctl(fd, VMA_QUERY, &query);
	}
	if (r < 0)
		return errno == ENOENT ? 0 : -errno;
	*vma_out = (struct vma){
		.start = query.start,
		.end = query.end,
		.offset = query.offset,
		.ino = query.ino,
		.major = query.major,
		.minor = query.minor,
		.is_readable = query.rights & VMA_QUERY_READABLE,
		.is_writable = query.rights & VMA_QUERY_WRITABLE,
		.is_executable = query.rights & VMA_QUERY_EXECUTABLE,
		.is_shared = query.rights & VMA_QUERY_SHARED,
	};
	/* Without a name, name_size is 0 in the answer. */
	vma_set_name(vma_out, query.name_size > 0 ? name : "");
	return 1;
}

/* Returns the next line without its end, cut to `size`. Returns false at the end of the file. */
static bool line_read(struct vma_reader *reader, char *line, size_t size)
{
	size_t len = 0;

	for (;;) {
		char c;

		if (reader->at == reader->n) {
			ssize_t n = read(reader->fd, reader->text, sizeof(reader->text));

			if (n < 0)
				reader->error = -errno;
			if (n <= 0)
				return false;
			reader->at = 0;
			reader->n = (size_t)n;
		}
		c = reader->text[reader->at++];
		if (c == '\n')
			break;
		if (len < size - 1)
			line[len++] = c;
	}
	line[len] = '\0';
	return true;
}

/* Parses "start-end rwxs offset major:minor inode   name". */
static void line_parse(const char *line, struct vma *vma_out)
{
	char *next;

	*vma_out = (struct vma){.start = strtoull(line, &next, 16)};
	vma_out->end = strtoull(next + (*next == '-'), &next, 16);
	if (strlen(next) < 6)
		return;
	vma_out->is_readable = next[1] == 'r';
	vma_out->is_writable = next[2] == 'w';
	vma_out->is_executable = next[3] == 'x';
	vma_out->is_shared = next[4] == 's';
	vma_out->offset = strtoull(next + 5, &next, 16);
	vma_out->major = (unsigned)strtoul(next, &next, 16);
	vma_out->minor = (unsigned)strtoul(next + (*next == ':'), &next, 16);
	vma_out->ino = strtoull(next, &next, 10);
	vma_set_name(vma_out, next + strspn(next, " "));
}

static bool vma_find_text(struct vma_reader *reader, uint64_t addr, struct vma *vma_out)
{
	char line[128];

	while (reader->last.end <= addr) {
		if (!line_read(reader, line, sizeof(line)))
			return false;
		line_parse(line, &reader->last);
	}
	*vma_out = reader->last;
	return true;
}

int vma_reader_open(struct vma_reader *reader)
{
	struct vma vma;

	reader->last.end = 0;
	reader->at = reader->n = 0;
	reader->error = 0;
	/* /proc/self would fail once the process's first thread has exited. */
	reader->fd = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0)
		return -errno;
	reader->has_query = vma_query(reader->fd, 0, &vma) >= 0;
	return 0;
}

void vma_reader_close(struct vma_reader *reader)
{
	fd_close(&reader->fd);
}

bool vma_find(struct vma_reader *reader, uint64_t addr, struct vma *vma_out)
{
	int r;

	if (!reader->has_query)
		return vma_find_text(reader, addr, vma_out);
	r = vma_query(reader->fd, addr, vma_out);
	if (r < 0)
		reader->error = r;
	return r > 0;
}
