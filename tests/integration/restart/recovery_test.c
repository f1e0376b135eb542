/*
 * Daemons that are stopped, killed and restarted under a service manager, which the lab simulates:
 * clients only see delays. A client that copies continues; one that opens and imports all the time,
 * and one that exports all the time, get no error; and the next daemon detects clients that died in
 * between.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_mmap.h>
#include <dococ.h>

#include "tests/lib/assert.h"
#include "tests/lib/exporter.h"
#include "tests/lib/lab.h"
#include "tests/lib/lab_store.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define LEN     (64u << 10)
#define WAIT_MS 10000
#ifdef DOCO_SANITIZED
/* Sanitizer builds look for errors in principle; other builds test many repetitions. */
#define N_CYCLES 16
#else
#define N_CYCLES 50
#endif

enum busy { BUSY_COPIES, BUSY_IMPORTS, BUSY_EXPORTS, N_BUSY };

/* Shared with the children. */
struct shared {
	_Atomic bool stop;
	_Atomic unsigned loops[N_BUSY];
	struct exported exported;
};

static struct lab lab;
static struct exporter exporter;
static struct shared *shared;
static unsigned n_own; /* connections of this process to the DPU's daemon */

static void setup_with(size_t fd_store)
{
	const struct lab_options options = {.fd_store = fd_store};

	leaks_setup();
	n_own = 0;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	lab_start(&lab, &options);
}

static void setup(void)
{
	setup_with(256);
}

/* Room for one client with one memfd. */
static void setup_small_store(void)
{
	setup_with(3);
}

static void teardown(void)
{
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 0, WAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CLIENTS, n_own, WAIT_MS);
	/*
	 * The stores contain nothing else: the ledger, and for each client its socket, its liveness
	 * page, and its counters if it has had them for a while.
	 */
	for (int i = 0; i < LAB_N_SIDES; i++) {
		ck_assert_int_ge(lab_store_find(lab.stores[i], "ledger"), 0);
		ck_assert_uint_ge(lab.stores[i]->n, 1 + (i == LAB_DPU ? 2 * n_own : 0));
		ck_assert_uint_le(lab.stores[i]->n, 1 + (i == LAB_DPU ? 3 * n_own : 0));
	}
	lab_stop(&lab);
	munmap(shared, sizeof(*shared));
	leaks_allow_fds(n_own);
	leaks_teardown();
}

