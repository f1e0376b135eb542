/* Packs packets, and unpacks them with every check; see packet.h. */
#include "proto/packet.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

#define ID_TAG         0x08u /* field 1, varint */
#define WIRE_LEN       2u    /* wire type of messages */
#define VARINT_MAX_LEN 10u

/* Limit of memory for one unpacked packet: a list of empty messages grows a hundredfold. */
#define PACKET_UNPACK_MAX (4u << 20)

struct packet_unpacking {
	struct packet_arena *arena; /* or NULL */
	size_t left;
	/*
	 * Distinguishes lack of memory from a malformed packet: the unpacker returns NULL for both.
	 */
	bool out_of_memory;
};

/* Returns NULL if the arena is full. */
static void *arena_allocate(struct packet_arena *arena, size_t size)
{
	size_t rounded = (size + 15) & ~(size_t)15;
	void *memory = arena->bytes + arena->used;

	if (rounded > sizeof(arena->bytes) - arena->used)
		return NULL;
	arena->used += rounded;
	return memory;
}

static bool arena_has(const struct packet_arena *arena, const void *pointer)
{
	uintptr_t at = (uintptr_t)pointer, start = (uintptr_t)arena->bytes;

	return at >= start && at < start + sizeof(arena->bytes);
}

static void *packet_alloc(void *data, size_t size)
{
	struct packet_unpacking *unpacking = data;
	void *memory = NULL;

	if (size > unpacking->left)
		return NULL;
	unpacking->left -= size;
	if (unpacking->arena)
		memory = arena_allocate(unpacking->arena, size);
	if (memory)
		return memory;
	memory = malloc(size);
	unpacking->out_of_memory |= !memory;
	if (unpacking->arena && memory)
		unpacking->arena->n_outside++;
	return memory;
}

static void packet_dealloc(void *data, void *pointer)
{
	struct packet_unpacking *unpacking = data;

	if (unpacking->arena && pointer) {
		if (arena_has(unpacking->arena, pointer))
			return;
		unpacking->arena->n_outside--;
	}
	free(pointer);
}

/* --- packing --- */

static size_t varint_len(uint64_t value)
{
	size_t len = 1;

	for (; value > 0x7f; value >>= 7)
		len++;
	return len;
}

static uint8_t *varint_put(uint8_t *out, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*out++ = (uint8_t)(value | 0x80);
	*out++ = (uint8_t)value;
	return out;
}

static uint32_t body_tag(const Dococore__Packet *packet)
{
	return (uint32_t)packet->body_case << 3 | WIRE_LEN;
}

struct packet_size packet_measure(const Dococore__Packet *packet)
{
	const ProtobufCMessage *body = frame_body(packet);
	size_t id_len = packet->id ? 1 + varint_len(packet->id) : 0, len;

	if (!body || packet->base.n_unknown_fields)
		return (struct packet_size){.len = dococore__packet__get_packed_size(packet)};
	len = protobuf_c_message_get_packed_size(body);
	return (struct packet_size){
		.len = id_len + varint_len(body_tag(packet)) + varint_len(len) + len,
		.body_len = len,
	};
}

void packet_pack(const Dococore__Packet *packet, struct packet_size size, uint8_t *out)
{
	const ProtobufCMessage *body = frame_body(packet);

	if (!body || packet->base.n_unknown_fields) {
		dococore__packet__pack(packet, out);
		return;
	}
	if (packet->id) {
		*out++ = ID_TAG;
		out = varint_put(out, packet->id);
	}
	out = varint_put(out, body_tag(packet));
	out = varint_put(out, size.body_len);
	protobuf_c_message_pack(body, out);
}

/* --- unpacking --- */

/* Returns false if the number does not end or has more than 64 bits. */
static bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value_out)
{
	uint64_t value = 0;

	/* Most numbers have one byte. */
	if (*at < end && **at < 0x80) {
		*value_out = *(*at)++;
		return true;
	}
	for (unsigned i = 0; i < VARINT_MAX_LEN && *at < end; i++) {
		uint8_t byte = *(*at)++;

		if (i == VARINT_MAX_LEN - 1 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80)) {
			*value_out = value;
			return true;
		}
	}
	return false;
}

