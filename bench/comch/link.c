/* See bench/comch/link.h. */
#include "bench/comch/link.h"

#include <unistd.h>

#include "bench/base/peer.h"
#include "util/clock.h"

#define CONNECT_LIMIT_NS (10 * NS_PER_SEC)

struct comch_end *comch_link_open(struct bench *bench, size_t n, uint32_t max_msg, uint32_t queue,
				  uint32_t n_tasks, struct doca_pe *pe)
{
	struct comch_end_spec spec = {.side = bench->side,
				      .id = getpid(),
				      .n_links = n,
				      .max_msg = max_msg,
				      .queue = queue,
				      .n_tasks = n_tasks};
	struct peer_msg msg = {.op = PEER_COMCH_OPEN,
			       .n = n,
			       .size = max_msg,
			       .queue = queue,
			       .depth = n_tasks,
			       .pid = spec.id};
	uint64_t deadline_ns = clock_now_ns() + CONNECT_LIMIT_NS;
	bool ours = false, theirs = false;
	struct comch_end *end = NULL;

	/* A client finds only a server that exists already. */
	if (bench->side == SIDE_DPU)
		end = comch_end_new(&spec, pe);
	peer_call(bench->peer, &msg);
	if (end == NULL)
		end = comch_end_new(&spec, pe);
	msg = (struct peer_msg){.op = PEER_COMCH_CONNECT};
	peer_send(bench->peer, &msg);
	while (!ours || !theirs) {
		ours |= comch_end_connect(end);
		theirs |= peer_poll_answer(bench->peer, &msg);
		if (clock_now_ns() > deadline_ns)
			bench_die("comch: no connection after 10 seconds");
	}
	return end;
}

void comch_link_close(struct bench *bench, struct comch_end *end)
{
	struct peer_msg msg = {.op = PEER_COMCH_CLOSE};

	/* Clients are deleted first: a client whose server ends reports a failure. */
	if (bench->side == SIDE_HOST)
		comch_end_delete(end);
	peer_call(bench->peer, &msg);
	if (bench->side == SIDE_DPU)
		comch_end_delete(end);
}
