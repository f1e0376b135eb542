/* Clients' counters; see counters.h. */
#include "daemon/session/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/base/idmap.h"
#include "daemon/base/daemon.h"
#include "daemon/store/persist.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/memfd.h"
#include "util/util.h"

/*
 * Pages go to the fd store only after they have existed this long, because a program may create and
 * destroy its objects at any rate, and so new pages come often.
 */
#define COUNTERS_PERSIST_NS NS_PER_SEC

/*
 * Within SCANS_NS, all places of a session are read at most MAX_SCANS times to find those of
 * channels.
 */
#define SCANS_NS  (10 * NS_PER_MS)
#define MAX_SCANS 16u

#define MAX_PLACES (COUNTERS_MAX_LEN / COUNTERS_SLOT_LEN)
/* Range of ids per session; larger than the number of places. */
#define PLACES_PER_SESSION 4096u

_Static_assert(MAX_PLACES <= PLACES_PER_SESSION, "ids are unique");

void counters_init(struct session_counters *counters)
{
	*counters = (struct session_counters){.fd = -1};
}

static void counters_unmap(struct session_counters *counters)
{
	memfd_unmap((void *)(uintptr_t)counters->map,
		    (size_t)counters->n_mapped * COUNTERS_SLOT_LEN);
	free(counters->objects);
	counters->map = NULL;
	counters->objects = NULL;
	counters->n_mapped = 0;
}

void counters_deinit(struct session_counters *counters)
{
	counters_unmap(counters);
	fd_close(&counters->fd);
	loop_source_free(counters->persist_timer);
	counters->persist_timer = NULL;
	charge_release(&counters->charge);
}

/* --- pages --- */

static int counters_map(struct session *session, uint32_t n)
{
	struct session_counters *counters = &session->counters;
	struct counters_object *objects = calloc(n, sizeof(*objects));
	const uint8_t *map;
	int r;

	if (!objects)
		return -ENOMEM;
	r = charge_add(&counters->charge, session->account, CHARGE_BYTES,
		       (uint64_t)(n - counters->n_mapped) * COUNTERS_SLOT_LEN);
	map = r < 0 ? NULL : memfd_map(counters->fd, 0, (size_t)n * COUNTERS_SLOT_LEN, false);
	if (!map) {
		if (r == 0)
			charge_drop(&counters->charge, CHARGE_BYTES,
				    (uint64_t)(n - counters->n_mapped) * COUNTERS_SLOT_LEN);
		free(objects);
		return r < 0 ? r : -ENOMEM;
	}
	counters_unmap(counters);
	counters->map = map;
	counters->n_mapped = n;
	counters->objects = objects;
	for (uint32_t i = 0; i < n; i++)
		objects[i] = (struct counters_object){.session = session, .slot = i};
	return 0;
}

/* Maps the whole file, which may have grown, or as much of it as the user's limit allows. */
static bool counters_map_shared(struct session *session)
{
	struct session_counters *counters = &session->counters;
	struct stat st;
	uint32_t n;

	if (counters->fd < 0 || fstat(counters->fd, &st) < 0)
		return false;
	n = (uint32_t)(MIN((uint64_t)st.st_size, COUNTERS_MAX_LEN) / COUNTERS_SLOT_LEN);
	if (n > counters->n_mapped && counters_map(session, n) < 0 && !counters->map)
		return false;
	return true;
}

/* Number of places in use, as the client reports it, limited to the mapped part. */
static uint32_t counters_n_places(const struct session_counters *counters)
{
	const struct counters_header *header = (const void *)counters->map;
	uint32_t n = atomic_load_explicit(&header->n_slots, memory_order_acquire);

	return MIN(n, counters->n_mapped);
}

static const struct counters_slot *counters_slot(const struct session_counters *counters,
						 uint32_t i)
{
	return (const void *)(counters->map + (size_t)i * COUNTERS_SLOT_LEN);
}

/* --- values --- */

