/*
 * Daemons that die, clients that misbehave, and programs that meet either: established mappings
 * continue, new requests fail with a helpful sentence, and work again when the daemon is back.
 */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define LEN 5000u

static struct lab lab;
static struct doca_dev *dev;
static struct use_dma use;
static struct exporter exporter;
static struct doca_mmap *remote, *local;
static uint8_t mine[LEN];

static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_DPU);
}

static void teardown(void)
{
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 1000);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, 1000);
	lab_teardown(&lab);
}

static void open_both(enum exporter_memory memory)
{
	struct exporter_options options = {
		.memory = memory, .len = LEN, .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	exporter_start(&exporter, &lab, &options);
	dev = use_dev(USE_DPU_P0);
	use_dma_open(&use, dev, 16);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
}

static void close_both(void)
{
	use_mmap_end(remote);
	use_mmap_end(local);
	use_dma_close(&use);
	OK(doca_dev_close(dev));
	exporter_end(&exporter);
}

static void check_copies(uint32_t seed)
{
	EXPECT(DOCA_SUCCESS, use_copy(&use, remote, exporter.exported.addr, local, mine, LEN));
	use_fill(mine, LEN, seed);
	EXPECT(DOCA_SUCCESS, use_copy(&use, local, mine, remote, exporter.exported.addr, LEN));
	ck_assert(exporter_is_filled(&exporter, 0, LEN, seed));
}

static doca_error_t try_import(void)
{
	struct doca_mmap *got;
	doca_error_t result = doca_mmap_create_from_export(NULL, exporter.exported.desc,
							   exporter.exported.desc_len, dev, &got);

	if (result == DOCA_SUCCESS) {
		EXPECT(DOCA_SUCCESS, use_copy(&use, got, exporter.exported.addr, local, mine, LEN));
		use_mmap_end(got);
	}
	return result;
}

/* Until the exporter has reconnected to its new daemon, the descriptor is unknown. */
static void await_import(void)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(5000) * NS_PER_MS;
	doca_error_t result;

	while ((result = try_import()) != DOCA_SUCCESS)
		ck_assert_msg(clock_now_ns() < deadline, "import after a restart: %s (%s)",
			      doca_error_get_name(result), dococ_last_error());
}

static void check_sentence(void)
{
	const char *text = dococ_last_error();

	ck_assert_msg(strstr(text, "dococored") != NULL || strstr(text, "daemon") != NULL, "%s",
		      text);
}

START_TEST(test_exporters_daemon_dies)
{
	open_both(_i == 0 ? MEMORY_MALLOC : MEMORY_MEMFD);
	check_copies(2);
	lab_kill_daemon(&lab, LAB_HOST);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 0, 1000);
	/* Existing imports continue. */
	check_copies(3);
	EXPECT(DOCA_ERROR_NOT_CONNECTED, try_import());
	check_sentence();
	lab_start_daemon(&lab, LAB_HOST);
	check_copies(4);
	/* The exporter's next call registers its exports again, with the same descriptor. */
	exporter_call_daemon(&exporter);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 1, 1000);
	await_import();
	check_copies(5);
	close_both();
}
END_TEST

START_TEST(test_importers_daemon_dies)
{
	struct doca_devinfo **list;
	uint32_t n;

	open_both(_i == 0 ? MEMORY_MALLOC : MEMORY_MEMFD);
	lab_kill_daemon(&lab, LAB_DPU);
	check_copies(2);
	EXPECT(DOCA_ERROR_NOT_CONNECTED, try_import());
	check_sentence();
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), lab_socket(&lab, LAB_DPU)));
	EXPECT(DOCA_ERROR_NOT_FOUND, doca_devinfo_create_list(&list, &n));
	lab_start_daemon(&lab, LAB_DPU);
	check_copies(3);
	await_import();
	close_both();
}
END_TEST

START_TEST(test_both_die)
{
	open_both(_i == 0 ? MEMORY_MALLOC : MEMORY_MEMFD);
	lab_kill_daemon(&lab, LAB_DPU);
	lab_kill_daemon(&lab, LAB_HOST);
	check_copies(2);
	lab_start_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_DPU);
	check_copies(3);
	exporter_call_daemon(&exporter);
	await_import();
	close_both();
}
END_TEST

