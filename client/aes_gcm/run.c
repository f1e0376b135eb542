/*
 * Execution of AES-GCM tasks; see client/aes_gcm/aes_gcm.h: the checks, the pass over the message,
 * storing the result. The result is appended to the destination, whose lengths grow only if the
 * whole task succeeds. A decryption that fails overwrites with zeros what it wrote.
 *
 * Memory that no other process can reach is read and written in place. Otherwise each piece goes
 * through scratch memory, because libcrypto reads its input, and the ciphertext that it produces,
 * more than once: another process that changes them meanwhile would make it decrypt other bytes
 * than it authenticates, or authenticate other bytes than it encrypts.
 *
 * Plaintext must not reach another process before it is authenticated. If another process may see
 * the destination, a message that fits the scratch memory is therefore decrypted there, and stored
 * when its tag was found to match. A longer one whose source cannot change is verified in a pass of
 * its own first. One whose source may change between two passes is decrypted into memory of its
 * length. All memory of the program counts as memory that another process may see and change while
 * the thread of the context executes a task. Threads: those of the progress engine; for long tasks,
 * that of the context.
 */
#include <errno.h>
#include <openssl/err.h>
#include <string.h>

#include "client/aes_gcm/aes_gcm.h"
#include "client/base/error.h"
#include "client/memory/buf_check.h"
#include "util/secret.h"

#define SCRATCH_LEN (64u << 10)
/* The piece that is copied at a time within this process, so that it stays in the cache. */
#define COPY_LEN (16u << 10)
/* libcrypto counts in int; a multiple of the block. */
#define UPDATE_LEN (1u << 30)

struct gcm_scratch {
	uint8_t in[SCRATCH_LEN], out[SCRATCH_LEN];
};

struct gcm_scratch *gcm_scratch_new(void)
{
	return secret_alloc(sizeof(struct gcm_scratch));
}

void gcm_scratch_delete(struct gcm_scratch *scratch)
{
	secret_free(scratch);
}

/* --- checks --- */

struct gcm_fault {
	doca_error_t code;
	const char *text;
};

static const struct gcm_fault src_faults[] = {
	[BUF_NONE] = {DOCA_ERROR_INVALID_VALUE, "the source buffer is NULL"},
	[BUF_NOT_PERMITTED] = {DOCA_ERROR_NOT_PERMITTED,
			       "the source's mmap gives no right to read"},
	[BUF_STOPPED] = {DOCA_ERROR_BAD_STATE,
			 "the source's mmap is not started; call doca_mmap_start before"},
	[BUF_OUT_OF_RANGE] = {DOCA_ERROR_INVALID_VALUE,
			      "the source's data section leaves its buffer"},
	[BUF_DEV] = {DOCA_ERROR_INVALID_VALUE,
		     "the source's mmap does not have the context's device; use doca_mmap_add_dev"},
	[BUF_REVOKED] = {DOCA_ERROR_IO_FAILED,
			 "the exporter of the source stopped its mmap or ended"},
	[BUF_OVERFLOW] = {DOCA_ERROR_INVALID_VALUE,
			  "the source is longer than the device takes; ask "
			  "doca_aes_gcm_cap_task_encrypt_get_max_buf_size or its sibling"},
};

static const struct gcm_fault dst_faults[] = {
	[BUF_NONE] = {DOCA_ERROR_INVALID_VALUE, "the destination buffer is NULL"},
	[BUF_NOT_PERMITTED] = {DOCA_ERROR_NOT_PERMITTED,
			       "the destination's mmap gives no right to write; see "
			       "doca_mmap_set_permissions"},
	[BUF_STOPPED] = {DOCA_ERROR_BAD_STATE,
			 "the destination's mmap is not started; call doca_mmap_start before"},
	[BUF_OUT_OF_RANGE] = {DOCA_ERROR_INVALID_VALUE,
			      "the destination's data section leaves its buffer"},
	[BUF_DEV] = {DOCA_ERROR_INVALID_VALUE,
		     "the destination's mmap does not have the context's device; use "
		     "doca_mmap_add_dev"},
	[BUF_REVOKED] = {DOCA_ERROR_IO_FAILED,
			 "the exporter of the destination stopped its mmap or ended"},
	[BUF_OVERFLOW] = {DOCA_ERROR_INVALID_VALUE,
			  "the destination has more data than can be counted"},
};

static const struct gcm_fault fault_key = {
	DOCA_ERROR_INVALID_VALUE, "the key is NULL, or was destroyed after the task got it"};
