/* See tests/integration/rdma/end.h. */
#include "tests/integration/rdma/end.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/device/dev.h"
#include "client/rma/soft/soft.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define AWAIT_MS 20000u

struct rdma_conf rdma_end_conf(void)
{
	return (struct rdma_conf){
		.send_queue = 64,
		.recv_queue = 64,
		.max_send_sges = RDMA_END_SGES,
		.max_recv_sges = RDMA_END_SGES,
		.max_qps = 16,
		.permissions = RDMA_END_ALL,
		.mtu = 1024,
		.rnr_retry = 7,
		.connect_timeout_ms = 20000,
	};
}

void rdma_end_open(struct rdma_side *end, const char *pci_addr, const struct rdma_conf *conf)
{
	struct epoll_event watch = {.events = EPOLLIN | EPOLLET};
	struct rdma_conf usual = rdma_end_conf();

	*end = (struct rdma_side){.ops = &rdma_soft, .dev = use_dev(pci_addr)};
	OK(end->ops->open(end->dev, conf == NULL ? &usual : conf, &end->domain));
	end->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ck_assert_int_ge(end->epoll_fd, 0);
	ck_assert_int_eq(
		epoll_ctl(end->epoll_fd, EPOLL_CTL_ADD, end->ops->get_fd(end->domain), &watch), 0);
}

void rdma_end_close(struct rdma_side *end)
{
	end->ops->close(end->domain);
	close(end->epoll_fd);
	use_dev_end(end->dev);
}

struct rdma_qp *rdma_end_qp(struct rdma_side *end, struct rdma_desc *desc_out)
{
	struct rdma_qp *qp;

	OK(end->ops->qp_new(end->domain, end, &qp));
	ck_assert_ptr_eq(qp->domain, end->domain);
	ck_assert_ptr_eq(qp->owner, end);
	OK(end->ops->qp_params(qp, desc_out->bytes, &desc_out->len));
	ck_assert_uint_le(desc_out->len, RDMA_PARAMS_MAX);
	return qp;
}

void rdma_end_connect(struct rdma_side *end, struct rdma_qp *qp, const struct rdma_desc *desc)
{
	struct rdma_event event;

	OK(end->ops->qp_connect(qp, desc->bytes, desc->len));
	event = rdma_end_event(end, NULL, RDMA_QP_ESTABLISHED);
	ck_assert_ptr_eq(event.qp, qp);
	ck_assert_int_eq(event.reason, DOCA_SUCCESS);
}

void rdma_end_join(struct rdma_side *a, struct rdma_qp **qa_out, struct rdma_side *b,
		   struct rdma_qp **qb_out)
{
	struct rdma_desc da, db;

	*qa_out = rdma_end_qp(a, &da);
	*qb_out = rdma_end_qp(b, &db);
	rdma_end_connect(a, *qa_out, &db);
	rdma_end_connect(b, *qb_out, &da);
}

bool rdma_end_progress(struct rdma_side *end)
{
	struct rdma_wr *wr = end->ops->poll(end->domain);

	if (wr != NULL) {
		ck_assert_uint_lt(end->n_done, RDMA_END_DONE);
		end->done[end->n_done++] = wr;
		return true;
	}
	/* A successful assertion is a system call all the same. */
	if (end->n_events == RDMA_END_DONE)
		ck_abort_msg("too many events");
	if (!end->ops->next_event(end->domain, &end->events[end->n_events]))
		return false;
	end->n_events++;
	return true;
}

void rdma_end_wait(struct rdma_side *end)
{
	struct epoll_event event;

	if (rdma_end_progress(end) || !end->is_asleep)
		return;
	if (!end->ops->arm(end->domain)) {
		ck_assert_int_eq(
			epoll_wait(end->epoll_fd, &event, 1, (int)runner_timeout_ms(AWAIT_MS)), 1);
		end->n_sleeps++;
	}
	end->ops->disarm(end->domain);
}

/* Progresses both ends once; fails after the deadline. */
static void progress_both(struct rdma_side *end, struct rdma_side *other, uint64_t deadline_ns)
{
	if (other != NULL) {
		rdma_end_progress(other);
		rdma_end_progress(end);
	} else {
		rdma_end_wait(end);
	}
	if (clock_now_ns() >= deadline_ns)
		ck_abort_msg("nothing came");
}

