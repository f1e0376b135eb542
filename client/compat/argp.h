/*
 * The argument parser of earlier generations: what the functions bound to one version
 * (client/compat/vX_Y) are made of. Threads: one.
 */
#ifndef CLIENT_COMPAT_ARGP_H
#define CLIENT_COMPAT_ARGP_H

#include <doca_error.h>

struct doca_argp_param;

/* type: numbers up to 3.0, in which 4 is a JSON object. */
void compat_argp_param_set_type(const char *what, struct doca_argp_param *param, int type);

/* Up to 3.2: keys of the parameter file that nobody knows are no errors. */
doca_error_t compat_argp_start(const char *what, int argc, char **argv);

#endif