static void counted_add_line(struct counted *sum, const struct counters_line *line, uint32_t kind)
{
	if (kind == COUNTERS_PE) {
		sum->busy += counters_get(&line->busy);
		sum->empty += counters_get(&line->empty);
		sum->sleeps += counters_get(&line->sleeps);
		sum->wakes += counters_get(&line->wakes);
		return;
	}
	/* In a channel, these counters count messages, not tasks. */
	if (kind != COUNTERS_CHANNEL) {
		sum->submitted += counters_get(&line->submitted);
		sum->completed += counters_get(&line->completed);
	}
	sum->bytes += counters_get(&line->bytes);
	sum->errors += counters_get(&line->errors);
	sum->waits += counters_get(&line->waits);
	sum->received += counters_get(&line->received);
	sum->received_bytes += counters_get(&line->received_bytes);
}

static void counted_add_pages(struct counted *sum, const struct session_counters *counters)
{
	const struct counters_header *header = (const void *)counters->map;
	uint32_t n = counters_n_places(counters);

	counted_add_line(sum, &header->ended_pes, COUNTERS_PE);
	counted_add_line(sum, &header->ended, COUNTERS_OTHER);
	for (uint32_t i = 1; i < n; i++) {
		const struct counters_slot *slot = counters_slot(counters, i);
		uint32_t kind = atomic_load_explicit(&slot->kind, memory_order_acquire);

		if (kind != COUNTERS_FREE)
			counted_add_line(sum, &slot->line, kind);
	}
}

bool counters_sum(struct session *session, struct counted *sum_out)
{
	*sum_out = session->counters.earlier;
	if (!counters_map_shared(session))
		return false;
	counted_add_pages(sum_out, &session->counters);
	return true;
}

uint64_t counted_depth(const struct counted *n)
{
	return n->submitted > n->completed ? n->submitted - n->completed : 0;
}

void counters_read(struct counters_object *object, struct counters_copy *copy_out)
{
	const struct counters_slot *slot = counters_slot(&object->session->counters, object->slot);

	memset(copy_out, 0, sizeof(*copy_out));
	copy_out->kind = atomic_load_explicit(&slot->kind, memory_order_acquire);
	copy_out->pe = atomic_load_explicit(&slot->pe, memory_order_relaxed);
	copy_out->state = atomic_load_explicit(&slot->state, memory_order_relaxed);
	copy_out->serial = counters_get(&slot->serial);
	copy_out->object = counters_get(&slot->object);
	copy_out->number = counters_get(&slot->number);
	counted_add_line(&copy_out->n, &slot->line, copy_out->kind);
	if (copy_out->kind == COUNTERS_CHANNEL)
		copy_out->n.submitted = counters_get(&slot->line.submitted);
	else if (copy_out->kind != COUNTERS_PE)
		copy_out->n.max_depth = counters_get(&slot->line.max_depth);
	for (size_t i = 0; i < COUNTERS_N_BUCKETS; i++)
		copy_out->latency[i] = counters_get(&slot->latency[i]);
}

const char *counters_device(struct counters_object *object)
{
	const struct counters_slot *slot = counters_slot(&object->session->counters, object->slot);
	uint64_t words[ARRAY_LEN(slot->device)];

	_Static_assert(sizeof(object->device) > sizeof(words), "it ends");
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		words[i] = counters_get(&slot->device[i]);
	memcpy(object->device, words, sizeof(words));
	object->device[sizeof(words)] = '\0';
	return object->device;
}

const char *counters_kind_name(uint32_t kind)
{
	static const char *const names[COUNTERS_N_KINDS] = {
		[COUNTERS_FREE] = "ended",
		[COUNTERS_PE] = "pe",
		[COUNTERS_OTHER] = "other",
		[COUNTERS_DMA] = "dma",
		[COUNTERS_SHA] = "sha",
		[COUNTERS_SYNC_EVENT] = "sync-event",
		[COUNTERS_COMCH_SERVER] = "comch-server",
		[COUNTERS_COMCH_CLIENT] = "comch-client",
		[COUNTERS_CHANNEL] = "channel",
		[COUNTERS_PRODUCER] = "producer",
		[COUNTERS_CONSUMER] = "consumer",
		[COUNTERS_GRAPH] = "graph",
		[COUNTERS_RDMA] = "rdma",
		[COUNTERS_COMPRESS] = "compress",
		[COUNTERS_EC] = "ec",
		[COUNTERS_AES_GCM] = "aes-gcm",
	};

	return kind < ARRAY_LEN(names) ? names[kind] : "other";
}

