/*
 * Operators' view of a program's work, compared with the actual work, number by number: for each
 * kind of object, also while the program hangs, after it forked, and after its daemon was
 * restarted. The parent only reads, with doca-admin; the programs are children.
 */
#include <doca_comch.h>
#include <doca_compress.h>
#include <doca_erasure_coding.h>
#include <doca_graph.h>
#include <doca_aes_gcm.h>
#include <doca_sha.h>
#include <doca_sync_event.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define WAIT_MS 10000

static struct lab lab;
static const union doca_data no_data;
static char picture[1u << 20];

static const char *admin_path(void)
{
	static char path[4096];
	const char *build = getenv("top_builddir");

	snprintf(path, sizeof(path), "%s/doca-admin", build == NULL ? "." : build);
	return path;
}

static void set_up_with(size_t fd_store)
{
	const struct lab_options options = {.fd_store = fd_store};

	leaks_setup();
	lab_start(&lab, &options);
}

static void set_up(void)
{
	set_up_with(0);
}

static void tear_down(void)
{
	lab_stop(&lab);
	leaks_teardown();
}

/* --- reading --- */

/* Reads doca-admin's JSON output about a program: one key per line, in the order of the records. */
static void look(enum lab_side side, const char *noun, pid_t pid)
{
	char command[8192];
	FILE *f;
	size_t n;

	snprintf(command, sizeof(command), "%s %s --json --dir %s --side %s --pid %d", admin_path(),
		 noun, lab.dir, side == LAB_HOST ? "host" : "dpu", (int)pid);
	f = popen(command, "re");
	ck_assert_ptr_nonnull(f);
	n = fread(picture, 1, sizeof(picture) - 1, f);
	picture[n] = '\0';
	ck_assert_msg(pclose(f) == 0, "%s", command);
}

/* Returns the first record of a kind, or the first of all. */
static const char *record_of(const char *kind)
{
	char line[64];
	const char *at = picture;

	if (kind != NULL) {
		snprintf(line, sizeof(line), "\"kind\": \"%s\"", kind);
		at = strstr(picture, line);
	}
	ck_assert_msg(at != NULL, "no %s in %s", kind, picture);
	return at;
}

static uint64_t number_at(const char *at, const char *key)
{
	char line[64];
	const char *found;

	snprintf(line, sizeof(line), "\"%s\": ", key);
	found = strstr(at, line);
	ck_assert_msg(found != NULL, "no %s", key);
	return strtoull(found + strlen(line), NULL, 10);
}

static uint64_t number(const char *kind, const char *key)
{
	return number_at(record_of(kind), key);
}

#define ck_number(kind, key, expected)                                                        \
	do {                                                                                  \
		uint64_t got_ = number(kind, key);                                            \
		ck_assert_msg(got_ == (uint64_t)(expected), "%s of %s: %" PRIu64 ": %s", key, \
			      (kind) == NULL ? "it" : (const char *)(kind), got_, picture);   \
	} while (0)

/* Stops the program until it is continued. */
static void hang(const struct lab_child *child)
{
	lab_freeze(child->pid);
}

static void let_go(struct lab_child *child)
{
	lab_thaw(child->pid);
	lab_signal(child->sock);
	lab_join(child);
}

/* --- copies --- */

struct calls {
	uint64_t n_busy, n_empty;
};

/* Progresses until there is no more work, plus one empty call. */
static void run_dry(struct doca_pe *pe, struct calls *calls)
{
	while (doca_pe_progress(pe) != 0)
		calls->n_busy++;
	calls->n_empty++;
}

#define N_GOOD    100u
#define N_BAD     3u
#define N_WAITING 5u
#define COPY_LEN  64u

static void copies_submit(struct use_dma *use, struct doca_mmap *mmap, uint8_t *at, unsigned n,
			  size_t len)
{
	for (unsigned i = 0; i < n; i++) {
		struct doca_buf *src = use_src(use, mmap, at, COPY_LEN);
		struct doca_buf *dst = use_dst(use, mmap, at + COPY_LEN, COPY_LEN);

		OK(doca_buf_set_data(src, at, len));
		OK(doca_task_submit(use_task(use, src, dst)));
	}
}

static uint8_t memory[2 * COPY_LEN];

