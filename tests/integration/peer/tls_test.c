/*
 * A host and a DPU side linked over TLS like two machines: what works over such a link, what is
 * refused and how, and what happens when one of them ends, comes back or falls silent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/integration/sync/end.h"
#include "tests/lib/exporter.h"
#include "tests/lib/pki.h"
#include "tests/lib/runner.h"
#include "tests/lib/tls_lab.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define LEN 4096u

static struct tls_lab tls;
static struct lab lab;

/* The timeout is long enough for a busy machine; only a test that waits for silence shortens it. */
static void setup(void)
{
	leaks_setup();
	tls_lab_make(&tls, "timeout_ms = 60000\n");
	tls_lab_start(&tls, &lab, true, true);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}

static uint32_t count_reps(struct doca_dev *dev)
{
	struct doca_devinfo_rep **reps;
	uint32_t n;

	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n));
	OK(doca_devinfo_rep_destroy_list(reps));
	return n;
}

START_TEST(functions_become_representors)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	uint32_t n = count_reps(dev);

	ck_assert_uint_gt(n, 1);
	lab_kill_daemon(&lab, LAB_HOST);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 0, 2000);
	ck_assert_uint_lt(count_reps(dev), n);
	lab_start_daemon(&lab, LAB_HOST);
	ck_assert_uint_eq(count_reps(dev), n);
	OK(doca_dev_close(dev));
	ck_assert(lab_log_has(&lab, LAB_DPU, "linked to host: dococored"));
	ck_assert(lab_log_has(&lab, LAB_HOST, "certificate 'CN=x'"));
}
END_TEST

/* The listening daemon is killed repeatedly; the other one reconnects each time. */
START_TEST(restarts)
{
	for (int i = 0; i < 3; i++) {
		lab_kill_daemon(&lab, LAB_DPU);
		lab_await(&lab, LAB_HOST, LAB_PEERS, 0, 2000);
		lab_start_daemon(&lab, LAB_DPU);
	}
	ck_assert(lab_log_has(&lab, LAB_HOST, "lost the link to dpu"));
}
END_TEST

/* The DPU operator's view of the host. */
static bool admin_shows(const char *text)
{
	const char *build = getenv("top_builddir");
	char command[512], seen[4096];
	size_t len;
	FILE *out;

	snprintf(command, sizeof(command), "%s/doca-admin peers --json --dir %s --side dpu",
		 build ? build : ".", lab.dir);
	out = popen(command, "re");
	ck_assert_ptr_nonnull(out);
	len = fread(seen, 1, sizeof(seen) - 1, out);
	seen[len] = '\0';
	ck_assert_int_eq(pclose(out), 0);
	/* Never both the expected peer and the connected one. */
	ck_assert_ptr_nonnull(strstr(seen, "\"name\": \"host\""));
	ck_assert_ptr_null(strstr(strstr(seen, "\"name\": \"host\"") + 1, "\"name\": \"host\""));
	return strstr(seen, text) != NULL;
}

static void await_seen(const char *text)
{
	uint64_t deadline = clock_now_ns() + 30 * NS_PER_SEC;

	while (!admin_shows(text))
		ck_assert_msg(clock_now_ns() < deadline, "peers never says %s", text);
}

/* A peer that connects to this daemon is also listed while it is not connected. */
START_TEST(expected_peers_are_listed)
{
	await_seen("\"state\": \"linked\"");
	lab_kill_daemon(&lab, LAB_HOST);
	await_seen("\"state\": \"expected\"");
	ck_assert(admin_shows("\"n_links\": 1"));
	ck_assert(!admin_shows("it has not connected"));
	lab_start_daemon(&lab, LAB_HOST);
	await_seen("\"state\": \"linked\"");
	lab_kill_daemon(&lab, LAB_DPU);
	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_DPU);
	ck_assert(admin_shows("\"state\": \"expected\""));
	ck_assert(admin_shows("it has not connected to this daemon yet"));
	lab_start_daemon(&lab, LAB_HOST);
}
END_TEST

/* Waits for an event with these contents. Returns the id of its peer. */
static unsigned long await_event(FILE *monitor, const char *what, const char *fact)
{
	char line[512];
	unsigned long id;

	while (fgets(line, sizeof(line), monitor)) {
		const char *event = strstr(line, what);

		if (event && strstr(event, fact) &&
		    sscanf(event + strlen(what), " peer %lu", &id) == 1)
			return id;
	}
	ck_abort_msg("no peer %s with %s was told of", what, fact);
}

