/* Peer links; see daemon/peer/peer.h. */
#include "daemon/peer/peer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/base/journal.h"
#include "daemon/base/version.h"
#include "daemon/base/daemon.h"
#include "daemon/topology/topology.h"
#include "daemon/peer/carrier_tls.h"
#include "daemon/peer/carrier_unix.h"
#include "daemon/session/grace_period.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/str.h"

#define PEER_NOT_ALLOWED     "uid %u may not be a peer: see key peer_allow of section [daemon]"
#define PEER_BACKOFF_MIN     (50 * NS_PER_MS)
#define PEER_BACKOFF_MAX     (1000 * NS_PER_MS)
#define PEER_TLS_BACKOFF_MAX (10000 * NS_PER_MS)
#define PEER_STEADY_NS       (5 * NS_PER_SEC) /* a link that lasted this long counts as stable */
#define PEER_HELLO_NS        (5 * NS_PER_SEC)

static const char *const peer_states[] = {[PEER_WAITING] = "waiting",
					  [PEER_CONNECTING] = "connecting",
					  [PEER_GREETING] = "greeting",
					  [PEER_LINKED] = "linked",
					  [PEER_EXPECTED] = "expected"};

const char *peer_state_name(enum peer_state state)
{
	return peer_states[state];
}

void peer_break(struct peer *peer, const char *fmt, ...)
{
	bool was_linked = peer->state == PEER_LINKED;
	struct journal_subject before;
	va_list ap;

	if (peer->state == PEER_WAITING || peer->state == PEER_EXPECTED)
		return;
	va_start(ap, fmt);
	vsnprintf(peer->reason, sizeof(peer->reason), fmt, ap);
	va_end(ap);
	str_make_printable(peer->reason);
	before = journal_enter(&(struct journal_subject){.peer = peer->name});
	if (peer->state == PEER_LINKED)
		journal_log(JOURNAL_PEER_LOST, log_warning, "lost the link to %s: %s", peer->name,
			    peer->reason);
	else
		peer_log_refused(peer);
	journal_leave(&before);
	peer_expected_set_reason(peer);
	peer->state = PEER_WAITING;
	carrier_stop(peer->carrier);
	/* With several peers, or two links to one, the others serve. */
	if (was_linked && !peer_next_linked(peer->daemon, NULL))
		grace_period_begin(peer->daemon, clock_now_ns() - peer->linked_mono_ns);
	loop_deferred_set(peer->reaper);
}

static void peer_fail_requests(struct peer *peer)
{
	while (!list_is_empty(&peer->requests)) {
		struct peer_request *request = list_entry(peer->requests.next, struct peer_request,
							  link);

		peer_request_cancel(request);
		request->fn(request, NULL, NULL);
	}
}

/* Ends everything that depends on the connection. */
static void peer_end_dependents(struct peer *peer)
{
	free(peer->functions);
	free(peer->incoming);
	peer->functions = peer->incoming = NULL;
	peer->n_functions = peer->n_incoming = 0;
	peer_fail_requests(peer);
	peer_call_lost(peer);
}

static void peer_disconnect(struct peer *peer)
{
	peer->state = PEER_WAITING;
	peer_alive_stop(peer);
	peer->carrier = carrier_free(peer->carrier);
	/*
	 * No object depends on a connection that was never linked, and peers may open such
	 * connections at any rate.
	 */
	if (peer->n_links)
		peer_end_dependents(peer);
	events_emit(&peer->daemon->events, OBJECT_PEER, OBJECT_CHANGED, peer);
	if (peer->is_announced)
		events_emit_totals(&peer->daemon->events);
}

struct peer *peer_free(struct peer *peer)
{
	peer_disconnect(peer);
	events_emit(&peer->daemon->events, OBJECT_PEER, OBJECT_REMOVED, peer);
	list_remove(&peer->link);
	peer_expected_announce(peer, false);
	loop_source_free(peer->retry);
	loop_source_free(peer->reaper);
	idmap_deinit(&peer->grant_map);
	free(peer);
	return NULL;
}

/*
 * Randomises the delay, so that daemons that were started together do not keep retrying at the same
 * time.
 */
static uint64_t peer_jitter(uint64_t delay_ns)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		return delay_ns;
	return delay_ns * 3 / 4 + delay_ns / 2 * (random >> 16) / 65536;
}

