/* daemon/topology: the built-in files, files for both sides, and refusals with their positions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/topology/topology.h"
#include "tests/unit/unit.h"

static char path[64];
static struct ini_error error;

static void set_up(void)
{
	close(unit_mkstemp(path, sizeof(path), "topology"));
}

static void tear_down(void)
{
	unlink(path);
}

static int load_for(const char *text, enum side side, const char *profile,
		    struct topology **topology_out)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
	error = (struct ini_error){.text = ""};
	return topology_load(path, side, profile_find(profile), topology_out, &error);
}

static int load(const char *text, enum side side, struct topology **topology_out)
{
	return load_for(text, side, "unlimited", topology_out);
}

static const struct device_spec *find(const struct topology *topology, const char *name)
{
	for (size_t i = 0; i < topology->n_devices; i++)
		if (strcmp(topology->devices[i].name, name) == 0)
			return &topology->devices[i];
	ck_abort_msg("no device %s", name);
	return NULL;
}

START_TEST(built_in_host)
{
	struct topology *t;

	ck_assert_int_eq(topology_load(NULL, SIDE_HOST, profile_find("bf2"), &t, &error), 0);
	ck_assert_uint_eq(t->n_devices, 5);
	ck_assert_uint_eq(t->n_reps, 0);
	ck_assert_str_eq(find(t, "pf0")->pci_addr, "0000:0b:00.0");
	ck_assert_str_eq(find(t, "pf0vf0")->pci_addr, "0000:0b:00.2");
	ck_assert_str_eq(find(t, "pf0vf1")->pci_addr, "0000:0b:00.3");
	ck_assert_str_eq(find(t, "pf1")->pci_addr, "0000:0b:00.1");
	ck_assert_str_eq(find(t, "pf1vf0")->pci_addr, "0000:0b:00.4");
	ck_assert_int_eq(find(t, "pf1vf0")->func_type, FUNC_VF);
	ck_assert_uint_eq(find(t, "pf0")->active_rate, 100000000000ull);
	ck_assert_uint_eq(find(t, "pf0")->caps.dma_max_buf_size, 2u << 20);
	ck_assert(find(t, "pf0")->caps.export_pci);
	ck_assert(!find(t, "pf0")->caps.rep_filter_all);
	topology_free(t);
}
END_TEST

/* Every representor of the host's functions has the same data as on the host. */
START_TEST(built_in_dpu)
{
	struct topology *t, *host;
	size_t n_linked = 0;

	ck_assert_int_eq(topology_load(NULL, SIDE_DPU, profile_find("unlimited"), &t, &error), 0);
	ck_assert_int_eq(topology_load(NULL, SIDE_HOST, profile_find("unlimited"), &host, &error),
			 0);
	ck_assert_uint_eq(t->n_devices, 4);
	ck_assert_uint_eq(t->n_reps, 7);
	ck_assert(find(t, "p0")->caps.import_pci && find(t, "p0")->caps.comch_server);
	ck_assert_int_eq(find(t, "p1s0")->func_type, FUNC_SF);
	for (size_t i = 0; i < t->n_reps; i++) {
		const struct rep_spec *rep = &t->reps[i];
		const struct topology *of = rep->always ? t : host;
		bool found = false;

		n_linked += !rep->always;
		for (size_t j = 0; j < of->n_devices; j++)
			found = found || (strcmp(of->devices[j].pci_addr, rep->pci_addr) == 0 &&
					  strcmp(of->devices[j].vuid, rep->vuid) == 0 &&
					  of->devices[j].vhca_id == rep->vhca_id &&
					  of->devices[j].func_type == rep->func_type);
		ck_assert_msg(found, "%s", rep->name);
	}
	ck_assert_uint_eq(n_linked, host->n_devices);
	topology_free(t);
	topology_free(host);
}
END_TEST

