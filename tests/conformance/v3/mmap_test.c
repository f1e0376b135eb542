/*
 * doca_mmap.h: configuration, life cycle, export and import, rules of semantics. Runs on the DPU
 * side of a lab; a child process on the host makes the two exports that need the host.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/fd.h"
#include "util/memfd.h"

static struct lab lab;
static struct doca_dev *dev;
static struct doca_mmap *mmap_;
static char memory[8192];

/* Makes a map that is not started, and opens a device. */
static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	PASSES(doca_mmap_create(&mmap_));
}

static void teardown(void)
{
	PASSES(doca_mmap_destroy(mmap_));
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static void start(uint32_t permissions)
{
	PASSES(doca_mmap_set_memrange(mmap_, memory, sizeof(memory)));
	PASSES(doca_mmap_set_permissions(mmap_, permissions));
	PASSES(doca_mmap_add_dev(mmap_, dev));
	PASSES(doca_mmap_start(mmap_));
}

static struct doca_buf *take_buf(struct doca_buf_inventory **inventory_out)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_create(1, inventory_out));
	OK(doca_buf_inventory_start(*inventory_out));
	OK(doca_buf_inventory_buf_get_by_addr(*inventory_out, mmap_, memory, 10, &buf));
	return buf;
}

START_TEST(test_null)
{
	struct doca_mmap *none = NULL;
	union doca_data data = {.u64 = 1};
	const void *desc;
	size_t len;
	void *addr;
	uint32_t n;
	uint8_t flag;
	doca_dpa_dev_mmap_t handle;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_create(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_stop(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_add_dev(none, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_add_dev(mmap_, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_rm_dev(mmap_, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_pci(none, dev, &desc, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_pci(mmap_, NULL, &desc, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_rdma(mmap_, dev, NULL, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_get_dpa_handle(none, dev, &handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, NULL, 80, dev, &none));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_create_from_export(NULL, memory, 80, NULL, &none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(none, memory, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(mmap_, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(mmap_, memory, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(mmap_, memory, SIZE_MAX));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dpa_memrange(mmap_, NULL, 4096, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_memrange(none, &addr, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_free_cb(none, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_user_data(mmap_, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_max_num_devices(none, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_num_bufs(none, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_exported(mmap_, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_from_export(none, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_devices(mmap_, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_user_data(none, data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_cap_is_export_pci_supported(NULL, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_cap_is_create_from_export_pci_supported(NULL, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_enable_thread_safety(none));
}
END_TEST

START_TEST(test_configuration)
{
	union doca_data data = {.u64 = 77};
	struct doca_dev *other = use_dev(USE_HOST_PF1), *third = use_dev("0b:00.2");
	uint32_t n;
	void *addr;
	size_t len;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(mmap_));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_get_memrange(mmap_, &addr, &len));
	PASSES(doca_mmap_set_user_data(mmap_, data));
	data.u64 = 0;
	PASSES(doca_mmap_get_user_data(mmap_, &data));
	ck_assert_uint_eq(data.u64, 77);
	PASSES(doca_mmap_get_max_num_devices(mmap_, &n));
	ck_assert_uint_eq(n, 1);
	PASSES(doca_mmap_add_dev(mmap_, dev));
	RETURNS(DOCA_ERROR_ALREADY_EXIST, doca_mmap_add_dev(mmap_, dev));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_mmap_add_dev(mmap_, other));
	PASSES(doca_mmap_set_max_num_devices(mmap_, 2));
	PASSES(doca_mmap_add_dev(mmap_, other));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_mmap_rm_dev(mmap_, third));
	PASSES(doca_mmap_rm_dev(mmap_, other));
	/* The range can be set only once. */
	PASSES(doca_mmap_set_memrange(mmap_, memory, sizeof(memory)));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(mmap_, memory, 1));
	PASSES(doca_mmap_get_memrange(mmap_, &addr, &len));
	ck_assert_ptr_eq(addr, memory);
	ck_assert_uint_eq(len, sizeof(memory));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_permissions(mmap_, 1u << 20));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_PCI_READ_ONLY |
							 DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	PASSES(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	PASSES(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY));
	PASSES(doca_mmap_enable_thread_safety(mmap_));
	OK(doca_dev_close(other));
	OK(doca_dev_close(third));
}
END_TEST

START_TEST(test_started)
{
	union doca_data data = {.u64 = 1};
	struct doca_dev *other = use_dev(USE_HOST_PF1);
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	struct doca_dpa *dpa = (struct doca_dpa *)memory;
	doca_dpa_dev_mmap_t handle;
	uint32_t n, mkey;

	start(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	PASSES(doca_mmap_start(mmap_));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_memrange(mmap_, memory, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_dmabuf_memrange(mmap_, 0, memory, 0, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_dpa_memrange(mmap_, dpa, 4096, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(mmap_, 0));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_user_data(mmap_, data));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_free_cb(mmap_, NULL, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(mmap_, other));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(mmap_, dev));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap_, 4));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(mmap_));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_mmap_dev_get_dpa_handle(mmap_, other, &handle));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_dev_get_dpa_handle(mmap_, dev, &handle));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_get_mkey(mmap_, dev, &mkey));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_mmap_get_mkey(mmap_, other, &mkey));
	/* Buffers keep the map in use. */
	buf = take_buf(&inventory);
	PASSES(doca_mmap_get_num_bufs(mmap_, &n));
	ck_assert_uint_eq(n, 1);
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap_));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap_));
	use_buf_end(buf);
	OK(doca_buf_inventory_destroy(inventory));
	PASSES(doca_mmap_stop(mmap_));
	PASSES(doca_mmap_stop(mmap_));
	/* A stopped map can be configured and started again, but the limit of devices stays. */
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap_, 4));
	PASSES(doca_mmap_set_user_data(mmap_, data));
	PASSES(doca_mmap_start(mmap_));
	OK(doca_dev_close(other));
}
END_TEST

static unsigned n_freed;

static void on_free(void *addr, size_t len, void *cookie)
{
	ck_assert_ptr_eq(addr, memory);
	ck_assert_uint_eq(len, sizeof(memory));
	ck_assert_ptr_eq(cookie, &n_freed);
	n_freed++;
}

START_TEST(test_free_callback)
{
	PASSES(doca_mmap_set_free_cb(mmap_, on_free, &n_freed));
	PASSES(doca_mmap_destroy(mmap_));
	ck_assert_uint_eq(n_freed, 0);
	PASSES(doca_mmap_create(&mmap_));
	PASSES(doca_mmap_set_free_cb(mmap_, on_free, &n_freed));
	start(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	PASSES(doca_mmap_stop(mmap_));
	ck_assert_uint_eq(n_freed, 0);
	PASSES(doca_mmap_destroy(mmap_));
	ck_assert_uint_eq(n_freed, 1);
	PASSES(doca_mmap_create(&mmap_));
}
END_TEST

START_TEST(test_thread_safety_does_not_count)
{
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	uint32_t n;

	PASSES(doca_mmap_enable_thread_safety(mmap_));
	start(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	buf = take_buf(&inventory);
	PASSES(doca_mmap_get_num_bufs(mmap_, &n));
	ck_assert_uint_eq(n, 0);
	use_buf_end(buf);
	OK(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(test_no_memory)
{
	struct doca_mmap *none;
	const void *desc;
	size_t len;

	if (!allocount_works)
		return;
	RUNS_OUT(0, doca_mmap_create(&none));
	RUNS_OUT(0, doca_mmap_add_dev(mmap_, dev));
	start(DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ);
	RUNS_OUT(0, doca_mmap_export_pci(mmap_, dev, &desc, &len));
	RUNS_OUT(0, doca_mmap_export_rdma(mmap_, dev, &desc, &len));
	/* Whichever allocation fails, the export succeeds afterwards. */
	for (unsigned i = 1; i < 8; i++) {
		doca_error_t result;

		allocount_fail_after(i);
		result = doca_mmap_export_pci(mmap_, dev, &desc, &len);
		allocount_fail_never();
		ck_assert_msg(result == DOCA_SUCCESS || result == DOCA_ERROR_NO_MEMORY, "%u: %s", i,
			      doca_error_get_name(result));
	}
	PASSES(doca_mmap_export_pci(mmap_, dev, &desc, &len));
}
END_TEST

START_TEST(test_memfd_range)
{
	CLEANUP_FD int memfd = memfd_create_sealable("test", 8192);
	CLEANUP_FD int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *addr = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);

	ck_assert_ptr_ne(addr, MAP_FAILED);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(mmap_, -1, addr, 0, 8192));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_set_dmabuf_memrange(mmap_, memfd, addr, 4096, 8192));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_mmap_set_dmabuf_memrange(mmap_, file, addr, 0, 4096));
	PASSES(doca_mmap_set_dmabuf_memrange(mmap_, memfd, addr, 0, 8192));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_mmap_set_dmabuf_memrange(mmap_, memfd, addr, 0, 8192));
	/* The file cannot shrink while an importer maps it. */
	ck_assert_int_lt(ftruncate(memfd, 4096), 0);
	ck_assert_int_eq(munmap(addr, 8192), 0);
}
END_TEST

START_TEST(test_dpa_range)
{
	struct doca_dpa *dpa = (struct doca_dpa *)memory;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_set_dpa_memrange(mmap_, dpa, 4096, 64));
}
END_TEST

START_TEST(test_export)
{
	struct doca_dev *other = use_dev(USE_HOST_PF1);
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	const void *desc, *again;
	size_t len, len2;
	uint8_t flag;

	PASSES(doca_mmap_cap_is_export_pci_supported(info, &flag));
	ck_assert_uint_eq(flag, 1);
	PASSES(doca_mmap_cap_is_create_from_export_pci_supported(info, &flag));
	ck_assert_uint_eq(flag, 1);
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(mmap_, dev, &desc, &len));
	start(DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_mmap_export_pci(mmap_, other, &desc, &len));
	/* The map lacks the permission for this kind of export. */
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_rdma(mmap_, dev, &desc, &len));
	PASSES(doca_mmap_get_exported(mmap_, &flag));
	ck_assert_uint_eq(flag, 0);
	PASSES(doca_mmap_export_pci(mmap_, dev, &desc, &len));
	ck_assert_uint_le(len, 256);
	PASSES(doca_mmap_export_pci(mmap_, dev, &again, &len2));
	ck_assert_ptr_eq(again, desc);
	PASSES(doca_mmap_get_exported(mmap_, &flag));
	ck_assert_uint_eq(flag, 1);
	/* An exported map is started, and cannot be started again. */
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(mmap_));
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 1, 2000);
	PASSES(doca_mmap_stop(mmap_));
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 2000);
	PASSES(doca_mmap_get_exported(mmap_, &flag));
	ck_assert_uint_eq(flag, 0);
	PASSES(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_FLAG_RDMA_WRITE));
	PASSES(doca_mmap_start(mmap_));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_mmap_export_rdma(mmap_, other, &desc, &len));
	PASSES(doca_mmap_export_rdma(mmap_, dev, &desc, &len));
	OK(doca_dev_close(other));
}
END_TEST

