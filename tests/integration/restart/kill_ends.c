/* See tests/integration/restart/kill_ends.h. */
#include "tests/integration/restart/kill_ends.h"

#include <sched.h>
#include <string.h>

#include <doca_comch.h>

#include "tests/lib/use.h"
#include "util/clock.h"

#define SERVICE   "kill"
#define N_TASKS   16u
#define MSG_LEN   64u
#define QUEUE     32u
#define N_EXPORTS 4u
/* Number of messages after which a client connects again. */
#define N_MESSAGES 20u
/* An export that is not copied from ends after that. */
#define EXPORT_NS (2 * NS_PER_MS)
/* A client without a server gives up, and exports instead. */
#define CONNECT_NS (20 * NS_PER_MS)

static struct kill_board *board;

/* --- what both ends do with messages --- */

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	(void)event;
	(void)bytes;
	(void)len;
	(void)connection;
	atomic_fetch_add(&board->n_messages, 1);
}

static void on_done(struct doca_comch_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void stop(struct doca_pe *pe, struct doca_ctx *ctx)
{
	doca_error_t result = doca_ctx_stop(ctx);
	enum doca_ctx_states state;

	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS ||
		  result == DOCA_ERROR_BAD_STATE);
	for (;;) {
		OK(doca_ctx_get_state(ctx, &state));
		if (state == DOCA_CTX_STATE_IDLE)
			return;
		use_progress(pe);
	}
}

/* --- the host's end --- */

static void publish_desc(const void *desc, size_t len, void *addr)
{
	ck_assert_uint_le(len, sizeof(board->desc));
	atomic_fetch_or(&board->n, 1);
	board->desc_len = len;
	board->addr = addr;
	memcpy(board->desc, desc, len);
	atomic_fetch_add(&board->n, 1);
}

static void await_copy(uint64_t n_copies)
{
	uint64_t deadline_ns = clock_now_ns() + EXPORT_NS;

	while (atomic_load(&board->n_copies) == n_copies && clock_now_ns() < deadline_ns)
		sched_yield();
}

/* Memory that importers map, or that they copy through the kernel. */
static void export_once(struct doca_dev *dev, bool is_shared)
{
	static uint8_t private_memory[KILL_LEN];
	void *addr = private_memory;
	const void *desc;
	struct doca_mmap *mmap;
	uint64_t n_copies;
	size_t len;

	if (is_shared)
		OK(dococ_mem_alloc(KILL_LEN, &addr, NULL));
	mmap = use_mmap(dev, addr, KILL_LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_mmap_export_pci(mmap, dev, &desc, &len));
	n_copies = atomic_load(&board->n_copies);
	publish_desc(desc, len, addr);
	atomic_fetch_add(&board->n_exports, 1);
	await_copy(n_copies);
	use_mmap_end(mmap);
	if (is_shared)
		OK(dococ_mem_free(addr));
}

static bool is_running(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	OK(doca_ctx_get_state(ctx, &state));
	return state == DOCA_CTX_STATE_RUNNING;
}

