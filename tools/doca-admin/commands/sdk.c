/*
 * doca-admin sdk: provides the vendor's folder for build files that name it. 'make' fills a folder
 * of the user. 'exec' executes the user's command in a separate mount namespace in which such a
 * folder is /opt/mellanox/doca; it replaces this process, so exit status, signals and descriptors
 * are the command's own.
 */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/sdk/build_env.h"
#include "tools/doca-admin/sdk/mount_ns.h"
#include "tools/doca-admin/sdk/tree.h"
#include "util/str.h"

/* Exit codes that shells use. */
#define EXIT_NOT_RUNNABLE 126
#define EXIT_NOT_FOUND    127

#define VENDOR_FOLDER "/opt/mellanox/doca"

static const char usage_text[] =
	"Usage: doca-admin sdk make DIR [OPTION...]\n"
	"       doca-admin sdk exec [OPTION...] -- COMMAND...\n"
	"\n"
	"make: fills DIR, which is new or empty, like an installation of the vendor's SDK\n"
	"exec: runs COMMAND where " VENDOR_FOLDER " is such a folder, and everything else is\n"
	"      as it was; needs no root\n"
	"\n"
	"  --api VERSION       version that the program was written for, 1.3 to 3.3; without it\n"
	"                      the newest\n"
	"  --side SIDE         host (the default) or dpu\n"
	"  --samples CHECKOUT  shows the user's checkout of the vendor's samples in the folder,\n"
	"                      for programs that take files from there\n";

struct sdk_options {
	const char *version;
	const char *samples;
	enum lab_side side;
	bool help;
};