struct handover {
	char desc[256];
	size_t len;
	void *addr;
};

static void exporter(int sock, void *arg)
{
	static struct doca_dev *device;
	struct handover out = {.addr = memory};
	struct doca_mmap *exported;
	const void *desc;

	(void)arg;
	device = use_dev(USE_HOST_PF0);
	exported = use_mmap(device, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_mmap_export_pci(exported, device, &desc, &out.len));
	memcpy(out.desc, desc, out.len);
	lab_send(sock, &out, sizeof(out));
	lab_wait(sock);
	use_mmap_end(exported);
	OK(doca_dev_close(device));
}

/* The calls that are allowed with an imported map, and those that are not. */
static void importer(int sock, void *arg)
{
	const struct handover *in = arg;
	struct doca_dev *device = use_dev(USE_DPU_P0);
	struct doca_buf_inventory *inventory;
	union doca_data data = {.u64 = 5};
	struct doca_mmap *import;
	struct doca_buf *buf;
	const void *desc;
	size_t len;
	void *addr;
	uint8_t flag;

	(void)sock;
	PASSES(doca_mmap_cap_is_create_from_export_pci_supported(doca_dev_as_devinfo(device),
								 &flag));
	ck_assert_uint_eq(flag, 1);
	if (allocount_works)
		RUNS_OUT(0, doca_mmap_create_from_export(NULL, in->desc, in->len, device, &import));
	PASSES(doca_mmap_create_from_export(&data, in->desc, in->len, device, &import));
	data.u64 = 0;
	OK(doca_mmap_get_user_data(import, &data));
	ck_assert_uint_eq(data.u64, 5);
	PASSES(doca_mmap_get_from_export(import, &flag));
	ck_assert_uint_eq(flag, 1);
	PASSES(doca_mmap_get_memrange(import, &addr, &len));
	ck_assert_ptr_eq(addr, in->addr);
	ck_assert_uint_eq(len, sizeof(memory));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(import));
	/* Buffers keep it in use; without them it can be stopped, permanently. */
	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_get_by_addr(inventory, import, addr, 1, &buf));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(import));
	OK(doca_buf_dec_refcount(buf, NULL));
	PASSES(doca_mmap_stop(import));
	PASSES(doca_mmap_stop(import));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_buf_inventory_buf_get_by_addr(inventory, import, addr, 1, &buf));
	OK(doca_buf_inventory_destroy(inventory));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(import));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_add_dev(import, device));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(import, device));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(import, device, &desc, &len));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_memrange(import, memory, 1));
	PASSES(doca_mmap_destroy(import));
	OK(doca_dev_close(device));
}

