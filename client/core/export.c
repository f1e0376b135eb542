/*
 * Exports and imports: what memory maps and sync events share; see client/core/export.h.
 */
#include "client/core/export.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <dococ.h>

#include "client/core/error.h"
#include "client/core/export_watch.h"
#include "client/core/mem_key.h"
#include "client/core/responder.h"
#include "client/core/session_errand.h"
#include "util/fd.h"
#include "util/memfd.h"

/* Where importers look: one for each daemon that the export was registered with. */
struct export_mark {
	struct export_mark *next;
	struct session_page *page;
	uint32_t slot;
	uint32_t generation;
};

static void export_mark_free(struct export_mark **mark)
{
	free(*mark);
}

/* Descriptors of the request; the first, if there is one, is ours to close. */
static doca_error_t export_pack(const struct export *export, Dococore__ExportCreate *create,
				int fds[3], size_t *n_fds)
{
	*n_fds = 0;
	if (export->memfd < 0)
		return DOCA_SUCCESS;
	fds[0] = fd_reopen(export->memfd, export->gives_write ? O_RDWR : O_RDONLY);
	if (fds[0] < 0)
		return error_set(error_from_errno(fds[0]),
				 "%s: the memory's descriptor cannot be opened again (error %d)",
				 export->what, -fds[0]);
	memcpy(fds + 1, export->shared, export->n_shared * sizeof(fds[0]));
	*n_fds = 1 + export->n_shared;
	create->memory = DOCOCORE__MEMORY_KIND__MEMFD;
	create->memfd_offset = export->memfd_offset;
	return DOCA_SUCCESS;
}

static doca_error_t export_register(struct export *export, bool restore)
{
	Dococore__ExportCreate create = DOCOCORE__EXPORT_CREATE__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_ANSWER struct session_answer answer = SESSION_ANSWER_INIT;
	const Dococore__ExportReply *reply;
	int fds[3] = {-1, -1, -1};
	CLEANUP(export_mark_free) struct export_mark *mark = calloc(1, sizeof(*mark));
	doca_error_t result;

	/* Before the daemon has done anything: from there on nothing may fail for lack of memory.
	 */
	if (mark == NULL)
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
	if (restore) {
		create.restore_export_id = export->export_id;
		create.restore_secret.data = export->secret;
		create.restore_secret.len = sizeof(export->secret);
		request.quiet_refusal = DOCA_ERROR_ALREADY_EXIST;
	}
	request.packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	request.packet.export_create = &create;
	result = session_call_locked(&request, DOCOCORE__PACKET__BODY_EXPORT_REPLY, &answer);
	fd_close(&fds[0]);
	if (result != DOCA_SUCCESS)
		return result;
	reply = answer.packet->export_reply;
	mark->page = session_page_ref_locked();
	if (reply->secret.len != sizeof(export->secret) || reply->generation == 0 ||
	    mark->page == NULL || reply->slot >= mark->page->n_words) {
		if (mark->page != NULL)
			session_page_unref_locked(mark->page);
		return error_set(DOCA_ERROR_UNEXPECTED, "%s: the daemon's answer is malformed",
				 export->what);
	}
	export->is_registered = true;
	mark->slot = reply->slot;
	mark->generation = reply->generation;
	mark->next = export->marks;
	export->marks = mark;
	mark = NULL;
	/* One that is restored has them, and other threads read them without a lock. */
	if (!restore) {
		export->may_be_distant = reply->may_be_distant;
		memcpy(export->secret, reply->secret.data, sizeof(export->secret));
		export->export_id = reply->export_id;
	}
	return DOCA_SUCCESS;
}

/* What the daemon that has it says in its page. The lock is held. */
static uint32_t export_word(const struct export *export)
{
	const struct export_mark *mark = export->marks;

	return atomic_load(&mark->page->words[mark->slot]);
}

static bool export_is_alive_locked(const struct export *export)
{
	return export->is_registered && export->marks != NULL &&
	       liveness_is_alive(export_word(export), export->marks->generation);
}

bool export_is_revoked_locked(const struct export *export)
{
	return export->marks != NULL && export_word(export) == LIVENESS_REVOKED;
}

enum export_state export_look(struct export *export)
{
	enum export_state state = EXPORT_ALIVE;

