/* Maps each message to its handler: one table for clients and one for peers. */
#ifndef DAEMON_DISPATCH_H
#define DAEMON_DISPATCH_H

struct daemon;

/* Sets the hooks of the daemon's rooms. */
void dispatch_init(struct daemon *daemon);

#endif
