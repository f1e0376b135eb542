/*
 * The functions of this side and their representors, as the topology file describes them. hotplug.h
 * adds what the machine reports about its devices; device.[ch] has the state that changes at run
 * time (presence, users).
 */
#ifndef DAEMON_TOPOLOGY_TOPOLOGY_H
#define DAEMON_TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/ini_file.h"
#include "daemon/topology/profile.h"

#define TOPOLOGY_MAX_DEVICES 256
#define TOPOLOGY_MAX_REPS    1024
#define TOPOLOGY_MAX_GIDS    64

enum side { SIDE_HOST, SIDE_DPU };
enum func_type { FUNC_PF = 0, FUNC_VF = 1, FUNC_SF = 2 };

struct device_spec {
	char name[64];
	char pci_addr[13]; /* dddd:bb:dd.f */
	char vuid[128];
	char iface[64];
	char ibdev[64];
	uint8_t ipv4[4], ipv6[16], mac[6];
	bool has_ipv4, has_ipv6, has_mac, has_lid;
	enum func_type func_type;
	uint32_t sf_index;
	uint32_t vhca_id;
	uint32_t lid;
	uint64_t active_rate; /* bits per second */
	struct caps caps;
	/* The state of the machine's IB device while the function is bound to one. */
	bool is_bound;
	bool is_found;       /* found on the machine, not in a file */
	uint32_t port_state; /* numbered as InfiniBand does: 1 down, 4 active; 0 not known */
	uint32_t mtu;        /* bytes, 0 not known */
	uint32_t n_gids;
	uint8_t gids[TOPOLOGY_MAX_GIDS][16]; /* by index; all zeros: unused */
};

struct rep_spec {
	char name[64];
	char pci_addr[13]; /* of the represented function */
	char vuid[128];
	char iface[64];
	enum func_type func_type;
	uint32_t vhca_id;
	bool is_hotplug;
	bool is_emulated;
	uint8_t mac[6]; /* of the represented function, if the machine reports it */
	bool has_mac;
	bool is_found; /* found on the machine, not in a file */
	bool always;   /* also present while no peer has the function */
	size_t parent; /* index in devices */
};

struct topology {
	enum side side;
	bool discover;               /* also use the devices of the machine */
	struct caps caps;            /* capabilities of discovered devices */
	struct device_spec *devices; /* room for TOPOLOGY_MAX_DEVICES */
	size_t n_devices;
	struct rep_spec *reps; /* room for TOPOLOGY_MAX_REPS */
	size_t n_reps;
};

/* Computes the capabilities that a function gets from its side and from the limits of a profile. */
void topology_default_caps(enum side side, const struct profile *profile, struct caps *caps_out);
const char *side_name(enum side side);
/* Returns 0 or -EINVAL. */
int side_parse(const char *text, enum side *side_out);
const char *func_type_name(enum func_type type);

/* Words that select built-in topologies in place of a path. */
#define TOPOLOGY_DEMO     "demo"     /* a simulated card */
#define TOPOLOGY_DISCOVER "discover" /* the machine's devices */

/*
 * Loads the topology. path may be one of these words; NULL means TOPOLOGY_DEMO. profile: limits of
 * devices that name no profile. Returns 0, or -errno and a sentence in *error. Free with
 * topology_free().
 */
int topology_load(const char *path, enum side side, const struct profile *profile,
		  struct topology **topology_out, struct ini_error *error);
/* Accepts NULL. Returns NULL. */
struct topology *topology_free(struct topology *topology);

#endif
