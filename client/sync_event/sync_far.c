/* Sync events that are accessed by requests; see client/sync_event/sync_far.h. */
#include "client/sync_event/sync_far.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_mmap.h>

#include "client/base/error.h"
#include "client/memory/mmap.h"
#include "client/rma/requester.h"
#include "util/fd.h"
#include "util/memfd.h"

#define FAR_SLOTS    32u
#define FAR_POLLS    2048u /* polls of a synchronous call before it sleeps */
#define FAR_SLEEP_MS 100
/* The interval of reads of a waiting progress engine, and the limits of the interval of a call that
 * yields. */
#define FAR_LOOK_NS     (50 * 1000)
#define FAR_REST_MIN_NS (20 * 1000)
#define FAR_REST_MAX_NS SYNC_RECHECK_NS
/* A relayed read is work for two daemons, so the interval grows while the waiter waits. */
#define RELAY_REST_MIN_NS (100 * 1000)
#define RELAY_REST_MAX_NS (5 * 1000 * 1000)

struct far_slot {
	struct rdma_wr wr;
	struct rdma_sge sge;
	struct far_slot *next; /* in the list of free slots */
	struct sync_task *t;   /* NULL: a read for waits, or a synchronous call */
};

struct sync_far {
	const struct sync_import *import;
	struct requester *requester;
	const struct requester_peer *peer;
	bool was_up; /* the peer was connected and is not called again */
	/* Local memory of the requests, one word per slot. */
	uint64_t *words;
	struct doca_mmap *mmap;
	int epoll_fd;     /* for synchronous calls; -1: none */
	uint32_t n_forks; /* the fork count when it was opened */
	/* For a context. */
	struct list due; /* get, set and add tasks that were not posted yet */
	uint32_t n_out;
	bool is_looking, is_ended;
	uint64_t next_look_ns, check_ns;
	struct far_slot *free;
	struct far_slot slots[FAR_SLOTS];
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
static bool far_is_ours(const struct sync_far *far)
{
	return far->n_forks == atomic_load_explicit(&n_forks, memory_order_relaxed);
}

static doca_error_t far_is_foreign(const char *what)
{
	return error_set(DOCA_ERROR_NOT_CONNECTED,
			 "sync event %s: the event belongs to the process that forked this one and "
			 "goes on there; make objects of this process's own",
			 what);
}

/* --- opening and closing --- */

/* Registered at start, because a start can report a failure; a waiter would learn of it late. */
static doca_error_t words_register(struct sync_far *far)
{
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;
	uint32_t key;

	for (size_t i = 0; mem_key_table[i] != NULL && result == DOCA_ERROR_NOT_SUPPORTED; i++)
		result = mem_key_table[i]->get_local(far->mmap, far->import->dev, &key);
	/* Not every provider uses keys. */
	return result == DOCA_ERROR_NOT_SUPPORTED ? DOCA_SUCCESS : result;
}

static doca_error_t words_open(struct sync_far *far)
{
	size_t len = memfd_page_size();
	void *words;
	doca_error_t result;

	_Static_assert(FAR_SLOTS * sizeof(*far->words) <= 4096, "the words need more than a page");
	if (posix_memalign(&words, len, len) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "sync event start: out of memory");
	far->words = __builtin_memset(words, 0, len);
	result = mmap_new(API_TASK, &far->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(far->mmap, words, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(far->mmap, far->import->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(far->mmap);
	if (result != DOCA_SUCCESS || far->import->is_relayed)
		return result;
	return words_register(far);
}

/* Returns whether the error is one that calls and tasks of the event report whenever it occurs.
 * Such an error does not fail the start. */
static bool is_unreached(doca_error_t result)
{
	return result == DOCA_ERROR_NOT_FOUND || result == DOCA_ERROR_NOT_CONNECTED ||
	       result == DOCA_ERROR_CONNECTION_ABORTED || result == DOCA_ERROR_CONNECTION_RESET ||
	       result == DOCA_ERROR_TIME_OUT;
}

static doca_error_t far_call(struct sync_far *far)
{
	static const struct requester_peer unreached = {
		.state = REQUESTER_FAILED,
		.reason = "its daemon could not be asked when the event was started",
	};
	const struct sync_import *import = far->import;
	const struct peer_address address = {
		.daemon_id = import->exporter_daemon,
		.agent_id = import->agent_id,
		.import_id = import->import_id,
		.import_daemon = import->import_daemon,
		.is_pci = import->is_relayed,
	};
	struct requester_peer *peer;
	doca_error_t result = requester_find(far->requester, &address, &peer);

	if (result == DOCA_SUCCESS)
		far->peer = peer;
	else if (far->peer == NULL)
		far->peer = &unreached;
	return is_unreached(result) ? DOCA_SUCCESS : result;
}

/* Discards the epoll set; the next sleep of a synchronous call watches the current descriptors. */
static int sleep_change(void *user, int fd, bool is_there)
{
	(void)fd;
	(void)is_there;
	fd_close(&((struct sync_far *)user)->epoll_fd);
	return 0;
}

static doca_error_t far_reach(struct sync_far *far, bool waits)
{
	const struct sync_import *import = far->import;
	doca_error_t result = (waits ? requester_open : requester_open_async)(
		import->dev, import->is_relayed, FAR_SLOTS, 1, &far->requester);

	if (result != DOCA_SUCCESS)
		return result;
	far->requester->renews = import->is_relayed;
	far->requester->watch = sleep_change;
	far->requester->user = far;
	/* For a context, the call is made once the context watches the descriptors. */
	return waits ? far_call(far) : DOCA_SUCCESS;
}

doca_error_t sync_far_open(const struct sync_import *import, bool waits, struct sync_far **far_out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sync_far *far = calloc(1, sizeof(*far));
	doca_error_t result;

	pthread_once(&once, watch_forks);
	if (far == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "sync event start: out of memory");
	far->import = import;
	far->epoll_fd = -1;
	far->n_forks = atomic_load(&n_forks);
	list_init(&far->due);
	for (size_t i = 0; i < FAR_SLOTS; i++) {
		far->slots[i].next = far->free;
		far->free = &far->slots[i];
	}
	result = words_open(far);
	if (result == DOCA_SUCCESS)
		result = far_reach(far, waits);
	if (result != DOCA_SUCCESS) {
		sync_far_close(far);
		return result;
	}
	*far_out = far;
	return DOCA_SUCCESS;
}

void sync_far_close(struct sync_far *far)
{
	if (far == NULL)
		return;
	/*
	 * In a forked child, closing would end the parent's queue pair. The copies remain until the
	 * child exits, and so do the words, which the child does not even have once they are
	 * registered.
	 */
	if (far_is_ours(far))
		requester_close(far->requester);
	fd_close(&far->epoll_fd);
	if (far->mmap != NULL)
		(void)doca_mmap_destroy(far->mmap);
	if (far_is_ours(far))
		free(far->words);
	free(far);
}

/* --- requests --- */

static bool far_is_alive(const struct sync_far *far)
{
	return sync_cell_is_alive(&far->import->cell);
}

/* Returns whether the process was never reached, because it was not called or the daemon was lost
 * before the reply: no request has had an effect. */
static bool far_is_untried(const struct sync_far *far)
{
	const struct requester_peer *peer = far->peer;

	return peer->state == REQUESTER_FAILED && peer->failure != REQUESTER_REFUSED &&
	       !far->was_up && far_is_alive(far);
}

static const char *far_reason(const struct sync_far *far)
{
	if (far->peer->reason != NULL)
		return far->peer->reason;
	return far->import->is_relayed
		       ? "its process refused the request: it knows no such event any more"
		       : "its RDMA device refused the request, or the network is cut";
}

static doca_error_t far_is_lost(const struct sync_far *far, const char *what)
{
	if (!far_is_alive(far))
		return error_set(DOCA_ERROR_CONNECTION_RESET,
				 "sync event %s: the exporter of the event stopped it or ended; "
				 "destroy the event and import a new one",
				 what);
	return error_set(DOCA_ERROR_CONNECTION_RESET,
			 "sync event %s: the exporter of the event is not reached: %s; %sdestroy "
			 "the event and import it again",
			 what, far_reason(far), far_is_untried(far) ? "try again, or " : "");
}

static uint64_t *slot_word(struct sync_far *far, const struct far_slot *slot)
{
	return &far->words[slot - far->slots];
}

/* Posts a request. Returns AGAIN, with the slot still free, if it must be posted later. */
static doca_error_t far_post(struct sync_far *far, enum rdma_op op, uint64_t value,
			     struct sync_task *t)
{
	struct far_slot *slot = far->free;
	doca_error_t result;

	if (op == RDMA_FETCH_ADD && !far->requester->limits.has_atomics)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "sync event add: %s has no atomic requests, by which the counter "
				 "of another machine is added to; set it, or use another device",
				 far->import->dev->info->name);
	if (slot == NULL)
		return DOCA_ERROR_AGAIN;
	*slot_word(far, slot) = op == RDMA_WRITE ? value : 0;
	slot->sge = (struct rdma_sge){
		.addr = (uint8_t *)slot_word(far, slot),
		.len = sizeof(uint64_t),
		.mmap = far->mmap,
	};
	slot->wr = (struct rdma_wr){
		.qp = far->peer->qp,
		.op = op,
		.n_sges = 1,
		.sges = &slot->sge,
		.value = value,
		.remote_event = (struct sync_import *)far->import,
	};
	slot->t = t;
	result = far->requester->ops->post(far->peer->qp, &slot->wr);
	if (result != DOCA_SUCCESS)
		return result;
	far->free = slot->next;
	far->n_out++;
	return DOCA_SUCCESS;
}

/* Returns a completed slot, which is free again, with the value that it read; or NULL. */
static struct far_slot *far_take(struct sync_far *far)
{
	struct rdma_wr *wr = far->requester->ops->poll(far->requester->domain);
	struct far_slot *slot;

	if (wr == NULL)
		return NULL;
	slot = container_of(wr, struct far_slot, wr);
	slot->next = far->free;
	far->free = slot;
	far->n_out--;
	return slot;
}

/* --- synchronous calls --- */

static void far_watch(struct sync_far *far)
{
	int fds[REQUESTER_FDS];
	size_t n = requester_fds(far->requester, fds);

	far->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	/* Edge-triggered and not read, because the descriptors are shared. Without them, the sleep
	 * ends after FAR_SLEEP_MS. */
	for (size_t i = 0; i < n && far->epoll_fd >= 0; i++) {
		struct epoll_event event = {.events = EPOLLIN | EPOLLET};

		(void)epoll_ctl(far->epoll_fd, EPOLL_CTL_ADD, fds[i], &event);
	}
}

static void far_sleep(struct sync_far *far)
{
	struct epoll_event event;
	int saved = errno;

	if (far->epoll_fd < 0)
		far_watch(far);
	if (!requester_arm(far->requester) && far->epoll_fd >= 0)
		(void)epoll_wait(far->epoll_fd, &event, 1, FAR_SLEEP_MS);
	requester_disarm(far->requester);
	errno = saved;
}

static void far_await(struct sync_far *far, uint32_t *n_polls)
{
	if (!requester_poll(far->requester) && ++*n_polls > FAR_POLLS)
		far_sleep(far);
}

static doca_error_t far_run(struct sync_far *far, enum rdma_op op, uint64_t value,
			    uint64_t *word_out, const char *what)
{
	struct far_slot *slot;
	uint32_t n_polls = 0;
	doca_error_t result;

	if (unlikely(!far_is_ours(far)))
		return far_is_foreign(what);
	if (unlikely(far_is_untried(far)))
		(void)far_call(far);
	while (requester_is_calling(far->peer))
		far_await(far, &n_polls);
	if (far->peer->state == REQUESTER_FAILED || !far_is_alive(far))
		return far_is_lost(far, what);
	far->was_up = true;
	result = far_post(far, op, value, NULL);
	if (result != DOCA_SUCCESS)
		return result;
	for (n_polls = 0; (slot = far_take(far)) == NULL;)
		far_await(far, &n_polls);
	if (slot->wr.status != DOCA_SUCCESS) {
		/* Fetches the reason, as far as the daemons report it. */
		(void)requester_poll(far->requester);
		return far_is_lost(far, what);
	}
	*word_out = *slot_word(far, slot);
	return DOCA_SUCCESS;
}

doca_error_t sync_far_get(struct sync_far *far, uint64_t *value_out, const char *what)
{
	return far_run(far, RDMA_READ, 0, value_out, what);
}

doca_error_t sync_far_set(struct sync_far *far, uint64_t value, const char *what)
{
	uint64_t written;

	return far_run(far, RDMA_WRITE, value, &written, what);
}

doca_error_t sync_far_add(struct sync_far *far, uint64_t value, uint64_t *fetched_out,
			  const char *what)
{
	return far_run(far, RDMA_FETCH_ADD, value, fetched_out, what);
}

doca_error_t sync_far_wait(struct sync_far *far, enum sync_cond cond, uint64_t value, uint64_t mask,
			   bool rests, const char *what)
{
	bool is_relayed = far->import->is_relayed;
	struct timespec rest = {.tv_nsec = is_relayed ? RELAY_REST_MIN_NS : FAR_REST_MIN_NS};
	long rest_max = is_relayed ? RELAY_REST_MAX_NS : FAR_REST_MAX_NS;
	uint64_t counter = 0;
	doca_error_t result;

	for (;;) {
		result = far_run(far, RDMA_READ, 0, &counter, what);
		if (result != DOCA_SUCCESS || sync_is_met(cond, counter, value, mask))
			return result;
		if (!rests && !is_relayed)
			continue;
		nanosleep(&rest, NULL);
		rest.tv_nsec = MIN(2 * rest.tv_nsec, rest_max);
	}
}

/* --- tasks --- */

static void task_over(struct doca_sync_event *event, struct sync_task *t, doca_error_t status)
{
	t->task.status = status;
	list_append(&event->ready, &t->node);
}

static void tasks_over(struct doca_sync_event *event, struct list *tasks, doca_error_t status)
{
	struct sync_task *t, *tmp;

	list_for_each_safe(t, tmp, tasks, node)
	{
		list_remove(&t->node);
		task_over(event, t, status);
	}
}

static doca_error_t task_post(struct sync_far *far, struct sync_task *t)
{
	return far_post(far, t->op, t->value, t);
}

static void waits_look(struct doca_sync_event *event, uint64_t counter)
{
	struct sync_task *t, *tmp;

	list_for_each_safe(t, tmp, &event->held, node)
	{
		if (!sync_is_met(t->cond, counter, t->value, t->mask))
			continue;
		list_remove(&t->node);
		task_over(event, t, DOCA_SUCCESS);
	}
}

/* Computes when the next read is due. */
static void far_looked(struct sync_far *far)
{
	if (!far->import->is_relayed)
		far->check_ns = FAR_LOOK_NS;
	else
		far->check_ns = MIN(MAX(2 * far->check_ns, (uint64_t)RELAY_REST_MIN_NS),
				    (uint64_t)RELAY_REST_MAX_NS);
	far->next_look_ns = clock_now_ns() + far->check_ns;
}

static void slot_done(struct doca_sync_event *event, const struct far_slot *slot)
{
	struct sync_far *far = event->far;
	doca_error_t status = slot->wr.status;
	uint64_t word = *slot_word(far, slot);

	if (status != DOCA_SUCCESS) {
		(void)requester_poll(far->requester);
		status = far->is_ended ? DOCA_ERROR_SHUTDOWN : far_is_lost(far, "task");
	}
	if (slot->t != NULL) {
		if (status == DOCA_SUCCESS && slot->wr.op != RDMA_WRITE)
			*slot->t->where = word;
		task_over(event, slot->t, status);
		return;
	}
	far->is_looking = false;
	far_looked(far);
	if (status == DOCA_SUCCESS)
		waits_look(event, word);
	else
		tasks_over(event, &event->held, status);
}

static void far_look(struct doca_sync_event *event)
{
	struct sync_far *far = event->far;
	doca_error_t result;

	if (list_is_empty(&event->held) || far->is_looking || clock_now_ns() < far->next_look_ns)
		return;
	result = far_post(far, RDMA_READ, 0, NULL);
	far->is_looking = result == DOCA_SUCCESS;
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN)
		tasks_over(event, &event->held, result);
}

/* Returns the error for tasks that wait for a connection. */
static doca_error_t far_is_over(const struct sync_far *far)
{
	doca_error_t refusal = far->peer->refusal;

	if (!far_is_untried(far))
		return far_is_lost(far, "task");
	if (refusal == DOCA_SUCCESS || is_unreached(refusal))
		refusal = DOCA_ERROR_CONNECTION_RESET;
	return error_set(refusal,
			 "sync event task: the exporter of the event is not reached: %s; submit "
			 "again, or destroy the event and import it again",
			 far->peer->reason);
}

/* Calls the process again, unless tasks have waited for the call that was not made: those fail. */
static void far_call_anew(struct doca_sync_event *event)
{
	struct sync_far *far = event->far;

	if (unlikely(far->peer->state == REQUESTER_FAILED) && far_is_untried(far) &&
	    list_is_empty(&far->due) && list_is_empty(&event->held))
		(void)far_call(far);
}

/* Posts as many requests as possible, and completes tasks that can never be posted. */
static void far_pump(struct doca_sync_event *event)
{
	struct sync_far *far = event->far;
	struct sync_task *t, *tmp;
	doca_error_t result;

	if (list_is_empty(&far->due) && list_is_empty(&event->held))
		return;
	if (far->peer->state == REQUESTER_FAILED || !far_is_alive(far)) {
		result = far_is_over(far);
		tasks_over(event, &far->due, result);
		/* The result of a read in progress still counts. */
		if (!far->is_looking)
			tasks_over(event, &event->held, result);
		return;
	}
	if (requester_is_calling(far->peer))
		return;
	far->was_up = true;
	/* Comes first: it uses one slot at intervals; due tasks could use all slots forever. */
	far_look(event);
	list_for_each_safe(t, tmp, &far->due, node)
	{
		result = task_post(far, t);
		if (result == DOCA_ERROR_AGAIN)
			return;
		list_remove(&t->node);
		if (result != DOCA_SUCCESS)
			task_over(event, t, result);
	}
}

/* The task is held from here on: it completes only in progress that reports so. */
static doca_error_t far_submit(struct doca_task *task, uint32_t flags, enum rdma_op op)
{
	struct doca_sync_event *event = event_of(task->ctx);
	struct sync_task *t = sync_task_of(task);
	doca_error_t result;

	if (unlikely(!far_is_ours(event->far)))
		return far_is_foreign("task");
	result = sync_task_check(task, op != RDMA_READ, op != RDMA_WRITE);
	task_hold(task);
	t->op = op;
	if (result == DOCA_SUCCESS) {
		far_call_anew(event);
		list_append(&event->far->due, &t->node);
		far_pump(event);
	} else {
		task_over(event, t, result);
	}
	/* If the process is to be called again, progress does so. */
	if (event->ctx.pe->armed &&
	    (!list_is_empty(&event->ready) || requester_is_calling(event->far->peer)))
		pe_ring(event->ctx.pe);
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		doca_ctx_flush_tasks(&event->ctx);
	return DOCA_SUCCESS;
}

static doca_error_t get_submit(struct doca_task *task, uint32_t flags)
{
	return far_submit(task, flags, RDMA_READ);
}

static doca_error_t set_submit(struct doca_task *task, uint32_t flags)
{
	return far_submit(task, flags, RDMA_WRITE);
}

static doca_error_t add_submit(struct doca_task *task, uint32_t flags)
{
	return far_submit(task, flags, RDMA_FETCH_ADD);
}

static doca_error_t wait_submit(struct doca_task *task, uint32_t flags)
{
	struct doca_sync_event *event = event_of(task->ctx);

	if (unlikely(!far_is_ours(event->far)))
		return far_is_foreign("task");
	ctx_count_wait(&event->ctx);
	task_hold(task);
	far_call_anew(event);
	list_append(&event->held, &sync_task_of(task)->node);
	event->far->next_look_ns = event->far->check_ns = 0;
	if (event->ctx.pe->armed)
		pe_ring(event->ctx.pe);
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		doca_ctx_flush_tasks(&event->ctx);
	return DOCA_SUCCESS;
}

/* --- context --- */

static uint8_t far_poll(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);
	struct far_slot *slot;
	struct sync_task *t;

	while ((slot = far_take(event->far)) != NULL)
		slot_done(event, slot);
	(void)requester_poll(event->far->requester);
	far_pump(event);
	if (list_is_empty(&event->ready))
		return 0;
	t = list_entry(event->ready.next, struct sync_task, node);
	list_remove(&t->node);
	task_finish(&t->task, t->task.status);
	return 1;
}

static bool far_arm(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);
	struct sync_far *far = event->far;

