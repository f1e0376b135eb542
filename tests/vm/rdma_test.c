/*
 * The RDMA library between two processes on RDMA devices, as an application uses it: each kind of
 * task with its data, connections by exchanged details and by address, and the effects when the
 * exporter stops its memory map.
 *
 *   rdma_test server CASE
 *   rdma_test client CASE ADDRESS    IPv4, of the server
 *
 * Cases: tasks, address (a connection by each kind of address, one that is rejected, one that is
 * closed), leaves (the receiver stops at once, and its acknowledgement is lost), stopped, revoked,
 * rnr (no receive is posted), killed, gone (the client's device is removed from a connection by
 * address), removed_a and removed_b (the server's or the client's device, from one by details),
 * lost (the network is cut and restored), off_server and off_client (the other end's machine is
 * switched off; connected by address).
 *
 * The device is the first usable one that is bound to an RDMA device; the daemon of this side is
 * found as usual.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <dococ.h>

#include "tests/vm/base.h"

#define LEN     (1u << 20)
#define CM_PORT 18701
#define N_CONNS 3u /* of one context; another one is rejected */
#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static struct {
	bool is_server, is_killed;
	bool is_by_address; /* a connection by address exists or existed */
	int sock;
	const char *addr; /* of the server; set in the client */
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *conn;
	struct doca_buf_inventory *inventory;
	uint8_t *memory;
	struct doca_mmap *mmap, *remote;
	uint8_t *remote_addr;
	unsigned n_done, n_established, n_requests, n_broken, n_ended;
	unsigned n_failed;
	doca_error_t status;  /* of the latest task */
	doca_error_t failure; /* of the latest failed task */
	uint32_t imm, len;    /* of the latest receive */
	const struct doca_rdma_connection *from;
} end;

/* --- callbacks --- */

static void done(struct doca_task *task)
{
	end.status = doca_task_get_status(task);
	if (end.status != DOCA_SUCCESS) {
		end.failure = end.status;
		end.n_failed++;
	}
	end.n_done++;
	doca_task_free(task);
}

#define ON_DONE(kind)                                                                     \
	static void kind##_done(struct doca_rdma_task_##kind *task, union doca_data user, \
				union doca_data ctx)                                      \
	{                                                                                 \
		(void)user;                                                               \
		(void)ctx;                                                                \
		done(doca_rdma_task_##kind##_as_task(task));                              \
	}
ON_DONE(send)
ON_DONE(send_imm)
ON_DONE(write)
ON_DONE(write_imm)
ON_DONE(read)
ON_DONE(atomic_cmp_swp)
ON_DONE(atomic_fetch_add)

static void receive_done(struct doca_rdma_task_receive *task, union doca_data user,
			 union doca_data ctx)
{
	(void)user;
	(void)ctx;
	end.imm = 0;
	if (doca_task_get_status(doca_rdma_task_receive_as_task(task)) == DOCA_SUCCESS) {
		end.len = doca_rdma_task_receive_get_result_len(task);
		end.from = doca_rdma_task_receive_get_result_rdma_connection(task);
		if (doca_rdma_task_receive_get_result_opcode(task) != DOCA_RDMA_OPCODE_RECV_SEND)
			end.imm = ntohl(doca_rdma_task_receive_get_result_immediate_data(task));
	}
	done(doca_rdma_task_receive_as_task(task));
}

static void on_request(struct doca_rdma_connection *conn, union doca_data ctx)
{
	(void)ctx;
	if (++end.n_requests > N_CONNS)
		OK(doca_rdma_connection_reject(conn));
	else
		OK(doca_rdma_connection_accept(conn, NULL, 0));
}

static void on_established(struct doca_rdma_connection *conn, union doca_data user,
			   union doca_data ctx)
{
	(void)user;
	(void)ctx;
	end.n_established++;
	end.conn = conn;
}

static void on_failed(struct doca_rdma_connection *conn, union doca_data user, union doca_data ctx)
{
	(void)conn;
	(void)user;
	(void)ctx;
	end.n_broken++;
}

static void on_end(struct doca_rdma_connection *conn, union doca_data user, union doca_data ctx)
{
	(void)conn;
	(void)user;
	(void)ctx;
	end.n_ended++;
}

/* --- ends --- */

static void rdma_open(void)
{
	OK(doca_rdma_create(end.dev, &end.rdma));
	end.ctx = doca_rdma_as_ctx(end.rdma);
	OK(doca_rdma_set_permissions(end.rdma, RIGHTS));
	OK(doca_rdma_set_gid_index(end.rdma, 1));
	OK(doca_rdma_task_send_set_conf(end.rdma, send_done, send_done, 4));
	OK(doca_rdma_task_send_imm_set_conf(end.rdma, send_imm_done, send_imm_done, 4));
	OK(doca_rdma_task_receive_set_conf(end.rdma, receive_done, receive_done, 4));
	OK(doca_rdma_task_write_set_conf(end.rdma, write_done, write_done, 4));
	OK(doca_rdma_task_write_imm_set_conf(end.rdma, write_imm_done, write_imm_done, 4));
	OK(doca_rdma_task_read_set_conf(end.rdma, read_done, read_done, 4));
	OK(doca_rdma_task_atomic_cmp_swp_set_conf(end.rdma, atomic_cmp_swp_done,
						  atomic_cmp_swp_done, 4));
	OK(doca_rdma_task_atomic_fetch_add_set_conf(end.rdma, atomic_fetch_add_done,
						    atomic_fetch_add_done, 4));
	OK(doca_rdma_set_max_num_connections(end.rdma, N_CONNS + 1));
	OK(doca_rdma_set_connection_state_callbacks(end.rdma, on_request, on_established, on_failed,
						    on_end));
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_ctx_start(end.ctx));
}

