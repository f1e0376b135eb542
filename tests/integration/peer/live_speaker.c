/* Speaks the protocol with a daemon; see live_speaker.h. */
#include "tests/integration/peer/live_speaker.h"

#include <dirent.h>
#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/lib/runner.h"
#include "util/clock.h"
#include "util/fd.h"

#define DEADLINE_MS 10000

uint64_t live_deadline_ns(void)
{
	return runner_timeout_ms(DEADLINE_MS) * NS_PER_MS;
}

void speaker_init(struct speaker *speaker, const char *name, enum speaker_kind kind,
		  enum lab_side side, uint64_t seed)
{
	memset(speaker, 0, sizeof(*speaker));
	speaker->name = name;
	speaker->kind = kind;
	speaker->side = side;
	speaker->fd = -1;
	speaker->maker.random = speaker->lasting.random = seed * 2654435761u + 88172645463325252ull;
}

uint64_t speaker_new_id(struct speaker *speaker)
{
	return ++speaker->last_id;
}

/* --- report of a missed deadline --- */

static void print_file(const char *what, const char *path)
{
	char text[2000];
	FILE *file = fopen(path, "re");
	size_t n;

	if (file == NULL)
		return;
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	printf("%s: %s\n", what, text);
}

/* Prints where each thread of the daemon is, as far as the kernel reports it. */
static void print_threads(pid_t pid)
{
	char path[300];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		for (size_t i = 0; i < 4; i++) {
			static const char *const names[] = {"stat", "wchan", "syscall", "stack"};

			snprintf(path, sizeof(path), "/proc/%d/task/%.20s/%s", (int)pid,
				 entry->d_name, names[i]);
			print_file(path, path);
		}
	}
	if (dir != NULL)
		closedir(dir);
}

static void print_packet(const struct live_packet *packet)
{
	printf("the packet has %zu bytes and %zu descriptors:", packet->len, packet->n_fds);
	for (size_t i = 0; i < MIN(packet->len, (size_t)256); i++)
		printf(" %02x", packet->data[i]);
	printf("\n");
}

static void report_timeout(const struct speaker *speaker, const char *what)
{
	printf("%s: %s within %llu s\n", speaker->name, what,
	       (unsigned long long)(live_deadline_ns() / NS_PER_SEC));
	print_packet(&speaker->last);
	for (size_t i = 0; i < LIVE_ASKED; i++)
		if (speaker->asked[i].id != 0)
			printf("request %llu, a %s, has no answer\n",
			       (unsigned long long)speaker->asked[i].id,
			       frame_body_field(speaker->asked[i].body_case)->name);
	for (int i = 0; i < LAB_N_SIDES; i++)
		print_threads(speaker->lab->daemons[i].pid);
	fflush(stdout);
	ck_abort_msg("%s: %s", speaker->name, what);
}

/* --- requests and answers --- */

static void record_request(struct speaker *speaker, const struct live_packet *packet)
{
	Dococore__Packet *m = dococore__packet__unpack(NULL, packet->len, packet->data);
	struct live_asked *at;

	if (m == NULL)
		return;
	at = &speaker->asked[m->id % LIVE_ASKED];
	/* Ids that a broken packet invented may collide: the first one is awaited. */
	if (m->id != 0 && at->id == 0 && frame_fields_valid(m))
		*at = (struct live_asked){m->id, m->body_case, clock_now_ns()};
	dococore__packet__free_unpacked(m, NULL);
}

unsigned speaker_check_asked(struct speaker *speaker)
{
	uint64_t now = clock_now_ns();
	unsigned n = 0;

	for (size_t i = 0; i < LIVE_ASKED; i++) {
		const struct live_asked *at = &speaker->asked[i];

		n += at->id != 0;
		if (at->id != 0 && now - at->sent_ns > live_deadline_ns())
			report_timeout(speaker, "a request was not answered");
	}
	return n;
}

/* Shares exports with all speakers, and a daemon's lists with its later connections. */
static void share_ids(struct speaker *speaker, const Dococore__Packet *m)
{
	for (size_t i = 0; i < speaker->n_all; i++) {
		struct speaker *other = &speaker->all[i];

		if (m->body_case == DOCOCORE__PACKET__BODY_EXPORT_REPLY && other != speaker)
			maker_learn(&other->maker, m, 0);
		if (m->body_case == DOCOCORE__PACKET__BODY_EXPORT_REPLY ||
		    (other == speaker &&
		     (m->body_case == DOCOCORE__PACKET__BODY_DEVICE_LIST_REPLY ||
		      m->body_case == DOCOCORE__PACKET__BODY_REP_LIST_REPLY)))
			maker_learn(&other->lasting, m, 0);
	}
}