START_TEST(one_file_for_both_sides)
{
	static const char text[] =
		"[topology]\nside = dpu\n[device d]\npci = 03:00.0\nimport_pci = no\n"
		"[representor r]\nparent = d\npci = AB:1F.7\npresence = always\n"
		"hotplug = yes\nemulated = yes\n"
		"[topology]\nside = host\n[device h]\npci = 0001:0b:00.0\ntype = vf\nprofile = "
		"bf2\n"
		"mac = 02:00:00:00:00:ff\nipv4 = 192.0.2.1\nipv6 = 2001:db8::1\nlid = 7\nrate = "
		"25G\n"
		"dma = no\n";
	struct topology *t;

	ck_assert_msg(load(text, SIDE_DPU, &t) == 0, "%s", error.text);
	ck_assert_uint_eq(t->n_devices, 1);
	ck_assert_uint_eq(t->n_reps, 1);
	ck_assert(!t->devices[0].caps.import_pci);
	ck_assert_str_eq(t->reps[0].pci_addr, "0000:ab:1f.7");
	ck_assert(t->reps[0].always && t->reps[0].is_hotplug && t->reps[0].is_emulated);
	topology_free(t);
	ck_assert_msg(load(text, SIDE_HOST, &t) == 0, "%s", error.text);
	ck_assert_uint_eq(t->n_devices, 1);
	ck_assert_str_eq(t->devices[0].pci_addr, "0001:0b:00.0");
	ck_assert_uint_eq(t->devices[0].mac[5], 255);
	ck_assert_uint_eq(t->devices[0].ipv4[3], 1);
	ck_assert_uint_eq(t->devices[0].ipv6[15], 1);
	ck_assert(t->devices[0].has_mac && t->devices[0].has_ipv4 && t->devices[0].has_ipv6);
	ck_assert(t->devices[0].has_lid && t->devices[0].lid == 7);
	ck_assert_uint_eq(t->devices[0].active_rate, 25000000000ull);
	ck_assert_uint_eq(t->devices[0].caps.comch_max_msg_size, 4080);
	ck_assert(!t->devices[0].caps.dma);
	topology_free(t);
}
END_TEST

/* Each key disables its own capability; a profile that comes later keeps what the keys set. */
START_TEST(capabilities_by_key)
{
	static const char *const keys[] = {
		"dma",
		"export_pci",
		"import_pci",
		"export_rdma",
		"comch_server",
		"comch_client",
		"sync_event",
		"sync_export_pci",
		"sync_import_pci",
		"sync_export_net",
		"sync_import_net",
		"comch_producer",
		"comch_consumer",
		"mmap_advise",
		"erasure_coding",
	};
	struct topology *t;
	char text[200];

	for (size_t i = 0; i < 2 * ARRAY_LEN(keys); i++) {
		const struct caps *caps;

		snprintf(text, sizeof(text), "[device a]\npci = 01:00.0\n%s = no\n%s", keys[i / 2],
			 i % 2 ? "profile = bf3\n" : "");
		ck_assert_msg(load(text, i < 4 ? SIDE_HOST : SIDE_DPU, &t) == 0, "%s", error.text);
		caps = &t->devices[0].caps;
		const bool has[] = {
			caps->dma,
			caps->export_pci,
			caps->import_pci,
			caps->export_rdma,
			caps->comch_server,
			caps->comch_client,
			caps->sync_event,
			caps->sync_export_pci,
			caps->sync_import_pci,
			caps->sync_export_net,
			caps->sync_import_net,
			caps->comch_producer,
			caps->comch_consumer,
			caps->mmap_advise,
			caps->ec,
		};

		ck_assert_msg(!has[i / 2], "%s", keys[i / 2]);
		for (size_t k = 6; k < ARRAY_LEN(keys); k++) {
			bool by_event = i / 2 == 6 && k >= 7 && k <= 10;

			ck_assert_msg(has[k] == (k != i / 2 && !by_event), "%s by %s", keys[k],
				      keys[i / 2]);
		}
		topology_free(t);
	}
}
END_TEST