static const struct gcm_fault fault_key_owner = {
	DOCA_ERROR_INVALID_VALUE, "the key is of another object; create one with this object"};
static const struct gcm_fault fault_iv = {
	DOCA_ERROR_INVALID_VALUE, "the IV is empty or longer than the device takes; ask "
				  "doca_aes_gcm_cap_task_encrypt_get_max_iv_len or its sibling"};
static const struct gcm_fault fault_tag = {
	DOCA_ERROR_INVALID_VALUE,
	"the device has no tags of this size; they are of 12 and of 16 bytes"};
static const struct gcm_fault fault_aad = {
	DOCA_ERROR_INVALID_VALUE,
	"the source is shorter than the AAD, which is its first aad_size bytes"};
static const struct gcm_fault fault_no_tag = {
	DOCA_ERROR_INVALID_VALUE,
	"the source is shorter than the AAD and the tag, which are its first aad_size and its last "
	"tag_size bytes"};
static const struct gcm_fault fault_list = {
	DOCA_ERROR_INVALID_VALUE,
	"more buffers in a list than the device takes; ask "
	"doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem or its sibling"};
static const struct gcm_fault fault_room = {
	DOCA_ERROR_INVALID_VALUE,
	"the result does not fit behind the destination's data: an encryption adds tag_size bytes "
	"to the length of the source, a decryption removes them; doca_buf_reset_data_len makes "
	"room in a used buffer"};
static const struct gcm_fault fault_overlap = {
	DOCA_ERROR_INVALID_VALUE,
	"the result would overwrite a part of the source; use the same address for both, or "
	"separate memory"};

static inline size_t result_len(const struct gcm_task *t, enum gcm_direction direction,
				size_t src_len)
{
	return direction == GCM_ENCRYPT ? src_len + t->tag_size : src_len - t->tag_size;
}

static inline const struct gcm_fault *check_arguments(const struct gcm_task *t)
{
	const struct doca_aes_gcm *aes_gcm = aes_gcm_of(t->task.ctx);

	if (unlikely(t->key == NULL))
		return t->is_key_foreign ? &fault_key_owner : &fault_key;
	if (unlikely(t->iv_len == 0 || t->iv_len > aes_gcm->max_iv_len))
		return &fault_iv;
	if (unlikely(!gcm_has_tag_size(aes_gcm->tags, t->tag_size)))
		return &fault_tag;
	return NULL;
}

/* Returns NULL if the source contains what the task says about it. */
static inline const struct gcm_fault *check_lengths(const struct gcm_task *t,
						    enum gcm_direction direction, size_t src_len)
{
	if (unlikely(src_len > aes_gcm_of(t->task.ctx)->max_buf_size))
		return &src_faults[BUF_OVERFLOW];
	if (direction == GCM_ENCRYPT && unlikely(src_len < t->aad_size))
		return &fault_aad;
	if (direction == GCM_DECRYPT && unlikely(src_len < (size_t)t->aad_size + t->tag_size))
		return &fault_no_tag;
	return NULL;
}

static inline uint8_t *src_at(const struct doca_buf *buf)
{
	return buf->data + buf->mmap->delta;
}

static inline uint8_t *room_at(const struct doca_buf *buf)
{
	return buf->data + buf->data_len + buf->mmap->delta;
}

/* Returns whether two ranges have a byte in common. */
static inline bool ranges_meet(uintptr_t a, size_t a_len, uintptr_t b, size_t b_len)
{
	return a < b + b_len && b < a + a_len && a_len > 0 && b_len > 0;
}

/* Returns whether the result overlaps the source, except in place. Both are single buffers. */
static inline bool overlaps(const struct gcm_task *t, size_t out_len)
{
	uintptr_t in = (uintptr_t)src_at(t->src), out = (uintptr_t)room_at(t->dst);

	return in != out && ranges_meet(in, t->src->data_len, out, out_len);
}

/* Returns whether two buffers can be compared by address: both are mapped in this process, or both
 * are in the same imported memory. */
static bool have_same_addresses(const struct doca_mmap *a, const struct doca_mmap *b)
{
	return a == b || (a->direct && b->direct);
}

/* Like overlaps(), for lists. A byte of the result may have the address of the byte at the same
 * place of the source, because that one has been read by then. */
