/*
 * Sync events between two sides: both directions, several importers, memory of the user. And
 * faults: an exporter that stops or is killed while others wait in every way; descriptors that are
 * damaged, outdated, forged or used by the wrong device; and a process that writes garbage beside
 * the counter. Each time a clear error, no hang, no object left in the daemons.
 *
 * With OVER_TLS the daemons relay operations on the counter. Tests of shared memory are left out
 * then; tests of the link and of the daemons are added.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "tests/integration/sync/end.h"
#include "tests/lib/runner.h"
#include "tests/lib/same_or_other_machine.h"
#include "util/export_descriptor.h"
#include "util/fd.h"

#define TEST_S (RUNNER_TEST_S + 20)

static struct lab lab;

static const enum lab_side other_side[] = {[LAB_HOST] = LAB_DPU, [LAB_DPU] = LAB_HOST};

static void setup(void)
{
	leaks_setup();
	/* A connection that ends here does not come back. */
	setenv("DOCOCORED_RELAY_WAIT_MS", "0", 1);
	machines_start(&lab);
	leaks_allow_fds(1);
}

static void teardown(void)
{
	for (enum lab_side side = LAB_HOST; side < LAB_N_SIDES; side++) {
		lab_await(&lab, side, LAB_EXPORTS, 0, 5000);
		lab_await(&lab, side, LAB_IMPORTS, 0, 5000);
	}
	machines_stop(&lab);
	leaks_teardown();
}

/* --- a process that exports and executes commands --- */

enum order {
	ORDER_SET,
	ORDER_ADD,
	ORDER_GET,
	ORDER_WAIT_EQ,
	ORDER_GARBAGE,
	ORDER_ASK_DAEMON,
	ORDER_STOP,
	ORDER_END
};

struct order_msg {
	enum order order;
	uint64_t value;
};

/* Overwrites the shared pages, except the counter. */
static void overwrite_pages(const struct sync_end *end)
{
	char line[256], name[64];
	FILE *maps = fopen("/proc/self/maps", "re");
	uintptr_t from, to;
	uint64_t huge = UINT64_MAX - 1;

	(void)end;
	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps) != NULL) {
		bool is_sleep_words = strstr(line, "doca-sync-words") != NULL;

		if ((!is_sleep_words && strstr(line, "doca-sync-value") == NULL) ||
		    sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		for (uintptr_t at = from + (is_sleep_words ? 0 : 64); at < to; at += 8)
			*(volatile uint64_t *)at = 0x9e3779b97f4a7c15ull * at;
	}
	fclose(maps);
	for (int fd = 3; fd < 64; fd++) {
		ssize_t n;

		snprintf(line, sizeof(line), "/proc/self/fd/%d", fd);
		n = readlink(line, name, sizeof(name) - 1);
		if (n > 0 && memcmp(name, "anon_inode:[eventfd]", 20) == 0 &&
		    write(fd, &huge, sizeof(huge)) < 0)
			continue;
	}
}

static void execute_orders(int sock, struct sync_end *end)
{
	struct doca_devinfo **list;
	struct order_msg msg;
	uint64_t answer;
	uint32_t n;

	for (;;) {
		lab_recv(sock, &msg, sizeof(msg));
		answer = 0;
		switch (msg.order) {
		case ORDER_SET:
			OK(doca_sync_event_update_set(end->event, msg.value));
			break;
		case ORDER_ADD:
			OK(doca_sync_event_update_add(end->event, msg.value, &answer));
			break;
		case ORDER_GET:
			OK(doca_sync_event_get(end->event, &answer));
			break;
		case ORDER_WAIT_EQ:
			OK(doca_sync_event_wait_eq_yield(end->event, msg.value, SYNC_ALL));
			break;
		case ORDER_GARBAGE:
			overwrite_pages(end);
			break;
		case ORDER_ASK_DAEMON:
			OK(doca_devinfo_create_list(&list, &n));
			OK(doca_devinfo_destroy_list(list));
			break;
		case ORDER_STOP:
			OK(doca_sync_event_stop(end->event));
			break;
		case ORDER_END:
			sync_end_close(end);
			return;
		}
		lab_send(sock, &answer, sizeof(answer));
	}
}

static void exporter_main(int sock, void *arg)
{
	struct sync_desc desc;
	struct sync_end end;

	sync_end_export(&end, arg, &desc);
	lab_send(sock, &desc, sizeof(desc));
	execute_orders(sock, &end);
}

struct exporting {
	struct lab_child child;
	struct sync_desc desc;
};

static void exporting_start(struct exporting *x, struct sync_spec *spec)
{
	x->child = lab_fork(&lab, spec->side, exporter_main, spec);
	lab_recv(x->child.sock, &x->desc, sizeof(x->desc));
}

static void send_order(struct exporting *x, enum order order, uint64_t value)
{
	struct order_msg msg = {.order = order, .value = value};

	lab_send(x->child.sock, &msg, sizeof(msg));
}

static uint64_t receive_result(struct exporting *x)
{
	uint64_t answer;

	lab_recv(x->child.sock, &answer, sizeof(answer));
	return answer;
}

static uint64_t request(struct exporting *x, enum order order, uint64_t value)
{
	send_order(x, order, value);
	return receive_result(x);
}

static void exporting_end(struct exporting *x)
{
	send_order(x, ORDER_END, 0);
	lab_join(&x->child);
}

/* --- normal operation --- */

