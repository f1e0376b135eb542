/*
 * State that must survive if the daemon is killed at any instruction: records in a memfd, which
 * outlives the daemon in the service manager's fd store. A record exists completely or not at all:
 * it is written into free cells and then published by one store. A change writes a new record and
 * then removes the old one, so a reader may find both and uses the later one.
 *
 * The reader validates everything: a wrong magic, version, size, length or checksum makes the whole
 * ledger unusable (-EPROTO) and never crashes the process. Single-threaded.
 */
#ifndef DAEMON_STORE_LEDGER_H
#define DAEMON_STORE_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#define LEDGER_VERSION    2u
#define LEDGER_CELL_LEN   256u
#define LEDGER_MAX_RECORD 65536u
/* 64 MiB; only used cells occupy memory. */
#define LEDGER_CELLS 262144u

struct ledger;

/* Creates an empty ledger of n_cells cells. Returns 0 or -errno. */
int ledger_new(uint32_t n_cells, struct ledger **ledger_out);
/*
 * Opens an existing ledger. Takes ownership of fd, also on failure. Returns 0, -EPROTONOSUPPORT
 * (another format), -EPROTO (no ledger, or damaged) or another -errno.
 */
int ledger_open(int fd, struct ledger **ledger_out);
/*
 * Unmaps the ledger; the memory stays while a process has the descriptor. Accepts NULL. Returns
 * NULL.
 */
struct ledger *ledger_free(struct ledger *ledger);
int ledger_fd(const struct ledger *ledger);

/*
 * Writes a record of an object (type and id; ids are never 0) and removes the record at *cell, if
 * *cell is not 0. Sets *cell to the new cell. Returns 0, -ENOSPC or -EMSGSIZE; on failure nothing
 * has changed.
 */
int ledger_put(struct ledger *ledger, uint32_t *cell, uint16_t type, uint64_t id, const void *data,
	       size_t len);
/* Removes the record at *cell and sets *cell to 0. Accepts *cell == 0. */
void ledger_remove(struct ledger *ledger, uint32_t *cell);
uint32_t ledger_n_cells_used(const struct ledger *ledger);

/*
 * Marks the request that the process is executing for an object. If the process ends between begin
 * and end, the mark stays. ledger_n_ends() returns how many processes have ended during this
 * request, no matter what was executed in between, for the last eight such requests. Costs a few
 * stores and allocates nothing.
 */
void ledger_begin(struct ledger *ledger, uint64_t object, uint64_t request);
void ledger_end(struct ledger *ledger);
unsigned ledger_n_ends(const struct ledger *ledger, uint64_t object, uint64_t request);

struct ledger_record {
	uint16_t type;
	uint64_t id;
	uint64_t seq; /* of two records of one object, the one with the higher number is valid */
	uint32_t cell;
	const uint8_t *data;
	size_t len;
};

/*
 * Calls fn for each record, in no fixed order, until it returns a value other than 0. Returns that
 * value, or 0.
 */
int ledger_each(const struct ledger *ledger,
		int (*fn)(void *user, const struct ledger_record *record), void *user);

#endif
