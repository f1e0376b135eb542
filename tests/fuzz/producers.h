/*
 * Two producers on one connection, for targets whose consumer is hostile. Include it in one file of
 * a target.
 */
#ifndef TESTS_FUZZ_PRODUCERS_H
#define TESTS_FUZZ_PRODUCERS_H

#include "client/comch/comch.h"
#include "client/comch/fast_path/producer.h"
#include "tests/fuzz/ends.h"

#define N_PRODUCERS 2u
#define PEER_ID     7u
#define STRANGE_ID  9u /* of a consumer that is described wrongly */

static struct doca_comch_connection up_conn;
static struct comch_link *up_link;
static struct doca_comch_producer *producers[N_PRODUCERS];
static struct doca_buf *source;
static struct doca_mmap *source_map;
static unsigned n_sends; /* tasks that are not freed */

static inline void on_sent_checked(struct doca_comch_producer_task_send *task, union doca_data user,
				   union doca_data ctx_user)
{
	(void)user;
	(void)ctx_user;
	FUZZ_CHECK(n_sends > 0);
	n_sends--;
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static inline void producer_start(struct doca_comch_producer **producer)
{
	struct doca_ctx *ctx;

	FUZZ_CHECK(doca_comch_producer_create(&up_conn, producer) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_comch_producer_task_send_set_conf(*producer, on_sent_checked,
							  on_sent_checked,
							  ENDS_N_TASKS) == DOCA_SUCCESS);
	ctx = doca_comch_producer_as_ctx(*producer);
	FUZZ_CHECK(doca_pe_connect_ctx(ends_pe, ctx) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_ctx_start(ctx) == DOCA_SUCCESS);
}

/* Called once. The memory has exactly this length, so that a sanitizer sees a read behind it. */
static inline void producers_open(void)
{
	uint8_t *bytes = malloc(ENDS_SEND_MAX);

	FUZZ_CHECK(bytes != NULL);
	memset(bytes, 0x5a, ENDS_SEND_MAX);
	source_map = ends_map(bytes, ENDS_SEND_MAX, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	source = ends_buf(source_map, bytes, ENDS_SEND_MAX);
}

static inline void producers_begin(void)
{
	static const uint8_t daemon_id[16];

	ends_now_ns = NS_PER_SEC;
	up_conn.state = COMCH_UP;
	up_conn.link = up_link = comch_link_new(&ends_dev, "fuzz", 1, daemon_id);
	FUZZ_CHECK(up_link != NULL);
	for (size_t i = 0; i < N_PRODUCERS; i++)
		producer_start(&producers[i]);
}

/* Each task comes back. */
static inline void producers_stop(void)
{
	for (size_t i = 0; i < N_PRODUCERS; i++)
		ends_stop(doca_comch_producer_as_ctx(producers[i]));
	ends_progress(2 * ENDS_N_TASKS);
	FUZZ_CHECK(n_sends == 0);
	for (size_t i = 0; i < N_PRODUCERS; i++)
		FUZZ_CHECK(doca_comch_producer_destroy(producers[i]) == DOCA_SUCCESS);
	comch_link_end(up_link, DOCA_ERROR_CONNECTION_RESET);
}

static inline void producers_end(void)
{
	(void)comch_link_detach(up_link, PEER_ID);
	(void)comch_link_detach(up_link, STRANGE_ID);
	comch_link_unref(up_link);
}

static inline void producers_send(struct ends_step step, const struct doca_buf *buf)
{
	struct doca_comch_producer_task_send *task;
	uint8_t imm[ENDS_IMM_MAX];
	uint32_t imm_len = step.how & 2 ? (uint32_t)(step.value >> 16) % (ENDS_IMM_MAX + 1) : 0;
	struct doca_task *base;
	doca_error_t result;

	memset(imm, step.how, sizeof(imm));
	FUZZ_CHECK(doca_buf_set_data(source, source->head, step.where % (ENDS_SEND_MAX + 1)) ==
		   DOCA_SUCCESS);
	if (doca_comch_producer_task_send_alloc_init(
		    producers[step.how & 1], step.how & 8 ? NULL : buf, imm, imm_len,
		    step.how & 4 ? STRANGE_ID : PEER_ID, &task) != DOCA_SUCCESS)
		return;
	base = doca_comch_producer_task_send_as_task(task);
	n_sends++;
	if (step.how & 16)
		result = doca_task_submit_ex(base, DOCA_TASK_SUBMIT_FLAG_NONE);
	else
		result = step.how & 32 ? doca_task_try_submit(base) : doca_task_submit(base);
	if (result == DOCA_SUCCESS)
		return;
	n_sends--;
	doca_task_free(base);
}

/* The connection ends, a producer stops, or the peer's consumer goes. */
static inline void producers_end_one(struct ends_step step)
{
	if (step.how % 4 == 0)
		comch_link_end(up_link,
			       step.where & 1 ? DOCA_ERROR_CONNECTION_RESET : DOCA_SUCCESS);
	else if (step.how % 4 == 1)
		(void)doca_ctx_stop(doca_comch_producer_as_ctx(producers[step.where & 1]));
	else
		(void)comch_link_detach(up_link, step.where & 1 ? PEER_ID : STRANGE_ID);
}

static inline void producers_sleep(struct ends_step step)
{
	(void)doca_pe_request_notification(ends_pe);
	if (step.how & 1)
		(void)doca_pe_clear_notification(ends_pe, 0);
}

#endif
