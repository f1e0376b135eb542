/* Peer links; see peer_link.h. */
#include "daemon/peer_link.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/bus.h"
#include "daemon/channel.h"
#include "daemon/daemon.h"
#include "daemon/dispatch.h"
#include "daemon/export.h"
#include "daemon/import.h"
#include "daemon/journal.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/str.h"

#define PEER_BURST         64
#define PEER_QUEUE_LEN     (64u << 20)
#define PEER_CONGESTED_MIN (64u << 10)
#define PEER_CONGESTED_MAX (4u << 20)
#define PEER_BACKOFF_MIN   (50 * NS_PER_MS)
#define PEER_BACKOFF_MAX   (1000 * NS_PER_MS)
#define PEER_HELLO_NS      (5 * NS_PER_SEC)
#define PEER_STARVED_NS    (20 * NS_PER_MS)
#define PEER_MAX_FUNCTIONS 1024

static const char *const peer_states[] = {
	[PEER_WAITING] = "waiting", [PEER_GREETING] = "greeting", [PEER_LINKED] = "linked"};

const char *peer_state_name(enum peer_state state)
{
	return peer_states[state];
}

static void peer_update_io(struct peer *peer)
{
	bool starved;

	if (!peer->io || peer->state == PEER_WAITING)
		return;
	starved = conn_is_starved(peer->conn);
	/* Unlike a client, a peer is always read from: two daemons that both wait would wait for
	 * ever. */
	loop_fd_set(peer->io,
		    LOOP_READ | (conn_wants_write(peer->conn) && !starved ? LOOP_WRITE : 0u));
	if (starved)
		loop_timer_set(peer->retry, PEER_STARVED_NS);
}

/* A peer that tries again and again is logged once per reason. */
static void peer_tell_refused(struct peer *peer)
{
	struct daemon *daemon = peer->daemon;

	if (strcmp(daemon->told_peer, peer->reason) != 0)
		log_warning("no link to %s (pid %d, uid %u): %s", peer->name, peer->pid, peer->uid,
			    peer->reason);
	str_copy(daemon->told_peer, sizeof(daemon->told_peer), peer->reason);
}

