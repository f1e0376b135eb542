/*
 * control: measures the daemon: the time of a start, its memory and activity while idle, the cost
 * of exports, imports and requests with few and many clients and exports, and the end of a thousand
 * clients at once. It starts its own daemons and leaves running ones alone.
 *
 * A message between processes on two cores costs about eight times as much as on one core, and the
 * scheduler could place this program and the raw reference differently. Therefore all clients are
 * on the first core and all servers, daemons as well as the raw server, on the second, except in
 * rows that name one core. In both measurements, each round trip starts with a message to a
 * sleeping process.
 */
#include "bench/control/control.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/measure.h"
#include "bench/base/report.h"
#include "util/clock.h"

#define MAX_ROUNDS        64u
#define TRIPS             20u /* per sample; each includes a sleep, so it takes about 50 us */
#define CORE_OF_CLIENTS   0u
#define CORE_OF_SERVERS   1u
#define ASK_MS            200
#define SETTLE_MS         500 /* wait for the daemon's work after its start */
#define IDLE_MS           2000
#define EXPORTS_PER_CHILD 12500u
#define N_VANISH          1000u
#define VANISH_LIMIT_NS   (30 * NS_PER_SEC)
#define NAP_US            2000

struct control {
	struct bench *bench;
	struct control_daemons daemons;
	struct control_shared *shared;
	struct control_child echo, tripper, host, dpu;
	struct control_child *children; /* CONTROL_MAX_CHILDREN */
	size_t n_children;
	unsigned n_rounds;
};

static struct control_child child_new(struct control *c, enum bench_side side)
{
	struct control_child child = control_child_start(c->daemons.dir, side, c->shared);

	return child;
}

static void children_add(struct control *c, size_t n)
{
	struct control_msg msg = {.op = CONTROL_CONNECT};

	for (; n > 0; n--) {
		if (c->n_children == CONTROL_MAX_CHILDREN)
			bench_die("control: too many processes");
		c->children[c->n_children] = child_new(c, SIDE_HOST);
		control_child_call(&c->children[c->n_children++], &msg);
	}
}

static void children_end(struct control *c)
{
	while (c->n_children > 0)
		control_child_end(&c->children[--c->n_children]);
}

static int number_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Reports the middle pair by ratio, like measure_pairs(). */
static void pairs_report(struct control *c, const struct report_row *row, const double *ours,
			 const double *reference)
{
	struct measure_result result = {.is_measured = true, .n_kept = c->n_rounds};
	double ratios[MAX_ROUNDS];
	unsigned i, n = c->n_rounds;

	for (i = 0; i < n; i++)
		ratios[i] = ours[i] / reference[i];
	qsort(ratios, n, sizeof(ratios[0]), number_compare);
	result.ratio = ratios[n / 2];
	for (i = 0; i < n; i++) {
		if (ours[i] / reference[i] == result.ratio) {
			result.ours_ns = ours[i];
			result.reference_ns = reference[i];
		}
	}
	result.iterations = TRIPS;
	report_result(c->bench->report, row, &result);
}

/* --- start and idle state --- */

static void measure_start(struct control *c)
{
	double ms[MAX_ROUNDS];
	unsigned i;

	for (i = 0; i < c->n_rounds; i++) {
		ms[i] = (double)control_daemon_start(&c->daemons, SIDE_HOST) / NS_PER_MS;
		control_daemon_stop(&c->daemons, SIDE_HOST);
	}
	qsort(ms, c->n_rounds, sizeof(ms[0]), number_compare);
	report_value(c->bench->report, "control", "exec to ready", ms[c->n_rounds / 2], "ms");
}

static void measure_idle(struct control *c)
{
	uint64_t before;

	usleep(SETTLE_MS * 1000);
	report_value(c->bench->report, "control", "resident while idle",
		     (double)control_daemon_resident(&c->daemons, SIDE_HOST) / (1 << 20), "MiB");
	before = control_daemon_n_sleeps(&c->daemons, SIDE_HOST);
	usleep(IDLE_MS * 1000);
	report_value(c->bench->report, "control", "wake-ups in 2 s idle",
		     (double)(control_daemon_n_sleeps(&c->daemons, SIDE_HOST) - before), "");
}

