/* Relayed copies, the exporter's end; see client/rma/relay/serve.h. */
#include "client/rma/relay/serve.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client/memory/sync_cell.h"
#include "proto/barrier.h"

/* The number of requests of one link that are served before it is another's turn. */
#define SERVE_BURST 16u

void relay_export_add(struct relay_exports *exports, struct relay_export *export)
{
	list_append(&exports->all, &export->node);
}

void relay_export_end(struct relay_export *export)
{
	export->is_dead = true;
	list_remove(&export->node);
	export->secret = export->pass_on = NULL;
}

/* Compares in constant time, so that the time does not show where the secrets differ. */
static bool secret_fits(const uint8_t a[COPY_SECRET_LEN], const uint8_t b[COPY_SECRET_LEN])
{
	uint8_t difference = 0;

	for (size_t i = 0; i < COPY_SECRET_LEN; i++)
		difference |= a[i] ^ b[i];
	return difference == 0;
}

/* For exports over PCI, the daemons check the importer's device. The importer may export them again
 * to RDMA peers, which the daemons do not check; those peers present the second secret. */
static bool request_is_proven(const struct relay_link *link, const struct relay_export *export,
			      const struct copy_request *request)
{
	if (export->pass_on != NULL && secret_fits(export->pass_on, request->secret))
		return true;
	return (!export->is_pci || link->is_pci) && secret_fits(export->secret, request->secret);
}

static bool request_is_right(const struct relay_export *export, const struct copy_request *request)
{
	bool changes = copy_op_changes(request->op);

	return (!changes || export->may_write) &&
	       (export->may_read || (changes && request->op != COPY_ADD));
}

/* A copy of a counter could mix bytes of two values, and memory has no additions, so each operation
 * must match the kind of export. */
static bool request_is_in_range(const struct relay_export *export,
				const struct copy_request *request)
{
	return copy_op_is_of_counter(request->op) == (export->cell != NULL) &&
	       request->addr >= export->addr && request->len <= export->len &&
	       request->addr - export->addr <= export->len - request->len;
}

/* Finds the export of a request. Returns SUCCESS if the request may be executed. */
static doca_error_t request_check(const struct relay_link *link,
				  const struct relay_exports *exports,
				  const struct copy_request *request,
				  const struct relay_export **export_out)
{
	const struct relay_export *export;

	list_for_each(export, &exports->all, node)
	{
		if (export->export_id != request->export_id)
			continue;
		if (export->is_dead || !request_is_proven(link, export, request))
			return DOCA_ERROR_NOT_FOUND;
		if (!request_is_right(export, request))
			return DOCA_ERROR_NOT_PERMITTED;
		if (!request_is_in_range(export, request))
			return DOCA_ERROR_INVALID_VALUE;
		*export_out = export;
		return DOCA_SUCCESS;
	}
	return DOCA_ERROR_NOT_FOUND;
}

/*
 * Copies with the CPU. If several requests make up a message, the last one writes the word that the
 * application polls. A process that sees that word must see the other data, hence the barriers. An
 * aligned word is read and written as a unit.
 */
static void move_by_hand(const struct copy_request *request, uint8_t *data)
{
	void *theirs = (void *)(uintptr_t)request->addr;
	bool is_word = request->len == sizeof(uint64_t) && request->addr % sizeof(uint64_t) == 0;
	uint64_t word;

	if (request->op == COPY_WRITE) {
		barrier_self();
		if (is_word) {
			memcpy(&word, data, sizeof(word));
			atomic_store_explicit((_Atomic uint64_t *)theirs, word,
					      memory_order_release);
		} else {
			memcpy(theirs, data, request->len);
		}
	} else if (is_word) {
		word = atomic_load_explicit((_Atomic uint64_t *)theirs, memory_order_acquire);
		memcpy(data, &word, sizeof(word));
	} else {
		memcpy(data, theirs, request->len);
	}
}

