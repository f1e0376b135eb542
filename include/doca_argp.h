/*
 * Parser for a program's command line. The same parameters can also be read from a JSON file.
 *
 * Use it in this order: doca_argp_init(), create and describe each parameter, register it (the
 * parser owns it from then on), doca_argp_start(), doca_argp_destroy(). For each use of a parameter
 * its callback runs inside doca_argp_start().
 *
 * A single dash precedes the short name of a parameter, which may have several letters; a double
 * dash precedes the long name. These parameters always exist: -h/--help, -v/--version,
 * -l/--log-level and --sdk-log-level (numbers of enum doca_log_level), -j/--json FILE. Setters
 * return nothing; the registration of the parameter reports their errors.
 *
 * The file contains one JSON object; comments are allowed. Its keys are sections, or long names
 * without a section; the members of a section are long names:
 *
 *     { "doca_general_flags": {"log-level": 60},
 *       "doca_program_flags": {"pci-addr": "03:00.0", "msg-size": 128},
 *       "doca_dpdk_flags": { "devices": [{"device": "sf", "id": "2"}], "core-list": "0-3",
 *                            "flags": "" } }
 *
 * Values have their own JSON type or are text. Several uses of a parameter are an array. The
 * command line takes precedence: a parameter that is given there is ignored in the file.
 *
 * doca_dpdk_flags is for programs with a DPDK callback and is ignored by others. It becomes the
 * words "-a" and the id for each device ("auxiliary:mlx5_core.sf.N" for the scalable function with
 * number N), "-l" and the core list unless the command line has one, and the flags, which are split
 * at blanks. They precede the words of the command line.
 *
 * Programs of 1.x get the calls of 2.0. The interface of their own time, in which a structure
 * described a parameter, is not declared.
 *
 * States: where a doc block has no "States:" line, the call is allowed after doca_argp_init() and
 * before doca_argp_start().
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: a call without a "States:" line was made before doca_argp_init() or after
 *   doca_argp_start().
 *
 * Threads: there is one parser per process; use it from one thread.
 *
 * Reference: DOCA Arg Parser guide.
 *
 * Example: a program with one parameter, "-n <bytes>" or "--size <bytes>".
 *
 *     static doca_error_t set_size(void *param, void *config)
 *     {
 *         *(int *)config = *(int *)param;
 *         return *(int *)param > 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
 *     }
 *
 *     doca_error_t parse(int argc, char **argv, int *size)
 *     {
 *         struct doca_argp_param *param;
 *         doca_error_t result;
 *
 *         if ((result = doca_argp_init("example", size)) != DOCA_SUCCESS ||
 *             (result = doca_argp_param_create(&param)) != DOCA_SUCCESS)
 *             return result;
 *         doca_argp_param_set_short_name(param, "n");
 *         doca_argp_param_set_long_name(param, "size");
 *         doca_argp_param_set_description(param, "number of bytes to copy");
 *         doca_argp_param_set_type(param, DOCA_ARGP_TYPE_INT);
 *         doca_argp_param_set_callback(param, set_size);
 *         if ((result = doca_argp_register_param(param)) == DOCA_SUCCESS)
 *             result = doca_argp_start(argc, argv);
 *         doca_argp_destroy();
 *         return result;
 *     }
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
 * Type of a parameter's value and, in parentheses, the type to which its callback receives a
 * pointer. Value 4 is a JSON object up to 3.0 and a device from 3.1 on; the version for which the
 * caller of doca_argp_param_set_type() was built determines which.
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
 * Value of a DEVICE parameter, from text like "03:00.0", "mlx5_0" or an interface name. The program
 * owns the device and closes it.
 */
struct doca_argp_device_ctx {
	struct doca_dev *dev;
	const char *devargs; /* text after the comma, or NULL; valid until doca_argp_destroy */
};

/*
 * Value of a DEVICE_REP parameter, from "DEVICE,REPRESENTOR". The program owns both; close the
 * representor first.
 */
struct doca_argp_device_rep_ctx {
	struct doca_argp_device_ctx dev_ctx;
	struct doca_dev_rep *dev_rep;
};

/*
 * Called with the value of a parameter, which is valid during the call only, and the program_config
 * of doca_argp_init(). If it fails, parsing ends with its result.
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);

/* Called when a sub-command was given, with the program_config. */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);

/*
 * Called in a program that also uses DPDK, with the program's name, the words of the JSON file's
 * DPDK section, and the arguments before "--". All of them are valid until doca_argp_destroy().
 */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/*
 * Called after all parameters were read, with the program_config. If it fails, doca_argp_start()
 * fails with its result.
 */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);

/* Called with the parser's own messages, which are then not logged. */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
					      va_list args);

#if DOCA_API_BETWEEN(103, 204)
/* Names of the callback types up to 2.2. */
typedef doca_argp_param_cb_t callback_func;
typedef doca_argp_dpdk_cb_t dpdk_callback;
typedef doca_argp_validation_cb_t validation_callback;
#endif

/*
 * Opens the device of a DEVICE parameter in a way that the program determines. usr_ctx is the
 * registered value.
 */
