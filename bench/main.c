/*
 * doca-bench: measures the cost of the library as a ratio to a raw reference in the same run. This
 * file reads the options, and measures the rows that they choose, each in processes of its own.
 */
#include <dococ.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "bench/base/lab.h"
#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/report.h"
#include "bench/bench.h"

#define EXIT_USAGE 2
#define EXIT_WORSE 3
#define PATH_LEN   256

#define DEFAULT_ROUNDS 15u

static const struct bench_table *const tables[] = {
	&bench_dma,      &bench_pe,   &bench_buf,     &bench_comch,
	&bench_fast,     &bench_sha,  &bench_aes_gcm,
#ifdef HAVE_COMPRESS
	&bench_compress,
#endif
#ifdef HAVE_ISAL
	&bench_ec,
#endif
	&bench_graph,    &bench_sync, &bench_rdma,    &bench_control};

/* remote and control are the last ones, and no part of "all". */
static const char *const tests[] = {"dma",     "pe",       "buf",    "comch", "sha",
				    "aes-gcm", "compress", "ec",     "graph", "sync",
				    "rdma",    "remote",   "control"};
#define TEST_DMA     0u
#define TEST_CONTROL (ARRAY_LEN(tests) - 1)
#define TEST_REMOTE  (TEST_CONTROL - 1)

static const char usage[] =
	"Usage: doca-bench [dma|pe|buf|comch|sha|aes-gcm|compress|ec|graph|sync|rdma]...\n"
	"                  [OPTION...]\n"
	"       doca-bench remote [--size LIST] [--rounds N | --duration S] [--json]\n"
	"       doca-bench control [--rounds N | --duration S] [--json] [--compare FILE]\n"
	"       doca-bench --compare BEFORE --compare NOW [--json]\n"
	"\n"
	"Measures, in turn with a raw reference in the same run: dma (copies), pe (progress with\n"
	"nothing to do), buf (a buffer acquired and released), comch (messages between two\n"
	"processes), sha (SHA-256 digests), aes-gcm (messages sealed with AES-256-GCM),\n"
	"compress (DEFLATE and LZ4, where the library has them), ec (redundancy of data, where\n"
	"it has that), graph (copies as nodes of a graph), sync (sync events between two\n"
	"processes), rdma (between two processes: on an RDMA device, if there is one, against\n"
	"bare verbs, and without). Without a name: all. Lists, as in --size 64,4k, measure each.\n"
	"remote is comch where the two sides are linked by tls: messages and the fast path\n"
	"between machines, by their RDMA devices (verbs) and through the daemons (relay).\n"
	"control measures the daemon in a lab of its own, with up to a thousand clients and a\n"
	"hundred thousand exports (size: exports, depth: clients, in its table).\n"
	"\n"
	"  --size LIST        bytes of a copy or message (dma: 64,4k,64k,1m; comch: 64,4k;\n"
	"                     sha: 64,8k,1m; aes-gcm: 64,4k,64k; compress:\n"
	"                     4k,64k,1m; ec: 4k,64k,1m; graph: 64)\n"
	"  --depth LIST       operations under way at once (dma, comch, sha, rdma: 32; buf: "
	"1,32);\n"
	"                     for pe the contexts connected (1,8), for graph the copies of an\n"
	"                     instance (32)\n"
	"  --threads LIST     threads, each with objects of its own (1; dma, pe, buf, sha,\n"
	"                     graph)\n"
	"  --iterations N     operations of a sample (default: as many as take some 20 ms)\n"
	"  --transport LIST   dma: local, shm, pvm (default local)\n"
	"  --api NAME         dma: task (default), or workq, which is measured against task\n"
	"  --rounds N         pairs of samples of a row (15)\n"
	"  --duration S       instead: measure each row for S seconds\n"
	"  --json             one object, or a list of several\n"
	"  --compare FILE     also print how each row differs from FILE, a result of --json;\n"
	"                     with two files, compare these and measure nothing\n"
	"  --lab              start a private lab for this run\n"
	"  --help\n"
	"\n"
	"ratio is our time per operation over the reference's, of the middle one of the kept\n"
	"pairs. Samples that cross cores count only while the cores are near each other. p50, p99\n"
	"and p99.9 are percentiles of single operations, where those can be timed.\n";

const char *bench_side_name(enum bench_side side)
{
	return side == SIDE_DPU ? "dpu" : "host";
}

