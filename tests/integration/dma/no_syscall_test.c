/*
 * strace shows that 100000 idle progress calls, and 100000 copies over local and shm, make no
 * system call. The program runs itself under strace; the traced part writes marks to descriptor -1,
 * and no call may be between two of them. Over pvm, 32 queued copies are one call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"

#define N_CALLS 100000
#define DEPTH   32

static struct lab lab;
static struct exporter exporter;

/* --- the traced program --- */

static void mark(const char *name)
{
	char text[80];
	int n = snprintf(text, sizeof(text), "mark %s", name);

	if (write(-1, text, (size_t)n) >= 0)
		exit(98);
}

static void copy_rounds(struct use_dma *use, struct doca_mmap *src, void *from,
			struct doca_mmap *dst, void *to, int n_rounds)
{
	for (int i = 0; i < n_rounds; i++) {
		struct doca_buf *src_bufs[DEPTH], *dst_bufs[DEPTH];

		for (int j = 0; j < DEPTH; j++) {
			src_bufs[j] = use_src(use, src, from, 64);
			dst_bufs[j] = use_dst(use, dst, to, 64);
			OK(doca_task_submit(use_task(use, src_bufs[j], dst_bufs[j])));
		}
		while (doca_pe_progress(use->pe))
			continue;
		for (int j = 0; j < DEPTH; j++) {
			OK(doca_buf_dec_refcount(src_bufs[j], NULL));
			OK(doca_buf_dec_refcount(dst_bufs[j], NULL));
		}
	}
}

static char **traced_argv;

/*
 * argv: --traced TRANSPORT DESCRIPTOR(hex). No assertion of Check between marks, because it writes.
 */
START_TEST(traced)
{
	char **argv = traced_argv;
	static uint8_t memory[4096], other[4096];
	struct exported from = {0};
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_mmap *remote, *local;
	struct use_dma use;
	const void *desc;
	size_t len;
	void *addr;
	bool is_pvm = strcmp(argv[2], "pvm") == 0;

	use_dma_open(&use, dev, DEPTH);
	local = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (strcmp(argv[2], "local") == 0) {
		struct doca_mmap *exported = use_mmap(dev, other, sizeof(other),
						      DOCA_ACCESS_FLAG_RDMA_READ);

		OK(doca_mmap_export_rdma(exported, dev, &desc, &len));
		OK(doca_mmap_create_from_export(NULL, desc, len, dev, &remote));
	} else {
		for (size_t i = 0; argv[3][2 * i] != '\0'; i++, from.desc_len++)
			sscanf(argv[3] + 2 * i, "%2hhx", &from.desc[i]);
		OK(doca_mmap_create_from_export(NULL, from.desc, from.desc_len, dev, &remote));
	}
	ck_assert_str_eq(dococ_mmap_get_transport(remote), argv[2]);
	OK(doca_mmap_get_memrange(remote, &addr, &len));
	copy_rounds(&use, remote, addr, local, memory, 1);
	mark("idle");
	for (int i = 0; i < N_CALLS; i++)
		doca_pe_progress(use.pe);
	mark("copy");
	copy_rounds(&use, remote, addr, local, memory, is_pvm ? 100 : N_CALLS / DEPTH);
	mark("end");
	ck_assert_uint_eq(use.n_failed, 0);
}
END_TEST

static int run_traced(char **argv)
{
	Suite *suite = suite_create("traced");
	SRunner *runner = srunner_create(suite);
	TCase *tcase = tcase_create("traced");

	traced_argv = argv;
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, traced);
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	return srunner_ntests_failed(runner) == 0 ? 0 : 1;
}

/* --- the test --- */

struct counts {
	unsigned n_idle, n_copy, n_copy_calls; /* n_copy_calls: of process_vm_readv */
	bool ended;
};

static void count_lines(const char *path, struct counts *counts_out)
{
	char *line = NULL;
	size_t room = 0;
	unsigned *n = NULL;
	FILE *file = fopen(path, "re");

	ck_assert_ptr_nonnull(file);
	*counts_out = (struct counts){0};
	while (getline(&line, &room, file) > 0) {
		if (strstr(line, "\"mark idle\"") != NULL) {
			n = &counts_out->n_idle;
		} else if (strstr(line, "\"mark copy\"") != NULL) {
			n = &counts_out->n_copy;
		} else if (strstr(line, "\"mark end\"") != NULL) {
			counts_out->ended = true;
			break;
		} else if (n != NULL) {
			if (*n == 0)
				printf("system call: %.80s\n", line);
			(*n)++;
			counts_out->n_copy_calls += strstr(line, "process_vm_readv") != NULL;
		}
	}
	free(line);
	fclose(file);
}

static void trace(const char *transport, const struct exported *from, struct counts *counts_out)
{
	char desc[2 * sizeof(from->desc) + 1] = "-", path[160], program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	pid_t pid;
	int status;

	for (size_t i = 0; from != NULL && i < from->desc_len; i++)
		snprintf(desc + 2 * i, 3, "%02x", from->desc[i]);
	ck_assert_int_gt(n, 0);
	program[n] = '\0';
	snprintf(path, sizeof(path), "%s/trace", lab.dir);
	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		lab_use(&lab, LAB_DPU);
		execlp("strace", "strace", "-f", "-qq", "-o", path, program, "--traced", transport,
		       desc, (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "traced program: %#x", status);
	count_lines(path, counts_out);
	ck_assert(counts_out->ended);
}

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static void check(const char *transport, enum exporter_memory memory)
{
	struct exporter_options options = {
		.memory = memory, .len = 4096, .permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY};
	bool is_pvm = strcmp(transport, "pvm") == 0;
	struct counts counts;

	if (strcmp(transport, "local") == 0) {
		trace(transport, NULL, &counts);
	} else {
		exporter_start(&exporter, &lab, &options);
		trace(transport, &exporter.exported, &counts);
		exporter_end(&exporter);
	}
	ck_assert_uint_eq(counts.n_idle, 0);
	if (!is_pvm) {
		ck_assert_uint_eq(counts.n_copy, 0);
		return;
	}
	/* 100 rounds of 32: one call each, and one check whether the exporter is alive. */
	ck_assert_uint_eq(counts.n_copy_calls, 100);
	ck_assert_uint_le(counts.n_copy, 200);
}

START_TEST(test_local)
{
	check("local", MEMORY_STATIC);
}
END_TEST

START_TEST(test_shm)
{
	check("shm", MEMORY_DOCOC);
}
END_TEST

START_TEST(test_pvm)
{
	check("pvm", MEMORY_MALLOC);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("no system call");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_local);
	tcase_add_test(tcase, test_shm);
	tcase_add_test(tcase, test_pvm);
}

static int skip(const char *reason)
{
	printf("skipped: %s\n", reason);
	return RUNNER_SKIPPED;
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "--traced") == 0)
		return run_traced(argv);
	lab_require();
#ifdef DOCO_SANITIZED
	return skip("a sanitizer makes system calls of its own");
#endif
	if (system("strace -qq -o /dev/null true >/dev/null 2>&1") != 0)
		return skip("strace is missing, or ptrace is forbidden here");
	return runner_main("no_syscall", add_cases, NULL);
}
