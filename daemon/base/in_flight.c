/* Descriptors in flight, counted per user; see in_flight.h. */
#include "daemon/base/in_flight.h"

#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "daemon/base/deferred_close.h"
#include "daemon/base/journal.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/fdset.h"
#include "util/list.h"
#include "util/log.h"
#include "util/util.h"

/*
 * A user's limit is this fraction of RLIMIT_NOFILE, but at least two packets, and at most what can
 * be counted quickly.
 */
#define IN_FLIGHT_CLIENT_DIVISOR 16u
#define IN_FLIGHT_PEER_DIVISOR   8u
#define IN_FLIGHT_MIN            (2u * FDSET_MAX)
#define IN_FLIGHT_MAX            1024u
/*
 * This fraction of all descriptors in flight is kept for users that have none: each of
 * them can have one packet, however many descriptors other users leave unreceived.
 */
#define IN_FLIGHT_RESERVE_DIVISOR 4u
#define IN_FLIGHT_TOTAL_MAX       (16u * IN_FLIGHT_MAX)
/*
 * Minimum interval between two counts of all sockets of a user, so that retries cannot keep the
 * event loop busy.
 */
#define IN_FLIGHT_COUNT_NS (5 * NS_PER_MS)
/* The same for all sockets of all users. */
#define IN_FLIGHT_COUNT_ALL_NS (50 * NS_PER_MS)
/* Interval between two checks of sockets that are held only for their other end. */
#define IN_FLIGHT_CHECK_NS (500 * NS_PER_MS)
/*
 * Kernel memory of the smallest packet, and the maximum number of descriptors of an answer: used to
 * estimate what an earlier daemon instance has sent.
 */
#define IN_FLIGHT_PACKET_LEN 768
#define IN_FLIGHT_PACKET_FDS 4

struct in_flight_user {
	struct list link;    /* in_flights->users */
	struct list sockets; /* struct in_flight, link */
	enum in_flight_kind kind;
	uid_t uid;
	unsigned n;   /* sum over its sockets */
	bool is_full; /* a packet had to wait, and still does */
	uint64_t counted_at_ns;
};

struct in_flight {
	struct list link; /* user->sockets */
	struct in_flights *in_flights;
	struct in_flight_user *user;
	int fd;
	bool is_persisted; /* the connection has ended, and fd is a duplicate */
	unsigned n;        /* descriptors sent since the socket had nothing unread */
};

struct in_flights {
	struct deferred_close *deferred_close;
	struct loop_source *timer; /* active while n_lingering > 0 */
	struct list users;
	unsigned max[IN_FLIGHT_PEER + 1]; /* of one user */
	unsigned total_max, n;            /* of all users together */
	unsigned n_lingering;
	uint64_t counted_at_ns;
};

static int in_flight_unread_len(int fd)
{
	int n_bytes = 0;

	return ioctl(fd, SIOCOUTQ, &n_bytes) == 0 ? n_bytes : 0;
}

static void in_flight_user_unref(struct in_flight_user *user)
{
	if (!list_is_empty(&user->sockets))
		return;
	list_remove(&user->link);
	free(user);
}

static void in_flight_add(struct in_flight *in_flight, unsigned n)
{
	in_flight->n += n;
	in_flight->user->n += n;
	in_flight->in_flights->n += n;
}

static void in_flight_clear(struct in_flight *in_flight)
{
	in_flight->in_flights->n -= in_flight->n;
	in_flight->user->n -= in_flight->n;
	in_flight->n = 0;
}

static void in_flight_count(struct in_flight *in_flight)
{
	if (in_flight->n && in_flight_unread_len(in_flight->fd) == 0)
		in_flight_clear(in_flight);
}

static void in_flight_destroy(struct in_flight *in_flight)
{
	if (in_flight->is_persisted) {
		in_flight->in_flights->n_lingering--;
		/* The socket may contain descriptors from the other end, whose close may block. */
		deferred_close_add(in_flight->in_flights->deferred_close, DEFERRED_CLOSE_UNEXPECTED,
				   in_flight->user->uid, in_flight->fd);
	}
	in_flight_clear(in_flight);
	list_remove(&in_flight->link);
	free(in_flight);
}

