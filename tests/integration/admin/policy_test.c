/*
 * Access policy and quotas, with programs that run as different users and groups against a real
 * daemon. Needs root, to change its uid. Creates no threads.
 */
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"

#define MAX_OPEN 16u

/* Ids that no system assigns, so that nothing depends on the system's users. */
enum { ALICE = 60001, BOB = 60003, CAROL = 60004, STAFF = 60002 };

struct person {
	uid_t uid;
	gid_t gid;
	gid_t group; /* a supplementary group, or 0 */
};

static const struct person alice = {ALICE, ALICE, 0};
static const struct person bob = {BOB, BOB, STAFF};
static const struct person carol = {CAROL, STAFF, 0};
static const struct person root = {0, 0, 0};

struct answer {
	doca_error_t result;
	char text[400];
};

static struct lab lab;

static void start(const char *config)
{
	struct lab_options options = {.only = {[LAB_HOST] = true}, .config = config};

	lab_start(&lab, &options);
	ck_assert_int_eq(chmod(runner_dir(), 0711), 0);
	ck_assert_int_eq(chmod(lab.dir, 0711), 0);
}

static void teardown(void)
{
	lab_stop(&lab);
	leaks_teardown();
}

/* --- a program of one user --- */

static void become(const struct person *person)
{
	ck_assert_int_eq(setgroups(person->group ? 1 : 0, &person->group), 0);
	ck_assert_int_eq(setresgid(person->gid, person->gid, person->gid), 0);
	ck_assert_int_eq(setresuid(person->uid, person->uid, person->uid), 0);
	/* Both settings are lost when the uid changes. */
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1), 0);
	ck_assert_int_eq(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
}

static doca_error_t open_device(const char *pci_addr, struct doca_dev **dev_out)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	struct doca_devinfo **list;
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	for (uint32_t i = 0; i < n; i++) {
		uint8_t equal = 0;

		OK(doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal));
		if (!equal)
			continue;
		result = doca_dev_open(list[i], dev_out);
		break;
	}
	OK(doca_devinfo_destroy_list(list));
	return result;
}

/* Opens the device that it is sent, or exports memory with an open device, until it is sent "". */
static void program_main(int sock, void *arg)
{
	struct doca_dev *devs[MAX_OPEN];
	static uint8_t memory[4096];
	char order[16];
	unsigned n = 0;

	become(arg);
	leaks_allow_fds(1);
	for (lab_recv(sock, order, sizeof(order)); *order; lab_recv(sock, order, sizeof(order))) {
		struct answer answer = {.result = DOCA_SUCCESS};

		if (strcmp(order, "export") == 0) {
			struct doca_mmap *mmap = use_mmap(devs[0], memory, sizeof(memory),
							  DOCA_ACCESS_FLAG_PCI_READ_WRITE);
			const void *desc;
			size_t len;

			answer.result = doca_mmap_export_pci(mmap, devs[0], &desc, &len);
			use_mmap_end(mmap);
		} else {
			ck_assert_uint_lt(n, MAX_OPEN);
			answer.result = open_device(order, &devs[n]);
			n += answer.result == DOCA_SUCCESS;
		}
		if (answer.result != DOCA_SUCCESS)
			snprintf(answer.text, sizeof(answer.text), "%s", dococ_last_error());
		lab_send(sock, &answer, sizeof(answer));
	}
	while (n > 0)
		OK(doca_dev_close(devs[--n]));
}

static struct lab_child run_as(const struct person *person)
{
	return lab_fork(&lab, LAB_HOST, program_main, (void *)person);
}

static struct answer tell(struct lab_child *child, const char *text)
{
	struct answer answer;
	char order[16] = "";

	snprintf(order, sizeof(order), "%s", text);
	lab_send(child->sock, order, sizeof(order));
	lab_recv(child->sock, &answer, sizeof(answer));
	return answer;
}

static void end(struct lab_child *child)
{
	char order[16] = "";

	lab_send(child->sock, order, sizeof(order));
	lab_join(child);
}

static void check_ok(struct lab_child *child, const char *order)
{
	struct answer answer = tell(child, order);

	ck_assert_msg(answer.result == DOCA_SUCCESS, "%s: %s", order, answer.text);
}

static void check_refused(struct lab_child *child, const char *order, doca_error_t result,
			  const char *text)
{
	struct answer answer = tell(child, order);

	ck_assert_msg(answer.result == result, "%s: %s, %s", order,
		      doca_error_get_name(answer.result), answer.text);
	ck_assert_msg(strstr(answer.text, text) != NULL, "%s: %s", order, answer.text);
}

#define PF0    "0b:00.0"
#define PF1    "0b:00.1"
#define PF0VF0 "0b:00.2"
#define PF1VF0 "0b:00.4"

