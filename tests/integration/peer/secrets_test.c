/*
 * Core dumps of programs and of daemons over TLS show no secret: not that of an export, in the
 * exporting and the importing program and in both daemons, and not the private key of a daemon. The
 * test searches the memory that a core dump would contain.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/runner.h"
#include "tests/lib/secret_scan.h"
#include "tests/lib/tls_lab.h"
#include "tests/lib/use.h"
#include "util/export_descriptor.h"

#define LEN     4096u
#define KEY_LEN 32u

static struct tls_lab tls;
static struct lab lab;
static uint8_t memory[LEN];

static void setup(void)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_start(&tls, &lab, true, true);
	leaks_allow_fds(1);
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}

/* The process has the secret, in memory that is left out of core dumps only. */
static void check_hidden(const char *who, pid_t pid)
{
	ck_assert_msg(secret_scan_count(pid, true) == 0, "a core dump of the %s shows it", who);
	ck_assert_msg(secret_scan_count(pid, false) > 0, "the %s does not have it", who);
}

/* When a daemon answers, it has overwritten the packets that it handled before. */
static void make_request(void)
{
	struct doca_devinfo **list;
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	OK(doca_devinfo_destroy_list(list));
}

static void search_for_secret_of(const void *desc, size_t len)
{
	struct export_descriptor descriptor;

	ck_assert_int_eq(export_descriptor_decode(desc, len, &descriptor), EXPORT_DESCRIPTOR_OK);
	secret_scan_set(descriptor.secret);
	explicit_bzero(&descriptor, sizeof(descriptor));
}

/* Sends the descriptor from where the library has it, and keeps the export until signalled. */
static void exporter_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_mmap *mmap = use_mmap(dev, memory, sizeof(memory),
					  DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	const void *desc;
	size_t len;

	(void)arg;
	OK(doca_mmap_export_pci(mmap, dev, &desc, &len));
	search_for_secret_of(desc, len);
	check_hidden("exporter", getpid());
	lab_send_sized(sock, desc, len);
	lab_wait(sock);
	make_request();
	lab_signal(sock);
	lab_wait(sock);
	check_hidden("exporter", getpid());
	use_mmap_end(mmap);
	/* The memory of the secret is overwritten. */
	ck_assert_uint_eq(secret_scan_count(getpid(), false), 0);
	OK(doca_dev_close(dev));
}

START_TEST(secrets_of_an_export)
{
	struct lab_child exporter = lab_fork(&lab, LAB_HOST, exporter_main, NULL);
	uint8_t desc[256];
	size_t len = lab_recv_sized(exporter.sock, desc, sizeof(desc));
	struct doca_mmap *remote;
	struct doca_dev *dev;

	lab_use(&lab, LAB_DPU);
	dev = use_dev(USE_DPU_P0);
	search_for_secret_of(desc, len);
	OK(doca_mmap_create_from_export(NULL, desc, len, dev, &remote));
	explicit_bzero(desc, sizeof(desc));
	ck_assert_str_eq(dococ_mmap_get_transport(remote), "relay");
	make_request();
	lab_signal(exporter.sock);
	lab_wait(exporter.sock);
	check_hidden("importer", getpid());
	check_hidden("exporter's daemon", lab.daemons[LAB_HOST].pid);
	/* The importer's daemon needs the secret no more, or only to ask again. */
	ck_assert_uint_eq(secret_scan_count(lab.daemons[LAB_DPU].pid, true), 0);
	lab_signal(exporter.sock);
	lab_join(&exporter);
	use_mmap_end(remote);
	ck_assert_uint_eq(secret_scan_count(getpid(), false), 0);
	OK(doca_dev_close(dev));
}
END_TEST

/* Writes the scalar of a side's private key, least significant byte first as OpenSSL has it. */
static void read_key(const char *side, uint8_t key_out[KEY_LEN])
{
	BIGNUM *scalar = NULL;
	char path[256];
	EVP_PKEY *key;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.key", tls.dir, side);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
	fclose(file);
	ck_assert_int_eq(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &scalar), 1);
	ck_assert_int_eq(BN_bn2lebinpad(scalar, key_out, KEY_LEN), KEY_LEN);
	BN_free(scalar);
	EVP_PKEY_free(key);
}

START_TEST(keys_of_daemons)
{
	static const char *const sides[] = {"host", "dpu"};

	for (int side = 0; side < LAB_N_SIDES; side++) {
		uint8_t key[KEY_LEN], reversed[KEY_LEN];

		read_key(sides[side], key);
		for (size_t i = 0; i < KEY_LEN; i++)
			reversed[i] = key[KEY_LEN - 1 - i];
		secret_scan_set(key);
		check_hidden(sides[side], lab.daemons[side].pid);
		/* In a file, the most significant byte is first. */
		secret_scan_set(reversed);
		ck_assert_uint_eq(secret_scan_count(lab.daemons[side].pid, true), 0);
	}
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "secrets");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, secrets_of_an_export);
	tcase_add_test(tcase, keys_of_daemons);
}

int main(void)
{
	lab_require();
	return runner_main("secrets", add_cases, NULL);
}