/* Threads share an import: requesting that violates a rule that devices do not enforce. */
static void sharing_importer(int sock, void *arg)
{
	const struct handover *in = arg;
	struct doca_dev *device = use_dev(USE_DPU_P0);
	struct doca_buf_inventory *inventory;
	struct doca_mmap *import;
	struct doca_buf *buf;
	uint32_t n;

	(void)sock;
	OK(doca_mmap_create_from_export(NULL, in->desc, in->len, device, &import));
	PASSES(doca_mmap_enable_thread_safety(import));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "DOCOCORED_STRICT=1"));
	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_get_by_addr(inventory, import, in->addr, 1, &buf));
	PASSES(doca_mmap_get_num_bufs(import, &n));
	ck_assert_uint_eq(n, 0);
	OK(doca_buf_dec_refcount(buf, NULL));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(import));
	OK(doca_dev_close(device));
}

static void strict_importer(int sock, void *arg)
{
	const struct handover *in = arg;
	struct doca_dev *device;
	struct doca_mmap *import;

	(void)sock;
	setenv("DOCOCORED_STRICT", "1", 1);
	device = use_dev(USE_DPU_P0);
	OK(doca_mmap_create_from_export(NULL, in->desc, in->len, device, &import));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_enable_thread_safety(import));
	OK(doca_mmap_destroy(import));
	OK(doca_dev_close(device));
}

