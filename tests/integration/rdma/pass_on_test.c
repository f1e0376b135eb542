/*
 * Memory of the host that a DPU process imported over PCI and exports to RDMA peers: requests and
 * copies of such a peer access the host process's memory with its rights, and end with its export.
 * Four processes in a lab: exporter, passer, peer, and the test between them.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/integration/rdma/end.h"
#include "tests/lib/runner.h"
#include "util/export_descriptor.h"

#define LEN 65536u
/* Values of ExportKind in descriptors. */
#define KIND_PCI  0
#define KIND_RDMA 1

static struct lab lab;

struct memory {
	struct rdma_desc desc;
	uint8_t *addr;
};

struct variant {
	bool is_shared, is_read_only;
	enum lab_side peer;
	const char *device;
};

static const struct variant variants[] = {
	{false, false, LAB_DPU, USE_DPU_P0},    {true, false, LAB_DPU, USE_DPU_P1},
	{false, true, LAB_DPU, USE_DPU_P1},     {true, true, LAB_DPU, USE_DPU_P0},
	{false, false, LAB_HOST, USE_HOST_PF1}, {true, true, LAB_HOST, USE_HOST_PF0},
};

static void desc_set(struct rdma_desc *out, const void *desc, size_t len)
{
	ck_assert_uint_le(len, sizeof(out->bytes));
	memcpy(out->bytes, desc, len);
	out->len = len;
}

/* Sends its descriptor, checks the result, stops the map, exits. */
static void exporter_main(int sock, void *arg)
{
	const struct variant *variant = arg;
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_devinfo **list;
	struct memory out;
	struct doca_mmap *mmap;
	const void *desc;
	void *bytes;
	size_t len;
	uint32_t n;

	if (variant->is_shared)
		OK(dococ_mem_alloc(LEN, &bytes, NULL));
	else
		ck_assert_int_eq(posix_memalign(&bytes, 4096, LEN), 0);
	use_fill(bytes, LEN, 1);
	mmap = use_mmap(dev, bytes, LEN,
			variant->is_read_only ? DOCA_ACCESS_FLAG_PCI_READ_ONLY
					      : DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_mmap_export_pci(mmap, dev, &desc, &len));
	desc_set(&out.desc, desc, len);
	out.addr = bytes;
	lab_send(sock, &out, sizeof(out));
	/* If its daemon restarted, it is registered there again by now. */
	lab_wait(sock);
	OK(doca_devinfo_create_list(&list, &n));
	OK(doca_devinfo_destroy_list(list));
	lab_signal(sock);
	lab_wait(sock);
	ck_assert(use_is_filled(bytes, LEN, variant->is_read_only ? 1 : 2));
	OK(doca_mmap_stop(mmap));
	lab_signal(sock);
	lab_wait(sock);
	ck_assert(use_is_filled(bytes, LEN, variant->is_read_only ? 1 : 2));
	OK(doca_mmap_destroy(mmap));
	if (variant->is_shared)
		OK(dococ_mem_free(bytes));
	else
		free(bytes);
	OK(doca_dev_close(dev));
}

static void passer_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0), *other = use_dev(USE_DPU_P1);
	struct doca_mmap *import;
	struct memory memory;
	const void *desc, *again;
	uint8_t exported;
	size_t len;

	(void)arg;
	lab_recv(sock, &memory, sizeof(memory));
	import = rdma_mem_import(dev, &memory.desc);
	/* Only for RDMA, and by the device with which it was imported. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(import, dev, &desc, &len));
	EXPECT(DOCA_ERROR_NOT_FOUND, doca_mmap_export_rdma(import, other, &desc, &len));
	OK(doca_mmap_export_rdma(import, dev, &desc, &len));
	OK(doca_mmap_export_rdma(import, dev, &again, &len));
	ck_assert_ptr_eq(desc, again);
	OK(doca_mmap_get_exported(import, &exported));
	ck_assert_uint_eq(exported, 1);
	desc_set(&memory.desc, desc, len);
	lab_send(sock, &memory, sizeof(memory));
	lab_wait(sock);
	/* The first export has ended. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_rdma(import, dev, &desc, &len));
	OK(doca_mmap_stop(import));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_rdma(import, dev, &desc, &len));
	OK(doca_mmap_destroy(import));
	OK(doca_dev_close(dev));
	OK(doca_dev_close(other));
}

/* An RDMA peer. Both ends of its connection are its own, because only one-sided requests matter. */
struct peer {
	struct rdma_side a, b;
	struct rdma_qp *qa, *qb;
	struct rdma_mem mem;
	struct doca_mmap *remote;
};

