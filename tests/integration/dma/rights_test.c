/*
 * Memory that was shared read-only cannot be written. An importer keeps every descriptor that its
 * library ever received and tries every path of access (access_paths.h). It closes none of them,
 * like a hostile program, and finds them in /proc/self/fd, so descriptors that are new to the
 * protocol are tested as well. Those that both sides write by design are listed here and in
 * doc/internals/trust.md.
 *
 * Everything runs as one user, including the daemons; or the daemons run as root, and exporter and
 * importer as one user or as two, or the importer as root, whom a seal restricts, too. Creates no
 * threads.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/integration/dma/access_paths.h"
#include "tests/integration/sync/end.h"
#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/fd.h"
#include "util/memfd.h"

#define SERVICE "rights"
#define LEN     (16u << 10)
/* Ids that no system assigns. */
enum { ALICE = 60001, BOB = 60003 };

static const struct users {
	uid_t lab, exporter, importer;
	/* The daemons are killed before the imports, and the next instances resume. */
	bool restarts;
} all_users[] = {
	{ALICE, ALICE, ALICE, false}, /* all as the user of the test, if that is not root */
	{0, ALICE, ALICE, false},     {0, ALICE, BOB, false}, {0, ALICE, 0, false},
	{0, ALICE, ALICE, true},      {0, ALICE, BOB, true},
};

static const struct users *users;
static struct lab lab;

/* --- descriptors that are never closed --- */

static bool is_hoarding;

/* Replaces the C library's function, also in calls of the library under test. */
__attribute__((visibility("default"))) int close(int fd)
{
	if (is_hoarding && fcntl(fd, F_GET_SEALS) >= 0)
		return 0;
	return (int)syscall(SYS_close, fd);
}

static void set_user(uid_t uid)
{
	if (geteuid() == uid || geteuid() != 0)
		return;
	ck_assert_int_eq(setgroups(0, NULL), 0);
	ck_assert_int_eq(setresgid(uid, uid, uid), 0);
	ck_assert_int_eq(setresuid(uid, uid, uid), 0);
	/* Both settings are lost when the uid changes. */
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1), 0);
	ck_assert_int_eq(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
}

/* --- the exporter --- */

enum { SHARED, SEALED, RDMA, UNSEALED, N_MAPS };
enum { OWN_COUNTER, USER_COUNTER, N_EVENTS };

struct exported {
	pid_t pid;
	uid_t uid;
	struct sync_desc maps[N_MAPS], events[N_EVENTS];
	uint8_t *addr[N_MAPS];
};

struct exporter {
	struct doca_dev *dev;
	struct doca_mmap *maps[N_MAPS];
	void *memory[N_MAPS];
	int memfds[N_MAPS];
	void *counter;
	struct sync_end events[N_EVENTS];
};

static void exporter_allocate(struct exporter *exporter, int i)
{
	exporter->memfds[i] = -1;
	if (i == SHARED || i == RDMA) {
		OK(dococ_mem_alloc(LEN, &exporter->memory[i], NULL));
		return;
	}
	exporter->memfds[i] = memfd_create_sealable("program", LEN);
	exporter->memory[i] = memfd_map(exporter->memfds[i], 0, LEN, true);
	ck_assert_ptr_nonnull(exporter->memory[i]);
	if (i == SEALED)
		ck_assert_int_eq(memfd_seal_writers(exporter->memfds[i]), 0);
}

static void exporter_export(struct exporter *exporter, int i, struct exported *exported)
{
	struct sync_desc *desc = &exported->maps[i];
	struct doca_mmap *mmap;
	const void *bytes;

	exporter_allocate(exporter, i);
	use_fill(exporter->memory[i], LEN, 1);
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_add_dev(mmap, exporter->dev));
	if (exporter->memfds[i] >= 0)
		OK(doca_mmap_set_dmabuf_memrange(mmap, exporter->memfds[i], exporter->memory[i], 0,
						 LEN));
	else
		OK(doca_mmap_set_memrange(mmap, exporter->memory[i], LEN));
	OK(doca_mmap_set_permissions(mmap, i == RDMA ? DOCA_ACCESS_FLAG_RDMA_READ
						     : DOCA_ACCESS_FLAG_PCI_READ_ONLY));
	OK(doca_mmap_start(mmap));
	if (i == RDMA)
		OK(doca_mmap_export_rdma(mmap, exporter->dev, &bytes, &desc->len));
	else
		OK(doca_mmap_export_pci(mmap, exporter->dev, &bytes, &desc->len));
	ck_assert_uint_le(desc->len, sizeof(desc->bytes));
	memcpy(desc->bytes, bytes, desc->len);
	exported->addr[i] = exporter->memory[i];
	exporter->maps[i] = mmap;
}

