/*
 * One of two programs that are connected by RDMA, each written for its own generation of the
 * interface. This header defines the actions of a generation without types of that generation. A
 * program has LEN bytes that the other may read, write and change. Every function fails the running
 * test if a step fails, unless the caller must evaluate the result. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_RDMA_PROGRAM_H
#define TESTS_INTEGRATION_RDMA_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#define PEER_LEN     65536u
#define PEER_NOWHERE SIZE_MAX /* a receive without a buffer */

struct peer_desc {
	size_t conn_len, mem_len;
	uint8_t conn[256], mem[256];
};

enum peer_op {
	PEER_RECEIVE,
	PEER_SEND,
	PEER_SEND_IMM,
	PEER_READ,
	PEER_WRITE,
	PEER_WRITE_IMM,
	PEER_SWAP,
	PEER_ADD,
};

/* A completed operation. */
struct peer_done {
	enum peer_op op;
	doca_error_t status;
	/* For a receive: the received operation. */
	enum peer_op by;
	uint32_t len, imm;
};

struct peer_role {
	int version; /* for example 202 */
	/* Creates a port, a connection and memory; returns their data for the other program. */
	void *(*open)(const char *pci_addr, bool sleeps, struct peer_desc *desc_out);
	void (*connect)(void *peer, const struct peer_desc *desc);
	uint8_t *(*memory)(void *peer);
	/*
	 * `here` and `there` are offsets in the two memories; imm is used by operations that have
	 * it.
	 */
	void (*receive)(void *peer, size_t here, size_t len);
	void (*send)(void *peer, size_t here, size_t len, const uint32_t *imm);
	void (*write)(void *peer, size_t here, size_t there, size_t len, const uint32_t *imm);
	void (*read)(void *peer, size_t there, size_t here, size_t len);
	/*
	 * Changes eight bytes there, whose previous value is stored here. compare NULL: an
	 * addition.
	 */
	void (*change)(void *peer, size_t there, size_t here, const uint64_t *compare,
		       uint64_t value);
	/*
	 * Returns the next completed operation. Posts nothing, and makes no system call while
	 * polling.
	 */
	struct peer_done (*await)(void *peer);
	void (*close)(void *peer);
};

extern const struct peer_role peer_200, peer_202, peer_205, peer_208, peer_303;

/* Initialiser with a program's functions of these names. */
#define PEER_ROLE                                                                           \
	{                                                                                   \
		.version = DOCA_USE_VERSION, .open = open, .connect = connect_peer,         \
		.memory = memory, .receive = receive, .send = send_message, .write = write, \
		.read = read, .change = change, .await = await, .close = close,             \
	}

#endif
