/*
 * AES-GCM: the vectors of the GCM specification; random messages in random lists of mapped memory
 * and of a toy peer's memory, compared with libcrypto; changed messages; keys, faults and limits.
 */
#include <openssl/err.h>
#include <openssl/evp.h>

#include "tests/unit/client/aes_gcm/fixture.h"

static uint8_t message[LEN], sealed[LEN];

/* Seals `n` bytes of a plain message with a context of its own. */
static void reference(const uint8_t *raw, unsigned key_len, const struct args *a,
		      const uint8_t *plain, size_t n, uint8_t *out)
{
	EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
	size_t aad = a->aad_size;
	int n_out;

	ck_assert_int_eq(EVP_EncryptInit_ex(cipher,
					    key_len == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm(),
					    NULL, NULL, NULL),
			 1);
	ck_assert_int_eq(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_IVLEN, (int)a->iv_len, NULL),
			 1);
	ck_assert_int_eq(EVP_EncryptInit_ex(cipher, NULL, NULL, raw, a->iv), 1);
	memcpy(out, plain, aad);
	if (aad > 0)
		ck_assert_int_eq(EVP_EncryptUpdate(cipher, NULL, &n_out, plain, (int)aad), 1);
	if (n > aad)
		ck_assert_int_eq(
			EVP_EncryptUpdate(cipher, out + aad, &n_out, plain + aad, (int)(n - aad)),
			1);
	ck_assert_int_eq(EVP_EncryptFinal_ex(cipher, out + n, &n_out), 1);
	ck_assert_int_eq(
		EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, (int)a->tag_size, out + n), 1);
	EVP_CIPHER_CTX_free(cipher);
}

