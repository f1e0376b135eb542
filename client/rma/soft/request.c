/*
 * Pending requests of soft queue pairs that are connected by address, sent after an event of the
 * daemon: first for the result of a call, then for the other end's memory. No thread blocks for the
 * replies, which are passed to addr.c. They are received by the domain's user when it polls, or by
 * another thread's call, which wakes a sleeping user. Threads: those of the domain. Any thread may
 * ring the waker.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "client/base/error.h"
#include "client/control/rpc.h"
#include "client/rma/soft/domain.h"
#include "util/fd.h"
#include "util/secret.h"

static void wakeup_ring(void *user)
{
	struct soft_domain *domain = user;

	fd_eventfd_ring(domain->wake_fd);
}

static doca_error_t requests_open(struct soft_domain *domain)
{
	int r = fd_eventfd();

	domain->wake_fd = r;
	if (r >= 0)
		r = soft_watch(domain, domain->wake_fd, EPOLLIN | EPOLLET, NULL);
	if (r >= 0)
		return DOCA_SUCCESS;
	fd_close(&domain->wake_fd);
	return error_set(error_from_errno(r),
			 "rdma: cannot watch for the daemon's replies (error %d)", -r);
}

static void session_unwatch(struct soft_domain *domain)
{
	rpc_unwatch(&domain->session, RPC_WATCH_REPLIES, &domain->watches_replies);
}

void soft_requests_close(struct soft_domain *domain)
{
	session_unwatch(domain);
	if (domain->wake_fd < 0)
		return;
	soft_unwatch(domain, domain->wake_fd);
	fd_close(&domain->wake_fd);
}

static void requests_read(struct soft_domain *domain)
{
	rpc_lock();
	/* Watched first: what arrives later is an edge. If the connection cannot be watched,
	 * replies are received by another thread's call or by the next poll. */
	(void)rpc_watch_locked(&domain->session, RPC_WATCH_REPLIES, &domain->watches_replies);
	rpc_receive_locked();
	rpc_unlock();
}

static doca_error_t request_begin(struct soft_qp *qp)
{
	struct soft_domain *domain = soft_qp_domain(qp);
	const struct rdma_waiter waiter = soft_request_waiter(domain);
	struct export_descriptor copy;
	doca_error_t result;

	if (qp->request == SOFT_REQUEST_CALL)
		return rendezvous_fetch_begin(&domain->rendezvous.base, qp->call_id, &waiter,
					      &qp->pending);
	secret_copy(&copy, &qp->other, sizeof(copy));
	rpc_lock();
	result = import_send_locked(domain->base.dev, &copy, waiter.on_done, waiter.user,
				    &qp->pending);
	rpc_unlock();
	explicit_bzero(&copy, sizeof(copy));
	return result;
}

/* Advances a request. May free the queue pair. */
static void request_advance(struct soft_qp *qp, soft_answered_fn *answered)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result;

	if (qp->pending == NULL) {
		result = request_begin(qp);
		if (result == DOCA_SUCCESS)
			return;
	} else if (rpc_is_done(qp->pending)) {
		result = rpc_collect(&qp->pending,
				     qp->request == SOFT_REQUEST_CALL
					     ? DOCOCORE__PACKET__BODY_RDMA_CALL
					     : DOCOCORE__PACKET__BODY_IMPORT_REPLY,
				     &answer);
	} else {
		return;
	}
	answered(qp, result, &answer);
}

struct rdma_waiter soft_request_waiter(struct soft_domain *domain)
{
	return (struct rdma_waiter){.on_done = wakeup_ring, .user = domain};
}

doca_error_t soft_requests_begin(struct soft_domain *domain)
{
	doca_error_t result = domain->wake_fd < 0 ? requests_open(domain) : DOCA_SUCCESS;

	if (result == DOCA_SUCCESS)
		domain->n_requesting++;
	return result;
}

void soft_requests_end(struct soft_domain *domain)
{
	if (--domain->n_requesting == 0)
		session_unwatch(domain);
}

doca_error_t soft_qp_request(struct soft_qp *qp, enum soft_request request)
{
	doca_error_t result = qp->request == SOFT_REQUEST_NONE
				      ? soft_requests_begin(soft_qp_domain(qp))
				      : DOCA_SUCCESS;

	if (result == DOCA_SUCCESS)
		qp->request = request;
	return result;
}

void soft_qp_cancel_request(struct soft_qp *qp)
{
	if (qp->request == SOFT_REQUEST_NONE)
		return;
	qp->request = SOFT_REQUEST_NONE;
	qp->pending = rpc_cancel(qp->pending);
	explicit_bzero(&qp->other, sizeof(qp->other));
	soft_requests_end(soft_qp_domain(qp));
}

void soft_requests_poll(struct soft_domain *domain, soft_answered_fn *answered)
{
	struct soft_qp *qp, *tmp;

	requests_read(domain);
	list_for_each_safe(qp, tmp, &domain->qps, node)
	{
		if (qp->request != SOFT_REQUEST_NONE)
			request_advance(qp, answered);
	}
}

bool soft_requests_arm(struct soft_domain *domain)
{
	const struct soft_qp *qp;

	if (domain->n_requesting == 0)
		return false;
	requests_read(domain);
	list_for_each(qp, &domain->qps, node)
	{
		if (qp->request != SOFT_REQUEST_NONE &&
		    (qp->pending == NULL || rpc_is_done(qp->pending)))
			return true;
	}
	return false;
}
