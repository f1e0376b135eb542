/* Interoperation with programs that use rdma-core themselves; see client/memory/rdma_bridge.h. */
#include "client/memory/rdma_bridge.h"

#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>
#include <doca_rdma_bridge.h>

#include "client/base/error.h"
#include "client/device/dev.h"
#include "client/device/devlist.h"
#include "client/memory/buf.h"
#include "client/memory/mmap.h"

#define NO_KEYS                                                                    \
	"%s: %s has no keys: it is bound to no RDMA device that can be used here " \
	"(ibdev in the topology)"

/* --- devices --- */

static const char *pd_device(const struct ibv_pd *pd)
{
	const char *name = NULL;

	for (size_t i = 0; mem_key_table[i] != NULL && name == NULL; i++)
		name = mem_key_table[i]->pd_device(pd);
	return name;
}

/* Copies the device record, so that the copy can be marked as created from a protection domain. */
static struct doca_devinfo *devinfo_copy(const struct doca_devinfo *from)
{
	struct doca_devinfo *info = malloc(sizeof(*info));

	if (info == NULL)
		return NULL;
	memcpy(info, from, sizeof(*info));
	atomic_init(&info->refs, 1);
	info->is_of_pd = true;
	return info;
}

static doca_error_t open_listed(struct doca_devinfo *const *list, const char *ibdev,
				struct ibv_pd *pd, struct doca_dev **dev_out, const char *what)
{
	struct doca_devinfo *info;
	doca_error_t result;

	while (*list != NULL && strcmp((*list)->ibdev, ibdev) != 0)
		list++;
	if (*list == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "%s: no device of this side is bound to the RDMA device %s; bind "
				 "one in the topology (ibdev = %s), or have devices discovered",
				 what, ibdev, ibdev);
	info = devinfo_copy(*list);
	if (info == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory", what);
	result = dev_open(info, pd, dev_out);
	devinfo_unref(info);
	return result;
}

doca_error_t bridge_open_dev(struct ibv_pd *pd, struct doca_dev **dev_out, const char *what)
{
	struct doca_devinfo **list;
	doca_error_t result;
	const char *ibdev;
	uint32_t n;

	if (pd == NULL || dev_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 pd == NULL ? "the protection domain" : "the result");
	if (mem_key_table[0] == NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "%s: this build knows no protection domains; it was configured "
				 "without verbs",
				 what);
	ibdev = pd_device(pd);
	if (ibdev == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the protection domain is of no RDMA device", what);
	result = devlist_create(&list, &n);
	if (result != DOCA_SUCCESS)
		return result;
	result = open_listed(list, ibdev, pd, dev_out, what);
	(void)devlist_destroy(list);
	return result;
}

doca_error_t bridge_get_pd(const struct doca_dev *dev, struct ibv_pd **pd_out, const char *what)
{
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;

	if (dev == NULL || pd_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 dev == NULL ? "dev" : "the result");
	if (dev->users_pd != NULL) {
		*pd_out = dev->users_pd;
		return DOCA_SUCCESS;
	}
	for (size_t i = 0; mem_key_table[i] != NULL && result == DOCA_ERROR_NOT_SUPPORTED; i++)
		result = mem_key_table[i]->get_pd((struct doca_dev *)(uintptr_t)dev, pd_out);
	if (result == DOCA_ERROR_NOT_SUPPORTED)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: %s has no protection domain: it is bound to no RDMA device "
				 "that can be used here (ibdev in the topology)",
				 what, dev->info->name);
	return result == DOCA_SUCCESS ? result : DOCA_ERROR_BAD_STATE;
}

/* --- keys --- */

/* An import has the key that its exporter made, or none: its addresses are not this process's. */
static doca_error_t mmap_check_key(const struct doca_mmap *mmap, const char *what)
{
	if (!mmap->from_export || mmap->has_remote_key)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "%s: the mmap was imported, and its exporter gave no key; it has to call "
			 "doca_mmap_export_rdma with a device that is bound to an RDMA device",
			 what);
}

/* Returns NOT_SUPPORTED without an error sentence if the device does not use keys. */
static doca_error_t mmap_get_key(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out)
{
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;

	for (size_t i = 0; mem_key_table[i] != NULL && result == DOCA_ERROR_NOT_SUPPORTED; i++)
		result = mem_key_table[i]->get_local(mmap, dev, key_out);
	return result;
}

