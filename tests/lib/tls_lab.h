/*
 * A host and a DPU side whose daemons are linked over TLS, on a loopback address of this test, with
 * certificates generated for it. Creates no threads.
 */
#ifndef TESTS_LIB_TLS_LAB_H
#define TESTS_LIB_TLS_LAB_H

#include <netinet/in.h>

#include "tests/lib/lab.h"

#define TLS_LAB_PORT 18515

struct tls_lab {
	char dir[128]; /* contains ca, host, dpu: .pem and .key */
	char address[16];
	char config[LAB_N_SIDES][2048];
};

/* Creates certificates, and configurations with these keys added to [tls]; "" for none. */
void tls_lab_make(struct tls_lab *tls, const char *keys);
void tls_lab_remove(struct tls_lab *tls);
/*
 * Replaces the host's configuration: its certificate, and the subject that it expects of the DPU.
 */
void tls_lab_configure_host(struct tls_lab *tls, const char *certificate, const char *dpu_subject,
			    const char *keys);
/* Starts one side only, or both, which are linked on return. */
void tls_lab_start(const struct tls_lab *tls, struct lab *lab, bool host, bool dpu);
/*
 * Keys for tests in which the other side falls silent. The timeout is not so short that a daemon
 * that waits for a processor would be lost, and not so long that a changed timeout takes long to
 * apply.
 */
#define TLS_LAB_SILENCE "timeout_ms = 6000\n"
/* Sets the timeout: short once the other side is stopped, long again before it continues. */
void tls_lab_set_timeout(struct tls_lab *tls, struct lab *lab, enum lab_side side, unsigned ms);
/*
 * Starts both with a service manager that stores this many descriptors of each, so that their next
 * instances resume.
 */
void tls_lab_start_persistent(const struct tls_lab *tls, struct lab *lab, size_t fd_store);
/* Waits until the text is in the log. */
void tls_lab_await_log(const struct lab *lab, enum lab_side side, const char *text);
/* Returns how often the text is in the log. */
unsigned tls_lab_count_log(const struct lab *lab, enum lab_side side, const char *text);

/* Makes an operator apply a verb to all objects in a list of doca-admin: "clients", "drop". */
void tls_lab_admin_all(const struct lab *lab, enum lab_side side, const char *nouns,
		       const char *verb);

#endif