static void end_open(const char *role, const char *name, const char *addr)
{
	const void *desc;
	uint8_t other[DESC_MAX];
	size_t len, other_len;

	end.is_server = strcmp(role, "server") == 0;
	end.addr = addr;
	end.sock = meet_open(name, end.is_server, addr);
	end.dev = base_dev_open(NULL);
	OK(doca_pe_create(&end.pe));
	rdma_open();
	OK(doca_buf_inventory_create(16, &end.inventory));
	OK(doca_buf_inventory_start(end.inventory));
	end.memory = base_memory_new(end.dev, LEN, RIGHTS, &end.mmap);
	OK(doca_mmap_export_rdma(end.mmap, end.dev, &desc, &len));
	base_put_desc(end.sock, desc, len);
	other_len = base_get_desc(end.sock, other);
	OK(doca_mmap_create_from_export(NULL, other, other_len, end.dev, &end.remote));
	OK(doca_mmap_get_memrange(end.remote, (void **)&end.remote_addr, &len));
	check(len == LEN, "%zu", len);
	printf("memory of the other end: transport %s\n", dococ_mmap_get_transport(end.remote));
}

static void await(const unsigned *counter, unsigned value)
{
	base_await(end.pe, counter, value, false);
}

/*
 * Connects by details: no callback reports the connection, and tasks wait until it is established.
 */
static void end_connect(void)
{
	const void *details;
	uint8_t other[DESC_MAX];
	size_t len, other_len;

	OK(doca_rdma_export(end.rdma, &details, &len, &end.conn));
	base_put_desc(end.sock, details, len);
	other_len = base_get_desc(end.sock, other);
	OK(doca_rdma_connect(end.rdma, other, other_len, end.conn));
	meet_step(end.sock);
}

static void end_close(void)
{
	base_ctx_stop(end.pe, end.ctx);
	OK(doca_rdma_destroy(end.rdma));
	OK(doca_pe_destroy(end.pe));
	OK(doca_buf_inventory_destroy(end.inventory));
	OK(doca_mmap_destroy(end.remote));
	OK(doca_mmap_destroy(end.mmap));
	OK(doca_dev_close(end.dev));
	free(end.memory);
}

/* --- tasks --- */

static const union doca_data none;

/* has_data: for a source. */
static struct doca_buf *buf_of(struct doca_mmap *mmap, uint8_t *addr, size_t len, bool has_data)
{
	struct doca_buf *buf;

	if (has_data)
		OK(doca_buf_inventory_buf_get_by_data(end.inventory, mmap, addr, len, &buf));
	else
		OK(doca_buf_inventory_buf_get_by_addr(end.inventory, mmap, addr, len, &buf));
	return buf;
}

static struct doca_buf *local_buf(size_t at, size_t len, bool has_data)
{
	return buf_of(end.mmap, end.memory + at, len, has_data);
}

static struct doca_buf *remote_buf(size_t at, size_t len, bool has_data)
{
	return buf_of(end.remote, end.remote_addr + at, len, has_data);
}

