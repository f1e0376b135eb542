/* Name look-ups; see loop_name.h. */
#include "daemon/base/loop_name.h"

#include <errno.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <event2/util.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/loop_internal.h"
#include "util/util.h"

/* Outlives its owner if evdns has yet to complete a cancelled request. */
struct name_request {
	struct loop_name *name;
};

struct loop_name {
	struct evdns_base *dns;
	struct evdns_getaddrinfo_request *pending;
	struct name_request *request;
	struct loop_source *answer;
	loop_name_fn fn;
	void *user;
	const char *error;
	struct loop_address addresses[LOOP_NAME_MAX];
	size_t n;
};

static void name_copy_addresses(struct loop_name *name, const struct addrinfo *list)
{
	for (; list && name->n < LOOP_NAME_MAX; list = list->ai_next) {
		struct loop_address *to = &name->addresses[name->n];

		if (list->ai_addrlen > sizeof(to->addr))
			continue;
		memcpy(&to->addr, list->ai_addr, list->ai_addrlen);
		to->len = list->ai_addrlen;
		name->n++;
	}
	if (name->n == 0)
		name->error = "the name has no address";
}

static void name_on_dns(int result, struct evutil_addrinfo *list, void *user)
{
	struct name_request *request = user;
	struct loop_name *name = request->name;

	if (name) {
		name->pending = NULL;
		name->request = NULL;
		if (result == 0)
			name_copy_addresses(name, list);
		else
			name->error = evutil_gai_strerror(result);
		loop_deferred_set(name->answer);
	}
	if (list)
		evutil_freeaddrinfo(list);
	free(request);
}

static void name_on_answer(void *user)
{
	struct loop_name *name = user;

	name->fn(name->user, name->addresses, name->n, name->n ? NULL : name->error);
}

/* Returns true if the host is a numeric address, and then reports it. */
static bool name_is_numeric(struct loop_name *name, const char *host, const char *port)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC,
				 .ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	struct addrinfo *list;

	if (getaddrinfo(host, port, &hints, &list) != 0)
		return false;
	name_copy_addresses(name, list);
	freeaddrinfo(list);
	loop_deferred_set(name->answer);
	return true;
}

static int name_ask(struct loop_name *name, struct loop *loop, const char *host, const char *port)
{
	struct evutil_addrinfo hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_protocol = IPPROTO_TCP};
	struct evdns_getaddrinfo_request *pending;

	name->dns = evdns_base_new(loop->base, 0);
	name->request = calloc(1, sizeof(*name->request));
	if (!name->dns || !name->request)
		return -ENOMEM;
	name->request->name = name;
	/* Without that file /etc/hosts is still used, and the error says what is missing. */
	(void)evdns_base_resolv_conf_parse(name->dns, DNS_OPTIONS_ALL, "/etc/resolv.conf");
	/* May call the callback before it returns. */
	pending = evdns_getaddrinfo(name->dns, host, port, &hints, name_on_dns, name->request);
	if (name->request)
		name->pending = pending;
	return 0;
}

struct loop_name *loop_name_new(struct loop *loop, const char *host, uint16_t port, loop_name_fn fn,
				void *user)
{
	struct loop_name *name = calloc(1, sizeof(*name));
	char service[8];
	int r = 0;

	if (!name)
		return NULL;
	name->fn = fn;
	name->user = user;
	snprintf(service, sizeof(service), "%u", port);
	name->answer = loop_deferred_new(loop, name_on_answer, name);
	if (!name->answer)
		r = -ENOMEM;
	else if (!name_is_numeric(name, host, service))
		r = name_ask(name, loop, host, service);
	if (r == 0)
		return name;
	loop_name_free(name);
	errno = -r;
	return NULL;
}

struct loop_name *loop_name_free(struct loop_name *name)
{
	if (!name)
		return NULL;
	if (name->pending) {
		/* The callback for the cancellation frees the request in a later iteration. */
		name->request->name = NULL;
		evdns_getaddrinfo_cancel(name->pending);
	} else {
		free(name->request);
	}
	if (name->dns)
		evdns_base_free(name->dns, 1);
	loop_source_free(name->answer);
	free(name);
	return NULL;
}
