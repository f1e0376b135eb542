/* Records and descriptors of objects; see persist.h and record.h. */
#include "daemon/store/persist.h"

#include <errno.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/store/fdstore.h"
#include "daemon/store/ledger.h"
#include "daemon/store/record.h"

#define KEEP_MAX_LEN 4096

bool keep_is_on(const struct daemon *daemon)
{
	return daemon->ledger != NULL;
}

int keep_put(struct daemon *daemon, struct kept *kept, Registry__RecordType type, uint64_t id,
	     const ProtobufCMessage *message)
{
	uint8_t data[KEEP_MAX_LEN];
	size_t len = protobuf_c_message_get_packed_size(message);
	int r;

	if (len > sizeof(data))
		return -EMSGSIZE;
	protobuf_c_message_pack(message, data);
	r = ledger_put(daemon->ledger, &kept->cell, (uint16_t)type, id, data, len);
	/* The record may contain the secret of an export. */
	explicit_bzero(data, len);
	return r;
}

static void keep_drop_fds(struct kept *kept)
{
	for (size_t i = 0; i < kept->n_fds; i++) {
		fdstore_drop(kept->fds[i]);
		kept->fds[i] = 0;
	}
	kept->n_fds = 0;
}

static int keep_put_fds(struct kept *kept, const int *fds, size_t n_fds)
{
	int r = 0;

	for (size_t i = 0; i < n_fds && r == 0; i++) {
		if (fds[i] < 0)
			continue;
		r = fdstore_put(fds[i], &kept->fds[kept->n_fds]);
		kept->n_fds += r == 0;
	}
	if (r < 0)
		keep_drop_fds(kept);
	return r;
}

int keep_fds(struct kept *kept, const int *fds, size_t n_fds, size_t *n_keys_out,
	     uint32_t **keys_out)
{
	int r = kept->n_fds ? 0 : keep_put_fds(kept, fds, n_fds);

	*n_keys_out = kept->n_fds;
	*keys_out = kept->fds;
	return r;
}

void keep_drop(struct daemon *daemon, struct kept *kept)
{
	if (!daemon->ledger)
		return;
	ledger_remove(daemon->ledger, &kept->cell);
	keep_drop_fds(kept);
}

int keep_new_fds(struct kept *kept, const int *fds, size_t n, uint32_t *keys_out,
		 size_t *n_keys_out)
{
	int r = 0;

	kept->n_fds = (uint8_t)n;
	*n_keys_out = 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		if (fds[i] < 0)
			continue;
		if (kept->fds[i] == 0)
			r = fdstore_put(fds[i], &kept->fds[i]);
		if (r == 0)
			keys_out[(*n_keys_out)++] = kept->fds[i];
	}
	return r;
}

void keep_old_fds(struct kept *kept, const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fds[i] >= 0)
			continue;
		fdstore_drop(kept->fds[i]);
		kept->fds[i] = 0;
	}
}
