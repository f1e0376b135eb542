/*
 * Records what the processes of a test are doing when a wait of the test has timed out: writes it
 * to a log in the scratch directory, which the guard prints with the daemons' logs. The state that
 * shows a lost wake-up is gone once the processes have ended, and may not occur again in a thousand
 * runs.
 */
#ifndef TESTS_LIB_SNAPSHOT_H
#define TESTS_LIB_SNAPSHOT_H

/*
 * Writes the snapshot of every process in the caller's process group: the command line, the system
 * call that each thread sleeps in, what its eventfds, epoll descriptors and timers hold, the
 * positions and sleep words of its message rings, and, if gdb is installed, the stack of each
 * thread. Blocks for at most 20 s per process, for gdb. Does nothing a second time.
 */
void snapshot_record(void);

#endif
