/*
 * daemon/config/config_peer and daemon/peer/tls: peers over TLS in the configuration, and the files
 * that it names.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "daemon/peer/tls.h"
#include "tests/lib/pki.h"
#include "tests/unit/unit.h"
#include "util/clock.h"

static char dir[64], path[100];
static struct ini_error error;

static void set_up(void)
{
	unit_mkdtemp(dir, sizeof(dir), "tls");
	snprintf(path, sizeof(path), "%s/conf", dir);
	memset(&error, 0, sizeof(error));
}

static void tear_down(void)
{
	static const char *const names[] = {"conf",  "ca.pem", "ca.key",     "a.pem",   "a.key",
					    "b.pem", "b.key",  "locked.key", "old.pem", "old.key"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	ck_assert_int_eq(rmdir(dir), 0);
}

static int load(const char *text, struct config **config_out)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
	return config_load(path, SIDE_HOST, "/run/test", config_out, &error);
}

#define FILES "[tls]\ncertificate = /c\nkey = /k\nca = /a\n"
#define DIGITS                             \
	"00112233445566778899aabbccddeeff" \
	"0123456789abcdef0123456789ABCDEF"

START_TEST(every_key)
{
	static const uint8_t digest[] = {0x00, 0x11, 0x22, 0x33};
	struct config *config;
	int r = load(FILES "listen = [::]:18515\ntimeout_ms = 200\nhandshake_ms = 60000\n"
			   "[peer a]\naddress = tls:dpu-1.example:1\nsubject = dpu-1.example\n"
			   "[peer b]\naddress = tls:[fe80::1]:65535\nsubject = b\n"
			   "fingerprint = sha256:" DIGITS "\n"
			   "[peer c]\nsubject = 10.0.0.1\n"
			   "[peer d]\naddress = unix:/d\n",
		     &config);

	ck_assert_msg(r == 0, "%s", error.text);
	ck_assert(config_uses_tls(config));
	ck_assert_str_eq(config->tls.listen_host, "::");
	ck_assert_uint_eq(config->tls.listen_port, 18515);
	ck_assert_str_eq(config->tls.certificate, "/c");
	ck_assert_str_eq(config->tls.key, "/k");
	ck_assert_str_eq(config->tls.ca, "/a");
	ck_assert_uint_eq(config->tls.timeout_ns, 200 * NS_PER_MS);
	ck_assert_uint_eq(config->tls.handshake_ns, 60 * NS_PER_SEC);
	ck_assert_uint_eq(config->n_peers, 4);
	ck_assert_str_eq(config->peers[0].host, "dpu-1.example");
	ck_assert_uint_eq(config->peers[0].port, 1);
	ck_assert_str_eq(config->peers[1].host, "fe80::1");
	ck_assert_uint_eq(config->peers[1].port, 65535);
	ck_assert(config->peers[1].has_fingerprint);
	ck_assert_mem_eq(config->peers[1].fingerprint, digest, sizeof(digest));
	ck_assert_uint_eq(config->peers[1].fingerprint[31], 0xef);
	ck_assert(config_peer_is_ours(&config->peers[0]));
	ck_assert(!config_peer_is_ours(&config->peers[2]));
	ck_assert(config_peer_is_ours(&config->peers[3]));
	ck_assert_ptr_eq(config_find_peer(config, "c"), &config->peers[2]);
	ck_assert(!config_peer_equal(&config->peers[0], &config->peers[1]));
	ck_assert(config_peer_equal(&config->peers[1], &config->peers[1]));
	config_free(config);
}
END_TEST

static const struct {
	const char *text;
	const char *expect; /* text after the file's name */
} wrong[] = {
	{"[tls]\nlisten = dpu:1\n", ":2: key 'listen': 'dpu:1' is not allowed; allowed: none"},
	{"[tls]\nlisten = 1.2.3.4\n", ":2: key 'listen'"},
	{"[tls]\nlisten = 1.2.3.4:0\n", ":2: key 'listen'"},
	{"[tls]\nlisten = 1.2.3.4:65536\n", ":2: key 'listen'"},
	{"[tls]\nlisten = ::1:18515\n", ":2: key 'listen'"},
	{"[tls]\nlisten = [::1]18515\n", ":2: key 'listen'"},
	{"[tls]\nlisten = none\nlisten = none\n", ":3: key 'listen': given twice"},
	{"[tls]\nca = /a\nca = /a\n", ":3: key 'ca': given twice"},
	{"[tls]\nciphers = NULL\n", ":2: key 'ciphers': unknown here; allowed: listen, cert"},
	{"[tls]\ntimeout_ms = 199\n", ":2: key 'timeout_ms': '199' is not allowed; allowed: 200"},
	{"[tls]\nhandshake_ms = 60001\n", ":2: key 'handshake_ms'"},
	{"[peer a]\naddress = tls:\n", ":2: key 'address': 'tls:' is not allowed"},
	{"[peer a]\naddress = tls:a\n", ":2: key 'address'"},
	{"[peer a]\naddress = tls::1\n", ":2: key 'address'"},
	{"[peer a]\naddress = tls:a b:1\n", ":2: key 'address'"},
	{"[peer a]\naddress = tls:[1.2.3.4]:1\n", ":2: key 'address'"},
	{"[peer a]\naddress = tls:a:1\nsubject = *.example\n", ":3: key 'subject': '*.example'"},
	{"[peer a]\naddress = tls:a:1\nsubject = .example\n", ":3: key 'subject'"},
	{"[peer a]\naddress = tls:a:1\n", ":1: peer 'a': key 'subject' is missing"},
	{"[peer a]\naddress = unix:/a\nsubject = a\n", ":1: peer 'a': keys 'subject' and"},
	{"[peer a]\nfingerprint = sha256:" DIGITS "\n", ":1: peer 'a': key 'address' is missing"},
	{"[peer a]\nsubject = a\nfingerprint = " DIGITS "\n", ":3: key 'fingerprint'"},
	{"[peer a]\nsubject = a\nfingerprint = sha256:" DIGITS "0\n", ":3: key 'fingerprint'"},
	{"[peer a]\nsubject = a\nfingerprint = sha256:0011\n", ":3: key 'fingerprint'"},
	{"[peer a]\nsubject = a\n", ":1: section [tls]: key 'certificate' is missing"},
	{"[peer a]\nsubject = a\n[tls]\ncertificate = /c\nca = /a\n",
	 ":3: section [tls]: key 'key' is missing"},
	{FILES "[peer a]\nsubject = a\n", ":1: peer 'a' has no address, and key 'listen'"},
	{FILES "listen = 0.0.0.0:1\n", ":1: section [tls]: key 'listen' without any [peer]"},
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

/* --- files --- */

static struct config_tls files(const char *certificate, const char *key, const char *ca)
{
	struct config_tls config = {.listen_port = 0};

	snprintf(config.certificate, sizeof(config.certificate), "%s/%s", dir, certificate);
	snprintf(config.key, sizeof(config.key), "%s/%s", dir, key);
	snprintf(config.ca, sizeof(config.ca), "%s/%s", dir, ca);
	return config;
}

static void expect_tls(const char *certificate, const char *key, const char *ca, const char *text)
{
	struct config_tls config = files(certificate, key, ca);
	struct tls *tls = NULL;

	memset(&error, 0, sizeof(error));
	ck_assert_int_eq(tls_new(&config, &tls, &error), text ? -EINVAL : 0);
	ck_assert_uint_eq(error.n, text ? 1 : 0);
	if (text)
		ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
	tls_free(tls);
}

static void set_mode(const char *name, mode_t mode)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(chmod(path, mode), 0);
}

