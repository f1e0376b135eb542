/*
 * doca_rdma_bridge.h: each documented result code of each function, and its names up to 2.2. The
 * keys are the test's own, so no RDMA device is needed; the devices are those of a daemon.
 */
#include <string.h>

#include <doca_rdma_bridge.h>

#include "client/device/dev.h"
#include "client/memory/mem_key.h"
#include "tests/conformance/cover.h"
#include "tests/conformance/v1_5/bridge.h"
#include "tests/conformance/v2_2/bridge.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define KEY 0x1234u

static struct lab lab;
/*
 * Stand-ins for protection domains: of a bound device, of a device without binding, of no device.
 */
static char of_bound, of_unknown, of_nothing, of_dev;
#define PD(place) ((struct ibv_pd *)&(place))

/* --- keys --- */

static doca_error_t key_result, pd_result;
static unsigned n_holders;

static bool keys_serve(const struct doca_devinfo *info)
{
	(void)info;
	return true;
}

static doca_error_t keys_get(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out)
{
	(void)mmap;
	(void)dev;
	if (key_result != DOCA_SUCCESS)
		return key_result;
	*key_out = KEY;
	return DOCA_SUCCESS;
}

static doca_error_t keys_make(struct doca_dev *dev, void *addr, uint64_t known_as, size_t len,
			      uint32_t rights, struct mem_key **key_out)
{
	(void)dev;
	(void)addr;
	(void)known_as;
	(void)len;
	(void)rights;
	(void)key_out;
	return DOCA_ERROR_NOT_SUPPORTED;
}

static const char *keys_pd_device(const struct ibv_pd *pd)
{
	return pd == PD(of_bound) ? "mlx5_0" : pd == PD(of_unknown) ? "mlx5_77" : NULL;
}

static void holder_free(void *holder)
{
	ck_assert_ptr_eq(holder, &of_dev);
	n_holders--;
}

static doca_error_t keys_get_pd(struct doca_dev *dev, struct ibv_pd **pd_out)
{
	if (pd_result != DOCA_SUCCESS)
		return pd_result;
	if (atomic_load(&dev->pd_holder) == NULL) {
		n_holders++;
		dev->returned_pd = PD(of_dev);
		dev->pd_holder_free = holder_free;
		atomic_store(&dev->pd_holder, &of_dev);
	}
	*pd_out = dev->returned_pd;
	return DOCA_SUCCESS;
}

static const struct mem_key_ops keys = {
	.serves = keys_serve,
	.make = keys_make,
	.get_remote = keys_get,
	.get_local = keys_get,
	.pd_device = keys_pd_device,
	.get_pd = keys_get_pd,
};
const struct mem_key_ops *const mem_key_table[] = {&keys, NULL};

/* --- fixture --- */

static struct doca_dev *listed; /* the device that is bound to mlx5_0 */

static void listed_open(void)
{
	struct doca_devinfo **list;
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	for (uint32_t i = 0; i < n && listed == NULL; i++) {
		OK(doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
		if (strcmp(name, "mlx5_0") == 0)
			OK(doca_dev_open(list[i], &listed));
	}
	ck_assert_ptr_nonnull(listed);
	OK(doca_devinfo_destroy_list(list));
}

static void setup(void)
{
	lab_setup(&lab, NULL);
	lab_use(&lab, LAB_HOST);
	key_result = pd_result = DOCA_SUCCESS;
	listed_open();
	leaks_allow_fds(1);
}

static void teardown(void)
{
	OK(doca_dev_close(listed));
	ck_assert_uint_eq(n_holders, 0);
	lab_teardown(&lab);
}

/* --- devices --- */

START_TEST(test_open)
{
	struct doca_dev *dev = NULL, *again, *third;
	struct ibv_pd *pd;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_open_dev_from_pd(NULL, &dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_open_dev_from_pd(PD(of_bound), NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_open_dev_from_pd(PD(of_nothing), &dev));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_rdma_bridge_open_dev_from_pd(PD(of_unknown), &dev));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "ibdev = mlx5_77"));
	ck_assert_ptr_null(dev);
	PASSES(doca_rdma_bridge_open_dev_from_pd(PD(of_bound), &dev));
	ck_assert_ptr_ne(dev, listed);
	/* Opens are counted, separately from the device of the list. */
	PASSES(doca_rdma_bridge_open_dev_from_pd(PD(of_bound), &again));
	ck_assert_ptr_eq(dev, again);
	OK(doca_dev_open(doca_dev_as_devinfo(listed), &third));
	ck_assert_ptr_eq(third, listed);
	OK(doca_dev_close(third));
	OK(doca_dev_close(again));
	PASSES(doca_rdma_bridge_get_dev_pd(dev, &pd));
	ck_assert_ptr_eq(pd, PD(of_bound));
	ck_assert_int_eq(doca_dev_open(doca_dev_as_devinfo(dev), &again), DOCA_ERROR_NOT_SUPPORTED);
	OK(doca_dev_close(dev));
}
END_TEST

