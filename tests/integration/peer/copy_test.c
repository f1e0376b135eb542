/*
 * Copies from and to memory of the other machine without an RDMA device: two sides linked over TLS,
 * whose daemons relay. Every kind of memory, both directions, mixed sizes; and faults: end of
 * either process, of the link and of a daemon, revocation, unmapped memory, a stopped exporter.
 * Every copy ends, with a documented error.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/tls_lab.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define LEN       200000u /* several messages of the stream */
#define AWAIT_MS  20000u
#define N_IMPORTS 1500u

static struct tls_lab tls;
static struct lab lab;
static struct doca_dev *dev;
static struct use_dma use;
static struct exporter exporter;
static struct doca_mmap *remote, *local;
static uint8_t mine[LEN];

/* keys: of [tls]; host_keys: additional text for the host. */
static void start(const char *keys, const char *host_keys, size_t fd_store)
{
	const struct lab_options options = {
		.config_of = {tls.config[LAB_HOST], tls.config[LAB_DPU]},
		.fd_store = fd_store,
		.log_level = "debug",
	};

	leaks_setup();
	/* survive_test tests the calls that wait for a daemon. */
	setenv("DOCOCORED_RELAY_WAIT_MS", "0", 1);
	tls_lab_make(&tls, keys);
	tls_lab_configure_host(&tls, "host", "dpu", host_keys);
	lab_start(&lab, &options);
	leaks_allow_fds(1);
	exporter = (struct exporter){.child.pid = 0};
	remote = local = NULL;
}

/* The timeout is long enough for a busy machine; only a test that waits for silence shortens it. */
static void setup(void)
{
	start("timeout_ms = 60000\n", "timeout_ms = 60000\n", 0);
}

static void setup_persisted(void)
{
	start("timeout_ms = 60000\n", "timeout_ms = 60000\n", 256);
}

/* Daemons are resumed, but have no room to persist their clients. */
static void setup_full_store(void)
{
	start("timeout_ms = 60000\n", "timeout_ms = 60000\n", 1);
}

/* The data that a daemon queues for a peer is limited by its limit of descriptors. */
static void setup_few_fds(void)
{
	struct rlimit limit = {.rlim_cur = 1024, .rlim_max = 1024};

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	setup();
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}

