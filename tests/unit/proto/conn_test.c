/* proto/conn: hostile packets lose their descriptors and nothing else; the queue is bounded. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/conn.h"
#include "tests/unit/unit.h"
#include "util/fd.h"

static struct conn *conn, *peer_conn;
static int raw = -1; /* the peer as a raw socket */
static size_t n_fds_before;

static void open_raw(void)
{
	int sv[2];

	n_fds_before = unit_n_fds();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
	raw = sv[1];
	conn = conn_new(sv[0], 1 << 16);
	ck_assert_ptr_nonnull(conn);
}

static void open_pair(void)
{
	open_raw();
	peer_conn = conn_new(fd_steal(&raw), 1 << 16);
	ck_assert_ptr_nonnull(peer_conn);
}

static void close_all(void)
{
	conn = conn_free(conn);
	peer_conn = conn_free(peer_conn);
	fd_close(&raw);
	ck_assert_uint_eq(unit_n_fds(), n_fds_before);
}

static int raw_send(const void *data, size_t len, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(64 * sizeof(int))];
	} control = {0};
	struct iovec iov = {.iov_base = (void *)data, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	CLEANUP_FD int fd = fd_eventfd();
	struct cmsghdr *cmsg;

	if (n_fds) {
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		for (size_t i = 0; i < n_fds; i++)
			memcpy(CMSG_DATA(cmsg) + i * sizeof(int), &fd, sizeof(fd));
	}
	return sendmsg(raw, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* The packet is refused as expected, with a reason, and leaves no descriptor behind. */
static void expect_refused(const void *data, size_t len, size_t n_fds, int expected)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet = NULL;
	size_t before = unit_n_fds();

	ck_assert_int_eq(raw_send(data, len, n_fds), 0);
	ck_assert_int_eq(conn_recv(conn, &packet, &fds), expected);
	ck_assert_ptr_null(packet);
	ck_assert_uint_eq(fds.n_fds, 0);
	ck_assert_str_ne(conn_error(conn), "");
	ck_assert_uint_eq(unit_n_fds(), before);
}

static size_t pack_hello(uint8_t *data, uint64_t id, const char *program)
{
	Dococore__Hello hello = DOCOCORE__HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
	packet.hello = &hello;
	hello.program = (char *)program;
	return dococore__packet__pack(&packet, data);
}

static int send_channel_reply(struct conn *from, uint64_t id)
{
	Dococore__ChannelReply reply = DOCOCORE__CHANNEL_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int fds[3] = {fd_eventfd(), fd_eventfd(), fd_eventfd()};
	int r;

	packet.id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_REPLY;
	packet.channel_reply = &reply;
	reply.ring_len = 65536;
	/* The i-th eventfd is signalled i times, which distinguishes the three. */
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < i; k++)
			fd_eventfd_ring(fds[i]);
	}
	r = conn_send(from, &packet, fds, 3);
	for (int i = 0; i < 3; i++)
		fd_close(&fds[i]);
	return r;
}

static void expect_channel_reply(struct conn *at, uint64_t id)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet = NULL;

	ck_assert_int_eq(conn_recv(at, &packet, &fds), 1);
	ck_assert_uint_eq(packet->id, id);
	ck_assert_int_eq(packet->body_case, DOCOCORE__PACKET__BODY_CHANNEL_REPLY);
	ck_assert_uint_eq(packet->channel_reply->ring_len, 65536);
	ck_assert_uint_eq(fds.n_fds, 3);
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t n = 0;

		ck_assert(fcntl(fds.fds[i], F_GETFD) & FD_CLOEXEC);
		if (i > 0)
			ck_assert_int_eq(read(fds.fds[i], &n, sizeof(n)), (ssize_t)sizeof(n));
		ck_assert_uint_eq(n, i);
	}
	dococore__packet__free_unpacked(packet, NULL);
}

START_TEST(round_trip)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet = NULL;

	ck_assert_int_eq(conn_recv(peer_conn, &packet, &fds), 0);
	ck_assert_int_eq(send_channel_reply(conn, 7), 0);
	ck_assert(!conn_wants_write(conn));
	expect_channel_reply(peer_conn, 7);
	ck_assert_int_eq(conn_recv(peer_conn, &packet, &fds), 0);
	conn = conn_free(conn);
	ck_assert_int_eq(conn_recv(peer_conn, &packet, &fds), -ECONNRESET);
	ck_assert_int_eq(send_channel_reply(peer_conn, 8), -EPIPE);
	ck_assert_ptr_null(conn_free(NULL));
}
END_TEST

