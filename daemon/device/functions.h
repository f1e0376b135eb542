/*
 * The functions of each side's devices. Linked daemons list them to each other: a function of the
 * one side is there on the other as a representor.
 */
#ifndef DAEMON_DEVICE_FUNCTIONS_H
#define DAEMON_DEVICE_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/peer/peer.h"

bool peer_has_function(const struct peer *peer, const char *pci_addr);
/* Returns the function with this MAC address, or NULL. */
const struct peer_function *peer_find_mac(const struct peer *peer, const uint8_t mac[6]);
/* Lists the functions that this side has now to the peer, or to all linked peers. */
void peer_send_functions(struct peer *peer);
void peers_send_functions(struct daemon *daemon);
int peer_on_functions(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
