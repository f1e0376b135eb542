/* Calls the listeners of a link; see struct peer_listener in peer.h. */
#include "daemon/base/daemon.h"
#include "daemon/peer/peer.h"

void peer_call_linked(struct peer *peer)
{
	const struct peer_hooks *hooks = peer->daemon->peer_hooks;

	for (size_t i = 0; i < hooks->n_listeners; i++)
		if (hooks->listeners[i].linked)
			hooks->listeners[i].linked(peer);
}

void peer_call_greeted(struct peer *peer)
{
	const struct peer_hooks *hooks = peer->daemon->peer_hooks;

	for (size_t i = 0; i < hooks->n_listeners; i++)
		if (hooks->listeners[i].greeted)
			hooks->listeners[i].greeted(peer);
}

void peer_call_ready(struct peer *peer)
{
	const struct peer_hooks *hooks = peer->daemon->peer_hooks;

	for (size_t i = 0; i < hooks->n_listeners; i++)
		if (hooks->listeners[i].ready)
			hooks->listeners[i].ready(peer);
}

void peer_call_writable(void *user)
{
	struct peer *peer = user;
	const struct peer_hooks *hooks = peer->daemon->peer_hooks;

	for (size_t i = 0; i < hooks->n_listeners; i++)
		if (hooks->listeners[i].writable)
			hooks->listeners[i].writable(peer);
}

void peer_call_lost(struct peer *peer)
{
	const struct peer_hooks *hooks = peer->daemon->peer_hooks;

	for (size_t i = hooks->n_listeners; i > 0; i--)
		if (hooks->listeners[i - 1].lost)
			hooks->listeners[i - 1].lost(peer);
}
