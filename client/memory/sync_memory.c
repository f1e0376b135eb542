/*
 * Chooses where the counter of a sync event and its sleep words lie. An event without a remote
 * location has both in the memory of this process; an event with one has them in two memfds. A
 * counter in the user's memory has its words elsewhere. All events of this process on one address
 * share these words; otherwise a publisher on one event would miss the sleepers of another.
 * Threads: any; one lock protects the table of shared words.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "client/base/error.h"
#include "client/memory/sync_cell.h"
#include "util/fd.h"
#include "util/memfd.h"

/* The liveness word of a counter of this process, which has no exporter. */
static const _Atomic uint32_t sync_always_alive = 2;

/* The sleep words and the eventfd of all sync events that have the same counter. */
struct sync_share {
	struct list node;
	const uint64_t *user;
	unsigned n_users;
	struct sync_words *words;
	int words_fd;
	_Atomic int eventfd;
};

static pthread_mutex_t share_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list shares = LIST_INIT(shares);

static void words_init(struct sync_words *words)
{
	words->magic = SYNC_WORDS_MAGIC;
	words->version = SYNC_WORDS_LAYOUT;
}

bool sync_words_are_valid(const struct sync_words *words)
{
	return words->magic == SYNC_WORDS_MAGIC && words->version == SYNC_WORDS_LAYOUT;
}

/* Maps a new memfd and owns it on success. Returns 0 or -errno. */
static int page_map(int memfd, size_t len, int *fd_out, void **map_out)
{
	CLEANUP_FD int fd = memfd;

	if (fd < 0)
		return fd;
	*map_out = memfd_map(fd, 0, len, true);
	if (*map_out == NULL)
		return -errno;
	*fd_out = fd_steal(&fd);
	return 0;
}

/* Allocates the words. All processes that take part write to them. */
static int words_new(int *fd_out, void **map_out)
{
	return page_map(memfd_create_sealed("doca-sync-words", SYNC_WORDS_LEN), SYNC_WORDS_LEN,
			fd_out, map_out);
}

static int eventfd_make(_Atomic int *place, bool is_shared)
{
	int fd = atomic_load(place);

	if (fd >= 0)
		return 0;
	fd = is_shared ? fd_eventfd_charged() : fd_eventfd();
	if (fd < 0)
		return fd;
	atomic_store(place, fd);
	return 0;
}

static void eventfd_close(_Atomic int *place)
{
	int fd = atomic_exchange(place, -1);

	fd_close(&fd);
}

static void share_free(struct sync_share *share)
{
	if (share == NULL)
		return;
	memfd_unmap(share->words, SYNC_WORDS_LEN);
	fd_close(&share->words_fd);
	eventfd_close(&share->eventfd);
	free(share);
}

static struct sync_share *share_new(const uint64_t *user)
{
	struct sync_share *share = calloc(1, sizeof(*share));
	void *map;

	if (share == NULL)
		return NULL;
	list_init(&share->node);
	share->user = user;
	share->n_users = 1;
	share->words_fd = -1;
	atomic_init(&share->eventfd, -1);
	if (words_new(&share->words_fd, &map) < 0) {
		share_free(share);
		return NULL;
	}
	share->words = map;
	words_init(share->words);
	atomic_store(&share->words->flags, SYNC_WORDS_UNSEEN);
	return share;
}

static int share_get(const uint64_t *user, bool with_eventfd, struct sync_share **share_out)
{
	struct sync_share *share, *found = NULL;
	int r = 0;

	pthread_mutex_lock(&share_lock);
	list_for_each(share, &shares, node)
	{
		if (share->user == user) {
			found = share;
			found->n_users++;
			break;
		}
	}
	if (found == NULL) {
		found = share_new(user);
		if (found == NULL)
			r = -ENOMEM;
		else
			list_append(&shares, &found->node);
	}
	if (r == 0 && with_eventfd)
		r = eventfd_make(&found->eventfd, true);
	/* The caller gets the share after a failure, too, and closes it. */
	*share_out = found;
	pthread_mutex_unlock(&share_lock);
	return r;
}