/* Revoked after its daemon has ended: the importer must detect it all the same. */
START_TEST(test_revoked_without_daemon)
{
	open_both(_i == 0 ? MEMORY_MALLOC : MEMORY_MEMFD);
	lab_kill_daemon(&lab, LAB_HOST);
	exporter_stop_map(&exporter);
	EXPECT(DOCA_ERROR_IO_FAILED,
	       use_copy(&use, remote, exporter.exported.addr, local, mine, LEN));
	lab_start_daemon(&lab, LAB_HOST);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import());
	close_both();
}
END_TEST

START_TEST(test_second_daemon)
{
	for (int side = 0; side < LAB_N_SIDES; side++) {
		ck_assert_int_ne(lab_run_second_daemon(&lab, (enum lab_side)side), 0);
		ck_assert(lab_log_has(&lab, (enum lab_side)side, "served by another daemon"));
	}
	/* The first one is not affected. */
	open_both(MEMORY_MALLOC);
	check_copies(2);
	close_both();
}
END_TEST

START_TEST(test_stale_socket)
{
	lab_kill_daemon(&lab, LAB_HOST);
	ck_assert_int_eq(access(lab_socket(&lab, LAB_HOST), F_OK), 0);
	lab_start_daemon(&lab, LAB_HOST);
	ck_assert(lab_log_has(&lab, LAB_HOST, "stale socket"));
	open_both(MEMORY_MALLOC);
	check_copies(2);
	close_both();
}
END_TEST

START_TEST(test_read_only_directory)
{
	lab_kill_daemon(&lab, LAB_HOST);
	/* root ignores permissions; a file in place of the directory stops root, too. */
	if (geteuid() != 0) {
		ck_assert_int_eq(chmod(lab.dir, 0500), 0);
		ck_assert_int_ne(lab_run_second_daemon(&lab, LAB_HOST), 0);
		ck_assert_int_eq(chmod(lab.dir, 0700), 0);
	} else {
		char lock[200];

		snprintf(lock, sizeof(lock), "%s.lock", lab_socket(&lab, LAB_HOST));
		unlink(lock);
		ck_assert_int_eq(mkdir(lock, 0700), 0);
		ck_assert_int_ne(lab_run_second_daemon(&lab, LAB_HOST), 0);
		ck_assert(lab_log_has(&lab, LAB_HOST, lock));
		ck_assert_int_eq(rmdir(lock), 0);
	}
	lab_start_daemon(&lab, LAB_HOST);
}
END_TEST

/* --- clients that misbehave --- */

static int raw_connect(enum lab_side side)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", lab_socket(&lab, side));
	ck_assert_msg(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0, "%s",
		      strerror(errno));
	return fd;
}

/* The daemon ends the connection, possibly after a final message. */
static void await_end(int fd)
{
	struct timeval limit = {.tv_sec = runner_timeout_ms(5000) / 1000};
	char answer[70000];
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	do {
		n = recv(fd, answer, sizeof(answer), 0);
	} while (n > 0);
	ck_assert_msg(n == 0 || errno == ECONNRESET,
		      "the daemon keeps a client that broke the rules");
}

