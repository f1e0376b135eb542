/* Generates topologies from addresses; see topology.h and dococored.topology(5). */
#include "tools/doca-admin/lab/topology.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/lab/lab.h"
#include "util/str.h"

#define MAX_FUNCTIONS 64
#define MAX_NAME      64
/* First VHCA id of the DPU's functions. */
#define DPU_VHCA 256

/* The difference between card generations: the speed of a port. */
static const struct card {
	const char *name, *rate;
} cards[] = {{"bf2", "100G"}, {"bf3", "200G"}};

/*
 * The usual addresses of a card: the defaults of the vendor's samples. On the host, function 2 is
 * the card's management function, so virtual functions begin with 3.
 */
static const char card_host[] = "b1:00.0,b1:00.3,b1:00.1,b1:00.4", card_dpu[] = "03:00.0,03:00.1";
/* The addresses of the built-in topologies. */
static const char default_host[] = "0b:00.0,0b:00.1", default_dpu[] = "03:00.0,03:00.1";
static const char default_ip[] = "192.168.100.1";

struct function {
	char pci[13]; /* dddd:bb:dd.f */
	unsigned bus, slot, number;
	unsigned port;  /* port number of the card */
	unsigned order; /* index among the port's virtual or sub-functions */
	const char *type;
	char ibdev[MAX_NAME];
};

struct lab_topology {
	struct function functions[LAB_N_SIDES][MAX_FUNCTIONS];
	unsigned n_functions[LAB_N_SIDES];
	unsigned n_ports; /* number of the DPU's ports */
	const char *rate;
	struct in_addr ip;
};

bool lab_addresses_given(const struct lab_addresses *a)
{
	return a->host || a->dpu || a->ibdev || a->ip || a->card;
}

/*
 * Copies the next element of a list and moves *at behind it. Returns false at the end of the list.
 */
static bool list_next(const char **at, char *out, size_t len)
{
	size_t n = strcspn(*at, ",");

	if (**at == '\0')
		return false;
	snprintf(out, len, "%.*s", (int)n, *at);
	*at += n + ((*at)[n] == ',');
	return true;
}

static int function_read(const char *option, const char *text, struct function *function)
{
	if (str_pci_normalize(text, function->pci) < 0 ||
	    sscanf(function->pci, "%*x:%x:%x.%x", &function->bus, &function->slot,
		   &function->number) != 3) {
		cmd_fail(0,
			 "%s: '%s' is no PCI address; write bb:dd.f or dddd:bb:dd.f, with commas "
			 "between several",
			 option, text);
		return -EINVAL;
	}
	return 0;
}

static int functions_read(const char *option, const char *list, struct function *functions,
			  unsigned *n_out)
{
	char text[MAX_NAME];

	while (list_next(&list, text, sizeof(text))) {
		if (*n_out == MAX_FUNCTIONS / 2) {
			cmd_fail(0, "%s: more than %d functions", option, MAX_FUNCTIONS / 2);
			return -E2BIG;
		}
		if (function_read(option, text, &functions[*n_out]) < 0)
			return -EINVAL;
		for (unsigned i = 0; i < *n_out; i++) {
			if (strcmp(functions[i].pci, functions[*n_out].pci) == 0) {
				cmd_fail(0, "%s: %s is given twice", option, text);
				return -EINVAL;
			}
		}
		(*n_out)++;
	}
	if (*n_out == 0) {
		cmd_fail(0, "%s: needs at least one PCI address", option);
		return -EINVAL;
	}
	return 0;
}

/*
 * Assigns ports: functions 0 and 1 of a device are ports, others are virtual functions of the
 * preceding port.
 */
static void host_complete(struct lab_topology *t)
{
	unsigned n_ports = 0, n_virtual = 0;

	for (unsigned i = 0; i < t->n_functions[LAB_HOST]; i++) {
		struct function *function = &t->functions[LAB_HOST][i];
		bool is_port = i == 0 || (function->slot == 0 && function->number < 2);

		if (is_port) {
			n_ports++;
			n_virtual = 0;
		}
		function->port = n_ports - 1;
		function->order = is_port ? 0 : n_virtual++;
		function->type = is_port ? "pf" : "vf";
	}
}

/*
 * Assigns ports on the DPU: each function is a port with one sub-function, which has the port's
 * address.
 */
