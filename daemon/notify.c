/* sd_notify; see notify.h. */
#include "daemon/notify.h"

#include <stdarg.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "util/clock.h"

void notify_ready(void)
{
	sd_notify(0, "READY=1");
}

void notify_watchdog(void)
{
	sd_notify(0, "WATCHDOG=1");
}

void notify_stopping(void)
{
	sd_notify(0, "STOPPING=1");
}

void notify_reloading(void)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		   (unsigned long long)(clock_now_ns() / 1000));
}

void notify_status(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sd_notifyf(0, "STATUS=%s", text);
}
