/*
 * Posted copies, see client/engine/dma_post.h. Tasks wait in the order in which they came; some of
 * them are active, with a cursor each that says how far their requests go. A request moves one
 * contiguous piece of the peer's memory and as many pieces of ours as fit. When all requests of a
 * copy are back it ends, with the first failure if there was one.
 *
 * Memory is reached by an RDMA device, or by relay: a requester of its own for each, made when it
 * is first needed.
 *
 * One from one buffer to another is posted as soon as it is taken off the engine's queue, unless
 * others wait: it need not wait for the pollers, but first hears all that they would.
 *
 * Of a context that is ordered, copies end in the order in which they came, and one that needs no
 * request waits, too, until those before it have ended. Of any context so does one whose
 * destination is that of a posted copy, for where it appends depends on whether that succeeds.
 * Threads: those of the progress engine.
 */
#include "client/engine/dma_post.h"

#include <stdlib.h>
#include <string.h>

#include "client/core/error.h"
#include "client/core/requester.h"
#include "client/engine/dma_remote.h"

#define POST_COPIES 64u /* active at a time */
#define POST_WRS    128u
#define POST_SGES   16u
#define POST_QUEUE  64u /* requests of one queue pair */
/* Longer pieces are cut: others are not to wait for all of them. */
#define POST_BYTES (4u << 20)

struct post_copy {
	struct post_copy *next; /* active, or free */
	struct dma_task *t;     /* NULL: free */
	const struct doca_buf *src;
	struct doca_buf *dst;
	size_t src_at, dst_at; /* of the next request: in the data, in the room behind it */
	size_t left;           /* bytes without a request yet */
	uint32_t n_out;        /* requests that are not back */
	uint32_t n_calls;      /* of its peer, when it began to wait for that */
	bool is_write;         /* ours -> peer */
	doca_error_t status;
};

struct post_wr {
	struct rdma_wr wr;
	struct post_wr *next; /* free */
	struct post_copy *copy;
	struct requester_peer *peer;
	struct rdma_sge sges[POST_SGES];
};

enum { BY_DEVICE, BY_RELAY, N_WAYS };

struct dma_post {
	struct requester *requesters[N_WAYS]; /* or NULL */
	struct doca_task *waiting, **waiting_tail;
	struct post_copy *active, **active_tail;
	struct post_copy *free_copies;
	struct post_wr *free_wrs;
	uint32_t n_active;
	bool is_due;   /* something may go on */
	bool has_rest; /* something active may have bytes without a request */
	bool is_ordered;
	bool is_ended; /* the context stops */
	struct post_copy copies[POST_COPIES];
	struct post_wr wrs[POST_WRS];
};

/* --- life --- */

static int post_watch_again(void *user, int fd, bool is_there)
{
	struct doca_pe *pe = ((struct doca_dma *)user)->ctx.pe;

	if (is_there)
		return pe_add_shared_fd(pe, fd);
	pe_remove_eventfd(pe, fd);
	return 0;
}

static doca_error_t post_watch(struct doca_dma *dma, const struct requester *requester)
{
	int fds[REQUESTER_FDS];
	size_t n = requester_fds(requester, fds);

	for (size_t i = 0; i < n; i++) {
		int r = pe_add_shared_fd(dma->ctx.pe, fds[i]);

		if (r == 0)
			continue;
		while (i-- > 0)
			pe_remove_eventfd(dma->ctx.pe, fds[i]);
		return error_set(
			error_from_errno(r),
			"dma memcpy: a descriptor of the way to the memory cannot be watched "
			"(error %d)",
			-r);
	}
	return DOCA_SUCCESS;
}

