/*
 * Core objects between two processes that are connected by RDMA devices: memory that a process of
 * the host exports, and DMA tasks of a process on the DPU's side, on one machine or on two. The
 * exporter never calls progress: it sleeps while its memory is read and written.
 *
 *   core_test server CASE
 *   core_test client CASE ADDRESS    IPv4, of the server
 *
 * removed_a, removed_b: the script that runs this removes the device of the exporter, or of the
 * importer.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <dococ.h>

#include "tests/vm/base.h"

#define LEN     (8u << 20)
#define N_TASKS 16u
#define MAX_LEN (2u << 20)

static struct {
	bool is_server, is_asleep, is_second;
	int sock;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf_inventory *inventory;
	uint8_t *memory;
	struct doca_mmap *mmap, *remote;
	uint8_t *remote_addr;
	uint8_t desc[DESC_MAX];
	size_t desc_len;
	unsigned n_submitted, n_ended, n_failed;
	doca_error_t status; /* of the latest failed task */
	doca_error_t first;  /* of the first failed task */
} end;

/* --- ends --- */

static void server_open(const char *name)
{
	bool is_rdma = strncmp(name, "rdma", 4) == 0;
	uint32_t rights = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
	const void *desc;
	size_t len;

	rights |= is_rdma ? DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE
		  : strcmp(name, "read_only") == 0 ? DOCA_ACCESS_FLAG_PCI_READ_ONLY
						   : DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	end.memory = base_memory_new(end.dev, LEN, rights, &end.mmap);
	if (is_rdma)
		OK(doca_mmap_export_rdma(end.mmap, end.dev, &desc, &len));
	else
		OK(doca_mmap_export_pci(end.mmap, end.dev, &desc, &len));
	check(len <= sizeof(end.desc), "%zu", len);
	memcpy(end.desc, desc, len);
	end.desc_len = len;
	base_put_desc(end.sock, desc, len);
}

static void task_ok(struct doca_dma_task_memcpy *task, union doca_data user, union doca_data ctx)
{
	(void)ctx;
	end.n_ended++;
	OK(doca_buf_dec_refcount(user.ptr, NULL));
	OK(doca_buf_dec_refcount((struct doca_buf *)doca_dma_task_memcpy_get_src(task), NULL));
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void task_failed(struct doca_dma_task_memcpy *task, union doca_data user,
			union doca_data ctx)
{
	end.status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	if (end.n_failed++ == 0)
		end.first = end.status;
	task_ok(task, user, ctx);
}

static void dma_open(void)
{
	OK(doca_dma_create(end.dev, &end.dma));
	end.ctx = doca_dma_as_ctx(end.dma);
	OK(doca_dma_task_memcpy_set_conf(end.dma, task_ok, task_failed, N_TASKS));
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_ctx_start(end.ctx));
}

static void import_memory(const char *transport)
{
	size_t len;

	OK(doca_mmap_create_from_export(NULL, end.desc, end.desc_len, end.dev, &end.remote));
	OK(doca_mmap_get_memrange(end.remote, (void **)&end.remote_addr, &len));
	check(len == LEN, "%zu", len);
	check(strcmp(dococ_mmap_get_transport(end.remote), transport) == 0, "transport %s",
	      dococ_mmap_get_transport(end.remote));
}

static void client_open(const char *transport)
{
	end.memory = base_memory_new(end.dev, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &end.mmap);
	OK(doca_pe_create(&end.pe));
	OK(doca_buf_inventory_create(4 * N_TASKS, &end.inventory));
	OK(doca_buf_inventory_start(end.inventory));
	end.desc_len = base_get_desc(end.sock, end.desc);
	import_memory(transport);
	dma_open();
}

static void await(unsigned n)
{
	base_await(end.pe, &end.n_ended, n, end.is_asleep);
}

static void end_close(void)
{
	if (!end.is_server) {
		base_ctx_stop(end.pe, end.ctx);
		OK(doca_dma_destroy(end.dma));
		OK(doca_pe_destroy(end.pe));
		OK(doca_buf_inventory_destroy(end.inventory));
		OK(doca_mmap_destroy(end.remote));
	}
	OK(doca_mmap_destroy(end.mmap));
	OK(doca_dev_close(end.dev));
	free(end.memory);
}

