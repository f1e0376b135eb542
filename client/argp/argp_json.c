/*
 * The parameter file: one JSON object (comments are allowed), whose keys are long names of
 * parameters.
 *
 * Keys are looked up in the command that was chosen, then in its parents, then among the standard
 * flags. A value may be written as what it is or as text; an array stands for several uses of a
 * parameter that allows them. What the command line said wins: the key of a parameter that was
 * given there is read over. Keys that nobody knows are an error, or are skipped with a warning
 * after doca_argp_disable_pedantic_config_parsing.
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

/* Nobody writes parameters of this size; a wrong path may well lead to a file that has it. */
#define FILE_LEN_MAX (16u << 20)
#define JSON_DEPTH   8
#define LABEL_LEN    128

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

static doca_error_t scalar_add(struct argp *argp, const char *path, const char *key,
			       struct doca_argp_param *param, struct json_object *scalar)
{
	enum json_type type = json_object_get_type(scalar);
	const char *text;

	if (param->type == ARGP_TYPE_JSON_OBJ && type != json_type_object)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s: \"%s\" has a value of type %s, only an object is possible",
				 path, key, json_type_to_name(type));
	if (param->type != ARGP_TYPE_JSON_OBJ &&
	    (type == json_type_null || type == json_type_object || type == json_type_array))
		return argp_fail(
			argp, DOCA_ERROR_INVALID_VALUE,
			"%s: \"%s\" has a value of type %s, only text, numbers and true or "
			"false are possible",
			path, key, json_type_to_name(type));
	text = json_object_get_string(scalar);
	if (!text)
		return argp_fail(argp, DOCA_ERROR_NO_MEMORY, "%s: no memory", path);
	if (type == json_type_string && strlen(text) != (size_t)json_object_get_string_len(scalar))
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s: the text of \"%s\" has a NUL character in it", path, key);
	return argp_add_value(argp, param, NULL, text);
}

static doca_error_t key_add(struct argp *argp, const char *path, const char *key,
			    struct json_object *json)
{
	struct doca_argp_param *param = key_find_param(argp, key);
	doca_error_t result = DOCA_SUCCESS;

	if (!param) {
		if (argp->pedantic)
			return argp_fail(argp, DOCA_ERROR_NOT_SUPPORTED,
					 "%s: \"%s\" is no parameter of this program", path, key);
		argp_message(argp, DOCA_LOG_LEVEL_WARNING,
			     "%s: \"%s\" is no parameter of this program, skipped", path, key);
		return DOCA_SUCCESS;
	}
	if (param->cli_only)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s: \"%s\" can be given on the command line only", path, key);
	if (param->n_uses)
		return DOCA_SUCCESS;
	if (!json_object_is_type(json, json_type_array))
		return scalar_add(argp, path, key, param, json);
	if (!param->multiple)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s: \"%s\" takes one value, not an array", path, key);
	for (size_t i = 0; i < json_object_array_length(json) && result == DOCA_SUCCESS; i++)
		result = scalar_add(argp, path, key, param, json_object_array_get_idx(json, i));
	return result;
}

/* The file's text with a NUL behind it, to be freed; or NULL and errno. A pipe will do as well. */
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

static unsigned line_of(const char *text, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
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
	/* The NUL tells the tokener that no more is coming. */
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
	free(text);
	if (result != DOCA_SUCCESS)
		return result;
	json_object_object_foreach(json, key, value)
	{
		if (result == DOCA_SUCCESS)
			result = key_add(argp, path, key, value);
	}
	json_object_put(json);
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
