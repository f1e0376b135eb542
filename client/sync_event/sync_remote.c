/* Sync events that are accessed by requests; see client/sync_event/sync_remote.h. */
#include "client/sync_event/sync_remote.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <doca_mmap.h>

#include "client/base/error.h"
#include "client/control/session.h"
#include "client/memory/mmap.h"
#include "client/rma/requester.h"
#include "util/fd.h"
#include "util/memfd.h"

#define REMOTE_SLOTS    32u
#define REMOTE_POLLS    2048u /* polls of a synchronous call before it sleeps */
#define REMOTE_SLEEP_MS 100
/* The interval of reads of a waiting engine, and the limits of that of a call that yields. */
#define REMOTE_READ_NS      (50 * 1000)
#define REMOTE_PAUSE_MIN_NS (20 * 1000)
#define REMOTE_PAUSE_MAX_NS SYNC_RECHECK_NS
/* A relayed read is work for two daemons, so the interval grows while the waiter waits. */
#define RELAY_PAUSE_MIN_NS UINT64_C(100000)
#define RELAY_PAUSE_MAX_NS UINT64_C(5000000)

struct remote_slot {
	struct rdma_wr wr;
	struct rdma_sge sge;
	struct remote_slot *next; /* in the list of free slots */
	struct sync_task *t;      /* NULL: a read for waits, or a synchronous call */
};

struct sync_remote {
	const struct sync_import *import;
	struct requester *requester;
	const struct requester_peer *peer;
	bool was_up; /* the peer was connected and is not called again */
	/* Local memory of the requests, one word per slot. */
	uint64_t *words;
	struct doca_mmap *mmap;
	uint32_t n_forks; /* the fork count when it was opened */
	/* For a context. */
	struct list due; /* get, set and add tasks that were not posted yet */
	uint32_t n_out;
	bool is_reading, is_stopping;
	uint64_t next_ns, interval_ns;
	struct remote_slot *free;
	struct remote_slot slots[REMOTE_SLOTS];
};

static struct doca_sync_event *event_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_sync_event, ctx);
}

static struct sync_task *sync_task_of(const struct doca_task *task)
{
	return (struct sync_task *)(void *)task;
}

/* --- forks --- */

/* The number of forks of this process and its ancestors. It is compared before each request,
 * without a system call. */
static _Atomic uint32_t n_forks;

