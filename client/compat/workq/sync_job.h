/*
 * Sync events of the generations of work queues: the event is started with its legacy context. Each
 * work queue has a work-queue context, which is another context over the event's counter. Threads:
 * see client/compat/workq/workq.h.
 */
#ifndef CLIENT_COMPAT_WORKQ_SYNC_JOB_H
#define CLIENT_COMPAT_WORKQ_SYNC_JOB_H

#include "client/compat/workq/workq.h"

extern const struct workq_engine sync_job_engine;

#endif
