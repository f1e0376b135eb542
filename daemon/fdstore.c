/* The fd store; see fdstore.h. */
#include "daemon/fdstore.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "daemon/inherit.h"
#include "daemon/notify.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/util.h"

/* Digits of names: "d1z". */
static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/* How long a client may wait for a manager that does not read, and how long it is left alone then.
 */
#define FDSTORE_PATIENCE_MS 200
#define FDSTORE_PAUSE_NS    (10 * NS_PER_SEC)

enum key_state {
	KEY_FREE,
	KEY_USED,
	KEY_LEAVING, /* the manager could not be told yet that it goes */
};

static struct {
	size_t max, n_used;
	uint8_t *state; /* enum key_state, by key - 1 */
	size_t n_leaving;
	uint64_t pause_until_ns; /* the manager did not read: nothing is put until then */
	uint32_t first;          /* no key below it is free */
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
	store.state = max ? calloc(max, sizeof(*store.state)) : NULL;
	store.max = store.state ? max : 0;
	store.n_used = store.n_leaving = 0;
	store.pause_until_ns = 0;
	store.first = 0;
	store.told_full = false;
}

void fdstore_deinit(void)
{
	free(store.state);
	store.state = NULL;
	store.max = 0;
}

size_t fdstore_n_used(void)
{
	return store.n_used;
}

static void fdstore_mark(uint32_t key)
{
	store.state[key - 1] = KEY_USED;
	store.n_used++;
}

int fdstore_put_named(int fd, const char *name)
{
	char text[80];
	int r;

	if (store.pause_until_ns > clock_now_ns())
		return -EAGAIN;
	snprintf(text, sizeof(text), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", name);
	r = notify_fd(text, fd, FDSTORE_PATIENCE_MS);
	if (r == -EAGAIN) {
		log_warning("the service manager does not read: clients of the next seconds are "
			    "not resumed after a restart");
		store.pause_until_ns = clock_now_ns() + FDSTORE_PAUSE_NS;
	}
	return r;
}

/* 0, or -EAGAIN: the manager does not read just now. */
static int fdstore_remove(const char *name)
{
	char text[80];

	snprintf(text, sizeof(text), "FDSTOREREMOVE=1\nFDNAME=%s", name);
	return notify_fd(text, -1, 0) == -EAGAIN ? -EAGAIN : 0;
}

void fdstore_drop_named(const char *name)
{
	(void)fdstore_remove(name);
}

bool fdstore_settle(void)
{
	for (uint32_t key = 1; key <= store.max && store.n_leaving; key++) {
		if (store.state[key - 1] != KEY_LEAVING)
			continue;
		if (fdstore_remove(fdstore_name(key).text) < 0)
			return false;
		store.state[key - 1] = KEY_FREE;
		store.first = MIN(store.first, key - 1);
		store.n_leaving--;
	}
	return true;
}

int fdstore_put(int fd, uint32_t *key_out)
{
	struct fdstore_name name;
	uint32_t key;
	int r;

	fdstore_settle();
	while (store.first < store.max && store.state[store.first] != KEY_FREE)
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

	if (key == 0 || key > store.max || store.state[key - 1] != KEY_USED)
		return;
	store.n_used--;
	store.told_full = false;
	if (store.n_leaving || fdstore_remove(name.text) < 0) {
		store.state[key - 1] = KEY_LEAVING;
		store.n_leaving++;
		fdstore_settle();
		return;
	}
	store.state[key - 1] = KEY_FREE;
	store.first = MIN(store.first, key - 1);
}

int fdstore_take(uint32_t key)
{
	struct fdstore_name name = fdstore_name(key);
	int fd;

	if (key == 0 || key > store.max || store.state[key - 1] != KEY_FREE)
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
		/* A client whose socket it is would wait for as long as the manager has it, too. */
		(void)shutdown(fd, SHUT_RDWR);
		fd_close(&fd);
		n++;
	}
	return n;
}
