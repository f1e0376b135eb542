/*
 * What the daemon answers, looked at; see client/control/session.h for the rest. Threads: any.
 */
#ifndef CLIENT_CONTROL_REPLY_H
#define CLIENT_CONTROL_REPLY_H

#include "client/control/session.h"

/* A greeting that this library understands; else a code with its sentence. */
doca_error_t session_answer_greets(const Dococore__HelloReply *reply);

#endif
