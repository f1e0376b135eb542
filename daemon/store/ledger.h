/*
 * What a daemon must remember if it is killed in the next instruction: records in a memfd that
 * outlives it in the service manager's fd store. A record is there as a whole or not at all: it is
 * written into free cells and then published by one store; a change is a new record, after which
 * the old one goes, so a reader may find both and takes the later.
 *
 * The reader trusts nothing: a wrong magic, version, size, length or checksum makes the whole
 * ledger unusable (-EPROTO), never the process. Single-threaded.
 */
#ifndef DAEMON_STORE_LEDGER_H
#define DAEMON_STORE_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#define LEDGER_VERSION    2u
#define LEDGER_CELL_LEN   256u
#define LEDGER_MAX_RECORD 65536u
/* 64 MiB, of which only what is used takes memory. */
#define LEDGER_CELLS 262144u

struct ledger;

/* A new, empty one of n_cells cells. 0 or -errno. */
int ledger_new(uint32_t n_cells, struct ledger **ledger_out);
/* One that is there; takes fd, also when it fails. 0, -EPROTONOSUPPORT (of another format),
 * -EPROTO (no ledger, or damaged), -errno. */
int ledger_open(int fd, struct ledger **ledger_out);
/* Unmaps; the memory stays as long as somebody has the descriptor. NULL is fine. Returns NULL. */
struct ledger *ledger_free(struct ledger *ledger);
int ledger_fd(const struct ledger *ledger);

/*
 * Writes a record of an object (type and id, ids are never 0) and forgets the one at *cell, if not
 * 0. *cell is where it is now. 0, -ENOSPC or -EMSGSIZE: nothing has changed.
 */
int ledger_put(struct ledger *ledger, uint32_t *cell, uint16_t type, uint64_t id, const void *data,
	       size_t len);
/* Forgets the record at *cell; *cell is 0 then. 0 is fine. */
void ledger_remove(struct ledger *ledger, uint32_t *cell);
uint32_t ledger_n_cells_used(const struct ledger *ledger);

/*
 * What the process is doing for an object just now. One that ends between the two leaves it behind:
 * ledger_n_ends() says how many have ended in this very request, whatever else was done in between;
 * of the last eight such requests. A few stores each, nothing is allocated.
 */
void ledger_begin(struct ledger *ledger, uint64_t object, uint64_t request);
void ledger_end(struct ledger *ledger);
unsigned ledger_n_ends(const struct ledger *ledger, uint64_t object, uint64_t request);

struct ledger_record {
	uint16_t type;
	uint64_t id;
	uint64_t seq; /* the later of two of the same object counts */
	uint32_t cell;
	const uint8_t *data;
	size_t len;
};

/* Calls fn for each record, in no order, until it returns other than 0, which is returned. */
int ledger_each(const struct ledger *ledger,
		int (*fn)(void *user, const struct ledger_record *record), void *user);

#endif
