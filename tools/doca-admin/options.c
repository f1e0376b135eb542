/* Common options; see options.h. */
#include "tools/doca-admin/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/commands/commands.h"

enum {
	OPT_SIDE = 256,
	OPT_SOCKET,
	OPT_DIR,
	OPT_JSON,
	OPT_PID,
	OPT_UID,
	OPT_DEVICE,
	OPT_NAME,
	OPT_ASCII,
	OPT_INTERVAL,
	OPT_COUNT,
	OPT_ONLY_COUNT,
	OPT_SORT,
	OPT_LIMIT,
	OPT_LISTEN,
};

static const struct option longs[] = {
	{"side", required_argument, NULL, OPT_SIDE},
	{"socket", required_argument, NULL, OPT_SOCKET},
	{"dir", required_argument, NULL, OPT_DIR},
	{"json", no_argument, NULL, OPT_JSON},
	{"pid", required_argument, NULL, OPT_PID},
	{"uid", required_argument, NULL, OPT_UID},
	{"device", required_argument, NULL, OPT_DEVICE},
	{"name", required_argument, NULL, OPT_NAME},
	{"ascii", no_argument, NULL, OPT_ASCII},
	{"interval", required_argument, NULL, OPT_INTERVAL},
	{"sort", required_argument, NULL, OPT_SORT},
	{"limit", required_argument, NULL, OPT_LIMIT},
	{"listen", required_argument, NULL, OPT_LISTEN},
	{"help", no_argument, NULL, 'h'},
	/* The command decides whether the option needs a number. */
	{"count", required_argument, NULL, OPT_COUNT},
	{0},
};

static unsigned set_of(int option)
{
	switch (option) {
	case OPT_SIDE:
	case OPT_SOCKET:
	case OPT_DIR:
		return OPTIONS_DAEMON;
	case OPT_JSON:
		return OPTIONS_JSON;
	case OPT_PID:
	case OPT_UID:
	case OPT_DEVICE:
	case OPT_NAME:
		return OPTIONS_FILTER;
	case OPT_ASCII:
		return OPTIONS_ASCII;
	case OPT_INTERVAL:
		return OPTIONS_INTERVAL;
	case OPT_COUNT:
		return OPTIONS_COUNT;
	case OPT_ONLY_COUNT:
	case OPT_SORT:
	case OPT_LIMIT:
		return OPTIONS_LIST;
	case OPT_LISTEN:
		return OPTIONS_LISTEN;
	default:
		return 0;
	}
}

/* Parses a whole number. Returns 0, or -EINVAL after printing the error. */
static int number_parse(const char *option, const char *text, uint64_t min, uint64_t max,
			uint64_t *n_out)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || n > max) {
		cmd_fail(0, "%s is a number, not '%s'", option, text);
		return -EINVAL;
	}
	if (n < min) {
		cmd_fail(0, "%s is %llu or more, not %s", option, (unsigned long long)min, text);
		return -EINVAL;
	}
	*n_out = n;
	return 0;
}

/* Parses seconds, with a fraction. */
static int interval_parse(const char *text, unsigned *ms_out)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.1 && seconds <= 3600)) {
		cmd_fail(0, "--interval is 0.1 to 3600 seconds, not '%s'", text);
		return -EINVAL;
	}
	*ms_out = (unsigned)(seconds * 1000);
	return 0;
}

static int side_set(struct admin_options *o, const char *side)
{
	if (strcmp(side, "host") != 0 && strcmp(side, "dpu") != 0) {
		cmd_fail(0, "--side is host or dpu, not '%s'", side);
		return -EINVAL;
	}
	o->target.side = side;
	return 0;
}

/* Handles one option of the command. Returns 0 or -EINVAL. */
static int option_parse(struct admin_options *o, int option, const char *value)
{
	uint64_t n;
	int r = 0;

	switch (option) {
	case OPT_SIDE:
		return side_set(o, value);
	case OPT_SOCKET:
		o->target.socket = value;
		break;
	case OPT_DIR:
		o->target.dir = value;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_PID:
		o->filter.has_pid = true;
		r = number_parse("--pid", value, 0, INT32_MAX, &o->filter.pid);
		break;
	case OPT_UID:
		o->filter.has_uid = true;
		r = number_parse("--uid", value, 0, UINT32_MAX, &o->filter.uid);
		break;
	case OPT_DEVICE:
		o->filter.device = value;
		break;
	case OPT_NAME:
		o->filter.name = value;
		break;
	case OPT_ASCII:
		o->ascii = true;
		break;
	case OPT_INTERVAL:
		return interval_parse(value, &o->interval_ms);
	case OPT_COUNT:
		r = number_parse("--count", value, 1, UINT32_MAX, &n);
		o->count = r < 0 ? 0 : (unsigned)n;
		break;
	case OPT_ONLY_COUNT:
		o->only_count = true;
		break;
	case OPT_SORT:
		o->sort = value;
		break;
	case OPT_LIMIT:
		r = number_parse("--limit", value, 1, UINT32_MAX, &o->limit);
		break;
	case OPT_LISTEN:
		o->listen = value;
		break;
	default:
		break;
	}
	o->has_filter |= set_of(option) == OPTIONS_FILTER;
	o->has_list |= set_of(option) == OPTIONS_LIST;
	return r;
}

