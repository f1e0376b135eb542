/*
 * A made-up machine: a tree as the kernel has it in /sys, in a directory of its own, and answers of
 * netlink. Functions are as mlx5 has them (PF, VF, sub-function), or soft-RoCE. Test programs only.
 */
#ifndef TESTS_UNIT_DAEMON_TOPOLOGY_MACHINE_TREE_H
#define TESTS_UNIT_DAEMON_TOPOLOGY_MACHINE_TREE_H

#include "daemon/topology/machine.h"

/* An empty machine. */
void tree_set_up(void);
void tree_tear_down(void);
const char *tree_root(void);
void tree_write(const char *path, const char *text);
void tree_remove(const char *path);
/* PCI function with its IB device and interface; `inner` is "" or "mlx5_core.sf.2". */
void tree_add_mlx5(const char *pci_addr, const char *inner, const char *ibdev, const char *iface,
		   const char *mac);
void tree_add_rxe(const char *ibdev, const char *iface);
void tree_remove_ibdev(const char *ibdev);

/* Answers of netlink, also in processes that were forked before they were changed. */
struct tree_answers {
	struct machine_address addresses[8];
	struct machine_port ports[8];
	volatile int n_addresses, n_ports;
	int error;                /* not 0: what netlink fails with */
	volatile int ports_error; /* after those that there are */
	volatile int addresses_error;
	/* While it is set, who asks for ports waits, and says so. */
	volatile int holds, is_held;
	/* While it is set, the notice that came last comes again and again. */
	volatile int floods;
};
extern struct tree_answers *tree_answers;
/* Tells whoever watches, in whichever process, that something changed; for one of them. */
void tree_tell(void);
extern const struct machine tree_machine;

#endif