/* Counters of which the importer is a subscriber, in strict mode. */
static void exporter_export_events(struct exporter *exporter, struct exported *exported)
{
	struct sync_spec own = {.side = LAB_HOST, .to_subscriber = true};
	struct sync_spec user = {.side = LAB_HOST,
				 .to_subscriber = true,
				 .is_in_buf = true,
				 .buf_permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY};

	ck_assert_int_eq(setenv("DOCOCORED_STRICT", "1", 1), 0);
	sync_end_export(&exporter->events[OWN_COUNTER], &own, &exported->events[OWN_COUNTER]);
	ck_assert_int_eq(unsetenv("DOCOCORED_STRICT"), 0);
	OK(dococ_mem_alloc(4096, &exporter->counter, NULL));
	user.addr = exporter->counter;
	sync_end_export(&exporter->events[USER_COUNTER], &user, &exported->events[USER_COUNTER]);
	for (size_t i = 0; i < N_EVENTS; i++)
		OK(doca_sync_event_update_set(exporter->events[i].event, 7));
}

static void exporter_check(struct exporter *exporter)
{
	uint64_t value;

	for (size_t i = 0; i < N_MAPS; i++) {
		ck_assert(use_is_filled(exporter->memory[i], LEN, 1));
		/* The exporter itself can still write. */
		use_fill(exporter->memory[i], LEN, 2);
	}
	for (size_t i = 0; i < N_EVENTS; i++) {
		OK(doca_sync_event_get(exporter->events[i].event, &value));
		ck_assert_uint_eq(value, 7);
		OK(doca_sync_event_update_set(exporter->events[i].event, 8));
	}
}

static void exporter_end(struct exporter *exporter)
{
	for (size_t i = 0; i < N_EVENTS; i++)
		sync_end_close(&exporter->events[i]);
	OK(dococ_mem_free(exporter->counter));
	for (size_t i = 0; i < N_MAPS; i++) {
		use_mmap_end(exporter->maps[i]);
		if (exporter->memfds[i] < 0) {
			OK(dococ_mem_free(exporter->memory[i]));
			continue;
		}
		memfd_unmap(exporter->memory[i], LEN);
		fd_close(&exporter->memfds[i]);
	}
	OK(doca_dev_close(exporter->dev));
}

static void exporter_main(int sock, void *arg)
{
	struct exported exported = {.pid = getpid()};
	struct exporter exporter;
	struct fast_sink sink;
	struct fast_end end;

	(void)arg;
	set_user(users->exporter);
	exported.uid = geteuid();
	exporter.dev = use_dev(USE_HOST_PF0);
	for (int i = 0; i < N_MAPS; i++)
		exporter_export(&exporter, i, &exported);
	exporter_export_events(&exporter, &exported);
	fast_client_open(&end, SERVICE);
	fast_sink_open(&sink, &end, end.pe, FAST_PRIVATE, 2, 4096);
	lab_send(sock, &exported, sizeof(exported));
	lab_wait(sock);
	exporter_check(&exporter);
	lab_signal(sock);
	lab_wait(sock);
	fast_sink_stop(&sink);
	fast_sink_close(&sink);
	fast_end_close(&end);
	exporter_end(&exporter);
}

/* --- the importer --- */

/*
 * Memory that both sides write: a process that corrupts it harms only what it shares with the other
 * side.
 */
static const char *const written_by_both[] = {
	"doca-sync-words",    /* sleep words of a sync event */
	"dococored-liveness", /* this client's own page */
	"dococored-events",   /* this client's event ring */
	"dococored-channel",  /* the rings between two ends of a channel */
	"doca-consumer",      /* slots of a consumer, which producers fill */
	"doca-counters",      /* this client's own; the creator has sealed it */
};