START_TEST(test_open_without_daemon)
{
	struct doca_dev *dev;

	lab_stop_daemon(&lab, LAB_HOST);
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_rdma_bridge_open_dev_from_pd(PD(of_bound), &dev));
	lab_start_daemon(&lab, LAB_HOST);
}
END_TEST

START_TEST(test_pd)
{
	struct ibv_pd *pd, *again;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_dev_pd(NULL, &pd));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_dev_pd(listed, NULL));
	pd_result = DOCA_ERROR_NOT_SUPPORTED;
	RETURNS(DOCA_ERROR_BAD_STATE, doca_rdma_bridge_get_dev_pd(listed, &pd));
	pd_result = DOCA_SUCCESS;
	PASSES(doca_rdma_bridge_get_dev_pd(listed, &pd));
	PASSES(doca_rdma_bridge_get_dev_pd(listed, &again));
	ck_assert_ptr_eq(pd, PD(of_dev));
	ck_assert_ptr_eq(again, pd);
	/* The device holds the key until it is closed; the teardown checks that. */
	ck_assert_uint_eq(n_holders, 1);
}
END_TEST

/* --- keys --- */

START_TEST(test_keys)
{
	static char memory[4096];
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;
	struct doca_dev *dev;
	struct ibv_pd *pd;
	uint32_t key = 0;

	PASSES(doca_rdma_bridge_open_dev_from_pd(PD(of_bound), &dev));
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_add_dev(mmap, dev));
	OK(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_bridge_get_mmap_mkey_from_pd(mmap, PD(of_bound), &key));
	OK(doca_mmap_start(mmap));
	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, sizeof(memory), &buf));

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_buf_mkey(NULL, dev, &key));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_buf_mkey(buf, NULL, &key));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_buf_mkey(buf, dev, NULL));
	/* The buffer is not in the mmap. */
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_buf_mkey(buf, listed, &key));
	key_result = DOCA_ERROR_NOT_SUPPORTED;
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_bridge_get_buf_mkey(buf, dev, &key));
	key_result = DOCA_ERROR_NO_MEMORY;
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_rdma_bridge_get_buf_mkey(buf, dev, &key));
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM,
		doca_rdma_bridge_get_mmap_mkey_from_pd(mmap, PD(of_bound), &key));
	ck_assert_uint_eq(key, 0);
	key_result = DOCA_SUCCESS;
	PASSES(doca_rdma_bridge_get_buf_mkey(buf, dev, &key));
	ck_assert_uint_eq(key, KEY);

	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_bridge_get_mmap_mkey_from_pd(NULL, PD(of_bound), &key));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_get_mmap_mkey_from_pd(mmap, NULL, &key));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_rdma_bridge_get_mmap_mkey_from_pd(mmap, PD(of_bound), NULL));
	PASSES(doca_rdma_bridge_get_dev_pd(listed, &pd));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_rdma_bridge_get_mmap_mkey_from_pd(mmap, pd, &key));
	key = 0;
	PASSES(doca_rdma_bridge_get_mmap_mkey_from_pd(mmap, PD(of_bound), &key));
	ck_assert_uint_eq(key, KEY);
	ck_assert_int_eq(doca_dev_close(dev), DOCA_ERROR_IN_USE);
	use_buf_end(buf);
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(mmap));
	OK(doca_dev_close(dev));
}
END_TEST

/* Imports this process's own memory: the test is whether the exporter provided a key. */
static struct doca_mmap *import_new(struct doca_dev *dev, struct doca_mmap *mmap)
{
	struct doca_mmap *import;
	const void *desc;
	size_t desc_len;

	OK(doca_mmap_export_rdma(mmap, dev, &desc, &desc_len));
	OK(doca_mmap_create_from_export(NULL, desc, desc_len, dev, &import));
	return import;
}

