/* See tests/conformance/foreign.h. Compiled once for each version. */
#include "tests/conformance/foreign.h"

#include "tests/abi/interface_all.h"
#include "tests/lib/expect.h"

#define TEXT(x)  TEXT_(x)
#define TEXT_(x) #x

/* One program contains the rows of all versions. */
#define SAME(name, ...)                                                                        \
	static const struct foreign_row row_##name                                             \
		__attribute__((used, aligned(8), section("rows_" TEXT(DOCA_USE_VERSION)))) = { \
			#name, (void (*)(void))(name), #__VA_ARGS__}
#define SAME_TYPE(name, ...)   struct foreign_nothing
#define IS(name, value)        struct foreign_nothing
#define THERE(name)            struct foreign_nothing
#define SIZE(type, size)       struct foreign_nothing
#define FIELD(type, name, ...) struct foreign_nothing

#include "tests/abi/interface_core.h"
#include "tests/abi/interface_run.h"
#include "tests/abi/interface_channel.h"
#include "tests/abi/interface_rdma.h"
#include "tests/abi/interface_engines.h"

#define BEGIN VERSIONED(__start_rows_)
#define END   VERSIONED(__stop_rows_)
extern const struct foreign_row BEGIN[], END[];

#define ADD(kind, made)                        \
	objects[n++] = (struct foreign_object) \
	{                                      \
		"struct doca_" #kind, made     \
	}

#define MEMORY 4096u

static uint8_t memory[MEMORY] __attribute__((aligned(MEMORY)));

/* Makes a map that is in use: a buffer refers to it. */
static struct doca_mmap *started(struct doca_dev *dev, struct doca_buf **buf_out)
{
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;

#if IN(103, 104)
	OK(doca_mmap_create("started", &mmap));
	OK(doca_buf_inventory_create("started", 2, DOCA_BUF_EXTENSION_NONE, &inventory));
#elif IN(105, 204)
	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &inventory));
#else
	OK(doca_mmap_create(&mmap));
	OK(doca_buf_inventory_create(2, &inventory));
#endif
#if IN(103, 105)
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_populate(mmap, (char *)memory, MEMORY, MEMORY, NULL, NULL));
#else
	OK(doca_mmap_set_memrange(mmap, memory, MEMORY));
#if IN(200, 204)
	OK(doca_mmap_dev_add(mmap, dev));
#else
	OK(doca_mmap_add_dev(mmap, dev));
#endif
	OK(doca_mmap_start(mmap));
#endif
	OK(doca_buf_inventory_start(inventory));
#if IN(103, 204)
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap, (char *)memory, MEMORY, buf_out));
#else
	OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, MEMORY, buf_out));
#endif
	return mmap;
}

static size_t make(struct doca_dev *dev, struct foreign_object objects[FOREIGN_MAX])
{
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;
	struct doca_dma *dma;
	size_t n = 0;

#if IN(103, 104)
	OK(doca_mmap_create("foreign", &mmap));
	OK(doca_buf_inventory_create("foreign", 2, DOCA_BUF_EXTENSION_NONE, &inventory));
#elif IN(105, 204)
	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &inventory));
#else
	OK(doca_mmap_create(&mmap));
	OK(doca_buf_inventory_create(2, &inventory));
#endif
#if IN(103, 204)
	struct doca_workq *workq;

	OK(doca_dma_create(&dma));
	OK(doca_workq_create(2, &workq));
	ADD(workq, workq);
#else
	OK(doca_dma_create(dev, &dma));
#endif
	ADD(mmap, mmap);
	ADD(mmap, started(dev, &buf));
	ADD(buf, buf);
	ADD(buf_inventory, inventory);
	ADD(dma, dma);
	ADD(ctx, doca_dma_as_ctx(dma));
#if IN(200, 999)
	struct doca_sync_event *event;
	struct doca_graph *graph;
	struct doca_rdma *rdma;
	struct doca_sha *sha;

	OK(doca_sync_event_create(&event));
#if IN(200, 204)
	OK(doca_sha_create(&sha));
	OK(doca_rdma_create(&rdma));
	OK(doca_graph_create(&graph));
#else
	struct doca_buf_arr *array;
	struct doca_pe *pe;

	OK(doca_pe_create(&pe));
	OK(doca_sha_create(dev, &sha));
	OK(doca_rdma_create(dev, &rdma));
	OK(doca_graph_create(pe, &graph));
#if IN(205, 206)
	OK(doca_buf_arr_create(mmap, &array));
#else
	OK(doca_buf_arr_create(2, &array));
#endif
	ADD(buf_arr, array);
#endif
	ADD(sync_event, event);
	ADD(graph, graph);
	ADD(rdma, rdma);
	ADD(sha, sha);
	ADD(ctx, doca_sync_event_as_ctx(event));
	ADD(ctx, doca_rdma_as_ctx(rdma));
	ADD(ctx, doca_sha_as_ctx(sha));
#endif
#if IN(205, 206)
	struct doca_cc_client *client;

	OK(doca_cc_client_create(dev, "foreign", &client));
	ADD(ctx, doca_cc_client_as_ctx(client));
#elif IN(207, 999)
	struct doca_comch_client *client;
	struct doca_mmap_advise *advise;

	OK(doca_comch_client_create(dev, "foreign", &client));
	ADD(ctx, doca_comch_client_as_ctx(client));
	OK(doca_mmap_advise_create(dev, &advise));
	ADD(ctx, doca_mmap_advise_as_ctx(advise));
#endif
#if IN(200, 208)
	struct doca_comm_channel_ep_t *ep;

	OK(doca_comm_channel_ep_create(&ep));
	ADD(comm_channel_ep_t, ep);
#elif IN(103, 104)
	struct doca_comm_channel_init_attr attr = {.cookie = 1, .flags = 0, .maxmsgs = 8};
	struct doca_comm_channel_ep_t *ep;

	attr.msgsize = 64;
	OK(doca_comm_channel_ep_create(&attr, &ep));
	ADD(comm_channel_ep_t, ep);
#endif
	return n;
}

struct foreign_program VERSIONED(foreign_)(void)
{
	return (struct foreign_program){
		.version = DOCA_USE_VERSION,
		.rows = BEGIN,
		.n_rows = (size_t)(END - BEGIN),
		.make = make,
	};
}