static void after_fork(void)
{
	atomic_fetch_add_explicit(&n_forks, 1, memory_order_relaxed);
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

/* Returns whether this process opened the connection. A forked child has copies of its parent's
 * queue pairs, which the device takes for the parent's. */
static bool remote_is_ours(const struct sync_remote *remote)
{
	return remote->n_forks == atomic_load_explicit(&n_forks, memory_order_relaxed);
}

static doca_error_t remote_report_fork(const char *what)
{
	return error_set(DOCA_ERROR_NOT_CONNECTED,
			 "sync event %s: the event belongs to the process that forked this one and "
			 "continues there; create objects in this process",
			 what);
}

/* --- opening and closing --- */

/* Registered at start, because a start can report a failure; a waiter would learn of it late. */
static doca_error_t words_register(struct sync_remote *remote)
{
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;
	uint32_t key;

	for (size_t i = 0; mem_key_table[i] != NULL && result == DOCA_ERROR_NOT_SUPPORTED; i++)
		result = mem_key_table[i]->get_local(remote->mmap, remote->import->dev, &key);
	/* Not every provider uses keys. */
	return result == DOCA_ERROR_NOT_SUPPORTED ? DOCA_SUCCESS : result;
}

static doca_error_t words_open(struct sync_remote *remote)
{
	size_t len = memfd_page_size();
	void *words;
	doca_error_t result;

	_Static_assert(REMOTE_SLOTS * sizeof(*remote->words) <= 4096, "the words fit a page");
	if (posix_memalign(&words, len, len) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "sync event start: out of memory");
	remote->words = __builtin_memset(words, 0, len);
	result = mmap_new_started(remote->import->dev, words, len, &remote->mmap);
	if (result != DOCA_SUCCESS || remote->import->is_relayed)
		return result;
	return words_register(remote);
}

/* Returns whether the error is one that calls and tasks of the event report whenever it occurs.
 * That error does not fail the start. */
static bool is_connection_error(doca_error_t result)
{
	return result == DOCA_ERROR_NOT_FOUND || result == DOCA_ERROR_NOT_CONNECTED ||
	       result == DOCA_ERROR_CONNECTION_ABORTED || result == DOCA_ERROR_CONNECTION_RESET ||
	       result == DOCA_ERROR_TIME_OUT;
}

/* Calls the process, without waiting. */
static doca_error_t remote_call(struct sync_remote *remote)
{
	const struct sync_import *import = remote->import;
	const struct peer_address address = {
		.daemon_id = import->exporter_daemon,
		.endpoint_id = import->endpoint_id,
		.import_id = import->import_id,
		.import_daemon = import->import_daemon,
		.is_pci = import->is_relayed,
	};
	struct requester_peer *peer;
	doca_error_t result = requester_find(remote->requester, &address, &peer);

	if (result == DOCA_SUCCESS)
		remote->peer = peer;
	return result;
}

static void remote_await(struct sync_remote *remote, uint32_t *n_polls)
{
	if (!requester_poll(remote->requester) && ++*n_polls > REMOTE_POLLS)
		requester_sleep(remote->requester, REMOTE_SLEEP_MS);
}

/* Returns whether this side's daemon has neither accepted nor refused the first attempt. */
static bool remote_awaits_daemon(const struct requester_peer *peer)
{
	return (peer->state == REQUESTER_CALL_DUE || peer->state == REQUESTER_CALL_SENT) &&
	       peer->pause_ns == 0;
}

/* Calls the process, connecting to the daemon if needed, and waits at most 5 s until this side's
 * daemon has accepted or refused the call. Returns the refusal, with an error sentence. */
static doca_error_t remote_call_and_wait(struct sync_remote *remote)
{
	uint64_t until_ns = clock_now_ns() + RPC_TIMEOUT_NS;
	uint32_t n_polls = 0;
	doca_error_t result;

	rpc_lock();
	/* The result is ignored: without a connection, the call fails too. */
	(void)session_ensure_locked();
	rpc_unlock();
	result = remote_call(remote);
	while (result == DOCA_SUCCESS && remote_awaits_daemon(remote->peer) &&
	       clock_now_ns() < until_ns)
		remote_await(remote, &n_polls);
	if (result == DOCA_SUCCESS && remote->peer->state == REQUESTER_FAILED &&
	    remote->peer->refusal != DOCA_SUCCESS && !is_connection_error(remote->peer->refusal))
		result = error_note(remote->peer->refusal, "%s", remote->peer->reason);
	return result;
}

static doca_error_t remote_connect(struct sync_remote *remote, struct doca_pe *pe)
{
	const struct sync_import *import = remote->import;
	doca_error_t result = requester_open(import->dev, pe, import->is_relayed, REMOTE_SLOTS, 1,
					     &remote->requester);

	if (result != DOCA_SUCCESS)
		return result;
	remote->requester->renews = import->is_relayed;
	return pe == NULL ? remote_call_and_wait(remote) : remote_call(remote);
}

doca_error_t sync_remote_open(const struct sync_import *import, struct doca_pe *pe,
			      struct sync_remote **out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sync_remote *remote = calloc(1, sizeof(*remote));
	doca_error_t result;

	pthread_once(&once, watch_forks);
	if (remote == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "sync event start: out of memory");
	remote->import = import;
	remote->n_forks = atomic_load(&n_forks);
	list_init(&remote->due);
	for (size_t i = 0; i < REMOTE_SLOTS; i++) {
		remote->slots[i].next = remote->free;
		remote->free = &remote->slots[i];
	}
	result = words_open(remote);
	if (result == DOCA_SUCCESS)
		result = remote_connect(remote, pe);
	if (result != DOCA_SUCCESS) {
		sync_remote_close(remote);
		return result;
	}
	*out = remote;
	return DOCA_SUCCESS;
}

void sync_remote_close(struct sync_remote *remote)
{
	if (remote == NULL)
		return;
	/*
	 * In a forked child, closing would end the parent's queue pair. The copies remain until the
	 * child exits, and so do the words, which the child does not even have once they are
	 * registered.
	 */
	if (remote_is_ours(remote))
		requester_close(remote->requester);
	if (remote->mmap != NULL)
		(void)doca_mmap_destroy(remote->mmap);
	if (remote_is_ours(remote))
		free(remote->words);
	free(remote);
}

/* --- requests --- */

static bool remote_is_alive(const struct sync_remote *remote)
{
	return sync_cell_is_alive(&remote->import->cell);
}

/* Returns whether the process was never reached, because it was not called or the daemon was lost
 * before the reply: no request has had an effect. */
static bool never_reached(const struct sync_remote *remote)
{
	const struct requester_peer *peer = remote->peer;

	return peer->state == REQUESTER_FAILED && peer->failure != REQUESTER_REFUSED &&
	       !remote->was_up && remote_is_alive(remote);
}

static const char *remote_reason(const struct sync_remote *remote)
{
	if (remote->peer->reason != NULL)
		return remote->peer->reason;
	return remote->import->is_relayed
		       ? "its process refused the request: it no longer knows the event"
		       : "its RDMA device refused the request, or the network is interrupted";
}

static doca_error_t remote_report_loss(const struct sync_remote *remote, const char *what)
{
	if (!remote_is_alive(remote))
		return error_set(DOCA_ERROR_CONNECTION_RESET,
				 "sync event %s: the exporter of the event stopped it or ended; "
				 "destroy the event and import a new one",
				 what);
	return error_set(
		DOCA_ERROR_CONNECTION_RESET,
		"sync event %s: the exporter of the event cannot be reached: %s; %sdestroy "
		"the event and import it again",
		what, remote_reason(remote), never_reached(remote) ? "try again, or " : "");
}

static uint64_t *slot_word(struct sync_remote *remote, const struct remote_slot *slot)
{
	return &remote->words[slot - remote->slots];
}

/* Posts a request. Returns AGAIN, with the slot still free, if it must be posted later. */
static doca_error_t remote_post(struct sync_remote *remote, enum rdma_op op, uint64_t value,
				struct sync_task *t)
{
	struct remote_slot *slot = remote->free;
	doca_error_t result;

	if (op == RDMA_FETCH_ADD && !remote->requester->limits.has_atomics)
		return error_set(
			DOCA_ERROR_NOT_SUPPORTED,
			"sync event add: %s does not support atomic requests, which add to a "
			"counter of another machine; set the counter, or use another device",
			remote->import->dev->info->name);
	if (slot == NULL)
		return DOCA_ERROR_AGAIN;
	*slot_word(remote, slot) = op == RDMA_WRITE ? value : 0;
	slot->sge = (struct rdma_sge){
		.addr = (uint8_t *)slot_word(remote, slot),
		.len = sizeof(uint64_t),
		.mmap = remote->mmap,
	};
	slot->wr = (struct rdma_wr){
		.qp = remote->peer->qp,
		.op = op,
		.n_sges = 1,
		.sges = &slot->sge,
		.value = value,
		.remote_event = (struct sync_import *)remote->import,
	};
	slot->t = t;
	result = remote->requester->ops->post(remote->peer->qp, &slot->wr);
	if (result != DOCA_SUCCESS)
		return result;
	remote->free = slot->next;
	remote->n_out++;
	return DOCA_SUCCESS;
}

/* Returns a completed slot, which is free again, with the value that it read; or NULL. */
static struct remote_slot *remote_collect(struct sync_remote *remote)
{
	struct rdma_wr *wr = remote->requester->ops->poll(remote->requester->domain);
	struct remote_slot *slot;

	if (wr == NULL)
		return NULL;
	slot = container_of(wr, struct remote_slot, wr);
	slot->next = remote->free;
	remote->free = slot;
	remote->n_out--;
	return slot;
}

/* --- synchronous calls --- */

static doca_error_t remote_run(struct sync_remote *remote, enum rdma_op op, uint64_t value,
			       uint64_t *word_out, const char *what)
{
	struct remote_slot *slot;
	uint32_t n_polls = 0;
	doca_error_t result;

	if (unlikely(!remote_is_ours(remote)))
		return remote_report_fork(what);
	if (unlikely(never_reached(remote)))
		(void)remote_call_and_wait(remote);
	while (requester_is_calling(remote->peer))
		remote_await(remote, &n_polls);
	if (remote->peer->state == REQUESTER_FAILED || !remote_is_alive(remote))
		return remote_report_loss(remote, what);
	remote->was_up = true;
	result = remote_post(remote, op, value, NULL);
	if (result != DOCA_SUCCESS)
		return result;
	for (n_polls = 0; (slot = remote_collect(remote)) == NULL;)
		remote_await(remote, &n_polls);
	if (slot->wr.status != DOCA_SUCCESS) {
		/* Fetches the reason, as far as the daemons report it. */
		(void)requester_poll(remote->requester);
		return remote_report_loss(remote, what);
	}
	*word_out = *slot_word(remote, slot);
	return DOCA_SUCCESS;
}

doca_error_t sync_remote_get(struct sync_remote *remote, uint64_t *value_out, const char *what)
{
	return remote_run(remote, RDMA_READ, 0, value_out, what);
}

doca_error_t sync_remote_set(struct sync_remote *remote, uint64_t value, const char *what)
{
	uint64_t written;

	return remote_run(remote, RDMA_WRITE, value, &written, what);
}

doca_error_t sync_remote_add(struct sync_remote *remote, uint64_t value, uint64_t *fetched_out,
			     const char *what)
{
	return remote_run(remote, RDMA_FETCH_ADD, value, fetched_out, what);
}

doca_error_t sync_remote_wait(struct sync_remote *remote, enum sync_cond cond, uint64_t value,
			      uint64_t mask, bool yields, const char *what)
{
	bool is_relayed = remote->import->is_relayed;
	struct timespec pause = {.tv_nsec = is_relayed ? RELAY_PAUSE_MIN_NS : REMOTE_PAUSE_MIN_NS};
	long pause_max = is_relayed ? RELAY_PAUSE_MAX_NS : REMOTE_PAUSE_MAX_NS;
	uint64_t counter = 0;
	doca_error_t result;

	for (;;) {
		result = remote_run(remote, RDMA_READ, 0, &counter, what);
		if (result != DOCA_SUCCESS || sync_is_met(cond, counter, value, mask))
			return result;
		if (!yields && !is_relayed)
			continue;
		nanosleep(&pause, NULL);
		pause.tv_nsec = MIN(2 * pause.tv_nsec, pause_max);
	}
}

/* --- tasks --- */

static void task_end(struct doca_sync_event *event, struct sync_task *t, doca_error_t status)
{
	t->task.status = status;
	list_append(&event->ready, &t->node);
}

static void tasks_end(struct doca_sync_event *event, struct list *tasks, doca_error_t status)
{
	struct sync_task *t, *tmp;

	list_for_each_safe(t, tmp, tasks, node)
	{
		list_remove(&t->node);
		task_end(event, t, status);
	}
}

static doca_error_t task_post(struct sync_remote *remote, struct sync_task *t)
{
	return remote_post(remote, t->op, t->value, t);
}

static void waits_check(struct doca_sync_event *event, uint64_t counter)
{
	struct sync_task *t, *tmp;

	list_for_each_safe(t, tmp, &event->held, node)
	{
		if (!sync_is_met(t->cond, counter, t->value, t->mask))
			continue;
		list_remove(&t->node);
		task_end(event, t, DOCA_SUCCESS);
	}
}

/* Computes when the next read is due. */
static void remote_schedule_read(struct sync_remote *remote)
{
	if (!remote->import->is_relayed)
		remote->interval_ns = REMOTE_READ_NS;
	else
		remote->interval_ns = MIN(MAX(2 * remote->interval_ns, RELAY_PAUSE_MIN_NS),
					  RELAY_PAUSE_MAX_NS);
	remote->next_ns = clock_now_ns() + remote->interval_ns;
}

static void slot_completed(struct doca_sync_event *event, const struct remote_slot *slot)
{
	struct sync_remote *remote = event->remote;
	doca_error_t status = slot->wr.status;
	uint64_t word = *slot_word(remote, slot);

	if (status != DOCA_SUCCESS) {
		(void)requester_poll(remote->requester);
		status = remote->is_stopping ? DOCA_ERROR_SHUTDOWN
					     : remote_report_loss(remote, "task");
	}
	if (slot->t != NULL) {
		if (status == DOCA_SUCCESS && slot->wr.op != RDMA_WRITE)
			*slot->t->result_at = word;
		task_end(event, slot->t, status);
		return;
	}
	remote->is_reading = false;
	remote_schedule_read(remote);
	if (status == DOCA_SUCCESS)
		waits_check(event, word);
	else
		tasks_end(event, &event->held, status);
}

static void remote_read(struct doca_sync_event *event)
{
	struct sync_remote *remote = event->remote;
	doca_error_t result;

	if (list_is_empty(&event->held) || remote->is_reading || clock_now_ns() < remote->next_ns)
		return;
	result = remote_post(remote, RDMA_READ, 0, NULL);
	remote->is_reading = result == DOCA_SUCCESS;
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN)
		tasks_end(event, &event->held, result);
}

