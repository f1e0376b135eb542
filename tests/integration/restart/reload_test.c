/*
 * Daemons reload their configuration repeatedly while programs work: established objects continue,
 * each new request is checked against the present configuration, and an invalid file changes
 * nothing. Creates no threads; the programs are processes.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define LEN 5000u
#ifdef DOCO_SANITIZED
#define N_ROUNDS 8u
#else
#define N_ROUNDS 40u
#endif

static const char generous[] = "[quota]\nexports = 100\n";
/* Less than what is in use. */
static const char strict[] = "[quota]\nimports = 0\nhandles = 1\n[policy]\ndefault = none\n";
static const char wrong[] = "[quota]\nimports = 0\nhandles = few\n[policy]\ndefault = none\n";

static struct lab lab;
static struct doca_dev *dev;
static struct use_dma use;
static struct exporter exporter;
static struct doca_mmap *remote, *local;
static uint8_t mine[LEN];

static void setup(void)
{
	struct lab_options options = {.config = generous};

	lab_setup_client(&lab, &options, LAB_DPU);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static doca_error_t try_import(struct doca_mmap **mmap_out)
{
	return doca_mmap_create_from_export(NULL, exporter.exported.desc,
					    exporter.exported.desc_len, dev, mmap_out);
}

static void check_copies(uint32_t seed)
{
	use_fill(mine, LEN, seed);
	EXPECT(DOCA_SUCCESS, use_copy(&use, local, mine, remote, exporter.exported.addr, LEN));
	memset(mine, 0, LEN);
	EXPECT(DOCA_SUCCESS, use_copy(&use, remote, exporter.exported.addr, local, mine, LEN));
	ck_assert(use_is_filled(mine, LEN, seed));
}

static void check_allowed(uint32_t seed)
{
	struct doca_mmap *mmap;

	OK(try_import(&mmap));
	use_mmap_end(mmap);
	check_copies(seed);
}

static void check_refused(uint32_t seed)
{
	struct doca_mmap *mmap;
	struct doca_devinfo **list;
	struct doca_dev *another;
	uint32_t n;

	EXPECT(DOCA_ERROR_NO_MEMORY, try_import(&mmap));
	ck_assert_msg(strstr(dococ_last_error(), "imports in section [quota]") != NULL, "%s",
		      dococ_last_error());
	OK(doca_devinfo_create_list(&list, &n));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_dev_open(list[1], &another));
	OK(doca_devinfo_destroy_list(list));
	check_copies(seed);
}

/* A program that makes requests all the time: each succeeds, or the error names the rule. */
struct work {
	unsigned n_done, n_refused;
};

