/* Creates and connects the objects of one daemon; see daemon.h. */
#include "daemon/base/deferred_close.h"
#include "daemon/daemon.h"
#include "daemon/comch/comch.h"
#include "daemon/memory/memory.h"
#include "daemon/rdma/rdma.h"
#include "daemon/device/device.h"
#include "daemon/config/config.h"
#include "daemon/config/runtime_dir.h"
#include "daemon/topology/topology.h"
#include "daemon/base/loop.h"
#include "daemon/session/listener.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/client_doorbell.h"
#include "daemon/base/in_flight.h"
#include "daemon/base/inherit.h"
#include "daemon/base/journal.h"
#include "daemon/base/log_limit.h"
#include "daemon/base/notify.h"
#include "daemon/base/trim.h"
#include "daemon/base/version.h"
#include "daemon/base/watchdog.h"
#include "daemon/comch/channel.h"
#include "daemon/dbus/bus.h"
#include "daemon/device/hotplug.h"
#include "daemon/dispatch.h"
#include "daemon/peer/peer.h"
#include "daemon/peer/tls.h"
#include "daemon/resume/resume.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "daemon/store/fdstore.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/str.h"
#include "util/util.h"

#define STATUS_DELAY_NS (100 * NS_PER_MS)
/* Retry interval while the service manager does not read. */
#define STATUS_RETRY_NS     (500 * NS_PER_MS)
#define DAEMON_INTERNAL_FDS 256u
/* The part of RLIMIT_NOFILE that peers over Unix sockets may hold together, and its maximum. */
#define DAEMON_PEER_PART    8u
#define DAEMON_PEER_FDS_MAX 16384u

/* A daemon with what its rooms own and what this file alone needs. */
struct instance {
	struct daemon daemon;
	struct daemon_options options;
	struct registry registry;
	struct hotplug *hotplug; /* keeps the registry as the machine is */
	struct sessions sessions;
	struct peers peers;
	struct memory memory;
	struct comch comch;
	struct rdma rdma;
	struct persistence persistence;
	struct listener *clients;
	struct listener *peer_listener, *tls_listener;
	struct watchdog *watchdog;
	struct loop_source *on_term, *on_int, *on_hup, *status;
	struct events_subscriber status_subscriber;
	bool status_due;
};

_Static_assert(DAEMON_PATH_LEN == CONFIG_PATH_LEN, "paths of sockets");

static struct instance *instance_of(struct daemon *daemon)
{
	return container_of(daemon, struct instance, daemon);
}

/* How many objects there are, for people: "1 client, 2 exports, ...". */
struct daemon_counts {
	char text[120];
};

static unsigned daemon_count_linked(struct daemon *daemon)
{
	unsigned n = 0;

	for (struct peer *p = peer_next_linked(daemon, NULL); p; p = peer_next_linked(daemon, p))
		n++;
	return n;
}

static struct daemon_counts daemon_counts(const struct daemon *daemon)
{
	const struct {
		unsigned n;
		const char *what;
	} counts[] = {{daemon->sessions->n, "client"},
		      {daemon->memory->n_exports, "export"},
		      {daemon->memory->n_imports, "import"},
		      {daemon->comch->n_services, "server"},
		      {daemon->comch->n_channels, "channel"}};
	struct daemon_counts status = {.text = ""};
	int len = 0;

	/* Numbers have at most 10 digits each, so the text fits. */
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		len += snprintf(status.text + len, sizeof(status.text) - (size_t)len, "%s%u %s%s",
				i ? ", " : "", counts[i].n, counts[i].what,
				counts[i].n == 1 ? "" : "s");
	return status;
}

static void daemon_on_status(void *user)
{
	struct daemon *daemon = user;
	struct instance *instance = instance_of(daemon);
	struct daemon_counts counts = daemon_counts(daemon);
	unsigned n_linked = daemon_count_linked(daemon);
	int r;

	instance->status_due = false;
	r = fdstore_flush()
		    ? notify_status("side %s: %s, %u linked peer%s%s%s%s",
				    side_name(daemon->config->side), counts.text, n_linked,
				    n_linked == 1 ? "" : "s",
				    daemon->registry->n_devices ? "" : "; no device",
				    *daemon->reload_error ? "; new configuration refused: " : "",
				    daemon->reload_error)
		    : -EAGAIN;
	if (r == -EAGAIN)
		instance->status_due = loop_timer_set(instance->status, STATUS_RETRY_NS) == 0;
	bus_changed(daemon->bus);
}