/* _i: the exporter's side. */
START_TEST(test_both_change_it)
{
	struct sync_spec spec = {.side = _i}, mine = {.side = other_side[_i]};
	struct exporting x;
	struct sync_end end;
	uint64_t value;

	exporting_start(&x, &spec);
	lab_use(&lab, mine.side);
	sync_end_import(&end, &mine, &x.desc);
	OK(doca_sync_event_get(end.event, &value));
	ck_assert_uint_eq(value, 0);
	request(&x, ORDER_SET, 0xfedcba9876543210ull);
	OK(doca_sync_event_wait_eq(end.event, 0xfedcba9876543210ull, SYNC_ALL));
	OK(doca_sync_event_update_add(end.event, 0x10, &value));
	ck_assert_uint_eq(value, 0xfedcba9876543210ull);
	ck_assert_uint_eq(request(&x, ORDER_GET, 0), 0xfedcba9876543220ull);
	/* Each sleeps for the other in turn. */
	OK(doca_sync_event_update_set(end.event, 0));
	for (uint64_t n = 1; n < 400; n += 2) {
		send_order(&x, ORDER_WAIT_EQ, n);
		OK(doca_sync_event_update_set(end.event, n));
		receive_result(&x);
		send_order(&x, ORDER_ADD, 1);
		OK(doca_sync_event_wait_gt_yield(end.event, n, SYNC_ALL));
		ck_assert_uint_eq(receive_result(&x), n);
	}
	sync_end_close(&end);
	exporting_end(&x);
}
END_TEST

START_TEST(test_several_importers)
{
	struct sync_spec spec = {.side = _i}, mine = {.side = other_side[_i]};
	struct sync_end ends[5];
	struct exporting x;
	uint64_t value;

	exporting_start(&x, &spec);
	lab_use(&lab, mine.side);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		mine.with_tasks = i % 2;
		sync_end_import(&ends[i], &mine, &x.desc);
		if (mine.with_tasks)
			sync_end_submit(&ends[i], true, 7, SYNC_ALL);
	}
	for (size_t i = 0; i < ARRAY_LEN(ends); i += 2)
		OK(doca_sync_event_update_add(ends[i].event, 1, &value));
	ck_assert_uint_eq(request(&x, ORDER_ADD, 4), 3);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		if (i % 2) {
			sync_end_await(&ends[i], 1, true);
			ck_assert_uint_eq(ends[i].n_ok, 1);
		} else {
			OK(doca_sync_event_wait_eq_yield(ends[i].event, 7, SYNC_ALL));
		}
		sync_end_close(&ends[i]);
	}
	exporting_end(&x);
}
END_TEST

/* --- concurrent additions --- */

#define N_ADDERS 2
#define N_ADDS   400u
#define MAX_SUM  (1u << 22)

struct added {
	uint64_t before[N_ADDS];
};

static void adder_main(int sock, void *arg)
{
	struct sync_spec mine = {.side = *(enum lab_side *)arg};
	struct added added;
	struct sync_desc desc;
	struct sync_end end;

	lab_recv(sock, &desc, sizeof(desc));
	sync_end_import(&end, &mine, &desc);
	lab_signal(sock);
	lab_wait(sock);
	for (unsigned i = 0; i < N_ADDS; i++)
		OK(doca_sync_event_update_add(end.event, 1, &added.before[i]));
	lab_send(sock, &added, sizeof(added));
	lab_wait(sock);
	sync_end_close(&end);
}

/*
 * Additions of the exporter, without a pause until the others have finished. Marks the values that
 * it saw.
 */
static uint64_t add_concurrently(struct doca_sync_event *event,
				 const struct lab_child adders[N_ADDERS], bool *is_seen)
{
	struct pollfd done[N_ADDERS];
	uint64_t value, n = 0;
	int n_done = 0;

	for (int i = 0; i < N_ADDERS; i++)
		done[i] = (struct pollfd){.fd = adders[i].sock, .events = POLLIN};
	while (n_done < N_ADDERS) {
		for (int i = 0; i < 100 && n < MAX_SUM - N_ADDERS * N_ADDS; i++, n++) {
			OK(doca_sync_event_update_add(event, 1, &value));
			ck_assert_uint_lt(value, MAX_SUM);
			ck_assert(!is_seen[value]);
			is_seen[value] = true;
		}
		n_done = poll(done, N_ADDERS, 0);
		ck_assert_int_ge(n_done, 0);
	}
	return n;
}

/* No addition is lost, and no two return the same previous value. _i: the exporter's side. */
START_TEST(test_all_add)
{
	struct sync_spec spec = {.side = _i};
	enum lab_side other = other_side[_i];
	bool *is_seen = calloc(MAX_SUM, sizeof(*is_seen));
	struct lab_child adders[N_ADDERS];
	struct added added;
	struct sync_desc desc;
	struct sync_end end;
	uint64_t n, value;

	ck_assert_ptr_nonnull(is_seen);
	for (int i = 0; i < N_ADDERS; i++)
		adders[i] = lab_fork(&lab, other, adder_main, &other);
	lab_use(&lab, _i);
	sync_end_export(&end, &spec, &desc);
	for (int i = 0; i < N_ADDERS; i++)
		lab_send(adders[i].sock, &desc, sizeof(desc));
	for (int i = 0; i < N_ADDERS; i++)
		lab_wait(adders[i].sock);
	for (int i = 0; i < N_ADDERS; i++)
		lab_signal(adders[i].sock);
	n = add_concurrently(end.event, adders, is_seen);
	for (int i = 0; i < N_ADDERS; i++) {
		lab_recv(adders[i].sock, &added, sizeof(added));
		for (unsigned k = 0; k < N_ADDS; k++) {
			ck_assert_uint_lt(added.before[k], n + (uint64_t)N_ADDERS * N_ADDS);
			ck_assert(!is_seen[added.before[k]]);
			is_seen[added.before[k]] = true;
		}
		lab_signal(adders[i].sock);
		lab_join(&adders[i]);
	}
	OK(doca_sync_event_get(end.event, &value));
	ck_assert_uint_eq(value, n + (uint64_t)N_ADDERS * N_ADDS);
	sync_end_close(&end);
	free(is_seen);
}
END_TEST

