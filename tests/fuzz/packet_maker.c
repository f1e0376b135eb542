/* Makes packets and breaks them; see packet_maker.h. */
#include "tests/fuzz/packet_maker.h"

#include <stdio.h>
#include <string.h>

#include "util/util.h"

#define FIELD_VARINT 0u
#define FIELD_64     1u
#define FIELD_BYTES  2u
#define FIELD_32     5u
#define FIELDS_MAX   64u
#define MESSAGE_MAX  4096u
#define DEPTH_MAX    3u
#define PACKET_TRIES 8u

uint64_t maker_random(struct packet_maker *maker)
{
	maker->random ^= maker->random << 13;
	maker->random ^= maker->random >> 7;
	maker->random ^= maker->random << 17;
	return maker->random;
}

size_t maker_below(struct packet_maker *maker, size_t n)
{
	return n ? (size_t)(maker_random(maker) % n) : 0;
}

static bool one_in(struct packet_maker *maker, size_t n)
{
	return maker_below(maker, n) == 0;
}

/* --- the pool --- */

/* Fields of different messages that name the same object. */
static const struct alias {
	const char *message, *field, *name; /* message NULL: of every message */
} aliases[] = {
	{"Device", "id", "device_id"},
	{"Representor", "id", "rep_id"},
	{"Consumer", "id", "consumer_id"},
	{"Device", "name", "device_name"},
	{"DeviceOpen", "name", "device_name"},
	{"Representor", "name", "rep_name"},
	{"RepOpen", "name", "rep_name"},
	{NULL, "name", "service"},
	{NULL, "peer_channel_id", "channel_id"},
	{NULL, "sender_channel_id", "channel_id"},
	{NULL, "peer_call_id", "call_id"},
	{NULL, "sender_call_id", "call_id"},
	{NULL, "exporter_side", "side"},
	{NULL, "exporter_daemon", "daemon_id"},
	{NULL, "peer_daemon_id", "daemon_id"},
	{NULL, "restore_secret", "secret"},
	{NULL, "restore_export_id", "export_id"},
	{NULL, "client_pci_addr", "pci_addr"},
	{NULL, "importer_pci_addr", "pci_addr"},
	{NULL, "parent_of", "pci_addr"},
};

static const char *pool_name_of(const char *message, const char *field)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (strcmp(aliases[i].field, field) == 0 &&
		    (!aliases[i].message || strcmp(aliases[i].message, message) == 0))
			return aliases[i].name;
	return field;
}

static struct pool_name *pool_find(struct packet_pool *pool, const char *name, bool is_new)
{
	for (size_t i = 0; i < POOL_NAMES; i++) {
		struct pool_name *at = &pool->names[i];

		if (strncmp(at->name, name, sizeof(at->name) - 1) == 0)
			return at;
		if (*at->name)
			continue;
		if (!is_new)
			return NULL;
		snprintf(at->name, sizeof(at->name), "%s", name);
		return at;
	}
	return NULL;
}

static void pool_add(struct packet_pool *pool, const char *name, const struct pool_value *value)
{
	struct pool_name *at = pool_find(pool, name, true);

	if (at)
		at->values[at->n++ % POOL_VALUES] = *value;
}

static const struct pool_value *pool_get(struct packet_maker *maker, const char *name)
{
	const struct pool_name *at = pool_find(&maker->pool, name, false);
	unsigned n = at ? MIN(at->n, POOL_VALUES) : 0;

	return n ? &at->values[(at->n - 1 - maker->pick % n) % POOL_VALUES] : NULL;
}

static void pool_add_bytes(struct packet_pool *pool, const char *name, const void *bytes,
			   size_t len)
{
	struct pool_value value = {.len = len};

	if (len == 0 || len > sizeof(value.bytes))
		return;
	memcpy(value.bytes, bytes, len);
	pool_add(pool, name, &value);
}

