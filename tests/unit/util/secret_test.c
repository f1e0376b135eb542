/* util/secret: a heap that core dumps omit, and whose memory is overwritten when it is freed. */
#include <pthread.h>
#include <stdalign.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "util/secret.h"

/* True if the mapping with the address is left out of core dumps. */
static bool is_excluded(const void *addr)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	unsigned long from, to, at = (unsigned long)(uintptr_t)addr;
	bool is_in = false, is_out = false;
	char line[1024];

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			is_in = at >= from && at < to;
		else if (is_in && strncmp(line, "VmFlags:", 8) == 0)
			is_out = strstr(line, " dd") != NULL;
	}
	fclose(maps);
	return is_out;
}

static bool is_filled(const uint8_t *data, size_t len, uint8_t byte)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] != byte)
			return false;
	}
	return true;
}

static const size_t lengths[] = {0,    1,     16,    48,    49,    100,     1000,
				 4096, 16300, 16368, 16369, 20000, 1u << 20};

START_TEST(blocks_are_zeroed_and_left_out)
{
	uint8_t *blocks[ARRAY_LEN(lengths)];

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
			blocks[i] = secret_alloc(lengths[i]);
			ck_assert_ptr_nonnull(blocks[i]);
			ck_assert_uint_eq((uintptr_t)blocks[i] % alignof(max_align_t), 0);
			ck_assert(is_filled(blocks[i], lengths[i], 0));
			ck_assert(is_excluded(blocks[i]));
			memset(blocks[i], (int)i + 1, lengths[i]);
		}
		for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
			ck_assert(is_filled(blocks[i], lengths[i], (uint8_t)(i + 1)));
			secret_free(blocks[i]);
		}
	}
	ck_assert_ptr_null(secret_free(NULL));
	ck_assert_ptr_null(secret_alloc(SIZE_MAX));
}
END_TEST

/* The memory of a small block stays mapped, so the test can read it. */
START_TEST(a_freed_block_is_overwritten)
{
	uint8_t *block = secret_alloc(100);
	const volatile uint8_t *freed = block;

	ck_assert_ptr_nonnull(block);
	memset(block, 0xaa, 100);
	secret_free(block);
	for (size_t i = 0; i < 100; i++)
		ck_assert_uint_eq(freed[i], 0);
}
END_TEST

START_TEST(contents_move_with_their_block)
{
	uint8_t *block = secret_realloc(NULL, 10);
	const volatile uint8_t *first = block;

	ck_assert_ptr_nonnull(block);
	memset(block, 7, 10);
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		block = secret_realloc(block, lengths[i]);
		ck_assert_ptr_nonnull(block);
		ck_assert(is_filled(block, 10, 7));
		ck_assert(is_excluded(block));
	}
	for (size_t i = 0; i < 10; i++)
		ck_assert_uint_eq(first[i], 0);
	secret_free(block);
}
END_TEST

static _Atomic bool ends;

static void *allocate(void *arg)
{
	(void)arg;
	while (!ends)
		secret_free(secret_alloc(64));
	return NULL;
}

/* A process that is forked while another thread allocates can allocate. */
START_TEST(forked_processes_allocate)
{
	pthread_t thread;

	secret_free(secret_alloc(1));
	ck_assert_int_eq(pthread_create(&thread, NULL, allocate, NULL), 0);
	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();
		int status;

		ck_assert_int_ge(pid, 0);
		if (pid == 0)
			_exit(secret_alloc(64) ? 0 : 1);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
	}
	ends = true;
	pthread_join(thread, NULL);
}
END_TEST

#define N_VECTORS  16u
#define VECTOR_LEN 16u

/* Writes the vector registers; zeros where the machine has others. */
static void read_vectors(uint8_t vectors_out[N_VECTORS * VECTOR_LEN])
{
	memset(vectors_out, 0, (size_t)N_VECTORS * VECTOR_LEN);
#ifdef __x86_64__
#define READ_VECTOR(n) "movdqu %%xmm" #n ", 16*" #n "(%0)\n"
	/* clang-format off */
	__asm__ volatile(READ_VECTOR(0) READ_VECTOR(1) READ_VECTOR(2) READ_VECTOR(3)
			 READ_VECTOR(4) READ_VECTOR(5) READ_VECTOR(6) READ_VECTOR(7)
			 READ_VECTOR(8) READ_VECTOR(9) READ_VECTOR(10) READ_VECTOR(11)
			 READ_VECTOR(12) READ_VECTOR(13) READ_VECTOR(14) READ_VECTOR(15)
			 : : "r"(vectors_out) : "memory");
	/* clang-format on */
#endif
}

static bool is_in(const uint8_t *data, size_t len, const volatile uint8_t *secret)
{
	for (size_t at = 0; at + VECTOR_LEN <= len; at++) {
		size_t i = 0;

		while (i < VECTOR_LEN && data[at + i] == secret[i])
			i++;
		if (i == VECTOR_LEN)
			return true;
	}
	return false;
}

/* A copy is complete, also of odd lengths, and no vector register has a part of it. */
START_TEST(copies_leave_registers)
{
	uint8_t vectors[N_VECTORS * VECTOR_LEN], from[80], to[sizeof(from)];

	for (size_t len = VECTOR_LEN; len <= sizeof(from); len++) {
		for (size_t i = 0; i < sizeof(from); i++)
			((volatile uint8_t *)from)[i] = (uint8_t)(i * 7 + len);
		secret_copy(to, from, len);
		read_vectors(vectors);
		ck_assert(!is_in(vectors, sizeof(vectors), from));
		ck_assert(!is_in(vectors, sizeof(vectors), from + len - VECTOR_LEN));
		ck_assert_mem_eq(to, from, len);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("util/secret");
	TCase *tcase = unit_case(suite, "secret", UNIT_TIMEOUT);

	tcase_add_test(tcase, blocks_are_zeroed_and_left_out);
	tcase_add_test(tcase, copies_leave_registers);
	tcase_add_test(tcase, a_freed_block_is_overwritten);
	tcase_add_test(tcase, contents_move_with_their_block);
	tcase_add_test(tcase, forked_processes_allocate);
	return unit_run(suite);
}
