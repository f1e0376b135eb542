/*
 * Tasks of AES-GCM. An input says the key, the lengths of IV, tag and AAD, the lists of both sides,
 * and where a sealed message is changed; its rest is the message. A task must succeed exactly if
 * its arguments follow the header, with the result of libcrypto's own functions, and write nothing
 * else. A message that was changed must fail and leave no plaintext.
 */
#include <doca_aes_gcm.h>
#include <openssl/evp.h>

/* Messages of more than 64 KiB, which do not fit the scratch memory, are decrypted in other ways.
 */
#define BODY_MAX  69000u
#define LISTS_LEN (256u << 10)
#include "tests/fuzz/lists.h"

#define IV_MAX  128u
#define TAG_MAX 16u

enum { ENCRYPT, DECRYPT };
enum {
	HOW_KEY_256 = 1,
	HOW_SRC_PEER = 2,
	HOW_DST_PEER = 4,
	HOW_CHANGE = 8,   /* changes the sealed message */
	HOW_HOSTILE = 16, /* takes the input for a sealed message */
	HOW_TRY = 32,     /* submits with doca_task_try_submit() */
	HOW_SETTERS = 64, /* sets the arguments after the allocation */
	HOW_IN_PLACE = 128,
};

/* The beginning of an input; the message follows. */
struct head {
	uint8_t how;
	uint8_t iv_len, tag_size;
	uint8_t aad[2]; /* 0xffff and below: UINT32_MAX and below */
	uint8_t shapes; /* buffers of the source, and of the destination in the upper half */
	int8_t slack;   /* room of the destination beyond the result, or the shift in place */
	uint8_t change; /* where and which bit */
	uint8_t peer;   /* bytes of a call of the peer; the upper half: when it fails, or 0 */
	uint8_t cuts[2][LISTS_CUTS];
};

struct message {
	const struct head *head;
	uint32_t iv_len, tag_size, aad_size;
};

static const uint8_t raw_key[32] = "the keys of the fuzz target, 32";
static uint8_t iv[256];
static struct doca_aes_gcm *gcm;
static struct doca_ctx *ctx;
static struct doca_aes_gcm_key *keys[2];
static bool is_done;
static doca_error_t status;

static void completed(struct doca_task *task)
{
	is_done = true;
	status = doca_task_get_status(task);
	doca_task_free(task);
}

static void encrypted(struct doca_aes_gcm_task_encrypt *task, union doca_data data,
		      union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_aes_gcm_task_encrypt_as_task(task));
}

static void decrypted(struct doca_aes_gcm_task_decrypt *task, union doca_data data,
		      union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_aes_gcm_task_decrypt_as_task(task));
}

static void target_open(void)
{
	ends_info.caps.aes_gcm_keys = DOCA_AES_GCM_KEY_128 | DOCA_AES_GCM_KEY_256;
	ends_info.caps.aes_gcm_tags = 3;
	ends_info.caps.aes_gcm_max_iv_len = IV_MAX;
	ends_info.caps.aes_gcm_max_buf_size = BODY_MAX + TAG_MAX;
	ends_info.caps.aes_gcm_max_list_len = LISTS_MAX;
	ends_info.caps.aes_gcm_max_tasks = 2;
	ends_open();
	lists_open();
	FUZZ_CHECK(doca_aes_gcm_create(&ends_dev, &gcm) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_aes_gcm_task_encrypt_set_conf(gcm, encrypted, encrypted, 2) ==
		   DOCA_SUCCESS);
	FUZZ_CHECK(doca_aes_gcm_task_decrypt_set_conf(gcm, decrypted, decrypted, 2) ==
		   DOCA_SUCCESS);
	ctx = doca_aes_gcm_as_ctx(gcm);
	FUZZ_CHECK(doca_pe_connect_ctx(ends_pe, ctx) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_ctx_start(ctx) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_128, &keys[0]) ==
		   DOCA_SUCCESS);
	FUZZ_CHECK(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_256, &keys[1]) ==
		   DOCA_SUCCESS);
	for (unsigned i = 0; i < sizeof(iv); i++)
		iv[i] = (uint8_t)(i * 37 + 11);
}