/*
 * Copies between the stream and the application's memory through the kernel: the application may
 * have unmapped the exported range, and that must not crash this process. Avoids the libc wrapper,
 * because sanitizers treat it as an access by this thread. Uses this thread's id, because the
 * process's id is that of its first thread, which may have exited.
 */
static doca_error_t request_copy(const struct copy_request *request, uint8_t *data)
{
	struct iovec ours = {.iov_base = data, .iov_len = request->len};
	struct iovec theirs = {.iov_base = (void *)(uintptr_t)request->addr,
			       .iov_len = request->len};
	long call = request->op == COPY_WRITE ? SYS_process_vm_writev : SYS_process_vm_readv;
	long n = syscall(call, syscall(SYS_gettid), &ours, 1L, &theirs, 1L, 0L);

	if (n == (long)request->len)
		return DOCA_SUCCESS;
	/* A seccomp filter forbids the call, or the kernel lacks it. */
	if (n >= 0 || (errno != EPERM && errno != ENOSYS))
		return DOCA_ERROR_IO_FAILED;
	move_by_hand(request, data);
	return DOCA_SUCCESS;
}

/* given: the request's data; out: the answer's data. */
static void count(struct sync_cell *cell, uint32_t op, const uint8_t *given, uint8_t *out)
{
	if (op == COPY_GET)
		copy_value_encode(sync_cell_get(cell), out);
	else if (op == COPY_ADD)
		copy_value_encode(sync_cell_add(cell, copy_value_decode(given)), out);
	else
		sync_cell_set(cell, copy_value_decode(given));
}

/* --- deduplication of requests --- */

bool relay_window_fits(const struct relay_window *window, const struct copy_details *from)
{
	return memcmp(window->key, from->key, sizeof(window->key)) == 0 &&
	       from->tag <= window->next && window->next - from->tag <= COPY_REMEMBERED;
}

static const struct relay_done *done_of(const struct relay_window *window, uint64_t tag)
{
	return &window->done[tag % COPY_REMEMBERED];
}

static bool is_repeated(const struct relay_window *window, const struct copy_request *request)
{
	return request->tag < window->next;
}

/* Returns whether the tag is the next one, or matches a request that is remembered. */
static bool tag_is_right(const struct relay_window *window, const struct copy_request *request)
{
	const struct relay_done *done = done_of(window, request->tag);

	if (!is_repeated(window, request))
		return request->tag == window->next;
	return window->next - request->tag <= COPY_REMEMBERED && done->op == request->op &&
	       done->len == request->len && done->addr == request->addr;
}

static void remember(struct relay_window *window, const struct copy_request *request,
		     doca_error_t status, const uint8_t *out)
{
	window->done[request->tag % COPY_REMEMBERED] = (struct relay_done){
		.op = request->op,
		.len = request->len,
		.status = (uint32_t)status,
		.addr = request->addr,
		.value = copy_op_is_of_counter(request->op) ? copy_value_decode(out) : 0,
	};
	window->next++;
}

/* Returns whether a later request of the same importer's context has overwritten what this one
 * read. */
static bool is_overwritten(const struct relay_window *window, const struct copy_request *request)
{
	for (uint64_t tag = request->tag + 1; tag < window->next; tag++) {
		const struct relay_done *later = done_of(window, tag);

		if (later->op == COPY_WRITE && later->addr - request->addr < request->len)
			return true;
		if (later->op == COPY_WRITE && request->addr - later->addr < later->len)
			return true;
	}
	return false;
}

/* --- requests --- */

static doca_error_t request_execute(struct relay_link *link, const struct relay_exports *exports,
				    const struct copy_request *request, uint8_t *given,
				    uint8_t *out)
{
	const struct relay_export *export;
	doca_error_t result = request_check(link, exports, request, &export);

	if (result != DOCA_SUCCESS)
		return result;
	if (export->cell == NULL) {
		result = request_copy(request, request->op == COPY_READ ? out : given);
		if (request->op == COPY_WRITE && export->rung != NULL)
			export->rung(export->rung_arg);
		return result;
	}
	count(export->cell, request->op, given, out);
	return DOCA_SUCCESS;
}