static doca_error_t post_open(struct doca_dma *dma)
{
	struct dma_post *post = calloc(1, sizeof(*post));

	if (post == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "dma memcpy: out of memory");
	post->is_ordered = dma->is_ordered;
	post->waiting_tail = &post->waiting;
	post->active_tail = &post->active;
	for (size_t i = 0; i < POST_COPIES; i++) {
		post->copies[i].next = post->free_copies;
		post->free_copies = &post->copies[i];
	}
	for (size_t i = 0; i < POST_WRS; i++) {
		post->wrs[i].wr = (struct rdma_wr){.sges = post->wrs[i].sges, .is_copy = true};
		post->wrs[i].next = post->free_wrs;
		post->free_wrs = &post->wrs[i];
	}
	dma->post = post;
	ctx_set_polled(&dma->ctx, true);
	return DOCA_SUCCESS;
}

/* How the memory is reached; a sentence on failure. */
static doca_error_t post_open_way(struct doca_dma *dma, bool relays)
{
	struct requester **at = &dma->post->requesters[relays ? BY_RELAY : BY_DEVICE];
	struct requester *requester;
	doca_error_t result;

	if (*at != NULL)
		return DOCA_SUCCESS;
	result = requester_open_soon(dma->ctx.dev, relays, POST_QUEUE, POST_SGES, &requester);
	if (result != DOCA_SUCCESS)
		return result;
	result = post_watch(dma, requester);
	if (result != DOCA_SUCCESS) {
		requester_close(requester);
		return result;
	}
	requester->renews = relays;
	requester->watch = post_watch_again;
	requester->user = dma;
	*at = requester;
	return DOCA_SUCCESS;
}

static void post_close_way(struct doca_dma *dma, struct requester *requester)
{
	int fds[REQUESTER_FDS];
	size_t n = requester_fds(requester, fds);

	for (size_t i = 0; i < n; i++)
		pe_remove_eventfd(dma->ctx.pe, fds[i]);
	requester_close(requester);
}

void dma_post_close(struct doca_dma *dma)
{
	struct dma_post *post = dma->post;

	if (post == NULL)
		return;
	ctx_set_polled(&dma->ctx, false);
	for (size_t i = 0; i < N_WAYS; i++) {
		if (post->requesters[i] != NULL)
			post_close_way(dma, post->requesters[i]);
	}
	free(post);
	dma->post = NULL;
}

/* --- requests --- */

/* What the next piece is cut from. */
struct piece {
	const struct doca_buf *buf;
	size_t at, len;
};

/*
 * Behind the empty ones; of no buffer when there are no more. The sum of lengths was checked, but a
 * copy of another context may have changed a buffer that it shares with this one.
 */
static struct piece next_data(const struct doca_buf *buf, size_t at)
{
	while (buf != NULL && at >= buf->data_len) {
		buf = buf->next;
		at = 0;
	}
	return (struct piece){.buf = buf, .at = at, .len = buf == NULL ? 0 : buf->data_len - at};
}

static struct piece next_room(const struct doca_buf *buf, size_t at)
{
	while (buf != NULL && at >= buf_tail_room(buf)) {
		buf = buf->next;
		at = 0;
	}
	return (struct piece){
		.buf = buf, .at = at, .len = buf == NULL ? 0 : buf_tail_room(buf) - at};
}

static uint8_t *data_addr(const struct piece *piece)
{
	return piece->buf->data + piece->at;
}

static uint8_t *room_addr(const struct piece *piece)
{
	return piece->buf->data + piece->buf->data_len + piece->at;
}

/* Ours, from the cursor on. Returns the bytes; the cursor moves. */
static size_t gather(struct post_copy *copy, struct post_wr *w, uint32_t max_sges, size_t max_len)
{
	size_t len = 0;

	w->wr.n_sges = 0;
	while (len < max_len && w->wr.n_sges < max_sges) {
		struct piece piece = copy->is_write ? next_data(copy->src, copy->src_at)
						    : next_room(copy->dst, copy->dst_at);
		uint8_t *addr;

		if (unlikely(piece.buf == NULL))
			break;
		addr = copy->is_write ? data_addr(&piece) : room_addr(&piece);
		piece.len = MIN(piece.len, max_len - len);
		w->sges[w->wr.n_sges++] = (struct rdma_sge){.addr = addr + piece.buf->mmap->delta,
							    .len = piece.len,
							    .mmap = piece.buf->mmap};
		if (copy->is_write) {
			copy->src = piece.buf;
			copy->src_at = piece.at + piece.len;
		} else {
			copy->dst = (struct doca_buf *)piece.buf;
			copy->dst_at = piece.at + piece.len;
		}
		len += piece.len;
	}
	return len;
}

