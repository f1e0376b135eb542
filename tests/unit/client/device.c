/*
 * The simulated devices of fixture.h. They have a file of their own, so that a test which replaces
 * parts of the library may use them.
 */
#include "tests/unit/client/fixture.h"

struct doca_devinfo unit_info = {
	.refs = 1,
	.name = "p0",
	.caps = {.dma = true,
		 .export_pci = true,
		 .import_pci = true,
		 .dma_max_buf_size = SIZE_MAX,
		 .dma_max_list_len = UINT32_MAX,
		 .dma_max_tasks = 4096},
};
struct doca_dev unit_dev = {.info = &unit_info, .n_opens = 1};
struct doca_dev unit_dev_other = {.info = &unit_info, .n_opens = 1};