uint64_t counters_percentile(const uint64_t latency[COUNTERS_N_BUCKETS], unsigned percent)
{
	double sum = 0, so_far = 0;
	unsigned i;

	/* The client wrote the values, so their sum may overflow: add as double. */
	for (i = 0; i < COUNTERS_N_BUCKETS; i++)
		sum += (double)latency[i];
	if (sum == 0)
		return 0;
	for (i = 0; i < COUNTERS_N_BUCKETS - 1; i++) {
		so_far += (double)latency[i];
		if (so_far >= sum * percent / 100)
			break;
	}
	return counters_bucket_ns(i);
}

/* --- places --- */

uint64_t counters_id(const struct session *session, uint32_t slot)
{
	return session->id * PLACES_PER_SESSION + slot;
}

static bool place_is_used(const struct session_counters *counters, uint32_t i)
{
	return atomic_load_explicit(&counters_slot(counters, i)->kind, memory_order_acquire) !=
	       COUNTERS_FREE;
}

static struct counters_object *session_next(struct session *session, uint32_t i)
{
	struct session_counters *counters = &session->counters;
	uint32_t n = counters_n_places(counters);

	for (; i < n; i++)
		if (place_is_used(counters, i))
			return &counters->objects[i];
	return NULL;
}

struct counters_object *counters_next(const struct daemon *daemon, struct counters_object *at)
{
	struct counters_object *object = at ? session_next(at->session, at->slot + 1) : NULL;
	struct list *node = at ? &at->session->link : (struct list *)&daemon->sessions->list;

	/* Only pages that no object points into are remapped. */
	while (!object && (node = node->next) != &daemon->sessions->list) {
		struct session *session = list_entry(node, struct session, link);

		if (counters_map_shared(session))
			object = session_next(session, 1);
	}
	return object;
}

struct counters_object *counters_find(const struct daemon *daemon, uint64_t id)
{
	uint32_t i = (uint32_t)(id % PLACES_PER_SESSION);
	struct session *session;

	list_for_each(session, &daemon->sessions->list, link)
	{
		struct session_counters *counters = &session->counters;

		if (session->id != id / PLACES_PER_SESSION)
			continue;
		if (i == 0 || !counters_map_shared(session) || i >= counters_n_places(counters) ||
		    !place_is_used(counters, i))
			return NULL;
		return &counters->objects[i];
	}
	return NULL;
}

struct counters_object *counters_upto(const struct daemon *daemon, uint64_t id)
{
	uint32_t slot = (uint32_t)(id % PLACES_PER_SESSION);
	uint64_t wanted = id / PLACES_PER_SESSION;
	struct session *session, *last = NULL;

	list_for_each(session, &daemon->sessions->list, link)
	{
		if (session->id == wanted)
			(void)counters_map_shared(session);
		if (session->id > wanted || !session->counters.map)
			continue;
		if (!last || session->id > last->id)
			last = session;
	}
	if (!last)
		return NULL;
	if (last->id != wanted || slot >= last->counters.n_mapped)
		slot = last->counters.n_mapped - 1;
	return &last->counters.objects[slot];
}

/* Returns the object id in the place if the place has counters of this kind, otherwise 0. */
static uint64_t place_object(const struct session_counters *counters, uint32_t i, uint32_t kind)
{
	const struct counters_slot *slot = counters_slot(counters, i);

	if (atomic_load_explicit(&slot->kind, memory_order_acquire) != kind)
		return 0;
	return counters_get(&slot->object);
}

/*
 * Limits the number of scans, because each scan reads all places of the session. If many objects
 * without a place are looked up together, the last ones may miss a place that was added since the
 * last scan.
 */
static bool counters_may_scan(struct session_counters *counters)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns - counters->scans_since_ns >= SCANS_NS) {
		counters->scans_since_ns = now_ns;
		counters->n_scans = 0;
	}
	return counters->n_scans++ < MAX_SCANS;
}

/* Records the place of each object of the kind. */
static void counters_scan(struct session *session, uint32_t kind, counters_place_fn place_of)
{
	uint32_t n = counters_n_places(&session->counters);

	for (uint32_t i = 1; i < n; i++) {
		uint64_t id = place_object(&session->counters, i, kind);
		uint32_t *slot = id ? place_of(session, id) : NULL;

		if (slot)
			*slot = i;
	}
}