	session_lock();
	if (!export_is_alive_locked(export)) {
		/* Or the session has ended, and a new one brings it back. */
		if (session_ensure_locked() != DOCA_SUCCESS)
			state = EXPORT_UNKNOWN;
		else if (!export_is_alive_locked(export))
			state = EXPORT_DEAD;
	}
	if (state == EXPORT_DEAD) {
		export->is_registered = false;
		session_item_remove_locked(&export->item);
	}
	session_unlock();
	return state;
}

bool export_is_alive(struct export *export)
{
	return export_look(export) == EXPORT_ALIVE;
}

static void export_set_crowd_locked(struct export *export)
{
	for (struct export_mark *mark = export->marks; mark != NULL; mark = mark->next)
		liveness_set_crowd(&mark->page->words[mark->slot], mark->generation);
}

void export_set_crowd(struct export *export)
{
	session_lock();
	export_set_crowd_locked(export);
	session_unlock();
}

const _Atomic uint32_t *export_first_word(struct export *export)
{
	const struct export_mark *mark;

	session_lock();
	for (mark = export->marks; mark->next != NULL; mark = mark->next)
		continue;
	session_unlock();
	return &mark->page->words[mark->slot];
}

/* Importers stop here, before the daemon has answered, or if it never does. The lock is held. */
static void export_clear_marks(struct export *export)
{
	while (export->marks != NULL) {
		struct export_mark *mark = export->marks;
		_Atomic uint32_t *word = &mark->page->words[mark->slot];
		uint32_t generation = mark->generation;

		/* The daemon may have given the slot to another export since, or set the flag. */
		if (!atomic_compare_exchange_strong(word, &generation, 0) &&
		    liveness_is_alive(generation, mark->generation))
			atomic_compare_exchange_strong(word, &generation, 0);
		session_page_unref_locked(mark->page);
		export->marks = mark->next;
		free(mark);
	}
}

/*
 * A daemon that we lost but that lives on may not have noticed yet that our earlier session is
 * over; until then the id is taken. It takes it a moment.
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
	/* Also if another export was given the word since: in a session that lives no other does
	 * before this one has ended. */
	if (word != 0 && !liveness_is_alive(word, export->marks->generation)) {
		sdk_info("%s: %llu bytes are not exported again: an operator revoked it",
			 export->what, (unsigned long long)export->len);
		return;
	}
	if (export->moves != NULL) {
		export_set_crowd_locked(export);
		export->moves(export);
	}
	result = export_register(export, true);
	for (int i = 0; i < RESTORE_TRIES && result == DOCA_ERROR_ALREADY_EXIST; i++) {
		nanosleep(&pause, NULL);
		result = export_register(export, true);
	}
	if (result != DOCA_SUCCESS)
		sdk_warning("%s: %llu bytes could not be exported again: the descriptor is dead",
			    export->what, (unsigned long long)export->len);
	export_watch_moved_locked();
}

static void export_encode(struct export *export, const char *side, struct blob *blob)
{
	blob->kind = (uint8_t) export->kind;
	blob->side = strcmp(side, "dpu") == 0;
	blob->permissions = export->permissions;
	blob->export_id = export->export_id;
	blob->addr = export->addr;
	blob->len = export->len;
	blob->has_key = export->has_key;
	blob->key = export->key;
	memcpy(blob->secret, export->secret, sizeof(blob->secret));
	blob_encode(blob, export->blob);
	explicit_bzero(blob, sizeof(*blob));
}

/* What the device may let peers do, DOCA_ACCESS_FLAG_RDMA_*. */
uint32_t export_rights(const struct export *export)
{
	uint32_t all = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |
		       DOCA_ACCESS_FLAG_RDMA_ATOMIC;

	if (export->kind != DOCOCORE__EXPORT_KIND__PCI &&
	    export->kind != DOCOCORE__EXPORT_KIND__SYNC_PCI)
		return export->permissions & all;
	if (!(export->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE))
		return DOCA_ACCESS_FLAG_RDMA_READ;
	/* Only counters are added to. */
	return export->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI
		       ? all
		       : all & ~DOCA_ACCESS_FLAG_RDMA_ATOMIC;
}

bool export_is_relayed(const struct export *export)
{
	return export->may_be_distant && (export->kind == DOCOCORE__EXPORT_KIND__PCI ||
					  export->kind == DOCOCORE__EXPORT_KIND__RDMA ||
					  export->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI);
}