static __attribute__((noinline)) bool lists_overlap(const struct gcm_task *t, size_t out_len)
{
	const struct doca_buf *src, *dst;
	size_t dst_at = 0;

	for (dst = t->dst; dst_at < out_len; dst = dst->next) {
		size_t n = MIN(buf_tail_room(dst), out_len - dst_at), from = 0;
		uintptr_t out = (uintptr_t)room_at(dst);

		BUF_FOR_EACH(src, t->src)
		{
			uintptr_t in = (uintptr_t)src_at(src);

			if (in - from != out - dst_at && ranges_meet(in, src->data_len, out, n) &&
			    have_same_addresses(src->mmap, dst->mmap))
				return true;
			from += src->data_len;
		}
		dst_at += n;
	}
	return false;
}

/* Returns whether another process may reach the memory before the task has been executed. The
 * program goes on while the context's thread executes a task, and may export the memory then. */
static inline bool may_be_shared(const struct doca_mmap *mmap, bool is_on_thread)
{
	return mmap_may_be_shared(mmap) || (is_on_thread && !mmap->is_private);
}

/* Sums up source and destination. Returns NULL if both can be used. Then *is_simple_out is whether
 * they are single buffers in memory that no other process can reach. */
static inline const struct gcm_fault *check_buffers(const struct gcm_task *t, bool is_on_thread,
						    struct buf_sum *src, struct buf_sum *dst,
						    bool *is_simple_out)
{
	const struct doca_dev *dev = t->task.ctx->dev;
	enum buf_fault fault;

	*is_simple_out = likely(buf_is_simple(t->src, dev, MMAP_FAST_SRC)) &&
			 likely(buf_is_simple(t->dst, dev, MMAP_FAST_DST)) &&
			 !may_be_shared(t->src->mmap, is_on_thread) &&
			 !may_be_shared(t->dst->mmap, is_on_thread);
	if (likely(*is_simple_out)) {
		*src = (struct buf_sum){.data_len = t->src->data_len, .n = 1};
		*dst = (struct buf_sum){.room = buf_tail_room(t->dst), .n = 1};
		return NULL;
	}
	fault = buf_check(t->src, dev, BUF_READ, src);
	if (unlikely(fault != BUF_VALID))
		return &src_faults[fault];
	fault = buf_check(t->dst, dev, BUF_WRITE, dst);
	return unlikely(fault != BUF_VALID) ? &dst_faults[fault] : NULL;
}

/* Returns NULL if the task is valid. Then *src_len_out has the source's length; *is_simple_out is
 * as in check_buffers(). */
static inline const struct gcm_fault *gcm_check(const struct gcm_task *t,
						enum gcm_direction direction, bool is_on_thread,
						size_t *src_len_out, bool *is_simple_out)
{
	uint32_t max_list_len = aes_gcm_of(t->task.ctx)->max_list_len;
	const struct gcm_fault *wrong = check_arguments(t);
	struct buf_sum src, dst;

	if (likely(wrong == NULL))
		wrong = check_buffers(t, is_on_thread, &src, &dst, is_simple_out);
	if (likely(wrong == NULL))
		wrong = check_lengths(t, direction, src.data_len);
	if (unlikely(wrong != NULL))
		return wrong;
	if (unlikely(src.n > max_list_len || dst.n > max_list_len))
		return &fault_list;
	if (unlikely(dst.room < result_len(t, direction, src.data_len)))
		return &fault_room;
	if (unlikely(*is_simple_out ? overlaps(t, result_len(t, direction, src.data_len))
				    : lists_overlap(t, result_len(t, direction, src.data_len))))
		return &fault_overlap;
	*src_len_out = src.data_len;
	return NULL;
}

/* Returns NULL, or how a valid task exceeds what a held task can have. */
static const char *gcm_exceeds(const struct gcm_task *t, enum gcm_direction direction,
			       size_t src_len)
{
	const struct staging_need need = {.src_len = src_len,
					  .dst_len = result_len(t, direction, src_len)};

	return staging_exceeds((const struct staged_task *)(const void *)t, &need);
}

static doca_error_t validate(const struct doca_task *task, enum gcm_direction direction,
			     const char *what)
{
	const struct gcm_task *t = (const struct gcm_task *)(const void *)task;
	size_t src_len;
	bool is_simple;
	const struct gcm_fault *fault = gcm_check(t, direction, false, &src_len, &is_simple);
	const char *text = fault != NULL ? fault->text : gcm_exceeds(t, direction, src_len);

	if (text == NULL)
		return DOCA_SUCCESS;
	/* The contract of try_submit has one code for an invalid task. */
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s", what, text);
}

