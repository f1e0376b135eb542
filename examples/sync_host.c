/*
 * Host side of a signal between two sides. Creates a sync event that the DPU program (sync_dpu) may
 * change, exports it, and counts rounds with it. In each round this program adds 1 to the event and
 * sleeps until the other program has added 1 as well. Synchronous calls, one thread.
 *
 *   sync_host --dir DIR [--rounds N] [--timeout SECONDS] [--pci-addr A]
 *
 * DIR is a directory that both programs see; the event's descriptor is passed through it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <doca_sync_event.h>

#include "common.h"
#include "dma_channel.h"
#include "sync_names.h"

struct options {
	char dir[EXAMPLE_TEXT_LEN];
	char pci[EXAMPLE_TEXT_LEN];
	int n_rounds;
	int timeout_s;
};

static doca_error_t set_dir(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->dir, value);
}

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_rounds(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->n_rounds, value, 1, 100000000);
}

static doca_error_t set_timeout(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->timeout_s, value, 1, 3600);
}

static const struct example_param params[] = {
	{"d", "dir", "<path>", "directory shared with sync_dpu", DOCA_ARGP_TYPE_STRING, set_dir,
	 true},
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"n", "rounds", "<number>", "rounds to count", DOCA_ARGP_TYPE_INT, set_rounds, false},
	{"t", "timeout", "<seconds>", "how long to wait for sync_dpu", DOCA_ARGP_TYPE_INT,
	 set_timeout, false},
};

/* Removes files of an earlier run, which would mislead the other program. */
static void files_remove(const char *dir)
{
	static const char *const names[] = {SYNC_DESC, SYNC_READY};
	char path[EXAMPLE_TEXT_LEN + 16];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		remove(path);
	}
}

static bool dev_can_export(const struct doca_devinfo *info)
{
	return doca_sync_event_cap_is_export_to_remote_pci_supported(info) == DOCA_SUCCESS;
}

/*
 * Exports the event. The DPU side publishes, so its import may change the counter; the host side
 * always may.
 */
static doca_error_t event_export(struct doca_sync_event *event, struct doca_dev *dev,
				 const char *dir)
{
	const uint8_t *desc;
	doca_error_t result;
	size_t len;

	result = doca_sync_event_add_publisher_location_remote_pci(event);
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_add_subscriber_location_cpu(event, dev);
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_start(event);
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_export_to_remote_pci(event, dev, &desc, &len);
	if (result != DOCA_SUCCESS)
		return example_failed("export a sync event", result);
	return channel_put(dir, SYNC_DESC, desc, len) == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t rounds_count(struct doca_sync_event *event, int n_rounds)
{
	doca_error_t result = DOCA_SUCCESS;
	uint64_t value = 0;

	for (int i = 0; i < n_rounds && result == DOCA_SUCCESS; i++) {
		result = doca_sync_event_update_add(event, 1, &value);
		if (result == DOCA_SUCCESS)
			result = doca_sync_event_wait_eq_yield(event, value + 2, UINT64_MAX);
	}
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_get(event, &value);
	if (result != DOCA_SUCCESS)
		return example_failed("count a round", result);
	if (value != 2 * (uint64_t)n_rounds) {
		fprintf(stderr, "the event stands at %" PRIu64 " after %d rounds\n", value,
			n_rounds);
		return DOCA_ERROR_UNEXPECTED;
	}
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options o = {.n_rounds = 1000, .timeout_s = 30};
	struct doca_sync_event *event;
	struct doca_dev *dev;
	doca_error_t result;

	result = example_params_read("sync_host", &o, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS || example_dev_open(o.pci, dev_can_export, &dev) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	files_remove(o.dir);
	result = doca_sync_event_create(&event);
	if (result != DOCA_SUCCESS) {
		example_failed("create a sync event", result);
		doca_dev_close(dev);
		return EXIT_FAILURE;
	}
	result = event_export(event, dev, o.dir);
	/* Waits for the other program, because the first round would otherwise wait for ever. */
	if (result == DOCA_SUCCESS && channel_wait(o.dir, SYNC_READY, o.timeout_s) != 0)
		result = DOCA_ERROR_TIME_OUT;
	if (result == DOCA_SUCCESS)
		result = rounds_count(event, o.n_rounds);
	if (result == DOCA_SUCCESS)
		printf("OK %d rounds\n", o.n_rounds);
	/* Also stops the event: a program that still waits for it gets an error. */
	doca_sync_event_destroy(event);
	files_remove(o.dir);
	doca_dev_close(dev);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
