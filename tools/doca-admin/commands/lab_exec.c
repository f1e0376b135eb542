/*
 * doca-admin lab exec: executes the user's command in the environment of one side of a lab. It
 * replaces this process, so exit status, signals and descriptors are the command's own.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/lab/lab.h"
#include "tools/doca-admin/lab/paths.h"
#include "tools/doca-admin/sdk/pc_file.h"
#include "util/fd.h"

/* Exit codes that shells use. */
#define EXIT_NOT_RUNNABLE 126
#define EXIT_NOT_FOUND    127

static int usage_bad(const char *what)
{
	return cmd_fail(EXIT_USAGE, "%s; write 'doca-admin lab exec --side host|dpu -- COMMAND...'",
			what);
}

/* Prepends dir to the list in the variable. */
static int list_prepend(const char *name, const char *dir)
{
	const char *old = secure_getenv(name);
	char *text;
	int r;

	if (!old || !*old)
		return setenv(name, dir, 1);
	if (asprintf(&text, "%s:%s", dir, old) < 0)
		return -1;
	r = setenv(name, text, 1);
	free(text);
	return r;
}

/* True if PKG_CONFIG_PATH begins with the modules of a version, which 'env' or 'sdk exec' chose. */
static bool version_is_chosen(void)
{
	const char *list = secure_getenv("PKG_CONFIG_PATH");
	char dir[PATH_MAX], newest[PATH_MAX];

	if (!list ||
	    snprintf(dir, sizeof(dir), "%.*s", (int)strcspn(list, ":"), list) >= (int)sizeof(dir))
		return false;
	for (enum lab_side side = LAB_HOST; side < LAB_N_SIDES; side++)
		if (lab_paths_find_modules(side, NULL, newest, sizeof(newest)) == 0 &&
		    strcmp(dir, newest) == 0)
			return false;
	return pc_file_is_ours(dir);
}

static int environment_set(const struct lab *lab, enum lab_side side)
{
	const char *name = lab_side_name(side);
	char path[PATH_MAX];
	int r;

	r = setenv("DOCA_SIDE", name, 1);
	snprintf(path, sizeof(path), "%s/%s.sock", lab->dir, name);
	r |= setenv("DOCOCORED_SOCKET", path, 1);
	snprintf(path, sizeof(path), "%s/%s.bus", lab->dir, name);
	r |= setenv("DOCOCORED_BUS", path, 1);
	if (lab_paths_find_library(path, sizeof(path)) == 0)
		r |= list_prepend("LD_LIBRARY_PATH", path);
	if (!version_is_chosen() && lab_paths_find_modules(side, NULL, path, sizeof(path)) == 0)
		r |= list_prepend("PKG_CONFIG_PATH", path);
	return r ? -ENOMEM : 0;
}

/*
 * True if the daemon answers. Works also in a container that shares the directory but not the
 * processes.
 */
static bool socket_answers(const struct lab *lab, enum lab_side side)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int n = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/%s.sock", lab->dir,
			 lab_side_name(side));

	return fd >= 0 && (size_t)n < sizeof(addr.sun_path) &&
	       connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0;
}

int cmd_lab_exec(int argc, char **argv)
{
	static const struct option longs[] = {
		{"dir", required_argument, NULL, 'd'},
		{"side", required_argument, NULL, 's'},
		{0},
	};
	const char *dir = NULL, *side_text = NULL;
	enum lab_side side;
	struct lab lab;
	int c;

	opterr = 0;
	/* '+': options after the command belong to the command. */
	while ((c = getopt_long(argc, argv, "+", longs, NULL)) >= 0) {
		if (c == 'd')
			dir = optarg;
		else if (c == 's')
			side_text = optarg;
		else
			return cmd_fail(
				EXIT_USAGE,
				"'%s' is no option of 'lab exec', or lacks its value; options "
				"of the command come after --",
				argv[optind - 1]);
	}
	if (!side_text)
		return usage_bad("'lab exec' needs --side: which daemon the command shall find");
	if (optind == argc)
		return usage_bad("'lab exec' needs a command to run, after --");
	if (lab_side_parse(side_text, &side) < 0) {
		cmd_fail(0, "--side is host or dpu, not '%s'", side_text);
		return EXIT_USAGE;
	}
	if (lab_paths_choose(dir, &lab) < 0)
		return EXIT_FAILURE;
	if (!lab_proc_is_up(&lab.daemons[side]) && !socket_answers(&lab, side))
		cmd_fail(0, "%s: the %s daemon has ended; the command will not reach it", lab.dir,
			 side_text);
	if (environment_set(&lab, side) < 0)
		return cmd_fail(EXIT_FAILURE, "no memory");
	execvp(argv[optind], argv + optind);
	c = errno;
	return cmd_fail(c == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE, "%s: %s", argv[optind],
			strerror(c));
}