START_TEST(test_users_and_groups)
{
	static const struct {
		const struct person *who;
		const char *pci_addr;
		const char *refused; /* NULL: may open it */
	} cases[] = {
		{&alice, PF0, NULL},
		{&alice, PF1, "uid 60001, gid 60001: key 'pf1' of section [policy]"},
		{&alice, PF0VF0, NULL},
		{&alice, PF1VF0, "uid 60001, gid 60001: key 'default' of section [policy]"},
		{&bob, PF0, "uid 60003, gid 60003: key 'pf0' of section [policy]"},
		{&bob, PF1, NULL},
		{&carol, PF0, "uid 60004, gid 60002: key 'pf0' of section [policy]"},
		{&carol, PF1, NULL},
		{&root, PF0, "uid 0, gid 0: key 'pf0' of section [policy]"},
		{&root, PF0VF0, NULL},
	};

	leaks_setup();
	start("[policy]\ndefault = none\npf0 = user 60001\npf1 = group 60002\npf0vf* = any\n");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct lab_child child = run_as(cases[i].who);

		if (cases[i].refused)
			check_refused(&child, cases[i].pci_addr, DOCA_ERROR_NOT_PERMITTED,
				      cases[i].refused);
		else
			check_ok(&child, cases[i].pci_addr);
		end(&child);
	}
}
END_TEST

START_TEST(test_limits_of_users)
{
	struct lab_child a, also_a, b, c;

	leaks_setup();
	start("[quota]\nhandles = 2\n[quota user 60001]\nhandles = 3\n"
	      "[quota total]\nhandles = 6\n");
	a = run_as(&alice);
	also_a = run_as(&alice);
	b = run_as(&bob);
	c = run_as(&carol);
	/*
	 * The programs of one user share the quota; a program that opens a device again has one
	 * more handle.
	 */
	check_ok(&a, PF0);
	check_ok(&a, PF1);
	check_ok(&also_a, PF0);
	check_refused(&a, PF0VF0, DOCA_ERROR_NO_MEMORY,
		      "uid 60001 uses 3 of 3 handles; release some, or the administrator raises "
		      "handles in section [quota user 60001]");
	check_refused(&also_a, PF1, DOCA_ERROR_NO_MEMORY, "uid 60001 uses 3 of 3 handles");
	check_ok(&b, PF0);
	check_ok(&b, PF1);
	check_refused(&b, PF0VF0, DOCA_ERROR_NO_MEMORY,
		      "uid 60003 uses 2 of 2 handles; release some, or the administrator raises "
		      "handles in section [quota]");
	check_ok(&c, PF0);
	check_refused(&c, PF1, DOCA_ERROR_NO_MEMORY,
		      "all users together use 6 of 6 handles; release some, or the administrator "
		      "raises handles in section [quota total]");
	/* Another program may use what one program releases. */
	end(&also_a);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 3, 5000);
	check_ok(&c, PF1);
	end(&a);
	end(&b);
	end(&c);
}
END_TEST

START_TEST(test_reload_takes_nothing)
{
	struct lab_child a, b;

	leaks_setup();
	start("[policy]\npf0 = user 60001, user 60003\n");
	a = run_as(&alice);
	b = run_as(&bob);
	check_ok(&a, PF0);
	check_ok(&b, PF0);
	lab_reload(&lab, LAB_HOST,
		   "[policy]\npf0 = user 60003\npf1 = user 60003\n"
		   "[quota user 60003]\nhandles = 1\n");
	check_refused(&a, PF1, DOCA_ERROR_NOT_PERMITTED, "key 'pf1' of section [policy]");
	check_ok(&a, "export");
	check_refused(&b, PF1, DOCA_ERROR_NO_MEMORY, "uid 60003 uses 1 of 1 handles");
	check_ok(&b, "export");
	/* An invalid file changes nothing. */
	lab_reload(&lab, LAB_HOST, "[policy]\npf1 = any\n[quota user 60003]\nhandles = 1x\n");
	ck_assert(lab_log_has(&lab, LAB_HOST, "lab.conf:4: key 'handles': '1x' is not allowed"));
	check_refused(&a, PF1, DOCA_ERROR_NOT_PERMITTED, "key 'pf1' of section [policy]");
	check_refused(&b, PF1, DOCA_ERROR_NO_MEMORY, "uid 60003 uses 1 of 1 handles");
	lab_reload(&lab, LAB_HOST, "[quota]\nhandles = 2\n");
	check_ok(&a, PF1);
	check_ok(&b, PF1);
	check_refused(&b, PF0VF0, DOCA_ERROR_NO_MEMORY, "uid 60003 uses 2 of 2 handles");
	end(&a);
	end(&b);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("several users");

	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, test_users_and_groups);
	tcase_add_test(tcase, test_limits_of_users);
	tcase_add_test(tcase, test_reload_takes_nothing);
	suite_add_tcase(suite, tcase);
}

int main(void)
{
	lab_require();
	if (geteuid() != 0) {
		puts("SKIP: root is needed to run programs as different users");
		return RUNNER_SKIPPED;
	}
	return runner_main("policy of users", add_cases, NULL);
}
