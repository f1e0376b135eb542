/*
 * Argument parsing: the state that its files share. argp.c has the life, settings and messages,
 * argp_param.c parameters and commands, argp_parse.c the command line and the order of callbacks,
 * argp_json.c the parameter file, argp_dpdk.c the words for DPDK, argp_device.c turns text into
 * open devices, argp_usage.c prints the help.
 *
 * Parsing goes in steps, and no callback runs before everything was read and checked: words and
 * file become a list of values; counts, mandatory and singular rules are checked; numbers are
 * converted; then the callbacks run in the order of the values, the validation callback, the DPDK
 * callback.
 *
 * Ownership: the parser owns every parameter and command from its creation (the public destroy
 * calls only give one back early) and every text that a callback gets; all of it goes in
 * doca_argp_destroy. Devices and representors belong to the program as soon as its callback was
 * called.
 *
 * Threads: one parser per process, used from one thread, as the public header says.
 */
#ifndef CLIENT_ARGP_ARGP_H
#define CLIENT_ARGP_ARGP_H

#include <stdbool.h>
#include <stdio.h>

#include <doca_argp.h>

#include "util/util.h"

enum argp_builtin {
	ARGP_NO_BUILTIN,
	ARGP_HELP,
	ARGP_VERSION,
	ARGP_LOG_LEVEL,
	ARGP_SDK_LOG_LEVEL,
	ARGP_JSON,
};

/* A JSON object, which has the public number 4 for programs up to 3.0. */
#define ARGP_TYPE_JSON_OBJ 64

struct doca_argp_param {
	struct doca_argp_param *created; /* all that exist; NULL for the standard flags */
	struct doca_argp_param *next;    /* in the command */
	char *short_name, *long_name, *arguments, *description;
	doca_argp_param_cb_t callback;
	int type; /* enum doca_argp_type, or ARGP_TYPE_JSON_OBJ */
	enum argp_builtin builtin;
	bool mandatory, cli_only, multiple, singular, inherited, hidden;
	bool given;     /* to a register call, whatever came of it */
	bool in_file;   /* the parameter file has a value for it */
	bool no_memory; /* a setter could not keep its text */
	unsigned n_uses;
};

struct doca_argp_cmd {
	struct doca_argp_cmd *created;
	struct doca_argp_cmd *next; /* in the parent */
	struct doca_argp_cmd *parent;
	struct doca_argp_param *params;
	struct doca_argp_cmd *cmds;
	char *name, *description;
	doca_argp_cmd_cb_t callback;
	bool hidden, given, no_memory;
};

/* One use of a parameter, or the choice of a command. */
struct argp_value {
	struct argp_value *next;
	struct doca_argp_param *param; /* NULL: cmd was chosen */
	struct doca_argp_cmd *cmd;
	char *text;
	union {
		bool boolean;
		int integer;
		double number;
	};
};

/* A word for DPDK. */
struct argp_word {
	struct argp_word *next;
	char text[];
};

enum argp_state { ARGP_OPEN, ARGP_RUNNING, ARGP_STARTED };

struct argp {
	enum argp_state state;
	bool destroyed; /* by a callback; start frees it on its way out */
	char *program;  /* NULL until start if the program gave none */
	void *config;
	struct doca_argp_cmd root;
	struct doca_argp_cmd *active; /* the last command chosen, or the root */
	struct doca_argp_param *standard;
	struct doca_argp_param *created_params;
	struct doca_argp_cmd *created_cmds;
	struct argp_value *values, **values_end;
	bool pedantic;                /* keys of the file that nobody knows are errors */
	int log_level, sdk_log_level; /* 0: not given */
	doca_argp_param_cb_t version_cb;
	doca_argp_validation_cb_t validation_cb;
	doca_argp_logger_cb_t logger_cb;
	doca_argp_dpdk_cb_t dpdk_cb;
	char **dpdk_argv;
	int dpdk_argc;
	struct argp_word *dpdk_words; /* those in dpdk_argv that came from the file */
	doca_argp_dev_open_cb_t dev_open_cb;
	void *dev_open_ctx;
};

/* argp.c */
extern struct argp *the_argp; /* NULL: not initialised */
/* The parser while it takes descriptions, else BAD_STATE. */
doca_error_t argp_get(const char *what, struct argp **argp_out);
/* The sentence behind a failure goes to the thread's last error and to argp's log; returns code. */
doca_error_t argp_fail(const struct argp *argp, doca_error_t code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void argp_message(const struct argp *argp, enum doca_log_level level, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
struct doca_argp_param *argp_param_new(struct argp *argp);
void argp_param_append(struct doca_argp_param **list, struct doca_argp_param *param);
void argp_param_free(struct doca_argp_param *param);
void argp_cmd_free(struct doca_argp_cmd *cmd);
void argp_free(struct argp *argp);
/* Sets a copy of value, which may be NULL; false and *no_memory without memory. */
bool argp_text_replace(char **field, const char *value, bool *no_memory);

/* argp_param.c */
void argp_param_set_type(const char *what, struct doca_argp_param *param, int type);
/* Finds by name without dashes: the command, inherited ones of its parents, standard flags. */
struct doca_argp_param *argp_find_param(const struct argp *argp, const struct doca_argp_cmd *cmd,
					const char *name, size_t name_len, bool is_long);
/* "--long", or "-short" for one without a long name; buf is filled and returned. */
const char *argp_param_label(const struct doca_argp_param *param, char *buf, size_t size);

/* argp.c; pedantic: what the caller's generation says of keys that nobody knows. */
doca_error_t argp_start(const char *what, int argc, char **argv, bool pedantic);

/* argp_parse.c */
/* Appends; text is copied, NULL stands for none. */
doca_error_t argp_add_value(struct argp *argp, struct doca_argp_param *param,
			    struct doca_argp_cmd *cmd, const char *text);
doca_error_t argp_run(struct argp *argp, int argc, char **argv);

/* argp_json.c */
/* Adds the values of the file for parameters that the command line did not use. */
doca_error_t argp_json_read(struct argp *argp, const char *path);

/* Hands the text as an object to the parameter's callback. */
doca_error_t argp_json_deliver(struct argp *argp, const struct doca_argp_param *param,
			       const char *label, const char *text);

/* argp_dpdk.c */
/* DPDK's words of the command line. DPDK changes its argument vector, so it gets one of its own. */
doca_error_t argp_dpdk_take(struct argp *argp, char **argv, int n);
/* Puts a word of the file behind those that came from there before; text is copied. */
doca_error_t argp_dpdk_add(struct argp *argp, const char *text, size_t len);
/* Puts them between the program's name and the words of the command line. */
doca_error_t argp_dpdk_merge(struct argp *argp);
/* Whether the command line says which cores to use. */
bool argp_dpdk_has_cores(const struct argp *argp);
void argp_dpdk_free(struct argp *argp);

/* argp_device.c */
/* devargs_out points into text. What was opened is the caller's. */
doca_error_t argp_device_open(struct argp *argp, const char *label, char *text,
			      struct doca_argp_device_ctx *ctx_out);
doca_error_t argp_device_rep_open(struct argp *argp, const char *label, char *text,
				  struct doca_argp_device_rep_ctx *ctx_out);

/* argp_usage.c */
void argp_usage_print(const struct argp *argp, const struct doca_argp_cmd *cmd, FILE *out);
void argp_version_print(FILE *out);

#endif