static inline size_t request_max(const struct requester *requester)
{
	return MIN((size_t)requester->limits.max_message, (size_t)POST_BYTES);
}

/* The next request of the copy; the cursor moves. */
static void request_fill(const struct requester *requester, struct post_copy *copy,
			 const struct piece *far, struct post_wr *w)
{
	size_t max = MIN(MIN(far->len, copy->left), request_max(requester)), len;

	w->wr.op = copy->is_write ? RDMA_WRITE : RDMA_READ;
	w->wr.remote_addr = (uintptr_t)(copy->is_write ? room_addr(far) : data_addr(far));
	w->wr.remote_mmap = far->buf->mmap;
	len = gather(copy, w, requester->conf.max_send_sges, max);
	if (copy->is_write) {
		copy->dst = (struct doca_buf *)far->buf;
		copy->dst_at = far->at + len;
	} else {
		copy->src = far->buf;
		copy->src_at = far->at + len;
	}
	copy->left -= len;
}

enum step { STEP_ON, STEP_WAIT, STEP_OVER };

static enum step copy_fail(struct post_copy *copy, doca_error_t status)
{
	if (copy->status == DOCA_SUCCESS)
		copy->status = status;
	copy->left = 0;
	return STEP_OVER;
}

static struct requester *requester_of(const struct dma_post *post, const struct doca_mmap *mmap)
{
	return post->requesters[mmap->region.ops->is_relayed ? BY_RELAY : BY_DEVICE];
}

/* Who was alive a moment ago and is not any more is lost, as for those that were connected. */
static doca_error_t not_called(doca_error_t result)
{
	if (result == DOCA_ERROR_CONNECTION_RESET)
		return error_set(DOCA_ERROR_IO_FAILED,
				 "dma memcpy: the daemon that imported the memory was replaced "
				 "since by one that knows nothing of it; import the memory again");
	if (result != DOCA_ERROR_NOT_FOUND && result != DOCA_ERROR_CONNECTION_ABORTED &&
	    result != DOCA_ERROR_NOT_CONNECTED && result != DOCA_ERROR_TIME_OUT)
		return result;
	return error_set(DOCA_ERROR_IO_FAILED,
			 "dma memcpy: the exporter of the memory is not reached: it has ended, or "
			 "one of the daemons");
}

static doca_error_t changed_meanwhile(void)
{
	return error_set(DOCA_ERROR_IO_FAILED,
			 "dma memcpy: the source or the destination changed while it was copied; a "
			 "buffer is used by the copies of one context at a time");
}

/* Who has the memory, in STEP_ON: a request can be posted to it. */
static inline enum step peer_find(struct requester *requester, struct post_copy *copy,
				  const struct doca_mmap *far, struct requester_peer **peer_out)
{
	const struct requester_goal goal = {
		.daemon_id = far->exporter_daemon,
		.agent_id = far->agent_id,
		.import_id = far->import_id,
		.import_daemon = far->import_daemon,
		.is_pci = far->relay_pci,
		.n_calls = copy->n_calls,
	};
	struct requester_peer *peer;
	doca_error_t result = requester_find(requester, &goal, &peer);

	if (unlikely(result != DOCA_SUCCESS))
		return copy_fail(copy, not_called(result));
	*peer_out = peer;
	if (likely(peer->state == REQUESTER_READY))
		return STEP_ON;
	if (peer->state == REQUESTER_CALLING) {
		copy->n_calls = peer->n_calls;
		return STEP_WAIT;
	}
	if (peer->refusal != DOCA_SUCCESS)
		return copy_fail(copy, not_called(error_note(peer->refusal, "%s", peer->reason)));
	result = error_set(DOCA_ERROR_IO_FAILED,
			   "dma memcpy: the exporter of the memory is not reached: %s",
			   peer->reason);
	return copy_fail(copy, result);
}

