/*
 * AES-GCM: declarations that its files share. client/aes_gcm/aes_gcm.c has the object and
 * its start, key.c the keys, task.c the public functions of tasks, run.c their execution, caps.c
 * the capabilities.
 *
 * A task is computed completely while it runs, unless it is held (client/staging/staging.h).
 * Nothing is allocated per task: a key has libcrypto's contexts, and the object has scratch memory.
 * Threads: those of the progress engine; a long task may run on the thread of its context.
 */
#ifndef CLIENT_AES_GCM_AES_GCM_H
#define CLIENT_AES_GCM_AES_GCM_H

#include <openssl/evp.h>

#include <doca_aes_gcm.h>

#include "client/memory/buf.h"
#include "client/staging/staging.h"
#include "util/bounce.h"

#define AES_GCM_MAX_IV_LEN 128u /* the longest that libcrypto takes */
/* GCM counts the blocks of a message with 32 bits. */
#define AES_GCM_MAX_LEN ((UINT64_C(1) << 36) - 32)
#define AES_GCM_TAG_96  12u
#define AES_GCM_TAG_128 16u

enum gcm_direction { GCM_ENCRYPT, GCM_DECRYPT };

/*
 * A key: one context of libcrypto for each direction, with the expanded key. They are shared by all
 * tasks of the key, because the tasks of an object run one after the other, each to its end before
 * the next one begins.
 */
struct doca_aes_gcm_key {
	struct doca_aes_gcm *aes_gcm;
	struct list node; /* in aes_gcm->keys */
	enum doca_aes_gcm_key_type type;
	EVP_CIPHER_CTX *ciphers[2]; /* by enum gcm_direction */
	uint32_t iv_lens[2];        /* the IV length that each context is set to */
};

struct gcm_task {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
	struct doca_aes_gcm_key *key; /* NULL if it was destroyed, or is of another object */
	bool is_key_foreign;          /* the last key that was set is of another object */
	uint32_t aad_size, tag_size;
	uint32_t iv_len; /* as the caller set it; may exceed the array */
	uint8_t iv[AES_GCM_MAX_IV_LEN];
};
STAGED_TASK_ASSERT(gcm_task);

struct gcm_scratch;

struct doca_aes_gcm {
	union {
		struct doca_ctx ctx;
		struct staged_ctx staged;
	};
	struct task_pool pools[2]; /* by enum gcm_direction */
	struct list keys;          /* of struct doca_aes_gcm_key */
	/* Limits of the device. */
	uint64_t max_buf_size;
	uint32_t max_list_len, max_iv_len, tags;
	/* For memory that is not mapped in this process, and for memory that another process may
	 * write; allocated at start. */
	struct gcm_scratch *scratch;
	/* For the plaintext of a long message until it is authenticated; grows with the messages.
	 */
	struct bounce held;
};

static inline struct doca_aes_gcm *aes_gcm_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_aes_gcm, ctx);
}

/* Returns whether the device has a key type. The type may be invalid. */
static inline bool gcm_has_key_type(const struct doca_devinfo *info,
				    enum doca_aes_gcm_key_type type)
{
	return (type == DOCA_AES_GCM_KEY_128 || type == DOCA_AES_GCM_KEY_256) &&
	       (info->caps.aes_gcm_keys & (unsigned)type) != 0;
}

/* Returns whether `tags`, a set of bits as in struct dev_caps, has a tag size in bytes. */
static inline bool gcm_has_tag_size(uint32_t tags, uint32_t size)
{
	return (size == AES_GCM_TAG_96 && (tags & 1) != 0) ||
	       (size == AES_GCM_TAG_128 && (tags & 2) != 0);
}

/* The query that has another name in 2.5. */
doca_error_t gcm_cap_max_iv_len(const struct doca_devinfo *devinfo, enum gcm_direction direction,
				uint32_t *len_out);

/* The operations of held tasks and of the two pools, in client/aes_gcm/run.c. */
extern const struct staging_ops gcm_staging_ops;
doca_error_t gcm_encrypt_execute(struct doca_task *task);
doca_error_t gcm_encrypt_validate(const struct doca_task *task);
doca_error_t gcm_decrypt_execute(struct doca_task *task);
doca_error_t gcm_decrypt_validate(const struct doca_task *task);

/* Returns memory that core dumps leave out, or NULL if there is none. Deleting overwrites it. */
struct gcm_scratch *gcm_scratch_new(void);
void gcm_scratch_delete(struct gcm_scratch *scratch);

#endif