static bool arguments_are_valid(const struct message *m)
{
	return m->iv_len >= 1 && m->iv_len <= IV_MAX && (m->tag_size == 12 || m->tag_size == 16);
}

/* Seals a message by libcrypto. The arguments are valid. */
static void seal(const struct message *m, const uint8_t *plain, size_t n, uint8_t *out)
{
	bool is_256 = (m->head->how & HOW_KEY_256) != 0;
	EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
	int now;

	FUZZ_CHECK(cipher != NULL);
	FUZZ_CHECK(EVP_EncryptInit_ex(cipher, is_256 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(), NULL,
				      NULL, NULL) == 1);
	FUZZ_CHECK(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_IVLEN, (int)m->iv_len, NULL) == 1);
	FUZZ_CHECK(EVP_EncryptInit_ex(cipher, NULL, NULL, raw_key, iv) == 1);
	if (m->aad_size > 0) {
		memcpy(out, plain, m->aad_size);
		FUZZ_CHECK(EVP_EncryptUpdate(cipher, NULL, &now, plain, (int)m->aad_size) == 1);
	}
	FUZZ_CHECK(EVP_EncryptUpdate(cipher, out + m->aad_size, &now, plain + m->aad_size,
				     (int)(n - m->aad_size)) == 1);
	FUZZ_CHECK(EVP_EncryptFinal_ex(cipher, out + n, &now) == 1);
	FUZZ_CHECK(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, (int)m->tag_size, out + n) ==
		   1);
	EVP_CIPHER_CTX_free(cipher);
}

static doca_error_t allocate_encrypt(const struct message *m, const struct doca_buf *src,
				     struct doca_buf *dst, struct doca_task **task_out)
{
	struct doca_aes_gcm_key *key = keys[m->head->how & HOW_KEY_256];
	const union doca_data none = {.u64 = 0};
	struct doca_aes_gcm_task_encrypt *task;
	doca_error_t result;

	if ((m->head->how & HOW_SETTERS) == 0) {
		result = doca_aes_gcm_task_encrypt_alloc_init(
			gcm, src, dst, key, iv, m->iv_len, m->tag_size, m->aad_size, none, &task);
	} else {
		result = doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, keys[0], iv, 12, 16, 0,
							      none, &task);
		FUZZ_CHECK(result == DOCA_SUCCESS);
		doca_aes_gcm_task_encrypt_set_key(task, key);
		doca_aes_gcm_task_encrypt_set_iv(task, iv, m->iv_len);
		doca_aes_gcm_task_encrypt_set_tag_size(task, m->tag_size);
		doca_aes_gcm_task_encrypt_set_aad_size(task, m->aad_size);
	}
	if (result == DOCA_SUCCESS)
		*task_out = doca_aes_gcm_task_encrypt_as_task(task);
	return result;
}

static doca_error_t allocate_decrypt(const struct message *m, const struct doca_buf *src,
				     struct doca_buf *dst, struct doca_task **task_out)
{
	struct doca_aes_gcm_key *key = keys[m->head->how & HOW_KEY_256];
	const union doca_data none = {.u64 = 0};
	struct doca_aes_gcm_task_decrypt *task;
	doca_error_t result;

	if ((m->head->how & HOW_SETTERS) == 0) {
		result = doca_aes_gcm_task_decrypt_alloc_init(
			gcm, src, dst, key, iv, m->iv_len, m->tag_size, m->aad_size, none, &task);
	} else {
		result = doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, keys[0], iv, 12, 16, 0,
							      none, &task);
		FUZZ_CHECK(result == DOCA_SUCCESS);
		doca_aes_gcm_task_decrypt_set_key(task, key);
		doca_aes_gcm_task_decrypt_set_iv(task, iv, m->iv_len);
		doca_aes_gcm_task_decrypt_set_tag_size(task, m->tag_size);
		doca_aes_gcm_task_decrypt_set_aad_size(task, m->aad_size);
	}
	if (result == DOCA_SUCCESS)
		*task_out = doca_aes_gcm_task_decrypt_as_task(task);
	return result;
}

