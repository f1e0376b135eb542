/*
 * Imports that are passed on: the descriptor, and the key from an RDMA device, which ends with the
 * first export although no call of this process detects that. The test provides the device's keys.
 */
#include <poll.h>
#include <stdatomic.h>

#include "client/control/revocation_watch.h"
#include "client/control/session.h"
#include "client/memory/mem_key.h"
#include "client/memory/mmap.h"
#include "tests/unit/client/fixture.h"
#include "util/export_descriptor.h"
#include "util/secret.h"

#define BASE UINT64_C(0x700000000000)
#define LEN  8192u
#define KEY  0x1234u
#define ID   77u

static struct {
	bool serves;
	void *addr;
	uint64_t known_as;
	size_t len;
	uint32_t rights;
	unsigned n_made;
	_Atomic unsigned n_freed;
} keys;

static bool keys_serve(const struct doca_devinfo *info)
{
	(void)info;
	return keys.serves;
}

static void key_free(struct mem_key *key)
{
	free(key);
	atomic_fetch_add(&keys.n_freed, 1);
}

static doca_error_t key_make(struct doca_dev *dev, void *addr, uint64_t known_as, size_t len,
			     uint32_t rights, struct mem_key **key_out)
{
	struct mem_key *key = calloc(1, sizeof(*key));

	ck_assert_ptr_eq(dev, &unit_dev);
	ck_assert_ptr_nonnull(key);
	key->remote = KEY;
	key->free = key_free;
	keys.addr = addr;
	keys.known_as = known_as;
	keys.len = len;
	keys.rights = rights;
	keys.n_made++;
	*key_out = key;
	return DOCA_SUCCESS;
}

static const struct mem_key_ops key_ops = {.serves = keys_serve, .make = key_make};
const struct mem_key_ops *const mem_key_table[] = {&key_ops, NULL};

static uint8_t memory[LEN];
static _Atomic uint32_t word;

/* Creates a map as if the host had exported it over PCI. */
static struct doca_mmap *import_new(bool is_direct, bool is_writable)
{
	const struct transport_region region = {
		.direct = is_direct, .delta = (intptr_t)((uintptr_t)memory - BASE), .pidfd = -1};
	struct doca_mmap *import = unit_import(BASE, LEN, true, is_writable, &region);

	word = 5;
	unit_info.caps.export_rdma = unit_info.caps.rdma = true;
	import->is_pci_import = import->can_pass_on = true;
	import->export_id = ID;
	import->alive = &word;
	import->generation = 5;
	import->secrets = secret_alloc(sizeof(*import->secrets));
	ck_assert_ptr_nonnull(import->secrets);
	memset(import->secrets->pass_on, 9, sizeof(import->secrets->pass_on));
	memset(import->exporter_daemon, 8, sizeof(import->exporter_daemon));
	return import;
}

static struct export_descriptor pass_on(struct doca_mmap *import)
{
	const void *desc;
	struct export_descriptor descriptor;
	size_t len;

	ck_ok(doca_mmap_export_rdma(import, &unit_dev, &desc, &len));
	ck_assert_int_eq(export_descriptor_decode(desc, len, &descriptor), EXPORT_DESCRIPTOR_OK);
	return descriptor;
}

START_TEST(the_descriptor_is_of_the_first_export)
{
	struct doca_mmap *import = import_new(_i == 1, _i == 1);
	struct export_descriptor descriptor = pass_on(import);

	ck_assert_uint_eq(descriptor.kind, DOCOCORE__EXPORT_KIND__RDMA);
	ck_assert_uint_eq(descriptor.side, 0);
	ck_assert_uint_eq(descriptor.export_id, ID);
	ck_assert_uint_eq(descriptor.addr, BASE);
	ck_assert_uint_eq(descriptor.len, LEN);
	ck_assert_uint_eq(descriptor.secret[15], 9);
	ck_assert_uint_eq(descriptor.daemon_id[15], 8);
	ck_assert(!descriptor.has_key);
	ck_assert_uint_eq(descriptor.permissions,
			  _i == 1 ? DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE
				  : DOCA_ACCESS_FLAG_RDMA_READ);
	ck_ok(doca_mmap_destroy(import));
}
END_TEST