static void receive_ring(struct speaker *speaker, const Dococore__Packet *m, int *fds, size_t n_fds)
{
	struct event_reader *ring = &speaker->rings[speaker->n_rings % LIVE_RINGS];
	uint32_t len;

	if (m->body_case == DOCOCORE__PACKET__BODY_SERVER_REPLY)
		len = m->server_reply->event_ring_len;
	else if (m->body_case == DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY)
		len = m->channel_connect_reply->event_ring_len;
	else if (m->body_case == DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY)
		len = m->rdma_open_reply->event_ring_len;
	else
		return;
	ck_assert_uint_eq(n_fds, 2);
	if (ring->ring != NULL)
		event_reader_deinit(ring);
	*ring = (struct event_reader)EVENT_READER_INIT;
	ck_assert_int_eq(event_reader_init(ring, fds[0], fds[1], len), 0);
	fds[0] = fds[1] = -1;
	speaker->n_rings++;
}

static void read_rings(struct speaker *speaker)
{
	struct event event;

	for (size_t i = 0; i < MIN(speaker->n_rings, LIVE_RINGS); i++) {
		struct event_reader *ring = &speaker->rings[i];

		while (ring->ring != NULL && event_reader_pop(ring, &event) == 1) {
			bool is_call = event.type == EVENT_RDMA_REQUESTED ||
				       event.type == EVENT_RDMA_ANSWERED;

			speaker->n_events++;
			maker_learn_number(&speaker->maker, is_call ? "call_id" : "channel_id",
					   event.id);
			if (event.type == EVENT_CONSUMER_NEW)
				maker_learn_number(&speaker->maker, "consumer_id", event.arg);
		}
	}
}

static void answer(struct speaker *speaker, const Dococore__Packet *m);

/*
 * Checks that a packet of a daemon obeys the rules that daemons enforce. Returns true if it answers
 * the probe with this id.
 */
static bool receive_packet(struct speaker *speaker, const Dococore__Packet *m, int *fds,
			   size_t n_fds, uint64_t probe)
{
	struct live_asked *asked = &speaker->asked[m->id % LIVE_ASKED];
	bool is_asked = m->id != 0 && asked->id == m->id && speaker->kind == SPEAKER_CLIENT;
	uint32_t body_case = is_asked ? asked->body_case : 0;

	ck_assert_msg(frame_fields_valid(m) && frame_fds_allowed(m, n_fds),
		      "%s: the daemon sent a %s with %zu descriptors that breaks the rules",
		      speaker->name, frame_name(m), n_fds);
	if (is_asked)
		asked->id = 0;
	speaker->n_answers++;
	speaker->n_errors += m->body_case == DOCOCORE__PACKET__BODY_ERROR;
	maker_learn(&speaker->maker, m, body_case);
	share_ids(speaker, m);
	receive_ring(speaker, m, fds, n_fds);
	if (speaker->kind == SPEAKER_CLIENT)
		return m->id == probe;
	answer(speaker, m);
	return m->body_case == DOCOCORE__PACKET__BODY_PEER_PONG && m->peer_pong->number == probe;
}

/* --- transports --- */

static bool unix_send(struct speaker *speaker, const struct live_packet *packet, int flags)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(LIVE_FDS_MAX * sizeof(int))];
	} control = {0};
	struct iovec iov = {(void *)(uintptr_t)packet->data, packet->len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *c;

	if (packet->n_fds > 0) {
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(packet->n_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(packet->n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), packet->fds, packet->n_fds * sizeof(int));
	}
	if (sendmsg(speaker->fd, &msg, MSG_NOSIGNAL | flags) >= 0)
		return true;
	if (errno == EAGAIN && !(flags & MSG_DONTWAIT))
		report_timeout(speaker, "the daemon did not take a packet");
	return false;
}

static bool tls_send(struct speaker *speaker, const struct live_packet *packet)
{
	static uint8_t data[PACKET_STREAM_HEADER_LEN + LIVE_PACKET_MAX];
	int len = (int)(PACKET_STREAM_HEADER_LEN + packet->len);
	int r;

	packet_stream_put_header(data, packet->len);
	memcpy(data + PACKET_STREAM_HEADER_LEN, packet->data, packet->len);
	errno = 0;
	r = SSL_write(speaker->end.ssl, data, len);
	if (r != len && errno == EAGAIN)
		report_timeout(speaker, "the daemon did not take a packet");
	ERR_clear_error();
	return r == len;
}

