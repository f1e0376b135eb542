/* See tests/lib/secret_scan.h. */
#include "tests/lib/secret_scan.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/assert.h"
#include "util/util.h"

#define MASK      0xa5u
#define CHUNK_LEN (1u << 20)

static volatile uint8_t masked[SECRET_SCAN_LEN];

void secret_scan_set(const uint8_t secret[SECRET_SCAN_LEN])
{
	for (size_t i = 0; i < SECRET_SCAN_LEN; i++)
		masked[i] = secret[i] ^ MASK;
}

void secret_scan_get(uint8_t *out)
{
	for (size_t i = 0; i < SECRET_SCAN_LEN; i++)
		out[i] = masked[i] ^ MASK;
}

static unsigned count_in(const uint8_t *data, size_t len)
{
	unsigned n = 0;

	for (size_t at = 0; at + SECRET_SCAN_LEN <= len; at++) {
		size_t i = 0;

		while (i < SECRET_SCAN_LEN && data[at + i] == (masked[i] ^ MASK))
			i++;
		n += i == SECRET_SCAN_LEN;
	}
	return n;
}

static unsigned count_between(int mem, uint64_t from, uint64_t to, uint8_t *chunk)
{
	unsigned n = 0;

	while (from + SECRET_SCAN_LEN <= to) {
		ssize_t got = pread(mem, chunk, MIN(CHUNK_LEN, to - from), (off_t)from);

		/* Pages that cannot be read are not dumped. */
		if (got < (ssize_t)SECRET_SCAN_LEN)
			break;
		n += count_in(chunk, (size_t)got);
		from += (size_t)got - (SECRET_SCAN_LEN - 1);
	}
	return n;
}

static int open_memory(pid_t pid)
{
	char path[40];
	int mem;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(mem, 0);
	return mem;
}

static FILE *open_maps(pid_t pid)
{
	char path[40];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	maps = fopen(path, "re");
	ck_assert_ptr_nonnull(maps);
	return maps;
}

unsigned secret_scan_count(pid_t pid, bool as_dumped)
{
	/* The search's own buffer is not dumped, and thus not searched. */
	uint8_t *chunk = mmap(NULL, CHUNK_LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);
	int mem = open_memory(pid);
	FILE *maps = open_maps(pid);
	unsigned long from = 0, to = 0;
	char line[1024], mapping[sizeof(line)] = "", rights[8] = "";
	unsigned n = 0, n_before;

	ck_assert_ptr_ne(chunk, MAP_FAILED);
	ck_assert_int_eq(madvise(chunk, CHUNK_LEN, MADV_DONTDUMP), 0);
	while (fgets(line, sizeof(line), maps)) {
		/* Names of other lines may begin with hexadecimal digits. */
		if (line[0] < 'A' || line[0] > 'Z') {
			ck_assert_int_eq(sscanf(line, "%lx-%lx %7s", &from, &to, rights), 3);
			memcpy(mapping, line, sizeof(mapping));
			continue;
		}
		if (strncmp(line, "VmFlags:", 8) != 0 || rights[1] != 'w' ||
		    (pid == getpid() && from == (uintptr_t)chunk) ||
		    (as_dumped && strstr(line, " dd") != NULL))
			continue;
		n_before = n;
		n += count_between(mem, from, to, chunk);
		if (as_dumped && n > n_before)
			printf("process %d: in %s", (int)pid, mapping);
	}
	fclose(maps);
	close(mem);
	munmap(chunk, CHUNK_LEN);
	return n;
}