START_TEST(garbage)
{
	static uint8_t data[FRAME_PACKET_MAX + 1000];
	size_t len;
	char longer[65];

	expect_refused("\xff", 1, 0, -EPROTO);
	expect_refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11, 2, -EPROTO);
	expect_refused("\x08\x01", 2, 1, -EPROTO);             /* an id and no body */
	expect_refused("\x08\x01\xc2\x3e\x00", 5, 0, -EPROTO); /* an unknown body */
	/* Field number 0, in a tag that is longer than necessary. */
	expect_refused("\x82\x01\x00\x82\x00\x01\xf2", 7, 0, -EPROTO);
	len = pack_hello(data, 1, "p");
	for (size_t cut = 1; cut < len; cut++) {
		/*
		 * A packet that is cut between two fields has no body; cut anywhere else it is
		 * invalid.
		 */
		expect_refused(data, cut, 0, -EPROTO);
	}
	memset(longer, 'x', 64);
	longer[64] = '\0';
	len = pack_hello(data, 1, longer);
	expect_refused(data, len, 0, -EPROTO);
	/* A packet of exactly the maximum is read, but invalid; one byte more is too long. */
	memset(data, 0, sizeof(data));
	expect_refused(data, FRAME_PACKET_MAX, 0, -EPROTO);
	ck_assert_str_eq(conn_error(conn), "packet is not a valid message");
	expect_refused(data, FRAME_PACKET_MAX + 1, 1, -EPROTO);
	ck_assert_str_eq(conn_error(conn), "packet is longer than 65536 bytes");
	expect_refused(data, sizeof(data), 0, -EPROTO);
	expect_refused("", 0, 0, -ECONNRESET);
	expect_refused("", 0, 3, -EPROTO);
}
END_TEST

START_TEST(wrong_descriptor_counts)
{
	uint8_t data[64];
	size_t len = pack_hello(data, 1, "p");

	for (size_t n = 1; n < 20; n++)
		expect_refused(data, len, n, -EPROTO);
	ck_assert_str_eq(conn_error(conn), "packet carries too many descriptors");
}
END_TEST

START_TEST(good_after_bad)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet = NULL;
	uint8_t data[64];
	size_t len = pack_hello(data, 5, "p");

	expect_refused(data, len, 1, -EPROTO);
	ck_assert_int_eq(raw_send(data, len, 0), 0);
	ck_assert_int_eq(conn_recv(conn, &packet, &fds), 1);
	ck_assert_uint_eq(packet->id, 5);
	ck_assert_str_eq(packet->hello->program, "p");
	dococore__packet__free_unpacked(packet, NULL);
}
END_TEST