/* Runs a task. Returns its status, or why it was refused. */
static doca_error_t run(struct doca_task *task, bool tries)
{
	doca_error_t result = tries ? doca_task_try_submit(task) : doca_task_submit(task);

	if (result != DOCA_SUCCESS) {
		FUZZ_CHECK(tries);
		doca_task_free(task);
		return result;
	}
	is_done = false;
	ends_progress(1000);
	FUZZ_CHECK(is_done);
	return status;
}

struct sides {
	struct doca_buf *src, *dst;
	size_t used; /* data of each buffer of the destination */
	size_t room;
	bool is_valid; /* lists and overlap follow the rules */
};

/* One buffer for both; the destination is shifted. */
static struct sides sides_in_place(const struct message *m, const uint8_t *in, size_t n,
				   size_t out_len)
{
	struct lists_memory *memory = (m->head->how & HOW_SRC_PEER) != 0 ? &lists_theirs
									 : &lists_ours;
	size_t from = 256, to = (size_t)(256 + m->head->slack);
	struct sides s = {.room = out_len};

	memcpy(memory->bytes + from, in, n);
	s.src = lists_buf(memory, from, n + 1, n);
	s.dst = lists_buf(memory, to, out_len, 0);
	s.is_valid = from == to || from + n <= to || to + out_len <= from || n == 0 || out_len == 0;
	return s;
}

static struct sides sides_new(const struct message *m, const uint8_t *in, size_t n, size_t out_len)
{
	const struct head *h = m->head;
	struct lists_shape src = {h->cuts[0], 1, 1 + (h->shapes & 7)};
	struct lists_shape dst = {h->cuts[1], 1, 1 + (h->shapes >> 4 & 7)};
	struct sides s = {.used = LISTS_USED};

	if ((h->how & HOW_IN_PLACE) != 0)
		return sides_in_place(m, in, n, out_len);
	s.room = h->slack < 0 && (size_t)-h->slack > out_len ? 0
							     : out_len + (size_t)(ssize_t)h->slack;
	s.src = lists_src((h->how & HOW_SRC_PEER) != 0 ? &lists_theirs : &lists_ours, src, in, n);
	s.dst = lists_dst((h->how & HOW_DST_PEER) != 0 ? &lists_theirs : &lists_ours, dst, s.room);
	s.is_valid = src.n <= LISTS_MAX && dst.n <= LISTS_MAX;
	return s;
}

/* Plaintext must not be left: what was written is zeros. */
static void check_wiped(const struct doca_buf *dst, size_t n)
{
	for (; n > 0; dst = dst->next) {
		struct lists_memory *memory = lists_of(dst);
		size_t at = lists_at(dst, dst->data + dst->data_len);
		size_t now = MIN(n, buf_tail_room(dst));

		for (size_t i = at; i < at + now; i++) {
			FUZZ_CHECK(memory->bytes[i] == 0 ||
				   memory->bytes[i] == memory->expected[i]);
			memory->expected[i] = memory->bytes[i];
		}
		n -= now;
	}
}

