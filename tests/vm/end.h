/*
 * One end of the RDMA library for tests with third-party programs: messages of one size, in memory
 * that peers may read and write. There is one instance per program. Any unexpected result ends the
 * process. Creates no threads.
 */
#ifndef TESTS_VM_END_H
#define TESTS_VM_END_H

#include <doca_rdma.h>
#include <doca_rdma_bridge.h>

#include "tests/vm/base.h"

#define END_LEN     65536u /* memory of an end; messages arrive in its first half */
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
	bool rejects;       /* rejects connection requests */
	unsigned n_sent, n_received, n_requests, n_established, n_failed, n_left;
	doca_error_t status; /* of the latest task */
	uint32_t len;        /* of the latest message */
};
extern struct end end;

/*
 * Opens and starts the end, which takes over the device. rights: DOCA_ACCESS_FLAG_*, of the object
 * and of the memory.
 */
void end_open(struct doca_dev *dev, uint32_t rights);
/* Stops the context and destroys everything except the device. */
void end_close(void);
/* Receives one message into a buffer of `room` bytes. */
void end_receive(uint32_t room);
/* Sends a message and waits until it is sent. */
void end_send(uint32_t len);
/* Progresses until the counter has reached that value. */
void end_await(const unsigned *counter, unsigned value);
/* Returns the key by which peers access the memory. */
uint32_t end_key(void);

#endif