/* --- copies --- */

static void submit(bool is_write, size_t at, size_t remote_at, size_t len)
{
	struct doca_mmap *from = is_write ? end.mmap : end.remote;
	struct doca_mmap *to = is_write ? end.remote : end.mmap;
	uint8_t *src = is_write ? end.memory + at : end.remote_addr + remote_at;
	uint8_t *dst = is_write ? end.remote_addr + remote_at : end.memory + at;
	struct doca_buf *src_buf, *dst_buf;
	struct doca_dma_task_memcpy *task;

	OK(doca_buf_inventory_buf_get_by_data(end.inventory, from, src, len, &src_buf));
	OK(doca_buf_inventory_buf_get_by_addr(end.inventory, to, dst, len, &dst_buf));
	OK(doca_dma_task_memcpy_alloc_init(end.dma, src_buf, dst_buf,
					   (union doca_data){.ptr = dst_buf}, &task));
	OK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	end.n_submitted++;
}

static doca_error_t run(bool is_write, size_t at, size_t remote_at, size_t len)
{
	unsigned before = end.n_ended, failed = end.n_failed;

	submit(is_write, at, remote_at, len);
	await(before + 1);
	return end.n_failed > failed ? end.status : DOCA_SUCCESS;
}

static const size_t sizes[] = {1, 7, 64, 4096, 4097, 65536, 100001, 1u << 20, MAX_LEN - 3};

/*
 * Writes to all of the peer's memory, then reads it back to another place; the peer checks it too.
 */
static void case_copies(void)
{
	size_t at = 0;

	meet_step(end.sock);
	if (!end.is_server) {
		base_fill(end.memory, 0, LEN / 2, 1);
		for (size_t i = 0; i < ARRAY_LEN(sizes); at += sizes[i++])
			submit(true, at, at, sizes[i]);
		check(at <= LEN / 2, "%zu", at);
		await(ARRAY_LEN(sizes));
		check(end.n_failed == 0, "%s: %s", doca_error_get_name(end.status),
		      dococ_last_error());
		at = 0;
		for (size_t i = 0; i < ARRAY_LEN(sizes); at += sizes[i++])
			submit(false, LEN / 2 + at, at, sizes[i]);
		await(2 * ARRAY_LEN(sizes));
		check(end.n_failed == 0, "%s: %s", doca_error_get_name(end.status),
		      dococ_last_error());
		check(memcmp(end.memory, end.memory + LEN / 2, at) == 0, "wrong bytes");
		printf("%zu bytes there and back\n", at);
	}
	meet_step(end.sock);
	for (size_t i = 0; i < ARRAY_LEN(sizes) && end.is_server; at += sizes[i++])
		base_verify(end.memory, at, sizes[i], 1);
	meet_step(end.sock);
}

/* A context that is stopped and started again reconnects. */
static void case_again(void)
{
	case_copies();
	if (!end.is_server) {
		base_ctx_stop(end.pe, end.ctx);
		OK(doca_ctx_start(end.ctx));
		end.n_ended = end.n_submitted = 0;
	}
	case_copies();
}

static void is_refused(doca_error_t code)
{
	doca_error_t result = run(true, 0, 0, 4096);

	check(result == code, "%s", doca_error_get_name(result));
	printf("refused: %s\n", dococ_last_error());
}

static void read_only(void)
{
	if (end.is_server)
		base_fill(end.memory, 0, 4096, 3);
	meet_step(end.sock);
	if (!end.is_server) {
		OK(run(false, 0, 0, 4096));
		base_verify(end.memory, 0, 4096, 3);
		base_fill(end.memory, 0, 4096, 4);
		is_refused(DOCA_ERROR_NOT_PERMITTED);
	}
	meet_step(end.sock);
	if (end.is_server)
		base_verify(end.memory, 0, 4096, 3);
}

static void ends_by(void (*act)(void))
{
	meet_step(end.sock);
	if (!end.is_server) {
		base_fill(end.memory, 0, 4096, 5);
		OK(run(true, 0, 0, 4096));
	}
	meet_step(end.sock);
	if (end.is_server)
		act();
	meet_step(end.sock);
	if (!end.is_server) {
		base_fill(end.memory, 0, 4096, 6);
		is_refused(DOCA_ERROR_IO_FAILED);
	}
	meet_step(end.sock);
	if (end.is_server)
		base_verify(end.memory, 0, 4096, 5);
}

