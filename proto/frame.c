/*
 * Wire rules, checked by walking protobuf-c's descriptors. A new message is checked without new
 * code; the tables list only the exceptions from the default. Keeps no state; any thread may call
 * it.
 */
#include <string.h>

#include "proto/frame.h"
#include "util/export_descriptor.h"
#include "util/util.h"

#define FRAME_STRING_MAX 255u
#define FRAME_STRING_MIN 63u /* the smallest bound: shorter strings need no table look-up */
#define FRAME_LIST_MAX   2048u

/* Bounds that differ from the default. */
static const struct frame_bound {
	const char *message, *field;
	size_t max;
} frame_strings[] =
	{
		{"Error", "text", 400},
		{"Hello", "program", 63},
		{"ImportTransport", "rejected", 200},
},
  frame_lists[] = {
	  {"DeviceListReply", "devices", 16},
	  {"Device", "gids", 64},
	  {"RepListReply", "reps", 32},
	  {"ImportTransport", "rejected", 8},
};

/*
 * All bytes fields. A field has exactly len bytes; 1 to len if it varies; also 0 if it is optional.
 * A bytes field that is missing in this table must be empty.
 */
static const struct frame_bytes {
	const char *message, *field;
	size_t len;
	bool optional, varies;
} frame_bytes[] = {
	{"HelloReply", "daemon_id", 16, false, false},
	{"Device", "ipv4", 4, true, false},
	{"Device", "ipv6", 16, true, false},
	{"Device", "mac", 6, true, false},
	{"Device", "gids", 16, true, false},
	{"PeerFunction", "mac", 6, true, false},
	{"ExportCreate", "restore_secret", 16, true, false},
	{"ExportCreate", "restore_pass_on", 16, true, false},
	{"ExportReply", "secret", 16, false, false},
	{"ExportReply", "pass_on", 16, true, false},
	{"ImportCreate", "secret", 16, false, false},
	{"ImportCreate", "exporter_daemon", 16, true, false},
	{"ImportReply", "pass_on", 16, true, false},
	{"RdmaConnect", "address", 16, false, false},
	{"RdmaConnect", "details", EXPORT_DESCRIPTOR_LEN, false, true},
	{"RdmaConnect", "source", 16, false, false},
	{"RdmaCall", "details", EXPORT_DESCRIPTOR_LEN, false, true},
	{"RdmaCall", "source", 16, false, false},
	{"RdmaAnswer", "details", EXPORT_DESCRIPTOR_LEN, true, true},
	{"PeerRdmaConnect", "address", 16, false, false},
	{"PeerRdmaConnect", "details", EXPORT_DESCRIPTOR_LEN, false, true},
	{"PeerRdmaConnect", "source", 16, false, false},
	{"PeerRdmaAnswer", "details", EXPORT_DESCRIPTOR_LEN, true, true},
	{"PeerHello", "daemon_id", 16, false, false},
	{"PeerHello", "boot_id", 16, true, false},
	{"PeerImport", "secret", 16, false, false},
	{"PeerImportReply", "pass_on", 16, true, false},
	{"ChannelReply", "peer_daemon_id", 16, true, false},
	{"PeerChannelData", "data", FRAME_DATA_MAX, false, true},
	{"Consumer", "slots_export", EXPORT_DESCRIPTOR_LEN, true, false},
};

static size_t frame_bound(const struct frame_bound *bounds, size_t n_bounds, const char *message,
			  const char *field, size_t fallback)
{
	for (size_t i = 0; i < n_bounds; i++) {
		if (strcmp(bounds[i].field, field) == 0 && strcmp(bounds[i].message, message) == 0)
			return bounds[i].max;
	}
	return fallback;
}

static bool frame_bytes_valid(const char *message, const char *field, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(frame_bytes); i++) {
		const struct frame_bytes *rule = &frame_bytes[i];

		if (strcmp(rule->field, field) == 0 && strcmp(rule->message, message) == 0)
			return len == rule->len || (len == 0 && rule->optional) ||
			       (rule->varies && len > 0 && len < rule->len);
	}
	return len == 0;
}

static bool frame_message_valid(const ProtobufCMessage *message);

