/* Streams of calls; see daemon/rdma/stream.h. */
#include "daemon/rdma/stream.h"

#include <errno.h>
#include <unistd.h>

#include "daemon/peer/relay.h"
#include "daemon/base/daemon.h"
#include "daemon/peer/peer.h"
#include "daemon/base/journal.h"
#include "daemon/session/session.h"
#include "proto/copy_stream.h"
#include "util/fd.h"
#include "util/log.h"

static void call_on_broken(void *user, const char *what)
{
	struct rdma_call *call = user;
	struct journal_subject before;

	/* The link is lost: rdma_peer_lost() follows. */
	if (!what) {
		call->relay = relay_free(call->relay);
		return;
	}
	before = session_enter_journal(call->endpoint->session, NULL);
	log_info("client %llu (%s) wrote an impossible %s into the ring of a relayed copy: its "
		 "stream ends",
		 (unsigned long long)call->endpoint->session->id, call->endpoint->session->program,
		 what);
	journal_leave(&before);
	rdma_call_push(call, EVENT_RDMA_GONE, CODE_CONNECTION_RESET);
	rdma_call_end(call, CODE_CONNECTION_RESET, NULL);
}

int rdma_stream_start(struct rdma_call *call)
{
	const struct relay_options options = {
		.peer = call->peer,
		.account = call->endpoint->session->account,
		.channel_id = call->node.id,
		.peer_channel_id = call->peer_call_id,
		.is_call = true,
		.is_server = !call->is_caller,
		.ring_len = COPY_RING_LEN,
		.max_msg = COPY_MSG_MAX,
		.recv_queue_size = COPY_QUEUE,
		.peer_recv_queue_size = COPY_QUEUE,
		.broken = call_on_broken,
		.user = call,
	};

	return call->peer ? relay_new(&options, &call->relay) : -ENOTCONN;
}

void rdma_stream_hand_over(struct rdma_call *call, Dococore__Packet *answer)
{
	/*
	 * This process is the other end of the client's rings, and if it dies no other process
	 * reports it.
	 */
	CLEANUP_FD int pidfd = fd_pidfd_open(getpid());
	int fds[4];

	relay_get_fds(call->relay, fds);
	fds[3] = pidfd;
	answer->rdma_call->ring_len = COPY_RING_LEN;
	answer->rdma_call->has_daemon_pidfd = pidfd >= 0;
	session_reply(call->endpoint->session, answer, fds, pidfd >= 0 ? 4 : 3);
	relay_handed_over(call->relay);
	call->is_handed_over = true;
}

static struct rdma_call *call_find_of_peer(struct peer *peer, uint64_t id)
{
	struct rdma_call *call = rdma_call_find(peer->daemon, id);

	return call && call->peer == peer ? call : NULL;
}

/* Drops messages for a call that has ended in the meantime. */
int rdma_stream_receive(struct peer *peer, const Dococore__PeerChannelData *notice)
{
	struct rdma_call *call = call_find_of_peer(peer, notice->channel_id);

	if (!call)
		return 0;
	return call->relay ? relay_receive(call->relay, notice->data.data, notice->data.len)
			   : -EPROTO;
}

int rdma_stream_credit(struct peer *peer, const Dococore__PeerChannelCredit *notice)
{
	struct rdma_call *call = call_find_of_peer(peer, notice->channel_id);

	if (!call)
		return 0;
	return call->relay ? relay_credit(call->relay, notice->n_msgs) : -EPROTO;
}