static void share_unref(struct sync_share *share)
{
	bool is_last;

	pthread_mutex_lock(&share_lock);
	is_last = --share->n_users == 0;
	if (is_last)
		list_remove(&share->node);
	pthread_mutex_unlock(&share_lock);
	if (is_last)
		share_free(share);
}

void sync_cell_enter(struct sync_cell *cell)
{
	cell->max_sleep_ns = SYNC_MAX_SLEEP_NS;
	cell->n_awake = SYNC_POLLS_AWAKE;
	cell->fence = barrier_register() ? 0 : SYNC_SLEEP_FENCE;
	if (!barrier_others())
		atomic_fetch_or(&cell->words->sleepers, SYNC_SLEEP_FENCE);
}

void sync_cell_set_rechecked(struct sync_cell *cell)
{
	if (atomic_exchange(&cell->is_rechecked, true))
		return;
	atomic_fetch_or(&cell->words->flags, SYNC_WORDS_UNSEEN);
	sync_cell_wake_all(cell);
}

static int memory_open_user(struct sync_memory *memory, struct sync_cell *cell, uint64_t *user,
			    bool with_eventfd)
{
	int r = share_get(user, with_eventfd, &memory->share);

	if (r < 0)
		return r;
	cell->value = (_Atomic uint64_t *)user;
	cell->words = memory->share->words;
	cell->eventfd = &memory->share->eventfd;
	cell->is_shared = true;
	atomic_store(&cell->is_rechecked, true);
	return 0;
}

static int memory_open_shared(struct sync_memory *memory, struct sync_cell *cell)
{
	size_t page = memfd_page_size();
	/* The first export decides whether importers may write. */
	int r = page_map(memfd_create_sealable("doca-sync-value", page), page, &memory->value_fd,
			 &memory->value_map);

	if (r == 0)
		r = words_new(&memory->words_fd, &memory->words_map);
	if (r < 0)
		return r;
	cell->value = memory->value_map;
	cell->words = memory->words_map;
	words_init(cell->words);
	cell->is_shared = true;
	return eventfd_make(&memory->eventfd, true);
}

static int memory_open_home(struct sync_memory *memory, struct sync_cell *cell, bool with_eventfd)
{
	void *home;

	if (posix_memalign(&home, SHM_CACHE_LINE, sizeof(*memory->home)) != 0)
		return -ENOMEM;
	memory->home = __builtin_memset(home, 0, sizeof(*memory->home));
	words_init(&memory->home->words);
	cell->value = &memory->home->value;
	cell->words = &memory->home->words;
	return with_eventfd ? eventfd_make(&memory->eventfd, false) : 0;
}

doca_error_t sync_memory_open(struct sync_memory *memory, struct sync_cell *cell, uint64_t *user,
			      bool is_shared, bool is_watched)
{
	int r;

	cell->alive = &sync_always_alive;
	cell->generation = 2;
	cell->pidfd = -1;
	cell->is_writable = true;
	cell->eventfd = &memory->eventfd;
	if (user != NULL)
		r = memory_open_user(memory, cell, user, is_shared || is_watched);
	else if (is_shared)
		r = memory_open_shared(memory, cell);
	else
		r = memory_open_home(memory, cell, is_watched);
	if (r < 0) {
		sync_memory_close(memory);
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "sync event start: no memory or no descriptor for the counter "
				 "(error %d); if descriptors are missing, raise RLIMIT_NOFILE",
				 -r);
	}
	sync_cell_enter(cell);
	return DOCA_SUCCESS;
}

void sync_memory_close(struct sync_memory *memory)
{
	if (memory->share != NULL)
		share_unref(memory->share);
	memory->share = NULL;
	free(memory->home);
	memory->home = NULL;
	memfd_unmap(memory->value_map, memfd_page_size());
	memfd_unmap(memory->words_map, SYNC_WORDS_LEN);
	memory->value_map = memory->words_map = NULL;
	fd_close(&memory->value_fd);
	fd_close(&memory->words_fd);
	eventfd_close(&memory->eventfd);
}

int sync_memory_words_fd(const struct sync_memory *memory)
{
	return memory->share != NULL ? memory->share->words_fd : memory->words_fd;
}
