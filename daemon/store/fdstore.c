/* The fd store; see fdstore.h. */
#include "daemon/store/fdstore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/inherit.h"
#include "daemon/base/notify.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/util.h"

/* Digits of the names, for example "d1z". */
static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/*
 * How long a client may wait for a manager that does not read, and how long no message is sent to
 * the manager after that.
 */
#define FDSTORE_TIMEOUT_MS 1000
#define FDSTORE_PAUSE_NS   (10 * NS_PER_SEC)

/* Identity of an open file: equal for descriptors that can replace each other. */
struct fdstore_identity {
	uint64_t dev, number; /* a file's inode, or an eventfd's id */
	uint32_t flags;
	bool is_known; /* false: differs from every other */
};

struct fdstore_key {
	struct fdstore_identity identity;
	uint32_t n_users;
	uint32_t next; /* key with the same hash, or 0 */
	/* Inherited descriptor + 1, while those of an earlier daemon instance are being taken. */
	int inherited;
};

enum key_state {
	KEY_FREE,
	KEY_USED,
	KEY_LEAVING, /* removal has not been sent to the manager yet */
};

static struct {
	size_t max, n_used;
	uint8_t *state; /* enum key_state, by key - 1 */
	struct fdstore_key *keys;
	uint32_t *buckets; /* as many as there are keys: key, or 0 */
	size_t n_removing;
	uint64_t pause_until_ns; /* the manager did not read: nothing is put until this time */
	uint32_t first;          /* no key below it is free */
	bool logged_full;
	bool is_nonblocking; /* no client waits for the manager at the moment */
} store;

struct fdstore_name {
	char text[12];
};

/* Returns "d" and the number in base 36. */
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
	if (max) {
		store.state = calloc(max, sizeof(*store.state));
		store.keys = calloc(max, sizeof(*store.keys));
		store.buckets = calloc(max, sizeof(*store.buckets));
	}
	store.max = store.state && store.keys && store.buckets ? max : 0;
	store.n_used = store.n_removing = 0;
	store.pause_until_ns = 0;
	store.first = 0;
	store.logged_full = store.is_nonblocking = false;
	store.is_nonblocking = false;
}

void fdstore_deinit(void)
{
	free(store.state);
	free(store.keys);
	free(store.buckets);
	store.state = NULL;
	store.keys = NULL;
	store.buckets = NULL;
	store.max = 0;
}

/* Returns the number after a word of /proc/self/fdinfo, or 0. */
static uint64_t fdinfo_number(int fd, const char *word)
{
	char path[40], text[1024];
	const char *at = NULL;
	ssize_t n = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	CLEANUP_FD int info = open(path, O_RDONLY | O_CLOEXEC);

	if (info >= 0)
		n = read(info, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, word);
	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

static struct fdstore_identity fdstore_identify(int fd)
{
	struct fdstore_identity identity = {.is_known = false};
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISSOCK(st.st_mode))
		return identity;
	identity.dev = st.st_dev;
	if (S_ISREG(st.st_mode)) {
		identity.number = st.st_ino;
		identity.flags = (uint32_t)fcntl(fd, F_GETFL) & O_ACCMODE;
		identity.is_known = true;
	} else if (fd_is_eventfd(fd)) {
		/*
		 * Linux before 5.2 reports no id. Id 0 is treated the same: such an eventfd is
		 * stored each time.
		 */
		identity.number = fdinfo_number(fd, "eventfd-id:");
		identity.is_known = identity.number != 0;
	}
	return identity;
}

static bool fdstore_is_same(const struct fdstore_identity *one,
			    const struct fdstore_identity *other)
{
	return one->is_known && other->is_known && one->dev == other->dev &&
	       one->number == other->number && one->flags == other->flags;
}

static uint32_t *fdstore_bucket(const struct fdstore_identity *identity)
{
	uint64_t sum = (identity->number ^ identity->dev << 32 ^ (uint64_t)identity->flags << 62) *
		       0x9e3779b97f4a7c15ull;

	return &store.buckets[(sum >> 32) % store.max];
}

/* Returns the key in use for the same open file, or 0. */
static uint32_t fdstore_find(const struct fdstore_identity *identity)
{
	uint32_t key = identity->is_known ? *fdstore_bucket(identity) : 0;

	while (key && !fdstore_is_same(&store.keys[key - 1].identity, identity))
		key = store.keys[key - 1].next;
	return key;
}

