/*
 * The pages with this process's counters; see client/base/counters.h. They are mapped once with
 * their maximum length, so that no counter moves when the file behind them grows; the part beyond
 * the file is not accessed. The file is sealed against future writes, so this mapping is the only
 * one that can write, even for processes that receive the descriptor.
 */
#include "client/base/counters.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/base/env.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/util.h"

#define MAX_SLOTS (COUNTERS_MAX_LEN / COUNTERS_SLOT_LEN)

static struct {
	pthread_mutex_t lock;
	int fd;
	uint8_t *base; /* NULL: there are no pages */
	void (*on_made)(void);
	size_t len; /* the file's length */
	uint32_t n_used;
	uint32_t n_free;
	uint16_t free[MAX_SLOTS]; /* a stack of released places */
} pages = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static struct counters_header *pages_header(void)
{
	return (struct counters_header *)(void *)pages.base;
}

static struct counters_slot *pages_slot(uint32_t i)
{
	return (struct counters_slot *)(void *)(pages.base + (size_t)i * COUNTERS_SLOT_LEN);
}

static bool is_switched_off(void)
{
	const char *word = env_variable("DOCOCORED_COUNTERS");

	return word != NULL && strcmp(word, "off") == 0;
}

/* --- time --- */

static bool clock_is_cheap;

static void clock_measure(void)
{
	static const char *const cheap[] = {"tsc", "kvm-clock", "arch_sys_counter",
					    "hyperv_clocksource_tsc_page", "riscv_clocksource"};
	CLEANUP_FD int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
				 O_RDONLY | O_CLOEXEC);
	char name[64] = "";
	ssize_t n = fd < 0 ? 0 : read(fd, name, sizeof(name) - 1);

	if (n <= 0)
		return;
	name[strcspn(name, "\n")] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(cheap); i++)
		clock_is_cheap |= strcmp(name, cheap[i]) == 0;
}

bool counters_clock_is_cheap(void)
{
	return clock_is_cheap;
}

/* --- forked children --- */

static void before_fork(void)
{
	pthread_mutex_lock(&pages.lock);
}

static void after_fork_parent(void)
{
	pthread_mutex_unlock(&pages.lock);
}

/* The pages belong to the parent. The child replaces them by a private copy at the same address,
 * because the parent's objects point to them. Only system calls are used here. */