/* Reads one packet from the Unix socket. Returns 1; 0: none now; -1: the connection has ended. */
static int unix_read(struct speaker *speaker, uint64_t probe, bool waits, bool *is_done)
{
	static uint8_t data[FRAME_PACKET_MAX + 1];
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(32 * sizeof(int))];
	} control;
	struct iovec iov = {data, sizeof(data)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	ssize_t n = recvmsg(speaker->fd, &msg, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	Dococore__Packet *m;
	size_t n_fds = 0;
	int fds[32];

	if (n < 0 && errno == EAGAIN && waits)
		report_timeout(speaker, "the daemon did not answer");
	if (n <= 0)
		return n < 0 && errno == EAGAIN ? 0 : -1;
	if (c != NULL && c->cmsg_type == SCM_RIGHTS) {
		n_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), n_fds * sizeof(int));
	}
	m = dococore__packet__unpack(NULL, (size_t)n, data);
	ck_assert_msg(m != NULL, "%s: the daemon sent %zd bytes that are no packet", speaker->name,
		      n);
	*is_done = receive_packet(speaker, m, fds, n_fds, probe);
	dococore__packet__free_unpacked(m, NULL);
	for (size_t i = 0; i < n_fds; i++)
		fd_close(&fds[i]);
	return 1;
}

static int tls_read(struct speaker *speaker, uint64_t probe, bool *is_done)
{
	Dococore__Packet *m = unauthorised_peer_read(&speaker->end);

	if (m == NULL)
		return -1;
	*is_done = receive_packet(speaker, m, NULL, 0, probe);
	dococore__packet__free_unpacked(m, NULL);
	return 1;
}

/* --- connections --- */

static void set_deadline(int fd)
{
	struct timeval limit = {.tv_sec = (time_t)(live_deadline_ns() / NS_PER_SEC)};

	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)), 0);
}

static void connect_unix(struct speaker *speaker)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	if (speaker->kind == SPEAKER_CLIENT)
		snprintf(addr.sun_path, sizeof(addr.sun_path), "%s",
			 lab_socket(speaker->lab, speaker->side));
	else
		snprintf(addr.sun_path, sizeof(addr.sun_path), "%.90s/peer.sock",
			 speaker->lab->dir);
	speaker->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(speaker->fd, 0);
	set_deadline(speaker->fd);
	if (connect(speaker->fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		speaker->last.len = 0;
		if (errno == EAGAIN)
			report_timeout(speaker, "the daemon did not accept a connection");
		ck_abort_msg("%s: %s: %s", speaker->name, addr.sun_path, strerror(errno));
	}
}

void speaker_close(struct speaker *speaker)
{
	if (!speaker->is_open)
		return;
	if (speaker->kind == SPEAKER_TLS_PEER)
		unauthorised_peer_close(&speaker->end);
	fd_close(&speaker->fd);
	for (size_t i = 0; i < LIVE_RINGS; i++) {
		if (speaker->rings[i].ring != NULL)
			event_reader_deinit(&speaker->rings[i]);
		speaker->rings[i] = (struct event_reader)EVENT_READER_INIT;
	}
	speaker->n_rings = 0;
	memset(speaker->asked, 0, sizeof(speaker->asked));
	speaker->is_open = false;
}

static void ended(struct speaker *speaker)
{
	speaker->n_ends++;
	speaker_close(speaker);
}

static bool send_packet(struct speaker *speaker, const Dococore__Packet *m)
{
	static struct live_packet packet;

	packet.len = dococore__packet__pack(m, packet.data);
	packet.n_fds = 0;
	return speaker_send(speaker, &packet);
}

static bool send_own_hello(struct speaker *speaker)
{
	Dococore__Hello hello = DOCOCORE__HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	hello.protocol = FRAME_PROTOCOL;
	hello.program = (char *)"live_fuzz";
	hello.library = (char *)"0";
	packet.id = speaker_new_id(speaker);
	packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
	packet.hello = &hello;
	return send_packet(speaker, &packet);
}

