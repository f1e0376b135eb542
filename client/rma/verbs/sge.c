/* Memory pieces of requests and of receives; see client/rma/verbs/domain.h. */
#include "client/base/error.h"
#include "client/memory/mmap.h"
#include "client/rma/verbs/mem.h"
#include "client/rma/verbs/domain.h"
#include "util/str.h"

doca_error_t verbs_sges_fill(struct verbs_device *device, const struct rdma_wr *wr, bool needs_keys,
			     struct ibv_sge *sges, int *n_out)
{
	int n = 0;

	for (uint32_t i = 0; i < wr->n_sges; i++) {
		const struct rdma_sge *from = &wr->sges[i];
		const struct mem_key *key = NULL;

		if (from->len == 0)
			continue;
		if (needs_keys) {
			key = verbs_mem_find(from->mmap, device);
			if (unlikely(key == NULL)) {
				doca_error_t result = verbs_mem_register(
					(struct doca_mmap *)from->mmap, device, false, &key);

				if (result != DOCA_SUCCESS)
					return result;
			}
		}
		sges[n++] = (struct ibv_sge){
			.addr = (uintptr_t)from->addr,
			.length = (uint32_t)from->len,
			.lkey = key != NULL ? key->local : 0,
		};
	}
	*n_out = n;
	return DOCA_SUCCESS;
}

doca_error_t verbs_wr_len(struct rdma_wr *wr, uint32_t max_sges, uint32_t max_len)
{
	uint64_t len = 0;

	if (unlikely(wr->n_sges > max_sges))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma: a list of %u %s, at most %u were configured", wr->n_sges,
				 plural(wr->n_sges, "buffer", "buffers"), max_sges);
	for (uint32_t i = 0; i < wr->n_sges; i++) {
		if (wr->sges[i].len > max_len)
			len = UINT32_MAX;
		len += wr->sges[i].len;
	}
	if (unlikely(len > max_len))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma: a message has at most %u bytes on this device", max_len);
	wr->len = (uint32_t)len;
	return DOCA_SUCCESS;
}
