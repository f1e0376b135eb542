/* Functions that all carriers share; see carrier.h. */
#include "daemon/peer/carrier.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int carrier_send(struct carrier *carrier, const Dococore__Packet *packet, const int *fds,
		 size_t n_fds)
{
	if (n_fds > 0 && !carrier->ops->passes_fds)
		return -EOPNOTSUPP;
	return carrier->ops->send(carrier, packet, fds, n_fds);
}

size_t carrier_queue_len(const struct carrier *carrier)
{
	return carrier->ops->queue_len(carrier);
}

size_t carrier_n_queued_fds(const struct carrier *carrier)
{
	return carrier->ops->passes_fds ? carrier->ops->n_queued_fds(carrier) : 0;
}

bool carrier_has_ended(const struct carrier *carrier)
{
	return carrier->ops->has_ended(carrier);
}

void carrier_stop(struct carrier *carrier)
{
	if (!carrier->stopped)
		carrier->ops->stop(carrier);
	carrier->stopped = true;
}

struct carrier *carrier_free(struct carrier *carrier)
{
	if (carrier)
		carrier->ops->free(carrier);
	return NULL;
}

void carrier_break(struct carrier *carrier, const char *fmt, ...)
{
	va_list ap;

	if (carrier->stopped)
		return;
	va_start(ap, fmt);
	vsnprintf(carrier->reason, sizeof(carrier->reason), fmt, ap);
	va_end(ap);
	carrier->owner->on_broken(carrier->user);
}