static void dpu_complete(struct lab_topology *t)
{
	struct function *functions = t->functions[LAB_DPU];
	unsigned n = t->n_functions[LAB_DPU];

	for (unsigned i = 0; i < n; i++) {
		functions[i].port = i;
		functions[i].type = "pf";
		functions[n + i] = functions[i];
		functions[n + i].type = "sf";
	}
	t->n_ports = n;
	t->n_functions[LAB_DPU] = 2 * n;
}

/* Assigns the given names to the first functions; the others are called mlx5_N by their index. */
static int ibdevs_complete(struct lab_topology *t, const char *list)
{
	for (int side = 0; side < LAB_N_SIDES; side++) {
		const char *at = list ? list : "";

		for (unsigned i = 0; i < t->n_functions[side]; i++) {
			char *name = t->functions[side][i].ibdev;

			if (!list_next(&at, name, MAX_NAME))
				snprintf(name, MAX_NAME, "mlx5_%u", i);
			if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789_.-") != strlen(name) ||
			    *name == '\0') {
				cmd_fail(0, "--ibdev: '%s' is no name of an InfiniBand device",
					 name);
				return -EINVAL;
			}
		}
	}
	return 0;
}

static int card_find(const char *name, const struct card **card_out)
{
	for (size_t i = 0; i < ARRAY_LEN(cards); i++) {
		if (strcmp(cards[i].name, name) == 0) {
			*card_out = &cards[i];
			return 0;
		}
	}
	cmd_fail(0, "--for-card: there is no card '%s'; there are bf2 and bf3", name);
	return -EINVAL;
}

static int addresses_read(const struct lab_addresses *a, struct lab_topology *t)
{
	const char *host = a->card ? card_host : default_host;
	const char *dpu = a->card ? card_dpu : default_dpu;
	const char *ip = a->ip ? a->ip : default_ip;
	const struct card *card = &cards[0];

	if (a->card && card_find(a->card, &card) < 0)
		return -EINVAL;
	t->rate = card->rate;
	if (inet_pton(AF_INET, ip, &t->ip) != 1) {
		cmd_fail(0, "--ip: '%s' is no IPv4 address", ip);
		return -EINVAL;
	}
	if (functions_read("--host", a->host ? a->host : host, t->functions[LAB_HOST],
			   &t->n_functions[LAB_HOST]) < 0 ||
	    functions_read("--dpu", a->dpu ? a->dpu : dpu, t->functions[LAB_DPU],
			   &t->n_functions[LAB_DPU]) < 0)
		return -EINVAL;
	host_complete(t);
	dpu_complete(t);
	return ibdevs_complete(t, a->ibdev);
}

int lab_topology_new(const struct lab_addresses *addresses, struct lab_topology **topology_out)
{
	struct lab_topology *t = calloc(1, sizeof(*t));
	int r;

	if (!t) {
		cmd_fail(0, "no memory");
		return -ENOMEM;
	}
	r = addresses_read(addresses, t);
	if (r < 0)
		lab_topology_free(t);
	else
		*topology_out = t;
	return r;
}

struct lab_topology *lab_topology_free(struct lab_topology *topology)
{
	free(topology);
	return NULL;
}

/* Writes an address: they count up from the given one, alternating between the sides. */
static void ip_write(FILE *f, const struct lab_topology *t, int side, unsigned i)
{
	struct in_addr ip = {htonl(ntohl(t->ip.s_addr) + i * LAB_N_SIDES + (unsigned)side)};
	char text[INET_ADDRSTRLEN];

	fprintf(f, "ipv4 = %s\n", inet_ntop(AF_INET, &ip, text, sizeof(text)));
}

/* Returns the function's own name, from which its representor's name is formed. */
static void host_name(const struct function *function, char *out)
{
	int n = snprintf(out, MAX_NAME, "pf%u", function->port);

	if (strcmp(function->type, "vf") == 0)
		snprintf(out + n, MAX_NAME - (size_t)n, "vf%u", function->order);
}

static void host_vuid_write(FILE *f, const struct function *function)
{
	fprintf(f, "vuid = MT0000X00000MLNXS0D0F%u", function->port);
	if (strcmp(function->type, "vf") == 0)
		fprintf(f, "VF%u", function->order + 1);
	fputc('\n', f);
}

