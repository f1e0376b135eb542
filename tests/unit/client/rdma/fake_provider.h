/*
 * An RDMA provider inside the test's process: ports whose queue pairs reach each other directly.
 * Work is done when a port is polled, so a test decides what happens when. It replaces the table of
 * providers of the library. Nothing is taken from the heap but when ports and queue pairs are made.
 * Threads: one.
 */
#ifndef TESTS_UNIT_CLIENT_RDMA_FAKE_PROVIDER_H
#define TESTS_UNIT_CLIENT_RDMA_FAKE_PROVIDER_H

#include "client/rma/provider.h"

#define FAKE_DEVICE      "p0" /* the one that it serves */
#define FAKE_N_GIDS      3u
#define FAKE_MAX_QUEUE   1024u
#define FAKE_MAX_SGES    64u
#define FAKE_MAX_MESSAGE (1u << 20)
#define FAKE_MAX_QPS     512u

/* What it does next, until fake_reset. Codes of DOCA_SUCCESS: nothing special. */
struct fake_script {
	doca_error_t open, details, qp_new, connect, post, listen, accept, reject, disconnect;
	int gid;           /* what get_gid returns */
	doca_error_t next; /* status of the next request that is executed; breaks its queue pair */
	bool waits;        /* connections stand only when fake_settle was called */
	bool holds;        /* nothing is executed, nor given back */
	bool has_no_atomics; /* of the device */
	bool has_no_addresses;
	bool has_no_cm_ids;
	doca_error_t prepare; /* by an identifier */
	unsigned n_leaving;   /* as often a port that is asked says that it is */
};
extern struct fake_script fake;

/* What was called since the reset. */
extern unsigned fake_n_ports, fake_n_qps; /* that are open */
extern unsigned fake_n_arms, fake_n_disarms;
extern struct rdma_conf fake_conf; /* of the last open */

/* Stands for an identifier of librdmacm; the other end's is set by the test. */
struct fake_cm_id {
	struct fake_cm_id *other;
	bool is_asked; /* by the other end; else this one connects */
	bool is_up;    /* that was accepted */
	struct rdma_qp *qp;
};

/* A device that it serves, for programs that see headers of an earlier version. */
struct doca_dev *fake_dev(void);
/* Another, without RDMA. */
struct doca_dev *fake_poor_dev(void);
void fake_reset(void);
/* Connections that wait are established, or fail with the code. */
void fake_settle(doca_error_t code);
/* The other end of the connection dies; or the device of the port goes. */
void fake_break(struct rdma_qp *qp, doca_error_t reason);
void fake_unplug(struct rdma_port *port);
void fake_unplug_all(void);
/* The requester of a queue pair that was told as REQUESTED gives up. */
void fake_give_up(struct rdma_qp *requested);
/* An event as it is. */
void fake_tell(struct rdma_port *port, enum rdma_event_type type, struct rdma_qp *qp,
	       doca_error_t reason);

#endif
