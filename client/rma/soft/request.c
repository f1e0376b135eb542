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
#include "client/control/pending.h"
#include "client/rma/soft/domain.h"
#include "util/fd.h"

/* Freed by a deferred call, after earlier ones that may still ring it. */
struct soft_waker {
	struct session_deferred notify, end;
	_Atomic bool is_notifying;
	int fd;
};

static void waker_ring(void *user)
{
	fd_eventfd_ring(((struct soft_waker *)user)->fd);
}

static void waker_notify(struct session_deferred *deferred)
{
	struct soft_waker *waker = container_of(deferred, struct soft_waker, notify);

	/* Cleared first, so that another wake-up may be submitted from here on. */
	atomic_store(&waker->is_notifying, false);
	waker_ring(waker);
}

static void waker_end(struct session_deferred *deferred)
{
	struct soft_waker *waker = container_of(deferred, struct soft_waker, end);

	fd_close(&waker->fd);
	free(waker);
}

static doca_error_t asks_open(struct soft_domain *domain)
{
	struct soft_waker *waker = calloc(1, sizeof(*waker));
	int r = -ENOMEM;

	if (waker != NULL) {
		waker->notify.run_locked = waker_notify;
		waker->end.run_locked = waker_end;
		waker->fd = r = fd_eventfd();
	}
	if (r >= 0)
		r = soft_watch(domain, waker->fd, EPOLLIN | EPOLLET, NULL);
	if (r < 0) {
		if (waker != NULL)
			fd_close(&waker->fd);
		free(waker);
		return error_set(error_from_errno(r),
				 "rdma: no means to hear of the daemon's answers (error %d)", -r);
	}
	domain->waker = waker;
	return DOCA_SUCCESS;
}

static void session_unwatch(struct soft_domain *domain)
{
	/* Removed explicitly, because the session has the same file: closing the duplicate would
	 * leave it in the set. */
	soft_unwatch(domain, domain->session_fd);
	fd_close(&domain->session_fd);
}

void soft_asks_close(struct soft_domain *domain)
{
	session_unwatch(domain);
	if (domain->waker == NULL)
		return;
	soft_unwatch(domain, domain->waker->fd);
	session_defer(&domain->waker->end);
	domain->waker = NULL;
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
static void asks_notify(struct soft_domain *domain)
{
	if (!atomic_exchange(&domain->waker->is_notifying, true))
		session_defer(&domain->waker->notify);
}

/* Receives the replies. Returns false if another thread holds the session's lock; a wake-up follows
 * when it is free. */
static bool asks_read(struct soft_domain *domain)
{
	if (!session_try_lock()) {
		asks_notify(domain);
		return false;
	}
	session_drain_locked();
	session_watch_locked(domain);
	session_unlock();
	return true;
}

static doca_error_t ask_begin(struct soft_qp *qp)
{
	struct soft_domain *domain = soft_qp_domain(qp);
	const struct rdma_waiter waiter = {.on_done = waker_ring, .user = domain->waker};
	struct blob copy = qp->other;
	doca_error_t result;

	if (qp->ask == SOFT_ASK_CALL)
		return rendezvous_fetch_begin(&domain->rendezvous.base, qp->call_id, &waiter,
					      &qp->asked);
	if (!session_try_lock())
		return DOCA_ERROR_IN_PROGRESS;
	result = import_send_locked(domain->base.dev, &copy, waiter.on_done, waiter.user,
				    &qp->asked);
	session_unlock();
	explicit_bzero(&copy, sizeof(copy));
	return result;
}

/* Advances a request. May free the queue pair. */
static void ask_go_on(struct soft_qp *qp, soft_answered_fn *answered)
{
	CLEANUP_ANSWER struct session_answer answer = SESSION_ANSWER_INIT;
	doca_error_t result;

	if (qp->asked == NULL) {
		result = ask_begin(qp);
		if (result == DOCA_ERROR_IN_PROGRESS)
			asks_notify(soft_qp_domain(qp));
		if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
			return;
	} else if (session_pending_is_done(qp->asked)) {
		result = session_pending_collect(&qp->asked,
						 qp->ask == SOFT_ASK_CALL
							 ? DOCOCORE__PACKET__BODY_RDMA_CALL
							 : DOCOCORE__PACKET__BODY_IMPORT_REPLY,
						 &answer);
	} else {
		return;
	}
	answered(qp, result, &answer);
}

doca_error_t soft_qp_ask(struct soft_qp *qp, enum soft_ask ask)
{
	struct soft_domain *domain = soft_qp_domain(qp);
	doca_error_t result = domain->waker == NULL ? asks_open(domain) : DOCA_SUCCESS;

	if (result != DOCA_SUCCESS)
		return result;
	if (qp->ask == SOFT_ASK_NOTHING)
		domain->n_asking++;
	qp->ask = ask;
	return DOCA_SUCCESS;
}

void soft_qp_ask_no_more(struct soft_qp *qp)
{
	struct soft_domain *domain = soft_qp_domain(qp);

	if (qp->ask == SOFT_ASK_NOTHING)
		return;
	qp->ask = SOFT_ASK_NOTHING;
	qp->asked = session_pending_cancel(qp->asked);
	explicit_bzero(&qp->other, sizeof(qp->other));
	if (--domain->n_asking == 0)
		session_unwatch(domain);
}

void soft_asks_poll(struct soft_domain *domain, soft_answered_fn *answered)
{
	struct soft_qp *qp, *tmp;

	if (!asks_read(domain))
		return;
	list_for_each_safe(qp, tmp, &domain->qps, node)
	{
		if (qp->ask != SOFT_ASK_NOTHING)
			ask_go_on(qp, answered);
	}
}

bool soft_asks_arm(struct soft_domain *domain)
{
	const struct soft_qp *qp;

	if (domain->n_asking == 0 || !asks_read(domain))
		return false;
	list_for_each(qp, &domain->qps, node)
	{
		if (qp->ask != SOFT_ASK_NOTHING &&
		    (qp->asked == NULL || session_pending_is_done(qp->asked)))
			return true;
	}
	return false;
}