typedef doca_error_t (*doca_argp_dev_open_cb_t)(struct doca_devinfo *devinfo, void *usr_ctx,
						struct doca_dev **dev);

/**
 * Prints the usage message, with every parameter that is not hidden, to standard output.
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_usage(void);

/**
 * Initialises the parser.
 * @param program_name name in the usage message; copied; NULL for the name in argv[0]
 * @param program_config passed to every callback; may be NULL; the library never interprets it
 * States: before any other call of this header.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the parser is already initialised; call doca_argp_destroy() first.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INVALID_VALUE: program_name is empty.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * Registers a described parameter.
 * @param input_param parameter with type, name, description and callback; the parser owns it from
 *   now on, even if the call fails
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INITIALIZATION: name, type, description or callback is missing; set it first.
 * - DOCA_ERROR_INVALID_VALUE: a name is already in use or not valid.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * Registers a described sub-command.
 * @param input_cmd sub-command with name, description and callback; the parser owns it from now on,
 *   even if the call fails
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INITIALIZATION: name, type, description or callback is missing; set it first.
 * - DOCA_ERROR_INVALID_VALUE: a name is already in use or not valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * Replaces the action of -v and --version, which is to print both SDK versions and end the program.
 * @param callback called with NULL and the program_config
 * @return DOCA_SUCCESS
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * Registers a check of the whole configuration, which runs after all parameters were read.
 * @param callback function of the program
 * @return DOCA_SUCCESS
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * Delivers the parser's own messages to the program instead of the log.
 * @param callback function of the program
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_ALREADY_EXIST: a callback is already registered.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * Delivers the parser's own messages to the log again.
 * States: after doca_argp_init.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_argp_disable_logger_callback(void);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(3, 3)
/**
 * Reads command line and JSON file and calls the callbacks. -h and -v print and end the program.
 * @param argc number of arguments
 * @param argv arguments, beginning with the program's name; only read during the call
 * States: once, after everything is registered.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or start was called before.
 * - DOCA_ERROR_IO_FAILED: the JSON file cannot be read; check its path.
 * - DOCA_ERROR_INVALID_VALUE: an argument has no value, a wrong one, is given too often, or is
 *   mandatory and missing; or the file is not valid JSON. A callback's failure is returned as it
 *   is.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: a flag, or a key in the file, is unknown; see the usage message.
 * Since 3.3 in this form.
 */
DOCA_STABLE doca_error_t doca_argp_start(int argc, char **argv) DOCA_BIND(doca_argp_start, 3_3);
#else
/**
 * Reads command line and JSON file and calls the callbacks. -h and -v print and end the program.
 * Unknown keys of the file are skipped with a warning.
 * @param argc number of arguments
 * @param argv arguments, beginning with the program's name; only read during the call
 * States: once, after everything is registered.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or start was called before.
 * - DOCA_ERROR_IO_FAILED: the JSON file cannot be read; check its path.
 * - DOCA_ERROR_INVALID_VALUE: an argument has no value, a wrong one, is given too often, or is
 *   mandatory and missing; or the file is not valid JSON. A callback's failure is returned as it
 *   is.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: a flag is unknown; see the usage message.
 * Since 2.0, until 3.2 in this form.
 */
DOCA_STABLE doca_error_t doca_argp_start(int argc, char **argv) DOCA_BIND(doca_argp_start, 1_3);
#endif

/**
 * Destroys the parser and everything that was registered.
 * States: after doca_argp_init; invalidates all values of the parser.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_argp_destroy(void);

/**
 * Passes the part of the command line before "--" to a callback for DPDK.
 * @param callback function of the program
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * Creates an empty parameter.
 * @param param receives the parameter; register it, or release it with doca_argp_param_destroy()
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * Sets the name after a single dash: one or several letters.
 * @param param parameter, not registered yet
 * @param name without the dash; copied
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * Sets the name after a double dash, which is also the key in a JSON file.
 * @param param parameter, not registered yet
 * @param name without the dashes; copied
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * Sets the text for the value in the usage message, such as "<path>".
 * @param param parameter, not registered yet
 * @param arguments text; copied
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_param_set_arguments(struct doca_argp_param *param,
					       const char *arguments);

/**
 * Sets the description of a parameter in the usage message.
 * @param param parameter, not registered yet
 * @param description text for the usage message; copied
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_param_set_description(struct doca_argp_param *param,
						 const char *description);

/**
 * Sets the function that receives the value. It is called with a pointer to the value and the
 * program_config.
 * @param param parameter, not registered yet
 * @param callback function of the program
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_param_set_callback(struct doca_argp_param *param,
					      doca_argp_param_cb_t callback);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(3, 1)
/**
 * Sets the type of the value. Up to 3.0 a JSON_OBJ is an object in the JSON file, or its text on
 * the command line; the callback receives the object of json-c, which is valid during the call
 * only.
 * @param param parameter, not registered yet
 * @param type not UNKNOWN
 * Since 3.1 in this form.
 */
DOCA_STABLE void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
	DOCA_BIND(doca_argp_param_set_type, 3_1);