void maker_learn_number(struct packet_maker *maker, const char *name, uint64_t number)
{
	if (number)
		pool_add(&maker->pool, name, &(struct pool_value){.number = number});
}

static void learn_message(struct packet_maker *maker, const ProtobufCMessage *message);

static void learn_value(struct packet_maker *maker, const char *name,
			const ProtobufCFieldDescriptor *field, const void *value)
{
	const ProtobufCBinaryData *bytes = value;
	const char *text;

	switch (field->type) {
	case PROTOBUF_C_TYPE_UINT64:
		maker_learn_number(maker, name, *(const uint64_t *)value);
		break;
	case PROTOBUF_C_TYPE_UINT32:
		maker_learn_number(maker, name, *(const uint32_t *)value);
		break;
	case PROTOBUF_C_TYPE_BYTES:
		pool_add_bytes(&maker->pool, name, bytes->data, bytes->len);
		break;
	case PROTOBUF_C_TYPE_STRING:
		text = *(const char *const *)value;
		pool_add_bytes(&maker->pool, name, text, text ? strlen(text) : 0);
		break;
	case PROTOBUF_C_TYPE_MESSAGE:
		learn_message(maker, *(const ProtobufCMessage *const *)value);
		break;
	default:
		break;
	}
}

/* Capabilities of a device are no names of objects. */
static bool is_worth_learning(const ProtobufCFieldDescriptor *field, const char *name)
{
	static const char *const names[] = {
		"device_id", "rep_id",    "consumer_id", "export_id",   "secret",
		"import_id", "server_id", "endpoint_id", "channel_id",  "call_id",
		"handle",    "daemon_id", "pci_addr",    "device_name", "rep_name",
		"details",   "source",    "address",     "n_msgs",      "slots_export"};

	if (field->type == PROTOBUF_C_TYPE_MESSAGE)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void learn_message(struct packet_maker *maker, const ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *owner;
	const char *base = (const char *)message;

	if (!message)
		return;
	owner = message->descriptor;
	for (unsigned i = 0; i < owner->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &owner->fields[i];
		const char *name = pool_name_of(owner->short_name, field->name);
		bool is_list = field->label == PROTOBUF_C_LABEL_REPEATED;

		if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF || !is_worth_learning(field, name))
			continue;
		if (is_list && field->type == PROTOBUF_C_TYPE_MESSAGE) {
			size_t n = *(const size_t *)(const void *)(base + field->quantifier_offset);
			ProtobufCMessage *const *items =
				*(ProtobufCMessage *const *const *)(const void *)(base +
										  field->offset);

			for (size_t k = 0; k < n; k++)
				learn_message(maker, items[k]);
		} else if (!is_list) {
			learn_value(maker, name, field, base + field->offset);
		}
	}
}

void maker_learn(struct packet_maker *maker, const Dococore__Packet *packet, uint32_t asked)
{
	if (packet->body_case == DOCOCORE__PACKET__BODY_HANDLE_REPLY)
		maker_learn_number(maker,
				   asked == DOCOCORE__PACKET__BODY_REP_OPEN ? "rep" : "device",
				   packet->handle_reply->handle);
	learn_message(maker, frame_body(packet));
}

/* --- making --- */

struct sink {
	uint8_t *data;
	size_t len, room;
	bool is_full;
};

static void put(struct sink *sink, const void *data, size_t len)
{
	sink->is_full |= len > sink->room - sink->len;
	if (sink->is_full || len == 0)
		return;
	memcpy(sink->data + sink->len, data, len);
	sink->len += len;
}

static void put_varint(struct sink *sink, uint64_t value)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	put(sink, bytes, n);
}

static void put_tag(struct sink *sink, uint32_t number, unsigned wire)
{
	put_varint(sink, (uint64_t)number << 3 | wire);
}

static void put_bytes(struct sink *sink, uint32_t number, const void *data, size_t len)
{
	put_tag(sink, number, FIELD_BYTES);
	put_varint(sink, len);
	put(sink, data, len);
}

