/*
 * Kernel data that the daemon's discovery reads over netlink: addresses of network interfaces,
 * devlink ports, and notifications of changes. This is an ops table, so that tests can simulate
 * machines; netlink.c is the real implementation.
 */
#ifndef DAEMON_TOPOLOGY_MACHINE_H
#define DAEMON_TOPOLOGY_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_N_WATCHES 2

struct machine_address {
	char iface[64];
	int family;        /* AF_INET, AF_INET6 */
	uint8_t bytes[16]; /* 4 bytes are used for AF_INET */
	bool is_link_local;
};

enum machine_port_flavour { MACHINE_PORT_OTHER, MACHINE_PORT_PF, MACHINE_PORT_VF, MACHINE_PORT_SF };

/* A port of an embedded switch. Its interface represents a function. */
struct machine_port {
	char pci_addr[13]; /* of the function that contains the switch */
	char iface[64];    /* "" when it has none */
	enum machine_port_flavour flavour;
	uint32_t controller;
	uint32_t pf, vf, sf; /* numbers; vf and sf are valid for their flavours */
	bool is_external;    /* represents a function of another machine */
	uint8_t mac[6];      /* of the represented function */
	bool has_mac;
};

struct machine_ops {
	/* Calls fn for each address. Returns 0 or -errno. */
	int (*addresses)(void *user, void (*fn)(void *arg, const struct machine_address *address),
			 void *arg);
	/* Calls fn for each port. Returns 0, also for a machine without devlink, or -errno. */
	int (*ports)(void *user, void (*fn)(void *arg, const struct machine_port *port), void *arg);
	/*
	 * Opens descriptors that become readable when something may have changed; -1 for unused
	 * ones. The caller owns them. Returns 0 or -errno.
	 */
	int (*watch)(void *user, int fds_out[MACHINE_N_WATCHES]);
	/* Reads the notifications of fds[which]. Returns true if devices may have changed. */
	bool (*changed)(void *user, int fd, int which);
};

struct machine {
	const struct machine_ops *ops;
	void *user;
};

#endif