static bool is_at_place(const struct session_counters *counters, uint32_t i, uint32_t kind,
			uint64_t id)
{
	return i > 0 && i < counters_n_places(counters) && place_object(counters, i, kind) == id;
}

struct counters_object *counters_find_object(struct session *session, uint32_t kind, uint64_t id,
					     counters_place_fn place_of)
{
	struct session_counters *counters = &session->counters;
	const uint32_t *slot = place_of(session, id);

	if (!slot || !counters_map_shared(session))
		return NULL;
	if (!is_at_place(counters, *slot, kind, id) && counters_may_scan(counters))
		counters_scan(session, kind, place_of);
	return is_at_place(counters, *slot, kind, id) ? &counters->objects[*slot] : NULL;
}

/* --- registration --- */

static int counters_check(int fd)
{
	struct counters_header *header;
	int r = memfd_verify_unwritable(fd, COUNTERS_MIN_LEN);
	bool is_ours;

	if (r < 0)
		return r;
	header = memfd_map(fd, 0, COUNTERS_SLOT_LEN, false);
	if (!header)
		return -ENOMEM;
	is_ours = header->magic == COUNTERS_MAGIC && header->layout == COUNTERS_LAYOUT;
	memfd_unmap(header, COUNTERS_SLOT_LEN);
	return is_ours ? 0 : -EPROTO;
}

/*
 * True if both are the same file: an earlier daemon instance may have adopted the file from the
 * same message.
 */
static bool is_same_file(int one, int other)
{
	struct stat a, b;

	return one >= 0 && fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/*
 * Takes ownership of fd, also on failure. Returns 0 or -errno; -EALREADY: the session has these
 * pages.
 */
static int counters_adopt(struct session *session, int fd)
{
	struct session_counters *counters = &session->counters;
	struct counted earlier = counters->earlier;
	bool has_earlier = counters->has_earlier || counters->fd >= 0;
	int r = is_same_file(counters->fd, fd) ? -EALREADY : counters_check(fd);

	if (r == 0 && counters->fd >= 0) {
		/* Adds the counts of the earlier pages to the sum. */
		if (counters_map_shared(session))
			counted_add_pages(&earlier, counters);
		counters_deinit(counters);
		counters_init(counters);
	}
	counters->earlier = earlier;
	counters->has_earlier = has_earlier;
	if (r == 0)
		r = charge_add(&counters->charge, session->account, CHARGE_FDS, 1);
	if (r < 0)
		fd_close(&fd);
	else
		counters->fd = fd;
	return r;
}

static void counters_on_persist_timer(void *user)
{
	persist_counters(user);
}

static void counters_schedule_persist(struct session *session)
{
	struct session_counters *counters = &session->counters;

	counters->is_new = persist_is_enabled(session->daemon);
	if (!counters->is_new)
		return;
	persist_drop_counters(session);
	counters->persist_timer = loop_timer_new(session->daemon->loop, counters_on_persist_timer,
						 session);
	/* Without the timer they are persisted when the daemon stops. */
	if (counters->persist_timer)
		(void)loop_timer_set(counters->persist_timer, COUNTERS_PERSIST_NS);
}

int counters_on_share(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	int r = -EPROTO;

	if (packet->counters_share->layout == COUNTERS_LAYOUT)
		r = counters_adopt(session, fdset_steal(fds, 0));
	if (r == -EALREADY)
		return 0;
	/* A failure is only logged, because the client itself does not need the counters here. */
	if (r < 0)
		log_info("client %llu (%s, pid %d): its counters cannot be shown: %s",
			 (unsigned long long)session->id, session->program, session->pid,
			 r == -EDQUOT ? "it is over a quota" : strerror(-r));
	else
		counters_schedule_persist(session);
	return 0;
}

void counters_resume(struct session *session, int fd, const struct counted *earlier)
{
	session->counters.has_earlier = earlier != NULL;
	if (earlier)
		session->counters.earlier = *earlier;
	if (fd >= 0)
		counters_adopt(session, fd);
}
