/*
 * Imports of sync events from a daemon and an exporter that send invalid data: invalid objects are
 * never mapped, signalled or kept. A simulated session replaces the daemon.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "client/control/rpc.h"
#include "client/control/rpc_watch.h"
#include "client/memory/mem_key.h"
#include "client/sync_event/sync_event.h"
#include "client/sync_event/sync_remote.h"
#include "tests/unit/client/fixture.h"
#include "util/fd.h"
#include "util/memfd.h"

#define PAGE 4096u
#define AT   264u /* offset of the counter in its memfd */

enum lie {
	HONEST,
	HONEST_READ_ONLY,
	LIE_KIND,
	LIE_PRIVATE,
	LIE_LEN,
	LIE_UNALIGNED,
	LIE_OFFSET,
	LIE_OFFSET_HUGE,
	LIE_VALUE_UNSEALED,
	LIE_VALUE_READ_ONLY, /* contradicts the permissions */
	LIE_WORDS_SHORT,
	LIE_WORDS_UNSEALED,
	LIE_WORDS_MAGIC,
	LIE_WORDS_VERSION,
	LIE_EVENTFD_IS_NONE,
	LIE_EVENTFD_BLOCKS,
	LIE_SLOT,
	LIE_GENERATION,
	N_LIES,
};

static enum lie lie;
static unsigned n_cancelled;
static _Atomic uint32_t *liveness_word;

/* --- session --- */

void rpc_reply_deinit(struct rpc_reply *answer)
{
	if (answer->packet != NULL)
		dococore__packet__free_unpacked(answer->packet, NULL);
	answer->packet = NULL;
	fdset_deinit(&answer->fds);
}

void rpc_lock(void)
{
}

void rpc_unlock(void)
{
}

bool session_is_over_locked(void)
{
	return true;
}

/* Sync events are imported by blocking calls. */
doca_error_t rpc_begin_locked(struct rpc_request *request, const struct rpc_options *options,
			      struct rpc_pending **pending_out)
{
	(void)request;
	(void)options;
	(void)pending_out;
	return DOCA_ERROR_NOT_CONNECTED;
}

doca_error_t session_ensure_locked(void)
{
	return DOCA_SUCCESS;
}

void session_item_add_locked(struct session_item *item)
{
	(void)item;
}

void session_item_remove_locked(struct session_item *item)
{
	(void)item;
}

doca_error_t dev_get_handle_locked(struct doca_dev *dev, uint64_t *handle_out)
{
	*handle_out = dev->handle;
	return DOCA_SUCCESS;
}

bool dev_check_removed(const struct doca_dev *dev)
{
	return dev_is_removed(dev);
}

static struct session_page *own_page;

struct session_page *session_page_ref_locked(void)
{
	if (own_page != NULL)
		own_page->refs++;
	return own_page;
}

void session_page_unref_locked(struct session_page *page)
{
	page->refs--;
}

void rpc_notify_locked(struct rpc_request *request)
{
	(void)request;
}

void rpc_call_void(struct rpc_request *request)
{
	ck_assert_int_eq(request->packet.body_case, DOCOCORE__PACKET__BODY_IMPORT_DESTROY);
	ck_assert_uint_eq(request->packet.import_destroy->import_id, 9);
	n_cancelled++;
}

void rpc_call_void_locked(struct rpc_request *request)
{
	rpc_call_void(request);
}

void rpc_post_locked(struct rpc_request *request)
{
	rpc_call_void(request);
}

const uint8_t *session_daemon_id_locked(void)
{
	static const uint8_t none[16];

	return none;
}

void session_get_side_locked(char side_out[8], uint8_t daemon_id_out[16])
{
	(void)side_out;
	(void)daemon_id_out;
	ck_abort();
}

doca_error_t session_get_side(char side_out[8], uint8_t daemon_id_out[16])
{
	(void)side_out;
	(void)daemon_id_out;
	return DOCA_ERROR_NOT_CONNECTED;
}

unsigned rpc_connection_locked(void)
{
	return 1;
}

/* The engine watches no connection, because there is none. */
void rpc_watch_init(struct rpc_watch *watch, int epoll_fd, uint64_t data)
{
	(void)watch, (void)epoll_fd, (void)data;
}

void rpc_watch_handle(uint32_t events)
{
	(void)events;
	ck_abort();
}

bool session_knows_files_locked(void)
{
	return false;
}