static const char *const transport_names[N_TRANSPORTS] = {"local", "shm", "pvm"};

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
		return list_parse("threads", text, BENCH_MAX_THREADS, &o->threads);
	case 'D':
		if (one_parse("duration", text, 86400, &value) != 0)
			return -1;
		o->duration_ns = value * NS_PER_SEC;
		return 0;
	case 'c':
		if (o->n_files == ARRAY_LEN(o->files))
			return usage_bad("--compare: at most two files");
		o->files[o->n_files++] = text;
		return 0;
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

static int names_parse(char **names, bool is_wanted[])
{
	bool is_any = *names != NULL;
	size_t i;

	for (i = 0; i < ARRAY_LEN(tests); i++)
		is_wanted[i] = !is_any && i < TEST_REMOTE;
	for (; *names != NULL; names++) {
		for (i = 0; i < ARRAY_LEN(tests) && strcmp(*names, tests[i]) != 0; i++)
			;
		if (i == ARRAY_LEN(tests))
			return usage_bad("there is no test '%s'", *names);
		is_wanted[i] = true;
	}
	for (i = 0; i < TEST_CONTROL; i++) {
		if (is_wanted[i] && is_wanted[TEST_CONTROL])
			return usage_bad("control runs alone");
	}
	return 0;
}

/* Returns true if a wanted test has rows to which the flag applies. */
static bool is_applicable(const bool is_wanted[], enum bench_flags flag)
{
	size_t t, i, n;

	for (t = 0; t < ARRAY_LEN(tables); t++) {
		for (i = 0; i < tables[t]->n; i++) {
			for (n = 0; strcmp(tests[n], tables[t]->rows[i].test) != 0; n++)
				;
			if (is_wanted[n] && tables[t]->rows[i].flags & flag)
				return true;
		}
	}
	return false;
}