	if (!list_is_empty(&event->ready) || requester_arm(far->requester))
		return true;
	/* A waiting context reads the counter itself, and thereby checks the exporter. While the
	 * process is being called, the requester wakes the user: by the reply, and at intervals. */
	if (!list_is_empty(&event->held) && !far->is_looking && !requester_is_calling(far->peer))
		sync_timer_set(event, MAX(far->check_ns, (uint64_t)SYNC_RECHECK_NS));
	return false;
}

static void far_disarm(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);

	sync_timer_set(event, 0);
	requester_disarm(event->far->requester);
}

static void bells_close(struct doca_sync_event *event)
{
	int fds[REQUESTER_FDS];
	size_t n = requester_fds(event->far->requester, fds);

	while (n-- > 0)
		pe_remove_eventfd(event->ctx.pe, fds[n]);
	sync_timer_close(event);
}

static int bell_change(void *user, int fd, bool is_there)
{
	struct doca_pe *pe = ((struct doca_sync_event *)user)->ctx.pe;

	if (is_there)
		return pe_add_shared_fd(pe, fd);
	pe_remove_eventfd(pe, fd);
	return 0;
}

/* Watches the descriptors that the requester has now. The requester reports those that it opens
 * later. */
static doca_error_t bells_open(struct doca_sync_event *event)
{
	int fds[REQUESTER_FDS], r = sync_timer_open(event);
	size_t n = requester_fds(event->far->requester, fds);

	for (size_t i = 0; i < n && r == 0; i++)
		r = pe_add_shared_fd(event->ctx.pe, fds[i]);
	event->far->requester->watch = bell_change;
	event->far->requester->user = event;
	if (r == 0)
		return DOCA_SUCCESS;
	bells_close(event);
	return error_set(error_from_errno(r),
			 "sync event start: no descriptor to be woken by (error %d); raise "
			 "RLIMIT_NOFILE",
			 -r);
}

