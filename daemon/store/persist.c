/* Records and descriptors of objects; see persist.h and record.h. */
#include "daemon/store/persist.h"

#include <errno.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/store/fdstore.h"
#include "daemon/store/ledger.h"
#include "daemon/store/record.h"

#define PERSIST_MAX_LEN 4096

bool persist_is_enabled(const struct daemon *daemon)
{
	return daemon->ledger != NULL;
}

int persist_put(struct daemon *daemon, struct persisted *persisted, Registry__RecordType type,
		uint64_t id, const ProtobufCMessage *message)
{
	uint8_t data[PERSIST_MAX_LEN];
	size_t len = protobuf_c_message_get_packed_size(message);
	int r;

	if (len > sizeof(data))
		return -EMSGSIZE;
	protobuf_c_message_pack(message, data);
	r = ledger_put(daemon->ledger, &persisted->cell, (uint16_t)type, id, data, len);
	/* The record may contain the secret of an export. */
	explicit_bzero(data, len);
	return r;
}

static void persist_drop_fds(struct persisted *persisted)
{
	for (size_t i = 0; i < persisted->n_fds; i++) {
		fdstore_drop(persisted->fds[i]);
		persisted->fds[i] = 0;
	}
	persisted->n_fds = 0;
}

static int persist_put_fds(struct persisted *persisted, const int *fds, size_t n_fds)
{
	int r = 0;

	for (size_t i = 0; i < n_fds && r == 0; i++) {
		if (fds[i] < 0)
			continue;
		r = fdstore_put(fds[i], &persisted->fds[persisted->n_fds]);
		persisted->n_fds += r == 0;
	}
	if (r < 0)
		persist_drop_fds(persisted);
	return r;
}

int persist_fds(struct persisted *persisted, const int *fds, size_t n_fds, size_t *n_keys_out,
		uint32_t **keys_out)
{
	int r = persisted->n_fds ? 0 : persist_put_fds(persisted, fds, n_fds);

	*n_keys_out = persisted->n_fds;
	*keys_out = persisted->fds;
	return r;
}

void persist_drop(struct daemon *daemon, struct persisted *persisted)
{
	if (!daemon->ledger)
		return;
	ledger_remove(daemon->ledger, &persisted->cell);
	persist_drop_fds(persisted);
}

int persist_new_fds(struct persisted *persisted, const int *fds, size_t n, uint32_t *keys_out,
		    size_t *n_keys_out)
{
	int r = 0;

	persisted->n_fds = (uint8_t)n;
	*n_keys_out = 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		if (fds[i] < 0)
			continue;
		if (persisted->fds[i] == 0)
			r = fdstore_put(fds[i], &persisted->fds[i]);
		if (r == 0)
			keys_out[(*n_keys_out)++] = persisted->fds[i];
	}
	return r;
}

void persist_drop_old_fds(struct persisted *persisted, const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fds[i] >= 0)
			continue;
		fdstore_drop(persisted->fds[i]);
		persisted->fds[i] = 0;
	}
}
