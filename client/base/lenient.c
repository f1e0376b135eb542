/* Rules of the guides that real devices do not enforce; see client/base/lenient.h. */
#include "client/base/lenient.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/env.h"
#include "client/base/error.h"

static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static bool is_strict;

static void read_environment(void)
{
	const char *text = env_variable("DOCOCORED_STRICT");

	is_strict = text != NULL && *text != '\0' && strcmp(text, "0") != 0;
}

bool lenient_is_strict(void)
{
	pthread_once(&read_once, read_environment);
	return is_strict;
}

doca_error_t lenient_accept(struct lenient *state, unsigned rule, doca_error_t code,
			    const char *fmt, ...)
{
	uint32_t bit = UINT32_C(1) << rule;
	char sentence[ERROR_SENTENCE_MAX];
	va_list args;

	if (!lenient_is_strict() &&
	    (atomic_fetch_or_explicit(&state->warned, bit, memory_order_relaxed) & bit) != 0)
		return DOCA_SUCCESS;
	va_start(args, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, args);
	va_end(args);
	if (lenient_is_strict())
		return error_set(code, "%s", sentence);
	error_note(DOCA_SUCCESS, "%s (accepted; DOCOCORED_STRICT=1 refuses it)", sentence);
	sdk_warning("%s (accepted; DOCOCORED_STRICT=1 refuses it)", sentence);
	return DOCA_SUCCESS;
}
