/* See hotplug.h. */
#include "daemon/device/hotplug.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/device/device.h"
#include "daemon/config/arguments.h"
#include "daemon/base/loop.h"
#include "daemon/device/functions.h"
#include "daemon/topology/discover.h"
#include "daemon/topology/discovery_thread.h"
#include "daemon/topology/netlink.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/str.h"

/* Delay after a notification, because one plug event causes a burst of them. */
#define HOTPLUG_DELAY_NS (50 * NS_PER_MS)
/* Delay after a failed scan. It doubles each time, because a failure may be permanent. */
#define HOTPLUG_AGAIN_NS     NS_PER_SEC
#define HOTPLUG_AGAIN_MAX_NS (64 * NS_PER_SEC)
/* Scan interval while kernel notifications are not available. */
#define HOTPLUG_UNTOLD_NS (30 * NS_PER_SEC)

struct hotplug {
	struct daemon *daemon;
	struct sysfs sysfs;
	struct machine machine;
	int fds[MACHINE_N_WATCHES];
	struct loop_source *watches[MACHINE_N_WATCHES];
	struct loop_source *timer;
	bool is_watching; /* false: scan periodically instead */
	bool is_due;      /* the timer runs; further notifications do not postpone it */
	/* The timer runs because the last scan failed; notifications do not wait for it. */
	bool is_again;
	uint64_t again_ns;               /* delay after the next failure */
	struct discovery_thread *thread; /* NULL before the event loop runs */
	bool logged_none, logged_more, logged_failed, logged_addresses, logged_ports,
		logged_no_events, logged_full;
};

/* The machine's values override the file's, where the machine has any. */
static void hotplug_bind(struct device_spec *spec, const struct device_spec *found)
{
	if (*found->iface)
		str_copy(spec->iface, sizeof(spec->iface), found->iface);
	if (found->has_mac)
		memcpy(spec->mac, found->mac, sizeof(spec->mac));
	if (found->has_ipv4)
		memcpy(spec->ipv4, found->ipv4, sizeof(spec->ipv4));
	if (found->has_ipv6)
		memcpy(spec->ipv6, found->ipv6, sizeof(spec->ipv6));
	spec->has_mac = spec->has_mac || found->has_mac;
	spec->has_ipv4 = spec->has_ipv4 || found->has_ipv4;
	spec->has_ipv6 = spec->has_ipv6 || found->has_ipv6;
	spec->has_lid = found->has_lid;
	spec->lid = found->lid;
	if (found->active_rate)
		spec->active_rate = found->active_rate;
	spec->is_bound = found->is_bound;
	spec->port_state = found->port_state;
	spec->mtu = found->mtu;
	spec->n_gids = found->n_gids;
	memcpy(spec->gids, found->gids, sizeof(spec->gids));
}

static void hotplug_log_bound(const struct device *device, const struct device_spec *found)
{
	log_info("device %s is IB device %s, interface %s, %s%s, port %s, GIDs %u",
		 device->spec->name, found->ibdev, *found->iface ? found->iface : "none",
		 *found->pci_addr ? "at PCI " : "no PCI device", found->pci_addr,
		 found->port_state == 4 ? "active" : "not active", found->n_gids);
}

static const struct device_spec *hotplug_find(const struct discovery *d, const char *ibdev)
{
	for (size_t i = 0; *ibdev && i < d->n_devices; i++)
		if (strcmp(d->devices[i].ibdev, ibdev) == 0)
			return &d->devices[i];
	return NULL;
}

/*
 * Updates a function of the file, which has its IB device while the machine has it. Returns true if
 * it changed.
 */
static bool hotplug_apply_described(struct hotplug *hotplug, struct device *device,
				    const struct discovery *d)
{
	struct device_spec *spec = registry_spec(hotplug->daemon->registry, device);
	const struct device_spec *found = hotplug_find(d, spec->ibdev);
	bool was_bound = spec->is_bound;

	/* A device that was never present is served by software alone. */
	if (!found)
		return was_bound && device_set_present(hotplug->daemon, device, false);
	hotplug_bind(spec, found);
	if (!was_bound)
		hotplug_log_bound(device, found);
	return device_set_present(hotplug->daemon, device, true) || !was_bound;
}

static bool hotplug_is_described(const struct registry *registry, const struct device_spec *found)
{
	for (size_t i = 0; i < registry->n_devices; i++) {
		const struct device_spec *spec = registry->devices[i].spec;

		if (!spec->is_found && ((*found->ibdev && strcmp(spec->ibdev, found->ibdev) == 0) ||
					strcmp(spec->name, found->name) == 0))
			return true;
	}
	return false;
}