/* Reads options: anywhere for 'make', otherwise up to the first argument. Returns 0 or -EINVAL. */
static int options_read(int argc, char **argv, bool is_make, struct sdk_options *out)
{
	static const struct option longs[] = {
		{"api", required_argument, NULL, 'a'},
		{"side", required_argument, NULL, 's'},
		{"samples", required_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	opterr = 0;
	/* '+': options after the command belong to the command. */
	while ((c = getopt_long(argc, argv, is_make ? "h" : "+h", longs, NULL)) >= 0) {
		if (c == 'a') {
			out->version = optarg;
		} else if (c == 'c') {
			out->samples = optarg;
		} else if (c == 'h') {
			out->help = true;
		} else if (c != 's') {
			cmd_fail(0,
				 "'%s' is no option of 'sdk %s', or lacks its value; see "
				 "'doca-admin sdk --help'",
				 argv[optind - 1], argv[0]);
			return -EINVAL;
		} else if (lab_side_parse(optarg, &out->side) < 0) {
			cmd_fail(0, "--side is host or dpu, not '%s'", optarg);
			return -EINVAL;
		}
	}
	return 0;
}

static int source_find(const struct sdk_options *options, struct sdk_source *source_out)
{
	int r = sdk_source_find(options->version, options->side, options->samples, source_out);

	if (r == 0)
		return EXIT_SUCCESS;
	return r == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
}

/* ---- make -------------------------------------------------------------------------------------
 */

static int entry_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	/* The folder itself may belong to the user, so it stays. */
	if (ftw->level > 0)
		remove(path);
	return 0;
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t n = 0;

	while (dir && (entry = readdir(dir)))
		n++;
	if (dir)
		closedir(dir);
	/* Only "." and "..". */
	return dir && n == 2;
}

/* Creates the folder and its parents. Returns 0, or -errno after printing the error. */
static int folder_make(const char *dir)
{
	char path[PATH_MAX];
	int r = str_copy(path, sizeof(path), dir);

	for (char *at = path + 1; r == 0 && (at = strchr(at, '/')); at++) {
		*at = '\0';
		/* Only the error of the last folder is reported. */
		mkdir(path, 0755);
		*at = '/';
	}
	if (r == 0 && mkdir(path, 0755) < 0 && errno != EEXIST)
		r = -errno;
	if (r == 0 && !is_empty(path))
		r = -EEXIST;
	if (r == -EEXIST)
		cmd_fail(0, "%s: not an empty folder; remove it, or name another", dir);
	else if (r < 0)
		cmd_fail(0, "%s: %s", dir, strerror(-r));
	return r;
}

static int make_in(const char *dir, const struct sdk_source *source)
{
	char slot[PATH_MAX];
	int r = folder_make(dir);

	if (r < 0)
		return EXIT_FAILURE;
	if (!realpath(dir, slot))
		return cmd_fail(EXIT_FAILURE, "%s: %s", dir, strerror(errno));
	if (sdk_tree_fill(slot, slot, source) < 0) {
		nftw(slot, entry_remove, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
		return EXIT_FAILURE;
	}
	printf("%s: version %s (%s), side %s; modules in %s/%s/pkgconfig\n", slot, source->version,
	       source->common.version, lab_side_name(source->side), slot, sdk_tree_libdir());
	return EXIT_SUCCESS;
}

static int sdk_make(int argc, char **argv)
{
	struct sdk_options options = {.side = LAB_HOST};
	struct sdk_source source;
	int status;

	if (options_read(argc, argv, true, &options) < 0)
		return EXIT_USAGE;
	if (options.help) {
		fputs(usage_text, stdout);
		return EXIT_SUCCESS;
	}
	if (optind != argc - 1)
		return cmd_fail(EXIT_USAGE, "'sdk make' needs one folder; see "
					    "'doca-admin sdk --help'");
	status = source_find(&options, &source);
	if (status != EXIT_SUCCESS)
		return status;
	/* All users can read the folder, whatever this process's umask is. */
	umask(022);
	return make_in(argv[optind], &source);
}

/* ---- exec -------------------------------------------------------------------------------------
 */

/* Returns the number in a file of /proc/sys, or -1. */
static long sysctl_read(const char *path)
{
	FILE *file = fopen(path, "re");
	long value = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

/* Prints what to do if the kernel forbids the namespace. */
static int print_refusal(const struct sdk_source *source)
{
	static const struct {
		const char *path;
		long forbids;
		const char *cure;
	} switches[] = {
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
		 "sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
		{"/proc/sys/kernel/unprivileged_userns_clone", 0,
		 "sysctl kernel.unprivileged_userns_clone=1"},
		{"/proc/sys/user/max_user_namespaces", 0, "sysctl user.max_user_namespaces=10000"},
	};
	const char *cure = NULL;

	for (size_t i = 0; !cure && i < ARRAY_LEN(switches); i++)
		if (sysctl_read(switches[i].path) == switches[i].forbids)
			cure = switches[i].cure;
	if (cure)
		cmd_fail(0,
			 "users may not make namespaces on this machine; '%s', as root, "
			 "changes that",
			 cure);
	else
		cmd_fail(0, "users may not make namespaces here, as in most containers; give the "
			    "container the right CAP_SYS_ADMIN or another seccomp profile");
	return cmd_fail(EXIT_FAILURE,
			"without a namespace: as root, 'doca-admin sdk make " VENDOR_FOLDER
			" --api %s --side %s' makes the folder for everybody",
			source->version, lab_side_name(source->side));
}

static bool is_covered(const char *path)
{
	size_t n = strlen(VENDOR_FOLDER);

	return strncmp(path, VENDOR_FOLDER, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* True, after printing the error, if the new folder would hide the files that it links to. */
static bool hides_source(const struct sdk_source *source)
{
	const char *const paths[] = {source->common.includedir, source->common.libdir,
				     source->samples};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		if (!is_covered(paths[i]))
			continue;
		cmd_fail(0,
			 "%s is needed and would be hidden, because it lies in the folder that "
			 "'sdk exec' replaces; move it elsewhere",
			 paths[i]);
		return true;
	}
	return false;
}

/* Returns EXIT_SUCCESS, or an exit status after printing the error. */
static int environment_set(enum lab_side side)
{
	CLEANUP_BUILD_ENV struct build_env env = {.n_vars = 0};
	struct pc_file common;
	char modules[PATH_MAX];
	int r;

	snprintf(modules, sizeof(modules), VENDOR_FOLDER "/%s/pkgconfig", sdk_tree_libdir());
	r = pc_file_read(modules, "doca-common.pc", &common);
	if (r == 0)
		r = build_env_fill(&env, modules, &common, common.libdir, side);
	if (r == 0)
		r = build_env_apply(&env);
	return r < 0 ? cmd_fail(EXIT_FAILURE, "%s: %s", modules, strerror(-r)) : EXIT_SUCCESS;
}

static int exec_in(char **command, const struct sdk_source *source)
{
	enum mount_ns_result result;
	mode_t mask;
	int status;

	if (hides_source(source))
		return EXIT_FAILURE;
	/* root's command may become another user, who must be able to read the folder. */
	mask = umask(022);
	result = mount_ns_enter(VENDOR_FOLDER);
	if (result == MOUNT_NS_REFUSED)
		return print_refusal(source);
	if (result != MOUNT_NS_OK || sdk_tree_fill(VENDOR_FOLDER, VENDOR_FOLDER, source) < 0)
		return EXIT_FAILURE;
	umask(mask);
	status = environment_set(source->side);
	if (status != EXIT_SUCCESS)
		return status;
	execvp(command[0], command);
	status = errno;
	return cmd_fail(status == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE, "%s: %s", command[0],
			strerror(status));
}

static int sdk_exec(int argc, char **argv)
{
	struct sdk_options options = {.side = LAB_HOST};
	struct sdk_source source;
	int status;

	if (options_read(argc, argv, false, &options) < 0)
		return EXIT_USAGE;
	if (options.help) {
		fputs(usage_text, stdout);
		return EXIT_SUCCESS;
	}
	if (optind == argc)
		return cmd_fail(EXIT_USAGE, "'sdk exec' needs a command to run, after --; see "
					    "'doca-admin sdk --help'");
	status = source_find(&options, &source);
	return status == EXIT_SUCCESS ? exec_in(argv + optind, &source) : status;
}

int cmd_sdk(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "make") == 0)
		return sdk_make(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "exec") == 0)
		return sdk_exec(argc - 1, argv + 1);
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(usage_text, stdout);
		return EXIT_SUCCESS;
	}
	return cmd_fail(EXIT_USAGE, "'sdk' needs 'make' or 'exec'; see 'doca-admin sdk --help'");
}