static void after_fork_child(void)
{
	void *copy;

	if (pages.base != NULL) {
		copy = mmap(NULL, COUNTERS_MAX_LEN, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (copy != MAP_FAILED) {
			memcpy(copy, pages.base, pages.len);
			mremap(copy, COUNTERS_MAX_LEN, COUNTERS_MAX_LEN,
			       MREMAP_MAYMOVE | MREMAP_FIXED, pages.base);
		}
		fd_close(&pages.fd);
		pages.base = NULL;
		pages.n_used = pages.n_free = 0;
	}
	pthread_mutex_unlock(&pages.lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* --- pages --- */

static bool pages_make(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	CLEANUP_FD int fd = -1;
	struct counters_header *header;

	if (is_switched_off())
		return false;
	pthread_once(&once, watch_forks);
	fd = memfd_create_growable("doca-counters", COUNTERS_MIN_LEN);
	if (fd < 0)
		return false;
	header = memfd_map(fd, 0, COUNTERS_MAX_LEN, true);
	if (header == NULL)
		return false;
	if (memfd_seal_writers(fd) < 0) {
		memfd_unmap(header, COUNTERS_MAX_LEN);
		return false;
	}
	header->magic = COUNTERS_MAGIC;
	header->layout = COUNTERS_LAYOUT;
	atomic_store(&header->n_slots, 1);
	pages.base = (uint8_t *)header;
	pages.len = COUNTERS_MIN_LEN;
	pages.n_used = pages.n_free = 0;
	pages.fd = fd_steal(&fd);
	return true;
}

static void pages_free(void)
{
	memfd_unmap(pages.base, COUNTERS_MAX_LEN);
	pages.base = NULL;
	fd_close(&pages.fd);
}

/* Returns a place that was never used, extending the file if needed; 0 if there is none left. */
static uint32_t pages_extend(void)
{
	uint32_t slot = atomic_load(&pages_header()->n_slots);

	if (slot == MAX_SLOTS)
		return 0;
	if ((size_t)(slot + 1) * COUNTERS_SLOT_LEN > pages.len) {
		if (ftruncate(pages.fd, (off_t)(2 * pages.len)) < 0)
			return 0;
		pages.len *= 2;
	}
	return slot;
}

static void slot_fill(struct counters_slot *slot, const struct counters *counters,
		      enum counters_kind kind, const char *device)
{
	char name[sizeof(slot->device)] = "";
	uint64_t words[ARRAY_LEN(slot->device)];

	if (device != NULL)
		strncpy(name, device, sizeof(name) - 1);
	memcpy(words, name, sizeof(words));
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		counters_set(&slot->device[i], words[i]);
	for (size_t i = 0; i < COUNTERS_N_BUCKETS; i++)
		counters_set(&slot->latency[i], 0);
	slot->line = counters->own;
	counters_set(&slot->serial, counters_raise(&pages_header()->serial, 1));
	counters_set(&slot->object, 0);
	counters_set(&slot->number, 0);
	atomic_store_explicit(&slot->pe, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->state, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->kind, kind, memory_order_release);
}

/* Returns a place, or NULL if there is none. The lock is held. */
static struct counters_slot *slot_allocate(const struct counters *counters, enum counters_kind kind,
					   const char *device)
{
	uint32_t i = pages.n_free > 0 ? pages.free[--pages.n_free] : pages_extend();

	if (i == 0)
		return NULL;
	slot_fill(pages_slot(i), counters, kind, device);
	if (i == atomic_load(&pages_header()->n_slots))
		atomic_store_explicit(&pages_header()->n_slots, i + 1, memory_order_release);
	pages.n_used++;
	return pages_slot(i);
}

void counters_init(struct counters *counters)
{
	memset(counters, 0, sizeof(*counters));
	counters->line = &counters->own;
}

void counters_on_pages_made(void (*on_made)(void))
{
	pthread_mutex_lock(&pages.lock);
	pages.on_made = on_made;
	pthread_mutex_unlock(&pages.lock);
}

void counters_open(struct counters *counters, enum counters_kind kind, const char *device)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	void (*on_made)(void) = NULL;

	if (counters->was_opened)
		return;
	counters->was_opened = true;
	/* The clock is measured here, so that no task waits for the measurement. */
	pthread_once(&once, clock_measure);
	pthread_mutex_lock(&pages.lock);
	if (pages.base == NULL && pages_make())
		on_made = pages.on_made;
	if (pages.base != NULL)
		counters->slot = slot_allocate(counters, kind, device);
	if (counters->slot != NULL)
		counters->line = &counters->slot->line;
	pthread_mutex_unlock(&pages.lock);
	if (on_made != NULL)
		on_made();
}

/* --- closing --- */

static bool is_in_pages(const struct counters_slot *slot)
{
	const uint8_t *at = (const uint8_t *)slot;

	return pages.base != NULL && at >= pages.base && at < pages.base + COUNTERS_MAX_LEN;
}

/* with_tasks: whether tasks count; messages of a channel do not. */
static void line_sum(struct counters_line *sum, const struct counters_line *line, bool with_tasks)
{
	counters_add(&sum->submitted, with_tasks ? counters_get(&line->submitted) : 0);
	counters_add(&sum->completed, with_tasks ? counters_get(&line->completed) : 0);
	counters_add(&sum->bytes, counters_get(&line->bytes));
	counters_add(&sum->errors, counters_get(&line->errors));
	counters_add(&sum->waits, counters_get(&line->waits));
	counters_add(&sum->received, counters_get(&line->received));
	counters_add(&sum->received_bytes, counters_get(&line->received_bytes));
}

static void slot_free(struct counters_slot *slot, const struct counters_line *last)
{
	struct counters_header *header = pages_header();
	uint32_t kind = atomic_load_explicit(&slot->kind, memory_order_relaxed);

	atomic_store_explicit(&slot->kind, COUNTERS_FREE, memory_order_release);
	line_sum(kind == COUNTERS_PE ? &header->ended_pes : &header->ended, last,
		 kind != COUNTERS_CHANNEL);
	pages.free[pages.n_free++] =
		(uint16_t)(((const uint8_t *)slot - pages.base) / COUNTERS_SLOT_LEN);
	pages.n_used--;
}

void counters_close(struct counters *counters)
{
	struct counters_slot *slot = counters->slot;

	if (slot == NULL)
		return;
	counters->own = slot->line;
	counters->line = &counters->own;
	counters->slot = NULL;
	pthread_mutex_lock(&pages.lock);
	/* A forked child may close copies of its parent's objects. */
	if (is_in_pages(slot)) {
		slot_free(slot, &counters->own);
		if (pages.n_used == 0)
			pages_free();
	}
	pthread_mutex_unlock(&pages.lock);
}

/* --- attributes of an object --- */

void counters_set_pe(struct counters *counters, const struct counters *pe)
{
	uint32_t i = 0;

	if (counters->slot == NULL)
		return;
	pthread_mutex_lock(&pages.lock);
	if (pe->slot != NULL && is_in_pages(pe->slot))
		i = (uint32_t)(((const uint8_t *)pe->slot - pages.base) / COUNTERS_SLOT_LEN);
	pthread_mutex_unlock(&pages.lock);
	atomic_store_explicit(&counters->slot->pe, i, memory_order_relaxed);
}

void counters_set_state(struct counters *counters, uint32_t state)
{
	if (counters->slot != NULL)
		atomic_store_explicit(&counters->slot->state, state, memory_order_relaxed);
}

void counters_set_object(struct counters *counters, uint64_t object, uint64_t number)
{
	if (counters->slot == NULL)
		return;
	counters_set(&counters->slot->object, object);
	counters_set(&counters->slot->number, number);
}

void counters_add_latency(struct counters *counters, uint64_t ns)
{
	if (counters->slot != NULL)
		counters_add(&counters->slot->latency[counters_bucket(ns)], 1);
}

int counters_get_fd(void)
{
	int fd;

	pthread_mutex_lock(&pages.lock);
	fd = pages.fd < 0 ? -1 : fd_dup(pages.fd);
	pthread_mutex_unlock(&pages.lock);
	return fd < 0 ? -1 : fd;
}
