/*
 * The slots of a consumer under a hostile peer. A consumer and two producers of this process share
 * one memfd of slots, and each step of an input lets one of them work, or lets the peer write any
 * word of the slots. The first byte of an input chooses how the producers reach the peer's memory,
 * and whether a second thread writes at the same time, so that words change between loads.
 *
 * The consumer writes only into the buffers that were posted, and each task is returned once. The
 * producers write only into the slots, and into memory that the peer named as its own. Answers of
 * the daemon with wrong descriptors or sizes open no consumer.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/comch/fast_path/consumer.h"
#include "tests/fuzz/producers.h"
#include "tests/fuzz/scribble.h"
#include "util/fd.h"
#include "util/memfd.h"

#define N_RECEIVES 8u
#define ROOM       3000u  /* of a receive buffer */
#define GAP        72u    /* between two receive buffers; must stay unwritten */
#define PEER_LEN   12288u /* memory that the producers may write into */
#define PEER_IMM   40u    /* the most immediate data that the peer's consumer takes */
#define SMALL_LEN  8192u  /* of a bounce area that is soon full */
#define CANARY     0xa5

/* How the producers reach the peer's memory; low bits of the first byte. */
enum { REACH_LOCAL, REACH_BOUNCE, REACH_SHM, REACH_PVM };
#define IS_SCRIBBLED   4u  /* a second thread writes too */
#define IS_REMOTE_SLOT 8u  /* the consumer's producers are on another machine */
#define IS_LIMITED     16u /* the bounce area is short */

struct receive {
	struct doca_comch_consumer_task_post_recv *task; /* NULL: not posted */
	struct doca_buf *buf;
	uint8_t *bytes;
	uint64_t room;
};

static struct doca_mmap *map;
static uint8_t *peer_memory;
static int peer_memfd = -1;
static uint64_t peer_addr; /* of the memory that the peer names as its own */
static unsigned reach;     /* REACH_* */
static struct doca_buf *wrong_source;
static struct receive receives[N_RECEIVES];
static struct doca_comch_consumer *consumer;
static struct slots_header *slots; /* the peer's mapping, which outlives the consumer */
static struct comch_slots plan;    /* where their parts are */

/* --- what replaces the daemon --- */

doca_error_t __wrap_comch_consumer_register(struct doca_comch_consumer *self);
void __wrap_comch_consumer_unregister(struct doca_comch_consumer *self);
doca_error_t __wrap_comch_export(struct comch_exported *exported, struct doca_dev *of, void *bytes,
				 size_t len, _Atomic uint32_t *armed, int doorbell_fd);
void __wrap_comch_unexport(struct comch_exported *exported, bool has_to_drain);

doca_error_t __wrap_comch_consumer_register(struct doca_comch_consumer *self)
{
	self->registered = true;
	return DOCA_SUCCESS;
}

void __wrap_comch_consumer_unregister(struct doca_comch_consumer *self)
{
	self->registered = false;
}

doca_error_t __wrap_comch_export(struct comch_exported *exported, struct doca_dev *of, void *bytes,
				 size_t len, _Atomic uint32_t *armed, int doorbell_fd)
{
	FUZZ_CHECK(of == &ends_dev && bytes != NULL && len > 0 && doorbell_fd >= 0);
	exported->mmap = source_map;
	exported->armed = armed;
	return DOCA_SUCCESS;
}

void __wrap_comch_unexport(struct comch_exported *exported, bool has_to_drain)
{
	(void)has_to_drain;
	exported->mmap = NULL;
	atomic_store(&exported->is_revoked, false);
}

/* --- both ends --- */