static bool frame_value_valid(const ProtobufCMessageDescriptor *owner,
			      const ProtobufCFieldDescriptor *field, const void *value)
{
	const char *text;
	size_t len, max;

	switch (field->type) {
	case PROTOBUF_C_TYPE_STRING:
		text = *(const char *const *)value;
		len = text ? strlen(text) : 0;
		if (len <= FRAME_STRING_MIN)
			return true;
		max = frame_bound(frame_strings, ARRAY_LEN(frame_strings), owner->short_name,
				  field->name, FRAME_STRING_MAX);
		return len <= max;
	case PROTOBUF_C_TYPE_BYTES:
		return frame_bytes_valid(owner->short_name, field->name,
					 ((const ProtobufCBinaryData *)value)->len);
	case PROTOBUF_C_TYPE_ENUM:
		return protobuf_c_enum_descriptor_get_value(field->descriptor,
							    *(const int *)value) != NULL;
	case PROTOBUF_C_TYPE_MESSAGE:
		return frame_message_valid(*(const ProtobufCMessage *const *)value);
	default:
		return true;
	}
}

/* Repeated fields of this protocol contain pointers or bytes. */
static bool frame_list_valid(const ProtobufCMessageDescriptor *owner,
			     const ProtobufCFieldDescriptor *field, const char *base)
{
	size_t n = *(const size_t *)(const void *)(base + field->quantifier_offset);
	const char *items = *(const char *const *)(const void *)(base + field->offset);
	size_t size = field->type == PROTOBUF_C_TYPE_BYTES ? sizeof(ProtobufCBinaryData)
							   : sizeof(void *);

	if (n == 0)
		return true;
	if (n > frame_bound(frame_lists, ARRAY_LEN(frame_lists), owner->short_name, field->name,
			    FRAME_LIST_MAX))
		return false;
	if (field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_MESSAGE &&
	    field->type != PROTOBUF_C_TYPE_BYTES)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!frame_value_valid(owner, field, items + i * size))
			return false;
	}
	return true;
}

/*
 * No field has number 0, but protobuf-c accepts field number 0 if the tag is encoded in two bytes.
 */
static bool frame_tags_valid(const ProtobufCMessage *message)
{
	for (unsigned i = 0; i < message->n_unknown_fields; i++) {
		if (message->unknown_fields[i].tag == 0)
			return false;
	}
	return true;
}

static bool frame_message_valid(const ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *owner;
	const char *base = (const char *)message;

	if (!message) /* an absent sub-message */
		return true;
	if (!frame_tags_valid(message))
		return false;
	owner = message->descriptor;
	for (unsigned i = 0; i < owner->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &owner->fields[i];

		if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF &&
		    *(const uint32_t *)(const void *)(base + field->quantifier_offset) != field->id)
			continue;
		if (field->label == PROTOBUF_C_LABEL_REPEATED) {
			if (!frame_list_valid(owner, field, base))
				return false;
		} else if (!frame_value_valid(owner, field, base + field->offset)) {
			return false;
		}
	}
	return true;
}

const ProtobufCFieldDescriptor *frame_body_field(uint32_t body_case)
{
	const ProtobufCFieldDescriptor *field;

	field = protobuf_c_message_descriptor_get_field(&dococore__packet__descriptor, body_case);
	return field && field->type == PROTOBUF_C_TYPE_MESSAGE ? field : NULL;
}

bool frame_fields_valid(const Dococore__Packet *packet)
{
	const ProtobufCMessage *body = frame_body(packet);

	/* The packet id may be any number. */
	return body && frame_tags_valid(&packet->base) && frame_message_valid(body);
}

static ProtobufCBinaryData *consumer_secret(Dococore__Consumer *consumer)
{
	return consumer ? &consumer->slots_export : NULL;
}

ProtobufCBinaryData *frame_secret(const Dococore__Packet *packet)
{
	if (!frame_body(packet))
		return NULL;
	switch (packet->body_case) {
	case DOCOCORE__PACKET__BODY_EXPORT_CREATE:
		return &packet->export_create->restore_secret;
	case DOCOCORE__PACKET__BODY_EXPORT_REPLY:
		return &packet->export_reply->secret;
	case DOCOCORE__PACKET__BODY_IMPORT_CREATE:
		return &packet->import_create->secret;
	case DOCOCORE__PACKET__BODY_PEER_IMPORT:
		return &packet->peer_import->secret;
	case DOCOCORE__PACKET__BODY_RDMA_CONNECT:
		return &packet->rdma_connect->details;
	case DOCOCORE__PACKET__BODY_RDMA_CALL:
		return &packet->rdma_call->details;
	case DOCOCORE__PACKET__BODY_RDMA_ANSWER:
		return &packet->rdma_answer->details;
	case DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT:
		return &packet->peer_rdma_connect->details;
	case DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER:
		return &packet->peer_rdma_answer->details;
	case DOCOCORE__PACKET__BODY_CONSUMER_CREATE:
		return consumer_secret(packet->consumer_create->consumer);
	case DOCOCORE__PACKET__BODY_CONSUMER_REPLY:
		return consumer_secret(packet->consumer_reply->consumer);
	case DOCOCORE__PACKET__BODY_PEER_CONSUMER_NEW:
		return consumer_secret(packet->peer_consumer_new->consumer);
	default:
		return NULL;
	}
}

