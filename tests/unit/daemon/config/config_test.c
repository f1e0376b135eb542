/*
 * daemon/config, daemon/base/acl, daemon/base/code.h: what is accepted, and that each refusal names
 * the position.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_error.h>

#include "daemon/base/code.h"
#include "daemon/config/config.h"
#include "tests/unit/unit.h"
#include "util/clock.h"

static char path[64];
static struct ini_error error;

static void set_up(void)
{
	close(unit_mkstemp(path, sizeof(path), "config"));
}

static void tear_down(void)
{
	unlink(path);
}

/* The reported mistakes, in order. */
static char reports[64][INI_ERROR_LEN];
static unsigned n_reports;

static void store_report(const char *text)
{
	ck_assert_uint_lt(n_reports, ARRAY_LEN(reports));
	snprintf(reports[n_reports++], INI_ERROR_LEN, "%s", text);
}

static const struct acl *acl_of(const struct config *config, const char *device)
{
	return &policy_find(&config->policy, device)->acl;
}

static int load(const char *text, struct config **config_out)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
	error = (struct ini_error){.report = store_report};
	n_reports = 0;
	return config_load(path, SIDE_HOST, "/run/test", config_out, &error);
}

START_TEST(built_in_values)
{
	struct config *config;

	ck_assert_int_eq(config_load(NULL, SIDE_DPU, "/run/test", &config, &error), 0);
	ck_assert_str_eq(config->peer_listen, "/run/test/peer.sock");
	ck_assert_uint_eq(config->n_peers, 0);
	ck_assert_str_eq(config->profile->name, "unlimited");
	ck_assert(acl_of(config, "p0")->any);
	config_free(config);
	ck_assert_int_eq(config_load(NULL, SIDE_HOST, "/run/test", &config, &error), 0);
	ck_assert_str_eq(config->peer_listen, "");
	ck_assert_uint_eq(config->n_peers, 1);
	ck_assert_str_eq(config->peers[0].path, "/run/test/peer.sock");
	config_free(config);
}
END_TEST

START_TEST(every_key)
{
	struct config *config;
	int r = load("# a comment\n"
		     "[daemon]\n"
		     "profile = bf3\n"
		     "topology = /etc/x\n"
		     "log_level = debug\n"
		     "  socket_mode = 0600\n"
		     "peer_listen = unix:/run/a\n"
		     "peer_allow = user 12, group 13\n"
		     "client_queue = 2M\n"
		     "client_stall_ms = 250\n"
		     "ptracer = off\n"
		     "[quota]\n"
		     "sessions = 1\nbytes = 1T\nfds = 3\nhandles = 4\nexports = 5\nimports = 6\n"
		     "servers = 7\nchannels = 8\nsync_events = 9\nconsumers = 10\n"
		     "[quota user 4711]\nexports = 50\nfds = 51\n"
		     "[quota total]\nexports = 500\n"
		     "[peer one]\naddress = unix:/run/one\n"
		     "[peer two]\naddress = unix:/run/two\n"
		     "[policy]\ndefault = none\npf0 = any\npf1 = user 0, user 77\n"
		     "pf*vf? = user 1\npf0vf* = user 2\npf0vf1 = user 3\n",
		     &config);

	ck_assert_msg(r == 0, "%s", error.text);
	ck_assert_str_eq(config->profile->name, "bf3");
	ck_assert_str_eq(config->topology, "/etc/x");
	ck_assert_int_eq(config->log_level, LOG_LEVEL_DEBUG);
	ck_assert_uint_eq(config->socket_mode, 0600);
	ck_assert_str_eq(config->peer_listen, "/run/a");
	ck_assert_uint_eq(config->peer_allow.uids[0], 12);
	ck_assert_uint_eq(config->peer_allow.gids[0], 13);
	ck_assert_uint_eq(config->client_queue_len, 2u << 20);
	ck_assert_uint_eq(config->client_stall_ns, 250 * NS_PER_MS);
	ck_assert_int_eq(config->ptracer, PTRACER_OFF);
	ck_assert_uint_eq(config->limits.user.limit[CHARGE_BYTES], 1ull << 40);
	ck_assert_uint_eq(config->limits.user.limit[CHARGE_CHANNELS], 8);
	ck_assert_uint_eq(config->limits.user.limit[CHARGE_SYNC_EVENTS], 9);
	ck_assert_uint_eq(config->limits.user.limit[CHARGE_CONSUMERS], 10);
	ck_assert_uint_eq(config->limits.n_users, 1);
	ck_assert_uint_eq(config->limits.users[0].uid, 4711);
	ck_assert_str_eq(config->limits.users[0].section, "quota user 4711");
	ck_assert_uint_eq(config->limits.users[0].quota.limit[CHARGE_EXPORTS], 50);
	ck_assert_uint_eq(config->limits.users[0].quota.limit[CHARGE_SESSIONS], 1);
	ck_assert_uint_eq(config->limits.total.limit[CHARGE_EXPORTS], 500);
	ck_assert_uint_eq(config->limits.total.limit[CHARGE_SESSIONS], 16384);
	ck_assert_uint_eq(config->n_peers, 2);
	ck_assert_str_eq(config->peers[1].path, "/run/two");
	ck_assert(acl_of(config, "pf0")->any);
	ck_assert(!acl_allows(acl_of(config, "other"), 0, 0, NULL, 0));
	ck_assert(acl_allows(acl_of(config, "pf1"), 77, 5, NULL, 0));
	ck_assert(!acl_allows(acl_of(config, "pf1"), 78, 5, NULL, 0));
	/* The rule for the name first, then the first pattern, then the default. */
	ck_assert_uint_eq(acl_of(config, "pf0vf1")->uids[0], 3);
	ck_assert_uint_eq(acl_of(config, "pf0vf0")->uids[0], 1);
	ck_assert_uint_eq(acl_of(config, "pf0vf10")->uids[0], 2);
	ck_assert_str_eq(policy_find(&config->policy, "pf0vf")->device, "pf0vf*");
	ck_assert_str_eq(policy_find(&config->policy, "pf1vf10")->device, "default");
	ck_assert_str_eq(policy_find(&config->policy, "pf1")->text, "user 0, user 77");
	config_free(config);
}
END_TEST

