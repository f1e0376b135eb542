/*
 * Parser for a program's command line, with the same parameters readable from a JSON file.
 *
 * Order: doca_argp_init, create and describe each parameter, register it (the parser owns it from
 * then on), doca_argp_start, doca_argp_destroy. For each use of a parameter its callback runs
 * inside start. Names: a single dash before the short one, which may have several letters, a double
 * dash before the long one. Always there: -h/--help, -v/--version, -l/--log-level and
 * --sdk-log-level (numbers of enum doca_log_level), -j/--json FILE. Setters return nothing; what
 * they got wrong is reported when the parameter is registered.
 *
 * The file has one JSON object, comments are allowed. Its keys are sections, or long names as they
 * are; the members of a section are long names:
 *
 *     {
 *         "doca_general_flags": {"log-level": 60},
 *         "doca_program_flags": {"pci-addr": "03:00.0", "msg-size": 128},
 *         "doca_dpdk_flags": {
 *             "devices": [{"device": "sf", "id": "2"}], "core-list": "0-3", "flags": ""
 *         }
 *     }
 *
 * Values are written as what they are or as text, several uses of a parameter as an array. The
 * command line wins: a parameter that is given there is read over in the file. doca_dpdk_flags is
 * for programs with a DPDK callback, others read it over; it becomes the words "-a" and the id for
 * each device ("auxiliary:mlx5_core.sf.N" for the scalable function with number N), "-l" and the
 * core list unless the command line has one, and the flags, which are split at blanks. They come
 * in front of those of the command line.
 *
 * Programs of 1.x are offered the calls of 2.0. The form of their own time, in which a structure
 * described a parameter, is not declared here.
 *
 * Threads: the parser is one per process; use it from one thread.
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_argp_param; /* one parameter */
struct doca_argp_cmd;   /* one sub-command */
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/*
 * What a parameter holds and, in parentheses, what its callback gets a pointer to. The value 4
 * means a JSON object up to 3.0 and a device from 3.1 on; which one follows from the version that
 * the caller of doca_argp_param_set_type was built for.
 */
enum doca_argp_type {
	DOCA_ARGP_TYPE_UNKNOWN = 0,
	DOCA_ARGP_TYPE_STRING = 1,  /* text (char) */
	DOCA_ARGP_TYPE_INT = 2,     /* integer (int) */
	DOCA_ARGP_TYPE_BOOLEAN = 3, /* flag without a value (bool) */
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(3, 1)
	DOCA_ARGP_TYPE_JSON_OBJ = 4 /* JSON object (struct json_object of json-c); until 3.0 */
#else
	DOCA_ARGP_TYPE_DEVICE = 4,     /* device (struct doca_argp_device_ctx); since 3.1 */
	DOCA_ARGP_TYPE_DEVICE_REP = 5, /* struct doca_argp_device_rep_ctx; since 3.1 */
	DOCA_ARGP_TYPE_DOUBLE = 6      /* number (double); since 3.3 */
#endif
};

/*
 * What the callback of a DEVICE parameter gets, from text like "03:00.0", "mlx5_0" or an interface
 * name. The device then belongs to the program, which closes it.
 */
struct doca_argp_device_ctx {
	struct doca_dev *dev;
	const char *devargs; /* text behind the comma, or NULL; valid until doca_argp_destroy */
};

/*
 * What the callback of a DEVICE_REP parameter gets, from "DEVICE,REPRESENTOR". Both belong to the
 * program; close the representor first.
 */
struct doca_argp_device_rep_ctx {
	struct doca_argp_device_ctx dev_ctx;
	struct doca_dev_rep *dev_rep;
};

/*
 * Value of a parameter, valid in the call only, and the program_config of doca_argp_init. A
 * failure ends parsing with it.
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);

/* Sub-command chosen; gets the program_config. */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);

/*
 * In a program that also uses DPDK: gets the program's name, the words of the JSON file's DPDK
 * section, and the arguments in front of "--"; all on loan until doca_argp_destroy.
 */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/*
 * Runs after all parameters were read; gets the program_config. A failure makes doca_argp_start
 * fail with it.
 */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);

/* Gets the parser's own messages in place of the log. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
					      va_list args);

#if DOCA_API_BETWEEN(103, 204)
/* The names of the callback types up to 2.2. */
typedef doca_argp_param_cb_t callback_func;
typedef doca_argp_dpdk_cb_t dpdk_callback;
typedef doca_argp_validation_cb_t validation_callback;
#endif

/* Opens the device of a DEVICE parameter in the program's own way. usr_ctx as registered. */
typedef doca_error_t (*doca_argp_dev_open_cb_t)(struct doca_devinfo *devinfo, void *usr_ctx,
						struct doca_dev **dev);