static void send_with_fds(int fd, const void *data, size_t len, int carried, size_t n_carried)
{
	union {
		char buf[CMSG_SPACE(64 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec iov = {(void *)data, len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *c;

	msg.msg_control = &control;
	msg.msg_controllen = CMSG_SPACE(n_carried * sizeof(int));
	c = CMSG_FIRSTHDR(&msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n_carried * sizeof(int));
	for (size_t i = 0; i < n_carried; i++)
		memcpy(CMSG_DATA(c) + i * sizeof(int), &carried, sizeof(int));
	ck_assert_int_eq(sendmsg(fd, &msg, MSG_NOSIGNAL), (ssize_t)len);
}

/* Not more than before; one of those before may have been the socket of a status line. */
static void await_fds(enum lab_side side, size_t n_before)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(5000) * NS_PER_MS;

	while (lab_daemon_n_fds(&lab, side) > n_before)
		ck_assert_msg(clock_now_ns() < deadline, "%zu descriptors, %zu before",
			      lab_daemon_n_fds(&lab, side), n_before);
}

START_TEST(test_garbage)
{
	size_t n_fds = lab_daemon_n_fds(&lab, LAB_HOST);
	size_t n_open;
	static uint8_t data[200000];
	uint64_t random = 88172645463325252ull;
	int big = sizeof(data) * 2;

	open_both(MEMORY_MALLOC);
	n_open = lab_daemon_n_fds(&lab, LAB_HOST);
	for (int round = 0; round < 60; round++) {
		CLEANUP_FD int fd = raw_connect(LAB_HOST);
		size_t len = round % 10 == 0 ? 100000 : 1 + (size_t)round * 17;

		for (size_t i = 0; i < len; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			data[i] = (uint8_t)random;
		}
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &big, sizeof(big));
		if (round % 4 == 1)
			send_with_fds(fd, data, len, fd, 1 + (size_t)round % 60);
		else
			ck_assert_int_eq(send(fd, data, len, MSG_NOSIGNAL), (ssize_t)len);
		await_end(fd);
		/* A user with too many unclosed descriptors is refused. */
		await_fds(LAB_HOST, n_open);
	}
	check_copies(2);
	exporter_call_daemon(&exporter);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 1, 1000);
	close_both();
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 0, 1000);
	/* All received descriptors were closed. */
	await_fds(LAB_HOST, n_fds);
}
END_TEST

START_TEST(test_out_of_order)
{
	/* id 5, ExportCreate {} ; ImportReply {} ; DeviceList {} before Hello. */
	static const uint8_t export_create[] = {0x08, 5, 0xf2, 0x01, 0};
	static const uint8_t import_reply[] = {0x08, 5, 0x92, 0x02, 0};
	static const uint8_t device_list[] = {0x08, 5, 0x62, 0};
	static const struct {
		const uint8_t *data;
		size_t len;
	} packets[] = {{export_create, sizeof(export_create)},
		       {import_reply, sizeof(import_reply)},
		       {device_list, sizeof(device_list)}};

	for (size_t i = 0; i < ARRAY_LEN(packets); i++) {
		CLEANUP_FD int fd = raw_connect(LAB_DPU);

		ck_assert_int_eq(send(fd, packets[i].data, packets[i].len, 0),
				 (ssize_t)packets[i].len);
		await_end(fd);
	}
	open_both(MEMORY_MALLOC);
	check_copies(2);
	close_both();
}
END_TEST

/* A valid Hello (id 1, protocol 1), to which the test adds descriptors that it must not carry. */
static const uint8_t hello[] = {0x08, 1, 0x52, 2, 0x08, 1};