/* Buffers stay allocated until the inventory is destroyed, which is good enough here. */
static void copies(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct calls calls = {0, 0};
	struct use_dma use;

	(void)arg;
	use_dma_open(&use, dev, 16);
	OK(doca_buf_inventory_create(1024, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_destroy(use.inventory));
	use.inventory = inventory;
	mmap = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	for (unsigned i = 0; i < N_GOOD / 10; i++) {
		copies_submit(&use, mmap, memory, 10, COPY_LEN);
		run_dry(use.pe, &calls);
	}
	/* An empty copy fails, which stops the context. */
	for (unsigned i = 0; i < N_BAD; i++) {
		copies_submit(&use, mmap, memory, 1, 0);
		run_dry(use.pe, &calls);
		OK(doca_ctx_start(use.ctx));
	}
	copies_submit(&use, mmap, memory, N_WAITING, COPY_LEN);
	OK(doca_pe_request_notification(use.pe));
	lab_send(sock, &calls, sizeof(calls));
	lab_wait(sock);
	use_dma_await(&use, N_GOOD + N_BAD + N_WAITING);
	lab_signal(sock);
	lab_wait(sock);
	_exit(0);
}

static void check_copies(const struct calls *calls, pid_t pid)
{
	look(LAB_HOST, "counters", pid);
	ck_number("dma", "n_completed", N_GOOD + N_BAD);
	ck_number("dma", "n_submitted", N_GOOD + N_BAD + N_WAITING);
	ck_number("dma", "n_errors", N_BAD);
	ck_number("dma", "depth", N_WAITING);
	ck_number("dma", "moved_bytes", N_GOOD * COPY_LEN);
	ck_assert_uint_ge(number("dma", "max_depth"), 1);
	ck_assert_uint_le(number("dma", "max_depth"), 10);
	ck_assert_uint_ge(number("dma", "n_timed"), 1);
	ck_assert_uint_le(number("dma", "n_timed"), N_GOOD + N_BAD);
	ck_number("pe", "n_busy", calls->n_busy);
	ck_number("pe", "n_empty", calls->n_empty);
	/* The pages name its engine. */
	ck_number("dma", "pe", number(NULL, "id"));
	look(LAB_HOST, "clients", pid);
	ck_number(NULL, "n_completed", N_GOOD + N_BAD);
	ck_number(NULL, "depth", N_WAITING);
	ck_number(NULL, "moved_bytes", N_GOOD * COPY_LEN);
	ck_number(NULL, "n_busy", calls->n_busy);
}

static void run_copies(void (*between)(void))
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, copies, NULL);
	struct calls calls;

	lab_recv(child.sock, &calls, sizeof(calls));
	hang(&child);
	if (between != NULL)
		between();
	check_copies(&calls, child.pid);
	lab_thaw(child.pid);
	lab_signal(child.sock);
	lab_wait(child.sock);
	look(LAB_HOST, "counters", child.pid);
	ck_number("dma", "depth", 0);
	ck_number("dma", "n_completed", N_GOOD + N_BAD + N_WAITING);
	lab_signal(child.sock);
	lab_join(&child);
}

START_TEST(copies_of_one_that_hangs)
{
	run_copies(NULL);
}
END_TEST

static void set_up_store(void)
{
	set_up_with(256);
}

static void restart_daemon(void)
{
	lab_stop_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
}

/* The client is stopped all the time. */
START_TEST(copies_over_a_restart)
{
	run_copies(restart_daemon);
}
END_TEST

/* The pages are dropped with the last object; the next object gets new ones. */
static void replacer(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_pe *pe;

	(void)arg;
	for (unsigned i = 0; i < 3; i++) {
		OK(doca_pe_create(&pe));
		for (unsigned n = 0; n < 2 + i; n++)
			doca_pe_progress(pe);
		if (i < 2)
			OK(doca_pe_destroy(pe));
	}
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_pe_destroy(pe));
	use_dev_end(dev);
	_exit(0);
}

START_TEST(sums_over_a_restart)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, replacer, NULL);

	lab_wait(child.sock);
	for (int i = 0; i < 2; i++) {
		look(LAB_HOST, "counters", child.pid);
		ck_number("pe", "n_empty", 4);
		look(LAB_HOST, "clients", child.pid);
		ck_number(NULL, "n_empty", 2 + 3 + 4);
		restart_daemon();
	}
	lab_signal(child.sock);
	lab_join(&child);
}
END_TEST