doca_error_t gcm_encrypt_validate(const struct doca_task *task)
{
	return validate(task, GCM_ENCRYPT, "aes_gcm encrypt");
}

doca_error_t gcm_decrypt_validate(const struct doca_task *task)
{
	return validate(task, GCM_DECRYPT, "aes_gcm decrypt");
}

/* --- errors of an execution --- */

/* A queue reports an invalid operation as a failed one. */
static __attribute__((noinline)) doca_error_t fail(const struct gcm_fault *fault, const char *what)
{
	return error_set(fault->code == DOCA_ERROR_INVALID_VALUE ? DOCA_ERROR_IO_FAILED
								 : fault->code,
			 "%s: %s", what, fault->text);
}

static __attribute__((noinline)) doca_error_t cipher_failed(void)
{
	return error_set(DOCA_ERROR_UNEXPECTED, "aes_gcm: libcrypto refused to process a message");
}

static __attribute__((noinline)) doca_error_t not_authentic(void)
{
	return error_set(
		DOCA_ERROR_IO_FAILED,
		"aes_gcm decrypt: the tag does not match: the key, the IV, the size of the "
		"tag or of the AAD differ from the encryption's, or the message was "
		"changed; the destination has no data of it");
}

static __attribute__((noinline)) doca_error_t transfer_failed(ssize_t r)
{
	if (r == -ESRCH)
		return error_set(DOCA_ERROR_IO_FAILED,
				 "aes_gcm: the process that exported the memory has ended");
	if (r == -EFAULT)
		return error_set(DOCA_ERROR_IO_FAILED, "aes_gcm: part of the range is not mapped "
						       "(any more) in the process that owns it");
	if (r == -EPERM)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "aes_gcm: the kernel refuses access to the exporter's memory");
	return error_set(DOCA_ERROR_IO_FAILED, "aes_gcm: the transfer failed: %s",
			 strerror((int)-r));
}

/* --- libcrypto --- */

static bool cipher_begin(const struct gcm_task *t, enum gcm_direction direction)
{
	struct doca_aes_gcm_key *key = t->key;
	EVP_CIPHER_CTX *cipher = key->ciphers[direction];

	if (unlikely(key->iv_lens[direction] != t->iv_len)) {
		if (EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_IVLEN, (int)t->iv_len, NULL) != 1)
			return false;
		key->iv_lens[direction] = t->iv_len;
	}
	return EVP_CipherInit_ex(cipher, NULL, NULL, NULL, t->iv, -1) == 1;
}

/* Processes payload, or AAD if `out` is NULL. */
static bool cipher_update(EVP_CIPHER_CTX *cipher, uint8_t *out, const uint8_t *in, size_t n)
{
	while (n > 0) {
		int now = (int)MIN(n, UPDATE_LEN), n_out;

		if (unlikely(EVP_CipherUpdate(cipher, out, &n_out, in, now) != 1))
			return false;
		in += now;
		out = out == NULL ? NULL : out + now;
		n -= (size_t)now;
	}
	return true;
}

static bool cipher_seal(EVP_CIPHER_CTX *cipher, uint8_t *tag, uint32_t tag_size)
{
	uint8_t rest[EVP_MAX_BLOCK_LENGTH];
	int n;

	return EVP_CipherFinal_ex(cipher, rest, &n) == 1 &&
	       EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, (int)tag_size, tag) == 1;
}

/* Returns SUCCESS if the tag belongs to the data that was processed. */
static doca_error_t cipher_open(EVP_CIPHER_CTX *cipher, uint8_t *tag, uint32_t tag_size)
{
	uint8_t rest[EVP_MAX_BLOCK_LENGTH];
	int n;

	if (unlikely(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, (int)tag_size, tag) != 1))
		return cipher_failed();
	if (unlikely(EVP_CipherFinal_ex(cipher, rest, &n) != 1))
		return not_authentic();
	return DOCA_SUCCESS;
}

/* --- single buffers of this process --- */

