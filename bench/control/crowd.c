/* See bench/control/crowd.h. */
#include "bench/control/crowd.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/peer.h"

#define MAP_LEN 64u
/* The requests that open and close a device. */
#define REQUESTS_OF_TURN 2

/* Shared by the measuring process and all clients. */
struct crowd {
	_Atomic uint32_t n_connected,
		n_done;              /* futex words, on which the measuring process sleeps */
	_Atomic uint32_t generation; /* futex word: of crowd_run() */
	_Alignas(64) _Atomic int64_t n_left; /* requests of this generation */
	_Alignas(64) uint32_t op;
	uint32_t n;
};

static void word_count(_Atomic uint32_t *word, uint32_t all)
{
	if (atomic_fetch_add(word, 1) + 1 == all)
		syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Sleeps while the word is below a number. */
static void word_await(_Atomic uint32_t *word, uint32_t least)
{
	uint32_t seen;

	while ((seen = atomic_load(word)) < least)
		syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static doca_error_t any_device(const struct doca_devinfo *info)
{
	(void)info;
	return DOCA_SUCCESS;
}

/* The exports end with the process. */
static void exports_make(struct doca_dev *dev, uint64_t n)
{
	uint8_t *memory = bench_alloc(MAX(n, 1), MAP_LEN);
	const void *bytes;
	size_t len;
	uint64_t i;

	for (i = 0; i < n; i++)
		MUST(doca_mmap_export_pci(
			device_map_new(dev, memory + i * MAP_LEN, MAP_LEN, DEVICE_RIGHTS), dev,
			&bytes, &len));
}

static void requests_make(struct crowd *crowd)
{
	struct doca_devinfo **infos;
	struct doca_dev *dev;
	uint32_t n, generation;

	MUST(doca_devinfo_create_list(&infos, &n));
	for (generation = 1;; generation++) {
		word_await(&crowd->generation, generation);
		while (atomic_fetch_sub(&crowd->n_left, REQUESTS_OF_TURN) > 0) {
			if (crowd->op == CROWD_ECHO) {
				echo_once();
				echo_once();
				continue;
			}
			MUST(doca_dev_open(infos[0], &dev));
			MUST(doca_dev_close(dev));
		}
		word_count(&crowd->n_done, crowd->n);
	}
}

static _Noreturn void client_run(struct crowd *crowd, uint64_t n_exports, bool makes_requests)
{
	struct doca_dev *dev = device_open(any_device, "open a device");

	exports_make(dev, n_exports);
	/* With a device still open, the library would only count references. */
	if (makes_requests)
		MUST(doca_dev_close(dev));
	word_count(&crowd->n_connected, crowd->n);
	if (makes_requests)
		requests_make(crowd);
	for (;;)
		pause();
}

void crowd_adopt(struct bench *b, pid_t pid)
{
	struct peer *peer = b->peer;

	peer->others = realloc(peer->others, (peer->n_others + 1) * sizeof(*peer->others));
	if (peer->others == NULL)
		bench_die("no memory");
	peer->others[peer->n_others++] = pid;
}

struct crowd *crowd_new(struct bench *b, size_t n, uint64_t n_exports, bool makes_requests)
{
	struct crowd *crowd = peer_memory_new(sizeof(*crowd));
	pid_t parent = getpid(), pid;
	size_t i;

	crowd->n = (uint32_t)n;
	for (i = 0; i < n; i++) {
		pid = fork();
		if (pid < 0)
			bench_die("cannot start a process: %m");
		if (pid > 0) {
			crowd_adopt(b, pid);
			continue;
		}
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		client_run(crowd, n_exports / n + (i < n_exports % n), makes_requests);
	}
	word_await(&crowd->n_connected, crowd->n);
	return crowd;
}

void crowd_run(struct crowd *crowd, enum crowd_op op, uint64_t n)
{
	crowd->op = op;
	atomic_store(&crowd->n_done, 0);
	atomic_store(&crowd->n_left, (int64_t)n);
	atomic_fetch_add(&crowd->generation, 1);
	syscall(SYS_futex, &crowd->generation, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	word_await(&crowd->n_done, crowd->n);
}
