/* The exporting process, see tests/lib/exporter.h. */
#include "tests/lib/exporter.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/runner.h"
#include "tests/lib/use.h"
#include "util/fd.h"
#include "util/memfd.h"

#define STATIC_LEN (1u << 20)

enum command_kind {
	CMD_END,
	CMD_FILL,
	CMD_CHECK,
	CMD_STOP,
	CMD_EXPORT,
	CMD_UNMAP,
	CMD_TRUNCATE,
	CMD_CALL_DAEMON
};

struct command {
	enum command_kind kind;
	size_t at, len;
	uint32_t seed;
};

struct state {
	const struct exporter_options *options;
	int sock;
	void *memory; /* as allocated; the range begins at memory + skew */
	size_t memory_len;
	int memfd;
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	uint8_t *addr;
};

static uint8_t static_memory[STATIC_LEN];

static int open_file(void)
{
	char path[100];
	int fd;

	snprintf(path, sizeof(path), "%s/file-XXXXXX", runner_dir());
	fd = mkstemp(path);
	unlink(path);
	return fd;
}

static void *map_file(int fd, size_t len, int *fd_out)
{
	void *addr;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	addr = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(addr, MAP_FAILED);
	*fd_out = fd;
	return addr;
}

#define HUGE_LEN (2u << 20)

static void *map_huge(size_t len)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *addr = mmap(NULL, len, prot, flags | MAP_HUGETLB | 21 << MAP_HUGE_SHIFT, -1, 0);
	uintptr_t start;

	if (addr != MAP_FAILED)
		return addr;
	start = (uintptr_t)mmap(NULL, len + HUGE_LEN, prot, flags, -1, 0);
	ck_assert_uint_ne(start, (uintptr_t)MAP_FAILED);
	addr = (void *)ALIGN_UP(start, HUGE_LEN);
	/* Returns the part that is no complete huge page. */
	if ((uintptr_t)addr > start)
		munmap((void *)start, (uintptr_t)addr - start);
	munmap((uint8_t *)addr + len, start + HUGE_LEN - (uintptr_t)addr);
	/* Not every kernel supports huge pages. */
	(void)madvise(addr, len, MADV_HUGEPAGE);
	return addr;
}

static void allocate_memory(struct state *state, void *stack)
{
	size_t page = state->options->memory == MEMORY_HUGE ? HUGE_LEN : memfd_page_size();
	size_t len = ALIGN_UP(state->options->len + state->options->skew, page);

	state->memory_len = len;
	state->memfd = -1;
	switch (state->options->memory) {
	case MEMORY_MALLOC:
		state->memory = malloc(len);
		break;
	case MEMORY_STACK:
		ck_assert_uint_le(state->options->len + state->options->skew, EXPORTER_STACK_LEN);
		state->memory = stack;
		break;
	case MEMORY_STATIC:
		ck_assert_uint_le(len, STATIC_LEN);
		state->memory = static_memory;
		break;
	case MEMORY_FILE:
		state->memory = map_file(open_file(), len, &state->memfd);
		break;
	case MEMORY_TMPFS:
		state->memory = map_file(open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600),
					 len, &state->memfd);
		break;
	case MEMORY_MEMFD:
	case MEMORY_MAPPED:
		state->memfd = memfd_create_sealable("exporter", len);
		ck_assert_int_ge(state->memfd, 0);
		state->memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, state->memfd,
				     0);
		break;
	case MEMORY_DOCOC:
		OK(dococ_mem_alloc(len, &state->memory, NULL));
		break;
	case MEMORY_MMAP:
		state->memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				     -1, 0);
		break;
	case MEMORY_HUGE:
		state->memory = map_huge(len);
		break;
	}
	ck_assert_ptr_nonnull(state->memory);
	ck_assert_ptr_ne(state->memory, MAP_FAILED);
	state->addr = (uint8_t *)state->memory + state->options->skew;
}

static void release_memory(struct state *state)
{
	switch (state->options->memory) {
	case MEMORY_MALLOC:
		free(state->memory);
		break;
	case MEMORY_STACK:
	case MEMORY_STATIC:
		break;
	case MEMORY_DOCOC:
		OK(dococ_mem_free(state->memory));
		break;
	case MEMORY_FILE:
	case MEMORY_MEMFD:
	case MEMORY_MAPPED:
	case MEMORY_MMAP:
	case MEMORY_TMPFS:
	case MEMORY_HUGE:
		ck_assert_int_eq(munmap(state->memory, state->memory_len), 0);
		break;
	}
	fd_close(&state->memfd);
}

