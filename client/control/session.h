/*
 * The process's one connection to its side's daemon. The first call that needs the connection opens
 * it, and all objects share it. After the daemon went away, the next call opens it again; calls are
 * in client/control/rpc.h. One thread at a time connects, without the lock; others wait for it.
 *
 * Objects that the daemon knows (open devices, exports, servers) register an item. After a
 * reconnect each item is asked, in order of registration, to register with the new daemon. Threads:
 * every function may be called from any thread; the lock is that of the calls. After a fork the
 * child has no session until it makes its first call, and it must not use the parent's objects.
 */
#ifndef CLIENT_CONTROL_SESSION_H
#define CLIENT_CONTROL_SESSION_H

#include <doca_error.h>

#include "client/control/rpc.h"
#include "client/control/session_page.h"
#include "proto/shm_layout.h"
#include "util/list.h"

struct session_item {
	struct list node;
	/* Registers the object with the new daemon. Called with the lock held, on the thread that
	 * connects. May call the daemon, which releases the lock meanwhile. */
	void (*on_reconnect)(struct session_item *item);
	/* Called when this process drops the connection; the next call to the daemon opens another.
	 * May be NULL. The lock is held; the callback must only set flags. */
	void (*on_disconnect)(struct session_item *item);
	bool must_register; /* on_reconnect is to be called; see session_reconnect_locked() */
};

/* Connects if there is no connection, and restores all objects. Waits. */
doca_error_t session_ensure_locked(void);
/*
 * For callers that must not wait: has the library's thread connect, if there is no connection, and
 * register the items that are marked. The result is seen by later calls. is_quiet: a missing daemon
 * is not logged again.
 */
void session_reconnect_locked(bool is_quiet);
/* Returns whether requests can be sent: the connection is open, or the calling thread is the one
 * that connects. */
bool session_is_usable_locked(void);
/* Returns true if the connection has ended, and with it everything that the daemon kept for it.
 * Does not connect. */
bool session_is_over_locked(void);
/* Ends the connection if the daemon has hung up. Does not connect. */
void session_check_hangup(void);
/* Ends the connection. */
void session_disconnect_locked(void);
/* Detects that this process is a forked child of the one that connected. Every function of the
 * session does so. */
void session_check_fork_locked(void);
/* Counts the forks that the session detected between the process that first connected and this one.
 * If the number has changed, objects opened before belong to another process. */
unsigned session_n_forks_locked(void);

/*
 * Marks the calling thread as the library's own. It searches for a daemon with the snapshot of the
 * environment that an application thread took last, because the application may change its
 * environment at any time.
 */
void session_on_own_thread(void);

void session_item_add_locked(struct session_item *item);
/* If the item is just being registered, that registration is given up; the lock is released until
 * its thread has left it. */
void session_item_remove_locked(struct session_item *item);

/* Returns the connected daemon's side, "host" or "dpu", and its 16-byte id. Connects if needed. */
doca_error_t session_get_side(char side_out[8], uint8_t daemon_id_out[16]);
/* Returns the side and id of the daemon that the preceding call under the same lock was made to. */
void session_get_side_locked(char side_out[8], uint8_t daemon_id_out[16]);
/* Returns whether the daemon that was connected last heeds same_user of ExportCreate. */
bool session_knows_same_user_locked(void);
/* Returns whether that daemon accepts exports of files that can be cut. */
bool session_knows_files_locked(void);
/* Returns `ptracer` of the HelloReply of the daemon that was connected last; TRACER_IMPORTER
 * instead of TRACER_ANY if neither root nor this user runs it. */
unsigned session_ptracer_locked(void);
/* Returns the id of the daemon that was connected last. Object ids of other daemons are meaningless
 * to it. */
const uint8_t *session_daemon_id_locked(void);
/* Returns the current page with one more reference, or NULL without a connection. The session's
 * lock is held. */
struct session_page *session_page_ref_locked(void);

#endif