static void peer_schedule_retry(struct peer *peer)
{
	uint64_t max_ns = peer->is_tls ? PEER_TLS_BACKOFF_MAX : PEER_BACKOFF_MAX;

	peer->state = PEER_WAITING;
	peer->carrier = carrier_free(peer->carrier);
	loop_timer_set(peer->retry, peer_jitter(peer->backoff_ns));
	peer->backoff_ns = MIN(peer->backoff_ns * 2, max_ns);
}

static void peer_on_reap(void *user)
{
	struct peer *peer = user;

	if (!peer->is_ours) {
		peer_free(peer);
		return;
	}
	if (peer->linked_mono_ns && clock_now_ns() - peer->linked_mono_ns >= PEER_STEADY_NS)
		peer->backoff_ns = PEER_BACKOFF_MIN;
	peer->linked_mono_ns = 0;
	peer_disconnect(peer);
	peer_schedule_retry(peer);
}

void peer_request_init(struct peer_request *request, peer_reply_fn fn)
{
	*request = (struct peer_request){.fn = fn};
	list_init(&request->link);
}

void peer_request_cancel(struct peer_request *request)
{
	list_remove(&request->link);
	request->peer = NULL;
}

int peer_send(struct peer *peer, Dococore__Packet *packet, const int *fds, size_t n_fds)
{
	int r;

	if (!peer || peer->state != PEER_LINKED)
		return -ENOTCONN;
	r = carrier_send(peer->carrier, packet, fds, n_fds);
	if (r == 0 || r == -EOPNOTSUPP)
		return r;
	if (r == -ENOBUFS)
		peer_break(peer, "it does not take what it is sent: %zu bytes wait",
			   carrier_queue_len(peer->carrier));
	else
		peer_break(peer, "%s could not be sent: %s", frame_name(packet), strerror(-r));
	return -ENOTCONN;
}

bool peer_passes_fds(const struct peer *peer)
{
	return !peer->is_tls;
}

bool peer_relays_copies(const struct peer *peer)
{
	return peer && peer->relays_copies && !peer_passes_fds(peer);
}

int peer_ask(struct peer *peer, struct peer_request *request, Dococore__Packet *packet,
	     const int *fds, size_t n_fds)
{
	int r;

	packet->id = peer->next_request_id + 1;
	r = peer_send(peer, packet, fds, n_fds);
	if (r < 0)
		return r;
	request->id = ++peer->next_request_id;
	request->peer = peer;
	list_append(&peer->requests, &request->link);
	return 0;
}

int peer_fail_refused(struct peer *peer, uint64_t id, enum code code, const char *fmt, ...)
{
	Dococore__Error error = DOCOCORE__ERROR__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char text[401];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	error.code = (uint32_t)code;
	error.text = text;
	packet.id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
	packet.error = &error;
	(void)peer_send(peer, &packet, NULL, 0);
	return 0;
}

static bool peer_is_answer(const Dococore__Packet *packet)
{
	return packet->body_case == DOCOCORE__PACKET__BODY_ERROR ||
	       packet->body_case == DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY ||
	       packet->body_case == DOCOCORE__PACKET__BODY_PEER_CONNECT_REPLY ||
	       packet->body_case == DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT_REPLY;
}

static void peer_handle_answer(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	struct peer_request *request, *tmp;

	list_for_each_safe(request, tmp, &peer->requests, link)
	{
		if (request->id != packet->id)
			continue;
		peer_request_cancel(request);
		request->fn(request, packet, fds);
		return;
	}
	/* The requester no longer waits: the descriptors are closed with the packet. */
}

static void peer_handle_packet(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	peer_handler_fn fn = peer->daemon->peer_hooks->route(packet);
	bool hello = packet->body_case == DOCOCORE__PACKET__BODY_PEER_HELLO;

	if (peer->is_tls && peer->state == PEER_LINKED)
		peer->alive.received_ns = clock_now_ns();
	/* The text is forwarded to a client and to its log. */
	if (packet->body_case == DOCOCORE__PACKET__BODY_ERROR)
		str_make_printable(packet->error->text);
	if (packet->body_case == DOCOCORE__PACKET__BODY_ERROR && packet->id == 0)
		peer_break(peer, "it says: %.100s", packet->error->text);
	else if (hello != (peer->state == PEER_GREETING))
		peer_break(peer, "%s out of order", frame_name(packet));
	else if (peer_is_answer(packet))
		peer_handle_answer(peer, packet, fds);
	else if (!fn)
		peer_break(peer, "%s is not for peers", frame_name(packet));
	else if (fn(peer, packet, fds) < 0)
		peer_break(peer, "%s broke the protocol", frame_name(packet));
}

