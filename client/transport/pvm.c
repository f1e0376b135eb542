/*
 * Transport pvm: private memory of another process on this kernel, through process_vm_readv() and
 * process_vm_writev(). The pid is verified with the pidfd that the exporter's daemon made: before a
 * write and after a read. If the exporter has ended and its pid belongs to a new process, the
 * result is discarded.
 *
 * Both system calls fault the other process's pages in and wait for whatever provides them. That
 * may be the process itself (a FUSE file system, a userfaultfd), which can delay the copying thread
 * for any length of time. A process of the same user can stop this one in many other ways. A
 * process of another user cannot, and only a privileged process can reach its memory, so that must
 * be requested by name.
 *
 * Under Yama the exporter must permit the copies (client/control/tracer.h). Threads: any; there is
 * no state.
 */
#include "client/transport/pvm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client/control/tracer.h"
#include "client/transport/exporter.h"
#include "util/fd.h"

static ssize_t pvm_readv(struct transport_region *region, const struct iovec *local, size_t n_local,
			 const struct iovec *remote, size_t n_remote)
{
	ssize_t n = process_vm_readv(region->pid, local, n_local, remote, n_remote, 0);
	int error = errno;

	if (fd_pidfd_exited(region->pidfd))
		return -ESRCH;
	return n < 0 ? -error : n;
}

static ssize_t pvm_writev(struct transport_region *region, const struct iovec *local,
			  size_t n_local, const struct iovec *remote, size_t n_remote)
{
	ssize_t n;
	int error;

	if (fd_pidfd_exited(region->pidfd))
		return -ESRCH;
	n = process_vm_writev(region->pid, local, n_local, remote, n_remote, 0);
	if (likely(n >= 0))
		return n;
	error = errno;
	return fd_pidfd_exited(region->pidfd) ? -ESRCH : -error;
}

/* Returns true if this process has a user namespace with a single id, as "doca-admin sdk exec"
 * makes it. The kernel does not let it read processes outside that namespace. */
static bool pvm_is_confined(void)
{
	unsigned long first, outside, n_ids = 0;
	FILE *map = fopen("/proc/self/uid_map", "re");

	if (map == NULL)
		return false;
	if (fscanf(map, "%lu %lu %lu", &first, &outside, &n_ids) != 3)
		n_ids = 0;
	fclose(map);
	return n_ids == 1;
}

/* Describes why the access is refused, and what the user can do about it. */
static void pvm_explain(int error, const struct transport_target *target,
			char reason[TRANSPORT_REASON_MAX])
{
	static const char *const by_scope[] = {
		[YAMA_NONE] = "the exporter has other capabilities, or its memory is not dumpable; "
			      "export shared memory (dococ_mem_alloc)",
		[YAMA_NAMED] = "kernel.yama.ptrace_scope is 1, and the exporter does not permit "
			       "it; export shared memory (dococ_mem_alloc)",
		[YAMA_CAPABLE] = "kernel.yama.ptrace_scope is 2, so CAP_SYS_PTRACE is needed; set "
				 "it to 1, or share the memory: dococ_mem_alloc, or "
				 "DOCOCORED_ADOPT=always in the exporter",
		[YAMA_NOBODY] = "kernel.yama.ptrace_scope is 3, which forbids it until the machine "
				"restarts; share the memory: dococ_mem_alloc, or "
				"DOCOCORED_ADOPT=always in the exporter",
	};

	if (error != EPERM) {
		snprintf(reason, TRANSPORT_REASON_MAX, "reading process %d: %s", (int)target->pid,
			 strerror(error));
		return;
	}
	if (pvm_is_confined()) {
		snprintf(reason, TRANSPORT_REASON_MAX,
			 "this process has a user namespace of its own, as in 'doca-admin sdk "
			 "exec': build there, and run the program outside of it");
		return;
	}
	if (target->uid != geteuid()) {
		snprintf(reason, TRANSPORT_REASON_MAX,
			 "the kernel forbids it (uid %u to %u); give CAP_SYS_PTRACE, or export "
			 "shared memory (dococ_mem_alloc)",
			 (unsigned)geteuid(), (unsigned)target->uid);
		return;
	}
	snprintf(reason, TRANSPORT_REASON_MAX, "%s", by_scope[yama_scope()]);
}

/* Reads one byte, to test whether the memory can be accessed. */
static int pvm_probe(struct transport_region *region, const struct transport_target *target)
{
	char probe;
	struct iovec local = {.iov_base = &probe, .iov_len = 1};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)target->base, .iov_len = 1};
	ssize_t n = pvm_readv(region, &local, 1, &remote, 1);

	return n == 1 ? 0 : n < 0 ? (int)n : -EIO;
}

static void pvm_close(struct transport_region *region)
{
	fd_close(&region->permit);
	fd_close(&region->pidfd);
}

/*
 * Returns whether the exporter must be asked to permit copies. It is asked even if the kernel
 * permits them already: the reason may be another import of this process, or of a parent, and the
 * permission ends with that import.
 */
static bool pvm_must_ask(const struct exporter *peer, const struct transport_region *region,
			 const struct transport_target *target)
{
	return peer->is_ours && !region->is_self && target->secret != NULL &&
	       yama_scope() == YAMA_NAMED && !pvm_is_confined();
}

/* Asks the exporter to permit the copies. Sets `reason` if it does not. The kernel may permit them
 * all the same, for example to an ancestor of the exporter. */
static void pvm_ask(struct transport_region *region, const struct transport_target *target,
		    char reason[TRANSPORT_REASON_MAX])
{
	region->permit = tracer_ask(region->pid, target->export_id, target->secret, reason);
	if (region->permit < 0)
		region->permit = -1;
}

static int pvm_open(const struct transport_target *target, struct transport_region *region_out,
		    char reason[TRANSPORT_REASON_MAX])
{
	struct exporter peer;
	int fd, r;

	reason[0] = '\0';
	if (!exporter_find(target->pidfd, &peer)) {
		snprintf(reason, TRANSPORT_REASON_MAX,
			 "the exporter has ended, or is in another container (pid namespace): run "
			 "both in one, or export shared memory (dococ_mem_alloc)");
		return -ESRCH;
	}
	if (!peer.is_ours && !target->is_named) {
		snprintf(
			reason, TRANSPORT_REASON_MAX,
			"the exporter is of another user (uid %u, here %u) and could block a copy; "
			"use one user, export shared memory (dococ_mem_alloc), or trust "
			"it: DOCOCORED_TRANSPORT=pvm",
			(unsigned)target->uid, (unsigned)geteuid());
		return -EPERM;
	}
	fd = fd_dup(target->pidfd);
	if (fd < 0) {
		snprintf(reason, TRANSPORT_REASON_MAX, "duplicating the pidfd: %s", strerror(-fd));
		return fd;
	}
	region_out->pid = peer.pid;
	region_out->is_self = peer.pid == getpid();
	region_out->pidfd = fd;
	region_out->permit = -1;
	if (pvm_must_ask(&peer, region_out, target))
		pvm_ask(region_out, target, reason);
	r = pvm_probe(region_out, target);
	if (r == 0)
		return 0;
	if (r != -EPERM || reason[0] == '\0')
		pvm_explain(-r, target, reason);
	pvm_close(region_out);
	return r;
}

const struct transport_ops transport_pvm = {
	.name = "pvm",
	.open = pvm_open,
	.close = pvm_close,
	.readv = pvm_readv,
	.writev = pvm_writev,
};