/* --- export and import --- */

static double export_and_import(struct control *c)
{
	uint64_t total_ns = 0;
	unsigned i;

	for (i = 0; i < TRIPS; i++) {
		struct control_msg msg = {.op = CONTROL_OFFER};

		control_child_call(&c->host, &msg);
		total_ns += msg.ns;
		msg.op = CONTROL_IMPORT;
		control_child_call(&c->dpu, &msg);
		total_ns += msg.ns;
		msg.op = CONTROL_DROP;
		control_child_call(&c->dpu, &msg);
		control_child_call(&c->host, &msg);
	}
	return (double)total_ns / TRIPS;
}

static double trip(struct control *c)
{
	uint64_t total_ns = 0;
	unsigned i;

	for (i = 0; i < TRIPS; i++) {
		struct control_msg msg = {.op = CONTROL_TRIP};

		control_child_call(&c->tripper, &msg);
		total_ns += msg.ns;
	}
	return (double)total_ns / TRIPS;
}

static void servers_move(struct control *c, unsigned cpu)
{
	control_daemons_move(&c->daemons, cpu);
	measure_pin_process(c->echo.pid, cpu);
}

static void measure_exports_as(struct control *c, const char *variant, uint64_t n_clients,
			       uint64_t n_exports)
{
	double ours[MAX_ROUNDS], reference[MAX_ROUNDS];
	const struct report_row row = {.test = "control",
				       .variant = variant,
				       .transport = "-",
				       .reference = "seqpacket trip",
				       .size = n_exports,
				       .depth = n_clients,
				       .n_threads = 1};
	unsigned i;

	export_and_import(c);
	trip(c);
	for (i = 0; i < c->n_rounds; i++) {
		ours[i] = export_and_import(c);
		reference[i] = trip(c);
	}
	pairs_report(c, &row, ours, reference);
}

static void measure_exports(struct control *c, uint64_t n_clients, uint64_t n_exports)
{
	measure_exports_as(c, "exp+imp", n_clients, n_exports);
}

static void exports_add(struct control *c, uint64_t n)
{
	while (n > 0) {
		struct control_msg msg = {.op = CONTROL_EXPORT, .n = MIN(n, EXPORTS_PER_CHILD)};

		children_add(c, 1);
		n -= msg.n;
		control_child_call(&c->children[c->n_children - 1], &msg);
	}
}

static void measure_many_exports(struct control *c)
{
	static const uint64_t numbers[] = {1, 1000, 100000};
	uint64_t before = 0, n = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(numbers); i++) {
		if (i == 1)
			before = control_daemon_resident(&c->daemons, SIDE_HOST);
		exports_add(c, numbers[i] - n);
		n = numbers[i];
		measure_exports(c, c->n_children, n);
		if (i > 0)
			continue;
		servers_move(c, CORE_OF_CLIENTS);
		measure_exports_as(c, "exp+imp 1c", c->n_children, n);
		servers_move(c, CORE_OF_SERVERS);
	}
	report_value(c->bench->report, "control", "memory of an export",
		     (double)(control_daemon_resident(&c->daemons, SIDE_HOST) - before) /
			     (double)(n - numbers[0]),
		     "B");
	children_end(c);
}

static void measure_many_clients(struct control *c)
{
	static const uint64_t numbers[] = {10, 100, 1000};
	size_t i;

	for (i = 0; i < ARRAY_LEN(numbers); i++) {
		children_add(c, numbers[i] - c->n_children);
		measure_exports(c, numbers[i], 1);
	}
	children_end(c);
}

/* --- requests --- */

/* Nanoseconds per request, summed over all clients. */
static double ask(struct control *c, enum control_op op)
{
	struct control_msg msg = {.op = op};
	uint64_t start_ns, n = 0;
	double ns;
	size_t i;

	atomic_store(&c->shared->is_over, 0);
	start_ns = clock_now_ns();
	for (i = 0; i < c->n_children; i++)
		control_child_send(&c->children[i], &msg);
	usleep(ASK_MS * 1000);
	atomic_store(&c->shared->is_over, 1);
	ns = (double)(clock_now_ns() - start_ns);
	for (i = 0; i < c->n_children; i++) {
		control_child_await(&c->children[i], &msg);
		n += msg.n;
	}
	return n == 0 ? ns : ns / (double)n;
}

