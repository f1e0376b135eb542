/*
 * Rules of the wire that do not need an event loop: packet size, protocol version, and how many
 * descriptors a message carries. The table mirrors the "fds:" notes of dococore.proto.
 */
#ifndef PROTO_FRAME_H
#define PROTO_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/dococore.pb-c.h"

#define FRAME_PROTOCOL     1u
#define FRAME_PROTOCOL_MIN 1u /* of daemons to each other */
#define FRAME_PACKET_MAX   65536u
#define FRAME_DATA_MAX     32768u /* bytes of messages in one packet */

/* True if a packet with this body may carry n_fds descriptors. */
bool frame_fds_allowed(const Dococore__Packet *packet, size_t n_fds);
/* The one message of the packet, or NULL: there is none. All its kinds are in the same place. */
static inline ProtobufCMessage *frame_body(const Dococore__Packet *packet)
{
	if (packet->body_case == DOCOCORE__PACKET__BODY__NOT_SET || !packet->ok)
		return NULL;
	return &packet->ok->base;
}

/* The field of the packet that holds messages of this kind, or NULL: there is none. */
const ProtobufCFieldDescriptor *frame_body_field(uint32_t body_case);
/* Name of the message for logs: "ExportCreate", "unknown". */
const char *frame_name(const Dococore__Packet *packet);
/* The secret of an export in the packet, or a descriptor that contains one. NULL: no packet of this
 * kind has any. */
ProtobufCBinaryData *frame_secret(const Dococore__Packet *packet);
/* Length checks that protobuf does not make: ids of 16 bytes, bounded strings and lists. */
bool frame_fields_valid(const Dococore__Packet *packet);

#endif
