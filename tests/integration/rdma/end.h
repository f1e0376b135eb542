/*
 * One end of connections over an RDMA provider (client/rma/provider.h), without the engine above
 * it: a port on a device, memory, requests. The user polls or sleeps in its own epoll set. Every
 * function fails the running test if a step fails. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_RDMA_END_H
#define TESTS_INTEGRATION_RDMA_END_H

#include "client/rma/provider.h"
#include "tests/lib/lab.h"
#include "tests/lib/use.h"

#define RDMA_END_ALL                                                      \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)
#define RDMA_END_SGES 4u
#define RDMA_END_DONE 512u

/* Data that the ends exchange by other means. */
struct rdma_desc {
	size_t len;
	uint8_t bytes[256];
};

struct rdma_side {
	const struct rdma_provider *ops;
	struct doca_dev *dev;
	struct rdma_domain *domain;
	int epoll_fd;   /* the user's own */
	bool is_asleep; /* waits in epoll */
	/* Completions and events that were not asked for yet. */
	struct rdma_wr *done[RDMA_END_DONE];
	struct rdma_event events[RDMA_END_DONE];
	size_t n_done, n_events;
	uint64_t n_sleeps;
};

/* A request with room for its list. */
struct rdma_req {
	struct rdma_wr wr;
	struct rdma_sge sges[RDMA_END_SGES];
};

/* Memory of this process, and its descriptor for other processes. */
struct rdma_mem {
	uint8_t *bytes;
	size_t len;
	bool is_shared;
	struct doca_mmap *mmap;
	struct rdma_desc desc;
};

/*
 * Returns the usual configuration: 64 requests in each direction, all rights, senders wait for
 * receives for ever.
 */
struct rdma_conf rdma_end_conf(void);
/* Opens the provider soft on the first device with the PCI address. conf NULL: rdma_end_conf(). */
void rdma_end_open(struct rdma_side *end, const char *pci_addr, const struct rdma_conf *conf);
void rdma_end_close(struct rdma_side *end);
struct rdma_qp *rdma_end_qp(struct rdma_side *end, struct rdma_desc *desc_out);
/* Connects and waits for the event. */
void rdma_end_connect(struct rdma_side *end, struct rdma_qp *qp, const struct rdma_desc *desc);
/* Connects two ends of this process. */
void rdma_end_join(struct rdma_side *a, struct rdma_qp **qa_out, struct rdma_side *b,
		   struct rdma_qp **qb_out);

/* Polls everything that is there. Returns false if there was nothing. */
bool rdma_end_progress(struct rdma_side *end);
/* Polls once, or sleeps until there may be something. */
void rdma_end_wait(struct rdma_side *end);
/*
 * Returns the next completed request. `other`, if not NULL, is an end of this process that is
 * polled as well.
 */
struct rdma_wr *rdma_end_next(struct rdma_side *end, struct rdma_side *other);
/* Waits for this request, before which no other may complete. */
void rdma_end_await(struct rdma_side *end, struct rdma_side *other, struct rdma_wr *wr,
		    doca_error_t status);
struct rdma_event rdma_end_event(struct rdma_side *end, struct rdma_side *other,
				 enum rdma_event_type type);

/*
 * Allocates memory, in a memfd if is_shared, otherwise private; exported with the permissions if
 * these contain RDMA rights.
 */
void rdma_mem_make(struct rdma_mem *mem, struct doca_dev *dev, size_t len, bool is_shared,
		   uint32_t permissions);
void rdma_mem_free(struct rdma_mem *mem);
/* Imports another process's memory. */
struct doca_mmap *rdma_mem_import(struct doca_dev *dev, const struct rdma_desc *desc);

/* Initialises a request with one piece of memory. */
void rdma_req_init(struct rdma_req *req, enum rdma_op op, const struct rdma_mem *mem, size_t at,
		   size_t len);
void rdma_req_add(struct rdma_req *req, const struct rdma_mem *mem, size_t at, size_t len);
void rdma_req_remote(struct rdma_req *req, const struct doca_mmap *mmap, uint64_t addr);
void rdma_req_post(struct rdma_qp *qp, struct rdma_req *req);
void rdma_req_post_recv(struct rdma_side *end, struct rdma_req *req);

#endif
