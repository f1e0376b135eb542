/*
 * Error sentences that a thread repeats, and which of the repetitions are logged.
 *
 * A program that ignores a result, or retries in a loop, meets one failure thousands of times.
 * dococ_last_error() returns the sentence each time. The log has the first ones of a series and
 * then the 10th, the 100th, the 1000th, each with the count. A series ends when its sentence has
 * not occurred for a second, or when many others have occurred since.
 *
 * Threads: each thread has its own series.
 */
#ifndef CLIENT_BASE_REPEATS_H
#define CLIENT_BASE_REPEATS_H

#include <stdint.h>

/* Counts a sentence. If it is to be logged, returns the number of its occurrences including this
 * one; otherwise returns 0. */
uint64_t repeats_count(const char *sentence);

#endif
