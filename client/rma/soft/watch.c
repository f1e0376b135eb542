/* The descriptors that a domain sleeps on; see client/rma/soft/domain.h. */
#include <errno.h>
#include <sys/epoll.h>

#include "client/rma/soft/domain.h"

int soft_watch(struct soft_domain *domain, int fd, uint32_t events, struct soft_qp *qp)
{
	struct epoll_event event = {
		.events = events,
		.data.u64 = (uintptr_t)qp | (events & EPOLLET ? 0 : SOFT_EVENT_PIDFD),
	};

	return epoll_ctl(domain->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

void soft_unwatch(struct soft_domain *domain, int fd)
{
	if (fd >= 0)
		epoll_ctl(domain->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}
