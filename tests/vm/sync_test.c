/*
 * Sync events of a process on the host's side that a process on the DPU's side reaches over an
 * RDMA device, on one machine or on two: by synchronous calls, by tasks, and by tasks of the RDMA
 * library (exported to the remote net).
 *
 *   sync_test server CASE
 *   sync_test client CASE ADDRESS    IPv4, of the server
 *
 * Cases: calls, tasks, asleep (tasks, sleeping in epoll), net, stopped, revoked, killed, restarted,
 * lost, tasks_lost (lost with tasks in flight), off, removed_a and removed_b (the device of the
 * exporter, or of the importer, is removed), tasks_allocated (either one, with tasks in flight).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>
#include <dococ.h>

#include "tests/vm/base.h"

#define ALL    UINT64_MAX
#define BIG    0x1122334455667788ull
#define N_ADDS 100u
#define N_RUN  20u /* adds that are in flight at once */
#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

/* The end that changes the server's event; the other end reads it. */
enum way { THEY_CHANGE, WE_CHANGE };

static struct {
	bool is_server, is_asleep;
	int sock;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sync_event *event;
	struct doca_ctx *ctx;
	unsigned n_done, n_failed;
	doca_error_t status; /* of the latest failed task */
	uint8_t desc[DESC_MAX];
	size_t desc_len;
} end;

static const union doca_data none;

/* --- ends --- */

static void export_event(enum way way)
{
	const uint8_t *desc;
	size_t len;

	OK(doca_sync_event_create(&end.event));
	if (way == THEY_CHANGE) {
		OK(doca_sync_event_add_publisher_location_remote_pci(end.event));
		OK(doca_sync_event_add_subscriber_location_cpu(end.event, end.dev));
	} else {
		OK(doca_sync_event_add_publisher_location_cpu(end.event, end.dev));
		OK(doca_sync_event_add_subscriber_location_remote_pci(end.event));
	}
	OK(doca_sync_event_start(end.event));
	OK(doca_sync_event_export_to_remote_pci(end.event, end.dev, &desc, &len));
	base_put_desc(end.sock, desc, len);
}

static void import_event(void)
{
	end.desc_len = base_get_desc(end.sock, end.desc);
	OK(doca_sync_event_create_from_export(end.dev, end.desc, end.desc_len, &end.event));
}

static void event_open(enum way way)
{
	if (end.is_server) {
		export_event(way);
		return;
	}
	import_event();
	OK(doca_sync_event_start(end.event));
}

static void event_close(void)
{
	OK(doca_sync_event_stop(end.event));
	OK(doca_sync_event_destroy(end.event));
}

/* --- synchronous calls --- */

static void calls_they_change(void)
{
	uint64_t value = 0;

	if (end.is_server) {
		OK(doca_sync_event_wait_eq_yield(end.event, BIG, ALL));
		meet_step(end.sock);
		OK(doca_sync_event_wait_eq(end.event, BIG + N_ADDS, ALL));
		OK(doca_sync_event_update_set(end.event, 3));
		meet_step(end.sock);
	} else {
		OK(doca_sync_event_update_set(end.event, BIG));
		meet_step(end.sock);
		for (unsigned i = 0; i < N_ADDS; i++) {
			OK(doca_sync_event_update_add(end.event, 1, &value));
			check(value == BIG + i, "%llx", (unsigned long long)value);
		}
		OK(doca_sync_event_wait_eq_yield(end.event, 3, ALL));
		OK(doca_sync_event_wait_neq(end.event, 4, ALL));
		OK(doca_sync_event_wait_gt(end.event, 2, ALL));
		OK(doca_sync_event_get(end.event, &value));
		check(value == 3, "%llx", (unsigned long long)value);
		meet_step(end.sock);
	}
}

/*
 * The client was declared as the subscriber, which is only a hint: it can change the counter, too.
 */
static void calls_we_change(void)
{
	uint64_t value = 0;

	meet_step(end.sock);
	if (end.is_server) {
		OK(doca_sync_event_update_set(end.event, 7));
		OK(doca_sync_event_wait_gt_yield(end.event, 9, ALL));
	} else {
		OK(doca_sync_event_wait_gt_yield(end.event, 6, ALL));
		OK(doca_sync_event_update_set(end.event, 8));
		OK(doca_sync_event_update_add(end.event, 2, &value));
		check(value == 8, "%llx", (unsigned long long)value);
	}
	meet_step(end.sock);
	OK(doca_sync_event_get(end.event, &value));
	check(value == 10, "%llx", (unsigned long long)value);
}