/* Returns the answer that was given before. Data of a read was not saved; it is read again if it is
 * unchanged. */
static doca_error_t repeat(struct relay_link *link, const struct relay_exports *exports,
			   const struct copy_request *request, uint8_t *given, uint8_t *out)
{
	const struct relay_done *done = done_of(&link->window, request->tag);

	if (request->op == COPY_READ)
		return is_overwritten(&link->window, request)
			       ? DOCA_ERROR_CONNECTION_ABORTED
			       : request_execute(link, exports, request, given, out);
	if (copy_bytes_answered(request->op, request->len) > 0)
		copy_value_encode(done->value, out);
	return (doca_error_t)done->status;
}

static void answer(struct relay_link *link, struct relay_exports *exports,
		   const struct copy_request *request, uint8_t *given)
{
	uint8_t *out = ring_producer_payload(&link->stream.tx);
	struct copy_answer answer = {.tag = request->tag};
	doca_error_t result;

	/* Held during the copy, so that ending an export waits for it. */
	pthread_mutex_lock(exports->lock);
	if (unlikely(is_repeated(&link->window, request))) {
		result = repeat(link, exports, request, given, out + COPY_ANSWER_LEN);
	} else {
		result = request_execute(link, exports, request, given, out + COPY_ANSWER_LEN);
		remember(&link->window, request, result, out + COPY_ANSWER_LEN);
	}
	pthread_mutex_unlock(exports->lock);
	answer.status = (uint32_t)result;
	answer.len = result == DOCA_SUCCESS ? copy_bytes_answered(request->op, request->len) : 0;
	copy_answer_encode(&answer, out);
	relay_stream_send(&link->stream, COPY_ANSWER_LEN + answer.len);
}

enum relay_result relay_link_serve(struct relay_link *link, struct relay_exports *exports,
				   bool (*has_work)(void *user), void *user)
{
	struct copy_request request;
	const void *msg;
	uint32_t len, kind;
	int r;

	for (unsigned i = 0; i < SERVE_BURST; i++) {
		link->wanted = 0;
		r = ring_consumer_peek(&link->stream.rx, &msg, &len, &kind);
		/* Peeks again, because data that was sent before the end is visible once the end
		 * is. */
		if (r == 0 && ring_consumer_peer_closed(&link->stream.rx)) {
			r = ring_consumer_peek(&link->stream.rx, &msg, &len, &kind);
			if (r == 0)
				return RELAY_BROKEN;
		}
		if (r == 0)
			return RELAY_IDLE;
		if (r < 0 || kind != RING_MSG_DATA || !copy_request_decode(msg, len, &request) ||
		    !tag_is_right(&link->window, &request))
			return RELAY_BROKEN;
		if (has_work(user))
			return RELAY_MORE;
		link->wanted = COPY_ANSWER_LEN + copy_bytes_answered(request.op, request.len);
		r = ring_producer_room(&link->stream.tx, link->wanted);
		if (r < 0)
			return RELAY_BROKEN;
		if (r == 0)
			return RELAY_IDLE;
		answer(link, exports, &request, (uint8_t *)msg + COPY_REQUEST_LEN);
		relay_stream_release(&link->stream, len);
	}
	return RELAY_MORE;
}

bool relay_link_arm(struct relay_link *link)
{
	/* If the link waits for room, its next request has arrived already. */
	if (link->wanted != 0)
		return ring_producer_arm(&link->stream.tx, link->wanted);
	return ring_consumer_arm(&link->stream.rx);
}

void relay_link_disarm(struct relay_link *link)
{
	ring_producer_disarm(&link->stream.tx);
	ring_consumer_disarm(&link->stream.rx);
}