static const struct {
	const char *text;
	const char *expect;
} wrong[] = {
	{"", ":1: describes no device of side dpu"},
	{"[topology]\nside = host\n[device x]\npci = 01:00.0\n",
	 ":1: describes no device of side dpu"},
	{"[topology]\nside = moon\n", ":2: key 'side': 'moon' is not allowed; allowed: host, dpu"},
	{"[topology]\ndiscovery = yes\n",
	 ":2: key 'discovery': unknown here; allowed: side, discover"},
	{"[topology]\ndiscover = maybe\n",
	 ":2: key 'discover': 'maybe' is not allowed; allowed: yes, no"},
	{"[gadget x]\n", ":1: section '[gadget x]' is unknown; allowed: [topology]"},
	{"pci = 1\n", ":1: key 'pci': stands before the first section"},
	{"[device a]\n\n[device b]\npci = 01:00.0\n", ":1: device 'a': key 'pci' is missing"},
	{"[device a]\ntype = pf\n", ":1: device 'a': key 'pci' is missing"},
	{"[device a b]\n", ":1: the name 'a b' is not allowed"},
	{"[device a]\npci = zz:00.0\n", ":2: key 'pci': 'zz:00.0' is no PCI address"},
	{"[device a]\npci = 01:00.0\ntype = xf\n",
	 ":3: key 'type': 'xf' is not allowed; allowed: pf"},
	{"[device a]\npci = 01:00.0\nmac = 1:2\n", ":3: key 'mac': '1:2' is not allowed"},
	{"[device a]\npci = 01:00.0\nipv4 = 1.2.3\n", ":3: key 'ipv4': '1.2.3' is no IPv4 address"},
	{"[device a]\npci = 01:00.0\nipv6 = 1.2.3.4\n", ":3: key 'ipv6': '1.2.3.4' is no IPv6"},
	{"[device a]\npci = 01:00.0\ndma = maybe\n", ":3: key 'dma': 'maybe' is not allowed"},
	{"[device a]\npci = 01:00.0\nvhca_id = 65536\n",
	 ":3: key 'vhca_id': '65536' is not allowed"},
	{"[device a]\npci = 01:00.0\nprofile = bf7\n", ":3: key 'profile': 'bf7' is not allowed"},
	{"[device a]\npci = 01:00.0\ncolour = 1\n", ":3: key 'colour': unknown here; allowed: pci"},
	{"[device a]\npci = 01:00.0\npci = 01:00.0\n", ":3: key 'pci': given twice"},
	{"[device a]\npci = 01:00.0\n[device a]\n", ":3: device 'a' is described twice"},
	{"[device a]\npci = 01:00.0\n[device b]\npci = 0000:01:00.0\n",
	 ":1: devices 'a' and 'b' have the same PCI address"},
	{"[device a]\npci = 01:00.0\n[representor r]\npci = 02:00.0\n",
	 ":3: representor 'r': key 'parent' is missing"},
	{"[device a]\npci = 01:00.0\n[representor r]\nparent = a\n",
	 ":3: representor 'r': key 'pci' is missing"},
	{"[device a]\npci = 01:00.0\n[representor r]\npci = 02:00.0\nparent = z\n",
	 ":3: representor 'r': key 'parent': no device 'z' is described"},
	{"[device a]\npci = 01:00.0\n[representor r]\npci = 02:00.0\nparent = a\npresence = "
	 "never\n",
	 ":6: key 'presence': 'never' is not allowed; allowed: always, linked"},
	{"[device a]\npci = 01:00.0\n[representor r]\npci = 02:00.0\nparent = a\nparent = a\n",
	 ":6: key 'parent': given twice"},
};

START_TEST(refusals_name_the_place)
{
	char expect[256];
	struct topology *topology;

	snprintf(expect, sizeof(expect), "%s%s", path, wrong[_i].expect);
	ck_assert_int_eq(load(wrong[_i].text, SIDE_DPU, &topology), -EINVAL);
	ck_assert_msg(strncmp(error.text, expect, strlen(expect)) == 0, "%s", error.text);
}
END_TEST

/* Reads a line of the manual page. Returns false at its end. */
static bool page_line(FILE *page, char *line, size_t len)
{
	bool is_there = fgets(line, (int)len, page) != NULL;

	line[strcspn(line, "\n")] = '\0';
	return is_there;
}