START_TEST(files_are_checked)
{
	size_t n_fds;

	pki_make(dir, "ca", &(struct pki_options){.subject = "authority"});
	pki_make(dir, "a", &(struct pki_options){.ca = "ca", .subject = "a"});
	pki_make(dir, "b", &(struct pki_options){.ca = "ca", .subject = "b"});
	pki_make(dir, "old",
		 &(struct pki_options){.ca = "ca", .subject = "old", .is_expired = true});
	expect_tls("a.pem", "a.key", "ca.pem", NULL);
	n_fds = unit_n_fds();
	for (int i = 0; i < 3; i++) {
		expect_tls("a.pem", "a.key", "ca.pem", NULL);
		/*
		 * The expiry is detected before a peer reports it, but the decision about it is the
		 * peers'.
		 */
		expect_tls("old.pem", "old.key", "ca.pem", NULL);
		expect_tls("none.pem", "a.key", "ca.pem", "key 'certificate'");
		expect_tls("a.key", "a.key", "ca.pem", "no usable certificate in PEM form");
		expect_tls("a.pem", "none.key", "ca.pem", "No such file");
		expect_tls("a.pem", "b.key", "ca.pem", "not the key of the certificate");
		expect_tls("a.pem", "a.pem", "ca.pem", "key");
		expect_tls("a.pem", "", "ca.pem", "no regular file");
		expect_tls("a.pem", "a.key", "none.pem", "key 'ca'");
		expect_tls("a.pem", "a.key", "a.key", "no certificate in PEM form");
	}
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}
END_TEST

START_TEST(key_files_with_wide_modes_are_refused)
{
	static const mode_t loose[] = {0604, 0602, 0644, 0666, 0660, 0620, 0777};

	pki_make(dir, "ca", &(struct pki_options){.subject = "authority"});
	pki_make(dir, "a", &(struct pki_options){.ca = "ca", .subject = "a"});
	for (size_t i = 0; i < ARRAY_LEN(loose); i++) {
		set_mode("a.key", loose[i]);
		expect_tls("a.pem", "a.key", "ca.pem", "other users may read or write the key");
	}
	set_mode("a.key", 0640);
	expect_tls("a.pem", "a.key", "ca.pem",
		   geteuid() == 0 ? NULL : "other users may read or write the key");
	set_mode("a.key", 0400);
	expect_tls("a.pem", "a.key", "ca.pem", NULL);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 65534, 65534), 0);
		expect_tls("a.pem", "a.key", "ca.pem", "belongs to another user");
		ck_assert_int_eq(chown(path, 0, 0), 0);
		set_mode("ca.pem", 0644);
		set_mode("a.pem", 0644);
		ck_assert_int_eq(chmod(dir, 0755), 0);
		ck_assert_int_eq(seteuid(65534), 0);
		expect_tls("a.pem", "a.key", "ca.pem", "runs as user 65534");
		ck_assert_int_eq(seteuid(0), 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("configuration of TLS");
	TCase *tcase = unit_case(suite, "tls", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, every_key);
	tcase_add_loop_test(tcase, refusals_name_the_place, 0, (int)ARRAY_LEN(wrong));
	tcase_add_test(tcase, files_are_checked);
	tcase_add_test(tcase, key_files_with_wide_modes_are_refused);
	return unit_run(suite);
}
