/*
 * One end of the RDMA library for tests with programs that are not ours: messages of one size, in
 * memory that peers may read and write. The state is the program's one. Whatever is not as it has
 * to be ends the process. Threads: none.
 */
#ifndef TESTS_VM_END_H
#define TESTS_VM_END_H

#include <doca_rdma.h>
#include <doca_rdma_bridge.h>

#include "tests/vm/base.h"

#define END_LEN     65536u /* memory of an end; messages come to its first half */
#define END_RECV_AT 0u
#define END_SEND_AT (END_LEN / 2)

struct end {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *conn;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *memory;
	uint16_t max_conns; /* 0: one */
	bool rejects;       /* requests for connections */
	unsigned n_sent, n_received, n_requests, n_established, n_failed, n_left;
	doca_error_t status; /* of the last task */
	uint32_t len;        /* of the last message */
};
extern struct end end;

/* On the device, which is then the end's; started. rights: DOCA_ACCESS_FLAG_*, of both. */
void end_open(struct doca_dev *dev, uint32_t rights);
/* The context stops; all but the device goes. */
void end_close(void);
/* Receives one message; the room is there until it came. */
void end_receive(uint32_t room);
/* And waits until it is sent. */
void end_send(uint32_t len);
/* Progresses until the counter has reached that value. */
void end_await(const unsigned *counter, unsigned value);
/* The key that peers name the memory by. */
uint32_t end_key(void);

#endif