static void peer_on_packet(void *user, const Dococore__Packet *packet, struct fdset *fds)
{
	struct peer *peer = user;
	struct journal_subject before;

	before = journal_enter(&(struct journal_subject){.peer = peer->name});
	peer_handle_packet(peer, packet, fds);
	journal_leave(&before);
}

static void peer_on_broken(void *user)
{
	struct peer *peer = user;

	peer_break(peer, "%s", peer->carrier->reason);
}

/* Reads the kernel's boot id, which is new at each boot. */
static bool peer_get_boot_id(uint8_t boot_id[16])
{
	CLEANUP_FD int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char text[64] = "";
	size_t n = 0;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return false;
	for (const char *at = text;
	     n < 16 && isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1]);
	     at += 2 + (at[2] == '-'))
		boot_id[n++] = (uint8_t)strtoul((const char[]){at[0], at[1], '\0'}, NULL, 16);
	return n == 16;
}

static int peer_send_hello(struct peer *peer)
{
	struct daemon *daemon = peer->daemon;
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	uint8_t boot_id[16];

	hello.protocol = FRAME_PROTOCOL;
	hello.protocol_min = FRAME_PROTOCOL_MIN;
	if (peer_get_boot_id(boot_id))
		hello.boot_id = (ProtobufCBinaryData){sizeof(boot_id), boot_id};
	hello.knows_ends = true;
	hello.relays_copies = true;
	hello.remote_consumers = true;
	hello.pages_functions = true;
	hello.side = (char *)side_name(daemon->config->side);
	hello.daemon_id = (ProtobufCBinaryData){sizeof(daemon->daemon_id), daemon->daemon_id};
	hello.version = (char *)daemon_version();
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	return carrier_send(peer->carrier, &packet, NULL, 0);
}

static bool peer_is_allowed(const struct daemon *daemon, uid_t uid, gid_t gid)
{
	return uid == geteuid() || uid == 0 ||
	       acl_allows(&daemon->config->peer_allow, uid, gid, NULL, 0);
}

/* Starts the handshake of the protocol, after the carrier's authentication. Returns 0 or -errno. */
static int peer_greet(struct peer *peer, uint64_t limit_ns)
{
	int r = peer_send_hello(peer);

	if (r < 0)
		return r;
	peer->state = PEER_GREETING;
	return loop_timer_set(peer->retry, limit_ns);
}

bool peer_recheck(struct peer *peer)
{
	const char *wrong = NULL;

	if (!peer->carrier || peer->state == PEER_WAITING)
		return true;
	if (!peer->is_tls) {
		if (peer_is_allowed(peer->daemon, peer->uid, peer->gid))
			return true;
		peer_break(peer, PEER_NOT_ALLOWED, peer->uid);
		return false;
	}
	if (peer->daemon->peers->tls)
		wrong = carrier_tls_recheck(peer->carrier, peer->daemon->peers->tls);
	if (wrong)
		peer_break(peer, "%s", wrong);
	return !wrong;
}

static void peer_on_open(void *user)
{
	struct peer *peer = user;
	int r;

	str_copy(peer->subject, sizeof(peer->subject), carrier_tls_subject(peer->carrier));
	if (!peer->is_ours) {
		str_copy(peer->name, sizeof(peer->name), carrier_tls_name(peer->carrier));
		peer_expected_announce(peer, true);
		peer->is_announced = true;
		events_emit(&peer->daemon->events, OBJECT_PEER, OBJECT_ADDED, peer);
	}
	/* The TLS handshake may have begun before a reload of the configuration. */
	if (!peer_recheck(peer))
		return;
	r = peer_greet(peer, peer->daemon->config->tls.handshake_ns);
	if (r < 0)
		peer_break(peer, "%s", strerror(-r));
}

