/*
 * AES-GCM on memory that another process exported, mapped and accessed by system calls: messages
 * sealed from there into own memory and opened back, a refused message in the exporter's memory,
 * and an export that has ended.
 */
#include <string.h>

#include <doca_aes_gcm.h>

#include "tests/integration/dma/import_kinds.h"
#include "tests/lib/use.h"

#define LEN (1u << 20)
#define AAD 33u
#define TAG 16u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_aes_gcm *gcm;
static struct doca_ctx *ctx;
static struct doca_aes_gcm_key *key;
static struct doca_mmap *local, *remote;
static struct doca_buf_inventory *inventory;
static struct exporter exporter;
static uint8_t content[LEN], memory[LEN + TAG];
static unsigned n_completed;
static doca_error_t status;
static const uint8_t raw_key[32] = {1, 2, 3}, iv[12] = {4, 5, 6};
static const union doca_data no_data;

static void completed(struct doca_task *task)
{
	status = doca_task_get_status(task);
	n_completed++;
	doca_task_free(task);
}

static void encrypt_done(struct doca_aes_gcm_task_encrypt *task, union doca_data data,
			 union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_aes_gcm_task_encrypt_as_task(task));
}

static void decrypt_done(struct doca_aes_gcm_task_decrypt *task, union doca_data data,
			 union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_aes_gcm_task_decrypt_as_task(task));
}

static void setup(void)
{
	kinds_setup(&lab);
}

/* Makes this process a client of the DPU, with an exporter of the host. */
static void importer_open(unsigned number)
{
	struct exporter_options options = {.memory = kinds[number].memory,
					   .len = LEN,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	kind_choose(number);
	exporter_start(&exporter, &lab, &options);
	use_fill(content, LEN, 1);
	dev = use_dev(USE_DPU_P0);
	OK(doca_pe_create(&pe));
	OK(doca_aes_gcm_create(dev, &gcm));
	ctx = doca_aes_gcm_as_ctx(gcm);
	OK(doca_aes_gcm_task_encrypt_set_conf(gcm, encrypt_done, encrypt_done, 1));
	OK(doca_aes_gcm_task_decrypt_set_conf(gcm, decrypt_done, decrypt_done, 1));
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_ctx_start(ctx));
	OK(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_256, &key));
	OK(doca_buf_inventory_create(64, &inventory));
	OK(doca_buf_inventory_start(inventory));
	local = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
	ck_assert_str_eq(dococ_mmap_get_transport(remote), kind->transport);
}

static void importer_close(void)
{
	OK(doca_aes_gcm_key_destroy(key));
	OK(doca_ctx_stop(ctx));
	OK(doca_aes_gcm_destroy(gcm));
	OK(doca_pe_destroy(pe));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(local);
	use_mmap_end(remote);
	OK(doca_dev_close(dev));
	kinds_teardown(&lab);
}

static struct doca_buf *remote_buf(size_t len, bool is_src)
{
	struct doca_buf *buf;

	OK((is_src ? doca_buf_inventory_buf_get_by_data : doca_buf_inventory_buf_get_by_addr)(
		inventory, remote, exporter.exported.addr, len, &buf));
	return buf;
}

static struct doca_buf *local_buf(size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_addr(inventory, local, memory, len, &buf));
	return buf;
}

static doca_error_t run(struct doca_task *task)
{
	unsigned n = n_completed;

	OK(doca_task_submit(task));
	while (n_completed == n)
		kind_progress(pe);
	return status;
}

static doca_error_t encrypt(struct doca_buf *src, struct doca_buf *dst, uint32_t aad)
{
	struct doca_aes_gcm_task_encrypt *task;

	OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key, iv, sizeof(iv), TAG, aad,
						no_data, &task));
	return run(doca_aes_gcm_task_encrypt_as_task(task));
}

static doca_error_t decrypt(struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_aes_gcm_task_decrypt *task;

	OK(doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, key, iv, sizeof(iv), TAG, AAD,
						no_data, &task));
	return run(doca_aes_gcm_task_decrypt_as_task(task));
}

START_TEST(test_imported)
{
	static const size_t sizes[] = {AAD, AAD + 1, 4097, 131072, LEN};

	importer_open((unsigned)_i);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		size_t n = sizes[i];
		struct doca_buf *src, *sealed, *back;

		exporter_fill(&exporter, 0, n, 1);
		src = remote_buf(n, true);
		sealed = local_buf(n + TAG);
		EXPECT(DOCA_SUCCESS, encrypt(src, sealed, AAD));
		ck_assert_mem_eq(memory, content, AAD);
		ck_assert_mem_ne(memory, content, MAX(n, AAD + 1));
		/* The exporter gets its bytes back. */
		exporter_fill(&exporter, 0, n, 2);
		back = remote_buf(n, false);
		EXPECT(DOCA_SUCCESS, decrypt(sealed, back));
		ck_assert(exporter_is_filled(&exporter, 0, n, 1));
		/* Nothing of a message with a changed tag reaches it. */
		exporter_fill(&exporter, 0, n, 2);
		OK(doca_buf_reset_data_len(back));
		memory[n] ^= 1;
		EXPECT(DOCA_ERROR_IO_FAILED, decrypt(sealed, back));
		ck_assert(exporter_is_filled(&exporter, 0, n, 2));
		use_buf_end(src);
		use_buf_end(sealed);
		use_buf_end(back);
	}
	exporter_end(&exporter);
	importer_close();
}
END_TEST

/* The export has ended, or the whole process: an error, and the context goes on. */
START_TEST(test_ended)
{
	bool is_killed = _i >= N_KINDS;
	struct doca_buf *src, *dst, *own;

	importer_open((unsigned)(_i % N_KINDS));
	src = remote_buf(LEN, true);
	dst = local_buf(LEN + TAG);
	EXPECT(DOCA_SUCCESS, encrypt(src, dst, AAD));
	OK(doca_buf_reset_data_len(dst));
	if (is_killed) {
		kinds_kill(&lab, &exporter);
	} else {
		exporter_stop_map(&exporter);
	}
	EXPECT(DOCA_ERROR_IO_FAILED, encrypt(src, dst, AAD));
	/* From own memory, in place. */
	OK(doca_buf_inventory_buf_get_by_data(inventory, local, memory, 64, &own));
	EXPECT(DOCA_SUCCESS, encrypt(own, dst, 0));
	use_buf_end(own);
	use_buf_end(src);
	use_buf_end(dst);
	if (!is_killed)
		exporter_end(&exporter);
	importer_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("aes_gcm import");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_imported, 0, N_KINDS);
	tcase_add_loop_test(tcase, test_ended, 0, 2 * N_KINDS);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("aes_gcm import"), add_cases, NULL);
}
