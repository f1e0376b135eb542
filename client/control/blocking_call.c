/* Implements blocking daemon calls of the library's own threads; see
 * client/control/blocking_call.h. */
#include "client/control/blocking_call.h"

#include <fcntl.h>
#include <poll.h>

#include "client/base/error.h"
#include "client/control/rpc.h"
#include "proto/frame.h"
#include "util/fd.h"

/* The interval at which a waiting thread retries a partial send and checks what it cannot poll,
 * such as is_over(). */
#define CHECK_MS 100

static _Thread_local const struct session_wait_policy *own_policy;

void session_set_wait_policy(const struct session_wait_policy *policy)
{
	own_policy = policy;
}

bool session_has_wait_policy(void)
{
	return own_policy != NULL;
}

/* Wakes the waiting thread when its reply has arrived. Called with the session's lock held, on any
 * thread. */
static void wait_ends(void *user)
{
	const struct session_wait_policy *policy = user;

	fd_eventfd_ring(policy->wake_fd);
}

/* Reverses the effect of a reply that its caller no longer wants. Covers the requests that the
 * library's own threads send. */
static void wait_undo(const struct rpc_reply *answer)
{
	Dococore__HandleClose handle = DOCOCORE__HANDLE_CLOSE__INIT;
	Dococore__ExportDestroy export = DOCOCORE__EXPORT_DESTROY__INIT;
	Dococore__ImportDestroy import = DOCOCORE__IMPORT_DESTROY__INIT;
	Dococore__RdmaClose agent = DOCOCORE__RDMA_CLOSE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	Dococore__Packet *packet = &request.packet;

	if (answer->packet->body_case == DOCOCORE__PACKET__BODY_HANDLE_REPLY) {
		handle.handle = answer->packet->handle_reply->handle;
		packet->body_case = DOCOCORE__PACKET__BODY_HANDLE_CLOSE;
		packet->handle_close = &handle;
	} else if (answer->packet->body_case == DOCOCORE__PACKET__BODY_EXPORT_REPLY) {
		export.export_id = answer->packet->export_reply->export_id;
		packet->body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
		packet->export_destroy = &export;
	} else if (answer->packet->body_case == DOCOCORE__PACKET__BODY_IMPORT_REPLY) {
		import.import_id = answer->packet->import_reply->import_id;
		packet->body_case = DOCOCORE__PACKET__BODY_IMPORT_DESTROY;
		packet->import_destroy = &import;
	} else if (answer->packet->body_case == DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY) {
		agent.agent_id = answer->packet->rdma_open_reply->agent_id;
		packet->body_case = DOCOCORE__PACKET__BODY_RDMA_CLOSE;
		packet->rdma_close = &agent;
	} else {
		return;
	}
	rpc_post_unchecked_locked(&request);
}

/* Waits until the daemon sends something, until wake_fd is signalled, or for CHECK_MS. Releases the
 * session's lock while it waits. */
static void wait_a_while(const struct session_wait_policy *policy)
{
	int session_fd = session_fd_locked();
	/* Duplicates the descriptor, because another thread may close the connection meanwhile. */
	CLEANUP_FD int fd = session_fd < 0 ? -1 : fcntl(session_fd, F_DUPFD_CLOEXEC, 0);
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN},
			       {.fd = policy->wake_fd, .events = POLLIN}};

	session_unlock();
	if (poll(fds, ARRAY_LEN(fds), CHECK_MS) > 0 && (fds[1].revents & POLLIN))
		(void)fd_eventfd_clear(policy->wake_fd);
	session_lock();
}

doca_error_t session_wait_locked(struct rpc_request *request, Dococore__Packet__BodyCase expected,
				 struct rpc_reply *answer_out)
{
	const struct session_wait_policy *policy = own_policy;
	const struct rpc_options options = {
		.on_done = wait_ends,
		.user = (void *)(uintptr_t)policy,
		.unwanted = wait_undo,
		.expected_refusal = request->expected_refusal,
	};
	const char *name = frame_name(&request->packet);
	struct rpc_pending *pending;
	doca_error_t result = rpc_begin_locked(request, &options, &pending);
	bool is_current;

	if (result != DOCA_SUCCESS)
		return result;
	for (;;) {
		rpc_receive_locked();
		if (rpc_is_done(pending))
			break;
		if (policy->is_over()) {
			(void)rpc_cancel_locked(pending);
			return error_note(DOCA_ERROR_CONNECTION_ABORTED,
					  "the daemon had not answered %s when it was not wanted "
					  "any more",
					  name);
		}
		wait_a_while(policy);
	}
	is_current = rpc_is_current_locked(pending);
	result = rpc_collect(&pending, expected, answer_out);
	if (result != DOCA_SUCCESS || is_current)
		return result;
	rpc_reply_deinit(answer_out);
	return error_set(DOCA_ERROR_NOT_CONNECTED, "the daemon that answered %s is gone; try again",
			 name);
}
