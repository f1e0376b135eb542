/*
 * control: the cost of exports, imports and requests in the daemons, with few and many clients and
 * exports. An export with its import is compared with a round trip of a packet; requests of many
 * clients with a raw server. size is a number of exports, depth one of clients.
 *
 * A message between processes on two cores costs about eight times as much as on one core, and the
 * scheduler could place a daemon and the raw server differently. Therefore all clients are on the
 * first core and all servers, daemons as well as the raw server, on the second, except in the row
 * that names one core. In both measurements, each round trip starts with a message to a sleeping
 * process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/control/crowd.h"

#define MAP_LEN         64u
#define CORE_OF_CLIENTS 0u
#define CORE_OF_SERVERS 1u

enum kind { EXPORTS, EXPORTS_ON_ONE_CORE, REQUESTS };

struct control {
	struct doca_dev *dev;
	uint8_t *memory;
	struct crowd *crowd;
};

/* Pins the daemon that listens on a socket. If it is another user's, it stays where it is. */
static void daemon_pin(const char *path, unsigned cpu)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct ucred peer;
	socklen_t len = sizeof(peer);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		bench_die("control: cannot connect to %s: %m", path);
	measure_pin_process(peer.pid, cpu);
	close(fd);
}

static doca_error_t any_device(const struct doca_devinfo *info)
{
	(void)info;
	return DOCA_SUCCESS;
}

static const char *control_setup(struct bench *b)
{
	struct control *c = b->state = bench_alloc(1, sizeof(*c));
	bool is_one_core = b->row->kind == EXPORTS_ON_ONE_CORE;
	unsigned core = is_one_core ? CORE_OF_CLIENTS : CORE_OF_SERVERS;

	daemon_pin(getenv("DOCOCORED_SOCKET"), core);
	measure_pin(CORE_OF_CLIENTS);
	echo_init(b->is_peer ? getppid() : getpid());
	/* Children are forked before this process connects. */
	if (!b->is_peer) {
		measure_pin_process(echo_start(b), core);
		c->crowd = crowd_new(b, b->depth, b->row->kind == REQUESTS ? 0 : b->size,
				     b->row->kind == REQUESTS);
	}
	c->dev = device_open(any_device, "open a device");
	c->memory = bench_alloc(1, MAP_LEN);
	return NULL;
}

/* --- export and import: the measuring process exports, the other one imports --- */

static void export_run(struct bench *b, uint64_t n)
{
	struct control *c = b->state;
	uint64_t all_ticks = measure_ticks(), ours_ticks = 0;

	for (; n > 0; n--) {
		struct doca_mmap *map = device_map_new(c->dev, c->memory, MAP_LEN, DEVICE_RIGHTS);
		uint64_t start_ticks = measure_ticks(), ticks, import_ticks;
		const void *bytes;
		size_t len;

		MUST(doca_mmap_export_pci(map, c->dev, &bytes, &len));
		ticks = measure_ticks() - start_ticks;
		peer_swap(b, bytes, len, &import_ticks, sizeof(import_ticks));
		MUST(doca_mmap_destroy(map));
		laps_add(b->laps, ticks + import_ticks);
		ours_ticks += ticks + import_ticks;
	}
	all_ticks = measure_ticks() - all_ticks;
	b->aside_ticks += all_ticks - MIN(ours_ticks, all_ticks);
}

static void import_serve(struct bench *b, uint64_t n)
{
	struct control *c = b->state;
	uint8_t bytes[PEER_PAYLOAD_MAX];

	for (; n > 0; n--) {
		size_t len = peer_get(b, bytes, sizeof(bytes));
		uint64_t start_ticks = measure_ticks(), ticks;
		struct doca_mmap *map;

		MUST(doca_mmap_create_from_export(NULL, bytes, len, c->dev, &map));
		ticks = measure_ticks() - start_ticks;
		MUST(doca_mmap_destroy(map));
		peer_put(b, &ticks, sizeof(ticks));
	}
}

/* The other process makes the trip, so that it begins with a message to a process that sleeps. */
static void trip_run(struct bench *b, uint64_t n)
{
	uint64_t all_ticks = measure_ticks(), trips_ticks = 0, ticks;

	for (; n > 0; n--) {
		peer_swap(b, &n, sizeof(n), &ticks, sizeof(ticks));
		trips_ticks += ticks;
	}
	all_ticks = measure_ticks() - all_ticks;
	b->aside_ticks += all_ticks - MIN(trips_ticks, all_ticks);
}

static void trip_serve(struct bench *b, uint64_t n)
{
	uint64_t start_ticks, ticks;

	for (; n > 0; n--) {
		peer_get(b, &ticks, sizeof(ticks));
		start_ticks = measure_ticks();
		echo_once();
		ticks = measure_ticks() - start_ticks;
		peer_put(b, &ticks, sizeof(ticks));
	}
}

/* --- requests --- */

static void ask_run(struct bench *b, uint64_t n)
{
	crowd_run(((struct control *)b->state)->crowd, CROWD_ASK, n);
}

static void echo_run(struct bench *b, uint64_t n)
{
	crowd_run(((struct control *)b->state)->crowd, CROWD_ECHO, n);
}

#define CONTROL .test = "control", .transport = "-", .setup = control_setup
#define EXPORT_IMPORT                                                                             \
	CONTROL, .reference = "seqpacket trip", .multiple = 1, .run = export_run,                 \
		 .serve = import_serve, .reference_run = trip_run, .reference_serve = trip_serve, \
		 .flags = ROW_PEER | ROW_ON_HOST | ROW_LAPS

static const struct bench_row rows[] = {
	{EXPORT_IMPORT, .variant = "exp+imp", .kind = EXPORTS,
	 .points =
		 {{1, 1, 4}, {1000, 2, 4}, {100000, 10, 4}, {1, 10, 4}, {1, 100, 4}, {1, 1000, 4}}},
	{EXPORT_IMPORT, .variant = "exp+imp 1c", .kind = EXPORTS_ON_ONE_CORE,
	 .points = {{1, 1, 0}}},
	{CONTROL, .reference = "libevent echo", .variant = "requests", .kind = REQUESTS,
	 .flags = ROW_PEER | ROW_ON_HOST | ROW_LONG, .multiple = 128, .run = ask_run,
	 .reference_run = echo_run, .points = {{0, 1, 1.43}, {0, 64, 1.43}}},
};

BENCH_TABLE(bench_control, rows);
