/* What daemons tell each other of their functions: each is there on the other side as a
 * representor. See peer_link.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/hold.h"
#include "daemon/import.h"
#include "daemon/peer_link.h"
#include "util/str.h"

#define PEER_MAX_FUNCTIONS 1024

bool peer_has_function(const struct peer *peer, const char *pci_addr)
{
	for (size_t i = 0; i < peer->n_functions; i++)
		if (strcmp(peer->functions[i].pci_addr, pci_addr) == 0)
			return true;
	return false;
}

const struct peer_function *peer_find_mac(const struct peer *peer, const uint8_t mac[6])
{
	for (size_t i = 0; i < peer->n_functions; i++)
		if (peer->functions[i].has_mac && memcmp(peer->functions[i].mac, mac, 6) == 0)
			return &peer->functions[i];
	return NULL;
}

void peer_send_functions(struct peer *peer)
{
	const struct registry *registry = &peer->daemon->registry;
	Dococore__PeerFunctions list = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__PeerFunction functions[TOPOLOGY_MAX_DEVICES];
	Dococore__PeerFunction *pointers[TOPOLOGY_MAX_DEVICES];

	for (size_t i = 0; i < registry->n_devices; i++) {
		const struct device_spec *spec = registry->devices[i].spec;
		Dococore__PeerFunction *m = &functions[list.n_functions];

		if (registry->devices[i].is_gone)
			continue;
		dococore__peer_function__init(m);
		m->pci_addr = (char *)spec->pci_addr;
		m->vuid = (char *)spec->vuid;
		m->name = (char *)spec->name;
		m->iface = (char *)spec->iface;
		m->func_type = (uint32_t)spec->func_type;
		m->vhca_id = spec->vhca_id;
		if (spec->has_mac)
			m->mac = (ProtobufCBinaryData){sizeof(spec->mac), (uint8_t *)spec->mac};
		pointers[list.n_functions++] = m;
	}
	list.functions = pointers;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &list;
	(void)peer_send(peer, &packet, NULL, 0);
}

void peers_send_functions(struct daemon *daemon)
{
	for (struct peer *peer = peer_next_linked(daemon, NULL); peer;
	     peer = peer_next_linked(daemon, peer))
		peer_send_functions(peer);
}

int peer_on_functions(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerFunctions *list = packet->peer_functions;
	struct peer_function *functions;

	(void)fds;
	if (list->n_functions > PEER_MAX_FUNCTIONS)
		return -EPROTO;
	functions = calloc(list->n_functions + 1, sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_functions; i++) {
		const Dococore__PeerFunction *m = list->functions[i];
		struct peer_function *to = &functions[i];

		if (str_pci_normalize(m->pci_addr, to->pci_addr) < 0) {
			free(functions);
			return -EPROTO;
		}
		snprintf(to->vuid, sizeof(to->vuid), "%s", m->vuid);
		snprintf(to->name, sizeof(to->name), "%s", m->name);
		snprintf(to->iface, sizeof(to->iface), "%s", m->iface);
		str_make_printable(to->vuid);
		str_make_printable(to->name);
		str_make_printable(to->iface);
		to->func_type = m->func_type;
		to->vhca_id = m->vhca_id;
		to->has_mac = m->mac.len == sizeof(to->mac);
		if (to->has_mac)
			memcpy(to->mac, m->mac.data, sizeof(to->mac));
	}
	free(peer->functions);
	peer->functions = functions;
	peer->n_functions = list->n_functions;
	registry_update_presence(peer->daemon);
	hold_end(peer->daemon);
	imports_renew(peer->daemon, peer);
	return 0;
}
