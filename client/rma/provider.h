/*
 * What the RDMA library needs of a network device: completion queue, receive queue and queue pairs,
 * as verbs has them. A provider is one ops table in a folder of its own under client/transport
 * (verbs: rdma-core; soft: two processes of one machine); client/rdma_ports.c lists them in order
 * of preference. Engines know this header only, providers know nothing of tasks and contexts.
 *
 * A port is what one RDMA context opens on its device: it has one receive queue, which all its
 * queue pairs share, and hands out what is done through one poll. Work requests are the caller's
 * memory; the port has them, and what they point to, from a successful post until poll gives them
 * back. Requests of one queue pair take effect in the order in which they were posted. Once one
 * fails, its queue pair is broken: what was posted to it before and is not done, and what is posted
 * later, comes back with CONNECTION_RESET, and RDMA_QP_BROKEN is told once.
 *
 * Everything that comes from the other end was perhaps written by a hostile process.
 * Threads: those of the progress engine; one at a time per port.
 */
#ifndef CLIENT_RMA_PROVIDER_H
#define CLIENT_RMA_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct sync_import;
struct rdma_cm_id;
struct rdma_port_ops;

/* Bytes of a provider's connection details; with its header a descriptor has at most 256. */
#define RDMA_DETAILS_MAX 224
#define RDMA_REASON_MAX  200
#define RDMA_PRIVATE_MAX 56 /* bytes of private data that accept carries */
#define RDMA_GID_LEN     16
#define RDMA_MAX_SGES    64u /* pieces of memory of one request, with any provider */

enum rdma_op {
	RDMA_SEND,
	RDMA_SEND_IMM,
	RDMA_WRITE,
	RDMA_WRITE_IMM,
	RDMA_READ,
	RDMA_CMP_SWP,   /* 8 bytes, at an address that is a multiple of 8 */
	RDMA_FETCH_ADD, /* the same */
	RDMA_RECV,
};

/* Memory of this process: data to send, or room for what comes. */
struct rdma_sge {
	uint8_t *addr;
	size_t len;
	const struct doca_mmap *mmap; /* that addr lies in; started, of the port's device */
};

struct rdma_wr {
	struct rdma_wr *next; /* the port's while it has the request */
	/* Posted to. Of a receive that is done: where the message came from, NULL if it was freed.
	 */
	struct rdma_qp *qp;
	enum rdma_op op;
	uint32_t imm; /* of the *_IMM ops and of a receive by one of them; network byte order */
	uint32_t n_sges;
	const struct rdma_sge *sges; /* atomics: one of 8 bytes, for the value before */
	/*
	 * READ, WRITE, WRITE_IMM and atomics: what to work on. An address in the exporter's address
	 * space with the import that it lies in; or the import of a sync event, whose counter it is
	 * then, and whose sleepers are woken by a write or an addition. A WRITE or WRITE_IMM of no
	 * bytes may name neither.
	 */
	uint64_t remote_addr;
	const struct doca_mmap *remote_mmap;
	struct sync_import *remote_event;
	bool is_copy;     /* READ, WRITE of a Core object's copy: rights over PCI do as well */
	uint64_t compare; /* CMP_SWP */
	uint64_t value;   /* to swap in, or to add */
	/* What came of it, once poll gives it back. */
	doca_error_t status;
	uint32_t len;         /* bytes moved */
	enum rdma_op came_by; /* a receive: SEND, SEND_IMM or WRITE_IMM */
};

/* len is set: a write of no bytes to nowhere. */
static inline bool rdma_wr_writes_nothing(const struct rdma_wr *wr)
{
	return wr->len == 0 && wr->remote_mmap == NULL && wr->remote_event == NULL &&
	       (wr->op == RDMA_WRITE || wr->op == RDMA_WRITE_IMM);
}

/* A provider puts these first in its own objects. */
struct rdma_port {
	const struct rdma_port_ops *ops;
	struct doca_dev *dev;
	void *owner; /* the engine's */
};

struct rdma_qp {
	struct rdma_port *port;
	void *owner; /* the engine's connection */
};