static void peer_open(struct peer *peer, const char *device)
{
	rdma_end_open(&peer->a, device, NULL);
	rdma_end_open(&peer->b, device, NULL);
	rdma_end_join(&peer->a, &peer->qa, &peer->b, &peer->qb);
	rdma_mem_make(&peer->mem, peer->a.dev, LEN, false, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void peer_close(struct peer *peer)
{
	rdma_mem_free(&peer->mem);
	rdma_end_close(&peer->a);
	rdma_end_close(&peer->b);
}

static void peer_request(struct peer *peer, enum rdma_op op, uint8_t *addr, size_t at, size_t len,
			 doca_error_t status)
{
	struct rdma_req req;

	rdma_req_init(&req, op, &peer->mem, at, len);
	rdma_req_remote(&req, peer->remote, (uintptr_t)addr + at);
	rdma_req_post(peer->qa, &req);
	rdma_end_await(&peer->a, &peer->b, &req.wr, status);
}

static doca_error_t peer_copy(struct peer *peer, uint8_t *addr, size_t at, bool writes)
{
	struct use_dma use;
	doca_error_t result;

	use_dma_open(&use, peer->a.dev, 1);
	result = writes ? use_copy(&use, peer->mem.mmap, peer->mem.bytes + at, peer->remote,
				   addr + at, LEN / 2)
			: use_copy(&use, peer->remote, addr + at, peer->mem.mmap,
				   peer->mem.bytes + at, LEN / 2);
	use_dma_close(&use);
	return result;
}

static void peer_main(int sock, void *arg)
{
	const struct variant *variant = arg;
	struct memory memory;
	struct doca_mmap *none;
	struct peer peer;
	const void *desc;
	size_t len;

	peer_open(&peer, variant->device);
	lab_recv(sock, &memory, sizeof(memory));
	peer.remote = use_import_retry(memory.desc.bytes, memory.desc.len, peer.a.dev);
	/* A passed-on import cannot be passed on again. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_export_rdma(peer.remote, peer.a.dev, &desc, &len));
	peer_request(&peer, RDMA_READ, memory.addr, 0, LEN / 2, DOCA_SUCCESS);
	ck_assert_int_eq(peer_copy(&peer, memory.addr, LEN / 2, false), DOCA_SUCCESS);
	ck_assert(use_is_filled(peer.mem.bytes, LEN, 1));
	use_fill(peer.mem.bytes, LEN, 2);
	if (variant->is_read_only) {
		ck_assert_int_eq(peer_copy(&peer, memory.addr, 0, true), DOCA_ERROR_NOT_PERMITTED);
		peer_request(&peer, RDMA_WRITE, memory.addr, 0, 8, DOCA_ERROR_IO_FAILED);
	} else {
		peer_request(&peer, RDMA_WRITE, memory.addr, 0, LEN / 2, DOCA_SUCCESS);
		ck_assert_int_eq(peer_copy(&peer, memory.addr, LEN / 2, true), DOCA_SUCCESS);
		/* PCI permissions do not include atomics. */
		peer_request(&peer, RDMA_FETCH_ADD, memory.addr, 0, 8, DOCA_ERROR_IO_FAILED);
	}
	lab_signal(sock);
	lab_wait(sock);
	/* The first export has ended, and this one with it. */
	ck_assert_int_eq(peer_copy(&peer, memory.addr, 0, false), DOCA_ERROR_IO_FAILED);
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_create_from_export(NULL, memory.desc.bytes, memory.desc.len, peer.a.dev,
					    &none));
	OK(doca_mmap_destroy(peer.remote));
	peer_close(&peer);
}

