/*
 * Fixture of the argument parser's tests: a program with parameters of every kind, a program with
 * sub-commands, a record of what their callbacks got, and simulated devices: fixture.c takes the
 * place of the library's device functions.
 */
#ifndef TESTS_UNIT_CLIENT_ARGP_FIXTURE_H
#define TESTS_UNIT_CLIENT_ARGP_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_version.h>
#include <dococ.h>

#include "tests/unit/unit.h"

#define OK(call)          ck_assert_msg((call) == DOCA_SUCCESS, "%s: %s", #call, dococ_last_error())
#define FAILS(call, code) ck_assert_int_eq(call, DOCA_ERROR_##code)
#define BAD(call)         FAILS(call, INVALID_VALUE)
/* Starts the parser with the words after the program's name. */
#define START(...) start_arguments((const char *const[]){"/usr/bin/prog", ##__VA_ARGS__, NULL})

/* --- devices ------------------------------------------------------------------------------- */

struct doca_devinfo {
	const char *pci, *ibdev, *iface;
};

struct doca_devinfo_rep {
	const char *pci, *vuid, *iface;
};

struct doca_dev {
	struct doca_devinfo *info;
};

struct doca_dev_rep {
	struct doca_devinfo_rep *info;
};

/* Two devices. fixture.c has three representors for them. */
extern struct doca_devinfo infos[2];
/* Numbers of lists that exist, of open devices, and of open representors. */
extern int n_lists, n_open, n_reps_open;
/* Result of doca_devinfo_create_list(). */
extern doca_error_t list_result;

/* --- a program ----------------------------------------------------------------------------- */

/* Arguments of the callbacks, in order: "p=0b:00.0 n=5 ". */
struct seen {
	char text[1024];
	doca_error_t answer;
};

extern struct seen seen;

void see(void *config, const char *fmt, ...) PRINTF_LIKE(2, 3);
doca_error_t on_pci(void *param, void *config);
doca_error_t on_number(void *param, void *config);
doca_error_t on_flag(void *param, void *config);
doca_error_t start_arguments(const char *const *words);
struct doca_argp_param *param_new(const char *short_name, const char *long_name,
				  enum doca_argp_type type, doca_argp_param_cb_t callback);
struct doca_argp_cmd *cmd_new(const char *name, doca_argp_cmd_cb_t callback);

/*
 * Registers one parameter of each kind, except the pci parameter, which is returned unregistered.
 */
struct doca_argp_param *program_begin(void);
void program_ready(void);
void teardown(void);
doca_error_t cmd_get(void *config);

/* prog [-p inherited] [-n] { get [-v] [-m mandatory] { deep [-n] } | fails } */
void commands_program(void);

#endif
