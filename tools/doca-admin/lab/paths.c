/*
 * Finds the daemon, the library and the modules that belong to this doca-admin program: as built
 * (all in one build tree) or as installed (in configure's directories, or relative to the program
 * if the tree was moved). Also chooses the lab for commands without --dir. Keeps no state.
 */
#include "tools/doca-admin/lab/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/doca-admin/commands/commands.h"
#include "util/str.h"
#include "util/util.h"

#define LIBRARY "libdococlient.so"

/* Returns the directory of this program, without libtool's ".libs". Returns 0 or -errno. */
static int self_dir(char *out, size_t len)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n < 0)
		return -errno;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	slash = strrchr(path, '/');
	if (slash && strcmp(slash, "/.libs") == 0)
		*slash = '\0';
	return str_copy(out, len, path);
}

static bool file_is_there(const char *dir, const char *name, int mode)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) &&
	       access(path, mode) == 0;
}

static int find_in_path(const char *name, char *out, size_t len)
{
	const char *at = secure_getenv("PATH");

	while (at && *at) {
		const char *end = strchrnul(at, ':');
		char dir[PATH_MAX];

		if (end > at && *at == '/' && (size_t)(end - at) < sizeof(dir)) {
			memcpy(dir, at, (size_t)(end - at));
			dir[end - at] = '\0';
			if (file_is_there(dir, name, X_OK)) {
				int n = snprintf(out, len, "%s/%s", dir, name);

				return n < (int)len ? 0 : -ENAMETOOLONG;
			}
		}
		at = *end ? end + 1 : end;
	}
	return -ENOENT;
}

int lab_paths_find_daemon(char *path_out, size_t len)
{
	static const char *const places[] = {"", "/../sbin"};
	const char *env = secure_getenv("DOCOCORED");
	char self[PATH_MAX], dir[PATH_MAX + 16];

	if (env && *env) {
		char real[PATH_MAX];

		if (realpath(env, real) && access(real, X_OK) == 0 &&
		    str_copy(path_out, len, real) == 0)
			return 0;
		cmd_fail(0, "DOCOCORED: %s: %s", env, strerror(errno));
		return -ENOENT;
	}
	if (self_dir(self, sizeof(self)) == 0) {
		for (size_t i = 0; i < ARRAY_LEN(places); i++) {
			snprintf(dir, sizeof(dir), "%s%s", self, places[i]);
			if (file_is_there(dir, "dococored", X_OK) &&
			    snprintf(path_out, len, "%s/dococored", dir) < (int)len)
				return 0;
		}
	}
	if (find_in_path("dococored", path_out, len) == 0)
		return 0;
	cmd_fail(0,
		 "the program dococored is neither next to doca-admin (%s, %s/../sbin) nor in "
		 "PATH; say where it is with DOCOCORED=",
		 self, self);
	return -ENOENT;
}

static bool linker_searches(const char *dir)
{
	static const char *const system[] = {"/lib", "/usr/lib", "/lib64", "/usr/lib64"};

	for (size_t i = 0; i < ARRAY_LEN(system); i++) {
		size_t n = strlen(system[i]);

		/* Also matches /usr/lib/x86_64-linux-gnu, but nothing deeper. */
		if (strcmp(dir, system[i]) == 0 ||
		    (strncmp(dir, system[i], n) == 0 && dir[n] == '/' &&
		     strstr(dir + n, "-linux-") && !strchr(dir + n + 1, '/')))
			return true;
	}
	return false;
}

int lab_paths_find_library(char *dir_out, size_t len)
{
	static const char *const places[] = {"/client/.libs", "/../lib", "/../lib64"};
	char self[PATH_MAX], dir[PATH_MAX + 16], real[PATH_MAX];

	if (self_dir(self, sizeof(self)) == 0) {
		for (size_t i = 0; i < ARRAY_LEN(places); i++) {
			snprintf(dir, sizeof(dir), "%s%s", self, places[i]);
			if (!file_is_there(dir, LIBRARY, R_OK) || !realpath(dir, real))
				continue;
			return linker_searches(real) ? -ENOENT : str_copy(dir_out, len, real);
		}
	}
	if (file_is_there(DOCO_LIBDIR, LIBRARY, R_OK) && !linker_searches(DOCO_LIBDIR))
		return str_copy(dir_out, len, DOCO_LIBDIR);
	return -ENOENT;
}

/* Finds the library directory below which the modules are installed. Returns 0 or -ENOENT. */
static int find_modules_libdir(char *dir_out, size_t len)
{
	static const char versions[] = "dococore/api";
	char lib[PATH_MAX];

	/*
	 * A build tree has no modules, because the prefix that they would name is not installed
	 * yet.
	 */
	if (lab_paths_find_library(lib, sizeof(lib)) == 0 && file_is_there(lib, versions, R_OK))
		return str_copy(dir_out, len, lib);
	if (!file_is_there(DOCO_LIBDIR, versions, R_OK))
		return -ENOENT;
	return str_copy(dir_out, len, DOCO_LIBDIR);
}

int lab_paths_find_versions(char *dir_out, size_t len)
{
	char lib[PATH_MAX];

	if (find_modules_libdir(lib, sizeof(lib)) < 0)
		return -ENOENT;
	return snprintf(dir_out, len, "%s/dococore/api", lib) < (int)len ? 0 : -ENAMETOOLONG;
}

int lab_paths_find_modules(enum lab_side side, const char *version, char *dir_out, size_t len)
{
	char lib[PATH_MAX], dir[PATH_MAX + 64], sub[64];

	if (version)
		snprintf(sub, sizeof(sub), "/dococore/api/%s/%s", version, lab_side_name(side));
	else
		snprintf(sub, sizeof(sub), "%s",
			 side == LAB_DPU ? "/dococore/dpu/pkgconfig" : "/pkgconfig");
	if (find_modules_libdir(lib, sizeof(lib)) < 0)
		return -ENOENT;
	snprintf(dir, sizeof(dir), "%s%s", lib, sub);
	if (!file_is_there(dir, "doca-common.pc", R_OK))
		return -ENOENT;
	return str_copy(dir_out, len, dir);
}

static int choose_only(struct lab *lab_out)
{
	struct lab *all;
	size_t n, n_up = 0;
	int r = lab_find_all(&all, &n);

	if (r < 0) {
		cmd_fail(0, "%s", strerror(-r));
		return r;
	}
	for (size_t i = 0; i < n; i++) {
		if (!lab_is_up(&all[i]))
			continue;
		n_up++;
		*lab_out = all[i];
	}
	if (n_up == 0)
		cmd_fail(0, "no lab is up; start one with 'doca-admin lab up'");
	if (n_up > 1) {
		cmd_fail(0, "%zu labs are up, say which with --dir:", n_up);
		for (size_t i = 0; i < n; i++)
			if (lab_is_up(&all[i]))
				fprintf(stderr, "  %s\n", all[i].dir);
	}
	free(all);
	return n_up == 1 ? 0 : n_up ? -ENOTUNIQ : -ENOENT;
}

int lab_paths_choose(const char *dir, struct lab *lab_out)
{
	int r;

	if (!dir)
		return choose_only(lab_out);
	r = lab_load(dir, lab_out);
	if (r == -ENOENT)
		cmd_fail(0, "%s: there is no lab; 'doca-admin lab status' lists those that are up",
			 dir);
	else if (r < 0)
		cmd_fail(0, "%s: %s", dir, r == -EINVAL ? "its lab.json is damaged" : strerror(-r));
	return r;
}
