/*
 * Two processes, possibly on two machines, that synchronise over a TCP connection (port MEET_PORT).
 * Any unexpected result ends the process, with a line that says where. Creates no threads.
 */
#ifndef TESTS_VM_MEET_H
#define TESTS_VM_MEET_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "util/util.h"

/* seconds; enough for an emulated processor with other tests running */
#define TIMEOUT_S 60

/* Ends the process with this message. */
void fail(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);
#define check(condition, ...) \
	((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition ": " __VA_ARGS__))

/*
 * Connects to the same case of the same program. Any other process that connects or listens, such
 * as one end of an earlier failed case, is ignored. The client's address is the server's IPv4
 * address.
 */
int meet_open(const char *name, bool is_server, const char *addr);
void meet_put(int sock, const void *data, size_t len);
void meet_get(int sock, void *data, size_t len);
/* Waits until both processes have called it. */
void meet_step(int sock);

/*
 * Communication with the script that runs this: it looks for words in the output, and answers by
 * creating a file, which is removed here, so that it can answer again.
 */
void meet_send(const char *word);
bool meet_is_notified(void);
void meet_await_notified(void);

/* Stop and restore all traffic that leaves this machine by the interface $nic. */
void meet_disconnect_network(void);
void meet_join_network(void);
/*
 * Signal the other end without the network, through the results directory that both machines share.
 */
void meet_send_by_process(void);
void meet_await_other_process(void);

#endif