/* Makes this process a client of the other side than the exporter's. */
static void importer_open(enum lab_side exporters)
{
	lab_use(&lab, exporters == LAB_HOST ? LAB_DPU : LAB_HOST);
	dev = use_dev(exporters == LAB_HOST ? USE_DPU_P0 : USE_HOST_PF0);
	use_dma_open(&use, dev, 64);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void import(void)
{
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
	ck_assert_str_eq(dococ_mmap_get_transport(remote), "relay");
}

static void open_all(const struct exporter_options *options)
{
	exporter_start(&exporter, &lab, options);
	importer_open(options->side);
	import();
}

static void open_default(enum exporter_memory memory)
{
	const struct exporter_options options = {
		.memory = memory, .len = LEN, .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	open_all(&options);
}

static void importer_close(void)
{
	if (remote != NULL)
		use_mmap_end(remote);
	use_mmap_end(local);
	use_dma_close(&use);
	OK(doca_dev_close(dev));
	remote = local = NULL;
}

static void close_all(enum lab_side exporters)
{
	enum lab_side importers = exporters == LAB_HOST ? LAB_DPU : LAB_HOST;

	importer_close();
	if (exporter.child.pid != 0)
		exporter_end(&exporter);
	lab_await(&lab, exporters, LAB_EXPORTS, 0, AWAIT_MS);
	lab_await(&lab, importers, LAB_IMPORTS, 0, AWAIT_MS);
}

static doca_error_t read_at(size_t at, size_t len)
{
	return use_copy(&use, remote, exporter.exported.addr + at, local, mine + at, len);
}

static doca_error_t write_at(size_t at, size_t len)
{
	return use_copy(&use, local, mine + at, remote, exporter.exported.addr + at, len);
}

static void expect_sentence(const char *text)
{
	ck_assert_msg(strstr(dococ_last_error(), text) != NULL, "'%s' does not say '%s'",
		      dococ_last_error(), text);
}

/* --- successful copies --- */

static const struct {
	size_t at, len;
} ranges[] = {
	{0, 1},     {1, 7},     {4095, 2},      {3, 4096},    {0, 32768},
	{1, 32768}, {7, 32769}, {65535, 65537}, {LEN - 1, 1}, {LEN - 100000, 100000},
	{0, LEN},
};

static void check_copies(void)
{
	for (uint32_t i = 0; i < ARRAY_LEN(ranges); i++) {
		size_t at = ranges[i].at, len = ranges[i].len;

		exporter_fill(&exporter, at, len, 100 + i);
		memset(mine, 0, sizeof(mine));
		EXPECT(DOCA_SUCCESS, read_at(at, len));
		ck_assert(use_is_filled(mine + at, len, 100 + i));
		/* The bytes around it are unchanged. */
		ck_assert(at == 0 || mine[at - 1] == 0);
		ck_assert(at + len == LEN || mine[at + len] == 0);
		use_fill(mine + at, len, 200 + i);
		EXPECT(DOCA_SUCCESS, write_at(at, len));
		ck_assert(exporter_is_filled(&exporter, at, len, 200 + i));
	}
	/* The bytes around a write are unchanged, too. */
	exporter_fill(&exporter, 0, LEN, 1);
	memset(mine, 0, sizeof(mine));
	EXPECT(DOCA_SUCCESS, write_at(5000, 70000));
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	ck_assert(use_is_filled(mine, 5000, 1));
	for (size_t i = 5000; i < 75000; i++)
		EXPECT_TRUE(mine[i] == 0, "byte %zu was written", i);
}

static const enum exporter_memory memories[] = {MEMORY_MALLOC, MEMORY_STACK, MEMORY_STATIC,
						MEMORY_FILE,   MEMORY_MEMFD, MEMORY_DOCOC,
						MEMORY_MMAP,   MEMORY_HUGE};

/* One exporter after the other; no object of each is left in the daemons. */
static void check_memories(bool rdma, enum lab_side side)
{
	for (size_t i = 0; i < ARRAY_LEN(memories); i++) {
		const struct exporter_options options = {
			.memory = memories[i],
			.len = LEN,
			.skew = memories[i] == MEMORY_MEMFD ? 0 : (2 * i + rdma) * 13,
			.rdma = rdma,
			.permissions = rdma ? DOCA_ACCESS_FLAG_RDMA_READ |
						       DOCA_ACCESS_FLAG_RDMA_WRITE
					    : DOCA_ACCESS_FLAG_PCI_READ_WRITE,
			.side = side,
		};

		open_all(&options);
		check_copies();
		close_all(side);
	}
}

START_TEST(every_memory_for_pci)
{
	check_memories(false, LAB_HOST);
}
END_TEST

START_TEST(every_memory_for_rdma)
{
	check_memories(true, (enum lab_side)_i);
}
END_TEST

/* Reads and writes at once, with more bytes than all rings on the path hold. */
START_TEST(many_in_flight)
{
	enum { N = 64, PIECE = LEN / N };
	struct doca_buf *src[N], *dst[N];

	open_default(MEMORY_MALLOC);
	for (uint32_t round = 0; round < 20; round++) {
		unsigned n_before = use.n_ok;

		for (uint32_t i = 0; i < N; i++) {
			uint8_t *remote_addr = exporter.exported.addr + i * PIECE,
				*local_addr = mine + i * PIECE;
			bool is_write = (i + round) % 2;

			if (is_write)
				use_fill(local_addr, PIECE, round * N + i);
			else
				exporter_fill(&exporter, i * PIECE, PIECE, round * N + i);
			src[i] = is_write ? use_src(&use, local, local_addr, PIECE)
					  : use_src(&use, remote, remote_addr, PIECE);
			dst[i] = is_write ? use_dst(&use, remote, remote_addr, PIECE)
					  : use_dst(&use, local, local_addr, PIECE);
			OK(doca_task_submit(use_task(&use, src[i], dst[i])));
		}
		use_dma_await(&use, n_before + N);
		ck_assert_uint_eq(use.n_failed, 0);
		for (uint32_t i = 0; i < N; i++) {
			ck_assert(use_is_filled(mine + i * PIECE, PIECE, round * N + i));
			ck_assert(exporter_is_filled(&exporter, i * PIECE, PIECE, round * N + i));
			use_buf_end(src[i]);
			use_buf_end(dst[i]);
		}
	}
	close_all(LAB_HOST);
}
END_TEST

/* The importer sleeps on the engine's handle between completions. */
START_TEST(woken_by_completions)
{
	doca_notification_handle_t handle;

	open_default(MEMORY_MMAP);
	OK(doca_pe_get_notification_handle(use.pe, &handle));
	for (unsigned i = 0; i < 50; i++) {
		size_t len = 1 + i * 3991;
		struct doca_buf *src = use_src(&use, remote, exporter.exported.addr, len);
		struct doca_buf *dst = use_dst(&use, local, mine, len);

		memset(mine, 0, len);
		OK(doca_task_submit(use_task(&use, src, dst)));
		while (use.n_ok <= i) {
			struct pollfd p = {.fd = (int)handle, .events = POLLIN};

			if (doca_pe_progress(use.pe))
				continue;
			OK(doca_pe_request_notification(use.pe));
			ck_assert_int_eq(poll(&p, 1, (int)runner_timeout_ms(AWAIT_MS)), 1);
			OK(doca_pe_clear_notification(use.pe, handle));
		}
		ck_assert(use_is_filled(mine, len, 1));
		use_buf_end(src);
		use_buf_end(dst);
	}
	close_all(LAB_HOST);
}
END_TEST

/* --- refusals --- */

static void check_read_only(void)
{
	const struct exporter_options options = {
		.memory = MEMORY_MALLOC, .len = LEN, .permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY};

	open_all(&options);
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	ck_assert(use_is_filled(mine, LEN, 1));
	use_fill(mine, LEN, 5);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, write_at(0, 100));
	ck_assert(exporter_is_filled(&exporter, 0, LEN, 1));
	close_all(LAB_HOST);
}

START_TEST(revoked)
{
	struct doca_buf *src[8], *dst[8];

	open_default(MEMORY_MALLOC);
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	for (int i = 0; i < 8; i++) {
		src[i] = use_src(&use, remote, exporter.exported.addr + i * 64, 64);
		dst[i] = use_dst(&use, local, mine + i * 64, 64);
		OK(doca_task_submit(use_task(&use, src[i], dst[i])));
	}
	exporter_stop_map(&exporter);
	use_fill(mine, LEN, 9);
	use_dma_await(&use, 1 + 8);
	ck_assert_uint_eq(use.n_failed, 8);
	ck_assert(use_is_filled(mine, LEN, 9));
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_start(use.ctx));
	for (int i = 0; i < 8; i++) {
		use_buf_end(src[i]);
		use_buf_end(dst[i]);
	}
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, 64));
	EXPECT(DOCA_ERROR_IO_FAILED, write_at(0, 64));
	ck_assert(exporter_is_filled(&exporter, 0, LEN, 1));
	/* A new export is accessible, also by the same context. */
	exporter_export_again(&exporter);
	use_mmap_end(remote);
	import();
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	ck_assert(use_is_filled(mine, LEN, 1));
	close_all(LAB_HOST);
}
END_TEST

