/* Declarations for the files that use libevent: loop.c, loop_name.c and loop_tls.c. */
#ifndef DAEMON_BASE_LOOP_INTERNAL_H
#define DAEMON_BASE_LOOP_INTERNAL_H

struct event_base;

struct loop {
	struct event_base *base;
};

#endif
