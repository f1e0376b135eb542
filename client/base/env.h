/*
 * What the environment asks for that is looked up when something is made. It is the program's,
 * which may change it while a thread of the library runs, and getenv() there would not stand that:
 * such a thread goes by what it said when the program's left something for it to do.
 * Threads: each for itself.
 */
#ifndef CLIENT_BASE_ENV_H
#define CLIENT_BASE_ENV_H

#include <stdbool.h>

enum env_word {
	ENV_TRANSPORT, /* DOCOCORED_TRANSPORT */
	ENV_GID_INDEX, /* DOCOCORED_GID_INDEX */
	ENV_N_WORDS,
};

/* No sound one is as long: what is cut is as wrong as before. */
#define ENV_WORD_MAX 40

struct env_copy {
	bool is_set[ENV_N_WORDS];
	char words[ENV_N_WORDS][ENV_WORD_MAX];
};

/*
 * Returns the value of an environment variable, or NULL if it is not set. In a program that runs
 * with more rights than its caller (setuid, setgid, file capabilities) every variable reads as not
 * set, because the caller chose them. The library has no other way to read the environment.
 */
const char *env_variable(const char *name);

/* By a thread of the program. */
void env_take(struct env_copy *copy_out);
/* This thread, from here on; borrowed. NULL: by the environment. */
void env_go_by(const struct env_copy *copy);
/* NULL: it is not set. */
const char *env_get(enum env_word word);
/* True if DOCOCORED_TRANSPORT asks for RDMA devices also where there are other paths. */
bool env_asks_for_verbs(void);

#endif