static void start_exporter(void)
{
	struct exporter_options what = {
		.memory = MEMORY_MEMFD, .len = LEN, .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	exporter_start(&exporter, &lab, &what);
	shared->exported = exporter.exported;
}

/* --- clients --- */

static struct doca_mmap *import(struct doca_dev *dev)
{
	return use_import_retry(shared->exported.desc, shared->exported.desc_len, dev);
}

/* One import and all set-up before the daemons begin to end; then checked copies. */
static void copy_loop_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	static uint8_t mine[LEN];
	struct doca_mmap *remote = import(dev), *local;
	struct use_dma use;

	(void)arg;
	use_dma_open(&use, dev, 4);
	local = use_mmap(dev, mine, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	lab_signal(sock);
	while (!atomic_load(&shared->stop)) {
		memset(mine, 0, LEN);
		EXPECT(DOCA_SUCCESS,
		       use_copy(&use, remote, shared->exported.addr, local, mine, LEN));
		ck_assert(use_is_filled(mine, LEN, 1));
		atomic_fetch_add(&shared->loops[BUSY_COPIES], 1);
	}
	use_mmap_end(remote);
	use_mmap_end(local);
	use_dma_close(&use);
	OK(doca_dev_close(dev));
}

/* Creates all objects again in each round. */
static void importer(int sock, void *arg)
{
	static uint8_t mine[4096];

	(void)arg;
	lab_signal(sock);
	while (!atomic_load(&shared->stop)) {
		struct doca_dev *dev = use_dev(USE_DPU_P0);
		struct doca_mmap *remote = import(dev);
		struct doca_mmap *local = use_mmap(dev, mine, sizeof(mine),
						   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
		struct use_dma use;

		use_dma_open(&use, dev, 1);
		memset(mine, 0, sizeof(mine));
		EXPECT(DOCA_SUCCESS,
		       use_copy(&use, remote, shared->exported.addr, local, mine, sizeof(mine)));
		ck_assert(use_is_filled(mine, sizeof(mine), 1));
		use_dma_close(&use);
		use_mmap_end(remote);
		use_mmap_end(local);
		OK(doca_dev_close(dev));
		atomic_fetch_add(&shared->loops[BUSY_IMPORTS], 1);
	}
}

static void export_loop_main(int sock, void *arg)
{
	static uint8_t mine[4096];

	(void)arg;
	lab_signal(sock);
	while (!atomic_load(&shared->stop)) {
		struct doca_dev *dev = use_dev(USE_HOST_PF0);
		struct doca_mmap *map = use_mmap(dev, mine, sizeof(mine),
						 DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		const void *desc;
		size_t len;

		EXPECT(DOCA_SUCCESS, doca_mmap_export_pci(map, dev, &desc, &len));
		use_mmap_end(map);
		OK(doca_dev_close(dev));
		atomic_fetch_add(&shared->loops[BUSY_EXPORTS], 1);
	}
}

/* --- the service manager --- */

/* Waits for two more rounds of each program, of which one began after this call. */
static void await_rounds(void)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;
	struct pollfd news = {.fd = lab.notify_fd, .events = POLLIN};
	unsigned seen[N_BUSY];

	for (int i = 0; i < N_BUSY; i++)
		seen[i] = atomic_load(&shared->loops[i]);
	for (int i = 0; i < N_BUSY; i++) {
		while (atomic_load(&shared->loops[i]) - seen[i] < 2) {
			ck_assert_msg(clock_now_ns() < deadline, "client %d does not go on", i);
			lab_listen(&lab);
			poll(&news, 1, 1);
		}
	}
}

static void restart(enum lab_side side, bool by_force)
{
	if (by_force)
		lab_kill_daemon(&lab, side);
	else
		lab_stop_daemon(&lab, side);
	lab_start_daemon(&lab, side);
	await_rounds();
}

START_TEST(test_restarts)
{
	struct lab_child children[N_BUSY];

	start_exporter();
	children[0] = lab_fork(&lab, LAB_DPU, copy_loop_main, NULL);
	children[1] = lab_fork(&lab, LAB_DPU, importer, NULL);
	children[2] = lab_fork(&lab, LAB_HOST, export_loop_main, NULL);
	for (int i = 0; i < N_BUSY; i++)
		lab_wait(children[i].sock);
	await_rounds();
	for (int i = 0; i < N_CYCLES; i++) {
		restart(i % 2 == 0 ? LAB_DPU : LAB_HOST, _i == 1);
		/* The exporter makes no call to its daemon for that, and none at all meanwhile. */
		ck_assert(exporter_is_filled(&exporter, 0, LEN, 1));
	}
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 2, WAIT_MS);
	lab_await(&lab, LAB_DPU, LAB_CLIENTS, 2, WAIT_MS);
	atomic_store(&shared->stop, true);
	for (int i = 0; i < N_BUSY; i++)
		lab_join(&children[i]);
	exporter_end(&exporter);
	/* No client had to reconnect. */
	for (int i = 0; i < LAB_N_SIDES; i++) {
		ck_assert(lab_log_has(&lab, (enum lab_side)i, "resumed"));
		ck_assert(!lab_log_has(&lab, (enum lab_side)i, "not resumed"));
		ck_assert(!lab_timed_out(&lab, (enum lab_side)i));
	}
}
END_TEST

/* The next daemon detects a client that died while no daemon was running. */
START_TEST(test_client_dies_without_daemon)
{
	struct doca_mmap *remote, *local;
	static uint8_t mine[4096];
	struct doca_dev *dev;
	struct use_dma use;

	start_exporter();
	lab_use(&lab, LAB_DPU);
	n_own = 1;
	dev = use_dev(USE_DPU_P0);
	remote = import(dev);
	use_dma_open(&use, dev, 1);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	EXPECT(DOCA_SUCCESS, use_copy(&use, remote, shared->exported.addr, local, mine, 4096));
	lab_kill_daemon(&lab, LAB_HOST);
	lab_kill(&exporter.child);
	lab_start_daemon(&lab, LAB_HOST);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, WAIT_MS);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 0, WAIT_MS);
	EXPECT(DOCA_ERROR_IO_FAILED,
	       use_copy(&use, remote, shared->exported.addr, local, mine, 4096));
	use_dma_close(&use);
	use_mmap_end(remote);
	use_mmap_end(local);
	OK(doca_dev_close(dev));
}
END_TEST

/*
 * The ledger is damaged, or of an unknown format: the daemon logs it and starts without saved
 * state, and clients reconnect by themselves.
 */
