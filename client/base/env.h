/*
 * Environment variables that are read when an object is created. The application may change its
 * environment while a thread of the library runs, and getenv() on that thread would race with it.
 * Such a thread therefore uses a copy, made when the application's thread submitted its work.
 * Threads: the copy in use is per thread.
 */
#ifndef CLIENT_BASE_ENV_H
#define CLIENT_BASE_ENV_H

#include <stdbool.h>

enum env_name {
	ENV_TRANSPORT, /* DOCOCORED_TRANSPORT */
	ENV_GID_INDEX, /* DOCOCORED_GID_INDEX */
	ENV_ADOPT,     /* DOCOCORED_ADOPT */
	ENV_PTRACER,   /* DOCOCORED_PTRACER */
	ENV_N_NAMES,
};

/* No valid value is as long as this; a truncated value is as invalid as before. */
#define ENV_VALUE_MAX 40

struct env_snapshot {
	bool is_set[ENV_N_NAMES];
	char values[ENV_N_NAMES][ENV_VALUE_MAX];
};

/*
 * Returns the value of an environment variable, or NULL if it is not set. In a program that runs
 * with more rights than its caller (setuid, setgid, file capabilities) every variable reads as not
 * set, because the caller chose them. The library has no other way to read the environment.
 */
const char *env_variable(const char *name);

/* Copies the variables. Call on application threads only. */
void env_snapshot_take(struct env_snapshot *copy_out);
/* Makes this thread use a copy from here on. The copy is borrowed. NULL restores the use of the
 * environment. */
void env_use_snapshot(const struct env_snapshot *copy);
/* Returns the value of a variable, or NULL if it is not set. */
const char *env_get(enum env_name name);
/* True if DOCOCORED_TRANSPORT asks for RDMA devices also where there are other paths. */
bool env_wants_verbs(void);

#endif
