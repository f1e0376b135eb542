/* The HTTP server of doca-admin metrics, for collectors that fetch the numbers. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/commands/metrics.h"
#include "util/clock.h"
#include "util/fd.h"

#define CONTENT_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define TIMEOUT_S    5
/* Answers within this time are the same: many collectors cost the daemon no more than one. */
#define FRESH_NS       NS_PER_SEC
#define MAX_HEADERS    8192
#define DEFAULT_LISTEN "127.0.0.1"

static void text_reply(struct evhttp_request *request, int status, const char *reason,
		       const char *text)
{
	struct evbuffer *body = evhttp_request_get_output_buffer(request);

	evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type",
			  "text/plain; charset=utf-8");
	evbuffer_add(body, text, strlen(text));
	evhttp_send_reply(request, status, reason, NULL);
}

/* Writes the numbers, or on failure a text that the caller frees. Returns whether it succeeded. */
static bool numbers_read(const struct admin_options *options, char **text_out)
{
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	size_t len;
	FILE *f;
	int r;

	*text_out = NULL;
	if (bus_client_open(&options->target, &client, text_out) < 0)
		return false;
	f = open_memstream(text_out, &len);
	if (f == NULL)
		return false;
	r = metrics_write(client, &options->filter, f);
	if (fclose(f) == 0 && r == 0)
		return true;
	free(*text_out);
	*text_out = r < 0 ? strdup(bus_client_error(client)) : NULL;
	return false;
}

struct server {
	const struct admin_options *options;
	char *text; /* the last answer, or NULL */
	uint64_t read_ns;
};

/* Returns false with the reason, which the caller frees, if the daemon does not answer. */
static bool server_refresh(struct server *server, char **reason_out)
{
	uint64_t now_ns = clock_now_ns();
	char *text;

	*reason_out = NULL;
	if (server->text != NULL && now_ns - server->read_ns < FRESH_NS)
		return true;
	free(server->text);
	server->text = NULL;
	if (!numbers_read(server->options, &text)) {
		*reason_out = text;
		return false;
	}
	server->text = text;
	server->read_ns = now_ns;
	return true;
}

static void on_metrics(struct evhttp_request *request, void *user)
{
	struct server *server = user;
	char *reason;

	/* Connections that stay would take descriptors from others. */
	evhttp_add_header(evhttp_request_get_output_headers(request), "Connection", "close");
	if (server_refresh(server, &reason)) {
		evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Type",
				  CONTENT_TYPE);
		evbuffer_add(evhttp_request_get_output_buffer(request), server->text,
			     strlen(server->text));
		evhttp_send_reply(request, HTTP_OK, NULL, NULL);
	} else {
		text_reply(request, HTTP_SERVUNAVAIL, "Service Unavailable",
			   reason != NULL ? reason : "no memory\n");
	}
	free(reason);
}

static void on_other_path(struct evhttp_request *request, void *user)
{
	(void)user;
	text_reply(request, HTTP_NOTFOUND, "Not Found", "The numbers are at /metrics.\n");
}

/* Splits "[ADDRESS:]PORT", where an IPv6 address has brackets. Returns 0, or -EINVAL if the port is
 * wrong. */
static int listen_parse(char *text, const char **address_out, uint16_t *port_out)
{
	char *port = strrchr(text, ':'), *end;
	unsigned long n;

	*address_out = DEFAULT_LISTEN;
	if (port != NULL) {
		*port++ = '\0';
		*address_out = text;
		if (*text == '[' && port - text > 2 && port[-2] == ']') {
			port[-2] = '\0';
			*address_out = text + 1;
		}
	} else {
		port = text;
	}
	n = strtoul(port, &end, 10);
	if (*port < '0' || *port > '9' || *end != '\0' || n == 0 || n > UINT16_MAX)
		return -EINVAL;
	*port_out = (uint16_t)n;
	return 0;
}

static int http_listen_at(struct evhttp *http, const char *where)
{
	const char *address;
	char text[256];
	uint16_t port;

	if ((size_t)snprintf(text, sizeof(text), "%s", where) >= sizeof(text) ||
	    listen_parse(text, &address, &port) < 0)
		return cmd_fail(EXIT_USAGE,
				"--listen is [ADDRESS:]PORT, for example 127.0.0.1:9469, not '%s'",
				where);
	if (evhttp_bind_socket(http, address, port) != 0)
		return cmd_fail(EXIT_FAILURE, "cannot listen at %s: %s", where, strerror(errno));
	fprintf(stderr, "doca-admin: serving http://%s:%u/metrics\n", address, port);
	return EXIT_SUCCESS;
}

static int http_listen(struct evhttp *http, const char *where)
{
	if (strcmp(where, "systemd") != 0)
		return http_listen_at(http, where);
	if (sd_listen_fds(1) != 1)
		return cmd_fail(EXIT_USAGE,
				"'--listen systemd' needs one socket from a socket unit");
	if (fd_set_nonblocking(SD_LISTEN_FDS_START) < 0 ||
	    evhttp_accept_socket(http, SD_LISTEN_FDS_START) != 0)
		return cmd_fail(EXIT_FAILURE, "cannot serve on the socket of the socket unit");
	return EXIT_SUCCESS;
}

int metrics_serve(const struct admin_options *options)
{
	struct server server = {.options = options};
	struct event_base *base = event_base_new();
	struct evhttp *http = base != NULL ? evhttp_new(base) : NULL;
	int status = EXIT_FAILURE;

	if (http == NULL) {
		cmd_fail(EXIT_FAILURE, "no memory");
	} else {
		evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
		evhttp_set_timeout(http, TIMEOUT_S);
		evhttp_set_max_headers_size(http, MAX_HEADERS);
		evhttp_set_max_body_size(http, 0);
		evhttp_set_cb(http, "/metrics", on_metrics, &server);
		evhttp_set_gencb(http, on_other_path, NULL);
		status = http_listen(http, options->listen);
		if (status == EXIT_SUCCESS && event_base_dispatch(base) != 0)
			status = cmd_fail(EXIT_FAILURE, "the event loop failed");
		evhttp_free(http);
	}
	if (base != NULL)
		event_base_free(base);
	free(server.text);
	return status;
}