/* Test cases 1 to 6 and 13 to 16 of the specification that McGrew and Viega gave to NIST. */
static const struct {
	const char *key, *iv, *aad, *plain, *cipher, *tag;
} answers[] = {
#define ZEROS_16 "00000000000000000000000000000000"
#define KEY_16   "feffe9928665731c6d6a8f9467308308"
#define PLAIN_60                                                           \
	"d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" \
	"1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
#define AAD_20 "feedfacedeadbeeffeedfacedeadbeefabaddad2"
	{ZEROS_16, "000000000000000000000000", "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
	{ZEROS_16, "000000000000000000000000", "", ZEROS_16, "0388dace60b6a392f328c2b971b2fe78",
	 "ab6e47d42cec13bdf53a67b21257bddf"},
	{KEY_16, "cafebabefacedbaddecaf888", "", PLAIN_60 "1aafd255",
	 "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
	 "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
	 "4d5c2af327cd64a62cf35abd2ba6fab4"},
	{KEY_16, "cafebabefacedbaddecaf888", AAD_20, PLAIN_60,
	 "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
	 "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
	 "5bc94fbc3221a5db94fae95ae7121a47"},
	{KEY_16, "cafebabefacedbad", AAD_20, PLAIN_60,
	 "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423"
	 "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
	 "3612d2e79e3b0785561be14aaca2fccb"},
	{KEY_16,
	 "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
	 "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
	 AAD_20, PLAIN_60,
	 "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca7"
	 "01e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5",
	 "619cc5aefffe0bfa462af43c1699d050"},
	{ZEROS_16 ZEROS_16, "000000000000000000000000", "", "", "",
	 "530f8afbc74536b9a963b4f1c4cb738b"},
	{ZEROS_16 ZEROS_16, "000000000000000000000000", "", ZEROS_16,
	 "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
	{KEY_16 KEY_16, "cafebabefacedbaddecaf888", "", PLAIN_60 "1aafd255",
	 "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
	 "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
	 "b094dac5d93471bdec1a502270e3cc6c"},
	{KEY_16 KEY_16, "cafebabefacedbaddecaf888", AAD_20, PLAIN_60,
	 "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
	 "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
	 "76fc6ece0f4e1768cddf8853bb2d551b"},
};

/* Both directions, with both sizes of the tag, appended to data that the destination has. */
static void known_answer(size_t i, uint32_t tag_size)
{
	uint8_t key_bytes[32], iv_bytes[64], plain[256], expected[256];
	size_t key_len = bytes_of(answers[i].key, key_bytes), n;
	struct args a = {.iv = iv_bytes, .tag_size = tag_size};
	struct doca_buf *src, *dst;

	a.iv_len = (uint32_t)bytes_of(answers[i].iv, iv_bytes);
	a.aad_size = (uint32_t)bytes_of(answers[i].aad, plain);
	memcpy(expected, plain, a.aad_size);
	n = a.aad_size + bytes_of(answers[i].plain, plain + a.aad_size);
	bytes_of(answers[i].cipher, expected + a.aad_size);
	bytes_of(answers[i].tag, expected + n);
	ck_ok(doca_aes_gcm_key_create(gcm, key_bytes,
				      key_len == 16 ? DOCA_AES_GCM_KEY_128 : DOCA_AES_GCM_KEY_256,
				      &a.key));
	src = src_of(plain, n);
	dst = unit_buf(inventory, mmap, ours + LEN / 2, 3 + n + tag_size, 0, 3);
	ck_ok(gcm_run(&a, src, dst));
	ck_assert_uint_eq(dst->data_len, 3 + n + tag_size);
	ck_assert_mem_eq(ours + LEN / 2 + 3, expected, n + tag_size);
	unit_put(src);
	unit_put(dst);
	a.is_decrypt = true;
	src = src_of(expected, n + tag_size);
	dst = unit_buf(inventory, mmap, ours + LEN / 2, 3 + n, 0, 3);
	ck_ok(gcm_run(&a, src, dst));
	ck_assert_uint_eq(dst->data_len, 3 + n);
	ck_assert_mem_eq(ours + LEN / 2 + 3, plain, n);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_aes_gcm_key_destroy(a.key));
}

START_TEST(known_answers)
{
	known_answer((size_t)_i, 16);
	known_answer((size_t)_i, 12);
}
END_TEST

/* Returns a list with the n bytes as data. */
static struct doca_buf *list_of(uint64_t *seed, const uint8_t *bytes, size_t n)
{
	struct doca_buf *list = NULL;
	size_t from = 0;

	do {
		size_t part = unit_random(seed) % 3 == 0 ? n : unit_random(seed) % (n + 1);
		bool is_peer = unit_random(seed) % 2;

		memcpy((is_peer ? theirs : ours) + from, bytes, part);
		list = unit_chain(list,
				  unit_buf(inventory, is_peer ? peer : mmap,
					   is_peer ? (uint8_t *)PEER_BASE + from : ours + from,
					   part, 0, part));
		from += part;
		bytes += part;
		n -= part;
	} while (n > 0);
	return list;
}

static void room_clear(size_t n)
{
	for (size_t i = 0; i < n; i++)
		*room.bytes[i] = 0;
}

static void ck_room_is_zero(size_t n)
{
	ck_assert_uint_eq(unit_data_len(room.list), room.before);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(*room.bytes[i] == 0, "byte %zu of %zu", i, n);
}

static size_t random_len(uint64_t *seed)
{
	static const size_t scales[] = {2, 70, 300, 5000, 150000};

	return unit_random(seed) % scales[unit_random(seed) % ARRAY_LEN(scales)];
}

/* Fills in arguments for a message of n bytes. */
static struct args random_args(uint64_t *seed, size_t n)
{
	size_t aad_size = unit_random(seed) % (n + 1);

	if (unit_random(seed) % 3 != 0)
		aad_size %= 40;
	return (struct args){
		.key = unit_random(seed) % 2 ? key128 : key256,
		.iv = iv,
		.iv_len = unit_random(seed) % 2 ? 12 : 1 + (uint32_t)(unit_random(seed) % 128),
		.tag_size = unit_random(seed) % 2 ? 12 : 16,
		.aad_size = (uint32_t)aad_size,
	};
}

static unsigned key_len(const struct args *a)
{
	return a->key == key128 ? 16 : 32;
}

START_TEST(random_lists_match_libcrypto)
{
	uint64_t seed = 500 + (uint64_t)_i;

	for (int round = 0; round < 100; round++) {
		size_t n = random_len(&seed);
		struct args a = random_args(&seed, n);
		struct doca_buf *src;

		/* Memory that is exported goes through the scratch memory. */
		export_has_shared_memory = unit_random(&seed) % 2;
		src = random_src(&seed, n, message);
		random_dst(&seed, n + a.tag_size);
		toy.n_cuts = (unsigned)(unit_random(&seed) % 4);
		toy.cut = 1 + unit_random(&seed) % 5000;
		ck_ok(gcm_run(&a, src, room.list));
		reference(raw_key, key_len(&a), &a, message, n, sealed);
		ck_room(sealed, n + a.tag_size);
		unit_put(src);
		unit_put(room.list);

		a.is_decrypt = true;
		src = list_of(&seed, sealed, n + a.tag_size);
		random_dst(&seed, n);
		ck_ok(gcm_run(&a, src, room.list));
		ck_room(message, n);
		unit_put(src);
		unit_put(room.list);
	}
	export_has_shared_memory = false;
}
END_TEST

/* A message in which a random bit was changed is refused, and nothing of it is left. */
START_TEST(changed_messages_are_refused)
{
	uint64_t seed = 700 + (uint64_t)_i;

	for (int round = 0; round < 100; round++) {
		size_t n = random_len(&seed) % 70000, at;
		struct args a = random_args(&seed, n);
		struct doca_buf *src;
		uint8_t other_iv[128];

		memcpy(other_iv, iv, sizeof(other_iv));
		reference(raw_key, key_len(&a), &a, theirs, n, sealed);
		a.is_decrypt = true;
		switch (unit_random(&seed) % 5) {
		case 0:
			other_iv[unit_random(&seed) % a.iv_len] ^= 1;
			a.iv = other_iv;
			break;
		case 1:
			a.key = a.key == key128 ? key256 : key128;
			break;
		case 2:
			if (n > 0) {
				a.aad_size = a.aad_size == n ? a.aad_size - 1 : a.aad_size + 1;
				break;
			}
			/* fall through */
		default:
			at = unit_random(&seed) % (n + a.tag_size);
			sealed[at] ^= (uint8_t)(1 << unit_random(&seed) % 8);
		}
		src = list_of(&seed, sealed, n + a.tag_size);
		random_dst(&seed, n);
		room_clear(n);
		ck_fails(gcm_run(&a, src, room.list), DOCA_ERROR_IO_FAILED);
		ck_says("tag does not match");
		ck_room_is_zero(n);
		unit_put(src);
		unit_put(room.list);
	}
}
END_TEST

/* Every bit of a short message, in single buffers. */
START_TEST(every_bit_counts)
{
	struct args a = {key128, iv, 12, 12, 7, false};
	const size_t n = 7 + 30;
	struct doca_buf *src, *dst = dst_of(n);

	reference(raw_key, 16, &a, ours, n, sealed);
	a.is_decrypt = true;
	for (size_t bit = 0; bit < 8 * (n + 12); bit++) {
		memset(ours + LEN / 2, 1, n + 1);
		src = src_of(sealed, n + 12);
		ours[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
		ck_assert_uint_eq(dst->data_len, 0);
		for (size_t i = 0; i < n; i++)
			ck_assert_uint_eq(ours[LEN / 2 + i], 0);
		ck_assert_uint_eq(ours[LEN / 2 + n], 1);
		unit_put(src);
	}
	src = src_of(sealed, n + 12);
	ck_ok(gcm_run(&a, src, dst));
	ck_assert_uint_eq(dst->data_len, n);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* A tag of 16 bytes is not accepted as one of 12, nor the reverse. */
START_TEST(tag_sizes_differ)
{
	struct args a = {key256, iv, 12, 16, 0, false};
	struct doca_buf *src = src_of("message", 7), *dst = dst_of(64), *out;

	ck_ok(gcm_run(&a, src, dst));
	out = unit_buf(inventory, mmap, ours + LEN / 2 + 64, 64, 0, 0);
	a.is_decrypt = true;
	a.tag_size = 12;
	ck_fails(gcm_run(&a, dst, out), DOCA_ERROR_IO_FAILED);
	a.tag_size = 16;
	ck_ok(doca_buf_set_data_len(dst, 7 + 12));
	ck_fails(gcm_run(&a, dst, out), DOCA_ERROR_IO_FAILED);
	a.tag_size = 12;
	ck_ok(gcm_run(&a, dst, out));
	ck_assert_mem_eq(ours + LEN / 2 + 64, "message", 7);
	unit_put(src);
	unit_put(dst);
	unit_put(out);
}
END_TEST

START_TEST(in_place)
{
	struct args a = {key256, iv, 12, 16, 100, false};
	struct doca_buf *src = unit_buf(inventory, mmap, ours, 5000, 0, 5000);
	struct doca_buf *dst = unit_buf(inventory, mmap, ours, 5016, 0, 0);
	struct doca_buf *shifted = unit_buf(inventory, mmap, ours + 1, 5016, 0, 0);
	struct doca_task *task;

	memcpy(message, ours, 5000);
	reference(raw_key, 32, &a, message, 5000, sealed);
	ck_ok(gcm_run(&a, src, dst));
	ck_assert_mem_eq(ours, sealed, 5016);
	ck_ok(doca_buf_reset_data_len(src));
	a.is_decrypt = true;
	ck_ok(gcm_run(&a, dst, src));
	ck_assert_mem_eq(ours, message, 5000);
	a.is_decrypt = false;
	task = task_of(&a, src, shifted);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("overwrite");
	ck_fails(run(task), DOCA_ERROR_IO_FAILED);
	ck_assert_mem_eq(ours, message, 5000);
	/* A refused message in place is lost. */
	ck_ok(doca_buf_reset_data_len(src));
	a.is_decrypt = true;
	ours[0] ^= 1;
	ck_fails(gcm_run(&a, dst, src), DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(ours[0] | ours[4999], 0);
	unit_put(src);
	unit_put(dst);
	unit_put(shifted);
}
END_TEST

START_TEST(setters_are_checked)
{
	struct doca_buf *src = src_of("message", 7), *dst = dst_of(64);
	struct doca_aes_gcm_task_encrypt *t;
	struct doca_aes_gcm *other;
	struct doca_aes_gcm_key *foreign;
	struct doca_task *task;
	uint32_t n;

	ck_ok(doca_aes_gcm_create(&unit_dev, &other));
	ck_ok(doca_aes_gcm_key_create(other, raw_key, DOCA_AES_GCM_KEY_128, &foreign));
	ck_fails(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, foreign, iv, 12, 16, 0,
						      no_data, &t),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("another object");
	ck_fails(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key128, iv, 129, 16, 0,
						      no_data, &t),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("1 to 128");
	ck_fails(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key128, iv, 12, 13, 0, no_data,
						      &t),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("12 and of 16");
	ck_ok(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key128, iv, 12, 16, 0, no_data,
						   &t));
	task = doca_aes_gcm_task_encrypt_as_task(t);
#define REFUSED(says)                                                           \
	do {                                                                    \
		ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE); \
		ck_says(says);                                                  \
	} while (0)
	doca_aes_gcm_task_encrypt_set_key(t, foreign);
	REFUSED("another object");
	ck_assert_ptr_null(doca_aes_gcm_task_encrypt_get_key(t));
	/* The task must not read the key any more. */
	ck_ok(doca_aes_gcm_key_destroy(foreign));
	REFUSED("another object");
	doca_aes_gcm_task_encrypt_set_key(t, NULL);
	REFUSED("key is NULL");
	doca_aes_gcm_task_encrypt_set_key(t, key256);
	doca_aes_gcm_task_encrypt_set_iv(t, iv, 0);
	REFUSED("IV is empty");
	doca_aes_gcm_task_encrypt_set_iv(t, iv, 129);
	REFUSED("IV is empty or longer");
	doca_aes_gcm_task_encrypt_set_iv(t, NULL, 12);
	REFUSED("IV is empty");
	doca_aes_gcm_task_encrypt_set_iv(t, iv, 128);
	ck_assert_mem_eq(doca_aes_gcm_task_encrypt_get_iv(t, &n), iv, 128);
	ck_assert_uint_eq(n, 128);
	doca_aes_gcm_task_encrypt_set_tag_size(t, 4);
	REFUSED("12 and of 16");
	doca_aes_gcm_task_encrypt_set_tag_size(t, 12);
	doca_aes_gcm_task_encrypt_set_aad_size(t, 8);
	REFUSED("shorter than the AAD");
	doca_aes_gcm_task_encrypt_set_aad_size(t, UINT32_MAX);
	REFUSED("shorter than the AAD");
	doca_aes_gcm_task_encrypt_set_aad_size(t, 7);
	doca_aes_gcm_task_encrypt_set_src(t, NULL);
	REFUSED("source buffer is NULL");
	doca_aes_gcm_task_encrypt_set_src(t, src);
	doca_aes_gcm_task_encrypt_set_dst(t, NULL);
	REFUSED("destination buffer is NULL");
	doca_aes_gcm_task_encrypt_set_dst(t, dst);
	ck_ok(run(task));
	ck_assert_uint_eq(dst->data_len, 19);
	ck_ok(doca_aes_gcm_destroy(other));
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* A decryption needs the AAD and the tag in its source. */
START_TEST(short_sources_are_refused)
{
	struct args a = {key128, iv, 12, 16, 0, true};
	struct doca_buf *src = src_of("0123456789abcdef", 16), *dst = dst_of(64);

	a.aad_size = 1;
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("shorter than the AAD and the tag");
	a.aad_size = UINT32_MAX;
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("shorter than the AAD and the tag");
	a.aad_size = 0;
	ck_ok(doca_buf_set_data_len(src, 15));
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("shorter than the AAD and the tag");
	ck_ok(doca_buf_set_data_len(src, 16));
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("tag does not match");
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(destinations_are_checked)
{
	struct doca_mmap *read_only = unit_mmap(ours, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct args a = {key128, iv, 12, 16, 3, false};
	struct doca_buf *src = src_of("message", 7), *dst;
	struct doca_task *task;

	dst = unit_buf(inventory, mmap, ours + LEN / 2, 4 + 7 + 16, 2, 3);
	task = task_of(&a, src, dst);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("doca_buf_reset_data_len");
	ck_fails(run(task), DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(dst->data_len, 3);
	ck_ok(doca_buf_set_data_len(dst, 2));
	ck_ok(gcm_run(&a, src, dst));
	ck_ok(doca_buf_set_data(dst, dst->head + 4, 23));
	a.is_decrypt = true;
	task = task_of(&a, dst, src);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("removes them");
	doca_task_free(task);
	unit_put(dst);
	a.is_decrypt = false;
	dst = unit_buf(inventory, read_only, ours + LEN / 2, 64, 0, 0);
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_NOT_PERMITTED);
	ck_says("doca_mmap_set_permissions");
	unit_put(dst);
	ck_ok(doca_mmap_destroy(read_only));
	dst = dst_of(64);
	ck_ok(doca_buf_set_data(dst, dst->head + 65, 0));
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("destination's data section");
	ck_ok(doca_buf_set_data(src, src->head + 1, 7));
	ck_ok(doca_buf_set_data(dst, dst->head, 0));
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("source's data section");
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(devices_and_life_are_checked)
{
	struct args a = {key128, iv, 12, 16, 3, false};
	struct doca_buf *src = src_of("message", 7), *dst = dst_of(512), *remote_buf;
	struct doca_mmap *foreign;
	_Atomic uint32_t alive = 7;

	ck_ok(doca_mmap_create(&foreign));
	ck_ok(doca_mmap_set_memrange(foreign, ours, LEN));
	ck_ok(doca_mmap_add_dev(foreign, &unit_dev_other));
	ck_ok(doca_mmap_start(foreign));
	remote_buf = unit_buf(inventory, foreign, ours, 64, 0, 64);
	ck_fails(gcm_run(&a, remote_buf, dst), DOCA_ERROR_IO_FAILED);
	ck_says("doca_mmap_add_dev");
	unit_put(remote_buf);
	ck_ok(doca_mmap_destroy(foreign));

	peer->alive = &alive;
	peer->generation = 7;
	remote_buf = unit_buf(inventory, peer, (uint8_t *)PEER_BASE, 64, 0, 64);
	ck_ok(gcm_run(&a, remote_buf, dst));
	alive = 8;
	ck_fails(gcm_run(&a, remote_buf, dst), DOCA_ERROR_IO_FAILED);
	ck_says("exporter of the source");
	ck_ok(doca_buf_reset_data_len(remote_buf));
	ck_fails(gcm_run(&a, src, remote_buf), DOCA_ERROR_IO_FAILED);
	ck_says("exporter of the destination");
	ck_assert_uint_eq(dst->data_len, 80);
	alive = 7;
	unit_put(remote_buf);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(limits_of_the_device_hold)
{
	struct args a = {.iv = iv, .iv_len = 12, .tag_size = 16, .aad_size = 3};
	struct doca_aes_gcm_task_decrypt *t;
	struct doca_buf *src, *dst = dst_of(1024);
	struct doca_aes_gcm_key *none;

	gcm_close();
	unit_info.caps.aes_gcm_max_buf_size = 128;
	unit_info.caps.aes_gcm_max_list_len = 2;
	unit_info.caps.aes_gcm_max_iv_len = 12;
	unit_info.caps.aes_gcm_tags = 2;
	gcm_open();
	a.key = key128;
	src = unit_chain(unit_buf(inventory, mmap, ours, 64, 0, 64),
			 unit_buf(inventory, mmap, ours + 64, 65, 0, 64));
	ck_ok(gcm_run(&a, src, dst));
	ck_ok(doca_buf_set_data_len(src->next, 65));
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("get_max_buf_size");
	ck_ok(doca_buf_set_data_len(src->next, 1));
	unit_chain(src, unit_buf(inventory, mmap, ours, 1, 0, 0));
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("get_max_list_buf_num_elem");
	ck_fails(doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, key128, iv, 13, 16, 0, no_data,
						      &t),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, key128, iv, 12, 12, 0, no_data,
						      &t),
		 DOCA_ERROR_INVALID_VALUE);
	unit_info.caps.aes_gcm_keys = 1;
	ck_fails(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_256, &none),
		 DOCA_ERROR_NOT_SUPPORTED);
	ck_says("256 bits");
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* Lists whose lengths add up to more than a size_t holds. */
START_TEST(sums_do_not_wrap)
{
	struct args a = {key128, iv, 12, 16, 0, false};
	struct doca_mmap *all = unit_mmap((void *)4096, SIZE_MAX - 8192,
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *src, *dst = dst_of(64);

	src = unit_buf(inventory, all, (void *)4096, SIZE_MAX - 8192, 0, SIZE_MAX - 8192);
	unit_chain(src, unit_buf(inventory, all, (void *)4096, 8192 + 65, 0, 8192 + 65));
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("longer than the device takes");
	/* SIZE_MAX bytes, so that the length of the result would wrap. */
	ck_ok(doca_buf_set_data_len(src->next, 8192));
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("longer than the device takes");
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_mmap_destroy(all));
}
END_TEST

/* Refusals of the transport in the middle of a message; plaintext that was stored is wiped. */
START_TEST(refusals_of_a_peer_are_named)
{
	const struct {
		int error;
		doca_error_t code;
		const char *says;
	} cases[] = {
		{ESRCH, DOCA_ERROR_IO_FAILED, "has ended"},
		{EFAULT, DOCA_ERROR_IO_FAILED, "not mapped"},
		{EPERM, DOCA_ERROR_NOT_PERMITTED, "refuses"},
		{ENOMEM, DOCA_ERROR_IO_FAILED, "emory"},
	};
	struct args a = {key128, iv, 12, 16, 5, false};
	struct doca_buf *remote_buf = unit_buf(inventory, peer, (uint8_t *)PEER_BASE, 200016, 0,
					       200000);
	struct doca_buf *local_buf = src_of("message", 7), *dst = dst_of(300000);
	struct doca_buf *remote_dst = unit_buf(inventory, peer2, (uint8_t *)PEER_BASE, 64, 0, 0);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		toy.error = cases[i].error;
		ck_fails(gcm_run(&a, remote_buf, dst), cases[i].code);
		ck_says(cases[i].says);
		ck_fails(gcm_run(&a, local_buf, remote_dst), cases[i].code);
		ck_says(cases[i].says);
		ck_assert_uint_eq(dst->data_len + remote_dst->data_len, 0);
	}
	toy.error = 0;
	/* A call that moves no bytes is an error, too. */
	toy.n_cuts = 1;
	toy.cut = 0;
	ck_fails(gcm_run(&a, remote_buf, dst), DOCA_ERROR_IO_FAILED);
	ck_ok(gcm_run(&a, remote_buf, dst));
	memcpy(theirs, ours + LEN / 2, 200016);
	ck_ok(doca_buf_set_data_len(remote_buf, 200016));
	ck_ok(doca_buf_reset_data_len(dst));
	memset(ours + LEN / 2, 1, 300000);
	a.is_decrypt = true;
	toy.bad_from = 199999;
	toy.bad_to = 200000;
	ck_fails(gcm_run(&a, remote_buf, dst), DOCA_ERROR_IO_FAILED);
	ck_says("not mapped");
	ck_assert_uint_eq(dst->data_len, 0);
	/* Three pieces of the scratch memory had been decrypted. */
	ck_assert_uint_eq(ours[LEN / 2] | ours[LEN / 2 + 196607], 0);
	toy.bad_from = toy.bad_to = 0;
	ck_ok(gcm_run(&a, remote_buf, dst));
	unit_put(remote_buf);
	unit_put(local_buf);
	unit_put(dst);
	unit_put(remote_dst);
}
END_TEST

static void ck_all(const uint8_t *bytes, uint8_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(bytes[i] == value, "byte %zu of %zu", i, n);
}

/* Seals n bytes into the first half of our memory. Returns a buffer of it. */
static struct doca_buf *sealed_src(const struct args *a, size_t n)
{
	memset(message, 7, n);
	reference(raw_key, 16, a, message, n, sealed);
	return src_of(sealed, n + a->tag_size);
}

/* The plaintext of a refused message does not get to another process, not even for a moment: no
 * byte is written. Neither is memory that this process has exported some time ago. */
START_TEST(plaintext_is_authenticated_before_a_peer_gets_it)
{
	static const size_t sizes[] = {1000, 65536, 65537, 200000};
	struct args a = {key128, iv, 12, 16, 10, true};
	size_t n = sizes[_i];
	struct doca_buf *src = sealed_src(&a, n), *dst = dst_of(n);
	struct doca_buf *remote = unit_buf(inventory, peer, (uint8_t *)PEER_BASE + LEN / 2, n, 0,
					   0);

	memset(theirs + LEN / 2, 1, n);
	memset(ours + LEN / 2, 1, n);
	ours[n - 1] ^= 1;
	ck_fails(gcm_run(&a, src, remote), DOCA_ERROR_IO_FAILED);
	ck_says("tag does not match");
	ck_assert_uint_eq(toy.n_calls, 0);
	ck_all(theirs + LEN / 2, 1, n);
	export_has_shared_memory = true;
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_all(ours + LEN / 2, 1, n);
	ours[n - 1] ^= 1;
	ck_ok(gcm_run(&a, src, dst));
	ck_assert_mem_eq(ours + LEN / 2, message, n);
	export_has_shared_memory = false;
	ck_ok(gcm_run(&a, src, remote));
	ck_assert_mem_eq(theirs + LEN / 2, message, n);
	unit_put(src);
	unit_put(dst);
	unit_put(remote);
}
END_TEST

/* A transfer that fails in the middle has stored a part of its bytes, which are wiped, too. */
START_TEST(partly_stored_plaintext_is_wiped)
{
	struct args a = {key128, iv, 12, 16, 10, true};
	struct doca_buf *src = sealed_src(&a, 400000);
	struct doca_buf *remote = unit_buf(inventory, peer, (uint8_t *)PEER_BASE + LEN / 2, 400000,
					   0, 0);

	memset(theirs + LEN / 2, 1, 400000);
	toy.bad_from = LEN / 2 + 100000;
	toy.bad_to = toy.bad_from + 1;
	ck_fails(gcm_run(&a, src, remote), DOCA_ERROR_IO_FAILED);
	ck_says("not mapped");
	ck_all(theirs + LEN / 2, 0, 100000);
	ck_all(theirs + LEN / 2 + 100000, 1, 300000);
	/* A peer that has ended is asked once, not for each piece. */
	toy.bad_from = toy.bad_to = 0;
	toy.error = ESRCH;
	toy.n_calls = 0;
	toy.n_good = 5;
	ck_fails(gcm_run(&a, src, remote), DOCA_ERROR_IO_FAILED);
	ck_says("has ended");
	ck_assert_uint_eq(toy.n_calls, 5 + 1 + 1);
	unit_put(src);
	unit_put(remote);
}
END_TEST

/* Lists, memory that may be shared, and memory of a peer are checked like single buffers. */
START_TEST(overlaps_of_lists_are_refused)
{
	struct args a = {key128, iv, 12, 16, 100, false};
	struct doca_buf *src, *dst;
	struct doca_task *task;

	/* In place, cut at other places. */
	src = unit_chain(unit_buf(inventory, mmap, ours, 50, 0, 50),
			 unit_buf(inventory, mmap, ours + 50, 4950, 0, 4950));
	dst = unit_chain(unit_buf(inventory, mmap, ours, 3000, 0, 0),
			 unit_buf(inventory, mmap, ours + 3000, 2016, 0, 0));
	memcpy(message, ours, 5000);
	reference(raw_key, 16, &a, message, 5000, sealed);
	ck_ok(gcm_run(&a, src, dst));
	ck_assert_mem_eq(ours, sealed, 5016);
	unit_put(dst);
	/* The second half of the source would be overwritten before it is read. */
	dst = unit_chain(unit_buf(inventory, mmap, ours + 2000, 3000, 0, 0),
			 unit_buf(inventory, mmap, ours + LEN / 2, 2016, 0, 0));
	task = task_of(&a, src, dst);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("overwrite");
	ck_fails(run(task), DOCA_ERROR_IO_FAILED);
	ck_assert_mem_eq(ours, sealed, 5016);
	unit_put(src);
	unit_put(dst);
	src = unit_buf(inventory, mmap, ours, 5000, 0, 5000);
	dst = unit_buf(inventory, mmap, ours + 16, 5016, 0, 0);
	export_has_shared_memory = true;
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("overwrite");
	ck_assert_mem_eq(ours, sealed, 5016);
	unit_put(src);
	unit_put(dst);
	src = unit_buf(inventory, peer, (uint8_t *)PEER_BASE + 5016, 5000, 0, 5000);
	dst = unit_buf(inventory, peer, (uint8_t *)PEER_BASE + 1, 5016, 0, 0);
	ck_fails(gcm_run(&a, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("overwrite");
	unit_put(dst);
	/* The result ends where the source begins. */
	dst = unit_buf(inventory, peer, (uint8_t *)PEER_BASE, 5016, 0, 0);
	ck_ok(gcm_run(&a, src, dst));
	unit_put(src);
	unit_put(dst);
	export_has_shared_memory = false;
}
END_TEST

/* The scratch memory has nothing of a message when its task has completed. */
START_TEST(scratch_memory_is_wiped)
{
	struct args a = {key128, iv, 12, 16, 5, false};
	struct doca_buf *src = unit_buf(inventory, peer, (uint8_t *)PEER_BASE, 200000, 0, 200000);
	struct doca_buf *dst = unit_buf(inventory, peer2, (uint8_t *)PEER_BASE + LEN / 2, 200016, 0,
					0);
	const uint8_t *scratch = (const uint8_t *)gcm->scratch;

	ck_ok(gcm_run(&a, src, dst));
	for (size_t i = 0; i < 128u << 10; i++)
		ck_assert_uint_eq(scratch[i], 0);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(keys_in_use_stay)
{
	struct args a = {key128, iv, 12, 16, 3, false};
	struct doca_buf *src = src_of("message", 7), *dst = dst_of(512);
	struct doca_aes_gcm_key *key;
	struct doca_task *kept, *task;

	ck_ok(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_256, &key));
	a.key = key;
	kept = task_of(&a, src, dst);
	task = task_of(&a, src, dst);
	ck_ok(doca_task_submit(task));
	ck_fails(doca_aes_gcm_key_destroy(key), DOCA_ERROR_IN_USE);
	ck_says("1 submitted");
	unit_progress(pe);
	ck_assert_uint_eq(n_ok, 1);
	ck_ok(doca_aes_gcm_key_destroy(key));
	/* A task that had the key is refused until it gets another one. */
	ck_assert_ptr_null(
		doca_aes_gcm_task_encrypt_get_key((struct doca_aes_gcm_task_encrypt *)kept));
	ck_fails(doca_task_try_submit(kept), DOCA_ERROR_INVALID_VALUE);
	ck_says("destroyed");
	doca_aes_gcm_task_encrypt_set_key((struct doca_aes_gcm_task_encrypt *)kept, key128);
	ck_ok(run(kept));
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* Tasks that a stop flushes free their key. */
START_TEST(a_stop_flushes)
{
	struct args a = {key128, iv, 12, 16, 3, false};
	struct doca_buf *src = src_of("message", 7), *dst = dst_of(512);

	ck_ok(doca_task_submit(task_of(&a, src, dst)));
	ck_fails(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
	ck_fails(doca_aes_gcm_key_destroy(key128), DOCA_ERROR_IN_USE);
	ck_fails(doca_aes_gcm_destroy(gcm), DOCA_ERROR_IN_USE);
	ck_says("doca_aes_gcm_key_destroy");
	unit_progress(pe);
	ck_assert_uint_eq(n_failed, 1);
	ck_assert_int_eq(status, DOCA_ERROR_SHUTDOWN);
	ck_ok(doca_aes_gcm_key_destroy(key128));
	ck_ok(doca_ctx_start(ctx));
	ck_ok(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_128, &key128));
	a.key = key128;
	ck_ok(gcm_run(&a, src, dst));
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* A forged message fails; messages before and after it do not. */
START_TEST(a_forged_message_stops_nothing)
{
	struct args a = {key128, iv, 12, 16, 0, false};
	struct doca_buf *src = src_of("message", 7), *dst = dst_of(64), *out[3];

	ck_ok(gcm_run(&a, src, dst));
	a.is_decrypt = true;
	for (size_t i = 0; i < 3; i++) {
		out[i] = unit_buf(inventory, mmap, ours + 64 * (i + 1), 64, 0, 0);
		a.iv_len = i == 1 ? 11 : 12;
		ck_ok(doca_task_submit(task_of(&a, dst, out[i])));
	}
	unit_progress(pe);
	ck_assert_uint_eq(n_ok, 3);
	ck_assert_uint_eq(n_failed, 1);
	ck_assert_int_eq(unit_state(ctx), RUNNING);
	/* Nor does it leave an error for a program that uses libcrypto itself. */
	ck_assert_uint_eq(ERR_peek_error(), 0);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(out[i]->data_len, i == 1 ? 0 : 7);
		unit_put(out[i]);
	}
	unit_put(src);
	unit_put(dst);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/aes_gcm");
	TCase *tcase = unit_case(suite, "aes_gcm", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, known_answers, 0, (int)ARRAY_LEN(answers));
	tcase_add_loop_test(tcase, random_lists_match_libcrypto, 0, 4);
	tcase_add_loop_test(tcase, changed_messages_are_refused, 0, 4);
	tcase_add_test(tcase, every_bit_counts);
	tcase_add_test(tcase, tag_sizes_differ);
	tcase_add_test(tcase, in_place);
	tcase_add_test(tcase, setters_are_checked);
	tcase_add_test(tcase, short_sources_are_refused);
	tcase_add_test(tcase, destinations_are_checked);
	tcase_add_test(tcase, devices_and_life_are_checked);
	tcase_add_test(tcase, limits_of_the_device_hold);
	tcase_add_test(tcase, sums_do_not_wrap);
	tcase_add_test(tcase, refusals_of_a_peer_are_named);
	tcase_add_loop_test(tcase, plaintext_is_authenticated_before_a_peer_gets_it, 0, 4);
	tcase_add_test(tcase, partly_stored_plaintext_is_wiped);
	tcase_add_test(tcase, overlaps_of_lists_are_refused);
	tcase_add_test(tcase, scratch_memory_is_wiped);
	tcase_add_test(tcase, keys_in_use_stay);
	tcase_add_test(tcase, a_stop_flushes);
	tcase_add_test(tcase, a_forged_message_stops_nothing);
	return unit_run(suite);
}