/* Copies the manual page's example to the test's file. */
static void page_example(void)
{
	FILE *page = fopen(TEST_SRCDIR "/doc/dococored.topology.5", "re"),
	     *file = fopen(path, "we");
	bool is_inside = false;
	char line[256];

	ck_assert_ptr_nonnull(page);
	ck_assert_ptr_nonnull(file);
	while (page_line(page, line, sizeof(line))) {
		if (strcmp(line, ".Ed") == 0)
			is_inside = false;
		if (is_inside)
			fprintf(file, "%s\n", line);
		if (strcmp(line, ".Bd -literal") == 0)
			is_inside = true;
	}
	fclose(page);
	ck_assert_int_eq(fclose(file), 0);
}

/* The key must be explained in the manual page, and used in its example. */
static void page_has_key(const char *key)
{
	FILE *page = fopen(TEST_SRCDIR "/doc/dococored.topology.5", "re");
	char line[256], explained[80], used[80];
	bool is_explained = false, is_used = false;

	ck_assert_ptr_nonnull(page);
	snprintf(explained, sizeof(explained), "Cm %s No =", key);
	snprintf(used, sizeof(used), "%s = ", key);
	while (page_line(page, line, sizeof(line))) {
		is_explained = is_explained ||
			       (strncmp(line, ".It ", 4) == 0 && strstr(line, explained));
		is_used = is_used || strncmp(line, used, strlen(used)) == 0;
	}
	fclose(page);
	ck_assert_msg(is_explained, "dococored.topology.5 does not explain key '%s'", key);
	ck_assert_msg(is_used, "the example of dococored.topology.5 lacks key '%s'", key);
}

/* The keys of a section are those that the refusal of an unknown key lists. */
static void page_has_keys_of(const char *section, unsigned min)
{
	struct topology *topology;
	char text[128], *at, *key;
	unsigned n = 0;

	snprintf(text, sizeof(text), "%s\nno_such_key = 1\n", section);
	ck_assert_int_eq(load(text, SIDE_DPU, &topology), -EINVAL);
	at = strstr(error.text, "unknown here; allowed: ");
	ck_assert_msg(at != NULL, "%s", error.text);
	at += strlen("unknown here; allowed: ");
	while ((key = strtok_r(at, ", ", &at)) != NULL) {
		page_has_key(key);
		n++;
	}
	ck_assert_uint_ge(n, min);
}

START_TEST(manual_page)
{
	struct topology *t;

	page_has_keys_of("[topology]", 2);
	page_has_keys_of("[device a]\npci = 01:00.0", 31);
	page_has_keys_of("[device a]\npci = 01:00.0\n[representor r]\nparent = a\npci = 02:00.0",
			 8);
	page_has_key("profile");
	page_has_key("parent");
	page_example();
	error = (struct ini_error){.text = ""};
	ck_assert_msg(topology_load(path, SIDE_HOST, profile_find("unlimited"), &t, &error) == 0,
		      "%s", error.text);
	ck_assert_uint_eq(t->n_devices, 2);
	ck_assert(find(t, "pf0vf0")->caps.import_pci);
	ck_assert_uint_eq(find(t, "pf0")->caps.sha_algorithms, 0);
	topology_free(t);
	ck_assert_msg(topology_load(path, SIDE_DPU, profile_find("unlimited"), &t, &error) == 0,
		      "%s", error.text);
	ck_assert_uint_eq(t->n_devices, 2);
	ck_assert_uint_eq(t->n_reps, 3);
	ck_assert(!find(t, "p0s0")->caps.sync_export_net);
	topology_free(t);
}
END_TEST

START_TEST(host_has_no_representors)
{
	struct topology *topology;

	ck_assert_int_eq(load("[device a]\npci = 01:00.0\n[representor r]\n", SIDE_HOST, &topology),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.text, ":3: representor 'r': only the dpu side"));
}
END_TEST

