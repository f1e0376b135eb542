/*
 * One memory map with several devices: exported for each of them, imported by the device behind
 * each, and copied by a context of either. Stopping the map ends all exports.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"

#define LEN 8192u

static struct lab lab;

static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_DPU);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

struct exported {
	uint8_t desc[256];
	size_t desc_len;
	uint8_t *addr;
};

static void export_for(int sock, struct doca_mmap *mmap, struct doca_dev *dev, uint8_t *addr)
{
	struct exported exported = {.addr = addr};
	const void *desc;

	OK(doca_mmap_export_pci(mmap, dev, &desc, &exported.desc_len));
	ck_assert_uint_le(exported.desc_len, sizeof(exported.desc));
	memcpy(exported.desc, desc, exported.desc_len);
	lab_send(sock, &exported, sizeof(exported));
}

/* Copies in this process with a context of the device. */
static void copy_here(struct doca_dev *dev, struct doca_mmap *mmap, uint8_t *memory, uint32_t seed)
{
	struct use_dma use;

	use_dma_open(&use, dev, 4);
	use_fill(memory, LEN / 2, seed);
	EXPECT(DOCA_SUCCESS, use_copy(&use, mmap, memory, mmap, memory + LEN / 2, LEN / 2));
	ck_assert(use_is_filled(memory + LEN / 2, LEN / 2, seed));
	use_dma_close(&use);
}

static void host_main(int sock, void *arg)
{
	static uint8_t memory[LEN];
	struct doca_dev *devs[2] = {use_dev(USE_HOST_PF0), use_dev(USE_HOST_PF1)};
	struct doca_dev *foreign_dev = use_dev("0b:00.2");
	struct doca_mmap *mmap;
	struct use_dma use;
	uint32_t n;

	(void)arg;
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_max_num_devices(mmap, 2));
	OK(doca_mmap_get_max_num_devices(mmap, &n));
	ck_assert_uint_eq(n, 2);
	OK(doca_mmap_set_memrange(mmap, memory, LEN));
	OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
						   DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	for (size_t i = 0; i < 2; i++)
		OK(doca_mmap_add_dev(mmap, devs[i]));
	OK(doca_mmap_start(mmap));
	for (size_t i = 0; i < 2; i++)
		copy_here(devs[i], mmap, memory, (uint32_t)i + 1);
	/* A context of a device that was not added has no access. */
	use_dma_open(&use, foreign_dev, 4);
	ck_assert_int_ne(use_copy(&use, mmap, memory, mmap, memory + LEN / 2, 10), DOCA_SUCCESS);
	use_dma_close(&use);
	use_fill(memory, LEN, 9);
	for (size_t i = 0; i < 2; i++)
		export_for(sock, mmap, devs[i], memory);
	lab_wait(sock);
	/* The other side wrote through both. */
	ck_assert(use_is_filled(memory, 1000, 20));
	ck_assert(use_is_filled(memory + 4096, 1000, 21));
	OK(doca_mmap_stop(mmap));
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_mmap_destroy(mmap));
	for (size_t i = 0; i < 2; i++)
		OK(doca_dev_close(devs[i]));
	OK(doca_dev_close(foreign_dev));
}

START_TEST(test_two_devices)
{
	struct lab_child host = lab_fork(&lab, LAB_HOST, host_main, NULL);
	struct doca_dev *devs[2] = {use_dev(USE_DPU_P0), use_dev(USE_DPU_P1)};
	static uint8_t mine[LEN];
	struct exported exported[2];
	struct doca_mmap *remote[2], *none, *local[2];
	struct use_dma use[2];

	for (size_t i = 0; i < 2; i++) {
		lab_recv(host.sock, &exported[i], sizeof(exported[i]));
		use_dma_open(&use[i], devs[i], 4);
		local[i] = use_mmap(devs[i], mine, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	}
	for (size_t i = 0; i < 2; i++) {
		/* The wrong device, which is not behind the exporting one. */
		ck_assert_int_ne(doca_mmap_create_from_export(NULL, exported[i].desc,
							      exported[i].desc_len, devs[1 - i],
							      &none),
				 DOCA_SUCCESS);
		OK(doca_mmap_create_from_export(NULL, exported[i].desc, exported[i].desc_len,
						devs[i], &remote[i]));
		memset(mine, 0, LEN);
		EXPECT(DOCA_SUCCESS, use_copy(&use[i], remote[i], exported[i].addr + 4000 * i,
					      local[i], mine + 4000 * i, 1000));
		use_fill(mine, 1000, 20 + (uint32_t)i);
		EXPECT(DOCA_SUCCESS, use_copy(&use[i], local[i], mine, remote[i],
					      exported[i].addr + 4096 * i, 1000));
	}
	lab_signal(host.sock);
	lab_wait(host.sock);
	for (size_t i = 0; i < 2; i++) {
		EXPECT(DOCA_ERROR_IO_FAILED,
		       use_copy(&use[i], remote[i], exported[i].addr, local[i], mine, 10));
		use_mmap_end(remote[i]);
		use_mmap_end(local[i]);
		use_dma_close(&use[i]);
		OK(doca_dev_close(devs[i]));
	}
	lab_signal(host.sock);
	lab_join(&host);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("devices");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_two_devices);
}

int main(void)
{
	lab_require();
	return runner_main("devices", add_cases, NULL);
}