static const struct carrier_owner peer_owner = {
	.on_open = peer_on_open,
	.on_packet = peer_on_packet,
	.on_writable = peer_call_writable,
	.on_broken = peer_on_broken,
};

/* Takes ownership of fd, also on failure. */
static int peer_attach(struct peer *peer, int fd)
{
	struct conn_creds creds = {0};
	struct carrier_unix_options options = {
		.loop = peer->daemon->loop,
		.in_flights = peer->daemon->in_flights,
		.deferred_close = peer->daemon->deferred_close,
		.owner = &peer_owner,
		.user = peer,
	};
	int r = carrier_unix_new(&options, fd, &peer->carrier);

	if (r == 0)
		r = carrier_unix_get_creds(peer->carrier, &creds);
	if (r < 0)
		return r;
	peer->pid = creds.pid;
	peer->uid = creds.uid;
	peer->gid = creds.gid;
	if (!peer_is_allowed(peer->daemon, creds.uid, creds.gid)) {
		snprintf(peer->reason, sizeof(peer->reason), PEER_NOT_ALLOWED, creds.uid);
		return -EPERM;
	}
	return peer_greet(peer, PEER_HELLO_NS);
}

/* Handles a connection attempt that could not be started. */
static void peer_fail(struct peer *peer, int error)
{
	if (!*peer->reason)
		snprintf(peer->reason, sizeof(peer->reason), "%s", strerror(error));
	peer_log_refused(peer);
	peer_schedule_retry(peer);
}

static void peer_connect_unix(struct peer *peer)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	memcpy(addr.sun_path, peer->path, sizeof(addr.sun_path));
	if (fd < 0 || connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0) {
		peer_fail(peer, errno);
		return;
	}
	r = peer_attach(peer, fd_steal(&fd));
	if (r < 0)
		peer_fail(peer, -r);
}

static struct carrier_tls_options peer_tls_options(struct peer *peer)
{
	struct daemon *daemon = peer->daemon;

	return (struct carrier_tls_options){
		.loop = daemon->loop,
		.tls = daemon->peers->tls,
		.config = (const struct config *const *)&daemon->config,
		.step_ns = daemon->config->tls.handshake_ns,
		.owner = &peer_owner,
		.user = peer,
	};
}

static void peer_connect_tls(struct peer *peer)
{
	const struct carrier_tls_options options = peer_tls_options(peer);
	const struct config_peer *config = config_find_peer(peer->daemon->config, peer->name);
	int r = -ENOENT;

	if (config && options.tls)
		r = carrier_tls_connect(&options, config, &peer->carrier);
	if (r < 0)
		peer_fail(peer, -r);
	else
		peer->state = PEER_CONNECTING;
}

static void peer_connect(struct peer *peer)
{
	peer->reason[0] = '\0';
	if (peer->is_tls)
		peer_connect_tls(peer);
	else
		peer_connect_unix(peer);
}

static void peer_on_retry(void *user)
{
	struct peer *peer = user;

	if (peer->state == PEER_GREETING)
		peer_break(peer, "it did not say hello");
	else if (peer->state == PEER_WAITING && peer->is_ours)
		peer_connect(peer);
}

static struct peer *peer_alloc(struct daemon *daemon, const char *name)
{
	struct peer *peer = calloc(1, sizeof(*peer));

	if (!peer)
		return NULL;
	peer->daemon = daemon;
	peer->backoff_ns = PEER_BACKOFF_MIN;
	str_copy(peer->name, sizeof(peer->name), name);
	list_init(&peer->requests);
	list_init(&peer->grants);
	peer->id = ++daemon->peers->last_id;
	list_append(&daemon->peers->list, &peer->link);
	peer->retry = loop_timer_new(daemon->loop, peer_on_retry, peer);
	peer->reaper = loop_deferred_new(daemon->loop, peer_on_reap, peer);
	if (!peer->retry || !peer->reaper)
		return peer_free(peer);
	return peer;
}