/* Watching operators get an event when either replaces the other. */
START_TEST(expected_peers_are_logged)
{
	const char *build = getenv("top_builddir");
	char text[512];
	unsigned long expected;
	FILE *monitor;

	snprintf(text, sizeof(text), "%s/doca-admin monitor --dir %s --side dpu --name host 2>&1",
		 build ? build : ".", lab.dir);
	monitor = popen(text, "re");
	ck_assert_ptr_nonnull(monitor);
	/* The command reports that it is watching. */
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), monitor));
	for (int i = 0; i < 2; i++) {
		lab_kill_daemon(&lab, LAB_HOST);
		expected = await_event(monitor, "added", "state expected");
		lab_start_daemon(&lab, LAB_HOST);
		ck_assert_uint_eq(await_event(monitor, "removed", "name host"), expected);
		ck_assert_uint_ne(await_event(monitor, "changed", "state linked"), expected);
	}
	lab_stop_daemon(&lab, LAB_DPU);
	while (fgets(text, sizeof(text), monitor))
		continue;
	pclose(monitor);
	lab_start_daemon(&lab, LAB_DPU);
}
END_TEST

static void expect_sentence(const char *text)
{
	ck_assert_msg(strstr(dococ_last_error(), text) != NULL, "'%s' does not say '%s'",
		      dococ_last_error(), text);
}

/* It is relayed (copy_test.c), unless that is not asked for. */
START_TEST(memory_is_refused)
{
	static const enum exporter_memory memories[] = {MEMORY_MMAP, MEMORY_MEMFD};
	struct exporter_options options = {.memory = memories[_i % 2],
					   .len = LEN,
					   .rdma = _i > 1,
					   .permissions = _i > 1 ? DOCA_ACCESS_FLAG_RDMA_WRITE
								 : DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct exporter exporter;
	struct doca_mmap *remote;

	exporter_start(&exporter, &lab, &options);
	setenv("DOCOCORED_TRANSPORT", _i % 2 ? "pvm" : "verbs", 1);
	for (int i = 0; i < 3; i++) {
		EXPECT(DOCA_ERROR_NOT_SUPPORTED,
		       doca_mmap_create_from_export(NULL, exporter.exported.desc,
						    exporter.exported.desc_len, dev, &remote));
		/* Both run on one kernel here, and the daemons know it. */
		expect_sentence("behind a tls: link");
		expect_sentence("'address = unix:...'");
	}
	OK(doca_dev_close(dev));
	exporter_end(&exporter);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 1000);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, 1000);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, 1000);
	ck_assert(!lab_log_has(&lab, LAB_DPU, "lost the link"));
}
END_TEST

static void host_sync_main(int sock, void *arg)
{
	struct sync_spec spec = {.side = LAB_HOST};
	struct sync_desc desc;
	struct sync_end end;

	(void)arg;
	sync_end_export(&end, &spec, &desc);
	lab_send(sock, &desc, sizeof(desc));
	lab_wait(sock);
	sync_end_close(&end);
}

/* They are relayed as well (tests/integration/sync/fault_test.c). */
START_TEST(sync_events_are_refused)
{
	struct lab_child host = lab_fork(&lab, LAB_HOST, host_sync_main, NULL);
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_sync_event *event;
	struct sync_desc desc;

	lab_recv(host.sock, &desc, sizeof(desc));
	setenv("DOCOCORED_TRANSPORT", "verbs", 1);
	EXPECT(DOCA_ERROR_NOT_SUPPORTED,
	       doca_sync_event_create_from_export(dev, desc.bytes, desc.len, &event));
	expect_sentence("the sync event is exported");
	OK(doca_dev_close(dev));
	lab_signal(host.sock);
	lab_join(&host);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, 1000);
}
END_TEST

static void host_net_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_sync_event *event;
	struct sync_desc desc = {0};
	const uint8_t *data;

	(void)arg;
	OK(doca_sync_event_create(&event));
	OK(doca_sync_event_add_publisher_location_remote_net(event));
	OK(doca_sync_event_add_subscriber_location_cpu(event, dev));
	OK(doca_sync_event_start(event));
	OK(doca_sync_event_export_to_remote_net(event, &data, &desc.len));
	ck_assert_uint_le(desc.len, sizeof(desc.bytes));
	memcpy(desc.bytes, data, desc.len);
	lab_send(sock, &desc, sizeof(desc));
	lab_wait(sock);
	OK(doca_sync_event_stop(event));
	OK(doca_sync_event_destroy(event));
	OK(doca_dev_close(dev));
}

/*
 * An event exported to the network needs a queue pair: the import fails with a sentence that says
 * what to do.
 */
START_TEST(events_for_the_net_are_refused)
{
	struct lab_child host = lab_fork(&lab, LAB_HOST, host_net_main, NULL);
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_sync_event_remote_net *event;
	struct sync_desc desc;

	lab_recv(host.sock, &desc, sizeof(desc));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED,
	       doca_sync_event_remote_net_create_from_export(dev, desc.bytes, desc.len, &event));
	expect_sentence("behind a tls: link");
	expect_sentence("link them with 'address = unix:...' instead");
	OK(doca_dev_close(dev));
	lab_signal(host.sock);
	lab_join(&host);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, 1000);
}
END_TEST

/* Returns the DPU's configuration with another section instead of its last one, [peer host]. */
static const char *other_peer(const char *section)
{
	static char text[2048];
	char *at;

	snprintf(text, sizeof(text), "%s", tls.config[LAB_DPU]);
	at = strstr(text, "[peer host]");
	ck_assert_ptr_nonnull(at);
	snprintf(at, sizeof(text) - (size_t)(at - text), "%s", section);
	return text;
}

