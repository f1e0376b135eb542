/*
 * doca-admin env: prints the variables that a shell exports so that a program written for one
 * version of the interface is built for a side and runs there. Changes nothing itself.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/lab/paths.h"
#include "tools/doca-admin/sdk/api_version.h"
#include "tools/doca-admin/sdk/build_env.h"

static const char usage_text[] =
	"Usage: doca-admin env [--api VERSION] [--side host|dpu] [--dir DIR]\n"
	"\n"
	"Prints export lines for a shell; use them with: eval \"$(doca-admin env ...)\"\n"
	"\n"
	"  --api VERSION  version that the program was written for, 1.3 to 3.3 (2.0.2 and 2.2.1\n"
	"                 work too; for one that is not known the nearest is used); without it\n"
	"                 the program chooses, and has the newest\n"
	"  --side SIDE    host (the default) or dpu\n"
	"  --dir DIR      also what a program needs to find its daemon in the lab DIR\n";

/* Adds the variables by which programs of this user find the lab's daemon. */
static int add_lab(struct build_env *env, const struct lab *lab, const char *side)
{
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof(path), "%s/%s.sock", lab->dir, side);
	r = build_env_set(env, "DOCOCORED_SOCKET", path);
	snprintf(path, sizeof(path), "%s/%s.bus", lab->dir, side);
	return r < 0 ? r : build_env_set(env, "DOCOCORED_BUS", path);
}

static int print_environment(const char *version, enum lab_side side, const struct lab *lab)
{
	CLEANUP_BUILD_ENV struct build_env env = {.n_vars = 0};
	char modules[PATH_MAX], library[PATH_MAX];
	struct pc_file common;
	bool needs_library = lab_paths_find_library(library, sizeof(library)) == 0;
	int r;

	if (lab_paths_find_modules(side, version, modules, sizeof(modules)) < 0)
		return cmd_fail(EXIT_FAILURE,
				"the pkg-config modules are not installed; run 'make install' "
				"and use the doca-admin of that place");
	r = pc_file_read(modules, "doca-common.pc", &common);
	if (r < 0)
		return cmd_fail(EXIT_FAILURE, "%s/doca-common.pc: %s", modules, strerror(-r));
	r = build_env_fill(&env, modules, &common, needs_library ? library : NULL, side);
	if (r == 0 && lab)
		r = add_lab(&env, lab, lab_side_name(side));
	if (r < 0)
		return cmd_fail(EXIT_FAILURE, "%s", strerror(-r));
	build_env_print(&env);
	return EXIT_SUCCESS;
}

int cmd_env(int argc, char **argv)
{
	static const struct option longs[] = {
		{"api", required_argument, NULL, 'a'},
		{"side", required_argument, NULL, 's'},
		{"dir", required_argument, NULL, 'd'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	const char *wanted = NULL, *dir = NULL;
	char version[API_VERSION_MAX];
	enum lab_side side = LAB_HOST;
	struct lab lab;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "h", longs, NULL)) >= 0) {
		switch (c) {
		case 'a':
			wanted = optarg;
			break;
		case 's':
			if (lab_side_parse(optarg, &side) < 0)
				return cmd_fail(EXIT_USAGE, "--side is host or dpu, not '%s'",
						optarg);
			break;
		case 'd':
			dir = optarg;
			break;
		case 'h':
			fputs(usage_text, stdout);
			return EXIT_SUCCESS;
		default:
			return cmd_fail(EXIT_USAGE,
					"'%s' is no option of 'env', or lacks its value; see "
					"'doca-admin env --help'",
					argv[optind - 1]);
		}
	}
	if (optind != argc)
		return cmd_fail(EXIT_USAGE,
				"'env' takes options only, not '%s'; see 'doca-admin env --help'",
				argv[optind]);
	c = wanted ? api_version_choose(wanted, version) : 0;
	if (c < 0)
		return c == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
	if (dir && lab_paths_choose(dir, &lab) < 0)
		return EXIT_FAILURE;
	return print_environment(wanted ? version : NULL, side, dir ? &lab : NULL);
}
