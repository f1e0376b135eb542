/*
 * Sync events whose counter, sleep words and liveness word another process writes. The first byte
 * of an input chooses the event: an import, or one of this process; with synchronous calls or as a
 * context. The first step chooses what is wrong with an import. The others use the event, or write
 * any word that a hostile process may write. The bytes may change between loads, too.
 *
 * Wrong descriptors, sizes and words open no import. Every call returns, every task comes back, and
 * an import that may only read changes nothing.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/sync_event/sync_event.h"
#include "tests/fuzz/ends.h"
#include "tests/fuzz/scribble.h"
#include "util/export_descriptor.h"
#include "util/fd.h"
#include "util/memfd.h"

#define N_TASKS    4u /* of each kind */
#define PAGE       4096u
#define GENERATION 6u
#define IMPORT_ID  9u

/* Variants that the first byte of an input selects. */
enum { IS_IMPORT, IS_READ_ONLY, IS_SHARED, IS_USERS, IS_HOME }; /* low bits */
#define IS_CTX       8u  /* tasks instead of synchronous calls */
#define IS_SCRIBBLED 16u /* a second thread writes too */

static struct doca_sync_event *event;
static unsigned n_tasks;       /* that are not freed */
static unsigned n_checks_left; /* of the exporter's process, until it has ended */
static unsigned n_cancelled;
static uint64_t users_counter, result;
static struct ends_step lie; /* what is wrong with the daemon's answer */
static bool is_read_only, expects_sleep_words_fd;
static _Atomic uint32_t *liveness;

/* --- what replaces the daemon and the exporter's process --- */

doca_error_t __wrap_import_send(struct doca_dev *dev, struct export_descriptor *descriptor,
				struct rpc_reply *answer);
void __wrap_import_release(uint64_t import_id);
void __wrap_import_report(uint64_t import_id, const uint8_t daemon_id[16], const char *transport,
			  char **rejected, size_t n_rejected);
doca_error_t __wrap_import_watch(const char *what, const struct rpc_reply *answer, int page,
				 struct import_liveness *liveness_out);
doca_error_t __real_import_watch(const char *what, const struct rpc_reply *answer, int page,
				 struct import_liveness *liveness_out);
bool __wrap_fd_pidfd_exited(int pidfd);

void __wrap_import_release(uint64_t import_id)
{
	FUZZ_CHECK(import_id == IMPORT_ID);
	n_cancelled++;
}

void __wrap_import_report(uint64_t import_id, const uint8_t daemon_id[16], const char *transport,
			  char **rejected, size_t n_rejected)
{
	(void)daemon_id;
	(void)transport;
	(void)rejected;
	FUZZ_CHECK(import_id == IMPORT_ID && n_rejected == 0);
}

/* For an import from another machine there would be a word of the daemon's connection. */
doca_error_t __wrap_import_watch(const char *what, const struct rpc_reply *answer, int page,
				 struct import_liveness *liveness_out)
{
	static const _Atomic uint32_t word = GENERATION;

	if (!answer->packet->import_reply->is_remote)
		return __real_import_watch(what, answer, page, liveness_out);
	*liveness_out = (struct import_liveness){.alive = &word, .generation = GENERATION};
	return DOCA_SUCCESS;
}

bool __wrap_fd_pidfd_exited(int pidfd)
{
	FUZZ_CHECK(pidfd >= 0);
	return n_checks_left == 0 || --n_checks_left == 0;
}

/* A page with these first bytes; `how` makes it unsealed, short, or no memory at all. */
static int page_make(unsigned how, const void *bytes, size_t len)
{
	int fd;

	if (how == 1)
		return fd_eventfd();
	if (how == 2) {
		fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		FUZZ_CHECK(fd >= 0 && ftruncate(fd, PAGE) == 0);
	} else {
		fd = memfd_create_sealed("page", how == 3 ? PAGE / 2 : PAGE);
	}
	FUZZ_CHECK(fd >= 0 && pwrite(fd, bytes, len, 0) == (ssize_t)len);
	return fd;
}