/* A socket whose last close blocks for an hour, or until `reader`, which never reads, is closed. */
static int lingering_socket(int *reader)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct linger linger = {.l_onoff = 1, .l_linger = 3600};
	socklen_t len = sizeof(addr);
	CLEANUP_FD int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static const uint8_t data[65536];
	int small = 4096;

	ck_assert(listening >= 0 && fd >= 0);
	setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	ck_assert_int_eq(bind(listening, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(listening, 1), 0);
	ck_assert_int_eq(getsockname(listening, (struct sockaddr *)&addr, &len), 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	*reader = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	ck_assert_int_ge(*reader, 0);
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		continue;
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	return fd;
}

/* Sends such a socket as a client. */
static void release_lingering(int *reader, bool is_unread)
{
	int lingering = lingering_socket(reader), raw = raw_connect(LAB_HOST);

	/* Otherwise the last close might be the one below. */
	lab_freeze(lab.daemons[LAB_HOST].pid);
	if (is_unread) /* The daemon reads the first packet before the other can be sent. */
		ck_assert_int_eq(send(raw, "x", 1, MSG_NOSIGNAL), 1);
	send_with_fds(raw, hello, sizeof(hello), lingering, is_unread ? 60 : 1);
	close(lingering);
	lab_thaw(lab.daemons[LAB_HOST].pid);
	await_end(raw);
	close(raw);
}

/* While the packet is handled (0), or when it is still unread as its client is dropped (1). */
START_TEST(test_close_that_waits)
{
	size_t n_fds = lab_daemon_n_fds(&lab, LAB_HOST);
	int reader;

	release_lingering(&reader, _i == 1);
	open_both(MEMORY_MALLOC);
	check_copies(2);
	close_both();
	close(reader);
	await_fds(LAB_HOST, n_fds);
}
END_TEST

/* The number of blocked closes of one user is limited, and they end. */
START_TEST(test_closes_that_wait)
{
	size_t n_fds = lab_daemon_n_fds(&lab, LAB_HOST), n_waiting;
	int reader, raw;

	release_lingering(&reader, false);
	/* The next descriptors wait until the first one is closed. */
	for (int i = 0; i < 5; i++) {
		raw = raw_connect(LAB_HOST);
		send_with_fds(raw, hello, sizeof(hello), raw, 60);
		await_end(raw);
		close(raw);
	}
	raw = raw_connect(LAB_HOST);
	await_end(raw);
	close(raw);
	ck_assert(lab_log_has(&lab, LAB_HOST, "their owners keep them from being closed"));
	/* Further connections are refused, and cost nothing. */
	n_waiting = lab_daemon_n_fds(&lab, LAB_HOST);
	for (int i = 0; i < 100; i++) {
		raw = raw_connect(LAB_HOST);
		if (i % 2)
			(void)send(raw, hello, i % 4 == 1 ? sizeof(hello) : 0, MSG_NOSIGNAL);
		await_end(raw);
		close(raw);
	}
	await_fds(LAB_HOST, n_waiting);
	close(reader);
	await_fds(LAB_HOST, n_fds);
	open_both(MEMORY_MALLOC);
	check_copies(2);
	close_both();
}
END_TEST

START_TEST(test_wrong_fd_count)
{
	size_t n_fds = lab_daemon_n_fds(&lab, LAB_DPU);

	for (size_t n = 1; n < 60; n += 7) {
		CLEANUP_FD int fd = raw_connect(LAB_DPU);

		send_with_fds(fd, hello, sizeof(hello), fd, n);
		await_end(fd);
		await_fds(LAB_DPU, n_fds);
	}
	await_fds(LAB_DPU, n_fds);
}
END_TEST

START_TEST(test_connects_and_drops)
{
	size_t n_fds = lab_daemon_n_fds(&lab, LAB_HOST);

	open_both(MEMORY_MALLOC);
	for (int i = 0; i < 1000; i++) {
		int fd = raw_connect(LAB_HOST);

		if (i % 3 == 0)
			ck_assert_int_eq(send(fd, "x", 1, MSG_NOSIGNAL), 1);
		close(fd);
	}
	check_copies(2);
	close_both();
	await_fds(LAB_HOST, n_fds);
}
END_TEST

/* A client that sends requests and reads no answers is paused, and delays no other client. */
START_TEST(test_never_reads)
{
	/* Hello {protocol 1}, then DeviceList {}. */
	static const uint8_t device_list[] = {0x08, 2, 0x62, 0};
	CLEANUP_FD int fd = raw_connect(LAB_DPU);
	unsigned n = 0;

	ck_assert_int_eq(send(fd, hello, sizeof(hello), 0), (ssize_t)sizeof(hello));
	while (n < 100000 && send(fd, device_list, sizeof(device_list),
				  MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof(device_list))
		n++;
	ck_assert_uint_lt(n, 100000);
	open_both(MEMORY_MALLOC);
	check_copies(2);
	close_both();
}
END_TEST

/* --- a client at its own limits --- */

static struct rlimit limit_before;

static void limit_fds(rlim_t n)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit_before), 0);
	limit = limit_before;
	limit.rlim_cur = n;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void unlimit_fds(void)
{
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit_before), 0);
}

/* With any number of free descriptors the import works or gives a reason, and nothing leaks. */
START_TEST(test_no_descriptors)
{
	bool worked = false;

	open_both(_i == 0 ? MEMORY_MALLOC : MEMORY_MEMFD);
	for (rlim_t n = 3; n < 40; n++) {
		struct doca_mmap *got;
		doca_error_t result;

		limit_fds(n);
		result = doca_mmap_create_from_export(NULL, exporter.exported.desc,
						      exporter.exported.desc_len, dev, &got);
		unlimit_fds();
		if (result == DOCA_SUCCESS) {
			worked = true;
			use_mmap_end(got);
			continue;
		}
		ck_assert_msg(!worked, "with %d descriptors: %s", (int)n, dococ_last_error());
		ck_assert_uint_gt(strlen(dococ_last_error()), 20);
	}
	ck_assert(worked);
	check_copies(2);
	await_import();
	close_both();
}
END_TEST