enum options_result options_parse(int argc, char **argv, unsigned set, struct admin_options *out)
{
	struct option table[ARRAY_LEN(longs)];
	int c, index = 0;

	memcpy(table, longs, sizeof(longs));
	if (set & OPTIONS_LIST)
		table[ARRAY_LEN(longs) - 2] = (struct option){"count", no_argument, NULL,
							      OPT_ONLY_COUNT};
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, "h", table, &index)) >= 0) {
		if (c == 'h')
			return OPTIONS_HELP;
		if (c == '?' || !(set_of(c) & set)) {
			const char *what = c == '?' ? argv[optind - 1] : longs[index].name;

			cmd_fail(0,
				 "'%s%s' is no option of '%s', or lacks its value; see "
				 "'doca-admin %s --help'",
				 c == '?' ? "" : "--", what, argv[0], argv[0]);
			return OPTIONS_BAD;
		}
		if (option_parse(out, c, optarg) < 0)
			return OPTIONS_BAD;
	}
	return OPTIONS_OK;
}

static int options_extra(char **argv)
{
	return cmd_fail(EXIT_USAGE, "'%s' takes options only, not '%s'; see 'doca-admin %s --help'",
			argv[0], argv[optind], argv[0]);
}

void options_usage(FILE *out, unsigned set)
{
	fputs("\nOptions:\n", out);
	if (set & OPTIONS_FILTER)
		fputs("  --pid PID        only what belongs to this process\n"
		      "  --uid UID        only what belongs to this user\n"
		      "  --device NAME    only what is of this device\n"
		      "  --name PATTERN   only what has this name, or belongs to a program of it; "
		      "* and ?\n                   stand for any text and any character\n",
		      out);
	if (set & OPTIONS_LIST)
		fputs("  --sort FIELD     order of the lines; the names of fields are those of "
		      "--json, and\n"
		      "                   -FIELD is the descending order\n"
		      "  --limit N        print at most so many\n"
		      "  --count          print only how many there are\n",
		      out);
	if (set & OPTIONS_JSON)
		fputs("  --json           JSON instead of text\n", out);
	if (set & OPTIONS_ASCII)
		fputs("  --ascii          no line-drawing characters\n", out);
	if (set & OPTIONS_INTERVAL)
		fputs("  --interval S     seconds between two looks (default 1)\n", out);
	if (set & OPTIONS_COUNT)
		fputs("  --count N        end after so many\n", out);
	if (set & OPTIONS_LISTEN)
		fputs("  --listen ADDRESS serve on [ADDRESS:]PORT; 'systemd' is the socket of a "
		      "socket unit\n",
		      out);
	if (set & OPTIONS_DAEMON)
		fputs("  --side host|dpu  the daemon of this side (default: DOCA_SIDE, else the "
		      "one "
		      "that answers)\n"
		      "  --socket PATH    the daemon's D-Bus socket\n"
		      "  --dir DIR        the daemon's runtime directory, or a lab's directory\n",
		      out);
	fputs("  --help           this text\n", out);
	if (set & OPTIONS_DAEMON)
		fputs("\nWithout --socket or --dir the environment variable DOCOCORED_BUS is "
		      "used, which\n'doca-admin lab exec' sets, else the directories where daemons "
		      "usually are.\n",
		      out);
}

static int status_of(int negative_errno)
{
	switch (negative_errno) {
	case -ENOENT:
		return EXIT_OBJECT_MISSING;
	case -EACCES:
	case -EPERM:
		return EXIT_DENIED;
	case -ECONNRESET:
		return EXIT_NO_DAEMON;
	default:
		return EXIT_FAILURE;
	}
}

int options_open(const struct admin_options *options, struct bus_client **client_out)
{
	char *error = NULL;
	int r = bus_client_open(&options->target, client_out, &error);

	if (r < 0)
		fputs(error ? error : "doca-admin: no memory\n", stderr);
	free(error);
	return r == -ENOTUNIQ ? EXIT_USAGE : r < 0 ? status_of(r) : 0;
}

int options_begin(int argc, char **argv, unsigned set, const char *usage, int n_args,
		  struct admin_options *o, struct bus_client **client_out)
{
	int status;

	switch (options_parse(argc, argv, set, o)) {
	case OPTIONS_BAD:
		return EXIT_USAGE + 1;
	case OPTIONS_HELP:
		fputs(usage, stdout);
		options_usage(stdout, set);
		return EXIT_SUCCESS + 1;
	case OPTIONS_OK:
		break;
	}
	if (n_args == 0 && argc != optind)
		return options_extra(argv) + 1;
	if (argc - optind != n_args)
		return cmd_fail(EXIT_USAGE,
				"'%s' takes one argument, not %d; see 'doca-admin %s --help'",
				argv[0], argc - optind, argv[0]) +
		       1;
	/* A server (--listen) connects anew for each answer, so nothing is connected here. */
	if (o->listen != NULL)
		return 0;
	status = options_open(o, client_out);
	return status ? status + 1 : 0;
}

int options_call_failed(const struct bus_client *client, int negative_errno)
{
	return cmd_fail(status_of(negative_errno), "%s", bus_client_error(client));
}