START_TEST(test_damaged_ledger)
{
	static const char garbage[4096] = "no ledger";
	static const uint32_t older = 0;
	static const struct {
		const void *bytes;
		size_t len;
		off_t at;
		const char *why;
	} harm[] = {
		{garbage, sizeof(garbage), 0, "damaged"},
		{garbage, sizeof(garbage), 256, "damaged"},
		{&older, sizeof(older), 8, "another version of the daemon wrote it"},
	};
	struct lab_child child;
	int fd;

	start_exporter();
	lab_kill_daemon(&lab, LAB_HOST);
	fd = lab_store_find(lab.stores[LAB_HOST], "ledger");
	ck_assert_int_eq(pwrite(fd, harm[_i].bytes, harm[_i].len, harm[_i].at),
			 (ssize_t)harm[_i].len);
	lab_start_daemon(&lab, LAB_HOST);
	ck_assert(lab_log_has(&lab, LAB_HOST, harm[_i].why));
	ck_assert(lab_log_has(&lab, LAB_HOST, "starting clean"));
	exporter_call_daemon(&exporter);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 1, WAIT_MS);
	child = lab_fork(&lab, LAB_DPU, copy_loop_main, NULL);
	lab_wait(child.sock);
	atomic_store(&shared->stop, true);
	lab_join(&child);
	exporter_end(&exporter);
}
END_TEST

/* The manager has lost a descriptor (or stored fewer than it announced): that client reconnects. */
START_TEST(test_lost_descriptor)
{
	struct lab_child child;

	start_exporter();
	lab_kill_daemon(&lab, LAB_HOST);
	for (size_t i = 0; i < lab.stores[LAB_HOST]->n; i++) {
		if (strcmp(lab.stores[LAB_HOST]->kept[i].name, "ledger") != 0) {
			strcpy(lab.stores[LAB_HOST]->kept[i].name, "dzzz");
			break;
		}
	}
	lab_start_daemon(&lab, LAB_HOST);
	ck_assert(lab_log_has(&lab, LAB_HOST, "not resumed"));
	exporter_call_daemon(&exporter);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 1, WAIT_MS);
	child = lab_fork(&lab, LAB_DPU, copy_loop_main, NULL);
	lab_wait(child.sock);
	atomic_store(&shared->stop, true);
	lab_join(&child);
	exporter_end(&exporter);
}
END_TEST

static void device_open_main(int sock, void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		OK(doca_dev_close(use_dev(USE_HOST_PF0)));
		lab_signal(sock);
		lab_wait(sock);
	}
}

/* The store is full: clients with room are resumed, others reconnect. */
START_TEST(test_full_store)
{
	struct lab_child child;

	start_exporter();
	child = lab_fork(&lab, LAB_HOST, device_open_main, NULL);
	lab_wait(child.sock);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 2, WAIT_MS);
	ck_assert(lab_log_has(&lab, LAB_HOST, "the fd store is full with 3 descriptors"));
	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	ck_assert(lab_log_has(&lab, LAB_HOST, "resumed 1 client, 1 export"));
	lab_signal(child.sock);
	lab_wait(child.sock);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 2, WAIT_MS);
	lab_signal(child.sock);
	lab_join(&child);
	exporter_end(&exporter);
}
END_TEST

/* Two descriptors more than the store has room for. */
static void overflow_store_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_mmap *maps[4];
	void *memory[4];
	const void *desc;
	size_t len;

	(void)arg;
	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		OK(dococ_mem_alloc(4096, &memory[i], NULL));
		maps[i] = use_mmap(dev, memory[i], 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		OK(doca_mmap_export_pci(maps[i], dev, &desc, &len));
	}
	lab_signal(sock);
	lab_wait(sock);
	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		use_mmap_end(maps[i]);
		dococ_mem_free(memory[i]);
	}
	OK(doca_dev_close(dev));
}

/* A client that exceeds the store does not prevent later clients from being persisted. */
START_TEST(test_client_exceeds_store)
{
	struct lab_child children[2];
	char text[80];

	lab_fill_manager(&lab);
	children[0] = lab_fork(&lab, LAB_HOST, overflow_store_main, NULL);
	lab_wait(children[0].sock);
	children[1] = lab_fork(&lab, LAB_HOST, device_open_main, NULL);
	lab_wait(children[1].sock);
	snprintf(text, sizeof(text), "pid %d) would be resumed after a restart",
		 (int)children[1].pid);
	lab_await_log(&lab, LAB_HOST, text, WAIT_MS);
	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	ck_assert(lab_log_has(&lab, LAB_HOST, "resumed 1 client, 0 exports"));
	for (int i = 0; i < 2; i++) {
		lab_signal(children[1].sock);
		if (i == 0)
			lab_wait(children[1].sock);
	}
	lab_signal(children[0].sock);
	for (int i = 0; i < 2; i++)
		lab_join(&children[i]);
}
END_TEST

/*
 * A manager that reads nothing for a while, as when it reloads all its units: new clients are
 * served at once, and persisted once the manager reads.
 */