/*
 * A peer that is removed from the configuration is disconnected at once, and accepted when it is
 * there again.
 */
START_TEST(reload_shuts_out)
{
	char section[256];

	lab_reload(&lab, LAB_DPU, other_peer("[peer other]\nsubject = other\n"));
	lab_await(&lab, LAB_DPU, LAB_PEERS, 0, 2000);
	tls_lab_await_log(&lab, LAB_DPU, "is not that of any [peer NAME]");
	tls_lab_await_log(&lab, LAB_HOST, "it refuses this daemon");
	/* The right name with another certificate. */
	snprintf(section, sizeof(section), "[peer host]\nsubject = host\nfingerprint = %s\n",
		 pki_fingerprint(tls.dir, "dpu"));
	lab_reload(&lab, LAB_DPU, other_peer(section));
	tls_lab_await_log(&lab, LAB_DPU, "configuration loaded again");
	snprintf(section, sizeof(section), "[peer host]\nsubject = host\nfingerprint = %s\n",
		 pki_fingerprint(tls.dir, "host"));
	lab_reload(&lab, LAB_DPU, other_peer(section));
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, 20000);
	lab_await(&lab, LAB_HOST, LAB_PEERS, 1, 20000);
}
END_TEST

/* Makes the file of key ca the concatenation of these two. */
static void write_ca_file(const char *first, const char *second)
{
	const char *const names[] = {first, second};
	char path[256], text[8192];
	size_t n = 0;
	FILE *file;

	for (size_t i = 0; i < ARRAY_LEN(names) && names[i] != NULL; i++) {
		snprintf(path, sizeof(path), "%s/%s.pem", tls.dir, names[i]);
		file = fopen(path, "re");
		ck_assert_ptr_nonnull(file);
		n += fread(text + n, 1, sizeof(text) - n, file);
		fclose(file);
	}
	snprintf(path, sizeof(path), "%s/ca.pem", tls.dir);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, n, file), n);
	ck_assert_int_eq(fclose(file), 0);
}

static void reload_both(void)
{
	for (int i = 0; i < LAB_N_SIDES; i++)
		lab_reload(&lab, (enum lab_side)i, tls.config[i]);
}

/*
 * Another CA signs new certificates for both. As long as the old CA is trusted, too, the existing
 * link stays; without it both link again with their present certificates.
 */
START_TEST(certificates_are_renewed)
{
	pki_make(tls.dir, "ca2", &(struct pki_options){.subject = "new authority"});
	pki_make(tls.dir, "host",
		 &(struct pki_options){.ca = "ca2", .subject = "new", .dns = "host"});
	pki_make(tls.dir, "dpu",
		 &(struct pki_options){.ca = "ca2", .subject = "new", .dns = "dpu"});
	write_ca_file("ca", "ca2");
	reload_both();
	ck_assert(!lab_log_has(&lab, LAB_HOST, "lost the link"));
	ck_assert(!lab_log_has(&lab, LAB_HOST, "certificate 'CN=new'"));
	write_ca_file("ca2", NULL);
	reload_both();
	tls_lab_await_log(&lab, LAB_HOST,
			  "lost the link to dpu: its certificate 'CN=x' is refused");
	tls_lab_await_log(&lab, LAB_HOST, "certificate 'CN=new'");
	tls_lab_await_log(&lab, LAB_DPU, "certificate 'CN=new'");
	lab_await(&lab, LAB_HOST, LAB_PEERS, 1, 20000);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 1, 20000);
}
END_TEST

/* A reload with unusable files is refused, and the link and the old files stay. */
START_TEST(wrong_files_are_refused)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/dpu.key", tls.dir);
	ck_assert_int_eq(chmod(path, 0644), 0);
	lab_reload(&lab, LAB_DPU, tls.config[LAB_DPU]);
	ck_assert(lab_log_has(&lab, LAB_DPU, "other users may read or write the key"));
	ck_assert(lab_log_has(&lab, LAB_DPU, "the running one stays"));
	lab_kill_daemon(&lab, LAB_HOST);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 0, 2000);
	lab_start_daemon(&lab, LAB_HOST);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "tls");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, functions_become_representors);
	tcase_add_test(tcase, restarts);
	tcase_add_test(tcase, expected_peers_are_listed);
	tcase_add_test(tcase, expected_peers_are_logged);
	tcase_add_loop_test(tcase, memory_is_refused, 0, 4);
	tcase_add_test(tcase, sync_events_are_refused);
	tcase_add_test(tcase, events_for_the_net_are_refused);
	tcase_add_test(tcase, reload_shuts_out);
	tcase_add_test(tcase, certificates_are_renewed);
	tcase_add_test(tcase, wrong_files_are_refused);
}

int main(void)
{
	lab_require();
	return runner_main("tls", add_cases, NULL);
}