static void falsify_reply(Dococore__ImportReply *reply, struct sync_words *words)
{
	switch (lie.how % 32) {
	case 1:
		reply->kind = (Dococore__ExportKind)(lie.value % 8);
		break;
	case 2:
		reply->len = lie.value;
		break;
	case 3:
		reply->memfd_offset = lie.value;
		break;
	case 4:
		reply->memory = DOCOCORE__MEMORY_KIND__PRIVATE;
		break;
	case 5:
		reply->slot = (uint32_t)lie.value;
		break;
	case 6:
		reply->generation = (uint32_t)lie.value;
		break;
	case 7:
		reply->liveness_len = (uint32_t)lie.value;
		break;
	case 8:
		words->magic = (uint32_t)lie.value;
		break;
	case 9:
		words->version = (uint32_t)lie.value;
		break;
	case 10: /* on another machine */
		reply->is_remote = true;
		reply->relays = lie.value & 1;
		reply->endpoint_id = lie.value & 2 ? 1 : 0;
		reply->same_kernel = lie.value & 4;
		reply->addr += lie.value & 8 ? 1 : 0;
		break;
	default:
		break;
	}
}

doca_error_t __wrap_import_send(struct doca_dev *dev, struct export_descriptor *descriptor,
				struct rpc_reply *answer)
{
	struct sync_words words = {.magic = SYNC_WORDS_MAGIC, .version = SYNC_WORDS_LAYOUT};
	Dococore__ImportReply reply = DOCOCORE__IMPORT_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint64_t counter = 77;
	uint32_t generation = GENERATION;
	unsigned what = lie.how % 32 < 16 ? 0 : lie.how % 32 / 4; /* 4 to 7: a descriptor */
	uint8_t bytes[512];
	int page;

	FUZZ_CHECK(dev == &ends_dev && descriptor->export_id == 1);
	reply.import_id = IMPORT_ID;
	reply.addr = 0x10000;
	reply.len = sizeof(counter);
	reply.permissions = is_read_only ? DOCA_ACCESS_FLAG_PCI_READ_ONLY
					 : DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	reply.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	reply.generation = GENERATION;
	reply.liveness_len = PAGE;
	reply.kind = DOCOCORE__EXPORT_KIND__SYNC_PCI;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_REPLY;
	packet.import_reply = &reply;
	falsify_reply(&reply, &words);
	FUZZ_CHECK(dococore__packet__get_packed_size(&packet) <= sizeof(bytes));
	answer->packet = dococore__packet__unpack(NULL, dococore__packet__pack(&packet, bytes),
						  bytes);
	FUZZ_CHECK(answer->packet != NULL);
	page = page_make(what == 4 ? lie.how % 4 : 0, &generation, sizeof(generation));
	liveness = memfd_map(page, 0, PAGE, true);
	fdset_add(&answer->fds, page);
	fdset_add(&answer->fds, fd_pidfd_open(getpid()));
	fdset_add(&answer->fds, page_make(what == 5 ? lie.how % 4 : 0, &counter, sizeof(counter)));
	fdset_add(&answer->fds, page_make(what == 6 ? lie.how % 4 : 0, &words, sizeof(words)));
	fdset_add(&answer->fds, what == 7 ? page_make(0, &counter, sizeof(counter)) : fd_eventfd());
	return DOCA_SUCCESS;
}

/* --- the event --- */

static void on_task(struct doca_task *task, union doca_data user, union doca_data ctx_user)
{
	(void)user;
	(void)ctx_user;
	FUZZ_CHECK(n_tasks > 0);
	n_tasks--;
	doca_task_free(task);
}

/*
 * Returns whether the falsified reply may open an import: some falsified numbers are valid by
 * chance.
 */
static bool may_succeed(void)
{
	uint32_t word = (uint32_t)lie.value;

	switch (lie.how % 32) {
	case 1:
	case 11:
		return lie.value % 8 == DOCOCORE__EXPORT_KIND__SYNC_PCI;
	case 2:
		return lie.value == sizeof(uint64_t);
	case 3:
		return lie.value % sizeof(uint64_t) == 0 && lie.value <= PAGE - sizeof(uint64_t);
	case 5:
		return word < PAGE / sizeof(uint32_t);
	case 6:
		return word != 0;
	case 7:
		return word >= sizeof(uint32_t) && word <= PAGE;
	case 8:
		return word == SYNC_WORDS_MAGIC;
	case 9:
		return word == SYNC_WORDS_LAYOUT;
	case 10:
		return (lie.value & 11) == 3;
	case 4:
	case 12:
	case 13:
		return false;
	default: /* a descriptor: one of four is right, and half a page holds a counter */
		return lie.how % 32 < 28 &&
		       (lie.how % 4 == 0 || lie.how % 32 == 23 || lie.how % 32 < 16);
	}
}

