/*
 * A daemon is stopped, and calls that do not need it are not delayed by calls that do. While one
 * thread waits for an import that needs the other side's daemon, other threads open devices, export
 * memory, and import memory of their own side. While one thread waits for its own daemon, the
 * progress engine of another thread continues, even if it has a pending request to that daemon. The
 * test checks no times, only the order: calls that need not wait return before the stopped daemon
 * continues, and before the call that waits for it returns.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/integration/control/load.h"
#include "tests/lib/exporter.h"
#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define LEN      4096u
#define N_ROUNDS 5u
#define N_TURNS  10000u
#define WAIT_MS  10000u

static const char *const devices[] = {USE_HOST_PF0, USE_DPU_P0};
static const char *const side_names[] = {"host", "dpu"};

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
	leaks_allow_fds(1); /* the library's connection */
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* --- a thread whose call is not answered --- */

struct waiter {
	pthread_t thread;
	_Atomic pid_t tid;
	_Atomic bool has_returned;
	/* Makes the call. Runs on the waiter's thread. */
	doca_error_t (*call)(struct waiter *waiter);
	doca_error_t result;
	struct doca_dev *dev;
	const struct exported *exported;
	struct doca_mmap *mmap;
	uint64_t begin_ns, end_ns;
};

static void *waiter_main(void *arg)
{
	struct waiter *waiter = arg;

	waiter->begin_ns = clock_now_ns();
	atomic_store(&waiter->tid, gettid());
	waiter->result = waiter->call(waiter);
	waiter->end_ns = clock_now_ns();
	atomic_store(&waiter->has_returned, true);
	return NULL;
}

/* True if the thread sleeps in a system call, or has ended. */
static bool is_asleep(pid_t tid)
{
	char path[64], text[256] = "";
	const char *name_end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	f = fopen(path, "re");
	if (f == NULL)
		return true;
	(void)!fgets(text, sizeof(text), f);
	fclose(f);
	name_end = strrchr(text, ')');
	return name_end != NULL && name_end[2] == 'S';
}

/* On return the thread waits in its call. */
static void waiter_start(struct waiter *waiter)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;

	ck_assert_int_eq(pthread_create(&waiter->thread, NULL, waiter_main, waiter), 0);
	while (atomic_load(&waiter->tid) == 0 || !is_asleep(atomic_load(&waiter->tid))) {
		ck_assert_uint_lt(clock_now_ns(), deadline);
		poll(NULL, 0, 1);
	}
	ck_assert_msg(!atomic_load(&waiter->has_returned), "the call was answered");
}

/* The call returned late, or timed out. */
static void waiter_join(struct waiter *waiter)
{
	ck_assert_int_eq(pthread_join(waiter->thread, NULL), 0);
	ck_assert_msg(waiter->result == DOCA_SUCCESS || waiter->result == DOCA_ERROR_TIME_OUT,
		      "%s: %s", doca_error_get_name(waiter->result), dococ_last_error());
}

static doca_error_t call_import(struct waiter *waiter)
{
	return doca_mmap_create_from_export(NULL, waiter->exported->desc,
					    waiter->exported->desc_len, waiter->dev, &waiter->mmap);
}

static doca_error_t call_list(struct waiter *waiter)
{
	struct doca_devinfo **list;
	doca_error_t result;
	uint32_t n;

	(void)waiter;
	result = doca_devinfo_create_list(&list, &n);
	if (result == DOCA_SUCCESS)
		OK(doca_devinfo_destroy_list(list));
	return result;
}

/* --- calls that need one daemon only --- */

static void exporter_start_at(struct exporter *exporter, enum lab_side side)
{
	const struct exporter_options options = {
		.memory = MEMORY_MALLOC,
		.len = LEN,
		.rdma = true,
		.permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
			       DOCA_ACCESS_FLAG_RDMA_WRITE,
		.side = side,
	};

	exporter_start(exporter, &lab, &options);
}

static uint64_t own_side_round(enum lab_side side, const struct exported *exported)
{
	static uint8_t memory[LEN];
	uint64_t begin_ns = clock_now_ns(), longest_ns;
	struct doca_mmap *mmap, *imported;
	struct doca_dev *dev = use_dev(devices[side]);
	const void *desc;
	size_t len;

	longest_ns = clock_now_ns() - begin_ns;
	mmap = use_mmap(dev, memory, sizeof(memory),
			DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ);
	begin_ns = clock_now_ns();
	OK(doca_mmap_export_rdma(mmap, dev, &desc, &len));
	longest_ns = MAX(longest_ns, clock_now_ns() - begin_ns);
	begin_ns = clock_now_ns();
	OK(doca_mmap_create_from_export(NULL, exported->desc, exported->desc_len, dev, &imported));
	longest_ns = MAX(longest_ns, clock_now_ns() - begin_ns);
	use_mmap_end(imported);
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
	return longest_ns;
}

