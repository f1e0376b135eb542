/* The memory of an export; see export_memory.h. */
#include "daemon/memory/export_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "daemon/session/session.h"
#include "util/fd.h"
#include "util/memfd.h"

bool export_is_writable(const struct export *export)
{
	if (export->kind == DOCOCORE__EXPORT_KIND__RDMA_QP)
		return true;
	if (export_kind_is_pci(export->kind))
		return export->permissions & ACCESS_PCI_READ_WRITE;
	return export->permissions & (ACCESS_RDMA_WRITE | ACCESS_RDMA_ATOMIC);
}

const char *export_memfd_error(int memfd, uint64_t offset, uint64_t len)
{
	uint64_t end;

	if (__builtin_add_overflow(offset, len, &end) || end > INT64_MAX)
		return "the range passes the end of any file";
	switch (memfd_verify(memfd, end)) {
	case 0:
		return NULL;
	case -EPERM:
		return "it is not sealed against shrinking";
	case -ERANGE:
		return "it is shorter than the range";
	case -ENOTSUP:
		return "it is of huge pages, which its owner can take away";
	default:
		return "it is no memfd";
	}
}

bool export_is_sealed_right(const struct export *export)
{
	return export_is_writable(export) || memfd_verify_unwritable(export->memfd, 0) == 0;
}

const char *export_check_memfd(const struct export *export)
{
	long page = (long)memfd_page_size();

	/* The counter of a sync event may be at any offset of its file. */
	if (!export_kind_is_sync(export->kind) &&
	    (export->memfd_offset - export->addr) % (uint64_t)page)
		return "its offset is not page aligned with the address";
	return export_memfd_error(export->memfd, export->memfd_offset, export->len);
}

/*
 * If importers may only read, replaces a writable descriptor with a read-only one. The seal
 * restricts importers in any case, so if the memory cannot be reopened, the writable descriptor
 * stays.
 */
static void export_restrict_memfd(struct export *export)
{
	int fd;

	if (export_is_writable(export) || (fcntl(export->memfd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return;
	fd = fd_reopen(export->memfd, O_RDONLY);
	if (fd < 0)
		return;
	fd_close(&export->memfd);
	export->memfd = fd;
}

/*
 * Marks the memory as private: importers then copy through the kernel, which applies the ptrace
 * access check.
 */
static void export_make_private(struct export *export)
{
	export->memory = DOCOCORE__MEMORY_KIND__PRIVATE;
	export->memfd_offset = 0;
	fd_close(&export->memfd);
	snprintf(export->memory_reason, sizeof(export->memory_reason), "%s",
		 "the export is read-only, but the memfd is not sealed against writing");
}

int export_adopt_memfd(struct export *export, const Dococore__Packet *packet, struct fdset *fds)
{
	const char *wrong;
	int access;

	export->memfd = fdset_steal(fds, 0);
	wrong = export_check_memfd(export);
	access = fcntl(export->memfd, F_GETFL) & O_ACCMODE;
	if (!wrong && export_is_writable(export) && access != O_RDWR)
		wrong = "it is not open for writing, but the permissions promise that";
	if (!wrong && export_kind_is_sync(export->kind) && !export_is_sealed_right(export))
		wrong = "importers may only read the counter, but could map it for writing: seal "
			"it with F_SEAL_FUTURE_WRITE once it is mapped";
	if (wrong) {
		session_refuse(export->session, packet->id, CODE_INVALID_VALUE,
			       "the memfd of the exported range cannot be shared: %s", wrong);
		return 1;
	}
	if (export_is_sealed_right(export))
		export_restrict_memfd(export);
	else
		export_make_private(export);
	return 0;
}

const char *export_check_file(const struct export *export)
{
	struct stat st;
	uint64_t end;

	if (!export_kind_has_transport(export->kind))
		return "only memory maps lie in files";
	if (fcntl(export->memfd, F_GET_SEALS) < 0 || memfd_is_huge(export->memfd))
		return "it is not of tmpfs";
	if (!export_is_writable(export))
		return "importers may only read, but could open it for writing";
	if ((fcntl(export->memfd, F_GETFL) & O_ACCMODE) != O_RDWR)
		return "it is not open for writing, but the permissions promise that";
	if (__builtin_add_overflow(export->memfd_offset, export->len, &end) || end > INT64_MAX)
		return "the range passes the end of any file";
	/* It may be cut later. The importer handles that. */
	return fstat(export->memfd, &st) < 0 || (uint64_t)st.st_size < end
		       ? "it is shorter than the range"
		       : NULL;
}

int export_adopt_file(struct export *export, const Dococore__Packet *packet, struct fdset *fds)
{
	const char *wrong;

	export->memfd = fdset_steal(fds, 0);
	/* It has more than the range, and can be opened again. */
	export->same_user = true;
	wrong = export_check_file(export);
	if (wrong)
		session_refuse(export->session, packet->id, CODE_INVALID_VALUE,
			       "the file of the exported range cannot be shared: %s", wrong);
	return wrong ? 1 : 0;
}