static bool import_event(void)
{
	struct export_descriptor descriptor = {
		.kind = DOCOCORE__EXPORT_KIND__SYNC_PCI, .export_id = 1, .len = sizeof(uint64_t)};
	uint8_t bytes[EXPORT_DESCRIPTOR_LEN];
	doca_error_t opened;

	if (lie.how % 32 == 11)
		descriptor.kind = (uint8_t)(lie.value % 8);
	export_descriptor_encode(&descriptor, bytes);
	if (lie.how % 32 == 12)
		bytes[lie.where % EXPORT_DESCRIPTOR_LEN] ^= (uint8_t)(1 + lie.value % 255);
	ends_info.caps.sync_import_pci = lie.how % 32 != 13;
	n_cancelled = 0;
	opened = sync_event_import(&ends_dev, bytes, sizeof(bytes), &event);
	FUZZ_CHECK(opened != DOCA_SUCCESS || may_succeed());
	FUZZ_CHECK(opened == DOCA_SUCCESS || (lie.how % 32 != 0 && n_cancelled <= 1));
	return opened == DOCA_SUCCESS;
}

static void make_event(unsigned which)
{
	bool has_sleep_words_fd = which == IS_SHARED || which == IS_USERS;

	FUZZ_CHECK(sync_event_alloc(&event) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_sync_event_add_publisher_location_cpu(event, &ends_dev) == DOCA_SUCCESS);
	if (which == IS_SHARED)
		FUZZ_CHECK(doca_sync_event_add_subscriber_location_remote_pci(event) ==
			   DOCA_SUCCESS);
	else
		FUZZ_CHECK(doca_sync_event_add_subscriber_location_cpu(event, &ends_dev) ==
			   DOCA_SUCCESS);
	if (which == IS_USERS)
		FUZZ_CHECK(doca_sync_event_set_addr(event, &users_counter) == DOCA_SUCCESS);
	/* Before the start there are none; start_event() checks them. */
	FUZZ_CHECK(sync_memory_words_fd(&event->memory) < 0);
	expects_sleep_words_fd = has_sleep_words_fd;
}

/* A second event on the user's counter has the same sleep words. */
static void open_second(void)
{
	struct sync_memory memory = SYNC_MEMORY_INIT;
	struct sync_cell cell = {.words = NULL};

	FUZZ_CHECK(sync_memory_open(&memory, &cell, &users_counter, false, true) == DOCA_SUCCESS);
	FUZZ_CHECK(cell.words == event->cell.words);
	sync_memory_close(&memory);
}

/* Calls that a program makes by mistake, or too early. */
static void make_invalid_calls(struct doca_sync_event *on)
{
	FUZZ_CHECK(doca_sync_event_get(on, NULL) != DOCA_SUCCESS);
	FUZZ_CHECK(doca_sync_event_update_add(on, 1, NULL) != DOCA_SUCCESS);
	FUZZ_CHECK(doca_sync_event_update_set(NULL, 1) != DOCA_SUCCESS);
	FUZZ_CHECK(doca_sync_event_wait_gt(NULL, 1, 1) != DOCA_SUCCESS);
	FUZZ_CHECK(doca_sync_event_wait_neq_yield(NULL, 1, 1) != DOCA_SUCCESS);
	if (on->state != SYNC_STARTED)
		FUZZ_CHECK(doca_sync_event_get(on, &result) != DOCA_SUCCESS);
}

