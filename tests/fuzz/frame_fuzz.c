/*
 * Packets from a hostile peer, received by conn_recv: the first byte is the number of descriptors
 * that are sent with it, the rest is the packet. An accepted packet follows every rule and can be
 * sent again; no descriptor leaks, whether the packet is accepted or not.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/conn.h"
#include "proto/packet.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/packet_mutator.h"
#include "util/export_descriptor.h"
#include "util/fd.h"
#include "util/util.h"

#define FUZZ_FDS_MAX 10

static struct conn *receiver, *forwarder, *last;
static int hostile = -1;

static void open_sockets(void)
{
	int sv[2];

	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == 0);
	receiver = conn_new(sv[0], 1 << 20);
	hostile = sv[1];
	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == 0);
	forwarder = conn_new(sv[0], 1 << 20);
	last = conn_new(sv[1], 1 << 20);
	FUZZ_CHECK(receiver && forwarder && last);
}

static bool send_hostile(const uint8_t *data, size_t len, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(FUZZ_FDS_MAX * sizeof(int))];
	} control = {0};
	struct iovec iov = {.iov_base = (void *)data, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *cmsg;

	if (n_fds) {
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		for (size_t i = 0; i < n_fds; i++)
			memcpy(CMSG_DATA(cmsg) + i * sizeof(int), &hostile, sizeof(int));
	}
	return sendmsg(hostile, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* A leaked descriptor raises the lowest free number. */
static int lowest_free(void)
{
	CLEANUP_FD int fd = fd_dup(hostile);

	FUZZ_CHECK(fd >= 0);
	return fd;
}

static void forward(const Dococore__Packet *packet, const struct fdset *fds)
{
	CLEANUP_FDSET struct fdset got = FDSET_INIT;
	Dococore__Packet *again = NULL;
	size_t len = dococore__packet__get_packed_size(packet);
	uint8_t *a, *b;

	if (len > FRAME_PACKET_MAX) {
		FUZZ_CHECK(conn_send(forwarder, packet, fds->fds, fds->n_fds) == -EMSGSIZE);
		return;
	}
	FUZZ_CHECK(conn_send(forwarder, packet, fds->fds, fds->n_fds) == 0);
	FUZZ_CHECK(conn_recv(last, &again, &got) == 1);
	FUZZ_CHECK(got.n_fds == fds->n_fds);
	FUZZ_CHECK(dococore__packet__get_packed_size(again) == len);
	a = malloc(len + 1);
	b = malloc(len + 1);
	FUZZ_CHECK(a && b);
	dococore__packet__pack(packet, a);
	dococore__packet__pack(again, b);
	FUZZ_CHECK(memcmp(a, b, len) == 0);
	FUZZ_CHECK(packet_measure(packet).len == len);
	packet_pack(packet, packet_measure(packet), b);
	FUZZ_CHECK(memcmp(a, b, len) == 0);
	free(a);
	free(b);
	dococore__packet__free_unpacked(again, NULL);
}

static void receive(size_t n_fds)
{
	CLEANUP_FDSET struct fdset fds = FDSET_INIT;
	Dococore__Packet *packet = NULL;
	int r = conn_recv(receiver, &packet, &fds);

	FUZZ_CHECK(r == 1 || r == -EPROTO || r == -ECONNRESET);
	FUZZ_CHECK((r == 1) == (packet != NULL));
	FUZZ_CHECK(fds.n_fds == (r == 1 ? n_fds : 0));
	if (r != 1) {
		FUZZ_CHECK(conn_error(receiver)[0] != '\0');
		return;
	}
	FUZZ_CHECK(frame_fields_valid(packet));
	FUZZ_CHECK(frame_fds_allowed(packet, n_fds));
	FUZZ_CHECK(strcmp(frame_name(packet), "unknown") != 0);
	forward(packet, &fds);
	dococore__packet__free_unpacked(packet, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	size_t n_fds;
	int before;

	if (!receiver)
		open_sockets();
	if (len < 2)
		return 0;
	n_fds = data[0] % (FUZZ_FDS_MAX + 1);
	before = lowest_free();
	if (send_hostile(data + 1, len - 1, n_fds))
		receive(n_fds);
	FUZZ_CHECK(lowest_free() == before);
	return 0;
}

/* Keeps the first byte, the number of descriptors. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max, unsigned seed)
{
	if (len < 2 || max < 2 || seed % 16 == 0)
		return LLVMFuzzerMutate(data, len, max);
	return 1 + packet_mutate(data + 1, len - 1, max - 1, seed);
}

static size_t put_varint(uint8_t *out, uint32_t value)
{
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		out[n++] = (uint8_t)(value | 0x80);
	out[n++] = (uint8_t)value;
	return n;
}

/*
 * Writes message i of the protocol with its fields set, and the number of descriptors that it
 * needs.
 */
size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	const ProtobufCMessageDescriptor *all = &dococore__packet__descriptor;
	const ProtobufCMessageDescriptor *body;
	uint8_t inner[2048];
	size_t n = 0, at = 1;
	Dococore__Packet *packet;

	if (i + 1 >= all->n_fields || out_len < sizeof(inner) + 16)
		return 0;
	body = all->fields[i + 1].descriptor;
	for (unsigned k = 0; k < body->n_fields; k++) {
		const ProtobufCFieldDescriptor *field = &body->fields[k];
		bool is_bytes = field->type == PROTOBUF_C_TYPE_BYTES;
		bool is_text = field->type == PROTOBUF_C_TYPE_STRING;
		bool is_long = is_bytes && strcmp(field->name, "details") == 0;
		size_t len = is_long ? EXPORT_DESCRIPTOR_LEN : is_bytes ? 16 : is_text ? 4 : 0;

		if (is_bytes || is_text || field->type == PROTOBUF_C_TYPE_MESSAGE) {
			n += put_varint(inner + n, field->id << 3 | 2);
			n += put_varint(inner + n, (uint32_t)len);
			memset(inner + n, 'a', len);
			n += len;
		} else {
			n += put_varint(inner + n, field->id << 3);
			inner[n++] = 1;
		}
	}
	out[at++] = 1 << 3;
	out[at++] = 9;
	at += put_varint(out + at, all->fields[i + 1].id << 3 | 2);
	at += put_varint(out + at, (uint32_t)n);
	memcpy(out + at, inner, n);
	packet = dococore__packet__unpack(NULL, at + n - 1, out + 1);
	FUZZ_CHECK(packet != NULL);
	/* A refused seed would test nothing. */
	FUZZ_CHECK(frame_fields_valid(packet));
	for (out[0] = 0; !frame_fds_allowed(packet, out[0]); out[0]++)
		;
	dococore__packet__free_unpacked(packet, NULL);
	return at + n;
}