static doca_error_t run(struct doca_task *task, struct doca_buf *a, struct doca_buf *b)
{
	unsigned before = end.n_done;

	OK(doca_task_submit(task));
	await(&end.n_done, before + 1);
	OK(doca_buf_dec_refcount(a, NULL));
	if (b != NULL)
		OK(doca_buf_dec_refcount(b, NULL));
	return end.status;
}

static void receive_one(size_t len, uint32_t imm, bool is_message)
{
	struct doca_buf *dst = local_buf(0, LEN / 2, false);
	struct doca_rdma_task_receive *task;
	unsigned before = end.n_done;

	OK(doca_rdma_task_receive_allocate_init(end.rdma, dst, none, &task));
	OK(doca_task_submit(doca_rdma_task_receive_as_task(task)));
	meet_step(end.sock);
	await(&end.n_done, before + 1);
	OK(end.status);
	check(end.len == len && end.imm == imm, "%u bytes, immediate %u", end.len, end.imm);
	check(end.from == end.conn, "it came by another connection");
	for (size_t i = 0; i < len && is_message; i++)
		check(end.memory[i] == (uint8_t)(i * 7 + len), "byte %zu", i);
	OK(doca_buf_dec_refcount(dst, NULL));
	meet_step(end.sock);
}

static void fill(size_t at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		end.memory[at + i] = (uint8_t)(i * 7 + len);
}

static void messages(void)
{
	static const size_t sizes[] = {1, 200, 4096, 100000};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct doca_rdma_task_send *send;
		struct doca_rdma_task_send_imm *send_imm;
		struct doca_buf *src;

		if (end.is_server) {
			receive_one(sizes[i], 0, true);
			receive_one(sizes[i], 77, true);
			continue;
		}
		fill(0, sizes[i]);
		src = local_buf(0, sizes[i], true);
		OK(doca_rdma_task_send_allocate_init(end.rdma, end.conn, src, none, &send));
		meet_step(end.sock);
		OK(run(doca_rdma_task_send_as_task(send), src, NULL));
		meet_step(end.sock);
		src = local_buf(0, sizes[i], true);
		OK(doca_rdma_task_send_imm_allocate_init(end.rdma, end.conn, src, htonl(77), none,
							 &send_imm));
		meet_step(end.sock);
		OK(run(doca_rdma_task_send_imm_as_task(send_imm), src, NULL));
		meet_step(end.sock);
	}
}

static doca_error_t write_one(size_t at, size_t len, size_t remote_at)
{
	struct doca_buf *src = local_buf(at, len, true), *dst = remote_buf(remote_at, len, false);
	struct doca_rdma_task_write *task;

	OK(doca_rdma_task_write_allocate_init(end.rdma, end.conn, src, dst, none, &task));
	return run(doca_rdma_task_write_as_task(task), src, dst);
}

static void memory_client(void)
{
	struct doca_rdma_task_write_imm *write_imm;
	struct doca_rdma_task_read *read;
	struct doca_rdma_task_atomic_fetch_add *add;
	struct doca_rdma_task_atomic_cmp_swp *swap;
	uint64_t *word = (uint64_t *)(end.memory + LEN / 2);
	struct doca_buf *src, *dst;

	fill(0, 70000);
	OK(write_one(0, 70000, 1000));
	src = local_buf(0, 70000, true);
	dst = remote_buf(100000, 70000, false);
	OK(doca_rdma_task_write_imm_allocate_init(end.rdma, end.conn, src, dst, htonl(99), none,
						  &write_imm));
	meet_step(end.sock);
	OK(run(doca_rdma_task_write_imm_as_task(write_imm), src, dst));
	meet_step(end.sock);
	src = remote_buf(1000, 70000, true);
	dst = local_buf(LEN / 2, 70000, false);
	OK(doca_rdma_task_read_allocate_init(end.rdma, end.conn, src, dst, none, &read));
	OK(run(doca_rdma_task_read_as_task(read), src, dst));
	check(memcmp(end.memory, end.memory + LEN / 2, 70000) == 0, "wrong bytes");
	dst = remote_buf(LEN - 8, 8, false);
	src = local_buf(LEN / 2, 8, false);
	OK(doca_rdma_task_atomic_fetch_add_allocate_init(end.rdma, end.conn, dst, src, 5, none,
							 &add));
	OK(run(doca_rdma_task_atomic_fetch_add_as_task(add), src, dst));
	check(*word == 40, "%llu", (unsigned long long)*word);
	dst = remote_buf(LEN - 8, 8, false);
	src = local_buf(LEN / 2, 8, false);
	OK(doca_rdma_task_atomic_cmp_swp_allocate_init(end.rdma, end.conn, dst, src, 45, 7, none,
						       &swap));
	OK(run(doca_rdma_task_atomic_cmp_swp_as_task(swap), src, dst));
	check(*word == 45, "%llu", (unsigned long long)*word);
}

