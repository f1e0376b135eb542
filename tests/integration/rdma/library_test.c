/*
 * The RDMA library between a process of the host and one of the DPU, without an RDMA device:
 * connected by details or by address, polling or sleeping on the notification handle. A message
 * there and back, and one-sided requests to memory whose process is passive; many of those with
 * mixed sizes; additions of both ends at once.
 */
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <doca_rdma.h>
#include <doca_sync_event.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/lib/use.h"

#define LEN     (1u << 20)
#define MSG_LEN 50000u
#define PORT    4321
#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)
/* Addresses of the DPU's p1. */
#define GID_P1  "fe80:0000:0000:0000:0000:00ff:fe00:0301"
#define IPV4_P1 "192.168.101.2"

static struct lab lab;

struct how {
	bool by_address, is_asleep;
};

struct end {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *conn;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	void *memory;
	struct sleeper sleeper;
	bool is_asleep;
	unsigned n_done, n_established, n_disconnected;
};

static void on_done(struct doca_task *task, union doca_data data, union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)data;
	OK(doca_task_get_status(task));
	end->n_done++;
	doca_task_free(task);
}

static void on_failed(struct doca_task *task, union doca_data data, union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	ck_abort_msg("a task failed: %s", doca_error_get_name(doca_task_get_status(task)));
}

/* Both ends report the requested port. */
static void ck_port(const struct doca_rdma_connection *conn)
{
	enum doca_rdma_addr_type type;
	struct doca_rdma_addr *addr;
	const char *text;
	uint16_t port;

	OK(doca_rdma_connection_get_addr(conn, &addr));
	OK(doca_rdma_addr_get_params(addr, &type, &text, &port));
	ck_assert_uint_eq(port, PORT);
}

static void on_requested(struct doca_rdma_connection *conn, union doca_data ctx_data)
{
	(void)ctx_data;
	ck_port(conn);
	OK(doca_rdma_connection_accept(conn, NULL, 0));
}

static void on_established(struct doca_rdma_connection *conn, union doca_data data,
			   union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)data;
	end->conn = conn;
	end->n_established++;
}

static void on_failure(struct doca_rdma_connection *conn, union doca_data data,
		       union doca_data ctx_data)
{
	(void)conn;
	(void)data;
	(void)ctx_data;
	ck_abort_msg("the connection failed");
}

static void on_disconnected(struct doca_rdma_connection *conn, union doca_data data,
			    union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)conn;
	(void)data;
	end->n_disconnected++;
}

#define CONF(kind)                                                                   \
	OK(doca_rdma_task_##kind##_set_conf(                                         \
		end->rdma, (doca_rdma_task_##kind##_completion_cb_t)(void *)on_done, \
		(doca_rdma_task_##kind##_completion_cb_t)(void *)on_failed, 16))

static void end_open(struct end *end, const char *pci_addr, const struct how *how)
{
	*end = (struct end){.dev = use_dev(pci_addr), .is_asleep = how->is_asleep};
	OK(doca_pe_create(&end->pe));
	OK(doca_rdma_create(end->dev, &end->rdma));
	end->ctx = doca_rdma_as_ctx(end->rdma);
	CONF(receive);
	CONF(send);
	CONF(read);
	CONF(write);
	CONF(atomic_fetch_add);
	CONF(remote_net_sync_event_notify_add);
	OK(doca_rdma_set_permissions(end->rdma, RIGHTS));
	OK(doca_rdma_set_gid_index(end->rdma, how->is_asleep ? 1 : 3));
	OK(doca_rdma_set_connection_state_callbacks(end->rdma, on_requested, on_established,
						    on_failure, on_disconnected));
	OK(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	OK(doca_pe_connect_ctx(end->pe, end->ctx));
	OK(doca_ctx_start(end->ctx));
	OK(doca_buf_inventory_create(16, &end->inventory));
	OK(doca_buf_inventory_start(end->inventory));
	OK(dococ_mem_alloc(LEN, &end->memory, NULL));
	end->mmap = use_mmap(end->dev, end->memory, LEN, RIGHTS);
	if (end->is_asleep)
		sleeper_open(&end->sleeper, end->pe, SLEEPER_SELECTIVE, -1);
}

static void end_close(struct end *end)
{
	doca_error_t result = doca_ctx_stop(end->ctx);

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	use_ctx_await(end->pe, end->ctx, DOCA_CTX_STATE_IDLE);
	if (end->is_asleep)
		sleeper_close(&end->sleeper);
	OK(doca_rdma_destroy(end->rdma));
	OK(doca_pe_destroy(end->pe));
	OK(doca_buf_inventory_destroy(end->inventory));
	use_mmap_end(end->mmap);
	OK(dococ_mem_free(end->memory));
	use_dev_end(end->dev);
}

static void await(struct end *end, const unsigned *counter, unsigned n)
{
	while (*counter < n) {
		if (end->is_asleep)
			sleeper_step(&end->sleeper);
		else
			doca_pe_progress(end->pe);
	}
	ck_assert_uint_eq(*counter, n);
}

static struct doca_buf *buf_of(struct end *end, struct doca_mmap *mmap, void *addr, size_t len,
			       bool has_data)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_addr(end->inventory, mmap, addr, len, &buf));
	if (has_data)
		OK(doca_buf_set_data(buf, addr, len));
	return buf;
}

/* Returns when connected; for a connection by address the host calls. */
static void end_connect(struct end *end, int sock, bool calls, const struct how *how)
{
	union doca_data none = {0};
	struct doca_rdma_addr *addr;
	uint8_t theirs[512];
	const void *mine;
	size_t len;

	if (how->by_address && calls) {
		lab_wait(sock);
		if (how->is_asleep)
			OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_GID, GID_P1, PORT, &addr));
		else
			OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, IPV4_P1, PORT, &addr));
		OK(doca_rdma_connect_to_addr(end->rdma, addr, none));
		OK(doca_rdma_addr_destroy(addr));
	} else if (how->by_address) {
		OK(doca_rdma_start_listen_to_port(end->rdma, PORT));
		lab_signal(sock);
	} else {
		OK(doca_rdma_export(end->rdma, &mine, &len, &end->conn));
		lab_send_sized(sock, mine, len);
		len = lab_recv_sized(sock, theirs, sizeof(theirs));
		OK(doca_rdma_connect(end->rdma, theirs, len, end->conn));
		return;
	}
	await(end, &end->n_established, 1);
	ck_port(end->conn);
}

