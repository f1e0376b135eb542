/* See machine_tree.h. */
#include "tests/unit/daemon/topology/machine_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

struct tree_answers *tree_answers;

#define PATH_LEN 512

static char root[64];
static char doorbell[PATH_LEN]; /* a FIFO, because daemons of a test inherit no descriptor */

/* Formats a path, which must fit. */
static void PRINTF_LIKE(2, 3) format(char path[PATH_LEN], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ck_assert_int_lt(vsnprintf(path, PATH_LEN, fmt, ap), PATH_LEN);
	va_end(ap);
}

void tree_set_up(void)
{
	unit_mkdtemp(root, sizeof(root), "sysfs");
	format(doorbell, "%s/.doorbell", root);
	ck_assert_int_eq(mkfifo(doorbell, 0600), 0);
	tree_answers = mmap(NULL, sizeof(*tree_answers), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(tree_answers, MAP_FAILED);
}

void tree_tear_down(void)
{
	unit_remove_tree(root);
	munmap(tree_answers, sizeof(*tree_answers));
}

const char *tree_root(void)
{
	return root;
}

/* Creates all parent directories of a path. */
static void make_parents(const char *path)
{
	char copy[PATH_LEN];

	format(copy, "%s", path);
	for (char *c = copy + strlen(root) + 1; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		ck_assert(mkdir(copy, 0755) == 0 || errno == EEXIST);
		*c = '/';
	}
}

void tree_write(const char *path, const char *text)
{
	char full[PATH_LEN];
	FILE *file;

	format(full, "%s/%s", root, path);
	make_parents(full);
	file = fopen(full, "we");
	ck_assert_msg(file != NULL, "%s", full);
	fprintf(file, "%s\n", text);
	ck_assert_int_eq(fclose(file), 0);
}

void tree_remove(const char *path)
{
	char full[PATH_LEN];

	format(full, "%s/%s", root, path);
	unit_remove_tree(full);
}

static void link_to(const char *path, const char *target)
{
	char full[PATH_LEN];

	format(full, "%s/%s", root, path);
	make_parents(full);
	ck_assert_int_eq(symlink(target, full), 0);
}

static void add_port(const char *place, const char *ibdev, const char *iface)
{
	static const char *const files[][2] = {
		{"state", "4: ACTIVE"},
		{"rate", "100 Gb/sec (4X EDR)"},
		{"link_layer", "Ethernet"},
		{"lid", "0x0"},
		{"gids/0", "fe80:0000:0000:0000:0000:00ff:fe00:0001"},
		{"gids/1", "0000:0000:0000:0000:0000:ffff:c000:0201"},
		{"gids/2", "0000:0000:0000:0000:0000:0000:0000:0000"},
	};
	char path[PATH_LEN], target[PATH_LEN];

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		format(path, "devices/%s/infiniband/%s/ports/1/%s", place, ibdev, files[i][0]);
		tree_write(path, files[i][1]);
	}
	format(path, "devices/%s/infiniband/%s/ports/1/gid_attrs/ndevs/0", place, ibdev);
	tree_write(path, iface);
	format(path, "class/infiniband/%s", ibdev);
	format(target, "../../devices/%s/infiniband/%s", place, ibdev);
	link_to(path, target);
}

static void add_netdev(const char *place, const char *iface, const char *mac)
{
	char path[PATH_LEN], target[PATH_LEN];

	format(path, "devices/%s/net/%s/address", place, iface);
	tree_write(path, mac);
	format(path, "devices/%s/net/%s/mtu", place, iface);
	tree_write(path, "1500");
	format(path, "class/net/%s", iface);
	format(target, "../../devices/%s/net/%s", place, iface);
	link_to(path, target);
}

void tree_add_mlx5(const char *pci_addr, const char *inner, const char *ibdev, const char *iface,
		   const char *mac)
{
	char place[PATH_LEN], path[PATH_LEN], target[PATH_LEN];

	format(place, "pci0000:00/0000:00:01.0/%s%s%s", pci_addr, *inner ? "/" : "", inner);
	add_netdev(place, iface, mac);
	if (*ibdev)
		add_port(place, ibdev, iface);
	format(path, "%s/bus/pci/devices/%s", root, pci_addr);
	if (access(path, F_OK) == 0)
		return;
	format(path, "bus/pci/devices/%s", pci_addr);
	format(target, "../../../devices/pci0000:00/0000:00:01.0/%s", pci_addr);
	link_to(path, target);
	format(path, "bus/pci/devices/%s/vendor", pci_addr);
	tree_write(path, "0x15b3");
}

void tree_add_rxe(const char *ibdev, const char *iface)
{
	char path[PATH_LEN];

	add_netdev("virtual", iface, "02:00:00:00:00:01");
	add_port("virtual", ibdev, iface);
	format(path, "devices/virtual/infiniband/%s/ports/1/rate", ibdev);
	tree_write(path, "2.5 Gb/sec (1X SDR)");
	format(path, "devices/virtual/infiniband/%s/parent", ibdev);
	tree_write(path, iface);
}

void tree_remove_ibdev(const char *ibdev)
{
	char path[PATH_LEN];

	format(path, "class/infiniband/%s", ibdev);
	tree_remove(path);
}

static int announce_addresses(void *user, void (*fn)(void *, const struct machine_address *),
			      void *arg)
{
	(void)user;
	for (int i = 0; i < tree_answers->n_addresses; i++)
		fn(arg, &tree_answers->addresses[i]);
	return tree_answers->addresses_error ? tree_answers->addresses_error : tree_answers->error;
}

static int announce_ports(void *user, void (*fn)(void *, const struct machine_port *), void *arg)
{
	(void)user;
	while (tree_answers->holds) {
		tree_answers->is_held = 1;
		poll(NULL, 0, 1);
	}
	for (int i = 0; i < tree_answers->n_ports; i++)
		fn(arg, &tree_answers->ports[i]);
	return tree_answers->ports_error ? tree_answers->ports_error : tree_answers->error;
}

static int watch(void *user, int fds_out[MACHINE_N_WATCHES])
{
	(void)user;
	if (tree_answers->error)
		return tree_answers->error;
	fds_out[0] = open(doorbell, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return fds_out[0] < 0 ? -errno : 0;
}

static bool changed(void *user, int fd, int which)
{
	char word;

	(void)user;
	(void)which;
	if (tree_answers->floods)
		return true;
	return read(fd, &word, 1) == 1;
}

void tree_announce(void)
{
	int fd = open(doorbell, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "!", 1), 1);
	close(fd);
}

static const struct machine_ops ops = {.addresses = announce_addresses,
				       .ports = announce_ports,
				       .watch = watch,
				       .changed = changed};
const struct machine tree_machine = {.ops = &ops};
