/* The fd store; see fdstore.h. */
#include "daemon/fdstore.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include "daemon/inherit.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/util.h"

/* Digits of names: "d1z". */
static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static struct {
	size_t max, n_used;
	bool *used;     /* by key - 1 */
	uint32_t first; /* no key below it is free */
	bool told_full;
} store;

struct fdstore_name {
	char text[12];
};

/* "d" and the number. */
static struct fdstore_name fdstore_name(uint32_t key)
{
	struct fdstore_name name = {.text = "d"};
	char reversed[8];
	size_t n = 0, at = 1;

	for (; key; key /= 36)
		reversed[n++] = digits[key % 36];
	while (n)
		name.text[at++] = reversed[--n];
	return name;
}

void fdstore_init(size_t max)
{
	store.used = max ? calloc(max, sizeof(*store.used)) : NULL;
	store.max = store.used ? max : 0;
	store.n_used = 0;
	store.first = 0;
	store.told_full = false;
}

void fdstore_deinit(void)
{
	free(store.used);
	store.used = NULL;
	store.max = 0;
}

size_t fdstore_n_used(void)
{
	return store.n_used;
}

static void fdstore_mark(uint32_t key)
{
	store.used[key - 1] = true;
	store.n_used++;
}

int fdstore_put_named(int fd, const char *name)
{
	char text[80];
	int r;

	snprintf(text, sizeof(text), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", name);
	r = sd_pid_notify_with_fds(0, 0, text, &fd, 1);
	return r > 0 ? 0 : r < 0 ? r : -ENOTCONN;
}

void fdstore_drop_named(const char *name)
{
	sd_notifyf(0, "FDSTOREREMOVE=1\nFDNAME=%s", name);
}

int fdstore_put(int fd, uint32_t *key_out)
{
	struct fdstore_name name;
	uint32_t key;
	int r;

	while (store.first < store.max && store.used[store.first])
		store.first++;
	if (store.first == store.max) {
		if (store.max && !store.told_full)
			log_warning("the fd store is full with %zu descriptors: clients that have "
				    "no room in it are not resumed after a restart, their next "
				    "call connects again; raise --fd-store and "
				    "FileDescriptorStoreMax",
				    store.max);
		store.told_full = true;
		return -ENOSPC;
	}
	key = store.first + 1;
	name = fdstore_name(key);
	r = fdstore_put_named(fd, name.text);
	if (r < 0)
		return r;
	fdstore_mark(key);
	*key_out = key;
	return 0;
}

void fdstore_drop(uint32_t key)
{
	struct fdstore_name name = fdstore_name(key);

	if (key == 0 || key > store.max || !store.used[key - 1])
		return;
	fdstore_drop_named(name.text);
	store.used[key - 1] = false;
	store.n_used--;
	store.first = MIN(store.first, key - 1);
	store.told_full = false;
}

int fdstore_take(uint32_t key)
{
	struct fdstore_name name = fdstore_name(key);
	int fd;

	if (key == 0 || key > store.max || store.used[key - 1])
		return -1;
	fd = inherit_take(name.text);
	if (fd >= 0)
		fdstore_mark(key);
	return fd;
}

size_t fdstore_drop_rest(void)
{
	const char *name;
	size_t n = 0;
	int fd;

	while ((name = inherit_next('d', &fd))) {
		fdstore_drop_named(name);
		fd_close(&fd);
		n++;
	}
	return n;
}
