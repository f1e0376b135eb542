/*
 * The thread that serves relayed copies when the exporter's daemon ends while the exporter itself
 * makes no call: the exporter is registered again, and its next exports are served. Also: it stops
 * its maps meanwhile, an operator revokes them, or there is no room for relaying.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/lib/tls_lab.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define LEN      4096u
#define N_MAPS   64u
#define MANY     1000u /* so many that the thread needs some time to check them */
#define AWAIT_MS 20000u

static struct tls_lab tls;
static struct lab lab;
static struct doca_dev *dev;
static struct use_dma use;
static struct doca_mmap *local;
static uint8_t mine[LEN];

static const struct exporter_options over_pci = {
	.memory = MEMORY_MALLOC, .len = LEN, .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

static void start(const char *host_keys)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_configure_host(&tls, "host", "dpu", host_keys);
	tls_lab_start(&tls, &lab, true, true);
	leaks_allow_fds(1);
}

static void setup(void)
{
	start("timeout_ms = 60000\n");
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}

/* --- the importer: this process --- */

static void importer_open(enum lab_side side)
{
	lab_use(&lab, side);
	dev = use_dev(side == LAB_DPU ? USE_DPU_P0 : USE_HOST_PF0);
	use_dma_open(&use, dev, 64);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static struct doca_mmap *import(const struct exported *exported)
{
	struct doca_mmap *remote;

	OK(doca_mmap_create_from_export(NULL, exported->desc, exported->desc_len, dev, &remote));
	return remote;
}

static doca_error_t read_all(struct doca_mmap *remote, const struct exported *exported)
{
	memset(mine, 0, sizeof(mine));
	return use_copy(&use, remote, exported->addr, local, mine, LEN);
}

static void check_read(const struct exported *exported)
{
	struct doca_mmap *remote = import(exported);

	EXPECT(DOCA_SUCCESS, read_all(remote, exported));
	ck_assert(use_is_filled(mine, LEN, 1));
	use_mmap_end(remote);
}

static void importer_close(void)
{
	use_mmap_end(local);
	use_dma_close(&use);
	OK(doca_dev_close(dev));
}

/* --- an exporter of many maps --- */

static uint8_t theirs[MANY][LEN] __attribute__((aligned(LEN)));

static struct doca_mmap *export_one(struct doca_dev *with, unsigned i, struct exported *out)
{
	struct doca_mmap *mmap;
	const void *desc;

	use_fill(theirs[i], LEN, 1);
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, theirs[i], LEN));
	OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_add_dev(mmap, with));
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_export_pci(mmap, with, &desc, &out->desc_len));
	ck_assert_uint_le(out->desc_len, sizeof(out->desc));
	memcpy(out->desc, desc, out->desc_len);
	out->addr = theirs[i];
	out->len = LEN;
	return mmap;
}

/* Retries any call until a daemon answers it. */
static void await_daemon(void)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
	struct doca_devinfo **list;
	uint32_t n;

	while (doca_devinfo_create_list(&list, &n) != DOCA_SUCCESS) {
		ck_assert_msg(clock_now_ns() < deadline, "no daemon answers: %s",
			      dococ_last_error());
		poll(NULL, 0, 1);
	}
	OK(doca_devinfo_destroy_list(list));
}

/* Exports N_MAPS - 1 maps, and one more at a signal; then stops all of them. */
static void exporter_of_many(int sock, void *arg)
{
	struct doca_mmap *maps[N_MAPS];
	struct exported exported = {0};

	(void)arg;
	dev = use_dev(USE_HOST_PF0);
	for (unsigned i = 0; i < N_MAPS - 1; i++)
		maps[i] = export_one(dev, i, &exported);
	/* The thread does not use the program's present environment. */
	setenv("DOCOCORED_SOCKET", "/nowhere", 1);
	lab_signal(sock);
	lab_wait(sock);
	maps[N_MAPS - 1] = export_one(dev, N_MAPS - 1, &exported);
	lab_send(sock, &exported, sizeof(exported));
	lab_wait(sock);
	for (unsigned i = 0; i < N_MAPS; i++)
		use_mmap_end(maps[i]);
	OK(doca_dev_close(dev));
}