int peer_new(struct daemon *daemon, const struct config_peer *config, struct peer **peer_out)
{
	struct peer *peer = peer_alloc(daemon, config->name);

	if (!peer)
		return -ENOMEM;
	peer->is_ours = peer->is_announced = true;
	peer->is_default = config->is_default;
	peer->is_tls = *config->host != '\0';
	str_copy(peer->path, sizeof(peer->path), config->path);
	if (peer->is_tls)
		snprintf(peer->address, sizeof(peer->address),
			 strchr(config->host, ':') ? "tls:[%s]:%u" : "tls:%s:%u", config->host,
			 config->port);
	else
		snprintf(peer->address, sizeof(peer->address), "unix:%s", config->path);
	events_emit(&daemon->events, OBJECT_PEER, OBJECT_ADDED, peer);
	peer_connect(peer);
	*peer_out = peer;
	return 0;
}

int peer_expect(struct daemon *daemon, const struct config_peer *config)
{
	struct peer *peer = peer_alloc(daemon, config->name);

	if (!peer)
		return -ENOMEM;
	peer->is_tls = peer->is_announced = true;
	peer->state = PEER_EXPECTED;
	str_copy(peer->reason, sizeof(peer->reason), "it has not connected to this daemon yet");
	if (!peer_is_connected(peer))
		events_emit(&daemon->events, OBJECT_PEER, OBJECT_ADDED, peer);
	return 0;
}

static int peer_reject(struct peer *peer, int r)
{
	if (!*peer->reason)
		snprintf(peer->reason, sizeof(peer->reason), "%s", strerror(-r));
	peer_log_refused(peer);
	peer_free(peer);
	return r;
}

int peer_accept(struct daemon *daemon, int fd)
{
	struct peer *peer = peer_alloc(daemon, "a daemon");
	int r;

	if (!peer) {
		fd_close(&fd);
		return -ENOMEM;
	}
	str_copy(peer->address, sizeof(peer->address), "unix:");
	r = peer_attach(peer, fd);
	if (r == 0 && peer_exceeds_share(peer)) {
		snprintf(
			peer->reason, sizeof(peer->reason),
			"the daemons of uid %u hold as many descriptors of this daemon as are left "
			"for other users: end some of them, or raise LimitNOFILE of the service",
			peer->uid);
		r = -EDQUOT;
	}
	return r < 0 ? peer_reject(peer, r) : 0;
}

int peer_accept_tls(struct daemon *daemon, int fd)
{
	struct peer *peer = peer_alloc(daemon, "a daemon");
	struct carrier_tls_options options;
	int r;

	if (!peer || !daemon->peers->tls) {
		if (peer)
			peer_free(peer);
		fd_close(&fd);
		return -ENOMEM;
	}
	peer->is_tls = true;
	options = peer_tls_options(peer);
	r = carrier_tls_accept(&options, fd, &peer->carrier);
	if (r < 0) {
		peer_free(peer);
		return r;
	}
	snprintf(peer->address, sizeof(peer->address), "tls:%s",
		 carrier_tls_address(peer->carrier));
	peer_find_network(peer);
	peer->state = PEER_CONNECTING;
	peer_limit_half_open(peer);
	return 0;
}

struct peer *peer_next_linked(struct daemon *daemon, struct peer *after)
{
	struct list *at = after ? after->link.next : daemon->peers->list.next;

	for (; at != &daemon->peers->list; at = at->next) {
		struct peer *peer = list_entry(at, struct peer, link);

		if (peer->state == PEER_LINKED)
			return peer;
	}
	return NULL;
}

static bool peer_is_by_host(const struct peer *peer)
{
	return peer->is_ours == (peer->daemon->config->side == SIDE_HOST);
}

/*
 * Chooses between two links to one daemon. Each side may be configured to connect to the other, or
 * the end of an old link has not been seen yet. If both links are alive, both daemons must choose
 * the same one: the host's link wins, otherwise the older one.
 */
static bool peer_loses_to(const struct peer *peer, const struct peer *older)
{
	if (carrier_has_ended(older->carrier))
		return false;
	return !peer_is_by_host(peer) || peer_is_by_host(older);
}

/*
 * True if a different daemon uses the certificate of the same [peer]. The earlier daemon has ended
 * or restarted, which the network reports late or never.
 */
static bool peer_replaces(const struct peer *peer, const struct peer *older)
{
	return peer->is_tls && older->is_tls && strcmp(peer->name, older->name) == 0;
}

