/*
 * The functions of this side and their representors, as the topology file says. What the machine
 * says of those that it has comes on top, see hotplug.h; what changes at run time otherwise
 * (presence, users) is in device.[ch].
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
	/* Of the machine's IB device, while it is bound to one. */
	bool is_bound;
	bool is_found;       /* of the machine, in no file */
	uint32_t port_state; /* as InfiniBand numbers them: 1 down, 4 active; 0 not known */
	uint32_t mtu;        /* bytes, 0 not known */
	uint32_t n_gids;
	uint8_t gids[TOPOLOGY_MAX_GIDS][16]; /* by index; all zeros: unused */
};

struct rep_spec {
	char name[64];
	char pci_addr[13]; /* of the function that is represented */
	char vuid[128];
	char iface[64];
	enum func_type func_type;
	uint32_t vhca_id;
	bool is_hotplug;
	bool is_emulated;
	uint8_t mac[6]; /* of the function, when the machine says it */
	bool has_mac;
	bool is_found; /* of the machine, in no file */
	bool always;   /* present also while no peer has the function */
	size_t parent; /* index in devices */
};

struct topology {
	enum side side;
	bool discover;               /* what the machine has comes on top */
	struct caps caps;            /* of devices that are found */
	struct device_spec *devices; /* room for TOPOLOGY_MAX_DEVICES */
	size_t n_devices;
	struct rep_spec *reps; /* room for TOPOLOGY_MAX_REPS */
	size_t n_reps;
};

/* What a discovered or described function can do by its side, from the limits of a profile. */
void topology_default_caps(enum side side, const struct profile *profile, struct caps *caps_out);
const char *side_name(enum side side);
/* 0 or -EINVAL. */
int side_parse(const char *text, enum side *side_out);
const char *func_type_name(enum func_type type);

/* Words that stand for built-in topologies where a path is expected. */
#define TOPOLOGY_DEMO     "demo"     /* a card that is not there */
#define TOPOLOGY_DISCOVER "discover" /* what the machine has */

/*
 * Reads path, which may be one of these words; NULL: TOPOLOGY_DEMO. profile gives the limits of
 * each device that names none of its own. 0, or -errno and a sentence in *error. Free with
 * topology_free.
 */
int topology_load(const char *path, enum side side, const struct profile *profile,
		  struct topology **topology_out, struct ini_error *error);
/* NULL is fine. Returns NULL. */
struct topology *topology_free(struct topology *topology);

#endif