/* --- a daemon without its saved state --- */

static void reconnector(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_mmap *mmap = use_mmap(dev, memory, sizeof(memory),
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_dev *other;
	struct use_dma use;

	(void)arg;
	use_dma_open(&use, dev, 16);
	copies_submit(&use, mmap, memory, 4, COPY_LEN);
	lab_signal(sock);
	lab_wait(sock);
	other = use_dev(USE_HOST_PF0);
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_dev_close(other));
	_exit(0);
}

START_TEST(pages_come_with_the_next_connection)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, reconnector, NULL);

	lab_wait(child.sock);
	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	lab_signal(child.sock);
	lab_wait(child.sock);
	look(LAB_HOST, "counters", child.pid);
	ck_number("dma", "n_submitted", 4);
	ck_number("dma", "depth", 4);
	lab_signal(child.sock);
	lab_join(&child);
}
END_TEST

/* --- forks --- */

static void forker(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_pe *pe;
	int status;
	pid_t pid;

	(void)arg;
	OK(doca_pe_create(&pe));
	for (int i = 0; i < 3; i++)
		doca_pe_progress(pe);
	pid = fork();
	if (pid == 0) {
		struct doca_pe *own;

		/* None of this may change the parent's counters. */
		for (int i = 0; i < 1000; i++)
			doca_pe_progress(pe);
		doca_pe_destroy(pe);
		if (doca_pe_create(&own) != DOCA_SUCCESS)
			_exit(1);
		for (int i = 0; i < 5; i++)
			doca_pe_progress(own);
		_exit(doca_pe_destroy(own) == DOCA_SUCCESS ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	doca_pe_progress(pe);
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_pe_destroy(pe));
	use_dev_end(dev);
}

START_TEST(a_child_counts_for_itself)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, forker, NULL);

	lab_wait(child.sock);
	look(LAB_HOST, "counters", child.pid);
	ck_number("pe", "n_empty", 4);
	lab_signal(child.sock);
	lab_join(&child);
}
END_TEST

/* --- other libraries in one process --- */

#define N_HASHES 7u
#define HASH_LEN 1000u
#define N_NODES  3u

static void hash_done(struct doca_sha_task_hash *task, union doca_data data,
		      union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	doca_task_free(doca_sha_task_hash_as_task(task));
}

static struct doca_sha *sha;
static struct doca_mmap *hashed_map;
static struct doca_buf_inventory *inventory;
static uint8_t hashed[HASH_LEN + 64];

static struct doca_task *hash_task(void)
{
	struct doca_sha_task_hash *task;
	struct doca_buf *src, *dst;

	OK(doca_buf_inventory_buf_get_by_data(inventory, hashed_map, hashed, HASH_LEN, &src));
	OK(doca_buf_inventory_buf_get_by_addr(inventory, hashed_map, hashed + HASH_LEN, 32, &dst));
	OK(doca_sha_task_hash_alloc_init(sha, DOCA_SHA_ALGORITHM_SHA256, src, dst, no_data, &task));
	return doca_sha_task_hash_as_task(task);
}

static void run_hashes(struct doca_pe *pe, struct doca_dev *dev)
{
	struct calls calls = {0, 0};

	hashed_map = use_mmap(dev, hashed, sizeof(hashed), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_buf_inventory_create(64, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_sha_create(dev, &sha));
	OK(doca_sha_task_hash_set_conf(sha, hash_done, hash_done, 4));
	OK(doca_pe_connect_ctx(pe, doca_sha_as_ctx(sha)));
	OK(doca_ctx_start(doca_sha_as_ctx(sha)));
	for (unsigned i = 0; i < N_HASHES; i++) {
		OK(doca_task_submit(hash_task()));
		run_dry(pe, &calls);
	}
}

static void seal_done(struct doca_aes_gcm_task_encrypt *task, union doca_data data,
		      union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	doca_task_free(doca_aes_gcm_task_encrypt_as_task(task));
}

/* Encrypts what was hashed, in place, once. */
static void run_seal(struct doca_pe *pe, struct doca_dev *dev)
{
	static const uint8_t raw_key[16], iv[12];
	struct doca_aes_gcm_task_encrypt *task;
	struct doca_aes_gcm_key *key;
	struct calls calls = {0, 0};
	struct doca_aes_gcm *gcm;
	struct doca_buf *src, *dst;

	OK(doca_aes_gcm_create(dev, &gcm));
	OK(doca_aes_gcm_task_encrypt_set_conf(gcm, seal_done, seal_done, 1));
	OK(doca_pe_connect_ctx(pe, doca_aes_gcm_as_ctx(gcm)));
	OK(doca_ctx_start(doca_aes_gcm_as_ctx(gcm)));
	OK(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_128, &key));
	OK(doca_buf_inventory_buf_get_by_data(inventory, hashed_map, hashed, HASH_LEN, &src));
	OK(doca_buf_inventory_buf_get_by_addr(inventory, hashed_map, hashed, HASH_LEN + 16, &dst));
	OK(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key, iv, 12, 16, 0, no_data, &task));
	OK(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(task)));
	run_dry(pe, &calls);
}

