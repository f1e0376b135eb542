/* Validation of the daemon's replies. The remaining functions on replies are in
 * client/control/session.h. Threads: any. */
#ifndef CLIENT_CONTROL_REPLY_H
#define CLIENT_CONTROL_REPLY_H

#include "client/control/session.h"

/* Checks that this library understands the daemon's reply to Hello. Otherwise returns a code and
 * records an error sentence. */
doca_error_t session_check_hello_reply(const Dococore__HelloReply *reply);

#endif
