/*
 * doca-bench: measures the cost of the library as a ratio to a raw reference in the same run. This
 * file reads the options, chooses the side of this process, starts another process if one is
 * needed, and runs the tests.
 */
#include <doca_log.h>
#include <dococ.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/base/lab.h"
#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/report.h"
#include "bench/bench.h"

#define EXIT_USAGE 2
#define PATH_LEN   256

struct test {
	const char *name;
	void (*run)(struct bench *bench);
	bool takes_threads;
};

static const struct test tests[] = {
	{"dma", bench_dma, true},      {"pe", bench_pe, true},      {"buf", bench_buf, true},
	{"comch", bench_comch, false}, {"sha", bench_sha, true},    {"graph", bench_graph, true},
	{"sync", bench_sync, false},   {"rdma", bench_rdma, false},
};

enum {
	TEST_DMA,
	TEST_PE,
	TEST_BUF,
	TEST_COMCH,
	TEST_SHA,
	TEST_GRAPH,
	TEST_SYNC,
	TEST_RDMA,
	N_TESTS
};

static const char usage[] =
	"Usage: doca-bench [dma|pe|buf|comch|sha|graph|sync|rdma]... [OPTION...]\n"
	"       doca-bench control [--rounds N] [--json]\n"
	"\n"
	"Measures, in turn with a raw reference in the same run: dma (copies), pe (progress with\n"
	"nothing to do), buf (a buffer taken and given back), comch (messages between two\n"
	"processes), sha (SHA-256 digests), graph (copies as nodes of a graph), sync (sync events\n"
	"between two processes), rdma (between two processes: on an RDMA device, if there is one,\n"
	"against bare verbs, and without). Without a name: all. Lists, as in --size 64,4k, "
	"measure\n"
	"each.\n"
	"control measures the daemon: two of its own, with up to a thousand clients and a hundred\n"
	"thousand exports (size: exports, depth: clients, in its table).\n"
	"\n"
	"  --size LIST        bytes of a copy or message (dma: 64,4k,64k,1m; comch: 64,4k;\n"
	"                     sha: 64,8k,1m; graph: 64)\n"
	"  --depth LIST       operations under way at once (dma, comch, sha, rdma: 32; buf: "
	"1,32);\n"
	"                     for pe the contexts connected (1,8), for graph the copies of an\n"
	"                     instance (32)\n"
	"  --threads LIST     threads, each with objects of its own (1; dma, pe, buf, sha,\n"
	"                     graph)\n"
	"  --iterations N     operations of a sample (default: as many as take some 20 ms)\n"
	"  --transport LIST   dma: local, shm, pvm (default local)\n"
	"  --api NAME         dma: task (default), or workq, which is measured against task\n"
	"  --rounds N         pairs of samples (15)\n"
	"  --json             one object, or a list of several\n"
	"  --lab              start a private lab for this run\n"
	"  --help\n"
	"\n"
	"ratio is our time per operation over the reference's, of the middle one of the kept\n"
	"pairs. Samples that cross cores count only while the cores are near each other.\n";

const char *bench_side_name(enum bench_side side)
{
	return side == SIDE_DPU ? "dpu" : "host";
}

static const char *const transport_names[] = {"local", "shm", "pvm"};

const char *bench_transport_name(enum bench_transport transport)
{
	return transport_names[transport];
}

void bench_die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("doca-bench: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(EXIT_FAILURE);
}

const char *bench_our_side(void)
{
	const char *side = getenv("DOCA_SIDE");

	return side != NULL && *side != '\0' ? side : "of this daemon";
}

void bench_fail(doca_error_t result, const char *what)
{
	bench_die("%s, side %s: %s (%s)", what, bench_our_side(), doca_error_get_name(result),
		  dococ_last_error());
}

void *bench_alloc(size_t n, size_t size)
{
	/* Two lines, because the processor fetches them in pairs. */
	size_t len = ALIGN_UP(n * size, 128);
	void *p = aligned_alloc(128, len);

	if (p == NULL)
		bench_die("no memory");
	return memset(p, 0, len);
}

/* --- options --- */

static int usage_bad(const char *fmt, ...) PRINTF_LIKE(1, 2);

static int usage_bad(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("doca-bench: ", stderr);
	vfprintf(stderr, fmt, args);
	fputs("; --help shows the options\n", stderr);
	va_end(args);
	return -1;
}

/* Parses for example 64, 4k, 1m, 1g. */
static int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *value_out)
{
	static const char units[] = "kmg";
	const char *unit;
	uint64_t value;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	value = strtoull(text, &end, 10);
	if (*end != '\0') {
		unsigned shift;

		unit = strchr(units, *end | 0x20);
		if (unit == NULL || end[1] != '\0')
			return -1;
		shift = 10 * (unsigned)(unit - units + 1);
		if (value > UINT64_MAX >> shift)
			return -1;
		value <<= shift;
	}
	if (value < min || value > max)
		return -1;
	*value_out = value;
	return 0;
}