static void deflate_done(struct doca_compress_task_compress_deflate *task, union doca_data data,
			 union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	doca_task_free(doca_compress_task_compress_deflate_as_task(task));
}

/* Compresses what was hashed, once, if this build can. */
static void run_deflate(struct doca_pe *pe, struct doca_dev *dev)
{
	static uint8_t packed[2 * HASH_LEN + 64];
	struct doca_compress_task_compress_deflate *task;
	struct calls calls = {0, 0};
	struct doca_compress *compress;
	struct doca_buf *src, *dst;
	struct doca_mmap *map;

	if (doca_compress_cap_task_compress_deflate_is_supported(doca_dev_as_devinfo(dev)) !=
	    DOCA_SUCCESS)
		return;
	map = use_mmap(dev, packed, sizeof(packed), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_compress_create(dev, &compress));
	OK(doca_compress_task_compress_deflate_set_conf(compress, deflate_done, deflate_done, 1));
	OK(doca_pe_connect_ctx(pe, doca_compress_as_ctx(compress)));
	OK(doca_ctx_start(doca_compress_as_ctx(compress)));
	OK(doca_buf_inventory_buf_get_by_data(inventory, hashed_map, hashed, HASH_LEN, &src));
	OK(doca_buf_inventory_buf_get_by_addr(inventory, map, packed, sizeof(packed), &dst));
	OK(doca_compress_task_compress_deflate_alloc_init(compress, src, dst, no_data, &task));
	OK(doca_task_submit(doca_compress_task_compress_deflate_as_task(task)));
	run_dry(pe, &calls);
}

static void redundancy_done(struct doca_ec_task_create *task, union doca_data data,
			    union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	doca_task_free(doca_ec_task_create_as_task(task));
}

#define BLOCK_LEN 256u

/* Computes the redundancy of two blocks, once, if this build can. */
static void run_redundancy(struct doca_pe *pe, struct doca_dev *dev)
{
	static uint8_t redundancy[BLOCK_LEN];
	struct doca_ec_task_create *task;
	struct calls calls = {0, 0};
	struct doca_ec_matrix *matrix;
	struct doca_buf *src, *dst;
	struct doca_mmap *map;
	struct doca_ec *ec;

	if (doca_ec_cap_task_create_is_supported(doca_dev_as_devinfo(dev)) != DOCA_SUCCESS)
		return;
	map = use_mmap(dev, redundancy, sizeof(redundancy), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_ec_create(dev, &ec));
	OK(doca_ec_task_create_set_conf(ec, redundancy_done, redundancy_done, 1));
	OK(doca_pe_connect_ctx(pe, doca_ec_as_ctx(ec)));
	OK(doca_ctx_start(doca_ec_as_ctx(ec)));
	OK(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 2, 1, &matrix));
	OK(doca_buf_inventory_buf_get_by_data(inventory, hashed_map, hashed, 2 * BLOCK_LEN, &src));
	OK(doca_buf_inventory_buf_get_by_addr(inventory, map, redundancy, sizeof(redundancy),
					      &dst));
	OK(doca_ec_task_create_allocate_init(ec, matrix, src, dst, no_data, &task));
	OK(doca_task_submit(doca_ec_task_create_as_task(task)));
	run_dry(pe, &calls);
}