static void memory(void)
{
	uint64_t *word = (uint64_t *)(end.memory + LEN - 8);

	*word = 40;
	meet_step(end.sock);
	if (end.is_server)
		receive_one(70000, 99, false);
	else
		memory_client();
	meet_step(end.sock);
	if (end.is_server) {
		for (size_t i = 0; i < 70000; i++)
			check(end.memory[1000 + i] == (uint8_t)(i * 7 + 70000) &&
				      end.memory[100000 + i] == (uint8_t)(i * 7 + 70000),
			      "byte %zu", i);
		check(*word == 7, "%llu", (unsigned long long)*word);
	}
}

/* The exporter stops its map: later requests are refused and write nothing. */
static void case_stopped(void)
{
	if (!end.is_server) {
		fill(0, 64);
		OK(write_one(0, 64, 0));
	}
	meet_step(end.sock);
	if (end.is_server)
		OK(doca_mmap_stop(end.mmap));
	meet_step(end.sock);
	if (!end.is_server) {
		doca_error_t result = write_one(0, 64, 4096);

		check(result == DOCA_ERROR_IO_FAILED, "%s", doca_error_get_name(result));
	}
	meet_step(end.sock);
	check(!end.is_server || end.memory[4096] == 0, "it was written all the same");
}

/* Another process revokes all exports with doca-admin; this one waits. */
static void revoke_all(void)
{
	check(system("for id in $($top_builddir/doca-admin exports --json | "
		     "sed -n 's/.*\"id\": *\\([0-9]*\\).*/\\1/p'); do "
		     "$top_builddir/doca-admin exports revoke $id || exit; done") == 0,
	      "doca-admin");
}

/*
 * An operator revokes the export. The importer's library, on another machine, does not learn of it:
 * the device refuses the requests, without any action of the exporter's process.
 */
static void case_revoked(void)
{
	time_t end_at = time(NULL) + TIMEOUT_S;
	doca_error_t result = DOCA_SUCCESS;
	const void *desc;
	size_t len;

	if (!end.is_server) {
		fill(0, 64);
		OK(write_one(0, 64, 0));
	}
	meet_step(end.sock);
	if (end.is_server)
		revoke_all();
	meet_step(end.sock);
	while (!end.is_server && result == DOCA_SUCCESS) {
		result = write_one(0, 64, 4096);
		check(time(NULL) < end_at, "the key still works");
	}
	check(end.is_server || result == DOCA_ERROR_IO_FAILED, "%s", doca_error_get_name(result));
	meet_step(end.sock);
	/* The memory can be exported again. */
	if (end.is_server)
		OK(doca_mmap_export_rdma(end.mmap, end.dev, &desc, &len));
	meet_step(end.sock);
}

/* --- by address --- */

static void connect_to(enum doca_rdma_addr_type type, const char *text)
{
	struct doca_rdma_addr *addr;

	OK(doca_rdma_addr_create(type, text, CM_PORT, &addr));
	OK(doca_rdma_connect_to_addr(end.rdma, addr, none));
	OK(doca_rdma_addr_destroy(addr));
}

/* One connection by IPv4 address. */
static void by_ipv4(void)
{
	end.is_by_address = true;
	if (end.is_server)
		OK(doca_rdma_start_listen_to_port(end.rdma, CM_PORT));
	meet_step(end.sock);
	if (!end.is_server)
		connect_to(DOCA_RDMA_ADDR_TYPE_IPv4, end.addr);
	await(&end.n_established, 1);
	meet_step(end.sock);
}

/* Both ends report the requested port. */
static void check_port(const struct doca_rdma_connection *conn)
{
	enum doca_rdma_addr_type type;
	struct doca_rdma_addr *addr;
	const char *text;
	uint16_t port;

	OK(doca_rdma_connection_get_addr(conn, &addr));
	OK(doca_rdma_addr_get_params(addr, &type, &text, &port));
	check(port == CM_PORT, "port %u of %s", port, text);
}

/*
 * One end closes the first connection; the other end sees that, and the remaining ones still work.
 */