START_TEST(too_many_devices)
{
	static char text[65536];
	struct topology *topology;
	size_t len = 0;

	for (int i = 0; i <= TOPOLOGY_MAX_DEVICES; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"[device d%d]\npci = %02x:%02x.%d\n", i, (unsigned)i / 256,
					(unsigned)i / 8 % 32, i % 8);
	ck_assert_int_eq(load(text, SIDE_HOST, &topology), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.text, "more than 256 devices"));
}
END_TEST

static void check_pci(enum side side, const char *daemons, const char *own, bool exports,
		      bool imports)
{
	char text[160];
	struct topology *t;

	snprintf(text, sizeof(text), "[device d]\npci = 01:00.0\n%s", own);
	ck_assert_msg(load_for(text, side, daemons, &t) == 0, "%s", error.text);
	ck_assert_msg(t->devices[0].caps.export_pci == exports &&
			      t->devices[0].caps.import_pci == imports,
		      "%s, profile %s, %s: exports %d, imports %d", side_name(side), daemons, own,
		      t->devices[0].caps.export_pci, t->devices[0].caps.import_pci);
	topology_free(t);
}

/*
 * In the default profile memory is exported over PCI in both directions; on a card only to the DPU.
 */
START_TEST(pci_directions)
{
	check_pci(SIDE_HOST, "unlimited", "", true, true);
	check_pci(SIDE_DPU, "unlimited", "", true, true);
	check_pci(SIDE_HOST, "bf2", "", true, false);
	check_pci(SIDE_DPU, "bf3", "", false, true);
	/* A device's profile decides, and so do its keys before and after it. */
	check_pci(SIDE_HOST, "unlimited", "profile = bf3\n", true, false);
	check_pci(SIDE_DPU, "unlimited", "profile = bf2\n", false, true);
	check_pci(SIDE_DPU, "bf2", "profile = unlimited\n", true, true);
	check_pci(SIDE_DPU, "unlimited", "export_pci = yes\nprofile = bf2\n", true, true);
	check_pci(SIDE_HOST, "unlimited", "profile = bf2\nimport_pci = yes\n", true, true);
	check_pci(SIDE_HOST, "unlimited", "export_pci = no\nimport_pci = no\n", false, false);
}
END_TEST

/* A side whose devices are discovered needs none in the file. */
START_TEST(discovery)
{
	static const char text[] = "[topology]\nside = dpu\ndiscover = yes\n"
				   "[topology]\nside = host\n[device h]\npci = 0b:00.0\n";
	struct topology *t;

	ck_assert_msg(load(text, SIDE_DPU, &t) == 0, "%s", error.text);
	ck_assert(t->discover && t->n_devices == 0);
	ck_assert(t->caps.import_pci && t->caps.rep_filter_all);
	topology_free(t);
	ck_assert_msg(load(text, SIDE_HOST, &t) == 0, "%s", error.text);
	ck_assert(!t->discover && t->n_devices == 1);
	topology_free(t);
}
END_TEST

/* Words instead of a path. */
START_TEST(built_in)
{
	const struct profile *profile = profile_find("unlimited");
	struct topology *t;

	for (int side = SIDE_HOST; side <= SIDE_DPU; side++) {
		ck_assert_int_eq(
			topology_load(TOPOLOGY_DISCOVER, (enum side)side, profile, &t, &error), 0);
		ck_assert(t->discover && t->n_devices == 0);
		topology_free(t);
		ck_assert_int_eq(topology_load(TOPOLOGY_DEMO, (enum side)side, profile, &t, &error),
				 0);
		ck_assert(!t->discover && t->n_devices > 0);
		topology_free(t);
	}
}
END_TEST

