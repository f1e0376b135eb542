/*
 * The functions of a service manager that a daemon needs to be resumed: the listening socket that
 * stays open, and the fd store. Descriptors arrive with FDSTORE=1 and FDNAME, are removed with
 * FDSTOREREMOVE=1, and are passed to the next daemon instance as LISTEN_FDS. Owned by a lab.
 * Creates no threads.
 */
#ifndef TESTS_LIB_LAB_STORE_H
#define TESTS_LIB_LAB_STORE_H

#include <stddef.h>

#define LAB_STORE_MAX 4096
#define LAB_NAME_LEN  32

struct lab_store {
	int listen_fd;
	size_t n, max; /* like FileDescriptorStoreMax: further descriptors are closed */
	struct {
		int fd;
		char name[LAB_NAME_LEN];
	} kept[LAB_STORE_MAX];
};

/* Listens at the path. NULL path: no listening socket. */
struct lab_store *lab_store_new(const char *path, size_t max);
struct lab_store *lab_store_free(struct lab_store *store);
/* Handles a message of the daemon. Owns the descriptors. */
void lab_store_receive(struct lab_store *store, const char *text, int *fds, size_t n_fds);
/* Call in the child that becomes the daemon: passes descriptors from 3 on, and the environment. */
void lab_store_pass(struct lab_store *store);
/* Returns the descriptor of that name, which stays the store's, or -1. */
int lab_store_find(const struct lab_store *store, const char *name);

#endif
