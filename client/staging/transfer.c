/*
 * Transfers; see client/staging/transfer.h. A transfer is cut into requests, at most TRANSFER_WRS
 * at a time, each from or to one contiguous piece. After the first failure nothing more is posted,
 * and the transfer is done when all its requests have been returned. Threads: those of the progress
 * engine.
 */
#include "client/staging/transfer.h"

#include <errno.h>
#include <string.h>

#include "client/memory/buf_copy.h"
#include "client/rma/requester_error.h"

#define TRANSFER_QUEUE 16u        /* requests of one queue pair */
#define TRANSFER_BYTES (1u << 20) /* the longest request */

enum { BY_DEVICE, BY_RELAY };

bool transfer_is_needed(const struct doca_buf *list)
{
	const struct doca_buf *pos;

	BUF_FOR_EACH(pos, list)
	{
		if (pos->mmap->is_posted)
			return true;
	}
	return false;
}

void transfer_init(struct transfer *transfer, const char *name, struct doca_dev *dev,
		   struct doca_pe *pe)
{
	*transfer = (struct transfer){.name = name, .dev = dev, .pe = pe};
	for (size_t i = 0; i < TRANSFER_WRS; i++) {
		transfer->wrs[i].next = transfer->free;
		transfer->free = &transfer->wrs[i];
	}
}

bool transfer_has_paths(const struct transfer *transfer)
{
	for (size_t i = 0; i < TRANSFER_PATHS; i++) {
		if (transfer->requesters[i] != NULL)
			return true;
	}
	return false;
}

void transfer_deinit(struct transfer *transfer)
{
	for (size_t i = 0; i < TRANSFER_PATHS; i++) {
		requester_close(transfer->requesters[i]);
		transfer->requesters[i] = NULL;
	}
}

/* Records a failure, whose error sentence is that of this thread, and posts nothing more. */
static void transfer_fail(struct transfer *transfer, doca_error_t status)
{
	transfer->left = 0;
	if (transfer->status != DOCA_SUCCESS)
		return;
	transfer->status = status;
	error_save(&transfer->sentence);
}

static void transfer_begin(struct transfer *transfer, const struct doca_buf *list,
			   struct transfer_memory memory, bool is_write)
{
	transfer->buf = list;
	transfer->at = 0;
	transfer->mmap = memory.mmap;
	transfer->ours = memory.bytes;
	transfer->left = memory.len;
	transfer->is_write = is_write;
	transfer->n_calls = 0;
	transfer->status = DOCA_SUCCESS;
	transfer->must_step = true;
	if (transfer->is_ended)
		transfer_fail(transfer, DOCA_ERROR_SHUTDOWN);
}

void transfer_begin_read(struct transfer *transfer, const struct doca_buf *list,
			 struct transfer_memory memory)
{
	transfer_begin(transfer, list, memory, false);
}

void transfer_begin_write(struct transfer *transfer, const struct doca_buf *list,
			  struct transfer_memory memory)
{
	transfer_begin(transfer, list, memory, true);
}

static size_t span_of(const struct transfer *transfer, const struct doca_buf *buf)
{
	return transfer->is_write ? buf_tail_room(buf) : buf->data_len;
}

/* Moves the cursor to the next bytes. Returns false if the list has no more of them: the lengths
 * were checked, but another context may have changed a shared buffer. */
static bool cursor_settle(struct transfer *transfer)
{
	while (transfer->buf != NULL && transfer->at >= span_of(transfer, transfer->buf)) {
		transfer->buf = transfer->buf->next;
		transfer->at = 0;
	}
	return transfer->buf != NULL;
}

static void cursor_advance(struct transfer *transfer, size_t n)
{
	transfer->at += n;
	transfer->ours += n;
	transfer->left -= n;
}

static doca_error_t explain_errno(const struct transfer *transfer, int r)
{
	const char *name = transfer->name;

	if (r == -ESRCH)
		return error_set(DOCA_ERROR_IO_FAILED,
				 "%s: the process that exported the memory has ended", name);
	if (r == -EFAULT)
		return error_set(DOCA_ERROR_IO_FAILED,
				 "%s: part of the range is not mapped (any more) in the process "
				 "that owns it",
				 name);
	if (r == -EPERM)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "%s: the kernel refuses access to the exporter's memory", name);
	return error_set(DOCA_ERROR_IO_FAILED, "%s: the transfer failed: %s", name, strerror(-r));
}

/* Copies a piece of an element that needs no request, by a list of this element only. */
static void piece_copy(struct transfer *transfer, size_t n)
{
	struct doca_buf one = *transfer->buf;
	int r;

	one.next = NULL;
	if (transfer->is_write) {
		one.data_len += transfer->at;
		r = buf_copy_append(&one, transfer->ours, n);
	} else {
		one.data += transfer->at;
		one.data_len = n;
		r = buf_copy_from(&one, transfer->ours);
	}
	if (r == 0)
		cursor_advance(transfer, n);
	else
		transfer_fail(transfer, explain_errno(transfer, r));
}

/* Returns the path to the memory, or NULL after a failure. */
static struct requester *path_get(struct transfer *transfer, const struct doca_mmap *remote)
{
	bool relays = remote->region.ops->is_relayed;
	struct requester **at = &transfer->requesters[relays ? BY_RELAY : BY_DEVICE];
	doca_error_t result;

	if (*at != NULL)
		return *at;
	result = requester_open(transfer->dev, transfer->pe, relays, TRANSFER_QUEUE, 1, at);
	if (result != DOCA_SUCCESS) {
		*at = NULL;
		transfer_fail(transfer, result);
		return NULL;
	}
	(*at)->renews = relays;
	return *at;
}