/* Only the removed range fails, and the exporter's process is not harmed. */
static void check_unmapped(void)
{
	open_default(MEMORY_MMAP);
	/* A read first, so that its process maps nothing new into the hole. */
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	exporter_unmap(&exporter, 8192, 4096);
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(8192, 64));
	EXPECT(DOCA_ERROR_IO_FAILED, write_at(8192, 64));
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(12287, 2));
	EXPECT(DOCA_SUCCESS, read_at(0, 8192));
	ck_assert(use_is_filled(mine, 8192, 1));
	EXPECT(DOCA_SUCCESS, read_at(12288, LEN - 12288));
	close_all(LAB_HOST);
}

START_TEST(not_for_everything)
{
	check_read_only();
	check_unmapped();
}
END_TEST

/* --- ends --- */

START_TEST(exporter_killed)
{
	for (int round = 0; round < 3; round++) {
		unsigned n = 0;

		open_default(_i % 2 ? MEMORY_MEMFD : MEMORY_MALLOC);
		while (read_at(0, LEN) == DOCA_SUCCESS) {
			if (++n == 10)
				kill(exporter.child.pid, SIGKILL);
		}
		ck_assert_uint_ge(n, 10);
		EXPECT(DOCA_ERROR_IO_FAILED, use.status);
		EXPECT(DOCA_ERROR_IO_FAILED, write_at(0, LEN));
		lab_kill(&exporter.child);
		exporter.child.pid = 0;
		close_all(LAB_HOST);
	}
}
END_TEST

