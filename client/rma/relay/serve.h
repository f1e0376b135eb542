/*
 * The exporter's end of relayed copies. It receives requests from a stream, checks them against the
 * export's registration, and copies the bytes in the process that owns the memory. Any memory is
 * therefore suitable, and the application may sleep. The counter of a sync event is read and
 * changed with atomics on the counter itself, which wake its sleepers, as the application's own
 * calls do.
 *
 * Nothing in a request is trusted. It names the export by its id and proves with the descriptor's
 * secret that its process has received the descriptor; range and rights are the export's. An export
 * that has ended is refused at once, and its memory is not accessed after relay_export_end() has
 * returned. Executed requests are remembered for a while, so that an importer that lost its stream
 * with a daemon can send them again in another stream without executing them twice. Threads: the
 * responder's thread serves; any thread adds and ends exports, with the lock in struct
 * relay_exports held.
 */
#ifndef CLIENT_RMA_RELAY_SERVE_H
#define CLIENT_RMA_RELAY_SERVE_H

#include <pthread.h>
#include <sys/types.h>

#include "client/rma/relay/stream.h"
#include "util/list.h"

struct sync_cell;

/* The access that others have to an export, as registered. */
struct relay_export {
	struct list node;       /* in struct relay_exports */
	struct sync_cell *cell; /* for a sync event; NULL for memory */
	uint64_t export_id;
	/* COPY_SECRET_LEN bytes each, which the export owns and which it keeps until it has ended
	 */
	const uint8_t *secret;
	const uint8_t *pass_on; /* the secret of an importer's RDMA peers, or NULL */
	uint64_t addr, len;
	bool may_read, may_write;
	bool is_pci;  /* exported over PCI: the daemons check the importer's device */
	bool is_dead; /* revoked, or unknown to every daemon */
	/* Called after each write with the lock held. May be NULL. */
	void (*rung)(void *arg);
	void *rung_arg;
};

struct relay_exports {
	pthread_mutex_t *lock;
	struct list all; /* list of struct relay_export */
};

/* A request that was executed. */
struct relay_done {
	uint32_t op, len, status;
	uint64_t addr;
	uint64_t value; /* for a counter: the value in the answer */
};

/* The deduplication window of an importer's context, over all its streams. */
struct relay_window {
	uint8_t key[COPY_KEY_LEN];
	uint64_t next; /* the tag of the first request that was not executed */
	struct relay_done done[COPY_REMEMBERED]; /* the requests before `next`, indexed by tag */
};

/* One importer's context. */
struct relay_link {
	struct list node;
	uint64_t call_id;
	/* The export that it was opened for is over PCI; otherwise no PCI export may be
	 * accessed. */
	bool is_pci;
	bool is_lost;    /* its daemon has exited */
	uint32_t wanted; /* the room that its next answer needs, or 0 */
	struct relay_stream stream;
	struct relay_window window;
};

enum relay_result {
	RELAY_IDLE,
	RELAY_MORE,   /* more requests are waiting; serve the other links first */
	RELAY_BROKEN, /* the peer has broken the protocol */
};

/* The lock is held. */
void relay_export_add(struct relay_exports *exports, struct relay_export *export);
void relay_export_end(struct relay_export *export);
/* Returns whether the importer may continue with this window. */
bool relay_window_fits(const struct relay_window *window, const struct copy_details *from);
/* Serves some requests. Before each request that has arrived, calls the function that is passed. If
 * that returns true, the request waits, because events that end exports came first. */
enum relay_result relay_link_serve(struct relay_link *link, struct relay_exports *exports,
				   bool (*has_work)(void *user), void *user);
/* Arms the stream before the thread sleeps. Returns true if there is something to do already. */
bool relay_link_arm(struct relay_link *link);
void relay_link_disarm(struct relay_link *link);

#endif
