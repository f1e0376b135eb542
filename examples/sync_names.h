/* Names of the files through which sync_host and sync_dpu exchange data, see dma_channel.h. */
#ifndef EXAMPLES_SYNC_NAMES_H
#define EXAMPLES_SYNC_NAMES_H

#define SYNC_DESC  "event.desc"
#define SYNC_READY "ready"

#endif
