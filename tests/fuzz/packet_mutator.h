/*
 * Mutations that keep an input a packet, for targets whose inputs are packets: libFuzzer's own
 * mutations mostly break the encoding, which is refused before any other rule is checked. Creates
 * no threads.
 */
#ifndef TESTS_FUZZ_PACKET_MUTATOR_H
#define TESTS_FUZZ_PACKET_MUTATOR_H

#include "tests/fuzz/fuzz.h"

/*
 * Breaks one rule in the packet, makes another one, or mutates its bytes. Returns the new length,
 * at most max.
 */
size_t packet_mutate(uint8_t *data, size_t len, size_t max, unsigned seed);

#endif
