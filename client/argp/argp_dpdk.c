/*
 * The arguments that a DPDK program's callback receives: the program's name, those of the parameter
 * file, and those of the command line before "--". If an option is repeated, DPDK uses the last
 * one, so the command line has priority.
 *
 * Threads: one, see client/argp/argp.h.
 */
#include <stdlib.h>
#include <string.h>

#include "client/argp/argp.h"

doca_error_t argp_dpdk_set(struct argp *argp, char **argv, int n)
{
	argp->dpdk_argv = calloc((size_t)n + 1, sizeof(*argp->dpdk_argv));
	if (!argp->dpdk_argv)
		return argp_fail(argp, DOCA_ERROR_NO_MEMORY, "arguments: out of memory");
	memcpy(argp->dpdk_argv, argv, (size_t)n * sizeof(*argv));
	argp->dpdk_argc = n;
	return DOCA_SUCCESS;
}

doca_error_t argp_dpdk_add(struct argp *argp, const char *text, size_t len)
{
	struct argp_dpdk_arg **end = &argp->dpdk_file_args,
			     *word = calloc(1, sizeof(*word) + len + 1);

	if (!word)
		return argp_fail(argp, DOCA_ERROR_NO_MEMORY, "arguments: out of memory");
	memcpy(word->text, text, len);
	while (*end)
		end = &(*end)->next;
	*end = word;
	return DOCA_SUCCESS;
}

doca_error_t argp_dpdk_merge(struct argp *argp)
{
	struct argp_dpdk_arg *word;
	size_t n = 0, n_line = (size_t)argp->dpdk_argc - 1;
	char **argv;

	for (word = argp->dpdk_file_args; word; word = word->next)
		n++;
	argv = calloc(1 + n + n_line + 1, sizeof(*argv));
	if (!argv)
		return argp_fail(argp, DOCA_ERROR_NO_MEMORY, "arguments: out of memory");
	argv[0] = argp->dpdk_argv[0];
	n = 1;
	for (word = argp->dpdk_file_args; word; word = word->next)
		argv[n++] = word->text;
	memcpy(argv + n, argp->dpdk_argv + 1, n_line * sizeof(*argv));
	free(argp->dpdk_argv);
	argp->dpdk_argv = argv;
	argp->dpdk_argc = (int)(n + n_line);
	return DOCA_SUCCESS;
}

bool argp_dpdk_has_cores(const struct argp *argp)
{
	for (int i = 1; i < argp->dpdk_argc; i++) {
		const char *word = argp->dpdk_argv[i];

		if (!strncmp(word, "-l", 2) || !strncmp(word, "-c", 2) ||
		    !strncmp(word, "--lcores", 8))
			return true;
	}
	return false;
}

void argp_dpdk_free(struct argp *argp)
{
	while (argp->dpdk_file_args) {
		struct argp_dpdk_arg *word = argp->dpdk_file_args;

		argp->dpdk_file_args = word->next;
		free(word);
	}
	free(argp->dpdk_argv);
}