/* The first of post->free_wrs. STEP_ON: it is posted; STEP_WAIT: it is not. */
static inline enum step request_post(struct dma_post *post, struct post_copy *copy,
				     const struct requester *requester, struct requester_peer *peer)
{
	struct post_wr *w = post->free_wrs;
	doca_error_t result = requester->ops->post(peer->qp, &w->wr);

	if (unlikely(result != DOCA_SUCCESS))
		return result == DOCA_ERROR_AGAIN ? STEP_WAIT : copy_fail(copy, result);
	post->free_wrs = w->next;
	w->copy = copy;
	w->peer = peer;
	peer->n_posted++;
	copy->n_out++;
	return STEP_ON;
}

/* One request, if it can be posted. */
static enum step copy_step(struct dma_post *post, struct post_copy *copy)
{
	struct piece far = copy->is_write ? next_room(copy->dst, copy->dst_at)
					  : next_data(copy->src, copy->src_at);
	struct post_copy before = *copy;
	struct post_wr *w = post->free_wrs;
	struct requester *requester;
	struct requester_peer *peer;
	enum step step;

	if (w == NULL)
		return STEP_WAIT;
	if (unlikely(far.buf == NULL))
		return copy_fail(copy, changed_meanwhile());
	requester = requester_of(post, far.buf->mmap);
	step = peer_find(requester, copy, far.buf->mmap, &peer);
	if (step != STEP_ON)
		return step;
	request_fill(requester, copy, &far, w);
	if (unlikely(w->wr.n_sges == 0))
		return copy_fail(copy, changed_meanwhile());
	step = request_post(post, copy, requester, peer);
	if (step == STEP_WAIT)
		*copy = before;
	return step == STEP_ON && copy->left == 0 ? STEP_OVER : step;
}

/* All of a copy from one buffer to another, nothing of which is posted yet; or nothing. */
static inline void copy_post_whole(struct dma_post *post, struct post_copy *copy)
{
	const struct doca_buf *src = copy->src, *dst = copy->dst;
	const struct doca_buf *far = copy->is_write ? dst : src, *near = copy->is_write ? src : dst;
	struct requester *requester = requester_of(post, far->mmap);
	struct post_wr *w = post->free_wrs;
	struct requester_peer *peer;
	uint8_t *from = src->data, *to = dst->data + dst->data_len;

	if (unlikely(w == NULL || copy->left > request_max(requester)) ||
	    unlikely(peer_find(requester, copy, far->mmap, &peer) != STEP_ON))
		return;
	w->sges[0] = (struct rdma_sge){.addr = (copy->is_write ? from : to) + near->mmap->delta,
				       .len = copy->left,
				       .mmap = near->mmap};
	w->wr.n_sges = 1;
	w->wr.op = copy->is_write ? RDMA_WRITE : RDMA_READ;
	w->wr.remote_addr = (uintptr_t)(copy->is_write ? to : from);
	w->wr.remote_mmap = far->mmap;
	if (likely(request_post(post, copy, requester, peer) == STEP_ON))
		copy->left = 0;
}

/* --- copies --- */

static bool list_is(const struct doca_buf *list, bool is_posted)
{
	const struct doca_buf *pos;

	BUF_FOR_EACH(pos, list)
	{
		if (is_posted ? !pos->mmap->is_posted : !pos->mmap->direct)
			return false;
	}
	return true;
}

/* All of one side by requests, all of the other mapped here. */
static bool is_postable(const struct dma_task *t)
{
	bool is_write = t->dst->mmap->is_posted;

	return list_is(t->src, !is_write) && list_is(t->dst, is_write);
}

static doca_error_t refuse_mixed(void)
{
	return error_set(
		DOCA_ERROR_NOT_SUPPORTED,
		"dma memcpy: memory that an RDMA device reaches, or the daemons' relay, is "
		"copied from and to memory of this process only, and no list mixes the "
		"two; copy in two steps");
}