static void calls(void)
{
	event_open(THEY_CHANGE);
	calls_they_change();
	event_close();
	event_open(WE_CHANGE);
	calls_we_change();
	meet_step(end.sock);
	event_close();
}

/* --- tasks --- */

static void done(struct doca_task *task)
{
	if (doca_task_get_status(task) != DOCA_SUCCESS) {
		end.status = doca_task_get_status(task);
		end.n_failed++;
	}
	end.n_done++;
	doca_task_free(task);
}

#define ON_DONE(kind)                                                                           \
	static void kind##_done(struct doca_sync_event_task_##kind *task, union doca_data user, \
				union doca_data ctx)                                            \
	{                                                                                       \
		(void)user;                                                                     \
		(void)ctx;                                                                      \
		done(doca_sync_event_task_##kind##_as_doca_task(task));                         \
	}
ON_DONE(get)
ON_DONE(notify_set)
ON_DONE(notify_add)
ON_DONE(wait_eq)
ON_DONE(wait_neq)

static void ctx_open(void)
{
	OK(doca_pe_create(&end.pe));
	end.ctx = doca_sync_event_as_ctx(end.event);
	OK(doca_sync_event_task_get_set_conf(end.event, get_done, get_done, 4));
	OK(doca_sync_event_task_notify_set_set_conf(end.event, notify_set_done, notify_set_done,
						    4));
	OK(doca_sync_event_task_notify_add_set_conf(end.event, notify_add_done, notify_add_done,
						    2 * N_RUN));
	OK(doca_sync_event_task_wait_eq_set_conf(end.event, wait_eq_done, wait_eq_done, 4));
	OK(doca_sync_event_task_wait_neq_set_conf(end.event, wait_neq_done, wait_neq_done, 4));
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_ctx_start(end.ctx));
}

static void ctx_close(void)
{
	base_ctx_stop(end.pe, end.ctx);
	OK(doca_sync_event_destroy(end.event));
	OK(doca_pe_destroy(end.pe));
}

static void await(unsigned n)
{
	base_await(end.pe, &end.n_done, n, end.is_asleep);
}

static void submit_wait(bool is_eq, uint64_t value)
{
	struct doca_sync_event_task_wait_eq *eq;
	struct doca_sync_event_task_wait_neq *neq;

	if (is_eq) {
		OK(doca_sync_event_task_wait_eq_alloc_init(end.event, value, ALL, none, &eq));
		OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(eq)));
	} else {
		OK(doca_sync_event_task_wait_neq_alloc_init(end.event, value, ALL, none, &neq));
		OK(doca_task_submit(doca_sync_event_task_wait_neq_as_doca_task(neq)));
	}
}

static void set(uint64_t value)
{
	struct doca_sync_event_task_notify_set *task;

	OK(doca_sync_event_task_notify_set_alloc_init(end.event, value, none, &task));
	OK(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(task)));
}

static void get(uint64_t *value_out)
{
	struct doca_sync_event_task_get *task;

	OK(doca_sync_event_task_get_alloc_init(end.event, value_out, none, &task));
	OK(doca_task_submit(doca_sync_event_task_get_as_doca_task(task)));
}

/* More tasks at once than there are slots for requests. */
static void add_many(void)
{
	static uint64_t fetched[2 * N_RUN];
	struct doca_sync_event_task_notify_add *task;
	unsigned before = end.n_done;

	for (unsigned i = 0; i < 2 * N_RUN; i++) {
		OK(doca_sync_event_task_notify_add_alloc_init(end.event, 1, &fetched[i], none,
							      &task));
		OK(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(task)));
	}
	await(before + 2 * N_RUN);
	check(end.n_failed == 0, "%s", doca_error_get_name(end.status));
	for (unsigned i = 0; i < 2 * N_RUN; i++)
		check(fetched[i] == BIG + i, "%u: %llx", i, (unsigned long long)fetched[i]);
}