#else
/**
 * Sets the type of the value. Up to 3.0 a JSON_OBJ is an object in the JSON file, or its text on
 * the command line; the callback receives the object of json-c, which is valid during the call
 * only.
 * @param param parameter, not registered yet
 * @param type not UNKNOWN
 * Since 2.0, until 3.0 in this form.
 */
DOCA_STABLE void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
	DOCA_BIND(doca_argp_param_set_type, 1_3);
#endif

/**
 * Makes a parameter mandatory: doca_argp_start() fails if it is not given. By default a parameter
 * is optional.
 * @param param parameter, not registered yet
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * Allows a parameter on the command line only, not in a JSON file.
 * @param param parameter, not registered yet
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * Allows a parameter to be given several times, in JSON as an array. The callback runs for each
 * use.
 * @param param parameter, not registered yet
 * Since 2.0.
 */
DOCA_STABLE void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * Makes a parameter exclusive: it is refused together with others.
 * @param param parameter, not registered yet
 * Since 2.7.
 */
DOCA_STABLE void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * Allows a parameter of a command in its sub-commands, too.
 * @param param parameter, not registered yet
 * Since 2.7.
 */
DOCA_STABLE void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * Hides a parameter in the usage message.
 * @param param parameter, not registered yet
 * Since 2.7.
 */
DOCA_STABLE void doca_argp_param_set_hidden(struct doca_argp_param *param);

/**
 * Destroys a parameter that was never registered.
 * @param param parameter, not registered
 * States: after doca_argp_init.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or the parameter is registered.
 * - DOCA_ERROR_INVALID_VALUE: the parameter does not exist.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * Creates an empty sub-command.
 * @param cmd receives the sub-command; register it, or release it with doca_argp_cmd_destroy()
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * Sets the word that selects a sub-command.
 * @param cmd sub-command, not registered yet
 * @param name the word; copied
 * Since 2.7.
 */
DOCA_STABLE void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * Sets the description of a sub-command in the usage message.
 * @param cmd sub-command, not registered yet
 * @param description text for the usage message; copied
 * Since 2.7.
 */
DOCA_STABLE void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/**
 * Sets the function that runs when the sub-command is given.
 * @param cmd sub-command, not registered yet
 * @param callback function of the program
 * Since 2.7.
 */
DOCA_STABLE void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/**
 * Hides a sub-command in the usage message.
 * @param cmd sub-command, not registered yet
 * Since 2.7.
 */
DOCA_STABLE void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/**
 * Registers a described parameter of a sub-command. No other command accepts it.
 * @param cmd sub-command, not registered yet
 * @param input_param parameter with type, name, description and callback; the parser owns it from
 *   now on, even if the call fails
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INITIALIZATION: name, type, description or callback is missing; set it first.
 * - DOCA_ERROR_INVALID_VALUE: a name is already in use or not valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
						      struct doca_argp_param *input_param);

/**
 * Registers a described sub-command of another one, one level deeper.
 * @param cmd sub-command, not registered yet
 * @param input_cmd sub-command with name, description and callback; the parser owns it from now on,
 *   even if the call fails
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INITIALIZATION: name, type, description or callback is missing; set it first.
 * - DOCA_ERROR_INVALID_VALUE: a name is already in use or not valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd,
						    struct doca_argp_cmd *input_cmd);

/**
 * Destroys a sub-command that was never registered.
 * @param cmd sub-command, not registered
 * States: after doca_argp_init.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: doca_argp_init was not called, or the sub-command is registered.
 * - DOCA_ERROR_INVALID_VALUE: there is no such sub-command.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * Gets the level that was given with -l or --log-level, or else the global lower limit.
 * @param log_level receives a value of enum doca_log_level
 * States: after doca_argp_start.
 * @return DOCA_SUCCESS
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * Gets the level that was given with --sdk-log-level, or else the global SDK limit.
 * @param log_level receives a value of enum doca_log_level
 * States: after doca_argp_start.
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_argp_get_sdk_log_level(int *log_level);

/**
 * Registers a function that opens the devices of DEVICE and DEVICE_REP parameters.
 * @param callback function of the program
 * @param usr_ctx passed to the callback; may be NULL; the library never interprets it
 * @return DOCA_SUCCESS
 * Since 3.1.
 */
DOCA_STABLE doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback,
							      void *usr_ctx);

/**
 * Accepts unknown keys in JSON files; they are skipped with a warning.
 * @return DOCA_SUCCESS
 * Since 3.3.
 */
DOCA_STABLE doca_error_t doca_argp_disable_pedantic_config_parsing(void);

#if DOCA_API_BETWEEN(103, 206)
/**
 * Requests the parameters of a gRPC server. Not supported: the library logs that, and the program
 * runs without a server.
 * Since 2.0, until 2.6.
 */
DOCA_STABLE void doca_argp_set_grpc_program(void);

/**
 * Gets the address of the gRPC server that the user gave. Not supported.
 * @param address not written
 * States: any.
 * @return DOCA_ERROR_INVALID_VALUE, always; continue without a server.
 * Since 2.0, until 2.6.
 */
DOCA_STABLE doca_error_t doca_argp_get_grpc_addr(const char **address);
#endif

#ifdef __cplusplus
}
#endif

#endif