static const char *const expected_names[] = {"dococ-mem", "program", "doca-sync-value",
					     "dococored-liveness"};

struct tally {
	unsigned n_tried[ARRAY_LEN(expected_names)];
};

static bool is_named(const char *link, const char *name)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "/memfd:%s (deleted)", name);
	return strcmp(link, expected) == 0;
}

static bool is_in(const char *link, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_named(link, names[i]))
			return true;
	return false;
}

static void try_fd(int fd, const struct exported *exported, struct tally *tally)
{
	const char *found;
	char path[64], link[256] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ck_assert_int_gt(readlink(path, link, sizeof(link) - 1), 0);
	if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR &&
	    is_in(link, written_by_both, ARRAY_LEN(written_by_both)))
		return;
	found = access_paths_find(fd, exported->pid);
	ck_assert_msg(found == NULL, "%s can be written: by %s", link, found);
	for (size_t i = 0; i < ARRAY_LEN(expected_names); i++)
		tally->n_tried[i] += is_named(link, expected_names[i]);
}

static bool is_memfd(int fd)
{
	return fcntl(fd, F_GET_SEALS) >= 0;
}

/* Lists every descriptor of shared memory in this process, according to the kernel. */
static size_t list_memfds(int *fds, size_t max)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	size_t n = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)) != NULL) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' || !is_memfd(fd))
			continue;
		ck_assert_uint_lt(n, max);
		fds[n++] = fd;
	}
	closedir(dir);
	return n;
}

static void try_everything(const struct exported *exported)
{
	struct tally tally = {.n_tried = {0}};
	int fds[128];
	size_t n = list_memfds(fds, ARRAY_LEN(fds));

	is_hoarding = false;
	for (size_t i = 0; i < n; i++)
		try_fd(fds[i], exported, &tally);
	for (size_t i = 0; i < ARRAY_LEN(expected_names); i++)
		ck_assert_msg(tally.n_tried[i] > 0, "no descriptor of %s came", expected_names[i]);
}

static void close_everything(void)
{
	int fds[128];
	size_t n = list_memfds(fds, ARRAY_LEN(fds));

	for (size_t i = 0; i < n; i++)
		close(fds[i]);
}

/* The transport of an importer; NULL: none. */
static const char *expected_transport(int i, const struct exported *exported)
{
	if (i != UNSEALED)
		return "shm";
	return exported->uid == geteuid() ? "pvm" : NULL;
}

/* Importing works as usual: the importer sees later writes of the exporter, and cannot write. */
static void read_map(struct use_dma *use, struct doca_mmap *theirs, uint8_t *addr)
{
	static uint8_t mine[LEN];
	struct doca_mmap *ours = use_mmap(use->dev, mine, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);

	ck_assert_int_eq(use_copy(use, theirs, addr, ours, mine, LEN), DOCA_SUCCESS);
	ck_assert(use_is_filled(mine, LEN, 2));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, use_copy(use, ours, mine, theirs, addr, LEN));
	use_mmap_end(ours);
}

static void read_event(struct sync_end *end)
{
	uint64_t value;

	OK(doca_sync_event_get(end->event, &value));
	ck_assert_uint_eq(value, 8);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_update_set(end->event, 1));
}

struct importer {
	struct use_dma use;
	struct doca_mmap *maps[N_MAPS];
	struct sync_end events[N_EVENTS];
};

static void importer_open(struct importer *importer, const struct exported *exported)
{
	struct sync_spec spec = {.side = LAB_DPU};

	use_dma_open(&importer->use, use_dev(USE_DPU_P0), 1);
	for (size_t i = 0; i < N_MAPS; i++) {
		const struct sync_desc *desc = &exported->maps[i];

		if (doca_mmap_create_from_export(NULL, desc->bytes, desc->len, importer->use.dev,
						 &importer->maps[i]) != DOCA_SUCCESS)
			importer->maps[i] = NULL;
	}
	for (size_t i = 0; i < N_EVENTS; i++)
		sync_end_import(&importer->events[i], &spec, &exported->events[i]);
}

static void check_transports(const struct importer *importer, const struct exported *exported)
{
	for (int i = 0; i < N_MAPS; i++) {
		const struct doca_mmap *mmap = importer->maps[i];

		ck_assert_pstr_eq(mmap == NULL ? NULL : dococ_mmap_get_transport(mmap),
				  expected_transport(i, exported));
	}
}

