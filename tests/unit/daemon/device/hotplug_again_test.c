/*
 * When a daemon scans its machine again after a failed scan. Fakes replace the event loop, whose
 * timer expires when the test says so, the machine, and the registry, which is empty and accepts no
 * device.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/daemon.h"
#include "daemon/device/device.h"
#include "daemon/device/functions.h"
#include "daemon/device/hotplug.h"
#include "daemon/topology/discover.h"
#include "daemon/topology/discovery_thread.h"
#include "daemon/topology/machine.h"
#include "tests/unit/unit.h"
#include "util/clock.h"
#include "util/log.h"

#define AGAIN_MAX_NS (64 * NS_PER_SEC)
#define UNTOLD_NS    (30 * NS_PER_SEC)

static struct daemon daemon_one;
static struct registry registry_one;
static struct daemon_options options_one;
static struct topology topology;
static struct hotplug *hotplug;

static int addresses_error, ports_error, poll_error, watch_error;
static unsigned n_polls_seen;
static struct device_spec found = {.name = "mlx5_7"};
static bool has_device;

/* --- loop: one timer, one watch --- */

static char a_source;
static loop_fn timer_fn;
static loop_fd_fn watch_fn;
static void *loop_user;
static uint64_t timer_ns; /* 0: not running */

struct loop_source *loop_timer_new(struct loop *loop, loop_fn fn, void *user)
{
	(void)loop;
	timer_fn = fn;
	loop_user = user;
	return (struct loop_source *)(void *)&a_source;
}

int loop_timer_set(struct loop_source *source, uint64_t delay_ns)
{
	(void)source;
	timer_ns = delay_ns;
	return 0;
}

void loop_timer_cancel(struct loop_source *source)
{
	(void)source;
	timer_ns = 0;
}

struct loop_source *loop_fd_new(struct loop *loop, int fd, unsigned events, loop_fd_fn fn,
				void *user)
{
	(void)loop;
	(void)fd;
	(void)events;
	(void)user;
	watch_fn = fn;
	return (struct loop_source *)(void *)&a_source;
}

struct loop_source *loop_source_free(struct loop_source *source)
{
	(void)source;
	return NULL;
}

/* Expires the timer. Returns its delay. */
static uint64_t expire_timer(void)
{
	uint64_t ns = timer_ns;

	ck_assert_uint_ne(ns, 0);
	timer_ns = 0;
	timer_fn(loop_user);
	return ns;
}

/* --- machine --- */

struct discovery_thread *discovery_thread_new(
	struct loop *loop, const struct sysfs *sysfs, const struct machine *machine,
	void (*fn)(void *user, int error, struct discovery *discovery), void *user)
{
	(void)loop;
	(void)sysfs;
	(void)machine;
	(void)fn;
	(void)user;
	return NULL;
}

/* If no thread can be created, the event loop scans. */
int discovery_thread_scan(struct discovery_thread *thread)
{
	(void)thread;
	return -EAGAIN;
}

struct discovery_thread *discovery_thread_free(struct discovery_thread *thread)
{
	(void)thread;
	return NULL;
}

int discover(const struct sysfs *sysfs, const struct machine *machine,
	     struct discovery *discovery_out)
{
	(void)sysfs;
	(void)machine;
	n_polls_seen++;
	if (poll_error)
		return poll_error;
	*discovery_out = (struct discovery){.addresses_error = addresses_error,
					    .ports_error = ports_error,
					    .devices = &found,
					    .n_devices = has_device};
	return 0;
}

void discovery_deinit(struct discovery *discovery)
{
	(void)discovery;
}

int sysfs_open(struct sysfs *sysfs, const char *root)
{
	sysfs->fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return sysfs->fd < 0 ? -errno : 0;
}

void sysfs_close(struct sysfs *sysfs)
{
	close(sysfs->fd);
	sysfs->fd = -1;
}

bool sysfs_exists(const struct sysfs *sysfs, const char *fmt, ...)
{
	(void)sysfs;
	(void)fmt;
	return false;
}