START_TEST(test_keys_of_imports)
{
	static char memory[4096];
	struct doca_mmap *mmap = use_mmap(listed, memory, sizeof(memory),
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
						  DOCA_ACCESS_FLAG_RDMA_READ),
			 *import;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	struct ibv_pd *pd;
	uint32_t key;

	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_rdma_bridge_get_dev_pd(listed, &pd));
	for (int has_key = 0; has_key < 2; has_key++) {
		key_result = has_key ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
		import = import_new(listed, mmap);
		key_result = DOCA_SUCCESS;
		OK(doca_buf_inventory_buf_get_by_addr(inventory, import, memory, sizeof(memory),
						      &buf));
		key = 0;
		if (has_key) {
			PASSES(doca_rdma_bridge_get_buf_mkey(buf, listed, &key));
			PASSES(doca_rdma_bridge_get_mmap_mkey_from_pd(import, pd, &key));
		} else {
			RETURNS(DOCA_ERROR_NOT_SUPPORTED,
				doca_rdma_bridge_get_buf_mkey(buf, listed, &key));
			ck_assert_ptr_nonnull(strstr(dococ_last_error(), "exporter gave no key"));
			RETURNS(DOCA_ERROR_OPERATING_SYSTEM,
				doca_rdma_bridge_get_mmap_mkey_from_pd(import, pd, &key));
		}
		ck_assert_uint_eq(key, has_key ? KEY : 0);
		use_buf_end(buf);
		OK(doca_mmap_stop(import));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_rdma_bridge_get_mmap_mkey_from_pd(import, pd, &key));
		OK(doca_mmap_destroy(import));
		OK(doca_mmap_stop(mmap));
		OK(doca_mmap_start(mmap));
	}
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(mmap));
}
END_TEST

/* The mmap's own call returns the same keys. */
START_TEST(test_mmap_key)
{
	static char memory[4096];
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	uint32_t key = 0;

	OK(doca_rdma_bridge_open_dev_from_pd(PD(of_bound), &dev));
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_add_dev(mmap, dev));
	OK(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_get_mkey(mmap, dev, &key));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "not started"));
	OK(doca_mmap_start(mmap));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_mkey(NULL, dev, &key));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_mkey(mmap, NULL, &key));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_mkey(mmap, dev, NULL));
	EXPECT(DOCA_ERROR_NOT_FOUND, doca_mmap_get_mkey(mmap, listed, &key));
	key_result = DOCA_ERROR_NOT_SUPPORTED;
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_get_mkey(mmap, dev, &key));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "bound to no RDMA device"));
	key_result = DOCA_ERROR_NO_MEMORY;
	EXPECT(DOCA_ERROR_OPERATING_SYSTEM, doca_mmap_get_mkey(mmap, dev, &key));
	ck_assert_uint_eq(key, 0);
	key_result = DOCA_SUCCESS;
	OK(doca_mmap_get_mkey(mmap, dev, &key));
	ck_assert_uint_eq(key, KEY);
	OK(doca_mmap_stop(mmap));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_get_mkey(mmap, dev, &key));
	OK(doca_mmap_destroy(mmap));
	OK(doca_dev_close(dev));
}
END_TEST

static void make_keys(doca_error_t result)
{
	pd_result = key_result = result;
}

START_TEST(test_names_of_2_2)
{
	bridge_2_2_names(listed, PD(of_bound), make_keys);
}
END_TEST

START_TEST(test_buf_key_of_1_5)
{
	bridge_1_5_buf_key(listed, KEY, make_keys);
}
END_TEST

/* The number for reading in 2.2 means writing in 1.5, and vice versa. */
START_TEST(test_access_bits_of_1_5)
{
	bridge_2_2_permit(listed, 2, bridge_1_5_bits);
	bridge_2_2_permit(listed, 4, bridge_1_5_bits);
}
END_TEST

static const struct documented documented_2_2[] = {
	{"doca_dev_get_pd", "INVALID_VALUE BAD_STATE"},
	{"doca_dev_open_from_pd", ""},
	{"doca_buf_get_mkey", "INVALID_VALUE NOT_SUPPORTED"},
	{NULL},
};
static const struct unreachable unreachable[] = {{NULL}};

static bool finish(void)
{
	bool ok = cover_report("2.2 doca_rdma_bridge", documented_2_2, unreachable);

	return cover_report("doca_rdma_bridge", documented_doca_rdma_bridge, unreachable) && ok;
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("bridge");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_open);
	tcase_add_test(tcase, test_open_without_daemon);
	tcase_add_test(tcase, test_pd);
	tcase_add_test(tcase, test_keys);
	tcase_add_test(tcase, test_keys_of_imports);
	tcase_add_test(tcase, test_names_of_2_2);
	tcase_add_test(tcase, test_mmap_key);
	tcase_add_test(tcase, test_buf_key_of_1_5);
	tcase_add_test(tcase, test_access_bits_of_1_5);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_rdma_bridge", add_cases, finish);
}
