/*
 * An RDMA provider inside the test's process: ports whose queue pairs reach each other directly.
 * Work is done when a port is polled, so a test controls the order. It replaces the library's table
 * of providers. It allocates only when ports and queue pairs are created. One thread.
 */
#ifndef TESTS_UNIT_CLIENT_RDMA_FAKE_PROVIDER_H
#define TESTS_UNIT_CLIENT_RDMA_FAKE_PROVIDER_H

#include "client/rma/provider.h"

#define FAKE_DEVICE      "p0" /* the device that it serves */
#define FAKE_N_GIDS      3u
#define FAKE_MAX_QUEUE   1024u
#define FAKE_MAX_SGES    64u
#define FAKE_MAX_MESSAGE (1u << 20)
#define FAKE_MAX_QPS     512u

/* Behaviour until fake_reset(). DOCA_SUCCESS: normal. */
struct fake_script {
	doca_error_t open, details, qp_new, connect, post, listen, accept, reject, disconnect;
	int gid;             /* result of get_gid */
	doca_error_t next;   /* status of the next executed request; breaks its queue pair */
	bool waits;          /* connections are established only by fake_finish_connecting() */
	bool holds;          /* nothing is executed or returned */
	bool has_no_atomics; /* the device has none */
	bool has_no_addresses;
	bool has_no_cm_ids;
	doca_error_t prepare; /* result of preparing with an identifier */
	/* Number of times that a port reports a queue pair that is still being drained. */
	unsigned n_draining;
};
extern struct fake_script fake;

/* Numbers of calls since the reset. */
extern unsigned fake_n_ports, fake_n_qps; /* open objects */
extern unsigned fake_n_arms, fake_n_disarms;
extern struct rdma_conf fake_conf; /* configuration of the last open */

/* Stands for an identifier of librdmacm; the test sets the other end's. */
struct fake_cm_id {
	struct fake_cm_id *other;
	bool is_asked; /* by the other end; otherwise this end connects */
	bool is_up;    /* the connection was accepted */
	struct rdma_qp *qp;
};

/* Returns a device that it serves, for programs that use headers of an earlier version. */
struct doca_dev *fake_dev(void);
/* Returns another device, without RDMA. */
struct doca_dev *fake_unsupported_dev(void);
void fake_reset(void);
/* Establishes waiting connections, or fails them with the code. */
void fake_finish_connecting(doca_error_t code);
/* The other end of the connection dies; or the device of the port is removed. */
void fake_break(struct rdma_qp *qp, doca_error_t reason);
void fake_unplug(struct rdma_domain *domain);
void fake_unplug_all(void);
/* The requester of a queue pair that was reported as REQUESTED gives up. */
void fake_cancel(struct rdma_qp *requested);
/* Reports an event unchanged. */
void fake_report(struct rdma_domain *domain, enum rdma_event_type type, struct rdma_qp *qp,
		 doca_error_t reason);

#endif