static int watch(void *user, int fds_out[MACHINE_N_WATCHES])
{
	(void)user;
	if (watch_error)
		return watch_error;
	fds_out[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return 0;
}

static bool changed(void *user, int fd, int which)
{
	(void)user;
	(void)fd;
	(void)which;
	return true;
}

const struct machine_ops netlink_machine = {.watch = watch, .changed = changed};

/* --- registry --- */

bool device_set_present(struct daemon *daemon, struct device *device, bool present)
{
	(void)daemon;
	(void)device;
	return present;
}

bool rep_set_gone(struct daemon *daemon, struct representor *rep, bool gone)
{
	(void)daemon;
	(void)rep;
	return gone;
}

struct device *registry_add_device(struct registry *registry, const struct device_spec *spec)
{
	(void)registry;
	(void)spec;
	return NULL;
}

struct representor *registry_add_rep(struct registry *registry, const struct rep_spec *spec)
{
	(void)registry;
	(void)spec;
	return NULL;
}

struct device_spec *registry_spec(struct registry *registry, const struct device *device)
{
	(void)registry;
	(void)device;
	return NULL;
}

struct rep_spec *registry_rep_spec(struct registry *registry, const struct representor *rep)
{
	(void)registry;
	(void)rep;
	return NULL;
}

struct device *registry_find_device(const struct registry *registry, const char *name)
{
	(void)registry;
	(void)name;
	return NULL;
}

struct representor *registry_find_rep(const struct registry *registry, const char *name)
{
	(void)registry;
	(void)name;
	return NULL;
}

void registry_update_presence(struct daemon *daemon)
{
	(void)daemon;
}

void peers_send_functions(struct daemon *daemon)
{
	(void)daemon;
}

void events_emit_totals(const struct events *events)
{
	(void)events;
}

/* --- log --- */

static unsigned n_failures_logged, n_recoveries_logged, n_untold, n_notified_now, n_left_out;

static bool count_line(int priority, const char *text)
{
	(void)priority;
	n_failures_logged += strstr(text, "trying again until it") != NULL;
	n_left_out += strstr(text, "device mlx5_7 is left out") != NULL;
	n_untold += strstr(text, "does not report changed devices") != NULL;
	n_notified_now += strstr(text, "reports changed devices again") != NULL;
	n_recoveries_logged += strstr(text, "again") != NULL && !strstr(text, "until");
	return true;
}

/* --- tests --- */

enum failure { ADDRESSES, PORTS, ALL, N_FAILURES };

static void set_failure(enum failure which, int error)
{
	addresses_error = which == ADDRESSES ? error : 0;
	ports_error = which == PORTS ? error : 0;
	poll_error = which == ALL ? error : 0;
}

static void start(void)
{
	topology.discover = true;
	daemon_one.registry = &registry_one;
	daemon_one.options = &options_one;
	registry_one.topology = &topology;
	options_one.sysfs = "/";
	log_set_sink(count_line);
	hotplug = hotplug_new(&daemon_one);
	ck_assert_ptr_nonnull(hotplug);
	hotplug_start(hotplug);
}

static void stop_hotplug(void)
{
	hotplug_free(hotplug);
	log_set_sink(NULL);
}

/* The delay grows up to a bound; the failure is logged once, and so is the recovery. */
START_TEST(pauses_grow)
{
	uint64_t expected_ns = NS_PER_SEC;

	set_failure(_i, -EAFNOSUPPORT);
	start();
	for (unsigned i = 0; i < 20; i++) {
		ck_assert_uint_eq(n_polls_seen, i + 1);
		ck_assert_uint_eq(expire_timer(), expected_ns);
		expected_ns = MIN(2 * expected_ns, AGAIN_MAX_NS);
	}
	ck_assert_uint_eq(n_failures_logged, 1);
	ck_assert_uint_eq(n_recoveries_logged, 0);
	set_failure(_i, 0);
	expire_timer();
	ck_assert_uint_eq(timer_ns, 0);
	ck_assert_uint_eq(n_recoveries_logged, 1);
	/* A later failure is logged again, and starts with the first delay. */
	set_failure(_i, -ENOBUFS);
	hotplug_scan(hotplug);
	ck_assert_uint_eq(timer_ns, NS_PER_SEC);
	ck_assert_uint_eq(n_failures_logged, 2);
	stop_hotplug();
}
END_TEST

/* Kernel notifications cause a scan with the usual delay, however long the retry delay is. */
START_TEST(notices_do_not_wait)
{
	uint64_t pause_ns;

	set_failure(_i, -EAFNOSUPPORT);
	start();
	for (unsigned i = 0; i < 10; i++)
		expire_timer();
	watch_fn(loop_user, LOOP_READ);
	ck_assert_uint_lt(timer_ns, NS_PER_SEC);
	pause_ns = timer_ns;
	watch_fn(loop_user, LOOP_READ);
	ck_assert_uint_eq(expire_timer(), pause_ns);
	ck_assert_uint_eq(timer_ns, AGAIN_MAX_NS);
	/* A successful scan, whoever requested it, ends the retries. */
	set_failure(_i, 0);
	hotplug_scan(hotplug);
	ck_assert_uint_eq(timer_ns, 0);
	stop_hotplug();
}
END_TEST

/*
 * Without notifications the daemon scans periodically and tries to get notifications again; this is
 * logged once. Failed scans are repeated sooner.
 */
START_TEST(kernel_without_messages)
{
	watch_error = -EPERM;
	set_failure(_i, 0);
	start();
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_uint_eq(n_polls_seen, i + 1);
		ck_assert_uint_eq(expire_timer(), UNTOLD_NS);
	}
	ck_assert_uint_eq(n_untold, 1);
	set_failure(_i, -ENOBUFS);
	hotplug_scan(hotplug);
	ck_assert_uint_eq(expire_timer(), NS_PER_SEC);
	ck_assert_uint_eq(timer_ns, 2 * NS_PER_SEC);
	set_failure(_i, 0);
	expire_timer();
	ck_assert_uint_eq(timer_ns, UNTOLD_NS);
	watch_error = 0;
	expire_timer();
	ck_assert_uint_eq(timer_ns, 0);
	ck_assert_uint_eq(n_untold, 1);
	ck_assert_uint_eq(n_notified_now, 1);
	watch_fn(loop_user, LOOP_READ);
	ck_assert_uint_ne(timer_ns, 0);
	stop_hotplug();
}
END_TEST

/* No name is left for the device: this is logged once. */
START_TEST(no_name_left_is_logged_once)
{
	set_failure(ALL, 0);
	has_device = true;
	start();
	hotplug_scan(hotplug);
	ck_assert_uint_eq(n_polls_seen, 2);
	ck_assert_uint_eq(n_left_out, 1);
	stop_hotplug();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("looking again");
	TCase *tcase = unit_case(suite, "looks that fail", UNIT_TIMEOUT);

	tcase_add_loop_test(tcase, pauses_grow, 0, N_FAILURES);
	tcase_add_loop_test(tcase, notices_do_not_wait, 0, N_FAILURES);
	tcase_add_loop_test(tcase, kernel_without_messages, 0, N_FAILURES);
	tcase_add_test(tcase, no_name_left_is_logged_once);
	return unit_run(suite);
}