static bool send_peer_hello(struct speaker *speaker)
{
	uint8_t id[16];
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__PeerFunction function = DOCOCORE__PEER_FUNCTION__INIT, *pointer = &function;
	Dococore__PeerFunctions list = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint64_t bits = maker_random(&speaker->maker);

	memset(id, (int)(LIVE_DAEMON_ID + speaker->kind), sizeof(id));
	hello.protocol = FRAME_PROTOCOL;
	hello.side = (char *)"host";
	hello.daemon_id = (ProtobufCBinaryData){sizeof(id), id};
	hello.knows_ends = bits & 1;
	hello.relays_copies = bits & 2;
	hello.remote_consumers = bits & 4;
	hello.pages_functions = bits & 8;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	if (!send_packet(speaker, &packet))
		return false;
	function.pci_addr = (char *)"0000:0b:00.0";
	list.functions = &pointer;
	list.n_functions = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &list;
	return send_packet(speaker, &packet);
}

static bool ask_valid(struct speaker *speaker, uint32_t body_case)
{
	static struct live_packet packet;
	bool is_sent;

	live_packet_clear(&packet);
	if (!speaker_make(speaker, body_case, &packet))
		return false;
	is_sent = speaker_send(speaker, &packet);
	live_packet_clear(&packet);
	return is_sent;
}

/*
 * A user is refused while descriptors of earlier connections wait to be closed; then this retries.
 */
static bool send_first_requests(struct speaker *speaker)
{
	/* Ends with 0. Hosts have no representors. */
	static const uint32_t first[LAB_N_SIDES][12] = {
		[LAB_HOST] = {DOCOCORE__PACKET__BODY_DEVICE_LIST,
			      DOCOCORE__PACKET__BODY_DEVICE_OPEN,
			      DOCOCORE__PACKET__BODY_DEVICE_OPEN,
			      DOCOCORE__PACKET__BODY_EXPORT_CREATE,
			      DOCOCORE__PACKET__BODY_CHANNEL_CONNECT,
			      DOCOCORE__PACKET__BODY_CHANNEL_CONNECT,
			      DOCOCORE__PACKET__BODY_RDMA_OPEN},
		[LAB_DPU] = {DOCOCORE__PACKET__BODY_DEVICE_LIST, DOCOCORE__PACKET__BODY_REP_LIST,
			     DOCOCORE__PACKET__BODY_DEVICE_OPEN, DOCOCORE__PACKET__BODY_DEVICE_OPEN,
			     DOCOCORE__PACKET__BODY_REP_OPEN, DOCOCORE__PACKET__BODY_REP_OPEN,
			     DOCOCORE__PACKET__BODY_SERVER_CREATE,
			     DOCOCORE__PACKET__BODY_SERVER_CREATE, DOCOCORE__PACKET__BODY_RDMA_OPEN,
			     DOCOCORE__PACKET__BODY_EXPORT_CREATE},
	};
	const uint32_t *at = first[speaker->side];

	if (speaker->kind != SPEAKER_CLIENT)
		return send_peer_hello(speaker) && speaker_settle(speaker);
	if (!send_own_hello(speaker))
		return false;
	for (; *at != 0; at++)
		if (!ask_valid(speaker, *at) || !speaker_settle(speaker))
			return false;
	return true;
}

void speaker_open(struct speaker *speaker, bool greets)
{
	uint64_t deadline = clock_now_ns() + live_deadline_ns();

	do {
		if (clock_now_ns() > deadline)
			report_timeout(speaker, "the daemon did not greet");
		speaker_close(speaker);
		speaker->maker.pool = speaker->lasting.pool;
		if (speaker->kind == SPEAKER_TLS_PEER) {
			unauthorised_peer_connect(&speaker->end, speaker->tls,
						  speaker->certificate);
			set_deadline(speaker->end.fd);
		} else {
			connect_unix(speaker);
		}
		speaker->is_open = true;
	} while (greets && !send_first_requests(speaker));
}

/* --- packets --- */

static bool is_notice(uint32_t body_case)
{
	return body_case == DOCOCORE__PACKET__BODY_COUNTERS_SHARE ||
	       body_case == DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT;
}

static bool is_peer_request(uint32_t body_case)
{
	return body_case == DOCOCORE__PACKET__BODY_PEER_IMPORT ||
	       body_case == DOCOCORE__PACKET__BODY_PEER_CONNECT ||
	       body_case == DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT;
}

