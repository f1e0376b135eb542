/* Lists of functions between linked daemons; see functions.h. */
#include "daemon/device/functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/device/device.h"
#include "daemon/peer/peer.h"
#include "daemon/session/grace_period.h"
#include "util/log.h"
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

/* Bytes for functions in one packet; the rest is overhead. */
#define PAGE_LEN (FRAME_PACKET_MAX - 64u)
/* Overhead of a function in a list: tag and length. */
#define FUNCTION_HEADER_LEN 4u

struct functions_page {
	Dococore__PeerFunction functions[TOPOLOGY_MAX_DEVICES];
	Dococore__PeerFunction *pointers[TOPOLOGY_MAX_DEVICES];
	size_t n, len;
};

static void page_send(struct peer *peer, struct functions_page *page, bool more)
{
	Dococore__PeerFunctions list = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	list.functions = page->pointers;
	list.n_functions = page->n;
	list.more = more;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &list;
	(void)peer_send(peer, &packet, NULL, 0);
	page->n = page->len = 0;
}

/* Returns false if an older peer accepts no more functions. */
static bool page_add(struct peer *peer, struct functions_page *page, const struct device_spec *spec)
{
	Dococore__PeerFunction m = DOCOCORE__PEER_FUNCTION__INIT;
	size_t len;

	m.pci_addr = (char *)spec->pci_addr;
	m.vuid = (char *)spec->vuid;
	m.name = (char *)spec->name;
	m.iface = (char *)spec->iface;
	m.func_type = (uint32_t)spec->func_type;
	m.vhca_id = spec->vhca_id;
	if (spec->has_mac)
		m.mac = (ProtobufCBinaryData){sizeof(spec->mac), (uint8_t *)spec->mac};
	len = dococore__peer_function__get_packed_size(&m) + FUNCTION_HEADER_LEN;
	if (page->len + len > PAGE_LEN && !peer->pages_functions)
		return false;
	if (page->len + len > PAGE_LEN)
		page_send(peer, page, true);
	page->functions[page->n] = m;
	page->pointers[page->n] = &page->functions[page->n];
	page->n++;
	page->len += len;
	return true;
}

void peer_send_functions(struct peer *peer)
{
	const struct registry *registry = peer->daemon->registry;
	struct functions_page page;
	unsigned n_left_out = 0;

	page.n = page.len = 0;
	for (size_t i = 0; i < registry->n_devices; i++)
		if (!registry->devices[i].is_gone)
			n_left_out += !page_add(peer, &page, registry->devices[i].spec);
	page_send(peer, &page, false);
	if (n_left_out && !peer->logged_left_out)
		log_warning("peer %s, version %s, takes the functions of this side in one packet: "
			    "%u do not fit, and have no representors there; install the same "
			    "version on both sides",
			    peer->name, peer->version, n_left_out);
	peer->logged_left_out = n_left_out != 0;
}

void peers_send_functions(struct daemon *daemon)
{
	for (struct peer *peer = peer_next_linked(daemon, NULL); peer;
	     peer = peer_next_linked(daemon, peer))
		peer_send_functions(peer);
}

/* Returns 0 or -EPROTO. */
static int function_parse(const Dococore__PeerFunction *m, struct peer_function *to)
{
	*to = (struct peer_function){.func_type = m->func_type, .vhca_id = m->vhca_id};
	if (str_pci_normalize(m->pci_addr, to->pci_addr) < 0)
		return -EPROTO;
	snprintf(to->vuid, sizeof(to->vuid), "%s", m->vuid);
	snprintf(to->name, sizeof(to->name), "%s", m->name);
	snprintf(to->iface, sizeof(to->iface), "%s", m->iface);
	str_make_printable(to->vuid);
	str_make_printable(to->name);
	str_make_printable(to->iface);
	to->has_mac = m->mac.len == sizeof(to->mac);
	if (to->has_mac)
		memcpy(to->mac, m->mac.data, sizeof(to->mac));
	return 0;
}

int peer_on_functions(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerFunctions *list = packet->peer_functions;
	size_t n = peer->n_incoming + list->n_functions;
	struct peer_function *functions;

	(void)fds;
	if (n > PEER_MAX_FUNCTIONS)
		return -EPROTO;
	functions = realloc(peer->incoming, (n + 1) * sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	peer->incoming = functions;
	for (size_t i = 0; i < list->n_functions; i++)
		if (function_parse(list->functions[i], &functions[peer->n_incoming++]) < 0)
			return -EPROTO;
	if (list->more)
		return 0;
	free(peer->functions);
	peer->functions = functions;
	peer->n_functions = n;
	peer->incoming = NULL;
	peer->n_incoming = 0;
	registry_update_presence(peer->daemon);
	grace_period_end(peer->daemon);
	peer_call_ready(peer);
	return 0;
}