/* Sensible values for fields with well-known names. */
static const struct sense {
	const char *name;
	uint64_t from, to; /* powers of two, from 1 << from to 1 << to */
} senses[] = {
	{"len", 12, 16},       {"addr", 32, 40},          {"max_msg_size", 4, 12},
	{"n_slots", 0, 8},     {"recv_queue_size", 1, 8}, {"permissions", 0, 5},
	{"slots_len", 12, 16}, {"max_buf_size", 4, 12},   {"ring_len", 12, 17},
	{"body_stride", 3, 9}, {"filter", 1, 2},          {"bounce_len", 12, 16},
};

static uint64_t make_number(struct packet_maker *maker, const char *name)
{
	const struct pool_value *known = pool_get(maker, name);

	if (strcmp(name, "protocol") == 0 || strcmp(name, "protocol_min") == 0)
		return FRAME_PROTOCOL;
	if (known && !one_in(maker, 16))
		return known->number;
	for (size_t i = 0; i < ARRAY_LEN(senses); i++)
		if (strcmp(senses[i].name, name) == 0)
			return 1ull << (senses[i].from +
					maker_below(maker, senses[i].to - senses[i].from + 1));
	if (strcmp(name, "memfd_offset") == 0 || strcmp(name, "offset") == 0)
		return 0;
	return maker_below(maker, 4);
}

static void make_text(struct packet_maker *maker, struct sink *sink, uint32_t number,
		      const char *name)
{
	static const char *const sides[] = {"host", "dpu"};
	const struct pool_value *known = pool_get(maker, name);
	const char *text = "service";

	if (strcmp(name, "side") == 0) {
		text = sides[maker_below(maker, 2)];
	} else if (known) {
		put_bytes(sink, number, known->bytes, known->len);
		return;
	}
	put_bytes(sink, number, text, strlen(text));
}

/* Uses the length that proto/frame.h requires for the field, or a length within its bound. */
static void make_bytes(struct packet_maker *maker, struct sink *sink, uint32_t number,
		       const char *name)
{
	static const struct {
		const char *name;
		size_t len;
	} lengths[] = {
		{"ipv4", 4}, {"mac", 6}, {"details", 80}, {"slots_export", 80}, {"data", 300}};
	const struct pool_value *known = pool_get(maker, name);
	uint8_t bytes[300];
	size_t len = 16;

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
		if (strcmp(lengths[i].name, name) == 0)
			len = lengths[i].len;
	if (known && known->len == len && !one_in(maker, 8)) {
		put_bytes(sink, number, known->bytes, len);
		return;
	}
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)maker_random(maker);
	if (strcmp(name, "data") == 0) {
		/* Complete messages of a relayed stream: a length, most significant byte first. */
		memset(bytes, 0, 3);
		bytes[3] = (uint8_t)maker_below(maker, 60);
		len = 4u + bytes[3];
	}
	put_bytes(sink, number, bytes, len);
}

static void make_message(struct packet_maker *maker, struct sink *sink,
			 const ProtobufCMessageDescriptor *type, unsigned depth);

static void make_inner(struct packet_maker *maker, struct sink *sink, uint32_t number,
		       const ProtobufCMessageDescriptor *type, unsigned depth)
{
	uint8_t room[MESSAGE_MAX / 4];
	struct sink inner = {.data = room, .room = sizeof(room)};

	make_message(maker, &inner, type, depth + 1);
	if (!inner.is_full)
		put_bytes(sink, number, room, inner.len);
}

