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

#include "tests/vm/base.h"

#define LEN     (8u << 20)
#define N_TASKS 16u
#define MAX_LEN (2u << 20)

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
	unsigned n_ended, n_failed;
	doca_error_t status; /* of the last task that failed */
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
	end.n_failed++;
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

static void client_open(const char *transport)
{
	uint8_t desc[DESC_MAX];
	size_t len;

	end.memory = base_memory_new(end.dev, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &end.mmap);
	OK(doca_pe_create(&end.pe));
	OK(doca_buf_inventory_create(4 * N_TASKS, &end.inventory));
	OK(doca_buf_inventory_start(end.inventory));
	len = base_get_desc(end.sock, desc);
	OK(doca_mmap_create_from_export(NULL, desc, len, end.dev, &end.remote));
	OK(doca_mmap_get_memrange(end.remote, (void **)&end.remote_addr, &len));
	check(len == LEN, "%zu", len);
	check(strcmp(dococ_mmap_get_transport(end.remote), transport) == 0, "transport %s",
	      dococ_mmap_get_transport(end.remote));
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
}

static doca_error_t run(bool is_write, size_t at, size_t remote_at, size_t len)
{
	unsigned before = end.n_ended, failed = end.n_failed;

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

/* A context that is stopped and started again connects again. */
static void again(void)
{
	copies();
	if (!end.is_server) {
		base_ctx_stop(end.pe, end.ctx);
		OK(doca_ctx_start(end.ctx));
		end.n_ended = 0;
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

static void stop_mmap(void)
{
	OK(doca_mmap_stop(end.mmap));
}

/* By an operator: the script that runs this does what it is asked for. */
static void await_revoke(void)
{
	meet_say("revoke it");
	meet_await_told();
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
	printf("%u done, %u failed: %s\n", end.n_ended - end.n_failed, end.n_failed,
	       dococ_last_error());
}

/* The wire is cut while this goes on, by the script that runs it; the reads go on after that. */
static void cut(void)
{
	unsigned n = 0;

	if (end.is_server)
		base_fill(end.memory, 0, LEN, 9);
	meet_step(end.sock);
	while (!end.is_server && !meet_is_told()) {
		size_t at = n % 7 * 65536;

		memset(end.memory, 0, 65536);
		OK(run(false, at, at, 65536));
		base_verify(end.memory, at, 65536, 9);
		n++;
		if (n == 1)
			meet_say("ready");
	}
	meet_step(end.sock);
	printf("%u reads\n", n);
}

/* It is cut for good, or the other machine is off. */
static void lost(void)
{
	doca_error_t result = DOCA_SUCCESS;

	meet_step(end.sock);
	if (end.is_server)
		return;
	OK(run(false, 0, 0, 4096));
	meet_say("ready");
	while (result == DOCA_SUCCESS)
		result = run(false, 0, 0, 65536);
	check(result == DOCA_ERROR_IO_FAILED, "%s", doca_error_get_name(result));
	printf("as it should be: %s\n", dococ_last_error());
	meet_say("lost");
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
	end.dev = base_dev_open(NULL);
	if (end.is_server)
		server_open(name);
	else
		client_open(strcmp(name, "relay") == 0 ? "relay" : "verbs");
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
	else if (strcmp(name, "lost") == 0 || strcmp(name, "off") == 0)
		lost();
	else if (strcmp(name, "again") == 0)
		again();
	else
		copies();
	if (strcmp(name, "off") == 0 && end.is_server)
		pause();
	if (strcmp(name, "killed") != 0 && strcmp(name, "off") != 0)
		meet_step(end.sock);
	end_close();
	printf("ok: %s\n", name);
	return 0;
}