static const struct {
	const char *text;
	const char *expect; /* text after the file's name */
} wrong[] = {
	{"[daemon]\nnonsense = 1\n",
	 ":2: key 'nonsense': unknown here; allowed: profile, log_level, peer_listen, peer_allow, "
	 "side, admin_read, admin_change, system_bus, ptracer, topology, socket_mode, "
	 "client_queue, client_stall_ms"},
	{"\n\n[daemons]\n", ":3: section '[daemons]' is unknown; allowed: [daemon]"},
	{"profile = bf2\n", ":1: key 'profile': stands before the first section"},
	{"[daemon]\nprofile = bf9\n",
	 ":2: key 'profile': 'bf9' is not allowed; allowed: unlimited"},
	{"[daemon]\nlog_level = loud\n",
	 ":2: key 'log_level': 'loud' is not allowed; allowed: error"},
	{"[daemon]\nsocket_mode = 888\n", ":2: key 'socket_mode': '888' is not allowed"},
	{"[daemon]\nclient_queue = 1\n",
	 ":2: key 'client_queue': '1' is not allowed; allowed: 65536 to"},
	{"[daemon]\nclient_queue = 1X\n", ":2: key 'client_queue': '1X' is not allowed"},
	{"[daemon]\nclient_queue = -1\n", ":2: key 'client_queue': '-1' is not allowed"},
	{"[daemon]\nclient_queue = 99999999999T\n", ":2: key 'client_queue'"},
	{"[daemon]\nclient_stall_ms = 5\n",
	 ":2: key 'client_stall_ms': '5' is not allowed; allowed: 100"},
	{"[daemon]\nptracer = yes\n",
	 ":2: key 'ptracer': 'yes' is not allowed; allowed: off, importer, any"},
	{"[daemon]\npeer_listen = /x\n",
	 ":2: key 'peer_listen': '/x' is not allowed; allowed: none"},
	{"[daemon]\npeer_allow = users x\n", ":2: key 'peer_allow': 'users' is neither"},
	{"[daemon]\nprofile = bf2\n\nprofile = bf2\n", ":4: key 'profile': given twice"},
	{"[daemon]\ntopology =\n", ":2: key 'topology': allowed: 1 to"},
	{"[daemon]\nwords only\n", ":2: 'words only': expected 'key = value'"},
	{"[daemon\n", ":1: the section's closing ']' is missing"},
	{"[quota]\nsessions = many\n", ":2: key 'sessions': 'many' is not allowed; allowed: 0 to"},
	{"[quota]\nexports = 1\nexports = 2\n", ":3: key 'exports': given twice"},
	{"[quota]\nlunches = 1\n", ":2: key 'lunches': unknown here; allowed: sessions, bytes"},
	{"[peer a]\n[policy]\n", ":1: peer 'a': key 'address' is missing"},
	{"[peer a]\n", ":1: peer 'a': key 'address' is missing"},
	{"[peer a]\naddress = tcp:1\n",
	 ":2: key 'address': 'tcp:1' is not allowed; allowed: 'unix:/path'"},
	{"[peer a]\naddress = unix:/a\n[peer a]\n", ":3: peer 'a' is described twice"},
	{"[policy]\npf0 = user nobody-has-this-name\n", ":2: key 'pf0': this system has no user"},
	{"[policy]\npf0 = group nobody-has-this-name\n", ":2: key 'pf0': this system has no group"},
	{"[policy]\npf0 = user\n", ":2: key 'pf0': 'user': allowed: any"},
	{"[policy]\npf0 = ,\n", ":2: key 'pf0': the list is empty"},
	{"[policy]\npf0 = any\npf0 = none\n", ":3: key 'pf0': given twice"},
	{"[policy]\ndefault = any\ndefault = none\n", ":3: key 'default': given twice"},
	{"[policy]\npf/0 = any\n", ":2: key 'pf/0': no name of a device; allowed: 'default'"},
	{"[policy]\n= any\n", ":2: key '': no name of a device"},
	{"[quota user 1]\n[quota user 01]\n", ":2: uid 1 has section [quota user 1] already"},
	{"[quota user nobody-has-this-name]\n", ":1: this system has no user"},
	{"[quota all]\n", ":1: section '[quota all]' is unknown; allowed: [quota], [quota total]"},
	{"[quota total]\nfds = 10000001\n", ":2: key 'fds': '10000001' is not allowed"},
	{"[quota user 1]\nmeals = 1\n", ":2: key 'meals': unknown here; allowed: sessions"},
	{"[daemon]\nprofile = bf2\n[daemon]\nprofile = bf3\n", ":4: key 'profile': given twice"},
};