static void tasks_client(void)
{
	uint64_t value = 0;

	/* doca_pe_progress() returns nonzero only when a task completed. */
	set(BIG);
	while (doca_pe_progress(end.pe) == 0)
		continue;
	check(end.n_done == 1, "%u", end.n_done);
	add_many();
	get(&value);
	await(2 + 2 * N_RUN);
	check(value == BIG + 2 * N_RUN, "%llx", (unsigned long long)value);
	/* Neither wait is fulfilled before the other end has acted. */
	submit_wait(true, 5);
	submit_wait(false, value);
	meet_step(end.sock);
	await(4 + 2 * N_RUN);
	check(end.n_failed == 0, "%s", doca_error_get_name(end.status));
	/* A wait that is not fulfilled when the context stops. */
	submit_wait(true, 99);
	base_ctx_stop(end.pe, end.ctx);
	check(end.n_failed == 1 && end.n_done == 5 + 2 * N_RUN, "%u of %u failed", end.n_failed,
	      end.n_done);
}

static void tasks(void)
{
	if (end.is_server) {
		export_event(THEY_CHANGE);
		OK(doca_sync_event_wait_gt_yield(end.event, BIG + 2 * N_RUN - 1, ALL));
		meet_step(end.sock);
		OK(doca_sync_event_update_set(end.event, 5));
		meet_step(end.sock);
		event_close();
		return;
	}
	import_event();
	ctx_open();
	tasks_client();
	meet_step(end.sock);
	ctx_close();
}

/* --- failures --- */

/* An operator revokes the export: the script does it on request. */
static void await_revoke(void)
{
	meet_send("revoke it");
	meet_await_notified();
}

static void ends_by(bool is_revoked)
{
	uint64_t value = 0;

	event_open(THEY_CHANGE);
	if (!end.is_server)
		OK(doca_sync_event_update_set(end.event, 1));
	meet_step(end.sock);
	if (end.is_server && is_revoked)
		await_revoke();
	else if (end.is_server)
		OK(doca_sync_event_stop(end.event));
	meet_step(end.sock);
	if (!end.is_server) {
		FAILS(DOCA_ERROR_CONNECTION_RESET, doca_sync_event_update_set(end.event, 2));
		FAILS(DOCA_ERROR_CONNECTION_RESET, doca_sync_event_get(end.event, &value));
		FAILS(DOCA_ERROR_CONNECTION_RESET, doca_sync_event_wait_eq(end.event, 9, ALL));
	}
	meet_step(end.sock);
	if (end.is_server && is_revoked) {
		OK(doca_sync_event_get(end.event, &value));
		check(value == 1, "%llx", (unsigned long long)value);
	}
	event_close();
}

/*
 * The exporter is killed, the script cuts the network, or the other machine is switched off: a
 * waiting call returns an error.
 */
static void case_vanishes(bool is_killed, bool is_off)
{
	event_open(THEY_CHANGE);
	if (!end.is_server)
		OK(doca_sync_event_update_set(end.event, 1));
	meet_step(end.sock);
	if (end.is_server && is_killed)
		raise(SIGKILL);
	if (end.is_server && is_off)
		pause();
	if (!end.is_server) {
		meet_send("ready");
		FAILS(DOCA_ERROR_CONNECTION_RESET,
		      doca_sync_event_wait_eq_yield(end.event, 2, ALL));
		meet_send("lost");
		if (!is_killed && !is_off)
			meet_await_notified();
	}
	if (!is_killed && !is_off)
		meet_step(end.sock);
	event_close();
}

/* Keeps adds in flight beside a wait until they fail. All complete. */
static void fail_tasks(void)
{
	static uint64_t fetched[N_RUN];
	struct doca_sync_event_task_notify_add *task;
	uint64_t value = 0;

	submit_wait(true, ALL);
	for (unsigned before; end.n_failed == 0; before = end.n_done) {
		before = end.n_done;
		for (unsigned i = 0; i < N_RUN; i++) {
			OK(doca_sync_event_task_notify_add_alloc_init(end.event, 1, &fetched[i],
								      none, &task));
			OK(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(task)));
		}
		await(before + N_RUN);
		for (unsigned i = 0; i < N_RUN && end.n_failed == 0; i++)
			check(fetched[i] == value + i, "%llu", (unsigned long long)fetched[i]);
		value += N_RUN;
		if (value == N_RUN)
			meet_send("ready");
	}
}