static uint64_t deadline_new(void)
{
	return clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
}

struct rdma_wr *rdma_end_next(struct rdma_side *end, struct rdma_side *other)
{
	uint64_t deadline_ns = deadline_new();
	struct rdma_wr *wr;

	while (end->n_done == 0)
		progress_both(end, other, deadline_ns);
	wr = end->done[0];
	memmove(end->done, end->done + 1, --end->n_done * sizeof(end->done[0]));
	return wr;
}

void rdma_end_await(struct rdma_side *end, struct rdma_side *other, struct rdma_wr *wr,
		    doca_error_t status)
{
	ck_assert_ptr_eq(rdma_end_next(end, other), wr);
	ck_assert_msg(wr->status == status, "op %d: %s instead of %s", (int)wr->op,
		      doca_error_get_name(wr->status), doca_error_get_name(status));
}

struct rdma_event rdma_end_event(struct rdma_side *end, struct rdma_side *other,
				 enum rdma_event_type type)
{
	uint64_t deadline_ns = deadline_new();
	struct rdma_event event;

	while (end->n_events == 0)
		progress_both(end, other, deadline_ns);
	event = end->events[0];
	memmove(end->events, end->events + 1, --end->n_events * sizeof(end->events[0]));
	ck_assert_int_eq(event.type, type);
	return event;
}

/* --- memory --- */

void rdma_mem_make(struct rdma_mem *mem, struct doca_dev *dev, size_t len, bool is_shared,
		   uint32_t permissions)
{
	const void *desc;
	void *bytes;

	*mem = (struct rdma_mem){.len = len, .is_shared = is_shared};
	if (is_shared) {
		OK(dococ_mem_alloc(len, &bytes, NULL));
	} else {
		ck_assert_int_eq(posix_memalign(&bytes, 4096, len), 0);
		memset(bytes, 0, len);
	}
	mem->bytes = bytes;
	mem->mmap = use_mmap(dev, mem->bytes, len, permissions);
	if (permissions & RDMA_END_ALL & ~(uint32_t)DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) {
		OK(doca_mmap_export_rdma(mem->mmap, dev, &desc, &mem->desc.len));
		ck_assert_uint_le(mem->desc.len, sizeof(mem->desc.bytes));
		memcpy(mem->desc.bytes, desc, mem->desc.len);
	}
}

void rdma_mem_free(struct rdma_mem *mem)
{
	use_mmap_end(mem->mmap);
	if (mem->is_shared)
		OK(dococ_mem_free(mem->bytes));
	else
		free(mem->bytes);
}

struct doca_mmap *rdma_mem_import(struct doca_dev *dev, const struct rdma_desc *desc)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create_from_export(NULL, desc->bytes, desc->len, dev, &mmap));
	return mmap;
}

/* --- requests --- */

void rdma_req_init(struct rdma_req *req, enum rdma_op op, const struct rdma_mem *mem, size_t at,
		   size_t len)
{
	*req = (struct rdma_req){.wr = {.op = op, .sges = req->sges}};
	if (mem != NULL)
		rdma_req_add(req, mem, at, len);
}

void rdma_req_add(struct rdma_req *req, const struct rdma_mem *mem, size_t at, size_t len)
{
	ck_assert_uint_lt(req->wr.n_sges, RDMA_END_SGES);
	ck_assert_uint_le(at + len, mem->len);
	req->sges[req->wr.n_sges++] =
		(struct rdma_sge){.addr = mem->bytes + at, .len = len, .mmap = mem->mmap};
}

void rdma_req_remote(struct rdma_req *req, const struct doca_mmap *mmap, uint64_t addr)
{
	req->wr.remote_mmap = mmap;
	req->wr.remote_addr = addr;
}

void rdma_req_post(struct rdma_qp *qp, struct rdma_req *req)
{
	OK(qp->domain->ops->post(qp, &req->wr));
}

void rdma_req_post_recv(struct rdma_side *end, struct rdma_req *req)
{
	OK(end->ops->post_recv(end->domain, &req->wr));
}
