/* The service manager's watchdog; see watchdog.h. */
#include "daemon/base/watchdog.h"

#include <errno.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include "daemon/base/notify.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

struct watchdog {
	uint64_t period_ns;
	int doorbell;
	struct loop_source *timer;
	struct loop_source *io;
};

static void watchdog_on_timer(void *user)
{
	struct watchdog *watchdog = user;

	fd_eventfd_ring(watchdog->doorbell);
}

static void watchdog_on_doorbell(void *user, unsigned events)
{
	struct watchdog *watchdog = user;

	(void)events;
	if (!fd_eventfd_clear(watchdog->doorbell))
		return;
	notify_watchdog();
	loop_timer_set(watchdog->timer, watchdog->period_ns);
}

int watchdog_new(struct loop *loop, struct watchdog **watchdog_out)
{
	struct watchdog *watchdog;
	uint64_t limit_us = 0;

	*watchdog_out = NULL;
	if (sd_watchdog_enabled(1, &limit_us) <= 0)
		return 0;
	watchdog = calloc(1, sizeof(*watchdog));
	if (!watchdog)
		return -ENOMEM;
	/* Three keep-alives per period, so that one late iteration does not count as a hang. */
	watchdog->period_ns = MAX(limit_us * 1000 / 3, NS_PER_MS);
	watchdog->doorbell = fd_eventfd();
	watchdog->timer = loop_timer_new(loop, watchdog_on_timer, watchdog);
	if (watchdog->doorbell >= 0)
		watchdog->io = loop_fd_new(loop, watchdog->doorbell, LOOP_READ,
					   watchdog_on_doorbell, watchdog);
	if (!watchdog->timer || !watchdog->io ||
	    loop_timer_set(watchdog->timer, watchdog->period_ns) < 0) {
		log_error("the watchdog cannot be served: no memory or no descriptors");
		watchdog_free(watchdog);
		return -ENOMEM;
	}
	*watchdog_out = watchdog;
	return 0;
}

struct watchdog *watchdog_free(struct watchdog *watchdog)
{
	if (!watchdog)
		return NULL;
	loop_source_free(watchdog->io);
	loop_source_free(watchdog->timer);
	fd_close(&watchdog->doorbell);
	free(watchdog);
	return NULL;
}