/* The network is cut while tasks are in flight; after its return the event is imported again. */
static void tasks_lost(void)
{
	uint64_t value = 0;

	if (end.is_server) {
		export_event(THEY_CHANGE);
		meet_step(end.sock);
		OK(doca_sync_event_get(end.event, &value));
		check(value == BIG + 2 * N_RUN, "%llx", (unsigned long long)value);
		event_close();
		return;
	}
	import_event();
	ctx_open();
	fail_tasks();
	check(end.status == DOCA_ERROR_CONNECTION_RESET, "%s", doca_error_get_name(end.status));
	printf("as it should be: %s\n", dococ_last_error());
	meet_send("lost");
	meet_await_notified();
	ctx_close();
	OK(doca_sync_event_create_from_export(end.dev, end.desc, end.desc_len, &end.event));
	ctx_open();
	end.n_done = end.n_failed = 0;
	set(BIG);
	await(1);
	add_many();
	meet_step(end.sock);
	ctx_close();
}

/* The device of either end is removed during a wait. */
static void case_removed(void)
{
	event_open(THEY_CHANGE);
	if (!end.is_server)
		OK(doca_sync_event_update_set(end.event, 1));
	meet_step(end.sock);
	meet_send("ready");
	if (!end.is_server)
		FAILS(DOCA_ERROR_CONNECTION_RESET,
		      doca_sync_event_wait_eq_yield(end.event, 2, ALL));
	meet_step(end.sock);
	event_close();
}

/* The same with tasks in flight. */
static void tasks_allocated(void)
{
	if (end.is_server) {
		export_event(THEY_CHANGE);
		OK(doca_sync_event_wait_gt_yield(end.event, N_RUN - 1, ALL));
		meet_send("ready");
		meet_step(end.sock);
		event_close();
		return;
	}
	import_event();
	ctx_open();
	fail_tasks();
	check(end.status == DOCA_ERROR_CONNECTION_RESET, "%s", doca_error_get_name(end.status));
	printf("as it should be: %s\n", dococ_last_error());
	meet_step(end.sock);
	ctx_close();
}

/* Adds until the script has done its part. Each add has its effect exactly once. */
static uint64_t add_until_notified(const char *word, uint64_t n)
{
	uint64_t value, first = n;

	while (!meet_is_notified()) {
		OK(doca_sync_event_update_add(end.event, 1, &value));
		check(value == n, "%llu, not %llu", (unsigned long long)value,
		      (unsigned long long)n);
		if (n++ == first)
			meet_send(word);
	}
	return n;
}

static void restarted_client(void)
{
	struct doca_sync_event *of_first = end.event;
	uint64_t value, n = add_until_notified("ready", 0);

	FAILS(DOCA_ERROR_NOT_CONNECTED,
	      doca_sync_event_create_from_export(end.dev, end.desc, end.desc_len, &end.event));
	end.event = of_first;
	n = add_until_notified("goes on", n);
	/* An import through the new daemon. */
	OK(doca_sync_event_create_from_export(end.dev, end.desc, end.desc_len, &end.event));
	OK(doca_sync_event_start(end.event));
	OK(doca_sync_event_update_add(end.event, 1, &value));
	check(value == n, "%llu, not %llu", (unsigned long long)value, (unsigned long long)n);
	OK(doca_sync_event_update_add(of_first, 1, &value));
	n += 2;
	meet_put(end.sock, &n, sizeof(n));
	event_close();
	end.event = of_first;
}

/* The importer's daemon is killed and replaced while the importer adds. */
static void case_restarted(void)
{
	uint64_t n, value;

	event_open(THEY_CHANGE);
	if (end.is_server) {
		meet_get(end.sock, &n, sizeof(n));
		OK(doca_sync_event_get(end.event, &value));
		check(value == n, "%llu, not %llu", (unsigned long long)value,
		      (unsigned long long)n);
	} else {
		restarted_client();
	}
	meet_step(end.sock);
	event_close();
}

/* --- the RDMA library --- */