/* --- the exporter stops at once when the awaited data arrives; the acknowledgement is lost --- */

#define N_LEAVES 2u
#define LAST     4095u /* the byte that is written last */

static void await_last_and_unmap(unsigned i)
{
	volatile const uint8_t *last = end.memory + LAST;
	time_t until = time(NULL) + TIMEOUT_S;
	const void *desc;
	size_t len;

	if (i > 0) {
		OK(doca_mmap_start(end.mmap));
		OK(doca_mmap_export_pci(end.mmap, end.dev, &desc, &len));
		base_put_desc(end.sock, desc, len);
	}
	meet_step(end.sock);
	meet_disconnect_network();
	meet_send_by_process();
	while (*last == 0)
		check(time(NULL) < until, "nothing is written");
	meet_join_network();
	OK(doca_mmap_stop(end.mmap));
	base_verify(end.memory, 0, LAST + 1, 5);
	memset(end.memory, 0, LAST + 1);
}

/* Returns false if the write failed here although the other end has received it. */
static bool write_last(unsigned i)
{
	doca_error_t result;

	if (i > 0) {
		OK(doca_mmap_destroy(end.remote));
		end.desc_len = base_get_desc(end.sock, end.desc);
		import_memory("verbs");
	}
	/* The connection is established before the network is cut. */
	OK(run(false, LEN / 2, 0, 64));
	meet_step(end.sock);
	meet_await_other_process();
	result = run(true, 0, 0, LAST + 1);
	if (result != DOCA_SUCCESS) {
		base_ctx_stop(end.pe, end.ctx);
		OK(doca_ctx_start(end.ctx));
	}
	return result == DOCA_SUCCESS;
}

static void case_leaves(void)
{
	unsigned n_lost = 0;

	if (!end.is_server)
		base_fill(end.memory, 0, LAST + 1, 5);
	for (unsigned i = 0; i < N_LEAVES; i++) {
		if (end.is_server)
			await_last_and_unmap(i);
		else
			n_lost += !write_last(i);
		meet_step(end.sock);
	}
	printf("%u of %u that were written have failed\n", n_lost, N_LEAVES);
	check(n_lost == 0, "%s", dococ_last_error());
}

static void stop_mmap(void)
{
	OK(doca_mmap_stop(end.mmap));
}

/* An operator revokes the export: the script does it on request. */
static void await_revoke(void)
{
	meet_send("revoke it");
	meet_await_notified();
}

static void await_idle(void)
{
	enum doca_ctx_states state;
	time_t until = time(NULL) + TIMEOUT_S;

	do {
		(void)doca_pe_progress(end.pe);
		OK(doca_ctx_get_state(end.ctx, &state));
		check(time(NULL) < until, "the context does not stop: state %d", (int)state);
	} while (state != DOCA_CTX_STATE_IDLE);
}

/* Keeps many copies in flight until one fails. All complete. */
static void copy_until_refused(void)
{
	time_t until = time(NULL) + TIMEOUT_S;

	base_fill(end.memory, 0, LEN, 5);
	while (end.n_failed == 0) {
		size_t at = end.n_submitted % N_TASKS * 65536;

		if (end.n_submitted < end.n_ended + N_TASKS - 1) {
			submit(true, at, at, 65536);
			if (end.n_submitted == 2 * N_TASKS) {
				meet_put(end.sock, "u", 1);
				meet_send("ready");
			}
		}
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "%u copies", end.n_ended);
	}
	await(end.n_submitted);
	/* Copies that had not started end with the context, which stops. */
	check(end.first == DOCA_ERROR_IO_FAILED &&
		      (end.status == DOCA_ERROR_IO_FAILED || end.status == DOCA_ERROR_SHUTDOWN),
	      "%s, %s", doca_error_get_name(end.first), doca_error_get_name(end.status));
	printf("%u copies, then %u failed\n", end.n_ended - end.n_failed, end.n_failed);
	await_idle();
}

/*
 * The export ends while copies are in flight. Data that the exporter writes afterwards is not
 * overwritten.
 */
