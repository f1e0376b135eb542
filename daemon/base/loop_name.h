/*
 * Resolves host names without blocking, with libevent's evdns. It reads /etc/hosts and asks the
 * servers of /etc/resolv.conf; both files are read again for each look-up. A numeric address needs
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
 * Called once, in a later iteration of the event loop: with n addresses, at least one, and error
 * NULL; or with none and the reason. The addresses are valid only during the call. The look-up must
 * still be freed.
 */
typedef void (*loop_name_fn)(void *user, const struct loop_address *addresses, size_t n,
			     const char *error);

/* Returns NULL and sets errno on failure. */
struct loop_name *loop_name_new(struct loop *loop, const char *host, uint16_t port, loop_name_fn fn,
				void *user);
/*
 * May be called before or after the result, also inside the callback. Accepts NULL. Returns NULL.
 */
struct loop_name *loop_name_free(struct loop_name *name);

#endif