/* `want` is the result, or NULL for a message that is not authentic. */
static void run_case(const struct message *m, int direction, const uint8_t *in, size_t n,
		     const uint8_t *want)
{
	size_t least = (size_t)m->aad_size + (direction == DECRYPT ? m->tag_size : 0);
	size_t out_len = direction == ENCRYPT ? n + m->tag_size
			 : n > m->tag_size    ? n - m->tag_size
					      : 0;
	bool is_valid, may_fail = (m->head->peer >> 4) != 0;
	struct doca_task *task;
	doca_error_t result;
	struct sides s;

	lists_reset();
	s = sides_new(m, in, n, out_len);
	is_valid = arguments_are_valid(m) && s.is_valid && least <= n && s.room >= out_len;
	lists_record();
	lists_peer.piece = m->head->peer & 15;
	lists_peer.n_left = m->head->peer >> 4;
	lists_peer.fails = may_fail;
	/* Other processes never see plaintext that is not authentic. */
	lists_peer.is_blind = direction == DECRYPT && want == NULL;
	result = (direction == ENCRYPT ? allocate_encrypt : allocate_decrypt)(m, s.src, s.dst,
									      &task);
	if (result == DOCA_SUCCESS) {
		if (is_valid && want != NULL)
			lists_expect(s.dst, want, out_len);
		result = run(task, (m->head->how & HOW_TRY) != 0);
	} else {
		FUZZ_CHECK(result == DOCA_ERROR_INVALID_VALUE && !arguments_are_valid(m));
	}
	if (is_valid && want != NULL && result == DOCA_SUCCESS) {
		lists_check_len(s.dst, s.used, out_len);
		lists_compare();
	} else {
		FUZZ_CHECK(result == DOCA_ERROR_IO_FAILED || result == DOCA_ERROR_INVALID_VALUE);
		FUZZ_CHECK(!is_valid || want == NULL || may_fail);
		lists_check_len(s.dst, s.used, 0);
		if (is_valid && direction == DECRYPT && !may_fail)
			check_wiped(s.dst, out_len);
		if (!is_valid || !may_fail)
			lists_compare();
	}
	lists_release(s.src);
	lists_release(s.dst);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static uint8_t sealed[BODY_MAX + TAG_MAX + 1];
	struct head head;
	struct message m = {.head = &head};
	size_t n = MIN(len, sizeof(head) + BODY_MAX) - sizeof(head);
	const uint8_t *body = data + sizeof(head);

	if (len < sizeof(head))
		return 0;
	if (gcm == NULL)
		target_open();
	memcpy(&head, data, sizeof(head));
	m.iv_len = head.iv_len;
	m.tag_size = head.tag_size;
	m.aad_size = head.aad[0] | (uint32_t)head.aad[1] << 8;
	if (m.aad_size > 0xff00)
		m.aad_size |= 0xffff0000;
	if ((head.how & HOW_HOSTILE) != 0) {
		run_case(&m, DECRYPT, body, n, NULL);
		return 0;
	}
	memset(sealed, 0, sizeof(sealed));
	if (arguments_are_valid(&m) && m.aad_size <= n)
		seal(&m, body, n, sealed);
	run_case(&m, ENCRYPT, body, n, sealed);
	if (!arguments_are_valid(&m) || m.aad_size > n)
		return 0;
	if ((head.how & HOW_CHANGE) != 0)
		sealed[head.change * 31u % (n + m.tag_size)] ^= (uint8_t)(1u << head.change % 8);
	run_case(&m, DECRYPT, sealed, n + m.tag_size, (head.how & HOW_CHANGE) != 0 ? NULL : body);
	return 0;
}

/* Seed i has the bits of i in `how`, so that the first ones have each bit. */
size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	static const uint8_t iv_lens[] = {12, 1, 16, 128, 0, 129};
	struct head head = {
		.how = (uint8_t)(i < 8 ? 1u << i : i * 29),
		.iv_len = iv_lens[i % 6],
		.tag_size = i % 5 == 4   ? 13
			    : i % 2 == 0 ? 16
					 : 12,
		.aad = {(uint8_t)(i * 7 % 40), 0},
		.shapes = (uint8_t)(i * 0x13),
		.slack = (int8_t)(i % 4 == 3 ? -1 : (int)i),
		.change = (uint8_t)(i * 11),
		.peer = (uint8_t)(i % 16),
		.cuts = {{3, 0, 20, 7, 1, 16, 64, 5}, {16, 1, 0, 9, 40, 2, 3, 4}},
	};
	/* The last ones are longer than 64 KiB. */
	size_t n = i < 36 ? i * 13 % 300 : 65500 + i;

	if (i >= 40 || out_len < sizeof(head) + n)
		return 0;
	if (i == 39)
		head.aad[0] = head.aad[1] = 0xff;
	memcpy(out, &head, sizeof(head));
	for (size_t k = 0; k < n; k++)
		out[sizeof(head) + k] = (uint8_t)(k * k + i);
	return sizeof(head) + n;
}