/* Keeps addresses that were known before. */
static void hotplug_preserve_addresses(struct device_spec *spec, const struct device_spec *before)
{
	if (!spec->has_ipv4)
		memcpy(spec->ipv4, before->ipv4, sizeof(spec->ipv4));
	if (!spec->has_ipv6)
		memcpy(spec->ipv6, before->ipv6, sizeof(spec->ipv6));
	spec->has_ipv4 = spec->has_ipv4 || before->has_ipv4;
	spec->has_ipv6 = spec->has_ipv6 || before->has_ipv6;
}

/*
 * Creates an address in a PCI domain that no machine uses, because programs choose devices by
 * address.
 */
static void hotplug_make_address(struct device_spec *spec, size_t i)
{
	if (!*spec->pci_addr)
		snprintf(spec->pci_addr, sizeof(spec->pci_addr), "ffff:00:%02x.%u",
			 (unsigned)(i / 8) % 32, (unsigned)(i % 8));
}

/*
 * Logs that the registry is full. A record stays as long as the daemon runs, because a session may
 * have a handle of it.
 */
static void hotplug_log_full(struct hotplug *hotplug, const char *what, const char *name,
			     unsigned max)
{
	if (hotplug->logged_full)
		return;
	hotplug->logged_full = true;
	log_warning("%s %s is left out, as are others that come: %u names were seen since this "
		    "daemon was started, which is all that it remembers; a restart forgets those "
		    "that have gone",
		    what, name, max);
}

static bool hotplug_apply_found(struct hotplug *hotplug, const struct device_spec *found,
				bool are_addresses_known)
{
	struct registry *registry = hotplug->daemon->registry;
	struct device *device = registry_find_device(registry, found->name);
	struct device_spec spec = *found;

	if (hotplug_is_described(registry, found))
		return false;
	spec.is_found = true;
	spec.caps = registry->topology->caps;
	if (device) {
		/* A device of the same name at another address is another device. */
		if (*found->pci_addr && strcmp(found->pci_addr, device->spec->pci_addr) != 0)
			device_set_present(hotplug->daemon, device, false);
		if (!*spec.pci_addr)
			memcpy(spec.pci_addr, device->spec->pci_addr, sizeof(spec.pci_addr));
		hotplug_make_address(&spec, device->id - 1);
		if (!are_addresses_known)
			hotplug_preserve_addresses(&spec, device->spec);
		*registry_spec(registry, device) = spec;
		return device_set_present(hotplug->daemon, device, true);
	}
	hotplug_make_address(&spec, registry->n_devices);
	device = registry_add_device(registry, &spec);
	if (!device) {
		hotplug_log_full(hotplug, "device", found->name, TOPOLOGY_MAX_DEVICES);
		return false;
	}
	hotplug_log_bound(device, found);
	return true;
}

static bool hotplug_has_function(const struct discovery *d, const char *name)
{
	for (size_t i = 0; i < d->n_devices; i++)
		if (strcmp(d->devices[i].name, name) == 0)
			return true;
	return false;
}

static bool hotplug_apply_devices(struct hotplug *hotplug, const struct discovery *d)
{
	struct registry *registry = hotplug->daemon->registry;
	bool changed = false;

	for (size_t i = 0; i < registry->n_devices; i++) {
		struct device *device = &registry->devices[i];

		if (!device->spec->is_found)
			changed |= hotplug_apply_described(hotplug, device, d);
		else if (!hotplug_has_function(d, device->spec->name))
			changed |= device_set_present(hotplug->daemon, device, false);
	}
	for (size_t i = 0; registry->topology->discover && i < d->n_devices; i++)
		changed |= hotplug_apply_found(hotplug, &d->devices[i], d->addresses_error == 0);
	return changed;
}

/*
 * Names a port: by its interface, or by its location, for example "c1pf0vf2@0000-03-00.0". The
 * location is needed because another card has the same numbers, and the next daemon instance may
 * see the cards in another order. A topology file can use this name.
 */