START_TEST(refusals_name_the_place)
{
	char expect[256];
	struct config *config;

	snprintf(expect, sizeof(expect), "%s%s", path, wrong[_i].expect);
	ck_assert_int_eq(load(wrong[_i].text, &config), -EINVAL);
	ck_assert_msg(strncmp(error.text, expect, strlen(expect)) == 0, "%s", error.text);
}
END_TEST

START_TEST(long_lines_and_missing_files)
{
	char text[600] = "[daemon]\ntopology = ";
	struct config *config;

	memset(text + strlen(text), 'x', 400);
	ck_assert_int_eq(load(text, &config), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.text, ":2: the line is longer than"));
	ck_assert_uint_eq(error.n, 1);
	error = (struct ini_error){.text = ""};
	ck_assert_int_eq(config_load("/nowhere/x", SIDE_HOST, "/run", &config, &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/x"));
	memset(text, 'd', 150);
	text[0] = '/';
	text[150] = '\0';
	ck_assert_int_eq(config_load(NULL, SIDE_HOST, text, &config, &error), -EINVAL);
}
END_TEST

/* Each mistake is reported once, with its line; consequences of a mistake are not reported. */
START_TEST(all_mistakes_are_reported)
{
	static const struct {
		int line;
		const char *about;
	} expect[] = {
		{2, "key 'profile'"},  {3, "key 'log_level'"}, {5, "section '[daemons]'"},
		{8, "closing ']'"},    {11, "key 'exports'"},  {12, "expected 'key = value'"},
		{15, "key 'address'"}, {16, "key 'address'"},  {18, "key 'p/'"},
		{19, "key 'pf0'"},     {20, "key 'pf0'"},      {21, "longer than"},
		{22, "key 'pf1'"},
	};
	char text[1024], long_line[300], start[80];
	struct config *config;

	memset(long_line, 'x', sizeof(long_line) - 1);
	long_line[sizeof(long_line) - 1] = '\0';
	snprintf(text, sizeof(text),
		 "[daemon]\nprofile = bf9\nlog_level = loud\nclient_queue = 1M\n"
		 "[daemons]\nnonsense = 1\n\n[quota\nsessions = x\n"
		 "[quota]\nexports = -1\nwhat\nimports = 5\n"
		 "[peer a]\naddress = tcp:1\naddress = unix:/x\n"
		 "[policy]\np/ = any\npf0 = user\npf0 = any\n%s\npf1 = every one",
		 long_line);
	ck_assert_int_eq(load(text, &config), -EINVAL);
	for (unsigned i = 0; i < n_reports && i < ARRAY_LEN(expect); i++) {
		snprintf(start, sizeof(start), "%s:%d: ", path, expect[i].line);
		ck_assert_msg(strncmp(reports[i], start, strlen(start)) == 0 &&
				      strstr(reports[i], expect[i].about),
			      "%s", reports[i]);
	}
	ck_assert_uint_eq(n_reports, ARRAY_LEN(expect));
	ck_assert_uint_eq(error.n, ARRAY_LEN(expect));
	ck_assert_str_eq(error.text, reports[0]);
}
END_TEST

START_TEST(number_of_reports_is_limited)
{
	char text[2000] = "[daemon]\n";
	struct config *config;

	for (int i = 0; i < 100; i++)
		strcat(text, "nonsense = 1\n");
	ck_assert_int_eq(load(text, &config), -EINVAL);
	ck_assert_uint_eq(error.n, 100);
	ck_assert_uint_eq(n_reports, INI_MAX_REPORT + 1);
	ck_assert_str_eq(reports[n_reports - 1], "there are more mistakes than are listed here");
}
END_TEST

/* An invalid file also yields a configuration, so that the other files can be checked. */
START_TEST(wrong_files_are_read)
{
	struct config *config = NULL;

	ck_assert_int_eq(load("[daemon]\nprofile = bf9\ntopology = /x\n", &config), -EINVAL);
	ck_assert_ptr_null(config);
	ck_assert_int_eq(config_read(path, SIDE_HOST, "/run/test", &config, &error), -EINVAL);
	ck_assert_str_eq(config->topology, "/x");
	ck_assert_str_eq(config->profile->name, "unlimited");
	config_free(config);
}
END_TEST

START_TEST(many_sections_and_rules)
{
	char text[20000] = "", *end = text;
	struct config *config;

	for (int i = 0; i <= LIMITS_MAX_USERS; i++)
		end += sprintf(end, "[quota user %d]\nexports = %d\n", i, i);
	end += sprintf(end, "[policy]\n");
	for (int i = 0; i <= POLICY_MAX_RULES; i++)
		end += sprintf(end, "d%d = user %d\n", i, i);
	ck_assert_int_eq(load(text, &config), -EINVAL);
	ck_assert_uint_eq(error.n, 2);
	ck_assert_ptr_nonnull(strstr(reports[0], ":65: more than 32 sections [quota user NAME]"));
	ck_assert_ptr_nonnull(strstr(reports[1], "key 'd128': more than 128 keys"));
}
END_TEST

START_TEST(bytes_that_are_no_text)
{
	static const char bytes[] =
		"[daemon]\nprofile = bf3\0\n\xff\xfe = 1\n\r\nlog_level = info\r\n";
	FILE *file = fopen(path, "we");
	struct config *config;

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, sizeof(bytes) - 1, file), sizeof(bytes) - 1);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(config_load(path, SIDE_HOST, "/run/test", &config, &error), -EINVAL);
	ck_assert_uint_eq(error.n, 2);
	ck_assert_ptr_nonnull(strstr(error.text, ":2: the line holds a NUL byte"));
}
END_TEST