/**
 * Prints the usage message, with every parameter that is not hidden, to standard output.
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_usage(void);

/**
 * Sets the parser up.
 * @param program_name shown in the usage message; copied; NULL for the name in argv[0]
 * @param program_config handed to every callback, or NULL; not interpreted
 * States: before any other call of this header.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the parser is set up already; call doca_argp_destroy first.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_INVALID_VALUE: program_name is empty.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * Hands a described parameter to the parser.
 * @param input_param parameter with type, name, description and callback; the parser's from now
 *   on, also if this fails
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * - DOCA_ERROR_INITIALIZATION: name, type, description or callback is missing; set it first.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or a name is taken or not usable.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * Hands a described sub-command to the parser.
 * @param input_cmd sub-command with name, description and callback; the parser's from now on, also
 *   if this fails
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * - DOCA_ERROR_INITIALIZATION: name, type, description or callback is missing; set it first.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or a name is taken or not usable.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * Replaces what -v and --version do, which is to print both SDK versions and end the program.
 * @param callback called with NULL and the program_config
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * Registers a check over the whole configuration, after all parameters were read.
 * @param callback function of the program
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * Sends the parser's own messages to the program instead of the log.
 * @param callback function of the program
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * - DOCA_ERROR_ALREADY_EXIST: there is one already.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * Sends the parser's own messages to the log again.
 * States: after doca_argp_init.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_disable_logger_callback(void);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(3, 3)
/**
 * Reads command line and JSON file and runs the callbacks. -h and -v print and end the program.
 * @param argc number of arguments
 * @param argv arguments, the program's name first; borrowed for the call
 * States: once, after everything is registered.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or start was called before.
 * - DOCA_ERROR_INITIALIZATION: not given here: what is registered is checked when it is
 *   registered.
 * - DOCA_ERROR_IO_FAILED: the JSON file cannot be read; check its path.
 * - DOCA_ERROR_INVALID_VALUE: an argument has no value, a wrong one, is given too often, or is
 *   mandatory and missing; or the file is no valid JSON. A callback's failure is returned as it is.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_NOT_SUPPORTED: a flag, or a key in the file, is not known; see the usage message.
 * Since 3.3 in this form. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_start(int argc, char **argv) DOCA_BIND(doca_argp_start, 3_3);
#else
/**
 * Reads command line and JSON file and runs the callbacks. -h and -v print and end the program.
 * Keys of the file that are not known are skipped with a warning.
 * @param argc number of arguments
 * @param argv arguments, the program's name first; borrowed for the call
 * States: once, after everything is registered.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or start was called before.
 * - DOCA_ERROR_INITIALIZATION: not given here: what is registered is checked when it is
 *   registered.
 * - DOCA_ERROR_IO_FAILED: the JSON file cannot be read; check its path.
 * - DOCA_ERROR_INVALID_VALUE: an argument has no value, a wrong one, is given too often, or is
 *   mandatory and missing; or the file is no valid JSON. A callback's failure is returned as it is.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_NOT_SUPPORTED: a flag is not known; see the usage message.
 * Since 2.0, until 3.2 in this form. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_start(int argc, char **argv) DOCA_BIND(doca_argp_start, 1_3);
#endif

/**
 * Frees the parser with all that was registered.
 * States: after doca_argp_init; ends the use of values from it.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_destroy(void);

/**
 * Makes the part of the command line in front of "--" go to a callback for DPDK.
 * @param callback function of the program
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * Makes an empty parameter.
 * @param param receives it; register it, or give it back with doca_argp_param_destroy
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * Sets the name behind a single dash; one or several letters.
 * @param param parameter, not registered yet
 * @param name without the dash; copied
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * Sets the name behind a double dash, which is also the key in a JSON file.
 * @param param parameter, not registered yet
 * @param name without the dashes; copied
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * Sets what the usage message shows for the value, such as "<path>".
 * @param param parameter, not registered yet
 * @param arguments text; copied
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_arguments(struct doca_argp_param *param,
					       const char *arguments);

/**
 * Sets what the usage message says about a parameter.
 * @param param parameter, not registered yet
 * @param description text for the usage message; copied
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_description(struct doca_argp_param *param,
						 const char *description);

/**
 * Sets the function that gets the value: called with a pointer to it and the program_config.
 * @param param parameter, not registered yet
 * @param callback function of the program
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_callback(struct doca_argp_param *param,
					      doca_argp_param_cb_t callback);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(3, 1)
/**
 * Sets the kind of value.
 * @param param parameter, not registered yet
 * @param type not UNKNOWN
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 3.1 in this form. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
	DOCA_BIND(doca_argp_param_set_type, 3_1);
#else
/**
 * Sets the kind of value. A JSON_OBJ is an object in the parameter file, or its text on the command
 * line; the callback gets it as json-c does, on loan for the call.
 * @param param parameter, not registered yet
 * @param type not UNKNOWN
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0, until 3.0 in this form. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
	DOCA_BIND(doca_argp_param_set_type, 1_3);
#endif

/**
 * Makes doca_argp_start fail if the parameter is not given. Parameters are optional unless set.
 * @param param parameter, not registered yet
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * Takes the parameter from the command line only, not from a JSON file.
 * @param param parameter, not registered yet
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * Lets the parameter be given several times, in JSON as an array; the callback runs for each.
 * @param param parameter, not registered yet
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * Makes the parameter one that stands alone: given together with others it is refused.
 * @param param parameter, not registered yet
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * Lets sub-commands of the command that has the parameter accept it too.
 * @param param parameter, not registered yet
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * Leaves the parameter out of the usage message.
 * @param param parameter, not registered yet
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_param_set_hidden(struct doca_argp_param *param);

/**
 * Frees a parameter that was never registered.
 * @param param parameter, not registered
 * States: after doca_argp_init.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or the parameter
 *   is registered.
 * - DOCA_ERROR_INVALID_VALUE: there is no such parameter.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * Makes an empty sub-command.
 * @param cmd receives it; register it, or give it back with doca_argp_cmd_destroy
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * Sets the word that chooses a sub-command.
 * @param cmd sub-command, not registered yet
 * @param name the word; copied
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * Sets what the usage message says about a sub-command.
 * @param cmd sub-command, not registered yet
 * @param description text for the usage message; copied
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/**
 * Sets the function that runs when the sub-command is chosen.
 * @param cmd sub-command, not registered yet
 * @param callback function of the program
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/**
 * Leaves the sub-command out of the usage message.
 * @param cmd sub-command, not registered yet
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/**
 * Hands a described parameter to a sub-command, which alone accepts it.
 * @param cmd sub-command, not registered yet
 * @param input_param parameter with type, name, description and callback; the parser's from now
 *   on, also if this fails
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * - DOCA_ERROR_INITIALIZATION: name, type, description or callback is missing; set it first.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or a name is taken or not usable.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
						      struct doca_argp_param *input_param);

/**
 * Hands a described sub-command to another one, one level deeper.
 * @param cmd sub-command, not registered yet
 * @param input_cmd sub-command with name, description and callback; the parser's from now on, also
 *   if this fails
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * - DOCA_ERROR_INITIALIZATION: name, type, description or callback is missing; set it first.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or a name is taken or not usable.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd,
						    struct doca_argp_cmd *input_cmd);

/**
 * Frees a sub-command that was never registered.
 * @param cmd sub-command, not registered
 * States: after doca_argp_init.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or the sub-command
 *   is registered.
 * - DOCA_ERROR_INVALID_VALUE: there is no such sub-command.
 * Since 2.7. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * Level given with -l or --log-level; the global lower limit if none was.
 * @param log_level receives a value of enum doca_log_level
 * States: after doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.0. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * Level given with --sdk-log-level; the global SDK limit if none was.
 * @param log_level receives a value of enum doca_log_level
 * States: after doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_get_sdk_log_level(int *log_level);

/**
 * Lets the program open the devices of DEVICE and DEVICE_REP parameters in its own way.
 * @param callback function of the program
 * @param usr_ctx handed to the callback, or NULL; not interpreted
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * - DOCA_ERROR_INVALID_VALUE: callback is NULL.
 * Since 3.1. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback,
							      void *usr_ctx);

/**
 * Accepts JSON files with keys that no parameter has; such keys are skipped with a warning.
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or doca_argp_start was.
 * Since 3.3. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_disable_pedantic_config_parsing(void);

#if DOCA_API_BETWEEN(103, 206)
/**
 * Asks for the parameters of a gRPC server. There is none here: the library says so in its log, and
 * the program runs as one without.
 * States: after doca_argp_init, before doca_argp_start.
 * Threads: one; the parser is one per process.
 * Since 2.0, until 2.6. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE void doca_argp_set_grpc_program(void);

/**
 * Address of the gRPC server that the user gave. There is none here.
 * @param address not written
 * States: any.
 * Threads: one; the parser is one per process.
 * @return DOCA_ERROR_INVALID_VALUE: always; go on without a server.
 * Since 2.0, until 2.6. Source: DOCA Arg Parser guide.
 */
DOCA_STABLE doca_error_t doca_argp_get_grpc_addr(const char **address);
#endif

#ifdef __cplusplus
}
#endif

#endif