/* Returns the error for tasks that wait for a connection. */
static doca_error_t remote_report_end(const struct sync_remote *remote)
{
	doca_error_t refusal = remote->peer->refusal;

	if (!never_reached(remote))
		return remote_report_loss(remote, "task");
	if (refusal == DOCA_SUCCESS || is_connection_error(refusal))
		refusal = DOCA_ERROR_CONNECTION_RESET;
	return error_set(refusal,
			 "sync event task: the exporter of the event cannot be reached: %s; submit "
			 "again, or destroy the event and import it again",
			 remote->peer->reason);
}

/* Calls the process again, unless tasks have waited for the call that was not made: those fail. */
static void remote_call_again(struct doca_sync_event *event)
{
	struct sync_remote *remote = event->remote;

	if (unlikely(remote->peer->state == REQUESTER_FAILED) && never_reached(remote) &&
	    list_is_empty(&remote->due) && list_is_empty(&event->held))
		(void)remote_call(remote);
}

/* Posts as many requests as possible, and completes tasks that can never be posted. */
static void remote_pump(struct doca_sync_event *event)
{
	struct sync_remote *remote = event->remote;
	struct sync_task *t, *tmp;
	doca_error_t result;

	if (list_is_empty(&remote->due) && list_is_empty(&event->held))
		return;
	if (remote->peer->state == REQUESTER_FAILED || !remote_is_alive(remote)) {
		result = remote_report_end(remote);
		tasks_end(event, &remote->due, result);
		/* The result of a read in progress still counts. */
		if (!remote->is_reading)
			tasks_end(event, &event->held, result);
		return;
	}
	if (requester_is_calling(remote->peer))
		return;
	remote->was_up = true;
	/* Due tasks could use all slots forever; the read comes first, with one slot at intervals.
	 */
	remote_read(event);
	list_for_each_safe(t, tmp, &remote->due, node)
	{
		result = task_post(remote, t);
		if (result == DOCA_ERROR_AGAIN)
			return;
		list_remove(&t->node);
		if (result != DOCA_SUCCESS)
			task_end(event, t, result);
	}
}