static doca_error_t encrypt_simple(const struct gcm_task *t, size_t len)
{
	EVP_CIPHER_CTX *cipher = t->key->ciphers[GCM_ENCRYPT];
	const uint8_t *in = src_at(t->src);
	uint8_t *out = room_at(t->dst);
	size_t aad = t->aad_size;

	if (in != out)
		memcpy(out, in, aad);
	if (unlikely(!cipher_begin(t, GCM_ENCRYPT) || !cipher_update(cipher, NULL, out, aad) ||
		     !cipher_update(cipher, out + aad, in + aad, len - aad) ||
		     !cipher_seal(cipher, out + len, t->tag_size)))
		return cipher_failed();
	t->dst->data_len += len + t->tag_size;
	return DOCA_SUCCESS;
}

static doca_error_t decrypt_simple(const struct gcm_task *t, size_t len)
{
	EVP_CIPHER_CTX *cipher = t->key->ciphers[GCM_DECRYPT];
	const uint8_t *in = src_at(t->src);
	uint8_t *out = room_at(t->dst), tag[AES_GCM_TAG_128];
	size_t aad = t->aad_size, out_len = len - t->tag_size;
	doca_error_t result;

	memcpy(tag, in + out_len, t->tag_size);
	if (in != out)
		memcpy(out, in, aad);
	if (unlikely(!cipher_begin(t, GCM_DECRYPT) || !cipher_update(cipher, NULL, out, aad) ||
		     !cipher_update(cipher, out + aad, in + aad, out_len - aad)))
		result = cipher_failed();
	else
		result = cipher_open(cipher, tag, t->tag_size);
	if (likely(result == DOCA_SUCCESS))
		t->dst->data_len += out_len;
	else
		explicit_bzero(out, out_len);
	return result;
}

/* --- lists, and memory that other processes can reach --- */

/* What becomes of the result of a pass. */
enum gcm_mode {
	GCM_STORE,  /* it is stored while it is computed */
	GCM_HOLD,   /* it stays in memory of this process until all of it is authenticated */
	GCM_VERIFY, /* it is discarded */
};

struct gcm_pass {
	const struct gcm_task *t;
	EVP_CIPHER_CTX *cipher;
	struct gcm_scratch *scratch;
	enum gcm_direction direction;
	enum gcm_mode mode;
	bool is_on_thread;
	size_t payload_end; /* offset in the source; in a decryption, the tag follows */
	size_t at;          /* bytes of the source processed */
	/* Where the next byte of the result goes, and how many may have been written. */
	struct doca_buf *to;
	size_t to_at, n_stored;
	/* Bytes of the result that are held, and the memory for them. */
	size_t n_held, held_len;
	uint8_t *held;
	/* The parts of the scratch memory that have bytes of the message. */
	size_t in_used, out_used;
	uint8_t tag[AES_GCM_TAG_128];
};

/* Moves bytes between this process and mapped or unmapped memory. Returns 0 or a negative errno. */
static ssize_t move(const struct doca_mmap *mmap, uint8_t *theirs, uint8_t *ours, size_t n,
		    bool is_write)
{
	/* The operations of a region change nothing that the memory map describes. */
	struct transport_region *region = (struct transport_region *)&mmap->region;
	size_t done = 0;

	if (mmap->direct) {
		if (theirs == ours)
			return 0;
		if (is_write)
			memcpy(theirs, ours, n);
		else
			memcpy(ours, theirs, n);
		return 0;
	}
	while (done < n) {
		struct iovec local = {.iov_base = ours + done, .iov_len = n - done};
		struct iovec remote = {.iov_base = theirs + done, .iov_len = n - done};
		ssize_t r = is_write ? region->ops->writev(region, &local, 1, &remote, 1)
				     : region->ops->readv(region, &local, 1, &remote, 1);

		if (r <= 0)
			return r < 0 ? r : -EIO;
		done += MIN((size_t)r, n - done);
	}
	return 0;
}

/* Returns the room at the current position of the destination, which the checks found to be
 * enough. */
static size_t pass_room(struct gcm_pass *p)
{
	while (p->to_at == buf_tail_room(p->to)) {
		p->to = p->to->next;
		p->to_at = 0;
	}
	return buf_tail_room(p->to) - p->to_at;
}

static void pass_advance(struct gcm_pass *p, size_t n)
{
	p->to_at += n;
	p->n_stored += n;
}

static doca_error_t pass_store(struct gcm_pass *p, uint8_t *bytes, size_t n)
{
	while (n > 0) {
		size_t now = MIN(n, pass_room(p));
		uint8_t *to = room_at(p->to) + p->to_at;
		ssize_t r;

		/* A transfer that fails may have written a part. */
		pass_advance(p, now);
		r = move(p->to->mmap, to, bytes, now, true);
		if (r < 0)
			return transfer_failed(r);
		bytes += now;
		n -= now;
	}
	return DOCA_SUCCESS;
}

