/*
 * Records in cells; see ledger.h. Cell 0 is the header. A record occupies a run of cells. The first
 * cell has a head, whose tag says that the record is complete. The others have a different tag, so
 * that a record's bytes are never taken for the head of another record. When a ledger is opened,
 * all cells are checked and the free lists are built.
 */
#include "daemon/store/ledger.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "util/fd.h"
#include "util/memfd.h"
#include "util/util.h"

#define LEDGER_MAGIC     0x1ed9e20d0c0c0c0aull
#define LEDGER_MIN_CELLS 16u
#define LEDGER_MAX_CELLS (1u << 24)

enum ledger_tag {
	TAG_FREE = 0,
	TAG_FIRST = 0x46697273,
	TAG_MORE = 0x4d6f7265,
};

/*
 * Free runs of 1 to LEDGER_N_STACKS cells are kept in one stack per length; longer runs are split.
 */
#define LEDGER_N_STACKS 8

/* Number of remembered requests during which earlier daemon instances ended. */
#define LEDGER_N_SUSPECTS 8

struct ledger_suspect {
	uint64_t object, request;
	uint32_t n_ends;
	uint32_t reserved;
};

struct ledger_header {
	uint64_t magic;
	uint32_t version;
	uint32_t cell_len;
	uint32_t n_cells;
	/* Zero in ledgers of earlier versions. */
	_Atomic uint32_t is_busy;
	uint64_t object, request;
	uint32_t reserved;
	uint32_t next_suspect; /* place of the oldest */
	struct ledger_suspect suspects[LEDGER_N_SUSPECTS];
};

struct ledger_cell {
	_Atomic uint32_t tag;
	uint32_t checksum; /* covers everything that follows up to the end of the data */
	uint64_t id;
	uint64_t seq;
	uint32_t len;
	uint16_t type;
	uint16_t n_cells;
	uint8_t data[LEDGER_CELL_LEN - 32];
};

struct ledger_more {
	_Atomic uint32_t tag;
	uint8_t data[LEDGER_CELL_LEN - 4];
};

_Static_assert(sizeof(struct ledger_header) <= LEDGER_CELL_LEN, "the header is one cell");
_Static_assert(sizeof(struct ledger_cell) == LEDGER_CELL_LEN, "a cell is a cell");
_Static_assert(sizeof(struct ledger_more) == LEDGER_CELL_LEN, "a cell is a cell");

struct ledger_stack {
	uint32_t *cells;
	uint32_t n, n_allocated;
};

struct ledger {
	int fd;
	uint8_t *map;
	size_t map_len;
	uint32_t n_cells;
	uint32_t next;   /* no cell from here on was ever used */
	uint32_t n_used; /* cells */
	uint64_t seq;
	uint8_t *scratch; /* buffer in which a record is assembled for the reader */
	struct ledger_stack stacks[LEDGER_N_STACKS];
};

static struct ledger_cell *ledger_cell(const struct ledger *ledger, uint32_t cell)
{
	return (struct ledger_cell *)(ledger->map + (size_t)cell * LEDGER_CELL_LEN);
}

static struct ledger_more *ledger_more(const struct ledger *ledger, uint32_t cell)
{
	return (struct ledger_more *)(ledger->map + (size_t)cell * LEDGER_CELL_LEN);
}

static uint32_t ledger_run_len(size_t len)
{
	size_t first = sizeof(((struct ledger_cell *)0)->data);
	size_t more = sizeof(((struct ledger_more *)0)->data);

	return len <= first ? 1 : 1 + (uint32_t)((len - first + more - 1) / more);
}

/* Covers the head's fields and the data. */
static uint32_t ledger_checksum(const struct ledger_cell *head, const void *data)
{
	size_t from = offsetof(struct ledger_cell, id), to = offsetof(struct ledger_cell, data);
	uLong sum = crc32(0, (const uint8_t *)head + from, (uInt)(to - from));

	return (uint32_t)crc32(sum, data, head->len);
}

int ledger_fd(const struct ledger *ledger)
{
	return ledger->fd;
}

uint32_t ledger_n_cells_used(const struct ledger *ledger)
{
	return ledger->n_used;
}

struct ledger *ledger_free(struct ledger *ledger)
{
	if (!ledger)
		return NULL;
	memfd_unmap(ledger->map, ledger->map_len);
	fd_close(&ledger->fd);
	for (size_t i = 0; i < LEDGER_N_STACKS; i++)
		free(ledger->stacks[i].cells);
	free(ledger->scratch);
	free(ledger);
	return NULL;
}