/* Made once: memory of exactly this length, so that a sanitizer sees a write behind it. */
static void open_all(void)
{
	size_t len = N_RECEIVES * (ROOM + GAP);
	uint8_t *memory = malloc(len);

	ends_open();
	producers_open();
	peer_memfd = memfd_create_sealed("peer", PEER_LEN);
	peer_memory = mmap(NULL, PEER_LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	FUZZ_CHECK(memory != NULL && peer_memfd >= 0 && peer_memory != MAP_FAILED);
	map = ends_map(memory, len, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	for (size_t i = 0; i < N_RECEIVES; i++) {
		receives[i].bytes = memory + i * (ROOM + GAP);
		receives[i].buf = ends_buf(map, receives[i].bytes, ROOM);
	}
	wrong_source = ends_buf(map, memory, ROOM);
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data user,
			union doca_data ctx_user)
{
	struct receive *receive = user.ptr;

	(void)ctx_user;
	FUZZ_CHECK(receive->task == task);
	FUZZ_CHECK(doca_comch_consumer_task_post_recv_get_imm_data_len(task) <= consumer->imm_len);
	FUZZ_CHECK(receive->buf->data_len <= ROOM);
	receive->task = NULL;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void start_consumer(uint8_t how)
{
	struct doca_ctx *ctx;

	up_link->is_remote = how & IS_REMOTE_SLOT;
	FUZZ_CHECK(doca_comch_consumer_create(&up_conn, map, &consumer) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_comch_consumer_set_imm_data_len(consumer, ENDS_IMM_MAX) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_comch_consumer_task_post_recv_set_conf(consumer, on_received, on_received,
							       N_RECEIVES - 2) == DOCA_SUCCESS);
	ctx = doca_comch_consumer_as_ctx(consumer);
	FUZZ_CHECK(doca_pe_connect_ctx(ends_pe, ctx) == DOCA_SUCCESS);
	FUZZ_CHECK(doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS);
	up_link->is_remote = false;
	FUZZ_CHECK(comch_slots_plan(&plan, consumer->mask + 1, consumer->stride,
				    consumer->bounce_len));
	slots = memfd_map(consumer->memfd, 0, plan.len, true);
	FUZZ_CHECK(slots != NULL && plan.len == consumer->map_len);
	if (how & IS_LIMITED)
		slots->bounce_len = SMALL_LEN;
}

/* --- the daemon's answer --- */

struct answer {
	Dococore__Packet packet;
	Dococore__ConsumerReply reply;
	Dococore__Consumer self;
	struct rpc_reply answer;
};

static void answer_make(struct answer *a, unsigned by, int memfd)
{
	a->packet = (Dococore__Packet)DOCOCORE__PACKET__INIT;
	a->reply = (Dococore__ConsumerReply)DOCOCORE__CONSUMER_REPLY__INIT;
	a->self = (Dococore__Consumer)DOCOCORE__CONSUMER__INIT;
	a->answer = (struct rpc_reply)RPC_REPLY_INIT;
	a->answer.packet = &a->packet;
	a->packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_REPLY;
	a->packet.consumer_reply = &a->reply;
	a->reply.consumer = &a->self;
	a->reply.pid = (uint32_t)getpid();
	a->reply.uid = getuid();
	a->reply.same_process = by == REACH_LOCAL;
	a->self.id = PEER_ID;
	a->self.slots_len = (uint32_t)plan.len;
	a->self.n_slots = plan.n_slots;
	a->self.max_imm_len = PEER_IMM;
	a->self.addr = peer_addr;
	a->self.len = PEER_LEN;
	a->self.peer_writes = by != REACH_BOUNCE;
	a->self.memory = by == REACH_SHM ? DOCOCORE__MEMORY_KIND__MEMFD
					 : DOCOCORE__MEMORY_KIND__PRIVATE;
	fdset_add(&a->answer.fds, fd_pidfd_open(getpid()));
	fdset_add(&a->answer.fds, memfd);
	fdset_add(&a->answer.fds, fd_eventfd());
	if (by == REACH_SHM)
		fdset_add(&a->answer.fds, fd_dup(peer_memfd));
}

static bool answer_attach(struct answer *a, uint32_t id)
{
	bool is_known = false;

	if (comch_link_reserve(up_link, id) == DOCA_SUCCESS)
		is_known = comch_link_attach(up_link, id, DOCA_SUCCESS, &a->answer, NULL);
	fdset_deinit(&a->answer.fds);
	return is_known;
}

/* A consumer that is described wrongly: `how` chooses the fault, `value` what it is. */
static void attach_invalid(uint8_t how, uint64_t value)
{
	struct slots_header header = {.magic = SLOTS_MAGIC,
				      .version = SLOTS_LAYOUT,
				      .body_stride = 256,
				      .bounce_len = 4096};
	size_t len = 1u << 16;
	int memfd = how & 128 ? memfd_create("strange", MFD_CLOEXEC | MFD_ALLOW_SEALING)
			      : memfd_create_sealed("strange", len);
	struct answer a;

	FUZZ_CHECK(memfd >= 0 && (!(how & 128) || ftruncate(memfd, (off_t)len) == 0));
	answer_make(&a, how & 64 ? REACH_BOUNCE : REACH_LOCAL, memfd);
	a.self.id = STRANGE_ID;
	a.self.slots_len = (uint32_t)len;
	switch (how % 16) {
	case 0:
		header.magic = (uint32_t)value;
		break;
	case 1:
		header.version = (uint32_t)value;
		break;
	case 2:
		header.body_stride = (uint32_t)value;
		break;
	case 3:
		header.bounce_len = value;
		break;
	case 4:
		a.self.n_slots = (uint32_t)value;
		break;
	case 5:
		a.self.slots_len = (uint32_t)value;
		break;
	case 6:
		a.self.addr = value;
		break;
	case 7:
		a.self.len = value;
		break;
	case 8:
		a.self.id = (uint32_t)value;
		break;
	case 9:
		a.reply.consumer = NULL;
		break;
	case 10: /* no eventfd */
		fd_close(&a.answer.fds.fds[2]);
		a.answer.fds.fds[2] = fd_dup(memfd);
		break;
	default: /* none */
		break;
	}
	FUZZ_CHECK(pwrite(memfd, &header, sizeof(header), 0) == (ssize_t)sizeof(header));
	if (answer_attach(&a, STRANGE_ID))
		FUZZ_CHECK(!(how & 128) && how % 16 != 9 && how % 16 != 10);
}

/* --- steps --- */

static void post_receive(struct ends_step step)
{
	struct receive *receive = &receives[step.how % N_RECEIVES];
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf = step.how & 8 ? NULL : receive->buf;
	struct doca_task *base;

	if (receive->task != NULL)
		return;
	/* Data that is there already leaves this much room. */
	receive->room = step.value % (ROOM + 1);
	FUZZ_CHECK(doca_buf_set_data(receive->buf, receive->bytes, ROOM - receive->room) ==
		   DOCA_SUCCESS);
	if ((step.how & 0xf0) == 0xf0)
		buf = source;
	if (doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, &task) != DOCA_SUCCESS)
		return;
	base = doca_comch_consumer_task_post_recv_as_task(task);
	base->user_data.ptr = receive;
	receive->task = task;
	if ((step.how & 32 ? doca_task_try_submit(base) : doca_task_submit(base)) == DOCA_SUCCESS)
		return;
	receive->task = NULL;
	doca_task_free(base);
}

static size_t slot_at(uint64_t i)
{
	return plan.slot_at + (i & (plan.n_slots - 1)) * sizeof(struct slots_slot);
}

static size_t desc_at(uint64_t i)
{
	return plan.desc_at + (i & (plan.n_slots - 1)) * sizeof(struct slots_desc);
}

static void poke(size_t at, size_t len, size_t word, uint64_t value)
{
	uint64_t *words = (uint64_t *)(void *)((uint8_t *)slots + at);

	__atomic_store_n(&words[word % (len / sizeof(value))], value, __ATOMIC_RELAXED);
}

/* The next message, with the word that makes it one. */
static void write_message(struct ends_step step)
{
	struct slots_slot *slot = (void *)((uint8_t *)slots + slot_at(consumer->received));
	uint64_t kind = step.how % 8, imm_len = step.value % (ENDS_IMM_MAX + 1);

	if (step.how & 8)
		imm_len = step.how & 16 ? step.value & 0xffff : 0;
	/* An offset into the bounce area behind the immediate data. */
	poke(plan.body_at + (consumer->received & (plan.n_slots - 1)) * plan.stride, plan.stride,
	     ((imm_len + 7) & ~7ull) / 8,
	     step.how & 32 ? step.value : step.value % plan.bounce_len);
	memset(slot->bytes, step.how, sizeof(slot->bytes));
	atomic_store(&slot->info, step.how & 64 ? step.value : step.where % 512);
	atomic_store(&slot->word, imm_len << 40 | kind << 32 | (uint32_t)(consumer->received + 1));
	ends_progress(4);
}

static void write_slots(struct ends_step step)
{
	uint16_t where = step.where;
	uint64_t value = step.value;

	switch (step.how % 8) {
	case 0:
		poke(plan.desc_at, N_RECEIVES * sizeof(struct slots_desc), where, value);
		break;
	case 1: /* a buffer inside of the peer's memory */
		poke(desc_at(where), sizeof(struct slots_desc), 0, peer_addr + value % PEER_LEN);
		break;
	case 2:
		poke(desc_at(where), sizeof(struct slots_desc), 1, value % (2 * ENDS_SEND_MAX));
		break;
	case 3:
		poke(slot_at(where), sizeof(struct slots_slot), step.how / 8, value);
		break;
	case 4:
		poke(plan.body_at, N_RECEIVES * plan.stride, where, value);
		break;
	case 5: /* beyond what was posted, by few or many */
		atomic_store(&slots->posted, atomic_load(&slots->claim) + value % 20);
		break;
	case 6:
		atomic_store(&slots->consumed, value % 64);
		break;
	default:
		poke(0, sizeof(*slots), where, value);
	}
}

static void end_one(struct ends_step step)
{
	switch (step.how % 8) {
	case 0:
		(void)doca_ctx_stop(doca_comch_consumer_as_ctx(consumer));
		break;
	case 1: /* an operator revokes its export */
		if (consumer->exported.mmap != NULL)
			atomic_store(&consumer->exported.is_revoked, true);
		break;
	case 2: /* the peer unmaps its memory, which only a system call writes to */
		if (reach == REACH_PVM)
			FUZZ_CHECK(mprotect(peer_memory, PEER_LEN, PROT_NONE) == 0);
		break;
	default:
		step.how /= 8;
		producers_end_one(step);
	}
}

static void run_step(struct ends_step step, bool is_scribbled)
{
	switch (step.what % 14) {
	case 0:
	case 1:
		post_receive(step);
		break;
	case 2:
	case 3:
		producers_send(step, (step.how & 0xf0) == 0xf0 ? wrong_source : source);
		break;
	case 4:
		ends_progress(step.how % 32 + 1);
		break;
	case 5:
		write_message(step);
		break;
	case 6:
	case 7:
		write_slots(step);
		break;
	case 8:
		producers_sleep(step);
		break;
	case 9:
		if (step.how % 4 == 0)
			attach_invalid((uint8_t)step.where, step.value);
		break;
	case 10:
		if (step.where % 4 == 0)
			end_one(step);
		break;
	case 11:
		if (is_scribbled)
			scribble_begin((uint64_t *)slots + step.where % (plan.len / 8), step.value,
				       1ull << step.how % 64);
		break;
	case 12: /* the word that says that the next message is there, or its length */
		if (is_scribbled)
			scribble_begin((uint64_t *)slots + slot_at(step.where) / 8 + 8 +
					       (step.how & 1),
				       step.value, 1ull << step.how / 4);
		break;
	default:
		ends_now_ns += step.value % NS_PER_SEC;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct answer a;
	uint8_t how;

	if (len == 0)
		return 0;
	if (ends_pe == NULL)
		open_all();
	how = data[0];
	producers_begin();
	for (size_t i = 0; i < N_RECEIVES; i++)
		memset(receives[i].bytes + ROOM, CANARY, GAP);
	reach = how & 3;
	peer_addr = reach == REACH_SHM ? 0x10000 : (uintptr_t)peer_memory;
	FUZZ_CHECK(mprotect(peer_memory, PEER_LEN, PROT_READ | PROT_WRITE) == 0);
	start_consumer(how);
	answer_make(&a, reach, fd_dup(consumer->memfd));
	FUZZ_CHECK(answer_attach(&a, PEER_ID));
	for (data++, len--; len >= ENDS_STEP_LEN; data += ENDS_STEP_LEN, len -= ENDS_STEP_LEN)
		run_step(ends_step_read(data), how & IS_SCRIBBLED);
	scribble_end();
	producers_stop();
	ends_stop(doca_comch_consumer_as_ctx(consumer));
	for (size_t i = 0; i < N_RECEIVES; i++) {
		FUZZ_CHECK(receives[i].task == NULL);
		for (size_t k = 0; k < GAP; k++)
			FUZZ_CHECK(receives[i].bytes[ROOM + k] == CANARY);
	}
	FUZZ_CHECK(doca_comch_consumer_destroy(consumer) == DOCA_SUCCESS);
	producers_end();
	memfd_unmap(slots, plan.len);
	return 0;
}

/* Receives, and messages of many lengths. */
static size_t seed_honest(unsigned i, uint8_t *out)
{
	static const uint8_t honest[] = {0, 0, 2, 4, 2, 4, 8, 0, 3, 4};
	static const uint16_t lens[] = {0, 8, 33, 64, 65, 200, 700, 2900};
	uint8_t *at = out;

	*at++ = (uint8_t)(i < 16 ? i : IS_LIMITED | REACH_BOUNCE);
	for (unsigned k = 0; k < 80; k++) {
		/* The narrow area fills because nothing is received. */
		if (i < 16 || honest[k % 10] != 4)
			ends_step_write(&at, (struct ends_step){honest[k % 10], k & 3,
								lens[(k / 10 + i) % 8],
								ROOM - k * i % 64});
	}
	return (size_t)(at - out);
}

/* Buffers in the peer's memory, which are written directly until the peer unmaps them. */
static size_t seed_placed(unsigned i, uint8_t *out)
{
	uint8_t *at = out;

	*at++ = (uint8_t)i;
	for (uint16_t k = 0; k < 12; k++) {
		ends_step_write(&at, (struct ends_step){0, (uint8_t)k % N_RECEIVES, 0, ROOM});
		ends_step_write(&at, (struct ends_step){6, 1, k, k * 100u});
		if (k == 8)
			ends_step_write(&at, (struct ends_step){.what = 10, .how = 2});
		ends_step_write(&at, (struct ends_step){2, 0, 2500, 0});
		ends_step_write(&at, (struct ends_step){4, 8, 0, 0});
	}
	return (size_t)(at - out);
}

/* Messages of each kind without a byte, to receives without a buffer. */
static size_t seed_empty(uint8_t *out)
{
	uint8_t *at = out;

	*at++ = REACH_LOCAL;
	for (uint8_t kind = SLOTS_INLINE; kind <= SLOTS_SHORT; kind++) {
		ends_step_write(&at, (struct ends_step){0, 8, 0, 0});
		ends_step_write(&at, (struct ends_step){5, kind, 0, 0});
	}
	return (size_t)(at - out);
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	if (i >= 48 || out_len < 1 + 80 * ENDS_STEP_LEN)
		return 0;
	if (i < 17)
		return seed_honest(i, out);
	if (i < 21)
		return seed_placed(i - 17, out);
	return i == 21 ? seed_empty(out) : ends_seed_any(i, 80, out);
}
