/* See tests/unit/daemon/mounts.h. */
#include "tests/unit/daemon/mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

bool mounts_enter(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	char users[32], groups[32];

	if (uid != 0 && unshare(CLONE_NEWUSER) < 0)
		return false;
	snprintf(users, sizeof(users), "0 %u 1", uid);
	snprintf(groups, sizeof(groups), "0 %u 1", gid);
	if (uid != 0 &&
	    (!write_text("/proc/self/setgroups", "deny") ||
	     !write_text("/proc/self/uid_map", users) || !write_text("/proc/self/gid_map", groups)))
		return false;
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", "/mnt", "tmpfs", 0, NULL) == 0;
}

bool mounts_are_possible(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(mounts_enter() ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}
