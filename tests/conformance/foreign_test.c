/*
 * Passes the objects of one version to every call of every other version that accepts such an
 * object. If the call has another form in the generation that made the object, or does not exist
 * there, it must refuse the object with BAD_STATE and an error sentence. A call that two
 * generations share accepts objects of both and is skipped. The other arguments of a call are
 * objects of its own version or zeroed memory: calls check the object first. Each call runs in a
 * process of its own, so a crash is detected.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/conformance/foreign.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define MAX_ARGS 8

static struct lab lab;
static struct doca_dev *dev;

/* A program with its objects. */
struct program {
	struct foreign_program calls;
	struct foreign_object objects[FOREIGN_MAX];
	size_t n_objects;
};

static struct foreign_program (*const all[])(void) = {foreign_103, foreign_105, foreign_200,
						      foreign_202, foreign_205, foreign_206,
						      foreign_208, foreign_303};
#define N_PROGRAMS ARRAY_LEN(all)
static struct program programs[N_PROGRAMS];

static bool is_of(const struct foreign_object *object, const char *type, size_t len)
{
	return strlen(object->type) == len && strncmp(object->type, type, len) == 0;
}

static void *object_of(const struct program *program, const char *type, size_t len)
{
	for (size_t i = 0; i < program->n_objects; i++) {
		if (is_of(&program->objects[i], type, len))
			return program->objects[i].object;
	}
	return NULL;
}

/* --- the text of a type --- */

/* One argument: its type, without const and without its name. */
struct arg {
	const char *type;
	size_t len;
	unsigned n_stars;
};

static size_t args_of(const char *type, struct arg args[MAX_ARGS])
{
	const char *at = strstr(type, ")(");
	size_t n = 0;

	ck_assert_ptr_nonnull(at);
	for (at += 2; *at != '\0' && *at != ')' && n < MAX_ARGS; n++) {
		struct arg arg = {.type = at};

		while (strncmp(at, "const ", 6) == 0)
			at += 6;
		arg.type = at;
		while (isalnum((unsigned char)*at) || *at == '_' || *at == ' ')
			at++;
		arg.len = (size_t)(at - arg.type);
		for (; *at == '*' || *at == ' '; at++)
			arg.n_stars += *at == '*';
		while (arg.len > 0 && arg.type[arg.len - 1] == ' ')
			arg.len--;
		if (arg.len > 6 && strncmp(arg.type + arg.len - 6, " const", 6) == 0)
			arg.len -= 6;
		while (*at != ',' && *at != ')' && *at != '\0')
			at++;
		if (*at == ',')
			at += 2;
		args[n] = arg;
	}
	return n;
}

/* --- calls --- */

/* Integers and pointers are passed alike; the calls of the interface have no other arguments. */
typedef int (*any_call)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
			uintptr_t);

static uint64_t zeros[1024];

/* The default argument for a call of `program`. */
static uintptr_t default_arg(const struct program *program, const struct arg *arg)
{
	const void *own = arg->n_stars == 1 ? object_of(program, arg->type, arg->len) : NULL;

	if (own != NULL)
		return (uintptr_t)own;
	if (arg->n_stars == 1 && strncmp(arg->type, "struct doca_dev", arg->len) == 0)
		return (uintptr_t)dev;
	if (arg->n_stars > 0 ||
	    (arg->len > 5 && strncmp(arg->type + arg->len - 5, "_cb_t", 5) == 0))
		return (uintptr_t)zeros;
	return 1;
}

/* Runs in a child. Returns 0 if the object was refused correctly. */
static int refuses(const struct foreign_row *row, const uintptr_t a[MAX_ARGS])
{
	doca_error_t got = (doca_error_t)((any_call)row->function)(a[0], a[1], a[2], a[3], a[4],
								   a[5], a[6], a[7]);

	if (got == DOCA_ERROR_BAD_STATE &&
	    strstr(dococ_last_error(), " was created by a call of DOCA ") != NULL)
		return 0;
	printf("\t%s: %s\n", doca_error_get_name(got), dococ_last_error());
	fflush(NULL);
	return 1;
}