struct rdma_limits {
	uint32_t max_send_queue, max_recv_queue; /* requests of one port */
	uint32_t max_send_sges, max_recv_sges;
	uint32_t max_message; /* bytes */
	uint32_t max_qps;     /* of one port */
	uint32_t n_gids;
	uint32_t max_mtu; /* bytes */
	bool has_atomics;
	bool has_addresses; /* connections by address */
	bool has_cm_ids;    /* connections by an identifier of librdmacm */
	bool has_rc, has_dc;
	/* Not served because this process may not use the device that is there: no other provider
	 * stands in, for it would reach other peers than those that are meant. */
	bool is_denied;
};

struct rdma_conf {
	uint32_t send_queue, recv_queue; /* requests: of one queue pair; of the port */
	uint32_t max_send_sges, max_recv_sges;
	uint32_t max_qps;
	uint32_t permissions; /* DOCA_ACCESS_FLAG_*: what peers may do here, at most */
	uint32_t mtu;         /* bytes */
	uint32_t gid_index;
	bool has_gid_index; /* the program chose it */
	uint32_t sl;
	bool grh;
	uint8_t rnr_retry;           /* 0 to 7; 7: for ever */
	uint16_t connect_timeout_ms; /* of connections by address */
};

enum rdma_event_type {
	RDMA_QP_ESTABLISHED,  /* requests may be posted */
	RDMA_QP_REQUESTED,    /* a peer asks for this new queue pair: accept or reject it */
	RDMA_QP_FAILED,       /* it could not be connected, was rejected, or took too long */
	RDMA_QP_DISCONNECTED, /* the other end left in good order */
	RDMA_QP_BROKEN,       /* a request failed, the other end died, or the device is gone */
	RDMA_QP_ROOM,         /* after AGAIN with nothing posted that could come back: post anew */
	/* The device was taken away: nothing works any more, but requests come back as ever. */
	RDMA_PORT_GONE,
};

struct rdma_event {
	enum rdma_event_type type;
	struct rdma_qp *qp; /* NULL: RDMA_PORT_GONE */
	doca_error_t reason;
};

enum rdma_addr_type { RDMA_ADDR_IPV4, RDMA_ADDR_IPV6, RDMA_ADDR_GID };

/* Address of an end; librdmacm has a struct rdma_addr. */
struct rdma_end {
	enum rdma_addr_type type;
	uint16_t port;
	uint8_t bytes[16]; /* 4 of IPv4; network byte order */
};

struct rdma_port_ops {
	const char *name;
	/*
	 * True if it serves the device, with its limits; else one clause says why not and what
	 * would help, and of the limits only is_denied counts. Asks the device until it has served
	 * once.
	 */
	bool (*query)(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		      char reason[RDMA_REASON_MAX]);
	/* Entry `index` of the device's table, below n_gids. 0 or -errno. */
	int (*get_gid)(const struct doca_devinfo *info, uint32_t index,
		       uint8_t gid_out[RDMA_GID_LEN]);

	/* All that post needs is made here. Errors come with a sentence. */
	doca_error_t (*open)(struct doca_dev *dev, const struct rdma_conf *conf,
			     struct rdma_port **port_out);
	/* Every queue pair is freed; receives that are posted are the caller's again, untold. */
	void (*close)(struct rdma_port *port);

	/* A descriptor that is readable while the port wants to be polled, once armed. */
	int (*get_fd)(const struct rdma_port *port);
	/* The user is about to sleep. True if there is something to poll already. */
	bool (*arm)(struct rdma_port *port);
	void (*disarm)(struct rdma_port *port);

	/*
	 * Something was told. Also moves what is asynchronous, so call it while poll has nothing,
	 * and now and then while it has: an end is told of only when all that came from it before
	 * was polled.
	 */
	bool (*next_event)(struct rdma_port *port, struct rdma_event *event_out);
	/* A request that is done, or NULL. */
	struct rdma_wr *(*poll)(struct rdma_port *port);
	/* SUCCESS: the port has it. AGAIN: the queue is full. INVALID_VALUE: never possible. */
	doca_error_t (*post)(struct rdma_qp *qp, struct rdma_wr *wr);
	doca_error_t (*post_recv)(struct rdma_port *port, struct rdma_wr *wr);
	/* All receives that are posted come back through poll, with CONNECTION_RESET. */
	void (*flush_recvs)(struct rdma_port *port);