static void ends_in_flight(void (*act)(void), bool is_at_once)
{
	uint8_t mark;

	meet_step(end.sock);
	if (end.is_server) {
		meet_get(end.sock, &mark, 1);
		act();
		if (is_at_once)
			base_fill(end.memory, 0, LEN, 77);
	} else {
		copy_until_refused();
	}
	meet_step(end.sock);
	/* A revocation does not report when the device has stopped access; at this point it has. */
	if (end.is_server && !is_at_once)
		base_fill(end.memory, 0, LEN, 77);
	meet_step(end.sock);
	for (unsigned i = 0; i < 2 && !end.is_server; i++) {
		OK(doca_ctx_start(end.ctx));
		is_refused(DOCA_ERROR_IO_FAILED);
		await_idle();
	}
	meet_step(end.sock);
	if (end.is_server)
		base_verify(end.memory, 0, LEN, 77);
}

/*
 * The device of one end is removed while copies are in flight. They fail, and no other path is
 * used.
 */
static void case_removed(bool is_importers)
{
	uint8_t mark;
	const void *desc;
	size_t len;
	doca_error_t result;

	meet_step(end.sock);
	if (end.is_server) {
		meet_get(end.sock, &mark, 1);
		meet_send("ready");
	} else {
		copy_until_refused();
		printf("as it should be: %s\n", dococ_last_error());
		result = doca_ctx_start(end.ctx);
		check(!is_importers || result != DOCA_SUCCESS,
		      "it starts on a device that is gone");
		if (result == DOCA_SUCCESS) {
			is_refused(DOCA_ERROR_IO_FAILED);
			await_idle();
		}
	}
	meet_step(end.sock);
	if (end.is_server && !is_importers) {
		result = doca_mmap_export_pci(end.mmap, end.dev, &desc, &len);
		check(result != DOCA_SUCCESS, "it is exported on a device that is gone");
		printf("as it should be: %s\n", dococ_last_error());
	}
}

/* --- queue pairs --- */

#define N_MAPS 3u

/*
 * Counts the queue pairs of this process, connected or not. The kernel reports the thread that
 * created each.
 */
static unsigned count_qps(void)
{
	char command[128], line[256], path[64];
	const char *thread;
	unsigned n = 0;
	FILE *f;

	snprintf(command, sizeof(command), "rdma resource show qp link %s",
		 getenv("VERBS_TEST_DEVICE"));
	f = popen(command, "re");
	check(f != NULL, "%m");
	while (fgets(line, sizeof(line), f) != NULL) {
		thread = strstr(line, " pid ");
		if (thread == NULL)
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%lu",
			 strtoul(thread + strlen(" pid "), NULL, 10));
		n += access(path, F_OK) == 0;
	}
	check(pclose(f) == 0, "%s", command);
	return n;
}

/* Imports of one process share the queue pair of the context that uses them. */
static void shared_client(void)
{
	struct doca_mmap *maps[N_MAPS + 1] = {end.remote};
	size_t len;
	struct doca_dma *first = end.dma;
	struct doca_ctx *first_ctx = end.ctx;

	for (unsigned i = 0; i <= N_MAPS; i++) {
		if (i > 0) {
			end.desc_len = base_get_desc(end.sock, end.desc);
			import_memory("verbs");
			maps[i] = end.remote;
		}
		OK(run(false, 0, 0, 4096));
		base_verify(end.memory, 0, 4096, i);
		check(count_qps() == 1, "%u queue pairs with %u maps", count_qps(), i + 1);
	}
	/* Each context has its own queue pair, because contexts may belong to different threads. */
	dma_open();
	for (unsigned i = 0; i <= N_MAPS; i++) {
		OK(doca_mmap_get_memrange(maps[i], (void **)&end.remote_addr, &len));
		end.remote = maps[i];
		OK(run(false, 0, 0, 4096));
		base_verify(end.memory, 0, 4096, i);
		check(count_qps() == 2, "%u queue pairs of two contexts", count_qps());
	}
	meet_step(end.sock);
	meet_step(end.sock);
	base_ctx_stop(end.pe, end.ctx);
	OK(doca_dma_destroy(end.dma));
	check(count_qps() == 1, "%u queue pairs of one context", count_qps());
	end.dma = first;
	end.ctx = first_ctx;
	for (unsigned i = 1; i <= N_MAPS; i++)
		OK(doca_mmap_destroy(maps[i]));
	end.remote = maps[0];
	OK(doca_mmap_get_memrange(end.remote, (void **)&end.remote_addr, &len));
	OK(run(false, 0, 0, 4096));
	base_verify(end.memory, 0, 4096, 0);
}

