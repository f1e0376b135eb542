/* See import_view.h. */
#include "tests/unit/daemon/memory/import_view.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define AWAIT_NS (30 * NS_PER_SEC)

void view_receive(struct client *client, struct view *view)
{
	const Dococore__ImportReply *reply = client->reply->import_reply;
	int fd;

	ck_assert_msg(client->reply->body_case == DOCOCORE__PACKET__BODY_IMPORT_REPLY, "%s",
		      client->reply->body_case == DOCOCORE__PACKET__BODY_ERROR
			      ? client->reply->error->text
			      : "another message");
	fd = fdset_steal(&client->fds, 0);
	ck_assert_int_eq(memfd_verify(fd, reply->liveness_len), 0);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	view->page = memfd_map(fd, 0, reply->liveness_len, false);
	ck_assert_ptr_nonnull(view->page);
	close(fd);
	view->pidfd = fdset_steal(&client->fds, 1);
	ck_assert(!fd_pidfd_exited(view->pidfd));
	view->memfd = fdset_steal(&client->fds, 2);
	view->id = reply->import_id;
	view->slot = reply->slot;
	view->generation = reply->generation;
	ck_assert_uint_ne(view->generation, 0);
	ck_assert_uint_eq(view->page->words[view->slot], view->generation);
}

void view_await_dead(const struct view *view)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	while (atomic_load(&view->page->words[view->slot]) == view->generation) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 1);
	}
}