static void send_one(struct doca_comch_client *client)
{
	static uint8_t bytes[MSG_LEN];
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;

	if (doca_comch_client_get_connection(client, &connection) != DOCA_SUCCESS ||
	    doca_comch_client_task_send_alloc_init(client, connection, bytes, sizeof(bytes),
						   &task) != DOCA_SUCCESS)
		return;
	if (doca_task_submit(doca_comch_task_send_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
}

static void exchange(struct doca_pe *pe, struct doca_comch_client *client)
{
	struct doca_ctx *ctx = doca_comch_client_as_ctx(client);
	uint64_t deadline_ns = clock_now_ns() + CONNECT_NS;
	enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;

	while (state == DOCA_CTX_STATE_STARTING && clock_now_ns() < deadline_ns) {
		use_progress(pe);
		OK(doca_ctx_get_state(ctx, &state));
	}
	if (state == DOCA_CTX_STATE_RUNNING)
		atomic_fetch_add(&board->n_connections, 1);
	for (unsigned i = 0; i < N_MESSAGES && is_running(ctx); i++) {
		send_one(client);
		use_progress(pe);
	}
}

static void connect_once(struct doca_pe *pe, struct doca_dev *dev)
{
	struct doca_comch_client *client;
	doca_error_t result;

	OK(doca_comch_client_create(dev, SERVICE, &client));
	OK(doca_pe_connect_ctx(pe, doca_comch_client_as_ctx(client)));
	OK(doca_comch_client_set_max_msg_size(client, MSG_LEN));
	OK(doca_comch_client_set_recv_queue_size(client, QUEUE));
	OK(doca_comch_client_task_send_set_conf(client, on_done, on_done, N_TASKS));
	OK(doca_comch_client_event_msg_recv_register(client, on_message));
	result = doca_ctx_start(doca_comch_client_as_ctx(client));
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS) {
		exchange(pe, client);
		stop(pe, doca_comch_client_as_ctx(client));
	}
	OK(doca_comch_client_destroy(client));
}

void kill_exporter(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_pe *pe;

	(void)sock;
	board = arg;
	OK(doca_pe_create(&pe));
	for (;;) {
		for (unsigned i = 0; i < N_EXPORTS; i++)
			export_once(dev, i % 2 == 0);
		connect_once(pe, dev);
	}
}

/* --- the DPU's end --- */

static void on_connection(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t is_success)
{
	(void)event;
	(void)connection;
	(void)is_success;
}

static void serve(struct doca_pe *pe, struct doca_dev *dev)
{
	struct doca_dev_rep *rep = use_rep(dev);
	struct doca_comch_server *server;
	doca_error_t result;

	OK(doca_comch_server_create(dev, rep, SERVICE, &server));
	OK(doca_pe_connect_ctx(pe, doca_comch_server_as_ctx(server)));
	OK(doca_comch_server_set_max_msg_size(server, MSG_LEN));
	OK(doca_comch_server_set_recv_queue_size(server, QUEUE));
	OK(doca_comch_server_task_send_set_conf(server, on_done, on_done, N_TASKS));
	OK(doca_comch_server_event_msg_recv_register(server, on_message));
	OK(doca_comch_server_event_connection_status_changed_register(server, on_connection,
								      on_connection));
	result = doca_ctx_start(doca_comch_server_as_ctx(server));
	ck_assert(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
}

/* False: there is no export, or it is being replaced. */
static bool receive_export(struct kill_board *taken)
{
	uint32_t n = atomic_load(&board->n);

	if (n == 0 || n % 2 != 0)
		return false;
	taken->desc_len = board->desc_len;
	taken->addr = board->addr;
	memcpy(taken->desc, board->desc, sizeof(taken->desc));
	return atomic_load(&board->n) == n && taken->desc_len <= sizeof(taken->desc);
}

static void import_once(struct use_dma *use, struct doca_mmap *local, uint8_t *mine)
{
	struct doca_mmap *remote;
	struct kill_board taken;

	if (!receive_export(&taken) ||
	    doca_mmap_create_from_export(NULL, taken.desc, taken.desc_len, use->dev, &remote) !=
		    DOCA_SUCCESS)
		return;
	if (use_copy(use, remote, taken.addr, local, mine, KILL_LEN) == DOCA_SUCCESS)
		atomic_fetch_add(&board->n_copies, 1);
	use_mmap_end(remote);
}

void kill_importer(int sock, void *arg)
{
	static uint8_t mine[KILL_LEN];
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_mmap *local;
	struct use_dma use = {.dev = dev};

	(void)sock;
	board = arg;
	use_dma_open(&use, dev, N_TASKS);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	serve(use.pe, dev);
	for (;;) {
		import_once(&use, local, mine);
		use_progress(use.pe);
	}
}
