/*
 * A simulated machine: a directory tree like /sys, and answers of netlink. Functions are like those
 * of mlx5 (PF, VF, sub-function) or soft-RoCE. Test programs only.
 */
#ifndef TESTS_UNIT_DAEMON_TOPOLOGY_MACHINE_TREE_H
#define TESTS_UNIT_DAEMON_TOPOLOGY_MACHINE_TREE_H

#include "daemon/topology/machine.h"

/* Creates an empty machine. */
void tree_set_up(void);
void tree_tear_down(void);
const char *tree_root(void);
void tree_write(const char *path, const char *text);
void tree_remove(const char *path);
/* Adds a PCI function with its IB device and interface; `inner` is "" or "mlx5_core.sf.2". */
void tree_add_mlx5(const char *pci_addr, const char *inner, const char *ibdev, const char *iface,
		   const char *mac);
void tree_add_rxe(const char *ibdev, const char *iface);
void tree_remove_ibdev(const char *ibdev);

/* Answers of netlink, shared with processes that were forked before they change. */
struct tree_answers {
	struct machine_address addresses[8];
	struct machine_port ports[8];
	volatile int n_addresses, n_ports;
	int error;                /* not 0: netlink fails with this error */
	volatile int ports_error; /* reported after the existing ports */
	volatile int addresses_error;
	/* While holds is set, a request for ports blocks and sets is_held. */
	volatile int holds, is_held;
	/* While it is set, the last notification is repeated without end. */
	volatile int floods;
};
extern struct tree_answers *tree_answers;
/* Notifies one watcher, in whichever process, of a change. */
void tree_announce(void);
extern const struct machine tree_machine;

#endif