/* Stores or keeps a part of the result that is in this process. */
static doca_error_t pass_put(struct gcm_pass *p, uint8_t *bytes, size_t n)
{
	if (p->mode == GCM_STORE)
		return pass_store(p, bytes, n);
	if (p->mode == GCM_HOLD) {
		memcpy(p->held + p->n_held, bytes, n);
		p->n_held += n;
		p->out_used = MAX(p->out_used, p->n_held);
	}
	return DOCA_SUCCESS;
}

/* Returns whether the result at the current position can be written in place. */
static bool pass_is_in_place(const struct gcm_pass *p)
{
	return p->to->mmap->direct &&
	       (p->direction == GCM_DECRYPT || !may_be_shared(p->to->mmap, p->is_on_thread));
}

/* Processes payload into memory of this process and returns how many bytes, at most n, or 0 if
 * libcrypto refuses. */
static size_t pass_compute(struct gcm_pass *p, const uint8_t *bytes, size_t n)
{
	size_t now = MIN(n, p->held_len - p->n_held);

	p->out_used = MAX(p->out_used, p->n_held + now);
	return cipher_update(p->cipher, p->held + p->n_held, bytes, now) ? now : 0;
}

static doca_error_t pass_payload(struct gcm_pass *p, const uint8_t *bytes, size_t n)
{
	while (n > 0) {
		size_t now, room = p->mode == GCM_STORE ? pass_room(p) : 0;
		doca_error_t result;

		if (room > 0 && pass_is_in_place(p)) {
			uint8_t *to = room_at(p->to) + p->to_at;

			now = MIN(n, room);
			pass_advance(p, now);
			if (!cipher_update(p->cipher, to, bytes, now))
				return cipher_failed();
		} else {
			now = pass_compute(p, bytes, n);
			if (now == 0)
				return cipher_failed();
			p->n_held += p->mode == GCM_HOLD ? now : 0;
			result = p->mode == GCM_STORE ? pass_store(p, p->held, now) : DOCA_SUCCESS;
			if (result != DOCA_SUCCESS)
				return result;
		}
		bytes += now;
		n -= now;
	}
	return DOCA_SUCCESS;
}

/* Processes the next bytes of the source: AAD, payload, tag, or some of each. */
static doca_error_t pass_feed(struct gcm_pass *p, uint8_t *bytes, size_t n)
{
	size_t aad = p->t->aad_size;
	doca_error_t result;

	if (p->at < aad) {
		size_t now = MIN(n, aad - p->at);

		if (!cipher_update(p->cipher, NULL, bytes, now))
			return cipher_failed();
		result = pass_put(p, bytes, now);
		if (result != DOCA_SUCCESS)
			return result;
		p->at += now;
		bytes += now;
		n -= now;
	}
	if (n > 0 && p->at < p->payload_end) {
		size_t now = MIN(n, p->payload_end - p->at);

		result = pass_payload(p, bytes, now);
		if (result != DOCA_SUCCESS)
			return result;
		p->at += now;
		bytes += now;
		n -= now;
	}
	if (n > 0)
		memcpy(p->tag + (p->at - p->payload_end), bytes, n);
	p->at += n;
	return DOCA_SUCCESS;
}

static doca_error_t pass_read(struct gcm_pass *p, const struct doca_buf *buf)
{
	bool in_place = buf->mmap->direct && !may_be_shared(buf->mmap, p->is_on_thread);
	size_t step = in_place ? SIZE_MAX : buf->mmap->direct ? COPY_LEN : SCRATCH_LEN;

	for (size_t at = 0; at < buf->data_len;) {
		size_t n = MIN(buf->data_len - at, step);
		uint8_t *bytes = src_at(buf) + at;
		doca_error_t result;

		if (!in_place) {
			ssize_t r = move(buf->mmap, bytes, p->scratch->in, n, false);

			p->in_used = MAX(p->in_used, n);
			if (r < 0)
				return transfer_failed(r);
			bytes = p->scratch->in;
		}
		result = pass_feed(p, bytes, n);
		if (result != DOCA_SUCCESS)
			return result;
		at += n;
	}
	return DOCA_SUCCESS;
}

