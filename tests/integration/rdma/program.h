/*
 * One of two programs that are connected by RDMA, each written for its own generation: what a
 * generation is asked to do, in no types of its own. A program has LEN bytes that the other one may
 * read, write and change. Every function fails the running test when a step does not succeed that
 * is not the caller's to judge. Threads: none.
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

/* Something that was done. */
struct peer_done {
	enum peer_op op;
	doca_error_t status;
	/* Of a receive: what came. */
	enum peer_op by;
	uint32_t len, imm;
};

struct peer_role {
	int version; /* 202 */
	/* A port, a connection and memory; what the other program needs of them. */
	void *(*open)(const char *pci_addr, bool sleeps, struct peer_desc *desc_out);
	void (*connect)(void *peer, const struct peer_desc *desc);
	uint8_t *(*memory)(void *peer);
	/* `here` and `there` are places in the two memories; imm counts for the ops that have it.
	 */
	void (*receive)(void *peer, size_t here, size_t len);
	void (*send)(void *peer, size_t here, size_t len, const uint32_t *imm);
	void (*write)(void *peer, size_t here, size_t there, size_t len, const uint32_t *imm);
	void (*read)(void *peer, size_t there, size_t here, size_t len);
	/* Eight bytes there, whose value before is put here. compare NULL: an addition. */
	void (*change)(void *peer, size_t there, size_t here, const uint64_t *compare,
		       uint64_t value);
	/* The next thing that is done. Posts nothing, and makes no system call while polling. */
	struct peer_done (*await)(void *peer);
	void (*close)(void *peer);
};

extern const struct peer_role peer_200, peer_202, peer_205, peer_303;

/* Of the functions of a program that have these names. */
#define PEER_ROLE                                                                           \
	{                                                                                   \
		.version = DOCA_USE_VERSION, .open = open, .connect = connect_peer,         \
		.memory = memory, .receive = receive, .send = send_message, .write = write, \
		.read = read, .change = change, .await = await, .close = close,             \
	}

#endif