	/* FULL, NO_MEMORY, OPERATING_SYSTEM, with a sentence. */
	doca_error_t (*qp_new)(struct rdma_port *port, void *owner, struct rdma_qp **qp_out);
	/* What the other end needs to connect to it. */
	doca_error_t (*qp_details)(struct rdma_qp *qp, uint8_t details_out[RDMA_DETAILS_MAX],
				   size_t *len_out);
	/*
	 * With details of a queue pair of the same provider. May end later, with an event. RC
	 * needs both ends to connect; an end is established as soon as it can post: what it posts
	 * before the other end is there waits.
	 */
	doca_error_t (*qp_connect)(struct rdma_qp *qp, const uint8_t *details, size_t len);
	/* What is posted and not done comes back through poll, with CONNECTION_RESET. Nothing comes
	 * back, and is_leaving, where the device is to answer the other end for a while. */
	doca_error_t (*qp_disconnect)(struct rdma_qp *qp);
	/*
	 * Some that were disconnected, and perhaps freed, answer still: whoever closes the port now
	 * may turn what the other end has done into a failure there. Receives that are flushed come
	 * back once none does. It does not last, next_event moves it. NULL: none ever does.
	 */
	bool (*is_leaving)(struct rdma_port *port);
	/* All its requests have come back. Events of it are told no more. */
	void (*qp_free)(struct rdma_qp *qp);

	/* By address. NOT_SUPPORTED where limits.has_addresses is false. */
	doca_error_t (*listen)(struct rdma_port *port, uint16_t port_number);
	doca_error_t (*unlisten)(struct rdma_port *port, uint16_t port_number);
	/* Ends with ESTABLISHED or FAILED. */
	doca_error_t (*qp_connect_addr)(struct rdma_qp *qp, const struct rdma_end *end);
	/* After REQUESTED, which set no owner: the caller does. It frees what it rejected, too. */
	doca_error_t (*qp_accept)(struct rdma_qp *qp, const void *private_data,
				  uint8_t private_len);
	doca_error_t (*qp_reject)(struct rdma_qp *qp);
	/* The address of the other end, of one that was connected by address, with the port number
	 * that was asked for: at both ends that of the listening one. 0 or -ENOTCONN. */
	int (*qp_get_addr)(const struct rdma_qp *qp, struct rdma_end *end_out);

	/*
	 * By an identifier of librdmacm, whose events the application takes; limits.has_cm_ids. A
	 * peer has asked for it, then it is accepted; or its route is known, then the application
	 * connects it. It must be there until the queue pair is disconnected or freed.
	 * INVALID_VALUE: it is none of this device, or has a queue pair.
	 */
	doca_error_t (*qp_prepare)(struct rdma_qp *qp, struct rdma_cm_id *id);
	/* BAD_STATE: no peer has asked for it. */
	doca_error_t (*qp_accept_prepared)(struct rdma_qp *qp, const void *private_data,
					   uint8_t private_len);
	/* Both ends have: ESTABLISHED is told. INVALID_VALUE: they have not. */
	doca_error_t (*qp_established)(struct rdma_qp *qp);
};

static inline bool rdma_port_is_leaving(struct rdma_port *port)
{
	return port->ops->is_leaving != NULL && port->ops->is_leaving(port);
}

/* Of providers that have no such identifiers: NOT_SUPPORTED. */
doca_error_t rdma_port_prepare_unsupported(struct rdma_qp *qp, struct rdma_cm_id *id);
doca_error_t rdma_port_accept_unsupported(struct rdma_qp *qp, const void *private_data,
					  uint8_t private_len);
doca_error_t rdma_port_established_unsupported(struct rdma_qp *qp);

/* NULL-terminated, best first. Defined in client/rdma_ports.c. */
extern const struct rdma_port_ops *const rdma_port_table[];

#endif
