/*
 * The parameter file: one JSON object (comments are allowed). Its keys are either sections,
 *
 *     "doca_general_flags": {"log-level": 60},
 *     "doca_program_flags": {"pci-addr": "03:00.0"},
 *     "doca_dpdk_flags": {"devices": [{"device": "sf", "id": "2"}], "core-list": "0-3"}
 *
 * whose members are long names of parameters, or the long names themselves. A parameter with the
 * name of a section is a parameter.
 *
 * Names are looked up in the chosen command, then in its parents, then among the standard flags. A
 * value may have its own JSON type or be a string; an array stands for several uses of a parameter
 * that allows them. The command line has priority: a key of a parameter that it uses is skipped.
 * Unknown keys are errors for programs that can disable this rule
 * (doca_argp_disable_pedantic_config_parsing, 3.3); otherwise they are skipped with a warning.
 *
 * Programs without a DPDK callback skip DPDK's section; argp_dpdk.c has its arguments.
 *
 * Threads: one, see client/argp/argp.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json.h>

#include "client/argp/argp.h"
#include "util/fd.h"

/* No parameter file is as large as this, but a file at a wrong path may be. */
#define FILE_LEN_MAX (16u << 20)
#define JSON_DEPTH   8
#define LABEL_LEN    256
#define BLANKS       " \t\r\n"

static struct doca_argp_param *key_find_param(const struct argp *argp, const char *key)
{
	const struct doca_argp_cmd *cmd;
	struct doca_argp_param *param;

	for (cmd = argp->active; cmd; cmd = cmd->parent) {
		for (param = cmd->params; param; param = param->next) {
			if (param->long_name && !strcmp(param->long_name, key))
				return param;
		}
	}
	return argp_find_param(argp, &argp->root, key, strlen(key), true);
}

/* The position of a key in the text. */
struct source {
	struct argp *argp;
	const char *path, *text;
	const char *section; /* NULL: the top-level object */
};

static const char *const sections[] = {"doca_general_flags", "doca_program_flags"};
static const char dpdk_section[] = "doca_dpdk_flags";