/* The other end disconnected, and also signals it: callbacks report only connections by address. */
static void end_await_disconnect(struct end *end, int sock, const struct how *how)
{
	if (how->by_address)
		await(end, &end->n_disconnected, 1);
	lab_wait(sock);
	for (unsigned i = 0; i < 100; i++)
		doca_pe_progress(end->pe);
	ck_assert_uint_eq(end->n_established, how->by_address);
	ck_assert_uint_eq(end->n_disconnected, how->by_address);
}

static struct doca_buf *post_receive(struct end *end, void *addr)
{
	struct doca_buf *buf = buf_of(end, end->mmap, addr, MSG_LEN, false);
	struct doca_rdma_task_receive *task;

	OK(doca_rdma_task_receive_allocate_init(end->rdma, buf, (union doca_data){0}, &task));
	OK(doca_task_submit(doca_rdma_task_receive_as_task(task)));
	return buf;
}

static struct doca_buf *post_send(struct end *end, void *addr)
{
	struct doca_buf *buf = buf_of(end, end->mmap, addr, MSG_LEN, true);
	struct doca_rdma_task_send *task;

	OK(doca_rdma_task_send_allocate_init(end->rdma, end->conn, buf, (union doca_data){0},
					     &task));
	OK(doca_task_submit(doca_rdma_task_send_as_task(task)));
	return buf;
}

static void dpu_open(struct end *end, int sock, const struct how *how)
{
	const void *desc;
	size_t len;

	end_open(end, USE_DPU_P1, how);
	OK(doca_mmap_export_rdma(end->mmap, end->dev, &desc, &len));
	lab_send_sized(sock, desc, len);
	lab_send(sock, &end->memory, sizeof(end->memory));
}

static void dpu_main(int sock, void *arg)
{
	const struct how *how = arg;
	struct doca_buf *received, *sent;
	struct end end;

	dpu_open(&end, sock, how);
	received = post_receive(&end, end.memory);
	end_connect(&end, sock, false, how);
	await(&end, &end.n_done, 1);
	ck_assert(use_is_filled(end.memory, MSG_LEN, 1));
	sent = post_send(&end, end.memory);
	await(&end, &end.n_done, 2);
	/* From here on, accesses to its memory need no action of it. */
	lab_wait(sock);
	ck_assert(use_is_filled((uint8_t *)end.memory + LEN / 2, MSG_LEN, 2));
	ck_assert_uint_eq(*(uint64_t *)((uint8_t *)end.memory + LEN - 64), 15);
	lab_signal(sock);
	end_await_disconnect(&end, sock, how);
	use_buf_end(received);
	use_buf_end(sent);
	end_close(&end);
}