/* --- a daemon without memory --- */

/* A sanitizer ends a program without memory. */
#ifndef DOCO_SANITIZED
static void refused(int sock, void *arg)
{
	struct doca_devinfo **list;
	uint32_t n;

	(void)sock;
	(void)arg;
	/*
	 * The code depends on what runs out first: the daemon may send an error, or only hang up.
	 */
	ck_assert_int_ne(doca_devinfo_create_list(&list, &n), DOCA_SUCCESS);
	ck_assert_uint_gt(strlen(dococ_last_error()), 20);
}

static void served(int sock, void *arg)
{
	(void)sock;
	(void)arg;
	OK(doca_dev_close(use_dev(USE_HOST_PF0)));
}

/*
 * Nothing can be mapped any more, in particular no liveness page: new clients are refused, existing
 * ones continue, and when there is room again all are served.
 */
START_TEST(test_daemon_without_memory)
{
	pid_t daemon = lab.daemons[LAB_HOST].pid;
	struct rlimit before, none;
	struct lab_child child;

	open_both(MEMORY_MALLOC);
	ck_assert_int_eq(prlimit(daemon, RLIMIT_AS, NULL, &before), 0);
	none = before;
	none.rlim_cur = 1u << 20;
	ck_assert_int_eq(prlimit(daemon, RLIMIT_AS, &none, NULL), 0);
	for (int i = 0; i < 3; i++) {
		child = lab_fork(&lab, LAB_HOST, refused, NULL);
		lab_join(&child);
	}
	check_copies(2);
	ck_assert_int_eq(prlimit(daemon, RLIMIT_AS, &before, NULL), 0);
	child = lab_fork(&lab, LAB_HOST, served, NULL);
	lab_join(&child);
	exporter_call_daemon(&exporter);
	await_import();
	close_both();
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 0, 1000);
}
END_TEST
#endif

START_TEST(test_no_daemon)
{
	struct doca_devinfo **list;
	uint32_t n;

	setenv("DOCOCORED_SOCKET", "/nonexistent/host.sock", 1);
	EXPECT(DOCA_ERROR_NOT_FOUND, doca_devinfo_create_list(&list, &n));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "/nonexistent/host.sock"));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "dococored --side"));
	unsetenv("DOCOCORED_SOCKET");
	unsetenv("DOCA_SIDE");
	EXPECT(DOCA_ERROR_NOT_FOUND, doca_devinfo_create_list(&list, &n));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "dococored/dpu.sock"));
	setenv("DOCA_SIDE", "moon", 1);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_devinfo_create_list(&list, &n));
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("daemon faults");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_exporters_daemon_dies, 0, 2);
	tcase_add_loop_test(tcase, test_importers_daemon_dies, 0, 2);
	tcase_add_loop_test(tcase, test_both_die, 0, 2);
	tcase_add_loop_test(tcase, test_revoked_without_daemon, 0, 2);
	tcase_add_test(tcase, test_second_daemon);
	tcase_add_test(tcase, test_stale_socket);
	tcase_add_test(tcase, test_read_only_directory);
	tcase_add_test(tcase, test_garbage);
	tcase_add_test(tcase, test_out_of_order);
	tcase_add_test(tcase, test_wrong_fd_count);
	tcase_add_loop_test(tcase, test_close_that_waits, 0, 2);
	tcase_add_test(tcase, test_closes_that_wait);
	tcase_add_test(tcase, test_connects_and_drops);
	tcase_add_test(tcase, test_never_reads);
	tcase_add_loop_test(tcase, test_no_descriptors, 0, 2);
#ifndef DOCO_SANITIZED
	tcase_add_test(tcase, test_daemon_without_memory);
#endif
	tcase_add_test(tcase, test_no_daemon);
}

int main(void)
{
	lab_require();
	return runner_main("daemon_fault", add_cases, NULL);
}
