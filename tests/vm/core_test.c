/*
 * Core objects between two processes that RDMA devices join: memory that a host's process exports,
 * and DMA tasks of a process on the DPU's side, of one machine or of two. The exporter never
 * progresses anything: it sleeps while its memory is read and written.
 *
 *   core_test server CASE
 *   core_test client CASE ADDRESS    IPv4, of the server
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <dococ.h>

#include "tests/vm/meet.h"

#define LEN      (8u << 20)
#define N_TASKS  16u
#define MAX_LEN  (2u << 20)
#define OK(call) is_ok(call, __LINE__)

static struct {
	bool is_server, is_asleep;
	int sock;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf_inventory *inventory;
	uint8_t *memory;
	struct doca_mmap *mmap, *remote;
	uint8_t *remote_addr;
	unsigned n_ok, n_failed;
	doca_error_t status; /* of the last task that failed */
} end;

static void is_ok(doca_error_t result, int line)
{
	if (result != DOCA_SUCCESS)
		fail(__FILE__, line, "%s: %s", doca_error_get_name(result), dococ_last_error());
}

static uint8_t byte_of(size_t at, unsigned seed)
{
	return (uint8_t)(at * 7 + (at >> 8) * 3 + seed);
}

static void fill(uint8_t *memory, size_t at, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		memory[at + i] = byte_of(at + i, seed);
}

static void verify(const uint8_t *memory, size_t at, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		check(memory[at + i] == byte_of(at + i, seed), "byte %zu", at + i);
}

/* --- ends --- */

