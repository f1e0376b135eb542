/*
 * A process that has opened one device twice, as with a protection domain of the application,
 * exports memory through each to another machine: both are served. The test uses internals of the
 * library to open the device a second time without an RDMA device.
 */
#include <string.h>

#include "client/device/dev.h"
#include "tests/lib/runner.h"
#include "tests/lib/tls_lab.h"
#include "tests/lib/use.h"

#define LEN 5000u

static struct tls_lab tls;
static struct lab lab;

static void setup(void)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_configure_host(&tls, "host", "dpu", "timeout_ms = 60000\n");
	tls_lab_start(&tls, &lab, true, true);
	leaks_allow_fds(1);
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}

struct exported {
	uint8_t desc[256];
	size_t desc_len;
	uint8_t *addr;
};

static void exporter_main(int sock, void *arg)
{
	static uint8_t memory[2][LEN];
	static char some_domain;
	struct doca_mmap *mmaps[2];
	struct doca_dev *devs[2];
	const void *desc;

	(void)arg;
	devs[0] = use_dev(USE_HOST_PF0);
	OK(dev_open(devs[0]->info, (struct ibv_pd *)(void *)&some_domain, &devs[1]));
	ck_assert_ptr_ne(devs[0], devs[1]);
	for (uint32_t i = 0; i < 2; i++) {
		struct exported out = {.addr = memory[i]};

		use_fill(memory[i], LEN, 10 + i);
		mmaps[i] = use_mmap(devs[i], memory[i], LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
		OK(doca_mmap_export_pci(mmaps[i], devs[i], &desc, &out.desc_len));
		ck_assert_uint_le(out.desc_len, sizeof(out.desc));
		memcpy(out.desc, desc, out.desc_len);
		lab_send(sock, &out, sizeof(out));
	}
	lab_wait(sock);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert(use_is_filled(memory[i], LEN, 20 + i));
		use_mmap_end(mmaps[i]);
		use_dev_end(devs[i]);
	}
}

START_TEST(two_peers_are_served)
{
	static uint8_t mine[LEN];
	struct lab_child child = lab_fork(&lab, LAB_HOST, exporter_main, NULL);
	struct doca_mmap *remotes[2], *local;
	struct exported exported[2];
	struct doca_dev *dev;
	struct use_dma use;

	lab_use(&lab, LAB_DPU);
	dev = use_dev(USE_DPU_P0);
	use_dma_open(&use, dev, 4);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	for (uint32_t i = 0; i < 2; i++) {
		lab_recv(child.sock, &exported[i], sizeof(exported[i]));
		OK(doca_mmap_create_from_export(NULL, exported[i].desc, exported[i].desc_len, dev,
						&remotes[i]));
		OK(use_copy(&use, remotes[i], exported[i].addr, local, mine, LEN));
		ck_assert(use_is_filled(mine, LEN, 10 + i));
		use_fill(mine, LEN, 20 + i);
		OK(use_copy(&use, local, mine, remotes[i], exported[i].addr, LEN));
	}
	lab_signal(child.sock);
	lab_join(&child);
	use_mmap_end(remotes[0]);
	use_mmap_end(remotes[1]);
	use_mmap_end(local);
	use_dma_close(&use);
	use_dev_end(dev);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("twice");

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, two_peers_are_served);
}

int main(void)
{
	lab_require();
	return runner_main("remote twice", add_cases, NULL);
}
