/*
 * A fuzzer against two real daemons: clients of both, a peer over a Unix socket, one over TLS and
 * an operator of each daemon speak the protocol and break one rule in many of their packets. The
 * daemons stay linked with each other all the time. After each packet the daemon must answer a
 * request, or have ended the connection, before a deadline. Every request must get its answer. A
 * bystander with its own connections is served all the time, which is measured and reported. At the
 * end the daemons have no clients, objects or descriptors left.
 *
 * The daemons' own link ensures that a peer of the fuzzer is never the only one. When a daemon
 * loses its last link, requests that need the other side wait for it for up to three seconds
 * (daemon/session/grace_period.h), and the fuzzer waits with them. Notices have no answer: the
 * request behind them is what the fuzzer awaits.
 *
 *   LIVE_FUZZ_PACKETS=1000000 LIVE_FUZZ_SEED=7 tests/integration/peer/live_fuzz_test
 */
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_types.h>

#include "proto/conn.h"
#include "tests/integration/peer/live_bus.h"
#include "tests/integration/peer/live_speaker.h"
#include "tests/lib/pki.h"
#include "tests/lib/runner.h"
#include "util/clock.h"
#include "util/fd.h"

/* ThreadSanitizer makes a daemon ten times slower. */
#ifdef __SANITIZE_THREAD__
#define N_PACKETS 2000u
#else
#define N_PACKETS 20000u
#endif
#define N_BURST 40u

/* Rules of a whole packet; enum packet_break has those of its bytes. */
enum live_rule {
	RULE_NONE = BREAK_N,
	RULE_ID,      /* a request without an id, a notice with one */
	RULE_KIND,    /* a message for another receiver */
	RULE_HELLO,   /* a message before hello */
	RULE_N_FDS,   /* one descriptor more or less */
	RULE_FD,      /* another kind of descriptor */
	RULE_LEN,     /* an empty packet, or one that is too long */
	RULE_HANG_UP, /* the connection ends at once */
	RULE_BURST,   /* many requests without reading an answer */
	RULE_RING,    /* another value in an event ring */
	RULE_N,
};

static const char *const rule_names[RULE_N] = {
	[RULE_NONE] = "no rule",   [RULE_ID] = "id",       [RULE_KIND] = "kind",
	[RULE_HELLO] = "hello",    [RULE_N_FDS] = "count", [RULE_FD] = "descriptor",
	[RULE_LEN] = "size",       [RULE_HANG_UP] = "end", [RULE_BURST] = "burst",
	[RULE_RING] = "event ring"};

enum { HOST_CLIENT, DPU_CLIENT, PEER, TLS_PEER, N_SPEAKERS };

static const uint32_t requests[] = {
	DOCOCORE__PACKET__BODY_HELLO,
	DOCOCORE__PACKET__BODY_COUNTERS_SHARE,
	DOCOCORE__PACKET__BODY_DEVICE_LIST,
	DOCOCORE__PACKET__BODY_REP_LIST,
	DOCOCORE__PACKET__BODY_DEVICE_OPEN,
	DOCOCORE__PACKET__BODY_REP_OPEN,
	DOCOCORE__PACKET__BODY_HANDLE_CLOSE,
	DOCOCORE__PACKET__BODY_EXPORT_CREATE,
	DOCOCORE__PACKET__BODY_EXPORT_DESTROY,
	DOCOCORE__PACKET__BODY_IMPORT_CREATE,
	DOCOCORE__PACKET__BODY_IMPORT_DESTROY,
	DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT,
	DOCOCORE__PACKET__BODY_SERVER_CREATE,
	DOCOCORE__PACKET__BODY_SERVER_DESTROY,
	DOCOCORE__PACKET__BODY_CHANNEL_CONNECT,
	DOCOCORE__PACKET__BODY_CHANNEL_FETCH,
	DOCOCORE__PACKET__BODY_CHANNEL_CLOSE,
	DOCOCORE__PACKET__BODY_CONSUMER_CREATE,
	DOCOCORE__PACKET__BODY_CONSUMER_DESTROY,
	DOCOCORE__PACKET__BODY_CONSUMER_FETCH,
	DOCOCORE__PACKET__BODY_RDMA_OPEN,
	DOCOCORE__PACKET__BODY_RDMA_CLOSE,
	DOCOCORE__PACKET__BODY_RDMA_LISTEN,
	DOCOCORE__PACKET__BODY_RDMA_CONNECT,
	DOCOCORE__PACKET__BODY_RDMA_FETCH,
	DOCOCORE__PACKET__BODY_RDMA_ANSWER,
};

