/* The paths of posted copies, see client/dma/post.h: an RDMA device or a relay, each with a
 * requester that is opened when it is first needed. Threads: those of the progress engine. */
#include "client/dma/post_internal.h"

#define POST_QUEUE 64u /* requests of one queue pair */

/* Opens a path. An error sentence is recorded on failure. */
static doca_error_t post_open_path(struct doca_dma *dma, bool relays)
{
	struct requester **at = &dma->post->requesters[relays ? BY_RELAY : BY_DEVICE];
	doca_error_t result;

	if (*at != NULL)
		return DOCA_SUCCESS;
	result = requester_open(dma->ctx.dev, dma->ctx.pe, relays, POST_QUEUE, POST_SGES, at);
	if (result == DOCA_SUCCESS)
		(*at)->renews = relays;
	return result;
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

void post_close_paths(struct dma_post *post)
{
	for (size_t i = 0; i < N_PATHS; i++)
		requester_close(post->requesters[i]);
}
