/*
 * Copies between lists of buffers and contiguous memory, for engines that cannot work on the
 * buffers in place: memory of other processes that is not mapped here, or data in several pieces.
 * Nothing is allocated. The functions take lists that buf_check() has found valid. Threads: any,
 * one at a time for a list.
 */
#ifndef CLIENT_MEMORY_BUF_COPY_H
#define CLIENT_MEMORY_BUF_COPY_H

#include <sys/types.h>

#include "client/memory/buf.h"

/* Copies the data of all buffers of the list. Returns 0, or a transport's negative errno. */
int buf_copy_from(const struct doca_buf *list, void *to);
/* Stores n bytes in the room behind the data of the list's buffers, in order. The data lengths grow
 * only when all of it is stored. Returns 0, or a transport's negative errno. The list has room. */
int buf_copy_append(struct doca_buf *list, const void *from, size_t n);
/* Makes n bytes that were stored in the room behind the data of the list's buffers data of it. */
void buf_copy_commit(struct doca_buf *list, size_t n);

#endif
