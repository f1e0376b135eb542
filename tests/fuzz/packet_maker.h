/*
 * Makes packets of the protocol and breaks one rule in them. The descriptors that protoc-c writes
 * say which fields a message has, so a new message needs no new code here. A pool remembers the
 * numbers and bytes of received packets: a field of the same name gets one of them, so that a
 * generated packet names existing objects.
 *
 * Creates no threads. Allocates no memory.
 */
#ifndef TESTS_FUZZ_PACKET_MAKER_H
#define TESTS_FUZZ_PACKET_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/frame.h"

#define POOL_NAMES     40u
#define POOL_VALUES    8u  /* of each name, the latest */
#define POOL_BYTES_MAX 80u /* of a string or of bytes */

struct pool_value {
	uint64_t number;
	uint8_t bytes[POOL_BYTES_MAX];
	size_t len;
};

struct pool_name {
	char name[24]; /* "" when free */
	struct pool_value values[POOL_VALUES];
	unsigned n; /* numbers learned so far; the last POOL_VALUES are kept */
};

struct packet_pool {
	struct pool_name names[POOL_NAMES];
};

struct packet_maker {
	struct packet_pool pool;
	uint64_t random; /* the state of the generator, not 0 */
	/* One for all fields of a packet, so that an id is used with its own secret. */
	unsigned pick;
};

enum packet_break {
	BREAK_VALUE,    /* another value in one field */
	BREAK_MISSING,  /* one field left out */
	BREAK_TWICE,    /* one field twice */
	BREAK_ORDER,    /* two fields exchanged */
	BREAK_TYPE,     /* one field with another wire type */
	BREAK_NUMBER,   /* one field under another number */
	BREAK_LENGTH,   /* bytes or text longer or shorter, or a length beyond the end */
	BREAK_TRUNCATE, /* the end is missing */
	BREAK_TAIL,     /* bytes after the end */
	BREAK_N,
};

uint64_t maker_random(struct packet_maker *maker);
size_t maker_below(struct packet_maker *maker, size_t n);

/* Remembers the values in the packet. asked: the body_case of the request that it answers, or 0. */
void maker_learn(struct packet_maker *maker, const Dococore__Packet *packet, uint32_t asked);
void maker_learn_number(struct packet_maker *maker, const char *name, uint64_t number);
/*
 * Writes a packet with this body that follows the rules of proto/frame.h. Returns its length, or 0
 * if there is no such body, or not enough room.
 */
size_t maker_make(struct packet_maker *maker, uint32_t body_case, uint64_t id, uint8_t *out,
		  size_t room);
/*
 * Breaks one rule in the packet, in the body or in a nested message. Returns the new length, at
 * most room; the bytes stay unchanged if there is nothing to break.
 */
size_t maker_break(struct packet_maker *maker, enum packet_break rule, uint8_t *data, size_t len,
		   size_t room);
const char *packet_break_name(enum packet_break rule);

#endif