/* 60 kB on the wire that would be 30 000 devices, several megabytes, in memory. */
START_TEST(list_bomb)
{
	static uint8_t data[FRAME_PACKET_MAX];
	size_t n = 0, body = 2 * 30000;

	data[n++] = 13 << 3 | 2; /* device_list_reply */
	for (size_t v = body; v; v >>= 7)
		data[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
	for (size_t i = 0; i < body; i += 2) {
		data[n++] = 1 << 3 | 2; /* devices, empty */
		data[n++] = 0;
	}
	expect_refused(data, n, 0, -EPROTO);
	ck_assert_str_eq(conn_error(conn), "packet is not a valid message");
}
END_TEST

START_TEST(no_descriptors_left)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet = NULL;
	struct rlimit limit;
	size_t before;

	ck_assert_int_eq(send_channel_reply(conn, 1), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	before = unit_n_fds();
	limit.rlim_cur = 3; /* open descriptors stay usable, but none can be opened */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(conn_recv(peer_conn, &packet, &fds), -EMFILE);
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(unit_n_fds(), before);
	/* The packet is lost, the next one is not. */
	ck_assert_int_eq(send_channel_reply(conn, 2), 0);
	expect_channel_reply(peer_conn, 2);
}
END_TEST

START_TEST(queue_is_bounded_and_keeps_order)
{
	uint64_t n_sent = 0, n_received = 0;
	size_t n_fds;
	int r;

	while ((r = send_channel_reply(conn, n_sent + 1)) == 0)
		ck_assert_uint_lt(++n_sent, 1000000);
	ck_assert_int_eq(r, -ENOBUFS);
	ck_assert(conn_wants_write(conn));
	ck_assert(!conn_is_starved(conn));
	n_fds = unit_n_fds();
	ck_assert_int_eq(send_channel_reply(conn, n_sent + 1), -ENOBUFS);
	ck_assert_uint_eq(unit_n_fds(), n_fds);
	/* Sent descriptors are duplicates; queued packets come after those in the socket. */
	while (n_received < n_sent) {
		expect_channel_reply(peer_conn, ++n_received);
		ck_assert_int_eq(conn_flush(conn), 0);
	}
	ck_assert(!conn_wants_write(conn));
	/* There is room again. */
	ck_assert_int_eq(send_channel_reply(conn, n_sent + 1), 0);
	expect_channel_reply(peer_conn, n_sent + 1);
}
END_TEST

START_TEST(queue_dies_with_its_owner)
{
	size_t before = unit_n_fds();
	uint64_t n_sent = 0;

	while (send_channel_reply(conn, 1) == 0)
		n_sent++;
	ck_assert_uint_gt(n_sent, 10);
	ck_assert_uint_gt(unit_n_fds(), before);
	/*
	 * Neither flushed nor received: the descriptors of both must be closed. The teardown checks
	 * that.
	 */
	peer_conn = conn_free(peer_conn);
	ck_assert_int_eq(conn_flush(conn), -EPIPE);
}
END_TEST

/*
 * The kernel refuses unprivileged users more than RLIMIT_NOFILE descriptors in flight: packets must
 * wait.
 */
START_TEST(too_many_in_flight)
{
	struct rlimit limit;
	uint64_t n_sent = 0;
	bool starved = false;

	if (getuid() == 0) {
		/* The limit is per user: uses an unprivileged uid that no other process has. */
		ck_assert_int_eq(setresuid(61234, 61234, 61234), 0);
	}
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 60;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while (!starved && n_sent < 1000) {
		ck_assert_int_eq(send_channel_reply(conn, n_sent + 1), 0);
		n_sent++;
		starved = conn_is_starved(conn);
	}
	ck_assert(starved);
	ck_assert(conn_wants_write(conn));
	for (uint64_t i = 1; i <= n_sent; i++) {
		expect_channel_reply(peer_conn, i);
		ck_assert_int_eq(conn_flush(conn), 0);
	}
	ck_assert(!conn_is_starved(conn));
	ck_assert(!conn_wants_write(conn));
}
END_TEST

START_TEST(send_checks_its_own_side)
{
	static char text[FRAME_PACKET_MAX + 1];
	Dococore__Error error = DOCOCORE__ERROR__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	CLEANUP_FD int event = fd_eventfd();
	Dococore__Packet *got = NULL;

	packet.id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
	packet.error = &error;
	memset(text, 'x', FRAME_PACKET_MAX);
	error.text = text;
	ck_assert_int_eq(conn_send(conn, &packet, NULL, 0), -EMSGSIZE);
	text[400] = '\0';
	ck_assert_int_eq(conn_send(conn, &packet, &event, 1), -EINVAL);
	ck_assert_int_eq(conn_send(conn, &packet, NULL, 0), 0);
	ck_assert_int_eq(conn_recv(peer_conn, &got, &fds), 1);
	ck_assert_uint_eq(strlen(got->error->text), 400);
	dococore__packet__free_unpacked(got, NULL);
}
END_TEST

START_TEST(peer_identity)
{
	struct conn_creds creds;
	CLEANUP_FD int pidfd = conn_get_pidfd(conn);

	ck_assert_int_eq(conn_get_creds(conn, &creds), 0);
	ck_assert_int_eq(creds.pid, getpid());
	ck_assert_uint_eq(creds.uid, getuid());
	ck_assert_uint_eq(creds.gid, getgid());
	ck_assert_int_ge(pidfd, 0);
	ck_assert(fcntl(pidfd, F_GETFD) & FD_CLOEXEC);
	ck_assert(!fd_pidfd_exited(pidfd));
	errno = 0;
	ck_assert_ptr_null(conn_new(-1, 1));
	ck_assert_int_eq(errno, EBADF);
}
END_TEST

START_TEST(truncated_messages_by_bytes)
{
	uint8_t data[256];
	uint64_t seed = 42;
	size_t len = pack_hello(data, 300, "program");

	/* With any byte changed, the result is a refusal or a packet, never a crash or a leak. */
	for (int i = 0; i < 20000; i++) {
		CLEANUP_FDSET struct fdset fds = FDSET_INIT;
		Dococore__Packet *packet = NULL;
		uint8_t bad[256];
		int r;

		memcpy(bad, data, len);
		bad[unit_random(&seed) % len] = (uint8_t)unit_random(&seed);
		bad[unit_random(&seed) % len] = (uint8_t)unit_random(&seed);
		ck_assert_int_eq(raw_send(bad, len, 0), 0);
		r = conn_recv(conn, &packet, &fds);
		ck_assert(r == 1 || r == -EPROTO);
		ck_assert((r == 1) == (packet != NULL));
		if (packet)
			dococore__packet__free_unpacked(packet, NULL);
	}
}
END_TEST

static unsigned n_unexpected;

static void on_unexpected_fd(void *user, int fd)
{
	ck_assert_ptr_eq(user, &n_unexpected);
	ck_assert_int_ge(fd, 0);
	close(fd);
	n_unexpected++;
}

/* The second of three descriptors is a pipe: its place is empty, and it is not closed here. */
static void send_with_extra_fd(uint64_t id)
{
	Dococore__ChannelReply reply = DOCOCORE__CHANNEL_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int ends[2], fds[3];

	ck_assert_int_eq(pipe(ends), 0);
	fds[0] = memfd_create("memory", MFD_CLOEXEC);
	fds[1] = ends[0];
	fds[2] = fd_pidfd_open(getpid());
	ck_assert(fds[0] >= 0 && fds[2] >= 0);
	packet.id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_REPLY;
	packet.channel_reply = &reply;
	ck_assert_int_eq(conn_send(peer_conn, &packet, fds, 3), 0);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	close(ends[1]);
}

START_TEST(extra_fds_are_transferred)
{
	conn_set_unexpected_fd_fn(conn, on_unexpected_fd, &n_unexpected);
	for (int round = 0; round < 2; round++) {
		CLEANUP_FDSET struct fdset fds = FDSET_INIT;
		Dococore__Packet *packet = NULL;

		n_unexpected = 0;
		send_with_extra_fd(7);
		ck_assert_int_eq(conn_recv_in(conn, round == 1, NULL, &packet, &fds), 1);
		dococore__packet__free_unpacked(packet, NULL);
		ck_assert_uint_eq(n_unexpected, 1);
		ck_assert_uint_eq(fds.n_fds, 3);
		ck_assert(fds.fds[0] >= 0 && fds.fds[2] >= 0);
		ck_assert_int_eq(fds.fds[1], -1);
		if (round == 1)
			ck_assert(conn_consume(conn));
		/* The packet's own descriptor. */
		ck_assert_uint_eq(n_unexpected, 1 + (unsigned)round);
	}
}
END_TEST

static unsigned n_closed;

static bool on_close(int fd)
{
	close(fd);
	n_closed++;
	return true;
}

/*
 * Memory is not left to the kernel to close, which would close it at once (see fd_set_close_fn()).
 */
START_TEST(peeked_memory_is_received_again)
{
	Dococore__ChannelReply reply = DOCOCORE__CHANNEL_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT, *got = NULL;
	int sent[3] = {memfd_create("memory", MFD_CLOEXEC), fd_eventfd(), fd_eventfd()};
	struct fdset fds = FDSET_INIT;

	conn_set_unexpected_fd_fn(conn, on_unexpected_fd, &n_unexpected);
	packet.id = 7;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_REPLY;
	packet.channel_reply = &reply;
	ck_assert_int_eq(conn_send(peer_conn, &packet, sent, 3), 0);
	for (size_t i = 0; i < ARRAY_LEN(sent); i++)
		close(sent[i]);
	ck_assert_int_eq(conn_recv_in(conn, true, NULL, &got, &fds), 1);
	dococore__packet__free_unpacked(got, NULL);
	fd_set_close_fn(on_close);
	ck_assert(conn_consume(conn));
	ck_assert(!conn_consume(conn));
	ck_assert_uint_eq(n_closed, 1);
	fdset_deinit(&fds);
	ck_assert_uint_eq(n_closed, 2);
	fd_set_close_fn(NULL);
}
END_TEST

static int send_memory(void)
{
	Dococore__ChannelReply reply = DOCOCORE__CHANNEL_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int memfd = memfd_create("memory", MFD_CLOEXEC), r;

	packet.id = 7;
	packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_REPLY;
	packet.channel_reply = &reply;
	r = conn_send(conn, &packet, (int[]){memfd, memfd, memfd}, 3);
	close(memfd);
	return r;
}

static void receive_one(void)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet = NULL;

	ck_assert_int_eq(conn_recv(peer_conn, &packet, &fds), 1);
	dococore__packet__free_unpacked(packet, NULL);
}

