/* The relayed streams of responders; see client/rma/responder_internal.h. */
#include "client/rma/responder_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "client/base/error.h"

/* The most streams, over all importers' processes. */
#define RESPONDER_MAX_STREAMS 64u
/* The most ended links whose importers may return in another stream. */
#define RESPONDER_MAX_ENDED 64u

int responder_watch(const struct responder *responder, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	return epoll_ctl(responder->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

void responder_relay_export(struct served_export *served)
{
	const struct export *export = served->export;
	uint32_t rights = export_rights(export);

	/* After a restart of the daemon the export is registered with the same values. */
	served->relayed = (struct relay_export){
		.cell = export->cell,
		.export_id = export->export_id,
		.secret = export->secrets->secret,
		.pass_on = export->has_pass_on ? export->secrets->pass_on : NULL,
		.addr = export->addr,
		.len = export->len,
		.may_read = rights & DOCA_ACCESS_FLAG_RDMA_READ,
		.may_write = rights & DOCA_ACCESS_FLAG_RDMA_WRITE,
		.is_pci = export->kind == DOCOCORE__EXPORT_KIND__PCI ||
			  export->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI,
		.rung = export->rung,
		.rung_arg = export->rung_arg,
	};
	relay_export_add(&served->responder->relayed, &served->relayed);
}

/* Removed explicitly, because other processes share the descriptor: closing it would leave it in
 * the set. */
static void unwatch(const struct responder *responder, int fd)
{
	if (fd >= 0)
		epoll_ctl(responder->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static void ended_free(struct responder *responder, struct relay_link *link)
{
	list_remove(&link->node);
	responder->n_ended--;
	free(link);
}

void responder_stream_end(struct responder *responder, struct relay_link *stream)
{
	unwatch(responder, stream->stream.wait_fd);
	unwatch(responder, stream->stream.pidfd);
	relay_stream_deinit(&stream->stream);
	list_remove(&stream->node);
	responder->n_streams--;
	list_append(&responder->ended, &stream->node);
	if (++responder->n_ended > RESPONDER_MAX_ENDED)
		ended_free(responder, list_entry(responder->ended.next, struct relay_link, node));
}

void responder_streams_end(struct responder *responder)
{
	while (!list_is_empty(&responder->streams))
		responder_stream_end(responder,
				     list_entry(responder->streams.next, struct relay_link, node));
}

void responder_streams_free_ended(struct responder *responder)
{
	while (!list_is_empty(&responder->ended))
		ended_free(responder, list_entry(responder->ended.next, struct relay_link, node));
}

struct relay_link *responder_stream_find(struct responder *responder, uint64_t call_id)
{
	struct relay_link *stream;

	list_for_each(stream, &responder->streams, node)
	{
		if (stream->call_id == call_id)
			return stream;
	}
	return NULL;
}

static struct relay_link *link_find_by_window(const struct list *links,
					      const struct copy_details *from, bool is_pci)
{
	struct relay_link *link;

	list_for_each(link, links, node)
	{
		if (link->is_pci == is_pci && relay_window_fits(&link->window, from))
			return link;
	}
	return NULL;
}

/* Returns a link, with its deduplication window if the importer continues an earlier stream;
 * own_out reports which. */
static struct relay_link *stream_new(struct responder *responder, const struct copy_details *from,
				     bool is_pci, struct copy_details *own_out)
{
	struct relay_link *stream = NULL;

	/* The end of the earlier stream may not have been reported yet. Its requests are sent
	 * again. */
	if (from->is_continued &&
	    (stream = link_find_by_window(&responder->streams, from, is_pci)) != NULL)
		responder_stream_end(responder, stream);
	if (from->is_continued)
		stream = link_find_by_window(&responder->ended, from, is_pci);
	own_out->is_continued = stream != NULL;
	if (stream != NULL) {
		list_remove(&stream->node);
		responder->n_ended--;
		return stream;
	}
	stream = calloc(1, sizeof(*stream));
	if (stream == NULL)
		return NULL;
	memcpy(stream->window.key, from->key, sizeof(from->key));
	stream->window.next = from->tag;
	stream->is_pci = is_pci;
	return stream;
}

doca_error_t responder_stream_make(struct responder *responder, uint64_t call_id,
				   const struct rdma_params *other)
{
	struct copy_details from, own_reply;
	uint8_t own[COPY_DETAILS_LEN];
	struct relay_link *stream;
	doca_error_t result;

	if (!copy_details_decode(other->bytes, other->len, &from))
		return error_set(DOCA_ERROR_UNSUPPORTED_VERSION,
				 "export: an importer's stream is of another version; have one "
				 "version on both machines");
	if (responder->n_streams >= RESPONDER_MAX_STREAMS)
		return error_set(DOCA_ERROR_FULL,
				 "export: %u importers' contexts are served by "
				 "relay already, which is all there may be",
				 RESPONDER_MAX_STREAMS);
	stream = stream_new(responder, &from, other->is_pci, &own_reply);
	if (stream == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "export: out of memory for a stream");
	stream->call_id = call_id;
	stream->stream = (struct relay_stream)RELAY_STREAM_INIT;
	stream->is_lost = false;
	stream->wanted = 0;
	list_append(&responder->streams, &stream->node);
	responder->n_streams++;
	memcpy(own_reply.key, from.key, sizeof(from.key));
	own_reply.tag = stream->window.next;
	copy_details_encode(&own_reply, own);
	result = rendezvous_accept(&responder->rendezvous, call_id, own, sizeof(own));
	if (result == DOCA_SUCCESS)
		result = relay_stream_fetch(&responder->rendezvous, call_id, false, &from,
					    &stream->stream);
	if (result == DOCA_SUCCESS &&
	    (responder_watch(responder, stream->stream.wait_fd, EPOLLIN | EPOLLET) < 0 ||
	     (stream->stream.pidfd >= 0 &&
	      responder_watch(responder, stream->stream.pidfd, EPOLLIN) < 0)))
		result = error_set(DOCA_ERROR_OPERATING_SYSTEM,
				   "export: a stream cannot be watched");
	if (result != DOCA_SUCCESS)
		responder_stream_end(responder, stream);
	return result;
}

/* Returns whether there are events, which may end an export or a stream. */
static bool has_events(void *user)
{
	const struct rendezvous *rendezvous = &((struct responder *)user)->rendezvous;

	return atomic_load(&rendezvous->is_lost) ||
	       (rendezvous->is_open && event_reader_pending(&rendezvous->events));
}

bool responder_streams_serve(struct responder *responder)
{
	struct relay_link *stream, *tmp;
	enum relay_result turn;
	bool has_more = false;

	list_for_each_safe(stream, tmp, &responder->streams, node)
	{
		turn = stream->is_lost ? RELAY_BROKEN
				       : relay_link_serve(stream, &responder->relayed, has_events,
							  responder);
		has_more |= turn == RELAY_MORE;
		if (turn != RELAY_BROKEN)
			continue;
		/* A daemon that was lost and resumed knows that its streams have ended. */
		if (!stream->is_lost)
			rendezvous_hang_up(&responder->rendezvous, stream->call_id);
		responder_stream_end(responder, stream);
	}
	return has_more;
}

bool responder_streams_arm(struct responder *responder)
{
	struct relay_link *stream;
	bool has_work = false;

	list_for_each(stream, &responder->streams, node) has_work |= relay_link_arm(stream);
	return has_work;
}

void responder_streams_disarm(struct responder *responder)
{
	struct relay_link *stream;

	list_for_each(stream, &responder->streams, node) relay_link_disarm(stream);
}

void responder_streams_lose(struct responder *responder, int pidfd)
{
	struct relay_link *stream;

	list_for_each(stream, &responder->streams, node)
	{
		if (stream->stream.pidfd == pidfd)
			stream->is_lost = true;
	}
}
