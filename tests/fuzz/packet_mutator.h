/*
 * Mutations that keep an input a packet: libFuzzer's own ones mostly break the encoding, which is
 * refused before any other rule is looked at. For targets whose inputs are packets. Threads: none.
 */
#ifndef TESTS_FUZZ_PACKET_MUTATOR_H
#define TESTS_FUZZ_PACKET_MUTATOR_H

#include "tests/fuzz/fuzz.h"

/* Breaks one rule in the packet, makes another one, or mutates its bytes. Returns the new length,
 * at most max. */
size_t packet_mutate(uint8_t *data, size_t len, size_t max, unsigned seed);

#endif
