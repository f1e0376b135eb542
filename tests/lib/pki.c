/* Certificates for tests; see tests/lib/pki.h. */
#include "tests/lib/pki.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/assert.h"

static FILE *pki_open(const char *dir, const char *name, const char *kind, const char *mode)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%s", dir, name, kind);
	file = fopen(path, mode);
	ck_assert_msg(file != NULL, "%s cannot be opened", path);
	if (*mode == 'w')
		ck_assert_int_eq(fchmod(fileno(file), 0600), 0);
	return file;
}

static X509 *pki_read_cert(const char *dir, const char *name)
{
	FILE *file = pki_open(dir, name, "pem", "re");
	X509 *cert = PEM_read_X509(file, NULL, NULL, NULL);

	fclose(file);
	ck_assert_ptr_nonnull(cert);
	return cert;
}

static EVP_PKEY *pki_read_key(const char *dir, const char *name)
{
	FILE *file = pki_open(dir, name, "key", "re");
	EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);

	fclose(file);
	ck_assert_ptr_nonnull(key);
	return key;
}

static void pki_extend(X509 *cert, int nid, const char *value)
{
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

	ck_assert_ptr_nonnull(extension);
	ck_assert_int_eq(X509_add_ext(cert, extension, -1), 1);
	X509_EXTENSION_free(extension);
}

static void pki_fill(X509 *cert, const struct pki_options *options, EVP_PKEY *key)
{
	static long serial;
	char dns[300];

	ck_assert_int_eq(X509_set_version(cert, X509_VERSION_3), 1);
	ck_assert_int_eq(ASN1_INTEGER_set(X509_get_serialNumber(cert), 1000 + ++serial), 1);
	ck_assert_ptr_nonnull(X509_gmtime_adj(X509_getm_notBefore(cert), -7200));
	ck_assert_ptr_nonnull(X509_gmtime_adj(X509_getm_notAfter(cert),
					      options->is_expired ? -3600 : 30 * 24 * 3600));
	ck_assert_int_eq(X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
						    (const unsigned char *)options->subject, -1, -1,
						    0),
			 1);
	ck_assert_int_eq(X509_set_pubkey(cert, key), 1);
	if (!options->ca) {
		pki_extend(cert, NID_basic_constraints, "critical,CA:TRUE");
		pki_extend(cert, NID_key_usage, "critical,keyCertSign,cRLSign");
	}
	if (options->dns) {
		snprintf(dns, sizeof(dns), "DNS:%s", options->dns);
		pki_extend(cert, NID_subject_alt_name, dns);
	}
}

void pki_make(const char *dir, const char *name, const struct pki_options *options)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	EVP_PKEY *ca_key = options->ca ? pki_read_key(dir, options->ca) : NULL;
	X509 *ca = options->ca ? pki_read_cert(dir, options->ca) : NULL;
	X509 *cert = X509_new();
	FILE *file;

	ck_assert(key && cert);
	pki_fill(cert, options, key);
	X509_set_issuer_name(cert, X509_get_subject_name(ca ? ca : cert));
	ck_assert_int_gt(X509_sign(cert, ca_key ? ca_key : key, EVP_sha256()), 0);
	file = pki_open(dir, name, "pem", "we");
	ck_assert_int_eq(PEM_write_X509(file, cert), 1);
	ck_assert_int_eq(fclose(file), 0);
	file = pki_open(dir, name, "key", "we");
	ck_assert_int_eq(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), 1);
	ck_assert_int_eq(fclose(file), 0);
	X509_free(ca);
	X509_free(cert);
	EVP_PKEY_free(ca_key);
	EVP_PKEY_free(key);
}

void pki_revoke(const char *dir, const char *ca, const char *name)
{
	X509 *authority = pki_read_cert(dir, ca), *cert = pki_read_cert(dir, name);
	X509_REVOKED *entry = X509_REVOKED_new();
	ASN1_TIME *now = X509_gmtime_adj(NULL, 0), *next = X509_gmtime_adj(NULL, 24 * 3600);
	EVP_PKEY *key = pki_read_key(dir, ca);
	X509_CRL *crl = X509_CRL_new();
	FILE *file = pki_open(dir, ca, "pem", "ae");

	ck_assert(entry && now && next && crl);
	ck_assert_int_eq(X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(cert)), 1);
	ck_assert_int_eq(X509_REVOKED_set_revocationDate(entry, now), 1);
	ck_assert_int_eq(X509_CRL_set_version(crl, X509_CRL_VERSION_2), 1);
	ck_assert_int_eq(X509_CRL_set_issuer_name(crl, X509_get_subject_name(authority)), 1);
	ck_assert_int_eq(X509_CRL_set1_lastUpdate(crl, now), 1);
	ck_assert_int_eq(X509_CRL_set1_nextUpdate(crl, next), 1);
	ck_assert_int_eq(X509_CRL_add0_revoked(crl, entry), 1);
	ck_assert_int_gt(X509_CRL_sign(crl, key, EVP_sha256()), 0);
	ck_assert_int_eq(PEM_write_X509_CRL(file, crl), 1);
	ck_assert_int_eq(fclose(file), 0);
	ASN1_TIME_free(now);
	ASN1_TIME_free(next);
	X509_CRL_free(crl);
	X509_free(authority);
	X509_free(cert);
	EVP_PKEY_free(key);
}

const char *pki_fingerprint(const char *dir, const char *name)
{
	static char text[128];
	unsigned char digest[EVP_MAX_MD_SIZE];
	X509 *cert = pki_read_cert(dir, name);
	unsigned len = 0;
	int at;

	ck_assert_int_eq(X509_digest(cert, EVP_sha256(), digest, &len), 1);
	X509_free(cert);
	at = snprintf(text, sizeof(text), "sha256:");
	for (unsigned i = 0; i < len; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, i ? ":%02X" : "%02X",
			       digest[i]);
	return text;
}
