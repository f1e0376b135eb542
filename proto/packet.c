/* Unpacking with every check; see packet.h. */
#include "proto/packet.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* What one packet may take when unpacked: a list of empty messages grows a hundredfold. */
#define PACKET_UNPACK_MAX (4u << 20)

struct packet_unpacking {
	size_t left;
	bool out_of_memory; /* and not malformed: the unpacker says NULL for both */
};

static void *packet_alloc(void *data, size_t size)
{
	struct packet_unpacking *unpacking = data;
	void *memory;

	if (size > unpacking->left)
		return NULL;
	unpacking->left -= size;
	memory = malloc(size);
	unpacking->out_of_memory |= !memory;
	return memory;
}

static void packet_dealloc(void *data, void *pointer)
{
	(void)data;
	free(pointer);
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

int packet_unpack(const uint8_t *data, size_t len, size_t n_fds, Dococore__Packet **packet_out,
		  const char **error_out)
{
	struct packet_unpacking unpacking = {.left = PACKET_UNPACK_MAX};
	/* Memory comes from malloc, so that the default allocator may free it later. */
	ProtobufCAllocator allocator = {packet_alloc, packet_dealloc, &unpacking};
	Dococore__Packet *packet = dococore__packet__unpack(&allocator, len, data);

	if (!packet) {
		*error_out = unpacking.out_of_memory ? "no memory for a packet"
						     : "packet is not a valid message";
		return unpacking.out_of_memory ? -ENOMEM : -EPROTO;
	}
	*error_out = packet_wrong(packet, n_fds);
	if (*error_out) {
		dococore__packet__free_unpacked(packet, NULL);
		return -EPROTO;
	}
	*packet_out = packet;
	return 0;
}
