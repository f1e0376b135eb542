/*
 * Registered memory maps and sync events of this side's clients. An export is a capability: an id
 * and a 128-bit secret. It lives until its session destroys it or ends, or an operator revokes it.
 * Then the daemon clears its liveness word at once and notifies every importer. A grant is one
 * import of the export by another daemon's client.
 */
#ifndef DAEMON_MEMORY_EXPORT_H
#define DAEMON_MEMORY_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/device/device.h"
#include "daemon/memory/export_id.h"
#include "daemon/session/object.h"
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "util/list.h"

#define EXPORT_MAX_GRANTS   65536u
#define EXPORT_MAX_REJECTED 8
#define EXPORT_REASON_LEN   160u

/* The bits of doca_access_flag that the daemon uses. */
enum access_flag {
	ACCESS_RDMA_READ = 2,
	ACCESS_RDMA_WRITE = 4,
	ACCESS_RDMA_ATOMIC = 8,
	ACCESS_PCI_READ_ONLY = 16,
	ACCESS_PCI_READ_WRITE = 32,
	ACCESS_ALL = 127,
};

struct daemon;
struct session;
struct peer;

/* Functions of the room that serves exports to remote importers; see dispatch.h. */
struct export_hooks {
	/*
	 * Returns the id of the endpoint that serves the session's exports on the open device, or 0
	 * if there is none for this importer. is_remote: the importer is on another machine. An
	 * importer of this machine gets no endpoint that only relays.
	 */
	uint64_t (*endpoint_serving)(const struct session *session, const struct handle *handle,
				     bool is_remote);
	/* True if that endpoint also serves exports by streams; see daemon/rdma/stream.h. */
	bool (*endpoint_relays)(const struct session *session, const struct handle *handle);
	/*
	 * An operator has revoked the export: notifies the endpoint, which invalidates the export
	 * at its RDMA device.
	 */
	void (*revoked)(const struct session *session, const struct handle *handle,
			uint64_t export_id);
};

struct export
{
	struct daemon *daemon;
	struct session *session;
	struct list link; /* daemon->memory->exports */
	struct session_object in_session;
	struct idmap_node node; /* daemon->memory->export_map; node.id is the export id */
	uint64_t order;         /* grows along daemon->memory->exports; ids do not */
	struct handle *handle;
	struct device *device;
	Dococore__ExportKind kind;
	uint64_t addr, len;
	uint32_t permissions;
	Dococore__MemoryKind memory;
	uint64_t memfd_offset;
	int memfd; /* or file; -1 for private memory */
	/* The memfd has more than the range: importers of other users do not get it. */
	bool same_user;
	char memory_reason[EXPORT_REASON_LEN]; /* why importers cannot map the memory, or "" */
	int words_fd;                          /* sleep words of a sync event; else -1 */
	/* Eventfd of a sync event or a queue pair, which other processes signal; else -1. */
	int event_fd;
	uint32_t slot, generation;
	bool has_slot;
	/*
	 * The first process that imported it, as its daemon identifies it, and whether a second
	 * process imported it, too.
	 */
	bool was_imported, is_shared;
	pid_t importer_pid;
	uint8_t importer_daemon[16];
	/* EXPORT_SECRET_LEN bytes each, in one allocation (util/secret.h). */
	uint8_t *secret;
	uint8_t *pass_on;       /* of PCI: the secret of RDMA peers of an importer */
	uint64_t created_at_ns; /* CLOCK_REALTIME */
	struct list grants;     /* struct grant, export_link */
	struct list imports;    /* struct import of this side, export_link */
	unsigned n_grants, n_imports;
	struct charge charge;
	uint64_t request_id; /* the request that created it */
	struct persisted persisted;
};

/* The saved state of an export that an earlier daemon instance registered. */
struct export_saved {
	uint64_t id, handle;
	uint32_t kind;
	uint64_t addr, len;
	uint32_t permissions;
	uint32_t memory;
	uint64_t memfd_offset;
	uint32_t slot, generation;
	bool was_imported, is_shared;
	pid_t importer_pid;
	uint8_t importer_daemon[16];
	uint8_t secret[EXPORT_SECRET_LEN];
	const uint8_t *pass_on; /* NULL: generate a new one */
	uint64_t created_at_ns, request_id;
	const char *memory_reason;
	bool same_user;
	int fds[3]; /* memfd, sleep words, eventfd; -1: none */
};

/* Transport that an importer's library chose, for operators. */
struct transport_choice {
	char transport[32]; /* "" until the importer has reported it */
	char rejected[EXPORT_MAX_REJECTED][200];
	size_t n_rejected;
};

struct grant {
	struct export *export;
	struct peer *peer;
	struct list export_link;
	struct list peer_link;
	struct idmap_node node; /* peer->grant_map, by import_id */
	uint64_t import_id;     /* the peer's id of the import */
	pid_t importer_pid;
	uid_t importer_uid;
	bool knows_files; /* see struct export_importer */
	/*
	 * NULL until the importer's daemon reports a choice. It need not report the default
	 * transport.
	 */
	struct transport_choice *choice;
};

