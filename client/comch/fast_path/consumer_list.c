/*
 * Registration of a consumer with the daemon, which announces it to the peer's producers, and its
 * unregistration. Threads: those of its progress engine.
 */
#include <stdlib.h>
#include <string.h>

#include "client/comch/fast_path/consumer.h"
#include "client/control/session.h"
#include "util/fd.h"

/* Returns a descriptor of the memory that contains the buffers, or -1 if the memory is private or
 * the peer has no access. */
static int consumer_find_memfd(const struct doca_mmap *mmap, uint64_t *offset_out)
{
	int fd = -1;

	if (!(mmap->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE))
		return -1;
	if (mmap->memfd >= 0 && mmap->memfd_same_user)
		return -1;
	if (mmap->memfd >= 0) {
		*offset_out = mmap->memfd_offset;
		fd = fd_dup(mmap->memfd);
	} else if (mem_find_memfd(mmap->addr, mmap->len, &fd, offset_out) < 0) {
		fd = -1;
	}
	if (fd >= 0 && !mem_admit(fd, true))
		fd_close(&fd);
	return fd < 0 ? -1 : fd;
}

static void consumer_describe(const struct doca_comch_consumer *consumer, Dococore__Consumer *self)
{
	const struct doca_mmap *mmap = consumer->mmap;
	const struct comch_exported *exported = &consumer->exported;

	self->id = consumer->id;
	self->slots_len = (uint32_t)consumer->map_len;
	self->n_slots = consumer->mask + 1;
	self->max_imm_len = consumer->imm_len;
	self->max_buf_size = consumer->max_buf_size;
	self->memory = DOCOCORE__MEMORY_KIND__PRIVATE;
	if (exported->mmap == NULL) {
		self->addr = mmap->base;
		self->len = mmap->span;
		self->peer_writes = (mmap->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0;
		return;
	}
	self->addr = (uintptr_t)consumer->header;
	self->len = consumer->map_len;
	self->body_stride = consumer->stride;
	self->bounce_len = consumer->bounce_len;
	self->slots_export.data = (uint8_t *)exported->desc;
	self->slots_export.len = exported->desc_len;
}

doca_error_t comch_consumer_register(struct doca_comch_consumer *consumer)
{
	bool is_remote = comch_consumer_is_remote(consumer);
	Dococore__Consumer self = DOCOCORE__CONSUMER__INIT;
	Dococore__ConsumerCreate body = DOCOCORE__CONSUMER_CREATE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	uint64_t offset = 0;
	CLEANUP_FD int memory_fd = is_remote ? -1 : consumer_find_memfd(consumer->mmap, &offset);
	int fds[3] = {consumer->memfd, consumer->doorbell_fd, memory_fd};
	doca_error_t result;

	/* Producers write into the memory of the consumer's buffers. */
	atomic_store_explicit(&export_has_shared_memory, true, memory_order_relaxed);
	if (consumer->id_was_announced)
		consumer->id = comch_link_consumer_id(consumer->member.link);
	consumer->id_was_announced = true;
	consumer_describe(consumer, &self);
	if (memory_fd >= 0)
		self.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	self.memfd_offset = offset;
	body.channel_id = consumer->member.link->channel_id;
	body.consumer = &self;
	request.packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_CREATE;
	request.packet.consumer_create = &body;
	request.fds = fds;
	request.n_fds = is_remote ? 0 : memory_fd >= 0 ? 3 : 2;
	result = comch_link_call(consumer->member.link, "comch consumer start", &request,
				 DOCOCORE__PACKET__BODY_OK, &answer);
	consumer->registered = result == DOCA_SUCCESS;
	return result;
}

/* Within progress, does not wait for the daemon. */
void comch_consumer_unregister(struct doca_comch_consumer *consumer)
{
	const struct comch_link *link = consumer->member.link;
	Dococore__ConsumerDestroy body = DOCOCORE__CONSUMER_DESTROY__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	if (!consumer->registered)
		return;
	consumer->registered = false;
	body.channel_id = link->channel_id;
	body.consumer_id = consumer->id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_DESTROY;
	request.packet.consumer_destroy = &body;
	rpc_lock();
	/* Another daemon does not know the consumer. */
	if (comch_link_is_known_locked(link) && (consumer->ctx.pe->flags & PE_IN_PROGRESS))
		rpc_post_locked(&request);
	else if (comch_link_is_known_locked(link))
		rpc_call_void_locked(&request);
	rpc_unlock();
}
