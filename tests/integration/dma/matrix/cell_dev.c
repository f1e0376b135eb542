/* Opens devices by their PCI addresses with the functions of the version. */
#include <string.h>

#include "tests/integration/dma/matrix/cell.h"

/* Addresses of the default topology. */
#define HOST_BUS 0x0b
#define DPU_BUS  0x03

#if DOCA_USE_VERSION < 200
static bool is_wanted(struct doca_devinfo *devinfo, bool is_dpu)
{
	struct doca_pci_bdf bdf, wanted = {.raw = 0};

	wanted.bus = is_dpu ? DPU_BUS : HOST_BUS;
#if DOCA_USE_VERSION < 105
	CELL_OK(doca_devinfo_property_get(devinfo, DOCA_DEVINFO_PROPERTY_PCI_ADDR, (uint8_t *)&bdf,
					  sizeof(bdf)));
#else
	CELL_OK(doca_devinfo_get_pci_addr(devinfo, &bdf));
#endif
	return bdf.raw == wanted.raw;
}
#else
static bool is_wanted(struct doca_devinfo *devinfo, bool is_dpu)
{
	const char *wanted = is_dpu ? "03:00.0" : "0b:00.0";
	uint8_t is_equal;

#if DOCA_API_WORKQ
	CELL_OK(doca_devinfo_get_is_pci_addr_equal(devinfo, wanted, &is_equal));
#else
	CELL_OK(doca_devinfo_is_equal_pci_addr(devinfo, wanted, &is_equal));
#endif
	return is_equal;
}
#endif

struct doca_dev *cell_dev_open(bool is_dpu)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t n;

#if DOCA_API_WORKQ
	CELL_OK(doca_devinfo_list_create(&list, &n));
#else
	CELL_OK(doca_devinfo_create_list(&list, &n));
#endif
	for (uint32_t i = 0; i < n && dev == NULL; i++)
		if (is_wanted(list[i], is_dpu))
			CELL_OK(doca_dev_open(list[i], &dev));
	CELL_EXPECT(dev != NULL);
#if DOCA_API_WORKQ
	CELL_OK(doca_devinfo_list_destroy(list));
#else
	CELL_OK(doca_devinfo_destroy_list(list));
#endif
	return dev;
}

#if DOCA_USE_VERSION < 105
struct doca_dev_remote *cell_rep_open(struct doca_dev *dev)
{
	struct doca_devinfo_remote **list;
	struct doca_dev_remote *remote = NULL;
	uint32_t n;

	CELL_OK(doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_ALL, &list, &n));
	CELL_EXPECT(n > 0);
	CELL_OK(doca_dev_remote_open(list[0], &remote));
	CELL_OK(doca_devinfo_remote_list_destroy(list));
	return remote;
}
#else
/* Opens the representor of the host's pf0. */
struct doca_dev_rep *cell_rep_open(struct doca_dev *dev)
{
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep = NULL;
	uint32_t n;

#if DOCA_API_WORKQ
	CELL_OK(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &n));
#else
	CELL_OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n));
#endif
	for (uint32_t i = 0; i < n && rep == NULL; i++) {
		uint8_t is_equal = 0;
#if DOCA_USE_VERSION < 200
		struct doca_pci_bdf bdf;

		CELL_OK(doca_devinfo_rep_get_pci_addr(list[i], &bdf));
		is_equal = bdf.bus == HOST_BUS && bdf.device == 0 && bdf.function == 0;
#elif DOCA_API_WORKQ
		CELL_OK(doca_devinfo_rep_get_is_pci_addr_equal(list[i], "0b:00.0", &is_equal));
#else
		CELL_OK(doca_devinfo_rep_is_equal_pci_addr(list[i], "0b:00.0", &is_equal));
#endif
		if (is_equal)
			CELL_OK(doca_dev_rep_open(list[i], &rep));
	}
	CELL_EXPECT(rep != NULL);
#if DOCA_API_WORKQ
	CELL_OK(doca_devinfo_rep_list_destroy(list));
#else
	CELL_OK(doca_devinfo_rep_destroy_list(list));
#endif
	return rep;
}
#endif
