/*
 * Recognises memory that the program shares already: a range that lies in a shared mapping of a
 * memfd, or of a file of tmpfs such as one of /dev/shm. Importers map the same memfd, or copy from
 * and to the file, although the program named only an address. Any thread may call it.
 */
#ifndef CLIENT_MEMORY_SHARED_MAPPING_H
#define CLIENT_MEMORY_SHARED_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARED_MAPPING_REASON_MAX 160

struct shared_mapping {
	int fd; /* owned by the caller */
	uint64_t offset;
	/* The memfd has more than the range, or may grow. Only processes of this user, which can
	 * reach all of it anyway, may get it. */
	bool same_user;
	/* The file can be cut, so importers must not touch a mapping of it. The kernel copies for
	 * them (transport file). */
	bool is_file;
};

/*
 * Finds the file behind a range and seals it against shrinking if it can be sealed. `grants_write`
 * says whether importers may write. Returns 0; or -ENOENT if the range begins in private memory, or
 * -ENOTSUP, and one clause that says why importers cannot have it. A refused memfd gets no seal. A
 * file is accepted under these conditions:
 * - All pages of the range are shared mappings of it, one after the other, that are readable, and
 *   writable if importers may write.
 * - The process has a descriptor of it. Without one, a memfd can be opened with a capability
 *   (/proc/self/map_files), and a file of /dev/shm by its name.
 * - mem_admit() accepts it, and it is sealed or can be sealed against shrinking; or it cannot be
 *   sealed, importers may write, it is of this user, it can be opened again for writing, and the
 *   program holds no POSIX locks on it.
 */
int shared_mapping_find(const void *addr, size_t len, bool grants_write,
			struct shared_mapping *mapping_out, char reason[SHARED_MAPPING_REASON_MAX]);

/*
 * Closes a descriptor of shared memory and sets it to -1. A close of any descriptor of a file drops
 * the POSIX locks that the program holds on it. Such a descriptor stays open until a later call
 * finds that the locks are gone.
 */
void shared_file_close(int *fd);

#endif