/* As it was registered: after a restart of the daemon it is the same again. */
void export_relay(struct export *export, struct relay_exports *exports)
{
	uint32_t rights = export_rights(export);

	export->relayed = (struct relay_export){
		.cell = export->cell,
		.export_id = export->export_id,
		.addr = export->addr,
		.len = export->len,
		.may_read = rights & DOCA_ACCESS_FLAG_RDMA_READ,
		.may_write = rights & DOCA_ACCESS_FLAG_RDMA_WRITE,
		.is_pci = export->kind == DOCOCORE__EXPORT_KIND__PCI ||
			  export->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI,
		.rung = export->rung,
		.rung_arg = export->rung_arg,
	};
	memcpy(export->relayed.secret, export->secret, sizeof(export->relayed.secret));
	relay_export_add(exports, &export->relayed);
}

static doca_error_t export_make_key(struct export *export)
{
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;

	for (size_t i = 0; mem_key_table[i] != NULL && result == DOCA_ERROR_NOT_SUPPORTED; i++)
		result = mem_key_table[i]->make(export->dev, (void *)(uintptr_t) export->addr,
						export->len, export_rights(export),
						&export->mem_key);
	export->has_key = result == DOCA_SUCCESS;
	export->key = export->has_key ? export->mem_key->remote : 0;
	return result;
}

/*
 * Lets RDMA devices at it: by a key of the device, if it is one, and by a responder where that is
 * asked for, which serves what the daemons relay as well. What is exported over PCI is reached by
 * processors within one machine.
 */
static doca_error_t export_reach(struct export *export)
{
	bool is_far = export->may_be_distant || responder_is_asked();
	doca_error_t result;

	if (export->kind == DOCOCORE__EXPORT_KIND__RDMA_QP ||
	    ((export->kind == DOCOCORE__EXPORT_KIND__PCI ||
	      export->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI) &&
	     !is_far))
		return DOCA_SUCCESS;
	/* That of memory for RDMA is the mmap's, and there already. */
	if (export->kind == DOCOCORE__EXPORT_KIND__RDMA)
		result = export->has_key ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
	else
		result = export_make_key(export);
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_NOT_SUPPORTED)
		return result;
	/* Without a device there is a way within this machine, and for most the relay. */
	if (!is_far || (result == DOCA_ERROR_NOT_SUPPORTED && !responder_is_asked() &&
			!export_is_relayed(export)))
		return DOCA_SUCCESS;
	result = responder_add(export);
	/* The topology may deny the device to RDMA; what else reaches it still does. */
	if (result == DOCA_ERROR_NOT_SUPPORTED)
		return DOCA_SUCCESS;
	/* Nor does what importers of this machine get depend on what others would need. */
	if (result != DOCA_SUCCESS && export_is_relayed(export) && !export->has_key) {
		sdk_warning("%s: %llu bytes are not reached from other machines: %s", export->what,
			    (unsigned long long)export->len, dococ_last_error());
		result = DOCA_SUCCESS;
	}
	return result;
}

static void export_unreach(struct export *export)
{
	if (export->responder != NULL)
		responder_remove(export);
	else if (export->mem_key != NULL)
		export->mem_key->free(export->mem_key);
	export->mem_key = NULL;
}

doca_error_t export_open(struct export *export)
{
	struct blob blob = {0};
	char side[8];
	doca_error_t result;

	export->pid = getpid();
	export->item.restore = export_restore;
	list_init(&export->item.node);
	session_lock();
	/* The device's handle is read after this: finding a new daemon changes it. */
	result = session_ensure_locked();
	if (result == DOCA_SUCCESS)
		result = export_register(export, false);
	if (result == DOCA_SUCCESS) {
		session_item_add_locked(&export->item);
		session_get_side_locked(side, blob.daemon_id);
	}
	session_unlock();
	if (result == DOCA_SUCCESS)
		result = export_reach(export);
	if (result != DOCA_SUCCESS) {
		export_close(export, NULL, NULL);
		return result;
	}
	export_encode(export, side, &blob);
	return DOCA_SUCCESS;
}

void export_close(struct export *export, void (*then)(void *arg), void *arg)
{
	Dococore__ExportDestroy destroy = DOCOCORE__EXPORT_DESTROY__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};

	if (export->pid == getpid()) {
		session_lock();
		/* A responder's thread may look at it until it is removed there. */
		export->is_registered = false;
		export_clear_marks(export);
		session_item_remove_locked(&export->item);
		session_unlock();
		export_unreach(export);
		if (then != NULL)
			then(arg);
	}
	if (export->pid == getpid() && export->export_id != 0) {
		destroy.export_id = export->export_id;
		request.packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
		request.packet.export_destroy = &destroy;
		session_tell(&request);
	}
	explicit_bzero(export->secret, sizeof(export->secret));
	explicit_bzero(export->blob, sizeof(export->blob));
}