static void start_event(bool is_ctx)
{
	make_invalid_calls(event);
	if (!is_ctx) {
		FUZZ_CHECK(doca_sync_event_start(event) == DOCA_SUCCESS);
	} else {
		for (unsigned kind = 0; kind < SYNC_N_TASK_KINDS; kind++)
			FUZZ_CHECK(sync_pool_conf(event, (enum sync_task_kind)kind, on_task,
						  on_task, N_TASKS) == DOCA_SUCCESS);
		FUZZ_CHECK(doca_pe_connect_ctx(ends_pe, &event->ctx) == DOCA_SUCCESS);
		FUZZ_CHECK(doca_ctx_start(&event->ctx) == DOCA_SUCCESS);
	}
	FUZZ_CHECK(!expects_sleep_words_fd || sync_memory_words_fd(&event->memory) >= 0);
	if (event->user != NULL)
		open_second();
	make_invalid_calls(event);
	/* A sleep ends at once, and the exporter is asked for. */
	event->cell.max_sleep_ns = 1000;
	event->cell.n_awake = 2;
}

/* --- steps --- */

static void submit(struct ends_step step)
{
	struct sync_task init = {.value = step.value, .mask = UINT64_MAX, .result_at = &result};
	union doca_data none = {0};
	struct doca_task *task;

	if (step.where & 1)
		init.mask = step.value;
	if (sync_pool_alloc(event, (enum sync_task_kind)(step.how % SYNC_N_TASK_KINDS), &init, none,
			    &task) != DOCA_SUCCESS)
		return;
	n_tasks++;
	if ((step.where & 2 ? doca_task_try_submit(task) : doca_task_submit(task)) == DOCA_SUCCESS)
		return;
	n_tasks--;
	doca_task_free(task);
}

/* Only waits that end: for what is there, or on an exporter that is asked for and ends. */
static void wait_for(struct ends_step step)
{
	uint64_t mask = step.where & 1 ? step.value : UINT64_MAX;
	uint64_t counter = sync_cell_get(&event->cell) & mask;
	bool yields = step.how & 4, ends = yields && event->is_imported;

	switch (step.how % 4) {
	case 0:
		step.value = ends ? step.value : counter - 1;
		if (counter == 0 && !ends)
			break;
		(void)(yields ? doca_sync_event_wait_gt_yield(event, step.value, mask)
			      : doca_sync_event_wait_gt(event, step.value, mask));
		break;
	case 1:
		step.value = ends ? step.value : counter;
		(void)(yields ? doca_sync_event_wait_eq_yield(event, step.value, mask)
			      : doca_sync_event_wait_eq(event, step.value, mask));
		break;
	default:
		step.value = ends ? step.value : counter + 1;
		(void)(yields ? doca_sync_event_wait_neq_yield(event, step.value, mask)
			      : doca_sync_event_wait_neq(event, step.value, mask));
	}
}

/*
 * The exporter ends while a waiter polls for what does not come: a second thread changes the
 * liveness word for as long as the wait takes.
 */
static void wait_until_gone(struct ends_step step)
{
	uint64_t counter = sync_cell_get(&event->cell);

	if (!event->is_imported || liveness == NULL || SCRIBBLE_RESTS ||
	    (uintptr_t)event->cell.alive % PAGE != 0)
		return;
	/* The word after it, which is written as well, belongs to no event. */
	scribble_begin((void *)(uintptr_t)liveness, GENERATION,
		       step.where & 1 ? GENERATION : GENERATION ^ LIVENESS_REVOKED);
	(void)doca_sync_event_wait_eq(event, counter + 1 + (step.value & 1), UINT64_MAX);
	scribble_end();
}

static void call(struct ends_step step)
{
	uint64_t before = sync_cell_get(&event->cell);

	switch (step.how % 4) {
	case 0:
		(void)doca_sync_event_get(event, &result);
		break;
	case 1:
		(void)doca_sync_event_update_set(event, step.value);
		break;
	case 2:
		(void)doca_sync_event_update_add(event, step.value, &result);
		break;
	default:
		step.how /= 4;
		wait_for(step);
	}
	FUZZ_CHECK(event->cell.is_writable || sync_cell_get(&event->cell) == before);
}