static bool is_refused(const struct foreign_row *row, const uintptr_t args[MAX_ARGS])
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(refuses(row, args));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		printf("\tsignal %d\n", WTERMSIG(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/*
 * Versions whose objects of a kind are interchangeable: the first version of each later generation.
 */
static const struct {
	const char *type;
	int borders[2];
} kinds[] = {
	{"struct doca_mmap", {200, 205}},
	{"struct doca_buf_inventory", {200, 205}},
	{"struct doca_comm_channel_ep_t", {105, 105}},
	{"struct doca_rdma", {205, 207}},
	{"struct doca_buf_arr", {207, 207}},
	/* Contexts and their objects, work queues, graphs. */
	{"", {205, 205}},
};

static int generation_of(const struct arg *arg, int version)
{
	size_t i = 0;

	while (kinds[i].type[0] != '\0' && (strlen(kinds[i].type) != arg->len ||
					    strncmp(kinds[i].type, arg->type, arg->len) != 0))
		i++;
	return (version >= kinds[i].borders[0]) + (version >= kinds[i].borders[1]);
}

/* Returns true if a program of that generation has exactly the same call. */
static bool has_call(const struct arg *arg, int version, const struct foreign_row *row)
{
	for (size_t i = 0; i < N_PROGRAMS; i++) {
		const struct foreign_program *calls = &programs[i].calls;

		if (generation_of(arg, calls->version) != generation_of(arg, version))
			continue;
		for (size_t k = 0; k < calls->n_rows; k++) {
			if (calls->rows[k].function == row->function)
				return true;
		}
	}
	return false;
}

static unsigned n_calls, n_gaps;

/*
 * The data path does not check the generation of a buffer; requesting its keys, or using it for a
 * sync event, does.
 */
static bool checks_buffer_generation(const struct foreign_row *row)
{
	return strstr(row->name, "key") != NULL || strstr(row->name, "set_doca_buf") != NULL;
}

static bool is_taken(const struct foreign_row *row, const struct arg *arg,
		     const struct foreign_object *object)
{
	if (strcmp(object->type, "struct doca_buf") == 0 && !checks_buffer_generation(row))
		return false;
	return arg->n_stars == 1 && is_of(object, arg->type, arg->len);
}

static void try_call(const struct program *caller, const struct program *maker,
		     const struct foreign_row *row)
{
	struct arg args[MAX_ARGS] = {0};
	size_t n = args_of(row->type, args);

	for (size_t i = 0; i < n; i++) {
		uintptr_t values[MAX_ARGS] = {0};

		if (has_call(&args[i], maker->calls.version, row))
			continue;
		for (size_t k = 0; k < n; k++)
			values[k] = default_arg(caller, &args[k]);
		for (size_t k = 0; k < maker->n_objects; k++) {
			if (!is_taken(row, &args[i], &maker->objects[k]))
				continue;
			values[i] = (uintptr_t)maker->objects[k].object;
			n_calls++;
			if (is_refused(row, values))
				continue;
			n_gaps++;
			printf("%d's %s takes argument %zu of %d\n", caller->calls.version,
			       row->name, i, maker->calls.version);
		}
	}
}

static bool is_called(const struct foreign_row *row)
{
	return strncmp(row->type, "doca_error_t (*)(", 17) == 0;
}

static void try_pair(const struct program *caller, const struct program *maker)
{
	for (size_t i = 0; i < caller->calls.n_rows; i++) {
		const struct foreign_row *row = &caller->calls.rows[i];

		if (is_called(row))
			try_call(caller, maker, row);
	}
}

START_TEST(objects_of_every_other_version)
{
	n_calls = n_gaps = 0;
	for (size_t maker = 0; maker < N_PROGRAMS; maker++) {
		if (maker != (size_t)_i)
			try_pair(&programs[_i], &programs[maker]);
	}
	printf("calls of %d: %u with objects of others, %u not refused\n",
	       programs[_i].calls.version, n_calls, n_gaps);
	ck_assert_uint_gt(n_calls, 0);
	ck_assert_uint_eq(n_gaps, 0);
}
END_TEST

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	lab_start(&lab, &options);
	lab_use(&lab, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	for (size_t i = 0; i < N_PROGRAMS; i++) {
		programs[i].calls = all[i]();
		programs[i].n_objects = programs[i].calls.make(dev, programs[i].objects);
		ck_assert_uint_gt(programs[i].calls.n_rows, 60);
	}
}

static void teardown(void)
{
	lab_stop(&lab);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("foreign objects");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 2 * RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, objects_of_every_other_version, 0, (int)N_PROGRAMS);
}

int main(void)
{
	lab_require();
	return runner_main("foreign", add_cases, NULL);
}
