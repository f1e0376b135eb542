/*
 * Exports and imports: the part that memory maps, sync events and queue pairs share. An export is
 * registered with the daemon, which assigns an id, a secret and a word of the session's liveness
 * page; the descriptor contains them. After a restart of the daemon, the export is registered again
 * automatically. An import sends the descriptor's contents to the daemon and keeps polling the
 * exporter's liveness word. Threads: those of the object. The session's lock orders registration
 * against a reconnect.
 */
#ifndef CLIENT_MEMORY_EXPORT_H
#define CLIENT_MEMORY_EXPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "client/device/dev.h"
#include "util/export_descriptor.h"
#include "util/list.h"

struct export_registration;
struct mem_key;
struct served_export;
struct rpc_pending;
struct sync_cell;

/* The parts of an export that core dumps leave out (util/secret.h). */
struct export_secrets {
	uint8_t secret[16];
	uint8_t pass_on[16]; /* for PCI: the secret that RDMA peers of importers present */
	uint8_t descriptor[EXPORT_DESCRIPTOR_LEN];
};

/* The owner fills the members before `item`. The descriptors are borrowed and stay open while the
 * export exists. */
struct export
{
	const char *what; /* the beginning of its error sentences: "mmap export" */
	struct doca_dev *dev;
	Dococore__ExportKind kind;
	uint32_t permissions;
	uint64_t addr, len;
	int memfd; /* -1: private memory */
	uint64_t memfd_offset;
	/* The memfd has more than the range: only importers of this user get it. */
	bool same_user;
	bool is_file; /* the descriptor is that of a file that can be cut, open for reading and
		       * writing */
	const char *memory_reason; /* why importers cannot map the memory; NULL: none */
	bool grants_write;         /* importers receive a writable memfd */
	int shared[2];             /* sync events: sleep words and eventfd; queue pairs: eventfd */
	size_t n_shared;
	struct sync_cell *cell; /* for a sync event that may be relayed; otherwise NULL */
	/* For sync events; otherwise NULL. Called before the export is registered with another
	 * daemon, which does not know its importers. The session's lock is held. */
	void (*moves)(struct export * export);
	/*
	 * Called when importers on other machines ring the export and may have written. May be
	 * NULL. Runs on the responder's thread with its lock held; the callback may wake threads,
	 * but must not call functions of exports.
	 */
	void (*rung)(void *arg);
	void *rung_arg;
	/* Called when an operator has revoked the export or no daemon has it any more, in the same
	 * way as `rung`. May be NULL. */
	void (*revoked)(void *arg);

	/* closing does not wait until the daemon or an importer has acknowledged it */
	bool ends_async;

	struct session_item item;
	uint64_t export_id;
	struct export_secrets *secrets;            /* while the export is open, otherwise NULL */
	bool has_pass_on;                          /* false: the daemon is of an earlier version */
	struct export_registration *registrations; /* the last daemon's first */
	bool is_registered; /* with the last daemon, as far as this process knows */
	bool may_be_remote; /* importers may be on other machines */
	/* The key by which an RDMA device knows the memory. A revocation frees the key if a
	 * responder watches for it; the responder owns the key then. */
	bool has_key;
	uint32_t key;
	struct mem_key *mem_key;
	struct served_export *served; /* the export server's record; NULL: it is not served */
	pid_t pid;                    /* the process that registered it */
};

/*
 * Set for good before this process first gives another process access to any of its memory. The
 * end of an export does not take the access away for certain: an importer may keep a memfd mapped,
 * and several memory maps may describe the same memory. Engines whose libraries require memory that
 * does not change therefore read this flag, not the state of one memory map.
 */
extern _Atomic bool export_has_shared_memory;

/* Allocates the export's secrets. Returns SUCCESS or NO_MEMORY. */
doca_error_t export_make_secrets(struct export *export);
/* Overwrites and frees them, and with them the descriptor. Idempotent. */
void export_wipe(struct export *export);
/* Registers the export and writes its descriptor. On failure the export is closed again. */
doca_error_t export_open(struct export *export);
/*
 * Returns false if an operator revoked the export, or if a restarted daemon refused to register it
 * again. Such an export never becomes alive again; its descriptor stays readable until it is
 * closed.
 */
bool export_is_alive(struct export *export);
/* Like export_is_alive(), but distinguishes EXPORT_UNKNOWN: no daemon can be reached, so the export
 * may have ended or may come back. may_wait: connects if there is no connection. */