static void importer_close(struct importer *importer, const struct exported *exported)
{
	for (size_t i = 0; i < N_EVENTS; i++) {
		read_event(&importer->events[i]);
		sync_end_close(&importer->events[i]);
	}
	for (size_t i = 0; i < N_MAPS; i++) {
		if (importer->maps[i] == NULL)
			continue;
		read_map(&importer->use, importer->maps[i], exported->addr[i]);
		use_mmap_end(importer->maps[i]);
	}
	use_dma_close(&importer->use);
	OK(doca_dev_close(importer->use.dev));
}

static void importer_main(int sock, void *arg)
{
	struct fast_source source;
	struct importer importer;
	struct exported exported;
	struct fast_end end;

	(void)arg;
	set_user(users->importer);
	is_hoarding = true;
	fast_server_open(&end, SERVICE);
	lab_signal(sock);
	/* The received descriptors must include those of the peer's consumer. */
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, end.pe, 1, 4096);
	OK(fast_send_retry(&source, end.peers[0], 0, 100, NULL, 0));
	lab_recv(sock, &exported, sizeof(exported));
	importer_open(&importer, &exported);
	try_everything(&exported);
	check_transports(&importer, &exported);
	lab_signal(sock);
	lab_wait(sock);
	importer_close(&importer, &exported);
	lab_signal(sock);
	fast_await(&end, &end.n_disconnects, 1);
	fast_source_close(&source);
	fast_end_close(&end);
	close_everything();
}

/* --- cases --- */

static void setup(void)
{
	leaks_setup();
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static void start(void)
{
	if (geteuid() == 0) {
		ck_assert_int_eq(chmod(runner_dir(), 0711), 0);
		ck_assert_int_eq(chown(runner_dir(), users->lab, users->lab), 0);
	}
	set_user(users->lab);
	lab_start(&lab, &(struct lab_options){.fd_store = users->restarts ? 64 : 0});
	ck_assert_int_eq(chmod(lab.dir, 0711), 0);
	for (enum lab_side side = LAB_HOST; side < LAB_N_SIDES; side++)
		ck_assert_int_eq(chmod(lab_socket(&lab, side), 0666), 0);
}

START_TEST(test_read_only)
{
	struct lab_child importer, exporter;
	struct exported exported;

	users = &all_users[_i];
	start();
	importer = lab_fork(&lab, LAB_DPU, importer_main, NULL);
	lab_wait(importer.sock);
	exporter = lab_fork(&lab, LAB_HOST, exporter_main, NULL);
	lab_recv(exporter.sock, &exported, sizeof(exported));
	for (enum lab_side side = LAB_HOST; users->restarts && side < LAB_N_SIDES; side++) {
		lab_kill_daemon(&lab, side);
		lab_start_daemon(&lab, side);
	}
	lab_send(importer.sock, &exported, sizeof(exported));
	lab_wait(importer.sock);
	lab_signal(exporter.sock);
	lab_wait(exporter.sock);
	lab_signal(importer.sock);
	lab_wait(importer.sock);
	lab_signal(exporter.sock);
	lab_join(&exporter);
	lab_join(&importer);
}
END_TEST

/* --- one memory, two kinds of rights --- */

static const uint32_t rights[] = {DOCA_ACCESS_FLAG_PCI_READ_ONLY, DOCA_ACCESS_FLAG_PCI_READ_WRITE};

struct pair {
	struct sync_desc descs[2];
	uint8_t *addr;
};

/* A counter in memory whose first export granted the other right. */
static void refuse_counter(struct doca_dev *dev, uint64_t *counter, bool writes)
{
	struct doca_sync_event *event;
	const uint8_t *data;
	size_t len;

	OK(doca_sync_event_create(&event));
	if (writes) {
		OK(doca_sync_event_add_publisher_location_remote_pci(event));
		OK(doca_sync_event_add_subscriber_location_cpu(event, dev));
	} else {
		OK(doca_sync_event_add_publisher_location_cpu(event, dev));
		OK(doca_sync_event_add_subscriber_location_remote_pci(event));
	}
	OK(doca_sync_event_set_addr(event, counter));
	OK(doca_sync_event_start(event));
	ck_assert_int_eq(setenv("DOCOCORED_STRICT", "1", 1), 0);
	EXPECT(writes ? DOCA_ERROR_NOT_PERMITTED : DOCA_ERROR_NOT_SUPPORTED,
	       doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), writes ? "exported read-only"
								: "exported for writing before"));
	ck_assert_int_eq(unsetenv("DOCOCORED_STRICT"), 0);
	OK(doca_sync_event_stop(event));
	OK(doca_sync_event_destroy(event));
}