/* Returns 0, or -EEXIST after breaking the link. */
static int peer_check_only_link(struct peer *peer)
{
	struct peer *other;

	list_for_each(other, &peer->daemon->peers->list, link)
	{
		if (other == peer || other->state != PEER_LINKED)
			continue;
		if (memcmp(other->daemon_id, peer->daemon_id, PEER_DAEMON_ID_LEN) != 0) {
			if (peer_replaces(peer, other))
				peer_break(other, "another daemon has linked as %s", peer->name);
			continue;
		}
		if (peer_loses_to(peer, other)) {
			peer_break(peer, "it is linked already, as %s", other->name);
			return -EEXIST;
		}
		peer_break(other, "the same daemon has linked again");
	}
	return 0;
}

/* True if the version ranges overlap: the smaller of the two maxima is not below either minimum. */
static bool peer_supports_version(const Dococore__PeerHello *hello)
{
	uint32_t min = hello->protocol_min ? hello->protocol_min : hello->protocol;
	uint32_t agreed = MIN(hello->protocol, FRAME_PROTOCOL);

	return agreed >= min && agreed >= FRAME_PROTOCOL_MIN;
}

static void peer_log_linked(const struct peer *peer)
{
	if (peer->is_tls)
		journal_log(JOURNAL_PEER_LINKED, log_info,
			    "linked to %s: dococored %s of side %s at %s, certificate '%.100s'",
			    peer->name, peer->version, side_name(peer->side), peer->address,
			    peer->subject);
	else
		journal_log(JOURNAL_PEER_LINKED, log_info,
			    "linked to %s: dococored %s of side %s, pid %d", peer->name,
			    peer->version, side_name(peer->side), peer->pid);
}

static bool peer_is_same_kernel(const Dococore__PeerHello *hello)
{
	uint8_t boot_id[16];

	return hello->boot_id.len == sizeof(boot_id) && peer_get_boot_id(boot_id) &&
	       memcmp(boot_id, hello->boot_id.data, sizeof(boot_id)) == 0;
}

int peer_on_hello(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerHello *hello = packet->peer_hello;
	enum object_change what;
	const char *owner;

	(void)fds;
	if (!peer_supports_version(hello)) {
		peer_break(peer,
			   "it speaks protocol %u (version %.20s), this daemon speaks %u: install "
			   "the same version on both sides",
			   hello->protocol, hello->version, FRAME_PROTOCOL);
		return 0;
	}
	if (side_parse(hello->side, &peer->side) < 0 || peer->side == peer->daemon->config->side) {
		peer_break(peer,
			   "it is of side '%.20s', and so is this daemon: peers are of different "
			   "sides",
			   hello->side);
		return 0;
	}
	memcpy(peer->daemon_id, hello->daemon_id.data, PEER_DAEMON_ID_LEN);
	if (!peer_identity_claim(peer, &owner)) {
		peer_break(peer, "the daemon id that it announces is that of %s", owner);
		return 0;
	}
	snprintf(peer->version, sizeof(peer->version), "%s", hello->version);
	str_make_printable(peer->version);
	if (peer_check_only_link(peer) < 0)
		return 0;
	peer->same_kernel = peer_is_same_kernel(hello);
	peer->knows_ends = hello->knows_ends;
	peer->relays_copies = hello->relays_copies;
	peer->remote_consumers = hello->remote_consumers;
	peer->pages_functions = hello->pages_functions;
	peer->logged_left_out = false;
	peer->has_listed_ends = false;
	if (!peer->is_ours && !peer->is_tls)
		snprintf(peer->name, sizeof(peer->name), "%s-%d", side_name(peer->side), peer->pid);
	peer->state = PEER_LINKED;
	peer->linked_at_ns = clock_wall_ns();
	peer->linked_mono_ns = clock_now_ns();
	peer->n_links++;
	if (!peer->is_tls)
		peer->backoff_ns = PEER_BACKOFF_MIN;
	peer->reason[0] = '\0';
	peer_log_forget(peer);
	loop_timer_cancel(peer->retry);
	peer_log_linked(peer);
	peer_call_linked(peer);
	peer_expected_set_reason(peer);
	what = peer->is_announced ? OBJECT_CHANGED : OBJECT_ADDED;
	peer->is_announced = true;
	events_emit(&peer->daemon->events, OBJECT_PEER, what, peer);
	peer_call_greeted(peer);
	peer_alive_start(peer);
	events_emit_totals(&peer->daemon->events);
	return 0;
}