/* _i: the side of the program; the other side's daemon is stopped. */
START_TEST(other_side_is_stopped)
{
	enum lab_side side = (enum lab_side)_i, other = (enum lab_side) !side;
	struct waiter waiter = {.call = call_import};
	struct exporter near, remote;
	struct load_usage before;
	uint64_t longest_ns = 0;

	exporter_start_at(&near, side);
	exporter_start_at(&remote, other);
	lab_use(&lab, side);
	waiter.dev = use_dev(devices[side]);
	waiter.exported = &remote.exported;
	/* Daemons keep a descriptor of each exporter from its first import on. */
	own_side_round(side, &near.exported);
	EXPECT(DOCA_SUCCESS, call_import(&waiter));
	use_mmap_end(waiter.mmap);
	load_usage_read(&lab, &before);
	lab_freeze(lab.daemons[other].pid);
	waiter_start(&waiter);
	for (unsigned i = 0; i < N_ROUNDS; i++) {
		uint64_t ns = own_side_round(side, &near.exported);

		longest_ns = MAX(longest_ns, ns);
	}
	printf("%s: longest call %.1f ms while another one waited\n", side_names[side],
	       (double)longest_ns / NS_PER_MS);
	ck_assert_msg(!atomic_load(&waiter.has_returned),
		      "the calls of this side waited for the other side's daemon, %.0f ms",
		      (double)longest_ns / NS_PER_MS);
	lab_thaw(lab.daemons[other].pid);
	waiter_join(&waiter);
	if (waiter.result == DOCA_SUCCESS)
		use_mmap_end(waiter.mmap);
	load_usage_await(&lab, &before);
	OK(doca_dev_close(waiter.dev));
	exporter_end(&near);
	exporter_end(&remote);
}
END_TEST

/* --- progress --- */

/* Connects and then sends a message at each signal, until the third one. */
static void client_main(int sock, void *arg)
{
	struct doca_comch_task_send *task;
	struct fast_end end;

	(void)arg;
	fast_client_open(&end, "one-side");
	lab_signal(sock);
	for (int i = 0; i < 2; i++) {
		lab_wait(sock);
		OK(doca_comch_client_task_send_alloc_init(end.client, end.conn, "word", 4, &task));
		OK(doca_task_submit(doca_comch_task_send_as_task(task)));
		fast_await(&end, &end.n_sent, (unsigned)i + 1);
	}
	lab_wait(sock);
	fast_end_close(&end);
}

static struct lab_child client_start(struct fast_end *server, unsigned n_connects)
{
	struct lab_child client = lab_fork(&lab, LAB_HOST, client_main, NULL);

	fast_await(server, &server->n_connects, n_connects);
	lab_wait(client.sock);
	return client;
}

/* The engine has an event that makes it send a request; it has not been progressed since. */
static void await_event(struct fast_end *end)
{
	struct pollfd event = {.events = POLLIN};

	OK(doca_pe_get_notification_handle(end->pe, &event.fd));
	OK(doca_pe_request_notification(end->pe));
	ck_assert_int_eq(poll(&event, 1, (int)runner_timeout_ms(WAIT_MS)), 1);
	OK(doca_pe_clear_notification(end->pe, event.fd));
}

/* Returns the duration of the longest call of doca_pe_progress(). */
static uint64_t progress_on(struct fast_end *end, const unsigned *counter, unsigned n)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;
	uint64_t longest_ns = 0;

	for (unsigned i = 0; i < N_TURNS || *counter < n; i++) {
		uint64_t begin_ns = clock_now_ns();

		doca_pe_progress(end->pe);
		longest_ns = MAX(longest_ns, clock_now_ns() - begin_ns);
		EXPECT_TRUE(begin_ns < deadline, "%u of %u", *counter, n);
	}
	return longest_ns;
}

/*
 * The engine has a new connection to ask its own daemon about. _i: the thread of the waiting call
 * starts before or after the engine has sent its request.
 */
START_TEST(own_side_is_stopped)
{
	struct waiter waiter = {.call = call_list};
	struct lab_child first, second;
	struct fast_end server;
	uint64_t longest_ns;

	lab_use(&lab, LAB_DPU);
	fast_server_open(&server, "one-side");
	first = client_start(&server, 1);
	while (doca_pe_progress(server.pe) != 0)
		continue;
	second = lab_fork(&lab, LAB_HOST, client_main, NULL);
	await_event(&server);
	lab_freeze(lab.daemons[LAB_DPU].pid);
	if (_i == 1)
		progress_on(&server, &server.n_connects, 1);
	waiter_start(&waiter);
	lab_signal(first.sock);
	longest_ns = progress_on(&server, &server.n_messages, 1);
	lab_signal(first.sock);
	longest_ns = MAX(longest_ns, progress_on(&server, &server.n_messages, 2));
	printf("longest progress %.1f ms while a call waited\n", (double)longest_ns / NS_PER_MS);
	ck_assert_msg(!atomic_load(&waiter.has_returned), "progress waited for the daemon, %.0f ms",
		      (double)longest_ns / NS_PER_MS);
	ck_assert_uint_eq(server.n_connects, 1);
	lab_thaw(lab.daemons[LAB_DPU].pid);
	waiter_join(&waiter);
	EXPECT(DOCA_SUCCESS, waiter.result);
	fast_await(&server, &server.n_connects, 2);
	lab_wait(second.sock);
	for (int i = 0; i < 2; i++)
		lab_signal(second.sock);
	fast_await(&server, &server.n_messages, 4);
	lab_signal(first.sock);
	lab_signal(second.sock);
	fast_await(&server, &server.n_disconnects, 2);
	lab_join(&first);
	lab_join(&second);
	fast_end_close(&server);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("one side");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, other_side_is_stopped, 0, LAB_N_SIDES);
	tcase_add_loop_test(tcase, own_side_is_stopped, 0, 2);
}

int main(void)
{
	lab_require();
	return runner_main("one side", add_cases, NULL);
}