/* The example file contains the defaults only, also with every key enabled. */
START_TEST(example_file)
{
	static const char example[] = TEST_SRCDIR "/etc/dococored.conf";
	char text[16384] = "", line[300];
	struct config *config, *defaults;
	FILE *file;

	ck_assert_int_eq(config_load(example, SIDE_DPU, "/run/dococored", &config, &error), 0);
	config_free(config);
	file = fopen(example, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		/* A key follows the '#' directly, prose follows a blank. */
		bool key = line[0] == '#' && line[1] != ' ' && line[1] != '\n';

		if (key &&
		    (strncmp(line, "#p0", 3) == 0 || strncmp(line, "#pf", 3) == 0 ||
		     strncmp(line, "#[quota user", 12) == 0 || strncmp(line, "#topology", 9) == 0 ||
		     strncmp(line, "#[peer", 6) == 0 || strncmp(line, "#address", 8) == 0 ||
		     strncmp(line, "#subject", 8) == 0 || strncmp(line, "#fingerprint", 12) == 0))
			continue;
		ck_assert_uint_lt(strlen(text) + strlen(line), sizeof(text));
		strcat(text, line + key);
	}
	fclose(file);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
	ck_assert_msg(config_load(path, SIDE_DPU, "/run/dococored", &config, &error) == 0, "%s",
		      error.text);
	ck_assert_int_eq(config_load(NULL, SIDE_DPU, "/run/dococored", &defaults, &error), 0);
	ck_assert_ptr_eq(config->profile, defaults->profile);
	ck_assert_uint_eq(config->socket_mode, defaults->socket_mode);
	ck_assert_str_eq(config->peer_listen, defaults->peer_listen);
	ck_assert_uint_eq(config->client_queue_len, defaults->client_queue_len);
	ck_assert_uint_eq(config->client_stall_ns, defaults->client_stall_ns);
	ck_assert_mem_eq(&config->limits, &defaults->limits, sizeof(config->limits));
	ck_assert(config->policy.others.acl.any);
	ck_assert_str_eq(config->tls.listen_host, "");
	ck_assert_uint_eq(config->tls.timeout_ns, defaults->tls.timeout_ns);
	ck_assert_uint_eq(config->tls.handshake_ns, defaults->tls.handshake_ns);
	ck_assert(!config_uses_tls(config));
	config_free(config);
	config_free(defaults);
}
END_TEST