static void worker_main(int sock, void *arg)
{
	struct pollfd word = {.fd = sock, .events = POLLIN};
	struct doca_dev *own = use_dev(USE_HOST_PF0);
	static uint8_t memory[4096];
	struct work work = {0};

	(void)arg;
	leaks_allow_fds(1);
	lab_signal(sock);
	while (poll(&word, 1, 0) == 0 || work.n_done == 0) {
		struct doca_mmap *mmap = use_mmap(own, memory, sizeof(memory),
						  DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		struct doca_devinfo **list;
		struct doca_dev *another;
		doca_error_t result;
		const void *desc;
		uint32_t n;
		size_t len;

		/* Uses the open device, even if the current policy denies it. */
		OK(doca_mmap_export_pci(mmap, own, &desc, &len));
		use_mmap_end(mmap);
		OK(doca_devinfo_create_list(&list, &n));
		result = doca_dev_open(list[1], &another);
		if (result == DOCA_SUCCESS) {
			OK(doca_dev_close(another));
			work.n_done++;
		} else {
			EXPECT(DOCA_ERROR_NOT_PERMITTED, result);
			work.n_refused++;
		}
		OK(doca_devinfo_destroy_list(list));
	}
	OK(doca_dev_close(own));
	lab_send(sock, &work, sizeof(work));
}

static void reload_both(const char *config)
{
	lab_reload(&lab, LAB_HOST, config);
	lab_reload(&lab, LAB_DPU, config);
}

START_TEST(test_reload_under_load)
{
	struct exporter_options options = {.len = LEN,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct lab_child workers[2];
	struct work work;

	exporter_start(&exporter, &lab, &options);
	dev = use_dev(USE_DPU_P0);
	use_dma_open(&use, dev, 16);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(try_import(&remote));
	for (size_t i = 0; i < ARRAY_LEN(workers); i++) {
		workers[i] = lab_fork(&lab, LAB_HOST, worker_main, NULL);
		lab_wait(workers[i].sock);
	}
	for (uint32_t i = 0; i < N_ROUNDS; i++) {
		reload_both(strict);
		check_refused(4 * i + 1);
		reload_both(generous);
		check_allowed(4 * i + 2);
		reload_both(wrong);
		check_allowed(4 * i + 3);
	}
	ck_assert(lab_log_has(&lab, LAB_HOST, "lab.conf:3: key 'handles': 'few' is not allowed"));
	ck_assert(lab_log_has(&lab, LAB_HOST, "the new configuration is refused"));
	for (size_t i = 0; i < ARRAY_LEN(workers); i++) {
		lab_signal(workers[i].sock);
		lab_recv(workers[i].sock, &work, sizeof(work));
		ck_assert_uint_gt(work.n_done, 0);
		lab_join(&workers[i]);
	}
	/* No client was dropped: this process and the exporter. */
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 1, 5000);
	lab_await(&lab, LAB_DPU, LAB_CLIENTS, 1, 5000);
	ck_assert(!lab_log_has(&lab, LAB_HOST, "dropped"));
	ck_assert(!lab_log_has(&lab, LAB_DPU, "dropped"));
	use_mmap_end(remote);
	use_mmap_end(local);
	use_dma_close(&use);
	OK(doca_dev_close(dev));
	exporter_end(&exporter);
}
END_TEST

/* Waits for a line in the log of the DPU's daemon, whose messages are not read meanwhile. */
static void await_log_unread(const char *text)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(5000) * NS_PER_MS;

	while (!lab_log_has(&lab, LAB_DPU, text)) {
		ck_assert_msg(clock_now_ns() < deadline, "the log of the dpu has no '%s'", text);
		poll(NULL, 0, 5);
	}
}

/*
 * The service manager reads nothing, as while it reloads all its units: clients are served by the
 * new configuration meanwhile, and the manager gets the messages later, in order.
 */
START_TEST(test_manager_is_busy)
{
	struct doca_devinfo **list;
	struct doca_dev *another;
	uint32_t n;

	dev = use_dev(USE_DPU_P0);
	for (int i = 0; i < 2; i++) {
		lab_fill_manager(&lab);
		lab_ask_reload(&lab, LAB_DPU, i == 0 ? strict : wrong);
		await_log_unread(i == 0 ? "configuration loaded again" : "is refused");
		OK(doca_devinfo_create_list(&list, &n));
		EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_dev_open(list[1], &another));
		OK(doca_devinfo_destroy_list(list));
		ck_assert(!lab.daemons[LAB_DPU].ready);
		lab_await_reloaded(&lab, LAB_DPU);
	}
	OK(doca_dev_close(dev));
}
END_TEST

static void await_status(const char *text, bool is_there)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(5000) * NS_PER_MS;

	while ((strstr(lab.daemons[LAB_HOST].status, text) != NULL) != is_there) {
		struct pollfd p = {.fd = lab.notify_fd, .events = POLLIN};

		ck_assert_msg(clock_now_ns() < deadline, "status: %s",
			      lab.daemons[LAB_HOST].status);
		poll(&p, 1, clock_poll_timeout(deadline));
		lab_listen(&lab);
	}
}

/* The service's status shows the mistake until a configuration is accepted. */
START_TEST(test_refused_reload_shows_in_status)
{
	lab_reload(&lab, LAB_HOST, wrong);
	await_status("new configuration refused: ", true);
	await_status("'few' is not allowed", true);
	lab_reload(&lab, LAB_HOST, generous);
	await_status("refused", false);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("reload");

	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_reload_under_load);
	tcase_add_test(tcase, test_manager_is_busy);
	tcase_add_test(tcase, test_refused_reload_shows_in_status);
	suite_add_tcase(suite, tcase);
}

int main(void)
{
	lab_require();
	return runner_main("reload under load", add_cases, NULL);
}
