/*
 * GIDs of a port, formed as the kernel forms them for RoCE ports: a link-local one from the MAC
 * address, and one from each IP address. Each appears twice in the port's GID table, for RoCE v1
 * and for RoCE v2. Keeps no state.
 */
#ifndef PROTO_GID_H
#define PROTO_GID_H

#include <stdint.h>
#include <string.h>

#define GID_LEN 16

/*
 * mac NULL: the port has no MAC address, so a locally administered one is derived from its vhca id.
 */
static inline void gid_of_mac(const uint8_t *mac, uint32_t vhca_id, uint8_t gid_out[GID_LEN])
{
	const uint8_t made[6] = {2, 0, 0, 0, (uint8_t)(vhca_id >> 8), (uint8_t)vhca_id};

	if (mac == NULL)
		mac = made;
	memset(gid_out, 0, GID_LEN);
	gid_out[0] = 0xfe;
	gid_out[1] = 0x80;
	memcpy(gid_out + 8, mac, 3);
	gid_out[8] ^= 2;
	gid_out[11] = 0xff;
	gid_out[12] = 0xfe;
	memcpy(gid_out + 13, mac + 3, 3);
}

/* ipv4 NULL: the port has no IPv4 address, so a link-local one is derived from its vhca id. */
static inline void gid_of_ipv4(const uint8_t *ipv4, uint32_t vhca_id, uint8_t gid_out[GID_LEN])
{
	const uint8_t made[4] = {169, 254, (uint8_t)(1 + (vhca_id >> 8) % 254), (uint8_t)vhca_id};

	memset(gid_out, 0, GID_LEN);
	gid_out[10] = gid_out[11] = 0xff;
	memcpy(gid_out + 12, ipv4 != NULL ? ipv4 : made, 4);
}

#endif