/* The last descriptor of memory may be the one of a packet that waited in the send queue. */
START_TEST(queued_memory_is_passed_on)
{
	size_t n_queued_fds;

	while (conn_n_queued_fds(conn) < 100)
		ck_assert_int_eq(send_memory(), 0);
	n_queued_fds = conn_n_queued_fds(conn);
	receive_one();
	n_closed = 0;
	fd_set_close_fn(on_close);
	ck_assert_int_eq(conn_flush(conn), 0);
	ck_assert_uint_lt(conn_n_queued_fds(conn), n_queued_fds);
	ck_assert_uint_eq(n_closed, n_queued_fds - conn_n_queued_fds(conn));
	conn = conn_free(conn);
	ck_assert_uint_eq(n_closed, n_queued_fds);
	fd_set_close_fn(NULL);
}
END_TEST

/* Unread descriptors are handled the same way, also behind an apparent end of the stream. */
START_TEST(extra_fds_are_transferred_unread)
{
	conn_set_unexpected_fd_fn(conn, on_unexpected_fd, &n_unexpected);
	n_unexpected = 0;
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(send(conn_fd(peer_conn), "", 0, 0), 0);
		send_with_extra_fd(8);
	}
	ck_assert(conn_shut_down(conn));
	ck_assert_uint_eq(n_unexpected, 3);
	ck_assert_int_eq(send(conn_fd(peer_conn), "x", 1, MSG_NOSIGNAL), -1);
	ck_assert(conn_shut_down(conn));
	ck_assert_uint_eq(n_unexpected, 3);
}
END_TEST