/* Waiting tasks, and some in progress, end with the context. */
START_TEST(test_stopped_meanwhile)
{
	struct sync_spec spec = {.side = _i};
	struct sync_spec mine = {.side = other_side[_i], .with_tasks = true};
	struct exporting x;
	struct sync_end end;
	uint64_t value;

	exporting_start(&x, &spec);
	lab_use(&lab, mine.side);
	sync_end_import(&end, &mine, &x.desc);
	sync_end_add(&end, 3);
	sync_end_await(&end, 1, true);
	ck_assert_uint_eq(end.fetched, 0);
	for (uint64_t i = 0; i < 8; i++)
		sync_end_submit(&end, i % 2, i % 2 ? 1000 + i : 3, SYNC_ALL);
	for (int i = 0; i < 8; i++)
		sync_end_add(&end, 0);
	(void)doca_ctx_stop(end.ctx);
	use_ctx_await(end.pe, end.ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(end.n_ok + end.n_failed, 17);
	ck_assert_uint_ge(end.n_failed, 8);
	value = request(&x, ORDER_GET, 0);
	ck_assert_uint_eq(value, 3);
	sync_end_close(&end);
	exporting_end(&x);
}
END_TEST

/* The counter is in memory from dococ_mem_alloc(), which can be shared. */
static void user_memory_exporter(int sock, void *arg)
{
	struct sync_spec spec = {.side = LAB_HOST, .is_in_buf = *(const bool *)arg};
	struct sync_desc desc;
	struct sync_end end;
	void *memory;

	OK(dococ_mem_alloc(8192, &memory, NULL));
	spec.addr = (uint64_t *)memory + 515;
	*spec.addr = 41;
	sync_end_export(&end, &spec, &desc);
	lab_send(sock, &desc, sizeof(desc));
	lab_wait(sock);
	/* A store that bypasses the library: sleepers detect it all the same. */
	__atomic_store_n(spec.addr, 43, __ATOMIC_RELEASE);
	OK(doca_sync_event_wait_eq_yield(end.event, 44, SYNC_ALL));
	lab_signal(sock);
	lab_wait(sock);
	sync_end_close(&end);
	OK(dococ_mem_free(memory));
}

/* _i: passed as a buffer. */
START_TEST(test_user_memory)
{
	bool is_in_buf = _i;
	struct lab_child child = lab_fork(&lab, LAB_HOST, user_memory_exporter, &is_in_buf);
	struct sync_spec mine = {.side = LAB_DPU};
	struct sync_desc desc;
	struct sync_end end, tasks;
	uint64_t value;

	lab_recv(child.sock, &desc, sizeof(desc));
	lab_use(&lab, LAB_DPU);
	sync_end_import(&end, &mine, &desc);
	OK(doca_sync_event_update_add(end.event, 1, &value));
	ck_assert_uint_eq(value, 41);
	mine.with_tasks = true;
	sync_end_import(&tasks, &mine, &desc);
	sync_end_submit(&tasks, true, 43, SYNC_ALL);
	ck_assert_uint_eq(doca_pe_progress(tasks.pe), 0);
	/* Armed before the store. */
	OK(doca_pe_request_notification(tasks.pe));
	lab_signal(child.sock);
	OK(doca_sync_event_wait_eq_yield(end.event, 43, SYNC_ALL));
	ck_assert_int_eq(epoll_wait(tasks.epoll_fd, &(struct epoll_event){0}, 1, -1), 1);
	OK(doca_pe_clear_notification(tasks.pe, 0));
	sync_end_await(&tasks, 1, true);
	ck_assert_uint_eq(tasks.n_ok, 1);
	OK(doca_sync_event_update_set(end.event, 44));
	lab_wait(child.sock);
	sync_end_close(&tasks);
	sync_end_close(&end);
	lab_signal(child.sock);
	lab_join(&child);
}
END_TEST

/* The user unmaps its memory, against the rules: operations of others must not crash a process. */
static void unmapping_exporter(int sock, void *arg)
{
	struct sync_spec spec = {.side = LAB_HOST};
	struct sync_desc desc;
	struct sync_end end;
	void *memory;

	(void)arg;
	OK(dococ_mem_alloc(8192, &memory, NULL));
	spec.addr = memory;
	*spec.addr = 41;
	sync_end_export(&end, &spec, &desc);
	ck_assert_int_eq(munmap(memory, 4096), 0);
	lab_send(sock, &desc, sizeof(desc));
	lab_wait(sock);
	sync_end_close(&end);
	OK(dococ_mem_free(memory));
}

START_TEST(test_user_memory_is_gone)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, unmapping_exporter, NULL);
	struct sync_spec mine = {.side = LAB_DPU};
	struct sync_desc desc;
	struct sync_end end;
	uint64_t value;

	lab_recv(child.sock, &desc, sizeof(desc));
	lab_use(&lab, LAB_DPU);
	sync_end_import(&end, &mine, &desc);
	OK(doca_sync_event_update_add(end.event, 1, &value));
	ck_assert_uint_eq(value, 41);
	OK(doca_sync_event_get(end.event, &value));
	ck_assert_uint_eq(value, 42);
	sync_end_close(&end);
	lab_signal(child.sock);
	lab_join(&child);
}
END_TEST