static int item_parse(const char *text, uint64_t max, uint64_t *value_out)
{
	size_t i;

	if (max > 0)
		return number_parse(text, 1, max, value_out);
	for (i = 0; i < ARRAY_LEN(transport_names); i++) {
		if (strcmp(text, transport_names[i]) == 0) {
			*value_out = i;
			return 0;
		}
	}
	return -1;
}

/* max 0: the list contains names of transports. text is modified. */
static int list_parse(const char *option, char *text, uint64_t max, struct bench_list *list)
{
	char *item;

	list->n = 0;
	for (item = strtok(text, ","); item != NULL; item = strtok(NULL, ",")) {
		if (list->n == BENCH_MAX_LIST)
			return usage_bad("--%s: more than %u values", option, BENCH_MAX_LIST);
		if (item_parse(item, max, &list->values[list->n]) != 0) {
			if (max == 0)
				return usage_bad("--%s: local, shm or pvm, not '%s'", option, item);
			return usage_bad("--%s: a number from 1 to %llu, not '%s'", option,
					 (unsigned long long)max, item);
		}
		list->n++;
	}
	return list->n > 0 ? 0 : usage_bad("--%s: a value is missing", option);
}

static int one_parse(const char *option, const char *text, uint64_t max, uint64_t *value_out)
{
	if (number_parse(text, 1, max, value_out) == 0)
		return 0;
	return usage_bad("--%s: a number from 1 to %llu, not '%s'", option, (unsigned long long)max,
			 text);
}

static int option_parse(int c, char *text, struct bench_options *o)
{
	uint64_t value;

	switch (c) {
	case 's':
		return list_parse("size", text, 1u << 30, &o->sizes);
	case 'd':
		return list_parse("depth", text, 1u << 16, &o->depths);
	case 't':
		return list_parse("threads", text, MEASURE_MAX_THREADS, &o->threads);
	case 'T':
		return list_parse("transport", text, 0, &o->transports);
	case 'i':
		return one_parse("iterations", text, 1ull << 40, &o->iterations);
	case 'r':
		if (one_parse("rounds", text, 1000, &value) != 0)
			return -1;
		o->n_rounds = (unsigned)value;
		return 0;
	case 'a':
		o->is_workq = strcmp(text, "workq") == 0;
		if (!o->is_workq && strcmp(text, "task") != 0)
			return usage_bad("--api: task or workq, not '%s'", text);
		return 0;
	case 'j':
		o->is_json = true;
		return 0;
	case 'l':
		o->is_lab = true;
		return 0;
	default:
		fputs(usage, c == 'h' ? stdout : stderr);
		exit(c == 'h' ? EXIT_SUCCESS : EXIT_USAGE);
	}
}

static int names_parse(char **names, bool is_wanted[N_TESTS])
{
	bool is_any = *names != NULL;
	size_t i;

	for (i = 0; i < N_TESTS; i++)
		is_wanted[i] = !is_any;
	for (; *names != NULL; names++) {
		for (i = 0; i < N_TESTS && strcmp(*names, tests[i].name) != 0; i++)
			;
		if (i == N_TESTS)
			return usage_bad("there is no test '%s'", *names);
		is_wanted[i] = true;
	}
	return 0;
}

static int options_parse(int argc, char **argv, struct bench_options *o, bool is_wanted[N_TESTS])
{
	static const struct option longs[] = {
		{"size", required_argument, NULL, 's'},
		{"depth", required_argument, NULL, 'd'},
		{"threads", required_argument, NULL, 't'},
		{"iterations", required_argument, NULL, 'i'},
		{"transport", required_argument, NULL, 'T'},
		{"rounds", required_argument, NULL, 'r'},
		{"api", required_argument, NULL, 'a'},
		{"json", no_argument, NULL, 'j'},
		{"lab", no_argument, NULL, 'l'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) >= 0) {
		if (option_parse(c, optarg, o) != 0)
			return -1;
	}
	o->is_control = argv[optind] != NULL && strcmp(argv[optind], "control") == 0;
	if (o->is_control)
		return argv[optind + 1] == NULL ? 0 : usage_bad("control runs alone");
	if (names_parse(argv + optind, is_wanted) != 0)
		return -1;
	if ((o->transports.n > 0 || o->is_workq) && !is_wanted[TEST_DMA])
		return usage_bad("--transport and --api are for dma");
	if (o->threads.n > 0 && !is_wanted[TEST_DMA] && !is_wanted[TEST_PE] &&
	    !is_wanted[TEST_BUF] && !is_wanted[TEST_SHA] && !is_wanted[TEST_GRAPH])
		return usage_bad("comch and rdma run one thread on each side");
	return 0;
}