static void make_field(struct packet_maker *maker, struct sink *sink,
		       const ProtobufCMessageDescriptor *owner,
		       const ProtobufCFieldDescriptor *field, unsigned depth)
{
	const char *name = pool_name_of(owner->short_name, field->name);
	const ProtobufCEnumDescriptor *values;

	switch (field->type) {
	case PROTOBUF_C_TYPE_STRING:
		make_text(maker, sink, field->id, name);
		break;
	case PROTOBUF_C_TYPE_BYTES:
		/* Optional bytes are mostly left out. */
		if (strcmp(field->name, "slots_export") != 0 || one_in(maker, 4))
			make_bytes(maker, sink, field->id, name);
		break;
	case PROTOBUF_C_TYPE_MESSAGE:
		if (depth < DEPTH_MAX)
			make_inner(maker, sink, field->id, field->descriptor, depth);
		break;
	case PROTOBUF_C_TYPE_ENUM:
		values = field->descriptor;
		put_tag(sink, field->id, FIELD_VARINT);
		put_varint(sink,
			   (uint64_t)values->values[maker_below(maker, values->n_values)].value);
		break;
	case PROTOBUF_C_TYPE_BOOL:
		put_tag(sink, field->id, FIELD_VARINT);
		put_varint(sink, one_in(maker, 3));
		break;
	default:
		put_tag(sink, field->id, FIELD_VARINT);
		put_varint(sink, make_number(maker, name));
	}
}

static void make_message(struct packet_maker *maker, struct sink *sink,
			 const ProtobufCMessageDescriptor *type, unsigned depth)
{
	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		size_t n = field->label == PROTOBUF_C_LABEL_REPEATED ? maker_below(maker, 3) : 1;

		/* A missing field is 0, false or empty. */
		if (n == 1 && one_in(maker, 24))
			continue;
		while (n--)
			make_field(maker, sink, type, field, depth);
	}
}

static size_t make_once(struct packet_maker *maker, const ProtobufCFieldDescriptor *body,
			uint64_t id, uint8_t *out, size_t room)
{
	struct sink sink = {.data = out, .room = room};

	maker->pick = (unsigned)maker_below(maker, POOL_VALUES);
	if (id) {
		put_tag(&sink, 1, FIELD_VARINT);
		put_varint(&sink, id);
	}
	make_inner(maker, &sink, body->id, body->descriptor, 0);
	return sink.is_full ? 0 : sink.len;
}

/* Returns true if the bytes are a packet that protobuf and proto/frame.h accept. */
static bool is_valid(const uint8_t *data, size_t len)
{
	Dococore__Packet *packet = dococore__packet__unpack(NULL, len, data);
	bool is_good = packet && frame_fields_valid(packet);

	if (packet)
		dococore__packet__free_unpacked(packet, NULL);
	return is_good;
}

size_t maker_make(struct packet_maker *maker, uint32_t body_case, uint64_t id, uint8_t *out,
		  size_t room)
{
	const ProtobufCFieldDescriptor *body = frame_body_field(body_case);
	size_t len = 0;

	for (unsigned i = 0; body && i < PACKET_TRIES; i++) {
		len = make_once(maker, body, id, out, room);
		if (len && is_valid(out, len))
			return len;
	}
	return 0;
}

/* --- breaking --- */

struct packet_field {
	size_t at, len;  /* with its tag */
	size_t value_at; /* after the tag, and after the length of bytes */
	size_t value_len;
	uint32_t number;
	unsigned wire;
};

static bool read_varint(const uint8_t *data, size_t len, size_t *at, uint64_t *value_out)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && *at < len; shift += 7) {
		uint8_t byte = data[(*at)++];

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*value_out = value;
			return true;
		}
	}
	return false;
}

/* Reads the fields up to the first invalid one. */
static size_t read_fields(const uint8_t *data, size_t len, struct packet_field fields[FIELDS_MAX])
{
	size_t n = 0, at = 0;

	while (n < FIELDS_MAX && at < len) {
		struct packet_field *field = &fields[n];
		uint64_t tag, value = 0;

		field->at = at;
		if (!read_varint(data, len, &at, &tag))
			break;
		field->number = (uint32_t)(tag >> 3);
		field->wire = tag & 7;
		field->value_at = at;
		if (field->wire == FIELD_BYTES) {
			if (!read_varint(data, len, &at, &value) || value > len - at)
				break;
			field->value_at = at;
			at += (size_t)value;
		} else if (field->wire == FIELD_64 || field->wire == FIELD_32) {
			value = field->wire == FIELD_64 ? 8 : 4;
			if (value > len - at)
				break;
			at += (size_t)value;
		} else if (field->wire != FIELD_VARINT || !read_varint(data, len, &at, &value)) {
			break;
		}
		field->value_len = at - field->value_at;
		field->len = at - field->at;
		n++;
	}
	return n;
}

