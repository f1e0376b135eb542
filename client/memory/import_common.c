/* Imports: the part that memory maps, sync events and queue pairs share; see
 * client/memory/export.h. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/base/error.h"
#include "client/control/session.h"
#include "client/control/rpc.h"
#include "client/memory/export.h"
#include "util/fd.h"
#include "util/memfd.h"

/* The request for the export that a valid descriptor names. */
struct import_request {
	Dococore__ImportCreate create;
	struct rpc_request request;
};

static void import_fill(struct import_request *message, struct export_descriptor *descriptor)
{
	Dococore__ImportCreate *create = &message->create;

	dococore__import_create__init(create);
	create->kind = (Dococore__ExportKind)descriptor->kind;
	create->export_id = descriptor->export_id;
	create->secret.data = descriptor->secret;
	create->secret.len = sizeof(descriptor->secret);
	create->exporter_side = (char *)(descriptor->side ? "dpu" : "host");
	create->exporter_daemon.data = descriptor->daemon_id;
	create->exporter_daemon.len = sizeof(descriptor->daemon_id);
	create->knows_files = true;
	create->needs_daemons = !descriptor->has_key ||
				descriptor->kind != DOCOCORE__EXPORT_KIND__RDMA;
	message->request = (struct rpc_request){
		.packet = DOCOCORE__PACKET__INIT,
		.expected_refusal = create->needs_daemons ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND,
	};
	message->request.packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	message->request.packet.import_create = create;
}

doca_error_t import_send(struct doca_dev *dev, struct export_descriptor *descriptor,
			 struct rpc_reply *answer_out)
{
	struct import_request message;
	doca_error_t result;

	import_fill(&message, descriptor);
	rpc_lock();
	result = dev_get_handle_locked(dev, &message.create.device);
	if (result == DOCA_SUCCESS)
		result = rpc_call_locked(&message.request, DOCOCORE__PACKET__BODY_IMPORT_REPLY,
					 answer_out);
	rpc_unlock();
	explicit_bzero(descriptor, sizeof(*descriptor));
	return result;
}

static void import_end(struct rpc_request *request, Dococore__ImportDestroy *destroy,
		       uint64_t import_id)
{
	destroy->import_id = import_id;
	request->packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_DESTROY;
	request->packet.import_destroy = destroy;
}

doca_error_t import_send_locked(struct doca_dev *dev, struct export_descriptor *descriptor,
				void (*on_done)(void *user), void *user,
				struct rpc_pending **pending_out)
{
	struct rpc_options options = {.on_done = on_done, .user = user};
	struct import_request message;

	import_fill(&message, descriptor);
	options.expected_refusal = message.request.expected_refusal;
	if (dev->handle == 0 || session_is_over_locked())
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "import: the daemon that described the export is gone");
	message.create.device = dev->handle;
	return rpc_begin_locked(&message.request, &options, pending_out);
}

/*
 * The liveness pages of other processes. Each is mapped once for all imports from that process. The
 * page that was used last stays mapped, because the next import is probably from the same process.
 */
struct import_page {
	struct list node;
	dev_t dev;
	ino_t ino; /* dev and ino identify the file while it is mapped */
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

/* Maps a liveness page. Returns 0, -EPROTO if the memfd is not sealed as required, or -ENOMEM. */
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

void session_page_unref(struct session_page *page)
{
	rpc_lock();
	session_page_unref_locked(page);
	rpc_unlock();
}

/* Returns the page of the given connection with a reference. Returns NULL if that connection has
 * ended: the same word of a later connection's page may belong to another object. */
static struct session_page *import_own_page(unsigned connection)
{
	struct session_page *page;

	rpc_lock();
	page = session_page_ref_locked();
	if (page != NULL && page->connection != connection) {
		session_page_unref_locked(page);
		page = NULL;
	}
	rpc_unlock();
	return page;
}

static doca_error_t import_watch_own_page(const char *what, const Dococore__ImportReply *reply,
					  struct session_page *page,
					  struct import_liveness *liveness_out)
{
	if (page == NULL)
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "%s: the connection to the daemon ended after it had answered; "
				 "repeat the call",
				 what);
	if (reply->slot >= page->n_words || reply->generation == 0) {
		session_page_unref(page);
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

static doca_error_t import_watch_their_page(const char *what, const Dococore__ImportReply *reply,
					    int page, struct import_liveness *liveness_out)
{
	struct import_page *their_page = NULL;
	int r = -EPROTO;

	if (reply->generation != 0 && reply->slot < reply->liveness_len / sizeof(uint32_t))
		r = import_page_ref(page, reply->liveness_len, &their_page);
	if (r == -EPROTO)
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "%s: the exporter's liveness page is invalid", what);
	if (r < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: mapping the liveness page: %m", what);
	*liveness_out = (struct import_liveness){
		.their_page = their_page,
		.alive = (const _Atomic uint32_t *)their_page->map + reply->slot,
		.generation = reply->generation,
	};
	return DOCA_SUCCESS;
}

doca_error_t import_watch(const char *what, const struct rpc_reply *answer, int page,
			  struct import_liveness *liveness_out)
{
	const Dococore__ImportReply *reply = answer->packet->import_reply;

	return reply->is_remote
		       ? import_watch_own_page(what, reply, import_own_page(answer->connection),
					       liveness_out)
		       : import_watch_their_page(what, reply, page, liveness_out);
}

doca_error_t import_watch_by(const char *what, const struct rpc_reply *answer, int page,
			     struct session_page **own, struct import_liveness *liveness_out)
{
	const Dococore__ImportReply *reply = answer->packet->import_reply;
	struct session_page *taken = *own;

	if (!reply->is_remote)
		return import_watch_their_page(what, reply, page, liveness_out);
	*own = NULL;
	return import_watch_own_page(what, reply, taken, liveness_out);
}

void import_unwatch(struct import_liveness *liveness)
{
	if (liveness->own != NULL)
		session_page_unref(liveness->own);
	liveness->own = NULL;
	if (liveness->their_page != NULL)
		import_page_unref(liveness->their_page);
	liveness->their_page = NULL;
}

void import_report(uint64_t import_id, const uint8_t daemon_id[16], const char *transport,
		   char **rejected, size_t n_rejected)
{
	Dococore__ImportTransport body = DOCOCORE__IMPORT_TRANSPORT__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.import_id = import_id;
	body.transport = (char *)transport;
	body.rejected = rejected;
	body.n_rejected = n_rejected;
	request.packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT;
	request.packet.import_transport = &body;
	rpc_lock();
	if (memcmp(session_daemon_id_locked(), daemon_id, 16) == 0)
		rpc_notify_locked(&request);
	rpc_unlock();
}

void import_release(uint64_t import_id)
{
	Dococore__ImportDestroy destroy = DOCOCORE__IMPORT_DESTROY__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	import_end(&request, &destroy, import_id);
	rpc_call_void(&request);
}

void import_release_async(uint64_t import_id, const uint8_t daemon_id[16])
{
	Dococore__ImportDestroy destroy = DOCOCORE__IMPORT_DESTROY__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	import_end(&request, &destroy, import_id);
	rpc_lock();
	if (memcmp(session_daemon_id_locked(), daemon_id, 16) == 0)
		rpc_post_locked(&request);
	rpc_unlock();
}
