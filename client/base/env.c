/* Environment variables; see client/base/env.h. */
#include "client/base/env.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[ENV_N_NAMES] = {
	[ENV_TRANSPORT] = "DOCOCORED_TRANSPORT",
	[ENV_GID_INDEX] = "DOCOCORED_GID_INDEX",
	[ENV_ADOPT] = "DOCOCORED_ADOPT",
	[ENV_PTRACER] = "DOCOCORED_PTRACER",
};

static _Thread_local const struct env_snapshot *used;

const char *env_variable(const char *name)
{
	return secure_getenv(name);
}

void env_snapshot_take(struct env_snapshot *copy_out)
{
	for (unsigned i = 0; i < ENV_N_NAMES; i++) {
		const char *text = env_variable(names[i]);

		copy_out->is_set[i] = text != NULL;
		snprintf(copy_out->values[i], ENV_VALUE_MAX, "%s", text != NULL ? text : "");
	}
}

void env_use_snapshot(const struct env_snapshot *copy)
{
	used = copy;
}

const char *env_get(enum env_name name)
{
	if (used == NULL)
		return env_variable(names[name]);
	return used->is_set[name] ? used->values[name] : NULL;
}

bool env_wants_verbs(void)
{
	const char *transport = env_get(ENV_TRANSPORT);

	return transport != NULL && strcmp(transport, "verbs") == 0;
}
