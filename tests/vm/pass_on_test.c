/*
 * Memory of the host that a process on the DPU's side imported over PCI and exports to RDMA peers,
 * on RDMA devices: a third process reads and writes it through its connection to the process in the
 * middle, and loses it when the first process stops its map.
 *
 *   pass_on_test exporter
 *   pass_on_test passer ADDRESS    IPv4, of the exporter
 *   pass_on_test peer ADDRESS      of the passer
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_rdma.h>
#include <dococ.h>

#include "tests/vm/base.h"

#define LEN (1u << 20)
/* The TCP ports at which two of the three processes meet. */
#define FIRST  "18601"
#define SECOND "18602"

static struct doca_dev *dev;

static int meet_at(const char *port, bool is_server, const char *addr)
{
	setenv("MEET_PORT", port, 1);
	return meet_open(port, is_server, addr);
}

static void get_memory(int sock, struct doca_mmap **import_out, uint8_t **addr_out,
		       uint8_t desc[DESC_MAX], size_t *desc_len_out)
{
	size_t len;

	*desc_len_out = base_get_desc(sock, desc);
	OK(doca_mmap_create_from_export(NULL, desc, *desc_len_out, dev, import_out));
	OK(doca_mmap_get_memrange(*import_out, (void **)addr_out, &len));
	check(len == LEN, "%zu", len);
	printf("imported with transport %s\n", dococ_mmap_get_transport(*import_out));
}

/* --- the first process: it never progresses anything --- */

static void exporter(void)
{
	int sock = meet_at(FIRST, true, NULL);
	struct doca_mmap *mmap;
	const void *desc;
	void *memory;
	size_t len;

	OK(dococ_mem_alloc(LEN, &memory, NULL));
	base_fill(memory, 0, LEN, 1);
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_add_dev(mmap, dev));
	OK(doca_mmap_set_memrange(mmap, memory, LEN));
	OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_export_pci(mmap, dev, &desc, &len));
	base_put_desc(sock, desc, len);
	/* Once the peer has written. */
	meet_step(sock);
	base_verify(memory, 0, LEN, 2);
	OK(doca_mmap_stop(mmap));
	meet_step(sock);
	/* Once the peer was refused. */
	meet_step(sock);
	base_verify(memory, 0, LEN, 2);
	OK(doca_mmap_destroy(mmap));
	OK(dococ_mem_free(memory));
}

/* --- the context of the two others, and their connection --- */

static struct {
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *conn;
	unsigned n_done;
	doca_error_t status; /* of the last task */
} rdma;

static void done(struct doca_task *task)
{
	rdma.status = doca_task_get_status(task);
	rdma.n_done++;
	doca_task_free(task);
}

static void read_done(struct doca_rdma_task_read *task, union doca_data user, union doca_data ctx)
{
	(void)user;
	(void)ctx;
	done(doca_rdma_task_read_as_task(task));
}

static void write_done(struct doca_rdma_task_write *task, union doca_data user, union doca_data ctx)
{
	(void)user;
	(void)ctx;
	done(doca_rdma_task_write_as_task(task));
}

static void rdma_open(int sock)
{
	const void *details;
	uint8_t other[DESC_MAX];
	size_t len, other_len;

	OK(doca_pe_create(&rdma.pe));
	OK(doca_rdma_create(dev, &rdma.rdma));
	rdma.ctx = doca_rdma_as_ctx(rdma.rdma);
	OK(doca_rdma_set_permissions(rdma.rdma,
				     DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE));
	OK(doca_rdma_set_gid_index(rdma.rdma, 1));
	OK(doca_rdma_task_read_set_conf(rdma.rdma, read_done, read_done, 1));
	OK(doca_rdma_task_write_set_conf(rdma.rdma, write_done, write_done, 1));
	OK(doca_pe_connect_ctx(rdma.pe, rdma.ctx));
	OK(doca_ctx_start(rdma.ctx));
	OK(doca_rdma_export(rdma.rdma, &details, &len, &rdma.conn));
	base_put_desc(sock, details, len);
	other_len = base_get_desc(sock, other);
	OK(doca_rdma_connect(rdma.rdma, other, other_len, rdma.conn));
	meet_step(sock);
}

static void rdma_close(void)
{
	base_ctx_stop(rdma.pe, rdma.ctx);
	OK(doca_rdma_destroy(rdma.rdma));
	OK(doca_pe_destroy(rdma.pe));
}

/* --- the process in the middle --- */

/* The memory regions that this process has registered with RDMA devices, as the kernel lists them.
 */
static unsigned n_regions(void)
{
	FILE *list = popen("rdma resource show mr", "re");
	char line[512], owner[32];
	unsigned n = 0;

	check(list != NULL, "%m");
	snprintf(owner, sizeof(owner), " pid %d ", (int)getpid());
	while (fgets(line, sizeof(line), list) != NULL)
		n += strstr(line, owner) != NULL;
	check(pclose(list) == 0, "rdma resource show mr");
	return n;
}

