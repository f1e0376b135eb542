/*
 * Descriptors in the service manager's fd store. Each has a key, a small number whose text is its
 * FDNAME: the manager hands all names over in one environment string of at most 128 KiB, so they
 * are short. What is put twice (the memory of two exports, a bell of two consumers) has one key and
 * is there once: a manager forgets a second descriptor of an open file. Puts and drops are messages
 * to the manager; it handles them in order, and those of a process that was killed as well.
 * Process-wide, single-threaded.
 */
#ifndef DAEMON_STORE_FDSTORE_H
#define DAEMON_STORE_FDSTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At most so many descriptors; 0: there is no store, and puts fail. */
void fdstore_init(size_t max);
void fdstore_deinit(void);
/* The key, at least 1; -ENOSPC: full; -errno. The descriptor stays the caller's as well. */
int fdstore_put(int fd, uint32_t *key_out);
/* 0 is fine. */
void fdstore_drop(uint32_t key);
/* Tells the manager what it did not take before. False: it does not read just now, try again. */
bool fdstore_settle(void);
/* One with a name of its own; names do not begin with 'd'. 0 or -errno. */
int fdstore_put_named(int fd, const char *name);
void fdstore_drop_named(const char *name);
/* A descriptor that an earlier instance put, or -1; the key is in use from then on. Once for each
 * who put it. */
int fdstore_take(uint32_t key);
/* Drops what earlier instances put and nobody took; nothing is taken after it. Returns how many. */
size_t fdstore_drop_rest(void);
/* Whether puts wait for a manager that does not read: yes, unless said otherwise. */
void fdstore_wait(bool waits);
size_t fdstore_n_used(void);
/* There is so much room left that what can be done without may have some. */
bool fdstore_has_plenty(void);

#endif