static void close_first(struct doca_rdma_connection **conns)
{
	if (!end.is_server)
		OK(doca_rdma_connection_disconnect(conns[0]));
	else
		await(&end.n_ended, 1);
	meet_step(end.sock);
	end.conn = conns[N_CONNS - 1];
	messages();
}

static void by_address(void)
{
	const char *v4 = getenv("VERBS_TEST_IPV4"), *v6 = getenv("VERBS_TEST_IPV6");
	struct doca_rdma_connection *conns[N_CONNS];
	char gid[64];

	end.is_by_address = true;
	check(v4 != NULL && v6 != NULL, "VERBS_TEST_IPV4 and VERBS_TEST_IPV6 are the server's");
	snprintf(gid, sizeof(gid), "::ffff:%s", v4);
	if (end.is_server)
		OK(doca_rdma_start_listen_to_port(end.rdma, CM_PORT));
	for (unsigned i = 0; i < N_CONNS; i++) {
		meet_step(end.sock);
		if (!end.is_server && i == 0)
			connect_to(DOCA_RDMA_ADDR_TYPE_IPv4, v4);
		else if (!end.is_server && i == 1)
			connect_to(DOCA_RDMA_ADDR_TYPE_IPv6, v6);
		else if (!end.is_server)
			connect_to(DOCA_RDMA_ADDR_TYPE_GID, gid);
		await(&end.n_established, i + 1);
		conns[i] = end.conn;
		check_port(end.conn);
	}
	meet_step(end.sock);
	if (end.is_server) {
		await(&end.n_requests, N_CONNS + 1);
		OK(doca_rdma_stop_listen_to_port(end.rdma, CM_PORT));
	} else {
		connect_to(DOCA_RDMA_ADDR_TYPE_IPv4, v4);
		await(&end.n_broken, 1);
	}
	check(end.n_established == N_CONNS && end.n_ended == 0, "%u, %u", end.n_established,
	      end.n_ended);
	for (unsigned i = 0; i < N_CONNS; i++) {
		end.conn = conns[i];
		memset(end.memory, 0, LEN);
		meet_step(end.sock);
		messages();
		memory();
	}
	meet_step(end.sock);
	close_first(conns);
}

/* --- the receiver stops at once, and its acknowledgement is lost --- */

#define N_LEAVES 4u

static void connect_by_address(void)
{
	unsigned before = end.n_established;

	end.is_by_address = true;
	end.n_requests = 0;
	if (end.is_server)
		OK(doca_rdma_start_listen_to_port(end.rdma, CM_PORT));
	meet_step(end.sock);
	if (!end.is_server)
		connect_to(DOCA_RDMA_ADDR_TYPE_IPv4, getenv("VERBS_TEST_IPV4"));
	await(&end.n_established, before + 1);
	meet_step(end.sock);
}

static void receive_and_leave(void)
{
	struct doca_buf *dst = local_buf(0, 4096, false);
	struct doca_rdma_task_receive *task;
	unsigned before = end.n_done;

	OK(doca_rdma_task_receive_allocate_init(end.rdma, dst, none, &task));
	OK(doca_task_submit(doca_rdma_task_receive_as_task(task)));
	meet_step(end.sock);
	meet_disconnect_network();
	meet_send_by_process();
	await(&end.n_done, before + 1);
	OK(end.status);
	meet_join_network();
	base_ctx_stop(end.pe, end.ctx);
	OK(doca_buf_dec_refcount(dst, NULL));
}

/* Sends the last message, after which the receiver disconnects. */
static doca_error_t send_last(bool is_write)
{
	struct doca_buf *src = local_buf(0, 64, true), *dst = NULL;
	struct doca_rdma_task_write_imm *write;
	struct doca_rdma_task_send_imm *send;
	struct doca_task *task;

	if (is_write) {
		dst = remote_buf(1000, 64, false);
		OK(doca_rdma_task_write_imm_allocate_init(end.rdma, end.conn, src, dst, htonl(3),
							  none, &write));
		task = doca_rdma_task_write_imm_as_task(write);
	} else {
		OK(doca_rdma_task_send_imm_allocate_init(end.rdma, end.conn, src, htonl(3), none,
							 &send));
		task = doca_rdma_task_send_imm_as_task(send);
	}
	meet_step(end.sock);
	meet_await_other_process();
	return run(task, src, dst);
}