static const uint32_t peer_messages[] = {
	DOCOCORE__PACKET__BODY_PEER_FUNCTIONS,
	DOCOCORE__PACKET__BODY_PEER_PING,
	DOCOCORE__PACKET__BODY_PEER_PONG,
	DOCOCORE__PACKET__BODY_PEER_IMPORT,
	DOCOCORE__PACKET__BODY_PEER_IMPORT,
	DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT,
	DOCOCORE__PACKET__BODY_PEER_IMPORT_GONE,
	DOCOCORE__PACKET__BODY_PEER_CONNECT,
	DOCOCORE__PACKET__BODY_PEER_CONNECT,
	DOCOCORE__PACKET__BODY_PEER_CHANNEL_READY,
	DOCOCORE__PACKET__BODY_PEER_CHANNEL_CLOSE,
	DOCOCORE__PACKET__BODY_PEER_CHANNEL_DATA,
	DOCOCORE__PACKET__BODY_PEER_CHANNEL_CREDIT,
	DOCOCORE__PACKET__BODY_PEER_CHANNEL_RECEIVED,
	DOCOCORE__PACKET__BODY_PEER_CONSUMER_RECEIVED,
	DOCOCORE__PACKET__BODY_PEER_ENDS,
	DOCOCORE__PACKET__BODY_PEER_CONSUMER_NEW,
	DOCOCORE__PACKET__BODY_PEER_CONSUMER_GONE,
	DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT,
	DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER,
};

static struct lab lab;
static struct tls_lab tls;
static struct speaker speakers[N_SPEAKERS];
static struct live_bus operators[LAB_N_SIDES];
static uint64_t n_broken[RULE_N], n_sent;
static size_t n_fds_before[LAB_N_SIDES];

static uint64_t number_of(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text != NULL ? strtoull(text, NULL, 10) : fallback;
}

/* --- the bystander --- */

/* Shared with its process. */
struct bystander {
	_Atomic bool is_ready, is_over;
	_Atomic uint64_t n_requests, n_refused;
	/*
	 * The longest request; and the longest without the time that this process and its daemon
	 * were runnable without a processor.
	 */
	_Atomic uint64_t longest_ns[LAB_N_SIDES], longest_net_ns[LAB_N_SIDES];
};

static struct bystander *bystander;
static pid_t bystander_pid;

static uint64_t run_delay_ns(pid_t pid)
{
	unsigned long long ran = 0, waited = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	if (fscanf(file, "%llu %llu", &ran, &waited) != 2)
		waited = 0;
	fclose(file);
	return waited;
}

static struct conn *bystander_connect(enum lab_side side)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct conn *conn;

	ck_assert_int_ge(fd, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", lab_socket(&lab, side));
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	conn = conn_new(fd, 1u << 20);
	ck_assert_ptr_nonnull(conn);
	ck_assert_int_eq(conn_set_timeout(conn, live_deadline_ns()), 0);
	return conn;
}

static void note_longest(_Atomic uint64_t *longest, uint64_t ns)
{
	if (ns > atomic_load(longest))
		atomic_store(longest, ns);
}

/* Returns the id in the answer, if it is about an object. */
static uint64_t bystander_ask(struct conn *conn, enum lab_side side, Dococore__Packet *packet)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	static uint64_t id;
	pid_t daemon = lab.daemons[side].pid;
	uint64_t delay_ns = run_delay_ns(daemon) + run_delay_ns(getpid());
	uint64_t begin = clock_now_ns(), took_ns, number = 0;
	Dococore__Packet *m = NULL;
	int r;

	packet->id = ++id;
	ck_assert_int_eq(conn_send(conn, packet, NULL, 0), 0);
	r = conn_recv_wait(conn, &m, &fds);
	took_ns = clock_now_ns() - begin;
	ck_assert_msg(r == 1, "the bystander has no answer from the %s after %llu ms: %d",
		      side == LAB_HOST ? "host" : "dpu", (unsigned long long)(took_ns / NS_PER_MS),
		      r);
	ck_assert_uint_eq(m->id, packet->id);
	atomic_fetch_add(&bystander->n_requests, 1);
	delay_ns = run_delay_ns(daemon) + run_delay_ns(getpid()) - delay_ns;
	note_longest(&bystander->longest_ns[side], took_ns);
	note_longest(&bystander->longest_net_ns[side], took_ns - MIN(took_ns, delay_ns));
	if (m->body_case == DOCOCORE__PACKET__BODY_ERROR)
		atomic_fetch_add(&bystander->n_refused, 1);
	else if (m->body_case == DOCOCORE__PACKET__BODY_DEVICE_LIST_REPLY)
		number = m->device_list_reply->n_devices ? m->device_list_reply->devices[0]->id : 0;
	else if (m->body_case == DOCOCORE__PACKET__BODY_HANDLE_REPLY)
		number = m->handle_reply->handle;
	else if (m->body_case == DOCOCORE__PACKET__BODY_EXPORT_REPLY)
		number = m->export_reply->export_id;
	dococore__packet__free_unpacked(m, NULL);
	return number;
}