static struct {
	struct doca_rdma *rdma;
	struct doca_rdma_connection *conn;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	uint64_t *words;
	struct doca_sync_event_remote_net *remote;
} net;

#define ON_NET(kind)                                                                            \
	static void net_##kind##_done(struct doca_rdma_task_remote_net_sync_event_##kind *task, \
				      union doca_data user, union doca_data ctx)                \
	{                                                                                       \
		(void)user;                                                                     \
		(void)ctx;                                                                      \
		done(doca_rdma_task_remote_net_sync_event_##kind##_as_task(task));              \
	}
ON_NET(get)
ON_NET(notify_set)
ON_NET(notify_add)

static void net_connect(void)
{
	uint8_t other[DESC_MAX];
	const void *details;
	size_t len;

	OK(doca_rdma_export(net.rdma, &details, &len, &net.conn));
	base_put_desc(end.sock, details, len);
	len = base_get_desc(end.sock, other);
	OK(doca_rdma_connect(net.rdma, other, len, net.conn));
	/* The end that is connected first gives the other one time before it sends requests. */
	for (int i = 0; i < 100; i++)
		(void)doca_pe_progress(end.pe);
	meet_step(end.sock);
}

static void net_open(void)
{
	OK(doca_pe_create(&end.pe));
	OK(doca_rdma_create(end.dev, &net.rdma));
	end.ctx = doca_rdma_as_ctx(net.rdma);
	OK(doca_rdma_set_permissions(net.rdma, RIGHTS));
	OK(doca_rdma_set_gid_index(net.rdma, 1));
	OK(doca_rdma_task_remote_net_sync_event_get_set_conf(net.rdma, net_get_done, net_get_done,
							     2));
	OK(doca_rdma_task_remote_net_sync_event_notify_set_set_conf(net.rdma, net_notify_set_done,
								    net_notify_set_done, 2));
	OK(doca_rdma_task_remote_net_sync_event_notify_add_set_conf(net.rdma, net_notify_add_done,
								    net_notify_add_done, 2));
	OK(doca_pe_connect_ctx(end.pe, end.ctx));
	OK(doca_ctx_start(end.ctx));
	net.words = (uint64_t *)(void *)base_memory_new(
		end.dev, 4096, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &net.mmap);
	OK(doca_buf_inventory_create(8, &net.inventory));
	OK(doca_buf_inventory_start(net.inventory));
	net_connect();
}

static void net_close(void)
{
	base_ctx_stop(end.pe, end.ctx);
	OK(doca_rdma_destroy(net.rdma));
	OK(doca_pe_destroy(end.pe));
	OK(doca_buf_inventory_destroy(net.inventory));
	OK(doca_mmap_destroy(net.mmap));
	free(net.words);
}

static struct doca_buf *net_word(bool has_data)
{
	struct doca_buf *buf;

	if (has_data)
		OK(doca_buf_inventory_buf_get_by_data(net.inventory, net.mmap, net.words, 8, &buf));
	else
		OK(doca_buf_inventory_buf_get_by_addr(net.inventory, net.mmap, net.words, 8, &buf));
	return buf;
}

static doca_error_t net_run(struct doca_task *task, struct doca_buf *buf)
{
	unsigned before = end.n_done, failed = end.n_failed;

	OK(doca_task_submit(task));
	await(before + 1);
	OK(doca_buf_dec_refcount(buf, NULL));
	return end.n_failed > failed ? end.status : DOCA_SUCCESS;
}

static doca_error_t net_set(uint64_t value)
{
	struct doca_rdma_task_remote_net_sync_event_notify_set *task;
	struct doca_buf *buf = net_word(true);

	net.words[0] = value;
	OK(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
		net.rdma, net.conn, net.remote, buf, none, &task));
	return net_run(doca_rdma_task_remote_net_sync_event_notify_set_as_task(task), buf);
}

static uint64_t net_get(void)
{
	struct doca_rdma_task_remote_net_sync_event_get *task;
	struct doca_buf *buf = net_word(false);

	OK(doca_rdma_task_remote_net_sync_event_get_allocate_init(net.rdma, net.conn, net.remote,
								  buf, none, &task));
	OK(net_run(doca_rdma_task_remote_net_sync_event_get_as_task(task), buf));
	return net.words[0];
}

