/*
 * The exporter's end of relayed copies: requests come out of a stream, are checked against what the
 * export was registered as, and the bytes are moved here, by the process whose memory it is. So any
 * memory does, and the application may sleep. The counter of a sync event is read and changed here
 * as by the application's own calls: by atomics on the counter itself, which wake who sleeps.
 * Nothing that a request says is believed: it names the export by its id and proves with the
 * descriptor's secret that its process was given it; range and rights are the export's. An export
 * that ended is refused at once, and its memory is not touched once relay_export_end() has
 * returned. What was carried out is remembered for a while, so that an importer whose stream was
 * lost with a daemon may ask again in another one without effect twice. Threads: the responder's
 * serves; exports are added and ended by any, under the lock given here.
 */
#ifndef CLIENT_RMA_RELAY_SERVE_H
#define CLIENT_RMA_RELAY_SERVE_H

#include <pthread.h>
#include <sys/types.h>

#include "client/rma/relay/stream.h"
#include "util/list.h"

struct sync_cell;

/* What others may do with an export, as it was registered. */
struct relay_export {
	struct list node;       /* relay_exports */
	struct sync_cell *cell; /* of a sync event; NULL: it is memory */
	uint64_t export_id;
	uint8_t secret[COPY_SECRET_LEN];
	uint8_t pass_on[COPY_SECRET_LEN]; /* of RDMA peers of an importer */
	bool has_pass_on;
	uint64_t addr, len;
	bool may_read, may_write;
	bool is_pci;  /* exported for PCI: the daemons check who its importer's device is */
	bool is_dead; /* revoked, or no daemon has it */
	/* After each write, or NULL; the lock is held. */
	void (*rung)(void *arg);
	void *rung_arg;
};

struct relay_exports {
	pthread_mutex_t *lock;
	struct list all; /* struct relay_export */
};

/* A request that was carried out. */
struct relay_done {
	uint32_t op, len, status;
	uint64_t addr;
	uint64_t value; /* that the answer brought, of a counter */
};

/* What an importer's context has asked for so far, in whatever streams. */
struct relay_past {
	uint8_t key[COPY_KEY_LEN];
	uint64_t next; /* tag of the first request that was not carried out */
	struct relay_done done[COPY_REMEMBERED]; /* those before, by their tags */
};

/* One importer's context. */
struct relay_link {
	struct list node;
	uint64_t call_id;
	bool is_pci;     /* the export that it called is; else none that is may be reached */
	bool is_lost;    /* its daemon is gone */
	uint32_t wanted; /* room that its next answer waits for, or 0 */
	struct relay_stream stream;
	struct relay_past past;
};

enum relay_turn {
	RELAY_IDLE,
	RELAY_MORE,   /* it has more to be served, after others */
	RELAY_BROKEN, /* what it says is impossible */
};

/* The lock is held. */
void relay_export_add(struct relay_exports *exports, struct relay_export *export);
void relay_export_end(struct relay_export *export);
/* Is it this one's that the importer goes on with? */
bool relay_past_fits(const struct relay_past *past, const struct copy_details *from);
/*
 * Serves some requests. `has_news` is asked before each one, once that is in sight: true, and it
 * waits, because what ends exports came before it.
 */
enum relay_turn relay_link_serve(struct relay_link *link, struct relay_exports *exports,
				 bool (*has_news)(void *user), void *user);
/* The thread is about to sleep. True if there is something already. */
bool relay_link_arm(struct relay_link *link);
void relay_link_disarm(struct relay_link *link);

#endif
