/*
 * The environment in which a program is built for a version and a side, whatever its build file
 * uses: pkg-config, Meson, CMake, plain compilers or bindgen. 'env' prints it for a shell, 'sdk
 * exec' sets it. Owner: one command.
 */
#ifndef TOOLS_DOCA_ADMIN_SDK_BUILD_ENV_H
#define TOOLS_DOCA_ADMIN_SDK_BUILD_ENV_H

#include <stddef.h>

#include "tools/doca-admin/lab/lab.h"
#include "tools/doca-admin/sdk/pc_file.h"
#include "util/util.h"

struct build_env_var {
	const char *name;
	char *value;
	char *fallback; /* used after value if the variable is not set yet; may be NULL */
	/* Between value and the variable's present contents; 0: value replaces them. */
	char separator;
};

struct build_env {
	struct build_env_var vars[12];
	size_t n_vars;
};

/*
 * Fills *env for the modules in the folder modules, whose doca-common module is *common. library is
 * the folder in which the run-time linker finds the library, or NULL if it needs no help. Returns 0
 * or -ENOMEM; *env needs build_env_deinit() in any case.
 */
int build_env_fill(struct build_env *env, const char *modules, const struct pc_file *common,
		   const char *library, enum lab_side side);
/* Adds a variable that is replaced. Returns 0 or -ENOMEM. */
int build_env_set(struct build_env *env, const char *name, const char *value);
/* Prints lines for a POSIX shell to stdout. */
void build_env_print(const struct build_env *env);
/* Sets the variables of this process. Returns 0 or -ENOMEM. */
int build_env_apply(const struct build_env *env);
/* Idempotent. */
void build_env_deinit(struct build_env *env);
#define CLEANUP_BUILD_ENV CLEANUP(build_env_deinit)

#endif