static void fdstore_index(uint32_t key, const struct fdstore_identity *identity)
{
	struct fdstore_key *entry = &store.keys[key - 1];

	*entry = (struct fdstore_key){
		.identity = *identity, .n_users = 1, .inherited = entry->inherited};
	if (!identity->is_known)
		return;
	entry->next = *fdstore_bucket(identity);
	*fdstore_bucket(identity) = key;
}

static void fdstore_unindex(uint32_t key)
{
	const struct fdstore_key *entry = &store.keys[key - 1];
	uint32_t *at;

	if (!entry->identity.is_known)
		return;
	for (at = fdstore_bucket(&entry->identity); *at != key; at = &store.keys[*at - 1].next)
		;
	*at = entry->next;
}

/*
 * The other side's daemon sends the pidfd of one process many times, and all of them are one open
 * file. Opens a new pidfd of that process while it lives. Returns -1 if fd should be stored itself.
 */
static int fdstore_open_pid(int fd)
{
	uint64_t pid = fdinfo_number(fd, "\nPid:");
	CLEANUP_FD int pidfd = -1;

	if (pid == 0 || pid > INT32_MAX)
		return -1;
	pidfd = fd_pidfd_open((int)pid);
	return pidfd >= 0 && !fd_pidfd_exited(fd) ? fd_steal(&pidfd) : -1;
}

size_t fdstore_n_used(void)
{
	return store.n_used;
}

bool fdstore_has_plenty(void)
{
	return store.n_used < store.max - store.max / 4;
}

static void fdstore_mark_used(uint32_t key, const struct fdstore_identity *identity)
{
	store.state[key - 1] = KEY_USED;
	store.n_used++;
	fdstore_index(key, identity);
}

/* Returns the time limit for the next message; 0: do not wait. */
static unsigned fdstore_timeout_ms(void)
{
	return store.is_nonblocking ? 0 : FDSTORE_TIMEOUT_MS;
}

/*
 * Evaluates the result of a message: if the manager does not read, nothing is sent to it for a
 * while.
 */
static int fdstore_check_result(int r)
{
	if (r != -EAGAIN || store.is_nonblocking)
		return r;
	log_warning("the service manager does not read: clients of the next seconds are not "
		    "resumed after a restart that comes before it does");
	store.pause_until_ns = clock_now_ns() + FDSTORE_PAUSE_NS;
	return r;
}

static bool fdstore_is_paused(void)
{
	return !store.is_nonblocking && store.pause_until_ns > clock_now_ns();
}