/* The end of the first export reaches this process by a thread of the library. */
static void await_regions(unsigned n)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	time_t until = time(NULL) + TIMEOUT_S;

	while (n_regions() != n) {
		check(time(NULL) < until, "%u regions are registered, not %u", n_regions(), n);
		nanosleep(&pause, NULL);
	}
}

static void passer(const char *addr)
{
	int sock = meet_at(FIRST, false, addr), peer = meet_at(SECOND, true, NULL);
	struct doca_mmap *import;
	uint8_t first[DESC_MAX], *base;
	const void *desc;
	unsigned n_before;
	size_t len;

	get_memory(sock, &import, &base, first, &len);
	n_before = n_regions();
	OK(doca_mmap_export_rdma(import, dev, &desc, &len));
	check(n_regions() == n_before + 1, "%u regions, %u before", n_regions(), n_before);
	base_put_desc(peer, desc, len);
	rdma_open(peer);
	n_before = n_regions() - 1;
	/* The peer has read and written, and the exporter has seen it and stops. */
	meet_step(peer);
	meet_step(sock);
	meet_step(sock);
	await_regions(n_before);
	FAILS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_rdma(import, dev, &desc, &len));
	meet_step(peer);
	/* The peer was refused. */
	meet_step(peer);
	meet_step(sock);
	rdma_close();
	OK(doca_mmap_destroy(import));
}

/* --- the third process --- */

static struct {
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap, *remote;
	uint8_t *memory, *remote_addr;
} mem;

/* The whole of it; with data: as a source. */
static struct doca_buf *buf_of(struct doca_mmap *mmap, uint8_t *addr, bool has_data)
{
	struct doca_buf *buf;

	if (has_data)
		OK(doca_buf_inventory_buf_get_by_data(mem.inventory, mmap, addr, LEN, &buf));
	else
		OK(doca_buf_inventory_buf_get_by_addr(mem.inventory, mmap, addr, LEN, &buf));
	return buf;
}

static doca_error_t run(bool is_write)
{
	struct doca_buf *local = buf_of(mem.mmap, mem.memory, is_write);
	struct doca_buf *remote = buf_of(mem.remote, mem.remote_addr, !is_write);
	struct doca_rdma_task_write *write;
	struct doca_rdma_task_read *read;
	unsigned before = rdma.n_done;

	if (is_write) {
		OK(doca_rdma_task_write_allocate_init(rdma.rdma, rdma.conn, local, remote,
						      (union doca_data){0}, &write));
		OK(doca_task_submit(doca_rdma_task_write_as_task(write)));
	} else {
		OK(doca_rdma_task_read_allocate_init(rdma.rdma, rdma.conn, remote, local,
						     (union doca_data){0}, &read));
		OK(doca_task_submit(doca_rdma_task_read_as_task(read)));
	}
	base_await(rdma.pe, &rdma.n_done, before + 1, false);
	OK(doca_buf_dec_refcount(local, NULL));
	OK(doca_buf_dec_refcount(remote, NULL));
	return rdma.status;
}

static void peer(const char *addr)
{
	int sock = meet_at(SECOND, false, addr);
	uint8_t desc[DESC_MAX];
	struct doca_mmap *none;
	doca_error_t result;
	size_t len;

	mem.memory = base_memory_new(dev, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &mem.mmap);
	OK(doca_buf_inventory_create(2, &mem.inventory));
	OK(doca_buf_inventory_start(mem.inventory));
	get_memory(sock, &mem.remote, &mem.remote_addr, desc, &len);
	rdma_open(sock);
	OK(run(false));
	base_verify(mem.memory, 0, LEN, 1);
	base_fill(mem.memory, 0, LEN, 2);
	OK(run(true));
	meet_step(sock);
	/* The first export has ended. */
	meet_step(sock);
	base_fill(mem.memory, 0, LEN, 3);
	result = run(true);
	check(result == DOCA_ERROR_IO_FAILED, "%s", doca_error_get_name(result));
	FAILS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_create_from_export(NULL, desc, len, dev, &none));
	meet_step(sock);
	rdma_close();
	OK(doca_buf_inventory_destroy(mem.inventory));
	OK(doca_mmap_destroy(mem.remote));
	OK(doca_mmap_destroy(mem.mmap));
	free(mem.memory);
}

int main(int argc, char **argv)
{
	const char *role = argc > 1 ? argv[1] : "";

	check(strcmp(role, "exporter") == 0 || argc == 3,
	      "usage: pass_on_test exporter|passer ADDRESS|peer ADDRESS");
	dev = base_dev_open(NULL);
	if (strcmp(role, "exporter") == 0)
		exporter();
	else if (strcmp(role, "passer") == 0)
		passer(argv[2]);
	else
		peer(argv[2]);
	OK(doca_dev_close(dev));
	printf("%s: done\n", role);
	return 0;
}