/* The task is held from here on: it completes only in progress that reports so. */
static doca_error_t remote_submit(struct doca_task *task, uint32_t flags, enum rdma_op op)
{
	struct doca_sync_event *event = event_of(task->ctx);
	struct sync_task *t = sync_task_of(task);
	doca_error_t result;

	if (unlikely(!remote_is_ours(event->remote)))
		return remote_report_fork("task");
	result = sync_task_check(task, op != RDMA_READ, op != RDMA_WRITE);
	task_hold(task);
	t->op = op;
	if (result == DOCA_SUCCESS) {
		remote_call_again(event);
		list_append(&event->remote->due, &t->node);
		remote_pump(event);
	} else {
		task_end(event, t, result);
	}
	/* If the process is to be called again, progress does so. */
	if (event->ctx.pe->armed &&
	    (!list_is_empty(&event->ready) || requester_is_calling(event->remote->peer)))
		pe_wake(event->ctx.pe);
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		doca_ctx_flush_tasks(&event->ctx);
	return DOCA_SUCCESS;
}

static doca_error_t get_submit(struct doca_task *task, uint32_t flags)
{
	return remote_submit(task, flags, RDMA_READ);
}

static doca_error_t set_submit(struct doca_task *task, uint32_t flags)
{
	return remote_submit(task, flags, RDMA_WRITE);
}