static void one_sided(struct end *end, struct doca_mmap *remote, uint8_t *there)
{
	uint8_t *here = end->memory;
	struct doca_buf *src = buf_of(end, end->mmap, here, MSG_LEN, true);
	struct doca_buf *dst = buf_of(end, remote, there + LEN / 2, MSG_LEN, false);
	struct doca_buf *back = buf_of(end, end->mmap, here + LEN / 4, MSG_LEN, false);
	struct doca_buf *result = buf_of(end, end->mmap, here + LEN - 64, 8, false);
	struct doca_buf *counter = buf_of(end, remote, there + LEN - 64, 8, false);
	struct doca_rdma_task_atomic_fetch_add *add;
	struct doca_rdma_task_write *write;
	struct doca_rdma_task_read *read;
	union doca_data none = {0};
	unsigned n = end->n_done;

	use_fill(here, MSG_LEN, 2);
	OK(doca_rdma_task_write_allocate_init(end->rdma, end->conn, src, dst, none, &write));
	OK(doca_task_submit(doca_rdma_task_write_as_task(write)));
	await(end, &end->n_done, n + 1);
	OK(doca_buf_set_data(dst, there + LEN / 2, MSG_LEN));
	OK(doca_rdma_task_read_allocate_init(end->rdma, end->conn, dst, back, none, &read));
	OK(doca_task_submit(doca_rdma_task_read_as_task(read)));
	await(end, &end->n_done, n + 2);
	ck_assert(use_is_filled(here + LEN / 4, MSG_LEN, 2));
	for (unsigned i = 0; i < 3; i++) {
		OK(doca_rdma_task_atomic_fetch_add_allocate_init(end->rdma, end->conn, counter,
								 result, 5, none, &add));
		OK(doca_task_submit(doca_rdma_task_atomic_fetch_add_as_task(add)));
		await(end, &end->n_done, n + 3 + i);
		ck_assert_uint_eq(*(uint64_t *)(void *)(here + LEN - 64), 5 * i);
		OK(doca_buf_reset_data_len(result));
	}
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(back);
	use_buf_end(result);
	use_buf_end(counter);
}

static struct doca_mmap *receive_offer(struct end *end, const struct lab_child *child,
				       void **there_out)
{
	struct doca_mmap *remote;
	uint8_t desc[512];
	size_t len;

	len = lab_recv_sized(child->sock, desc, sizeof(desc));
	lab_recv(child->sock, there_out, sizeof(*there_out));
	OK(doca_mmap_create_from_export(NULL, desc, len, end->dev, &remote));
	return remote;
}

/* Starts the other process. Returns when connected, with the other's memory. */
static struct doca_mmap *host_open(struct end *end, struct lab_child *child,
				   void (*other)(int sock, void *arg), struct how *how,
				   void **there_out)
{
	struct doca_mmap *remote;

	lab_setup(&lab, NULL);
	leaks_allow_fds(1);
	*child = lab_fork(&lab, LAB_DPU, other, how);
	lab_use(&lab, LAB_HOST);
	end_open(end, USE_HOST_PF0, how);
	remote = receive_offer(end, child, there_out);
	end_connect(end, child->sock, true, how);
	return remote;
}

static void host_close(struct end *end, struct lab_child *child, struct doca_mmap *remote)
{
	OK(doca_mmap_destroy(remote));
	lab_join(child);
	end_close(end);
	lab_teardown(&lab);
}

START_TEST(test_two_sides)
{
	struct how how = {.by_address = _i & 1, .is_asleep = _i & 2};
	struct doca_buf *sent, *received;
	struct doca_mmap *remote;
	struct lab_child child;
	struct end end;
	void *there;

	remote = host_open(&end, &child, dpu_main, &how, &there);
	use_fill(end.memory, MSG_LEN, 1);
	received = post_receive(&end, (uint8_t *)end.memory + LEN / 2);
	sent = post_send(&end, end.memory);
	await(&end, &end.n_done, 2);
	ck_assert(use_is_filled((uint8_t *)end.memory + LEN / 2, MSG_LEN, 1));
	one_sided(&end, remote, there);
	lab_signal(child.sock);
	lab_wait(child.sock);
	OK(doca_rdma_connection_disconnect(end.conn));
	lab_signal(child.sock);
	use_buf_end(sent);
	use_buf_end(received);
	host_close(&end, &child, remote);
}
END_TEST

/* --- both ends at once --- */

