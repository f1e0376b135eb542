/*
 * One program under load; see tests/integration/control/load.h. Threads: the main thread has one
 * progress engine for all established paths, and one for the sync event. The second thread makes
 * control calls.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/control/load_board.h"
#include "tests/lib/fast.h"
#include "util/clock.h"

#define SERVICE     "load"
#define MESSAGE_MAX 4u /* in flight */
#define FAST_LEN    3000u
#define FAST_BUFS   8u

enum { SHARED, PRIVATE };

/* Copies to one memory of the other program and back. */
struct copies {
	enum load_op op;
	struct use_dma use;
	struct doca_mmap *local, *remote;
	uint8_t *bytes; /* what is written, and behind it what is read */
	struct doca_buf *src, *dst;
	uint32_t seed;
	bool is_reading, is_in_flight;
	unsigned n_done;
};

struct program {
	struct load_board *board;
	struct load_side *own, *peer;
	enum lab_side side;
	struct fast_end end;
	struct fast_sink sink;
	struct fast_source source;
	struct copies copies[LOAD_N_MEMORIES];
	void *memories[LOAD_N_MEMORIES];
	struct doca_mmap *exports[LOAD_N_MEMORIES];
	struct sync_end own_event, peer_event;
	bool is_ending; /* begins nothing any more */
	/* Messages, fast ones and additions that were submitted. */
	uint64_t n_messages, n_fast, n_added;
};

/* --- results --- */

static void note_ok(struct program *program, enum load_op op)
{
	atomic_fetch_add(&program->own->counts[op].n_ok, 1);
}

static void note_failed(struct program *program, enum load_op op, doca_error_t result)
{
	struct load_count *count = &program->own->counts[op];

	if (atomic_load(&count->n_failed) == 0)
		snprintf(count->failure, sizeof(count->failure), "%s: %s",
			 doca_error_get_name(result), dococ_last_error());
	atomic_fetch_add(&count->n_failed, 1);
}

static bool has_failed(const struct program *program, enum load_op op)
{
	return atomic_load(&program->own->counts[op].n_failed) > 0;
}

static void note_longest(_Atomic uint64_t *longest_ns, uint64_t begin_ns)
{
	uint64_t ns = clock_now_ns() - begin_ns;

	if (ns > atomic_load(longest_ns))
		atomic_store(longest_ns, ns);
}

/* --- memory --- */

static uint32_t permissions_of(enum lab_side side)
{
	return side == LAB_HOST ? DOCA_ACCESS_FLAG_PCI_READ_WRITE
				: DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
					  DOCA_ACCESS_FLAG_RDMA_WRITE;
}

/* Only a host exports over PCI. */
static doca_error_t export_map(enum lab_side side, struct doca_mmap *mmap, struct doca_dev *dev,
			       const void **desc_out, size_t *len_out)
{
	return side == LAB_HOST ? doca_mmap_export_pci(mmap, dev, desc_out, len_out)
				: doca_mmap_export_rdma(mmap, dev, desc_out, len_out);
}

static void export_memories(struct program *program)
{
	OK(dococ_mem_alloc(LOAD_LEN, &program->memories[SHARED], NULL));
	program->memories[PRIVATE] = malloc(LOAD_LEN);
	for (size_t i = 0; i < LOAD_N_MEMORIES; i++) {
		struct load_desc *desc = &program->own->memories[i];
		const void *bytes;

		ck_assert_ptr_nonnull(program->memories[i]);
		program->exports[i] = use_mmap(program->end.dev, program->memories[i], LOAD_LEN,
					       permissions_of(program->side));
		OK(export_map(program->side, program->exports[i], program->end.dev, &bytes,
			      &desc->len));
		ck_assert_uint_le(desc->len, sizeof(desc->bytes));
		memcpy(desc->bytes, bytes, desc->len);
		desc->addr = program->memories[i];
	}
}

static void memories_free(struct program *program)
{
	for (size_t i = 0; i < LOAD_N_MEMORIES; i++)
		use_mmap_end(program->exports[i]);
	OK(dococ_mem_free(program->memories[SHARED]));
	free(program->memories[PRIVATE]);
}

