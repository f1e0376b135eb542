/*
 * Registry of this side's devices and representors: ids, presence, who has what open. The
 * specifications come from the topology and from the machine. A device or representor lives as long
 * as the daemon, also one that was unplugged.
 * Handles are a session's open devices and representors; they end with the session at the latest.
 */
#ifndef DAEMON_DEVICE_DEVICE_H
#define DAEMON_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/store/persist.h"
#include "daemon/topology/topology.h"
#include "proto/frame.h"
#include "util/fdset.h"
#include "util/list.h"

struct daemon;
struct peer;
struct session;

struct device {
	uint32_t id; /* index + 1 */
	const struct device_spec *spec;
	const struct peer *dpu; /* at the host: who imports what was exported through it */
	bool is_gone;           /* the machine had it, and has not any more */
	unsigned n_handles;
};

struct representor {
	uint32_t id; /* index + 1 */
	const struct rep_spec *spec;
	struct device *parent;
	bool present;
	bool is_gone; /* as of a device */
	bool is_seen; /* for whoever looks at the machine */
	/* The first linked peer that has told of the function: nobody else acts for it. */
	struct peer *speaker;
	unsigned n_handles;
};

struct registry {
	struct topology *topology; /* owned */
	struct device *devices;
	size_t n_devices;
	struct representor *reps;
	size_t n_reps;
};

struct handle_slot {
	uint32_t slot, generation;
};

/* One of device and rep is set. */
struct handle {
	struct session *session;
	struct idmap_node node; /* session->handles */
	struct list link;       /* session->handle_list */
	struct device *device;
	struct representor *rep;
	uint64_t request_id; /* that opened it */
	struct kept kept;
	bool is_gone;  /* the device went away since it was opened; it may be back */
	bool has_slot; /* of the liveness page: alive as long as the device is there */
	uint32_t slot, generation;
	unsigned n_users; /* exports, imports, servers, channels made through it */
	struct charge charge;
};

/* Takes the topology on success. 0 or -ENOMEM. */
int registry_init(struct registry *registry, struct topology *topology);
void registry_deinit(struct registry *registry);
/* One more, of a copy of the specification; NULL when there is no room. Pointers to others stay. */
struct device *registry_add_device(struct registry *registry, const struct device_spec *spec);
/* The same of one that the machine had before a restart, and may have again: for who has it open.
 * NULL as well where devices do not come and go. */
struct device *registry_add_lost_device(struct registry *registry, const char *name);
struct representor *registry_add_rep(struct registry *registry, const struct rep_spec *spec);
/* As of a device; parent: the device that it was below, "" if an earlier version did not write that
 * down. */
struct representor *registry_add_lost_rep(struct registry *registry, const char *name,
					  const char *parent);
/* For whoever brings them up to date. */
struct device_spec *registry_spec(struct registry *registry, const struct device *device);
struct rep_spec *registry_rep_spec(struct registry *registry, const struct representor *rep);
/* Handles on what goes away are dead from then on. True, and logged, if that is new. */
bool device_set_present(struct daemon *daemon, struct device *device, bool present);
bool rep_set_gone(struct daemon *daemon, struct representor *rep, bool gone);
/* What was made with handles that are dead ends, and who has it is told. */
void handles_end_users(struct daemon *daemon);
struct device *registry_find_device(const struct registry *registry, const char *name);
struct representor *registry_find_rep(const struct registry *registry, const char *name);
/* Sets which representors are present, and who speaks for them, from the functions of all linked
 * peers; logs changes. */
void registry_update_presence(struct daemon *daemon);
/* Before the peer is gone. */
void registry_forget_peer(struct daemon *daemon, const struct peer *peer);
/* True if one of the device's present representors represents this function of the peer. */
bool device_has_rep_of(const struct daemon *daemon, const struct device *device,
		       const char *pci_addr, const struct peer *peer);
/* At the host nothing tells whose representor stands for a device: the first peer that proves that
 * it was given an export of it, as long as it is linked. False, and logged: that is another. */
bool device_claim(struct device *device, struct peer *peer);

/* NULL when the session has no such handle, or it is of the other sort. */
struct device *handle_find_device(const struct session *session, uint64_t handle,
				  struct handle **handle_out);
struct representor *handle_find_rep(const struct session *session, uint64_t handle,
				    struct handle **handle_out);
/* One that an earlier instance gave, with its word of the liveness page or slot_past NULL. 0,
 * -EEXIST, -ENOMEM, -EPROTO. */
int handle_resume(struct session *session, uint64_t id, struct device *device,
		  struct representor *rep, const struct handle_slot *slot_past,
		  struct handle **handle_out);
/* See resume_answer_again(). */
bool handle_open_again(struct session *session, const Dococore__Packet *packet);
/* True, and the refusal is sent, if what the handle is of went away. */
bool handle_refuse_gone(struct session *session, uint64_t request_id, const struct handle *handle);
/* True while what the handle is of is not there; the handle stays dead when it is back. */
bool handle_is_away(const struct handle *handle);
/* Returns NULL. */
struct handle *handle_free(struct handle *handle);

/* Handlers of requests; see dispatch.h. */
int device_on_list(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int device_on_rep_list(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int device_on_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int device_on_rep_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int device_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds);

#endif