/* --- the exporter ends while others wait --- */

enum form {
	WAIT_GT,
	WAIT_EQ,
	WAIT_NEQ,
	YIELD_GT,
	YIELD_EQ,
	YIELD_NEQ,
	TASKS_POLLED,
	TASKS_ASLEEP,
	N_FORMS,
};

struct waiter_arg {
	enum form form;
	enum lab_side side;
	struct sync_desc desc;
};

static void waiter_main(int sock, void *arg)
{
	const struct waiter_arg *w = arg;
	struct sync_spec mine = {.side = w->side, .with_tasks = w->form >= TASKS_POLLED};
	doca_error_t result = DOCA_SUCCESS;
	struct sync_end end;
	uint64_t value;

	sync_end_import(&end, &mine, &w->desc);
	/* If the path to the counter must be connected, it is. */
	if (mine.with_tasks) {
		sync_end_add(&end, 0);
		sync_end_await(&end, 1, w->form == TASKS_ASLEEP);
		for (unsigned i = 0; i < 3; i++)
			sync_end_submit(&end, i != 0, i, SYNC_ALL);
	} else {
		OK(doca_sync_event_get(end.event, &value));
	}
	lab_signal(sock);
	switch (w->form) {
	case WAIT_GT:
		result = doca_sync_event_wait_gt(end.event, 0, SYNC_ALL);
		break;
	case WAIT_EQ:
		result = doca_sync_event_wait_eq(end.event, 1, SYNC_ALL);
		break;
	case WAIT_NEQ:
		result = doca_sync_event_wait_neq(end.event, 0, SYNC_ALL);
		break;
	case YIELD_GT:
		result = doca_sync_event_wait_gt_yield(end.event, 0, SYNC_ALL);
		break;
	case YIELD_EQ:
		result = doca_sync_event_wait_eq_yield(end.event, 1, SYNC_ALL);
		break;
	case YIELD_NEQ:
		result = doca_sync_event_wait_neq_yield(end.event, 0, SYNC_ALL);
		break;
	default:
		sync_end_await(&end, 4, w->form == TASKS_ASLEEP);
		ck_assert_uint_eq(end.n_failed, 3);
		result = end.status;
	}
	EXPECT(DOCA_ERROR_CONNECTION_RESET, result);
	if (!mine.with_tasks) {
		EXPECT(DOCA_ERROR_CONNECTION_RESET, doca_sync_event_get(end.event, &value));
		EXPECT(DOCA_ERROR_CONNECTION_RESET, doca_sync_event_update_set(end.event, 1));
	} else {
		/* A later wait fails as well. */
		sync_end_submit(&end, true, 1, SYNC_ALL);
		sync_end_await(&end, 5, true);
		EXPECT(DOCA_ERROR_CONNECTION_RESET, end.status);
	}
	sync_end_close(&end);
}

/* From outside it can only be seen that it sent its signal, and then sleeps or spins. */
static void waiters_start(struct lab_child children[N_FORMS], struct waiter_arg args[N_FORMS],
			  enum lab_side side, const struct sync_desc *desc)
{
	for (enum form form = 0; form < N_FORMS; form++) {
		args[form] = (struct waiter_arg){.form = form, .side = side, .desc = *desc};
		children[form] = lab_fork(&lab, side, waiter_main, &args[form]);
	}
	for (enum form form = 0; form < N_FORMS; form++)
		lab_wait(children[form].sock);
}

static void waiters_join(struct lab_child children[N_FORMS])
{
	for (enum form form = 0; form < N_FORMS; form++)
		lab_join(&children[form]);
}

START_TEST(test_exporter_killed)
{
	struct sync_spec spec = {.side = _i};
	struct lab_child children[N_FORMS];
	struct waiter_arg args[N_FORMS];
	struct exporting x;

	exporting_start(&x, &spec);
	waiters_start(children, args, other_side[_i], &x.desc);
	lab_kill(&x.child);
	waiters_join(children);
}
END_TEST

START_TEST(test_exporter_stops)
{
	struct sync_spec spec = {.side = _i};
	struct lab_child children[N_FORMS];
	struct waiter_arg args[N_FORMS];
	struct exporting x;

	exporting_start(&x, &spec);
	waiters_start(children, args, other_side[_i], &x.desc);
	request(&x, ORDER_STOP, 0);
	waiters_join(children);
	/* The exporter ends in this state: stopped. */
	exporting_end(&x);
}
END_TEST

/*
 * The exporter's daemon dies first: no process marks the end, but the exit of the exporter is
 * detected.
 */
START_TEST(test_exporter_killed_after_its_daemon)
{
	struct sync_spec spec = {.side = _i};
	struct lab_child children[N_FORMS];
	struct waiter_arg args[N_FORMS];
	struct exporting x;

	exporting_start(&x, &spec);
	waiters_start(children, args, other_side[_i], &x.desc);
	lab_kill_daemon(&lab, _i);
	lab_kill(&x.child);
	waiters_join(children);
	lab_start_daemon(&lab, _i);
}
END_TEST

#ifdef OVER_TLS
/* --- the path breaks while others wait --- */

/*
 * The link ends after the time that the host's configuration sets; nothing else ends. An event that
 * is not started yet is started then, and its calls report why it cannot be used.
 */
