/* DMA, as called by programs of 1.3 to 2.2. */
#include <doca_dma.h>

#include "client/compat/workq/functions.h"

doca_error_t doca_dma_create(struct doca_dma **dma)
{
	return compat_dma_create(dma);
}