/* --- copies --- */

static void copies_open(struct program *program, size_t i)
{
	struct copies *copies = &program->copies[i];
	const struct load_desc *desc = &program->peer->memories[i];

	copies->op = i == SHARED ? LOAD_SHARED : LOAD_PRIVATE;
	use_dma_open_on(&copies->use, program->end.dev, program->end.pe, 1);
	copies->bytes = calloc(2, LOAD_LEN);
	ck_assert_ptr_nonnull(copies->bytes);
	copies->local = use_mmap(program->end.dev, copies->bytes, (size_t)2 * LOAD_LEN,
				 DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_create_from_export(NULL, desc->bytes, desc->len, program->end.dev,
					&copies->remote));
}

static void copies_submit(struct program *program, struct copies *copies, void *remote_addr)
{
	struct use_dma *use = &copies->use;
	doca_error_t result;
	struct doca_task *task;

	if (copies->is_reading) {
		copies->src = use_src(use, copies->remote, remote_addr, LOAD_LEN);
		copies->dst = use_dst(use, copies->local, copies->bytes + LOAD_LEN, LOAD_LEN);
	} else {
		use_fill(copies->bytes, LOAD_LEN, ++copies->seed);
		memset(copies->bytes + LOAD_LEN, 0, LOAD_LEN);
		copies->src = use_src(use, copies->local, copies->bytes, LOAD_LEN);
		copies->dst = use_dst(use, copies->remote, remote_addr, LOAD_LEN);
	}
	task = use_task(use, copies->src, copies->dst);
	result = doca_task_submit(task);
	copies->is_in_flight = result == DOCA_SUCCESS;
	if (result == DOCA_SUCCESS)
		return;
	note_failed(program, copies->op, result);
	doca_task_free(task);
	use_buf_end(copies->src);
	use_buf_end(copies->dst);
}

static void copies_complete(struct program *program, struct copies *copies)
{
	copies->n_done++;
	copies->is_in_flight = false;
	use_buf_end(copies->src);
	use_buf_end(copies->dst);
	if (copies->use.status != DOCA_SUCCESS)
		note_failed(program, copies->op, copies->use.status);
	else
		note_ok(program, copies->op);
	if (copies->is_reading && copies->use.status == DOCA_SUCCESS)
		ck_assert_msg(use_is_filled(copies->bytes + LOAD_LEN, LOAD_LEN, copies->seed),
			      "a copy has wrong bytes");
	copies->is_reading = !copies->is_reading;
}

static void copies_step(struct program *program, size_t i)
{
	struct copies *copies = &program->copies[i];

	if (copies->use.n_ok + copies->use.n_failed > copies->n_done)
		copies_complete(program, copies);
	if (!copies->is_in_flight && !program->is_ending && !has_failed(program, copies->op))
		copies_submit(program, copies, program->peer->memories[i].addr);
}

static void copies_close(struct copies *copies)
{
	use_dma_close(&copies->use);
	use_mmap_end(copies->remote);
	use_mmap_end(copies->local);
	free(copies->bytes);
}

/* --- messages --- */

static struct doca_task *message_task(struct fast_end *end)
{
	struct doca_comch_task_send *task;

	if (end->server != NULL)
		OK(doca_comch_server_task_send_alloc_init(end->server, end->conn, "word", 4,
							  &task));
	else
		OK(doca_comch_client_task_send_alloc_init(end->client, end->conn, "word", 4,
							  &task));
	return doca_comch_task_send_as_task(task);
}

static void message_send(struct program *program)
{
	struct doca_task *task = message_task(&program->end);
	doca_error_t result = doca_task_submit(task);

	if (result == DOCA_SUCCESS) {
		program->n_messages++;
		return;
	}
	doca_task_free(task);
	if (result != DOCA_ERROR_AGAIN)
		note_failed(program, LOAD_MESSAGE, result);
}

