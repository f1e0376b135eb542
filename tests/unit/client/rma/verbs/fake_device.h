/*
 * An RDMA device that a test of the verbs provider plays: what it completes, and when, is up to the
 * test, and what it is asked for is noted. One for each process. Threads: those of the provider
 * take events and make regions.
 */
#ifndef TESTS_UNIT_CLIENT_RMA_VERBS_FAKE_DEVICE_H
#define TESTS_UNIT_CLIENT_RMA_VERBS_FAKE_DEVICE_H

#include <sys/socket.h>

#include "client/rma/verbs/port.h"
#include "client/rma/verbs/verbs.h"

/* Keys of the first region: the device's own, and of who reaches it from elsewhere. */
#define VERBS_FAKE_KEY        1000u
#define VERBS_FAKE_REMOTE_KEY (VERBS_FAKE_KEY + 500)
/* Numbers of queue pairs begin here. */
#define VERBS_FAKE_QP 100u

struct verbs_fake {
	struct verbs_device device;
	struct ibv_context context;
	struct ibv_pd pd;
	struct ibv_comp_channel channel;
	struct ibv_cq cq;
	struct ibv_srq srqs[4];
	struct ibv_srq_init_attr srq_attr;
	unsigned n_srqs, n_srqs_gone;
	struct ibv_qp qps[8];
	struct ibv_qp_init_attr qp_attr;
	unsigned n_qps, n_qps_gone;
	uint32_t next_psns[8]; /* what each of them waits for; the test counts on */
	/* What each state was asked for with. */
	struct ibv_qp_attr states[IBV_QPS_ERR + 1];
	int masks[IBV_QPS_ERR + 1];
	/* The last request, with its only piece. */
	struct ibv_send_wr sent;
	struct ibv_sge sge;
	/* To be polled. */
	struct ibv_wc wcs[16];
	unsigned n_wcs, n_taken;
	unsigned batch;  /* that one poll takes at most; 0: all */
	unsigned n_late; /* behind those, which come when a queue pair goes */
	/* Receives, in the order in which the queue got them. */
	uint64_t received[32];
	unsigned n_received;
	struct ibv_mr mrs[4];
	unsigned n_mrs, n_mrs_gone, n_changed;
	int access;        /* of the last region */
	uint64_t known_as; /* the address that peers know it by; 0: its own */
	uint32_t same_key; /* that the next region gets again */
	int refusal;       /* errno of who registers */
	int no_way;        /* errno of who connects */
	int no_queues;     /* errno of who makes one */
	unsigned max_qps;  /* that there are at a time; 0: any number */
	bool cannot_change;
	bool is_taken_away; /* queue pairs cannot be changed any more */
	bool has_no_gid;    /* an entry of the table that is empty */
	/* What the device tells, once async_fd is readable. */
	struct ibv_async_event events[8];
	unsigned n_told;
	_Atomic unsigned n_events, n_acked;
	/* Regions are made only when that is false. */
	_Atomic bool holds_regions, is_held;
	/* By address: what the other end asked for, and what was answered. */
	struct ibv_qp_attr asked;
	struct rdma_conn_param answer;
	struct rdma_event_channel cm_channel;
	struct rdma_cm_id id;
	struct rdma_cm_event cm_event;
	bool has_cm_event, is_left;
	bool is_left_with_qp;           /* which the identifier had then */
	struct sockaddr_storage source; /* of the last connection; AF_UNSPEC: none was said */
};

extern struct verbs_fake fake;
/* For ports whose connections by address are played, too. */
extern const struct cm_api verbs_fake_cm;

/* A device of one GID, with Ethernet, and no port of ours. */
void verbs_fake_set_up(void);
void verbs_fake_tear_down(void);
/* A queue pair of the port, connected with itself; the port has nothing else to tell. */
struct verbs_qp *verbs_fake_qp_new(struct rdma_port *port);
/* One more to be polled. */
void verbs_fake_complete(uint32_t qp, uint64_t id, enum ibv_wc_status status, bool is_recv);

#endif
