/* Exports: the part that memory maps, sync events and queue pairs share; see
 * client/memory/export.h. */
#include "client/memory/export.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dococ.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/control/revocation_watch.h"
#include "client/memory/mem_key.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/secret.h"

_Atomic bool export_has_shared_memory;

/* A liveness word that importers poll. There is one for each daemon that the export was registered
 * with. */
struct export_registration {
	struct export_registration *next;
	struct session_page *page;
	uint32_t slot;
	uint32_t generation;
};

static void export_registration_free(struct export_registration **registration)
{
	free(*registration);
}

static const char old_daemon_reason[] =
	"the memfd has more than the range, and the daemon cannot keep it from importers of other "
	"users; update the daemon";

static const char older_daemon_reason[] =
	"the range lies in a file that can be cut, which the daemon does not pass on; update the "
	"daemon";

/* Collects the descriptors of the request. The caller closes the first one, unless it is the
 * export's own. */
static doca_error_t export_pack(const struct export *export, Dococore__ExportCreate *create,
				int fds[3], size_t *n_fds)
{
	*n_fds = 0;
	if (export->memory_reason != NULL)
		create->memory_reason = (char *)export->memory_reason;
	if (export->memfd < 0)
		return DOCA_SUCCESS;
	/* A daemon that does not know `same_user` would give the whole memfd to every user. */
	if (export->same_user && !session_knows_same_user_locked()) {
		create->memory_reason = (char *)old_daemon_reason;
		return DOCA_SUCCESS;
	}
	if (export->is_file && !session_knows_files_locked()) {
		create->memory_reason = (char *)older_daemon_reason;
		return DOCA_SUCCESS;
	}
	/* Not duplicated: closing a duplicate would drop the program's POSIX locks on the file. */
	if (export->is_file) {
		fds[0] = export->memfd;
		*n_fds = 1;
		create->memory = DOCOCORE__MEMORY_KIND__FILE;
		create->memfd_offset = export->memfd_offset;
		create->same_user = true;
		return DOCA_SUCCESS;
	}
	fds[0] = fd_reopen(export->memfd, export->grants_write ? O_RDWR : O_RDONLY);
	/* EACCES means that the process has changed its user since it made the memfd. The duplicate
	 * is no risk for read-only exports, because the memory is sealed against writing. */
	if (fds[0] == -EACCES)
		fds[0] = fd_dup(export->memfd);
	if (fds[0] < 0)
		return error_set(error_from_errno(fds[0]),
				 "%s: the memory's descriptor cannot be opened again (error %d)",
				 export->what, -fds[0]);
	memcpy(fds + 1, export->shared, export->n_shared * sizeof(fds[0]));
	*n_fds = 1 + export->n_shared;
	create->memory = DOCOCORE__MEMORY_KIND__MEMFD;
	create->memfd_offset = export->memfd_offset;
	create->same_user = export->same_user;
	return DOCA_SUCCESS;
}