START_TEST(test_the_link_breaks)
{
	const char *own = other_side[_i] == LAB_HOST ? USE_HOST_PF0 : USE_DPU_P0;
	struct sync_spec spec = {.side = _i};
	struct lab_child children[N_FORMS];
	struct waiter_arg args[N_FORMS];
	struct exporting x;
	struct doca_sync_event *event;
	struct doca_dev *dev;
	uint64_t value;

	exporting_start(&x, &spec);
	waiters_start(children, args, other_side[_i], &x.desc);
	lab_use(&lab, other_side[_i]);
	dev = use_dev(own);
	OK(doca_sync_event_create_from_export(dev, x.desc.bytes, x.desc.len, &event));
	tls_lab_configure_host(&machines_tls, "host", "nobody", "timeout_ms = 60000\n");
	lab_reload(&lab, LAB_HOST, machines_tls.config[LAB_HOST]);
	waiters_join(children);
	OK(doca_sync_event_start(event));
	EXPECT(DOCA_ERROR_CONNECTION_RESET, doca_sync_event_get(event, &value));
	EXPECT(DOCA_ERROR_CONNECTION_RESET, doca_sync_event_wait_gt_yield(event, 0, SYNC_ALL));
	OK(doca_sync_event_stop(event));
	OK(doca_sync_event_destroy(event));
	OK(doca_dev_close(dev));
	ck_assert_uint_eq(request(&x, ORDER_ADD, 1), 0);
	tls_lab_configure_host(&machines_tls, "host", "dpu", "timeout_ms = 60000\n");
	lab_reload(&lab, LAB_HOST, machines_tls.config[LAB_HOST]);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, 20000);
	exporting_end(&x);
}
END_TEST

/*
 * An operator revokes the export, or drops the importers' connections to their daemon, which
 * continues.
 */
START_TEST(test_an_operator_ends_it)
{
	struct sync_spec spec = {.side = LAB_HOST};
	struct lab_child children[N_FORMS];
	struct waiter_arg args[N_FORMS];
	struct exporting x;

	exporting_start(&x, &spec);
	waiters_start(children, args, LAB_DPU, &x.desc);
	if (_i == 0)
		tls_lab_admin_all(&lab, LAB_HOST, "exports", "revoke");
	else
		tls_lab_admin_all(&lab, LAB_DPU, "clients", "drop");
	waiters_join(children);
	ck_assert_uint_eq(request(&x, ORDER_ADD, 1), 0);
	exporting_end(&x);
}
END_TEST

/*
 * Bit 0: the side whose daemon ends; bit 1: it is killed, otherwise stopped. The exporter is the
 * host. A new importer is served.
 */
START_TEST(test_a_daemon_goes)
{
	struct sync_spec spec = {.side = LAB_HOST}, mine = {.side = LAB_DPU};
	enum lab_side side = _i & 1 ? LAB_DPU : LAB_HOST;
	struct lab_child children[N_FORMS];
	struct waiter_arg args[N_FORMS];
	struct exporting x;
	struct sync_end end;
	uint64_t value;

	exporting_start(&x, &spec);
	waiters_start(children, args, LAB_DPU, &x.desc);
	if (_i & 2)
		lab_kill_daemon(&lab, side);
	else
		lab_stop_daemon(&lab, side);
	waiters_join(children);
	lab_start_daemon(&lab, side);
	request(&x, ORDER_ASK_DAEMON, 0);
	request(&x, ORDER_SET, 5);
	if (side == LAB_DPU) {
		lab_use(&lab, LAB_DPU);
		sync_end_import(&end, &mine, &x.desc);
		OK(doca_sync_event_update_add(end.event, 1, &value));
		ck_assert_uint_eq(value, 5);
		sync_end_close(&end);
	}
	exporting_end(&x);
}
END_TEST

static void setup_persistent(void)
{
	leaks_setup();
	/* The wait ends while the daemon is still away. */
	setenv("DOCOCORED_RELAY_WAIT_MS", "200", 1);
	tls_lab_make(&machines_tls, "timeout_ms = 60000\n");
	tls_lab_start_persistent(&machines_tls, &lab, 256);
	leaks_allow_fds(1);
}

/*
 * The exporter is idle and makes no call. Its daemon continues with the saved state, and the same
 * descriptor reaches the event again.
 */
START_TEST(test_the_daemon_is_resumed)
{
	struct sync_spec spec = {.side = LAB_HOST}, mine = {.side = LAB_DPU};
	struct exporting x;
	struct sync_end end;
	uint64_t value;

	exporting_start(&x, &spec);
	lab_use(&lab, LAB_DPU);
	sync_end_import(&end, &mine, &x.desc);
	OK(doca_sync_event_update_add(end.event, 3, &value));
	if (_i)
		lab_kill_daemon(&lab, LAB_HOST);
	else
		lab_stop_daemon(&lab, LAB_HOST);
	EXPECT(DOCA_ERROR_CONNECTION_RESET, doca_sync_event_update_add(end.event, 1, &value));
	sync_end_close(&end);
	lab_start_daemon(&lab, LAB_HOST);
	lab_await_log(&lab, LAB_HOST, "resumed 1 client, 1 export", 20000);
	/* For a moment, the exporter's thread is not connected again. */
	sync_end_import(&end, &mine, &x.desc);
	while (doca_sync_event_get(end.event, &value) != DOCA_SUCCESS) {
		sync_end_close(&end);
		lab_listen(&lab);
		sync_end_import(&end, &mine, &x.desc);
	}
	ck_assert_uint_ge(value, 3);
	ck_assert_uint_le(value, 4);
	OK(doca_sync_event_update_set(end.event, 9));
	ck_assert_uint_eq(request(&x, ORDER_GET, 0), 9);
	sync_end_close(&end);
	exporting_end(&x);
}
END_TEST

