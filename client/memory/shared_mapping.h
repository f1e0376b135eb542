/*
 * Recognises memory that the program shares already: a range that lies in a shared mapping of a
 * memfd. Importers map the same memfd, although the program named only an address. Keeps no state;
 * any thread may call it.
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
};

/*
 * Finds the memfd behind a range and seals it against shrinking. `grants_write` says whether
 * importers may write. Returns 0; or -ENOENT if the range begins in private memory, or -ENOTSUP,
 * and one clause that says why importers cannot map the range. A refused memfd gets no seal. A
 * memfd is accepted under these conditions:
 * - All pages of the range are shared mappings of it, one after the other, that are readable, and
 *   writable if importers may write.
 * - The process has a descriptor of it, or the right to open one (/proc/self/map_files).
 * - mem_admit() accepts it, and it is sealed or can be sealed against shrinking.
 */
int shared_mapping_find(const void *addr, size_t len, bool grants_write,
			struct shared_mapping *mapping_out, char reason[SHARED_MAPPING_REASON_MAX]);

#endif