/* A BlueField-3 has no SHA; SHA keys apply, before the profile and after it. */
START_TEST(profiles_sha)
{
	struct topology *t;

	ck_assert_uint_eq(profile_find("unlimited")->caps.sha_algorithms, 7);
	ck_assert_uint_eq(profile_find("bf2")->caps.sha_partial_algorithms, 7);
	ck_assert_msg(load("[device a]\npci = 01:00.0\nprofile = bf3\n"
			   "[device b]\npci = 02:00.0\nprofile = bf3\nsha = 3\n"
			   "[device c]\npci = 03:00.0\nsha_partial = 5\nprofile = bf3\n"
			   "[device d]\npci = 04:00.0\nsha = 0\nprofile = bf2\n",
			   SIDE_HOST, &t) == 0,
		      "%s", error.text);
	ck_assert_uint_eq(t->devices[0].caps.sha_algorithms, 0);
	ck_assert_uint_eq(t->devices[0].caps.sha_partial_algorithms, 0);
	ck_assert_uint_eq(t->devices[1].caps.sha_algorithms, 3);
	ck_assert_uint_eq(t->devices[1].caps.sha_partial_algorithms, 0);
	ck_assert_uint_eq(t->devices[2].caps.sha_algorithms, 0);
	ck_assert_uint_eq(t->devices[2].caps.sha_partial_algorithms, 5);
	ck_assert_uint_eq(t->devices[3].caps.sha_algorithms, 0);
	ck_assert_uint_eq(t->devices[3].caps.sha_partial_algorithms, 7);
	topology_free(t);
}
END_TEST

/*
 * The generations of cards compress and decompress different formats; the key applies before the
 * profile and after it.
 */
START_TEST(profiles_compress)
{
	struct topology *t;

	ck_assert_uint_eq(profile_find("unlimited")->caps.compress_tasks, 15);
	ck_assert_uint_eq(profile_find("bf2")->caps.compress_tasks, 3);
	ck_assert_uint_eq(profile_find("bf3")->caps.compress_tasks, 14);
	ck_assert_msg(load("[device a]\npci = 01:00.0\nprofile = bf3\ncompress = 0\n"
			   "[device b]\npci = 02:00.0\ncompress = 1\nprofile = bf3\n",
			   SIDE_HOST, &t) == 0,
		      "%s", error.text);
	ck_assert_uint_eq(t->devices[0].caps.compress_tasks, 0);
	ck_assert_uint_eq(t->devices[1].caps.compress_tasks, 1);
	ck_assert_uint_eq(t->devices[1].caps.compress_max_buf_size, 2u << 20);
	topology_free(t);
	ck_assert_int_eq(load("[device a]\npci = 01:00.0\ncompress = 16\n", SIDE_HOST, &t),
			 -EINVAL);
}
END_TEST

/* A BlueField-2 has no AES-GCM; the key applies, before the profile and after it. */
START_TEST(profiles_aes_gcm)
{
	struct topology *t;

	ck_assert_uint_eq(profile_find("unlimited")->caps.aes_gcm_keys, 3);
	ck_assert_uint_eq(profile_find("bf3")->caps.aes_gcm_keys, 3);
	ck_assert_msg(load("[device a]\npci = 01:00.0\nprofile = bf2\n"
			   "[device b]\npci = 02:00.0\nprofile = bf2\naes_gcm = 1\n"
			   "[device c]\npci = 03:00.0\naes_gcm = 2\nprofile = bf2\n"
			   "[device d]\npci = 04:00.0\naes_gcm = 0\nprofile = bf3\n",
			   SIDE_HOST, &t) == 0,
		      "%s", error.text);
	ck_assert_uint_eq(t->devices[0].caps.aes_gcm_keys, 0);
	ck_assert_uint_eq(t->devices[1].caps.aes_gcm_keys, 1);
	ck_assert_uint_eq(t->devices[1].caps.aes_gcm_max_buf_size, 2u << 20);
	ck_assert_uint_eq(t->devices[2].caps.aes_gcm_keys, 2);
	ck_assert_uint_eq(t->devices[3].caps.aes_gcm_keys, 0);
	topology_free(t);
	ck_assert_int_ne(load("[device a]\npci = 01:00.0\naes_gcm = 4\n", SIDE_HOST, &t), 0);
}
END_TEST

