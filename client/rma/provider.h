/*
 * What the RDMA library needs of a network device: a completion queue, a receive queue and queue
 * pairs, as in verbs. A provider is one ops table in a folder of its own under client/rma (verbs:
 * rdma-core; soft: two processes of one machine). client/providers.c lists them in order
 * of preference. Engines use this header only; providers know nothing of tasks and contexts.
 *
 * A domain (below) is what one RDMA context opens on its device. It has one receive queue, which
 * all its queue pairs share, and returns completed requests through one poll. Work requests are the
 * caller's memory. From a successful post until poll returns them, the domain owns them and what
 * they point to. Requests of one queue pair take effect in the order of posting. Once one fails,
 * its queue pair is broken: requests that were posted before and are not complete, and those posted
 * later, are returned with CONNECTION_RESET, and RDMA_QP_BROKEN is reported once.
 *
 * All data from the other end may have been written by a hostile process. Threads: those of the
 * progress engine; one at a time per domain.
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
struct rdma_provider;

/* The largest connection parameters of a provider. With its header, a descriptor has at most 256
 * bytes. */
#define RDMA_PARAMS_MAX  224
#define RDMA_REASON_MAX  200
#define RDMA_PRIVATE_MAX 56 /* the longest private data of an accept, in bytes */
#define RDMA_GID_LEN     16
#define RDMA_MAX_SGES    64u /* the most pieces of memory of one request, with any provider */

enum rdma_op {
	RDMA_SEND,
	RDMA_SEND_IMM,
	RDMA_WRITE,
	RDMA_WRITE_IMM,
	RDMA_READ,
	RDMA_CMP_SWP,   /* 8 bytes, at an address that is a multiple of 8 */
	RDMA_FETCH_ADD, /* 8 bytes, at an address that is a multiple of 8 */
	RDMA_RECV,
};

/* Memory of this process: data to send, or room for received data. */
struct rdma_sge {
	uint8_t *addr;
	size_t len;
	const struct doca_mmap *mmap; /* contains addr; it is started and has the domain's device */
};

struct rdma_wr {
	struct rdma_wr *next; /* used by the domain while it owns the request */
	/* The queue pair it was posted to. For a completed receive: the queue pair that the message
	 * came from, NULL if that was freed. */
	struct rdma_qp *qp;
	enum rdma_op op;
	uint32_t imm; /* for the *_IMM ops and for a receive completed by one; network byte order */
	uint32_t n_sges;
	const struct rdma_sge *sges; /* atomics: one of 8 bytes, for the previous value */
	/*
	 * The target of READ, WRITE, WRITE_IMM and atomics. It is either an address in the
	 * exporter's address space with the import that contains it, or the import of a sync event.
	 * In the second case the target is the event's counter, and a write or an addition wakes
	 * its sleepers. A WRITE or WRITE_IMM of no bytes may name neither.
	 */
	uint64_t remote_addr;
	const struct doca_mmap *remote_mmap;
	struct sync_import *remote_event;
	/* READ or WRITE for the copy of a Core object: PCI rights are sufficient too. */
	bool is_copy;
	uint64_t compare; /* the value to compare, for CMP_SWP */
	uint64_t value;   /* the value to swap in or to add */
	/* The result, set when poll returns the request. */
	doca_error_t status;
	uint32_t len;             /* the number of bytes moved */
	enum rdma_op received_as; /* for a receive: SEND, SEND_IMM or WRITE_IMM */
};

/* Returns whether the request writes no bytes and names no target. `len` must be set. */
static inline bool rdma_wr_writes_nothing(const struct rdma_wr *wr)
{
	return wr->len == 0 && wr->remote_mmap == NULL && wr->remote_event == NULL &&
	       (wr->op == RDMA_WRITE || wr->op == RDMA_WRITE_IMM);
}

/* The objects of a provider begin with these structs. */
struct rdma_domain {
	const struct rdma_provider *ops;
	struct doca_dev *dev;
	void *owner; /* the engine's object */
};

struct rdma_qp {
	struct rdma_domain *domain;
	void *owner; /* the engine's connection */
};