static void export_pair(int sock, void *arg)
{
	size_t first = *(const size_t *)arg;
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_mmap *maps[2];
	struct pair pair;
	const void *bytes;
	void *memory;

	OK(dococ_mem_alloc(LEN, &memory, NULL));
	use_fill(memory, LEN, 2);
	pair.addr = memory;
	for (size_t i = 0; i < 2; i++) {
		maps[i] = use_mmap(dev, memory, LEN, rights[(first + i) % 2]);
		OK(doca_mmap_export_pci(maps[i], dev, &bytes, &pair.descs[i].len));
		memcpy(pair.descs[i].bytes, bytes, pair.descs[i].len);
	}
	refuse_counter(dev, memory, rights[first] == DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	lab_send(sock, &pair, sizeof(pair));
	lab_wait(sock);
	use_mmap_end(maps[0]);
	use_mmap_end(maps[1]);
	OK(dococ_mem_free(memory));
	OK(doca_dev_close(dev));
}

/*
 * The first export decides which importers map the memory. Importers with the other right copy
 * through the kernel, and both can do what they may.
 */
START_TEST(test_one_memory_two_rights)
{
	const size_t first = (size_t)_i;
	struct lab_child child;
	struct doca_mmap *theirs[2];
	struct use_dma use;
	struct pair pair;

	lab_start(&lab, NULL);
	child = lab_fork(&lab, LAB_HOST, export_pair, (void *)(uintptr_t)&first);
	lab_recv(child.sock, &pair, sizeof(pair));
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
	use_dma_open(&use, use_dev(USE_DPU_P0), 1);
	for (size_t i = 0; i < 2; i++) {
		OK(doca_mmap_create_from_export(NULL, pair.descs[i].bytes, pair.descs[i].len,
						use.dev, &theirs[i]));
		ck_assert_str_eq(dococ_mmap_get_transport(theirs[i]), i == 0 ? "shm" : "pvm");
	}
	/* The read-only import. */
	read_map(&use, theirs[first], pair.addr);
	use_mmap_end(theirs[0]);
	use_mmap_end(theirs[1]);
	use_dma_close(&use);
	OK(doca_dev_close(use.dev));
	lab_signal(child.sock);
	lab_join(&child);
}
END_TEST

/*
 * Checks that the ways work where nothing forbids them: a read-only descriptor of memory that can
 * be reopened.
 */
START_TEST(test_access_paths_exist)
{
	CLEANUP_FD int fd = memfd_create_sealable("open", LEN);
	CLEANUP_FD int received = fd_reopen(fd, O_RDONLY);
	CLEANUP_FD int sealed = memfd_create_sealable("sealed", LEN);
	CLEANUP_FD int closed = -1;
	void *map = memfd_map(sealed, 0, LEN, true);
	const char *found = access_paths_find(received, 0);

	ck_assert_msg(found != NULL && strstr(found, "opened again") != NULL, "found %s", found);
	ck_assert_int_eq(memfd_seal_writers(sealed), 0);
	ck_assert_ptr_null(access_paths_find(sealed, 0));
	closed = fd_reopen(sealed, O_RDONLY);
	ck_assert_ptr_null(access_paths_find(closed, 0));
	memfd_unmap(map, LEN);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("rights"), *ways = runner_case(suite, "ways");

	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_read_only, 0,
			    geteuid() == 0 ? (int)ARRAY_LEN(all_users) : 1);
	tcase_add_loop_test(tcase, test_one_memory_two_rights, 0, 2);
	suite_add_tcase(suite, tcase);
	tcase_add_test(ways, test_access_paths_exist);
}

int main(void)
{
	lab_require();
	if (geteuid() != 0)
		puts("root is needed to run programs as different users: they run as one");
	return runner_main("rights", add_cases, NULL);
}
