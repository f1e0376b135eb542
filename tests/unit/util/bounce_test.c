/* util/bounce: memory that grows, also if there is little address space, and that forked children
 * do not get if it is secret. */
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "util/bounce.h"

#define MIB ((size_t)1 << 20)

/* Returns what a forked child returns. */
static int in_child(int (*run)(struct bounce *bounce), struct bounce *bounce)
{
	pid_t pid = fork();
	int how;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(run(bounce));
	ck_assert_int_eq(waitpid(pid, &how, 0), pid);
	ck_assert(WIFEXITED(how));
	return WEXITSTATUS(how);
}

static int first_byte(struct bounce *bounce)
{
	return bounce->bytes[0];
}

START_TEST(children_have_no_secrets)
{
	struct bounce bounce = {.is_secret = _i == 1};

	ck_assert(bounce_reserve(&bounce, 1));
	bounce.bytes[0] = 7;
	ck_assert_int_eq(in_child(first_byte, &bounce), _i == 1 ? 0 : 7);
	ck_assert_int_eq(bounce.bytes[0], 7);
	bounce_free(&bounce);
}
END_TEST

/* Returns the address space of this process in bytes, or 0. */
static size_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long n_pages = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%lu", &n_pages) != 1)
		n_pages = 0;
	fclose(file);
	return n_pages * (size_t)sysconf(_SC_PAGESIZE);
}

static bool limit_to(size_t more)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) != 0)
		return false;
	limit.rlim_cur = address_space() + more;
	return setrlimit(RLIMIT_AS, &limit) == 0;
}

/* There is room for the request, but not for twice the present length. */
static int grow_exactly(struct bounce *bounce)
{
	return limit_to(48 * MIB) && bounce_reserve(bounce, 40 * MIB) && bounce->len == 40 * MIB;
}

/* There is room for the request only without the present memory. */
static int grow_in_place(struct bounce *bounce)
{
	return limit_to(16 * MIB) && bounce_reserve(bounce, 40 * MIB) && bounce->len == 40 * MIB;
}

/* There is no room for the request: nothing is left, and trimming changes no other memory. */
static int grow_too_far(struct bounce *bounce)
{
	bool has_failed = limit_to(16 * MIB) && !bounce_reserve(bounce, 80 * MIB);

	bounce_trim(bounce, 80 * MIB);
	return has_failed && bounce->len == 0 && bounce->bytes == NULL;
}

START_TEST(little_address_space_is_used)
{
	static int (*const runs[])(struct bounce *) = {grow_exactly, grow_in_place, grow_too_far};
	struct bounce bounce = {0};

	ck_assert(bounce_reserve(&bounce, 32 * MIB));
	ck_assert_int_eq(in_child(runs[_i], &bounce), 1);
	bounce_free(&bounce);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("util/bounce");
	TCase *tcase = unit_case(suite, "bounce", UNIT_TIMEOUT);

	tcase_add_loop_test(tcase, children_have_no_secrets, 0, 2);
	tcase_add_loop_test(tcase, little_address_space_is_used, 0, 3);
	return unit_run(suite);
}