/* Both ways to connect, and both kinds of message. */
static void case_leaves(void)
{
	unsigned n_lost = 0;

	for (unsigned i = 0; i < N_LEAVES; i++) {
		if (i % 2 == 0)
			end_connect();
		else
			connect_by_address();
		if (end.is_server) {
			receive_and_leave();
		} else {
			n_lost += send_last(i % 4 >= 2) != DOCA_SUCCESS;
			base_ctx_stop(end.pe, end.ctx);
		}
		meet_step(end.sock);
		OK(doca_ctx_start(end.ctx));
	}
	printf("%u of %u that were received have failed\n", n_lost, N_LEAVES);
	check(n_lost == 0, "%s", dococ_last_error());
}

/* --- no receive is posted --- */

/* Returns how many messages this device had to repeat because no receive was posted. */
static unsigned n_rnr(void)
{
	char path[128], line[32];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/rcvd_rnr_err",
		 getenv("VERBS_TEST_DEVICE"));
	f = fopen(path, "re");
	check(f != NULL && fgets(line, sizeof(line), f) != NULL, "%s", path);
	fclose(f);
	return (unsigned)strtoul(line, NULL, 10);
}

static void submit_message(struct doca_buf *src)
{
	struct doca_rdma_task_send *task;

	OK(doca_rdma_task_send_allocate_init(end.rdma, end.conn, src, none, &task));
	OK(doca_task_submit(doca_rdma_task_send_as_task(task)));
}

/* The receive is posted after the message was refused more than once. */
static void receive_late(void)
{
	unsigned before = end.n_done, refused = n_rnr();
	time_t until = time(NULL) + TIMEOUT_S;
	struct doca_buf *src;

	if (end.is_server) {
		meet_step(end.sock);
		receive_one(200, 0, true);
		return;
	}
	fill(0, 200);
	src = local_buf(0, 200, true);
	submit_message(src);
	while (n_rnr() < refused + 3) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "the device is not told that there is no receive");
	}
	check(end.n_done == before, "%s", doca_error_get_name(end.status));
	meet_step(end.sock);
	meet_step(end.sock);
	await(&end.n_done, before + 1);
	OK(end.status);
	OK(doca_buf_dec_refcount(src, NULL));
	meet_step(end.sock);
}

/* No receive is ever posted. */
static void receive_never(void)
{
	unsigned before = end.n_done;
	struct doca_buf *src;

	if (!end.is_server) {
		src = local_buf(0, 200, true);
		submit_message(src);
		await(&end.n_done, before + 1);
		check(end.status == DOCA_ERROR_IO_FAILED, "%s", doca_error_get_name(end.status));
		printf("as it should be: %s\n", dococ_last_error());
		OK(doca_buf_dec_refcount(src, NULL));
	}
	meet_step(end.sock);
}

static void case_rnr(void)
{
	receive_late();
	meet_step(end.sock);
	base_ctx_stop(end.pe, end.ctx);
	OK(doca_rdma_set_rnr_retry_count(end.rdma, 2));
	OK(doca_ctx_start(end.ctx));
	end_connect();
	receive_never();
}

/* --- failures of a connection with requests in flight --- */

#define N_WRITES  3u
#define WRITE_LEN 65536u

/* Posts several writes and then a message, all in flight at once. Returns false if they failed. */
static bool run_batch(void)
{
	struct doca_buf *src[N_WRITES + 1], *dst[N_WRITES];
	unsigned before = end.n_done, failed = end.n_failed;
	struct doca_rdma_task_write *task;

	for (unsigned i = 0; i < N_WRITES; i++) {
		fill(i * WRITE_LEN, WRITE_LEN);
		src[i] = local_buf(i * WRITE_LEN, WRITE_LEN, true);
		dst[i] = remote_buf(i * WRITE_LEN, WRITE_LEN, false);
		OK(doca_rdma_task_write_allocate_init(end.rdma, end.conn, src[i], dst[i], none,
						      &task));
		OK(doca_task_submit(doca_rdma_task_write_as_task(task)));
	}
	src[N_WRITES] = local_buf(0, WRITE_LEN, true);
	submit_message(src[N_WRITES]);
	await(&end.n_done, before + N_WRITES + 1);
	for (unsigned i = 0; i < N_WRITES; i++) {
		OK(doca_buf_dec_refcount(src[i], NULL));
		OK(doca_buf_dec_refcount(dst[i], NULL));
	}
	OK(doca_buf_dec_refcount(src[N_WRITES], NULL));
	return end.n_failed == failed;
}