static void in_flight_count_user(struct in_flight_user *user)
{
	struct in_flight *in_flight, *tmp;

	list_for_each_safe(in_flight, tmp, &user->sockets, link)
	{
		in_flight_count(in_flight);
		if (in_flight->is_persisted && !in_flight->n)
			in_flight_destroy(in_flight);
	}
}

static void in_flights_count(struct in_flights *in_flights)
{
	struct in_flight_user *user;

	list_for_each(user, &in_flights->users, link) in_flight_count_user(user);
}

static void in_flights_on_timer(void *arg)
{
	struct in_flights *in_flights = arg;
	struct in_flight_user *user, *tmp;

	in_flights_count(in_flights);
	list_for_each_safe(user, tmp, &in_flights->users, link) in_flight_user_unref(user);
	if (in_flights->n_lingering)
		loop_timer_set(in_flights->timer, IN_FLIGHT_CHECK_NS);
}

struct in_flights *in_flights_new(struct loop *loop, struct deferred_close *deferred_close,
				  uint64_t max_fds)
{
	static const unsigned divisors[] = {IN_FLIGHT_CLIENT_DIVISOR, IN_FLIGHT_PEER_DIVISOR};
	struct in_flights *in_flights = calloc(1, sizeof(*in_flights));

	if (!in_flights)
		return NULL;
	in_flights->deferred_close = deferred_close;
	list_init(&in_flights->users);
	for (size_t i = 0; i < ARRAY_LEN(divisors); i++)
		in_flights->max[i] = (unsigned)MAX(MIN(max_fds / divisors[i], IN_FLIGHT_MAX),
						   IN_FLIGHT_MIN);
	in_flights->total_max = (unsigned)MAX(MIN(max_fds, IN_FLIGHT_TOTAL_MAX), IN_FLIGHT_MIN);
	in_flights->timer = loop_timer_new(loop, in_flights_on_timer, in_flights);
	if (in_flights->timer)
		return in_flights;
	free(in_flights);
	return NULL;
}

struct in_flights *in_flights_free(struct in_flights *in_flights)
{
	struct in_flight_user *user, *next_user;
	struct in_flight *in_flight, *next;

	if (!in_flights)
		return NULL;
	list_for_each_safe(user, next_user, &in_flights->users, link)
	{
		list_for_each_safe(in_flight, next, &user->sockets, link)
			in_flight_destroy(in_flight);
		in_flight_user_unref(user);
	}
	loop_source_free(in_flights->timer);
	free(in_flights);
	return NULL;
}

unsigned in_flights_max(const struct in_flights *in_flights, enum in_flight_kind kind)
{
	return in_flights->max[kind];
}

unsigned in_flights_n_lingering(const struct in_flights *in_flights)
{
	return in_flights->n_lingering;
}

static void in_flight_log_full(const struct in_flights *in_flights, struct in_flight_user *user)
{
	struct journal_subject before;

	if (user->is_full)
		return;
	user->is_full = true;
	before = journal_enter(&(struct journal_subject){.has_uid = true, .uid = user->uid});
	log_warning("%u descriptors that the daemon sent to programs of this user, and %u in sum, "
		    "are not received: further answers to this user wait until they are",
		    user->n, in_flights->n);
	journal_leave(&before);
}

/* Returns how many descriptors may be added to those that a user has in flight. */
static unsigned in_flight_room(const struct in_flights *in_flights,
			       const struct in_flight_user *user)
{
	unsigned max = in_flights->max[user->kind], total_max = in_flights->total_max;

	if (user->n > 0)
		total_max -= total_max / IN_FLIGHT_RESERVE_DIVISOR;
	if (user->n >= max || in_flights->n >= total_max)
		return 0;
	return MIN(max - user->n, total_max - in_flights->n);
}

