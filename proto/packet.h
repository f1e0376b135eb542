/*
 * From received bytes to a message that obeys every rule of the wire: size, encoding, field lengths
 * and number of descriptors. Whatever carried the bytes. No state; any thread.
 */
#ifndef PROTO_PACKET_H
#define PROTO_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "proto/frame.h"

/*
 * n_fds: descriptors that came along. 0 and *packet_out, to be freed with
 * dococore__packet__free_unpacked(p, NULL); -EPROTO: a rule was broken; -ENOMEM. On failure
 * *error_out says why, a constant text.
 */
int packet_unpack(const uint8_t *data, size_t len, size_t n_fds, Dococore__Packet **packet_out,
		  const char **error_out);

#endif
