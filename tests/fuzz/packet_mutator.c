/* Mutations of packets; see packet_mutator.h. */
#include "tests/fuzz/packet_mutator.h"

#include <string.h>

#include "tests/fuzz/packet_maker.h"

/* The values in this run's packets, so that other packets name the same objects. */
static struct packet_maker maker;

static void learn(const uint8_t *data, size_t len)
{
	Dococore__Packet *packet = dococore__packet__unpack(NULL, len, data);

	if (!packet)
		return;
	maker_learn(&maker, packet, 0);
	dococore__packet__free_unpacked(packet, NULL);
}

size_t packet_mutate(uint8_t *data, size_t len, size_t max, unsigned seed)
{
	const ProtobufCMessageDescriptor *all = &dococore__packet__descriptor;
	size_t made;

	maker.random = seed * 2654435761ull + 88172645463325252ull;
	learn(data, len);
	switch (maker_below(&maker, 8)) {
	case 0:
		return LLVMFuzzerMutate(data, len, max);
	case 1:
		made = maker_make(&maker, all->fields[maker_below(&maker, all->n_fields)].id,
				  maker_random(&maker), data, max);
		return made ? made : LLVMFuzzerMutate(data, len, max);
	default:
		return maker_break(&maker, (enum packet_break)maker_below(&maker, BREAK_N), data,
				   len, max);
	}
}
