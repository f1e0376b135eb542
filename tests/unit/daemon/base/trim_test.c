/*
 * daemon/base/trim: memory that a daemon needed for many clients is returned when they have ended,
 * also if a later client stays connected.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/daemon/pair.h"
#include "util/clock.h"

#define N_CLIENTS 40
#define N_EXPORTS 200 /* of each kind */
#define PCI       DOCOCORE__EXPORT_KIND__PCI
#define PCI_READ  16u
#define AWAIT_NS  (60 * NS_PER_SEC)

static struct daemon_pair pair;
static struct client clients[N_CLIENTS];

static void set_up(void)
{
	pair_set_up(&pair);
	pair_start(&pair, SIDE_HOST);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
}

/* Resident anonymous memory of the daemon in KiB. */
static unsigned long resident_kib(void)
{
	unsigned long kib = 0;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pair.pids[SIDE_HOST]);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "RssAnon: %lu kB", &kib) == 1)
			break;
	fclose(file);
	ck_assert_uint_gt(kib, 0);
	return kib;
}

START_TEST(memory_is_released)
{
	unsigned long before_kib = resident_kib(), peak_kib, now_kib;
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	struct client last;
	uint64_t device;

	for (int i = 0; i < N_CLIENTS; i++) {
		client_open(&clients[i], &pair, SIDE_HOST);
		device = client_open_device(&clients[i], "pf0");
		for (int j = 0; j < N_EXPORTS; j++)
			client_ask_export(&clients[i], device, PCI, PCI_READ, -1, 4096);
	}
	client_open(&last, &pair, SIDE_HOST);
	peak_kib = resident_kib();
	ck_assert_uint_gt(peak_kib, before_kib + 1024);
	for (int i = 0; i < N_CLIENTS; i++)
		client_close(&clients[i]);
	while ((now_kib = resident_kib()) > before_kib + (peak_kib - before_kib) / 4) {
		ck_assert_msg(clock_now_ns() < deadline_ns, "%lu KiB, at first %lu, at most %lu",
			      now_kib, before_kib, peak_kib);
		poll(NULL, 0, 20);
	}
	client_close(&last);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon/trim");
	TCase *tcase = unit_case(suite, "trim", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, memory_is_released);
	return unit_run(suite);
}