/* --- imports --- */

doca_error_t import_ask(struct doca_dev *dev, struct blob *blob, struct session_answer *answer_out)
{
	Dococore__ImportCreate create = DOCOCORE__IMPORT_CREATE__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};
	doca_error_t result;

	create.kind = (Dococore__ExportKind)blob->kind;
	create.export_id = blob->export_id;
	create.secret.data = blob->secret;
	create.secret.len = sizeof(blob->secret);
	create.exporter_side = (char *)(blob->side ? "dpu" : "host");
	create.exporter_daemon.data = blob->daemon_id;
	create.exporter_daemon.len = sizeof(blob->daemon_id);
	create.needs_daemons = !blob->has_key || blob->kind != DOCOCORE__EXPORT_KIND__RDMA;
	if (!create.needs_daemons)
		request.quiet_refusal = DOCA_ERROR_NOT_FOUND;
	request.packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	request.packet.import_create = &create;
	session_lock();
	result = dev_get_handle_locked(dev, &create.device);
	if (result == DOCA_SUCCESS)
		result = session_call_locked(&request, DOCOCORE__PACKET__BODY_IMPORT_REPLY,
					     answer_out);
	session_unlock();
	explicit_bzero(blob, sizeof(*blob));
	return result;
}

/*
 * Pages of other processes in which importers look, mapped once for all imports from a process. The
 * last one that was used stays, for the next import most likely is from the same process.
 */
struct import_page {
	struct list node;
	dev_t dev;
	ino_t ino; /* of this file as long as it is mapped */
	void *map;
	size_t len;
	unsigned n_users;
};

static pthread_mutex_t pages_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list pages = LIST_INIT(pages);
static struct import_page *page_unused;

static void import_page_free(struct import_page *page)
{
	list_remove(&page->node);
	memfd_unmap(page->map, page->len);
	free(page);
}

static struct import_page *import_page_find(const struct stat *st, size_t len)
{
	struct import_page *page;

	list_for_each(page, &pages, node)
	{
		if (page->dev == st->st_dev && page->ino == st->st_ino && page->len == len)
			return page;
	}
	return NULL;
}

/* 0, -EPROTO: it is unsound, or -ENOMEM. */
static int import_page_map(int fd, const struct stat *st, size_t len, struct import_page **page_out)
{
	struct import_page *page;

	if (memfd_verify(fd, len) < 0)
		return -EPROTO;
	page = calloc(1, sizeof(*page));
	if (page == NULL)
		return -ENOMEM;
	page->dev = st->st_dev;
	page->ino = st->st_ino;
	page->len = len;
	page->map = memfd_map(fd, 0, len, false);
	if (page->map == NULL) {
		free(page);
		return -ENOMEM;
	}
	list_append(&pages, &page->node);
	*page_out = page;
	return 0;
}

static int import_page_ref(int fd, size_t len, struct import_page **page_out)
{
	struct import_page *page;
	struct stat st;
	int r = 0;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -EPROTO;
	pthread_mutex_lock(&pages_lock);
	page = import_page_find(&st, len);
	if (page == NULL)
		r = import_page_map(fd, &st, len, &page);
	if (r == 0) {
		page->n_users++;
		if (page == page_unused)
			page_unused = NULL;
		*page_out = page;
	}
	pthread_mutex_unlock(&pages_lock);
	return r;
}

static void import_page_unref(struct import_page *page)
{
	pthread_mutex_lock(&pages_lock);
	if (--page->n_users == 0) {
		if (page_unused != NULL)
			import_page_free(page_unused);
		page_unused = page;
	}
	pthread_mutex_unlock(&pages_lock);
}

/* The page of a connection, with a reference. NULL: it has ended since, perhaps for another, in
 * whose page the same word is another object's. */
static struct session_page *import_own_page(unsigned connection)
{
	struct session_page *page;

	session_lock();
	page = session_page_ref_locked();
	if (page != NULL && page->connection != connection) {
		session_page_unref_locked(page);
		page = NULL;
	}
	session_unlock();
	return page;
}

static doca_error_t import_watch_own(const char *what, const struct session_answer *answer,
				     struct import_liveness *liveness_out)
{
	const Dococore__ImportReply *reply = answer->packet->import_reply;
	struct session_page *page = import_own_page(answer->connection);

