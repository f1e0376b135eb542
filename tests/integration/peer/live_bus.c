/* An operator that breaks the rules of D-Bus; see live_bus.h. */
#include "tests/integration/peer/live_bus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/integration/peer/live_speaker.h"
#include "tests/lib/assert.h"
#include "tests/lib/runner.h"
#include "util/clock.h"
#include "util/fd.h"

#define OWN_PATH      "/org/dococore"
#define OWN_INTERFACE "org.dococore.Manager"
#define PROPERTIES    "org.freedesktop.DBus.Properties"
#define MESSAGE_MAX   2048u

enum {
	FIELD_PATH = 1,
	FIELD_INTERFACE = 2,
	FIELD_MEMBER = 3,
	FIELD_REPLY = 5,
	FIELD_SIGNATURE = 8
};

static const struct call {
	const char *interface, *member, *signature;
} calls[] = {
	{OWN_INTERFACE, "ListDevices", "a{sv}tt"},
	{OWN_INTERFACE, "ListClients", "a{sv}tt"},
	{OWN_INTERFACE, "ListExports", "a{sv}tt"},
	{OWN_INTERFACE, "ListChannels", "a{sv}tt"},
	{OWN_INTERFACE, "ListEvents", "a{sv}tt"},
	{OWN_INTERFACE, "ListPeers", "a{sv}tt"},
	{OWN_INTERFACE, "GetDevice", "t"},
	{OWN_INTERFACE, "GetClient", "t"},
	{OWN_INTERFACE, "GetExport", "t"},
	{OWN_INTERFACE, "GetCounters", "t"},
	{OWN_INTERFACE, "Decode", "ay"},
	{OWN_INTERFACE, "Subscribe", ""},
	{OWN_INTERFACE, "Unsubscribe", ""},
	{PROPERTIES, "Get", "ss"},
	{PROPERTIES, "GetAll", "s"},
	{"org.freedesktop.DBus.Introspectable", "Introspect", ""},
};

struct message {
	uint8_t data[MESSAGE_MAX];
	size_t len;
};

static void put_pad(struct message *m, size_t align)
{
	while (m->len % align != 0)
		m->data[m->len++] = 0;
}

static void put_u32(struct message *m, uint32_t value)
{
	put_pad(m, 4);
	memcpy(m->data + m->len, &value, sizeof(value));
	m->len += sizeof(value);
}

static void put_u64(struct message *m, uint64_t value)
{
	put_pad(m, 8);
	memcpy(m->data + m->len, &value, sizeof(value));
	m->len += sizeof(value);
}

static void put_text(struct message *m, const char *text)
{
	put_u32(m, (uint32_t)strlen(text));
	memcpy(m->data + m->len, text, strlen(text) + 1);
	m->len += strlen(text) + 1;
}

static void put_field(struct message *m, uint8_t code, char type, const char *text)
{
	put_pad(m, 8);
	m->data[m->len++] = code;
	m->data[m->len++] = 1;
	m->data[m->len++] = (uint8_t)type;
	m->data[m->len++] = 0;
	if (type == 'g') {
		m->data[m->len++] = (uint8_t)strlen(text);
		memcpy(m->data + m->len, text, strlen(text) + 1);
		m->len += strlen(text) + 1;
	} else {
		put_text(m, text);
	}
}

static void put_body(struct message *m, const char *signature, struct packet_maker *maker)
{
	if (strcmp(signature, "t") == 0) {
		put_u64(m, maker_below(maker, 40));
	} else if (strcmp(signature, "a{sv}tt") == 0) {
		put_u32(m, 0);
		put_u64(m, maker_below(maker, 4));
		put_u64(m, maker_below(maker, 300));
	} else if (strcmp(signature, "ay") == 0) {
		put_u32(m, 80);
		for (size_t i = 0; i < 80; i++)
			m->data[m->len++] = (uint8_t)maker_random(maker);
	} else if (*signature == 's') {
		put_text(m, OWN_INTERFACE);
		if (signature[1] == 's')
			put_text(m, maker_below(maker, 2) ? "Counts" : "Peers");
	}
}

/* Writes a method call, little endian. */
static void make_call(struct message *m, uint32_t serial, const struct call *call,
		      struct packet_maker *maker)
{
	uint32_t fields_len, body_len;
	size_t body_at;

	memset(m, 0, sizeof(*m));
	memcpy(m->data, "l\1\0\1", 4);
	memcpy(m->data + 8, &serial, sizeof(serial));
	m->len = 16;
	put_field(m, FIELD_PATH, 'o', OWN_PATH);
	put_field(m, FIELD_INTERFACE, 's', call->interface);
	put_field(m, FIELD_MEMBER, 's', call->member);
	if (*call->signature != '\0')
		put_field(m, FIELD_SIGNATURE, 'g', call->signature);
	fields_len = (uint32_t)m->len - 16;
	memcpy(m->data + 12, &fields_len, sizeof(fields_len));
	put_pad(m, 8);
	body_at = m->len;
	put_body(m, call->signature, maker);
	body_len = (uint32_t)(m->len - body_at);
	memcpy(m->data + 4, &body_len, sizeof(body_len));
}

/* Changes type, flags and version, or data behind the length fields. */
static void break_inside(struct message *m, struct packet_maker *maker)
{
	static const uint32_t edges[] = {0, 1, 0x7f, 0xff, 0x7fffffff, 0x80000000, 0xffffffff};
	uint32_t edge = edges[maker_below(maker, sizeof(edges) / sizeof(edges[0]))];
	size_t at = 16 + maker_below(maker, m->len - 16);

	switch (maker_below(maker, 4)) {
	case 0:
		m->data[1 + maker_below(maker, 3)] = (uint8_t)maker_random(maker);
		break;
	case 1:
		if (at + sizeof(edge) <= m->len)
			memcpy(m->data + at, &edge, sizeof(edge));
		break;
	default:
		m->data[at] ^= (uint8_t)(1u << maker_below(maker, 8));
	}
}