static void daemon_on_totals(void *user)
{
	struct daemon *daemon = user;
	struct instance *instance = instance_of(daemon);

	if (instance->status_due || daemon->stopping || !instance->status)
		return;
	instance->status_due = loop_timer_set(instance->status, STATUS_DELAY_NS) == 0;
}

static void daemon_on_term(void *user)
{
	struct daemon *daemon = user;

	journal_log(JOURNAL_STOPPING, log_info, "stopping: %u client%s connected, data paths go on",
		    daemon->sessions->n, daemon->sessions->n == 1 ? " is" : "s are");
	loop_stop(daemon->loop);
}

static void daemon_on_hup(void *user)
{
	daemon_reload(user);
}

static int daemon_name_socket(struct daemon *daemon)
{
	int r = runtime_dir_find(daemon->options, daemon->runtime_dir, sizeof(daemon->runtime_dir));

	if (r < 0)
		return r;
	if (snprintf(daemon->socket_path, sizeof(daemon->socket_path), "%s/%s.sock",
		     daemon->runtime_dir,
		     side_name(daemon->options->side)) < (int)sizeof(daemon->socket_path))
		return 0;
	log_error("runtime directory %.200s: the path of a socket in it is longer than %d bytes",
		  daemon->runtime_dir, CONFIG_PATH_LEN - 1);
	return -ENAMETOOLONG;
}

/*
 * Checks rules between the files: a policy rule for a device that does not exist is a typing error
 * that would leave another device open or closed.
 */
static int daemon_check_policy(const struct daemon *daemon, const struct config *config,
			       struct ini_error *error)
{
	const struct registry *registry = daemon->registry;
	struct ini_position at = {.file = config->file, .error = error};
	int r = 0;

	for (size_t i = 0; i < config->policy.n_rules; i++) {
		const struct policy_rule *rule = &config->policy.rules[i];
		bool matches = false;

		for (size_t j = 0; j < registry->n_devices; j++)
			matches = matches ||
				  policy_rule_matches(rule, registry->devices[j].spec->name);
		at.line = rule->line;
		if (matches)
			continue;
		/* The device may be plugged in later. */
		if (registry->topology->discover)
			log_warning("section [policy]: key '%s' is for no device that is there now",
				    rule->device);
		else
			r = ini_refuse_key(&at, rule->device,
					   "no device of that name is in the topology of side %s; "
					   "allowed: its devices, patterns for them and 'default'",
					   side_name(config->side));
	}
	return r;
}

static void daemon_report_mistake(const char *text)
{
	log_error("%s", text);
}

/* Continues after a mistake as far as possible, so that all mistakes are reported. */
static int daemon_load(struct daemon *daemon, struct ini_error *error)
{
	struct instance *instance = instance_of(daemon);
	const struct daemon_options *options = daemon->options;
	const char *topology_file = options->topology_file;
	struct topology *topology;
	int r;

	r = config_read(options->config_file, options->side, daemon->runtime_dir, &daemon->config,
			error);
	if (!daemon->config)
		return r;
	if (!topology_file && *daemon->config->topology)
		topology_file = daemon->config->topology;
	if (!topology_file)
		topology_file = options->default_topology;
	r = topology_load(topology_file, options->side, daemon->config->profile, &topology, error);
	if (r < 0)
		return r;
	if (!error->n && config_uses_tls(daemon->config))
		tls_new(&daemon->config->tls, &daemon->peers->tls, error);
	r = registry_init(daemon->registry, topology);
	if (r < 0) {
		topology_free(topology);
		ini_error_add(error, "no memory for the devices");
		return r;
	}
	instance->hotplug = hotplug_new(daemon);
	if (!instance->hotplug)
		return -ENOMEM;
	daemon_check_policy(daemon, daemon->config, error);
	return error->n ? -EINVAL : 0;
}

/*
 * Raises the soft limit of descriptors: each client costs several, and the default suits programs
 * that use select().
 */