static struct ledger_header *ledger_header(const struct ledger *ledger)
{
	return (struct ledger_header *)ledger->map;
}

void ledger_begin(struct ledger *ledger, uint64_t object, uint64_t request)
{
	struct ledger_header *header = ledger_header(ledger);

	header->object = object;
	header->request = request;
	atomic_store(&header->is_busy, 1);
}

void ledger_end(struct ledger *ledger)
{
	atomic_store(&ledger_header(ledger)->is_busy, 0);
}

static struct ledger_suspect *ledger_find_suspect(const struct ledger *ledger, uint64_t object,
						  uint64_t request)
{
	struct ledger_header *header = ledger_header(ledger);

	for (size_t i = 0; i < LEDGER_N_SUSPECTS; i++) {
		struct ledger_suspect *suspect = &header->suspects[i];

		if (suspect->n_ends && suspect->object == object && suspect->request == request)
			return suspect;
	}
	return NULL;
}

unsigned ledger_n_ends(const struct ledger *ledger, uint64_t object, uint64_t request)
{
	const struct ledger_suspect *suspect = ledger_find_suspect(ledger, object, request);

	return suspect ? suspect->n_ends : 0;
}

/*
 * Records that the previous daemon instance ended in the middle of a request. The count is separate
 * from the current request, because other clients are served before that request is repeated.
 */
static void ledger_count_end(struct ledger *ledger)
{
	struct ledger_header *header = ledger_header(ledger);
	struct ledger_suspect *suspect;

	if (!atomic_exchange(&header->is_busy, 0))
		return;
	suspect = ledger_find_suspect(ledger, header->object, header->request);
	if (!suspect) {
		suspect = &header->suspects[header->next_suspect % LEDGER_N_SUSPECTS];
		header->next_suspect = (header->next_suspect + 1) % LEDGER_N_SUSPECTS;
		*suspect = (struct ledger_suspect){.object = header->object,
						   .request = header->request};
	}
	if (suspect->n_ends < UINT32_MAX)
		suspect->n_ends++;
}

/* Takes ownership of fd, also on failure. */
static int ledger_map(int fd, uint32_t n_cells, struct ledger **ledger_out)
{
	struct ledger *ledger = calloc(1, sizeof(*ledger));

	if (!ledger) {
		fd_close(&fd);
		return -ENOMEM;
	}
	ledger->fd = fd;
	ledger->n_cells = n_cells;
	ledger->next = 1;
	ledger->map_len = (size_t)n_cells * LEDGER_CELL_LEN;
	ledger->scratch = malloc(LEDGER_MAX_RECORD);
	if (ledger->scratch)
		ledger->map = memfd_map(fd, 0, ledger->map_len, true);
	if (!ledger->map) {
		ledger_free(ledger);
		return -ENOMEM;
	}
	/* Records contain secrets of exports, which a core dump must not contain. */
	(void)madvise(ledger->map, ledger->map_len, MADV_DONTDUMP);
	*ledger_out = ledger;
	return 0;
}

int ledger_new(uint32_t n_cells, struct ledger **ledger_out)
{
	size_t len = (size_t)n_cells * LEDGER_CELL_LEN;
	int fd = memfd_create_sealed("dococored-ledger", len);
	struct ledger_header *header;
	int r;

	if (fd < 0)
		return fd;
	r = ledger_map(fd, n_cells, ledger_out);
	if (r < 0)
		return r;
	header = (struct ledger_header *)(*ledger_out)->map;
	header->version = LEDGER_VERSION;
	header->cell_len = LEDGER_CELL_LEN;
	header->n_cells = n_cells;
	header->magic = LEDGER_MAGIC;
	return 0;
}

/*
 * Frees a run: puts it on the stack of its length, or splits it into runs of the greatest length.
 * If memory is short, the run is unusable until the next start, which is harmless.
 */
static void ledger_free_cells(struct ledger *ledger, uint32_t cell, uint32_t n)
{
	struct ledger_stack *stack = &ledger->stacks[n <= LEDGER_N_STACKS ? n - 1 : 0];

	if (n > LEDGER_N_STACKS) {
		for (uint32_t i = 0; i < n; i += LEDGER_N_STACKS)
			ledger_free_cells(ledger, cell + i, MIN(n - i, LEDGER_N_STACKS));
		return;
	}
	if (stack->n == stack->n_allocated) {
		uint32_t n_allocated = stack->n_allocated ? stack->n_allocated * 2 : 16;
		uint32_t *cells = realloc(stack->cells, n_allocated * sizeof(*cells));

		if (!cells)
			return;
		stack->cells = cells;
		stack->n_allocated = n_allocated;
	}
	stack->cells[stack->n++] = cell;
}