/* A subfunction of the DPU does not go over PCI, so the host cannot use it. */
static struct doca_dev *use_sf(void)
{
	struct doca_devinfo **list;
	struct doca_dev *sf = NULL;
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	for (uint32_t i = 0; i < n; i++) {
		enum doca_pci_func_type type;

		OK(doca_devinfo_get_pci_func_type(list[i], &type));
		if (type == DOCA_PCI_FUNC_TYPE_SF && sf == NULL)
			OK(doca_dev_open(list[i], &sf));
	}
	OK(doca_devinfo_destroy_list(list));
	return sf;
}

/* A device without the capability, and a device of another port of the card. */
static void wrong_importer(int sock, void *arg)
{
	const struct handover *in = arg;
	struct doca_dev *sf = use_sf(), *other = use_dev(USE_DPU_P1);
	struct doca_mmap *import;

	(void)sock;
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_mmap_create_from_export(NULL, in->desc, in->len, sf, &import));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_mmap_create_from_export(NULL, in->desc, in->len, other, &import));
	OK(doca_dev_close(sf));
	OK(doca_dev_close(other));
}

static void sf_exporter(int sock, void *arg)
{
	struct doca_dev *device = use_sf();
	struct doca_mmap *exported = use_mmap(device, memory, sizeof(memory),
					      DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	const void *desc;
	size_t len;

	(void)sock;
	(void)arg;
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_pci(exported, device, &desc, &len));
	use_mmap_end(exported);
	OK(doca_dev_close(device));
}