/* The exporter sleeps all the time. */
START_TEST(a_sleeper_is_served_again)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, exporter_of_many, NULL);
	struct exported exported;

	lab_wait(child.sock);
	importer_open(LAB_DPU);
	for (int round = 0; round < 2; round++) {
		if (_i == 0)
			lab_stop_daemon(&lab, LAB_HOST);
		else
			lab_kill_daemon(&lab, LAB_HOST);
		lab_start_daemon(&lab, LAB_HOST);
		/* Twice in a row, whatever the thread was doing. */
		if (_i == 2) {
			lab_kill_daemon(&lab, LAB_HOST);
			lab_start_daemon(&lab, LAB_HOST);
		}
		lab_await(&lab, LAB_HOST, LAB_EXPORTS, N_MAPS - 1, AWAIT_MS);
	}
	lab_signal(child.sock);
	lab_recv(child.sock, &exported, sizeof(exported));
	check_read(&exported);
	lab_signal(child.sock);
	lab_join(&child);
	importer_close();
}
END_TEST

/* The thread checks all of its exports while they are being stopped. */
static void exporter_that_stops(int sock, void *arg)
{
	struct doca_mmap *maps[MANY];
	struct exported exported;

	(void)arg;
	dev = use_dev(USE_HOST_PF0);
	for (int round = 0; round < 3; round++) {
		for (unsigned i = 0; i < MANY; i++)
			maps[i] = export_one(dev, i, &exported);
		lab_signal(sock);
		lab_wait(sock);
		await_daemon();
		/* Beginning with the last one that the thread checks. */
		for (unsigned i = MANY; i > 0; i--)
			use_mmap_end(maps[i - 1]);
		lab_signal(sock);
	}
	OK(doca_dev_close(dev));
}

START_TEST(stopped_while_listed)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, exporter_that_stops, NULL);

	for (int round = 0; round < 3; round++) {
		lab_wait(child.sock);
		lab_kill_daemon(&lab, LAB_HOST);
		lab_signal(child.sock);
		lab_start_daemon(&lab, LAB_HOST);
		lab_wait(child.sock);
	}
	lab_join(&child);
}
END_TEST

/* Imports of the old daemon are lost with it; the context is not. _i: by force. */
START_TEST(the_importers_daemon_is_another)
{
	struct exporter exporter;
	struct doca_mmap *remote;
	unsigned n_ok;

	exporter_start(&exporter, &lab, &over_pci);
	importer_open(LAB_DPU);
	check_read(&exporter.exported);
	for (int round = 0; round < 2; round++) {
		if (_i == 0)
			lab_stop_daemon(&lab, LAB_DPU);
		else
			lab_kill_daemon(&lab, LAB_DPU);
		lab_start_daemon(&lab, LAB_DPU);
		remote = import(&exporter.exported);
		n_ok = use.n_ok;
		EXPECT(DOCA_SUCCESS, read_all(remote, &exporter.exported));
		ck_assert(use_is_filled(mine, LEN, 1));
		ck_assert_uint_eq(use.n_ok, n_ok + 1);
		use_mmap_end(remote);
	}
	exporter_end(&exporter);
	importer_close();
}
END_TEST

/* --- an operator --- */

