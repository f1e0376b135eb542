/*
 * Transport pvm: private memory of another process on this kernel, through process_vm_readv and
 * process_vm_writev. Who the pid is, is checked against the pidfd that the exporter's daemon made:
 * a pid that was given to a new process after the exporter ended is noticed, before a write and
 * after a read, and the result is thrown away. Threads: any; the calls have no state of ours.
 */
#include "client/transport/pvm/pvm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "util/fd.h"

static ssize_t pvm_readv(struct xport_region *region, const struct iovec *local, size_t n_local,
			 const struct iovec *remote, size_t n_remote)
{
	ssize_t n = process_vm_readv(region->pid, local, n_local, remote, n_remote, 0);
	int error = errno;

	if (fd_pidfd_exited(region->pidfd))
		return -ESRCH;
	return n < 0 ? -error : n;
}

static ssize_t pvm_writev(struct xport_region *region, const struct iovec *local, size_t n_local,
			  const struct iovec *remote, size_t n_remote)
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

/* What stands in the way, and what the user can do about it. */
static void pvm_explain(int error, const struct xport_target *target, char reason[XPORT_REASON_MAX])
{
	char scope = '?';
	FILE *yama;

	if (error != EPERM) {
		snprintf(reason, XPORT_REASON_MAX, "reading process %d: %s", (int)target->pid,
			 strerror(error));
		return;
	}
	if (target->uid != getuid()) {
		snprintf(reason, XPORT_REASON_MAX,
			 "the exporter runs as uid %u, we as %u; run both as one user, or give "
			 "this one "
			 "CAP_SYS_PTRACE, or export shared memory (dococ_mem_alloc)",
			 (unsigned)target->uid, (unsigned)getuid());
		return;
	}
	yama = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	if (yama != NULL) {
		scope = (char)fgetc(yama);
		fclose(yama);
	}
	snprintf(reason, XPORT_REASON_MAX,
		 "the kernel forbids it (ptrace_scope %c); set kernel.yama.ptrace_scope to 0, or "
		 "give "
		 "CAP_SYS_PTRACE, or export shared memory (dococ_mem_alloc)",
		 scope);
}

/* What the kernel tells of a pidfd since Linux 6.13; <linux/pidfd.h> may be older. */
struct pidfd_facts {
	uint64_t mask, cgroup_id;
	uint32_t pid, tgid, others[10];
};

#define PIDFD_GET_FACTS _IOWR(0xFF, 11, struct pidfd_facts)
#define PIDFD_FACTS_PID 1u

_Static_assert(sizeof(struct pidfd_facts) == 64, "as the kernel has it");

/* 0: this kernel does not tell that way, or it has ended. */
static pid_t pvm_ask_pid(int pidfd)
{
	struct pidfd_facts facts = {.mask = PIDFD_FACTS_PID};

	if (ioctl(pidfd, PIDFD_GET_FACTS, &facts) < 0 || !(facts.mask & PIDFD_FACTS_PID))
		return 0;
	return (pid_t)facts.pid;
}

static pid_t pvm_read_pid(int pidfd)
{
	char path[64], line[128];
	long pid = -1;
	FILE *info;

	/* That of the first thread would go with it. */
	snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", pidfd);
	info = fopen(path, "re");
	if (info == NULL)
		return -1;
	while (fgets(line, sizeof(line), info) != NULL) {
		if (strncmp(line, "Pid:", 4) == 0)
			pid = strtol(line + 4, NULL, 10);
	}
	fclose(info);
	return (pid_t)pid;
}

/* The pid as this process sees it; the exporter's daemon may live in another pid namespace. */
static pid_t pvm_pid_of(int pidfd)
{
	pid_t pid = pvm_ask_pid(pidfd);

	return pid > 0 ? pid : pvm_read_pid(pidfd);
}

static int pvm_open(const struct xport_target *target, struct xport_region *region_out,
		    char reason[XPORT_REASON_MAX])
{
	struct iovec local, remote;
	char probe;
	pid_t pid = target->pidfd < 0 ? -1 : pvm_pid_of(target->pidfd);
	ssize_t n;
	int fd;

	if (pid <= 0) {
		snprintf(reason, XPORT_REASON_MAX,
			 "the exporter has ended, or is in another container (pid namespace): let "
			 "both share one, or export shared memory (dococ_mem_alloc)");
		return -ESRCH;
	}
	fd = fd_dup(target->pidfd);
	if (fd < 0) {
		snprintf(reason, XPORT_REASON_MAX, "duplicating the pidfd: %s", strerror(-fd));
		return fd;
	}
	region_out->pid = pid;
	region_out->is_self = pid == getpid();
	region_out->pidfd = fd;
	local = (struct iovec){.iov_base = &probe, .iov_len = 1};
	remote = (struct iovec){.iov_base = (void *)(uintptr_t)target->base, .iov_len = 1};
	n = pvm_readv(region_out, &local, 1, &remote, 1);
	if (n == 1)
		return 0;
	pvm_explain((int)-n, target, reason);
	fd_close(&region_out->pidfd);
	return n < 0 ? (int)n : -EIO;
}

static void pvm_close(struct xport_region *region)
{
	fd_close(&region->pidfd);
}

const struct xport_ops xport_pvm = {
	.name = "pvm",
	.open = pvm_open,
	.close = pvm_close,
	.readv = pvm_readv,
	.writev = pvm_writev,
};