static void verify_filled(size_t at)
{
	for (size_t i = 0; i < WRITE_LEN; i++)
		check(end.memory[at + i] == (uint8_t)(i * 7 + WRITE_LEN), "byte %zu", at + i);
}

/* Waits for a message. Returns false if the connection has ended instead. */
static bool message_is_received(void)
{
	if (end.status == DOCA_ERROR_CONNECTION_RESET)
		return false;
	OK(end.status);
	check(end.len == WRITE_LEN, "%u", end.len);
	verify_filled(LEN / 2);
	memset(end.memory + LEN / 2, 0, WRITE_LEN);
	return true;
}

/*
 * Receives messages until the other end sends a byte, after its first batch. If that end loses its
 * device, the disconnection may be seen before the byte: then nothing more is posted.
 */
static void serve(void)
{
	time_t until = time(NULL) + TIMEOUT_S;
	unsigned n_posted = end.n_done;
	struct doca_rdma_task_receive *task;
	struct doca_buf *dst = NULL;
	bool is_connected = true;
	uint8_t mark;

	while (recv(end.sock, &mark, 1, MSG_PEEK | MSG_DONTWAIT) != 1) {
		if (is_connected && end.n_done == n_posted) {
			if (dst != NULL) {
				is_connected = message_is_received();
				OK(doca_buf_dec_refcount(dst, NULL));
				dst = NULL;
				if (!is_connected)
					continue;
			}
			dst = local_buf(LEN / 2, WRITE_LEN, false);
			OK(doca_rdma_task_receive_allocate_init(end.rdma, dst, none, &task));
			OK(doca_task_submit(doca_rdma_task_receive_as_task(task)));
			n_posted++;
		}
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "the other end says nothing");
	}
	for (unsigned i = 0; i < N_WRITES; i++)
		verify_filled(i * WRITE_LEN);
	if (!end.is_killed)
		base_ctx_stop(end.pe, end.ctx);
	else
		raise(SIGKILL);
	if (dst != NULL)
		OK(doca_buf_dec_refcount(dst, NULL));
}

/*
 * Sends batches until they fail: all requests of one with the same code, and a connection by
 * address is reported as broken.
 */
static void work_until_broken(bool is_by_silence, bool is_by_address)
{
	uint64_t begun_ms;

	do
		begun_ms = base_now_ms();
	while (run_batch());
	if (is_by_silence)
		base_check_retries(begun_ms);
	check(end.failure == DOCA_ERROR_CONNECTION_RESET, "%s", doca_error_get_name(end.failure));
	if (is_by_address)
		await(&end.n_broken, 1);
	printf("as it should be: %s\n", dococ_last_error());
	/* The broken connection carries no requests. */
	check(write_one(0, 64, 0) == DOCA_ERROR_CONNECTION_RESET, "%s",
	      doca_error_get_name(end.status));
}

static void case_killed(void)
{
	end.is_killed = true;
	if (end.is_server)
		serve();
	check(run_batch(), "%s", dococ_last_error());
	meet_put(end.sock, "k", 1);
	work_until_broken(false, false);
}

static void case_lost(void)
{
	if (end.is_server) {
		serve();
		meet_step(end.sock);
		OK(doca_ctx_start(end.ctx));
	} else {
		check(run_batch(), "%s", dococ_last_error());
		meet_send("ready");
		work_until_broken(true, false);
		meet_send("lost");
		meet_await_notified();
		OK(doca_rdma_connection_disconnect(end.conn));
		meet_step(end.sock);
	}
	end_connect();
	messages();
	memory();
}

/* Serves until the machine is switched off. */
static void serve_for_ever(void)
{
	struct doca_rdma_task_receive *task;
	struct doca_buf *dst = local_buf(LEN / 2, WRITE_LEN, false);
	unsigned n_posted = end.n_done;

	for (;;) {
		if (end.n_done == n_posted) {
			OK(doca_buf_reset_data_len(dst));
			OK(doca_rdma_task_receive_allocate_init(end.rdma, dst, none, &task));
			OK(doca_task_submit(doca_rdma_task_receive_as_task(task)));
			n_posted++;
		}
		(void)doca_pe_progress(end.pe);
	}
}

/*
 * One of the two machines is switched off. The other, which listened or connected, sees the
 * disconnection.
 */
static void case_off(bool is_survivor)
{
	by_ipv4();
	if (!is_survivor)
		serve_for_ever();
	check(run_batch(), "%s", dococ_last_error());
	meet_send("ready");
	work_until_broken(true, true);
	meet_send("lost");
}