static void importer_that_copies(int sock, void *arg)
{
	exporter.exported = *(const struct exported *)arg;
	importer_open(LAB_HOST);
	import();
	for (unsigned n = 0;; n++) {
		EXPECT(DOCA_SUCCESS, read_at(0, LEN));
		if (n == 5)
			lab_signal(sock);
	}
}

START_TEST(importer_killed)
{
	const struct exporter_options options = {.memory = MEMORY_MALLOC,
						 .len = LEN,
						 .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	exporter_start(&exporter, &lab, &options);
	for (int round = 0; round < 3; round++) {
		struct lab_child importer = lab_fork(&lab, LAB_DPU, importer_that_copies,
						     &exporter.exported);

		lab_wait(importer.sock);
		lab_kill(&importer);
		lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, AWAIT_MS);
	}
	/* The exporter serves the next importer. */
	importer_open(LAB_HOST);
	import();
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	ck_assert(use_is_filled(mine, LEN, 1));
	close_all(LAB_HOST);
}
END_TEST

/* The link is lost by the end of the other daemon, or the importer's own daemon ends. */
START_TEST(a_daemon_goes)
{
	enum lab_side side = _i & 1 ? LAB_DPU : LAB_HOST;
	unsigned n = 0;

	open_default(MEMORY_MALLOC);
	while (read_at(0, LEN) == DOCA_SUCCESS) {
		if (++n != 10)
			continue;
		if (_i & 2)
			lab_kill_daemon(&lab, side);
		else
			lab_stop_daemon(&lab, side);
	}
	ck_assert_uint_ge(n, 10);
	EXPECT(DOCA_ERROR_IO_FAILED, use.status);
	lab_start_daemon(&lab, side);
	use_mmap_end(remote);
	remote = NULL;
	/* A descriptor names the daemon that issued it. */
	if (side == LAB_HOST) {
		exporter_stop_map(&exporter);
		exporter_export_again(&exporter);
	}
	import();
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	ck_assert(use_is_filled(mine, LEN, 1));
	close_all(LAB_HOST);
}
END_TEST

/*
 * The importer's daemon restarts and counts from the start: an earlier id, which another import has
 * now, is not used for a call.
 */
START_TEST(an_import_of_an_earlier_daemon)
{
	const struct exporter_options options = {.memory = MEMORY_MALLOC,
						 .len = LEN,
						 .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct exporter another;
	struct doca_mmap *other;

	exporter_start(&another, &lab, &options);
	open_default(MEMORY_MALLOC);
	if (_i)
		lab_kill_daemon(&lab, LAB_DPU);
	else
		lab_stop_daemon(&lab, LAB_DPU);
	lab_start_daemon(&lab, LAB_DPU);
	OK(doca_mmap_create_from_export(NULL, another.exported.desc, another.exported.desc_len, dev,
					&other));
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, 64));
	expect_sentence("import the memory again");
	use_mmap_end(remote);
	import();
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	ck_assert(use_is_filled(mine, LEN, 1));
	EXPECT(DOCA_SUCCESS, use_copy(&use, other, another.exported.addr, local, mine, LEN));
	use_mmap_end(other);
	exporter_end(&another);
	close_all(LAB_HOST);
}
END_TEST

