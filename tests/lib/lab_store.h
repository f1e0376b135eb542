/*
 * The part of a service manager that a daemon needs to be resumed: the listening socket that stays,
 * and the fd store. Descriptors come with FDSTORE=1 and FDNAME, go with FDSTOREREMOVE=1, and are
 * handed to the next instance as LISTEN_FDS. Owned by a lab. Threads: none.
 */
#ifndef TESTS_LIB_LAB_STORE_H
#define TESTS_LIB_LAB_STORE_H

#include <stddef.h>

#define LAB_STORE_MAX 4096
#define LAB_NAME_LEN  32

struct lab_store {
	int listen_fd;
	size_t n, max; /* as FileDescriptorStoreMax: what is beyond it is closed */
	struct {
		int fd;
		char name[LAB_NAME_LEN];
	} kept[LAB_STORE_MAX];
};

/* Listens at the path. NULL path: no listening socket. */
struct lab_store *lab_store_new(const char *path, size_t max);
struct lab_store *lab_store_free(struct lab_store *store);
/* A message of the daemon; owns the descriptors. */
void lab_store_take(struct lab_store *store, const char *text, int *fds, size_t n_fds);
/* In the child that becomes the daemon: descriptors from 3 on, and the environment. */
void lab_store_pass(struct lab_store *store);
/* The descriptor of that name, or -1. It stays the store's. */
int lab_store_find(const struct lab_store *store, const char *name);

#endif
