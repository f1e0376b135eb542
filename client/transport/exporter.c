/* The exporting process, by its pidfd; see client/transport/exporter.h. */
#include "client/transport/exporter.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/fd.h"

/* The result of the kernel's PIDFD_GET_INFO, available since Linux 6.13. The installed
 * <linux/pidfd.h> may be older. */
struct pidfd_facts {
	uint64_t mask, cgroup_id;
	uint32_t pid, tgid, ppid;
	uint32_t ruid, rgid, euid, egid, suid, sgid;
	uint32_t others[3];
};

#define PIDFD_GET_FACTS   _IOWR(0xFF, 11, struct pidfd_facts)
#define PIDFD_FACTS_PID   1u
#define PIDFD_FACTS_CREDS 2u

_Static_assert(sizeof(struct pidfd_facts) == 64, "as the kernel has it");

/* Asks the kernel by PIDFD_GET_INFO. Returns false if the kernel lacks it or the process has
 * ended. */
static bool exporter_ask(int pidfd, uid_t us, struct exporter *exporter_out)
{
	struct pidfd_facts facts = {.mask = PIDFD_FACTS_PID | PIDFD_FACTS_CREDS};

	if (ioctl(pidfd, PIDFD_GET_FACTS, &facts) < 0 || !(facts.mask & PIDFD_FACTS_PID))
		return false;
	*exporter_out = (struct exporter){
		.pid = (pid_t)facts.pid,
		.is_ours = (facts.mask & PIDFD_FACTS_CREDS) && facts.ruid == us &&
			   facts.euid == us && facts.suid == us,
	};
	return true;
}

static pid_t exporter_read_pid(int pidfd)
{
	char path[64], line[128];
	long pid = -1;
	FILE *info;

	/* /proc/self would fail once the process's first thread has exited. */
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

static bool exporter_read_is_ours(pid_t pid, uid_t us)
{
	unsigned long ruid = 0, euid = 0, suid = 0;
	char path[64], line[128];
	bool knows = false;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	if (status == NULL)
		return false;
	while (!knows && fgets(line, sizeof(line), status) != NULL)
		knows = sscanf(line, "Uid: %lu %lu %lu", &ruid, &euid, &suid) == 3;
	fclose(status);
	return knows && ruid == us && euid == us && suid == us;
}

bool exporter_find(int pidfd, struct exporter *exporter_out)
{
	uid_t us = geteuid();

	if (pidfd < 0)
		return false;
	if (exporter_ask(pidfd, us, exporter_out))
		return exporter_out->pid > 0;
	exporter_out->pid = exporter_read_pid(pidfd);
	if (exporter_out->pid <= 0)
		return false;
	exporter_out->is_ours = exporter_read_is_ours(exporter_out->pid, us);
	/* If it has exited, the data read may be another process's. */
	return !fd_pidfd_exited(pidfd);
}