static void hotplug_name_port(const struct machine_port *port, char *name, size_t len)
{
	int n = 0;

	if (*port->iface) {
		str_copy(name, len, port->iface);
		return;
	}
	if (port->controller)
		n = snprintf(name, len, "c%u", port->controller);
	n += snprintf(name + n, len - (size_t)n, "pf%u", port->pf);
	if (port->flavour != MACHINE_PORT_PF)
		n += snprintf(name + n, len - (size_t)n, "%s%u",
			      port->flavour == MACHINE_PORT_VF ? "vf" : "sf",
			      port->flavour == MACHINE_PORT_VF ? port->vf : port->sf);
	snprintf(name + n, len - (size_t)n, "@%s", port->pci_addr);
	for (char *at = name + n; *at; at++)
		if (*at == ':')
			*at = '-';
}

static struct device *hotplug_find_parent(const struct registry *registry, const char *pci_addr)
{
	for (size_t i = 0; i < registry->n_devices; i++) {
		const struct device_spec *spec = registry->devices[i].spec;

		if (spec->func_type == FUNC_PF && (spec->is_bound || spec->is_found) &&
		    strcmp(spec->pci_addr, pci_addr) == 0)
			return &registry->devices[i];
	}
	return NULL;
}

static bool hotplug_apply_port(struct hotplug *hotplug, const struct machine_port *port)
{
	struct registry *registry = hotplug->daemon->registry;
	struct device *parent = hotplug_find_parent(registry, port->pci_addr);
	struct rep_spec spec = {.is_found = true, .has_mac = port->has_mac};
	struct representor *rep;

	if (!parent)
		return false;
	hotplug_name_port(port, spec.name, sizeof(spec.name));
	str_copy(spec.iface, sizeof(spec.iface), port->iface);
	spec.func_type = port->flavour == MACHINE_PORT_PF   ? FUNC_PF
			 : port->flavour == MACHINE_PORT_VF ? FUNC_VF
							    : FUNC_SF;
	memcpy(spec.mac, port->mac, sizeof(spec.mac));
	spec.parent = parent->id - 1;
	/*
	 * A sub-function has its parent's address. For another machine's function, that machine's
	 * daemon reports the address.
	 */
	if (!port->is_external && spec.func_type == FUNC_SF)
		memcpy(spec.pci_addr, parent->spec->pci_addr, sizeof(spec.pci_addr));
	rep = registry_find_rep(registry, spec.name);
	if (rep && !rep->spec->is_found)
		return false; /* the file's entry takes precedence */
	if (!rep) {
		rep = registry_add_rep(registry, &spec);
		if (!rep) {
			hotplug_log_full(hotplug, "representor", spec.name, TOPOLOGY_MAX_REPS);
			return false;
		}
		log_info("representor %s of %s, interface %s", spec.name, parent->spec->name,
			 *spec.iface ? spec.iface : "none");
		rep->is_gone = false;
		return true;
	}
	if (!*spec.pci_addr && rep->parent == parent)
		memcpy(spec.pci_addr, rep->spec->pci_addr, sizeof(spec.pci_addr));
	*registry_rep_spec(registry, rep) = spec;
	rep->parent = parent;
	rep->is_seen = true;
	return rep_set_gone(hotplug->daemon, rep, false);
}

static bool hotplug_apply_ports(struct hotplug *hotplug, const struct discovery *d)
{
	struct registry *registry = hotplug->daemon->registry;
	bool changed = false;

	for (size_t i = 0; i < registry->n_reps; i++)
		registry->reps[i].is_seen = false;
	for (size_t i = 0; registry->topology->discover && i < d->n_ports; i++)
		changed |= hotplug_apply_port(hotplug, &d->ports[i]);
	/* If the kernel's answer was incomplete, a missing port proves nothing. */
	for (size_t i = 0; d->ports_error == 0 && i < registry->n_reps; i++) {
		struct representor *rep = &registry->reps[i];

		if (rep->spec->is_found && !rep->is_seen)
			changed |= rep_set_gone(hotplug->daemon, rep, true);
	}
	return changed;
}

static void hotplug_announce(struct hotplug *hotplug, const struct discovery *d)
{
	const struct registry *registry = hotplug->daemon->registry;

	if (d->truncated && !hotplug->logged_more)
		log_warning("this machine has more than %d devices or %d representors: the others "
			    "are left out",
			    TOPOLOGY_MAX_DEVICES, TOPOLOGY_MAX_REPS);
	hotplug->logged_more = d->truncated;
	if (registry->topology->discover && !registry->n_devices && !hotplug->logged_none)
		log_warning("this machine has no RDMA device (/sys/class/infiniband has none), so "
			    "there is no device for programs; to try them without a card, set "
			    "'topology = " TOPOLOGY_DEMO "' in section [daemon] of %s and restart",
			    hotplug->daemon->options->config_file
				    ? hotplug->daemon->options->config_file
				    : "a configuration file");
	else if (registry->topology->discover && !d->n_devices && !hotplug->logged_none)
		log_warning("discover: this machine has no RDMA device: /sys/class/infiniband has "
			    "none; devices %zu are of the topology file",
			    registry->n_devices);
	hotplug->logged_none = !d->n_devices;
}

