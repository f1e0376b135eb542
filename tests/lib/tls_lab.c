/* Two daemons over TLS for tests; see tls_lab.h. */
#include "tests/lib/tls_lab.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/assert.h"
#include "tests/lib/pki.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define LOG_MS 10000

static const char *const sides[] = {"host", "dpu"};

void tls_lab_configure_host(struct tls_lab *tls, const char *certificate, const char *dpu_subject,
			    const char *keys)
{
	snprintf(tls->config[LAB_HOST], sizeof(tls->config[LAB_HOST]),
		 "[tls]\ncertificate = %s/%s.pem\nkey = %s/%s.key\nca = %s/ca.pem\n%s"
		 "[peer dpu]\naddress = tls:%s:%d\nsubject = %s\n",
		 tls->dir, certificate, tls->dir, certificate, tls->dir, keys, tls->address,
		 TLS_LAB_PORT, dpu_subject);
}

void tls_lab_make(struct tls_lab *tls, const char *keys)
{
	static unsigned n_made;
	unsigned id = (unsigned)getpid();

	memset(tls, 0, sizeof(*tls));
	snprintf(tls->dir, sizeof(tls->dir), "%s/pki-%u-%u", runner_dir(), id, n_made++);
	ck_assert_int_eq(mkdir(tls->dir, 0700), 0);
	/* Each process has its own address, so that tests do not collide at the port. */
	snprintf(tls->address, sizeof(tls->address), "127.%u.%u.%u", 1 + (id >> 16) % 250,
		 id >> 8 & 255, id & 255);
	pki_make(tls->dir, "ca", &(struct pki_options){.subject = "authority"});
	for (int i = 0; i < LAB_N_SIDES; i++) {
		struct pki_options options = {.ca = "ca", .subject = "x", .dns = sides[i]};

		pki_make(tls->dir, sides[i], &options);
	}
	tls_lab_configure_host(tls, "host", "dpu", keys);
	snprintf(tls->config[LAB_DPU], sizeof(tls->config[LAB_DPU]),
		 "[daemon]\npeer_listen = none\n"
		 "[tls]\nlisten = %s:%d\ncertificate = %s/dpu.pem\nkey = %s/dpu.key\n"
		 "ca = %s/ca.pem\n%s[peer host]\nsubject = host\n",
		 tls->address, TLS_LAB_PORT, tls->dir, tls->dir, tls->dir, keys);
}

void tls_lab_remove(struct tls_lab *tls)
{
	runner_remove_tree(tls->dir);
}

void tls_lab_start(const struct tls_lab *tls, struct lab *lab, bool host, bool dpu)
{
	struct lab_options options = {
		.only = {host && !dpu, dpu && !host},
		.config_of = {tls->config[LAB_HOST], tls->config[LAB_DPU]},
	};

	lab_start(lab, &options);
}

void tls_lab_start_persistent(const struct tls_lab *tls, struct lab *lab, size_t fd_store)
{
	struct lab_options options = {
		.config_of = {tls->config[LAB_HOST], tls->config[LAB_DPU]},
		.fd_store = fd_store,
	};

	lab_start(lab, &options);
}

void tls_lab_set_timeout(struct tls_lab *tls, struct lab *lab, enum lab_side side, unsigned ms)
{
	static const char key[] = "timeout_ms = ";
	char *config = tls->config[side], text[sizeof(tls->config[side])];
	const char *at = strstr(config, key);
	int len;

	ck_assert_ptr_nonnull(at);
	at += strlen(key);
	len = snprintf(text, sizeof(text), "%.*s%u%s", (int)(at - config), config, ms,
		       at + strspn(at, "0123456789"));
	ck_assert_int_lt(len, (int)sizeof(text));
	memcpy(config, text, (size_t)len + 1);
	lab_reload(lab, side, config);
}

unsigned tls_lab_count_log(const struct lab *lab, enum lab_side side, const char *text)
{
	char path[200], line[2000];
	unsigned n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.log", lab->dir, sides[side]);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL)
		n += strstr(line, text) != NULL;
	fclose(file);
	return n;
}

void tls_lab_await_log(const struct lab *lab, enum lab_side side, const char *text)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(LOG_MS) * NS_PER_MS;

	while (!lab_log_has(lab, side, text)) {
		ck_assert_msg(clock_now_ns() < deadline, "the %s's log never says '%s'",
			      sides[side], text);
		poll(NULL, 0, 10);
	}
}

void tls_lab_admin_all(const struct lab *lab, enum lab_side side, const char *nouns,
		       const char *verb)
{
	static char command[512];
	const char *build = getenv("top_builddir");
	unsigned long long id;
	char line[256];
	FILE *list;

	if (build == NULL)
		build = ".";
	snprintf(command, sizeof(command), "%s/doca-admin %s --dir %s --side %s", build, nouns,
		 lab->dir, sides[side]);
	list = popen(command, "re");
	ck_assert_ptr_nonnull(list);
	while (fgets(line, sizeof(line), list) != NULL) {
		if (sscanf(line, "%llu", &id) != 1)
			continue;
		snprintf(command, sizeof(command),
			 "%s/doca-admin %s %s %llu --dir %s --side %s >&2", build, nouns, verb, id,
			 lab->dir, sides[side]);
		ck_assert_msg(system(command) == 0, "%s", command);
	}
	ck_assert_int_eq(pclose(list), 0);
}