/* A request that was sent before and is served after the revocation is refused. */
START_TEST(revoked_by_an_operator)
{
	struct exporter exporter;
	struct doca_mmap *remote;
	struct doca_buf *src, *dst;

	exporter_start(&exporter, &lab, &over_pci);
	importer_open(LAB_DPU);
	remote = import(&exporter.exported);
	EXPECT(DOCA_SUCCESS, read_all(remote, &exporter.exported));
	ck_assert(use_is_filled(mine, LEN, 1));
	lab_freeze(exporter.child.pid);
	use_fill(mine, LEN, 7);
	src = use_src(&use, local, mine, LEN);
	dst = use_dst(&use, remote, exporter.exported.addr, LEN);
	OK(doca_task_submit(use_task(&use, src, dst)));
	tls_lab_admin_all(&lab, LAB_HOST, "exports", "revoke");
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, AWAIT_MS);
	lab_thaw(exporter.child.pid);
	use_dma_await(&use, 2);
	ck_assert_uint_eq(use.n_failed, 1);
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_start(use.ctx));
	ck_assert(exporter_is_filled(&exporter, 0, LEN, 1));
	EXPECT(DOCA_ERROR_IO_FAILED, read_all(remote, &exporter.exported));
	use_buf_end(src);
	use_buf_end(dst);
	use_mmap_end(remote);
	exporter_end(&exporter);
	importer_close();
}
END_TEST

/* The importer's daemon drops this client: a copy that waits for the daemon's answer ends. */
START_TEST(dropped_by_an_operator)
{
	struct exporter exporter;
	struct doca_mmap *remote;
	struct doca_buf *src, *dst;
	struct sleeper sleeper;

	exporter_start(&exporter, &lab, &over_pci);
	importer_open(LAB_DPU);
	remote = import(&exporter.exported);
	EXPECT(DOCA_SUCCESS, read_all(remote, &exporter.exported));
	lab_freeze(exporter.child.pid);
	src = use_src(&use, remote, exporter.exported.addr, LEN);
	dst = use_dst(&use, local, mine, LEN);
	OK(doca_task_submit(use_task(&use, src, dst)));
	if (_i) {
		sleeper_open(&sleeper, use.pe, SLEEPER_ALL, -1);
		sleeper_progress(&sleeper);
		sleeper_arm(&sleeper);
	}
	tls_lab_admin_all(&lab, LAB_DPU, "clients", "drop");
	if (_i) {
		sleeper_sleep(&sleeper);
		while (use.n_failed == 0)
			sleeper_step(&sleeper);
		sleeper_close(&sleeper);
	} else {
		use_dma_await(&use, 2);
	}
	ck_assert_uint_eq(use.n_failed, 1);
	lab_thaw(exporter.child.pid);
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	use_buf_end(src);
	use_buf_end(dst);
	use_mmap_end(remote);
	exporter_end(&exporter);
	importer_close();
}
END_TEST

/* --- lack of resources --- */

static void setup_no_servers(void)
{
	start("timeout_ms = 60000\n[quota]\nservers = 0\n");
}

/* Within the machine the export is accessible all the same. */
START_TEST(no_relay_in_the_quota)
{
	const struct exporter_options options = {.memory = MEMORY_MALLOC,
						 .len = LEN,
						 .rdma = true,
						 .permissions = DOCA_ACCESS_FLAG_RDMA_READ |
								DOCA_ACCESS_FLAG_RDMA_WRITE};
	struct exporter exporter;

	exporter_start(&exporter, &lab, &options);
	importer_open(LAB_HOST);
	check_read(&exporter.exported);
	exporter_end(&exporter);
	importer_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "restarts");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_sleeper_is_served_again, 0, 3);
	tcase_add_test(tcase, stopped_while_listed);

	tcase_add_loop_test(tcase, the_importers_daemon_is_another, 0, 2);

	tcase = runner_case(suite, "exporters");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, revoked_by_an_operator);
	tcase_add_loop_test(tcase, dropped_by_an_operator, 0, 2);

	tcase = runner_case(suite, "quotas");
	tcase_add_checked_fixture(tcase, setup_no_servers, teardown);
	tcase_add_test(tcase, no_relay_in_the_quota);
}

int main(void)
{
	lab_require();
	return runner_main("remote restart", add_cases, NULL);
}