/* Allocates a run. Returns its first cell, or 0. */
static uint32_t ledger_allocate_cells(struct ledger *ledger, uint32_t n)
{
	uint32_t cell;

	if (n <= LEDGER_N_STACKS && ledger->stacks[n - 1].n)
		return ledger->stacks[n - 1].cells[--ledger->stacks[n - 1].n];
	if (n <= ledger->n_cells - ledger->next) {
		cell = ledger->next;
		ledger->next += n;
		return cell;
	}
	/* Uses a longer run if there is none of the right length. */
	for (uint32_t i = n + 1; i <= LEDGER_N_STACKS; i++) {
		struct ledger_stack *stack = &ledger->stacks[i - 1];

		if (stack->n == 0)
			continue;
		cell = stack->cells[--stack->n];
		ledger_free_cells(ledger, cell + n, i - n);
		return cell;
	}
	return 0;
}

static void ledger_write(struct ledger *ledger, uint32_t cell, uint32_t n, const uint8_t *data,
			 size_t len)
{
	struct ledger_cell *head = ledger_cell(ledger, cell);
	size_t done = MIN(len, sizeof(head->data));

	if (done)
		memcpy(head->data, data, done);
	for (uint32_t i = 1; i < n; i++) {
		struct ledger_more *more = ledger_more(ledger, cell + i);
		size_t part = MIN(len - done, sizeof(more->data));

		atomic_store(&more->tag, TAG_MORE);
		memcpy(more->data, data + done, part);
		done += part;
	}
}

int ledger_put(struct ledger *ledger, uint32_t *cell, uint16_t type, uint64_t id, const void *data,
	       size_t len)
{
	uint32_t n = ledger_run_len(len), at, old = *cell;
	struct ledger_cell *head;

	if (len > LEDGER_MAX_RECORD)
		return -EMSGSIZE;
	at = ledger_allocate_cells(ledger, n);
	if (at == 0)
		return -ENOSPC;
	head = ledger_cell(ledger, at);
	head->id = id;
	head->seq = ++ledger->seq;
	head->len = (uint32_t)len;
	head->type = type;
	head->n_cells = (uint16_t)n;
	ledger_write(ledger, at, n, data, len);
	head->checksum = ledger_checksum(head, data);
	/* This store publishes the record: from here on it exists even if the process is killed. */
	atomic_store(&head->tag, TAG_FIRST);
	ledger->n_used += n;
	*cell = at;
	ledger_remove(ledger, &old);
	return 0;
}

void ledger_remove(struct ledger *ledger, uint32_t *cell)
{
	struct ledger_cell *head;
	uint32_t n, at = *cell;

	if (at == 0)
		return;
	*cell = 0;
	head = ledger_cell(ledger, at);
	n = head->n_cells;
	atomic_store(&head->tag, TAG_FREE);
	for (uint32_t i = 1; i < n; i++)
		atomic_store(&ledger_more(ledger, at + i)->tag, TAG_FREE);
	ledger->n_used -= n;
	ledger_free_cells(ledger, at, n);
}

/* Assembles the record's data. Returns NULL if it is damaged. */
static const uint8_t *ledger_gather(const struct ledger *ledger, uint32_t cell)
{
	const struct ledger_cell *head = ledger_cell(ledger, cell);
	const uint8_t *data = head->data;
	size_t done;

	if (head->len > LEDGER_MAX_RECORD || head->n_cells != ledger_run_len(head->len) ||
	    head->n_cells > ledger->n_cells - cell || head->id == 0)
		return NULL;
	if (head->n_cells > 1) {
		done = sizeof(head->data);
		memcpy(ledger->scratch, head->data, done);
		for (uint32_t i = 1; i < head->n_cells; i++) {
			struct ledger_more *more = ledger_more(ledger, cell + i);
			size_t part = MIN(head->len - done, sizeof(more->data));

			if (atomic_load(&more->tag) != TAG_MORE)
				return NULL;
			memcpy(ledger->scratch + done, more->data, part);
			done += part;
		}
		data = ledger->scratch;
	}
	return ledger_checksum(head, data) == head->checksum ? data : NULL;
}