int fdstore_put_named(int fd, const char *name)
{
	char text[80];

	if (fdstore_is_paused())
		return -EAGAIN;
	snprintf(text, sizeof(text), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", name);
	return fdstore_check_result(notify_fd(text, fd, fdstore_timeout_ms()));
}

void fdstore_wait(bool waits)
{
	store.is_nonblocking = !waits;
}

/* Returns 0, or -EAGAIN if the manager does not read. */
static int fdstore_remove(const char *name, unsigned timeout_ms)
{
	char text[80];

	snprintf(text, sizeof(text), "FDSTOREREMOVE=1\nFDNAME=%s", name);
	return notify_fd(text, -1, timeout_ms) == -EAGAIN ? -EAGAIN : 0;
}

void fdstore_drop_named(const char *name)
{
	(void)fdstore_remove(name, FDSTORE_TIMEOUT_MS);
}

/* Removes the name from the store, at once or when the manager reads again. */
static void fdstore_release(uint32_t key)
{
	if (store.n_removing || fdstore_remove(fdstore_name(key).text, 0) < 0) {
		store.state[key - 1] = KEY_LEAVING;
		store.n_removing++;
		return;
	}
	store.state[key - 1] = KEY_FREE;
	store.first = MIN(store.first, key - 1);
}

static bool fdstore_flush_within(unsigned timeout_ms)
{
	for (uint32_t key = 1; key <= store.max && store.n_removing; key++) {
		if (store.state[key - 1] != KEY_LEAVING)
			continue;
		if (fdstore_remove(fdstore_name(key).text, timeout_ms) < 0)
			return false;
		store.state[key - 1] = KEY_FREE;
		store.first = MIN(store.first, key - 1);
		store.n_removing--;
	}
	return true;
}

bool fdstore_flush(void)
{
	return fdstore_flush_within(0);
}

int fdstore_put(int fd, uint32_t *key_out)
{
	struct fdstore_identity identity = fdstore_identify(fd);
	CLEANUP_FD int pidfd = -1;
	struct fdstore_name name;
	uint32_t key;
	int r;

	if (store.max == 0)
		return -ENOSPC;
	key = fdstore_find(&identity);
	if (key) {
		store.keys[key - 1].n_users++;
		*key_out = key;
		return 0;
	}
	if (fdstore_is_paused())
		return -EAGAIN;
	/*
	 * The manager stores an open file once. A file that is stored again before its old name was
	 * removed would be removed with that name.
	 */
	if (!fdstore_flush_within(fdstore_timeout_ms()))
		return fdstore_check_result(-EAGAIN);
	while (store.first < store.max && store.state[store.first] != KEY_FREE)
		store.first++;
	if (store.first == store.max) {
		if (store.max && !store.logged_full)
			log_warning("the fd store is full with %zu descriptors: clients that have "
				    "no room in it are not resumed after a restart, their next "
				    "call connects again; raise --fd-store and "
				    "FileDescriptorStoreMax",
				    store.max);
		store.logged_full = true;
		return -ENOSPC;
	}
	key = store.first + 1;
	name = fdstore_name(key);
	if (!identity.is_known)
		pidfd = fdstore_open_pid(fd);
	r = fdstore_put_named(pidfd >= 0 ? pidfd : fd, name.text);
	if (r < 0)
		return r;
	fdstore_mark_used(key, &identity);
	*key_out = key;
	return 0;
}

void fdstore_drop(uint32_t key)
{
	if (key == 0 || key > store.max || store.state[key - 1] != KEY_USED)
		return;
	if (--store.keys[key - 1].n_users > 0)
		return;
	fdstore_unindex(key);
	store.n_used--;
	/* A caller that retries is logged once. */
	store.logged_full &= store.is_nonblocking;
	fdstore_release(key);
	fdstore_flush();
}

int fdstore_adopt(uint32_t key)
{
	struct fdstore_name name = fdstore_name(key);
	struct fdstore_identity identity;
	struct fdstore_key *entry;
	int fd;

	if (key == 0 || key > store.max || store.state[key - 1] == KEY_LEAVING)
		return -1;
	entry = &store.keys[key - 1];
	if (store.state[key - 1] == KEY_FREE) {
		fd = inherit_adopt(name.text);
		if (fd < 0)
			return -1;
		identity = fdstore_identify(fd);
		fdstore_mark_used(key, &identity);
		entry->n_users = 0;
		entry->inherited = fd + 1;
	}
	if (entry->inherited == 0)
		return -1;
	fd = fd_dup(entry->inherited - 1);
	entry->n_users += fd >= 0;
	return fd;
}

/* Parses a name as fdstore_name() makes it. Returns 0 if it is not a name of this store. */
static uint32_t fdstore_parse(const char *name)
{
	unsigned long key = name[0] == 'd' ? strtoul(name + 1, NULL, 36) : 0;

	if (key == 0 || key > store.max || strcmp(fdstore_name((uint32_t)key).text, name) != 0)
		return 0;
	return (uint32_t)key;
}

/*
 * Removes a name that no object took. If it stayed, it would stand for two descriptors once the key
 * is used again, and removing one would remove both.
 */
static void fdstore_drop_unknown(const char *name, unsigned *timeout_ms)
{
	uint32_t key = fdstore_parse(name);

	if (key && store.state[key - 1] == KEY_FREE)
		fdstore_release(key);
	else if (key == 0 && fdstore_remove(name, *timeout_ms) < 0)
		*timeout_ms = 0;
}

size_t fdstore_drop_rest(void)
{
	unsigned timeout_ms = FDSTORE_TIMEOUT_MS;
	const char *name;
	size_t n = 0;
	int fd;

	while ((name = inherit_next('d', &fd))) {
		fdstore_drop_unknown(name, &timeout_ms);
		/*
		 * A client whose socket this is would wait for as long as the manager holds it,
		 * too.
		 */
		(void)shutdown(fd, SHUT_RDWR);
		fd_close(&fd);
		n++;
	}
	for (uint32_t key = 1; key <= store.max; key++) {
		fd = store.keys[key - 1].inherited - 1;
		/* A descriptor that was found, but could not be duplicated for its user. */
		if (fd >= 0 && store.state[key - 1] == KEY_USED &&
		    store.keys[key - 1].n_users == 0) {
			(void)shutdown(fd, SHUT_RDWR);
			fdstore_unindex(key);
			store.n_used--;
			fdstore_release(key);
		}
		fd_close(&fd);
		store.keys[key - 1].inherited = 0;
	}
	fdstore_flush();
	return n;
}
