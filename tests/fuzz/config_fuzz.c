/*
 * Configuration and topology files. Whatever the bytes, reading terminates. It succeeds exactly if
 * no error was reported, every error names the file, and a second reading has the same result.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/config/config.h"
#include "daemon/topology/topology.h"
#include "tests/fuzz/fuzz.h"
#include "util/util.h"

static char path[64];
static unsigned n_notified, n_odd;

static void report_mistake(const char *text)
{
	size_t len = strlen(path);
	bool is_place = strncmp(text, path, len) == 0 && text[len] == ':' && text[len + 1] >= '0' &&
			text[len + 1] <= '9';

	n_notified++;
	n_odd += !is_place && strcmp(text, "there are more mistakes than are listed here") != 0;
}

static void check_error(const struct ini_error *error, int r)
{
	FUZZ_CHECK((r == 0) == (error->n == 0));
	FUZZ_CHECK(n_notified == MIN(error->n, INI_MAX_REPORT + 1u));
	FUZZ_CHECK(n_odd == 0);
	n_notified = 0;
}

static void check_config(enum side side)
{
	struct ini_error error = {.report = report_mistake}, strict = {.n = 0};
	struct config *config = NULL, *again = NULL;
	int r = config_read(path, side, "/run/fuzz", &config, &error);

	check_error(&error, r);
	FUZZ_CHECK(config && config->profile && config->n_peers <= CONFIG_MAX_PEERS);
	FUZZ_CHECK(config->policy.n_rules <= POLICY_MAX_RULES);
	FUZZ_CHECK(config->limits.n_users <= LIMITS_MAX_USERS);
	FUZZ_CHECK(policy_find(&config->policy, "pf0") != NULL);
	FUZZ_CHECK(config_load(path, side, "/run/fuzz", &again, &strict) == r);
	FUZZ_CHECK(strict.n == error.n && strcmp(strict.text, error.text) == 0);
	FUZZ_CHECK((again != NULL) == (r == 0));
	FUZZ_CHECK(!again || memcmp(again, config, sizeof(*config)) == 0);
	for (size_t i = 0; again && i < config->n_peers; i++) {
		const struct config_peer *peer = config_find_peer(again, config->peers[i].name);

		FUZZ_CHECK(peer != NULL && config_peer_equal(&config->peers[i], peer));
	}
	FUZZ_CHECK(config_find_peer(config, "\n") == NULL);
	config_free(config);
	config_free(again);
}

static void check_topology(enum side side)
{
	struct ini_error error = {.report = report_mistake};
	struct topology *topology = NULL;
	int r = topology_load(path, side, profile_find("bf3"), &topology, &error);

	check_error(&error, r);
	FUZZ_CHECK((topology != NULL) == (r == 0));
	if (!topology)
		return;
	for (size_t i = 0; i < topology->n_devices; i++)
		FUZZ_CHECK(*topology->devices[i].name && *topology->devices[i].pci_addr);
	for (size_t i = 0; i < topology->n_reps; i++)
		FUZZ_CHECK(topology->reps[i].parent < topology->n_devices);
	topology_free(topology);
}

/* Paths that are no files, and defaults without a file, give the same result for each input. */
static void check_other_files(void)
{
	static const char *const paths[] = {"/nonexistent/x", "/"};
	char directory[CONFIG_PATH_LEN + 1];
	struct topology *topology;
	struct config *config;

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct ini_error error = {.n = 0};

		FUZZ_CHECK(config_read(paths[i], SIDE_DPU, "/run/fuzz", &config, &error) < 0);
		FUZZ_CHECK(error.n == 1 && strstr(error.text, "cannot be") != NULL);
		error.n = 0;
		FUZZ_CHECK(topology_load(paths[i], SIDE_DPU, profile_find("bf3"), &topology,
					 &error) < 0);
		FUZZ_CHECK(error.n == 1);
	}
	for (int side = 0; side < 2; side++) {
		struct ini_error error = {.n = 0};

		FUZZ_CHECK(topology_load(NULL, (enum side)side, profile_find("bf3"), &topology,
					 &error) == 0);
		topology_free(topology);
		memset(directory, 'a', sizeof(directory) - 1);
		directory[sizeof(directory) - 1] = '\0';
		FUZZ_CHECK(config_load(NULL, (enum side)side, directory, &config, &error) < 0);
		FUZZ_CHECK(error.n == 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("config", MFD_CLOEXEC);
		check_other_files();
	}
	if (fd < 0 || ftruncate(fd, 0) < 0 || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_config(len & 1 ? SIDE_HOST : SIDE_DPU);
	check_topology(len & 1 ? SIDE_HOST : SIDE_DPU);
	return 0;
}

static const char *const seeds[] = {
	"[daemon]\nprofile = bf3\ntopology = /etc/x\nlog_level = debug\nsocket_mode = 0600\n"
	"peer_listen = unix:/run/a\npeer_allow = user 12, group 13\nclient_queue = 2M\n"
	"client_stall_ms = 250\n",
	"[quota]\nsessions = 1\nbytes = 1T\nfds = 3\nhandles = 4\nexports = 5\nimports = 6\n"
	"servers = 7\nchannels = 8\nsync_events = 9\nconsumers = 10\n"
	"[quota user 5]\nexports = 1k\n[quota total]\nfds = 7\n",
	"[peer one]\naddress = unix:/run/one\n[peer two]\naddress = unix:/run/two\n",
	"[tls]\nlisten = 192.0.2.1:7471\ncertificate = /etc/c.pem\nkey = /etc/k.pem\nca = "
	"/etc/ca.pem\n"
	"[peer card]\nsubject = card.example\nfingerprint = sha256:"
	"00112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff\n"
	"[peer far]\naddress = tls:host.example:7471\nsubject = 2001:db8::2\n"
	"[peer six]\naddress = tls:[2001:db8::1]:1\nsubject = six\n",
	"[tls]\nlisten = [2001:db8::1]:7471\nlisten = none\nunknown = 1\n[peer a]\nfingerprint = "
	"sha256:00:11\n[peer b]\naddress = tls:b:70000\nsubject = -b\n[peer c]\n"
	"address = unix:relative\n",
	"[tls]\nlisten = none\ncertificate = /c\n[peer a]\naddress = tls:[::1:2\nsubject = a b\n",
	"[daemon]\nadmin_read = user 0, group 5\nadmin_change = user 0\nsystem_bus = yes\n",
	"[daemon]\nadmin_read = user\nadmin_change = -\nsystem_bus = maybe\nside = card\n",
	"[topology]\nside = dpu\ndiscover = yes\n[representor r]\nparent = nobody\npci = "
	"03:00.1\n",
	"[topology]\ndiscover = perhaps\n[device a]\npci = 03:00.0\n[device b]\npci = 03:00.0\n",
	"key without a section\n[open\nno equals sign\n",
	"[policy]\ndefault = none\npf0 = any\npf*vf? = user 0, group 7, user 77\n",
	"# a comment\n; another\n\n[daemon]\r\n  profile = bf2 ; inline\r\n",
	"[topology]\nside = dpu\n[device d]\npci = 03:00.0\nimport_pci = no\nmac = "
	"02:00:00:00:00:ff\n"
	"[representor r]\nparent = d\npci = AB:1F.7\npresence = always\nhotplug = yes\n",
	"[topology]\nside = host\n[device h]\npci = 0001:0b:00.0\ntype = vf\nprofile = bf2\n"
	"ipv4 = 192.0.2.1\nipv6 = 2001:db8::1\nlid = 7\nrate = 25G\nsha = 3\ndma = no\n",
};

/* More sections than are allowed, and more errors than are printed. */
static const char *const repeated[] = {
	"[peer p%u]\naddress = unix:/run/%u\n",
	"[quota user %u]\nfds = %u\n",
	"[device d%u]\npci = 00:00.%u\n",
	"[representor r%u]\nparent = d%u\n",
	"[unknown%u]\nkey = %u\n",
};

static size_t seed_repeated(unsigned i, uint8_t *out, size_t out_len)
{
	size_t len = 0;

	for (unsigned n = 0; n < 280; n++) {
		int r;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		r = snprintf((char *)out + len, out_len - len, repeated[i], n, n);
#pragma GCC diagnostic pop
		if (r < 0 || (size_t)r >= out_len - len)
			break;
		len += (size_t)r;
	}
	return len;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	size_t len;

	if (i >= ARRAY_LEN(seeds) && i < ARRAY_LEN(seeds) + ARRAY_LEN(repeated))
		return seed_repeated(i - ARRAY_LEN(seeds), out, out_len);
	if (i >= ARRAY_LEN(seeds))
		return 0;
	len = MIN(strlen(seeds[i]), out_len);
	memcpy(out, seeds[i], len);
	return len;
}
