/* Certificates and their verification; see tls.h. */
#include "daemon/peer/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/log.h"
#include "util/secret.h"
#include "util/str.h"

#define TLS_VERIFY_DEPTH 4
#define TLS_WARN_DAYS    14

/*
 * ALPN name. It rejects a certificate that the same authority issued to another service's
 * connection.
 */
static const unsigned char tls_alpn[] = "\x0d"
					"dococore-peer";

struct tls {
	SSL_CTX *ctx;
};

struct tls *tls_free(struct tls *tls)
{
	if (!tls)
		return NULL;
	SSL_CTX_free(tls->ctx);
	free(tls);
	return NULL;
}

/* Returns the first error in OpenSSL's queue and clears the queue. */
static const char *tls_reason(void)
{
	const char *text = ERR_reason_error_string(ERR_peek_error());

	ERR_clear_error();
	return text ? text : "unknown reason";
}

static int tls_refuse(struct ini_error *error, const char *key, const char *path, const char *why)
{
	ini_error_add(error, "section [tls], key '%s': %.250s: %s", key, path, why);
	return -EINVAL;
}

/* --- verification --- */

static const struct config_peer *tls_find_peer(const struct tls_check *check, X509 *cert)
{
	const unsigned flags = X509_CHECK_FLAG_NO_WILDCARDS | X509_CHECK_FLAG_ALWAYS_CHECK_SUBJECT;
	const struct config *config = *check->config;
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	if (X509_digest(cert, EVP_sha256(), digest, &len) != 1 || len != CONFIG_FINGERPRINT_LEN)
		return NULL;
	for (size_t i = 0; i < config->n_peers; i++) {
		const struct config_peer *peer = &config->peers[i];

		if (!*peer->subject || (*check->only && strcmp(check->only, peer->name) != 0))
			continue;
		if (peer->has_fingerprint && memcmp(peer->fingerprint, digest, len) != 0)
			continue;
		if (X509_check_host(cert, peer->subject, 0, flags, NULL) == 1 ||
		    X509_check_ip_asc(cert, peer->subject, 0) == 1)
			return peer;
	}
	return NULL;
}

static void tls_get_subject(X509 *cert, char *text, size_t len)
{
	BIO *bio = BIO_new(BIO_s_mem());
	int n = 0;

	/*
	 * Control characters and bytes that are not ASCII are escaped, because the subject is
	 * logged.
	 */
	if (bio && X509_NAME_print_ex(bio, X509_get_subject_name(cert), 0, XN_FLAG_RFC2253) >= 0)
		n = BIO_read(bio, text, (int)len - 1);
	text[n > 0 ? n : 0] = '\0';
	BIO_free(bio);
}

/* Returns 1 to continue, or 0 to end the handshake with an alert. */
static int tls_verify(int ok, X509_STORE_CTX *store)
{
	SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
	struct tls_check *check = ssl ? SSL_get_app_data(ssl) : NULL;
	X509 *cert = X509_STORE_CTX_get0_cert(store);
	const struct config_peer *peer;

	if (!check || !cert)
		return 0;
	tls_get_subject(cert, check->subject, sizeof(check->subject));
	if (!ok) {
		str_copy(check->rule, sizeof(check->rule),
			 X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)));
		snprintf(check->refusal, sizeof(check->refusal),
			 "its certificate '%.80s' is refused: %.80s", check->subject, check->rule);
		return 0;
	}
	if (X509_STORE_CTX_get_error_depth(store) > 0)
		return 1;
	peer = tls_find_peer(check, cert);
	if (peer) {
		str_copy(check->name, sizeof(check->name), peer->name);
		return 1;
	}
	X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
	snprintf(check->refusal, sizeof(check->refusal),
		 "its certificate '%.80s' is not %s%.60s]: see keys subject and fingerprint there",
		 check->subject, *check->only ? "that of [peer " : "that of any [peer NAME",
		 check->only);
	return 0;
}

/* --- the files --- */

static int tls_no_password(char *buf, int len, int writing, void *user)
{
	(void)buf, (void)len, (void)writing, (void)user;
	/* Without this callback, OpenSSL would prompt on the terminal. */
	return -1;
}

/*
 * Checks the mode of the key file: readable by the owner alone, or owned by root and readable for a
 * group.
 */
static const char *tls_key_error(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "the key is no regular file";
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "the key belongs to another user: give it to root or to the user that the "
		       "daemon runs as";
	if (st->st_mode & (st->st_uid == 0 ? 0037 : 0077))
		return "other users may read or write the key: chmod 600 it, or 640 if root owns "
		       "it and the daemon runs in its group";
	return NULL;
}