/* The values that an importer's request must contain to prove a claim. */
struct export_claim {
	Dococore__ExportKind kind;
	uint64_t export_id;
	const uint8_t *secret; /* EXPORT_SECRET_LEN bytes */
};

/*
 * Descriptors to be sent to an importer. They belong to the export and its session; the kernel or a
 * send queue duplicates them.
 */
struct export_fds {
	int fds[5]; /* at most 5 */
	size_t n_fds;
	int passing; /* one of them that only this importer receives, or -1 */
};

/* The same sentence for an unknown id and for a wrong secret, so that clients cannot probe ids. */
extern const char export_unknown_text[];

/*
 * Returns the export that the claim proves, or NULL. A claim of kind RDMA may also prove memory
 * that was exported over PCI: an importer whose device may import PCI memory receives a second
 * secret, by which it passes the memory on to RDMA peers. The claim's kind decides the contents of
 * the reply.
 */
struct export *export_find_claimed(struct daemon *daemon, const struct export_claim *claim);
/* Returns the enum access_flag bits that an importer with a claim of this kind has. */
uint32_t export_permissions(const struct export *export, Dococore__ExportKind claimed);
/*
 * Restores an export. Takes ownership of the descriptors in `saved`, also on failure. Returns 0 or
 * -errno.
 */
int export_resume(struct session *session, const struct export_saved *saved,
		  struct export **export_out);
/* See resume_answer_again(). */
bool export_create_again(struct session *session, const Dococore__Packet *packet);
/* The facts about an importer that decide which memory it gets. */
struct export_importer {
	uid_t uid;
	bool knows_files; /* its library accepts files that can be cut */
};

/* Returns what the memory is to such importers: PRIVATE if they may not have the descriptor. */
Dococore__MemoryKind export_memory_for(const struct export *export,
				       const struct export_importer *importer);
/*
 * Returns the user that decides what an importer behind this peer gets. A daemon of root, of this
 * daemon's user or of the exporter's could take the exporter's memory anyway, so its statement
 * counts. The importers of any other daemon count as its own user.
 */
uid_t export_importer_uid(const struct export *export, const struct peer *peer, uid_t stated);
/*
 * Collects the descriptors that such importers get, in this order: liveness page (read-only),
 * pidfd, memfd or file, sleep words, eventfd. Returns 0 or -errno.
 */
int export_get_fds(const struct export *export, const struct export_importer *importer,
		   struct export_fds *fds_out);
void export_fds_deinit(struct export_fds *fds);
/*
 * Ends the export: clears the liveness word, then wakes the processes that sleep on it and notifies
 * importers. Returns NULL.
 */
struct export *export_free(struct export *export);
/* Writes the record, or rewrites it after a change. */
void persist_export(struct export *export);
/* Members of session_object_ops for exports. */
void export_object_save(struct session_object *object);
void export_object_forget(struct session_object *object);
/* Revokes the export for an administrator. Returns 0 or -ENOENT. */
int export_revoke(struct daemon *daemon, uint64_t export_id);
/* Revokes the exports whose device was removed from the machine. */
void exports_end_gone(struct daemon *daemon);
/* Notifies the importer's daemon that the export has ended. */
void grant_notify_gone(struct grant *grant);
/* Frees the grant without a notification. Returns NULL. */
struct grant *grant_free(struct grant *grant);
/* Ends a grant whose importer is gone or can no longer report its end. Returns NULL. */
struct grant *grant_end(struct grant *grant);
/* Ends all grants of a peer whose link is gone. */
void grants_end(struct peer *peer);
/* Returns NULL if there is none. */
struct grant *grant_find(const struct peer *peer, uint64_t import_id);
void transport_choice_set(struct transport_choice *choice, const Dococore__ImportTransport *report);
bool transport_choice_equal(const struct transport_choice *one,
			    const struct transport_choice *other);
/*
 * True if importers of this kind use the transport of proto/transport_default.h unless they report
 * another one.
 */
bool export_kind_has_transport(Dococore__ExportKind kind);
/* Returns "pci", "rdma", "sync-pci", "sync-net" or "rdma-qp". */
const char *export_kind_name(Dococore__ExportKind kind);
/* True for PCI and SYNC_PCI: exports between the sides, along a function and its representor. */
bool export_kind_is_pci(Dococore__ExportKind kind);
bool export_kind_is_sync(Dococore__ExportKind kind);
/*
 * Number of descriptors beside the exporter's own: memory, sleep words, eventfd. A kind must not be
 * used as another kind with a different number.
 */
unsigned export_kind_n_fds(Dococore__ExportKind kind);
/*
 * A queue pair has one peer process at a time. Returns the reason why this process may not import
 * it now, or NULL. Processes are identified by their daemon and their pid there.
 */
const char *export_busy_reason(const struct export *export, const uint8_t daemon_id[16], pid_t pid);
void export_acquire(struct export *export, const uint8_t daemon_id[16], pid_t pid);
void export_release(struct export *export);

/* Returns the reason why a range of a memfd cannot be shared, or NULL. */
const char *export_memfd_error(int memfd, uint64_t offset, uint64_t len);

int export_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int export_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int export_on_peer_transport(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int export_on_peer_import(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
