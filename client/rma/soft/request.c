/*
 * Pending requests of soft queue pairs that are connected by address, sent after an event of the
 * daemon: first for the result of a call, then for the other end's memory. No thread blocks for the
 * replies, which are passed to addr.c. They are received by the domain's user when it polls, or by
 * another thread's call, which wakes a sleeping user. Threads: those of the domain. Any thread may
 * ring the waker.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "client/base/error.h"
#include "client/control/deferred.h"
#include "client/control/rpc.h"
#include "client/rma/soft/domain.h"
#include "util/fd.h"

/* Freed by a deferred call, after earlier ones that may still ring it. */
struct soft_wakeup {
	struct session_deferred notify, end;
	_Atomic bool is_notifying;
	int fd;
};

static void wakeup_ring(void *user)
{
	fd_eventfd_ring(((struct soft_wakeup *)user)->fd);
}

static void wakeup_run(struct session_deferred *deferred)
{
	struct soft_wakeup *wakeup = container_of(deferred, struct soft_wakeup, notify);

	/* Cleared first, so that another wake-up may be submitted from here on. */
	atomic_store(&wakeup->is_notifying, false);
	wakeup_ring(wakeup);
}

static void wakeup_end(struct session_deferred *deferred)
{
	struct soft_wakeup *wakeup = container_of(deferred, struct soft_wakeup, end);

	fd_close(&wakeup->fd);
	free(wakeup);
}

static doca_error_t requests_open(struct soft_domain *domain)
{
	struct soft_wakeup *wakeup = calloc(1, sizeof(*wakeup));
	int r = -ENOMEM;

	if (wakeup != NULL) {
		wakeup->notify.run_locked = wakeup_run;
		wakeup->end.run_locked = wakeup_end;
		wakeup->fd = r = fd_eventfd();
	}
	if (r >= 0)
		r = soft_watch(domain, wakeup->fd, EPOLLIN | EPOLLET, NULL);
	if (r < 0) {
		if (wakeup != NULL)
			fd_close(&wakeup->fd);
		free(wakeup);
		return error_set(error_from_errno(r),
				 "rdma: cannot watch for the daemon's replies (error %d)", -r);
	}
	domain->wakeup = wakeup;
	return DOCA_SUCCESS;
}

static void session_unwatch(struct soft_domain *domain)
{
	/* Removed explicitly, because the session has the same file: closing the duplicate would
	 * leave it in the set. */
	soft_unwatch(domain, domain->session_fd);
	fd_close(&domain->session_fd);
}

void soft_requests_close(struct soft_domain *domain)
{
	session_unwatch(domain);
	if (domain->wakeup == NULL)
		return;
	soft_unwatch(domain, domain->wakeup->fd);
	session_defer(&domain->wakeup->end);
	domain->wakeup = NULL;
}

/* Watches the session for a sleeping user. Without a descriptor, replies are received by another
 * thread's call or by the next poll. */
static void session_watch_locked(struct soft_domain *domain)
{
	if (domain->session_fd >= 0 && domain->session_n == session_n_connections_locked())
		return;
	session_unwatch(domain);
	if (session_fd_locked() >= 0)
		domain->session_fd = fcntl(session_fd_locked(), F_DUPFD_CLOEXEC, 0);
	domain->session_n = session_n_connections_locked();
	if (domain->session_fd >= 0 &&
	    soft_watch(domain, domain->session_fd, EPOLLIN | EPOLLET, NULL) < 0)
		fd_close(&domain->session_fd);
}

/* Submits a wake-up for when the session's lock, which another thread holds, is free. */
static void requests_notify(struct soft_domain *domain)
{
	if (!atomic_exchange(&domain->wakeup->is_notifying, true))
		session_defer(&domain->wakeup->notify);
}

/* Receives the replies. Returns false if another thread holds the session's lock; a wake-up follows
 * when it is free. */
static bool requests_read(struct soft_domain *domain)
{
	if (!session_try_lock()) {
		requests_notify(domain);
		return false;
	}
	rpc_receive_locked();
	session_watch_locked(domain);
	session_unlock();
	return true;
}

static doca_error_t request_begin(struct soft_qp *qp)
{
	struct soft_domain *domain = soft_qp_domain(qp);
	const struct rdma_waiter waiter = {.on_done = wakeup_ring, .user = domain->wakeup};
	struct export_descriptor copy = qp->other;
	doca_error_t result;

	if (qp->request == SOFT_REQUEST_CALL)
		return rendezvous_fetch_begin(&domain->rendezvous.base, qp->call_id, &waiter,
					      &qp->pending);
	if (!session_try_lock())
		return DOCA_ERROR_IN_PROGRESS;
	result = import_send_locked(domain->base.dev, &copy, waiter.on_done, waiter.user,
				    &qp->pending);
	session_unlock();
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
		if (result == DOCA_ERROR_IN_PROGRESS)
			requests_notify(soft_qp_domain(qp));
		if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
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

doca_error_t soft_qp_request(struct soft_qp *qp, enum soft_request request)
{
	struct soft_domain *domain = soft_qp_domain(qp);
	doca_error_t result = domain->wakeup == NULL ? requests_open(domain) : DOCA_SUCCESS;

	if (result != DOCA_SUCCESS)
		return result;
	if (qp->request == SOFT_REQUEST_NONE)
		domain->n_requesting++;
	qp->request = request;
	return DOCA_SUCCESS;
}

void soft_qp_cancel_request(struct soft_qp *qp)
{
	struct soft_domain *domain = soft_qp_domain(qp);

	if (qp->request == SOFT_REQUEST_NONE)
		return;
	qp->request = SOFT_REQUEST_NONE;
	qp->pending = rpc_cancel(qp->pending);
	explicit_bzero(&qp->other, sizeof(qp->other));
	if (--domain->n_requesting == 0)
		session_unwatch(domain);
}

void soft_requests_poll(struct soft_domain *domain, soft_answered_fn *answered)
{
	struct soft_qp *qp, *tmp;

	if (!requests_read(domain))
		return;
	list_for_each_safe(qp, tmp, &domain->qps, node)
	{
		if (qp->request != SOFT_REQUEST_NONE)
			request_advance(qp, answered);
	}
}

bool soft_requests_arm(struct soft_domain *domain)
{
	const struct soft_qp *qp;

	if (domain->n_requesting == 0 || !requests_read(domain))
		return false;
	list_for_each(qp, &domain->qps, node)
	{
		if (qp->request != SOFT_REQUEST_NONE &&
		    (qp->pending == NULL || rpc_is_done(qp->pending)))
			return true;
	}
	return false;
}