int ledger_each(const struct ledger *ledger,
		int (*fn)(void *user, const struct ledger_record *record), void *user)
{
	for (uint32_t cell = 1; cell < ledger->next;) {
		const struct ledger_cell *head = ledger_cell(ledger, cell);
		struct ledger_record record = {.cell = cell};
		int r;

		if (atomic_load(&head->tag) != TAG_FIRST) {
			cell++;
			continue;
		}
		record.data = ledger_gather(ledger, cell);
		if (!record.data)
			return -EPROTO;
		record.type = head->type;
		record.id = head->id;
		record.seq = head->seq;
		record.len = head->len;
		cell += head->n_cells;
		r = fn(user, &record);
		if (r != 0)
			return r;
	}
	return 0;
}

/*
 * Returns the first cell from here on that may have been written, and the end of that part. Cells
 * that were never written occupy no memory, but would if they were read.
 */
static uint32_t ledger_find_data(const struct ledger *ledger, uint32_t cell, uint32_t *end_out)
{
	off_t at = lseek(ledger->fd, (off_t)cell * LEDGER_CELL_LEN, SEEK_DATA);
	off_t end = at < 0 ? -1 : lseek(ledger->fd, at, SEEK_HOLE);

	*end_out = ledger->n_cells;
	if (at < 0)
		return errno == ENXIO ? ledger->n_cells : cell;
	if (end >= 0)
		*end_out = MIN((uint32_t)((end + LEDGER_CELL_LEN - 1) / LEDGER_CELL_LEN),
			       ledger->n_cells);
	return MAX((uint32_t)(at / LEDGER_CELL_LEN), cell);
}

/* Collects the free runs below the first cell that was never used. */
static void ledger_find_free(struct ledger *ledger)
{
	uint32_t n = 0;

	for (uint32_t cell = 1; cell < ledger->next;) {
		struct ledger_cell *head = ledger_cell(ledger, cell);

		if (atomic_load(&head->tag) == TAG_FIRST) {
			if (n)
				ledger_free_cells(ledger, cell - n, n);
			n = 0;
			cell += head->n_cells;
			continue;
		}
		atomic_store(&head->tag, TAG_FREE);
		n++;
		cell++;
	}
	/* The run ends before ledger->next. */
	if (n)
		ledger_free_cells(ledger, ledger->next - n, n);
}

/* Validates every record. Finds the first cell that was never used and the free runs below it. */
static int ledger_check(struct ledger *ledger)
{
	uint32_t end = 1, data_end = 0;

	for (uint32_t cell = 1; cell < ledger->n_cells;) {
		const struct ledger_cell *head;
		uint32_t tag;

		if (cell >= data_end) {
			cell = ledger_find_data(ledger, cell, &data_end);
			if (cell == ledger->n_cells)
				break;
		}
		head = ledger_cell(ledger, cell);
		tag = atomic_load(&head->tag);
		if (tag == TAG_FIRST) {
			if (!ledger_gather(ledger, cell))
				return -EPROTO;
			ledger->seq = MAX(ledger->seq, head->seq);
			ledger->n_used += head->n_cells;
			cell += head->n_cells;
			end = cell;
			continue;
		}
		/*
		 * Otherwise it must be free or part of a record that was incompletely written or
		 * removed.
		 */
		if (tag != TAG_FREE && tag != TAG_MORE)
			return -EPROTO;
		cell++;
	}
	ledger->next = end;
	ledger_find_free(ledger);
	return 0;
}

int ledger_open(int fd, struct ledger **ledger_out)
{
	struct ledger_header header = {.magic = 0};
	struct ledger *ledger;
	struct stat st;
	int r = 0;

	if (fstat(fd, &st) < 0 || st.st_size < (off_t)(LEDGER_MIN_CELLS * LEDGER_CELL_LEN) ||
	    st.st_size > (off_t)LEDGER_MAX_CELLS * LEDGER_CELL_LEN ||
	    st.st_size % LEDGER_CELL_LEN || memfd_verify_exact(fd, (size_t)st.st_size) < 0)
		r = -EPROTO;
	if (r < 0) {
		fd_close(&fd);
		return r;
	}
	r = ledger_map(fd, (uint32_t)(st.st_size / LEDGER_CELL_LEN), &ledger);
	if (r < 0)
		return r;
	memcpy(&header, ledger->map, offsetof(struct ledger_header, is_busy));
	if (header.magic == LEDGER_MAGIC && header.version != LEDGER_VERSION)
		r = -EPROTONOSUPPORT;
	else if (header.magic != LEDGER_MAGIC || header.cell_len != LEDGER_CELL_LEN ||
		 header.n_cells != ledger->n_cells)
		r = -EPROTO;
	if (r == 0)
		r = ledger_check(ledger);
	if (r == 0)
		ledger_count_end(ledger);
	if (r < 0) {
		ledger_free(ledger);
		return r;
	}
	*ledger_out = ledger;
	return 0;
}