static void message_step(struct program *program)
{
	struct fast_end *end = &program->end;
	struct load_count *count = &program->own->counts[LOAD_MESSAGE];

	if ((end->n_not_sent > 0 || end->n_disconnects > 0) && !has_failed(program, LOAD_MESSAGE))
		note_failed(program, LOAD_MESSAGE, DOCA_ERROR_CONNECTION_RESET);
	atomic_store(&count->n_ok, end->n_messages);
	if (!program->is_ending && !has_failed(program, LOAD_MESSAGE) &&
	    program->n_messages - end->n_sent < MESSAGE_MAX)
		message_send(program);
}

/* --- the fast path --- */

/* Each message has its number. */
static void on_fast(struct fast_sink *sink, const uint8_t *data, size_t len,
		    const struct doca_comch_consumer_task_post_recv *task)
{
	uint64_t number;

	ck_assert_uint_eq(doca_comch_consumer_task_post_recv_get_imm_data_len(task),
			  sizeof(number));
	memcpy(&number, doca_comch_consumer_task_post_recv_get_imm_data(task), sizeof(number));
	ck_assert_msg(number + 1 == sink->n_recv, "message %llu arrived as number %llu",
		      (unsigned long long)number, (unsigned long long)sink->n_recv - 1);
	ck_assert_msg(use_is_filled(data, len, 1), "a message has wrong bytes");
}

static void fast_step(struct program *program)
{
	static const size_t lens[] = {8, 200, FAST_LEN};
	struct load_count *count = &program->own->counts[LOAD_FAST];
	uint64_t number = program->n_fast;
	doca_error_t result;

	if ((program->source.n_failed > 0 || program->end.n_expired > 0) &&
	    !has_failed(program, LOAD_FAST))
		note_failed(program, LOAD_FAST, DOCA_ERROR_CONNECTION_RESET);
	atomic_store(&count->n_ok, program->sink.n_recv);
	if (program->is_ending || has_failed(program, LOAD_FAST) || program->source.n_idle == 0)
		return;
	result = fast_send(&program->source, program->end.peers[0], 0, lens[number % 3], &number,
			   sizeof(number));
	if (result == DOCA_SUCCESS)
		program->n_fast++;
	else if (result != DOCA_ERROR_AGAIN)
		note_failed(program, LOAD_FAST, result);
}

/* --- the sync event --- */

static void event_step(struct program *program)
{
	struct sync_end *event = &program->peer_event;

	doca_pe_progress(event->pe);
	if (event->n_ok + event->n_failed < program->n_added)
		return;
	if (event->n_failed > 0) {
		if (!has_failed(program, LOAD_EVENT))
			note_failed(program, LOAD_EVENT, event->status);
		return;
	}
	if (program->n_added > 0)
		ck_assert_uint_eq(event->fetched, program->n_added - 1);
	atomic_store(&program->own->counts[LOAD_EVENT].n_ok, event->n_ok);
	if (program->is_ending)
		return;
	sync_end_add(event, 1);
	program->n_added++;
}

/* --- control calls --- */

struct call {
	enum load_op op;
	uint64_t begin_ns;
	unsigned n_stopped, n_stops;
};

static struct call call_begin(const struct program *program, enum load_op op)
{
	return (struct call){.op = op,
			     .begin_ns = clock_now_ns(),
			     .n_stopped = atomic_load(&program->board->n_stopped),
			     .n_stops = atomic_load(&program->board->n_stops)};
}

/* Returns true if a daemon was stopped while the call was pending. */
static bool call_was_stopped(const struct program *program, const struct call *call)
{
	return call->n_stopped > 0 || atomic_load(&program->board->n_stops) != call->n_stops;
}

/*
 * If a daemon was stopped meanwhile, TIME_OUT is no failure. If a restart took longer than clients
 * wait, neither are the two results of a missing daemon.
 */
