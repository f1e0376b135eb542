/*
 * RDMA engine: every kind of task between two ends, where data arrives, results, lists, order,
 * refusals, and full queues.
 */
#include <string.h>

#include "tests/unit/client/rdma/fixture.h"

static struct end a, b;

static void setup(void)
{
	ends_open(&a, &b);
}

static void teardown(void)
{
	ends_close(&a, &b);
}

static void submit(struct doca_task *task)
{
	ck_ok(doca_task_submit(task));
}

static void ck_word(const struct end *end, size_t at, uint64_t value)
{
	uint64_t word;

	memcpy(&word, end->memory + at, 8);
	ck_assert_uint_eq(word, value);
}

static void put_word(struct end *end, size_t at, uint64_t value)
{
	memcpy(end->memory + at, &value, 8);
}

START_TEST(test_send)
{
	struct doca_buf *src = end_data(&a, 0, 100), *dst = end_recv_buf(&b, 50, 200);
	struct doca_rdma_task_receive *receive;

	unit_fill(a.memory, 100, 1);
	dst->data_len = 10;
	b.keeps = true;
	submit(END_TASK(&b, receive, dst, DATA(7)));
	submit(END_TASK(&a, send, a.conn, src, DATA(8)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 1);
	ck_assert_uint_eq(b.n_ok, 1);
	/* The new data follows the existing data. */
	ck_assert_uint_eq(dst->data_len, 110);
	ck_assert_mem_eq(b.memory + 60, a.memory, 100);
	receive = (struct doca_rdma_task_receive *)b.last;
	ck_assert_uint_eq(doca_rdma_task_receive_get_result_len(receive), 100);
	ck_assert_int_eq(doca_rdma_task_receive_get_result_opcode(receive),
			 DOCA_RDMA_OPCODE_RECV_SEND);
	ck_assert_ptr_eq(doca_rdma_task_receive_get_result_rdma_connection(receive), b.conn);
	ck_assert_ptr_eq(doca_rdma_task_receive_get_dst_buf(receive), dst);
	/* The same task once more, without a destination and with an empty message. */
	doca_rdma_task_receive_set_dst_buf(receive, NULL);
	submit(b.last);
	submit(END_TASK(&a, send, a.conn, NULL, DATA(9)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_ok, 2);
	ck_assert_uint_eq(doca_rdma_task_receive_get_result_len(receive), 0);
	doca_task_free(b.last);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(test_send_imm)
{
	struct doca_buf *src = end_data(&a, 0, 3), *dst = end_recv_buf(&b, 0, 3);
	struct doca_rdma_task_send_imm *send;
	struct doca_rdma_task_receive *receive;

	memcpy(a.memory, "abc", 3);
	b.keeps = true;
	submit(END_TASK(&b, receive, dst, DATA(0)));
	ck_ok(doca_rdma_task_send_imm_allocate_init(a.rdma, a.conn, src, 5, DATA(1), &send));
	ck_assert_uint_eq(doca_rdma_task_send_imm_get_immediate_data(send), 5);
	ck_assert_ptr_eq(doca_rdma_task_send_imm_get_src_buf(send), src);
	ck_assert_ptr_eq(doca_rdma_task_send_imm_get_rdma_connection(send), a.conn);
	doca_rdma_task_send_imm_set_immediate_data(send, 0xabcd1234);
	submit(doca_rdma_task_send_imm_as_task(send));
	ends_progress(&a, &b);
	receive = (struct doca_rdma_task_receive *)b.last;
	ck_assert_int_eq(doca_rdma_task_receive_get_result_opcode(receive),
			 DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
	ck_assert_uint_eq(doca_rdma_task_receive_get_result_immediate_data(receive), 0xabcd1234);
	ck_assert_mem_eq(b.memory, "abc", 3);
	doca_task_free(b.last);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(test_read)
{
	struct doca_buf *src = end_remote(&a, &b, 100, 300, 256), *dst = end_recv_buf(&a, 0, 300);
	struct doca_rdma_task_read *read;

	unit_fill(b.memory, END_LEN, 3);
	dst->data_len = 44;
	a.keeps = true;
	ck_ok(doca_rdma_task_read_allocate_init(a.rdma, a.conn, src, dst, DATA(1), &read));
	ck_assert_ptr_eq(doca_rdma_task_read_get_src_buf(read), src);
	ck_assert_ptr_eq(doca_rdma_task_read_get_dst_buf(read), dst);
	ck_ok(doca_task_try_submit(doca_rdma_task_read_as_task(read)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 1);
	ck_assert_uint_eq(doca_rdma_task_read_get_result_len(read), 256);
	ck_assert_uint_eq(dst->data_len, 300);
	ck_assert_uint_eq(src->data_len, 256);
	ck_assert_mem_eq(a.memory + 44, b.memory + 100, 256);
	/* No room is left. */
	ck_fails(doca_task_submit(a.last), DOCA_ERROR_INVALID_VALUE);
	ck_says("doca_buf_reset_data_len");
	ck_ok(doca_buf_reset_data_len(dst));
	submit(a.last);
	ends_progress(&a, &b);
	ck_assert_mem_eq(a.memory, b.memory + 100, 256);
	doca_task_free(a.last);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(test_write)
{
	struct doca_buf *src = end_data(&a, 0, 64), *dst = end_remote(&a, &b, 512, 200, 100);

	unit_fill(a.memory, 64, 4);
	submit(END_TASK(&a, write, a.conn, src, dst, DATA(1)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 1);
	ck_assert_uint_eq(dst->data_len, 164);
	ck_assert_mem_eq(b.memory + 612, a.memory, 64);
	/* An empty write. */
	submit(END_TASK(&a, write, a.conn, NULL, NULL, DATA(2)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 2);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(test_write_imm)
{
	struct doca_buf *src = end_data(&a, 0, 64), *dst = end_remote(&a, &b, 0, 64, 0);
	struct doca_buf *room = end_recv_buf(&b, 1000, 8);
	struct doca_rdma_task_receive *receive;

	unit_fill(a.memory, 64, 5);
	b.keeps = true;
	submit(END_TASK(&b, receive, room, DATA(1)));
	submit(END_TASK(&a, write_imm, a.conn, src, dst, 77, DATA(2)));
	ends_progress(&a, &b);
	receive = (struct doca_rdma_task_receive *)b.last;
	ck_assert_int_eq(doca_rdma_task_receive_get_result_opcode(receive),
			 DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM);
	ck_assert_uint_eq(doca_rdma_task_receive_get_result_immediate_data(receive), 77);
	ck_assert_uint_eq(doca_rdma_task_receive_get_result_len(receive), 64);
	/* The receive's buffer is unchanged. */
	ck_assert_uint_eq(room->data_len, 0);
	ck_assert_mem_eq(b.memory, a.memory, 64);
	doca_task_free(b.last);
	unit_put(src);
	unit_put(dst);
	unit_put(room);
}
END_TEST

START_TEST(test_atomics)
{
	struct doca_buf *dst = end_remote(&a, &b, 64, 8, 0), *result = end_recv_buf(&a, 0, 24);

	put_word(&b, 64, 40);
	submit(END_TASK(&a, atomic_fetch_add, a.conn, dst, result, 2, DATA(1)));
	submit(END_TASK(&a, atomic_cmp_swp, a.conn, dst, result, 42, 7, DATA(2)));
	ends_progress(&a, &b);
	submit(END_TASK(&a, atomic_cmp_swp, a.conn, dst, result, 42, 9, DATA(3)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 3);
	ck_word(&b, 64, 7);
	unit_put(dst);
	unit_put(result);
}
END_TEST

START_TEST(test_atomic_results)
{
	struct doca_buf *dst = end_remote(&a, &b, 64, 8, 8), *result = end_recv_buf(&a, 0, 24);

	put_word(&b, 64, UINT64_MAX);
	for (uint64_t i = 0; i < 3; i++) {
		submit(END_TASK(&a, atomic_fetch_add, a.conn, dst, result, 1, DATA(i)));
		ends_progress(&a, &b);
		ck_assert_uint_eq(result->data_len, 8 * (i + 1));
	}
	ck_word(&a, 0, UINT64_MAX);
	ck_word(&a, 8, 0);
	ck_word(&a, 16, 1);
	ck_assert_uint_eq(dst->data_len, 8);
	unit_put(dst);
	unit_put(result);
}
END_TEST

START_TEST(test_sync_events)
{
	_Atomic uint64_t counter = 5;
	struct doca_sync_event_remote_net event = {
		.import = {.cell = {.value = &counter}, .dev = &unit_dev}};
	struct doca_sync_event_remote_net other = {
		.import = {.cell = {.value = &counter}, .dev = &unit_dev_other}};
	struct doca_buf *room = end_recv_buf(&a, 0, 8), *value = end_data(&a, 8, 8);
	struct doca_buf *before = end_recv_buf(&a, 16, 8);
	struct doca_rdma_task_remote_net_sync_event_get *get;

	a.keeps = true;
	ck_ok(doca_rdma_task_remote_net_sync_event_get_allocate_init(a.rdma, a.conn, &event, room,
								     DATA(1), &get));
	ck_assert_ptr_eq(doca_rdma_task_remote_net_sync_event_get_get_sync_event(get), &event);
	submit(doca_rdma_task_remote_net_sync_event_get_as_task(get));
	ends_progress(&a, &b);
	ck_word(&a, 0, 5);
	ck_assert_uint_eq(room->data_len, 8);
	ck_assert_uint_eq(doca_rdma_task_remote_net_sync_event_get_get_result_len(get), 8);
	doca_rdma_task_remote_net_sync_event_get_set_sync_event(get, &other);
	ck_ok(doca_buf_reset_data_len(room));
	ck_fails(doca_task_submit(a.last), DOCA_ERROR_INVALID_VALUE);
	doca_rdma_task_remote_net_sync_event_get_set_sync_event(get, NULL);
	ck_fails(doca_task_try_submit(a.last), DOCA_ERROR_INVALID_VALUE);
	doca_task_free(a.last);
	a.keeps = false;
	put_word(&a, 8, 100);
	submit(END_TASK(&a, remote_net_sync_event_notify_set, a.conn, &event, value, DATA(2)));
	submit(END_TASK(&a, remote_net_sync_event_notify_add, a.conn, &event, before, 11, DATA(3)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(a.n_ok, 3);
	ck_assert_uint_eq(counter, 111);
	ck_word(&a, 16, 100);
	ck_assert_uint_eq(before->data_len, 8);
	unit_put(room);
	unit_put(value);
	unit_put(before);
}
END_TEST

/* --- what is refused --- */

static void ck_refused(struct doca_task *task, const char *says)
{
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says(says);
	ck_fails(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says(says);
	doca_task_free(task);
}

START_TEST(test_refuses_local)
{
	struct doca_mmap *read_only = unit_mmap(a.memory, END_LEN,
						DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct doca_buf *fixed = unit_buf(a.inventory, read_only, a.memory, 8, 0, 0);
	struct doca_buf *mine = end_data(&a, 0, 8), *theirs = end_remote(&a, &b, 0, 8, 8);
	struct doca_buf *two = unit_chain(end_data(&a, 0, 8), end_data(&a, 8, 8));
	struct doca_buf *more = unit_chain(end_recv_buf(&a, 0, 8), end_recv_buf(&a, 8, 8));

	ck_refused(END_TASK(&a, receive, fixed, DATA(0)), "doca_mmap_set_permissions");
	ck_refused(END_TASK(&a, receive, theirs, DATA(0)), "created from an export");
	ck_refused(END_TASK(&a, receive, more, DATA(0)), "more local buffers");
	ck_refused(END_TASK(&a, send, a.conn, two, DATA(0)), "more local buffers");
	ck_refused(END_TASK(&a, send, a.conn, theirs, DATA(0)), "created from an export");
	ck_refused(END_TASK(&a, read, a.conn, theirs, NULL, DATA(0)), "local buffer is NULL");
	ck_refused(END_TASK(&a, read, a.conn, theirs, mine, DATA(0)), "do not fit");
	ck_refused(END_TASK(&a, atomic_fetch_add, a.conn, theirs, mine, 1, DATA(0)), "8 bytes");
	ck_refused(END_TASK(&a, atomic_fetch_add, a.conn, theirs, more, 1, DATA(0)), "list");
	mine->data = mine->head + 4;
	ck_refused(END_TASK(&a, send, a.conn, mine, DATA(0)), "data section exceeds");
	mine->data = mine->head;
	mine->mmap = a.mmap;
	a.mmap->dev = a.mmap->devs[0] = &unit_dev_other;
	ck_refused(END_TASK(&a, send, a.conn, mine, DATA(0)), "doca_mmap_add_dev");
	a.mmap->dev = a.mmap->devs[0] = &unit_dev;
	unit_put(fixed);
	unit_put(mine);
	unit_put(theirs);
	unit_put(two);
	unit_put(more);
	ck_ok(doca_mmap_destroy(read_only));
	ck_assert_uint_eq(a.n_ok + a.n_failed, 0);
}
END_TEST

START_TEST(test_refuses_remote)
{
	struct doca_buf *mine = end_data(&a, 0, 8), *room = end_recv_buf(&a, 8, 8);
	struct doca_buf *theirs = end_remote(&a, &b, 0, 8, 8), *odd = end_remote(&a, &b, 4, 8, 8);
	struct doca_buf *small = end_remote(&a, &b, 0, 4, 0);
	struct doca_buf *two = unit_chain(end_remote(&a, &b, 0, 8, 8), end_remote(&a, &b, 8, 8, 0));

	ck_refused(END_TASK(&a, read, a.conn, NULL, room, DATA(0)), "buffer is NULL");
	ck_refused(END_TASK(&a, read, a.conn, mine, room, DATA(0)), "of this process");
	ck_refused(END_TASK(&a, read, a.conn, two, room, DATA(0)), "is a list");
	ck_refused(END_TASK(&a, write, a.conn, mine, NULL, DATA(0)), "buffer is NULL");
	ck_refused(END_TASK(&a, write, a.conn, mine, theirs, DATA(0)), "do not fit");
	ck_refused(END_TASK(&a, write, a.conn, mine, room, DATA(0)), "of this process");
	ck_refused(END_TASK(&a, atomic_cmp_swp, a.conn, odd, room, 1, 2, DATA(0)), "multiple of 8");
	ck_refused(END_TASK(&a, atomic_cmp_swp, a.conn, small, room, 1, 2, DATA(0)),
		   "multiple of 8");
	a.import->dev = a.import->devs[0] = &unit_dev_other;
	ck_refused(END_TASK(&a, read, a.conn, theirs, room, DATA(0)), "device");
	a.import->dev = a.import->devs[0] = &unit_dev;
	theirs->data += 4;
	ck_refused(END_TASK(&a, read, a.conn, theirs, room, DATA(0)), "exceeds the buffer");
	theirs->data -= 4;
	unit_put(mine);
	unit_put(room);
	unit_put(theirs);
	unit_put(odd);
	unit_put(small);
	unit_put(two);
}
END_TEST

/* A receive may have more room than the longest message: devices get only the length of that. */
START_TEST(test_receives_with_more_room)
{
	size_t len = FAKE_MAX_MESSAGE + 1;
	uint8_t *memory = calloc(1, len);
	struct doca_mmap *mmap = unit_mmap(memory, len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *dst = unit_buf(b.inventory, mmap, memory, len, 0, 0);
	struct doca_buf *src = end_data(&a, 0, 100);

	unit_fill(a.memory, 100, 9);
	submit(END_TASK(&b, receive, dst, DATA(1)));
	submit(END_TASK(&a, send, a.conn, src, DATA(2)));
	ends_progress(&a, &b);
	ck_assert_uint_eq(b.n_ok, 1);
	ck_assert_uint_eq(dst->data_len, 100);
	ck_assert_mem_eq(memory, a.memory, 100);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_mmap_destroy(mmap));
	free(memory);
}
END_TEST

START_TEST(test_refuses_too_big)
{
	size_t len = FAKE_MAX_MESSAGE + 1;
	uint8_t *memory = calloc(1, len);
	struct doca_mmap *mmap = unit_mmap(memory, len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *buf = unit_buf(a.inventory, mmap, memory, len, 0, len);

	ck_refused(END_TASK(&a, send, a.conn, buf, DATA(0)), "get_max_message_size");
	buf->data_len--;
	submit(END_TASK(&a, send, a.conn, buf, DATA(0)));
	unit_progress(a.pe);
	ck_assert_uint_eq(a.n_ok + a.n_failed, 0);
	end_stop(&a);
	unit_put(buf);
	ck_ok(doca_mmap_destroy(mmap));
	free(memory);
}
END_TEST

START_TEST(test_allocation)
{
	struct doca_rdma_task_send *tasks[END_N + 1];
	struct doca_rdma_connection *conn = a.conn;

	ck_fails(doca_rdma_task_send_allocate_init(NULL, conn, NULL, DATA(0), tasks),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_rdma_task_send_allocate_init(a.rdma, NULL, NULL, DATA(0), tasks),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_rdma_task_send_allocate_init(a.rdma, b.conn, NULL, DATA(0), tasks),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("another object");
	ck_fails(doca_rdma_task_send_allocate_init(a.rdma, conn, NULL, DATA(0), NULL),
		 DOCA_ERROR_INVALID_VALUE);
	for (uint32_t i = 0; i < END_N; i++)
		ck_ok(doca_rdma_task_send_allocate_init(a.rdma, conn, NULL, DATA(i), &tasks[i]));
	ck_fails(doca_rdma_task_send_allocate_init(a.rdma, conn, NULL, DATA(0), &tasks[END_N]),
		 DOCA_ERROR_NO_MEMORY);
	for (uint32_t i = 0; i < END_N; i++)
		doca_task_free(doca_rdma_task_send_as_task(tasks[i]));
	ck_assert_ptr_null(doca_rdma_task_send_as_task(NULL));
	end_stop(&a);
	ck_fails(doca_rdma_task_send_allocate_init(a.rdma, conn, NULL, DATA(0), tasks),
		 DOCA_ERROR_BAD_STATE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rdma");
	TCase *tcase = unit_case(suite, "tasks", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_send);
	tcase_add_test(tcase, test_send_imm);
	tcase_add_test(tcase, test_read);
	tcase_add_test(tcase, test_write);
	tcase_add_test(tcase, test_write_imm);
	tcase_add_test(tcase, test_atomics);
	tcase_add_test(tcase, test_atomic_results);
	tcase_add_test(tcase, test_sync_events);
	tcase_add_test(tcase, test_refuses_local);
	tcase_add_test(tcase, test_refuses_remote);
	tcase_add_test(tcase, test_receives_with_more_room);
	tcase_add_test(tcase, test_refuses_too_big);
	tcase_add_test(tcase, test_allocation);
	return unit_run(suite);
}