enum export_state { EXPORT_ALIVE, EXPORT_DEAD, EXPORT_UNKNOWN };
enum export_state export_get_state(struct export *export, bool may_wait);
/* Returns the access that peers have, as DOCA_ACCESS_FLAG_RDMA_*, also for exports over PCI. */
uint32_t export_rights(const struct export *export);
/* Returns whether the export is memory or a counter whose importers may be on other machines. */
bool export_is_relayed(const struct export *export);
/* Returns whether an operator revoked the export. The session's lock is held. */
bool export_is_revoked_locked(const struct export *export);
/* Sets LIVENESS_SHARED in the liveness words: from now on several processes take part
 * (proto/shm_layout.h). */
void export_set_shared(struct export *export);
/* Returns the liveness word of the first daemon that the export was registered with. It is valid
 * while the export is open. */
const _Atomic uint32_t *export_first_word(struct export *export);
/*
 * Ends the export. Importers stop at once, because the liveness words are cleared first. If `then`
 * is not NULL, it is called before the daemon is notified. A forked child that cleans up frees
 * copies only; the exports remain its parent's.
 */
void export_close(struct export *export, void (*then)(void *arg), void *arg);
/* Like export_close(), without waiting, for queue pairs: only their importer can reach them. The
 * session's lock is held. */
void export_close_locked(struct export *export);

/* The export server executes requests of importers on other machines, and of RDMA devices of this
 * machine. It is the responder of client/rma, which is a layer above. */
struct export_server_ops {
	/*
	 * Begins to serve the export, and sets export->served. If the export has a memory key, the
	 * server owns the key from here on. Returns NOT_SUPPORTED if the topology forbids RDMA on
	 * the device.
	 */
	doca_error_t (*add)(struct export *export);
	/* Stops serving the export, and invalidates its memory key. */
	void (*remove)(struct export *export);
};

/* Defined in client/providers.c. */
extern const struct export_server_ops *const export_server;

struct import_page;

/* The importer's view of an export's liveness word. */
struct import_liveness {
	struct import_page *their_page; /* the exporter's page, or NULL */
	/* For imports from another machine instead: this process's own page, in which the local
	 * daemon reports the end of the export. */
	struct session_page *own;
	const _Atomic uint32_t *alive;
	uint32_t generation;
};

/* Asks this side's daemon for the export that a valid descriptor names. If the descriptor has a key
 * and the daemon does not know the exporting daemon, returns NOT_FOUND without logging it. */
doca_error_t import_send(struct doca_dev *dev, struct export_descriptor *descriptor,
			 struct rpc_reply *answer_out);
/* Like import_send(), without waiting; see client/control/rpc.h. Returns NOT_CONNECTED if the
 * daemon does not know the device. */
doca_error_t import_send_locked(struct doca_dev *dev, struct export_descriptor *descriptor,
				void (*on_done)(void *user), void *user,
				struct rpc_pending **pending_out);
/*
 * Starts to watch the liveness word of an import. `answer` contains an ImportReply. `page` is its
 * first descriptor, or -1 for an export on another machine, whose end this side's daemon reports.
 * Returns NOT_CONNECTED if that daemon's connection has ended.
 */
doca_error_t import_watch(const char *what, const struct rpc_reply *answer, int page,
			  struct import_liveness *liveness_out);
/*
 * Like import_watch(), without using the session. `own` is the page of the connection that carried
 * the request, with a reference. It is set to NULL when the reference has moved to *liveness_out.
 */
doca_error_t import_watch_by(const char *what, const struct rpc_reply *answer, int page,
			     struct session_page **own, struct import_liveness *liveness_out);
/* Release a reference, and end a watch. Neither function blocks. */
void session_page_unref(struct session_page *page);
void import_unwatch(struct import_liveness *liveness);
/* Reports to the operator which transport is used and which ones failed. `transport` must be a
 * static string. */
void import_report(uint64_t import_id, const uint8_t daemon_id[16], const char *transport,
		   char **rejected, size_t n_rejected);
void import_release(uint64_t import_id);
/* Like import_release(), but does not wait for the daemon. daemon_id is the daemon that assigned
 * import_id. */
void import_release_async(uint64_t import_id, const uint8_t daemon_id[16]);

#endif
