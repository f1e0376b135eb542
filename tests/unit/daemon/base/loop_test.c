/* daemon/base/loop: each kind of source, and freeing a source in its own callback. */
#include <signal.h>
#include <unistd.h>

#include "daemon/base/loop.h"
#include "tests/unit/unit.h"
#include "util/clock.h"
#include "util/fd.h"

static struct loop *loop;
static int n_calls;

static void set_up(void)
{
	loop = loop_new();
	ck_assert_ptr_nonnull(loop);
	n_calls = 0;
}

static void tear_down(void)
{
	loop_free(loop);
}

static void count(void *user)
{
	(void)user;
	n_calls++;
}

static void count_and_stop(void *user)
{
	(void)user;
	n_calls++;
	loop_stop(loop);
}

static void free_itself(void *user)
{
	struct loop_source **source = user;

	n_calls++;
	*source = loop_source_free(*source);
}

static void on_fd(void *user, unsigned events)
{
	unsigned *seen = user;

	*seen |= events;
	n_calls++;
}

START_TEST(descriptors)
{
	struct loop_source *source;
	unsigned seen = 0;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	source = loop_fd_new(loop, fds[0], LOOP_READ, on_fd, &seen);
	ck_assert_ptr_nonnull(source);
	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	ck_assert_int_eq(loop_run_once(loop), 0);
	ck_assert_uint_eq(seen, LOOP_READ);
	/* Paused and resumed: level-triggered. */
	struct loop_source *timer = loop_timer_new(loop, count, NULL);

	ck_assert_int_eq(loop_fd_set(source, 0), 0);
	seen = 0;
	loop_timer_set(timer, NS_PER_MS);
	ck_assert_int_eq(loop_run_once(loop), 0);
	ck_assert_uint_eq(seen, 0);
	ck_assert_int_eq(loop_fd_set(source, LOOP_READ), 0);
	ck_assert_int_eq(loop_run_once(loop), 0);
	ck_assert_uint_eq(seen, LOOP_READ);
	loop_source_free(timer);
	loop_source_free(source);
	source = loop_fd_new(loop, fds[1], LOOP_READ | LOOP_WRITE, on_fd, &seen);
	ck_assert_int_eq(loop_run_once(loop), 0);
	ck_assert(seen & LOOP_WRITE);
	loop_source_free(source);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(timers)
{
	struct loop_source *timer = loop_timer_new(loop, count_and_stop, NULL);
	uint64_t start_ns = clock_now_ns();

	loop_timer_set(timer, 3600 * NS_PER_SEC);
	loop_timer_set(timer, 20 * NS_PER_MS);
	ck_assert_int_eq(loop_run(loop), 0);
	ck_assert_int_eq(n_calls, 1);
	ck_assert_uint_ge(clock_now_ns() - start_ns, 19 * NS_PER_MS);
	/* A cancelled timer does not fire, the other one does. */
	struct loop_source *other = loop_timer_new(loop, count, NULL);

	loop_timer_set(other, NS_PER_MS);
	loop_timer_cancel(other);
	loop_timer_set(timer, 10 * NS_PER_MS);
	ck_assert_int_eq(loop_run(loop), 0);
	ck_assert_int_eq(n_calls, 2);
	loop_source_free(timer);
	loop_source_free(other);
}
END_TEST

START_TEST(deferred_runs_once)
{
	struct loop_source *deferred = loop_deferred_new(loop, count, NULL);
	struct loop_source *timer = loop_timer_new(loop, count_and_stop, NULL);

	loop_deferred_set(deferred);
	loop_deferred_set(deferred);
	ck_assert_int_eq(n_calls, 0);
	loop_timer_set(timer, 5 * NS_PER_MS);
	ck_assert_int_eq(loop_run(loop), 0);
	ck_assert_int_eq(n_calls, 2);
	loop_source_free(deferred);
	loop_source_free(timer);
}
END_TEST

START_TEST(signals)
{
	struct loop_source *source = loop_signal_new(loop, SIGUSR1, count_and_stop, NULL);

	ck_assert_ptr_nonnull(source);
	ck_assert_int_eq(raise(SIGUSR1), 0);
	ck_assert_int_eq(loop_run(loop), 0);
	ck_assert_int_eq(n_calls, 1);
	loop_source_free(source);
}
END_TEST

START_TEST(sources_free_themselves)
{
	struct loop_source *timer = NULL, *deferred = NULL;

	timer = loop_timer_new(loop, free_itself, &timer);
	deferred = loop_deferred_new(loop, free_itself, &deferred);
	loop_deferred_set(deferred);
	loop_timer_set(timer, NS_PER_MS);
	while (n_calls < 2)
		ck_assert_int_eq(loop_run_once(loop), 0);
	ck_assert_ptr_null(timer);
	ck_assert_ptr_null(deferred);
	ck_assert_ptr_null(loop_source_free(NULL));
	ck_assert_ptr_null(loop_free(NULL));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon loop");
	TCase *tcase = unit_case(suite, "loop", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, descriptors);
	tcase_add_test(tcase, timers);
	tcase_add_test(tcase, deferred_runs_once);
	tcase_add_test(tcase, signals);
	tcase_add_test(tcase, sources_free_themselves);
	return unit_run(suite);
}
