/*
 * Producers whose consumer is on another machine and hostile. They read its header and descriptors
 * as credit, and write messages into its slots. The input lets them send and make progress, lets
 * their requests complete or fail, and writes any word of the consumer's memory.
 *
 * Whatever is read, requests access the consumer's slots only, and write neither its header nor its
 * descriptors. Each task is returned once, and a producer that stops returns all of them.
 */
#include <string.h>

#include "client/comch/remote/paths.h"
#include "tests/fuzz/fake_requester.h"
#include "tests/fuzz/producers.h"

#define N_SLOTS    16u
#define STRIDE     256u
#define BOUNCE_LEN 8192u
#define SHORT_LEN  2048u /* the shortest requests that a device may allow */

static struct comch_slots plan; /* where the parts of the slots are */
static uint8_t *slots;          /* the consumer's memory, of exactly this length */

static struct slots_header *header(void)
{
	return (struct slots_header *)(void *)slots;
}

static struct slots_desc *descs(void)
{
	return (struct slots_desc *)(void *)(slots + plan.desc_at);
}

/* --- the consumer --- */

static void open_all(void)
{
	ends_open();
	producers_open();
	FUZZ_CHECK(comch_slots_plan(&plan, N_SLOTS, STRIDE, BOUNCE_LEN));
	slots = aligned_alloc(SLOTS_ALIGN, plan.len);
	FUZZ_CHECK(slots != NULL);
}

static const struct transport_ops by_device = {.name = "device", .close = transport_close_nothing};
static const struct transport_ops by_relay = {
	.name = "relay", .close = transport_close_nothing, .is_relayed = true};

/* Behaves as if the slots had been imported from the other machine. */
static struct doca_mmap *import_slots(uint8_t how)
{
	struct doca_mmap *import = ends_map(slots, plan.len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);

	import->from_export = true;
	import->readable = !(how & 1);
	import->writable = !(how & 2);
	import->region.ops = how & 4 ? &by_relay : &by_device;
	import->ends_async = true;
	return import;
}

/* Opens the consumer that the daemon describes; `how` chooses a fault, `value` what it is. */
static bool attach(uint32_t id, uint8_t how, uint8_t rights, uint64_t value)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__ConsumerReply reply = DOCOCORE__CONSUMER_REPLY__INIT;
	Dococore__Consumer consumer = DOCOCORE__CONSUMER__INIT;
	struct rpc_reply answer = RPC_REPLY_INIT;
	uint8_t desc[80] = {0}, bytes[512];
	bool is_known = false;

	packet.body_case = DOCOCORE__PACKET__BODY_CONSUMER_REPLY;
	packet.consumer_reply = &reply;
	reply.consumer = &consumer;
	consumer.id = id;
	consumer.slots_len = (uint32_t)plan.len;
	consumer.n_slots = N_SLOTS;
	consumer.body_stride = STRIDE;
	consumer.bounce_len = BOUNCE_LEN;
	consumer.max_imm_len = ENDS_IMM_MAX;
	consumer.addr = (uintptr_t)slots;
	consumer.len = plan.len;
	consumer.slots_export.data = desc;
	consumer.slots_export.len = sizeof(desc);
	switch (how) {
	case 1:
		consumer.id = (uint32_t)value;
		break;
	case 2:
		consumer.n_slots = (uint32_t)value;
		break;
	case 3:
		consumer.body_stride = (uint32_t)value;
		break;
	case 4:
		consumer.bounce_len = value;
		break;
	case 5:
		consumer.slots_len = (uint32_t)value;
		break;
	case 6:
		consumer.addr = value;
		break;
	case 7:
		consumer.max_imm_len = (uint32_t)value;
		break;
	default:
		break;
	}
	FUZZ_CHECK(dococore__packet__get_packed_size(&packet) <= sizeof(bytes));
	answer.packet = dococore__packet__unpack(NULL, dococore__packet__pack(&packet, bytes),
						 bytes);
	FUZZ_CHECK(answer.packet != NULL);
	if (comch_link_reserve(up_link, id) == DOCA_SUCCESS)
		is_known = comch_link_attach(up_link, id, DOCA_SUCCESS, &answer,
					     import_slots(rights));
	rpc_reply_deinit(&answer);
	return is_known;
}

/* --- steps --- */