/* Copies fail until the daemons are linked, and for a moment afterwards. */
static void await_reached(void)
{
	uint64_t until = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;

	memset(mine, 0, sizeof(mine));
	while (read_at(0, LEN) != DOCA_SUCCESS) {
		ck_assert_msg(clock_now_ns() < until, "the import is not reached again");
		lab_listen(&lab);
	}
	ck_assert(use_is_filled(mine, LEN, 1));
}

/* Breaks only the link, by the host's configuration. */
static void break_link(void)
{
	tls_lab_configure_host(&tls, "host", "nobody", "timeout_ms = 60000\n");
	lab_reload(&lab, LAB_HOST, tls.config[LAB_HOST]);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 0, AWAIT_MS);
	tls_lab_configure_host(&tls, "host", "dpu", "timeout_ms = 60000\n");
}

static void restore_link(void)
{
	lab_reload(&lab, LAB_HOST, tls.config[LAB_HOST]);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, AWAIT_MS);
}

/* The same import is accessible again, from either side. */
START_TEST(the_link_breaks)
{
	const struct exporter_options options = {
		.memory = MEMORY_MALLOC,
		.len = LEN,
		.rdma = true,
		.permissions = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE,
		.side = _i ? LAB_DPU : LAB_HOST,
	};

	open_all(&options);
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	for (int round = 0; round < 2; round++) {
		break_link();
		/* The copy during which the link breaks, and one that starts a new call. */
		EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
		EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
		restore_link();
		await_reached();
		EXPECT(DOCA_SUCCESS, write_at(0, LEN));
	}
	/* The end of the export is reported over the new link. */
	exporter_stop_map(&exporter);
	lab_await_log(&lab, _i ? LAB_HOST : LAB_DPU, "has lost its export", AWAIT_MS);
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
	close_all(options.side);
}
END_TEST

/* An end during the break is detected. */
START_TEST(the_export_ends_meanwhile)
{
	uint64_t until;

	open_default(MEMORY_MALLOC);
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	break_link();
	exporter_stop_map(&exporter);
	restore_link();
	until = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
	while (!lab_log_has(&lab, LAB_DPU, "has lost its export")) {
		ck_assert_uint_lt(clock_now_ns(), until);
		EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
	}
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
	close_all(LAB_HOST);
}
END_TEST

/*
 * More imports than the link accepts at once, a number that is small with few descriptors. Each is
 * granted again, so that each is notified of the end.
 */
START_TEST(many_imports)
{
	struct doca_mmap *all[N_IMPORTS];
	uint64_t until;

	open_default(MEMORY_MALLOC);
	for (unsigned i = 0; i < N_IMPORTS; i++)
		OK(doca_mmap_create_from_export(NULL, exporter.exported.desc,
						exporter.exported.desc_len, dev, &all[i]));
	break_link();
	restore_link();
	await_reached();
	exporter_stop_map(&exporter);
	until = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
	while (tls_lab_count_log(&lab, LAB_DPU, "has lost its export") < N_IMPORTS + 1) {
		ck_assert_uint_lt(clock_now_ns(), until);
		lab_listen(&lab);
		poll(NULL, 0, 20);
	}
	ck_assert_uint_eq(tls_lab_count_log(&lab, LAB_DPU, "lost the link"), 1);
	for (unsigned i = 0; i < N_IMPORTS; i++)
		use_mmap_end(all[i]);
	close_all(LAB_HOST);
}
END_TEST