static const uint64_t edges[] = {0,          1,           2,          0x7f,       0x80,
				 0xffff,     0x10000,     0x7fffffff, 0x80000000, 0xfffff000,
				 0xffffffff, 0x100000000, INT64_MAX,  1ull << 63, UINT64_MAX - 4095,
				 UINT64_MAX};

static void put_other_value(struct packet_maker *maker, struct sink *sink, const uint8_t *data,
			    const struct packet_field *field)
{
	size_t start = sink->len, flip;

	if (field->wire == FIELD_VARINT) {
		put_tag(sink, field->number, FIELD_VARINT);
		put_varint(sink, one_in(maker, 4) ? maker_random(maker)
						  : edges[maker_below(maker, ARRAY_LEN(edges))]);
		return;
	}
	put(sink, data + field->at, field->len);
	if (sink->is_full || field->value_len == 0)
		return;
	flip = start + (field->value_at - field->at) + maker_below(maker, field->value_len);
	sink->data[flip] ^= (uint8_t)(1u << maker_below(maker, 8));
}

/* Changes the length of bytes and keeps them a field, or writes a wrong length. */
static void put_other_length(struct packet_maker *maker, struct sink *sink, const uint8_t *data,
			     const struct packet_field *field)
{
	static const size_t lengths[] = {0, 1, 15, 17, 63, 64, 79, 81, 255, 256, 401, 2000};
	size_t len = lengths[maker_below(maker, ARRAY_LEN(lengths))];

	put_tag(sink, field->number, FIELD_BYTES);
	if (one_in(maker, 4)) {
		put_varint(sink, edges[maker_below(maker, ARRAY_LEN(edges))]);
		put(sink, data + field->value_at, field->value_len);
		return;
	}
	put_varint(sink, len);
	for (size_t i = 0; i < len; i++)
		put(sink,
		    field->value_len ? &data[field->value_at + i % field->value_len]
				     : (const uint8_t *)"a",
		    1);
}

static void put_broken(struct packet_maker *maker, enum packet_break rule, struct sink *sink,
		       const uint8_t *data, const struct packet_field *field)
{
	static const unsigned wires[] = {FIELD_VARINT, FIELD_64, FIELD_BYTES, 3, 4, FIELD_32, 6, 7};

	switch (rule) {
	case BREAK_MISSING:
		break;
	case BREAK_TWICE:
		put(sink, data + field->at, field->len);
		put(sink, data + field->at, field->len);
		break;
	case BREAK_TYPE:
		put_tag(sink, field->number, wires[maker_below(maker, ARRAY_LEN(wires))]);
		put(sink, data + field->value_at, field->value_len);
		break;
	case BREAK_NUMBER:
		put_tag(sink,
			one_in(maker, 2) ? (uint32_t)maker_below(maker, 120)
					 : (uint32_t)maker_random(maker) >> 3,
			field->wire);
		put(sink, data + field->at + 1, field->len - 1);
		break;
	case BREAK_LENGTH:
		if (field->wire == FIELD_BYTES)
			put_other_length(maker, sink, data, field);
		else
			put_other_value(maker, sink, data, field);
		break;
	default:
		put_other_value(maker, sink, data, field);
	}
}