static void call_end(struct program *program, const struct call *call, doca_error_t result)
{
	bool is_late = result == DOCA_ERROR_NOT_CONNECTED && lab_was_late();

	note_longest(&program->own->longest_call_ns, call->begin_ns);
	if (result == DOCA_SUCCESS)
		note_ok(program, call->op);
	else if ((result == DOCA_ERROR_TIME_OUT || is_late) && call_was_stopped(program, call))
		atomic_fetch_add(&program->own->counts[call->op].n_timed_out, 1);
	else
		note_failed(program, call->op, result);
}

static doca_error_t open_listed(struct doca_devinfo **list, uint32_t n, const char *pci_addr,
				struct doca_dev **dev_out)
{
	uint8_t is_equal = 0;

	for (uint32_t i = 0; i < n; i++) {
		OK(doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &is_equal));
		if (is_equal)
			return doca_dev_open(list[i], dev_out);
	}
	return DOCA_ERROR_NOT_FOUND;
}

static struct doca_dev *call_open(struct program *program)
{
	const char *pci_addr = program->side == LAB_HOST ? USE_HOST_PF0 : USE_DPU_P0;
	struct call call = call_begin(program, LOAD_OPEN);
	struct doca_dev *dev = NULL;
	struct doca_devinfo **list;
	doca_error_t result;
	uint32_t n;

	result = doca_devinfo_create_list(&list, &n);
	if (result == DOCA_SUCCESS) {
		result = open_listed(list, n, pci_addr, &dev);
		OK(doca_devinfo_destroy_list(list));
	}
	call_end(program, &call, result);
	return dev;
}

static void call_export(struct program *program, struct doca_dev *dev)
{
	static uint8_t memory[4096];
	struct call call;
	struct doca_mmap *mmap = use_mmap(dev, memory, sizeof(memory),
					  permissions_of(program->side));
	const void *desc;
	size_t len;

	call = call_begin(program, LOAD_EXPORT);
	call_end(program, &call, export_map(program->side, mmap, dev, &desc, &len));
	use_mmap_end(mmap);
}

static void call_import(struct program *program, struct doca_dev *dev, unsigned i)
{
	const struct load_desc *desc = &program->peer->memories[i % LOAD_N_MEMORIES];
	struct call call = call_begin(program, LOAD_IMPORT);
	struct doca_mmap *mmap;
	doca_error_t result = doca_mmap_create_from_export(NULL, desc->bytes, desc->len, dev,
							   &mmap);

	call_end(program, &call, result);
	if (result == DOCA_SUCCESS)
		use_mmap_end(mmap);
}

static void calls_pause(struct program *program)
{
	atomic_store(&program->own->rests, true);
	while (atomic_load(&program->board->must_rest) && !atomic_load(&program->board->must_end))
		poll(NULL, 0, 1);
	atomic_store(&program->own->rests, false);
}

/* A call that times out does not prevent the following ones. */
static void *calls_main(void *arg)
{
	struct program *program = arg;

	for (unsigned i = 0; !atomic_load(&program->board->must_end); i++) {
		struct doca_dev *own = call_open(program);
		struct doca_dev *dev = own != NULL ? own : program->end.dev;

		call_export(program, dev);
		call_import(program, dev, i);
		if (own != NULL)
			OK(doca_dev_close(own));
		if (atomic_load(&program->board->must_rest))
			calls_pause(program);
	}
	return NULL;
}

/* --- the program --- */

static void set_stage(struct program *program, enum load_stage stage)
{
	atomic_store(&program->own->stage, stage);
}

static bool peer_has(const struct program *program, enum load_stage stage)
{
	return atomic_load(&program->peer->stage) >= (unsigned)stage;
}

static void work_step(struct program *program)
{
	uint64_t begin_ns = clock_now_ns();
	uint8_t did = doca_pe_progress(program->end.pe);

	note_longest(&program->own->longest_progress_ns, begin_ns);
	for (size_t i = 0; i < LOAD_N_MEMORIES; i++)
		copies_step(program, i);
	message_step(program);
	fast_step(program);
	event_step(program);
	/* Leaves processors to the daemons, the test and other tests. */
	if (did == 0)
		ppoll(NULL, 0, &(struct timespec){.tv_nsec = 50000}, NULL);
}