static void daemon_raise_limits(struct daemon *daemon)
{
	struct rlimit limit;
	uint64_t n_reserved;

	daemon->max_fds = CONFIG_MAX_FDS;
	daemon->peers->max_fds = DAEMON_PEER_FDS_MAX;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	if (limit.rlim_cur != limit.rlim_max) {
		rlim_t soft = limit.rlim_cur;

		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0) {
			log_warning("the limit of open files stays at its soft value: %m");
			limit.rlim_cur = soft;
		}
	}
	/*
	 * Reserves the daemon's own descriptors, those of packets that are being handled, and those
	 * that peers may hold.
	 */
	daemon->peers->max_fds = MIN(limit.rlim_cur / DAEMON_PEER_PART, DAEMON_PEER_FDS_MAX);
	n_reserved = MIN(DAEMON_INTERNAL_FDS, limit.rlim_cur / 2) + daemon->peers->max_fds;
	if (limit.rlim_cur - n_reserved < daemon->max_fds)
		daemon->max_fds = limit.rlim_cur - n_reserved;
}

/*
 * Lowers the quotas, so that a client is refused with a sentence before the kernel refuses the
 * daemon a descriptor.
 */
static void daemon_apply_limits(struct daemon *daemon)
{
	struct limits limits = daemon->config->limits;
	uint64_t *fds = &limits.total.limit[CHARGE_FDS];
	uint64_t max_fds_user = daemon->max_fds - daemon->max_fds / 4;

	if (*fds != CONFIG_MAX_FDS && *fds > daemon->max_fds)
		log_warning("section [quota total]: fds %llu is more than this process may open, "
			    "%llu holds: raise LimitNOFILE of the service",
			    (unsigned long long)*fds, (unsigned long long)daemon->max_fds);
	*fds = MIN(*fds, daemon->max_fds);
	/* However few descriptors this process may open, one user leaves a quarter to others. */
	fds = &limits.user.limit[CHARGE_FDS];
	*fds = MIN(*fds, max_fds_user);
	for (size_t i = 0; i < limits.n_users; i++) {
		fds = &limits.users[i].quota.limit[CHARGE_FDS];
		*fds = MIN(*fds, max_fds_user);
	}
	accounts_set_limits(&daemon->accounts, &limits);
}

/*
 * Chooses random start ids. Clients that outlive a daemon refer to its objects when they talk to
 * the next one: imports that they close, channels in old events. The next daemon must not assign
 * these ids to other objects.
 */
static int daemon_choose_ids(struct daemon *daemon)
{
	uint64_t ids[4];

	if (getrandom(daemon->daemon_id, sizeof(daemon->daemon_id), 0) < 0 ||
	    getrandom(ids, sizeof(ids), 0) < 0) {
		int r = -errno;

		log_error("no random numbers: %m");
		return r;
	}
	daemon->next_import_id = daemon_id_of(ids[0]);
	daemon->next_service_id = daemon_id_of(ids[1]);
	daemon->next_channel_id = daemon_id_of(ids[2]);
	daemon->next_rdma_id = daemon_id_of(ids[3]);
	return 0;
}

int daemon_new(const struct daemon_options *options, struct daemon **daemon_out)
{
	struct instance *instance = calloc(1, sizeof(*instance));
	struct daemon *daemon;
	struct ini_error error = {.report = daemon_report_mistake};
	int r;

	if (!instance)
		return -ENOMEM;
	daemon = &instance->daemon;
	instance->options = *options;
	daemon->options = &instance->options;
	daemon->sessions = &instance->sessions;
	daemon->peers = &instance->peers;
	daemon->registry = &instance->registry;
	daemon->memory = &instance->memory;
	daemon->comch = &instance->comch;
	daemon->rdma = &instance->rdma;
	daemon->persistence = &instance->persistence;
	dispatch_init(daemon);
	daemon->reload = daemon_reload;
	list_init(&daemon->sessions->list);
	list_init(&daemon->memory->exports);
	list_init(&daemon->memory->imports);
	list_init(&daemon->comch->services);
	list_init(&daemon->comch->channels);
	list_init(&daemon->rdma->endpoints);
	list_init(&daemon->rdma->calls);
	list_init(&daemon->comch->unresolved_ends);
	list_init(&daemon->peers->list);
	daemon->started_at_ns = clock_wall_ns();
	r = daemon_name_socket(daemon);
	if (r == 0)
		r = daemon_load(daemon, &error);
	r = r < 0 ? r : daemon_choose_ids(daemon);
	if (r == 0) {
		daemon->loop = loop_new();
		if (!daemon->loop) {
			r = -errno;
			log_error("no event loop: %m");
		}
	}
	if (r == 0) {
		daemon_raise_limits(daemon);
		daemon->deferred_close = deferred_close_new();
		if (daemon->deferred_close)
			daemon->in_flights = in_flights_new(daemon->loop, daemon->deferred_close,
							    daemon->max_fds);
		daemon->trim = trim_new(daemon->loop);
		r = daemon->in_flights && daemon->trim ? log_limit_start(daemon->loop, 0) : -ENOMEM;
		if (r < 0)
			log_error("no memory for the daemon's own objects");
	}
	if (r < 0) {
		daemon_free(daemon);
		return r;
	}
	accounts_init(&daemon->accounts, &daemon->config->limits);
	daemon_apply_limits(daemon);
	log_set_level(options->has_log_level ? options->log_level : daemon->config->log_level);
	*daemon_out = daemon;
	return 0;
}

