/*
 * Sentences that a thread says again and again, and which of them reach the log.
 *
 * A program that ignores a result, or asks again in a loop, meets one failure thousands of times.
 * dococ_last_error() has the sentence each time. The log has the first ones of a series, and then
 * the 10th, the 100th, the 1000th, each with the count. A series ends when its sentence was not
 * said for a second, or when many others were said since.
 *
 * Threads: each thread has its own series.
 */
#ifndef CLIENT_BASE_REPEATS_H
#define CLIENT_BASE_REPEATS_H

#include <stdint.h>

/* Counts a sentence. Returns how often it was said, this time included, if it is to be logged;
 * 0 if it is not. */
uint64_t repeats_count(const char *sentence);

#endif