static doca_error_t add_submit(struct doca_task *task, uint32_t flags)
{
	return remote_submit(task, flags, RDMA_FETCH_ADD);
}

static doca_error_t wait_submit(struct doca_task *task, uint32_t flags)
{
	struct doca_sync_event *event = event_of(task->ctx);

	if (unlikely(!remote_is_ours(event->remote)))
		return remote_report_fork("task");
	ctx_count_wait(&event->ctx);
	task_hold(task);
	remote_call_again(event);
	list_append(&event->held, &sync_task_of(task)->node);
	event->remote->next_ns = event->remote->interval_ns = 0;
	if (event->ctx.pe->armed)
		pe_wake(event->ctx.pe);
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		doca_ctx_flush_tasks(&event->ctx);
	return DOCA_SUCCESS;
}

/* --- context --- */

static uint8_t remote_poll(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);
	struct remote_slot *slot;
	struct sync_task *t;

	while ((slot = remote_collect(event->remote)) != NULL)
		slot_completed(event, slot);
	(void)requester_poll(event->remote->requester);
	remote_pump(event);
	if (list_is_empty(&event->ready))
		return 0;
	t = list_entry(event->ready.next, struct sync_task, node);
	list_remove(&t->node);
	task_finish(&t->task, t->task.status);
	return 1;
}

