/*
 * Creates the namespace. If the folder exists, a tmpfs covers it. Otherwise its nearest existing
 * parent is covered, and each entry of the parent is bound into the tmpfs again; if that parent is
 * "/", the tmpfs becomes the root. The kernel allows all of this in a user namespace that the
 * process owns.
 */
#include "tools/doca-admin/sdk/mount_ns.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/doca-admin/commands/commands.h"
#include "util/fd.h"
#include "util/str.h"

/* Temporary place of the former root until its entries are bound. */
#define OLD_ROOT "/.doca-admin-old-root"

static int report_failure(const char *what, const char *path, int r)
{
	cmd_fail(0, "%s %s: %s", what, path, strerror(-r));
	return r;
}

static int proc_write(const char *path, const char *text)
{
	CLEANUP_FD int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return report_failure("cannot write", path, -errno);
	return 0;
}

/* Maps one id of this process to itself. */
static int id_map(const char *path, unsigned id)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %u 1", id, id);
	return proc_write(path, text);
}

/* The kernel requires that setgroups() is disabled before a gid is mapped. */
static int ids_map(unsigned uid, unsigned gid)
{
	int r = proc_write("/proc/self/setgroups", "deny");

	if (r == 0)
		r = id_map("/proc/self/uid_map", uid);
	return r < 0 ? r : id_map("/proc/self/gid_map", gid);
}

/* Returns 0, or -errno after printing the error. */
static int namespaces_make(void)
{
	unsigned uid = geteuid(), gid = getegid();

	if (unshare(CLONE_NEWNS) == 0)
		return 0;
	if (errno != EPERM)
		return report_failure("cannot make", "a mount namespace", -errno);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return report_failure("cannot make", "a user namespace", -errno);
	return ids_map(uid, gid);
}

static int bind(const char *from, const char *to)
{
	/*
	 * In a user namespace the kernel refuses a bind mount without the mounts below it, so it is
	 * recursive.
	 */
	return mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0
		       ? report_failure("cannot bind", to, -errno)
		       : 0;
}

static int link_copy(int from, int to, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(from, name, target, sizeof(target) - 1);

	if (n < 0)
		return report_failure("cannot read", name, -errno);
	target[n] = '\0';
	return symlinkat(target, to, name) < 0 ? report_failure("cannot make", name, -errno) : 0;
}

/* Creates the folder or file onto which something is bound. */
static int target_make(int dir, const char *name, mode_t mode)
{
	CLEANUP_FD int fd = -1;

	if (S_ISDIR(mode))
		return mkdirat(dir, name, 0755) < 0 ? report_failure("cannot make", name, -errno)
						    : 0;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? report_failure("cannot make", name, -errno) : 0;
}

/* Binds one entry of the folder from into the folder to, whose path is to_path. */
static int entry_show(int from, int to, const char *to_path, const char *name)
{
	char source[64 + NAME_MAX], target[PATH_MAX];
	struct stat st;
	int r;

	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return report_failure("cannot look at", name, -errno);
	if (S_ISLNK(st.st_mode))
		return link_copy(from, to, name);
	r = target_make(to, name, st.st_mode);
	if (r < 0)
		return r;
	snprintf(source, sizeof(source), "/proc/self/fd/%d/%s", from, name);
	if (snprintf(target, sizeof(target), "%s/%s", to_path, name) >= (int)sizeof(target))
		return report_failure("cannot bind", name, -ENAMETOOLONG);
	return bind(source, target);
}

