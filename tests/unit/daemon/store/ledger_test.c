/*
 * daemon/store/ledger: records that survive, runs of cells, and a reader that survives any
 * contents.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/store/ledger.h"
#include "tests/unit/unit.h"
#include "util/fd.h"
#include "util/memfd.h"

#define N_CELLS 64u

struct found {
	unsigned n;
	uint64_t id;
	size_t len;
	uint8_t data[4096];
};

static int find(void *user, const struct ledger_record *record)
{
	struct found *found = user;

	if (found->id && found->id != record->id)
		return 0;
	found->n++;
	found->len = record->len;
	ck_assert_uint_le(record->len, sizeof(found->data));
	memcpy(found->data, record->data, record->len);
	return 0;
}

static unsigned count(const struct ledger *ledger, uint64_t id)
{
	struct found found = {.id = id};

	ck_assert_int_eq(ledger_each(ledger, find, &found), 0);
	return found.n;
}

static void fill(uint8_t *data, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		data[i] = (uint8_t)(seed + i * 7);
}

/* Opens the ledger as the next daemon instance does. */
static struct ledger *reopen(struct ledger *ledger)
{
	int fd = fd_dup(ledger_fd(ledger));
	struct ledger *again;

	ledger_free(ledger);
	ck_assert_int_eq(ledger_open(fd, &again), 0);
	return again;
}

START_TEST(records_survive_reopening)
{
	static const size_t lengths[] = {0, 1, 223, 224, 225, 476, 477, 3000};
	struct ledger *ledger;
	uint32_t cells[ARRAY_LEN(lengths)] = {0};
	uint8_t data[4096];

	ck_assert_int_eq(ledger_new(N_CELLS, &ledger), 0);
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		fill(data, lengths[i], (unsigned)i);
		ck_assert_int_eq(ledger_put(ledger, &cells[i], 3, i + 1, data, lengths[i]), 0);
	}
	ledger = reopen(ledger);
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		struct found found = {.id = i + 1};

		ck_assert_int_eq(ledger_each(ledger, find, &found), 0);
		ck_assert_uint_eq(found.n, 1);
		ck_assert_uint_eq(found.len, lengths[i]);
		fill(data, lengths[i], (unsigned)i);
		ck_assert_mem_eq(found.data, data, lengths[i]);
	}
	ledger_free(ledger);
}
END_TEST

START_TEST(replaces_and_removes)
{
	struct ledger *ledger;
	uint32_t one = 0, two = 0;
	uint8_t data[600] = {1};

	ck_assert_int_eq(ledger_new(N_CELLS, &ledger), 0);
	ck_assert_int_eq(ledger_put(ledger, &one, 1, 1, data, 10), 0);
	ck_assert_int_eq(ledger_put(ledger, &two, 1, 2, data, 600), 0);
	for (int i = 0; i < 1000; i++) {
		ck_assert_int_eq(ledger_put(ledger, &one, 1, 1, data, (size_t)i % 500), 0);
		ck_assert_uint_eq(count(ledger, 1), 1);
	}
	ledger_remove(ledger, &two);
	ck_assert_uint_eq(two, 0);
	ledger_remove(ledger, &two);
	ledger = reopen(ledger);
	ck_assert_uint_eq(count(ledger, 0), 1);
	ck_assert_uint_le(ledger_n_cells_used(ledger), 3);
	ledger_free(ledger);
}
END_TEST

START_TEST(full_changes_nothing)
{
	struct ledger *ledger;
	uint32_t cells[N_CELLS] = {0}, none = 0;
	uint8_t data[1000] = {0};
	unsigned n = 0;

	ck_assert_int_eq(ledger_new(N_CELLS, &ledger), 0);
	while (ledger_put(ledger, &cells[n], 1, n + 1, data, 8) == 0)
		n++;
	ck_assert_uint_eq(n, N_CELLS - 1);
	ck_assert_int_eq(ledger_put(ledger, &cells[0], 1, 1, data, 8), -ENOSPC);
	ck_assert_uint_ne(cells[0], 0);
	ck_assert_uint_eq(count(ledger, 0), n);
	ledger_remove(ledger, &cells[5]);
	ck_assert_int_eq(ledger_put(ledger, &none, 1, 99, data, 1000), -ENOSPC);
	ck_assert_int_eq(ledger_put(ledger, &none, 1, 99, data, 8), 0);
	none = 0;
	ck_assert_int_eq(ledger_put(ledger, &none, 1, 99, data, LEDGER_MAX_RECORD + 1), -EMSGSIZE);
	ledger_free(ledger);
}
END_TEST

