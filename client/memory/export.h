/*
 * What memory maps and sync events share when they are exported or imported. An export is
 * registered with the daemon, which gives it an id, a secret and a word of the session's liveness
 * page; the descriptor carries them. It is registered again by itself after the daemon was
 * restarted. An import asks the daemon and keeps looking at the exporter's liveness word.
 * Threads: those of the object; the session's lock orders registration against a reconnect.
 */
#ifndef CLIENT_MEMORY_EXPORT_H
#define CLIENT_MEMORY_EXPORT_H

#include <sys/types.h>

#include "client/device/dev.h"
#include "client/rma/relay/serve.h"
#include "util/blob.h"

struct export_mark;
struct mem_key;
struct responder;
struct session_later;

/* Filled by the owner down to `ends_soon`; the descriptors are borrowed and stay open while it
 * lives.
 */
struct export
{
	const char *what; /* begins its sentences: "mmap export" */
	struct doca_dev *dev;
	Dococore__ExportKind kind;
	uint32_t permissions;
	uint64_t addr, len;
	int memfd; /* -1: private memory */
	uint64_t memfd_offset;
	bool gives_write; /* the memfd is handed on writable */
	int shared[2];    /* sync events: sleep words, eventfd; queue pairs: eventfd */
	size_t n_shared;
	struct sync_cell *cell; /* of a sync event that may be relayed, or NULL */
	/* Of a sync event, or NULL: it is about to be registered with another daemon, which does
	 * not know who has it. The session's lock is held. */
	void (*moves)(struct export * export);
	/* Or NULL: importers on other machines ring it, and may have written. The responder's
	 * thread, with its lock held: it rings somebody, and calls nothing of exports. */
	void (*rung)(void *arg);
	void *rung_arg;
	/* An operator revoked it, or no daemon has it any more; the same. Or NULL. */
	void (*revoked)(void *arg);

	bool ends_soon; /* who closes it does not wait until the daemon, or an importer, knows */

	struct session_item item;
	uint64_t export_id;
	uint8_t secret[16];
	uint8_t pass_on[16];       /* of PCI: what RDMA peers of importers prove themselves with */
	bool has_pass_on;          /* false: the daemon is of an earlier version */
	struct export_mark *marks; /* the last daemon's first */
	bool is_registered;        /* with that one, as far as we know */
	bool may_be_distant;       /* importers may be on other machines */
	/* The device is an RDMA device, which knows the memory by a key; gone once it was revoked,
	 * if a responder hears of that, whose it is then. */
	bool has_key;
	uint32_t key;
	struct mem_key *mem_key;
	struct responder *responder; /* NULL: none */
	struct list served_node;     /* the responder's */
	struct relay_export relayed; /* the same, if the daemons may relay copies of it */
	pid_t pid;                   /* that registered it */
	uint8_t blob[BLOB_LEN];
};

/* Registers it and writes the descriptor. On failure nothing is left. */
doca_error_t export_open(struct export *export);
/* False: an operator revoked it, or a daemon would not have it again after a restart. Such a one is
 * forgotten, never to come back; its descriptor stays readable until it is closed. */
bool export_is_alive(struct export *export);
/* The same, where no daemon is there to be asked: it may come back, or it is over already. */
enum export_state { EXPORT_ALIVE, EXPORT_DEAD, EXPORT_UNKNOWN };
enum export_state export_look(struct export *export);
/* What peers may do, DOCA_ACCESS_FLAG_RDMA_*, also of one for PCI. */
uint32_t export_rights(const struct export *export);
/* Memory or a counter whose importers may be on other machines. */
bool export_is_relayed(const struct export *export);
/* Served to importers by relay from now on. The lock of those is held. */
void export_relay(struct export *export, struct relay_exports *exports);
/* An operator did. The session's lock is held. */
bool export_is_revoked_locked(const struct export *export);
/* For those who look at it: several processes take part now (proto/shm_layout.h). */
void export_set_crowd(struct export *export);
/* The word in the page of the first daemon that it was registered with; as long as it is open. */
const _Atomic uint32_t *export_first_word(struct export *export);
/* Importers stop at once: liveness words first. `then`, if not NULL, is called before the daemon is
 * told. A forked child that cleans up has copies; the exports are its parent's and stay. */
void export_close(struct export *export, void (*then)(void *arg), void *arg);
/* The same of a queue pair, which nothing but its importer reaches, without waiting. */
void export_close_locked(struct export *export);

struct import_page;

/* The liveness word of an export, seen by an importer. */
struct import_liveness {
	struct import_page *theirs; /* NULL: none */
	/* Of a distant import instead: our own page, where our daemon tells. */
	struct session_page *own;
	const _Atomic uint32_t *alive;
	uint32_t generation;
};

/* Asks this side's daemon for what a sound descriptor names. NOT_FOUND, not logged, if that has a
 * key and is of a daemon that it knows nothing of. */
doca_error_t import_ask(struct doca_dev *dev, struct blob *blob, struct session_answer *answer_out);
/* The same without waiting; see client/control/pending.h. NOT_CONNECTED if it does not know the
 * device. */
doca_error_t import_ask_later_locked(struct doca_dev *dev, struct blob *blob,
				     void (*came)(void *user), void *user,
				     struct session_later **later_out);
/* answer: an ImportReply. page: its descriptor 0; -1 of a distant one, for which the daemon that
 * gave it tells, NOT_CONNECTED if that is not connected any more. */
doca_error_t import_watch(const char *what, const struct session_answer *answer, int page,
			  struct import_liveness *liveness_out);
/* The same without a look at the session. own: the page of the connection by which it was asked
 * for, with a reference; NULL once that is the liveness's. */
doca_error_t import_watch_by(const char *what, const struct session_answer *answer, int page,
			     struct session_page **own, struct import_liveness *liveness_out);
/* None of these waits for anybody. */
void import_page_end(struct session_page *page);
void import_unwatch(struct import_liveness *liveness);
/* Tells the operator how the memory is reached and what was tried in vain. The name stays. */
void import_report(uint64_t import_id, const uint8_t daemon_id[16], const char *transport,
		   char **rejected, size_t n_rejected);
void import_give_up(uint64_t import_id);
/* The same without waiting for the daemon, or for a call of another thread; of one that this daemon
 * gave. */
void import_give_up_soon(uint64_t import_id, const uint8_t daemon_id[16]);

#endif