static void write_slots(struct ends_step step)
{
	uint64_t posted = atomic_load(&header()->posted), value = step.value;
	uint64_t *words = (uint64_t *)(void *)slots;

	switch (step.how % 8) {
	case 0: /* an honest consumer posts receives */
	case 1:
		for (uint64_t i = posted; i != posted + step.where % (N_SLOTS + 1); i++)
			atomic_store(&descs()[i % N_SLOTS].room, value % (2 * ENDS_SEND_MAX));
		atomic_store(&header()->posted, posted + step.where % (N_SLOTS + 1));
		break;
	case 2:
		atomic_store(&header()->consumed, posted - step.where % 32);
		break;
	case 3:
		atomic_store(&header()->armed, (uint32_t)value & 3);
		break;
	case 4:
		atomic_store(&header()->posted, step.how & 8 ? value : posted + value % 40);
		break;
	case 5:
		words[step.where % (sizeof(struct slots_header) / 8)] = value;
		break;
	case 6:
		words[plan.desc_at / 8 + step.where % (2 * N_SLOTS)] = value;
		break;
	default:
		atomic_store(&header()->closed, step.how == 255);
	}
}

static void change_device(struct ends_step step)
{
	static const doca_error_t results[] = {DOCA_ERROR_AGAIN, DOCA_ERROR_INVALID_VALUE,
					       DOCA_ERROR_CONNECTION_RESET};
	static const doca_error_t refusals[] = {DOCA_SUCCESS, DOCA_ERROR_NOT_CONNECTED,
						DOCA_ERROR_NOT_PERMITTED};
	static const enum requester_state states[] = {REQUESTER_CALLED, REQUESTER_READY,
						      REQUESTER_FAILED};

	switch (step.how % 6) {
	case 0:
		fake_device.refusal = refusals[step.where % 3];
		fake_device.state = states[step.value % 3];
		break;
	case 1:
		fake_device.post_result = results[step.value % 3];
		break;
	case 2:
		fake_device.tear = step.value;
		break;
	case 3:
		fake_device.cannot_open = step.value & 1;
		break;
	case 4:
		fake_device.max_message = SHORT_LEN + (uint32_t)(step.value % 4096);
		break;
	default: /* revoked, or the machine is gone */
		fake_device_complete(1, DOCA_ERROR_CONNECTION_RESET);
	}
}

/* No receive is claimed that the consumer has not posted, as far as was read. */
static void check_claims(void)
{
	struct comch_peer_consumer *to = comch_link_find(up_link, PEER_ID);

	if (to == NULL)
		return;
	FUZZ_CHECK(atomic_load(&to->header->claim) <= atomic_load(&to->header->posted));
	comch_peer_consumer_unref(to);
}

static void run_step(struct ends_step step)
{
	switch (step.what % 12) {
	case 0:
	case 1:
	case 2:
		producers_send(step, source);
		break;
	case 3:
		ends_progress(step.how % 16 + 1);
		break;
	case 4:
	case 5:
		fake_device_complete(step.how % 8 + 1, DOCA_SUCCESS);
		ends_progress(step.where % 4);
		break;
	case 6:
	case 7:
		write_slots(step);
		break;
	case 8:
		change_device(step);
		break;
	case 9:
		if (step.where % 8 == 0)
			producers_end_one(step);
		else if (step.where % 8 == 1)
			(void)attach(STRANGE_ID, step.how % 8, step.how >> 3, step.value);
		break;
	case 10:
		producers_sleep(step);
		break;
	default:
		ends_now_ns += step.value % NS_PER_SEC;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (len == 0)
		return 0;
	if (ends_pe == NULL)
		open_all();
	memset(slots, 0, plan.len);
	fake_device = (struct fake_device){.bytes = slots,
					   .len = plan.len,
					   .write_at = plan.slot_at,
					   .state = data[0] & 1 ? REQUESTER_CALLED
								: REQUESTER_READY,
					   .max_message = data[0] & 2 ? SHORT_LEN : 1u << 20};
	producers_begin();
	up_link->is_remote = true;
	FUZZ_CHECK(attach(PEER_ID, 0, data[0] & 4, 0));
	for (data++, len--; len >= ENDS_STEP_LEN; data += ENDS_STEP_LEN, len -= ENDS_STEP_LEN) {
		run_step(ends_step_read(data));
		check_claims();
	}
	producers_stop();
	FUZZ_CHECK(fake_device.n_open == 0);
	producers_end();
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	static const uint8_t honest[] = {6, 0, 4, 0, 4, 3, 1, 4, 4, 10};
	static const uint16_t lens[] = {0, 8, 33, 64, 65, 200, 700, 2900};
	uint8_t *at = out;

	if (i >= 48 || out_len < 1 + 80 * ENDS_STEP_LEN)
		return 0;
	if (i >= 16)
		return ends_seed_any(i, 80, out);
	/* Honest: receives, which last for some of the seeds only, and messages of many lengths. */
	*at++ = (uint8_t)(i & 7);
	for (unsigned k = 0; k < 80; k++) {
		uint8_t what = honest[k % 10];

		if (what == 6 && k > 0 && i >= 8)
			continue;
		ends_step_write(&at, (struct ends_step){what, what == 4 ? 7 : 0,
							what == 6 ? (i < 8 ? 8 : 2)
								  : lens[(k / 10 + i) % 8],
							5000});
	}
	return (size_t)(at - out);
}
