/* Event loop based on libevent; see loop.h. */
#include "daemon/base/loop.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "daemon/base/loop_internal.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"

/*
 * The wait for events may fail, for example for lack of memory, and is then called again. The loop
 * ends with an error after LOOP_MAX_FAILURES failures in a row, each within LOOP_FAILURE_NS of the
 * previous one.
 */
#define LOOP_MAX_FAILURES 100u
#define LOOP_FAILURE_NS   NS_PER_SEC

enum source_kind { SOURCE_FD, SOURCE_TIMER, SOURCE_SIGNAL, SOURCE_DEFERRED };

struct loop_source {
	struct loop *loop;
	enum source_kind kind;
	bool is_set; /* a timer that is running */
	struct event *event;
	int fd; /* of a signal: its own */
	unsigned events;
	loop_fd_fn fd_fn;
	loop_fn fn;
	void *user;
};

/*
 * Passes libevent's own messages, for example about name servers that do not answer, to the
 * daemon's log.
 */
static void loop_log(int severity, const char *text)
{
	if (severity >= EVENT_LOG_ERR)
		log_error("%s", text);
	else if (severity == EVENT_LOG_WARN)
		log_warning("%s", text);
	else if (severity == EVENT_LOG_MSG)
		log_info("%s", text);
}

struct loop *loop_new(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	event_set_log_callback(loop_log);
	loop->base = event_base_new();
	if (!loop->base) {
		free(loop);
		errno = ENOMEM;
		return NULL;
	}
	return loop;
}

struct loop *loop_free(struct loop *loop)
{
	if (!loop)
		return NULL;
	/*
	 * Completes what was freed but is closed in a later iteration: TLS connections, name
	 * look-ups.
	 */
	event_base_loop(loop->base, EVLOOP_NONBLOCK);
	event_base_free(loop->base);
	free(loop);
	return NULL;
}

int loop_run(struct loop *loop)
{
	uint64_t failed_at_ns = 0, now_ns;
	unsigned n_failures = 0;

	while (event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY) < 0) {
		now_ns = clock_now_ns();
		n_failures = now_ns - failed_at_ns < LOOP_FAILURE_NS ? n_failures + 1 : 1;
		failed_at_ns = now_ns;
		if (n_failures == LOOP_MAX_FAILURES) {
			log_error("the event loop failed %u times in a row: stopping", n_failures);
			return -EIO;
		}
	}
	return 0;
}

int loop_run_once(struct loop *loop)
{
	return event_base_loop(loop->base, EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY) < 0 ? -EIO : 0;
}

void loop_stop(struct loop *loop)
{
	event_base_loopbreak(loop->base);
}

static bool signal_read(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info);
}

static void source_fired(evutil_socket_t fd, short what, void *user)
{
	struct loop_source *source = user;

	(void)fd;
	source->is_set = false;
	/* A signal that cannot be read now is reported again. */
	if (source->kind == SOURCE_SIGNAL && !signal_read(source->fd))
		return;
	if (source->kind == SOURCE_FD)
		source->fd_fn(source->user, (what & EV_READ ? LOOP_READ : 0u) |
						    (what & EV_WRITE ? LOOP_WRITE : 0u));
	else
		source->fn(source->user);
}

static struct loop_source *source_new(struct loop *loop, enum source_kind kind, int fd, short what,
				      void *user)
{
	struct loop_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->loop = loop;
	source->kind = kind;
	source->fd = fd;
	source->user = user;
	source->event = event_new(loop->base, fd, what, source_fired, source);
	if (!source->event) {
		free(source);
		errno = ENOMEM;
		return NULL;
	}
	return source;
}

struct loop_source *loop_fd_new(struct loop *loop, int fd, unsigned events, loop_fd_fn fn,
				void *user)
{
	struct loop_source *source = source_new(loop, SOURCE_FD, fd, EV_READ | EV_PERSIST, user);

	if (!source)
		return NULL;
	source->fd_fn = fn;
	if (loop_fd_set(source, events) < 0)
		return loop_source_free(source);
	return source;
}

int loop_fd_set(struct loop_source *source, unsigned events)
{
	short what = EV_PERSIST;

	if (source->events == events)
		return 0;
	if (source->events)
		event_del(source->event);
	source->events = 0;
	if (events & LOOP_READ)
		what |= EV_READ;
	if (events & LOOP_WRITE)
		what |= EV_WRITE;
	if (events & LOOP_EDGE)
		what |= EV_ET;
	if (events == 0)
		return 0;
	if (event_assign(source->event, source->loop->base, source->fd, what, source_fired,
			 source) < 0 ||
	    event_add(source->event, NULL) < 0) {
		errno = ENOMEM;
		return -ENOMEM;
	}
	source->events = events;
	return 0;
}

struct loop_source *loop_timer_new(struct loop *loop, loop_fn fn, void *user)
{
	struct loop_source *source = source_new(loop, SOURCE_TIMER, -1, 0, user);

	if (source)
		source->fn = fn;
	return source;
}

int loop_timer_set(struct loop_source *source, uint64_t delay_ns)
{
	struct timeval tv = {
		.tv_sec = (time_t)(delay_ns / NS_PER_SEC),
		.tv_usec = (suseconds_t)(delay_ns % NS_PER_SEC / 1000),
	};

	if (event_add(source->event, &tv) < 0)
		return -ENOMEM;
	source->is_set = true;
	return 0;
}

void loop_timer_cancel(struct loop_source *source)
{
	if (!source->is_set)
		return;
	event_del(source->event);
	source->is_set = false;
}

/*
 * Blocks the signal for good, so that it waits in the kernel until it is read. libevent's own
 * signals go through a socket pair: one that cannot be written there is lost, and one that cannot
 * be read ends the process.
 */
static int signal_open(int signo)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

struct loop_source *loop_signal_new(struct loop *loop, int signo, loop_fn fn, void *user)
{
	CLEANUP_FD int fd = signal_open(signo);
	struct loop_source *source = NULL;

	if (fd >= 0)
		source = source_new(loop, SOURCE_SIGNAL, fd, EV_READ | EV_PERSIST, user);
	if (!source)
		return NULL;
	source->fn = fn;
	fd_steal(&fd);
	if (event_add(source->event, NULL) < 0) {
		errno = ENOMEM;
		return loop_source_free(source);
	}
	return source;
}

struct loop_source *loop_deferred_new(struct loop *loop, loop_fn fn, void *user)
{
	struct loop_source *source = source_new(loop, SOURCE_DEFERRED, -1, 0, user);

	if (source)
		source->fn = fn;
	return source;
}

void loop_deferred_set(struct loop_source *source)
{
	event_active(source->event, EV_TIMEOUT, 1);
}

struct loop_source *loop_source_free(struct loop_source *source)
{
	if (!source)
		return NULL;
	/* event_free() does not preserve errno, and callers report the first error. */
	int saved = errno;

	event_free(source->event);
	if (source->kind == SOURCE_SIGNAL)
		fd_close(&source->fd);
	free(source);
	errno = saved;
	return NULL;
}