static doca_error_t export_register_once(struct export *export, bool restore)
{
	Dococore__ExportCreate create = DOCOCORE__EXPORT_CREATE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	const Dococore__ExportReply *reply;
	int fds[3] = {-1, -1, -1};
	CLEANUP(export_registration_free)
	struct export_registration *registration = calloc(1, sizeof(*registration));
	doca_error_t result;

	/* The registration is allocated before the request: once the daemon has registered the
	 * export, nothing may fail for lack of memory. */
	if (registration == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory", export->what);
	result = dev_get_handle_locked(export->dev, &create.device);
	if (result != DOCA_SUCCESS)
		return result;
	create.kind = export->kind;
	create.addr = export->addr;
	create.len = export->len;
	create.permissions = export->permissions;
	result = export_pack(export, &create, fds, &request.n_fds);
	if (result != DOCA_SUCCESS)
		return result;
	request.fds = fds;
	/* Another daemon has other handles, and may lack the ability to keep memory to one user. */
	request.connection = rpc_connection_locked();
	if (restore) {
		create.restore_export_id = export->export_id;
		create.restore_secret.data = export->secrets->secret;
		create.restore_secret.len = sizeof(export->secrets->secret);
		create.restore_pass_on.data = export->secrets->pass_on;
		create.restore_pass_on.len = export->has_pass_on ? sizeof(export->secrets->pass_on)
								 : 0;
		request.expected_refusal = DOCA_ERROR_ALREADY_EXIST;
	}
	request.packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	request.packet.export_create = &create;
	result = rpc_call_locked(&request, DOCOCORE__PACKET__BODY_EXPORT_REPLY, &answer);
	if (!export->is_file)
		fd_close(&fds[0]);
	if (result != DOCA_SUCCESS)
		return result;
	reply = answer.packet->export_reply;
	registration->page = session_page_ref_locked();
	if (reply->secret.len != sizeof(export->secrets->secret) || reply->generation == 0 ||
	    registration->page == NULL || reply->slot >= registration->page->n_words) {
		if (registration->page != NULL)
			session_page_unref_locked(registration->page);
		return error_set(DOCA_ERROR_UNEXPECTED, "%s: the daemon's answer is malformed",
				 export->what);
	}
	export->is_registered = true;
	registration->slot = reply->slot;
	registration->generation = reply->generation;
	registration->next = export->registrations;
	export->registrations = registration;
	registration = NULL;
	/* A restored export has these values already, and other threads read them without a
	 * lock. */
	if (!restore) {
		export->may_be_remote = reply->may_be_remote;
		secret_copy(export->secrets->secret, reply->secret.data,
			    sizeof(export->secrets->secret));
		export->has_pass_on = reply->pass_on.len == sizeof(export->secrets->pass_on);
		if (export->has_pass_on)
			secret_copy(export->secrets->pass_on, reply->pass_on.data,
				    sizeof(export->secrets->pass_on));
		export->export_id = reply->export_id;
	}
	return DOCA_SUCCESS;
}

/* Registers with the present daemon, also if it takes the place of another one meanwhile. */
static doca_error_t export_register(struct export *export, bool restore)
{
	unsigned connection = rpc_connection_locked();
	doca_error_t result = export_register_once(export, restore);

	if (result == DOCA_ERROR_NOT_CONNECTED && rpc_connection_locked() != connection)
		result = export_register_once(export, restore);
	return result;
}

/* Returns the liveness word that the daemon with the current registration writes. The session's
 * lock is held. */
static uint32_t export_word(const struct export *export)
{
	const struct export_registration *registration = export->registrations;

	return atomic_load(&registration->page->words[registration->slot]);
}

static bool export_is_alive_locked(const struct export *export)
{
	return export->is_registered && export->registrations != NULL &&
	       liveness_is_alive(export_word(export), export->registrations->generation);
}

bool export_is_revoked_locked(const struct export *export)
{
	return export->registrations != NULL && export_word(export) == LIVENESS_REVOKED;
}

enum export_state export_get_state(struct export *export, bool may_wait)
{
	enum export_state state = EXPORT_ALIVE;

	rpc_lock();
	if (!export_is_alive_locked(export)) {
		/* The session may have ended; then a new session restores the export. */
		if (may_wait ? session_ensure_locked() != DOCA_SUCCESS : session_is_over_locked())
			state = EXPORT_UNKNOWN;
		else if (!export_is_alive_locked(export))
			state = EXPORT_DEAD;
	}
	if (state == EXPORT_DEAD) {
		session_item_remove_locked(&export->item);
		export->is_registered = false;
	}
	rpc_unlock();
	return state;
}

bool export_is_alive(struct export *export)
{
	return export_get_state(export, true) == EXPORT_ALIVE;
}

static void export_set_shared_locked(struct export *export)
{
	for (struct export_registration *registration = export->registrations; registration != NULL;
	     registration = registration->next)
		liveness_set_shared(&registration->page->words[registration->slot],
				    registration->generation);
}

void export_set_shared(struct export *export)
{
	rpc_lock();
	export_set_shared_locked(export);
	rpc_unlock();
}

const _Atomic uint32_t *export_first_word(struct export *export)
{
	const struct export_registration *registration;

	rpc_lock();
	for (registration = export->registrations; registration->next != NULL;
	     registration = registration->next)
		continue;
	rpc_unlock();
	return &registration->page->words[registration->slot];
}

/* Clears the liveness words, so that importers stop even if the daemon answers late or never. The
 * session's lock is held. */
static void export_clear_liveness(struct export *export)
{
	while (export->registrations != NULL) {
		struct export_registration *registration = export->registrations;
		_Atomic uint32_t *word = &registration->page->words[registration->slot];
		uint32_t generation = registration->generation;

		/* The exchange fails if the daemon gave the slot to another export, or if it set
		 * LIVENESS_SHARED. In the second case the word is cleared all the same. */
		if (!atomic_compare_exchange_strong(word, &generation, 0) &&
		    liveness_is_alive(generation, registration->generation))
			atomic_compare_exchange_strong(word, &generation, 0);
		session_page_unref_locked(registration->page);
		export->registrations = registration->next;
		free(registration);
	}
}

/*
 * If this process lost its connection but the daemon lives on, the daemon may not have noticed yet
 * that the earlier session is over. Until then the id is in use, so registration is retried for 500
 * ms.
 */
#define RESTORE_TRIES    50
#define RESTORE_PAUSE_NS (10 * 1000 * 1000)

static void export_restore(struct session_item *item)
{
	struct export *export = container_of(item, struct export, item);
	const struct timespec pause = {.tv_nsec = RESTORE_PAUSE_NS};
	uint32_t word = export_word(export);
	doca_error_t result;

	export->is_registered = false;
	/* The word differs also if another export was given the slot since. In a running session
	 * that happens only after this export has ended. */
	if (word != 0 && !liveness_is_alive(word, export->registrations->generation)) {
		sdk_info("%s: the export of %llu bytes is not registered again: an operator "
			 "revoked it",
			 export->what, (unsigned long long)export->len);
		return;
	}
	if (export->moves != NULL) {
		export_set_shared_locked(export);
		export->moves(export);
	}
	result = export_register(export, true);
	for (int i = 0; i < RESTORE_TRIES && result == DOCA_ERROR_ALREADY_EXIST; i++) {
		rpc_unlock();
		nanosleep(&pause, NULL);
		rpc_lock();
		result = export_register(export, true);
	}
	if (result != DOCA_SUCCESS)
		sdk_warning("%s: the export of %llu bytes could not be registered again: its "
			    "descriptor is invalid now",
			    export->what, (unsigned long long)export->len);
	revocation_watch_renew_locked();
}

static void export_encode(struct export *export, const char *side,
			  struct export_descriptor *descriptor)
{
	descriptor->kind = (uint8_t) export->kind;
	descriptor->side = strcmp(side, "dpu") == 0;
	descriptor->permissions = export->permissions;
	descriptor->export_id = export->export_id;
	descriptor->addr = export->addr;
	descriptor->len = export->len;
	descriptor->has_key = export->has_key;
	descriptor->key = export->key;
	secret_copy(descriptor->secret, export->secrets->secret, sizeof(descriptor->secret));
	export_descriptor_encode(descriptor, export->secrets->descriptor);
	explicit_bzero(descriptor, sizeof(*descriptor));
}

/* Returns the access that the device may give to peers, as DOCA_ACCESS_FLAG_RDMA_*. */
uint32_t export_rights(const struct export *export)
{
	uint32_t all = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |
		       DOCA_ACCESS_FLAG_RDMA_ATOMIC;

	if (export->kind != DOCOCORE__EXPORT_KIND__PCI &&
	    export->kind != DOCOCORE__EXPORT_KIND__SYNC_PCI)
		return export->permissions & all;
	if (!(export->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE))
		return DOCA_ACCESS_FLAG_RDMA_READ;
	/* Remote additions are possible only to counters. */
	return export->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI
		       ? all
		       : all & ~DOCA_ACCESS_FLAG_RDMA_ATOMIC;
}

bool export_is_relayed(const struct export *export)
{
	return export->may_be_remote && (export->kind == DOCOCORE__EXPORT_KIND__PCI ||
					 export->kind == DOCOCORE__EXPORT_KIND__RDMA ||
					 export->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI);
}

static doca_error_t export_make_key(struct export *export)
{
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;

	for (size_t i = 0; mem_key_table[i] != NULL && result == DOCA_ERROR_NOT_SUPPORTED; i++)
		result = mem_key_table[i]->make(export->dev, (void *)(uintptr_t) export->addr,
						export->addr, export->len, export_rights(export),
						&export->mem_key);
	export->has_key = result == DOCA_SUCCESS;
	export->key = export->has_key ? export->mem_key->remote : 0;
	return result;
}

/*
 * Makes the export accessible to RDMA devices: by a key if the device is an RDMA device, and by a
 * responder if one is requested. The responder also serves the requests that the daemons relay.
 * Exports over PCI to importers on the same machine need neither.
 */
static doca_error_t export_make_reachable(struct export *export)
{
	bool is_remote = export->may_be_remote || env_wants_verbs();
	doca_error_t result;

	if (export->kind == DOCOCORE__EXPORT_KIND__RDMA_QP ||
	    ((export->kind == DOCOCORE__EXPORT_KIND__PCI ||
	      export->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI) &&
	     !is_remote))
		return DOCA_SUCCESS;
	/* For RDMA exports of memory, the memory map has made the key already. */
	if (export->kind == DOCOCORE__EXPORT_KIND__RDMA)
		result = export->has_key ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
	else
		result = export_make_key(export);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_NOT_SUPPORTED)
		return result;
	/* Without a key, the export is still reachable within this machine, and most exports by
	 * relay. */
	if (!is_remote || (result == DOCA_ERROR_NOT_SUPPORTED && !env_wants_verbs() &&
			   !export_is_relayed(export)))
		return DOCA_SUCCESS;
	result = export_server->add(export);
	/* The topology may forbid RDMA on this device. The other paths remain. */
	if (result == DOCA_ERROR_NOT_SUPPORTED)
		return DOCA_SUCCESS;
	/* A failure that concerns other machines only must not fail the export for importers of
	 * this machine. */
	if (result != DOCA_SUCCESS && export_is_relayed(export) && !export->has_key) {
		sdk_warning("%s: %llu bytes cannot be reached from other machines: %s",
			    export->what, (unsigned long long)export->len, dococ_last_error());
		result = DOCA_SUCCESS;
	}
	return result;
}

