/*
 * doca-admin env: prints what a shell exports so that a program written for one version of the
 * interface is built for a side and runs there. Changes nothing itself.
 */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/commands.h"
#include "tools/doca-admin/lab_paths.h"

static const char usage_text[] =
	"Usage: doca-admin env [--api VERSION] [--side host|dpu] [--dir DIR]\n"
	"\n"
	"Prints export lines for a shell; use them with: eval \"$(doca-admin env ...)\"\n"
	"\n"
	"  --api VERSION  version that the program was written for, 1.3 to 3.3 (2.0.2 and 2.2.1\n"
	"                 work too); without it the program chooses, and has the newest\n"
	"  --side SIDE    host (the default) or dpu\n"
	"  --dir DIR      also what a program needs to find its daemon in the lab DIR\n";

/* In which the interface was published; others are those of the one before. */
static const char *const versions[] = {"1.3", "1.5", "2.0",  "2.2", "2.5", "2.6", "2.7",
				       "2.8", "2.9", "2.10", "3.0", "3.1", "3.2", "3.3"};

/* "2.2.0080" means 2.2. NULL if there is no such version; the error was printed. */
static const char *version_find(const char *text)
{
	const char *dot = strchr(text, '.');
	size_t n = dot ? (size_t)(dot - text) + 1 : 0;

	if (dot)
		n += strspn(text + n, "0123456789");
	for (size_t i = 0; dot && i < ARRAY_LEN(versions); i++)
		if (strlen(versions[i]) == n && strncmp(versions[i], text, n) == 0 &&
		    (text[n] == '\0' || text[n] == '.'))
			return versions[i];
	cmd_fail(0, "--api: there is no version '%s'; these are there:", text);
	for (size_t i = 0; i < ARRAY_LEN(versions); i++)
		fprintf(stderr, " %s", versions[i]);
	fputc('\n', stderr);
	return NULL;
}

/* A word for the shell, whatever is in it. */
static void print_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	}
	putchar('\'');
}

static void print_export(const char *name, const char *value)
{
	printf("export %s=", name);
	print_quoted(value);
	putchar('\n');
}

/* Puts value before what the list has already. */
static void print_prepend(const char *name, const char *value)
{
	printf("export %s=", name);
	print_quoted(value);
	printf("${%s:+\":$%s\"}\n", name, name);
}

static int print_environment(const char *version, enum lab_side side, const struct lab *lab)
{
	char path[PATH_MAX];

	if (lab_paths_find_modules(side, version, path, sizeof(path)) < 0)
		return cmd_fail(EXIT_FAILURE,
				"the pkg-config modules are not installed; run 'make install' "
				"and use the doca-admin of that place");
	print_prepend("PKG_CONFIG_PATH", path);
	if (lab_paths_find_library(path, sizeof(path)) == 0)
		print_prepend("LD_LIBRARY_PATH", path);
	print_export("DOCA_SIDE", lab_side_name(side));
	if (!lab)
		return EXIT_SUCCESS;
	snprintf(path, sizeof(path), "%s/%s.sock", lab->dir, lab_side_name(side));
	print_export("DOCOCORED_SOCKET", path);
	snprintf(path, sizeof(path), "%s/%s.bus", lab->dir, lab_side_name(side));
	print_export("DOCOCORED_BUS", path);
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
	const char *version = NULL, *dir = NULL;
	enum lab_side side = LAB_HOST;
	struct lab lab;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "h", longs, NULL)) >= 0) {
		switch (c) {
		case 'a':
			version = version_find(optarg);
			if (!version)
				return EXIT_USAGE;
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
	if (dir && lab_paths_choose(dir, &lab) < 0)
		return EXIT_FAILURE;
	return print_environment(version, side, dir ? &lab : NULL);
}
