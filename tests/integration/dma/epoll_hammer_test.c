/*
 * No wake-up is lost: programs that only sleep in epoll on the engine's handle handle very many
 * events, in every mode of waiting, with random pauses, work from callbacks, work that exists when
 * they arm, and work that arrives between arming and sleeping. A program that lost its wake-up
 * would sleep for ever and exceed its deadline. DOCO_HAMMER_EVENTS sets the number of events.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/exporter.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"
#include "util/fd.h"

#define N_TASKS        32u
#define COPY_LEN       64u
#define SERVICE        "hammer"
#define DEFAULT_EVENTS 1000000u

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/* --- a thread that notifies at random times --- */

struct ticker {
	pthread_t thread;
	int fd;
	atomic_bool ends;
};

static void *ticker_main(void *arg)
{
	struct ticker *ticker = arg;
	uint32_t seed = 3;

	while (!atomic_load(&ticker->ends)) {
		sleeper_pause(&seed);
		fd_eventfd_ring(ticker->fd);
	}
	return NULL;
}

static void ticker_start(struct ticker *ticker)
{
	ticker->fd = fd_eventfd();
	ck_assert_int_ge(ticker->fd, 0);
	atomic_init(&ticker->ends, false);
	ck_assert_int_eq(pthread_create(&ticker->thread, NULL, ticker_main, ticker), 0);
}

static void ticker_stop(struct ticker *ticker)
{
	atomic_store(&ticker->ends, true);
	ck_assert_int_eq(pthread_join(ticker->thread, NULL), 0);
	fd_close(&ticker->fd);
}

/* --- copies --- */

struct copies;

struct copy {
	struct copies *all;
	struct doca_task *task;
	struct doca_buf *src, *dst;
	struct copy *next;
};

struct copies {
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf_inventory *inventory;
	struct copy copies[N_TASKS], *idle;
	uint64_t n_submitted, n_done, n_failed, n_wanted;
	uint32_t seed;
	void (*on_done)(struct copies *copies);
	void *owner;
};

static bool copies_submit(struct copies *copies)
{
	struct copy *copy = copies->idle;

	if (copy == NULL || copies->n_submitted == copies->n_wanted)
		return false;
	copies->idle = copy->next;
	OK(doca_buf_reset_data_len(copy->dst));
	OK(doca_task_submit(copy->task));
	copies->n_submitted++;
	return true;
}

static void copy_ended(union doca_data task_data, bool is_good)
{
	struct copy *copy = task_data.ptr;
	struct copies *copies = copy->all;

	copies->n_done++;
	copies->n_failed += !is_good;
	copy->next = copies->idle;
	copies->idle = copy;
	if (copies->on_done != NULL)
		copies->on_done(copies);
	else if (sleeper_random(&copies->seed) % 4 != 0)
		copies_submit(copies);
}

static void copy_ok(struct doca_dma_task_memcpy *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task;
	(void)ctx_data;
	copy_ended(task_data, true);
}

static void copy_failed(struct doca_dma_task_memcpy *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task;
	(void)ctx_data;
	copy_ended(task_data, false);
}

static void copies_open(struct copies *copies, struct doca_pe *pe, struct doca_dev *dev,
			struct doca_mmap *from, uint8_t *src, struct doca_mmap *to, uint8_t *dst)
{
	*copies = (struct copies){.pe = pe, .seed = 1};
	OK(doca_dma_create(dev, &copies->dma));
	copies->ctx = doca_dma_as_ctx(copies->dma);
	OK(doca_dma_task_memcpy_set_conf(copies->dma, copy_ok, copy_failed, N_TASKS));
	OK(doca_pe_connect_ctx(pe, copies->ctx));
	OK(doca_ctx_start(copies->ctx));
	OK(doca_buf_inventory_create(2 * N_TASKS, &copies->inventory));
	OK(doca_buf_inventory_start(copies->inventory));
	for (uint32_t i = 0; i < N_TASKS; i++) {
		struct copy *copy = &copies->copies[i];
		struct doca_dma_task_memcpy *task;

		OK(doca_buf_inventory_buf_get_by_data(copies->inventory, from, src + i * COPY_LEN,
						      COPY_LEN, &copy->src));
		OK(doca_buf_inventory_buf_get_by_addr(copies->inventory, to, dst + i * COPY_LEN,
						      COPY_LEN, &copy->dst));
		copy->all = copies;
		OK(doca_dma_task_memcpy_alloc_init(copies->dma, copy->src, copy->dst,
						   (union doca_data){.ptr = copy}, &task));
		copy->task = doca_dma_task_memcpy_as_task(task);
		copy->next = copies->idle;
		copies->idle = copy;
	}
}