static uint64_t net_add(uint64_t value)
{
	struct doca_rdma_task_remote_net_sync_event_notify_add *task;
	struct doca_buf *buf = net_word(false);

	OK(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
		net.rdma, net.conn, net.remote, buf, value, none, &task));
	OK(net_run(doca_rdma_task_remote_net_sync_event_notify_add_as_task(task), buf));
	return net.words[0];
}

static void net_server(void)
{
	const uint8_t *desc;
	size_t len;

	OK(doca_sync_event_create(&end.event));
	OK(doca_sync_event_add_publisher_location_remote_net(end.event));
	OK(doca_sync_event_add_subscriber_location_cpu(end.event, end.dev));
	OK(doca_sync_event_start(end.event));
	OK(doca_sync_event_export_to_remote_net(end.event, &desc, &len));
	base_put_desc(end.sock, desc, len);
	/* The server sleeps, and no notification is sent: the device writes the counter. */
	OK(doca_sync_event_wait_eq_yield(end.event, BIG, ALL));
	meet_step(end.sock);
	OK(doca_sync_event_wait_gt_yield(end.event, BIG + N_ADDS - 1, ALL));
	meet_step(end.sock);
	OK(doca_sync_event_update_set(end.event, 11));
	meet_step(end.sock);
	meet_step(end.sock);
	OK(doca_sync_event_stop(end.event));
	OK(doca_sync_event_destroy(end.event));
	meet_step(end.sock);
}

static void net_client(void)
{
	uint8_t desc[DESC_MAX];
	size_t len = base_get_desc(end.sock, desc);
	doca_error_t result;
	uint64_t value;

	OK(doca_sync_event_remote_net_create_from_export(end.dev, desc, len, &net.remote));
	OK(net_set(BIG));
	meet_step(end.sock);
	for (unsigned i = 0; i < N_ADDS; i++) {
		value = net_add(1);
		check(value == BIG + i, "%u: %llx", i, (unsigned long long)value);
	}
	meet_step(end.sock);
	meet_step(end.sock);
	value = net_get();
	check(value == 11, "%llx", (unsigned long long)value);
	meet_step(end.sock);
	meet_step(end.sock);
	/* The event no longer exists. */
	result = net_set(12);
	check(result == DOCA_ERROR_IO_FAILED, "%s", doca_error_get_name(result));
	printf("as it should be: %s\n", dococ_last_error());
	OK(doca_sync_event_remote_net_destroy(net.remote));
}

static void case_net(void)
{
	net_open();
	if (end.is_server)
		net_server();
	else
		net_client();
	meet_step(end.sock);
	net_close();
}

int main(int argc, char **argv)
{
	const char *name = argc > 2 ? argv[2] : "";

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: sync_test server CASE | sync_test client CASE ADDRESS\n");
		return 2;
	}
	end.is_server = strcmp(argv[1], "server") == 0;
	end.is_asleep = strcmp(name, "asleep") == 0;
	end.sock = meet_open(name, end.is_server, argc == 4 ? argv[3] : NULL);
	end.dev = base_dev_open(NULL);
	if (strcmp(name, "calls") == 0)
		calls();
	else if (strcmp(name, "tasks") == 0 || end.is_asleep)
		tasks();
	else if (strcmp(name, "net") == 0)
		case_net();
	else if (strcmp(name, "stopped") == 0 || strcmp(name, "revoked") == 0)
		ends_by(strcmp(name, "revoked") == 0);
	else if (strcmp(name, "killed") == 0 || strcmp(name, "lost") == 0 ||
		 strcmp(name, "off") == 0)
		case_vanishes(strcmp(name, "killed") == 0, strcmp(name, "off") == 0);
	else if (strcmp(name, "tasks_lost") == 0)
		tasks_lost();
	else if (strncmp(name, "removed_", 8) == 0)
		case_removed();
	else if (strcmp(name, "tasks_removed") == 0)
		tasks_allocated();
	else if (strcmp(name, "restarted") == 0)
		case_restarted();
	else
		check(false, "no case %s", name);
	OK(doca_dev_close(end.dev));
	printf("ok: %s\n", name);
	return 0;
}