bool speaker_make(struct speaker *speaker, uint32_t body_case, struct live_packet *packet_out)
{
	bool has_id = speaker->kind == SPEAKER_CLIENT ? !is_notice(body_case)
						      : is_peer_request(body_case);
	uint64_t id = has_id ? speaker_new_id(speaker) : 0;

	read_rings(speaker);
	packet_out->len = maker_make(&speaker->maker, body_case, id, packet_out->data,
				     sizeof(packet_out->data));
	if (packet_out->len == 0)
		return false;
	if (maker_below(&speaker->maker, 8) != 0)
		live_packet_repair(packet_out, maker_random(&speaker->maker));
	if (speaker->kind != SPEAKER_TLS_PEER)
		live_fds_make(packet_out);
	return true;
}

static void record_packet(struct speaker *speaker, const struct live_packet *packet)
{
	memcpy(speaker->last.data, packet->data, packet->len);
	speaker->last.len = packet->len;
	speaker->last.n_fds = packet->n_fds;
	if (speaker->kind == SPEAKER_CLIENT)
		record_request(speaker, packet);
}

bool speaker_send(struct speaker *speaker, const struct live_packet *packet)
{
	record_packet(speaker, packet);
	return speaker->kind == SPEAKER_TLS_PEER ? tls_send(speaker, packet)
						 : unix_send(speaker, packet, 0);
}

bool speaker_send_now(struct speaker *speaker, const struct live_packet *packet)
{
	if (speaker->kind == SPEAKER_TLS_PEER)
		return speaker_send(speaker, packet);
	if (!unix_send(speaker, packet, MSG_DONTWAIT))
		return false;
	record_packet(speaker, packet);
	return true;
}

/*
 * Answers a daemon's request to a peer with a refusal, a valid answer, or one that breaks a rule.
 */
static void answer(struct speaker *speaker, const Dococore__Packet *m)
{
	static struct live_packet packet;
	struct packet_maker *maker = &speaker->maker;
	uint32_t body_case = DOCOCORE__PACKET__BODY_ERROR;
	size_t choice = maker_below(maker, 4);

	if (!is_peer_request(m->body_case))
		return;
	if (choice > 1)
		body_case = m->body_case == DOCOCORE__PACKET__BODY_PEER_IMPORT
				    ? DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY
			    : m->body_case == DOCOCORE__PACKET__BODY_PEER_CONNECT
				    ? DOCOCORE__PACKET__BODY_PEER_CONNECT_REPLY
				    : DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT_REPLY;
	live_packet_clear(&packet);
	packet.len = maker_make(maker, body_case, m->id, packet.data, sizeof(packet.data));
	if (packet.len == 0)
		return;
	if (speaker->kind == SPEAKER_PEER)
		live_fds_make(&packet);
	if (choice == 3)
		packet.len = maker_break(maker, (enum packet_break)maker_below(maker, BREAK_N),
					 packet.data, packet.len, sizeof(packet.data));
	/* Reading the next packet shows whether it arrived. */
	(void)speaker_send(speaker, &packet);
	live_packet_clear(&packet);
}

/* --- reading --- */

static bool send_probe(struct speaker *speaker, uint64_t id)
{
	Dococore__DeviceList list = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__PeerPing ping = DOCOCORE__PEER_PING__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	if (speaker->kind == SPEAKER_CLIENT) {
		list.offset = UINT32_MAX;
		packet.id = id;
		packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
		packet.device_list = &list;
	} else {
		ping.number = id;
		packet.body_case = DOCOCORE__PACKET__BODY_PEER_PING;
		packet.peer_ping = &ping;
	}
	return send_packet(speaker, &packet);
}

bool speaker_settle(struct speaker *speaker)
{
	uint64_t begin = clock_now_ns(), probe = speaker_new_id(speaker);
	bool is_done = false;

	/* If the daemon has hung up, its earlier packets must still be read. */
	(void)send_probe(speaker, probe);
	while (!is_done) {
		int r = speaker->kind == SPEAKER_TLS_PEER
				? tls_read(speaker, probe, &is_done)
				: unix_read(speaker, probe, true, &is_done);

		if (r < 0) {
			ended(speaker);
			return false;
		}
	}
	speaker->longest_ns = MAX(speaker->longest_ns, clock_now_ns() - begin);
	return true;
}

bool speaker_read_now(struct speaker *speaker)
{
	bool is_done;
	int r;

	if (speaker->kind == SPEAKER_TLS_PEER)
		return speaker_settle(speaker);
	do
		r = unix_read(speaker, 0, false, &is_done);
	while (r > 0);
	if (r < 0)
		ended(speaker);
	return r == 0;
}