static void shared_server(void)
{
	struct doca_mmap *maps[N_MAPS];
	uint8_t *memory[N_MAPS];
	time_t until = time(NULL) + TIMEOUT_S;
	const void *desc;
	size_t len;

	for (unsigned i = 0; i < N_MAPS; i++) {
		memory[i] = base_memory_new(end.dev, LEN,
					    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
						    DOCA_ACCESS_FLAG_PCI_READ_WRITE,
					    &maps[i]);
		base_fill(memory[i], 0, 4096, i + 1);
		OK(doca_mmap_export_pci(maps[i], end.dev, &desc, &len));
		base_put_desc(end.sock, desc, len);
	}
	meet_step(end.sock);
	check(count_qps() == 2, "%u queue pairs for two contexts", count_qps());
	meet_step(end.sock);
	while (count_qps() != 1)
		check(time(NULL) < until, "%u queue pairs for one context", count_qps());
	for (unsigned i = 0; i < N_MAPS; i++) {
		OK(doca_mmap_destroy(maps[i]));
		free(memory[i]);
	}
}

static void case_shared(void)
{
	if (end.is_server)
		base_fill(end.memory, 0, 4096, 0);
	meet_step(end.sock);
	if (end.is_server)
		shared_server();
	else
		shared_client();
}

/* The exporter is killed during transfers: every task completes, and none hangs. */
static void case_killed(void)
{
	meet_step(end.sock);
	if (!end.is_server) {
		OK(run(true, 0, 0, 4096));
		for (unsigned i = 0; i < N_TASKS - 1; i++)
			submit(i % 2, i * 4096, 0, MAX_LEN);
		(void)doca_pe_progress(end.pe);
	}
	meet_step(end.sock);
	if (end.is_server)
		raise(SIGKILL);
	await(N_TASKS);
	check(end.n_failed > 0, "none failed");
	printf("%u done, %u failed: %s\n", end.n_ended - end.n_failed, end.n_failed,
	       dococ_last_error());
}

static void read_one(unsigned i)
{
	size_t at = i % 7 * 65536;

	memset(end.memory, 0, 65536);
	OK(run(false, at, at, 65536));
	base_verify(end.memory, at, 65536, 9);
}

/* The importer is killed: the exporter keeps nothing of it and accepts another one. */
static void importer_killed(void)
{
	time_t until;

	if (end.is_server) {
		base_fill(end.memory, 0, LEN, 9);
		meet_step(end.sock);
		meet_step(end.sock);
		check(count_qps() == 1, "%u queue pairs for one context", count_qps());
		meet_step(end.sock);
		until = time(NULL) + TIMEOUT_S;
		while (count_qps() != 0)
			check(time(NULL) < until, "a queue pair for nobody");
		base_put_desc(end.sock, end.desc, end.desc_len);
		meet_step(end.sock);
		return;
	}
	if (!end.is_second) {
		meet_step(end.sock);
		OK(run(false, 0, 0, 4096));
		meet_step(end.sock);
		for (unsigned i = 0; i < N_TASKS; i++)
			submit(false, i * 4096, 0, MAX_LEN);
		(void)doca_pe_progress(end.pe);
		meet_step(end.sock);
		raise(SIGKILL);
	}
	read_one(0);
	meet_step(end.sock);
}

/* Reads until the script has done its part. It starts when it sees the word. */
static void read_until_notified(const char *word)
{
	unsigned n = 0;

	while (!meet_is_notified()) {
		read_one(n);
		if (++n == 1)
			meet_send(word);
	}
	printf("%u reads\n", n);
}

/* The network is cut and restored during the reads, which continue afterwards. */
static void case_cut(void)
{
	if (end.is_server)
		base_fill(end.memory, 0, LEN, 9);
	meet_step(end.sock);
	if (!end.is_server)
		read_until_notified("ready");
	meet_step(end.sock);
}