/* All that the requests of a copy go by. A sentence on failure. */
static doca_error_t post_open_ways(struct doca_dma *dma, const struct dma_task *t)
{
	const struct doca_buf *pos;
	doca_error_t result = DOCA_SUCCESS;

	BUF_FOR_EACH(pos, t->dst->mmap->is_posted ? t->dst : t->src)
	{
		if (result == DOCA_SUCCESS && pos->mmap->is_posted)
			result = post_open_way(dma, pos->mmap->region.ops->is_relayed);
	}
	return result;
}

/* It becomes active. */
static inline struct post_copy *copy_take(struct dma_post *post, struct dma_task *t)
{
	struct post_copy *copy = post->free_copies;

	post->free_copies = copy->next;
	*copy = (struct post_copy){.t = t, .src = t->src, .dst = t->dst};
	buf_claim(t->dst, 1);
	*post->active_tail = copy;
	post->active_tail = &copy->next;
	post->n_active++;
	dma_of(t->task.ctx)->fast_max = 0;
	return copy;
}

static void copy_begin(struct dma_post *post, struct dma_task *t)
{
	struct post_copy *copy = copy_take(post, t);
	struct doca_buf *pos;
	doca_error_t result;

	if (dma_task_overwrites(t)) {
		BUF_FOR_EACH(pos, t->dst) pos->data_len = 0;
	}
	/* Things may have changed while it waited, and behind others it was not looked at yet. */
	if (!dma_task_is_sound(t)) {
		copy_fail(copy, error_set(DOCA_ERROR_IO_FAILED,
					  "dma memcpy: source or destination is not sound, or "
					  "changed while the task waited for an earlier one, or "
					  "the exporter has ended"));
	} else if (!is_postable(t)) {
		copy_fail(copy, refuse_mixed());
	} else if ((result = post_open_ways(dma_of(t->task.ctx), t)) != DOCA_SUCCESS) {
		copy_fail(copy, result);
	} else {
		copy->is_write = t->dst->mmap->is_posted;
		copy->left = dma_src_len(t);
	}
}

static void copy_remove(struct dma_post *post, struct post_copy *copy)
{
	struct post_copy **at = &post->active;

	while (*at != copy)
		at = &(*at)->next;
	*at = copy->next;
	if (*at == NULL)
		post->active_tail = at;
	if (--post->n_active == 0)
		dma_of(copy->t->task.ctx)->fast_max = dma_of(copy->t->task.ctx)->max_buf_size;
	copy->t = NULL;
	copy->next = post->free_copies;
	post->free_copies = copy;
}

/* The task ends; the application is called back, and the context may be gone then. */
static void copy_end(struct dma_post *post, struct post_copy *copy)
{
	struct dma_task *t = copy->t;
	doca_error_t status = copy->status;

	buf_claim(t->dst, 0);
	if (status == DOCA_SUCCESS)
		dma_task_copied(t);
	else if (post->is_ended && status == DOCA_ERROR_CONNECTION_RESET)
		status = DOCA_ERROR_SHUTDOWN;
	copy_remove(post, copy);
	post->is_due = true;
	task_finish(&t->task, status);
}

/* What a request came back with is what the contract of a copy knows. */
static doca_error_t request_failed(const struct rdma_wr *wr)
{
	const char *who = wr->remote_mmap->region.ops->is_relayed ? "process" : "RDMA device";

	if (wr->status == DOCA_ERROR_CONNECTION_RESET)
		error_set(DOCA_ERROR_IO_FAILED,
			  "dma memcpy: the exporter of the memory is not reached any more: its "
			  "process has ended, or the network to it is cut");
	else if (wr->status == DOCA_ERROR_CONNECTION_ABORTED)
		error_set(DOCA_ERROR_IO_FAILED,
			  "dma memcpy: a daemon was restarted before the bytes that were read had "
			  "come, and a later copy has written there since; copy again");
	else
		error_set(DOCA_ERROR_IO_FAILED,
			  "dma memcpy: the exporter's %s refused the request: the export has ended "
			  "or was revoked, or gives no right to it",
			  who);
	return DOCA_ERROR_IO_FAILED;
}