/* The link is unusable from now on; the loop cleans up in its next step. */
static void peer_break(struct peer *peer, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void peer_break(struct peer *peer, const char *fmt, ...)
{
	struct journal_subject before;
	va_list ap;

	if (peer->state == PEER_WAITING)
		return;
	va_start(ap, fmt);
	vsnprintf(peer->reason, sizeof(peer->reason), fmt, ap);
	va_end(ap);
	before = journal_enter(&(struct journal_subject){.peer = peer->name});
	if (peer->state == PEER_LINKED)
		journal_log(JOURNAL_PEER_LOST, log_warning, "lost the link to %s: %s", peer->name,
			    peer->reason);
	else
		peer_tell_refused(peer);
	journal_leave(&before);
	peer->state = PEER_WAITING;
	loop_fd_set(peer->io, 0);
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

/* Everything that leaned on the connection is told. */
static void peer_disconnect(struct peer *peer)
{
	peer->state = PEER_WAITING;
	peer->io = loop_source_free(peer->io);
	peer->conn = conn_free(peer->conn);
	free(peer->functions);
	peer->functions = NULL;
	peer->n_functions = 0;
	peer_fail_requests(peer);
	while (!list_is_empty(&peer->grants))
		grant_end(list_entry(peer->grants.next, struct grant, peer_link));
	channel_peer_lost(peer->daemon, peer);
	import_peer_lost(peer->daemon, peer);
	registry_update_presence(peer->daemon);
	bus_tell(peer->daemon, BUS_PEER, BUS_CHANGED, peer);
	daemon_changed(peer->daemon);
}

struct peer *peer_free(struct peer *peer)
{
	peer_disconnect(peer);
	bus_tell(peer->daemon, BUS_PEER, BUS_REMOVED, peer);
	list_remove(&peer->link);
	loop_source_free(peer->retry);
	loop_source_free(peer->reaper);
	idmap_deinit(&peer->grant_map);
	free(peer);
	return NULL;
}

static void peer_on_reap(void *user)
{
	struct peer *peer = user;

	if (!*peer->path) {
		peer_free(peer);
		return;
	}
	peer_disconnect(peer);
	peer->told_waiting = false;
	loop_timer_set(peer->retry, peer->backoff_ns);
	peer->backoff_ns = MIN(peer->backoff_ns * 2, PEER_BACKOFF_MAX);
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
	r = conn_send(peer->conn, packet, fds, n_fds);
	if (r < 0) {
		peer_break(peer, "%s could not be sent: %s", frame_name(packet), strerror(-r));
		return -ENOTCONN;
	}
	peer_update_io(peer);
	return 0;
}

bool peer_is_congested(const struct peer *peer)
{
	struct rlimit limit = {.rlim_cur = 0};
	uint64_t max_len;

	/* A descriptor comes with some 60 bytes at least; a quarter of all may wait. */
	getrlimit(RLIMIT_NOFILE, &limit);
	max_len = MIN(limit.rlim_cur, UINT32_MAX) / 4 * 60;
	max_len = MIN(MAX(max_len, PEER_CONGESTED_MIN), PEER_CONGESTED_MAX);
	return peer->state == PEER_LINKED && conn_queue_len(peer->conn) > max_len;
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

int peer_refuse(struct peer *peer, uint64_t id, enum code code, const char *fmt, ...)
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
	       packet->body_case == DOCOCORE__PACKET__BODY_PEER_CONNECT_REPLY;
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
	/* Nobody waits any more: the descriptors are closed with the packet. */
}

static void peer_handle_packet(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	peer_handler_fn fn = dispatch_peer(packet);
	bool hello = packet->body_case == DOCOCORE__PACKET__BODY_PEER_HELLO;

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

static void peer_read(struct peer *peer)
{
	for (int i = 0; i < PEER_BURST && peer->state != PEER_WAITING; i++) {
		CLEANUP_FDSET struct fdset fds = FDSET_INIT;
		struct journal_subject before;
		Dococore__Packet *packet;
		int r = conn_recv(peer->conn, &packet, &fds);

		if (r == 0)
			return;
		if (r < 0) {
			peer_break(peer, "%s", conn_error(peer->conn));
			return;
		}
		before = journal_enter(&(struct journal_subject){.peer = peer->name});
		peer_handle_packet(peer, packet, &fds);
		journal_leave(&before);
		dococore__packet__free_unpacked(packet, NULL);
	}
}

static void peer_on_io(void *user, unsigned events)
{
	struct peer *peer = user;

	if (peer->state == PEER_WAITING)
		return;
	if (events & LOOP_WRITE && conn_flush(peer->conn) < 0)
		peer_break(peer, "peer is gone");
	if (events & LOOP_READ)
		peer_read(peer);
	peer_update_io(peer);
}

static int peer_say_hello(struct peer *peer)
{
	struct daemon *daemon = peer->daemon;
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	hello.protocol = FRAME_PROTOCOL;
	hello.side = (char *)side_name(daemon->config->side);
	hello.daemon_id = (ProtobufCBinaryData){sizeof(daemon->daemon_id), daemon->daemon_id};
	hello.version = (char *)PACKAGE_VERSION;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	return conn_send(peer->conn, &packet, NULL, 0);
}

static bool peer_is_allowed(const struct daemon *daemon, uid_t uid, gid_t gid)
{
	return uid == geteuid() || uid == 0 ||
	       who_allows(&daemon->config->peer_allow, uid, gid, NULL, 0);
}

/* Takes fd, also when it fails. */
static int peer_attach(struct peer *peer, int fd)
{
	struct conn_creds creds = {0};
	int r;

	peer->conn = conn_new(fd, PEER_QUEUE_LEN);
	if (!peer->conn) {
		r = -errno;
		fd_close(&fd);
		return r;
	}
	r = conn_get_creds(peer->conn, &creds);
	if (r < 0)
		return r;
	peer->pid = creds.pid;
	peer->uid = creds.uid;
	if (!peer_is_allowed(peer->daemon, creds.uid, creds.gid)) {
		snprintf(peer->reason, sizeof(peer->reason),
			 "uid %u may not be a peer: see key peer_allow of section [daemon]",
			 creds.uid);
		return -EPERM;
	}
	peer->io = loop_fd_new(peer->daemon->loop, fd, LOOP_READ, peer_on_io, peer);
	if (!peer->io)
		return -ENOMEM;
	r = peer_say_hello(peer);
	if (r < 0)
		return r;
	peer->state = PEER_GREETING;
	return loop_timer_set(peer->retry, PEER_HELLO_NS);
}

static void peer_retry_later(struct peer *peer, int error)
{
	if (!peer->told_waiting)
		log_info("waiting for %s at unix:%s: %s", peer->name, peer->path,
			 *peer->reason ? peer->reason : strerror(error));
	peer->told_waiting = true;
	peer->conn = conn_free(peer->conn);
	peer->io = loop_source_free(peer->io);
	peer->state = PEER_WAITING;
	loop_timer_set(peer->retry, peer->backoff_ns);
	peer->backoff_ns = MIN(peer->backoff_ns * 2, PEER_BACKOFF_MAX);
}

static void peer_connect(struct peer *peer)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	peer->reason[0] = '\0';
	memcpy(addr.sun_path, peer->path, sizeof(addr.sun_path));
	if (fd < 0 || connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0) {
		peer_retry_later(peer, errno);
		return;
	}
	r = peer_attach(peer, fd_steal(&fd));
	if (r < 0)
		peer_retry_later(peer, -r);
}

static void peer_on_retry(void *user)
{
	struct peer *peer = user;

	switch (peer->state) {
	case PEER_WAITING:
		if (*peer->path)
			peer_connect(peer);
		break;
	case PEER_GREETING:
		peer_break(peer, "it did not say hello");
		break;
	case PEER_LINKED:
		if (conn_flush(peer->conn) < 0)
			peer_break(peer, "peer is gone");
		peer_update_io(peer);
		break;
	}
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
	peer->id = ++daemon->last_peer_id;
	list_append(&daemon->peers, &peer->link);
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
	str_copy(peer->path, sizeof(peer->path), config->path);
	peer_connect(peer);
	*peer_out = peer;
	return 0;
}

int peer_accept(struct daemon *daemon, int fd)
{
	struct peer *peer = peer_alloc(daemon, "a daemon");
	int r;

	if (!peer) {
		fd_close(&fd);
		return -ENOMEM;
	}
	r = peer_attach(peer, fd);
	if (r < 0) {
		if (!*peer->reason)
			snprintf(peer->reason, sizeof(peer->reason), "%s", strerror(-r));
		peer_tell_refused(peer);
		peer_free(peer);
	}
	return r;
}

struct peer *peer_next_linked(struct daemon *daemon, struct peer *after)
{
	struct list *at = after ? after->link.next : daemon->peers.next;

	for (; at != &daemon->peers; at = at->next) {
		struct peer *peer = list_entry(at, struct peer, link);

		if (peer->state == PEER_LINKED)
			return peer;
	}
	return NULL;
}

bool peer_has_function(const struct peer *peer, const char *pci_addr)
{
	for (size_t i = 0; i < peer->n_functions; i++)
		if (strcmp(peer->functions[i].pci_addr, pci_addr) == 0)
			return true;
	return false;
}

static void peer_send_functions(struct peer *peer)
{
	const struct registry *registry = &peer->daemon->registry;
	Dococore__PeerFunctions list = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__PeerFunction functions[TOPOLOGY_MAX_DEVICES];
	Dococore__PeerFunction *pointers[TOPOLOGY_MAX_DEVICES];

	for (size_t i = 0; i < registry->n_devices && i < TOPOLOGY_MAX_DEVICES; i++) {
		const struct device_spec *spec = registry->devices[i].spec;
		Dococore__PeerFunction *m = &functions[i];

		dococore__peer_function__init(m);
		m->pci_addr = (char *)spec->pci_addr;
		m->vuid = (char *)spec->vuid;
		m->name = (char *)spec->name;
		m->iface = (char *)spec->iface;
		m->func_type = (uint32_t)spec->func_type;
		m->vhca_id = spec->vhca_id;
		pointers[list.n_functions++] = m;
	}
	list.functions = pointers;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &list;
	(void)peer_send(peer, &packet, NULL, 0);
}

static bool peer_is_by_host(const struct peer *peer)
{
	return (*peer->path != '\0') == (peer->daemon->config->side == SIDE_HOST);
}

static bool peer_has_ended(const struct peer *peer)
{
	struct pollfd p = {.fd = conn_fd(peer->conn), .events = POLLRDHUP};

	return poll(&p, 1, 0) == 1;
}

/*
 * Two links to one daemon: each side may be configured to connect to the other, or an old link's
 * end has not been seen yet. Both daemons must choose alike: the host's link wins, else the living
 * older one.
 */
static bool peer_loses_to(const struct peer *peer, const struct peer *older)
{
	if (peer_is_by_host(peer) != peer_is_by_host(older))
		return !peer_is_by_host(peer);
	return !peer_has_ended(older);
}

/* 0, or -EEXIST and the link is broken. */
static int peer_check_only_link(struct peer *peer)
{
	struct peer *other;

	list_for_each(other, &peer->daemon->peers, link)
	{
		if (other == peer || other->state != PEER_LINKED ||
		    memcmp(other->daemon_id, peer->daemon_id, PEER_DAEMON_ID_LEN) != 0)
			continue;
		if (peer_loses_to(peer, other)) {
			peer_break(peer, "it is linked already, as %s", other->name);
			return -EEXIST;
		}
		peer_break(other, "the same daemon has linked anew");
	}
	return 0;
}

int peer_on_hello(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerHello *hello = packet->peer_hello;

	(void)fds;
	if (hello->protocol != FRAME_PROTOCOL) {
		peer_break(peer,
			   "it speaks protocol %u (version %.20s), this daemon speaks %u: install "
			   "the same "
			   "version on both sides",
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
	snprintf(peer->version, sizeof(peer->version), "%s", hello->version);
	if (peer_check_only_link(peer) < 0)
		return 0;
	if (!*peer->path)
		snprintf(peer->name, sizeof(peer->name), "%s-%d", side_name(peer->side), peer->pid);
	peer->state = PEER_LINKED;
	peer->linked_at_ns = daemon_wall_clock_ns();
	peer->n_links++;
	peer->backoff_ns = PEER_BACKOFF_MIN;
	peer->reason[0] = '\0';
	peer->daemon->told_peer[0] = '\0';
	loop_timer_cancel(peer->retry);
	journal_log(JOURNAL_PEER_LINKED, log_info, "linked to %s: dococored %s of side %s, pid %d",
		    peer->name, peer->version, side_name(peer->side), peer->pid);
	import_peer_linked(peer->daemon, peer);
	channel_peer_linked(peer->daemon, peer);
	bus_tell(peer->daemon, BUS_PEER, BUS_CHANGED, peer);
	peer_send_functions(peer);
	daemon_changed(peer->daemon);
	return 0;
}

int peer_on_functions(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerFunctions *list = packet->peer_functions;
	struct peer_function *functions;

	(void)fds;
	if (list->n_functions > PEER_MAX_FUNCTIONS)
		return -EPROTO;
	functions = calloc(list->n_functions + 1, sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_functions; i++) {
		const Dococore__PeerFunction *m = list->functions[i];
		struct peer_function *to = &functions[i];

		if (str_pci_normalize(m->pci_addr, to->pci_addr) < 0) {
			free(functions);
			return -EPROTO;
		}
		snprintf(to->vuid, sizeof(to->vuid), "%s", m->vuid);
		snprintf(to->name, sizeof(to->name), "%s", m->name);
		snprintf(to->iface, sizeof(to->iface), "%s", m->iface);
		to->func_type = m->func_type;
		to->vhca_id = m->vhca_id;
	}
	free(peer->functions);
	peer->functions = functions;
	peer->n_functions = list->n_functions;
	registry_update_presence(peer->daemon);
	return 0;
}