/* Returns the peer that has the memory if a request can be posted to it. Otherwise returns NULL,
 * and the transfer has failed or waits for the peer. */
static struct requester_peer *peer_get(struct transfer *transfer, struct requester *requester)
{
	struct peer_address address = peer_address_of(transfer->buf->mmap);
	struct requester_peer *peer;
	doca_error_t result;

	address.n_calls = transfer->n_calls;
	result = requester_find(requester, &address, &peer);
	if (result != DOCA_SUCCESS) {
		transfer_fail(transfer, requester_explain_refusal(transfer->name, result));
		return NULL;
	}
	if (likely(peer->state == REQUESTER_READY)) {
		/* The next element may be memory of another peer, whose calls count anew. */
		transfer->n_calls = 0;
		return peer;
	}
	if (requester_is_calling(peer))
		transfer->n_calls = peer->n_calls;
	else
		transfer_fail(transfer, requester_explain_peer(transfer->name, peer));
	return NULL;
}

/* Posts one request. Returns false if nothing can be posted now. */
static bool piece_post(struct transfer *transfer, size_t n)
{
	const struct doca_buf *buf = transfer->buf;
	struct requester *requester = path_get(transfer, buf->mmap);
	struct requester_peer *peer = requester == NULL ? NULL : peer_get(transfer, requester);
	struct transfer_wr *w = transfer->free;
	doca_error_t result;

	if (peer == NULL || w == NULL)
		return false;
	n = MIN(n, MIN((size_t)requester->limits.max_message, (size_t)TRANSFER_BYTES));
	w->peer = peer;
	w->sge = (struct rdma_sge){.addr = transfer->ours, .len = n, .mmap = transfer->mmap};
	w->wr = (struct rdma_wr){
		.op = transfer->is_write ? RDMA_WRITE : RDMA_READ,
		.n_sges = 1,
		.sges = &w->sge,
		.remote_addr = (uintptr_t)buf->data + transfer->at +
			       (transfer->is_write ? buf->data_len : 0),
		.remote_mmap = buf->mmap,
		.is_copy = true,
	};
	result = requester->ops->post(peer->qp, &w->wr);
	if (result != DOCA_SUCCESS) {
		if (result != DOCA_ERROR_AGAIN)
			transfer_fail(transfer, result);
		return false;
	}
	transfer->free = w->next;
	peer->n_posted++;
	transfer->n_out++;
	cursor_advance(transfer, n);
	return true;
}

/* Moves or posts as much as possible. */
static void transfer_step(struct transfer *transfer)
{
	transfer->must_step = false;
	while (transfer->left > 0) {
		size_t n;

		if (!cursor_settle(transfer)) {
			transfer_fail(transfer,
				      error_set(DOCA_ERROR_IO_FAILED,
						"%s: the source or the destination changed while "
						"the task was in progress",
						transfer->name));
			return;
		}
		n = MIN(transfer->left, span_of(transfer, transfer->buf) - transfer->at);
		if (!transfer->buf->mmap->is_posted)
			piece_copy(transfer, n);
		else if (!piece_post(transfer, n))
			return;
	}
}

static void request_completed(struct transfer *transfer, struct rdma_wr *wr)
{
	struct transfer_wr *w = container_of(wr, struct transfer_wr, wr);

	transfer->n_out--;
	w->peer->n_posted--;
	w->next = transfer->free;
	transfer->free = w;
	transfer->must_step = true;
	if (likely(wr->status == DOCA_SUCCESS) || transfer->status != DOCA_SUCCESS)
		return;
	transfer_fail(transfer, transfer->is_ended ? DOCA_ERROR_SHUTDOWN
						   : requester_explain_request(transfer->name, wr));
}

/* Handles everything that the paths report. A failure is reported to the program with the task, not
 * as the error of its present call. */
static void paths_poll(struct transfer *transfer)
{
	struct saved_error saved;
	bool is_saved = false;

	for (size_t i = 0; i < TRANSFER_PATHS; i++) {
		struct requester *requester = transfer->requesters[i];
		struct rdma_wr *wr;

		if (requester == NULL)
			continue;
		while ((wr = requester->ops->poll(requester->domain)) != NULL) {
			if (unlikely(wr->status != DOCA_SUCCESS) && !is_saved) {
				error_save(&saved);
				is_saved = true;
			}
			request_completed(transfer, wr);
		}
		transfer->must_step |= requester_poll(requester);
	}
	if (is_saved)
		error_restore(&saved);
}

static bool is_done(const struct transfer *transfer)
{
	return transfer->left == 0 && transfer->n_out == 0;
}

bool transfer_poll(struct transfer *transfer)
{
	paths_poll(transfer);
	if (transfer->must_step)
		transfer_step(transfer);
	return is_done(transfer);
}

void transfer_stop(struct transfer *transfer)
{
	transfer->is_ended = transfer->must_step = true;
	if (!is_done(transfer))
		transfer_fail(transfer, DOCA_ERROR_SHUTDOWN);
	for (size_t i = 0; i < TRANSFER_PATHS; i++) {
		if (transfer->requesters[i] != NULL)
			requester_disconnect(transfer->requesters[i]);
	}
}

bool transfer_arm(struct transfer *transfer)
{
	for (size_t i = 0; i < TRANSFER_PATHS; i++) {
		if (transfer->requesters[i] != NULL && requester_arm(transfer->requesters[i]))
			return true;
	}
	return false;
}

void transfer_disarm(struct transfer *transfer)
{
	for (size_t i = 0; i < TRANSFER_PATHS; i++) {
		if (transfer->requesters[i] != NULL)
			requester_disarm(transfer->requesters[i]);
	}
}
