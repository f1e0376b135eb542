/*
 * Descriptors in the service manager's fd store. Each has a key, a small number whose text form is
 * its FDNAME. Names are short because the manager passes all of them in one environment string of
 * at most 128 KiB. A file that is put twice (the memory of two exports, an eventfd of two
 * consumers) has one key and is stored once, because a manager drops a second descriptor of an open
 * file. Puts and drops are messages to the manager, which processes them in order, also those of a
 * process that was killed. Process-wide, single-threaded.
 */
#ifndef DAEMON_STORE_FDSTORE_H
#define DAEMON_STORE_FDSTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* max: limit of descriptors; 0: there is no store, and puts fail. */
void fdstore_init(size_t max);
void fdstore_deinit(void);
/*
 * Stores a descriptor; the caller keeps its own. Returns the key, at least 1; -ENOSPC if the store
 * is full; or another -errno.
 */
int fdstore_put(int fd, uint32_t *key_out);
/* Accepts 0. */
void fdstore_drop(uint32_t key);
/*
 * Sends the manager the removals that it did not read before. Returns false if it does not read
 * now: try again.
 */
bool fdstore_flush(void);
/* Stores a descriptor under its own name, which must not begin with 'd'. Returns 0 or -errno. */
int fdstore_put_named(int fd, const char *name);
void fdstore_drop_named(const char *name);
/*
 * Returns a descriptor that an earlier daemon instance stored, or -1. The key is in use from then
 * on. Call it once for each user of the key.
 */
int fdstore_adopt(uint32_t key);
/*
 * Drops the descriptors of earlier instances that no object took; later takes fail. Returns their
 * number.
 */
size_t fdstore_drop_rest(void);
/* Sets whether puts wait for a manager that does not read. The default is true. */
void fdstore_wait(bool waits);
size_t fdstore_n_used(void);
/* True if there is so much room that optional descriptors may be stored. */
bool fdstore_has_plenty(void);

#endif
