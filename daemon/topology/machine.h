/*
 * What the kernel tells over netlink, as the daemon's discovery wants it: addresses of network
 * interfaces, devlink ports, and that something changed. An ops table, so that tests can tell of
 * machines that are not there; netlink.c is the real one.
 */
#ifndef DAEMON_TOPOLOGY_MACHINE_H
#define DAEMON_TOPOLOGY_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_N_WATCHES 2

struct machine_address {
	char iface[64];
	int family;        /* AF_INET, AF_INET6 */
	uint8_t bytes[16]; /* 4 of AF_INET */
	bool is_link_local;
};

enum machine_port_flavour { MACHINE_PORT_OTHER, MACHINE_PORT_PF, MACHINE_PORT_VF, MACHINE_PORT_SF };

/* A port of an embedded switch: its interface represents a function. */
struct machine_port {
	char pci_addr[13]; /* of the function that has the switch */
	char iface[64];    /* "" when it has none */
	enum machine_port_flavour flavour;
	uint32_t controller;
	uint32_t pf, vf, sf; /* numbers; vf and sf by flavour */
	bool is_external;    /* of another machine's function */
	uint8_t mac[6];      /* of the function that is represented */
	bool has_mac;
};

struct machine_ops {
	/* Calls fn for each. 0 or -errno. */
	int (*addresses)(void *user, void (*fn)(void *arg, const struct machine_address *address),
			 void *arg);
	/* The same; a machine without devlink has none, and 0. */
	int (*ports)(void *user, void (*fn)(void *arg, const struct machine_port *port), void *arg);
	/* Descriptors that become readable when something may have changed; -1 for none. They are
	 * the caller's. 0 or -errno. */
	int (*watch)(void *user, int fds_out[MACHINE_N_WATCHES]);
	/* Takes what fds[which] has; true if devices may have changed. */
	bool (*changed)(void *user, int fd, int which);
};

struct machine {
	const struct machine_ops *ops;
	void *user;
};

#endif
