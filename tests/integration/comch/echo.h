/*
 * One conversation between programs of different generations of the interface: a service sends each
 * message back, and a client sends messages of every length and checks the replies. The last
 * message is ECHO_BYE; both end after its reply. Each end is compiled for its own version, some
 * files for several. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_COMCH_ECHO_H
#define TESTS_INTEGRATION_COMCH_ECHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ECHO_SERVICE "echo"
#define ECHO_MAX     1000u /* bytes */
#define ECHO_N       400u
#define ECHO_WINDOW  24u /* limit of messages without a reply */
#define ECHO_BYE     "bye"

struct echo_role {
	const char *name;
	int version; /* for example 202 */
	/* Functions for lab_fork(). The service signals when it listens. */
	void (*serve)(int sock, void *arg);
	void (*ask)(int sock, void *arg);
};

/* A comm channel with blocking calls, one that is polled, doca_cc, comch. */
extern const struct echo_role echo_wait_103, echo_poll_105, echo_poll_200, echo_poll_202,
	echo_poll_205, echo_cc_205, echo_cc_206, echo_comch_303;

/* Writes the n-th message. Returns its length. */
static inline uint32_t echo_make(uint8_t question[ECHO_MAX], unsigned n)
{
	uint32_t len = n == ECHO_N ? sizeof(ECHO_BYE) : 1 + n * 7 % ECHO_MAX;

	for (uint32_t i = 0; i < len; i++)
		question[i] = n == ECHO_N ? (uint8_t)ECHO_BYE[i] : (uint8_t)(n + i * 3 + 128);
	return len;
}

static inline bool echo_is(const uint8_t *bytes, size_t len, unsigned n)
{
	uint8_t question[ECHO_MAX];

	if (len != echo_make(question, n))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != question[i])
			return false;
	}
	return true;
}

#endif