static struct doca_dev *dev_open(void)
{
	const char *asked = getenv("VERBS_TEST_DEVICE");
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	for (uint32_t i = 0; i < n && dev == NULL; i++) {
		OK(doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
		if (strcmp(name, asked != NULL ? asked : "mlx5_0") == 0)
			OK(doca_dev_open(list[i], &dev));
	}
	check(dev != NULL, "no device is bound to %s", asked);
	OK(doca_devinfo_destroy_list(list));
	return dev;
}

static void mmap_open(uint32_t rights)
{
	end.memory = aligned_alloc(4096, LEN);
	check(end.memory != NULL, "memory");
	memset(end.memory, 0, LEN);
	OK(doca_mmap_create(&end.mmap));
	OK(doca_mmap_add_dev(end.mmap, end.dev));
	OK(doca_mmap_set_memrange(end.mmap, end.memory, LEN));
	OK(doca_mmap_set_permissions(end.mmap, rights));
	OK(doca_mmap_start(end.mmap));
}

static void server_open(const char *name)
{
	bool is_rdma = strncmp(name, "rdma", 4) == 0;
	const void *desc;
	size_t len;

	mmap_open(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
		  (is_rdma ? DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE
		   : strcmp(name, "read_only") == 0 ? DOCA_ACCESS_FLAG_PCI_READ_ONLY
						    : DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	if (is_rdma)
		OK(doca_mmap_export_rdma(end.mmap, end.dev, &desc, &len));
	else
		OK(doca_mmap_export_pci(end.mmap, end.dev, &desc, &len));
	meet_put(end.sock, &len, sizeof(len));
	meet_put(end.sock, desc, len);
}

static void task_ok(struct doca_dma_task_memcpy *task, union doca_data user, union doca_data ctx)
{
	(void)ctx;
	end.n_ok++;
	OK(doca_buf_dec_refcount(user.ptr, NULL));
	OK(doca_buf_dec_refcount((struct doca_buf *)doca_dma_task_memcpy_get_src(task), NULL));
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void task_failed(struct doca_dma_task_memcpy *task, union doca_data user,
			union doca_data ctx)
{
	end.status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	end.n_failed++;
	end.n_ok--;
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

static void client_open(void)
{
	uint8_t desc[512];
	size_t len;

	mmap_open(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_pe_create(&end.pe));
	OK(doca_buf_inventory_create(4 * N_TASKS, &end.inventory));
	OK(doca_buf_inventory_start(end.inventory));
	meet_get(end.sock, &len, sizeof(len));
	check(len <= sizeof(desc), "%zu", len);
	meet_get(end.sock, desc, len);
	OK(doca_mmap_create_from_export(NULL, desc, len, end.dev, &end.remote));
	OK(doca_mmap_get_memrange(end.remote, (void **)&end.remote_addr, &len));
	check(len == LEN, "%zu", len);
	check(strcmp(dococ_mmap_get_transport(end.remote), "verbs") == 0, "transport %s",
	      dococ_mmap_get_transport(end.remote));
	dma_open();
}

static void progress(void)
{
	doca_notification_handle_t handle;
	struct pollfd p = {.events = POLLIN};

	if (doca_pe_progress(end.pe) || !end.is_asleep)
		return;
	OK(doca_pe_get_notification_handle(end.pe, &handle));
	OK(doca_pe_request_notification(end.pe));
	p.fd = handle;
	check(poll(&p, 1, PATIENCE_S * 1000) == 1, "nothing wakes it");
	OK(doca_pe_clear_notification(end.pe, handle));
}

static void await(unsigned n)
{
	time_t until = time(NULL) + PATIENCE_S;

	while (end.n_ok + end.n_failed < n) {
		progress();
		check(time(NULL) < until, "%u and %u, not %u, in %d s", end.n_ok, end.n_failed, n,
		      PATIENCE_S);
	}
}

static void dma_stop(void)
{
	enum doca_ctx_states state;
	time_t until = time(NULL) + PATIENCE_S;

	(void)doca_ctx_stop(end.ctx);
	do {
		(void)doca_pe_progress(end.pe);
		OK(doca_ctx_get_state(end.ctx, &state));
		check(time(NULL) < until, "state %d after %d s", (int)state, PATIENCE_S);
	} while (state != DOCA_CTX_STATE_IDLE);
}

static void end_close(void)
{
	if (!end.is_server) {
		dma_stop();
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
}

static doca_error_t run(bool is_write, size_t at, size_t remote_at, size_t len)
{
	unsigned before = end.n_ok + end.n_failed, failed = end.n_failed;

	submit(is_write, at, remote_at, len);
	await(before + 1);
	return end.n_failed > failed ? end.status : DOCA_SUCCESS;
}

static const size_t sizes[] = {1, 7, 64, 4096, 4097, 65536, 100001, 1u << 20, MAX_LEN - 3};

/* Writes all over the peer's memory, then reads it back elsewhere; the peer looks at it, too. */
static void copies(void)
{
	size_t at = 0;

	meet_step(end.sock);
	if (!end.is_server) {
		fill(end.memory, 0, LEN / 2, 1);
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
		verify(end.memory, at, sizes[i], 1);
	meet_step(end.sock);
}

/* A context that is stopped and started again connects again. */
static void again(void)
{
	copies();
	if (!end.is_server) {
		dma_stop();
		OK(doca_ctx_start(end.ctx));
		end.n_ok = 0;
	}
	copies();
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
		fill(end.memory, 0, 4096, 3);
	meet_step(end.sock);
	if (!end.is_server) {
		OK(run(false, 0, 0, 4096));
		verify(end.memory, 0, 4096, 3);
		fill(end.memory, 0, 4096, 4);
		is_refused(DOCA_ERROR_NOT_PERMITTED);
	}
	meet_step(end.sock);
	if (end.is_server)
		verify(end.memory, 0, 4096, 3);
}

static void ends_by(void (*act)(void))
{
	meet_step(end.sock);
	if (!end.is_server) {
		fill(end.memory, 0, 4096, 5);
		OK(run(true, 0, 0, 4096));
	}
	meet_step(end.sock);
	if (end.is_server)
		act();
	meet_step(end.sock);
	if (!end.is_server) {
		fill(end.memory, 0, 4096, 6);
		is_refused(DOCA_ERROR_IO_FAILED);
	}
	meet_step(end.sock);
	if (end.is_server)
		verify(end.memory, 0, 4096, 5);
}

static void stop_mmap(void)
{
	OK(doca_mmap_stop(end.mmap));
}

/* By an operator: the script that runs this does what it is asked for. */
static void await_revoke(void)
{
	time_t until = time(NULL) + PATIENCE_S;
	const char *mark = getenv("CORE_TEST_REVOKED");

	check(mark != NULL, "where it is told");
	printf("revoke it\n");
	fflush(stdout);
	while (access(mark, F_OK) != 0) {
		poll(NULL, 0, 20);
		check(time(NULL) < until, "nobody revokes it");
	}
}

/* The exporter is killed in the middle of transfers: each ends, and none hangs. */
static void killed(void)
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
	printf("%u done, %u failed: %s\n", end.n_ok, end.n_failed, dococ_last_error());
}

/* The wire is cut while this goes on, by the script that runs it; the reads go on after that. */
static void cut(void)
{
	time_t until = time(NULL) + 8;
	unsigned n = 0;

	if (end.is_server)
		fill(end.memory, 0, LEN, 9);
	meet_step(end.sock);
	while (!end.is_server && time(NULL) < until) {
		size_t at = n % 7 * 65536;

		memset(end.memory, 0, 65536);
		OK(run(false, at, at, 65536));
		verify(end.memory, at, 65536, 9);
		n++;
		if (n == 1) {
			printf("ready\n");
			fflush(stdout);
		}
	}
	meet_step(end.sock);
	printf("%u reads\n", n);
}

/* It is cut for good. */
static void lost(void)
{
	doca_error_t result = DOCA_SUCCESS;

	meet_step(end.sock);
	if (end.is_server)
		return;
	OK(run(false, 0, 0, 4096));
	printf("ready\n");
	fflush(stdout);
	while (result == DOCA_SUCCESS)
		result = run(false, 0, 0, 65536);
	check(result == DOCA_ERROR_IO_FAILED, "%s", doca_error_get_name(result));
	printf("lost: %s\n", dococ_last_error());
	fflush(stdout);
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
	end.sock = meet_open(end.is_server, argc == 4 ? argv[3] : NULL);
	end.dev = dev_open();
	if (end.is_server)
		server_open(name);
	else
		client_open();
	if (strcmp(name, "read_only") == 0)
		read_only();
	else if (strcmp(name, "stopped") == 0)
		ends_by(stop_mmap);
	else if (strcmp(name, "revoked") == 0)
		ends_by(await_revoke);
	else if (strcmp(name, "killed") == 0)
		killed();
	else if (strcmp(name, "cut") == 0)
		cut();
	else if (strcmp(name, "lost") == 0)
		lost();
	else if (strcmp(name, "again") == 0)
		again();
	else
		copies();
	if (strcmp(name, "killed") != 0)
		meet_step(end.sock);
	end_close();
	printf("ok: %s\n", name);
	return 0;
}