static void daemon_on_client(void *user, int fd)
{
	struct session *session;

	(void)session_new(user, fd, &session);
}

static void daemon_on_peer(void *user, int fd)
{
	peer_accept(user, fd);
}

static void daemon_on_tls_peer(void *user, int fd)
{
	peer_accept_tls(user, fd);
}

static int daemon_make_runtime_dir(const struct daemon *daemon)
{
	if (mkdir(daemon->runtime_dir, geteuid() == 0 ? 0755 : 0700) == 0 || errno == EEXIST)
		return 0;
	log_error("runtime directory %s cannot be made: %m", daemon->runtime_dir);
	return -errno;
}

static int daemon_watch_signals(struct daemon *daemon)
{
	struct instance *instance = instance_of(daemon);

	instance->on_term = loop_signal_new(daemon->loop, SIGTERM, daemon_on_term, daemon);
	instance->on_int = loop_signal_new(daemon->loop, SIGINT, daemon_on_term, daemon);
	instance->on_hup = loop_signal_new(daemon->loop, SIGHUP, daemon_on_hup, daemon);
	instance->status = loop_timer_new(daemon->loop, daemon_on_status, daemon);
	instance->status_subscriber = (struct events_subscriber){.on_totals = daemon_on_totals,
								 .user = daemon};
	events_subscribe(&daemon->events, &instance->status_subscriber);
	if (instance->on_term && instance->on_int && instance->on_hup && instance->status)
		return 0;
	log_error("signals cannot be watched: %m");
	return -ENOMEM;
}

/*
 * Opens the clients' socket: the service manager's, which exists independently of the daemon, or a
 * socket of its own.
 */
static int daemon_open_clients(struct daemon *daemon)
{
	struct instance *instance = instance_of(daemon);
	int fd = inherit_adopt_listener("clients", SOCK_SEQPACKET);
	int r;

	if (fd < 0)
		return listener_new(daemon->loop, daemon->socket_path, SOCK_SEQPACKET,
				    daemon->config->socket_mode, daemon_on_client, daemon,
				    &instance->clients);
	r = listener_adopt(daemon->loop, fd, daemon_on_client, daemon, &instance->clients);
	if (r == 0)
		r = str_copy(daemon->socket_path, sizeof(daemon->socket_path),
			     listener_path(instance->clients));
	return r;
}

static int daemon_open_sockets(struct daemon *daemon)
{
	struct instance *instance = instance_of(daemon);
	const struct config *config = daemon->config;
	const struct acl *allow = &config->peer_allow;
	bool private = !allow->any && allow->n_uids + allow->n_gids == 0;
	int r;

	r = daemon_open_clients(daemon);
	if (r == 0 && *config->peer_listen)
		r = listener_new(daemon->loop, config->peer_listen, SOCK_SEQPACKET,
				 private ? 0600 : 0666, daemon_on_peer, daemon,
				 &instance->peer_listener);
	if (r == 0 && *config->tls.listen_host)
		r = listener_new_tcp(daemon->loop, config->tls.listen_host, config->tls.listen_port,
				     daemon_on_tls_peer, daemon, &instance->tls_listener);
	if (r == 0)
		r = bus_new(daemon, &daemon->bus);
	return r;
}

/* A persist_resume_fn. */
static int daemon_resume(struct daemon *daemon)
{
	uint64_t started_ns = clock_now_ns();
	int r = resume_all(daemon);

	if (r == 0)
		journal_log(JOURNAL_RESUMED, log_info, "resumed %s in %" PRIu64 " us",
			    daemon_counts(daemon).text, (clock_now_ns() - started_ns) / 1000);
	return r;
}