/* The importer's daemon is killed and replaced during the reads. */
static void case_restarted(void)
{
	struct doca_mmap *of_first = end.remote, *refused;

	if (end.is_server)
		base_fill(end.memory, 0, LEN, 9);
	meet_step(end.sock);
	if (!end.is_server) {
		read_until_notified("ready");
		FAILS(DOCA_ERROR_NOT_CONNECTED,
		      doca_mmap_create_from_export(NULL, end.desc, end.desc_len, end.dev,
						   &refused));
		read_until_notified("goes on");
		read_one(0);
		/*
		 * An import through the new daemon: over the existing connection, then over a new
		 * one.
		 */
		import_memory("verbs");
		read_one(1);
		base_ctx_stop(end.pe, end.ctx);
		OK(doca_ctx_start(end.ctx));
		read_one(2);
		OK(doca_mmap_destroy(of_first));
		read_one(3);
	}
	meet_step(end.sock);
}

/* The network is cut for longer than the retries, or the other machine is switched off. */
static void case_lost(bool is_off)
{
	doca_error_t result = DOCA_SUCCESS;
	uint64_t begun_ms = 0;

	if (end.is_server)
		base_fill(end.memory, 0, LEN, 9);
	meet_step(end.sock);
	if (end.is_server)
		return;
	OK(run(false, 0, 0, 4096));
	meet_send("ready");
	while (result == DOCA_SUCCESS) {
		begun_ms = base_now_ms();
		result = run(false, 0, 0, 65536);
	}
	check(result == DOCA_ERROR_IO_FAILED, "%s", doca_error_get_name(result));
	base_check_retries(begun_ms);
	printf("as it should be: %s\n", dococ_last_error());
	meet_send("lost");
	if (is_off)
		return;
	meet_await_notified();
	await_idle();
	OK(doca_ctx_start(end.ctx));
	read_one(0);
}

/* An earlier process of this case, which is killed. */
static void await_first_process(void)
{
	int status = 0;
	pid_t pid = fork();

	check(pid >= 0, "%m");
	if (pid == 0)
		return;
	check(waitpid(pid, &status, 0) == pid, "%m");
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %d", status);
	end.is_second = true;
}

int main(int argc, char **argv)
{
	const char *name = argc > 2 ? argv[2] : "";

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: core_test server CASE | core_test client CASE ADDRESS\n");
		return 2;
	}
	end.is_server = strcmp(argv[1], "server") == 0;
	end.is_asleep = strcmp(name, "asleep") == 0;
	end.sock = meet_open(name, end.is_server, argc == 4 ? argv[3] : NULL);
	if (strcmp(name, "importer_killed") == 0 && !end.is_server)
		await_first_process();
	end.dev = base_dev_open(NULL);
	if (end.is_server)
		server_open(name);
	else
		client_open(strcmp(name, "relay") == 0 ? "relay" : "verbs");
	if (strcmp(name, "read_only") == 0)
		read_only();
	else if (strcmp(name, "leaves") == 0)
		case_leaves();
	else if (strcmp(name, "stopped") == 0)
		ends_by(stop_mmap);
	else if (strcmp(name, "revoked") == 0)
		ends_by(await_revoke);
	else if (strcmp(name, "stopped_under_way") == 0)
		ends_in_flight(stop_mmap, true);
	else if (strcmp(name, "revoked_under_way") == 0)
		ends_in_flight(await_revoke, false);
	else if (strncmp(name, "removed_", 8) == 0)
		case_removed(strcmp(name, "removed_b") == 0);
	else if (strcmp(name, "shared") == 0)
		case_shared();
	else if (strcmp(name, "killed") == 0)
		case_killed();
	else if (strcmp(name, "importer_killed") == 0)
		importer_killed();
	else if (strcmp(name, "cut") == 0)
		case_cut();
	else if (strcmp(name, "restarted") == 0)
		case_restarted();
	else if (strcmp(name, "lost") == 0 || strcmp(name, "off") == 0)
		case_lost(strcmp(name, "off") == 0);
	else if (strcmp(name, "again") == 0)
		case_again();
	else
		case_copies();
	if (strcmp(name, "off") == 0 && end.is_server)
		pause();
	if (strcmp(name, "killed") != 0 && strcmp(name, "off") != 0)
		meet_step(end.sock);
	end_close();
	printf("ok: %s\n", name);
	return 0;
}