/* --- sides --- */

static bool needs_peer(const struct bench_options *o, const bool is_wanted[N_TESTS])
{
	size_t i;

	for (i = 0; is_wanted[TEST_DMA] && i < o->transports.n; i++) {
		if (o->transports.values[i] != TRANSPORT_LOCAL)
			return true;
	}
	return is_wanted[TEST_COMCH] || is_wanted[TEST_SYNC] || is_wanted[TEST_RDMA];
}

static enum bench_side side_choose(const struct bench_options *o, const char *socket)
{
	const char *name = strrchr(socket, '/');
	size_t i;

	/* Copies from the other side are made on the DPU. */
	for (i = 0; i < o->transports.n; i++) {
		if (o->transports.values[i] != TRANSPORT_LOCAL)
			return SIDE_DPU;
	}
	return strcmp(name == NULL ? socket : name + 1, "dpu.sock") == 0 ? SIDE_DPU : SIDE_HOST;
}

/* Returns the socket of a side's daemon, next to the given one. */
static bool socket_find(const char *socket, enum bench_side side, char path[PATH_LEN])
{
	const char *slash = strrchr(socket, '/');
	int dir_len = slash == NULL ? 0 : (int)(slash - socket + 1);

	return snprintf(path, PATH_LEN, "%.*s%s.sock", dir_len, socket, bench_side_name(side)) <
		       PATH_LEN &&
	       access(path, F_OK) == 0;
}

static void socket_missing(void)
{
	fputs("doca-bench: no daemon to work with: DOCOCORED_SOCKET is not set.\n"
	      "  doca-bench --lab ...             starts a private lab for this run\n"
	      "  doca-admin lab up; doca-admin lab exec --side host -- doca-bench ...\n"
	      "                                   uses a lab that stays\n"
	      "  DOCOCORED_SOCKET=/run/dococored/host.sock doca-bench ...\n"
	      "                                   uses the machine's daemon\n",
	      stderr);
}

/* Runs alone: its processes would disturb other tests, and the program itself has no session. */
static int control_run(struct bench_options *o)
{
	struct bench bench = {.options = o, .report = report_new(o->is_json)};

	bench_control(&bench);
	return report_delete(bench.report) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/*
 * Notes the speed of the cores. It shows differences between runs on different days, and load on
 * the other hardware thread of a core.
 */
static void cores_report(struct report *report, const char *when)
{
	double second = measure_core(1), first = measure_core(0);

	report_note(report, "%s, the cores do %.1f and %.1f additions per ns", when, first, second);
}

static int bench_run(struct bench_options *o, const bool is_wanted[N_TESTS])
{
	const char *socket = getenv("DOCOCORED_SOCKET");
	struct bench bench = {.options = o};
	char ours[PATH_LEN], theirs[PATH_LEN];
	struct peer peer;
	size_t i;
	int r;

	if (socket == NULL || *socket == '\0') {
		socket_missing();
		return EXIT_FAILURE;
	}
	bench.side = side_choose(o, socket);
	if (socket_find(socket, bench.side == SIDE_DPU ? SIDE_HOST : SIDE_DPU, theirs) &&
	    socket_find(socket, bench.side, ours)) {
		bench.peer = &peer;
		peer_start(&peer, bench.side == SIDE_DPU ? SIDE_HOST : SIDE_DPU, theirs);
		setenv("DOCOCORED_SOCKET", ours, 1);
		setenv("DOCA_SIDE", bench_side_name(bench.side), 1);
	} else if (needs_peer(o, is_wanted)) {
		bench_die("two processes on two sides are needed, but host.sock and dpu.sock are "
			  "not both next to %s; try --lab",
			  socket);
	}
	bench.report = report_new(o->is_json);
	cores_report(bench.report, "at first");
	for (i = 0; i < N_TESTS; i++) {
		if (is_wanted[i])
			tests[i].run(&bench);
	}
	cores_report(bench.report, "at the end");
	r = report_delete(bench.report);
	if (bench.peer != NULL)
		peer_end(bench.peer);
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct bench_options o = {.n_rounds = 15};
	bool is_wanted[N_TESTS];
	char **args;
	int i;

	/*
	 * Copies the arguments, because getopt reorders them and the lists are modified, and a run
	 * in a lab needs them unchanged.
	 */
	args = calloc((size_t)argc + 1, sizeof(*args));
	for (i = 0; args != NULL && i < argc; i++) {
		args[i] = strdup(argv[i]);
		if (args[i] == NULL)
			args = NULL;
	}
	if (args == NULL)
		bench_die("no memory");
	if (options_parse(argc, argv, &o, is_wanted) != 0)
		return EXIT_USAGE;
	if (o.is_control)
		return control_run(&o);
	return o.is_lab ? lab_run(args) : bench_run(&o, is_wanted);
}
