/*
 * Argument parsing: the state that its files share. argp.c has initialisation, settings and
 * messages; argp_param.c parameters and commands; argp_parse.c the command line and the order of
 * callbacks; argp_json.c the parameter file; argp_dpdk.c the arguments for DPDK; argp_device.c
 * converts text to open devices; argp_usage.c prints the help.
 *
 * Parsing has several steps, and no callback runs before everything was read and checked. Words and
 * file become a list of values. The rules for counts, mandatory and singular parameters are
 * checked. Numbers are converted. Then the callbacks run in the order of the values, followed by
 * the validation callback and the DPDK callback.
 *
 * Ownership: the parser owns every parameter and command from its creation (the public destroy
 * calls only free one early) and every text that a callback receives. doca_argp_destroy() frees all
 * of it. Devices and representors belong to the program as soon as its callback was called.
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

/* A JSON object. Its public number is 4 for programs up to 3.0. */
#define ARGP_TYPE_JSON_OBJ 64

struct doca_argp_param {
	struct doca_argp_param *created; /* list of all parameters; NULL for the standard flags */
	struct doca_argp_param *next;    /* in the command's list */
	char *short_name, *long_name, *arguments, *description;
	doca_argp_param_cb_t callback;
	int type; /* enum doca_argp_type, or ARGP_TYPE_JSON_OBJ */
	enum argp_builtin builtin;
	bool mandatory, cli_only, multiple, singular, inherited, hidden;
	bool given;     /* was passed to a register call, whatever the result */
	bool in_file;   /* the parameter file contains a value for it */
	bool no_memory; /* a setter had no memory for its text */
	unsigned n_uses;
};

struct doca_argp_cmd {
	struct doca_argp_cmd *created;
	struct doca_argp_cmd *next; /* in the parent's list */
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
	struct doca_argp_param *param; /* NULL: the value is the choice of `cmd` */
	struct doca_argp_cmd *cmd;
	char *text;
	union {
		bool boolean;
		int integer;
		double number;
	};
};

/* An argument for DPDK. */
struct argp_dpdk_arg {
	struct argp_dpdk_arg *next;
	char text[];
};

enum argp_state { ARGP_OPEN, ARGP_RUNNING, ARGP_STARTED };

struct argp {
	enum argp_state state;
	bool destroyed; /* destroyed by a callback; start frees it before it returns */
	char *program;  /* NULL until start if the program passed none */
	void *config;
	struct doca_argp_cmd root;
	struct doca_argp_cmd *active; /* the last command chosen, or the root */
	struct doca_argp_param *standard;
	struct doca_argp_param *created_params;
	struct doca_argp_cmd *created_cmds;
	struct argp_value *values, **values_end;
	bool pedantic;                /* unknown keys in the parameter file are errors */
	int log_level, sdk_log_level; /* 0: the option was not given */
	doca_argp_param_cb_t version_cb;
	doca_argp_validation_cb_t validation_cb;
	doca_argp_logger_cb_t logger_cb;
	doca_argp_dpdk_cb_t dpdk_cb;
	char **dpdk_argv;
	int dpdk_argc;
	struct argp_dpdk_arg *dpdk_file_args; /* arguments in dpdk_argv that came from the file */
	doca_argp_dev_open_cb_t dev_open_cb;
	void *dev_open_ctx;
};

/* --- argp.c --- */
extern struct argp *the_argp; /* NULL: not initialised */
/* Returns the parser while it accepts descriptions, otherwise BAD_STATE. */
doca_error_t argp_get(const char *what, struct argp **argp_out);
/* Records the error sentence for the thread, writes it to the parser's log and returns `code`. */
doca_error_t argp_fail(const struct argp *argp, doca_error_t code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void argp_message(const struct argp *argp, enum doca_log_level level, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
struct doca_argp_param *argp_param_new(struct argp *argp);
void argp_param_append(struct doca_argp_param **list, struct doca_argp_param *param);
void argp_param_free(struct doca_argp_param *param);
void argp_cmd_free(struct doca_argp_cmd *cmd);
void argp_free(struct argp *argp);
/* Replaces a text by a copy of value, which may be NULL. Without memory, returns false and sets
 * *no_memory. */
bool argp_text_replace(char **field, const char *value, bool *no_memory);

/* --- argp_param.c --- */
void argp_param_set_type(const char *what, struct doca_argp_param *param, int type);
/* Finds a parameter by its name without dashes: in the command, among inherited ones of its
 * parents, among the standard flags. */
struct doca_argp_param *argp_find_param(const struct argp *argp, const struct doca_argp_cmd *cmd,
					const char *name, size_t name_len, bool is_long);
/* Writes "--long", or "-short" for a parameter without a long name, to buf and returns buf. */
const char *argp_param_label(const struct doca_argp_param *param, char *buf, size_t size);

/* Defined in client/argp/argp.c; pedantic: whether the caller's generation treats unknown keys as
 * errors. */
doca_error_t argp_start(const char *what, int argc, char **argv, bool pedantic);

/* --- argp_parse.c --- */
/* Appends a value; the text is copied, and NULL stands for none. */
doca_error_t argp_add_value(struct argp *argp, struct doca_argp_param *param,
			    struct doca_argp_cmd *cmd, const char *text);
doca_error_t argp_run(struct argp *argp, int argc, char **argv);

/* --- argp_json.c --- */
/* Adds the file's values for parameters that the command line did not use. */
doca_error_t argp_json_read(struct argp *argp, const char *path);

/* Passes the text as an object to the parameter's callback. */
doca_error_t argp_json_deliver(struct argp *argp, const struct doca_argp_param *param,
			       const char *label, const char *text);

/* --- argp_dpdk.c --- */
/* Stores DPDK's arguments of the command line. DPDK changes its argument vector, so it gets a
 * separate one. */
doca_error_t argp_dpdk_set(struct argp *argp, char **argv, int n);
/* Appends an argument from the file to those added before; the text is copied. */
doca_error_t argp_dpdk_add(struct argp *argp, const char *text, size_t len);
/* Inserts the file's arguments between the program's name and the arguments of the command line. */
doca_error_t argp_dpdk_merge(struct argp *argp);
/* Returns whether the command line selects the cores to use. */
bool argp_dpdk_has_cores(const struct argp *argp);
void argp_dpdk_free(struct argp *argp);

/* --- argp_device.c --- */
/* Open what the text names. devargs_out points into the text. The caller owns what was opened. */
doca_error_t argp_device_open(struct argp *argp, const char *label, char *text,
			      struct doca_argp_device_ctx *ctx_out);
doca_error_t argp_device_rep_open(struct argp *argp, const char *label, char *text,
				  struct doca_argp_device_rep_ctx *ctx_out);

/* --- argp_usage.c --- */
void argp_usage_print(const struct argp *argp, const struct doca_argp_cmd *cmd, FILE *out);
void argp_version_print(FILE *out);

#endif
