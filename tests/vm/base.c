/* See tests/vm/base.h. */
#include "tests/vm/base.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dococ.h>

#define RETRIES_MS 3758u
#define LATE       5u

void base_ok(doca_error_t result, const char *file, int line)
{
	if (result != DOCA_SUCCESS)
		fail(file, line, "%s: %s", doca_error_get_name(result), dococ_last_error());
}

void base_fails(doca_error_t code, doca_error_t result, const char *file, int line)
{
	if (result != code)
		fail(file, line, "%s, not %s: %s", doca_error_get_name(result),
		     doca_error_get_name(code), dococ_last_error());
	printf("as it should be: %s\n", dococ_last_error());
}

struct doca_dev *base_dev_open(const char *ibdev)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	uint32_t n;

	if (ibdev == NULL)
		ibdev = getenv("VERBS_TEST_DEVICE");
	if (ibdev == NULL)
		ibdev = "mlx5_0";
	OK(doca_devinfo_create_list(&list, &n));
	for (uint32_t i = 0; i < n && dev == NULL; i++) {
		OK(doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
		if (strcmp(name, ibdev) == 0)
			OK(doca_dev_open(list[i], &dev));
	}
	check(dev != NULL, "no device is bound to %s", ibdev);
	OK(doca_devinfo_destroy_list(list));
	return dev;
}

struct doca_dev_rep *base_rep_open(struct doca_dev *dev)
{
	struct doca_devinfo_rep **reps;
	struct doca_dev_rep *rep = NULL;
	uint32_t n;

	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n));
	for (uint32_t i = 0; i < n && rep == NULL; i++) {
		uint8_t is_it = 0;

		OK(doca_devinfo_rep_is_equal_pci_addr(reps[i], "0000:0b:00.0", &is_it));
		if (is_it)
			OK(doca_dev_rep_open(reps[i], &rep));
	}
	OK(doca_devinfo_rep_destroy_list(reps));
	check(rep != NULL, "no representor of the host's function");
	return rep;
}

uint8_t *base_memory_new(struct doca_dev *dev, size_t len, uint32_t rights,
			 struct doca_mmap **mmap_out)
{
	uint8_t *memory = aligned_alloc(4096, len);

	check(memory != NULL, "memory");
	memset(memory, 0, len);
	OK(doca_mmap_create(mmap_out));
	OK(doca_mmap_add_dev(*mmap_out, dev));
	OK(doca_mmap_set_memrange(*mmap_out, memory, len));
	OK(doca_mmap_set_permissions(*mmap_out, rights));
	OK(doca_mmap_start(*mmap_out));
	return memory;
}

void base_ctx_stop(struct doca_pe *pe, struct doca_ctx *ctx)
{
	enum doca_ctx_states state;
	time_t until = time(NULL) + TIMEOUT_S;

	(void)doca_ctx_stop(ctx);
	do {
		(void)doca_pe_progress(pe);
		OK(doca_ctx_get_state(ctx, &state));
		check(time(NULL) < until, "state %d after %d s", (int)state, TIMEOUT_S);
	} while (state != DOCA_CTX_STATE_IDLE);
}

static void sleep_until_notified(struct doca_pe *pe)
{
	doca_notification_handle_t handle;
	struct pollfd p = {.events = POLLIN};

	OK(doca_pe_get_notification_handle(pe, &handle));
	OK(doca_pe_request_notification(pe));
	p.fd = handle;
	check(poll(&p, 1, TIMEOUT_S * 1000) == 1, "nothing wakes it");
	OK(doca_pe_clear_notification(pe, handle));
}

void base_await(struct doca_pe *pe, const unsigned *counter, unsigned value, bool is_asleep)
{
	time_t until = time(NULL) + TIMEOUT_S;

	while (*counter < value) {
		if (doca_pe_progress(pe) == 0 && is_asleep)
			sleep_until_notified(pe);
		check(time(NULL) < until, "%u, not %u, in %d s", *counter, value, TIMEOUT_S);
	}
}

uint64_t base_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void base_check_limit(uint64_t since_ms, uint64_t limit_ms)
{
	uint64_t elapsed_ms = base_now_ms() - since_ms;

	check(elapsed_ms >= limit_ms / 2, "after %llu ms, where %llu are to pass",
	      (unsigned long long)elapsed_ms, (unsigned long long)limit_ms);
	check(elapsed_ms <= LATE * limit_ms, "only after %llu ms, where %llu are the limit",
	      (unsigned long long)elapsed_ms, (unsigned long long)limit_ms);
	printf("after %llu ms, limit %llu\n", (unsigned long long)elapsed_ms,
	       (unsigned long long)limit_ms);
}

void base_check_retries(uint64_t since_ms)
{
	base_check_limit(since_ms, RETRIES_MS);
}

void base_put_desc(int sock, const void *desc, size_t len)
{
	meet_put(sock, &len, sizeof(len));
	meet_put(sock, desc, len);
}

size_t base_get_desc(int sock, uint8_t desc_out[DESC_MAX])
{
	size_t len;

	meet_get(sock, &len, sizeof(len));
	check(len <= DESC_MAX, "%zu", len);
	meet_get(sock, desc_out, len);
	return len;
}

static uint8_t byte_of(size_t at, unsigned seed)
{
	return (uint8_t)(at * 7 + (at >> 8) * 3 + seed);
}

void base_fill(uint8_t *memory, size_t at, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		memory[at + i] = byte_of(at + i, seed);
}

void base_verify(const uint8_t *memory, size_t at, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		check(memory[at + i] == byte_of(at + i, seed), "byte %zu", at + i);
}