static void host_write(FILE *f, const struct lab_topology *t, unsigned i)
{
	const struct function *function = &t->functions[LAB_HOST][i];
	bool is_virtual = strcmp(function->type, "vf") == 0;
	char name[MAX_NAME];

	host_name(function, name);
	fprintf(f, "\n[device %s]\npci = %s\ntype = %s\n", name, function->pci, function->type);
	host_vuid_write(f, function);
	/* Names like udev's: a virtual function's name begins with that of its port. */
	fprintf(f, "iface = enp%us%uf%u%s%u\n", function->bus, is_virtual ? 0 : function->slot,
		is_virtual ? function->port : function->number, is_virtual ? "v" : "np",
		is_virtual ? function->order : function->port);
	fprintf(f, "ibdev = %s\nmac = 02:00:00:00:%02x:%02x\nvhca_id = %u\nrate = %s\n",
		function->ibdev, function->bus, i, i, t->rate);
	ip_write(f, t, LAB_HOST, i);
}

static void dpu_write(FILE *f, const struct lab_topology *t, unsigned i)
{
	const struct function *function = &t->functions[LAB_DPU][i];
	bool is_sub = strcmp(function->type, "sf") == 0;
	unsigned port = function->port;

	fprintf(f, "\n[device p%u%s]\npci = %s\ntype = %s\n", port, is_sub ? "s0" : "",
		function->pci, function->type);
	fprintf(f, "vuid = MT0000X00000ECMLNXS0D0F%u%s\n", port, is_sub ? "SF0" : "");
	if (is_sub)
		fprintf(f,
			"iface = enp%us%uf%us0\nsf_index = 0\nexport_pci = no\nimport_pci = no\n"
			"comch_server = no\n",
			function->bus, function->slot, function->number);
	else
		fprintf(f, "iface = p%u\n", port);
	fprintf(f, "ibdev = %s\nmac = 02:00:00:01:%02x:%02x\nvhca_id = %u\nrate = %s\n",
		function->ibdev, function->bus, i, DPU_VHCA + i, t->rate);
	ip_write(f, t, LAB_DPU, i);
}

/*
 * Writes a representor. A function whose port the DPU does not have is represented at its last
 * port.
 */
static void host_representor_write(FILE *f, const struct lab_topology *t, unsigned i)
{
	const struct function *function = &t->functions[LAB_HOST][i];
	bool is_virtual = strcmp(function->type, "vf") == 0;
	char name[MAX_NAME];

	host_name(function, name);
	fprintf(f, "\n[representor h%s]\nparent = p%u\npci = %s\ntype = %s\n", name,
		MIN(function->port, t->n_ports - 1), function->pci, function->type);
	host_vuid_write(f, function);
	fprintf(f, "iface = %s%s\nvhca_id = %u\n", name, is_virtual ? "" : "hpf", i);
}

static void sub_representor_write(FILE *f, const struct lab_topology *t, unsigned i)
{
	const struct function *function = &t->functions[LAB_DPU][i];
	unsigned port = function->port;

	fprintf(f,
		"\n[representor pf%usf0]\nparent = p%u\npci = %s\ntype = sf\n"
		"vuid = MT0000X00000ECMLNXS0D0F%uSF0\niface = en%uf%upf%usf0\nvhca_id = %u\n"
		"presence = always\n",
		port, port, function->pci, port, function->bus, function->number, port,
		DPU_VHCA + i);
}

static void topology_print(FILE *f, const struct lab_topology *t)
{
	fputs("# Made by 'doca-admin lab up'; see dococored.topology(5).\n[topology]\nside = "
	      "host\n",
	      f);
	for (unsigned i = 0; i < t->n_functions[LAB_HOST]; i++)
		host_write(f, t, i);
	fputs("\n[topology]\nside = dpu\n", f);
	for (unsigned i = 0; i < t->n_functions[LAB_DPU]; i++)
		dpu_write(f, t, i);
	for (unsigned i = 0; i < t->n_functions[LAB_HOST]; i++)
		host_representor_write(f, t, i);
	for (unsigned i = t->n_ports; i < t->n_functions[LAB_DPU]; i++)
		sub_representor_write(f, t, i);
}

int lab_topology_write(const struct lab_topology *topology, const char *dir, char *path_out,
		       size_t len)
{
	FILE *f;
	int r;

	if (snprintf(path_out, len, "%s/lab.topology", dir) >= (int)len)
		return -ENAMETOOLONG;
	f = fopen(path_out, "wxe");
	if (!f)
		return -errno;
	topology_print(f, topology);
	r = ferror(f) ? -EIO : 0;
	return fclose(f) == 0 ? r : -errno;
}
