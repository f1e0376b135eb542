/* A heap that core dumps do not show; see secret.h. */
#include "util/secret.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "util/util.h"

/*
 * Blocks of up to 16 KiB have the size of a power of two and are cut from chunks. Each larger block
 * has pages of its own, which are unmapped when it is freed.
 */
#define SECRET_CHUNK_LEN (64u << 10)
#define SECRET_MIN_LEN   64u
#define SECRET_N_SIZES   9u
#define SECRET_MAX_LEN   (SECRET_MIN_LEN << (SECRET_N_SIZES - 1))
#define SECRET_PAGE_LEN  4096u

struct block {
	size_t len; /* with this header */
	struct block *next;
	alignas(max_align_t) uint8_t data[];
};

static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *heap_free[SECRET_N_SIZES];
static bool heap_knows_fork;

static void heap_acquire(void)
{
	pthread_mutex_lock(&heap_lock);
}

static void heap_release(void)
{
	pthread_mutex_unlock(&heap_lock);
}

static void *heap_map(size_t len)
{
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	(void)madvise(map, len, MADV_DONTDUMP);
	return map;
}

static bool heap_grow(unsigned size)
{
	size_t len = (size_t)SECRET_MIN_LEN << size;
	uint8_t *chunk = heap_map(SECRET_CHUNK_LEN);

	if (!chunk)
		return false;
	/* A process that is forked while another thread holds the lock could never acquire it. */
	if (!heap_knows_fork)
		heap_knows_fork = pthread_atfork(heap_acquire, heap_release, heap_release) == 0;
	for (size_t at = 0; at + len <= SECRET_CHUNK_LEN; at += len) {
		struct block *block = (struct block *)(void *)(chunk + at);

		block->len = len;
		block->next = heap_free[size];
		heap_free[size] = block;
	}
	return true;
}

static struct block *heap_pop(size_t len)
{
	struct block *block = NULL;
	unsigned size = 0;

	while (((size_t)SECRET_MIN_LEN << size) < len)
		size++;
	heap_acquire();
	if (heap_free[size] || heap_grow(size)) {
		block = heap_free[size];
		heap_free[size] = block->next;
	}
	heap_release();
	return block;
}

static void heap_push(struct block *block)
{
	unsigned size = 0;

	while (((size_t)SECRET_MIN_LEN << size) < block->len)
		size++;
	heap_acquire();
	block->next = heap_free[size];
	heap_free[size] = block;
	heap_release();
}

static struct block *secret_block(void *secret)
{
	return (struct block *)(void *)((uint8_t *)secret - offsetof(struct block, data));
}

void *secret_alloc(size_t len)
{
	size_t block_len = offsetof(struct block, data) + len;
	struct block *block;

	if (len > SIZE_MAX / 2)
		return NULL;
	if (block_len <= SECRET_MAX_LEN) {
		block = heap_pop(block_len);
	} else {
		block_len = (block_len + SECRET_PAGE_LEN - 1) / SECRET_PAGE_LEN * SECRET_PAGE_LEN;
		block = heap_map(block_len);
		if (block)
			block->len = block_len;
	}
	return block ? block->data : NULL;
}

void *secret_free(void *secret)
{
	struct block *block;

	if (!secret)
		return NULL;
	block = secret_block(secret);
	explicit_bzero(block->data, block->len - offsetof(struct block, data));
	if (block->len > SECRET_MAX_LEN)
		munmap(block, block->len);
	else
		heap_push(block);
	return NULL;
}

void secret_copy(void *to, const void *from, size_t len)
{
	volatile uint8_t *out = to;
	const volatile uint8_t *in = from;

	for (size_t i = 0; i < len; i++)
		out[i] = in[i];
}

void *secret_realloc(void *secret, size_t len)
{
	size_t old_len = secret ? secret_block(secret)->len - offsetof(struct block, data) : 0;
	void *larger;

	if (secret && len <= old_len)
		return secret;
	larger = secret_alloc(len);
	if (!larger)
		return NULL;
	if (secret)
		secret_copy(larger, secret, old_len);
	secret_free(secret);
	return larger;
}