/* The exporter is idle and makes no call. Its daemon continues with the saved state. */
START_TEST(the_daemon_is_resumed)
{
	unsigned n = 0;

	open_default(MEMORY_MALLOC);
	for (int round = 0; round < 2; round++) {
		while (read_at(0, LEN) == DOCA_SUCCESS) {
			if (++n % 5 != 0)
				continue;
			if (_i)
				lab_kill_daemon(&lab, LAB_HOST);
			else
				lab_stop_daemon(&lab, LAB_HOST);
		}
		EXPECT(DOCA_ERROR_IO_FAILED, use.status);
		lab_start_daemon(&lab, LAB_HOST);
		lab_await_log(&lab, LAB_HOST, "resumed 1 client, 1 export", AWAIT_MS);
		await_reached();
		EXPECT(DOCA_SUCCESS, write_at(0, LEN));
	}
	/* Through the resumed daemon the end of the export is reported as before. */
	exporter_stop_map(&exporter);
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
	close_all(LAB_HOST);
}
END_TEST

/* The same for this process: none of its actions fails. */
START_TEST(the_importers_daemon_is_resumed)
{
	const struct exporter_options options = {
		.memory = MEMORY_MALLOC,
		.len = LEN,
		.rdma = true,
		.permissions = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE,
		.side = _i / 2 ? LAB_DPU : LAB_HOST,
	};
	enum lab_side ours = _i / 2 ? LAB_HOST : LAB_DPU;

	unsetenv("DOCOCORED_RELAY_WAIT_MS");
	open_all(&options);
	for (int round = 0; round < 2; round++) {
		EXPECT(DOCA_SUCCESS, read_at(0, LEN));
		if (_i % 2)
			lab_kill_daemon(&lab, ours);
		else
			lab_stop_daemon(&lab, ours);
		lab_start_daemon(&lab, ours);
		lab_await_log(&lab, ours, "resumed 1 client, 0 exports, 1 import", AWAIT_MS);
		EXPECT(DOCA_SUCCESS, read_at(0, LEN));
		EXPECT(DOCA_SUCCESS, write_at(0, LEN));
	}
	ck_assert_uint_eq(tls_lab_count_log(&lab, ours, " is copy_test"), 1);
	exporter_stop_map(&exporter);
	lab_await_log(&lab, ours, "has lost its export", AWAIT_MS);
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
	close_all(options.side);
}
END_TEST

/* The exporter's daemon is linked long before the exporter has registered again. */
START_TEST(the_exporter_comes_back_late)
{
	uint64_t until;

	open_default(MEMORY_MALLOC);
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	lab_freeze(exporter.child.pid);
	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	lab_await_log(&lab, LAB_HOST, "resumed 0 clients", AWAIT_MS);
	until = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
	while (!lab_log_has(&lab, LAB_DPU, "is not granted again")) {
		ck_assert_uint_lt(clock_now_ns(), until);
		EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
	}
	/* One of these two reads certainly gets an answer. */
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
	lab_thaw(exporter.child.pid);
	await_reached();
	EXPECT(DOCA_SUCCESS, write_at(0, LEN));
	exporter_stop_map(&exporter);
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, LEN));
	close_all(LAB_HOST);
}
END_TEST