static void set_done(struct doca_sync_event_task_notify_set *task, union doca_data data,
		     union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	doca_task_free(doca_sync_event_task_notify_set_as_doca_task(task));
}

static void wait_done(struct doca_sync_event_task_wait_eq *task, union doca_data data,
		      union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(task));
}

/* Two sets; a wait that the second one fulfils, and one that stays pending. */
static void run_sync(struct doca_pe *pe, struct doca_dev *dev)
{
	struct doca_sync_event_task_notify_set *set;
	struct doca_sync_event_task_wait_eq *wait;
	struct calls calls = {0, 0};
	struct doca_sync_event *event;
	struct doca_ctx *ctx;

	OK(doca_sync_event_create(&event));
	OK(doca_sync_event_add_publisher_location_cpu(event, dev));
	OK(doca_sync_event_add_subscriber_location_cpu(event, dev));
	OK(doca_sync_event_task_notify_set_set_conf(event, set_done, set_done, 4));
	OK(doca_sync_event_task_wait_eq_set_conf(event, wait_done, wait_done, 4));
	ctx = doca_sync_event_as_ctx(event);
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_ctx_start(ctx));
	for (uint64_t value = 1; value <= 2; value++) {
		OK(doca_sync_event_task_notify_set_alloc_init(event, value, no_data, &set));
		OK(doca_task_submit(doca_sync_event_task_notify_set_as_doca_task(set)));
		run_dry(pe, &calls);
		OK(doca_sync_event_task_wait_eq_alloc_init(event, 2 * value, ~0ull, no_data,
							   &wait));
		OK(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(wait)));
		run_dry(pe, &calls);
	}
}

static doca_error_t node_run(void *cookie)
{
	(void)cookie;
	return DOCA_SUCCESS;
}

static void graph_done(struct doca_graph_instance *instance, union doca_data data,
		       union doca_data graph_data)
{
	(void)instance;
	(void)data;
	(void)graph_data;
}

static void run_graph(struct doca_pe *pe)
{
	struct doca_graph_instance *instance;
	struct doca_graph_node *nodes[N_NODES], *hash;
	struct calls calls = {0, 0};
	struct doca_graph *graph;

	OK(doca_graph_create(pe, &graph));
	OK(doca_graph_set_conf(graph, graph_done, graph_done, 1));
	for (unsigned i = 0; i < N_NODES; i++)
		OK(doca_graph_node_create_from_user(graph, node_run, &nodes[i]));
	OK(doca_graph_node_create_from_ctx(graph, doca_sha_as_ctx(sha), &hash));
	OK(doca_graph_add_dependency(graph, nodes[0], hash));
	OK(doca_graph_start(graph));
	OK(doca_graph_instance_create(graph, &instance));
	for (unsigned i = 0; i < N_NODES; i++)
		OK(doca_graph_instance_set_user_node_data(instance, nodes[i], NULL));
	OK(doca_graph_instance_set_ctx_node_data(instance, hash, hash_task()));
	OK(doca_graph_instance_submit(instance));
	run_dry(pe, &calls);
}

static void libraries(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_pe *pe;

	(void)arg;
	OK(doca_pe_create(&pe));
	run_hashes(pe, dev);
	run_seal(pe, dev);
	run_deflate(pe, dev);
	run_redundancy(pe, dev);
	run_sync(pe, dev);
	run_graph(pe);
	lab_signal(sock);
	lab_wait(sock);
	_exit(0);
}

START_TEST(each_library_counts)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, libraries, NULL);

	lab_wait(child.sock);
	hang(&child);
	look(LAB_HOST, "counters", child.pid);
	/* One of the digests was a graph node. */
	ck_number("sha", "n_completed", N_HASHES + 1);
	ck_number("sha", "n_errors", 0);
	ck_number("sha", "moved_bytes", (N_HASHES + 1) * HASH_LEN);
	ck_number("aes-gcm", "n_completed", 1);
	ck_number("aes-gcm", "n_errors", 0);
	ck_number("aes-gcm", "moved_bytes", HASH_LEN);
#ifdef HAVE_COMPRESS
	ck_number("compress", "n_completed", 1);
	ck_number("compress", "n_errors", 0);
	ck_number("compress", "moved_bytes", HASH_LEN);
