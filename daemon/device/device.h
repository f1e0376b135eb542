/*
 * Registry of this side's devices and representors: their ids, presence, and open handles. The
 * specifications come from the topology and from the machine. The record of a device or representor
 * lives as long as the daemon, even if it was unplugged. Handles are a session's open devices and
 * representors; they end with the session at the latest.
 */
#ifndef DAEMON_DEVICE_DEVICE_H
#define DAEMON_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/session/object.h"
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
	const struct peer *dpu; /* on the host side: the peer that imports exports of this device */
	bool is_gone;           /* the machine had the device and has lost it */
	unsigned n_handles;
};

struct representor {
	uint32_t id; /* index + 1 */
	const struct rep_spec *spec;
	struct device *parent;
	bool present;
	bool is_gone; /* like device.is_gone */
	bool is_seen; /* scratch flag for hotplug.c */
	/* The first linked peer that has announced the function; no other peer acts for it. */
	struct peer *owner;
	unsigned n_handles;
};

/* Functions of higher rooms that handles call; see dispatch.h. */
struct device_hooks {
	/* Handles are dead: what was made with them ends, and its clients are notified. */
	void (*end_users)(struct daemon *daemon);
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
	struct session_object in_session;
	struct device *device;
	struct representor *rep;
	uint64_t request_id; /* the request that opened it */
	struct persisted persisted;
	bool is_gone;  /* the device was removed since the handle was opened; it may be back */
	bool has_slot; /* has a liveness slot: alive while the device is present */
	uint32_t slot, generation;
	unsigned n_users; /* number of exports, imports, servers and channels that use it */
	struct charge charge;
};

/* Takes ownership of the topology on success. Returns 0 or -ENOMEM. */
int registry_init(struct registry *registry, struct topology *topology);
void registry_deinit(struct registry *registry);
/*
 * Adds a device with a copy of the specification. Returns NULL if there is no room. Pointers to
 * other devices stay valid.
 */
struct device *registry_add_device(struct registry *registry, const struct device_spec *spec);
/*
 * Like registry_add_device(), for a device that existed before a restart and may return: its
 * handles need the record. Also returns NULL if devices cannot come and go.
 */
struct device *registry_add_lost_device(struct registry *registry, const char *name);
struct representor *registry_add_rep(struct registry *registry, const struct rep_spec *spec);
/*
 * Like registry_add_lost_device(). parent: its parent device, or "" if an earlier version did not
 * record it.
 */
struct representor *registry_add_lost_rep(struct registry *registry, const char *name,
					  const char *parent);
/* Return the specification for changes. */
struct device_spec *registry_spec(struct registry *registry, const struct device *device);
struct rep_spec *registry_rep_spec(struct registry *registry, const struct representor *rep);
/*
 * Set the presence and mark the handles of a removed device as dead. Return true, and log, if the
 * state has changed.
 */
bool device_set_present(struct daemon *daemon, struct device *device, bool present);
bool rep_set_gone(struct daemon *daemon, struct representor *rep, bool gone);
struct device *registry_find_device(const struct registry *registry, const char *name);
struct representor *registry_find_rep(const struct registry *registry, const char *name);
/*
 * Computes from the functions of all linked peers which representors are present and which peer
 * acts for each. Logs changes.
 */
void registry_update_presence(struct daemon *daemon);
/* The link to the peer is gone: it represents nothing any more. */
void registry_forget_peer(struct peer *peer);
/* True if one of the device's present representors stands for this function of the peer. */
bool device_has_rep_of(const struct daemon *daemon, const struct device *device,
		       const char *pci_addr, const struct peer *peer);
/*
 * On the host side nothing says which DPU's representor stands for a device. Assigns the device to
 * the first peer that proves possession of an export of it, for as long as that peer is linked.
 * Returns false, and logs, if the device is assigned to another peer.
 */
bool device_claim(struct device *device, struct peer *peer);

/* Returns NULL if the session has no such handle, or it is of the other kind. */
struct device *handle_find_device(const struct session *session, uint64_t handle,
				  struct handle **handle_out);
struct representor *handle_find_rep(const struct session *session, uint64_t handle,
				    struct handle **handle_out);
/*
 * Restores a handle of an earlier daemon instance. saved_slot: its liveness slot, or NULL. Returns
 * 0, -EEXIST, -ENOMEM or -EPROTO.
 */
int handle_resume(struct session *session, uint64_t id, struct device *device,
		  struct representor *rep, const struct handle_slot *saved_slot,
		  struct handle **handle_out);
/* See resume_answer_again(). */
bool handle_open_again(struct session *session, const Dococore__Packet *packet);
/* Returns true after sending a refusal if the handle's device or representor was removed. */
bool handle_refuse_gone(struct session *session, uint64_t request_id, const struct handle *handle);
/*
 * True while the handle's device or representor is absent. The handle stays dead when it returns.
 */
bool handle_is_absent(const struct handle *handle);
/* Frees the handle. Returns NULL. */
struct handle *handle_free(struct handle *handle);
/* Writes the record, or rewrites it after a change. */
void persist_handle(struct handle *handle);
/* Members of session_object_ops for handles. */
void handle_object_save(struct session_object *object);
void handle_object_forget(struct session_object *object);

/* Request handlers; see dispatch.h. */
/* The capabilities as clients see them. */
void caps_to_message(const struct caps *caps, Dococore__Caps *m);
int device_on_list(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int device_on_rep_list(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int device_on_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int device_on_rep_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int device_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds);

#endif