int daemon_start(struct daemon *daemon)
{
	struct instance *instance = instance_of(daemon);
	const struct config *config = daemon->config;
	struct peer *peer;
	int r;

	client_doorbell_init();
	r = daemon_make_runtime_dir(daemon);
	if (r == 0)
		r = daemon_watch_signals(daemon);
	if (r == 0) {
		persist_start(daemon, daemon->options->fd_store, daemon_resume);
		r = daemon_open_sockets(daemon);
	}
	if (r == 0)
		r = watchdog_new(daemon->loop, &instance->watchdog);
	if (inherit_close() > 0)
		log_warning("the service manager handed over descriptors of unknown names: closed");
	if (r < 0)
		return r;
	journal_log(JOURNAL_STARTED, log_info,
		    "dococored %s serves side %s on %s, profile %s, %zu %s", daemon_version(),
		    side_name(config->side), daemon->socket_path, config->profile->name,
		    daemon->registry->n_devices,
		    plural(daemon->registry->n_devices, "device", "devices"));
	if (*config->peer_listen)
		log_info("waiting for peers on unix:%s", config->peer_listen);
	if (instance->tls_listener)
		log_info("waiting for peers on %s", listener_path(instance->tls_listener));
	for (size_t i = 0; i < config->n_peers && r == 0; i++)
		r = config_peer_is_ours(&config->peers[i])
			    ? peer_new(daemon, &config->peers[i], &peer)
			    : peer_expect(daemon, &config->peers[i]);
	if (r < 0) {
		log_error("no memory for peers");
		return r;
	}
	hotplug_start(instance->hotplug);
	notify_ready();
	events_emit_totals(&daemon->events);
	return 0;
}

int daemon_run(struct daemon *daemon)
{
	return loop_run(daemon->loop);
}

struct daemon *daemon_free(struct daemon *daemon)
{
	struct instance *instance;

	if (!daemon)
		return NULL;
	instance = instance_of(daemon);
	if (instance->clients)
		notify_stopping();
	daemon->stopping = true;
	/* From here on no record is removed, so that the next instance finds all objects. */
	persist_stop(daemon);
	daemon->bus = bus_free(daemon->bus);
	instance->watchdog = watchdog_free(instance->watchdog);
	listener_free(instance->clients);
	listener_free(instance->peer_listener);
	listener_free(instance->tls_listener);
	/* Peers end first, so that the end of the sessions is not reported to them. */
	while (!list_is_empty(&daemon->peers->list))
		peer_free(list_entry(daemon->peers->list.next, struct peer, link));
	while (!list_is_empty(&daemon->sessions->list))
		session_teardown(list_entry(daemon->sessions->list.next, struct session, link));
	in_flights_free(daemon->in_flights);
	daemon->trim = trim_free(daemon->trim);
	deferred_close_free(daemon->deferred_close);
	unresolved_ends_free(daemon);
	instance->hotplug = hotplug_free(instance->hotplug);
	idmap_deinit(&daemon->memory->export_map);
	idmap_deinit(&daemon->memory->import_map);
	idmap_deinit(&daemon->comch->service_map);
	idmap_deinit(&daemon->comch->channel_map);
	idmap_deinit(&daemon->rdma->endpoint_map);
	idmap_deinit(&daemon->rdma->call_map);
	loop_source_free(instance->on_term);
	loop_source_free(instance->on_int);
	loop_source_free(instance->on_hup);
	loop_source_free(instance->status);
	loop_source_free(daemon->sessions->grace_timer);
	loop_source_free(daemon->comch->orphan_timer);
	log_limit_stop();
	loop_free(daemon->loop);
	tls_free(daemon->peers->tls);
	registry_deinit(daemon->registry);
	config_free(daemon->config);
	notify_close();
	free(instance);
	return NULL;
}

/*
 * True if both configurations contain the same peer. For a peer that connected over the Unix socket
 * they only say which users may connect; peer_recheck() checks that.
 */
static bool daemon_retains_peer(const struct peer *peer, const struct config *old,
				const struct config *new)
{
	const struct config_peer *before = config_find_peer(old, peer->name);
	const struct config_peer *after = config_find_peer(new, peer->name);

	if (!peer->is_ours && !peer->is_tls)
		return true;
	/* The peer is not known yet; it is checked against the new configuration when it is. */
	if (!peer->is_ours && peer->state == PEER_CONNECTING)
		return true;
	return before && after && config_peer_equal(before, after);
}