struct rdma_limits {
	uint32_t max_send_queue, max_recv_queue; /* requests of one domain */
	uint32_t max_send_sges, max_recv_sges;
	uint32_t max_message; /* bytes */
	uint32_t max_qps;     /* in one domain */
	uint32_t n_gids;
	uint32_t max_mtu; /* bytes */
	bool has_atomics;
	bool has_addresses; /* supports connections by address */
	bool has_cm_ids;    /* supports connections by a librdmacm identifier */
	bool has_rc, has_dc;
	/* The device exists, but this process may not use it. No other provider replaces it then,
	 * because it would reach other peers than the program means. */
	bool is_denied;
};

struct rdma_conf {
	uint32_t send_queue, recv_queue; /* number of requests: per queue pair; per domain */
	uint32_t max_send_sges, max_recv_sges;
	uint32_t max_qps;
	uint32_t permissions; /* DOCA_ACCESS_FLAG_*: the most that peers may do */
	uint32_t mtu;         /* bytes */
	uint32_t gid_index;
	bool has_gid_index; /* the program chose it */
	uint32_t sl;
	bool grh;
	uint8_t rnr_retry;           /* 0 to 7; 7 means without limit */
	uint16_t connect_timeout_ms; /* for connections by address */
};

enum rdma_event_type {
	RDMA_QP_ESTABLISHED,  /* requests may be posted */
	RDMA_QP_REQUESTED,    /* a peer requests this new queue pair: accept or reject it */
	RDMA_QP_FAILED,       /* the connection failed, was rejected, or timed out */
	RDMA_QP_DISCONNECTED, /* the other end disconnected in an orderly way */
	RDMA_QP_BROKEN,       /* a request failed, the other end died, or the device was removed */
	/* After AGAIN with no posted request that could complete: post again. */
	RDMA_QP_WRITABLE,
	/* The device was removed. Nothing works any more, but requests are still returned. */
	RDMA_DEVICE_REMOVED,
};

struct rdma_event {
	enum rdma_event_type type;
	struct rdma_qp *qp; /* NULL for RDMA_DEVICE_REMOVED */
	doca_error_t reason;
};

enum rdma_addr_type { RDMA_ADDR_IPV4, RDMA_ADDR_IPV6, RDMA_ADDR_GID };

/* The address of an end. The name avoids librdmacm's struct rdma_addr. */
struct rdma_endpoint {
	enum rdma_addr_type type;
	uint16_t port;
	uint8_t bytes[16]; /* 4 for IPv4; network byte order */
};

struct rdma_provider {
	const char *name;
	/*
	 * Returns true and the limits if the provider serves the device. Otherwise writes one
	 * clause with the cause and the remedy, and of the limits only is_denied is valid. Queries
	 * the device until it has been served once.
	 */
	bool (*query)(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		      char reason[RDMA_REASON_MAX]);
	/* Returns entry `index` of the device's GID table; the index is below n_gids. Returns 0 or
	 * -errno. */
	int (*get_gid)(const struct doca_devinfo *info, uint32_t index,
		       uint8_t gid_out[RDMA_GID_LEN]);

	/* Opens a domain and allocates everything that post needs. Errors come with an error
	 * sentence. */
	doca_error_t (*open)(struct doca_dev *dev, const struct rdma_conf *conf,
			     struct rdma_domain **domain_out);
	/* Closes a domain whose queue pairs are all freed. Posted receives belong to the caller
	 * again; they are not returned by poll. */
	void (*close)(struct rdma_domain *domain);

	/* Returns a descriptor that is readable while an armed domain needs to be polled. */
	int (*get_fd)(const struct rdma_domain *domain);
	/* Arms the descriptor before the user sleeps. Returns true if there is something to poll
	 * already. */
	bool (*arm)(struct rdma_domain *domain);
	void (*disarm)(struct rdma_domain *domain);

	/*
	 * Returns the next event, if there is one. This call also drives asynchronous work. Call it
	 * whenever poll returns nothing, and occasionally otherwise. The end of a queue pair is
	 * reported only after all its earlier completions were polled.
	 */
	bool (*next_event)(struct rdma_domain *domain, struct rdma_event *event_out);
	/* Returns a completed request, or NULL. */
	struct rdma_wr *(*poll)(struct rdma_domain *domain);
	/* Posts a request. Returns SUCCESS if the domain owns it now, AGAIN if the queue is full,
	 * or INVALID_VALUE if it can never be posted. */
	doca_error_t (*post)(struct rdma_qp *qp, struct rdma_wr *wr);
	doca_error_t (*post_recv)(struct rdma_domain *domain, struct rdma_wr *wr);
	/* Returns all posted receives through poll, with CONNECTION_RESET. */
	void (*flush_recvs)(struct rdma_domain *domain);

