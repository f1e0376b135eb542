/*
 * What the daemon answers, looked at; see client/core/session.h for the rest. Threads: any.
 */
#ifndef CLIENT_CORE_SESSION_ANSWER_H
#define CLIENT_CORE_SESSION_ANSWER_H

#include "client/core/session.h"

/* A greeting that this library understands; else a code with its sentence. */
doca_error_t session_answer_greets(const Dococore__HelloReply *reply);

#endif
