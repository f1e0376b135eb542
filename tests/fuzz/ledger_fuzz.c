/*
 * The record of an earlier instance of the daemon. Any bytes are refused, or are a ledger that can
 * be read and written; every record that was put is found again.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/ledger.h"
#include "tests/fuzz/fuzz.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/util.h"

#define MAX_CELLS 64u

static int count(void *user, const struct ledger_record *record)
{
	unsigned sum = 0;

	FUZZ_CHECK(record->id != 0 && record->cell != 0 && record->len <= LEDGER_MAX_RECORD);
	for (size_t i = 0; i < record->len; i++)
		sum += record->data[i];
	*(unsigned *)user += 1 + (sum & 0);
	return 0;
}

/* Returns a memfd with these bytes, padded with zeros to whole cells. */
static int image(const uint8_t *data, size_t len)
{
	size_t n_cells = MIN((len + LEDGER_CELL_LEN - 1) / LEDGER_CELL_LEN, MAX_CELLS);
	int fd = memfd_create_sealed("ledger-fuzz", MAX(n_cells, 16u) * LEDGER_CELL_LEN);

	FUZZ_CHECK(fd >= 0);
	len = MIN(len, (size_t)MAX_CELLS * LEDGER_CELL_LEN);
	FUZZ_CHECK(pwrite(fd, data, len, 0) == (ssize_t)len);
	return fd;
}

/*
 * Puts and removes records as the bytes say: each is found unchanged, and the cells of all records
 * are exactly those in use.
 */
static void check_use(const uint8_t *data, size_t len)
{
	static const size_t lens[] = {0, 1, 200, 201, 500, 1500, 4000, LEDGER_MAX_RECORD + 1};
	static const uint8_t content[LEDGER_MAX_RECORD + 1];
	uint32_t cells[16] = {0};
	struct ledger *ledger;
	unsigned n = 0, n_found = 0;

	FUZZ_CHECK(ledger_new(MAX_CELLS, &ledger) == 0);
	for (size_t i = 0; i < MIN(len, (size_t)200); i++) {
		uint32_t *cell = &cells[data[i] % 16];
		size_t record_len = lens[data[i] / 16 % 8];
		bool was_there = *cell != 0;
		int r;

		if (data[i] & 128) {
			ledger_remove(ledger, cell);
			FUZZ_CHECK(*cell == 0);
			n -= was_there;
			continue;
		}
		ledger_begin(ledger, data[i], i);
		r = ledger_put(ledger, cell, 1 + data[i] % 16, 1 + i, content, record_len);
		FUZZ_CHECK(r == 0 || r == (record_len > LEDGER_MAX_RECORD ? -EMSGSIZE : -ENOSPC));
		if (r == 0) {
			ledger_end(ledger);
			n += !was_there;
		}
	}
	FUZZ_CHECK(ledger_n_cells_used(ledger) < MAX_CELLS);
	FUZZ_CHECK((ledger_n_cells_used(ledger) == 0) == (n == 0));
	FUZZ_CHECK(ledger_each(ledger, count, &n_found) == 0 && n_found == n);
	ledger_free(ledger);
}

/* A request is reported again if the daemon ended while processing it. */
static void check_suspect(struct ledger **ledger, uint64_t object, uint64_t request)
{
	int fd = fd_dup(ledger_fd(*ledger));
	unsigned n_ends = ledger_n_ends(*ledger, object, request);

	ledger_begin(*ledger, object, request);
	*ledger = ledger_free(*ledger);
	FUZZ_CHECK(ledger_open(fd, ledger) == 0);
	FUZZ_CHECK(ledger_n_ends(*ledger, object, request) >= MIN(n_ends, 1u));
	ledger_end(*ledger);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	unsigned n_before = 0, n_after = 0;
	struct ledger *ledger;
	uint32_t cell = 0;
	int r, fd, again;

	check_use(data, len);
	fd = image(data, len);
	again = fd_dup(fd);
	r = ledger_open(fd, &ledger);
	FUZZ_CHECK(r == 0 || r == -EPROTO || r == -EPROTONOSUPPORT);
	if (r < 0) {
		fd_close(&again);
		return 0;
	}
	FUZZ_CHECK(ledger_each(ledger, count, &n_before) == 0);
	r = ledger_put(ledger, &cell, 7, 1234567, data, MIN(len, 700u));
	FUZZ_CHECK(r == 0 || r == -ENOSPC);
	ledger_free(ledger);
	/* The records written into an existing ledger are valid for the next instance. */
	FUZZ_CHECK(ledger_open(again, &ledger) == 0);
	FUZZ_CHECK(ledger_each(ledger, count, &n_after) == 0);
	FUZZ_CHECK(n_after == n_before + (r == 0));
	check_suspect(&ledger, len, 7);
	check_suspect(&ledger, len, 7);
	ledger_free(ledger);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	uint8_t data[1000];
	struct ledger *ledger;
	uint32_t cells[9] = {0};
	size_t len = 32 * LEDGER_CELL_LEN;

	/* Seeds for check_use(). */
	if (i >= 6 && i < 10 && out_len >= 200) {
		for (size_t k = 0; k < 200; k++)
			out[k] = (uint8_t)(k * (i * 37 + 11) % 251);
		return 200;
	}
	if (i >= 6 || out_len < len || ledger_new(32, &ledger) < 0)
		return 0;
	memset(data, (int)i, sizeof(data));
	for (unsigned n = 1; n <= i; n++)
		FUZZ_CHECK(ledger_put(ledger, &cells[n], (uint16_t)n, n, data, n * 150) == 0);
	/* With a gap, and a record that was replaced. */
	ledger_remove(ledger, &cells[2]);
	if (i > 2)
		FUZZ_CHECK(ledger_put(ledger, &cells[3], 3, 3, data, 10) == 0);
	FUZZ_CHECK(pread(ledger_fd(ledger), out, len, 0) == (ssize_t)len);
	ledger_free(ledger);
	return len;
}