START_TEST(codes_are_the_public_ones)
{
	ck_assert_int_eq((int)CODE_SUCCESS, (int)DOCA_SUCCESS);
	ck_assert_int_eq((int)CODE_NOT_PERMITTED, (int)DOCA_ERROR_NOT_PERMITTED);
	ck_assert_int_eq((int)CODE_IN_USE, (int)DOCA_ERROR_IN_USE);
	ck_assert_int_eq((int)CODE_NOT_SUPPORTED, (int)DOCA_ERROR_NOT_SUPPORTED);
	ck_assert_int_eq((int)CODE_AGAIN, (int)DOCA_ERROR_AGAIN);
	ck_assert_int_eq((int)CODE_INVALID_VALUE, (int)DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq((int)CODE_NO_MEMORY, (int)DOCA_ERROR_NO_MEMORY);
	ck_assert_int_eq((int)CODE_TIME_OUT, (int)DOCA_ERROR_TIME_OUT);
	ck_assert_int_eq((int)CODE_CONNECTION_RESET, (int)DOCA_ERROR_CONNECTION_RESET);
	ck_assert_int_eq((int)CODE_CONNECTION_ABORTED, (int)DOCA_ERROR_CONNECTION_ABORTED);
	ck_assert_int_eq((int)CODE_NOT_CONNECTED, (int)DOCA_ERROR_NOT_CONNECTED);
	ck_assert_int_eq((int)CODE_NOT_FOUND, (int)DOCA_ERROR_NOT_FOUND);
	ck_assert_int_eq((int)CODE_BAD_STATE, (int)DOCA_ERROR_BAD_STATE);
	ck_assert_int_eq((int)CODE_UNSUPPORTED_VERSION, (int)DOCA_ERROR_UNSUPPORTED_VERSION);
	ck_assert_int_eq((int)CODE_OPERATING_SYSTEM, (int)DOCA_ERROR_OPERATING_SYSTEM);
	ck_assert_int_eq((int)CODE_ALREADY_EXIST, (int)DOCA_ERROR_ALREADY_EXIST);
	ck_assert_int_eq((int)CODE_FULL, (int)DOCA_ERROR_FULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon configuration");
	TCase *tcase = unit_case(suite, "config", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, built_in_values);
	tcase_add_test(tcase, every_key);
	tcase_add_loop_test(tcase, refusals_name_the_place, 0, ARRAY_LEN(wrong));
	tcase_add_test(tcase, long_lines_and_missing_files);
	tcase_add_test(tcase, all_mistakes_are_reported);
	tcase_add_test(tcase, number_of_reports_is_limited);
	tcase_add_test(tcase, wrong_files_are_read);
	tcase_add_test(tcase, many_sections_and_rules);
	tcase_add_test(tcase, bytes_that_are_no_text);
	tcase_add_test(tcase, example_file);
	tcase_add_test(tcase, codes_are_the_public_ones);
	return unit_run(suite);
}
