/* RDMA: addresses and their text form. Threads: any; an address has one user at a time. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "client/rdma/rdma.h"

static const int addr_families[] = {
	[DOCA_RDMA_ADDR_TYPE_IPv4] = AF_INET,
	[DOCA_RDMA_ADDR_TYPE_IPv6] = AF_INET6,
	[DOCA_RDMA_ADDR_TYPE_GID] = AF_INET6, /* 16 bytes, written like an IPv6 address */
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Parses 32 hexadecimal digits, with optional colons between bytes. */
static bool addr_parse_digits(const char *text, uint8_t bytes[RDMA_GID_LEN])
{
	size_t n = 0;

	while (*text != 0) {
		int high = hex_digit(text[0]), low = high < 0 ? -1 : hex_digit(text[1]);

		if (low < 0 || n == RDMA_GID_LEN)
			return false;
		bytes[n++] = (uint8_t)(high << 4 | low);
		text += 2;
		if (*text == ':' && text[1] != 0)
			text++;
	}
	return n == RDMA_GID_LEN;
}

void rdma_addr_set(struct doca_rdma_addr *addr, const struct rdma_endpoint *end)
{
	addr->type = (enum doca_rdma_addr_type)end->type;
	addr->end = *end;
	if (inet_ntop(addr_families[addr->type], end->bytes, addr->text, sizeof(addr->text)) ==
	    NULL)
		addr->text[0] = 0;
}

doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type, const char *address,
				   uint16_t port, struct doca_rdma_addr **addr)
{
	struct doca_rdma_addr *made;
	struct rdma_endpoint end = {.type = (enum rdma_addr_type)addr_type, .port = port};

	if (address == NULL || addr == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma address: %s is NULL",
				 address == NULL ? "the text" : "the result");
	if ((unsigned)addr_type >= ARRAY_LEN(addr_families) || port == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma address: %s",
				 port == 0 ? "port 0 is none" : "unknown type");
	if (inet_pton(addr_families[addr_type], address, end.bytes) != 1 &&
	    !(addr_type == DOCA_RDMA_ADDR_TYPE_GID && addr_parse_digits(address, end.bytes)))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma address: \"%.63s\" is no %s address", address,
				 addr_type == DOCA_RDMA_ADDR_TYPE_IPv4   ? "IPv4"
				 : addr_type == DOCA_RDMA_ADDR_TYPE_IPv6 ? "IPv6"
									 : "GID");
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "rdma address: out of memory");
	rdma_addr_set(made, &end);
	/* The getter returns the text as given, not a normalised form. */
	if (strlen(address) < sizeof(made->text))
		strcpy(made->text, address);
	*addr = made;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr)
{
	if (addr == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma address destroy: addr is NULL");
	if (addr->is_of_connection)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"rdma address destroy: a connection owns the address and frees it");
	free(addr);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
				       enum doca_rdma_addr_type *addr_type, const char **address,
				       uint16_t *port)
{
	if (addr == NULL || addr_type == NULL || address == NULL || port == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma address params: %s is NULL",
				 addr == NULL ? "addr" : "a result");
	*addr_type = addr->type;
	*address = addr->text;
	*port = addr->end.port;
	return DOCA_SUCCESS;
}
