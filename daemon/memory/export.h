/*
 * Registered memory maps and sync events of this side's clients. An export is a capability: id and
 * 128-bit secret. It lives until its session destroys it or dies, or an operator revokes it; then
 * its liveness word is cleared at once and every importer is told. A grant is one import of it on
 * another side.
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
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "util/list.h"

#define EXPORT_MAX_GRANTS   65536u
#define EXPORT_MAX_REJECTED 8

/* Bits of doca_access_flag that the daemon looks at. */
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

struct export
{
	struct daemon *daemon;
	struct session *session;
	struct list link;         /* daemon->exports */
	struct list session_link; /* session->exports */
	struct idmap_node node;   /* daemon->export_map; node.id is the export id */
	uint64_t order;           /* grows along daemon->exports; ids do not */
	struct handle *handle;
	struct device *device;
	Dococore__ExportKind kind;
	uint64_t addr, len;
	uint32_t permissions;
	Dococore__MemoryKind memory;
	uint64_t memfd_offset;
	int memfd;    /* -1 for private memory */
	int words_fd; /* of a sync event: its sleep words; else -1 */
	int event_fd; /* of a sync event or a queue pair: what others ring; else -1 */
	uint32_t slot, generation;
	bool has_slot;
	/* The first process that imported it, as its daemon knows it, and whether there was
	 * another.
	 */
	bool was_imported, is_crowd;
	pid_t importer_pid;
	uint8_t importer_daemon[16];
	uint8_t secret[EXPORT_SECRET_LEN];
	uint8_t pass_on[EXPORT_SECRET_LEN]; /* of PCI: the secret of RDMA peers of an importer */
	uint64_t created_at_ns;             /* CLOCK_REALTIME */
	struct list grants;                 /* struct grant, export_link */
	struct list imports;                /* struct import of this side, export_link */
	unsigned n_grants, n_imports;
	struct charge charge;
	uint64_t request_id; /* that made it */
	struct kept kept;
};

/* One that an earlier instance registered. */
struct export_past {
	uint64_t id, handle;
	uint32_t kind;
	uint64_t addr, len;
	uint32_t permissions;
	uint32_t memory;
	uint64_t memfd_offset;
	uint32_t slot, generation;
	bool was_imported, is_crowd;
	pid_t importer_pid;
	uint8_t importer_daemon[16];
	uint8_t secret[EXPORT_SECRET_LEN];
	const uint8_t *pass_on; /* NULL: a new one */
	uint64_t created_at_ns, request_id;
	int fds[3]; /* memfd, sleep words, eventfd; -1: none */
};

/* What an importer's library chose, for operators. */
struct transport_choice {
	char transport[32]; /* "" until it has told */
	char rejected[EXPORT_MAX_REJECTED][200];
	size_t n_rejected;
};

struct grant {
	struct export *export;
	struct peer *peer;
	struct list export_link;
	struct list peer_link;
	struct idmap_node node; /* peer->grant_map, by import_id */
	uint64_t import_id;     /* of the peer */
	pid_t importer_pid;
	uid_t importer_uid;
	/* NULL until the importer's daemon has told, which it need not do of the expected. */
	struct transport_choice *choice;
};

/* What an importer's descriptor must say. */
struct export_claim {
	Dococore__ExportKind kind;
	uint64_t export_id;
	const uint8_t *secret; /* EXPORT_SECRET_LEN bytes */
};

/* Descriptors that go to an importer. They are those of the export and its session, which the
 * kernel, or a queue, duplicates as they go. */
struct export_fds {
	int fds[5]; /* at most */
	size_t n_fds;
	int passing; /* one of them that is for this importer only, or -1 */
};

/* The sentence for an unknown id and for a wrong secret alike, so that ids cannot be probed. */
extern const char export_unknown_text[];

/*
 * The export that the claim proves, or NULL. A claim of kind RDMA may also prove memory that was
 * exported over PCI: those whose device may import that are given a second secret, by which they
 * pass it on to RDMA peers. The claim's kind decides what the reply to such a peer has.
 */
struct export *export_find_claimed(struct daemon *daemon, const struct export_claim *claim);
/* What an importer by a claim of this kind may do, enum access_flag. */
uint32_t export_permissions(const struct export *export, Dococore__ExportKind claimed);
/* Takes past's descriptors, also when it fails. 0 or -errno. */
int export_resume(struct session *session, const struct export_past *past,
		  struct export **export_out);
/* See resume_answer_again(). */
bool export_create_again(struct session *session, const Dococore__Packet *packet);
/* Liveness page (read-only), pidfd, memfd, sleep words, eventfd, as far as it has them. 0 or
 * -errno. */
int export_get_fds(const struct export *export, struct export_fds *fds_out);
void export_fds_deinit(struct export_fds *fds);
/* Ends it: the liveness word first, then who sleeps on it is woken and importers are told. Returns
 * NULL. */
struct export *export_free(struct export *export);
/* By the administrator's hand. 0 or -ENOENT. */
int export_revoke(struct daemon *daemon, uint64_t export_id);
/* Those whose device was taken away from the machine end as if they were revoked. */
void exports_end_gone(struct daemon *daemon);
/* Tells the importer's daemon that its export has ended. */
void grant_tell_gone(struct grant *grant);
/* Returns NULL. */
struct grant *grant_free(struct grant *grant);
/* The importer is gone, or nothing will be heard of it any more. Returns NULL. */
struct grant *grant_end(struct grant *grant);
/* NULL: there is none. */
struct grant *grant_find(const struct peer *peer, uint64_t import_id);
void transport_choice_set(struct transport_choice *choice, const Dococore__ImportTransport *say);
bool transport_choice_equal(const struct transport_choice *one,
			    const struct transport_choice *other);
/* True if importers take the one of proto/transport_default.h, or tell otherwise. */
bool export_kind_has_transport(Dococore__ExportKind kind);
/* "pci", "rdma", "sync-pci", "sync-net" or "rdma-qp". */
const char *export_kind_name(Dococore__ExportKind kind);
/* Between the sides, along a function and its representor: PCI and SYNC_PCI. */
bool export_kind_is_pci(Dococore__ExportKind kind);
bool export_kind_is_sync(Dococore__ExportKind kind);
/* Descriptors that come with it beside those of the exporter: memory, words, eventfd. Kinds that
 * differ in that are not to be mixed up. */
unsigned export_kind_n_fds(Dococore__ExportKind kind);
/* A queue pair has one other end, until that gives it back: why this process may not import it now,
 * or NULL. Processes are told apart as their daemons know them. */
const char *export_taken(const struct export *export, const uint8_t daemon_id[16], pid_t pid);
void export_take(struct export *export, const uint8_t daemon_id[16], pid_t pid);
void export_give_back(struct export *export);

/* Why a range of a memfd cannot be shared, or NULL. */
const char *export_memfd_wrong(int memfd, uint64_t offset, uint64_t len);

int export_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int export_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int export_on_peer_transport(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int export_on_peer_import(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