#ifdef DOCO_SANITIZED
#define N_ADDITIONS 2000u
#else
#define N_ADDITIONS 20000u
#endif
/* The owner counts below this value, the other end above. */
#define THEIR_ONE (1ull << 40)

static bool was_notified(int sock)
{
	struct pollfd fd = {.fd = sock, .events = POLLIN};

	return poll(&fd, 1, 0) == 1;
}

static void dpu_adds(int sock, void *arg)
{
	const struct how *how = arg;
	struct doca_sync_event *event;
	_Atomic uint64_t *counter;
	uint64_t n = 0, n_wrong = 0, value;
	const uint8_t *desc;
	struct end end;
	size_t len;

	dpu_open(&end, sock, how);
	counter = (_Atomic uint64_t *)(void *)((uint8_t *)end.memory + LEN - 64);
	OK(doca_sync_event_create(&event));
	OK(doca_sync_event_add_subscriber_location_cpu(event, end.dev));
	OK(doca_sync_event_add_publisher_location_remote_net(event));
	OK(doca_sync_event_start(event));
	OK(doca_sync_event_export_to_remote_net(event, &desc, &len));
	lab_send_sized(sock, desc, len);
	end_connect(&end, sock, false, how);
	lab_signal(sock);
	/* Check records its assertions, which takes longer than an addition. */
	while (n % 4096 != 0 || n == 0 || !was_notified(sock)) {
		atomic_fetch_add(counter, 1);
		OK(doca_sync_event_update_add(event, 1, &value));
		n_wrong += value % THEIR_ONE != n;
		n++;
	}
	ck_assert_uint_eq(n_wrong, 0);
	lab_wait(sock);
	ck_assert_uint_eq(atomic_load(counter), n + N_ADDITIONS * THEIR_ONE);
	OK(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, n + N_ADDITIONS * THEIR_ONE);
	lab_signal(sock);
	end_await_disconnect(&end, sock, how);
	OK(doca_sync_event_stop(event));
	OK(doca_sync_event_destroy(event));
	end_close(&end);
}

/* Number of earlier additions of the other end. */
static uint64_t await_additions(struct end *end, unsigned n)
{
	while (end->n_done < n)
		doca_pe_progress(end->pe);
	return *(const uint64_t *)end->memory / THEIR_ONE;
}

/*
 * Additions by tasks, to a word of memory and to a sync event, and by the owner's own instructions:
 * none is lost, and each returns the previous value.
 */
START_TEST(test_additions_of_both)
{
	struct how how = {.by_address = false};
	struct doca_rdma_task_remote_net_sync_event_notify_add *notify;
	struct doca_rdma_task_atomic_fetch_add *add;
	struct doca_sync_event_remote_net *event;
	struct doca_buf *counter, *before;
	union doca_data none = {0};
	struct doca_mmap *remote;
	struct lab_child child;
	uint8_t desc[512];
	unsigned n_wrong = 0;
	struct end end;
	void *there;
	size_t len;

	lab_setup(&lab, NULL);
	leaks_allow_fds(1);
	child = lab_fork(&lab, LAB_DPU, dpu_adds, &how);
	lab_use(&lab, LAB_HOST);
	end_open(&end, USE_HOST_PF0, &how);
	remote = receive_offer(&end, &child, &there);
	len = lab_recv_sized(child.sock, desc, sizeof(desc));
	OK(doca_sync_event_remote_net_create_from_export(end.dev, desc, len, &event));
	end_connect(&end, child.sock, true, &how);
	before = buf_of(&end, end.mmap, end.memory, 8, false);
	counter = buf_of(&end, remote, (uint8_t *)there + LEN - 64, 8, false);
	lab_wait(child.sock);
	for (unsigned i = 0; i < N_ADDITIONS; i++) {
		OK(doca_buf_reset_data_len(before));
		OK(doca_rdma_task_atomic_fetch_add_allocate_init(end.rdma, end.conn, counter,
								 before, THEIR_ONE, none, &add));
		OK(doca_task_submit(doca_rdma_task_atomic_fetch_add_as_task(add)));
		n_wrong += await_additions(&end, 2 * i + 1) != i;
		OK(doca_buf_reset_data_len(before));
		OK(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
			end.rdma, end.conn, event, before, THEIR_ONE, none, &notify));
		OK(doca_task_submit(
			doca_rdma_task_remote_net_sync_event_notify_add_as_task(notify)));
		n_wrong += await_additions(&end, 2 * i + 2) != i;
	}
	ck_assert_uint_eq(n_wrong, 0);
	lab_signal(child.sock);
	lab_wait(child.sock);
	use_buf_end(before);
	use_buf_end(counter);
	OK(doca_sync_event_remote_net_destroy(event));
	OK(doca_rdma_connection_disconnect(end.conn));
	lab_signal(child.sock);
	host_close(&end, &child, remote);
}
END_TEST