static void write_sleep_words(struct ends_step step)
{
	struct sync_words *words = event->cell.words;
	_Atomic uint32_t *const fields[] = {&words->flags, &words->sleepers, &words->seq};

	atomic_store(fields[step.how % 3],
		     step.how & 4 ? (uint32_t)step.value : (uint32_t)step.value % 8);
	/* Acts as the partner, which has changed the counter, or exports it to a device. */
	if (step.how & 8)
		sync_cell_wake_all(&event->cell);
	if (step.how == 255)
		sync_cell_set_rechecked(&event->cell);
}

static void run_step(struct ends_step step, bool is_ctx, bool is_scribbled)
{
	static const uint32_t lives[] = {GENERATION, GENERATION | LIVENESS_SHARED, 0,
					 LIVENESS_REVOKED};

	switch (step.what % 10) {
	case 0:
	case 1:
	case 2:
		if (is_ctx)
			submit(step);
		else
			call(step);
		break;
	case 3:
	case 4:
		write_sleep_words(step);
		break;
	case 5: /* another publisher */
		if (event->cell.is_writable)
			atomic_store(event->cell.value, step.value);
		break;
	case 6:
		if (liveness != NULL)
			atomic_store(liveness,
				     step.how & 4 ? (uint32_t)step.value : lives[step.how % 4]);
		break;
	case 7:
		ends_progress(step.how % 16 + 1);
		break;
	case 8:
		(void)doca_pe_request_notification(ends_pe);
		if (step.how & 1)
			(void)doca_pe_clear_notification(ends_pe, 0);
		n_checks_left = 1 + step.where % 8;
		break;
	default: /* a sleep word or the liveness word changes between loads */
		if (is_scribbled && !is_ctx && step.how >= 192)
			wait_until_gone(step);
		else if (is_scribbled)
			scribble_begin(&event->cell.words->sleepers, step.value,
				       1ull << step.how % 64);
	}
}

static void open_all(void)
{
	ends_open();
	ends_info.caps.sync_event = ends_info.caps.sync_import_pci = true;
	ends_info.caps.sync_max_tasks = N_TASKS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	bool is_ctx, is_scribbled;
	unsigned which;

	if (len < 1 + ENDS_STEP_LEN)
		return 0;
	if (ends_pe == NULL)
		open_all();
	which = data[0] & 7;
	is_ctx = data[0] & IS_CTX;
	is_scribbled = data[0] & IS_SCRIBBLED;
	lie = ends_step_read(data + 1);
	ends_now_ns = NS_PER_SEC;
	n_checks_left = 8;
	is_read_only = which == IS_READ_ONLY;
	expects_sleep_words_fd = false;
	liveness = NULL;
	if (which > IS_READ_ONLY)
		make_event(which);
	else if (!import_event())
		goto unmap;
	if (event->import.is_posted)
		goto delete;
	start_event(is_ctx);
	for (data += 1 + ENDS_STEP_LEN, len -= 1 + ENDS_STEP_LEN; len >= ENDS_STEP_LEN;
	     data += ENDS_STEP_LEN, len -= ENDS_STEP_LEN)
		run_step(ends_step_read(data), is_ctx, is_scribbled);
	scribble_end();
	if (is_ctx) {
		ends_stop(&event->ctx);
		ends_progress(8 * N_TASKS);
	}
	FUZZ_CHECK(n_tasks == 0);
	delete : FUZZ_CHECK(sync_event_delete(event) == DOCA_SUCCESS);
	FUZZ_CHECK(which > IS_READ_ONLY || n_cancelled == 1);
unmap:
	if (liveness != NULL)
		memfd_unmap((void *)(uintptr_t)liveness, PAGE);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	uint8_t *at = out;

	if (i >= 80 || out_len < 1 + 80 * ENDS_STEP_LEN)
		return 0;
	/* One import with a valid reply, and one with each falsification. */
	*at++ = (uint8_t)(i < 32 ? i : i % 2);
	ends_step_write(&at, (struct ends_step){0, (uint8_t)(i < 64 ? i & 31 & -(i >= 32) : 10),
						(uint16_t)i, i});
	for (unsigned k = 0; k < 60 && i < 32; k++)
		ends_step_write(&at, (struct ends_step){i < 16 ? k % 3 * 7 : (uint8_t)(k * i),
							(uint8_t)(k * 3 + i), (uint16_t)k, k});
	return (size_t)(at - out);
}