static unsigned line_of(const char *text, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

/* Returns the end of the comment or quoted text at `at`, or NULL if there is none. */
static const char *quoted_skip(const char *at)
{
	char quote = *at;
	const char *end;

	if (quote == '/' && (at[1] == '/' || at[1] == '*')) {
		end = strstr(at + 2, at[1] == '/' ? "\n" : "*/");
		return end ? end + (at[1] == '/' ? 1 : 2) : at + strlen(at);
	}
	if (quote != '"' && quote != '\'')
		return NULL;
	for (at++; *at && *at != quote; at++)
		at += at[0] == '\\' && at[1];
	return at + (*at == quote);
}

static bool quoted_is(const char *start, const char *end, const char *key)
{
	size_t len = strlen(key);

	return (size_t)(end - start) == len + 2 && !memcmp(start + 1, key, len);
}

/* Returns the line of a key in a text that was parsed, or 0 if the key is written with escapes
 * (\u0061). */
static unsigned key_line(const struct source *source, const char *key)
{
	bool inside = !source->section;
	const char *at = source->text, *end;
	int depth = 0;

	for (; *at; at = end) {
		end = quoted_skip(at);
		if (!end) {
			depth += *at == '{' || *at == '[';
			depth -= *at == '}' || *at == ']';
			end = at + 1;
			continue;
		}
		if (*at == '/' || end[strspn(end, " \t\r\n")] != ':')
			continue;
		if (depth == (source->section ? 2 : 1) && inside && quoted_is(at, end, key))
			return line_of(source->text, (size_t)(at - source->text));
		if (depth == 1 && source->section)
			inside = quoted_is(at, end, source->section);
	}
	return 0;
}

/* Writes the location FILE:LINE: "KEY", followed by the section, to buf and returns buf. */
static const char *key_label(const struct source *source, const char *key, char *buf, size_t size)
{
	unsigned line = key_line(source, key);
	char number[16] = "";

	if (line)
		snprintf(number, sizeof(number), ":%u", line);
	snprintf(buf, size, "%s%s: \"%s\"%s%s", source->path, number, key,
		 source->section ? " of " : "", source->section ? source->section : "");
	return buf;
}

static doca_error_t key_fail(const struct source *source, const char *key, doca_error_t code,
			     const char *problem, const char *detail)
{
	char label[LABEL_LEN];

	return argp_fail(source->argp, code, "%s %s%s",
			 key_label(source, key, label, sizeof(label)), problem, detail);
}

/* Handles an unknown key: it may be misspelt, or belong to another program that shares the file. */
static doca_error_t key_unknown(const struct source *source, const char *key, const char *problem)
{
	char label[LABEL_LEN];

	if (source->argp->pedantic)
		return key_fail(source, key, DOCA_ERROR_NOT_SUPPORTED, problem, "");
	argp_message(source->argp, DOCA_LOG_LEVEL_WARNING, "%s %s, skipped",
		     key_label(source, key, label, sizeof(label)), problem);
	return DOCA_SUCCESS;
}

/* Returns the text of a value that is no array. If the type is not allowed, returns NULL and
 * *result_out. */
static const char *scalar_text(const struct source *source, const char *key,
			       struct json_object *scalar, doca_error_t *result_out)
{
	enum json_type type = json_object_get_type(scalar);
	const char *text = json_object_get_string(scalar);

	*result_out = DOCA_SUCCESS;
	if (type == json_type_null || type == json_type_object || type == json_type_array)
		*result_out =
			key_fail(source, key, DOCA_ERROR_INVALID_VALUE,
				 "takes text, numbers and true or false, not a value of type ",
				 json_type_to_name(type));
	else if (!text)
		*result_out = argp_fail(source->argp, DOCA_ERROR_NO_MEMORY, "%s: no memory",
					source->path);
	else if (type == json_type_string &&
		 strlen(text) != (size_t)json_object_get_string_len(scalar))
		*result_out = key_fail(source, key, DOCA_ERROR_INVALID_VALUE,
				       "has a NUL character in its text", "");
	return *result_out == DOCA_SUCCESS ? text : NULL;
}

static doca_error_t scalar_add(const struct source *source, const char *key,
			       struct doca_argp_param *param, struct json_object *scalar)
{
	enum json_type type = json_object_get_type(scalar);
	doca_error_t result = DOCA_SUCCESS;
	const char *text;

	if (param->type != ARGP_TYPE_JSON_OBJ) {
		text = scalar_text(source, key, scalar, &result);
		return text ? argp_add_value(source->argp, param, NULL, text) : result;
	}
	if (type != json_type_object)
		return key_fail(source, key, DOCA_ERROR_INVALID_VALUE,
				"takes an object, not a value of type ", json_type_to_name(type));
	text = json_object_get_string(scalar);
	if (!text)
		return argp_fail(source->argp, DOCA_ERROR_NO_MEMORY, "%s: no memory", source->path);
	return argp_add_value(source->argp, param, NULL, text);
}

static doca_error_t param_add(const struct source *source, const char *key,
			      struct doca_argp_param *param, struct json_object *json)
{
	doca_error_t result = DOCA_SUCCESS;

	if (param->cli_only)
		return key_fail(source, key, DOCA_ERROR_INVALID_VALUE,
				"can be given on the command line only", "");
	if (param->in_file)
		return key_fail(source, key, DOCA_ERROR_INVALID_VALUE,
				"is in the file a second time, in another section", "");
	param->in_file = true;
	if (param->n_uses)
		return DOCA_SUCCESS;
	if (!json_object_is_type(json, json_type_array))
		return scalar_add(source, key, param, json);
	if (!param->multiple)
		return key_fail(source, key, DOCA_ERROR_INVALID_VALUE,
				"takes one value, not an array", "");
	for (size_t i = 0; i < json_object_array_length(json) && result == DOCA_SUCCESS; i++)
		result = scalar_add(source, key, param, json_object_array_get_idx(json, i));
	return result;
}

static doca_error_t section_add(const struct source *source, struct json_object *json)
{
	doca_error_t result = DOCA_SUCCESS;

	json_object_object_foreach(json, key, value)
	{
		struct doca_argp_param *param = key_find_param(source->argp, key);

		if (result != DOCA_SUCCESS)
			break;
		result = param ? param_add(source, key, param, value)
			       : key_unknown(source, key, "is no parameter of this program");
	}
	return result;
}

/* --- DPDK's section ------------------------------------------------------------------------ */

/* Converts a member of "devices" to "-a ID". Users identify a scalable function by its number, DPDK
 * by the name of its auxiliary device. */
static doca_error_t dpdk_device_add(const struct source *source, struct json_object *json)
{
	struct json_object *id_json = NULL, *kind = NULL;
	doca_error_t result = DOCA_SUCCESS;
	char word[LABEL_LEN];
	const char *id;
	bool is_sf;

	if (!json_object_is_type(json, json_type_object) ||
	    !json_object_object_get_ex(json, "id", &id_json))
		return key_fail(source, "devices", DOCA_ERROR_INVALID_VALUE,
				"has a device that is no object with an \"id\"", "");
	json_object_object_foreach(json, key, value)
	{
		(void)value;
		if (strcmp(key, "device") && strcmp(key, "id"))
			argp_message(
				source->argp, DOCA_LOG_LEVEL_WARNING,
				"%s: \"%s\" of a device is not handed to DPDK, write it behind "
				"the id, as DPDK spells it",
				source->path, key);
	}
	id = scalar_text(source, "devices", id_json, &result);
	if (!id)
		return result;
	is_sf = json_object_object_get_ex(json, "device", &kind) &&
		json_object_is_type(kind, json_type_string) &&
		!strcmp(json_object_get_string(kind), "sf") && *id >= '0' && *id <= '9' &&
		id[strspn(id, "0123456789")] != ':';
	if (!*id || (size_t)snprintf(word, sizeof(word), "%s%s",
				     is_sf ? "auxiliary:mlx5_core.sf." : "", id) >= sizeof(word))
		return key_fail(source, "devices", DOCA_ERROR_INVALID_VALUE,
				"has a device whose id is empty or too long", "");
	result = argp_dpdk_add(source->argp, "-a", 2);
	return result == DOCA_SUCCESS ? argp_dpdk_add(source->argp, word, strlen(word)) : result;
}

static doca_error_t dpdk_devices_add(const struct source *source, struct json_object *json)
{
	doca_error_t result = DOCA_SUCCESS;

	if (!json_object_is_type(json, json_type_array))
		return key_fail(source, "devices", DOCA_ERROR_INVALID_VALUE, "takes an array", "");
	for (size_t i = 0; i < json_object_array_length(json) && result == DOCA_SUCCESS; i++)
		result = dpdk_device_add(source, json_object_array_get_idx(json, i));
	return result;
}

static doca_error_t dpdk_key_add(const struct source *source, const char *key,
				 struct json_object *json)
{
	doca_error_t result = DOCA_SUCCESS;
	const char *text;

	if (!strcmp(key, "devices"))
		return dpdk_devices_add(source, json);
	if (strcmp(key, "core-list") && strcmp(key, "flags"))
		return key_unknown(source, key,
				   "is none of \"devices\", \"core-list\" and \"flags\"");
	text = scalar_text(source, key, json, &result);
	if (!text)
		return result;
	if (!strcmp(key, "core-list")) {
		/* DPDK accepts the list of cores once, and refuses to start if it is repeated. */
		if (!*text || argp_dpdk_has_cores(source->argp))
			return DOCA_SUCCESS;
		result = argp_dpdk_add(source->argp, "-l", 2);
		return result == DOCA_SUCCESS ? argp_dpdk_add(source->argp, text, strlen(text))
					      : result;
	}
	while (*(text += strspn(text, BLANKS)) && result == DOCA_SUCCESS) {
		result = argp_dpdk_add(source->argp, text, strcspn(text, BLANKS));
		text += strcspn(text, BLANKS);
	}
	return result;
}

static doca_error_t dpdk_section_add(const struct source *source, struct json_object *json)
{
	doca_error_t result = DOCA_SUCCESS;

	if (!source->argp->dpdk_cb) {
		argp_message(source->argp, DOCA_LOG_LEVEL_DEBUG,
			     "%s: \"%s\" is ignored, because this program does not use DPDK",
			     source->path, dpdk_section);
		return DOCA_SUCCESS;
	}
	json_object_object_foreach(json, key, value)
	{
		if (result == DOCA_SUCCESS)
			result = dpdk_key_add(source, key, value);
	}
	return result == DOCA_SUCCESS ? argp_dpdk_merge(source->argp) : result;
}

/* --- the file ------------------------------------------------------------------------------ */

static doca_error_t key_add(const struct source *source, const char *key, struct json_object *json)
{
	struct doca_argp_param *param = key_find_param(source->argp, key);
	struct source inside = *source;

	if (param)
		return param_add(source, key, param, json);
	inside.section = key;
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		if (!strcmp(key, sections[i]) && json_object_is_type(json, json_type_object))
			return section_add(&inside, json);
	}
	if (!strcmp(key, dpdk_section) && json_object_is_type(json, json_type_object))
		return dpdk_section_add(&inside, json);
	return key_unknown(source, key, "is no parameter of this program");
}

