/* See bench/rdma/end.h. */
#include "bench/rdma/end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/raw_verbs.h"
#include "util/clock.h"

#define LIMIT_NS (10 * NS_PER_SEC)
#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

struct rdma_endpoint {
	struct rdma_end_spec spec;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_rdma_connection *conn;
	struct doca_mmap *map, *remote;
	struct doca_buf_inventory *inventory;
	uint8_t *memory, *in;
	uint64_t remote_addr;
	size_t stride, len;
	struct doca_task **sends, **writes, **reads, *add;
	/* Used by the copy test on a device. */
	struct doca_pe *copy_pe;
	struct doca_dma *dma;
	struct doca_task *copy;
	struct doca_buf *copy_dst;
	struct doca_buf **bufs; /* all except those of receives */
	uint32_t n_bufs;
	uint64_t n_done, n_sent, n_received;
	uint64_t n_pings; /* number of pings so far; the writes contain it */
	bool is_stopping;
};

/* --- completions --- */

static void task_over(struct rdma_endpoint *end, struct doca_task *task, struct doca_buf *grown)
{
	if (unlikely(doca_task_get_status(task) != DOCA_SUCCESS)) {
		if (!end->is_stopping)
			bench_check(doca_task_get_status(task), "an RDMA task");
		return;
	}
	if (grown != NULL)
		doca_buf_reset_data_len(grown);
}