static doca_error_t pass_run(struct gcm_pass *p)
{
	const struct doca_buf *pos;

	p->at = 0;
	if (!cipher_begin(p->t, p->direction))
		return cipher_failed();
	BUF_FOR_EACH(pos, p->t->src)
	{
		doca_error_t result = pass_read(p, pos);

		if (result != DOCA_SUCCESS)
			return result;
	}
	if (p->direction == GCM_DECRYPT)
		return cipher_open(p->cipher, p->tag, p->t->tag_size);
	if (!cipher_seal(p->cipher, p->tag, p->t->tag_size))
		return cipher_failed();
	return pass_store(p, p->tag, p->t->tag_size);
}

/* Returns whether another process may see or change a buffer of the list. */
static bool list_may_be_shared(const struct doca_buf *list, bool is_on_thread)
{
	const struct doca_buf *pos;

	BUF_FOR_EACH(pos, list)
	{
		if (may_be_shared(pos->mmap, is_on_thread))
			return true;
	}
	return false;
}

static doca_error_t no_memory(size_t n)
{
	return error_set(DOCA_ERROR_IO_FAILED,
			 "aes_gcm decrypt: no address space for %zu bytes of plaintext that is not "
			 "authenticated yet; raise RLIMIT_AS, or use memory that is not exported",
			 n);
}

/* Decrypts into memory of this process, and stores the result when it is authenticated. */
static doca_error_t pass_hold(struct gcm_pass *p)
{
	struct bounce *held = &aes_gcm_of(p->t->task.ctx)->held;
	size_t n = p->payload_end;
	doca_error_t result;

	if (n > SCRATCH_LEN) {
		if (!bounce_reserve(held, n))
			return no_memory(n);
		p->held = held->bytes;
		p->held_len = held->len;
	}
	p->mode = GCM_HOLD;
	result = pass_run(p);
	if (result == DOCA_SUCCESS)
		result = pass_store(p, p->held, p->n_held);
	if (n > SCRATCH_LEN) {
		explicit_bzero(held->bytes, p->out_used);
		bounce_trim(held, n);
		p->out_used = 0;
	}
	return result;
}

/* Decrypts so that other processes do not see plaintext that is not authenticated. */
static doca_error_t pass_decrypt(struct gcm_pass *p)
{
	bool is_exposed = list_may_be_shared(p->t->dst, p->is_on_thread);
	bool may_change = is_exposed && list_may_be_shared(p->t->src, p->is_on_thread);
	doca_error_t result;

	if (is_exposed && (may_change || p->payload_end <= SCRATCH_LEN))
		return pass_hold(p);
	if (is_exposed) {
		p->mode = GCM_VERIFY;
		result = pass_run(p);
		if (result != DOCA_SUCCESS)
			return result;
	}
	p->mode = GCM_STORE;
	return pass_run(p);
}

/* Overwrites what was stored. A buffer that cannot be written any more is left as it is. */
static void pass_wipe(struct gcm_pass *p)
{
	size_t n = p->n_stored;

	explicit_bzero(p->scratch->out, MIN(n, SCRATCH_LEN));
	for (struct doca_buf *pos = p->t->dst; n > 0; pos = pos->next) {
		size_t room = MIN(n, buf_tail_room(pos));

		for (size_t at = 0; at < room;) {
			size_t now = MIN(room - at, SCRATCH_LEN);

			if (move(pos->mmap, room_at(pos) + at, p->scratch->out, now, true) < 0)
				break;
			at += now;
		}
		n -= room;
	}
}

static void pass_commit(struct gcm_pass *p)
{
	size_t n = p->n_stored;

	for (struct doca_buf *pos = p->t->dst; n > 0; pos = pos->next) {
		size_t now = MIN(n, buf_tail_room(pos));

		pos->data_len += now;
		n -= now;
	}
}

static __attribute__((noinline)) doca_error_t run_pass(const struct gcm_task *t,
						       enum gcm_direction direction, size_t len,
						       bool is_on_thread)
{
	struct gcm_pass p = {
		.t = t,
		.cipher = t->key->ciphers[direction],
		.scratch = aes_gcm_of(t->task.ctx)->scratch,
		.direction = direction,
		.is_on_thread = is_on_thread,
		.payload_end = direction == GCM_DECRYPT ? len - t->tag_size : len,
		.to = t->dst,
		.held = aes_gcm_of(t->task.ctx)->scratch->out,
		.held_len = SCRATCH_LEN,
	};
	doca_error_t result = direction == GCM_DECRYPT ? pass_decrypt(&p) : pass_run(&p);

	if (result == DOCA_SUCCESS)
		pass_commit(&p);
	else if (direction == GCM_DECRYPT)
		pass_wipe(&p);
	explicit_bzero(p.scratch->in, p.in_used);
	explicit_bzero(p.scratch->out, p.out_used);
	return result;
}

