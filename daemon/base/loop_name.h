/*
 * Names of machines to addresses, without blocking: evdns of libevent, which reads /etc/hosts and
 * asks the servers of /etc/resolv.conf, both read anew for each look-up. A numeric address needs
 * neither. Single-threaded.
 */
#ifndef DAEMON_BASE_LOOP_NAME_H
#define DAEMON_BASE_LOOP_NAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "daemon/base/loop.h"

#define LOOP_NAME_MAX 8

struct loop_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

struct loop_name;

/*
 * Called once, in a later step of the loop: n addresses, at least one, and error NULL; or none, and
 * why. The addresses are gone when it returns. The look-up is still to be freed.
 */
typedef void (*loop_name_fn)(void *user, const struct loop_address *addresses, size_t n,
			     const char *error);

/* NULL and errno on failure. */
struct loop_name *loop_name_new(struct loop *loop, const char *host, uint16_t port, loop_name_fn fn,
				void *user);
/* Before or after it was answered, also in the answer. NULL is fine. Returns NULL. */
struct loop_name *loop_name_free(struct loop_name *name);

#endif