static void hotplug_scan_again(struct hotplug *hotplug)
{
	if (!hotplug->timer || hotplug->is_due || hotplug->is_again)
		return;
	hotplug->is_again = loop_timer_set(hotplug->timer, hotplug->again_ns) == 0;
	hotplug->again_ns = MIN(2 * hotplug->again_ns, HOTPLUG_AGAIN_MAX_NS);
}

static void hotplug_scan_worked(struct hotplug *hotplug)
{
	if (hotplug->is_again)
		loop_timer_cancel(hotplug->timer);
	hotplug->is_again = false;
	hotplug->again_ns = HOTPLUG_AGAIN_NS;
	if (hotplug->timer && !hotplug->is_watching)
		(void)loop_timer_set(hotplug->timer, HOTPLUG_UNTOLD_NS);
}

/* Logs a failure once for as long as it lasts. */
static void hotplug_check(const char *source, const char *what, int error, bool *logged)
{
	if (error < 0 && !*logged)
		log_warning("%s does not report %s: %s; trying again until it does", source, what,
			    strerror(-error));
	else if (error == 0 && *logged)
		log_info("%s reports %s again", source, what);
	*logged = error < 0;
}

/* Applies the results of a scan and frees them. */
static void hotplug_apply(struct hotplug *hotplug, struct discovery *d)
{
	struct daemon *daemon = hotplug->daemon;
	bool changed;

	hotplug_check("rtnetlink", "addresses", d->addresses_error, &hotplug->logged_addresses);
	hotplug_check("devlink", "ports", d->ports_error, &hotplug->logged_ports);
	if (d->addresses_error < 0 || d->ports_error < 0)
		hotplug_scan_again(hotplug);
	else
		hotplug_scan_worked(hotplug);
	changed = hotplug_apply_devices(hotplug, d);
	changed |= hotplug_apply_ports(hotplug, d);
	hotplug_announce(hotplug, d);
	discovery_deinit(d);
	registry_update_presence(daemon);
	if (changed) {
		peers_send_functions(daemon);
		events_emit_totals(&daemon->events);
	}
}

static void hotplug_on_scan(void *user, int error, struct discovery *d)
{
	struct hotplug *hotplug = user;

	if (error == 0) {
		if (hotplug->logged_failed)
			log_info("devices can be looked for again");
		hotplug->logged_failed = false;
		hotplug_apply(hotplug, d);
		return;
	}
	if (!hotplug->logged_failed)
		log_error("cannot scan for devices: %s; trying again until it works",
			  strerror(-error));
	hotplug->logged_failed = true;
	hotplug_scan_again(hotplug);
}

void hotplug_scan(struct hotplug *hotplug)
{
	struct discovery d;
	int r;

	if (hotplug->sysfs.fd < 0)
		return;
	if (hotplug->thread && discovery_thread_scan(hotplug->thread) == 0)
		return;
	/* Scans in this thread at the start, or if no thread can be created. */
	r = discover(&hotplug->sysfs, &hotplug->machine, &d);
	hotplug_on_scan(hotplug, r, &d);
}

/* True if the topology file contains anything that the machine could have. */
static bool hotplug_is_wanted(const struct hotplug *hotplug)
{
	const struct topology *topology = hotplug->daemon->registry->topology;

	if (topology->discover)
		return true;
	for (size_t i = 0; i < topology->n_devices; i++)
		if (*topology->devices[i].ibdev &&
		    sysfs_exists(&hotplug->sysfs, "class/infiniband/%s",
				 topology->devices[i].ibdev))
			return true;
	return false;
}

struct hotplug *hotplug_new(struct daemon *daemon)
{
	const char *root = daemon->options->sysfs ? daemon->options->sysfs : "/sys";
	struct hotplug *hotplug = calloc(1, sizeof(*hotplug));
	int r;