static void daemon_reload_peers(struct daemon *daemon, const struct config *old,
				const struct config *new)
{
	struct peer *peer, *tmp;

	for (size_t i = 0; i < old->n_peers; i++) {
		const struct config_peer *now = config_find_peer(new, old->peers[i].name);

		if (!now || !config_peer_equal(&old->peers[i], now))
			peer_identity_forget(daemon, old->peers[i].name);
	}
	list_for_each_safe(peer, tmp, &daemon->peers->list, link)
	{
		if (daemon_retains_peer(peer, old, new)) {
			(void)peer_recheck(peer);
			continue;
		}
		log_info("peer %s is no longer configured as it was", peer->name);
		peer_identity_forget_unix(peer);
		peer_free(peer);
	}
	for (size_t i = 0; i < new->n_peers; i++) {
		const struct config_peer *config = &new->peers[i];
		const struct config_peer *before = config_find_peer(old, config->name);
		int r = 0;

		if (before && config_peer_equal(before, config))
			continue;
		r = config_peer_is_ours(config) ? peer_new(daemon, config, &peer)
						: peer_expect(daemon, config);
		if (r < 0)
			log_error("no memory for peer %s", config->name);
	}
}

/* Keys that a running daemon cannot change keep their old value, with a log message. */
static void daemon_copy_fixed(const struct config *old, struct config *new)
{
	static const char text[] = "key '%s' has changed: it takes effect at the next start";

	if (new->profile != old->profile)
		log_warning(text, "profile");
	if (strcmp(new->topology, old->topology) != 0)
		log_warning(text, "topology");
	if (new->socket_mode != old->socket_mode)
		log_warning(text, "socket_mode");
	if (strcmp(new->peer_listen, old->peer_listen) != 0)
		log_warning(text, "peer_listen");
	if (new->system_bus != old->system_bus)
		log_warning(text, "system_bus");
	if (strcmp(new->tls.listen_host, old->tls.listen_host) != 0 ||
	    new->tls.listen_port != old->tls.listen_port)
		log_warning(text, "listen");
	memcpy(new->tls.listen_host, old->tls.listen_host, sizeof(new->tls.listen_host));
	new->tls.listen_port = old->tls.listen_port;
	new->profile = old->profile;
	memcpy(new->topology, old->topology, sizeof(new->topology));
	new->socket_mode = old->socket_mode;
	new->system_bus = old->system_bus;
	memcpy(new->peer_listen, old->peer_listen, sizeof(new->peer_listen));
}

/* Updates the status after a reload, successful or refused. */
static void daemon_has_loaded(struct daemon *daemon, const char *reload_error)
{
	snprintf(daemon->reload_error, sizeof(daemon->reload_error), "%s", reload_error);
	notify_ready();
	daemon_on_status(daemon);
}

int daemon_reload(struct daemon *daemon)
{
	struct instance *instance = instance_of(daemon);
	struct ini_error error = {.report = daemon_report_mistake};
	struct config *config = NULL, *old = daemon->config;
	struct tls *tls = NULL;

	notify_reloading();
	config_read(daemon->options->config_file, daemon->options->side, daemon->runtime_dir,
		    &config, &error);
	if (config)
		daemon_check_policy(daemon, config, &error);
	/* The files may have changed under the same names: certificates are renewed so. */
	if (config && !error.n && config_uses_tls(config))
		tls_new(&config->tls, &tls, &error);
	if (error.n) {
		journal_log(JOURNAL_RELOAD_REFUSED, log_error,
			    "the new configuration is refused, the running one stays, mistakes %u",
			    error.n);
		config_free(config);
		daemon_has_loaded(daemon, error.text);
		return -EINVAL;
	}
	daemon_copy_fixed(old, config);
	daemon->config = config;
	tls_free(daemon->peers->tls);
	daemon->peers->tls = tls;
	daemon_apply_limits(daemon);
	log_set_level(daemon->options->has_log_level ? daemon->options->log_level
						     : config->log_level);
	daemon_reload_peers(daemon, old, config);
	bus_reloaded(daemon->bus);
	hotplug_scan(instance->hotplug);
	config_free(old);
	journal_log(JOURNAL_RELOADED, log_info, "configuration loaded again");
	daemon_has_loaded(daemon, "");
	return 0;
}