/* Cells of long records can be reused for others, in this instance and in the next. */
START_TEST(cells_are_reused)
{
	struct ledger *ledger;
	uint32_t longs[2] = {0}, singles[N_CELLS] = {0}, runs[4] = {0};
	uint8_t data[4256] = {0};

	ck_assert_int_eq(ledger_new(N_CELLS, &ledger), 0);
	for (uint32_t i = 0; i < ARRAY_LEN(longs); i++)
		ck_assert_int_eq(ledger_put(ledger, &longs[i], 1, i + 1, data, sizeof(data)), 0);
	for (uint32_t i = 0; ledger_put(ledger, &singles[i], 1, i + 10, data, 8) == 0; i++)
		;
	for (uint32_t i = 0; i < ARRAY_LEN(longs); i++)
		ledger_remove(ledger, &longs[i]);
	for (int round = 0; round < 2; round++) {
		/* Records of eight cells. */
		for (uint32_t i = 0; i < ARRAY_LEN(runs); i++)
			ck_assert_int_eq(ledger_put(ledger, &runs[i], 1, i + 1, data, 1988), 0);
		for (uint32_t i = 0; i < ARRAY_LEN(runs); i++)
			ledger_remove(ledger, &runs[i]);
		ledger = reopen(ledger);
	}
	ledger_free(ledger);
}
END_TEST

/* Cells that were never written are not read, because that would allocate memory. */
START_TEST(stays_sparse)
{
	struct ledger *ledger;
	uint32_t cells[3] = {0};
	uint8_t data[1000];
	struct stat st;

	ck_assert_int_eq(ledger_new(LEDGER_CELLS, &ledger), 0);
	fill(data, sizeof(data), 1);
	for (uint32_t i = 0; i < ARRAY_LEN(cells); i++)
		ck_assert_int_eq(ledger_put(ledger, &cells[i], 1, i + 1, data, sizeof(data)), 0);
	ledger = reopen(ledger);
	for (uint32_t i = 0; i < ARRAY_LEN(cells); i++)
		ck_assert_uint_eq(count(ledger, i + 1), 1);
	ck_assert_int_eq(fstat(ledger_fd(ledger), &st), 0);
	ck_assert_msg(st.st_blocks * 512 <= 64 << 10, "it takes %lld bytes",
		      (long long)st.st_blocks * 512);
	ledger_free(ledger);
}
END_TEST

/*
 * A process that ends during a request leaves a mark of it, which later processes keep, whatever
 * they do before that request is repeated.
 */
START_TEST(counts_ends)
{
	struct ledger *ledger;

	ck_assert_int_eq(ledger_new(64, &ledger), 0);
	ledger_begin(ledger, 7, 8);
	ledger_end(ledger);
	ledger = reopen(ledger);
	ck_assert_uint_eq(ledger_n_ends(ledger, 7, 8), 0);
	for (unsigned i = 1; i <= 2; i++) {
		ledger_begin(ledger, 7, 8);
		ledger = reopen(ledger);
		ck_assert_uint_eq(ledger_n_ends(ledger, 7, 8), i);
		ck_assert_uint_eq(ledger_n_ends(ledger, 7, 9), 0);
		ck_assert_uint_eq(ledger_n_ends(ledger, 8, 8), 0);
	}
	ledger_begin(ledger, 7, 9);
	ledger = reopen(ledger);
	ck_assert_uint_eq(ledger_n_ends(ledger, 7, 9), 1);
	ck_assert_uint_eq(ledger_n_ends(ledger, 7, 8), 2);
	ledger_free(ledger);
}
END_TEST

START_TEST(counts_ends_apart)
{
	struct ledger *ledger;

	ck_assert_int_eq(ledger_new(64, &ledger), 0);
	for (unsigned i = 1; i <= 3; i++) {
		ledger_begin(ledger, 7, 8);
		ledger = reopen(ledger);
		ck_assert_uint_eq(ledger_n_ends(ledger, 7, 8), i);
		/* Another client is served first. */
		ledger_begin(ledger, 1, i);
		ledger_end(ledger);
		ledger = reopen(ledger);
		ck_assert_uint_eq(ledger_n_ends(ledger, 1, i), 0);
		ck_assert_uint_eq(ledger_n_ends(ledger, 7, 8), i);
	}
	/* Two requests alternate. */
	for (unsigned i = 1; i <= 2; i++) {
		ledger_begin(ledger, 2, 5);
		ledger = reopen(ledger);
		ck_assert_uint_eq(ledger_n_ends(ledger, 2, 5), i);
		ledger_begin(ledger, 3, 5);
		ledger = reopen(ledger);
		ck_assert_uint_eq(ledger_n_ends(ledger, 3, 5), i);
	}
	/* The oldest are dropped. */
	for (unsigned i = 1; i <= 8; i++) {
		ledger_begin(ledger, 9, i);
		ledger = reopen(ledger);
	}
	ck_assert_uint_eq(ledger_n_ends(ledger, 7, 8), 0);
	ck_assert_uint_eq(ledger_n_ends(ledger, 9, 1), 1);
	ck_assert_uint_eq(ledger_n_ends(ledger, 9, 8), 1);
	ledger_free(ledger);
}
END_TEST