static void run(const struct variant *variant, bool restarts)
{
	struct lab_child exporter = lab_fork(&lab, LAB_HOST, exporter_main, (void *)variant);
	struct lab_child passer = lab_fork(&lab, LAB_DPU, passer_main, NULL);
	struct lab_child peer = lab_fork(&lab, variant->peer, peer_main, (void *)variant);
	struct memory memory;

	lab_recv(exporter.sock, &memory, sizeof(memory));
	lab_send(passer.sock, &memory, sizeof(memory));
	lab_recv(passer.sock, &memory, sizeof(memory));
	if (restarts) {
		lab_kill_daemon(&lab, LAB_HOST);
		lab_start_daemon(&lab, LAB_HOST);
	}
	lab_signal(exporter.sock);
	lab_wait(exporter.sock);
	lab_send(peer.sock, &memory, sizeof(memory));
	lab_wait(peer.sock);
	lab_signal(exporter.sock);
	lab_wait(exporter.sock);
	lab_signal(peer.sock);
	lab_join(&peer);
	lab_signal(passer.sock);
	lab_join(&passer);
	lab_signal(exporter.sock);
	lab_join(&exporter);
}

START_TEST(test_passed_on)
{
	run(&variants[_i], false);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 5000);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, 5000);
}
END_TEST

/*
 * The exporter's daemon is killed and restarted: the passed-on descriptor stays valid, like that of
 * the first export. With a service manager the daemon resumes its clients' sessions; without one
 * they reconnect.
 */
START_TEST(test_restart)
{
	if (_i == 1) {
		lab_stop(&lab);
		lab_start(&lab, &(struct lab_options){.fd_store = 64});
	}
	run(&variants[1], true);
}
END_TEST

/* --- limits of the descriptors --- */

static doca_error_t import_as(const struct rdma_desc *from, uint8_t kind, struct doca_dev *dev)
{
	struct doca_mmap *import;
	uint8_t bytes[EXPORT_DESCRIPTOR_LEN];
	struct export_descriptor descriptor;
	doca_error_t result;

	ck_assert_int_eq(export_descriptor_decode(from->bytes, from->len, &descriptor),
			 EXPORT_DESCRIPTOR_OK);
	descriptor.kind = kind;
	export_descriptor_encode(&descriptor, bytes);
	result = doca_mmap_create_from_export(NULL, bytes, sizeof(bytes), dev, &import);
	if (result == DOCA_SUCCESS)
		OK(doca_mmap_destroy(import));
	return result;
}

/*
 * Neither descriptor grants what the other does: that of the first export is for the device that
 * represents the exporter's, and the other one for RDMA.
 */
static void forger_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct memory first, passed_on;

	(void)arg;
	lab_recv(sock, &first, sizeof(first));
	lab_recv(sock, &passed_on, sizeof(passed_on));
	OK(import_as(&first.desc, KIND_PCI, dev));
	OK(import_as(&passed_on.desc, KIND_RDMA, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, import_as(&first.desc, KIND_RDMA, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, import_as(&passed_on.desc, KIND_PCI, dev));
	OK(doca_dev_close(dev));
}

START_TEST(test_kinds)
{
	struct lab_child exporter = lab_fork(&lab, LAB_HOST, exporter_main, (void *)&variants[0]);
	struct lab_child passer = lab_fork(&lab, LAB_DPU, passer_main, NULL);
	struct lab_child forger = lab_fork(&lab, LAB_DPU, forger_main, NULL);
	struct memory memory;

	lab_recv(exporter.sock, &memory, sizeof(memory));
	lab_send(passer.sock, &memory, sizeof(memory));
	lab_send(forger.sock, &memory, sizeof(memory));
	lab_recv(passer.sock, &memory, sizeof(memory));
	lab_send(forger.sock, &memory, sizeof(memory));
	lab_join(&forger);
	lab_kill(&passer);
	lab_kill(&exporter);
}
END_TEST

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("pass on");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_loop_test(cases, test_passed_on, 0, (int)ARRAY_LEN(variants));
	tcase_add_loop_test(cases, test_restart, 0, 2);
	tcase_add_test(cases, test_kinds);
}

int main(void)
{
	lab_require();
	return runner_main("imports that are passed on", add_cases, NULL);
}
