/*
 * Memory for secrets that are in use: in pages that core dumps leave out. Pages are kept for
 * further secrets until the process ends. Single-threaded.
 */
#ifndef DAEMON_BASE_SECRET_H
#define DAEMON_BASE_SECRET_H

#include <stdint.h>

/* Bytes of a cell. */
#define SECRET_LEN 32u

/* A cell, zeroed; NULL: no memory. */
uint8_t *secret_new(void);
/* Overwrites it. NULL is fine. Returns NULL. */
uint8_t *secret_free(uint8_t *secret);

#endif
