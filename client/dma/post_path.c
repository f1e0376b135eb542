/* The paths of posted copies, see client/dma/post.h: an RDMA device or a relay, each with a
 * requester that is opened when it is first needed. Threads: those of the progress engine. */
#include "client/dma/post_internal.h"

#define POST_QUEUE 64u /* requests of one queue pair */

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
			"dma memcpy: a descriptor of the path to the memory cannot be watched "
			"(error %d)",
			-r);
	}
	return DOCA_SUCCESS;
}

/* Opens a path. An error sentence is recorded on failure. */
static doca_error_t post_open_path(struct doca_dma *dma, bool relays)
{
	struct requester **at = &dma->post->requesters[relays ? BY_RELAY : BY_DEVICE];
	struct requester *requester;
	doca_error_t result;

	if (*at != NULL)
		return DOCA_SUCCESS;
	result = requester_open(dma->ctx.dev, relays, POST_QUEUE, POST_SGES, &requester);
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

static void post_close_path(struct doca_dma *dma, struct requester *requester)
{
	int fds[REQUESTER_FDS];
	size_t n = requester_fds(requester, fds);

	for (size_t i = 0; i < n; i++)
		pe_remove_eventfd(dma->ctx.pe, fds[i]);
	requester_close(requester);
}

doca_error_t post_open_paths(struct doca_dma *dma, const struct dma_task *t)
{
	const struct doca_buf *pos;
	doca_error_t result = DOCA_SUCCESS;

	BUF_FOR_EACH(pos, t->dst->mmap->is_posted ? t->dst : t->src)
	{
		if (result == DOCA_SUCCESS && pos->mmap->is_posted)
			result = post_open_path(dma, pos->mmap->region.ops->is_relayed);
	}
	return result;
}

void post_close_paths(struct doca_dma *dma)
{
	struct dma_post *post = dma->post;

	for (size_t i = 0; i < N_PATHS; i++) {
		if (post->requesters[i] != NULL)
			post_close_path(dma, post->requesters[i]);
	}
}
