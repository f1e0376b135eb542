/* Names of the files that sync_host and sync_dpu pass each other, see dma_channel.h. */
#ifndef EXAMPLES_SYNC_NAMES_H
#define EXAMPLES_SYNC_NAMES_H

#define SYNC_DESC  "event.desc"
#define SYNC_READY "ready"

#endif