/* --- the connection --- */

static bool send_all(struct live_bus *bus, const void *data, size_t len)
{
	ssize_t n = send(bus->fd, data, len, MSG_NOSIGNAL);

	ck_assert_msg(n >= 0 || errno != EAGAIN, "the daemon did not take a D-Bus message");
	return n == (ssize_t)len;
}

static bool receive_all(struct live_bus *bus, void *data, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = recv(bus->fd, (uint8_t *)data + at, len - at, 0);

		ck_assert_msg(n >= 0 || errno != EAGAIN, "the daemon did not answer over D-Bus");
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

void live_bus_close(struct live_bus *bus)
{
	fd_close(&bus->fd);
}

static bool authenticate(struct live_bus *bus)
{
	char uid[16], text[80], byte = 0;
	size_t len = 1;

	snprintf(uid, sizeof(uid), "%u", (unsigned)geteuid());
	text[0] = '\0';
	len += (size_t)snprintf(text + len, sizeof(text) - len, "AUTH EXTERNAL ");
	for (size_t i = 0; uid[i] != '\0'; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%02x", (unsigned)uid[i]);
	len += (size_t)snprintf(text + len, sizeof(text) - len, "\r\nBEGIN\r\n");
	if (!send_all(bus, text, len))
		return false;
	/* "OK" and the daemon's id. */
	while (byte != '\n')
		if (!receive_all(bus, &byte, 1))
			return false;
	return true;
}

static void open_bus(struct live_bus *bus)
{
	struct timeval limit = {.tv_sec = (time_t)(live_deadline_ns() / NS_PER_SEC)};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	uint64_t deadline = clock_now_ns() + live_deadline_ns();

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.90s/%s.bus", bus->lab->dir,
		 bus->side == LAB_HOST ? "host" : "dpu");
	do {
		ck_assert_msg(clock_now_ns() < deadline, "%s serves nobody", addr.sun_path);
		live_bus_close(bus);
		bus->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		ck_assert_int_ge(bus->fd, 0);
		setsockopt(bus->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		setsockopt(bus->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
		ck_assert_int_eq(connect(bus->fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	} while (!authenticate(bus));
}

static size_t aligned(size_t at, size_t align)
{
	return (at + align - 1) / align * align;
}

/*
 * Returns the serial that the message answers; 0: none. Fields are strings, signatures and numbers.
 */
static uint32_t reply_serial(const uint8_t *fields, size_t len)
{
	uint32_t number;

	for (size_t at = 0; at + 8 <= len;) {
		uint8_t code = fields[at], type = fields[at + 2];

		memcpy(&number, fields + at + 4, sizeof(number));
		if (code == FIELD_REPLY)
			return number;
		at += type == 'g'   ? 4u + 1u + fields[at + 4] + 1u
		      : type == 'u' ? 8u
				    : 8u + number + 1u;
		at = aligned(at, 8);
	}
	return 0;
}

/* Reads one message. Returns false if the connection has ended. */
static bool read_message(struct live_bus *bus, uint32_t *answers_out)
{
	static uint8_t data[1u << 20];
	uint32_t head[4];
	size_t fields_len, len;

	if (!receive_all(bus, head, sizeof(head)))
		return false;
	fields_len = aligned(head[3], 8);
	len = fields_len + head[1];
	ck_assert_msg(len <= sizeof(data), "the daemon sent a D-Bus message of %zu bytes", len);
	if (!receive_all(bus, data, len))
		return false;
	bus->n_answers++;
	*answers_out = reply_serial(data, head[3]);
	return true;
}

static void ping_bus(struct live_bus *bus)
{
	static const struct call ping = {"org.freedesktop.DBus.Peer", "Ping", ""};
	uint32_t serial = ++bus->serial, answered = 0;
	struct message m;

	make_call(&m, serial, &ping, &bus->maker);
	/* If the daemon has hung up, its earlier messages must still be read. */
	(void)send_all(bus, m.data, m.len);
	while (answered != serial) {
		if (read_message(bus, &answered))
			continue;
		bus->n_ends++;
		live_bus_close(bus);
		return;
	}
}

void live_bus_init(struct live_bus *bus, const struct lab *lab, enum lab_side side, uint64_t seed)
{
	*bus = (struct live_bus){.lab = lab, .side = side, .fd = -1};
	bus->maker.random = seed * 2654435761u + 88172645463325252ull;
}

void live_bus_step(struct live_bus *bus)
{
	struct packet_maker *maker = &bus->maker;
	size_t rule = maker_below(maker, 8);
	uint32_t len;
	struct message m;

	if (bus->fd < 0)
		open_bus(bus);
	make_call(&m, ++bus->serial, &calls[maker_below(maker, sizeof(calls) / sizeof(calls[0]))],
		  maker);
	bus->n_calls++;
	bus->n_broken += rule < 4;
	if (rule == 0) {
		/* A changed length: the daemon may wait for the rest for an unlimited time. */
		len = (uint32_t)maker_random(maker) >> maker_below(maker, 31);
		memcpy(m.data + (maker_below(maker, 2) ? 4 : 12), &len, sizeof(len));
		(void)send_all(bus, m.data, maker_below(maker, m.len));
		live_bus_close(bus);
		return;
	}
	if (rule < 4)
		break_inside(&m, maker);
	(void)send_all(bus, m.data, m.len);
	ping_bus(bus);
}