static void setup_hasty(void)
{
	leaks_setup();
	setenv("DOCOCORED_RELAY_WAIT_MS", "0", 1);
	tls_lab_make(&machines_tls, TLS_LAB_SILENCE);
	tls_lab_start(&machines_tls, &lab, true, true);
	leaks_allow_fds(1);
}

/* Everything on the other machine is stopped: it is detected after the link's timeout. */
START_TEST(test_the_other_machine_falls_silent)
{
	struct sync_spec spec = {.side = LAB_HOST};
	struct lab_child children[N_FORMS];
	struct waiter_arg args[N_FORMS];
	struct exporting x;

	exporting_start(&x, &spec);
	waiters_start(children, args, LAB_DPU, &x.desc);
	lab_freeze(x.child.pid);
	lab_freeze(lab.daemons[LAB_HOST].pid);
	tls_lab_set_timeout(&machines_tls, &lab, LAB_DPU, 200);
	waiters_join(children);
	tls_lab_set_timeout(&machines_tls, &lab, LAB_DPU, 60000);
	lab_thaw(x.child.pid);
	lab_thaw(lab.daemons[LAB_HOST].pid);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, 20000);
	exporting_end(&x);
}
END_TEST
#endif

/* Established imports continue, and new importers reach the exporter again. */
START_TEST(test_daemon_restarts)
{
	struct sync_spec spec = {.side = _i}, mine = {.side = other_side[_i]};
	struct sync_end end, late;
	struct exporting x;
	uint64_t value;

	exporting_start(&x, &spec);
	lab_use(&lab, mine.side);
	sync_end_import(&end, &mine, &x.desc);
	lab_kill_daemon(&lab, _i);
	request(&x, ORDER_SET, 3);
	OK(doca_sync_event_wait_eq_yield(end.event, 3, SYNC_ALL));
	lab_start_daemon(&lab, _i);
	OK(doca_sync_event_update_add(end.event, 4, &value));
	ck_assert_uint_eq(request(&x, ORDER_GET, 0), 7);
	/* The exporter notices with its next request; then the same descriptor is valid again. */
	request(&x, ORDER_ASK_DAEMON, 0);
	sync_end_import(&late, &mine, &x.desc);
	OK(doca_sync_event_update_add(late.event, 1, &value));
	ck_assert_uint_eq(value, 7);
	send_order(&x, ORDER_WAIT_EQ, 9);
	OK(doca_sync_event_update_add(end.event, 1, &value));
	receive_result(&x);
	request(&x, ORDER_STOP, 0);
	ck_assert_int_eq(doca_sync_event_get(end.event, &value), DOCA_ERROR_CONNECTION_RESET);
	ck_assert_int_eq(doca_sync_event_get(late.event, &value), DOCA_ERROR_CONNECTION_RESET);
	sync_end_close(&late);
	sync_end_close(&end);
	exporting_end(&x);
}
END_TEST

/* --- garbage --- */

START_TEST(test_garbage_beside_the_counter)
{
	struct sync_spec spec = {.side = LAB_HOST}, mine = {.side = LAB_DPU};
	struct sync_end end, tasks;
	struct exporting x;
	uint64_t value;

	exporting_start(&x, &spec);
	lab_use(&lab, LAB_DPU);
	sync_end_import(&end, &mine, &x.desc);
	mine.with_tasks = true;
	sync_end_import(&tasks, &mine, &x.desc);
	for (uint64_t n = 1; n < 20; n++) {
		sync_end_submit(&tasks, true, n, SYNC_ALL);
		request(&x, ORDER_GARBAGE, 0);
		OK(doca_sync_event_update_add(end.event, 1, &value));
		ck_assert_uint_eq(value, n - 1);
		sync_end_await(&tasks, (unsigned)n, true);
		send_order(&x, ORDER_GARBAGE, 0);
		OK(doca_sync_event_wait_eq_yield(end.event, n, SYNC_ALL));
		receive_result(&x);
	}
	ck_assert_uint_eq(tasks.n_failed, 0);
	send_order(&x, ORDER_ADD, 1);
	OK(doca_sync_event_wait_eq_yield(end.event, 20, SYNC_ALL));
	receive_result(&x);
	sync_end_close(&end);
	sync_end_close(&tasks);
	exporting_end(&x);
}
END_TEST

/* --- a third process that tries to keep others asleep --- */

struct importer_arg {
	enum lab_side side;
	struct sync_desc desc;
};

static struct sync_words *find_sleep_words(void)
{
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "re");
	uintptr_t at = 0;

	ck_assert_ptr_nonnull(maps);
	while (at == 0 && fgets(line, sizeof(line), maps) != NULL)
		if (strstr(line, "doca-sync-words") == NULL || sscanf(line, "%lx-", &at) != 1)
			at = 0;
	fclose(maps);
	ck_assert_uint_ne(at, 0);
	return (struct sync_words *)at;
}

