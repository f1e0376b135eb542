/*
 * Two programs that share memory, copy and exchange messages are killed at random moments, in
 * random order. The surviving program detects the loss and continues with the next instance of the
 * other one. After each kill, the daemon of the killed program has freed everything that it held
 * for it; after the second kill both daemons have. Prints the longest time that this took.
 *
 * KILLS=10000 KILL_SEED=7 tests/integration/restart/kill_test
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/integration/restart/kill_ends.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#ifdef DOCO_SANITIZED
#define N_KILLS 40u
#else
#define N_KILLS 200u
#endif
/* A library needs a part of it to start. */
#define LIFE_MAX_US      40000u
#define GAP_MAX_US       10000u
#define FREED_MS         1000u
#define ROUNDS_PER_CHECK 50u

static struct lab lab;
static struct kill_board *board;
static struct lab_child ends[LAB_N_SIDES];
static size_t n_fds[LAB_N_SIDES];
static uint64_t longest_ns, state;

static uint64_t number_of(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text != NULL ? strtoull(text, NULL, 10) : fallback;
}

static uint32_t random_below(uint32_t max)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 2685821657736338717ull) >> 33) % max;
}

static void pause_us(uint32_t us)
{
	struct timespec time = {.tv_nsec = (long)us * 1000};

	ppoll(NULL, 0, &time, NULL);
}

static void setup(void)
{
	lab_setup(&lab, NULL);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	ck_assert_ptr_ne(board, MAP_FAILED);
	for (int i = 0; i < LAB_N_SIDES; i++)
		n_fds[i] = lab_daemon_n_fds(&lab, (enum lab_side)i);
}

static void teardown(void)
{
	lab_stop(&lab);
	munmap(board, sizeof(*board));
	leaks_teardown();
}

static void await_freed(enum lab_side side)
{
	uint64_t killed_ns = clock_now_ns();
	uint64_t deadline_ns = killed_ns + runner_timeout_ms(FREED_MS) * NS_PER_MS;

	while (lab_daemon_n_fds(&lab, side) > n_fds[side]) {
		ck_assert_msg(clock_now_ns() < deadline_ns, "%zu descriptors, %zu before",
			      lab_daemon_n_fds(&lab, side), n_fds[side]);
		lab_listen(&lab);
		pause_us(200);
	}
	longest_ns = MAX(longest_ns, clock_now_ns() - killed_ns);
}

static void check_lives(enum lab_side side)
{
	int status = 0;

	ck_assert_msg(waitpid(ends[side].pid, &status, WNOHANG) == 0,
		      "the %s end ended by itself with wait status %#x",
		      side == LAB_HOST ? "host's" : "DPU's", status);
}

/* The status of a daemon comes late, so it is looked at now and then. */
static void check_counts(void)
{
	for (int side = 0; side < LAB_N_SIDES; side++)
		for (int what = LAB_CLIENTS; what <= LAB_CHANNELS; what++)
			lab_await(&lab, (enum lab_side)side, (enum lab_count)what, 0, FREED_MS);
}

static void run_round(void)
{
	enum lab_side first = (enum lab_side)random_below(2), second = (enum lab_side) !first;

	atomic_store(&board->n, 0);
	ends[LAB_DPU] = lab_fork(&lab, LAB_DPU, kill_importer, board);
	ends[LAB_HOST] = lab_fork(&lab, LAB_HOST, kill_exporter, board);
	pause_us(random_below(LIFE_MAX_US));
	check_lives(first);
	lab_kill(&ends[first]);
	await_freed(first);
	pause_us(random_below(GAP_MAX_US));
	check_lives(second);
	lab_kill(&ends[second]);
	await_freed(LAB_HOST);
	await_freed(LAB_DPU);
}

START_TEST(test_kills)
{
	uint64_t n_kills = number_of("KILLS", (uint64_t)(N_KILLS / runner_busyness()));
	uint64_t seed = number_of("KILL_SEED", (uint64_t)getpid());

	state = seed + 1;
	for (uint64_t i = 0; i < n_kills / 2; i++) {
		run_round();
		if (i % ROUNDS_PER_CHECK == 0)
			check_counts();
	}
	check_counts();
	printf("%llu kills, seed %llu: everything was freed after at most %.1f ms; %llu exports, "
	       "%llu copies, %llu connections, %llu messages\n",
	       (unsigned long long)n_kills, (unsigned long long)seed,
	       (double)longest_ns / NS_PER_MS, (unsigned long long)atomic_load(&board->n_exports),
	       (unsigned long long)atomic_load(&board->n_copies),
	       (unsigned long long)atomic_load(&board->n_connections),
	       (unsigned long long)atomic_load(&board->n_messages));
	ck_assert(atomic_load(&board->n_copies) > 0);
	ck_assert(atomic_load(&board->n_messages) > 0);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("kills");

	tcase_add_checked_fixture(tcase, setup, teardown);
	/* In a long run the wait after each kill is what ends it. */
	tcase_set_timeout(tcase, getenv("KILLS") != NULL ? 0 : RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_kills);
}

int main(void)
{
	lab_require();
	if (getenv("KILLS") != NULL)
		runner_set_limit(86400);
	return runner_main("kill", add_cases, NULL);
}