	if (page == NULL)
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "%s: the connection to the daemon ended after it had answered; "
				 "repeat the call",
				 what);
	if (reply->slot >= page->n_words || reply->generation == 0) {
		session_lock();
		session_page_unref_locked(page);
		session_unlock();
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "%s: the daemon's answer has no word of its liveness page", what);
	}
	*liveness_out = (struct import_liveness){
		.own = page,
		.alive = &page->words[reply->slot],
		.generation = reply->generation,
	};
	return DOCA_SUCCESS;
}

doca_error_t import_watch(const char *what, const struct session_answer *answer, int page,
			  struct import_liveness *liveness_out)
{
	const Dococore__ImportReply *reply = answer->packet->import_reply;
	struct import_page *theirs = NULL;
	int r = -EPROTO;

	if (reply->distant)
		return import_watch_own(what, answer, liveness_out);
	if (reply->generation != 0 && reply->slot < reply->liveness_len / sizeof(uint32_t))
		r = import_page_ref(page, reply->liveness_len, &theirs);
	if (r == -EPROTO)
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "%s: the exporter's liveness page is unsound", what);
	if (r < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: mapping the liveness page: %m", what);
	*liveness_out = (struct import_liveness){
		.theirs = theirs,
		.alive = (const _Atomic uint32_t *)theirs->map + reply->slot,
		.generation = reply->generation,
	};
	return DOCA_SUCCESS;
}

/* A page that nobody looks at any more. */
struct page_end {
	struct session_errand errand;
	struct session_page *page;
};

static void page_end_run(struct session_errand *errand)
{
	struct page_end *end = container_of(errand, struct page_end, errand);

	session_page_unref_locked(end->page);
	free(end);
}

/* Also within progress: another thread's call may have the lock for long. */
static void import_page_end(struct session_page *page)
{
	struct page_end *end = malloc(sizeof(*end));

	if (end == NULL) {
		session_lock();
		session_page_unref_locked(page);
		session_unlock();
		return;
	}
	*end = (struct page_end){.errand.run_locked = page_end_run, .page = page};
	session_leave_errand(&end->errand);
}

void import_unwatch(struct import_liveness *liveness)
{
	if (liveness->own != NULL)
		import_page_end(liveness->own);
	liveness->own = NULL;
	if (liveness->theirs != NULL)
		import_page_unref(liveness->theirs);
	liveness->theirs = NULL;
}

void import_report(uint64_t import_id, const char *transport, char **rejected, size_t n_rejected)
{
	Dococore__ImportTransport report = DOCOCORE__IMPORT_TRANSPORT__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};

	report.import_id = import_id;
	report.transport = (char *)transport;
	report.rejected = rejected;
	report.n_rejected = n_rejected;
	request.packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT;
	request.packet.import_transport = &report;
	session_notify(&request);
}

static void import_end(struct session_request *request, Dococore__ImportDestroy *destroy,
		       uint64_t import_id)
{
	destroy->import_id = import_id;
	request->packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_DESTROY;
	request->packet.import_destroy = destroy;
}

void import_give_up(uint64_t import_id)
{
	Dococore__ImportDestroy destroy = DOCOCORE__IMPORT_DESTROY__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};

	import_end(&request, &destroy, import_id);
	session_tell(&request);
}

struct give_up {
	struct session_errand errand;
	uint64_t import_id;
	uint8_t daemon_id[16];
};

static void give_up_say_locked(const struct give_up *give_up)
{
	Dococore__ImportDestroy destroy = DOCOCORE__IMPORT_DESTROY__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};

	import_end(&request, &destroy, give_up->import_id);
	if (memcmp(session_daemon_id_locked(), give_up->daemon_id, 16) == 0)
		session_post_locked(&request);
}

static void give_up_run(struct session_errand *errand)
{
	struct give_up *give_up = container_of(errand, struct give_up, errand);

	give_up_say_locked(give_up);
	free(give_up);
}

void import_give_up_soon(uint64_t import_id, const uint8_t daemon_id[16])
{
	struct give_up now = {.errand.run_locked = give_up_run, .import_id = import_id};
	struct give_up *later = malloc(sizeof(*later));

	memcpy(now.daemon_id, daemon_id, sizeof(now.daemon_id));
	if (later != NULL) {
		*later = now;
		session_leave_errand(&later->errand);
		return;
	}
	session_lock();
	give_up_say_locked(&now);
	session_unlock();
}