static bool kind_is_sync(Dococore__ExportKind kind)
{
	return kind == DOCOCORE__EXPORT_KIND__SYNC_PCI || kind == DOCOCORE__EXPORT_KIND__SYNC_NET;
}

/* Number of descriptors that stand for the memory itself. */
static size_t memory_fds(Dococore__ExportKind kind, Dococore__MemoryKind memory)
{
	if (kind_is_sync(kind))
		return 3;
	if (kind == DOCOCORE__EXPORT_KIND__RDMA_QP)
		return 2;
	return memory == DOCOCORE__MEMORY_KIND__PRIVATE ? 0 : 1;
}

/* n: the number for a consumer with private memory. */
static size_t consumer_fds(const Dococore__Consumer *consumer, size_t n)
{
	if (consumer && consumer->slots_export.len != 0)
		return 0;
	return consumer && consumer->memory == DOCOCORE__MEMORY_KIND__MEMFD ? n + 1 : n;
}

bool frame_fds_allowed(const Dococore__Packet *packet, size_t n_fds)
{
	switch (packet->body_case) {
	case DOCOCORE__PACKET__BODY_EXPORT_CREATE:
		return n_fds ==
		       memory_fds(packet->export_create->kind, packet->export_create->memory);
	case DOCOCORE__PACKET__BODY_IMPORT_REPLY:
		if (packet->import_reply->is_remote)
			return n_fds == 0;
		return n_fds ==
		       2 + memory_fds(packet->import_reply->kind, packet->import_reply->memory);
	case DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY:
		if (packet->peer_import_reply->is_remote)
			return n_fds == 0;
		return n_fds == 2 + memory_fds(packet->peer_import_reply->kind,
					       packet->peer_import_reply->memory);
	case DOCOCORE__PACKET__BODY_CONSUMER_CREATE:
		return n_fds == consumer_fds(packet->consumer_create->consumer, 2);
	case DOCOCORE__PACKET__BODY_CONSUMER_REPLY:
		return n_fds == consumer_fds(packet->consumer_reply->consumer, 3);
	case DOCOCORE__PACKET__BODY_PEER_CONSUMER_NEW:
		return n_fds == consumer_fds(packet->peer_consumer_new->consumer, 3);
	case DOCOCORE__PACKET__BODY_HELLO_REPLY:
	case DOCOCORE__PACKET__BODY_COUNTERS_SHARE:
		return n_fds == 1;
	case DOCOCORE__PACKET__BODY_SERVER_REPLY:
	case DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY:
	case DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY:
		return n_fds == 2;
	case DOCOCORE__PACKET__BODY_RDMA_CALL:
		if (packet->rdma_call->ring_len == 0)
			return n_fds == 0;
		return n_fds == 3 + (packet->rdma_call->has_daemon_pidfd ? 1u : 0u);
	case DOCOCORE__PACKET__BODY_CHANNEL_REPLY:
		return n_fds == 3 + (packet->channel_reply->has_peer_pidfd ? 1u : 0u);
	case DOCOCORE__PACKET__BODY_PEER_CONNECT:
		return n_fds == (packet->peer_connect->has_pidfd ? 1u : 0u);
	case DOCOCORE__PACKET__BODY_PEER_CHANNEL_READY:
		if (packet->peer_channel_ready->relay)
			return n_fds == 0;
		return n_fds == 3 + (packet->peer_channel_ready->has_pidfd ? 1u : 0u);
	default:
		return n_fds == 0;
	}
}

const char *frame_name(const Dococore__Packet *packet)
{
	const ProtobufCMessage *body = frame_body(packet);

	return body ? body->descriptor->short_name : "unknown";
}