START_TEST(test_import)
{
	struct lab_child from = lab_fork(&lab, LAB_HOST, exporter, NULL), to;
	struct handover in;

	lab_recv(from.sock, &in, sizeof(in));
	to = lab_fork(&lab, LAB_DPU, importer, &in);
	lab_join(&to);
	to = lab_fork(&lab, LAB_DPU, sharing_importer, &in);
	lab_join(&to);
	to = lab_fork(&lab, LAB_DPU, strict_importer, &in);
	lab_join(&to);
	to = lab_fork(&lab, LAB_DPU, wrong_importer, &in);
	lab_join(&to);
	to = lab_fork(&lab, LAB_DPU, sf_exporter, NULL);
	lab_join(&to);
	lab_signal(from.sock);
	lab_join(&from);
}
END_TEST

START_TEST(test_no_rdma)
{
	const void *desc;
	size_t len;

	start(DOCA_ACCESS_FLAG_RDMA_READ);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_rdma(mmap_, dev, &desc, &len));
}
END_TEST

static void setup_no_rdma(void)
{
	static const struct lab_options options = {
		.only = {true, false},
		.topology =
			"[topology]\nside = host\n[device pf0]\npci = 0b:00.0\nexport_rdma = no\n",
	};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	PASSES(doca_mmap_create(&mmap_));
}

static const struct unreachable unreachable[] = {
	{"*", "DRIVER", "no driver is asked"},
	{"doca_mmap_add_dev", "NOT_SUPPORTED", "devices of protection domains can be added"},
	{"doca_mmap_start", "NO_MEMORY", "start takes none"},
	{"doca_mmap_dev_get_dpa_handle", "NOT_PERMITTED", "no DPA"},
	{"doca_mmap_set_dpa_memrange", "NOT_PERMITTED", "no DPA, so no range was set before"},
	{"doca_mmap_cap_is_export_pci_supported", "NOT_SUPPORTED", "answered by the flag"},
	{"doca_mmap_cap_is_create_from_export_pci_supported", "NOT_SUPPORTED",
	 "answered by the flag"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("doca_mmap", documented_doca_mmap, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *mmap_case = tcase_create("mmap"), *no_rdma = tcase_create("no rdma");

	tcase_add_checked_fixture(mmap_case, setup, teardown);
	tcase_set_timeout(mmap_case, RUNNER_TEST_S);
	suite_add_tcase(suite, mmap_case);
	tcase_add_test(mmap_case, test_null);
	tcase_add_test(mmap_case, test_configuration);
	tcase_add_test(mmap_case, test_started);
	tcase_add_test(mmap_case, test_free_callback);
	tcase_add_test(mmap_case, test_thread_safety_does_not_count);
	tcase_add_test(mmap_case, test_no_memory);
	tcase_add_test(mmap_case, test_memfd_range);
	tcase_add_test(mmap_case, test_dpa_range);
	tcase_add_test(mmap_case, test_export);
	tcase_add_test(mmap_case, test_import);
	tcase_add_checked_fixture(no_rdma, setup_no_rdma, teardown);
	tcase_set_timeout(no_rdma, RUNNER_TEST_S);
	suite_add_tcase(suite, no_rdma);
	tcase_add_test(no_rdma, test_no_rdma);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_mmap", add_cases, finish);
}