static void make_map(struct state *state)
{
	OK(doca_mmap_create(&state->mmap));
	if (state->options->memory == MEMORY_MEMFD)
		OK(doca_mmap_set_dmabuf_memrange(state->mmap, state->memfd, state->addr,
						 state->options->skew, state->options->len));
	else
		OK(doca_mmap_set_memrange(state->mmap, state->addr, state->options->len));
	OK(doca_mmap_set_permissions(state->mmap, state->options->permissions));
	OK(doca_mmap_add_dev(state->mmap, state->dev));
}

static void export_and_announce(struct state *state)
{
	struct exported out = {.addr = state->addr, .len = state->options->len};
	const void *desc;

	OK(doca_mmap_start(state->mmap));
	if (state->options->rdma)
		OK(doca_mmap_export_rdma(state->mmap, state->dev, &desc, &out.desc_len));
	else
		OK(doca_mmap_export_pci(state->mmap, state->dev, &desc, &out.desc_len));
	ck_assert_uint_le(out.desc_len, sizeof(out.desc));
	memcpy(out.desc, desc, out.desc_len);
	lab_send(state->sock, &out, sizeof(out));
}

static void call_daemon(void)
{
	struct doca_devinfo **list;
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	OK(doca_devinfo_destroy_list(list));
}

static void answer(struct state *state, bool yes)
{
	char byte = yes;

	lab_send(state->sock, &byte, 1);
}

static void execute_command(struct state *state, const struct command *command)
{
	uint8_t *at = state->addr + command->at;
	bool yes = true;

	switch (command->kind) {
	case CMD_FILL:
		use_fill(at, command->len, command->seed);
		break;
	case CMD_CHECK:
		yes = use_is_filled(at, command->len, command->seed);
		break;
	case CMD_STOP:
		OK(doca_mmap_stop(state->mmap));
		break;
	case CMD_EXPORT:
		export_and_announce(state);
		return;
	case CMD_UNMAP:
		/* Like unmapping, but no other memory can be mapped there. */
		ck_assert_ptr_eq(mmap(at, command->len, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
				      0),
				 at);
		break;
	case CMD_TRUNCATE:
		yes = ftruncate(state->memfd, (off_t)command->len) == 0;
		break;
	case CMD_CALL_DAEMON:
		call_daemon();
		break;
	case CMD_END:
		break;
	}
	answer(state, yes);
}

static void exporter_main(int sock, void *arg)
{
	uint8_t stack[EXPORTER_STACK_LEN];
	struct state state = {.options = arg, .sock = sock};
	struct command command;

	allocate_memory(&state, stack);
	use_fill(state.addr, state.options->len, 1);
	state.dev = use_dev(state.options->side == LAB_HOST ? USE_HOST_PF0 : USE_DPU_P0);
	make_map(&state);
	export_and_announce(&state);
	do {
		lab_recv(sock, &command, sizeof(command));
		execute_command(&state, &command);
	} while (command.kind != CMD_END);
	use_mmap_end(state.mmap);
	release_memory(&state);
	OK(doca_dev_close(state.dev));
}

void exporter_start(struct exporter *exporter, struct lab *lab,
		    const struct exporter_options *options)
{
	struct exporter_options *copy = malloc(sizeof(*copy));

	*copy = *options;
	exporter->child = lab_fork(lab, options->side, exporter_main, copy);
	free(copy);
	lab_recv(exporter->child.sock, &exporter->exported, sizeof(exporter->exported));
}

static bool send_command(struct exporter *exporter, struct command command)
{
	char yes;

	lab_send(exporter->child.sock, &command, sizeof(command));
	lab_recv(exporter->child.sock, &yes, 1);
	return yes;
}

void exporter_end(struct exporter *exporter)
{
	send_command(exporter, (struct command){.kind = CMD_END});
	lab_join(&exporter->child);
}

void exporter_fill(struct exporter *exporter, size_t at, size_t len, uint32_t seed)
{
	send_command(exporter, (struct command){CMD_FILL, at, len, seed});
}

bool exporter_is_filled(struct exporter *exporter, size_t at, size_t len, uint32_t seed)
{
	return send_command(exporter, (struct command){CMD_CHECK, at, len, seed});
}

void exporter_stop_map(struct exporter *exporter)
{
	send_command(exporter, (struct command){.kind = CMD_STOP});
}

void exporter_export_again(struct exporter *exporter)
{
	struct command command = {.kind = CMD_EXPORT};

	lab_send(exporter->child.sock, &command, sizeof(command));
	lab_recv(exporter->child.sock, &exporter->exported, sizeof(exporter->exported));
}

void exporter_unmap(struct exporter *exporter, size_t at, size_t len)
{
	send_command(exporter, (struct command){CMD_UNMAP, at, len, 0});
}

bool exporter_truncate(struct exporter *exporter, size_t len)
{
	return send_command(exporter, (struct command){.kind = CMD_TRUNCATE, .len = len});
}

void exporter_call_daemon(struct exporter *exporter)
{
	send_command(exporter, (struct command){.kind = CMD_CALL_DAEMON});
}