START_TEST(test_manager_is_busy)
{
	struct lab_child child;

	lab_fill_manager(&lab);
	start_exporter();
	ck_assert(lab_log_has(&lab, LAB_HOST, "the service manager does not read"));
	ck_assert(lab_log_has(&lab, LAB_HOST, "would not be resumed after a restart"));
	lab_await_log(&lab, LAB_HOST, "would be resumed after a restart", WAIT_MS);
	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	ck_assert(lab_log_has(&lab, LAB_HOST, "resumed 1 client, 1 export"));
	exporter_call_daemon(&exporter);
	child = lab_fork(&lab, LAB_DPU, copy_loop_main, NULL);
	lab_wait(child.sock);
	atomic_store(&shared->stop, true);
	lab_join(&child);
	exporter_end(&exporter);
}
END_TEST

static void crashing_client_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	static uint8_t mine[4096];
	struct doca_mmap *mmap;
	const void *desc;
	size_t len;

	(void)arg;
	mmap = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	lab_signal(sock);
	lab_wait(sock);
	EXPECT(DOCA_ERROR_OPERATING_SYSTEM, doca_mmap_export_pci(mmap, dev, &desc, &len));
	/* The connection ends with it, perhaps while the next call waits; then there is another. */
	(void)doca_mmap_export_pci(mmap, dev, &desc, &len);
	OK(doca_mmap_export_pci(mmap, dev, &desc, &len));
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
}

/*
 * The rest of the header in daemon/store/ledger.c: the request that the previous instance was
 * executing.
 */
struct ledger_doing {
	uint32_t n_cells, is_busy;
	uint64_t object, request;
	uint32_t reserved, next_suspect;
	struct {
		uint64_t object, request;
		uint32_t n_ends, reserved;
	} suspect;
};
#define LEDGER_DOING_AT 16

/* A request has ended two daemon instances: the third one does not execute it, and serves. */
START_TEST(test_request_that_crashes)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, crashing_client_main, NULL);
	struct ledger_doing doing;
	int fd;

	lab_wait(child.sock);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 1, WAIT_MS);
	fd = lab_store_find(lab.stores[LAB_HOST], "ledger");
	/* Answered, but possibly not finished. */
	do
		ck_assert_int_eq(pread(fd, &doing, sizeof(doing), LEDGER_DOING_AT), sizeof(doing));
	while (doing.is_busy);
	lab_kill_daemon(&lab, LAB_HOST);
	ck_assert_uint_ne(doing.object, 0);
	/* The child's next request, as if it had crashed a daemon before. */
	doing.is_busy = 1;
	doing.request++;
	doing.suspect.object = doing.object;
	doing.suspect.request = doing.request;
	doing.suspect.n_ends = 1;
	ck_assert_int_eq(pwrite(fd, &doing, sizeof(doing), LEDGER_DOING_AT), sizeof(doing));
	lab_signal(child.sock);
	lab_start_daemon(&lab, LAB_HOST);
	lab_join(&child);
	ck_assert(lab_log_has(&lab, LAB_HOST, "its ExportCreate has ended this daemon twice"));
}
END_TEST

/*
 * Without --fd-store nothing of the manager's earlier contents stays, and no client waits for it.
 */
START_TEST(test_store_switched_off)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, device_open_main, NULL);
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;
	size_t fd_store = lab.options.fd_store;

	lab_wait(child.sock);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 1, WAIT_MS);
	ck_assert_uint_gt(lab.stores[LAB_HOST]->n, 1);
	lab_kill_daemon(&lab, LAB_HOST);
	lab.options.fd_store = 0;
	lab_start_daemon(&lab, LAB_HOST);
	while (lab.stores[LAB_HOST]->n > 0) {
		ck_assert_msg(clock_now_ns() < deadline, "%zu are left", lab.stores[LAB_HOST]->n);
		lab_listen(&lab);
	}
	lab_signal(child.sock);
	lab_wait(child.sock);
	lab_signal(child.sock);
	lab_join(&child);
	/* Switched on again. */
	lab_stop_daemon(&lab, LAB_HOST);
	lab.options.fd_store = fd_store;
	lab_start_daemon(&lab, LAB_HOST);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("recovery");
	TCase *small = tcase_create("small store");

	tcase_add_checked_fixture(small, setup_small_store, teardown);
	tcase_set_timeout(small, RUNNER_TEST_S);
	suite_add_tcase(suite, small);
	tcase_add_test(small, test_full_store);
	tcase_add_test(small, test_client_exceeds_store);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_restarts, 0, 2);
	tcase_add_test(tcase, test_client_dies_without_daemon);
	tcase_add_loop_test(tcase, test_damaged_ledger, 0, 3);
	tcase_add_test(tcase, test_lost_descriptor);
	tcase_add_test(tcase, test_manager_is_busy);
	tcase_add_test(tcase, test_request_that_crashes);
	tcase_add_test(tcase, test_store_switched_off);
}

int main(void)
{
	lab_require();
	return runner_main("recovery", add_cases, NULL);
}
