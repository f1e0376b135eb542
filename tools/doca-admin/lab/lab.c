/*
 * State of labs: directory, lab.json, the state of its processes, and the list of this user's labs.
 * A lab in a directory of the user's choice leaves a symbolic link in the base directory, by which
 * it is found. Entries there are used only if they belong to this user. Single-threaded.
 */
#include "tools/doca-admin/lab/lab.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"
#include "util/util.h"

#define LAB_PREFIX     "dococore-lab-"
#define STATE_FILE     "lab.json"
#define STATE_FILE_MAX 65536

static const char *const side_names[LAB_N_SIDES] = {"host", "dpu"};

const char *lab_side_name(enum lab_side side)
{
	return side_names[side];
}

int lab_side_parse(const char *text, enum lab_side *side_out)
{
	for (int i = 0; i < LAB_N_SIDES; i++) {
		if (strcmp(text, side_names[i]) == 0) {
			*side_out = (enum lab_side)i;
			return 0;
		}
	}
	return -EINVAL;
}

uint64_t lab_proc_start_time(pid_t pid)
{
	char path[64], text[1024];
	unsigned long long start = 0;
	const char *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	/*
	 * The name in parentheses may contain any character. Field 22 is the 20th field after it.
	 */
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1,
			  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			  "%*d %*d %llu",
			  &start) != 1)
		return 0;
	return start;
}

int lab_proc_open(const struct lab_proc *proc)
{
	int fd;

	if (proc->pid <= 0)
		return -ESRCH;
	fd = fd_pidfd_open(proc->pid);
	if (fd < 0)
		return -ESRCH;
	/*
	 * A pidfd refers to the present owner of the pid; the start time shows whether that is the
	 * right process.
	 */
	if (lab_proc_start_time(proc->pid) != proc->start_time || fd_pidfd_exited(fd)) {
		close(fd);
		return -ESRCH;
	}
	return fd;
}

bool lab_proc_is_up(const struct lab_proc *proc)
{
	CLEANUP_FD int fd = lab_proc_open(proc);

	/* A zombie also has a pidfd, until its parent waits for it. */
	return fd >= 0 && !fd_pidfd_exited(fd);
}

const char *lab_base_dir(void)
{
	static const char *const names[] = {"XDG_RUNTIME_DIR", "TMPDIR"};
	struct stat st;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *dir = secure_getenv(names[i]);

		/* The directory's path must leave room for a socket address. */
		if (dir && *dir == '/' && strlen(dir) + sizeof(LAB_PREFIX) + 8 < LAB_DIR_MAX &&
		    stat(dir, &st) == 0 && S_ISDIR(st.st_mode) && access(dir, W_OK) == 0)
			return dir;
	}
	return "/tmp";
}

static bool dir_is_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	bool empty = dir != NULL;

	if (!dir)
		return false;
	while (empty && (e = readdir(dir)))
		empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
	closedir(dir);
	return empty;
}

static int dir_make_fresh(struct lab *lab)
{
	int n = snprintf(lab->dir, sizeof(lab->dir), "%s/" LAB_PREFIX "XXXXXX", lab_base_dir());

	if (n < 0 || (size_t)n >= sizeof(lab->dir))
		return -ENAMETOOLONG;
	if (!mkdtemp(lab->dir))
		return -errno;
	lab->made_dir = true;
	return 0;
}

static int dir_make_at(const char *dir, struct lab *lab)
{
	char path[PATH_MAX];
	struct stat st;
	int n, r = 0;

	if (mkdir(dir, 0700) == 0)
		lab->made_dir = true;
	else if (errno != EEXIST)
		return -errno;
	if (!realpath(dir, path))
		r = -errno;
	else
		r = str_copy(lab->dir, sizeof(lab->dir), path);
	if (r == 0 && !lab->made_dir) {
		if (stat(path, &st) < 0)
			r = -errno;
		else if (st.st_uid != geteuid() || (st.st_mode & 022))
			r = -EPERM;
		else if (!dir_is_empty(path))
			r = -EEXIST;
	}
	if (r == 0) {
		n = snprintf(lab->link, sizeof(lab->link), "%s/" LAB_PREFIX "at-%d", lab_base_dir(),
			     (int)getpid());
		if (n < 0 || (size_t)n >= sizeof(lab->link)) {
			lab->link[0] = '\0';
		} else {
			/* A link of an earlier process with the same pid; that process is gone. */
			unlink(lab->link);
			/* If the link cannot be created, this lab must be named with --dir. */
			if (symlink(lab->dir, lab->link) < 0)
				lab->link[0] = '\0';
		}
	}
	if (r < 0 && lab->made_dir)
		rmdir(dir);
	return r;
}

int lab_dir_make(const char *dir, struct lab *lab_out)
{
	struct lab lab = {0};
	int r = dir ? dir_make_at(dir, &lab) : dir_make_fresh(&lab);

	if (r == 0)
		*lab_out = lab;
	return r;
}

/*
 * Removes all files but lab.json, which goes last, so that an incompletely removed lab can still be
 * found.
 */
static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	if (ftw->level != 1 || strcmp(path + ftw->base, STATE_FILE) != 0)
		remove(path);
	return 0;
}