static void measure_requests(struct control *c, size_t n_clients)
{
	double ours[MAX_ROUNDS], reference[MAX_ROUNDS];
	const struct report_row row = {.test = "control",
				       .variant = "requests",
				       .transport = "-",
				       .reference = "libevent echo",
				       .depth = n_clients,
				       .n_threads = 1};
	unsigned i;

	children_add(c, n_clients);
	ask(c, CONTROL_ASK);
	ask(c, CONTROL_ECHO);
	for (i = 0; i < c->n_rounds; i++) {
		ours[i] = ask(c, CONTROL_ASK);
		reference[i] = ask(c, CONTROL_ECHO);
	}
	pairs_report(c, &row, ours, reference);
	children_end(c);
}

/* --- end of many clients --- */

static void measure_vanish(struct control *c)
{
	struct control_msg msg = {.op = CONTROL_ASK};
	uint64_t start_ns, before;
	size_t i;

	before = control_daemon_n_fds(&c->daemons, SIDE_HOST);
	children_add(c, N_VANISH);
	/*
	 * One client continues, with device lists from before. It is not on the core where a
	 * thousand processes end, because it would wait for them instead of for the daemon.
	 */
	measure_pin_process(c->host.pid, CORE_OF_SERVERS);
	atomic_store(&c->shared->is_over, 1);
	control_child_call(&c->host, &msg);
	atomic_store(&c->shared->is_over, 0);
	control_child_send(&c->host, &msg);
	start_ns = clock_now_ns();
	for (i = 0; i < c->n_children; i++)
		kill(c->children[i].pid, SIGKILL);
	while (control_daemon_n_fds(&c->daemons, SIDE_HOST) > before) {
		if (clock_now_ns() - start_ns > VANISH_LIMIT_NS)
			bench_die("control: the daemon keeps descriptors of clients that are gone");
		usleep(NAP_US);
	}
	report_value(c->bench->report, "control", "end of 1000 clients",
		     (double)(clock_now_ns() - start_ns) / NS_PER_MS, "ms");
	atomic_store(&c->shared->is_over, 1);
	control_child_await(&c->host, &msg);
	report_value(c->bench->report, "control", "longest answer meanwhile",
		     (double)msg.worst_ns / NS_PER_MS, "ms");
	children_end(c);
}

static void limits_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

void bench_control(struct bench *bench)
{
	struct control_msg msg = {.op = CONTROL_CONNECT};
	struct control c = {.bench = bench, .n_rounds = MIN(bench->options->n_rounds, MAX_ROUNDS)};

	limits_raise();
	c.shared = mmap(NULL, sizeof(*c.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (c.shared == MAP_FAILED)
		bench_die("no memory");
	c.children = bench_alloc(CONTROL_MAX_CHILDREN, sizeof(*c.children));
	control_daemons_init(&c.daemons);
	measure_start(&c);
	control_daemon_start(&c.daemons, SIDE_DPU);
	control_daemon_start(&c.daemons, SIDE_HOST);
	control_daemons_await_link(&c.daemons);
	control_daemons_ignore(&c.daemons);
	measure_idle(&c);
	measure_pin(CORE_OF_CLIENTS);
	c.echo = control_echo_start(c.daemons.dir);
	c.tripper = child_new(&c, SIDE_HOST);
	c.host = child_new(&c, SIDE_HOST);
	c.dpu = child_new(&c, SIDE_DPU);
	servers_move(&c, CORE_OF_SERVERS);
	control_child_call(&c.host, &msg);
	control_child_call(&c.dpu, &msg);
	measure_many_exports(&c);
	measure_many_clients(&c);
	measure_requests(&c, 1);
	measure_requests(&c, 64);
	measure_vanish(&c);
	control_child_end(&c.tripper);
	control_child_end(&c.host);
	control_child_end(&c.dpu);
	control_child_end(&c.echo);
	control_daemons_deinit(&c.daemons);
	free(c.children);
	munmap(c.shared, sizeof(*c.shared));
}