static void export_everything(struct program *program)
{
	struct sync_spec spec = {.side = program->side};

	export_memories(program);
	sync_end_export(&program->own_event, &spec, &program->own->event);
	set_stage(program, LOAD_HAS_EXPORTED);
}

static void connect_ends(struct program *program)
{
	struct sync_spec spec = {.side = program->side, .with_tasks = true};

	if (program->side == LAB_DPU) {
		fast_server_open(&program->end, SERVICE);
		export_everything(program);
		fast_await(&program->end, &program->end.n_connects, 1);
	} else {
		while (!peer_has(program, LOAD_HAS_EXPORTED))
			poll(NULL, 0, 1);
		fast_client_open(&program->end, SERVICE);
		export_everything(program);
	}
	while (!peer_has(program, LOAD_HAS_EXPORTED))
		use_progress(program->end.pe);
	fast_sink_open(&program->sink, &program->end, program->end.pe, FAST_SHARED, FAST_BUFS,
		       FAST_LEN);
	program->sink.look = on_fast;
	fast_source_open(&program->source, &program->end, program->end.pe, 4, FAST_LEN);
	fast_await(&program->end, &program->end.n_new, 1);
	sync_end_import(&program->peer_event, &spec, &program->peer->event);
	for (size_t i = 0; i < LOAD_N_MEMORIES; i++)
		copies_open(program, i);
}

static bool is_drained(const struct program *program)
{
	return !program->copies[SHARED].is_in_flight && !program->copies[PRIVATE].is_in_flight &&
	       program->end.n_sent + program->end.n_not_sent == program->n_messages &&
	       program->source.n_idle == program->source.n_tasks &&
	       program->peer_event.n_ok + program->peer_event.n_failed == program->n_added;
}

static bool has_received_all(const struct program *program)
{
	return peer_has(program, LOAD_HAS_DRAINED) &&
	       program->end.n_messages == atomic_load(&program->peer->n_messages) &&
	       program->sink.n_recv == atomic_load(&program->peer->n_fast);
}

/* Whatever was sent is received, and whatever was added is in the counter. */
static void finish(struct program *program)
{
	uint64_t value;

	program->is_ending = true;
	while (!is_drained(program))
		work_step(program);
	atomic_store(&program->own->n_messages, program->n_messages);
	atomic_store(&program->own->n_fast, program->n_fast);
	atomic_store(&program->own->n_added, program->n_added);
	set_stage(program, LOAD_HAS_DRAINED);
	while (!has_received_all(program))
		work_step(program);
	OK(doca_sync_event_get(program->own_event.event, &value));
	ck_assert_uint_eq(value, atomic_load(&program->peer->n_added));
	set_stage(program, LOAD_HAS_ALL);
	while (!peer_has(program, LOAD_HAS_ALL))
		work_step(program);
}

static void disconnect_ends(struct program *program)
{
	for (size_t i = 0; i < LOAD_N_MEMORIES; i++)
		copies_close(&program->copies[i]);
	sync_end_close(&program->peer_event);
	sync_end_close(&program->own_event);
	fast_source_close(&program->source);
	fast_sink_stop(&program->sink);
	fast_sink_close(&program->sink);
	memories_free(program);
	fast_end_close(&program->end);
}

void load_program(int sock, void *arg)
{
	static struct program program;
	const struct load_role *role = arg;
	pthread_t calls;

	(void)sock;
	program.board = role->board;
	program.side = role->side;
	program.own = &role->board->sides[role->side];
	program.peer = &role->board->sides[!role->side];
	connect_ends(&program);
	ck_assert_int_eq(pthread_create(&calls, NULL, calls_main, &program), 0);
	set_stage(&program, LOAD_WORKS);
	while (!atomic_load(&program.board->must_end))
		work_step(&program);
	ck_assert_int_eq(pthread_join(calls, NULL), 0);
	finish(&program);
	disconnect_ends(&program);
}