static void copies_close(struct copies *copies)
{
	ck_assert_uint_eq(copies->n_failed, 0);
	for (uint32_t i = 0; i < N_TASKS; i++) {
		struct copy *copy = &copies->copies[i];

		doca_task_free(copy->task);
		OK(doca_buf_dec_refcount(copy->src, NULL));
		OK(doca_buf_dec_refcount(copy->dst, NULL));
	}
	OK(doca_ctx_stop(copies->ctx));
	OK(doca_dma_destroy(copies->dma));
	OK(doca_buf_inventory_destroy(copies->inventory));
}

/* A few copies at once. */
static void copies_burst(struct copies *copies)
{
	for (uint32_t n = sleeper_random(&copies->seed) % N_TASKS; n > 0; n--)
		copies_submit(copies);
}

/* Several contexts of one engine, and a ticker. */
static void hammer_copies(struct copies *copies, size_t n, struct sleeper *sleeper)
{
	uint64_t n_wanted = 0, n_done, n_submitted;
	uint32_t seed = 9;

	for (size_t i = 0; i < n; i++)
		n_wanted += copies[i].n_wanted;
	do {
		sleeper_progress(sleeper);
		if (sleeper_random(&seed) % 4 == 0)
			copies_burst(&copies[sleeper_random(&seed) % n]);
		sleeper_arm(sleeper);
		if (sleeper_random(&seed) % 4 == 0)
			copies_burst(&copies[sleeper_random(&seed) % n]);
		if (sleeper_sleep(sleeper)) {
			fd_eventfd_clear(sleeper->also_fd);
			/* Armed or not: whatever is submitted now must be noticed. */
			if (sleeper_random(&seed) % 2 == 0)
				sleeper_arm(sleeper);
			for (size_t i = 0; i < n; i++)
				copies_burst(&copies[i]);
			sleeper_progress(sleeper);
			sleeper_arm(sleeper);
			for (size_t i = 0; i < n; i++)
				copies_burst(&copies[i]);
			n_done = n_submitted = 0;
			for (size_t i = 0; i < n; i++) {
				n_done += copies[i].n_done;
				n_submitted += copies[i].n_submitted;
			}
			/* Only the engine may end this sleep. */
			if (n_submitted > n_done)
				sleeper_sleep_for_pe(sleeper);
		}
		n_done = 0;
		for (size_t i = 0; i < n; i++)
			n_done += copies[i].n_done;
	} while (n_done < n_wanted);
}