/* The program sleeps on the handle while everything on the other side is stopped, then gone. */
START_TEST(other_machine_is_switched_off)
{
	struct doca_buf *src, *dst;
	doca_notification_handle_t handle;
	unsigned n = 0;

	open_default(MEMORY_MALLOC);
	EXPECT(DOCA_SUCCESS, read_at(0, LEN));
	OK(doca_pe_get_notification_handle(use.pe, &handle));
	lab_freeze(lab.daemons[LAB_HOST].pid);
	src = use_src(&use, remote, exporter.exported.addr, LEN);
	dst = use_dst(&use, local, mine, LEN);
	OK(doca_task_submit(use_task(&use, src, dst)));
	tls_lab_set_timeout(&tls, &lab, LAB_DPU, 200);
	while (use.n_failed == 0) {
		struct pollfd p = {.fd = (int)handle, .events = POLLIN};

		if (doca_pe_progress(use.pe))
			continue;
		OK(doca_pe_request_notification(use.pe));
		ck_assert_int_eq(poll(&p, 1, (int)runner_timeout_ms(AWAIT_MS)), 1);
		OK(doca_pe_clear_notification(use.pe, handle));
		ck_assert_uint_lt(n++, 100000);
	}
	EXPECT(DOCA_ERROR_IO_FAILED, use.status);
	tls_lab_set_timeout(&tls, &lab, LAB_DPU, 60000);
	lab_thaw(lab.daemons[LAB_HOST].pid);
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	use_buf_end(src);
	use_buf_end(dst);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, AWAIT_MS);
	close_all(LAB_HOST);
}
END_TEST

/* A stopped exporter delays its importers, and no other process. */
START_TEST(stopped_exporter_delays_only_its_importers)
{
	const struct exporter_options options = {.memory = MEMORY_MALLOC,
						 .len = LEN,
						 .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct doca_buf *src[40], *dst[40];
	struct exporter still;
	struct doca_mmap *other;

	exporter_start(&still, &lab, &options);
	open_default(MEMORY_MALLOC);
	OK(doca_mmap_create_from_export(NULL, still.exported.desc, still.exported.desc_len, dev,
					&other));
	EXPECT(DOCA_SUCCESS, use_copy(&use, local, mine, other, still.exported.addr, LEN));
	lab_freeze(still.child.pid);
	/* More bytes than fit on the path. */
	for (size_t i = 0; i < ARRAY_LEN(src); i++) {
		src[i] = use_src(&use, local, mine, LEN);
		dst[i] = use_dst(&use, other, still.exported.addr, LEN);
		OK(doca_task_submit(use_task(&use, src[i], dst[i])));
	}
	for (int i = 0; i < 20; i++) {
		struct doca_buf *from = use_src(&use, remote, exporter.exported.addr, 50000);
		struct doca_buf *to = use_dst(&use, local, mine + 100000, 50000);

		OK(doca_task_submit(use_task(&use, from, to)));
		use_dma_await(&use, 2u + (unsigned)i);
		use_buf_end(from);
		use_buf_end(to);
	}
	lab_thaw(still.child.pid);
	use_dma_await(&use, 21 + ARRAY_LEN(src));
	ck_assert_uint_eq(use.n_failed, 0);
	for (size_t i = 0; i < ARRAY_LEN(src); i++) {
		use_buf_end(src[i]);
		use_buf_end(dst[i]);
	}
	use_mmap_end(other);
	exporter_end(&still);
	close_all(LAB_HOST);
}
END_TEST

/* Stopped during copies: they end, and the context can be started again. */
START_TEST(stopped_meanwhile)
{
	struct doca_buf *src[16], *dst[16];

	open_default(MEMORY_MALLOC);
	for (int round = 0; round < 5; round++) {
		unsigned n_before = use.n_ok + use.n_failed;

		for (size_t i = 0; i < ARRAY_LEN(src); i++) {
			src[i] = use_src(&use, remote, exporter.exported.addr, LEN);
			dst[i] = use_dst(&use, local, mine, LEN);
			OK(doca_task_submit(use_task(&use, src[i], dst[i])));
		}
		use_dma_await(&use, n_before + (unsigned)round);
		EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(use.ctx));
		use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
		ck_assert_uint_eq(use.n_ok + use.n_failed, n_before + ARRAY_LEN(src));
		OK(doca_ctx_start(use.ctx));
		for (size_t i = 0; i < ARRAY_LEN(src); i++) {
			use_buf_end(src[i]);
			use_buf_end(dst[i]);
		}
		EXPECT(DOCA_SUCCESS, read_at(0, LEN));
		ck_assert(use_is_filled(mine, LEN, 1));
	}
	close_all(LAB_HOST);
}
END_TEST

