/*
 * A simulated RDMA device for tests of the verbs provider: the test decides what it completes and
 * when, and its requests are recorded. One for each process. The provider's threads receive events
 * and register regions.
 */
#ifndef TESTS_UNIT_CLIENT_RMA_VERBS_FAKE_DEVICE_H
#define TESTS_UNIT_CLIENT_RMA_VERBS_FAKE_DEVICE_H

#include <sys/socket.h>

#include "client/rma/verbs/domain.h"
#include "client/rma/verbs/verbs.h"

/* Keys of the first region: the local key and the remote key. */
#define VERBS_FAKE_KEY        1000u
#define VERBS_FAKE_REMOTE_KEY (VERBS_FAKE_KEY + 500)
/* First queue pair number. */
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
	uint32_t next_psns[8]; /* packet number that each of them expects; the test counts on */
	/* Arguments of each state change. */
	struct ibv_qp_attr states[IBV_QPS_ERR + 1];
	int masks[IBV_QPS_ERR + 1];
	/* The last request, with its only piece. */
	struct ibv_send_wr sent;
	struct ibv_sge sge;
	/* Completions to be polled. */
	struct ibv_wc wcs[16];
	unsigned n_wcs, n_taken;
	unsigned batch;  /* maximum for one poll; 0: all */
	unsigned n_late; /* completions after those, which come when a queue pair is destroyed */
	/* Receives, in the order in which the queue got them. */
	uint64_t received[32];
	unsigned n_received;
	struct ibv_mr mrs[4];
	unsigned n_mrs, n_mrs_gone, n_changed;
	int access;        /* of the last region */
	uint64_t known_as; /* address by which peers know it; 0: its own */
	uint32_t same_key; /* key that the next region gets again */
	int refusal;       /* errno of registrations */
	int no_path;       /* errno of connections */
	int no_queues;     /* errno of queue creation */
	unsigned max_qps;  /* limit of existing queue pairs; 0: unlimited */
	bool cannot_change;
	bool was_removed; /* queue pairs cannot be changed any more */
	bool has_no_gid;  /* the GID table entry is empty */
	/* Events of the device, once async_fd is readable. */
	struct ibv_async_event events[8];
	unsigned n_notified;
	_Atomic unsigned n_events, n_acked;
	/* Regions are registered only while holds_regions is false. */
	_Atomic bool holds_regions, is_held;
	/* For a connection by address: the other end's parameters, and the reply. */
	struct ibv_qp_attr asked;
	struct rdma_conn_param answer;
	struct rdma_event_channel cm_channel;
	struct rdma_cm_id id;
	struct rdma_cm_event cm_event;
	bool has_cm_event, is_left;
	bool is_abandoned_with_qp;      /* the identifier still had its queue pair */
	struct sockaddr_storage source; /* of the last connection; AF_UNSPEC: none was specified */
};

extern struct verbs_fake fake;
/* For ports whose connections by address are simulated, too. */
extern const struct cm_api verbs_fake_cm;

/* Creates a device with one GID, with Ethernet, and without a port. */
void verbs_fake_set_up(void);
void verbs_fake_tear_down(void);
/* Creates a queue pair of the port, connected with itself; the port has no other events. */
struct verbs_qp *verbs_fake_qp_new(struct rdma_domain *domain);
/* Adds a completion. */
void verbs_fake_complete(uint32_t qp, uint64_t id, enum ibv_wc_status status, bool is_recv);

#endif
