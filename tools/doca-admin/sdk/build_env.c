/*
 * Which variables the build tools read:
 *
 * PKG_CONFIG_PATH      pkg-config, and through it Meson, CMake and Makefiles.
 * PKG_CONFIG_LIBDIR    The folders that pkg-config searches last. A CMakeLists.txt that overwrites
 *                      PKG_CONFIG_PATH with the vendor's folder does not touch this one.
 * CPATH, LIBRARY_PATH  gcc, clang and what calls them (cgo, cc crates, setup.py), for C and C++.
 *                      CFLAGS and CXXFLAGS would be lost where a Makefile assigns them, and would
 *                      replace the usual "-g -O2" elsewhere.
 * BINDGEN_EXTRA_CLANG_ARGS  bindgen, also where its clang is started without CPATH.
 *
 * Only folders are given. The first of them has a doca_api.h that selects version and side, so the
 * lists may be used twice in one shell: the first entry wins.
 */
#include "tools/doca-admin/sdk/build_env.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

static int add(struct build_env *env, const char *name, const char *value, char separator)
{
	struct build_env_var *var = &env->vars[env->n_vars];

	if (env->n_vars == ARRAY_LEN(env->vars))
		return -ENOMEM;
	*var = (struct build_env_var){.name = name, .separator = separator};
	var->value = strdup(value);
	if (!var->value)
		return -ENOMEM;
	env->n_vars++;
	return 0;
}

int build_env_set(struct build_env *env, const char *name, const char *value)
{
	return add(env, name, value, 0);
}

/*
 * Returns the folders of a module's -I flags as a list: each with the prefix, joined by the
 * separator.
 */
static char *folders_join(const char *cflags, const char *prefix, char separator)
{
	char folder[PATH_MAX], *list = NULL;
	size_t len;
	FILE *out = open_memstream(&list, &len);

	if (!out)
		return NULL;
	for (bool is_first = true; pc_file_next_flag(&cflags, "-I", folder, sizeof(folder));
	     is_first = false) {
		if (!is_first)
			fputc(separator, out);
		fprintf(out, "%s%s", prefix, folder);
	}
	if (fclose(out) == 0)
		return list;
	free(list);
	return NULL;
}

static int add_folders(struct build_env *env, const char *name, const char *cflags,
		       const char *prefix, char separator)
{
	char *list = folders_join(cflags, prefix, separator);
	int r = list ? add(env, name, list, separator) : -ENOMEM;

	free(list);
	return r;
}

/* Returns the folders that pkg-config searches by default, or NULL if it does not report them. */
static char *pkg_config_folders(void)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789/:._+-@,~=";
	char *line = NULL;
	size_t room = 0;
	FILE *in = popen("exec ${PKG_CONFIG:-pkg-config} --variable pc_path pkg-config 2>/dev/null",
			 "re");
	bool is_there;

	if (!in)
		return NULL;
	is_there = getline(&line, &room, in) > 0;
	pclose(in);
	if (is_there) {
		line[strcspn(line, "\n")] = '\0';
		/*
		 * The value is printed between double quotes, so only safe characters are accepted.
		 */
		if (*line == '/' && line[strspn(line, safe)] == '\0')
			return line;
	}
	free(line);
	return NULL;
}

/*
 * The variable replaces pkg-config's default folders, so the value must contain them, or all other
 * modules would be hidden.
 */
static int add_pkg_config_libdir(struct build_env *env, const char *modules)
{
	char *folders = pkg_config_folders();
	int r;

	if (!folders)
		return 0;
	r = add(env, "PKG_CONFIG_LIBDIR", modules, ':');
	if (r == 0)
		env->vars[env->n_vars - 1].fallback = folders;
	else
		free(folders);
	return r;
}

int build_env_fill(struct build_env *env, const char *modules, const struct pc_file *common,
		   const char *library, enum lab_side side)
{
	int r = add(env, "PKG_CONFIG_PATH", modules, ':');

	if (r == 0)
		r = add_pkg_config_libdir(env, modules);
	if (r == 0)
		r = add_folders(env, "CPATH", common->cflags, "", ':');
	if (r == 0)
		r = add(env, "LIBRARY_PATH", common->libdir, ':');
	if (r == 0)
		r = add_folders(env, "BINDGEN_EXTRA_CLANG_ARGS", common->cflags, "-I", ' ');
	if (r == 0 && library)
		r = add(env, "LD_LIBRARY_PATH", library, ':');
	if (r == 0)
		r = build_env_set(env, "DOCA_SIDE", lab_side_name(side));
	return r;
}

/* Prints a word quoted for the shell. */
static void print_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	}
	putchar('\'');
}

static void var_print(const struct build_env_var *var)
{
	printf("export %s=", var->name);
	print_quoted(var->value);
	if (var->fallback)
		printf("\"%c${%s:-%s}\"", var->separator, var->name, var->fallback);
	else if (var->separator)
		printf("${%s:+\"%c$%s\"}", var->name, var->separator, var->name);
	putchar('\n');
}

void build_env_print(const struct build_env *env)
{
	for (size_t i = 0; i < env->n_vars; i++)
		var_print(&env->vars[i]);
}

static int var_apply(const struct build_env_var *var)
{
	const char *old = secure_getenv(var->name);
	char *text;
	int r;

	if (!old || !*old)
		old = var->fallback;
	if (!old || !var->separator)
		return setenv(var->name, var->value, 1);
	if (asprintf(&text, "%s%c%s", var->value, var->separator, old) < 0)
		return -1;
	r = setenv(var->name, text, 1);
	free(text);
	return r;
}

int build_env_apply(const struct build_env *env)
{
	for (size_t i = 0; i < env->n_vars; i++)
		if (var_apply(&env->vars[i]) < 0)
			return -ENOMEM;
	return 0;
}

void build_env_deinit(struct build_env *env)
{
	for (size_t i = 0; i < env->n_vars; i++) {
		free(env->vars[i].value);
		free(env->vars[i].fallback);
	}
	env->n_vars = 0;
}