static bool remote_arm(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);
	struct sync_remote *remote = event->remote;

	if (!list_is_empty(&event->ready) || requester_arm(remote->requester))
		return true;
	/* A waiting context reads the counter itself, and thereby checks the exporter. While the
	 * process is being called, the requester wakes the user: by the reply, and at intervals. */
	if (!list_is_empty(&event->held) && !remote->is_reading &&
	    !requester_is_calling(remote->peer))
		sync_timer_set(event, MAX(remote->interval_ns, (uint64_t)SYNC_RECHECK_NS));
	return false;
}

static void remote_disarm(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);

	sync_timer_set(event, 0);
	requester_disarm(event->remote->requester);
}

static doca_error_t remote_start(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);
	doca_error_t result = sync_event_open(event, "ctx start", true);
	int r;

	if (result != DOCA_SUCCESS)
		return result;
	result = sync_pools_check(event, sync_event_dev(event));
	r = result == DOCA_SUCCESS ? sync_timer_open(event) : 0;
	if (r < 0) {
		sync_timer_close(event);
		result = error_set(error_from_errno(r),
				   "sync event start: no timer for wake-ups (error %d); raise "
				   "RLIMIT_NOFILE",
				   -r);
	}
	if (result != DOCA_SUCCESS) {
		sync_event_close(event);
		return result;
	}
	event->state = SYNC_STARTED_CTX;
	ctx_set_polled(ctx, true);
	return DOCA_SUCCESS;
}

/* Stops the context. The end of the queue pair returns posted requests. */
static void remote_stop(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);

	event->remote->is_stopping = true;
	tasks_end(event, &event->remote->due, DOCA_ERROR_SHUTDOWN);
	tasks_end(event, &event->held, DOCA_ERROR_SHUTDOWN);
	requester_disconnect(event->remote->requester);
}

static bool remote_stopped(const struct doca_ctx *ctx)
{
	return event_of(ctx)->remote->n_out == 0;
}

static void remote_release(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);

	ctx_set_polled(ctx, false);
	sync_timer_close(event);
	sync_event_close(event);
	event->state = SYNC_STOPPED;
}

static const struct ctx_ops remote_ops = {
	.name = "sync event",
	.counted_as = COUNTERS_SYNC_EVENT,
	.start = remote_start,
	.stop = remote_stop,
	.stopped = remote_stopped,
	.release = remote_release,
	.poll = remote_poll,
	.arm = remote_arm,
	.disarm = remote_disarm,
};

void sync_remote_ctx_init(struct doca_sync_event *event)
{
	struct task_pool *pools = event->pools;

	event->ctx.ops = &remote_ops;
	pools[SYNC_TASK_GET].submit = get_submit;
	pools[SYNC_TASK_SET].submit = set_submit;
	pools[SYNC_TASK_ADD].submit = add_submit;
	for (int i = SYNC_TASK_EQ; i <= SYNC_TASK_GT; i++)
		pools[i].submit = wait_submit;
}