/* Returns the event's eventfd: the one with a charge. */
static int find_doorbell(void)
{
	char path[64], text[512];

	for (int fd = 3; fd < 64; fd++) {
		unsigned long long count = 0;
		const char *at;
		FILE *info;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		info = fopen(path, "re");
		if (info == NULL)
			continue;
		text[fread(text, 1, sizeof(text) - 1, info)] = '\0';
		fclose(info);
		at = strstr(text, "eventfd-count:");
		if (at != NULL && sscanf(at, "eventfd-count: %llx", &count) == 1 &&
		    count > UINT64_MAX / 4)
			return fd;
	}
	ck_abort_msg("no eventfd of a sync event");
}

/*
 * Clears, without a pause, all words by which publishers and sleepers notice each other. Begins as
 * soon as it has the exporter's shared memory, and ends when the test sends a message.
 */
static void third_process_main(int sock, void *arg)
{
	const struct importer_arg *third = arg;
	struct sync_spec mine = {.side = third->side};
	struct pollfd order = {.fd = sock, .events = POLLIN};
	struct sync_words *words;
	struct sync_end end;
	int doorbell;

	sync_end_import(&end, &mine, &third->desc);
	words = find_sleep_words();
	doorbell = find_doorbell();
	do {
		for (int i = 0; i < 100; i++) {
			atomic_fetch_and(&words->sleepers, SYNC_SLEEP_FENCE);
			fd_eventfd_clear(doorbell);
		}
	} while (poll(&order, 1, 0) == 0);
	lab_wait(sock);
	sync_end_close(&end);
}

static void publisher_main(int sock, void *arg)
{
	const struct importer_arg *publisher = arg;
	struct sync_spec mine = {.side = publisher->side};
	struct sync_end end;

	sync_end_import(&end, &mine, &publisher->desc);
	lab_signal(sock);
	execute_orders(sock, &end);
}

/* Sleeps until the handle is ready, the only thing that can end it. */
static void sleep_once(struct sync_end *end)
{
	struct epoll_event event;

	ck_assert_int_eq(epoll_wait(end->epoll_fd, &event, 1, -1), 1);
	OK(doca_pe_clear_notification(end->pe, 0));
}

/* Arms, with no earlier wake-up left. */
static void arm_without_pending(struct sync_end *end)
{
	struct epoll_event event;

	ck_assert_uint_eq(doca_pe_progress(end->pe), 0);
	OK(doca_pe_request_notification(end->pe));
	while (epoll_wait(end->epoll_fd, &event, 1, 0) == 1) {
		OK(doca_pe_clear_notification(end->pe, 0));
		OK(doca_pe_request_notification(end->pe));
	}
}

/* The waiter armed while it was alone with the publisher. Then the third process imports. */
static void check_third(struct sync_end *end, struct exporting *publisher, struct importer_arg *arg)
{
	struct sync_words *words = find_sleep_words();
	struct lab_child third;

	sync_end_submit(end, true, 1, SYNC_ALL);
	arm_without_pending(end);
	third = lab_fork(&lab, arg->side, third_process_main, arg);
	/* The daemon wakes it before the third process gets the descriptors. */
	sleep_once(end);
	/* The waiter checks once a second. */
	for (uint64_t value = 1; value <= 2; value++) {
		arm_without_pending(end);
		/* Waits until the word no longer shows a sleeping process. */
		while (atomic_load(&words->sleepers) & SYNC_SLEEP_EVENT)
			sched_yield();
		request(publisher, ORDER_SET, value);
		sleep_once(end);
		sync_end_await(end, (unsigned)value, true);
		ck_assert_uint_eq(end->n_failed, 0);
		sync_end_submit(end, true, value + 1, SYNC_ALL);
	}
	lab_signal(third.sock);
	lab_join(&third);
}

/* _i: the exporter's side. */
START_TEST(test_third_process_clears_words_of_importer)
{
	struct sync_spec spec = {.side = _i};
	struct sync_spec mine = {.side = other_side[_i], .with_tasks = true};
	struct importer_arg arg = {.side = mine.side};
	struct exporting x;
	struct sync_end end;

	exporting_start(&x, &spec);
	lab_use(&lab, mine.side);
	sync_end_import(&end, &mine, &x.desc);
	arg.desc = x.desc;
	check_third(&end, &x, &arg);
	sync_end_close(&end);
	exporting_end(&x);
}
END_TEST

START_TEST(test_third_process_clears_words_of_exporter)
{
	struct sync_spec mine = {.side = _i, .with_tasks = true};
	struct importer_arg arg = {.side = other_side[_i]};
	struct exporting publisher;
	struct sync_end end;

	lab_use(&lab, _i);
	sync_end_export(&end, &mine, &arg.desc);
	publisher.child = lab_fork(&lab, arg.side, publisher_main, &arg);
	lab_wait(publisher.child.sock);
	check_third(&end, &publisher, &arg);
	exporting_end(&publisher);
	sync_end_close(&end);
}
END_TEST

/* --- descriptors --- */

static doca_error_t try_import(struct doca_dev *dev, const void *bytes, size_t len)
{
	struct doca_sync_event *event;
	doca_error_t result = doca_sync_event_create_from_export(dev, bytes, len, &event);

	if (result == DOCA_SUCCESS)
		OK(doca_sync_event_destroy(event));
	return result;
}