static int options_parse(int argc, char **argv, struct bench_options *o, bool is_wanted[])
{
	static const struct option longs[] = {
		{"size", required_argument, NULL, 's'},
		{"depth", required_argument, NULL, 'd'},
		{"threads", required_argument, NULL, 't'},
		{"iterations", required_argument, NULL, 'i'},
		{"transport", required_argument, NULL, 'T'},
		{"rounds", required_argument, NULL, 'r'},
		{"duration", required_argument, NULL, 'D'},
		{"compare", required_argument, NULL, 'c'},
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
	if (names_parse(argv + optind, is_wanted) != 0)
		return -1;
	if (o->duration_ns > 0 && o->n_rounds > 0)
		return usage_bad("either --rounds or --duration");
	if (o->n_rounds == 0)
		o->n_rounds = DEFAULT_ROUNDS;
	if ((o->transports.n > 0 || o->is_workq) && !is_wanted[TEST_DMA])
		return usage_bad("--transport and --api are for dma");
	if (o->threads.n > 0 && !is_applicable(is_wanted, ROW_THREADS))
		return usage_bad("comch, sync and rdma run one thread on each side");
	return 0;
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

/*
 * Notes the speed of the cores. It shows differences between runs on different days, and load on
 * the other hardware thread of a core.
 */
static void cores_report(const char *when)
{
	double second = measure_core(1), first = measure_core(0);

	report_note("%s, the cores do %.1f and %.1f additions per ns", when, first, second);
}

/* --- rows --- */

/* The sockets of both sides; "": that side's daemon is not there. */
struct sides {
	char sockets[2][PATH_LEN];
	enum bench_side given; /* the side of DOCOCORED_SOCKET */
};

static void sides_find(const char *socket, struct sides *sides)
{
	const char *name = strrchr(socket, '/');
	enum bench_side side;

	name = name == NULL ? socket : name + 1;
	sides->given = strcmp(name, "dpu.sock") == 0 ? SIDE_DPU : SIDE_HOST;
	for (side = SIDE_HOST; side <= SIDE_DPU; side++) {
		if (!socket_find(socket, side, sides->sockets[side]))
			sides->sockets[side][0] = '\0';
	}
	if (sides->sockets[sides->given][0] == '\0')
		snprintf(sides->sockets[sides->given], PATH_LEN, "%s", socket);
}

static bool row_is_wanted(const struct bench_row *row, const struct bench_options *o,
			  const bool is_wanted[])
{
	bool is_dma = strcmp(row->test, tests[TEST_DMA]) == 0;
	size_t i;

	for (i = 0; strcmp(tests[i], row->test) != 0; i++)
		;
	if (!is_wanted[i])
		return false;
	if (!is_dma)
		return true;
	if (!(row->flags & ROW_WORKQ) == o->is_workq)
		return false;
	for (i = 0; i < o->transports.n; i++) {
		if (o->transports.values[i] == row->memory)
			return true;
	}
	return o->transports.n == 0 && row->memory == TRANSPORT_LOCAL;
}

/* The other process of a row. */
static void other_run(struct bench *b)
{
	for (unsigned i = 0; i < b->n_threads; i++) {
		/* If the row is omitted, the measuring process must end first. */
		if (b->row->setup(b) != NULL)
			break;
	}
	peer_serve(b);
}

/* Runs in a process of its own, which this function ends. */
static _Noreturn void row_run(const struct bench *first, const struct sides *sides,
			      struct measure_result *result_out)
{
	struct bench *benches = bench_alloc(first->n_threads, sizeof(*benches));
	struct peer peer;
	unsigned i;

	benches[0] = *first;
	if (first->row->flags & ROW_PEER) {
		benches[0].peer = &peer;
		peer_start(&benches[0], sides->sockets[!first->side], other_run);
	}
	setenv("DOCOCORED_SOCKET", sides->sockets[first->side], 1);
	setenv("DOCA_SIDE", bench_side_name(first->side), 1);
	measure_pin(0);
	for (i = 0; i < first->n_threads; i++) {
		const char *why;

		if (i > 0) {
			benches[i] = *first;
			benches[i].peer = benches[0].peer;
		}
		why = first->row->setup(&benches[i]);
		if (why != NULL) {
			snprintf(result_out->omitted, sizeof(result_out->omitted), "%s", why);
			_exit(EXIT_SUCCESS);
		}
	}
	measure_row(benches, first->n_threads, report_progress, result_out);
	if (benches[0].peer != NULL)
		peer_end(&peer);
	_exit(EXIT_SUCCESS);
}

/* Measures a row with one size, depth and number of threads. */
static void row_measure(struct report *report, const struct bench *b, double limit,
			const struct sides *sides)
{
	static struct measure_result *result;
	static char omitted[sizeof(result->omitted)];
	pid_t parent = getpid(), pid;
	int status;

	if (result == NULL)
		result = peer_memory_new(sizeof(*result));
	memset(result, 0, sizeof(*result));
	report_label(b);
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		bench_die("cannot start a process: %m");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		row_run(b, sides, result);
	}
	while (waitpid(pid, &status, 0) < 0)
		;
	if (WIFSIGNALED(status))
		bench_die("%s: the measuring process was ended by signal %d", b->row->test,
			  WTERMSIG(status));
	if (status != 0)
		exit(EXIT_FAILURE);
	if (result->omitted[0] == '\0') {
		report_row(report, b, limit, result);
	} else if (strcmp(result->omitted, omitted) != 0) {
		memcpy(omitted, result->omitted, sizeof(omitted));
		report_note("%s: %s is not measured: %s", b->row->test, b->row->transport, omitted);
	}
}

static double limit_of(const struct bench *b)
{
	const struct bench_point *p = b->row->points;

	for (; p < b->row->points + BENCH_MAX_POINTS && p->depth > 0; p++) {
		if (p->size == b->size && p->depth == b->depth && b->n_threads == 1)
			return p->limit;
	}
	return 0;
}

/* Measures a point, or what the options put in the place of its size and depth. */
static void point_measure(struct report *report, struct bench *b, const struct bench_point *point,
			  const struct sides *sides)
{
	const struct bench_options *o = b->options;
	const struct bench_row *row = b->row;
	bool has_sizes = row->flags & ROW_SIZES && o->sizes.n > 0;
	bool has_depths = row->flags & ROW_DEPTHS && o->depths.n > 0;
	bool has_threads = row->flags & ROW_THREADS && o->threads.n > 0;
	size_t s, d, t;

	for (s = 0; s < (has_sizes ? o->sizes.n : 1); s++) {
		b->size = has_sizes ? o->sizes.values[s] : point->size;
		if (has_sizes &&
		    (b->size < row->min_size || (row->max_size > 0 && b->size > row->max_size)))
			continue;
		for (d = 0; d < (has_depths ? o->depths.n : 1); d++) {
			b->depth = has_depths ? o->depths.values[d] : point->depth;
			for (t = 0; t < (has_threads ? o->threads.n : 1); t++) {
				b->n_threads = has_threads ? (unsigned)o->threads.values[t] : 1;
				row_measure(report, b, limit_of(b), sides);
			}
		}
	}
}

/* Points differ in size, in depth, or in both. Those that the options made equal count once. */
static bool point_is_covered(const struct bench_row *row, const struct bench_options *o, size_t i)
{
	bool has_sizes = row->flags & ROW_SIZES && o->sizes.n > 0;
	bool has_depths = row->flags & ROW_DEPTHS && o->depths.n > 0;
	size_t k;

	for (k = 0; k < i; k++) {
		if ((has_sizes || row->points[k].size == row->points[i].size) &&
		    (has_depths || row->points[k].depth == row->points[i].depth))
			return true;
	}
	return false;
}

static void table_measure(struct report *report, const struct bench_table *table,
			  const struct bench_options *o, const bool is_wanted[],
			  const struct sides *sides)
{
	size_t r, i;

	for (r = 0; r < table->n; r++) {
		const struct bench_row *row = &table->rows[r];
		struct bench b = {.row = row, .options = o, .side = sides->given};

		if (!row_is_wanted(row, o, is_wanted))
			continue;
		if (row->flags & ROW_PEER &&
		    (sides->sockets[0][0] == '\0' || sides->sockets[1][0] == '\0')) {
			report_note("%s: %s is omitted, the other side's daemon is not there",
				    row->test, row->variant);
			continue;
		}
		if (row->flags & (ROW_ON_DPU | ROW_ON_HOST))
			b.side = row->flags & ROW_ON_DPU ? SIDE_DPU : SIDE_HOST;
		for (i = 0; i < BENCH_MAX_POINTS && row->points[i].depth > 0; i++) {
			if (!point_is_covered(row, o, i))
				point_measure(report, &b, &row->points[i], sides);
		}
	}
}

static void needs_check(const struct bench_options *o, const bool is_wanted[],
			const struct sides *sides, const char *socket)
{
	size_t t, i;

	if (sides->sockets[0][0] != '\0' && sides->sockets[1][0] != '\0')
		return;
	for (t = 0; t < ARRAY_LEN(tables); t++) {
		for (i = 0; i < tables[t]->n; i++) {
			const struct bench_row *row = &tables[t]->rows[i];

			if ((row->flags & (ROW_PEER | ROW_OPTIONAL)) == ROW_PEER &&
			    row_is_wanted(row, o, is_wanted))
				bench_die(
					"%s: two processes on two sides are needed, but host.sock "
					"and dpu.sock are not both next to %s; try --lab",
					row->test, socket);
		}
	}
}

static int report_finish(struct report *report, struct json_object *earlier)
{
	unsigned n_worse = earlier == NULL ? 0 : report_compare(report, earlier);

	if (report_end(report) != 0)
		return EXIT_FAILURE;
	return n_worse > 0 ? EXIT_WORSE : EXIT_SUCCESS;
}

static int bench_run(const struct bench_options *o, const bool is_wanted[])
{
	const char *socket = getenv("DOCOCORED_SOCKET");
	struct json_object *earlier = o->n_files > 0 ? report_read(o->files[0]) : NULL;
	struct report *report;
	struct sides sides;
	size_t i;

	if (socket == NULL || *socket == '\0') {
		socket_missing();
		return EXIT_FAILURE;
	}
	sides_find(socket, &sides);
	needs_check(o, is_wanted, &sides, socket);
	report = report_new(o->is_json);
	cores_report("at first");
	for (i = 0; i < ARRAY_LEN(tables); i++)
		table_measure(report, tables[i], o, is_wanted, &sides);
	cores_report("at the end");
	return report_finish(report, earlier);
}

static int files_compare(const struct bench_options *o)
{
	struct report *report = report_new(o->is_json);

	report_adopt(report, report_read(o->files[1]));
	return report_finish(report, report_read(o->files[0]));
}

int main(int argc, char **argv)
{
	struct bench_options o = {0};
	bool is_wanted[ARRAY_LEN(tests)];
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
	if (o.n_files == 2)
		return files_compare(&o);
	/* control moves the daemons between cores, so it has a lab of its own. */
	if (o.is_lab || (is_wanted[TEST_CONTROL] && getenv(LAB_RUN_ENV) == NULL))
		return lab_run(args);
	return bench_run(&o, is_wanted);
}