doca_error_t bridge_get_buf_key(const struct doca_buf *buf, struct doca_dev *dev,
				unsigned generations, uint32_t *key_out, const char *what)
{
	doca_error_t result;

	if (buf == NULL || dev == NULL || key_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 buf == NULL   ? "buf"
				 : dev == NULL ? "dev"
					       : "the result");
	/* Imports are exempt: one call creates them for several generations. */
	if (buf->mmap != NULL && !buf->mmap->from_export &&
	    mmap_check_api(buf->mmap, generations, "mkey") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (buf->mmap == NULL || !mmap_is_usable(buf->mmap) || !mmap_has_dev(buf->mmap, dev))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the buffer is of no started mmap that has %s; add the device "
				 "before the start, or import with it",
				 what, dev->info->name);
	if (mmap_check_key(buf->mmap, what) != DOCA_SUCCESS)
		return DOCA_ERROR_NOT_SUPPORTED;
	result = mmap_get_key(buf->mmap, dev, key_out);
	if (result == DOCA_SUCCESS)
		return result;
	if (result == DOCA_ERROR_NOT_SUPPORTED)
		error_set(result, NO_KEYS, what, dev->info->name);
	/* The contract has this one code. An error sentence with the cause is recorded already. */
	return DOCA_ERROR_NOT_SUPPORTED;
}

/* --- public functions --- */

doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd)
{
	return bridge_get_pd(dev, pd, "rdma bridge dev pd");
}

doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev)
{
	return bridge_open_dev(pd, dev, "rdma bridge open dev");
}

doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf, struct doca_dev *dev,
					   uint32_t *mkey)
{
	return bridge_get_buf_key(buf, dev, MMAP_TASK, mkey, "rdma bridge buf mkey");
}

static struct doca_dev *mmap_dev_of_pd(const struct doca_mmap *mmap, const struct ibv_pd *pd)
{
	for (uint32_t i = 0; i < mmap->n_devs; i++) {
		struct doca_dev *dev = mmap->devs[i];

		if (dev->users_pd == pd ||
		    (atomic_load(&dev->pd_holder) != NULL && dev->returned_pd == pd))
			return dev;
	}
	return NULL;
}

doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *mkey)
{
	doca_error_t result;

	if (mmap == NULL || dev == NULL || mkey == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap mkey: %s is NULL",
				 mmap == NULL  ? "mmap"
				 : dev == NULL ? "dev"
					       : "the result");
	if (mmap_check_api(mmap, MMAP_TASK, "mkey") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (!mmap_has_dev(mmap, dev))
		return error_set(DOCA_ERROR_NOT_FOUND, "mmap mkey: %s was not added to the mmap",
				 dev->info->name);
	if (!mmap->started)
		return error_set(DOCA_ERROR_BAD_STATE, "mmap mkey: the mmap is %s",
				 mmap->from_export ? "another process's, which has its key"
						   : "not started");
	result = mmap_get_key(mmap, dev, mkey);
	if (result == DOCA_ERROR_NOT_SUPPORTED)
		return error_set(result, NO_KEYS, "mmap mkey", dev->info->name);
	/* An error sentence with the cause is recorded already. */
	return result == DOCA_SUCCESS ? result : DOCA_ERROR_OPERATING_SYSTEM;
}

doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(const struct doca_mmap *mmap, struct ibv_pd *pd,
						    uint32_t *mkey)
{
	struct doca_dev *dev;
	doca_error_t result;

	if (mmap == NULL || pd == NULL || mkey == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma bridge mmap mkey: %s is NULL",
				 mmap == NULL ? "mmap"
				 : pd == NULL ? "the protection domain"
					      : "the result");
	if (mmap_check_api(mmap, MMAP_TASK, "mkey") != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	if (!mmap_is_usable(mmap))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma bridge mmap mkey: the mmap is not started");
	dev = mmap_dev_of_pd(mmap, pd);
	if (dev == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "rdma bridge mmap mkey: no device of the mmap is of that "
				 "protection domain; add one from "
				 "doca_rdma_bridge_open_dev_from_pd before the start");
	if (mmap_check_key(mmap, "rdma bridge mmap mkey") != DOCA_SUCCESS)
		return DOCA_ERROR_OPERATING_SYSTEM;
	result = mmap_get_key((struct doca_mmap *)(uintptr_t)mmap, dev, mkey);
	if (result == DOCA_ERROR_NOT_SUPPORTED)
		error_set(result, "rdma bridge mmap mkey: %s has no keys", dev->info->name);
	/* The contract has this one code. An error sentence with the cause is recorded already. */
	return result == DOCA_SUCCESS ? result : DOCA_ERROR_OPERATING_SYSTEM;
}
