/*
 * A comch server: a name on a device for one representor. Clients' connections arrive as channels
 * (channel.h) on its event ring. Owned by its session.
 */
#ifndef DAEMON_COMCH_SERVICE_H
#define DAEMON_COMCH_SERVICE_H

#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/device/device.h"
#include "daemon/session/event_out.h"
#include "daemon/session/object.h"
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "util/list.h"

struct daemon;
struct peer;
struct session;

struct service {
	struct daemon *daemon;
	struct session *session;
	struct list link; /* daemon->comch->services */
	struct session_object in_session;
	struct idmap_node node; /* daemon->comch->service_map; node.id is the server id */
	struct handle *device_handle;
	struct handle *rep_handle;
	struct device *device;
	struct representor *rep;
	char name[256];
	uint32_t max_msg_size; /* bytes */
	uint32_t recv_queue_size;
	bool has_remote_rings;  /* its library supports remote rings, see ChannelReply */
	uint64_t created_at_ns; /* CLOCK_REALTIME */
	uint64_t request_id;    /* the request that created it */
	struct persisted persisted;
	struct event_out events;
	struct list channels; /* struct channel, service_link */
	unsigned n_channels;
	/* The program was notified that the device or representor was removed. */
	bool notified_gone;
	struct charge charge;
};

/* The saved state of a service of an earlier daemon instance. */
struct service_saved {
	uint64_t id, device_handle, rep_handle;
	const char *name;
	uint32_t max_msg_size, recv_queue_size;
	bool has_remote_rings;
	uint64_t created_at_ns, request_id;
};

/* Restores a service. Takes ownership of both descriptors, also on failure. Returns 0 or -errno. */
int service_resume(struct session *session, const struct service_saved *saved, int memfd,
		   int eventfd, struct service **service_out);
/* See resume_answer_again(). */
bool service_create_again(struct session *session, const Dococore__Packet *packet);
/* First closes its channels with the code. Returns NULL. */
struct service *service_free(struct service *service, uint32_t code);
/* Writes the record, or rewrites it after a change. */
void persist_service(struct service *service);
/* Members of session_object_ops for services. */
void service_object_save(struct session_object *object);
void service_object_forget(struct session_object *object);
/* Notifies, once, the programs whose server's device or representor was removed. */
void services_notify_gone(struct daemon *daemon);
/* True while its device or representor is removed. */
bool service_is_absent(const struct service *service);
/* Returns the server that a client on this function of the peer reaches under the name, or NULL. */
struct service *service_find(struct daemon *daemon, const char *name, const char *pci_addr,
			     const struct peer *peer);

int service_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int service_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds);

#endif