START_TEST(test_descriptors)
{
	struct sync_spec spec = {.side = LAB_HOST};
	struct doca_dev *right, *wrong;
	struct sync_desc bad;
	struct exporting x;
	struct export_descriptor real, descriptor;
	uint8_t forged[EXPORT_DESCRIPTOR_LEN];
	struct doca_mmap *mmap;
	struct doca_sync_event_remote_net *remote;

	exporting_start(&x, &spec);
	lab_use(&lab, LAB_DPU);
	right = use_dev(USE_DPU_P0);
	wrong = use_dev(USE_DPU_P1);
	/* Truncated, damaged, or of another kind. */
	for (size_t len = 0; len < x.desc.len; len++)
		EXPECT(DOCA_ERROR_INVALID_VALUE, try_import(right, x.desc.bytes, len));
	for (size_t i = 0; i < x.desc.len; i++) {
		bad = x.desc;
		bad.bytes[i] ^= (uint8_t)(1 << i % 8);
		EXPECT(DOCA_ERROR_INVALID_VALUE, try_import(right, bad.bytes, bad.len));
	}
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_create_from_export(NULL, x.desc.bytes, x.desc.len, right, &mmap));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_sync_event_remote_net_create_from_export(
						 right, x.desc.bytes, x.desc.len, &remote));
	/* Forged with a valid checksum. */
	ck_assert_int_eq(export_descriptor_decode(x.desc.bytes, x.desc.len, &real),
			 EXPORT_DESCRIPTOR_OK);
	for (size_t i = 0; i < sizeof(real.secret); i++) {
		descriptor = real;
		descriptor.secret[i] ^= 1;
		export_descriptor_encode(&descriptor, forged);
		EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(right, forged, sizeof(forged)));
	}
	descriptor = real;
	descriptor.export_id++;
	export_descriptor_encode(&descriptor, forged);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(right, forged, sizeof(forged)));
	descriptor = real;
	descriptor.side = 1;
	export_descriptor_encode(&descriptor, forged);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(right, forged, sizeof(forged)));
	descriptor = real;
	descriptor.kind = 0;
	export_descriptor_encode(&descriptor, forged);
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_create_from_export(NULL, forged, sizeof(forged), right, &mmap));
	/* Used by a device without the exporter's function behind it. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(wrong, x.desc.bytes, x.desc.len));
	/* A longer buffer is accepted; after the stop no import is. */
	EXPECT(DOCA_SUCCESS, try_import(right, x.desc.bytes, sizeof(x.desc.bytes)));
	request(&x, ORDER_STOP, 0);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(right, x.desc.bytes, x.desc.len));
	OK(doca_dev_close(right));
	OK(doca_dev_close(wrong));
	exporting_end(&x);
}
END_TEST

/* An import on the exporter's own side. */
START_TEST(test_own_side_is_the_wrong_side)
{
	struct sync_spec spec = {.side = _i};
	struct exporting x;
	struct doca_dev *dev;

	exporting_start(&x, &spec);
	lab_use(&lab, _i);
	dev = use_dev(_i == LAB_HOST ? USE_HOST_PF0 : USE_DPU_P0);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(dev, x.desc.bytes, x.desc.len));
	OK(doca_dev_close(dev));
	exporting_end(&x);
}
END_TEST

static TCase *new_case(Suite *suite, const char *name, void (*begin)(void))
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, begin, teardown);
	tcase_set_timeout(tcase, TEST_S);
	suite_add_tcase(suite, tcase);
	return tcase;
}

static void add_mode_cases(Suite *suite)
{
#ifdef OVER_TLS
	TCase *tcase = new_case(suite, "ways that break", setup);

	tcase_add_loop_test(tcase, test_the_link_breaks, 0, LAB_N_SIDES);
	tcase_add_loop_test(tcase, test_an_operator_ends_it, 0, 2);
	tcase_add_loop_test(tcase, test_a_daemon_goes, 0, 4);
	tcase = new_case(suite, "restarts", setup_persistent);
	tcase_add_loop_test(tcase, test_the_daemon_is_resumed, 0, 2);
	tcase = new_case(suite, "silence", setup_hasty);
	tcase_add_test(tcase, test_the_other_machine_falls_silent);
#else
	(void)suite;
#endif
}

static void add_local_cases(Suite *suite)
{
	TCase *tcase;

	if (IS_REMOTE)
		return;
	tcase = new_case(suite, "shared memory", setup);
	tcase_add_loop_test(tcase, test_exporter_killed_after_its_daemon, 0, LAB_N_SIDES);
	tcase_add_loop_test(tcase, test_daemon_restarts, 0, LAB_N_SIDES);
	tcase_add_test(tcase, test_garbage_beside_the_counter);
	tcase_add_loop_test(tcase, test_third_process_clears_words_of_importer, 0, LAB_N_SIDES);
	tcase_add_loop_test(tcase, test_third_process_clears_words_of_exporter, 0, LAB_N_SIDES);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = new_case(suite, "sync events", setup);

	tcase_add_loop_test(tcase, test_both_change_it, 0, LAB_N_SIDES);
	tcase_add_loop_test(tcase, test_several_importers, 0, LAB_N_SIDES);
	tcase_add_loop_test(tcase, test_all_add, 0, LAB_N_SIDES);
	tcase_add_loop_test(tcase, test_stopped_meanwhile, 0, LAB_N_SIDES);
	tcase_add_loop_test(tcase, test_user_memory, 0, 2);
	tcase_add_test(tcase, test_user_memory_is_gone);
	tcase_add_loop_test(tcase, test_exporter_killed, 0, LAB_N_SIDES);
	tcase_add_loop_test(tcase, test_exporter_stops, 0, LAB_N_SIDES);
	tcase_add_test(tcase, test_descriptors);
	tcase_add_loop_test(tcase, test_own_side_is_the_wrong_side, 0, LAB_N_SIDES);
	add_local_cases(suite);
	add_mode_cases(suite);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("sync_fault"), add_cases, NULL);
}