	if (!hotplug) {
		log_error("no memory to scan for devices");
		return NULL;
	}
	*hotplug = (struct hotplug){.daemon = daemon,
				    .sysfs = SYSFS_INIT,
				    .fds = {-1, -1},
				    .again_ns = HOTPLUG_AGAIN_NS};
	hotplug->machine = daemon->options->machine ? *daemon->options->machine
						    : (struct machine){.ops = &netlink_machine};
	r = sysfs_open(&hotplug->sysfs, root);
	if (r < 0 && daemon->registry->topology->discover)
		log_warning("discover: %s cannot be read: %s", root, strerror(-r));
	if (r == 0 && !hotplug_is_wanted(hotplug))
		sysfs_close(&hotplug->sysfs);
	hotplug_scan(hotplug);
	return hotplug;
}

static void hotplug_on_change(struct hotplug *hotplug, int which)
{
	if (!hotplug->machine.ops->changed(hotplug->machine.user, hotplug->fds[which], which) ||
	    hotplug->is_due)
		return;
	hotplug->is_due = loop_timer_set(hotplug->timer, HOTPLUG_DELAY_NS) == 0;
	if (hotplug->is_due)
		hotplug->is_again = false;
}

static void hotplug_on_first(void *user, unsigned events)
{
	(void)events;
	hotplug_on_change(user, 0);
}

static void hotplug_on_second(void *user, unsigned events)
{
	(void)events;
	hotplug_on_change(user, 1);
}

static void hotplug_unwatch(struct hotplug *hotplug)
{
	for (int i = 0; i < MACHINE_N_WATCHES; i++) {
		hotplug->watches[i] = loop_source_free(hotplug->watches[i]);
		fd_close(&hotplug->fds[i]);
	}
}

/* Returns 0 or -errno. */
static int hotplug_try_watch(struct hotplug *hotplug)
{
	static const loop_fd_fn fns[MACHINE_N_WATCHES] = {hotplug_on_first, hotplug_on_second};
	int r = hotplug->machine.ops->watch(hotplug->machine.user, hotplug->fds);

	for (int i = 0; r == 0 && i < MACHINE_N_WATCHES; i++) {
		if (hotplug->fds[i] < 0)
			continue;
		hotplug->watches[i] = loop_fd_new(hotplug->daemon->loop, hotplug->fds[i], LOOP_READ,
						  fns[i], hotplug);
		r = hotplug->watches[i] ? 0 : -ENOMEM;
	}
	if (r < 0)
		hotplug_unwatch(hotplug);
	return r;
}

/* Starts watching; a failure may be temporary. */
static void hotplug_watch(struct hotplug *hotplug)
{
	int r = hotplug_try_watch(hotplug);

	if (r < 0 && !hotplug->logged_no_events)
		log_warning("the kernel does not report changed devices: %s; looking for them "
			    "every %d s, and at a reload",
			    strerror(-r), (int)(HOTPLUG_UNTOLD_NS / NS_PER_SEC));
	else if (r == 0 && hotplug->logged_no_events)
		log_info("the kernel reports changed devices again");
	hotplug->is_watching = r == 0;
	hotplug->logged_no_events = r < 0;
}

static void hotplug_on_timer(void *user)
{
	struct hotplug *hotplug = user;

	hotplug->is_due = hotplug->is_again = false;
	/* Watches before the scan, so that every later change is notified. */
	if (!hotplug->is_watching)
		hotplug_watch(hotplug);
	hotplug_scan(hotplug);
}

void hotplug_start(struct hotplug *hotplug)
{
	struct loop *loop = hotplug->daemon->loop;

	if (hotplug->sysfs.fd < 0)
		return;
	hotplug->thread = discovery_thread_new(loop, &hotplug->sysfs, &hotplug->machine,
					       hotplug_on_scan, hotplug);
	hotplug->timer = loop_timer_new(loop, hotplug_on_timer, hotplug);
	if (!hotplug->timer) {
		log_error("no memory to see that devices come and go: a reload looks for them");
		return;
	}
	hotplug_watch(hotplug);
	/* The scan at the start could not set a timer. */
	if (hotplug->logged_failed || hotplug->logged_addresses || hotplug->logged_ports)
		hotplug_scan_again(hotplug);
	else
		hotplug_scan_worked(hotplug);
}

struct hotplug *hotplug_free(struct hotplug *hotplug)
{
	if (!hotplug)
		return NULL;
	hotplug_unwatch(hotplug);
	loop_source_free(hotplug->timer);
	discovery_thread_free(hotplug->thread);
	sysfs_close(&hotplug->sysfs);
	free(hotplug);
	return NULL;
}