/* Programs add to a reported limit and divide by it: (len + max - 1) / max. */
START_TEST(profiles_limits)
{
	for (size_t i = 0; profile_at(i); i++) {
		const struct caps *caps = &profile_at(i)->caps;
		const uint64_t sizes[] = {
			caps->dma_max_buf_size,      caps->sha_max_src_size,
			caps->compress_max_buf_size, caps->ec_max_block_size,
			caps->aes_gcm_max_buf_size,  caps->mmap_advise_max_buf_size};
		const uint32_t counts[] = {
			caps->dma_max_list_len,
			caps->sha_max_list_len,
			caps->dma_max_tasks,
			caps->sha_max_tasks,
			caps->aes_gcm_max_iv_len,
			caps->aes_gcm_max_list_len,
			caps->aes_gcm_max_tasks,
			caps->sync_max_tasks,
			caps->comch_max_name_len,
			caps->comch_max_msg_size,
			caps->comch_max_recv_queue,
			caps->comch_max_clients,
			caps->comch_max_send_tasks,
			caps->max_devices_per_mmap,
			caps->comch_max_producers,
			caps->comch_max_consumers,
			caps->comch_fast_max_tasks,
			caps->comch_fast_max_buf_size,
			caps->comch_fast_max_list_len,
			caps->comch_max_imm_len,
			caps->rdma_max_send_queue,
			caps->rdma_max_recv_queue,
			caps->rdma_max_sges,
			caps->rdma_max_message,
			caps->rdma_max_qps,
			caps->rdma_max_mtu,
			caps->ec_max_list_len,
			caps->ec_max_tasks,
			caps->ec_max_data_blocks,
			caps->ec_max_rdnc_blocks,
		};

		for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
			ck_assert_msg(sizes[k] > 0 && sizes[k] <= INT64_MAX, "%s: size %zu",
				      profile_at(i)->name, k);
		for (size_t k = 0; k < ARRAY_LEN(counts); k++)
			ck_assert_msg(counts[k] > 0 && counts[k] <= 1u << 30, "%s: count %zu",
				      profile_at(i)->name, k);
	}
}
END_TEST

/* The maximum that the kernel can map, and more. */
START_TEST(no_limits)
{
	const struct caps *caps = &profile_find("unlimited")->caps;

	ck_assert_uint_eq(caps->dma_max_buf_size, INT64_MAX);
	ck_assert_uint_eq(caps->mmap_advise_max_buf_size, INT64_MAX);
	ck_assert_uint_eq(caps->sha_max_src_size, UINT64_MAX / 8);
	ck_assert_uint_eq(caps->aes_gcm_max_buf_size, 68719476704u);
}
END_TEST

START_TEST(profiles)
{
	for (size_t i = 0; profile_at(i); i++) {
		ck_assert_ptr_eq(profile_find(profile_at(i)->name), profile_at(i));
		ck_assert_ptr_nonnull(strstr(profile_names(), profile_at(i)->name));
	}
	ck_assert_ptr_null(profile_find("none"));
	ck_assert_uint_ge(profile_find("unlimited")->caps.comch_max_msg_size, 1u << 20);
	/* A few messages fit on a thread's stack of 8 MiB, where programs allocate them. */
	ck_assert_uint_le(profile_find("unlimited")->caps.comch_max_msg_size, 2u << 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon topology");
	TCase *tcase = unit_case(suite, "topology", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, built_in_host);
	tcase_add_test(tcase, built_in_dpu);
	tcase_add_test(tcase, one_file_for_both_sides);
	tcase_add_test(tcase, capabilities_by_key);
	tcase_add_loop_test(tcase, refusals_name_the_place, 0, ARRAY_LEN(wrong));
	tcase_add_test(tcase, host_has_no_representors);
	tcase_add_test(tcase, manual_page);
	tcase_add_test(tcase, too_many_devices);
	tcase_add_test(tcase, pci_directions);
	tcase_add_test(tcase, discovery);
	tcase_add_test(tcase, built_in);
	tcase_add_test(tcase, profiles);
	tcase_add_test(tcase, profiles_limits);
	tcase_add_test(tcase, no_limits);
	tcase_add_test(tcase, profiles_sha);
	tcase_add_test(tcase, profiles_compress);
	tcase_add_test(tcase, profiles_aes_gcm);
	return unit_run(suite);
}