/* One of each: lists of the daemon, a handle, an export. */
static void bystander_round(struct conn *conn, enum lab_side side)
{
	Dococore__DeviceList list = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__DeviceOpen open = DOCOCORE__DEVICE_OPEN__INIT;
	Dococore__ExportCreate create = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__ExportDestroy destroy = DOCOCORE__EXPORT_DESTROY__INIT;
	Dococore__HandleClose close_handle = DOCOCORE__HANDLE_CLOSE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &list;
	open.device_id = (uint32_t)bystander_ask(conn, side, &packet);
	ck_assert_uint_ne(open.device_id, 0);
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	packet.device_open = &open;
	close_handle.handle = create.device = bystander_ask(conn, side, &packet);
	create.addr = 1u << 20;
	create.len = 4096;
	create.permissions = DOCA_ACCESS_FLAG_RDMA_READ;
	create.kind = DOCOCORE__EXPORT_KIND__RDMA;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &create;
	destroy.export_id = bystander_ask(conn, side, &packet);
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
	packet.export_destroy = &destroy;
	(void)bystander_ask(conn, side, &packet);
	packet.body_case = DOCOCORE__PACKET__BODY_HANDLE_CLOSE;
	packet.handle_close = &close_handle;
	(void)bystander_ask(conn, side, &packet);
}

static void bystander_run(void)
{
	Dococore__Hello hello = DOCOCORE__HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct conn *conns[LAB_N_SIDES];

	hello.protocol = FRAME_PROTOCOL;
	hello.program = (char *)"bystander";
	hello.library = (char *)"0";
	packet.body_case = DOCOCORE__PACKET__BODY_HELLO;
	packet.hello = &hello;
	for (int i = 0; i < LAB_N_SIDES; i++) {
		conns[i] = bystander_connect((enum lab_side)i);
		(void)bystander_ask(conns[i], (enum lab_side)i, &packet);
	}
	atomic_store(&bystander->is_ready, true);
	while (!atomic_load(&bystander->is_over)) {
		for (int i = 0; i < LAB_N_SIDES; i++)
			bystander_round(conns[i], (enum lab_side)i);
		/* Leaves the daemons time for other clients. */
		poll(NULL, 0, 1);
	}
	for (int i = 0; i < LAB_N_SIDES; i++)
		conn_free(conns[i]);
}

static void bystander_check(void)
{
	int status;

	if (waitpid(bystander_pid, &status, WNOHANG) == bystander_pid)
		ck_abort_msg("the bystander has ended");
}