/* If they must not be received, they stay in the socket, whatever precedes them. */
START_TEST(extra_fds_stay)
{
	conn_set_unexpected_fd_fn(conn, on_unexpected_fd, &n_unexpected);
	n_unexpected = 0;
	ck_assert_int_eq(send(conn_fd(peer_conn), "x", 1, 0), 1);
	ck_assert_int_eq(send(conn_fd(peer_conn), "", 0, 0), 0);
	send_with_extra_fd(9);
	ck_assert(!conn_shut_down_without_fds(conn));
	ck_assert(!conn_shut_down_without_fds(conn));
	ck_assert_uint_eq(n_unexpected, 0);
	ck_assert_int_eq(send(conn_fd(peer_conn), "x", 1, MSG_NOSIGNAL), -1);
	ck_assert(conn_shut_down(conn));
	ck_assert_uint_eq(n_unexpected, 1);
	ck_assert(conn_shut_down_without_fds(conn));
}
END_TEST

/* Without descriptors, everything is received. */
START_TEST(nothing_is_left)
{
	conn_set_unexpected_fd_fn(conn, on_unexpected_fd, &n_unexpected);
	for (int i = 0; i < 30; i++) {
		ck_assert_int_eq(send(conn_fd(peer_conn), "xyz", 3, 0), 3);
		ck_assert_int_eq(send(conn_fd(peer_conn), "", 0, 0), 0);
	}
	ck_assert(conn_shut_down_without_fds(conn));
	ck_assert_int_eq(recv(conn_fd(conn), &(char){0}, 1, MSG_DONTWAIT), 0);
}
END_TEST

START_TEST(unread_without_end)
{
	int size = 1 << 20;

	conn_set_unexpected_fd_fn(conn, on_unexpected_fd, &n_unexpected);
	setsockopt(conn_fd(peer_conn), SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(send(conn_fd(peer_conn), "", 0, 0), 0);
	ck_assert(!conn_shut_down(conn));
	ck_assert(conn_shut_down(conn));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("conn");
	TCase *tcase = unit_case(suite, "hostile peer", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, open_raw, close_all);
	tcase_add_test(tcase, garbage);
	tcase_add_test(tcase, wrong_descriptor_counts);
	tcase_add_test(tcase, good_after_bad);
	tcase_add_test(tcase, list_bomb);
	tcase_add_test(tcase, truncated_messages_by_bytes);
	tcase = unit_case(suite, "two ends", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, open_pair, close_all);
	tcase_add_test(tcase, round_trip);
	tcase_add_test(tcase, no_descriptors_left);
	tcase_add_test(tcase, queue_is_bounded_and_keeps_order);
	tcase_add_test(tcase, queue_dies_with_its_owner);
	tcase_add_test(tcase, too_many_in_flight);
	tcase_add_test(tcase, send_checks_its_own_side);
	tcase_add_test(tcase, peer_identity);
	tcase_add_test(tcase, extra_fds_are_transferred);
	tcase_add_test(tcase, peeked_memory_is_received_again);
	tcase_add_test(tcase, queued_memory_is_passed_on);
	tcase_add_test(tcase, extra_fds_are_transferred_unread);
	tcase_add_test(tcase, extra_fds_stay);
	tcase_add_test(tcase, nothing_is_left);
	tcase_add_test(tcase, unread_without_end);
	return unit_run(suite);
}