/* Writes the message with field i replaced by a broken one, or with two fields exchanged. */
static void put_message(struct packet_maker *maker, enum packet_break rule, struct sink *sink,
			const uint8_t *data, size_t len, const struct packet_field *fields,
			size_t n)
{
	size_t victim = maker_below(maker, n), other = maker_below(maker, n), end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct packet_field *field = &fields[i];

		if (rule == BREAK_ORDER)
			field = i == victim ? &fields[other] : i == other ? &fields[victim] : field;
		if (rule != BREAK_ORDER && i == victim)
			put_broken(maker, rule, sink, data, field);
		else
			put(sink, data + field->at, field->len);
		end = fields[i].at + fields[i].len;
	}
	put(sink, data + end, len - end);
}

static void break_message(struct packet_maker *maker, enum packet_break rule, struct sink *sink,
			  const uint8_t *data, size_t len, const ProtobufCMessageDescriptor *type,
			  unsigned depth);

/* Breaks one of the nested messages, if there is one. */
static bool break_inside(struct packet_maker *maker, enum packet_break rule, struct sink *sink,
			 const uint8_t *data, size_t len, const struct packet_field *fields,
			 size_t n, const ProtobufCMessageDescriptor *type, unsigned depth)
{
	size_t at = maker_below(maker, n);

	for (size_t k = 0; k < n; k++) {
		const struct packet_field *field = &fields[(at + k) % n];
		const ProtobufCFieldDescriptor *known =
			protobuf_c_message_descriptor_get_field(type, field->number);
		uint8_t room[MESSAGE_MAX];
		struct sink inner = {.data = room, .room = sizeof(room)};

		if (!known || known->type != PROTOBUF_C_TYPE_MESSAGE || field->wire != FIELD_BYTES)
			continue;
		break_message(maker, rule, &inner, data + field->value_at, field->value_len,
			      known->descriptor, depth + 1);
		put(sink, data, field->at);
		put_bytes(sink, field->number, room, inner.len);
		put(sink, data + field->at + field->len, len - field->at - field->len);
		sink->is_full |= inner.is_full;
		return true;
	}
	return false;
}

static void break_message(struct packet_maker *maker, enum packet_break rule, struct sink *sink,
			  const uint8_t *data, size_t len, const ProtobufCMessageDescriptor *type,
			  unsigned depth)
{
	struct packet_field fields[FIELDS_MAX];
	size_t n = read_fields(data, len, fields);
	bool goes_inside = depth < DEPTH_MAX && !one_in(maker, depth ? 2 : 8);

	if (goes_inside && break_inside(maker, rule, sink, data, len, fields, n, type, depth))
		return;
	put_message(maker, rule, sink, data, len, fields, n);
}

size_t maker_break(struct packet_maker *maker, enum packet_break rule, uint8_t *data, size_t len,
		   size_t room)
{
	uint8_t broken[2 * MESSAGE_MAX];
	struct sink sink = {.data = broken, .room = MIN(room, sizeof(broken))};

	if (rule == BREAK_TRUNCATE)
		return len ? maker_below(maker, len) : 0;
	if (rule == BREAK_TAIL) {
		size_t n = MIN(room - len, 1 + maker_below(maker, 40));

		for (size_t i = 0; i < n; i++)
			data[len + i] = (uint8_t)maker_random(maker);
		return len + n;
	}
	break_message(maker, rule, &sink, data, len, &dococore__packet__descriptor, 0);
	if (sink.is_full)
		return len;
	memcpy(data, broken, sink.len);
	return sink.len;
}

const char *packet_break_name(enum packet_break rule)
{
	static const char *const names[BREAK_N] = {
		[BREAK_VALUE] = "value",   [BREAK_MISSING] = "missing", [BREAK_TWICE] = "twice",
		[BREAK_ORDER] = "order",   [BREAK_TYPE] = "type",       [BREAK_NUMBER] = "number",
		[BREAK_LENGTH] = "length", [BREAK_TRUNCATE] = "cut",    [BREAK_TAIL] = "tail",
	};

	return rule < BREAK_N ? names[rule] : "none";
}