static doca_error_t far_start(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);
	doca_error_t result = sync_event_open(event, "ctx start", true);

	if (result != DOCA_SUCCESS)
		return result;
	result = sync_pools_check(event, sync_event_dev(event));
	if (result == DOCA_SUCCESS)
		result = bells_open(event);
	if (result != DOCA_SUCCESS) {
		sync_event_close(event);
		return result;
	}
	result = far_call(event->far);
	if (result != DOCA_SUCCESS) {
		bells_close(event);
		sync_event_close(event);
		return result;
	}
	event->state = SYNC_STARTED_CTX;
	ctx_set_polled(ctx, true);
	return DOCA_SUCCESS;
}

/* Stops the context. The end of the queue pair returns posted requests. */
static void far_stop(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);

	event->far->is_ended = true;
	tasks_over(event, &event->far->due, DOCA_ERROR_SHUTDOWN);
	tasks_over(event, &event->held, DOCA_ERROR_SHUTDOWN);
	requester_disconnect(event->far->requester);
}

static bool far_stopped(const struct doca_ctx *ctx)
{
	return event_of(ctx)->far->n_out == 0;
}

static void far_release(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_of(ctx);

	ctx_set_polled(ctx, false);
	bells_close(event);
	sync_event_close(event);
	event->state = SYNC_OVER;
}

static const struct ctx_ops far_ops = {
	.name = "sync event",
	.counted_as = COUNTERS_SYNC_EVENT,
	.start = far_start,
	.stop = far_stop,
	.stopped = far_stopped,
	.release = far_release,
	.poll = far_poll,
	.arm = far_arm,
	.disarm = far_disarm,
};

void sync_far_ctx_init(struct doca_sync_event *event)
{
	struct task_pool *pools = event->pools;

	event->ctx.ops = &far_ops;
	pools[SYNC_TASK_GET].submit = get_submit;
	pools[SYNC_TASK_SET].submit = set_submit;
	pools[SYNC_TASK_ADD].submit = add_submit;
	for (int i = SYNC_TASK_EQ; i <= SYNC_TASK_GT; i++)
		pools[i].submit = wait_submit;
}
