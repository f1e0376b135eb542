/*
 * Sync events of the work-queue generations: the event is started when its front is, and each work
 * queue has a lane, another context over the event's counter. Threads: see
 * client/compat/workq/workq.h.
 */
#ifndef CLIENT_COMPAT_WORKQ_SYNC_JOB_H
#define CLIENT_COMPAT_WORKQ_SYNC_JOB_H

#include "client/compat/workq/workq.h"

extern const struct workq_engine sync_job_engine;

#endif