static struct post_copy *request_take(struct dma_post *post, struct rdma_wr *wr)
{
	struct post_wr *w = container_of(wr, struct post_wr, wr);
	struct post_copy *copy = w->copy;

	copy->n_out--;
	w->peer->n_posted--;
	if (unlikely(wr->status != DOCA_SUCCESS) && copy->status == DOCA_SUCCESS) {
		copy->status = post->is_ended ? DOCA_ERROR_CONNECTION_RESET : request_failed(wr);
		copy->left = 0;
	}
	w->next = post->free_wrs;
	post->free_wrs = w;
	post->is_due = true;
	return copy;
}

static struct doca_task *waiting_take(struct dma_post *post)
{
	struct doca_task *task = post->waiting;

	if (task == NULL)
		return NULL;
	post->waiting = task->next;
	if (post->waiting == NULL)
		post->waiting_tail = &post->waiting;
	return task;
}

/* The context stops: what has not begun ends. True if one did. */
static bool waiting_end(struct dma_post *post)
{
	struct doca_task *task = waiting_take(post);

	if (task == NULL)
		return false;
	post->is_due = true;
	task_finish(task, DOCA_ERROR_SHUTDOWN);
	return true;
}

static bool has_posted(const struct doca_buf *list)
{
	while (list != NULL && !list->mmap->is_posted)
		list = list->next;
	return list != NULL;
}

static bool needs_requests(const struct dma_task *t)
{
	return has_posted(t->src) || has_posted(t->dst);
}

/* The first that waits needs no request, and nothing is before it any more. True: it has ended. */
static bool waiting_copy(struct dma_post *post)
{
	struct dma_task *t = (struct dma_task *)(void *)post->waiting;

	if (t == NULL || post->n_active > 0 || post->is_ended || needs_requests(t))
		return false;
	waiting_take(post);
	post->is_due = true;
	task_finish(&t->task, dma_execute_late(&t->task));
	return true;
}

static void waiting_begin(struct dma_post *post)
{
	while (post->waiting != NULL && post->free_copies != NULL) {
		struct dma_task *t = (struct dma_task *)(void *)post->waiting;

		if (!needs_requests(t))
			return;
		if (buf_is_claimed(t->dst)) {
			/* By a copy of another context, whose end nobody tells. */
			post->is_due |= post->n_active == 0;
			return;
		}
		waiting_take(post);
		copy_begin(post, t);
	}
}

static bool may_end(const struct dma_post *post, const struct post_copy *copy)
{
	return copy->left == 0 && copy->n_out == 0 && (!post->is_ordered || copy == post->active);
}

/* Posts what can be posted. A copy that is over, if there is one. */
static struct post_copy *post_pump(struct dma_post *post)
{
	struct post_copy *copy;
	bool has_rest = false;

	post->is_due = false;
	post->has_rest = true;
	if (!post->is_ended)
		waiting_begin(post);
	for (copy = post->active; copy != NULL; copy = copy->next) {
		if (post->is_ended && copy->left > 0)
			copy_fail(copy, DOCA_ERROR_SHUTDOWN);
		while (copy->left > 0 && copy_step(post, copy) == STEP_ON)
			continue;
		if (may_end(post, copy))
			return copy;
		has_rest |= copy->left > 0;
	}
	post->has_rest = has_rest;
	return NULL;
}

bool dma_post_claims(const struct dma_post *post, const struct doca_buf *dst)
{
	return post->n_active > 0 && buf_is_claimed(dst);
}

doca_error_t dma_post_behind(struct doca_dma *dma, struct dma_task *t)
{
	t->task.next = NULL;
	*dma->post->waiting_tail = &t->task;
	dma->post->waiting_tail = &t->task.next;
	dma->post->is_due = true;
	return DOCA_ERROR_IN_PROGRESS;
}

