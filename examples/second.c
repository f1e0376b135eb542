/*
 * The usual exchange: "second host" sends the descriptor of its memory as a message; "second dpu"
 * receives it, copies the memory by DMA, and answers with a message.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <dococ.h>

#define LEN      (1 << 20)
#define SERVICE  "second"
#define CHECK(x) check(#x, x)

static struct doca_pe *pe;
static char message[1024]; /* the last one that was received */
static uint32_t message_len;
static struct doca_comch_connection *sender; /* the connection that it came from */
static bool is_copied, is_sent;

static void check(const char *call, doca_error_t result)
{
	if (result == DOCA_SUCCESS)
		return;
	fprintf(stderr, "%s\n  %s\n", call, dococ_last_error());
	exit(1);
}

static struct doca_dev *open_first_device(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t n_devs;

	CHECK(doca_devinfo_create_list(&list, &n_devs));
	if (n_devs == 0)
		exit(1);
	CHECK(doca_dev_open(list[0], &dev));
	CHECK(doca_devinfo_destroy_list(list));
	return dev;
}

/* The representor stands for a function of the host, to whose programs the server is offered. */
static struct doca_dev_rep *open_first_representor(struct doca_dev *dev)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep;
	uint32_t n_reps;

	CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n_reps));
	if (n_reps == 0)
		exit(1);
	CHECK(doca_dev_rep_open(list[0], &rep));
	CHECK(doca_devinfo_rep_destroy_list(list));
	return rep;
}

static struct doca_mmap *map(struct doca_dev *dev, void *memory, uint32_t permissions)
{
	struct doca_mmap *mmap;

	CHECK(doca_mmap_create(&mmap));
	CHECK(doca_mmap_set_memrange(mmap, memory, LEN));
	CHECK(doca_mmap_set_permissions(mmap, permissions));
	CHECK(doca_mmap_add_dev(mmap, dev));
	CHECK(doca_mmap_start(mmap));
	return mmap;
}

/* Progress on the engine calls the functions below. */
static void wait_until(const bool *condition)
{
	while (!*condition)
		doca_pe_progress(pe);
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	check("send", doca_task_get_status(doca_comch_task_send_as_task(task)));
	doca_task_free(doca_comch_task_send_as_task(task));
	is_sent = true;
}

/* The bytes are valid only here, so they are copied. */
static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	(void)event;
	message_len = len < sizeof(message) ? len : sizeof(message);
	memcpy(message, bytes, message_len);
	sender = connection;
}

static void on_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	check("copy", doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	is_copied = true;
}

static void on_connection(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t is_successful)
{
	(void)event, (void)connection, (void)is_successful;
}

static void wait_for_message(void)
{
	for (message_len = 0; message_len == 0;)
		doca_pe_progress(pe);
}

static void start(struct doca_ctx *ctx)
{
	doca_error_t result;

	CHECK(doca_pe_connect_ctx(pe, ctx));
	result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS) /* a client is not connected yet */
		check("doca_ctx_start", result);
}

static void host(struct doca_dev *dev)
{
	static char memory[LEN] = "a megabyte of the host's memory";
	struct doca_mmap *mmap = map(dev, memory, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	struct doca_comch_client *client;
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;
	enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
	const void *export;
	size_t len;

	CHECK(doca_comch_client_create(dev, SERVICE, &client));
	CHECK(doca_comch_client_task_send_set_conf(client, on_sent, on_sent, 1));
	CHECK(doca_comch_client_event_msg_recv_register(client, on_message));
	start(doca_comch_client_as_ctx(client));
	while (state == DOCA_CTX_STATE_STARTING) {
		doca_pe_progress(pe);
		CHECK(doca_ctx_get_state(doca_comch_client_as_ctx(client), &state));
	}
	CHECK(doca_comch_client_get_connection(client, &connection));

	CHECK(doca_mmap_export_pci(mmap, dev, &export, &len));
	CHECK(doca_comch_client_task_send_alloc_init(client, connection, export, (uint32_t)len,
						     &task));
	CHECK(doca_task_submit(doca_comch_task_send_as_task(task)));
	wait_for_message();
	printf("the DPU answers: %.*s\n", (int)message_len, message);
}

static void copy(struct doca_dev *dev, struct doca_buf *from, struct doca_buf *to)
{
	union doca_data unused = {.u64 = 0};
	struct doca_dma_task_memcpy *task;
	struct doca_dma *dma;

	CHECK(doca_dma_create(dev, &dma));
	CHECK(doca_dma_task_memcpy_set_conf(dma, on_copied, on_copied, 1));
	start(doca_dma_as_ctx(dma));
	CHECK(doca_dma_task_memcpy_alloc_init(dma, from, to, unused, &task));
	CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	wait_until(&is_copied);
}

static void dpu(struct doca_dev *dev)
{
	static char memory[LEN];
	struct doca_mmap *own = map(dev, memory, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE), *hosts;
	struct doca_comch_server *server;
	struct doca_comch_task_send *task;
	struct doca_buf_inventory *inventory;
	struct doca_buf *from, *to;
	const char *answer = "copied 1048576 bytes";
	void *address;
	size_t len;

	CHECK(doca_comch_server_create(dev, open_first_representor(dev), SERVICE, &server));
	CHECK(doca_comch_server_task_send_set_conf(server, on_sent, on_sent, 1));
	CHECK(doca_comch_server_event_msg_recv_register(server, on_message));
	CHECK(doca_comch_server_event_connection_status_changed_register(server, on_connection,
									 on_connection));
	start(doca_comch_server_as_ctx(server));
	puts("waiting for the host");
	fflush(stdout);
	wait_for_message();

	CHECK(doca_mmap_create_from_export(NULL, message, message_len, dev, &hosts));
	CHECK(doca_mmap_get_memrange(hosts, &address, &len));
	CHECK(doca_buf_inventory_create(2, &inventory));
	CHECK(doca_buf_inventory_start(inventory));
	CHECK(doca_buf_inventory_buf_get_by_data(inventory, hosts, address, len, &from));
	CHECK(doca_buf_inventory_buf_get_by_addr(inventory, own, memory, LEN, &to));
	copy(dev, from, to);
	printf("copied from the host: %s\n", memory);

	CHECK(doca_comch_server_task_send_alloc_init(server, sender, answer,
						     (uint32_t)strlen(answer), &task));
	CHECK(doca_task_submit(doca_comch_task_send_as_task(task)));
	wait_until(&is_sent);
}

int main(int argc, char **argv)
{
	struct doca_dev *dev = open_first_device();

	CHECK(doca_pe_create(&pe));
	if (argc > 1 && strcmp(argv[1], "host") == 0)
		host(dev);
	else
		dpu(dev);
	return 0; /* the end of the process releases everything */
}
