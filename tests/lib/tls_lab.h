/*
 * A host and a DPU side whose daemons are linked over TLS, on a loopback address of this test's
 * own, with certificates made for it. Threads: none.
 */
#ifndef TESTS_LIB_TLS_LAB_H
#define TESTS_LIB_TLS_LAB_H

#include <netinet/in.h>

#include "tests/lib/lab.h"

#define TLS_LAB_PORT 18515

struct tls_lab {
	char dir[128]; /* ca, host, dpu: .pem and .key */
	char address[16];
	char config[LAB_N_SIDES][2048];
};

/* Certificates, and configurations with these keys added to [tls]; "" for none. */
void tls_lab_make(struct tls_lab *tls, const char *keys);
void tls_lab_remove(struct tls_lab *tls);
/* Another text for the host: its certificate, and what it takes the DPU's for. */
void tls_lab_configure_host(struct tls_lab *tls, const char *certificate, const char *dpu_subject,
			    const char *keys);
/* Starts one side only, or both, which are linked then. */
void tls_lab_start(const struct tls_lab *tls, struct lab *lab, bool host, bool dpu);
/* Keys for who is to find out that the other side is silent: not so soon that a daemon which waits
 * for its turn were lost; nor so late that it takes long to hear of another time. */
#define TLS_LAB_SILENCE "timeout_ms = 6000\n"
/* Once the other side stands still the time may be short; before it goes on, long again. */
void tls_lab_set_timeout(struct tls_lab *tls, struct lab *lab, enum lab_side side, unsigned ms);
/* Both, whose next instances take up what was theirs: so many descriptors are kept of each. */
void tls_lab_start_kept(const struct tls_lab *tls, struct lab *lab, size_t fd_store);
/* Waits until the text is in the log. */
void tls_lab_await_log(const struct lab *lab, enum lab_side side, const char *text);
/* How often it is there. */
unsigned tls_lab_count_log(const struct lab *lab, enum lab_side side, const char *text);

/* Has an operator do it to all of a list of doca-admin's: "clients", "drop". */
void tls_lab_admin_all(const struct lab *lab, enum lab_side side, const char *nouns,
		       const char *verb);

#endif