#endif
#ifdef HAVE_ISAL
	ck_number("ec", "n_completed", 1);
	ck_number("ec", "n_errors", 0);
	ck_number("ec", "moved_bytes", 2 * BLOCK_LEN);
#endif
	ck_number("sync-event", "n_submitted", 4);
	ck_number("sync-event", "n_completed", 3);
	ck_number("sync-event", "depth", 1);
	ck_number("sync-event", "n_waits", 2);
	ck_number("graph", "n_completed", N_NODES);
	ck_number("graph", "depth", 0);
	let_go(&child);
}
END_TEST

/* --- messages --- */

#define N_TO_SERVER 50u
#define N_TO_CLIENT 30u
#define MSG_LEN     20u
#define N_FAST      40u
#define FAST_LEN    100u

static void send_messages(struct fast_end *end, unsigned n)
{
	static uint8_t text[MSG_LEN];

	while (n > 0) {
		struct doca_comch_task_send *task;
		doca_error_t result;

		if (end->server != NULL)
			result = doca_comch_server_task_send_alloc_init(end->server, end->conn,
									text, MSG_LEN, &task);
		else
			result = doca_comch_client_task_send_alloc_init(end->client, end->conn,
									text, MSG_LEN, &task);
		if (result == DOCA_SUCCESS) {
			result = doca_task_submit(doca_comch_task_send_as_task(task));
			if (result != DOCA_SUCCESS)
				doca_task_free(doca_comch_task_send_as_task(task));
		}
		n -= result == DOCA_SUCCESS;
		doca_pe_progress(end->pe);
	}
	while (doca_pe_progress(end->pe) != 0)
		continue;
}

static void talker_server(int sock, void *arg)
{
	struct fast_end end;
	struct fast_sink sink;

	(void)arg;
	fast_server_open(&end, "counted");
	lab_signal(sock);
	fast_await(&end, &end.n_messages, N_TO_SERVER);
	fast_sink_open(&sink, &end, end.pe, FAST_SHARED, 8, 4096);
	send_messages(&end, N_TO_CLIENT);
	fast_sink_await(&sink, N_FAST);
	lab_signal(sock);
	lab_wait(sock);
	_exit(0);
}

static void talker_client(int sock, void *arg)
{
	struct fast_source source;
	struct fast_end end;

	(void)arg;
	fast_client_open(&end, "counted");
	send_messages(&end, N_TO_SERVER);
	fast_await(&end, &end.n_messages, N_TO_CLIENT);
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, end.pe, 8, FAST_LEN);
	for (unsigned i = 0; i < N_FAST; i++)
		OK(fast_send_retry(&source, end.peers[0], 0, FAST_LEN, NULL, 0));
	while (doca_pe_progress(end.pe) != 0)
		continue;
	lab_signal(sock);
	lab_wait(sock);
	_exit(0);
}

START_TEST(messages_of_both_ends)
{
	struct lab_child server = lab_fork(&lab, LAB_DPU, talker_server, NULL), client;

	lab_wait(server.sock);
	client = lab_fork(&lab, LAB_HOST, talker_client, NULL);
	lab_wait(server.sock);
	lab_wait(client.sock);
	hang(&server);
	hang(&client);
	look(LAB_HOST, "channels", client.pid);
	ck_number(NULL, "n_sent", N_TO_SERVER);
	ck_number(NULL, "sent_bytes", N_TO_SERVER * MSG_LEN);
	ck_number(NULL, "n_received", N_TO_CLIENT);
	ck_number(NULL, "received_bytes", N_TO_CLIENT * MSG_LEN);
	look(LAB_HOST, "counters", client.pid);
	ck_number("comch-client", "n_completed", N_TO_SERVER);
	ck_number("channel", "n_submitted", N_TO_SERVER);
	ck_number("producer", "n_completed", N_FAST);
	ck_number("producer", "moved_bytes", N_FAST * FAST_LEN);
	ck_number("producer", "object", number("channel", "object"));
	look(LAB_HOST, "clients", client.pid);
	ck_number(NULL, "n_completed", N_TO_SERVER + N_FAST);
	ck_number(NULL, "moved_bytes", N_TO_SERVER * MSG_LEN + N_FAST * FAST_LEN);
	look(LAB_DPU, "channels", server.pid);
	ck_number(NULL, "n_sent", N_TO_CLIENT);
	ck_number(NULL, "n_received", N_TO_SERVER);
	look(LAB_DPU, "counters", server.pid);
	ck_number("comch-server", "n_completed", N_TO_CLIENT);
	ck_number("consumer", "n_completed", N_FAST);
	ck_number("consumer", "n_received", N_FAST);
	ck_number("consumer", "received_bytes", N_FAST * FAST_LEN);
	let_go(&server);
	let_go(&client);
}
END_TEST

