/*
 * The vectors with which NIST validates implementations of AES-GCM (CAVP), from the package
 * python3-cryptography-vectors. Tasks of both directions must give their results and refuse forged
 * messages, and there must be no tasks for tags that are neither 96 nor 128 bits long.
 */
#include <unistd.h>

#include "tests/unit/client/aes_gcm/fixture.h"

#define VECTORS "/usr/lib/python3/dist-packages/cryptography_vectors/ciphers/AES/GCM"
#define MAX_LEN 512u

struct field {
	uint8_t bytes[MAX_LEN];
	size_t n;
};

/* One vector; the lengths are those of its section, in bytes. */
struct vector {
	struct field key, iv, plain, aad, cipher, tag;
	bool is_forged;
};

static struct {
	unsigned n_results, n_forged, n_refused; /* refused: tags of another length */
} tally;

/* Reads the field of a line such as "Key = 00ff". Returns false if the line has another one. */
static bool field_read(const char *line, const char *name, struct field *field)
{
	size_t len = strlen(name);

	if (strncmp(line, name, len) != 0 || strncmp(line + len, " =", 2) != 0)
		return false;
	line += len + 2;
	ck_assert_uint_lt(strlen(line), 2 * MAX_LEN);
	field->n = bytes_of(line + (*line == ' '), field->bytes);
	return true;
}

static void vector_read(const char *line, struct vector *v)
{
	if (strcmp(line, "FAIL") == 0)
		v->is_forged = true;
	else if (!field_read(line, "Key", &v->key) && !field_read(line, "IV", &v->iv) &&
		 !field_read(line, "PT", &v->plain) && !field_read(line, "AAD", &v->aad) &&
		 !field_read(line, "CT", &v->cipher))
		field_read(line, "Tag", &v->tag);
}

/* A message is the AAD, followed by plaintext, or by ciphertext and tag. */
static size_t message_of(const struct vector *v, bool is_sealed, uint8_t *out)
{
	const struct field *payload = is_sealed ? &v->cipher : &v->plain;
	size_t n = v->aad.n;

	memcpy(out, v->aad.bytes, n);
	memcpy(out + n, payload->bytes, payload->n);
	n += payload->n;
	if (is_sealed) {
		memcpy(out + n, v->tag.bytes, v->tag.n);
		n += v->tag.n;
	}
	return n;
}

/* A task with a tag of this length cannot be allocated. */
static void check_refused(const struct args *a, const struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_aes_gcm_task_encrypt *encrypt;
	struct doca_aes_gcm_task_decrypt *decrypt;

	ck_fails(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, a->key, a->iv, a->iv_len,
						      a->tag_size, a->aad_size, no_data, &encrypt),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, a->key, a->iv, a->iv_len,
						      a->tag_size, a->aad_size, no_data, &decrypt),
		 DOCA_ERROR_INVALID_VALUE);
	tally.n_refused++;
}

/* Runs one direction of a vector. A vector that is forged has no plaintext. */
static void vector_run(const struct vector *v, struct args *a, bool is_decrypt)
{
	uint8_t in[3 * MAX_LEN], out[3 * MAX_LEN];
	size_t n_in = message_of(v, is_decrypt, in), n_out = message_of(v, !is_decrypt, out);
	struct doca_buf *src = src_of(in, n_in), *dst = dst_of(2 * MAX_LEN);

	a->is_decrypt = is_decrypt;
	if (a->tag_size != AES_GCM_TAG_96 && a->tag_size != AES_GCM_TAG_128) {
		check_refused(a, src, dst);
	} else if (v->is_forged) {
		ck_fails(gcm_run(a, src, dst), DOCA_ERROR_IO_FAILED);
		ck_assert_uint_eq(dst->data_len, 0);
		tally.n_forged++;
	} else {
		ck_ok(gcm_run(a, src, dst));
		ck_assert_uint_eq(dst->data_len, n_out);
		ck_assert_mem_eq(ours + LEN / 2, out, n_out);
		tally.n_results++;
	}
	unit_put(src);
	unit_put(dst);
}

static void vector_check(const struct vector *v)
{
	struct args a = {
		.iv = v->iv.bytes,
		.iv_len = (uint32_t)v->iv.n,
		.tag_size = (uint32_t)v->tag.n,
		.aad_size = (uint32_t)v->aad.n,
	};

	ck_assert(v->key.n == 16 || v->key.n == 32);
	ck_ok(doca_aes_gcm_key_create(gcm, v->key.bytes,
				      v->key.n == 16 ? DOCA_AES_GCM_KEY_128 : DOCA_AES_GCM_KEY_256,
				      &a.key));
	vector_run(v, &a, true);
	if (!v->is_forged)
		vector_run(v, &a, false);
	ck_ok(doca_aes_gcm_key_destroy(a.key));
}

/* Checks all vectors of a file. A vector begins with its "Count" and ends before the next line that
 * is empty. */
static void file_check(const char *name)
{
	static char line[4096];
	struct vector v = {.is_forged = false};
	bool is_open = false;
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", VECTORS, name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s: %m", path);
	while (fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if (strncmp(line, "Count", 5) == 0) {
			v = (struct vector){.is_forged = false};
			is_open = true;
		} else if (is_open && line[0] == '\0') {
			vector_check(&v);
			is_open = false;
		} else if (is_open) {
			vector_read(line, &v);
		}
	}
	if (is_open)
		vector_check(&v);
	fclose(file);
}

static const char *const files[] = {
	"gcmEncryptExtIV128.rsp",
	"gcmEncryptExtIV256.rsp",
	"gcmDecrypt128.rsp",
	"gcmDecrypt256.rsp",
};

START_TEST(vectors_of_nist)
{
	file_check(files[_i]);
	printf("%s: %u results, %u forged messages, %u tasks with tags of other lengths refused\n",
	       files[_i], tally.n_results, tally.n_forged, tally.n_refused);
	fflush(stdout);
	/* Each file has 15 vectors for each of 525 combinations of lengths. */
	ck_assert_uint_gt(tally.n_results, 1000);
	ck_assert_uint_gt(tally.n_refused, 1000);
	if (_i >= 2)
		ck_assert_uint_gt(tally.n_forged, 500);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/aes_gcm vectors");
	TCase *tcase = unit_case(suite, "vectors", UNIT_TIMEOUT);

	if (access(VECTORS, R_OK) != 0) {
		printf("no vectors of NIST: install python3-cryptography-vectors\n");
		return 77;
	}
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, vectors_of_nist, 0, ARRAY_LEN(files));
	return unit_run(suite);
}
