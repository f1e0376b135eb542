/* A service manager's fd store; see tests/lib/lab_store.h. */
#include "tests/lib/lab_store.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/lib/assert.h"
#include "util/fd.h"

#define FIRST_FD 3

static int store_listen(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_uint_lt(strlen(path), sizeof(addr.sun_path));
	strcpy(addr.sun_path, path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(fd, SOMAXCONN), 0);
	return fd;
}

struct lab_store *lab_store_new(const char *path, size_t max)
{
	struct lab_store *store = calloc(1, sizeof(*store));

	ck_assert_ptr_nonnull(store);
	store->listen_fd = path != NULL ? store_listen(path) : -1;
	store->max = max;
	return store;
}

struct lab_store *lab_store_free(struct lab_store *store)
{
	if (store == NULL)
		return NULL;
	for (size_t i = 0; i < store->n; i++)
		fd_close(&store->kept[i].fd);
	fd_close(&store->listen_fd);
	free(store);
	return NULL;
}

/* Reads the value of a variable of the message, up to the end of its line. */
static void store_value(const char *text, const char *key, char value_out[LAB_NAME_LEN])
{
	const char *at = strstr(text, key);
	size_t len;

	value_out[0] = '\0';
	if (at == NULL)
		return;
	at += strlen(key);
	len = strcspn(at, "\n");
	ck_assert_uint_lt(len, LAB_NAME_LEN);
	memcpy(value_out, at, len);
	value_out[len] = '\0';
}

static void store_remove(struct lab_store *store, const char *name)
{
	for (size_t i = 0; i < store->n;) {
		if (strcmp(store->kept[i].name, name) != 0) {
			i++;
			continue;
		}
		fd_close(&store->kept[i].fd);
		store->kept[i] = store->kept[--store->n];
	}
}

/* A second descriptor of an open file is not stored. systemd does the same, without an error. */
static bool store_has(const struct lab_store *store, int fd)
{
	for (size_t i = 0; i < store->n; i++)
		if (syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, store->kept[i].fd, fd) == 0)
			return true;
	return false;
}

void lab_store_receive(struct lab_store *store, const char *text, int *fds, size_t n_fds)
{
	char name[LAB_NAME_LEN];

	store_value(text, "FDNAME=", name);
	if (strstr(text, "FDSTOREREMOVE=1") != NULL)
		store_remove(store, name);
	for (size_t i = 0; i < n_fds; i++) {
		if (strstr(text, "FDSTORE=1") == NULL || store->n >= store->max ||
		    store->n >= LAB_STORE_MAX || store_has(store, fds[i])) {
			close(fds[i]);
			continue;
		}
		store->kept[store->n].fd = fds[i];
		strcpy(store->kept[store->n++].name, name);
	}
}

int lab_store_find(const struct lab_store *store, const char *name)
{
	for (size_t i = 0; i < store->n; i++)
		if (strcmp(store->kept[i].name, name) == 0)
			return store->kept[i].fd;
	return -1;
}

void lab_store_pass(struct lab_store *store)
{
	static char names[LAB_STORE_MAX * (LAB_NAME_LEN + 1)];
	int fds[LAB_STORE_MAX + 1];
	char number[16];
	int n = 0;

	if (store->listen_fd >= 0) {
		strcat(names, "clients");
		fds[n++] = store->listen_fd;
	}
	for (size_t i = 0; i < store->n; i++) {
		if (n > 0)
			strcat(names, ":");
		strcat(names, store->kept[i].name);
		fds[n++] = store->kept[i].fd;
	}
	/* Moves the descriptors first, because they may occupy numbers that others need. */
	for (int i = 0; i < n; i++) {
		fds[i] = fcntl(fds[i], F_DUPFD, FIRST_FD + n);
		if (fds[i] < 0)
			_exit(126);
	}
	for (int i = 0; i < n; i++)
		if (dup2(fds[i], FIRST_FD + i) < 0)
			_exit(126);
	close_range(FIRST_FD + (unsigned)n, ~0u, 0);
	snprintf(number, sizeof(number), "%d", n);
	setenv("LISTEN_FDS", number, 1);
	setenv("LISTEN_FDNAMES", names, 1);
	snprintf(number, sizeof(number), "%zu", store->max);
	setenv("FDSTORE", number, 1);
	snprintf(number, sizeof(number), "%d", (int)getpid());
	setenv("LISTEN_PID", number, 1);
}
