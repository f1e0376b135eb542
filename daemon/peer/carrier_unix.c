/* Packets and descriptors over a Unix socket; see carrier_unix.h. */
#include "daemon/peer/carrier_unix.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "proto/packet.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/util.h"

#define UNIX_BURST      64
#define UNIX_QUEUE_LEN  (64u << 20)
#define UNIX_STARVED_NS (20 * NS_PER_MS)

struct carrier_unix {
	struct carrier base;
	struct conn *conn;
	struct in_flight *in_flight; /* of conn */
	struct deferred_close *deferred_close;
	uid_t uid; /* the other daemon's */
	struct loop_source *io;
	struct loop_source *retry; /* retries sending while the system is short of resources */
};

static const struct carrier_unix *unix_of(const struct carrier *carrier)
{
	return container_of(carrier, const struct carrier_unix, base);
}

static void unix_update_io(struct carrier_unix *carrier)
{
	bool starved;

	if (carrier->base.stopped)
		return;
	starved = conn_is_starved(carrier->conn);
	/*
	 * Unlike a client, a peer is always read from: otherwise two daemons that wait to send
	 * would block each other for ever.
	 */
	loop_fd_set(carrier->io,
		    LOOP_READ | (conn_wants_write(carrier->conn) && !starved ? LOOP_WRITE : 0u));
	if (starved)
		loop_timer_set(carrier->retry, UNIX_STARVED_NS);
}

static void unix_read(struct carrier_unix *carrier)
{
	bool more = true;

	/* Requests and answers come one at a time, notices in bursts. */
	for (int i = 0; i < UNIX_BURST && more && !carrier->base.stopped; i++) {
		CLEANUP_FDSET struct fdset fds = FDSET_INIT;
		Dococore__Packet *packet;
		struct packet_arena arena;
		int r;

		packet_arena_init(&arena);
		r = conn_recv_in(carrier->conn, false, &arena, &packet, &fds);
		if (r == 0)
			return;
		if (r < 0) {
			carrier_break(&carrier->base, "%s", conn_error(carrier->conn));
			return;
		}
		more = packet->id == 0;
		carrier->base.owner->on_packet(carrier->base.user, packet, &fds);
		packet_free_in(&arena, packet);
	}
}

static void unix_flush(struct carrier_unix *carrier)
{
	if (conn_flush(carrier->conn) < 0)
		carrier_break(&carrier->base, "peer is gone");
	else if (!conn_wants_write(carrier->conn) && carrier->base.owner->on_writable)
		carrier->base.owner->on_writable(carrier->base.user);
}

static void unix_on_io(void *user, unsigned events)
{
	struct carrier_unix *carrier = user;

	if (events & LOOP_WRITE)
		unix_flush(carrier);
	if (events & LOOP_READ)
		unix_read(carrier);
	unix_update_io(carrier);
}

static void unix_on_retry(void *user)
{
	struct carrier_unix *carrier = user;

	unix_flush(carrier);
	unix_update_io(carrier);
}

static int unix_send(struct carrier *base, const Dococore__Packet *packet, const int *fds,
		     size_t n_fds)
{
	struct carrier_unix *carrier = container_of(base, struct carrier_unix, base);
	bool has_waited = conn_wants_write(carrier->conn);
	int r = conn_send(carrier->conn, packet, fds, n_fds);

	if (r == 0) {
		unix_update_io(carrier);
		/* Not called from here: the owner gets on_writable from the event loop. */
		if (has_waited && !conn_wants_write(carrier->conn))
			loop_timer_set(carrier->retry, 0);
	}
	return r;
}

static size_t unix_queue_len(const struct carrier *base)
{
	return conn_queue_len(unix_of(base)->conn);
}

static size_t unix_n_queued_fds(const struct carrier *base)
{
	return conn_n_queued_fds(unix_of(base)->conn);
}

static bool unix_has_ended(const struct carrier *base)
{
	struct pollfd p = {.fd = conn_fd(unix_of(base)->conn), .events = POLLRDHUP};

	return poll(&p, 1, 0) == 1;
}

static void unix_stop(struct carrier *base)
{
	struct carrier_unix *carrier = container_of(base, struct carrier_unix, base);

	loop_fd_set(carrier->io, 0);
	loop_timer_cancel(carrier->retry);
}

static void unix_free(struct carrier *base)
{
	struct carrier_unix *carrier = container_of(base, struct carrier_unix, base);

	loop_source_free(carrier->io);
	loop_source_free(carrier->retry);
	/*
	 * The other daemon must see the end even if another descriptor of the socket is still open.
	 */
	(void)shutdown(conn_fd(carrier->conn), SHUT_RDWR);
	in_flight_free(carrier->in_flight);
	deferred_close_add(carrier->deferred_close, DEFERRED_CLOSE_UNEXPECTED, carrier->uid,
			   conn_free_keep_fd(carrier->conn));
	free(carrier);
}

static const struct carrier_ops unix_ops = {
	.name = "unix",
	.passes_fds = true,
	.send = unix_send,
	.queue_len = unix_queue_len,
	.n_queued_fds = unix_n_queued_fds,
	.has_ended = unix_has_ended,
	.stop = unix_stop,
	.free = unix_free,
};

/*
 * Limits the descriptors in flight of the other daemon, so that it cannot use up those that clients
 * need.
 */
static int unix_guard(struct carrier_unix *carrier, struct in_flights *in_flights)
{
	struct conn_creds creds;
	int r = conn_get_creds(carrier->conn, &creds);

	if (r < 0)
		return r;
	carrier->uid = creds.uid;
	carrier->in_flight = in_flight_new(in_flights, IN_FLIGHT_PEER, creds.uid, carrier->conn);
	return carrier->in_flight ? 0 : -ENOMEM;
}

int carrier_unix_new(const struct carrier_unix_options *options, int fd,
		     struct carrier **carrier_out)
{
	struct carrier_unix *carrier = calloc(1, sizeof(*carrier));
	int r = -ENOMEM;

	if (carrier) {
		carrier->base = (struct carrier){.ops = &unix_ops,
						 .owner = options->owner,
						 .user = options->user,
						 .reached = true};
		carrier->deferred_close = options->deferred_close;
		carrier->conn = conn_new(fd, UNIX_QUEUE_LEN);
		r = carrier->conn ? 0 : -errno;
	}
	if (r < 0) {
		fd_close(&fd);
		free(carrier);
		return r;
	}
	carrier->io = loop_fd_new(options->loop, fd, LOOP_READ, unix_on_io, carrier);
	carrier->retry = loop_timer_new(options->loop, unix_on_retry, carrier);
	r = carrier->io && carrier->retry ? unix_guard(carrier, options->in_flights) : -ENOMEM;
	if (r < 0) {
		unix_free(&carrier->base);
		return r;
	}
	*carrier_out = &carrier->base;
	return 0;
}

int carrier_unix_get_creds(const struct carrier *carrier, struct conn_creds *creds_out)
{
	return conn_get_creds(unix_of(carrier)->conn, creds_out);
}
