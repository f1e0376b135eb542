/*
 * Wire rules that need no event loop: packet size, protocol version, and the number of descriptors
 * of each message. The table repeats the "fds:" notes of dococore.proto.
 */
#ifndef PROTO_FRAME_H
#define PROTO_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/dococore.pb-c.h"

#define FRAME_PROTOCOL     1u
#define FRAME_PROTOCOL_MIN 1u /* between daemons */
#define FRAME_PACKET_MAX   65536u
#define FRAME_DATA_MAX     32768u /* bytes of messages in one packet */

/* True if a packet with this body may carry n_fds descriptors. */
bool frame_fds_allowed(const Dococore__Packet *packet, size_t n_fds);
/*
 * Returns the packet's one message, or NULL if there is none. All kinds of messages share one
 * union.
 */
static inline ProtobufCMessage *frame_body(const Dococore__Packet *packet)
{
	if (packet->body_case == DOCOCORE__PACKET__BODY__NOT_SET || !packet->ok)
		return NULL;
	return &packet->ok->base;
}

/* Returns the packet's field that holds messages of this kind, or NULL if the kind is unknown. */
const ProtobufCFieldDescriptor *frame_body_field(uint32_t body_case);
/* Returns the message's name for logs: "ExportCreate", or "unknown". */
const char *frame_name(const Dococore__Packet *packet);
/*
 * Returns the packet's field that holds the secret of an export, or a descriptor that contains one.
 * NULL if this kind of packet has no such field.
 */
ProtobufCBinaryData *frame_secret(const Dococore__Packet *packet);
/* Checks lengths that protobuf does not: ids of 16 bytes, bounded strings and lists. */
bool frame_fields_valid(const Dococore__Packet *packet);

#endif