/* A ledger of a daemon with another format is not damage, and has its own code. */
START_TEST(another_format)
{
	const uint32_t versions[] = {0, LEDGER_VERSION + 1};

	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		struct ledger *ledger;
		int fd;

		ck_assert_int_eq(ledger_new(64, &ledger), 0);
		fd = fd_dup(ledger_fd(ledger));
		ck_assert_int_eq(pwrite(fd, &versions[i], sizeof(versions[i]), 8),
				 sizeof(versions[i]));
		ledger_free(ledger);
		ck_assert_int_eq(ledger_open(fd, &ledger), -EPROTONOSUPPORT);
	}
}
END_TEST

START_TEST(no_ledger)
{
	struct ledger *ledger;
	int pipes[2];

	ck_assert_int_eq(pipe(pipes), 0);
	close(pipes[1]);
	ck_assert_int_eq(ledger_open(pipes[0], &ledger), -EPROTO);
	ck_assert_int_eq(ledger_open(memfd_create_sealed("t", 4096 * 4), &ledger), -EPROTO);
	ck_assert_int_eq(ledger_open(memfd_create_sealed("t", 100), &ledger), -EPROTO);
	/* Another process could truncate it. */
	ck_assert_int_eq(ledger_open(memfd_create("t", MFD_ALLOW_SEALING), &ledger), -EPROTO);
}
END_TEST

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* One to four bytes of a full ledger are changed: it is refused, or its records are valid. */
START_TEST(damaged)
{
	uint64_t random = 88172645463325252ull + (uint64_t)_i;
	unsigned n_refused = 0;

	for (int round = 0; round < UNIT_ALONE(2000); round++) {
		struct ledger *ledger, *again;
		uint8_t data[1200], *map;
		uint32_t cell;
		int fd, r;

		ck_assert_int_eq(ledger_new(N_CELLS, &ledger), 0);
		for (unsigned i = 1; i < 16; i++) {
			size_t len = random_next(&random) % 900;

			cell = 0;
			fill(data, len, i);
			ck_assert_int_eq(ledger_put(ledger, &cell, 1, i, data, len), 0);
			if (i % 5 == 0)
				ledger_remove(ledger, &cell);
		}
		fd = fd_dup(ledger_fd(ledger));
		ledger_free(ledger);
		map = memfd_map(fd, 0, N_CELLS * LEDGER_CELL_LEN, true);
		ck_assert_ptr_nonnull(map);
		for (uint64_t i = random_next(&random) % 4; i < 4; i++)
			map[random_next(&random) % (N_CELLS * LEDGER_CELL_LEN)] =
				(uint8_t)random_next(&random);
		memfd_unmap(map, N_CELLS * LEDGER_CELL_LEN);
		r = ledger_open(fd, &again);
		ck_assert(r == 0 || r == -EPROTO || r == -EPROTONOSUPPORT);
		n_refused += r < 0;
		if (r == 0) {
			ck_assert_uint_le(count(again, 0), 15);
			cell = 0;
			/* An accepted ledger can also be written. */
			(void)ledger_put(again, &cell, 1, 77, data, 300);
			ledger_free(again);
		}
	}
	ck_assert_uint_gt(n_refused, UNIT_ALONE(200));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ledger");
	TCase *tcase = unit_case(suite, "ledger", UNIT_TIMEOUT);

	tcase_add_test(tcase, records_survive_reopening);
	tcase_add_test(tcase, replaces_and_removes);
	tcase_add_test(tcase, full_changes_nothing);
	tcase_add_test(tcase, stays_sparse);
	tcase_add_test(tcase, cells_are_reused);
	tcase_add_test(tcase, counts_ends);
	tcase_add_test(tcase, counts_ends_apart);
	tcase_add_test(tcase, another_format);
	tcase_add_test(tcase, no_ledger);
	tcase_add_loop_test(tcase, damaged, 0, 4);
	return unit_run(suite);
}