void lab_dir_remove(const struct lab *lab)
{
	static const char *const ours[] = {
		"host.sock",    "host.sock.lock", "host.bus",      "host.bus.lock",
		"host.log",     "dpu.sock",       "dpu.sock.lock", "dpu.bus",
		"dpu.bus.lock", "dpu.log",        "peer.sock",     "peer.sock.lock",
		"notify.sock",  "dococored.conf", "lab.topology",  STATE_FILE ".new",
	};
	char path[PATH_MAX];

	if (lab->made_dir) {
		nftw(lab->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	} else {
		for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
			snprintf(path, sizeof(path), "%s/%s", lab->dir, ours[i]);
			unlink(path);
		}
	}
	snprintf(path, sizeof(path), "%s/" STATE_FILE, lab->dir);
	unlink(path);
	if (lab->made_dir)
		rmdir(lab->dir);
	if (lab->link[0])
		unlink(lab->link);
}

static json_object *proc_to_json(const struct lab_proc *proc)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "pid", json_object_new_int(proc->pid));
	json_object_object_add(o, "start_time", json_object_new_uint64(proc->start_time));
	return o;
}

static void proc_from_json(json_object *o, struct lab_proc *proc_out)
{
	proc_out->pid = json_object_get_int(json_object_object_get(o, "pid"));
	proc_out->start_time = json_object_get_uint64(json_object_object_get(o, "start_time"));
}

int lab_save(const struct lab *lab)
{
	json_object *o = json_object_new_object();
	char path[PATH_MAX], temp[PATH_MAX];
	int r = 0;

	if (!o)
		return -ENOMEM;
	json_object_object_add(o, "version", json_object_new_int(1));
	json_object_object_add(o, "dir", json_object_new_string(lab->dir));
	json_object_object_add(o, "link", json_object_new_string(lab->link));
	json_object_object_add(o, "made_dir", json_object_new_boolean(lab->made_dir));
	json_object_object_add(o, "keeper", proc_to_json(&lab->keeper));
	json_object_object_add(o, "supervisor", proc_to_json(&lab->supervisor));
	for (int i = 0; i < LAB_N_SIDES; i++)
		json_object_object_add(o, side_names[i], proc_to_json(&lab->daemons[i]));
	snprintf(path, sizeof(path), "%s/" STATE_FILE, lab->dir);
	snprintf(temp, sizeof(temp), "%s/" STATE_FILE ".new", lab->dir);
	if (json_object_to_file_ext(temp, o, JSON_C_TO_STRING_PRETTY) < 0 || rename(temp, path) < 0)
		r = errno ? -errno : -EIO;
	json_object_put(o);
	return r;
}

int lab_load(const char *dir, struct lab *lab_out)
{
	char path[PATH_MAX], text[STATE_FILE_MAX];
	struct lab lab = {0};
	struct stat st;
	json_object *o;
	ssize_t n;
	int r;

	if (!realpath(dir, path))
		return -errno;
	r = str_copy(lab.dir, sizeof(lab.dir), path);
	if (r < 0)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/" STATE_FILE, lab.dir);
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || !S_ISREG(st.st_mode))
		return -EPERM;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	o = json_tokener_parse(text);
	if (!json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		return -EINVAL;
	}
	lab.made_dir = json_object_get_boolean(json_object_object_get(o, "made_dir"));
	r = str_copy(lab.link, sizeof(lab.link),
		     json_object_get_string(json_object_object_get(o, "link")) ?: "");
	proc_from_json(json_object_object_get(o, "keeper"), &lab.keeper);
	proc_from_json(json_object_object_get(o, "supervisor"), &lab.supervisor);
	for (int i = 0; i < LAB_N_SIDES; i++)
		proc_from_json(json_object_object_get(o, side_names[i]), &lab.daemons[i]);
	json_object_put(o);
	if (r < 0)
		return -EINVAL;
	*lab_out = lab;
	return 0;
}

bool lab_is_up(const struct lab *lab)
{
	bool up = lab_proc_is_up(&lab->keeper) || lab_proc_is_up(&lab->supervisor);

	for (int i = 0; i < LAB_N_SIDES; i++)
		up = up || lab_proc_is_up(&lab->daemons[i]);
	return up;
}

struct lab_list {
	struct lab *labs;
	size_t n;
};

static int list_add(struct lab_list *list, const struct lab *lab)
{
	struct lab *grown;

	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->labs[i].dir, lab->dir) == 0)
			return 0;
	grown = realloc(list->labs, (list->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	grown[list->n++] = *lab;
	list->labs = grown;
	return 0;
}

static int find_in(const char *base, struct lab_list *list)
{
	DIR *dir = opendir(base);
	struct dirent *e;
	int r = 0;

	if (!dir)
		return 0;
	while (r == 0 && (e = readdir(dir))) {
		char path[PATH_MAX];
		struct stat st;
		struct lab lab;

		if (strncmp(e->d_name, LAB_PREFIX, strlen(LAB_PREFIX)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, e->d_name);
		if (lstat(path, &st) < 0 || st.st_uid != geteuid())
			continue;
		if (lab_load(path, &lab) == 0)
			r = list_add(list, &lab);
		else if (S_ISLNK(st.st_mode) && stat(path, &st) < 0 && errno == ENOENT)
			unlink(path); /* its lab is gone */
	}
	closedir(dir);
	return r;
}

int lab_find_all(struct lab **labs_out, size_t *n_labs_out)
{
	struct lab_list list = {0};
	int r = find_in(lab_base_dir(), &list);

	if (r < 0) {
		free(list.labs);
		return r;
	}
	*labs_out = list.labs;
	*n_labs_out = list.n;
	return 0;
}