static void export_make_unreachable(struct export *export)
{
	if (export->served != NULL)
		export_server->remove(export);
	else if (export->mem_key != NULL)
		export->mem_key->free(export->mem_key);
	export->mem_key = NULL;
}

doca_error_t export_make_secrets(struct export *export)
{
	export->secrets = secret_alloc(sizeof(*export->secrets));
	if (export->secrets == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory", export->what);
	return DOCA_SUCCESS;
}

doca_error_t export_open(struct export *export)
{
	struct export_descriptor descriptor = {0};
	char side[8];
	doca_error_t result = export_make_secrets(export);

	if (result != DOCA_SUCCESS)
		return result;
	atomic_store_explicit(&export_has_shared_memory, true, memory_order_relaxed);
	export->pid = getpid();
	export->item.on_reconnect = export_restore;
	list_init(&export->item.node);
	rpc_lock();
	/* Connects before the device's handle is read, because a new connection changes the
	 * handle. */
	result = session_ensure_locked();
	if (result == DOCA_SUCCESS)
		result = export_register(export, false);
	if (result == DOCA_SUCCESS) {
		session_item_add_locked(&export->item);
		session_get_side_locked(side, descriptor.daemon_id);
	}
	rpc_unlock();
	if (result == DOCA_SUCCESS)
		result = export_make_reachable(export);
	if (result != DOCA_SUCCESS) {
		export_close(export, NULL, NULL);
		return result;
	}
	export_encode(export, side, &descriptor);
	return DOCA_SUCCESS;
}

/* Ends the export for importers and for restores after a reconnect. */
static void export_end_locked(struct export *export)
{
	/* This comes first, because another thread may be registering the export at this moment. */
	session_item_remove_locked(&export->item);
	export->is_registered = false;
	export_clear_liveness(export);
}

static void export_send_end_locked(const struct export *export,
				   void (*send_locked)(struct rpc_request *request))
{
	Dococore__ExportDestroy destroy = DOCOCORE__EXPORT_DESTROY__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	if (export->export_id == 0)
		return;
	destroy.export_id = export->export_id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
	request.packet.export_destroy = &destroy;
	send_locked(&request);
}

void export_wipe(struct export *export)
{
	export->secrets = secret_free(export->secrets);
}

void export_close(struct export *export, void (*then)(void *arg), void *arg)
{
	if (export->pid == getpid()) {
		rpc_lock();
		/* The responder's thread may still read the export until export_make_unreachable()
		 * removes it. */
		export_end_locked(export);
		rpc_unlock();
		export_make_unreachable(export);
		if (then != NULL)
			then(arg);
		rpc_lock();
		export_send_end_locked(export,
				       export->ends_async ? rpc_post_locked : rpc_call_void_locked);
		rpc_unlock();
	}
	export_wipe(export);
}

void export_close_locked(struct export *export)
{
	if (export->pid == getpid()) {
		export_end_locked(export);
		export_send_end_locked(export, rpc_post_locked);
	}
	export_wipe(export);
}