static int tls_load_key(SSL_CTX *ctx, const char *path, struct ini_error *error)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *wrong;
	char why[192];
	EVP_PKEY *key;
	struct stat st;
	BIO *bio;
	int r;

	if (fd < 0 && errno == EACCES) {
		snprintf(why, sizeof(why),
			 "the daemon runs as user %u, group %u, and may not read it: chown "
			 "root:GROUP and chmod 640 it, and let that user into its directory",
			 (unsigned)geteuid(), (unsigned)getegid());
		return tls_refuse(error, "key", path, why);
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return tls_refuse(error, "key", path, strerror(errno));
	wrong = tls_key_error(&st);
	if (wrong)
		return tls_refuse(error, "key", path, wrong);
	bio = BIO_new_fd(fd, BIO_NOCLOSE);
	key = bio ? PEM_read_bio_PrivateKey(bio, NULL, tls_no_password, NULL) : NULL;
	BIO_free(bio);
	if (!key) {
		ERR_clear_error();
		return tls_refuse(error, "key", path,
				  "no private key in PEM form without a password");
	}
	r = SSL_CTX_use_PrivateKey(ctx, key);
	EVP_PKEY_free(key);
	if (r != 1 || SSL_CTX_check_private_key(ctx) != 1) {
		snprintf(why, sizeof(why), "not the key of the certificate: %.80s", tls_reason());
		return tls_refuse(error, "key", path, why);
	}
	return 0;
}

static void tls_warn_expiry(const X509 *cert, const char *path)
{
	time_t warn_from = time(NULL) + TLS_WARN_DAYS * 24 * 3600;
	const ASN1_TIME *end = X509_get0_notAfter(cert);

	if (X509_cmp_current_time(end) < 0)
		log_warning("certificate %s has expired: peers will refuse it", path);
	else if (X509_cmp_time(end, &warn_from) < 0)
		log_warning("certificate %s expires in less than %d days", path, TLS_WARN_DAYS);
	else if (X509_cmp_current_time(X509_get0_notBefore(cert)) > 0)
		log_warning("certificate %s is not valid yet: peers will refuse it", path);
}

/*
 * The file of the authorities may contain revocation lists. If it does, a list must cover every
 * peer's certificate.
 */
static void tls_use_crls(X509_STORE *store)
{
	STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(store);

	for (int i = 0; i < sk_X509_OBJECT_num(objects); i++)
		if (X509_OBJECT_get_type(sk_X509_OBJECT_value(objects, i)) == X509_LU_CRL)
			X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
}

static int tls_load_files(SSL_CTX *ctx, const struct config_tls *config, struct ini_error *error)
{
	SSL_CTX_set_default_passwd_cb(ctx, tls_no_password);
	if (access(config->certificate, R_OK) < 0)
		return tls_refuse(error, "certificate", config->certificate, strerror(errno));
	if (SSL_CTX_use_certificate_chain_file(ctx, config->certificate) != 1) {
		ini_error_add(error,
			      "section [tls], key 'certificate': %.250s: no usable certificate in "
			      "PEM form: %s",
			      config->certificate, tls_reason());
		return -EINVAL;
	}
	if (access(config->ca, R_OK) < 0)
		return tls_refuse(error, "ca", config->ca, strerror(errno));
	if (SSL_CTX_load_verify_file(ctx, config->ca) != 1) {
		ERR_clear_error();
		return tls_refuse(error, "ca", config->ca, "no certificate in PEM form");
	}
	tls_use_crls(SSL_CTX_get_cert_store(ctx));
	return tls_load_key(ctx, config->key, error);
}

static int tls_select_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
			   const unsigned char *in, unsigned in_len, void *user)
{
	(void)ssl, (void)user;
	if (SSL_select_next_proto((unsigned char **)out, out_len, tls_alpn, sizeof(tls_alpn) - 1,
				  in, in_len) != OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	return SSL_TLSEXT_ERR_OK;
}

static bool tls_set_rules(SSL_CTX *ctx)
{
	/* TLS 1.3 has neither renegotiation nor compression; the options are set in addition. */
	SSL_CTX_set_options(ctx,
			    SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, tls_verify);
	SSL_CTX_set_verify_depth(ctx, TLS_VERIFY_DEPTH);
	SSL_CTX_set_alpn_select_cb(ctx, tls_select_alpn, NULL);
	return SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) == 1 &&
	       SSL_CTX_set_num_tickets(ctx, 0) == 1 &&
	       SSL_CTX_set_alpn_protos(ctx, tls_alpn, sizeof(tls_alpn) - 1) == 0;
}

/* --- OpenSSL's memory, which contains the private key and keys of connections --- */

static void *tls_mem_alloc(size_t len, const char *file, int line)
{
	(void)file, (void)line;
	return secret_alloc(len);
}

static void *tls_mem_realloc(void *mem, size_t len, const char *file, int line)
{
	(void)file, (void)line;
	return len == 0 ? secret_free(mem) : secret_realloc(mem, len);
}

static void tls_mem_free(void *mem, const char *file, int line)
{
	(void)file, (void)line;
	secret_free(mem);
}

