/* Environment variables; see client/base/env.h. */
#include "client/base/env.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[ENV_N_WORDS] = {
	[ENV_TRANSPORT] = "DOCOCORED_TRANSPORT",
	[ENV_GID_INDEX] = "DOCOCORED_GID_INDEX",
};

static _Thread_local const struct env_copy *own_copy;

const char *env_variable(const char *name)
{
	return secure_getenv(name);
}

void env_take(struct env_copy *copy_out)
{
	for (unsigned i = 0; i < ENV_N_WORDS; i++) {
		const char *text = env_variable(names[i]);

		copy_out->is_set[i] = text != NULL;
		snprintf(copy_out->words[i], ENV_WORD_MAX, "%s", text != NULL ? text : "");
	}
}

void env_go_by(const struct env_copy *copy)
{
	own_copy = copy;
}

const char *env_get(enum env_word word)
{
	if (own_copy == NULL)
		return env_variable(names[word]);
	return own_copy->is_set[word] ? own_copy->words[word] : NULL;
}

bool env_asks_for_verbs(void)
{
	const char *transport = env_get(ENV_TRANSPORT);

	return transport != NULL && strcmp(transport, "verbs") == 0;
}