	/* Creates a queue pair. Errors are FULL, NO_MEMORY and OPERATING_SYSTEM, with an error
	 * sentence. */
	doca_error_t (*qp_new)(struct rdma_domain *domain, void *owner, struct rdma_qp **qp_out);
	/* Returns the parameters that the other end needs to connect. */
	doca_error_t (*qp_params)(struct rdma_qp *qp, uint8_t params_out[RDMA_PARAMS_MAX],
				  size_t *len_out);
	/*
	 * Connects, with parameters of a queue pair of the same provider. May complete later, with
	 * an event. For RC both ends must connect. An end is established once it can post; its
	 * requests wait until the other end is established too.
	 */
	doca_error_t (*qp_connect)(struct rdma_qp *qp, const uint8_t *details, size_t len);
	/*
	 * Disconnects. Posted requests are returned through poll, with CONNECTION_RESET. If the
	 * device must go on answering the other end for a while, nothing is returned yet and
	 * is_draining() is true.
	 */
	doca_error_t (*qp_disconnect)(struct rdma_qp *qp);
	/*
	 * Returns true while disconnected queue pairs, some perhaps freed, still answer the other
	 * end. Closing the domain now may turn requests that the other end has completed into
	 * failures there. Flushed receives are returned when no queue pair answers any more. This
	 * state is short; next_event() drives it. NULL if queue pairs never do this.
	 */
	bool (*is_draining)(struct rdma_domain *domain);
	/* Frees a queue pair whose requests have all been returned. Its events are not reported any
	 * more. */
	void (*qp_free)(struct rdma_qp *qp);

	/* Connections by address. NOT_SUPPORTED where limits.has_addresses is false. */
	doca_error_t (*listen)(struct rdma_domain *domain, uint16_t port_number);
	doca_error_t (*unlisten)(struct rdma_domain *domain, uint16_t port_number);
	/* Starts to connect; completes with ESTABLISHED or FAILED. */
	doca_error_t (*qp_connect_addr)(struct rdma_qp *qp, const struct rdma_endpoint *end);
	/* Accepts a queue pair after REQUESTED. The caller sets its owner, because the event had
	 * none. A rejected queue pair must be freed too. */
	doca_error_t (*qp_accept)(struct rdma_qp *qp, const void *private_data,
				  uint8_t private_len);
	doca_error_t (*qp_reject)(struct rdma_qp *qp);
	/* For a queue pair connected by address: returns the other end's address, with the port
	 * number of the listening end. Returns 0 or -ENOTCONN. */
	int (*qp_get_addr)(const struct rdma_qp *qp, struct rdma_endpoint *end_out);

	/*
	 * Connects by a librdmacm identifier whose events the application handles; requires
	 * limits.has_cm_ids. Either a peer has requested the connection and it is accepted next, or
	 * its route is resolved and the application connects it next. The identifier must exist
	 * until the queue pair is disconnected or freed. Returns INVALID_VALUE if the identifier is
	 * not of this device or has a queue pair.
	 */
	doca_error_t (*qp_prepare)(struct rdma_qp *qp, struct rdma_cm_id *id);
	/* Returns BAD_STATE if no peer has requested the connection. */
	doca_error_t (*qp_accept_prepared)(struct rdma_qp *qp, const void *private_data,
					   uint8_t private_len);
	/* Reports ESTABLISHED if both ends are connected. Returns INVALID_VALUE if they are not. */
	doca_error_t (*qp_established)(struct rdma_qp *qp);
};

static inline bool rdma_domain_is_draining(struct rdma_domain *domain)
{
	return domain->ops->is_draining != NULL && domain->ops->is_draining(domain);
}

/* For providers without librdmacm identifiers: these return NOT_SUPPORTED. */
doca_error_t rdma_provider_prepare_unsupported(struct rdma_qp *qp, struct rdma_cm_id *id);
doca_error_t rdma_provider_accept_unsupported(struct rdma_qp *qp, const void *private_data,
					      uint8_t private_len);
doca_error_t rdma_provider_established_unsupported(struct rdma_qp *qp);

/* All providers, terminated by NULL, best first. Defined in client/providers.c. */
extern const struct rdma_provider *const rdma_providers[];

#endif