static void bystander_start(void)
{
	uint64_t deadline = clock_now_ns() + live_deadline_ns();

	bystander = mmap(NULL, sizeof(*bystander), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(bystander, MAP_FAILED);
	fflush(NULL);
	bystander_pid = fork();
	ck_assert_int_ge(bystander_pid, 0);
	if (bystander_pid == 0) {
		bystander_run();
		fflush(NULL);
		_exit(0);
	}
	while (!atomic_load(&bystander->is_ready)) {
		bystander_check();
		lab_listen(&lab);
		ck_assert_msg(clock_now_ns() < deadline, "the bystander is not served");
	}
}

static void bystander_stop(void)
{
	int status;

	atomic_store(&bystander->is_over, true);
	ck_assert_int_eq(waitpid(bystander_pid, &status, 0), bystander_pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the bystander failed");
}

/* --- the fuzzer --- */

static const char *rule_name(size_t rule)
{
	return rule < BREAK_N ? packet_break_name((enum packet_break)rule) : rule_names[rule];
}

static uint32_t choose_body(struct speaker *speaker)
{
	struct packet_maker *maker = &speaker->maker;

	return speaker->kind == SPEAKER_CLIENT
		       ? requests[maker_below(maker, ARRAY_LEN(requests))]
		       : peer_messages[maker_below(maker, ARRAY_LEN(peer_messages))];
}

static uint32_t any_body(struct packet_maker *maker)
{
	const ProtobufCMessageDescriptor *all = &dococore__packet__descriptor;

	return all->fields[1 + maker_below(maker, all->n_fields - 1)].id;
}

/* Most packets break no rule, so that objects exist. */
static size_t choose_rule(struct packet_maker *maker)
{
	size_t choice = maker_below(maker, 48);

	if (choice < 5)
		return maker_below(maker, BREAK_N);
	if (choice < 10)
		return RULE_NONE + maker_below(maker, RULE_N - RULE_NONE);
	return RULE_NONE;
}

static void break_id(struct packet_maker *maker, struct live_packet *packet)
{
	Dococore__Packet *m = dococore__packet__unpack(NULL, packet->len, packet->data);

	ck_assert_ptr_nonnull(m);
	m->id = m->id != 0 ? 0 : maker_random(maker);
	packet->len = dococore__packet__pack(m, packet->data);
	dococore__packet__free_unpacked(m, NULL);
}

static void break_len(struct packet_maker *maker, struct live_packet *packet)
{
	size_t len = maker_below(maker, 2) ? 0 : FRAME_PACKET_MAX + 1 + maker_below(maker, 60);

	if (len > packet->len)
		memset(packet->data + packet->len, 'a', len - packet->len);
	packet->len = len;
}

static void break_n_fds(struct packet_maker *maker, struct live_packet *packet)
{
	if (packet->n_fds > 0 && maker_below(maker, 2)) {
		fd_close(&packet->fds[--packet->n_fds]);
		return;
	}
	live_fds_add(packet, fd_eventfd());
}

/* Changes words that the client writes, and other contents of a ring that it may not write. */
static void break_ring(struct speaker *speaker)
{
	struct event_reader *ring = &speaker->rings[maker_below(&speaker->maker, LIVE_RINGS)];
	size_t at = maker_below(&speaker->maker, sizeof(struct event_ring) / sizeof(uint32_t));

	if (ring->ring == NULL)
		return;
	if (maker_below(&speaker->maker, 2))
		atomic_store(&ring->ring->tail, (uint32_t)maker_random(&speaker->maker));
	else
		((_Atomic uint32_t *)(void *)ring->ring)[at] =
			(uint32_t)maker_random(&speaker->maker);
}

static void break_rule(struct speaker *speaker, size_t rule, struct live_packet *packet)
{
	struct packet_maker *maker = &speaker->maker;

	if (rule < BREAK_N)
		packet->len = maker_break(maker, (enum packet_break)rule, packet->data, packet->len,
					  FRAME_PACKET_MAX);
	else if (rule == RULE_ID)
		break_id(maker, packet);
	else if (rule == RULE_LEN)
		break_len(maker, packet);
	else if (rule == RULE_N_FDS && speaker->kind != SPEAKER_TLS_PEER)
		break_n_fds(maker, packet);
	else if (rule == RULE_FD)
		(void)live_fds_break(packet, maker);
	else if (rule == RULE_RING)
		break_ring(speaker);
}

/* Sends many requests of one kind without reading an answer. */
static void send_burst(struct speaker *speaker, struct live_packet *packet)
{
	for (unsigned i = 0; i < N_BURST; i++) {
		live_packet_clear(packet);
		if (!speaker_make(speaker, choose_body(speaker), packet) ||
		    !speaker_send_now(speaker, packet))
			break;
		n_sent++;
	}
}

static void step(struct speaker *speaker)
{
	static struct live_packet packet;
	size_t rule = choose_rule(&speaker->maker);
	uint32_t body_case;

	if (rule == RULE_HELLO)
		speaker_close(speaker);
	if (!speaker->is_open)
		speaker_open(speaker, rule != RULE_HELLO);
	body_case = rule == RULE_KIND ? any_body(&speaker->maker) : choose_body(speaker);
	live_packet_clear(&packet);
	if (!speaker_make(speaker, body_case, &packet))
		return;
	break_rule(speaker, rule, &packet);
	n_broken[rule]++;
	n_sent++;
	if (rule == RULE_BURST)
		send_burst(speaker, &packet);
	else
		(void)speaker_send(speaker, &packet);
	live_packet_clear(&packet);
	if (rule == RULE_HANG_UP)
		speaker_close(speaker);
	else
		(void)speaker_settle(speaker);
}

/* Requests to other speakers are answered meanwhile. */
static void read_all(bool with_tls)
{
	for (size_t i = 0; i < N_SPEAKERS; i++) {
		if (speakers[i].is_open && (i != TLS_PEER || with_tls))
			(void)speaker_read_now(&speakers[i]);
		(void)speaker_check_asked(&speakers[i]);
	}
}

static void run(uint64_t n_packets)
{
	struct packet_maker *dice = &speakers[0].lasting;
	uint64_t n_steps = 0;

	while (n_sent < n_packets) {
		/* A handshake takes as long as about a hundred packets. */
		size_t who = maker_below(dice, 16);

		step(&speakers[who < 6    ? HOST_CLIENT
			       : who < 11 ? DPU_CLIENT
			       : who < 15 ? PEER
					  : TLS_PEER]);
		read_all(n_steps % 64 == 0);
		if (n_steps % 8 == 0) {
			live_bus_step(&operators[n_steps / 8 % LAB_N_SIDES]);
			n_sent++;
		}
		if (n_steps++ % 64 != 0)
			continue;
		lab_listen(&lab);
		bystander_check();
	}
}

static unsigned count_unanswered(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < N_SPEAKERS; i++)
		n += speaker_check_asked(&speakers[i]);
	return n;
}

/* Waits until every request has its answer, including requests to peers. */
static void drain(void)
{
	while (count_unanswered() > 0)
		read_all(true);
	for (size_t i = 0; i < N_SPEAKERS; i++)
		speaker_close(&speakers[i]);
	for (int i = 0; i < LAB_N_SIDES; i++)
		live_bus_close(&operators[i]);
}

/* --- the result --- */

static double ms_of(const _Atomic uint64_t *ns)
{
	return (double)atomic_load(ns) / NS_PER_MS;
}

static void print_result(uint64_t seed, uint64_t took_ns)
{
	uint64_t n_answers = 0, n_errors = 0, n_ends = 0, n_events = 0;

	printf("broken:");
	for (size_t i = 0; i < RULE_N; i++)
		printf(" %s %llu%s", rule_name(i), (unsigned long long)n_broken[i],
		       i + 1 < RULE_N ? "," : "\n");
	for (size_t i = 0; i < N_SPEAKERS; i++) {
		const struct speaker *s = &speakers[i];

		printf("%s: %llu answers, %llu refusals, %llu connections ended, %llu events, "
		       "longest answer %.1f ms\n",
		       s->name, (unsigned long long)s->n_answers, (unsigned long long)s->n_errors,
		       (unsigned long long)s->n_ends, (unsigned long long)s->n_events,
		       (double)s->longest_ns / NS_PER_MS);
		n_answers += s->n_answers;
		n_errors += s->n_errors;
		n_ends += s->n_ends;
		n_events += s->n_events;
	}
	for (int i = 0; i < LAB_N_SIDES; i++)
		printf("operator of the %s: %llu calls, %llu broken, %llu answers, %llu "
		       "connections "
		       "ended\n",
		       i == LAB_HOST ? "host" : "dpu", (unsigned long long)operators[i].n_calls,
		       (unsigned long long)operators[i].n_broken,
		       (unsigned long long)operators[i].n_answers,
		       (unsigned long long)operators[i].n_ends);
	printf("bystander: %llu requests, %llu refused, longest wait %.1f ms at the host and %.1f "
	       "ms "
	       "at the dpu, without waiting for a processor %.1f ms and %.1f ms\n",
	       (unsigned long long)atomic_load(&bystander->n_requests),
	       (unsigned long long)atomic_load(&bystander->n_refused),
	       ms_of(&bystander->longest_ns[LAB_HOST]), ms_of(&bystander->longest_ns[LAB_DPU]),
	       ms_of(&bystander->longest_net_ns[LAB_HOST]),
	       ms_of(&bystander->longest_net_ns[LAB_DPU]));
	printf("live_fuzz: seed %llu, %llu packets in %.1f s, %llu answers, %llu refusals, "
	       "%llu connections ended, %llu events, no deadline passed\n",
	       (unsigned long long)seed, (unsigned long long)n_sent, (double)took_ns / NS_PER_SEC,
	       (unsigned long long)n_answers, (unsigned long long)n_errors,
	       (unsigned long long)n_ends, (unsigned long long)n_events);
}

/* --- the test --- */

static void setup(void)
{
	signal(SIGPIPE, SIG_IGN);
	leaks_setup();
	tls_lab_make(&tls, "");
	pki_make(tls.dir, "fuzz", &(struct pki_options){.ca = "ca", .subject = "x", .dns = "fuzz"});
	/* The daemons are linked over a Unix socket; the fuzzer uses TLS. */
	snprintf(tls.config[LAB_DPU], sizeof(tls.config[LAB_DPU]),
		 "[tls]\nlisten = %s:%d\ncertificate = %s/dpu.pem\nkey = %s/dpu.key\n"
		 "ca = %s/ca.pem\n[peer fuzz]\nsubject = fuzz\n",
		 tls.address, TLS_LAB_PORT, tls.dir, tls.dir, tls.dir);
	lab_start(&lab, &(struct lab_options){.config_of = {NULL, tls.config[LAB_DPU]}});
	for (int i = 0; i < LAB_N_SIDES; i++)
		n_fds_before[i] = lab_daemon_n_fds(&lab, (enum lab_side)i);
}

static void teardown(void)
{
	lab_stop(&lab);
	tls_lab_remove(&tls);
	leaks_teardown();
}

static void await_all_released(enum lab_side side)
{
	uint64_t deadline = clock_now_ns() + live_deadline_ns();

	for (int what = LAB_CLIENTS; what <= LAB_CHANNELS; what++)
		lab_await(&lab, side, (enum lab_count)what, 0, 10000);
	lab_await(&lab, side, LAB_PEERS, 1, 10000);
	while (lab_daemon_n_fds(&lab, side) > n_fds_before[side]) {
		ck_assert_msg(clock_now_ns() < deadline, "%zu descriptors, %zu before",
			      lab_daemon_n_fds(&lab, side), n_fds_before[side]);
		lab_listen(&lab);
		poll(NULL, 0, 10);
	}
}

START_TEST(one_rule_at_a_time)
{
	uint64_t n_packets = number_of("LIVE_FUZZ_PACKETS", N_PACKETS);
	uint64_t seed = number_of("LIVE_FUZZ_SEED", 1), begin = clock_now_ns();

	speaker_init(&speakers[HOST_CLIENT], "host client", SPEAKER_CLIENT, LAB_HOST, seed);
	speaker_init(&speakers[DPU_CLIENT], "dpu client", SPEAKER_CLIENT, LAB_DPU, seed + 1);
	speaker_init(&speakers[PEER], "peer", SPEAKER_PEER, LAB_DPU, seed + 2);
	speaker_init(&speakers[TLS_PEER], "TLS peer", SPEAKER_TLS_PEER, LAB_DPU, seed + 3);
	for (size_t i = 0; i < N_SPEAKERS; i++) {
		speakers[i].lab = &lab;
		speakers[i].tls = &tls;
		speakers[i].certificate = "fuzz";
		speakers[i].all = speakers;
		speakers[i].n_all = N_SPEAKERS;
	}
	for (int i = 0; i < LAB_N_SIDES; i++)
		live_bus_init(&operators[i], &lab, (enum lab_side)i, seed + 10 + (uint64_t)i);
	bystander_start();
	run(n_packets);
	drain();
	bystander_stop();
	print_result(seed, clock_now_ns() - begin);
	for (int i = 0; i < LAB_N_SIDES; i++)
		await_all_released((enum lab_side)i);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("live fuzz");

	tcase_add_checked_fixture(tcase, setup, teardown);
	/* A run by hand may take an hour: the deadline of each packet applies. */
	tcase_set_timeout(tcase, getenv("LIVE_FUZZ_PACKETS") != NULL ? 0 : RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, one_rule_at_a_time);
}

int main(void)
{
	lab_require();
	if (getenv("LIVE_FUZZ_PACKETS") != NULL)
		runner_set_limit(86400);
	return runner_main("live_fuzz", add_cases, NULL);
}