/*
 * Unpacks the form that packet_pack() writes: an optional id, then one message. Returns NULL if the
 * packet has another form or memory is short.
 */
static Dococore__Packet *packet_unpack_simple(ProtobufCAllocator *allocator, size_t len,
					      const uint8_t *data)
{
	const uint8_t *at = data, *end = data + len;
	const ProtobufCFieldDescriptor *field;
	uint64_t id = 0, tag, body_len;
	Dococore__Packet *packet;
	ProtobufCMessage *body;

	if (at < end && *at == ID_TAG) {
		at++;
		if (!varint_get(&at, end, &id))
			return NULL;
	}
	if (!varint_get(&at, end, &tag) || tag > UINT32_MAX || (tag & 7) != WIRE_LEN ||
	    !varint_get(&at, end, &body_len) || body_len != (size_t)(end - at))
		return NULL;
	field = frame_body_field((uint32_t)tag >> 3);
	if (!field)
		return NULL;
	packet = allocator->alloc(allocator->allocator_data, sizeof(*packet));
	if (!packet)
		return NULL;
	body = protobuf_c_message_unpack(field->descriptor, allocator, (size_t)body_len, at);
	if (!body) {
		allocator->free(allocator->allocator_data, packet);
		return NULL;
	}
	dococore__packet__init(packet);
	packet->id = id;
	packet->body_case = (Dococore__Packet__BodyCase)(tag >> 3);
	*(ProtobufCMessage **)(void *)((char *)packet + field->offset) = body;
	return packet;
}

/* Overwrites the secret, because a core dump contains freed memory, too. */
static void packet_wipe(Dococore__Packet *packet)
{
	ProtobufCBinaryData *secret = frame_secret(packet);

	if (secret && secret->data)
		explicit_bzero(secret->data, secret->len);
}

void packet_free(Dococore__Packet *packet)
{
	ProtobufCMessage *body = packet ? frame_body(packet) : NULL;

	if (!packet)
		return;
	packet_wipe(packet);
	if (!body || packet->base.n_unknown_fields) {
		dococore__packet__free_unpacked(packet, NULL);
		return;
	}
	protobuf_c_message_free_unpacked(body, NULL);
	free(packet);
}

void packet_free_in(struct packet_arena *arena, Dococore__Packet *packet)
{
	struct packet_unpacking unpacking = {.arena = arena};
	ProtobufCAllocator allocator = {packet_alloc, packet_dealloc, &unpacking};

	packet_wipe(packet);
	if (arena->n_outside)
		dococore__packet__free_unpacked(packet, &allocator);
	packet_arena_init(arena);
}

static const char *packet_wrong(const Dococore__Packet *packet, size_t n_fds)
{
	if (packet->body_case == DOCOCORE__PACKET__BODY__NOT_SET)
		return "packet has no known message";
	if (!frame_fields_valid(packet))
		return "a field of the message is out of bounds";
	if (!frame_fds_allowed(packet, n_fds))
		return "packet carries a wrong number of descriptors";
	return NULL;
}

int packet_unpack(const uint8_t *data, size_t len, size_t n_fds, struct packet_arena *arena,
		  Dococore__Packet **packet_out, const char **error_out)
{
	struct packet_unpacking unpacking = {.arena = arena, .left = PACKET_UNPACK_MAX};
	/* Without an arena, memory is from malloc(), so that the default allocator can free it. */
	ProtobufCAllocator allocator = {packet_alloc, packet_dealloc, &unpacking};
	Dococore__Packet *packet = packet_unpack_simple(&allocator, len, data);

	if (!packet && !unpacking.out_of_memory) {
		unpacking.left = PACKET_UNPACK_MAX;
		if (arena)
			packet_arena_init(arena);
		packet = dococore__packet__unpack(&allocator, len, data);
	}
	if (!packet) {
		if (arena)
			packet_arena_init(arena);
		*error_out = unpacking.out_of_memory ? "no memory for a packet"
						     : "packet is not a valid message";
		return unpacking.out_of_memory ? -ENOMEM : -EPROTO;
	}
	*error_out = packet_wrong(packet, n_fds);
	if (*error_out) {
		if (arena)
			packet_free_in(arena, packet);
		else
			packet_free(packet);
		return -EPROTO;
	}
	*packet_out = packet;
	return 0;
}
