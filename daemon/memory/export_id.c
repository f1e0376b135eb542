/* Ids of exports; see export_id.h. */
#include "daemon/memory/export_id.h"

#include <endian.h>
#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/base/daemon.h"

int export_id_of(const uint8_t secret[EXPORT_SECRET_LEN], uid_t uid, uint64_t *id_out)
{
	struct {
		char what[16];
		uint8_t secret[EXPORT_SECRET_LEN];
		uint32_t uid; /* little endian */
	} from = {.what = "dococore export", .uid = htole32(uid)};
	uint8_t digest[EVP_MAX_MD_SIZE];
	uint64_t first;
	int r;

	_Static_assert(sizeof(from) == 36, "no padding");
	memcpy(from.secret, secret, EXPORT_SECRET_LEN);
	r = EVP_Digest(&from, sizeof(from), digest, NULL, EVP_sha256(), NULL);
	explicit_bzero(&from, sizeof(from));
	if (r != 1)
		return -EIO;
	memcpy(&first, digest, sizeof(first));
	*id_out = daemon_id_of(le64toh(first));
	return 0;
}

int export_id_make(uid_t uid, uint8_t secret_out[EXPORT_SECRET_LEN],
		   uint8_t other_out[EXPORT_SECRET_LEN], uint64_t *id_out)
{
	/* One system call for both secrets. */
	uint8_t secret[2 * EXPORT_SECRET_LEN];
	ssize_t n = getrandom(secret, sizeof(secret), 0);
	int r = 0;

	if (n < 0)
		r = -errno;
	else if ((size_t)n != sizeof(secret))
		r = -EIO;
	if (r == 0)
		r = export_id_of(secret, uid, id_out);
	if (r == 0) {
		memcpy(secret_out, secret, EXPORT_SECRET_LEN);
		memcpy(other_out, secret + EXPORT_SECRET_LEN, EXPORT_SECRET_LEN);
	}
	explicit_bzero(secret, sizeof(secret));
	return r;
}

void export_revoked_add(struct export_revoked *revoked, uint64_t id)
{
	if (export_revoked_has(revoked, id))
		return;
	if (revoked->n == EXPORT_MAX_REVOKED)
		memmove(revoked->ids, revoked->ids + 1, --revoked->n * sizeof(*revoked->ids));
	revoked->ids[revoked->n++] = id;
}

bool export_revoked_has(const struct export_revoked *revoked, uint64_t id)
{
	for (size_t i = 0; i < revoked->n; i++)
		if (revoked->ids[i] == id)
			return true;
	return false;
}