/* Keeps OpenSSL's memory out of core dumps. It must not have allocated any before. */
static void tls_hide_memory(void)
{
	static bool is_hidden;

	if (is_hidden)
		return;
	is_hidden = true;
	if (CRYPTO_set_mem_functions(tls_mem_alloc, tls_mem_realloc, tls_mem_free) != 1)
		log_warning("a core dump of this process would contain the key of its "
			    "certificate: OpenSSL accepts no other allocator any more");
}

int tls_new(const struct config_tls *config, struct tls **tls_out, struct ini_error *error)
{
	struct tls *tls = calloc(1, sizeof(*tls));
	int r = 0;

	tls_hide_memory();
	if (tls)
		tls->ctx = SSL_CTX_new(TLS_method());
	if (!tls || !tls->ctx || !tls_set_rules(tls->ctx)) {
		ini_error_add(error, "TLS cannot be set up: %s", tls_reason());
		r = -ENOMEM;
	}
	if (r == 0)
		r = tls_load_files(tls->ctx, config, error);
	if (r < 0) {
		tls_free(tls);
		return r;
	}
	tls_warn_expiry(SSL_CTX_get0_certificate(tls->ctx), config->certificate);
	*tls_out = tls;
	return 0;
}

/* --- a connection --- */

SSL *tls_begin(struct tls *tls, bool accepts, struct tls_check *check)
{
	SSL *ssl = SSL_new(tls->ctx);

	if (!ssl)
		return NULL;
	SSL_set_app_data(ssl, check);
	if (accepts)
		SSL_set_accept_state(ssl);
	else
		SSL_set_connect_state(ssl);
	return ssl;
}

void tls_end(SSL *ssl)
{
	SSL_set_app_data(ssl, NULL);
}

const char *tls_recheck(const struct tls *tls, SSL *ssl, struct tls_check *check)
{
	X509 *cert = SSL_get0_peer_certificate(ssl);
	X509_STORE_CTX *store = X509_STORE_CTX_new();
	const struct config_peer *peer;
	const char *wrong = NULL;

	if (!cert || !store ||
	    X509_STORE_CTX_init(store, SSL_CTX_get_cert_store(tls->ctx), cert,
				SSL_get_peer_cert_chain(ssl)) != 1 ||
	    X509_STORE_CTX_set_default(store, SSL_is_server(ssl) ? "ssl_client" : "ssl_server") !=
		    1) {
		wrong = "no memory";
	} else {
		X509_STORE_CTX_set_depth(store, TLS_VERIFY_DEPTH);
		if (X509_verify_cert(store) != 1)
			wrong = X509_verify_cert_error_string(X509_STORE_CTX_get_error(store));
	}
	X509_STORE_CTX_free(store);
	ERR_clear_error();
	peer = wrong ? NULL : tls_find_peer(check, cert);
	if (!wrong && (!peer || strcmp(peer->name, check->name) != 0))
		wrong = "it is not that of this peer any more";
	if (!wrong)
		return NULL;
	snprintf(check->refusal, sizeof(check->refusal),
		 "its certificate '%.80s' is refused: %.80s", check->subject, wrong);
	return check->refusal;
}

const char *tls_find_error(const SSL *ssl)
{
	const unsigned char *alpn = NULL;
	unsigned len = 0;

	SSL_get0_alpn_selected(ssl, &alpn, &len);
	if (len != sizeof(tls_alpn) - 2 || memcmp(alpn, tls_alpn + 1, len) != 0)
		return "it speaks TLS, but not as a dococored (ALPN dococore-peer)";
	if (SSL_get_verify_result(ssl) != X509_V_OK || !SSL_get0_peer_certificate(ssl))
		return "it has shown no certificate";
	return NULL;
}

void tls_explain(struct tls_check *check, unsigned long error, int error_number, char *text,
		 size_t text_len)
{
	const char *reason = error ? ERR_reason_error_string(error) : NULL;
	int code = error && ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
	bool is_alert = code > SSL_AD_REASON_OFFSET && code < SSL_AD_REASON_OFFSET + 256;

	if (is_alert && !*check->refusal)
		str_copy(check->rule, sizeof(check->rule), "alert");
	if (*check->refusal)
		snprintf(text, text_len, "%s", check->refusal);
	else if (is_alert)
		snprintf(text, text_len, "it refuses this daemon (%s): its log says why",
			 reason ? reason : "unknown alert");
	else if (code == SSL_R_UNEXPECTED_EOF_WHILE_READING)
		snprintf(text, text_len, "the connection was cut off");
	else if (error)
		snprintf(text, text_len, "TLS 1.3 with certificates does not succeed: %s",
			 reason ? reason : "unknown reason");
	else if (error_number)
		snprintf(text, text_len, "%s", strerror(error_number));
	else
		snprintf(text, text_len, "it closed the connection");
}