/* The program may use libcrypto itself, and then reads its queue of errors. A mark would cost a
 * tenth of the time of 64 bytes, and 3 % of that of 4 KiB. Libcrypto refuses none of those: their
 * keys and arguments are checked. */
#define MARK_MIN (64u << 10)

static __attribute__((noinline)) doca_error_t run_marked(const struct gcm_task *t,
							 enum gcm_direction direction, size_t len,
							 bool is_simple, bool is_on_thread)
{
	doca_error_t result;

	(void)ERR_set_mark();
	if (!is_simple)
		result = run_pass(t, direction, len, is_on_thread);
	else
		result = direction == GCM_ENCRYPT ? encrypt_simple(t, len) : decrypt_simple(t, len);
	(void)ERR_pop_to_mark();
	return result;
}

static inline doca_error_t run_checked(const struct gcm_task *t, enum gcm_direction direction,
				       size_t len, bool is_simple)
{
	if (unlikely(!is_simple || len >= MARK_MIN))
		return run_marked(t, direction, len, is_simple, false);
	return direction == GCM_ENCRYPT ? encrypt_simple(t, len) : decrypt_simple(t, len);
}

static const char *const names[] = {
	[GCM_ENCRYPT] = "aes_gcm encrypt", [GCM_DECRYPT] = "aes_gcm decrypt"};

static inline __attribute__((always_inline)) doca_error_t execute(struct doca_task *task,
								  enum gcm_direction direction)
{
	const struct gcm_task *t = (const struct gcm_task *)(const void *)task;
	const struct staged_ctx *staged = &aes_gcm_of(task->ctx)->staged;
	const struct gcm_fault *fault;
	doca_error_t result;
	bool is_simple;
	size_t len;

	if (unlikely(staging_is_busy(staged)))
		return staging_hold(task);
	fault = gcm_check(t, direction, false, &len, &is_simple);
	if (unlikely(fault != NULL))
		return fail(fault, names[direction]);
	if (unlikely(staging_must_hold(staged, (const struct staged_task *)(const void *)t,
				       is_simple, len)))
		return staging_hold(task);
	result = run_checked(t, direction, len, is_simple);
	if (likely(result == DOCA_SUCCESS))
		ctx_count_bytes(task->ctx, len);
	return result;
}

doca_error_t gcm_encrypt_execute(struct doca_task *task)
{
	return execute(task, GCM_ENCRYPT);
}

doca_error_t gcm_decrypt_execute(struct doca_task *task)
{
	return execute(task, GCM_DECRYPT);
}

/* --- held tasks --- */

static enum gcm_direction direction_of(const struct doca_task *task)
{
	return task->pool->self == &aes_gcm_of(task->ctx)->pools[GCM_ENCRYPT] ? GCM_ENCRYPT
									      : GCM_DECRYPT;
}

static doca_error_t held_check(struct doca_task *task, struct staging_need *need_out)
{
	const struct gcm_task *t = (const struct gcm_task *)(const void *)task;
	enum gcm_direction direction = direction_of(task);
	const struct gcm_fault *fault;
	bool is_simple;
	size_t len;

	fault = gcm_check(t, direction, false, &len, &is_simple);
	if (fault != NULL)
		return fail(fault, names[direction]);
	*need_out = (struct staging_need){
		.src_len = len, .dst_len = result_len(t, direction, len), .work_len = len};
	return DOCA_SUCCESS;
}

static doca_error_t held_run(struct doca_task *task)
{
	const struct gcm_task *t = (const struct gcm_task *)(const void *)task;
	enum gcm_direction direction = direction_of(task);
	bool is_on_thread = staging_is_on_thread(&aes_gcm_of(task->ctx)->staged);
	const struct gcm_fault *fault;
	bool is_simple;
	size_t len;

	/* The exporter may have ended meanwhile. */
	fault = gcm_check(t, direction, is_on_thread, &len, &is_simple);
	return fault != NULL ? fail(fault, names[direction])
			     : run_marked(t, direction, len, is_simple, is_on_thread);
}

const struct staging_ops gcm_staging_ops = {
	.check = held_check,
	.run = held_run,
	.is_secret = true,
};
