/*
 * Encrypt and decrypt tasks against the command openssl, which has no GCM for files, but its two
 * halves: AES in counter mode makes the ciphertext, and GMAC the tag of a message that is
 * authenticated only.
 */
#include "tests/unit/client/aes_gcm/fixture.h"
#include "tests/unit/command.h"

#define MAX_LEN  20000u
#define IV_LEN   12u
#define MAX_HEX  (2 * 32 + 1)
#define TAG_SIZE AES_GCM_TAG_128

static const size_t lens[] = {1, 15, 16, 17, 64, 1000, 4096, 19999};

static const char *hex_of(const uint8_t *bytes, size_t n, char hex[MAX_HEX])
{
	for (size_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	return hex;
}

static struct args args_of(int is_256, uint32_t aad_size)
{
	return (struct args){.key = is_256 ? key256 : key128,
			     .iv = iv,
			     .iv_len = IV_LEN,
			     .tag_size = TAG_SIZE,
			     .aad_size = aad_size};
}

/* Encrypts n bytes at `plain`, and checks that the result can be decrypted. Returns the result. */
static const uint8_t *seal(struct args a, const uint8_t *plain, size_t n)
{
	static uint8_t sealed[MAX_LEN + TAG_SIZE];
	struct doca_buf *src = src_of(plain, n), *dst = dst_of(n + TAG_SIZE);

	ck_ok(gcm_run(&a, src, dst));
	memcpy(sealed, ours + LEN / 2, n + TAG_SIZE);
	unit_put(src);
	unit_put(dst);
	a.is_decrypt = true;
	src = src_of(sealed, n + TAG_SIZE);
	dst = dst_of(n);
	ck_ok(gcm_run(&a, src, dst));
	ck_assert_mem_eq(ours + LEN / 2, plain, n);
	unit_put(src);
	unit_put(dst);
	return sealed;
}

/* The counter begins with 1 for the tag, so it is 2 for the first block of ciphertext. */
START_TEST(ciphertext_is_that_of_counter_mode)
{
	static uint8_t plain[MAX_LEN], cipher[MAX_LEN + 1];
	char key_hex[MAX_HEX], iv_hex[MAX_HEX];

	unit_fill(plain, sizeof(plain), 7);
	for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
		size_t n = command_run(cipher, sizeof(cipher),
				       "openssl enc -aes-%d-ctr -K %s -iv %s00000002 -in %s",
				       _i ? 256 : 128, hex_of(raw_key, _i ? 32 : 16, key_hex),
				       hex_of(iv, IV_LEN, iv_hex), command_file(plain, lens[i]));

		ck_assert_uint_eq(n, lens[i]);
		ck_assert_mem_eq(seal(args_of(_i, 0), plain, n), cipher, n);
	}
}
END_TEST

START_TEST(tag_is_that_of_gmac)
{
	static uint8_t plain[MAX_LEN], tag[64], wanted[64];
	char key_hex[MAX_HEX], iv_hex[MAX_HEX];

	unit_fill(plain, sizeof(plain), 8);
	for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
		size_t n = command_run(tag, sizeof(tag),
				       "openssl mac -cipher AES-%d-GCM -macopt hexkey:%s -macopt "
				       "hexiv:%s -in %s GMAC",
				       _i ? 256 : 128, hex_of(raw_key, _i ? 32 : 16, key_hex),
				       hex_of(iv, IV_LEN, iv_hex), command_file(plain, lens[i]));

		ck_assert_uint_ge(n, (size_t)2 * TAG_SIZE);
		tag[2 * TAG_SIZE] = '\0';
		ck_assert_uint_eq(bytes_of((const char *)tag, wanted), TAG_SIZE);
		ck_assert_mem_eq(seal(args_of(_i, (uint32_t)lens[i]), plain, lens[i]) + lens[i],
				 wanted, TAG_SIZE);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/aes_gcm tools");
	TCase *tcase = unit_case(suite, "openssl", UNIT_TIMEOUT);

	if (!command_exists("openssl")) {
		printf("no command openssl: install the package of this name\n");
		return 77;
	}
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, ciphertext_is_that_of_counter_mode, 0, 2);
	tcase_add_loop_test(tcase, tag_is_that_of_gmac, 0, 2);
	return unit_run(suite);
}
