/* Creation of sync events, as called by programs of 2.0 to 2.2. */
#include <doca_sync_event.h>

#include "client/compat/workq/jobs.h"

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
	return compat_sync_event_create(event);
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
						size_t sz, struct doca_sync_event **event)
{
	return compat_sync_event_import(dev, data, sz, event);
}