static void check_copies(struct doca_dev *dev, struct doca_mmap *remote, uint8_t *theirs,
			 uint64_t n_events)
{
	static uint8_t mine[N_TASKS * COPY_LEN];
	struct doca_mmap *local = use_mmap(dev, mine, sizeof(mine),
					   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct copies copies;
	struct ticker ticker;
	struct doca_pe *pe;

	ticker_start(&ticker);
	for (enum sleeper_method way = 0; way < SLEEPER_N_METHODS; way++) {
		struct sleeper sleeper;

		OK(doca_pe_create(&pe));
		copies_open(&copies, pe, dev, remote, theirs, local, mine);
		copies.n_wanted = n_events / SLEEPER_N_METHODS + 1;
		sleeper_open(&sleeper, pe, way, ticker.fd);
		hammer_copies(&copies, 1, &sleeper);
		ck_assert_uint_gt(sleeper.n_sleeps, 0);
		sleeper_close(&sleeper);
		copies_close(&copies);
		OK(doca_pe_destroy(pe));
	}
	ticker_stop(&ticker);
	use_mmap_end(local);
}

START_TEST(test_copies_local)
{
	static uint8_t memory[N_TASKS * COPY_LEN];
	struct doca_mmap *mmap;
	struct doca_dev *dev;

	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
	dev = use_dev(USE_DPU_P0);
	mmap = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	check_copies(dev, mmap, memory, sleeper_n_events(DEFAULT_EVENTS));
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
}
END_TEST

static void check_import(enum exporter_memory memory, const char *transport)
{
	struct exporter_options options = {.memory = memory,
					   .len = N_TASKS * COPY_LEN,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct exporter exporter;
	struct doca_mmap *remote;
	struct doca_dev *dev;

	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
	exporter_start(&exporter, &lab, &options);
	dev = use_dev(USE_DPU_P0);
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
	ck_assert_str_eq(dococ_mmap_get_transport(remote), transport);
	check_copies(dev, remote, exporter.exported.addr, sleeper_n_events(DEFAULT_EVENTS));
	use_mmap_end(remote);
	OK(doca_dev_close(dev));
	exporter_end(&exporter);
}

START_TEST(test_copies_shm)
{
	check_import(MEMORY_DOCOC, "shm");
}
END_TEST

START_TEST(test_copies_pvm)
{
	check_import(MEMORY_MALLOC, "pvm");
}
END_TEST

/* One engine serves many contexts. */
START_TEST(test_many_contexts)
{
	enum { N = 64 };
	static uint8_t memory[2][N_TASKS * COPY_LEN];
	struct copies *copies = calloc(N, sizeof(*copies));
	uint64_t n_events = sleeper_n_events(DEFAULT_EVENTS);
	struct doca_mmap *mmap;
	struct sleeper sleeper;
	struct ticker ticker;
	struct doca_dev *dev;
	struct doca_pe *pe;

	ck_assert_ptr_nonnull(copies);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
	dev = use_dev(USE_DPU_P0);
	mmap = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_pe_create(&pe));
	for (size_t i = 0; i < N; i++) {
		copies_open(&copies[i], pe, dev, mmap, memory[0], mmap, memory[1]);
		copies[i].n_wanted = n_events / N + 1;
	}
	ticker_start(&ticker);
	sleeper_open(&sleeper, pe, SLEEPER_SELECTIVE, ticker.fd);
	hammer_copies(copies, N, &sleeper);
	sleeper_close(&sleeper);
	ticker_stop(&ticker);
	for (size_t i = 0; i < N; i++)
		copies_close(&copies[i]);
	OK(doca_pe_destroy(pe));
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
	free(copies);
}
END_TEST

/* --- messages --- */

struct end {
	struct talk talk;
	uint64_t n_sent, n_seen, n_wanted;
	uint32_t seed;
	struct copies *copies; /* the server copies something for each message and then replies */
	uint64_t n_outstanding;
	struct doca_comch_connection *connection;
};

static bool end_send(struct end *end)
{
	uint64_t number = end->n_sent;

	if (!talk_send(&end->talk, end->connection, &number, sizeof(number)))
		return false;
	end->n_sent++;
	return true;
}

static void end_check(struct end *end, const uint8_t *bytes, uint32_t len)
{
	uint64_t number;

	EXPECT_TRUE(len == sizeof(number), "a message of %u bytes", len);
	memcpy(&number, bytes, sizeof(number));
	EXPECT_TRUE(number == end->n_seen, "a message is lost or doubled");
	end->n_seen++;
}

static void server_notified(struct talk *talk, struct doca_comch_connection *connection,
			    const uint8_t *bytes, uint32_t len)
{
	struct end *end = talk->owner;

	end_check(end, bytes, len);
	end->connection = connection;
	end->n_outstanding++;
	if (sleeper_random(&end->seed) % 64 == 0)
		sleeper_pause(&end->seed);
	if (end->copies != NULL)
		copies_submit(end->copies);
	else if (end_send(end))
		end->n_outstanding--;
}

static void server_copied(struct copies *copies)
{
	struct end *end = copies->owner;

	if (end->n_outstanding > 0 && end_send(end))
		end->n_outstanding--;
}

static void client_notified(struct talk *talk, struct doca_comch_connection *connection,
			    const uint8_t *bytes, uint32_t len)
{
	struct end *end = talk->owner;

	(void)connection;
	end_check(end, bytes, len);
	/* Sends in the callback, as long as there are messages. */
	if (sleeper_random(&end->seed) % 4 == 0 && end->n_sent < end->n_wanted)
		end_send(end);
}

static void client_main(int sock, void *arg)
{
	enum sleeper_method way = *(const enum sleeper_method *)arg;
	struct end end = {.seed = 5, .n_wanted = 0};
	struct sleeper sleeper;
	enum doca_ctx_states state;
	struct doca_dev *dev;
	struct doca_pe *pe;

	lab_recv(sock, &end.n_wanted, sizeof(end.n_wanted));
	dev = use_dev(USE_HOST_PF0);
	OK(doca_pe_create(&pe));
	sleeper_open(&sleeper, pe, way, -1);
	end.talk.on_message = client_notified;
	end.talk.owner = &end;
	talk_connect(&end.talk, pe, dev, SERVICE, N_TASKS);
	for (;;) {
		OK(doca_ctx_get_state(end.talk.ctx, &state));
		if (state == DOCA_CTX_STATE_RUNNING)
			break;
		sleeper_step(&sleeper);
	}
	talk_connected(&end.talk);
	end.connection = end.talk.connection;
	while (end.n_seen < end.n_wanted) {
		uint32_t n = sleeper_random(&end.seed) % N_TASKS + 1;

		sleeper_pause(&end.seed);
		while (n-- > 0 && end.n_sent < end.n_wanted && end_send(&end))
			continue;
		/* Messages without a reply are in flight; if there is none, a send completes. */
		if (end.n_sent > end.n_seen)
			sleeper_step(&sleeper);
	}
	while (end.talk.n_sent < end.n_sent)
		sleeper_step(&sleeper);
	ck_assert_uint_eq(end.talk.n_failed, 0);
	talk_end(&end.talk);
	sleeper_close(&sleeper);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

static void serve(enum sleeper_method way, uint64_t n_messages, bool with_copies)
{
	static uint8_t memory[2][N_TASKS * COPY_LEN];
	struct lab_child client = lab_fork(&lab, LAB_HOST, client_main, &way);
	struct end end = {.seed = 7, .n_wanted = n_messages};
	struct doca_mmap *mmap = NULL;
	struct sleeper sleeper;
	struct copies copies;
	struct doca_dev *dev;
	struct doca_pe *pe;

	lab_use(&lab, LAB_DPU);
	dev = use_dev(USE_DPU_P0);
	OK(doca_pe_create(&pe));
	sleeper_open(&sleeper, pe, way, -1);
	if (with_copies) {
		mmap = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
		copies_open(&copies, pe, dev, mmap, memory[0], mmap, memory[1]);
		copies.n_wanted = UINT64_MAX;
		copies.on_done = server_copied;
		copies.owner = &end;
		end.copies = &copies;
	}
	end.talk.on_message = server_notified;
	end.talk.owner = &end;
	talk_serve(&end.talk, pe, dev, SERVICE, N_TASKS);
	lab_send(client.sock, &end.n_wanted, sizeof(end.n_wanted));
	while (end.talk.n_left == 0) {
		sleeper_step(&sleeper);
		/* Replies without a free task are sent when a task has completed. */
		while (end.n_outstanding > 0 && end.talk.n_left == 0 &&
		       (!with_copies || copies.n_submitted == copies.n_done) && end_send(&end))
			end.n_outstanding--;
	}
	ck_assert_uint_eq(end.n_seen, n_messages);
	ck_assert_uint_eq(end.n_sent, n_messages);
	ck_assert_uint_gt(sleeper.n_sleeps, 0);
	lab_join(&client);
	talk_end(&end.talk);
	if (with_copies) {
		copies_close(&copies);
		use_mmap_end(mmap);
	}
	sleeper_close(&sleeper);
	OK(doca_pe_destroy(pe));
	OK(doca_dev_close(dev));
}

START_TEST(test_messages)
{
	leaks_allow_fds(1);
	/* A round trip is two events. */
	serve((enum sleeper_method)_i, sleeper_n_events(DEFAULT_EVENTS) / 2 / SLEEPER_N_METHODS,
	      false);
}
END_TEST

/* A server and a DMA context on one engine. */
START_TEST(test_messages_and_copies)
{
	leaks_allow_fds(1);
	serve((enum sleeper_method)_i, sleeper_n_events(DEFAULT_EVENTS) / 3 / SLEEPER_N_METHODS,
	      true);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("hammer");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_copies_local);
	tcase_add_test(tcase, test_copies_shm);
	tcase_add_test(tcase, test_copies_pvm);
	tcase_add_test(tcase, test_many_contexts);
	tcase_add_loop_test(tcase, test_messages, 0, SLEEPER_N_METHODS);
	tcase_add_loop_test(tcase, test_messages_and_copies, 0, SLEEPER_N_METHODS);
}

int main(void)
{
	lab_require();
	return runner_main("epoll_hammer", add_cases, NULL);
}