/* Binds the entries of the folder from that the folder to does not have yet. */
static int entries_show(int from, int to, const char *to_path)
{
	int fd = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int r = 0;

	if (!dir) {
		r = report_failure("cannot list", to_path, -errno);
		if (fd >= 0)
			close(fd);
		return r;
	}
	while (r == 0 && (entry = readdir(dir))) {
		if (faccessat(to, entry->d_name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			r = entry_show(from, to, to_path, entry->d_name);
	}
	closedir(dir);
	return r;
}

static int tmpfs_mount(const char *path)
{
	return mount("doca-admin", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0
		       ? report_failure("cannot mount a tmpfs on", path, -errno)
		       : 0;
}

/* Covers a folder with a tmpfs that has a new folder named added and the same other entries. */
static int folder_cover(const char *path, const char *added)
{
	CLEANUP_FD int from = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_FD int to = -1;
	int r;

	if (from < 0)
		return report_failure("cannot open", path, -errno);
	r = tmpfs_mount(path);
	if (r < 0)
		return r;
	to = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to < 0 || mkdirat(to, added, 0755) < 0)
		return report_failure("cannot make a folder in", path, -errno);
	return entries_show(from, to, path);
}

/*
 * Like folder_cover() for "/": creates a new root. /proc comes first, because sources are named
 * through it.
 */
static int root_cover(const char *added)
{
	CLEANUP_FD int from = -1;
	CLEANUP_FD int to = -1;
	int r = tmpfs_mount("/proc");

	if (r < 0)
		return r;
	if (chdir("/proc") < 0 || mkdir("." OLD_ROOT, 0700) < 0 || mkdir("proc", 0755) < 0 ||
	    mkdir(added, 0755) < 0 || syscall(SYS_pivot_root, ".", "." OLD_ROOT) < 0 ||
	    chdir("/") < 0)
		return report_failure("cannot change", "the root", -errno);
	r = bind(OLD_ROOT "/proc", "/proc");
	if (r < 0)
		return r;
	from = open(OLD_ROOT, O_PATH | O_DIRECTORY | O_CLOEXEC);
	to = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (from < 0 || to < 0)
		return report_failure("cannot open", "the root", -errno);
	r = entries_show(from, to, "");
	if (r < 0)
		return r;
	if (umount2(OLD_ROOT, MNT_DETACH) < 0 || rmdir(OLD_ROOT) < 0)
		return report_failure("cannot leave", "the former root", -errno);
	return 0;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Creates the folders of path, whose first n characters name an existing one. */
static int folders_make(char *path, size_t n)
{
	for (char *at = strchr(path + n + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return report_failure("cannot make", path, -errno);
		*at = '/';
	}
	return mkdir(path, 0755) < 0 && errno != EEXIST
		       ? report_failure("cannot make", path, -errno)
		       : 0;
}

/* Creates an empty folder at the absolute path slot. */
static int place_make(const char *slot)
{
	char path[PATH_MAX], added[NAME_MAX + 1];
	size_t n = strlen(slot);
	int r;

	if (is_folder(slot))
		return tmpfs_mount(slot);
	if (str_copy(path, sizeof(path), slot) < 0)
		return report_failure("cannot make", slot, -ENAMETOOLONG);
	do {
		while (path[n] != '/')
			n--;
		path[n] = '\0';
	} while (n > 0 && !is_folder(path));
	/* A file or broken link with this name is replaced. */
	snprintf(added, sizeof(added), "%.*s", (int)strcspn(slot + n + 1, "/"), slot + n + 1);
	r = n > 0 ? folder_cover(path, added) : root_cover(added);
	if (r < 0)
		return r;
	str_copy(path, sizeof(path), slot);
	return folders_make(path, n);
}

enum mount_ns_result mount_ns_enter(const char *slot)
{
	char cwd[PATH_MAX];
	bool has_cwd = getcwd(cwd, sizeof(cwd)) && cwd[0] == '/';

	if (namespaces_make() < 0)
		return MOUNT_NS_REFUSED;
	/* New mounts outside still propagate into the namespace, but not out of it. */
	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) {
		report_failure("cannot change mounts below", "/", -errno);
		return MOUNT_NS_REFUSED;
	}
	if (place_make(slot) < 0)
		return MOUNT_NS_FAILED;
	/*
	 * The path may lead into a covered folder. If it leads nowhere, the old folder stays the
	 * working directory.
	 */
	if (has_cwd && chdir(cwd) < 0 && errno != ENOENT) {
		report_failure("cannot enter", cwd, -errno);
		return MOUNT_NS_FAILED;
	}
	return MOUNT_NS_OK;
}
