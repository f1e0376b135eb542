/*
 * Daemons on a machine whose disk is full, whose runtime directory cannot be written, or whose wall
 * clock jumps. The runtime directory is a small file system of a mount namespace of the test; the
 * clock is the C library's, which this program replaces.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/daemon/pair.h"
#include "tests/unit/daemon/session/fault_work.h"
#include "tests/unit/daemon/mounts.h"
#include "util/clock.h"

/* Lock and socket, for clients and for the bus. */
#define N_FILES 4u
#define YEAR_S  (365ll * 24 * 3600)

static struct daemon_pair pair;
static char log_path[128];

/* --- the clock --- */

/* Seconds that the wall clock is ahead; shared with the daemons. */
static _Atomic int64_t *jump_s;

static int64_t jump_of(clockid_t clock)
{
	return jump_s && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		       ? atomic_load(jump_s)
		       : 0;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *out)
{
	int r = (int)syscall(SYS_clock_gettime, clock, out);

	if (r == 0)
		out->tv_sec += jump_of(clock);
	return r;
}

__attribute__((visibility("default"))) time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *restrict out,
							void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
	return 0;
}

static void set_up_clock(void)
{
	jump_s = mmap(NULL, sizeof(*jump_s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(jump_s, MAP_FAILED);
	pair_set_up(&pair);
	pair.log_level = LOG_LEVEL_INFO;
	pair_start_linked(&pair);
}

static void tear_down_clock(void)
{
	atomic_store(jump_s, 0);
	pair_tear_down(&pair);
}

/* No clock of the kernel returns a time before 1970 or beyond the digits of a date. */
static const int64_t jumps_s[] = {YEAR_S, -YEAR_S, 200 * YEAR_S, -50 * YEAR_S};

START_TEST(test_clock_jumps_between_requests)
{
	for (size_t i = 0; i < ARRAY_LEN(jumps_s); i++) {
		atomic_store(jump_s, jumps_s[i]);
		ck_assert(fault_work(&pair, SIDE_HOST, false));
	}
}
END_TEST

/* A request waits for the other daemon, which does not come back. */
START_TEST(test_clock_jumps_while_a_request_waits)
{
	Dococore__ChannelConnect connect = DOCOCORE__CHANNEL_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client client, bystander;

	client_open(&client, &pair, SIDE_HOST);
	client_open(&bystander, &pair, SIDE_HOST);
	connect.device = client_open_device(&client, "pf0");
	connect.name = (char *)"nobody";
	connect.max_msg_size = 100;
	connect.recv_queue_size = 8;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CONNECT;
	packet.channel_connect = &connect;
	pair_stop(&pair, SIDE_DPU, SIGKILL);
	client_send(&client, &packet, NULL, 0);
	client_open_device(&bystander, "pf0");
	atomic_store(jump_s, jumps_s[_i]);
	ck_assert_ptr_nonnull(client_await(&client));
	ck_assert_uint_eq(client.reply->id, packet.id);
	client_close(&bystander);
	client_close(&client);
}
END_TEST

/* --- the disk --- */

static void on_pass(void)
{
	int fd = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(125);
	close_range(3, ~0u, 0);
}

static void set_up_disk(void)
{
	pair_set_up(&pair);
	snprintf(log_path, sizeof(log_path), "%s.log", pair.dir);
	pair.pass = on_pass;
	ck_assert(mounts_enter());
}

static void mount_disk(unsigned long flags, const char *options)
{
	ck_assert_int_eq(mount("none", pair.dir, "tmpfs", flags, options), 0);
}

static void tear_down_disk(void)
{
	for (int side = SIDE_HOST; side <= SIDE_DPU; side++)
		if (pair.pids[side])
			ck_assert_int_eq(pair_stop(&pair, (enum side)side, SIGTERM), 0);
	ck_assert_int_eq(umount2(pair.dir, MNT_DETACH), 0);
	unlink(log_path);
	pair_tear_down(&pair);
}

static void check_log(const char *text)
{
	char log[2000] = "";
	int fd = open(log_path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_gt(read(fd, log, sizeof(log) - 1), 0);
	close(fd);
	ck_assert_msg(strstr(log, text) && strstr(log, pair.dir), "%s", log);
}

static unsigned count_files(void)
{
	DIR *dir = opendir(pair.dir);
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

START_TEST(test_read_only_directory)
{
	mount_disk(MS_RDONLY, NULL);
	ck_assert_int_eq(pair_try_start(&pair, SIDE_HOST), 1);
	check_log("Read-only file system");
}
END_TEST

/* There is room for some of the files that a daemon makes at its start, but not for all. */
START_TEST(test_no_room_for_files)
{
	char options[32];

	snprintf(options, sizeof(options), "nr_inodes=%u", 1 + (unsigned)_i);
	mount_disk(0, options);
	ck_assert_int_eq(pair_try_start(&pair, SIDE_HOST), 1);
	check_log("No space left on device");
	ck_assert_uint_eq(count_files(), 0);
}
END_TEST

/* The log is on the disk that is full. */
START_TEST(test_full_disk)
{
	char path[128], page[4096] = "";
	int fd;

	mount_disk(0, "size=64k");
	snprintf(path, sizeof(path), "%s/full", pair.dir);
	snprintf(log_path, sizeof(log_path), "%s/log", pair.dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	while (write(fd, page, sizeof(page)) > 0)
		continue;
	ck_assert_int_eq(errno, ENOSPC);
	close(fd);
	pair.log_level = LOG_LEVEL_DEBUG;
	pair_start_linked(&pair);
	ck_assert(fault_work(&pair, SIDE_HOST, false));
	ck_assert(fault_work(&pair, SIDE_DPU, false));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon machine");
	TCase *tcase = unit_case(suite, "clock", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up_clock, tear_down_clock);
	tcase_add_test(tcase, test_clock_jumps_between_requests);
	tcase_add_loop_test(tcase, test_clock_jumps_while_a_request_waits, 0, ARRAY_LEN(jumps_s));
	if (!mounts_are_possible()) {
		printf("the disk is not tested: mount namespaces are forbidden here\n");
		return unit_run(suite) == EXIT_SUCCESS ? 77 : EXIT_FAILURE;
	}
	tcase = unit_case(suite, "disk", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, set_up_disk, tear_down_disk);
	tcase_add_test(tcase, test_read_only_directory);
	tcase_add_loop_test(tcase, test_no_room_for_files, 0, N_FILES);
	tcase_add_test(tcase, test_full_disk);
	return unit_run(suite);
}