START_TEST(a_device_makes_a_key_of_the_mapping)
{
	struct doca_mmap *import = import_new(true, _i == 1);
	struct export_descriptor descriptor;

	keys.serves = true;
	descriptor = pass_on(import);
	ck_assert(descriptor.has_key);
	ck_assert_uint_eq(descriptor.key, KEY);
	ck_assert_ptr_eq(keys.addr, memory);
	ck_assert_uint_eq(keys.known_as, BASE);
	ck_assert_uint_eq(keys.len, LEN);
	ck_assert_uint_eq(keys.rights, descriptor.permissions);
	pass_on(import);
	ck_assert_uint_eq(keys.n_made, 1);
	ck_ok(doca_mmap_stop(import));
	ck_assert_uint_eq(keys.n_freed, 1);
	ck_ok(doca_mmap_destroy(import));
	ck_assert_uint_eq(keys.n_freed, 1);
}
END_TEST

/* The daemon marks it in the liveness page while the process may be doing something else. */
START_TEST(the_key_ends_with_the_first_export)
{
	struct doca_mmap *import = import_new(true, true);
	struct pollfd none = {.fd = -1};
	const void *desc;
	size_t len;

	keys.serves = true;
	pass_on(import);
	/* A notification about something else. */
	rpc_lock();
	revocation_watch_renew_locked();
	rpc_unlock();
	word = 0;
	rpc_lock();
	revocation_watch_renew_locked();
	rpc_unlock();
	while (atomic_load(&keys.n_freed) == 0)
		poll(&none, 1, 1);
	ck_fails(doca_mmap_export_rdma(import, &unit_dev, &desc, &len), DOCA_ERROR_NOT_PERMITTED);
	ck_says("its exporter stopped it");
	ck_ok(doca_mmap_destroy(import));
	ck_assert_uint_eq(keys.n_freed, 1);
}
END_TEST

START_TEST(what_is_refused_and_why)
{
	struct doca_mmap *import = import_new(false, true);
	const void *desc;
	size_t len;

	keys.serves = true;
	ck_fails(doca_mmap_export_rdma(import, &unit_dev, &desc, &len), DOCA_ERROR_NOT_SUPPORTED);
	ck_says("dococ_mem_alloc");
	keys.serves = false;
	import->can_pass_on = false;
	ck_fails(doca_mmap_export_rdma(import, &unit_dev, &desc, &len), DOCA_ERROR_NOT_SUPPORTED);
	ck_says("update dococored there");
	unit_info.caps.export_rdma = false;
	ck_fails(doca_mmap_export_rdma(import, &unit_dev, &desc, &len), DOCA_ERROR_NOT_SUPPORTED);
	ck_says("key export_rdma of the device in the topology");
	ck_fails(doca_mmap_export_rdma(import, &unit_dev_other, &desc, &len), DOCA_ERROR_NOT_FOUND);
	ck_fails(doca_mmap_export_pci(import, &unit_dev, &desc, &len), DOCA_ERROR_NOT_PERMITTED);
	import->is_pci_import = false;
	ck_fails(doca_mmap_export_rdma(import, &unit_dev, &desc, &len), DOCA_ERROR_NOT_PERMITTED);
	ck_says("only what was imported over PCI");
	ck_ok(doca_mmap_destroy(import));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/mmap_reexport");
	TCase *tcase = unit_case(suite, "pass on", UNIT_TIMEOUT);

	tcase_add_loop_test(tcase, the_descriptor_is_of_the_first_export, 0, 2);
	tcase_add_loop_test(tcase, a_device_makes_a_key_of_the_mapping, 0, 2);
	tcase_add_test(tcase, the_key_ends_with_the_first_export);
	tcase_add_test(tcase, what_is_refused_and_why);
	return unit_run(suite);
}