/*
 * All that was told and done so far is known after this, so that nothing goes to what is lost. No
 * copy ends here, for that calls the application.
 */
static void post_hear(struct dma_post *post)
{
	for (size_t i = 0; i < N_WAYS; i++) {
		struct requester *requester = post->requesters[i];
		struct rdma_wr *wr;

		if (requester == NULL)
			continue;
		while (unlikely((wr = requester->ops->poll(requester->port)) != NULL))
			request_take(post, wr);
		post->is_due |= requester_attend(requester);
	}
}

/* Nothing waits that came before it, and nothing has to be made. */
static inline bool may_begin(const struct dma_post *post, const struct dma_task *t)
{
	const struct doca_mmap *far = (t->src->mmap->is_posted ? t->src : t->dst)->mmap;

	return post != NULL && post->waiting == NULL && !post->has_rest &&
	       post->free_copies != NULL && !t->dst->claimed && requester_of(post, far) != NULL;
}

doca_error_t dma_post_usual(struct doca_dma *dma, struct dma_task *t)
{
	struct dma_post *post = dma->post;
	struct post_copy *copy;

	if (unlikely(!may_begin(post, t)))
		return dma_post_execute(dma, t);
	post_hear(post);
	copy = copy_take(post, t);
	copy->is_write = t->dst->mmap->is_posted;
	copy->left = t->src->data_len;
	copy_post_whole(post, copy);
	/* What is not posted, or failed, is for the pollers' turn. */
	post->has_rest = copy->left > 0;
	post->is_due |= copy->n_out == 0;
	return DOCA_ERROR_IN_PROGRESS;
}

doca_error_t dma_post_execute(struct doca_dma *dma, struct dma_task *t)
{
	doca_error_t result;

	if (!is_postable(t))
		return refuse_mixed();
	if (dma->post == NULL) {
		result = post_open(dma);
		if (result != DOCA_SUCCESS)
			return result;
	}
	return dma_post_behind(dma, t);
}

/* --- progress --- */

/* A copy that is over, or NULL: nothing more has come. */
static struct post_copy *way_poll(struct dma_post *post, struct requester *requester)
{
	struct post_copy *copy;
	struct rdma_wr *wr;

	while ((wr = requester->ops->poll(requester->port)) != NULL) {
		copy = request_take(post, wr);
		if (may_end(post, copy))
			return copy;
	}
	post->is_due |= requester_attend(requester);
	return NULL;
}

uint8_t dma_post_poll(struct doca_ctx *ctx)
{
	struct dma_post *post = dma_of(ctx)->post;
	struct post_copy *copy = NULL;

	for (size_t i = 0; i < N_WAYS && copy == NULL; i++)
		copy = post->requesters[i] != NULL ? way_poll(post, post->requesters[i]) : NULL;
	if (copy == NULL && !post->is_due)
		return 0;
	if (copy == NULL)
		copy = post_pump(post);
	if (copy != NULL) {
		copy_end(post, copy);
		return 1;
	}
	return post->is_ended ? waiting_end(post) : waiting_copy(post);
}

bool dma_post_arm(struct doca_ctx *ctx)
{
	struct dma_post *post = dma_of(ctx)->post;
	bool has_news = post->is_due;

	for (size_t i = 0; i < N_WAYS && !has_news; i++)
		has_news = post->requesters[i] != NULL && requester_arm(post->requesters[i]);
	return has_news;
}

void dma_post_disarm(struct doca_ctx *ctx)
{
	struct dma_post *post = dma_of(ctx)->post;

	for (size_t i = 0; i < N_WAYS; i++) {
		if (post->requesters[i] != NULL)
			requester_disarm(post->requesters[i]);
	}
}

void dma_post_stop(struct dma_post *post)
{
	post->is_ended = post->is_due = true;
	for (size_t i = 0; i < N_WAYS; i++) {
		if (post->requesters[i] != NULL)
			requester_disconnect(post->requesters[i]);
	}
}

bool dma_post_is_idle(const struct dma_post *post)
{
	return post->n_active == 0 && post->waiting == NULL;
}