/* One destination: all copies but the first wait for it. The stop ends them all. */
START_TEST(stopped_behind_another)
{
	struct doca_buf *src[16], *dst;
	doca_error_t result;

	open_default(MEMORY_MALLOC);
	dst = use_dst(&use, local, mine, LEN);
	for (size_t i = 0; i < ARRAY_LEN(src); i++) {
		src[i] = use_src(&use, remote, exporter.exported.addr, LEN);
		OK(doca_task_submit(use_task(&use, src[i], dst)));
	}
	for (size_t i = 0; i < ARRAY_LEN(src); i++)
		doca_pe_progress(use.pe);
	result = doca_ctx_stop(use.ctx);
	ck_assert(result == DOCA_ERROR_IN_PROGRESS || result == DOCA_SUCCESS);
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(use.n_ok + use.n_failed, ARRAY_LEN(src));
	OK(doca_ctx_start(use.ctx));
	for (size_t i = 0; i < ARRAY_LEN(src); i++)
		use_buf_end(src[i]);
	use_buf_end(dst);
	close_all(LAB_HOST);
}
END_TEST

/* --- missing resources --- */

static void setup_low_quota(void)
{
	start("timeout_ms = 60000\n", "timeout_ms = 60000\n[quota]\nbytes = 400000\n", 0);
}

START_TEST(streams_are_charged)
{
	open_default(MEMORY_MALLOC);
	EXPECT(DOCA_ERROR_IO_FAILED, read_at(0, 64));
	expect_sentence("the exporter of the memory cannot be reached");
	close_all(LAB_HOST);
}
END_TEST

static void setup_short_timeout(void)
{
	start(TLS_LAB_SILENCE, "timeout_ms = 60000\n", 0);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "copies");

	/* Eight exporters, one after the other. */
	tcase_set_timeout(tcase, 2 * RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, every_memory_for_pci);
	tcase_add_loop_test(tcase, every_memory_for_rdma, 0, LAB_N_SIDES);
	tcase_add_test(tcase, many_in_flight);
	tcase_add_test(tcase, woken_by_completions);
	tcase_add_test(tcase, stopped_meanwhile);
	tcase_add_test(tcase, stopped_behind_another);

	tcase = runner_case(suite, "refusals");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, not_for_everything);
	tcase_add_test(tcase, revoked);

	tcase = runner_case(suite, "ends");
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, exporter_killed, 0, 2);
	tcase_add_test(tcase, importer_killed);
	tcase_add_loop_test(tcase, a_daemon_goes, 0, 4);
	tcase_add_loop_test(tcase, an_import_of_an_earlier_daemon, 0, 2);
	tcase_add_test(tcase, stopped_exporter_delays_only_its_importers);
	tcase_add_loop_test(tcase, the_link_breaks, 0, 2);
	tcase_add_test(tcase, the_export_ends_meanwhile);

	tcase = runner_case(suite, "restarts");
	tcase_add_checked_fixture(tcase, setup_persisted, teardown);
	tcase_add_loop_test(tcase, the_daemon_is_resumed, 0, 2);
	tcase_add_loop_test(tcase, the_importers_daemon_is_resumed, 0, 4);

	tcase = runner_case(suite, "many");
	tcase_add_checked_fixture(tcase, setup_few_fds, teardown);
	tcase_add_test(tcase, many_imports);

	tcase = runner_case(suite, "late");
	tcase_add_checked_fixture(tcase, setup_full_store, teardown);
	tcase_add_test(tcase, the_exporter_comes_back_late);

	tcase = runner_case(suite, "silence");
	tcase_add_checked_fixture(tcase, setup_short_timeout, teardown);
	tcase_add_test(tcase, other_machine_is_switched_off);

	tcase = runner_case(suite, "quotas");
	tcase_add_checked_fixture(tcase, setup_low_quota, teardown);
	tcase_add_test(tcase, streams_are_charged);
}

int main(void)
{
	lab_require();
	return runner_main("remote copy", add_cases, NULL);
}