/* --- a device is removed --- */

static enum doca_ctx_states ctx_state(void)
{
	enum doca_ctx_states state;

	OK(doca_ctx_get_state(end.ctx, &state));
	return state;
}

static void await_idle(void)
{
	time_t until = time(NULL) + TIMEOUT_S;

	while (ctx_state() != DOCA_CTX_STATE_IDLE) {
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "the context does not stop by itself");
	}
	printf("as it should be: %s\n", dococ_last_error());
	check(doca_ctx_start(end.ctx) != DOCA_SUCCESS, "it starts on a device that is gone");
}

/* Receives messages until its device is removed. */
static void serve_until_gone(void)
{
	time_t until = time(NULL) + TIMEOUT_S;
	struct doca_rdma_task_receive *task;
	struct doca_buf *dst = local_buf(LEN / 2, WRITE_LEN, false);
	unsigned n_posted = end.n_done;

	while (ctx_state() == DOCA_CTX_STATE_RUNNING) {
		/* The receive may fail before the context stops. */
		if (end.n_done == n_posted && end.n_failed == 0) {
			OK(doca_buf_reset_data_len(dst));
			OK(doca_rdma_task_receive_allocate_init(end.rdma, dst, none, &task));
			OK(doca_task_submit(doca_rdma_task_receive_as_task(task)));
			/* One message has arrived. */
			if (++n_posted == 2)
				meet_send("ready");
		}
		(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "the device does not go");
	}
	await_idle();
	check(end.n_done == n_posted && end.n_failed == 1, "%u of %u, %u failed", end.n_done,
	      n_posted, end.n_failed);
	OK(doca_buf_dec_refcount(dst, NULL));
}

/* The device of a connection by details: soft-RoCE does not report its removal. */
static void case_removed(bool is_servers)
{
	if (end.is_server && is_servers) {
		serve_until_gone();
	} else if (end.is_server) {
		serve();
	} else {
		check(run_batch(), "%s", dococ_last_error());
		meet_send("ready");
		while (run_batch())
			continue;
		check(end.failure == DOCA_ERROR_CONNECTION_RESET, "%s",
		      doca_error_get_name(end.failure));
		if (!is_servers)
			await_idle();
	}
	meet_step(end.sock);
}

/* The client's device, with a connection by address: the kernel reports its removal. */
static void case_gone(void)
{
	by_ipv4();
	if (end.is_server) {
		serve();
		meet_step(end.sock);
		return;
	}
	check(run_batch(), "%s", dococ_last_error());
	meet_send("ready");
	while (run_batch())
		continue;
	check(end.failure == DOCA_ERROR_CONNECTION_RESET, "%s", doca_error_get_name(end.failure));
	await_idle();
	meet_step(end.sock);
}

int main(int argc, char **argv)
{
	const char *name = argc > 2 ? argv[2] : "";

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: rdma_test server CASE | rdma_test client CASE ADDRESS\n");
		return 2;
	}
	end_open(argv[1], name, argc == 4 ? argv[3] : NULL);
	if (strcmp(name, "address") != 0 && strcmp(name, "gone") != 0 &&
	    strncmp(name, "off_", 4) != 0 && strcmp(name, "leaves") != 0)
		end_connect();
	if (strcmp(name, "address") == 0) {
		by_address();
	} else if (strcmp(name, "leaves") == 0) {
		case_leaves();
	} else if (strcmp(name, "stopped") == 0) {
		case_stopped();
	} else if (strcmp(name, "revoked") == 0) {
		case_revoked();
	} else if (strcmp(name, "rnr") == 0) {
		case_rnr();
	} else if (strcmp(name, "killed") == 0) {
		case_killed();
	} else if (strcmp(name, "gone") == 0) {
		case_gone();
	} else if (strncmp(name, "removed_", 8) == 0) {
		case_removed(strcmp(name, "removed_a") == 0);
	} else if (strncmp(name, "off_", 4) == 0) {
		case_off(end.is_server == (strcmp(name, "off_server") == 0));
	} else if (strcmp(name, "lost") == 0) {
		case_lost();
	} else {
		messages();
		memory();
	}
	if (strcmp(name, "killed") != 0 && strncmp(name, "off_", 4) != 0)
		meet_step(end.sock);
	end_close();
	check(end.is_by_address || end.n_established + end.n_broken + end.n_ended == 0,
	      "callbacks tell of a connection by details");
	printf("ok: %s\n", name);
	return 0;
}
