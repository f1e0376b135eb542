/*
 * An RDMA device that the daemon discovered: it is listed with the machine's properties, works, is
 * removed and returns.
 *
 *   discover_test IBDEV IPV4    uses it, and prints "ready" when it may be removed
 *   discover_test IBDEV         prints "gone" when it is removed, and uses it after its return
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <dococ.h>

#include "tests/vm/end.h"

#define CM_PORT 18721

/* Sets *dev_out to the opened device, if dev_out is not NULL. */
static bool is_listed(const char *ibdev, struct doca_dev **dev_out)
{
	struct doca_devinfo **list;
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	bool found = false;
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	for (uint32_t i = 0; i < n && !found; i++) {
		OK(doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
		found = strcmp(name, ibdev) == 0;
		if (found && dev_out != NULL)
			OK(doca_dev_open(list[i], dev_out));
	}
	OK(doca_devinfo_destroy_list(list));
	return found;
}

static void await_listed(const char *ibdev, bool expected)
{
	time_t until = time(NULL) + TIMEOUT_S;

	while (is_listed(ibdev, NULL) != expected) {
		check(time(NULL) < until, "it is %slisted after %d s", expected ? "not " : "",
		      TIMEOUT_S);
		usleep(20000);
	}
}

static void gid_of_system(const char *ibdev, unsigned index, uint8_t gid[16])
{
	char path[128], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%u", ibdev, index);
	f = fopen(path, "re");
	check(f != NULL, "%s: %m", path);
	check(fgets(text, sizeof(text), f) != NULL, "%s is empty", path);
	text[strcspn(text, "\n")] = 0;
	fclose(f);
	check(inet_pton(AF_INET6, text, gid) == 1, "%s", text);
}

static void check_properties(const char *ibdev, const char *ipv4)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(end.dev);
	uint8_t addr[4], expected[4], system[16];
	struct doca_rdma_gid gid;
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	bool has_address = false;
	uint32_t n;

	OK(doca_devinfo_get_iface_name(info, iface, sizeof(iface)));
	OK(doca_devinfo_get_ipv4_addr(info, addr, sizeof(addr)));
	check(inet_pton(AF_INET, ipv4, expected) == 1, "%s", ipv4);
	check(memcmp(addr, expected, 4) == 0, "another address");
	OK(doca_rdma_cap_get_gid_table_size(info, &n));
	check(n >= 2, "%u GIDs", n);
	for (uint32_t i = 0; i < 2; i++) {
		OK(doca_rdma_cap_get_gid(info, i, 1, &gid));
		gid_of_system(ibdev, i, system);
		check(memcmp(gid.raw, system, sizeof(system)) == 0, "GID %u", i);
		has_address |= memcmp(gid.raw + 12, expected, 4) == 0;
	}
	check(has_address, "no GID of the address");
	printf("%s on %s, %u GIDs\n", ibdev, iface, n);
}

/*
 * The context listens and connects to itself by address, because the kernel reports a removal to
 * connections by address. Soft-RoCE reports it in no other way, unlike devices that can be removed
 * while processes have them open.
 */
static void connect_to_itself(const char *ipv4)
{
	struct doca_rdma_addr *addr;

	OK(doca_rdma_start_listen_to_port(end.rdma, CM_PORT));
	OK(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, ipv4, CM_PORT, &addr));
	OK(doca_rdma_connect_to_addr(end.rdma, addr, (union doca_data){.u64 = 0}));
	end_await(&end.n_established, 2);
	OK(doca_rdma_addr_destroy(addr));
}

/* Starts a context on it. */
static void start_on(const char *ibdev)
{
	struct doca_dev *dev = NULL;

	check(is_listed(ibdev, &dev), "not listed");
	end = (struct end){.max_conns = 2};
	end_open(dev, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	end_receive(64);
}

static void close_device(void)
{
	end_close();
	OK(doca_dev_close(end.dev));
}

/* The device is removed while the context runs: the context stops, and posted requests complete. */
static void await_removal(void)
{
	time_t until = time(NULL) + TIMEOUT_S;
	enum doca_ctx_states state;

	meet_send("ready");
	do {
		(void)doca_pe_progress(end.pe);
		OK(doca_ctx_get_state(end.ctx, &state));
		check(time(NULL) < until, "the context goes on");
	} while (state == DOCA_CTX_STATE_RUNNING);
	end_await(&end.n_received, 1);
	check(end.status != DOCA_SUCCESS, "something was received");
	printf("as it should be: %s: %s\n", doca_error_get_name(end.status), dococ_last_error());
	close_device();
}

/*
 * Must run in another process than before: librdmacm keeps the old device open as long as the
 * process lives.
 */
static void use_returned_device(const char *ibdev)
{
	await_listed(ibdev, false);
	meet_send("gone");
	await_listed(ibdev, true);
	start_on(ibdev);
	close_device();
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: discover_test IBDEV [IPV4]\n");
		return 2;
	}
	if (argc == 2) {
		use_returned_device(argv[1]);
	} else {
		await_listed(argv[1], true);
		start_on(argv[1]);
		check_properties(argv[1], argv[2]);
		connect_to_itself(argv[2]);
		await_removal();
	}
	printf("ok: %s\n", argc == 2 ? "gone, and back" : "found, and lost");
	return 0;
}