#define ON_DONE(kind)                                                                   \
	static void on_##kind(struct doca_rdma_task_##kind *task, union doca_data data, \
			      union doca_data ctx_data)                                 \
	{                                                                               \
		struct rdma_endpoint *end = ctx_data.ptr;                               \
                                                                                        \
		task_over(end, doca_rdma_task_##kind##_as_task(task), data.ptr);        \
		end->n_done++;                                                          \
	}
ON_DONE(write)
ON_DONE(read)
ON_DONE(atomic_fetch_add)

static void on_send(struct doca_rdma_task_send *task, union doca_data data,
		    union doca_data ctx_data)
{
	struct rdma_endpoint *end = ctx_data.ptr;

	(void)data;
	task_over(end, doca_rdma_task_send_as_task(task), NULL);
	end->n_sent++;
}

static void on_receive(struct doca_rdma_task_receive *task, union doca_data data,
		       union doca_data ctx_data)
{
	struct doca_task *base = doca_rdma_task_receive_as_task(task);
	struct rdma_endpoint *end = ctx_data.ptr;

	task_over(end, base, data.ptr);
	if (unlikely(end->is_stopping)) {
		doca_buf_dec_refcount(data.ptr, NULL);
		doca_task_free(base);
		return;
	}
	end->n_received++;
	bench_check(doca_task_submit(base), "post a receive");
}

/* --- opening --- */

static bool is_of_machine(const char *ibdev)
{
	char path[128];

	return ibdev[0] != '\0' &&
	       snprintf(path, sizeof(path), "/sys/class/infiniband/%.64s", ibdev) <
		       (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

/* Opens the first device that supports it with this provider, or returns NULL. */
static struct doca_dev *dev_open(bool is_verbs, char ibdev[64])
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t n, i;

	bench_check(doca_devinfo_create_list(&list, &n), "list the devices");
	for (i = 0; i < n && dev == NULL; i++) {
		if (doca_devinfo_get_ibdev_name(list[i], ibdev, 64) != DOCA_SUCCESS)
			ibdev[0] = '\0';
		if (is_of_machine(ibdev) == is_verbs &&
		    doca_rdma_cap_task_write_is_supported(list[i]) == DOCA_SUCCESS)
			bench_check(doca_dev_open(list[i], &dev), "open an RDMA device");
	}
	doca_devinfo_destroy_list(list);
	return dev;
}

bool rdma_end_find_ibdev(char name[64])
{
	struct doca_dev *dev = dev_open(true, name);

	if (dev != NULL)
		doca_dev_close(dev);
	return dev != NULL;
}

void rdma_end_why_not(char *text, size_t len)
{
	const char *why = NULL;
	char ibdev[64];

	text[0] = '\0';
	if (!rdma_end_find_ibdev(ibdev))
		snprintf(text, len,
			 "no device of side %s is bound to an RDMA device of the machine",
			 bench_our_side());
	else if ((why = raw_verbs_why_not(ibdev)) != NULL)
		snprintf(text, len, "%s of side %s: %s", ibdev, bench_our_side(), why);
}

static void context_open(struct rdma_endpoint *end)
{
	union doca_data data = {.ptr = end};
	uint32_t depth = end->spec.depth;
	struct doca_ctx *ctx;

	bench_check(doca_pe_create(&end->pe), "create a progress engine");
	bench_check(doca_rdma_create(end->dev, &end->rdma), "create an RDMA context");
	ctx = doca_rdma_as_ctx(end->rdma);
	bench_check(doca_rdma_set_permissions(end->rdma, RIGHTS), "set its permissions");
	if (end->spec.is_verbs) {
		/* Uses the GID of the IPv4 address and the MTU of perftest. */
		bench_check(doca_rdma_set_gid_index(end->rdma, 1), "set the GID");
		bench_check(doca_rdma_set_mtu(end->rdma, DOCA_MTU_SIZE_4K_BYTES), "set the MTU");
	}
	bench_check(doca_rdma_set_send_queue_size(end->rdma, MAX(depth, 16u)), "set a queue");
	bench_check(doca_rdma_set_recv_queue_size(end->rdma, MAX(depth, 16u)), "set a queue");
	bench_check(doca_rdma_task_send_set_conf(end->rdma, on_send, on_send, depth), "configure");
	bench_check(doca_rdma_task_receive_set_conf(end->rdma, on_receive, on_receive, depth),
		    "configure");
	bench_check(doca_rdma_task_write_set_conf(end->rdma, on_write, on_write, depth),
		    "configure");
	bench_check(doca_rdma_task_read_set_conf(end->rdma, on_read, on_read, depth), "configure");
	bench_check(doca_rdma_task_atomic_fetch_add_set_conf(end->rdma, on_atomic_fetch_add,
							     on_atomic_fetch_add, 1),
		    "configure");
	bench_check(doca_pe_connect_ctx(end->pe, ctx), "connect to the progress engine");
	bench_check(doca_ctx_set_user_data(ctx, data), "set the user data");
	bench_check(doca_ctx_start(ctx), "start an RDMA context");
}

static void memory_open(struct rdma_endpoint *end)
{
	const struct rdma_end_spec *s = &end->spec;

	end->stride = ALIGN_UP((size_t)s->size, 64);
	end->len = 2 * end->stride * s->depth;
	end->memory = device_memory_new(s->is_shared ? TRANSPORT_SHM : TRANSPORT_PVM, end->len);
	end->in = end->memory + end->len / 2;
	memset(end->memory, 0, end->len);
	bench_check(doca_mmap_create(&end->map), "create a memory map");
	bench_check(doca_mmap_set_memrange(end->map, end->memory, end->len), "set its range");
	bench_check(doca_mmap_set_permissions(end->map, RIGHTS), "set its permissions");
	bench_check(doca_mmap_add_dev(end->map, end->dev), "add the device to it");
	bench_check(doca_mmap_start(end->map), "start the memory map");
	bench_check(doca_buf_inventory_create(6 * s->depth + 4, &end->inventory),
		    "create an inventory");
	bench_check(doca_buf_inventory_start(end->inventory), "start an inventory");
}

struct rdma_endpoint *rdma_end_new(const struct rdma_end_spec *spec)
{
	char ibdev[64];
	struct doca_dev *dev = dev_open(spec->is_verbs, ibdev);
	struct rdma_endpoint *end;

	if (dev == NULL)
		return NULL;
	end = bench_alloc(1, sizeof(*end));
	end->spec = *spec;
	end->dev = dev;
	context_open(end);
	memory_open(end);
	return end;
}

/*
 * Forces exports and imports between the two processes to use the RDMA device, although processes
 * of one machine have faster transports.
 */
static char *device_only_begin(const struct rdma_endpoint *end)
{
	const char *former = getenv("DOCOCORED_TRANSPORT");
	char *copy = former == NULL ? NULL : strdup(former);

	if (end->spec.is_verbs)
		setenv("DOCOCORED_TRANSPORT", "verbs", 1);
	return copy;
}

static void device_only_end(char *former)
{
	if (former != NULL)
		setenv("DOCOCORED_TRANSPORT", former, 1);
	else
		unsetenv("DOCOCORED_TRANSPORT");
	free(former);
}

/* Writes one descriptor, preceded by its length. */
static uint32_t payload_put(uint8_t *payload, uint32_t at, const void *data, size_t len)
{
	uint32_t n = (uint32_t)len;

	if (at + sizeof(n) + len > RDMA_PAYLOAD_MAX)
		bench_die("the descriptors of an RDMA connection are too long");
	memcpy(payload + at, &n, sizeof(n));
	memcpy(payload + at + sizeof(n), data, len);
	return at + (uint32_t)sizeof(n) + n;
}

uint32_t rdma_end_export(struct rdma_endpoint *end, uint8_t payload[RDMA_PAYLOAD_MAX])
{
	const void *data;
	char *former;
	uint32_t at;
	size_t len;

	bench_check(doca_rdma_export(end->rdma, &data, &len, &end->conn), "export a connection");
	at = payload_put(payload, 0, data, len);
	former = device_only_begin(end);
	bench_check(doca_mmap_export_rdma(end->map, end->dev, &data, &len), "export memory");
	device_only_end(former);
	return payload_put(payload, at, data, len);
}

/* --- tasks --- */

static struct doca_buf *buf_of(struct rdma_endpoint *end, struct doca_mmap *map, uint64_t addr,
			       uint32_t len, bool has_data)
{
	struct doca_buf *buf;
	void *p = (void *)(uintptr_t)addr;

	bench_check(has_data
			    ? doca_buf_inventory_buf_get_by_data(end->inventory, map, p, len, &buf)
			    : doca_buf_inventory_buf_get_by_addr(end->inventory, map, p, len, &buf),
		    "get a buffer");
	return buf;
}

/* Registers a buffer to be released with the end. */
static struct doca_buf *buf_track(struct rdma_endpoint *end, struct doca_buf *buf)
{
	end->bufs[end->n_bufs++] = buf;
	return buf;
}

static void receives_post(struct rdma_endpoint *end)
{
	for (uint32_t i = 0; i < end->spec.depth; i++) {
		struct doca_buf *buf = buf_of(end, end->map, (uintptr_t)end->in + i * end->stride,
					      end->spec.size, false);
		union doca_data data = {.ptr = buf};
		struct doca_rdma_task_receive *task;

		bench_check(doca_rdma_task_receive_allocate_init(end->rdma, buf, data, &task),
			    "allocate a receive");
		bench_check(doca_task_submit(doca_rdma_task_receive_as_task(task)),
			    "post a receive");
	}
}

/* Creates the buffers and tasks for one place of the other end's memory. */
static void place_make(struct rdma_endpoint *end, uint32_t i)
{
	uint32_t size = end->spec.size;
	uint64_t at = i * end->stride, half = end->len / 2;
	uint64_t own = (uintptr_t)end->memory;
	struct doca_buf *src = buf_track(end, buf_of(end, end->map, own + at, size, true));
	struct doca_buf *dst =
		buf_track(end, buf_of(end, end->remote, end->remote_addr + half + at, size, false));
	struct doca_rdma_task_write *write;
	struct doca_rdma_task_read *read;
	struct doca_rdma_task_send *send;
	union doca_data data = {.ptr = dst}, none = {.ptr = NULL};

	bench_check(
		doca_rdma_task_write_allocate_init(end->rdma, end->conn, src, dst, data, &write),
		"allocate a write");
	end->writes[i] = doca_rdma_task_write_as_task(write);
	src = buf_track(end, buf_of(end, end->remote, end->remote_addr + at, size, true));
	dst = buf_track(end, buf_of(end, end->map, own + half + at, size, false));
	data.ptr = dst;
	bench_check(doca_rdma_task_read_allocate_init(end->rdma, end->conn, src, dst, data, &read),
		    "allocate a read");
	end->reads[i] = doca_rdma_task_read_as_task(read);
	src = buf_track(end, buf_of(end, end->map, own + at, size, true));
	bench_check(doca_rdma_task_send_allocate_init(end->rdma, end->conn, src, none, &send),
		    "allocate a send");
	end->sends[i] = doca_rdma_task_send_as_task(send);
}

static void add_make(struct rdma_endpoint *end)
{
	struct doca_buf *dst = buf_track(end, buf_of(end, end->remote, end->remote_addr, 8, false));
	struct doca_buf *result = buf_track(end,
					    buf_of(end, end->map, (uintptr_t)end->in, 8, false));
	union doca_data data = {.ptr = result};
	struct doca_rdma_task_atomic_fetch_add *add;

	bench_check(doca_rdma_task_atomic_fetch_add_allocate_init(end->rdma, end->conn, dst, result,
								  1, data, &add),
		    "allocate a fetch-add");
	end->add = doca_rdma_task_atomic_fetch_add_as_task(add);
}

static void on_copy(struct doca_dma_task_memcpy *task, union doca_data data,
		    union doca_data ctx_data)
{
	struct rdma_endpoint *end = ctx_data.ptr;

	(void)data;
	task_over(end, doca_dma_task_memcpy_as_task(task), NULL);
	end->n_done++;
}

/* The copy has its own progress engine, as a copying program need not have the RDMA context. */
static void copy_make(struct rdma_endpoint *end)
{
	union doca_data data = {.ptr = end};
	uint32_t size = end->spec.size;
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src;
	struct doca_ctx *ctx;

	bench_check(doca_pe_create(&end->copy_pe), "create a progress engine");
	bench_check(doca_dma_create(end->dev, &end->dma), "create a DMA context");
	ctx = doca_dma_as_ctx(end->dma);
	bench_check(doca_pe_connect_ctx(end->copy_pe, ctx), "connect to the progress engine");
	bench_check(doca_dma_task_memcpy_set_conf(end->dma, on_copy, on_copy, 1), "configure");
	bench_check(doca_ctx_set_user_data(ctx, data), "set the user data");
	bench_check(doca_ctx_start(ctx), "start a DMA context");
	src = buf_track(end, buf_of(end, end->remote, end->remote_addr, size, true));
	end->copy_dst = buf_track(end, buf_of(end, end->map, (uintptr_t)end->in, size, false));
	bench_check(doca_dma_task_memcpy_alloc_init(end->dma, src, end->copy_dst, data, &task),
		    "allocate a copy");
	end->copy = doca_dma_task_memcpy_as_task(task);
}

static const uint8_t *payload_get(const uint8_t *payload, uint32_t *at, uint32_t len,
				  uint32_t *n_out)
{
	const uint8_t *data = payload + *at + sizeof(uint32_t);

	memcpy(n_out, payload + *at, sizeof(uint32_t));
	*at += (uint32_t)sizeof(uint32_t) + *n_out;
	if (*at > len)
		bench_die("the other process sent half a descriptor");
	return data;
}

/* Waits for a completed task, because no event reports that the connection is established. */
static void await_connection(struct rdma_endpoint *end)
{
	uint64_t deadline_ns = clock_now_ns() + LIMIT_NS, before = end->n_done;

	bench_check(doca_task_submit(end->reads[0]), "submit a read");
	while (end->n_done == before) {
		doca_pe_progress(end->pe);
		if (clock_now_ns() > deadline_ns)
			bench_die("rdma: no connection after 10 seconds");
	}
}

void rdma_end_connect(struct rdma_endpoint *end, const uint8_t *payload, uint32_t len)
{
	uint32_t depth = end->spec.depth, at = 0, n;
	const uint8_t *data = payload_get(payload, &at, len, &n);
	char *former;
	void *addr;
	size_t remote_len;

	bench_check(doca_rdma_connect(end->rdma, data, n, end->conn), "connect");
	data = payload_get(payload, &at, len, &n);
	former = device_only_begin(end);
	bench_check(doca_mmap_create_from_export(NULL, data, n, end->dev, &end->remote),
		    "import memory");
	device_only_end(former);
	bench_check(doca_mmap_get_memrange(end->remote, &addr, &remote_len), "ask its range");
	end->remote_addr = (uintptr_t)addr;
	end->bufs = bench_alloc(5 * depth + 4, sizeof(struct doca_buf *));
	end->writes = bench_alloc(depth, sizeof(struct doca_task *));
	end->reads = bench_alloc(depth, sizeof(struct doca_task *));
	end->sends = bench_alloc(depth, sizeof(struct doca_task *));
	for (uint32_t i = 0; i < depth; i++)
		place_make(end, i);
	if (end->spec.size >= 8)
		add_make(end);
	if (end->spec.is_verbs)
		copy_make(end);
	receives_post(end);
	await_connection(end);
}

void *rdma_end_inbox(const struct rdma_endpoint *end)
{
	return end->in;
}

/* --- measured loops --- */

static inline void submit(struct doca_task *task)
{
	bench_check(doca_task_submit(task), "submit an RDMA task");
}

static void run_one_by_one(struct rdma_endpoint *end, struct doca_task *task, uint64_t n,
			   struct laps *laps)
{
	uint64_t until = end->n_done + n;

	while (end->n_done != until) {
		uint64_t before = end->n_done;

		laps_mark(laps);
		submit(task);
		while (end->n_done == before)
			doca_pe_progress(end->pe);
	}
}

static void run_copies(struct rdma_endpoint *end, uint64_t n, struct laps *laps)
{
	for (; n > 0; n--) {
		uint64_t before = end->n_done;

		laps_mark(laps);
		doca_buf_reset_data_len(end->copy_dst);
		submit(end->copy);
		while (end->n_done == before)
			doca_pe_progress(end->copy_pe);
	}
}

static void run_depth(struct rdma_endpoint *end, struct doca_task **tasks, uint64_t n)
{
	uint64_t first = end->n_done, n_submitted = 0;

	/* Tasks complete in order. */
	while (end->n_done - first < n) {
		if (n_submitted < n && n_submitted - (end->n_done - first) < end->spec.depth)
			submit(tasks[n_submitted++ % end->spec.depth]);
		else
			doca_pe_progress(end->pe);
	}
}

static void wait_for_byte(const struct rdma_endpoint *end, uint8_t mark)
{
	const volatile uint8_t *last = end->in + end->spec.size - 1;

	while (*last != mark)
		;
}

static void write_ping(struct rdma_endpoint *end, bool is_active, uint64_t n, struct laps *laps)
{
	for (; n > 0; n--) {
		uint8_t mark = (uint8_t)++end->n_pings;

		laps_mark(laps);
		if (!is_active)
			wait_for_byte(end, mark);
		end->memory[end->spec.size - 1] = mark;
		run_one_by_one(end, end->writes[0], 1, NULL);
		if (is_active)
			wait_for_byte(end, mark);
	}
}

static void send_ping(struct rdma_endpoint *end, bool is_active, uint64_t n, struct laps *laps)
{
	uint64_t sent = end->n_sent, received = end->n_received;
	uint32_t slot = 0;

	for (; n > 0; n--) {
		laps_mark(laps);
		received++;
		while (!is_active && end->n_received < received)
			doca_pe_progress(end->pe);
		/* The reply may come before the completion of the message that it answers. */
		while (sent - end->n_sent >= end->spec.depth)
			doca_pe_progress(end->pe);
		submit(end->sends[slot]);
		slot = slot + 1 == end->spec.depth ? 0 : slot + 1;
		sent++;
		while (is_active && end->n_received < received)
			doca_pe_progress(end->pe);
	}
	while (end->n_sent < sent)
		doca_pe_progress(end->pe);
}

void rdma_end_run(struct rdma_endpoint *end, enum rdma_pattern pattern, bool is_active, uint64_t n,
		  struct laps *laps)
{
	switch (pattern) {
	case RDMA_WRITE_PING:
		write_ping(end, is_active, n, laps);
		break;
	case RDMA_SEND_PING:
		send_ping(end, is_active, n, laps);
		break;
	case RDMA_WRITE_ONE:
		run_one_by_one(end, end->writes[0], n, laps);
		break;
	case RDMA_READ_ONE:
		run_one_by_one(end, end->reads[0], n, laps);
		break;
	case RDMA_ADD_ONE:
		run_one_by_one(end, end->add, n, laps);
		break;
	case RDMA_COPY_ONE:
		run_copies(end, n, laps);
		break;
	case RDMA_WRITE_DEPTH:
		run_depth(end, end->writes, n);
		break;
	case RDMA_READ_DEPTH:
		run_depth(end, end->reads, n);
		break;
	case N_RDMA_PATTERNS:
		break;
	}
	laps_mark(laps);
}

/* --- teardown --- */

static void ctx_end(struct doca_ctx *ctx, struct doca_pe *pe)
{
	uint64_t deadline_ns = clock_now_ns() + LIMIT_NS;
	doca_error_t result = doca_ctx_stop(ctx);
	enum doca_ctx_states state;

	if (result != DOCA_ERROR_IN_PROGRESS)
		bench_check(result, "stop a context");
	while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE) {
		doca_pe_progress(pe);
		if (clock_now_ns() > deadline_ns)
			bench_die("rdma: a context does not stop");
	}
}

static void copy_delete(struct rdma_endpoint *end)
{
	doca_task_free(end->copy);
	ctx_end(doca_dma_as_ctx(end->dma), end->copy_pe);
	bench_check(doca_dma_destroy(end->dma), "destroy a DMA context");
	bench_check(doca_pe_destroy(end->copy_pe), "destroy a progress engine");
}

void rdma_end_delete(struct rdma_endpoint *end)
{
	end->is_stopping = true;
	for (uint32_t i = 0; i < end->spec.depth; i++) {
		doca_task_free(end->writes[i]);
		doca_task_free(end->reads[i]);
		doca_task_free(end->sends[i]);
	}
	if (end->add != NULL)
		doca_task_free(end->add);
	if (end->copy != NULL)
		copy_delete(end);
	ctx_end(doca_rdma_as_ctx(end->rdma), end->pe);
	bench_check(doca_rdma_destroy(end->rdma), "destroy an RDMA context");
	bench_check(doca_pe_destroy(end->pe), "destroy a progress engine");
	while (end->n_bufs > 0)
		doca_buf_dec_refcount(end->bufs[--end->n_bufs], NULL);
	bench_check(doca_buf_inventory_destroy(end->inventory), "destroy an inventory");
	bench_check(doca_mmap_destroy(end->remote), "destroy a map");
	bench_check(doca_mmap_destroy(end->map), "destroy a map");
	device_memory_free(end->spec.is_shared ? TRANSPORT_SHM : TRANSPORT_PVM, end->memory,
			   end->len);
	doca_dev_close(end->dev);
	free(end->writes);
	free(end->reads);
	free(end->sends);
	free(end->bufs);
	free(end);
}