/* Returns false if the last one is too recent. */
static bool in_flight_may_count(uint64_t *counted_at_ns, uint64_t interval_ns)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns - *counted_at_ns < interval_ns)
		return false;
	*counted_at_ns = now_ns;
	return true;
}

static bool in_flight_may_send(void *arg, size_t n_fds)
{
	struct in_flight *in_flight = arg;
	struct in_flights *in_flights = in_flight->in_flights;
	struct in_flight_user *user = in_flight->user;

	/* Most receivers have received everything that was sent to them. */
	in_flight_count(in_flight);
	if (n_fds <= in_flight_room(in_flights, user))
		return true;
	if (!in_flight_may_count(&user->counted_at_ns, IN_FLIGHT_COUNT_NS))
		return false;
	in_flight_count_user(user);
	if (n_fds <= in_flight_room(in_flights, user))
		return true;
	if (in_flight_may_count(&in_flights->counted_at_ns, IN_FLIGHT_COUNT_ALL_NS))
		in_flights_count(in_flights);
	if (n_fds <= in_flight_room(in_flights, user))
		return true;
	in_flight_log_full(in_flights, user);
	return false;
}

static void in_flight_sent(void *arg, size_t n_fds)
{
	struct in_flight *in_flight = arg;

	in_flight->user->is_full = false;
	in_flight_add(in_flight, (unsigned)n_fds);
}

static struct in_flight_user *in_flight_user_find(struct in_flights *in_flights,
						  enum in_flight_kind kind, uid_t uid)
{
	struct in_flight_user *user;

	list_for_each(user, &in_flights->users, link)
	{
		if (user->kind == kind && user->uid == uid)
			return user;
	}
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->kind = kind;
	user->uid = uid;
	list_init(&user->sockets);
	list_append(&in_flights->users, &user->link);
	return user;
}

/*
 * Estimates the number of descriptors in flight that an earlier daemon instance sent through a
 * socket.
 */
static unsigned in_flight_estimate(int fd)
{
	int n_packets = (in_flight_unread_len(fd) + IN_FLIGHT_PACKET_LEN - 1) /
			IN_FLIGHT_PACKET_LEN;

	return (unsigned)n_packets * IN_FLIGHT_PACKET_FDS;
}

struct in_flight *in_flight_new(struct in_flights *in_flights, enum in_flight_kind kind, uid_t uid,
				struct conn *conn)
{
	struct in_flight_user *user = in_flight_user_find(in_flights, kind, uid);
	struct in_flight *in_flight = calloc(1, sizeof(*in_flight));

	if (!user || !in_flight) {
		free(in_flight);
		if (user)
			in_flight_user_unref(user);
		return NULL;
	}
	in_flight->in_flights = in_flights;
	in_flight->user = user;
	in_flight->fd = conn_fd(conn);
	/* The earlier instance kept the limits, too. */
	in_flight_add(in_flight,
		      MIN(in_flight_estimate(in_flight->fd), in_flight_room(in_flights, user)));
	list_append(&user->sockets, &in_flight->link);
	conn_set_gate(conn, &(struct conn_gate){.may_send = in_flight_may_send,
						.sent = in_flight_sent,
						.user = in_flight});
	return in_flight;
}

struct in_flight *in_flight_free(struct in_flight *in_flight)
{
	struct in_flight_user *user;
	int fd;

	if (!in_flight)
		return NULL;
	user = in_flight->user;
	in_flight_count(in_flight);
	fd = in_flight->n ? fd_dup(in_flight->fd) : -1;
	if (fd >= 0) {
		in_flight->fd = fd;
		in_flight->is_persisted = true;
		if (in_flight->in_flights->n_lingering++ == 0)
			loop_timer_set(in_flight->in_flights->timer, IN_FLIGHT_CHECK_NS);
		return NULL;
	}
	in_flight_destroy(in_flight);
	in_flight_user_unref(user);
	return NULL;
}