/* --- more than one page, of memory and of a list; and object ends --- */

#define N_MANY 300u

static void many(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_dma *dmas[N_MANY];
	struct doca_pe *pe;

	(void)arg;
	OK(doca_pe_create(&pe));
	for (unsigned i = 0; i < N_MANY; i++) {
		OK(doca_dma_create(dev, &dmas[i]));
		OK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dmas[i])));
	}
	doca_pe_progress(pe);
	lab_signal(sock);
	lab_wait(sock);
	for (unsigned i = 0; i < N_MANY; i++)
		OK(doca_dma_destroy(dmas[i]));
	OK(doca_pe_destroy(pe));
	/* The earlier pages are gone; these are new ones. */
	OK(doca_pe_create(&pe));
	doca_pe_progress(pe);
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_pe_destroy(pe));
	use_dev_end(dev);
}

static unsigned count_kind(const char *kind)
{
	char line[64];
	unsigned n = 0;

	snprintf(line, sizeof(line), "\"kind\": \"%s\"", kind);
	for (const char *at = picture; (at = strstr(at, line)) != NULL; at++)
		n++;
	return n;
}

START_TEST(pages_grow_and_sums_stay)
{
	struct lab_child children[2];

	for (size_t i = 0; i < ARRAY_LEN(children); i++) {
		children[i] = lab_fork(&lab, LAB_HOST, many, NULL);
		lab_wait(children[i].sock);
	}
	for (size_t i = 0; i < ARRAY_LEN(children); i++) {
		look(LAB_HOST, "counters", children[i].pid);
		ck_assert_uint_eq(count_kind("dma"), N_MANY);
	}
	for (size_t i = 0; i < ARRAY_LEN(children); i++) {
		lab_signal(children[i].sock);
		lab_wait(children[i].sock);
		look(LAB_HOST, "counters", children[i].pid);
		ck_assert_uint_eq(count_kind("dma"), 0);
		ck_number("pe", "n_empty", 1);
		look(LAB_HOST, "clients", children[i].pid);
		ck_number(NULL, "n_empty", 2);
	}
	for (size_t i = 0; i < ARRAY_LEN(children); i++) {
		lab_signal(children[i].sock);
		lab_join(&children[i]);
	}
}
END_TEST

static void silent(int sock, void *arg)
{
	setenv("DOCOCORED_COUNTERS", "off", 1);
	copies(sock, arg);
}

START_TEST(one_that_wants_not_to_be_seen)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, silent, NULL);
	struct calls calls;

	lab_recv(child.sock, &calls, sizeof(calls));
	look(LAB_HOST, "clients", child.pid);
	ck_assert_ptr_nonnull(strstr(picture, "\"counted\": false"));
	lab_signal(child.sock);
	lab_wait(child.sock);
	lab_signal(child.sock);
	lab_join(&child);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "numbers");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, copies_of_one_that_hangs);
	tcase_add_test(tcase, each_library_counts);
	tcase_add_test(tcase, messages_of_both_ends);
	tcase_add_test(tcase, a_child_counts_for_itself);
	tcase_add_test(tcase, pages_grow_and_sums_stay);
	tcase_add_test(tcase, one_that_wants_not_to_be_seen);
	tcase_add_test(tcase, pages_come_with_the_next_connection);
	tcase = runner_case(suite, "restart");
	tcase_add_checked_fixture(tcase, set_up_store, tear_down);
	tcase_add_test(tcase, copies_over_a_restart);
	tcase_add_test(tcase, sums_over_a_restart);
}

int main(void)
{
	lab_require();
	if (access(admin_path(), X_OK) != 0) {
		printf("skipped: %s was not built\n", admin_path());
		return RUNNER_SKIPPED;
	}
	return runner_main("counters", add_cases, NULL);
}