/* --- a daemon that does not answer --- */

/* The stop does not wait for the daemon, which reads the request when it continues. */
START_TEST(test_stop_alone)
{
	struct how how = {.by_address = true};
	struct end end;
	pid_t daemon;

	lab_setup(&lab, NULL);
	leaks_allow_fds(1);
	daemon = lab.daemons[LAB_HOST].pid;
	lab_use(&lab, LAB_HOST);
	end_open(&end, USE_HOST_PF0, &how);
	for (int round = 0; round < 2; round++) {
		OK(doca_rdma_start_listen_to_port(end.rdma, PORT));
		lab_freeze(daemon);
		(void)doca_ctx_stop(end.ctx);
		use_ctx_await(end.pe, end.ctx, DOCA_CTX_STATE_IDLE);
		ck_assert_msg(strstr(dococ_last_error(), "did not answer") == NULL, "%s",
			      dococ_last_error());
		lab_thaw(daemon);
		OK(doca_ctx_start(end.ctx));
	}
	end_close(&end);
	lab_teardown(&lab);
}
END_TEST

/* --- bulk transfers --- */

/* Number of bytes; RDMA_TEST_BULK overrides it, for example 2147483648 for two gigabytes. */
#define BULK     (256ull << 20)
#define BULK_MAX (LEN / 4)

static void dpu_bulk(int sock, void *arg)
{
	const struct how *how = arg;
	struct end end;

	dpu_open(&end, sock, how);
	end_connect(&end, sock, false, how);
	end_await_disconnect(&end, sock, how);
	end_close(&end);
}

/* Writes to one place and reads from there to another. */
static void write_and_read_back(struct end *end, struct doca_mmap *remote, uint8_t *there,
				size_t len, size_t shift)
{
	uint8_t *here = end->memory, *back = here + LEN / 2 + shift;
	struct doca_buf *src = buf_of(end, end->mmap, here + shift, len, true);
	struct doca_buf *remote_buf = buf_of(end, remote, there + shift, len, false);
	struct doca_buf *dst = buf_of(end, end->mmap, back, len, false);
	struct doca_rdma_task_write *write;
	struct doca_rdma_task_read *read;
	union doca_data none = {0};
	unsigned n = end->n_done;

	OK(doca_rdma_task_write_allocate_init(end->rdma, end->conn, src, remote_buf, none, &write));
	OK(doca_task_submit(doca_rdma_task_write_as_task(write)));
	await(end, &end->n_done, n + 1);
	OK(doca_buf_set_data(remote_buf, there + shift, len));
	OK(doca_rdma_task_read_allocate_init(end->rdma, end->conn, remote_buf, dst, none, &read));
	OK(doca_task_submit(doca_rdma_task_read_as_task(read)));
	await(end, &end->n_done, n + 2);
	ck_assert(memcmp(here + shift, back, len) == 0);
	use_buf_end(src);
	use_buf_end(remote_buf);
	use_buf_end(dst);
}

/* Mixed sizes at odd addresses; the previous round's data have another pattern. */
START_TEST(test_bulk)
{
	const char *asked = getenv("RDMA_TEST_BULK");
	uint64_t todo = asked != NULL ? strtoull(asked, NULL, 10) : BULK, moved = 0;
	struct how how = {.by_address = false};
	struct doca_mmap *remote;
	struct lab_child child;
	struct end end;
	void *there;

	remote = host_open(&end, &child, dpu_bulk, &how, &there);
	for (uint32_t round = 1; moved < todo; round++) {
		uint32_t mixed = round * 2654435761u;
		size_t len = 1 + (mixed >> 4) % (round % 8 == 0 ? 64 : BULK_MAX);
		size_t shift = (mixed >> 9) % 4096;

		use_fill((uint8_t *)end.memory + shift, len, round);
		write_and_read_back(&end, remote, there, len, shift);
		moved += 2 * len;
	}
	OK(doca_rdma_connection_disconnect(end.conn));
	lab_signal(child.sock);
	host_close(&end, &child, remote);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("library");

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_loop_test(tcase, test_two_sides, 0, 4);
	tcase_add_test(tcase, test_additions_of_both);
	tcase_add_test(tcase, test_bulk);
	tcase_add_test(tcase, test_stop_alone);
}

int main(void)
{
	lab_require();
	return runner_main("rdma_library", add_cases, NULL);
}
