/* The argument parser of earlier generations: implementations of the functions that are bound to
 * one version (client/compat/abi). Threads: one. */
#ifndef CLIENT_COMPAT_ARGP_H
#define CLIENT_COMPAT_ARGP_H

#include <doca_error.h>

struct doca_argp_param;

/* type: a number as of 3.0 and earlier, where 4 is a JSON object. */
void compat_argp_param_set_type(const char *what, struct doca_argp_param *param, int type);

/* Up to 3.2: unknown keys in the parameter file are no errors. */
doca_error_t compat_argp_start(const char *what, int argc, char **argv);

#endif