/* Returns the file's text with a NUL at the end, which the caller frees; or NULL and errno. The
 * file may be a pipe. */
static char *file_read(const char *path, size_t *len_out)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t len = 0, size = 4096;
	char *text, *grown;
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	text = malloc(size);
	while (text) {
		n = read(fd, text + len, size - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (len + 1 < size)
			continue;
		size *= 2;
		errno = EFBIG;
		grown = size <= FILE_LEN_MAX ? realloc(text, size) : NULL;
		n = -1;
		if (!grown)
			break;
		text = grown;
	}
	if (n < 0) {
		int saved_errno = errno;

		free(text);
		errno = saved_errno;
		return NULL;
	}
	text[len] = '\0';
	*len_out = len;
	return text;
}

static doca_error_t text_parse(struct argp *argp, const char *path, const char *text, size_t len,
			       struct json_object **json_out)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);
	enum json_tokener_error error;
	struct json_object *json;
	size_t end;

	if (!tokener)
		return argp_fail(argp, DOCA_ERROR_NO_MEMORY, "%s: no memory", path);
	/* The NUL indicates the end of the text to the tokener. */
	json = json_tokener_parse_ex(tokener, text, (int)len + 1);
	error = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	end = MIN(end, len);
	if (error != json_tokener_success) {
		json_object_put(json);
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s:%u: not valid JSON, %s", path,
				 line_of(text, end), json_tokener_error_desc(error));
	}
	end += strspn(text + end, " \t\r\n");
	if (!json_object_is_type(json, json_type_object) || end != len) {
		json_object_put(json);
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s:%u: there must be one object and nothing else", path,
				 line_of(text, end));
	}
	*json_out = json;
	return DOCA_SUCCESS;
}

doca_error_t argp_json_read(struct argp *argp, const char *path)
{
	struct json_object *json = NULL;
	doca_error_t result;
	size_t len;
	char *text = file_read(path, &len);

	if (!text)
		return argp_fail(argp, DOCA_ERROR_IO_FAILED, "%s: cannot read it, %m", path);
	result = text_parse(argp, path, text, len, &json);
	if (result == DOCA_SUCCESS) {
		const struct source source = {.argp = argp, .path = path, .text = text};

		json_object_object_foreach(json, key, value)
		{
			if (result == DOCA_SUCCESS)
				result = key_add(&source, key, value);
		}
		json_object_put(json);
	}
	free(text);
	return result;
}

doca_error_t argp_json_deliver(struct argp *argp, const struct doca_argp_param *param,
			       const char *label, const char *text)
{
	struct json_object *json = NULL;
	doca_error_t result = text_parse(argp, label, text, strlen(text), &json);

	if (result != DOCA_SUCCESS)
		return result;
	result = param->callback(json, argp->config);
	json_object_put(json);
	return result;
}
