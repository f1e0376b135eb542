/*
 * Two processes, perhaps on two machines, that keep step over a TCP connection (port MEET_PORT).
 * Whatever is not as it has to be ends the process, with a line that says where. Threads: none.
 */
#ifndef TESTS_VM_MEET_H
#define TESTS_VM_MEET_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "util/util.h"

/* Seconds; on an emulated processor, beside others. */
#define PATIENCE_S 60

/* Fails with what was said. */
void fail(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);
#define check(condition, ...) \
	((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition ": " __VA_ARGS__))

/* With the same case of the same program: what else calls, or listens, is left alone, such as one
 * end of a case that failed. The client's address is the server's, of IPv4. */
int meet_open(const char *name, bool is_server, const char *addr);
void meet_put(int sock, const void *data, size_t len);
void meet_get(int sock, void *data, size_t len);
/* Both come here before either goes on. */
void meet_step(int sock);

/* With the script that runs this: it looks for words in what we print, and makes a file, which is
 * taken away: so it can tell again. */
void meet_say(const char *word);
bool meet_is_told(void);
void meet_await_told(void);

/* Nothing leaves this machine by the interface $wire any more; all does again. */
void meet_cut_wire(void);
void meet_join_wire(void);
/* To the other end, past the wire: by the directory that both machines have for results. */
void meet_tell_beside(void);
void meet_await_beside(void);

#endif