bool session_knows_same_user_locked(void)
{
	return false;
}

/* --- no RDMA devices --- */

const struct mem_key_ops *const mem_key_table[] = {NULL};

bool mem_keys_serve(const struct doca_devinfo *info)
{
	(void)info;
	return false;
}

static doca_error_t serve_no_export(struct export *export)
{
	(void)export;
	return DOCA_ERROR_NOT_SUPPORTED;
}

/* Never called: serve_no_export() refuses every export. */
static const struct export_server_ops no_export_server = {.add = serve_no_export};
const struct export_server_ops *const export_server = &no_export_server;

void sync_remote_ctx_init(struct doca_sync_event *event)
{
	(void)event;
}

doca_error_t sync_remote_open(const struct sync_import *import, struct doca_pe *engine,
			      struct sync_remote **remote_out)
{
	(void)import;
	(void)engine;
	(void)remote_out;
	return DOCA_ERROR_NOT_SUPPORTED;
}

void sync_remote_close(struct sync_remote *remote)
{
	ck_assert_ptr_null(remote);
}

doca_error_t sync_remote_get(struct sync_remote *remote, uint64_t *value_out, const char *what)
{
	(void)remote;
	(void)value_out;
	(void)what;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t sync_remote_set(struct sync_remote *remote, uint64_t value, const char *what)
{
	(void)remote;
	(void)value;
	(void)what;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t sync_remote_add(struct sync_remote *remote, uint64_t value, uint64_t *fetched_out,
			     const char *what)
{
	(void)remote;
	(void)value;
	(void)fetched_out;
	(void)what;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t sync_remote_wait(struct sync_remote *remote, enum sync_cond cond, uint64_t value,
			      uint64_t mask, bool yields, const char *what)
{
	(void)remote;
	(void)cond;
	(void)value;
	(void)mask;
	(void)yields;
	(void)what;
	return DOCA_ERROR_NOT_SUPPORTED;
}

int mem_find_memfd(const void *addr, size_t len, int *fd_out, uint64_t *offset_out)
{
	(void)addr;
	(void)len;
	(void)fd_out;
	(void)offset_out;
	return -ENOENT;
}

bool mem_admit(int fd, bool writes)
{
	(void)fd;
	(void)writes;
	return false;
}

static int page_of(enum lie unsealed, size_t len)
{
	int fd;

	if (lie != unsealed)
		return memfd_create_sealed("page", len);
	fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	return fd;
}

static int value_make(void)
{
	int fd = page_of(LIE_VALUE_UNSEALED, PAGE), again;
	uint64_t counter = 77;

	ck_assert_int_eq(pwrite(fd, &counter, sizeof(counter), AT), sizeof(counter));
	if (lie != LIE_VALUE_READ_ONLY && lie != HONEST_READ_ONLY)
		return fd;
	again = fd_reopen(fd, O_RDONLY);
	close(fd);
	return again;
}

static int sleep_words_make(void)
{
	int fd = page_of(LIE_WORDS_UNSEALED, lie == LIE_WORDS_SHORT ? PAGE / 2 : PAGE);
	struct sync_words words = {
		.magic = lie == LIE_WORDS_MAGIC ? 1 : SYNC_WORDS_MAGIC,
		.version = lie == LIE_WORDS_VERSION ? 2 : SYNC_WORDS_LAYOUT,
	};

	ck_assert_int_eq(pwrite(fd, &words, sizeof(words), 0), sizeof(words));
	return fd;
}

static int eventfd_make(void)
{
	int fd = lie == LIE_EVENTFD_IS_NONE ? memfd_create_sealed("no eventfd", PAGE)
					    : fd_eventfd();

	if (lie == LIE_EVENTFD_BLOCKS)
		ck_assert_int_eq(fcntl(fd, F_SETFL, 0), 0);
	return fd;
}

doca_error_t rpc_call_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
			     struct rpc_reply *answer_out)
{
	Dococore__ImportReply reply = DOCOCORE__IMPORT_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint32_t generation = 6;
	uint8_t bytes[512];
	int liveness = memfd_create_sealed("liveness", PAGE);

	ck_assert_int_eq(request->packet.body_case, DOCOCORE__PACKET__BODY_IMPORT_CREATE);
	ck_assert_int_eq(expected, DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	ck_assert_int_eq(pwrite(liveness, &generation, sizeof(generation), 12), sizeof(generation));
	reply.import_id = 9;
	reply.addr = 0x7f0000000000 + AT;
	reply.len = lie == LIE_LEN ? 16 : 8;
	reply.permissions = lie == HONEST_READ_ONLY ? DOCA_ACCESS_FLAG_PCI_READ_ONLY
						    : DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	reply.memory = lie == LIE_PRIVATE ? DOCOCORE__MEMORY_KIND__PRIVATE
					  : DOCOCORE__MEMORY_KIND__MEMFD;
	reply.memfd_offset = lie == LIE_UNALIGNED     ? AT + 4
			     : lie == LIE_OFFSET      ? PAGE
			     : lie == LIE_OFFSET_HUGE ? UINT64_MAX - 7
						      : AT;
	reply.slot = lie == LIE_SLOT ? 1024 : 3;
	reply.generation = lie == LIE_GENERATION ? 0 : generation;
	reply.liveness_len = PAGE;
	reply.kind = lie == LIE_KIND ? DOCOCORE__EXPORT_KIND__SYNC_NET
				     : DOCOCORE__EXPORT_KIND__SYNC_PCI;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_REPLY;
	packet.import_reply = &reply;
	ck_assert_uint_le(dococore__packet__get_packed_size(&packet), sizeof(bytes));
	answer_out->packet = dococore__packet__unpack(NULL, dococore__packet__pack(&packet, bytes),
						      bytes);
	ck_assert_ptr_nonnull(answer_out->packet);
	liveness_word = (_Atomic uint32_t *)memfd_map(liveness, 0, PAGE, true) + 3;
	fdset_add(&answer_out->fds, liveness);
	fdset_add(&answer_out->fds, fd_pidfd_open(getpid()));
	fdset_add(&answer_out->fds, value_make());
	fdset_add(&answer_out->fds, sleep_words_make());
	fdset_add(&answer_out->fds, eventfd_make());
	return DOCA_SUCCESS;
}

/* --- tests --- */

static doca_error_t import_it(struct doca_sync_event **event_out)
{
	struct export_descriptor descriptor = {
		.kind = DOCOCORE__EXPORT_KIND__SYNC_PCI, .export_id = 1, .len = 8};
	uint8_t bytes[EXPORT_DESCRIPTOR_LEN];

	unit_info.caps.sync_event = unit_info.caps.sync_import_pci = true;
	export_descriptor_encode(&descriptor, bytes);
	return doca_sync_event_create_from_export(&unit_dev, bytes, sizeof(bytes), event_out);
}

START_TEST(test_lies)
{
	size_t n_fds = unit_n_fds();
	struct doca_sync_event *event;
	doca_error_t result;
	uint64_t value;

	lie = _i;
	result = import_it(&event);
	if (lie == HONEST || lie == HONEST_READ_ONLY) {
		ck_ok(result);
		ck_ok(doca_sync_event_start(event));
		ck_ok(doca_sync_event_get(event, &value));
		ck_assert_uint_eq(value, 77);
		ck_assert_int_eq(doca_sync_event_update_set(event, 78),
				 lie == HONEST ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
		ck_ok(doca_sync_event_destroy(event));
	} else if (lie == LIE_EVENTFD_BLOCKS) {
		/* Every holder can do that, and must not be able to exclude others by it. */
		ck_ok(result);
		ck_ok(doca_sync_event_destroy(event));
	} else if (lie == LIE_VALUE_READ_ONLY) {
		ck_fails(result, DOCA_ERROR_NO_MEMORY);
	} else {
		ck_fails(result, DOCA_ERROR_UNEXPECTED);
		ck_says("is invalid");
	}
	ck_assert_uint_eq(n_cancelled, 1);
	ck_assert_uint_eq(unit_dev.n_users, 0);
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}
END_TEST

/* Returns the nanoseconds until a timer wakes the sleeper; 0: never. */
static uint64_t armed_for(struct doca_sync_event *event)
{
	struct itimerspec when;

	ck_assert(!event->ctx.ops->arm(&event->ctx));
	ck_assert_int_eq(timerfd_gettime(event->timerfd, &when), 0);
	event->ctx.ops->disarm(&event->ctx);
	return (uint64_t)when.it_value.tv_sec * NS_PER_SEC + (uint64_t)when.it_value.tv_nsec;
}

/*
 * The liveness word of a remote import is in this process's own page, and belongs to the
 * connection that provided it.
 */
START_TEST(test_own_page)
{
	static _Atomic uint32_t words[4];
	struct session_page page = {.words = words, .n_words = 4, .connection = 2};
	Dococore__ImportReply reply = DOCOCORE__IMPORT_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct rpc_reply answer = {.packet = &packet, .connection = 2};
	struct import_liveness liveness = {0};

	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_REPLY;
	packet.import_reply = &reply;
	reply.is_remote = true;
	reply.slot = 3;
	reply.generation = 5;
	own_page = &page;
	ck_ok(import_watch("import", &answer, -1, &liveness));
	ck_assert_ptr_eq(liveness.alive, &words[3]);
	ck_assert_uint_eq(liveness.generation, 5);
	import_unwatch(&liveness);
	/* Another thread has reconnected since the answer arrived. */
	page.connection = 3;
	ck_fails(import_watch("import", &answer, -1, &liveness), DOCA_ERROR_NOT_CONNECTED);
	page.connection = 2;
	reply.slot = 4;
	ck_fails(import_watch("import", &answer, -1, &liveness), DOCA_ERROR_UNEXPECTED);
	ck_assert_uint_eq(page.refs, 0);
	own_page = NULL;
	ck_fails(import_watch("import", &answer, -1, &liveness), DOCA_ERROR_NOT_CONNECTED);
}
END_TEST

/* A sleeper checks the counter at intervals once a third process may take part, and not before. */
START_TEST(test_shared_event)
{
	struct doca_sync_event *event;
	struct doca_ctx *ctx;
	struct doca_pe *pe;
	struct itimerspec when;

	lie = HONEST;
	ck_ok(import_it(&event));
	ck_ok(doca_pe_create(&pe));
	ctx = &event->ctx;
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	ck_ok(doca_ctx_start(ctx));
	event->seen = 77;
	ck_assert_uint_eq(armed_for(event), 0);
	*liveness_word |= LIVENESS_SHARED;
	ck_assert_uint_gt(armed_for(event), 0);
	ck_assert_uint_le(armed_for(event), SYNC_SHARED_NS);
	/* The timer does not run while the thread is awake. */
	ck_assert_int_eq(timerfd_gettime(event->timerfd, &when), 0);
	ck_assert(when.it_value.tv_sec == 0 && when.it_value.tv_nsec == 0);
	/* LIVENESS_SHARED does not end the export; a cleared word does. */
	ck_assert(sync_cell_is_alive(&event->cell));
	*liveness_word = LIVENESS_SHARED;
	ck_assert(!sync_cell_is_alive(&event->cell));
	ck_assert(event->ctx.ops->arm(&event->ctx));
	ck_ok(doca_ctx_stop(ctx));
	ck_ok(doca_sync_event_destroy(event));
	ck_ok(doca_pe_destroy(pe));
}
END_TEST

static bool arms_timer(struct doca_sync_event *event)
{
	bool is_timed;

	ck_assert(!event->ctx.ops->arm(&event->ctx));
	is_timed = event->is_timed;
	event->ctx.ops->disarm(&event->ctx);
	return is_timed;
}

/* After the import, the exporter gives RDMA devices access to the counter. */
START_TEST(test_unseen_writers)
{
	struct doca_sync_event *event;
	struct sync_cell exporters;
	struct doca_ctx *ctx;
	struct doca_pe *pe;

	lie = HONEST;
	ck_ok(import_it(&event));
	ck_ok(doca_pe_create(&pe));
	ctx = &event->ctx;
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	ck_ok(doca_ctx_start(ctx));
	event->seen = 77;
	ck_assert(!arms_timer(event));
	exporters = event->cell;
	sync_cell_set_rechecked(&exporters);
	ck_assert(sync_cell_is_rechecked(&event->cell));
	ck_assert(arms_timer(event));
	ck_ok(doca_ctx_stop(ctx));
	ck_ok(doca_sync_event_destroy(event));
	ck_ok(doca_pe_destroy(pe));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sync event import");
	TCase *tcase = unit_case(suite, "lies", UNIT_TIMEOUT);

	tcase_add_loop_test(tcase, test_lies, 0, N_LIES);
	tcase_add_test(tcase, test_own_page);
	tcase_add_test(tcase, test_shared_event);
	tcase_add_test(tcase, test_unseen_writers);
	return unit_run(suite);
}
