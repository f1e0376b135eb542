/*
 * Two counters of the host: the host publishes one and the DPU the other; each waits for what the
 * other published, round by round.
 */
#include "tests/integration/matrix/cell.h"

#if DOCA_USE_VERSION >= 200
#include <doca_sync_event.h>

#define ROUNDS   200
#define MAX_BLOB 1024

static void locate(struct doca_sync_event *event, struct doca_dev *dev, bool host_publishes)
{
#if DOCA_API_WORKQ
	CELL_OK(host_publishes ? doca_sync_event_publisher_add_location_cpu(event, dev)
			       : doca_sync_event_publisher_add_location_dpu(event));
	CELL_OK(host_publishes ? doca_sync_event_subscriber_add_location_dpu(event)
			       : doca_sync_event_subscriber_add_location_cpu(event, dev));
#elif DOCA_USE_VERSION < 207
	CELL_OK(host_publishes ? doca_sync_event_add_publisher_location_cpu(event, dev)
			       : doca_sync_event_add_publisher_location_dpu(event));
	CELL_OK(host_publishes ? doca_sync_event_add_subscriber_location_dpu(event)
			       : doca_sync_event_add_subscriber_location_cpu(event, dev));
#else
	CELL_OK(host_publishes ? doca_sync_event_add_publisher_location_cpu(event, dev)
			       : doca_sync_event_add_publisher_location_remote_pci(event));
	CELL_OK(host_publishes ? doca_sync_event_add_subscriber_location_remote_pci(event)
			       : doca_sync_event_add_subscriber_location_cpu(event, dev));
#endif
}

static struct doca_sync_event *event_open(int sock, struct doca_dev *dev, bool host_publishes)
{
	struct doca_sync_event *event;
	const uint8_t *blob;
	size_t len;

	CELL_OK(doca_sync_event_create(&event));
	locate(event, dev, host_publishes);
	CELL_OK(doca_sync_event_start(event));
#if DOCA_USE_VERSION < 207
	CELL_OK(doca_sync_event_export_to_dpu(event, dev, &blob, &len));
#else
	CELL_OK(doca_sync_event_export_to_remote_pci(event, dev, &blob, &len));
#endif
	cell_send(sock, blob, len);
	return event;
}

static struct doca_sync_event *event_import(int sock, struct doca_dev *dev)
{
	struct doca_sync_event *event;
	uint8_t blob[MAX_BLOB];
	size_t len = cell_recv(sock, blob, sizeof(blob));

	CELL_OK(doca_sync_event_create_from_export(dev, blob, len, &event));
	CELL_OK(doca_sync_event_start(event));
	return event;
}

static void event_close(struct doca_sync_event *event)
{
	CELL_OK(doca_sync_event_stop(event));
	CELL_OK(doca_sync_event_destroy(event));
}

/* Both ways of waiting have their turn; the values use all 64 bits. */
static void wait_for(struct doca_sync_event *event, uint64_t value)
{
	CELL_OK(value % 2 ? doca_sync_event_wait_gt(event, value - 1, UINT64_MAX)
			  : doca_sync_event_wait_gt_yield(event, value - 1, UINT64_MAX));
}

void cell_sync_host(int sock)
{
	struct doca_dev *dev = cell_dev_open(false);
	struct doca_sync_event *to = event_open(sock, dev, true);
	struct doca_sync_event *from = event_open(sock, dev, false);
	const uint64_t base = UINT64_C(1) << 60;
	uint64_t value;
	char done;

	for (uint64_t i = 1; i <= ROUNDS; i++) {
		CELL_OK(doca_sync_event_update_set(to, base + i));
		wait_for(from, base + i);
	}
	CELL_OK(doca_sync_event_get(from, &value));
	CELL_EXPECT(value == base + ROUNDS);
	CELL_EXPECT(cell_recv(sock, &done, sizeof(done)) == 1);
	event_close(to);
	event_close(from);
	CELL_OK(doca_dev_close(dev));
}

void cell_sync_dpu(int sock)
{
	struct doca_dev *dev = cell_dev_open(true);
	struct doca_sync_event *from = event_import(sock, dev), *to = event_import(sock, dev);
	const uint64_t base = UINT64_C(1) << 60;
	uint64_t before;

	for (uint64_t i = 1; i <= ROUNDS; i++) {
		wait_for(from, base + i);
		if (i == 1)
			CELL_OK(doca_sync_event_update_set(to, base + i));
		else
			CELL_OK(doca_sync_event_update_add(to, 1, &before));
	}
	event_close(from);
	event_close(to);
	cell_send(sock, "d", 1);
	CELL_OK(doca_dev_close(dev));
}
#endif
